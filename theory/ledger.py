"""The ledger: every numbered claim with its records and the verdict that is computed from them.

:func:`run` computes it, :func:`recorded` reads what is stored, :func:`differences` compares;
:mod:`theory.ledger_files` stores it. Two runs give the same bytes: no timings, no machine, no order
of completion.
"""

import importlib
import importlib.util
import json
import pkgutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import theory.papers
from privrl.checks import count, require
from theory.claim import REGISTRY, TIGHTEN, Rigor, Severity, Verdict, overall
from theory.compare import difference
from theory.errata_groups import of_claim
from theory.fields import collected, filled
from theory.formulas import as_labelled, plain
from theory.numbering import CLAIM, NOT_A_CLAIM, Item, items, load, papers

Row = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "theory"
VERDICTS = (
    "holds",
    *(f"corrected: {severity}" for severity in Severity),
    "fails",
    "open",
    "unspecified",
    "vacuous",
)

PAPERS = papers()


@cache
def load_checks() -> None:
    """Import every module below ``theory.papers``, so that the checks register themselves."""
    for module in pkgutil.walk_packages(theory.papers.__path__, "theory.papers."):
        importlib.import_module(module.name)


def _row(item: Item) -> Row:
    row: Row = {
        "id": item.id,
        "kind": item.kind,
        "label": item.label,
        "where": item.where,
        "statement": plain(item.statement),
        "role": item.role,
        "numbered": item.numbered,
    }
    row["aliases"] = list(item.aliases)
    row["latex"] = {
        name: text
        for name, text in (("statement", item.statement), ("short", item.short))
        if "$" in text
    }
    if item.role == NOT_A_CLAIM:
        return {**row, "status": item.status}
    return {
        **row,
        "short": plain(item.short),
        "verdict": str(Verdict.OPEN),
        "severity": None,
        "cause": None,
        "records": [],
    }


def check(item: Item) -> Row:
    """The ledger's row of one item, its check run when it has one; a check that errs leaves it
    open, with ``error``."""
    load_checks()
    row = _row(item)
    if item.role == NOT_A_CLAIM or item.id not in REGISTRY:
        return row
    try:
        records = list(REGISTRY[item.id]())
        short = filled(item.short, collected(record.as_dict() for record in records))
    except Exception as error:  # a broken check is a finding of the ledger, not the end of it
        return {**row, "error": f"{type(error).__name__}: {error}"}
    verdict, severity = overall(records)
    row["verdict"], row["severity"] = str(verdict), severity and str(severity)
    if verdict in (Verdict.CORRECTED, Verdict.FAILS, Verdict.OPEN):
        erratum = of_claim(*item.id.split("/"))
        row["cause"] = erratum and erratum.cause
    row["records"] = [record.as_dict() for record in records]
    row["short"] = plain(short)
    row["latex"] |= {"short": short} if "$" in short else {}
    return row


def _tightened(item: Item) -> Row:
    token = TIGHTEN.set(True)
    try:
        return check(item)
    finally:
        TIGHTEN.reset(token)


def run(select: str | None = None, jobs: int = 1, tighten: bool = False) -> list[Row]:
    """Run the checks and return the rows in the order of the papers.

    Parameters
    ----------
    select : a paper, an id or an alias; None for everything
    jobs : worker processes
    tighten : run every test on tightened bounds and false premises too, see
        :class:`theory.claim.Trial`

    Raises
    ------
    ValueError
        ``select`` names nothing; jobs < 1; a check is registered under an id that no ``paper.toml``
        has.
    """
    load_checks()
    claims = {item.id for item in items() if item.role == CLAIM}
    unknown = sorted(set(REGISTRY) - claims)
    require(not unknown, "every check must stand under a claim of its paper.toml", ids=unknown)
    chosen = items(select)
    checker = _tightened if tighten else check
    if count("jobs", jobs) == 1:
        return [checker(item) for item in chosen]
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=jobs)(delayed(checker)(item) for item in chosen))


def effective(rows: Sequence[Row]) -> dict[tuple[str, str], Rigor]:
    """The rigor of every record with that of the records it rests on: the weakest of the chain.

    Raises
    ------
    ValueError
        A record rests on one that does not exist or does not hold, or on itself.
    """
    order = [rigor for rigor in Rigor if rigor != Rigor.COUNTEREXAMPLE]
    records = {
        (row["id"], record["of"]): record for row in rows for record in row.get("records", ())
    }
    rigors: dict[tuple[str, str], Rigor] = {}

    def weakest(key: tuple[str, str], above: tuple[tuple[str, str], ...]) -> Rigor:
        require(key in records, "a record must rest on a record of the ledger", uses=": ".join(key))
        require(key not in above, "a record must not rest on itself", uses=": ".join(key))
        if key not in rigors:
            require(
                not above or records[key]["verdict"] == "holds",
                "a record must rest on what holds",
                uses=": ".join(key),
                of=": ".join(above[-1] if above else key),
            )
            # "paper/claim" is its printed record
            uses = (name.partition(": ") for name in records[key]["uses"])
            chain = [weakest((claim, of or "printed"), (*above, key)) for claim, _, of in uses]
            recorded_rigor = Rigor(records[key]["rigor"])
            rigors[key] = max(
                (recorded_rigor, *chain),
                key=lambda rigor: order.index(rigor) if rigor in order else -1,
            )
        return rigors[key]

    for key in records:
        weakest(key, ())
    return rigors


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
        raise ValueError(
            f"the ledger must have been written, got no ledger.json in {folder.name}"
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError):
        raise ValueError(
            "ledger.json must be a ledger, got a file that cannot be read: write it again"
        ) from None
    return list(rows)


def differences(rows: Sequence[Row], stored: Sequence[Row]) -> list[str]:
    """One sentence for each of ``rows`` that errs or differs from the stored one."""
    before = {row["id"]: row for row in stored}
    messages = []
    for row in rows:
        recorded_row = before.get(row["id"])
        if "error" in row:
            messages.append(f"{row['id']}: the check erred: {row['error']}")
        elif recorded_row is None:
            messages.append(f"{row['id']}: not in the recorded ledger")
        elif row.get("verdict") != recorded_row.get("verdict"):
            messages.append(
                f"{row['id']}: {row.get('verdict')}, recorded as {recorded_row.get('verdict')}"
            )
        else:
            names = [
                name
                for name in {**row, **recorded_row}
                if difference(
                    *(json.dumps(_comparable(each.get(name), row)) for each in (recorded_row, row))
                )
            ]
            messages += (
                [f"{row['id']}: {', '.join(names)} differ from the recorded ones"] if names else []
            )
    return messages


def _comparable(value: Any, fresh_row: Row) -> Any:
    """What was made without tightening is compared without what tightening adds."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return value
    tightened = any(
        record["tightened"]
        for record in fresh_row["records"]
        if isinstance(record["tightened"], dict)
    )
    dropped = {"effective"} if tightened else {"effective", "tightened", "sharpness"}
    return [{name: record[name] for name in record if name not in dropped} for record in value]


def state(row: Row) -> str:
    """The verdict of a claim with its severity, one of :data:`VERDICTS`; for what is no claim, how
    it is used."""
    if row["role"] != CLAIM:
        return f"({row['status']})"
    return f"{row['verdict']}: {row['severity']}" if row["severity"] else str(row["verdict"])


def tally(rows: Sequence[Row], paper: str, numbered: bool | None = None) -> dict[str, int]:
    """Claims of a paper by verdict and severity; the paper's own numbered statements, or what was
    added, alone."""
    states = [
        state(row)
        for row in rows
        if row["id"].startswith(f"{paper}/")
        and row["role"] == CLAIM
        and numbered in (None, row["numbered"])
    ]
    return {verdict: states.count(verdict) for verdict in dict.fromkeys((*VERDICTS, *states))}


def causes(rows: Sequence[Row], paper: str) -> list[str]:
    """The distinct reasons for which claims of a paper do not hold as printed."""
    return list(
        dict.fromkeys(
            row["cause"] for row in rows if row["id"].startswith(f"{paper}/") and row.get("cause")
        )
    )


def papers_overview(rows: Sequence[Row] | None = None) -> list[Row]:
    """The four papers: id, title, algorithm, notebook, number of claims and their verdicts (of the
    stored ledger)."""
    stored = recorded() if rows is None else rows
    overview = []
    for paper in PAPERS:
        counts = tally(stored, paper)
        facts = load()[paper]
        overview.append(
            {
                "paper": paper,
                "title": facts.title,
                "algorithm": facts.algorithm,
                "notebook": f"notebooks/{facts.notebook}.ipynb",
                "claims": sum(counts.values()),
                "verdicts": counts,
            }
        )
    return overview


SUMMARY = {
    "holds": "hold",
    "corrected: wording": "need a word",
    "corrected: constant": "a constant",
    "corrected: domain": "a hypothesis or range",
    "corrected: substance": "a new statement",
    "fails": "fail",
    "open": "open",
    "unspecified": "hide constants",
    "vacuous": "vacuous",
}


def summary_markdown(rows: Sequence[Row] | None = None) -> str:
    """A table of papers for the README: the numbered statements by what they need, their causes,
    and what was added."""
    stored = recorded() if rows is None else rows
    counts = {paper: tally(stored, paper, numbered=True) for paper in PAPERS}
    verdicts = [
        verdict
        for verdict in counts[PAPERS[0]]
        if any(paper_counts.get(verdict) for paper_counts in counts.values())
    ]
    head = [
        "paper",
        "numbered",
        *(SUMMARY.get(verdict, verdict) for verdict in verdicts),
        "causes",
        "others: hold, of",
    ]
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    for paper, paper_counts in counts.items():
        added = tally(stored, paper, numbered=False)
        cells = [
            paper,
            sum(paper_counts.values()),
            *(paper_counts[verdict] for verdict in verdicts),
            len(causes(stored, paper)),
            f"{added['holds']} of {sum(added.values())}",
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def words(entry: Row, name: str) -> str:
    """A text of a row or a record as Markdown with its formulas; the text itself where it has
    none."""
    return str(entry.get("latex", {}).get(name) or entry[name])


LONG = 10**8  # integers from here on are told to four digits


def witness_text(witness: Row) -> str:
    """A witness in one sentence: at which parameters, what is claimed, what was found."""

    def said(value: Any, label: str = "") -> str:
        if isinstance(value, int) and abs(value) >= LONG:
            return f"{as_labelled(value, label, 4):.4g}"
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    phrases = {
        name: value
        for name, value in witness["at"].items()
        if isinstance(value, str) and " " in value
    }
    at = ", ".join(
        f"{name} = {said(value)}" for name, value in witness["at"].items() if name not in phrases
    )
    if phrases:
        named = "; ".join(f"{name}: {value}" for name, value in phrases.items())
        at = f"{at} ({named})" if at else named
    (claimed, claimed_value), (actual, actual_value) = (
        (label, said(value, label)) for label, value in (witness["claimed"], witness["found"])
    )
    also = f" It fails {witness['from_on']}." if witness["from_on"] else ""
    return f"At {at}: {claimed} {claimed_value}, {actual} {actual_value}.{also}"
