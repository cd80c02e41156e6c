"""Any gymnasium environment with the spaces that an agent needs, played by a session."""

from collections.abc import Callable
from typing import Any

import numpy as np

from privrl.agents.trajectory import Trajectory
from privrl.checks import count, instance, require
from privrl.online.session import Session
from privrl.types import FloatArray


def drive(
    session: Session,
    env: Any,
    users: int,
    *,
    state: Callable[[Any], Any] = lambda observation: observation,
    seed: int | None = None,
) -> FloatArray:
    """Let the next users play, and count their episodes; (users,), their total rewards.

    An episode takes the H steps of the session's problem. One that the environment ends earlier
    stays where it ended, at reward 0.

    Parameters
    ----------
    env : its actions are those of the problem; rewards in [0, 1] for agents that learn them
    state : of the problem (a number, or a vector), made of an observation
    seed : of the environment
    """
    horizon, totals = (
        instance("session", session, Session).terms.problem.horizon,
        np.zeros(count("users", users)),
    )
    require(
        callable(getattr(env, "reset", None)) and callable(getattr(env, "step", None)),
        "env must have reset and step, as gymnasium's environments do",
        env=env,
    )
    require(callable(state), "state must be a function of an observation", state=state)
    device = session.device(users) if session.terms.counter == "local" else None
    for user in range(totals.size):
        with session.lock:  # another thread may count meanwhile
            plan = session.plan
            if device is not None:
                device.update(session.learner.snapshot())
        observation, _ = env.reset(seed=seed if user == 0 else None)
        states, actions, rewards, over = [state(observation)], [], [], False
        for step in range(horizon):
            actions.append((session if device is None else device).act(step, states[-1]))
            gained = 0.0
            if not over:
                observation, gained, terminated, truncated, _ = env.step(actions[-1])
                over = bool(terminated or truncated)
            states.append(state(observation))
            rewards.append(float(gained))
        played = Trajectory(np.array(states), np.array(actions), np.array(rewards))
        if device is None:
            session.observe(played, plan=plan)
        else:
            session.receive(device.message(played), plan=plan)
        totals[user] = sum(rewards)
    return totals
