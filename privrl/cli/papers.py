"""``privrl papers``."""

from __future__ import annotations

import json

import click

from privrl.cli.common import json_option, print_table


@click.command()
@json_option
def papers(as_json: bool) -> None:
    """The four papers: algorithm, notebook, claims by verdict."""
    from theory import ledger

    overview = ledger.papers_overview()
    if as_json:
        click.echo(json.dumps(overview, indent=2))
        return
    verdicts = sorted({verdict for row in overview for verdict in row["verdicts"]})
    print_table("papers", ["paper", "algorithm", "notebook", "claims", *verdicts],
                 [[row["paper"], row["algorithm"], row["notebook"] or "not yet", str(row["claims"]),
                   *(str(row["verdicts"].get(verdict, 0)) for verdict in verdicts)] for row in overview])
