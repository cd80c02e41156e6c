"""The MDP behind the lower bounds of vietri2020 (figures 1 and 2), drawn from the environment's own
matrix."""

import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch

from figures import style
from figures.kinds.lines import Axes, Figure, single
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.environments import suite

ENTRY = "vietri2020/hard-2-2"
MESSAGE = "The lower bounds rest on bandits side by side"
CAPTION = """The lower bounds rest on bandits side by side. The hard MDP of vietri2020 (figures 1
and 2) with n = 2 first states, m + 1 = 3 arms, alpha' = 0.2 and best arms I = (1, 2), drawn from
the transition matrix of the environment `vietri2020/hard-2-2`. The dummy state 0 is the initial
distribution. In + every action brings reward 1, in - reward 0; the first reward is a coin with the
probability of entering + as its mean."""
ALT = """A graph: state 0 leads to states 1 and 2 with probability one half each; each of these
leads to + or to -, with the probabilities of its three arms beside the arrows; + and - loop to
themselves."""
STEP = 0  # all steps are alike


def tables(folder: Path = TABLES) -> Tables:
    """Every edge of the first step with its probability and mean reward; state names as in the
    paper."""
    mdp = suite.tabular(ENTRY)
    first = mdp.states - 2
    names = [*(str(state + 1) for state in range(first)), "+", "-"]
    rows = [
        ("0", "", names[state], float(mdp.initial[state]), 0.0)
        for state in np.flatnonzero(mdp.initial)
    ]
    for state, action, after in np.argwhere(mdp.transitions[STEP] > 0).tolist():
        probability, reward = (
            mdp.transitions[STEP, state, action, after],
            mdp.rewards[STEP, state, action],
        )
        rows.append((names[state], str(action), names[after], float(probability), float(reward)))
    return {"edges": frame(rows, "state action next probability mean_reward")}


def draw(tables: Tables) -> Figure:
    edges = tables["edges"].fillna("").astype({"action": str})
    figure, axes = single(2.6)
    firsts = where(edges, state="0")["next"].tolist()
    places = {"0": (0.0, 0.0), "+": (5.6, 1.05), "-": (5.6, -1.05)}
    heights = np.linspace(1.05, -1.05, len(firsts)) if len(firsts) > 1 else [0.0]
    places |= {name: (1.9, float(height)) for name, height in zip(firsts, heights, strict=True)}
    colours = {"+": style.COLOURS["tight"], "-": style.COLOURS["bound"]}
    for name, place in places.items():
        axes.add_patch(
            Circle(
                place,
                0.3,
                facecolor="white",
                edgecolor=colours.get(name, "black"),
                linewidth=1.2,
                zorder=3,
                linestyle=":" if name == "0" else "-",
            )
        )
        axes.text(
            *place, {"-": "\N{MINUS SIGN}"}.get(name, name), ha="center", va="center", zorder=4
        )
    for (state, after), group in edges[edges["state"] != edges["next"]].groupby(
        ["state", "next"], sort=False
    ):
        axes.add_patch(
            FancyArrowPatch(
                places[state],
                places[after],
                arrowstyle="-|>",
                mutation_scale=9,
                shrinkA=17,
                shrinkB=17,
                color=colours.get(after, "black"),
                linewidth=1.0,
                zorder=2,
            )
        )
        if state == "0":
            _label(axes, places[state], places[after], f"{group['probability'].iloc[0]:g}", 0.5)
        else:
            arms = zip(group["action"], group["probability"], strict=True)
            straight = (places[state][1] > 0) == (places[after][1] > 0)
            _label(
                axes,
                places[state],
                places[after],
                "\n".join(f"arm {arm}: {p:g}" for arm, p in arms),
                0.5 if straight else 0.26,
            )
    for name in ("+", "-"):
        x, y = places[name]
        axes.add_patch(
            FancyArrowPatch(
                (x + 0.12, y + 0.27),
                (x + 0.12, y - 0.27),
                arrowstyle="-|>",
                mutation_scale=9,
                connectionstyle="arc3,rad=-1.6",
                color=colours[name],
                zorder=2,
            )
        )
        reward = where(edges, state=name, next=name)["mean_reward"].iloc[0]
        axes.text(x + 0.7, y, f"reward {reward:g}\na step", va="center", fontsize=8)
    axes.set(xlim=(-0.4, 7.3), ylim=(-1.45, 1.45), aspect="equal")
    axes.axis("off")
    return figure


def _label(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], text: str, share: float
) -> None:
    x, y = (begin + share * (end_ - begin) for begin, end_ in zip(start, end, strict=True))
    axes.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=7.5,
        zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )
