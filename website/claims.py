"""A page per paper with an anchor per claim, and the ledger as one table."""

import tomllib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from theory import errata, numbering
from theory.claim import Rigor
from theory.ledger import PAPERS, VERDICTS, state, tally, witness_text, words
from theory.numbering import CLAIM, KINDS
from website import markup, places
from website.markup import definitions, link, name, rigors, sentence, table, text, typed, verdict

Row = dict[str, Any]
SYMBOLS = tomllib.loads(Path(__file__).with_name("symbols.toml").read_text(encoding="utf-8"))


def of_paper(rows: Sequence[Row], paper: str) -> list[Row]:
    """A paper's rows in the paper's order."""
    return [row for row in rows if markup.paper(row["id"]) == paper]


def known(rows: Sequence[Row]) -> dict[str, str]:
    """Every id and alias with the id under which it stands."""
    return {alias: row["id"] for row in rows for alias in (row["id"], *row["aliases"])}


def page(rows: Sequence[Row], paper: str, citation: str, version: str) -> str:
    """All numbered items of a paper, each with its records."""
    own = of_paper(rows, paper)
    counts = ", ".join(f"{number} {name}" for name, number in tally(rows, paper).items() if number)
    notebook = f"notebooks/{numbering.load()[paper].notebook}"
    parts = [markup.heading(f"{paper}: {numbering.load()[paper].algorithm}")]
    parts.append(markup.raw(
        f"<p>{text(citation)}</p>\n<p>{sum(row['role'] == CLAIM for row in own)} claims: {text(counts)}. "
        f'<a href="../{notebook}.html">The notebook</a> runs the algorithm and the checks; '
        '<a href="../reading.html">how to read a verdict</a>.</p>'
    ))  # fmt: skip
    listed = definitions(((symbol, text(means)) for symbol, means in SYMBOLS.get(paper, {}).items()), "beside")
    listed = f'<details class="fold"><summary>Symbols</summary>\n<div id="symbols">{listed}</div></details>'
    parts.append(markup.raw(listed))
    parts.append(markup.raw(_index(own)))
    names = known(rows)
    parts += [_item(row, names, version) for row in own]
    return "".join(parts)


def _index(own: Sequence[Row]) -> str:
    cells = [(f'<a href="#{markup.anchor(row["id"])}">{text(name(row["id"]))}</a>', _label(row),
              text(words(row, "statement"))) for row in own]
    return table("Numbered items in the order of the paper", ["item", "verdict", "statement"], cells, 'class="index"')


def _label(row: Row) -> str:
    return verdict(state(row)) if row["role"] == CLAIM else f'<span class="status">{text(row["status"])}</span>'


def _item(row: Row, names: dict[str, str], version: str) -> str:
    identifier = row["id"]
    also = "".join(f'<span id="{markup.attribute(markup.anchor(alias))}"></span>' for alias in row["aliases"])
    lines = [f'<p class="claim-line">{_label(row)} <code>{identifier}</code>, {text(row["where"])}{also}</p>']
    if row.get("short"):
        lines.append(f'<p class="short"><strong>In short.</strong> {text(words(row, "short"))}</p>')
    lines.append(f'<p class="statement">{text(sentence(words(row, "statement")))}</p>')
    if row.get("cause"):
        erratum = errata.of_claim(*identifier.split("/"))
        assert erratum is not None  # the ledger has the cause from there
        lines.append(f"<p><strong>Cause.</strong> {typed(sentence(erratum.title))} <strong>In practice.</strong> "
                     f"{typed(sentence(erratum.practice))}</p>")
    if row["aliases"]:
        others = ", ".join(text(name(alias)) for alias in row["aliases"])
        lines.append(f"<p>Also, or with a step of its proof, as: {others}.</p>")
    records = row.get("records", ())
    lines += [_record(record) for record in records if not _folded(record)]
    if more := [record for record in records if _folded(record)]:
        lines.append(f'<details class="fold"><summary>{_more(more)}</summary>')
        lines += [*(_record(record) for record in more), "</details>"]
    lines.append(_beside(row, names, version))
    return markup.heading(name(identifier), "-") + markup.raw("\n".join(lines))


def _folded(record: Row) -> bool:
    """Whether it is of a step or of another reading, which do not set the verdict."""
    return str(record["of"]).startswith(("step", "reading"))


def _more(records: Sequence[Row]) -> str:
    said = ", ".join(f"{typed(words(record, 'of').removeprefix('step: '))} {record['verdict']}" for record in records)
    return f"<strong>Steps and other readings ({len(records)}).</strong> {said}"


def _record(record: Row) -> str:
    rigor, chain = record["rigor"], record.get("effective", record["rigor"])
    resting = "" if chain == rigor else f", resting on what is {chain}"
    title = (f'{typed(words(record, "of"))}: {verdict(record["verdict"])} '
             f'<span class="rigor">{text(rigor + resting)}</span>')
    sharp = "" if record["sharpness"] is None else f"{record['sharpness']:g}"
    said = definitions((
        ("Statement", typed(sentence(words(record, "statement")))),
        ("Shown by", typed(witness_text(record["witness"])) if record["witness"] else ""),
        ("Domain", typed(sentence(words(record, "domain")))),
        ("Evidence", typed(sentence(words(record, "evidence")))),
        ("Sharpness", f"{sharp} of the bound is the least that the check still accepts." if sharp else ""),
        ("Mutant rejected", typed(sentence(words(record, "mutant")))),
        ("Rests on", ", ".join(link(one.split(": ")[0], base="../") for one in record["uses"])),
    ))  # fmt: skip
    kind = "corrected" if record["of"].startswith("corrected") else record["of"].split(":")[0]
    return f'<section class="record record-{kind}">\n<h3>{title}</h3>\n{said}\n</section>'


def _beside(row: Row, names: dict[str, str], version: str) -> str:
    """The check's source, figures, notebook sections, and how to cite."""
    identifier = row["id"]
    lines = []
    check = places.checks().get(identifier)
    if check is not None:
        target = f"../source/{check.path.removesuffix('.py')}.html#L-{check.line}"
        lines.append(("Check", f'<a href="{target}">{check.path}, line {check.line}</a>'))
        if check.text:
            lines.append(("How", f'<span class="words">{text(" ".join(check.text.split()))}</span>'))
        witness = any(record["witness"] for record in row.get("records", ()))
        lines.append(("Command", f"<code>privrl check {identifier}{' --witness' if witness else ''}</code>"))
    same = {alias for alias, own in names.items() if own == identifier}
    told = {section.anchor: section for alias in sorted(same) for section in places.speaking(alias, names)}
    links = ", ".join(f'<a href="../notebooks/{section.page}.html#{section.anchor}">{_title(section.title)}</a>'
                      for section in told.values())
    lines.append(("Notebook", links))
    shown = [figure for figure in places.figures() if same & set(places.shows(figure, names))]
    lines.append(("Figures", ", ".join(f'<a href="../figures.html#{figure.id}">{text(figure.title)}</a>'
                                       for figure in shown)))
    if row["role"] == CLAIM:
        lines.append(("Symbols", '<a href="#symbols">the letters of this paper</a>'))
        lines.append(("Cite", f"<code>{escape(citation(row, version))}</code>"))
    first = places.picture(shown[0], "../") if shown and _own(shown[0], identifier, names) else ""
    return definitions(lines, "beside") + first


def _own(figure: places.Figure, identifier: str, names: dict[str, str]) -> bool:
    """Whether the figure is of the claim's paper, and the claim is the first that it names: it is shown there only."""
    spoken = places.shows(figure, names)
    return bool(spoken) and names[spoken[0]] == identifier and figure.paper == markup.paper(identifier)


def _title(title: str) -> str:
    return text(title.replace("$", "").replace("\\var", "").replace("\\", ""))


def citation(row: Row, version: str) -> str:
    """The line with which a verdict is cited."""
    return f"{row['id']}: {state(row)} ({', '.join(rigors(row)) or 'no record'}), privrl {version}"


def ledger(rows: Sequence[Row]) -> str:
    """The whole ledger as a table with a filter."""
    order = ([*PAPERS], [*KINDS], [*VERDICTS], [*Rigor])
    made = [_ledger_row(row) for row in rows]
    told = (
        "Choose, or type the number of a claim, or words that stand in a statement, a domain, an evidence or a mutant; "
        "all of them must be found. The address keeps the choice."
    )
    links = '<a href="reading.html">How to read a verdict.</a> For programs: <a href="ledger.json">ledger.json</a>.'
    lead = f'<p><span class="screen">{text(told)}</span> {links}</p>'
    columns = ("item", "paper", "kind", "verdict", "rigor", "statement")
    fields = dict(zip(("paper", "kind", "verdict", "rigor"), order, strict=True))
    whole = markup.filtered("Every numbered item of the four papers", fields, columns, made, "number or words")
    return f":hide-toc:\n{markup.heading('The ledger')}{markup.raw(lead)}{markup.raw(whole)}"


def _ledger_row(row: Row) -> tuple[dict[str, str], list[str]]:
    names = [called for one in (row["id"], *row["aliases"]) for called in (one, markup.anchor(one), name(one))]
    searched = [*names, row["where"]]
    for record in row.get("records", ()):
        searched += [record[key] for key in ("of", "statement", "domain", "evidence", "mutant")]
    data = {"paper": markup.paper(row["id"]), "kind": row["kind"], "verdict": state(row),
            "rigor": "|".join(rigors(row)), "names": "|".join(names).lower(),
            "words": " ".join(searched).lower()}  # fmt: skip
    return data, [link(row["id"]), data["paper"], row["kind"], _label(row), ", ".join(rigors(row)),
                  text(words(row, "statement"))]
