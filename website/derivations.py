"""The proofs that are written out by hand, a page per section, to which a derived record leads."""

import functools
import re
from pathlib import Path

from theory.ledger import ROOT

FOLDER = "derivations"


def source(paper: str) -> str:
    """Where a paper's proofs stand, from the root of the repository."""
    return f"theory/papers/{paper}/proofs.md"


@functools.cache
def sections(paper: str, root: Path = ROOT) -> tuple[str, dict[str, str]]:
    """The words that a paper's proofs begin with, and every proof by its heading (Markdown); none
    where nothing had to be written out by hand."""
    path = root / source(paper)
    words = path.read_text(encoding="utf-8") if path.is_file() else ""
    first, *rest = re.split(r"^## (.+)\n", words, flags=re.MULTILINE)
    return first.partition("\n")[2].strip(), dict(zip(rest[::2], rest[1::2], strict=True))


def _checks(proof: str) -> str:
    """A proof whose names of checks may be parted after a full stop, as they exceed a phone."""
    code = '<code class="docutils literal notranslate">'
    return re.sub(
        r"\(checked:\s+`([\w.]+)`\)",
        lambda match: f"(checked: {code}{match[1].replace('.', '.<wbr>')}</code>)",
        proof,
    )


def name(paper: str, heading: str) -> str:
    """The page of a proof, without its ending: ``derivations/vietri2020-theorem-12``."""
    return f"{FOLDER}/{paper}-{re.sub(r'[^a-z0-9]+', '-', heading.lower()).strip('-')}"


def pages(root: Path, paper: str, every: int = 1) -> dict[str, str]:
    """The page of every so many-th proof of a paper by its path, and one that lists them all
    (Markdown whose links begin where the proofs stand)."""
    first, proofs = sections(paper, root)
    if not proofs:
        return {}
    around = f"[All proofs of {paper}](proofs.md)"
    last = f"## Conventions\n\n{first}\n"
    pages_ = {
        f"{name(paper, heading)}.md": (
            f"# {heading} ({paper})\n\n{around}\n\n{_checks(proof.strip())}\n\n{last}"
        )
        for heading, proof in [*proofs.items()][::every]
    }
    # as HTML: Sphinx would ask for pages that are left out
    listed = "\n".join(
        f'- <a href="{name(paper, heading).removeprefix(FOLDER + "/")}.html">{heading}</a>'
        for heading in proofs
    )
    pages_[f"{FOLDER}/{paper}.md"] = f"# Proofs of {paper}\n\n{first}\n\n{listed}\n"
    return pages_
