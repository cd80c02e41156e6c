"""What every learner offers beside ``advance``: one user at a time, in a world that nobody knows.

    prepare(noise) -> choose(step, state, uniform), H times -> contribution(trajectory) ->
    absorb(contribution)

The plan is made by the kernels of the simulation. Nothing of the world is read: an agent is started
on a problem whose transitions (and rewards, where the agent learns them) are placeholders, and no
regret is recorded.
"""

import math
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privrl.agents.blocks import Blocks, check_blocks
from privrl.agents.trajectory import Trajectory
from privrl.checks import array, count, require
from privrl.types import Entries, FloatArray, IntArray


class Acting:
    """The verbs of a learner that is handed finished episodes; a family writes those that refuse
    here.

    ``any_plan`` : whether a contribution is the same whatever plan was followed, so that late
        episodes can be counted
    ``rounds_to_users`` : whether a contribution, rounded to a grid that holds the whole numbers, is
        again some user's, so that rounding costs no privacy
    """

    state: Any
    any_plan: ClassVar[bool] = False
    rounds_to_users: ClassVar[bool] = False

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``coins.shape[0]`` simulated episodes, a plan each; the blocks as :class:`Blocks`
        says.

        Parameters
        ----------
        noise : (rows, W) in the unit of the stream; row i is the noise of the sums that episode i
            plans with
        coins : (rows, 1 + 2H), uniforms of first state, next states and rewards; or those that an
            LQ system takes
        ties : (rows, H), uniforms that draw the actions; (rows, 0) for an LQ system
        """
        raise NotImplementedError

    def noise_scales(self) -> FloatArray:
        """(W,), Laplace scale or standard deviation of one draw on each released sum, in the unit
        of the sum; or 0."""
        raise NotImplementedError

    def prepare(self, noise: FloatArray, *, scaled: bool = False) -> None:
        """Release the sums and plan.

        Parameters
        ----------
        noise : (W,), of the release; zeros for the first user
        scaled : whether the noise is in the unit of the sums and added as it is; else it is the
            stream's of the agent
        """
        self.renew(array("noise", noise, (self.noise_scales().size,))[None], scaled=scaled)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        """As :meth:`prepare`, for noise (1, W) that fits."""
        raise NotImplementedError

    def follow(self, coins: FloatArray, ties: FloatArray) -> None:
        """Play ``coins.shape[0]`` simulated episodes by the plan in force; for agents that plan
        ``every`` so often."""
        horizon, nothing = self.state.greedy.shape[0], np.zeros((coins.shape[0], 0))
        self.play_on(check_blocks(nothing, coins, ties, (0, 1 + 2 * horizon, horizon)))

    def play_on(self, blocks: Blocks) -> None:
        """Play blocks that fit, whose noise is not read."""
        raise NotImplementedError

    def choose(self, step: int, state: Any, uniform: float) -> Any:
        """The action at a step (0..H - 1) under the plan in force; ties are drawn with ``uniform``
        in [0, 1)."""
        raise NotImplementedError

    def contribution(self, trajectory: Trajectory) -> FloatArray:
        """(W,), what an episode under the plan in force adds to the released sums; nothing is
        changed.

        Raises
        ------
        ValueError
            A trajectory of a wrong shape or with a value out of range: it is refused whole.
        """
        raise NotImplementedError

    def entries(self, trajectory: Trajectory) -> Entries:
        """:meth:`contribution`, by what of it may be other than zero."""
        return Entries.of(self.contribution(trajectory))

    def absorb(self, contribution: FloatArray) -> None:
        """Add (W,) to the released sums and count a user; a message with its user's noise
        likewise."""
        self.add(Entries.of(array("contribution", contribution, (self._released,))))

    def add(self, entries: Entries) -> None:
        """As :meth:`absorb`, of entries that fit."""
        self.state.statistics[self.places][entries.places] += entries.values
        self.state.tally.clock[0] += 1

    @property
    def released_sums(self) -> FloatArray:
        """(W,), the exact sums that are released with noise."""
        return np.asarray(self.state.statistics[self.places])

    @property
    def moved(self) -> int:
        """How many released sums change, at most, when one episode is replaced by another."""
        return self._released

    @property
    def places(self) -> slice:
        """Of the released sums among the statistics: the last ones."""
        return slice(self.state.statistics.size - self._released, None)

    @cached_property
    def _released(self) -> int:
        """W, the number of released sums."""
        return int(self.noise_scales().size)

    def kept(self) -> dict[str, FloatArray | IntArray]:
        """The arrays that a restart needs, by name: the sums, the plan, the clock; written into,
        never replaced."""
        state = self.state
        plan = {
            name: array_
            for name, array_ in state.plan._asdict().items()
            if isinstance(array_, np.ndarray)
        }
        return {"sums": state.statistics, "clock": state.tally.clock[:1], **plan}

    def snapshot(self) -> dict[str, FloatArray | IntArray]:
        """Copies of what a restart needs."""
        return {name: array_.copy() for name, array_ in self.kept().items()}

    def restore(self, snapshot: dict[str, FloatArray | IntArray]) -> None:
        """Go on from a snapshot of a learner that was started in the same way.

        Raises
        ------
        ValueError
            A snapshot with other names, shapes or types; nothing is changed.
        """
        arrays = self.kept()
        shapes = [
            {name: (array_.shape, str(array_.dtype)) for name, array_ in arrays.items()}
            for arrays in (arrays, snapshot)
        ]
        require(
            shapes[0] == shapes[1],
            "a snapshot must be of an agent and a problem like these",
            arrays=shapes[1],
        )
        for name, target in arrays.items():
            target[...] = snapshot[name]


def finite_steps(
    trajectory: Trajectory, horizon: int, states: int, actions: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """States (H + 1,), actions (H,) and rewards (H,) in [0, 1] of an episode of a finite problem,
    or ``ValueError``."""
    require(
        isinstance(trajectory, tuple) and len(trajectory) == 3,
        "a trajectory must be (states, actions, rewards)",
        type=type(trajectory).__name__,
    )
    steps = [
        array(name, values, (length,))
        for name, values, length in zip(
            Trajectory._fields, trajectory, (horizon + 1, horizon, horizon), strict=True
        )
    ]
    for name, values, size in zip(Trajectory._fields, steps[:2], (states, actions), strict=False):
        wrong = (values != np.floor(values)) | (values < 0) | (values >= size)
        require(
            not wrong.any(),
            f"{name} must be whole numbers in 0..{size - 1}",
            first=float(values[wrong.argmax()]),
        )
    wrong = (steps[2] < 0) | (steps[2] > 1)
    require(not wrong.any(), "rewards must be in [0, 1]", first=float(steps[2][wrong.argmax()]))
    return steps[0].astype(np.int64), steps[1].astype(np.int64), steps[2]


def known_choice(step: int, horizon: int, uniform: float) -> int:
    """The step, or ``ValueError`` where it or the uniform is out of range."""
    known = count("step", step, 0)
    require(known < horizon, f"step must be < {horizon}, the horizon", step=step)
    require(
        math.isfinite(uniform) and 0 <= uniform < 1, "uniform must be in [0, 1)", uniform=uniform
    )
    return known
