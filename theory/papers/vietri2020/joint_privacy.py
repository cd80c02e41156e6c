"""vietri2020, Section 2.2 and lemma-2: what joint privacy protects, by the paper's example, and the
billboard lemma.

**The example.** Running sums of bits with one shared draw of noise. What users after t see together
is a function of one noisy number; a user before t and one after it see two sums with the same
noise, and their difference is exact.

**The tree.** The node drawn at time t stands only in the releases t .. t + lowbit(t) - 1, so for
odd t in release t alone. The others that contain item t are at most levels(T) - 1, and the first
user's nodes 2, 4, 8, .. are releases by themselves. So with node noise of scale b the worst loss of
the others' views is exactly (levels(T) - 1)/b.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp

import z3

from theory.claim import Basis, Records, Rigor, Trial, Witness, claim
from theory.lemmas.tree import levels, live_nodes, shift_costs, sum_tail, touched
from theory.rigor.exact import holds_for_all
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof


@cache
def recovers(shared: bool) -> bool:
    """z3: (release t+1) - u_(t+1) - (release t-1) = u_t for all bits, earlier sums and noise,
    ``shared`` or not."""
    before, bit, after, noise, second_noise = z3.Reals("before bit after noise other")
    late = before + bit + after + (noise if shared else second_noise)
    return Proof().shows(late - after - (before + noise) == bit)


def _shifts(observed: Callable[[int, int], list[int]], last: int = 6) -> bool:
    """Whether replacing bit t moves all sums seen (times given t and T) by one and the same amount,
    so that all of them are a function of one noisy sum, whose loss is the shift over the scale."""

    def one(case: tuple[tuple[int, ...], int]) -> bool:
        bits, t = case
        changed = (*bits[: t - 1], 1 - bits[t - 1], *bits[t:])
        moves = {abs(sum(bits[:time]) - sum(changed[:time])) for time in observed(t, last)}
        return moves == {1}

    return holds_for_all(product(product((0, 1), repeat=last), range(1, last)), one)


def nodes_seen(t: int, planned: int) -> int:
    """Nodes of item t that stand in some release other than t, counted one by one."""
    released_nodes = {
        node for time in range(1, planned + 1) if time != t for node in live_nodes(time)
    }
    return sum(node in released_nodes for node in touched(t, planned))


def _others_see(shift: int) -> bool:
    """Whether the most nodes of an item that others see is levels(T) - 1 + ``shift`` for T = 2..48,
    as for the first user, whose nodes but the first are each a release of one node."""

    def one(planned: int) -> bool:
        most = max(nodes_seen(t, planned) for t in range(1, planned + 1))
        alone = all(live_nodes(node) == (node,) for node in touched(1, planned))
        return (
            most == levels(planned) - 1 + shift
            and alone
            and nodes_seen(1, planned) == levels(planned) - 1
        )

    return shift_costs() and holds_for_all(range(2, 49), one)


def guess(t: int, planned: int, epsilon: float) -> float:
    """Best probability with which users t - 1 and t + 1 guess a fair bit u_t from the difference of
    their releases.

    The nodes that differ between the two, of scale levels(T)/epsilon, add up to a symmetric
    unimodal noise X, so the best guess is right with probability 1/2 + P(|X| <= 1/2)/2.
    """
    noises = len(set(live_nodes(t + 1)) ^ set(live_nodes(t - 1)))
    half = epsilon / (2 * levels(planned))  # 1/2 in units of the node noise
    outside = exp(-half) * sum(float(c) * half**i for i, c in enumerate(sum_tail(noises)))
    return 1 - outside / 2


@claim("vietri2020/example-jdp")
def example_jdp() -> Records:
    """True: exact recovery against shared noise, epsilon towards the future; the tree in its
    place."""
    yield Trial(
        recovers,
        at=True,
        mutant_at=False,
        mutant="A noise of its own in each release.",
        tighter={"a noise of its own in each release": False},
    ).holds(
        "printed",
        Rigor.PROVED,
        domain=r"The last part of the sentence: every stream, noise and $2 \le t \le T - 1$.",
        evidence="The shared noise cancels in the difference of the two releases.",
    )
    yield Trial(
        lambda observed: _shifts(observed) and shift_costs(),
        at=lambda t, last: list(range(t + 1, last + 1)),
        mutant_at=lambda t, last: [time for time in range(1, last + 1) if time != t],
        mutant="Users before $t$ included.",
    ).holds(
        "reading: towards future users",
        Rigor.EXACT,
        statement=r"With one shared draw of scale $1/\varepsilon$ what all users after $t$ see "
        r"together is $\varepsilon$-DP in $u_t$, and not better.",
        domain="All streams of six bits and every $t$ but the last, by exhaustion.",
        evidence="Together they are a function of one noisy sum.",
    )
    yield Trial(
        lambda scale: 1 / scale > scale,
        at=0.5,
        mutant_at=1.0,
        mutant=r"$\varepsilon = 1$.",
    ).fails(
        "step: Lap(epsilon)",
        Rigor.COUNTEREXAMPLE,
        statement=r"A running sum of bits with noise $\mathrm{Lap}(\varepsilon)$, whose scale is "
        r"its argument as in algorithm 5, is $\varepsilon$-DP.",
        domain=r"Every $\varepsilon < 1$.",
        evidence=r"The loss is $1/\varepsilon$.",
        witness=Witness({"epsilon": 0.5}, ("loss at most", 0.5), ("loss", 1 / 0.5)),
    )
    yield Trial(
        _others_see,
        at=0,
        mutant_at=[-1, 1],
        mutant="One node fewer or more.",
    ).holds(
        "corrected: the tree in its place",
        Rigor.EXACT,
        statement=r"Running sums of bits from a tree with node noise of scale $l/\varepsilon$, "
        r"$l = \lfloor \log_2 T \rfloor + 1$, are $\varepsilon$-JDP: all releases but that of user "
        r"$t$ lose at most $\varepsilon (l - 1)/l$.",
        domain=r"$T = 2, \ldots, 48$.",
        evidence="The nodes of an item that others see, one by one.",
    )


SIGNALS = (0, 1, 2)
# data of two users -> weights of the signals, with one total
Kernel = dict[tuple[int, int], tuple[int, ...]]


def kernels() -> list[Kernel]:
    """Mechanisms on two users' bits with three signals: the weights are a few rows with total 8."""
    rows = [(1, 1, 6), (2, 2, 4), (4, 3, 1), (3, 3, 2)]
    data = ((0, 0), (0, 1), (1, 0), (1, 1))
    return [dict(zip(data, chosen, strict=True)) for chosen in product(rows, repeat=4)]


def loss(kernel: Kernel) -> Fraction:
    """Worst ratio over signals and pairs of data that differ in one user."""
    return max(
        Fraction(kernel[first][signal], kernel[second][signal])
        for first, second in product(kernel, repeat=2)
        if sum(a != b for a, b in zip(first, second, strict=True)) == 1
        for signal in SIGNALS
    )


def seen_by_other(kernel: Kernel, user: int, reveals_bit: bool) -> Fraction | None:
    """Worst ratio of what the other user is told, over all its functions of (own bit, signal), as
    ``user`` changes.

    ``reveals_bit``: a mutant, in which the changed user's own bit is seen as well; None is
    infinite.
    """
    worst = Fraction(0)
    for bit, mapping in product((0, 1), product(range(2), repeat=len(SIGNALS))):
        laws: list[dict[tuple[int, int], int]] = []
        for changed in (0, 1):
            data = (changed, bit) if user == 0 else (bit, changed)
            keys = [(changed if reveals_bit else 0, value) for value in range(2)]
            laws.append(
                {key: sum(kernel[data][s] for s in SIGNALS if mapping[s] == key[1]) for key in keys}
            )
        for first_law, second_law in (laws, laws[::-1]):
            pairs = [
                (weight, second_law.get(key, 0)) for key, weight in first_law.items() if weight
            ]
            if not all(against for _, against in pairs):
                return None
            worst = max(worst, *(Fraction(weight, against) for weight, against in pairs))
    return worst


@cache
def _events_add_up(scale: Fraction = Fraction(1)) -> bool:
    """z3: if an event's ratio is at most E, and one more signal's, then so (times ``scale``) is
    that of both."""
    event, other_event, signal, second_signal, factor = z3.Reals("P Q p q E")
    hypotheses = [
        event <= factor * other_event,
        signal <= factor * second_signal,
        factor >= 1,
        other_event > 0,
        second_signal > 0,
    ]
    return Proof(*hypotheses).shows(
        event + signal <= scale * factor * (other_event + second_signal)
    )


def _billboard(case: tuple[bool, Fraction]) -> bool:
    """Whether the others' outputs never have a larger ratio than the signal, for all mechanisms and
    functions."""
    reveals_bit, scale = case
    ratios = (
        (kernel, seen_by_other(kernel, user, reveals_bit))
        for kernel, user in product(kernels(), (0, 1))
    )
    return _events_add_up(scale) and all(
        ratio is not None and ratio <= loss(kernel) for kernel, ratio in ratios
    )


@claim("vietri2020/lemma-2")
def lemma_2() -> Records:
    """True, by post-processing: given their own data, what others are told is a function of the
    signal."""
    yield Trial(
        _billboard,
        at=(False, Fraction(1)),
        mutant_at=(True, Fraction(1)),
        mutant="The changed user's own output seen as well.",
        scale=lambda c: (False, Fraction(c)),
        tighter={"the changed user's own output seen as well": (True, Fraction(1))},
    ).holds(
        "printed",
        Rigor.KERNEL,
        domain="Every finite mechanism.",
        evidence="What all others are told is one function of their data and of the signal.",
        basis=Basis(
            formal=Formal(
                "vietri2020_lemma_2",
                "lemma_2",
                "lemma_2_not_own_output",
                (
                    "jointly_private signals M f epsilon",
                    "jointly_private signals M f (epsilon / 2)",
                ),
            )
        ),
    )


def apart(kernel: Kernel) -> Fraction:
    """Worst ratio over signals when both users are replaced at once."""
    return max(Fraction(kernel[0, 0][s], kernel[1, 1][s]) for s in SIGNALS)


@claim("vietri2020/remark-1")
def remark_1() -> Records:
    """True: group privacy for the one who returns, and no more for the others."""
    yield Trial(
        lambda power: holds_for_all(
            kernels(), lambda kernel: apart(kernel) <= loss(kernel) ** power
        ),
        at=2,
        mutant_at=1,
        mutant=r"$e^{\varepsilon}$ for two episodes.",
        tighter={"the price of one episode": 1},
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"Replacing a person who is the user of $k$ episodes of an "
        r"$\varepsilon$-JDP agent changes the probability of any event on the outputs of the other "
        r"episodes by at most a "
        r"factor $e^{k \varepsilon}$; for a person of one episode that is $e^{\varepsilon}$.",
        domain=r"Every agent, $k$ and $\varepsilon$; replies are fixed trees, as in definition 3.",
        evidence="The $k$ episodes are replaced one after the other.",
        basis=Basis(proof="Remark 1: users who return"),
    )
