"""chowdhury2021, Section IV-B: the norms of the total noise of a release (equation-noise-1,
equation-noise-2)."""

import math
from itertools import product

import sympy as sp
from flint import arb

from privrl.agents.lq.widths import printed_norm_widths
from theory.claim import Basis, Records, Rigor, Trial, claim
from theory.lemmas import chi_square, gaussian_matrix


def _matched(letter: sp.Expr, share: sp.Expr) -> bool:
    """Whether t = sqrt(m) sigma sqrt(2 ln(letter K/alpha)) gives alpha/2K in lemma-12, the display
    is lemma-12's bound there, and ``share`` of it covers the sharper one of the same
    probability, 2 sigma sqrt(n) + sqrt(2) t."""
    # L = ln(letter K/alpha), so alpha/2K = letter e^-L/2
    sigma, m, n, level = sp.symbols("sigma m n L", positive=True)
    t = sp.sqrt(m) * sigma * sp.sqrt(2 * level)
    failure = 2 * sp.exp(-(t**2) / (2 * m * sigma**2))
    display = sigma * sp.sqrt(m) * (4 * sp.sqrt(n) + sp.sqrt(8 * level))
    lemma = 4 * sp.sqrt(m) * sigma * sp.sqrt(n) + 2 * t
    sharper = 2 * sp.sqrt(m) * sigma * sp.sqrt(n) + sp.sqrt(2) * t
    rest = sp.expand((share * display - sharper) / (sp.sqrt(m) * sigma))
    return bool(
        sp.simplify(failure - letter / 2 * sp.exp(-level)) == 0
        and sp.expand(display - lemma) == 0
        and all(rest.coeff(root) >= 0 for root in (sp.sqrt(n), sp.sqrt(level)))
    )


def _small_sizes(factor: float) -> bool:
    """The exact laws for n + d = 1 and 2 over the episodes k <= K, with popcount(k-1) noises and m
    = ceil(log2 K)."""
    for K, alpha, size in product((2, 3, 8, 9, 64, 100), (0.01, 0.5, 1.0), (1, 2)):
        m, worst = (K - 1).bit_length(), max(k.bit_count() for k in range(1, K))
        bound = factor * math.sqrt(m) * printed_norm_widths(1, size, 2 * K / alpha)[0]
        if gaussian_matrix.exact_exceedance(size, bound / math.sqrt(worst)) > alpha / (2 * K):
            return False
    return True


def _used(at: int, share: float) -> bool:
    """Whether ``share`` of the width that agent and bounds use is the display's, in units of
    sigma sqrt(m): of the first counter (``at`` 0) or of the second (1)."""

    def displayed(states: int, dimension: int, level: float) -> float:
        if at == 0:
            return 4 * math.sqrt(dimension) + math.sqrt(8 * (level + math.log(2)))
        return math.sqrt(2 * states * dimension) + math.sqrt(4 * level)

    return all(
        math.isclose(
            share * printed_norm_widths(states, dimension, 2 * K / alpha)[at],
            displayed(states, dimension, math.log(2 * K / alpha)),
            rel_tol=1e-12,
        )
        for states, dimension, K, alpha in product((1, 3), (2, 5), (2, 10**6), (1e-3, 1.0))
    )


@claim("chowdhury2021/equation-noise-1")
def equation_noise_1() -> Records:
    """lemma-12 at the right t; fewer noises than m only help."""
    four, unit = sp.Integer(4), sp.Integer(1)
    yield Trial(
        lambda case: (
            _matched(*case[:2])
            and _used(0, case[2])
            and _small_sizes(1.0)
            and not _small_sizes(0.2)
        ),
        at=(four, unit, 1.0),
        mutant_at=[
            (sp.Integer(2), unit, 1.0),
            (four, sp.Rational(7, 10), 1.0),
            (four, unit, 0.99),
        ],
        mutant=r"$\ln(2K/\alpha)$ in place of $\ln(4K/\alpha)$; 0.7 of the display, which is "
        "below the sharper bound; 0.99 of the width that is used.",
        scale=lambda c: (four, sp.Float(c), 1.0),
    ).holds(
        "printed",
        Rigor.PROVED,
        domain=r"Every $n$, $d$, $K$, $\alpha \in (0, 1]$ and $\sigma_1$, given lemma-12.",
        evidence=r"$t = \sqrt{2m\ln(4K/\alpha)}\,\sigma_1$ in lemma-12, in symbols; the noise "
        "of a release is a sum of at most $m$ matrices.",
        basis=Basis(
            uses=(
                "chowdhury2021/lemma-12",
                "chowdhury2021/lemma-12: reading: sharper constants",
                "chowdhury2021/tree-levels",
            )
        ),
    )


FREEDOMS = (2, 6, 40, 1000)  # D of the tails by balls


def _vector(case: tuple[float, float]) -> bool:
    """P(||L_k||_F > sqrt(m) (a sqrt(D) + b sqrt(ln(2K/alpha)))) <= alpha/2K by balls, D = n (n +
    d), popcount = m."""
    for freedom in FREEDOMS:
        for episodes, alpha in ((2, 1.0), (64, 0.1), (10**6, 1e-3), (10**9, 1e-9)):
            x = (2 * arb(episodes) / arb(alpha)).log()
            threshold = (arb(case[0]) * arb(freedom).sqrt() + arb(case[1]) * x.sqrt()) ** 2
            if not chi_square.survival_ball(freedom, threshold) <= arb(alpha) / (2 * episodes):
                return False
    return True


@claim("chowdhury2021/equation-noise-2")
def equation_noise_2() -> Records:
    """lemma-13 at x = ln(2K/alpha), and a display that is larger than need be by sqrt(2)."""
    steps = chi_square.norm_steps()
    ordered = all(steps[name].is_nonnegative for name in ("triangle - sharp", "doubled - triangle"))
    printed = (math.sqrt(2), 2.0, 1.0)
    yield Trial(
        lambda case: (
            ordered
            and _used(1, case[2])
            and steps["doubled / triangle"] == sp.sqrt(2)
            and _vector(case[:2])
            # (a sqrt(D) + b sqrt(x))^2 >= D + 2 sqrt(Dx) + 2x for all D and x, from the
            # coefficients; x = ln(2K/alpha)
            and case[0] ** 2 >= 1
            and 2 * case[0] * case[1] >= 2
            and case[1] ** 2 >= 2
        ),
        at=printed,
        mutant_at=[(math.sqrt(2) / 2, 1.0, 1.0), (*printed[:2], 0.99)],
        mutant="Half of the display; 0.99 of the width that is used.",
        scale=lambda c: (c * printed[0], c * printed[1], 1.0),
    ).holds(
        "printed",
        Rigor.PROVED,
        domain=r"Every $n$, $d$, $K$, $\alpha \in (0, 1]$ and $\sigma_2$, given lemma-13.",
        evidence=r"$x = \ln(2K/\alpha)$ in lemma-13: $D + 2\sqrt{Dx} + 2x \le (\sqrt{D} + "
        r"\sqrt{2x})^2$, and the display is $\sqrt{2}$ times that root, in symbols.",
        basis=Basis(uses=("chowdhury2021/lemma-13", "chowdhury2021/tree-levels")),
    )
