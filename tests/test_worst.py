"""The search for the worst MDP (docs/gap.md): its codes, what it found, and its table."""

import numpy as np
import pandas as pd
import pytest

from privrl.environments import all_or_nothing, planning, suite
from privrl.run import simulate
from reproduce import worst
from theory.papers.vietri2020.bounds import stated

TABLE = pd.read_csv(worst.TABLE)
SIZE = (3, 2, 2)


def test_a_code_is_an_mdp_and_an_mdp_of_bandits_has_its_gap() -> None:
    rng = np.random.default_rng(3)
    mdp = worst.decode(rng.random(worst.codes(SIZE)), SIZE)
    assert mdp.transitions.shape == (2, 3, 2, 3)
    assert mdp.transitions.sum(axis=3) == pytest.approx(np.ones((2, 3, 2)))
    coded = worst.decode(worst.bandits(SIZE, 0.3, rng), SIZE)
    assert np.ptp(coded.rewards, axis=2) == pytest.approx(np.full((2, 3), 0.3))
    assert planning.uniform_regret(coded) == pytest.approx(2 * 0.15)


def test_the_cliff_and_all_or_nothing_are_won_and_lost_as_they_say() -> None:
    cliff, plain = worst.cliff(SIZE), all_or_nothing(3, 2, 3, seed=5)
    for mdp in (cliff, plain):
        value = float(mdp.initial @ planning.optimal(mdp)[0][0])
        assert value == pytest.approx(mdp.horizon)
    assert planning.uniform_regret(plain) == pytest.approx(3 / 2)
    assert planning.uniform_regret(cliff) == pytest.approx(2 - (1 / 2 + 1 / 4))


@pytest.mark.parametrize("line", TABLE.to_dict("records"), ids=lambda line: line["agent"][:12])
def test_what_was_found_lies_between_the_bounds(line: dict[str, float]) -> None:
    assert line["lower"] < line["low"] <= line["worst"] <= line["high"] < line["upper"]
    assert line["upper"] < line["horizon"] * line["episodes"]
    assert not line["river"] > line["worst"]


def test_a_cell_is_found_again_from_its_code() -> None:
    """The instance of one row, played with the coins that the row was measured with."""
    row = TABLE[(TABLE["agent"] == "PUCB, no noise") & (TABLE["horizon"] == 1)].iloc[0]
    size = int(row["states"]), int(row["actions"]), int(row["horizon"])
    mdp = worst.decode(map(float, row["code"].split()), size)
    regret = worst.fresh(mdp, worst.PRIVATE[row["agent"]], worst.EPISODES, worst.SEED, 8)
    assert float(regret.mean()) == pytest.approx(row["worst"], rel=1e-5)
    lower = stated.lower_regret(*size, worst.EPISODES, np.inf)
    assert row["lower"] == pytest.approx(lower, rel=1e-5)


def test_the_entry_is_the_worst_for_pucb() -> None:
    """Another draw of which action pays, other coins: the same regret to a few percent."""
    row = TABLE[(TABLE["agent"] == "PUCB, epsilon = 1000") & (TABLE["horizon"] == 3)].iloc[0]
    agent, mdp = worst.PRIVATE[row["agent"]], suite.tabular("vietri2020/worst-3-2")
    regret = simulate.replicate(mdp, agent, worst.EPISODES, None, 77, 0)[-1]
    assert float(regret) == pytest.approx(row["worst"], rel=0.05)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_search_finds_more_than_a_draw(seed: int) -> None:
    """A small budget, few episodes: what is returned was measured with other coins and is worse
    than drawn MDPs are on average."""
    budget = worst.SearchBudget(draws=6, population=8, generations=1, finalists=2, replicates=2)
    agent, size = worst.PRIVATE["PUCB, no noise"], (2, 2, 1)
    finding = worst.search(agent, size, 2000, seed, budget)
    rng = np.random.default_rng(seed + 10)
    drawn = [
        worst.fresh(worst.decode(rng.random(worst.codes(size)), size), agent, 2000, seed, 1)[0]
        for _ in range(6)
    ]
    assert finding.regret.mean() > np.mean(drawn) and finding.regret.shape == (2,)
