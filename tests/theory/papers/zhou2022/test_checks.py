"""zhou2022: the verdicts, and numbers derived independently."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privrl.agents.linear import layout
from privrl.agents.linear import widths as linear_widths
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.environments.mixtures import mixture
from privrl.privacy.counters import mechanisms
from privrl.types import CALIBRATIONS
from theory import derive_noise
from theory.papers.zhou2022 import (
    actions,
    bounds,
    confidence,
    optimism,
    policy,
    privacy,
    private_regret,
    regret,
)


def test_a_supremum_refuses_less_than_the_bound_of_the_weight() -> None:
    """The sharpness of 5.4 H is computed: two users of 1,000 steps change more than 0.998 of it."""
    assert 0.998 < privacy.supremum(1000) / (1000 * privacy.MOST_WEIGHT) < 1


@pytest.mark.parametrize("horizon", [1, 2, 3, 8])
def test_the_users_reach_the_supremum(horizon: int) -> None:
    weight = derive_noise.mixture_weight(horizon, rewards=True)
    assert privacy.user_change(horizon, own_start=True) == pytest.approx(weight)
    shared = 1 + sum(4.5 * (1 + ((horizon - h) / horizon) ** 4) for h in range(2, horizon + 1))
    assert privacy.user_change(horizon, own_start=False) == pytest.approx(shared)
    assert privacy.shared_bound(horizon) == pytest.approx(shared + ((horizon - 1) / horizon) ** 4)


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [(250, 0.1, 267.87), (1000, 1e-2, 2612.36), (1000, 1e-6, 1031.88)],
)
def test_what_the_action_needs(epsilon: float, delta: float, expected: float) -> None:
    """ln((1/2 - delta)/Phi(-1/sigma)) at 60 digits: that Lambda may be small costs nothing that is
    seen."""
    with mp.workdps(60):
        sigma = mp.sqrt(32 * mp.log(4 / mp.mpf(delta))) / epsilon
        exact = mp.log((mp.mpf("0.5") - delta) / mp.ncdf(-1 / sigma))
    assert float(exact) == pytest.approx(expected, abs=0.01)
    assert float(actions.needed(actions.Claimed(epsilon, delta)).mid()) == pytest.approx(
        float(exact), rel=1e-12
    )
    assert sigma == pytest.approx(bounds.noise_unit(1, 1, epsilon, delta, "printed"))
    edge = actions.shown_from(delta)
    assert actions.shown(actions.Claimed(edge * 1.001, delta))
    assert not actions.shown(actions.Claimed(edge * 0.999, delta))


@pytest.mark.parametrize("horizon", [1, 2])
def test_the_second_users_action_by_algorithm_1(horizon: int) -> None:
    """Lines 5 to 12 of algorithm 1 in the last step for the two users, at an epsilon where both
    actions are seen."""
    rng, draws = np.random.default_rng(horizon), 20000
    sigma = bounds.noise_unit(horizon, 1, 20.0, 0.1, "printed")
    shift = 2 * sigma * bounds.matrix_norm(1, 2, horizon, 1.0, "printed")
    at = actions.Claimed(200.0, 0.1, 1.0, horizon)
    far = 1 / bounds.noise_unit(horizon, 1, at.epsilon, at.delta, "printed")
    assert float(actions.needed(at).mid()) == pytest.approx(
        math.log(0.4 / stats.norm.sf(far)), rel=1e-9
    )
    for answer, chance in ((0.0, 0.5), (1.0, float(mp.ncdf(-1 / sigma)))):
        gram = 1 + sigma * rng.standard_normal(draws) + shift
        estimate = (answer + sigma * rng.standard_normal(draws)) / gram
        beta, c = 20.0, 0.005
        q = [np.clip(sign * c * estimate + beta * c / np.sqrt(gram), 0, 1) for sign in (1, -1)]
        share = float((q[1] > q[0]).mean())
        assert (gram > 0.01).all() and (q[0] != q[1]).all()
        assert abs(share - chance) < 7 * math.sqrt(chance * (1 - chance) / draws)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_drawn_holds_for_other_seeds(seed: int) -> None:
    assert optimism.drawn((1.0, 1.0), seed) and regret.potential_holds("2", seed)
    assert policy.decomposition_defect(seed=seed) < 1e-9 and policy.weights_regret(0.125, seed)
    assert regret.split_ratio("vi", seed) <= 4 * math.sqrt(2) >= regret.split_ratio("po", seed)
    assert regret.split_ratio("known", seed) <= 2 * math.sqrt(2)
    assert private_regret.explicit_holds(32.9, seed=seed) and private_regret.sampled(1.0, seed)


def test_the_printed_estimate_in_a_run() -> None:
    """The run of lemma-3.1 by algorithm 1's own lines: estimates, bonuses and pulls, not the closed
    form."""
    actions, K = 4, 700
    beta = math.sqrt(2 * math.log(40) + actions * math.log1p(K / actions)) / 2 + math.sqrt(actions)
    beta_p = math.sqrt(2 * math.log(40) + math.log1p(4 * K)) + 1
    pulls, exit_episode = np.zeros(actions), 0
    old: list[float] = []
    for k in range(1, K + 1):
        q = np.minimum(1.0, beta / np.sqrt(1 + pulls))
        now, past = float(q.max()), np.array(old)
        gram = 1 + len(old) * now**2
        distance = abs(1 - now * past.sum() / gram) * math.sqrt(gram)
        if not exit_episode and distance > beta_p:
            exit_episode = k
        old.append(now)
        pulls[q.argmax()] += 1
    assert exit_episode == confidence.first_run_failure((actions, K, "newest")).episode > 0
    assert confidence.last_ratio(K) == pytest.approx(distance / beta_p)
    for case in ((2, 4000, "newest"), (8, 4000, "own")):
        assert confidence.first_run_failure(case).episode == 0


@pytest.mark.slow
@given(st.integers(1, 5), st.floats(0.05, 20), st.floats(0.5, 6), st.integers(1, 2**31))
def test_the_sum_of_bonuses(dimension: int, low: float, cap: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    beta, total, gram, steps = cap * rng.uniform(0.1, 5), 0.0, low * np.eye(dimension), 60
    for _ in range(steps):
        x = rng.standard_normal(dimension)
        x *= rng.uniform(0, 1) / np.linalg.norm(x)
        total += min(cap, 2 * beta * math.sqrt(x @ np.linalg.solve(gram, x)))
        gram = gram + np.outer(x, x)
    assert total <= bounds.bonus_sum(cap, beta, steps, dimension, steps / (dimension * low)) * (
        1 + 1e-12
    )


@given(
    st.integers(1, 6), st.integers(1, 12), st.integers(2, 10**9), st.floats(0.05, 20), st.booleans()
)
def test_the_sharper_bound_is_sharper(
    dimension: int, horizon: int, episodes: int, epsilon: float, with_actions: bool
) -> None:
    constants = bounds.constants(dimension, dimension, horizon, episodes, epsilon, 1e-6, 0.02)
    actions = 3 if with_actions else None
    assert (
        bounds.regret_terms(constants, actions).total
        <= bounds.displayed_terms(constants, actions).total
    )
    assert bounds.regret_terms(constants, actions).total > 0


def test_the_agent_has_these_constants() -> None:
    """The printed constants of Private-LinOpt-VI, which were written down independently."""
    for counter in ("tree", "local"):
        agent = LinOptVI(1.0, 1e-6, 0.025, counter, "printed").calibrate(mixture(2, 2), 1000)
        ours = bounds.constants(2, 2, 2, 1000, 1.0, 1e-6, 0.025, "printed", counter)
        for widths, regression in ((agent.transitions, ours.p), (agent.rewards, ours.r)):
            assert widths.gram[0] == pytest.approx(regression.gram)
            assert widths.vector[0] == pytest.approx(regression.vector)
            assert widths.shift[0, 1] * math.sqrt(regression.summed) == pytest.approx(
                2 * regression.low
            )
            assert regression.high == pytest.approx(3 * regression.low)


def test_tight_norms_have_the_printed_ones_failure_probability() -> None:
    """alpha/(4KH) for each norm, by SciPy; the agent's factors at that share; the printed ones are
    larger."""
    for d, share in ((1, 1e-3), (2, 1e-8), (7, 1e-12)):
        K, H = 50, 5
        laws = (bounds.matrix_norm, bounds.vector_norm)
        matrix, vector = (law(d, K, H, 4 * K * H * share, "tight") for law in laws)
        mean = math.sqrt(2) * math.gamma((d + 1) / 2) / math.gamma(d / 2)
        proved = (
            2 * mean + math.sqrt((4 - 2 / d) * math.log(2 / share))
            if d > 1
            else stats.norm.isf(share / 2)
        )
        assert matrix == pytest.approx(proved, rel=1e-10)
        assert vector == pytest.approx(math.sqrt(stats.chi2.isf(share, d)), rel=1e-10)
        level = linear_widths.Level(0.1, H, round(0.1 / (H * share)))
        assert level.gram_factor(d, 1, sharp=True) == pytest.approx(matrix, rel=1e-4)
        assert level.vector_factor(d, 1, sharp=True) == pytest.approx(vector, rel=1e-4)
        assert matrix < 0.7 * bounds.matrix_norm(d, K, H, 4 * K * H * share, "printed")
        assert vector < 0.9 * bounds.vector_norm(d, K, H, 4 * K * H * share, "printed")
        # twice the probability
        assert bounds.matrix_norm(d, K, H, 8 * K * H * share, "tight") < matrix * (1 - 1e-3)


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], bounds.Horizon]:
    """By counter and calibration the horizons of two states, features and steps."""
    return {
        (row.counter, row.calibration): row for row in bounds.horizons(2, 2, 2, 1.0, 1e-6, 0.025)
    }


@pytest.mark.slow
def test_better_counters_need_fewer_episodes(rows: dict[tuple[str, str], bounds.Horizon]) -> None:
    """Squared sensitivity and largest variance in the place of m; the same noise as the agent's;
    refusals."""
    for name in ("corrected", "tight"):
        ordered_rows = [rows[counter, name] for counter in ("blt", "smooth", "honaker", "tree")]
        for kind in ("start", "below_trivial"):
            assert [getattr(row, kind) for row in ordered_rows] == sorted(
                getattr(row, kind) for row in ordered_rows
            )
        assert rows["sqrt", name].start == pytest.approx(rows["blt", name].start, rel=0.02)
        assert rows["sqrt", name].below_trivial == pytest.approx(
            rows["blt", name].below_trivial, rel=0.02
        )
    assert not {("blt", "printed"), ("none", "corrected")} & set(rows)
    assert bounds.released("tree", 1000) == (10, 10) and bounds.released("local", 1000) == (1, 999)
    for counter in set(bounds.COUNTERS) - set(bounds.PAPER):
        agent = LinOptVI(1.0, 1e-6, 0.025, counter, "corrected").calibrate(mixture(2, 2), 1000)
        ours = bounds.constants(2, 2, 2, 1000, 1.0, 1e-6, 0.025, "corrected", counter)
        assert agent.growth.fixed == pytest.approx(ours.p.summed)
        assert agent.rewards.gram[0] <= ours.r.gram * (1 + 1e-9)  # the agent knows its features
        with pytest.raises(ValueError, match="counter must be one of none, tree, local, got"):
            bounds.constants(2, 2, 2, 1000, 1.0, 1e-6, 0.025, "printed", counter)


def test_a_crossing_lies_within_what_the_counter_can_serve() -> None:
    """The last of K episodes reads what K - 1 users have released."""
    assert bounds.crossing(lambda K: 2.0, "sqrt", 20) is None
    most = mechanisms.most_releases("sqrt", 20) + 1
    for first in (1000, most, most + 1):
        expected = first if first <= most else None
        assert bounds.crossing(lambda K, first=first: (first - 0.5) / K, "sqrt", 20) == expected


def test_the_counters_serve_the_sums_of_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as an agent releases that has features of so many dimensions."""
    widths: set[int] = set()
    monkeypatch.setattr(bounds, "crossings", lambda *settings: widths.add(settings[-1]))
    bounds.horizons(3, 3, 4, 1.0, 1e-6, 0.025)
    assert widths == {layout.width(mixture(3, 4), by_blocks=False, known_rewards=False)}
    assert layout.width(mixture(3, 4), by_blocks=False, known_rewards=True) == 4 * (3 + 2 + 1 + 3)


@pytest.mark.slow
def test_horizons(rows: dict[tuple[str, str], bounds.Horizon]) -> None:
    for counter in ("tree", "local"):
        printed, corrected, tight = (rows[counter, name] for name in CALIBRATIONS)
        assert printed.below_trivial > corrected.below_trivial > tight.below_trivial
        assert printed.start > corrected.start > tight.start
        assert all(row.start < row.below_trivial for row in (printed, corrected, tight))
    assert rows["tree", "printed"].below_trivial < rows["local", "printed"].below_trivial
    row = rows["tree", "tight"]
    for K, above in ((row.start - 1, True), (row.start, False)):
        constants = bounds.constants(2, 2, 2, K, 1.0, 1e-6, 0.025, "tight")  # type: ignore[arg-type]
        assert (bounds.start_ratio(constants) >= 1) is above
    with pytest.raises(ValueError, match="epsilon must be > 0"):
        bounds.constants(2, 2, 2, 10, 0.0, 1e-6, 0.1)


def test_the_switch_by_a_run() -> None:
    """Algorithm 2 itself on the two contexts: for drawn actions its regret is above the bound."""
    K, N = 4000, 2000
    beta, eta = policy._beta(K), math.sqrt(2 * math.log(2) / K)
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        lead, pulls, paid, total = 0.0, np.zeros(2), np.zeros(2), 0.0
        for k in range(K):
            q = np.minimum(1.0, paid / (1 + pulls) + beta / np.sqrt(1 + pulls))
            chance = 1 / (1 + math.exp(-eta * lead))  # of a_1 in the second context
            arm = 1
            if k >= N:
                total += 0.5 * chance
                arm = 0 if rng.random() < chance else 1
            pulls[arm] += 1
            paid[arm] += 0.5 * arm
            lead += q[0] - q[1]
        assert policy.switching_regret(K, N) <= total <= 0.5 * (K - N)
        assert total > 0.4 * 0.5 * (K - N)


def test_the_private_switch_by_hand() -> None:
    """The tree's prefix noise by its nodes, and without a first part nothing is led astray."""
    rng = np.random.default_rng(5)
    nodes = [rng.standard_normal(((6 >> level) + 1, 1)) for level in range(3)]
    noise = private_regret.prefix_noise(np.random.default_rng(5), 6, 1)[:, 0]
    assert (
        noise[6] == nodes[1][3, 0] + nodes[2][1, 0]
        and noise[5] == nodes[0][5, 0] + nodes[2][1, 0]
        and noise[0] == 0
    )
    assert private_regret.switching_ratio((4000, 30.0, 0.0), 0) < 0.1
    assert regret.martingale_gap(1) == 0.5 and regret.martingale_gap(2) == 0


def test_the_orders_of_first_states_by_a_run() -> None:
    """The order decides: the second half alone costs, an order that alternates does not."""
    K = 10_000
    by_name = policy.orders(K)
    assert by_name["the second from K/20 on"].sum() == K - K // 20
    assert by_name["ten blocks"].sum() == by_name["alternating"].sum() == K // 2
    assert policy.run_of(policy.LINEAR[0], K) > policy.switching_regret(K, K // 2) / K > 0.17
    assert policy.run_of("alternating", K) < 0.01 < policy.run_of("ten blocks", K)
    assert policy.run_of("alternating", 10 * K) < policy.run_of("alternating", K) / 2
