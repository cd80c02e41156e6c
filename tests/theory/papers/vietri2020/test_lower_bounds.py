"""The lower bounds of vietri2020 and what surrounds them: numbers derived independently, neighbours
that are false."""

from fractions import Fraction
from itertools import product
from math import comb, exp, inf, log, log1p, sqrt, tanh
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from privrl.environments import hard_mdp
from privrl.environments.planning import optimal, value
from privrl.types import TabularMDP
from theory.bound_terms import illustrated
from theory.lemmas import coupling, private_bandits, secret_arms
from theory.papers.vietri2020 import lower_bounds, lower_bounds_bandit, lower_bounds_pac
from theory.papers.vietri2020 import lower_bounds_regret as regret
from theory.papers.vietri2020 import lower_bounds_rl as rl
from theory.papers.vietri2020 import lower_bounds_theorem_5 as theorem_5
from theory.papers.vietri2020.bounds import stated as bounds
from theory.rigor.sampling import clopper_pearson


def test_the_best_factor_by_a_linear_program() -> None:
    """max P(event) subject to Q(event) = 1 over the cone of private mechanisms on two bits, by
    linear programming."""
    points, E = list(product((0, 1), repeat=2)), 7.0

    def weights(p: float) -> list[float]:
        return [p ** sum(x) * (1 - p) ** (2 - sum(x)) for x in points]

    rows = []
    for i, x in enumerate(points):
        for j, y in enumerate(points):
            if sum(a != b for a, b in zip(x, y, strict=True)) == 1:
                row = [0.0] * 4
                row[i], row[j] = 1.0, -E
                rows.append(row)
    solution = linprog(
        [-w for w in weights(0.6)],
        A_ub=rows,
        b_ub=[0.0] * len(rows),
        A_eq=[weights(0.25)],
        b_eq=[1.0],
    )
    exact = coupling.best_factor(2, Fraction(3, 5), Fraction(1, 4), Fraction(7))
    assert (
        -solution.fun
        == pytest.approx(float(exact))
        == pytest.approx(((1 + 6 * 0.6) / (1 + 6 * 0.25)) ** 2)
    )


def test_the_printed_factor_by_hand() -> None:
    """epsilon = 5, d = 0.01, one bit; and ten bits with delta."""
    assert 0.99 + 0.01 * exp(5) > exp(0.3)
    f = [1e-6 * sum(1.1**i for i in range(k)) for k in range(11)]
    reached = sum(comb(10, k) * 0.01**k * 0.99 ** (10 - k) * f[k] for k in range(11))
    assert (
        reached == pytest.approx(lower_bounds._with_delta(10)[0])
        and reached > 2 * lower_bounds._with_delta(10)[1]
    )


def test_coupling_rejects_its_neighbours() -> None:
    assert not coupling.one_entry_costs(Fraction(10**6 - 1, 10**6))
    with pytest.raises(ValueError, match="must be probabilities of a private mechanism"):
        coupling.attained(3, Fraction(2), Fraction(1, 2), Fraction(0), Fraction(1, 2))
    with pytest.raises(ValueError, match=r"beta must be <= 1/2, got beta=0\.6"):
        coupling.error_divergence(0.6)
    assert [len(coupling.height_functions(n)) for n in (1, 2, 3)] == [2, 6, 38]


@pytest.mark.parametrize("pair", lower_bounds_bandit.RAISED)
def test_the_divergence_of_outputs_is_paid_by_pulls(pair: lower_bounds_bandit.BanditPair) -> None:
    """The extreme mechanism itself: private, KL of its outputs at most epsilon d E[n_a] and kl
    E[n_a]."""
    rounds, epsilon, beta, first, second = pair
    bandit = private_bandits.fewest_pulls(
        rounds, epsilon, beta, (first, 1), [(first, 0), (second, 1)]
    )
    assert bandit is not None and bandit.loss() <= epsilon + 1e-6
    first_outputs, two = bandit.outputs(first), bandit.outputs(second)
    assert sum(first_outputs.values()) == pytest.approx(1)
    spent = sum(p * log(p / two[key]) for key, p in first_outputs.items() if p > 1e-9)
    pulls = sum(p * key[:-1].count(1) for key, p in first_outputs.items())
    assert pulls == pytest.approx(bandit.value)
    assert coupling.error_divergence(beta) - 1e-9 <= spent
    assert (
        spent
        <= min(epsilon * abs(first[1] - second[1]), coupling.kl(first[1], second[1])) * pulls + 1e-9
    )


def test_randomised_response_by_hand() -> None:
    """T = 1: reward of arm 0 kept with probability 4/5; ln 4-DP, right on (1, 0) and (0, 1), arm 1
    never pulled."""
    keep = Fraction(4, 5)
    assert keep / (1 - keep) == 4
    assert log(1 / (4 * 0.2)) / (24 * log(4)) > 0
    bandit = private_bandits.fewest_pulls(
        1, log(4), 0.2, ((1.0, 0.0), 1), [((1.0, 0.0), 0), ((0.0, 1.0), 1)]
    )
    assert bandit is not None and bandit.value == pytest.approx(0, abs=1e-9)
    # a little more privacy, and it is impossible
    assert (
        private_bandits.fewest_pulls(
            1, log(3.9), 0.2, ((1.0, 0.0), 1), [((1.0, 0.0), 0), ((0.0, 1.0), 1)]
        )
        is None
    )


def test_one_arm_alone_by_simulation() -> None:
    generator = np.random.default_rng(2)
    ones = generator.binomial(100, 0.6, size=50_000)
    answers = generator.random(50_000) < 1 / (1 + np.exp(-(ones - 55.0)))
    low, high = clopper_pearson(int((~answers).sum()), 50_000)
    assert low <= lower_bounds_bandit.one_arm_alone(100, 1.0, 0.6, 0.5) <= high + 0.01


def test_the_smallest_agent_by_hand() -> None:
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    # policy 1, seen by others
    lowest, highest = (
        half * 0 + half * half,
        half * quarter + half * half,
    )
    assert (lowest, highest) == (Fraction(1, 4), Fraction(3, 8))
    joint, trace = rl.one_round(half, rl.SMALLEST)
    assert joint == Fraction(3, 2) == max(highest / lowest, (1 - lowest) / (1 - highest))
    assert trace is None  # (action 0, policy 1): 0 or 1/8


def test_secret_arms_by_hand() -> None:
    """Two arms, one user: softmax weights 1 or 1 + x, averaged over the arm."""
    x = Fraction(1)
    joint, revealed = secret_arms.worst_losses(2, 1, x)
    # rewards (1, 0) against (0, 1): policy 0 has probability (2/3 + 1/2)/2 or (1/2 + 1/3)/2
    assert (
        joint
        == (Fraction(2, 3) + Fraction(1, 2)) / (Fraction(1, 2) + Fraction(1, 3))
        == Fraction(7, 5)
    )
    assert revealed == Fraction(3, 2)
    assert joint <= (1 + x / 2) / (1 - x / 2)
    assert not secret_arms.averages_of_secret_arms(Fraction(999, 1000))


@pytest.mark.parametrize(("arms", "epsilon"), [(4, 0.02), (16, 0.002)])
def test_exploration_suffices(arms: int, epsilon: float) -> None:
    """The number of users of the docstring, on a bandit with one arm better by alpha = 1/2:
    failures below beta."""
    users = secret_arms.exploration(arms, 1, 0.5, 0.1, epsilon)
    x = arms * tanh(epsilon / 2)
    assert users == pytest.approx(
        max(228 * arms * log(20 * arms), 4 * arms * log(20 * arms) / log1p(x)), abs=1
    )
    means = np.full(arms, 0.25)
    means[1] = 0.75
    hits = secret_arms.sampled_successes(means, 1, users, x, 2_000, np.random.default_rng(arms))
    assert clopper_pearson(hits, 2_000)[0] > 0.9


def test_the_sample_takes_only_draws_that_are_the_same_in_every_numpy() -> None:
    """NumPy 2.5 changed ``binomial``: the record of theorem-5 differed."""
    drawn = np.random.default_rng(5)
    generator = SimpleNamespace(random=drawn.random, gumbel=drawn.gumbel)
    means = np.array([0.75, 1.0, 0.5, 0.25])
    hits = secret_arms.sampled_successes(means, 1, 100, 0.05, 2_000, generator)  # type: ignore[arg-type]
    rng = np.random.default_rng(6)
    laws = rng.binomial(rng.multinomial(100, np.full(4, 0.25), size=2_000), means) * log1p(0.05)
    reference_hits = int(((laws + rng.gumbel(size=laws.shape)).argmax(axis=1) == 1).sum())
    low, high = clopper_pearson(hits, 2_000)
    assert low < reference_hits / 2_000 < high  # the same law


def test_the_secret_agent_beats_the_printed_constant_only_where_it_should() -> None:
    assert theorem_5.pulls_with_private_policies() == pytest.approx(31 * 0.8 * log(9) / 5e-4)
    assert lower_bounds_pac.printed_last_line((3, 2, 2), 1 / 14, 0.1, 1.0) == pytest.approx(
        6 * 14 / 336 * log(7 / 6.4)
    )
    quotients = [4 * (6 * log(A) + log(20)) / (3 * A * log(10)) for A in (5, 10**3, 10**5)]
    assert quotients[0] > 1 > quotients[1] > 10 * quotients[2]


def test_the_needle_is_worth_its_gap() -> None:
    """A tree with two leaves and two arms, H = 4, built and planned: the best pair leads by (H - 1)
    gap/2."""
    gap, horizon = 0.25, 4
    transitions = np.zeros((horizon, 5, 2, 5))  # root, leaves 1 and 2, plus, minus
    rewards = np.zeros((horizon, 5, 2))
    transitions[:, 0, 0, 1] = transitions[:, 0, 1, 2] = transitions[:, 3, :, 3] = transitions[
        :, 4, :, 4
    ] = 1
    enter = np.array([[0.5 + gap / 2, 0.5], [0.5, 0.5 + gap]])  # the safe pair, and a needle
    transitions[:, 1:3, :, 3], transitions[:, 1:3, :, 4] = enter, 1 - enter
    rewards[:, 1:3], rewards[:, 3] = enter, 1.0
    mdp = TabularMDP("needle", transitions, rewards, np.eye(5)[0])
    values = {}
    for leaf, arm in product(range(2), repeat=2):
        policy = np.zeros((horizon, 5), dtype=np.int64)
        policy[0, 0], policy[1, 1 + leaf] = leaf, arm
        values[leaf, arm] = value(mdp, policy)
    best = float(optimal(mdp)[0][0, 0])
    assert best == pytest.approx(values[1, 1]) == pytest.approx(3 * 0.75)
    assert min(best - v for pair, v in values.items() if pair != (1, 1)) == pytest.approx(
        3 * gap / 2
    )
    states, bound = theorem_5.needle_bound(1, 2, 4, 0.1, 0.1, 0.5)
    assert states == 5 and bound == pytest.approx(3 * 3 * 0.8 * log(9) / (2 * 0.5 * 0.1))


def test_the_first_term_needs_no_privacy() -> None:
    """2 n m pulls at alpha' = 1/4 and b = 1/4 ; fewest pulls of any agent, in fractions;
    lower_pac's edge."""
    gap, share = Fraction(1, 4), Fraction(1, 4)

    def error(k: int) -> Fraction:
        fair, two = Fraction(1, 2), Fraction(1, 2) + gap
        laws = ([comb(k, i) * p**i * (1 - p) ** (k - i) for i in range(k + 1)] for p in (fair, two))
        return sum(map(min, *laws), Fraction(0)) / 2

    fewest, pulls_bound = theorem_5.pulls_without_privacy(0.25, 0.25)
    assert error(fewest) <= share < error(fewest - 1) and fewest == 7
    assert pulls_bound == pytest.approx(log(4 / 3) / (-log1p(-0.25) / 2)) == pytest.approx(2)
    for S, A, H in ((3, 2, 1), (12, 11, 20)):
        edge = bounds.lower_pac(S, A, H, H / 56, 1 / 8, inf)
        assert (
            edge
            == pytest.approx(2 * (S - 2) * (A - 1))
            == pytest.approx((S - 2) * (A - 1) * 56**2 / 1568)
        )
        for privacy in ("policies", "joint"):
            # privacy only adds
            assert bounds.lower_pac(S, A, H, H / 56, 1 / 8, 1e6, privacy) >= edge * (1 - 1e-12)
    assert not theorem_5._first_term((1500.0, 1.0)) and not theorem_5._first_term((1568.0, 3.4))


def test_lower_pac_by_hand() -> None:
    b = 1 / 7 + 6 / 70
    information = -log(4 * b * (1 - b))
    assert bounds.lower_pac(5, 4, 7, 0.05, 0.1, 0.01) == pytest.approx(
        9 * information / (0.01 * 0.1)
    )
    assert bounds.lower_pac(5, 4, 7, 0.05, 0.1, inf) == pytest.approx(
        9 * information / (-log1p(-0.04) / 2)
    )
    assert bounds.lower_pac(5, 4, 7, 0.05, 0.1, 1e-6, "joint") == pytest.approx(
        3 * information / 1e-7
    )
    assert bounds.lower_pac(5, 10**6, 7, 0.05, 0.1, 1e-9, "joint") == pytest.approx(
        3 * ((1 - b) * log(10**6 - 1) - log(2)) / 1e-10
    )


def test_a_lower_bound_names_what_binds() -> None:
    """Privacy gives epsilon gap a pull, sampling about 2 gap^2: the first binds below 2 gap."""
    gap = 0.1
    alpha = gap * 7 / (2 * 7)  # H = 7, share 1/7
    for epsilon, term in ((0.15, bounds.PRIVACY), (0.25, bounds.SAMPLING)):
        assert bounds.per_pull_binding(gap, epsilon).term == term
        assert bounds.lower_pac_binding(5, 4, 7, alpha, 0.1, epsilon).term == term
        assert bounds.lower_count_binding(30, 9, 20, gap, 0.1, epsilon).term == term
    assert bounds.lower_pac_binding(5, 2, 7, alpha, 0.1, 0.25, "joint").term == bounds.SAMPLING
    assert bounds.lower_pac_binding(5, 2, 7, alpha, 0.1, 1e-3, "joint").term == bounds.FINAL
    for privacy in ("policies", "joint"):
        binding = bounds.lower_regret_binding(5, 3, 3, 10**5, 1e-3, privacy)
        assert binding.term.startswith(bounds.PRIVACY)
        assert binding.value == bounds.lower_regret(5, 3, 3, 10**5, 1e-3, privacy)


@pytest.mark.parametrize(
    "bound",
    [
        lambda epsilon: bounds.lower_count_binding(12, 11, 20, 1e-4, 0.1, epsilon),
        lambda epsilon: bounds.lower_pac_binding(12, 11, 2, 1 / 1400, 0.1, epsilon),
        lambda epsilon: bounds.lower_regret_binding(
            5, 3, 3, 10**5, epsilon, "joint", first_paid=False
        ),
    ],
    ids=["the same as without privacy", "35 episodes more", "the same regret"],
)
def test_an_example_at_which_privacy_plays_no_part_is_refused(bound: Any) -> None:
    """The sizes and epsilon = 0.01 that the three lower bounds once were illustrated at."""
    with pytest.raises(ValueError, match="at least 2 times the bound without privacy, got epsilon"):
        illustrated(bound, 0.01)
    assert illustrated(bound, 1e-5).value >= 2 * bound(inf).value


@pytest.mark.slow
@given(
    st.integers(3, 12),
    st.integers(2, 12),
    st.integers(1, 12),
    st.integers(1, 10**9),
    st.floats(1e-6, 100),
)
def test_regret_bounds_are_ordered(S: int, A: int, H: int, T: int, epsilon: float) -> None:
    """More privacy costs more, joint privacy less than private policies; never more than the gap
    allows."""
    policies, joint = (
        bounds.lower_regret(S, A, H, T, epsilon, kind) for kind in ("policies", "joint")
    )
    free = bounds.lower_regret(S, A, H, T, inf)
    assert 0 <= free <= joint * (1 + 1e-9) <= policies * (1 + 2e-9) <= H * T / 4 * (1 + 3e-9)
    assert bounds.lower_regret(S, A, H, T, epsilon / 2) >= policies * (1 - 1e-9)


def test_regret_bound_by_hand() -> None:
    """S = 3, A = 2, H = 1, gap 1/2, epsilon = 0.01, T = 10^6: kappa = 0.005, the prior 0.8 by the
    formula."""
    kappa, visits = 0.005, 10**6
    x = log(0.2 * visits * kappa / (2 * 0.6)) / kappa
    grid = [0.6 * y + 0.2 * visits / 2 * exp(-kappa * y) for y in np.linspace(0, 3 * x, 100_001)]
    assert bounds.wrong_pulls(visits, 1, kappa, (0.8,)) == pytest.approx(min(grid), rel=1e-6)
    assert bounds.lower_regret(3, 2, 1, visits, 0.01, gap=0.5) >= 0.25 * min(grid) * (1 - 1e-6)
    late = bounds.lower_regret(7, 2, 3, 10**9, 0.01, "joint", gap=0.5, first_paid=False)
    assert late == pytest.approx(5 * 2 / (8 * 0.01) * (1 - sqrt(4e-9) / 2))


@pytest.mark.parametrize(
    ("rounds", "epsilon", "prior"), [(1, 1.0, 0.5), (2, 0.5, 0.5), (2, 2.0, 0.8), (3, 1.0, 0.7)]
)
def test_regret_bound_with_three_arms_against_all_mechanisms(
    rounds: int, epsilon: float, prior: float
) -> None:
    """n = H = 1, m = 2, which the ledger's linear programs leave out."""
    gap = 0.5
    instances = [
        (prior, (0.75, 0.5, 0.5)),
        ((1 - prior) / 2, (0.75, 1.0, 0.5)),
        ((1 - prior) / 2, (0.75, 0.5, 1.0)),
    ]
    exact = private_bandits.least_regret(rounds, epsilon, instances)
    assert exact >= gap / 2 * bounds.wrong_pulls(rounds, 2, bounds.per_pull(gap, epsilon), (prior,))


def test_the_hard_mdp_loses_half_a_gap() -> None:
    for instance in ((0, 0), (2, 0), (1, 2)):
        mdp = hard_mdp(2, 2, 0.25, instance, 5, entry_reward=False)
        best = float(mdp.initial @ optimal(mdp)[0][0])
        for arms in product(range(3), repeat=2):
            policy = np.zeros((5, 4), dtype=np.int64)
            policy[0, :2] = arms
            wrong = sum(arm != right for arm, right in zip(arms, instance, strict=True))
            lost = best - value(mdp, policy)
            assert 4 * 0.125 * wrong / 2 - 1e-12 <= lost <= 4 * 0.25 * wrong / 2 + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.lower_pac(2, 2, 2, 0.01, 0.1, 1.0), "states must be >= 3, got states=2"),
        (lambda: bounds.lower_pac(3, 1, 2, 0.01, 0.1, 1.0), "actions must be >= 2, got actions=1"),
        (
            lambda: bounds.lower_pac(3, 2, 2, 0.1, 0.1, 1.0),
            "alpha must be <= share H/4, got alpha=0.1",
        ),
        (lambda: bounds.lower_pac(3, 2, 2, 0.01, 0.45, 1.0), "share .* must be < 1/2"),
        (
            lambda: bounds.lower_pac(3, 2, 2, 0.01, 0.1, 0.0),
            "epsilon must be > 0 and finite, got epsilon=0.0",
        ),
        (
            lambda: bounds.lower_pac(3, 2, 2, 0.01, 0.1, 1.0, "local"),  # type: ignore[arg-type]
            "privacy must be one of policies, joint",
        ),
        (
            lambda: bounds.lower_count(3, 2, 2, 0.01, 0.1, 1.0, 0.3),
            "share must be < 1/4, got share=0.3",
        ),
        (lambda: bounds.lower_regret(3, 2, 2, 0, 1.0), "episodes must be >= 1, got episodes=0"),
        (lambda: bounds.lower_regret(3, 2, 2, 10, 1.0, gap=0.6), "gap must be <= 1/2"),
        (
            lambda: private_bandits.least_regret(6, 1.0, [(1.0, (0.5, 0.5))]),
            "rounds must be <= 5, got rounds=6",
        ),
    ],
)
def test_bad_sizes_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_values_that_are_alike_may_differ_in_their_last_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        regret, "optimal", lambda mdp: (None, optimal(mdp)[1] * np.array([1.0, 1 + 2**-52, 1.0]))
    )
    assert regret._starts_without_regret("+") and not regret._starts_without_regret("1")
