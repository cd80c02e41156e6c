"""From how many users on theorem 6.5 says anything, joint and local, and from how many on the
agents were seen to learn."""

from itertools import product
from math import inf, log, log1p, sqrt
from typing import Any

import numpy as np

from figures import style
from figures.kinds.lines import Axes, Legend, draw_line, draw_lines, draw_marks, panels, proxy
from figures.kinds.tables import TABLES, Path, Tables, finite, frame, where
from figures.zhou2022.learning import tables_of
from figures.zhou2022.local import long_runs as local_runs
from figures.zhou2022.regret import SIZE, below_trivial, constants, long_runs
from privrl.checks import require

EPSILONS = tuple(float(f"{10 ** (power / 2):.6g}") for power in range(-2, 7))
COUNTERS = ("tree", "local")
DRAWN_CALIBRATIONS = ("printed", "tight")
MESSAGE = "Agents learn long before theorem 6.5 can say so"
CAPTION = """Agents learn one to six orders of magnitude earlier than theorem 6.5 can say. Lines:
the smallest number of episodes K from which on the regret bound of value iteration on mixture-2 is
below the trivial H K: theorem 6.5's sum as displayed (printed) and the proved sum for tight
constants. Dashed: the closed form of the printed horizon from the noise alone, K = c^2 for trees
and c_1^4 for the local variant, where c H sqrt(K) is the noise's part of the bound and c_1 the same
for one noise term: proportional to 1/epsilon and to 1/epsilon^2. Marks, set apart sideways: burn-in
of the runs behind `zhou2022_regret` and `zhou2022_local`, median and range of 32 runs
(docs/measure.md)."""
ALT = """Two log-log panels of episodes against epsilon, tree and local. Falling lines, those of the
tree with slope minus one, the local ones with slope minus two and higher by five to six orders of
magnitude at epsilon 1, printed above tight. The marks of the burn-in lie one to six orders of
magnitude below their lines."""


def closed_form(epsilon: float, counter: str) -> float:
    """Where the noise parts of T1 and T2 alone, printed constants, are H K; a fixed point, as
    logarithms depend on K.

    T1 = 2 beta_p sqrt(KH) sqrt(2 H d1 kappa_p), of which the noise makes beta_p = sqrt(d1
    lambda_max) + nu, and T2 is H times the same for the rewards. Together they are c H sqrt(K), c
    proportional to the fourth root of the number n of noise terms: so K = c^2 for a tree (n = log2
    K) and K = c_1^4 for local noise (n = K - 1), c_1 at n = 1.
    """
    require(counter in COUNTERS, "counter must be tree or local", counter=counter)
    episodes, H = 1e6, SIZE[2]
    for _ in range(200):
        constants_ = constants(max(2, round(episodes)), epsilon, counter)
        kappa = log1p(
            constants_.episodes * (constants_.phi * H) ** 2 / (constants_.dim_p * constants_.p.low)
        )
        kappa_r = log1p(constants_.episodes / (constants_.dim_r * constants_.r.low))
        c = (
            2
            * sqrt(2 * constants_.dim_p * kappa)
            * (constants_.theta_p * sqrt(constants_.p.high) + constants_.p.nu)
        )
        c += (
            2
            * H
            * sqrt(2 * constants_.dim_r * kappa_r)
            * (constants_.theta_r * sqrt(constants_.r.high) + constants_.r.nu)
        )
        following = c**2 if counter == "tree" else (c / constants_.p.summed**0.25) ** 4
        if abs(log(following / episodes)) < 1e-9:
            break
        episodes = following
    return episodes


def tables(folder: Path = TABLES) -> Tables:
    lines = [
        (counter, calibration, epsilon, below_trivial(epsilon, calibration, "linopt-vi", counter))
        for counter in COUNTERS
        for calibration in DRAWN_CALIBRATIONS
        for epsilon in EPSILONS
    ]
    closed = [
        (counter, epsilon, closed_form(epsilon, counter))
        for counter in COUNTERS
        for epsilon in EPSILONS
    ]
    runs = tuple(run for run in long_runs(folder) if run.epsilon < inf) + local_runs(folder)
    burn_ins = tables_of(runs)["burn_in"]
    return {
        "vacuity": frame(lines, "counter calibration epsilon episodes"),
        "closed": frame(closed, "counter epsilon episodes"),
        "burn_in": burn_ins[burn_ins["calibration"].isin(DRAWN_CALIBRATIONS)],
    }


AGENTS = {"linopt-vi": "value iteration", "linopt-po": "policy optimisation"}
TRIED = 10**6  # users of the runs


def _panel(tables: Tables, axes: Axes, counter: str) -> None:
    lines, closed, burn_in = (
        where(tables[name], counter=counter) for name in ("vacuity", "closed", "burn_in")
    )
    draw_lines(
        axes,
        lines,
        "calibration",
        "epsilon",
        "episodes",
        {
            name: (style.COLOURS[name], "-", f"bound below H K, {name}")
            for name in DRAWN_CALIBRATIONS
        },
    )
    draw_line(
        axes,
        closed,
        "epsilon",
        "episodes",
        style.COLOURS["other"],
        (0, (4, 1.5)),
        "closed form of printed",
        linewidth=0.8,
    )
    for place, (agent, calibration) in enumerate(product(AGENTS, DRAWN_CALIBRATIONS)):
        rows = where(burn_in, agent=agent, calibration=calibration)
        at, reached = rows["epsilon"] * 1.3 ** (place - 1.5), np.isfinite(rows["burn_in"])
        colour = style.COLOURS[calibration]
        look: dict[str, Any] = {
            "markersize": 4,
            "markerfacecolor": colour if agent == "linopt-vi" else "white",
        }
        draw_marks(
            axes,
            at[reached],
            finite(rows, TRIED),
            "burn_in",
            colour,
            "least",
            "most",
            elinewidth=0.8,
            **look,
        )
        axes.plot(at[~reached], np.full(int((~reached).sum()), TRIED), "^", color=colour, **look)
    proxy(axes, f"{AGENTS['linopt-vi']} had learnt", marker="o")
    proxy(axes, f"{AGENTS['linopt-po']} had learnt", marker="o", markerfacecolor="white")
    proxy(axes, "not learnt within the $10^6$ that were tried", marker="^")
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(0.08, 1300),
        title={"tree": "trusted server (tree)", "local": "no trusted server (local)"}[counter],
    )


draw = panels(
    _panel,
    height=4.0,
    keys=[COUNTERS],
    ylabels=["number of episodes (users)"],
    xlabel="ε",
    legend=Legend(2),
)
