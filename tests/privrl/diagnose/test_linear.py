"""Replays of runs on linear mixtures: the trajectory, the good event, optimism, and the regret
decomposition."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privrl import LDPUCRLVTR, UCRLVTR, LinOptPO, LinOptVI
from privrl.diagnose.linear import LinearDiagnosis, diagnose, replay
from privrl.diagnose.regressions import MixtureAgents
from privrl.environments import riverswim
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.mixtures import mixture, one_hot
from privrl.run import simulate

EPISODES = 150
SMALL = mixture()
RIVER = one_hot(riverswim(3, 4, relabelled=True), scaled=False)
AGENTS: list[MixtureAgents] = [
    LinOptVI(counter="none"),
    LinOptVI(100.0),
    LinOptVI(100.0, calibration="corrected"),
    LinOptVI(100.0, calibration="tight"),
    LinOptVI(100.0, counter="local", calibration="tight"),
    LinOptPO(100.0),
    LinOptPO(counter="none", calibration="tight"),
    LDPUCRLVTR(100.0, calibration="corrected"),
    LDPUCRLVTR(100.0, calibration="tight"),
    UCRLVTR(calibration="tight"),
    LinOptVI(100.0, counter="blt", calibration="tight"),
    LDPUCRLVTR(100.0, counter="honaker", calibration="corrected"),
]
CASES = [(mdp, agent) for mdp in (SMALL, RIVER) for agent in AGENTS]
CASES += [
    (SMALL, LinOptVI(100.0, counter="blt", calibration="corrected")),
    (SMALL, LinOptVI(100.0, counter="honaker", calibration="tight")),
    (RIVER, LinOptVI(100.0, counter="smooth", calibration="tight")),
    (SMALL, LinOptPO(100.0, counter="sqrt", calibration="tight")),
    (RIVER, LinOptPO(100.0, counter="blt", calibration="tight")),
    (SMALL, LDPUCRLVTR(100.0, counter="blt", calibration="tight")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mdp", "agent"), CASES)
def test_a_replay_is_the_run_and_what_the_analysis_says_of_it(
    mdp: LinearMixtureMDP, agent: MixtureAgents
) -> None:
    """Good event, optimism (lemma-7.2), equation-3, assumption-2, and the exact decomposition of
    every gap."""
    diagnosis = diagnose(mdp, agent, EPISODES, seed=3, index=1)
    marks, regret = (
        simulate.checkpoints(EPISODES),
        simulate.replicate(mdp, agent, EPISODES, None, 3, 1),  # type: ignore[arg-type]
    )
    np.testing.assert_allclose(np.cumsum(diagnosis.gap)[marks - 1], regret, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        diagnosis.gap,
        diagnosis.mirror + diagnosis.ahead + diagnosis.martingale + diagnosis.error,
        atol=1e-12,
    )
    assert diagnosis.good and diagnosis.definite.all() and diagnosis.assumed.all()
    assert diagnosis.iota_high.max() <= 1e-9 and diagnosis.iota_low.max() <= 1e-9
    if not isinstance(agent, LinOptPO):
        assert diagnosis.shortfall.max() <= 1e-9 and diagnosis.mirror.max() <= 1e-9
    assert (diagnosis.ahead <= 1e-9).all()
    assert (diagnosis.error <= diagnosis.bonus.sum(axis=0) + 1e-9).all()


@pytest.mark.parametrize(
    "agent", [LinOptVI(50.0, calibration="tight"), LinOptPO(50.0), UCRLVTR(calibration="tight")]
)
def test_the_trajectory_is_the_kernels(agent: MixtureAgents) -> None:
    """The sums of the features and targets on the trajectory that was read back are the learner's
    own."""
    mdp, rows = RIVER, 40
    noise, coins, ties = simulate.streams(mdp, agent, rows, rows, 5, 0)  # type: ignore[arg-type]
    replayed = replay(mdp, agent, rows, (noise, coins, ties))
    learner = agent.start(mdp, rows, np.array([rows]))
    visits = np.zeros((mdp.horizon, mdp.states * mdp.actions))
    for k in range(rows):
        learner.advance(noise[k : k + 1], coins[k : k + 1], ties[k : k + 1])
        visits[
            np.arange(mdp.horizon), replayed.states[k, :-1] * mdp.actions + replayed.actions[k]
        ] += 1
    state = learner.state
    layout = state.known.rewards.layout
    if isinstance(
        agent, UCRLVTR
    ):  # no reward regression; the transition sums of the last but one step
        played = replayed.gap.sum()
        assert played == pytest.approx(state.tally.totals[0], abs=1e-9)
        return
    for h in range(mdp.horizon):
        sums = np.zeros(visits.shape[1])
        for pair, block in enumerate(layout.block):
            m = int(layout.sizes[block])
            at = h * state.known.rewards.segment + int(layout.grams[block])
            i = 0 if m == 1 else pair  # one-hot rewards: diagonal entries count visits
            sums[pair] = state.statistics[at + i * m - i * (i - 1) // 2]
        np.testing.assert_allclose(sums, visits[h], atol=1e-12)


def twin(change: Callable[[Any], Any], *settings: Any, **more: Any) -> LinOptVI:
    """A broken twin: an agent with a changed calibration."""
    kind = type(
        "Twin",
        (LinOptVI,),
        {"calibrate": lambda *arguments: change(LinOptVI.calibrate(*arguments))},
    )
    return kind(*settings, **more)


def both(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The change, of both regressions."""
    return lambda calibration: dataclasses.replace(
        calibration,
        transitions=change(calibration.transitions),
        rewards=change(calibration.rewards),
    )


def test_narrow_widths_leave_the_good_event_and_break_optimism() -> None:
    """A tenth of the widths. The replay notices it in the ellipsoids and in the plans."""
    narrow = both(
        lambda regression: regression._replace(
            bonus=regression.bonus * np.r_[0.1, 1, 0.1, 0.1, 1, 1, 1, 1]
        )
    )
    sound = diagnose(SMALL, LinOptVI(1e4, calibration="tight"), 400, seed=1)
    narrowed = diagnose(SMALL, twin(narrow, 1e4, calibration="tight"), 400, seed=1)
    assert (
        sound.good and not narrowed.good and narrowed.iota_high.max() > 0.05 > sound.iota_high.max()
    )


def test_less_shift_or_more_noise_than_declared_breaks_assumption_2_and_definiteness() -> None:
    """A twentieth of the shift of theorem-6.5; what is due to a variance a thousand times smaller
    than that of blt."""
    bare = twin(both(lambda regression: regression._replace(shift=regression.shift / 20)), 1.0)
    loud = twin(
        lambda calibration: dataclasses.replace(
            calibration,
            growth=calibration.growth._replace(weights=calibration.growth.weights / 1000),
        ),
        1.0,
        counter="blt",
        calibration="tight",
    )
    for agent, episodes, seed, index in ((bare, 300, 2, 0), (loud, 150, 3, 1)):
        diagnosis = diagnose(SMALL, agent, episodes, seed=seed, index=index)
        assert not diagnosis.definite.all() and not diagnosis.assumed.all() and not diagnosis.good


def test_the_limits_are_theorem_6_5s() -> None:
    """lambda_max = 3 lambda_min for the printed tree, and the regularisers sampled stay inside."""
    diagnosis: LinearDiagnosis = diagnose(SMALL, LinOptVI(1.0), 100, seed=9)
    low, high, nu = (diagnosis.limits[..., i] for i in range(3))
    np.testing.assert_allclose(high, 3 * low)
    assert (
        (nu > 0).all()
        and (diagnosis.regular[..., 0] > low).all()
        and (diagnosis.regular[1:, 1:, :, 2] < nu[1:, 1:]).all()
    )
