"""Noise that users share: the right one is not refuted, and every planted fault is."""

import numpy as np
import pytest

from privrl.privacy import secure_sums, shares
from privrl.privacy.audit import counters, events, shared
from privrl.privacy.counters import secure
from tests.contracts import refused

RELEASES, DELTA, SURE = 128, 1e-6, 1e-9
PAIR = counters.AttackedPair("tree", "gaussian", np.array([1.0]), RELEASES)


def attacked(fault: str | None) -> events.Attack:
    def noise(width: int, releases: int, rng: np.random.Generator) -> counters.Stream:
        return shared.seen(fault, width, releases, rng)

    return counters.attack(
        PAIR, np.random.default_rng(5), trials=20_000, delta=DELTA, alpha=SURE, noise=noise
    )


@pytest.mark.slow
def test_what_is_counted_on_is_the_noise_of_a_tree() -> None:
    attack = attacked(None)
    assert not attack.refuted and attack.lower >= 0.85 * attack.exact


@pytest.mark.slow
@pytest.mark.parametrize("fault", shared.SHARED_FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    assert attacked(fault).refuted


def test_a_fault_is_one_of_those() -> None:
    assert refused(lambda: shared.seen("none", 1, 4, np.random.default_rng(0))).startswith(
        "fault must be one of no-shares, all-counted-on"
    )


class Protocol:
    """Devices and secure sums as a stream of noise of unit scale; ``fault`` plants one in them."""

    def __init__(self, width: int, releases: int, fault: str | None = None) -> None:
        self.plan = shares.SharedPlan(width, releases, 100.0, 0.001, 1.0, DELTA)
        self.fault = fault

    def block(self, rows: int) -> np.ndarray:
        sharing, nothing, released = self.plan.sharing, np.zeros(self.plan.width), []
        sums, tree = secure_sums.SecureSums(sharing), secure_sums.SharedTree(sharing)
        for user in range(1, rows + 1):
            message = secure_sums.SharedDevice(sharing, user).message(nothing)
            if self.fault is not None:
                message = {height: part // 4 for height, part in message.items()}
            released.append(tree.take(sums.turn(user, message)) / self.plan.scale)
        return np.array(released)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [None, "quarter"])
def test_exact_shares_are_attacked_themselves(fault: str | None) -> None:
    # all are there and honest: in nodes of one and two users the attacker is not told more
    pair = counters.AttackedPair("tree", "gaussian", np.array([1.0]), 1)
    attack = counters.attack(
        pair,
        np.random.default_rng(6),
        trials=2000,
        delta=DELTA,
        alpha=SURE,
        noise=lambda width, releases, rng: Protocol(width, releases, fault),
    )
    assert secure.rungs(1, 1)[0].shares == 1
    assert attack.refuted == (fault is not None)
