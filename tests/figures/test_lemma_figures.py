"""What the lemma and privacy figures say."""

import math

import numpy as np
import pytest

from figures.across import (
    privacy_all,
    privacy_chowdhury2021,
    privacy_liao2021,
    privacy_zhou2022,
)
from figures.kinds import privacy as maps
from figures.lemmas import gaussian_matrix as drawn_norms
from figures.lemmas import gaussian_mechanism as drawn_mechanism
from figures.lemmas import self_normalised as drawn_sums
from privrl.privacy import accounting, noise
from theory.lemmas import gaussian_mechanism
from theory.papers.chowdhury2021.privacy import thresholds as chowdhury2021_thresholds
from theory.papers.liao2021 import privacy as liao2021
from theory.papers.zhou2022.privacy import thresholds as zhou2022_thresholds

GAUSSIAN = (privacy_chowdhury2021, privacy_liao2021, privacy_zhou2022)


def test_the_interval_of_a_quantile_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = [
        low <= 0.95 <= high
        for _, low, high in (drawn_norms.order_interval(rng.random(400), 0.05) for _ in range(400))
    ]
    assert 0.92 <= np.mean(hits) <= 0.99


@pytest.mark.slow
def test_the_classical_noise_suffices_up_to_its_first_failure() -> None:
    tables = drawn_mechanism.tables()
    assert (tables["failure"]["epsilon"] > drawn_mechanism.CERTIFIED).all()
    for row in tables["failure"].iloc[::7].itertuples():
        for factor, private in ((0.999, True), (1.001, False)):
            epsilon = row.epsilon * factor
            mu = epsilon / math.sqrt(2 * math.log(1.25 / row.delta))
            assert (accounting.gaussian_delta(epsilon, mu) <= row.delta) is private
    shape = liao2021.classical_shape(1.25)
    assert gaussian_mechanism.certify_shape(shape, drawn_mechanism.CERTIFIED)
    noise_table = tables["noise"]
    assert (noise_table["least"] < noise_table["printed"]).all()
    small = noise_table[noise_table["epsilon"] <= 1]
    assert (small["least"] >= small["exact"]).all()


@pytest.mark.slow
def test_the_self_normalised_bound_holds_and_the_potential_has_room() -> None:
    tables = drawn_sums.tables()
    violation, potential = tables["violation"], tables["potential"]
    assert (violation["exact"] <= violation["alpha"]).all() and (
        violation["high"] <= violation["alpha"]
    ).all()
    assert (
        (potential["sum"] < potential["least"]) & (potential["least"] < potential["printed"])
    ).all()
    assert (potential["sum"] > potential["printed"] / 4).all()


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 7.0, 400.0])
@pytest.mark.parametrize("delta", [1e-15, 1e-6, 0.2])
def test_the_grids_agree_with_the_accountant(epsilon: float, delta: float) -> None:
    """Two bisections against two root finders, and never on the unsafe side."""
    mu = float(maps.smallest_mu(epsilon, delta))
    assert mu == pytest.approx(accounting.gaussian_mu(epsilon, delta), rel=1e-9)
    assert accounting.gaussian_delta(epsilon, mu) <= delta
    back = float(maps.real_epsilon(delta, mu))
    assert back == pytest.approx(epsilon, rel=1e-6) and accounting.gaussian_delta(back, mu) <= delta
    assert float(maps.real_epsilon(delta, 1e-20)) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("module", GAUSSIAN)
def test_a_map_says_the_same_in_noise_and_in_epsilon(module: object) -> None:
    table = maps.map_table(module.panels(), [0.02, 3.0, 500.0])
    assert ((table["factor"] > 1) == (table["real"] > 1)).all()
    assert (table["factor"] > 1).any() and (table["factor"] < 1).any()


@pytest.mark.parametrize(
    ("module", "thresholds", "at"),
    [
        (privacy_chowdhury2021, chowdhury2021_thresholds, 0.5),
        (privacy_zhou2022, zhou2022_thresholds, 10),
    ],
)
def test_the_boundary_is_the_ledgers_threshold(
    module: object, thresholds: object, at: float
) -> None:
    for delta, replaced, out in thresholds((1e-12, 1e-6, 0.2), at):
        for panel, edge in (("joint, replaced", replaced), ("joint, taken out", out)):
            mu = module.panels()[panel].mu
            for factor, private in ((0.999, True), (1.001, False)):
                size = float(mu(np.array(edge * factor), np.array(delta)))
                assert (accounting.gaussian_delta(edge * factor, size) <= delta) is private


def test_the_maps_are_privrl_sigma() -> None:
    """The same mu as the command line's, but for chowdhury2021's upper bound, which is within one
    percent."""
    cases = (
        ("chowdhury2021", privacy_chowdhury2021, "joint, replaced", {"gamma": 0.5}, 1e-2),
        ("liao2021", privacy_liao2021, "message, two users", {"horizon": 12}, 1e-9),
        ("zhou2022", privacy_zhou2022, "joint, replaced", {"horizon": 10}, 1e-9),
    )
    for paper, module, panel, overrides, tolerance in cases:
        setting = noise.setting(paper, epsilon=2.0, delta=1e-6, **overrides)
        mu = float(module.panels()[panel].mu(np.array(2.0), np.array(1e-6)))
        factor = mu / accounting.gaussian_mu(2.0, 1e-6)
        assert factor == pytest.approx(noise.noise(paper, setting).factor, rel=tolerance)


@pytest.mark.slow
def test_the_figure_of_all_four_has_what_each_paper_buys() -> None:
    table = privacy_all.tables()["bought"].set_index(["paper", "adjacency"]).sort_index()
    pure = table.loc[("vietri2020", "replace")]
    np.testing.assert_allclose(pure["real"], 2 * 20 / math.log(10**6), rtol=1e-9)
    np.testing.assert_allclose(pure["factor"], pure["real"], rtol=1e-9)
    for paper in privacy_all.GIVEN:
        replaced, out = (table.loc[(paper, adjacency)] for adjacency in ("replace", "add-remove"))
        assert (out["factor"].to_numpy() < replaced["factor"].to_numpy()).all()
        if paper != "vietri2020":
            assert ((replaced["factor"] > 1) == (replaced["real"] > 1)).all()
    assert (
        table.loc[(privacy_all.ONE_HOT, "replace"), "factor"].to_numpy()
        > 3 * table.loc[("liao2021", "replace"), "factor"].to_numpy()
    ).all()
