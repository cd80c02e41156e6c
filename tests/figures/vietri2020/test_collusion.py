"""The collusion figure: the best test's error curve against closed forms, enumeration and the limit
of privacy."""

from math import exp

import numpy as np
import pytest

from figures.vietri2020 import collusion
from theory.lemmas.tree import levels, live_nodes
from theory.papers.vietri2020.joint_privacy import guess


@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0])
def test_the_law_of_a_loss_sums_to_one_under_both_bits(scale: float) -> None:
    for up in (False, True):
        law = collusion.loss_law(scale, 4000, up)
        grid = np.linspace(-1 / scale, 1 / scale, 4001)
        assert law.sum() == pytest.approx(1, abs=1e-12) and (law >= 0).all()
        # the law under the other bit
        assert law @ np.exp(-grid) == pytest.approx(1, abs=1e-3 / scale)


@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0])
def test_one_draw_in_closed_form(scale: float) -> None:
    low, high = collusion.total_variation(1, scale)
    assert low <= 1 - exp(-1 / (2 * scale)) <= high < low + 2e-3


def test_two_draws_by_a_grid_of_their_own() -> None:
    """Total variation of two Laplace variables around 0 and around 1, integrated over the plane."""
    step = 0.01
    x = np.arange(-14, 15, step) + step / 2
    first_density, second_density = np.exp(-np.abs(x)) / 2, np.exp(-np.abs(x - 1)) / 2
    direct = (
        np.abs(
            np.outer(first_density, first_density) - np.outer(second_density, second_density)
        ).sum()
        * step
        * step
        / 2
    )
    low, high = collusion.total_variation(2, 1.0)
    assert low - 1e-3 < direct < high + 1e-3 and high - low < 1e-3


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_more_colluders_see_more_and_privacy_holds(epsilon: float) -> None:
    order = ("tree-neighbours", "tree-others", "limit", "one-draw")
    values = [collusion.success(who, epsilon) for who in order]
    assert values == sorted(values) and values[0] > 0.5
    claimed = levels(collusion.RELEASES) - 1
    alarms, hits = collusion.error_curve(claimed, levels(collusion.RELEASES) / epsilon)
    assert (hits <= np.exp(epsilon) * alarms + 1e-6).all()
    assert (np.diff(alarms) >= 0).all() and hits[-1] == pytest.approx(1)


def test_no_time_is_easier_than_the_attacked_one() -> None:
    t = collusion.ATTACKED
    assert set(live_nodes(t + 1)) ^ set(live_nodes(t - 1)) == {t + 1}
    assert guess(t, 1023, 10.0) == max(guess(time, 1023, 10.0) for time in range(2, 1023))


@pytest.mark.parametrize("seed", range(20))
def test_one_draw_is_broken_exactly_and_the_tree_is_not(seed: int) -> None:
    bits, value = collusion.recovered("one-draw", 0.1, 500, seed)
    assert np.abs(value - bits).max() < 1e-9
    bits, value = collusion.recovered("tree-neighbours", 1.0, 500, seed)
    assert 0.35 < ((value > 0.5) == bits).mean() < 0.7


@pytest.mark.slow
def test_the_attacks_agree_with_what_is_exact() -> None:
    table = collusion.tables()
    for row in table["attack"].itertuples():
        assert row.low <= collusion.success(row.who, row.epsilon) <= row.high
    assert (table["attack"].loc[table["attack"]["who"] == "one-draw", "success"] == 1).all()
