"""Private UCBVI and DP-UCBVI: the agents' contract, exact privacy, coverage, optimism, learning.

That the kernels follow their formulas stands in ``test_tabular.py``.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats
from scipy.optimize import linprog

from privrl.agents.tabular import learner as tabular
from privrl.agents.tabular import private_ucbvi, widths
from privrl.agents.tabular.dp_ucbvi import DPUCBVI, make_counts
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import chain, planning, random_mdp, riverswim, suite
from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters import mechanisms
from privrl.run import measure, simulate
from tests.contracts import FALSE_ALARM
from tests.contracts_agents import TabularContract, under

SMALL = random_mdp(2, 3, 2, seed=4)
TINY = random_mdp(2, 2, 1, seed=1)
COUNTERS = [
    (counter, delta)
    for counter in mechanisms.PRIVATE
    for delta in (0.0, 1e-5)
    if ("gaussian" if delta else "laplace") in mechanisms.laws(counter)
]


TestPrivateUCBVI = under(TabularContract, SMALL, PrivateUCBVI(1e3), families=1)  # r and m alone
TestUCBVI = under(
    TabularContract, riverswim(3, relabelled=True), PrivateUCBVI(counter="none"), families=1
)
TestDPUCBVI = under(
    TabularContract, chain(3), DPUCBVI(1e3, 1e-6, counter="blt", calibration="corrected")
)


def moved(agent: Any, mdp: Any, planned: int, first: Any, second: Any) -> tuple[float, float]:
    """How far a user in place of another moves all released sums, each in units of its scale: l1
    and l2."""
    first_streams, two = (
        sensitivity.tabular_streams(*user, (mdp.states, mdp.actions))  # type: ignore[call-arg]
        for user in (first, second)
    )
    n, m, r = (
        first_sum - second_sum for first_sum, second_sum in zip(first_streams, two, strict=True)
    )
    calibration = agent.calibrate(mdp, planned)
    if isinstance(agent, PrivateUCBVI):
        change = np.concatenate(
            [m.ravel(), (r / np.reshape(calibration.ratios, (-1, 1, 1))).ravel()]
        )
    else:
        change = np.concatenate([n.ravel(), m.ravel(), r.ravel()])
    return float(np.abs(change).sum()), float(np.linalg.norm(change))


def loss(agent: Any, mdp: Any, planned: int, change: tuple[float, float]) -> float:
    """Exact epsilon at the agent's delta of what a user of this change is told apart by."""
    calibration = agent.calibrate(mdp, planned)
    releases = 1 if agent.counter == "local" else planned - 1
    cost = mechanisms.counter_cost(agent.counter, releases, calibration.law)
    if calibration.law == "laplace":
        return change[0] * cost.sensitivity / calibration.scale
    return accounting.gaussian_epsilon(
        agent.delta, change[1] * cost.sensitivity / calibration.scale
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PUCB, PrivateUCBVI, DPUCBVI])
@pytest.mark.parametrize(
    ("calibration", "counter", "delta"),
    [
        ("corrected", "tree", 0.0),
        ("corrected", "blt", 1e-5),
        *(("tight", *pair) for pair in COUNTERS),
    ],
)
def test_the_noise_gives_exactly_what_is_asked_for(
    kind: Any, calibration: str, counter: str, delta: float
) -> None:
    agent = kind(0.7, delta, 0.1, counter, calibration)
    H = SMALL.horizon
    zeros, ones = np.zeros(H), np.ones(H)
    first_user = (np.zeros(H + 1), zeros, ones)
    second_user = (np.ones(H + 1), zeros, ones)  # never in the same state, always paid 1
    assert loss(
        agent, SMALL, 20, moved(agent, SMALL, 20, first_user, second_user)
    ) == pytest.approx(0.7, rel=1e-8)
    rng = np.random.default_rng(5)
    for _ in range(20):  # no other pair of users moves more
        pair = [
            (rng.integers(2, size=H + 1), rng.integers(3, size=H), rng.random(H).round())
            for _ in range(2)
        ]
        change = moved(agent, SMALL, 20, *pair)
        if max(change) > 0:
            assert loss(agent, SMALL, 20, change) <= 0.7 * (1 + 1e-8)


def test_a_counter_that_is_too_cheap_is_seen() -> None:
    """The mutant: noise for users who move H and not 2H, as the papers count."""
    agent = PrivateUCBVI(0.7)
    users = [(np.full(3, float(state)), np.zeros(2), np.ones(2)) for state in (0, 1)]
    l1, l2 = moved(agent, SMALL, 700, *users)
    assert loss(agent, SMALL, 700, (2 * l1, l2)) > 1.39


def refuted(agent: PrivateUCBVI, shrink: float, runs: int = 4000) -> bool:
    """Whether the noise of one pair's bonus leaves W_0 more often than at its level; worst weights,
    H = 2."""
    mdp, planned, c = SMALL, 48, 2.0
    calibration, states = agent.calibrate(mdp, planned), mdp.states
    stream = mechanisms.make(
        agent.counter,
        (1 + states) * runs,
        planned - 1,
        calibration.scale,
        np.random.default_rng(3),
        calibration.law,
    )
    V, Q = np.r_[c - 1, np.zeros(states - 1)], c  # all that is paid comes now
    weights = np.r_[calibration.ratios[0], V - Q]
    outside = np.zeros(runs, dtype=bool)
    for _ in range(planned - 1):
        outside |= (
            np.abs(stream.block(1).reshape(runs, -1) @ weights) > shrink * calibration.widths[0]
        )
    level = agent.beta / 4 / (private_ucbvi.width(mdp) // (1 + states))
    return bool(
        stats.binomtest(int(outside.sum()), runs).proportion_ci(1 - 2 * FALSE_ALARM, "exact").low
        > level
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counter", "delta", "shrink"),
    [
        ("tree", 1e-3, 0.85),
        ("blt", 1e-3, 0.85),
        ("local", 1e-3, 0.75),
        ("tree", 0.0, 0.65),
        ("local", 0.0, 0.55),
    ],
)
def test_the_width_covers_the_noise_of_a_bonus(counter: str, delta: float, shrink: float) -> None:
    agent = PrivateUCBVI(1.0, delta, 0.99, counter)
    assert not refuted(agent, 1.0)
    assert refuted(agent, shrink)
    assert not refuted(dataclasses.replace(agent, calibration="corrected"), 1.0)


def crossing(p: float, visits: int, least: Callable[[int, np.ndarray], np.ndarray]) -> float:
    """P(the number of heads after some n <= visits flips is below least(n, heads)), exact up to
    rounding."""
    mass, lost = np.ones(1), 0.0
    for n in range(1, visits + 1):
        mass = np.append(mass * (1 - p), 0) + np.insert(mass * p, 0, 0)
        heads = np.arange(n + 1.0)
        below = heads < least(n, heads)
        lost += mass[below].sum()
        mass[below] = 0
    return float(lost)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
def test_hoeffding_by_blocks_of_visits(p: float) -> None:
    """Exact, for coins; a bound for one number of visits alone is crossed far more often
    somewhere."""
    visits, level = 300, 0.3

    def crossed(L: float) -> float:
        return crossing(p, visits, lambda n, heads: n * p - math.sqrt(n * L / 2) - 1e-9)  # type: ignore[arg-type, return-value]

    assert crossed(widths.hoeffding(1, visits, level, tight=True)) <= level
    assert crossed(widths.hoeffding(1, visits, level, tight=False)) <= level
    if p == 0.5:
        assert crossed(math.log(1 / level)) > level
    assert widths.hoeffding(18, 10**7, 0.05, tight=True) < 0.56 * widths.hoeffding(
        18, 10**7, 0.05, tight=False
    )


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
def test_the_empirical_bernstein_bound(p: float) -> None:
    """V of one state 1 and of the other 0: deviation and constant of DP-UCBVI without noise, exact
    for coins."""
    calibration = DPUCBVI(counter="none", beta=0.9).calibrate(TINY, 300)

    def crossed(constant: float) -> float:
        return crossing(
            p,
            300,
            lambda n, heads: (
                n * p - calibration.deviation * np.sqrt(heads * (n - heads) / n) - constant
            ),
        )

    assert crossed(calibration.constant) <= 0.9 / 6
    if p <= 0.5:
        # without the constant nothing covers a rare state that was not seen yet
        assert crossed(0.0) > 0.9 / 6


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.integers(1, 5),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.sampled_from([1.0, 30.0]),
)
def test_the_counts_are_an_optimum(states: int, seed: int, error: float, spread: float) -> None:
    rng = np.random.default_rng(seed)
    before, total = spread * rng.normal(size=states), 2 * spread * rng.normal()
    counts = before.copy()
    count_total = make_counts(counts, total, error)
    rows = [sign * np.r_[np.eye(states)[i], -sign] for i in range(states) for sign in (1, -1)]
    rows += [np.r_[np.ones(states), 0], np.r_[-np.ones(states), 0]]
    limits = [*np.outer(before, [1, -1]).ravel(), total + error, error - total]
    best = linprog(np.r_[np.zeros(states), 1], A_ub=rows, b_ub=limits)  # all variables >= 0
    if total + error < 0:
        assert count_total == 0
        assert best.status == 2
        return
    x = counts - 2 * error / states
    assert np.abs(x - before).max() == pytest.approx(best.fun, abs=1e-8)
    assert x.min() >= -1e-9
    assert abs(x.sum() - total) <= error + 1e-9
    assert count_total == pytest.approx(x.sum() + 2 * error)


def promises(adjust: Callable[[np.ndarray, float, float], float]) -> int:
    """In how many of 300 draws within e the counts break n <= N <= n + 4e, |N(s') - m(s')| <= 4e or
    N(s') >= 0."""
    rng, broken = np.random.default_rng(2), 0
    for _ in range(300):
        states, error = int(rng.integers(2, 6)), 5.0
        m = rng.poisson(4, size=states).astype(float)
        counts = m + error * rng.choice([-1, 1]) * rng.uniform(0.5, 1, size=states)
        count_total = adjust(counts, m.sum() + error * rng.uniform(-1, 1), error)
        fine = (
            m.sum() - 1e-9 <= count_total <= m.sum() + 4 * error + 1e-9
            and np.abs(counts - m).max() <= 4 * error + 1e-9
        )
        broken += not (fine and counts.min() >= 0 and abs(counts.sum() - count_total) < 1e-9)
    return broken


def test_the_counts_keep_what_the_bonus_relies_on() -> None:
    def without_addition(counts: np.ndarray, total: float, error: float) -> float:
        count_total = make_counts(counts, total, error) - 2 * error
        counts -= 2 * error / counts.size
        return float(count_total)

    def without_optimum(counts: np.ndarray, total: float, error: float) -> float:
        counts[:] = np.maximum(counts, 0) + 2 * error / counts.size
        return float(counts.sum())

    assert promises(make_counts) == 0
    assert promises(without_addition) > 20
    assert promises(without_optimum) > 20


def pessimistic(agent: Any, mdp: Any, seed: int, **changed: Any) -> int:
    """How many of 40 plans, 50 episodes apart, have an optimistic value below the optimal one."""
    planned, rng = 2000, np.random.default_rng(seed)
    learner = agent.start(mdp, planned, np.array([planned]))
    learner.calibration = dataclasses.replace(learner.calibration, **changed)
    stream, best, violations = agent.noise(mdp, planned, rng), planning.optimal(mdp)[0], 0
    for block in range(40):
        noise = stream.block(50 - (block == 0))
        if block == 0:
            noise = np.vstack([np.zeros((1, stream.width)), noise])
        learner.advance(noise, rng.random((50, 1 + 2 * mdp.horizon)), rng.random((50, mdp.horizon)))
        violations += bool((learner.state.plan.values[:, : mdp.states] < best - 1e-9).any())
    return violations


@pytest.mark.parametrize("kind", [PrivateUCBVI, DPUCBVI])
def test_values_are_optimistic(kind: Any) -> None:
    mdp, short = random_mdp(3, 2, 3, seed=2), chain(3)
    for which in (mdp, short):
        for counter, delta, epsilon in (
            ("tree", 0.0, 300.0),
            ("blt", 1e-5, 20.0),
            ("local", 1e-5, 100.0),
        ):
            agent = kind(epsilon, delta, 0.1, counter)
            assert pessimistic(agent, which, 1) == 0
            assert pessimistic(agent, which, 2) == 0
    agent = kind(0.5, 1e-5, 0.1, "blt")
    without = {"widths": (0.0,) * 3} if kind is PrivateUCBVI else {"error": 0.0, "constant": 0.0}
    assert pessimistic(agent, mdp, 2, **without) > 5


@pytest.mark.slow
def test_they_learn_at_epsilon_1_where_uniform_play_does_not() -> None:
    mdp = suite.tabular("vietri2020/riverswim-3-relabelled")
    for agent in (PrivateUCBVI(1.0, 1e-6, counter="blt"), DPUCBVI(10.0, 1e-6, counter="blt")):
        run = simulate.run("river", mdp, agent, episodes=6 * 10**4, replicates=3, seed=1)
        assert measure.users(run, mdp).never == 0
    wide = simulate.run(
        "river", mdp, PrivateUCBVI(1.0, 1e-6, counter="local"), episodes=10**4, replicates=2
    )
    assert measure.users(wide, mdp).never == 2


@pytest.mark.slow
@pytest.mark.parametrize(("counter", "delta"), COUNTERS)
@pytest.mark.parametrize("planned", [2, 300])
def test_tight_widths_are_narrower(counter: str, delta: float, planned: int) -> None:
    for mdp in (SMALL, riverswim(3)) if counter == "blt" else (SMALL,):
        wide, narrow = (
            PrivateUCBVI(1.0, delta, 0.1, counter, name).calibrate(mdp, planned)
            for name in ("corrected", "tight")
        )
        assert all(
            0 < ours < theirs for ours, theirs in zip(narrow.widths, wide.widths, strict=True)
        )
        assert narrow.factors <= wide.factors
        assert narrow.surplus < wide.surplus
        crude, sharp = (
            DPUCBVI(1.0, delta, 0.1, counter, name).calibrate(mdp, planned)
            for name in ("corrected", "tight")
        )
        assert sharp.scale == crude.scale
        assert sharp.error < crude.error
        assert sharp.constant < crude.constant


def test_gaussian_widths_by_hand() -> None:
    """Over the square root: variances from Gamma functions, the union over all releases solved, one
    user's change of r and of m step by step."""
    S, A, H, K, epsilon, delta, beta = 3, 2, 4, 31, 0.7, 1e-5, 0.1
    agent = PrivateUCBVI(epsilon, delta, beta, "sqrt", "tight")
    calibration = agent.calibrate(random_mdp(S, A, H, seed=0), K)
    lags = np.arange(K - 1)
    squares = np.exp(2 * (special.gammaln(lags + 0.5) - special.gammaln(lags + 1))) / math.pi
    deviations = np.sqrt(np.cumsum(squares))
    level = beta / (4 * S * A * H)
    exceeded = optimize.brentq(
        lambda x: 2 * stats.norm.sf(x / deviations).sum() - level, 1.0, 100.0
    )
    lengths = np.arange(H, 0, -1.0)  # most that the rest of an episode brings, c_h
    noise_of_m = 1 + (S - 1) * lengths**2  # K_h, in squares
    of_r = noise_of_m**0.5  # rho_h^2: r's noise over m's, in squares
    change = math.sqrt((2 / of_r + 2).sum())
    scale = change * deviations[-1] / accounting.gaussian_mu(epsilon, delta)
    assert calibration.scale == pytest.approx(scale, rel=1e-9)
    assert np.array(calibration.ratios) ** 2 == pytest.approx(of_r, rel=1e-9)
    widths_ = scale * exceeded * np.sqrt(of_r + noise_of_m)
    assert calibration.widths == pytest.approx(widths_, rel=1e-4)
    assert calibration.surplus == pytest.approx(scale * exceeded * math.sqrt(S), rel=1e-4)
    hoeffding = math.log(S * A * H * K / (beta / 2))  # of few visits the union is the best
    assert calibration.factors == pytest.approx(lengths * math.sqrt(hoeffding / 2), rel=1e-9)


def test_names_and_width() -> None:
    assert [PrivateUCBVI(1.0, counter=counter).name for counter in ("tree", "local", "none")] == [
        "private-ucbvi",
        "ldp-ucbvi",
        "ucbvi",
    ]
    assert private_ucbvi.width(SMALL) == 12 * 3
    assert tabular.width(SMALL) == 12 * 4
    calibration = PrivateUCBVI(counter="none", calibration="corrected").calibrate(SMALL, 1)
    assert (calibration.scale, calibration.widths, calibration.surplus) == (0.0, (0.0, 0.0), 0.0)
    assert calibration.factors == pytest.approx(
        [2 * math.sqrt(math.log(12 / 0.05) / 2), math.sqrt(math.log(12 / 0.05) / 2)]
    )
