"""The compiled step of the tree's tail against its plain form."""

import numpy as np
import pytest

from privrl.privacy import laplace_walk as _laplace_walk
from privrl.privacy.laplace_walk import union_after


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize(("cells", "x"), [(1, 0.5), (2, 3.0), (1000, 40.0)])
def test_both_forms_agree_to_the_last_bit(
    cells: int, x: float, upper: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(cells)
    first, values, outside = (np.sort(rng.uniform(0, top, cells + 1)) for top in (1.0, 1e-9, 0.5))
    width = x / cells

    def step(previous: np.ndarray) -> np.ndarray:
        return union_after(
            first,
            previous,
            outside,
            np.exp(-np.arange(cells + 1) * width),
            weight=-np.expm1(-width),
            shrink=float(np.exp(-width)),
            upper=upper,
            factor=1 + 1e-12,
        )

    compiled, nudged = step(values), step(values * (1 + 1e-6))
    monkeypatch.setattr(_laplace_walk.config, "DISABLE_JIT", 1)
    assert (compiled == step(values)).all()
    assert (nudged >= compiled).all() and (nudged > compiled).any()
