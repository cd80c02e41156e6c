"""What the kernels of the LQ agents read and write: named tuples, which numba takes as they are.

Theta = [A, B]' has shape (p, n) throughout, p = n + d. A planner reads :class:`Released` and :class:`Known`; the
printed radius of chowdhury2021 reads one number more, an argument of its own (:func:`privrl.agents.lq.learner.plan`).
"""

from typing import NamedTuple

from privrl.types import FloatArray, IntArray


class Known(NamedTuple):
    """What an agent knows before the first episode.

    Parameters
    ----------
    Q, R : (n, n) and (d, d), costs; start : (n,), x_1; variance : E[w w'] = variance I
    sigma_gram, sigma_cross, eta, lambda_min, logarithm, clip : see :class:`privrl.agents.lq.learner.Calibration`
    c_w : C_w, bound of the noise; offset : sqrt(lambda_max) + nu; both times the multiplier of the radius
    optimistic : whether the planner is; otherwise it plays the estimate
    """

    Q: FloatArray
    R: FloatArray
    start: FloatArray
    variance: float
    sigma_gram: float
    sigma_cross: float
    eta: float
    lambda_min: float
    logarithm: float
    clip: float
    c_w: float
    offset: float
    optimistic: bool


class World(NamedTuple):
    """The true system, read-only; no planner reads it.

    Parameters
    ----------
    A, B : (n, n) and (n, d); start : (n,); variance : of a coordinate of the noise
    law, radius, per_step : of the noise, its index, its size, and its uniforms at a step
    best : (H, d, n), optimal gains; weights : (H, d, d), R + B'P_{h+1}B
    """

    A: FloatArray
    B: FloatArray
    start: FloatArray
    variance: float
    law: int
    radius: float
    per_step: int
    best: FloatArray
    weights: FloatArray


class Sums(NamedTuple):
    """Exact running sums: Z'Z row by row from the diagonal on, then Z'X_next (p, n) by rows."""

    every: FloatArray  # (W,)
    before_noise: FloatArray  # the same where the printed radius reads them; (0,) elsewhere


class Released(NamedTuple):
    """What the counters have released, regularised."""

    gram: FloatArray  # (p, p), V_k = Z'Z + N_k + eta I
    cross: FloatArray  # (p, n), U_k = Z'X_next + L_k


class Plan(NamedTuple):
    """What the planner writes.

    Parameters
    ----------
    theta : (p, n), Theta~; warm : (p, n), the last answer of the general optimistic step
    costs : (H + 1, n, n), P_h(Theta~); gains : (H, d, n), the policy in force
    radius, cost : (1,), beta_k and J_1^*(Theta~_k, x_1)
    moved : (1,), 0 when the gains are those of the plan before
    outcomes : (6,), episodes by outcome of the optimistic step (:data:`privrl.agents.lq.learner.KINDS`), episodes with
        a clipped gain, the last outcome
    """

    theta: FloatArray
    warm: FloatArray
    costs: FloatArray
    gains: FloatArray
    radius: FloatArray
    cost: FloatArray
    moved: IntArray
    outcomes: IntArray


class Path(NamedTuple):
    """The episode that was played last; no planner reads it."""

    steps: FloatArray  # (H + 1, p), state and control of every step; the last has no control
    noise: FloatArray  # (n,), of one step


class Tally(NamedTuple):
    """Exact regret of the policies that were followed; as :class:`privrl.agents.tabular.records.Tally`."""

    clock: IntArray
    totals: FloatArray
    checkpoints: IntArray
    regret: FloatArray


class Moments(NamedTuple):
    """Scratch of whatever follows E[x_h x_h'] over the steps, (n, n) each."""

    moment: FloatArray
    closed: FloatArray
    fore: FloatArray


class Scratch(NamedTuple):
    """Arrays that a planner overwrites in every episode."""

    wide: FloatArray  # (8, p, n)
    square: FloatArray  # (3, p, p)
    pa: FloatArray  # (p, n)
    gd: FloatArray  # (d, p)
    moments: Moments
    released: Released


class Optimum(NamedTuple):
    """J_1^* as a function of Theta: what it depends on, and the arrays that it is computed in."""

    known: Known
    P: FloatArray
    K: FloatArray
    pa: FloatArray
    gd: FloatArray
    moments: Moments


class Region(NamedTuple):
    """The confidence set, in the eigenbasis of V: sum v_i |Y_i - c_i|^2 <= beta^2, and |Y| <= 1."""

    V: FloatArray  # (p, p)
    U: FloatArray  # (p, n)
    vectors: FloatArray  # (p, p), eigenvectors in columns
    values: FloatArray  # (p,), eigenvalues
    center: FloatArray  # (p, n), the estimate
    beta: float
