"""The package on every code path that this processor can take: ``python -m tests.paths``.

A path is a setting of the libraries' own: kernels of OpenBLAS, dispatch of numpy, target of numba, variants of glibc's
libm, threads. Each is checked to be in force, runs in a process of its own, and is compared with what the processor
takes by itself. Kernels for different targets do not meet: the target is in the key of numba's index.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from reproduce.making import ROOT, refresh

DOCUMENT = ROOT / "docs" / "portability.md"
EPSILON = 1e4  # so little noise that agents learn: uniform play would hide a flipped action
EPISODES = {"vietri2020/riverswim-3-relabelled": 5000, "chowdhury2021/scalar": 300, "chowdhury2021/lq-2-2": 200,
            "liao2021/riverswim-3-relabelled": 2000, "zhou2022/riverswim-3-relabelled": 2000}
LIVE = ("vietri2020_live", "chowdhury2021_live", "liao2021_live", "zhou2022_live")
FLIP = 1e-9  # relative: rounding in a sum of 10^5 episodes stays below, another action in one episode does not
LEVELS = ("X86_V2", "X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR")  # numpy's names
NO_FMA = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"
Values = dict[str, list[Any]]  # a run, or a column of a table -> its numbers or words


@dataclass(frozen=True)
class Setting:
    """A path: the variables that ask for it, the entry of :func:`facts` that tells, what the processor must have."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    fact: str = ""
    value: str = ""
    needs: str = ""


OWN = Setting("the processor's own")
SETTINGS = (
    *(Setting(f"OpenBLAS {core}", {"OPENBLAS_CORETYPE": core}, "openblas", core, needs)
      for core, needs in (("Nehalem", "X86_V2"), ("Haswell", "X86_V3"), ("Zen", "X86_V3"), ("SkylakeX", "X86_V4"),
                          ("Cooperlake", "AVX512_SPR"), ("SapphireRapids", "AVX512_SPR"))),
    *(Setting(f"numpy {kept}", {"NPY_DISABLE_CPU_FEATURES": " ".join(LEVELS[index + 1 :])}, "numpy", kept, kept)
      for index, kept in enumerate(LEVELS[:3])),
    *(Setting(f"numba {name}", {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}, "numba", name, needs)
      for name, needs in (("generic", ""), ("nehalem", "X86_V2"), ("haswell", "X86_V3"), ("skylake-avx512", "X86_V4"))),
    Setting("glibc without FMA", {"GLIBC_TUNABLES": NO_FMA}, "glibc", "0x4", "X86_V2"),
    Setting("glibc SSE2", {"GLIBC_TUNABLES": f"{NO_FMA},-AVX,-SSE4_1"}, "glibc", "0x0", "X86_V2"),
    *(Setting(f"threads {number}", {f"{library}_NUM_THREADS": number for library in ("OPENBLAS", "OMP", "NUMBA")},
              "threads", number) for number in ("1", "2")),
)  # fmt: skip


# --- in the process of a path -----------------------------------------------------------------------------------------


def features() -> dict[str, bool]:
    """What numpy finds and may use, by its names."""
    from numpy._core import _multiarray_umath

    return dict(_multiarray_umath.__cpu_features__)


def facts() -> dict[str, str]:
    """What each library has taken, by its own account; empty where it cannot be asked."""
    import numba
    import numpy as np
    import scipy.linalg  # noqa: F401  # loads its OpenBLAS
    from numba.core.registry import cpu_target

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
    return {"openblas": " ".join(sorted(cores)), "numpy": " ".join([n for n in LEVELS if features().get(n)][-1:]),
            "numba": cpu_target.target_context.codegen().magic_tuple()[1],
            "threads": " ".join(map(str, sorted(threads))),
            "glibc": "".join(re.findall(r"^dl_hwcaps_subdirs_active=(\w+)", said, re.MULTILINE))}


def agents(part: float) -> Iterator[tuple[str, list[Any]]]:
    """Exact regret of every agent over every counter, law and calibration that it is defined for."""
    from privrl.agents import registry
    from privrl.environments import suite
    from privrl.privacy.counters.mechanisms import MECHANISMS
    from privrl.run import simulate

    done = set()
    for identifier, episodes in EPISODES.items():
        entry, mdp = suite.entry(identifier), suite.environment(identifier)
        settings = itertools.product(entry.agents, MECHANISMS, registry.CALIBRATIONS, (0.0, 1e-6))  # Laplace, Gaussian
        for name, counter, calibration, delta in settings:
            try:
                agent = registry.make(name, epsilon=EPSILON, delta=delta, beta=entry.beta, counter=counter,
                                      calibration=calibration)
                label = f"{identifier} {agent!r}"
                if label not in done:
                    run = simulate.run(identifier, mdp, agent, episodes=max(20, round(part * episodes)))
                    yield label, run.regret[0].tolist()
            except ValueError:
                continue  # an agent that is not defined so
            done.add(label)


def live(part: float) -> Iterator[tuple[str, list[Any]]]:
    """The data of the figures that are run live, whole."""
    for name in LIVE:
        for table, data in importlib.import_module(f"figures.{name}").tables().items():
            for column in data:
                yield f"{name}/{table}/{column}", data[column].tolist()


def work(names: Iterable[str], part: float) -> None:
    """Print facts, then results, a line of JSON each."""
    print(json.dumps(["facts", facts()]), flush=True)
    for label, values in itertools.chain.from_iterable({"agents": agents, "live": live}[name](part) for name in names):
        print(json.dumps([label, values]), flush=True)


# --- comparing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """What one path gave; ``said``: what was in force, or why it was not run."""

    name: str
    said: str
    equal: int = 0
    compared: int = 0
    largest: float = 0.0
    faults: tuple[str, ...] = ()

    def cells(self) -> tuple[str, ...]:
        """As shown: path, in force, results, equal to the last bit, largest relative difference, outcome."""
        if not self.compared and not self.faults:
            return self.name, self.said, "", "", "", "base" if self.name == OWN.name else "not run"
        outcome = f"{len(self.faults)} DIFFER" if self.faults else "agrees"
        return self.name, self.said, str(self.compared), str(self.equal), f"{self.largest:.1e}", outcome


def difference(one: list[Any], other: list[Any]) -> float:
    """Largest difference of two columns relative to their largest number; infinite where words or lengths differ."""
    apart, scale = 0.0, 0.0
    for a, b in itertools.zip_longest(one, other):
        if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
            apart, scale = max(apart, abs(a - b)), max(scale, abs(a))
        elif repr(a) != repr(b):
            return math.inf
    return apart / (scale or 1.0)


def compare(name: str, said: str, own: Values, made: Values) -> Row:
    """A path against the processor's own; what only one of them has is a fault, and so is a flipped action."""
    apart = {label: difference(own[label], made[label]) for label in own if label in made}
    faults = [f"{label}: on one path only" for label in sorted(own.keys() ^ made.keys())]
    faults += [f"{label}: another policy, {value:.1e} apart" for label, value in apart.items() if value > FLIP]
    largest = max(apart.values(), default=0.0)
    return Row(name, said, sum(value == 0 for value in apart.values()), len(apart), largest, tuple(faults))


def unavailable(setting: Setting, had: dict[str, bool], own: dict[str, str], taken: dict[str, str]) -> str:
    """Why there is nothing to run; empty where the path is one of its own, and in force."""
    found = taken.get(setting.fact) or "nothing to ask"
    if setting.needs and not had.get(setting.needs):
        return f"this processor has no {setting.needs}"
    if found != setting.value:
        return f"asked for {setting.value}, {setting.fact} has {found}"
    return "is the processor's own" if taken == own else ""


def start(setting: Setting, *command: str) -> str:
    """What ``python COMMAND`` prints on a path; ``RuntimeError`` with the last lines where it fails or is ended."""
    known = {name for one in SETTINGS for name in one.variables}
    surroundings = {key: value for key, value in os.environ.items() if key not in known} | setting.variables
    done = subprocess.run([sys.executable, *command], check=False, env=surroundings, cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode:
        last = " ".join((done.stderr or done.stdout).split()[-60:])
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {last}")
    return done.stdout


def results(setting: Setting, names: Iterable[str], part: float) -> tuple[dict[str, str], Values]:
    """Facts and values of one path."""
    said = start(setting, "-c", f"from tests import paths; paths.work({tuple(names)!r}, {part!r})").splitlines()
    lines = [json.loads(line) for line in said if line.startswith('["')]
    return lines[0][1], dict(lines[1:])


def measure(settings: Iterable[Setting], names: Iterable[str], part: float, deep: bool = False) -> Iterator[Row]:
    """The processor's own path, then each setting against it; ``deep``: and make everything derived again."""
    own, expected = results(OWN, names, part)
    yield Row(OWN.name, ", ".join(f"{key} {value or 'unknown'}" for key, value in own.items()))
    for setting in settings:
        row = Row(setting.name, "")
        try:
            row = Row(setting.name, unavailable(setting, features(), own, results(setting, (), part)[0]))
            if not row.said:
                row = compare(setting.name, "in force", expected, results(setting, names, part)[1])
                if deep and setting.fact != "threads":  # reproduce.making sets one thread itself
                    start(setting, "-m", "reproduce.making")
        except RuntimeError as error:
            row = replace(row, said="in force", faults=(*row.faults, str(error)))
        yield row


@click.command()
@click.option("--only", multiple=True, help="Paths whose name has this in it.")
@click.option("--work", "names", multiple=True, type=click.Choice(["agents", "live"]), help="A part of what is run.")
@click.option("--part", default=1.0, help="Of the agents' episodes.")
@click.option("--deep", is_flag=True, help="Run python -m reproduce.making under every path, too.")
@click.option("--write", is_flag=True, help="Write the table into docs/portability.md.")
def main(only: tuple[str, ...], names: tuple[str, ...], part: float, deep: bool, write: bool) -> None:
    """Run the package on every code path that this processor can take, and compare."""
    from rich.console import Console
    from rich.table import Table

    chosen = [one for one in SETTINGS if not only or any(word in one.name for word in only)]
    heads = ("path", "in force", "compared", "equal to the last bit", "largest relative difference", "outcome")
    rows = []
    for row in measure(chosen, names or ("agents", "live"), part, deep):
        click.echo(" | ".join(row.cells()))
        rows.append(row)
    table = Table(*heads)
    for row in rows:
        table.add_row(*row.cells())
    Console().print(table)
    for row in rows:
        click.echo("".join(f"{row.name}: {fault}\n" for fault in row.faults), nl=False)
    if write:
        lines = [heads, ("---",) * len(heads), *(row.cells() for row in rows)]
        text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        DOCUMENT.write_text(refresh(DOCUMENT.read_text("utf-8"), {"paths": lambda: text}), "utf-8")
    sys.exit(any(row.faults for row in rows))


if __name__ == "__main__":
    main()
