"""What was found, in five sentences and one row per paper: for the README's first screen and for
notebook 00.

Every number comes from the ledger, the accounting or the tables of runs; only the provisos are
written here.
"""

import re
import textwrap
from dataclasses import dataclass, replace
from functools import cache
from math import inf, log10

from figures import linear_runs
from figures import users as advice
from figures.chowdhury2021 import learning as chowdhury2021_learning
from figures.kinds.tables import numbers
from figures.style import number
from privrl.checks import require
from privrl.environments import suite
from privrl.privacy import noise
from privrl.run import learning
from privrl.types import Run
from theory import errata, ledger

RUNS: dict[
    str, tuple[str, tuple[str, ...]]
] = {  # the comparison environment of each paper, and its tables with runs
    "vietri2020": (
        "vietri2020/riverswim-3-relabelled",
        ("vietri2020_regret", "vietri2020_counters"),
    ),
    "chowdhury2021": ("chowdhury2021/scalar", ("chowdhury2021_regret", "chowdhury2021_counters")),
    "liao2021": ("liao2021/mixture-2", ("liao2021_learning",)),
    "zhou2022": ("zhou2022/mixture-2", ("zhou2022_regret", "zhou2022_counters")),
}
PROVISO = {  # see their first errata
    "vietri2020": "; the released counters, natural logarithm; base 2: 2 to 2.6",
    "chowdhury2021": "; once the radius reads no data",
    "liao2021": "; once values are cut at 0",
}
SETTLED = 10.0  # a ratio whose interval is wider than that is an order of magnitude
OWN = {
    "vietri2020": "pucb",
    "chowdhury2021": "private-ofu-rl",
    "liao2021": "ldp-ucrl-vtr",
    "zhou2022": "linopt-vi",
}


@dataclass(frozen=True)
class Learnt:
    """Two runs of one algorithm that have learnt: as printed, and at best with honest noise.

    Raises
    ------
    ValueError
        Runs that differ in problem, algorithm, epsilon or in the planned number of users, which
        enters noise and widths.
    """

    printed: Run
    best: Run

    def __post_init__(self) -> None:
        for name in ("id", "agent", "epsilon", "planned"):
            values = {side: getattr(getattr(self, side), name) for side in ("printed", "best")}
            require(
                values["printed"] == values["best"],
                f"runs that are divided by one another must have the same {name}",
                **values,
            )

    @property
    def users(self) -> tuple[float, float]:
        """Users before learning: as printed, at best."""
        return _burn_in(self.printed), _burn_in(self.best)

    @property
    def ratio(self) -> float:
        """How many times fewer the best needs."""
        printed, best = self.users
        return printed / best

    def ratios(self) -> tuple[float, float]:
        """The least and the most that the ratio can be, by the ends of both runs' 95 %
        intervals."""
        (latest, _, earliest), (slowest, _, fastest) = map(_burn_ins, (self.printed, self.best))
        return earliest / slowest, latest / fastest

    def is_settled(self) -> bool:
        """Whether the ends differ less than tenfold; else the order of magnitude is all there
        is."""
        least, most = self.ratios()
        return most < SETTLED * least


@cache
def learnt(paper: str, delta: float | None = None) -> Learnt | None:
    """From the tables of runs, at the smallest epsilon at which a printed run was seen to learn.

    Parameters
    ----------
    delta : of the best run; any by default

    Returns
    -------
    None where no epsilon has a printed and an honest run that learnt, or for a paper without runs.
    Best over the honest calibrations and all counters that were run for the same planned number of
    users as a printed run.

    Raises
    ------
    ValueError
        Runs that learnt at that epsilon, none of them planned for as many users as a printed one.
    """
    if paper not in RUNS:
        return None
    identifier, names = RUNS[paper]
    reached = [
        run
        for name in (*names, "tuned_users")
        for run in linear_runs.read_runs(name)
        if run.id == identifier
        and run.agent == OWN[paper]
        and run.counter != "none"
        and len(run.regret) > 1
        and run.calibration in ("printed", *advice.HONEST)
        and _burn_in(run) < inf
    ]
    for epsilon in sorted({run.epsilon for run in reached}):
        same_epsilon = [run for run in reached if run.epsilon == epsilon]
        printed = [run for run in same_epsilon if run.calibration == "printed"]
        honest = [
            run
            for run in same_epsilon
            if run.calibration != "printed" and delta in (None, run.delta)
        ]
        if printed and honest:
            plans = {run.planned for run in honest}
            first = min([run for run in printed if run.planned in plans] or printed, key=_burn_in)
            alike = [run for run in honest if run.planned == first.planned]
            return Learnt(first, min(alike or honest, key=_burn_in))  # which refuses unequal plans
    return None


def _burn_in(run: Run) -> float:
    """Users before a run has learnt, infinite where it has not."""
    return _burn_ins(run)[0]


def _burn_ins(run: Run) -> tuple[float, float, float]:
    """By the upper end of the interval of its regret, by the mean, by the lower end."""
    lq = run.id.startswith("chowdhury2021/")
    burn = (
        chowdhury2021_learning.burn_in(run)
        if lq
        else learning.burn_in(run, suite.tabular(run.id), growing=True)
    )
    return numbers(burn)


def fewest(run: Run) -> int:
    """How many replicates, from the first on, it takes before the run has learnt, and stays so."""
    learns = [
        _burn_in(replace(run, regret=run.regret[:replicates])) < inf
        for replicates in range(2, len(run.regret) + 1)
    ]
    return 2 + max((at + 1 for at, has_learnt in enumerate(learns) if not has_learnt), default=0)


def bought(paper: str) -> tuple[str, str]:
    """The paper's noise at its default setting over the least that is enough; what it gives."""
    if paper not in noise.PAPERS:
        return "not known", "not known"
    printed = noise.noise(paper, noise.DEFAULTS[paper])
    setting = printed.setting
    at = f"H = {setting.horizon}" + (f", delta = {setting.delta:g}" if setting.delta else "")
    small = ": too small" if printed.factor > 1 else ""
    return (
        f"{number(1 / printed.factor, 2)} times{small}{_deltas(paper)}",
        f"{number(printed.real_epsilon, 2)} ({at}{PROVISO.get(paper, '')})",
    )


def _deltas(paper: str) -> str:
    """In brackets, the delta of the ratio of noises; beside it the ratio at ``MOST_DELTA``."""
    delta = noise.DEFAULTS[paper].delta
    if not delta:
        return ""
    if delta == advice.MOST_DELTA:
        return f" (delta = {delta:g})"
    smaller = noise.noise(paper, noise.setting(paper, delta=advice.MOST_DELTA))
    return f" (delta = {delta:g}; {number(1 / smaller.factor, 3)} at {advice.MOST_DELTA:g})"


def users(paper: str) -> tuple[str, str, str]:
    """In words: users that both runs were planned for, users before learning as printed, at
    best."""
    pair = learnt(paper)
    if pair is None:
        return "-", "not reached", "not reached"
    best = pair.best
    over = "own noise" if best.counter == "local" else f"`{best.counter}`"
    also = "" if best.delta == pair.printed.delta else f"; delta = {best.delta:g}"
    also += "" if best.epsilon == 1 else f"; both at epsilon = {best.epsilon:g}"
    about, digits = ("", 2) if pair.is_settled() else ("about ", 1)
    printed, fewer = (f"{about}{number(value, digits)}" for value in pair.users)
    return number(best.planned, 2), printed, f"{fewer} (`{best.calibration}`, {over}{also})"


def fewer_users() -> str:
    """How many times fewer users the algorithms need at best than as printed, in words."""
    pairs = [pair for pair in map(learnt, ledger.PAPERS) if pair]
    settled = [pair for pair in pairs if pair.is_settled()]
    text = " and ".join([", ".join(map(_times, settled[:-1])), _times(settled[-1])])
    for pair in pairs:
        if pair not in settled:
            order = number(10 ** round(log10(pair.ratio)))
            text += (
                f"; in {_paper(pair)} of the order of {order}, and no more can be said, since the "
                f"measure moves with the number of replicates: by the first "
                f"{fewest(pair.printed) - 1} of its {len(pair.printed.regret)} runs alone the "
                f"printed agent never learns"
            )
    return text


def _paper(pair: Learnt) -> str:
    return pair.best.id.partition("/")[0]


def _times(pair: Learnt) -> str:
    """From end to end of the interval, with the one significant digit that few replicates allow."""
    low, high = (number(value, 1) for value in pair.ratios())
    times = f"about {low}" if low == high else f"{low} to {high}"
    text = f"{times} times fewer in {_paper(pair)}"
    if pair.best.delta != pair.printed.delta:
        same = learnt(_paper(pair), pair.printed.delta)
        assert same is not None
        text += (
            f" (with delta = {pair.best.delta:g} in place of {pair.printed.delta:g}; "
            f"about {number(same.ratio, 1)} without that)"
        )
    return text


def markdown() -> str:
    """The table of the README."""
    head = (
        "paper",
        "printed noise, over the least that is enough",
        "epsilon that it really gives, for 1",
        "users planned for",
        "users before it has learnt, as printed",
        "at best",
        "gravest erratum",
    )
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    for paper in ledger.PAPERS:
        gravest = next((erratum.title for _, erratum in errata.groups(paper)), "none")
        # a title without its examples
        cells = (paper, *bought(paper), *users(paper), re.sub(r" \([^)]*\)", "", gravest))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


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
    text = f"""1. Of the {numbered} statements that the papers number {total["holds"]} hold
   as printed, {total["corrected: wording"]} need a word, {total["corrected: constant"]} another
   constant, {total["corrected: domain"]} a hypothesis or a range and
   {total["corrected: substance"]} a new statement; {total["unspecified"]} hide constants,
   {total["open"]} are open, for {questions} reasons, and {total["fails"] or "no"} statement fails
   beyond repair.
2. The printed noise is too small in one paper: the sums that {smallest} releases have epsilon =
   {epsilons} where its proof says 1, with the natural logarithm; the actions, which are all that
   other users see, can tell more than epsilon too, though only in events far less probable than
   any delta in use; in the others it is larger than needed: {", ".join(large[:-1])} and
   {large[-1]}.
3. Two proofs of privacy need a repair of one line: in chowdhury2021 a radius reads data before
   noise is added, in liao2021 values that are not cut at 0 let a server that is not trusted undo
   any finite noise.
4. In two papers regret can be linear where a bound says that it is not: in liao2021, since the
   confidence widths shrink towards the last steps and the noise does not, and with zhou2022's
   policy optimisation where a first state stays away for a constant share of the run, if its
   "fixed" first states are read as a sequence that is fixed in advance; one first state for all
   users, or independent draws of one law, are safe.
5. With the least noise and widths that keep the guarantee, and a better way to add noise to sums,
   the same algorithms, planned for the same number of users, learn from fewer users than as
   printed: {fewer_users()}."""
    return (
        "\n".join(
            textwrap.fill(" ".join(sentence.split()), 118, subsequent_indent="   ")
            for sentence in re.split(r"\n(?=\d\. )", text)
        )
        + "\n"
    )
