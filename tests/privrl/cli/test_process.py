"""The command line as a process: streams, pipes, interrupts."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from privrl.cli import common as cli
from tests.privrl.cli.calls import ID, PROCESS, call
from tests.privrl.run.kills import A_HANG


@pytest.mark.slow
def test_python_m_privrl() -> None:
    wrong = subprocess.run(
        [*PROCESS, "run", "nothing"], capture_output=True, text=True, check=False
    )
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("privrl: id must be one of the suite's")
    assert wrong.stderr.count("\n") == 1


def everything(terminal: int) -> bytes:
    """What is written to a terminal until its other end is closed."""
    pieces = []
    with suppress(OSError):  # as Linux says that it is closed
        while piece := os.read(terminal, 65536):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("check vietri2020/claim-2", b"claims"),
        ("horizon zhou2022 --epsilon 1e6", b"solving for the users"),
    ],
)
def test_a_terminal_sees_that_something_happens_and_a_pipe_only_the_answer(
    line: str, says: bytes
) -> None:
    surroundings, command = (
        {**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        [*PROCESS, *line.split()],
    )
    piped = subprocess.run(command, capture_output=True, env=surroundings, check=True)
    read, terminal = os.openpty()
    with ThreadPoolExecutor(1) as pool:  # a terminal that nobody reads fills, and then it waits
        seen_on_terminal = pool.submit(everything, read)
        on_terminal = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=terminal, env=surroundings, check=True
        )
        os.close(terminal)
        assert (piped.stdout, piped.stderr) == (on_terminal.stdout, b"")
        assert says in seen_on_terminal.result()
    os.close(read)


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    args = ["check", "--recorded", "--json"]
    done = subprocess.run([*PROCESS, *args], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize("line", ["--version", "list", "check --recorded --json"])
def test_a_full_disk_behind_the_answer_exits_with_1(line: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROCESS, *line.split()], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"privrl: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_continues(tmp_path: Path, number: signal.Signals) -> None:
    args = [
        "run",
        ID,
        "--episodes",
        "2e6",
        "--replicates",
        "8",
        "--out",
        str(tmp_path),
        "--agent",
        "ubev",
    ]
    # a shell starts background jobs with SIGINT ignored, and they hand that on: undo it, however
    # the tests were started
    program = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "runpy.run_module('privrl', run_name='__main__', alter_sys=True)"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    stored = tmp_path / "replicates"
    while not list(stored.glob("*.json")) and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(number)
    out, err = running.communicate(timeout=A_HANG)
    assert (running.returncode, out) == (128 + number, "")
    assert (
        err.lstrip()
        == "privrl: interrupted; finished replicates are kept, start again to continue\n"
    )
    first_stamps = {path.name: path.stat().st_mtime_ns for path in stored.glob("*.json")}
    assert 1 <= len(first_stamps) < 8
    assert call(*args).exit_code == 0
    assert {
        path.name: path.stat().st_mtime_ns for path in stored.glob("*.json")
    }.items() >= first_stamps.items()
    assert len(pd.read_csv(tmp_path / f"{ID}.csv")["replicate"].unique()) == 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("privrl.cli", signal.SIGINT),
        ("numpy", signal.SIGTERM),
        ("joblib", signal.SIGINT),
        ("numba", signal.SIGINT),
        ("scipy", signal.SIGTERM),
    ],
)
def test_a_signal_during_the_imports_gets_a_sentence(
    tmp_path: Path, module: str, number: signal.Signals
) -> None:
    """It comes while the module is looked for; before ``privrl.__main__`` runs it is Python's to
    answer."""
    program = f"""
import os, runpy, signal, sys

class Early:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {int(number)})

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Early)
runpy.run_module("privrl", run_name="__main__", alter_sys=True)
"""
    args = ["run", ID, "--episodes", "2e6", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", program, *args], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", f"{cli.INTERRUPTED}\n")
