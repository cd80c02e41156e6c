"""What draws noise exists once: it is not copied, not forked, and used by one thread at a time.

A copy would go on to draw other noise for the releases that the first one makes too: of two noisy
values of one sum the mean tells more than was promised.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import NoReturn, SupportsIndex


class Once:
    """Base of what draws noise.

    ``lock`` : held by every call while it counts, releases or reads; re-entrant, so that calls
    which belong together can be put under it
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._process = os.getpid()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """This thread's turn; a fork is refused before it waits for a lock that nobody gives
        back."""
        if os.getpid() != self._process:
            raise RuntimeError(
                f"a {type(self).__name__} must stay in the process that made it: a fork would draw "
                "its noise a second time"
            )
        with self.lock:
            yield

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} must not be copied or pickled: its noise would be drawn a "
            "second time"
        )
