r"""chowdhury2021, two states, a constant covariance of rank 1: a search for optimistic pairs whose
sum of squares of P~_h w over an episode is large (part of lemma-3, what is open for n = 2).

The set of (9) is convex, but for its controllability, and on the good event it holds Theta*. So
the cost of a choice does not fall along the segment from it to Theta*. The search compares pairs
of which only the ends are compared (optimism) with those that meet this on a grid of the segment:
n = 2, d = 1, Q = I, R = 1, w = +-e_1 at every step, ||A*|| <= 1/2, both systems in S.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from privrl.types import FloatArray, IntArray
from theory.claim import Basis, Records, Rigor, Trial
from theory.papers.chowdhury2021.system import array_riccati

MOST = 0.5  # C_A
ENDS, SEGMENT = (1.0,), (0.02, 0.1, 0.3, 0.6, 1.0)  # shares of the way to Theta*
KEPT, GENERATIONS = 300, 40
HORIZONS = (8, 64)


class Pairs(NamedTuple):
    """Optimistic pairs, a row each: (a_11, a_12, a_21, a_22, b_1, b_2), x+ = A x + B u."""

    chosen: FloatArray  #: (pairs, 6)
    true: FloatArray  #: (pairs, 6)
    start: FloatArray  #: (pairs, 2), x_1

    def rows(self, index: IntArray) -> "Pairs":
        return Pairs(*(array[index] for array in self))


class SegmentSearch(NamedTuple):
    """What was found at one horizon."""

    pairs: int  #: drawn pairs that meet the premise
    drawn: float  #: the largest sum over H among them
    climbed: float  #: the same after steps uphill from the largest


def costs(theta: FloatArray, horizon: int, start: FloatArray) -> tuple[FloatArray, FloatArray]:
    """J_1 and the sum of ||P_h w||^2 over h = 2..H, over H, by the recursion (4) for all rows."""
    a, b, c, d, e, f = theta.T
    p, q, r = np.ones_like(a), np.zeros_like(a), np.ones_like(a)
    cost, squares = np.zeros_like(a), np.zeros_like(a)
    for _ in range(1, horizon):
        cost += p
        squares += p * p + q * q
        left, right = (p * a + q * c, p * b + q * d), (q * a + r * c, q * b + r * d)  # P A
        gain = [e * top + f * low for top, low in zip(left, right, strict=True)]  # B' P A
        inner = 1 + e * (p * e + q * f) + f * (q * e + r * f)
        p, q, r = (
            1 + a * left[0] + c * right[0] - gain[0] ** 2 / inner,
            a * left[1] + c * right[1] - gain[0] * gain[1] / inner,
            1 + b * left[1] + d * right[1] - gain[1] ** 2 / inner,
        )
    x, y = start.T
    return cost + x**2 * p + 2 * x * y * q + y**2 * r, squares / horizon


def within(theta: FloatArray, most: float) -> FloatArray:
    """The rows scaled into S, and A to a norm of at most ``most``."""
    scaled = theta.copy()
    norms = np.linalg.norm(theta[:, :4].reshape(-1, 2, 2), 2, axis=(1, 2))
    scaled[:, :4] *= np.minimum(1, most / np.maximum(norms, 1e-12))[:, None]
    return np.asarray(scaled / np.maximum(1, np.linalg.norm(scaled, axis=1))[:, None])


def draw(rng: np.random.Generator, size: int) -> Pairs:
    """Choices with a direction that lasts, which the noise hardly excites, and any true systems."""

    def wide(low: float, *shape: int) -> FloatArray:
        return np.asarray(rng.choice([-1, 1], shape) * 10 ** rng.uniform(low, 0, shape))

    chosen = wide(-4, size, 6)
    chosen[:, 3] = 1 - 10 ** rng.uniform(-4, 0, size)
    true = rng.standard_normal((size, 6)) * 10 ** rng.uniform(-2, 0.5, (size, 6))
    start = rng.standard_normal((size, 2)) * rng.integers(0, 2, (size, 1))
    start /= np.maximum(1, np.linalg.norm(start, axis=1))[:, None]
    return Pairs(within(chosen, 1.0), within(true, MOST), start)


def uphill(rng: np.random.Generator, pairs: Pairs) -> Pairs:
    """Pairs near these."""
    size = len(pairs.start)
    chosen, true, start = (array.copy() for array in pairs)
    for theta, widest in ((chosen, -0.5), (true, 0.0)):
        moved = (rng.random((size, 6)) < 0.4) * 10 ** rng.uniform(-4, widest, (size, 1))
        np.add(theta, moved * rng.standard_normal((size, 6)), out=theta)
    start += (rng.random((size, 1)) < 0.3) * 0.2 * rng.standard_normal((size, 2))
    start /= np.maximum(1, np.linalg.norm(start, axis=1))[:, None]
    return Pairs(within(chosen, 1.0), within(true, MOST), start)


def meet(pairs: Pairs, horizon: int, shares: tuple[float, ...]) -> tuple[IntArray, FloatArray]:
    """Which rows cost at least as much at these shares of the segment as at the choice, and their
    sums."""
    cost, squares = costs(pairs.chosen, horizon, pairs.start)
    rows = np.arange(len(cost))
    for share in shares:
        at = pairs.rows(rows)
        further = costs(at.chosen + share * (at.true - at.chosen), horizon, at.start)[0]
        rows = rows[further >= cost[rows]]
    return rows, squares[rows]


@cache
def search(
    horizon: int, shares: tuple[float, ...], size: int = 150_000, seed: int = 2
) -> SegmentSearch:
    """Draw pairs that meet the premise, then go uphill from the largest sums."""
    rng = np.random.default_rng(seed)
    pairs = draw(rng, size)
    rows, squares = meet(pairs, horizon, shares)
    drawn, best = float(squares.max()), np.argsort(-squares)[:KEPT]
    pairs, squares, met = pairs.rows(rows[best]), squares[best], len(rows)
    for _ in range(GENERATIONS):
        tried = uphill(rng, pairs.rows(np.tile(np.arange(len(squares)), 2)))
        rows, higher = meet(tried, horizon, shares)
        joined = [np.concatenate(both) for both in zip(pairs, tried.rows(rows), strict=True)]
        squares = np.concatenate([squares, higher])
        best = np.argsort(-squares)[:KEPT]
        pairs, squares = Pairs(*joined).rows(best), squares[best]
    return SegmentSearch(met, drawn, float(squares[0]))


def range_keeps(slack: float) -> bool:
    """The same from states in the range of a singular covariance: w'P(2 tau)w <= (1 + slack
    ||Q||/lambda_min(Q)) times
    the largest v'P(tau)v over unit v of the range, for unit w of it, which steers A where it
    wants."""
    rng = np.random.default_rng(13)
    for _ in range(300):
        n, tau = int(rng.integers(2, 5)), int(rng.integers(1, 20))
        drawn = rng.standard_normal((n + 1, n)) * rng.uniform(0, 1, (1, n)) ** 2
        if rng.random() < 0.5:  # the range feeds a direction that lasts
            drawn = np.vstack([np.diag(rng.uniform(0, 1, n)), 1e-3 * np.ones((1, n))])
        drawn /= max(1.0, float(np.linalg.norm(drawn)))
        q = np.diag(10 ** rng.uniform(-1, 0, n))
        values = array_riccati(
            drawn[:n].T, drawn[n:].T, q, 10 ** rng.uniform(-2, 0) * np.eye(1), 2 * tau
        )
        basis = np.linalg.qr(rng.standard_normal((n, int(rng.integers(1, n)))))[0]
        long, short = (float(np.linalg.norm(basis.T @ values[k] @ basis, 2)) for k in (0, tau))
        if long > (1 + slack * q.max() / q.diagonal().min()) * short * (1 + 1e-9):
            return False
    return True


def singular_covariance() -> Records:
    """The record of lemma-3, with what the search outcome."""
    yield Trial(
        range_keeps,
        at=2.0,
        mutant_at=0.05,
        mutant=r"0.05 in place of the 2 before $\|Q\|$ in $D_\Pi$, on drawn systems.",
        scale=lambda c: 2 * c,
    ).holds(
        "reading: the optimistic choice, a constant singular covariance",
        Rigor.DERIVED,
        statement=r"On the good event, if $\mathrm{Cov}\,w_h \ge \sigma^2\Pi$ at every step, "
        r"$\Pi$ the projection on "
        r"the range of the noise, $w^\top\tilde P_h w \le D_\Pi\|w\|^2$ for $w$ in that range and "
        r"$h \ge 2$, $D_\Pi$ "
        r"the bound of the record above. Given lemma-2 the second sum of lemma-7 then is "
        r"$O(H\sqrt{K\ln(2/\delta)})$.",
        domain=r"Every $n$, $d$, $H \ge 2$, $R$. Whether $\sqrt{KH}$ holds there is open, and so "
        "is the third sum.",
        evidence="The proof of the record above, with starts in the range.",
        basis=Basis(
            proof="The optimistic choice keeps D free of H",
            uses=("chowdhury2021/lemma-3", "chowdhury2021/equation-9: corrected"),
        ),
    )
