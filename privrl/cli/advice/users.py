"""How many users it takes: by a scaling of measured runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privrl.cli.advice.asked import Asked


@dataclass(frozen=True)
class Guess:
    """How many users it takes."""

    least: float | None  #: None: not known
    most: float | None
    words: list[str]
    unknown: list[str]  #: what is not known
    #: whether there are, by multiplier, where that may be said; tabular agents only
    enough: dict[str, str] | None = None


@dataclass(frozen=True)
class Ranges:
    """Least and most users before a tabular agent has learnt with the program that is printed, in
    the worlds where they were counted: by the visits that a plan needs, times the measured
    factors."""

    program: str  #: which one, in words
    even: Sequence[float]  #: all states come up alike, and wrong actions cost the gap asked for
    river: Sequence[float]  #: one sequence of actions alone leads to the reward
    narrow: Sequence[float]  #: as ``even``, with narrowed widths
    sizes: str  #: that were measured
    beyond: Sequence[str]  #: which of these sizes are not among them

    @property
    def outside(self) -> str:
        """The end of a sentence about sizes that were not measured."""
        if not self.beyond:
            return ""
        verb = "is" if len(self.beyond) == 1 else "are"
        return f"; your {' and '.join(self.beyond)} {verb} outside, so this is extrapolated"


def users(asked: Asked, agent: Any, problem: Any) -> Guess:
    """How many users it takes; and, for a tabular agent, whether there are enough."""
    from privrl.cli.advice import recorded

    if asked.family == "tabular":
        guess = tabular(asked, agent, problem)
    elif asked.family == "linear":
        guess = linear(agent, problem)
    else:
        guess = Guess(
            None,
            None,
            ["not known, but for one size"],
            ["how users grow with the dimensions"],
        )
    return replace(guess, words=[*guess.words, *recorded.words(asked)])


def tabular(asked: Asked, agent: Any, mdp: Any) -> Guess:
    """By the visits that a plan needs, times what was measured; enough or not, by multiplier, for
    the gaps that were tried alone."""
    from privrl.cli.advice import verdicts
    from privrl.horizon import scaling

    gap = scaling.GAP if asked.gap is None else asked.gap
    tried = scaling.LEAST_GAP * (1 - 1e-9) <= gap <= scaling.GAP * (1 + 1e-9)
    share = _divisor(asked)
    ends = {
        multiplier: ((least, scaling.GAP), (most / share, gap if tried else scaling.GAP))
        for multiplier in (1.0, scaling.NARROW)
        for least, most in (scaling.factors("even", multiplier),)
    }
    even, narrow = (
        [scaling.until_learnt(agent, mdp, asked.users, factor, size) for factor, size in both]
        for both in ends.values()
    )
    river = [
        scaling.until_learnt(agent, mdp, asked.users, factor) for factor in scaling.factors("river")
    ]
    program = _program(agent, asked, max(*even, *river, *narrow))
    ranges = Ranges(program, even, river, narrow, *scaling.within(mdp, agent.epsilon))
    unknown = [
        (
            "how the states of your world come up, which decides among these: try arrays like it "
            "(`privrl run mdp.npz`)"
        )
        if asked.file is None
        else (
            "users where states do not come up alike, but for the rivers: try "
            f"`privrl run {asked.file}`"
        )
    ]
    if not tried:
        return Guess(None, None, _of_another_gap(asked, gap, agent, mdp, ranges), unknown)
    barred, answers, words = verdicts.barred(agent, asked), {}, []
    for multiplier, both in ends.items():
        # as it was tried: planned for as many
        least, most = (scaling.needed(agent, mdp, factor, size) for factor, size in both)
        enough = verdicts.enough(asked.users, least, most)
        beyond = "" if barred else verdicts.beyond(agent, asked, multiplier, most)
        words.append(verdicts.verdict(enough, gap, barred, beyond))
        if not barred and not beyond:
            answers[f"{multiplier:g}"] = enough
    if words[0].startswith(verdicts.NO_VERDICT) and words[1] == words[0]:
        words[1] = "no verdict either"
    if asked.gap is None:
        unknown.append(f"what a wrong action costs: below {scaling.GAP:g} takes more users (--gap)")
    least, most = ranges.even
    return Guess(
        None if least == math.inf else least,
        most,
        _of_a_tried_gap(asked, agent, mdp, ranges, words),
        unknown,
        answers or None,
    )


def _divisor(asked: Asked) -> float:
    """Of the larger number: how often the rarest state comes up, where that was tried."""
    from privrl.horizon import scaling

    return asked.share if not asked.steered and asked.share >= scaling.LEAST_SHARE else 1.0


def _program(agent: Any, asked: Asked, most: float) -> str:
    """Which program takes so many users at most."""
    aside = []
    if agent.every > 1:
        aside.append(f"every={agent.every}")
    if most > asked.users:
        aside.append("where too short, planned for as many")
    return f"with the program below ({'; '.join(aside)})" if aside else "with the program below"


def _of_another_gap(asked: Asked, gap: float, agent: Any, mdp: Any, ranges: Ranges) -> list[str]:
    """Words for a gap at which no users were counted."""
    from privrl.horizon import scaling

    return [
        (
            f"not measured for gap {gap:.3g} ({_source(asked)}): a wrong action cost "
            f"{scaling.LEAST_GAP:g} to {scaling.GAP:g} where users were counted. At "
            f"{scaling.GAP:g}, with all states alike, it is, {ranges.program}, "
            f"{_between(*ranges.even)}, with multiplier={scaling.NARROW:g} "
            f"{_between(*ranges.narrow)}{ranges.outside}"
        ),
        _growth(asked, agent, mdp, gap),
        *_visits(asked, agent, mdp),
    ]


def _source(asked: Asked) -> str:
    """Where the gap is from."""
    return "the smallest of the file's" if asked.gap == asked.file_gap else "as --gap says"


def _growth(asked: Asked, agent: Any, mdp: Any, gap: float) -> str:
    """How visits, and the users of one small world, grow as the gap shrinks."""
    from privrl.horizon import scaling

    first, last = (scaling.visits(agent, mdp, asked.users, size) for size in (scaling.GAP, gap))
    growth = "; ".join(
        f"{_digits(least)} to {_digits(most)} times at gap {size:g}"
        for size, (least, most) in scaling.growth().items()
    )
    return (
        f"A bonus is below your gap after {last / first:.2g} times the visits that gap "
        f"{scaling.GAP:g} takes "
        "(like 1/gap where noise decides, like 1/gap^2 where the sample does). Users of "
        "one small world "
        f"(states 3, actions 2, horizon 3, epsilon 2 and 10) over those at gap "
        f"{scaling.GAP:g}: {growth}"
    )


def _of_a_tried_gap(
    asked: Asked, agent: Any, mdp: Any, ranges: Ranges, verdicts: list[str]
) -> list[str]:
    """Words for a gap for which "enough" was tried; verdicts with proved and with narrowed
    widths."""
    from privrl.environments import planning
    from privrl.horizon import scaling

    low, high = scaling.factors("even")
    gap = scaling.GAP if asked.gap is None else asked.gap
    visits = scaling.visits(agent, mdp, asked.users)
    share = _divisor(asked)
    where, costs, grown = "all states come up alike", f"{scaling.GAP:g}", []
    source = f"From: {low:.2g} to {high:.2g} times H S A n"
    needs = f"a plan needs n = {visits:,.0f} visits to tell actions apart"
    if share < 1:
        where = f"a state comes up {share:.2g} times as often as if all did alike, or more often"
        source = f"From: {low:.2g} times H S A n to {high:.2g} / {share:.2g} times as much"
    if not math.isclose(gap, scaling.GAP, rel_tol=1e-9):
        costs = f"{gap:.3g} or more ({_source(asked)})"
        needs += f", and {scaling.visits(agent, mdp, asked.users, gap):,.0f} for your gap"
        grown = [_growth(asked, agent, mdp, gap)]
    rivers = [row.mdp for row in scaling.MEASURED_SCALING if row.world == "river"]
    losses = " and ".join(sorted({f"{planning.smallest_gap(world):.1g}" for world in rivers}))
    return [
        (
            f"{_between(*ranges.even)} before it has learnt, {ranges.program}, where {where} "
            f"and a wrong action costs {costs}: {verdicts[0]}. {source}, as {needs}. "
            f"Measured at {ranges.sizes}{ranges.outside}"
        ),
        *grown,
        (
            f"{_between(*ranges.river)} where one sequence of actions alone leads to the reward "
            f"(rivers of 3 and 4 states, gap {losses}), more with more states"
        ),
        (
            f"{_between(*ranges.narrow)} with multiplier={scaling.NARROW:g}, where {where}: "
            f"{verdicts[1]}. "
            "The same noise and privacy, narrower widths, no guarantee of regret"
        ),
        *_visits(asked, agent, mdp),
    ]


def _visits(asked: Asked, agent: Any, mdp: Any) -> list[str]:
    """How the states of a file come up, and how many follow, beside those that were measured."""
    if asked.file is None or asked.rarest is None or asked.follow is None:
        return []
    states = asked.states or 0
    ratio = 1 / (states * asked.rarest)
    rarest = (
        f"Its rarest state comes up for {asked.rarest:.2g} of the users at most, however they act"
    )
    seen = (
        "as where states come up alike"
        if math.isclose(ratio, 1, rel_tol=1e-9)
        else f"{_digits(ratio)} times as rarely as where all do alike, and as many visits of it "
        "take so many times the users at least"
        if ratio > 1
        else "more often than where all do alike"
    )
    sums = (
        "; a pair leads to every state"
        if asked.follow == states
        else f"; a pair leads to {asked.follow} of {states} states at most. "
        f"{_support(asked, agent, mdp)}"
    )
    return [f"{rarest}, {seen}{sums}"]


def _support(asked: Asked, agent: Any, mdp: Any) -> str:
    """What a file's support would spare, if it may be known to all."""
    from privrl.environments import files
    from privrl.environments.sparse import SparseMDP
    from privrl.horizon import scaling

    known = SparseMDP.of(files.load_mdp(str(asked.file)))
    dense, sparse = (scaling.visits(agent, world, asked.users) for world in (mdp, known))
    return (
        f"If that may be known to all (privrl.SparseMDP), {agent.released(known):,} sums are "
        f"released in place of {agent.released(mdp):,}, and n is {sparse:,.0f} in place of "
        f"{dense:,.0f}"
    )


def _digits(ratio: float) -> str:
    """A ratio of users, two digits."""
    return f"{float(f'{ratio:.2g}'):g}"


def linear(agent: Any, mdp: Any) -> Guess:
    """By the users from which on bonuses are within the values, times what was measured."""
    from privrl.cli.advice import mixtures
    from privrl.environments import planning
    from privrl.extras import MissingExtraError, needed
    from privrl.privacy.counters import mechanisms

    d, horizon = int(mdp.psi.shape[3]), int(mdp.horizon)
    unknown = [
        (
            "your features, with whose norms noise and widths shrink; here these are the largest "
            "that are allowed"
        )
    ]
    rows = mixtures.MEASURED
    dims, horizons, epsilons = (
        sorted({getattr(row, name) for row in rows}) for name in ("d", "horizon", "epsilon")
    )
    sizes = f"dim {dims[0]} to {dims[-1]}, horizon {horizons[0]} to {horizons[-1]}"
    measured = not mechanisms.COUNTER_CLASSES[agent.counter].each_user
    known = measured and d <= dims[-1] and horizon <= horizons[-1]
    try:
        with needed("how many users it takes"):
            start = mixtures.start(agent, d, horizon) if known else None
    except MissingExtraError as error:  # noise and code are known without the ledger
        return Guess(None, None, [f"not known: {error}"], unknown)
    if start is None:
        return Guess(
            None,
            None,
            [f"not known; mixtures of {sizes} were measured with a server"],
            unknown,
        )
    low, high = mixtures.factors()
    least, most = (factor * horizon**2 * start for factor in (low, high))
    losses = [planning.smallest_gap(row.world.tabular()) for row in rows]
    words = (
        f"{_between(least, most)} before it has learnt, planned for as many. From: {low:.2g} to "
        f"{high:.2g} times H^2 K, with K = {start:,} from which on bonuses are within the values; "
        f"the factors were measured on mixtures of {sizes}, epsilon "
        f"{' and '.join(f'{e:g}' for e in epsilons)}, "
        f"where a wrong action costs at least {min(losses):.2g}"
    )
    return Guess(least, most, [words], unknown)


def _between(least: float, most: float) -> str:
    """Two numbers of users, two digits each."""
    if least == math.inf:
        return "more than a run can be planned for"
    low, high = (
        f"{float(f'{number:.2g}'):,.0f}" if number < 10**7 else f"{number:.2g}"
        for number in (least, most)
    )
    if math.isinf(most):
        return f"more than {low}"
    return low if low == high else f"{low} to {high}"
