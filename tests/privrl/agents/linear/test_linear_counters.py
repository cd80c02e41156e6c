"""The linear agents over better counters: variances, privacy, a naive transcription, the good event on real runs."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm

from privrl.agents.linear import learner as linear
from privrl.agents.linear import widths as lw
from privrl.agents.linear.kernels import terms
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.diagnose.linear import diagnose
from privrl.environments import mixture, one_hot, riverswim
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms
from privrl.run.simulate import Agent
from tests.contracts import refused
from tests.privrl.agents.linear.runs import EPISODES, K, agrees, given_blocks, total_mu

BETTER = ("honaker", "smooth", "sqrt", "blt")
SMALL = mixture()
RIVER = one_hot(riverswim(3, 4, relabelled=True), scaled=False)
PLANNED = (2, 3, 65, 1000, 10**6)


def times_of(planned: int) -> np.ndarray:
    releases = planned - 1
    return np.unique(np.concatenate((np.arange(1, min(releases, 130) + 1), np.geomspace(1, releases, 60).astype(int))))


def understates(growth: linear.Growth, counter: str, planned: int) -> bool:
    """Whether the variance that widths and shifts rest on is below the counter's own somewhere."""
    times = times_of(planned)
    have = np.array([terms(growth, int(time)) for time in times])
    return bool((have < mechanisms.counter_variance(counter, times, planned - 1)).any())


@pytest.mark.parametrize("counter", lw.COUNTERS[1:])
def test_variances_are_the_counter_s_and_from_above(counter: str) -> None:
    for planned in PLANNED:
        times = times_of(planned)
        own = mechanisms.counter_variance(counter, times, planned - 1)
        growth, fixed = (lw.terms_of(counter, planned, choice) for choice in (False, True))
        have = np.array([terms(growth, int(time)) for time in times])
        assert not understates(growth, counter, planned) and not understates(fixed, counter, planned)
        if counter not in ("smooth", "sqrt"):  # these take the largest variance always
            np.testing.assert_allclose(have, own, rtol=1e-11)
        assert growth.least <= have.min() and have.max() <= growth.fixed * (1 + 1e-11) == fixed.fixed * (1 + 1e-11)
        if counter != "tree":  # the paper's m, one more than any release of most trees holds
            assert fixed.fixed == pytest.approx(mechanisms.counter_cost(counter, planned - 1).largest, rel=1e-11)


def test_the_tree_s_variance_or_the_first_release_s_is_rejected() -> None:
    """Mutants: set bits in place of the counter's variance; the first release's where the largest is due."""
    tree = lw.terms_of("tree", 1000, False)
    for counter in ("blt", "sqrt", "smooth"):  # honaker's is below the tree's everywhere
        assert understates(tree, counter, 1000)
    for counter in BETTER:
        growth = lw.terms_of(counter, 1000, True)
        first = mechanisms.counter_variance(counter, [1], 999)[0]
        assert understates(growth._replace(fixed=float(first)), counter, 1000)
    series = lw.terms_of("blt", 1000, False)
    assert understates(series._replace(weights=series.weights * (1 - 1e-9)), "blt", 1000)


@pytest.mark.parametrize("counter", BETTER)
def test_the_stream_has_that_variance(counter: str) -> None:
    """The noise of an agent's releases, over many columns: a chi-square interval at level 1e-9 a release."""
    width, releases, marks = 5000, 64, (1, 2, 31, 32, 63, 64)
    block = mechanisms.make(counter, width, releases, 1.0, np.random.default_rng(3), "gaussian").block(releases)
    found = (block[[mark - 1 for mark in marks]] ** 2).sum(axis=1)
    own = mechanisms.counter_variance(counter, marks, releases)
    low, high = chi2.ppf([1e-9 / 2, 1 - 1e-9 / 2], width)
    assert (found > low * own).all() and (found < high * own).all()
    wrong = np.bitwise_count(np.array(marks)) if counter != "honaker" else own * 1.3  # the tree's; 30 % too much
    assert ((found < low * wrong) | (found > high * wrong)).any()


# --- privacy ---------------------------------------------------------------------------------------------------------


def agents(counter: str, calibration: str) -> list[Agent]:
    return [LinOptVI(0.7, delta=1e-3, counter=counter, calibration=calibration),
            LinOptPO(0.7, delta=1e-3, counter=counter, calibration=calibration),
            LDPUCRLVTR(0.7, delta=1e-3, counter=counter, calibration=calibration)]


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("counter", BETTER)
def test_one_user_s_whole_episode_is_worth_epsilon_and_delta(counter: str, calibration: str) -> None:
    """The l2 change of all sums of an episode, times the counter's sensitivity, on the exact Gaussian curve."""
    assert lw.sensitivity(counter, K) == mechanisms.counter_cost(counter, K - 1).sensitivity > 1.5
    for env in (SMALL, RIVER):
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


def test_the_sensitivity_is_a_column_of_the_factorisation() -> None:
    """Naively: the noise matrix B of the stream itself (unit draws pushed through it), and C = B^-1 A, A of ones."""
    releases = 21

    class Unit(np.random.Generator):
        """A generator whose one standard normal that is not zero is the given one."""

        at = 0
        given = 0

        def standard_normal(self, *args: Any, out: Any = None, **options: Any) -> Any:
            out[:] = 0.0
            if self.given <= self.at < self.given + len(out):
                out[self.at - self.given] = 1.0
            self.given += len(out)
            return out

    for counter in ("honaker", "smooth", "sqrt", "blt"):
        columns = []
        for at in range(releases):
            rng = Unit(np.random.PCG64(0))
            rng.at, rng.given = at, 0
            columns.append(mechanisms.make(counter, 1, releases, 1.0, rng, "gaussian").block(releases)[:, 0].copy())
        made = np.linalg.inv(np.array(columns).T) @ np.tri(releases)
        longest = float(np.linalg.norm(made, axis=0).max())
        assert 0.9 <= longest / lw.sensitivity(counter, releases + 1) <= 1 + 1e-9


# --- how failure probability is spent ---------------------------------------------------------------------------------


def factors(m: int, p: float) -> tuple[float, float]:
    """Norm of a symmetric matrix and of a vector of standard normals that probability p exceeds at most, by SciPy."""
    if m == 1:
        return float(norm.isf(p / 2)), float(norm.isf(p / 2))
    mean = math.sqrt(2) * math.gamma((m + 1) / 2) / math.gamma(m / 2)
    return 2 * mean + math.sqrt((4 - 2 / m) * math.log(2 / p)), math.sqrt(chi2.isf(p, m))


def stated(m: int, p: float) -> tuple[float, float]:
    """The papers' bounds (zhou2022/lemma-B.4 and lemma-B.5) at the same probability."""
    return 4 * math.sqrt(m) + 2 * math.sqrt(2 * math.log(2 / p)), math.sqrt(m) + math.sqrt(2 * math.log(1 / p))


@pytest.mark.parametrize("counter", ["local", "blt"])
@pytest.mark.parametrize("env", [SMALL, RIVER], ids=lambda env: env.name)
@pytest.mark.parametrize("kind", [LinOptVI, LDPUCRLVTR])
def test_shift_and_width_hold_the_norms_at_an_equal_share_each(kind: Any, env: Any, counter: str) -> None:
    """Three events a regression, each spread evenly over steps, releases and blocks; nothing less, and nothing more."""
    regressions = 1 if kind is LDPUCRLVTR else 2
    for calibration, law in (("tight", factors), ("corrected", stated)):
        agent = kind(1.0, alpha=0.05, counter=counter, calibration=calibration)
        made = agent.calibrate(env, K)
        largest = largest_reward(env) if regressions == 1 else 1.0
        parts = (lw.transitions(env, made.by_blocks, largest), lw.rewards(env, made.by_blocks))
        for known, have in list(zip(parts, (made.transitions, made.rewards), strict=True))[:regressions]:
            share = 0.05 / (3 * regressions)
            p = share / (env.horizon * (K - 1) * known.count)
            big, long = law(known.dimension, p)
            x = lw.sharpest(known, lw.Level(share, env.horizon, K - 1))[1] if calibration == "tight" else 1.0
            shift = (1 + x) * have.gram * big
            np.testing.assert_allclose(have.shift[:, 1], shift, rtol=1e-11)
            noise = np.sqrt((2 + x) * have.gram * big) * known.theta + have.vector * long / np.sqrt(
                np.where(have.gram > 0, x * have.gram * big, 1.0))  # fmt: skip
            np.testing.assert_allclose(have.bonus[:, 2], np.where(have.gram > 0, noise, 0.0), rtol=1e-11)
            for other in (law(known.dimension, p * (K - 1)), law(known.dimension, p / 2), law(known.dimension + 1, p)):
                assert not np.allclose(have.shift[:, 1], shift / big * other[0], rtol=1e-3)  # the nearest other ones


# --- against a naive transcription ------------------------------------------------------------------------------------


def powers(values: np.ndarray, terms_wanted: int) -> np.ndarray:
    """prod (1 - v x) as a power series, by multiplication."""
    series = np.zeros(terms_wanted)
    series[0] = 1.0
    for value in values:
        series[1:] -= value * series[:-1].copy()
    return series


def naive_blt(releases: int, rows: int) -> np.ndarray:
    """b_0, b_1, ..: the power series of 1/((1 - x) c(x)), c = prod (1 - q x)/(1 - p x), by long division."""
    made = mechanisms.KINDS["blt"](1, releases, 1.0, np.random.default_rng(0), "gaussian").design  # type: ignore[attr-defined]
    above, below = powers(made.poles, rows), powers(np.append(1.0, made.zeros), rows)
    series = np.zeros(rows)
    for i in range(rows):
        series[i] = above[i] - below[1 : i + 1] @ series[:i][::-1]
    return series


@pytest.mark.parametrize("env", [SMALL, RIVER], ids=lambda env: env.name)
@pytest.mark.parametrize("kind", [LinOptVI, LinOptPO])
def test_tight_over_blt_is_a_naive_transcription(env: Any, kind: type[LinOptVI]) -> None:
    """Noise as B z with a dense Toeplitz matrix B, the variance of each release as a sum of squares of its row."""
    agent = kind(1e4, counter="blt", calibration="tight", by_blocks=False)
    made, series = agent.calibrate(env, K), naive_blt(K - 1, EPISODES)
    noise, _, _ = given_blocks(env, agent)
    draws = np.random.default_rng(1).standard_normal((EPISODES - 1, noise.shape[1]))
    dense = np.array([[series[i - j] if j <= i else 0.0 for j in range(EPISODES - 1)] for i in range(EPISODES - 1)])
    np.testing.assert_allclose(noise[1:], dense @ draws, rtol=1e-6, atol=1e-7)

    def rule(k: int) -> tuple[Any, ...]:
        n = float((dense[k - 2] ** 2).sum()) if k > 1 else 0.0
        out = []
        for w in (made.transitions, made.rewards):
            def width(h: int, _: float, w: linear.Widths = w) -> float:
                b = w.bonus[h]
                return float(b[0] + b[2] * n**0.25 + b[3] * math.sqrt(b[4] + b[5] * math.log(1 + b[6] * (k - 1))))

            out.append({"gram": w.gram, "vector": w.vector, "shift": w.shift[:, 0] + w.shift[:, 1] * math.sqrt(n),
                        "width": width})
        return *out, made.caps, 0.0

    eta = LinOptPO.eta(env, K) if kind is LinOptPO else None
    agrees(agent, env, rule, known=False, eta=eta)
    if kind is LinOptVI and env is SMALL:  # the same rule at the variance of a tree is another algorithm
        dense = np.sqrt(np.bitwise_count(np.arange(1, EPISODES))[:, None] * np.ones((1, 1)))
        with pytest.raises(AssertionError):
            agrees(agent, env, rule, known=False)


# --- coverage and optimism on runs ------------------------------------------------------------------------------------

REPLAYED = [(env, agent) for env, agent in (
    (SMALL, LinOptVI(100.0, counter="blt", calibration="tight")),
    (RIVER, LinOptVI(100.0, counter="blt", calibration="tight")),
    (SMALL, LinOptVI(100.0, counter="blt", calibration="corrected")),
    (SMALL, LinOptVI(100.0, counter="honaker", calibration="tight")),
    (RIVER, LinOptVI(100.0, counter="smooth", calibration="tight")),
    (SMALL, LinOptPO(100.0, counter="sqrt", calibration="tight")),
    (RIVER, LinOptPO(100.0, counter="blt", calibration="tight")),
    (SMALL, LDPUCRLVTR(100.0, counter="blt", calibration="tight")),
    (RIVER, LDPUCRLVTR(100.0, counter="honaker", calibration="corrected")),
)]


@pytest.mark.parametrize(("env", "agent"), REPLAYED,
                         ids=[f"{env.name[:5]}-{a.name}-{a.counter}-{a.calibration}" for env, a in REPLAYED])
def test_covered_definite_regular_and_optimistic(env: Any, agent: Any) -> None:
    found = diagnose(env, agent, 150, seed=3, index=1)
    assert found.good and found.definite.all() and found.assumed.all()
    assert found.iota_high.max() <= 1e-9 and found.iota_low.max() <= 1e-9 and (found.ahead <= 1e-9).all()
    if not isinstance(agent, LinOptPO):
        assert found.shortfall.max() <= 1e-9


def test_noise_that_is_larger_than_declared_is_seen_on_a_run() -> None:
    """A broken twin: the shift and widths of a variance a thousand times smaller. Assumption 2 fails."""

    class Twin(LinOptVI):
        def calibrate(self, mdp: Any, planned: int) -> lw.Calibration:
            made = super().calibrate(mdp, planned)
            growth = made.growth
            return dataclasses.replace(made, growth=growth._replace(weights=growth.weights / 1000))

    found = diagnose(SMALL, Twin(1.0, counter="blt", calibration="tight"), 150, seed=3, index=1)
    assert not found.assumed.all() and not found.definite.all() and not found.good


# --- which counters there are -----------------------------------------------------------------------------------------


def test_counters_and_calibrations_that_do_not_go_together_are_refused() -> None:
    assert set(lw.COUNTERS) == {"none", "local", "tree", *BETTER}
    for counter in BETTER:
        for kind in (LinOptVI, LinOptPO):
            sentence = refused(lambda kind=kind, counter=counter: kind(1.0, counter=counter))
            assert sentence.startswith("calibration printed exists for the counters none, local, tree")
        for calibration in ("printed", "tuned"):
            refused(lambda counter=counter, name=calibration: LDPUCRLVTR(1.0, counter=counter, calibration=name))
    for kind in (LinOptVI, LinOptPO, LDPUCRLVTR):
        refused(lambda kind=kind: kind(1.0, counter="signed", calibration="tight"))


def test_sqrt_is_refused_where_it_would_keep_too_much() -> None:
    agent = LinOptVI(1.0, counter="sqrt", calibration="tight")
    assert "for sqrt" in refused(lambda: agent.noise(RIVER, 10**6, np.random.default_rng(0)))
    assert agent.noise(SMALL, 100, np.random.default_rng(0)).block(99).shape == (99, 18)


def test_memory_does_not_grow_with_the_episodes() -> None:
    for planned in (10**4, 10**9):
        for counter in ("honaker", "smooth", "blt"):
            agent = LinOptVI(1.0, counter=counter, calibration="tight")
            growth = agent.calibrate(SMALL, planned).growth
            assert growth.weights.size + growth.rates.size <= 2 * 17 * 18 // 2  # pairs of 16 buffers and the sum
            assert mechanisms.counter_cost(counter, planned).memory <= 64


def test_noise_and_widths_fall_from_tree_to_blt() -> None:
    """At a million episodes: the largest standard deviation of a release, and the shift with it."""
    found = {}
    for counter in ("tree", "honaker", "smooth", "sqrt", "blt"):
        made = LinOptVI(1.0, counter=counter, calibration="tight").calibrate(SMALL, 10**6)
        found[counter] = made.transitions.gram[0] * math.sqrt(made.growth.fixed)
    assert found["tree"] > found["honaker"] > found["smooth"] > found["blt"] > 0.99 * found["sqrt"]
    assert found["tree"] > 3.5 * found["blt"]
