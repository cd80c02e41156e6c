"""liao2021/equation-5.1: the law of the privatised history.

H~ holds the privatised contexts x~ and rewards y~. Given x~_t the context x_t is random, and y~_t
depends on it.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import log

from theory.claim import Records, Rigor, Severity, Trial, Witness, claim

MixtureHistory = tuple[tuple[int, int], ...]  # (x~, y~) per round
KEEP = Fraction(3, 4)  # randomised response at epsilon = ln 3


def policy(context: int, history: MixtureHistory) -> Fraction:
    """pi(x | H~): context 1 is likelier after rewards."""
    chance = Fraction(1 + sum(noisy_reward for _, noisy_reward in history), 2 + len(history))
    return chance if context == 1 else 1 - chance


def channel(noisy_context: int, context: int, private: bool) -> Fraction:
    """M(x~ | x): randomised response, or the identity."""
    keep = KEEP if private else Fraction(1)
    return keep if noisy_context == context else 1 - keep


def reward(noisy_reward: int, context: int) -> Fraction:
    """f^M(y~ | x): a fair bit in context 0 and 3/4 in context 1, after its own randomised
    response."""
    raw = Fraction(3 if context else 2, 4)
    mean = KEEP * raw + (1 - KEEP) * (1 - raw)
    return mean if noisy_reward else 1 - mean


def law(rounds: int, private: bool) -> dict[MixtureHistory, Fraction]:
    """The law of (x~, y~) by adding up every way in which it can come about."""
    out: dict[MixtureHistory, Fraction] = {(): Fraction(1)}
    for _ in range(rounds):
        grown: defaultdict[MixtureHistory, Fraction] = defaultdict(Fraction)
        for (history, weight), x, noisy_context, noisy_reward in product(
            out.items(), (0, 1), (0, 1), (0, 1)
        ):
            answer = channel(noisy_context, x, private) * reward(noisy_reward, x)
            grown[(*history, (noisy_context, noisy_reward))] += weight * policy(x, history) * answer
        out = grown
    return out


def products(
    rounds: int, private: bool, conditioned: bool = True, printed: bool = False
) -> dict[MixtureHistory, Fraction]:
    """prod sum_x pi(x | H~) M(x~ | x) f^M(y~ | x), with x~ for the last x where ``printed``;
    ``conditioned`` False: a policy that does not look at the history."""
    out: dict[MixtureHistory, Fraction] = {}
    for history in product(product((0, 1), (0, 1)), repeat=rounds):
        weight = Fraction(1)
        for t, (noisy_context, noisy_reward) in enumerate(history):
            past = history[:t] if conditioned else ()
            weight *= sum(
                (
                    policy(x, past)
                    * channel(noisy_context, x, private)
                    * reward(noisy_reward, noisy_context if printed else x)
                    for x in (0, 1)
                ),
                Fraction(0),
            )
        out[history] = weight
    return out


@claim("liao2021/equation-5.1")
def equation_5_1() -> Records:
    """The chain rule when contexts are shown; a sum is missing when they are privatised."""
    short_history = ((1, 1),)
    yield Trial(
        lambda private: law(1, private) != products(1, private, printed=True),
        at=True,
        mutant_at=False,
        mutant="contexts that are shown as they are",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain="contexts that are privatised",
        evidence=r"The display is not well formed rather than false. With $\tilde x_t$ in the "
        "place of $x_t$ the product is another law, as in the instance.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "T": 1,
                "contexts": 2,
                "epsilon": log(3),
                "mechanism": "randomised response",
                "pi(x = 1)": 0.5,
                "means of the raw rewards": "1/2 and 3/4",
            },
            (
                "P(x~ = 1, y~ = 1), with x~ in the place of x, is",
                float(products(1, private=True, printed=True)[short_history]),
            ),
            ("it is", float(law(1, private=True)[short_history])),
        ),
    )
    yield Trial(
        lambda private: all(
            law(n, private) == products(n, private, printed=True) for n in (1, 2, 3)
        ),
        at=False,
        mutant_at=True,
        mutant="privatised contexts",
    ).holds(
        "reading: contexts are not privatised",
        Rigor.EXACT,
        statement=r"$P(\tilde H_T) = \prod_t \pi(x_t \mid \tilde H_{t-1}) f^M(\tilde y_t \mid "
        r"x_t)$ with $\tilde H_T = (x_t, \tilde y_t)_t$",
        domain="up to three rounds with two contexts, in rational numbers; for $T$ rounds by the "
        "chain rule",
        evidence="The policy may depend on everything before, and the reward on its context alone.",
    )
    yield Trial(
        lambda conditioned: all(
            law(n, private=True) == products(n, private=True, conditioned=conditioned)
            for n in (1, 2, 3)
        ),
        at=True,
        mutant_at=False,
        mutant="a policy that ignores the history",
    ).holds(
        "corrected",
        Rigor.EXACT,
        statement=r"$P(\tilde H_T) = \prod_t \sum_x \pi(x \mid \tilde H_{t-1}) M(\tilde x_t \mid "
        r"x) f^M(\tilde y_t \mid x)$",
        domain=r"$\tilde x_t$ and $\tilde y_t$ drawn independently given $x_t$; up to three rounds "
        r"with two contexts, in rational numbers; for $T$ rounds by induction",
        evidence="With $x_t$ added to the history it is the chain rule, and leaving $x_t$ out "
        "raises no divergence.",
    )
