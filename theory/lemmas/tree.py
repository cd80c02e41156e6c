"""The binary mechanism of vietri2020/algorithm-5: its blocks, and the exact law of its largest
error.

Releases are numbered 1..R. The node drawn at time s covers the items s - lowbit(s) < i <= s; the
release at time t adds the nodes that make up t in binary. So an item lies in the nodes t, t +
lowbit(t), ... up to R (the update path of a Fenwick tree), and a release at time t carries
popcount(t) independent noises.

Laplace noise is measured in units of its scale. The law of the largest error over all releases is
computed in two ways that share only the recursion below:

- :func:`tail`: panels of Gauss-Legendre nodes, in complements so that small probabilities keep
  their digits;
- :func:`tail_ball`: closed form (sums of u^n e^(cu)) in ball arithmetic, for few releases: a
  certificate.

The recursion: let G_k(u) be the probability that the releases at the first 2^k - 1 times of a block
stay within [-x, x] when the noises of the nodes above add up to u. A block is its left half, the
node that closes it, and the right half on top of that node, so with the Laplace density f: G_0 = 1
and G_{k+1}(u) = G_k(u) B[G_k](u), where B[g](u) = integral of f(v) g(u + v) over |u + v| <= x.
Other numbers of releases go along their binary digits.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product, zip_longest
from math import exp, factorial, log

import numpy as np
import z3
from flint import arb, arb_poly
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.signal import lfilter

from privrl.checks import count, positive, probability, require
from privrl.types import FloatArray
from theory.rigor.balls import precision
from theory.rigor.smt import Proof

PolyExp = dict[int, arb_poly]  # c -> polynomial in u that e^(cu) is multiplied by


def levels(releases: int) -> int:
    """Largest number of nodes that an item lies in, and of nodes in one release: floor(log2 R) +
    1."""
    return count("releases", releases).bit_length()


def lowbit(time: int) -> int:
    """The lowest set bit: the length of the block whose node is drawn at this time."""
    return time & -time


def live_nodes(time: int) -> tuple[int, ...]:
    """The times at which the nodes of the release at ``time`` were drawn; their blocks partition
    1..time."""
    nodes, remaining = [], count("time", time)
    while remaining:
        nodes.append(remaining)
        remaining -= lowbit(remaining)
    return tuple(nodes)


def touched(time: int, releases: int) -> tuple[int, ...]:
    """The nodes that the item of ``time`` lies in, of those drawn up to the last release."""
    nodes, node, last = [], count("time", time), count("releases", releases)
    while node <= last:
        nodes.append(node)
        node += lowbit(node)
    return tuple(nodes)


@cache
def lengths_differ(gap: int = 1, bits: int = 64) -> bool:
    """z3, for all times up to 2^(bits - 2): of two nodes that contain the same item the later is
    more than ``gap`` times as long. So an item lies in at most levels(R) nodes, as lengths are
    powers of two."""
    item, first, second = z3.BitVecs("item first second", bits)

    def contains(end: z3.BitVecRef) -> z3.BoolRef:
        return z3.And(z3.ULT(end - (end & -end), item), z3.ULE(item, end))

    later = z3.And(z3.ULT(first, second), z3.ULE(second, 1 << (bits - 2)))
    nodes = Proof(z3.UGE(item, 1), contains(first), contains(second), later)
    return nodes.shows(z3.ULT(gap * (first & -first), second & -second))


@cache
def shift_costs(bound: int = 1) -> bool:
    """z3: moving a Laplace variable by 1 changes |z| by at most ``bound``, and by 1 for every z >=
    1."""
    z = z3.Real("z")
    size, moved = z3.If(z >= 0, z, -z), z3.If(z >= 1, z - 1, 1 - z)
    change = size - moved
    return Proof().shows(z3.And(change <= bound, -change <= bound)) and Proof(z >= 1).shows(
        change == 1
    )


@cache
def sum_tail(noises: int) -> tuple[Fraction, ...]:
    """Coefficients, constant first, of p with P(|X_1 + ... + X_k| > x) = e^(-x) p(x) for k unit
    Laplace variables; all >= 0.

    The density of the sum is e^(-x) sum_j (k-1+j)! / ((k-1-j)! j! 2^j) x^(k-1-j) / ((k-1)! 2^k) at
    x >= 0 (partial fractions of (1 - s^2)^(-k)), and the integral of x^m e^(-x) beyond x is e^(-x)
    sum_i m!/i! x^i."""
    k = count("noises", noises)
    coefficients = [Fraction(0)] * k
    for j in range(k):
        power = k - 1 - j
        weight = Fraction(
            2 * factorial(k - 1 + j),
            factorial(power) * factorial(j) * 2**j * factorial(k - 1) * 2**k,
        )
        for i in range(power + 1):
            coefficients[i] += weight * Fraction(factorial(power), factorial(i))
    return tuple(coefficients)


def union_tail(releases: int) -> tuple[Fraction, ...]:
    """Coefficients of p with: the sum over t <= R of P(|noise of release t| > x) equals e^(-x)
    p(x)."""
    tails = [sum_tail(time.bit_count()) for time in range(1, count("releases", releases) + 1)]
    return tuple(sum(column, Fraction(0)) for column in zip_longest(*tails, fillvalue=Fraction(0)))


# Gauss-Legendre nodes in a panel of length at most one: the functions are entire, and sums of
# e^(cu)
POINTS = 12


@lru_cache(maxsize=64)
def _panel(width: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes in [0, width] and the matrices g -> integral of e^(s - u)/2 g(s) ds, up to each node
    and over all."""
    node, _ = leggauss(POINTS)
    fine, weight = leggauss(2 * POINTS)
    nodes = (node + 1) * width / 2
    barycentric = np.array([1 / np.prod(np.delete(nodes[j] - nodes, j)) for j in range(POINTS)])

    def upto(end: float) -> FloatArray:
        points = (fine + 1) * end / 2
        ratio = barycentric / (points[:, None] - nodes)
        lagrange = ratio / ratio.sum(axis=1, keepdims=True)
        return np.asarray((weight * end / 2 * 0.5 * np.exp(points - end)) @ lagrange)

    return nodes, np.array([upto(end) for end in nodes]), upto(width)


class _Blur:
    """B of the module's docstring on [-x, x], for even functions given at the panels' nodes and at
    zero."""

    def __init__(self, x: float) -> None:
        self.half = max(1, int(np.ceil(x)))  # panels on each side of zero
        self.width = x / self.half
        nodes, self.inner, self.whole = _panel(self.width)
        starts = -x + self.width * np.arange(2 * self.half)
        self.points = starts[:, None] + nodes  # (panels, POINTS)
        self.nodes = nodes
        # mass that leaves [-x, x]
        self.lost = 0.5 * (np.exp(self.points - x) + np.exp(-self.points - x))
        self.lost_at_zero = exp(-x)

    def __call__(self, values: FloatArray) -> tuple[FloatArray, float]:
        """B[g] at the nodes and at zero, for g even."""
        # integral up to each panel's end
        ends = lfilter([1.0], [1.0, -exp(-self.width)], values @ self.whole)
        starts = np.concatenate([[0.0], ends[:-1]])
        convolved = starts[:, None] * np.exp(-self.nodes) + values @ self.inner.T
        return convolved + convolved[::-1, ::-1], 2 * float(starts[self.half])


def tail(x: float, releases: int) -> float:
    """P(the largest |noise| over releases 1..R exceeds x), unit scale; about twelve digits, of
    small values too.

    Written in complements: with g' = 1 - g, 1 - B[g] = (mass that leaves) + B[g'], and the
    complement of a product gh is g' + h' - g' h': no differences of nearly equal numbers.
    """
    x, releases = positive("x", x), count("releases", releases)
    blur = _Blur(x)

    def blurred(values: FloatArray) -> tuple[FloatArray, float]:
        inside, zero = blur(values)
        return blur.lost + inside, blur.lost_at_zero + zero

    blocks = [(np.zeros_like(blur.points), 0.0)]  # complements of G_k at the nodes and at zero
    while len(blocks) < levels(releases):
        values, at_zero = blocks[-1]
        smoothed, other_at_zero = blurred(values)
        blocks.append(
            (
                values + smoothed - values * smoothed,
                at_zero + other_at_zero - at_zero * other_at_zero,
            )
        )
    result, result_at_zero = np.zeros_like(blur.points), 0.0
    for level in range(levels(releases)):  # the digits of R, the lowest first: the latest block
        if releases >> level & 1:
            smoothed, other_at_zero = blurred(result)
            values, at_zero = blocks[level]
            result = values + smoothed - values * smoothed
            result_at_zero = at_zero + other_at_zero - at_zero * other_at_zero
    return float(result_at_zero)


def quantile(beta: float, releases: int) -> float:
    """The x with tail(x, R) = beta, to about ten digits."""
    beta, releases = probability("beta", beta), count("releases", releases)
    target = log(beta)
    high = 1.0
    while log(tail(high, releases)) > target:
        high *= 2
    low = high / 2
    while log(tail(low, releases)) < target:
        low /= 2
    return float(
        brentq(lambda x: log(tail(x, releases)) - target, low, high, xtol=1e-12, rtol=1e-11)
    )


def _antiderivative(power: arb_poly, rate: int) -> arb_poly:
    """The q with (q(w) e^(rate w))' = power(w) e^(rate w)."""
    if rate == 0:
        return power.integral()
    total, term = arb_poly(), power * (arb(1) / rate)
    for _ in range(power.degree() + 1):
        total, term = total + term, term.derivative() * (arb(-1) / rate)
    return total


def _blur_terms(terms: PolyExp, x: arb) -> PolyExp:
    result: PolyExp = defaultdict(arb_poly)
    for rate, power in terms.items():
        left_side, right = (_antiderivative(power * arb(0.5), rate + step) for step in (1, -1))
        result[rate] += left_side - right
        result[-1] += arb_poly([-left_side(-x) * (-(rate + 1) * x).exp()])
        result[1] += arb_poly([right(x) * ((rate - 1) * x).exp()])
    return result


def _times(first: PolyExp, second: PolyExp) -> PolyExp:
    result: PolyExp = defaultdict(arb_poly)
    for (c, a), (d, b) in product(first.items(), second.items()):
        result[c + d] += a * b
    return result


def tail_ball(x: arb | float | int, releases: int, bits: int = 256) -> arb:
    """The same probability as :func:`tail`, as a ball that contains it; the number of terms grows
    fast, so R <= 31."""
    require(
        count("releases", releases) <= 31,
        "releases must be <= 31 in closed form",
        releases=releases,
    )
    with precision(bits):
        end = arb(x)
        blocks: list[PolyExp] = [{0: arb_poly([1])}]
        while len(blocks) < levels(releases):
            blocks.append(_times(blocks[-1], _blur_terms(blocks[-1], end)))
        result: PolyExp = {0: arb_poly([1])}
        for level in range(levels(releases)):
            if releases >> level & 1:
                result = _times(blocks[level], _blur_terms(result, end))
        return 1 - sum((power[0] for power in result.values()), arb(0))
