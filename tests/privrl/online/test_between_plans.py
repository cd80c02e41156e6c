"""Between two plans what a user adds is in the file before she is counted, at a cost that does not
grow with the state; and a process that is killed goes on to the same bits."""

import csv
import dataclasses
import hashlib
import os
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import PrivateUCBVI, online
from privrl.bench import sessions
from privrl.online import session as module
from privrl.privacy import journal, snapshot
from privrl.types import Entries

USERS, EVERY = 40, 7
UNKNOWN = online.tabular(states=2, actions=2, horizon=3)
AGENT = PrivateUCBVI(1e3, 1e-6, counter="tree")
MOST_FLOORS = 15  # CPU time of that user, over that of appending and syncing as many bytes
MOST_BYTES = 5_000  # written for a user of S = 50, A = 4, H = 10; half of what is promised


def opened(path: Path | None, **settings: Any) -> online.Session:
    chosen: dict[str, Any] = {"noise": "simulated", "seed": 3, "every": EVERY, "path": path}
    return online.Session(AGENT, UNKNOWN, USERS, **chosen | settings)


def episode(user: int) -> tuple[list[int], list[int], list[float]]:
    rng = np.random.default_rng(user)
    states, actions = rng.integers(2, size=4).tolist(), rng.integers(2, size=3).tolist()
    return states, actions, rng.random(3).tolist()


def bits(session: online.Session) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in session.learner.snapshot().items()}


@pytest.mark.slow
def test_a_plan_writes_all_and_a_user_between_two_plans_what_she_adds(tmp_path: Path) -> None:
    session, sizes, whole = opened(tmp_path / "a"), [], []
    for user in range(3 * EVERY):
        before = (tmp_path / "a").read_bytes()
        session.observe(episode(user))
        after = (tmp_path / "a").read_bytes()
        whole.append(not after.startswith(before))
        sizes.append(len(after) - len(before))
        assert bits(opened(tmp_path / "a")) == bits(session)
    assert whole == [(user + 1) % EVERY == 0 for user in range(3 * EVERY)]
    assert 0 < max(sizes) < 300


def test_cut_off_at_any_byte_it_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    """Every place in the record of a user, between two plans and the last before one."""
    reference = opened(None)
    for user in range(2 * EVERY + 1):
        reference.observe(episode(user))
    for number in (2, EVERY - 1):
        path = tmp_path / f"{number}"
        session = opened(path)
        for user in range(number - 1):
            session.observe(episode(user))
        before = path.read_bytes()
        session.observe(episode(number - 1))
        whole = path.read_bytes()
        assert whole.startswith(before)
        for size in range(len(before), len(whole) + 1):
            path.write_bytes(whole[:size])
            again = opened(path)
            assert again.users == number - (size < len(whole))
            if size not in (len(before) + 1, len(whole) - 1, len(whole)):
                continue
            following = again.users
            for user in range(following - 1, 2 * EVERY + 1):  # the last one comes once more
                assert again.observe(episode(user), user=user) == (user >= following)
            assert bits(again) == bits(reference) and bits(opened(path)) == bits(reference)


def test_a_session_that_does_not_write_loses_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path / "a")
    monkeypatch.setattr(online.Session, "_append", lambda *arguments: None)
    assert session.observe(episode(0)) and opened(tmp_path / "a").users < session.users


def test_what_could_not_be_written_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(tmp_path / "a")
    session.observe(episode(0))
    before = bits(session)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(RuntimeError, match="on the disk before anything is shown"):
            session.observe(episode(1))
    assert session.users == 1 and bits(session) == before
    with pytest.raises(RuntimeError, match="must be opened anew"):
        session.observe(episode(1))
    again = opened(tmp_path / "a")
    assert again.users == 1 and again.observe(episode(1)) and opened(tmp_path / "a").users == 2


def test_of_two_processes_one_is_refused_between_plans_too(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "a"), opened(tmp_path / "a")
    first.observe(episode(0))
    with pytest.raises(RuntimeError, match="another process has gone on"):
        second.observe(episode(0))
    assert opened(tmp_path / "a").users == 1


def test_a_part_of_a_record_goes_with_the_next_user(tmp_path: Path) -> None:
    path = tmp_path / "a"
    opened(path).observe(episode(0))
    path.write_bytes(path.read_bytes() + b"torn")
    session, other = opened(path), opened(path)
    assert session.users == 1 and session.observe(episode(1))
    assert journal.read(path)[1:] == ([], session._mark, False)
    with pytest.raises(RuntimeError, match="another process has gone on"):
        other.observe(episode(1))
    assert session.observe(episode(2)) and len(journal.read(path)[1]) == 1


def test_records_do_not_outgrow_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_JOURNAL", 0)
    session, path = opened(tmp_path / "a", every=USERS - 1), tmp_path / "a"
    whole, sizes = path.stat().st_size, []
    for user in range(USERS - 2):
        session.observe(episode(user))
        sizes.append(path.stat().st_size)
    assert max(sizes) <= 2 * whole + 300 and any(np.diff(sizes) < 0)
    assert bits(opened(path, every=USERS - 1)) == bits(session)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["beyond the plan", "off the grid", "of another width"])
def test_records_that_no_session_wrote_are_refused(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "a"
    settings: dict[str, Any] = {"noise": "exact", "seed": None}
    session = opened(path, **settings)
    session.observe(episode(0))
    assert opened(path, **settings).users == 1 and session._mark is not None
    mark, width = session._mark, session._protection.noisy.size
    row = np.zeros(width + (fault == "of another width"))
    row[-1] = session._protection.grid / 2 if fault == "off the grid" else 1.0
    for _ in range(EVERY if fault == "beyond the plan" else 1):
        mark = journal.append(path, journal.packed(Entries.of(row)), mark)
    with pytest.raises(ValueError, match=r"session's records must|record's places must"):
        opened(path, **settings)


def test_messages_of_devices_are_appended_too(tmp_path: Path) -> None:
    agent = dataclasses.replace(AGENT, counter="local")
    terms = {"noise": "simulated", "seed": 3, "every": EVERY, "path": tmp_path / "a"}
    session = online.Session(agent, UNKNOWN, USERS, **terms)  # type: ignore[arg-type]  # as they stand
    size = (tmp_path / "a").stat().st_size
    for user in range(EVERY - 1):
        session.receive(session.device().message(episode(user)), user=user)
        assert (tmp_path / "a").stat().st_size > size
    again = online.Session(agent, UNKNOWN, USERS, **terms)  # type: ignore[arg-type]  # as they stand
    assert again.users == EVERY - 1 and bits(again) == bits(session)


@pytest.mark.slow
def test_what_a_user_of_a_large_problem_costs(tmp_path: Path) -> None:
    (row,) = [row for row in sessions.measure(quick=True) if row["states"] == 50]
    assert row["bytes a user"] > 0 and row["users to a plan"] == 1000
    # a plan writes all, for the thousand users that it counts
    share = row["bytes a plan"] / row["users to a plan"]
    assert row["bytes a user"] + share < MOST_BYTES < 10_000
    assert row["CPU ms a user"] > 0 and 1 < row["CPU / floor"] < MOST_FLOORS
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    (cost, state) = re.findall(
        r"synced, (\d+) bytes at .*? where the state is (\d+) MB", page, re.DOTALL
    )[0]
    assert int(cost) == pytest.approx(row["bytes a user"], rel=0.02)
    # the page has the numbers of the committed table
    with (resources.files("figures") / "data" / "runs" / "bench_sessions.csv").open() as lines:
        (committed,) = [line for line in csv.DictReader(lines) if line["states"] == "50"]
    cpu, floors, clock = re.findall(
        r"takes (\S+)\s+milliseconds of CPU, (\S+) times .*? and (\S+) milliseconds of time",
        page,
        re.DOTALL,
    )[0]
    for number, column in ((cpu, "CPU ms a user"), (floors, "CPU / floor"), (clock, "ms a user")):
        assert number == f"{float(committed[column]):.2g}"
    assert str(cost) == f"{float(committed['bytes a user']):.3g}"
    known = online.tabular(states=50, actions=4, horizon=10)
    agent = PrivateUCBVI(2.0, 1e-6, counter="tree")
    exactly = online.Session(agent, known, 10**6, every=10_000, path=tmp_path / "a")
    assert round(exactly.written / 1e6) == int(state)


@pytest.mark.slow
def test_the_measure_sees_a_session_that_writes_all_of_its_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(online.Session, "_long", lambda self: self._mark is not None)
    (row,) = [row for row in sessions.measure(quick=True) if row["states"] == 50]
    assert row["bytes a user"] > 10_000


def test_the_measure_sees_a_session_that_reads_all_of_its_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turn = online.Session._turn

    def read(session: online.Session, *arguments: Any) -> bool:
        for _ in range(5):
            for array in session.learner.snapshot().values():
                hashlib.sha256(array.tobytes())
        return turn(session, *arguments)

    monkeypatch.setattr(online.Session, "_turn", read)
    (row,) = [row for row in sessions.measure(quick=True) if row["states"] == 50]
    assert row["bytes a user"] < MOST_BYTES and row["CPU / floor"] > MOST_FLOORS


def test_the_mark_of_a_file_is_its_whole_state(tmp_path: Path) -> None:
    session = opened(tmp_path / "a")
    marks = [session._mark]
    for user in range(EVERY + 1):
        session.observe(episode(user))
        marks.append(session._mark)
        assert session._mark == snapshot.mark_of((tmp_path / "a").read_bytes()) or user < EVERY - 1
    assert len(set(marks)) == len(marks)
