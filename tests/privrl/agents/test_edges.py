"""What formulas of agents say at the ends of their ranges: one planned episode, rewards that are
all 0, a policy whose last probability is a rounding short, gains at their norm."""

import dataclasses
import math

import numpy as np
import pytest

from privrl.agents.linear import widths as linear_widths
from privrl.agents.linear.ldp_ucrl_vtr import largest_reward
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.widths import blocks as blocks_of_visits
from privrl.agents.trajectory import Trajectory
from privrl.environments import lq_instance, mixture, random_mdp, random_mixture
from privrl.privacy.counters import mechanisms

EPSILON = 2.0


@pytest.mark.parametrize("counter", ["tree", "local"])
def test_one_planned_episode_has_the_counter_of_two(counter: str) -> None:
    """A counter serves no fewer than one release."""
    assert linear_widths.nodes(counter, 1) == linear_widths.nodes(counter, 2) == 1
    assert linear_widths.sensitivity(counter, 1) == linear_widths.sensitivity(counter, 2) == 1.0
    assert PUCB(EPSILON).releases(1) == PUCB(EPSILON).releases(2) == 1


@pytest.mark.parametrize("multiplier", [0.1, 3.0])
def test_a_multiplier_stands_before_the_root(multiplier: float) -> None:
    """So its square stands under it: the bonus is the multiplier times what it is without one."""
    plain = PUCB(EPSILON).logarithm(1000)
    multiplied = PUCB(EPSILON, multiplier=multiplier).logarithm(1000)
    assert math.sqrt(multiplied) == pytest.approx(multiplier * math.sqrt(plain))


@pytest.mark.parametrize("horizon", [1, 3])
def test_corrected_ucbvi_adds_one_noise_to_all_sums(horizon: int) -> None:
    """A user is in one r and one m of a step, before and after: 4H in l1, each in every level."""
    calibration = PrivateUCBVI(EPSILON, counter="tree", calibration="corrected").calibrate(
        random_mdp(2, 2, horizon, seed=0), 9
    )
    assert calibration.ratios == (1.0,) * horizon
    assert calibration.scale == pytest.approx(4 * horizon * 4 / EPSILON)  # 8 releases: 4 levels


def test_blocks_of_visits_are_taken_where_they_are_narrower() -> None:
    """Else the union over single visits, whose eta is 1."""
    env, beta = random_mdp(2, 2, 2, seed=0), 0.1
    pairs = env.rewards.size
    seen = set()
    for planned in (2, 3, 10, 1000, 10**6):
        deviation = (
            DPUCBVI(beta=beta, counter="none", calibration="tight")
            .calibrate(env, planned)
            .deviation
        )
        single = math.log(pairs * planned / (beta / 6))
        eta, logarithm = blocks_of_visits(pairs, planned, beta / 6)
        assert deviation == pytest.approx(math.sqrt(2 * min(eta * logarithm, single)))
        seen.add(eta * logarithm > single)
    assert seen == {True, False}


def test_the_largest_reward_of_none_is_one() -> None:
    env = mixture()
    silent = dataclasses.replace(env, theta_r=np.zeros_like(env.theta_r))
    assert largest_reward(silent) == 1.0


def test_a_uniform_draw_beyond_the_last_sum_picks_the_last_action() -> None:
    """Probabilities that add up to a rounding less than 1 leave no draw without an action."""
    env = random_mixture(2, 3, 2, 2, seed=1)
    learner = LinOptPO(counter="none").start(env, 10, np.array([10]))
    learner.state.plan.policy[:] = 0.3
    choice = learner.pick(0, 1, 0.95)
    assert isinstance(choice, int)
    assert choice == env.actions - 1


def test_gains_are_measured_in_the_norm_that_moves_a_control() -> None:
    """The noise covers controls of norm gamma, so the operator norm: of this gain it is 0.9 gamma,
    while its largest column has a sum above gamma."""
    system = lq_instance(2, 2)
    learner = PrivateOFURL(1e6, calibration="corrected").start(system, 10, np.array([10]))
    learner.prepare(np.zeros(learner.noise_scales().size), scaled=True)
    entry = 0.9 * system.gamma / math.sqrt(2)
    learner.state.gains[:-1] = entry * np.array([[1.0, 1.0], [1.0, -1.0]])
    learner.state.gains[-1] = 0
    states = np.zeros((system.horizon + 1, 2))
    states[0] = system.start
    controls = np.zeros((system.horizon, 2))
    controls[0] = learner.choose(0, states[0], 0.0)
    learner.contribution(Trajectory(states, controls, np.zeros(system.horizon)))


@pytest.mark.parametrize("calibration", ["tight", "pruned"])
def test_a_gaussian_width_is_the_length_of_its_noises(calibration: str) -> None:
    """r~ has the stretch rho_h; of S next states worth at most c all but one count, and n~ once."""
    states, horizon, planned = 4, 3, 100
    agent = PrivateUCBVI(EPSILON, 1e-3, counter="tree", calibration=calibration)
    env = random_mdp(states, 2, horizon, seed=0)
    ours = agent.calibrate(env, planned)
    level = agent.beta / 4 / env.rewards.size
    quantile = mechanisms.counter_quantile("tree", planned - 1, level, "gaussian")
    for step in range(horizon):
        alone = calibration == "pruned" and step == horizon - 1
        others = 0 if alone else states - 1
        m_noise = ours.stretches[step] * np.append(np.full(others, float(horizon - step)), 1.0)
        length = np.linalg.norm(np.append(m_noise, ours.ratios[step]))
        assert ours.widths[step] == pytest.approx(ours.scale * quantile * length)
    assert (max(ours.stretches) > 1) == (calibration == "pruned")
    # n~ of a step is the sum of as many draws as next states are told apart
    told = [states] * (horizon - 1) + [1 if calibration == "pruned" else states]
    each = [stretch * math.sqrt(fan) for stretch, fan in zip(ours.stretches, told, strict=True)]
    assert ours.surplus == pytest.approx(ours.scale * quantile * max(each))
