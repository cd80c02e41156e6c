"""The other pages: start, how to read, how to cite, errata, figures."""

import html
import json
import posixpath
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import yaml

from theory import errata as corrections
from theory import ledger, numbering
from theory.ledger import PAPERS, Row
from theory.numbering import CLAIM
from theory.typed import caption, line, powers
from website import derivations, divided, markup, places
from website.markup import attribute, link, name, raw, table, text, typed

# a paper without errata needs no note to its authors
NOTED = [paper for paper in PAPERS if any(True for _ in corrections.groups(paper))]
DOCUMENTS = {
    "reading": "docs/reading.md",
    "proofs": "docs/proofs.md",
    "found": "docs/found.md",
    "open": "docs/open.md",
    "gap": "docs/gap.md",
    "measure": "docs/measure.md",
    "advice": "docs/advice.md",
    "commands": "docs/commands.md",
    "your-problem": "docs/your-problem.md",
    "trust": "docs/trust.md",
    "tuned": "docs/tuned.md",
    "noise-explores": "docs/noise-explores.md",
    "install": "docs/install.md",
    "architecture": "docs/architecture.md",
    "speed": "docs/speed.md",
    "gymnasium": "docs/gymnasium.md",
    "cluster": "docs/cluster.md",
    "contributing": "CONTRIBUTING.md",
    "adding-a-paper": "docs/adding-a-paper.md",
    "portability": "docs/portability.md",
    "pins": "docs/pins.md",
    "changes": "CHANGELOG.md",
    **{f"to-the-authors/{paper}": f"docs/to-the-authors/{paper}.md" for paper in NOTED},
}
LEDGER = ("reading", "proofs")  # of these, what stands with the ledger in the navigation
ORPHAN = "---\norphan: true\n---\n\n"  # no navigation leads to it
CODE = ("contributing", "adding-a-paper", "portability", "pins", "changes")  # with the code
ENTRIES = {
    "ledger": "The ledger",
    "found": "What was found",
    "errata": "Errata",
    "sigma": "Noise scales",
    "horizon": "Users needed",
    "figures": "Figures",
}
RUN = """<p>One claim with its witness:</p>
{command}
<p><a href="commands.html">All commands</a>; <a href="your-problem.html">a problem of your own</a>;
<a href="gymnasium.html">an agent of your own</a>;
<a href="cluster.html">many runs on a cluster</a>;
<a href="notebooks/01_vietri2020_pucb.html">a notebook per paper</a>, each with a cell to turn.
How many users it takes:</p>"""


def paper_citation(paper: str) -> str:
    """Authors, year and title of a paper."""
    facts = numbering.load()[paper]
    return f"{' and '.join(facts.authors.rsplit(', ', 1))} ({paper[-4:]}), {facts.title}."


def _readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def readme_section(root: Path, title: str) -> str:
    """A section of README.md, without its title and the marks of what is derived."""
    match = re.search(
        rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", _readme(root), flags=re.MULTILINE | re.DOTALL
    )
    if match is None:
        raise ValueError(f"README.md must have the section, got title={title!r}")
    return re.sub(r"<!-- .*? -->", "", match[1], flags=re.DOTALL).strip()


def _local(words: str, folder: str = "docs") -> str:
    """A document's links, to the site's pages, and its pictures; other files are named.

    ``folder`` is that of the document, in which its links begin.
    """
    pages = {"theory/LEDGER.md": "ledger.rst", "theory/ledger.json": "ledger.rst"}
    pages |= {f"theory/ledger/{paper}.md": f"claims/{paper}.rst" for paper in PAPERS}
    pages |= {path: f"{page}.md" for page, path in DOCUMENTS.items()}
    pages |= {f"docs/{page}.md": f"{page}.md" for page in divided.APART}
    pages |= {derivations.source(paper): f"{derivations.FOLDER}/{paper}.md" for paper in PAPERS}
    pictures = {figure.id: places.picture(figure) for figure in places.figures()}
    words = re.sub(r"<!-- .*? -->\n?", "", words)
    words = re.sub(
        r"!\[[^\]]*\]\(\.\./figures/rendered/(\w+)\.png\)", lambda match: pictures[match[1]], words
    )

    def to(match: re.Match[str]) -> str:
        if match[2].startswith("/"):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, match[2]))
        target = path if path.startswith("notebooks/") else pages.get(path)
        if target:
            return f"[{match[1]}](/{target})"
        return f"`{path}`" if match[1] in path else f"{match[1]} (`{path}`)"

    linked = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#:]*[./][^)#:]*)\)", to, words)
    return numbered(linked)


def numbered(words: str) -> str:
    """Markdown with its numbers in one style, but in formulas and code, whose blocks are fenced or
    indented after an empty line."""
    pieces = re.split(r"(^```.*?^```$|(?<=\n\n)(?:(?: {4}[^\n]*)?\n)+)", words, flags=re.M | re.S)
    return "".join(
        corrections.outside(piece, markup.numbers) if at % 2 == 0 else piece
        for at, piece in enumerate(pieces)
    )


def index(root: Path, rows: Sequence[Row]) -> str:
    """The start page, which also says what stands in the navigation."""
    counts = {paper: ledger.tally(rows, paper) for paper in PAPERS}
    verdicts = [
        words for words in ledger.VERDICTS if any(count[words] for count in counts.values())
    ]
    cells = [
        (
            f'<a href="claims/{paper}.html">{paper}</a>',
            str(sum(count.values())),
            *(_count(paper, words, count[words]) for words in verdicts),
            str(len(ledger.causes(rows, paper))),
        )
        for paper, count in counts.items()
    ]
    before = _readme(root).split("\n## ")[0]
    pieces = [" ".join(piece.split()) for piece in before.split("\n\n")[1:]]
    drawn = {figure.id: figure for figure in places.figures()}
    lead = [
        places.picture(drawn["five_lines"])
        if piece.startswith("![")
        else f"<p>{_inline(piece)}</p>"
        for piece in pieces
        if piece
    ]
    parts = [markup.heading("privrl"), raw("".join(lead))]
    entries = " ".join(
        f'<a class="entry" href="{page}.html">{words}</a>' for page, words in ENTRIES.items()
    )
    parts.append(raw(f'<p class="entries">{entries}</p>'))
    parts.append(markup.heading("What was found", "-") + raw(_findings(root)))
    parts += [
        markup.heading(title, "-") + raw(_shown(readme_section(root, title)))
        for title in ("Two commands", "Five lines")
    ]
    parts.append(
        markup.heading("What to run", "-")
        + raw(RUN.format(command=_code("privrl check vietri2020/lemma-18 --witness")))
        + raw(places.picture(drawn["advice_users"]))
    )
    parts.append(markup.heading("The claims", "-"))
    columns = [
        "paper",
        "claims",
        *(words.removeprefix("corrected: ") for words in verdicts),
        "causes",
    ]
    caption_ = "Claims by paper and verdict, those to which it gives no number too"
    parts.append(raw(table(caption_, columns, cells)))
    names = "".join(f"<li>{text(paper_citation(paper))}</li>" for paper in PAPERS)
    parts.append(raw(f"<p>The papers:</p><ul>{names}</ul>"))
    limits = readme_section(root, "Limits")
    parts.append(
        markup.heading("Limits", "-")
        + raw(
            "<ul>"
            + "".join(
                f"<li>{_inline(item)}</li>"
                for item in re.split(r"^- ", limits.split("\n\n")[0], flags=re.MULTILINE)
                if item
            )
            + "</ul>"
        )
    )
    apart = (*LEDGER, *CODE, *(f"to-the-authors/{paper}" for paper in NOTED))
    start = [name for name in DOCUMENTS if name not in apart]
    for page, (of, _) in divided.APART.items():
        start.insert(start.index(of) + 1, page)
    parts.append(_tree("Start", start))
    parts.append(
        _tree(
            "The ledger",
            [
                "ledger",
                *(f"claims/{paper}" for paper in PAPERS),
                "errata",
                *LEDGER,
                "cite",
            ],
        )
    )
    parts.append(
        _tree(
            "Notebooks",
            [_numbered(path) for path in sorted((root / "notebooks").glob("[0-9]*.ipynb"))],
        )
    )
    parts.append(_tree("Figures and tables", ["figures", "sigma", "horizon"]))
    parts.append(_tree("Code", ["api/index", *CODE]))
    return "".join(parts)


def _findings(root: Path) -> str:
    """README's findings, as a list."""
    section = readme_section(root, "What was found")
    numbered, _, _ = section.partition("\n\n[")
    items = "".join(
        f"<li>{_inline(finding)}</li>"
        for finding in re.split(r"^\d+\. ", numbered, flags=re.MULTILINE)[1:]
    )
    return f'<ol>{items}</ol><p><a href="found.html">The whole story, paper by paper.</a></p>'


def _numbered(path: Path) -> str:
    """A notebook's entry in the navigation: its number and its title."""
    title = (
        "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
        .lstrip("# ")
        .splitlines()[0]
    )
    return f"{path.stem[:2]} {title} <notebooks/{path.stem}>"


def _inline(words: str) -> str:
    """A paragraph of Markdown with its stress and its links to pages of the site; other links are
    left as their words."""
    pages = {"theory/LEDGER.md": "ledger", **{path: page for page, path in DOCUMENTS.items()}}

    def to(match: re.Match[str]) -> str:
        page = pages.get(match[2])
        return f'<a href="{page}.html">{match[1]}</a>' if page else match[1]

    stressed = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", typed(" ".join(words.split())))
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", to, markup.whole_code(stressed))


def _count(paper: str, words: str, number: int) -> str:
    if not number:
        return "0"
    target = attribute(f"ledger.html?paper={paper}&verdict={words.replace(' ', '+')}")
    return f'<a href="{target}">{number}</a>'


def _shown(section: str) -> str:
    """Paragraphs and blocks of code of a section of README.md, as HTML."""
    blocks = re.split(r"(```\w*\n.*?^```)|\n\n", section, flags=re.MULTILINE | re.DOTALL)
    pieces = []
    for block in filter(None, (block and block.strip("\n") for block in blocks)):
        code = re.sub(r"^```.*\n?|^ {4}", "", block, flags=re.MULTILINE)
        if code != block:
            pieces.append(_code(code.strip()))
        else:
            pieces.append(f"<p>{_inline(block)}</p>")
    return "".join(pieces)


def _code(code: str) -> str:
    """A block of code as HTML in which no flag and no path is parted."""
    return f'<pre class="plain" tabindex="0">{markup.whole(html.escape(code, quote=False))}</pre>'


def _tree(caption: str, names: Sequence[str]) -> str:
    lines = "\n".join(f"   {entry}" for entry in names)
    return f"\n.. toctree::\n   :caption: {caption}\n   :maxdepth: 1\n   :hidden:\n\n{lines}\n"


def document(root: Path, name: str) -> str:
    """A page of docs/ or of the root, or a section of one (Markdown); what no navigation leads to
    says so."""
    path = DOCUMENTS[divided.APART[name][0] if name in divided.APART else name]
    words = divided.of_page(name, (root / path).read_text(encoding="utf-8"))
    words = _local(words, posixpath.dirname(path))
    return f"{ORPHAN}{powers(words)}" if "/" in name else words  # a letter is plain text


def proofs(root: Path, every: int = 1) -> dict[str, str]:
    """The page of every so many-th proof that is written out by hand, and those that list them all
    (Markdown)."""
    return {
        page: ORPHAN + _local(words, posixpath.dirname(derivations.source(paper)))
        for paper in PAPERS
        for page, words in derivations.pages(root, paper, every).items()
    }


def cite(root: Path, rows: Sequence[Row], version: str) -> str:
    """How to cite a claim, the software and the papers."""
    example = next(row for row in rows if row.get("verdict") == "holds")
    rigor = example["records"][0]["rigor"]
    citation = f"{example['id']}: {example['verdict']} ({rigor}), privrl {version}"
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    software = (
        f"author = {{{{The privrl developers}}}},\n  title = {{{cited['title']}}},\n"
        f"  version = {{{version}}},\n  license = {{MIT}}"
    )
    entries = [("software", "privrl", software)]
    for entry in cited["references"]:
        paper = f"{entry['authors'][0]['family-names'].lower()}{entry['year']}"
        authors = " and ".join(
            f"{author['family-names']}, {author['given-names']}" for author in entry["authors"]
        )
        fields = (
            f"author = {{{authors}}},\n  title = {{{{{entry['title']}}}}},\n"
            f"  year = {{{entry['year']}}}"
        )
        entries.append(("misc", paper, fields))
    listed = "\n\n".join(f"@{kind}{{{key},\n  {fields}\n}}" for kind, key, fields in entries)
    place = f"claims/{example['id']}.html"
    alias = f"claims/{markup.paper(example['id'])}.html#{markup.anchor(example['id'])}"
    return (
        markup.heading("How to cite")
        + raw(
            "<p>A verdict is about one numbered statement in the domain that its record "
            "states, not about the paper as a whole. Give the claim's id, the record's verdict "
            "and rigor, and the version; every claim on this site has its line ready.</p>"
        )
        + raw(f'<pre class="plain">{text(citation)}</pre>')
        + raw(
            f"<p>The address of a claim is permanent: <code>{place}</code>. So is that of its row "
            f"in the list of its paper, <code>{alias}</code>, to which an alias, another number "
            "of the same statement, leads as well. Cite the paper beside the verdict.</p>"
        )
        + markup.heading("BibTeX", "-")
        + raw(
            f'<pre class="plain" tabindex="0" role="region" '
            f'aria-label="BibTeX">{text(listed)}</pre>'
        )
    )


def errata(rows: Sequence[Row]) -> dict[str, str]:
    """What fails, what stands in its place and what it changes (Markdown), in the order of
    consequence: a page that leads to one per paper."""
    claims = [row for row in rows if row["role"] == CLAIM]
    wrong = sum(row["verdict"] in ("corrected", "fails") for row in claims)
    undecided = sum(row["verdict"] == "open" for row in claims)
    lead = (
        f"{wrong} of {len(claims)} claims need a correction and {undecided} are open. Here they "
        f"are, paper by "
        "paper, in the order of their consequence: what fails, what stands in its place, and "
        "what it changes in practice. Domains, evidence and checks stand with the claims."
    )
    found = {}
    for paper in PAPERS:
        title = f"# Errata of {paper}: {numbering.load()[paper].algorithm}\n"
        words = corrections.markdown(
            paper, rows, partial(link, base="../"), lambda words: markup.numbers(caption(words))
        )
        words = corrections.folded(words)
        # a title is one step higher where a paper has a page
        found[f"errata/{paper}.md"] = re.sub(r"^###", "##", f"{title}\n{words}", flags=re.M)
    lines = [
        f"- [{paper}: {numbering.load()[paper].algorithm}](errata/{paper}.md): "
        f"{sum(1 for _ in corrections.groups(paper))} slips, the gravest: "
        f"{caption(next(corrections.groups(paper))[1].title)}"
        for paper in PAPERS
        if any(corrections.groups(paper))
    ]
    listed = "\n".join(lines)
    tree = "\n".join(f"errata/{paper}" for paper in PAPERS)
    found["errata.md"] = (
        f"# Errata\n\n{lead}\n\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )
    return found


def gallery() -> str:
    """Every figure, small, with its title; each leads to its page."""
    lead = (
        "<p>Each with its caption, the claims that it speaks of and the table behind it (CSV); "
        "<code>privrl figures ID</code> also writes a version for print (PDF).</p>"
    )
    parts = [markup.heading("Figures"), raw(lead)]
    groups = {paper: paper for paper in PAPERS} | {"": "Shared lemmas, all papers"}
    for paper, title in groups.items():
        figures = [figure for figure in places.figures() if figure.paper == paper]
        if figures:
            parts.append(markup.heading(title, "-"))
            items = "\n".join(f"<li>{_small(figure)}</li>" for figure in figures)
            parts.append(raw(f'<ul class="gallery">\n{items}\n</ul>'))
    return "".join(parts)


def _small(figure: places.Figure) -> str:
    size = f'width="{figure.size[0]}" height="{figure.size[1]}"'
    image = (
        f'<img src="figures/{figure.id}.png" alt="{attribute(figure.alt)}" {size} loading="lazy">'
    )
    return f'<a id="{figure.id}" href="figures/{figure.id}.html">{image} {text(figure.title)}</a>'


def figure_pages(names: dict[str, str]) -> dict[str, str]:
    """The page of every figure by its path: the picture, its caption and the claims that it speaks
    of."""
    pages = {}
    for figure in places.figures():
        spoken = dict.fromkeys(names[identifier] for identifier in places.shows(figure, names))
        links = ", ".join(
            link(
                identifier,
                "" if figure.paper else f"{name(identifier)} of {markup.paper(identifier)}",
                "../",
            )
            for identifier in spoken
        )
        claims = f'<p class="claims">Claims: {links}</p>' if links else ""
        around = f'<p class="around"><a href="../figures.html#{figure.id}">All figures</a></p>'
        body = raw(around + places.picture(figure, "../") + claims)
        pages[f"figures/{figure.id}.rst"] = (
            f":orphan:\n{markup.heading(_heading(figure.title))}{body}"
        )
    return pages


def _heading(title: str) -> str:
    """A title as a window's bar can show it: 10⁵, K³ᐟ⁴ and λ_min, without marks of code."""
    plain = line(title.replace("`", ""))
    return re.sub(r"\^(?:\(([\d/-]+)\)|([\d-]+))", _raised, plain)


def _raised(match: re.Match[str]) -> str:
    return str(match[1] or match[2]).translate(markup.RAISED)
