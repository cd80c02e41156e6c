"""Cost against T, S, A, H and d, and memory against T: recorded times, with fitted exponents."""

import math

from matplotlib.ticker import NullFormatter, NullLocator

from figures import benchmarks, style
from figures.kinds.lines import Figure, Look, note, proxy
from figures.kinds.tables import TABLES, Path, Tables, where

ID = "bench_scaling"
MESSAGE = "A run's time is proportional to its episodes, but for the LQ agent's search"
CAPTION = """Time of a run grows in proportion to its number of episodes, time of an episode by
powers of the sizes. Cost over that of the smallest size, with the slopes of least-squares lines on
logarithmic scales. First panel: a whole run by its episodes T, set-up included, and (dotted) peak
memory. Others: an episode of a run in progress (noise, plan, play, exact regret) by one letter of
the environment's size, the others held: random MDPs (S = 8, A = 4, H = 10), random linear mixtures
(S = 5, A = 3, H = 6, d = 16), random LQ systems. Private-OFU-RL bends upwards, likely because its
step becomes a search (not checked). Medians of turns in rotation, CPU time, one thread; recorded,
not made again by `make reproduce`."""
ALT = """Five panels on logarithmic scales and a legend. The time of a run grows in proportion to T,
faster for Private-OFU-RL from some hundred thousand episodes on, while memory stays flat. The time
of an episode grows almost with the square of S for PUCB and more slowly for the others, in
proportion to A for PUCB alone and to H for all but Private-OFU-RL, and ever more steeply with d, at
the end with its square."""
LOOKS: dict[str, Look] = {
    "pucb": (style.COLOURS["printed"], "-", "PUCB"),
    "ubev": (style.COLOURS["base"], (0, (5, 1.5)), "UBEV"),
    "private-ofu-rl": (style.COLOURS["other"], "-", "Private-OFU-RL"),
    "ldp-ucrl-vtr": (style.COLOURS["corrected"], "-", "LDP-UCRL-VTR"),
    "linopt-vi": (style.COLOURS["tight"], "-", "LinOpt-VI"),
    "linopt-po": (style.PALETTE[9], (0, (4, 1.5, 1, 1.5)), "LinOpt-PO"),
}
PANELS = ("T", "S", "A", "H", "d")


def tables(folder: Path = TABLES) -> Tables:
    return {
        "points": benchmarks.read(ID, folder),
        "exponents": benchmarks.fitted(folder)[
            [
                "quantity",
                "agent",
                "axis",
                "sizes",
                "exponent",
                "low",
                "high",
                "at the end",
                "largest / smallest",
            ]
        ],
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(4.6, 2, 3)
    points, exponents = tables["points"], tables["exponents"]
    for letter, axes in zip(PANELS, grid.flat, strict=False):
        slopes = 0
        for agent, (colour, dash, _) in LOOKS.items():
            rows = where(points, agent=agent, axis=letter)
            times = rows[rows["quantity"] != "memory"]
            if times.empty:
                continue
            axes.plot(
                times["size"],
                times["value"] / times["value"].iloc[0],
                color=colour,
                linestyle=dash,
                marker="o",
                markersize=2.5,
            )
            memory = where(rows, quantity="memory")
            if not memory.empty:
                axes.plot(
                    memory["size"],
                    memory["value"] / memory["value"].iloc[0],
                    color=colour,
                    linestyle=(0, (1, 1.5)),
                    linewidth=1.0,
                )
            chosen = exponents[
                (exponents["agent"] == agent)
                & (exponents["axis"] == letter)
                & (exponents["quantity"] != "memory")
            ].iloc[0]
            note(
                axes,
                0.04,
                0.96 - 0.1 * slopes,
                f"{chosen['exponent']:.2f}",
                color=colour,
                fontsize=7.5,
            )
            slopes += 1
        axes.set(xscale="log", yscale="log", xlabel=letter)
        base = 10 if letter == "T" else 2
        ticks = [
            size
            for size in sorted(set(where(points, axis=letter)["size"]))
            if base ** round(math.log(size, base)) == size
        ]
        axes.set_xticks(
            ticks,
            [f"$10^{{{round(math.log10(size))}}}$" if base == 10 else str(size) for size in ticks],
        )
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_minor_formatter(NullFormatter())
    grid[0, 0].set_title("a run, and its memory")
    grid[0, 1].set_title("an episode")
    for axes in grid[:, 0]:
        axes.set_ylabel("over the smallest")
    legend = grid[1, 2]
    legend.set_axis_off()
    for colour, dash, words in LOOKS.values():
        proxy(legend, str(words), color=colour, linestyle=dash)
    proxy(legend, "memory", color=style.GREY, linestyle=(0, (1, 1.5)), linewidth=1.0)
    legend.legend(loc="center", title="slopes in their colours", title_fontsize=7.5)
    return figure
