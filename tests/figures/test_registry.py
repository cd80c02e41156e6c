"""Every figure is whole, is committed, and is drawn from its committed data alone.

`make reproduce` computes the data of all again and renders them; tests/test_reproduce.py a few.
"""

import functools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from figures import costs, identifiers, left_out, registry, runs, style
from reproduce import making as reproduce
from tests.figures.test_legible import faults

IDS = identifiers.ids()


data = functools.cache(registry.committed)


@pytest.mark.parametrize("identifier", IDS)
def test_a_figure_names_captions_and_describes_itself(identifier: str) -> None:
    figure = registry.figure(identifier)
    for text in (figure.caption, figure.alt):
        assert len(text.split()) >= 20 and text.endswith(".") and "  " not in text
    assert figure.caption != figure.alt
    first = figure.caption.split(". ")[0]  # what it shows
    # some 120 where nothing is left to cut
    assert len(figure.caption.split()) <= 165 and len(first.split()) <= 40
    assert not first.startswith(("Left", "Top", "Lines:"))


# probabilities, and numbers of episodes up to 10^17
SMALL = {
    "delta",
    "printed",
    "smallest",
    "episodes",
}


@pytest.mark.slow
@pytest.mark.parametrize("identifier", IDS)
def test_no_table_holds_what_rounding_leaves_of_a_zero(identifier: str) -> None:
    numbers = (
        pd.read_csv(registry.DATA / f"{identifier}.csv", low_memory=False)
        .select_dtypes("float")
        .abs()
    )
    for column in numbers.columns.difference(SMALL):
        values = numbers[column][np.isfinite(numbers[column])]
        assert not ((values > 0) & (values < 1e-14 * max(1.0, values.max()))).any(), column


@pytest.mark.slow
@pytest.mark.parametrize("identifier", IDS)
def test_a_figure_is_drawn_from_its_data_alone_and_read_at_a_glance(identifier: str) -> None:
    """Drawn once: nothing takes longer here. `make reproduce` renders every figure and compares."""
    figure, tables = registry.figure(identifier), data(identifier)
    copies = {name: table.copy() for name, table in tables.items()}
    drawn = figure.draw(tables)
    assert isinstance(drawn, Figure) and drawn.get_figwidth() == style.COLUMN
    for name, table in copies.items():
        pd.testing.assert_frame_equal(table, tables[name])  # drawing changes nothing
    with Image.open(registry.RENDERED / f"{identifier}.png") as committed:
        committed.load()
        assert committed.info["Description"] == figure.alt and committed.info["Title"] == identifier
        assert committed.size == pytest.approx(style.DPI * drawn.get_size_inches(), abs=1)
    assert drawn.get_suptitle() == figure.message
    assert 30 < len(figure.message) <= 82 and not re.search(r"[.:]$|_", figure.message)
    assert faults(drawn, figure.message) == []


@pytest.mark.long  # a minute, for a generator without a seed, which no figure here needs
@pytest.mark.parametrize("identifier", IDS)
def test_a_figure_is_drawn_twice_alike(identifier: str) -> None:
    drawn, again = (registry.figure(identifier).draw(data(identifier)) for _ in range(2))
    lines, same_lines = (
        [line.get_xydata().tobytes() for axes in figure.axes for line in axes.lines]
        for figure in (drawn, again)
    )
    assert lines == same_lines


def test_what_is_committed_is_what_the_registry_renders() -> None:
    committed = {
        path.relative_to(identifiers.FOLDER).as_posix()
        for place in ("data", "rendered")
        for path in (identifiers.FOLDER / place).iterdir()
        if path.is_file()
    }
    assert committed == {
        f"{place}/{identifier}.{suffix}" for identifier in IDS for place, suffix in style.PLACES
    }


def test_every_committed_table_has_its_figure() -> None:
    tables = {path.stem for path in runs.TABLES.glob("*.csv")}
    # costs, which docs/speed.md has as tables, and what docs/measure.md says in words
    said = {name for name in tables if name.startswith("bench_")} | {costs.ID, left_out.ID}
    assert tables - set(IDS) - said == set()


@pytest.mark.slow
def test_render_uses_a_recomputed_table_where_there_is_one(tmp_path: Path) -> None:
    """A changed datum of a long run changes the figure's data: the comparison above would see
    it."""
    lines = (runs.TABLES / "vietri2020_regret.csv").read_text("utf-8").splitlines()
    lines[1] = f"{lines[1].rpartition(',')[0]},123456.7"
    (tmp_path / "data" / "runs").mkdir(parents=True)
    (tmp_path / "data" / "runs" / "vietri2020_regret.csv").write_text(
        "\n".join(lines) + "\n", "utf-8"
    )
    csv, png, pdf = registry.render("vietri2020_regret", tmp_path, pdf=True)
    assert "line " in reproduce.figure_difference(registry.DATA / csv.name, csv)
    assert pdf.read_bytes().startswith(b"%PDF") and png.stat().st_size > 10_000


def test_an_unknown_figure_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="nearest: vietri2020_regret"):
        registry.figure("vietri2020_regrets")
    with pytest.raises(ValueError, match="got id='style'"):
        registry.recompute("style", Path("unused"))


def test_recomputing_a_figure_without_long_runs_does_nothing(tmp_path: Path) -> None:
    registry.recompute("vietri2020_privacy", tmp_path)
    assert not list(tmp_path.iterdir())
