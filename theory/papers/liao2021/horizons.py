"""liao2021: how many users its algorithms need (:mod:`theory.horizons`)."""

from theory.horizon_row import HorizonRow
from theory.papers.liao2021 import bounds as bounds_liao2021

READ = ("dim", "horizon")
MEANS = "bonuses above all values before episode"
#: settings of the stored tables
TABULATED: list[dict[str, tuple[float, ...]]] = [
    {"epsilon": (0.1, 1, 10, 100), "delta": (1e-6,), "dim": (dim,), "horizon": (horizon,)}
    for dim, horizon in ((2, 2), (4, 6))
]
LEAST = {"horizon": 2}


def rows_of(parameters: dict[str, float]) -> tuple[list[HorizonRow], str]:
    """The rows of this setting, and what they rest on."""
    horizon_rows = bounds_liao2021.horizons(
        int(parameters["dim"]),
        int(parameters["horizon"]),
        parameters["epsilon"],
        parameters["delta"],
        parameters["beta"],
    )
    return [
        HorizonRow(
            "ucrl-vtr" if row.counter == "none" else "ldp-ucrl-vtr",
            row.counter,
            row.calibration,
            row.start,
            row.below_trivial,
        )
        for row in horizon_rows
    ], (
        "Theorem 5.2 hides its constants and its proof is not in our copy: the bound is "
        "zhou2022's analysis of changing regularisers with local noise; features within equation "
        "3.1."
    )
