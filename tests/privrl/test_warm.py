"""Every algorithm's kernels are compiled ahead, and need no more than what `make` installs first."""

from __future__ import annotations

import re
import subprocess
import sys

from figures.reproduce import ROOT
from privrl import warm
from privrl.agents import registry


def test_every_algorithm_is_played_the_slowest_to_compile_last() -> None:
    played = list(warm.warm())
    assert sorted(played) == sorted(registry.names())
    assert played[-4:] == ["private-ofu-rl", "ofu-rl", "private-ce", "ce"]


def test_it_needs_nothing_that_is_installed_later() -> None:
    script = (
        "import sys\n"
        "class Later:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in blocked: raise ModuleNotFoundError(name)\n"
        f"first = set({_first()!r})\n"
        "import importlib.metadata as metadata\n"
        "blocked = {module for module, owners in metadata.packages_distributions().items()\n"
        "           if not first.intersection(owners)} - {'privrl', 'theory', 'figures', '_distutils_hack'}\n"
        "sys.meta_path.insert(0, Later())\n"
        "from privrl import warm\n"
        "assert next(warm.warm()) == 'pucb'\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def _first() -> list[str]:
    """What the Makefile installs before the rest."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^FIRST := (.*)$", text, re.M), re.search(r"\$\(FIRST\)\|([\w|-]*)\)==", text)
    assert found[0] and found[1]
    return "|".join((found[0][1], found[1][1])).split("|")
