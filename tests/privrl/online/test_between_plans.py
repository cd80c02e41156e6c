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
from privrl.privacy import exact, journal, snapshot
from privrl.types import Entries

USERS, EVERY = 40, 7
UNKNOWN = online.tabular(states=2, actions=2, horizon=3)
AGENT = PrivateUCBVI(1e3, 1e-6, counter="tree")
MOST_FLOORS = 15  # CPU time of that user, over that of appending and syncing as many bytes
MOST_BYTES = 8_000  # written for a user of S = 50, A = 4, H = 10, plans included; 10 kB is promised
MOST_DRAWS = 20  # CPU time of a plan, over that of its exact draws alone, on a busy machine too


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


def opened_large(folder: Path, counter: str = "blt") -> online.Session:
    return sessions.opened((50, 4, 10), counter, folder / counter)


@pytest.mark.slow
@pytest.mark.parametrize("counter", ["blt", "tree"])
def test_what_a_user_of_a_large_problem_costs(tmp_path: Path, counter: str) -> None:
    """All in all: a plan writes a whole state, for the thousand users that it counts."""
    session = opened_large(tmp_path, counter)
    row = sessions.between(session, tmp_path / "floor", 50) | sessions.plan(session, 1)
    assert row["bytes a user"] > 0 and session.terms.every == 1000
    share = row["bytes a plan"] / session.terms.every
    assert row["bytes a user"] + share < MOST_BYTES < 10_000
    assert row["CPU ms a user"] > 0 and 1 < row["CPU / floor"] < MOST_FLOORS
    assert 0.5 < row["plan / its draws"] < MOST_DRAWS
    committed = recorded(counter)
    for column in ("bytes a user", "bytes a plan"):
        assert float(committed[column]) == pytest.approx(row[column], rel=0.02)


def recorded(counter: str) -> dict[str, str]:
    """The committed row of that counter at S = 50."""
    with (resources.files("figures") / "data" / "runs" / "bench_sessions.csv").open() as lines:
        rows = [dict(line) for line in csv.DictReader(lines)]
    (row,) = [row for row in rows if row["S, A, H"] == "50, 4, 10" and row["counter"] == counter]
    return row


def test_the_page_has_the_numbers_of_the_committed_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    words = " ".join(page.split("- **What a user costs**")[1].split("- **It ends")[0].split())
    row = {name: float(value) for name, value in recorded("blt").items() if name[0] in "bCmpu"}
    tree = {name: float(value) for name, value in recorded("tree").items() if name[0] in "bCmpu"}
    every = row["users to a plan"]
    share, seconds = row["bytes a user"] + row["bytes a plan"] / every, row["CPU ms a plan"] / 1e3
    for phrase in (
        f"synced, {row['bytes a user']:.0f} bytes",
        f"takes {row['CPU ms a user']:.2g} milliseconds of CPU, {row['CPU / floor']:.2g} times",
        f"and {row['ms a user']:.2g} milliseconds of time",
        f"{row['bytes a plan'] / 1e6:.2g} MB over `blt`",
        f"{tree['bytes a plan'] / 1e6:.2g} MB over `tree`",
        f"takes {seconds:.2g} seconds of CPU, {row['plan / its draws']:.3g} times",
        f"costs {share / 1e3:.2g} kB and {row['CPU ms a user'] + 1e3 * seconds / every:.2g} ms",
        f"drawing alone {1e3 * seconds / row['plan / its draws'] / every:.2g} ms",
    ):
        assert phrase in words, phrase
    (most,) = re.findall(r"from `every=(\d+)` on", words)
    assert (
        0.99 * row["users to a plan for 1 ms"] <= int(most) < 1.25 * row["users to a plan for 1 ms"]
    )


@pytest.mark.slow
def test_the_file_of_many_plans_is_no_larger_than_the_one_that_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of noise as the stream leaves them, by floating-point draws: exact ones take hours."""
    rng = np.random.Generator(np.random.SFC64(1))

    def quick(law: str, scale: Any, grid: float, rows: int, most: float) -> Any:
        return exact.on_grid(scale * rng.standard_normal((rows, scale.size)), grid)

    monkeypatch.setattr(exact, "drawn", quick)
    for counter, plans in (("blt", 40), ("tree", 511)):
        session = opened_large(tmp_path, counter)
        sums = session.learner.released_sums
        for _ in range(plans):
            sums[...] += rng.poisson(1, sums.size)
            session._protection.row(sums)
        before = session.written
        session._save()
        size = session.written - before
        assert 0.5 < size / float(recorded(counter)["bytes a plan"]) < 1.02


@pytest.mark.slow
def test_the_measure_sees_a_session_that_writes_all_of_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online.Session, "_long", lambda self: self._mark is not None)
    row = sessions.between(opened_large(tmp_path), tmp_path / "floor", 50)
    assert row["bytes a user"] > 10_000


@pytest.mark.slow
def test_the_measure_sees_a_plan_that_draws_anew_and_a_state_that_is_not_compressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draws at a size at which they take little of the time."""
    monkeypatch.setattr(snapshot, "LARGE", 10**9)
    session = opened_large(tmp_path)
    sessions.fill(session)
    before = session.written
    session._save()
    assert session.written - before > 10_000 * session.terms.every
    ratios = []
    for draws in (1, 60):
        session = sessions.opened((20, 2, 5), "blt", tmp_path / f"{draws}")
        row = session._protection.row

        def drawn(sums: Any, draws: int = draws, row: Any = row) -> Any:
            return [row(sums) for _ in range(draws)][-1]

        monkeypatch.setattr(session._protection, "row", drawn)
        ratios.append(sessions.plan(session, 3)["plan / its draws"])
    assert ratios[0] < MOST_DRAWS < ratios[1]


def test_the_measure_sees_a_session_that_reads_all_of_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = online.Session._turn

    def read(session: online.Session, *arguments: Any) -> bool:
        for _ in range(5):
            for array in session.learner.snapshot().values():
                hashlib.sha256(array.tobytes())
        return turn(session, *arguments)

    monkeypatch.setattr(online.Session, "_turn", read)
    row = sessions.between(opened_large(tmp_path), tmp_path / "floor", 50)
    assert row["bytes a user"] < MOST_BYTES and row["CPU / floor"] > MOST_FLOORS


def test_the_mark_of_a_file_is_its_whole_state(tmp_path: Path) -> None:
    session = opened(tmp_path / "a")
    marks = [session._mark]
    for user in range(EVERY + 1):
        session.observe(episode(user))
        marks.append(session._mark)
        assert session._mark == snapshot.mark_of((tmp_path / "a").read_bytes()) or user < EVERY - 1
    assert len(set(marks)) == len(marks)
