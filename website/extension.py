"""What the site asks of Sphinx beyond its settings: claims' anchors, docstrings, words for those who do not see."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from theory.ledger import recorded
from website import markup, reference


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the hooks."""
    app.connect("doctree-read", _anchors, priority=100)
    app.connect("autodoc-process-docstring", _docstring)
    app.add_post_transform(Elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Elsewhere(SphinxPostTransform):
    """Types in signatures that have no page here (int, numpy's) are words: Sphinx would look for each in every name."""

    default_priority = 5  # before references are resolved

    def run(self, **_: Any) -> None:
        """Unwrap them."""
        known = {name.rpartition(".")[2] for name in self.env.get_domain("py").data["objects"]}
        for node in list(self.document.findall(pending_xref)):
            if node.get("refdomain") == "py" and node["reftarget"].rpartition(".")[2] not in known:
                node.replace_self(node.children)


def _anchors(app: Sphinx, doctree: nodes.document) -> None:
    """On a paper's page a claim's section gets the claim's own name as id, dots and all."""
    folder, _, paper = app.env.docname.partition("/")
    if folder != "claims":
        return
    ids = {nodes.make_id(markup.name(row["id"])): markup.anchor(row["id"]) for row in recorded()
           if markup.paper(row["id"]) == paper}  # fmt: skip
    for section in doctree.findall(nodes.section):
        section["ids"] = [ids.get(one, one) for one in section["ids"]]


def _docstring(app: Sphinx, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    lines[:] = reference.docstring(lines)
