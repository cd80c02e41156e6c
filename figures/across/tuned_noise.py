"""What the noise of a counter does for exploration: regret over the multiplier of the widths, with
and without it."""

from itertools import product
from math import nan, sqrt

import numpy as np

from figures import profiles, runs, sampling, style
from figures.kinds.lines import (
    Figure,
    draw_levels,
    draw_line,
    draw_marks,
    legend_below,
)
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl import PrivateUCBVI
from privrl.environments import planning, suite
from privrl.privacy.counters import mechanisms
from privrl.run import measure, simulate, sweep
from privrl.types import FloatArray

ID = "tuned_noise"
ENTRY, EPSILON, DELTA, EPISODES = "vietri2020/riverswim-3-relabelled", 1.0, 1e-6, 30_000
REPLICATES, SAMPLED = 32, 2  # the samplers are slow
GRID = (1.0, 0.1, 0.01, 0.001, 1e-4, 1e-6)
STREAMS = {
    "counter": "the counter's noise, ε = 1",
    "counter 100": "the counter's noise, ε = 100",
    "counter 1000000": "the counter's noise, ε = $10^6$",
    "anew": "as much noise, drawn anew each time",
    "frozen": "one draw of it, kept for good",
    "silent": "no noise, widths as with it",
    "ucbvi": "no noise, UCBVI's own widths",
}
SAMPLERS = {"psrl": sampling.psrl, "rlsvi": sampling.rlsvi}
COLUMNS = ("noise", "multiplier", "replicate", "before", "regret")
MESSAGE = "The noise explores: while it changes, the widths can be as small as one likes"
CAPTION = """The noise explores. Private UCBVI over blt at epsilon = 1, delta = 10^-6 on
riverswim-3-relabelled, 30,000 episodes, 32 runs (grey: 2). Left: regret over uniform play's, mean
and 95 % bootstrap interval; right: how many runs still lose more than half as much over their last
tenth (not fifth, as in docs/measure.md: no other checkpoint is kept). Marks that would lie on each
other are set apart. With the counter's noise the widths can be as small as one likes. Without
noise, with noise that never changes, and with next to none (epsilon = 10^6) runs stay with the
first plan that looked good. Only lines called the counter's are private. Grey: posterior sampling
(PSRL) and randomised value functions (RLSVI, variance 1 / (n + 1)), without privacy."""
ALT = """Two panels over the multiplier from 1 to a millionth. Left: with the counter's noise regret
falls and stays low; with frozen noise or without any it falls and then rises towards uniform play.
Right: runs that do not learn, none with the counter's noise at epsilon 1 and 100, up to 23 of 32
without."""


def play(noise: str, multiplier: float, index: int) -> tuple[FloatArray, FloatArray]:
    """Checkpoints and exact regret of one replicate."""
    mdp = suite.tabular(ENTRY)
    if noise in SAMPLERS:
        run = sampling.run(mdp, SAMPLERS[noise], EPISODES, index)
        return run.episodes.astype(np.float64), run.regret[0]
    agent = (
        PrivateUCBVI(counter="none", multiplier=multiplier)
        if noise == "ucbvi"
        else PrivateUCBVI(
            float(noise.partition(" ")[2] or EPSILON), DELTA, counter="blt", multiplier=multiplier
        )
    )
    stream, coins, ties = simulate.streams(mdp, agent, EPISODES, None, 0, index)
    if noise == "frozen":
        stream[1:] = stream[EPISODES // 2]
    elif noise == "silent":
        stream[:] = 0.0
    elif noise == "anew":
        spread = agent.calibrate(mdp, EPISODES).scale * sqrt(
            mechanisms.counter_cost("blt", EPISODES - 1).largest
        )
        stream[1:] = spread * np.random.default_rng((1, index)).standard_normal(stream[1:].shape)
    marks = simulate.checkpoints(EPISODES)
    learner = agent.start(mdp, EPISODES, marks)
    learner.advance(stream, coins, ties)
    return marks.astype(np.float64), learner.state.regret


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: five minutes, most of them PSRL."""
    rows = []
    for noise, multiplier in (*product(STREAMS, GRID), *((noise, nan) for noise in SAMPLERS)):
        for index in range(SAMPLED if noise in SAMPLERS else REPLICATES):
            if profiles.current().has(EPISODES, index):
                marks, regret = play(noise, multiplier, index)
                rows.append(
                    (noise, multiplier, index, regret[marks == EPISODES // 10 * 9][0], regret[-1])
                )
    if rows:
        sweep.write_table(
            path,
            frame(rows, " ".join(COLUMNS)),
            {
                "environments": {ENTRY: sweep.environment_hash(ENTRY)},
                "planned": EPISODES,
                "replicates": REPLICATES,
            },
        )


def tables(folder: Path = TABLES) -> Tables:
    """``shares``: regret over uniform play's by noise and multiplier, and runs that have not
    learnt."""
    uniform, rows = planning.uniform_regret(suite.tabular(ENTRY)), []
    table = runs.table(ID, COLUMNS, folder)
    for (noise, multiplier), cell_rows in table.groupby(
        ["noise", "multiplier"], sort=False, dropna=False
    ):
        late = (
            (cell_rows["regret"] - cell_rows["before"]) / (EPISODES - EPISODES // 10 * 9) / uniform
        )
        rows.append(
            (
                noise,
                multiplier,
                *style.resampled(cell_rows["regret"] / EPISODES / uniform),
                int((~measure.at_most_half(late, 1.0)).sum()),
                len(cell_rows),
            )
        )
    return {"shares": frame(rows, "noise multiplier share low high failed runs")}


APART = 1.11  # factor between the marks of two streams at one multiplier
LEVELS_AT = 2.2  # where the words of the levels without a multiplier begin, right of all marks


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(4.0, 1, 2, sharex=True)
    for place, (noise, label) in enumerate(STREAMS.items()):
        rows, colour = where(tables["shares"], noise=noise), style.PALETTE[place]
        colour = style.COLOURS["base"] if noise == "ucbvi" else colour
        dash = (0, (4, 1.5)) if label.startswith("no noise") else "-"
        step = place - len(STREAMS) // 2
        rows = rows.assign(at=rows["multiplier"] * APART**step, runs=rows["failed"] - 0.12 * step)
        draw_line(left_axes, rows, "at", "share", colour, dash, label, linewidth=1.0)
        draw_marks(left_axes, rows["at"], rows, "share", colour, markersize=3, elinewidth=1.6)
        draw_line(right_axes, rows, "at", "runs", colour, dash, marker="o", markersize=3)
    for noise, dash in zip(SAMPLERS, ("--", ":"), strict=True):
        share = float(where(tables["shares"], noise=noise)["share"].iloc[0])
        draw_levels(left_axes, [(share, dash, None)], zorder=1)
        left_axes.annotate(
            noise.upper(),
            (LEVELS_AT, share),
            (0, 1),
            textcoords="offset points",
            va="bottom",
            fontsize=7,
            color=style.GREY,
        )
    left_axes.set(
        xscale="log",
        yscale="log",
        xlim=(3e-7, 60),
        xlabel="multiplier of the widths",
        ylabel="regret / uniform play's",
    )
    left_axes.set_xticks([*GRID])
    right_axes.set(
        xlabel="multiplier of the widths", ylabel=f"runs of {REPLICATES} that do not learn"
    )
    return legend_below(figure, left_axes, 2)
