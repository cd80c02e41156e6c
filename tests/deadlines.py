"""What would wait for ever fails instead."""

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Interrupt what is inside with an ``AssertionError`` after so many seconds; main thread
    only."""

    def late(number: int, frame: object) -> None:
        raise AssertionError(f"must end within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
