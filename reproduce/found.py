"""What was found, in five sentences and one row per paper: for docs/found.md and for
notebook 00.

Every number comes from the ledger, the accounting or the tables of runs; a proviso is the paper's
own (:mod:`privrl.privacy.noise_scales`).
"""

import re
import textwrap
from dataclasses import dataclass
from functools import cache
from math import inf

from figures import measured, user_cases
from figures.across import found_users
from figures.across.found_users import Side
from figures.style import number
from privrl.checks import require
from privrl.privacy import noise
from privrl.run import measure
from theory import errata, ledger
from theory.papers.vietri2020 import theorem_1
from theory.typed import caption


@dataclass(frozen=True, eq=False)
class Learnt:
    """Runs of one algorithm as printed, and with noise that keeps the guarantee.

    Raises
    ------
    ValueError
        Runs that differ in world, algorithm, epsilon or in the planned number of users, which
        enters noise and widths.
    """

    printed: Side
    best: Side

    def __post_init__(self) -> None:
        for name in ("world", "agent", "epsilon", "planned"):
            values = {
                side: getattr(self, side).setting.labels[name] for side in ("printed", "best")
            }
            require(
                values["printed"] == values["best"],
                f"runs that are divided by one another must have the same {name}",
                **values,
            )

    @property
    def ratio(self) -> tuple[float, float, float]:
        """How many times fewer the best needs, and the ends of the 95 % interval."""
        return measure.ratio(self.printed.users, self.best.users)


@cache
def learnt(comparison: str) -> Learnt | None:
    """Both sides of a comparison of :mod:`figures.across.found_users`; None for a paper without
    runs."""
    if comparison not in found_users.COMPARISONS:
        return None
    return Learnt(*found_users.sides(comparison))


def bought(paper: str) -> tuple[str, str]:
    """The paper's noise at its default setting over the least that is enough; what it gives."""
    if paper not in noise.PAPERS:
        return "not known", "not known"
    printed = noise.noise(paper, noise.DEFAULTS[paper])
    setting = printed.setting
    at = f"H = {setting.horizon}" + (f", delta = {number(setting.delta)}" if setting.delta else "")
    small = ": too small" if printed.factor > 1 else ""
    proviso = noise.paper(paper).proviso
    return (
        f"{number(1 / printed.factor, 2)} times{small}{_deltas(paper)}",
        f"{number(printed.real_epsilon, 2)} ({at}{'; ' if proviso else ''}{proviso})",
    )


def _deltas(paper: str) -> str:
    """In brackets, the delta of the ratio of noises; beside it the ratio at ``MOST_DELTA``."""
    delta = noise.DEFAULTS[paper].delta
    if not delta:
        return ""
    if delta == user_cases.MOST_DELTA:
        return f" (delta = {number(delta)})"
    smaller = noise.noise(paper, noise.setting(paper, delta=user_cases.MOST_DELTA))
    return (
        f" (delta = {number(delta)}; {number(1 / smaller.factor, 3)} at "
        f"{number(user_cases.MOST_DELTA)})"
    )


def users(paper: str) -> tuple[str, str, str, str]:
    """In words: users that both runs were planned for, users before learning as printed, at best;
    regret of both up to one number of users."""
    pair = learnt(paper)
    if pair is None:
        return "-", "not reached", "not reached", "-"
    best, printed = pair.best.setting.labels, pair.printed.setting.labels
    over = "own noise" if best["counter"] == "local" else f"`{best['counter']}`"
    also = "" if best["delta"] == printed["delta"] else f"; delta = {number(best['delta'])}"
    also += "" if best["epsilon"] == 1 else f"; both at epsilon = {best['epsilon']:g}"
    lost = ", ".join(number(side.regret, 2) for side in (pair.printed, pair.best))
    return (
        number(best["planned"], 2),
        counted(pair.printed.users),
        f"{counted(pair.best.users)} (`{best['calibration']}`, {over}{also})",
        f"{lost} ({number(pair.best.fixed, 1)})",
    )


def counted(users: measure.Users) -> str:
    """A median of users with its interval, and the replicates that never got there where there are
    any."""
    low, high = (number(end, 2) for end in measure.outward(*users.interval()))
    never = f"; {users.never} of {users.first.size} never" if users.never else ""
    return f"{number(users.median, 2)} ({low} to {high}{never})"


def fewer_users() -> str:
    """How many times fewer users the algorithms need at best than as printed, in words."""
    words = [_times(paper) for paper in ledger.PAPERS if learnt(paper)]
    epsilons: dict[float, list[str]] = {}
    for paper in ledger.PAPERS:
        if pair := learnt(paper):
            epsilons.setdefault(pair.best.setting.agent.epsilon, []).append(paper)
    at = ", ".join(
        f"{epsilon:g} in {' and '.join(papers)}" for epsilon, papers in sorted(epsilons.items())
    )
    return f"{' and '.join([', '.join(words[:-1]), words[-1]])}; epsilon is {at}"


def _times(paper: str) -> str:
    pair = learnt(paper)
    assert pair is not None
    text = f"{times(pair)} times fewer in {paper}"
    if pair.best.setting.agent.delta != pair.printed.setting.agent.delta:
        same = learnt(f"{paper}, delta = {pair.printed.setting.agent.delta:g}")
        assert same is not None
        text += (
            f" (with delta = {number(pair.best.setting.agent.delta)} in place of "
            f"{number(pair.printed.setting.agent.delta)}; {times(same)} without that)"
        )
    return text


def times(pair: Learnt) -> str:
    """A ratio with one digit, or two where its interval is narrow, and the interval, rounded
    outwards; where it is wide, that alone."""
    ratio, low, high = pair.ratio
    least, most = measure.outward(low, high)
    if most == inf:
        return f"more than {number(least, 2)}"
    digits = measured.digits(low, high)
    if not digits:
        return f"between {number(least, 2)} and {number(most, 2)}"
    return f"about {number(ratio, digits)} ({number(least, 2)} to {number(most, 2)})"


def markdown() -> str:
    """The table of docs/found.md, and below it each paper's gravest erratum."""
    head = (
        "paper",
        "printed noise, over the least that is enough",
        "epsilon that it really gives, for 1",
        "users planned for",
        "users before it has learnt, as printed",
        "with noise that keeps the guarantee",
        "regret of both up to so many, over play that learns nothing",
    )
    rows = [f"| {' | '.join((paper, *bought(paper), *users(paper)))} |" for paper in ledger.PAPERS]
    table = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|", *rows]
    gravest = []
    for paper in ledger.PAPERS:
        title = next((erratum.title for _, erratum in errata.groups(paper)), "none")
        without_examples = re.sub(r" \([^)]*\)", "", title)
        gravest.append(f"- {paper}: {caption(without_examples)}")
    return "\n".join([*table, "", "The gravest erratum of each:", "", *gravest]) + "\n"


def sentences() -> str:
    """What was found, in five sentences whose numbers are the ledger's, the accounting's and the
    runs'."""
    rows = ledger.recorded()
    tallies = [ledger.tally(rows, paper, numbered=True) for paper in ledger.PAPERS]
    total = {verdict: sum(tally[verdict] for tally in tallies) for verdict in ledger.VERDICTS}
    noises = [noise.noise(paper, noise.DEFAULTS[paper]) for paper in noise.PAPERS]
    small = {
        printed.paper: number(printed.real_epsilon, 2) for printed in noises if printed.factor > 1
    }
    large = [
        f"{number(1 / printed.factor, 2)} times in {printed.paper}{_deltas(printed.paper)}"
        for printed in noises
        if printed.factor <= 1
    ]
    undecided = [row for row in rows if row["numbered"] and row.get("verdict") == "open"]
    questions = len({row["cause"] for row in undecided})
    smallest, epsilons = " and ".join(small), " and ".join(small.values())
    numbered = sum(total.values())
    (low_two, low), (high_two, high) = theorem_1.bracket()
    text = f"""1. Of the {numbered} statements that the papers number, {total["holds"]} hold
   as printed, {total["corrected: wording"]} need a word, {total["corrected: constant"]} another
   constant, {total["corrected: domain"]} a hypothesis or a range and
   {total["corrected: substance"]} a new statement; {total["unspecified"]} hide constants,
   {total["open"]} rest on {questions} open questions, and {total["fails"] or "no"} statement fails
   beyond repair.
2. The printed noise is too small in one paper: the sums that {smallest} releases have epsilon =
   {epsilons} where its proof says 1, with the natural logarithm; the actions, which are all that
   other users see, can tell more than epsilon too, by a factor whose best value lies between
   {number(low)} and {number(high)} (base 2: {number(low_two)} and {number(high_two)}), though only
   in events far less probable than any delta in use; in the others it is, at epsilon = 1, larger
   than needed:
   {", ".join(large[:-1])} and
   {large[-1]}.
3. Two proofs of privacy need a repair of one line: in chowdhury2021 a radius reads data before
   noise is added, in liao2021 values that are not cut at 0 let a server that is not trusted undo
   noise of any fixed size (three steps and more).
4. In two papers regret can be linear where a bound says that it is not: in liao2021, for
   horizons that grow with the logarithm of the number of users, since the confidence widths shrink
   towards the last steps and the noise does not, and with zhou2022's
   policy optimisation where a first state stays away for a constant share of the run, if its
   "fixed" first states are read as a sequence that is fixed in advance; one first state for all
   users, or independent draws of one law, are safe.
5. With noise and widths that keep the guarantee, and a better way to add noise to sums, both
   chosen on other instances, the same algorithms, planned for the same number of users, learn from
   fewer users than as printed (median over replicates; in brackets 95 % intervals):
   {fewer_users()}."""
    return (
        "\n".join(
            textwrap.fill(" ".join(sentence.split()), 118, subsequent_indent="   ")
            for sentence in re.split(r"\n(?=\d\. )", text)
        )
        + "\n"
    )
