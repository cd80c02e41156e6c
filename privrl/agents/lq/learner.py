"""A run in progress of an LQ agent (chowdhury2021, section III-A).

Both agents are OFU under changing regularisers: they read V_k = Z'Z + H_k and U_k = Z'X_next + L_k,
and differ in what H_k and L_k are. The agents know Q, R, H, C_w, gamma, x_1 and, because J_1^* of
equation 9 and 5 depends on it, E[w w'].
"""

from dataclasses import dataclass

import numpy as np

from privrl.agents.acting import Acting, known_choice
from privrl.agents.blocks import check_blocks
from privrl.agents.lq.kernels import advance, observe, plan, release
from privrl.agents.lq.records import NOT_READ, LQPath, LQSums
from privrl.agents.lq.state import LQCalibration, LQState
from privrl.agents.sums import Exact
from privrl.agents.trajectory import Trajectory
from privrl.checks import array, require
from privrl.environments.lq import ROUNDING, LQSystem
from privrl.types import FloatArray

# that a state or control may be off in an unknown world, where many round to single precision
NEAR = 1e-6


@dataclass(eq=False)
class LQLearner(Acting):
    """A run of OFU-RL or Private-OFU-RL in progress."""

    state: LQState
    calibration: LQCalibration
    system: LQSystem

    def advance(self, noise: FloatArray, coins: FloatArray, ties: FloatArray) -> None:
        state, system = self.state, self.system
        blocks = check_blocks(
            noise, coins, ties, (state.statistics.size, system.coins, system.ties)
        )
        advance(
            blocks,
            state.world,
            state.known,
            state.sums,
            state.plan,
            state.tally,
            state.path,
            state.scratch,
        )

    def noise_scales(self) -> FloatArray:
        (p, n), known = self.state.plan.theta.shape, self.state.known
        return np.repeat([known.sigma_gram, known.sigma_cross], [p * (p + 1) // 2, p * n])

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        state = self.state
        require(
            state.sums.before_noise.size == 0,
            "the printed radius reads sums before noise, which only a simulation "
            "may: choose another calibration",
            calibration="printed",
        )
        known = state.known._replace(sigma_gram=1.0, sigma_cross=1.0) if scaled else state.known
        release(state.sums, noise[0], known, state.scratch.released)
        plan(state.scratch.released, state.known, NOT_READ, state.plan, state.scratch)

    def choose(self, step: int, state: FloatArray, uniform: float) -> FloatArray:
        gains = self.state.gains
        at, x = (
            known_choice(step, gains.shape[0], uniform),
            array("state", state, (gains.shape[2],)),
        )
        return np.asarray((gains[at] * x).cumsum(axis=1)[:, -1])  # summed in the order of `play`

    def contribution(self, trajectory: Trajectory) -> FloatArray:
        """As the base class says, of the plan's own controls at the trajectory's states.

        Where there is noise, it is made for states of norm at most 1 and controls of norm at most
        gamma.
        """
        visited, applied = self._observed(trajectory)
        path = self._followed(visited)
        controls = path.steps[:-1, path.noise.size :]
        apart = float(np.abs(applied - controls).max())
        require(apart <= NEAR, "controls must be those of the plan in force", distance=apart)
        if self._private:
            self._check_sizes(controls)
        added = np.zeros(self.state.statistics.size)
        observe(path, LQSums(Exact(added), Exact(added[:0])))
        return added

    @property
    def _private(self) -> bool:
        """Whether there is noise."""
        return self.state.known.sigma_gram > 0

    def _observed(self, trajectory: Trajectory) -> tuple[FloatArray, FloatArray]:
        """States (H + 1, n) and controls (H, d) of an episode of the system, or ``ValueError``."""
        require(
            isinstance(trajectory, tuple) and len(trajectory) == 3,
            "a trajectory must be (states, actions, rewards)",
            type=type(trajectory).__name__,
        )
        horizon, d, n = self.state.gains.shape
        visited = array("states", trajectory[0], (horizon + 1, n))
        applied = array("actions", trajectory[1], (horizon, d))
        apart = float(np.abs(visited[0] - self.system.start).max())
        require(apart <= NEAR, "the first state must be the start of the system", distance=apart)
        return visited, applied

    def _followed(self, visited: FloatArray) -> LQPath:
        """The path of the plan's own controls at these states (H + 1, n), which noise is made for
        where they have norm at most 1; what rounding adds is cut off."""
        horizon, d, n = self.state.gains.shape
        lengths = np.linalg.norm(visited, axis=1, keepdims=True)
        longest = float(lengths.max())
        require(
            not self._private or longest <= 1 + NEAR, "states must have norm <= 1", largest=longest
        )
        path = LQPath(np.zeros((horizon + 1, n + d)), np.zeros(n))
        path.steps[:, :n] = visited / np.maximum(lengths, 1.0) if self._private else visited
        path.steps[0, :n] = self.system.start
        for h in range(horizon):
            path.steps[h, n:] = self.choose(h, path.steps[h, :n], 0.0)
        return path

    def _check_sizes(self, controls: FloatArray) -> None:
        """Refuse controls (H, d), and gains of the plan, that the noise is not made for."""
        gains, gamma = self.state.gains, self.system.gamma
        longest = float(np.linalg.norm(controls, axis=1).max())
        require(
            longest <= gamma * (1 + ROUNDING),
            "controls must have norm <= gamma",
            largest=longest,
            gamma=gamma,
        )
        # over `local` the plan comes from a server that is not trusted
        longest = float(np.linalg.norm(gains, 2, axis=(1, 2)).max())
        require(
            longest <= gamma + NEAR and not gains[-1].any(),
            "gains must have norm <= gamma, and be 0 at the last step: the noise is made for those",
            largest=longest,
            gamma=gamma,
        )
