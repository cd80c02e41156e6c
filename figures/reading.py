"""What the notebooks of the three Gaussian papers share: figures with captions, noise scales, rows of the ledger."""

from collections.abc import Sequence

import pandas as pd
import sympy as sp
from IPython.display import Markdown, display

from figures import registry, style
from theory import ledger
from theory.ledger import Row


def show(identifier: str) -> dict[str, pd.DataFrame]:
    """Display the figure of that id with its caption below, and return the data that were drawn."""
    figure = registry.figure(identifier)
    data = style.rounded(figure.tables())
    display(figure.draw(data), Markdown(figure.caption))  # type: ignore[no-untyped-call]
    return data


def steps(*lines: tuple[str, sp.Basic]) -> Markdown:
    """Numbered lines of a derivation, each with its formula typeset."""
    shown = [f"{number}. {words}: $\\displaystyle {sp.latex(formula)}$"
             for number, (words, formula) in enumerate(lines, 1)]
    return Markdown("\n".join(shown))  # type: ignore[no-untyped-call]


def verdicts(rows: Sequence[Row]) -> pd.DataFrame:
    """A row per item: its verdict, or in brackets how an item without one is used, its cause, and the rigor."""
    made = [(row["id"].split("/")[1], ledger.state(row), row.get("cause") or "",
             ", ".join(dict.fromkeys(record["rigor"] for record in row.get("records", ())))) for row in rows]
    return pd.DataFrame(made, columns=["item", "verdict", "cause", "rigor"]).set_index("item")
