"""vietri2020/adaptivity: every outcome of small adaptive mechanisms, exactly; the proof stands in
proofs.md."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np

from privrl.types import IntArray
from theory.claim import Basis, Records, Rigor, Trial, claim
from theory.lemmas.tree import levels, live_nodes, lowbit
from theory.rigor.kernel import Formal

# (noise, sum of items) -> weight, the same total for every sum
NodeWeights = Callable[[IntArray, IntArray], IntArray]


def honest(modulus: int) -> NodeWeights:
    """Two-sided geometric noise modulo m, ratio 1/2 a step: shifting by one changes a weight by at
    most 2."""
    return lambda noise, _total: 2 ** (modulus // 2 - np.minimum(noise % modulus, -noise % modulus))


def looks_at_data(modulus: int) -> NodeWeights:
    """A mutant: the ratio is 1/4 where the node's sum is odd."""
    narrow, wide = (
        np.array([base ** (modulus // 2 - min(i, modulus - i)) for i in range(modulus)])
        for base in (4, 2)
    )
    tables = (wide * int(narrow.sum()), narrow * int(wide.sum()))
    return lambda noise, total: np.where(
        total % 2 == 1, tables[1][noise % modulus], tables[0][noise % modulus]
    )


def _convolved(weights: IntArray, times: int) -> IntArray:
    """The weights of a sum of independent noises, modulo the length of ``weights``."""
    modulus = len(weights)
    table = np.array([1] + [0] * (modulus - 1))
    for _ in range(times):
        table = np.sum([int(table[j]) * np.roll(weights, j) for j in range(modulus)], axis=0)
    return table


def _released_law(
    trees: IntArray, outcomes: IntArray, modulus: int, weights: NodeWeights, redrawn: bool
) -> IntArray:
    """Unnormalised probability of every outcome.

    Parameters
    ----------
    trees : (R, 2), user t's reply to action 0 and 1: the stream that it feeds, or ``streams`` for
        none
    outcomes : (k, R, streams), released values modulo m
    redrawn : a mutant, which draws fresh noise for all nodes at each release
    """
    size, releases, streams = outcomes.shape
    items = np.zeros((size, releases + 1, streams + 1), dtype=np.int64)
    action = np.zeros(size, dtype=np.int64)
    for time in range(releases):
        items[np.arange(size), time + 1, trees[time, action]] = 1
        # the next action is read off this release
        action = (outcomes[:, time, 0] >= modulus // 2).astype(np.int64)
    prefix = items.cumsum(axis=1)[:, :, :streams]
    released = np.concatenate([np.zeros((size, 1, streams), dtype=np.int64), outcomes], axis=1)
    law = np.ones(size, dtype=np.int64)
    for time in range(1, releases + 1):
        start = 0 if redrawn else time - lowbit(time)
        total = prefix[:, time] - prefix[:, start]
        noise = released[:, time] - released[:, start] - total
        if redrawn:
            single = weights(np.arange(modulus), np.zeros(modulus, dtype=np.int64))
            law *= _convolved(single, len(live_nodes(time)))[noise % modulus].prod(axis=1)
        else:
            law *= weights(noise, total).prod(axis=1)
    return law


def worst_ratio(
    releases: int, streams: int, modulus: int, weights: NodeWeights, redrawn: bool = False
) -> Fraction:
    """Largest ratio of probabilities over all outcomes and all pairs of user sequences (all trees
    of depth one, which make every later item depend on earlier releases) that differ in one
    user."""
    kinds = streams + (streams == 1)  # one stream: feed it or not; several: which one
    users = list(product(product(range(kinds), repeat=2), repeat=releases))
    outcomes = np.array(list(product(range(modulus), repeat=releases * streams))).reshape(
        -1, releases, streams
    )
    laws = {
        user: _released_law(np.array(user), outcomes, modulus, weights, redrawn) for user in users
    }
    worst = Fraction(0)
    for user, law in laws.items():
        for time in range(releases):
            for replacement in product(range(kinds), repeat=2):
                changed = laws[(*user[:time], replacement, *user[time + 1 :])]
                at = int(np.argmax(law / changed))
                worst = max(worst, Fraction(int(law[at]), int(changed[at])))
    return worst


def _exactly_the_bound(mechanism: tuple[Callable[[int], NodeWeights], bool, float]) -> bool:
    """Whether the worst ratio is 2^(nodes of an item times streams that change), times a factor on
    the exponent."""
    make, redrawn, scale = mechanism
    return all(
        worst_ratio(R, streams, modulus, make(modulus), redrawn)
        == 2 ** (scale * levels(R) * streams)
        for R, streams, modulus in (
            (1, 1, 5),
            (2, 1, 5),
            (3, 1, 5),
            (4, 1, 5),
            (2, 2, 3),
            (3, 2, 3),
        )
    )


@claim("vietri2020/adaptivity")
def adaptivity() -> Records:
    """Written out, and every outcome of small adaptive mechanisms."""
    yield Trial(
        _exactly_the_bound,
        at=(honest, False, 1.0),
        mutant_at=[(looks_at_data, False, 1.0), (honest, True, 1.0)],
        mutant="Noise that looks at the node's sum; a tree redrawn at each release; in the theorem "
        "half of the loss.",
        scale=lambda c: (honest, False, c),
        tighter={"noise that looks at the data": (looks_at_data, False, 1.0)},
    ).holds(
        "printed",
        Rigor.KERNEL,
        statement="The loss of a tree whose items depend on earlier releases is at most (nodes of "
        "an item) times (change of the item) over the noise's scale, as for fixed streams.",
        domain="Every number of releases, streams and users; noise of one law whose weight changes "
        "by a factor of at most $e^{x/b}$ over a distance $x$; finite sets of values.",
        evidence="Given all releases and the agent's coins all items but the changed user's agree.",
        basis=Basis(
            proof="Adaptivity",
            formal=Formal(
                "vietri2020_adaptivity",
                "adaptivity",
                "adaptivity_not_half",
                ("exp (bound / scale)", "exp (bound / 2 / scale)"),
                also=("adaptivity_attained",),
            ),
        ),
    )
