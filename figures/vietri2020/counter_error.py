"""The tree counter's error against theorem 12 of vietri2020, under both readings of its
logarithm."""

from math import log, nan

import numpy as np
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from figures import style
from figures.kinds.lines import Figure, draw_line, draw_marks, legend_below, note
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.privacy import quantiles
from privrl.privacy.counters.tree import TreeCounter
from theory.lemmas import tree
from theory.papers.vietri2020.bounds import stated as bounds

MESSAGE = "Theorem 12's bound on the error of a counter holds, but for β near 1"
CAPTION = """Theorem 12's bound on the error of a counter holds, but for beta near 1. Left: the
error that all T releases of one counter respect with probability 0.9, in units of 1/epsilon,
against theorem 12, (4/epsilon) ln(1/beta) log(T)^2.5, with node noise log(T)/epsilon and the same
logarithm in both; lines are certified simultaneous quantiles, points the quantile of 1,000
simulated counters with its 95 % interval. Right: the exact quantile over the bound as beta varies.
Below 1 the bound holds; it fails for beta near 1, soonest at T = 2, because it vanishes there and
the noise does not. The privacy of this noise is another matter."""
ALT = """Left: two bounds rise with T from a few units to some thousands, and the true errors lie
below them by a factor that grows from about 2 to between 16 and 28. Right: the ratio of true error
to bound stays below 1 for beta up to one half at every T shown and crosses 1 for beta near 1."""
BETA = 0.1
# as theory.papers.vietri2020.bounds.stated.theorem_12_error takes them
BASES = {
    "e": 0.0,
    "2": 2.0,
}
TIMES = tuple(2**k for k in range(1, 21, 2))
SIMULATED = (2**3, 2**7, 2**11)
STREAMS = 1000
RATIO_TIMES = (2, 2**4, 2**20)
BETAS = (
    1e-6,
    1e-5,
    1e-4,
    1e-3,
    0.01,
    0.03,
    0.1,
    0.2,
    0.35,
    0.5,
    0.65,
    0.8,
    0.9,
    0.95,
    0.97,
    0.99,
    0.995,
    0.999,
)


def scale(planned: int, base: str) -> float:
    """Node noise of algorithm 5 at epsilon = 1: log T."""
    return log(planned) / (log(BASES[base]) if BASES[base] else 1.0)


def simulated(planned: int) -> tuple[float, float, float]:
    """Empirical quantile at 1 - BETA of the largest error of a counter, with its distribution-free
    95 % interval.

    The interval's ends are the order statistics that a normal approximation of the binomial count
    gives; scale 1.
    """
    counter = TreeCounter(STREAMS, planned, 1.0, np.random.Generator(np.random.SFC64(planned)))
    largest = np.zeros(STREAMS)
    for _ in range(planned):
        np.maximum(largest, np.abs(counter.block(1)[0]), out=largest)
    half = 1.96 * (BETA * (1 - BETA) / STREAMS) ** 0.5
    low, value, high = np.quantile(largest, [1 - BETA - half, 1 - BETA, 1 - BETA + half])
    return float(value), float(low), float(high)


def tables(folder: Path = TABLES) -> Tables:
    """``error`` over T at beta = 0.1 (points where simulated), and ``ratio`` of quantile to bound
    over beta."""
    points = {planned: simulated(planned) for planned in SIMULATED}
    error, ratio = [], []
    for base, unit_of_log in BASES.items():
        for planned in TIMES:
            unit = scale(planned, base)
            bound = bounds.theorem_12_error(planned, 1.0, BETA, unit_of_log)
            errors = [unit * value for value in points.get(planned, (nan, nan, nan))]
            error.append(
                (base, planned, bound, unit * quantiles.tree_quantile(BETA, planned), *errors)
            )
        for planned in RATIO_TIMES:
            for beta in BETAS:
                exact = scale(planned, base) * tree.quantile(beta, planned)
                ratio.append(
                    (
                        base,
                        planned,
                        beta,
                        exact / bounds.theorem_12_error(planned, 1.0, beta, unit_of_log),
                    )
                )
    return {
        "error": frame(error, "base episodes bound quantile simulated low high"),
        "ratio": frame(ratio, "base episodes beta ratio"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.3, 1, 2)
    colours = {"e": style.COLOURS["printed"], "2": style.COLOURS["other"]}
    for (base, colour), words in zip(colours.items(), ("natural log", "log base 2"), strict=True):
        rows = where(tables["error"], base=base)
        draw_line(
            left_axes,
            rows,
            "episodes",
            "bound",
            colour,
            style.LINES["bound"],
            f"theorem 12, {words}",
        )
        draw_line(left_axes, rows, "episodes", "quantile", colour, label=f"true error, {words}")
        simulated = rows.dropna(subset=["simulated"])
        draw_marks(
            left_axes,
            simulated["episodes"],
            simulated,
            "simulated",
            colour,
            markersize=3.5,
            markerfacecolor="white",
            label=f"simulated, {words}",
        )
    left_axes.set(
        xscale="log",
        yscale="log",
        xlabel="number of releases T",
        ylabel="error, in units of 1/ε",
        title="β = 0.1",
    )
    dashes = dict(zip(RATIO_TIMES, ["-", (0, (5, 1.5)), (0, (1.5, 1.2))], strict=True))
    for (base, planned), rows in tables["ratio"].groupby(["base", "episodes"], sort=False):
        odds = np.log(rows["beta"] / (1 - rows["beta"])).to_numpy()
        right_axes.plot(
            odds, rows["ratio"], color=colours[base], linestyle=dashes[planned], linewidth=1.1
        )
        if base == "e":
            power = str(planned) if planned < 16 else f"$2^{{{int(planned).bit_length() - 1}}}$"
            right_axes.annotate(
                f"T = {power}",
                (odds[0], rows["ratio"].iloc[0]),
                (0, 6),
                fontsize=7.5,
                textcoords="offset points",
            )
    marks = {
        1e-6: "$10^{-6}$",
        1e-4: "$10^{-4}$",
        0.01: "0.01",
        0.1: "0.1",
        0.5: "0.5",
        0.9: "0.9",
        0.99: "0.99",
    }
    right_axes.set(
        yscale="log",
        ylim=(0.005, 30),
        xlabel="failure probability β (log-odds scale)",
        ylabel="true error / bound",
        title="the ratio, as β varies",
    )
    right_axes.xaxis.set_major_locator(FixedLocator([log(beta / (1 - beta)) for beta in marks]))
    right_axes.xaxis.set_major_formatter(FixedFormatter(list(marks.values())))
    right_axes.xaxis.set_minor_locator(NullLocator())
    right_axes.tick_params(axis="x", labelsize=7)
    right_axes.axhspan(1, 30, color=style.COLOURS["bound"], alpha=0.1, linewidth=0)
    note(right_axes, 0.03, 0.95, "the bound fails", fontsize=7.5)
    return legend_below(figure, left_axes, 3)
