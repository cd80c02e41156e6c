"""vietri2020, algorithm-3 and Appendix B.4: theorem-14, lemma-15, lemma-17; lemma-16 stands in
optimism_values.py.

For a tuple let N^ = r^ + sum V m^ and N~ the same of the released counts, V = V~_{h+1}; phi^ =
sqrt(L/n^) as meant.

**lemma-15, another way.** On the good event with 0 <= V <= H: N^ <= (1+H) n^, since the moves add
up to n^; N~ >= N^ - (1+SH) E; n~ <= n^ + E; and n^ > n~ - E >= E > 0 where n~ >= 2E. Then N^/n^ -
N~/n~ <= (2 + H + SH) E/n~, because

    (2+H+SH) E n^ - (N^ n~ - N~ n^) = n^ (N~ - N^ + (1+SH) E) + N^ (E - n~ + n^) + E ((1+H) n^ - N^)
    >= 0,

and that is at most psi~ = (1+SH) (3E/n~ + 2E^2/n~^2). The same with the roles exchanged bounds
N~/n~ - N^/n^. phi^ <= phi~ as n^ >= max(n~ - E, 1): n^ > n~ - E, and n^ > 0 is a whole number.

**Order of the induction.** At step h, from V~_{h+1} >= V*_{h+1} >= 0 and V~_{h+1} <= H (it is
clipped): lemma-15 at h (it needs V >= 0), lemma-17 at h, so Q~+ >= Q* at h (also where it is H, as
Q* <= H), so V~_h >= V*_h.
"""

import functools
from fractions import Fraction
from operator import gt

import mpmath as mp
import sympy as sp
import z3

from privrl.agents.tabular.pucb import PUCB
from theory.claim import Basis, Record, Records, Rigor, Severity, Trial, Witness, claim
from theory.papers.vietri2020.bonus import bonus
from theory.papers.vietri2020.bounds.stated import printed_width
from theory.rigor.exact import at_precision
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof
from theory.rigor.symbolic import Term, identity, nonnegative

S, H, E, n, nt, N, Nt = sp.symbols("S H E n nt N Nt", positive=True)  # n^, n~, N^, N~


@functools.cache
def distance_proved(extra: sp.Expr | int = 0) -> bool:
    """|N^/n^ - N~/n~| <= (2 + H + SH - extra) E/n~ by the certificate above, in both directions."""
    bound = 2 + H + S * H - extra
    low, high = Nt - N + (1 + S * H) * E, N - Nt + (1 + S * H) * E
    short, long, room = E - nt + n, E + nt - n, (1 + H) * n - N
    below_holds = nonnegative(
        sp.expand(bound * E * n - N * nt + Nt * n),
        [Term(1, 1, (n, low)), Term(1, 1, (N, short)), Term(1, 1, (E, room))],
        (low, short, room),
    )
    above_holds = nonnegative(
        sp.expand(bound * E * n + N * nt - Nt * n),
        [Term(1, 1, (n, high)), Term(1, 1, (N, long)), Term(1, 1, (E, room))],
        (high, long, room),
    )
    return below_holds and above_holds


def psi_suffices(factor: Fraction) -> bool:
    """z3: (2 + H + SH) E/n~ <= factor psi~ for all H >= 1, SH >= H, n~ >= 2E > 0 (multiplied by
    n~^2/E)."""
    h, sh, e, x = z3.Reals("h sh e x")
    scaled = factor * (1 + sh) * (3 * x + 2 * e)
    return Proof(h >= 1, sh >= h, e > 0, x >= 2 * e).shows((2 + h + sh) * x <= scaled)


def distance_attained(states: int, worth: int, visits: int, width: Fraction) -> Fraction:
    """N^/n^ - N~/n~ in units of E/n~ at the extreme counts: rewards 1, all next states ``worth`` H,
    every error E."""
    top = (1 + worth) * visits
    released, count = top - (1 + states * worth) * width, visits + width
    return (Fraction(top, visits) - released / count) / (width / count)


def root_dominates(least: int) -> bool:
    """z3: n^ >= max(n~ - E, ``least``) for whole n^ with |n~ - n^| < E and n~ >= 2E > 0."""
    count = z3.Int("n")
    e, x = z3.Reals("e x")
    proof = Proof(e > 0, x >= 2 * e, x - count < e, count - x < e)
    return proof.shows(z3.And(z3.ToReal(count) >= x - e, count >= least))


# of algorithm-3 and of lemma-16
ALGORITHM_3_REFUTED = Formal(
    "vietri2020_optimism",
    "algorithm_3_printed_refuted",
    "algorithm_3_printed_mutant",
    (
        "V_printed nS nA H T beta E nt rt mt k s",
        "V_tilde nS nA H T beta E nt rt mt 1 k s",
    ),
)
AGENT, EPISODES = PUCB(epsilon=1.0, beta=0.1), 1000  # of the instances
LITERAL = (30, -10)  # r~ and n~ of the instance


def literal_q(count: Fraction) -> Fraction:
    """Q~+ by algorithm-3 as printed, S = A = H = 1, after one user with reward 1/2 = Q*: r~ = 30
    and this n~ < 2E."""
    return min(Fraction(1), LITERAL[0] / count + 1)


def equation_28(share: float) -> float:
    """Q~+ by equation 28 at n~ = ``share`` E: S = 10, A = H = 1, T = 1000, beta = 0.1, r~ = 0.95 E;
    n~ - E <= 1 under the root. The good event allows it with n^ <= 1, as E > 40 (epsilon = 1)."""
    width = printed_width(10, 1, 1, EPISODES, 1.0, AGENT.beta)
    return 0.95 / share + bonus(10, 1, share * width, width, AGENT.logarithm(EPISODES))


def literal_failure(scale: mp.mpf) -> mp.mpf:
    """P(Q~+ < Q*) at the second episode, S = A = H = 1, reward 1/2: P((1/2 + bY)/(1 + bX) < -1/2),
    X, Y Laplace."""
    b = mp.mpf(scale)

    def upper(y: mp.mpf) -> mp.mpf:  # P(Y > y)
        return mp.exp(-y) / 2 if y >= 0 else 1 - mp.exp(y) / 2

    def positive(x: mp.mpf) -> mp.mpf:  # n~ > 0: Y < -(n~ + 1)/(2b)
        return mp.exp(-abs(x)) / 2 * upper((2 + b * x) / (2 * b))

    def negative(x: mp.mpf) -> mp.mpf:  # n~ < 0: Y > (|n~| - 1)/(2b)
        return mp.exp(-abs(x)) / 2 * upper((-2 - b * x) / (2 * b))

    zero = -1 / b
    return mp.quad(positive, [zero, 0, 5, 40, 200]) + mp.quad(
        negative, [-200, -40, zero - 5, -2 / b, zero]
    )


def unclipped(visits: int) -> float:
    """Q^+ = 1 + 2 phi^ at H = 1 after this many visits with reward 1, T = 1000, beta = 0.1: the
    bonus of exact counts, E = 0. Q~+ is 1 where n~ < 2E."""
    return 1 + bonus(1, 1, visits, 0.0, AGENT.logarithm(EPISODES)) if visits else 1.0


def _proof_step(states: int) -> bool:
    """z3: N~ <= (1+SH) n~, which turns 2E N~/n~^2 into the third of the three E/n~ in psi~, at this
    S, for every H >= 2 and all counts of the good event with n~ >= 2E. At H = 1, as in every last
    step, V~ is 0, so that N~ is r~ < n~ + 2E <= 2 n~ <= (1+SH) n~."""
    h, e, x, count, top, released = z3.Reals("h e x count top released")
    proof = Proof(
        h >= 2,
        e > 0,
        x >= 2 * e,
        count > x - e,
        count < x + e,
        top >= 0,
        top <= (1 + h) * count,
        released < top + (1 + states * h) * e,
    )
    return proof.shows(released <= (1 + states * h) * x)


def line_after_29(states: int, h: int, e: int) -> tuple[Fraction, Fraction]:
    """Both sides of the line after (29) at n~ = 2E, n^ = 3E - 1, rewards 1 and V~ = H, every error
    E - 1."""
    top = (1 + h) * (3 * e - 1) + (1 + states * h) * (e - 1)
    room = (1 + states * h) * e
    left_side = (Fraction(1, 2 * e) + Fraction(2 * e, 4 * e * e)) * (top + room)
    return left_side, Fraction(top + 3 * room, 2 * e) + Fraction(2 * room * e, 4 * e * e)


def _sketch_sides(visits: int, e: int) -> tuple[Fraction, Fraction]:
    """S = 1, H = 2, the first step, V~ = 2 at the second, every error E - 1: Q^ - Q~, and
    (1/n~ + 2E/n~^2) (1+SH) E of the sketch's display."""
    error, states, steps = e - 1, 1, 2
    count = visits + error
    return (
        distance_attained(states, steps, visits, Fraction(error)) * Fraction(error, count),
        (Fraction(1, count) + Fraction(2 * e, count**2)) * (1 + states * steps) * e,
    )


def _left_root_larger(printed: bool) -> bool:
    """x > 2 ln x at x = T/beta' = 8, and from there on as the difference rises; not when both sides
    are 2 ln x."""
    rises = identity(sp.diff(nt - 2 * sp.log(nt), nt), 1 - 2 / nt)
    return rises and bool(
        at_precision(lambda: (8 if printed else 2 * mp.log(8)) - 2 * mp.log(8)) > 0
    )


@claim("vietri2020/lemma-15")
def lemma_15() -> Records:
    """Needs Q^+ clipped at H, as Q~+ is; then it holds, with a third of psi~ to spare."""
    left_side, right = line_after_29(3, 3, 1000)
    sketch = _sketch_sides(9000, 1000)
    yield Trial(
        lambda visits: unclipped(visits) > 1,
        at=1,
        mutant_at=0,
        mutant=r"No visit; in the theorem $\min(H, \hat{Q}^+)$.",
    ).fails(
        "printed",
        Rigor.KERNEL,
        statement=r"On the good event $\tilde{Q}^+ \ge \hat{Q}^+$ at all tuples, with the two "
        r"cases of the proof and $\hat{Q}^+$ not clipped.",
        domain=r"Tuples with $\tilde{n} < 2E$ and $\hat{Q}^+ > H$, $\hat{\varphi}$ as meant; in "
        "the theorem $S = H = 1$, $T = 2$, one visit with reward 1.",
        evidence=r"$\tilde{Q}^+$ is $H$ there.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "H": 1,
                "T": EPISODES,
                "beta": AGENT.beta,
                "visits": 1,
                "reward": 1,
                "n~": "below 2E",
            },
            ("Q~+ =", 1.0),
            ("Q^+ =", unclipped(1)),
        ),
        basis=Basis(
            formal=Formal(
                "vietri2020_optimism",
                "lemma_15_printed_refuted",
                "lemma_15",
                ("Q_hat_plus nS H T beta n r m V", "Rmin (INR H) (Q_hat_plus nS H T beta n r m V)"),
            )
        ),
    )
    yield Trial(
        lambda case: distance_proved(case[0]) and psi_suffices(case[1]) and root_dominates(case[2]),
        at=(0, Fraction(2, 3), 1),
        mutant_at=[(1, Fraction(2, 3), 1), (0, Fraction(66, 100), 1), (0, Fraction(2, 3), 2)],
        mutant=r"One $E/\tilde{n}$ less; $0.66 \tilde{\psi}$; $\hat{n} \ge 2$ in place of "
        r"$\hat{n} \ge 1$.",
        scale=lambda c: (0, Fraction(c) * 2 / 3, 1),
        tighter={"one error less": (1, Fraction(2, 3), 1)},
    ).holds(
        "corrected",
        Rigor.KERNEL,
        statement=r"On the good event with $0 \le \tilde{V} \le H$ and $\tilde{Q}^+ = H$ where "
        r"$\tilde{n} < 2E$: $\tilde{Q}^+ \ge \min(H, \hat{Q}^+)$ at every tuple; where $\tilde{n} "
        r"\ge 2E$ even $\tilde{Q} + \frac{2}{3} \tilde{\psi} + (H+1) \tilde{\varphi} \ge "
        r"\hat{Q}^+$, since $\lvert \hat{Q} - \tilde{Q} \rvert \le (2 + H + SH) E/\tilde{n} \le "
        r"\frac{2}{3} \tilde{\psi}$ and $\hat{\varphi} \le \tilde{\varphi}$.",
        domain=r"Every $S$, $A$, $H$, $T$, $E > 0$ and all counts of the good event, "
        r"$\hat{\varphi} = \sqrt{2 \ln(T/\beta')/\hat{n}}$ as meant.",
        evidence="By a certificate that replaces the printed chain.",
        basis=Basis(
            formal=Formal(
                "vietri2020_optimism",
                "lemma_15",
                "lemma_15_mutant",
                ("(2 + INR H + INR nS * INR H)", "(1 + INR H + INR nS * INR H)"),
            )
        ),
    )
    yield Trial(
        lambda worth: distance_attained(3, worth, 7, Fraction(5, 2)) == 2 + 2 + 6,
        at=2,
        mutant_at=1,
        mutant="Next states worth $H - 1$.",
    ).holds(
        "step: the constant",
        Rigor.EXACT,
        statement=r"$(2 + H + SH) E/\tilde{n}$ is attained in the limit by the extreme counts.",
        domain=r"$S = 3$, $H = 2$, $\hat{n} = 7$, $E = 5/2$.",
        evidence="In fractions.",
    )
    yield Trial(
        lambda states: not _proof_step(states) and gt(*line_after_29(states, 3, 1000)),
        at=3,
        mutant_at=4,
        mutant="$S = 4$, where it follows.",
    ).fails(
        "step: the line after (29)",
        Rigor.COUNTEREXAMPLE,
        statement=r"$(1/\tilde{n} + 2E/\tilde{n}^2)(\tilde{N} + (1+SH) E) \le "
        r"\tilde{N}/\tilde{n} + 3 (1+SH) E/\tilde{n} + 2 (1+SH) E^2/\tilde{n}^2$, where "
        r"$\tilde{N} = \tilde{r} + \sum \tilde{V} \tilde{m}$.",
        domain=r"A step before the last; rewards 1, $\tilde{V} = H$, every error just below $E$.",
        evidence=r"$\tilde{N}$ may exceed $(1+SH) \tilde{n}$.",
        witness=Witness(
            {"S": 3, "H": 3, "E": 1000, "n~": 2000, "n^": 2999},
            ("right side", float(right)),
            ("left side", float(left_side)),
        ),
    )
    yield Trial(
        lambda visits: _sketch_sides(visits, 1000)[0] > _sketch_sides(visits, 1000)[1],
        at=9000,
        mutant_at=1001,
        mutant=r"$\hat{n} = 1001$, $\tilde{n} = 2000$.",
    ).fails(
        "step: the sketch in section 5",
        Rigor.COUNTEREXAMPLE,
        statement=r"$\hat{Q} \le \tilde{Q} + (1/\tilde{n} + 2E/\tilde{n}^2)(1+SH) E$.",
        domain=r"A step before the last; rewards 1, $\tilde{V} = H$, every error just below $E$.",
        evidence=r"The term $2E \tilde{N}/\tilde{n}^2$ is left out.",
        witness=Witness(
            {"S": 1, "H": 2, "E": 1000, "n^": 9000, "n~": 9999},
            ("Q^ - Q~ at most", float(sketch[1])),
            ("Q^ - Q~ =", float(sketch[0])),
        ),
    )
    yield Trial(
        _left_root_larger,
        at=True,
        mutant_at=False,
        mutant="The logarithm under both roots.",
    ).fails(
        "step: the roots as printed",
        Rigor.PROVED,
        statement=r"$\sqrt{(T/\beta')/\hat{n}} \le \sqrt{2 \ln(T/\beta')/\max(\tilde{n} - E, 1)}$.",
        domain=r"Every $T \ge 2$ and $\beta$, as $\tilde{n} - E$ tends to $\hat{n}$.",
        evidence=r"$x > 2 \ln x$ at $x = T/\beta' \ge 8$.",
        witness=Witness(
            {"T": EPISODES, "beta": AGENT.beta},
            ("numerator on the right", AGENT.logarithm(EPISODES)),
            ("numerator on the left", EPISODES / (AGENT.beta / 4)),
        ),
    )


def step_corrected(
    theorem: str,
    words: str,
    uses: tuple[str, ...],
    statement: str,
    evidence: str,
    tighter: dict[str, tuple[int, Fraction, tuple[int, float]]] | str = "",
) -> Record:
    """A step of PrivQ with its two cases, from lemma 15, psi~ and lemma 17; each mutant weakens one
    of them. ``words`` of the theorem have the bonus, of which a quarter is not enough."""
    return Trial(
        lambda case: distance_proved(case[0]) and psi_suffices(case[1]) and one_step(case[2]),
        at=(0, Fraction(1), (1, 1.0)),
        mutant_at=[(1, Fraction(1), (1, 1.0)), (0, Fraction(1), (0, 1.0))],
        mutant=r"One $E/\tilde{n}$ less in lemma 15; $H \hat{\varphi}$ for $(H+1) \hat{\varphi}$ "
        r"in lemma 17; in the theorem a quarter of the bonus.",
        scale=lambda c: (0, Fraction(c), (1, c)),
        tighter=tighter,
    ).holds(
        "corrected",
        Rigor.KERNEL,
        statement=statement,
        domain=r"Every $S$, $A$, $H$, $T$, $E > 0$ and all histories of the good event, "
        r"$\hat{\varphi} = \sqrt{2 \ln(T/\beta')/\hat{n}}$ as meant.",
        evidence=evidence,
        basis=Basis(
            uses=uses,
            formal=Formal(
                "vietri2020_optimism",
                theorem,
                "lemma_16_mutant",
                (f"{words} 1", f"{words} (1 / 4)"),
            ),
        ),
    )


@claim("vietri2020/algorithm-3")
def algorithm_3() -> Records:
    """Division by a count that may be zero or negative; Q+ = H there repairs it."""
    # node noise of scale (3H/epsilon) log T with H = epsilon = 1, by the base of log T (0: natural)
    by_base = {base: float(literal_failure(3 * mp.log(1000, base or mp.e))) for base in (2, 0)}
    yield Trial(
        lambda case: literal_q(case[0]) < Fraction(1, 2) and min(by_base.values()) > case[1],
        at=(Fraction(LITERAL[1]), 0.1),
        mutant_at=[(Fraction(10), 0.1), (Fraction(100), 0.1), (Fraction(-10), 0.34)],
        mutant=r"Two positive counts $\tilde{n}$; a larger probability; in the theorem every count "
        r"with $\tilde{n} \ge 2E$.",
    ).fails(
        "printed",
        Rigor.KERNEL,
        statement=r"$\tilde{Q} = (\tilde{r} + \sum \tilde{V} \tilde{m})/\tilde{n}$ is defined and "
        r"$\tilde{Q}^+ = \min(H, \tilde{Q} + \mathrm{conf})$ is optimistic at every released "
        "count.",
        domain=r"Every $T \ge 2$ and $\varepsilon$, as $\tilde{n}$ may be below 0. In the theorem "
        "$S = A = H = 1$, and the noise has no law.",
        evidence=r"Before the first release every tuple reads 0/0; later $\tilde{n}$ may be "
        "negative.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "S": 1,
                "A": 1,
                "H": 1,
                "T": 1000,
                "epsilon": 1,
                "beta": 0.1,
                "one user with reward and mean": 0.5,
                "log T of the noise": "to base 2",
            },
            ("probability of Q+ < Q* at most", 0.1),
            ("its probability in episode 2 is", by_base[2]),
        ),
        basis=Basis(formal=ALGORITHM_3_REFUTED),
    )
    yield step_corrected(
        "theorem_14",
        "Q_plus",
        uses=("vietri2020/theorem-14: corrected",),
        statement=r"With $\tilde{Q}^+ = H$ where $\tilde{n} < 2E$ no line divides by a count "
        r"below $2E > 0$, and a "
        "step of PrivQ is optimistic on the good event.",
        evidence="Theorem 14 corrected, for one step.",
    )


@claim("vietri2020/theorem-14")
def theorem_14() -> Records:
    """Optimism holds with the two cases of lemma-15."""
    yield Trial(
        lambda share: equation_28(share) < 0,
        at=-0.95,
        mutant_at=[-0.5, 0.95],
        mutant=r"$\tilde{n} = -E/2$; $\tilde{n} = 0.95 E$.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"On the good event $\tilde{Q}^+$ of equation 28, without cases, is optimistic "
        r"at every tuple: $\tilde{Q}^+ \ge \hat{Q}^+ \ge Q^*$.",
        domain=r"$\tilde{n}$ near $-E$, where $\tilde{\psi}$ is negative.",
        evidence=r"The case $\tilde{Q}^+ = H$ of lemma 15's proof is missing.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "S": 10,
                "A": 1,
                "H": 1,
                "T": 1000,
                "epsilon": 1,
                "beta": 0.1,
                "r~": "0.95 E",
                "n~": "-0.95 E",
            },
            ("Q~+ >= Q* >=", 0.0),
            ("Q~+ =", equation_28(-0.95)),
        ),
    )
    yield step_corrected(
        "theorem_14",
        "Q_plus",
        tighter={"no second root": (0, Fraction(1), (0, 1.0))},
        uses=("vietri2020/lemma-15: corrected", "vietri2020/lemma-17: corrected"),
        statement=r"On the good event, with $\tilde{Q}^+ = H$ where $\tilde{n} < 2E$: $\tilde{Q}^+ "
        r"\ge Q^*$ at all tuples and all times, and $\tilde{Q}^+ \ge \min(H, \hat{Q}^+) \ge Q^*$ "
        r"where $\hat{n} \ge 1$.",
        evidence=r"Lemmas 15 and 17 at step $h$ from $\tilde{V} \ge V^*$ at step $h + 1$, and "
        r"$Q^* \le H$.",
    )


def one_step(case: tuple[int, float]) -> bool:
    """z3: rewards within phi, P V* within H phi, V~ >= V*: r- + P^V~ + scale (H + extra) phi >= r +
    P V*."""
    h, phi, reward, moves, ahead = z3.Reals("h phi reward moves ahead")
    extra, scale = case
    proof = Proof(h >= 1, phi > 0, reward > -phi, moves > -h * phi, ahead >= 0)
    return proof.shows(reward + moves + ahead + Fraction(scale) * (h + extra) * phi >= 0)


def literal_q_before(count: Fraction) -> float:
    """S = A = 1, H = 2, T = 1000, beta = 0.1, one visit with reward 1: Q^+ at step 1, and step 2
    planned by algorithm-3 as printed from r~ = -30 and n~ = ``count`` < 2E. Q* is at least 0."""
    ahead = min(2.0, float(-30 / count) + 2)
    return 1 + ahead + bonus(1, 2, 1, 0.0, AGENT.logarithm(EPISODES))


@claim("vietri2020/lemma-17")
def lemma_17() -> Records:
    """Holds from V~ >= V* one step later, which algorithm-3 as printed does not give."""
    yield Trial(
        lambda count: literal_q_before(count) < 0,
        at=Fraction(1),
        mutant_at=Fraction(100),
        mutant=r"$\tilde{n} = 100$.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"On the good event $\hat{Q}^+$, with $\tilde{V}$ from algorithm 3 as printed, "
        r"is at least $Q^*$.",
        domain=r"$H \ge 2$, some counts with $\tilde{n} < 2E$ one step later.",
        evidence=r"One negative $\tilde{V}$ suffices.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "S": 1,
                "A": 1,
                "H": 2,
                "T": 1000,
                "epsilon": 1,
                "beta": 0.1,
                "n^ at step 1": 1,
                "reward at step 1": 1,
                "phi^": "sqrt(2 ln(T/beta')/n^)",
                "r~ at step 2": -30,
                "n~ at step 2": 1,
            },
            ("Q^+ >= Q* >=", 0.0),
            ("Q^+ =", literal_q_before(Fraction(1))),
        ),
    )
    yield Trial(
        one_step,
        at=(1, 1.0),
        mutant_at=(0, 1.0),
        mutant=r"$H \hat{\varphi}$ in place of $(H+1) \hat{\varphi}$.",
        scale=lambda c: (1, c),
    ).holds(
        "corrected",
        Rigor.KERNEL,
        statement=r"On the good event $\hat{Q}^+ \ge Q^*$ wherever $\tilde{V} \ge V^*$ one step "
        r"later.",
        domain=r"Every tuple with $\hat{n} \ge 1$; $\hat{\varphi}$ as printed or as meant, the "
        r"same in the event and in $\hat{Q}^+$.",
        evidence=r"The line is linear in the deviations of the rewards and of $\hat{P} V^*$.",
        basis=Basis(
            formal=Formal(
                "vietri2020_optimism",
                "lemma_17",
                "lemma_17_mutant",
                ("(INR H + 1) * phi", "INR H * phi"),
            )
        ),
    )
