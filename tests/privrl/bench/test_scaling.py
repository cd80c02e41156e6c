"""Exponents: those of exact powers, their interval's coverage, and that everything that is promised
is measured."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl import PUCB, UBEV
from privrl.bench import linear as bench_linear
from privrl.bench import scaling as bench_scaling
from privrl.environments import mixture, random_mdp

SIZES = np.array(bench_scaling.SIZES)


@given(power=st.floats(-3, 3), scale=st.floats(1e-6, 1e6))
@settings(max_examples=25)
def test_an_exact_power_has_its_exponent_and_no_width(power: float, scale: float) -> None:
    assert bench_scaling.exponent(SIZES, scale * SIZES**power) == pytest.approx(
        (power,) * 3, abs=1e-6
    )


def test_what_does_not_grow_has_exponent_zero_to_the_last_bit() -> None:
    """Recorded memory: neither the mean of log T nor that of a level's log is exact."""
    slope, low, high = bench_scaling.exponent([1e5, 1e6, 1e7], [252.8, 252.6, 252.8])
    assert slope == 0 and low == -high < 0
    assert bench_scaling.exponent([1e5, 1e6, 1e7], [150.3] * 3) == (0, 0, 0)


@pytest.mark.slow
def test_the_interval_covers_as_often_as_it_says() -> None:
    """2000 lines with normal errors: as many intervals hold the slope as 95 % of them would, and
    not 90 %."""
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(2000):
        _, low, high = bench_scaling.exponent(
            SIZES, SIZES**1.5 * np.exp(0.1 * rng.standard_normal(SIZES.size))
        )
        inside += low <= 1.5 <= high
    assert abs(inside / 2000 - 0.95) <= 6.5 * math.sqrt(0.95 * 0.05 / 2000)
    assert abs(inside / 2000 - 0.90) > 6.5 * math.sqrt(0.9 * 0.1 / 2000)


def test_what_is_no_pure_power_has_a_wide_interval() -> None:
    _, low, high = bench_scaling.exponent(SIZES, 1.0 * SIZES + 0.05 * SIZES**2)
    assert 1 < low < high < 2 and high - low > 0.2


def test_an_axis_changes_one_letter_and_keeps_the_others() -> None:
    for agent, axes in bench_scaling._AGENTS:
        for axis in axes:
            instance = axis.make(axis.sizes[0])
            if axis.letter == "d" and hasattr(instance, "controls"):
                assert instance.states + instance.controls == axis.sizes[0]
                continue
            known = {"S": "states", "A": "actions", "H": "horizon"}
            have = (
                instance.psi.shape[3]
                if axis.letter == "d"
                else getattr(instance, known[axis.letter])
            )
            assert have == axis.sizes[0], (agent.name, axis.letter)


def test_episodes_and_runs_are_timed_and_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made quick; the numbers drawn are counted exactly, 2 S A H + S^2 A H of PUCB, none without
    noise."""
    axis = bench_scaling._Axis("S", (2, 4, 8), lambda size: random_mdp(size, 2, 2, 0))
    monkeypatch.setattr(bench_scaling, "_AGENTS", ((PUCB(1e6), (axis,)), (UBEV(), (axis,))))
    monkeypatch.setattr(bench_scaling, "WHOLE", {"ubev": bench_scaling.WHOLE["ubev"]})
    monkeypatch.setattr(
        bench_scaling,
        "memory",
        lambda name, quick: [
            {
                "quantity": "memory",
                "agent": name,
                "axis": "T",
                "size": size,
                "value": 150.0,
                "draws": 0,
            }
            for size in (1, 10, 100)
        ],
    )
    messages: list[str] = []
    points = bench_scaling.points(quick=True, say=messages.append)
    assert [row["quantity"] for row in points] == ["episode"] * 6 + ["run"] * 5 + ["memory"] * 3
    assert [row["draws"] for row in points[:3]] == [
        2 * size * 4 + size * size * 4 for size in (2, 4, 8)
    ]
    assert not any(row["draws"] for row in points[3:])
    assert (
        points[0]["value"] == points[3]["value"] == points[6]["value"] == 1.0 and len(messages) == 3
    )
    rows = bench_scaling.exponents(points)
    assert [(row["quantity"], row["agent"], row["axis"], row["sizes"]) for row in rows] == [
        ("episode", "pucb", "S", "2 to 8"),
        ("episode", "ubev", "S", "2 to 8"),
        ("run", "ubev", "T", ("100 to 10000")),
        ("memory", "ubev", "T", "1 to 100"),
    ]
    assert all(row["low"] <= row["exponent"] <= row["high"] for row in rows)
    assert rows[3]["exponent"] == pytest.approx(0, abs=1e-12)
    assert rows[3]["of the draws"] == "-" and rows[3]["largest / smallest"] == 1.0
    assert rows[1]["of the draws"] == "-" and 1 < rows[0]["of the draws"] < 2


@pytest.mark.slow
def test_memory_is_that_of_the_process_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of its parent, which has just held a quarter of a gigabyte more."""
    ballast = np.ones(2**25)
    assert bench_scaling._peak() > ballast.nbytes / 2**20
    monkeypatch.setattr(bench_scaling, "MEMORY", (10_000,))
    (row,) = bench_scaling.memory("ubev", quick=True)
    assert row["size"] == 10 and 30 < row["value"] < bench_scaling._peak()
    monkeypatch.setattr(bench_scaling.Path, "read_text", lambda *args, **kw: "no such line")
    assert bench_scaling._peak() > ballast.nbytes / 2**20


@pytest.mark.parametrize("agent", ["ldp-ucrl-vtr", "linopt-vi", "linopt-po"])
def test_the_naive_plan_of_a_linear_agent_runs(agent: str) -> None:
    bench_linear.naive(mixture(), 2, agent)()
