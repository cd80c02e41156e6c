"""What the notebooks of the three Gaussian papers share: figures with captions, noise scales, rows of the ledger."""

from collections.abc import Sequence

import pandas as pd
import sympy as sp

from figures import registry, style
from theory.errata import paragraph
from theory.ledger import Row
from theory.noise_scales import NoiseScale

__all__ = ["paragraph", "scale_latex", "show", "verdicts"]


def show(identifier: str) -> dict[str, pd.DataFrame]:
    """Display the figure of that id with its caption below, and return the data that were drawn."""
    from IPython.display import Markdown, display

    figure = registry.figure(identifier)
    data = style.rounded(figure.tables())
    display(figure.draw(data), Markdown(figure.caption))  # type: ignore[no-untyped-call]
    return data


def scale_latex(row: NoiseScale) -> str:
    """The printed, the derived and the needed scale one below the other, then derived minus printed and the ratio."""
    kind, _, place = row.name.partition("_")
    name = rf"\{kind}" + (rf"_{{{','.join(place)}}}" if place else "")
    rows = [rf"{name}^{{\mathrm{{{label}}}}} &= {sp.latex(getattr(row, label))}"
            for label in ("printed", "derived", "needed")]
    rows.append(rf"\mathrm{{derived}} - \mathrm{{printed}} &= {sp.latex(row.difference)}")
    rows.append(rf"\mathrm{{derived}} / \mathrm{{printed}} &= {sp.latex(row.ratio)}")
    return r"\begin{aligned}" + r" \\[2pt] ".join(rows) + r"\end{aligned}"


def verdicts(rows: Sequence[Row]) -> str:
    """One line per numbered item: its verdict, or in brackets how an item without one is used, and the rigor."""
    lines = []
    for row in rows:
        rigor = ", ".join(dict.fromkeys(record["rigor"] for record in row.get("records", ())))
        verdict = row.get("verdict") or f"({row['status']})"
        lines.append(f"{row['id'].split('/')[1]:<20} {verdict:<16} {rigor}".rstrip())
    return "\n".join(lines)
