"""The other pages: start, how to read, how to cite, errata, figures."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from theory import errata as corrections
from theory import ledger, numbering
from theory.ledger import PAPERS
from theory.numbering import CLAIM
from theory.typed import caption
from website import markup, places
from website.markup import attribute, link, name, raw, table, text

Row = dict[str, Any]
DOCUMENTS = {"reading": "docs/reading.md", "commands": "Command line", "your-problem": "docs/your-problem.md",
             "tuned": "docs/tuned.md", "gymnasium": "docs/gymnasium.md", "cluster": "docs/cluster.md"}
ENTRIES = {"ledger": "The ledger", "found": "What was found", "errata": "Errata", "sigma": "Noise scales",
           "horizon": "Users needed", "figures": "Figures"}
RUN = """<p>The whole again, compared with what is committed; and one claim with its witness:</p>
<pre class="plain">make reproduce
privrl check vietri2020/lemma-18 --witness</pre>
<p><a href="commands.html">All commands</a>; <a href="your-problem.html">a problem of your own</a>;
<a href="gymnasium.html">an agent of your own</a>;
<a href="cluster.html">many runs on a cluster</a>; <a href="notebooks/01_vietri2020_pucb.html">a notebook per paper</a>,
each with a cell to turn. How many users it takes:</p>"""


def paper_citation(paper: str) -> str:
    """Authors, year and title of a paper."""
    facts = numbering.load()[paper]
    return f"{' and '.join(facts.authors.rsplit(', ', 1))} ({paper[-4:]}), {facts.title}."


def _readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


def readme_section(root: Path, title: str, *, derived: bool = False) -> str:
    """A section of README.md, without its title, and without what is derived there unless that is asked for."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", _readme(root), flags=re.MULTILINE | re.DOTALL)
    if match is None:
        raise ValueError(f"README.md must have the section, got title={title!r}")
    left_out = r"<!-- .*? -->" if derived else r"<!-- derived:.*?<!-- end: \w+ -->"
    return re.sub(left_out, "", match[1], flags=re.DOTALL).strip()


def _local(words: str) -> str:
    """A document's links, to the site's pages, and its pictures; other files are named."""
    pages = {"theory/LEDGER.md": "ledger.rst", "theory/ledger.json": "ledger.rst"}
    pages |= {name: f"{page}.md" for page, path in DOCUMENTS.items() for name in (path, path.removeprefix("docs/"))}
    pictures = {figure.id: places.picture(figure) for figure in places.figures()}
    words = re.sub(r"!\[[^\]]*\]\(\.\./figures/rendered/(\w+)\.png\)", lambda match: pictures[match[1]], words)

    def to(match: re.Match[str]) -> str:
        target = match[2] if match[2].startswith("notebooks/") else pages.get(match[2])
        return f"[{match[1]}]({target})" if target else f"`{match[2]}`"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#:]+)\)", to, words)


def index(root: Path, rows: Sequence[Row]) -> str:
    """The start page, which also says what stands in the navigation."""
    counts = {paper: ledger.tally(rows, paper) for paper in PAPERS}
    verdicts = [words for words in ledger.VERDICTS if any(count[words] for count in counts.values())]
    cells = [(f'<a href="claims/{paper}.html">{paper}</a>', str(sum(count.values())),
              *(_count(paper, words, count[words]) for words in verdicts),
              str(len(ledger.causes(rows, paper)))) for paper, count in counts.items()]
    before = _readme(root).split("\n## ")[0].split("\n| ")[0]  # its table of papers
    lead = [" ".join(part.split()).replace("**", "") for part in before.split("\n\n")[1:] if part.strip()]
    parts = [markup.heading("privrl"), raw("".join(f"<p>{text(part)}</p>" for part in lead))]
    entries = " ".join(f'<a class="entry" href="{page}.html">{words}</a>' for page, words in ENTRIES.items())
    parts.append(raw(f'<p class="entries">{entries}</p>'))
    parts.append(markup.heading("What was found", "-") + raw(_findings(root)))
    shown = next(figure for figure in places.figures() if figure.id == "advice_users")
    parts.append(markup.heading("What to run", "-") + raw(RUN) + raw(places.picture(shown)))
    parts.append(markup.heading("The claims", "-"))
    columns = ["paper", "claims", *(words.removeprefix("corrected: ") for words in verdicts), "causes"]
    parts.append(raw(table("Claims by paper and verdict", columns, cells)))
    names = "".join(f"<li>{text(paper_citation(paper))}</li>" for paper in PAPERS)
    parts.append(raw(f"<p>The papers:</p><ul>{names}</ul>"))
    limits = readme_section(root, "Limits")
    parts.append(markup.heading("Limits", "-") + raw("<ul>" + "".join(
        f"<li>{_inline(item)}</li>" for item in re.split(r"^- ", limits.split("\n\n")[0], flags=re.MULTILINE) if item
    ) + "</ul>"))  # fmt: skip
    parts.append(_tree("Start", ["found", *(name for name in DOCUMENTS if name != "reading")]))
    parts.append(_tree("The ledger", ["ledger", *(f"claims/{paper}" for paper in PAPERS), "errata", "reading", "cite"]))
    parts.append(_tree("Notebooks", [_numbered(path) for path in sorted((root / "notebooks").glob("[0-9]*.ipynb"))]))
    parts.append(_tree("Figures and tables", ["figures", "sigma", "horizon"]))
    parts.append(_tree("Code", ["api/index"]))
    return "".join(parts)


def _findings(root: Path) -> str:
    """README's sentences on what was found, as a list."""
    said = re.split(r"<!-- (?:derived|end): sentences -->", _readme(root))[1]
    items = "".join(f"<li>{_inline(one)}</li>" for one in re.split(r"^\d+\. ", said, flags=re.MULTILINE)[1:])
    return f'<ol>{items}</ol><p><a href="found.html">What the words mean, paper by paper.</a></p>'


def _numbered(path: Path) -> str:
    """A notebook's entry in the navigation: its number and its title."""
    title = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]).lstrip("# ").splitlines()[0]
    return f"{path.stem[:2]} {title} <notebooks/{path.stem}>"


def _inline(words: str) -> str:
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text(" ".join(words.split())))


def _count(paper: str, words: str, number: int) -> str:
    if not number:
        return "0"
    target = attribute(f"ledger.html?paper={paper}&verdict={words.replace(' ', '+')}")
    return f'<a href="{target}">{number}</a>'


def _tree(caption: str, names: Sequence[str]) -> str:
    lines = "\n".join(f"   {entry}" for entry in names)
    return f"\n.. toctree::\n   :caption: {caption}\n   :maxdepth: 1\n   :hidden:\n\n{lines}\n"


def found(root: Path) -> str:
    """What was found and what to run (Markdown), as README.md says it."""
    title = "What to run, and how many users it takes"
    found, run = (readme_section(root, name, derived=True).partition("![")[0] for name in ("What was found", title))
    return f"# What was found, and what to run\n\n{_local(found)}\n\n## {title}\n\n{_local(run)}\n"


def document(root: Path, name: str) -> str:
    """A page of docs/, or what README.md says of the command line (Markdown)."""
    source = DOCUMENTS[name]
    if source.endswith(".md"):
        return _local((root / source).read_text(encoding="utf-8"))
    return f"# {source}\n\n{_local(readme_section(root, source))}\n"


def cite(root: Path, rows: Sequence[Row], version: str) -> str:
    """How to cite a claim, the software and the papers."""
    example = next(row for row in rows if row.get("verdict") == "holds")
    given = f"{example['id']}: {example['verdict']} ({example['records'][0]['rigor']}), privrl {version}"
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    software = (f"author = {{{{The privrl developers}}}},\n  title = {{{cited['title']}}},\n"
                f"  version = {{{version}}},\n  license = {{MIT}}")  # fmt: skip
    entries = [("software", "privrl", software)]
    for entry in cited["references"]:
        paper = f"{entry['authors'][0]['family-names'].lower()}{entry['year']}"
        authors = " and ".join(f"{one['family-names']}, {one['given-names']}" for one in entry["authors"])
        fields = f"author = {{{authors}}},\n  title = {{{{{entry['title']}}}}},\n  year = {{{entry['year']}}}"
        entries.append(("misc", paper, fields))
    listed = "\n\n".join(f"@{kind}{{{key},\n  {fields}\n}}" for kind, key, fields in entries)
    place = f"claims/{markup.paper(example['id'])}.html#{markup.anchor(example['id'])}"
    return (
        markup.heading("How to cite")
        + raw("<p>A verdict is about one numbered statement in the domain that its record states, not about the paper "
              "as a whole. Give the claim's id, the record's verdict and rigor, and the version; every claim on this "
              "site has its line ready.</p>")
        + raw(f'<pre class="plain">{text(given)}</pre>')
        + raw(f"<p>The address of a claim is permanent: <code>{place}</code>. An alias, another number of the same "
              "statement, leads to it as well. Cite the paper beside the verdict.</p>")
        + markup.heading("BibTeX", "-")
        + raw(f'<pre class="plain" tabindex="0" role="region" aria-label="BibTeX">{text(listed)}</pre>')
    )  # fmt: skip


def errata(rows: Sequence[Row]) -> str:
    """What fails, what stands in its place and what it changes (Markdown), in the order of consequence."""
    claims = [row for row in rows if row["role"] == CLAIM]
    wrong = sum(row["verdict"] in ("corrected", "fails") for row in claims)
    undecided = sum(row["verdict"] == "open" for row in claims)
    lead = (f"{wrong} of {len(claims)} claims need a correction and {undecided} are open. Here they are, paper by "
            "paper, in the order of their consequence: what fails, what stands in its place, and what it changes in "
            "practice. Domains, evidence and checks stand with the claims.")
    parts = [f"# Errata\n\n{lead}\n"]
    for paper in PAPERS:
        parts.append(f"## {paper}: {numbering.load()[paper].algorithm}\n")
        parts.append(corrections.markdown(paper, rows, link, caption))
    return "\n".join(parts)


def gallery(names: dict[str, str]) -> str:
    """Every figure with its caption and the claims that it speaks of."""
    lead = "<p>Each with the table behind it (CSV) and a version for print (PDF).</p>"
    parts = [markup.heading("Figures"), raw(lead)]
    groups = {paper: paper for paper in PAPERS} | {"": "Shared lemmas, all papers"}
    for paper, title in groups.items():
        shown = [figure for figure in places.figures() if figure.paper == paper]
        if shown:
            parts.append(markup.heading(title, "-"))
        for figure in shown:
            spoken = list(dict.fromkeys(names[identifier] for identifier in places.shows(figure, names)))
            links = ", ".join(link(one, "" if paper else f"{markup.paper(one)}, {name(one)}") for one in spoken)
            claims = f'<p class="claims">Claims: {links}</p>' if links else ""
            named = f'<h3 id="{figure.id}">{text(figure.title)}</h3>'
            parts.append(raw(named + places.picture(figure) + claims))
    return "".join(parts)

