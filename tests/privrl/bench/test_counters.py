"""The measurement runs, and a stream costs about what its draws cost."""

import pytest

from privrl.bench import counters as bench_counters


@pytest.mark.slow
def test_every_counter_is_measured() -> None:
    rows = bench_counters.measure(quick=True)
    assert {row["sums"] for row in rows} == set(bench_counters.WIDTHS)
    assert {(row["counter"], row["law"]) for row in rows} == {
        ("local", "laplace"),
        ("local", "gaussian"),
        ("tree", "laplace"),
        ("tree", "gaussian"),
        ("honaker", "gaussian"),
        ("smooth", "laplace"),
        ("smooth", "gaussian"),
        ("signed", "laplace"),
        ("blt", "gaussian"),
    }
    assert all(0.05 < row["stream / draws"] < 20 for row in rows)
