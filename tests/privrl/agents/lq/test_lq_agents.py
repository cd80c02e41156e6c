"""OFU-RL and Private-OFU-RL: against naive transcriptions, the optimistic step against certified
minima, privacy."""

import math

import numpy as np
import pytest

from figures.chowdhury2021 import step
from privrl.agents.lq import state as lq
from privrl.agents.lq.dynamics import clip_gains
from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.bench import lq as bench_lq
from privrl.diagnose.lq import diagnose
from privrl.environments import LQSystem, lq_instance, lq_scalar, planning, random_lq
from privrl.environments.lq import disturbances
from privrl.run import simulate
from privrl.types import CALIBRATIONS
from tests.contracts_agents import AgentContract, under
from tests.privrl.agents.lq import oracle

K = 5000
SYSTEMS = [
    lq_instance(2, 1),
    lq_instance(2, 2, 3, "box"),
    lq_instance(4, 2, 4),
    random_lq(1, 2, 4, 3, "cosine"),
]


def label(agent):
    return f"{agent.name}-{agent.counter}-{agent.calibration}-{agent.epsilon:g}"


TestOFURL = under(AgentContract, SYSTEMS[0], OFURL())
TestCertaintyEquivalent = under(AgentContract, lq_scalar(), OFURL(planner="certainty-equivalent"))
TestPrintedOFURL = under(AgentContract, lq_scalar(), PrivateOFURL(1e5))
TestTightOFURL = under(AgentContract, SYSTEMS[0], PrivateOFURL(1e6, calibration="tight"))
TestLocalOFURL = under(
    AgentContract, lq_scalar(), PrivateOFURL(1e8, counter="local", calibration="tight")
)


def transcribed(system, agent, calibration):
    """Everything but the search: the oracle plays on with the kernel's choice, which must lie in
    the set.

    That the choice is the best of the set, stands below.
    """
    blocks = simulate.streams(system, agent, K, 60, 1, 0)
    learner = agent.start(system, K, np.arange(1, 61))

    def choose(k, V, U, radius):
        learner.advance(*(block[k : k + 1] for block in blocks))
        theta, hat = learner.state.plan.theta.copy(), np.linalg.solve(V, U)
        assert np.linalg.norm(theta) <= 1 + 1e-9
        if agent.planner != "optimistic":
            if np.linalg.norm(hat) <= 1:
                np.testing.assert_allclose(theta, hat, atol=1e-9)
            return theta
        assert learner.state.plan.radius[0] == pytest.approx(radius, rel=1e-9)
        assert learner.state.plan.cost[0] == pytest.approx(
            oracle.optimal_cost(theta, system), rel=1e-12
        )
        assert np.sum((theta - hat) * (V @ (theta - hat))) <= radius**2 * (1 + 1e-8)
        return theta

    gains, regret = oracle.play(
        system, calibration, blocks[0], disturbances(system, blocks[1]), choose
    )
    np.testing.assert_allclose(learner.state.gains, gains[-1], atol=1e-8)
    np.testing.assert_allclose(learner.state.regret, regret.cumsum(), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("system", [lq_scalar(), *SYSTEMS], ids=lambda system: system.name)
@pytest.mark.parametrize(
    "agent",
    [
        OFURL(),
        OFURL(planner="certainty-equivalent"),
        PrivateOFURL(1e6),
        PrivateOFURL(1e5, calibration="corrected"),
        PrivateOFURL(1e8, counter="local", calibration="tight"),
        PrivateOFURL(1e5, counter="blt", calibration="tight"),
        PrivateOFURL(1e6, calibration="tight", planner="certainty-equivalent"),
    ],
    ids=label,
)
def test_the_transcription(system, agent):
    transcribed(system, agent, agent.calibrate(system, K))


def test_the_transcription_of_another_radius_does_not_agree():
    with pytest.raises(AssertionError):
        transcribed(lq_scalar(), OFURL(), OFURL(alpha=0.2).calibrate(lq_scalar(), K))


@pytest.mark.slow
def test_the_scalar_step_finds_the_certified_minimum():
    """Over confidence sets of real runs in which A = 0 is excluded. The relative gap is at most
    1e-6; it is 5.3e-8 at most over 1,156 sets."""
    system, gaps = lq_scalar(), []
    for seed, agent in enumerate(
        (OFURL(), OFURL(alpha=0.01), PrivateOFURL(1e4), PrivateOFURL(1e4, calibration="tight"))
    ):
        run = diagnose(system, agent, K, episodes=400, seed=seed)  # type: ignore[arg-type]
        for k in np.flatnonzero(run.outcome == lq.OUTCOMES.index("found"))[::23]:
            V, U, cost = run.design[k], (run.cross + run.noise_cross)[k], run.optimistic[k]
            low, high = oracle.certified_minimum(V, U, run.radius[k], system)
            assert low <= cost * (1 + 1e-12) and high <= low * (1 + 1e-7)
            gaps.append(cost / low - 1)
            at_estimate = oracle.optimal_cost(np.linalg.solve(V, U), system)
            assert at_estimate / low - 1 > 1e-4  # the nearest wrong answer
    assert len(gaps) >= 50 and max(gaps) <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    "harvest", [step.Harvest(2, 1, 1e4, 250, 25), step.Harvest(2, 2, 1e4, 250, 25)], ids=str
)
def test_the_general_step_is_near_the_best_of_many_starts(harvest):
    """A few of the confidence sets over which the figure is."""
    system, rng = lq_instance(harvest.states, harvest.controls), np.random.default_rng(4)
    confidence_sets = list(step.sets(harvest))
    assert len(confidence_sets) >= 8
    assert all(
        confidence_set.cost / step.least(system, confidence_set, rng, 4)[0] <= 1 + step.ASKED
        for confidence_set in confidence_sets
    )


@pytest.mark.slow
@pytest.mark.parametrize("system", [lq_scalar(), *SYSTEMS], ids=lambda system: system.name)
def test_the_plan_is_optimistic_on_the_good_event(system):
    """J~ <= J* in every episode; a set that misses the truth gives plans that are not."""
    for agent in (
        OFURL(),
        PrivateOFURL(1e5, calibration="corrected"),
        *(
            PrivateOFURL(1e4, counter=counter, calibration="tight")
            for counter in ("tree", "smooth", "sqrt", "blt")
        ),
    ):
        run = diagnose(system, agent, K, episodes=300 if system.controls == 1 else 120, seed=1)  # type: ignore[arg-type]
        assert run.good and run.regular.all()
        assert (run.shortfall <= 1e-12).all()
        least = system.start @ system.Q @ system.start
        least += system.variance * (system.horizon - 1) * np.trace(system.Q)
        assert (run.optimistic >= least * (1 - 1e-12)).all()  # A = 0
    guess = diagnose(system, OFURL(planner="certainty-equivalent"), K, episodes=300, seed=1)
    assert guess.shortfall.max() > 0


def test_printed_is_the_paper_s():
    system, calibration = (
        lq_instance(2, 1),
        PrivateOFURL(0.5, 1e-5, 0.05).calibrate(lq_instance(2, 1), 1000),
    )
    H, g, m, n, d = 5, 0.5, 10, 2, 1
    root = math.sqrt(8 * m * math.log(2 / 1e-5)) / 0.5
    assert calibration.sigma_gram == pytest.approx(H * (1 + g) ** 2 * root)
    assert calibration.sigma_cross == pytest.approx(H * (1 + g) * root)
    bound = (
        calibration.sigma_gram
        * math.sqrt(m)
        * (4 * math.sqrt(n + d) + math.sqrt(8 * math.log(4 * 1000 / 0.05)))
    )
    cross = (
        calibration.sigma_cross
        * math.sqrt(m / bound)
        * (math.sqrt(2 * n * (n + d)) + math.sqrt(4 * math.log(40_000)))
    )
    assert (calibration.eta, calibration.lambda_min, calibration.lambda_max) == pytest.approx(
        (2 * bound, bound, 3 * bound)
    )
    assert calibration.nu == pytest.approx(cross)
    assert (calibration.logarithm, calibration.exact, calibration.clip) == (
        2 * math.log(2 / 0.05),
        True,
        math.inf,
    )
    assert OFURL(alpha=0.05).calibrate(system, 1000) == lq.LQCalibration(
        0, 0, 1, 1, 1, 0, 2 * math.log(40), exact=False, clip=math.inf
    )


def test_corrected_and_tight_enforce_lemma_2_and_printed_does_not():
    """Scaled gains keep |u| <= gamma and |x| <= 1 surely: |x'| <= C_A + gamma C_B + C_w. Their
    regret stays exact."""
    # inside assumption 1, but with R so small that S holds systems, this one among them, with gains
    # above gamma
    system = LQSystem("steep", [[0.6]], [[0.4]], np.eye(1), [[0.02]], np.ones(1), 4, 0.5, 0.2)  # type: ignore[arg-type]
    most = system.gamma * (1 + 1e-14)  # scaling rounds
    for calibration in CALIBRATIONS:
        agent = PrivateOFURL(1e5, calibration=calibration)
        run = diagnose(system, agent, K, episodes=200, seed=2)
        bounded = calibration != "printed"
        assert (run.gain_norm <= most) == bounded
        assert (np.abs(run.controls).max() <= most) == bounded
        if bounded:
            assert np.abs(run.states).max() <= 1
        learner = agent.start(system, K, np.array([200]))
        assert learner.calibration.clip == (system.gamma if bounded else math.inf)
        for k in (50, 199):
            assert run.gap[k] == pytest.approx(planning.lq_regret(system, run.gains[k]), rel=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 2), (3, 4)])
def test_scaled_gains_are_within_gamma_and_just(shape):
    rng = np.random.default_rng(5)
    for _ in range(50):
        gains = rng.normal(size=(6, *shape)) * rng.exponential(size=(6, 1, 1))
        before, scratch = gains.copy(), np.empty((2, shape[1], shape[1]))
        norms = np.linalg.norm(before, 2, axis=(1, 2))
        assert clip_gains(gains, 0.7, (scratch[0], scratch[1])) == (norms > 0.7).sum()
        after = np.linalg.norm(gains, 2, axis=(1, 2))
        assert after.max() <= 0.7 * (1 + 1e-14)
        np.testing.assert_allclose(after, np.minimum(norms, 0.7), rtol=1e-8)
        np.testing.assert_allclose(
            gains * norms[:, None, None], before * after[:, None, None], atol=1e-7
        )


@pytest.mark.slow
def test_they_learn():
    """OFU-RL's regret grows far slower than that of no control; the private one at a budget that is
    no secret."""
    system = lq_scalar()
    zero = planning.lq_regret(system, planning.lq_zero(system))
    for agent, share in ((OFURL(), 0.15), (PrivateOFURL(1e4, calibration="tight"), 0.6)):
        run = simulate.run("x", system, agent, episodes=20_000, replicates=2, seed=3)
        assert (run.regret[:, -1] < share * zero * 20_000).all()
    quiet = simulate.run("x", system, PrivateOFURL(0.1), episodes=1000, replicates=1, seed=3)
    # u = 0 as long as A = 0 is possible
    assert quiet.regret[0, -1] == pytest.approx(1000 * zero, rel=1e-9)


@pytest.mark.slow
def test_the_bench_gives_finite_ratios():
    (row,) = bench_lq.measure(quick=True, shapes=((1, 1),))
    assert row["n, d"] == "1, 1" and all(
        math.isfinite(value) and value > 0 for value in list(row.values())[1:]
    )
