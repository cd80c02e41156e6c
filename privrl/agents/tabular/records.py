"""What the kernels read and write: named tuples of arrays, which numba takes as they are.

Pairs are x = s A + a throughout. In sums the next state comes before the pair, in the world it
comes after.

The last word of a record's name says its role, and means the same in every family of agents; the
first says whose it is.
"""

from typing import NamedTuple

from privrl.agents.sums import Exact, Noisy, public, secret
from privrl.types import FloatArray, IntArray


@secret
class TabularWorld(NamedTuple):
    """The true environment, read-only; no planner reads it."""

    transitions: FloatArray  #: (H, SA, S), probability of the next state
    rewards: FloatArray  #: (H, SA), mean rewards
    #: (H, SA, S), probabilities summed over the next state; 1 from the last state on
    cumulative: FloatArray
    initial: FloatArray  #: (S,), distribution of the first state
    first: FloatArray  #: (S,), the same, summed
    #: (H, S), 1 where a policy can come to s at step h; elsewhere a change of plan costs nothing
    reachable: IntArray
    optimum: float  #: V*, expected total reward of the optimal policy
    bernoulli: bool  #: whether rewards are coins


@secret
class TabularSums(NamedTuple):
    """Exact running sums; no planner reads them."""

    every: Exact  #: (W,), all of them, in the order of the three below, which are views
    visits: Exact  #: n (H, SA)
    rewards: Exact  #: r (H, SA)
    successors: Exact  #: m (H, S, SA)


@public
class TabularReleased(NamedTuple):
    """n~, r~ and m~, the sums with the counter's noise, in the same layout: all that a planner
    reads."""

    every: Noisy
    visits: Noisy
    rewards: Noisy
    successors: Noisy


@public
class TabularPlan(NamedTuple):
    """What a planner writes."""

    q: FloatArray  #: (H, SA), optimistic values of the pairs
    values: FloatArray  #: (H + 1, S), their maxima; 0 at the end
    greedy: (
        IntArray  #: (H, S), bit a is set when action a attains the maximum; 0 before the first plan
    )


@secret
class TabularTally(NamedTuple):
    """Exact regret of the plans that were followed."""

    greedy: IntArray  #: (H, S), the sets of actions whose values are below
    #: (H + 1, S), exact values of playing uniformly among them, at the reachable states
    values: FloatArray
    clock: IntArray  #: (2,), finished episodes, checkpoints passed
    totals: FloatArray  #: (2,), regret so far, regret of one episode of the plan in force
    checkpoints: IntArray  #: (C,), numbers of finished episodes at which regret is recorded
    regret: FloatArray  #: (C,), filled as the checkpoints pass
