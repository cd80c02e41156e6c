"""The linear agents over better counters: variances, privacy, a naive transcription; whole runs
stand in diagnose."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm

from privrl.agents.linear import widths as lw
from privrl.agents.linear.kernels import terms
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.records import Growth
from privrl.environments import mixture, one_hot, random_mixture, riverswim
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.run.simulate import Agent
from tests.privrl.agents.linear.runs import K, total_mu

BETTER = ("honaker", "smooth", "sqrt", "blt")
SMALL = mixture()
RIVER = one_hot(riverswim(3, 4, relabelled=True), scaled=False)
PLANNED = (2, 3, 65, 1000, 10**6)


def times_of(planned: int) -> np.ndarray:
    releases = planned - 1
    return np.unique(
        np.concatenate(
            (np.arange(1, min(releases, 130) + 1), np.geomspace(1, releases, 60).astype(int))
        )
    )


def understates(growth: Growth, counter: str, planned: int) -> bool:
    """Whether the variance that widths and shifts rest on is below the counter's own somewhere."""
    times = times_of(planned)
    have = np.array([terms(growth, int(time)) for time in times])
    return bool((have < mechanisms.counter_variance(counter, times, planned - 1)).any())


@pytest.mark.parametrize("counter", lw.COUNTERS[1:])
def test_variances_are_the_counter_s_and_from_above(counter: str) -> None:
    for planned in PLANNED:
        times = times_of(planned)
        variances = mechanisms.counter_variance(counter, times, planned - 1)
        growth, fixed = (lw.terms_of(counter, planned, choice) for choice in (False, True))
        have = np.array([terms(growth, int(time)) for time in times])
        assert not understates(growth, counter, planned) and not understates(
            fixed, counter, planned
        )
        if counter not in ("smooth", "sqrt"):  # these take the largest variance always
            np.testing.assert_allclose(have, variances, rtol=1e-11)
        assert growth.least <= have.min() and have.max() <= growth.fixed * (
            1 + 1e-11
        ) == fixed.fixed * (1 + 1e-11)
        if counter != "tree":  # the paper's m, one more than any release of most trees holds
            assert fixed.fixed == pytest.approx(
                mechanisms.counter_cost(counter, planned - 1).largest, rel=1e-11
            )


def test_the_tree_s_variance_or_the_first_release_s_is_rejected() -> None:
    """Mutants: set bits in place of the counter's variance; the first release's where the largest
    is due."""
    tree = lw.terms_of("tree", 1000, fixed=False)
    for counter in ("blt", "sqrt", "smooth"):  # honaker's is below the tree's everywhere
        assert understates(tree, counter, 1000)
    for counter in BETTER:
        growth = lw.terms_of(counter, 1000, fixed=True)
        first = mechanisms.counter_variance(counter, [1], 999)[0]
        assert understates(growth._replace(fixed=float(first)), counter, 1000)
    series = lw.terms_of("blt", 1000, fixed=False)
    assert understates(series._replace(weights=series.weights * (1 - 1e-9)), "blt", 1000)


def agents(counter: str, calibration: str) -> list[Agent]:
    return [
        LinOptVI(0.7, delta=1e-3, counter=counter, calibration=calibration),
        LinOptPO(0.7, delta=1e-3, counter=counter, calibration=calibration),
        LDPUCRLVTR(0.7, delta=1e-3, counter=counter, calibration=calibration),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("counter", ["local", "tree", *BETTER])
def test_one_user_s_whole_episode_is_worth_epsilon_and_delta(
    counter: str, calibration: str
) -> None:
    """The l2 change of all sums of an episode, times the counter's sensitivity, on the exact
    Gaussian curve."""
    assert lw.sensitivity(counter, K) == pytest.approx(
        mechanisms.counter_cost(counter, K - 1).sensitivity, rel=1e-12
    )
    for env in (SMALL, RIVER, random_mixture(4, 3, 2, 3, seed=2)):
        for agent in agents(counter, calibration):
            mu = total_mu(agent, env)
            assert mu == pytest.approx(accounting.gaussian_mu(0.7, 1e-3), rel=1e-9)
            assert accounting.gaussian_delta(0.7, mu * (1 - 1e-9)) <= 1e-3


@pytest.mark.parametrize("counter", BETTER)
def test_a_forgotten_sensitivity_is_rejected(counter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same agents with noise for a user who moves one draw only: delta is exceeded by far."""
    true = lw.sensitivity(counter, K)
    monkeypatch.setattr(lw, "sensitivity", lambda *_: 1.0)
    for agent in agents(counter, "tight"):
        mu = total_mu(agent, SMALL) * true  # total_mu is patched as well
        assert accounting.gaussian_delta(0.7, mu) > 10 * 1e-3


def factors(m: int, p: float) -> tuple[float, float]:
    """Norm of a symmetric matrix and of a vector of standard normals that probability p exceeds at
    most, by SciPy."""
    if m == 1:
        return float(norm.isf(p / 2)), float(norm.isf(p / 2))
    mean = math.sqrt(2) * math.gamma((m + 1) / 2) / math.gamma(m / 2)
    return 2 * mean + math.sqrt((4 - 2 / m) * math.log(2 / p)), math.sqrt(chi2.isf(p, m))


def stated(m: int, p: float) -> tuple[float, float]:
    """The papers' bounds (zhou2022/lemma-B.4 and lemma-B.5) at the same probability."""
    return 4 * math.sqrt(m) + 2 * math.sqrt(2 * math.log(2 / p)), math.sqrt(m) + math.sqrt(
        2 * math.log(1 / p)
    )


@pytest.mark.parametrize("counter", ["local", "blt"])
@pytest.mark.parametrize("env", [SMALL, RIVER], ids=lambda env: env.name)
@pytest.mark.parametrize("kind", [LinOptVI, LDPUCRLVTR])
def test_shift_and_width_hold_the_norms_at_an_equal_share_each(
    kind: Any, env: Any, counter: str
) -> None:
    """Three events a regression, each spread evenly over steps, releases and blocks; nothing less,
    and nothing more."""
    regressions = 1 if kind is LDPUCRLVTR else 2
    for calibration, law in (("tight", factors), ("corrected", stated)):
        agent = kind(1.0, alpha=0.05, counter=counter, calibration=calibration)
        calibrated = agent.calibrate(env, K)
        largest = largest_reward(env) if regressions == 1 else 1.0
        parts = (
            lw.transitions(env, calibrated.by_blocks, largest),
            lw.rewards(env, calibrated.by_blocks),
        )
        for known, have in list(
            zip(parts, (calibrated.transitions, calibrated.rewards), strict=True)
        )[:regressions]:
            share = 0.05 / (3 * regressions)
            p = share / (env.horizon * (K - 1) * known.count)
            big, long = law(known.dimension, p)
            x = (
                lw.sharpest(known, lw.Level(share, env.horizon, K - 1))[1]
                if calibration == "tight"
                else 1.0
            )
            shift = (1 + x) * have.gram * big
            np.testing.assert_allclose(have.shift[:, 1], shift, rtol=1e-11)
            noise = np.sqrt((2 + x) * have.gram * big) * known.theta + have.vector * long / np.sqrt(
                np.where(have.gram > 0, x * have.gram * big, 1.0)
            )
            np.testing.assert_allclose(
                have.bonus[:, 2], np.where(have.gram > 0, noise, 0.0), rtol=1e-11
            )
            for alternative in (
                law(known.dimension, p * (K - 1)),
                law(known.dimension, p / 2),
                law(known.dimension + 1, p),
            ):
                # the nearest other ones
                assert not np.allclose(have.shift[:, 1], shift / big * alternative[0], rtol=1e-3)


def test_memory_does_not_grow_with_the_episodes() -> None:
    for planned in (10**4, 10**9):
        for counter in ("honaker", "smooth", "blt"):
            agent = LinOptVI(1.0, counter=counter, calibration="tight")
            growth = agent.calibrate(SMALL, planned).growth
            # pairs of 16 buffers and the sum
            assert growth.weights.size + growth.rates.size <= 2 * 17 * 18 // 2
            assert mechanisms.counter_cost(counter, planned).memory <= 64
