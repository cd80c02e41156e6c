"""chowdhury2021, Section IV-A: how much one user moves the two sums.

A user is identified by her state responses; a neighbour has one user *replaced* (definition-1). The
policy of an episode is a function of earlier releases, so it is the same for both. Taken from the
paper: ||x|| <= 1 and ||u|| <= gamma (lemma-2, whose own truth is another row).

The suprema are derived in proofs.md. Both are approached by explicit users: ``turning``, all states
of the first user are r and those of the second alternate in sign (at H = 1 they start at 1 and lie
as far apart next as the noise takes them); ``crossing``, the states of the two lie on two axes
after a common start. Neighbours of norm r < 1 need noise of norm r (1 + C_A + gamma C_B) <= C_w, so
r tends to 1 as C_A, C_B tend to 0 and C_w to 1.
"""

import math
from typing import NamedTuple

import numpy as np
import sympy as sp

from privrl.privacy.noise_scales.chowdhury2021 import printed_sizes_chowdhury2021
from privrl.privacy.sensitivity import chowdhury2021, control_sums, norm_of
from privrl.types import FloatArray
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.formulas import downwards, upwards


class Instance(NamedTuple):
    """An admissible system on which users are compared: A = a I, B = b I (n = d), Q = q I, R =
    I."""

    states: int
    horizon: int
    gamma: float
    small: float  #: C_A = C_B
    cost: float  #: q


def admissible(system: Instance) -> bool:
    """Assumption 1, and gains within gamma for every Theta in S: ||K_h|| <= ||P|| ||A|| ||B|| <= q
    H/2 with
    ||R^{-1}|| = 1.

    P_h is at most the cost of the control 0, q (1 + ||A||^2 + ...) <= q H as ||A|| <= ||Theta||_F
    <= 1, and ||A||
    ||B|| <= 1/2. (a I, b I) with b > 0 is controllable, and its Frobenius norm is sqrt(n (a^2 +
    b^2)).
    """
    frobenius = math.sqrt(2 * system.states) * system.small
    gains = system.cost * system.horizon / 2
    return 0 < frobenius <= 1 and system.small < 1 and radius(system) > 0 and gains <= system.gamma


def radius(system: Instance) -> float:
    """The largest r for which every sequence of states of norm r is possible: r (1 + C_A + gamma
    C_B) <= C_w."""
    drift = system.small * (1 + system.gamma)
    return (1 - drift) / (1 + drift)


def trajectories(system: Instance) -> tuple[FloatArray, FloatArray]:
    """The states (H + 1, n) of two users with the same first state: ``turning`` for n = 1,
    ``crossing`` for n = 2."""
    if (system.states, system.horizon) == (
        1,
        1,
    ):  # within reach whatever gain of norm gamma is played
        drift, turn = system.small, system.gamma * system.small
        noise = 1 - drift - turn
        return np.array([[1.0], [drift - turn + noise]]), np.array([[1.0], [drift + turn - noise]])
    r = radius(system)
    first, second = np.zeros((2, system.horizon + 1, system.states))
    if system.states == 1:
        first[:, 0] = r
        second[:, 0] = r * (-1.0) ** np.arange(system.horizon + 1)
    else:
        first[1:, 0], second[1:, 1] = r, r
    return first, second


def changes(system: Instance) -> tuple[float, float]:
    """Norms of the changes of the released sums under the policy u = 0 (gains at most gamma only
    add to them)."""
    controls = np.zeros((system.horizon, system.states))
    first_sums, two = (control_sums(states, controls) for states in trajectories(system))
    return norm_of(first_sums[0] - two[0], "released"), norm_of(first_sums[1] - two[1], "l2")


TURNING = Instance(1, 1, 0.1, 0.36, 0.1)
CROSSING = Instance(2, 8, 0.05, 0.025, 0.01)


def breaks(case: tuple[Instance, int, float]) -> bool:
    """Whether an admissible system has users whose sum ``which`` changes by more than factor *
    Delta_which."""
    system, which, factor = case
    limit = factor * printed_sizes_chowdhury2021(system.horizon, system.gamma)[which]
    return bool(admissible(system) and changes(system)[which] > limit)


def witness(system: Instance, which: int, name: str, users: str) -> Witness:
    """The two users of a system as the instance at which a printed sensitivity is exceeded."""
    at = {
        "n": system.states,
        "d": system.states,
        "H": system.horizon,
        "gamma": system.gamma,
        "C_A": system.small,
        "C_B": system.small,
        "C_w": 1 - system.small * (1 + system.gamma),
        "Q": system.cost,
        "R": 1,
        "users": users,
    }
    return Witness(
        at,
        (f"{name} is at most", printed_sizes_chowdhury2021(system.horizon, system.gamma)[which]),
        ("it is", changes(system)[which]),
        "where the noise outweighs the dynamics, or gains reach gamma",
    )


def turns_exceed(least: int) -> bool:
    """Whether 2 sqrt(H^2 + (H-1)^2 gamma^2), the supremum of the second sum's change when the last
    control is 0, exceeds Delta_2 for every gamma >= 0 and H >= ``least``, and at H = 2 exactly for
    gamma < 3/2; in symbols. The squares differ by a quadratic in gamma that is positive where its
    discriminant is negative."""
    gamma, more = sp.symbols("gamma h", nonnegative=True)

    def gap(horizon: sp.Expr) -> sp.Expr:
        return 4 * (horizon**2 + (horizon - 1) ** 2 * gamma**2) - (horizon * (1 + gamma)) ** 2

    square, linear, constant = sp.Poly(gap(least + more), gamma).all_coeffs()
    margin = sp.Poly(4 * square * constant - linear**2, more).all_coeffs()
    return (
        sp.factor(constant) == 3 * (least + more) ** 2
        and all(bool(value > 0) for value in margin)
        and sp.expand(gap(sp.Integer(2)) - 8 * (sp.Rational(3, 2) - gamma)) == 0
        and all(
            math.isclose(
                chowdhury2021("cross", H, size, last_control=False).value,
                2 * math.hypot(H, (H - 1) * size),
            )
            for H in (2, 3, 10)
            for size in (0.5, 2.0)
        )
    )


def gram_identity() -> sp.Expr:
    """|z z' - y y'|^2 - (|z|^4 + |y|^4 - 2 (z.y)^2) in three dimensions, expanded; zero."""
    z, y = (sp.Matrix(sp.symbols(f"{name}1:4", real=True)) for name in "zy")
    change = z * z.T - y * y.T
    return sp.expand(
        sum(entry**2 for entry in change) - (z.dot(z) ** 2 + y.dot(y) ** 2 - 2 * z.dot(y) ** 2)
    )


def _corrected_sensitivities(factors: tuple[float, float]) -> bool:
    """Whether factors * (H (1+gamma^2), H sqrt(1+gamma^2)) bound the exact suprema over a grid, and
    the identity."""
    return bool(gram_identity() == 0) and all(
        chowdhury2021("gram", horizon, gamma).value
        <= factors[0] * horizon * (1 + gamma**2) * (1 + 1e-12)
        and chowdhury2021("cross", horizon, gamma).value
        <= factors[1] * horizon * math.sqrt(1 + gamma**2) * (1 + 1e-12)
        for horizon in (1, 2, 5, 10)
        for gamma in (0.0, 0.05, 0.5, 1.0, 3.0)
    )


def exceeded_at(horizon: int, controls: int, gamma: float) -> bool:
    """Whether two users with a common first state move the first sum by more than Delta_1 when
    gains reach gamma and the last control is 0, n = 2; by the exact supremum."""
    largest = chowdhury2021(
        "gram", horizon, gamma, controls=controls, common_start=True, last_control=False
    ).value
    return largest > printed_sizes_chowdhury2021(horizon, gamma)[0]


def covered() -> tuple[float, float]:
    """The gammas between which the printed Delta_1 covers a user who is replaced at every H: the
    roots of (1 + gamma)^2 = sqrt(2) (1 + gamma^2)."""
    lead = math.sqrt(2) - 1
    root = math.sqrt(1 - lead**2)
    return (1 - root) / lead, (1 + root) / lead


@claim("chowdhury2021/sensitivity")
def sensitivity() -> Records:
    """Delta_1 and Delta_2 bound what a user adds, not what replacing her changes."""
    ends = [float(states[1, 0]) for states in trajectories(TURNING)]
    narrow, broad = covered()
    crossed = downwards(radius(CROSSING), 5)
    yield Trial(
        lambda case: breaks(case[:3]) and turns_exceed(case[3]),
        at=(TURNING, 1, 1.0, 3),
        mutant_at=[(TURNING, 1, 2.0, 3), (TURNING, 1, 1.0, 2)],
        mutant=r"Twice the printed $\Delta_2$; every $\gamma$ at $H = 2$.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain=r"One trajectory replaced, the second sum: every $H$ for $\gamma < 1$; every "
        r"$\gamma$ for $H \ge 3$, if gains reach $\gamma$ but for the last.",
        evidence="The paper bounds one trajectory, not the difference of two.",
        severity=Severity.CONSTANT,
        witness=witness(
            TURNING,
            1,
            "the change of the sum of z x_{h+1}'",
            f"x_1 = 1 and x_2 = {ends[0]:.3f} against {ends[1]:.3f}, u = 0",
        ),
    )
    yield Trial(
        lambda case: breaks(case[0]) and exceeded_at(*case[1]),
        at=((CROSSING, 0, 1.0), (7, 2, 1e4)),
        mutant_at=[
            ((CROSSING, 0, math.sqrt(2)), (7, 2, 1e4)),
            ((CROSSING, 0, 1.0), (6, 2, 1e4)),
            ((CROSSING, 0, 1.0), (7, 1, 1e4)),
        ],
        mutant=r"$\sqrt{2}$ times the printed $\Delta_1$; at $\gamma = 10^4$ $H = 6$, or $d = 1$, "
        "in place of $H = 7$, $d = 2$.",
    ).fails(
        "reading: the first sum",
        Rigor.COUNTEREXAMPLE,
        statement=r"Replacing one trajectory changes a partial sum of $z z^\top$ by at most "
        r"$\Delta_1$.",
        domain=r"$n, d \ge 2$: small $\gamma$ for $H \ge 4$; large $\gamma$ for $H \ge 7$, if "
        rf"gains reach $\gamma$ but for the last. For $\gamma$ in $[{upwards(narrow, 3):g}, "
        rf"{downwards(broad, 3):g}]$ it holds at every $H$.",
        evidence="The states of the two users lie on two axes; the first $z$ is common.",
        witness=witness(
            CROSSING,
            0,
            "the change of the sum of z z'",
            f"x_1 = 0, then {crossed:g}.. e_1 at every step against {crossed:g}.. e_2, u = 0",
        ),
    )
    yield Trial(
        _corrected_sensitivities,
        at=(math.sqrt(2), 2.0),
        mutant_at=[(1.0, 2.0), (math.sqrt(2), 1.0)],
        mutant="The printed factor 1 for either sum.",
        scale=lambda c: (c * math.sqrt(2), c * 2.0),
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"When one user is replaced the sums change by at most $\sqrt{2} "
        r"H(1+\gamma^2)$ and $2H\sqrt{1+\gamma^2}$. When one is taken out they change by at most "
        r"$H(1+\gamma^2)$ and $H\sqrt{1+\gamma^2}$, so the printed values are right then.",
        domain=r"Every $H$ and $\gamma$, given lemma-2.",
        evidence="Two positive semidefinite matrices have an inner product that is not "
        "negative; the triangle inequality does the second sum.",
        basis=Basis(
            proof="How far one user moves the sums", uses=("chowdhury2021/lemma-2: corrected",)
        ),
    )
