"""The analysis of zhou2022 on runs: ellipsoids, optimism, and each term of the regret decomposition under its bound."""

import dataclasses
import re
from functools import cache
from math import inf

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Axes, Figure
from figures.kinds.tables import TABLES, Path, Tables
from figures.zhou2022.regret import ALPHA, constants, environment, proved
from privrl.agents.linear import widths as lw
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.diagnose.linear import Diagnosis, diagnose
from privrl.environments.linear_mixture import LinearMixtureMDP
from theory.papers.zhou2022 import bounds

EPISODES, RUNS, SEED, DELTA = 600, 3, 4, 1e-6
EPSILON = 1000.0
FACTOR = 0.3
SETTINGS = (("linopt-vi", "none", "printed", inf), ("linopt-po", "none", "printed", inf),
            *((agent, "tree", name, EPSILON) for agent in ("linopt-vi", "linopt-po") for name in ("printed", "tight")))
CAPTION = """In replayed runs the widths cover the errors, and a broken twin is noticed. Runs on mixture-2 of 600
episodes, 3 per line; trees at epsilon = 1000, so that something is learnt. Left: ||theta - theta^|| in the norm of
Lambda over the width of lemma 3.1, largest over all k, h and both regressions; at most 1 (dashed) on the good event;
the twin has 0.3 of the widths. Right: the terms of the decompositions, mean of the runs (filled), beside what the paper
displays (red) and what is proved (green): T_1, T_2 (bonuses), T_3; (i) mirror descent, (ii) martingale, (iii) model
errors. Martingales change sign: absolute values. Grey: H K."""
ALT = """Left: dots for six settings between 0.2 and 0.5 of the width, for the twin between 1.2 and 1.4. Right: for each
term, on a log axis, the measured value lies below both marks, by one to four orders of magnitude for the martingales
and by up to about one for the bonuses."""


class Narrow(LinOptVI):
    """A broken twin: a share of the widths."""

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> lw.Calibration:
        """As printed, the bonuses multiplied by ``FACTOR``."""
        made = super().calibrate(mdp, planned)
        scale = np.array([FACTOR, FACTOR, FACTOR, FACTOR, 1, 1, 1, 1])
        less = [part._replace(bonus=part.bonus * scale) for part in (made.transitions, made.rewards)]
        return dataclasses.replace(made, transitions=less[0], rewards=less[1])


@cache
def replays(name: str, counter: str, calibration: str, epsilon: float) -> tuple[Diagnosis, ...]:
    """All runs of a setting."""
    kind = {"linopt-vi": LinOptVI, "linopt-po": LinOptPO, "narrow": Narrow}[name]
    agent = kind(epsilon, DELTA, ALPHA, counter, calibration)
    return tuple(diagnose(environment(), agent, EPISODES, seed=SEED, index=index) for index in range(RUNS))


def measured(found: Diagnosis, agent: str) -> dict[str, float]:
    """The terms of one run, sums over its episodes."""
    if agent == "linopt-vi":
        return {"T1": float(found.bonus[0].sum()), "T2": float(found.bonus[1].sum()),
                "T3": float(found.martingale.sum())}
    return {"(i)": float(found.mirror.sum()), "(ii)": float(found.martingale.sum()),
            "(iii)": float((found.error + found.ahead).sum())}


def allowed(agent: str, calibration: str, counter: str, epsilon: float, sharp: bool) -> dict[str, float]:
    """The bounds of the same terms: displayed by the paper, or proved (at the agent's widths where it is tight)."""
    made = constants(EPISODES, 1.0 if epsilon == inf else epsilon, counter)
    vi = agent == "linopt-vi"
    if sharp and calibration != "printed":
        terms = proved(EPISODES, epsilon, calibration, agent, counter)
    else:
        terms = (bounds.regret_terms if sharp else bounds.displayed_terms)(made, None if vi else 2)
    if vi:
        return {"T1": terms.transitions, "T2": terms.rewards, "T3": terms.martingale}
    return {"(i)": terms.mirror, "(ii)": terms.martingale, "(iii)": terms.transitions + terms.rewards}


def tables(folder: Path = TABLES) -> Tables:
    """``coverage``: per run; ``terms``: measured, displayed, proved; ``checks``: what holds on every episode."""
    coverage, terms, checks = [], [], []
    for setting in (*SETTINGS, ("narrow", "tree", "printed", EPSILON)):
        found = replays(*setting)
        coverage += [(*setting, index, float(run.distance[0].max()), float(run.distance[1].max()))
                     for index, run in enumerate(found)]
        checks.append((*setting, sum(run.good for run in found), all(bool(run.assumed.all()) for run in found),
                       all(bool(run.definite.all()) for run in found),
                       max(float(run.shortfall.max()) for run in found) + 0.0,
                       max(float(run.iota_high.max()) for run in found) + 0.0,
                       max(float(run.iota_low.max()) for run in found) + 0.0,
                       round(max(float(np.abs(run.gap - run.mirror - run.ahead - run.martingale - run.error).max())
                                 for run in found), 12), np.mean([run.gap.sum() for run in found])))
        if setting[0] == "narrow":
            continue
        agent, counter, calibration, epsilon = setting
        means = pd.DataFrame([measured(run, agent) for run in found])
        shown, least = (allowed(agent, calibration, counter, epsilon, sharp) for sharp in (False, True))
        terms += [(*setting, name, float(means[name].mean()), float(means[name].max()), shown[name], least[name])
                  for name in means]
    keys = ["agent", "counter", "calibration", "epsilon"]
    return {"coverage": pd.DataFrame(coverage, columns=[*keys, "run", "transitions", "rewards"]),
            "terms": pd.DataFrame(terms, columns=[*keys, "term", "mean", "largest", "displayed", "proved"]),
            "checks": pd.DataFrame(checks, columns=[*keys, "good", "regular", "definite", "shortfall", "iota_high",
                                                    "iota_low", "defect", "regret"])}


def label(row: object) -> str:
    """A setting in a few words."""
    agent, counter, calibration = (str(getattr(row, name)) for name in ("agent", "counter", "calibration"))
    short = {"linopt-vi": "VI", "linopt-po": "PO", "narrow": "VI, 0.3 widths"}[agent]
    return f"{short}, {'no privacy' if counter == 'none' else calibration}"


def draw(tables: Tables) -> Figure:
    figure, ((left, right),) = style.figure(3.9, 1, 2, width_ratios=(1, 1.25))
    coverage = tables["coverage"]
    names = list(dict.fromkeys(label(row) for row in coverage.itertuples()))
    for row in coverage.itertuples():
        place = names.index(label(row)) + 0.12 * (float(str(row.run)) - 1)
        for value, shape in ((row.transitions, "o"), (row.rewards, "s")):
            left.plot([value], [place], shape, color=_colour(str(row.calibration), str(row.counter)), markersize=3.5,
                      markerfacecolor="white" if shape == "s" else None)
    left.axvline(1, color=style.COLOURS["bound"], linestyle=style.LINES["bound"], linewidth=0.9)
    left.set(xlim=(0, None), yticks=range(len(names)), xlabel="distance / width\n(filled: transitions, open: rewards)")
    left.set_yticklabels(names, fontsize=6.5)
    left.invert_yaxis()
    _terms(right, tables["terms"])
    return figure


def _colour(calibration: str, counter: str) -> str:
    return style.COLOURS["base"] if counter == "none" else style.COLOURS[calibration]


def _terms(axes: Axes, terms: pd.DataFrame) -> None:
    marks: list[tuple[float, str]] = []
    place = 0.0
    for _, rows in terms.groupby(["agent", "counter", "calibration"], sort=False):
        for row in rows.itertuples():
            colour = _colour(str(row.calibration), str(row.counter))
            axes.plot([abs(float(str(row.mean)))], [place], "o", color=colour, markersize=4)
            for value, colour, name in ((row.displayed, "bound", "displayed"), (row.proved, "tight", "proved")):
                axes.plot([value], [place], "|", color=style.COLOURS[colour], markersize=9, markeredgewidth=1.6,
                          label=None if marks else name)
            sign = re.sub(r"T(\d)", r"$T_\1$", str(row.term))
            marks.append((place, f"{label(row)}: {sign}"))
            place += 1
        place += 0.6
    axes.axvline(environment().horizon * EPISODES, color=style.GREY, linewidth=0.9)
    axes.set(xscale="log", yticks=[at for at, _ in marks], xlabel="term, and its bounds")
    axes.set_yticklabels([text for _, text in marks], fontsize=6)
    axes.invert_yaxis()
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=6.5)
