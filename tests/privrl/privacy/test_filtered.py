"""Exact noise for ``blt``: what the grid under the filtered sums costs, what is then released, and
that nothing is drawn twice."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from privrl import PrivateUCBVI, online
from privrl.agents.trajectory import Trajectory
from privrl.privacy import exact, filtered
from privrl.privacy.audit.counters import AttackedPair, attack
from privrl.privacy.counters import blt
from privrl.privacy.counters.mechanisms import FILTERED, WHOLE, counter_cost, counter_variance
from privrl.privacy.filtered import FilteredNoise
from privrl.privacy.mechanism import Mechanism
from privrl.types import FloatArray

GRID = 2.0**-20


def column(releases: int) -> FloatArray:
    """c_0 .. c_(R-1) by convolution: C undoes B."""
    design = blt.design(releases)
    right = np.zeros(releases)
    for i in range(releases):  # A = B C: 1 = sum over k of b_(i-k) c_k
        b = (design.weights * design.decays ** np.arange(i + 1)[:, None]).sum(axis=1)
        right[i] = (1 - (b[:0:-1] * right[:i]).sum()) / b[0]
    return right


def filtered_sums(kind: type[FilteredNoise], added: FloatArray, grid: float) -> FloatArray:
    """u, (R, W), of what was added between releases (R, W)."""
    stream = kind(added.shape[1], added.shape[0], 3.0, grid)
    return np.array([stream._filtered(sums) for sums in np.cumsum(added, axis=0)])


class WithoutRemainder(FilteredNoise):
    """A mutant: what is below the grid is thrown away at every release."""

    def _filtered(self, sums: FloatArray) -> FloatArray:
        self._rest[...] = 0.0
        return super()._filtered(sums)


class Twice(FilteredNoise):
    """A mutant: it filters what has been filtered."""

    def _filtered(self, sums: FloatArray) -> FloatArray:
        return 2 * super()._filtered(sums)


@pytest.mark.slow
def test_a_user_moves_the_filtered_sums_as_the_sensitivity_says_and_by_few_grids_more() -> None:
    """Over sums up to 2^51 of the grid, a change of any size at any time; each mutant breaks it."""
    rng = np.random.default_rng(0)

    def most_apart(kind: type[FilteredNoise], releases: int, size: float, heavy: float) -> float:
        grid = 2.0**-30
        added = np.rint(rng.uniform(-heavy, heavy, (releases, 6))) * grid
        moved, time = added.copy(), int(rng.integers(releases // 2))
        change = np.rint(rng.uniform(-size, size, 6)) * grid
        moved[time] += change
        difference = filtered_sums(kind, moved, grid) - filtered_sums(kind, added, grid)
        assert not difference[:time].any()
        assert np.array_equal(difference, exact.on_grid(difference, grid))
        expected = np.outer(column(releases)[: releases - time], change)
        return float(np.abs(difference[time:] - expected).max() / grid)

    for releases in (2, 40, 1200):
        heaviest = 2.0**50 / releases
        for size, heavy in ((1, 3), (500, 3), (1e9, 1e6), (heaviest, heaviest)):
            apart = most_apart(FilteredNoise, releases, size, heavy)
            # the expectation itself is computed in doubles: below a grid of the largest
            assert apart <= filtered.apart_by(releases) + 1e-13 * size
    slowest = 1 - float(blt.design(1200).poles[0])
    assert most_apart(WithoutRemainder, 1200, 0.49 / slowest, 0) > filtered.apart_by(1200)
    assert most_apart(Twice, 40, 500, 3) > filtered.apart_by(40)


@pytest.mark.parametrize("releases", [2, 3, 7, 300, 10**4, 10**6, 10**9])
def test_what_the_bound_takes_for_granted_of_a_design(releases: int) -> None:
    design = blt.design(releases)
    assert (design.shares > 0).all() and design.shares.sum() < 1
    assert (design.poles > 0).all() and (2.0**-51 / (1 - design.poles) < 0.25).all()
    assert filtered.apart_by(releases) >= 2 * (design.buffers / 4 + 2)


@pytest.mark.slow
def test_all_draws_together_move_by_no_more_than_the_loss_that_is_said() -> None:
    """Every history of three releases on a coarse grid, and every change: the sum of divergences is
    below the bound, and without the grid's part of it it is not."""
    grid, scale, releases = 1.0, 2.0, 3
    sensitivity = counter_cost("blt", releases).sensitivity
    steps = filtered.quantisation("blt", releases, np.array([scale]), grid, 1)
    worst: dict[int, float] = {}
    for added in itertools.product(range(-2, 3), repeat=releases):
        for time, change in itertools.product(range(releases), (-3, -2, -1, 1, 2, 3)):
            first = np.array(added, dtype=float)[:, None]
            second = first.copy()
            second[time] += change
            difference = filtered_sums(FilteredNoise, second, grid) - filtered_sums(
                FilteredNoise, first, grid
            )
            moved = float((difference**2).sum()) / scale**2
            worst[abs(change)] = max(worst.get(abs(change), 0.0), moved)
    for change, moved in worst.items():
        assert math.sqrt(moved) <= sensitivity * change / scale + steps
    # rounding does move it: C alone is refuted
    assert any(math.sqrt(moved) > sensitivity * k / scale for k, moved in worst.items())


def law(shift: int, scale: float, points: FloatArray) -> FloatArray:
    """Logarithms of the discrete Gaussian's probabilities about ``shift``."""
    logs = -((points - shift) ** 2) / (2 * scale**2)
    return np.asarray(logs - logsumexp(logs))


@pytest.mark.slow
def test_the_whole_law_of_two_releases_is_as_private_as_is_said() -> None:
    """Both laws of v, enumerated: delta at the epsilon that is said, and at half of the scale more
    than that."""
    delta, size, grid, change = 1e-3, 0.5, 1.0, 24.0
    sensitivity = counter_cost("blt", 2).sensitivity
    scale = (sensitivity * change + filtered.quantisation("blt", 2, np.ones(1), grid, 1)) / size
    epsilon = exact.exact_epsilon("gaussian", size, delta)
    points = np.arange(-600.0, 601.0)

    def missing(used: float) -> float:
        """The largest delta over histories and changes that was needed."""
        worst = 0.0
        for added in itertools.product((0.0, 1.0, 5.0), repeat=2):
            first = np.array(added)[:, None]
            second = first + np.array([[change], [0.0]])
            laws = [
                law(int(u[0, 0]), used, points)[:, None] + law(int(u[1, 0]), used, points)
                for u in (filtered_sums(FilteredNoise, rows, grid) for rows in (first, second))
            ]
            for above, below in (laws, laws[::-1]):
                gap = np.exp(above) - math.exp(epsilon) * np.exp(below)
                worst = max(worst, float(gap[gap > 0].sum()))
        return worst

    assert 0 < missing(scale) <= delta < missing(scale / 2)


def test_noise_is_that_of_the_matrix_but_for_few_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, width, releases = np.random.default_rng(1), 3, 500
    draws = np.rint(rng.normal(size=(releases, width)) * 3 / GRID)
    unused = iter(draws)
    monkeypatch.setattr(exact, "sample", lambda law, scale, number: next(unused))
    stream = FilteredNoise(width, releases, 3.0, GRID)
    sums, noise = np.zeros(width), []
    for released in range(1, releases + 1):
        sums = sums + rng.integers(0, 1000, width) * GRID
        noise.append(stream.row(sums))
        if released == releases // 2:  # a restart changes no bit of what follows
            state = stream.state()
            stream = FilteredNoise(width, releases, 3.0, GRID)
            stream.restore(state)
    expected, buffers = draws * GRID, np.zeros((blt.design(releases).decays.size, width))
    blt.noise_rows(expected, buffers, blt.design(releases))
    assert np.abs(np.array(noise) - expected).max() < 100 * GRID
    assert np.array_equal(noise, exact.on_grid(np.array(noise), GRID))
    variance = float(counter_variance("blt", [releases], releases)[0])
    assert np.std(noise[-1]) < 9 * math.sqrt(variance) * 3
    with pytest.raises(ValueError, match="no more releases than it was made for"):
        stream.row(sums)


class NoiseRows:
    """NoiseRows of noise for sums that hold nothing, as an audit takes them."""

    def __init__(self, width: int, releases: int, scale: float) -> None:
        self._stream, self._nothing = (
            FilteredNoise(width, releases, scale, GRID),
            np.zeros(width),
        )

    def block(self, rows: int) -> FloatArray:
        return np.array([self._stream.row(self._nothing) for _ in range(rows)])


@pytest.mark.slow
def test_the_attack_finds_half_the_scale_and_no_more_than_the_guarantee() -> None:
    pair = AttackedPair("blt", "gaussian", np.ones(1), 2, 2)
    pair = AttackedPair("blt", "gaussian", pair.change / pair.size(), 2, 2)
    for scale in (1.0, 0.5):
        outcome = attack(
            pair,
            np.random.default_rng(0),
            trials=2000,
            delta=1e-6,
            alpha=1e-9,
            noise=lambda width, releases, rng, scale=scale: NoiseRows(width, releases, scale),
        )
        assert outcome.lower > 0.2 * outcome.exact and outcome.refuted == (scale < 1)


def test_a_state_that_cannot_be_is_refused_and_nothing_changes() -> None:
    stream = FilteredNoise(2, 50, 3.0, GRID)
    for sums in np.cumsum(np.full((5, 2), 3 * GRID), axis=0):
        stream.row(sums)
    state, fresh = stream.state(), FilteredNoise(2, 50, 3.0, GRID)
    for name, array, says in (
        ("_before", state["_before"] + GRID / 2, "must be on the grid"),
        ("_whole", state["_whole"] + GRID / 4, "must be on the grid"),
        ("_rest", state["_rest"] + GRID, "below half of the grid"),
        ("_buffers", state["_buffers"] * np.nan, "must be finite"),
        ("_buffers", state["_buffers"][1:], "of shape"),
        ("released", np.array(51), "whole number in 0..50"),
        ("more", np.zeros(2), "of the same counter"),
    ):
        with pytest.raises(ValueError, match=says):
            fresh.restore(state | {name: array})
    assert fresh.released == 0 and not fresh._whole.any()
    fresh.restore(state)
    assert fresh.released == 5 and np.array_equal(fresh._whole, stream._whole)


def test_only_what_has_a_grid_that_holds_it_is_made() -> None:
    assert FILTERED == ("blt",) and "blt" not in WHOLE
    grid = exact.finest_grid("blt", 100, "gaussian", 7.0, 1.0)
    assert isinstance(filtered.make("blt", 1, 100, 7.0, "gaussian", grid), FilteredNoise)
    assert isinstance(filtered.make("tree", 1, 100, 7.0, "gaussian", GRID), exact.ExactNoise)
    assert exact.finest_grid("blt", 100, "gaussian", 7.0, 1e9) * 2.0**51 >= 1e9
    with pytest.raises(ValueError, match=r"releases must be <= 10,000,000"):
        filtered.make("blt", 1, 10**8, 7.0, "gaussian", grid)
    with pytest.raises(ValueError, match="grid must be >= finest_grid"):
        filtered.make("blt", 1, 100, 7.0, "gaussian", grid / 8)
    with pytest.raises(ValueError, match="law must be one of gaussian"):
        filtered.make("blt", 1, 100, 7.0, "laplace", grid)
    assert filtered.quantisation("tree", 100, np.ones(1), GRID, 1) == 0.0


def test_the_grid_is_in_the_guarantee_of_mechanisms_and_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings: dict[str, Any] = {
        "width": 3,
        "releases": 50,
        "change": 2.0,
        "epsilon": 1.0,
        "delta": 1e-6,
    }
    mechanism = Mechanism.make("blt", **settings)
    moved = mechanism.plan.sensitivity * 2.0 + mechanism._quantised
    assert isinstance(mechanism, Mechanism) and mechanism._quantised > 0
    assert moved / mechanism.scale < exact.exact_size("gaussian", 1.0, 1e-6, 1e-15)
    assert 1 - 1e-9 < mechanism.guarantee.epsilon <= 1
    agent = PrivateUCBVI(1.0, 1e-6, counter="blt")
    known = online.tabular(states=2, actions=2, horizon=2)
    session = online.Session(agent, known, users=50)
    epsilon = session.guarantee[0]
    assert 0.99 < epsilon < 1
    monkeypatch.setattr(filtered, "quantisation", lambda *arguments: 1e-5)
    assert epsilon < online.Session(agent, known, users=50).guarantee[0] < 1
    monkeypatch.setattr(filtered, "quantisation", lambda *arguments: 0.1)
    with pytest.raises(ValueError, match="what is left for rounding"):
        online.Session(agent, known, users=50)
    with pytest.raises(ValueError, match="users, releases and width must be less"):
        Mechanism.make("blt", **settings)


@pytest.mark.parametrize("moved", [18, 60, 1000])
def test_the_grid_costs_little_where_services_are(moved: int) -> None:
    """Whatever the scale: the grid is as fine as 10^7 users at epsilon 2 allow."""
    size = exact.exact_size("gaussian", 2.0, 1e-6)
    for releases, share in ((10**5, 1e-2), (10**6, 0.2), (10**7, 1.0)):
        grid = exact.finest_grid("blt", releases, "gaussian", 7.0, releases * size * 7.0)
        steps = filtered.quantisation("blt", releases, np.full(1000, 7.0), grid, moved)
        assert 0 < steps < share * filtered.SLACK * size


def test_a_user_moves_no_more_sums_than_is_said() -> None:
    known = online.tabular(states=3, actions=2, horizon=4)
    learner = online.Session(PrivateUCBVI(1.0, 1e-6, counter="tree"), known, users=50).learner
    first, second = (
        learner.contribution(Trajectory(np.full(5, at), np.full(4, at), np.ones(4)))
        for at in (0, 1)
    )
    assert learner.moved == 24 >= np.count_nonzero(first - second) >= 16
