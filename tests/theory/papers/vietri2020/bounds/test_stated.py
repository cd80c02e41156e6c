"""The displayed bounds, recomputed by hand, and the horizon found without bisection."""

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.papers.vietri2020.bounds import stated as bounds

SIZES = st.integers(1, 12)


def test_the_terms_by_hand() -> None:
    """S = 2, A = 3, H = 4, T = 1000, epsilon = 1/2, beta = 1/5, from the paper's symbols."""
    S, A, H, T, epsilon, beta = 2, 3, 4, 1000, 0.5, 0.2
    share, N = beta / 4, 2 * S * A * H + S**2 * A * H
    E = 3 / epsilon * H * log(N / share) * log(T) ** 2.5
    terms = bounds.theorem_4_terms(S, A, H, T, epsilon, beta)
    assert terms.martingale == pytest.approx(H**2 * sqrt(0.5 * T * log(T / beta)))
    assert terms.sampling == pytest.approx(
        5 * sqrt(2 * log(T / share)) * sqrt(T * H) * sqrt(S * A * H * log(T))
    )
    assert terms.noise == pytest.approx(5 * S**2 * A * H**2 * E * log(T))
    assert terms.start == pytest.approx(3 / epsilon * S * A * H**3 * log(N / share) * log(T) ** 2.5)
    assert terms.total == pytest.approx(sum(terms.as_dict().values()) - terms.total)


@given(SIZES, SIZES, SIZES, st.integers(3, 10**9), st.floats(0.01, 100), st.floats(1e-6, 0.999))
def test_the_derived_form_is_larger_by_what_the_lines_lose(
    S: int, A: int, H: int, T: int, epsilon: float, beta: float
) -> None:
    printed = bounds.theorem_4_terms(S, A, H, T, epsilon, beta)
    derived = bounds.theorem_4_terms(S, A, H, T, epsilon, beta, "derived")
    assert derived.start == pytest.approx(3 * printed.start)
    assert derived.noise == pytest.approx((1 + 1 / (S * H)) * printed.noise)
    assert (derived.martingale, derived.sampling) == (printed.martingale, printed.sampling)


@given(
    SIZES,
    SIZES,
    SIZES,
    st.floats(0.01, 1e9),
    st.floats(1e-9, 0.999),
    st.sampled_from(["printed", "derived"]),
)
def test_the_bound_per_episode_decreases_from_34_and_starts_above_the_horizon(
    S: int, A: int, H: int, epsilon: float, beta: float, form: bounds.StatedForm
) -> None:
    episodes = [34, 35, 50, 100, 10**3, 10**5, 10**8, 10**12]
    rates = [bounds.theorem_4_bound(S, A, H, T, epsilon, beta, form) / T for T in episodes]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 2 * H


@pytest.mark.parametrize(("epsilon", "low", "high"), [(1.0, 7.8e8, 7.9e8), (100.0, 2.9e6, 3.0e6)])
def test_the_horizon_of_the_smallest_riverswim(epsilon: float, low: float, high: float) -> None:
    first = bounds.vacuity_horizon(3, 2, 3, epsilon, 0.1)
    assert low < first < high
    assert bounds.theorem_4_bound(3, 2, 3, first, epsilon, 0.1) < bounds.trivial_regret(3, first)
    assert bounds.theorem_4_bound(3, 2, 3, first - 1, epsilon, 0.1) >= bounds.trivial_regret(
        3, first - 1
    )


def test_the_horizon_by_walking() -> None:
    """S = A = H = 1 with hardly any noise: the first T from 34 on, found without bisection."""
    walked = next(T for T in range(34, 10**5) if bounds.theorem_4_bound(1, 1, 1, T, 1e6, 0.5) < T)
    assert bounds.vacuity_horizon(1, 1, 1, 1e6, 0.5) == walked


def test_the_counters_of_the_paper() -> None:
    assert bounds.counters(3, 2, 3) == 2 * 18 + 54
    assert bounds.theorem_12_error(100, 2.0, 0.1) == pytest.approx(2 * log(10) * log(100) ** 2.5)
    assert bounds.theorem_12_error(8, 1.0, 0.1, base=2) == pytest.approx(4 * log(10) * 3**2.5)
    assert bounds.tree_error(3.0, 4, 0.5) == pytest.approx(3 * sqrt(8) * sqrt(log(16)) * sqrt(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 2, 3, 10, 1.0, 0.1), "states must be >= 1, got states=0"),
        ((3, 2, 3, 0, 1.0, 0.1), "episodes must be >= 1, got episodes=0"),
        ((3, 2, 3, 10, 0.0, 0.1), "epsilon must be > 0 and finite, got epsilon=0.0"),
        ((3, 2, 3, 10, 1.0, 1.0), r"beta must be in \(0, 1\), got beta=1.0"),
        ((3, 2, 3, 10, 1.0, float("nan")), "beta must be a real number"),
        ((3, 2, 3, 10, 1.0, 0.1, "loose"), "form must be one of printed, derived"),
    ],
)
def test_bad_sizes_are_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bounds.theorem_4_terms(*arguments)  # type: ignore[arg-type]
