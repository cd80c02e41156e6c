"""The figures of the registry with what the site says of them: caption, words for those who do not see, claims."""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from theory.ledger import PAPERS
from website import markup, places


@dataclass(frozen=True)
class Figure:
    """One figure: its id, the module's first sentence, caption, alternative text, all words about it, pixels."""

    id: str
    title: str
    caption: str
    alt: str
    words: str
    size: tuple[int, int]

    @property
    def paper(self) -> str:
        """The paper in its id, or "" where it belongs to several."""
        head = self.id.split("_")[0]
        name = head if head in PAPERS else self.id.rpartition("_")[2]
        return name if name in PAPERS else ""


@cache
def figures() -> tuple[Figure, ...]:
    """In the order of the registry, as far as they have been rendered."""
    from figures import registry

    found = []
    for identifier in registry.ids():
        if not (registry.FOLDER / f"{identifier}.png").is_file():
            continue
        module = registry.module(identifier)
        doc = module.__doc__ or identifier
        title = doc.strip().split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")
        found.append(Figure(identifier, title, module.CAPTION, module.ALT, f"{doc}\n\n{module.CAPTION}",
                            _size(registry.FOLDER / f"{identifier}.png")))
    return tuple(found)


def _size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, which stand after its first sixteen bytes."""
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return int(width), int(height)


def shows(figure: Figure, known: Collection[str]) -> list[str]:
    """The claims that a figure's words name."""
    return places.mentions(" ".join(figure.words.split()), known, figure.paper)


def picture(figure: Figure, base: str = "", heading: str = "") -> str:
    """The figure as HTML, with its caption, its data and its print version; ``heading`` goes before the caption."""
    path = f"{base}figures/{figure.id}"
    links = ", ".join(f'<a href="{path}.{suffix}">{suffix.upper()}</a>' for suffix in ("png", "pdf", "csv"))
    source = f'<a href="{base}source/figures/{figure.id}.html">source</a>'
    size = f'width="{figure.size[0]}" height="{figure.size[1]}"'
    image = f'<img src="{path}.png" alt="{markup.attribute(figure.alt)}" {size} loading="lazy">'
    said = f'{heading}{markup.text(figure.caption)} <span class="files">{links}, {source}</span>'
    return (f'<figure class="plate">\n<a href="{path}.png">{image}</a>\n<figcaption>{said}</figcaption>\n'
            "</figure>")  # fmt: skip
