"""Text into HTML and reStructuredText, and the names under which claims stand on a page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence

_CODE = re.compile(r"`([^`]+)`")
_ASCII = re.compile(r"([!-/:-@\[-`{-~])")
_NUMBER = re.compile(r"[A-Z]?\.?\d[\w.]*")
Row = Mapping[str, object]


def text(words: str) -> str:
    """Words as HTML: escaped, with `...` as code."""
    return _CODE.sub(r"<code>\1</code>", html.escape(words, quote=False))


def attribute(words: str) -> str:
    """Words inside double quotes."""
    return html.escape(" ".join(words.split()), quote=True)


def rst(words: str) -> str:
    """Words as reStructuredText that says just these words: every ASCII sign that is no letter or digit is escaped."""
    return _ASCII.sub(r"\\\1", " ".join(words.split()))


def raw(content: str) -> str:
    """HTML inside a reStructuredText page."""
    lines = "\n".join(f"   {line}" if line.strip() else "" for line in content.strip("\n").splitlines())
    return f"\n.. raw:: html\n\n{lines}\n\n"


def heading(title: str, underline: str = "=") -> str:
    """A title in reStructuredText."""
    words = rst(title)
    return f"\n{words}\n{underline * max(len(words), 3)}\n"


def anchor(identifier: str) -> str:
    """What stands after the # for a claim: ``lemma-8`` of ``vietri2020/lemma-8``."""
    return identifier.split("/", 1)[1]


def paper(identifier: str) -> str:
    """``vietri2020`` of ``vietri2020/lemma-8``."""
    return identifier.split("/", 1)[0]


def name(identifier: str) -> str:
    """How a claim is called in a text: 'Lemma 8', 'Equation e epsilon', 'Adaptivity'."""
    kind, _, rest = anchor(identifier).partition("-")
    if rest and not _NUMBER.fullmatch(rest):
        rest = rest.replace("-", " ")
    return f"{kind.capitalize()} {rest}".strip()


def link(identifier: str, words: str = "", base: str = "") -> str:
    """An HTML link to a claim, from a page from which ``base`` leads to the site's root."""
    target = f"{base}claims/{paper(identifier)}.html#{anchor(identifier)}"
    return f'<a href="{attribute(target)}">{text(words or name(identifier))}</a>'


def verdict(words: str) -> str:
    """A verdict as a label; the colour repeats what the words say."""
    return f'<span class="verdict verdict-{attribute(words.replace(" ", "-"))}">{text(words)}</span>'


def rigors(row: Row) -> list[str]:
    """The rigors of a row's records, each once, in their order."""
    records = row.get("records", ())
    assert isinstance(records, Sequence)
    return list(dict.fromkeys(record["rigor"] for record in records))


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], attributes: str = "") -> str:
    """A table whose cells are HTML; the first cell of a row is its header."""
    head = "".join(f'<th scope="col">{text(column)}</th>' for column in columns)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    body = "\n".join(lines)
    return (f'<div class="wide" tabindex="0" role="region" aria-label="{attribute(caption)}">\n'
            f"<table {attributes}>\n<caption>{text(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>\n</div>")  # fmt: skip


def definitions(pairs: Iterable[tuple[str, str]], kind: str = "said") -> str:
    """A description list; the descriptions are HTML, empty ones are left out."""
    rows = "".join(f"<dt>{text(term)}</dt><dd>{said}</dd>\n" for term, said in pairs if said)
    return f'<dl class="{kind}">\n{rows}</dl>'


def sentence(words: str) -> str:
    """Words that end with one full stop."""
    stripped = words.strip()
    return stripped if not stripped or stripped[-1] in ".?!" else f"{stripped}."
