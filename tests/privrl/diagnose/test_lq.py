"""LQ runs replayed: the same regret as the compiled run, what is recorded, and what a broken twin
records."""

import dataclasses
import math

import numpy as np
import pytest

from privrl import OFURL, PrivateOFURL
from privrl.diagnose import lq as diagnose_lq
from privrl.diagnose.lq import diagnose, replay
from privrl.environments import lq_instance, lq_scalar, planning
from privrl.run import simulate

RUNS = [
    (lq_scalar(), OFURL()),
    (lq_scalar(), PrivateOFURL(1e4, calibration="tight")),
    (lq_instance(2, 1, noise="cosine"), PrivateOFURL(1e5, calibration="corrected")),
    (lq_instance(4, 2), OFURL(planner="certainty-equivalent")),
]
K = 150


@pytest.mark.parametrize(("system", "agent"), RUNS, ids=lambda param: param.name)
def test_a_replay_is_the_run(system, agent):
    run = simulate.run("x", system, agent, episodes=K, replicates=2, seed=9)
    diagnosis = diagnose(system, agent, K, seed=9, index=1)
    np.testing.assert_allclose(diagnosis.gap.cumsum()[run.episodes - 1], run.regret[1], rtol=1e-12)
    prefix = diagnose(system, agent, K, episodes=40, seed=9, index=1)
    assert (prefix.gap == diagnosis.gap[:40]).all() and (
        prefix.states == diagnosis.states[:40]
    ).all()
    # sums before episode k are those of the trajectories of episodes 1..k-1
    z = np.concatenate((diagnosis.states[:, :-1], diagnosis.controls), axis=2)
    gram = np.einsum("khi,khj->kij", z, z).cumsum(axis=0)
    cross = np.einsum("khi,khj->kij", z, diagnosis.states[:, 1:]).cumsum(axis=0)
    np.testing.assert_allclose(diagnosis.gram[1:], gram[:-1], atol=1e-9)
    np.testing.assert_allclose(diagnosis.cross[1:], cross[:-1], atol=1e-9)
    assert (
        not diagnosis.gram[0].any()
        and not diagnosis.noise_gram[0].any()
        and not diagnosis.noise_cross[0].any()
    )
    for k in (0, K // 2, K - 1):
        assert diagnosis.gap[k] == pytest.approx(
            planning.lq_regret(system, diagnosis.gains[k]), rel=1e-9, abs=1e-15
        )
        assert diagnosis.optimistic[k] == pytest.approx(
            planning.lq_optimum(system, diagnosis.theta[k]), rel=1e-12
        )
    norms = np.linalg.norm(diagnosis.states, axis=2), np.linalg.norm(diagnosis.controls, axis=2)
    assert norms[0].max() <= 1 and norms[1].max() <= system.gamma  # lemma-2, on these systems


def test_the_derived_quantities_by_hand():
    system, agent = lq_instance(2, 1), PrivateOFURL(1e4, calibration="corrected")
    diagnosis = diagnose(system, agent, K, seed=3)
    calibration, p = agent.calibrate(system, K), 3
    for k in (0, 1, K - 1):
        H = diagnosis.noise_gram[k] + calibration.eta * np.eye(p)
        V = diagnosis.gram[k] + H
        hat = np.linalg.inv(V) @ (diagnosis.cross[k] + diagnosis.noise_cross[k])
        off = system.theta - hat
        np.testing.assert_allclose(diagnosis.regulariser[k], H)
        np.testing.assert_allclose(diagnosis.design[k], V)
        np.testing.assert_allclose(diagnosis.estimate[k], hat, atol=1e-9)
        assert diagnosis.distance[k] == pytest.approx(
            math.sqrt(np.trace(off.T @ V @ off)), rel=1e-9
        )
        beta = system.c_w * math.sqrt(
            calibration.logarithm + 2 * math.log(np.linalg.det(V / calibration.lambda_min))
        )
        assert diagnosis.radius[k] == pytest.approx(
            beta + math.sqrt(calibration.lambda_max) + calibration.nu, rel=1e-12
        )
    assert diagnosis.good and diagnosis.covered.all() and diagnosis.regular.all()
    assert sum(diagnosis.outcomes.values()) == K and diagnosis.outcomes["lost"] == 0
    assert diagnosis.gain_norm == np.linalg.norm(diagnosis.gains, 2, axis=(2, 3)).max()
    assert (diagnosis.shortfall <= 1e-12).all()


def streams(system, agent, episodes, seed=0):
    rng = np.random.default_rng(seed)
    width = diagnose_lq.diagnose(system, agent, 2).gram.shape[1]
    width = width * (width + 1) // 2 + width * system.states
    return (
        np.zeros((episodes, width)),
        rng.random((episodes, system.coins)),
        np.zeros((episodes, 0)),
    )


def test_the_good_events_notice_what_breaks_them():
    system, agent = lq_scalar(), PrivateOFURL(1e4, calibration="corrected")
    noise, coins, ties = streams(system, agent, 60)
    quiet = replay(system, agent, 60, (noise, coins, ties))
    assert quiet.regular.all() and quiet.good
    calibration = quiet.calibration
    for column, size in (
        (0, -1.1 * calibration.lambda_min / calibration.sigma_gram),
        (3, 30 * calibration.nu * math.sqrt(calibration.eta) / calibration.sigma_cross),
    ):
        loud = noise.copy()
        loud[20, column] = size
        broken = replay(system, agent, 60, (loud, coins, ties))
        assert (~broken.regular).nonzero()[0].tolist() == [20]
    assert not broken.covered[20] and not broken.good
    lost = noise.copy()
    lost[20, 0] = -10 * calibration.eta / calibration.sigma_gram
    broken = replay(system, agent, 60, (lost, coins, ties))
    assert math.isnan(broken.distance[20]) and broken.outcomes["lost"] == 1
    # a replay under another system than the one played does not cover it
    mismatched = dataclasses.replace(
        quiet, system=dataclasses.replace(system, A=np.array([[-0.6]]))
    )
    assert not diagnose(mismatched.system, OFURL(), 20).shortfall.max() > 1e-9
    truth = diagnose(system, OFURL(), 400)
    assert truth.good and not dataclasses.replace(truth, system=mismatched.system).good
