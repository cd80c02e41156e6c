"""What agents derive before the first episode, by a second road: tails turned round, sums written
out, sizes taken from the papers."""

import math

import numpy as np
import pytest

from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.records import BASE, OF_EPISODES, OF_ROOT, ROOT_FIXED
from privrl.agents.linear.widths import rewards
from privrl.agents.lq import state as lq
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.widths import elementary
from privrl.environments import mixture, random_mdp, random_mixture
from privrl.environments.lq import lq_scalar
from privrl.privacy import accounting
from privrl.privacy.counters import mechanisms

K, ALPHA, EPSILON, DELTA = 1000, 0.04, 0.7, 1e-3
RELEASES, LEVELS = K - 1, 10


@pytest.mark.parametrize("counter", ["tree", "local"])
def test_a_gaussian_union_bound(counter: str) -> None:
    """Two tails exp(-x^2/2v) for each of the releases add up to the level."""
    cost = mechanisms.counter_cost(counter, RELEASES, "gaussian")
    x = elementary(cost, RELEASES, ALPHA)
    assert 2 * RELEASES * math.exp(-(x**2) / (2 * cost.largest)) == pytest.approx(ALPHA)


@pytest.mark.parametrize("counter", ["tree", "local"])
def test_pucb_s_gaussian_width(counter: str) -> None:
    """The same over all N sums, at beta/4; noise by the l2 change sqrt(6H) of a user."""
    S, A, H = 3, 2, 4
    ours = PUCB(EPSILON, DELTA, ALPHA, counter, "corrected").calibrate(random_mdp(S, A, H, 0), K)
    moved = {"tree": LEVELS, "local": 1}[counter]
    live = {"tree": LEVELS, "local": RELEASES}[counter]
    mu = accounting.gaussian_mu(EPSILON, DELTA)
    assert ours.scale**2 * mu**2 == pytest.approx(6 * H * moved)
    number = 2 * S * A * H + S * S * A * H
    x = ours.e_epsilon / ours.scale
    share = ALPHA / 4 / number / RELEASES
    assert 2 * math.exp(-(x**2) / (2 * live)) == pytest.approx(share)
    assert math.exp(ours.logarithm / 2) == pytest.approx(K / (ALPHA / 4))


def test_the_cost_of_a_tree() -> None:
    """Live nodes of t are its bits; a user is in a node of every level."""
    bits = [t.bit_count() for t in range(1, K)]
    for agent in (PUCB(EPSILON), PrivateUCBVI(EPSILON)):
        cost = agent.cost(K, 12)
        assert cost.sensitivity == pytest.approx(LEVELS)
        assert (cost.largest, cost.mean) == pytest.approx((max(bits), np.mean(bits)))
        again = mechanisms.counter_cost("tree", RELEASES, "laplace")
        assert cost.steps == pytest.approx(again.steps)
    batched = PUCB(EPSILON, calibration="tight", every=10)
    assert batched.releases(K) == 99
    assert batched.releases(991) == 99
    assert batched.cost(K, 12).sensitivity == pytest.approx(7)


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_the_norms_of_a_private_lq_agent(calibration: str) -> None:
    """Lambda and nu turned round into the tails that they were made for: 2 exp(-t^2/2) beyond
    4 sqrt(p) + 2 t, and exp(-x) beyond sqrt(2np) + sqrt(4x), at alpha/2K each, or, over the
    releases that there are, half of that."""
    system = lq_scalar()
    ours = PrivateOFURL(EPSILON, DELTA, ALPHA, calibration=calibration).calibrate(system, K)
    n, p, H, gamma = 1, 2, system.horizon, system.gamma
    each = ALPHA / (2 * K) if calibration == "printed" else ALPHA / (4 * RELEASES)
    t = (ours.lambda_min / (ours.sigma_gram * math.sqrt(LEVELS)) - 4 * math.sqrt(p)) / 2
    assert 2 * math.exp(-(t**2) / 2) == pytest.approx(each)
    length = ours.nu * math.sqrt(ours.lambda_min) / (ours.sigma_cross * math.sqrt(LEVELS))
    assert math.exp(-((length - math.sqrt(2 * n * p)) ** 2) / 4) == pytest.approx(each)
    assert (ours.eta, ours.lambda_max) == pytest.approx((2 * ours.lambda_min, 3 * ours.lambda_min))
    assert ours.sigma_gram / ours.sigma_cross == pytest.approx(1 + gamma)
    assert math.exp(ours.logarithm / 2) == pytest.approx(2 / ALPHA)
    assert (ours.exact, ours.multiplier) == (calibration == "printed", 1.0)
    if calibration == "printed":
        assert ours.clip == math.inf
        root = ours.sigma_cross / (H * (1 + gamma))
        assert (root * EPSILON) ** 2 == pytest.approx(8 * LEVELS * math.log(2 / DELTA))
    else:
        assert ours.clip == pytest.approx(gamma)


@pytest.mark.parametrize("counter", ["tree", "sqrt"])
def test_an_lq_agent_plans_one_episode_more_than_its_counter_releases(counter: str) -> None:
    """The last plan needs no release of its own users."""
    system = lq_scalar()
    most = mechanisms.most_releases(counter, lq.width(system)) + 1
    agent = PrivateOFURL(EPSILON, DELTA, counter=counter, calibration="corrected")
    says = f"episodes must be <= {most} over the counter {counter}, got episodes={most + 1}"
    with pytest.raises(ValueError, match=says):
        agent.calibrate(system, most + 1)
    if counter == "tree":  # of sqrt every draw is counted
        assert agent.calibrate(system, most).sigma_gram > 0


def test_an_lq_agent_without_noise() -> None:
    """Half of alpha is lemma-1's for regularisers, where it is kept."""
    system = lq_scalar()
    for calibration, share in (("corrected", 2), ("tight", 1)):
        agent = PrivateOFURL(
            alpha=ALPHA, counter="none", calibration=calibration, regulariser=1.7, multiplier=0.6
        )
        ours = agent.calibrate(system, K)
        assert math.exp(ours.logarithm / 2) == pytest.approx(share / ALPHA)
        assert (ours.eta, ours.lambda_min, ours.lambda_max) == pytest.approx((1.7, 1.7, 1.7))
        assert (ours.sigma_gram, ours.sigma_cross, ours.nu) == (0.0, 0.0, 0.0)
        assert (ours.multiplier, ours.clip, ours.exact) == (0.6, math.inf, False)


@pytest.mark.parametrize("counter", ["tree", "local", "none"])
def test_the_printed_widths_of_linopt(counter: str) -> None:
    """Theorem-6.5's constants from the tails at alpha/4 over K H; lambda_max = 3 lambda_min."""
    mdp = mixture(3, 3)
    ours = LinOptVI(EPSILON, DELTA, ALPHA, counter, "printed", regulariser=1.7).calibrate(mdp, K)
    H, each = mdp.horizon, ALPHA / 4 / (K * mdp.horizon)
    moved = {"tree": LEVELS, "local": 1, "none": 0}[counter]
    live = {"tree": LEVELS, "local": RELEASES, "none": 0}[counter]
    root = H / EPSILON * math.sqrt(32 * moved * math.log(4 * H / DELTA))
    d1, d2 = mdp.psi.shape[3], mdp.varphi.shape[2]
    for widths, d, gram, vector, top, longest in (
        (ours.transitions, d1, d1 * H**2, math.sqrt(d1) * H**2, H, d1 * H**2),
        (ours.rewards, d2, 1.0, 1.0, 1.0, 1.0),
    ):
        assert widths.gram == pytest.approx(np.full(H, root * gram))
        assert widths.vector == pytest.approx(np.full(H, root * vector))
        least = most = 1.7
        nu = 0.0
        if moved:
            unit = widths.shift[:, 1] / 2  # of 2 Sigma for a draw
            t = (unit / widths.gram - 4 * math.sqrt(d)) / 2
            assert 2 * np.exp(-(t**2) / 2) == pytest.approx(np.full(H, each))
            assert not widths.shift[:, 0].any()
            least = float(unit[0]) * math.sqrt(live)
            most = 3 * least
            tail = math.sqrt(d) + math.sqrt(2 * -math.log(each))
            nu = root * vector * math.sqrt(live) * tail / math.sqrt(least)
        else:
            assert widths.shift.tolist() == [[1.7, 0.0]] * H
        assert widths.bonus[:, BASE] == pytest.approx(np.full(H, math.sqrt(d * most) + nu))
        assert widths.bonus[:, OF_ROOT] == pytest.approx(np.full(H, top / 2))
        squares = K * longest / (d * least)
        inside = (H / ALPHA) ** 2 * (1 + squares) ** d
        assert np.exp(widths.bonus[:, ROOT_FIXED]) == pytest.approx(np.full(H, inside))


@pytest.mark.parametrize("calibration", ["printed", "tuned"])
def test_the_printed_widths_of_the_locally_private_agent(calibration: str) -> None:
    mdp = mixture(3, 3)
    agent = LDPUCRLVTR(
        EPSILON, DELTA, ALPHA, calibration=calibration, constant=1.3, regulariser=1.7
    )
    ours = agent.calibrate(mdp, K).transitions
    H, d, each = mdp.horizon, mdp.psi.shape[3], ALPHA / 4 / (K * mdp.horizon)
    level = 2 * math.log(2.5 * H / DELTA)
    squares = {"printed": 16 * H**6 * level / EPSILON, "tuned": 16 * H**2 * level / EPSILON**2}
    assert ours.gram**2 == pytest.approx(np.full(H, squares[calibration]))
    assert (ours.vector == ours.gram).all()
    t = (ours.shift[:, 1] / 2 / ours.gram - 4 * math.sqrt(d)) / 2
    assert 2 * np.exp(-(t**2) / 2) == pytest.approx(np.full(H, each))
    assert (ours.shift[:, 0] == 1.7).all()
    for h in range(1, H + 1):
        rest = H - h + 1
        fourth = 1.3**4 * d**3 * rest**6
        if calibration == "printed":
            fourth *= math.log(d * K * H / ALPHA) ** 4 * math.log(rest / DELTA) / EPSILON**2
        assert ours.bonus[h - 1, OF_EPISODES] ** 4 == pytest.approx(fourth)


def test_the_step_of_the_mirror_descent() -> None:
    """eta = sqrt(2 ln A/(H T)) at T = KH, so that e^(eta^2 H^2 K/2) = A."""
    mdp = mixture(3, 3)
    eta = LinOptPO.eta(mdp, K)
    assert math.exp(eta**2 * mdp.horizon**2 * K / 2) == pytest.approx(mdp.actions)


def test_features_of_rewards() -> None:
    """The longest varphi, and the norm of varphi varphi' on and above the diagonal."""
    mdp = random_mixture(4, 3, 2, 3, seed=2)
    rows = mdp.varphi.reshape(-1, mdp.varphi.shape[2])
    upper = np.triu_indices(rows.shape[1])
    longest = max(np.linalg.norm(row) for row in rows)
    assert longest < 0.99
    known = rewards(mdp, by_blocks=False)
    assert known.sizes == pytest.approx(np.full(mdp.horizon, longest))
    moved = max(np.linalg.norm(np.outer(row, row)[upper]) for row in rows)
    assert known.released == pytest.approx(np.full(mdp.horizon, moved))
