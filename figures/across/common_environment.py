"""All algorithms that can play it on one river: same users, same privacy, printed and tight, joint
and local."""

from functools import cache
from math import inf, sqrt
from typing import Any

import numpy as np
import pandas as pd

from figures import learnt, profiles, style
from figures import linear_runs as lr
from figures.chowdhury2021 import regret as chowdhury2021_regret
from figures.kinds.lines import Axes, Figure, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.linear_runs import Direct, Source
from privrl.agents import registry
from privrl.agents.linear import widths as lw
from privrl.agents.linear.ldp_ucrl_vtr import largest_reward
from privrl.environments import suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.mixtures import one_hot
from privrl.privacy import accounting, noise
from privrl.run import measure
from privrl.run.sweep import RunPlan

ID = "common_environment"
ENTRY = "vietri2020/riverswim-3-relabelled"
PLANNED, REPLICATES = 10**6, 2
EPSILONS = (10.0, 100.0)
DELTA, BETA = 1e-6, 0.1
JOINT = ("pucb", "linopt-vi", "linopt-po", "ldp-ucrl-vtr")
LOCAL = ("ldp-ucrl-vtr", "linopt-vi", "linopt-po", "pucb")
BASES = {
    "pucb": "ubev",
    "linopt-vi": "linopt-vi",
    "linopt-po": "linopt-po",
    "ldp-ucrl-vtr": "ucrl-vtr",
}
MESSAGE = "On one river every algorithm loses several times more with privacy than without"
CAPTION = """On one river every private algorithm loses six times and more what its planner loses
without privacy, and PUCB with tight constants the least of those that are told nothing.
Riverswim-3-relabelled (S = 3, two actions, H = 3), as a tabular MDP and as a linear mixture, 10^6
users, delta = 10^-6, failure probability 0.1; regret after the last user over uniform play's, mean
of 2 replicates with their range (docs/measure.md says what more would take). The number at a
`printed` mark is the epsilon that its noise really gives, exact; `tight` has that of the panel.
UCRL-VTR* is LDP-UCRL-VTR's planner, which knows the rewards, values taken to be cut at 0; `printed`
has epsilon inside the root of its sigma. Last row: Private-OFU-RL on its own scalar LQ system, over
the regret of u = 0, after as many users as `chowdhury2021_regret` has."""
ALT = """Two panels, epsilon 10 and 100, with one row per algorithm. At epsilon 10 the tight joint
algorithms, PUCB first, lie well to the left of uniform play and printed ones close to it; at 100
the tight joint marks lie between a twentieth and a quarter and the local ones between a half and
four fifths. The bars without privacy lie at a few hundredths and less."""


@cache
def mixture(scaled: bool) -> LinearMixtureMDP:
    """The same river as a linear mixture of one-hot features; liao2021's norm assumption needs them
    scaled."""
    return one_hot(suite.tabular(ENTRY), scaled=scaled)


def title(agent: str) -> str:
    """An agent in words, with a star where it is told the rewards."""
    return registry.kind(agent).title + ("*" if measure.knows_rewards(agent) else "")


def source(agent: str, counter: str, calibration: str, epsilon: float) -> Source:
    """One setting; the printed PUCB has pure privacy, which is more than (epsilon, delta)."""
    if agent in ("pucb", "ubev"):
        pure = agent == "pucb" and calibration == "printed"
        return RunPlan(
            ENTRY,
            agent=agent,
            counter=counter,
            calibration=calibration,
            epsilon=epsilon if epsilon < inf else None,
            delta=0.0 if pure or counter == "none" else DELTA,
            beta=BETA,
            episodes=PLANNED,
            replicates=REPLICATES,
        )
    agent_ = registry.make(
        agent,
        epsilon=min(epsilon, 1e9),
        delta=DELTA,
        beta=BETA,
        counter=counter,
        calibration=calibration,
    )
    return Direct(mixture("vtr" in agent), agent_, PLANNED, REPLICATES)


def private() -> list[tuple[str, str, str]]:
    """(agent, counter, calibration) of everything that is private, joint first; printed: the
    counters of the papers.

    zhou2022 gives no formulas for its local variant.
    """
    return [
        (agent, counter, calibration)
        for counter, agents in (("tree", JOINT), ("local", LOCAL))
        for agent in agents
        for calibration in ("printed", "tight")
        if calibration == "tight" or (agent == "ldp-ucrl-vtr") == (counter == "local")
    ]


def sources() -> list[Source]:
    """All runs, in the order of the table."""
    agents = [source(*key, epsilon) for epsilon in EPSILONS for key in private()]
    return agents + [
        source(BASES[agent], "none", "printed" if agent == "pucb" else "tight", inf)
        for agent in JOINT
    ]


def recompute(path: Path, jobs: int = 1) -> None:
    """Make the table again: a quarter of an hour on one core, not resumable.

    A profile that is too short for a whole run makes nothing.
    """
    if profiles.current().has(PLANNED, REPLICATES - 1):
        lr.recompute(sources(), path, jobs)


def real_epsilon(agent: str, counter: str, calibration: str, epsilon: float) -> float:
    """Epsilon of all noisy sums together at delta (pure for the printed PUCB), one user replaced,
    on this river.

    For the linear algorithms with the norms of these features; values of LDP-UCRL-VTR taken to be
    cut at 0 as well.
    """
    agent_ = lr.agent_of(source(agent, counter, calibration, epsilon))
    if agent == "pucb":
        if calibration != "printed":
            return epsilon  # by construction, and tested
        mdp = suite.tabular(ENTRY)
        return noise.noise(
            "vietri2020",
            noise.setting(
                "vietri2020",
                epsilon=epsilon,
                episodes=PLANNED,
                horizon=mdp.horizon,
                states=mdp.states,
            ),
        ).real_epsilon
    mdp_ = mixture("vtr" in agent)
    scales: Any = agent_.calibrate(mdp_, PLANNED)  # type: ignore[attr-defined]  # the linear agents have it
    largest = 1.0 if calibration == "printed" else largest_reward(mdp_)
    squares = 0.0
    parts = [
        (
            lw.transitions(mdp_, scales.by_blocks, largest if "vtr" in agent else 1.0),
            scales.transitions,
        )
    ]
    if "vtr" not in agent:
        parts.append((lw.rewards(mdp_, scales.by_blocks), scales.rewards))
    for known, widths in parts:
        for step in range(mdp_.horizon):
            if known.sizes[step] * known.bounds[step] > 0:
                squares += (
                    known.change(step, float(widths.gram[step]), float(widths.vector[step])) ** 2
                )
    node = lw.private_mu(epsilon, DELTA, counter, PLANNED)  # what one draw may have
    share = sqrt(squares) / node
    return accounting.gaussian_epsilon(DELTA, share * accounting.gaussian_mu(epsilon, DELTA))


def tables(folder: Path = TABLES) -> Tables:
    """``ends``: regret at K over uniform play's, burn-in and real epsilon of every setting;
    ``lines``; ``control``."""
    alone, rows = lr.references(ENTRY), []
    uniform = alone["uniform"]
    for run in lr.read_runs(ID, folder):
        share = run.regret[:, -1] / (uniform * PLANNED)
        real = np.nan if run.counter == "none" else run.epsilon
        if run.counter != "none" and run.calibration == "printed":
            real = real_epsilon(run.agent, run.counter, run.calibration, run.epsilon)
        rows.append(
            (
                run.agent,
                run.counter,
                run.calibration,
                run.epsilon,
                share.mean(),
                share.min(),
                share.max(),
                learnt.users(run, folder, suite.environment(ENTRY)).median,
                real,
            )
        )
    lines = [(name, alone[name] / uniform) for name in ("uniform", "action 0", "action 1")]
    return {
        "ends": frame(
            rows, "agent counter calibration epsilon share low high burn_in real_epsilon"
        ),
        "lines": frame(lines, "line share"),
        "control": _control(folder),
    }


def _control(folder: Path) -> pd.DataFrame:
    """Private-OFU-RL on its own system: regret at the end of the long runs over that of u = 0."""
    zero, rows = chowdhury2021_regret.references()["zero"], []
    for run in chowdhury2021_regret.long_runs(folder):
        if run.agent in ("private-ofu-rl", "ofu-rl") and (
            run.epsilon in EPSILONS or run.counter == "none"
        ):
            share = run.regret[:, -1] / (zero * run.episodes[-1])
            real = np.nan if run.counter == "none" else run.epsilon
            if run.counter != "none" and run.calibration == "printed":
                system = chowdhury2021_regret.environment()
                real = noise.noise(
                    "chowdhury2021",
                    noise.setting(
                        "chowdhury2021",
                        epsilon=run.epsilon,
                        delta=run.delta,
                        episodes=run.planned,
                        states=system.states,
                        actions=system.controls,
                        horizon=system.horizon,
                        gamma=system.gamma,
                    ),
                ).real_epsilon
            rows.append(
                (
                    run.agent,
                    run.counter,
                    run.calibration,
                    run.epsilon,
                    int(run.episodes[-1]),
                    share.mean(),
                    share.min(),
                    share.max(),
                    real,
                )
            )
    return frame(rows, "agent counter calibration epsilon episodes share low high real_epsilon")


LOOKS = {
    "printed": ("o", "printed, with its real ε"),
    "corrected": ("s", "corrected"),
    "tight": ("D", "tight"),
}
GAP = 0.9


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(4.6, 1, len(EPSILONS), sharex=True, sharey=True)
    rows = (
        [("joint", agent) for agent in JOINT]
        + [("local", agent) for agent in LOCAL]
        + [("own", "private-ofu-rl")]
    )
    places = [
        index + GAP * (["joint", "local", "own"].index(trust))
        for index, (trust, _) in enumerate(rows)
    ]
    names = ["OFU-RL (LQ)" if trust == "own" else title(agent) for trust, agent in rows]
    looks = {
        "uniform": (style.LINES["uniform"], "uniform play"),
        "action": (style.LINES["constant"], "constant action"),
    }
    for axes, epsilon in zip(grid[0], EPSILONS, strict=True):
        for row in tables["lines"].itertuples():
            dash, label = looks[str(row.line).split()[0]]
            axes.axvline(
                float(str(row.share)),
                color=style.GREY,
                linewidth=0.9,
                linestyle=dash,
                label=label,
                zorder=1,
            )
        for (trust, agent), place in zip(rows, places, strict=True):
            ends = tables["control"] if trust == "own" else tables["ends"]
            mine = where(ends, agent=agent, epsilon=epsilon)
            if trust != "own":
                mine = mine[(mine["counter"] == "local") == (trust == "local")]
            _row(axes, mine, place)
            base = where(ends, agent=BASES.get(agent, "ofu-rl"), counter="none")
            axes.plot(
                base["share"],
                np.full(len(base), place),
                "|",
                color=style.COLOURS["base"],
                markersize=10,
                label="no privacy",
            )
        axes.set(
            xscale="log",
            xlim=(7e-4, 2.2),
            title=f"ε = {epsilon:g}",
            xlabel="regret / uniform play's",
        )
        axes.set_xticks([0.001, 0.01, 0.1, 1], labels=["0.001", "0.01", "0.1", "1"])
        axes.grid(visible=False, axis="y")
    first = grid[0, 0]
    first.set_yticks(places, labels=names)
    first.set_ylim(places[-1] + 0.7, -0.8)
    for trust, at in (
        ("joint privacy", 0),
        ("local privacy", len(JOINT)),
        ("another problem", len(rows) - 1),
    ):
        first.text(8e-4, places[at] - 0.52, trust, fontsize=7.5, style="italic", va="center")
    return legend_below(figure, grid[0], 4)


def _row(axes: Axes, rows: pd.DataFrame, place: float) -> None:
    for row in rows.itertuples():
        shape, label = LOOKS[str(row.calibration)]
        axes.errorbar(
            [row.share],
            [place],
            xerr=[[row.share - row.low], [row.high - row.share]],
            fmt=shape,
            color=style.COLOURS[str(row.calibration)],
            elinewidth=1.0,
            markersize=5,
            zorder=3,
            label=label,
        )
        if row.calibration == "printed":
            axes.annotate(
                style.number(row.real_epsilon, 2),
                (row.share, place),
                (-1.5, 4),
                textcoords="offset points",
                ha="right",  # of 1, where uniform play's line is
                fontsize=7,
                color=style.COLOURS["printed"],
                zorder=4,
            )
