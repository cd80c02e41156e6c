"""Replays against the compiled agent and against hand-made plans; what is recorded, and what a
broken twin records."""

import numpy as np
import pytest

from privrl.agents.tabular.pucb import PUCB
from privrl.diagnose.tabular import FAMILIES, diagnose, gaps, replay, streams
from privrl.environments import planning, random_mdp, riverswim
from privrl.run import simulate
from privrl.types import TabularMDP

AGENT = PUCB(epsilon=1000.0)
MDPS = (riverswim(3, relabelled=True, bernoulli=True, seed=4), random_mdp(2, 3, 2, 5))


@pytest.mark.parametrize("mdp", MDPS, ids=lambda mdp: mdp.name)
def test_a_replay_plays_what_the_compiled_agent_plays(mdp: TabularMDP) -> None:
    run = simulate.run("x", mdp, AGENT, episodes=400, replicates=2, seed=9)
    diagnosis = diagnose(mdp, AGENT, 400, replicates=2, seed=9)
    np.testing.assert_allclose(
        diagnosis.gap.cumsum(axis=1)[:, run.episodes - 1], run.regret, atol=1e-9
    )
    assert diagnosis.known[:, -1].min() > 0
    np.testing.assert_allclose(gaps(mdp, AGENT, 400, seed=9, index=1), diagnosis.gap[1], atol=1e-9)


def test_without_noise_and_in_part() -> None:
    agent = PUCB(counter="none")
    full = diagnose(MDPS[1], agent, 200, replicates=1, seed=2)
    prefix = diagnose(MDPS[1], agent, 200, episodes=50, replicates=1, seed=2)
    np.testing.assert_array_equal(prefix.gap, full.gap[:, :50])
    assert full.good.all()


def test_what_is_recorded_of_one_episode() -> None:
    """The first plan knows nothing: everything worth H, every bonus H, the gap that of uniform
    play."""
    mdp = MDPS[0]
    first = diagnose(mdp, AGENT, 10, episodes=1, growth=1.25)
    optimal, q = planning.optimal(mdp)
    uniform = planning.value(mdp, planning.uniform_policy(mdp))
    assert first.gap[0, 0] == pytest.approx(mdp.initial @ optimal[0] - uniform)
    assert first.shortfall[0, 0] == pytest.approx(q.max() - 3)
    assert first.printed[0, 0] == pytest.approx(9)
    assert first.clipped[0, 0] == pytest.approx(9)
    assert first.repaired[0, 0] == pytest.approx(3 * (1 + 1.25 + 1.25**2))


def test_the_good_event_notices_what_breaks_it() -> None:
    """Each family breaks when its own statistic is pushed: noise beyond E, rewards all ones, visits
    withheld."""
    mdp = TabularMDP("coins", np.full((1, 2, 1, 2), 0.5), np.full((1, 2, 1), 0.1), np.full(2, 0.5))
    agent, T = PUCB(epsilon=1e6), 60
    noise, coins, ties = streams(mdp, agent, T, T, 1, 0)
    quiet = np.zeros_like(noise)
    assert replay(mdp, agent, T, (quiet, coins, ties)).good.all()
    for family, column in (
        ("released visits", 0),
        ("released rewards", 2),
        ("released transitions", 4),
    ):
        loud = quiet.copy()
        loud[0, 5, column] = -1.0
        broken = replay(mdp, agent, T, (loud, coins, ties)).broken
        assert broken[FAMILIES.index(family), 0].nonzero()[0].tolist() == [5]
        assert broken.sum() == 1
    lucky, away = coins.copy(), coins.copy()
    lucky[..., 2] = 0.0  # every reward is 1
    away[..., 0] = 0.9  # always the second state
    assert replay(mdp, agent, T, (quiet, lucky, ties)).broken[FAMILIES.index("rewards")].any()
    assert replay(mdp, agent, T, (quiet, away, ties)).broken[FAMILIES.index("visits")].any()


def test_transitions_that_mislead_break_their_family() -> None:
    """Two steps; the rare next state alone is worth something, and it always comes."""
    moves = np.zeros((2, 2, 1, 2))
    moves[..., 0], moves[..., 1] = 0.99, 0.01
    mdp = TabularMDP(
        "rare",
        moves,
        np.array([[[0.0], [0.0]], [[0.0], [1.0]]]),
        np.array([1.0, 0.0]),
        bernoulli=False,
    )
    agent, T = PUCB(epsilon=1e6), 120
    noise, coins, ties = streams(mdp, agent, T, T, 1, 0)
    coins[..., 1] = 0.999
    assert (
        replay(mdp, agent, T, (np.zeros_like(noise), coins, ties))
        .broken[FAMILIES.index("transitions")]
        .any()
    )


def test_no_more_is_replayed_than_was_planned() -> None:
    """What is refused for every kind of agent, and once."""
    with pytest.raises(ValueError, match="episodes must be <= planned, got episodes=6, planned=5"):
        diagnose(MDPS[0], AGENT, 5, episodes=6)
