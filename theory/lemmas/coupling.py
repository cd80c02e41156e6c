"""How far apart two laws of the data can drive the outputs of a private mechanism, with sharp
constants.

Notation: E = e^epsilon, d the total variation of two laws of one entry, g = 1 + (E - 1) d, and f(x)
the probability that the mechanism's output on the data x = (x_1, .., x_n) lies in a fixed event.

**Probabilities.** Couple one entry so that the two values differ with probability d: the mean of f
is (1 - d) c + d p under the first law and m = (1 - d) c + d q under the second, where c, p, q are
means of f over values that are the same or not. Privacy gives p <= E q + delta and p <= E c +
delta, hence p <= E m + delta, and in both cases q <= m and q >= m

    p - q <= (E - 1) m + delta,     so     (1 - d) c + d p <= g m + d delta.

Entry by entry: P(event) <= g^n Q(event) + delta (g^n - 1)/(E - 1). Bernoulli(d) against
Bernoulli(0) attains it, by the mechanism with f(k + 1) = E f(k) + delta at k ones
(:func:`attained`). For two Bernoulli laws the best factor is the n-th power of (1 + (E - 1) p)/(1 +
(E - 1) q) (:func:`best_factor`, by exhaustion of the extreme mechanisms).

**Divergences.** They serve vietri2020's proofs.md, "Private bandits".
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb, inf, log

import sympy as sp
import z3

from privrl.checks import count, probability, require
from theory.rigor.smt import Proof
from theory.rigor.symbolic import identity

Heights = tuple[int, ...]  # h(x) for the points x of {0, 1}^n in the order of itertools.product


@cache
def one_entry_costs(share: Fraction = Fraction(1)) -> bool:
    """z3: the mean under the first law is at most (1 + share (E - 1) d) m + share d delta. True for
    1, false below.

    By algebra the means differ by d (p - q), and p - q <= share ((E - 1) m + delta) by z3."""
    c, d, p, q = sp.symbols("c d p q", real=True)
    moved = identity((1 - d) * c + d * p - ((1 - d) * c + d * q), d * (p - q))
    first, second, mean, factor, slack = z3.Reals("p q m E delta")
    hypotheses = [first >= 0, second >= 0, mean >= 0, slack >= 0, factor >= 1]
    hypotheses += [first <= factor * second + slack, first <= factor * mean + slack]
    weight = z3.Q(share.numerator, share.denominator)
    return moved and Proof(*hypotheses).shows(
        first - second <= weight * ((factor - 1) * mean + slack)
    )


@cache
def entries_multiply() -> bool:
    """Algebra: g (g^k Q + delta (g^k - 1)/(E - 1)) + d delta is the same expression at k + 1."""
    E, d, delta, power, Q = sp.symbols("E d delta G Q", positive=True)
    g = 1 + (E - 1) * d
    bound = power * Q + delta * (power - 1) / (E - 1)
    return identity(
        sp.simplify(g * bound + d * delta),
        sp.simplify(g * power * Q + delta * (g * power - 1) / (E - 1)),
    )


def attained(
    entries: int, factor: Fraction, distance: Fraction, delta: Fraction, start: Fraction
) -> Fraction:
    """The mean of f under Bernoulli(d)^n for f(0) = ``start``, f(k + 1) = E f(k) + delta at k ones,
    term by term.

    Raises
    ------
    ValueError
        f leaves [0, 1], or its complement is not (epsilon, delta)-close: then no mechanism has it.
    """
    values = [start]
    for _ in range(count("entries", entries)):
        values.append(factor * values[-1] + delta)
    steps = pairwise(values)
    fits = values[-1] <= 1 and all(1 - low <= factor * (1 - high) + delta for low, high in steps)
    require(
        fits,
        "f and its complement must be probabilities of a private mechanism",
        largest=values[-1],
    )
    weights = (
        comb(entries, k) * distance**k * (1 - distance) ** (entries - k) for k in range(entries + 1)
    )
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0))


@cache
def height_functions(entries: int) -> tuple[Heights, ...]:
    """All integer functions on {0, 1}^n with h(0) = 0 that differ by exactly one along every edge.

    The extreme rays of the cone {f >= 0 : f(x) <= E f(y) for x, y that differ in one entry} are E^h
    for these h: on a ray the tight constraints connect all points, so f = E^h with h an integer;
    the cube has no odd cycles, so h changes by an odd number along each edge, and by at most one. A
    ratio of two linear functions is largest on a ray.
    """
    points = list(product((0, 1), repeat=count("entries", entries)))
    place = {point: i for i, point in enumerate(points)}
    below = [[place[(*x[:i], 0, *x[i + 1 :])] for i in range(entries) if x[i]] for x in points]

    def extend(heights: Heights) -> Iterator[Heights]:
        at = len(heights)
        if at == len(points):
            yield heights
            return
        near = [heights[j] for j in below[at]] or [1]
        for value in {near[0] - 1, near[0] + 1} if at else {0}:
            if all(abs(value - neighbour) == 1 for neighbour in near) or not at:
                yield from extend((*heights, value))

    return tuple(extend(()))


def best_factor(entries: int, first: Fraction, second: Fraction, factor: Fraction) -> Fraction:
    """The largest P(event)/Q(event) over all epsilon-DP mechanisms on n entries, P = Ber(first)^n,
    Q = Ber(second)^n.

    By exhaustion of the rays; each can be scaled to be the probability of an event under a private
    mechanism.
    """
    ones = [sum(x) for x in product((0, 1), repeat=count("entries", entries))]

    def mean(heights: Heights, p: Fraction) -> Fraction:
        return sum(
            (
                factor**h * p**k * (1 - p) ** (entries - k)
                for h, k in zip(heights, ones, strict=True)
            ),
            Fraction(0),
        )

    return max(
        mean(heights, first) / mean(heights, second) for heights in height_functions(entries)
    )


def bernoulli_factor(first: Fraction, second: Fraction, factor: Fraction) -> Fraction:
    """The closed form of :func:`best_factor` for one entry: its n-th power is the best factor for
    n."""
    p, q = (first, second) if first >= second else (1 - first, 1 - second)
    return (1 + (factor - 1) * p) / (1 + (factor - 1) * q)


def kl(p: float, q: float) -> float:
    """kl(p, q) = p ln(p/q) + (1 - p) ln((1 - p)/(1 - q)) of two Bernoulli laws; may be infinite."""
    p, q = probability("p", p, zero=True, one=True), probability("q", q, zero=True, one=True)
    return sum(
        first_chance * log(first_chance / second_chance) if second_chance > 0 else inf
        for first_chance, second_chance in ((p, q), (1 - p, 1 - q))
        if first_chance > 0
    )


def error_divergence(beta: float) -> float:
    """kl(1 - beta, beta) = (1 - 2 beta) ln((1 - beta)/beta): two laws under which the same answer
    is right with probability at least 1 - beta and wrong with at least 1 - beta are at least that
    far apart (beta <= 1/2)."""
    beta = _half(beta)
    return (1 - 2 * beta) * log((1 - beta) / beta)


def mean_error_divergence(beta: float) -> float:
    """-ln(4 beta (1 - beta)): the same when only the mean of the two failure probabilities is at
    most beta <= 1/2, by Bretagnolle and Huber (KL >= -ln(1 - TV^2)). Convex and decreasing in beta,
    so it may be averaged over states."""
    beta = _half(beta)
    return -log(4 * beta * (1 - beta))


def _half(beta: float) -> float:
    require(probability("beta", beta) <= 0.5, "beta must be <= 1/2", beta=beta)
    return beta


@cache
def affinity_squared() -> bool:
    """Algebra: 1 - (a - b)^2 - (sqrt(ab) + sqrt((1-a)(1-b)))^2 = (sqrt(a(1-a)) - sqrt(b(1-b)))^2:
    the square of the affinity is at most 1 - TV^2; with KL >= -2 ln(affinity) (Jensen) this is
    Bretagnolle and Huber's inequality."""
    # x^2 = a(1-a) and y^2 = b(1-b), so xy = sqrt(ab(1-a)(1-b))
    a, b, x, y = sp.symbols("a b x y", positive=True)
    left_side = 1 - (a - b) ** 2 - (a * b + (1 - a) * (1 - b) + 2 * x * y)
    return identity(left_side, (x - y) ** 2 + (a * (1 - a) - x**2) + (b * (1 - b) - y**2))
