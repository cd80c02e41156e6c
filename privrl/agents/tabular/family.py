"""What holds for every tabular agent: problems of given sizes, noise, and the contract's pairs."""

import dataclasses
from typing import Any

import numpy as np

from privrl.checks import count, require
from privrl.environments import random_mdp, riverswim
from privrl.environments.sparse import SparseMDP
from privrl.types import TabularMDP

PURE = True  #: whether delta = 0 is Laplace noise
READS = ("states", "actions")  #: sizes that the noise depends on, beside the horizon
#: the smallest entry of the suite that there are committed runs on
RECORDED = "vietri2020/riverswim-3-relabelled"


def alike(agent: Any) -> list[tuple[TabularMDP, TabularMDP] | tuple[SparseMDP, SparseMDP]]:
    """Pairs of problems that agree in all that the agent is told, and differ in what it has to
    learn."""
    dense = random_mdp(3, 4, 2, seed=5), _certain(random_mdp(3, 4, 2, seed=6))
    if not getattr(agent, "takes_sparse", False):
        return [dense]
    river = SparseMDP.of(riverswim(5, 4, relabelled=True))
    return [dense, (river, _swapped(river))]


def _certain(mdp: TabularMDP) -> TabularMDP:
    """The likeliest next state is certain: which ones there are at all, no agent is told either."""
    transitions = np.eye(mdp.states)[mdp.transitions.argmax(axis=-1)]
    return TabularMDP(f"{mdp.name}-certain", transitions, mdp.rewards, mdp.initial)


def _swapped(mdp: SparseMDP) -> SparseMDP:
    """The same support with the chances of a pair's cells in the reverse order, and other
    rewards."""
    transitions, cells = mdp.transitions.copy(), (mdp.support >= 0).sum(axis=-1)
    for (s, a), number in np.ndenumerate(cells):
        transitions[:, s, a, :number] = mdp.transitions[:, s, a, :number][:, ::-1]
    return dataclasses.replace(mdp, transitions=transitions, rewards=np.asarray(1.0 - mdp.rewards))


def problem(agent: type[Any], *, states: int, actions: int, horizon: int, **_: float) -> TabularMDP:
    """Every next state equally likely, every reward a coin."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    require(
        H * S**2 * A <= 10**8,
        "horizon * states^2 * actions must be <= 10^8",
        states=S,
        actions=A,
        horizon=H,
    )
    return TabularMDP(
        "sizes", np.full((S, A, S), 1 / S), np.full((S, A), 0.5), np.full(S, 1 / S), horizon=H
    )


def scales(calibration: Any) -> dict[str, Any]:
    """Scales of a draw by the sums that they are put on."""
    if hasattr(calibration, "ratios"):
        return {
            "rewards": calibration.scale * np.array(calibration.ratios),
            "visits by next state": calibration.scale * np.array(calibration.stretches),
        }
    return {"visits, rewards, visits by next state": calibration.scale}
