"""PAC: episodes of PUCB and UBEV that lose more than alpha, against theorem 3's sum, what is
proved, and theorem 5."""

from functools import cache, partial
from math import log

import numpy as np
import pandas as pd

from figures import counting, style
from figures.counting import CountedRun
from figures.kinds.lines import Axes, Legend, draw_line, draw_lines, note, panels
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from figures.vietri2020.regret import looks as shown
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.environments import planning, suite
from privrl.types import CALIBRATIONS, TabularMDP
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

ID = "vietri2020_pac"
SETTINGS = ("hard-2-2", "riverswim-3-relabelled", "riverswim-2-relabelled")
PLANNED = 10**7
EPSILONS = (1.0, 100.0, 10_000.0)
BETA = 0.1
REPLICATES = 3
# no policy's gap is one of them
ALPHAS = tuple(float(f"{10 ** (power / 10):.10g}") for power in range(-27, 1))
MESSAGE = "Theorem 3 exceeds the number of all episodes wherever a policy loses $\\alpha$"
CAPTION = """Theorem 3's bound on the episodes that lose more than alpha exceeds their number
wherever a policy loses alpha; what can be proved says something for large alpha and epsilon.
Episodes, among T = 10^7, over alpha; mean of 3 replicates with the 95 % t interval. More than T
(shaded) there are not. 'Theorem 3' is the sum of Appendix B.1 with the printed E, 'proved'
`pac_bound`; right of the vertical line no policy loses alpha. A count falls to the axis where no
episode loses alpha. Lower bounds end where their hypotheses do: 'theorem 5' is the last line of its
proof, 'corrected' (`lower_count`) holds for agents whose policies together are private; both are
about the worst MDP of the size, S >= 3. The corrected calibration and riverswim-2-relabelled are in
the data."""
ALT = """Six log-log panels of episode counts against alpha, 2 environments by 3 values of epsilon.
Theorem 3's sum lies above T everywhere, the proved bound crosses T for large alpha at epsilon 100
and 10,000. The counts of PUCB are flat and then fall to zero at the largest loss of a policy; at
epsilon 1 they are close to T. The lower bounds lie far below the counts, in part below one
episode."""


def environment(setting: str) -> TabularMDP:
    return suite.tabular(f"vietri2020/{setting}")


def cases() -> list[CountedRun]:
    agents: list[counting.CountingAgent] = [UBEV(BETA)]
    agents += [
        PUCB(epsilon, 0.0, BETA, "tree", name) for epsilon in EPSILONS for name in CALIBRATIONS
    ]
    return [
        CountedRun(setting, environment(setting), agent, PLANNED, replicate, ALPHAS)
        for setting in SETTINGS
        for agent in agents
        for replicate in range(REPLICATES)
    ]


recompute = partial(counting.recompute, cases)  # a quarter of an hour; resumable


def largest_loss(mdp: TabularMDP) -> float:
    """V* minus the value of the worst policy."""
    worst = TabularMDP(mdp.name, mdp.transitions, 1 - mdp.rewards, mdp.initial, mdp.bernoulli)
    best, inverse = (float(mdp_.initial @ planning.optimal(mdp_)[0][0]) for mdp_ in (mdp, worst))
    return best - (mdp.horizon - inverse)


def theorem_3(size: tuple[int, int, int], epsilon: float, alpha: float) -> float:
    """Appendix B.1 with explicit constants, E as printed (vietri2020/theorem-3)."""
    width = proved.width(*size, PLANNED, epsilon, BETA, "printed")
    return proved.derived_pac_terms(*size, PLANNED, width, BETA, alpha).total


def theorem_5(size: tuple[int, int, int], epsilon: float, alpha: float) -> float:
    """HS(A-1)/(336 epsilon alpha) ln(7/(4 + 24 beta)), where the proof of lemma-10 ends; S >= 3,
    alpha <= H/28."""
    S, A, H = size
    known = S >= 3 and alpha <= H / 28
    return H * S * (A - 1) / (336 * epsilon * alpha) * log(7 / (4 + 24 * BETA)) if known else np.nan


def lower(size: tuple[int, int, int], epsilon: float, alpha: float) -> float:
    """The corrected lower bound; none beyond alpha = H/40, or with fewer than three states."""
    S, A, H = size
    return (
        bounds.lower_count(S, A, H, alpha, BETA, epsilon) if S >= 3 and alpha <= H / 40 else np.nan
    )


@cache
def bites_from(setting: str, epsilon: float) -> float:
    """The alpha from which on the proved bound is at most T: the regret bound of T episodes over
    T."""
    mdp = environment(setting)
    return (
        proved.regret_bound(mdp.states, mdp.actions, mdp.horizon, PLANNED, epsilon, BETA) / PLANNED
    )


def proved_line(size: tuple[int, int, int], epsilon: float) -> list[tuple[float, float]]:
    """(alpha, pac_bound) from the other side: m episodes are enough for alpha = (regret bound of m
    episodes)/m."""
    width = proved.width(*size, PLANNED, epsilon, BETA)
    points = []
    for m in np.geomspace(1e3, 1e13, 51):
        episodes = round(m)
        alpha = proved.best_regret_terms(*size, PLANNED, width, BETA, episodes)[0].total / episodes
        if ALPHAS[0] / 2 < alpha < 2 * ALPHAS[-1]:
            points.append((alpha, float(episodes)))
    return points


def tables(folder: Path = TABLES) -> Tables:
    """``counts``: mean and band; ``bounds``: by line; ``tested``: the proved bound where it is
    below T and a policy loses alpha; ``panels``: where it begins to say something."""
    rows_ = []
    keys = ["setting", "agent", "calibration", "epsilon"]
    for key, rows in counting.read(ID, folder).groupby(keys, sort=False):
        grid = rows.pivot_table(index="replicate", columns="alpha", values="episodes")
        band = style.band(grid.to_numpy(dtype=np.float64))
        rows_.append(
            pd.DataFrame(
                {
                    **dict(zip(keys, key, strict=True)),
                    "alpha": grid.columns,
                    "episodes": band.mean,
                    "low": np.maximum(band.low, 0),
                    "high": np.minimum(band.high, PLANNED),
                }
            )
        )
    lines: list[tuple[str, float, str, float, float]] = []
    tested, panels = [], []
    for setting in SETTINGS:
        mdp = environment(setting)
        size = (mdp.states, mdp.actions, mdp.horizon)
        for epsilon in EPSILONS:
            lines += [
                (setting, epsilon, "proved", alpha, m) for alpha, m in proved_line(size, epsilon)
            ]
            for alpha in ALPHAS:
                lines += [
                    (setting, epsilon, "theorem-3", alpha, theorem_3(size, epsilon, alpha)),
                    (setting, epsilon, "theorem-5", alpha, theorem_5(size, epsilon, alpha)),
                    (setting, epsilon, "corrected", alpha, lower(size, epsilon, alpha)),
                ]
            most = largest_loss(mdp)
            tested += [
                (
                    setting,
                    epsilon,
                    alpha,
                    float(proved.pac_bound(*size, PLANNED, epsilon, BETA, alpha)),
                )
                for alpha in ALPHAS[::2]
                if bites_from(setting, epsilon) <= alpha < most
            ]
            least = theorem_3(size, epsilon, most) / PLANNED
            panels.append((setting, epsilon, bites_from(setting, epsilon), most, least))
    bound_table = frame(lines, "setting epsilon line alpha episodes")
    return {
        "counts": pd.concat(rows_, ignore_index=True),
        "bounds": bound_table.dropna(ignore_index=True),
        "tested": frame(tested, "setting epsilon alpha episodes"),
        "panels": frame(panels, "setting epsilon proved_from largest_loss theorem_3_over_t"),
    }


LOWEST, HIGHEST = 1e-3, 1e18
SHOWN = {"hard-2-2": "hard-2-2 (H = 3)", "riverswim-3-relabelled": "riverswim-3-relabelled (H = 3)"}


def _panel(tables: Tables, axes: Axes, setting: str, epsilon: float) -> None:
    axes.axhspan(PLANNED, HIGHEST, color=style.GREY, alpha=0.12, linewidth=0)
    axes.axhline(PLANNED, color=style.GREY, linewidth=1, label="T, all episodes")
    lines = where(tables["bounds"], setting=setting, epsilon=epsilon)
    looks = {
        "theorem-3": (style.COLOURS["bound"], style.LINES["bound"], "upper: theorem 3"),
        "proved": (style.COLOURS["other"], style.LINES["proved"], "upper: proved"),
        "theorem-5": (style.COLOURS["bound"], style.LINES["lower"], "lower: theorem 5"),
        "corrected": (style.COLOURS["other"], style.LINES["lower"], "lower: theorem 5, corrected"),
    }
    draw_lines(axes, lines, "line", "alpha", "episodes", looks, linewidth=1.1)
    for (agent, calibration, at), look in shown(epsilon, ("printed", "tight")).items():
        rows = where(
            tables["counts"], setting=setting, agent=agent, calibration=calibration, epsilon=at
        )
        positive_rows = rows["episodes"] > 0
        # with the first alpha that no episode loses
        rows = rows[positive_rows | positive_rows.shift(fill_value=False)]
        rows = rows.assign(episodes=rows["episodes"].clip(lower=LOWEST))
        draw_line(axes, rows, "alpha", "episodes", *look)
        rows = rows[rows["high"] > 0]
        style.draw_band(axes, rows["alpha"], np.maximum(rows["low"], LOWEST), rows["high"], look[0])
    panel = where(tables["panels"], setting=setting, epsilon=epsilon)
    start, most, least = panel[["proved_from", "largest_loss", "theorem_3_over_t"]].iloc[0]
    axes.plot(
        [most, most], [LOWEST, PLANNED], color=style.GREY, linewidth=0.7, linestyle=(0, (2, 2))
    )
    words = f"theorem 3 ≥ {style.number(least, 2)} T: vacuous\n" if least > 1 else ""
    words += (
        f"proved < T from $\\alpha$ = {style.number(start, 2)}"
        if start < most
        else "proved: vacuous"
    )
    note(axes, 0.97, 0.985, words, ha="right")
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(ALPHAS[0], 1),
        ylim=(LOWEST, HIGHEST),
        xticks=[0.01, 0.1, 1],
    )
    axes.set_yticks([1, 1e4, 1e8, 1e12, 1e16])
    axes.yaxis.label.set_fontsize(8)
    if setting == next(iter(SHOWN)):
        axes.set_title(f"ε = {epsilon:,.0f}")


draw = panels(
    _panel,
    height=5.4,
    keys=[tuple(SHOWN), EPSILONS],
    ylabels=[f"{words}\nepisodes that lose more than $\\alpha$" for words in SHOWN.values()],
    xlabel="$\\alpha$",
    legend=Legend(names={"T, all episodes": (0, 0.03, 2)}),
)
