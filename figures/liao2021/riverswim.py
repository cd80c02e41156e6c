"""Figure 1 of liao2021: the RiverSwim, drawn from the environment's own matrix, homogeneous and
inhomogeneous."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Circle, FancyArrowPatch

from figures import style
from figures.kinds.lines import Axes, Figure
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.liao2021.regret import ENTRIES, TITLES
from privrl.environments import suite
from privrl.environments.riverswim import LEFT, RIGHT

MESSAGE = "The two rivers: the far right pays, and the current drives the swimmer back"
CAPTION = """The RiverSwim of the experiments (liao2021, figure 1), drawn from the environment's own
matrix (S = 3, H = 6). Solid: action right, with its probability; dashed: action left, which always
succeeds. Rewards are those of the paper over H. In the inhomogeneous river the stroke to the right
goes as in the homogeneous one with probability p_h, drawn once from U(0.8, 1), and else the current
wins; the labels give the range over the six steps. The labels of the paper's drawing are not in our
copy, so the kernel is the benchmark's, and where p_h enters is our reading."""
ALT = """Two graphs of three states in a row with arrows to the right, loops and arrows back; the
leftmost state pays
0.000833 for left, the rightmost 0.167 for right."""


def tables(folder: Path = TABLES) -> Tables:
    """``edges``: least and largest probability over the steps, and the mean reward, of every move
    that can happen."""
    rows = []
    for entry in ENTRIES:
        mdp = suite.tabular(entry)
        for state, action, after in np.argwhere((mdp.transitions > 0).any(axis=0)).tolist():
            chances = mdp.transitions[:, state, action, after]
            rows.append(
                (
                    entry,
                    state,
                    action,
                    after,
                    float(chances.min()),
                    float(chances.max()),
                    float(mdp.rewards[0, state, action]),
                )
            )
    return {"edges": frame(rows, "entry state action next least largest reward")}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(4.2, len(ENTRIES), 1)
    for axes, entry in zip(grid[:, 0], ENTRIES, strict=True):
        _river(axes, where(tables["edges"], entry=entry))
        axes.set_title(TITLES[entry])
    return figure


def _river(axes: Axes, edges: pd.DataFrame) -> None:
    states = int(edges["state"].max()) + 1
    places = [(2.2 * state, 0.0) for state in range(states)]
    for state, (x, y) in enumerate(places):
        axes.add_patch(
            Circle((x, y), 0.3, facecolor="white", edgecolor="black", linewidth=1.1, zorder=3)
        )
        axes.text(x, y, str(state), ha="center", va="center", zorder=4)
    for edge in edges.itertuples():
        right = edge.action == RIGHT
        text = f"{edge.least:.3g}"
        if not np.isclose(edge.least, edge.largest):
            text += f" to {edge.largest:.3g}"
        colour = style.PALETTE[0] if right else style.GREY
        (x, y), (u, _) = places[edge.state], places[edge.next]
        options: Any = {
            "arrowstyle": "-|>",
            "mutation_scale": 8,
            "color": colour,
            "linewidth": 1.0,
            "zorder": 2,
            "linestyle": "-" if right else (0, (3, 2)),
        }
        if edge.state == edge.next:
            side = 1 if right else -1
            axes.add_patch(
                FancyArrowPatch(
                    (x - 0.14, y + 0.27 * side),
                    (x + 0.14, y + 0.27 * side),
                    connectionstyle=f"arc3,rad={-1.9 * side}",
                    **options,
                )
            )
            axes.text(x, 0.78 * side, text, ha="center", va="center", fontsize=7.5, color=colour)
            continue
        forward = edge.next > edge.state
        if not right:
            bend, height = -0.38, -0.56
        else:
            bend, height = (-0.28, 0.47) if forward else (0.0, 0.0)
        axes.add_patch(
            FancyArrowPatch(
                (x, y),
                (u, 0.0),
                shrinkA=18,
                shrinkB=18,
                connectionstyle=f"arc3,rad={bend}",
                **options,
            )
        )
        axes.text(
            (x + u) / 2,
            height,
            text,
            ha="center",
            va="center",
            fontsize=7.5,
            color=colour,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            zorder=5,
        )
    pays = edges[edges["reward"] > 0].drop_duplicates(["state", "action"])
    for edge in pays.itertuples():
        word = "left" if edge.action == LEFT else "right"
        x = places[edge.state][0] + (-0.45 if edge.action == LEFT else 0.45)
        axes.text(
            x,
            0,
            f"{word} pays\n{edge.reward:.3g}",
            ha="right" if edge.action == LEFT else "left",
            va="center",
            fontsize=8,
        )
    axes.set(xlim=(-1.6, 2.2 * (states - 1) + 1.6), ylim=(-1.0, 1.0), aspect="equal")
    axes.axis("off")
