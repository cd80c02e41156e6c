"""The recorded measurements behind the bench figures, and the README's section of them.

Times belong to a machine, so these tables are recorded and not made again by ``make reproduce``,
which renders from them. On a machine with nothing else to do

    python -m figures.benchmarks

writes them anew (``--peers FOLDER`` adds rlberry-scool, installed into that folder); then ``make
update``. What is kept are ratios of times measured in one run, memory, and
of services the CPU time of a user.
"""

import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd

from figures import lq_parts, runs, style
from figures.runs import TABLES
from privrl.bench import counters as bench_counters
from privrl.bench import linear as bench_linear
from privrl.bench import lq as bench_lq
from privrl.bench import scaling as bench_scaling
from privrl.bench import sessions as bench_sessions
from privrl.bench import tabular as bench
from privrl.bench import widest as bench_widest
from privrl.run import sweep

FLOOR, SCALING = "bench_floor", "bench_scaling"
SERVICE: dict[str, Callable[[bool], list[dict[str, Any]]]] = {
    "bench_sessions": bench_sessions.measure,
    "bench_widest": bench_widest.measure,
}
FAMILIES: dict[str, Callable[[bool], list[dict[str, Any]]]] = {
    "tabular": bench.measure,
    "linear": bench_linear.measure,
    "lq": bench_lq.measure,
    "counters": bench_counters.measure,
}
LETTERS = ("T", "S", "A", "H", "d")


def ratios(family: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for every ratio of a bench's table; what names its rows becomes ``agent`` and
    ``size``."""
    out = []
    for row in rows:
        agent = row.get("agent") or (f"{row['counter']}, {row['law']}" if "counter" in row else "")
        size = next(
            (
                f"{name} = {row[name]}"
                for name in ("S, A, H", "d, H", "n, d", "sums")
                if name in row
            ),
            "",
        )
        out += [
            {"family": family, "agent": agent, "size": size, "ratio": name, "value": value}
            for name, value in row.items()
            if " / " in name
        ]
    return out


def write(
    identifier: str, rows: Sequence[dict[str, Any]], folder: Path = TABLES, **facts: Any
) -> Path:
    """The table as CSV, and beside it what it was measured with."""
    path = Path(folder) / f"{identifier}.csv"
    sweep.write_table(
        path,
        pd.DataFrame(list(rows)),
        {**facts, "cores": os.cpu_count(), "processor": platform.machine()},
        digits=4,
    )
    return path


def read(identifier: str, folder: Path = TABLES) -> pd.DataFrame:
    return runs.table(identifier, (), folder, keep_default_na=False)


def fitted(folder: Path = TABLES) -> pd.DataFrame:
    """Exponents of the recorded points, a row for every quantity, agent and axis."""
    rows: Any = read(SCALING, folder).to_dict("records")
    return pd.DataFrame(bench_scaling.exponents(rows))


def summary_markdown(folder: Path = TABLES) -> str:
    """The README's table: floors, plain Python, exponents and memory, a row per agent."""
    floors, exponents, rows = read(FLOOR, folder), fitted(folder), []
    for agent, ranges in KERNELS.items():
        cells = [_range(floors, *ranges[column]) for column in ("floor", "plain")]
        for letter in LETTERS:
            these = exponents[
                (exponents["agent"] == agent)
                & (exponents["axis"] == letter)
                & (exponents["quantity"] != "memory")
            ]
            cells.append(
                ""
                if these.empty
                # the slope, and half of its 95 % interval
                else f"{these['exponent'].iloc[0]:.2f} ± "
                f"{(these['high'] - these['low']).iloc[0] / 2:.2f}"
            )
        memory = exponents[
            (exponents["agent"] == agent) & (exponents["quantity"] == "memory")
        ].iloc[0]
        rows.append((agent, *cells, f"{memory['largest / smallest']:.2f}"))
    return style.markdown(
        ("agent", "over its floor", "plain over compiled", *LETTERS, "memory"), rows
    ).rstrip("\n")


def service_markdown(identifier: str, folder: Path = TABLES) -> str:
    """A table of :data:`SERVICE` as it was recorded, numbers by two digits."""
    table = read(identifier, folder)
    rows = [
        [value if isinstance(value, str) else style.number(float(value), 2) for value in row]
        for row in table.itertuples(index=False)
    ]
    return style.markdown(tuple(map(str, table.columns)), rows).rstrip("\n")


def sessions_markdown() -> str:
    """Bytes and CPU time of a user between two plans."""
    return service_markdown("bench_sessions")


def widest_markdown() -> str:
    """CPU time of a user and memory where states are in the thousands."""
    return service_markdown("bench_widest")


# which ratios of which family stand for an agent: (family, agent, ratio)
KERNELS: dict[str, dict[str, tuple[str, str, str]]] = {
    "pucb": {
        "floor": ("tabular", "", "pucb known / floor"),
        "plain": ("tabular", "", "plain Python / compiled"),
    },
    "private-ofu-rl": {
        "floor": ("lq", "", "still / floor"),
        "plain": ("lq", "", "plain Python / compiled"),
    },
    **{
        name: {
            "floor": ("linear", name, "private / floor"),
            "plain": ("linear", name, "naive NumPy / private"),
        }
        for name in ("ldp-ucrl-vtr", "linopt-vi", "linopt-po")
    },
}


def _range(table: pd.DataFrame, family: str, agent: str, ratio: str) -> str:
    rows = table[
        (table["family"] == family) & (table["agent"] == agent) & (table["ratio"] == ratio)
    ]["value"]
    if rows.empty:
        return ""
    low, high = style.number(float(rows.min()), 2), style.number(float(rows.max()), 2)
    return low if low == high else f"{low} to {high}"


@click.command()
@click.option(
    "--quick", is_flag=True, help="Fewer repetitions and shorter runs: to try the command."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=TABLES,
    help="Default: figures/data/runs.",
)
@click.option(
    "--peers",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also rlberry-scool, installed there.",
)
@click.option(
    "--service", is_flag=True, help="Sessions and thousands of states alone: some minutes."
)
def main(quick: bool, out: Path, peers: Path | None, service: bool) -> None:
    """Measure floors, scaling, sessions and the widest problems, and write the tables."""
    for identifier, measure in SERVICE.items():
        click.echo(identifier, err=True)
        click.echo(str(write(identifier, measure(quick), out, quick=quick)))
    if service:
        return
    rows = []
    for family, measure in FAMILIES.items():
        click.echo(f"floors: {family}", err=True)
        rows += ratios(family, measure(quick))
    if peers is not None:
        from privrl.bench import peers as others

        click.echo("peers", err=True)
        rows += [
            {
                "family": "peers",
                "agent": "ubev",
                "size": "S, A, H = 6, 2, 20",
                "ratio": f"{row['peer']} / ours",
                "value": row["peer's time an episode / ours: medians"],
            }
            for row in others.measure(peers)
        ]
    click.echo(str(write(FLOOR, rows, out, quick=quick)))
    click.echo("the LQ agent, kernel by kernel", err=True)
    click.echo(str(write(lq_parts.ID, lq_parts.measure(quick), out, quick=quick)))
    points = bench_scaling.points(quick, lambda line: click.echo(line, err=True))
    click.echo(str(write(SCALING, points, out, quick=quick)))


if __name__ == "__main__":
    main()
