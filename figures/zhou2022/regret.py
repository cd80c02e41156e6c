"""Exact regret of Private-LinOpt-VI and -PO over trees against what needs no agent and against the
bounds."""

from functools import cache, partial
from math import inf, log, log1p, sqrt
from typing import Any, cast

import numpy as np

from figures import linear_runs, runs, style
from figures.kinds.lines import (
    Axes,
    Legend,
    Look,
    draw_bounds,
    draw_lines,
    note,
    panels,
)
from figures.kinds.tables import (
    TABLES,
    Path,
    Tables,
    curves,
    decades,
    frame,
    over_trivial,
    where,
)
from privrl.agents.linear.kernels import width_of
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.records import LOGARITHM_RATE, ROOT_LOGARITHM
from privrl.environments import suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.run.sweep import RunPlan
from theory.papers.vietri2020.bounds.proved import last_crossing
from theory.papers.zhou2022 import bounds

ID = "zhou2022_regret"
ENTRY = "zhou2022/mixture-2"
SIZE = (2, 2, 2)  # d1, d2, H
AGENTS = ("linopt-vi", "linopt-po")
SHORT = {"linopt-vi": "VI", "linopt-po": "PO"}
DRAWN_CALIBRATIONS = ("printed", "corrected", "tight")
EPSILONS = (1.0, 10.0, 100.0)
PLANNED, REPLICATES = 10**6, 4
ALPHA, DELTA = suite.entry(ENTRY).beta, suite.entry(ENTRY).delta
PLANS: list[RunPlan] = [
    *(
        RunPlan(
            ENTRY,
            agent=agent,
            counter="tree",
            calibration=calibration,
            epsilon=epsilon,
            episodes=PLANNED,
            replicates=REPLICATES,
        )
        for agent in AGENTS
        for epsilon in EPSILONS
        for calibration in DRAWN_CALIBRATIONS
    ),
    *(
        RunPlan(ENTRY, agent=agent, counter="none", episodes=PLANNED, replicates=REPLICATES)
        for agent in AGENTS
    ),
]
MESSAGE = "Private agents learn within a million episodes; the paper's bound stays vacuous"
CAPTION = """Private agents learn within 10^6 episodes, with tight constants first; the sum behind
the paper's bound stays vacuous throughout. Exact regret over H K on mixture-2 (d_1 = d_2 = H = 2,
two actions), K = 10^6 planned episodes, delta = 10^-6, trees of Gaussian noise; mean of 4
replicates with the 95 % t interval. Top: value iteration, bottom: policy optimisation. Dashed
orange: the sum behind theorem 6.5, at the agents' alpha = 0.1. Thin green: what is proved for the
`tight` agent at its own widths (failure probability at most 0.12). Both are for a run planned for
as many episodes as the abscissa says; above 1, which is H K, vacuous (shaded). The lower bound,
derived here, is what two two-armed bandits cost every agent on some MDP of this size."""
ALT = """Six log-log panels of regret against episodes, value iteration above policy optimisation,
epsilon 1, 10 and 100. Private runs follow uniform play, slope 1, and bend below it, tight before
corrected before printed and earlier for larger epsilon; the base bends within a hundred episodes,
for policy optimisation after a thousand. The printed sum lies in the shaded vacuous part
throughout; the proved line enters the other part within the panel at epsilon 10 and 100. The lower
bound has slope one half and lies far below."""
recompute = partial(runs.recompute, PLANS)  # some ten minutes; resumable
long_runs = partial(runs.read, ID)  # The runs behind this figure, in the order of ``PLANS``


@cache
def references() -> dict[str, float]:
    """Regret of one episode without any agent, see :func:`figures.linear_runs.without_agent`;
    ``trivial`` is H here."""
    return {
        **linear_runs.without_agent(suite.tabular(ENTRY)),
        "trivial": float(suite.tabular(ENTRY).horizon),
    }


@cache
def environment() -> LinearMixtureMDP:
    return cast(LinearMixtureMDP, suite.environment(ENTRY))


def constants(episodes: int, epsilon: float, counter: str = "tree") -> bounds.Constants:
    """The paper's constants, at the agents' alpha."""
    return bounds.constants(*SIZE, episodes, epsilon, DELTA, ALPHA, "printed", counter)


def proved(
    episodes: int, epsilon: float, calibration: str, agent: str = "linopt-vi", counter: str = "tree"
) -> bounds.MixtureRegretTerms:
    """The sharper sum of ``theory.papers.zhou2022.bounds`` at the very widths and regularisers of
    the agent that runs.

    Corrected agents spend alpha in all on what must not fail; the martingale gets another alpha/6.
    The potential counts from the least regulariser with a noise term in it; the first episode,
    which may have none, is given away at its caps.
    """
    mdp, level = environment(), log(6 / ALPHA)
    kind = LinOptPO if agent == "linopt-po" else LinOptVI
    agent_ = kind(
        inf if counter == "none" else epsilon, DELTA, ALPHA, counter, calibration
    ).calibrate(mdp, episodes)
    d1, d2, horizon = SIZE
    sums, caps = [0.0, 0.0], float(agent_.caps.sum())
    for which, (widths, d) in enumerate(((agent_.transitions, d1), (agent_.rewards, d2))):
        for bonus, cap in zip(widths.bonus, agent_.caps, strict=True):
            width = width_of(
                bonus,
                episodes - 1,
                agent_.growth.fixed,
                d * log1p(episodes * bonus[LOGARITHM_RATE]),
            )
            # bonus: ln(1 + b6 (k - 1)) for blocks of b5 coordinates
            growth = episodes * bonus[LOGARITHM_RATE] * bonus[ROOT_LOGARITHM] / d
            sums[which] += bounds.bonus_sum(float(cap), float(width), episodes, d, float(growth))
    after = sum(step**2 for step in range(horizon))
    if agent == "linopt-vi":
        return bounds.MixtureRegretTerms(
            sums[0] + caps, sums[1], sqrt(episodes * after * level / 2)
        )
    capped = float((agent_.caps**2).sum())
    eta, spread = LinOptPO.eta(mdp, episodes), log(mdp.actions)
    mirror = horizon * spread / eta + eta * episodes * capped / 8
    return bounds.MixtureRegretTerms(
        sums[0] + caps, sums[1], sqrt(episodes * (after + capped) * level / 2), mirror
    )


def upper(
    episodes: int, epsilon: float, calibration: str, agent: str = "linopt-vi", counter: str = "tree"
) -> float:
    """Theorem 6.5's sum as displayed for ``printed``, the sum proved for the agent itself for the
    others."""
    if calibration == "printed":
        many = environment().actions if agent == "linopt-po" else None
        return bounds.displayed_terms(constants(episodes, epsilon, counter), many).total
    return proved(episodes, epsilon, calibration, agent, counter).total


@cache
def below_trivial(
    epsilon: float, calibration: str, agent: str = "linopt-vi", counter: str = "tree"
) -> int:
    """The smallest K from which on :func:`upper` stays below H K."""
    return last_crossing(lambda K: upper(K, epsilon, calibration, agent, counter) / (SIZE[2] * K))


def lower(episodes: int, horizon: int = 2) -> float:
    """Expected regret that some mixture with H steps, two actions and d2 = 2 costs every agent,
    private or not.

    A two-armed bandit a step, means 1/2 + g and 1/2 - g, the better arm a coin's choice: in round t
    the better arm is missed with probability at least (1 - TV)/2, and TV^2 <= (t - 1) kl/2 by
    Pinsker, kl = 2 g ln((1/2 + g)/(1/2 - g)). The sum over rounds is at least the integral; the
    best g is taken from a grid.
    """
    best = 0.0
    for g in np.geomspace(1e-7, 0.4, 400):
        kl = 2 * g * log((0.5 + g) / (0.5 - g))
        rounds = min(float(episodes), 2 / kl)
        best = max(best, horizon * float(g) * (rounds - 2 / 3 * rounds**1.5 * sqrt(kl / 2)))
    return best


def tables(folder: Path = TABLES) -> Tables:
    marks = decades(6)
    lines = [
        (name, "", inf, int(mark), references()[name] * mark)
        for name in ("trivial", "uniform", "constant")
        for mark in marks
    ]
    lines += [("lower", "", inf, int(mark), lower(int(mark))) for mark in marks]
    lines += [
        (name, agent, epsilon, int(mark), upper(int(mark), epsilon, name, agent))
        for name in ("printed", "tight")
        for agent in AGENTS
        for epsilon in EPSILONS
        for mark in marks
        if mark >= 100
    ]
    vacuity = [
        (
            agent,
            epsilon,
            name,
            below_trivial(epsilon, name, agent),
            *(
                upper(PLANNED, epsilon, name, agent) / (references()[level] * PLANNED)
                for level in ("trivial", "uniform")
            ),
        )
        for agent in AGENTS
        for epsilon in EPSILONS
        for name in DRAWN_CALIBRATIONS
    ]
    return {
        "runs": curves(long_runs(folder), marks, "agent counter calibration epsilon"),
        "lines": frame(lines, "line agent epsilon episodes regret"),
        "vacuity": frame(
            vacuity,
            "agent epsilon calibration below_trivial_from bound_over_trivial bound_over_uniform",
        ),
    }


FIRST, TOP = 10**2, 3e4


REFERENCES = {
    "trivial": ("-", None),  # regret is drawn over it
    "uniform": (style.LINES["uniform"], "uniform play, one action"),
    "constant": (style.LINES["constant"], None),
}
BOUNDS: dict[str, Look] = {
    "printed": (style.COLOURS["bound"], style.LINES["bound"], "theorem 6.5's sum"),
    "tight": (style.COLOURS["tight"], style.LINES["proved"], "proved, tight"),
    "lower": (style.COLOURS["other"], style.LINES["lower"], "lower bound, worst MDP"),
}
KEYS = "counter calibration epsilon"


def looks(epsilon: float) -> dict[Any, Look]:
    """Lines by ``KEYS``: the private agent over trees, and its base."""
    return {
        **{
            ("tree", name, epsilon): (style.COLOURS[name], "-", f"private, {name}")
            for name in DRAWN_CALIBRATIONS
        },
        ("none", "printed", inf): (
            style.COLOURS["base"],
            style.LINES["ubev"],
            "no privacy, printed",
        ),
    }


def _panel(tables: Tables, axes: Axes, agent: str, epsilon: float) -> None:
    lines, played = over_trivial(tables["lines"], tables["runs"])
    mine = lines[
        lines["agent"].fillna("").isin(("", agent)) & lines["epsilon"].isin((epsilon, inf))
    ]
    draw_bounds(axes, mine, TOP, REFERENCES, BOUNDS, 1.0)
    draw_lines(
        axes,
        where(played, agent=agent),
        KEYS,
        "episodes",
        "regret",
        looks(epsilon),
        band=True,
    )
    starts = where(tables["vacuity"], agent=agent, epsilon=epsilon).set_index("calibration")[
        "below_trivial_from"
    ]
    note(
        axes,
        0.04,
        0.98,
        f"below H K from\n{style.tex(starts['printed'], 2)} (theorem 6.5)\n"
        f"{style.tex(starts['tight'], 2)} (proved)",
    )
    axes.set(xlim=(FIRST, PLANNED), ylim=(1e-5, TOP))
    if agent == AGENTS[0]:
        axes.set_title(f"ε = {epsilon:g}")


draw = panels(
    _panel,
    height=5.6,
    keys=[AGENTS, EPSILONS],
    ylabels=[f"regret of {SHORT[agent]} / H K" for agent in AGENTS],
    xlabel="episodes",
    legend=Legend(
        names={
            "lower bound, worst MDP": (3, 1e4, -19),
        }
    ),
)
