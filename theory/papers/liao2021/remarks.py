"""liao2021: what the text around the theorems asserts: remarks 3.7, 5.3 and 5.7, section 4's words
on algorithm 1, and its step to bandits at H = 1.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import inf, prod

import sympy as sp
import z3

from theory import derive_noise
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.formulas import upwards
from theory.papers.liao2021 import privacy
from theory.rigor.smt import Proof

KEEP = Fraction(3, 4)  # randomised response at epsilon = ln 3


def central_loss(shared: bool) -> tuple[Fraction, Fraction | float]:
    """e^epsilon of all that is released when one of three users' bits changes, and of her own
    message: bits kept with probability 3/4, the third mechanism turned by the first message.
    ``shared``: one coin on the parity of raw bits."""

    def law(bits: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
        out: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for flips in product((0, 1), repeat=1 if shared else 3):
            first_message = bits[0] ^ flips[0]
            messages = (
                ((sum(bits) + flips[0]) % 2,)
                if shared
                else (first_message, bits[1] ^ flips[1], bits[2] ^ flips[2] ^ first_message)
            )
            out[messages] += prod(1 - KEEP if flip else KEEP for flip in flips)
        return out

    worst = Fraction(1)
    for bits, user in product(product((0, 1), repeat=3), range(3)):
        changed_bits = tuple(bit ^ (place == user) for place, bit in enumerate(bits))
        original_law, changed_law = law(bits), law(changed_bits)
        worst = max(worst, *(original_law[output] / changed_law[output] for output in original_law))
    keep = Fraction(1) if shared else KEEP  # of her bit in her own message
    return worst, keep / (1 - keep) if keep < 1 else inf


@claim("liao2021/remark-3.7")
def remark_3_7() -> Records:
    """Local privacy implies central privacy with the same parameters, and not the reverse."""

    def stricter(case: tuple[bool, Fraction]) -> bool:
        central, local = central_loss(case[0])
        return central <= case[1] * local and local <= 3

    yield Trial(
        stricter,
        at=(False, Fraction(1)),
        mutant_at=[(True, Fraction(1)), (False, Fraction(9, 10))],
        mutant="a server that sees raw bits; 0.9 of the loss",
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"If every user's message is $(\varepsilon, \delta)$-LDP given the earlier "
        r"ones, then all that is computed from the messages is $(\varepsilon, \delta)$-DP; for "
        r"$\delta < 1$ the reverse is false",
        domain=r"every $\varepsilon$, $\delta$ and number of users",
        evidence="Replacing one user changes one message's law, and the rest is post-processing. "
        "A server that is sent raw data can release what is differentially private.",
        basis=Basis(proof="Local privacy is central privacy"),
    )


@claim("liao2021/remark-5.3")
def remark_5_3() -> Records:
    """The logarithm that is dropped at alpha = delta."""

    def absorbed(case: tuple[float, bool]) -> bool:
        factor, polynomial = case
        x, y, m = z3.Reals("x y m")  # ln(dT), ln(1/delta), delta >= (dT)^-m
        proof = Proof(x > 0, y >= 0, m >= 0, *([y <= m * x] if polynomial else []))
        return proof.shows(x + y <= factor * (1 + m) * x)

    yield Trial(
        absorbed,
        at=(1.0, True),
        mutant_at=[(0.9, True), (1.0, False)],
        mutant=r"0.9 of the factor; any $\delta$",
        scale=lambda c: (c, True),
        tighter={"without the bound on delta": (1.0, False)},
    ).holds(
        "printed",
        Rigor.PROVED,
        statement=r"At $\alpha = \delta$ the factor $\log(dT/\alpha)$ of theorem 5.2 is hidden "
        r"by $\tilde O$ where $\delta \ge (dT)^{-m}$ with a fixed $m$: it is at most "
        r"$(1 + m)\log(dT)$",
        domain=r"every $d$, $T$ with $dT > 1$, and $m \ge 0$; of the display",
        evidence="No problem is easier under local privacy: a learner who sees the data can make "
        "the private messages herself.",
    )


def gap_is(case: tuple[sp.Rational, sp.Rational, sp.Rational]) -> bool:
    """Whether d^(5/4) H^(7/4) T^(3/4) over d H sqrt(T) has these powers of d, T and H."""
    d, H, T = sp.symbols("d H T", positive=True)
    ratio = (d**5 * H**7 * T**3) ** sp.Rational(1, 4) / (d * H * sp.sqrt(T))
    return bool(sp.simplify(ratio / (d ** case[0] * T ** case[1] * H ** case[2])) == 1)


@claim("liao2021/remark-5.7")
def remark_5_7() -> Records:
    """The quotient of the displayed bounds, and how far apart what is proved is."""
    quarter = sp.Rational(1, 4)
    yield Trial(
        gap_is,
        at=(quarter, quarter, 3 * quarter),
        mutant_at=(quarter, quarter, quarter),
        mutant=r"$H^{1/4}$ in place of $H^{3/4}$",
        tighter="an identity: a quotient of powers",
    ).holds(
        "printed",
        Rigor.PROVED,
        domain="every $d$, $H$ and $T$; of the displays, up to logarithms",
        evidence="A quotient of powers.",
    )


def optimistic_values(horizon: int, bonus: float, cut_at_horizon: bool) -> list[float]:
    """V_1, .., V_{H+1} of the first user in one state with phi = 1, rewards 1 and theta-hat = 0: Q
    cut at H as section 4 displays it, or at H - h + 1 as line 6 has it."""
    values = [0.0]
    for remaining in range(1, horizon + 1):
        values.insert(
            0, min(float(horizon if cut_at_horizon else remaining), 1 + bonus * values[0])
        )
    return values


@claim("liao2021/algorithm-1-text")
def algorithm_1_text() -> Records:
    """Two cuts, and a regulariser that changes its name."""
    displayed, line = (optimistic_values(3, 2.0, cut)[1] for cut in (True, False))
    pair = derive_noise.widest_pair().change
    yield Trial(
        lambda horizon: (
            optimistic_values(horizon, 2.0, cut_at_horizon=True)
            != optimistic_values(horizon, 2.0, cut_at_horizon=False)
        ),
        at=3,
        mutant_at=2,
        mutant=r"$H = 2$",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"every $H \ge 3$",
        evidence="The $r$ of line 19 is no input, and the main text does not set it.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "H": 3,
                "h": 2,
                "S": 1,
                "phi": 1.0,
                "rewards": 1.0,
                "theta-hat": 0.0,
                "bonus": "twice the norm of phi_V",
            },
            ("V_2 by the display is", displayed),
            ("by line 6 it is", line),
        ),
    )
    yield Trial(
        lambda cut: all(
            optimistic_values(horizon, bonus, cut)[step - 1] <= horizon - step + 1
            for horizon in (1, 2, 3, 10)
            for bonus in (0.0, 0.5, 2.0, 100.0)
            for step in range(1, horizon + 1)
        ),
        at=False,
        mutant_at=True,
        mutant=r"the cut at $H$",
    ).holds(
        "corrected",
        Rigor.EXACT,
        statement=r"Algorithm 1 cuts $Q_{k,h}$ at $H-h+1$, the most that the steps left can pay; "
        r"it starts from $\Lambda_{1,h} = \Sigma_{1,h} = \lambda I$, and $\Sigma_{k,h} = "
        r"\Lambda_{k,h} + rI$ from the second user on",
        domain=r"the algorithm as displayed; its recursion in one state for $H = 1, 2, 3, 10$",
        evidence="Read off lines 6, 18 and 19 of the algorithm, the start from section 4's text.",
    )
    wide_from = 0.0353  # epsilon, with the cut at H
    yield Trial(
        lambda case: privacy.private_from(case[0], case[1], privacy.cut_at_horizon()),
        at=(wide_from, 1.0),
        mutant_at=(0.035, 1.0),
        mutant=r"$\varepsilon \ge 0.035$",
        scale=lambda c: (wide_from, c),
        tighter={"epsilon from 0.035 on": (0.035, 1.0)},
    ).holds(
        "reading: the cut of section 4 in the algorithm",
        Rigor.PROVED,
        statement=r"With $Q$ cut to $[0, H]$ at every step the noise of line 1, $\varepsilon$ "
        r"inside the root, is $(\varepsilon, \delta)$-LDP for every "
        rf"$\varepsilon \ge {wide_from:g}$",
        domain=r"every $\delta$ in (0, 1), $H$ and $d$; features that "
        "obey (3.1)",
        evidence=rf"The squared change of a message is at most ${upwards(pair, 2):g} ((H-2) H^4 "
        rf"+ 1)$, as $V_H$ is a reward.",
        basis=Basis(uses=("liao2021/adaptivity",)),
    )


def sent(horizon: int, chance: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """phi phi', and phi V(s') when the user wins or loses, without noise, at the first step that
    has an action: one action, phi(won | s, a) = (chance, 0), phi(lost | s, a) = (-chance, 1), theta
    = (1, 1); the state won pays 1 at step 2. V_2 by lines 5 to 7, from V_{H+1} = 0."""
    won, lost = Fraction(0), Fraction(0)  # V_{H+1}
    for step in range(horizon, 1, -1):
        first, second = chance * (won - lost), lost  # phi_V(s, a), the same in both states
        ahead = first + second  # <theta, phi_V>; the bonus is left out
        pays = 1 if step == 2 else 0
        top = Fraction(horizon - step + 1)
        won, lost = min(top, pays + ahead), min(top, ahead)
    first = chance * (won - lost)
    return first * first, first * won, first * lost


@claim("liao2021/section-4-bandits")
def section_4_bandits() -> Records:
    """At H = 1 nothing is learnt; at H = 2 with the reward in the next state it is the bandit
    algorithm."""

    def bandit(horizon: int) -> bool:
        """Whether the message is that of a linear bandit with context x = chance: x x' and x y, y
        in {0, 1}."""
        return all(
            sent(horizon, chance) == (chance * chance, chance, Fraction(0))
            for chance in (Fraction(1, 3), x, Fraction(9, 10))
        )

    x = Fraction(1, 2)
    yield Trial(
        lambda horizon: not bandit(horizon),
        at=1,
        mutant_at=2,
        mutant=r"$H = 2$, the reward paid by the next state",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"$H = 1$",
        evidence=r"$V_2 = 0$, so that $\phi_{V_2} = 0$: the users send noise alone.",
        severity=Severity.WORDING,
        witness=Witness(
            {"H": 1, "context": float(x)},
            ("the bandit's Gram matrix, without noise, has the entry", float(x * x)),
            ("here it has", float(sent(1, x)[0])),
        ),
    )
    yield Trial(
        bandit,
        at=2,
        mutant_at=1,
        mutant=r"$H = 1$",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement="At $H = 2$ with reward 0 at the first step, and a second one that pays 1 in "
        "one of two next "
        r"states, a user's first step sends $xx^\top$ and $xy$ with noise, $x = \phi_{V_2}(s,a)$ "
        r"the context of the action taken and $y$ in $\{0, 1\}$ her reward of mean $\langle "
        r"\theta, x \rangle$",
        domain="every linear bandit with rewards 0 and 1 and finitely many contexts",
        evidence="These are the sums that a linear bandit regresses on; the algorithm of Zheng et "
        "al. itself is not in our copy. The proof's features exceed (3.1); a linear change "
        "supplies it and changes $x$ alike.",
        basis=Basis(proof="Bandits in two steps", uses=("liao2021/remark-3.2",)),
    )
