"""A page per claim, a page per paper that lists them, and the ledger as one table."""

import re
import tomllib
from collections.abc import Sequence
from html import escape
from pathlib import Path

from theory import errata, numbering
from theory.claim import Rigor
from theory.ledger import PAPERS, VERDICTS, Row, state, tally, witness_text, words
from theory.ledger_markdown import sharpness
from theory.numbering import CLAIM, ITEM_KINDS
from theory.rigor import kernel
from theory.typed import letters as typed_letters
from website import derivations, markup, places
from website.markup import definitions, link, name, rigors, sentence, table, text, typed, verdict

BASE = "../../"  # from the page of a claim to the site's root
SYMBOLS = tomllib.loads(Path(__file__).with_name("symbols.toml").read_text(encoding="utf-8"))


def of_paper(rows: Sequence[Row], paper: str) -> list[Row]:
    """A paper's rows in the paper's order."""
    return [row for row in rows if markup.paper(row["id"]) == paper]


def known(rows: Sequence[Row]) -> dict[str, str]:
    """Every id and alias with the id under which it stands."""
    return {alias: row["id"] for row in rows for alias in (row["id"], *row["aliases"])}


def page(rows: Sequence[Row], paper: str, citation: str) -> str:
    """All numbered items of a paper, each with its verdict and statement; the address of an item's
    page before it had one of its own leads here, to its row."""
    paper_rows = of_paper(rows, paper)
    counts = ", ".join(f"{number} {name}" for name, number in tally(rows, paper).items() if number)
    notebook = f"notebooks/{numbering.load()[paper].notebook}"
    claims = sum(row["role"] == CLAIM for row in paper_rows)
    by_hand = (
        f'<a href="../{derivations.FOLDER}/{paper}.html">proofs by hand</a>; '
        if derivations.sections(paper)[1]
        else ""
    )
    parts = [markup.heading(f"{paper}: {numbering.load()[paper].algorithm}")]
    parts.append(
        markup.raw(
            f"<p>{text(citation)}</p>\n<p>{claims} claims: "
            f"{text(counts)}. "
            f'<a href="../{notebook}.html">The notebook</a> runs the algorithm and the checks; '
            f"{by_hand}"
            '<a href="../reading.html">how to read a verdict</a>.</p>'
        )
    )
    parts.append(markup.raw(_symbols(paper)))
    parts.append(markup.raw(_index(paper_rows)))
    return "".join(parts)


def claim_pages(rows: Sequence[Row], version: str) -> dict[str, str]:
    """The page of every item by its path."""
    names = known(rows)
    pages = {}
    for paper in PAPERS:
        rows_ = of_paper(rows, paper)
        for row, before, after in zip(rows_, [None, *rows_], [*rows_[1:], None], strict=False):
            title = f"{name(row['id'])} ({paper})"
            pages[f"claims/{row['id']}.rst"] = "".join(
                [
                    f":orphan:\n{markup.heading(title)}",
                    markup.raw(_around(paper, row, before, after)),
                    markup.raw(_item(row, names, version)),
                    markup.raw(_symbols(paper)) if row["role"] == CLAIM else "",
                ]
            )
    return pages


def _around(paper: str, row: Row, before: Row | None, after: Row | None) -> str:
    """Links to the items before and after, and to all of the paper."""
    links = [link(before["id"], f"← {name(before['id'])}", BASE)] if before else []
    whole = f"../{paper}.html#{markup.anchor(row['id'])}"
    links.append(f'<a href="{markup.attribute(whole)}">All of {paper}</a>')
    links += [link(after["id"], f"{name(after['id'])} →", BASE)] if after else []
    return f'<nav class="around" aria-label="Claims of the paper">{" ".join(links)}</nav>'


def _symbols(paper: str) -> str:
    """What the letters of a paper stand for, folded."""
    listed = definitions(
        ((symbol, text(means)) for symbol, means in SYMBOLS.get(paper, {}).items()), "beside"
    )
    title = "<summary>Symbols: the letters of this paper</summary>"
    return f'<details class="fold">{title}\n<div id="symbols">{listed}</div></details>'


def _index(rows: Sequence[Row]) -> str:
    cells = [
        (
            _anchors(row) + link(row["id"], base="../"),
            _label(row),
            text(words(row, "statement")),
        )
        for row in rows
    ]
    return table(
        "Numbered items in the order of the paper",
        ["item", "verdict", "statement"],
        cells,
        'class="index"',
    )


def _anchors(row: Row) -> str:
    """What a link to any of an item's numbers leads to."""
    return "".join(
        f'<span id="{markup.attribute(markup.anchor(identifier))}"></span>'
        for identifier in (row["id"], *row["aliases"])
    )


def _label(row: Row) -> str:
    return (
        verdict(state(row))
        if row["role"] == CLAIM
        else f'<span class="status">{text(row["status"])}</span>'
    )


def _item(row: Row, names: dict[str, str], version: str) -> str:
    identifier = row["id"]
    lines = [
        f'<p class="claim-line">{_label(row)} <code>{identifier}</code>, {text(row["where"])}</p>'
    ]
    if row.get("short"):
        lines.append(f'<p class="short"><strong>In short.</strong> {text(words(row, "short"))}</p>')
    lines.append(f'<p class="statement">{text(sentence(words(row, "statement")))}</p>')
    if row.get("cause"):
        erratum = errata.of_claim(*identifier.split("/"))
        assert erratum is not None  # the ledger has the cause from there
        lines.append(
            f"<p><strong>Cause.</strong> {typed(sentence(erratum.title))} <strong>In "
            f"practice.</strong> {typed(sentence(erratum.practice))}</p>"
        )
        if erratum.known:
            known = typed(sentence(erratum.known))
            lines.append(f"<p><strong>Known before.</strong> {known}</p>")
    if row["aliases"]:
        others = ", ".join(text(name(alias)) for alias in row["aliases"])
        lines.append(f"<p>Also, or with a step of its proof, as: {others}.</p>")
    records = row.get("records", ())
    lines += [_record(identifier, record) for record in records if not _folded(record)]
    if more := [record for record in records if _folded(record)]:
        lines.append(f'<details class="fold"><summary>{_more(more)}</summary>')
        lines += [*(_record(identifier, record) for record in more), "</details>"]
    lines.append(_beside(row, names, version))
    return "\n".join(lines)


def _folded(record: Row) -> bool:
    """Whether it is of a step or of another reading, which do not set the verdict."""
    return str(record["of"]).startswith(("step", "reading"))


def _more(records: Sequence[Row]) -> str:
    verdicts = ", ".join(
        f"{typed(words(record, 'of').removeprefix('step: '))} {record['verdict']}"
        for record in records
    )
    return f"<strong>Steps and other readings ({len(records)}).</strong> {verdicts}"


def _record(identifier: str, record: Row) -> str:
    """A record of the claim with this id."""
    rigor, chain = record["rigor"], record.get("effective", record["rigor"])
    resting = "" if chain == rigor else f", resting on what is {chain}"
    title = (
        f"{typed(words(record, 'of'))}: {verdict(record['verdict'])} "
        f'<span class="rigor">{text(rigor + resting)}</span>'
    )
    definitions_ = definitions(
        (
            ("Statement", typed(sentence(words(record, "statement")))),
            ("Shown by", typed(witness_text(record["witness"])) if record["witness"] else ""),
            ("Domain", typed(sentence(words(record, "domain")))),
            ("Evidence", typed(sentence(words(record, "evidence")))),
            ("Sharpness", typed(sentence(sharpness(record))) if record["sharpness"] else ""),
            ("Mutant rejected", typed(sentence(words(record, "mutant")))),
            (
                "Proof",
                _written(markup.paper(identifier), record["proof"]) if record["proof"] else "",
            ),
            (
                "Rests on",
                ", ".join(_used(identifier, used) for used in record["uses"]),
            ),
        )
    )
    kind = "corrected" if record["of"].startswith("corrected") else record["of"].split(":")[0]
    proof = _formal(record["formal"]) if record.get("formal") else ""
    body = f"<h2>{title}</h2>\n{definitions_}{proof}"
    return f'<section class="record record-{kind}">\n{body}\n</section>'


def _used(identifier: str, used: str) -> str:
    """The record on which one of this claim rests, by its claim and by what it is of."""
    claim, _, of = used.partition(": ")
    if claim == identifier:
        return f"this claim ({typed(of or 'printed')})"
    return link(claim, base=BASE) + (f" ({typed(of)})" if of else "")


def _written(paper: str, heading: str) -> str:
    """The proof that is written out by hand, under its heading."""
    return f'<a href="{BASE}{derivations.name(paper, heading)}.html">{text(heading)}</a>'


def _formal(formal: Row) -> str:
    """The formal statement, and below it the file with the argument and the whole proof."""
    rests = ", ".join(f"<code>{escape(name)}</code>" for name in formal["axioms"]) or "no axiom"
    proof = kernel.source(Path(formal["file"]).stem)
    return (
        '<details class="fold formal"><summary><strong>Checked by Coq\'s kernel.</strong> '
        f"<code>{escape(formal['theorem'])}</code>: statement and proof</summary>\n"
        f"<p>The formal statement:</p>\n{_coq(formal['statement'])}\n"
        f"<p>A neighbour, the mutant, is decided by a theorem too:</p>\n{_coq(formal['mutant'])}\n"
        f'<p>It rests on {rests}. <a href="{BASE}proofs.html">How to read it.</a></p>\n'
        f"<p><code>{escape(formal['file'])}</code>:</p>\n{_coq(proof)}\n</details>"
    )


def _coq(words: str) -> str:
    return f'<pre class="coq" tabindex="0">{escape(words)}</pre>'


def _beside(row: Row, names: dict[str, str], version: str) -> str:
    """The check's source, figures, notebook sections, and how to cite."""
    identifier = row["id"]
    lines = []
    check = places.checks().get(identifier)
    if check is not None:
        target = f"{BASE}source/{check.path.removesuffix('.py')}.html#L-{check.line}"
        lines.append(("Check", f'<a href="{target}">{check.path}, line {check.line}</a>'))
        if check.text:
            lines.append(
                ("How", f'<span class="words">{text(" ".join(check.text.split()))}</span>')
            )
        witness = any(record["witness"] for record in row.get("records", ()))
        lines.append(
            ("Command", f"<code>privrl check {identifier}{' --witness' if witness else ''}</code>")
        )
    same = {alias for alias, target in names.items() if target == identifier}
    spoken = {
        section.anchor: section
        for alias in sorted(same)
        for section in places.speaking(alias, names)
    }
    links = [
        f'<a href="{BASE}notebooks/{section.page}.html#{section.anchor}">'
        f"{_title(section.title)}</a>"
        for section in spoken.values()
    ]
    lines.append(("Notebook", _listed(links)))
    figures = [figure for figure in places.figures() if same & set(places.shows(figure, names))]
    lines.append(
        (
            "Figures",
            _listed(
                [
                    f'<a href="{BASE}figures/{figure.id}.html">{text(figure.title)}</a>'
                    for figure in figures
                ]
            ),
        )
    )
    if row["role"] == CLAIM:
        lines.append(("Cite", f"<code>{escape(citation(row, version))}</code>"))
    first = (
        places.picture(figures[0], BASE) if figures and _own(figures[0], identifier, names) else ""
    )
    return definitions(lines, "beside") + first


def _listed(links: Sequence[str]) -> str:
    """Links whose titles are sentences, a line each."""
    if len(links) < 2:
        return "".join(links)
    return f"<ul>{''.join(f'<li>{link_}</li>' for link_ in links)}</ul>"


def _own(figure: places.Figure, identifier: str, names: dict[str, str]) -> bool:
    """Whether the figure is of the claim's paper, and the claim is the first that it names: it is
    shown there only."""
    spoken = places.shows(figure, names)
    return (
        bool(spoken) and names[spoken[0]] == identifier and figure.paper == markup.paper(identifier)
    )


def _title(title: str) -> str:
    return text(title.replace("$", "").replace("\\var", "").replace("\\", ""))


def citation(row: Row, version: str) -> str:
    """The line with which a verdict is cited."""
    return f"{row['id']}: {state(row)} ({', '.join(rigors(row)) or 'no record'}), privrl {version}"


def ledger(rows: Sequence[Row]) -> str:
    """The whole ledger as a table with a filter."""
    order = ([*PAPERS], [*ITEM_KINDS], [*VERDICTS], [*Rigor])
    cells = [_ledger_row(row) for row in rows]
    ledger_lead = (
        "Choose, or type the number of a claim, or words and symbols of a statement, a domain, an "
        "evidence or a mutant (chi-square, upper tail, epsilon, sqrt); all of them must be "
        "found. The address keeps the choice."
    )
    links = (
        '<a href="reading.html">How to read a verdict.</a> '
        'For programs: <a href="ledger.json">ledger.json</a>.'
    )
    lead = f'<p><span class="screen">{text(ledger_lead)}</span> {links}</p>'
    columns = ("item", "paper", "kind", "verdict", "rigor", "statement")
    fields = dict(zip(("paper", "kind", "verdict", "rigor"), order, strict=True))
    table = markup.filtered(
        "Every numbered item of the four papers", fields, columns, cells, "number or words"
    )
    return f":hide-toc:\n{markup.heading('The ledger')}{markup.raw(lead)}{markup.raw(table)}"


def _ledger_row(row: Row) -> tuple[dict[str, str], list[str]]:
    names = [
        called
        for identifier in (row["id"], *row["aliases"])
        for called in (identifier, markup.anchor(identifier), name(identifier))
    ]
    attributes = {
        "paper": markup.paper(row["id"]),
        "kind": row["kind"],
        "verdict": state(row),
        "rigor": "|".join(rigors(row)),
        "names": "|".join(names).lower(),
        "words": searched([*names, row["where"], *_texts(row)]),
    }
    return attributes, [
        link(row["id"]),
        attributes["paper"],
        row["kind"],
        _label(row),
        ", ".join(rigors(row)),
        text(words(row, "statement")),
    ]


def _texts(row: Row) -> list[str]:
    """What the filter searches of a row: its words as they are read and its formulas as typed."""
    of_record = ("of", "statement", "domain", "evidence", "mutant")
    texts: list[tuple[Row, tuple[str, ...]]] = [(row, ("label", "statement", "short"))]
    texts += [(record, of_record) for record in row.get("records", ())]
    return [
        str(words)
        for source, fields in texts
        for field in fields
        for words in (source.get(field), source.get("latex", {}).get(field))
        if words
    ]


SPOKEN = {  # what a reader may call a sign
    r"chi-square|\\chi\^2": "chi-square chi-squared chi square χ² \\chi^2",
    r"\bN\(|\\mathcal\{?N": "normal Gaussian",
    r"\|\||\\[lr]Vert|\\\|": "norm",
    r"\\sqrt|\bsqrt": "square root",
    r"\\Pr\b|\bPr?\(": "probability",
    r"\\mathbb\{?E|\bE\[": "expectation",
    r"<=|\\le": "at most ≤",
    r">=|\\ge": "at least ≥",
}


def searched(texts: Sequence[str]) -> str:
    """Texts as the filter searches them: in small letters, with the names of signs and the signs of
    Greek names."""
    words = " ".join(" ".join(texts).split())
    spoken = [said for sign, said in SPOKEN.items() if re.search(sign, words)]
    greek = sorted(set(typed_letters(words)) - set(words))
    return " ".join([words, *spoken, *greek]).lower()
