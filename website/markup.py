"""Text into HTML and reStructuredText, and the names under which claims stand on a page."""

import functools
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from theory.errata import outside
from theory.ledger_markdown import sentence as begun
from theory.numbering import called, items
from theory.typed import STRESSED, broken, powers, signs

_CODE = re.compile(r"``?([^`]+)``?")
_ASCII = re.compile(r"([!-/:-@\[-`{-~])")
_MATH = re.compile(r"\$([^$]+)\$")
_TAG = re.compile(r"(<[^>]+>)")
_NUMBER = re.compile(r"(?<![\w.,#&-])(\d+(?:\.\d+)?)(?:e([+-]?\d+))?(?!\w|\.\d|,\d{3})")
_LONG = re.compile(r"(?<![\d.}])\d{5,}(?![\d.])")
# a listing without a language that begins with a command: its head, its words as Sphinx marks them
_LISTING = re.compile(
    r'(<div class="highlight-default notranslate"><div class="highlight"><pre>)'
    r"((?:<[^>]*>)*(?:make|pip|privrl|pytest|python)(?:<[^>]*>)* .*?)(?=</pre>)",
    re.DOTALL,
)
GROUPED = 5  # digits from which on thousands are set apart; a year has four
BILLION = 9  # digits after the first from which on a number is told by a power of ten
SourceRow = Mapping[str, object]


def text(words: str) -> str:
    """Words as HTML: escaped, `...` as code, formulas between dollar signs for MathJax, other
    powers raised."""
    escaped = powers(outside(html.escape(words, quote=False), numbers))
    typeset = re.sub(STRESSED, r"<em>\1</em>", escaped)
    typeset = _CODE.sub(r"<code>\1</code>", typeset)
    return _MATH.sub(_formula, broken(typeset))


def _formula(match: re.Match[str]) -> str:
    """A formula for MathJax, its numbers in the style of the words: 100,000."""
    tex = re.sub(r"(?<=\d)\\,(?=\d{3})", "{,}", match[1])
    tex = _LONG.sub(lambda digits: f"{int(digits[0]):,}".replace(",", "{,}"), tex)
    return f'<span class="math notranslate nohighlight">\\({tex}\\)</span>'


def whole(code: str) -> str:
    """Code, as HTML, whose words with a hyphen, slash, point or bracket stay in one line: a browser
    would break it there."""
    words = r"[^\s\"'(),]*[-/.\[][^\s\"'(),]*"
    return re.sub(words, r'<span class="whole">\g<0></span>', code)


def whole_code(content: str) -> str:
    """HTML with :func:`whole` in all of its code."""
    return re.sub("(?<=<code>).*?(?=</code>)", lambda code: whole(code[0]), content)


def whole_commands(page: str) -> str:
    """A page as Sphinx makes it, no option of its commands broken: a browser would end a line
    after each hyphen of ``--delta``. Listings of commands, which it colours as Python, are plain.
    """
    options = page.replace('<span class="pre">-', '<span class="pre whole">-')
    return re.sub(_LISTING, lambda code: code[1] + whole(re.sub("<[^>]*>", "", code[2])), options)


def alone(page: str) -> str:
    """A page as Sphinx makes it, the pictures of its cells leading to themselves: a phone shows
    them small, and one that stands alone can be enlarged."""
    return re.sub(
        r'<img [^>]*src="([^"]*_images/[^"]*)"[^>]*>', r'<a class="alone" href="\1">\g<0></a>', page
    )


def typed(words: str) -> str:
    """:func:`text` with the signs that names stand for (ε, ≤, ‖x‖), but in formulas and code."""
    pieces = re.split(r'(<span class="math .*?</span>|<code>.*?</code>)', text(words))
    return "".join(signs(piece) if at % 2 == 0 else piece for at, piece in enumerate(pieces))


def numbers(words: str) -> str:
    """Words, as HTML, with their numbers in one style: 10,000 and 437,000 (of 4.37e+05), and from a
    billion on 1.6 · 10^12."""
    pieces = _TAG.split(words)
    return "".join(
        _NUMBER.sub(_number, piece) if at % 2 == 0 else piece for at, piece in enumerate(pieces)
    )


def _number(match: re.Match[str]) -> str:
    digits, exponent = match[1], int(match[2] or 0)
    if match[2] is None:
        integer, point, decimals = digits.partition(".")
        if len(integer) < GROUPED or integer.startswith("0"):
            return digits
        return f"{int(integer):,}{point}{decimals}"
    value = Decimal(digits).scaleb(exponent)
    if 0 <= exponent < BILLION and value == int(value):
        return f"{int(value):,}" if value >= 10 ** (GROUPED - 1) else str(int(value))
    power = f"10<sup>{exponent}</sup>"
    return power if digits == "1" else f"{digits} · {power}"


RAISED = str.maketrans("0123456789-/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ")


def plain(words: str) -> str:
    """:func:`numbers` without tags: 10⁻⁶."""
    raised = re.sub(r"<sup>(.*?)</sup>", lambda power: power[1].translate(RAISED), numbers(words))
    return re.sub(r"<[^>]*>", "", raised)


def attribute(words: str) -> str:
    """Words inside double quotes."""
    return html.escape(" ".join(words.split()), quote=True)


def rst(words: str) -> str:
    """Words as reStructuredText that says just these words: every ASCII sign that is no letter or
    digit is escaped."""
    return _ASCII.sub(r"\\\1", " ".join(words.split()))


def raw(content: str) -> str:
    """HTML inside a reStructuredText page."""
    lines = "\n".join(
        f"   {line}" if line.strip() else "" for line in content.strip("\n").splitlines()
    )
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
    """What a person calls an item, of which this is the id or an alias: 'Lemma 8', 'The display of
    E_epsilon'."""
    return labels().get(identifier) or called(anchor(identifier))


@functools.cache
def canonical() -> dict[str, str]:
    """The id of every item by its id and by each alias."""
    return {called_: item.id for item in items() for called_ in (item.id, *item.aliases)}


@functools.cache
def labels() -> dict[str, str]:
    """The label of every item by its id."""
    return {item.id: item.label for item in items()}


def link(identifier: str, words: str = "", base: str = "") -> str:
    """An HTML link to a claim, from a page from which ``base`` leads to the site's root."""
    target = f"{base}claims/{canonical().get(identifier, identifier)}.html"
    return f'<a href="{attribute(target)}">{text(words or name(identifier))}</a>'


def verdict(words: str) -> str:
    """A verdict as a label; the colour repeats what the words say."""
    kind = attribute(words.split(":", maxsplit=1)[0])
    return f'<span class="verdict verdict-{kind}">{text(words)}</span>'


def rigors(row: SourceRow) -> list[str]:
    """The rigors of a row's records, each once, in their order."""
    records = row.get("records", ())
    assert isinstance(records, Sequence)
    return list(dict.fromkeys(record["rigor"] for record in records))


def table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], attributes: str = ""
) -> str:
    """A table whose cells are HTML; the first cell of a row is its header."""
    # roles as in a filtered table, since a list of claims is cards on a phone too
    head = "".join(f'<th scope="col" role="columnheader">{text(one)}</th>' for one in columns)
    lines = []
    for first, *others in rows:
        cells = "".join(f'<td role="cell">{cell}</td>' for cell in others)
        header = f'<th scope="row" role="rowheader">{first}</th>'
        lines.append(f'<tr role="row">{header}{cells}</tr>')
    body = "\n".join(lines)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{attribute(caption)}">\n'
        f'<table role="table" {attributes}>\n<caption>{text(caption)}</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{body}\n</tbody>\n</table>\n</div>'
    )


def filtered(
    caption: str,
    fields: Mapping[str, Sequence[str]],
    columns: Sequence[str],
    rows: Sequence[tuple[Mapping[str, str], Sequence[str]]],
    words: str = "",
) -> str:
    """A table with a form whose fields choose among its rows; without the script every row is
    there.

    Parameters
    ----------
    fields : the choices, each with its options in an order; those that no row has are left out,
        others come last
    words : the label of a search field, if there is one
    rows : what is filtered, "|" between several values of a field; the cells as HTML, the first a
        header
    """
    form = ""
    for field, order in fields.items():
        values = dict.fromkeys(
            value for attributes, _ in rows for value in attributes[field].split("|") if value
        )
        options = dict.fromkeys([*(option for option in order if option in values), *values])
        chosen = "".join(
            f'<option value="{option}">{numbers(option)}</option>' for option in options
        )
        form += (
            f'<p><label for="filter-{field}">{field}</label><select id="filter-{field}" '
            f'name="{field}"><option value="">all</option>{chosen}</select></p>\n'
        )
    if words:
        form += (
            f'<p><label for="filter-words">{words}</label><input id="filter-words" '
            f'name="words" type="search" '
            'autocomplete="off" spellcheck="false"></p>'
        )
    # roles, since on a phone a row is a card, and a table whose display is another is none for a
    # screen reader
    head = "".join(f'<th scope="col" role="columnheader">{column}</th>' for column in columns)
    body = []
    for attributes, (first, *others) in rows:
        data_attributes = " ".join(
            f'data-{key}="{attribute(value)}"' for key, value in attributes.items()
        )
        cells = "".join(
            f'<td role="cell" data-label="{column}">{cell}</td>'
            for column, cell in zip(columns[1:], others, strict=True)
        )
        body.append(
            f'<tr role="row" {data_attributes}><th scope="row" '
            f'role="rowheader">{first}</th>{cells}</tr>'
        )
    lines = "\n".join(body)
    return (
        f'<form class="filter" role="search" aria-label="Filter the table" hidden>\n{form}'
        '<p><button type="reset">Show all</button></p>\n</form>\n'
        f'<p class="count" role="status" aria-live="polite">{len(rows)} rows.</p>\n'
        f'<div class="wide" tabindex="0" role="region" aria-label="{attribute(caption)}">\n'
        f'<table class="filtered" role="table">\n<caption>{text(caption)}</caption>\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{lines}\n</tbody>\n</table>\n</div>\n<script '
        f'src="_static/filter.js"></script>'
    )


def definitions(pairs: Iterable[tuple[str, str]], kind: str = "said") -> str:
    """A description list; the descriptions are HTML, empty ones are left out."""
    rows = "".join(
        f"<dt>{text(term)}</dt><dd>{definition}</dd>\n" for term, definition in pairs if definition
    )
    return f'<dl class="{kind}">\n{rows}</dl>'


def sentence(words: str) -> str:
    """Words that begin as a sentence does and end with one full stop."""
    stripped = begun(words.strip())
    return stripped if not stripped or stripped[-1] in ".?!" else f"{stripped}."
