"""Messages behind a shuffler: the right ones are not refuted, and every planted fault is."""

import numpy as np
import pytest

from privrl.privacy.audit import shuffled
from tests.contracts import refused

EPSILON, DELTA, BATCH = 1.0, 1e-6, 10**6


def attacked(fault: str | None) -> float:
    return shuffled.attack(fault, EPSILON, DELTA, BATCH, np.random.default_rng(5))


def test_messages_as_they_should_be_are_not_refuted() -> None:
    assert attacked(None) <= EPSILON


@pytest.mark.parametrize("fault", shuffled.SHUFFLED_FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    assert attacked(fault) > EPSILON


@pytest.mark.parametrize("moved", [0.0, 3.0])
def test_statistics_have_the_law_of_a_batch_that_is_drawn(moved: float) -> None:
    """Their means against those of whole batches."""
    batch, trials, rng = 8, 40_000, np.random.default_rng(7)
    drawn = rng.standard_normal((trials, batch))
    drawn[:, 0] += moved
    drawn = rng.permuted(drawn, axis=1)
    whole = np.array([drawn.sum(axis=1), drawn.max(axis=1), drawn[:, 0]])
    seen = shuffled._seen(None, moved, batch, trials, rng)
    error = 6 * np.sqrt((whole.var(axis=1) + seen.var(axis=1)) / trials)
    assert (np.abs(whole.mean(axis=1) - seen.mean(axis=1)) < error).all()


def test_a_fault_is_one_of_those() -> None:
    message = refused(lambda: attacked("none"))
    assert message.startswith("fault must be one of in-order, alone, little-noise")
