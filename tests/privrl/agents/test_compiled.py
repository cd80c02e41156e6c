"""Kernels without reference counts create no array, leave the counts as they were and return what
they were given."""

import sys

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from privrl.agents.compiled import kernel
from privrl.agents.linear import kernels
from privrl.agents.linear.linopt_po import LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI
from tests.privrl.agents.linear.runs import RIVER, given_blocks
from tests.privrl.agents.reach import arrays


def test_a_kernel_that_creates_an_array_is_refused():
    def create(size):
        return np.empty(size).size

    assert njit(create)(3) == 3
    with pytest.raises(TypingError, match="passed into the function"):
        kernel(create)(3)


@pytest.mark.parametrize("agent", [LinOptVI(1e8), LinOptPO(1e8)], ids=lambda agent: agent.name)
def test_kernels_keep_no_reference_and_lose_none(agent):
    learner, blocks = agent.start(RIVER, 30, np.array([30])), given_blocks(RIVER, agent, 30)
    state = learner.state
    live_arrays = [
        *blocks,
        *arrays((state.sums, state.world, state.known, state.plan, state.tally, state.scratch)),
    ]
    before = [sys.getrefcount(array) for array in live_arrays]
    learner.advance(*blocks)
    for _ in range(100):
        released = kernels.release(
            state.sums, blocks[0][-1], state.known, 30, state.scratch.released
        )
        assert released.sums is state.scratch.released
    del released
    assert [sys.getrefcount(array) for array in live_arrays] == before
