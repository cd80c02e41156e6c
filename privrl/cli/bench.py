"""``privrl bench``."""

import importlib
import json
from pathlib import Path

import click

from privrl.cli.common import json_option, print_table, working


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Fewer repetitions: for a first look.")
@click.option(
    "--of",
    default="tabular",
    show_default=True,
    help="What: tabular, linear, lq, counters; exact noise; sessions (bytes and CPU of a user); "
    "large (S = 200); widest (S in the thousands); scaling (exponents, memory).",
)
@click.option(
    "--peers",
    type=click.Path(file_okay=False, path_type=Path),
    help="Compare with rlberry-scool instead, installed into this folder.",
)
def bench(as_json: bool, quick: bool, of: str, peers: Path | None) -> None:
    """The kernels against their floors and their plain-Python form, in one run."""
    from privrl.bench import peers as others
    from privrl.checks import choice

    choice(
        "of",
        of,
        (
            *("tabular", "linear", "lq", "counters", "exact"),
            *("sessions", "large", "widest", "scaling"),
        ),
    )
    kernels = importlib.import_module(f"privrl.bench.{of}")
    with working(f"measuring: {of}"):
        rows = kernels.measure(quick=quick) if peers is None else others.measure(peers)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    print_table(
        "bench (ratios of times measured in this run)",
        list(rows[0]),
        [
            [value if isinstance(value, str) else f"{value:.3g}" for value in row.values()]
            for row in rows
        ],
    )
