"""Users before each paper's algorithm has learnt, as printed and with the least noise: the findings
of docs/found.md."""

from dataclasses import dataclass
from functools import cache, partial
from math import inf
from typing import Any

import numpy as np

from figures import measured, style
from figures.across.tuned_training import LINEAR, LQ, SCALED, TABULAR
from figures.kinds.lines import Figure
from figures.kinds.tables import TABLES, Path, Tables, frame
from figures.measured import MeasuredRuns
from privrl.agents import registry
from privrl.environments import suite
from privrl.run import measure
from privrl.types import Environment

ID = "found_users"
MANY, FEW, TRAINING = 32, 8, 4  # replicates: of runs of seconds, of minutes, on training instances
GAUSSIAN = (
    ("corrected", "tree"),
    *(("tight", counter) for counter in ("tree", "honaker", "smooth", "blt")),
)
PURE = (("corrected", "tree"), ("tight", "tree"), ("tight", "smooth"), ("tight", "signed"))
OWN_NOISE = (("corrected", "local"), ("tight", "local"))


@dataclass(frozen=True)
class Comparison:
    """An algorithm as printed and with the noise that training instances choose, planned for the
    same number of users.

    Parameters
    ----------
    deltas : as printed, and of the other
    candidates : (calibration, counter), all with the privacy that is claimed
    training : instances, none of them ``world``; what loses least on them is chosen
    training_epsilon, training_planned : of the runs on these
    replicates : as printed, of the other
    again : replicates that are played of both with each other seed (:mod:`reproduce.headlines`)
    lasts : users that both are played for; all by default
    """

    world: str
    agent: str
    epsilon: float
    planned: int
    deltas: tuple[float, float]
    candidates: tuple[tuple[str, str], ...]
    training: tuple[Environment, ...]
    training_epsilon: float
    training_planned: int
    replicates: tuple[int, int] = (MANY, MANY)
    again: tuple[int, int] = (FEW, FEW)
    lasts: tuple[int | None, int | None] = (None, None)

    def _agent(self, calibration: str, counter: str, epsilon: float, delta: float) -> Any:
        return registry.make(
            self.agent,
            epsilon=epsilon,
            delta=delta,
            beta=suite.entry(self.world).beta,
            counter=counter,
            calibration=calibration,
        )

    def printed(self, seed: int = 0) -> MeasuredRuns:
        """The runs as printed."""
        counter = "local" if self.candidates is OWN_NOISE else "tree"
        agent = self._agent("printed", counter, self.epsilon, self.deltas[0])
        return MeasuredRuns(
            self.world, agent, self.planned, self.replicates[0], self.lasts[0], seed=seed
        )

    def other(self, calibration: str, counter: str, seed: int = 0) -> MeasuredRuns:
        """The runs of a candidate."""
        agent = self._agent(calibration, counter, self.epsilon, self.deltas[1])
        return MeasuredRuns(
            self.world, agent, self.planned, self.replicates[1], self.lasts[1], seed=seed
        )

    def trained(self) -> list[tuple[tuple[str, str], list[MeasuredRuns]]]:
        """Every candidate with its runs on training instances."""
        return [
            (
                candidate,
                [
                    MeasuredRuns(
                        instance.name,
                        self._agent(*candidate, self.training_epsilon, self.deltas[1]),
                        self.training_planned,
                        TRAINING,
                        environment=instance,
                    )
                    for instance in self.training
                ],
            )
            for candidate in self.candidates
        ]


_river = partial(
    Comparison,
    "vietri2020/riverswim-3-relabelled",
    "pucb",
    10.0,
    10**7,
    training=TABULAR,
    training_epsilon=10.0,
    training_planned=3 * 10**5,
)
COMPARISONS: dict[str, Comparison] = {
    "zhou2022": Comparison(
        "zhou2022/mixture-2", "linopt-vi", 1.0, 10**6, (1e-6, 1e-6), GAUSSIAN, LINEAR, 1.0, 10**5
    ),
    "liao2021": Comparison(
        "liao2021/mixture-2",
        "ldp-ucrl-vtr",
        1.0,
        10**6,
        (0.1, 0.1),
        OWN_NOISE,
        SCALED,
        1.0,
        10**5,
        again=(16, 16),
    ),
    "chowdhury2021": Comparison(
        "chowdhury2021/scalar",
        "private-ofu-rl",
        10.0,
        5 * 10**6,
        (1e-6, 1e-6),
        GAUSSIAN,
        LQ,
        100.0,
        10**5,
        replicates=(FEW, FEW),
        again=(6, FEW),
        lasts=(None, 10**6),
    ),
    "vietri2020": _river(
        (0.0, 1e-6), GAUSSIAN, replicates=(FEW, MANY), again=(2, 4), lasts=(None, 10**6)
    ),
    "vietri2020, delta = 0": _river(
        (0.0, 0.0), PURE, replicates=(FEW, FEW), again=(2, 2), lasts=(None, 2 * 10**6)
    ),
}
# what training chose; a test finds it again in the committed runs
CHOSEN = {
    "zhou2022": ("tight", "blt"),
    "liao2021": ("corrected", "local"),
    "chowdhury2021": ("tight", "blt"),
    "vietri2020": ("tight", "blt"),
    "vietri2020, delta = 0": ("tight", "signed"),
}


def settings() -> list[MeasuredRuns]:
    """Every run: training instances first."""
    training = [
        setting
        for comparison in COMPARISONS.values()
        for _, runs in comparison.trained()
        for setting in runs
    ]
    reported = [
        setting
        for name, comparison in COMPARISONS.items()
        for setting in (
            *([comparison.printed()] if "," not in name else []),
            comparison.other(*CHOSEN[name]),
        )
    ]
    return [*training, *reported]


recompute = partial(measured.recompute, settings)
MESSAGE = "With noise that keeps the guarantee every algorithm learns from fewer users"
CAPTION = """With noise that keeps the guarantee, chosen on other instances, every paper's algorithm
learns from fewer users than as printed. Median over replicates (zhou2022, liao2021 and the chosen
runs of vietri2020: 32; all others 8) of the first user from which on regret per user stays at most
half of that of play with the same information that learns nothing (docs/measure.md), with its
distribution-free 95 % interval; thin lines: the middle nine tenths of the replicates. Both runs of
a row are planned for the same number of users: 10^6 at epsilon = 1 in zhou2022 and liao2021, 5 10^6
and 10^7 at epsilon = 10 in chowdhury2021 and vietri2020, where a run at 1 takes 10^8 users and
more. Of calibration and counter the training instances of `tuned_training` chose the pair that
loses least there. Left out: all other epsilons and worlds, and the users after 10^6
(chowdhury2021, vietri2020; delta = 0: 2 10^6) of the chosen runs there."""
ALT = """Five rows of two marks each on a logarithmic axis of users. In each the mark of the printed
algorithm lies to the right of the other: by a factor of some tens in zhou2022 and vietri2020, of
several in chowdhury2021, and of hundreds with long intervals in liao2021."""


@dataclass(frozen=True, eq=False)
class Side:
    """The replicates of one side of a comparison, measured."""

    setting: MeasuredRuns
    users: measure.Users
    regret: float  #: mean, up to ``fixed`` users, over that of play that learns nothing
    fixed: int
    again: int  #: replicates of another seed

    @property
    def ends(self) -> tuple[float, float]:
        """Where the median of another seed falls, 399 times of 400; where there are too few
        replicates for that, from the least to the most of them."""
        low, high = self.users.again(self.again)
        return self.users.whole if (low, high) == (1.0, inf) else (low, high)


def again(more: Side, fewer: Side) -> tuple[float, float, float]:
    """A ratio of two medians, and where another seed puts it: from the low end of one over the
    high end of the other to the reverse."""
    (low, high), (least, most) = more.ends, fewer.ends
    return more.users.median / fewer.users.median, low / most, high / least


@cache
def sides(name: str, folder: Path = TABLES) -> tuple[Side, Side]:
    """As printed, and with what training chose; both for the comparison of that name."""
    comparison, table = COMPARISONS[name], measured.read(ID, folder)
    settings_ = comparison.printed(), comparison.other(*CHOSEN[name])
    fixed = max(
        mark for mark in measured.DECADES if mark <= min(setting.played for setting in settings_)
    )
    result = []
    for setting, again in zip(settings_, comparison.again, strict=True):
        rows = measured.rows_of(table, setting)
        lost = measure.reference(setting.made, setting.agent.name)
        share = measured.share(rows, lost, fixed)
        result.append(Side(setting, measured.users(rows), share, fixed, again))
    return result[0], result[1]


def scores(folder: Path = TABLES) -> Any:
    """Regret on training instances over that of play that learns nothing, by candidate."""
    table, rows = measured.read(ID, folder), []
    for name, comparison in COMPARISONS.items():
        for candidate, runs in comparison.trained():
            lost = [
                measured.share(
                    measured.rows_of(table, setting),
                    measure.reference(setting.made, setting.agent.name),
                )
                for setting in runs
            ]
            rows.append((name, *candidate, float(np.mean(lost)), candidate == CHOSEN[name]))
    return frame(rows, "comparison calibration counter share chosen")


def tables(folder: Path = TABLES) -> Tables:
    """``users``: both sides of each comparison; ``ratios``; ``training``: what chose."""
    rows, ratios = [], []
    for name in COMPARISONS:
        pair = sides(name, folder)
        for kind, side in zip(("printed", "chosen"), pair, strict=True):
            labels, users = side.setting.labels, side.users
            rows.append(
                (
                    name,
                    kind,
                    *(
                        labels[key]
                        for key in ("calibration", "counter", "epsilon", "delta", "planned")
                    ),
                    side.setting.played,
                    users.first.size,
                    users.median,
                    *users.interval(),
                    *users.range,
                    users.never,
                    side.fixed,
                    side.regret,
                )
            )
        ratios.append((name, *measure.ratio(pair[0].users, pair[1].users)))
    return {
        "users": frame(
            rows,
            "comparison kind calibration counter epsilon delta planned played replicates median "
            "low high least most never fixed regret",
        ),
        "ratios": frame(ratios, "comparison ratio low high"),
        "training": scores(folder),
    }


LOOKS = {
    "printed": ("printed", "o", "as printed"),
    "chosen": ("tight", "D", "accounted, chosen on other problems"),
}


def draw(tables: Tables) -> Figure:
    figure, ((axes,),) = style.figure(3.0, 1, 1)
    names = list(COMPARISONS)
    for kind, (colour, mark, label) in LOOKS.items():
        rows = tables["users"][tables["users"]["kind"] == kind]
        for row in rows.itertuples():
            height = len(names) - names.index(str(row.comparison))
            for (low, high), width in (
                ((row.least, row.most), 0.8),
                ((row.low, row.high), 2.4),
            ):
                axes.plot(
                    [low, min(high, row.played)],
                    [height, height],
                    color=style.COLOURS[colour],
                    linewidth=width,
                )
            axes.plot(
                [row.median if row.median < inf else row.played],
                [height],
                marker=mark,
                linestyle="none",
                color=style.COLOURS[colour],
                markersize=5,
                label=label if height == len(names) else None,
            )
    axes.set(
        xscale="log",
        xlabel="users before it has learnt",
        yticks=range(1, len(names) + 1),
        yticklabels=names[::-1],
        ylim=(0.5, len(names) + 0.5),
    )
    axes.legend()
    return figure
