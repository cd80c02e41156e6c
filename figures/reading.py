"""What the notebooks of the three Gaussian papers share: figures with captions, noise scales, rows of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

import pandas as pd
import sympy as sp

from figures import registry, style
from theory import ledger
from theory.ledger import Row
from theory.noise_scales import NoiseScale


def show(identifier: str) -> dict[str, pd.DataFrame]:
    """Display the figure of that id with its caption below, and return the data that were drawn."""
    from IPython.display import Markdown, display

    figure = registry.module(identifier)
    data = style.rounded(figure.tables())
    display(figure.draw(data), Markdown(figure.CAPTION))  # type: ignore[no-untyped-call]
    return data


def paragraph(text: str) -> str:
    """Wrapped, indented text."""
    return fill(" ".join(text.split()), 110, initial_indent="    ", subsequent_indent="    ")


def scale_latex(row: NoiseScale) -> str:
    """The printed, the derived and the needed scale one below the other, then derived minus printed and the ratio."""
    kind, _, place = row.name.partition("_")
    name = rf"\{kind}" + (rf"_{{{','.join(place)}}}" if place else "")
    rows = [rf"{name}^{{\mathrm{{{label}}}}} &= {sp.latex(getattr(row, label))}"
            for label in ("printed", "derived", "needed")]
    rows.append(rf"\mathrm{{derived}} - \mathrm{{printed}} &= {sp.latex(row.difference)}")
    rows.append(rf"\mathrm{{derived}} / \mathrm{{printed}} &= {sp.latex(row.ratio)}")
    return r"\begin{aligned}" + r" \\[2pt] ".join(rows) + r"\end{aligned}"


def verdicts(rows: Sequence[Row]) -> pd.DataFrame:
    """A row per item: its verdict, or in brackets how an item without one is used, its cause, and the rigor."""
    made = [(row["id"].split("/")[1], ledger.state(row), row.get("cause") or "",
             ", ".join(dict.fromkeys(record["rigor"] for record in row.get("records", ())))) for row in rows]
    return pd.DataFrame(made, columns=["item", "verdict", "cause", "rigor"]).set_index("item")
