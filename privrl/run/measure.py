"""Users before an agent has learnt: the measure on which every number of users rests
(docs/measure.md).

For each replicate: the first user from which on its mean regret per user, over the last fifth of
what has been played, is at most half of what play with the same information loses that learns
nothing, and stays so until the end of the run. A window is dated by the user in its middle, so that
an agent that changes at a user is dated at that user. A replicate that is not there at its end
counts as infinite.

Replicates are summed up by their median, with an interval whose coverage holds for every law: its
ends are order statistics.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.agents import registry
from privrl.checkpoints import A_DECADE
from privrl.checks import array, count, instance, planned_episodes, probability, require
from privrl.environments import planning
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.environments.problems import KNOWN_REWARDS
from privrl.types import FloatArray, IntArray, Run, TabularMDP

SHARE = 0.5  # of what play that learns nothing loses
# sums of regret are rounded otherwise on another processor: a window that loses exactly half is at
# most half on every one
LAST_BITS = 1e-9
LOSS = 0.25  # of V*: what the best constant action must lose for a world to show learning
WINDOW = 0.2  # of what has been played
STEP = 10 ** (1 / A_DECADE)
LEVEL = 0.95
RANGE = 0.9  # of the replicates
AGAIN = 399 / 400  # of the medians that other seeds give: a whole table is then run again


def marks(planned: int) -> IntArray:
    """Checkpoints for the measure: fifty a decade, and ``planned``."""
    planned = planned_episodes(planned)
    spaced = {round(10 ** (k / A_DECADE)) for k in range(A_DECADE * len(str(planned)) + 1)}
    return np.array(sorted({mark for mark in spaced if mark < planned} | {planned}), dtype=np.int64)


def first_users(episodes: Any, regret: Any, lost: float) -> FloatArray:
    """The first user from which on each replicate has learnt, shape (R,); infinity: not by the
    end.

    Parameters
    ----------
    episodes : (C,) checkpoints, increasing from 1 on, such as :func:`marks` or
        ``simulate.checkpoints``; a sparser list dates more coarsely
    regret : (R, C), cumulative regret at the checkpoints
    lost : regret of a user of play that learns nothing, see :func:`reference`
    """
    require(lost > 0, "play that learns nothing must lose something", lost=lost)
    middles, rates = windows(episodes, regret)
    users = np.full(len(rates), math.inf)
    for row, holds in enumerate(at_most_half(rates, lost)):
        broken = np.flatnonzero(~holds)
        first = int(broken[-1]) + 1 if broken.size else 0
        if first < middles.size:
            users[row] = middles[first]
    return users


def at_most_half(rates: Any, lost: float) -> Any:
    """Whether so much regret a user, a number or an array, is at most half of what play that learns
    nothing loses; half but for its last bits is half."""
    return rates <= SHARE * lost * (1 + LAST_BITS)


def windows(episodes: Any, regret: Any) -> tuple[FloatArray, FloatArray]:
    """The last fifth of what has been played, at every checkpoint.

    Returns
    -------
    the window's middle user, shape (C,), and mean regret per user inside it, shape (R, C);
    arguments as for :func:`first_users`
    """
    ends = array("episodes", episodes, (None,))
    totals = array("regret", regret, (None, ends.size))
    require(
        bool(ends.size and ends[0] >= 1 and (np.diff(ends) > 0).all()),
        "episodes must increase from 1 on",
        episodes=ends[:3].tolist(),
    )
    edges = np.concatenate(([0.0], ends))
    sums = np.concatenate((np.zeros((totals.shape[0], 1)), totals), axis=1)
    begins = np.searchsorted(edges, (1 - WINDOW) * ends, side="right") - 1
    starts = edges[begins]
    return (starts + ends) // 2 + 1, (sums[:, 1:] - sums[:, begins]) / (ends - starts)


def knows_rewards(agent: str) -> bool:
    """Whether an agent of the registry is told the mean rewards; another is not."""
    return agent in registry.names() and registry.kind(agent).plays == KNOWN_REWARDS


def reference(world: Any, agent: str) -> float:
    """Regret of a user of play that has the agent's information and learns nothing.

    Rewards unknown: uniform play. Rewards known (:func:`knows_rewards`): blind play, which knows
    nothing else. LQ, whose costs are known: no control.
    """
    instance("agent", agent, str)
    if isinstance(world, LQSystem):
        return planning.lq_regret(world, planning.lq_zero(world))
    mdp = world.tabular() if isinstance(world, LinearMixtureMDP) else world
    instance("world", mdp, TabularMDP)
    if not knows_rewards(agent):
        return planning.uniform_regret(mdp)
    values, _ = planning.optimal(mdp)
    return float(mdp.initial @ values[0]) - planning.value(mdp, planning.blind_policy(mdp))


def is_discriminating(mdp: TabularMDP) -> bool:
    """Whether the best constant action loses at least a quarter of V*; elsewhere a low regret shows
    no learning."""
    values, _ = planning.optimal(mdp)
    optimum = float(mdp.initial @ values[0])
    return optimum - planning.best_constant_action(mdp)[1] >= LOSS * optimum


def ranks(replicates: int, level: float = LEVEL) -> tuple[int, int]:
    """Ranks (1 = least) of the order statistics between which the median lies with at least this
    probability, whatever the law; 0 and R + 1 where R replicates allow no such end.

    P(X_(l) <= median <= X_(R + 1 - l)) >= 1 - 2 P(Bin(R, 1/2) < l), in exact integers.
    """
    replicates, level = count("replicates", replicates), probability("level", level)
    below, rank = 1, 0  # 2^R P(Bin < rank + 1)
    while 2 * below / 2**replicates <= 1 - level:
        rank += 1
        below += math.comb(replicates, rank)
    return rank, replicates + 1 - rank


def again_ranks(replicates: int, others: int, level: float = AGAIN) -> tuple[int, int]:
    """Ranks of the order statistics of R replicates between which the median of other ones of the
    same law lies with at least this probability; 0 and R + 1 where R allow no such end.

    All orders of R + M draws are equally probable, so the k-th of the others is below the l-th of
    the first with probability at most (ties make it less)

        sum_{i >= k} C(l - 1 + i, i) C(R - l + M - i, M - i) / C(R + M, M),

    in exact integers; k is the lower one of the two middle ranks, where there are two.
    """
    replicates, level = count("replicates", replicates), probability("level", level)
    others = count("others", others)
    middle, rank, total = (others + 1) // 2, 0, math.comb(replicates + others, others)
    while rank < replicates:
        below = sum(
            math.comb(rank + i, i) * math.comb(replicates - rank - 1 + others - i, others - i)
            for i in range(middle, others + 1)
        )
        if 2 * below > (1 - level) * total:
            break
        rank += 1
    return rank, replicates + 1 - rank


@dataclass(frozen=True, eq=False)
class Users:
    """What the replicates of one setting took, see the module.

    Parameters
    ----------
    first : (R,), as :func:`first_users` gives them
    step : ratio of neighbouring checkpoints, by which intervals are longer at both ends: a user is
        dated at the later one of two, and a median may fall between two
    """

    first: FloatArray
    step: float = 1.0

    def __post_init__(self) -> None:
        ordered = np.sort(np.asarray(self.first, dtype=np.float64))
        require(
            ordered.ndim == 1 and ordered.size > 0 and bool((ordered >= 1).all()),
            "first must hold the first user of each replicate",
            first=ordered.tolist()[:5],
        )
        object.__setattr__(self, "first", ordered)

    @property
    def median(self) -> float:
        """Half of the replicates are at least as fast; between two: the mean of both."""
        middle = self.first.size // 2
        low = self.first[middle - (self.first.size % 2 == 0)]
        return (
            float(self.first[middle])
            if low == self.first[middle]
            else float((low + self.first[middle]) / 2)
        )

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Of the median of the law; (1, infinity) where there are too few replicates."""
        low, high = ranks(self.first.size, level)
        ends = np.concatenate(([1.0], self.first, [math.inf]))
        return self._stepped(float(ends[low]), float(ends[high]))

    def again(self, replicates: int, level: float = AGAIN) -> tuple[float, float]:
        """Where the median of so many other replicates falls with at least this probability,
        whatever the law; (1, infinity) where there are too few."""
        low, high = again_ranks(self.first.size, replicates, level)
        ends = np.concatenate(([1.0], self.first, [math.inf]))
        return self._stepped(float(ends[low]), float(ends[high]))

    @property
    def whole(self) -> tuple[float, float]:
        """From the least to the most of the replicates, a checkpoint longer at both ends."""
        return self._stepped(float(self.first[0]), float(self.first[-1]))

    def _stepped(self, low: float, high: float) -> tuple[float, float]:
        return max(1.0, low / self.step), high * self.step

    @property
    def range(self) -> tuple[float, float]:
        """From the least to the most of the middle nine tenths of the replicates (fewer than 20:
        of all)."""
        cut = math.floor((1 - RANGE) / 2 * self.first.size + 1e-9)
        return float(self.first[cut]), float(self.first[self.first.size - 1 - cut])

    @property
    def never(self) -> int:
        """Replicates that had not learnt at their end."""
        return int(np.isinf(self.first).sum())


def users(run: Run, world: Any) -> Users:
    """The measure of a run, ``world`` is what it was played on; dated by :func:`marks` where the
    run has them, else by the checkpoints that it has."""
    instance("run", run, Run)
    fine = marks(run.planned)
    fine = fine[fine <= run.episodes[-1]]
    places = np.searchsorted(run.episodes, fine)
    has = bool((run.episodes[places] == fine).all())
    episodes, regret = (fine, run.regret[:, places]) if has else (run.episodes, run.regret)
    return Users(first_users(episodes, regret, reference(world, run.agent)), STEP if has else 1.0)


def words(users: Users) -> str:
    """From which user on the replicates have learnt: the median, its interval, and how many never
    did."""
    size, never = users.first.size, users.never
    if math.isinf(users.median):
        return "has not learnt" if size == 1 else f"has not learnt in {never} of {size} runs"
    since = f"has learnt from user {users.median:,.0f} on"
    if size == 1:
        return since
    low, high = users.interval()
    notes = [f"median of {size} runs"]
    if low > 1 or high < math.inf:  # of fewer replicates nothing is known
        notes.append(f"95 %: {low:,.0f} to {high:,.0f}")
    if never:
        notes.append(f"{never} never")
    return f"{since} ({'; '.join(notes)})"


def ratio(more: Users, fewer: Users, level: float = LEVEL) -> tuple[float, float, float]:
    """Of two medians, and the ends of an interval that holds it with at least this probability:
    each of the medians has half of what may go wrong."""
    each = 1 - (1 - probability("level", level)) / 2
    (low, high), (least, most) = more.interval(each), fewer.interval(each)
    return (
        _over(more.median, fewer.median),
        0.0 if math.isinf(most) else low / most,
        _over(high, least),
    )


def _over(numerator: float, denominator: float) -> float:
    """NaN where neither is reached."""
    if math.isinf(denominator):
        return math.nan if math.isinf(numerator) else 0.0
    return numerator / denominator


def outward(low: float, high: float, digits: int = 2) -> tuple[float, float]:
    """An interval of positive numbers with so many significant digits: the low end rounded down,
    the high end up."""
    count("digits", digits)
    return _digits(low, digits, math.floor), _digits(high, digits, math.ceil)


def _digits(value: float, digits: int, towards: Any) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    power = digits - 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10.0**power
    near = round(scaled)
    whole = near if math.isclose(scaled, near, rel_tol=1e-12) else towards(scaled)
    return float(f"{whole}e{-power}")
