"""``privrl check``."""

from __future__ import annotations

import json
import sys

import click

from privrl.cli.common import json_option, print_table, say


@click.command()
@click.argument("select", required=False, metavar="[PAPER[/CLAIM]]")
@click.option("--recorded", is_flag=True, help="Print the recorded ledger instead of running the checks.")
@json_option
def check(select: str | None, recorded: bool, as_json: bool) -> None:
    """Run the checks (or print the recorded ledger), a row per claim.

    Exit 1 when a check errors, a mutant is accepted, or a verdict differs from the recorded one.
    """
    from theory import ledger, numbering

    chosen = {item.id for item in numbering.items(select)}  # refuse an unknown id before anything is run
    stored = ledger.recorded()
    rows = [row for row in stored if row["id"] in chosen] if recorded else ledger.run(select)
    wrong = [] if recorded else ledger.differences(rows, stored)
    wrong += [f"{row['id']}: a mutant is accepted" for row in rows
              if not all(record["mutant_rejected"] for record in row.get("records", ()))]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        shown = []
        for row in rows:
            records = row.get("records", [])
            shown.append([row["id"], row["kind"], row.get("verdict", f"({row.get('status')})"),
                          ", ".join(dict.fromkeys(record["rigor"] for record in records)),
                          row.get("error") or (records[0]["evidence"] if records else row["statement"])])
        print_table("ledger" if recorded else "checks", ["id", "kind", "verdict", "rigor", "evidence"], shown)
    for sentence in wrong:
        say(f"privrl: {sentence}")
    sys.exit(1 if wrong else 0)
