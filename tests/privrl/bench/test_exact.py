"""The measurement of exact noise runs, for the laws of which ``privrl advise`` gives the time."""

import pytest

from privrl.bench import exact
from privrl.cli.advise import DRAW


@pytest.mark.slow
def test_both_laws_are_measured() -> None:
    rows = exact.measure(quick=True)
    assert [row["law"] for row in rows] == [law for law in DRAW for _ in exact.SCALES]
    assert all(row["exact / floating point"] > 10 for row in rows)
    assert all(row["microseconds a draw"] > 0 for row in rows)
