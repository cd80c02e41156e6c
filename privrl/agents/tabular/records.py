"""What the kernels read and write: named tuples of arrays, which numba takes as they are.

Pairs are x = s A + a throughout. In sums the next state comes before the pair, in the world it comes after.
"""

from typing import NamedTuple

from privrl.types import FloatArray, IntArray


class World(NamedTuple):
    """The true environment, read-only; no planner reads it.

    Parameters
    ----------
    transitions : (H, SA, S), probability of the next state
    rewards : (H, SA), mean rewards
    cumulative : (H, SA, S), probabilities summed over the next state; 1 from the last state on
    initial : (S,), distribution of the first state
    first : (S,), the same, summed
    reachable : (H, S), 1 where a policy can come to s at step h; elsewhere, 0, a change of plan costs nothing
    optimum : V*, expected total reward of the optimal policy
    bernoulli : whether rewards are coins
    """

    transitions: FloatArray
    rewards: FloatArray
    cumulative: FloatArray
    initial: FloatArray
    first: FloatArray
    reachable: IntArray
    optimum: float
    bernoulli: bool


class Sums(NamedTuple):
    """Exact running sums; no planner reads them.

    Parameters
    ----------
    every : (W,), all of them, in the order of the three below, which are views
    visits : n (H, SA)
    rewards : r (H, SA)
    successors : m (H, S, SA)
    """

    every: FloatArray
    visits: FloatArray
    rewards: FloatArray
    successors: FloatArray


class Released(NamedTuple):
    """n~, r~ and m~, the sums with the counter's noise, in the same layout: all that a planner reads."""

    every: FloatArray
    visits: FloatArray
    rewards: FloatArray
    successors: FloatArray


class Plan(NamedTuple):
    """What a planner writes.

    Parameters
    ----------
    q : (H, SA), optimistic values of the pairs
    values : (H + 1, S), their maxima; 0 at the end
    greedy : (H, S), bit a is set when action a attains the maximum; 0 before the first plan
    """

    q: FloatArray
    values: FloatArray
    greedy: IntArray


class Tally(NamedTuple):
    """Exact regret of the plans that were followed.

    Parameters
    ----------
    greedy : (H, S), the sets of actions whose values are below
    values : (H + 1, S), exact values of playing uniformly among them, at the reachable states
    clock : (2,), finished episodes, checkpoints passed
    totals : (2,), regret so far, regret of one episode of the plan in force
    checkpoints : (C,), numbers of finished episodes at which regret is recorded
    regret : (C,), filled as the checkpoints pass
    """

    greedy: IntArray
    values: FloatArray
    clock: IntArray
    totals: FloatArray
    checkpoints: IntArray
    regret: FloatArray
