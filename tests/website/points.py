"""Settings at which the calculators are compared with the command line: 200 of them, drawn with fixed seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privrl.privacy import mechanisms, noise

SIGMA, HORIZON = 168, 32
RELEASES = (1, 3, 100, 700, 65_537, 1_000_003)
ORDER = ("vietri2020", "chowdhury2021", "liao2021", "vietri2020", "zhou2022", "liao2021", "vietri2020", "zhou2022",
         "chowdhury2021", "liao2021", "zhou2022", "vietri2020", "chowdhury2021", "vietri2020", "liao2021", "zhou2022")


def sigma() -> list[tuple[str, dict[str, Any]]]:
    """Papers and settings of ``privrl sigma``."""
    rng = np.random.default_rng(20201121)
    points = []
    for number in range(SIGMA):
        paper = noise.PAPERS[number % 4]
        given = {
            "epsilon": float(f"{10 ** rng.uniform(-2, 1.3):.4g}"), "horizon": int(rng.integers(2, 40)),
            "episodes": int(10 ** rng.uniform(0.31, 12)), "states": int(rng.integers(1, 20)),
            "actions": int(rng.integers(1, 10)), "dimension": int(rng.integers(1, 30)),
            "gamma": float(f"{rng.uniform(0.01, 3):.4g}"), "adjacency": str(rng.choice(["replace", "add-remove"])),
            "delta": 0.0 if paper == "vietri2020" else float(f"{10 ** rng.uniform(-30, -0.05):.4g}"),
        }  # fmt: skip
        points.append((paper, given))
    return points


def costs() -> list[tuple[str, int, str]]:
    """Counters, numbers of releases and laws whose costs are compared beside, to more digits than a horizon shows."""
    return [(name, releases, law) for name in mechanisms.PRIVATE for law in mechanisms.laws(name)
            for releases in RELEASES]  # fmt: skip


def close(one: float | None, other: float | None, within: float = 1e-10) -> bool:
    """Whether both are missing, or alike but for that much."""
    if one is None or other is None:
        return one is other
    return math.isclose(float(one), float(other), rel_tol=within, abs_tol=1e-300)


def digits(episodes: float | None) -> str:
    """As the command line prints it."""
    return "-" if episodes is None else f"{episodes:.3g}"


@dataclass(frozen=True)
class Point:
    """A setting of ``privrl horizon`` and which of its rows are asked for, as Python's rows of the others cost time.

    Parameters
    ----------
    counters : beside ``none``; Private-OFU-RL's rows over ``tree`` are always there
    calibrations : of the tabular agents; the others have all
    """

    paper: str
    given: dict[str, Any]
    counters: tuple[str, ...]
    calibrations: tuple[str, ...]

    def has(self, row: dict[str, str]) -> bool:
        """Whether a row is asked for."""
        own = ("none", *self.counters, *(("tree",) if self.paper == "chowdhury2021" else ()))
        return row["counter"] in own and (self.paper != "vietri2020" or row["counter"] == "none"
                                          or row["calibration"] in self.calibrations)


def horizon() -> list[Point]:
    """Every agent over every counter with every law, in turn.

    Certified quantiles are dear, for Python and in the browser: vietri2020's settings are those of few episodes.
    """
    rng = np.random.default_rng(20201122)
    turns: dict[tuple[str, str], int] = {}
    points = []
    for number in range(HORIZON):
        paper = ORDER[number % len(ORDER)]
        law = "laplace" if paper == "vietri2020" and number % 16 in (0, 3) else "gaussian"
        known = [name for name in mechanisms.PRIVATE if law in mechanisms.laws(name)]
        turn = turns[paper, law] = turns.get((paper, law), -1) + 1
        small = paper == "vietri2020"
        given: dict[str, Any] = {
            "epsilon": float(f"{10 ** rng.uniform(*(1.5, 2.5) if small else (-1, 1.3)):.4g}"),
            "beta": float(f"{rng.uniform(0.01, 0.5):.4g}"),
            "delta": 0.0 if law == "laplace" else float(f"{10 ** rng.uniform(-12, -1):.4g}"),
            "horizon": int(rng.integers(1, 4) if small else rng.integers(2, 12)),
        }  # fmt: skip
        if paper in ("liao2021", "zhou2022"):
            given["dim"] = int(rng.integers(1, 12))
        else:
            given |= {"states": int(rng.integers(1, 4)), "actions": int(rng.integers(1, 4))}
        if paper == "chowdhury2021":
            given["gamma"] = float(f"{rng.uniform(0.05, 2):.4g}")
        counter = known[turn % len(known)]
        dear = small and law == "gaussian" and counter == "tree"
        calibrations = ("printed", "tight") if dear else ("printed", "corrected", "tight")
        points.append(Point(paper, given, (counter,), calibrations))
    return points
