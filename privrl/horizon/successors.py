"""How many users the successors of PUCB need before they can start to learn, per counter and
calibration.

As for PUCB (:mod:`privrl.horizon.pucb`): optimistic values stay at their caps c_h = H - h, and
every action ties, until the bonus of some pair is below n~: while the next values are at their cap
c_h - 1, no larger bonus brings Q+ below c_h. After T episodes no pair has been visited more than T
times. Here the noise of its count stands in the middle of its law, at 0: with the widths for T
planned episodes, the first T at which

    W_h + c_h sqrt(L/2) sqrt(T + N) < T                    (private UCBVI, at n~ = T),
    sqrt(n L_0/2) + 5e + (a^2 + B) (c_h - 1) < n,       n = T + 2e         (DP-UCBVI, at n~ = T),

at some step h. A count that the noise makes larger by chance lets a plan differ earlier; but real
runs visit no pair in every episode, and burn-ins are longer. (PUCB's own condition allows for the
largest noise: its bonus is so many times E that this makes no difference.)
"""

import math

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.learner import width as sums
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.checks import MOST_EPISODES, count, instance, planned_episodes, require
from privrl.environments import random_mdp
from privrl.horizon.pucb import Start, below_one
from privrl.privacy import quantiles
from privrl.privacy.counters import mechanisms
from privrl.types import CALIBRATIONS, Budget, TabularMDP

Successor = PrivateUCBVI | DPUCBVI


def slack(agent: Successor, mdp: TabularMDP, planned: int) -> float:
    """The largest over the steps of 1 - bonus / n~ at n~ = ``planned``; learning is possible above
    0."""
    require(
        isinstance(agent, (PrivateUCBVI, DPUCBVI)),
        "agent must be a PrivateUCBVI or a DPUCBVI",
        agent=agent,
    )
    require(
        agent.multiplier == 1,
        "multiplier must be 1: narrower widths bound no noise",
        multiplier=agent.multiplier,
    )
    planned = planned_episodes(planned, 1 if agent.counter == "none" else 2)
    instance("mdp", mdp, TabularMDP)
    caps = [float(mdp.horizon - h) for h in range(mdp.horizon)]
    if isinstance(agent, PrivateUCBVI):
        ours, n = agent.calibrate(mdp, planned), float(planned)
        root = math.sqrt(n + ours.surplus)
        bonuses = [
            width + factor * root for width, factor in zip(ours.widths, ours.factors, strict=True)
        ]
    else:
        theirs = agent.calibrate(mdp, planned)
        n = planned + 2 * theirs.error
        least = theirs.deviation**2 + theirs.constant
        bonuses = [
            theirs.reward * math.sqrt(n) + 5 * theirs.error + least * (cap - 1) for cap in caps
        ]
    return max(1 - bonus / n for bonus in bonuses)


def start(agent: Successor, states: int, actions: int, horizon: int) -> Start:
    """First T at which ``T`` visits bring some bonus below n~, rounded up by less than a
    thousandth.

    Widths jump by a few per cent with the depth of a counter: near such a T there may be several,
    and this is one.
    """
    mdp = random_mdp(
        count("states", states), count("actions", actions), count("horizon", horizon), 0
    )
    require(
        isinstance(agent, (PrivateUCBVI, DPUCBVI)),
        "agent must be a PrivateUCBVI or a DPUCBVI",
        agent=agent,
    )
    limit = min(MOST_EPISODES, mechanisms.most_releases(agent.counter, sums(mdp)) + 1)
    if agent.counter == "local" and agent.calibration == "tight" and agent.delta == 0:
        # where the certified quantile of a walk ends
        limit = min(limit, quantiles.MOST_TERMS // (states + 1))

    def ratio(planned: int) -> float:
        return 1 - slack(agent, mdp, planned)

    return Start(agent.name, agent.counter, agent.calibration, below_one(ratio, limit), limit)


def starts(
    epsilon: float, delta: float, states: int, actions: int, horizon: int, beta: float
) -> tuple[Start, ...]:
    """:func:`start` for both successors over every counter that is defined at (epsilon, delta), and
    without noise."""
    Budget(epsilon, delta)
    law = "gaussian" if delta > 0 else "laplace"
    rows = []
    for kind in (PrivateUCBVI, DPUCBVI):
        rows.append(start(kind(math.inf, 0.0, beta, "none"), states, actions, horizon))
        rows += [
            start(kind(epsilon, delta, beta, counter, calibration), states, actions, horizon)
            for counter in mechanisms.PRIVATE
            if law in mechanisms.laws(counter)
            for calibration in CALIBRATIONS
            if calibration in kind.calibrations
        ]
    return tuple(rows)
