"""All epsilon-DP bandit mechanisms of a few rounds at once, as the points of a polytope
(vietri2020/definition-4).

A mechanism is given by its realisation weights: the product of its own probabilities along arms and
rewards,

    x(a_1 r_1 .. a_i r_i a_(i+1))     and at the end     y(a_1 r_1 .. a_T r_T answer),

with the flow conditions that the weights of the next choice add up to the weight of the last,
whatever the reward. The probability of a history is its weight times that of its rewards. Privacy
is linear: for every output (arms and answer) the weights of two reward sequences that differ in one
place are within a factor E. So the least expected number of pulls, subject to being right on
several instances, is a linear program, and no mechanism is left out.

Joint privacy (definition-3 for S = H = 1) is linear too: what the others see, their arms and the
answer, with user t given by a reward for each arm, has the sum over t's arm of such weights; these
are within a factor E.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from privrl.checks import count, positive, require

ArmMeans = tuple[float, ...]  # mean reward of each arm; rewards are coins
BanditHistory = tuple[tuple[int, int], ...]  # (arm, reward) per round
Weight = Callable[[BanditHistory, int], float]


@dataclass(frozen=True, eq=False)
class BanditMechanism:
    """A mechanism: what was made least, all realisation weights {(history, next arm or answer):
    weight}, and its sizes."""

    value: float
    weights: dict[tuple[BanditHistory, int], float]
    rounds: int
    arms: int

    def outputs(self, instance: ArmMeans) -> dict[tuple[int, ...], float]:
        """Probability of each output (arms pulled, then the answer) on the instance."""
        law: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for (history, answer), weight in self.weights.items():
            if len(history) == self.rounds:
                law[(*(arm for arm, _ in history), answer)] += weight * likelihood(
                    history, instance
                )
        return law

    def loss(self) -> float:
        """Largest log-ratio of the weights of neighbouring reward sequences, over outputs of weight
        above 1e-7."""
        worst = 0.0
        for (history, answer), weight in self.weights.items():
            if len(history) < self.rounds or weight <= 1e-7:
                continue
            for neighbour in _neighbours(history):
                worst = max(worst, log(weight / max(self.weights[neighbour, answer], 1e-300)))
        return worst


def likelihood(history: BanditHistory, instance: ArmMeans) -> float:
    """Probability of the rewards, given the arms."""
    return float(
        np.prod([instance[arm] if reward else 1 - instance[arm] for arm, reward in history])
    )


def _neighbours(history: BanditHistory) -> list[BanditHistory]:
    return [
        (*history[:i], (arm, 1 - reward), *history[i + 1 :])
        for i, (arm, reward) in enumerate(history)
    ]


def fewest_pulls(
    rounds: int,
    epsilon: float,
    beta: float,
    counted: tuple[ArmMeans, int],
    right: Sequence[tuple[ArmMeans, int]],
    *,
    joint: bool = False,
) -> BanditMechanism | None:
    """The epsilon-DP (``joint``: epsilon-JDP) mechanism of up to 5 rounds with the least expected
    pulls of the arm on the instance of ``counted``; None where there is none. On each instance of
    ``right`` its answer must have probability at least 1 - beta."""
    instance, arm = counted

    def pulls(history: BanditHistory, choice: int) -> float:
        return likelihood(history, instance) if len(history) < rounds and choice == arm else 0.0

    def answered(case: tuple[ArmMeans, int]) -> Weight:
        means, answer = case
        return lambda history, choice: (
            likelihood(history, means) * (len(history) == rounds and choice == answer)
        )

    return _least(
        rounds, epsilon, len(instance), pulls, [(answered(case), 1 - beta) for case in right], joint
    )


def least_regret(
    rounds: int, epsilon: float, prior: Sequence[tuple[float, ArmMeans]], *, joint: bool = False
) -> float:
    """The least expected regret of all epsilon-DP (or epsilon-JDP) mechanisms over instances drawn
    from the prior."""
    return _least_mean(
        rounds,
        epsilon,
        prior,
        lambda means, arm: max(means) - means[arm],
        answers=False,
        joint=joint,
    )


def least_failure(
    rounds: int, epsilon: float, prior: Sequence[tuple[float, ArmMeans]], *, joint: bool = False
) -> float:
    """The least probability, over the prior, that the answer is not the best arm."""
    return _least_mean(
        rounds,
        epsilon,
        prior,
        lambda means, answer: means[answer] < max(means),
        answers=True,
        joint=joint,
    )


def _least_mean(
    rounds: int,
    epsilon: float,
    prior: Sequence[tuple[float, ArmMeans]],
    lost: Callable[[ArmMeans, int], float],
    *,
    answers: bool,
    joint: bool,
) -> float:
    """The least mean over the prior of what is lost by the arms, or by the answer alone."""

    def cost(history: BanditHistory, choice: int) -> float:
        if (len(history) == rounds) is not answers:
            return 0.0
        return sum(w * likelihood(history, means) * lost(means, choice) for w, means in prior)

    mechanism = _least(rounds, epsilon, len(prior[0][1]), cost, [], joint)
    if mechanism is None:
        raise ArithmeticError(
            "the mechanism that looks at nothing is private, but the solver found none"
        )
    return mechanism.value


def _least(
    rounds: int,
    epsilon: float,
    arms: int,
    cost: Weight,
    floors: Sequence[tuple[Weight, float]],
    joint: bool,
) -> BanditMechanism | None:
    """The mechanism with the least sum of cost(history, choice) * weight, subject to floors on such
    sums."""
    rounds, factor = count("rounds", rounds), exp(positive("epsilon", epsilon))
    require(rounds <= 5, "rounds must be <= 5", rounds=rounds)
    pulls = list(product(range(arms), (0, 1)))
    histories: list[BanditHistory] = [
        h for length in range(rounds + 1) for h in product(pulls, repeat=length)
    ]
    index = {key: at for at, key in enumerate(product(histories, range(arms)))}
    equal: list[tuple[dict[int, float], float]] = []
    below: list[tuple[dict[int, float], float]] = []
    for history in histories:
        row = {index[history, choice]: 1.0 for choice in range(arms)}
        if history:
            row[index[history[:-1], history[-1][0]]] = -1.0
        equal.append((row, 0.0 if history else 1.0))
        if len(history) == rounds and not joint:
            for neighbour, answer in product(_neighbours(history), range(arms)):
                below.append(
                    ({index[history, answer]: 1.0, index[neighbour, answer]: -factor}, 0.0)
                )
    if joint:
        below += _joint_rows(rounds, arms, factor, index)
    for weigh, floor in floors:
        below.append(({at: -weigh(*key) for key, at in index.items()}, -floor))
    upper, limits = _matrix(below, len(index))
    flow, ends = _matrix(equal, len(index))
    costs = np.array([cost(*key) for key in index])
    solution = linprog(
        costs, A_ub=upper, b_ub=limits, A_eq=flow, b_eq=ends, bounds=(0, 1), method="highs"
    )
    if not solution.success:
        return None
    return BanditMechanism(
        float(solution.fun), {key: float(solution.x[at]) for key, at in index.items()}, rounds, arms
    )


def _joint_rows(
    rounds: int, arms: int, factor: float, index: dict[tuple[BanditHistory, int], int]
) -> list[tuple[dict[int, float], float]]:
    """For each user, view of the others and pair of replies: one weighted sum is at most E times
    the other."""
    rows = []
    pulls = list(product(range(arms), (0, 1)))
    replies = list(product((0, 1), repeat=arms))
    for t, others, answer in product(range(rounds), product(pulls, repeat=rounds - 1), range(arms)):
        for first_reply, second_reply in product(replies, repeat=2):
            row: dict[int, float] = {}
            for arm in range(arms):
                for reply, sign in ((first_reply, 1.0), (second_reply, -factor)):
                    at = index[(*others[:t], (arm, reply[arm]), *others[t:]), answer]
                    row[at] = row.get(at, 0.0) + sign
            if first_reply != second_reply:
                rows.append((row, 0.0))
    return rows


def _matrix(
    rows: list[tuple[dict[int, float], float]], width: int
) -> tuple[csr_matrix, NDArray[np.float64]]:
    entries = [(i, at, value) for i, (row, _) in enumerate(rows) for at, value in row.items()]
    at_row, at_column, values = zip(*entries, strict=True)
    return csr_matrix((values, (at_row, at_column)), shape=(len(rows), width)), np.array(
        [end for _, end in rows]
    )
