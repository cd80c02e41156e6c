"""One function per displayed bound, with explicit constants, symbol by symbol.

All take planned sizes: ``states`` S, ``actions`` A, ``horizon`` H, ``episodes`` T, and the paper's ``epsilon`` and
``beta``; values are in units of reward (regret) or of counts (errors). Logarithms are natural (see
vietri2020/theorem-12 for the readings).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log, sqrt
from typing import Literal

from privrl.types import choice, count, positive, probability, require

Form = Literal["printed", "derived"]


def trivial_regret(horizon: int, episodes: int) -> float:
    """H T: no agent can lose more, since rewards lie in [0, 1]."""
    return float(count("horizon", horizon)) * count("episodes", episodes)


# ---- vietri2020: the counter -----------------------------------------------------------------------------------------


def theorem_12_error(episodes: int, epsilon: float, beta: float, base: float = 0.0) -> float:
    """(4/epsilon) ln(1/beta) log(T)^2.5, vietri2020/theorem-12; ``base`` of log(T), 0 for the natural logarithm."""
    logarithm = log(count("episodes", episodes)) / (log(base) if base else 1.0)
    return float(4 / positive("epsilon", epsilon) * log(1 / probability("beta", beta)) * logarithm**2.5)


def tree_error(scale: float, releases: int, beta: float) -> float:
    """An error that all R releases of a Laplace tree respect with probability 1 - beta, for node noise of this scale.

    sqrt(8) scale sqrt(l) max(sqrt(levels), sqrt(l)) with l = ln(2R/beta): Chernoff's bound with the moment generating
    function of Laplace(b) at most exp(2 (lambda b)^2) for |lambda b| <= 1/sqrt(2), and a union bound over releases
    (vietri2020/theorem-12, corrected).
    """
    scale, releases = positive("scale", scale), count("releases", releases)
    exponent = log(2 * releases / probability("beta", beta))
    return sqrt(8) * scale * sqrt(exponent) * max(sqrt(releases.bit_length()), sqrt(exponent))


def counters(states: int, actions: int, horizon: int) -> int:
    """N = 2SAH + S^2 AH, the number of counters of PUCB (vietri2020, Section 3)."""
    S, A, H = count("states", states), count("actions", actions), count("horizon", horizon)
    return 2 * S * A * H + S * S * A * H


def printed_width(states: int, actions: int, horizon: int, episodes: int, epsilon: float, beta: float) -> float:
    """E = (3/epsilon) H log(N/beta') log(T)^(5/2) with beta' = beta/4 (vietri2020/equation-e-epsilon, lemma-13)."""
    share = probability("beta", beta) / 4
    logarithm = log(counters(states, actions, horizon) / share)
    return float(3 / positive("epsilon", epsilon) * horizon * logarithm * log(count("episodes", episodes)) ** 2.5)


# ---- vietri2020: regret ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Theorem4Terms:
    """The sum at the end of Appendix B.2, term by term, in units of reward.

    Parameters
    ----------
    martingale : inequality (15), H^2 sqrt(T log(T/beta) / 2)
    sampling : inequality (22), (H+1) sqrt(L) sqrt(TH) sqrt(SAH ln T) with L = 2 ln(T/beta')
    noise : the lines before (26)
    start : (17), the episodes that meet a tuple with fewer than 3E visits
    """

    martingale: float
    sampling: float
    noise: float
    start: float

    @property
    def total(self) -> float:
        """The bound."""
        return self.martingale + self.sampling + self.noise + self.start

    def as_dict(self) -> dict[str, float]:
        """The terms and their sum."""
        return {**asdict(self), "total": self.total}


def theorem_4_terms(
    states: int, actions: int, horizon: int, episodes: int, epsilon: float, beta: float, form: Form = "printed"
) -> Theorem4Terms:
    """The explicit terms behind vietri2020/theorem-4 (Appendix B.2), E and beta' = beta/4 as printed.

    The last display hides constants in polylog factors; the last lines before it that do not are used. Where the
    printed lines disagree with each other there are two forms:

    - ``printed``: noise 5 S^2 A H^2 E log T (the line before 26); start (3/epsilon) S A H^3 log(N/beta') log(T)^(5/2)
      (the right end of 17, and the last display);
    - ``derived``: noise (1 + SH) 5 E SAH log T (what line 25 gives); start 3 E S A H^2 (the left side of 17, three
      times the right one).

    ``derived`` follows the displayed lines and is not a proof of them: each step has its own row in the ledger.

    Raises
    ------
    ValueError
        A size below 1, epsilon <= 0, beta outside (0, 1), an unknown form.
    """
    choice("form", form, ("printed", "derived"))
    width = printed_width(states, actions, horizon, episodes, epsilon, beta)
    S, A, H, T = states, actions, horizon, episodes
    logarithm = log(T)
    sampling = (H + 1) * sqrt(2 * log(4 * T / beta)) * sqrt(T * H) * sqrt(S * A * H * logarithm)
    if form == "printed":
        noise, start = 5 * S * S * A * H * H * width * logarithm, S * A * H * H * width
    else:
        noise, start = (1 + S * H) * 5 * width * S * A * H * logarithm, 3 * width * S * A * H * H
    return Theorem4Terms(H * H * sqrt(T * log(T / beta) / 2), sampling, noise, start)


def theorem_4_bound(
    states: int, actions: int, horizon: int, episodes: int, epsilon: float, beta: float, form: Form = "printed"
) -> float:
    """The sum of :func:`theorem_4_terms`."""
    return theorem_4_terms(states, actions, horizon, episodes, epsilon, beta, form).total


DECREASING_FROM = 34  # > e^3.5


def vacuity_horizon(
    states: int, actions: int, horizon: int, epsilon: float, beta: float, form: Form = "printed"
) -> int:
    """The smallest T from which on the bound of theorem 4 stays below the trivial H T.

    Every term divided by T decreases for T >= 34: the derivative of log(T)^a T^(-b) has the sign of a/b - log T, and
    a/b is at most 3.5 here (log(T)^(7/2)/T); where log(T/beta) or log(4T/beta) stand for log(T) it is the more
    negative, as they are larger. At T = 34 the sampling term alone exceeds H T (in units of H T it is least at S = A =
    H = 1 and beta near 1, and there it is 2.02).
    So there is one crossing beyond 34, and bisection finds it. Below 34 the bound can dip under H T at T = 1, where log
    T vanishes; that does not last.
    """

    def below(episodes: int) -> bool:
        bound = theorem_4_bound(states, actions, horizon, episodes, epsilon, beta, form)
        return bound < trivial_regret(horizon, episodes)

    require(not below(DECREASING_FROM), "the bound must be above H T at T = 34", episodes=DECREASING_FROM)
    low, high = DECREASING_FROM, 2 * DECREASING_FROM
    while not below(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return high
