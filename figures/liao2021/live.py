"""LDP-UCRL-VTR and UCRL-VTR run live: 10^5 episodes on the smallest mixture, in seconds."""

from math import inf

import numpy as np
import pandas as pd

from figures import linear_runs as lr
from figures import style
from figures.kinds.lines import Figure, draw_curve, legend_below, note, single
from figures.kinds.tables import TABLES, Path, Tables, curve, frame, where
from figures.liao2021.bounds import upper
from figures.liao2021.learning import ALPHA, DELTA, ENTRY, SIZE
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.environments import suite
from privrl.run import simulate
from privrl.run.simulate import Agent

EPISODES = 10**5
REPLICATES = 3
MESSAGE = "As printed the agent follows its noise at ε = 1; with accounted noise it learns"
CAPTION = """As printed the agent follows its noise at epsilon = 1; with accounted noise (tight) it
learns. Exact regret over 10^5 planned episodes on mixture-2 (d = H = 2), mean of 3 replicates with
the 95 % t interval; which action the printed noise favours is chance, hence the band. At epsilon =
100 the price of privacy is smaller. The regret bounds with explicit constants for these runs stand
in the panel, in units of the trivial H K = 200,000: those above 1 say nothing."""
ALT = """Regret against episodes up to a hundred thousand: uniform play ends at 56,000, known
rewards alone at 36,000, the printed agent at 22,000 with a band up to 98,000, tight at epsilon 1
and 100 near the axis, the base on it."""


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: mean and band at each hundredth; ``lines``: without an agent, at the end;
    ``bound``: over H K."""
    mdp = suite.environment(ENTRY)
    agents: list[Agent] = [
        LDPUCRLVTR(epsilon, DELTA, ALPHA, calibration=calibration)
        for epsilon, calibration in ((1.0, "printed"), (1.0, "tight"), (100.0, "tight"))
    ]
    runs = (
        simulate.run(ENTRY, mdp, agent, episodes=EPISODES, replicates=REPLICATES)
        for agent in (*agents, UCRLVTR(ALPHA, calibration="tight"))
    )
    rows = [
        curve(run, run.episodes % (EPISODES // 100) == 0, "agent calibration epsilon")
        for run in runs
    ]
    lines = [(name, rate * EPISODES) for name, rate in lr.references(ENTRY).items()]
    over = [
        (calibration, epsilon, upper(calibration)(EPISODES, epsilon) / (SIZE[1] * EPISODES))
        for epsilon in (1.0, 100.0)
        for calibration in ("printed", "tight")
    ]
    return {
        "runs": pd.concat(rows, ignore_index=True),
        "lines": frame(lines, "line regret"),
        "bound": frame(over, "calibration epsilon bound_over_trivial"),
    }


def draw(tables: Tables) -> Figure:
    figure, axes = single(3.4)
    for name in ("uniform", "constant", "blind"):
        end = float(where(tables["lines"], line=name)["regret"].iloc[0])
        axes.plot(
            [0, EPISODES],
            [0, end / EPISODES / 1e3 * EPISODES],
            color=style.GREY,
            linewidth=1.0,
            linestyle=lr.REFERENCES[name],
            label=lr.WORDS[name],
        )
    for (agent, calibration, epsilon), rows in tables["runs"].groupby(
        ["agent", "calibration", "epsilon"], sort=False
    ):
        private = agent == "ldp-ucrl-vtr"
        colour = style.COLOURS[calibration] if private else style.COLOURS["base"]
        dash = lr.DASHES[epsilon] if private else lr.DASHES[inf]
        label = (
            f"LDP-UCRL-VTR, {calibration}, ε = {epsilon:g}" if private else "UCRL-VTR, no privacy"
        )
        draw_curve(axes, rows, "episodes", "regret", colour, dash, label, unit=1e3)
    drawn = set(zip(tables["runs"]["calibration"], tables["runs"]["epsilon"], strict=True))
    words = "bound over H K\n" + "\n".join(
        f"{row.calibration}, ε = {row.epsilon:g}: {style.number(row.bound_over_trivial, 4)}"
        for row in tables["bound"].itertuples()
        if (row.calibration, row.epsilon) in drawn
    )
    note(axes, 0.03, 0.97, words, fontsize=7, color=style.COLOURS["bound"])
    axes.set(xlim=(0, EPISODES), ylim=(0, 105), xlabel="episodes", ylabel="regret (thousands)")
    axes.set_xticks(np.linspace(0, EPISODES, 6))
    return legend_below(figure, axes, 2)
