"""``privrl papers``."""

import json

import click

from privrl.cli.common import json_option, tell


@click.command()
@json_option
def papers(as_json: bool) -> None:
    """The four papers: algorithm, notebook, claims by verdict."""
    from theory import ledger

    overview = ledger.papers_overview()
    if as_json:
        click.echo(json.dumps(overview, indent=2))
        return
    for row in overview:
        verdicts = ", ".join(
            f"{count} {verdict}" for verdict, count in row["verdicts"].items() if count
        )
        tell(f"{row['paper']}: {row['title']}")
        tell(f"{row['algorithm']}; {row['notebook']}\n{row['claims']} claims: {verdicts}", 2)
