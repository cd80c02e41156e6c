"""Each paper's notebook, turned at five settings: no bound beside the reader's run has a false
name, and no picture says nothing."""

import re
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from matplotlib.figure import Figure

from figures import reading
from privrl.types import Run
from reproduce import making as reproduce
from reproduce import notebooks
from tests.figures import test_legible

FOLDER = reproduce.ROOT / "notebooks"
TurnedSetting = tuple[Any, ...]  # a value of each choice of the cell, in its order
# epsilon, counter (not of local noise), calibration, episodes: the first is the committed one
SETTINGS: dict[str, list[TurnedSetting]] = {
    "01_vietri2020_pucb": [
        (100.0, "blt", "tight", 10**5),
        (1000.0, "blt", "corrected", 10**5),
        (1000.0, "honaker", "tight", 10**5),
        (1000.0, "signed", "tight", 10**5),
        (1000.0, "tree", "printed", 10**6),
    ],
    "02_chowdhury2021_lq": [
        (1000.0, "blt", "tight", 10**5),
        (1000.0, "honaker", "tight", 10**5),
        (1000.0, "blt", "corrected", 10**5),
        (1000.0, "tree", "printed", 10**5),
        (1000.0, "smooth", "tight", 10**5),
    ],
    "03_liao2021_ldp": [
        (100.0, "tight", 10**5),
        (1000.0, "tight", 10**5),
        (1000.0, "corrected", 10**5),
        (100.0, "corrected", 10**5),
        (1000.0, "tight", 10**4),
    ],
    "04_zhou2022_linear": [
        (100.0, "blt", "tight", 10**5),
        (1000.0, "blt", "tight", 10**5),
        (1000.0, "tree", "tight", 10**5),
        (100.0, "blt", "corrected", 10**5),
        (1000.0, "tree", "corrected", 10**5),
    ],
}


class Picture(NamedTuple):
    """What a reader's cell draws."""

    runs: Mapping[str, Run]  #: the private agent first
    bounds: Mapping[str, Callable[[int], float]]
    trivial: float  #: of an episode
    figure: Figure | None = None


class Cell(NamedTuple):
    """A notebook's cell to turn."""

    play: Callable[..., Iterable[Any]]
    choices: Mapping[str, tuple[list[Any], Any]]
    drawn: list[Picture]


def cell_to_turn(notebook: str) -> Cell:
    """The cell that plays agents, with the cell of parameters above it and the imports above both;
    nothing is played yet."""
    cells = notebooks.read(FOLDER / f"{notebook}.py").cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    at = next(place for place, source in enumerate(sources) if "def play(" in source)
    imports = re.findall(r"^(?:import|from) .*$", "\n".join(sources[:at]), flags=re.MULTILINE)
    drawn: list[Picture] = []
    turned: dict[str, Any] = {}

    def between(runs: Any, bounds: Any, trivial: float) -> Any:
        figure, table = reading.between(runs, bounds, trivial)
        drawn.append(Picture(dict(runs), dict(bounds), trivial, figure))
        return figure, table

    def turn(play: Any, **choices: Any) -> None:
        turned.update(play=play, choices=choices)

    names: dict[str, Any] = {}
    exec("\n".join(imports), names)
    names["reading"] = SimpleNamespace(
        runs=reading.runs,
        between=between,
        turn=turn,
        learnt=reading.learnt,
        words=reading.words,
    )
    exec(sources[at - 1], names)
    exec(sources[at], names)
    return Cell(turned["play"], turned["choices"], drawn)


def faults(picture: Picture) -> list[str]:
    """False names of bounds, and a picture of which no bound says anything."""
    run = next(iter(picture.runs.values()))
    last = int(run.episodes[-1])
    most, everything = float(run.regret[:, -1].max()), picture.trivial * last
    ends = {name: bound(last) for name, bound in picture.bounds.items()}
    lower = {name for name in ends if "lower" in name}
    wrong = [
        f"{name} lies below the run"
        for name, end in ends.items()
        if name not in lower and end < most
    ]
    wrong += [f"{name} is of one instance" for name in lower if "worst" not in name]
    wrong += [f"{name} exceeds what can be lost" for name in lower if ends[name] > everything]
    if not any(end < everything for name, end in ends.items() if name not in lower):
        wrong.append("no upper bound says anything")
    return wrong


CASES = [
    pytest.param(notebook, setting, marks=[pytest.mark.long] if place else [])
    for notebook, settings in SETTINGS.items()
    for place, setting in enumerate(settings)
]


@pytest.mark.slow
@pytest.mark.parametrize(("notebook", "setting"), CASES)
def test_a_turned_cell_has_true_names_and_a_bound_that_bites(
    notebook: str, setting: TurnedSetting
) -> None:
    cell = cell_to_turn(notebook)
    for value, (options, _) in zip(setting, cell.choices.values(), strict=True):
        assert value in options
    shown = list(cell.play(*setting))
    assert len(shown) >= 2
    (picture,) = cell.drawn
    assert faults(picture) == []
    assert picture.figure is not None
    title = picture.figure.axes[0].get_title()
    assert title.startswith(f"{next(iter(picture.runs))} loses ")
    assert test_legible.faults(picture.figure, title) == []


NO_BOUND_BITES = [
    ("01_vietri2020_pucb", (100.0, "blt", "corrected", 10**3), "every upper bound is vacuous"),
    ("02_chowdhury2021_lq", (1000.0, "smooth", "corrected", 10**3), "every upper bound is vacuous"),
    ("03_liao2021_ldp", (1.0, "corrected", 10**3), "every upper bound is vacuous"),
    ("04_zhou2022_linear", (10.0, "local", "printed", 10**3), "no upper bound is drawn"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("notebook", "setting", "said"), NO_BOUND_BITES)
def test_a_picture_of_which_no_bound_bites_says_so(
    notebook: str, setting: TurnedSetting, said: str
) -> None:
    cell = cell_to_turn(notebook)
    list(cell.play(*setting))
    (picture,) = cell.drawn
    assert faults(picture) == ["no upper bound says anything"]
    assert picture.figure is not None
    title = picture.figure.axes[0].get_title()
    assert said in title
    assert test_legible.faults(picture.figure, title) == []


@pytest.mark.parametrize("counter", ["tree", "local"])
def test_the_sum_for_the_papers_tree_is_not_drawn_for_local_noise(counter: str) -> None:
    cell = cell_to_turn("04_zhou2022_linear")
    list(cell.play(100.0, counter, "tight", 10**3))
    (picture,) = cell.drawn
    assert ("theorem 6.5's sum" in picture.bounds) == (counter == "tree")
    assert "upper bound, proved" in picture.bounds


@pytest.mark.parametrize("notebook", SETTINGS)
def test_five_settings_begin_with_the_committed_one(notebook: str) -> None:
    settings, cell = SETTINGS[notebook], cell_to_turn(notebook)
    assert len(set(settings)) == 5
    assert settings[0] == tuple(first for _, first in cell.choices.values())


MUTANTS = {
    "lies below the run": {"upper bound, proved": lambda last: 0.5 * last},
    "is of one instance": {
        "upper bound, proved": lambda last: 1.5 * last,
        "lower bound": lambda last: 0.0,
    },
    "exceeds what can be lost": {
        "upper bound, proved": lambda last: 1.5 * last,
        "lower bound, worst MDP": lambda last: 3.0 * last,
    },
    "says anything": {"the sum behind theorem 4": lambda last: 2.5 * last},
    "": {
        "the sum behind theorem 4": lambda last: 2.5 * last,
        "upper bound, proved": lambda last: 1.5 * last,
        "lower bound, worst MDP": lambda last: 1.2 * last,
    },
}


@pytest.mark.parametrize("fault", MUTANTS)
def test_a_false_name_and_an_empty_picture_are_seen(fault: str) -> None:
    run = SimpleNamespace(
        episodes=np.array([10, 100]), regret=np.array([[10.0, 100.0], [9.0, 90.0]])
    )
    picture = Picture({"private": run}, MUTANTS[fault], 2.0)  # type: ignore[dict-item]
    found = faults(picture)
    assert found == [] if not fault else any(fault in message for message in found)
