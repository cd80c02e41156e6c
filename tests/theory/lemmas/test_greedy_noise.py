"""Greedy play with noise that is drawn anew: the bound against play, and mutants of it."""

import math

import numpy as np
import pytest

from theory.lemmas import greedy_noise
from theory.lemmas.greedy_noise import plays_at_most


def plays(
    mean: float, gap: float, deviation: float, users: int, runs: int, seed: int
) -> np.ndarray:
    """How often each of the runs plays the worse action: the setting, as its words say."""
    rng, means = np.random.default_rng(seed), np.array([mean, mean - gap])
    n, r, worse = np.zeros((runs, 2)), np.zeros((runs, 2)), np.zeros(runs)
    every = np.arange(runs)
    for user in range(users):
        noise = deviation * rng.standard_normal((2, runs, 2)) if user else np.zeros((2, runs, 2))
        visits = n + noise[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            index = np.where(visits > 0, np.clip((r + noise[0]) / visits, 0, 1), 1.0)
        ties = rng.random((runs, 2)) * (index == index.max(axis=1, keepdims=True))
        action = ties.argmax(axis=1)
        n[every, action] += 1
        r[every, action] += rng.random(runs) < means[action]
        worse += action
    return worse


@pytest.mark.parametrize(
    ("mean", "gap", "deviation"), [(0.7, 0.4, 5.0), (0.7, 0.4, 0.5), (0.9, 0.8, 1.0)]
)
def test_no_more_plays_than_the_bound(mean: float, gap: float, deviation: float) -> None:
    users, runs = 400, 300
    counted = plays(mean, gap, deviation, users, runs, seed=1)
    low = counted.mean() - 5 * counted.std() / math.sqrt(runs)
    bounds = [plays_at_most(mean, gap, deviation, users, share) for share in (0.3, 0.5, 0.7)]
    assert low <= min(bounds)
    assert min(bounds) < users  # it says something


def test_a_bound_without_one_of_its_sums_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant throws the better action's coins as if it could not be misjudged: with little
    noise it is, and 400 users play the worse one more often."""
    counted = plays(0.7, 0.4, 0.05, 400, 600, seed=2)
    low = counted.mean() - 5 * counted.std() / math.sqrt(600)
    assert low <= plays_at_most(0.7, 0.4, 0.05, 400, 0.5)

    def certain(n: int, mean: float) -> tuple[np.ndarray, np.ndarray, float]:
        return np.array([n * mean]), np.ones(1), 0.0

    monkeypatch.setattr(greedy_noise, "_heads", certain)
    assert plays_at_most(0.7, 0.4, 0.05, 400, 0.5) < low


def test_what_is_left_out_is_nothing() -> None:
    """Terms beyond the last that is summed are below the closed form that stops the sum."""
    users, sigma, q = 2000, 2.0, 0.5
    sigma_q = sigma * math.hypot(1, q)
    for n in (50, 200, 800):
        heads, chances, rest = greedy_noise._heads(n, 0.7)
        above = greedy_noise.ndtr((heads - q * n) / sigma_q)
        term = float(chances @ np.minimum(users, 1 / above - 1)) + rest * users
        assert term <= users * greedy_noise._later(n, (0.2, 0.2), sigma, sigma_q)


def test_more_noise_is_needed_for_a_smaller_gap() -> None:
    """In units of 1/g the bound's linear part goes: e^(-32 g^2 sigma^2) of the theorem."""
    few, many = (plays_at_most(0.7, 0.4, sigma, 5000, 0.5) for sigma in (0.1, 2.0))
    assert few > 4 * many
