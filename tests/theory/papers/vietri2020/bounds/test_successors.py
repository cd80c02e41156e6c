"""The successors' bounds: by hand, held against plans of real runs, and against a sum without
blocks."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.environments import planning, random_mdp, suite
from privrl.run import simulate
from tests.contracts import refused
from tests.privrl.agents.tabular import oracle
from theory.papers.vietri2020.bounds import successors

SIZES = (3, 2, 3)


def seen(agent: Any, rows: int, seed: int) -> list[tuple[int, float, float]]:
    """(h, n, Q+ - r - P V+) of every pair, in the plan after ``rows`` episodes."""
    mdp, planned, rng = random_mdp(*SIZES, 2), 2000, np.random.default_rng(seed)
    H, S, A = mdp.rewards.shape
    learner, stream = agent.start(mdp, planned, np.array([planned])), agent.noise(mdp, planned, rng)
    noise = np.vstack([np.zeros((1, stream.width)), stream.block(rows - 1)])
    learner.advance(noise, rng.random((rows, mdp.coins)), rng.random((rows, mdp.ties)))
    n, r, m = np.split(learner.state.statistics, [H * S * A, 2 * H * S * A])
    drawn, calibration = stream.block(1)[0], learner.calibration
    private = isinstance(agent, PrivateUCBVI)
    zn = np.zeros(n.size) if private else drawn[: n.size]
    zr, zm = np.split(drawn if private else drawn[n.size :], [n.size])
    if private:
        zr = zr * np.repeat(calibration.ratios, S * A)
    plan = (oracle.private_ucbvi_plan if private else oracle.dp_ucbvi_plan)(calibration, H, S, A)
    counts = (m + zm).reshape(H, S, S * A).transpose(0, 2, 1).reshape(H, S, A, S)
    Q = plan((n + zn).reshape(H, S, A), (r + zr).reshape(H, S, A), counts)
    V = np.vstack([Q.max(axis=2), np.zeros(S)])
    d = Q - mdp.rewards - np.einsum("hsak,hk->hsa", mdp.transitions, V[1:])
    return [
        (h, float(n.reshape(H, -1)[h, x]), float(d.reshape(H, -1)[h, x]))
        for h in range(H)
        for x in range(S * A)
    ]


@pytest.mark.parametrize("kind", [PrivateUCBVI, DPUCBVI])
def test_plans_stay_within_the_bound(kind: Any) -> None:
    for counter, delta, epsilon in (("blt", 1e-5, 3.0), ("none", 0.0, math.inf)):
        agent = kind(epsilon, delta, 0.1, counter)
        bound, _ = successors.excess(agent, *SIZES, 2000)
        exact, _ = successors.excess(kind(counter="none"), *SIZES, 2000)
        excesses = [excess for rows in (200, 1900) for excess in seen(agent, rows, 7)]
        assert all(d <= bound(h, n) + 1e-9 for h, n, d in excesses)
        if counter == "blt":  # the mutant: bonuses and errors of exact counts
            assert sum(d > exact(h, n) for h, n, d in excesses) > 5


@pytest.mark.slow
@pytest.mark.parametrize("agent", [PrivateUCBVI(2.0, 1e-6, counter="blt"), DPUCBVI(counter="none")])
def test_blocks_of_visits_cost_little(agent: Any) -> None:
    """The sum without blocks, visit by visit; and the bound falls with the visits, as the blocks
    need."""
    T = 30_000
    bound, _ = successors.excess(agent, *SIZES, T)
    each = [[bound(h, float(n)) for n in range(T // 6)] for h in range(3)]
    assert all(after <= before for row in each for before, after in itertools.pairwise(row))
    plain = 6 * sum(map(sum, each)) + 6 * math.sqrt(T * math.log(30) / 2)
    regret_bound = successors.explicit_regret(agent, *SIZES, T)
    assert plain <= regret_bound <= 1.001 * plain


@pytest.mark.slow
def test_real_runs_stay_below_and_the_horizon_is_a_crossing() -> None:
    identifier = "vietri2020/riverswim-3-relabelled"
    mdp = suite.tabular(identifier)
    for agent in (
        PrivateUCBVI(1.0, 1e-6, counter="blt"),
        PrivateUCBVI(counter="none"),
        DPUCBVI(counter="none"),
    ):
        T = 30_000
        run = simulate.run(identifier, mdp, agent, episodes=T)
        assert run.regret[0, -1] < successors.explicit_regret(agent, *SIZES, T)
    agent = PrivateUCBVI(1.0, 1e-6, counter="blt")
    first = successors.explicit_horizon(agent, *SIZES)
    assert successors.explicit_regret(agent, *SIZES, first) < 3 * first
    assert successors.explicit_regret(agent, *SIZES, first - 2) >= 3 * (first - 2) * (1 - 1e-4)
    assert float(mdp.initial @ planning.optimal(mdp)[0][0]) < 3


def test_bad_input_is_refused() -> None:
    assert refused(lambda: successors.explicit_regret(PrivateUCBVI(1.0), 3, 2, 3, 1)).startswith(
        "episodes must be "
    )
    assert refused(lambda: successors.excess(None, 3, 2, 3, 9)).startswith("agent must be ")  # type: ignore[arg-type]
