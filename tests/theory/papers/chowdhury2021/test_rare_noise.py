"""Two states and a rare noise: second roads to what the record of lemma-7 says."""

import math

import numpy as np
import pytest

from theory.papers.chowdhury2021 import rare_noise
from theory.papers.chowdhury2021.bounds import LQRegularity, Problem, radius
from theory.papers.chowdhury2021.rare_noise import RareNoise
from theory.papers.chowdhury2021.system import array_riccati


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_no_dearer_lasts(seed: int) -> None:
    """Members of the set that are drawn, their costs by the recursion, against the bound."""
    cheap, least = rare_noise.drawn_choices(RareNoise(5), 8000, seed)
    assert cheap > 10 and least >= rare_noise.second_sum(RareNoise(5)).riccati


def test_a_frequent_noise_lets_others_in() -> None:
    frequent = RareNoise(5, rarity=1e18)
    cheap, least = rare_noise.drawn_choices(frequent, 8000, 0)
    assert cheap > 10 and least < rare_noise.second_sum(RareNoise(5)).riccati
    assert rare_noise.lasts(RareNoise(5)) and not rare_noise.lasts(frequent)


def test_the_radius_is_that_of_lemma_1() -> None:
    values = rare_noise.facts(RareNoise(40))
    lam, known = float(values.regulariser), float(values.known)
    regular = LQRegularity(lam, lam, math.sqrt(lam * (1 + 0.75**2)), 0.0, 0.0)
    ratio = math.log(known / lam)  # the other two entries are lambda
    problem = Problem(2, 1, 40, 1.0, 1.0, 1.0, 0.2)
    assert radius(problem, 0.1, regular, ratio) == pytest.approx(float(values.radius), rel=1e-12)
    assert float(values.radius) ** 2 == pytest.approx(known * 0.75**2, rel=1e-12)


def test_the_gram_matrix_of_play_without_noise() -> None:
    """x_h = a^(h-1) e_1 with u = 0, over the episodes before the last."""
    horizon = 25
    state, gram = np.array([1.0, 0.0]), 0.0
    for _ in range(horizon):
        gram += state[0] ** 2
        state = np.diag([0.75, 0.0]) @ state
    values = rare_noise.facts(RareNoise(horizon))
    assert float(values.known) - float(values.regulariser) == pytest.approx(2 * gram, rel=1e-12)


def test_theta_0_lasts_for_ever() -> None:
    start = array_riccati(np.diag([0.0, 1.0]), np.zeros((2, 1)), np.eye(2), np.eye(1), 30)[0]
    assert np.array_equal(start, np.diag([1.0, 30.0]))


@pytest.mark.parametrize("constant", [1.0, 10.0])
def test_no_constant_covers_it(constant: float) -> None:
    first = rare_noise.first_horizon(constant)
    assert rare_noise.breaks(rare_noise.one_level(first), constant)
    assert not rare_noise.breaks(rare_noise.one_level(first // 2), constant)
    later = rare_noise.second_sum(rare_noise.one_level(100 * first))
    assert later.least > 5 * constant * later.order


def test_the_sets_and_the_sums_have_one_delta() -> None:
    """lemma-7 conditions on the good event of its own delta: the event is likelier than 2 delta
    for sets of that delta, and sets for 0.1 break nothing."""
    instance = rare_noise.one_level(rare_noise.first_horizon(1.0))
    level = float(instance.alpha)
    assert rare_noise.second_sum(instance).probability > 4 * level
    lam = float(rare_noise.facts(instance).regulariser)
    known = float(rare_noise.facts(instance).known)
    regular = LQRegularity(lam, lam, math.sqrt(lam * (1 + 0.75**2)), 0.0, 0.0)
    problem = Problem(2, 1, 40, 1.0, 1.0, 1.0, 0.2)  # the radius does not read H
    at_its_level = radius(problem, level, regular, math.log(known / lam))
    assert float(rare_noise.facts(instance).radius) == pytest.approx(at_its_level, rel=1e-12)
    assert not rare_noise.breaks(instance._replace(alpha="0.1"), 0.0)
