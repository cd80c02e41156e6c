"""Compiled formulas by a second road: linear algebra of NumPy, programs solved, sums written out.

Small enough to be run as plain Python as well.
"""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privrl.agents.blocks import Blocks
from privrl.agents.linear import kernels
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.records import (
    BASE,
    LOGARITHM_RATE,
    OF_EPISODES,
    OF_NOISE,
    OF_ROOT,
    ROOT_DETERMINANT,
    ROOT_FIXED,
    ROOT_LOGARITHM,
    Growth,
    LinearPath,
    LinearReleased,
    LinearWorld,
    Sparse,
)
from privrl.agents.lq import agent as lq_agent
from privrl.agents.lq import kernels as lq_kernels
from privrl.agents.sums import Noisy
from privrl.agents.tabular import dp_ucbvi, private_ucbvi, pucb, ubev
from privrl.agents.tabular import records as tabular
from privrl.environments import mixture

rng = np.random.default_rng(3)
NONE = np.zeros(0)


@pytest.mark.parametrize("n", [1.0, 2.0, 2.7, 1e6])
def test_the_law_of_the_iterated_logarithm(n: float) -> None:
    """exp(exp((n phi^2 - c)/2)) = max(e, n)."""
    for constant in (0.3, 9.0):
        phi = ubev.phi(n, constant)
        assert math.exp(math.exp((n * phi**2 - constant) / 2)) == pytest.approx(
            max(math.e, n), rel=1e-4
        )


def tabular_records(
    n: np.ndarray, r: np.ndarray, m: np.ndarray, horizon: int, states: int
) -> tuple[tabular.TabularReleased, tabular.TabularPlan]:
    plan = tabular.TabularPlan(
        np.zeros_like(r),
        np.zeros((horizon + 1, states)),
        np.zeros((horizon, states), dtype=np.int64),
    )
    return tabular.TabularReleased(Noisy(NONE), Noisy(n), Noisy(r), Noisy(m)), plan


@pytest.mark.parametrize(("e", "logarithm"), [(0.5, 0.01), (4.0, 0.3), (0.0, 2.0)])
def test_the_plan_of_pucb(e: float, logarithm: float) -> None:
    """min(H, (r + sum m V)/n + (H + 1) phi + (1 + SH) E (3/n + 2 E/n^2)), H where n < 2E."""
    H, S, A = 3, 2, 2
    n = rng.uniform(max(2 * e, 1), 4e3 * (e + 1), (H, S * A))
    n[0, 0], n[1, 1], n[1, 2] = max(2 * e, 1) * 1.2, 1.9 * e + 0.1, 0.1
    r, m = 0.2 * n, np.repeat(n[:, None] / S, S, axis=1)
    released, plan = tabular_records(n, r, m, H, S)
    widths = pucb.PUCBWidths(e, logarithm)
    confidence = pucb.Confidence(np.zeros(H * S * A), np.zeros(H * S * A))
    ahead = np.zeros(S)
    for h in reversed(range(H)):
        pucb.plan_step(h, released, widths, confidence, plan)
        for x in range(S * A):
            expected, count = plan.q[h, x], n[h, x]
            if count < (2 * e if e else 1):
                assert expected == H
                continue
            phi = math.sqrt(logarithm) / math.sqrt(max(count - e, 1))
            psi = (1 + S * H) * (3 * e / count + 2 * (e / count) ** 2)
            estimate = (r[h, x] + sum(m[h, s, x] * ahead[s] for s in range(S))) / count
            assert expected == pytest.approx(min(H, estimate + (H + 1) * phi + psi))
        ahead = plan.q[h].reshape(S, A).max(axis=1)
        assert plan.values[h] == pytest.approx(ahead)


def test_the_cases_of_pucb_are_told_apart() -> None:
    """Where the bonus is below H, that at n - E < 1 and those of both terms."""
    H, S = 3, 2
    for e, n in ((0.0, 1.0), (0.3, 1.1), (1e-3, 5.0), (0.01, 0.4)):
        visits = np.full((H, S), n)
        released, plan = tabular_records(visits, 0 * visits, np.zeros((H, S, S)), H, S)
        confidence = pucb.Confidence(np.zeros(H * S), np.zeros(H * S))
        pucb.plan_step(H - 1, released, pucb.PUCBWidths(e, 0.04), confidence, plan)
        psi = 7 * (3 * e / n + 2 * e * e / n**2)
        expected = min(3, 4 * 0.2 / math.sqrt(max(n - e, 1)) + psi)
        assert plan.q[H - 1] == pytest.approx(expected)
    assert pucb.least_known(pucb.PUCBWidths(3.0, 1.0)) == pytest.approx(6.0)
    assert 0 < pucb.least_known(pucb.PUCBWidths(0.0, 1.0)) <= 1


def test_the_plan_of_private_ucbvi() -> None:
    """(r + w + sum max(m, 0) V + rho sqrt(n + N))/n between 0 and H - h + 1."""
    H, S, A = 3, 2, 2
    n = rng.uniform(50, 400, (H, S * A))
    r, m = 0.2 * n, np.repeat(n[:, None] / S, S, axis=1)
    m[0, 1, 2], n[1, 0] = -3.0, -1.0
    released, plan = tabular_records(n, r, m, H, S)
    bonus = private_ucbvi.Bonus(np.array([4.0, 3.0, 2.0]), 7.0, np.array([0.9, 0.8, 0.7]))
    ahead = np.zeros(S)
    for h in reversed(range(H)):
        private_ucbvi.plan_step(h, released, bonus, plan)
        widths, surplus, factors = bonus
        for x in range(S * A):
            sums = sum(max(m[h, s, x], 0) * ahead[s] for s in range(S))
            sums += r[h, x] + widths[h] + factors[h] * (n[h, x] + surplus) ** 0.5
            expected = min(H - h, sums / n[h, x]) if n[h, x] > 0 else H - h
            assert plan.q[h, x] == pytest.approx(expected)
        ahead = plan.q[h].reshape(S, A).max(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(60))
def test_counts_are_the_nearest_that_add_up(case: int) -> None:
    """Least largest change of counts to x >= 0 with a sum within e of the total, by a linear
    program; then 2e are spread over them."""
    states = (1, 2, 3, 6)[case % 4]
    draws = np.random.default_rng(case)
    counts = draws.normal(2, 6, states)
    total, error = draws.uniform(-1, 25), draws.uniform(0.1, 2)
    made = counts.copy()
    expected = dp_ucbvi.make_counts(made, total, error)
    if total + error < 0:
        assert expected == 0
        return
    ones = np.ones((1, states))
    near = np.hstack([np.eye(states), -np.ones((states, 1))])
    far = np.hstack([-np.eye(states), -np.ones((states, 1))])
    solution = linprog(
        np.r_[np.zeros(states), 1.0],
        A_ub=np.vstack([near, far, np.c_[ones, 0], np.c_[-ones, 0]]),
        b_ub=np.r_[counts, -counts, total + error, error - total],
        bounds=[(0, None)] * (states + 1),
    )
    optimum = made - 2 * error / states
    assert (optimum > -1e-9).all()
    assert abs(optimum.sum() - total) <= error * (1 + 1e-9)
    assert np.abs(optimum - counts).max() == pytest.approx(solution.fun, abs=1e-7)
    assert expected == pytest.approx(optimum.sum() + 2 * error)


def test_the_plan_of_dp_ucbvi() -> None:
    """Bernstein's bonus with the variance of the values under the made counts."""
    H, S, A = 3, 2, 2
    n = rng.uniform(300, 900, (H, S * A))
    r, share = 0.2 * n, rng.uniform(0.2, 0.8, (H, S * A))
    m = np.stack([n * share, n * (1 - share)], axis=1)
    for deviation in (0.5, 30.0):
        released, plan = tabular_records(n, r, m, H, S)
        bonus = dp_ucbvi.DPUCBVIBonus(1.5, 0.8, deviation, 2.5, np.zeros(S))
        dp_ucbvi.plan(released, bonus, plan)
        ahead = np.zeros(S)
        for h in reversed(range(H)):
            for x in range(S * A):
                made = m[h, :, x] + 2 * 1.5 / S
                chance, visits = made / made.sum(), made.sum()
                variance = chance @ ahead**2 - (chance @ ahead) ** 2
                reach = H - h - 1
                wide = max(deviation * (visits * variance) ** 0.5, deviation**2 * reach)
                more = 0.8 * visits**0.5 + 5 * 1.5 + 2.5 * reach + wide
                expected = min(H - h, (r[h, x] + more) / visits + chance @ ahead)
                assert plan.q[h, x] == pytest.approx(expected)
            ahead = plan.q[h].reshape(S, A).max(axis=1)


def test_the_noise_of_a_release() -> None:
    weights = np.array([1.0, 1.5, 1.7, 2.0])
    rates = np.array([-0.5, -1e-3, -30.0])

    def expected(mode: int, finished: int, every: int = 1) -> float:
        return kernels.terms(Growth(mode, 4.5, 1.0, weights, rates, every), finished)

    assert expected(kernels.NONE, 9) == 0
    assert expected(kernels.FIXED, 0) == expected(kernels.FIXED, 9) == 4.5
    assert expected(kernels.EACH, 9) == 9
    assert expected(kernels.EACH, 9, 2) == 4
    assert expected(kernels.BITS, 0) == 0
    for finished in range(1, 16):
        bits = sum(weight for i, weight in enumerate(weights) if finished >> i & 1)
        assert expected(kernels.BITS, finished) == pytest.approx(bits)
        grown = sum(
            w * (1 - math.exp(r * finished)) for w, r in zip(weights[1:], rates, strict=True)
        )
        assert expected(kernels.SERIES, finished) == pytest.approx(finished + grown)


def test_the_factor_of_a_bonus() -> None:
    """All parts together, and the logarithm's alone."""
    bonus = np.zeros(8)
    bonus[[BASE, OF_EPISODES, OF_NOISE, OF_ROOT]] = 0.7, 1.3, 0.9, 2.1
    bonus[[ROOT_FIXED, ROOT_LOGARITHM, LOGARITHM_RATE, ROOT_DETERMINANT]] = 0.4, 3.0, 0.05, 1.5
    for finished, n, determinant in ((0, 0.0, 0.2), (40, 5.0, 3.0), (900, 9.0, -0.1)):
        inside = 0.4 + 3 * math.log1p(0.05 * finished) + 1.5 * determinant
        roots = 1.3 * (finished + 1) ** 0.25 + 0.9 * n**0.25
        assert kernels.width_of(bonus, finished, n, determinant) == pytest.approx(
            0.7 + 2.1 * inside**0.5 + roots
        )


@pytest.mark.parametrize("scale", [1.0, 1e90, 1e-90, 1e250])
def test_regressions(scale: float) -> None:
    m, n = 4, 3
    root = rng.normal(size=(m, m))
    gram = (root @ root.T + np.eye(m)) * scale
    vector, features = rng.normal(size=m), rng.normal(size=(m, n))
    estimate, square = np.zeros(n), np.zeros(n)
    upper = gram[np.triu_indices(m)]
    expected = kernels.substitute(
        upper.copy(), m, vector.copy(), features.ravel().copy(), n, estimate, square
    )
    sign, log = np.linalg.slogdet(gram / scale)
    assert sign == 1
    assert expected == pytest.approx(log + m * math.log(scale))
    solved = np.linalg.solve(gram / scale, features)
    assert estimate * scale == pytest.approx(vector @ solved)
    assert square * scale == pytest.approx((features * solved).sum(axis=0))
    upper[0] = -1.0
    assert math.isnan(
        kernels.substitute(upper, m, vector, features.ravel().copy(), n, estimate, square)
    )


@pytest.mark.parametrize("scale", [1.0, 1e120, 1e-120])
def test_log_determinants(scale: float) -> None:
    root = rng.normal(size=(4, 4))
    gram = root @ root.T + np.eye(4)
    expected = np.linalg.slogdet(gram)[1] + 4 * math.log(scale)
    assert lq_kernels.log_det(gram * scale) == pytest.approx(expected)
    assert lq_kernels.log_det(-gram) == 0


def test_the_radius_of_an_ellipsoid() -> None:
    """Its square less the offset, in both cases of the root."""
    expected = lq_kernels.radius(0.3, 1.5, 2, 4.0, 0.7)
    assert ((expected - 0.7) / 0.3) ** 2 == pytest.approx(1.5 + 2 * 4.0)
    assert lq_kernels.radius(0.3, 1.5, 2, -4.0, 0.7) == pytest.approx(0.7)
    assert lq_agent.logarithm(3, 0.1) == pytest.approx(math.log(900))


def small_world() -> LinearWorld:
    """Two steps, three pairs; a next state of probability zero comes last for pair 0, and first for
    pair 1."""
    first, after = np.array([0, 3, 5, 6]), np.array([2, 3, 1, 0, 3, 1])
    chance = np.array([[0.3, 0.7 - 1e-13, 0.0, 0.0, 1 - 1e-13, 1.0]] * 2)
    return LinearWorld(
        np.array([[0.25, 0.5, 1.0]] * 2),
        chance,
        Sparse(first, after, np.zeros((6, 1))),
        NONE,
        NONE,
        np.ones((2, 3), dtype=np.bool_),
        0.0,
        bernoulli=True,
    )


def test_next_states_by_inversion() -> None:
    world = small_world()
    for x, uniform, after in (
        (0, 0.0, 2), (0, 0.299, 2), (0, 0.3, 3), (0, 0.9, 3), (0, 1 - 1e-16, 3),
        (1, 0.0, 3), (1, 0.7, 3), (1, 1 - 1e-16, 3), (2, 0.5, 1),
    ):  # fmt: skip
        assert kernels.draw_next(world, 1, x, uniform) == after


def test_a_step_pays_a_coin() -> None:
    world = small_world()
    coins = np.array([[0.5, 0.5, 0.24, 0.1, 0.9]])
    blocks = Blocks(np.zeros((1, 1)), coins, np.zeros((1, 1)))
    path = LinearPath(
        np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.int64), np.zeros(2), np.zeros(1)
    )
    assert kernels.step(world, blocks, 0, 0, 0, path) == 3
    assert kernels.step(world, blocks, 0, 1, 0, path) == 2
    assert path.rewards.tolist() == [1.0, 0.0]
    assert path.states.tolist() == [0, 3, 2]
    assert path.pairs.tolist() == [0, 0]
    paid = world._replace(bernoulli=False)
    assert kernels.step(paid, blocks, 0, 1, 1, path) == 3
    assert path.rewards[1] == 0.5


@pytest.mark.parametrize("h", [0, 1])
def test_upper_values_are_ridge_regressions(h: int) -> None:
    """Estimate plus bonus times the norm in the inverse of the shifted Gram matrix, for both
    regressions, cut at the cap; the cap where a matrix is not positive definite."""
    mdp = mixture()
    state = (
        LinOptVI(10.0, 1e-3, calibration="corrected", by_blocks=False)
        .start(mdp, 64, np.array([64]))
        .state
    )
    known, scratch = state.known, state.scratch
    sums, ahead = np.zeros(scratch.released.size), rng.uniform(0.2, 1, mdp.states)
    finished, variance = 40, kernels.terms(known.growth, 40)
    assert variance > 0
    upper = np.zeros(mdp.states * mdp.actions)
    features = (np.einsum("saxd,x->sad", mdp.psi, ahead), mdp.varphi)
    for estimator, phi in zip((known.transitions, known.rewards), features, strict=True):
        layout, widths, d = estimator.layout, estimator.widths, phi.shape[2]
        shift = widths.shift[h, 0] + widths.shift[h, 1] * variance**0.5
        root = rng.normal(size=(d, d))
        gram = (root @ root.T + np.eye(d)) * 30 * shift
        theta = rng.uniform(0, 0.3, d)
        at = h * estimator.segment + layout.grams[0]
        to = h * estimator.segment + layout.vectors[0]
        sums[at : at + d * (d + 1) // 2] = gram[np.triu_indices(d)]
        inverse = np.linalg.inv(gram + shift * np.eye(d))
        sums[to : to + d] = np.linalg.solve(inverse, theta)
        determinant = -np.linalg.slogdet(inverse)[1]
        factor = kernels.width_of(widths.bonus[h], finished, variance, determinant)
        rows = phi.reshape(-1, d)
        expected = rows @ theta + factor * np.einsum("xd,de,xe->x", rows, inverse, rows) ** 0.5
        if h < mdp.horizon - 1 or phi is mdp.varphi:  # nothing is to come after the last step
            upper += expected
    released, q = LinearReleased(Noisy(sums), finished, variance), np.full_like(upper, np.nan)
    assert kernels.upper_values(h, released, known, ahead, scratch, q) == 0
    met = np.repeat(known.reachable[h], mdp.actions)
    assert met.any()
    assert (upper[met] < known.caps[h]).any()
    assert q[met] == pytest.approx(np.minimum(upper, known.caps[h])[met])
    sums[h * known.rewards.segment + known.rewards.layout.grams[0]] = -1e12
    assert kernels.upper_values(h, released, known, ahead, scratch, q) == 1
    assert q[met].tolist() == [known.caps[h]] * int(met.sum())


@pytest.mark.parametrize("floor", [0.0, -math.inf])
def test_upper_values_are_cut_from_below_as_well(floor: float) -> None:
    """At the floor, where there is one: the bound of what a message moves rests on it."""
    mdp = mixture()
    learner = LinOptVI(10.0, 1e-3, calibration="corrected", by_blocks=False).start(
        mdp, 64, np.array([64])
    )
    known, scratch = learner.state.known._replace(floor=floor), learner.state.scratch
    sums, h = np.zeros(scratch.released.size), mdp.horizon - 1  # nothing comes after
    estimator, d = known.rewards, mdp.varphi.shape[2]
    at = h * estimator.segment + estimator.layout.grams[0]
    to = h * estimator.segment + estimator.layout.vectors[0]
    sums[at : at + d * (d + 1) // 2] = 1e8 * np.eye(d)[np.triu_indices(d)]  # hardly a bonus
    sums[to : to + d] = -1e8  # rewards of -sum(varphi), but for the shift
    released = LinearReleased(Noisy(sums), 40, kernels.terms(known.growth, 40))
    q = np.full(mdp.states * mdp.actions, np.nan)
    assert kernels.upper_values(h, released, known, np.zeros(mdp.states), scratch, q) == 0
    met = np.repeat(known.reachable[h], mdp.actions)
    below = -mdp.varphi.sum(axis=2).ravel()[met]
    assert (below < -0.1).any()
    assert q[met] == pytest.approx(np.maximum(floor, below), abs=0.01)
