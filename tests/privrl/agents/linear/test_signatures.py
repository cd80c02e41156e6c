"""Linear planners: no memory in common with sums or world, and a plan that follows from the release alone."""


import numpy as np
import pytest

from privrl.agents.linear import kernels, linopt_po, value_iteration
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR
from tests.privrl.agents.linear.runs import RIVER, K, given_blocks
from tests.privrl.agents.reach import arrays, overlapping

AGENTS = [LinOptVI(1e8, calibration="tight"), LinOptPO(1e8, calibration="tight"),
          LDPUCRLVTR(1e3, calibration="tight"), UCRLVTR(calibration="tight")]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_plan_s_arrays_are_not_the_world_s_nor_the_exact_sums(agent):
    state = agent.start(RIVER, K, np.array([K])).state
    given = (state.known, state.plan, state.scratch)
    world = state.world._replace(support=(), reachable=())  # the support of the features is public
    assert not overlapping(given, (state.statistics, world, state.path, state.tally))
    assert overlapping((given, state.statistics[:3]), (state.statistics,))
    estimated = not agent.name.endswith("vtr")
    truth = [np.array(RIVER.theta_r).tobytes(), np.array(RIVER.theta_p).tobytes(), state.world.rewards.tobytes()]
    held = {one.tobytes() for one in arrays(given)}
    assert not held & set(truth) if estimated else held & set(truth) == {truth[2]}  # known rewards, and nothing else


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_the_same_release_gives_the_same_plan_whatever_the_sums_and_the_world(agent):
    """Sums and world are spoilt after the release: plans do not change. Spoiling the release changes them."""
    module = linopt_po if agent.name == "linopt-po" else value_iteration
    blocks = given_blocks(RIVER, agent, 30)
    seen = []
    for spoilt in ("nothing", "world", "release"):
        learner = agent.start(RIVER, K, np.array([K]))
        learner.advance(*blocks)
        state = learner.state
        released = kernels.release(state.statistics, blocks[0][-1], state.known, 30, state.scratch.released)
        if spoilt == "world":
            for one in (state.statistics, *arrays((state.world._replace(support=(), reachable=()), state.path))):
                one[...] = 7
        if spoilt == "release":
            released.sums[...] *= 1e6  # as if far more had been seen
        module.plan(released, state.known, state.plan, state.scratch)
        seen.append(state.plan.q.tobytes())
    assert seen[0] == seen[1] != seen[2]
