"""Work for engines that goes wrong in a known way: what a test hands to workers must be importable
by them."""

import json
import os
import secrets
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privrl.run import simulate, sweep

A_HANG = 900  # seconds: no machine is so busy that a test's process which would end takes them


def die() -> None:
    """End this process as a lack of memory would: at once, nothing tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


def once(path: Path) -> bool:
    """True for the first caller among all processes."""
    try:
        path.open("x").close()
    except FileExistsError:
        return False
    return True


@dataclass(frozen=True)
class Trouble:
    """``compute``, but replicate ``always`` kills every worker, ``first`` its first one, and
    ``odd`` raises."""

    folder: Path
    always: int = -1
    first: int = -1
    odd: int = -1

    def __call__(self, job: sweep.Job) -> np.ndarray:
        if job.index == self.always or (job.index == self.first and once(self.folder / "died")):
            die()
        if job.index == self.odd:
            raise RuntimeError("an odd fault")
        if not Path(job.folder, f"{job.key}.json").exists():
            once(self.folder / f"{job.index}-{secrets.token_hex(8)}")
        return sweep.compute(job)

    def seen(self) -> list[int]:
        """Replicates that were computed, one entry for each time."""
        return sorted(int(path.name.split("-")[0]) for path in self.folder.glob("*-*"))


@dataclass(frozen=True)
class Timed:
    """``compute``, with a note of who simulated when: by a clock that all processes share, and by
    the worker's own."""

    folder: Path

    def __call__(self, job: sweep.Job) -> np.ndarray:
        original, spans = simulate.replicate, []

        def simulated(*args: Any, **more: Any) -> np.ndarray:
            start = time.monotonic(), time.process_time()
            result = original(*args, **more)
            spans.append((*start, time.monotonic(), time.process_time()))
            return result

        simulate.replicate = simulated  # in this worker, for this replicate
        try:
            return sweep.compute(job)
        finally:
            simulate.replicate = original
            (self.folder / f"{job.index}.json").write_text(
                json.dumps([os.getpid(), *spans[0]]), "utf-8"
            )

    def spans(self) -> list[np.ndarray]:
        """(replicates, 4) for every worker, in order: time and processor time at start, and at
        end."""
        spans_by_worker: dict[int, list[list[float]]] = {}
        for path in self.folder.glob("*.json"):
            worker, *span = json.loads(path.read_text("utf-8"))
            spans_by_worker.setdefault(worker, []).append(span)
        return [np.array(sorted(these)) for these in spans_by_worker.values()]


def in_a_child(work: Callable[[], None]) -> int:
    """Run ``work`` in a forked process; the signal that ended it, 0 for none."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
