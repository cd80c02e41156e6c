"""The environments of this package for gymnasium, so that other people's agents run on them.

Importing this module registers

- ``privrl/RiverSwim-v0``: :func:`privrl.environments.riverswim`; S = 6, H = 20 by default
- ``privrl/HardMDP-v0``: :func:`privrl.environments.hard_mdp`; n = m = 2, alpha = 0.2
- ``privrl/LinearMixture-v0``: :func:`privrl.environments.mixture`; d = H = 2
- ``privrl/LQ-v0``: :func:`privrl.environments.lq_instance`; n = d = 1, H = 5
- ``privrl/Suite-v0``: ``entry``, any id of the suite, such as ``vietri2020/riverswim-3``

and every one takes ``observation``. Gymnasium 1.0 and later look for no plugins; ``gymnasium.make``
imports what stands before a colon, so
``gymnasium.make("privrl.environments.gymnasium:privrl/RiverSwim-v0")`` needs no import of its own.
Any other :class:`TabularMDP` or :class:`LinearMixtureMDP` is wrapped by :class:`FiniteEnv`, any
:class:`LQSystem` by :class:`LQEnv`.

**Episodes** last H steps; the last step says ``terminated``, because an episode ends there by
definition and not for lack of time. ``info`` has the number of steps taken (``step``) and the state
(``state``).

**Observations.** The best action depends on the step, so what an agent sees has to hold it:

- ``"flat"`` (default): one number, step * S + state, in 0..(H + 1) S - 1, which serves every agent
  that looks its observation up in a table. The layer H holds what is seen after the last step. For
  LQ a vector (1 + n,): step, state.
- ``"dict"``: ``{"step": step, "state": state}``, which ``FlattenObservation`` makes one-hot for a
  network.
- ``"state"``: the state alone, for agents that count the steps themselves. To others the
  environment is no Markov decision process.

**Seeds.** ``reset(seed=...)`` starts a stream of uniforms; each reset takes all that the episode
needs. So the luck of an episode does not depend on what is done in it: two agents with the same
seed meet the same.

**LQ.** The reward is minus the cost. States lie in [-1, 1]^n, since assumption 1 of chowdhury2021
keeps their norm within 1. Actions lie in [-gamma, gamma]^d; the assumption wants ||u|| <= gamma,
and a longer control is shortened to that. The optimum is J*, which no such policy beats.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.checks import choice, instance, require
from privrl.environments import episode as _episode
from privrl.environments import evaluate, hard_mdp, lq_instance, mixture, riverswim, suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.extras import needed
from privrl.types import FloatArray, TabularMDP

with needed("this module"):
    import gymnasium
    from gymnasium import spaces

OBSERVATIONS = ("flat", "dict", "state")
BOX_SLACK = 1e-9  # of the box of states: the norms are at most 1 up to rounding


class EpisodicEnv(gymnasium.Env[Any, Any]):
    """What the environments share: episodes of H steps from a seeded stream of uniforms.

    Parameters
    ----------
    model : what :mod:`privrl.environments.evaluate` evaluates policies in
    episode : plays in it
    observation : one of :data:`OBSERVATIONS`
    states, flat : the spaces of the observations ``state`` and ``flat``
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # gymnasium's own declaration
    model: TabularMDP | LinearMixtureMDP | LQSystem

    def __init__(
        self,
        model: TabularMDP | LinearMixtureMDP | LQSystem,
        episode: _episode.Episode,
        observation: str,
        states: spaces.Space[Any],
        flat: spaces.Space[Any],
    ) -> None:
        self.model = model
        self.observation = choice("observation", observation, OBSERVATIONS)
        spaces_of: dict[str, spaces.Space[Any]] = {
            "flat": flat,
            "state": states,
            "dict": spaces.Dict({"step": spaces.Discrete(episode.horizon + 1), "state": states}),
        }
        self.observation_space = spaces_of[observation]
        self._episode = episode
        self._running = False

    @property
    def horizon(self) -> int:
        """H, steps in an episode."""
        return self._episode.horizon

    @property
    def gap(self) -> float:
        """V* - Q* of the last action, where it was taken: what it gave away. Not for the eyes of an
        agent."""
        return self._episode.gap

    def encode(self, step: int, state: Any) -> Any:
        """The observation at a step (0..H) and a state."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        require(not options, "options must be empty: an episode has none", options=options)
        self._episode.begin(self.np_random.random(self._episode.coins))
        self._running = True
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step.

        Raises
        ------
        gymnasium.error.ResetNeeded
            No episode has been begun, or it has ended.
        ValueError
            An action outside the action space; controls longer than gamma are shortened instead.
        """
        if not self._running:
            raise gymnasium.error.ResetNeeded("no episode is running: call reset first")
        reward = self._episode.act(action)
        self._running = self._episode.step < self._episode.horizon
        observation, info = self._seen()
        return observation, reward, not self._running, False, info

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        step, state = self._episode.step, self._episode.state
        state_copy = state.copy() if isinstance(state, np.ndarray) else state
        return self.encode(step, state), {"step": step, "state": state_copy}


class FiniteEnv(EpisodicEnv):
    """A tabular MDP, or a linear mixture MDP, whose features stand in ``model``.

    >>> from privrl.environments import riverswim
    >>> env = FiniteEnv(riverswim(3, 4))
    >>> env.reset(seed=0)
    (0, {'step': 0, 'state': 0})
    >>> env.observation_space, env.action_space
    (Discrete(15), Discrete(2))
    """

    def __init__(self, mdp: TabularMDP | LinearMixtureMDP, *, observation: str = "flat") -> None:
        tables = (
            mdp.tabular() if isinstance(mdp, LinearMixtureMDP) else instance("mdp", mdp, TabularMDP)
        )
        super().__init__(
            mdp,
            _episode.FiniteEpisode(tables),
            observation,
            spaces.Discrete(tables.states),
            spaces.Discrete((tables.horizon + 1) * tables.states),
        )
        self.action_space = spaces.Discrete(tables.actions)
        self._states = tables.states

    def encode(self, step: int, state: Any) -> Any:
        """The observation at a step (0..H) and a state (0..S-1)."""
        if self.observation == "dict":
            return {"step": int(step), "state": int(state)}
        return int(step) * self._states + int(state) if self.observation == "flat" else int(state)

    def table(self, act: Callable[[Any], Any]) -> FloatArray:
        """The policy of an agent, (H, S, A), from what it answers to each observation: an action,
        or probabilities."""
        require(callable(act), "act must be a callable of an observation", act=act)
        return evaluate.table(self, lambda h, s: act(self.encode(h, s)))


class LQEnv(EpisodicEnv):
    """A linear quadratic system with bounded noise; the reward is minus the cost.

    >>> from privrl.environments import lq_scalar
    >>> env = LQEnv(lq_scalar())
    >>> env.reset(seed=0)[0]
    array([0., 1.])
    >>> env.action_space
    Box(-0.5, 0.5, (1,), float64)
    """

    def __init__(self, system: LQSystem, *, observation: str = "flat") -> None:
        instance("system", system, LQSystem)
        high, last = np.full(system.states, 1 + BOX_SLACK), float(system.horizon)
        super().__init__(
            system,
            _episode.LQEpisode(system),
            observation,
            spaces.Box(-high, high, dtype=np.float64),
            spaces.Box(np.append(0.0, -high), np.append(last, high), dtype=np.float64),
        )
        reach = np.full(system.controls, system.gamma)
        self.action_space = spaces.Box(-reach, reach, dtype=np.float64)

    def encode(self, step: int, state: Any) -> Any:
        """The observation at a step (0..H) and a state (n,)."""
        if self.observation == "dict":
            return {"step": int(step), "state": np.array(state)}
        return np.append(float(step), state) if self.observation == "flat" else np.array(state)


class Gaps(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """Sums V* - Q* of the actions that are really taken, episode by episode: for agents that learn
    within an episode.

    In expectation, given what the agent knew before, an episode's sum is the exact regret of how it
    played. It is not that regret: it still depends on which states the episode came through. An
    agent whose policy is fixed for an episode is followed exactly by
    :class:`privrl.environments.evaluate.Recorder`.

    An episode that is begun anew before its end is not counted, but in ``abandoned``.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        inner = env.unwrapped if isinstance(env, gymnasium.Env) else env
        require(
            isinstance(inner, EpisodicEnv),
            "env must be a gymnasium environment of privrl",
            type=type(inner).__name__,
        )
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)
        self._inner: Any = inner
        self._sums: list[float] = []
        self._sum, self._steps = 0.0, 0
        self.abandoned = 0

    @property
    def gaps(self) -> FloatArray:
        """(K,), the sum of each finished episode."""
        return np.array(self._sums)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        self.abandoned += 0 < self._steps < self._inner.horizon
        self._sum, self._steps = 0.0, 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        result = self.env.step(action)
        self._sum += self._inner.gap
        self._steps += 1
        if self._steps == self._inner.horizon:
            self._sums.append(self._sum)
        return result


# id: what makes the environment, and arguments where none are given
REGISTERED: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "privrl/RiverSwim-v0": (riverswim, {"states": 6, "horizon": 20}),
    "privrl/HardMDP-v0": (
        hard_mdp,
        {"n": 2, "m": 2, "alpha": 0.2, "instance": (1, 2), "horizon": 3},
    ),
    "privrl/LinearMixture-v0": (mixture, {}),
    "privrl/LQ-v0": (lq_instance, {"states": 1, "controls": 1}),
    "privrl/Suite-v0": (
        lambda *, entry: suite.environment(entry),
        {"entry": "vietri2020/riverswim-3"},
    ),
}


def build(registered: str, observation: str = "flat", **arguments: Any) -> EpisodicEnv:
    """The environment of one of :data:`REGISTERED`; what ``gymnasium.make`` calls."""
    family, defaults = REGISTERED[registered]
    model: Any = family(**defaults | arguments)
    return (LQEnv if isinstance(model, LQSystem) else FiniteEnv)(model, observation=observation)


for _name in REGISTERED:
    if _name not in gymnasium.registry:  # the module may be loaded again
        gymnasium.register(_name, entry_point=f"{__name__}:build", kwargs={"registered": _name})
