r"""The ledger for reading on GitHub: a short index and a file per paper, made of the rows.

Formulas are written $`..`$. CommonMark takes what stands between backticks as it is, so that no
``\,``, ``\|`` or ``_`` is lost; GitHub and GitLab typeset it, even after a bracket or a quotation
mark, where GitHub leaves ``$..$`` alone; any other viewer shows the whole LaTeX. Between bare
dollars a backslash before punctuation would be lost wherever Markdown is read first.
"""

import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from theory import errata, ledger
from theory.claim import FINEST, MILDLY_TIGHTENED, REGISTRY, share_of_bound
from theory.formulas import downwards
from theory.ledger import Row, state, words
from theory.numbering import CLAIM, load
from theory.typed import STRESSED

INDEX = "LEDGER.md"
FOLDER = "ledger"
ORIGIN = "Written by `make update`; every line is computed from the checks in `theory/papers/`."
_VERBATIM = re.compile(r"(\$[^$]+\$|`[^`]+`)")
_EXPONENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)(?!\w)")
_RAISED = str.maketrans(
    "0123456789-", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b"
)
_MARKUP = re.compile(r"[\\*_~\[\]<>&#|]")
_THEOREM = re.compile(r"(?m)^(?:Theorem|Lemma|Corollary) (\w+)")
_SENTENCE = re.compile(r"(?<=[.;:]) (?=[A-Z\x00])")


def files(rows: Sequence[Row]) -> dict[str, str]:
    """The text of every file by its path below the ledger's folder."""
    ledger.load_checks()
    papers = dict.fromkeys(row["id"].split("/")[0] for row in rows)
    rows_of = {
        paper: [row for row in rows if row["id"].startswith(f"{paper}/")] for paper in papers
    }
    return {INDEX: index(rows_of)} | {
        f"{FOLDER}/{paper}.md": page(paper, rows_of[paper]) for paper in papers
    }


def slug(identifier: str) -> str:
    """What GitHub puts after the # for the heading of a claim: ``theorem-64`` of
    ``zhou2022/theorem-6.4``."""
    return re.sub(r"[^\w-]", "", identifier.split("/")[1].lower())


def index(papers: dict[str, list[Row]]) -> str:
    """The summary and, per paper, a line for every item: where it stands, its verdict."""
    lines = ["# Ledger", "", ORIGIN, "A file per paper has the statements, records and witnesses:"]
    lines += [f"[{paper}]({FOLDER}/{paper}.md)," for paper in papers]
    lines[-1] = lines[-1].rstrip(",") + "."
    lines += ["", ledger.summary_markdown([row for rows in papers.values() for row in rows])]
    for paper, rows in papers.items():
        lines += [f"## {paper}", "", "| item | where | verdict |", "| --- | --- | --- |"]
        lines += [
            f"| [{row['id'].split('/')[1]}]({FOLDER}/{paper}.md#{slug(row['id'])}) "
            f"| {markdown(row['where'])} | {state(row)} |"
            for row in rows
        ]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def page(paper: str, rows: Sequence[Row]) -> str:
    """Every item of a paper: the statement, in short, the cause, the records."""
    facts = load()[paper]
    title = f"# {paper}: {markdown(facts.algorithm)}"
    lines = [title, "", f"{markdown(facts.title)}. [All papers](../{INDEX}).", "", ORIGIN, ""]
    for row in rows:
        lines += [f"## {row['id'].split('/')[1]}", ""]
        lines += [f"**{state(row)}**, {markdown(row['where'])}.", ""]
        lines += [*paragraph(words(row, "statement")), ""]
        if row["role"] == CLAIM and row["short"]:
            lines += [*paragraph(words(row, "short"), lead="**In short.** "), ""]
        lines += [*_cause(row, rows)]
        theorems: list[str] = []
        for record in row.get("records", ()):
            lines += _record(record, paper, theorems)
        lines += [""] if row.get("records") else []
        lines += [*_check(row["id"])]
    return "\n".join(lines).rstrip("\n") + "\n"


def _check(identifier: str) -> Iterator[str]:
    """Where the numbers of a row are computed, and everything that they are computed at."""
    check = REGISTRY.get(identifier)
    if check is None:
        return
    function = inspect.unwrap(check)
    path = Path(inspect.getfile(function))
    link = f"../{path.relative_to(ledger.ROOT / 'theory').as_posix()}"
    yield f"**Check.** `{function.__name__}` in [{path.name}]({link})."
    yield ""


def _cause(row: Row, rows: Sequence[Row]) -> Iterator[str]:
    """Why a claim does not hold as printed, and what that changes, with the numbers of these
    rows: at the first claim of that cause; the others name it."""
    if not row.get("cause"):
        return
    paper, claim = row["id"].split("/")
    erratum = errata.of_claim(paper, claim, rows)
    if erratum is None:
        return
    first = next(entry["id"] for entry in rows if entry.get("cause") == row["cause"])
    lead = f"**Cause** ({markdown(erratum.cause)}). "
    if first != row["id"]:
        yield f"{lead}See {first.split('/')[1]}."
        yield ""
        return
    yield from paragraph(erratum.title, lead=lead)
    yield from paragraph(erratum.practice, lead="**In practice.** ")
    if erratum.known:
        yield from paragraph(erratum.known, lead="**Known before.** ")
    yield ""


def _record(record: Row, paper: str, theorems: list[str]) -> Iterator[str]:
    """A record as an item of a list, its parts as the items below; ``theorems`` are those of the
    row that stand above, and take in its own."""
    rigor = record["rigor"]
    if record.get("effective", rigor) != rigor:
        rigor += f", resting on what is {record['effective']}"
    head = f"**{markdown(words(record, 'of'))}: {record['verdict']}** ({rigor}). "
    yield from _entry(head, words(record, "statement") if record["statement"] else "", 0)
    if record["witness"]:
        yield from _entry("*Shown by.* ", ledger.witness_text(record["witness"]), 1)
    yield from _entry("*Domain.* ", sentence(words(record, "domain")), 1)
    yield from _entry("*Evidence.* ", sentence(words(record, "evidence")), 1)
    if record["sharpness"]:
        yield from _entry("*Sharpness.* ", sharpness(record), 1)
    yield from _entry("*Rejected.* ", sentence(words(record, "mutant")), 1)
    if record["uses"]:
        yield from _entry("*Rests on.* ", ", ".join(record["uses"]), 1)
    if record.get("formal"):
        yield from _formal(record["formal"], theorems)
    if record["proof"]:
        proof = f"[{markdown(record['proof'])}](../papers/{paper}/proofs.md)"
        yield f"  - *Proof.* {proof}."


def sentence(words: str) -> str:
    """Words that begin as a sentence does; a formula or a name of one letter stays."""
    return words[:1].upper() + words[1:] if re.match(r"(?:a|[a-z]{2,})\b", words) else words


def sharpness(record: Row) -> str:
    """What a test says of less than its bound (of more, where the bound is one from below): it was
    run there, or it met nothing beyond."""
    factor, tightened = record["sharpness"], record["tightened"]
    below, above = (label in tightened for label in MILDLY_TIGHTENED)
    if factor != 1:
        end = "largest" if factor < 1 else "least"
        met = f"The {end} value that the check meets is {share_of_bound(factor)}"
        return f"The test still accepts {share_of_bound(factor)}" if below or above else met
    if above:
        return f"The test refuses {share_of_bound(1 / FINEST)}"
    finest = f"{downwards(FINEST, 3):g}"
    return f"The test refuses {finest} of the bound" if below else "The bound is attained"


def _formal(formal: Row, theorems: list[str]) -> Iterator[str]:
    """The theorem that Coq's kernel checked, and the name of the one that decides its neighbour; of
    a theorem that stands above in the row the name."""
    axioms = ", ".join(f"`{name}`" for name in formal["axioms"]) or "no axiom"
    neighbour = formal["mutant"].split()[1].rstrip(":")
    yield (
        f"  - *Checked by Coq's kernel.* [{formal['file']}](../../{formal['file']}), on {axioms}; "
        f"the neighbour by `{neighbour}`."
    )
    statement = formal["statement"]
    if any(statement in theorem for theorem in theorems):
        names = " and ".join(f"`{name}`" for name in _THEOREM.findall(statement))
        yield from ["", f"    {names}, above.", ""]
        return
    theorems.append(statement)
    yield from ["", "    ```coq"]
    yield from (f"    {line}".rstrip() for line in statement.splitlines())
    yield from ["    ```", ""]


def _entry(lead: str, words: str, level: int) -> list[str]:
    first, *more = paragraph(words, lead=lead)
    indent = "  " * level
    return [f"{indent}- {first}", *(f"{indent}  {line}" for line in more)]


def paragraph(words: str, lead: str = "") -> list[str]:
    """Words as Markdown, a line for each sentence, which ends with a full stop."""
    stripped = " ".join(words.split())
    if not stripped:
        return [lead.rstrip()]
    ended = stripped if stripped[-1] in ".?!" else f"{stripped}."
    verbatim: list[str] = []

    def stored(match: re.Match[str]) -> str:
        verbatim.append(match[0])
        return "\0"

    sentences = _SENTENCE.split(_VERBATIM.sub(stored, ended))
    pieces = iter(verbatim)
    lines = [re.sub("\0", lambda _: next(pieces), sentence) for sentence in sentences]
    return [f"{lead if at == 0 else ''}{markdown(line)}" for at, line in enumerate(lines)]


def markdown(words: str) -> str:
    """Words so that Markdown shows just these: markup is escaped, but for stressed words and code;
    a formula stands between backticks."""
    pieces = _VERBATIM.split(" ".join(words.split()))
    return "".join(
        _typed(_EXPONENT.sub(_power_of_ten, piece)) if at % 2 == 0 else _verbatim(piece)
        for at, piece in enumerate(pieces)
    )


def _verbatim(piece: str) -> str:
    """A formula between backticks; code as it is."""
    return f"$`{piece[1:-1]}`$" if piece[0] == "$" else piece


def _power_of_ten(match: re.Match[str]) -> str:
    """5.1e+12 as a reader writes it."""
    power = f"10{str(int(match[2])).translate(_RAISED)}"
    return power if match[1] == "1" else f"{match[1]} \u00b7 {power}"


def _typed(piece: str) -> str:
    stressed = re.split(STRESSED, piece)
    return "".join(
        _MARKUP.sub(r"\\\g<0>", text) if at % 2 == 0 else f"*{text}*"
        for at, text in enumerate(stressed)
    )
