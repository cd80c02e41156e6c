"""How far a sweep is: replicates done, their rate and the time left; a bar in a terminal or in
Jupyter, else lines."""

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from privrl.extras import needed

EVERY = (
    60.0  # seconds between two lines where there is no bar to move, as in the log of a batch job
)


class Progress:
    """Shows a sweep; called with (replicates done, replicates in all).

    Stored replicates are part of what is done and not of the rate.

    Parameters
    ----------
    label : stands before the bar
    stream : where to write (default: standard error)
    clock : seconds, as ``time.monotonic``
    """

    def __init__(
        self,
        label: str = "",
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.label, self.stream, self.clock = label, sys.stderr if stream is None else stream, clock
        self.bar: Any = None
        self.start = self.said = clock()
        self.stored = 0

    def begin(self, done: int, total: int) -> None:
        """The sweep starts with so many replicates stored."""
        self.stored, self.start = done, self.clock()
        self.said = self.start
        notebook = _in_notebook()
        if done < total and (notebook or self.stream.isatty()):
            with needed("a bar of progress"):
                from tqdm.auto import tqdm

            where = {} if notebook else {"file": self.stream, "dynamic_ncols": True}
            self.bar = tqdm(
                total=total,
                initial=done,
                desc=self.label or None,
                unit="replicate",
                smoothing=0.1,
                leave=notebook,
                **where,
            )

    def __call__(self, done: int, total: int) -> None:
        """Another replicate is done."""
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
            if done == total:
                self.close()
        elif self.clock() - self.said >= EVERY:
            self.said = self.clock()
            print(self.sentence(done, total), file=self.stream, flush=True)

    def sentence(self, done: int, total: int) -> str:
        """Done, rate and time left, in words."""
        seconds, fresh = self.clock() - self.start, done - self.stored
        if fresh <= 0 or seconds <= 0:
            return f"{self.label}: {done} of {total} replicates".lstrip(": ")
        rate = fresh / seconds
        speed = f"{rate:.3g} replicates a second" if rate >= 1 else f"{1 / rate:.3g} s a replicate"
        remaining = f"{duration((total - done) / rate)} left"
        return f"{self.label}: {done} of {total} replicates, {speed}, {remaining}".lstrip(": ")

    def close(self) -> None:
        """Take the bar away (a notebook keeps it)."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def duration(seconds: float) -> str:
    """``1 h 02 min``, ``3 min 05 s``, ``7 s``."""
    seconds_ = round(seconds)
    hours, minutes, rest = seconds_ // 3600, seconds_ // 60 % 60, seconds_ % 60
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _in_notebook() -> bool:
    """Whether this process is a Jupyter kernel."""
    shell = sys.modules.get("IPython")
    shell_ = None if shell is None else shell.get_ipython()
    return shell_ is not None and hasattr(shell_, "kernel")
