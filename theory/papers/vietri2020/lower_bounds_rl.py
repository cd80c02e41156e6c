"""vietri2020, Section 6.2 and Appendix C.3: from reinforcement learning to bandits, equation-42, lemma-9 and lemma-11.

Definition 3 hides from everyone else which actions user t was given. Lemma-9 reads off a trace that shows the first of
them. The agent remembers that action, and its later outputs may depend on it together with the user's reward: averaged
over the action they can hide the reward, next to the action they need not.

**Smallest example.** One user, one state, one step, two actions. The agent plays 0 or 1 by a fair coin. Its final
policy is 1 with probability 0 or 1/4 after action 0 and reward 0 or 1, and 1/2 after action 1. Without the user's own
action, policy 1 has probability 1/4 or 3/8: ln(3/2)-joint privacy. The trace (0, 1) has probability 0 or 1/8: none.

**What is true.** If the policies (pi_1, .., pi_T, pi) are together epsilon-DP for fixed first states, as they are when
an agent is proved private by the billboard lemma, then so is the trace, a function of them. The same if every first
action is determined by earlier outputs and first states: the trace is then a function of what joint privacy protects.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from theory.claim import Record, Rigor, Verdict, claim, decide
from theory.lemmas.small_agents import (
    Agent,
    Coins,
    Episode,
    User,
    View,
    bandit_user,
    bandit_users,
    largest,
    policies_ratio,
    trace,
    viewed,
    without,
    worst,
)

HALF = Fraction(1, 2)
QUARTERS = tuple(Fraction(k, 4) for k in range(5))
Table = tuple[Fraction, Fraction, Fraction, Fraction]  # probability of policy 1 after (action, reward) 00, 01, 10, 11


# ---- one user, one state, one step -----------------------------------------------------------------------------------


def one_round(first: Fraction, table: Table) -> tuple[Fraction | None, Fraction | None]:
    """Worst ratios (joint privacy, trace) of the agent that plays 1 with probability ``first``, then uses the table."""

    def act(_past: tuple[Episode, ...], _steps: Episode, _state: int) -> Coins:
        return {0: 1 - first, 1: first}

    def finish(past: tuple[Episode, ...]) -> dict[tuple[int, ...], Fraction]:
        ((_, action, reward),) = past[0]
        one = table[2 * action + reward]
        return {(0,): 1 - one, (1,): one}

    agent, kinds = Agent(1, act, finish), [bandit_users(0, 2)]
    return worst(agent, kinds, lambda t, _: without(t)), worst(agent, kinds, lambda _, users: trace(0, users))


SMALLEST: Table = (Fraction(0), Fraction(1, 4), HALF, HALF)


@cache
def all_rounds(first: Fraction) -> tuple[int, int, int, Fraction | None]:
    """Over all 625 tables in quarters: how many are jointly private, of those how many have a worse trace, how many an
    unprotected one, and the least joint ratio of the latter."""
    q = QUARTERS
    pairs = [one_round(first, table) for table in product(q, q, q, q)]
    private = [(joint, shown) for joint, shown in pairs if joint is not None]
    worse = [joint for joint, shown in private if shown is None or shown > joint]
    naked = [joint for joint, shown in private if shown is None]
    return len(private), len(worse), len(naked), min(naked, default=None)


def _naked(at: tuple[Fraction, Table]) -> bool:
    """Whether the trace is unprotected although the agent is ln(3/2)-JDP."""
    joint, shown = one_round(*at)
    return joint is not None and joint <= Fraction(3, 2) and shown is None


# ---- agents that release policies ------------------------------------------------------------------------------------

POLICIES = tuple(product((0, 1), repeat=2))  # two states, two actions


def releasing(seed: int, *, forgets: bool = True) -> Agent:
    """A random agent of two states, two actions, one step, whose coins depend on all that it has seen.

    ``forgets`` False: a mutant, whose final policy hides the first reward behind the first action.
    """
    generator = np.random.default_rng(seed)
    drawn: dict[object, list[int]] = {}

    def weights(seen: object) -> list[int]:
        if seen not in drawn:
            drawn[seen] = generator.integers(1, 4, size=len(POLICIES)).tolist()
        return drawn[seen]

    def act(past: tuple[Episode, ...], _steps: Episode, state: int) -> Coins:
        table = weights(past)
        coins = {0: Fraction(0), 1: Fraction(0)}
        for policy, weight in zip(POLICIES, table, strict=True):
            coins[policy[state]] += Fraction(weight, sum(table))
        return coins

    def finish(past: tuple[Episode, ...]) -> dict[tuple[int, ...], Fraction]:
        if not forgets:  # the reward of the first user shows only next to the action
            ((_, action, reward),) = past[0]
            one = SMALLEST[2 * action + reward]
            return {(0, 0): 1 - one, (1, 1): one}
        table = weights(past)
        return {policy: Fraction(weight, sum(table)) for policy, weight in zip(POLICIES, table, strict=True)}

    return Agent(1, act, finish)


def _traces_are_no_worse(forgets: bool) -> bool:
    """Whether no trace of the agents tried has a larger ratio than their policies (or, mutant, than joint privacy)."""
    for seed, firsts in product(range(3), ((0, 0), (0, 1))):
        agent = releasing(seed, forgets=forgets)
        kinds = [bandit_users(first, 2) for first in firsts]
        limit = policies_ratio(agent, kinds, POLICIES) if forgets else worst(agent, kinds, lambda t, _: without(t))
        for state in set(firsts):
            shown = worst(agent, kinds, lambda _, users, state=state: trace(state, users))  # type: ignore[misc]
            if limit is not None and (shown is None or shown > limit):
                return False
    return True


# ---- conditioning on what comes later --------------------------------------------------------------------------------


def repeats(copied: bool) -> Agent:
    """Two episodes: a fair coin, then the same action again (or, not ``copied``, a fresh coin)."""

    def act(past: tuple[Episode, ...], _steps: Episode, _state: int) -> Coins:
        if past and copied:
            return {past[0][0][1]: Fraction(1)}
        return {0: HALF, 1: HALF}

    return Agent(1, act, lambda _past: {(0,): Fraction(1)})


def _later_informs(agent: Agent) -> bool:
    """Whether Pr[first action 0 | second action 0] differs from Pr[first action 0]."""
    law = agent.law([bandit_user(0, (0, 0))] * 2)

    def probability(event: Callable[[int, int], bool]) -> Fraction:
        return sum((share for (actions, _), share in law.items() if event(actions[0][0], actions[1][0])), Fraction(0))

    given = probability(lambda first, second: first == second == 0) / probability(lambda _, second: second == 0)
    return given != probability(lambda first, _: first == 0)


def _past_is_the_same(seen: Callable[[int], View]) -> bool:
    """Whether the law of ``seen(t)`` does not change when user t is replaced, first states public, agents drawn."""
    for seed, firsts in product(range(4), product((0, 1), repeat=2)):
        agent = releasing(seed)
        kinds = [bandit_users(first, 2) for first in firsts]
        if worst(agent, kinds, lambda t, _: seen(t)) != 1:
            return False
    return True


def up_to(last: int) -> Callable[[int], View]:
    """Outputs before episode t and of the ``last`` episodes from t on."""
    return lambda t: lambda output: output[0][: t + last]


def _own_actions_differ(horizon: int) -> bool:
    """Whether the law of episode 1's actions depends on the user, for an agent that answers a reward by its value."""

    def act(_past: tuple[Episode, ...], steps: Episode, _state: int) -> Coins:
        return {steps[-1][2] if steps else 0: Fraction(1)}

    agent = Agent(horizon, act, lambda _past: {(0,): Fraction(1)})
    sequences = [actions for length in range(1, horizon + 1) for actions in product((0, 1), repeat=length)]
    users = [User(0, tuple((actions, (reward, 0)) for actions in sequences)) for reward in (0, 1)]
    laws = [viewed(agent.law([user]), lambda output: output[0][0]) for user in users]
    return laws[0] != laws[1]


def _not_a_product(event: frozenset[tuple[int, int, int]]) -> bool:
    """Whether (41) fails for t = 2 of 3: some (past, future) lies in both projections and not in the event's."""
    return any(
        any((past, own, other) in event for other in (0, 1))
        and any((other, own, future) in event for other in (0, 1))
        and (past, own, future) not in event
        for past, own, future in product((0, 1), repeat=3)
    )


@claim("vietri2020/equation-42")
def equation_42() -> tuple[Record, ...]:
    """False: what comes later depends on what came before, so it informs about it. What may be used in its place."""
    return (
        decide(
            _later_informs, at=repeats(copied=True), mutant_at=repeats(copied=False), of="printed",
            statement="given the outputs after episode t, the outputs in and before it have the law that they "
            "have without",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="T = 2, one state, two actions, an agent that looks at no data",
            evidence="a fair coin, then the same action again: given the second action the first is known, Pr = 1 in "
            "place of 1/2. That inputs are processed in order makes the law of the later given the earlier simple, not "
            "the other way round.",
            mutant="an agent whose second action is a fresh coin"),
        decide(
            lambda last: _past_is_the_same(up_to(last)), at=1, mutant_at=2, of="corrected",
            statement="the joint law of all outputs before episode t and of the first action in it is the same for two "
            "t-neighbours with the same first states",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every agent: neither depends on the replies of user t",
            evidence="and by exhaustion on random agents of two states, two actions, two episodes. Nothing can be "
            "conditioned on later outputs.",
            mutant="the outputs of episode t + 1 included"),
    )


@claim("vietri2020/lemma-9")
def lemma_9() -> tuple[Record, ...]:
    """Fails for agents that remember a drawn action; holds when the policies together are private."""
    private, worse, naked, least = all_rounds(HALF)
    settled = [all_rounds(first) for first in (Fraction(0), Fraction(1))]
    return (
        decide(
            _naked, at=(HALF, SMALLEST),
            mutant_at=((Fraction(0), SMALLEST), (HALF, (HALF, Fraction(3, 4), HALF, HALF))), several_mutants=True,
            of="printed",
            statement="the trace of an epsilon-JDP agent at a state (its first actions there, and its policy) "
            "is epsilon-DP in the users",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, domain="T = S = H = 1, A = 2",
            evidence="a fair coin for the action; policy 1 with probability 0 or 1/4 after action 0 and reward 0 or 1, "
            "1/2 after action 1. Others see policy 1 with probability 1/4 or 3/8 and policy 0 with 3/4 or 5/8: ln(3/2)-"
            "JDP. The trace (action 0, policy 1) has probability 0 or 1/8, so it is not epsilon-DP for any epsilon. Of "
            f"all 625 such agents with probabilities in quarters {private} are jointly private; {worse} of them have a "
            f"worse trace, {naked} an unprotected one, from the joint ratio {least} on. Equation 42 is where the proof "
            "breaks.",
            mutant="the same table after a fixed action; a table without zeros"),
        decide(
            _traces_are_no_worse, at=True, mutant_at=False, of="corrected: private policies",
            statement="if the policies (pi_1, .., pi_T, pi) are together epsilon-DP for fixed first states, the trace "
            "of each state is an epsilon-DP bandit mechanism on its users",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED,
            domain="every agent that is proved private by the billboard lemma (lemma 2), PUCB with enough noise among "
            "them",
            evidence="the trace is a function of the policies and the first states. By exhaustion on random agents of "
            "two states, two actions, two episodes as well.",
            mutant="an agent that is jointly private only", sharpness=1.0),
        decide(
            lambda first: all_rounds(first)[0] > 0 and all_rounds(first)[1] == 0, at=Fraction(0), mutant_at=HALF,
            of="corrected: determined first actions",
            statement="if each first action is determined by the earlier outputs and the first states, epsilon-JDP "
            "gives an epsilon-DP trace; a deterministic agent's trace does not depend on the users at all",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every such agent",
            evidence="the trace is then a function of the outputs outside episode t. All 625 tables after a fixed "
            "action: "
            f"{settled[0][0]} and {settled[1][0]} jointly private (action 0, action 1), none with a worse trace.",
            mutant="a first action drawn by a fair coin", sharpness=1.0),
        decide(
            _own_actions_differ, at=2, mutant_at=1, of="step: (43)",
            statement="the law of all H actions of episode t is the same for t-neighbours with the same first state",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="H = 2: the second action repeats the first reward",
            evidence="the actions are (0, 0) or (0, 1) as the user's first reward is 0 or 1. Only the first action is "
            "drawn before any reply of user t, and only that one is in the trace.",
            mutant="H = 1"),
        decide(
            _not_a_product, at=frozenset({(0, 0, 0), (1, 0, 1)}), mutant_at=frozenset({(0, 0, 1)}), of="step: (41)",
            statement="outputs outside episode t lie in the event's section exactly when past and future lie in theirs",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="the event {(0, 0, 0), (1, 0, 1)} of three episodes, t = 2",
            evidence="past 0 and future 1 lie in both sections, (0, 1) does not. It is true of single outputs, and "
            "these suffice where delta = 0.",
            mutant="a single output"),
    )


# ---- lemma-11 --------------------------------------------------------------------------------------------------------


def _echo() -> Agent:
    """Plays the first user's first state to the second."""

    def act(past: tuple[Episode, ...], _steps: Episode, _state: int) -> Coins:
        return {past[0][0][0] if past else 0: Fraction(1)}

    return Agent(1, act, lambda _past: {(0, 0): Fraction(1)})


def _ratios(agent: Agent) -> tuple[Fraction | None, Fraction | None]:
    """Worst ratios (any user replaced, any user of the same first state replaced), two episodes, two states."""
    everyone = [user for first in (0, 1) for user in bandit_users(first, 2)]
    free = worst(agent, [everyone, everyone], lambda t, _: without(t))
    public = largest(
        worst(agent, [bandit_users(first, 2), bandit_users(second, 2)], lambda t, _: without(t))
        for first, second in product((0, 1), repeat=2)
    )
    return free, public


def _at_most(ratios: tuple[Fraction | None, Fraction | None]) -> bool:
    """Whether the second ratio is at most the first (None is infinite)."""
    first, second = ratios
    return first is None or (second is not None and second <= first)


@claim("vietri2020/lemma-11")
def lemma_11() -> tuple[Record, ...]:
    """True: neighbours that share the first states are neighbours. The converse, which Appendix C.1 says, is false."""
    pairs = [_ratios(releasing(seed)) for seed in range(2)]
    echo = _ratios(_echo())
    return (
        decide(
            lambda swap: all(_at_most(pair[::-1] if swap else pair) for pair in (*pairs, echo)), at=False,
            mutant_at=True, of="printed",
            statement="an epsilon-JDP agent is epsilon-JDP with public first states",
            verdict=Verdict.HOLDS, rigor=Rigor.PROVED, domain="every agent, and the same events in both definitions",
            evidence="definition 5 asks for the inequality of definition 3 for fewer pairs. By exhaustion: worst "
            "ratios "
            + ", ".join(f"{float(one):.3f} >= {float(other):.3f}" for one, other in pairs if one and other)
            + ".",
            mutant="the converse", sharpness=1.0),
        decide(
            lambda agent: _ratios(agent)[0] is None and _ratios(agent)[1] == 1, at=_echo(),
            mutant_at=repeats(copied=True), of="step: Appendix C.1, point 5",
            statement="an agent that is epsilon-JDP with public first states is epsilon-JDP",
            verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
            domain="T = 2, S = 2, H = 1: the second action repeats the first user's first state",
            evidence="with public first states nothing is leaked (ratio 1); without, the first user's first state is "
            "shown. The direction of the lemma is what theorem 5 needs.",
            mutant="an agent that repeats its own coin"),
    )
