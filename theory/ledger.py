"""The ledger: every numbered claim with its records and the verdict that is computed from them.

:func:`run` computes it, :func:`write` stores it, :func:`recorded` reads what is stored, :func:`differences` compares.
Two runs give the same bytes: no timings, no machine, no order of completion.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import theory.papers
from privrl.types import count, require
from theory.claim import REGISTRY, Verdict, overall
from theory.compare import difference
from theory.numbering import CLAIM, NOT_A_CLAIM, Item, items, load, papers

Row = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "theory"
VERDICTS = tuple(str(verdict) for verdict in Verdict)

PAPERS = papers()


# ---- running ---------------------------------------------------------------------------------------------------------


@cache
def load_checks() -> None:
    """Import every module below ``theory.papers``, so that the checks register themselves."""
    for module in pkgutil.walk_packages(theory.papers.__path__, "theory.papers."):
        importlib.import_module(module.name)


def _row(item: Item) -> Row:
    row: Row = {"id": item.id, "kind": item.kind, "where": item.where, "statement": item.statement, "role": item.role}
    row["aliases"] = list(item.aliases)
    if item.role == NOT_A_CLAIM:
        return {**row, "status": item.status}
    return {**row, "verdict": str(Verdict.OPEN), "records": []}


def check(item: Item) -> Row:
    """The ledger's row of one item, its check run when it has one; a check that errs leaves it open, with ``error``."""
    load_checks()
    row = _row(item)
    if item.role == NOT_A_CLAIM or item.id not in REGISTRY:
        return row
    try:
        records = REGISTRY[item.id]()
    except Exception as error:  # a broken check is a finding of the ledger, not the end of it
        return {**row, "error": f"{type(error).__name__}: {error}"}
    row["verdict"] = str(overall(records))
    row["records"] = [record.as_dict() for record in records]
    return row


def run(select: str | None = None, jobs: int = 1) -> list[Row]:
    """Run the checks and return the rows in the order of the papers.

    Parameters
    ----------
    select : a paper, an id or an alias; None for everything
    jobs : worker processes

    Raises
    ------
    ValueError
        ``select`` names nothing; jobs < 1; a check is registered under an id that no ``paper.toml`` has.
    """
    load_checks()
    claims = {item.id for item in items() if item.role == CLAIM}
    unknown = sorted(set(REGISTRY) - claims)
    require(not unknown, "every check must stand under a claim of its paper.toml", ids=unknown)
    chosen = items(select)
    if count("jobs", jobs) == 1:
        return [check(item) for item in chosen]
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=jobs)(delayed(check)(item) for item in chosen))


# ---- stored ----------------------------------------------------------------------------------------------------------


def recorded(folder: Path = FOLDER) -> list[Row]:
    """The stored rows.

    Raises
    ------
    ValueError
        There is no ledger in the folder, or it cannot be read.
    """
    try:
        rows = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))["items"]
    except FileNotFoundError:
        raise ValueError(f"the ledger must have been written, got no ledger.json in {folder.name}") from None
    except (json.JSONDecodeError, KeyError, TypeError):
        raise ValueError("ledger.json must be a ledger, got a file that cannot be read: write it again") from None
    return list(rows)


def differences(rows: Sequence[Row], stored: Sequence[Row]) -> list[str]:
    """One sentence for each of ``rows`` that errs or differs from the stored one."""
    before = {row["id"]: row for row in stored}
    found = []
    for row in rows:
        kept = before.get(row["id"])
        if "error" in row:
            found.append(f"{row['id']}: the check erred: {row['error']}")
        elif kept is None:
            found.append(f"{row['id']}: not in the recorded ledger")
        elif row.get("verdict") != kept.get("verdict"):
            found.append(f"{row['id']}: {row.get('verdict')}, recorded as {kept.get('verdict')}")
        else:
            names = [name for name in {**row, **kept}
                     if difference(*(json.dumps(each.get(name)) for each in (kept, row)))]
            found += [f"{row['id']}: {', '.join(names)} differ from the recorded ones"] if names else []
    return found


def write(folder: Path = FOLDER, rows: Sequence[Row] | None = None, jobs: int = 1) -> list[Row]:
    """Write LEDGER.md and ledger.json (the whole ledger, run first unless given) and return the rows.

    Raises
    ------
    ValueError
        A check erred: an error is not recorded.
    """
    rows = run(jobs=jobs) if rows is None else list(rows)
    broken = [f"{row['id']}: {row['error']}" for row in rows if "error" in row]
    require(not broken, "no check may err when the ledger is written", errors=broken)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"items": rows}, indent=1, ensure_ascii=False) + "\n"
    (folder / "ledger.json").write_text(text, encoding="utf-8", newline="\n")
    (folder / "LEDGER.md").write_text(ledger_markdown(rows), encoding="utf-8", newline="\n")
    return rows


# ---- for readers -----------------------------------------------------------------------------------------------------


def tally(rows: Sequence[Row], paper: str) -> dict[str, int]:
    """Claims of a paper by verdict, in the order of :class:`Verdict`."""
    verdicts = [row["verdict"] for row in rows if row["id"].startswith(f"{paper}/") and row["role"] == CLAIM]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def papers_overview(rows: Sequence[Row] | None = None) -> list[Row]:
    """The four papers: id, title, algorithm, notebook, number of claims and their verdicts (of the stored ledger)."""
    stored = recorded() if rows is None else rows
    overview = []
    for paper in PAPERS:
        counts = tally(stored, paper)
        facts = load()[paper]
        overview.append({"paper": paper, "title": facts.title, "algorithm": facts.algorithm,
                         "notebook": f"notebooks/{facts.notebook}.ipynb", "claims": sum(counts.values()),
                         "verdicts": counts})
    return overview


def summary_markdown(rows: Sequence[Row] | None = None) -> str:
    """A table of papers by verdicts, for the README."""
    lines = ["| paper | algorithm | claims | " + " | ".join(VERDICTS) + " |", "| --- " * (3 + len(VERDICTS)) + "|"]
    for row in papers_overview(rows):
        counts = " | ".join(str(row["verdicts"][verdict]) for verdict in VERDICTS)
        lines.append(f"| {row['paper']} | {row['algorithm']} | {row['claims']} | {counts} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _record_markdown(record: Row) -> list[str]:
    evidence = record["evidence"].rstrip(".") + "."
    sharp = "" if record["sharpness"] is None else f" Sharpness {record['sharpness']:g}."
    statement = f" Decided: {record['statement']}." if record["statement"] else ""
    return [
        f"- **{record['of']}: {record['verdict']}** ({record['rigor']}).{statement}",
        f"  Domain: {record['domain']}. Evidence: {evidence}{sharp} Rejected: {record['mutant']}.",
    ]


def ledger_markdown(rows: Sequence[Row]) -> str:
    """The whole ledger for reading: a table per paper, then the records of what was decided."""
    origin = "Written by `make update`; every line is computed from the checks in `theory/papers/`."
    lines = ["# Ledger", "", origin, "", summary_markdown(rows)]
    for paper in dict.fromkeys(row["id"].split("/")[0] for row in rows):
        own = [row for row in rows if row["id"].startswith(f"{paper}/")]
        lines += [f"## {paper}", "", "| id | where | verdict | statement |", "| --- | --- | --- | --- |"]
        for row in own:
            verdict = row["verdict"] if row["role"] == CLAIM else f"({row['status']})"
            name = row["id"].split("/")[1]
            lines.append(f"| {name} | {_cell(row['where'])} | {verdict} | {_cell(row['statement'])} |")
        lines.append("")
        for row in own:
            if row.get("records"):
                lines += [f"### {row['id']}: {row['verdict']}", "", row["statement"], ""]
                for record in row["records"]:
                    lines += _record_markdown(record)
                lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"
