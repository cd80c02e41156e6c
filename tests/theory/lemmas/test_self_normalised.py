"""Self-normalised bounds, determinants and potentials on adversarial sequences."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from theory.lemmas import self_normalised as sn
from theory.rigor.sampling import clopper_pearson, power_at_most


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
