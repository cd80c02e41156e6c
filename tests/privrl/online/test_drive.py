"""PUCB, private UCBVI and its local form learn in an environment that is registered here, without
its transitions."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from privrl import PUCB, PrivateUCBVI, online
from tests.contracts import refused

HORIZON, LENGTH = 3, 2


class Corridor(gymnasium.Env[int, int]):
    """Action 1 at every step leads to the end, where the last step has reward 1; any other goes
    back to the start."""

    observation_space, action_space = spaces.Discrete(LENGTH + 1), spaces.Discrete(2)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        reward = float(self.at == LENGTH and action == 1)
        self.at = min(self.at + 1, LENGTH) if action == 1 and self.np_random.random() < 0.9 else 0
        return self.at, reward, reward > 0, False, {}  # ends before or with the horizon


gymnasium.register("tests/Corridor-v0", entry_point=Corridor)  # type: ignore[arg-type]
UNKNOWN = online.tabular(states=LENGTH + 1, actions=2, horizon=HORIZON)


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent",
    [
        PUCB(20.0, calibration="tight", multiplier=0.001),
        PrivateUCBVI(5.0, 1e-6, counter="tree", multiplier=0.03),
        PrivateUCBVI(20.0, 1e-6, counter="local", multiplier=0.03),
    ],
    ids=lambda agent: agent.name,
)
def test_it_learns(agent: Any) -> None:
    session = online.Session(agent, UNKNOWN, 1500, noise="simulated", seed=1)
    totals = online.drive(session, gymnasium.make("tests/Corridor-v0"), 1500, seed=2)
    best, uniform = 0.9**2, 0.45**2 / 2
    assert totals[-300:].mean() > (best + uniform) / 2 > totals[:30].mean()
    assert session.users == 1500


def test_what_is_driven() -> None:
    """States by the map, and an episode that ended early stays where it ended."""

    class Short(Corridor):
        def step(self, action: int) -> Any:
            return "end", 1.0, True, False, {}

    session = online.Session(PUCB(counter="none"), UNKNOWN, 5)
    totals = online.drive(
        session, Short(), 2, state=lambda observation: 2 if observation == "end" else observation
    )
    sums = session.learner.state.sums
    assert totals.tolist() == [1.0, 1.0] and sums.rewards.sum() == 2
    assert np.array_equal(sums.successors.sum(axis=2), [[0, 0, 2]] * HORIZON)
    assert refused(lambda: online.drive(session, Short(), 2)).startswith(
        "state must be a real number"
    )
    assert session.users == 2
