"""Documents that are two pages of the site."""

import re

from docutils.nodes import make_id

# a section of a document that has a page of its own: together they are too high for a phone
APART = {"service": ("your-problem", "A service")}


def of_page(name: str, words: str) -> str:
    """Of the words of a document, those of its page ``name``: links to headings of the other page
    lead there."""
    for part, (page, title) in APART.items():
        if name not in (part, page):
            continue
        before, section, after = re.split(rf"(^## {title}\n.*?)(?=^## )", words, flags=re.M | re.S)
        left = f"{before}## {title}\n\nIt has [a page of its own]({part}.md).\n\n{after}"
        raised = re.sub(r"^#(?=#+ )", "", section, flags=re.M)
        words, neighbour = (raised, page) if name == part else (left, part)
        words = _linked(words, neighbour)
    return words


def _linked(words: str, neighbour: str) -> str:
    """Links to headings that these words do not have, to the page ``neighbour``."""
    headings = {make_id(heading) for heading in re.findall(r"^#+ (.*)", words, flags=re.M)}

    def to(link: re.Match[str]) -> str:
        if link[2] in headings:
            return link[0]
        return f'<a href="{neighbour}.html#{link[2]}">{link[1]}</a>'

    return re.sub(r"\[([^\]]+)\]\(#([\w-]+)\)", to, words)
