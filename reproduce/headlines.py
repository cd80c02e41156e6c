"""``python -m reproduce --profile headlines``: the shares of README.md and the users and ratios of
docs/found.md, measured again with other seeds. (All other numbers there come from the ledger and
the accounting, which no seed enters.)

Most seeds have fewer replicates than the findings have, some ten minutes of one core for all. A
number agrees when it falls where the committed replicates say that another seed does, 399 times of
400 whatever the law (:meth:`privrl.run.measure.Users.again`; README.md's shares: 98 of 100); where
there are too few for that, between the least and the most of them. Both are a checkpoint longer at
both ends.
"""

import dataclasses
from collections.abc import Callable
from math import isclose
from pathlib import Path

import numpy as np
import pandas as pd

from figures import measured
from figures.across import five_lines, found_users
from figures.measured import MeasuredRuns
from privrl.run import measure

SEEDS = (1, 2, 3)
README = "README"  # the comparison of the shares
ROUNDING = 2e-3
TABLE = Path("reproduce", "headlines.csv")
COLUMNS = ("comparison", "number", "committed", "low", "high", "seed", "replicates", "again")


def inside(low: float, high: float, again: float) -> bool:
    """Whether a number falls inside an interval, to the rounding of a checkpoint to a user."""
    return low / (1 + ROUNDING) <= again <= high * (1 + ROUNDING)


def table(folder: Path, say: Callable[[str], None] = lambda line: None) -> pd.DataFrame:
    """Every number with its interval, and what each seed makes of it; finished replicates are kept
    in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = shares(say)
    for name, comparison in found_users.COMPARISONS.items():
        printed, best = found_users.sides(name)
        ratio, *ratio_ends = found_users.again(printed, best)
        for seed in SEEDS:
            first, second = (
                _users(dataclasses.replace(setting, seed=seed), count, folder)
                for setting, count in zip(
                    (comparison.printed(), comparison.other(*found_users.CHOSEN[name])),
                    comparison.again,
                    strict=True,
                )
            )
            counts = first.first.size, second.first.size
            for label, committed, ends, size, again in (
                ("users as printed", *_stated(printed), counts[0], first.median),
                ("users at best", *_stated(best), counts[1], second.median),
                ("ratio", ratio, ratio_ends, min(counts), measure.ratio(first, second)[0]),
            ):
                rows.append((name, label, committed, *ends, seed, size, again))
            say(f"  {name}, seed {seed}: {first.median:g} and {second.median:g} users")
    return pd.DataFrame(rows, columns=[*COLUMNS])


def shares(say: Callable[[str], None] = lambda line: None) -> list[tuple[object, ...]]:
    """The share of each agent of the README's picture, a row per seed."""
    rows: list[tuple[object, ...]] = []
    for name, (median, low, high) in five_lines.shares().items():
        for seed in SEEDS:
            values = [five_lines.share(name, seed, index) for index in range(five_lines.AGAIN)]
            again = float(np.median(values))
            label = f"share, {name}"
            rows.append((README, label, median, low, high, seed, five_lines.AGAIN, again))
            say(f"  {label}, seed {seed}: {again:.4g}")
    return rows


def _stated(side: found_users.Side) -> tuple[float, tuple[float, float]]:
    return side.users.median, side.ends


def _users(setting: MeasuredRuns, replicates: int, folder: Path) -> measure.Users:
    column = measured.COLUMNS.index("users")
    rows = [setting.row(index, folder) for index in range(replicates)]
    return measure.Users(np.array([row[column] for row in rows], dtype=np.float64), measure.STEP)


def outside(rows: pd.DataFrame) -> list[str]:
    """The numbers that another seed puts outside their interval, in words."""
    return [
        f"{row.comparison}, {row.number}: {row.again:g} with seed {row.seed}, outside "
        f"{row.low:g} to {row.high:g}"
        for row in rows.itertuples()
        if not inside(row.low, row.high, row.again)
    ]


LABELS = ["comparison", "number", "seed", "replicates"]


def labels() -> list[list[object]]:
    """What the rows of :func:`table` are of, in its order: the columns of ``LABELS``."""
    rows: list[list[object]] = [
        [README, f"share, {name}", seed, five_lines.AGAIN]
        for name in five_lines.shares()
        for seed in SEEDS
    ]
    for name, comparison in found_users.COMPARISONS.items():
        printed, best = comparison.again
        numbers = {
            "users as printed": printed,
            "users at best": best,
            "ratio": min(printed, best),
        }
        rows += [[name, number, seed, size] for seed in SEEDS for number, size in numbers.items()]
    return rows


def changed(rows: pd.DataFrame, committed: pd.DataFrame) -> list[str]:
    """Where the committed table has another number, in words."""
    if rows[LABELS].to_numpy().tolist() != committed[LABELS].to_numpy().tolist():
        return ["the committed table has other rows"]
    return [
        f"{mine.comparison}, {mine.number}, seed {mine.seed}: {theirs.again:g} is committed, made "
        f"{mine.again:g}"
        for mine, theirs in zip(rows.itertuples(), committed.itertuples(), strict=True)
        if not isclose(mine.again, theirs.again, rel_tol=1e-5)
    ]


def read(root: Path) -> pd.DataFrame:
    """The committed table."""
    return pd.read_csv(root / TABLE)


def write(rows: pd.DataFrame, root: Path) -> None:
    rows.to_csv(root / TABLE, index=False, float_format="%.6g", lineterminator="\n")
