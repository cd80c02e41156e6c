"""What must hold of every page of the built site, read from the files alone; one sentence for each
fault.

Links and anchors lead somewhere, pictures have words, controls labels, header cells a scope, no
page is big, and no Markdown is left in the text.
"""

import html
import re
from collections import Counter
from collections.abc import Collection, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from theory.typed import STRESSED

LARGEST = 2_000_000  # bytes of a page
LOADED = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("source", "src"),
    ("iframe", "src"),
    ("object", "data"),
}
VERBATIM = ("code", "pre", "script", "style", "textarea")
VOID = ("br", "col", "hr", "img", "input", "link", "meta", "source", "wbr")
# stress, rows of a table, bold, code, powers and roots as typed, TeX that no script has found; a
# browser reads it too
MARKDOWN = re.compile(
    STRESSED
    + r"|\|\s*:?-{3,}|\s\|\s[^|\n]*\s\|\s|(?<![\w)*])\*\*(?=[A-Za-z])"
    + r"|`|\^|\bsqrt\(|\\[A-Za-z(\[]|\$\w"
)
MATH = re.compile(r'class="[^"]*\bmath\b[^"]*"[^>]*>([^<]*)<')
COMMANDS = re.compile(
    r"\\(?:mathrm|text|operatorname|mathbf|mathit|begin|end)\*?\s*\{[^{}]*\}|\\[A-Za-z]+"
)
# a word in a formula: a command that has lost its backslash
LOST = re.compile(r"[A-Za-z]*[a-z]{4,}|[lr]?[vV]ert")
CONTROLS = ("input", "select", "textarea")


class Page(HTMLParser):
    """What one page holds: ids, links that are followed, what is loaded with it, faults seen while
    reading."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.faults: list[str] = []
        self.labels: set[str] = set()
        self.controls: list[dict[str, str]] = []
        self.words: list[str] = []
        self.verbatim: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        kinds = attributes.get("class", "").split()
        if tag not in VOID and (
            self.verbatim or tag in VERBATIM or "math" in kinds or "sig" in kinds
        ):
            self.verbatim.append(tag)
        self.ids.update(
            {attributes.get("id", ""), attributes.get("name", "") if tag == "a" else ""} - {""}
        )
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        self.loaded += [
            attributes[key] for known, key in LOADED if known == tag and attributes.get(key)
        ]
        if (
            tag == "img"
            and not attributes.get("alt", "").strip()
            and attributes.get("role") != "presentation"
        ):
            self.faults.append(f"a picture without words: {attributes.get('src', '')[-60:]}")
        if tag == "th" and "scope" not in attributes and "head" not in attributes.get("class", ""):
            self.faults.append("a header cell without scope")
        if tag == "label" and attributes.get("for"):
            self.labels.add(attributes["for"])
        if tag in CONTROLS and attributes.get("type") not in (
            "hidden",
            "checkbox",
            "submit",
            "button",
        ):
            self.controls.append(attributes)
        if tag == "html" and not attributes.get("lang"):
            self.faults.append("no language")

    def handle_endtag(self, tag: str) -> None:
        if self.verbatim and self.verbatim[-1] == tag:
            self.verbatim.pop()

    def handle_data(self, data: str) -> None:
        if not self.verbatim and data.strip():
            self.words.append(data)


def read(path: Path) -> Page:
    """One page."""
    page, content = Page(), path.read_text(encoding="utf-8")
    page.feed(content)
    for formula in MATH.findall(content):
        lost = LOST.findall(COMMANDS.sub(" ", html.unescape(formula)))
        page.faults += [f"a command without its backslash: {word}" for word in lost]
    bare = [
        control
        for control in page.controls
        if control.get("id") not in page.labels and "aria-label" not in control
    ]
    page.faults += [
        f"a control without a label: {control.get('id') or control.get('name')}" for control in bare
    ]
    return page


def faults(folder: Path, absent: Collection[Path] = ()) -> list[str]:
    """Every fault of the site in the folder, a sentence each; links to ``absent`` pages, which this
    build leaves out, are not followed."""
    pages = {path: read(path) for path in sorted(folder.rglob("*.html"))}
    return [
        f"{path.relative_to(folder).as_posix()}: {fault}"
        for path, page in pages.items()
        for fault in _of(path, page, pages, folder, absent)
    ]


def _of(
    path: Path, page: Page, pages: dict[Path, Page], folder: Path, absent: Collection[Path]
) -> Iterator[str]:
    yield from dict.fromkeys(page.faults)
    size = path.stat().st_size
    if size > LARGEST:
        yield f"{size} bytes, more than {LARGEST}"
    for words in page.words:
        if found_at := MARKDOWN.search(words):
            around = words[max(0, found_at.start() - 30) : found_at.end() + 30]
            yield f"Markdown in the text: {around.strip()!r}"
    yield from (
        f"an id that stands twice: {name}"
        for name, number in sorted(page.ids.items())
        if number > 1
    )
    for link in sorted(set(page.links)):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue  # followed by a reader who wants to, never loaded
        if not _leads_to(link, path, absent):
            yield from _target(link, path, pages, folder)
    for link in sorted(set(page.loaded)):
        parts = urlsplit(link)
        if parts.netloc or parts.scheme not in ("", "data"):
            yield f"loaded from elsewhere: {link}"
        elif not parts.scheme:
            yield from _target(link, path, pages, folder)


def _leads_to(link: str, path: Path, pages: Collection[Path]) -> bool:
    return bool(pages) and (path.parent / unquote(urlsplit(link).path)).resolve() in pages


def _target(link: str, path: Path, pages: dict[Path, Page], folder: Path) -> Iterator[str]:
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        yield f"a link to a folder: {link}"
    elif not target.is_relative_to(folder) or not target.is_file():
        yield f"a link that leads nowhere: {link}"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        yield f"an anchor that is not there: {link}"
