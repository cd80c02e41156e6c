"""``python -m reproduce.worst``: a search for the tabular MDP on which an agent loses most, between
the bounds that are proved (docs/gap.md; five minutes of one core).

An MDP is coded by numbers in [0, 1] of two digits: mean rewards as they stand, and a row of
probabilities by weights in proportion to the fourth power (so that the search reaches rows that
are nearly certain). Candidates are bandits with one gap at every state and step, draws, the paper's
hard MDPs, RiverSwim and a cliff; differential evolution goes on from the best of those that have a
code. What is returned is measured again with coins that the search has not seen.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import differential_evolution

from figures import style
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import hard_mdp, riverswim
from privrl.run import simulate
from privrl.types import FloatArray, TabularMDP
from theory.papers.vietri2020.bounds import counters, stated, successors

GAPS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
SMALLEST = 1e-4  # weight of a next state that has the code 0
SearchedSize = tuple[int, int, int]  # S, A, H
SIZES: tuple[SearchedSize, ...] = (
    (3, 2, 1),
    (3, 2, 2),
    (3, 2, 3),
)  # below three states no lower bound
EPISODES, SEED = 10**5, 20
TABLE = Path(__file__).with_suffix(".csv")
PRIVATE: dict[str, PUCB | PrivateUCBVI] = {
    "PUCB, no noise": PUCB(epsilon=inf, counter="none"),
    "PUCB, epsilon = 1000": PUCB(1000.0, counter="tree", calibration="tight"),
    "private UCBVI, epsilon = 1": PrivateUCBVI(1.0, 1e-6, counter="blt"),
}


@dataclass(frozen=True)
class SearchBudget:
    """How much is tried."""

    draws: int = 40
    population: int = 14
    generations: int = 12
    finalists: int = 3  #: measured with fresh coins
    replicates: int = 8  #: of each finalist


@dataclass(frozen=True)
class Finding:
    """The instance with the largest mean regret among the finalists."""

    source: str  #: which kind of candidate it is
    mdp: TabularMDP
    code: tuple[float, ...]  #: empty for an MDP of a named family
    regret: FloatArray  #: (replicates,) at the last episode, fresh coins
    tried: int  #: how many MDPs were played


def codes(size: SearchedSize) -> int:
    """How many numbers code an MDP of this size: rewards, rows, first states."""
    states, actions, horizon = size
    rows = horizon * states * actions * states if horizon > 1 else 0
    return horizon * states * actions + rows + states


def decode(code: Iterable[float], size: SearchedSize) -> TabularMDP:
    """The MDP of a code; where H = 1 next states do not matter and are uniform.

    >>> decode([0.9, 0.1, 1.0], (1, 2, 1)).rewards.tolist()
    [[[0.9, 0.1]]]
    """
    states, actions, horizon = size
    numbers = np.round(np.asarray(list(code), dtype=float), 2)
    tuples = horizon * states * actions
    rewards = numbers[:tuples].reshape(horizon, states, actions)
    rows = np.full((horizon, states, actions, states), 1 / states)
    if horizon > 1:
        rows = _laws(numbers[tuples:-states].reshape(horizon, states, actions, states))
    name = f"coded-{states}x{actions}-h{horizon}"
    return TabularMDP(name, rows, rewards, _laws(numbers[-states:]))


def _laws(weights: FloatArray) -> FloatArray:
    powers = weights**4 + SMALLEST
    laws: FloatArray = powers / powers.sum(axis=-1, keepdims=True)
    return laws


def bandits(size: SearchedSize, gap: float, rng: np.random.Generator) -> FloatArray:
    """The code of bandits: everywhere one arm, drawn, has mean 1/2 + gap/2 and all others 1/2 -
    gap/2; next states are uniform."""
    states, actions, horizon = size
    rewards = np.full((horizon, states, actions), 0.5 - gap / 2)
    best = rng.integers(actions, size=(horizon, states, 1))
    np.put_along_axis(rewards, best, 0.5 + gap / 2, axis=2)
    return np.concatenate([rewards.ravel(), np.ones(codes(size) - rewards.size)])


def named(size: SearchedSize) -> dict[str, TabularMDP]:
    """MDPs of this size that the papers call hard, and RiverSwim."""
    states, actions, horizon = size
    instances: dict[str, TabularMDP] = {}
    if states > 2:
        for gap in (0.05, 0.1, 0.2, 0.5):
            arms = [actions - 1] * (states - 2)
            instances[f"hard, alpha' = {gap:g}"] = hard_mdp(
                states - 2, actions - 1, gap, arms, horizon
            )
    if states > 1 and horizon > 1:
        instances["cliff"] = cliff(size)
        if actions == 2:
            instances["riverswim, relabelled"] = riverswim(states, horizon, relabelled=True)
    return instances


def cliff(size: SearchedSize, seed: int = 0) -> TabularMDP:
    """In every state but the last one action, drawn, pays 1 and leads to one of these; all others
    lead to the last for good, which pays nothing."""
    states, actions, horizon = size
    best = np.random.default_rng(seed).integers(actions, size=(horizon, states, 1))
    right = np.arange(actions) == best
    right[:, -1] = False
    onward = np.append(np.full(states - 1, 1 / (states - 1)), 0.0)
    rows = np.where(right[..., None], onward, np.eye(states)[-1])
    return TabularMDP("cliff", rows, right.astype(np.float64), onward)


def search(
    agent: simulate.Agent,
    size: SearchedSize,
    episodes: int,
    seed: int,
    budget: SearchBudget = SearchBudget(),
) -> Finding:
    """The worst MDP that was found: candidates, then differential evolution from the best."""
    rng, tried = np.random.default_rng(seed), 0

    def play(mdp: TabularMDP) -> float:
        nonlocal tried
        tried += 1
        return float(simulate.replicate(mdp, agent, episodes, None, seed, 0)[-1])

    rows = [("bandits", *_valued(play, bandits(size, gap, rng), size)) for gap in GAPS] + [
        ("drawn", *_valued(play, rng.random(codes(size)), size)) for _ in range(budget.draws)
    ]
    rows.sort(key=lambda row: -row[1])
    start = np.array([row[2] for row in rows[: budget.population]])
    result = differential_evolution(
        lambda code: -play(decode(code, size)),
        [(0.0, 1.0)] * codes(size),
        init=start,
        maxiter=budget.generations,
        tol=0.0,
        polish=False,
        rng=rng,
    )
    rows.append(("differential evolution", -float(result.fun), result.x))
    finalists = [
        (source, decode(code, size), tuple(np.round(code, 2).tolist()), value)
        for source, value, code in rows
    ]
    finalists += [(name, mdp, (), play(mdp)) for name, mdp in named(size).items()]
    finalists.sort(key=lambda row: -row[3])
    chosen = finalists[: budget.finalists]
    if not any(row[0] == "differential evolution" for row in chosen):
        chosen[-1] = next(row for row in finalists if row[0] == "differential evolution")
    findings = [
        Finding(source, mdp, code, fresh(mdp, agent, episodes, seed, budget.replicates), tried)
        for source, mdp, code, _ in chosen
    ]
    return max(findings, key=lambda finding: float(finding.regret.mean()))


def _valued(
    play: Callable[[TabularMDP], float], code: FloatArray, size: SearchedSize
) -> tuple[float, FloatArray]:
    return play(decode(code, size)), code


def fresh(
    mdp: TabularMDP, agent: simulate.Agent, episodes: int, seed: int, replicates: int
) -> FloatArray:
    """Regret at the end of replicates 1, 2, .., which the search has not played."""
    return np.array(
        [
            simulate.replicate(mdp, agent, episodes, None, seed, index)[-1]
            for index in range(1, replicates + 1)
        ]
    )


def bounds(agent: PUCB | PrivateUCBVI, size: SearchedSize, episodes: int) -> tuple[float, float]:
    """The best upper bound proved for this agent at that plan, and the best lower bound for any
    agent that is private as it is (with a delta: for any agent)."""
    if isinstance(agent, PUCB):
        upper = counters.regret_bound(agent, *size, episodes)
    else:
        upper = successors.explicit_regret(agent, *size, episodes)
    epsilon = inf if agent.delta else agent.epsilon
    return upper, stated.lower_regret(*size, episodes, epsilon)


def row(name: str, size: SearchedSize, budget: SearchBudget = SearchBudget()) -> dict[str, object]:
    """A line of the table."""
    agent = PRIVATE[name]
    finding = search(agent, size, EPISODES, SEED, budget)
    upper, lower = bounds(agent, size, EPISODES)
    regret, low, high = style.spread(finding.regret)
    river = float("nan")
    if size[2] > 1:
        mdp = named(size)["riverswim, relabelled"]
        river = float(fresh(mdp, agent, EPISODES, SEED, budget.replicates).mean())
    states, actions, horizon = size
    return {
        "agent": name,
        "states": states,
        "actions": actions,
        "horizon": horizon,
        "episodes": EPISODES,
        "upper": upper,
        "worst": regret,
        "low": low,
        "high": high,
        "river": river,
        "lower": lower,
        "source": finding.source,
        "tried": finding.tried,
        "code": " ".join(f"{number:g}" for number in finding.code),
    }


def main() -> None:
    """Write the table."""
    rows = [row(name, size) for size in SIZES for name in PRIVATE]
    text = pd.DataFrame(rows).to_csv(index=False, float_format="%.6g", lineterminator="\n")
    TABLE.write_text(text, encoding="utf-8", newline="\n")


def markdown() -> str:
    """The table of docs/gap.md."""
    number = partial(style.number, digits=2)
    lines = []
    for line in pd.read_csv(TABLE, keep_default_na=True).itertuples():
        river = "" if line.river != line.river else number(line.river)
        lines.append(
            (
                line.agent,
                f"{line.states}, {line.actions}, {line.horizon}",
                number(line.horizon * line.episodes),
                number(line.upper),
                (
                    f"{style.number(line.worst)} ({style.number(line.low)} to "
                    f"{style.number(line.high)})"
                ),
                f"{line.source}, of {line.tried}",
                river,
                number(line.lower),
                number(line.upper / line.worst),
                number(line.worst / line.lower),
            )
        )
    head = (
        "agent",
        "S, A, H",
        "H T",
        "upper bound, proved",
        "worst found (95 %)",
        "what it is, of how many tried",
        "RiverSwim",
        "lower bound, proved",
        "upper over worst",
        "worst over lower",
    )
    return style.markdown(head, lines)


if __name__ == "__main__":
    main()
