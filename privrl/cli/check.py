"""``privrl check``."""

import json
import sys
from typing import Any

import click

from privrl.cli.common import counted, json_option, print_table, say, tell


@click.command()
@click.argument("select", required=False, metavar="[PAPER[/CLAIM]]")
@click.option(
    "--recorded", is_flag=True, help="Print the recorded ledger instead of running the checks."
)
@click.option(
    "--tighten",
    is_flag=True,
    help="Run every test on tightened bounds and with false premises too.",
)
@click.option(
    "--witness", is_flag=True, help="Print the mildest instance at which each failing record fails."
)
@json_option
def check(select: str | None, recorded: bool, tighten: bool, witness: bool, as_json: bool) -> None:
    """Run the checks (or print the recorded ledger): a row per claim, or one claim whole.

    Exit 1 when a check errors, a mutant is accepted, or a verdict differs from the recorded one.
    """
    from theory import ledger, numbering

    # refuse an unknown id before anything is run
    chosen = [item.id for item in numbering.items(select)]
    stored = ledger.recorded()
    rows = (
        [row for row in stored if row["id"] in chosen]
        if recorded
        else [
            row for name in counted(chosen, "claims") for row in ledger.run(name, tighten=tighten)
        ]
    )
    wrong = [] if recorded else ledger.differences(rows, stored)
    wrong += [
        f"{row['id']}: a mutant is accepted"
        for row in rows
        if not all(record["mutant_rejected"] for record in row.get("records", ()))
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif witness:
        for row in rows:
            for record in row.get("records", ()):
                if record["witness"]:
                    click.echo(
                        f"{row['id']}, {record['of']}\n  {ledger.witness_text(record['witness'])}"
                    )
    elif tighten:
        print_table(
            "tightened",
            ["id", "record", "rigor", "accepted", "rejected", "sharpness"],
            [line for row in rows for line in _tightened(row)],
        )
    elif len(rows) == 1 and rows[0].get("records"):
        _whole(rows[0])
    else:
        for row in rows:
            records = row.get("records", [])
            rigors = ", ".join(dict.fromkeys(record["rigor"] for record in records))
            tell(f"{row['id']}: {ledger.state(row)}" + (f" ({rigors})" if rigors else ""))
            tell(row.get("error") or row.get("short") or row["statement"], 2)
    for sentence in wrong:
        say(f"privrl: {sentence}")
    sys.exit(1 if wrong else 0)


def _tightened(row: dict[str, Any]) -> list[list[str]]:
    """What each record's test accepts and rejects of what is tighter."""
    lines = []
    for record in row.get("records", ()):
        if isinstance(outcomes := record["tightened"], dict):
            sides = [
                ", ".join(label for label, accepted in outcomes.items() if accepted is side)
                for side in (True, False)
            ]
            sharp = "" if record["sharpness"] is None else f"{record['sharpness']:g}"
            lines.append([row["id"], record["of"], record["rigor"], *sides, sharp])
    return lines


def _whole(row: dict[str, Any]) -> None:
    """One claim: statement, verdict, in short, its erratum, and every record with all that it
    says."""
    from theory import errata, formulas, ledger

    tell(f"{row['label']} of {row['id'].split('/')[0]}, {row['where']}: {ledger.state(row)}\n")
    tell(f"statement: {row['statement']}")
    tell(f"in short: {row['short']}")
    erratum = errata.of_claim(*row["id"].split("/"))
    if row["cause"] and erratum:
        tell(
            f"cause: {formulas.plain(erratum.title)}. In practice: "
            f"{formulas.plain(erratum.practice)}"
        )
        if erratum.known:
            tell(f"known before: {formulas.plain(erratum.known)}")
    for record in row["records"]:
        tell(f"\n{record['of']}: {record['verdict']} ({record['rigor']})")
        lines = {
            "holds" if record["verdict"] == "holds" else "states": record["statement"],
            "domain": record["domain"],
            "evidence": record["evidence"],
            "shown by": record["witness"] and ledger.witness_text(record["witness"]),
            "rejected": record["mutant"],
            "rests on": ", ".join(record["uses"]),
            "proof": record["proof"],
        }
        for name, words in lines.items():
            if words:
                tell(f"{name}: {words}", 2)
        if formal := record.get("formal"):
            tell(f"checked by Coq's kernel: {formal['theorem']} in {formal['file']}", 2)
            for line in formal["statement"].splitlines():
                click.echo(f"    {line}")
