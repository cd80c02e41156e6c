"""Tables behind figures: rows under column names, rows chosen by values, runs as curves with
bands."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import style
from figures.runs import TABLES
from privrl.run import measure
from privrl.types import Run

__all__ = [
    "TABLES",
    "Path",
    "Tables",
    "curve",
    "curves",
    "decades",
    "finite",
    "frame",
    "growing_ratio",
    "over_trivial",
    "pick",
    "where",
]
Tables = dict[str, pd.DataFrame]


def frame(rows: Any, columns: str) -> pd.DataFrame:
    """A table of tuples under the column names in ``columns``, which spaces part."""
    return pd.DataFrame(rows, columns=columns.split())


def where(table: pd.DataFrame, /, **values: Any) -> pd.DataFrame:
    """The rows of ``table`` that have these values in the columns of these names."""
    return table[np.logical_and.reduce([table[name] == value for name, value in values.items()])]


def pick(table: pd.DataFrame, names: str, key: Any) -> pd.DataFrame:
    """:func:`where` by the value of each column in ``names``, which spaces part; of one column the
    value alone."""
    return where(
        table, **dict(zip(names.split(), key if isinstance(key, tuple) else (key,), strict=True))
    )


def decades(last: int, *more: int) -> Any:
    """Ten checkpoints a decade, from 1 to ``10**last``, and ``more``."""
    return np.array(sorted({round(10 ** (k / 10)) for k in range(10 * last + 1)} | set(more)))


def curve(run: Run, mask: Any, names: str, **more: Any) -> pd.DataFrame:
    """Mean regret and band of a run at the checkpoints ``kept``, a mask; before them ``more`` and
    ``names``."""
    band = style.band(run.regret)
    return pd.DataFrame(
        {
            **more,
            **{name: getattr(run, name) for name in names.split()},
            "episodes": run.episodes[mask],
            "regret": band.mean[mask],
            "low": band.low[mask],
            "high": band.high[mask],
        }
    )


def curves(runs: Iterable[Run], marks: Any, names: str) -> pd.DataFrame:
    """:func:`curve` of all these runs at the checkpoints ``marks``."""
    return pd.concat(
        [curve(run, np.isin(run.episodes, marks), names) for run in runs], ignore_index=True
    )


def growing_ratio(run: Run, unit: float, names: str) -> pd.DataFrame:
    """Regret per user over ``unit`` in the last fifth of what has been played, dated by the user in
    its middle (docs/measure.md): median and range of the replicates, after the run's own
    ``names``."""
    users, rates = measure.windows(run.episodes, run.regret)
    return pd.DataFrame(
        {
            **{name: getattr(run, name) for name in names.split()},
            "user": users.astype(np.int64),
            "end": run.episodes,
            "ratio": np.median(rates, axis=0) / unit,
            "low": rates.min(axis=0) / unit,
            "high": rates.max(axis=0) / unit,
        }
    )


def finite(rows: pd.DataFrame, last: float) -> pd.DataFrame:
    """Rows whose median is reached, to be drawn: what is endless of range and interval ends at
    ``last``."""
    reached = rows[np.isfinite(rows["burn_in"])]
    ends = reached.columns.intersection(["most", "burn_in_high"])
    return reached.assign(**{name: reached[name].clip(upper=last) for name in ends})


def over_trivial(lines: pd.DataFrame, *others: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    """These tables with regret over the line ``trivial``, which goes through 0."""
    first = where(lines, line="trivial").iloc[0]
    rate = first["regret"] / first["episodes"]
    result = []
    for table in (lines, *others):
        columns = table.columns.intersection(["regret", "low", "high"])
        result.append(
            table.assign(**{name: table[name] / (rate * table["episodes"]) for name in columns})
        )
    return tuple(result)
