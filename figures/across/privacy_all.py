"""What each of the four papers' noise really buys, in one figure: as ``privrl sigma`` has it, over
epsilon."""

from typing import Any

import numpy as np

from figures import style
from figures.kinds.lines import Figure, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.privacy import accounting, noise, sensitivity
from privrl.types import Adjacency

MESSAGE = "The printed noise hardly ever buys just the ε that is claimed"
CAPTION = """What the printed noise of the four papers buys. Left: the real epsilon over the claimed
one, all noisy statistics of an algorithm together, exact; above 1 the statistics give away more
than the proof says. Right: the smallest noise of the same proportions that gives what is claimed,
over the printed one; below 1 the paper overpays. Solid: one user replaced, the papers' relation.
Dashed: one user taken out (a message or none for liao2021). Settings: vietri2020 T = 10^6, natural
logarithm, pure privacy; chowdhury2021 gamma = 0.5, n = 2, d = 1; liao2021 H = 6, epsilon inside the
root of sigma, values in [0, H - h], features within (3.1), and dotted the one-hot features of S = 6
states; zhou2022 H = 10; delta = 1e-6. The other parameters cancel, but for T. Other users see the
actions alone: these give away too much in zhou2022 at large epsilon, in vietri2020 in events of
tiny probability; open for chowdhury2021."""
ALT = """Left, over claimed epsilon from 0.001 to 10000: vietri2020 is level at 2.9, and at 1.4 when
a user is taken out; chowdhury2021 rises from 0.3 through 1 near epsilon 38 to 100; zhou2022 rises
from 0.05 and passes 1 near 1850; liao2021 falls from 1 to below 0.001, its one-hot line runs four
times higher. Right: the same order, closer to 1; liao2021 ends at a hundredth."""
DELTA = 1e-6
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(1e-3, 1e4, 43))
GIVEN: dict[str, dict[str, Any]] = {
    "vietri2020": {},
    "chowdhury2021": {"gamma": 0.5},
    "liao2021": {"horizon": 6},
    "zhou2022": {"horizon": 10},
}
ONE_HOT, STATES = "liao2021, one-hot", 6


def tables(folder: Path = TABLES) -> Tables:
    """Columns: paper, adjacency, epsilon (claimed), real (real over claimed) and factor (smallest
    over printed)."""
    rows = []
    for paper, sizes in GIVEN.items():
        for adjacency in Adjacency:
            for epsilon in EPSILONS:
                delta = 0.0 if paper == "vietri2020" else DELTA
                setting = noise.setting(
                    paper, epsilon=epsilon, delta=delta, adjacency=adjacency.value, **sizes
                )
                scales = noise.noise(paper, setting)
                rows.append(
                    (paper, adjacency.value, epsilon, scales.real_epsilon / epsilon, scales.factor)
                )
                if paper == "liao2021" and adjacency is Adjacency.REPLACE:
                    change = sensitivity.liao2021(
                        "message", setting.horizon, adjacency, one_hot_states=STATES
                    ).value
                    mu = change / scales.scales[0].printed
                    rows.append(
                        (
                            ONE_HOT,
                            adjacency.value,
                            epsilon,
                            accounting.gaussian_epsilon(delta, mu) / epsilon,
                            mu / accounting.gaussian_mu(epsilon, delta),
                        )
                    )
    return {"bought": frame(rows, "paper adjacency epsilon real factor")}


def draw(tables: Tables) -> Figure:
    table = tables["bought"]
    figure, ((left_axes, right_axes),) = style.figure(3.5, 1, 2, sharex=True)
    colours = dict(zip(GIVEN, style.PALETTE, strict=False))
    colours[ONE_HOT] = colours["liao2021"]
    dashes = {"replace": "-", "add-remove": (0, (4, 1.5))}
    for (paper, adjacency), rows in table.groupby(["paper", "adjacency"], sort=False):
        hot = paper == ONE_HOT
        label = paper if adjacency == "replace" else "_"
        informative = rows[rows["real"] > 0]
        for axes, subset, name in ((left_axes, informative, "real"), (right_axes, rows, "factor")):
            axes.plot(
                subset["epsilon"],
                subset[name],
                color=colours[paper],
                label=label,
                linestyle=(0, (1, 1.2)) if hot else dashes[adjacency],
            )
    left_axes.plot([], [], color=style.GREY, linestyle=dashes["add-remove"], label="user taken out")
    for axes in (left_axes, right_axes):
        axes.axhline(1.0, color="black", linewidth=0.8, zorder=1)
        axes.set(xscale="log", yscale="log", xlabel="claimed ε", xlim=(EPSILONS[0], EPSILONS[-1]))
    left_axes.set(
        ylabel="real ε / claimed ε", title="what the printed noise buys", ylim=(1e-3, 200)
    )
    right_axes.set(
        ylabel=r"smallest $\sigma$ / printed $\sigma$",
        title="what would have been enough",
        ylim=(3e-3, 20),
    )
    return legend_below(figure, left_axes, 3)
