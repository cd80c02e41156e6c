"""Agents of linear mixture MDPs: the contract of all agents, the noise of a budget, widths that cover."""

import dataclasses
import math

import numpy as np
import pytest

from privrl.agents.linear import widths as linear_widths
from privrl.agents.linear.kernels import terms, width_of
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR, largest_reward
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from privrl.environments import hard_mixture, mixture, one_hot, random_mdp, random_mixture
from privrl.privacy import accounting, sensitivity
from privrl.privacy import noise as scales
from tests.contracts_agents import AgentContract, under
from tests.privrl.agents.linear.runs import RIVER, K

TestUCRLVTR = under(AgentContract, RIVER, UCRLVTR(calibration="tight"))
TestCorrectedLDPUCRLVTR = under(AgentContract, RIVER, LDPUCRLVTR(1.0, calibration="corrected"))
TestTightLDPUCRLVTR = under(AgentContract, RIVER, LDPUCRLVTR(2.0, calibration="tight"))
TestLinOptVI = under(AgentContract, RIVER, LinOptVI(1.0))
TestLocalLinOptVI = under(AgentContract, RIVER, LinOptVI(3.0, counter="local", calibration="tight"))
TestBLTLinOptVI = under(AgentContract, RIVER, LinOptVI(1.0, counter="blt", calibration="tight"))
TestLinOptPO = under(AgentContract, RIVER, LinOptPO(1.0, calibration="corrected"))
TestHonakerLinOptPO = under(AgentContract, RIVER, LinOptPO(1.0, counter="honaker", calibration="tight"))


def test_corrected_noise_is_the_library_s():
    # ||phi_V|| reaches sqrt(d) H and ||varphi|| reaches 1, no coordinate belongs to one pair: zhou2022's sensitivities
    turn = np.array([[1.0, 1.0], [1.0, -1.0]]) / math.sqrt(2)
    env = dataclasses.replace(mixture(), varphi=mixture().varphi @ turn, theta_r=mixture().theta_r @ turn)
    setting = scales.setting("zhou2022", epsilon=0.7, delta=1e-3, horizon=2, episodes=K, dimension=2)
    wanted = {scale.name: scale for scale in scales.noise("zhou2022", setting).scales}
    for calibration, field in (("printed", "printed"), ("corrected", "smallest")):
        made = LinOptVI(0.7, delta=1e-3, calibration=calibration).calibrate(env, K)
        have = (made.transitions.gram, made.transitions.vector, made.rewards.gram, made.rewards.vector)
        for name, got in zip(("p1", "p2", "r1", "r2"), have, strict=True):
            assert got[0] == pytest.approx(getattr(wanted[f"sigma_{name}"], field), rel=1e-9)
    # one-hot features as they stand in example-3.3, and scaled ones of a mixture, within equation-3.1
    plain = one_hot(random_mdp(3, 2, 4, seed=1), scaled=False)
    largest = largest_reward(plain) ** 2
    made = LDPUCRLVTR(0.7, delta=1e-3, calibration="corrected").calibrate(plain, K)
    wanted = sensitivity.liao2021("message", 4, one_hot_states=3).value * largest / accounting.gaussian_mu(0.7, 1e-3)
    assert made.transitions.gram[0] == pytest.approx(wanted, rel=1e-9)
    env = mixture(2, 4, scaled=True)
    made = LDPUCRLVTR(0.7, delta=1e-3, calibration="corrected").calibrate(env, K)
    wanted = sensitivity.liao2021("message", 4).value * 0.9**2 / accounting.gaussian_mu(0.7, 1e-3)
    assert made.transitions.gram[0] == pytest.approx(wanted, rel=1e-9)


def test_no_user_moves_the_sums_by_more_than_the_change_says():
    """Pairs of users with values drawn and at the corners: the largest change found is below the bound."""
    rng = np.random.default_rng(8)
    for env in (mixture(2, 3), RIVER, hard_mixture(3, 3, gap=0.1), random_mixture(4, 3, 2, 3, seed=2)):
        known = linear_widths.transitions(env, False)
        bound = known.bounds[0]
        worst, psi = 0.0, np.array(env.psi).reshape(-1, env.states, env.psi.shape[3])
        upper = np.triu_indices(psi.shape[2])
        for trial in range(300):
            values = bound * (rng.random(env.states) if trial % 2 else rng.integers(0, 2, env.states))
            one, two = (psi[i].T @ values for i in rng.integers(0, psi.shape[0], 2))
            targets = values[rng.integers(0, env.states, 2)]
            gram = (np.outer(one, one) - np.outer(two, two))[upper]
            worst = max(worst, (gram**2).sum() / 4 + ((one * targets[0] - two * targets[1]) ** 2).sum() / 9)
        assert worst <= known.change(0, 2.0, 3.0) ** 2 * (1 + 1e-12)
        assert worst >= 0.05 * known.change(0, 2.0, 3.0) ** 2


def test_tight_is_narrower_than_corrected_and_corrected_than_printed():
    env = mixture()
    made = {name: LinOptVI(1.0, calibration=name).calibrate(env, 10**6) for name in ("printed", "corrected", "tight")}
    for finished in (999, 999_999):
        width = {}
        for name, calibration in made.items():
            n = terms(calibration.growth, finished)
            width[name] = sum(width_of(w.bonus[0], finished, n, 0.0)
                              for w in (calibration.transitions, calibration.rewards))
        assert width["tight"] < width["corrected"] < width["printed"]
