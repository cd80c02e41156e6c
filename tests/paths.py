"""The package on every code path that this processor can take: ``python -m tests.paths``
(docs/portability.md).

A path is a setting of the libraries' own: kernels of OpenBLAS, dispatch of numpy, target of numba,
variants of glibc's libm, threads. Each is checked to be in force, runs in a process of its own, and
is compared with what the processor takes by itself. Kernels for different targets do not meet: the
target is in the key of numba's index.
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
from collections import namedtuple
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from reproduce import making

EPSILON = 1e4  # so little noise that agents learn: uniform play would hide a flipped action
EPISODES = {
    "vietri2020/riverswim-3-relabelled": 5000,
    "chowdhury2021/scalar": 300,
    "chowdhury2021/lq-2-2": 200,
    "liao2021/riverswim-3-relabelled": 2000,
    "zhou2022/riverswim-3-relabelled": 2000,
}
# relative: rounding in a sum of 10^5 episodes stays below, another action in one episode does not
FLIP = 1e-9
LEVELS = ("X86_V2", "X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR")  # numpy's names
HWCAPS = {"without FMA": "0x4", "SSE2": "0x0"}  # what the loader then says
NO_FMA = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"
# a path: the variables that ask for it, what facts() must then say, the level that the processor
# needs
PathSetting = namedtuple("PathSetting", "name variables facts needs", defaults=[""])
# a line of the table (how many are compared, how many equal, the largest relative difference), and
# what differs
PathRow = namedtuple(
    "PathRow", "path run compared equal largest outcome faults", defaults=["", "", "", "", ()]
)


def _path(needs: str, *choices: str, name: str = "") -> PathSetting:
    """A path of one choice, or of several under a name."""
    variables: dict[str, str] = {}
    for library, value in (choice.split(" ", 1) for choice in choices):
        variables |= {
            "OpenBLAS": {"OPENBLAS_CORETYPE": value},
            "numpy": {
                "NPY_DISABLE_CPU_FEATURES": " ".join(
                    itertools.takewhile(value.__ne__, reversed(LEVELS))
                )
            },
            "numba": {"NUMBA_CPU_NAME": value, "NUMBA_CPU_FEATURES": ""},
            "glibc": {"GLIBC_TUNABLES": NO_FMA + (",-AVX,-SSE4_1" if value == "SSE2" else "")},
            "threads": {f"{each}_NUM_THREADS": value for each in ("OPENBLAS", "OMP", "NUMBA")},
        }[library]
    expected_facts = {
        library.lower(): HWCAPS.get(value, value)
        for library, value in (assignment.split(" ", 1) for assignment in choices)
    }
    return PathSetting(name or choices[0], variables, expected_facts, needs)


OWN = PathSetting("the processor's own", {}, {})
SETTINGS = (
    *(
        _path(*line.split(" ", 1))
        for line in (  # the level needed, the library, the choice
            "X86_V2 OpenBLAS Nehalem",
            "X86_V3 OpenBLAS Haswell",
            "X86_V3 OpenBLAS Zen",
            ("X86_V4 OpenBLAS SkylakeX"),
            "AVX512_SPR OpenBLAS Cooperlake",
            "AVX512_SPR OpenBLAS SapphireRapids",
            *(f"{level} numpy {level}" for level in LEVELS[:3]),
            " numba generic",
            ("X86_V2 numba nehalem"),
            "X86_V3 numba haswell",
            "X86_V4 numba skylake-avx512",
            "X86_V2 glibc without FMA",
            ("X86_V2 glibc SSE2"),
            " threads 1",
            " threads 2",
        )
    ),
    _path(
        "X86_V2", "OpenBLAS Nehalem", "numpy X86_V2", "numba generic", "glibc SSE2", name="oldest"
    ),
    _path("X86_V3", "OpenBLAS Haswell", "numpy X86_V3", "numba haswell", name="middle"),
)


def facts() -> dict[str, str]:
    """What each library has taken, by its own account; empty where it cannot be asked."""
    import numba
    import numpy as np
    import scipy.linalg  # noqa: F401  # loads its OpenBLAS
    from numba.core.registry import cpu_target
    from numpy._core import _multiarray_umath

    cores, threads = set(), {str(numba.get_num_threads())}
    for path in (
        Path(np.__file__).parents[1].glob("*.libs/libscipy_openblas*")
    ):  # numpy and scipy ship one each
        library, suffix = ctypes.CDLL(str(path)), "64_" if path.parent.name == "numpy.libs" else ""
        core = getattr(library, f"scipy_openblas_get_corename{suffix}")
        core.restype = ctypes.c_char_p
        cores.add(core().decode())
        threads.add(str(getattr(library, f"scipy_openblas_get_num_threads{suffix}")()))
    diagnostics = subprocess.getoutput("/lib64/ld-linux-x86-64.so.2 --list-diagnostics")
    levels = [level for level in LEVELS if _multiarray_umath.__cpu_features__.get(level)]
    return {
        "openblas": " ".join(sorted(cores)),
        "numpy": " ".join(levels[-1:]),
        "numba": cpu_target.target_context.codegen().magic_tuple()[1],
        "threads": " ".join(sorted(threads)),
        "glibc": "".join(re.findall(r"^dl_hwcaps_subdirs_active=(\w+)", diagnostics, re.MULTILINE)),
    }


def agents(share: float) -> Iterator[tuple[str, list[Any]]]:
    """Exact regret of every agent over every counter, law and calibration that it is defined
    for."""
    from privrl.agents import registry
    from privrl.environments import suite
    from privrl.privacy.counters.mechanisms import MECHANISMS
    from privrl.run import simulate

    for identifier, episodes in EPISODES.items():
        entry, mdp, regret_by_agent = suite.entry(identifier), suite.environment(identifier), {}
        # Laplace, Gaussian
        settings = itertools.product(
            registry.playing(entry), MECHANISMS, registry.AGENT_CALIBRATIONS, (0.0, 1e-6)
        )
        for name, counter, calibration, delta in settings:
            with contextlib.suppress(ValueError):  # an agent that is not defined so
                agent = registry.make(
                    name,
                    epsilon=EPSILON,
                    delta=delta,
                    beta=entry.beta,
                    counter=counter,
                    calibration=calibration,
                )
                if repr(agent) not in regret_by_agent:
                    run = simulate.run(
                        identifier, mdp, agent, episodes=max(20, round(share * episodes))
                    )
                    regret_by_agent[repr(agent)] = run.regret[0].tolist()
        yield from ((f"{identifier} {agent}", regret) for agent, regret in regret_by_agent.items())


def live(_: float) -> Iterator[tuple[str, list[Any]]]:
    """The data of the figures that are run live, whole."""
    from figures import identifiers, registry

    for name in filter(re.compile("_live$").search, identifiers.ids()):
        for table, data in registry.figure(name).tables().items():
            yield from ((f"{name}/{table}/{column}", data[column].tolist()) for column in data)


RUNS = {"agents": agents, "live": live}


def work(
    run: str, share: float, expected_facts: dict[str, str], baseline_facts: dict[str, str]
) -> None:
    """Print why a path is not taken, the facts and the results, in the process of the path."""
    actual_facts = facts()
    why = unavailable(expected_facts, actual_facts, baseline_facts)
    print(json.dumps([why, actual_facts, {} if why else dict(RUNS[run](share))]))


def unavailable(
    expected_facts: dict[str, str], actual_facts: dict[str, str], baseline_facts: dict[str, str]
) -> str:
    """Why there is nothing to run; empty where the path is one of its own, and in force."""
    missed = [
        f"not run: asked for {value}, {fact} has {actual_facts.get(fact) or 'nothing to ask'}"
        for fact, value in expected_facts.items()
        if actual_facts.get(fact) != value
    ]
    if missed:
        return missed[0]
    return "not run: is the processor's own" if actual_facts == baseline_facts else ""


def difference(first_column: list[Any], second_column: list[Any]) -> float:
    """Largest difference of two columns relative to their largest number; infinite where words or
    lengths differ."""
    apart, scale = 0.0, 0.0
    for a, b in itertools.zip_longest(first_column, second_column):
        if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
            apart, scale = max(apart, abs(a - b)), max(scale, abs(a))
        elif repr(a) != repr(b):
            return math.inf
    return apart / (scale or 1.0)


def compare(
    path: str, run: str, baseline: dict[str, list[Any]], measured: dict[str, list[Any]]
) -> PathRow:
    """A path against the processor's own; what only one of them has is a fault, and so is a flipped
    action."""
    apart = {
        label: difference(baseline[label], measured[label])
        for label in baseline
        if label in measured
    }
    faults = [f"{label}: on one path only" for label in sorted(baseline.keys() ^ measured.keys())]
    for label in [label for label, value in apart.items() if value > FLIP]:
        a, b = next(
            pair
            for pair in itertools.zip_longest(baseline[label], measured[label])
            if pair[0] != pair[1]
        )
        faults.append(f"{label}: {apart[label]:.1e} apart, {b!r} for {a!r}")
    equal, largest = (
        sum(value == 0 for value in apart.values()),
        f"{max(apart.values(), default=0.0):.1e}",
    )
    return PathRow(
        path,
        run,
        str(len(apart)),
        str(equal),
        largest,
        f"{len(faults)} DIFFER" if faults else "agrees",
        faults,
    )


def start(setting: PathSetting, code: str) -> str:
    """What ``python -c CODE`` prints on a path; ``RuntimeError`` with the last lines where it fails
    or is ended."""
    known = {name for path_setting in SETTINGS for name in path_setting.variables}
    surroundings = {
        key: value for key, value in os.environ.items() if key not in known
    } | setting.variables
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        env=surroundings,
        cwd=making.ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(
            f"ended with {done.returncode}: {' '.join((done.stderr or done.stdout).split()[-60:])}"
        )
    return done.stdout


def measure(settings: Iterable[PathSetting], run: str, share: float) -> Iterator[PathRow]:
    """The processor's own path, then each setting against it."""
    command = f"from tests import paths; paths.work({run!r}, {share!r}, %r, %r)"
    _, baseline_facts, expected = json.loads(start(OWN, command % ({}, {})).splitlines()[-1])
    yield PathRow(
        OWN.name,
        run,
        outcome=", ".join(f"{fact} {value or 'unknown'}" for fact, value in baseline_facts.items()),
    )
    label = f"{run}, part {share:g}" if run == "agents" else run
    known = (
        "",
        *LEVELS[: LEVELS.index(baseline_facts["numpy"]) + 1 if baseline_facts["numpy"] else 0],
    )
    for setting in settings:
        why = (
            f"not run: this processor has no {setting.needs}" if setting.needs not in known else ""
        )
        try:
            if not why:
                why, _, measured = json.loads(
                    start(setting, command % (setting.facts, baseline_facts)).splitlines()[-1]
                )
            yield (
                PathRow(setting.name, "", outcome=why)
                if why
                else compare(setting.name, label, expected, measured)
            )
        except RuntimeError as error:
            yield PathRow(setting.name, label, outcome="1 DIFFER", faults=(str(error),))


@click.command()
@click.option("--only", multiple=True, help="Paths whose name has this in it.")
@click.option(
    "--work", "runs", multiple=True, type=click.Choice(list(RUNS)), help="A part of what is run."
)
@click.option("--part", "share", default=1.0, help="Of the agents' episodes.")
def main(only: tuple[str, ...], runs: tuple[str, ...], share: float) -> None:
    """Run the package on every code path that this processor can take, and compare: rows of a
    table."""
    chosen, rows = (
        [setting for setting in SETTINGS if not only or any(word in setting.name for word in only)],
        [],
    )
    if not chosen:
        raise click.UsageError(
            f"--only must be in the name of a path: "
            f"{', '.join(setting.name for setting in SETTINGS)}"
        )
    for row in itertools.chain.from_iterable(measure(chosen, run, share) for run in runs or RUNS):
        click.echo("\n    ".join((f"| {' | '.join(row[:-1])} |", *row.faults)))
        rows += row.faults
    sys.exit(bool(rows))


if __name__ == "__main__":
    main()
