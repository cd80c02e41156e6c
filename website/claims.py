"""A page per paper with an anchor per claim, and the ledger as one table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import Any

from theory.ledger import FACTS, tally
from theory.numbering import CLAIM, KINDS
from website import figure_list, markup, places
from website.markup import definitions, link, name, rigors, sentence, table, text, verdict

Row = dict[str, Any]
RIGORS = ("proved", "certified", "exact", "counterexample", "statistical", "cited")


def of_paper(rows: Sequence[Row], paper: str) -> list[Row]:
    """A paper's rows in the paper's order."""
    return [row for row in rows if markup.paper(row["id"]) == paper]


def known(rows: Sequence[Row]) -> dict[str, str]:
    """Every id and alias with the id under which it stands."""
    return {alias: row["id"] for row in rows for alias in (row["id"], *row["aliases"])}


def state(row: Row) -> str:
    """The verdict, or for what is no claim how it is used."""
    return str(row["verdict"] if row["role"] == CLAIM else row["status"])


# ---- a page per paper ------------------------------------------------------------------------------------------------


def page(rows: Sequence[Row], paper: str, citation: str, version: str) -> str:
    """All numbered items of a paper, each with its records."""
    own = of_paper(rows, paper)
    counts = ", ".join(f"{number} {words}" for words, number in tally(rows, paper).items() if number)
    notebook = FACTS[paper]["notebook"].removesuffix(".ipynb")
    parts = [markup.heading(f"{paper}: {FACTS[paper]['algorithm']}")]
    parts.append(markup.raw(
        f"<p>{text(citation)}</p>\n<p>{sum(row['role'] == CLAIM for row in own)} claims: {text(counts)}. "
        f'<a href="../{notebook}.html">The notebook</a> runs the algorithm and the checks; '
        '<a href="../reading.html">how to read a verdict</a>.</p>'
    ))  # fmt: skip
    parts.append(markup.raw(_index(own)))
    names = known(rows)
    parts += [_item(row, names, version) for row in own]
    return "".join(parts)


def _index(own: Sequence[Row]) -> str:
    cells = [(f'<a href="#{markup.anchor(row["id"])}">{text(name(row["id"]))}</a>', _label(row), text(row["statement"]))
             for row in own]
    return table("Numbered items in the order of the paper", ["item", "verdict", "statement"], cells, 'class="index"')


def _label(row: Row) -> str:
    return verdict(state(row)) if row["role"] == CLAIM else f'<span class="status">{text(state(row))}</span>'


def _item(row: Row, names: dict[str, str], version: str) -> str:
    identifier = row["id"]
    also = "".join(f'<span id="{markup.attribute(markup.anchor(alias))}"></span>' for alias in row["aliases"])
    lines = [f'<p class="claim-line">{_label(row)} <code>{identifier}</code>, {text(row["where"])}{also}</p>']
    lines.append(f'<p class="statement">{text(sentence(row["statement"]))}</p>')
    if row["aliases"]:
        others = ", ".join(text(name(alias)) for alias in row["aliases"])
        lines.append(f"<p>Also, or with a step of its proof, as: {others}.</p>")
    lines += [_record(record) for record in row.get("records", ())]
    lines.append(_beside(row, names, version))
    return markup.heading(name(identifier), "-") + markup.raw("\n".join(lines))


def _record(record: Row) -> str:
    title = f'{text(record["of"])}: {verdict(record["verdict"])} <span class="rigor">{text(record["rigor"])}</span>'
    sharp = "" if record["sharpness"] is None else f"{record['sharpness']:g}"
    said = definitions((
        ("Decided", text(sentence(record["statement"]))),
        ("Domain", text(sentence(record["domain"]))),
        ("Evidence", text(sentence(record["evidence"]))),
        ("Sharpness", f"{sharp}: the smallest factor on the constant that the check still accepts." if sharp else ""),
        ("Mutant rejected", text(sentence(record["mutant"]))),
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
    same = {alias for alias, own in names.items() if own == identifier}
    told = {section.anchor: section for alias in sorted(same) for section in places.speaking(alias, names)}
    links = ", ".join(f'<a href="../notebooks/{section.page}.html#{section.anchor}">{_title(section.title)}</a>'
                      for section in told.values())
    lines.append(("Notebook", links))
    shown = [figure for figure in figure_list.figures() if same & set(figure_list.shows(figure, names))]
    lines.append(("Figures", ", ".join(f'<a href="../figures.html#{figure.id}">{text(figure.title)}</a>'
                                       for figure in shown)))
    if row["role"] == CLAIM:
        lines.append(("Cite", f"<code>{escape(citation(row, version))}</code>"))
    first = figure_list.picture(shown[0], "../") if shown and _own(shown[0], identifier, names) else ""
    return definitions(lines, "beside") + first


def _own(figure: figure_list.Figure, identifier: str, names: dict[str, str]) -> bool:
    """Whether the figure is of the claim's paper, and the claim is the first that it names: it is shown there only."""
    spoken = figure_list.shows(figure, names)
    return bool(spoken) and names[spoken[0]] == identifier and figure.paper == markup.paper(identifier)


def _title(title: str) -> str:
    return text(title.replace("$", "").replace("\\var", "").replace("\\", ""))


def citation(row: Row, version: str) -> str:
    """The line with which a verdict is cited."""
    return f"{row['id']}: {row['verdict']} ({', '.join(rigors(row)) or 'no record'}), privrl {version}"


# ---- the ledger ------------------------------------------------------------------------------------------------------


def ledger(rows: Sequence[Row]) -> str:
    """The whole ledger as a table that a script filters; without the script all of it is there."""
    papers = list(dict.fromkeys(markup.paper(row["id"]) for row in rows))
    verdicts = [words for words in ("holds", "holds corrected", "fails", "unspecified", "vacuous", "open", "used",
                                    "reproduced") if any(state(row) == words for row in rows)]  # fmt: skip
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    fields = [_select("paper", papers), _select("kind", kinds), _select("verdict", verdicts)]
    fields.append(_select("rigor", [rigor for rigor in RIGORS if any(rigor in rigors(row) for row in rows)]))
    form = (
        '<form class="filter" role="search" aria-label="Filter the ledger" hidden>\n' + "\n".join(fields) +
        '\n<p><label for="filter-words">words</label>'
        '<input id="filter-words" name="words" type="search" autocomplete="off" spellcheck="false"></p>\n'
        '<p><button type="reset">Show all</button></p>\n</form>\n'
        f'<p class="count" role="status" aria-live="polite">{len(rows)} items.</p>'
    )  # fmt: skip
    columns = ("item", "paper", "kind", "verdict", "rigor", "statement")
    head = "".join(f'<th scope="col" role="columnheader">{column}</th>' for column in columns)
    body = "\n".join(_ledger_row(row) for row in rows)
    whole = (
        '<div class="wide ledger" tabindex="0" role="region" aria-label="The ledger">\n'
        '<table id="ledger" role="table">\n'
        "<caption>Every numbered item of the four papers</caption>\n"
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{body}\n</tbody>\n</table>\n</div>\n'
        '<script src="_static/ledger.js"></script>'
    )
    words = (
        "Choose, or type words that stand in a statement, a domain, an evidence or a mutant; all of them must be "
        "found. The address keeps the choice."
    )
    links = '<a href="reading.html">How to read a verdict.</a> For programs: <a href="ledger.json">ledger.json</a>.'
    lead = f'<p><span class="screen">{text(words)}</span> {links}</p>'
    return f":hide-toc:\n{markup.heading('The ledger')}{markup.raw(lead)}" + markup.raw(
        f"{form}\n{whole}")


def _select(field: str, options: Collection[str]) -> str:
    chosen = "".join(f'<option value="{option}">{option}</option>' for option in options)
    return (f'<p><label for="filter-{field}">{field}</label><select id="filter-{field}" name="{field}">'
            f'<option value="">all</option>{chosen}</select></p>')  # fmt: skip


def _ledger_row(row: Row) -> str:
    searched = [row["id"], name(row["id"]), row["where"], *row["aliases"]]
    for record in row.get("records", ()):
        searched += [record[key] for key in ("of", "statement", "domain", "evidence", "mutant")]
    data = {"paper": markup.paper(row["id"]), "kind": row["kind"], "verdict": state(row),
            "rigor": " ".join(rigors(row)), "words": " ".join(searched).lower()}  # fmt: skip
    given = " ".join(f'data-{key}="{markup.attribute(value)}"' for key, value in data.items())
    cells = "".join(f'<td role="cell">{cell}</td>' for cell in (
        data["paper"], row["kind"], _label(row), ", ".join(rigors(row)), text(row["statement"])))
    return f'<tr role="row" {given}><th scope="row" role="rowheader">{link(row["id"])}</th>{cells}</tr>'
