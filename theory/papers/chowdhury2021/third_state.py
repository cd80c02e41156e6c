"""chowdhury2021: three states and a path on which the third sum of the regret proof is of order H^2
(lemma-8, read as it is printed: on every path of the good event).

n = 3, d = 1, Q = I, R = 1, x_1 = e_1, A* = a e_1 e_1' + s e_2 e_3', B* = b (1, 1, 1). The noise of
every step is +-c (e_3 - s e_2) with probability p and 0 otherwise. H_k = lambda I; L_k = 0 but in
the last of K episodes, where it moves the centre of the set to 1 in the entry of e_2. lambda is
such that the last set just holds Theta_0, A = e_2 e_2', B = 0. On the path the noise comes at every
step of the last episode with the same sign: the third state is c, it feeds s c into the second, and
the noise takes s c away. The choice believes in a second state that lasts, and there is none. The
proof stands in proofs.md, "Three states and a path".

The mean over an episode is another matter: it is J_1 - J~_1, at most of order H.
"""

import math
from functools import cache
from typing import NamedTuple

import mpmath as mp
import numpy as np
from flint import arb

from privrl.types import FloatArray
from theory.claim import Basis, Record, Rigor, Severity, Trial, Witness
from theory.formulas import downwards
from theory.papers.chowdhury2021 import rare_noise
from theory.papers.chowdhury2021.system import array_riccati
from theory.rigor.balls import precision

BITS = 400


class ThirdState(NamedTuple):
    """What decides the instance: ``rarity`` times the largest p that the proof allows."""

    horizon: int
    a: str = "0.75"
    feed: str = "0.65"  #: s, what the third state adds to the second
    noise: str = "0.19"  #: c; C_w = c sqrt(1 + s^2)
    control: str = "0.01"  #: b
    alpha: str = "0.1"
    episodes: int = 3
    rarity: float = 1.0
    centre: str = "1"  #: of the entry of e_2 in the last set


class PathFacts(NamedTuple):
    """Balls: what the proof needs of an instance."""

    regulariser: arb  #: lambda
    known: arb  #: V_11 in the last episode
    radius: arb  #: beta_K
    slack: arb  #: beta_K^2 less the squared distance of Theta_0 from the centre
    reach: arb  #: bound of |A~ e_1| of every choice
    chance: arb  #: p
    away: arb  #: bound of the distance of every choice from Theta_0
    admissible: bool  #: Assumption 1, the good event, and u = 0 in the episodes before the last


@cache
def regulariser(instance: ThirdState) -> str:
    """lambda of an instance."""
    with mp.workdps(BITS // 4):
        bound = mp.mpf(instance.noise) * mp.sqrt(1 + mp.mpf(instance.feed) ** 2)
        return rare_noise.edge_regulariser(
            instance.a,
            str(bound),
            instance.alpha,
            3,
            instance.horizon,
            instance.episodes,
        )


def path_facts(instance: ThirdState) -> PathFacts:
    """The instance in balls of ``BITS`` bits."""
    with precision(BITS):
        one, horizon = arb(1), arb(instance.horizon)
        a, feed, noise, control, alpha = (arb(text) for text in instance[1:6])
        centre, lam = arb(instance.centre), arb(regulariser(instance))
        each = (one - a ** (2 * instance.horizon)) / (one - a * a)  # of one episode without noise
        bound = noise * (one + feed**2).sqrt()  # C_w
        nu = lam.sqrt() * (a * a + centre**2).sqrt()

        def beta(gram: arb) -> arb:
            inside = 2 * (2 / alpha).log() + 3 * (one + gram / lam).log()
            return bound * inside.sqrt() + lam.sqrt() + nu

        gram = (instance.episodes - 1) * each
        known, radius = gram + lam, beta(gram)
        slack = radius**2 - known * a**2 - lam * (one - centre) ** 2
        reach = lam / (32 * a * known * horizon**3) * arb(instance.rarity).sqrt()
        chance = reach**2 / (noise**2 * feed**2 * (horizon - 1) * (horizon - 2))
        away = (reach**2 + (slack + 2 * a * known * reach) / lam).sqrt()
        earlier = [
            (k * each * a) ** 2 / (k * each + lam) < beta(k * each) ** 2
            for k in range(instance.episodes - 1)
        ]
        admissible = (
            bool(a + (3 * control**2).sqrt() + bound <= 1)  # gamma = 1
            and bool(feed <= a)  # so that ||A*|| = a
            and bool(a**2 + feed**2 + 3 * control**2 <= 1)
            and bool(lam * (centre**2 + feed**2 + 3 * control**2) <= radius**2)
            and all(bool(holds) for holds in earlier)
            and bool(chance < arb("0.01"))
            and bool(away * horizon <= 1)  # gains of every choice within gamma
        )
        return PathFacts(lam, known, radius, slack, reach, chance, away, admissible)


class PathSum(NamedTuple):
    """The third sum of lemma-8 on the path, rounded against the claim."""

    least: float  #: lower bound of the sum of Delta'' over all episodes
    order: float  #: upper bound of H sqrt(K) beta_K (ln det ratio)^(1/2), all episodes in G


def third_sum(instance: ThirdState) -> PathSum:
    """Steps 4 to 6 of the proof: what the second state is believed to cost, less what is lost."""
    values = path_facts(instance)
    with precision(BITS):
        horizon = arb(instance.horizon)
        feed, noise, control = (
            arb(text) for text in (instance.feed, instance.noise, instance.control)
        )
        away, fed = values.away, feed * noise  # s c
        loop = away * horizon
        most = loop * (fed + away) / (1 - 2 * control * loop)  # |u_h|
        drift = 2 * control * most  # |x_2| from h = 3 on
        share = 1 / (1 + loop) ** 2
        least = (fed - drift) ** 2 * share * (horizon - 1) * (horizon - 2) / 2
        least -= 2 * horizon**2 * (values.reach + away * control * most) * (fed + drift)
        least -= horizon * (values.reach + away * most) ** 2
        least -= horizon * (fed + control * most + 2 * away) ** 2
        least -= horizon**2 * (drift + 2 * away) ** 2
        a, lam, episodes = arb(instance.a), values.regulariser, instance.episodes
        gram = (
            (episodes + 1) / (1 - a**2) + 2 * horizon * (control * most / (1 - a)) ** 2,
            (fed + control * most) ** 2 + horizon * drift**2,
            horizon * (noise + control * most) ** 2,
            horizon * most**2,
        )
        ratio = sum(((1 + entry / lam).log() for entry in gram), arb(0))  # Hadamard
        order = horizon * arb(episodes).sqrt() * values.radius * ratio.sqrt()
        return PathSum(float(least.lower()), float(order.upper()))


def exceeds_order(instance: ThirdState, constant: float) -> bool:
    """Whether every step of the proof holds, and the third sum exceeds ``constant`` times the
    order of lemma-8."""
    values = path_facts(instance)
    if not (values.admissible and bool(values.slack >= 0)):
        return False
    outcome = third_sum(instance)
    return outcome.least > constant * outcome.order


@cache
def first_exceeding(constant: float) -> int:
    """The least power of two from which on :func:`exceeds_order` for ``constant``."""
    exponent = 3
    while not exceeds_order(ThirdState(2**exponent), constant):
        exponent += 1
        if exponent > 40:
            raise ValueError(f"a horizon must exceed the constant, got constant={constant}")
    return 1 << exponent


def matrices(instance: ThirdState) -> tuple[FloatArray, FloatArray]:
    """A* (3, 3) and B* (3, 1)."""
    a = np.zeros((3, 3))
    a[0, 0], a[1, 2] = float(instance.a), float(instance.feed)
    return a, np.full((3, 1), float(instance.control))


def played_sum(instance: ThirdState, theta: FloatArray) -> float:
    """The sum of Delta'' over the last episode on the path when ``theta`` (4, 3) is the choice, by
    playing it: a second road, which knows nothing of the proof's bounds."""
    true_a, true_b = matrices(instance)
    a, b = theta[:3].T, theta[3:].T
    values = array_riccati(a, b, np.eye(3), np.eye(1), instance.horizon)
    feed, noise = float(instance.feed), float(instance.noise)
    shock, x, total = noise * np.array([0.0, -feed, 1.0]), np.array([1.0, 0.0, 0.0]), 0.0
    for step in range(instance.horizon):
        p = values[step + 1]
        u = -np.linalg.solve(np.eye(1) + b.T @ p @ b, b.T @ p @ a @ x)
        known, guessed = true_a @ x + true_b @ u, a @ x + b @ u
        total += float(known @ p @ known - guessed @ p @ guessed)
        x = known + shock
    return total


THETA_0 = np.zeros((4, 3))
THETA_0[1, 1] = 1.0


def path_excess(theta: FloatArray, horizon: int) -> float:
    """(P_1)_11 - 1, without the cancellation: the part A'(..)A of the recursion."""
    a, b = theta[:3].T, theta[3:].T
    p = array_riccati(a, b, np.eye(3), np.eye(1), horizon - 1)[0]
    column = a[:, 0]
    inner = float(1 + (b.T @ p @ b)[0, 0])
    return float(column @ p @ column - (b.T @ p @ column)[0] ** 2 / inner)


def drawn_sums(instance: ThirdState, tries: int, seed: int) -> tuple[int, float]:
    """A second road, by drawing: how many members of the last set and of S are at most as dear as
    Theta_0, and the least of their sums of Delta'' on the path.

    Members are Theta_0 plus a drawn matrix whose entries have sizes drawn on a logarithmic scale,
    up to ten times what the proof leaves, and now and then up to 2.
    """
    values, rng = path_facts(instance), np.random.default_rng(seed)
    lam, known, square, chance = (
        float(value.mid())
        for value in (values.regulariser, values.known, values.radius**2, values.chance)
    )
    feed, noise, H = float(instance.feed), float(instance.noise), instance.horizon
    middle = np.zeros((4, 3))
    middle[0, 0], middle[1, 1] = float(instance.a), float(instance.centre)
    weights = np.array([known, lam, lam, lam])[:, None]
    shock = noise * np.array([0.0, -feed, 1.0])

    def dear(theta: FloatArray) -> float:
        later = array_riccati(theta[:3].T, theta[3:].T, np.eye(3), np.eye(1), H)[1:H]
        extra = sum(float(shock @ p @ shock - shock @ shock) for p in later)
        return path_excess(theta, H) + chance * extra

    limit, cheap, least = dear(THETA_0), 0, math.inf
    left = np.full((4, 3), float(values.away.mid()))
    left[0] = float(values.reach.mid())
    for _ in range(tries):
        top = np.where(rng.random((4, 3)) < 0.05, 0.3, np.log10(10 * left))
        moved = rng.standard_normal((4, 3)) * 10 ** rng.uniform(-14, top)
        moved[0, 0], moved[1, 1] = abs(moved[0, 0]), -abs(moved[1, 1])  # else outside of either set
        theta = THETA_0 + moved
        if float((theta**2).sum()) > 1 or float((weights * (theta - middle) ** 2).sum()) > square:
            continue
        if dear(theta) <= limit:
            cheap, least = cheap + 1, min(least, played_sum(instance, theta))
    return cheap, least


def path_record() -> Record:
    """The record of lemma-8 as it is printed."""
    first = first_exceeding(1.0)
    instance = ThirdState(first)
    outcome = third_sum(instance)
    return Trial(
        lambda case: exceeds_order(case, 1.0),
        at=instance,
        mutant_at=[
            ThirdState(first // 2),
            instance._replace(rarity=1e10),
            instance._replace(centre="0.5"),
            instance._replace(feed="0.01"),
        ],
        mutant="Half of that $H$; a noise $10^{10}$ times as frequent; a centre of 1/2; a "
        "third state that adds a hundredth to the second.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"Under Assumption 1 and on the good event $\sum \Delta'' = "
        r"O(H\sqrt{K}\beta_K(\ln\det\text{ ratio})^{1/2})$ on every path, the constant free of "
        r"$H$.",
        domain="With the norms of lemma-2, $k$ and $G$ read as in claim-2 and the choice over the "
        "closed ball (equation-9); regularisers that move the centre of the last set, as "
        r"Assumption 2 allows; a noise whose variance falls like $H^{-8}$. Open for $n = 2$.",
        evidence="On the path the noise comes at every step of the last episode: a third state "
        "adds to the second, and the noise takes it away. Every choice believes that the second "
        "state lasts, so that each step adds order $H$ to the sum (balls). The path has a "
        "probability below every power of $1/H$.",
        severity=Severity.DOMAIN,
        witness=Witness(
            {
                "n": 3,
                "d": 1,
                "K": instance.episodes,
                "H": first,
                "A*": f"{instance.a} e_1 e_1' + {instance.feed} e_2 e_3'",
                "B*": f"{instance.control} (1, 1, 1)",
                "Q, R": "I, 1",
                "x_1": "e_1",
                "w": f"+-{instance.noise} (e_3 - {instance.feed} e_2) with probability "
                f"{downwards(float(path_facts(instance).chance.lower()), 3):g} together, else 0",
                "L_K": rare_noise.last_regulariser_in_words(instance.a, instance.centre),
                "gamma": 1,
                "C_w": f"{instance.noise} (1 + {instance.feed}^2)^(1/2)",
                "H_k": f"{regulariser(instance)[:6]}.. I",
                "alpha": float(instance.alpha),
            },
            ("the sum is at most H sqrt(K) beta_K (ln det ratio)^(1/2) =", outcome.order),
            ("on a path it is at least", outcome.least),
            "for this H with the constant 1, for every constant as H grows",
        ),
        basis=Basis(
            proof="Three states and a path",
            uses=("chowdhury2021/lemma-3", "chowdhury2021/equation-9: corrected"),
        ),
    )
