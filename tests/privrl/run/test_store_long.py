"""What an engine costs beside the replicates, and how long a listing takes: long, so run by name
(``pytest -m long``).

Both are ratios, or processor time, within one run.
"""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from privrl.run import inventory, simulate, store, sweep
from privrl.run.engines import Engine
from privrl.run.store import Store
from privrl.run.sweep import RunPlan
from tests.privrl.run.kills import Timed

ID = "vietri2020/riverswim-3"
PLAN = RunPlan(
    ID, "ubev", episodes=10**7, stop_after=25 * 10**5, replicates=40
)  # about a second each
WORKERS = 2
MOST = 0.05


@pytest.mark.long
@pytest.mark.parametrize("kind", ["loky", "dask"])
def test_an_engine_costs_less_than_a_twentieth_of_replicates_of_a_second(
    tmp_path: Path, kind: str
) -> None:
    """Between a worker's first replicate and its last: what is not simulated, over what is.
    Hand-over, settings, file.

    By processor time, that of this process included; and by the clock, where the workers had the
    cores to themselves. The start of the workers comes once, and is held against 100 replicates of
    each.
    """
    (tmp_path / "log").mkdir()
    work = Timed(tmp_path / "log")
    begun, spent = time.monotonic(), time.process_time()
    sweep.fill([PLAN], tmp_path / "runs", Engine(kind, WORKERS), work=work)
    spent = time.process_time() - spent
    workers = work.spans()
    assert len(workers) == WORKERS and sum(len(spans) for spans in workers) == PLAN.replicates
    busy = sum((spans[:, 2:] - spans[:, :2]).sum(axis=0) for spans in workers)
    between = sum((spans[1:, :2] - spans[:-1, 2:]).sum(axis=0) for spans in workers)
    start = np.max([spans[0, :2] for spans in workers], axis=0)
    clock, processor = between / busy
    processor += spent / busy[1]
    first = np.array([start[0] - begun, start[1]]) / busy * PLAN.replicates
    shared = busy[0] / busy[1]
    print(
        f"{kind}: between replicates {processor:.2%} of their processor time and {clock:.2%} of "
        f"their time (which is {shared:.2f} times the former); start as long as {first[1]:.1f} "
        f"and {first[0]:.1f} replicates"
    )
    assert processor < MOST
    assert processor + first[1] / 100 < MOST
    assert clock + first[0] / 100 < MOST or shared > 1.1


@pytest.mark.long
def test_ten_thousand_replicates_are_listed_in_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processor time; and at most a few times that of reading the same files and parsing them."""
    storage, settings = Store(tmp_path), PLAN.settings(0)
    # of a whole run
    regret = np.random.default_rng(0).random(simulate.checkpoints(PLAN.planned).size)
    monkeypatch.setattr(store.os, "fsync", lambda handle: None)
    for index in range(10_000):
        storage.save({**settings, "seed": index // 100, "replicate": index % 100}, regret)
    listed, parsed = [], []
    for _ in range(3):
        start = time.process_time()
        listing = inventory.take(tmp_path)
        listed.append(time.process_time() - start)
        start = time.process_time()
        for path in sorted(tmp_path.glob("*.json")):
            json.loads(path.read_text("utf-8"))
        parsed.append(time.process_time() - start)
    assert listing.total == 10_000 and [row["replicates"] for row in listing.rows] == [10_000]
    print(
        f"listed in {min(listed):.2f} s, {min(listed) / min(parsed):.2f} times reading and "
        f"parsing alone"
    )
    assert min(listed) < 2
