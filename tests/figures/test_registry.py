"""Every figure is whole, is committed, and its data are what the code gives now."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from figures import registry, reproduce, runs, style

IDS = registry.ids()
SUFFIXES = ("csv", "pdf", "png")


@pytest.fixture(scope="module")
def data() -> dict[str, dict[str, pd.DataFrame]]:
    """What every figure draws, computed once."""
    return {identifier: style.rounded(registry.module(identifier).tables()) for identifier in IDS}


def test_the_figures_of_the_first_paper_are_there() -> None:
    names = ("collusion", "counter_error", "counters", "diagnosis", "hard_mdp", "horizon", "learning", "live", "lower",
             "nonvacuous", "pac", "price", "privacy", "regret")
    assert tuple(f"vietri2020_{name}" for name in names) == tuple(name for name in IDS if name.startswith("vietri2020"))


@pytest.mark.parametrize("identifier", IDS)
def test_a_figure_names_captions_and_describes_itself(identifier: str) -> None:
    figure = registry.module(identifier)
    assert identifier == figure.ID
    for text in (figure.CAPTION, figure.ALT):
        assert len(text.split()) >= 20 and text.endswith(".") and "  " not in text
    assert figure.CAPTION != figure.ALT


@pytest.mark.parametrize("identifier", IDS)
def test_the_committed_data_are_computed_again(identifier: str, data: dict[str, dict[str, pd.DataFrame]]) -> None:
    committed = (registry.FOLDER / f"{identifier}.csv").read_text("utf-8")
    assert style.csv(data[identifier]) == committed


@pytest.mark.parametrize("identifier", IDS)
def test_a_figure_is_drawn_from_its_data_alone_twice_alike(
    identifier: str, data: dict[str, dict[str, pd.DataFrame]], tmp_path: Path
) -> None:
    chosen = registry.module(identifier)
    kept = {name: table.copy() for name, table in data[identifier].items()}
    drawn = chosen.draw(data[identifier])
    assert isinstance(drawn, Figure) and drawn.get_figwidth() == style.COLUMN
    pictures = []
    for figure in (drawn, chosen.draw(data[identifier])):
        with io.BytesIO() as file:
            style.styled(figure.savefig)(file, format="png", dpi=60)
            pictures.append(file.getvalue())
    assert pictures[0] == pictures[1]
    made = style.save(drawn, tmp_path, identifier, data[identifier], chosen.ALT)
    for name, table in kept.items():
        pd.testing.assert_frame_equal(table, data[identifier][name])  # drawing changes nothing
    for path in made:  # size, title, alt text and fingerprint of the data are the committed picture's
        assert not reproduce.figure_difference(registry.FOLDER / path.name, path)
    with Image.open(registry.FOLDER / f"{identifier}.png") as committed:
        assert committed.info["Description"] == chosen.ALT and committed.info["Title"] == identifier


def test_what_is_committed_is_what_the_registry_renders() -> None:
    committed = {path.name for suffix in SUFFIXES for path in registry.FOLDER.glob(f"*.{suffix}")}
    assert committed == {f"{identifier}.{suffix}" for identifier in IDS for suffix in SUFFIXES}


def test_every_committed_table_has_its_figure() -> None:
    assert {path.stem for path in runs.TABLES.glob("*.csv")} <= set(IDS)


def test_render_uses_a_recomputed_table_where_there_is_one(tmp_path: Path) -> None:
    """A changed datum of a long run changes the figure's data: the comparison above would see it."""
    lines = (runs.TABLES / "vietri2020_regret.csv").read_text("utf-8").splitlines()
    last = next(index for index, line in enumerate(lines) if ",100000000,0," in line)
    lines[last] = f"{lines[last].rpartition(',')[0]},123456.7"
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "vietri2020_regret.csv").write_text("\n".join(lines) + "\n", "utf-8")
    csv, pdf, png = registry.render("vietri2020_regret", tmp_path)
    assert csv.read_text("utf-8") != (registry.FOLDER / csv.name).read_text("utf-8")
    assert pdf.read_bytes().startswith(b"%PDF") and png.stat().st_size > 10_000


def test_an_unknown_figure_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="nearest: vietri2020_regret"):
        registry.module("vietri2020_regrets")
    with pytest.raises(ValueError, match="got id='style'"):
        registry.recompute("style", Path("unused"))


def test_recomputing_a_figure_without_long_runs_does_nothing(tmp_path: Path) -> None:
    registry.recompute("vietri2020_privacy", tmp_path)
    assert not list(tmp_path.iterdir())
