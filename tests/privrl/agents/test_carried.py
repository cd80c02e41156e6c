"""Agents that carry exact data from an episode to the plan of a later one, or that read of the
world what nobody told them: the contract refuses each.

The type checker accepts them all, since no planner is handed a wrong record.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.agents.linear.value_iteration import ValueIteration
from privrl.agents.lq.learner import LQLearner
from privrl.agents.tabular import pucb
from privrl.types import FloatArray
from reproduce.making import ROOT
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


def refusals(agent: Any) -> list[str]:
    """The faults of an agent, without the problems."""
    return sorted({fault.partition(" (")[0] for fault in plans.follows_from_the_release(agent)})


def all_refusals(folder: Path) -> dict[str, list[str]]:
    """The faults of every agent above; to be run without the compiler."""
    faults = {}
    with pytest.MonkeyPatch.context() as monkeypatch, np.errstate(all="ignore"):
        for cheat, source in CHEATS.items():
            path = folder / f"cheat_{cheat}.py"
            path.write_text(source)
            cheating = loaded(f"privrl.agents.tabular.cheat_{cheat}", path, monkeypatch).PUCB
            faults[cheat] = refusals(cheating(1e7, calibration="tight"))
        for name, carrier in CARRIERS.items():
            agent = plans.agent_of(name, "tight")
            monkeypatch.setattr(type(agent), "start", carrying(type(agent).start, carrier))
            faults[name] = refusals(agent)
    return faults


def carrying(start: Any, carrier: type) -> Any:
    """The same start, of a learner that cheats."""

    def started(*problem: Any) -> Any:
        learner = start(*problem)
        learner.__class__ = carrier
        return learner

    return started


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """In a process of its own, which compiles nothing."""
    script = (
        "import json, pathlib, sys; "
        f"from {__name__} import all_refusals; "
        "print(json.dumps(all_refusals(pathlib.Path(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path_factory.mktemp("cheats"))],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[str]] = json.loads(done.stdout)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("cheat", [*CHEATS, *CARRIERS])
def test_the_contract_refuses_agents_that_carry_data(
    cheat: str, faults: dict[str, list[str]]
) -> None:
    assert "advance: another plan of the same release" in faults[cheat]


@pytest.mark.slow
def test_nothing_else_is_refused_of_learners_that_carry_data(faults: dict[str, list[str]]) -> None:
    """They are as honest agents in all else."""
    for name in CARRIERS:
        assert faults[name] == ["advance: another plan of the same release"]
