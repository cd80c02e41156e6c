"""PUCB's analysis on runs: the six families of the fail event, optimism, and the gap under the
bonuses."""

from functools import cache
from math import log

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Figure, draw_line, legend_below, named_rows, note
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from privrl.agents.tabular.pucb import PUCB
from privrl.diagnose.tabular import FAMILIES, TabularDiagnosis, replay, streams
from privrl.environments import suite
from theory.papers.vietri2020.bounds.proved import growth
from theory.rigor.sampling import clopper_pearson

ENTRIES = ("vietri2020/random-3-2", "vietri2020/riverswim-3-relabelled")
RUNS, EPISODES, EPSILON, BETA = 40, 2000, 10_000.0, 0.1
TWINS = {"E": 1.0, "E/16": 1 / 16}
LAMBDA = 0.25
SEED = 12
MESSAGE = "The good event fails less often than allowed; a broken twin is noticed"
CAPTION = """In replayed runs the good event fails less often than allowed and every plan is
optimistic; a broken twin is noticed. PUCB, printed, at epsilon = 10^4, T = 2000, 40 runs on each of
random-3-2 and riverswim-3-relabelled (H = 3). Left: share of runs in which a family of the fail
event (definition 6) ever deviated, with 95 % Clopper-Pearson intervals, and with E/16 in place of
E, the twin; dashed: beta = 0.1, for all six together. Right: the gap of an episode (mean with the
95 % t interval, and the largest), and what lemma 18 puts above it, and the corrected sum (the least
over runs). Here the printed sum holds too; histories that break it are rare. The least Q~+ - Q* is
written in the panel."""
ALT = """Two panels. Left: no run fails with E, intervals up to 0.045; with E/16 the three families
of released counts fail in every run. Right: against episodes on log axes, the gaps stay below 1
while both sums of bonuses begin at their cap, near 10, and only begin to fall after some hundred
episodes, an order of magnitude above the gaps."""


@cache
def replays(entry: str, factor: float) -> TabularDiagnosis:
    """All runs on one environment with ``factor`` E in the place of E."""
    mdp, agent = suite.tabular(entry), PUCB(EPSILON, beta=BETA)
    S, A, H = mdp.states, mdp.actions, mdp.horizon
    slack = S * H * log(S * S * A * (H - 1) / (BETA / 6)) / LAMBDA
    width = factor * agent.calibrate(mdp, EPISODES).e_epsilon
    drawn = streams(mdp, agent, EPISODES, EPISODES, RUNS, SEED)
    return replay(mdp, agent, EPISODES, drawn, growth=growth(LAMBDA), slack=slack, width=width)


def tables(folder: Path = TABLES) -> Tables:
    """``families``: share of runs that failed; ``episodes``: surplus, gaps and sums by episode."""
    rows = []
    for twin, factor in TWINS.items():
        diagnoses = [replays(entry, factor) for entry in (ENTRIES if factor == 1 else ENTRIES[:1])]
        # (6, runs)
        failed = np.concatenate([diagnosis.broken.any(axis=2) for diagnosis in diagnoses], axis=1)
        for name, share in [*zip(FAMILIES, failed, strict=True), ("any", failed.any(axis=0))]:
            hits = int(share.sum())
            rows.append((twin, name, hits / share.size, *clopper_pearson(hits, share.size, 0.05)))
    marks = sorted({round(10 ** (k / 12)) for k in range(37)} | {EPISODES})
    parts, ratios = [], []
    for entry in ENTRIES:
        diagnosis = replays(entry, 1.0)
        ratios.append(
            (
                entry,
                float((diagnosis.gap / diagnosis.clipped).max()),
                float((diagnosis.gap / diagnosis.repaired).max()),
                float(-diagnosis.shortfall.max()),
                diagnosis.gap.size,
            )
        )
        at = np.array(marks) - 1
        band = style.band(diagnosis.gap[:, at])
        parts.append(
            pd.DataFrame(
                {
                    "entry": entry,
                    "episode": marks,
                    "surplus": -diagnosis.shortfall.max(axis=0)[at],
                    "gap": band.mean,
                    "gap_low": band.low,
                    "gap_high": band.high,
                    "largest_gap": diagnosis.gap.max(axis=0)[at],
                    "printed": diagnosis.clipped.min(axis=0)[at],
                    "corrected": diagnosis.repaired.min(axis=0)[at],
                    "known": diagnosis.known.mean(axis=0)[at],
                }
            )
        )
    return {
        "families": frame(rows, "width family share low high"),
        "episodes": pd.concat(parts, ignore_index=True),
        "ratios": frame(ratios, "entry gap_over_printed gap_over_corrected least_surplus episodes"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, axes),) = style.figure(3.2, 1, 2)
    names = [*FAMILIES, "any"]
    for twin, colour, shape, shift in (
        ("E", style.COLOURS["printed"], "o", -0.15),
        ("E/16", style.COLOURS["bound"], "D", 0.15),
    ):
        rows = where(tables["families"], width=twin).set_index("family").loc[names]
        spread = np.maximum(
            np.array([rows["share"] - rows["low"], rows["high"] - rows["share"]]), 0.0
        )
        left_axes.errorbar(
            rows["share"],
            np.arange(len(names)) + shift,
            xerr=spread,
            fmt=shape,
            color=colour,
            markersize=3.5,
            elinewidth=1,
            capsize=2,
            label=twin,
        )
    left_axes.axvline(BETA, color=style.GREY, linestyle=style.LINES["bound"], linewidth=0.9)
    left_axes.set(xlim=(-0.03, 1.03), xticks=[0, 0.5, 1], xlabel="share of runs that failed")
    named_rows(left_axes, names, fontsize=7)
    left_axes.legend(loc="center", frameon=True, fancybox=False)
    surplus = tables["ratios"].set_index("entry")["least_surplus"]
    words = [r"least $\tilde{Q}^+ - Q^*$"]
    for entry, dash, kind in zip(ENTRIES, ("-", (0, (4, 1.5))), ("solid", "dashed"), strict=True):
        rows = where(tables["episodes"], entry=entry)
        for name, colour, label in (
            ("corrected", style.COLOURS["other"], "corrected sum"),
            ("printed", style.COLOURS["bound"], "lemma 18's sum"),
            ("largest_gap", style.GREY, "largest gap"),
            ("gap", style.COLOURS["printed"], "mean gap"),
        ):
            draw_line(
                axes, rows, "episode", name, colour, dash, label if entry == ENTRIES[0] else None
            )
        style.draw_band(
            axes, rows["episode"], rows["gap_low"], rows["gap_high"], style.COLOURS["printed"]
        )
        words.append(
            f"{entry.removeprefix('vietri2020/')} ({kind}): "
            f"{style.number(float(surplus[entry]), 2)}"
        )
    note(axes, 0.04, 0.585, "\n".join(words), fontsize=7, va="center")
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(1, EPISODES),
        ylim=(0.03, 20),
        xlabel="episode",
        ylabel="gap, and sums above it",
    )
    return legend_below(figure, axes, 4)
