"""``privrl papers``."""

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
    print_table("papers", ["paper", "algorithm", "notebook", "claims by verdict"],
                [[row["paper"], row["algorithm"], row["notebook"],
                  ", ".join(f"{count} {verdict}" for verdict, count in row["verdicts"].items() if count)]
                 for row in overview])
