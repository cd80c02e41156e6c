"""An agent that joint privacy allows and privacy of all actions does not: explore with secret arms,
then commit.

The agent and its proofs stand in vietri2020's proofs.md, "An agent with secret arms"; s_b is the
sum of the returns of those who played arm b. It is epsilon-JDP for x = K tanh(epsilon/2), and right
after :func:`exploration` users. The privacy of the trace that shows the arm of user t too is only
ln(1 + x) or so: K times weaker.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, log, log1p, tanh

import numpy as np
import z3
from numpy.typing import NDArray
from scipy import stats

from privrl.checks import count, positive, probability
from theory.rigor.smt import Proof

ArmLaw = dict[tuple[int, ...], Fraction]


def weight(arms: int, epsilon: float) -> float:
    """x = K tanh(epsilon/2)."""
    return count("arms", arms) * tanh(positive("epsilon", epsilon) / 2)


def exploration(arms: int, horizon: int, alpha: float, beta: float, epsilon: float) -> int:
    """Users after which the committed arm is alpha-optimal with probability 1 - beta:

    max(57 K (H/alpha)^2 L, 2 H K L/(alpha ln(1 + K tanh(epsilon/2)))), rounded up; returns in [0,
    H], alpha <= H."""
    arms, horizon = count("arms", arms), count("horizon", horizon)
    share = horizon / positive("alpha", alpha)
    logarithm = log(2 * arms / probability("beta", beta))
    private = 2 * share * arms * logarithm / log1p(weight(arms, epsilon))
    return ceil(max(57 * arms * share**2 * logarithm, private))


@cache
def averages_of_secret_arms(bound: Fraction = Fraction(1)) -> bool:
    """z3: the two bounds of step 1 of the proof, with ``bound`` x in place of x (true for 1, not
    below).

    z stands for (1 + x)^r - 1, between 0 and x.
    """
    k, x, z = z3.Reals("k x z")
    proof = Proof(k >= 0, k <= 1, x > 0, z >= 0, z <= x)
    share = z3.Q(bound.numerator, bound.denominator) * x
    hit, miss = proof.quotient(1 + z, 1 + z * k), proof.quotient(1, 1 + z * k)
    return proof.shows(z3.And(hit >= 1, hit <= 1 + share, miss <= 1, miss >= 1 - share * k))


def output_law(users: tuple[tuple[int, ...], ...], x: Fraction, hidden: int | None) -> ArmLaw:
    """Law of (arms of all users but ``hidden``, committed arm) for users given by their reward for
    each arm."""
    arms = len(users[0])
    law: ArmLaw = defaultdict(Fraction)
    for secret in product(range(arms), repeat=len(users)):
        weights = [Fraction(1)] * arms
        for user, arm in zip(users, secret, strict=True):
            weights[arm] *= (1 + x) ** user[arm]
        visible = tuple(arm for t, arm in enumerate(secret) if t != hidden)
        for answer, weight in enumerate(weights):
            law[(*visible, answer)] += weight / sum(weights) / arms ** len(users)
    return law


def worst_losses(arms: int, users: int, x: Fraction) -> tuple[Fraction, Fraction]:
    """Largest ratios over all users, all pairs of neighbours and all outputs: without, and with,
    user t's own arm."""
    replies = list(product((0, 1), repeat=arms))
    joint, revealed = Fraction(0), Fraction(0)
    # all users play alike, so it is enough to replace the last one
    for others in product(replies, repeat=users - 1):
        hiding = [output_law((*others, reply), x, users - 1) for reply in replies]
        showing = [output_law((*others, reply), x, None) for reply in replies]
        for i, j in product(range(len(replies)), repeat=2):
            joint = max(joint, *(hiding[i][key] / hiding[j][key] for key in hiding[i]))
            revealed = max(revealed, *(showing[i][key] / showing[j][key] for key in showing[i]))
    return joint, revealed


def sampled_successes(
    means: NDArray[np.float64],
    good: int,
    users: int,
    x: float,
    size: int,
    generator: np.random.Generator,
) -> int:
    """Of ``size`` simulated agents on a bandit with these means, how many commit to arm ``good``.

    The multinomial successes are drawn arm by arm, by inversion: NumPy's own draws change with its
    version (2.5)."""
    scores = np.empty((size, means.size))
    # users without success so far, K times their share
    remaining, mass = (
        np.full(size, float(users)),
        float(means.size),
    )
    for arm, mean in enumerate(means):
        scores[:, arm] = stats.binom.ppf(generator.random(size), remaining, mean / mass)
        remaining, mass = remaining - scores[:, arm], mass - mean
    scores *= np.log1p(x)
    # the largest score plus Gumbel noise is a draw from the softmax
    scores += generator.gumbel(size=scores.shape)
    return int((scores.argmax(axis=1) == good).sum())
