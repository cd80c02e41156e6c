"""What the figures of the first paper say, derived independently."""

from math import log

import numpy as np
import pytest

from figures.vietri2020 import counter_error, hard_mdp, privacy
from privrl.types import Adjacency


def test_a_label_takes_the_integers_of_a_table() -> None:
    """NumPy's have no ``bit_length``; older versions of pandas hand them on as the keys of groups."""
    assert counter_error._power(np.int64(1024)) == "$2^{10}$"  # type: ignore[arg-type]


def test_the_loss_of_the_counters_in_closed_form() -> None:
    """2 levels/log T under replacement, half of that under removal, and 1 for the corrected scale."""
    table = privacy.tables()["loss"]
    for row in table.itertuples():
        levels = (row.episodes - 1).bit_length()
        unit = {"printed-e": log(row.episodes), "printed-2": log(row.episodes, 2), "corrected": 2 * levels}[row.noise]
        assert row.loss == pytest.approx(levels / unit * (2 if row.adjacency == "replace" else 1), rel=1e-12)
    replaced = table[(table["adjacency"] == "replace") & (table["noise"] != "corrected")]
    assert replaced["loss"].min() >= 2
    assert privacy.loss(1024, Adjacency.REPLACE, 9 * log(1024)) == pytest.approx(2 * 10 / log(1024))


def test_the_simulated_counters_agree_with_the_law() -> None:
    table = counter_error.tables()["error"]
    seen = table.dropna(subset=["simulated"])
    assert len(seen) == 2 * len(counter_error.SIMULATED)
    assert ((seen["low"] <= seen["quantile"]) & (seen["quantile"] <= seen["high"])).all()
    assert not ((seen["low"] <= 1.1 * seen["quantile"]) & (1.1 * seen["quantile"] <= seen["high"])).all()


def test_the_hard_mdp_is_drawn_as_figure_2_prints_it() -> None:
    """1/2 + alpha'/2 for arm 0, 1/2 + alpha' for the best arm, 1/2 for the others; + and - loop."""
    edges = hard_mdp.tables()["edges"]
    enter = edges[edges["next"] == "+"].set_index(["state", "action"])["probability"]
    alpha, best = 0.2, {"1": "1", "2": "2"}
    for state, arm in best.items():
        for action in ("0", "1", "2"):
            expected = 0.5 + alpha / 2 if action == "0" else 0.5 + alpha * (action == arm)
            assert enter[state, action] == pytest.approx(expected)
    loops = edges[edges["state"].isin(["+", "-"])]
    assert (loops["state"] == loops["next"]).all() and (loops["probability"] == 1).all()
    assert dict(zip(loops["state"], loops["mean_reward"], strict=True)) == {"+": 1.0, "-": 0.0}
