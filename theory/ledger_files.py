"""The files of the ledger: ``ledger.json``, and the pages for reading that are made of its rows."""

import json
from collections.abc import Sequence
from pathlib import Path

from privrl.checks import require
from theory import ledger, ledger_markdown, sentences
from theory.ledger import FOLDER, Row


def write(folder: Path = FOLDER, rows: Sequence[Row] | None = None, jobs: int = 1) -> list[Row]:
    """Write ledger.json and its pages for reading (the whole ledger, run first unless given) and
    return the rows.

    Raises
    ------
    ValueError
        A check erred: an error is not recorded; or a number is typed into a sentence that
        ``typed_numbers.csv`` does not list (:mod:`theory.sentences`).
    """
    typed = sentences.disagreements(sentences.numbers_typed(), sentences.numbers_listed())
    require(not typed, "every typed number must be listed", numbers=typed)
    rows = ledger.run(jobs=jobs, tighten=True) if rows is None else list(rows)
    broken = [f"{row['id']}: {row['error']}" for row in rows if "error" in row]
    require(not broken, "no check may err when the ledger is written", errors=broken)
    rigors = ledger.effective(rows)
    for row in rows:
        for record in row.get("records", ()):
            record["effective"] = str(rigors[row["id"], record["of"]])
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"items": rows}, indent=1, ensure_ascii=False) + "\n"
    (folder / "ledger.json").write_text(text, encoding="utf-8", newline="\n")
    for name, content in ledger_markdown.files(rows).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    return rows
