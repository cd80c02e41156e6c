"""A reader's own run between its bounds: what is drawn, what is said at the end."""

import dataclasses
from typing import Any

import pytest

from figures import entry_bounds, yours
from figures.chowdhury2021 import regret as chowdhury2021
from figures.style import number
from figures.vietri2020 import regret as vietri2020
from figures.zhou2022 import regret as zhou2022
from privrl import OFURL, UBEV, LinOptVI, PrivateOFURL, simulate, suite
from tests.figures.test_legible import faults

ENTRY = "vietri2020/riverswim-3-relabelled"


@pytest.mark.slow
def test_a_tabular_run_stands_between_its_bounds() -> None:
    played_runs = yours.runs(ENTRY, {"base": UBEV(0.1)}, 2000)
    figure, table = yours.between(played_runs, {"twice trivial": lambda T: 6.0 * T}, trivial=3.0)
    assert [*table.index] == [
        "base",
        "twice trivial",
        "uniform play",
        "best constant action",
        "trivial bound",
    ]
    assert list(table["over the trivial bound"][["twice trivial", "trivial bound"]]) == ["2", "1"]
    # the trivial bound is named at its end, where no line runs
    assert [text.get_text() for text in figure.axes[0].texts] == ["trivial\nbound"]
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {*table.index} - {"trivial bound"}
    lost = played_runs["base"].regret[:, -1].mean() / (
        yours.rates(ENTRY, 3.0)["uniform play"] * 2000
    )
    title = f"base loses {number(100 * float(lost))} % of what uniform play loses"
    said = f"{title};\nevery upper bound is vacuous here"
    assert figure.axes[0].get_title() == said
    assert faults(figure, said) == []
    # the second is vacuous by a hair at the run's own 2000 users
    for start, slope, until in ((3e4, 1.5, "20,100"), (6003.0, 0.0, "2,010")):
        bound = {"sum": lambda T, start=start, slope=slope: start + slope * T}
        needed, _ = yours.between(played_runs, bound, trivial=3.0)
        assert needed.axes[0].get_title() == f"{said}, the lowest until {until} users"
    beside = {"half": lambda T: 1.5 * T, "twice": lambda T: 6.0 * T}
    unproved = f"{title};\nno upper bound is drawn for this choice"
    for bounds, expected in ((beside, title), ({"lower bound": float}, unproved), ({}, title)):
        another, _ = yours.between(played_runs, bounds, trivial=3.0)
        assert another.axes[0].get_title() == expected
        assert faults(another, expected) == []
    assert yours.learnt(played_runs["base"]).startswith("has learnt")
    alone = dataclasses.replace(played_runs["base"], regret=played_runs["base"].regret[:1])
    assert yours.learnt(alone).startswith("has learnt from user ")
    idle = dataclasses.replace(alone, regret=alone.episodes[None].astype(float))
    assert yours.learnt(idle) == "has not learnt"


def test_a_bound_looks_alike_whatever_stands_beside_it_and_as_in_the_stored_figures() -> None:
    entry = "chowdhury2021/scalar"
    played_runs = yours.runs(entry, {"base": OFURL(0.1)}, 100, replicates=1)
    drawn = entry_bounds.of_chowdhury2021(entry, PrivateOFURL(1000.0))
    looks = []
    for order in (1, -1):
        figure, _ = yours.between(played_runs, dict([*drawn.items()][::order]), trivial=2.6)
        looks.append(
            {
                line.get_label(): (line.get_color(), vars(line)["_unscaled_dash_pattern"])
                for line in figure.axes[0].get_lines()
            }
        )
    assert looks[0] == looks[1]
    assert len({looks[0][name] for name in drawn}) == len(drawn) == 3
    # theorem 4's, 3's and 6.5's sums, what is proved and what is lost at least
    stored = {"theorem-4": vietri2020, "lines": chowdhury2021, "printed": zhou2022}
    for name, paper in stored.items():
        assert paper.BOUNDS[name][:2] == yours.look_of("the paper's sum")
        assert paper.BOUNDS["lower"][:2] == yours.look_of("lower bound, worst MDP")
    proved_dashes = {look[1] for look in zhou2022.BOUNDS.values() if "proved" in str(look[2])}
    assert proved_dashes == {yours.look_of("upper bound, proved")[1]}


def test_a_control_system_is_measured_against_doing_nothing() -> None:
    played_runs = yours.runs("chowdhury2021/scalar", {"base": OFURL(0.1)}, 100, replicates=1)
    _, table = yours.between(played_runs, {}, trivial=2.6)
    assert [*table.index] == ["base", "u = 0", "best constant gain", "trivial bound"]
    played_runs = yours.runs("chowdhury2021/lq-2-2", {"base": OFURL(0.1)}, 12, replicates=1)
    figure, table = yours.between(played_runs, {}, trivial=2.6)  # of two controls
    assert [*table.index] == ["base", "u = 0", "trivial bound"]
    assert len(figure.legends[0].get_texts()) == 2


@pytest.mark.parametrize(
    ("entry", "is_nearly_optimal"),
    [
        ("vietri2020/riverswim-3", True),
        ("vietri2020/random-3-2", False),
        ("vietri2020/hard-2-2", False),
    ],
)
def test_a_constant_action_is_nearly_optimal_only_far_below_uniform_play(
    entry: str, is_nearly_optimal: bool
) -> None:
    rates = yours.rates(entry, trivial=1.0)
    alike = rates["best constant action"] > rates["uniform play"] / 2
    assert alike != is_nearly_optimal
    text = yours.learnt(yours.runs(entry, {"base": UBEV(0.1)}, 100)["base"])
    assert ("a constant action is nearly optimal" in text) == is_nearly_optimal
    lost, uniform = (number(rates[name]) for name in ("best constant action", "uniform play"))
    assert is_nearly_optimal or (f"loses {lost} of" in text and f"uniform play {uniform}:" in text)


def test_an_unknown_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        yours.runs("nowhere/river", {"base": UBEV(0.1)}, 10)


@pytest.mark.slow
def test_a_run_is_held_against_the_table_of_the_long_runs() -> None:
    entry = "zhou2022/mixture-2"
    run = simulate.run(
        entry,
        suite.environment(entry),
        LinOptVI(1.0),
        episodes=10**6,
        stop_after=1000,
        replicates=2,
    )
    assert yours.agrees_with_table([run], "zhou2022_regret").startswith("all 56 checkpoints agree")
    others: list[dict[str, Any]] = [
        {"regret": run.regret[::-1]},
        {"regret": run.regret + 0.001},
        {"epsilon": 2.0},
        {"agent": "linopt-po"},
    ]
    for change in others:
        with pytest.raises(ValueError, match="the table zhou2022_regret must begin with the run"):
            yours.agrees_with_table([dataclasses.replace(run, **change)], "zhou2022_regret")


@pytest.mark.parametrize("crossing", [2001, 5000, 10**9])
def test_a_bound_speaks_from_where_it_falls_below_the_trivial_one(crossing: int) -> None:
    found = yours.speaks_from(lambda T: 3.0 * (crossing * T) ** 0.5, 3.0, 2000)
    assert crossing <= found <= 1.001 * crossing + 2


def test_a_bound_that_never_speaks_is_infinite() -> None:
    assert yours.speaks_from(lambda T: 3.0 * T, 3.0, 2000) == float("inf")
