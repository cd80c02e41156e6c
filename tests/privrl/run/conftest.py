"""What the tests of sweeps share."""

from typing import Any

import numpy as np
import pytest

from privrl.run import simulate


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Indices of the replicates that are really computed."""
    calls: list[int] = []
    original = simulate.replicate

    def replicate(*args: Any, **more: Any) -> np.ndarray:
        calls.append(args[5])
        return original(*args, **more)

    monkeypatch.setattr(simulate, "replicate", replicate)
    return calls
