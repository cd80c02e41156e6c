r"""A regret lower bound on a hard instance, explicit and of order sqrt(K); chowdhury2021 states none.

n = d = 1, x_1 = x fixed, Q = q, R = r, a known, b in [-t, t] unknown, noise with density f(w) = cos^2(pi w/(2c))/c on
[-c, c]. Near b = 0 the optimal control is near 0, and a control near 0 tells nothing about b: exploring costs what is
lost by not knowing.

1. Regret (equation-4, corrected): J^pi - J* = sum_h E (r + b^2 P_{h+1})(u_h - K_h x_h)^2 >= r sum_h E (u_h - K_h
x_h)^2. 2. The Fisher information of f under shifts is I = pi^2/c^2, that of the prior cos^2(pi b/(2t))/t is pi^2/t^2
(:func:`information`). The data of the first k-1 episodes carry I sum E u_h^2 about b: given the past, x_{h+1} - a x_h
has the density f shifted by b u_h, and u_h depends on the past and the agent's coins only. 3. van Trees: E (u_{k,1} -
psi(b))^2 >= (E psi'(b))^2/(I T + pi^2/t^2), psi(b) = K_1(b) x, T the energy sum E u^2 of all K episodes, expectations
over b too. 4. psi is odd and |psi(b)| = a x |b|/(r/P_2(b) + b^2) >= m |b|, m = a x/(r/P_2(t) + t^2), as P_2 falls with
|b|; by parts |E psi'| = |int psi pi'| >= m int |b pi'| = m. 5. Minkowski: sqrt(T) <= sqrt(R/r) + sqrt(sum E (K_h
x_h)^2), and |K_h| <= a t p_{h+1}/r with P <= p, the cost of playing 0; the last sum is at most K (tM)^2 for |x_h| <= 1.

Adding 3 over the K episodes gives the inequality that ``theory.bounds_chowdhury2021.lower_regret`` solves. An agent
that is private is an agent, so it holds for private ones as well; what privacy costs is not in it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp

from theory.bounds_chowdhury2021 import lower_regret
from theory.papers.chowdhury2021.system import scalar_riccati


def information(scale: sp.Rational) -> bool:
    """Whether int f'^2/f = scale pi^2/c^2 for f = cos^2(pi w/(2c))/c, int f = 1, and int |w| |f'| = 1 (step 4)."""
    w = sp.Symbol("w", real=True)
    c = sp.Symbol("c", positive=True)
    density = sp.cos(sp.pi * w / (2 * c)) ** 2 / c
    fisher = 4 * sp.diff(sp.cos(sp.pi * w / (2 * c)) / sp.sqrt(c), w) ** 2  # f'^2/f = 4 (sqrt(f)')^2
    whole = sp.integrate(density, (w, -c, c))
    value = sp.integrate(sp.expand(fisher), (w, -c, c))
    moment = 2 * sp.integrate(-w * sp.diff(density, w), (w, 0, c))
    return bool(sp.simplify(value - scale * sp.pi**2 / c**2) == 0 and sp.simplify(whole - 1) == 0
                and sp.simplify(moment - 1) == 0)  # fmt: skip


def regret_identity(shift: int) -> bool:
    """Step 1 in rational numbers: n = d = 1, H = 3, noise +-1/5, a policy that is not linear, over all 8 paths.

    With P_{h+shift} in the weight; 1 is right.
    """
    a, b, q, r = Fraction(2, 5), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)
    horizon, size = 3, Fraction(1, 5)
    values, gains = scalar_riccati(a, b, q, r, horizon)

    def policy(step: int, x: Fraction) -> Fraction:
        return x * x / 3 - x / (2 + step)

    def cost(step: int, x: Fraction) -> tuple[Fraction, Fraction]:
        """Expected cost to go, and the sum of weighted squares."""
        if step == horizon:
            return Fraction(0), Fraction(0)
        u = policy(step, x)
        later = [cost(step + 1, a * x + b * u + sign * size) for sign in (1, -1)]
        gap = (r + b * b * values[step + shift]) * (u - gains[step] * x) ** 2
        return q * x * x + r * u * u + (later[0][0] + later[1][0]) / 2, gap + (later[0][1] + later[1][1]) / 2

    start = Fraction(3, 4)
    total, squares = cost(0, start)
    return bool(total - (values[0] * start**2 + size**2 * sum(values[1:])) == squares)


def psi_bounds(factor: float) -> bool:
    """Step 4 and the bound on the gains on a grid of b: factor m |b| <= |psi(b)| and |K_h| <= a t p_{h+1}/r."""
    a, q, r, horizon, t = 0.4, 0.7, 0.5, 4, 0.5
    low = scalar_riccati(a, t, q, r, horizon)[0][1]
    m = a / (r / low + t * t)
    tails = [q * sum(a ** (2 * i) for i in range(horizon - h)) for h in range(1, horizon + 1)]  # p_2..p_{H+1}
    for b in np.linspace(-t, t, 41):
        gains = scalar_riccati(a, float(b), q, r, horizon)[1]
        if abs(gains[0]) < factor * m * abs(b) * (1 - 1e-12):
            return False
        if any(abs(gain) > a * t * tail / r * (1 + 1e-12) for gain, tail in zip(gains, tails, strict=True)):
            return False
    return True


def zero_controller(episodes: int, widest: float) -> float:
    """Mean regret of u = 0 over the prior on [-t, t], H = 2, q = r = x_1 = 1, a = 0.4: K int psi^2 (r + q b^2)."""
    grid = np.linspace(-widest, widest, 4001)
    prior = np.cos(np.pi * grid / (2 * widest)) ** 2 / widest
    lost = (0.4 * grid) ** 2 / (1 + grid**2)
    return float(episodes * np.sum(prior * lost) * (grid[1] - grid[0]))


def below_zero_controller(factor: float) -> bool:
    """Whether ``factor`` times the bound stays below what u = 0 loses, K = 1 to 10^6, at the largest prior.

    At K = 1 nothing can be learnt: the variance of the prior against its van Trees bound, 1.29 at small t.
    """
    widest = 0.05
    return all(
        factor * lower_regret(K, 2, 1.0, 1.0, 0.4, 0.4, widest=widest) <= zero_controller(K, widest)
        for K in (1, 10, 1000, 10**6)
    )
