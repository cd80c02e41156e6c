"""Linear quadratic systems: assumption 1 part by part, the noise laws, the stated instances, and
bad input."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from privrl.agents.lq.dynamics import cosine_quantile, disturbance
from privrl.checks import provides
from privrl.environments import LQSystem, lq_instance, lq_scalar, planning, random_lq
from privrl.environments.lq import NOISES, controllability, disturbances
from privrl.types import Environment
from tests.contracts import FALSE_ALARM, refused

SHAPES = ((1, 1), (2, 1), (2, 2), (4, 2))
ALL = [
    *(lq_instance(n, d) for n, d in SHAPES),
    *(random_lq(n, d, 4, seed) for n, d, seed in ((1, 2, 0), (3, 2, 5))),
]


def parts(**change):
    """A system that meets the assumption, but for what is changed."""
    defaults = {
        "name": "x",
        "A": [[0.5, 0.1], [0.0, 0.4]],
        "B": [[0.1], [0.4]],
        "Q": 0.3 * np.eye(2),
        "R": np.eye(1),
        "start": [0.6, 0.8],
        "horizon": 4,
        "gamma": 0.5,
        "c_w": 0.2,
    }
    arrays = ("A", "B", "Q", "R", "start")
    return {
        name: np.array(value, dtype=float) if name in arrays and value is not None else value
        for name, value in {**defaults, **change}.items()
    }


@pytest.mark.parametrize("system", ALL, ids=lambda system: system.name)
class TestEverySystem:
    def test_it_is_an_environment(self, system):
        provides("system", system, Environment)  # type: ignore[type-abstract]
        assert system.coins == system.horizon * system.coins_per_step and system.ties == 0
        with pytest.raises(dataclasses.FrozenInstanceError):
            system.A = system.A
        assert not any(
            array.flags.writeable
            for array in (system.A, system.B, system.Q, system.R, system.start)
        )

    def test_no_gain_on_s_exceeds_gamma(self, system):
        """Assumption 1 does not give that; the stated and the random instances are chosen so."""
        assert planning.lq_gain_bound(system) <= system.gamma * (1 + 1e-12)


def test_shapes_of_the_stated_systems():
    for n, d in SHAPES:
        stated = lq_instance(n, d, horizon=3)
        assert (stated.states, stated.controls, stated.horizon, stated.name) == (
            n,
            d,
            3,
            f"lq-{n}-{d}-h3",
        )
    assert lq_instance(1, 1).name == lq_scalar().name == "lq-1-1"
    stated = [  # type: ignore[assignment]
        lq_scalar(),
        lq_scalar(4),
        lq_scalar(noise="box"),
        lq_instance(2, 1, 4, "sphere"),
        random_lq(2, 1, 4, 0),
        random_lq(2, 1, 4, 1),
        random_lq(2, 1, 3, 0),
        random_lq(2, 1, 4, 0, "cosine"),
    ]
    assert len({system.name for system in stated}) == len(stated)  # type: ignore[arg-type]


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 8), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_random_systems_are_taken_and_no_gain_exceeds_gamma(n, d, horizon, seed):
    """What breaks assumption 1 is no system: see what is refused below."""
    system = random_lq(n, d, horizon, seed)
    TestEverySystem().test_no_gain_on_s_exceeds_gamma(system)
    assert (random_lq(n, d, horizon, seed).theta == system.theta).all()


def drawn(system, rows, seed=0):
    """The kernel's w, shape (rows H, n)."""
    u = np.random.default_rng(seed).random((rows, system.coins))
    w = np.empty((rows, system.horizon, system.states))
    for row in range(rows):
        for h in range(system.horizon):
            disturbance(
                NOISES.index(system.noise),
                system.radius,
                u,
                row,
                h * system.coins_per_step,
                w[row, h],
            )
    np.testing.assert_allclose(disturbances(system, u), w, atol=1e-12)  # and the replay's, in NumPy
    return w.reshape(-1, system.states)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_law_has_mean_zero_its_variance_and_its_bound(noise, n):
    system = random_lq(n, 1, 5, 1, noise)
    w = drawn(system, 2000)
    assert np.linalg.norm(w, axis=1).max() <= system.radius * (1 + 1e-12)
    assert np.linalg.norm(w, axis=1).max() >= 0.7 * system.radius
    # Hoeffding: w_i in [-r, r], w_i w_j in an interval of length r^2 around what it is
    width = math.sqrt(math.log(2 * (n + n * n) / FALSE_ALARM) / 2 / len(w))
    assert np.abs(w.mean(axis=0)).max() <= 2 * system.radius * width
    second = w.T @ w / len(w) - system.variance * np.eye(n)
    assert np.abs(second).max() <= system.radius**2 * width
    # and the width tells the laws apart from their halves
    assert system.radius**2 * width < 0.5 * system.variance + 0.05 * system.radius**2


def test_the_variances_by_integration():
    def over(density, n):
        return integrate.quad(lambda w: w * w * density(w), -1, 1)[0] / n

    laws = {"box": lambda w: 0.5, "cosine": lambda w: math.cos(math.pi * w / 2) ** 2}
    for noise, density in laws.items():
        for n in (1, 2, 4):
            system = dataclasses.replace(random_lq(n, 1, 3, 0, noise), radius=0.1)
            assert system.variance == pytest.approx(0.01 * over(density, n), rel=1e-9)
    for n in (1, 2, 4):  # |w|^2 has the mean r^2 n/(n + 2) in the ball
        inside = integrate.quad(lambda r, n=n: r * r * n * r ** (n - 1), 0, 1)[0]
        assert random_lq(n, 1, 3, 0).variance == pytest.approx(0.04 * inside / n, rel=1e-9)


def test_the_cosine_law_has_its_distribution_function():
    """F(w) = (1 + w + sin(pi w)/pi)/2 at the quantile, to the last bits, to the ends; other
    constants do not do."""
    u = np.concatenate(
        [
            [0.0, 1e-300, 1e-18, 1e-12, 1e-8, 1e-6],
            np.linspace(1e-5, 1 - 1e-5, 2001),
            [1 - 1e-12, np.nextafter(1, 0)],
        ]
    )
    w = np.array([cosine_quantile(level) for level in u])
    assert (np.diff(w) >= 0).all() and w[0] == -1 and w[-1] <= 1 and cosine_quantile(0.5) == 0
    np.testing.assert_allclose((1 + w + np.sin(np.pi * w) / np.pi) / 2, u, atol=1e-15)
    assert np.abs((1 + w + np.sin(np.pi * w) / 3) / 2 - u).max() > 1e-3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"Q": [[0.3, 0.0], [0.0, 0.0]]},
            "Q must be positive definite, got smallest_eigenvalue=0.0",
        ),
        ({"Q": [[0.3, 0.1], [0.0, 0.3]]}, "Q must be symmetric, got skew=0.1"),
        ({"R": [[-1.0]]}, "R must be positive definite, got smallest_eigenvalue=-1.0"),
        (
            {"A": [[0.9, 0.3], [0.0, 0.4]]},
            r"assumption 1 (a): the Frobenius norm of [A, B] must be <= 1",
        ),
        ({"A": 0.5 * np.eye(2)}, "assumption 1 (a): [A, B] must be controllable"),
        ({"B": [[0.4], [0.0]]}, "assumption 1 (a): [A, B] must be controllable"),
        ({"B": [[0.0], [0.0]]}, "assumption 1 (a): [A, B] must be controllable"),
        (
            {"c_a": 0.3},
            "assumption 1 (b): c_a must be at least the operator norm that it bounds, got c_a=0.3",
        ),
        ({"c_b": 0.1}, "assumption 1 (b): c_b must be at least"),
        ({"c": 0.2}, "assumption 1 (b): c must be at least"),
        ({"c_a": 1.0}, "assumption 1 (b): C_A must be < 1, got c_a=1.0"),
        ({"c_b": 1.5}, "assumption 1 (b): C_B must be < 1, got c_b=1.5"),
        ({"start": [0.8, 0.8]}, "assumption 1 (c): the norm of start must be <= 1"),
        ({"c_w": 1.0}, "assumption 1 (d): C_w must be < 1, got c_w=1.0"),
        (
            {"radius": 0.21},
            "assumption 1 (d): the noise must stay within C_w, got radius=0.21, c_w=0.2",
        ),
        ({"gamma": 0.75}, "assumption 1 (e): C_A + gamma C_B + C_w must be <= 1"),
        ({"c_a": 0.7}, "assumption 1 (e): C_A + gamma C_B + C_w must be <= 1"),
        ({"A": [[0.5, 0.1]]}, "A must have shape (1, 1)"),
        ({"B": [[0.1, 0.4]]}, "B must have shape (2, "),
        ({"Q": np.eye(3)}, "Q must have shape (2, 2)"),
        ({"R": np.eye(2)}, "R must have shape (1, 1)"),
        ({"start": [0.6]}, "start must have shape (2)"),
        ({"name": " "}, "name must be a non-empty string"),
    ],
)
def test_what_breaks_the_assumption_is_named(change, message):
    assert message in refused(lambda: LQSystem(**parts(**change)))


def test_the_neighbours_of_what_is_refused_are_taken():
    for change in (
        {},
        {"c_a": 0.55},
        {"radius": 0.2},
        {"radius": 0.01},
        {"gamma": 0.6},
        {"start": [0.0, 0.0]},
        {"A": [[0.5, 0.1], [0.0, 0.5]]},
        {"Q": [[0.3, 0.1], [0.1, 0.3]]},
    ):
        assert LQSystem(**parts(**change)).radius <= 0.2


def test_controllability_is_that_of_the_pair():
    assert controllability(np.zeros((2, 2)), np.eye(2)) == pytest.approx(1.0)
    assert controllability(np.eye(2), np.ones((2, 1))) == pytest.approx(0.0, abs=1e-15)
    tiny = 1e-6 * np.array([[0.0, 1.0], [0.0, 0.0]])
    # small powers are no lack of it
    assert controllability(tiny, np.array([[0.0], [1.0]])) == pytest.approx(1.0)


def test_systems_that_are_not_stated_are_refused():
    assert "stated systems exist" in refused(lambda: lq_instance(3, 1))
