"""What the three papers' privacy figures share: real epsilons over a grid, maps, curves and
conversions.

A *noise* is a function mu(epsilon, delta): the length of one user's change in units of the printed
noise, for the privacy that the paper claims. All Gaussian releases together are then exactly
mu-Gaussian.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from contourpy import contour_generator
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from figures import style
from figures.kinds.lines import draw_line
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.privacy import accounting
from privrl.types import FloatArray
from theory.lemmas.gaussian_mechanism import Shape

DELTAS = tuple(float(delta) for delta in np.geomspace(1e-15, 0.3, 17))
EPSILON, DELTA = 1.0, 1e-6  # the claim whose curve is drawn
RANGE = 1.5  # decades of the colours on each side of "exactly enough"
NoiseCurve = Callable[[FloatArray, FloatArray], FloatArray]


class Panel(NamedTuple):
    """One map: the noise is to be (epsilon/parts, delta/parts)-private; 1 part for everything
    together."""

    mu: NoiseCurve
    title: str
    parts: float = 1.0


def noise_of(shape: Shape, power: float = 1.0) -> NoiseCurve:
    """The printed noise of a shape of :mod:`theory.derive_noise`: mu^2 = b epsilon^(2
    power)/ln(a/delta)."""
    return lambda epsilon, delta: np.asarray(
        epsilon**power * np.sqrt(shape.b / np.log(shape.a / delta))
    )


def real_epsilon(delta: ArrayLike, mu: ArrayLike, steps: int = 70) -> FloatArray:
    """Smallest epsilon with curve(epsilon; mu) <= delta, element by element; never below the
    truth."""
    aim, size = np.broadcast_arrays(
        np.asarray(delta, dtype=np.float64), np.asarray(mu, dtype=np.float64)
    )
    low, high = np.zeros(aim.shape), np.ones(aim.shape)
    while (open_ := accounting.gaussian_curve(high, size) > aim).any():
        low, high = np.where(open_, high, low), np.where(open_, 2 * high, high)
    for _ in range(steps):
        middle_axes = (low + high) / 2
        private = accounting.gaussian_curve(middle_axes, size) <= aim
        low, high = np.where(private, low, middle_axes), np.where(private, middle_axes, high)
    return np.where(accounting.gaussian_curve(np.zeros(aim.shape), size) <= aim, 0.0, high)


def smallest_mu(epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Largest mu with curve(epsilon; mu) <= delta, element by element; never above the truth."""
    claimed, aim = np.broadcast_arrays(
        np.asarray(epsilon, dtype=np.float64), np.asarray(delta, dtype=np.float64)
    )
    # logarithms; both ends are on their side
    low, high = (
        np.full(aim.shape, -45.0),
        np.full(aim.shape, 12.0),
    )
    for _ in range(70):
        middle_axes = (low + high) / 2
        private = accounting.gaussian_curve(claimed, np.exp(middle_axes)) <= aim
        low, high = np.where(private, middle_axes, low), np.where(private, high, middle_axes)
    return np.asarray(np.exp(low))


def map_table(panels: Mapping[str, Panel], epsilons: ArrayLike) -> pd.DataFrame:
    """Columns: panel, epsilon, delta (both claimed), real and factor.

    ``real`` is the real epsilon at the claimed delta over the claimed one, ``factor`` the smallest
    noise over the printed one; each is above 1 where the claim fails, and only there.
    """
    epsilon, delta = np.meshgrid(np.asarray(epsilons, dtype=np.float64), np.asarray(DELTAS))
    rows = []
    for name, panel in panels.items():
        mu, share, aim = panel.mu(epsilon, delta), epsilon / panel.parts, delta / panel.parts
        real, factor = real_epsilon(aim, mu) / share, mu / smallest_mu(share, aim)
        columns = {"epsilon": epsilon, "delta": delta, "real": real, "factor": factor}
        rows.append(
            pd.DataFrame(
                {"panel": name, **{key: values.ravel() for key, values in columns.items()}}
            )
        )
    return pd.concat(rows, ignore_index=True)


def conversions(mu: NoiseCurve, epsilons: ArrayLike) -> pd.DataFrame:
    """Columns: epsilon (claimed), exact, optimal, bun_steinke: the epsilon of everything together,
    three ways."""
    claimed = np.asarray(epsilons, dtype=np.float64)
    sizes = mu(claimed, np.full(claimed.shape, DELTA))
    rows = [
        (
            epsilon,
            accounting.gaussian_epsilon(DELTA, size),
            accounting.optimal_zcdp_epsilon(size**2 / 2, DELTA),
            accounting.bun_steinke_epsilon(size**2 / 2, DELTA),
        )
        for epsilon, size in zip(claimed.tolist(), sizes.tolist(), strict=True)
    ]
    return frame(rows, "epsilon exact optimal bun_steinke")


def curves(mu: NoiseCurve) -> pd.DataFrame:
    """Columns: epsilon, printed, smallest: exact delta at each epsilon, of the printed noise and of
    the smallest."""
    at = EPSILON * np.geomspace(0.005, 2, 61)
    size = mu(np.array([EPSILON]), np.array([DELTA]))
    least = accounting.gaussian_mu(EPSILON, DELTA)
    return pd.DataFrame(
        {
            "epsilon": at,
            "printed": accounting.gaussian_curve(at, size),
            "smallest": accounting.gaussian_curve(at, np.full(at.shape, least)),
        }
    )


def draw_maps(figure: Figure, grid: Any, table: pd.DataFrame, panels: Mapping[str, Panel]) -> None:
    """One map per panel: the boundary of the claim, and dashed where the real epsilon is twice the
    claimed one."""
    mesh = None
    for axes, (name, panel) in zip(np.ravel(grid), panels.items(), strict=True):
        rows = where(table, panel=name)
        real, factor = (
            rows.pivot_table(index="delta", columns="epsilon", values=key)
            for key in ("real", "factor")
        )
        x, y, height = factor.columns, factor.index, np.log10(factor.to_numpy())
        mesh = axes.pcolormesh(
            x,
            y,
            np.clip(height, -RANGE, RANGE),
            cmap="RdBu_r",
            norm=TwoSlopeNorm(0.0, -RANGE, RANGE),
            shading="gouraud",
            rasterized=True,
        )
        for values, dash in (
            (height, "solid"),
            (np.log10(np.maximum(real.to_numpy(), 1e-3) / 2), "dashed"),
        ):
            for line in contour_generator(np.log10(x), np.log10(y), values).lines(0.0):
                # straight between grid points on the logarithmic axes
                points = 10.0 ** np.asarray(line)
                axes.plot(
                    points[:, 0],
                    points[:, 1],
                    color="black",
                    linestyle=dash,
                    linewidth=1.4 if dash == "solid" else 0.8,
                )
        axes.set(xscale="log", yscale="log", title=panel.title)
        axes.grid(visible=False)
    for axes in grid[:, 0]:
        axes.set_ylabel("claimed δ")
    if mesh is not None:
        bar = figure.colorbar(
            mesh, ax=grid, shrink=0.8, pad=0.02, label=r"smallest $\sigma$ / printed $\sigma$"
        )
        bar.set_ticks(
            [-1.5, -1, -0.5, 0, 0.5, 1, 1.5],
            labels=["≤ 0.03", "0.1", "0.3", "1", "3", "10", "≥ 30"],
        )


def draw_curves(axes: Axes, table: pd.DataFrame) -> None:
    """delta over epsilon for the printed and the smallest noise, and the point that is claimed."""
    draw_line(axes, table, "epsilon", "printed", style.COLOURS["printed"], label="printed noise")
    draw_line(
        axes, table, "epsilon", "smallest", style.COLOURS["tight"], (0, (5, 1.5)), "smallest noise"
    )
    axes.plot([EPSILON], [DELTA], "o", color="black", label="claimed")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="ε",
        ylabel="exact δ",
        ylim=(DELTA * 1e-6, 1e5),
        title="the exact curve",
        yticks=[DELTA * 1e-6, DELTA * 1e-3, DELTA, DELTA * 1e3, 1],
    )
    axes.legend(loc="upper right", ncols=2)


def draw_conversions(axes: Axes, table: pd.DataFrame) -> None:
    """The epsilon of all releases together over the claimed one, by three conversions."""
    for name, look in {
        "bun_steinke": (style.COLOURS["printed"], "-", "papers' conversion"),
        "optimal": (style.COLOURS["corrected"], (0, (5, 1.5)), "optimal conversion"),
        "exact": (style.COLOURS["tight"], "-", "exact"),
    }.items():
        draw_line(
            axes,
            table[table[name] > 0].assign(share=table[name] / table["epsilon"]),
            "epsilon",
            "share",
            *look,
        )
    axes.axhline(1.0, color="black", linewidth=0.7, zorder=1)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="claimed ε",
        ylabel="given ε / claimed ε",
        title=f"three conversions, δ = {style.tex(DELTA)}",
    )
    axes.margins(y=0.5)  # room for the legend
    axes.legend()


def figure(
    panels: Callable[[], Mapping[str, Panel]], epsilons: ArrayLike
) -> tuple[Callable[..., Tables], Callable[[Tables], Figure]]:
    """``tables`` and ``draw`` of a module: four maps, and below them the exact curve at one claim
    and the conversions.

    ``map`` is of all panels, ``curve`` and ``conversion`` are of the first panel's noise.
    """

    def tables(folder: Path = TABLES) -> Tables:
        panels_ = panels()
        mu = next(iter(panels_.values())).mu
        return {
            "map": map_table(panels_, epsilons),
            "curve": curves(mu),
            "conversion": conversions(mu, epsilons),
        }

    def draw(tables: Tables) -> Figure:
        figure = Figure(figsize=(style.COLUMN, 6.9), layout="constrained")
        halves: Any = figure.subfigures(2, 1, height_ratios=[2.05, 1])
        upper, lower = halves
        grid = upper.subplots(2, 2, sharex=True, sharey=True)
        draw_maps(upper, grid, tables["map"], panels())
        for axes in grid[1]:
            axes.set_xlabel("claimed ε")
        left_axes, right_axes = lower.subplots(1, 2)
        draw_curves(left_axes, tables["curve"])
        draw_conversions(right_axes, tables["conversion"])
        return figure

    return tables, draw
