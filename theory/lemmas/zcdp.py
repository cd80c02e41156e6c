r"""From zero-concentrated DP to (epsilon, delta): the papers' conversion, the optimal one, and the
exact Gaussian curve.

A Gaussian release with mu = Delta/sigma is rho-zCDP with rho = mu^2/2, and m of them m rho.
Sources: the proofs of chowdhury2021/theorem-2 and zhou2022/theorem-6.4, which convert by Bun and
Steinke (2016):

    epsilon_1(rho, delta) = rho + 2 sqrt(rho ln(1/delta)).

Optimal conversion (Canonne, Kamath and Steinke 2020): with Z the privacy loss, delta(epsilon) = E
(1 - e^{epsilon - Z})_+ at most, and rho-zCDP says E e^{s Z} <= e^{s (s+1) rho} for s > 0. For every
alpha = 1 + s > 1,

    (1 - e^{-z})_+ <= k(alpha) e^{(alpha - 1) z},   k(alpha) = (1 - 1/alpha)^alpha / (alpha - 1):

the maximum of (1 - y) y^{alpha-1} over y = e^{-z} in (0, 1) is at y = 1 - 1/alpha (:func:`peak`).
Hence delta <= k(alpha) e^{(alpha-1)(alpha rho - epsilon)}, and solved for epsilon

    epsilon_2(rho, delta) = inf_alpha  alpha rho + (ln(1/delta) - ln alpha)/(alpha - 1) + ln(1 -
    1/alpha).

Order. exact <= epsilon_2, because a Gaussian release is rho-zCDP and the derivation used nothing
else; epsilon_2 <= epsilon_1, because at alpha = 1 + sqrt(ln(1/delta)/rho) the first two terms
without ln alpha are epsilon_1 (:func:`minimiser_gap`), and -ln(alpha)/(alpha - 1) + ln(1 - 1/alpha)
< 0 (:func:`negative_correction`).
"""

import mpmath as mp
import sympy as sp
import z3

from theory.claim import Basis, Record, Rigor, Trial
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof


def optimal(rho: float | mp.mpf, delta: float | mp.mpf, *, digits: int = 40) -> mp.mpf:
    """epsilon_2(rho, delta), at least 0, by the stationary point in s = alpha - 1.

    The derivative of rho (1+s) + (ln(1/delta) - ln(1+s))/s + ln(s/(1+s)) in s is
    rho - (ln(1/delta) - ln(1+s))/s^2, which changes sign once: rho s^2 + ln(1+s) increases through
    ln(1/delta).
    """
    with mp.workdps(digits):
        rho, level = mp.mpf(rho), mp.log(1 / mp.mpf(delta))
        low, high = mp.mpf(0), mp.sqrt(level / rho)
        for _ in range(digits * 4):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if rho * middle**2 + mp.log1p(middle) < level else (low, middle)
            )
        s = high
        return max(mp.mpf(0), rho * (1 + s) + (level - mp.log1p(s)) / s - mp.log1p(1 / s))


def peak() -> tuple[sp.Expr, sp.Expr]:
    """Defects of (1 - y) y^{alpha-1} <= k(alpha) on (0, 1), in symbols: of the derivative, (alpha -
    1) - alpha y over y^{alpha-2}, which changes sign once, and of the value there; both zero."""
    y, s = sp.symbols("y s", positive=True)
    alpha = 1 + s
    height = (1 - y) * y**s
    slope = sp.simplify(sp.diff(height, y) / y ** (s - 1) - (s - alpha * y))
    top = height.subs(y, s / alpha)
    value = sp.simplify(
        sp.expand_log(sp.log(top) - (alpha * sp.log(s / alpha) - sp.log(s)), force=True)
    )
    return slope, value


def minimiser_gap() -> sp.Expr:
    """alpha rho + L/(alpha - 1) at alpha = 1 + sqrt(L/rho), minus epsilon_1, in symbols; zero."""
    rho, level = sp.symbols("rho L", positive=True)
    alpha = 1 + sp.sqrt(level / rho)
    return sp.simplify(alpha * rho + level / (alpha - 1) - rho - 2 * sp.sqrt(rho * level))


def negative_correction() -> bool:
    """z3: 1 + s > 1 and s/(1+s) < 1 for all s > 0, so -ln(1+s)/s + ln(s/(1+s)) < 0."""
    s = z3.Real("s")
    proof = Proof(s > 0)
    return proof.shows(1 + s > 1) and proof.shows(proof.quotient(s, 1 + s) < 1)


def pointwise(factor: float) -> bool:
    """Whether (1 - y) y^s <= factor k(1 + s) around y = 1 - 1/alpha, and the symbolic steps."""
    for s in (0.01, 0.3, 1.0, 4.0, 50.0):
        alpha = 1 + s
        most = factor * (s / alpha) ** s / alpha
        near = (s / alpha * (1 + shift) for shift in (-1e-3, 0.0, 1e-3))
        if any((1 - y) * y**s > most * (1 + 1e-12) for y in near):
            return False
    return peak() == (0, 0) and minimiser_gap() == 0 and negative_correction()


def record() -> Record:
    """The conversion that the proofs of both papers use, decided once."""
    return Trial(
        pointwise,
        at=1.0,
        mutant_at=0.99,
        mutant="0.99 of $k(s)$ in the pointwise step, at every $s$.",
        scale=float,
    ).holds(
        "step: from zCDP to (epsilon, delta)",
        Rigor.KERNEL,
        statement=r"$P(E) \le e^{\varepsilon} Q(E) + k(s)\, e^{s((1+s)\rho - \varepsilon)}$, "
        r"$k(s) = (\frac{s}{1+s})^s/(1+s)$, where $E_P (P/Q)^s \le e^{s(1+s)\rho}$; so "
        r"$\rho$-zCDP is $(\rho + 2\sqrt{\rho \ln(1/\delta)}, \delta)$-DP, and that is "
        r"$\varepsilon$ at the variance $w (\sqrt{L + \varepsilon} + "
        r"\sqrt{L})^2/(2\varepsilon^2)$, $L = \ln(1/\delta)$, for a change of squared length $w$ "
        r"with $\rho = w/(2\sigma^2)$.",
        domain=r"Every $\rho > 0$, $\delta \in (0, 1)$, $s > 0$, event and pair of positive "
        "laws on a finite set. The bound on the moments is a premise; Gaussian noise, which "
        "satisfies it, and densities are not in the theorem.",
        evidence=r"The pointwise step $(1 - y) y^s \le k(s)$, then a sum over the event, $k(s) \le "
        r"1$ and $s = \sqrt{L/\rho}$.",
        basis=Basis(
            formal=Formal(
                "zcdp",
                "zcdp_bun_steinke",
                "zcdp_pointwise_not_0_99",
                ("2 * sqrt (rho * ln (1 / delta))", "sqrt (rho * ln (1 / delta))"),
                also=("zcdp_optimal", "zcdp_pointwise", "zcdp_closed_form"),
            )
        ),
    )
