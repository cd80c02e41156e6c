"""The regret bounds with a counter's width in them: the known ones for the tree, term by term, and
where they bite."""

from math import inf

import pytest

from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from tests.contracts import refused
from theory.horizons import horizons, setting
from theory.papers.vietri2020.bounds import counters as bounds_counters
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

SIZE = (3, 2, 3)
BLT = PUCB(1.0, 1e-6, 0.1, "blt", "tight")


@pytest.mark.parametrize("episodes", [1000, 10**6, 10**9])
def test_over_the_paper_s_tree_they_are_the_known_bounds(episodes: int) -> None:
    for calibration in ("printed", "corrected"):
        agent = PUCB(0.7, calibration=calibration)
        known = proved.regret_bound(*SIZE, episodes, 0.7, 0.1, calibration)
        assert bounds_counters.regret_bound(agent, *SIZE, episodes) == pytest.approx(
            known, rel=1e-12
        )
    printed = bounds_counters.regret_bound(PUCB(0.7), *SIZE, episodes, "printed")
    assert printed == pytest.approx(bounds.theorem_4_bound(*SIZE, episodes, 0.7, 0.1), rel=1e-12)
    assert bounds_counters.regret_bound(PUCB(counter="none"), *SIZE, episodes) == pytest.approx(
        proved.regret_bound(*SIZE, episodes, inf, 0.1), rel=1e-12
    )


def test_the_width_enters_as_it_enters_the_sum() -> None:
    """By hand, (22), (15) and the lines before (26) and (17), with the E of the Toeplitz
    counter."""
    S, A, H, T = *SIZE, 10**6
    width = BLT.calibrate(random_mdp(S, A, H, 0), T).e_epsilon
    terms = bounds.theorem_4_terms(S, A, H, T, 1.0, 0.1)
    noise = 5 * S * S * A * H * H * width * 13.815510557964274
    by_hand = terms.martingale + terms.sampling + noise + S * A * H * H * width
    assert bounds_counters.regret_bound(BLT, S, A, H, T, "printed") == pytest.approx(
        by_hand, rel=1e-12
    )
    assert by_hand < 0.1 * bounds.theorem_4_bound(S, A, H, T, 1.0, 0.1)


@pytest.mark.parametrize(
    ("agent", "form", "known"),
    [
        (PUCB(1.0), "proved", proved.regret_horizon(*SIZE, 1.0, 0.1, "printed")),
        (
            PUCB(1.0, calibration="corrected"),
            "proved",
            proved.regret_horizon(*SIZE, 1.0, 0.1, "corrected"),
        ),
        (PUCB(1.0), "printed", bounds.vacuity_horizon(*SIZE, 1.0, 0.1)),
    ],
)
def test_the_horizon_is_the_exact_one_but_for_a_thousandth(
    agent: PUCB, form: str, known: int
) -> None:
    horizon = bounds_counters.regret_horizon(agent, *SIZE, form)
    assert horizon is not None
    assert known <= horizon <= known * 1.001 + 1


@pytest.mark.slow
@pytest.mark.parametrize("form", bounds_counters.FORMS)
def test_from_the_horizon_on_the_bound_stays_below(form: str) -> None:
    horizon = bounds_counters.regret_horizon(BLT, *SIZE, form)
    assert horizon is not None
    over = [
        bounds_counters.regret_bound(BLT, *SIZE, episodes, form) / (3 * episodes)
        for episodes in (
            horizon * 99 // 100,
            horizon,
            *(round(horizon * 1.3**k) for k in range(1, 25)),
        )
    ]
    assert over[0] > 1 > over[1]
    assert over == sorted(over, reverse=True)


@pytest.mark.slow
def test_every_counter_of_the_law_has_a_row() -> None:
    for delta, expected in (
        (0.0, {"none", "local", "tree", "smooth", "signed"}),
        (1e-6, {"none", "local", "tree", "honaker", "smooth", "sqrt", "blt"}),
    ):
        answer = horizons("vietri2020", setting("vietri2020", epsilon=1e6, delta=delta, states=2))
        assert {row.counter for row in answer.rows} == expected
        assert all(
            row.below_trivial is not None and row.start < row.below_trivial
            for row in answer.rows
            if row.start
        )


def test_bad_input_is_refused() -> None:
    assert refused(lambda: bounds_counters.regret_bound(BLT, *SIZE, 100, "other")).startswith(
        "form must be one of "
    )
    assert refused(lambda: bounds_counters.regret_horizon(PUCB(), *SIZE)).startswith(
        "epsilon must be "
    )
    assert refused(lambda: bounds_counters.regret_bound(BLT, 0, 2, 3, 100)).startswith(
        "states must be "
    )
    assert refused(lambda: bounds_counters.regret_bound("blt", *SIZE, 100)).startswith(  # type: ignore[arg-type]
        "agent must be "
    )
    assert refused(lambda: bounds_counters.regret_bound(BLT, *SIZE, 1)).startswith(
        "episodes must be "
    )
