"""Two-world attacks on whole agents: what the policies of later users reveal about user k.

In both worlds all other users answer from the same coins (a user is a tree of answers, so her path
may still differ, when her policy does), the noise and the agent's own coins are drawn anew in every
trial, and the attacker sees the policies of the users after k and nothing else. User k answers

- in a tabular MDP, for k = 1, as the worst pair of :mod:`privrl.privacy.sensitivity`: she stays in
  state 1 or in state 2, with rewards 1 (the first plan knows nothing, so every action may be hers);
- elsewhere with all coins at one end, or at the other.

The policies are made of the releases, so no test can do better than the log-likelihood ratio of the
releases; which function of it the policies keep is the planner's matter. The attack learns, on the
trials that choose the event, a linear test of the policies (differences of the means over the
variances), for all later users and for the next one alone, and tries single entries. Its bound must
stay below the exact epsilon of the counter, by post-processing.
"""

from typing import Any

import numpy as np

from privrl.agents import registry
from privrl.checks import choice, count, failure, require
from privrl.environments import suite
from privrl.privacy import noise as scales
from privrl.privacy import sensitivity
from privrl.privacy.audit.entries import Audit, setting
from privrl.privacy.audit.events import Attack, choose, conclude, known_trials
from privrl.privacy.audit.faults import FAULTS, plant
from privrl.privacy.counters.mechanisms import AUDITED
from privrl.types import CALIBRATIONS, FloatArray, TabularMDP

LAST = 1 - 2.0**-53  # the largest coin
SINGLE_ENTRIES = 8  # entries of the policies that are tried alone
MOST_AGENT_RELEASES = 256


def audit_agent(
    identifier: str,
    *,
    agent: str | None = None,
    counter: str | None = None,
    calibration: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    releases: int = 7,
    user: int = 1,
    trials: int = 2000,
    seed: int = 0,
    alpha: float = 1e-3,
    fault: str | None = None,
) -> Audit:
    """Attack an agent on an entry of the suite, in a run of ``releases + 1`` episodes.

    Parameters
    ----------
    agent, counter : by default the entry's first, over its paper's counter
    calibration : by default printed, or the agent's own where it has none printed
    epsilon, delta : the entry's by default; the exact epsilon is claimed, or what the printed noise
        really gives
    user : k, in 1..releases
    trials : of each world that give the bound; as many again choose the event
    fault : one of :data:`privrl.privacy.audit.faults.FAULTS`, planted in the counter
    """
    entry = suite.entry(identifier)
    players = registry.playing(entry)
    name = choice("agent", players[0] if agent is None else agent, players)
    counter = choice(
        "counter", scales.paper(entry.paper).counter if counter is None else counter, AUDITED
    )
    kind = registry.kind(name)
    require(kind.counter != "none", "agent must be one that adds noise", agent=name)
    if calibration is None:
        calibration = "printed" if "printed" in kind.calibrations else kind.calibration
    choice("calibration", calibration, CALIBRATIONS)
    if fault is not None:
        choice("fault", fault, FAULTS)
    releases, user, trials, seed = (
        count("releases", releases, 1, MOST_AGENT_RELEASES),
        count("user", user),
        known_trials(trials),
        count("seed", seed, 0),
    )
    require(user <= releases, "user must be <= releases", user=user, releases=releases)
    alpha = failure("alpha", alpha)
    resolved = setting(identifier, releases, epsilon, delta)
    machine = _Machine(
        entry.make(),
        registry.make(
            name,
            epsilon=resolved.epsilon,
            delta=resolved.delta,
            beta=entry.beta,
            counter=counter,
            calibration=calibration,
        ),
        releases,
        user,
        fault,
        np.random.SeedSequence(seed),
    )
    real = (
        scales.noise(entry.paper, resolved).real_epsilon
        if calibration == "printed"
        else resolved.epsilon
    )
    attacked = _attack(machine, trials, alpha, real, resolved.delta)
    return Audit(
        identifier,
        f"agent {name}",
        counter,
        calibration,
        resolved.epsilon,
        resolved.delta,
        releases,
        user,
        fault,
        seed,
        trials,
        alpha,
        {"policies": attacked},
    )


class _Machine:
    """Runs of one agent that differ in noise, ties and the world."""

    def __init__(
        self,
        environment: Any,
        agent: Any,
        releases: int,
        user: int,
        fault: str | None,
        seeds: np.random.SeedSequence,
    ) -> None:
        self.environment, self.agent, self.releases, self.user, self.fault = (
            environment,
            agent,
            releases,
            user,
            fault,
        )
        noise_seed, coin_seed, tie_seed = seeds.spawn(3)
        self._noise, self._ties = (
            np.random.Generator(np.random.SFC64(array)) for array in (noise_seed, tie_seed)
        )
        self._coins = np.random.Generator(np.random.SFC64(coin_seed)).random(
            (releases + 1, environment.coins)
        )
        self._learner = agent.start(environment, releases + 1, np.array([releases + 1]))
        self._fresh = [array.copy() for array in _arrays(self._learner.state)]
        model = agent.noise(environment, releases + 1, self._noise)
        self._width, self._scale, self._law = model.width, model.scale, model.law
        explicit = isinstance(environment, TabularMDP) and user == 1 and environment.states > 1
        self._answers = _worst(environment) if explicit else None

    def noise(self, trials: int) -> FloatArray:
        """(R, trials, W)."""
        counter = plant(
            self.fault,
            self.agent.counter,
            self._width * trials,
            self.releases,
            self._noise,
            self._law,
            group=self._width,
        )
        block: FloatArray = (
            counter.block(self.releases).reshape(self.releases, trials, self._width) * self._scale
        )
        return block

    def policies(self, world: int, trials: int) -> FloatArray:
        """(trials, later users, F): what each later user's policy shows."""
        rows = []
        step = max(1, (1 << 21) // (self.releases * self._width))
        for first in range(0, trials, step):
            block = self.noise(min(step, trials - first))
            rows += [
                self._run(world, np.ascontiguousarray(block[:, trial]))
                for trial in range(block.shape[1])
            ]
        return np.array(rows)

    def _run(self, world: int, noise: FloatArray) -> list[FloatArray]:
        state = self._learner.state
        for array, fresh in zip(_arrays(state), self._fresh, strict=True):
            array[...] = fresh
        rows = np.concatenate((np.zeros((1, self._width)), noise))
        coins, ties = (
            self._coins.copy(),
            self._ties.random((self.releases + 1, self.environment.ties)),
        )
        coins[self.user - 1] = LAST if world else 0.0
        self._learner.advance(rows[: self.user], coins[: self.user], ties[: self.user])
        if self._answers is not None:
            state.statistics[...] = self._answers[world]
        policies = []
        for row in range(self.user, self.releases + 1):
            self._learner.advance(rows[row : row + 1], coins[row : row + 1], ties[row : row + 1])
            policies.append(shown(state))
        return policies


def _arrays(state: Any) -> list[FloatArray]:
    """What kernels write into: arrays, and those in named tuples."""
    entries = [
        entry
        for value in vars(state).values()
        for entry in (value if isinstance(value, tuple) else (value,))
    ]
    return [entry for entry in entries if isinstance(entry, np.ndarray) and entry.flags.writeable]


def shown(state: Any) -> FloatArray:
    """What a policy shows, flat: the gains of a linear policy and their signs; else every action's
    probability."""
    if hasattr(state, "gains"):
        gains = state.gains.ravel()
        return np.concatenate((np.tanh(gains), np.sign(gains)))
    if hasattr(getattr(state, "plan", None), "policy"):  # a stochastic one
        return np.asarray(state.plan.policy.ravel())
    masks = np.asarray(state.greedy, dtype=np.int64)
    actions = int(getattr(state, "actions", 0)) or state.q.shape[0]
    bits = (masks[..., None] >> np.arange(actions)) & 1
    chances: FloatArray = (bits / np.maximum(bits.sum(axis=-1, keepdims=True), 1)).ravel()
    return chances


def _worst(mdp: TabularMDP) -> tuple[FloatArray, FloatArray]:
    """The running sums after user 1, in the layout of the tabular agents: n, r, m with the next
    state first."""
    pair = sensitivity.vietri2020("all", mdp.horizon, states=mdp.states)
    sums = []
    for states, actions, rewards in (pair.first, pair.second):
        visits, moves, gains = sensitivity.tabular_streams(
            states, actions, rewards, (mdp.states, mdp.actions)
        )
        sums.append(
            np.concatenate((visits.ravel(), gains.ravel(), moves.transpose(0, 3, 1, 2).ravel()))
        )
    return sums[0], sums[1]


def _tests(zero: FloatArray, unit: FloatArray) -> list[tuple[str, FloatArray]]:
    """Linear tests of the policies, learnt from both worlds: names, and weights of shape (later
    users, F)."""
    gap = unit.mean(axis=0) - zero.mean(axis=0)
    spread = (unit.var(axis=0) + zero.var(axis=0)) / 2 + 1.0 / len(zero)
    weights = gap / spread
    next_one = np.zeros_like(weights)
    next_one[0] = weights[0]
    tests = [("all later policies", weights), ("the next policy", next_one)]
    order = np.argsort(-np.abs(gap / np.sqrt(spread)), axis=None)[:SINGLE_ENTRIES]
    for place, entry in zip(*np.unravel_index(order, gap.shape), strict=True):
        single = np.zeros_like(weights)
        single[place, entry] = 1.0
        tests.append((f"entry {entry} of later policy {place + 1}", single))
    return tests


def _values(policies: FloatArray, tests: list[tuple[str, FloatArray]]) -> FloatArray:
    """(tests, trials), on a grid, so that equal policies have equal values."""
    values = np.tensordot(
        np.array([weights for _, weights in tests]), policies, axes=((1, 2), (1, 2))
    )
    return np.asarray(np.round(values, 9))


def _attack(machine: _Machine, trials: int, alpha: float, exact: float, delta: float) -> Attack:
    # half of the choosing trials learn the tests, the other half choose the event
    half = trials // 2
    learnt = [machine.policies(world, half) for world in (0, 1)]
    tests = _tests(learnt[0], learnt[1])
    again = [_values(machine.policies(world, trials - half), tests) for world in (0, 1)]
    share = alpha / 2
    chosen = choose(again[0], again[1], [name for name, _ in tests], share, delta, curve=False)
    name, sign, mark = chosen[0]
    test = [next(candidate for candidate in tests if candidate[0] == name)]
    alarms, hits = (
        int((sign * _values(machine.policies(world, trials), test)[0] > mark).sum())
        for world in (0, 1)
    )
    return conclude(chosen, [hits], [alarms], trials, share, exact, delta, alpha)
