"""Build the site: ``python -m website.build`` writes ``build/site`` from the repository alone,
without a network.

Sources are written into ``build/site-source`` (generated pages, the notebooks as committed), Sphinx
makes pages of them, and every page is checked (:mod:`website.check`). Exit 1 on any warning of
Sphinx and on any fault of a page.
"""

import argparse
import importlib.util
import json
import re
import shutil
import sys
import tomllib
from io import StringIO
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from figures import style
from privrl.checks import count
from reproduce import environment
from theory import errata
from theory.ledger import PAPERS, ROOT, recorded
from theory.typed import caption, powers, signs
from website import check, claims, divided, markup, pages, places, reference, tables

OUT = Path("build/site")
CONF = """from pathlib import Path

from website.build import settings

globals().update(settings(Path({root!r})))
"""
STATIC = Path(__file__).parent / "static"
MATHJAX = "sphinx-mathjax-offline"  # the package that brings MathJax along
NOTICE = (
    "MathJax 3, Copyright (c) The MathJax Consortium, Apache License 2.0: "
    "www.apache.org/licenses/LICENSE-2.0\n"
)
MATHJAX_PARTS = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")


def version(root: Path) -> str:
    """The version in pyproject.toml."""
    content = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(content["project"]["version"])


def sources(root: Path, every: int = 1) -> dict[str, str]:
    """Every page that is not a notebook: its text by its path below the sources; of the modules'
    and the proofs' pages every so many-th."""
    rows = recorded(root / "theory")
    number = version(root)
    pages_ = {
        f"claims/{paper}.rst": claims.page(rows, paper, pages.paper_citation(paper))
        for paper in PAPERS
    }
    pages_ |= claims.claim_pages(rows, number)
    pages_ |= pages.errata(rows) | pages.proofs(root, every)
    pages_ |= pages.figure_pages(claims.known(rows))
    modules = reference.modules(root)[::every]
    pages_ |= {f"api/{name}.rst": reference.page(root, name) for name in modules}
    return pages_ | {
        "api/index.rst": reference.index(root),
        "index.rst": pages.index(root, rows),
        "ledger.rst": claims.ledger(rows),
        "sigma.rst": tables.sigma_page(),
        "horizon.rst": tables.horizon_page(),
        "figures.rst": pages.gallery(),
        **{f"{name}.md": pages.document(root, name) for name in (*pages.DOCUMENTS, *divided.APART)},
        "cite.rst": pages.cite(root, rows, number),
    }


def _to_pages(words: str) -> str:
    """A notebook's links to pictures and ledgers, to their pages."""
    drawn = re.sub(r"\]\(\.\./figures/rendered/(\w+)\.png\)", r"](../figures/\1.rst)", words)
    return re.sub(r"\]\(\.\./theory/ledger/(\w+)\.md\)", r"](../claims/\1.rst)", drawn)


def _signed(words: str) -> str:
    """Words with numbers in the site's one style and with signs: ε >= 10,000 as ε ≥ 10,000."""
    return signs(markup.numbers(words)).replace(">=", "≥").replace("<=", "≤")


def notebook(path: Path) -> str:
    """A notebook as committed, each picture with the words of the figure whose caption follows it,
    powers typeset."""
    content = json.loads(path.read_text(encoding="utf-8"))
    words = {" ".join(caption(figure.caption).split()): figure.alt for figure in places.figures()}
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = _to_pages("".join(cell["source"]))
        if (
            cell["cell_type"] == "markdown"
        ):  # a display formula within a paragraph would break those after it
            cell["source"] = re.sub(
                r"^(\$\$.*\$\$)$", r"\n\1\n", "".join(cell["source"]), flags=re.MULTILINE
            )
        texts = [output.get("data", {}) for output in cell.get("outputs", [])]
        captions = [
            " ".join("".join(mime_bundle["text/markdown"]).split())
            for mime_bundle in texts
            if "text/markdown" in mime_bundle
        ]
        alt = next((words[caption] for caption in captions if caption in words), "")
        if any("image/png" in mime_bundle for mime_bundle in texts):
            alt = alt or "A picture made by the cell above"
            cell["metadata"]["mystnb"] = {"image": {"alt": " ".join(alt.split())}}
        for mime_bundle in texts:
            if "text/markdown" in mime_bundle:
                words_ = _to_pages("".join(mime_bundle["text/markdown"]))
                mime_bundle["text/markdown"] = errata.outside(powers(words_), _signed)
            if "text/html" in mime_bundle:  # a table of pandas: which cells its headers are for
                head, body, rest = "".join(mime_bundle["text/html"]).partition("<tbody>")
                scoped = [
                    re.sub(r"<th(?=[ >])", f'<th scope="{scope}"', cells)
                    for cells, scope in ((head, "col"), (rest, "row"))
                ]
                mime_bundle["text/html"] = markup.numbers(body.join(scoped))
    return json.dumps(content, ensure_ascii=False)


def write(root: Path, folder: Path, every: int = 1) -> None:
    """Write all sources into ``folder``, which is emptied first."""
    if folder.exists():
        shutil.rmtree(folder)
    for name, words in sources(root, every).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words, encoding="utf-8", newline="\n")
    (folder / "conf.py").write_text(CONF.format(root=str(root)), encoding="utf-8", newline="\n")
    (folder / "notebooks").mkdir(parents=True)
    for path in sorted((root / "notebooks").glob("[0-9]*.ipynb")):
        (folder / "notebooks" / path.name).write_text(
            notebook(path), encoding="utf-8", newline="\n"
        )


def settings(root: Path) -> dict[str, Any]:
    """What a conf.py would say."""
    return {
        "project": "privrl",
        "author": "The privrl developers",
        "version": version(root),
        "release": version(root),
        "language": "en",
        "extensions": [
            "myst_nb",
            "sphinx.ext.autodoc",
            "sphinx.ext.linkcode",
            "sphinx.ext.mathjax",
            "website.build",
        ],
        "nb_execution_mode": "off",
        "nb_merge_streams": True,
        "nb_render_markdown_format": "myst",  # tables that a cell displays are tables
        "myst_enable_extensions": ["dollarmath", "amsmath"],
        "mathjax_path": "mathjax/tex-chtml.js",
        "linkcode_resolve": lambda domain, info: (
            reference.link(info, root) if info.get("module") else None
        ),
        "autodoc_member_order": "bysource",
        "autodoc_preserve_defaults": True,
        "python_maximum_signature_line_length": 80,
        "smartquotes": False,
        # a State in each folder of agents: an annotation does not say whose
        "suppress_warnings": ["ref.python"],
        "html_theme": "furo",
        "html_title": "privrl",
        "html_static_path": [str(STATIC)],
        "html_use_index": False,  # the reference lists its modules, and the search has the names
        "html_search_scorer": str(STATIC / "search.js"),
        "html_css_files": ["site.css"],
        "html_js_files": ["site.js"],
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_show_copyright": False,
        # it would fetch pages, which no browser does without a server
        "html_show_search_summary": False,
        "html_permalinks_icon": "#",
        "templates_path": [],
        "exclude_patterns": [],
        "pygments_style": reference.LIGHT,
        "pygments_dark_style": reference.DARK,
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hooks."""
    app.connect("html-page-context", _finished, priority=400)  # before the extension asks
    app.connect("autodoc-process-docstring", _docstring)
    app.add_post_transform(Elsewhere)
    app.add_post_transform(Spanned)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Elsewhere(SphinxPostTransform):
    """Types in signatures that have no page here (int, numpy's) are words: Sphinx would look for
    each in every name."""

    default_priority = 5  # before references are resolved

    def run(self, **_: Any) -> None:
        """Unwrap them."""
        known = {name.rpartition(".")[2] for name in self.env.get_domain("py").data["objects"]}
        for node in list(self.document.findall(pending_xref)):
            if node.get("refdomain") == "py" and node["reftarget"].rpartition(".")[2] not in known:
                node.replace_self(node.children)


class Spanned(SphinxPostTransform):
    """A sentence that stands for the cells after it has their room."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Widen the cells."""
        for row in self.document.findall(nodes.row):
            spanned(row)


SENTENCE, EMPTY = 40, 3  # characters of a sentence in a table; cells that one may stand for


def spanned(row: nodes.row) -> None:
    """Where at least three empty cells end a row, and a sentence stands before them, give it their
    room."""
    filled = [at for at, cell in enumerate(row) if cell.astext().strip()]
    empty = row[filled[-1] + 1 :] if filled else []
    if len(empty) >= EMPTY and len(row[filled[-1]].astext()) >= SENTENCE:
        row[filled[-1]]["morecols"] = len(empty)
        for cell in empty:
            row.remove(cell)


def _finished(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Formulas that stand in raw HTML need MathJax too, of which Sphinx does not know; options
    of commands stay in one line, and pictures lead to themselves."""
    body = context.get("body", "")
    context["has_maths_elements"] = 'class="math' in body
    if body:
        context["body"] = markup.alone(markup.whole_commands(body))


def _docstring(
    app: Sphinx, kind: str, name: str, documented: object, options: Any, lines: list[str]
) -> None:
    # what Python says of a named tuple's field that has no words of its own
    said = [line for line in lines if not line.startswith("Alias for field number ")]
    lines[:] = reference.docstring(said)


def sphinx(root: Path, src: Path, out: Path) -> str:
    """Run Sphinx and return its warnings, a line each; empty where there are none."""
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = StringIO()
    with patch_docutils(None), docutils_namespace():
        app = Sphinx(
            src,
            src,
            out,
            src.parent / f"{src.name}-trees",
            "html",
            status=None,
            warning=warnings,
            freshenv=True,
        )
        app.build(force_all=True)
    return warnings.getvalue().strip()


def mathjax() -> Path:
    """The folder of MathJax that the package brings along."""
    specification = importlib.util.find_spec(MATHJAX)
    if specification is None or not specification.submodule_search_locations:
        raise ValueError(f"MathJax must be installed: pip install {MATHJAX}")
    return Path(specification.submodule_search_locations[0]) / "static" / "mathjax"


def _extras(root: Path, out: Path, every: int) -> None:
    for asset in MATHJAX_PARTS:
        origin, target = mathjax() / asset, out / "_static" / "mathjax" / asset
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if origin.is_dir() else shutil.copyfile)(origin, target)
    (out / "_static" / "mathjax" / "NOTICE.txt").write_text(NOTICE, encoding="utf-8", newline="\n")
    (out / "figures").mkdir(exist_ok=True)
    for figure in places.figures():
        for place, suffix in style.PLACES:
            name = f"{figure.id}.{suffix}"
            shutil.copyfile(root / "figures" / place / name, out / "figures" / name)
    for name in reference.source_files(root)[::every]:
        path = out / "source" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(reference.source_page(root, name), encoding="utf-8", newline="\n")
    with (out / "_static" / "source.css").open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(reference.style())
    shutil.copyfile(root / "theory" / "ledger.json", out / "ledger.json")
    shutil.copyfile(tables.STORED, out / "horizons.json")
    for scrap in (".buildinfo", "objects.inv"):
        (out / scrap).unlink(missing_ok=True)
    shutil.rmtree(out / "_sources", ignore_errors=True)


def generated(root: Path, out: Path) -> set[Path]:
    """The pages of modules, of proofs and of sources: one template each, and what most of a build
    takes."""
    pages_ = {out / "api" / f"{name}.html" for name in reference.modules(root)}
    pages_ |= {out / Path(name).with_suffix(".html") for name in pages.proofs(root)}
    return pages_ | {out / "source" / f"{name}.html" for name in reference.source_files(root)}


def build(root: Path, out: Path, every: int = 1) -> list[str]:
    """Build the site into ``out`` and return what is wrong with it, a sentence each.

    Parameters
    ----------
    every : of the pages of modules, proofs and sources every so many-th; links to others are not
        followed

    Raises
    ------
    ValueError
        ``out`` holds something else than a site; every < 1.
    """
    count("every", every)
    out = out.resolve()
    if out.exists():
        if any(out.iterdir()) and not (out / "ledger.json").is_file():
            raise ValueError(f"the folder must be empty or hold a site, got out={out.name!r}")
        shutil.rmtree(out)
    src = out.parent / f"{out.name}-source"
    write(root, src, every)
    warnings = sphinx(root, src, out)
    _extras(root, out, every)
    absent = {page for page in generated(root, out) if not page.exists()} if every > 1 else set()
    return [*warnings.splitlines(), *check.faults(out, absent)]


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m website.build", description="Build the site, offline."
    )
    parser.add_argument("--out", type=Path, default=ROOT / OUT, help="default: build/site")
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        help="of modules, proofs and sources every so many-th, for tests",
    )
    chosen = parser.parse_args(arguments)
    out = chosen.out
    environment.settle()
    try:
        wrong = build(ROOT, out, chosen.every)
    except ValueError as error:
        print(f"website: {error}", file=sys.stderr)
        return 2
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    files = [path for path in out.rglob("*") if path.is_file()]
    pages_ = [path for path in files if path.suffix == ".html"]
    largest = max(pages_, key=lambda path: path.stat().st_size)
    print(
        f"{len(pages_)} pages, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB in all, "
        f"the largest page {largest.relative_to(out).as_posix()} with "
        f"{largest.stat().st_size / 1e6:.2f} MB: {out / 'index.html'}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
