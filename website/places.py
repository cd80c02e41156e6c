"""Where things stand: the check of a claim, the figures that show it, the sections of a notebook
that speak of it.

Nothing is listed by hand. A check is found by its ``@claim(id)``; a figure or a section speaks of a
claim where its words name it ("theorems 4 and 6", "lemmas 9 to 13", "zhou2022/lemma-B.4"). The
figures are those of the registry.
"""

import inspect
import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from docutils.nodes import make_id
from PIL import Image

from figures import identifiers, registry
from theory.claim import REGISTRY
from theory.ledger import PAPERS, ROOT, load_checks
from theory.numbering import ITEM_KINDS, load
from website import markup

_NUMBER = r"[A-Z]?\.?\d+(?:\.\d+)?"
_NAMED = re.compile(
    rf"(?:\b(?P<paper>{'|'.join(PAPERS)})/)?\b(?P<kind>{'|'.join(ITEM_KINDS)}|section)s?[ -]"
    rf"(?P<first>{_NUMBER})(?P<more>(?:(?:, and |, | and | to ){_NUMBER}(?![\w%]))*)(?![\d^])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class CheckPlace:
    """Where the check of a claim stands: file below the root, line of its first decorator,
    docstring."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Section:
    """A section of a notebook: the page without suffix, the anchor ("" for the top), the title, its
    words."""

    page: str
    anchor: str
    title: str
    words: str


@cache
def checks() -> dict[str, CheckPlace]:
    """By claim, from the registry of the ledger."""
    load_checks()
    functions = {identifier: inspect.unwrap(check) for identifier, check in REGISTRY.items()}
    return {
        identifier: CheckPlace(
            Path(inspect.getfile(check)).relative_to(ROOT).as_posix(),
            check.__code__.co_firstlineno,
            inspect.getdoc(check) or "",
        )
        for identifier, check in functions.items()
    }


def mentions(words: str, known: Collection[str], paper: str = "") -> list[str]:
    """The ids among ``known`` that the words name, in order.

    Parameters
    ----------
    paper : which paper "theorem 4" belongs to; "" takes full ids and what follows one in the same
        sentence only
    """
    return [identifier for identifier in _mentions(words, paper) if identifier in known]


@cache
def _mentions(words: str, paper: str) -> tuple[str, ...]:
    mentions: dict[str, None] = {}
    for sentence in re.split(r"(?<=[a-z)])\. ", words):
        current = paper
        for match in _NAMED.finditer(sentence):
            current = match["paper"] or current
            numbers = [match["first"], *re.findall(_NUMBER, match["more"])]
            if " to " in match["more"] and all(number.isdigit() for number in numbers):
                numbers = [str(number) for number in range(int(numbers[0]), int(numbers[-1]) + 1)]
            mentions |= dict.fromkeys(
                f"{current}/{match['kind'].lower()}-{number}" for number in numbers
            )
    return tuple(mentions)


@cache
def sections(paper: str) -> tuple[Section, ...]:
    """The sections of a paper's notebook as committed; none where the notebook is missing."""
    path = ROOT / "notebooks" / f"{load()[paper].notebook}.ipynb"
    if not path.is_file():
        return ()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sections_: list[Section] = []
    for cell in cells:
        if cell["cell_type"] != "markdown":
            continue
        for block in re.split(r"^(?=#{1,3} )", "".join(cell["source"]), flags=re.MULTILINE):
            match = re.match(r"#{2,3} (.*)\n?", block)
            if match or not sections_:
                title = match[1].strip() if match else "top"
                # as docutils names a section
                anchor = make_id(title.replace("$", "")) if match else ""
                sections_.append(Section(path.stem, anchor, title, block))
            else:
                sections_[-1] = replace(sections_[-1], words=f"{sections_[-1].words}\n{block}")
    return tuple(sections_)


def speaking(identifier: str, known: Collection[str]) -> list[Section]:
    """The sections whose title names the claim, or, where there is none, up to three whose text
    does."""
    paper = identifier.partition("/")[0]
    sections_ = [section for section in sections(paper) if section.anchor]
    titled = [
        section for section in sections_ if identifier in mentions(section.title, known, paper)
    ]
    return (
        titled
        or [
            section for section in sections_ if identifier in mentions(section.words, known, paper)
        ][:3]
    )


@dataclass(frozen=True)
class Figure:
    """One figure: its id, the module's first sentence, caption, alternative text, all words about
    it, pixels."""

    id: str
    title: str
    caption: str
    alt: str
    words: str
    size: tuple[int, int]

    @property
    def source(self) -> str:
        """The module that draws it, as a path without suffix."""
        return identifiers.places()[self.id].replace(".", "/")

    @property
    def paper(self) -> str:
        """The paper in its id, or "" where it belongs to several."""
        head = self.id.split("_")[0]
        name = head if head in PAPERS else self.id.rpartition("_")[2]
        return name if name in PAPERS else ""


@cache
def figures() -> tuple[Figure, ...]:
    """In the order of the registry, as far as they have been rendered."""
    figures_ = []
    for identifier in identifiers.ids():
        if not (registry.RENDERED / f"{identifier}.png").is_file():
            continue
        figure_ = registry.figure(identifier)
        title = figure_.doc.strip().split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")
        figures_.append(
            Figure(
                identifier,
                title,
                figure_.caption,
                figure_.alt,
                f"{figure_.doc}\n\n{figure_.caption}",
                Image.open(registry.RENDERED / f"{identifier}.png").size,
            )
        )
    return tuple(figures_)


def shows(figure: Figure, known: Collection[str]) -> list[str]:
    """The claims that a figure's words name."""
    return mentions(" ".join(figure.words.split()), known, figure.paper)


def picture(figure: Figure, base: str = "") -> str:
    """The figure as HTML, with its caption and its data."""
    path = f"{base}figures/{figure.id}"
    links = ", ".join(
        f'<a href="{path}.{suffix}">{suffix.upper()}</a>' for suffix in ("png", "csv")
    )
    source = f'<a href="{base}source/{figure.source}.html">source</a>'
    size = f'width="{figure.size[0]}" height="{figure.size[1]}"'
    image = f'<img src="{path}.png" alt="{markup.attribute(figure.alt)}" {size} loading="lazy">'
    caption = f'{markup.typed(figure.caption)} <span class="files">{links}, {source}</span>'
    return (
        f'<figure class="plate">\n<a '
        f'href="{path}.png">{image}</a>\n<figcaption>{caption}</figcaption>\n'
        "</figure>"
    )
