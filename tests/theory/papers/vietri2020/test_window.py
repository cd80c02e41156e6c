"""The window of theorems 3 and 4 at large epsilon: where it begins and ends, and its factor."""

from math import inf, log, sqrt

import pytest

from theory.papers.vietri2020 import window


@pytest.mark.parametrize("size", [(2, 2, 2), (50, 3, 7), (10**6, 2, 2)])
def test_the_factor_is_one_at_both_ends_and_the_root_of_s_between(size: window.GridSize) -> None:
    S, A, H = size
    for episodes in (S * A * H * H, S**3 * A * H * H):
        assert window.regret_excess(size, episodes, inf) == 1
    assert window.regret_excess(size, S**2 * A * H * H, inf) == pytest.approx(sqrt(S))
    for power in range(1, 60):
        assert window.regret_excess(size, 2**power, inf) <= sqrt(S) * (1 + 1e-12)
    assert window.regret_excess(size, S**2 * A * H * H, 1.0) == 1


def test_the_factors_are_the_quotients_that_the_proof_names() -> None:
    size, episodes, epsilon, alpha = (50, 3, 7), 10**6, 40.0, 0.9
    S, A, H = size
    first, last = H * H * sqrt(S * A * episodes), S * S * A * H**3 / epsilon
    extra = S * S * A * H**3
    least = min(extra / first, extra / last, H * episodes / first)
    assert window.regret_excess(size, episodes, epsilon) == pytest.approx(max(1.0, least))
    first, last = S * A * H**4 / alpha**2, S * S * A * H**4 / (epsilon * alpha)
    least = min(extra / alpha / first, extra / alpha / last, episodes / first)
    assert window.pac_excess(size, episodes, epsilon, alpha) == pytest.approx(max(1.0, least))


def test_from_which_s_on_the_root_exceeds_the_polylogarithm() -> None:
    first = window.first_states(0.1)
    for factor, exceeds in ((0.9, False), (1.1, True)):
        logarithm = 4 * log(factor * first) + log(2**5 / window.BETA)
        assert (sqrt(factor * first) > 0.1 * logarithm**window.POWER) is exceeds


def test_one_polylogarithm_covers_the_bound_on_the_grid() -> None:
    assert window.largest_regret(window.POWER, None) <= 0.1 < window.largest_regret(2.0, None)
