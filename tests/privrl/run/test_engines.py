"""Engines and what survives: workers and clients that are killed, disks that fill, sweeps that
share a store.

Whatever happens, the table in the end is that of an undisturbed sweep to the bit, and what was
stored is not computed again. No test waits for a clock: a process is killed at a named step of its
work.
"""

import dataclasses
import errno
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import dask
import distributed  # noqa: F401 (imported later, inside a set, its settings leave with the set)
import numpy as np
import pytest

from privrl import extras
from privrl.run import engines, store, sweep
from privrl.run.engines import Engine, Failure
from privrl.run.store import Store
from privrl.run.sweep import RunPlan
from tests.contracts import refused
from tests.privrl.run.kills import A_HANG, Trouble, die, in_a_child

ID = "vietri2020/riverswim-3"
PLANS = (
    RunPlan(ID, epsilon=1e6, episodes=300, replicates=5, seed=4),
    RunPlan(ID, "ubev", episodes=300, replicates=3),
)
TOTAL = 8


def table(folder: Path) -> bytes:
    """The bytes of the sweep's table and provenance, from a store that has everything."""
    runs = sweep.run_all(PLANS, folder, warn=pytest.fail, work=pytest.fail)  # type: ignore[arg-type]
    sweep.write(runs, folder / "table" / "made.csv", PLANS)
    return b"".join((folder / "table" / f"made.{kind}").read_bytes() for kind in ("csv", "json"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed")
    sweep.run_all(PLANS, folder)
    return table(folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [None, "loky", "dask"])
def test_what_kills_its_workers_is_named_and_the_others_finish(
    tmp_path: Path, undisturbed: bytes, kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replicate 1 kills every worker, 2 its first one (under loky), 3 raises; without workers only
    the last."""
    monkeypatch.setattr(engines, "DEATHS", 2)
    (tmp_path / "log").mkdir()
    trouble = Trouble(tmp_path / "log", 1 if kind else -1, 2 if kind == "loky" else -1, 3)
    messages: list[str] = []
    reports: list[tuple[int, int]] = []
    engine, quick = (
        Engine(kind, 2 if kind == "loky" else 1),
        {"distributed.scheduler.allowed-failures": 0},
    )
    with dask.config.set(quick), pytest.raises(sweep.UnfinishedError) as caught:
        sweep.fill(
            PLANS[:1],
            tmp_path / "runs",
            engine,
            work=trouble,
            warn=messages.append,
            finished=lambda done, total: reports.append((done, total)),
        )
    name = f"{ID} pucb counter=tree calibration=printed epsilon=1e+06 planned=300 seed=4 replicate="
    faults = {f"{name}3 RuntimeError: an odd fault"} | (
        {f"{name}1 keeps killing its worker"} if kind else set()
    )
    assert (
        {f"{who} {failure.reason}" for who, failure in caught.value.failed}
        == faults
        == set(messages)
    )
    assert f"{len(faults)} of 5 replicates failed, the others are stored: {name}" in str(
        caught.value
    )
    fine = [index for index in range(5) if index != 3 and not (kind and index == 1)]
    assert trouble.seen() == fine  # each once, the one whose worker died included
    assert reports == [(done, 5) for done in range(1, len(fine) + 1)]
    again = Trouble(tmp_path / "log", odd=99)
    sweep.fill(PLANS, tmp_path / "runs", work=again)
    assert trouble.seen() == sorted([*range(5), *range(3)])
    assert table(tmp_path / "runs") == undisturbed


def test_shards_together_are_the_sweep(tmp_path: Path, undisturbed: bytes) -> None:
    parts = [sweep.fill(PLANS, tmp_path, shard=(number, 3)) for number in (3, 1, 2)]
    assert [len(keys) for keys in parts] == [2, 3, 3]
    assert len({key for keys in parts for key in keys}) == TOTAL
    assert table(tmp_path) == undisturbed


def test_a_worker_that_does_not_share_the_folder_hands_its_replicate_over(
    tmp_path: Path, undisturbed: bytes
) -> None:
    def elsewhere(job: sweep.Job) -> np.ndarray:
        return sweep.compute(dataclasses.replace(job, folder=str(tmp_path / "not here")))

    sweep.fill(PLANS, tmp_path / "runs", work=elsewhere)
    assert not (tmp_path / "not here").exists()
    assert table(tmp_path / "runs") == undisturbed


def test_plans_that_overlap_share_their_replicates(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    more = dataclasses.replace(PLANS[0], replicates=7)
    short, long = sweep.run_all(
        [PLANS[0], more], tmp_path, finished=lambda done, total: reports.append((done, total))
    )
    assert reports[-1] == (7, 7) and len(reports) == 7
    assert long.regret[:5].tobytes() == short.regret.tobytes()


def test_a_replicate_that_another_sweep_has_stored_meanwhile_is_taken(
    tmp_path: Path, computed: list[int], undisturbed: bytes
) -> None:
    """A second sweep over the same store runs to its end just as the first begins."""

    def after_the_other(job: sweep.Job) -> np.ndarray:
        sweep.fill(PLANS, tmp_path)
        return sweep.compute(job)

    sweep.fill(PLANS, tmp_path, work=after_the_other)
    assert len(computed) == TOTAL
    assert table(tmp_path) == undisturbed


def test_a_worker_with_other_code_is_refused(tmp_path: Path) -> None:
    job = sweep.Job(PLANS[0], 0, "0" * 24, str(tmp_path))
    assert refused(lambda: sweep.compute(job)).startswith(
        "every worker must run the code and versions with which the"
    )
    assert not list(tmp_path.iterdir())


STEPS = ("before", "written", "renamed")  # of the writing of a replicate


def killed_at(step: str, number: int, folder: Path) -> int:
    """Run the sweep in a child that is killed at a step of its ``number``-th write; the signal that
    ended it."""

    def child() -> None:
        remaining = [number]
        sync, replace = os.fsync, Path.replace

        def write(handle: int) -> None:
            if remaining[0] == 0 and step == "before":
                os.ftruncate(handle, 10)
                die()
            sync(handle)

        def rename(path: Path, target: Path) -> Path:
            remaining[0] -= 1
            if remaining[0] < 0 and step == "written":
                die()
            renamed_path = replace(path, target)
            if remaining[0] < 0 and step == "renamed":
                die()
            return renamed_path

        store.os.fsync, Path.replace = write, rename  # type: ignore[assignment,method-assign]  # in the child alone
        sweep.fill(PLANS, folder)

    return in_a_child(child)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_sweep_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    tmp_path: Path, undisturbed: bytes, seed: int
) -> None:
    draw, stored_count = random.Random(seed), 0
    for _ in range(20):
        step, number = draw.choice(STEPS), draw.randrange(2)
        ended = killed_at(step, number, tmp_path)
        file_count = len(list(tmp_path.glob("*.json")))
        # nothing is lost
        assert file_count == min(TOTAL, stored_count + number + (step == "renamed"))
        assert ended == (0 if stored_count + number >= TOTAL else signal.SIGKILL)
        assert not [row for row in Store(tmp_path).listing() if row.settings is None]
        stored_count = file_count
    sweep.fill(PLANS, tmp_path)
    assert table(tmp_path) == undisturbed


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_and_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: bytes, number: int
) -> None:
    sync, room = os.fsync, [3 * 2]  # three replicates, the file and its folder each

    def full(handle: int) -> None:
        room[0] -= 1
        if room[0] < 0:
            raise OSError(number, os.strerror(number))
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(store.os, "fsync", full)
        with pytest.raises(
            OSError, match="the disk is full; what was finished is kept, make room and start"
        ) as caught:
            sweep.fill(PLANS, tmp_path)
    assert caught.value.errno == number and caught.value.filename == str(tmp_path)
    assert len(list(tmp_path.iterdir())) == 3  # and no half-written file
    sweep.fill(PLANS, tmp_path, warn=pytest.fail)
    assert table(tmp_path) == undisturbed


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO])
@pytest.mark.parametrize("early", [True, False])
def test_a_store_that_cannot_be_written_stops_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, early: bool
) -> None:
    """Before the first replicate, or after it where the folder was still writable at the start."""

    def forbidden(*args: Any, **kwargs: Any) -> None:
        raise OSError(number, os.strerror(number))

    tried: list[int] = []

    def work(job: sweep.Job) -> np.ndarray:
        tried.append(job.index)
        return sweep.compute(job)

    if early:
        monkeypatch.setattr(store.tempfile, "TemporaryFile", forbidden)
    else:
        monkeypatch.setattr(store.os, "fsync", forbidden)
    with pytest.raises(
        store.UnwritableError, match=r"the folder must be writable .*; what was finished is kept"
    ):
        sweep.fill(PLANS, tmp_path, work=work)
    assert tried == ([] if early else [0]) and not list(tmp_path.iterdir())


def test_workers_of_a_client_that_is_killed_end_by_themselves(tmp_path: Path) -> None:
    """The worker says its number and then works for ever; its parent dies, and a pipe that it holds
    is closed."""
    program = (
        "import os, signal, sys\n"
        "from privrl.run.engines import Engine\n"
        "def work(item):\n"
        "    import os, time\n"
        "    os.kill(item, 9)\n"
        "    while True: time.sleep(1)\n"
        "list(Engine('loky', 1).each(work, [os.getpid()]))\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    out, _ = running.communicate(timeout=A_HANG)  # ends only when nobody holds the pipe any more
    assert running.returncode == -signal.SIGKILL, out


def test_requests_that_make_no_sense_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused(lambda: sweep.fill(PLANS, tmp_path, shard=(3, 2))) == (
        "shard must be i/n with 1 <= i <= n, got shard=(3, 2)"
    )
    assert (
        refused(lambda: Engine("loky", 2, "tcp://x:1"))
        == "a scheduler needs the engine dask, got engine='loky'"
    )
    assert refused(lambda: Engine("dask", 2, " ")).startswith("scheduler must be an address")
    assert refused(lambda: sweep.fill(PLANS, tmp_path, "dask")).startswith(  # type: ignore[arg-type]
        "engine must be of type Engine"
    )
    gone = Engine("dask", 1, str(tmp_path / "none.json"))
    assert refused(lambda: list(gone.each(abs, [1]))).startswith(
        "scheduler must be a file that exists"
    )
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        extras.MissingExtraError, match=r"the engine dask needs distributed, .*'dask"
    ):
        Engine("dask")


@pytest.mark.slow
def test_refusals_and_interrupts_end_a_sweep_at_once() -> None:
    def refuse(item: int) -> int:
        raise ValueError("an item must be odd")

    yielded = []
    for kind in (None, "loky"):
        with pytest.raises(ValueError, match="an item must be odd"):
            yielded += list(Engine(kind).each(refuse, [2, 4]))
    assert yielded == []
    assert dict(Engine().each(lambda item: 1 // item, [1, 0])) == {
        0: 1,
        1: Failure("ZeroDivisionError: integer division or modulo by zero"),
    }
    assert list(Engine("dask", 2).each(abs, [])) == list(Engine("loky", 2).each(abs, [])) == []
