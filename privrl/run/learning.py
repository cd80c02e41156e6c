"""When an agent has learnt: mean regret per episode over windows of a tenth of a run, against
uniform play.

*Learns*: over the last tenth of the run the mean regret per episode is at most half of uniform
play's, interval included, on an MDP that can show it (:func:`is_discriminating`). *Burn-in*: the
first episode from which that holds, on average over a window of a tenth, and over every later
window too. The interval is the two-sided 95 % t interval of the mean over replicates.

Two kinds of window. *Fixed* ones are a tenth of the planned number long and start at every
hundredth of it: the definition, which cannot resolve a burn-in shorter than the window. *Growing*
ones end at every checkpoint t and begin at the latest checkpoint up to 0.9 t, so they are the last
tenth (between two sparse checkpoints: the last fifth) of what has been played. At the planned end
both are the last tenth of the run.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.checks import array, count, flag, instance, probability, require
from privrl.environments import planning
from privrl.types import FloatArray, IntArray, Run, TabularMDP

SHARE = 0.5  # of what play that learns nothing loses: at or below it an agent has learnt
LOSS = 0.25  # of V*: what the best constant action must lose for an MDP to discriminate
PARTS = 100  # starts of windows
WIDTH = 10  # hundredths in a window
LEVEL = 0.95  # of intervals


@dataclass(frozen=True, eq=False)
class Windows:
    """Mean regret per episode over windows, in the order of their ends."""

    starts: IntArray  #: (W,), episodes finished when the window begins
    ends: IntArray  #: (W,), and when it ends
    regret: FloatArray  #: (R, W), mean regret per episode inside the window, one row per replicate


@dataclass(frozen=True)
class BurnIn:
    """The first window from which an agent has learnt; ``None``: not within the run."""

    episode: int | None  #: by the upper end of the interval of the mean, the definition's
    central: int | None  #: by the mean itself
    earliest: int | None  #: by the lower end: before it even the benefit of the doubt does not help


def windows(episodes: Any, regret: Any, planned: int, *, growing: bool = False) -> Windows:
    """Windows of a tenth: of ``planned``, or of the episodes so far when ``growing``.

    Parameters
    ----------
    episodes : (C,), checkpoints as ``simulate.checkpoints(planned)`` gives them, or its beginning
    regret : (R, C), cumulative regret at the checkpoints
    planned : at least 100; the run must not end before the first window does
    """
    planned, growing = count("planned", planned, PARTS), flag("growing", growing)
    marks = array("episodes", episodes, (None,)).astype(np.int64)
    totals = array("regret", regret, (None, marks.size))
    grid = np.array([planned * tenth // PARTS for tenth in range(1, PARTS + 1)], dtype=np.int64)
    grid = grid[grid <= marks[-1]]
    positions = np.searchsorted(marks, grid)
    recorded = bool((marks[positions] == grid).all())
    require(recorded, "episodes must contain every hundredth of planned", planned=planned)
    require(
        grid.size >= WIDTH,
        "a run must be at least a tenth of planned",
        last=int(marks[-1]),
        planned=planned,
    )
    marks = np.concatenate(([0], marks))
    totals = np.concatenate((np.zeros((totals.shape[0], 1)), totals), axis=1)
    if growing:
        last = np.arange(1, marks.size)
        first = np.searchsorted(marks, marks[last] * (PARTS - WIDTH) // PARTS, side="right") - 1
    else:
        last = positions[WIDTH - 1 :] + 1
        first = np.concatenate(([0], positions[: last.size - 1] + 1))
    starts, ends = marks[first], marks[last]
    return Windows(starts, ends, (totals[:, last] - totals[:, first]) / (ends - starts))


def interval(values: Any, level: float = LEVEL) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean over replicates and the two ends of its t interval, each (W,), from ``values`` (R, W)
    with R >= 2."""
    from scipy.stats import t as student  # slow to import, and seldom needed

    rows = array("values", values, (None, None))
    replicates = rows.shape[0]
    require(replicates >= 2, "an interval needs at least 2 replicates", replicates=replicates)
    mean = rows.mean(axis=0)
    quantile = float(student.ppf((1 + probability("level", level)) / 2, replicates - 1))
    half = quantile * rows.std(axis=0, ddof=1) / math.sqrt(replicates)
    return mean, mean - half, mean + half


def uniform_regret(mdp: TabularMDP) -> float:
    """Regret of one episode of uniform play: V* minus its value."""
    values, _ = planning.optimal(mdp)
    return float(mdp.initial @ values[0]) - planning.value(mdp, planning.uniform_policy(mdp))


def is_discriminating(mdp: TabularMDP) -> bool:
    """Whether the best constant action loses at least a quarter of V*; elsewhere a low regret shows
    nothing."""
    values, _ = planning.optimal(mdp)
    optimum = float(mdp.initial @ values[0])
    return optimum - planning.best_constant_action(mdp)[1] >= LOSS * optimum


def learns(run: Run, mdp: TabularMDP) -> bool:
    """Whether the agent of ``run`` learns on ``mdp``; the run must have been played to its planned
    end.

    Raises
    ------
    ValueError
        An MDP that does not discriminate, a run that was ended early, fewer than two replicates.
    """
    windows_, threshold = _prepared(run, mdp)
    require(
        int(windows_.ends[-1]) == run.planned,
        "a run must be played to its planned end",
        last=int(windows_.ends[-1]),
        planned=run.planned,
    )
    return bool(interval(windows_.regret)[2][-1] <= threshold)


def burn_in(run: Run, mdp: TabularMDP, *, growing: bool = False) -> BurnIn:
    """The first window of ``run`` from which the agent has learnt; conditions as for
    :func:`learns`."""
    windows_, threshold = _prepared(run, mdp, growing)
    mean, low, high = interval(windows_.regret)
    return BurnIn(*(from_then_on(windows_.starts, ends <= threshold) for ends in (high, mean, low)))


def _prepared(run: Run, mdp: TabularMDP, growing: bool = False) -> tuple[Windows, float]:
    instance("run", run, Run)
    require(
        is_discriminating(mdp),
        "the best constant action must lose at least a quarter of V* for a run to show learning",
        mdp=mdp.name,
    )
    windows_ = windows(run.episodes, run.regret, run.planned, growing=growing)
    return windows_, SHARE * uniform_regret(mdp)


def from_then_on(starts: IntArray, holds: Any) -> int | None:
    """The first start from which ``holds`` stays true to the last window."""
    broken = np.flatnonzero(~np.asarray(holds))
    first = int(broken[-1]) + 1 if broken.size else 0
    return int(starts[first]) if first < starts.size else None
