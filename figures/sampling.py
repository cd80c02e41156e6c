"""Exploration by sampling, as the field knows it: PSRL and RLSVI for tabular MDPs, in plain NumPy,
without privacy.

Both plan greedily in every episode, on a model that they draw. A draw is independent of those
before it, and its spread at a pair that was seen n times falls like 1 / sqrt(n).
"""

from collections.abc import Callable

import numpy as np

from privrl.environments import episode, evaluate, planning
from privrl.run import simulate
from privrl.types import FloatArray, IntArray, Run, TabularMDP

OutcomeDraw = Callable[[np.random.Generator, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


def psrl(
    rng: np.random.Generator, rewards: FloatArray, successors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Rewards and transitions from their posterior (Osband, Russo and Van Roy 2013): Beta(1, 1) and
    Dirichlet(1, ..).

    Parameters
    ----------
    rewards : (H, S, A), sums; successors : (H, S, A, S), counts of next states
    """
    visits = successors.sum(axis=-1)
    shares = rng.standard_gamma(1 + successors)
    return rng.beta(1 + rewards, 1 + visits - rewards), shares / shares.sum(axis=-1, keepdims=True)


def rlsvi(
    rng: np.random.Generator, rewards: FloatArray, successors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Estimates over n + 1, the rewards with noise of variance 1 / (n + 1) (Russo 2019, with beta =
    1).

    What an estimate lacks leads nowhere, where nothing is paid.
    """
    more = successors.sum(axis=-1) + 1
    return rewards / more + rng.standard_normal(more.shape) / np.sqrt(more), successors / more[
        ..., None
    ]


def run(mdp: TabularMDP, draw: OutcomeDraw, episodes: int, seed: int) -> Run:
    """Exact regret of one replicate."""
    rng = np.random.default_rng(seed)
    recorder = evaluate.Recorder(mdp, agent=draw.__name__, episodes=episodes, seed=seed)
    horizon, states, _ = mdp.rewards.shape
    rewards, successors = np.zeros(mdp.rewards.shape), np.zeros(mdp.transitions.shape)
    world, pairs = episode.FiniteEpisode(mdp), np.arange(states)
    for _ in range(episodes):
        gains, chances = draw(rng, rewards, successors)
        values, policy = np.zeros(states), np.zeros((horizon, states), dtype=np.int64)
        for h in reversed(range(horizon)):
            q = gains[h] + chances[h] @ values
            policy[h] = q.argmax(axis=1)  # ties have probability 0
            values = np.clip(q[pairs, policy[h]], 0, horizon - h)
        recorder.record(policy)
        world.begin(rng.random(world.coins))
        for h, row in enumerate(policy):
            s, a = world.state, row[world.state]
            rewards[h, s, a] += world.act(a)
            successors[h, s, a, world.state] += 1
    return recorder.run()


def many(
    mdp: TabularMDP, draw: OutcomeDraw, episodes: int, replicates: int, seed: int
) -> tuple[IntArray, FloatArray]:
    """Checkpoints (C,) and exact regret (R, C) of replicates that are played side by side."""
    rng = np.random.default_rng(seed)
    marks = simulate.checkpoints(episodes)
    horizon, states, _ = mdp.rewards.shape
    every, pairs = np.arange(replicates), np.arange(states)
    rewards = np.zeros((replicates, *mdp.rewards.shape))
    successors = np.zeros((replicates, *mdp.transitions.shape))
    cumulative, first = mdp.transitions.cumsum(axis=-1), mdp.initial.cumsum()
    best, _ = planning.optimal(mdp)
    optimum, total = float(mdp.initial @ best[0]), np.zeros(replicates)
    regret, place = np.zeros((replicates, marks.size)), 0
    for number in range(1, episodes + 1):
        gains, chances = draw(rng, rewards, successors)
        values, worth = np.zeros((replicates, states)), np.zeros((replicates, states))
        policy = np.zeros((replicates, horizon, states), dtype=np.int64)
        for h in reversed(range(horizon)):
            q = gains[:, h] + np.einsum("rsat,rt->rsa", chances[:, h], values)
            policy[:, h] = q.argmax(axis=-1)  # ties have probability 0
            values = np.clip(q.max(axis=-1), 0, horizon - h)
            chosen = mdp.transitions[h, pairs, policy[:, h]]
            worth = mdp.rewards[h, pairs, policy[:, h]] + np.einsum("rst,rt->rs", chosen, worth)
        total += optimum - worth @ mdp.initial
        s = (rng.random((replicates, 1)) >= first[:-1]).sum(axis=1)
        for h in range(horizon):
            a = policy[every, h, s]
            gain = mdp.rewards[h, s, a]
            if mdp.bernoulli:
                gain = (rng.random(replicates) < gain).astype(np.float64)
            after = (rng.random((replicates, 1)) >= cumulative[h, s, a, :-1]).sum(axis=1)
            rewards[every, h, s, a] += gain
            successors[every, h, s, a, after] += 1
            s = after
        if number == marks[place]:
            regret[:, place] = total
            place += 1
    return marks, regret
