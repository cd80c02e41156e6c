r"""A regret lower bound on a hard instance, explicit and of order sqrt(K); chowdhury2021 states
none.

Near b = 0 the optimal control is near 0, and a control near 0 tells nothing about b: exploring
costs what is lost by not knowing. The proof, with the numbers of its steps, stands in proofs.md.
The noise must have a finite Fisher information: of signs +-c a single small control u shows which
one fell, and then b = (x_2 - a x_1 -+ c)/u (:func:`decodes`).
"""

import math
from fractions import Fraction

import numpy as np
import sympy as sp

from theory.claim import Basis, Records, Rigor, Trial
from theory.formulas import downwards
from theory.papers.chowdhury2021.bounds import lower_regret
from theory.papers.chowdhury2021.system import scalar_riccati


def information(scale: sp.Rational) -> bool:
    """Whether int f'^2/f = scale pi^2/c^2 for f = cos^2(pi w/(2c))/c, int f = 1, int |w| |f'| = 1
    (step 4), and int w^2 f = c^2 (1/3 - 2/pi^2) (step 5)."""
    w = sp.Symbol("w", real=True)
    c = sp.Symbol("c", positive=True)
    density = sp.cos(sp.pi * w / (2 * c)) ** 2 / c
    # f'^2/f = 4 (sqrt(f)')^2
    fisher = 4 * sp.diff(sp.cos(sp.pi * w / (2 * c)) / sp.sqrt(c), w) ** 2
    mass = sp.integrate(density, (w, -c, c))
    value = sp.integrate(sp.expand(fisher), (w, -c, c))
    moment = 2 * sp.integrate(-w * sp.diff(density, w), (w, 0, c))
    square = 2 * sp.integrate(sp.expand(w**2 * (1 + sp.cos(sp.pi * w / c)) / (2 * c)), (w, 0, c))
    defects = (
        value - scale * sp.pi**2 / c**2,
        mass - 1,
        moment - 1,
        square - c**2 * (sp.Rational(1, 3) - 2 / sp.pi**2),
    )
    return all(sp.simplify(defect) == 0 for defect in defects)


def regret_identity(shift: int) -> bool:
    """Step 1 with P_{h+shift} in the weight, 1 is right: n = d = 1, H = 3, noise +-1/5, a policy
    that is not linear."""
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
        return q * x * x + r * u * u + (later[0][0] + later[1][0]) / 2, gap + (
            later[0][1] + later[1][1]
        ) / 2

    start = Fraction(3, 4)
    total, squares = cost(0, start)
    return bool(total - (values[0] * start**2 + size**2 * sum(values[1:])) == squares)


def psi_bounds(factor: float) -> bool:
    """Step 4 and the bound on the gains on a grid of b: factor m |b| <= |psi(b)| and |K_h| <= a |b|
    p_{h+1}/r."""
    a, q, r, horizon, t = 0.4, 0.7, 0.5, 4, 0.5
    low = scalar_riccati(a, t, q, r, horizon)[0][1]
    m = a / (r / low + t * t)
    # p_2..p_{H+1}
    tails = [q * sum(a ** (2 * i) for i in range(horizon - h)) for h in range(1, horizon + 1)]
    for b in np.linspace(-t, t, 41):
        gains = scalar_riccati(a, float(b), q, r, horizon)[1]
        if abs(gains[0]) < factor * m * abs(b) * (1 - 1e-12):
            return False
        if any(
            abs(gain) > a * abs(b) * tail / r * (1 + 1e-12)
            for gain, tail in zip(gains, tails, strict=True)
        ):
            return False
    return True


def zero_controller(episodes: int, widest: float) -> float:
    """Mean regret of u = 0 over the prior on [-t, t], H = 2, q = r = x_1 = 1, a = 0.4: K int psi^2
    (r + q b^2)."""
    grid = np.linspace(-widest, widest, 4001)
    prior = np.cos(np.pi * grid / (2 * widest)) ** 2 / widest
    lost = (0.4 * grid) ** 2 / (1 + grid**2)
    return float(episodes * np.sum(prior * lost) * (grid[1] - grid[0]))


WIDEST = 0.05  # the largest |b| of the prior


def below_zero_controller(factor: float) -> bool:
    """Whether ``factor`` times the bound stays below what u = 0 loses, which learns nothing, at the
    largest prior."""
    return all(
        factor * lower_regret(K, 2, 1.0, 1.0, 0.4, 0.4, widest=WIDEST) <= zero_controller(K, WIDEST)
        for K in (1, 10, 1000, 10**6)
    )


def limit() -> float:
    """The largest Y with Y ((sqrt(Y) + s f)^2 + pi^2/f^2) = 1 for some f, s^2 = 1/3 - 2/pi^2; on a
    grid of f."""
    spread, best = math.sqrt(1 / 3 - 2 / math.pi**2), 0.0
    for f in np.geomspace(1, 6, 400):
        low, high = 0.0, 1.0
        for _ in range(60):
            y = (low + high) / 2
            low, high = (
                (y, high)
                if y * ((math.sqrt(y) + spread * f) ** 2 + (math.pi / f) ** 2) < 1
                else (low, y)
            )
        best = max(best, low)
    return best


def decodes(values: int) -> bool:
    """Whether x_2 = a x_1 + b u + w gives b without error, w one of ``values`` equally spaced
    points of [-2/5, 2/5], u = 1/10, |b| <= 1/2 (11 of them, in rational numbers): the points are
    further apart than 2 |b| u can be."""
    size, control, widest = Fraction(2, 5), Fraction(1, 10), Fraction(1, 2)
    points = [-size + 2 * size * Fraction(i, values - 1) for i in range(values)]
    observations = (
        (b, b * control + w)
        for b in (widest * Fraction(i, 5) for i in range(-5, 6))
        for w in points
    )
    return all(
        {(x - v) / control for v in points if abs(x - v) <= widest * control} == {b}
        for b, x in observations
    )


def signs_beat_bound(values: int) -> bool:
    """Whether an agent that decodes b in its first control, u = 1/10, and is optimal from then on
    has at K = 10^6 less regret than the bound; H = 2, q = r = x_1 = 1, a = 1/2, c = 2/5."""
    most = (1 + 0.5**2) * (
        0.1 + 0.5 * 0.5
    ) ** 2  # (r + b^2 P_2)(u - K_1)^2, |K_1| <= a |b|; the control at h = 2 is 0
    return decodes(values) and most < lower_regret(10**6, 2, 1.0, 1.0, 0.5, 0.4)


def solves(factor: float) -> bool:
    """Whether ``factor`` of lower_regret satisfies the record's inequality for every t of a grid, H
    = 2, q = r = x = 1, a = 1/2, c = 2/5, K = 10^6; below 1 it does not at the best t."""
    episodes, a, c = 10**6, 0.5, 0.4
    regret = factor * lower_regret(episodes, 2, 1.0, 1.0, a, c)
    for t in (0.5 * math.sqrt(1 - a * a) / 2 ** (i / 4) for i in range(120)):
        m = a / (1 + t * t)
        energy = (math.sqrt(regret) + t * a * math.sqrt((1 / 3 - 2 / math.pi**2) * episodes)) ** 2
        if regret * (1 + 1e-6) < episodes * m * m / (
            math.pi**2 * energy / c**2 + math.pi**2 / t**2
        ):
            return False
    return True


def records() -> Records:
    """The lower bound, and the noise that it needs; a part of theorem-1."""
    identities = information(sp.Integer(1)) and regret_identity(1) and psi_bounds(1.0)
    top = limit()
    yield Trial(
        lambda factor: identities and solves(factor) and below_zero_controller(factor),
        at=1.0,
        mutant_at=[1.35, 0.99],
        mutant="1.35 times the bound, which $u = 0$ breaks; 0.99 of it.",
    ).holds(
        "reading: a minimax lower bound of order the square root of K",
        Rigor.DERIVED,
        statement=r"For a scalar system with costs $qx_h^2 + ru_h^2$, known $a \ge 0$, $x_1 = x "
        r"\ge 0$, noise of density $\cos^2(\pi w/(2c))/c$ on $[-c, c]$ and $b$ in $[-t, t]$ every "
        r"agent (with $|x_h| \le 1$ if $H > 2$) has for some $b$ an expected regret of at least "
        r"the least $R$ with $R \ge r K m^2/(\pi^2 T/c^2 "
        r"+ \pi^2/t^2)$, $\sqrt{T} = \sqrt{R/r} + t M\sqrt{(1/3 - 2/\pi^2)K}$, $m = ax/(r/P_2 "
        r"+ t^2)$ with $P_2$ at $b = t$, $M^2 = (a/r)^2(p_2^2 x^2 + p_3^2 + \ldots + p_H^2)$, "
        r"$p_h = q(1 + a^2 + \ldots + a^{2(H-h)})$.",
        domain=r"$H \ge 2$, $K \ge 1$, any $t$ with $a^2 + t^2 \le 1$. At $H = 2$ and the best "
        rf"$t$ it tends to at least ${downwards(top / math.pi, 3):g}\,q a x c\sqrt{{K}}$. Of any "
        "one $b$ it says nothing, nor what privacy costs.",
        evidence="Van Trees' inequality over a prior on $b$.",
        basis=Basis(
            proof="A lower bound of order the square root of K",
            uses=("chowdhury2021/equation-4: corrected: the gains",),
        ),
    )
    yield Trial(
        signs_beat_bound,
        at=2,
        mutant_at=101,
        mutant="101 equally spaced values.",
    ).holds(
        "reading: with noise of two values an agent does better",
        Rigor.EXACT,
        statement=r"On these systems with $w = \pm 2/5$ and fair signs, which Assumption 1 (d) "
        r"allows, some agent "
        "has a regret below 0.154 for every $K$.",
        domain=r"$H = 2$, $q = r = x = 1$, $a = 1/2$ known, $|b| \le 1/2$.",
        evidence="One control $u = 1/10$ shows the sign of $w$, hence $b$; the regret is then "
        "that of the first episode.",
    )
