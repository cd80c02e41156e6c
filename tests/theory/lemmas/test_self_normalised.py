"""Self-normalised bounds, determinants and potentials: identities, exact adversaries, adversarial sequences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.lemmas import self_normalised as sn
from theory.rigor.sampling import clopper_pearson, power_at_most


def test_identities() -> None:
    assert sn.mixture_identity(1) == 0 == sn.mixture_identity(2)
    assert sn.rank_one_identity(2) == 0 == sn.rank_one_identity(3)
    assert sn.determinant_step()
    assert sn.minimum_step("2")
    assert sn.minimum_step("1.4427")
    assert not sn.minimum_step("1.4426")


@pytest.mark.parametrize("alpha", [0.5, 0.2, 0.05])
def test_no_adversary_beats_the_bound(alpha: float) -> None:
    """Exact over all adaptive choices; with more choices the adversary only gains."""
    few, many = (sn.crossing_probability(14, sizes, 1, alpha) for sizes in ((1,), (1, 2, 3)))
    assert few <= many <= alpha


def test_a_bound_without_the_determinant_is_beaten() -> None:
    """S_t^2 <= V_t 2 ln(1/alpha) for all t fails in the long run: the determinant pays for the union over time."""
    rng = np.random.default_rng(2)
    sums = rng.choice([-1.0, 1.0], size=(2000, 600)).cumsum(axis=1)
    weights = 1 + np.arange(1, 601)
    level = 2 * math.log(1 / 0.2)
    crossed = int((sums**2 / weights > level).any(axis=1).sum())
    kept = int((sums**2 / weights > level + np.log(weights)).any(axis=1).sum())
    assert clopper_pearson(crossed, 2000)[0] > 0.2
    assert clopper_pearson(kept, 2000)[0] <= 0.2


def test_matrix_coverage_and_the_missing_columns() -> None:
    traces, logs = sn.sample_paths(50, 3, 3, 1.0, 1500, np.random.default_rng(11))
    violated = int((sn.ratio_to_radius(traces, logs, 0.2, 3) > 1).sum())
    assert clopper_pearson(violated, 1500)[0] <= 0.2
    assert power_at_most(1500, 0.2, 0.3) > 0.9
    forgotten = int((sn.ratio_to_radius(traces, logs, 0.2, 0) > 1).sum())
    assert clopper_pearson(forgotten, 1500)[0] > 0.2


vectors = st.lists(st.lists(st.floats(-3, 3), min_size=2, max_size=2), min_size=1, max_size=25)


@given(vectors, st.floats(0.05, 20))
def test_potential(rows: list[list[float]], regulariser: float) -> None:
    result = sn.potential(rows, regulariser)
    assert result.clipped <= result.log_ratio / math.log(2) + 1e-9
    norm = max(math.hypot(*row) for row in rows)
    assert result.log_ratio <= sn.log_determinant_bound(2, len(rows), norm, regulariser) + 1e-9
    if regulariser >= norm**2:
        assert result.plain <= result.log_ratio / math.log(2) + 1e-9


def test_preconditions_are_needed() -> None:
    large = sn.potential([[3.0, 0.0]], 0.01)
    assert large.clipped <= 2 * large.log_ratio < large.plain
    batch = sn.batch_potential([[[1.0]] * 8] * 2, 1.0)
    assert 2 * batch.log_ratio < batch.clipped <= 8 * 2 * batch.log_ratio
    alone = sn.batch_potential([[[1.0]], [[1.0]]], 0.05)
    assert alone == sn.potential([[1.0], [1.0]], 0.05)


@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_batches_cost_at_most_their_length(dimension: int, episodes: int, horizon: int, seed: int) -> None:
    blocks = np.random.default_rng(seed).standard_normal((episodes, horizon, dimension)) * 2
    result = sn.batch_potential(blocks.tolist(), 0.3)
    assert result.clipped <= horizon * result.log_ratio / math.log(2) + 1e-9
