"""Judges: which checks and tests call a function, and the first of them that refuses a mutant."""

import csv
import functools
import gc
import hashlib
import importlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants import making
from tests.mutants.making import Mutant

FOLDER = Path(__file__).parent
TABLE = FOLDER / "table.csv"
CALLS = FOLDER.parent.parent / "build" / "mutants" / "calls.json"
COLUMNS = ("function", "change", "number", "refused by", "quick", "reason")
QUICK = 0.5  # seconds of a judge that the sample of `make test` may ask
NOT_RUN = "not run"
# judges of compiled functions, run as plain Python
PLAIN = ("tests/privrl/agents/test_kernels.py",)
NO_JUDGES = (
    # asks another process, in which nothing is broken, and fails where that one is slow
    "tests/privrl/agents/lq/test_lq_agents.py::test_the_bench_gives_finite_ratios",
    "tests/privrl/horizon/test_held_back.py::",  # compares with runs that were put down
)
SLOWEST = 4  # seconds of a judge that is asked
LONGEST = 20  # seconds of CPU of a judge on a mutant; one that does not end refuses it
WATCHED = 90  # seconds in which a judge that is to be asked has ended, watched
HOUR = 3600
NO_END = " (no end)"

# what is broken: modules, and in them functions that are not public or return no number
MODULES: dict[str, tuple[str, ...]] = {
    "theory.papers.vietri2020.bounds.stated": (),
    "theory.papers.vietri2020.bounds.proved": (),
    "theory.papers.vietri2020.bounds.counters": ("_bound",),
    "theory.papers.vietri2020.bounds.successors": ("excess",),
    "theory.papers.chowdhury2021.bounds": ("_change", "_norms"),
    "theory.papers.liao2021.bounds": (),
    "theory.papers.zhou2022.bounds": (),
    "privrl.privacy.noise": (),
    "privrl.privacy.noise_scales.vietri2020": (),
    "privrl.privacy.noise_scales.chowdhury2021": (),
    "privrl.privacy.noise_scales.liao2021": (),
    "privrl.privacy.noise_scales.zhou2022": (),
    "privrl.privacy.noise_scales.paper": (),
    "privrl.privacy.sensitivity": (),
    "privrl.privacy.accounting": (),
    "privrl.privacy.quantiles": (),
    "privrl.privacy.gaussian_norms": (),
    "privrl.privacy.levels": (),
    "privrl.privacy.rounding": (),
    "privrl.privacy.counters.bits": (),
    "privrl.agents.tabular.settings": (),
    "privrl.agents.tabular.widths": (),
    "privrl.agents.tabular.pucb": ("plan_step",),
    "privrl.agents.tabular.private_ucbvi": ("plan_step",),
    "privrl.agents.tabular.dp_ucbvi": ("plan",),
    "privrl.agents.tabular.ubev": (),
    "privrl.agents.tabular.ucbvi": (),
    "privrl.agents.linear.widths": ("confident", "covering"),
    "privrl.agents.linear.linopt_vi": ("LinOpt._printed",),
    "privrl.agents.linear.linopt_po": (),
    "privrl.agents.linear.ldp_ucrl_vtr": (),
    "privrl.agents.linear.ucrl_vtr": (),
    "privrl.agents.linear.kernels": (),
    "privrl.agents.lq.widths": (),
    "privrl.agents.lq.private_ofu_rl": (),
    "privrl.agents.lq.ofu_rl": (),
    "privrl.agents.lq.agent": (),
    "privrl.agents.lq.state": ("known_to",),
    "privrl.agents.lq.learner": ("LQLearner._followed", "LQLearner._check_sizes"),
    "privrl.agents.lq.kernels": (),
}
# where more is unsafe: lower bounds, and the mu that a noise may have
UP = (
    "lower_",
    "gaussian_mu",
    "private_mu",
    "wrong_",
    "stay_weights",
    "blind_until",
    "proportion_below",
    "event_",
    "most_local",
)
TESTS = (
    "tests/theory/papers",
    "tests/theory/lemmas",
    "tests/theory/test_derive_noise.py",
    "tests/theory/test_horizons.py",
    "tests/privrl/privacy",
    "tests/privrl/agents",
    "tests/privrl/horizon",
    "tests/privrl/diagnose",
)


def factor(function: str) -> float:
    """0.99, or 1.01 for what is unsafe when it is more."""
    return 1.01 if function.rsplit(".", maxsplit=1)[-1].startswith(UP) else 0.99


def compiled(mutant: Mutant) -> bool:
    """Whether the function is one that numba compiles."""
    names = making.decorators(mutant.module, mutant.function)
    return any(name in ("kernel", "inlined", "allocating") for name in names)


@functools.cache
def every() -> tuple[Mutant, ...]:
    """All mutants."""
    return tuple(
        mutant
        for module, named in MODULES.items()
        for mutant in making.mutants(module, factor, named)
    )


@dataclass
class Judge:
    """A check of a claim or a test: its name, and a call that is None or says what was wrong."""

    name: str
    run: Callable[[], str | None]
    file: Path

    @property
    def text(self) -> str:
        """What its file holds, as a number."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()[:12]


def _claims() -> Iterator[Judge]:
    from theory import ledger
    from theory.claim import REGISTRY

    ledger.load_checks()

    def run(check: Callable[[], Any]) -> str | None:
        try:
            list(check())
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None

    for name, check in REGISTRY.items():
        file = Path(str(importlib.import_module(check.__module__).__file__))
        yield Judge(name, functools.partial(run, check), file)


def _tests(items: list[pytest.Item]) -> Iterator[Judge]:
    def run(item: pytest.Item) -> str | None:
        reports = runtestprotocol(item, log=False, nextitem=None)
        failed = [report for report in reports if report.failed]
        return str(failed[0].longrepr).splitlines()[-1] if failed else None

    for item in items:
        if not item.nodeid.startswith(NO_JUDGES):
            yield Judge(item.nodeid, functools.partial(run, item), item.path)


def in_child(task: Callable[[], Any], seconds: float, *, silent: bool = True) -> Any:
    """What a task returns in a fork of this process; "no end" where it takes longer."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            if silent:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, 1)
                os.dup2(nowhere, 2)
            answer = json.dumps(task()).encode()
        except BaseException as error:  # the child must end here
            answer = json.dumps(f"{type(error).__name__}: {error}").encode()
        with suppress(BaseException):
            while answer:
                answer = answer[os.write(writing, answer) :]
        os._exit(0)
    os.close(writing)
    answer, until = b"", time.monotonic() + seconds
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            os.kill(child, signal.SIGKILL)
            break
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        answer += piece
    os.close(reading)
    os.waitpid(child, 0)
    return json.loads(answer) if answer and ready else "no end"


def clear(caches: list[Any]) -> None:
    """Forget what was computed before."""
    for cache in caches:
        cache.cache_clear()


def caches() -> list[Any]:
    """Every memory of a function of this project."""
    return [
        entry
        for entry in gc.get_objects()
        if type(entry) is functools._lru_cache_wrapper  # a weak proxy would answer for another
        and str(getattr(entry, "__module__", "")).startswith(("privrl", "theory", "tests"))
        and getattr(entry, "__module__", "") != making.__name__
    ]


def calls(judges: list[Judge], mutants: list[Mutant]) -> dict[str, Any]:
    """By judge: the functions that it calls, its seconds, what it finds wrong with nothing
    broken."""
    seen: set[str] = set()
    names: dict[str, list[str]] = {}
    for mutant in mutants:
        names.setdefault(mutant.module, []).append(mutant.function)
    for module, functions in names.items():
        making.watch(module, sorted(set(functions)), seen.add)
    kept = caches()

    def judged(judge: Judge) -> dict[str, Any]:
        clear(kept)
        seen.clear()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)  # ends the child: too slow to be asked
        start = time.process_time()
        wrong = judge.run()
        seconds = round(time.process_time() - start, 2)
        return {"calls": sorted(seen), "seconds": seconds, "wrong": wrong}

    answers = {}
    gc.freeze()  # a child that collects garbage copies nothing of its parent
    for number, judge in enumerate(judges):
        answer = in_child(functools.partial(judged, judge), WATCHED)
        if not isinstance(answer, dict) or answer["wrong"]:
            print(f"no judge: {judge.name}: {answer}", flush=True)
            answer = {"calls": [], "seconds": WATCHED, "wrong": str(answer)}
        answers[judge.name] = {**answer, "text": judge.text}
        if number % 100 == 99:
            print(f"{number + 1} of {len(judges)} judges", flush=True)
    return answers


def refused(mutant: Mutant, judges: list[Judge], kept: list[Any] | None = None) -> str:
    """Who refuses a mutant, the first of the judges; "" where nobody does."""
    kept = caches() if kept is None else kept

    def judged() -> str:
        clear(kept)
        making.put(mutant)
        for judge in judges:
            os.write(mark[1], f"{judge.name}\n".encode())
            signal.setitimer(signal.ITIMER_PROF, LONGEST)  # ends the child
            if judge.run() is not None:
                return judge.name
        return ""

    mark = os.pipe()
    answer = str(in_child(judged, HOUR))
    os.close(mark[1])
    begun = os.read(mark[0], 1 << 20).decode().split("\n")
    os.close(mark[0])
    return f"{begun[-2]}{NO_END}" if answer == "no end" and len(begun) > 1 else answer


Key = tuple[str, str, str]


def recorded() -> dict[Key, dict[str, str]]:
    """The rows of the table by function, change and number."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["function"], row["change"], row["number"]): row for row in rows}


def key(mutant: Mutant) -> Key:
    """Where a mutant stands in the table."""
    return mutant.name, mutant.change, str(mutant.number)


def stale(
    mutants: list[Mutant],
    rows: dict[Key, dict[str, str]],
    judges: dict[str, Judge],
    kept: list[Any] | None = None,
) -> list[Mutant]:
    """Of the mutants that have a judge in the table, those whose judge is no more, accepts them,
    or refuses the formula too."""
    names = {
        mutant: rows[key(mutant)]["refused by"].removesuffix(NO_END)
        for mutant in mutants
        if rows.get(key(mutant), {}).get("refused by")
    }
    sound = {
        name
        for name in sorted(set(names.values()) & set(judges))
        if in_child(judges[name].run, WATCHED) is None
    }
    listed = []
    for number, (mutant, name) in enumerate(names.items()):
        who = refused(mutant, [judges[name]], kept) if name in sound else ""
        if who not in (name, f"{name}{NO_END}"):
            print(f"stale: {mutant.name}: {mutant.change}: {name}", flush=True)
            listed.append(mutant)
        if number % 100 == 99:
            print(f"{number + 1} of {len(names)} rows", flush=True)
    return listed


def write(rows: dict[Key, dict[str, str]]) -> None:
    """Write the table, in the order of the sources."""
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key(mutant)] for mutant in every() if key(mutant) in rows)


def _cost(judge: dict[str, Any]) -> float:
    """What is asked first: quick judges, and those that call little else."""
    return float(judge["seconds"] + len(judge["calls"]) / 20)


def row(mutant: Mutant, who: str, quick: str, reason: str) -> dict[str, str]:
    """A line of the table."""
    return dict(zip(COLUMNS, (*key(mutant), who, quick, reason), strict=True))


def complete() -> None:
    """Write the table anew: without mutants that are no more, and with those that were not run."""
    rows = recorded()
    for mutant in every():
        rows.setdefault(key(mutant), row(mutant, "", "", NOT_RUN))
    write(rows)


class Loop:
    """In place of pytest's own: the collected tests are judges."""

    def __init__(
        self,
        again: str | None,
        *,
        survivors: bool,
        only_compiled: bool,
        quick: bool,
        only_some: bool,
        confirm: bool,
    ) -> None:
        self.again, self.survivors, self.confirm = again, survivors, confirm
        self.compiled, self.quick, self.only_some = only_compiled, quick, only_some

    def chosen(self, rows: dict[Key, dict[str, str]]) -> list[Mutant]:
        """What has to be run."""

        def wanted(mutant: Mutant) -> bool:
            if compiled(mutant) != self.compiled:
                return False
            if key(mutant) not in rows:
                return self.again is None or self.again in " ".join(key(mutant))
            known = rows[key(mutant)]
            if self.survivors:
                return not known["refused by"] and known["reason"] != NOT_RUN
            if known["reason"] == NOT_RUN:
                return not known["refused by"]
            return self.again is not None and self.again in " ".join(key(mutant))

        return list(filter(wanted, every()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        claims = () if self.compiled else _claims()
        judges = {judge.name: judge for judge in (*claims, *_tests(session.items))}
        mine = [mutant for mutant in every() if compiled(mutant) == self.compiled]
        rows, kept = recorded(), caches()
        gc.freeze()  # a child that collects garbage copies nothing of its parent
        if self.confirm:
            asked = [mutant for mutant in mine if (self.again or "") in " ".join(key(mutant))]
            chosen = stale(asked, rows, judges, kept)
            if chosen:
                self.ask(chosen, judges, rows, kept)
            left = [m for m in asked if not rows.get(key(m), {}).get("refused by")]
            confirmed = len(asked) - len({*chosen, *left})
            print(f"confirmed {confirmed}, changed {len(chosen)}, survivors {len(left)}")
        else:
            self.ask(self.chosen(rows), judges, rows, kept)
        complete()
        return True

    def ask(
        self,
        chosen: list[Mutant],
        judges: dict[str, Judge],
        rows: dict[Key, dict[str, str]],
        kept: list[Any],
    ) -> None:
        """Put down who refuses each of the chosen."""
        mine = [mutant for mutant in every() if compiled(mutant) == self.compiled]
        watched = hashlib.sha256(" ".join(sorted({mutant.name for mutant in mine})).encode())
        path = CALLS.with_name(f"calls-{watched.hexdigest()[:12]}.json")  # of these functions
        answers = json.loads(path.read_text()) if path.exists() else {}
        new = [
            judge
            for name, judge in judges.items()
            if name not in answers or answers[name]["text"] != judge.text
        ]
        if new:
            answers |= in_child(functools.partial(calls, new, mine), 10 * HOUR, silent=False)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(answers, indent=1))
        known = {name: row for name, row in json.loads(path.read_text()).items() if name in judges}
        last: dict[str, list[str]] = {}
        cheapest = {
            mutant.name: min(
                (_cost(each) for each in known.values() if mutant.name in each["calls"]),
                default=float(SLOWEST),
            )
            for mutant in mine
        }
        # should time run out, what is soon decided has been
        chosen = sorted(chosen, key=lambda mutant: cheapest[mutant.name])
        for number, mutant in enumerate(chosen):
            able = [
                name
                for name, row in known.items()
                if mutant.name in row["calls"]
                and row["seconds"] <= (QUICK if self.quick else SLOWEST)
            ]
            first = last.setdefault(mutant.name, [])
            order = sorted(able, key=lambda name: (name not in first, _cost(known[name])))
            who = refused(mutant, [judges[name] for name in order], kept)
            if who and who not in first:
                first.insert(0, who)
            if (self.quick or self.only_some) and not who:
                continue  # the others may refuse it
            told = rows.get(key(mutant), {}).get("reason", "")
            reason = "" if who or told == NOT_RUN else told
            quick = "quick" if who in known and known[who]["seconds"] <= QUICK else ""
            rows[key(mutant)] = row(mutant, who, quick, reason)
            print(
                f"{number + 1}/{len(chosen)} {mutant.name}: {mutant.change}: {who or 'SURVIVES'}",
                flush=True,
            )
            if number % 5 == 4:
                write(rows)
        write(rows)


def main(
    again: str | None,
    *,
    survivors: bool,
    compiled: bool,
    quick: bool,
    only_list: bool,
    confirm: bool,
    judges: list[str],
) -> int:
    """Run what is missing, or what is asked for."""
    if only_list:
        complete()
        return 0
    if compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    loop = Loop(
        again,
        survivors=survivors,
        only_compiled=compiled,
        quick=quick,
        only_some=bool(judges),
        confirm=confirm,
    )
    tests = judges or (PLAIN if compiled else TESTS)
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "-s", *tests], plugins=[loop]))
