"""The analysis of zhou2022 on runs: ellipsoids, optimism, and each term of the regret decomposition
under its bound."""

import dataclasses
import re
from functools import cache
from math import inf

import numpy as np
import pandas as pd

from figures import style
from figures.kinds.lines import Figure, named_rows
from figures.kinds.tables import TABLES, Path, Tables, frame
from figures.zhou2022.regret import ALPHA, constants, environment, proved
from privrl.agents.linear import widths as lw
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.diagnose.linear import LinearDiagnosis, diagnose
from privrl.environments.linear_mixture import LinearMixtureMDP
from theory.papers.zhou2022 import bounds

EPISODES, RUNS, SEED, DELTA = 600, 3, 4, 1e-6
EPSILON = 1000.0
FACTOR = 0.3
SETTINGS = (
    ("linopt-vi", "none", "printed", inf),
    ("linopt-po", "none", "printed", inf),
    *(
        (agent, "tree", name, EPSILON)
        for agent in ("linopt-vi", "linopt-po")
        for name in ("printed", "tight")
    ),
)
MESSAGE = "The widths cover the errors, and a broken twin is noticed"
CAPTION = """In replayed runs the widths cover the errors, and a broken twin is noticed. Runs on
mixture-2 of 600 episodes, 3 per line; trees at epsilon = 1000, so that something is learnt. Left:
||theta - theta^|| in the norm of Lambda over the width of lemma 3.1, largest over all k, h and both
regressions; at most 1 (dashed) on the good event; the twin has 0.3 of the widths. Right: the terms
of the decompositions, mean of the runs (filled), beside what the paper displays (red) and what is
proved (green): T_1, T_2 (bonuses), T_3; (i) mirror descent, (ii) martingale, (iii) model errors.
Martingales change sign: absolute values. Grey: H K."""
ALT = """Left: dots for six settings between 0.2 and 0.5 of the width, for the twin between 1.2 and
1.4. Right: for each term, on a log axis, the measured value lies below both marks, by one to four
orders of magnitude for the martingales and by up to about one for the bonuses."""


class NarrowLinOptVI(LinOptVI):
    """A broken twin: a share of the widths."""

    def calibrate(self, mdp: LinearMixtureMDP, planned: int) -> lw.LinearCalibration:
        """As printed, the bonuses multiplied by ``FACTOR``."""
        calibration = super().calibrate(mdp, planned)
        scale = np.array([FACTOR, FACTOR, FACTOR, FACTOR, 1, 1, 1, 1])
        less = [
            regression._replace(bonus=regression.bonus * scale)
            for regression in (calibration.transitions, calibration.rewards)
        ]
        return dataclasses.replace(calibration, transitions=less[0], rewards=less[1])


@cache
def replays(
    name: str, counter: str, calibration: str, epsilon: float
) -> tuple[LinearDiagnosis, ...]:
    kind = {"linopt-vi": LinOptVI, "linopt-po": LinOptPO, "narrow": NarrowLinOptVI}[name]
    agent = kind(epsilon, DELTA, ALPHA, counter, calibration)
    return tuple(
        diagnose(environment(), agent, EPISODES, seed=SEED, index=index) for index in range(RUNS)
    )


def measured(diagnosis: LinearDiagnosis, agent: str) -> dict[str, float]:
    """The terms of one run, sums over its episodes."""
    if agent == "linopt-vi":
        return {
            "T1": float(diagnosis.bonus[0].sum()),
            "T2": float(diagnosis.bonus[1].sum()),
            "T3": float(diagnosis.martingale.sum()),
        }
    return {
        "(i)": float(diagnosis.mirror.sum()),
        "(ii)": float(diagnosis.martingale.sum()),
        "(iii)": float((diagnosis.error + diagnosis.ahead).sum()),
    }


def allowed(
    agent: str, calibration: str, counter: str, epsilon: float, sharp: bool
) -> dict[str, float]:
    """The bounds of the same terms: displayed by the paper, or proved (at the agent's widths where
    it is tight)."""
    constants_ = constants(EPISODES, 1.0 if epsilon == inf else epsilon, counter)
    vi = agent == "linopt-vi"
    if sharp and calibration != "printed":
        terms = proved(EPISODES, epsilon, calibration, agent, counter)
    else:
        terms = (bounds.regret_terms if sharp else bounds.displayed_terms)(
            constants_, None if vi else 2
        )
    if vi:
        return {"T1": terms.transitions, "T2": terms.rewards, "T3": terms.martingale}
    return {
        "(i)": terms.mirror,
        "(ii)": terms.martingale,
        "(iii)": terms.transitions + terms.rewards,
    }


def tables(folder: Path = TABLES) -> Tables:
    """``coverage``: per run; ``terms``: measured, displayed, proved; ``checks``: what holds on
    every episode."""
    coverage, terms, checks = [], [], []
    for setting in (*SETTINGS, ("narrow", "tree", "printed", EPSILON)):
        diagnosis = replays(*setting)
        coverage += [
            (*setting, index, float(run.distance[0].max()), float(run.distance[1].max()))
            for index, run in enumerate(diagnosis)
        ]
        checks.append(
            (
                *setting,
                sum(run.good for run in diagnosis),
                all(bool(run.assumed.all()) for run in diagnosis),
                all(bool(run.definite.all()) for run in diagnosis),
                max(float(run.shortfall.max()) for run in diagnosis) + 0.0,
                max(float(run.iota_high.max()) for run in diagnosis) + 0.0,
                max(float(run.iota_low.max()) for run in diagnosis) + 0.0,
                round(
                    max(
                        float(
                            np.abs(
                                run.gap - run.mirror - run.ahead - run.martingale - run.error
                            ).max()
                        )
                        for run in diagnosis
                    ),
                    12,
                ),
                np.mean([run.gap.sum() for run in diagnosis]),
            )
        )
        if setting[0] == "narrow":
            continue
        agent, counter, calibration, epsilon = setting
        means = pd.DataFrame([measured(run, agent) for run in diagnosis])
        allowances, least = (
            allowed(agent, calibration, counter, epsilon, sharp) for sharp in (False, True)
        )
        terms += [
            (
                *setting,
                name,
                float(means[name].mean()),
                float(means[name].max()),
                allowances[name],
                least[name],
            )
            for name in means
        ]
    keys = "agent counter calibration epsilon"
    return {
        "coverage": frame(coverage, f"{keys} run transitions rewards"),
        "terms": frame(terms, f"{keys} term mean largest displayed proved"),
        "checks": frame(
            checks, f"{keys} good regular definite shortfall iota_high iota_low defect regret"
        ),
    }


def look(agent: str, counter: str, calibration: str) -> tuple[str, str]:
    """Colour of a setting, and the setting in a few words."""
    short = {"linopt-vi": "VI", "linopt-po": "PO", "narrow": "VI, 0.3 widths"}[agent]
    if counter == "none":
        return style.COLOURS["base"], f"{short}, no privacy"
    return style.COLOURS[calibration], f"{short}, {calibration}"


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.9, 1, 2, width_ratios=(1, 1.25))
    names = []
    for place, (key, rows) in enumerate(
        tables["coverage"].groupby(["agent", "counter", "calibration"], sort=False)
    ):
        colour, words = look(*key)
        names.append(words)
        for row in rows.itertuples():
            for value, shape, fill in ((row.transitions, "o", None), (row.rewards, "s", "white")):
                left_axes.plot(
                    [value],
                    [place + 0.12 * (row.run - 1)],
                    shape,
                    color=colour,
                    markersize=3.5,
                    markerfacecolor=fill,
                )
    left_axes.axvline(
        1, color=style.COLOURS["bound"], linestyle=style.LINES["bound"], linewidth=0.9
    )
    left_axes.set(xlim=(0, None), xlabel="distance / width\n(filled: transitions, open: rewards)")
    named_rows(left_axes, names, fontsize=7)
    marks: list[tuple[float, str]] = []
    for group, (key, rows) in enumerate(
        tables["terms"].groupby(["agent", "counter", "calibration"], sort=False)
    ):
        colour, words = look(*key)
        for row in rows.itertuples():
            at = len(marks) + 0.6 * group
            right_axes.plot([abs(row.mean)], [at], "o", color=colour, markersize=4)
            for value, bound, name in (
                (row.displayed, "bound", "displayed"),
                (row.proved, "tight", "proved"),
            ):
                right_axes.plot(
                    [value],
                    [at],
                    "|",
                    color=style.COLOURS[bound],
                    markersize=9,
                    markeredgewidth=1.6,
                    label=None if marks else name,
                )
            sign = re.sub(r"T(\d)", r"$T_\1$", str(row.term))
            marks.append((at, f"{words}: {sign}"))
    right_axes.axvline(environment().horizon * EPISODES, color=style.GREY, linewidth=0.9)
    right_axes.set(xscale="log", xlabel="term, and its bounds")
    right_axes.set_yticks(*zip(*marks, strict=True), fontsize=7)
    right_axes.invert_yaxis()
    right_axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=7)
    return figure
