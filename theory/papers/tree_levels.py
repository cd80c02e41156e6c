"""The binary mechanism as chowdhury2021 (tree-levels, adaptivity) and zhou2022 (lemma-6.1,
adaptivity) use it.

At the start of episode k the counters release the sum over the episodes 1..k-1, so K episodes need
the releases 1..K-1. A partial sum covers a dyadic block (a 2^l, (a+1) 2^l]; it exists once its
block is complete. Every episode lies in at most ceil(log2 K) of them, reached by the first episode
(proofs.md).
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import z3

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.lemmas.gaussian_mechanism import adaptive_delta, adaptive_loss, curve
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof

MOST = 4096
BITS = 32


class Counts(NamedTuple):
    """For K episodes: the most partial sums that hold an episode, and the most in one of the
    releases 1..K-1."""

    all_blocks: int  #: every complete dyadic block
    used_blocks: int  #: the blocks that some release uses
    in_release: int


@cache
def counts(most: int = MOST) -> tuple[Counts, ...]:
    """Entry K - 1 for K = 1..most, by exhaustion: blocks are laid out as they complete, and counted
    item by item."""
    every, used = [0] * (most + 1), [0] * (most + 1)
    rows = [Counts(0, 0, 0)]
    largest_every = largest_used = largest_release = 0
    for time in range(1, most):  # release ``time`` completes the blocks that end there
        length = 1
        while time % length == 0:
            for item in range(time - length + 1, time + 1):
                every[item] += 1
                largest_every = max(largest_every, every[item])
            length *= 2
        lowest = time & -time
        for item in range(time - lowest + 1, time + 1):
            used[item] += 1
            largest_used = max(largest_used, used[item])
        largest_release = max(largest_release, time.bit_count())
        rows.append(Counts(largest_every, largest_used, largest_release))
    return tuple(rows)


def base_two(episodes: int) -> int:
    """ceil(log2 K) in integers: the smallest m with 2^m >= K."""
    m = 0
    while 2**m < episodes:
        m += 1
    return m


def natural(episodes: int) -> int:
    """ceil(ln K); no power of e is an integer, so floating point decides safely at these sizes."""
    return math.ceil(math.log(episodes))


def one_less(episodes: int) -> int:
    """One level less than :func:`base_two`, for the mutants."""
    return max(base_two(episodes) - 1, 0)


def rounded_down(episodes: int) -> int:
    """floor(log2 K), for the mutants."""
    return episodes.bit_length() - 1


def suffices(levels: Callable[[int], int], upto: int = MOST) -> bool:
    """Whether ``levels(K)`` bounds all three counts for K = 1..upto, by exhaustion."""
    return all(max(row) <= levels(k) for k, row in enumerate(counts(MOST)[:upto], start=1))


def attained() -> float:
    """The least over K of the used partial sums that hold the first episode over ceil(log2 K)."""
    return min(
        row.used_blocks / base_two(k) for k, row in enumerate(counts(MOST), start=1) if k > 1
    )


def proved_for_all() -> bool:
    """The two steps for every K below 2^32, by z3 on bit vectors.

    1. t + lowbit(t) has at least twice the lowest set bit, so a path visits each power of two at
       most once.
    2. 2^(b-1) < K <= 2^b says the same as 2^(b-1) <= K - 1 < 2^b: ceil(log2 K) is the bit length of
       K - 1.
    """
    t, power, k = (z3.BitVec(name, BITS + 2) for name in ("t", "power", "k"))
    moved = t + (t & -t)
    doubling = Proof(t > 0, t < 2**BITS).shows(z3.UGE(moved & -moved, 2 * (t & -t)))
    proof = Proof(power > 0, power < 2**BITS, power & (power - 1) == 0, k >= 2, k < 2**BITS)
    lengths = proof.shows(
        z3.And(power < k, k <= 2 * power) == z3.And(power <= k - 1, k - 1 < 2 * power)
    )
    return doubling and lengths


@claim("chowdhury2021/tree-levels")
def tree_levels() -> Records:
    """At most ceil(log2 K) partial sums hold an episode, and at most as many make up a release."""
    proof = proved_for_all()
    yield Trial(
        lambda levels: proof and suffices(levels),
        at=base_two,
        mutant_at=[one_less, rounded_down],
        mutant="One level less; floor in place of ceil.",
        tighter={
            "one level less": one_less,
            "floor in place of ceil": rounded_down,
            "natural logarithm": natural,
        },
        sharpness=attained(),
    ).holds(
        "printed",
        Rigor.KERNEL,
        domain=r"Every $K$; releases of the sums up to $k - 1$ for $k = 1, \ldots, K$.",
        evidence="The first episode attains the bound.",
        basis=Basis(
            proof="Levels of the tree",
            formal=Formal(
                "chowdhury2021_tree_levels",
                "tree_levels",
                "tree_levels_not_one_less",
                ("Nat.log2_up K", "Nat.log2_up K - 1"),
                also=("tree_levels_not_all_episodes",),
            ),
        ),
    )


@claim("zhou2022/lemma-6.1")
def lemma_6_1() -> Records:
    """The base of the logarithm is not said; the paper's other logarithms are natural."""
    proof = proved_for_all()
    first = next(k for k in range(1, MOST) if counts()[k - 1].used_blocks > natural(k))
    powers = {2**p for p in range((MOST - 1).bit_length())}
    one_more = {K for K in range(1, MOST) if counts()[K].used_blocks > base_two(K)}
    cover_words = r"partial sums, and at most as many cover $[1,k-1]$, for all $k\le K$"
    yield Trial(
        lambda cases: all(counts()[K - 1].used_blocks > natural(K) for K in cases),
        at=(first, 1000),
        mutant_at=(first - 1,),
        mutant=rf"$K={first - 1}$, where the natural logarithm still suffices",
        numbers={"natural_fails": first},
    ).fails(
        "printed",
        Rigor.KERNEL,
        statement=rf"With $m=\lceil\log K\rceil$, the logarithm natural as in $\ln(4/\delta)$ and "
        rf"$\log(8KH/\alpha)$, each episode lies in at most $m$ {cover_words}.",
        domain=f"Property (i) at $K={first}$, the first such $K$ when nothing is released after "
        "the last episode",
        evidence="The first episode lies in [1,1], [1,2] and [1,4].",
        severity=Severity.WORDING,
        witness=Witness(
            {"K": first, "episode": 1},
            ("partial sums that hold it are at most", natural(first)),
            ("they are", counts()[first - 1].used_blocks),
        ),
        basis=Basis(
            formal=Formal(
                "zhou2022_lemma_6_1",
                "lemma_6_1_not_natural",
                "lemma_6_1_natural_up_to_4",
                ("5", "4"),
            )
        ),
    )
    yield Trial(
        lambda levels: proof and suffices(levels),
        at=base_two,
        mutant_at=natural,
        mutant=r"$m=\lceil\ln K\rceil$",
        tighter={"one level less": one_less, "rounded down": rounded_down},
        sharpness=attained(),
    ).holds(
        "corrected",
        Rigor.KERNEL,
        statement=rf"With $m=\lceil\log_2K\rceil$, and nothing released after the last episode, "
        rf"each "
        rf"episode lies in at most $m$ {cover_words}.",
        domain="Every $K$",
        evidence=rf"The first episode attains it, counted for $K\le {MOST}$.",
        basis=Basis(
            proof="Lemma 6.1",
            formal=Formal(
                "zhou2022_lemma_6_1",
                "lemma_6_1",
                "lemma_6_1_not_natural",
                ("Nat.log2_up K", "Nat.log2_up K - 1"),
            ),
        ),
    )
    yield Trial(
        lambda sizes: sizes == one_more,
        at=powers,
        mutant_at=[powers | {K} for K in (3, 5, 7)],
        mutant="$K=3$, 5, 7 as well",
    ).fails(
        "step: line 14 at k = K",
        Rigor.COUNTEREXAMPLE,
        statement=r"With $m=\lceil\log_2K\rceil$ each episode lies in at most $m$ partial sums "
        r"when "
        r"the prefix $K$ is released too, as line 14 of both algorithms asks at $k=K$.",
        domain=rf"$K=2^p$ exactly, by exhaustion for $K<{MOST}$",
        evidence="No line uses that release, so it need not be made.",
        witness=Witness(
            {"K": 1024, "episode": 1},
            ("partial sums that hold it are at most", base_two(1024)),
            ("they are", counts()[1024].used_blocks),
        ),
    )


RELEASES = 7  # of the largest tree whose log-density ratio is taken in symbols


def _adaptive(leak: bool) -> bool:
    """The identity of the log-density ratio for every item of trees of up to RELEASES, and one law
    by quadrature."""
    for releases in range(1, RELEASES + 1):
        for time in range(1, releases + 1):
            row = adaptive_loss(releases, time, leak=leak)
            if row.defect != 0 or not row.shift_precedes:
                return False
    return all(
        abs(adaptive_delta(e, 0.5, 3.0) - float(curve(e, math.sqrt(0.5)))) < 1e-5
        for e in (0.0, 1.0)
    )


@claim("chowdhury2021/adaptivity")
@claim("zhou2022/adaptivity")
def adaptivity() -> Records:
    """Later data depend on earlier releases: the Gaussian tree's privacy loss is that of a fixed
    stream."""
    yield Trial(
        _adaptive,
        at=False,
        mutant_at=True,
        mutant=r"User $t + 1$ reads the raw data of user $t$ and not only the releases.",
        tighter={"a user who reads raw data": True},
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement="The counters' guarantee for a fixed stream holds when each summand is a "
        "function of the releases before it and of its own user.",
        domain="Every tree of Gaussian partial sums, each released once with its own noise, and "
        "every way in which users react to releases.",
        evidence="Given the releases before user $t$ her change $D$ is fixed, every partial "
        "sum that holds her is released later, and later users' data are the same functions of "
        r"the same releases. So the log-density ratio is the sum of $(D\xi + D^2/2)/\sigma^2$ "
        "over those partial sums, as for a fixed stream.",
        basis=Basis(proof="Adaptivity of the Gaussian tree"),
    )
