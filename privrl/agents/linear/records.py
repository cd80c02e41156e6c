"""What the kernels of linear mixture MDPs read and write: named tuples, which numba takes as they
are.

Pairs are x = s A + a throughout. A planner reads :class:`LinearReleased` and :class:`LinearKnown`
alone.

``LinearWorld``, ``LinearSums`` .. are what ``TabularWorld``, ``TabularSums`` .. are in the tabular
family: the last word of a record's name says its role, the first whose it is.
"""

from typing import Any, NamedTuple

from privrl.agents.sums import Exact, Noisy, public, secret
from privrl.types import FloatArray, IntArray


@public
class Layout(NamedTuple):
    """Where one regression finds its sums in the segment of a step, and which pairs it scores at
    which step.

    A *design* is a block with pairs (without twins) that a step can reach, and their features for
    unit values of the next states that they use: phi_V of all its pairs is the sum of V(s') times a
    slice. Steps share designs.
    """

    dimension: int
    sizes: IntArray  #: (B,), coordinates of a block
    grams: IntArray  #: (B,), first entry of its triangle in the segment
    vectors: IntArray  #: (B,), first entry of its vector in the segment
    block: IntArray  #: (SA,), block of a pair
    twin: IntArray  #: (SA,), the first pair with the same features, which alone is scored
    first: IntArray  #: (H + 1,), first group of a step
    groups: IntArray  #: (G,), designs of the steps
    owner: IntArray  #: (D,), block of a design
    starts: IntArray  #: (D + 1,), first column of a design
    columns: IntArray  #: (C,), pairs
    heads: IntArray  #: (D + 1,), first next state of a design
    after: IntArray  #: (N,), next states
    places: IntArray  #: (N,), first entry of the slice (m P,), pairs fastest
    slices: FloatArray  #: the slices, one after the other


# entries of a bonus: its parts, and those under its root
BASE, OF_EPISODES, OF_NOISE, OF_ROOT = range(4)
ROOT_FIXED, ROOT_LOGARITHM, LOGARITHM_RATE, ROOT_DETERMINANT = range(4, 8)


@public
class Widths(NamedTuple):
    """Noise and bonus of one regression, see :mod:`privrl.agents.linear.widths`."""

    gram: FloatArray  #: (H,), standard deviation of the noise in a Gram entry
    vector: FloatArray  #: (H,)
    shift: FloatArray  #: (H, 2): lambda, growth; the Gram matrix gets (lambda + growth sqrt(n)) I
    #: (H, 8), by the names above; see `kernels.width_of`
    bonus: FloatArray


@public
class Growth(NamedTuple):
    """Variance of the release after t batches, over that of a draw, from above: see
    `kernels.terms`."""

    mode: int
    fixed: float  #: the largest of a run
    least: float  #: the least after the first episode, from below
    weights: FloatArray  #: of the set bits of t; or of t, and then of the exponentials
    rates: FloatArray  #: (E,), of the exponentials, negative
    every: int = 1  #: users to a release


@public
class Estimator(NamedTuple):
    """One of the two regressions."""

    layout: Layout
    widths: Widths
    segment: int  #: released sums of a step


@public
class Sparse(NamedTuple):
    """The features psi by pairs, for those next states where they are not zero, in the order of the
    blocks."""

    first: IntArray  #: (SA + 1,), first entry of a pair
    after: IntArray  #: (E,), next state
    weight: FloatArray  #: (E, largest block), psi(s, a, s') on the block of the pair


@public
class LinearKnown(NamedTuple):
    """What an agent knows before the first episode: features, noise and widths, and nothing of the
    parameters."""

    transitions: Estimator
    rewards: Estimator
    #: (H, SA), mean rewards where they are known to the agent; (H, 0) where they are estimated
    means: FloatArray
    caps: FloatArray  #: (H,), Q_h is clipped to it from above
    floor: float  #: and to this from below
    growth: Growth
    scales: FloatArray  #: (W,), standard deviation of a draw of the noise of a release
    psi: Sparse
    varphi: FloatArray  #: (SA, largest block), on the block of the pair
    reachable: Any  #: (H, S), whether the support of the features allows to come to s at step h
    actions: int


@secret
class LinearWorld(NamedTuple):
    """The true environment, read-only; no planner reads it. As
    :class:`privrl.agents.tabular.records.TabularWorld`."""

    rewards: FloatArray  #: (H, SA)
    chance: FloatArray  #: (H, E), probability of the next states that ``support`` lists
    support: Sparse  #: the pairs' next states
    initial: FloatArray  #: (S,)
    first: FloatArray  #: (S,)
    reachable: Any  #: (H, S)
    optimum: float
    bernoulli: bool


@secret
class LinearSums(NamedTuple):
    """Exact running sums; no planner reads them."""

    every: Exact  #: (W,), see :mod:`privrl.agents.linear.layout`


@public
class LinearReleased(NamedTuple):
    """What the counter has released after ``finished`` episodes: all that a planner learns of the
    data."""

    sums: Noisy  #: (W,)
    finished: int
    variance: float  #: of the noise, over that of a draw


@secret
class LinearPath(NamedTuple):
    """The episode that was played last; no planner reads it."""

    states: IntArray  #: (H + 1,)
    pairs: IntArray  #: (H,)
    rewards: FloatArray  #: (H,)
    phi: FloatArray  #: (largest block,), scratch: the features of one step


@secret
class LinearTally(NamedTuple):
    """Exact regret of the policies that were followed; as
    :class:`privrl.agents.tabular.records.TabularTally`."""

    values: FloatArray
    clock: IntArray
    totals: FloatArray
    checkpoints: IntArray
    regret: FloatArray


@public
class RegressionScratch(NamedTuple):
    """Of the block of one regression, as large as the largest: what `kernels.substitute` works
    on."""

    triangle: FloatArray  #: (m (m + 1)/2,), the Gram matrix, upper triangle by rows
    vector: FloatArray  #: (m,)
    features: FloatArray  #: (m SA,), of the pairs that are scored, pairs fastest
    estimates: FloatArray  #: (SA,), of these pairs
    squares: FloatArray  #: (SA,), squared norms of their features in the inverse of the matrix


@public
class LinearScratch(NamedTuple):
    """Arrays that a planner overwrites in every episode."""

    work: RegressionScratch
    upper: FloatArray  #: (SA,), estimate plus bonus of the transitions
    gain: FloatArray  #: (SA,), of the rewards
    unit: FloatArray  #: (1,), what the only "next state" of the reward regression is worth
    released: Noisy  #: (W,)
