"""The HTTP service of docs/your-problem.md under eight threads of clients, killed at random
moments; and the audit of all that it said."""

import contextlib
import hashlib
import http.client
import ipaddress
import itertools
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import online
from privrl.agents.trajectory import Trajectory
from privrl.privacy import journal

CLIENTS = 8
HERE = str(ipaddress.ip_address(socket.INADDR_LOOPBACK))
SERVICE = Path(__file__).parents[3] / "docs" / "service" / "service.py"
PATIENCE = 600.0  # seconds for an answer, on a busy machine too
ServedEvent = tuple[Any, ...]


def started(folder: Path) -> "subprocess.Popen[bytes]":
    """The service, on a port that is free; the first line of its output is which one, and what it
    complains of is in ``errors``."""
    with (folder / "errors").open("ab") as errors:
        return subprocess.Popen(
            [sys.executable, str(SERVICE)],
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=folder,
            env={**os.environ, "PORT": "0"},
        )


def terms() -> dict[str, Any]:
    """The service's own names before it opens its file: agent, known, .."""
    names: dict[str, Any] = {}
    exec(SERVICE.read_text("utf-8").split("session = ")[0], names)
    return names


def episode(user: int) -> dict[str, list[int]]:
    chance = random.Random(user)
    sizes = {"states": (5, 3), "actions": (4, 2), "rewards": (4, 2)}
    return {
        name: [chance.randrange(most) for _ in range(length)]
        for name, (length, most) in sizes.items()
    }


class Shop:
    """Clients, who take the numbers of their users in turn, and a process that serves them."""

    def __init__(self, folder: Path, users: int) -> None:
        self.folder, self.users = folder, users
        self.events: list[ServedEvent] = []
        self.port = 0
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.confirmed: set[int] = set()
        self.kills = 0  # of a process that was running while clients waited for it
        self.over = threading.Event()

    def say(self, *event: Any) -> None:
        with self._lock:
            self.events.append(event)

    def ask(self, words: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
        """The answer to GET, or to POST of ``words``."""
        connection = http.client.HTTPConnection(HERE, self.port, timeout=PATIENCE)
        try:
            body = None if words is None else json.dumps(words)
            connection.request("GET" if words is None else "POST", "/", body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def client(self) -> None:
        while not self.over.is_set():
            with self._lock:
                user = next(self._numbers)
            if user >= self.users:
                return
            self.serve(user)

    def serve(self, user: int) -> None:
        plan, unanswered = None, 0
        until = time.monotonic() + PATIENCE
        while not self.over.is_set():
            assert time.monotonic() < until, "a client waits for ever"
            with self._lock:
                before = set(self.confirmed)  # a refusal may be older than what comes meanwhile
            try:
                if plan is None:
                    _, shown = self.ask(None)
                    content = json.dumps([shown["values"], shown["greedy"]]).encode()
                    plan = shown["plan"]
                    self.say("release", plan, hashlib.sha256(content).hexdigest())
                status, answer = self.ask({"user": user, "plan": plan, **episode(user)})
            except (OSError, http.client.HTTPException, ValueError):  # it was killed
                unanswered += plan is not None
                time.sleep(0.1)  # a start takes a second or more
                continue
            if status == 200:
                self.say("counted", user, answer["fresh"], unanswered)
                with self._lock:
                    self.confirmed.add(user)
                return
            (turn,) = re.findall(r"user must be (\d+), the next one", answer["refused"])
            if int(turn) in before:
                self.say("lost", int(turn))
                self.over.set()
            time.sleep(0.005 * (user - int(turn)))  # who is far from her turn asks less often

    def run(self, kills: int, seed: int, restart: Callable[[], None] = lambda: None) -> None:
        """Until all are served; ``restart`` is called before each start but the first."""
        chance = random.Random(seed)
        clients = [threading.Thread(target=self.client) for _ in range(CLIENTS)]
        for number in range(kills + 1):
            if number:
                restart()
            with started(self.folder) as process:
                try:
                    self.port = int(process.stdout.readline())
                    if not number:
                        for client in clients:
                            client.start()
                    share = self.users * (number + 1) // (kills + 1)
                    most = len(self.confirmed) + chance.randrange(1, max(share // 2, 2))
                    until = time.monotonic() + PATIENCE
                    while any(client.is_alive() for client in clients):
                        assert time.monotonic() < until and process.poll() is None
                        if number < kills and len(self.confirmed) >= min(most, share):
                            break
                        time.sleep(0.01)
                    time.sleep(chance.random() * 0.02)
                finally:
                    alive = any(client.is_alive() for client in clients)
                    self.kills += alive and process.poll() is None
                    process.kill()
        for client in clients:
            client.join()
        assert self.over.is_set() or len(self.confirmed) == self.users, "a client stopped"


def faults(events: list[ServedEvent], users: int, folder: Path) -> set[str]:
    """What went wrong, of all that was said and what is in the file."""
    messages, contents = set(), dict[int, set[str]]()
    for event in events:
        if event[0] == "release":
            contents.setdefault(event[1], set()).add(event[2])
    if any(len(shown) > 1 for shown in contents.values()):
        messages.add("a release has two noises")
    if not len(set().union(*contents.values())) > len(contents) / 2 > 2:
        messages.add("noise does not show")
    confirmed = Counter(event[1] for event in events if event[0] == "counted")
    if any(event[0] == "lost" for event in events) or set(confirmed) != set(range(users)):
        messages.add("a user who was confirmed was lost")
    stale = [event for event in events if event[0] == "counted" and not event[2] and not event[3]]
    if max(confirmed.values()) > 1 or stale:
        messages.add("a number was another user's")
    names = terms()
    learner = names["agent"].start(names["known"], 2000, np.array([1]))
    arrays, records, _, torn = journal.read(folder / "http.session")
    noisy = learner.noise_scales().size
    sums = arrays["learner.sums"][-noisy:]
    for record in records:
        sums = sums + journal.unpacked(record, noisy)
    for user in range(users):
        columns = (np.array(column) for column in episode(user).values())
        learner.absorb(learner.contribution(Trajectory(*columns)))
    counted = int(arrays["learner.clock"][0]) + len(records)
    if torn or counted != users or not np.array_equal(sums, learner.state.statistics[-noisy:]):
        messages.add("the sums are not those of the users")
    return messages


@pytest.mark.slow
def test_a_service_under_eight_threads_is_killed_and_audited(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 60)
    shop.run(kills=2, seed=5)
    assert shop.kills == 2 and faults(shop.events, 60, tmp_path) == set()
    # planted: what the audit would say of a service that forgets
    (number, content) = next(event[1:] for event in shop.events if event[0] == "release")
    for planted, message in (
        (("release", number, content + "0"), "a release has two noises"),
        (("lost", 3), "a user who was confirmed was lost"),
        (("counted", 3, True, 0), "a number was another user's"),
    ):
        assert faults([*shop.events, planted], 60, tmp_path) == {message}
    assert "the sums are not those of the users" in faults(shop.events, 59, tmp_path)


@pytest.mark.slow
def test_an_old_copy_of_the_file_is_seen_by_the_audit(tmp_path: Path) -> None:
    """What the page says never to do: the first file comes back at the second start."""
    shop, copy = Shop(tmp_path, 60), tmp_path / "copy"

    def back() -> None:
        if copy.exists():
            shutil.copyfile(copy, tmp_path / "http.session")
        else:
            shutil.copyfile(tmp_path / "http.session", copy)

    shop.run(kills=2, seed=5, restart=back)
    assert "a user who was confirmed was lost" in faults(shop.events, 60, tmp_path)


def answered(
    port: int, body: bytes, verb: str = "POST", path: str = "/", **headers: str
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HERE, port, timeout=PATIENCE)
    connection.request(verb, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


@pytest.mark.slow
def test_what_is_no_episode_is_refused_and_what_cannot_be_written_ends_it(tmp_path: Path) -> None:
    """Deep nesting, numbers that are not whole or no numbers, names that come twice, lengths that
    are none, other paths and verbs; while more clients than it has threads send half of a request
    and no more."""
    good = {"user": 0, "plan": 0, **episode(0)}
    bodies = [
        b"[" * 50_000,
        *(json.dumps({**good, **wrong}).encode() for wrong in ({"user": 0.5}, {"plan": None})),
        json.dumps(good).replace('"user": 0', '"user": 1e999').encode(),
        json.dumps({**good, "states": []}).replace("[]", "[" * 400 + "]" * 400).encode(),
        json.dumps(good).replace('"user": 0', '"user": 0, "user": 0').encode(),
        b"{}",
        b"",
    ]
    with started(tmp_path) as process, contextlib.ExitStack() as idle:
        try:
            port = int(process.stdout.readline())
            for _ in range(20):
                half = idle.enter_context(socket.create_connection((HERE, port)))
                half.sendall(b"POST / HTTP/1.1\r\nContent-Length: 90\r\n\r\n{")
            for body in bodies:
                status, content = answered(port, body)
                assert (status, json.loads(content).keys()) == (400, {"refused"}), body[:80]
            for verb, path, code in (("POST", "/more", 404), ("PUT", "/", 405)):
                status, content = answered(port, b"", verb, path)
                assert (status, json.loads(content).keys()) == (code, {"refused"})
            for length in ("-1", "many"):
                headers = {"Content-Length": length}
                assert answered(port, b"", **headers)[0] == 400
            spaced = json.dumps(good).encode() + b" " * online.LONGEST
            assert answered(port, spaced)[0] == 413
            chunks = iter([json.dumps(good).encode()])  # sent without a length
            status, content = answered(port, chunks)  # type: ignore[arg-type]
            assert (status, json.loads(content)) == (200, {"counted": 0, "fresh": True})
            assert process.poll() is None
            # a file with two names cannot be written: it ends, and nobody is told "counted"
            (tmp_path / "second").hardlink_to(tmp_path / "http.session")
            with pytest.raises((OSError, http.client.HTTPException)):
                answered(port, json.dumps({**good, "user": 1}).encode())
            assert process.wait(PATIENCE) == 1
            assert "the service ends: a snapshot must have one name" in ended(tmp_path)
        finally:
            process.kill()


def ended(folder: Path) -> str:
    """The one sentence with which a service ends."""
    lines = (folder / "errors").read_text("utf-8").splitlines()
    assert lines and not any("Traceback" in line for line in lines)
    return lines[-1]


@pytest.mark.slow
def test_of_two_processes_with_one_file_the_second_says_why_it_ends(tmp_path: Path) -> None:
    body = json.dumps({"user": 0, "plan": 0, **episode(0)}).encode()
    with started(tmp_path) as process:
        try:
            port = int(process.stdout.readline())
            names, path = terms(), tmp_path / "http.session"
            first = online.Session(names["agent"], names["known"], 2000, every=4, path=path)
            assert first.observe(*online.parse(body))
            with pytest.raises((OSError, http.client.HTTPException)):
                answered(port, body)
            assert process.wait(PATIENCE) == 1
        finally:
            process.kill()
    words = "the service ends: a snapshot must be as this process left it: another process has gone"
    assert ended(tmp_path).startswith(words)
    again = online.Session(names["agent"], names["known"], 2000, every=4, path=path)
    assert again.users == 1


def test_a_start_that_needs_a_file_where_none_is_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUST_EXIST", "1")
    with pytest.raises(ValueError, match="is its volume mounted"):
        exec(SERVICE.read_text("utf-8"), {})
    assert not list(tmp_path.iterdir())


def test_the_page_shows_the_file_that_is_served() -> None:
    page = (SERVICE.parents[1] / "your-problem.md").read_text("utf-8")
    assert f"```python\n{SERVICE.read_text('utf-8')}```" in page


@pytest.mark.long
def test_a_service_under_eight_threads_is_killed_fifty_times(tmp_path: Path) -> None:
    shop = Shop(tmp_path, 1500)
    shop.run(kills=50, seed=7)
    assert shop.kills == 50 and faults(shop.events, 1500, tmp_path) == set()
