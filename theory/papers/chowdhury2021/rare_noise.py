"""chowdhury2021: two states and a rare noise, where the optimistic choice (9) has a Riccati matrix
that grows like H (lemma-3), and the second sum of lemma-7 is of order H.

n = 2, d = 1, Q = I, R = 1, A* = diag(a, 0), x_1 = e_1. The noise is +-c e_2 at the first step with
probability p and 0 otherwise. H_k = lambda I; L_k = 0 but in the last of K episodes, where it moves
the centre of the set to diag(1) in its second diagonal entry. lambda is such that the last set just
holds Theta_0, A = e_2 e_2', B = 0, whose cost is the least but for the rare noise. The proof stands
in proofs.md, "Two states and a rare noise".

lemma-7 has one delta for the confidence sets and for its own failure, and so has :func:`one_level`:
alpha = delta = H^-7, with K of the order ln H, so that the wider sets still shrink enough.
"""

import math
from functools import cache
from typing import NamedTuple

import mpmath as mp
import numpy as np
from flint import arb

from privrl.types import FloatArray
from theory.claim import Basis, Records, Rigor, Trial, Witness
from theory.formulas import downwards
from theory.papers.chowdhury2021.system import array_riccati
from theory.rigor.balls import precision

BITS = 400


class RareNoise(NamedTuple):
    """What decides the instance: ``rarity`` times the largest p that the proof allows."""

    horizon: int
    a: str = "0.75"
    noise: str = "0.2"  #: c = C_w
    alpha: str = "0.1"
    episodes: int = 3
    rarity: float = 1.0
    centre: str = "1"  #: of the second diagonal entry in the last set


def one_level(horizon: int) -> RareNoise:
    """The instance of lemma-7: alpha is about H^-7 and is delta as well, K = 4 + ln(H)/2."""
    return RareNoise(
        horizon, alpha=f"{horizon**-7.0:.0e}", episodes=4 + math.ceil(math.log(horizon) / 2)
    )


class Facts(NamedTuple):
    """Balls: what the proof needs of an instance."""

    regulariser: arb  #: lambda
    known: arb  #: V_11 in the last episode
    radius: arb  #: beta_K
    slack: arb  #: beta_K^2 less the squared distance of Theta_0 from the centre
    chance: arb  #: p
    away: arb  #: bound of the distance of every choice from Theta_0
    admissible: bool  #: Assumption 1, the good event, and u = 0 in the episodes before the last


@cache
def regulariser(instance: RareNoise) -> str:
    """lambda of an instance."""
    return edge_regulariser(
        instance.a, instance.noise, instance.alpha, 2, instance.horizon, instance.episodes
    )


def edge_regulariser(
    a: str, bound: str, alpha: str, states: int, horizon: int, episodes: int
) -> str:
    """lambda: the root of beta_K^2 = V_11 a^2 where the centre is 1, rounded to the side where the
    set holds Theta_0; ``bound`` is C_w. The numbers are decimals in words, of 100 digits or fewer.
    """
    with mp.workdps(BITS // 4):
        largest, noise, level = mp.mpf(a), mp.mpf(bound), mp.mpf(alpha)
        gram = (episodes - 1) * (1 - largest ** (2 * horizon)) / (1 - largest**2)

        def gap(lam: mp.mpf) -> mp.mpf:
            inside = 2 * mp.log(2 / level) + states * mp.log(1 + gram / lam)
            beta = noise * mp.sqrt(inside) + mp.sqrt(lam) * (1 + mp.sqrt(largest**2 + 1))
            return beta**2 - (gram + lam) * largest**2

        low, high = mp.mpf("0.02"), mp.mpf(4)
        for _ in range(BITS // 2):
            middle = (low + high) / 2
            low, high = (low, middle) if gap(middle) > 0 else (middle, high)
        return str(mp.nstr(high, BITS // 5))


def facts(instance: RareNoise) -> Facts:
    """The instance in balls of ``BITS`` bits."""
    with precision(BITS):
        one, horizon = arb(1), arb(instance.horizon)
        a, noise, alpha = (arb(text) for text in instance[1:4])
        centre, lam = arb(instance.centre), arb(regulariser(instance))
        each = (one - a ** (2 * instance.horizon)) / (one - a * a)  # of one episode without noise
        nu = lam.sqrt() * (a * a + centre**2).sqrt()

        def beta(gram: arb) -> arb:
            inside = 2 * (2 / alpha).log() + 2 * (one + gram / lam).log()
            return noise * inside.sqrt() + lam.sqrt() + nu

        gram = (instance.episodes - 1) * each
        known, radius = gram + lam, beta(gram)
        slack = radius**2 - known * a**2 - lam * (one - centre) ** 2
        # |A e_1| of every choice
        reach = lam / (32 * a * known * horizon**2) * arb(instance.rarity).sqrt()
        chance = reach**2 / (2 * noise**2 * (horizon - 1))
        away = (reach**2 + (slack + 2 * a * known * reach) / lam).sqrt()
        control = arb("0.03")  # both entries of B*
        gamma_b = (2 * control**2).sqrt()
        earlier = [
            (k * each * a) ** 2 / (k * each + lam) < beta(k * each) ** 2
            for k in range(instance.episodes - 1)
        ]
        admissible = (
            bool(a + gamma_b + noise <= 1)  # gamma = 1
            and bool(lam * (centre**2 + 2 * control**2) <= radius**2)
            and all(bool(holds) for holds in earlier)
            and bool(chance < arb("0.01"))
        )
        return Facts(lam, known, radius, slack, chance, away, admissible)


class Sum(NamedTuple):
    """The second sum of lemma-7 on an event, rounded against the claim."""

    least: float  #: lower bound of |sum of Delta'|
    riccati: float  #: lower bound of (P~_2)_22 / (H - 1) for every choice of the last episode
    probability: float  #: lower bound of the event's
    order: float  #: sqrt(K H ln(2/delta)) at delta = alpha


def noise_in_words(instance: RareNoise) -> str:
    """w_1, for a witness."""
    chance = downwards(float(facts(instance).chance.lower()), 3)  # the proof allows no more
    return f"+-{instance.noise} e_2 with probability {chance:g} together, else 0"


def last_regulariser_in_words(a: str, centre: str) -> str:
    """L_K, which moves the centre of the last set, for a witness."""
    return f"lambda diag({a}, {centre}) in the first two rows and columns, else 0"


def second_sum(instance: RareNoise) -> Sum:
    """The event: no noise before the last episode, and in its first step the noise of the sign
    that does not lower the sum."""
    values = facts(instance)
    with precision(BITS):
        steps = arb(instance.horizon - 1)
        noise = arb(instance.noise)
        share = 1 / (1 + values.away * steps) ** 2
        least = noise**2 * (share * steps * (1 - values.chance))
        least -= (instance.episodes - 1) * values.chance * noise**2
        probability = (1 - values.chance) ** (instance.episodes - 1) * values.chance / 2
        order = (instance.episodes * instance.horizon * (2 / arb(instance.alpha)).log()).sqrt()
        return Sum(
            float(least.lower()),
            float(share.lower()),
            float(probability.lower()),
            float(order.upper()),
        )


def lasts(instance: RareNoise) -> bool:
    """Whether every step of the proof holds, so that (P~_2)_22 is of order H for every choice."""
    values = facts(instance)
    within = bool(values.slack >= 0) and bool(values.away * 2 * instance.horizon <= 1)
    return values.admissible and within and second_sum(instance).least > 0


def breaks(instance: RareNoise, constant: float) -> bool:
    """Whether :func:`lasts`, and the second sum exceeds ``constant`` sqrt(K H ln(2/delta)) with a
    probability above 2 delta, where delta is the alpha of the confidence sets."""
    outcome = second_sum(instance)
    likely = outcome.probability > 2 * float(instance.alpha)
    return likely and lasts(instance) and outcome.least > constant * outcome.order


def first_horizon(constant: float) -> int:
    """The least power of two from which on :func:`breaks` for ``constant``."""
    exponent = 2
    while not breaks(one_level(2**exponent), constant):
        exponent += 1
        if exponent > 60:
            raise ValueError(f"a horizon must exceed the constant, got constant={constant}")
    return 1 << exponent


def drawn_choices(instance: RareNoise, tries: int, seed: int) -> tuple[int, float]:
    """A second road, by drawing: how many members of the last set and of S are at most as dear as
    Theta_0, and the least of their (P_2)_22/(H - 1).

    Members are Theta_0 plus a drawn matrix of a size drawn on a logarithmic scale; the cost is by
    the recursion (4).
    """
    values, rng = facts(instance), np.random.default_rng(seed)
    lam, known, square, chance = (
        float(value.mid())
        for value in (values.regulariser, values.known, values.radius**2, values.chance)
    )
    a, noise, centre = float(instance.a), float(instance.noise), float(instance.centre)
    middle = np.array([[a, 0.0], [0.0, centre], [0.0, 0.0]])
    start = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    weights = np.array([known, lam, lam])[:, None]
    limit = _excess(start, instance.horizon) + chance * noise**2 * (instance.horizon - 1)
    cheap, least = 0, 1.0
    for _ in range(tries):
        theta = start + rng.standard_normal((3, 2)) * 10 ** rng.uniform(-14, 0.3, (3, 2))
        if float((theta**2).sum()) > 1 or float((weights * (theta - middle) ** 2).sum()) > square:
            continue
        value = array_riccati(theta[:2].T, theta[2:].T, np.eye(2), np.eye(1), instance.horizon - 1)[
            0
        ][1, 1]
        if _excess(theta, instance.horizon) + chance * noise**2 * value <= limit:
            cheap, least = cheap + 1, min(least, float(value) / (instance.horizon - 1))
    return cheap, least


def _excess(theta: FloatArray, horizon: int) -> float:
    """(P_1)_11 - 1, without the cancellation: the part A'(..)A of the recursion."""
    a, b = theta[:2].T, theta[2:].T
    p = array_riccati(a, b, np.eye(2), np.eye(1), horizon - 1)[0]
    column = a[:, 0]
    inner = float(1 + (b.T @ p @ b)[0, 0])
    return float(column @ p @ column - (b.T @ p @ column)[0] ** 2 / inner)


def growing_choice() -> Records:
    """The record of lemma-3."""
    rare = RareNoise(1000)
    share = second_sum(rare).riccati
    yield Trial(
        lasts,
        at=rare,
        mutant_at=[rare._replace(rarity=1e4), rare._replace(centre="0.5")],
        mutant="A noise ten thousand times as frequent; a centre of 1/2.",
    ).fails(
        "reading: the optimistic choice, two states and rare noise",
        Rigor.COUNTEREXAMPLE,
        statement=r"On the good event $\|\tilde P_2\|$ of the choice (9) does not grow with $H$, "
        r"whatever the noise, as with one state.",
        domain="$n = 2$, the choice over the closed ball (equation-9), a noise whose variance "
        "falls like $H^{-5}$, regularisers that move the centre of one set.",
        evidence="A direction that the noise hardly excites is hardly paid for, and the set "
        "just holds a system that lasts in it.",
        witness=Witness(
            {
                "n": 2,
                "d": 1,
                "K": 3,
                "H": 1000,
                "A*": "diag(3/4, 0)",
                "B*": "(0.03, 0.03)",
                "Q, R": "I, 1",
                "x_1": "e_1",
                "C_w": float(rare.noise),
                "H_k": f"{regulariser(rare)[:6]}.. I",
                "alpha": float(rare.alpha),
                "w_1": noise_in_words(rare),
                "L_K": last_regulariser_in_words(rare.a, rare.centre),
            },
            ("|P~_2| with one state would be at most 1/(1 - C_A^2) =", 1 / (1 - 0.75**2)),
            ("it is at least", share * 999),
        ),
        basis=Basis(
            proof="Two states and a rare noise",
            uses=("chowdhury2021/lemma-3", "chowdhury2021/equation-9: corrected"),
        ),
    )
