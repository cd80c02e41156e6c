"""LQ planners: no memory in common with sums or world, and a plan that follows from the release alone."""

import math

import numpy as np
import pytest

from privrl.agents.lq import learner, records
from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.environments import lq_instance, lq_scalar
from tests.privrl.agents.reach import arrays, overlapping

K = 500
AGENTS = [OFURL(), PrivateOFURL(1e5), PrivateOFURL(1e6, calibration="tight")]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: f"{agent.name}-{agent.calibration}")
@pytest.mark.parametrize("system", [lq_scalar(), lq_instance(2, 1)], ids=lambda system: system.name)
def test_the_same_release_gives_the_same_plan_whatever_the_sums_and_the_world(system, agent):
    """Sums and world are spoilt after the release, and only the printed radius, handed its number, changes."""
    seen = []
    for spoilt in ("nothing", "world", "before noise", "release"):
        state = agent.start(system, K, np.array([K])).state
        assert not overlapping((state.known.Q, state.known.R, state.plan, state.scratch),
                               (state.sums, state.world._replace(start=()), state.path, state.tally))
        assert (state.sums.before_noise.size > 0) == (agent.name == "private-ofu-rl" and agent.calibration == "printed")
        rng, p = np.random.default_rng(3), sum(system.B.shape)
        rows = rng.normal(size=(400, p))
        cross = rows.T @ rows @ system.theta
        gram = (rows.T @ rows)[np.triu_indices(p)]
        state.statistics[:] = 1e6 * np.concatenate([gram, cross.ravel()])
        released = records.Released(np.empty((p, p)), np.empty((p, system.states)))
        learner.release(state.statistics, np.zeros(state.statistics.size), state.known, released)
        number = math.nan
        if agent.calibration == "printed":
            number = learner.log_det_before_noise(state.statistics, state.known, np.empty((p, p)))
        if spoilt == "world":
            secret = (state.sums, state.world._replace(start=()), state.path, state.tally)
            for one in arrays(secret):
                if one.flags.writeable:
                    one[...] = 7
        number = number + 5 if spoilt == "before noise" else number
        if spoilt == "release":
            released.cross[...] *= 0.9
        learner.plan(released, state.known, number, state.plan, state.scratch)
        seen.append((state.plan.radius[0], state.plan.theta.tobytes()))
    assert seen[0] == seen[1] and seen[0][1] != seen[3][1]
    assert (seen[0][0] != seen[2][0]) == (agent.calibration == "printed")
