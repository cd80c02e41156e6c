"""vietri2020, Section 6.2 and Appendix C.3: from reinforcement learning to bandits, equation-42,
lemma-9 and lemma-11.

Definition 3 hides from everyone else which actions user t was given. Lemma-9 reads off a trace that
shows the first of them. The agent remembers that action, and its later outputs may depend on it
together with the user's reward: averaged over the action they can hide the reward, next to the
action they need not. What is true stands in proofs.md, "Traces of private policies".
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.lemmas import small_agents as small
from theory.lemmas.small_agents import (
    Coins,
    SmallAgent,
    TabularSteps,
    User,
    View,
    bandit_user,
    bandit_users,
    without,
    worst,
)
from theory.rigor.kernel import Formal

HALF = Fraction(1, 2)
QUARTERS = tuple(Fraction(k, 4) for k in range(5))
# probability of policy 1 after (action, reward) 00, 01, 10, 11
Table = tuple[Fraction, Fraction, Fraction, Fraction]


def one_round(first: Fraction, table: Table) -> tuple[Fraction | None, Fraction | None]:
    """Worst ratios (joint privacy, trace) of the agent that plays 1 with probability ``first``,
    then uses the table."""

    def act(_past: tuple[TabularSteps, ...], _steps: TabularSteps, _state: int) -> Coins:
        return {0: 1 - first, 1: first}

    def finish(past: tuple[TabularSteps, ...]) -> dict[tuple[int, ...], Fraction]:
        ((_, action, reward),) = past[0]
        chance = table[2 * action + reward]
        return {(0,): 1 - chance, (1,): chance}

    agent, kinds = SmallAgent(1, act, finish), [bandit_users(0, 2)]
    return worst(agent, kinds, lambda t, _: without(t)), worst(
        agent, kinds, lambda _, users: small.trace(0, users)
    )


SMALLEST: Table = (Fraction(0), Fraction(1, 4), HALF, HALF)


@cache
def all_rounds(first: Fraction) -> tuple[int, int, int, Fraction | None]:
    """Over all 625 tables in quarters: how many are jointly private, of those how many have a worse
    trace, how many an unprotected one, and the least joint ratio of the latter."""
    q = QUARTERS
    pairs = [one_round(first, table) for table in product(q, q, q, q)]
    private = [(joint, trace) for joint, trace in pairs if joint is not None]
    worse = [joint for joint, trace in private if trace is None or trace > joint]
    naked = [joint for joint, trace in private if trace is None]
    return len(private), len(worse), len(naked), min(naked, default=None)


def _naked(at: tuple[Fraction, Table]) -> bool:
    """Whether the trace is unprotected although the agent is ln(3/2)-JDP."""
    joint, trace = one_round(*at)
    return joint is not None and joint <= Fraction(3, 2) and trace is None


POLICIES = tuple(product((0, 1), repeat=2))  # two states, two actions


def releasing(seed: int, *, forgets: bool = True) -> SmallAgent:
    """A random agent of two states, two actions, one step, whose coins depend on all that it has
    seen.

    ``forgets`` False: a mutant, whose final policy hides the first reward behind the first action.
    """
    generator = np.random.default_rng(seed)
    drawn: dict[object, list[int]] = {}

    def weights(key: object) -> list[int]:
        if key not in drawn:
            drawn[key] = generator.integers(1, 4, size=len(POLICIES)).tolist()
        return drawn[key]

    def act(past: tuple[TabularSteps, ...], _steps: TabularSteps, state: int) -> Coins:
        table = weights(past)
        coins = {0: Fraction(0), 1: Fraction(0)}
        for policy, weight in zip(POLICIES, table, strict=True):
            coins[policy[state]] += Fraction(weight, sum(table))
        return coins

    def finish(past: tuple[TabularSteps, ...]) -> dict[tuple[int, ...], Fraction]:
        if not forgets:  # the reward of the first user shows only next to the action
            ((_, action, reward),) = past[0]
            chance = SMALLEST[2 * action + reward]
            return {(0, 0): 1 - chance, (1, 1): chance}
        table = weights(past)
        return {
            policy: Fraction(weight, sum(table))
            for policy, weight in zip(POLICIES, table, strict=True)
        }

    return SmallAgent(1, act, finish)


def _traces_are_no_worse(forgets: bool) -> bool:
    """Whether no trace of the agents tried has a larger ratio than their policies (or, mutant, than
    joint privacy)."""
    for seed, firsts in product(range(3), ((0, 0), (0, 1))):
        agent = releasing(seed, forgets=forgets)
        kinds = [bandit_users(first, 2) for first in firsts]
        limit = (
            small.policies_ratio(agent, kinds, POLICIES)
            if forgets
            else worst(agent, kinds, lambda t, _: without(t))
        )
        for state in set(firsts):

            def traced(_: int, users: Any, state: Any = state) -> Any:
                return small.trace(state, users)

            trace_ratio = worst(agent, kinds, traced)
            if not _at_most((limit, trace_ratio)):
                return False
    return True


def repeats(copied: bool) -> SmallAgent:
    """Two episodes: a fair coin, then the same action again (or, not ``copied``, a fresh coin)."""

    def act(past: tuple[TabularSteps, ...], _steps: TabularSteps, _state: int) -> Coins:
        if past and copied:
            return {past[0][0][1]: Fraction(1)}
        return {0: HALF, 1: HALF}

    return SmallAgent(1, act, lambda _past: {(0,): Fraction(1)})


def _later_informs(agent: SmallAgent) -> bool:
    """Whether Pr[first action 0 | second action 0] differs from Pr[first action 0]."""
    law = agent.law([bandit_user(0, (0, 0))] * 2)

    def probability(event: Callable[[int, int], bool]) -> Fraction:
        return sum(
            (share for (actions, _), share in law.items() if event(actions[0][0], actions[1][0])),
            Fraction(0),
        )

    conditional = probability(lambda first, second: first == second == 0) / probability(
        lambda _, second: second == 0
    )
    return conditional != probability(lambda first, _: first == 0)


def _past_is_the_same(view_of: Callable[[int], View]) -> bool:
    """Whether the law of ``seen(t)`` does not change when user t is replaced, first states public,
    agents drawn."""
    return all(
        worst(
            releasing(seed), [bandit_users(first, 2) for first in firsts], lambda t, _: view_of(t)
        )
        == 1
        for seed, firsts in product(range(4), product((0, 1), repeat=2))
    )


def _own_actions_differ(horizon: int) -> bool:
    """Whether the law of episode 1's actions depends on the user, for an agent that answers a
    reward by its value."""

    def act(_past: tuple[TabularSteps, ...], steps: TabularSteps, _state: int) -> Coins:
        return {steps[-1][2] if steps else 0: Fraction(1)}

    agent = SmallAgent(horizon, act, lambda _past: {(0,): Fraction(1)})
    sequences = [
        actions for length in range(1, horizon + 1) for actions in product((0, 1), repeat=length)
    ]
    users = [User(0, tuple((actions, (reward, 0)) for actions in sequences)) for reward in (0, 1)]
    laws = [small.viewed(agent.law([user]), lambda output: output[0][0]) for user in users]
    return laws[0] != laws[1]


def _not_a_product(event: frozenset[tuple[int, int, int]]) -> bool:
    """Whether (41) fails for t = 2 of 3: some (past, future) lies in both projections and not in
    the event's."""
    return any(
        any((past, present, bit) in event for bit in (0, 1))
        and any((bit, present, future) in event for bit in (0, 1))
        and (past, present, future) not in event
        for past, present, future in product((0, 1), repeat=3)
    )


@claim("vietri2020/equation-42")
def equation_42() -> Records:
    """False: what comes later depends on what came before, so it informs about it. What may be used
    in its place."""
    yield Trial(
        _later_informs,
        at=repeats(copied=True),
        mutant_at=repeats(copied=False),
        mutant="An agent whose second action is a fresh coin.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        domain="An agent whose later outputs depend on its earlier ones.",
        evidence="Order fixes the law of the later given the earlier, not the reverse.",
        severity=Severity.SUBSTANCE,
        witness=Witness(
            {"T": 2, "S": 1, "A": 2, "H": 1, "agent": "a fair coin, then the same action again"},
            ("Pr[first action given the second] =", 0.5),
            ("it is", 1.0),
        ),
    )
    yield Trial(
        lambda last: _past_is_the_same(lambda t: lambda output: output[0][: t + last]),
        at=1,
        mutant_at=2,
        mutant="The outputs of episode $t + 1$ included.",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement="The joint law of all outputs before episode $t$ and of the first action in it "
        "is the same for two $t$-neighbours with the same first states.",
        domain="Every agent of the protocol.",
        evidence="Neither depends on the replies of user $t$.",
        basis=Basis(proof="Traces of private policies"),
    )


@claim("vietri2020/lemma-9")
def lemma_9() -> Records:
    """Fails for agents that remember a drawn action; holds when the policies together are
    private."""
    joint = one_round(HALF, SMALLEST)[0]
    shown = [(SMALLEST[reward] + SMALLEST[2 + reward]) / 2 for reward in (0, 1)]
    yield Trial(
        _naked,
        at=(HALF, SMALLEST),
        mutant_at=[(Fraction(0), SMALLEST), (HALF, (HALF, Fraction(3, 4), HALF, HALF))],
        mutant="The same agent after a fixed action; in numbers, without a probability 0.",
    ).fails(
        "printed",
        Rigor.KERNEL,
        statement=r"The trace of an $\varepsilon$-JDP agent at a state (its first actions there, "
        r"and its policy) is $\varepsilon$-DP in the users.",
        domain=r"One agent, whose trace is $\varepsilon$-DP for no $\varepsilon$.",
        evidence=f"Without the user's own action, policy 1 has probability {shown[0]} or "
        f"{shown[1]}; the trace shows the action too.",
        severity=Severity.SUBSTANCE,
        witness=Witness(
            {
                "T": 1,
                "S": 1,
                "H": 1,
                "A": 2,
                "e^epsilon": float(joint or 0),
                "first action": "a fair coin",
                "Pr[policy 1] after action 0 and rewards 0, 1": "0, 1/4",
                "Pr[policy 1] after action 1": "always 1/2",
            },
            ("ratio of the trace at most", float(joint or 0)),
            ("Pr[trace (0, 1)] for rewards 0 and 1 is", "0 and 1/8"),
        ),
        basis=Basis(
            formal=Formal(
                "vietri2020_lemma_9",
                "lemma_9_refuted",
                "lemma_9_mutant_fixed_action",
                ("ln (3 / 2)", "ln (149 / 100)"),
                also=("lemma_9_fails",),
            )
        ),
    )
    yield Trial(
        _traces_are_no_worse,
        at=True,
        mutant_at=False,
        mutant="An agent that is jointly private only.",
    ).holds(
        "corrected: private policies",
        Rigor.DERIVED,
        statement=r"If the policies $(\pi_1, \ldots, \pi_T, \pi)$ are together $\varepsilon$-DP "
        r"for fixed first states, the trace of each state is an $\varepsilon$-DP bandit "
        r"mechanism on its users.",
        domain="Every agent that fixes each policy before its episode.",
        evidence="The trace is a function of the policies and the first states.",
        basis=Basis(proof="Traces of private policies"),
    )
    yield Trial(
        lambda first: all_rounds(first)[0] > 0 and all_rounds(first)[1] == 0,
        at=Fraction(0),
        mutant_at=HALF,
        mutant="A first action drawn by a fair coin.",
    ).holds(
        "corrected: determined first actions",
        Rigor.DERIVED,
        statement=r"If each first action is determined by the earlier outputs and the first "
        r"states, $\varepsilon$-JDP gives an $\varepsilon$-DP trace.",
        domain="Every such agent.",
        evidence="The trace is then a function of the outputs outside episode $t$.",
        basis=Basis(proof="Traces of private policies"),
    )
    yield Trial(
        _own_actions_differ,
        at=2,
        mutant_at=1,
        mutant="$H = 1$.",
    ).fails(
        "step: (43)",
        Rigor.COUNTEREXAMPLE,
        statement="The law of all $H$ actions of episode $t$ is the same for $t$-neighbours with "
        "the same first state.",
        domain=r"$H \ge 2$.",
        evidence="Only the first action is drawn before any reply of user $t$.",
        witness=Witness(
            {"H": 2, "agent": "the second action repeats the first reward"},
            ("actions of users with rewards 0 and 1", "alike"),
            ("they are", "(0, 0) and (0, 1)"),
        ),
    )
    yield Trial(
        _not_a_product,
        at=frozenset({(0, 0, 0), (1, 0, 1)}),
        mutant_at=frozenset({(0, 0, 1)}),
        mutant="A single output.",
    ).fails(
        "step: (41)",
        Rigor.COUNTEREXAMPLE,
        statement="Outputs outside episode $t$ lie in the event's section exactly when past and "
        "future lie in theirs.",
        domain="Some events of several outputs.",
        evidence="It is true of single outputs, and these suffice.",
        witness=Witness(
            {"event": "{(0, 0, 0), (1, 0, 1)}", "t": 2},
            ("past 0 and future 1", "in the event"),
            ("(0, 0, 1)", "not in the event"),
        ),
    )


def _echo() -> SmallAgent:
    """Plays the first user's first state to the second."""

    def act(past: tuple[TabularSteps, ...], _steps: TabularSteps, _state: int) -> Coins:
        return {past[0][0][0] if past else 0: Fraction(1)}

    return SmallAgent(1, act, lambda _past: {(0, 0): Fraction(1)})


def _ratios(agent: SmallAgent) -> tuple[Fraction | None, Fraction | None]:
    """Worst ratios (any user replaced, any user of the same first state replaced), two episodes,
    two states."""
    everyone = [user for first in (0, 1) for user in bandit_users(first, 2)]
    free = worst(agent, [everyone, everyone], lambda t, _: without(t))
    public = small.largest(
        worst(agent, [bandit_users(first, 2), bandit_users(second, 2)], lambda t, _: without(t))
        for first, second in product((0, 1), repeat=2)
    )
    return free, public


def _at_most(ratios: tuple[Fraction | None, Fraction | None]) -> bool:
    """Whether the second ratio is at most the first (None is infinite)."""
    first, second = ratios
    return first is None or (second is not None and second <= first)


@claim("vietri2020/lemma-11")
def lemma_11() -> Records:
    """True: neighbours that share the first states are neighbours. The converse, which Appendix C.1
    says, is false."""
    pairs = [_ratios(releasing(seed)) for seed in range(2)]
    echo = _ratios(_echo())
    yield Trial(
        lambda swap: all(_at_most(pair[::-1] if swap else pair) for pair in (*pairs, echo)),
        at=False,
        mutant_at=True,
        mutant="The converse.",
        tighter={"the converse": True},
    ).holds(
        "printed",
        Rigor.DERIVED,
        domain="Every agent.",
        evidence="Definition 5 asks for the inequality of definition 3 for fewer pairs.",
        basis=Basis(proof="Traces of private policies"),
    )
    yield Trial(
        lambda agent: _ratios(agent)[0] is None and _ratios(agent)[1] == 1,
        at=_echo(),
        mutant_at=repeats(copied=True),
        mutant="An agent that repeats its own coin.",
    ).fails(
        "step: Appendix C.1, point 5",
        Rigor.COUNTEREXAMPLE,
        statement=r"Given the class of hard MDPs, an agent that is $\varepsilon$-JDP with public "
        r"first states is $\varepsilon$-JDP.",
        domain="Agents that show a first state.",
        evidence="Neither definition looks at the MDP.",
        witness=Witness(
            {"T": 2, "S": 2, "H": 1, "agent": "the second action is the first user's first state"},
            ("ratio with public first states", float(echo[1] or 0)),
            ("ratio when they are private", "infinite"),
        ),
    )
