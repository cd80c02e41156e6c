"""The sources as pages, a line an anchor: ``source/theory/papers/vietri2020/privacy.html#L-12``."""

from __future__ import annotations

import re
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from website import figure_list

FOLDERS = ("privrl", "theory")
LIGHT, DARK = "a11y-high-contrast-light", "a11y-high-contrast-dark"
_PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')  # names and signs, in the text's own colour
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}.py - privrl</title>
<link rel="stylesheet" href="{base}_static/source.css">
<script src="{base}_static/source.js"></script>
</head>
<body>
<a class="skip" href="#code">Skip to the code</a>
<nav aria-label="Site"><a href="{base}index.html">privrl</a> <a href="{base}ledger.html">Ledger</a>
<a href="{base}api/index.html">Reference</a></nav>
<main>
<h1>{name}.py</h1>
<div id="code" class="source" tabindex="0" role="region" aria-label="{name}.py"><pre>{lines}</pre></div>
</main>
</body>
</html>
"""


def files(root: Path) -> list[str]:
    """Every source that has a page, below the root, without suffix: both packages, and what draws a figure."""
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py")) if path.stat().st_size]
    paths += [root / "figures" / f"{figure.id}.py" for figure in figure_list.figures()]
    return [path.relative_to(root).with_suffix("").as_posix() for path in paths if "__pycache__" not in path.parts]


def page(root: Path, name: str) -> str:
    """The page of one source: small, so that hundreds of them cost little."""
    code = (root / f"{name}.py").read_text(encoding="utf-8")
    rows = _PLAIN.sub(r"\1", highlight(code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))).splitlines()
    lines = "".join(f'<span id="L-{number}">{row}\n</span>' for number, row in enumerate(rows, 1))
    base = "../" * (name.count("/") + 1)
    return TEMPLATE.format(base=base, name=name, lines=lines)


def style() -> str:
    """The colours of the code, light and dark."""
    light, dark = (HtmlFormatter(style=one).get_style_defs(".source") for one in (LIGHT, DARK))
    chosen = re.sub(r"^\.source", 'html[data-theme="dark"] .source', dark, flags=re.MULTILINE)
    media = re.sub(r"^\.source", 'html:not([data-theme="light"]) .source', dark, flags=re.MULTILINE)
    return f"{light}\n{chosen}\n@media (prefers-color-scheme: dark) {{\n{media}\n}}\n"
