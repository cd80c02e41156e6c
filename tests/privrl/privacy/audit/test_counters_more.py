"""The attack on counters: bounds, controls, planted faults. Seeds are fixed; alpha = 1e-9 wherever
noise is correct."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm

from privrl.privacy import accounting
from privrl.privacy.audit import counters, events
from privrl.privacy.audit.faults import FAULTS, plant
from privrl.privacy.counters.mechanisms import AUDITED, counter_cost, laws

MU = accounting.gaussian_mu(1.0, 1e-6)
SURE = 1e-9


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def pair(
    name: str, law: str, releases: int, size: float, change: tuple[float, ...] = (1.0, -1.0)
) -> counters.AttackedPair:
    """A pair whose exact loss, or mu, is ``size``."""
    unit_pair = counters.AttackedPair(name, law, np.array(change), releases)
    return counters.AttackedPair(name, law, unit_pair.change * size / unit_pair.size(), releases)


@pytest.mark.parametrize("hits", [0, 1, 17, 50, 99, 100])
def test_the_proportion_bounds_are_where_the_binomial_tail_is_alpha(hits: int) -> None:
    low, high = (
        float(events.proportion_below(hits, 100, 1e-3)),
        float(events.proportion_above(hits, 100, 1e-3)),
    )
    assert 0 <= low <= hits / 100 <= high <= 1
    assert hits == 0 or math.isclose(binom.sf(hits - 1, 100, low), 1e-3, rel_tol=1e-6)
    assert hits == 100 or math.isclose(binom.cdf(hits, 100, high), 1e-3, rel_tol=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_exact_rates_give_back_what_the_mechanism_has(epsilon: float) -> None:
    # randomised response attains (epsilon, 0) in both directions; an upper tail of Laplace noise in
    # one
    share = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert math.isclose(float(events.event_epsilon(share, 1 - share, 0.0)), epsilon)
    assert float(events.event_epsilon(share, 1 - share, 0.01)) < epsilon
    assert math.isclose(float(events.event_mu(norm.sf(0.7 - epsilon), norm.sf(0.7))), epsilon)


def test_bounds_that_say_nothing_are_zero() -> None:
    assert [
        float(events.event_epsilon(*rates)) for rates in ((0.0, 0.3, 0.0), (0.2, 1.0, 0.1))
    ] == [0, 0]
    assert [float(events.event_mu(*rates)) for rates in ((0.0, 0.3), (0.3, 1.0), (0.0, 0.0))] == [
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("name", AUDITED)
@pytest.mark.parametrize("releases", [1, 7, 12])
def test_the_change_of_the_draws_is_the_sensitivity_of_the_counter(
    name: str, releases: int
) -> None:
    for law in laws(name):
        worst = max(
            counters.AttackedPair(name, law, np.ones(1), releases, user).size()
            for user in range(1, releases + 1)
        )
        sensitivity = counter_cost(name, releases, law).sensitivity
        assert worst <= sensitivity * (1 + 1e-9)
        assert worst >= sensitivity * (0.6 if name in ("smooth", "blt") else 1 - 1e-9)


def test_the_matrix_is_that_of_the_noise() -> None:
    tree = counters.matrix("tree", 5)
    assert tree.tolist() == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    block = plant(None, "tree", 200_000, 5, rng()).block(5)
    assert np.abs(block @ block.T / 200_000 - tree @ tree.T).max() < 0.05


def test_a_user_changes_the_nodes_that_cover_her() -> None:
    _, shift = counters.AttackedPair("tree", "laplace", np.ones(1), 7, 3).shifts()
    assert shift.tolist() == [0, 0, 1, 1, 0, 0, 0]
    _, shift = counters.AttackedPair("local", "gaussian", np.ones(1), 7, 3).shifts()
    assert shift.tolist() == [0, 0, 1, 0, 0, 0, 0]


def test_the_exact_epsilon_of_a_pair() -> None:
    assert math.isclose(
        counters.AttackedPair("tree", "laplace", np.array([0.2, 0.0, -0.1]), 7).exact(0.0),
        0.9,
        rel_tol=1e-6,
    )
    for tenths in range(
        1, 30
    ):  # from above, in fractions: three draws move, by each of the changes
        change = np.array([0.1 * tenths, 0.2, 0.3])
        exact = Fraction(counters.AttackedPair("tree", "laplace", change, 7).exact(0.0))
        assert exact >= 3 * sum(map(Fraction, change.tolist()))
    exact_epsilon = counters.AttackedPair("tree", "gaussian", np.array([0.3, 0.4]), 7).exact(1e-6)
    assert math.isclose(
        exact_epsilon, accounting.gaussian_epsilon(1e-6, 0.5 * math.sqrt(3)), rel_tol=1e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", AUDITED)
def test_correct_noise_is_not_refuted_and_the_bound_is_close(name: str) -> None:
    for law in laws(name):
        gaussian = law == "gaussian"
        right = pair(name, law, 7, 3.0 if gaussian else 1.0, (1.0,))
        attack = counters.attack(
            right, rng(3), trials=20_000, delta=1e-6 if gaussian else 0.0, alpha=SURE
        )
        assert not attack.refuted
        assert attack.lower >= (0.85 if gaussian else 0.2) * attack.exact


@pytest.mark.slow
def test_false_alarms_stay_under_their_level() -> None:
    for right, delta in (
        (pair("tree", "gaussian", 3, MU), 1e-6),
        (pair("tree", "laplace", 3, 1.0, (1.0,)), 0.0),
    ):
        attacks = [
            counters.attack(right, rng(seed), trials=500, delta=delta, alpha=0.2)
            for seed in range(30)
        ]
        # at rate 0.2 more than 21 of 30 have probability 5e-10; the bounds' own rate is a few
        # hundredths
        assert sum(attack.refuted for attack in attacks) <= 21


@pytest.mark.parametrize(
    ("name", "law"), [("tree", "gaussian"), ("tree", "laplace"), ("local", "gaussian")]
)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_planted_fault_is_caught(name: str, law: str, fault: str) -> None:
    # it shows over more releases
    gaussian, late = (
        law == "gaussian",
        (law, fault) == ("laplace", "redrawn"),
    )
    wrong = (
        pair(name, law, 63, 2.0, (1.0,))
        if late
        else pair(name, law, 7, 1.0, (1.0, -1.0) if gaussian else (1.0,))
    )
    attack = counters.attack(
        wrong,
        rng(1),
        trials=20_000 if gaussian else 40_000,
        delta=1e-6 if gaussian else 0.0,
        alpha=1e-3 if late else 1e-6,
        fault=fault,
    )
    assert attack.refuted and (gaussian or attack.curve == 0)


def test_the_attacker_of_reused_nodes_compares_two_of_a_level() -> None:
    attack = counters.attack(
        pair("tree", "gaussian", 7, 1.0), rng(1), trials=2000, delta=1e-6, fault="reused"
    )
    assert "less" in attack.events[0].statistic


def test_faulty_streams_are_what_they_say() -> None:
    shared = plant("shared", "tree", 6, 7, rng(), group=3).block(7)
    assert (shared[:, :3] == shared[:, :1]).all()
    assert (shared[:, 3:] == shared[:, 3:4]).all()
    assert (shared[:, 0] != shared[:, 3]).all()
    reused = plant("reused", "tree", 2, 7, rng()).block(7)
    assert np.allclose(reused[2], reused[0] + reused[1])  # node 3 is node 1 again
    missing = plant("missing-level", "tree", 2, 7, rng()).block(7)
    assert (missing[3] == 0).all()
    half, full = (plant(fault, "tree", 2, 7, rng()).block(7) for fault in ("half-scale", None))
    assert np.allclose(2 * half, full)
    redrawn = plant("redrawn", "tree", 50_000, 7, rng()).block(7)
    assert np.allclose(redrawn.var(axis=1), [1, 1, 2, 1, 2, 2, 3], rtol=0.05)
    assert abs(np.corrcoef(redrawn)[1, 2]) < 0.03
