"""What the kernels of the LQ agents read and write: named tuples, which numba takes as they are.

Theta = [A, B]' has shape (p, n) throughout, p = n + d. A planner reads :class:`LQReleased` and
:class:`LQKnown`; the printed radius of chowdhury2021 reads one number more, an argument of its own
(:func:`privrl.agents.lq.kernels.plan`).

``LQWorld``, ``LQSums`` .. are what ``TabularWorld``, ``TabularSums`` .. are in the tabular family:
the last word of a record's name says its role, the first whose it is.
"""

import math
from typing import NamedTuple, NewType

from privrl.agents.sums import Exact, Noisy, public, secret
from privrl.types import FloatArray, IntArray

#: ln det(I + Z'Z / lambda_min) of exact sums, which the printed radius of chowdhury2021 reads; NaN
#: elsewhere
BeforeNoise = NewType("BeforeNoise", float)
NOT_READ = BeforeNoise(math.nan)


@public
class LQKnown(NamedTuple):
    """What an agent knows before the first episode; see
    :class:`privrl.agents.lq.state.LQCalibration`."""

    Q: FloatArray  #: (n, n), cost
    R: FloatArray  #: (d, d), cost
    start: FloatArray  #: (n,), x_1
    variance: float  #: E[w w'] = variance I
    sigma_gram: float
    sigma_cross: float
    eta: float
    lambda_min: float
    logarithm: float
    clip: float
    c_w: float  #: C_w, bound of the noise, times the multiplier of the radius
    offset: float  #: sqrt(lambda_max) + nu, likewise
    optimistic: bool  #: whether the planner is; otherwise it plays the estimate


@secret
class LQWorld(NamedTuple):
    """The true system, read-only; no planner reads it."""

    A: FloatArray  #: (n, n)
    B: FloatArray  #: (n, d)
    start: FloatArray  #: (n,)
    variance: float  #: of a coordinate of the noise
    law: int  #: of the noise, its index
    radius: float  #: its size
    per_step: int  #: its uniforms at a step
    best: FloatArray  #: (H, d, n), optimal gains
    weights: FloatArray  #: (H, d, d), R + B'P_{h+1}B


@secret
class LQSums(NamedTuple):
    """Exact running sums: Z'Z row by row from the diagonal on, then Z'X_next (p, n) by rows."""

    every: Exact  #: (W,)
    before_noise: Exact  #: the same where the printed radius reads them; (0,) elsewhere


@public
class LQReleased(NamedTuple):
    """What the counters have released, regularised."""

    gram: Noisy  #: (p, p), V_k = Z'Z + N_k + eta I
    cross: Noisy  #: (p, n), U_k = Z'X_next + L_k


@public
class LQPlan(NamedTuple):
    """What the planner writes."""

    theta: FloatArray  #: (p, n), Theta~
    warm: FloatArray  #: (p, n), the last answer of the general optimistic step
    costs: FloatArray  #: (H + 1, n, n), P_h(Theta~)
    gains: FloatArray  #: (H, d, n), the policy in force
    radius: FloatArray  #: (1,), beta_k
    cost: FloatArray  #: (1,), J_1^*(Theta~_k, x_1)
    moved: IntArray  #: (1,), 0 when the gains are those of the plan before
    #: (6,), episodes by outcome (`state.OUTCOMES`), those with a clipped gain, the last outcome
    outcomes: IntArray


@secret
class LQPath(NamedTuple):
    """The episode that was played last; no planner reads it."""

    steps: FloatArray  #: (H + 1, p), state and control of every step; the last has no control
    noise: FloatArray  #: (n,), of one step


@secret
class LQTally(NamedTuple):
    """Exact regret of the policies that were followed; as
    :class:`privrl.agents.tabular.records.TabularTally`."""

    clock: IntArray
    totals: FloatArray
    checkpoints: IntArray
    regret: FloatArray


@public
class Moments(NamedTuple):
    """Scratch of whatever follows E[x_h x_h'] over the steps, (n, n) each."""

    moment: FloatArray
    closed: FloatArray
    fore: FloatArray


@public
class LQScratch(NamedTuple):
    """Arrays that a planner overwrites in every episode."""

    wide: FloatArray  #: (8, p, n)
    square: FloatArray  #: (3, p, p)
    pa: FloatArray  #: (p, n)
    gd: FloatArray  #: (d, p)
    moments: Moments
    released: LQReleased


class Optimum(NamedTuple):
    """J_1^* as a function of Theta: what it depends on, and the arrays that it is computed in."""

    known: LQKnown
    P: FloatArray
    K: FloatArray
    pa: FloatArray
    gd: FloatArray
    moments: Moments


class Region(NamedTuple):
    """The confidence set, in the eigenbasis of V: sum v_i |Y_i - c_i|^2 <= beta^2, and |Y| <= 1."""

    V: FloatArray  #: (p, p)
    U: FloatArray  #: (p, n)
    vectors: FloatArray  #: (p, p), eigenvectors in columns
    values: FloatArray  #: (p,), eigenvalues
    center: FloatArray  #: (p, n), the estimate
    beta: float
