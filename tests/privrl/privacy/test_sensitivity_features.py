"""Suprema of liao2021 and zhou2022: pairs attain them, random users stay below, linear mixtures
come close."""

import math

import numpy as np
import pytest

from privrl.privacy import sensitivity
from privrl.types import Adjacency
from tests.contracts import EXACT, refused
from tests.privrl.privacy.test_sensitivity import REPLACE, UserArrays, changes, each_adjacency


def mixture_change(
    first: UserArrays,
    second: UserArrays,
    statistic: str,
    norm: str = "released",
    weights: tuple[float, float] = (1.0, 1.0),
) -> float:
    gram, cross = changes(
        *(sensitivity.mixture_sums(*user) if user else () for user in (first, second))
    )
    sizes = (
        sensitivity.norm_of(gram, norm) / weights[0],
        sensitivity.norm_of(cross, "l2") / weights[1],
    )
    return {"gram": sizes[0], "cross": sizes[1], "message": math.hypot(*sizes)}[statistic]


def random_features(
    rng: np.random.Generator, steps: int, size: float, bound: float, dimension: int
) -> UserArrays:
    phi = rng.standard_normal((steps, dimension))
    phi *= size * rng.choice([1.0, rng.random()]) / np.linalg.norm(phi, axis=1, keepdims=True)
    return phi, bound * rng.choice([0.0, 1.0, rng.random()], steps)


@pytest.mark.slow
@each_adjacency
@pytest.mark.parametrize("weights", [(1.0, 1.0), (3.0, 1.0), (1.0, 5.0), (2.0, 0.3)])
def test_features(adjacency: Adjacency, weights: tuple[float, float]) -> None:
    rng = np.random.default_rng(4)
    size, bound = 1.7, 2.3
    joint = sensitivity.features_joint(size, bound, *weights, adjacency)
    assert mixture_change(joint.first, joint.second, "message", weights=weights) == pytest.approx(
        joint.value
    )
    assert mixture_change(
        joint.first, joint.second, "message", "frobenius", weights
    ) == pytest.approx(joint.value)
    for statistic in ("gram", "cross"):
        worst = sensitivity.features(statistic, size, bound, adjacency)
        assert mixture_change(worst.first, worst.second, statistic) == pytest.approx(worst.value)
        assert mixture_change(worst.first, worst.second, statistic, "frobenius") == pytest.approx(
            worst.value
        )
    for number in range(800):
        first_user = random_features(rng, 1, size, bound, 2 + number % 3)
        two = random_features(rng, 1, size, bound, 2 + number % 3) if adjacency is REPLACE else ()
        assert mixture_change(first_user, two, "message", "frobenius", weights) <= joint.value * (
            1 + EXACT
        )
        for statistic in ("gram", "cross"):
            limit = sensitivity.features(statistic, size, bound, adjacency).value * (1 + EXACT)
            assert mixture_change(first_user, two, statistic, "frobenius") <= limit
    if adjacency is REPLACE and weights == (1.0, 1.0):
        assert joint.value**2 == pytest.approx(2 * size**4 + 2 * size**2 * bound**2 + bound**4 / 2)


def test_opposite_features_are_approached_by_linear_mixtures() -> None:
    """Two states, two actions, theta = (sqrt 2, 0): equation-3.1, the norm of theta and
    probabilities as assumed."""
    horizon = 3.0
    shares = []
    for small in (0.1, 1e-3, 1e-5):
        tall = math.sqrt(1 - small**2)
        theta = np.array([math.sqrt(2), 0.0])
        phi = np.array(
            [[[1 / math.sqrt(2) - small, -0.3 * sign], [small, tall * sign]] for sign in (1, -1)]
        )
        chances = phi @ theta
        assert (chances >= 0).all()
        assert np.allclose(chances.sum(axis=1), 1)
        for values in np.ndindex(
            2, 2
        ):  # the corners of [0, H]^2 suffice: the norm is convex; phi is (a, s', d)
            assert (
                np.linalg.norm(np.tensordot(np.array(values), phi, (0, 1)), axis=1) <= 1 + EXACT
            ).all()
        value = np.array([0.0, horizon])  # V, and both users move to the state that carries it
        features = np.tensordot(phi, value, (1, 0))
        first_user, two = ((features[action][None, :], value[1:]) for action in (0, 1))
        shares.append(
            mixture_change(first_user, two, "cross")
            / sensitivity.features("cross", horizon, horizon).value
        )
    assert shares[0] < shares[1] < shares[2] <= 1 + EXACT
    assert shares[2] > 1 - 1e-6


def one_hot_message(
    rng: np.random.Generator, horizon: int, states: int, stage: bool
) -> tuple[UserArrays, UserArrays]:
    users: list[list[np.ndarray]] = [[], []]
    targets: list[list[float]] = [[], []]
    for bound in sensitivity.stage_bounds(horizon, stage):
        value = bound * rng.choice(
            [np.ones(states), rng.integers(0, 2, states), rng.random(states)]
        )
        for user in range(2):
            phi = np.zeros((3, states))
            phi[rng.integers(3)] = value
            users[user].append(phi.ravel())
            targets[user].append(float(rng.choice(value)))
    return (np.array(users[0]), np.array(targets[0])), (np.array(users[1]), np.array(targets[1]))


@each_adjacency
@pytest.mark.parametrize("statistic", ["gram", "cross", "message"])
@pytest.mark.parametrize("norm", ["frobenius", "released"])
@pytest.mark.parametrize("states", [None, 1, 4])
@pytest.mark.parametrize("stage", [True, False])
def test_liao2021(
    statistic: str, adjacency: Adjacency, norm: str, states: int | None, stage: bool
) -> None:
    horizon = 4
    worst = sensitivity.liao2021(
        statistic, horizon, adjacency, one_hot_states=states, norm=norm, stage_values=stage
    )
    if states is not None or statistic == "message":
        assert mixture_change(worst.first, worst.second, statistic, norm) == pytest.approx(
            worst.value
        )
    rng = np.random.default_rng(5)
    for _ in range(60):
        if states is None:
            bounds = sensitivity.stage_bounds(horizon, stage)
            parts = [
                [random_features(rng, 1, bound, bound, 3) for bound in bounds] for _ in range(2)
            ]
            first_user, two = (
                (np.concatenate([p[0] for p in messages]), np.concatenate([p[1] for p in messages]))
                for messages in parts
            )
        else:
            first_user, two = one_hot_message(rng, horizon, states, stage)  # type: ignore[assignment]
        change = mixture_change(first_user, two if adjacency is REPLACE else (), statistic, norm)
        assert change <= worst.value * (1 + EXACT)


@each_adjacency
@pytest.mark.parametrize("common", [False, True])
def test_zhou2022(adjacency: Adjacency, common: bool) -> None:
    rng = np.random.default_rng(6)
    horizon, dimension = 3, 4
    sigmas = {"p1": 7.0, "p2": 5.0, "r1": 0.8, "r2": 1.2}
    total = sensitivity.zhou2022_joint(horizon, dimension, sigmas, adjacency, common_start=common)

    def pair(step: int | None, size: float, top: float) -> tuple[UserArrays, UserArrays]:
        first_user, two = (random_features(rng, 1, size, top, dimension) for _ in range(2))
        two = (first_user[0], two[1]) if common and step == 1 else two
        return first_user, two if adjacency is REPLACE else ()

    for counter in sigmas:
        for step in (None, 1, 2, 3):
            worst = sensitivity.zhou2022(
                counter, horizon, dimension, adjacency, step=step, common_start=common
            )
            statistic = "gram" if counter[1] == "1" else "cross"
            assert mixture_change(worst.first, worst.second, statistic) == pytest.approx(
                worst.value, abs=EXACT
            )
            for _ in range(60):
                bound = horizon if step is None else horizon - step
                size, top = (2.0 * bound, bound) if counter[0] == "p" else (1.0, 1.0)
                change = mixture_change(*pair(step, size, top), statistic)
                assert change <= worst.value * (1 + EXACT) + EXACT
    for _ in range(300):
        square = 0.0
        for step in range(1, horizon + 1):
            for kind, size, top in (
                ("p", 2.0 * (horizon - step), float(horizon - step)),
                ("r", 1.0, 1.0),
            ):
                square += (
                    mixture_change(
                        *pair(step, size, top),
                        "message",
                        weights=(sigmas[kind + "1"], sigmas[kind + "2"]),
                    )
                    ** 2
                )
        assert math.sqrt(square) <= total * (1 + EXACT)


def test_a_common_first_state_moves_the_target_alone() -> None:
    """Of one step: the same features, a reward of 0 and of 1; nothing is to be learnt of V = 0."""
    sigmas = {"p1": 7.0, "p2": 5.0, "r1": 0.8, "r2": 0.25}
    total = sensitivity.zhou2022_joint(1, 4, sigmas, REPLACE, common_start=True)
    feature = np.array([1.0, 0.0])
    attained = np.linalg.norm(feature * 1.0 - feature * 0.0) / sigmas["r2"]
    assert total == pytest.approx(float(attained))


@pytest.mark.parametrize("size", [5e-324, 1e-308, 1e-160, 1e-80])
def test_what_would_underflow_is_rounded_up(size: float) -> None:
    for adjacency in Adjacency:
        for statistic in ("gram", "cross"):
            assert sensitivity.features(statistic, size, 1.0, adjacency).value >= size**2
            assert sensitivity.features(statistic, size, size, adjacency).value > 0
        assert sensitivity.features_joint(size, 1.0, 1.0, 1.0, adjacency).value >= size
        assert sensitivity.features_joint(size, size, 1.0, 1.0, adjacency).value > 0


def test_what_only_a_paper_knows_is_refused() -> None:
    assert "dimension must be >= 2" in refused(lambda: sensitivity.zhou2022("p1", 3, 1))
    assert "1..horizon" in refused(lambda: sensitivity.zhou2022("p1", 3, 2, step=4))
    assert "sigmas must be a dict of p1, p2, r1, r2" in refused(
        lambda: sensitivity.zhou2022_joint(3, 2, {"p1": 1.0})
    )


def test_the_largest_deviation_and_the_largest_size_are_inside() -> None:
    joint = sensitivity.features_joint(1.0, 1.0, 1e30, 1e30)
    assert joint.value == pytest.approx(sensitivity.features_joint(1.0, 1.0, 1.0, 1.0).value / 1e30)
    assert sensitivity.features("gram", 1e30, 1.0).value == pytest.approx(math.sqrt(2) * 1e60)
    assert refused(
        lambda: sensitivity.features("gram", math.nextafter(1e30, 1e31), 1.0)
    ).startswith("size must be in [0, 1e+30], got ")


def test_zhou2022_at_a_step_by_hand() -> None:
    """Features of norm sqrt(d) (H - h), targets of H - h: twice the product, or the squares at a
    right angle; of rewards 1 and 1 at every step."""
    H, d = 4, 5
    for step in range(1, H):
        rest = H - step
        by_hand = {"p1": math.sqrt(2) * d * rest**2, "p2": 2 * math.sqrt(d) * rest**2}
        for counter, value in {**by_hand, "r1": math.sqrt(2), "r2": 2.0}.items():
            supremum = sensitivity.zhou2022(counter, H, d, step=step)
            assert supremum.value == pytest.approx(value)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (3.0, 1.0), (1.0, 5.0), (2.0, 0.3)])
def test_the_angle_of_two_features_by_a_search(weights: tuple[float, float]) -> None:
    """|phi phi' - psi psi'|^2 and |y phi + y psi|^2 over every angle between features of the
    largest size."""
    size, bound = 1.7, 2.3
    t = np.linspace(-(size**2), size**2, 100_001)  # -phi.psi
    squares = (
        2 * (size**4 - t**2) / weights[0] ** 2 + 2 * bound**2 * (size**2 + t) / weights[1] ** 2
    )
    joint = sensitivity.features_joint(size, bound, *weights)
    assert joint.value**2 == pytest.approx(squares.max(), rel=1e-8)
