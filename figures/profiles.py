"""How much of the long runs is made again: the runs stay the same, a shorter profile ends them
earlier.

| profile | every long run |
| --- | --- |
| quick | its first 10^5 episodes, two replicates |
| paper | its first 10^6 episodes, every replicate: as long as the experiments of such papers |
| full | whole: the committed tables |

The planned number of episodes, which enters noise and bonuses, is never changed. So every row that
a shorter profile makes is the beginning of a row of the committed table, and :func:`difference`
holds it against that. A table that counts over whole runs (``figures.counting``) has the runs that
are planned for no more than that.
"""

import contextlib
import contextvars
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from privrl.checks import choice
from privrl.run.sweep import RunPlan
from theory.compare import agree


@dataclass(frozen=True)
class Profile:
    """Where a run ends, and how many replicates of it are made; None: all."""

    name: str
    episodes: int | None = None
    replicates: int | None = None

    def has(self, planned: int, replicate: int) -> bool:
        """Whether this replicate is made whole."""
        short = self.episodes is None or planned <= self.episodes
        return short and (self.replicates is None or replicate < self.replicates)

    def cut(self, plan: RunPlan) -> RunPlan:
        """The beginning of a plan."""
        last = plan.last if self.episodes is None else min(plan.last, self.episodes)
        replicates = (
            plan.replicates if self.replicates is None else min(plan.replicates, self.replicates)
        )
        return dataclasses.replace(plan, stop_after=last, replicates=replicates)

    def folder(self, folder: Path) -> Path:
        """Where the tables go; figures are drawn from whole ones only."""
        return folder / "data" / ("runs" if self.name == "full" else f"runs-{self.name}")


PROFILES = {
    profile.name: profile
    for profile in (Profile("quick", 10**5, 2), Profile("paper", 10**6), Profile("full"))
}
_current: contextvars.ContextVar[Profile] = contextvars.ContextVar(
    "profile", default=PROFILES["full"]
)


def profile(name: str) -> Profile:
    """The profile of that name, or ``ValueError``."""
    return PROFILES[choice("profile", name, tuple(PROFILES))]


def current() -> Profile:
    """The profile in force: ``full`` where none has been set."""
    return _current.get()


@contextlib.contextmanager
def using(chosen: Profile) -> Iterator[None]:
    """Put a profile in force: a figure's ``recompute`` need not know of it."""
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)


def difference(remade: Path, committed: Path, chosen: Profile) -> str:
    """A sentence where a table that was made is not the committed one, or not the beginnings of its
    rows in their order; else empty."""
    if not committed.is_file():
        return "made, but not committed"
    lines, expected = (
        path.read_text(encoding="utf-8").splitlines() for path in (remade, committed)
    )
    short = chosen.name != "full"
    columns = max((line.count(",") + 1 for line in lines), default=0)
    beginnings = [",".join(line.split(",")[:columns]) for line in expected]
    return _first(lines, beginnings if short else expected, gaps=short)


def _first(lines: Sequence[str], expected: Sequence[str], *, gaps: bool = False) -> str:
    at = 0
    for number, line in enumerate(lines, 1):
        while gaps and at < len(expected) and not agree(expected[at], line, 0.0):
            at += 1
        if at >= len(expected) or not agree(expected[at], line, 0.0):
            return f"line {number} is not in the committed table at its place: {line[:160]!r}"
        at += 1
    return (
        "" if gaps or at == len(expected) else f"{len(expected)} lines committed, {len(lines)} made"
    )
