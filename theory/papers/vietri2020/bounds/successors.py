"""Regret bounds of the successors of PUCB: the orders that their papers state, and explicit ones
for what runs here.

**Cited.** T' = HT steps, logarithms and constants left out (both are hidden in the papers):

    private UCBVI (Chowdhury and Zhou 2022)   sqrt(S A H^3 T') + S^2 A H^3/epsilon     joint
    DP-UCBVI (Qiao and Wang 2023)             sqrt(S A H^2 T') + S^2 A H^3/epsilon     joint
    both                                      ... + S^2 A sqrt(H^5 T')/epsilon         local

**Explicit**, ours, for the agents of ``privrl.agents.tabular.private_ucbvi`` and ``.dp_ucbvi`` over
any counter. With probability 1 - 2 beta: the agent's own event (probability 1 - beta: optimism),
and beta/3 for each of the following.

- All released sums stay within E of what they count (n~ within N of n, as part of the agent's own
  event).
- After n visits of (s, a), for every set B of next states and the rewards paid, sums stay below
  their means + sqrt(n L_S/2): L_S = ln(3 SAH T 2^S/beta). So (r - n r(s, a)) + (m - n P) V <= c
  sqrt(n L_S/2) for every V in [0, c - 1], also for one that depends on the data.
- Martingale: sums over the played steps stay above what they are expected to be - (H (H + 1)/2)
  sqrt(T ln(3/beta)/2).

Optimistic values exceed those of the policy played by at most the expected sum over its steps of
min(c_h, d_h), d_h = Q+ - r - P V+ without its cap. From the agents' formulas, where n > N (else
c_h),

    private UCBVI  d_h (n - N) <= c_h (sqrt(n L_S/2) + sqrt((n + 2N) L/2)) + W_h + (rho_h + S (c_h -
    1)) E + c_h N,
    DP-UCBVI       d_h n <= c_h sqrt(n L_S/2) + sqrt((n + 4e) L_0/2)
                            + max(a sqrt(n + 4e) k/2, a^2 k) + (B + e (S + 3))
                   k + 6e,      k = c_h - 1,

since max(m~, 0) - m <= E, V+ <= c_h - 1, and the variance of values in [0, k] is at most k^2/4.
These bounds fall with n. The visits of a step's SA pairs sum to T, so equal numbers of visits are
the worst.
"""

import math
from collections.abc import Callable

import numpy as np

from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI, width
from privrl.checks import count, probability, require
from privrl.environments import random_mdp
from privrl.horizon.successors import Successor
from privrl.privacy.counters import mechanisms
from privrl.types import FloatArray
from theory.papers.vietri2020.bounds.proved import last_crossing
from theory.papers.vietri2020.bounds.stated import trivial_regret

GROWTH = 1.0005  # of the blocks of visits in which a falling bound is taken for its first value


def excess(
    agent: Successor, states: int, actions: int, horizon: int, episodes: int
) -> tuple[Callable[[int, float | FloatArray], FloatArray], float]:
    """(d, n0): a bound d(h, n) <= c_h of how much Q+ exceeds r + P V+ after n visits, which falls
    with n; c_h to n0.

    d takes a number or an array of numbers of visits.
    """
    require(
        isinstance(agent, (PrivateUCBVI, DPUCBVI)),
        "agent must be a PrivateUCBVI or a DPUCBVI",
        agent=agent,
    )
    mdp = random_mdp(
        count("states", states), count("actions", actions), count("horizon", horizon), 0
    )
    S, T, beta = states, count("episodes", episodes, 2), probability("beta", agent.beta)
    pairs = S * actions * horizon
    sampling = math.log(3 * pairs * T / beta) + S * math.log(2)
    if isinstance(agent, PrivateUCBVI):
        ours, released = agent.calibrate(mdp, T), width(mdp)
        error = surplus = 0.0
        if agent.counter != "none":
            level = beta / 3 / released
            error = ours.scale * mechanisms.counter_quantile(agent.counter, T - 1, level, ours.law)
            surplus = ours.surplus

        def private(h: int, n: float | FloatArray) -> FloatArray:
            c = float(horizon - h)
            over = np.maximum(np.asarray(n, dtype=np.float64) - surplus, 0.0)
            visits = over + surplus
            sum_ = (
                c * np.sqrt(visits * sampling / 2)
                + ours.factors[h] * np.sqrt(visits + 2 * surplus)
                + ours.widths[h]
            )
            sum_ += (ours.ratios[h] + S * (c - 1) * ours.stretches[h]) * error + c * surplus
            return np.minimum(c, np.divide(sum_, over, out=np.full_like(sum_, c), where=over > 0))

        return private, surplus
    theirs = agent.calibrate(mdp, T)
    e, a = theirs.error, theirs.deviation

    def plain(h: int, n: float | FloatArray) -> FloatArray:
        c = float(horizon - h)
        k = c - 1
        visits = np.maximum(np.asarray(n, dtype=np.float64), 0.0)
        sum_ = c * np.sqrt(visits * sampling / 2) + theirs.reward * np.sqrt(visits + 4 * e) + 6 * e
        sum_ += (
            np.maximum(a * np.sqrt(visits + 4 * e) * k / 2, a * a * k)
            + (theirs.constant + e * (S + 3)) * k
        )
        return np.minimum(c, np.divide(sum_, visits, out=np.full_like(sum_, c), where=visits > 0))

    return plain, 0.0


def explicit_regret(
    agent: Successor, states: int, actions: int, horizon: int, episodes: int
) -> float:
    """An upper bound of the agent's regret, planned for and played to ``episodes``, with
    probability 1 - 2 beta."""
    bound, free = excess(agent, states, actions, horizon, episodes)
    visits = -(-episodes // (states * actions))
    edges, n = [0], 0
    while n < visits:
        # within a block the bound is at most what it is at the block's beginning
        n = min(visits, max(n + 1, int(free) if n < int(free) else int(n * GROWTH)))
        edges.append(n)
    first, sizes = (
        np.array(edges[:-1], dtype=np.float64),
        np.diff(np.array(edges, dtype=np.float64)),
    )
    total = sum(float(sizes @ bound(h, first)) for h in range(horizon))
    martingale = horizon * (horizon + 1) / 2 * math.sqrt(episodes * math.log(3 / agent.beta) / 2)
    return states * actions * total + martingale


def explicit_horizon(agent: Successor, states: int, actions: int, horizon: int) -> int:
    """The T at which :func:`explicit_regret` comes below H T; at jumps of a counter it may rise
    above once more."""
    return last_crossing(
        lambda T: explicit_regret(agent, states, actions, horizon, T) / trivial_regret(horizon, T)
    )
