"""How many times as many users one run of the advice takes as another that is planned alike."""

from math import inf
from pathlib import Path

from figures import measured, users
from figures.runs import TABLES
from figures.style import markdown, number
from privrl.checks import require
from privrl.run import measure


def times_more(more: users.CountedRuns, fewer: users.CountedRuns) -> str:
    """How many times the users of ``fewer`` another run takes that is planned for as many, with the
    95 % interval, rounded outwards; of one that never learns a bound.

    Raises
    ------
    ValueError
        Runs that are planned for different numbers of users.
    """
    planned = [runs.setting.planned for runs in (more, fewer)]
    require(
        planned[0] == planned[1], "runs of a ratio must be planned for as many users", users=planned
    )
    if more.users.median == inf:
        _, high = fewer.users.interval()
        return f"more than {number(measure.outward(more.setting.played / high, high)[0], 2)}"
    return measured.ratio_words(measure.ratio(more.users, fewer.users))


def ratios_table(folder: Path = TABLES) -> str:
    """Of each row with a trusted server: users as printed, and with own noise, over its own."""
    cases = users.counted(folder)
    local = {
        (case.problem, case.epsilon, case.planned): kinds["tight"]
        for case, kinds in cases.items()
        if case.trust == "local" and "tight" in kinds
    }
    rows = []
    for case in users.advised():
        if case.trust == "local":
            continue
        mine, own = cases[case], local.get((case.problem, case.epsilon, case.planned))
        printed = times_more(mine["printed"], mine["tight"]) if "printed" in mine else ""
        dearer = times_more(own, mine["tight"]) if own else ""
        labels = users.labels_of(case)
        rows.append((labels[0], *labels[2:], printed, dearer))
    return markdown(
        (
            "problem",
            "epsilon",
            "planned for",
            "as printed, times as many users",
            "with own noise, times as many",
        ),
        rows,
    )
