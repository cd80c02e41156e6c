"""Same privacy, less caution: users before an agent has learnt with the widths that are proved and
with tuned ones."""

from math import inf

import pandas as pd
from matplotlib.lines import Line2D

from figures import measured, style, user_cases
from figures import users as advice
from figures.kinds.lines import Axes, Figure, draw_line, legend_below, note, outer_labels, proxy
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.user_cases import KNOWN, LQ, MIXTURE, RIVER
from privrl.agents import registry
from privrl.run import measure

ID = advice.ID
recompute = advice.recompute
CHOSEN = user_cases.MULTIPLIERS
MESSAGE = "With the same noise, narrower widths bring learning to fewer users"
CAPTION = """With narrower widths the same noise lets agents learn from fewer users. Median over
replicates of the first user from which on regret per user stays at most half of that of play with
the same information that learns nothing (docs/measure.md), over epsilon, delta = 10^-6 (rewards
known: 0.1). Dashed: the widths that are proved (tight); solid: times the multiplier that figure
`tuned_training` chose on other instances, as it chose the agent. Both have the same noise and the
same privacy, and were planned for the same number of users; the tuned ones have no guarantee of
regret. Lines without marks: the best agent without privacy, tight and tuned. Left out, as they take
too long: LQ systems without a server, and at epsilon below 10."""
ALT = """Log-log panels of users against epsilon, a column for each problem, a row for each kind of
trust. In each the solid lines lie below the dashed ones of the same colour, and all fall with
epsilon."""
TITLES = {RIVER: "tabular", MIXTURE: "linear mixture", LQ: "LQ system", KNOWN: "rewards known"}


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: tuned agents and their twins with proved widths; ``ratios``: of the two, and of the
    tuned agent over the one without privacy."""
    every = advice.frame_of(folder)
    named = {"tuned": "tuned", "twin": "tight", "tuned base": "tuned", "base": "tight"}
    rows = [
        (
            row.problem,
            row.agent,
            row.counter,
            row.epsilon if row.counter != "none" else inf,
            row.delta,
            named[str(row.kind)],
            row.multiplier,
            row.planned,
            row.users,
            row.again_low,
            row.again_high,
            row.never,
            row.replicates,
        )
        for row in every.itertuples()
        if row.kind in named
    ]
    runs = frame(
        rows,
        "entry agent counter epsilon delta kind multiplier planned burn_in low high failed runs",
    ).drop_duplicates(ignore_index=True)
    ratios = []
    for case, kinds in advice.counted(folder).items():
        over = measure.ratio(kinds["tuned"].users, kinds["tuned base"].users)
        gain = (
            measure.ratio(kinds["twin"].users, kinds["tuned"].users)
            if "twin" in kinds
            else (float("nan"),) * 3
        )
        ratios.append((case.problem, case.trust, case.epsilon, case.planned, *gain, *over))
    return {
        "runs": runs,
        "ratios": frame(
            ratios,
            "problem trust epsilon planned gain gain_low gain_high over over_low over_high",
        ),
    }


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
        row[0].set_ylabel(f"users, {user_cases.TRUST['joint' if joint else 'local']}")
    outer_labels(grid, "ε")
    if not (tables["runs"]["burn_in"] < inf).all():
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
            float(where(bases, kind=kind)["burn_in"].min()),
            color=style.COLOURS["base"],
            linestyle=dash,
            linewidth=0.8,
            label=f"no privacy, {word}",
            zorder=1,
        )
    names = {str(agent).replace("ldp-ucbvi", "private-ucbvi"): None for agent in rows["agent"]}
    for place, name in enumerate(names):  # where no line is
        words = registry.kind(name).title
        note(axes, 0.98, 0.99 - 0.09 * place, words, ha="right", color=COLOURS[name])
    axes.set(xscale="log", yscale="log", xlim=(0.06, 2000))
    axes.set_xticks([0.1, 10, 1000], ["0.1", "10", "1000"])
    axes.margins(y=0.12)


HEAD = (
    "problem",
    "who adds the noise",
    "epsilon",
    "planned for",
    "run",
    "users before it has learnt",
    "with `tight`",
    "regret of both up to so many, over play that learns nothing",
    "never, of",
    "without privacy, tuned",
    "ratio",
)


def markdown(folder: Path = TABLES) -> str:
    """The second table of docs/advice.md."""
    rows = []
    for case, kinds in advice.counted(folder).items():
        tuned, base = kinds["tuned"], kinds["tuned base"]
        over, agent = measure.ratio(tuned.users, base.users), tuned.setting.agent
        who = "own noise" if agent.counter == "local" else f"over `{agent.counter}`"
        widths = f"widths times {CHOSEN[agent.name, agent.counter]:g}"
        rows.append(
            (
                *advice.labels_of(case),
                f"{advice.title(agent.name)}, {who}, {widths}",
                tuned.words,
                kinds["twin"].words if "twin" in kinds else "not run",
                advice.regret_words(*(kinds[kind] for kind in ("tuned", "twin") if kind in kinds)),
                f"{tuned.users.never} of {tuned.users.first.size}",
                base.words,
                measured.ratio_words(over) if over[0] < inf else "-",
            )
        )
    return style.markdown(HEAD, rows)
