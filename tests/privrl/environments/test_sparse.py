"""Sparse problems: there and back, and a support that is not as it must be is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.environments import SparseMDP, chain, random_mdp, riverswim
from tests.contracts import refused

RIVER = riverswim(4, 3)


@pytest.mark.parametrize("mdp", [RIVER, random_mdp(3, 2, 2, 0), chain(3)], ids=lambda mdp: mdp.name)
def test_there_and_back(mdp: Any) -> None:
    sparse = SparseMDP.of(mdp)
    back = sparse.dense()
    for name in ("transitions", "rewards", "initial"):
        assert np.array_equal(getattr(back, name), getattr(mdp, name))
    assert (sparse.horizon, sparse.states, sparse.actions, sparse.coins, sparse.ties) == (
        back.horizon,
        back.states,
        back.actions,
        back.coins,
        back.ties,
    )
    assert sparse.fan == (back.transitions > 0).any(axis=0).sum(axis=-1).max()
    assert sparse.after.size == sparse.first[-1] == (sparse.support >= 0).sum()


def test_a_river_flows_to_neighbours_alone() -> None:
    sparse = SparseMDP.of(RIVER)
    assert sparse.fan == 3 and sparse.support[1].tolist() == [[0, -1, -1], [0, 1, 2]]
    wide = SparseMDP.of(RIVER, np.ones((4, 2, 4)))
    assert wide.fan == 4 and np.array_equal(wide.dense().transitions, RIVER.transitions)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("support", [[[0, 2]], [[0, 1]]], "support must be whole numbers in 0..1, or -1"),
        ("support", [[[0.5, 1]], [[0, 1]]], "support must be whole numbers"),
        ("support", [[[1, 0]], [[0, 1]]], "in increasing order"),
        ("support", [[[1, 1]], [[0, 1]]], "in increasing order"),
        ("support", [[[-1, 1]], [[0, 1]]], "one state or more"),
        ("support", [[[0, -1]], [[0, 1]]], "transitions must be 0 where the support is -1"),
        ("transitions", [[[[0.5, 0.4]], [[1, 0]]]], "every row of transitions must sum to 1"),
        ("transitions", [[[[1.5, -0.5]], [[1, 0]]]], "transitions must be >= 0"),
        ("rewards", [[[2], [0]]], "rewards must be in"),
        ("initial", [1, 1], "every row of initial must sum to 1"),
        ("name", "", "name must be a non-empty string"),
    ],
)
def test_what_is_no_sparse_problem_is_refused(name: str, value: object, message: str) -> None:
    good: dict[str, Any] = {
        "name": "two",
        "support": [[[0, 1]], [[0, 1]]],
        "transitions": [[[[0.5, 0.5]], [[1, 0]]]],
        "rewards": [[[1], [0]]],
        "initial": [1, 0],
    }
    SparseMDP(**good)
    assert message in refused(lambda: SparseMDP(**{**good, name: value}))


def test_a_support_that_leaves_out_a_transition_is_refused() -> None:
    assert "possible must hold wherever" in refused(
        lambda: SparseMDP.of(RIVER, np.eye(4)[:, None].repeat(2, axis=1))
    )


def test_the_queue_of_the_documentation() -> None:
    """The page's code up to the agent."""
    text = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    code = text.split("## How large")[1].split("```python\n")[1].split("agent =")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    problem = names["problem"]
    assert (problem.states, problem.fan, problem.after.size) == (200, 3, 5 * (3 * 200 - 2))
    assert problem.support[0, 0].tolist() == [0, 1, -1] and problem.support[7, 4].tolist() == [
        6,
        7,
        8,
    ]
    assert problem.support[199, 0].tolist() == [198, 199, -1]
