"""The MDPs behind the lower bounds of vietri2020: n bandits in parallel (section 6.2 and Appendix
C.3, Figure 2)."""

from collections.abc import Iterable

import numpy as np

from privrl.checks import count, flag, probability, require
from privrl.types import TabularMDP


def hard_mdp(
    n: int,
    m: int,
    alpha: float,
    instance: Iterable[int],
    horizon: int,
    *,
    entry_reward: bool = True,
) -> TabularMDP:
    """n initial states, drawn uniformly, each a bandit with m + 1 arms; an arm leads to "+" or "-",
    for good.

    States are numbered 0 to n-1 (the initial ones; the paper's dummy state 0 is the initial
    distribution), n is "+" and n+1 is "-". In state s, with best arm I_s, the probability of "+" is

    ==================  ==================
    arm                 probability of "+"
    ==================  ==================
    I_s, if it is > 0   1/2 + alpha
    0                   1/2 + alpha/2
    any other           1/2
    ==================  ==================

    In "+" and "-" all actions are alike: that stands for the paper's "fixed action".

    **Rewards.** Section 6.2 pays 1 for each transition into "+", the self-loop included, so that an
    episode brings H or 0. Here a reward is drawn given (s, a, h) alone and cannot look at the next
    state. The first one is therefore a coin with the probability q of "+" as its mean, tossed apart
    from the transition; "+" then pays 1 a step. Each reward has the paper's law, and so every
    policy the paper's value; what is lost is that the first reward agrees with the state that
    follows. An episode brings H, H-1, 1 or 0, and differs from the paper's (same next state) by 1
    with probability 2 q (1 - q), otherwise not at all. A fixed first reward q would be as far off
    on average, and no reward in {0, 1}. Appendix C.4 has 0 or H-1 instead, the first transition
    unpaid: ``entry_reward=False`` is that, exactly.

    Arm 0 everywhere earns at least (1 + alpha) / (1 + 2 alpha) >= 3/4 of V*: the least is reached
    at alpha = 1/2 with every I_s > 0. Whether an agent learns shows here in its regret against that
    arm, not in its share of V*.

    Parameters
    ----------
    n : initial states, >= 1; S = n + 2
    m : arms beside arm 0, >= 1; A = m + 1
    alpha : alpha' of the paper, in (0, 1/2]
    instance : I = (I_1, ..., I_n), best arms in 0..m
    horizon : H >= 1 (>= 2 without ``entry_reward``)
    entry_reward : whether the first transition into "+" is paid (section 6.2) or not (Appendix C.4)

    >>> hard_mdp(2, 1, 0.25, (0, 1), horizon=3).transitions[0, :2, :, 2].tolist()
    [[0.625, 0.5], [0.625, 0.75]]
    """
    n, m = count("n", n), count("m", m)
    alpha = probability("alpha", alpha)
    require(alpha <= 0.5, "alpha must be <= 1/2, so that 1/2 + alpha is a probability", alpha=alpha)
    horizon = count("horizon", horizon)
    entry_reward = flag("entry_reward", entry_reward)
    require(
        entry_reward or horizon >= 2,
        "horizon must be >= 2 when the first transition is not paid",
        horizon=horizon,
    )
    arms = _arms(instance, n, m)

    enter = np.full((n, m + 1), 0.5)
    enter[np.arange(n), arms] = 0.5 + alpha
    enter[:, 0] = 0.5 + alpha / 2  # whatever I_s is
    plus, minus = n, n + 1
    transitions = np.zeros((n + 2, m + 1, n + 2))
    transitions[:n, :, plus] = enter
    transitions[:n, :, minus] = 1.0 - enter
    transitions[plus, :, plus] = transitions[minus, :, minus] = 1.0
    rewards = np.zeros((n + 2, m + 1))
    rewards[plus] = 1.0
    if entry_reward:
        rewards[:n] = enter
    initial = np.zeros(n + 2)
    initial[:n] = 1.0 / n
    name = f"hard-{n}x{m}-h{horizon}-alpha{alpha!r}-i{'.'.join(map(str, arms))}" + (
        "" if entry_reward else "-late"
    )
    return TabularMDP(
        name, np.tile(transitions, (horizon, 1, 1, 1)), np.tile(rewards, (horizon, 1, 1)), initial
    )


def _arms(instance: Iterable[int], n: int, m: int) -> list[int]:
    """``instance`` as n ints in 0..m, or ``ValueError``."""
    try:
        bits = [] if isinstance(instance, (str, bytes)) else list(instance)
    except TypeError:
        bits = []
    require(len(bits) == n, "instance must be a sequence of n arms", instance=instance, n=n)
    arms = [count("arm of instance", arm, 0) for arm in bits]
    require(max(arms) <= m, "every arm of instance must be in 0..m", arm=max(arms), m=m)
    return arms
