"""Users before an agent has learnt, from a trusted server to none: the table of docs/trust.md and
docs/advice.md.

Rows of own noise are those of :mod:`figures.users`.
"""

from itertools import groupby

from figures import user_cases, users
from figures.style import markdown as markdown_table
from figures.style import number
from privrl.horizon import scaling, trust
from privrl.run import measure

HEAD = (
    "problem",
    "epsilon",
    "planned for",
    "users to a plan",
    "run",
    "replicates",
    "users before it has learnt",
    "over a trusted server's tree",
)
WORDS = {
    "tree": "over `tree`, a trusted server",
    "secure": "over `secure`, 5 % drop out",
    "shuffle": "over `shuffle`",
}


def twin(row: trust.Trusted) -> trust.Trusted | None:
    """The tree's row of the same problem, epsilon and plan."""
    same = row._replace(counter="tree")[:6]
    return next((tree for tree in trust.MEASURED_USERS if tree[:6] == same), None)


def ratio(row: trust.Trusted) -> tuple[float, float, float] | None:
    """Users over those of the tree: of the medians, and between the ends of the two intervals."""
    tree = twin(row)
    if tree is None or tree == row:
        return None
    return row.median / tree.median, row.low / tree.high, row.high / tree.low


def users_words(row: trust.Trusted) -> str:
    """The median and its interval, rounded outwards."""
    low, high = measure.outward(row.low, row.high)
    return f"{number(row.median, 2)} ({number(low, 2)} to {number(high, 2)})"


def by_problem() -> list[tuple[list[trust.Trusted], users.CountedRuns | None]]:
    """Rows of one problem and epsilon together, and the runs with own noise there."""
    return [
        (list(rows), own_noise(problem, epsilon))
        for (problem, epsilon), rows in groupby(trust.MEASURED_USERS, key=lambda row: row[:2])
    ]


def own_noise(problem: str, epsilon: float) -> users.CountedRuns | None:
    """The runs of users who trust nobody, with widths as proved."""
    for case, kinds in users.counted().items():
        if (case.problem, case.trust, case.epsilon) == (problem, "local", epsilon):
            return kinds["tight"]
    return None


def _trusted_rows(trusted: list[trust.Trusted]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for row in trusted:
        times = ratio(row)
        words = ""
        if times is not None:
            low, high = measure.outward(*times[1:])
            words = f"{number(times[0], 2)} ({low:g} to {high:g})"
        rows.append(
            (
                user_cases.WORDS[row.problem],
                f"{row.epsilon:g}",
                number(float(row.planned), 2),
                number(float(row.every), 2),
                f"{users.title(trust.AGENTS[row.problem])} tight, {WORDS[row.counter]}",
                row.replicates,
                users_words(row),
                words,
            )
        )
    return rows


def _own_row(row: trust.Trusted, runs: users.CountedRuns) -> tuple[object, ...]:
    """Of own noise, in the problem of a row."""
    return (
        user_cases.WORDS[row.problem],
        f"{row.epsilon:g}",
        number(float(runs.setting.planned), 2),
        "1",
        f"{users.title(trust.AGENTS[row.problem])} tight, own noise",
        runs.users.first.size,
        runs.words,
        "",
    )


def markdown() -> str:
    """A row for each that was measured."""
    rows: list[tuple[object, ...]] = []
    for trusted, runs in by_problem():
        rows += _trusted_rows(trusted)
        if runs is not None:
            rows.append(_own_row(trusted[0], runs))
    return markdown_table(HEAD, rows)


def command(row: trust.Trusted) -> str:
    """The line that measures a row again, with a seed of one's own in place of 0."""
    every = f" --every {row.every}" if row.every > 1 else ""
    return (
        f"privrl run {row.problem} --agent {trust.AGENTS[row.problem]} --counter {row.counter} "
        f"--epsilon {row.epsilon:g} --delta {scaling.DELTA:g} --calibration tight{every} "
        f"--episodes {row.planned} --stop-after {row.played} --replicates {row.replicates} "
        "--seed 0"
    )


def commands() -> str:
    """In the order of the table."""
    lines: list[str] = []
    for trusted, runs in by_problem():
        lines += map(command, trusted)
        if runs is not None:
            lines.append(users.command(runs.setting))
    return "\n".join(["```", *lines, "```"])
