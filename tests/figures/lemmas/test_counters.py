"""What the figure of the better counters says."""

import numpy as np
import pytest

from figures.lemmas import counters


@pytest.mark.slow
def test_the_order_of_the_counters_and_the_numbers_of_the_caption() -> None:
    tables = counters.tables()
    gaussian = tables["largest"][tables["largest"]["law"] == "gaussian"]
    largest = gaussian.pivot(index="releases", columns="counter", values="largest")
    long = largest[largest.index >= 1000]
    order = ["bound", "blt", "smooth", "honaker", "tree"]
    assert (np.diff(long[order].to_numpy(), axis=1) > 0).all()
    assert (largest["bound"] <= largest["blt"] * (1 + 1e-9)).all()
    assert (long["blt"] <= long["honaker"] / 4).all()
    roots = largest["sqrt"].dropna()
    assert (roots <= largest.loc[roots.index, "blt"] * (1 + 1e-9)).all()
    row = gaussian.set_index(["releases", "counter"]).loc[10**6]
    assert dict(zip(row.index, row["memory"], strict=True)) == {
        "tree": 21,
        "honaker": 40,
        "smooth": 11,
        "sqrt": 2_000_000,
        "blt": 6,
        "bound": 0,
    }
    assert [row["steps"][name] for name in ("tree", "honaker", "smooth", "blt")] == [1, 4, 1, 24]


@pytest.mark.slow
def test_along_a_run() -> None:
    along = counters.tables()["along"]
    assert (along["mean"] <= along["most"] * (1 + 1e-12)).all()
    tree = along[along["counter"] == "tree"]
    # the times from 2^k on below 2^(k + 1) have k + 1 set bits at most, up to 8191; 14 levels
    assert tree["most"].tolist()[:-1] == pytest.approx([14.0 * bits for bits in range(1, 14)])
    blt = along[along["counter"] == "blt"].set_index("release")
    assert blt["most"].iloc[-1] == pytest.approx(16.03, rel=1e-3)
    assert blt["mean"].is_monotonic_increasing
