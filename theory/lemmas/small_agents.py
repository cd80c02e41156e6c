"""Finite agents met by finite users, all outputs with their exact probabilities
(vietri2020/algorithm-1, definition-3).

A user is a tree: what it replies to every sequence of actions. An agent is a set of coins: the law
of its next action given all that it has seen, itself included, and the law of its final policy.
Private coins that it remembers are no more than that: an agent can see its own actions, and those
may be drawn.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Actions = tuple[int, ...]
TabularSteps = tuple[tuple[int, int, int], ...]  # (state, action, reward) per step
# actions per episode, final policy (action per state)
AgentOutput = tuple[tuple[Actions, ...], tuple[int, ...]]
OutputLaw = dict[AgentOutput, Fraction]
View = Callable[[AgentOutput], object]
Coins = dict[int, Fraction]


@dataclass(frozen=True)
class User:
    """A first state, and (reward, next state) for every non-empty sequence of actions."""

    first: int
    replies: tuple[tuple[Actions, tuple[int, int]], ...]

    def reply(self, actions: Actions) -> tuple[int, int]:
        """Reward of the last action and the state after it."""
        return dict(self.replies)[actions]


def bandit_user(first: int, rewards: Sequence[int]) -> User:
    """A user of one step: its reward for each action."""
    return User(first, tuple(((action,), (reward, first)) for action, reward in enumerate(rewards)))


def bandit_users(first: int, actions: int) -> list[User]:
    """All users of one step with that first state and rewards in {0, 1}."""
    return [bandit_user(first, rewards) for rewards in product((0, 1), repeat=actions)]


@dataclass(frozen=True)
class SmallAgent:
    """``act(finished episodes, steps of this one, state)`` and ``finish(episodes)``: laws of
    actions and policies."""

    horizon: int
    act: Callable[[tuple[TabularSteps, ...], TabularSteps, int], Coins]
    finish: Callable[[tuple[TabularSteps, ...]], dict[tuple[int, ...], Fraction]]

    def law(self, users: Sequence[User]) -> OutputLaw:
        """Probability of every output."""
        probabilities: OutputLaw = defaultdict(Fraction)

        def episode(
            past: tuple[TabularSteps, ...], steps: TabularSteps, state: int, weight: Fraction
        ) -> None:
            if len(steps) == self.horizon:
                start((*past, steps), weight)
                return
            for action, share in self.act(past, steps, state).items():
                if share:
                    played = (*(step[1] for step in steps), action)
                    reward, after = users[len(past)].reply(played)
                    episode(past, (*steps, (state, action, reward)), after, weight * share)

        def start(past: tuple[TabularSteps, ...], weight: Fraction) -> None:
            if len(past) < len(users):
                episode(past, (), users[len(past)].first, weight)
                return
            actions = tuple(tuple(step[1] for step in episode_steps) for episode_steps in past)
            for policy, share in self.finish(past).items():
                if share:
                    probabilities[actions, policy] += weight * share

        start((), Fraction(1))
        return probabilities


def without(episode: int) -> View:
    """What definition 3 protects against: all outputs but those of one episode (counted from 0)."""
    return lambda output: (output[0][:episode] + output[0][episode + 1 :], output[1])


def trace(state: int, users: Sequence[User]) -> View:
    """vietri2020/lemma-9: the first actions of the episodes that start in a state, and the final
    policy there."""
    starters = [t for t, user in enumerate(users) if user.first == state]
    return lambda output: (tuple(output[0][t][0] for t in starters), output[1][state])


def viewed(law: OutputLaw, view: View) -> dict[object, Fraction]:
    """The law of a view."""
    view_law: defaultdict[object, Fraction] = defaultdict(Fraction)
    for output, share in law.items():
        view_law[view(output)] += share
    return view_law


def ratio(first: dict[object, Fraction], second: dict[object, Fraction]) -> Fraction | None:
    """Largest ratio of probabilities; None when infinite."""
    if any(share and not second.get(key) for key, share in first.items()):
        return None
    return max(share / second[key] for key, share in first.items() if share)


def largest(ratios: Iterable[Fraction | None]) -> Fraction | None:
    """The largest, None standing for infinity."""
    values = list(ratios)
    return None if None in values else max(value for value in values if value is not None)


def worst(
    agent: SmallAgent, kinds: Sequence[Sequence[User]], view: Callable[[int, Sequence[User]], View]
) -> Fraction | None:
    """Largest ratio of what ``view(t, users)`` sees, over users drawn from ``kinds`` (one list per
    episode), episodes t and replacements of user t within its list."""
    laws = {users: agent.law(users) for users in product(*kinds)}
    return largest(
        ratio(
            viewed(law, observer),
            viewed(laws[(*users[:t], replacement, *users[t + 1 :])], observer),
        )
        for users, law in laws.items()
        for t, kind in enumerate(kinds)
        for observer in [view(t, users)]
        for replacement in kind
    )


def policies_ratio(
    agent: SmallAgent, kinds: Sequence[Sequence[User]], policies: Sequence[tuple[int, ...]]
) -> Fraction | None:
    """Worst ratio of the joint law of the policies in force and the final one; users of one step,
    each state's action drawn by its own coin given the past."""

    def split(users: tuple[User, ...]) -> dict[object, Fraction]:
        law: defaultdict[object, Fraction] = defaultdict(Fraction)

        def follow(
            past: tuple[TabularSteps, ...], chosen: tuple[tuple[int, ...], ...], weight: Fraction
        ) -> None:
            if len(past) == len(users):
                for policy, share in agent.finish(past).items():
                    law[(*chosen, policy)] += weight * share
                return
            user = users[len(past)]
            for policy in policies:
                share = Fraction(1)
                for state, action in enumerate(policy):
                    share *= agent.act(past, (), state)[action]
                action = policy[user.first]
                step = (user.first, action, user.reply((action,))[0])
                follow((*past, (step,)), (*chosen, policy), weight * share)

        follow((), (), Fraction(1))
        return law

    laws = {users: split(users) for users in product(*kinds)}
    return largest(
        ratio(law, laws[(*users[:t], replacement, *users[t + 1 :])])
        for users, law in laws.items()
        for t, kind in enumerate(kinds)
        for replacement in kind
    )
