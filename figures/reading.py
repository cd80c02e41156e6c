"""What the notebooks share: figures with captions, lines and tables of a reader's own numbers, rows
of the ledger."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import sympy as sp
from IPython.display import DisplayHandle, Markdown, display

from figures import registry, style
from figures.kinds.lines import Figure, legend_below, single
from figures.learnt import users_words
from figures.yours import agrees_with_table, between, learnt, rates, runs
from theory import errata as written
from theory import ledger
from theory.typed import caption, line

# of a reader's own run, beside what follows
__all__ = [
    "agrees_with_table",
    "between",
    "learnt",
    "rates",
    "runs",
    "users_words",
]


def show(identifier: str) -> dict[str, pd.DataFrame]:
    """Display the figure of that id, drawn from its committed data, with its caption below, and
    return these data."""
    figure = registry.figure(identifier)
    data = registry.committed(identifier)
    display(figure.draw(data), Markdown(caption(figure.caption)))  # type: ignore[no-untyped-call]
    return data


def tables(identifier: str) -> dict[str, pd.DataFrame]:
    """The committed data behind the figure of that id; nothing is displayed."""
    return registry.committed(identifier)


def turn(
    play: Callable[..., Iterable[Any]], **choices: tuple[Sequence[Any], Any]
) -> dict[str, Any]:
    """Sliders and menus above what ``play`` shows; each move plays again, in place of what stood
    there.

    Without a mouse the cell shows what ``play`` shows for the values that are given first.

    Parameters
    ----------
    play : from a value of each choice to what is displayed, always as many things of the same kinds
    choices : by argument of ``play``, what it can be and what it is at first, which a reader may
        have typed: it becomes one more choice where it is none

    Returns
    -------
    The widget of each argument.
    """
    import ipywidgets

    def widget(name: str, options: Sequence[Any], first: Any) -> Any:
        in_words = isinstance(first, str)
        kind = ipywidgets.Dropdown if in_words else ipywidgets.SelectionSlider
        once = {} if in_words else {"continuous_update": False}  # played where a slider is let go
        if first not in options:
            options = [*options, first] if in_words else sorted([*options, first])
        named = [
            (style.number(option) if isinstance(option, float | int) else str(option), option)
            for option in options
        ]
        return kind(
            options=named,
            value=first,
            description=name.replace("_", " "),
            **once,
            style={"description_width": "initial"},
        )

    widgets = {name: widget(name, *choice) for name, choice in choices.items()}
    says = ipywidgets.Label("")

    def played() -> list[Any]:
        return [*play(**{name: chooser.value for name, chooser in widgets.items()})]

    display(ipywidgets.VBox([*widgets.values(), says]))  # type: ignore[no-untyped-call]
    places = []
    for item in played():
        places.append(DisplayHandle())  # type: ignore[no-untyped-call]
        places[-1].display(item)  # type: ignore[no-untyped-call]

    def again(change: Any) -> None:
        says.value = "playing .."
        try:
            for place, item in zip(places, played(), strict=True):
                place.update(item)  # type: ignore[no-untyped-call]
            says.value = ""
        except ValueError as error:  # of a value that does not fit the others
            says.value = f"{error}; below stands what was played before"

    for chosen in widgets.values():
        chosen.observe(again, names="value")
    return widgets


def words(text: str) -> Markdown:
    """A sentence that a slider may change."""
    return Markdown(text)  # type: ignore[no-untyped-call]


def answers(*texts: str) -> Markdown:
    """The answers to a notebook's exercises, in their order, each folded."""
    return words(
        "\n\n".join(
            f"<details><summary>answer {number}</summary>\n\n{' '.join(text.split())}\n\n</details>"
            for number, text in enumerate(texts, 1)
        )
    )


def table(
    rows: pd.DataFrame | Iterable[Sequence[Any]], columns: Sequence[str] = ()
) -> pd.DataFrame:
    """Numbers to three digits, and an empty cell where there is none; of tuples, the first column
    names the rows.

    Headings and names of rows are in words: the names of data without underscores, Greek letters,
    lowered digits; or numbers, written alike.
    """
    cells = (
        rows
        if isinstance(rows, pd.DataFrame)
        else pd.DataFrame(rows, columns=list(columns)).set_index(columns[0])
    )
    cells = cells.rename(index=_heading, columns=_heading).rename_axis(
        index=_heading, columns=_heading
    )
    return cells.map(_written)


def _written(value: Any) -> Any:
    """A number as it is printed; words, switches and None as they are."""
    if isinstance(value, str | bool | np.bool_) or value is None:
        return value
    return "" if np.isnan(value) else style.number(float(value))


def _heading(name: Any) -> Any:
    if isinstance(name, float | np.floating):
        return _written(name)
    if not isinstance(name, str):
        return name
    name = line(name)
    return name.replace("_", " ") if name.isidentifier() else name


@style.styled
def plot(
    x: Any,
    lines: Mapping[str, Any],
    points: Mapping[str, tuple[Any, Any, Any]] | None = None,
    **settings: Any,
) -> Figure:
    """Named lines over ``x`` in one panel, the first one whole, the others dashed; ``settings`` as
    ``Axes.set``'s.

    ``points``: abscissas, lower and upper ends of intervals. A line may be one number, a level.
    """
    figure, axes = single(2.8)
    dashes = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (3, 1, 1, 1)))
    for at, (name, y) in enumerate(lines.items()):
        axes.plot(
            x,
            np.broadcast_to(y, np.shape(x)),
            color=style.PALETTE[at],
            linestyle=dashes[at % 4],
            label=line(name),
        )
    for at, (name, (where, low, high)) in enumerate((points or {}).items(), len(lines)):
        axes.vlines(where, low, high, color=style.PALETTE[at], linewidth=2.5, label=line(name))
    axes.set(
        **{
            name: line(value) if isinstance(value, str) else value
            for name, value in settings.items()
        }
    )
    return legend_below(figure, axes, 2)


def check_committed(
    sentence: Callable[[], None], arguments: tuple[Any, ...], committed: tuple[Any, ...]
) -> None:
    """Check what is said of a run with the committed parameters; where others are given, say that
    it is not checked."""
    if arguments == committed:
        sentence()
    else:
        print("other parameters than the committed ones: what is said of those is not checked here")


def steps(*lines: tuple[str, sp.Basic]) -> Markdown:
    """Numbered lines of a derivation, each with its formula typeset, apart so that no fraction
    touches the next."""
    formulas = [
        f"{number}. {words}: $\\displaystyle {_typeset(formula)}$"
        for number, (words, formula) in enumerate(lines, 1)
    ]
    return Markdown("\n\n".join(formulas))  # type: ignore[no-untyped-call]


def factors(**calibrations: Mapping[str, sp.Expr]) -> Markdown:
    """Table: by calibration the factors of its noise, each with its name, and below them their
    product, which sympy multiplies."""
    names = list(dict.fromkeys(name for parts in calibrations.values() for name in parts))
    rows = {
        name: [parts.get(name, sp.Integer(1)) for parts in calibrations.values()] for name in names
    }
    rows["product"] = [sp.Mul(*parts.values()) for parts in calibrations.values()]
    lines = ["| factor | " + " | ".join(f"`{name}`" for name in calibrations) + " |"]
    lines.append("| --- " * (len(calibrations) + 1) + "|")
    for name, cells in rows.items():
        formulas = " | ".join(f"$\\displaystyle {_typeset(cell)}$" for cell in cells)
        lines.append(f"| {name} | {formulas} |")
    return Markdown("\n".join(lines))  # type: ignore[no-untyped-call]


def _typeset(formula: sp.Basic) -> str:
    # c^{2/5}: a fraction that is stacked in an exponent is too small to be read
    return str(sp.latex(formula, fold_frac_powers=True)).replace(r"\epsilon", r"\varepsilon")


def rerun(claim: str) -> pd.DataFrame:
    """Run the ledger's checks of a claim again: of what, with which verdict, how."""
    (row,) = ledger.run(claim)
    records = [
        (line(record["of"]), record["verdict"], record["rigor"]) for record in row["records"]
    ]
    return pd.DataFrame(records, columns=[claim, "verdict", "rigor"]).set_index(claim)


def errata(paper: str) -> Markdown:
    """The errata of a paper as the committed ledger has them, typeset: each kind is folded, with
    how many there are, and in it what stands below a title."""
    rows = [row for row in ledger.recorded() if row["id"].startswith(f"{paper}/")]
    folded = written.folded(written.markdown(paper, rows, typed=caption))
    _, *kinds = re.split(r"^### (.*)\n", folded, flags=re.MULTILINE)
    folded = "\n\n".join(
        f"<details><summary><strong>{title}</strong> "
        f"({len(re.findall(r'^[*][*][0-9]+[.] ', errata_, re.MULTILINE))})</summary>\n\n"
        f"{errata_.strip()}\n\n</details>"
        for title, errata_ in zip(kinds[::2], kinds[1::2], strict=True)
    )
    return Markdown(folded)  # type: ignore[no-untyped-call]


def verdicts(paper: str) -> pd.DataFrame:
    """A row per item of a paper: its verdict, or in brackets how an item without one is used, its
    cause, the rigor.

    How many have which verdict is printed.
    """
    rows = [row for row in ledger.recorded() if row["id"].startswith(f"{paper}/")]
    counts = (f"{count} {verdict}" for verdict, count in ledger.tally(rows, paper).items() if count)
    print(textwrap.fill(", ".join(counts), 100))
    verdicts_ = [
        (
            row["id"].split("/")[1],
            ledger.state(row),
            row.get("cause") or "",
            ", ".join(dict.fromkeys(record["rigor"] for record in row.get("records", ()))),
        )
        for row in rows
    ]
    return pd.DataFrame(verdicts_, columns=["item", "verdict", "cause", "rigor"]).set_index("item")
