"""Answers "enough" of ``privrl advise`` on worlds that were held back, and where it may be said for
that reason: the table of docs/your-problem.md."""

from figures.style import markdown as markdown_table
from privrl.horizon import tried
from privrl.horizon.held_back import HeldBack
from privrl.horizon.scaling import NARROW

HEAD = (
    "worlds",
    "counter",
    "widths",
    "answers",
    "wrong",
    "states",
    "actions",
    "horizon",
    "H S A",
    "epsilon",
    "gap",
    "a state comes up, over 1 / S",
    "users that are enough",
)
COLUMNS = ("states", "actions", "horizon", "pairs", "epsilon", "gap", "share", "users")
WORLDS = (  # words, and what is asked for: a gap, and whether every state can follow
    ("states come up alike, gap 1", 1.0, True),
    ("a smaller gap, or states less alike", 0.5, True),
    ("few states follow", 1.0, False),
)


def groups() -> list[tuple[str, str, float, tuple[HeldBack, ...]]]:
    """Answers with which questions are compared: words, counter, multiplier and rows."""
    result: list[tuple[str, str, float, tuple[HeldBack, ...]]] = []
    for words, gap, dense in WORLDS:
        for counter in ("blt", "smooth"):
            rows = tried.table(counter, gap=gap, share=1.0, dense=dense)
            result += _by_widths(words, counter, rows)
    secure = tried.table("secure", gap=1.0, share=1.0, dense=True)
    return result + _by_widths("all of these", "secure", secure)


def _by_widths(
    words: str, counter: str, rows: tuple[HeldBack, ...]
) -> list[tuple[str, str, float, tuple[HeldBack, ...]]]:
    by_widths = [
        (words, counter, multiplier, tuple(row for row in rows if row.multiplier == multiplier))
        for multiplier in (1.0, NARROW)
    ]
    return [group for group in by_widths if group[-1]]


def markdown() -> str:
    """A row for each such group: answers, wrong ones, and from where to where it is said."""
    lines = []
    for words, counter, multiplier, rows in groups():
        ranges = tried.ranges(rows)
        lines.append(
            (
                words,
                f"`{counter}`",
                "as proved" if multiplier == 1 else f"times {multiplier:g}",
                len(rows),
                sum(row.first > row.users for row in rows),
                *(tried.span(*ranges[field]) for field in COLUMNS),
            )
        )
    return markdown_table(HEAD, lines)
