"""What PUCB's noisy counters cost, over what is claimed: exact, for every T
(vietri2020/theorem-1)."""

from math import log

from matplotlib.ticker import FixedLocator

from figures import style
from figures.kinds.lines import Figure, draw_lines, legend_below, single
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters import stream as counters
from privrl.types import Adjacency

MESSAGE = "PUCB's printed noise costs more than is claimed, the corrected just that"
CAPTION = """The printed noise of PUCB costs more than is claimed, the corrected noise exactly what
is. Exact worst-case privacy loss of PUCB's three families of counters together, divided by the
claimed epsilon, against the planned number of episodes T; the same for every H and epsilon. Noise
scale (3H/epsilon) log T as printed, with the natural logarithm or base 2, T - 1 releases. Replacing
a user is the paper's neighbour relation; removing one is there to compare. The corrected scale 6 H
levels(T - 1)/epsilon costs exactly what is claimed. The loss is that of the counters, which the
proof of theorem 1 bounds; whether the actions alone give away as much is open."""
ALT = """Saw-tooth curves of the loss over claimed epsilon against T from 2 to a billion: with
printed noise under replacement from 2.9 at T = 2 down towards 2.89 again and never below 2 in
either base; under removal half of that; the corrected calibration is a flat line at 1."""
HORIZON, EPSILON = 3, 1.0  # they cancel
BASES = {"e": 1.0, "2": log(2)}


def episodes() -> list[int]:
    """Every T up to 64, then both sides of each power of two (where a level is added) and points
    between."""
    far = [2**k + offset for k in range(6, 31) for offset in (0, 1)]
    between = [round(2**k * 2**share) for k in range(6, 30) for share in (0.25, 0.5, 0.75)]
    return sorted({*range(2, 65), *far, *between})


def loss(planned: int, adjacency: Adjacency, scale: float) -> float:
    """Worst-case loss of the three families over the claimed epsilon, for node noise of this
    scale."""
    change = sensitivity.vietri2020("all", HORIZON, adjacency).value
    return accounting.laplace_family_epsilon(scale, change, planned - 1) / EPSILON


def tables(folder: Path = TABLES) -> Tables:
    rows = []
    for planned in episodes():
        scales = {
            f"printed-{base}": 3 * HORIZON / EPSILON * log(planned) / unit
            for base, unit in BASES.items()
        }
        scales["corrected"] = 6 * HORIZON * counters.levels(planned - 1) / EPSILON
        rows += [
            (noise, adjacency.value, planned, loss(planned, adjacency, scale))
            for noise, scale in scales.items()
            for adjacency in Adjacency
        ]
    return {"loss": frame(rows, "noise adjacency episodes loss")}


def draw(tables: Tables) -> Figure:
    figure, axes = single(3.0)
    looks = {
        "printed-e": (style.COLOURS["printed"], "printed noise, natural log"),
        "printed-2": (style.COLOURS["other"], "printed noise, base 2"),
        "corrected": (style.COLOURS["corrected"], "corrected noise"),
    }
    changes = {"replace": ("-", "user replaced"), "add-remove": ((0, (3, 1.5)), "user removed")}
    draw_lines(
        axes,
        tables["loss"],
        "adjacency noise",
        "episodes",
        "loss",
        {
            (adjacency, noise): (colour, dash, f"{name}, {words}")
            for adjacency, (dash, words) in changes.items()
            for noise, (colour, name) in looks.items()
        },
        linewidth=1.1,
    )
    axes.axhline(1.0, color="black", linewidth=0.6, zorder=1)
    axes.set(
        xscale="log",
        xlim=(2, 2**30),
        ylim=(0, 4.2),
        xlabel="planned number of episodes T",
        ylabel="exact loss / claimed ε",
    )
    axes.xaxis.set_major_locator(FixedLocator([10.0**power for power in range(1, 10)]))
    axes.annotate(
        "what theorem 1 claims",
        (2**30, 1.0),
        (-2, -9),
        textcoords="offset points",
        fontsize=7,
        ha="right",
    )
    return legend_below(figure, axes, 2)
