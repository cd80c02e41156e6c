"""The bounds beside a reader's own run are for its size, budget and counter."""

from math import inf

import pytest

from figures import entry_bounds
from figures.entry_bounds import ANY, PRIVATE
from privrl import LDPUCRLVTR, PUCB, PrivateOFURL, suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.types import Calibration
from theory.papers.chowdhury2021 import bounds as chowdhury2021
from theory.papers.liao2021 import bounds as liao2021
from theory.papers.vietri2020.bounds import stated

MIXTURE, HARD = "liao2021/mixture-2", "liao2021/hard-5-6"
K = 10**5


@pytest.mark.parametrize("entry", [name for name in suite.ids() if name.startswith("liao2021/")])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.1), (10.0, 1e-6)])
def test_the_lower_bound_of_a_mixture_has_the_size_and_the_budget_of_the_run(
    entry: str, epsilon: float, delta: float
) -> None:
    environment = suite.environment(entry)
    assert isinstance(environment, LinearMixtureMDP)
    size = (environment.norms().dimension_p, environment.horizon)
    drawn = entry_bounds.of_liao2021(entry, LDPUCRLVTR(epsilon, delta, calibration="tight"))
    assert (PRIVATE in drawn) == (size[1] >= 3)
    if PRIVATE in drawn:
        value = drawn[PRIVATE](K)
        assert value == liao2021.lower_mixture(*size, K, epsilon, delta)
        others = [
            liao2021.lower_mixture(size[0] + 1, size[1], K, epsilon, delta),
            liao2021.lower_mixture(size[0], size[1] + 1, K, epsilon, delta),
            liao2021.lower_mixture(*size, K, epsilon / 10, delta),
            liao2021.lower_mixture(*size, K, epsilon, delta * 5),
            liao2021.lower_mixture(*size, K, epsilon),
        ]
        assert value not in others[:2] and (delta < 0.1 or epsilon > 1 or value not in others)


def test_no_lower_bound_is_drawn_where_none_is_proved() -> None:
    assert suite.tabular(MIXTURE).horizon == 2
    for calibration in ("printed", "corrected", "tight"):
        agent = LDPUCRLVTR(1.0, 0.1, calibration=calibration)
        drawn = entry_bounds.of_liao2021(MIXTURE, agent)
        assert PRIVATE not in drawn and ANY not in drawn
        assert ("upper bound, proved" in drawn) == (calibration != "printed")
    server = LDPUCRLVTR(1.0, 0.1, counter="blt", calibration="tight")
    drawn = entry_bounds.of_liao2021(HARD, server)
    assert PRIVATE not in drawn and drawn[ANY](K) == liao2021.lower_mixture(5, 6, K, inf)
    trusted, local = (
        entry_bounds.of_liao2021(MIXTURE, agent)["upper bound, proved"](10**7)
        for agent in (server, LDPUCRLVTR(1.0, 0.1, calibration="tight"))
    )
    assert trusted < local / 2


@pytest.mark.parametrize("calibration", ["printed", "corrected", "tight"])
def test_the_upper_bound_over_a_tree_is_that_of_the_paper(
    calibration: Calibration,
) -> None:
    agent = PrivateOFURL(10.0, 1e-6, 0.1, "tree", calibration)
    for entry in ("chowdhury2021/scalar", "chowdhury2021/lq-2-1"):
        system = suite.environment(entry)
        assert isinstance(system, LQSystem)
        problem = entry_bounds.problem_of(system)
        drawn = entry_bounds.of_chowdhury2021(entry, agent)
        names: dict[chowdhury2021.RadiusForm, str] = {
            "printed": "printed lines",
            "proved": "proved",
        }
        for form, name in names.items():
            paper = chowdhury2021.regret_bound(problem, K, 0.1, 10.0, 1e-6, calibration, form)
            assert drawn[f"upper bound, {name}"](K) == pytest.approx(paper, rel=1e-12)
        assert ("lower bound, worst b, smooth noise" in drawn) == (entry.endswith("scalar"))


def test_another_counter_has_an_upper_bound_of_its_own() -> None:
    proved = {
        counter: entry_bounds.of_chowdhury2021(
            "chowdhury2021/scalar", PrivateOFURL(10.0, 1e-6, 0.1, counter, "tight")
        )["upper bound, proved"](K)
        for counter in ("tree", "blt", "local")
    }
    assert proved["blt"] < 0.9 * proved["tree"] < proved["tree"] < 0.9 * proved["local"]


def test_privacy_raises_the_lower_bound_of_agents_with_private_policies_alone() -> None:
    entry = "vietri2020/riverswim-3-relabelled"
    tight = entry_bounds.of_vietri2020(entry, PUCB(0.01, calibration="tight"))
    assert ANY not in tight and tight[PRIVATE](K) == stated.lower_regret(3, 2, 3, K, 0.01)
    plain = stated.lower_regret(3, 2, 3, K, inf)
    assert tight[PRIVATE](K) > plain
    for agent in (PUCB(0.01), PUCB(0.01, 1e-6, counter="blt", calibration="tight")):
        drawn = entry_bounds.of_vietri2020(entry, agent)
        assert PRIVATE not in drawn and drawn[ANY](K) == plain
    hard = entry_bounds.of_vietri2020("vietri2020/hard-2-2", PUCB(1.0))
    assert suite.tabular("vietri2020/hard-2-2").states >= 3 or not {ANY, PRIVATE} & set(hard)
    small = entry_bounds.of_vietri2020("vietri2020/riverswim-2-relabelled", PUCB(1.0))
    assert not {ANY, PRIVATE} & set(small)
