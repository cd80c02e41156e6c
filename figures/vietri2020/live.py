"""PUCB and UBEV run live: 10^5 episodes on the river as it is and relabelled."""

import pandas as pd

from figures import style
from figures.kinds.lines import Axes, note, panels
from figures.kinds.tables import TABLES, Path, Tables, curve, frame, where
from figures.linear_runs import references
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import suite
from privrl.run import simulate
from privrl.run.simulate import Agent
from theory.papers.vietri2020.bounds import stated as bounds

ENTRIES = ("vietri2020/riverswim-3", "vietri2020/riverswim-3-relabelled")
EPISODES = 10**5
REPLICATES = 3
MESSAGE = "At ε = 1 PUCB learns nothing in 100,000 episodes, at ε = 100 it begins to"
CAPTION = """At epsilon = 1 PUCB learns nothing within 10^5 episodes, at epsilon = 100 it begins to.
Exact regret over 10^5 planned episodes on riverswim-3 as it is (left) and relabelled (right); mean
of 3 replicates with the 95 % t interval. At epsilon = 1 PUCB, printed calibration, plays uniformly
to the end, because no released count reaches 2E; at epsilon = 100 it starts to learn. On the plain
river one constant action beats every agent here, so a low regret there shows no learning. H T is
300,000, and the sum behind theorem 4 lies above it in both cases: it is vacuous."""
ALT = """Two panels of regret against episodes up to 10^5. Uniform play and PUCB at epsilon 1 share
one straight line to 18,200; PUCB at epsilon 100 bends below it, tight most, printed least; UBEV
ends near 800. The best constant action ends near 415 on the left and above uniform play on the
right."""


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: mean and band at each hundredth; ``lines``: without an agent, at the end;
    ``bound``: over H T."""
    mdp, beta = suite.tabular(ENTRIES[0]), suite.entry(ENTRIES[0]).beta
    private = [(1.0, "printed"), (100.0, "printed"), (100.0, "corrected"), (100.0, "tight")]
    agents: list[Agent] = [
        UBEV(beta),
        *(PUCB(epsilon, 0.0, beta, "tree", name) for epsilon, name in private),
    ]
    curves_, lines = [], []
    for entry in ENTRIES:
        for agent in agents:
            run = simulate.run(
                entry, suite.tabular(entry), agent, episodes=EPISODES, replicates=REPLICATES
            )
            curves_.append(
                curve(
                    run,
                    run.episodes % (EPISODES // 100) == 0,
                    "agent calibration epsilon",
                    entry=entry,
                )
            )
        lines += [
            (entry, name, EPISODES, references(entry)[name] * EPISODES)
            for name in ("uniform", "constant")
        ]
    over = [
        (
            epsilon,
            bounds.theorem_4_bound(mdp.states, mdp.actions, mdp.horizon, EPISODES, epsilon, beta)
            / bounds.trivial_regret(mdp.horizon, EPISODES),
        )
        for epsilon in (1.0, 100.0)
    ]
    return {
        "runs": pd.concat(curves_, ignore_index=True),
        "lines": frame(lines, "entry line episodes regret"),
        "bound": frame(over, "epsilon bound_over_trivial"),
    }


def _panel(tables: Tables, axes: Axes, entry: str) -> None:
    lines, curves_ = (where(table, entry=entry) for table in (tables["lines"], tables["runs"]))
    for name, label in {"uniform": "uniform play", "constant": "best constant action"}.items():
        end = float(lines.loc[lines["line"] == name, "regret"].iloc[0])
        axes.plot(
            [0, EPISODES / 1e3],
            [0, end / 1e3],
            color=style.GREY,
            linestyle=style.LINES[name],
            label=label,
            zorder=3,
        )
    for (agent, calibration, epsilon), rows in curves_.groupby(
        ["agent", "calibration", "epsilon"], sort=False
    ):
        private = agent == "pucb"
        colour = style.COLOURS[calibration if private else "base"]
        label = f"PUCB, {calibration}, ε = {epsilon:g}" if private else "UBEV, no privacy"
        axes.plot(
            rows["episodes"] / 1e3,
            rows["regret"] / 1e3,
            color=colour,
            linestyle=style.LINES[agent],
            label=label,
            marker="o" if epsilon == 1 else "",
            markevery=10,
            markersize=3,
        )
        style.draw_band(axes, rows["episodes"] / 1e3, rows["low"] / 1e3, rows["high"] / 1e3, colour)
    axes.set(
        xlim=(0, EPISODES / 1e3),
        ylim=(0, 22),
        title=f"{entry.split('/')[1]}, H = {suite.tabular(entry).horizon}",
    )
    if entry == ENTRIES[0]:
        words = ",\n".join(
            f"{style.number(row.bound_over_trivial, 2)} H T at ε = {row.epsilon:g}"
            for row in tables["bound"].itertuples()
        )
        note(
            axes,
            0.03,
            0.97,
            f"theorem 4 is vacuous:\n{words}",
            fontsize=7,
            color=style.COLOURS["bound"],
        )


draw = panels(
    _panel,
    height=3.3,
    keys=[ENTRIES],
    ylabels=["regret (thousands)"],
    xlabel="episodes (thousands)",
)
