"""Same privacy, less caution: users before an agent has learnt with the widths that are proved and
with tuned ones."""

from functools import cache, partial
from math import inf

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from figures import linear_runs as lr
from figures import style
from figures import users as advice
from figures.chowdhury2021 import learning as lq
from figures.chowdhury2021.regret import references
from figures.kinds.lines import (
    Axes,
    Figure,
    draw_line,
    legend_below,
    note,
    outer_labels,
    proxy,
)
from figures.kinds.tables import TABLES, Path, Tables, frame, numbers, where
from privrl.environments import suite
from privrl.run import learning
from privrl.run.sweep import RunPlan
from privrl.types import Run

ID = "tuned_users"
RIVER, MIXTURE, KNOWN = (
    "vietri2020/riverswim-3-relabelled",
    "zhou2022/mixture-2",
    "liao2021/mixture-2",
)
LQ = "chowdhury2021/scalar"
MESSAGE = "With the same noise, narrower widths bring learning to fewer users"
CAPTION = """With narrower widths the same noise lets agents learn from 1.6 to 100 times fewer
users, of pairs of runs that were planned for as many; the others, see below, have no ratio. Users
before an agent has learnt (mean regret per episode at most half of uniform play's, of no control's
where the system is LQ, 95 % interval included) over epsilon, delta = 10^-6 (rewards known: 0.1).
Dashed: the widths that are proved (tight); solid: times the multiplier that figure `tuned_training`
chose on other instances. Both have the same noise and the same privacy; the tuned ones have no
guarantee of regret. Lines without marks: the best agent without privacy, tight and tuned.
Triangles: not learnt within as many. Tight runs that were not made again are those of
`advice_users`, planned for other numbers; those of both LinOpts without a server at epsilon = 1 are
4 of 10^7, the LQ system's tuned runs without one at 100 are 4 of 3 10^7."""
ALT = """Log-log panels of users against epsilon, a column for each problem, a row for each kind of
trust. In each the solid lines lie below the dashed ones of the same colour, and all fall with
epsilon."""
# agent, counter -> the multiplier that figures.across.tuned_training finds
CHOSEN = {
    ("private-ucbvi", "blt"): 0.01,
    ("pucb", "blt"): 0.001,
    ("dp-ucbvi", "blt"): 0.003,
    ("ldp-ucbvi", "local"): 0.03,
    ("ubev", "none"): 0.01,
    ("ucbvi", "none"): 0.03,
    ("linopt-vi", "blt"): 0.3,
    ("linopt-po", "blt"): 0.3,
    ("linopt-vi", "local"): 0.3,
    ("linopt-po", "local"): 0.3,
    ("linopt-vi", "none"): 0.1,
    ("linopt-po", "none"): 0.3,
    ("ldp-ucrl-vtr", "local"): 0.3,
    ("ucrl-vtr", "none"): 0.1,
    ("private-ofu-rl", "blt"): 0.3,
    ("private-ofu-rl", "local"): 0.3,
    ("ofu-rl", "none"): 0.3,
}
REPLICATES = 8
# entry, agent, counter, planned by epsilon, epsilons at which `tight` was not run again: other
# tables have it, or it would take too long
SETTINGS: tuple[tuple[str, str, str, dict[float, int], tuple[float, ...]], ...] = (
    (RIVER, "ubev", "none", {inf: 10**5}, ()),
    (RIVER, "ucbvi", "none", {inf: 10**5}, ()),
    (MIXTURE, "linopt-vi", "none", {inf: 10**5}, ()),
    (MIXTURE, "linopt-po", "none", {inf: 10**5}, ()),
    (KNOWN, "ucrl-vtr", "none", {inf: 10**5}, ()),
    (RIVER, "private-ucbvi", "blt", {0.1: 3 * 10**6, 1.0: 10**6, 10.0: 10**5, 100.0: 10**5}, ()),
    (MIXTURE, "linopt-vi", "blt", {0.1: 3 * 10**5, 1.0: 10**5, 10.0: 10**5, 100.0: 10**5}, ()),
    (MIXTURE, "linopt-vi", "local", {1.0: 10**6, 10.0: 10**5, 100.0: 10**5}, (1.0,)),
    (RIVER, "ldp-ucbvi", "local", {1.0: 5 * 10**6, 10.0: 10**6}, (1.0, 10.0)),
    (KNOWN, "ldp-ucrl-vtr", "local", {1.0: 3 * 10**5, 10.0: 10**5}, ()),
    (RIVER, "pucb", "blt", {1.0: 3 * 10**5, 10.0: 10**5, 100.0: 10**5}, (1.0, 10.0)),
    (RIVER, "dp-ucbvi", "blt", {1.0: 3 * 10**5, 10.0: 10**5}, (1.0,)),
    (MIXTURE, "linopt-po", "blt", {1.0: 10**5}, ()),
    (MIXTURE, "linopt-po", "local", {1.0: 10**6, 10.0: 10**5, 100.0: 10**5}, (1.0,)),
    (RIVER, "ldp-ucbvi", "local", {100.0: 3 * 10**5}, (100.0,)),
    (LQ, "ofu-rl", "none", {inf: 10**5}, ()),
    (LQ, "private-ofu-rl", "blt", {1.0: 3 * 10**6, 10.0: 10**6, 100.0: 3 * 10**5}, ()),
    (LQ, "private-ofu-rl", "local", {1000.0: 10**6}, ()),
)


def _plans() -> list[RunPlan]:
    """Every setting tuned, then tight."""
    plans = []
    for entry, agent, counter, lengths, remaining in SETTINGS:
        delta = 0.1 if entry == KNOWN else advice.MOST_DELTA
        if counter == "none" and entry == RIVER:
            delta = 0.0
        calibration = "printed" if agent in ("ubev", "ofu-rl") else "tight"  # these have no other
        plans += [
            RunPlan(
                entry,
                agent,
                counter,
                calibration,
                None if epsilon == inf else epsilon,
                delta,
                episodes=planned,
                replicates=REPLICATES,
                multiplier=multiplier,
            )
            for epsilon, planned in lengths.items()
            for multiplier in (CHOSEN[agent, counter], 1.0)[: 1 if epsilon in remaining else 2]
        ]
    return plans


LONG = [  # where 10^6 users were not enough; fewer replicates
    *(
        RunPlan(
            MIXTURE, agent, "local", "tight", 1.0, advice.MOST_DELTA, episodes=10**7, replicates=4
        )
        for agent in ("linopt-vi", "linopt-po")
    ),
    RunPlan(
        LQ,
        "private-ofu-rl",
        "local",
        "tight",
        100.0,
        advice.MOST_DELTA,
        episodes=3 * 10**7,
        replicates=4,
        multiplier=CHOSEN["private-ofu-rl", "local"],
    ),
]
PLANS = [*_plans(), *LONG]
recompute = partial(lr.recompute, PLANS)
TITLES = {RIVER: "tabular", MIXTURE: "linear mixture", LQ: "LQ system", KNOWN: "rewards known"}
PANELS = [
    (entry, joint) for joint in (True, False) for entry in TITLES if not (joint and entry == KNOWN)
]
PROBLEMS = {RIVER: "tabular", MIXTURE: "linear"}  # entries that the advice has too


def _burnt(run: Run) -> tuple[float, float, float, float, int]:
    """Burn-in by the upper end of the interval, the mean, the lower end; last share of the
    reference; runs that failed.

    A run has failed where it loses more than half as much as the reference over its last tenth.
    """
    windows = learning.windows(run.episodes, run.regret, run.planned, growing=True)
    if run.id == LQ:
        burn, reference = lq.burn_in(run), references()["zero"]
    else:
        mdp = suite.tabular(run.id)
        burn, reference = learning.burn_in(run, mdp, growing=True), learning.uniform_regret(mdp)
    late = windows.regret[:, -1] / reference
    return *numbers(burn), float(late.mean()), int((late > learning.SHARE).sum())


@cache
def runs(folder: Path = TABLES) -> pd.DataFrame:
    """Every run: tuned or tight, its burn-in, the share of the reference at its end, and how many
    failed."""
    rows = []
    for plan, run in zip(PLANS, lr.read_runs(ID, folder), strict=True):
        kind = "tight" if plan.multiplier == 1 else "tuned"
        rows.append(
            (
                run.id,
                run.agent,
                run.counter,
                run.epsilon,
                run.delta,
                kind,
                plan.multiplier,
                run.planned,
                *_burnt(run),
                len(run.regret),
            )
        )
    every = frame(
        rows,
        "entry agent counter epsilon delta kind multiplier planned burn_in central earliest late "
        "failed runs",
    )
    known, more = advice.table(folder), []
    for row in every[every["kind"] == "tuned"].itertuples():
        same = where(
            every,
            entry=row.entry,
            agent=row.agent,
            counter=row.counter,
            epsilon=row.epsilon,
            kind="tight",
        )
        others = where(
            known,
            problem=PROBLEMS.get(str(row.entry), ""),
            agent=row.agent,
            counter=row.counter,
            epsilon=row.epsilon,
            calibration="tight",
            delta=row.delta,
        )
        if same.empty and len(others):
            best = others.sort_values(["burn_in", "central"], kind="stable").iloc[0]
            more.append(
                (
                    row.entry,
                    row.agent,
                    row.counter,
                    row.epsilon,
                    row.delta,
                    "tight",
                    1.0,
                    best["planned"],
                    best["burn_in"],
                    best["central"],
                    best["earliest"],
                    np.nan,
                    np.nan,
                    np.nan,
                )
            )
    return (
        pd.concat([every, frame(more, " ".join(every.columns))], ignore_index=True)
        if more
        else every
    )


def tables(folder: Path = TABLES) -> Tables:
    return {"runs": runs(folder)}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(5.0, 2, len(TITLES), sharex=True)
    for joint, row in zip((True, False), grid, strict=True):
        for axes, (entry, title) in zip(row, TITLES.items(), strict=True):
            mine = where(tables["runs"], entry=entry)
            private = _private(mine, joint)
            if private.empty:
                axes.set_axis_off()
            else:
                _panel(axes, private, where(mine, counter="none"))
                axes.set_title(title, fontsize=8)
        row[0].set_ylabel(f"users, {TRUST[joint]}")
    outer_labels(grid, "ε")
    proxy(grid[0, 0], "not learnt within as many", marker="^", markerfacecolor="white")
    legend_below(figure, grid.flat, 2)
    for handle in figure.legends[0].legend_handles:  # a colour is an agent's
        if isinstance(handle, Line2D):
            handle.set_color(style.COLOURS["base"])
    return figure


COLOURS = {
    name: style.PALETTE[place]
    for place, name in (
        *enumerate(("private-ucbvi", "linopt-vi", "pucb", "linopt-po", "dp-ucbvi", "ldp-ucrl-vtr")),
        (9, "private-ofu-rl"),
    )
}
LOOKS = {
    "tight": ((0, (3, 1.5)), "widths as proved"),
    "tuned": ("-", "narrower widths (tuned)"),
}


def _private(rows: pd.DataFrame, joint: bool) -> pd.DataFrame:
    return rows[(rows["counter"] != "none") & ((rows["counter"] != "local") == joint)]


def _panel(axes: Axes, rows: pd.DataFrame, bases: pd.DataFrame) -> None:
    for kind, (dash, word) in LOOKS.items():
        for agent, mine in where(rows, kind=kind).groupby("agent", sort=False):
            colour, points = (
                COLOURS[str(agent).replace("ldp-ucbvi", "private-ucbvi")],
                mine.sort_values("epsilon"),
            )
            reached, beyond = points[points["burn_in"] < inf], points[~(points["burn_in"] < inf)]
            draw_line(
                axes,
                reached,
                "epsilon",
                "burn_in",
                colour,
                dash,
                word,
                marker="o",
                markersize=3,
                linewidth=1.0,
            )
            axes.plot(
                beyond["epsilon"],
                beyond["planned"],
                "^",
                color=colour,
                markerfacecolor="white",
                markersize=6,
            )
        axes.axhline(
            max(float(where(bases, kind=kind)["burn_in"].min()), 1.0),
            color=style.COLOURS["base"],
            linestyle=dash,
            linewidth=0.8,
            label=f"no privacy, {word}",
            zorder=1,
        )
    names = {str(agent).replace("ldp-ucbvi", "private-ucbvi"): None for agent in rows["agent"]}
    for place, name in enumerate(names):  # where no line is
        words = advice.AGENTS[name].replace(" (rewards known)", "")
        note(axes, 0.98, 0.99 - 0.09 * place, words, ha="right", color=COLOURS[name])
    axes.set(xscale="log", yscale="log", xlim=(0.06, 2000))
    axes.set_xticks([0.1, 10, 1000], ["0.1", "10", "1000"])
    axes.margins(y=0.12)


TRUST = {True: "trusted server", False: "no trusted server"}
WORDS = {
    RIVER: advice.WORDS["tabular"],
    MIXTURE: advice.WORDS["linear"],
    KNOWN: "the same, rewards known, delta = 0.1",
    LQ: "LQ system, n = d = 1, H = 5",
}
ORDER = list(WORDS)
HEAD = (
    "problem",
    "who adds the noise",
    "epsilon",
    "run",
    "users before it has learnt (planned for)",
    "with `tight`",
    "failed, of",
    "without privacy, tuned",
    "ratio",
)


def answers(folder: Path = TABLES) -> pd.DataFrame:
    """The tuned agent that has learnt from the fewest users, by problem, trust and epsilon;
    ``tight``: the same agent with the widths that are proved; ``base``: the best without privacy,
    tuned alike; each with what it was planned for."""
    every, answer_rows = runs(folder), []
    for entry, joint in sorted(PANELS, key=lambda panel: (ORDER.index(panel[0]), not panel[1])):
        mine = where(every, entry=entry)
        free = (
            where(mine, counter="none", kind="tuned").sort_values("burn_in", kind="stable").iloc[0]
        )
        for epsilon, rows in _private(mine, joint).groupby("epsilon"):
            best = (
                where(rows, kind="tuned").sort_values(["burn_in", "central"], kind="stable").iloc[0]
            )
            tight = where(rows, kind="tight", agent=best["agent"], counter=best["counter"])
            answer_rows.append(
                (
                    entry,
                    TRUST[joint],
                    epsilon,
                    best["agent"],
                    best["counter"],
                    best["multiplier"],
                    best["planned"],
                    best["burn_in"],
                    *(tight[["burn_in", "planned"]].to_numpy().tolist() or [[np.nan, np.nan]])[0],
                    int(best["failed"]),
                    int(best["runs"]),
                    max(float(free["burn_in"]), 1.0),
                    free["planned"],
                )
            )
    return frame(
        answer_rows,
        "entry trust epsilon agent counter multiplier planned burn_in tight tight_planned failed "
        "runs base base_planned",
    )


def markdown(folder: Path = TABLES) -> str:
    """The table of the README."""
    rows = []
    for row in answers(folder).itertuples():
        over = "own noise" if row.counter == "local" else f"over `{row.counter}`"
        users = _users(row.burn_in, row.planned)
        tight = "not run" if np.isnan(row.tight) else _users(row.tight, row.tight_planned)
        run = f"{advice.AGENTS[str(row.agent)]}, {over}, widths times {row.multiplier:g}"
        alike = row.planned == row.base_planned and row.burn_in < inf
        ratio = style.number(row.burn_in / row.base, 2) if alike else "-"
        rows.append(
            (
                WORDS[str(row.entry)],
                row.trust,
                f"{row.epsilon:g}",
                run,
                users,
                tight,
                f"{row.failed} of {row.runs}",
                advice.counted(row.base, row.base_planned),
                ratio,
            )
        )
    return style.markdown(HEAD, rows)


def _users(burn_in: float, planned: float) -> str:
    return (
        advice.counted(burn_in, planned)
        if burn_in < inf
        else f"more than {style.number(planned, 2)}"
    )
