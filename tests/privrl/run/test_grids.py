"""Grids: what is asked for on every axis, from text, lists and files; each run once; anything else
in one sentence."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl.run import grids
from privrl.run.sweep import RunPlan
from tests.contracts import refused

ID = "vietri2020/riverswim-3"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("epsilon", "0.5,1,2", (0.5, 1.0, 2.0)),
        ("epsilon", 3, (3,)),
        ("epsilon", [1, "2,3"], (1, 2.0, 3.0)),
        ("seed", "0:4", (0, 1, 2, 3)),
        ("seed", "7", (7,)),
        ("seed", "1:3,9", (1, 2, 9)),
        ("episodes", "1e3,2e3", (1000, 2000)),
        ("agent", "pucb,ubev", ("pucb", "ubev")),
        ("id", ID, (ID,)),
        ("seed", "9" * 30, (int("9" * 30),)),
    ],
)
def test_values(name: str, text: Any, expected: tuple[Any, ...]) -> None:
    assert grids.values(name, text) == expected


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=5))
def test_numbers_survive_their_text(numbers: list[float]) -> None:
    assert grids.values("epsilon", ",".join(map(repr, numbers))) == tuple(numbers)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("epsilon", "1,", "epsilon must be a real number, got epsilon=''"),
        ("epsilon", "a", "epsilon must be a real number, got epsilon='a'"),
        ("epsilon", "0:3", "epsilon must be a real number"),
        ("seed", "3:3", "seed must be a range a:b with a < b, got seed='3:3'"),
        ("seed", "5:2", "seed must be a range a:b with a < b"),
        ("seed", "0:", "seed must be a whole number or a range a:b, got seed='0:'"),
        ("seed", "0:1:2", "seed must be a whole number or a range a:b"),
        ("seed", "0.5", "seed must be a whole number"),
        ("seed", f"0:{10**9}", "seed must have at most 1000000 values"),
        ("episodes", "nan", "episodes must be a whole number, got episodes='nan'"),
        ("episodes", "x" * 500, "episodes must be a whole number"),
        ("agent", [], "agent must have a value"),
        ("agent", [["pucb"]], ("agent must be a list of single values")),
    ],
)
def test_text_that_is_no_value_is_refused(name: str, text: Any, says: str) -> None:
    assert refused(lambda: grids.values(name, text)).startswith(says)


def test_a_grid_is_every_combination_in_order() -> None:
    plans = grids.grid(
        {
            "id": ID,
            "epsilon": "0.5,1",
            "seed": "0:2",
            "episodes": 50,
            "replicates": 3,
            "delta": None,
        }
    )
    assert plans == tuple(
        RunPlan(ID, epsilon=epsilon, episodes=50, replicates=3, seed=seed)
        for epsilon in (0.5, 1.0)
        for seed in (0, 1)
    )


def test_no_run_is_in_a_grid_twice() -> None:
    """The base without privacy has no epsilon; a value may be asked for twice, or in words and by
    default."""
    plans = grids.grid({"id": ID, "agent": "pucb,ubev", "epsilon": "0.5,1,1", "episodes": 50})
    assert [(plan.agent, plan.epsilon) for plan in plans] == [
        ("pucb", 0.5),
        ("pucb", 1.0),
        ("ubev", 0.5),
    ]
    more, fewer = (
        {"id": ID, "episodes": 50, "replicates": 5},
        {"id": ID, "agent": "pucb", "episodes": 50},
    )
    assert grids.grid(fewer, more) == grids.grid(more) == grids.grid(more, fewer)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"epsilon": 1}, "a sweep must have an id"),
        ({"id": ID, "jobs": 2}, ("a setting must be one of id, agent, counter")),
        ({"id": ID, "replicates": "1,2"}, "replicates must be one number, got replicates=(1, 2)"),
        ({"id": ID, "stop-after": [1, 2]}, "stop_after must be one number"),
        ({"id": 3}, ("id must be one of the suite's")),
        (
            {"id": ID, "seed": "0:1000", "replicates": 10**4},
            ("a sweep must have at most 1000000 replicates, got repl"),
        ),
        ({"id": ID, "epsilon": "1,-1"}, "epsilon must be > 0 and finite, got epsilon=-1.0"),
        ({"id": ID, "epsilon": True}, "epsilon must be a real number"),
        ({"id": ID, "seed": {}}, ("seed must be a real")),
        (
            {"id": ID, "stop-after": 3, "stop_after": 4},
            ("a setting must be given once, with - or with _, got settings="),
        ),
        ({"id": ID, "counter": "tree,local"}, "calibration printed exists for the tree counter"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(settings: dict[str, Any], says: str) -> None:
    assert refused(lambda: grids.grid(settings)).startswith(says)


def test_a_file_of_settings(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(f'id = "{ID}"\nepisodes = 50\nseed = "0:2"\n', "utf-8")
    (settings,) = grids.load(path)
    assert grids.grid(settings) == grids.grid({"id": ID, "episodes": 50, "seed": "0:2"})
    path.write_text(
        f'id = "{ID}"\nepisodes = 50\n[[grid]]\nagent = "ubev"\n[[grid]]\nepsilon = '
        f"[1, 2]\n"
        "episodes = 60\n",
        "utf-8",
    )
    assert [
        [(plan.agent, plan.epsilon, plan.episodes) for plan in grids.grid(settings)]
        for settings in grids.load(path)
    ] == [[("ubev", None, 50)], [(None, 1, 60), (None, 2, 60)]]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"id = ", "a file of settings must be TOML, got sweep.toml: "),
        (b"\xff\xfe", ("a file of settings must be TOML")),
        (b"grid = 3", "grid must be a list of tables: [[grid]], got grid=3"),
        (b"grid = []", ("grid must be a list")),
        (b"stop-after = 1\nstop_after = 2", "a setting must be given once"),
        (b"a = " + b"[" * 10**5, "a file of settings must be TOML, got sweep.toml: "),
        (b"[grid]\nid = 3", "grid must be a list of tables"),
        (b"grid = [1]", ("grid must be a list of tables")),
    ],
)
def test_a_file_with_something_else_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "sweep.toml").write_bytes(content)
    assert refused(lambda: grids.load(tmp_path / "sweep.toml")).startswith(says)
