"""vietri2020/theorem-12: the privacy and the error of the binary mechanism with node noise Lap(log(T)/epsilon).

Readings: the base of the logarithm in the noise and in the bound (e or 2; ln(1/beta) is natural by section 2.3), and
the number of releases R, T as the theorem says or T - 1 as PUCB needs. In units of the node noise's scale the printed
bound is c ln(1/beta) with c = 4 log_B(T)^2.5 / log_N(T), which is 4 ln(T)^1.5 when both are natural.

**Privacy.** The node drawn at time t is release(t) - release(t - lowbit(t)), so releases and nodes determine each other
without the data, and the density of the releases is the product of the nodes' Laplace densities. Changing one item by 1
shifts each of the up to levels(R) nodes that contain it by 1. The log-ratio is at most levels(R)/scale, and equals it
wherever those noises exceed 1: the worst case is attained with positive probability.

**Error, corrected.** For Laplace(b) the moment generating function is 1/(1 - (lambda b)^2) <= exp(2 (lambda b)^2) for
|lambda b| <= 1/sqrt(2), since -ln(1 - u) <= 2u on [0, 1/2]. For a sum of at most k noises, P(|sum| > z) <=
2 exp(2k (lambda b)^2 - lambda z). With l = ln(2R/beta) and z = sqrt(8) b sqrt(l) max(sqrt(k), sqrt(l)): if l <= k take
lambda b = sqrt(l/(2k)), exponent -l; else lambda b = 1/sqrt(2), exponent k - 2l <= -l. Then add up R releases.

**Error as printed, natural logarithms, beta <= 1/2.** For T <= 20 the sum over t of exact tails is e^(-x) p(x) with a
polynomial p of degree d and nonnegative coefficients; at x = c L, L = ln(1/beta), it must be at most e^(-L). It is at
L = ln 2, and beyond, ln p(cL) grows at a rate of at most d/L < c - 1. For T > 20 the corrected bound is below the
printed one: with y = ln T >= 3, l <= L (y/ln 2 + 2) and levels <= y/ln 2 + 1, so that two polynomial inequalities
suffice.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import pairwise, product
from math import log

import mpmath as mp
import sympy as sp
import z3
from flint import arb
from scipy.optimize import brentq

from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.lemmas.tree import lengths_differ, levels, lowbit, quantile, shift_costs, tail, touched, union_tail
from theory.papers.vietri2020.bounds.stated import tree_error
from theory.rigor.balls import positive_beyond, precision
from theory.rigor.exact import at_precision
from theory.rigor.smt import Proof
from theory.rigor.symbolic import concave_nonnegative, identity

LAST = 4096
BASES = {"e": 1.0, "2": log(2)}
GRID = (2, 3, 4, 16, 1024, 10**6)
BETAS = (0.5, 0.1, 1e-3, 1e-9)

# ---- privacy ---------------------------------------------------------------------------------------------------------


def attained_loss(releases: int, scale: Fraction, item: int = 1) -> Fraction:
    """The log-ratio of the densities of two neighbouring streams at one explicit vector of releases.

    The streams are zero but for ``item``, which is 1 in the first; the releases are those of the second stream with all
    node noises equal to 2, so that the noise under the first is smaller by 1 in each node of the item. Exact
    arithmetic.
    """
    released = {0: 0}
    for time in range(1, releases + 1):
        released[time] = released[time - lowbit(time)] + 2
    loss = 0
    for time in range(1, releases + 1):
        node = released[time] - released[time - lowbit(time)]  # recovered from the releases alone
        inside = time - lowbit(time) < item <= time
        loss += abs(node) - abs(node - inside)
    return loss / scale


def _exceeds(base: str, fewer: int, planned: int) -> bool:
    """Whether R = T - ``fewer`` releases with scale log(T) (epsilon = 1) lose more than epsilon: levels(R) > log T.

    In base 2 the comparison is one of integers: levels > log2 T exactly when 2^levels > T.
    """
    depth = levels(planned - fewer)
    return 2**depth > planned if base == "2" else depth > log(planned)


def _never_private(reading: tuple[str, int]) -> bool:
    base, fewer = reading
    return all(_exceeds(base, fewer, planned) for planned in range(2, LAST + 1))


def _private_only_at_powers(reading: tuple[str, int]) -> bool:
    base, fewer = reading
    return all(_exceeds(base, fewer, T) == (T & (T - 1) != 0) for T in range(2, LAST + 1))


def _ln2_below_one() -> bool:
    """So log2 T > ln T, and with T < 2^levels(T) every T is covered, not only those up to LAST."""
    return bool(arb(2).log() < 1)


def _loss_is_epsilon(factor: Fraction) -> bool:
    """Noise of scale ``factor`` levels(R)/epsilon: the exact worst loss is epsilon (here 1), and it is attained."""
    for releases in (1, 2, 3, 4, 7, 8, 100, LAST):
        scale = factor * levels(releases)
        worst = max(len(touched(item, releases)) for item in range(1, releases + 1)) / scale
        if not worst == attained_loss(releases, scale) == 1:
            return False
    return lengths_differ() and shift_costs()


# ---- error -----------------------------------------------------------------------------------------------------------


def printed_factor(planned: int, noise: str = "e", bound: str = "e") -> float:
    """c: the printed bound is c ln(1/beta) in units of the node noise's scale."""
    return float(4 * (log(planned) / BASES[bound]) ** 2.5 / (log(planned) / BASES[noise]))


def _fails_near_one(beta: str) -> bool:
    """T = 3, two releases, two independent single nodes: (1 - beta^c)^2 < 1 - beta in all four readings of the logs.

    A third release only makes the event smaller, so this decides R = 2 and R = 3.
    """

    def margin(noise: str, bound: str) -> mp.mpf:
        bases = {"e": mp.mpf(1), "2": mp.log(2)}
        factor = 4 * (mp.log(3) / bases[bound]) ** 2.5 / (mp.log(3) / bases[noise])
        return 1 - mp.mpf(beta) - (1 - mp.mpf(beta) ** factor) ** 2

    return all(at_precision(partial(margin, noise, bound)) > 0 for noise, bound in product(BASES, BASES))


def _fails_at_two(beta: str) -> bool:
    """T = 2 and two releases, natural logarithms: the exact probability is (1 - beta^c)^2 with c = 4 ln(2)^1.5."""
    return bool(at_precision(lambda: 1 - mp.mpf(beta) - (1 - mp.mpf(beta) ** (4 * mp.log(2) ** 1.5)) ** 2) > 0)


@cache
def threshold(planned: int, fewer: int, noise: str = "e", bound: str = "e") -> float:
    """The beta up to which the printed error bound holds: the first crossing from small beta, by the exact law."""
    factor = printed_factor(planned, noise, bound)

    def excess(exponent: float) -> float:
        return log(max(tail(factor * exponent, planned - fewer), 1e-300)) + exponent

    grid = [2.0 ** (power / 4) for power in range(16, -49, -1)]  # ln(1/beta) from 16 down
    for larger, smaller in pairwise(grid):
        if excess(smaller) > 0:
            return float(mp.exp(-brentq(excess, smaller, larger)))
    return 1.0


def printed_holds_up_to_half(constant: float) -> bool:
    """The proof in the module's docstring, with ``constant`` in place of 4, and the exact law at T = 2, beta = 1/2."""
    if constant / 4 * printed_factor(2) * log(2) < quantile(0.5, 2):
        return False
    with precision(128):
        half = arb(2).log()
        for planned in range(2, 21):
            factor = arb(constant) * arb(planned).log() ** arb(1.5)
            polynomial = union_tail(planned)
            terms = (arb(q.numerator) / q.denominator * (factor * half) ** i for i, q in enumerate(polynomial))
            value = sum(terms, arb(0))
            degree = len(polynomial) - 1
            if not (value < ((factor - 1) * half).exp() and (factor - 1) * half > degree):
                return False
        large = arb(constant)  # y = ln T = s^2; squared constants are compared with 8 = sqrt(8)^2
        start = arb(3)
        first = [arb(-2), arb(0), -1 / half, large / arb(8).sqrt()]  # in s, from l <= constant/sqrt(8) L s^3
        second = [-arb(2), -3 / half, -1 / half**2, large**2 / 8 * half]  # in y
        return bool(arb(21).log() > start) and positive_beyond(first, start.sqrt()) and positive_beyond(second, start)


@cache
def chernoff_proved() -> bool:
    """Each step of the corrected bound, by sympy and z3."""
    u, x, lam, b, k, ell, R, beta = sp.symbols("u x lambda b k l R beta", positive=True)
    rate = sp.symbols("rate", positive=True)  # 1/b - lambda > 0 and 1/b + lambda > 0 on the two half lines
    half_line = sp.integrate(sp.exp(-rate * x), (x, 0, sp.oo)) / (2 * b)
    moment = half_line.subs(rate, 1 / b - lam) + half_line.subs(rate, 1 / b + lam)
    z_small, z_large = sp.sqrt(8) * b * sp.sqrt(ell * k), sp.sqrt(8) * b * ell
    at_small, at_large = sp.sqrt(ell / (2 * k)) / b, 1 / (sp.sqrt(2) * b)
    share, nodes = z3.Reals("l k")
    small = Proof(share > 0, nodes > 0, share <= nodes)
    return (
        identity(moment, 1 / (1 - (lam * b) ** 2))
        and concave_nonnegative(2 * u + sp.log(1 - u), u, 0, sp.Rational(1, 2))
        and identity(2 * k * (at_small * b) ** 2 - at_small * z_small, -ell)
        and identity(2 * k * (at_large * b) ** 2 - at_large * z_large, k - 2 * ell)
        and identity((at_small * b) ** 2, ell / (2 * k))
        and small.shows(small.quotient(share, 2 * nodes) <= z3.Q(1, 2))
        and Proof(nodes > 0, share > nodes).shows(nodes - 2 * share <= -share)
        and identity(R * 2 * sp.exp(-sp.log(2 * R / beta)), beta)
    )


@cache
def _quantiles() -> tuple[tuple[int, float, float], ...]:
    return tuple((releases, beta, quantile(beta, releases)) for releases in (1, *GRID, 10**9) for beta in BETAS)


def _respects(factor: float) -> bool:
    """Whether ``factor`` times the corrected bound covers the exact simultaneous quantile on the grid."""
    return all(value <= factor * tree_error(1.0, releases, beta) for releases, beta, value in _quantiles())


def _sharpest() -> tuple[float, float]:
    """Largest quotient of exact quantile and bound on the grid: the corrected bound, and the printed one (R = T)."""
    corrected = max(value / tree_error(1.0, releases, beta) for releases, beta, value in _quantiles())
    printed = max(value / (printed_factor(R) * log(1 / beta)) for R, beta, value in _quantiles() if R > 1)
    return corrected, printed


# ---- records ---------------------------------------------------------------------------------------------------------


def _thresholds(fewer: int, noise: str, bound: str) -> str:
    return ", ".join(f"{threshold(planned, fewer, noise, bound):.3f}" for planned in GRID)


@claim("vietri2020/theorem-12")
def theorem_12() -> tuple[Record, ...]:
    """Privacy in each reading, the error in each reading, and both corrected."""
    sharp_corrected, sharp_printed = _sharpest()
    loss = {T: levels(T) / log(T) for T in (2, 3, 10**6)}
    return (
        decide(
            lambda reading: _never_private(reading) and _never_private((reading[0], 1)) and _ln2_below_one(),
            at=("e", 0), mutant_at=("2", 1), of="printed",
            statement="epsilon-DP with node noise of scale ln(T)/epsilon and T releases",
            verdict=Verdict.FAILS, rigor=Rigor.PROVED,
            domain="every T >= 2 (T < 2^levels(T), so levels(T) > log2 T > ln T); also T - 1 releases, as ceil(log2 "
            "T) > ln T",
            evidence="the exact worst-case loss is epsilon levels(T)/ln T: "
            + ", ".join(f"{value:.3f} epsilon at T = {planned}" for planned, value in loss.items())
            + ". At T = 1 the scale is log 1 = 0 and the item is released as it is.",
            mutant="base 2 and T - 1 releases, private at T = 2"),
        decide(
            _never_private, at=("2", 0), mutant_at=("2", 1), of="reading: logarithm to base 2 in the noise, T releases",
            statement="epsilon-DP with node noise of scale log2(T)/epsilon",
            verdict=Verdict.FAILS, rigor=Rigor.PROVED, domain="every T >= 2: levels(T) = floor(log2 T) + 1 > log2 T",
            evidence="the loss is epsilon (floor(log2 T) + 1)/log2 T: 2 epsilon at T = 2, 1.5 epsilon at T = 4.",
            mutant="T - 1 releases"),
        decide(
            _private_only_at_powers, at=("2", 1), mutant_at=(("2", 0), ("e", 1)), several_mutants=True,
            of="reading: logarithm to base 2 in the noise, T - 1 releases",
            statement="epsilon-DP with node noise of scale log2(T)/epsilon",
            verdict=Verdict.FAILS, rigor=Rigor.PROVED,
            domain="every T that is no power of two; it holds, with equality, at powers of two",
            evidence="levels(T - 1) = ceil(log2 T), which is log2 T only at powers of two; at T = 3 the loss is "
            "2/log2 3 = 1.262 epsilon.",
            mutant="T releases (never private), or the natural logarithm (never private)"),
        decide(
            _fails_at_two, at="0.99", mutant_at="0.5", of="reading: error bound, natural logarithms, T releases",
            statement="all errors up to T are at most (4/epsilon) ln(1/beta) ln(T)^2.5 with probability 1 - beta, "
            "every beta",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="T = 2, beta = 0.99, every epsilon",
            evidence="two independent nodes: both errors lie within the bound with probability "
            f"{float((1 - 0.99 ** printed_factor(2)) ** 2):.6f} < 0.01; the bound vanishes as beta tends to 1 and the "
            f"noise does not. From beta = e^-16 it holds up to {_thresholds(0, 'e', 'e')} at T = "
            f"{', '.join(map(str, GRID))} (exact law).",
            mutant="beta = 1/2, where it holds"),
        decide(
            _fails_near_one, at="0.999", mutant_at="0.5",
            of="reading: error bound, base e or 2 in noise and in bound, T or T - 1 releases",
            statement="the same for each of the eight readings",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="T = 3, beta = 0.999, two releases (and so three)",
            evidence="from beta = e^-16 they hold up to, at T = " + ", ".join(map(str, GRID)) + ": noise base 2 and "
            f"bound base e, T releases {_thresholds(0, '2', 'e')}; both base 2, T releases "
            f"{_thresholds(0, '2', '2')}; both natural, T - 1 releases {_thresholds(1, 'e', 'e')}.",
            mutant="beta = 1/2"),
        decide(
            printed_holds_up_to_half, at=4.0, mutant_at=3.0,
            of="corrected: error bound, natural logarithms, beta <= 1/2",
            statement="for every T >= 2 and beta in (0, 1/2] all errors up to T are at most (4/epsilon) ln(1/beta) "
            "ln(T)^2.5 with probability 1 - beta, for the printed node noise ln(T)/epsilon",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every T >= 2, every beta <= 1/2, T releases or fewer",
            evidence="balls for T <= 20, Chernoff and polynomials beyond. The exact simultaneous quantile is at most "
            f"{sharp_printed:.3f} of the bound on T = {GRID[0]}..10^9, beta = 1/2..10^-9, and that at T = 2, beta = "
            "1/2.",
            mutant="3 in place of 4, false at T = 2 and beta = 1/2", sharpness=sharp_printed),
        decide(
            _loss_is_epsilon, at=Fraction(1), mutant_at=(Fraction(99, 100), Fraction(101, 100)), several_mutants=True,
            of="corrected: privacy",
            statement="with node noise of scale levels(R)/epsilon the R releases are epsilon-DP, and not better",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every R up to 2^62; the attaining releases computed for R = 1, 2, 3, 4, 7, 8, 100, 4096",
            evidence="the loss is (nodes of the item)/scale, at most epsilon, and equals it for the first item where "
            "all noises of its nodes exceed 1.",
            mutant="0.99 times that scale (not private), or 1.01 times (not attained)", sharpness=1.0),
        decide(
            lambda factor: chernoff_proved() and _respects(factor), at=1.0, mutant_at=sharp_corrected * 0.99,
            of="corrected: error",
            statement="for node noise of scale b, with probability 1 - beta all R errors are at most sqrt(8) b "
            "sqrt(l) max(sqrt(levels(R)), sqrt(l)), l = ln(2R/beta)",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every R >= 1, beta in (0, 1), b > 0",
            evidence="Chernoff with -ln(1 - u) <= 2u on [0, 1/2]; the exact simultaneous quantile is at most "
            f"{sharp_corrected:.3f} of it on R = 1..10^9, beta = 1/2..10^-9.",
            mutant="0.99 of that quotient times the bound: below the exact quantile", sharpness=sharp_corrected),
    )
