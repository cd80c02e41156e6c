"""What was found, in five sentences and one row per paper: for the README's first screen and for notebook 00.

Every number comes from the ledger, the accounting or the tables of runs; only the provisos are written here.
"""

import re
import textwrap
from math import inf
from typing import NamedTuple

from figures import linear_runs
from figures import users as advice
from figures.chowdhury2021 import learning as chowdhury2021_learning
from figures.kinds.tables import numbers
from figures.style import number
from privrl.environments import suite
from privrl.privacy import noise
from privrl.run import learning
from privrl.types import Run
from theory import errata, ledger

RUNS: dict[str, tuple[str, tuple[str, ...]]] = {  # the comparison environment of each paper, and its tables with runs
    "vietri2020": ("vietri2020/riverswim-3-relabelled", ("vietri2020_regret", "vietri2020_counters")),
    "chowdhury2021": ("chowdhury2021/scalar", ("chowdhury2021_regret", "chowdhury2021_counters")),
    "liao2021": ("liao2021/mixture-2", ("liao2021_learning",)),
    "zhou2022": ("zhou2022/mixture-2", ("zhou2022_regret", "zhou2022_counters")),
}
PROVISO = {  # see their first errata
    "vietri2020": "; the released counters, natural logarithm; base 2: 2 to 2.6",
    "chowdhury2021": "; once the radius reads no data", "liao2021": "; once values are cut at 0"
}
OWN = {"vietri2020": "pucb", "chowdhury2021": "private-ofu-rl", "liao2021": "ldp-ucrl-vtr", "zhou2022": "linopt-vi"}


class Learnt(NamedTuple):
    """Users before learning, at the smallest epsilon at which the printed calibration was seen to learn."""

    printed: float
    best: float  # over the honest calibrations and all counters that were run
    run: Run  # of ``best``


def learnt(paper: str) -> Learnt | None:
    """From the tables of runs; None where no epsilon has a printed and an honest run that learnt, or without runs."""
    if paper not in RUNS:
        return None
    identifier, names = RUNS[paper]
    burns = [(_burn_in(run), run) for name in (*names, "tuned_users") for run in linear_runs.read_runs(name)
             if run.id == identifier and run.agent == OWN[paper] and run.counter != "none" and len(run.regret) > 1
             and run.calibration in ("printed", *advice.HONEST)]
    for epsilon in sorted({run.epsilon for burn, run in burns if burn < inf}):
        reached = [(burn, run) for burn, run in burns if run.epsilon == epsilon and burn < inf]
        printed = [burn for burn, run in reached if run.calibration == "printed"]
        honest = [(burn, run) for burn, run in reached if run.calibration != "printed"]
        if printed and honest:
            best, run = min(honest, key=lambda pair: pair[0])
            return Learnt(min(printed), best, run)
    return None


def _burn_in(run: Run) -> float:
    """Users before a run has learnt, infinite where it has not."""
    lq = run.id.startswith("chowdhury2021/")
    found = chowdhury2021_learning.burn_in(run) if lq else learning.burn_in(run, suite.tabular(run.id), growing=True)
    return numbers(found)[0]


def bought(paper: str) -> tuple[str, str]:
    """The printed noise of the paper's default setting over the least that is enough, and the epsilon that it gives."""
    if paper not in noise.PAPERS:
        return "not known", "not known"
    found = noise.noise(paper, noise.DEFAULTS[paper])
    made = found.setting
    at = f"H = {made.horizon}" + (f", delta = {made.delta:g}" if made.delta else "") + PROVISO.get(paper, "")
    return (f"{number(1 / found.factor, 2)} times" + (": too small" if found.factor > 1 else ""),
            f"{number(found.real_epsilon, 2)} ({at})")


def users(paper: str) -> tuple[str, str]:
    """Burn-ins in words: as printed, and the best."""
    found = learnt(paper)
    if found is None:
        return "not reached", "not reached"
    run = found.run
    over = "own noise" if run.counter == "local" else f"`{run.counter}`"
    also = "" if run.epsilon == 1 else f"; both at epsilon = {run.epsilon:g}"
    return number(found.printed, 2), f"{number(found.best, 2)} (`{run.calibration}`, {over}{also})"


def markdown() -> str:
    """The table of the README."""
    head = ("paper | printed noise, over the least that is enough | epsilon that it really gives, for 1 | "
            "users before it has learnt, as printed | at best | gravest erratum")
    lines = [f"| {head} |", "| --- " * 6 + "|"]
    for paper in ledger.PAPERS:
        gravest = next((erratum.title for _, erratum in errata.groups(paper)), "none")
        cells = paper, *bought(paper), *users(paper), re.sub(r" \([^)]*\)", "", gravest)  # without examples
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def sentences() -> str:
    """What was found, in five sentences whose numbers are the ledger's, the accounting's and the runs'."""
    rows = ledger.recorded()
    tallies = [ledger.tally(rows, paper, numbered=True) for paper in ledger.PAPERS]
    total = {verdict: sum(own[verdict] for own in tallies) for verdict in ledger.VERDICTS}
    given = [noise.noise(paper, noise.DEFAULTS[paper]) for paper in noise.PAPERS]
    small = {found.paper: number(found.real_epsilon, 2) for found in given if found.factor > 1}
    large = [f"{number(1 / found.factor, 2)}" for found in given if found.factor <= 1]
    runs = [found for found in map(learnt, ledger.PAPERS) if found]
    fewer = sorted(found.printed / found.best for found in runs)
    text = f"""1. Of the {sum(total.values())} statements that the papers number {total['holds']} hold as printed,
   {total['corrected: wording']} need a word, {total['corrected: constant']} another constant,
   {total['corrected: domain']} a hypothesis or a range and {total['corrected: substance']} a new statement;
   {total['unspecified']} hide constants, {total['open']} are open, and
   {total['fails'] or 'no'} statement fails beyond repair.
2. The printed noise is too small in one paper: the sums that {' and '.join(small)} releases have epsilon =
   {' and '.join(small.values())} where its proof says 1, with the natural logarithm (whether its policies leak that
   much is open); in the others it is {', '.join(large[:-1])} and {large[-1]} times what is needed.
3. Two proofs of privacy need a repair of one line: in chowdhury2021 a radius reads data before noise is added, in
   liao2021 values that are not cut at 0 let a server that is not trusted undo any finite noise.
4. In two papers regret can be linear where a bound says that it is not: in liao2021, since the confidence widths shrink
   towards the last steps and the noise does not, and with zhou2022's policy optimisation when first states change.
5. With the least noise and widths that keep the guarantee, and a better way to add noise to sums, the same algorithms
   learn from {number(fewer[0], 2)} to {number(fewer[-1], 2)} times fewer users than as printed."""
    return "\n".join(textwrap.fill(" ".join(sentence.split()), 118, subsequent_indent="   ")
                     for sentence in re.split(r"\n(?=\d\. )", text)) + "\n"
