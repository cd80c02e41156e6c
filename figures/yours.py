"""Regret of a reader's own choice between its bounds: what the parameter cells of the notebooks run
and draw."""

from collections.abc import Callable, Iterable, Mapping
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from figures import linear_runs, style
from figures.kinds.lines import Figure, legend_below, single
from privrl.checks import require
from privrl.environments import planning, suite
from privrl.environments.lq import LQSystem
from privrl.run import measure, simulate
from privrl.run.progress import Progress
from privrl.types import Run, TabularMDP
from theory.compare import near
from theory.formulas import upwards

# name -> the bound for a run that is planned for so many episodes
Bounds = Mapping[str, Callable[[int], float]]


def runs(
    entry: str, agents: Mapping[str, Any], episodes: int, replicates: int = 2, seed: int = 0
) -> dict[str, Run]:
    """Exact regret of every agent on an entry of the suite, with a bar of what is done."""
    environment, runs_ = suite.environment(entry), {}
    bar = Progress(entry)
    bar.begin(0, len(agents))
    for done, (name, agent) in enumerate(agents.items(), 1):
        runs_[name] = simulate.run(
            entry, environment, agent, episodes=episodes, replicates=replicates, seed=seed
        )
        bar(done, len(agents))
    return runs_


def rates(entry: str, trivial: float) -> dict[str, float]:
    """Regret of an episode without any agent: play that learns nothing, the best constant one, the
    trivial bound."""
    environment = suite.environment(entry)
    if isinstance(environment, LQSystem):
        zero = planning.lq_regret(environment, planning.lq_zero(environment))
        constant = (
            planning.lq_best_constant_gain(environment)[1] if environment.controls == 1 else nan
        )
        return {"u = 0": zero, "best constant gain": constant, "trivial bound": trivial}
    rates_ = linear_runs.references(entry)
    return {
        "uniform play": rates_["uniform"],
        "best constant action": rates_["constant"],
        "trivial bound": trivial,
    }


def _blind(entry: str) -> str:
    """What play that knows nothing is called."""
    return "u = 0" if isinstance(suite.environment(entry), LQSystem) else "uniform play"


def look_of(bound: str) -> tuple[str, Any]:
    """Colour and dash of a bound by its name, as in the stored figures: a *lower bound*, one that
    is *proved*, or else one as the paper states it."""
    if bound.startswith("lower bound"):
        return style.COLOURS["other"], style.LINES["lower"]
    return style.COLOURS["bound"], style.LINES["proved" if "proved" in bound else "bound"]


@style.styled
def between(runs: Mapping[str, Run], bounds: Bounds, trivial: float) -> tuple[Figure, pd.DataFrame]:
    """Draw the runs between bounds and play without an agent, on log scales; and what stands at the
    right end.

    A bound is drawn for a run planned for as many episodes as stand on the axis. The table says of
    every line its value at the end and its share of the trivial bound: 1 and more is vacuous.
    ``trivial`` is per episode. Where no upper bound is below it, the title says so, and how many
    users a run would have to be planned for; it says as well where only a lower bound is drawn.
    """
    entry = next(iter(runs.values())).id
    last = int(next(iter(runs.values())).episodes[-1])
    marks = np.unique(np.geomspace(10, last, 60).astype(int))
    figure, axes = single(3.6)
    ends: dict[str, float] = {}
    for at, (name, run) in enumerate(runs.items()):
        mask, mean = run.episodes >= 10, run.regret.mean(axis=0)
        colour, dash = style.PALETTE[at], "-"
        if run.epsilon == inf:  # without privacy
            colour, dash = style.COLOURS["base"], style.LINES["ubev"]
        axes.plot(run.episodes[mask], mean[mask], color=colour, linestyle=dash, label=name)
        if run.regret.shape[0] > 1:
            least, most = run.regret.min(axis=0)[mask], run.regret.max(axis=0)[mask]
            style.draw_band(axes, run.episodes[mask], least, most, colour)
        ends[name] = float(mean[-1])
    for name, bound in bounds.items():
        values, (colour, dash) = [bound(int(mark)) for mark in marks], look_of(name)
        axes.plot(marks, values, color=colour, linestyle=dash, label=name)
        ends[name] = values[-1]
    for (name, rate), dash in zip(rates(entry, trivial).items(), ("--", ":", "-"), strict=True):
        if np.isnan(rate):  # an LQ system of several controls has no best constant gain
            continue
        label = "_" if name == "trivial bound" else name
        axes.plot(marks, rate * marks, color=style.GREY, linestyle=dash, linewidth=1, label=label)
        ends[name] = rate * last
    axes.annotate(
        "trivial\nbound",
        (last, trivial * last),
        (4, 0),
        textcoords="offset points",
        va="center",
        fontsize=7,
        color=style.GREY,
    )
    axes.set(xscale="log", yscale="log", ylabel="regret", xlim=(10, last))
    axes.set_xlabel(f"episodes on {entry}", parse_math=False)  # a file may be called as it likes
    (agent, regret), blind = next(iter(ends.items())), _blind(entry)
    title = f"{agent} loses {style.number(100 * regret / ends[blind])} % of what {blind} loses"
    upper = [name for name in bounds if not name.startswith("lower bound")]
    if bounds and not upper:
        title += ";\nno upper bound is drawn for this choice"
    elif upper and min(ends[name] for name in upper) >= trivial * last:
        title += ";\nevery upper bound is vacuous here"
        needed = min(speaks_from(bounds[name], trivial, last) for name in upper)
        if needed < inf:
            # rounded up: to no number of users for which it is vacuous
            title += f", the lowest until {style.number(upwards(needed, 3))} users"
    axes.set_title(title)
    table = pd.DataFrame(
        {
            "regret at the end": ends.values(),
            "over the trivial bound": np.array([*ends.values()]) / (trivial * last),
        },
        index=list(ends),
    ).map(style.number)
    return legend_below(figure, axes, 3), table


FARTHEST = 10**15  # users that a bound is tried for


def speaks_from(bound: Callable[[int], float], trivial: float, users: int) -> float:
    """From how many users on, more than ``users``, a bound is below the trivial one: to a
    thousandth, infinite beyond ``FARTHEST``."""
    low, high = users, 2 * users
    while bound(high) >= trivial * high:
        low, high = high, 2 * high
        if high > FARTHEST:
            return inf
    while high > 1.001 * low + 1:
        middle = int((low * high) ** 0.5)
        low, high = (low, middle) if bound(middle) < trivial * middle else (middle, high)
    return float(high)


def of_uniform(run: Run, windows: int = 24) -> pd.DataFrame:
    """Regret per user over uniform play's, window by window: 1 is play that knows nothing.

    Parameters
    ----------
    windows : at most so many between the tenth episode and the last, of equal ratio; those without
        two checkpoints of the run are left out

    Returns
    -------
    A row per window: its last ``episode``, ``mean``, ``low`` and ``high`` over replicates.
    """
    rate = rates(run.id, 1.0)
    blind = rate.get("uniform play", rate.get("u = 0", nan))
    marks = np.geomspace(min(10, run.episodes[-1]), run.episodes[-1], windows + 1)
    ends = np.unique(np.searchsorted(run.episodes, marks.astype(int)))
    users = np.diff(run.episodes[ends])
    share = np.diff(run.regret[:, ends], axis=1) / users / blind
    return pd.DataFrame(
        {
            "episode": run.episodes[ends[1:]],
            "mean": share.mean(axis=0),
            "low": share.min(axis=0),
            "high": share.max(axis=0),
        }
    )


@style.styled
def per_user(runs: Mapping[str, Run], title: str = "") -> Figure:
    """Draw :func:`of_uniform` of every run over the number of users so far."""
    figure, axes = single(3.0)
    for colour, (name, run) in zip(style.PALETTE, runs.items(), strict=False):
        share = of_uniform(run)
        axes.plot(share["episode"], share["mean"], "o-", markersize=3, color=colour, label=name)
        style.draw_band(axes, share["episode"], share["low"], share["high"], colour)
        left = share[share["mean"] < 0.5]  # where it has fallen, the curves lie apart
        at = share.iloc[-1] if left.empty else left.iloc[0]
        axes.annotate(
            name,
            (at["episode"], at["mean"]),
            (0, -4) if left.empty else (6, 4),
            textcoords="offset points",
            va="top" if left.empty else "bottom",
            ha="right" if left.empty else "left",
            color=colour,
        )
    axes.axhline(1.0, color=style.GREY, linestyle="--", linewidth=1)
    axes.text(0.99, 1.03, "uniform play, which knows nothing", ha="right", va="bottom",
              color=style.GREY, transform=axes.get_yaxis_transform())  # fmt: skip
    axes.set(
        xscale="log",
        ylim=(0, 1.15),
        xlabel="users so far",
        ylabel="regret of a user,\n1 = uniform play",
    )
    figure.suptitle(title or next(iter(runs.values())).id, parse_math=False)
    return figure


def learnt(run: Run) -> str:
    """From which user on a run has learnt, in words; see :mod:`privrl.run.measure`."""
    world = suite.environment(run.id)
    if not isinstance(world, LQSystem) and not measure.is_discriminating(suite.tabular(run.id)):
        return _nothing_to_learn(suite.tabular(run.id))
    return measure.words(measure.users(run, world))


def _nothing_to_learn(mdp: TabularMDP) -> str:
    """What an MDP shows on which the best constant action loses less than a quarter of V*.

    That action is called nearly optimal where it is also far better than uniform play.
    """
    optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
    constant = optimum - planning.best_constant_action(mdp)[1]
    uniform = planning.uniform_regret(mdp)
    if constant <= measure.SHARE * uniform:
        return "on this MDP a constant action is nearly optimal: low regret shows no learning"
    return (
        f"here the best constant action loses {style.number(constant)} of the optimal "
        f"{style.number(optimum)}, and uniform play {style.number(uniform)}: learning is defined "
        f"where that action loses a quarter or more"
    )


def agrees_with_table(runs: Iterable[Run], name: str) -> str:
    """Hold every checkpoint of these runs against the table of long runs of that name; how many
    agree, in words.

    Raises
    ------
    ValueError
        A run of which the table has none, or other numbers.
    """
    stored, compared = linear_runs.read_runs(name), 0
    for run in runs:
        stored_runs = [
            _common(run, stored_run)
            for stored_run in stored
            if _setting(stored_run) == _setting(run)
        ]
        stored_runs = [
            pairs
            for pairs in stored_runs
            if pairs and all(near(before, now) for before, now in pairs)
        ]
        require(bool(stored_runs), f"the table {name} must begin with the run", run=_setting(run))
        compared += len(stored_runs[0])
    return f"all {compared:,} checkpoints agree with the table of the long runs to nine digits"


def _setting(run: Run) -> tuple[Any, ...]:
    return run.id, run.agent, run.counter, run.calibration, run.epsilon, run.delta, run.planned


def _common(run: Run, stored: Run) -> list[tuple[float, float]]:
    """Regret of both at the checkpoints that both have, for the replicates of ``run``."""
    _, before, now = np.intersect1d(stored.episodes, run.episodes, return_indices=True)
    rows = run.regret.shape[0]
    return list(
        zip(
            stored.regret[:rows, before].ravel().tolist(),
            run.regret[:, now].ravel().tolist(),
            strict=True,
        )
    )
