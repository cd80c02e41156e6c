"""vietri2020, Section 4: claim-1, and what the released counters lose; :mod:`theorem_1` has what
follows from it.

Neighbours differ in one user's whole tree of responses. Given the releases up to the episode the
policy is the same for both, but the states need not be: at each step the old tuple loses what the
new tuple gains, and both count. PUCB's node noise is Lap(3H log(T)/epsilon), and T - 1 releases are
enough (pi_T is the final policy). The three families change by 6H in each node of the user, so the
exact worst loss is 6H levels(T-1) epsilon/(3H log T).
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import isclose, log, log2

import numpy as np
import z3

from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from privrl.privacy import sensitivity
from privrl.types import Adjacency
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.lemmas.tree import levels, touched
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof


@cache
def largest_changes(states: int, actions: int, horizon: int) -> tuple[int, int, int, int, int]:
    """Largest change of visits, moves, rewards, of all together and of all that a plan reads (all
    but the moves of the
    last step), over all policies and pairs of whole paths, by arrays that are subtracted; nothing
    of the counting
    argument is used."""
    paths = list(product(range(states), repeat=horizon + 1))
    coins = list(product((0, 1), repeat=horizon))
    largest = np.zeros(5, dtype=np.int64)
    for policy in product(range(actions), repeat=states * horizon):
        rows = []
        for path, reward in product(paths, coins):
            visits = np.zeros((horizon, states, actions), dtype=np.int64)
            moves = np.zeros((horizon, states, actions, states), dtype=np.int64)
            earned = np.zeros((horizon, states, actions), dtype=np.int64)
            for h in range(horizon):
                action = policy[h * states + path[h]]
                visits[h, path[h], action] += 1
                moves[h, path[h], action, path[h + 1]] += 1
                earned[h, path[h], action] += reward[h]
            rows.append(np.concatenate([visits.ravel(), moves.ravel(), earned.ravel()]))
        table = np.array(rows)
        ends = np.cumsum([visits.size, moves[:-1].size, moves[-1].size])
        for row in table:
            parts = [np.abs(block).sum(axis=1) for block in np.split(table - row, ends, axis=1)]
            n, early, last, r = parts
            read = n + early + r
            sums = (n, early + last, r, read + last, read)
            largest = np.maximum(largest, [block.max() for block in sums])
    n, m, r, together, read = (int(value) for value in largest)
    return n, m, r, together, read


SIZES = ((1, 2, 2), (2, 1, 1), (2, 2, 1), (2, 1, 3), (2, 2, 2), (3, 1, 2))


def _exhausted(factor: Fraction) -> bool:
    """Whether no pair changes one family by more than factor * H, on the small sizes with S >=
    2."""
    return all(max(largest_changes(*size)[:3]) <= factor * size[2] for size in SIZES if size[0] > 1)


def counted(factor: Fraction | int, *, removed: bool = False, single: bool = False) -> bool:
    """z3, for every number of streams and every H: the total change of one family is at most factor
    * H.

    With i and j the streams of the old and the new user and u, v what they add, the l1 distance
    over the streams below k is f(k) = |u - v| [i < k] when i = j, else u [i < k] + v [j < k]: true
    at k = 0 and carried from k to k + 1. Over the steps D(h) <= factor h is carried from h to h +
    1. ``removed``: the new user adds nothing. ``single``: one stream only. And the factor is
       attained: at i = 0, j = 1, u = v = 1 or, in the two special cases, u = 1, v = 0.
    """
    i, j, k, size = z3.Ints("i j k size")
    u, v, before, steps = z3.Reals("u v before steps")
    apart = z3.If(u >= v, u - v, v - u)

    def partial(end: z3.ArithRef) -> z3.ArithRef:
        old, new = z3.If(i < end, u, 0), z3.If(j < end, v, 0)
        return z3.If(i == j, z3.If(i < end, apart, 0), old + new)

    hypotheses = [
        i >= 0,
        j >= 0,
        i < size,
        j < size,
        u >= 0,
        u <= 1,
        v >= 0,
        v <= 1,
        k >= 0,
        k < size,
        steps >= 0,
    ]
    hypotheses += [v == 0] if removed else []
    hypotheses += [size == 1] if single else []
    proof = Proof(*hypotheses)
    entry = z3.If(i == k, u, 0) - z3.If(j == k, v, 0)
    carried = partial(k + 1) - partial(k) == z3.If(entry >= 0, entry, -entry)
    induction = z3.Implies(before <= factor * steps, before + partial(size) <= factor * (steps + 1))
    far = (
        z3.And(i == 0, u == 1, v == 0)
        if removed or single
        else z3.And(i == 0, j == 1, u == 1, v == 1)
    )
    attained = z3.And(proof.allows(far), z3.Implies(far, partial(size) == factor))
    return proof.shows(z3.And(partial(z3.IntVal(0)) == 0, carried, induction, attained))


def change_apart(horizon: int) -> int:
    """l1 change of the visits when a user who stays in state 1 is replaced by one who stays in
    state 2."""
    old, new = (Counter((h, state) for h in range(horizon)) for state in (1, 2))
    return sum(abs(old[key] - new[key]) for key in old | new)


def package_moves(adjacency: Adjacency, states: int, families: dict[str, int]) -> bool:
    """Whether the sensitivities that the package uses are these many times H."""
    return all(
        abs(
            sensitivity.vietri2020(family, horizon, adjacency, states=states).value
            - times * horizon
        )
        < 1e-9
        for family, times in families.items()
        for horizon in (1, 3, 20)
    )


@claim("vietri2020/claim-1")
def claim_1() -> Records:
    """Printed H fails by a factor of two; 2H holds and is attained; where H is right."""
    yield Trial(
        lambda factor: not _exhausted(factor),
        at=Fraction(1),
        mutant_at=Fraction(2),
        mutant="$2H$ in place of $H$.",
    ).fails(
        "printed",
        Rigor.KERNEL,
        domain=r"Every $H \ge 1$, $A \ge 1$, $S \ge 2$ and deterministic policy of the episode; "
        "other episodes are unchanged.",
        evidence="The old tuple loses a visit and the new one gains one.",
        severity=Severity.CONSTANT,
        witness=Witness(
            {
                "S": 2,
                "A": 1,
                "H": 10,
                "old user": "stays in state 1",
                "new user": "stays in state 2",
            },
            ("H =", 10),
            ("change of the visit streams", change_apart(10)),
        ),
        basis=Basis(
            formal=Formal(
                "vietri2020_claim_1",
                "claim_1_not_less_than_2H",
                "claim_1_nobody_exceeds_2H",
                ("c < 2", "c < 3"),
                also=("claim_1_not_H",),
            )
        ),
    )
    yield Trial(
        lambda factor: (
            counted(factor)
            and package_moves(Adjacency.REPLACE, 2, {"n": 2, "r": 2, "m": 2, "all": 6})
            and _exhausted(factor)
            and all(largest_changes(*size)[3] == 6 * size[2] for size in SIZES if size[0] > 1)
        ),
        at=Fraction(2),
        mutant_at=Fraction(199, 100),
        mutant=r"$1.99 H$; in the theorem $c H$ for every $c < 2$.",
        scale=lambda c: 2 * Fraction(c),
    ).holds(
        "corrected",
        Rigor.KERNEL,
        statement="When one user is replaced, each family changes by at most $2H$ and all three "
        "together by at "
        r"most $6H$; one pair of users attains all of it when $S \ge 2$.",
        domain="Every $S$, $A$, $H$ and deterministic policy of the episode; other episodes are "
        "unchanged, and the next state counts in all $H$ steps.",
        evidence="By induction; attained by users with rewards 1 who are never in the same state.",
        basis=Basis(
            formal=Formal(
                "vietri2020_claim_1",
                "claim_1",
                "claim_1_not_less_than_2H",
                ("2 * INR H", "199 / 100 * INR H"),
            )
        ),
    )
    yield Trial(
        lambda case: (
            counted(case[1], removed=case[0])
            and package_moves(Adjacency.ADD_REMOVE, 2, {"n": 1, "r": 1, "m": 1, "all": 3})
        ),
        at=(True, Fraction(1)),
        mutant_at=(False, Fraction(1)),
        mutant="One user replaced.",
        scale=lambda c: (True, Fraction(c)),
        tighter={"one user replaced": (False, Fraction(1))},
    ).holds(
        "corrected: one user removed",
        Rigor.PROVED,
        statement="If one user's contribution is removed, each family changes by at most $H$.",
        domain="As in the record above.",
        evidence="One trajectory counts then.",
    )
    yield Trial(
        lambda case: (
            counted(case[1], single=case[0])
            and package_moves(Adjacency.REPLACE, 1, {"n": 0, "r": 1, "m": 0, "all": 1})
        ),
        at=(True, Fraction(1)),
        mutant_at=(False, Fraction(1)),
        mutant="Two states or more.",
        scale=lambda c: (True, Fraction(c)),
        tighter={"two streams": (False, Fraction(1))},
    ).holds(
        "corrected: S = 1",
        Rigor.PROVED,
        statement="With one state each family changes by at most $H$.",
        domain="As in the records above.",
        evidence="The policy fixes the tuple of a step, so only the rewards change.",
    )


LAST = 4096
# T -> scale of the node noise, times epsilon over H
ScaleOfRelease = Callable[[int], Fraction | float]


def loss(planned: int, change: Fraction, scale: Fraction | float) -> Fraction | float:
    """Exact worst loss of the released counters for T planned episodes, per unit of epsilon and of
    H.

    ``change``: l1 change of all families in one node, over H; ``scale``: of the node noise, times
    epsilon over H.
    """
    return change * levels(planned - 1) / scale


@cache
def levels_cover(times: int = 2) -> bool:
    """z3: ``times`` p >= T where p is the largest power of two up to T - 1; as 2^levels(T-1) = 2p,
    levels(T-1) >= log2 T for every T >= 2."""
    power, planned = z3.Ints("p T")
    return Proof(power >= 1, power <= planned - 1, planned - 1 < 2 * power).shows(
        times * power >= planned
    )


def over(change: int) -> Callable[[ScaleOfRelease], bool]:
    """Whether the loss exceeds epsilon for every T: it is at least change log2(T)/scale(T), which
    is the same at every T (looked at up to LAST), with equality at powers of two."""
    planned = range(2, LAST + 1)
    return lambda calibration: (
        levels_cover()
        and all(
            change * log2(T) / calibration(T) > 1 + 1e-12
            and isclose(log2(T) / calibration(T), 1 / calibration(2))
            and loss(T, Fraction(change), calibration(T)) > 1 + 1e-12
            for T in planned
        )
    )


def exceeded(change: int) -> Callable[[ScaleOfRelease], bool]:
    """Whether the loss exceeds epsilon for some T in 2..LAST; beyond, levels(T-1) <= log2 T + 1."""
    return lambda calibration: any(
        loss(T, Fraction(change), calibration(T)) > 1 for T in range(2, LAST + 1)
    )


def natural(planned: int) -> Fraction | float:
    return 3 * log(planned)


def base_two(planned: int) -> Fraction | float:
    exact = planned & (planned - 1) == 0
    return Fraction(3 * (planned.bit_length() - 1)) if exact else 3 * log(planned) / log(2)


def corrected(planned: int) -> Fraction | float:
    return Fraction(6 * levels(planned - 1))


def losses_by_exhaustion(planned: int, size: tuple[int, int, int]) -> int:
    """Largest l1 change of all nodes of all families, counted one by one, over users t, policies
    and pairs of paths."""
    together = largest_changes(*size)[3]
    return together * max(len(touched(item, planned - 1)) for item in range(1, planned))


def as_the_agent_does() -> bool:
    """Whether PUCB's corrected calibration draws its node noise at 6H levels(T-1)/epsilon."""
    mdp = random_mdp(3, 2, 4, 0)
    scales = {
        T: PUCB(epsilon=0.5, calibration="corrected").calibrate(mdp, T).scale
        for T in (2, 3, 9, 1000, 10**6)
    }
    return all(
        abs(scale / (4 * float(corrected(T)) / 0.5) - 1) < 1e-12 for T, scale in scales.items()
    )
