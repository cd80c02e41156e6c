"""zhou2022: how many users its algorithms need (:mod:`theory.horizons`)."""

from theory.horizon_row import HorizonRow
from theory.papers.zhou2022 import bounds as bounds_zhou2022

READ = ("dim", "actions", "horizon")
MEANS = "bonuses above all values before episode"
#: settings of the stored tables
TABULATED: list[dict[str, tuple[float, ...]]] = [
    {"epsilon": (0.1, 1, 10, 100), "dim": (dim,), "horizon": (horizon,)}
    for dim, horizon in ((2, 2), (4, 10))
]
LEAST = {"horizon": 2}


def rows_of(parameters: dict[str, float]) -> tuple[list[HorizonRow], str]:
    """The rows of this setting, and what they rest on."""
    d = int(parameters["dim"])
    horizon_rows = bounds_zhou2022.horizons(
        d,
        d,
        int(parameters["horizon"]),
        parameters["epsilon"],
        parameters["delta"],
        parameters["beta"],
    )
    return [
        HorizonRow("linopt-vi", row.counter, row.calibration, row.start, row.below_trivial)
        for row in horizon_rows
    ], (
        "value iteration, d for transitions and rewards alike; `printed` is the sum of the "
        "displayed terms of Theorem 6.5, the others are the sharper bound of "
        "theory/papers/zhou2022/bounds.py."
    )
