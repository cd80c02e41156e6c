"""One noise a release, and no user counted twice, whatever is done to those who share a file.

Two processes at a time open one file, under names of their own and with the BLAS of another
processor. In each of them three threads count, all the same next user; one more forks, and the fork
tries to go on. A hard link to the file is made and removed. All are killed (SIGKILL) at random
moments, and the next ones go on. Then what all of them said is laid side by side: each release was
shown with one noise, each user was confirmed once, and the sums in the file are those of its users.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.agents.trajectory import Trajectory
from privrl.privacy import journal
from privrl.privacy.mechanism import Mechanism

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")

EPISODES = """
import random
from privrl import PrivateUCBVI, online

AGENT = PrivateUCBVI(1.0, 1e-6, counter="tree", multiplier=0.03)
KNOWN = online.tabular(states=2, actions=2, horizon=3)

def episode(user):
    chance = random.Random(user)
    draw = lambda number: [chance.randrange(2) for _ in range(number)]
    return draw(4), draw(3), draw(3)
"""
SESSION = (
    EPISODES
    + """
def opened(name):
    return online.Session(AGENT, KNOWN, users=20_000, path=name, every=EVERY)

def count(one):
    user = one.users
    if one.observe(episode(user), user=user):
        say("counted", user)
    with one.lock:
        show(one)

def show(one):
    plan = one.learner.state.plan
    say("release", one.plan, plan.q.tobytes() + plan.greedy.tobytes())
"""
)
# the kinds of what is opened: what a thread does, and what a release shows
PROGRAMS = {
    "session": "EVERY = 1" + SESSION,
    "between plans": "EVERY = 3" + SESSION,
    "mechanism": """
import os
from privrl.privacy.mechanism import Mechanism

def opened(name):
    if os.path.exists(name):
        return Mechanism.restore(name)
    one = Mechanism.make(
        "tree", width=2, releases=10**6, change=2.0, epsilon=1.0, delta=1e-6
    )
    one.save(name)
    return one

def count(one):
    say("counted", str(random.random()))
    one.add([0.5, -0.5])
    with one.lock:
        one.release()
        show(one)

def show(one):
    if one.last is not None:
        say("release", one.released, one.last.tobytes())
""",
}
PROCESS = """
import hashlib, json, os, random, sys, threading, time
from privrl.privacy import exact

def say(what, number, content=b""):
    line = json.dumps([what, number, hashlib.sha256(content).hexdigest()])
    os.write(1, f"{line}\\n".encode())  # whole, whoever else writes

def work(one):
    turns = 0
    while True:
        try:
            count(one)
            turns += 1
            if turns % 20 == 0:  # the lock of a file is not fair: now the other process has a turn
                with one.lock:
                    time.sleep(0.05)
        except (RuntimeError, ValueError) as error:  # somebody else has gone on, or a second name
            say("stopped", str(error))
            return

def forks(one, stop):
    while not stop.wait(0.1):
        child = os.fork()
        if not child:
            try:
                count(one)
                say("fork", "goes on")
            except RuntimeError as error:
                say("fork", str(error))
            os._exit(0)
        os.waitpid(child, 0)

def ends():
    os.read(0, 1)  # nothing more comes, until the tests are no more
    os._exit(1)

sys.setswitchinterval(1e-5)
exact.opendp()
say("ready", 0)
os.read(0, 1)  # so that both begin at once
threading.Thread(target=ends, daemon=True).start()
while True:
    try:
        one = opened(sys.argv[1])
        show(one)
    except (RuntimeError, ValueError) as error:
        say("refused", str(error))
        time.sleep(0.01)
        continue
    stop = threading.Event()
    workers = [threading.Thread(target=work, args=(one,)) for _ in range(3)]
    forker = threading.Thread(target=forks, args=(one, stop))
    for thread in (*workers, forker):
        thread.start()
    for thread in workers:
        thread.join()
    stop.set()
    forker.join()
"""


def cores() -> list[str]:
    """Settings of OpenBLAS that run on this processor; the empty one is its own."""
    features: set[str] = set()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        features = {word for line in lines if line.startswith("flags") for word in line.split()}
    known = {"Nehalem": "sse4_2", "Sandybridge": "avx", "Haswell": "avx2", "SkylakeX": "avx512f"}
    return ["", *(core for core, feature in known.items() if feature in features)]


def lively(logs: list[Path], releases: int) -> bool:
    """Whether so many releases were shown, some by every process, one of which was overtaken."""
    texts = [log.read_text("utf-8") for log in logs]
    releases_by_log = [text.count('"release"') for text in texts]
    return (
        min(releases_by_log) > 0
        and sum(releases_by_log) >= releases
        and len(set(re.findall(r'"release", (\d+)', "".join(texts)))) > 12
        and "has gone on" in "".join(texts)
    )


def wait(processes: list[subprocess.Popen[bytes]], enough: Callable[[], bool]) -> None:
    """Until it is enough."""
    until = time.monotonic() + 600
    while not enough():
        assert time.monotonic() < until, "a process waits for ever"
        assert all(process.poll() is None for process in processes), "a process ended"
        time.sleep(0.05)


def played(folder: Path, kind: str, rounds: int, seed: int) -> list[list[Any]]:
    """All that the processes of so many rounds said."""
    chance, data = random.Random(seed), folder / "data"
    data.mkdir()
    (folder / "same").symlink_to(data)
    (folder / "link").symlink_to(data / "state")
    names = [data / "state", folder / "same" / "state", folder / "link"]
    logs: list[Path] = []
    for number in range(rounds):
        processes: list[subprocess.Popen[bytes]] = []
        try:
            for name in chance.sample(names, 2):
                logs.append(folder / f"log.{len(logs)}")
                # this processor's own, which meets each of the others in turn
                core = cores()[0 if len(logs) % 2 else len(logs) // 2 % len(cores())]
                with logs[-1].open("wb") as log:
                    processes.append(
                        subprocess.Popen(
                            [sys.executable, "-c", PROGRAMS[kind] + PROCESS, str(name)],
                            stdin=subprocess.PIPE,
                            stdout=log,
                            env={**os.environ, "OPENBLAS_CORETYPE": core},
                            start_new_session=True,  # so that forks end with it
                        )
                    )
            wait(processes, lambda: all(log.stat().st_size for log in logs[-2:]))
            for process in processes:
                assert process.stdin is not None
                process.stdin.write(b"\n")
                process.stdin.flush()
            wait(processes, partial(lively, logs[-2:], 20 + chance.randrange(30)))
            if number % 2 == 0:  # a second name, in the middle of it
                (folder / "hard").hardlink_to(data / "state")
                time.sleep(0.3)
                (folder / "hard").unlink()
                time.sleep(0.3)
            time.sleep(chance.random() * 0.05)
        finally:
            for process in processes:
                os.killpg(process.pid, signal.SIGKILL)
            for process in processes:
                process.communicate()
    lines = [line for log in logs for line in log.read_bytes().splitlines(keepends=True)]
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def faults(folder: Path, kind: str, rounds: int, seed: int = 5) -> set[str]:
    """What went wrong; of what is not told here every round must show some."""
    events = played(folder, kind, rounds, seed)
    contents_of: dict[int, set[str]] = {}
    for event, number, content in events:
        if event == "release":
            contents_of.setdefault(number, set()).add(content)
    messages = set()
    if any(len(contents) > 1 for contents in contents_of.values()):
        messages.add("a release has two noises")
    if not len(set().union(*contents_of.values())) > len(contents_of) / 2 > 5:
        messages.add("noise does not show")
    forked = [text for event, text, _ in events if event == "fork"]
    if not forked or not all("must stay in the process that made it" in text for text in forked):
        messages.add("a fork goes on")
    stopped = " ".join(str(text) for event, text, _ in events if event in ("stopped", "refused"))
    if not ("one name" in stopped and "another process has gone on from it" in stopped):
        messages.add("neither a link nor a second process was refused")
    counted = [number for event, number, _ in events if event == "counted"]
    path = folder / "data" / "state"
    if kind == "mechanism":
        last = Mechanism.restore(path)
        if last.users > len(counted) or last._sums.tolist() != [last.users / 2, -last.users / 2]:
            messages.add("a user was counted twice")
        return messages
    if len(set(counted)) < len(counted):
        messages.add("a user was counted twice")
    terms: dict[str, Any] = {}
    exec(EPISODES, terms)
    learner = terms["AGENT"].start(terms["KNOWN"], 20_000, np.array([1]))
    arrays, records, _, _ = journal.read(path)
    users, sums = int(arrays["learner.clock"][0]) + len(records), arrays["learner.sums"]
    for record in records:
        row = journal.unpacked(record, learner.noise_scales().size)
        sums[-row.size :] += row
    if max(counted) >= users:
        messages.add("a user who was confirmed was lost")
    for user in range(users):
        trajectory = Trajectory(*(np.array(column) for column in terms["episode"](user)))
        learner.absorb(learner.contribution(trajectory))
    noisy = learner.noise_scales().size  # the others are not released, and follow from these
    if not np.array_equal(sums[-noisy:], learner.state.statistics[-noisy:]):
        messages.add("the sums are not those of the users")
    return messages


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rounds"), [("session", 1), ("between plans", 1), ("mechanism", 1)]
)
def test_one_noise_a_release_and_no_user_twice(tmp_path: Path, kind: str, rounds: int) -> None:
    assert faults(tmp_path, kind, rounds) == set()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", list(PROGRAMS))
def test_one_noise_a_release_and_no_user_twice_over_many_kills(
    tmp_path: Path, kind: str, seed: int
) -> None:
    assert faults(tmp_path, kind, 25, seed) == set()
