"""Where replicates are computed: this process, worker processes on this machine (loky), or a
cluster (dask).

Every engine takes a function and a list of items, and hands back (position, result) as they finish,
in any order. An item that fails does not stop the others: its result is a :class:`Failure`. One
that keeps killing its worker (memory, a fault in compiled code) is given up after as many workers
as dask allows, and the workers are replaced.
"""

import asyncio
import collections
import concurrent.futures
import contextlib
import itertools
import logging
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from privrl.checks import choice, count, require
from privrl.extras import installed, needed
from privrl.run.store import UnwritableError

with needed("a sweep"):
    from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor

ENGINES = ("loky", "dask")
DEATHS = 4  # workers that an item may kill; dask's own default is three and the one that decides
SCHEDULED_ITEMS = 2000  # items that a scheduler is handed at a time
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
QUIET = {
    # a worker that is slow to come back is still ours: by default it is given up after 15 s, for
    # ever
    "distributed.deploy.lost-worker-timeout": "1 day",
    # nobody looks at a dashboard: no workers' stacks every 10 ms, no readings of the system twice a
    # second
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "1 minute",
    "distributed.admin.tick.interval": "1 s",
    "distributed.diagnostics.nvml": False,
}

ItemT = TypeVar("ItemT")
Result = TypeVar("Result")


class LostError(OSError):
    """Workers or their scheduler are gone; nothing is wrong with the request."""


@dataclass(frozen=True)
class Failure:
    """What became of an item that has no result, as a phrase."""

    reason: str


@dataclass(frozen=True)
class Engine:
    """How a sweep is computed; its results do not depend on it.

    ``scheduler`` : for dask, address of a running scheduler, or its scheduler file (NAME.json);
        None: a cluster of
    ``jobs`` workers on this machine
    """

    kind: str | None = (
        #: ``loky``, ``dask`` (where installed), or None: this process where jobs is 1, else loky
        None
    )
    jobs: int = 1  #: worker processes; a cluster that is already running has its own number
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.kind is not None:
            choice("engine", self.kind, ENGINES)
        object.__setattr__(self, "jobs", count("jobs", self.jobs))
        if self.scheduler is not None:
            require(self.kind == "dask", "a scheduler needs the engine dask", engine=self.kind)
            named = isinstance(self.scheduler, str) and bool(self.scheduler.strip())
            require(named, "scheduler must be an address", scheduler=self.scheduler)
        if self.kind == "dask":
            installed("distributed", "the engine dask")

    def each(
        self, work: Callable[[ItemT], Result], items: Sequence[ItemT]
    ) -> Iterator[tuple[int, Result | Failure]]:
        """(position, result or failure) of every item, as they finish.

        Raises
        ------
        ValueError
            The first refusal by ``work``: what makes no sense once makes none for the rest.
        OSError
            The store cannot be written, or the scheduler cannot be reached.
        """
        if self.kind == "dask" and items:
            return _dask(work, items, self.jobs, self.scheduler)
        if self.kind == "loky" or self.jobs > 1:
            return _loky(work, items, min(self.jobs, len(items)))
        return _here(work, items)


def _judge(error: BaseException) -> Failure:
    """An item's failure, or the exception again where the whole sweep has to stop."""
    if isinstance(error, (UnwritableError, ValueError, ImportError)) or not isinstance(
        error, Exception
    ):
        raise error
    return Failure(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".rstrip(": "))


def _killed() -> Failure:
    return Failure("keeps killing its worker")


def _here(
    work: Callable[[ItemT], Result], items: Sequence[ItemT]
) -> Iterator[tuple[int, Result | Failure]]:
    for position, item in enumerate(items):
        try:
            result: Result | Failure = work(item)
        except Exception as error:
            result = _judge(error)
        yield position, result


def _begin(parent: int) -> None:
    """First call in a worker: Ctrl-C is the parent's to answer, and a parent that is killed leaves
    no orphan."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _loky(
    work: Callable[[ItemT], Result], items: Sequence[ItemT], jobs: int
) -> Iterator[tuple[int, Result | Failure]]:
    """One pool for every worker: who is killed takes nobody along, and it is known over what."""
    waiting = collections.deque(range(len(items)))
    deaths: collections.Counter[int] = collections.Counter()
    pools: dict[int, Any] = {}
    running: dict[Any, tuple[int, int]] = {}  # future: (place of its worker, position of its item)

    def hand(place: int) -> None:
        if waiting:
            position = waiting.popleft()
            if place not in pools:
                pools[place] = ProcessPoolExecutor(
                    1, initializer=_begin, initargs=(os.getpid(),), env=ONE_THREAD
                )
            running[pools[place].submit(work, items[position])] = place, position

    try:
        for place in range(jobs):
            hand(place)
        while running:
            done, _ = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for future in done:
                place, position = running.pop(future)
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    pools.pop(place).shutdown(wait=True, kill_workers=True)
                    deaths[position] += 1
                    if deaths[position] < DEATHS:
                        waiting.append(position)  # behind all others, so that they finish first
                        hand(place)
                        continue
                    result: Result | Failure = _killed()
                else:
                    result = future.result() if error is None else _judge(error)
                hand(place)  # before the result is used: the worker does not wait for this process
                yield position, result
    finally:
        for pool in pools.values():
            pool.shutdown(wait=True, kill_workers=True)


@contextlib.contextmanager
def _client(jobs: int, scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler, or of a cluster on this machine that ends with it."""
    import dask
    from distributed import Client, LocalCluster

    with contextlib.ExitStack() as stack:
        if scheduler is None:
            stack.enter_context(dask.config.set(QUIET))
            try:
                cluster = stack.enter_context(
                    LocalCluster(
                        n_workers=jobs,
                        threads_per_worker=1,
                        processes=True,
                        memory_limit=None,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                    )
                )
            except (
                RuntimeError
            ) as error:  # the first death: dask replaces only workers that have started once
                raise LostError(
                    None,
                    "a dask worker ended before it had started; start again to continue",
                    " ".join(str(error).split())[:100],
                ) from None
            yield stack.enter_context(Client(cluster))
            return
        where = {"scheduler_file" if Path(scheduler).suffix == ".json" else "address": scheduler}
        try:
            if "scheduler_file" in where:
                require(
                    Path(scheduler).is_file(),
                    "scheduler must be a file that exists",
                    scheduler=scheduler,
                )
            client = stack.enter_context(Client(**where, timeout=30))
        except (OSError, TypeError) as error:
            raise OSError(
                getattr(error, "errno", None),
                "no dask scheduler answers at this address",
                scheduler,
            ) from None
        yield client


def _dask(
    work: Callable[[ItemT], Result], items: Sequence[ItemT], jobs: int, scheduler: str | None
) -> Iterator[tuple[int, Result | Failure]]:
    """Futures of ``distributed``, a window of them at a time.

    Dask blames a dead worker on everything that was on it. So whatever it gives up is tried again
    at the end, one item at a time: then only the culprit fails.
    """
    from distributed import KilledWorker, as_completed

    with _client(jobs, scheduler) as client:
        owners: dict[str, int] = {}
        rest = iter(range(len(items)))
        suspects: list[int] = []

        def hand(position: int) -> Any:
            # unique: sweeps that share a scheduler share no futures
            key = f"privrl-{position}-{secrets.token_hex(8)}"
            owners[key] = position
            return client.submit(work, items[position], key=key, pure=False)

        def answer(future: Any) -> Result | Failure | None:
            """None: dask has given the item up."""
            try:
                # a result whose worker has died since is waited for: it is being made again
                value: Result = future.result()
            except KilledWorker:
                return None
            except (asyncio.CancelledError, concurrent.futures.CancelledError):
                raise LostError(
                    None, "the dask scheduler was lost; start again to continue", scheduler
                ) from None
            except Exception as error:
                require(
                    not isinstance(error, ImportError),
                    "every dask worker must have privrl installed",
                    error=error,
                )
                return _judge(error)
            return value

        waiting = as_completed(
            [hand(position) for position in itertools.islice(rest, SCHEDULED_ITEMS)]
        )
        for future in waiting:
            if future.status in ("pending", "lost"):  # finished once, but its worker has died since
                waiting.add(future)
                continue
            position, result = owners.pop(future.key), answer(future)
            for following in itertools.islice(rest, 1):
                waiting.add(hand(following))
            if result is None:
                suspects.append(position)
            else:
                yield position, result
        for position in suspects:
            result = answer(hand(position))
            yield position, _killed() if result is None else result
