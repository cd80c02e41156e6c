r"""From zero-concentrated DP to (epsilon, delta): the papers' conversion, the optimal one, and the exact Gaussian
curve.

A Gaussian release with mu = Delta/sigma is rho-zCDP with rho = mu^2/2, and m of them m rho. Sources: the proofs of
chowdhury2021/theorem-2 and zhou2022/theorem-6.4, which convert by Bun and Steinke (2016):

    epsilon_1(rho, delta) = rho + 2 sqrt(rho ln(1/delta)).

Optimal conversion (Canonne, Kamath and Steinke 2020): with Z the privacy loss, delta(epsilon) = E (1 - e^{epsilon -
Z})_+ at most, and rho-zCDP says E e^{s Z} <= e^{s (s+1) rho} for s > 0. For every alpha = 1 + s > 1,

    (1 - e^{-z})_+ <= k(alpha) e^{(alpha - 1) z},   k(alpha) = (1 - 1/alpha)^alpha / (alpha - 1):

the maximum of (1 - y) y^{alpha-1} over y = e^{-z} in (0, 1) is at y = 1 - 1/alpha (:func:`peak`). Hence
delta <= k(alpha) e^{(alpha-1)(alpha rho - epsilon)}, and solved for epsilon

    epsilon_2(rho, delta) = inf_alpha  alpha rho + (ln(1/delta) - ln alpha)/(alpha - 1) + ln(1 - 1/alpha).

Order. exact <= epsilon_2, because a Gaussian release is rho-zCDP and the derivation used nothing else; epsilon_2 <=
epsilon_1, because at alpha = 1 + sqrt(ln(1/delta)/rho) the first two terms without ln alpha are epsilon_1
(:func:`minimiser_gap`), and -ln(alpha)/(alpha - 1) + ln(1 - 1/alpha) < 0 (:func:`negative_correction`).
"""

import mpmath as mp
import sympy as sp
import z3

from theory.rigor.smt import Proof


def optimal(rho: float | mp.mpf, delta: float | mp.mpf, *, digits: int = 40) -> mp.mpf:
    """epsilon_2(rho, delta), at least 0, by the stationary point in s = alpha - 1.

    The derivative of rho (1+s) + (ln(1/delta) - ln(1+s))/s + ln(s/(1+s)) in s is
    rho - (ln(1/delta) - ln(1+s))/s^2, which changes sign once: rho s^2 + ln(1+s) increases through ln(1/delta).
    """
    with mp.workdps(digits):
        rho, level = mp.mpf(rho), mp.log(1 / mp.mpf(delta))
        low, high = mp.mpf(0), mp.sqrt(level / rho)
        for _ in range(digits * 4):
            middle = (low + high) / 2
            low, high = (middle, high) if rho * middle**2 + mp.log1p(middle) < level else (low, middle)
        s = high
        return max(mp.mpf(0), rho * (1 + s) + (level - mp.log1p(s)) / s - mp.log1p(1 / s))


def peak() -> tuple[sp.Expr, sp.Expr]:
    """Defects of (1 - y) y^{alpha-1} <= k(alpha) on (0, 1), in symbols: of the derivative, (alpha - 1) - alpha y over
    y^{alpha-2}, which changes sign once, and of the value there; both zero."""
    y, s = sp.symbols("y s", positive=True)
    alpha = 1 + s
    height = (1 - y) * y**s
    slope = sp.simplify(sp.diff(height, y) / y ** (s - 1) - (s - alpha * y))
    top = height.subs(y, s / alpha)
    value = sp.simplify(sp.expand_log(sp.log(top) - (alpha * sp.log(s / alpha) - sp.log(s)), force=True))
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
