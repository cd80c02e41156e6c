"""Show that every pin has a wheel on every promised system and Python: ``python -m tests.pins``, when pins change.

uv (``pip install uv``) asks the package index for metadata, resolves ``requirements.txt`` for the other system from
wheels alone, and says when one is missing or when something is needed that is not pinned. Installs nothing; writes
``docs/pins.md`` with the hash of ``requirements.txt``.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PINS, RESULT = ROOT / "requirements.txt", ROOT / "docs" / "pins.md"
PYTHONS = ("3.11.0", "3.12.0", "3.13.0", "3.14.0")
SYSTEMS = {  # as uv calls them
    "Linux x86_64, glibc 2.28": "x86_64-manylinux_2_28",
    "Linux aarch64, glibc 2.28": "aarch64-manylinux_2_28",
    "macOS 14 arm64": "aarch64-apple-darwin",
    "Windows amd64": "x86_64-pc-windows-msvc",
}
Pin = tuple[str, str]


def digest(pins: Path = PINS) -> str:
    """SHA-256 of the text of ``requirements.txt``."""
    return hashlib.sha256(pins.read_text(encoding="utf-8").encode()).hexdigest()


def _pin(line: str) -> Pin:
    item = Requirement(line)
    return canonicalize_name(item.name), str(item.specifier)


def resolve(system: str, python: str, pins: Path = PINS) -> set[Pin]:
    """What would be installed there, wheels alone.

    Raises
    ------
    ValueError
        A pin has no wheel, or something is needed that is not pinned.
    """
    command = ["uv", "pip", "compile", "--quiet", "--no-config", "--no-build", "--no-header", "--no-annotate",
               "--python-platform", system, "--python-version", python, str(pins)]  # fmt: skip
    settings = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"every pin must have a wheel, got for {system}, Python {python}: {done.stderr.strip()}")
    found = {_pin(line) for line in done.stdout.splitlines()}
    pinned = {_pin(line) for line in pins.read_text(encoding="utf-8").splitlines()}
    if more := sorted(name for name, _ in found - pinned):
        raise ValueError(f"everything needed must be pinned, got for {system}, Python {python}: {', '.join(more)}")
    return found


def main() -> int:
    """Resolve for every system and Python, and write the table when all succeed."""
    if not shutil.which("uv"):
        print("uv is needed: pip install uv", file=sys.stderr)
        return 2
    rows, failures = [], []
    for name, system in SYSTEMS.items():
        cells = []
        for python in PYTHONS:
            try:
                cells.append(f"{len(resolve(system, python))} wheels")
            except ValueError as error:
                cells.append("failed")
                failures.append(str(error))
            print(f"{name}, Python {python}: {cells[-1]}", flush=True)
        rows.append([name, *cells])
    if failures:
        print(*failures, sep="\n", file=sys.stderr)
        return 1
    head = ["system", *(f"CPython {python}" for python in PYTHONS)]
    table = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    RESULT.write_text(PAGE.format(table="\n".join(table), digest=digest()), encoding="utf-8")
    return 0


PAGE = """# Where the pins install

`python -m tests.pins` wrote this page; run it again whenever `requirements.txt` changes. For each system and Python it
resolves `requirements.txt` from the package index's metadata, from wheels alone: every pin whose marker holds there has
a wheel, and nothing is needed that is not pinned.

{table}

`requirements.txt`, SHA-256: `{digest}`
"""

if __name__ == "__main__":
    sys.exit(main())
