"""PUCB replayed, with what its analysis speaks of recorded on every episode.

The kernels keep regret only. A replay takes the same streams (noise, the environment's coins, ties)
and the agent's own ``plan``, and records beside the gap of each episode: whether the plan was
optimistic, which of the six families of definition-6 deviated, and what the bonuses add up to under
the policy in force. Replicates run side by side; all arrays carry them first.

>>> from privrl.agents.tabular.pucb import PUCB
>>> from privrl.environments import chain
>>> run = diagnose(chain(2), PUCB(epsilon=1e4), 50, replicates=2)
>>> run.gap.shape, bool((run.shortfall <= 0).all())
((2, 50), True)
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privrl.agents.tabular.learner import released_sums
from privrl.agents.tabular.learner import width as sums
from privrl.agents.tabular.pucb import PUCB, Confidence, PUCBWidths, plan
from privrl.agents.tabular.records import TabularPlan
from privrl.checks import count, instance, planned_episodes, positive, real, require
from privrl.environments import planning
from privrl.run import simulate
from privrl.types import BoolArray, FloatArray, TabularMDP

MOST_GAPS = 10**7
FAMILIES = (
    "visits",
    "rewards",
    "transitions",
    "released rewards",
    "released visits",
    "released transitions",
)


@dataclass(frozen=True, eq=False)
class TabularDiagnosis:
    """What happened on every episode of every replicate, (R, T) each.

    ``repaired`` : sum of growth^(h-1) w min(H, conf~ + (2 + H + SH) E/n~ + (H+1) phi^ + slack/n^),
        H where n~ < 2E, the slack at steps before the last
    """

    gap: FloatArray  #: V* minus the value of the policy in force, exact
    shortfall: (
        FloatArray  #: the largest Q* - Q~+ over all tuples; at most 0 when the plan is optimistic
    )
    printed: FloatArray  #: sum of visit probability times conf~ (the right side of lemma-18)
    clipped: FloatArray  #: the same with min(H, conf~)
    repaired: FloatArray
    broken: (
        BoolArray  #: (6, R, T), which of :data:`FAMILIES` deviated at the beginning of the episode
    )
    known: NDArray[np.int64]  #: number of tuples with n~ >= 2E

    @property
    def good(self) -> BoolArray:
        """(R,), whether no family deviated in any episode: the good event of definition-6."""
        return np.asarray(~self.broken.any(axis=(0, 2)))


def streams(
    mdp: TabularMDP, agent: PUCB, planned: int, episodes: int | None, replicates: int, seed: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Noise (R, T, W), coins (R, T, 1 + 2H) and ties (R, T, H): those that ``simulate.replicate``
    draws."""
    drawn = [
        simulate.streams(mdp, agent, planned, episodes, seed, index) for index in range(replicates)
    ]
    noise, coins, ties = (np.stack(parts) for parts in zip(*drawn, strict=True))
    return noise, coins, ties


def diagnose(
    mdp: TabularMDP,
    agent: PUCB,
    planned: int,
    *,
    episodes: int | None = None,
    replicates: int = 1,
    seed: int = 0,
    growth: float = 1.0,
    slack: float = 0.0,
) -> TabularDiagnosis:
    """Replay the runs that ``simulate.run`` makes with the same numbers; memory grows with
    ``episodes``.

    Parameters
    ----------
    planned : episodes that the agent is told of
    episodes : episodes replayed (default: all)
    growth, slack : of :attr:`TabularDiagnosis.repaired`
    """
    instance("mdp", mdp, TabularMDP)
    instance("agent", agent, PUCB)
    drawn = streams(mdp, agent, planned, episodes, count("replicates", replicates), seed)
    return replay(mdp, agent, planned, drawn, growth=growth, slack=slack)


def replay(
    mdp: TabularMDP,
    agent: PUCB,
    planned: int,
    drawn: tuple[FloatArray, FloatArray, FloatArray],
    *,
    growth: float = 1.0,
    slack: float = 0.0,
    width: float | None = None,
) -> TabularDiagnosis:
    """Play the given streams and record; see :func:`diagnose` and :func:`streams`.

    ``width`` : E in place of the calibration's, for a broken twin of the algorithm
    """
    H, S, A = mdp.rewards.shape
    noise, coins, ties = drawn
    replicates, episodes = noise.shape[:2]
    shapes = (
        (replicates, episodes, sums(mdp)),
        (replicates, episodes, 1 + 2 * H),
        (replicates, episodes, H),
    )
    for name, block, shape in zip(
        ("noise", "coins", "ties"), (noise, coins, ties), shapes, strict=True
    ):
        require(block.shape == shape, f"{name} must have shape {shape}", shape=block.shape)
    require(1 <= real("growth", growth) <= 1e6, "growth must be in [1, 1e6]", growth=growth)
    require(0 <= real("slack", slack) < math.inf, "slack must be >= 0 and finite", slack=slack)
    calibration = agent.calibrate(mdp, planned)
    E = calibration.e_epsilon if width is None else positive("width", width)
    optimal, optimal_q = planning.optimal(mdp)
    expected = (mdp.transitions @ optimal[1:, None, :, None])[..., 0]  # P V*, (H, S, A)
    floor = math.log(S * A * H / (agent.beta / 4))
    cumulative, first = np.cumsum(mdp.transitions, axis=-1), np.cumsum(mdp.initial)
    weights = growth ** np.arange(H)[:, None, None]
    later = slack * (np.arange(H) < H - 1)[:, None, None]
    everyone = np.arange(replicates)
    totals, released, pairs = (
        np.zeros((replicates, sums(mdp))),
        np.zeros((replicates, sums(mdp))),
        H * S * A,
    )
    n, r, m = (
        total.reshape(replicates, H, *shape)
        for total, shape in zip(
            np.split(totals, [pairs, 2 * pairs], axis=1), ((S, A), (S, A), (S, S, A)), strict=True
        )
    )
    q, visits = np.empty((replicates, H, S, A)), np.zeros((replicates, H, S, A))
    values = np.zeros((replicates, H + 1, S))
    greedy, inverse, bonus = (
        np.empty((replicates, H, S), np.int64),
        np.empty_like(q),
        np.empty_like(q),
    )
    rows: list[list[FloatArray]] = []
    broken = np.zeros((6, replicates, episodes), dtype=np.bool_)
    records = [released_sums(of_replicate, mdp) for of_replicate in released]  # views, filled anew
    for t in range(episodes):
        np.add(totals, noise[:, t], out=released)
        for i in everyone:
            plan(
                records[i],
                PUCBWidths(E, calibration.logarithm),
                Confidence(inverse[i].reshape(-1), bonus[i].reshape(-1)),
                TabularPlan(q[i].reshape(H, S * A), values[i], greedy[i]),
            )
        known = inverse > 0
        policy = (q == values[:, :-1, :, None]).astype(np.float64)
        policy /= policy.sum(axis=-1, keepdims=True)  # ties are broken uniformly
        reached, value = _follow(mdp, policy)
        # the good event, at the beginning of the episode
        visited = n > 0
        per_visit = np.divide(1.0, n, out=np.zeros_like(n), where=visited)
        phi = np.where(visited, np.sqrt(calibration.logarithm * per_visit), np.inf)
        moved = (m * optimal[1:, :, None, None]).sum(axis=2) * per_visit
        broken[:, :, t] = [
            (n < visits / 2 - floor).any(axis=(1, 2, 3)),
            (visited & (np.abs(r * per_visit - mdp.rewards) >= phi)).any(axis=(1, 2, 3)),
            (visited & (np.abs(moved - expected) >= H * phi)).any(axis=(1, 2, 3)),
            *(
                (np.abs(noise[:, t, columns]) >= E).any(axis=1) & (E > 0)
                for columns in (slice(pairs, 2 * pairs), slice(pairs), slice(2 * pairs, None))
            ),
        ]
        with np.errstate(
            invalid="ignore"
        ):  # infinity for tuples that are not seen, clipped at once
            excess = (
                bonus
                + inverse * (2 + H + S * H) * E
                + (H + 1) * phi
                + np.where(visited, later * per_visit, np.inf if slack else 0.0)
            )
        rows.append(
            [
                optimal[0] @ mdp.initial - value,
                (optimal_q - q).max(axis=(1, 2, 3)),
                (reached * bonus).sum(axis=(1, 2, 3)),
                (reached * np.minimum(H, bonus)).sum(axis=(1, 2, 3)),
                (reached * weights * np.where(known, np.minimum(H, excess), H)).sum(axis=(1, 2, 3)),
                known.sum(axis=(1, 2, 3)),
            ]
        )
        visits += reached
        s = (coins[:, t, 0, None] >= first[:-1]).sum(axis=1)
        for h in range(H):
            chances = policy[everyone, h, s].cumsum(axis=1)
            a = (ties[:, t, h, None] >= chances[:, :-1] * (1 - 1e-15)).sum(axis=1)
            after = (coins[:, t, 1 + 2 * h, None] >= cumulative[h, s, a, :-1]).sum(axis=1)
            reward = mdp.rewards[h, s, a]
            if mdp.bernoulli:
                reward = (coins[:, t, 2 + 2 * h] < reward).astype(np.float64)
            n[everyone, h, s, a] += 1
            r[everyone, h, s, a] += reward
            m[everyone, h, after, s, a] += 1
            s = after
    gap, shortfall, printed, clipped, repaired, known = (
        np.stack(column, axis=1) for column in zip(*rows, strict=True)
    )
    return TabularDiagnosis(
        gap, shortfall, printed, clipped, repaired, broken, known.astype(np.int64)
    )


def gaps(
    mdp: TabularMDP, agent: PUCB, planned: int, *, seed: int = 0, index: int = 0
) -> FloatArray:
    """(T,) V* minus the value of the policy in force in every episode, from the compiled agent.

    The run is replicate ``index`` of ``simulate.run`` with the same seed; its regret is the sum, so
    a gap is good to rounding in a sum of that size. Memory grows with T, which may be 10^7.
    """
    instance("mdp", mdp, TabularMDP)
    instance("agent", agent, PUCB)
    planned = planned_episodes(planned)
    require(
        planned <= MOST_GAPS,
        f"episodes must be <= {MOST_GAPS} where every gap is kept",
        episodes=planned,
    )
    regret = simulate.replicate(
        mdp, agent, planned, None, seed, index, marks=np.arange(1, planned + 1)
    )
    return np.diff(regret, prepend=0.0)


def _follow(mdp: TabularMDP, policy: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Visit probabilities (R, H, S, A) and value (R,) of randomised policies (R, H, S, A)."""
    steps = np.einsum("rhsa,hsat->rhst", policy, mdp.transitions)
    states = np.empty(policy.shape[:3])
    states[:, 0] = mdp.initial
    for h in range(mdp.horizon - 1):
        states[:, h + 1] = np.einsum("rs,rst->rt", states[:, h], steps[:, h])
    reached = states[..., None] * policy
    return reached, (reached * mdp.rewards).sum(axis=(1, 2, 3))
