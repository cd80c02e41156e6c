"""Agents that carry exact data from an episode to the plan of a later one, or that read of the
world what nobody told them: the contract refuses each.

The type checker accepts them all, since no planner is handed a wrong record.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.agents.linear.value_iteration import ValueIteration
from privrl.agents.lq.learner import LQLearner
from privrl.agents.tabular import pucb
from privrl.types import FloatArray
from tests.privrl.agents import plans
from tests.privrl.agents.test_plans import STEP, altered, loaded

ROWS = "for row in range(blocks.coins.shape[0]):"
TALLY = "tally(world, agent_plan.greedy, record)"
LATER = "record.clock[0] > 1000"

#: a width that shrinks with an exact count of the episodes before, in a variable of the kernel
COUNTED = altered(
    pucb,
    STEP,
    "plan_step(h, released, PUCBWidths(widths.e_epsilon, widths.logarithm / (1.0 + seen)), "
    "confidence, agent_plan)",
).replace(TALLY, TALLY + "\n        seen = sums.visits[0, 0]")
COUNTED = COUNTED.replace(ROWS, "seen = 0.0\n    " + ROWS)
#: a plan for as long as no exact count has doubled
EPOCHS = (
    altered(
        pucb,
        STEP,
        "if sums.visits[h, 0] >= 2.0 * confidence.begun[h]:\n"
        "                plan_step(h, released, widths, confidence, agent_plan)\n"
        "                confidence.begun[h] = sums.visits[h, 0]",
    )
    .replace("    bonus: FloatArray\n", "    bonus: FloatArray\n    begun: FloatArray\n")
    .replace(
        "Confidence(aligned(size), aligned(size))",
        "Confidence(aligned(size), aligned(size), aligned(len(self.state.greedy)))",
    )
    .replace("    inverse, bonus = confidence\n", "    inverse, bonus, _ = confidence\n")
)
#: plans on the world, by a function that is not called a plan, once many users have come
LATE = (
    altered(
        pucb,
        STEP,
        STEP + f"\n            if {LATER}:\n                improve(h, world, agent_plan)",
    )
    + """

@inlined
def improve(h: int, world: TabularWorld, agent_plan: TabularPlan) -> None:
    for x in range(world.rewards.shape[1]):
        agent_plan.q[h, x] = world.rewards[h, x]
    maximise(h, agent_plan.q, agent_plan.values, agent_plan.greedy)
"""
)
#: a width by the number of next states that the world has, which nobody told the agent
SUPPORT = altered(
    pucb,
    "return self.of_sizes(self.released(mdp), mdp.horizon, planned)",
    "told = self.of_sizes(self.released(mdp), mdp.horizon, planned)\n"
    "        share = float((mdp.transitions > 0).mean())\n"
    "        return replace(told, logarithm=told.logarithm * share)",
).replace("from dataclasses import dataclass", "from dataclasses import dataclass, replace")
CHEATS = {"counted": COUNTED, "epochs": EPOCHS, "late": LATE, "support": SUPPORT}


class LinearCarrier(ValueIteration):
    """Narrows its widths by an exact sum, once the episodes are over."""

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        super().advance(noise, coins, ties)
        bonus = self.state.known.transitions.widths.bonus
        bonus *= 1 / (1 + abs(float(self.state.statistics[0])))


class LQCarrier(LQLearner):
    """The same, of the radius of its ellipsoid."""

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        super().advance(noise, coins, ties)
        known, share = self.state.known, 1 / (1 + abs(float(self.state.statistics[0])))
        self.state.known = known._replace(offset=known.offset * share)


CARRIERS = {"linopt-vi": LinearCarrier, "private-ofu-rl": LQCarrier}


def refusals(agent: Any) -> set[str]:
    """The faults of an agent, without the problems."""
    return {fault.partition(" (")[0] for fault in plans.follows_from_the_release(agent)}


@pytest.mark.parametrize("cheat", CHEATS)
def test_the_contract_refuses_tabular_agents_that_carry_data(
    cheat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"cheat_{cheat}.py"
    path.write_text(CHEATS[cheat])
    cheating = loaded(f"privrl.agents.tabular.cheat_{cheat}", path, monkeypatch).PUCB
    with np.errstate(all="ignore"):  # as compiled kernels divide
        assert "advance: another plan of the same release" in refusals(
            cheating(1e7, calibration="tight")
        )


@pytest.mark.parametrize("name", CARRIERS)
def test_the_contract_refuses_learners_that_carry_data(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = plans.agent_of(name, "tight")
    start = type(agent).start

    def started(*problem: Any) -> Any:
        learner = start(*problem)
        learner.__class__ = CARRIERS[name]
        return learner

    monkeypatch.setattr(type(agent), "start", started)
    assert refusals(agent) == {"advance: another plan of the same release"}
