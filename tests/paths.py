"""The package on every code path that this processor can take: ``python -m tests.paths``.

A path is a setting of the libraries' own: kernels of OpenBLAS, dispatch of numpy, target of numba, variants of glibc's
libm, threads. Each is checked to be in force, runs in a process of its own, and is compared with what the processor
takes by itself. Kernels for different targets do not meet: the target is in the key of numba's index.
"""

import contextlib
import ctypes
import itertools
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from reproduce import environment, making

DOCUMENT = making.ROOT / "docs" / "portability.md"
EPSILON = 1e4  # so little noise that agents learn: uniform play would hide a flipped action
EPISODES = {"vietri2020/riverswim-3-relabelled": 5000, "chowdhury2021/scalar": 300, "chowdhury2021/lq-2-2": 200,
            "liao2021/riverswim-3-relabelled": 2000, "zhou2022/riverswim-3-relabelled": 2000}
FLIP = 1e-9  # relative: rounding in a sum of 10^5 episodes stays below, another action in one episode does not
LEVELS = ("X86_V2", "X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR")  # numpy's names
HWCAPS = {"without FMA": "0x4", "SSE2": "0x0"}  # what the loader then says
NO_FMA = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"
Results = Iterator[tuple[str, list[Any]]]  # a run, a column or a file, and its numbers or words


class Setting(NamedTuple):
    """A path: the variables that ask for it, what :func:`facts` must then say, the level that the processor needs."""

    name: str
    variables: dict[str, str]
    facts: dict[str, str]
    needs: str = ""


class Row(NamedTuple):
    """A line of the table, and what differs."""

    path: str
    run: str
    compared: str = ""
    equal_to_the_last_bit: str = ""
    largest_relative_difference: str = ""
    outcome: str = ""
    faults: tuple[str, ...] = ()


def _path(needs: str, *choices: str, name: str = "") -> Setting:
    """A path of one choice, or of several under a name."""
    variables: dict[str, str] = {}
    for library, value in (choice.split(" ", 1) for choice in choices):
        variables |= {
            "OpenBLAS": {"OPENBLAS_CORETYPE": value},
            "numpy": {"NPY_DISABLE_CPU_FEATURES": " ".join(itertools.takewhile(value.__ne__, reversed(LEVELS)))},
            "numba": {"NUMBA_CPU_NAME": value, "NUMBA_CPU_FEATURES": ""},
            "glibc": {"GLIBC_TUNABLES": NO_FMA + (",-AVX,-SSE4_1" if value == "SSE2" else "")},
            "threads": {f"{each}_NUM_THREADS": value for each in ("OPENBLAS", "OMP", "NUMBA")},
        }[library]
    wanted = {library.lower(): HWCAPS.get(value, value) for library, value in (one.split(" ", 1) for one in choices)}
    return Setting(name or choices[0], variables, wanted, needs)


OWN = Setting("the processor's own", {}, {})
SETTINGS = (
    _path("X86_V2", "OpenBLAS Nehalem"), _path("X86_V3", "OpenBLAS Haswell"), _path("X86_V3", "OpenBLAS Zen"),
    _path("X86_V4", "OpenBLAS SkylakeX"), _path("AVX512_SPR", "OpenBLAS Cooperlake"),
    _path("AVX512_SPR", "OpenBLAS SapphireRapids"),
    *(_path(level, f"numpy {level}") for level in LEVELS[:3]),
    _path("", "numba generic"), _path("X86_V2", "numba nehalem"), _path("X86_V3", "numba haswell"),
    _path("X86_V4", "numba skylake-avx512"),
    _path("X86_V2", "glibc without FMA"), _path("X86_V2", "glibc SSE2"), _path("", "threads 1"), _path("", "threads 2"),
    _path("X86_V2", "OpenBLAS Nehalem", "numpy X86_V2", "numba generic", "glibc SSE2", name="oldest"),
    _path("X86_V3", "OpenBLAS Haswell", "numpy X86_V3", "numba haswell", name="middle"),
)  # fmt: skip


def facts() -> dict[str, str]:
    """What each library has taken, by its own account; empty where it cannot be asked."""
    import numba
    import numpy as np
    import scipy.linalg  # noqa: F401  # loads its OpenBLAS
    from numba.core.registry import cpu_target
    from numpy._core import _multiarray_umath

    cores, threads = set(), {numba.get_num_threads()}
    for package, suffix in (("numpy", "64_"), ("scipy", "")):  # each ships its own
        for path in Path(np.__file__).parents[1].glob(f"{package}.libs/libscipy_openblas*"):
            library = ctypes.CDLL(str(path))
            core = getattr(library, f"scipy_openblas_get_corename{suffix}")
            core.restype = ctypes.c_char_p
            cores.add(core().decode())
            threads.add(getattr(library, f"scipy_openblas_get_num_threads{suffix}")())
    loader = Path("/lib64/ld-linux-x86-64.so.2")
    asked = [str(loader), "--list-diagnostics"] if loader.exists() else ["true"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    levels = [level for level in LEVELS if _multiarray_umath.__cpu_features__.get(level)]
    return {"openblas": " ".join(sorted(cores)), "numpy": " ".join(levels[-1:]),
            "numba": cpu_target.target_context.codegen().magic_tuple()[1],
            "threads": " ".join(map(str, sorted(threads))),
            "glibc": "".join(re.findall(r"^dl_hwcaps_subdirs_active=(\w+)", said, re.MULTILINE))}


def agents(part: float) -> Results:
    """Exact regret of every agent over every counter, law and calibration that it is defined for."""
    from privrl.agents import registry
    from privrl.environments import suite
    from privrl.privacy.counters.mechanisms import MECHANISMS
    from privrl.run import simulate

    for identifier, episodes in EPISODES.items():
        entry, mdp, made = suite.entry(identifier), suite.environment(identifier), {}
        settings = itertools.product(entry.agents, MECHANISMS, registry.CALIBRATIONS, (0.0, 1e-6))  # Laplace, Gaussian
        for name, counter, calibration, delta in settings:
            with contextlib.suppress(ValueError):  # an agent that is not defined so
                agent = registry.make(name, epsilon=EPSILON, delta=delta, beta=entry.beta, counter=counter,
                                      calibration=calibration)
                if repr(agent) not in made:
                    run = simulate.run(identifier, mdp, agent, episodes=max(20, round(part * episodes)))
                    made[repr(agent)] = run.regret[0].tolist()
        yield from ((f"{identifier} {agent}", regret) for agent, regret in made.items())


def live(_: float) -> Results:
    """The data of the figures that are run live, whole."""
    from figures import registry

    for name in (name for name in registry.ids() if name.endswith("_live")):
        for table, data in registry.figure(name).tables().items():
            for column in data:
                yield f"{name}/{table}/{column}", data[column].tolist()


def derived(_: float) -> Results:
    """``python -m reproduce``: how each file differs from the committed one, empty where it agrees."""
    for row in making.reproduce(making.ARTEFACTS, making.ROOT):
        yield f"{row.file} ({row.kind})", [row.difference]


RUNS = {"agents": agents, "live": live, "derived": derived}


def work(run: str, part: float, wanted: dict[str, str] | None, own: dict[str, str]) -> None:
    """Print why a path is not taken, the facts and the results, in the process of the path; without ``run`` if None."""
    if run == "derived":
        environment.settle()
    taken = facts()
    why = unavailable(wanted or {}, taken, own)
    print(json.dumps([why, taken, {} if why or wanted is None else dict(RUNS[run](part))]))


def unavailable(wanted: dict[str, str], taken: dict[str, str], own: dict[str, str]) -> str:
    """Why there is nothing to run; empty where the path is one of its own, and in force."""
    for fact, value in wanted.items():
        if taken.get(fact) != value:
            return f"not run: asked for {value}, {fact} has {taken.get(fact) or 'nothing to ask'}"
    return "not run: is the processor's own" if taken == own else ""


def difference(one: list[Any], other: list[Any]) -> float:
    """Largest difference of two columns relative to their largest number; infinite where words or lengths differ."""
    apart, scale = 0.0, 0.0
    for a, b in itertools.zip_longest(one, other):
        if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
            apart, scale = max(apart, abs(a - b)), max(scale, abs(a))
        elif repr(a) != repr(b):
            return math.inf
    return apart / (scale or 1.0)


def compare(path: str, run: str, own: dict[str, list[Any]], made: dict[str, list[Any]]) -> Row:
    """A path against the processor's own; what only one of them has is a fault, and so is a flipped action."""
    apart = {label: difference(own[label], made[label]) for label in own if label in made}
    faults = [f"{label}: on one path only" for label in sorted(own.keys() ^ made.keys())]
    for label, value in apart.items():
        if value > FLIP:
            pairs = itertools.zip_longest(own[label], made[label])
            faults.append(f"{label}: {value:.1e} apart, " + next(f"{b!r} for {a!r}" for a, b in pairs if a != b))
    equal, largest = sum(value == 0 for value in apart.values()), max(apart.values(), default=0.0)
    outcome = f"{len(faults)} DIFFER" if faults else "agrees"
    return Row(path, run, str(len(apart)), str(equal), f"{largest:.1e}", outcome, tuple(faults))


def start(setting: Setting, code: str) -> str:
    """What ``python -c CODE`` prints on a path; ``RuntimeError`` with the last lines where it fails or is ended."""
    known = {name for one in SETTINGS for name in one.variables}
    surroundings = {key: value for key, value in os.environ.items() if key not in known} | setting.variables
    done = subprocess.run([sys.executable, "-c", code], check=False, env=surroundings, cwd=making.ROOT,
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ended with {done.returncode}: {' '.join((done.stderr or done.stdout).split()[-60:])}")
    return done.stdout


def measure(settings: Iterable[Setting], run: str, part: float) -> Iterator[Row]:
    """The processor's own path, then each setting against it; what is derived, against what is committed."""
    command = f"from tests import paths; paths.work({run!r}, {part!r}, %r, %r)"
    base = start(OWN, command % (None if run == "derived" else {}, {}))
    _, own, expected = json.loads(base.splitlines()[-1])
    yield Row(OWN.name, run, outcome=", ".join(f"{fact} {value or 'unknown'}" for fact, value in own.items()))
    label = f"{run}, part {part:g}" if run == "agents" else run
    for setting in settings:
        if setting.needs and setting.needs not in LEVELS[: LEVELS.index(own["numpy"]) + 1 if own["numpy"] else 0]:
            yield Row(setting.name, "", outcome=f"not run: this processor has no {setting.needs}")
            continue
        try:
            why, _, made = json.loads(start(setting, command % (setting.facts, own)).splitlines()[-1])
        except RuntimeError as error:
            yield Row(setting.name, label, outcome="1 DIFFER", faults=(str(error),))
            continue
        if why:
            yield Row(setting.name, "", outcome=why)
        else:
            yield compare(setting.name, label, {file: [""] for file in made} if run == "derived" else expected, made)


def merged(text: str, rows: Iterable[Row]) -> str:
    """The document with these rows in its table; the others stay if the processor's own path is as it was."""
    section = text.partition("<!-- derived: paths -->")[2].partition("<!-- end: paths -->")[0]
    stored = [Row(*line.strip("| ").split(" | ")) for line in section.strip().splitlines()[2:]]
    new = [row._replace(faults=()) for row in rows]
    if any(old[:2] == row[:2] and old != row for old in stored for row in new if row.path == OWN.name):
        stored = []
    kept = {(row.path, row.run.split(",")[0]): row for row in (*stored, *new)}
    names = [one.name for one in (OWN, *SETTINGS)]
    heads = [field.replace("_", " ") for field in Row._fields[:-1]]
    ordered = sorted(kept.values(), key=lambda row: (names.index(row.path), row.run))
    lines = [heads, ["---"] * len(heads), *(row[:-1] for row in ordered)]
    return making.refresh(text, {"paths": lambda: "\n".join(f"| {' | '.join(cells)} |" for cells in lines)})


@click.command()
@click.option("--only", multiple=True, help="Paths whose name has this in it.")
@click.option("--work", "runs", multiple=True, type=click.Choice(list(RUNS)), help="A part of what is run.")
@click.option("--part", default=1.0, help="Of the agents' episodes.")
@click.option("--write", is_flag=True, help="Write what was run into the table of docs/portability.md.")
def main(only: tuple[str, ...], runs: tuple[str, ...], part: float, write: bool) -> None:
    """Run the package on every code path that this processor can take, and compare."""
    chosen = [one for one in SETTINGS if not only or any(word in one.name for word in only)]
    rows = []
    for row in itertools.chain.from_iterable(measure(chosen, run, part) for run in runs or ("agents", "live")):
        click.echo("\n    ".join((" | ".join(row[:-1]), *row.faults)))
        rows.append(row)
    if write:
        from privrl.run.store import write_whole  # loads numpy: not before a path has settled

        write_whole(DOCUMENT, merged(DOCUMENT.read_text("utf-8"), rows))
    sys.exit(any(row.faults for row in rows))


if __name__ == "__main__":
    main()
