"""How many users an algorithm needs before it can start to learn, per counter and calibration.

PUCB's optimistic values stay at their cap H, and every action ties, until some count is so large
that its bonus is below H. While all noise stays within E_epsilon, a count after t episodes is at
most t + E_epsilon. So no plan differs from uniform play before the first T at which

    (H + 1) phi(T + E) + psi(T + E) < H        (vietri2020/algorithm-3, planned for T episodes).

That is necessary, not sufficient: burn-ins of real runs are longer.
"""

import bisect
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from privrl.agents.tabular.learner import width as sums
from privrl.agents.tabular.pucb import PUCB
from privrl.checks import MOST_EPISODES, count, instance, real, require
from privrl.environments import random_mdp
from privrl.privacy import quantiles
from privrl.privacy.counters import mechanisms
from privrl.types import CALIBRATIONS, Budget, TabularMDP


@dataclass(frozen=True)
class Start:
    """The first number of episodes at which learning is possible; ``episodes`` is None above
    ``searched``."""

    agent: str
    counter: str
    calibration: str
    episodes: int | None
    searched: int
    e_epsilon: float = math.nan  #: of PUCB


def bonus(agent: PUCB, mdp: TabularMDP, planned: int, released: float) -> float:
    """(H + 1) phi~ + psi~ at a released count, for ``planned`` episodes; infinite where algorithm 3
    has H."""
    calibration = instance("agent", agent, PUCB).calibrate(mdp, planned)
    released = real("released", released)
    require(math.isfinite(released), "released must be finite", released=released)
    return _bonus(mdp, calibration.e_epsilon, calibration.logarithm, released)


def _bonus(mdp: TabularMDP, width: float, logarithm: float, released: float) -> float:
    if released < 2 * width or released <= 0:
        return math.inf
    ratio = width / released
    phi = math.sqrt(logarithm / max(released - width, 1.0))
    return (mdp.horizon + 1) * phi + (1 + mdp.states * mdp.horizon) * (3 * ratio + 2 * ratio**2)


def start(agent: PUCB, states: int, actions: int, horizon: int) -> Start:
    """First T from which the largest possible count brings the bonus below H; see
    :func:`crossing`."""
    multiplier = instance("agent", agent, PUCB).multiplier
    require(
        multiplier == 1,
        "multiplier must be 1: narrower widths bound no noise",
        multiplier=multiplier,
    )
    mdp = random_mdp(
        count("states", states), count("actions", actions), count("horizon", horizon), 0
    )

    def possible(planned: int, width: float) -> bool:
        return _bonus(mdp, width, agent.logarithm(planned), planned + width) < mdp.horizon

    crossing_, width = crossing(agent, mdp, possible)
    return Start(agent.name, agent.counter, agent.calibration, crossing_, limit(agent, mdp), width)


def limit(agent: PUCB, mdp: TabularMDP) -> int:
    """The most episodes for which an agent can be calibrated on an MDP of this size."""
    most = mechanisms.most_releases(instance("agent", agent, PUCB).counter, sums(mdp)) + 1
    if agent.counter == "local" and agent.calibration == "tight" and agent.delta == 0:
        # where the certified quantile of a random walk ends
        most = min(most, quantiles.MOST_TERMS + 1)
    return min(MOST_EPISODES, most)


def crossing(
    agent: PUCB, mdp: TabularMDP, holds: Callable[[int, float], bool]
) -> tuple[int | None, float]:
    """First T at which ``holds(T, E)`` for the E of a run of T episodes, and that E; None and the
    last E: not before
    :func:`limit`. The answer holds at its own E, and is rounded up by about a thousandth.

    ``holds`` : true from some T on, and the sooner the smaller E is

    A certified width is expensive. So that of ``corrected`` stands for it, times a factor that is
    found again at each answer; the factor hardly depends on T, and three widths are enough as a
    rule.
    """
    most = limit(agent, mdp)
    rough = replace(agent, calibration="corrected") if agent.calibration == "tight" else agent
    share = 1.0

    def near(share: float, planned: int) -> bool:
        return holds(planned, share * rough.calibrate(mdp, planned).e_epsilon)

    for _ in range(8):
        episode = _first(functools.partial(near, share), most)
        at = most if episode is None else episode
        corrected, width = rough.calibrate(mdp, at).e_epsilon, agent.calibrate(mdp, at).e_epsilon
        last, share = share, width / corrected if corrected > 0 else 1.0
        if abs(share - last) <= 5e-4 * last:
            break
    while episode is not None and not holds(episode, width):
        episode += max(1, episode // 5000)
        width = agent.calibrate(mdp, episode).e_epsilon
    return episode, width


def _first(holds: Callable[[int], bool], most: int) -> int | None:
    """The first T in 2..most at which what stays true is true, rounded up by less than a
    thousandth; by bisection."""
    # growing steps over the powers of two, then bisection
    powers = [*(1 << k for k in range(1, most.bit_length()) if 1 << k < most), most]
    low, high = 0, 0
    while high < len(powers) and not holds(powers[high]):
        low, high = high + 1, 2 * high + 1
    first = bisect.bisect_left(powers, True, low, min(high, len(powers)), key=holds)
    if first == len(powers):
        return None
    high = powers[first]
    low = max(high // 2, 2)
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def below_one(
    ratio: Callable[[int], float], most: int, guess: int = 1 << 10, slope: float = -1.0
) -> int | None:
    """A T in 2..most at which ``ratio`` falls below 1, rounded up by less than a thousandth; None:
    it is not at most.

    In few evaluations if the ratio is about a power of T: by secants between logarithms, kept
    inside a bracket.
    """

    def log(at: int) -> float:
        return min(max(math.log(max(ratio(at), 1e-300)), -50.0), 50.0)

    low: tuple[int, float] | None = None  # the ratio is >= 1 here, and below 1 at high
    high: tuple[int, float] | None = None
    at = min(max(guess, 2), most)
    for turn in range(200):
        value, old = log(at), low if low is not None else high
        if old is not None and old[0] != at:
            slope = min(max((value - old[1]) / math.log(at / old[0]), -1.5), -0.3)
        if value < 0:
            high = (at, value)
        else:
            low = (at, value)
        if high is not None and high[0] <= 2:
            return high[0]
        if low is not None and low[0] >= most:
            return None
        if low is None or high is None:
            # one side is missing: go a little beyond where the power law has its root
            aim = at * math.exp(-value / slope) * (1.03 if low is not None else 0.97)
            at = (
                min(max(round(aim), at + 1), most)
                if low is not None
                else max(min(round(aim), at - 1), 2)
            )
            continue
        if high[0] - low[0] <= max(1, high[0] // 1000):
            return high[0]
        share = low[1] / (low[1] - high[1]) if turn < 12 else 0.5
        aim = low[0] * (high[0] / low[0]) ** share
        if aim > high[0] * (1 - 1.5e-3):  # close to an end: a thousandth inside it
            aim = high[0] - high[0] // 1000
        elif aim < low[0] * (1 + 1.5e-3):
            aim = low[0] + low[0] // 1000
        else:
            aim *= 1 + 4e-4
        at = min(max(round(aim), low[0] + 1), high[0] - 1)
    return high[0] if high is not None else None


def starts(
    epsilon: float, delta: float, states: int, actions: int, horizon: int, beta: float
) -> tuple[Start, ...]:
    """:func:`start` for every counter and calibration that is defined at (epsilon, delta): Laplace
    at delta = 0."""
    Budget(epsilon, delta)
    law = "gaussian" if delta > 0 else "laplace"
    rows = [start(PUCB(math.inf, 0.0, beta, "none"), states, actions, horizon)]
    for counter in mechanisms.PRIVATE:
        for calibration in CALIBRATIONS if law in mechanisms.laws(counter) else ():
            if calibration != "printed" or (counter == "tree" and delta == 0):
                rows.append(
                    start(
                        PUCB(epsilon, delta, beta, counter, calibration), states, actions, horizon
                    )
                )
    return tuple(rows)
