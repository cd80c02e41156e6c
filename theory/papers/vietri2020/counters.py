"""The binary mechanism of vietri2020, Appendix A: algorithm-5 as printed and as meant.

T planned times, R releases, levels(R) = floor(log2 R) + 1, errors in units of the node noise's
scale.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import z3

from privrl.types import IntArray
from theory.claim import Records, Rigor, Severity, Trial, Witness, claim
from theory.lemmas.tree import lengths_differ, levels, live_nodes
from theory.rigor.exact import holds_for_all
from theory.rigor.smt import Proof

ItemsReleased = Callable[
    [IntArray, int], IntArray
]  # times t and T -> items summed in the release at t

LAST = 4096  # exhaustion covers every time and every T up to here


class Transcript(NamedTuple):
    """What algorithm 5 keeps after each time, with item numbers in place of data and draw times in
    place of noise."""

    #: per time, {level: items summed in alpha of that level}, sorted
    blocks: tuple[dict[int, tuple[int, ...]], ...]
    #: per time, {level: time of the Laplace draw inside alpha-hat of that level}
    noises: tuple[dict[int, int], ...]


def transcribe(times: int, *, reset: bool = True) -> Transcript:
    """Run lines 1 to 9 of algorithm 5, with Bin_j(t) where it prints Bin_j(j); without the resets
    for the mutant."""
    alpha: dict[int, tuple[int, ...]] = {}
    hat: dict[int, int] = {}
    blocks, noises = [], []
    for time in range(1, times + 1):
        # min{j : Bin_j(t) != 0}
        lowest = next(j for j in range(time.bit_length()) if time >> j & 1)
        summed = [item for j in range(lowest) for item in alpha.get(j, ())]
        alpha[lowest] = tuple(sorted([*summed, time]))
        if reset:
            for j in range(lowest):
                alpha.pop(j, None)
                hat.pop(j, None)
        hat[lowest] = time
        blocks.append(dict(alpha))
        noises.append(dict(hat))
    return Transcript(tuple(blocks), tuple(noises))


def releases_prefixes(transcript: Transcript) -> bool:
    """Whether the nodes of the digits of t sum the items 1..t once each, at every time, with
    popcount(t) noises."""

    def at(time: int) -> bool:
        digits = [j for j in range(time.bit_length()) if time >> j & 1]
        blocks, noises = transcript.blocks[time - 1], transcript.noises[time - 1]
        items = sorted(item for j in digits for item in blocks.get(j, ()))
        drawn = tuple(sorted((noises[j] for j in digits if j in noises), reverse=True))
        return (
            sorted(blocks) == digits
            and items == list(range(1, time + 1))
            and drawn == live_nodes(time)
        )

    return holds_for_all(range(1, len(transcript.blocks) + 1), at)


def worst_touch(releases: int) -> list[int]:
    """For R = 1..``releases``: the largest number of drawn nodes that one item lies in, by counting
    them all."""
    counts = np.zeros(releases, dtype=np.int64)
    worst = []
    for time in range(1, releases + 1):
        counts[time - (time & -time) : time] += (
            1  # the node drawn now covers the block that ends now
        )
        worst.append(int(counts.max()))
    return worst


def shortfall(last: int, released: ItemsReleased) -> list[int]:
    """For T = 1..last: the most items missing from a release, t less those that ``released(t, T)``
    sums, t <= T: the lengths 2^j of the nodes that the output line adds up, among those of the
    digits of t (:func:`releases_prefixes`)."""
    times = np.arange(1, last + 1)
    return [
        int((times[:planned] - released(times[:planned], planned)).max())
        for planned in range(1, last + 1)
    ]


def _printed_output(time: IntArray, planned: int) -> IntArray:
    # nodes of the digits of T, of which those outside the digits of t are empty
    return time & planned


def _change_at_most_one(case: tuple[Fraction, Fraction]) -> bool:
    """z3: two entries of a stream in [0, top] differ by at most ``bound``."""
    old, new = z3.Reals("old new")
    top, bound = case
    return Proof(old >= 0, new >= 0, old <= top, new <= top).shows(
        z3.And(old - new <= bound, new - old <= bound)
    )


def below_powers() -> bool:
    """z3: the step of j < 2^j by induction: so the j-th digit of every j is 0."""
    j, power = z3.Reals("j power")
    return Proof(j >= 0, power >= j + 1).shows(2 * power >= j + 2)


@claim("vietri2020/algorithm-5")
def algorithm_5() -> Records:
    """As printed: two index slips. As meant: every release, node and item up to 4096."""
    meant = transcribe(LAST)
    missing = shortfall(1024, _printed_output)[-1]
    yield Trial(
        # Bin_j(j), the j-th digit of j
        lambda digit: not any(map(digit, range(LAST))) and below_powers(),
        at=lambda j: j >> j & 1,
        mutant_at=lambda j: 6 >> j & 1,
        mutant=r"$\mathrm{Bin}_j(t)$, the $j$-th digit of $t$, at $t = 6$.",
    ).fails(
        "printed",
        Rigor.PROVED,
        statement=r"Line 4 as printed: $i = \min\{j : \mathrm{Bin}_j(j) \ne 0\}$, the $j$-th "
        r"digit of $j$.",
        domain="Every $T$.",
        evidence="As $j < 2^j$ that digit is 0 for every $j$.",
        severity=Severity.WORDING,
        witness=Witness(
            {"j": 3},
            ("the j-th digit of j is", 1),
            ("it is", 3 >> 3 & 1),
        ),
    )
    yield Trial(
        lambda released: (
            shortfall(LAST, released) == [2 ** levels(T) - 1 - T for T in range(1, LAST + 1)]
        ),
        at=_printed_output,
        mutant_at=lambda time, _planned: time,
        mutant=r"The output line over $\mathrm{Bin}_j(t) = 1$.",
    ).fails(
        "reading: only line 4 repaired, the output line over the digits of T",
        Rigor.COUNTEREXAMPLE,
        statement=r"The release at time $t$ adds $\hat{\alpha}_j$ over $\mathrm{Bin}_j(T) = 1$.",
        domain=rf"Every $T$ up to {LAST} that is not $2^k - 1$.",
        evidence="Blocks of $t$ at digits that $T$ lacks are left out.",
        witness=Witness(
            {"T": 1024}, ("items missing from a release at most", 0), ("items missing", missing)
        ),
    )
    yield Trial(
        releases_prefixes,
        at=meant,
        mutant_at=transcribe(64, reset=False),
        mutant="Algorithm 5 without its reset loop.",
    ).holds(
        "corrected",
        Rigor.EXACT,
        statement=r"With $\mathrm{Bin}_j(t)$ throughout, the release at time $t$ is the sum of "
        r"the items $1, \ldots, t$ plus one independent Laplace noise for each binary digit 1 of "
        r"$t$.",
        domain=f"Every time up to {LAST}.",
        evidence=r"The blocks partition $1, \ldots, t$, and one noise is drawn at each time.",
    )
    yield Trial(
        lambda shift: (
            worst_touch(LAST) == [levels(R) + shift for R in range(1, LAST + 1)]
            and lengths_differ()
        ),
        at=0,
        mutant_at=[-1, 1],
        mutant="One node fewer, or one more.",
        tighter={"one node fewer": -1},
    ).holds(
        "corrected: nodes of an item",
        Rigor.PROVED,
        statement=r"Of $R$ releases an item enters at most $\mathrm{levels}(R) = \lfloor \log_2 "
        r"R \rfloor + 1$ "
        "nodes, and the first item enters that many.",
        domain=f"Every $R$ up to $2^{{62}}$; counted one by one up to {LAST}.",
        evidence="Of two nodes of an item the later is longer, and lengths are powers of two up "
        "to $R$.",
    )
    yield Trial(
        _change_at_most_one,
        at=(Fraction(1), Fraction(1)),
        mutant_at=(Fraction(2), Fraction(1)),
        mutant="A stream in $[0, 2]$.",
        scale=lambda c: (Fraction(1), Fraction(c)),
        tighter={"a stream in [0, 2]": (Fraction(2), Fraction(1))},
    ).holds(
        "step: the input stream, bits in algorithm 5 and [0, 1] in section 2.3",
        Rigor.PROVED,
        statement=r"A stream in $[0, 1]$ (rewards) changes by at most 1 in one entry, as a "
        r"stream of bits does.",
        domain="Every stream.",
        evidence="The sensitivity of a node is 1 under both input lines.",
    )
