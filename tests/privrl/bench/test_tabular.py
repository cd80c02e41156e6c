"""The bench: what it measures and how it counts. No speed is asserted that a busy machine could
miss."""

import itertools
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from privrl import PUCB
from privrl.bench import linear as bench_linear
from privrl.bench import peers
from privrl.bench import tabular as bench
from privrl.environments import riverswim
from tests.contracts_agents import follows


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "SIZES", bench.SIZES[:1])
        return bench.measure(quick=True)


@pytest.mark.slow
def test_a_quick_bench_gives_finite_ratios(rows: list[dict[str, Any]]) -> None:
    (row,) = rows
    assert list(row) == [
        "S, A, H",
        "floor",
        "tree / floor",
        "pucb burn-in / floor",
        ("pucb known / floor"),
        "pucb known / ubev",
        "plain Python / compiled",
        "ubev episodes a second",
    ]
    assert row["S, A, H"] == "3, 2, 3"
    assert row["floor"] in ("laplace", "difference of exponentials", "exponential and sign bits")
    assert all(math.isfinite(value) and value > 0 for value in list(row.values())[2:])


@pytest.mark.slow
def test_compiled_kernels_are_far_faster_than_plain_python(rows: list[dict[str, Any]]) -> None:
    assert rows[0]["plain Python / compiled"] > 5  # some hundreds where nothing else runs


def test_a_ratio_is_the_median_over_turns() -> None:
    times = {"a": [2.0, 30.0, 4.0, 4.0], "b": [1.0, 10.0, 1.0, 2.0]}
    assert bench_linear.ratio(times, "a", "b") == 2.5  # of 2, 3, 4, 2
    assert bench_linear.ratio(times, "b", "b") == 1.0


def test_turns_are_taken_in_rotation_after_a_first_call_that_is_not_counted() -> None:
    calls: list[str] = []
    times = bench_linear.turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3)
    assert "".join(calls) == "ab" + "ababab"
    assert {name: len(values) for name, values in times.items()} == {"a": 3, "b": 3}
    assert all(value >= 0 for values in times.values() for value in values)


@pytest.mark.slow
@pytest.mark.parametrize(
    "route", ["laplace", "difference of exponentials", "exponential and sign bits"]
)
def test_every_floor_draws_laplace_variables(route: str) -> None:
    """Each is a full rival."""
    draw = bench.laplace_routes(np.random.Generator(np.random.SFC64(4)), 500, 90)[route]
    assert follows(np.concatenate([draw().ravel() for _ in range(4)]), stats.laplace)
    assert draw().shape == (500, 90)


def test_a_contestant_plays_its_episodes() -> None:
    agent = PUCB(1e6)
    learner = agent.start(riverswim(3), 10**6, np.array([1]))
    same = SimpleNamespace(start=lambda *_: learner, noise=agent.noise)
    block = bench_linear.playing(riverswim(3), same, 250, rows=100)
    assert learner.state.finished == 300
    block()
    assert learner.state.finished == 400


# a stand-in for the peer: its n-th turn in either mode takes n seconds a block of `budget`
# episodes, after some chatter
FAKE = """
import sys
turns = {"False": 0, "True": 0}
for line in sys.stdin:
    mode, budget = line.split()
    turns[mode] += 1
    print("chatter")
    print("seconds", turns[mode] * (2 if mode == "True" else 1) / int(budget), flush=True)
"""


def test_a_peer_is_compared_by_one_statistic_on_both_sides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peers, "install", lambda folder: Path(sys.executable))
    monkeypatch.setattr(peers, "_SCRIPT", FAKE)
    ours = itertools.chain([99.0], itertools.cycle([0.25, 0.5, 1.0]))  # the first is not counted
    monkeypatch.setattr(peers, "_whole_run", lambda mdp: next(ours))
    plain, real_time = peers.measure(tmp_path, turns=3, budget=1)
    assert list(plain.values())[1:] == [2 / 0.5, 1 / 0.25, 0.5 * 1e6]
    assert list(real_time.values())[1:] == [4 / 0.5, 2 / 0.25, 0.5 * 1e6]
    monkeypatch.setattr(peers, "_SCRIPT", "input()")  # ends without an answer
    with pytest.raises(SystemExit, match="the peer stopped"):
        peers.measure(tmp_path, turns=1, budget=1)
