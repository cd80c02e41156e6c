"""chowdhury2021: verdicts, numbers derived independently, the explicit bounds, mutants that are
false."""

import math

import numpy as np
import pytest

from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.environments import planning
from privrl.environments.lq import lq_instance, lq_scalar
from privrl.privacy.noise_scales.chowdhury2021 import printed_sizes_chowdhury2021
from privrl.run import simulate
from privrl.types import CALIBRATIONS
from theory.papers.chowdhury2021 import bounded, bounds, coverage, runs, sensitivity, system


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (2, 2), (4, 2)])
def test_riccati_against_the_package(shape: tuple[int, int]) -> None:
    instance = lq_instance(*shape)
    values = system.array_riccati(instance.A, instance.B, instance.Q, instance.R, instance.horizon)
    costs, gains = planning.riccati(
        instance.A, instance.B, instance.Q, instance.R, instance.horizon
    )
    assert np.allclose(np.array(values)[: len(costs)], costs, rtol=1e-12, atol=1e-14)
    assert np.allclose(gains[-1], 0)  # K_H = 0: the gains of the package hold P_{h+1}


def test_the_step_of_equation_5_sees_its_noise() -> None:
    assert system.square_defect() == 0 != system.square_defect(share=2)


def test_where_the_printed_first_sensitivity_covers_a_user_who_is_replaced() -> None:
    """Between two gammas, against the supremum after a common first state, for long episodes."""
    horizon, (narrow, broad) = 10**7, sensitivity.covered()
    for gamma, covers in (
        (0.999 * narrow, False),
        (1.001 * narrow, True),
        (0.999 * broad, True),
        (1.001 * broad, False),
    ):
        supremum = math.sqrt(2) * (horizon - 1) * (1 + gamma**2)
        assert (supremum <= printed_sizes_chowdhury2021(horizon, gamma)[0]) == covers


def test_the_run_that_breaks_lemma_2_on_a_grid() -> None:
    """The minimiser of the second episode's set on a grid, which shares nothing with the balls of
    the record."""
    run, points = bounded.RUN, 700
    centre, beta, v, lam = (float(value.mid()) for value in bounded.second_set(run.start))
    a = np.linspace(centre - beta / v**0.5, centre + beta / v**0.5, points)[:, None]
    b = np.linspace(0, 1, points)[None, :]
    inside = (v * (a - centre) ** 2 + lam * b**2 <= beta**2) & (a**2 + b**2 <= 1)
    cost = np.where(inside, a**2 * run.price / (run.price + b**2), np.inf)
    i, j = np.unravel_index(cost.argmin(), cost.shape)
    control = float(a[i, 0] * b[0, j] / (run.price + b[0, j] ** 2))
    assert control > run.gamma
    assert run.start.a + run.start.b * control > 1
    assert float(bounded.least_control(run)[0].mid()) <= control


def test_no_gain_above_the_bound_of_the_package() -> None:
    """Every Theta in S: the bound of the package is below the one of lemma-2's record, and neither
    is broken."""
    instance = lq_scalar()
    limit = planning.lq_gain_bound(instance)
    loose = 0.5 * math.sqrt(planning.lq_cost_bound(instance, 2) / instance.R[0, 0])
    assert limit <= loose
    grid = np.linspace(-1, 1, 81)
    for a in grid:
        for b in grid[grid**2 <= 1 - a * a]:
            gains = system.scalar_riccati(
                float(a), float(b), instance.Q[0, 0], instance.R[0, 0], instance.horizon
            )[1]
            assert max(map(abs, gains)) <= limit * (1 + 1e-12)


def test_supremum_of_lemma_3() -> None:
    assert planning.lq_cost_bound(lq_scalar()) == pytest.approx(5 * 0.4)
    assert bounds.SCALAR.value == pytest.approx(4 * 0.4)
    assert bounds.Problem(1, 1, 50, 0.5, 1.0, 1.0, 0.2, 0.6).value == pytest.approx(1 / 0.64)


def test_misses_by_enumeration() -> None:
    """All 2^14 paths of signs against the recursion over their number."""
    signs = coverage.NoiseSigns(regulariser=0.01, alpha=1.0, episodes=14)
    paths = 0.5 * np.cumsum(1 - 2 * (np.arange(2**14)[:, None] >> np.arange(14) & 1), axis=1)
    k = np.arange(1, 15)
    level = 2 * math.log(2) + np.log1p(k / 0.01)
    outside = np.abs(0.004 - paths) / np.sqrt(0.01 + k) > 0.5 * np.sqrt(level) + 0.1
    assert coverage.missed(signs) == pytest.approx(outside.any(axis=1).mean(), rel=1e-12)
    assert coverage.missed(signs) > 0


def test_first_episode_by_hand() -> None:
    """Episode 1 of the counterexamples: Theta~ has a = 0, u = 0 and both sums hold sqrt(q)/2."""
    instance = runs.ScalarSystem(0.5, 0.5, 1e-4, 1e-4, 1e-9, 0.8, 2)
    played = runs.play(instance, runs.Regulariser(1.0), 0.1, 1, 64, 0)
    assert (played.sums <= 0.5 * math.sqrt(1e-4) * (1 + 1e-6)).all()  # |x_1| <= 1 is drawn
    assert played.sums.max() > 0.45 * math.sqrt(1e-4)
    assert np.allclose(played.sums, played.differences)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (4, 2)])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_constants_are_those_of_the_agent(shape: tuple[int, int], calibration: str) -> None:
    instance = lq_instance(*shape)
    problem = bounds.Problem(
        instance.states,
        instance.controls,
        instance.horizon,
        instance.gamma,
        float(np.linalg.norm(instance.Q, 2)),
        float(np.linalg.norm(instance.R, 2)),
        instance.c_w,
    )
    agent = PrivateOFURL(epsilon=0.7, delta=1e-7, alpha=0.05, calibration=calibration).calibrate(
        instance, 5000
    )
    regular = bounds.regularity(problem, 5000, 0.7, 1e-7, 0.05, calibration)  # type: ignore[arg-type]
    assert regular.least == pytest.approx(agent.lambda_min, rel=1e-12)
    assert regular.most == pytest.approx(agent.lambda_max, rel=1e-12)
    assert regular.nu == pytest.approx(agent.nu, rel=1e-12)
    assert (regular.sigma_gram, regular.sigma_cross) == pytest.approx(
        (agent.sigma_gram, agent.sigma_cross)
    )
    if shape == (1, 1):
        assert problem == bounds.SCALAR


@pytest.mark.slow
@pytest.mark.parametrize("form", bounds.FORMS)
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_vacuity_horizon(calibration: str, form: str) -> None:
    """One crossing: above at every tried K before it (also right after powers of two), below at
    every one after."""
    args = (0.1, 1.0, 1e-6, calibration, form)
    first = bounds.vacuity_horizon(bounds.SCALAR, *args)  # type: ignore[arg-type]

    def below(K: int) -> bool:
        return bounds.regret_bound(bounds.SCALAR, K, *args) < bounds.trivial_regret(  # type: ignore[arg-type]
            bounds.SCALAR, K
        )

    assert below(first)
    assert not below(first - 1)
    assert all(below(first * k + 1) for k in range(2, 40))
    assert all(below((1 << k) + 1) for k in range(first.bit_length(), 63))
    assert not any(below(K) for K in (2, 3, 10, 100, 1000, first // 3, first // 2))


def test_regret_of_one_step_is_nothing() -> None:
    problem = bounds.Problem(1, 1, 1, 0.5, 1.0, 1.0, 0.3)
    assert bounds.regret_terms(problem, 100, 0.1, bounds.LQRegularity(1.0, 1.0, 0.0)).total == 0
    assert bounds.trivial_regret(problem, 100) == 0
    with pytest.raises(ValueError, match="horizon must be >= 2"):
        bounds.vacuity_horizon(problem, 0.1, 1.0, 1e-6)


def test_blind_episodes_on_a_run() -> None:
    """Every control is 0 as long as the predicate says so: the agent's regret is that of the zero
    controller."""
    instance, episodes = lq_scalar(), 400
    regular = bounds.regularity(bounds.SCALAR, episodes, 1.0, 1e-6, 0.1, "tight")
    assert bounds.first_episode(bounds.SCALAR, 0.1, regular) > episodes
    agent = PrivateOFURL(epsilon=1.0, delta=1e-6, alpha=0.1, calibration="tight")
    played = simulate.run("chowdhury2021/scalar", instance, agent, episodes=episodes, seed=0)
    zero = planning.lq_regret(instance, planning.lq_zero(instance)) * episodes
    assert played.regret[0, -1] == pytest.approx(zero, rel=1e-9)


def test_blind_episodes_without_privacy() -> None:
    """OFU-RL: no control other than 0 before the predicate allows one, and one soon after."""
    instance = lq_scalar()
    regular = bounds.LQRegularity(1.0, 1.0, 0.0)
    first = bounds.first_episode(bounds.SCALAR, 0.1, regular)
    played = simulate.run("chowdhury2021/scalar", instance, OFURL(), episodes=2000, seed=3)
    zero = planning.lq_regret(instance, planning.lq_zero(instance))
    before = played.episodes < first
    if before.any():
        assert np.allclose(played.regret[0, before], zero * played.episodes[before], rtol=1e-9)
    assert played.regret[0, -1] < 0.9 * zero * 2000


@pytest.mark.slow
def test_horizons_are_where_each_bound_first_says_something() -> None:
    found = bounds.horizons(bounds.SCALAR, 0.1, 1.0, 1e-6)
    forms = {**dict.fromkeys(CALIBRATIONS, "proved"), "lines": "printed"}
    assert found.keys() == forms.keys()
    for name, form in forms.items():
        args = (0.1, 1.0, 1e-6, "printed" if name == "lines" else name, form)
        for K, below in ((found[name], True), (found[name] - 1, False)):
            bound = bounds.regret_bound(bounds.SCALAR, K, *args)  # type: ignore[arg-type]
            assert (bound < bounds.trivial_regret(bounds.SCALAR, K)) is below


def test_start_horizon() -> None:
    first = bounds.start_horizon(bounds.SCALAR, 0.1, 1.0, 1e-6)

    def starts(K: int) -> bool:
        return (
            bounds.first_episode(
                bounds.SCALAR, 0.1, bounds.regularity(bounds.SCALAR, K, 1.0, 1e-6, 0.1)
            )
            <= K
        )

    assert starts(first)
    assert not starts(first - 1)
    assert all(starts((1 << k) + 1) for k in range(first.bit_length(), 60))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bounds.Problem(1, 1, 5, 0.5, 1.0, 1.0, 1.0), "noise must be in"),
        (lambda: bounds.Problem(1, 1, 5, 0.5, 1.0, 1.0, 0.3, 1.0), "drift must be in"),
        (lambda: bounds.LQRegularity(2.0, 1.0, 0.0), "most must be >= least"),
        (lambda: bounds.regularity(bounds.SCALAR, 1, 1.0, 1e-6, 0.1), "episodes must be >= 2"),
        (
            lambda: bounds.noise_scale(bounds.SCALAR, 1.0, 1e-6, "loose"),  # type: ignore[arg-type]
            "calibration must be one of",
        ),
        (lambda: bounds.lower_regret(10, 1, 1.0, 1.0, 0.5, 0.4), "horizon must be >= 2"),
    ],
)
def test_one_sentence(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
