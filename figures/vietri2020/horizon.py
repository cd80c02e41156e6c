"""From how many users on theorem 4 of vietri2020, or what is proved, says anything, and PUCB was
seen to learn."""

from figures import style
from figures.kinds.lines import Figure, draw_line, draw_marks, legend_below, proxy, single
from figures.kinds.tables import TABLES, Path, Tables, finite, frame, where
from figures.vietri2020 import learning
from figures.vietri2020.regret import BETA, DRAWN_CALIBRATIONS, PLANNED
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

MESSAGE = "PUCB learns before its bounds can say so"
CAPTION = """PUCB learns before its bounds can say so. Lines: the smallest number of episodes T from
which on a regret bound stays below the trivial H T, for three sizes (beta = 0.1, natural
logarithms): the sum behind theorem 4, and the bound proved for noise that is epsilon-JDP (width of
corrected). The printed lines of theorem 4's proof disagree in two places; the other form is in the
data, and has the later horizon. Marks: burn-in of PUCB on riverswim-3-relabelled (3, 2, 3) in runs
of 10^8 planned episodes, median and range of 32, of 8 where one takes more than two seconds
(docs/measure.md). A bound holds for every MDP of its size, the burn-in
is that of one."""
ALT = """Log-log plot of episodes against epsilon: for S, A, H of 2, 2, 2 and 3, 2, 3 and 6, 2, 20 a
falling line that levels off for large epsilon, theorem 4's, and below it one of the same shape for
the proved bound. The marks of the burn-in lie below theorem 4's line for 3, 2, 3, tight lowest,
then corrected, then printed; they also lie below the proved one, but for printed at epsilon 100."""
SIZES = ((2, 2, 2), (3, 2, 3), (6, 2, 20))
EPSILONS = tuple(float(f"{10 ** (power / 4):.6g}") for power in range(-4, 17))


def tables(folder: Path = TABLES) -> Tables:
    lines = [
        (*size, form, epsilon, bounds.vacuity_horizon(*size, epsilon, BETA, form))
        for size in SIZES
        for form in ("printed", "derived")
        for epsilon in EPSILONS
    ]
    lines += [
        (*size, "proved", epsilon, proved.regret_horizon(*size, epsilon, BETA))
        for size in SIZES
        for epsilon in EPSILONS
    ]
    burnt = where(learning.tables(folder)["burn_in"], agent="pucb")
    return {
        "vacuity": frame(lines, "states actions horizon form epsilon episodes"),
        "burn_in": burnt.drop(columns=["agent"]),
    }


def draw(tables: Tables) -> Figure:
    figure, axes = single(4.0)
    dashes = dict(
        zip(SIZES, [(0, (1.5, 1.2)), style.LINES["bound"], (0, (4, 1.5, 1, 1.5))], strict=True)
    )
    for size, below in tables["vacuity"].groupby(["states", "actions", "horizon"], sort=False):
        rows, words = where(below, form="printed"), ", ".join(map(str, size))
        draw_line(
            axes,
            rows,
            "epsilon",
            "episodes",
            style.COLOURS["bound"],
            dashes[size],
        )
        draw_line(
            axes,
            where(below, form="proved"),
            "epsilon",
            "episodes",
            style.COLOURS["corrected"],
            dashes[size],
            linewidth=1.0,
        )
        axes.annotate(
            f"S, A, H = {words}",
            (rows["epsilon"].iloc[-1], rows["episodes"].iloc[-1]),
            (3, 0),
            textcoords="offset points",
            fontsize=7,
            va="center",
            color=style.COLOURS["bound"],
        )
    for calibration, shape, shift in zip(DRAWN_CALIBRATIONS, "osD", (0.9, 1.0, 1.11), strict=True):
        rows = where(tables["burn_in"], calibration=calibration)
        reached = finite(rows, PLANNED)
        draw_marks(
            axes,
            reached["epsilon"] * shift,
            reached,
            "burn_in",
            style.COLOURS[calibration],
            "least",
            "most",
            fmt=shape,
            markersize=4.5,
            elinewidth=1,
            capsize=2,
            label=f"PUCB {calibration} has learnt",
        )
    axes.set(
        xscale="log", yscale="log", xlabel="ε", ylabel="number of episodes (users)", xlim=(0.1, 1e4)
    )
    for words, kind in (("the sum behind theorem 4", "bound"), ("proved", "corrected")):
        proxy(axes, f"{words}, below H T", linestyle="--", color=style.COLOURS[kind])
    return legend_below(figure, axes, 2)
