"""Greedy play with noise that is drawn anew: the bound against play, and mutants of it."""

import math

import numpy as np
import pytest
from scipy import stats

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


@pytest.mark.slow
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


@pytest.mark.slow
def test_more_noise_is_needed_for_a_smaller_gap() -> None:
    """In units of 1/g the bound's linear part goes: e^(-32 g^2 sigma^2) of the theorem."""
    few, many = (plays_at_most(0.7, 0.4, sigma, 5000, 0.5) for sigma in (0.1, 2.0))
    assert few > 4 * many


def plays_by_kind(setting: tuple[float, float, float], users: int, runs: int) -> np.ndarray:
    """(runs, 2): plays of the worse action with an index above q = mean - gap/2, and at most q. The
    coins of an action are a tape that is read on, as the proof has it."""
    mean, gap, deviation = setting
    rng, every = np.random.default_rng(4), np.arange(runs)
    tapes = rng.random((2, runs, users)) < np.array([mean, mean - gap])[:, None, None]
    n, r = np.zeros((2, runs), dtype=int), np.zeros((2, runs))
    kinds = np.zeros((runs, 2))
    for user in range(users):
        noise = (user > 0) * deviation * rng.standard_normal((2, 2, runs))
        rewards, visits = r + noise[0], n + noise[1]
        above = (visits <= 0) | (rewards > (mean - gap / 2) * visits)
        index = np.clip(rewards / np.where(visits > 0, visits, 1.0), 0, 1)
        index[visits <= 0] = 1.0
        ahead = index[1] - index[0] + 1e-9 * (rng.random(runs) - 0.5)
        action = (ahead > 0).astype(int)
        kinds[:, 0] += (action == 1) & above[1]
        kinds[:, 1] += (action == 1) & ~above[1]
        r[action, every] += tapes[action, every, n[action, every]]
        n[action, every] += 1
    return kinds


@pytest.mark.slow
@pytest.mark.parametrize("setting", [(0.7, 0.4, 0.4), (0.8, 0.6, 3.0)])
def test_both_kinds_of_plays_are_within_their_sums(setting: tuple[float, float, float]) -> None:
    """A second road to the theorem: steps (a) and (b) apart, each against its own sum, with the
    probabilities of an index above q by two-dimensional draws of the noise."""
    (mean, gap, deviation), users, runs = setting, 150, 400
    q, rng = mean - gap / 2, np.random.default_rng(9)
    noise = deviation * rng.standard_normal((2, 4000))
    sums = [1.0, 0.0]
    for n in range(users):
        heads = np.arange(n + 1)
        above = heads[:, None] + noise[0] > q * (n + noise[1])
        empty = n + noise[1] <= 0
        worse, better = (np.mean(above | empty, axis=1), np.mean(above, axis=1))
        law = stats.binom.pmf(heads, n, mean - gap)
        sums[0] += float(law @ np.minimum(1, users * (worse + 1e-3)))
        law = stats.binom.pmf(heads, n, mean)
        sums[1] += float(law @ np.minimum(users, 1 / np.maximum(better, 1e-4) - 1))
    kinds = plays_by_kind(setting, users, runs)
    least = kinds.mean(axis=0) - 5 * kinds.std(axis=0) / math.sqrt(runs)
    assert (least <= sums).all()
    whole = plays_at_most(mean, gap, deviation, users, 0.5)
    assert least.sum() < whole < users
    assert whole == pytest.approx(sum(sums), rel=0.35)


def test_the_steps_to_the_order() -> None:
    """On a grid: the derivative of 1/Phi(-x), Hoeffding's exponent, its sum over n, and the largest
    value of the last exponent."""
    x = np.linspace(0, 8, 60)
    slope = stats.norm.pdf(x) / stats.norm.sf(x) ** 2
    assert (slope <= math.sqrt(2 * math.pi) * (1 + x) ** 2 * np.exp(x**2 / 2)).all()
    n = np.arange(1, 4000)[:, None]
    for delta, sigma in ((0.05, 0.3), (0.2, 4.0), (0.4, 0.05)):
        exponent = 2 * (n * delta + sigma * x) ** 2 / n
        apart = 2 * (delta * np.sqrt(n) - sigma * x / np.sqrt(n)) ** 2
        assert np.allclose(exponent, apart + 8 * delta * sigma * x, rtol=1e-9)
        assert (np.exp(-apart).sum(axis=0) <= 4 * sigma * x / delta + 1 + 1 / delta**2).all()
        gap = 2 * delta
        for users in (10, 10**4, 10**8):
            last = float(stats.norm.isf(1 / users))
            ends = x[x <= last]
            most = np.exp(ends**2 / 2 - 4 * gap * sigma * ends).max()
            assert most <= max(1.0, users * math.exp(-32 * gap**2 * sigma**2))
