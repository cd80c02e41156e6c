"""Users before the successors' plans can differ from uniform play."""

import math

import pytest

from privrl import DPUCBVI, PUCB, PrivateUCBVI
from privrl.environments import random_mdp
from privrl.horizon import pucb as horizon
from privrl.horizon import successors as horizon_successors

MDP = random_mdp(3, 2, 3, 0)


def test_the_slack_by_hand() -> None:
    T = 5000
    agent = PrivateUCBVI(1.0, 1e-6, counter="blt")
    calibration = agent.calibrate(MDP, T)
    by_hand = [
        1
        - (calibration.widths[h] + calibration.factors[h] * math.sqrt(T + calibration.surplus)) / T
        for h in range(3)
    ]
    assert horizon_successors.slack(agent, MDP, T) == pytest.approx(max(by_hand), rel=1e-12)
    dp_ucbvi = DPUCBVI(1.0, 1e-6, counter="blt")
    plain = dp_ucbvi.calibrate(MDP, T)
    n = T + 2 * plain.error
    rest = math.sqrt(n) * plain.reward + 5 * plain.error
    by_hand = [1 - (rest + k * (plain.deviation**2 + plain.constant)) / n for k in range(3)]
    assert horizon_successors.slack(dp_ucbvi, MDP, T) == pytest.approx(max(by_hand), rel=1e-12)


@pytest.mark.parametrize(
    "agent",
    [
        PrivateUCBVI(1.0, 1e-6, counter="blt"),
        PrivateUCBVI(1.0, calibration="corrected"),
        DPUCBVI(1.0, 1e-6, counter="honaker"),
        PrivateUCBVI(counter="none"),
    ],
)
def test_start_is_where_the_slack_changes_sign(agent: PrivateUCBVI | DPUCBVI) -> None:
    earliest = horizon_successors.start(agent, 3, 2, 3)
    assert (earliest.agent, earliest.counter, earliest.calibration) == (
        agent.name,
        agent.counter,
        agent.calibration,
    )
    assert horizon_successors.slack(agent, MDP, earliest.episodes) > 0  # type: ignore[arg-type]
    before = earliest.episodes - max(1, earliest.episodes // 900)
    assert before < 2 or horizon_successors.slack(agent, MDP, before) <= 0


@pytest.mark.slow
def test_the_successors_start_earlier_than_pucb_and_tight_before_corrected() -> None:
    ours = {}
    for kind in (PrivateUCBVI, DPUCBVI):
        first_episodes = [
            horizon_successors.start(kind(1.0, 1e-6, 0.1, "blt", name), 3, 2, 3).episodes
            for name in ("tight", "corrected")
        ]
        assert first_episodes[0] < first_episodes[1]
        ours[kind] = first_episodes[0]
    pucb = horizon.start(PUCB(1.0, 1e-6, counter="blt", calibration="tight"), 3, 2, 3).episodes
    assert ours[PrivateUCBVI] < pucb / 8
    start_rows = horizon_successors.starts(50.0, 1e-3, 1, 2, 1, 0.1)
    assert (
        len({(row.agent, row.counter, row.calibration) for row in start_rows})
        == len(start_rows)
        == 2 * (1 + 2 * 6)
    )
    assert {row.agent for row in start_rows} == {"ucbvi", "ldp-ucbvi", "private-ucbvi", "dp-ucbvi"}
