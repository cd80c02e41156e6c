"""Records of the better counters: each holds, and each mutant is rejected."""

import numpy as np
import pytest

from privrl.privacy.counters import blt
from theory.claim import Verdict
from theory.lemmas import counters, signed_digits


@pytest.mark.slow
def test_records() -> None:
    records = (*counters.records(), *signed_digits.records())
    assert len(records) == 9
    assert all(row.mutant_rejected and row.verdict == Verdict.HOLDS for row in records)
    assert len({row.of for row in records}) == len(records)


@pytest.mark.parametrize(("releases", "buffers"), [(10, 1), (300, 3), (2000, 6), (20_000, None)])
def test_balls_and_closed_forms(releases: int, buffers: int | None) -> None:
    balls, design = counters.blt_balls(releases, buffers), blt.design(releases, buffers)
    assert float(balls.column.mid()) == pytest.approx(design.squared_norm(), rel=1e-13)
    assert float(balls.row.mid()) == pytest.approx(
        float(design.variance(np.array([releases]))[0]), rel=1e-13
    )
    assert counters.within(blt.BLTCounter.cost(releases, buffers=buffers), balls)


def test_draws_come_before_their_block_is_complete_and_no_earlier_release_tells_a_later_user() -> (
    None
):
    noise, items = signed_digits.factors(2, 4, 20)
    first_use = (noise != 0).argmax(axis=0)
    # not lower triangular
    assert any(items[row, first_use[row] + 1 :].any() for row in range(items.shape[0]))
    for user in range(20):
        assert not (noise @ items[:, user])[
            :user
        ].any()  # B_(<t) C[:, t] = 0: what adaptive inputs ask for


def test_redrawn_nodes_cost_more() -> None:
    """Fresh noise of the same variance at every release: the cost is that of all releases
    together."""
    noise = counters.noise_matrix("tree", 31)
    redrawn = np.diag(np.sqrt((noise**2).sum(axis=1)))
    assert counters.costs(noise).max() == pytest.approx(5)
    assert counters.costs(redrawn).max() > 10
