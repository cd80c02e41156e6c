"""Users needed before learning, over the papers and the successors: which rows there are, and what
they agree with."""

import pytest

from privrl.agents import registry
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.environments.lq import lq_scalar
from privrl.horizon import pucb as horizon
from privrl.privacy import noise
from theory.horizon_row import HorizonRow
from theory.horizons import Horizons, horizons, setting
from theory.papers.chowdhury2021 import bounds as bounds_chowdhury2021
from theory.papers.vietri2020.bounds import successors as bounds_successors


def rows(answer: Horizons) -> dict[tuple[str, str, str], HorizonRow]:
    rows_by_key = {(row.agent, row.counter, row.calibration): row for row in answer.rows}
    assert len(rows_by_key) == len(answer.rows)
    return rows_by_key


@pytest.fixture(scope="module")
def tabular() -> Horizons:
    return horizons(
        "vietri2020", setting("vietri2020", epsilon=1e6, delta=1e-3, states=2, horizon=2)
    )


@pytest.fixture(scope="module")
def lq() -> Horizons:
    return horizons("chowdhury2021", setting("chowdhury2021", epsilon=10.0, states=1))


@pytest.mark.parametrize("paper", noise.PAPERS)
def test_sigma_and_horizon_have_one_default_setting(paper: str) -> None:
    default = noise.DEFAULTS[paper]
    for name, value in setting(paper).items():
        assert value == (
            0.1 if name == "beta" else getattr(default, {"dim": "dimension"}.get(name, name))
        )


@pytest.mark.slow
def test_the_successors_come_after_the_paper(tabular: Horizons) -> None:
    agents = [row.agent for row in tabular.rows]
    assert list(dict.fromkeys(agents)) == [
        "pucb",
        "ucbvi",
        "ldp-ucbvi",
        "private-ucbvi",
        "dp-ucbvi",
    ]
    assert (tabular.rows[0].counter, tabular.rows[0].calibration) == ("none", "printed")
    assert all(
        row.start is not None and row.below_trivial is not None and row.start < row.below_trivial
        for row in tabular.rows
    )
    assert "this repository's own" in tabular.note
    assert "a count without noise" in tabular.note
    rows_by_key = rows(tabular)
    assert (
        rows_by_key["private-ucbvi", "blt", "tight"].below_trivial
        < rows_by_key["pucb", "blt", "tight"].below_trivial
    )


@pytest.mark.slow
def test_the_quick_search_finds_what_the_slow_one_does(tabular: Horizons) -> None:
    """Up to a thousandth, and the width's jumps; the mutant is the other calibration."""
    rows_by_key = rows(tabular)
    exact = bounds_successors.explicit_horizon(DPUCBVI(1e6, 1e-3, 0.1, "blt", "tight"), 2, 2, 2)
    assert rows_by_key["dp-ucbvi", "blt", "tight"].below_trivial == pytest.approx(exact, rel=3e-3)
    assert rows_by_key["dp-ucbvi", "local", "corrected"].below_trivial != pytest.approx(
        exact, rel=3e-3
    )


@pytest.mark.slow
def test_other_counters_of_the_linear_quadratic_agent(lq: Horizons) -> None:
    rows_by_key = rows(lq)
    assert [(row.counter, row.calibration) for row in lq.rows[:3]] == [
        ("tree", name) for name in ("printed", "corrected", "tight")
    ]
    assert {row.counter for row in lq.rows} == {"tree", "local", "honaker", "smooth", "sqrt", "blt"}
    assert all(
        row.start is not None and row.below_trivial is not None and row.start < row.below_trivial
        for row in lq.rows
    )
    blt, tree = (
        rows_by_key["private-ofu-rl", "blt", "tight"],
        rows_by_key["private-ofu-rl", "tree", "tight"],
    )
    assert blt.start is not None
    assert blt.start < tree.start
    # by the agent of the suite's system: the sizes are all that the calibration reads
    system = lq_scalar()
    problem = bounds_chowdhury2021.SCALAR
    for planned, late in ((blt.start, True), (blt.start - 2, False)):
        calibration = PrivateOFURL(10.0, 1e-6, 0.1, "blt", "tight").calibrate(system, planned)
        regular = bounds_chowdhury2021.LQRegularity(
            calibration.lambda_min, calibration.lambda_max, calibration.nu
        )
        assert (bounds_chowdhury2021.first_episode(problem, 0.1, regular) <= planned) is late


@pytest.mark.slow
def test_other_sizes_of_a_linear_quadratic_system_have_an_answer() -> None:
    answer = horizons("chowdhury2021", setting("chowdhury2021", states=5, actions=2, gamma=2.0))
    assert len(answer.rows) == 13


@pytest.mark.slow
def test_every_row_names_an_agent_of_the_registry(tabular: Horizons, lq: Horizons) -> None:
    for row in (
        *horizons("liao2021", setting("liao2021", dim=2, horizon=2)).rows,
        *tabular.rows,
        *lq.rows,
    ):
        assert registry.kind(row.agent).name == row.agent


def test_the_search_for_a_falling_ratio() -> None:
    for root in (2.5, 17.3, 1234.5, 9.87e6, 3.1e12):
        for power in (0.4, 0.5, 1.0, 1.4):
            for guess in (2, 1 << 10, 1 << 30):
                points: list[int] = []

                def ratio(
                    at: int, root: float = root, power: float = power, points: list[int] = points
                ) -> float:
                    points.append(at)
                    return min((root / at) ** power, 3.0)

                crossing = horizon.below_one(ratio, 1 << 53, guess)
                assert crossing is not None
                assert root < crossing <= root * 1.0011 + 1
                assert len(points) < 40
    assert horizon.below_one(lambda at: 2.0, 10**6) is None
    assert horizon.below_one(lambda at: 0.5, 10**6) == 2
    assert horizon.below_one(lambda at: 10.0 / at, 10) is None
    assert horizon.below_one(lambda at: 10.0 / at, 11) == 11
