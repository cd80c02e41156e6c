r"""Greedy play on noisy sums explores: what is proved for one step, with noise that is drawn anew
for every plan.

**Setting.** One state, one step, two actions that pay coins of means :math:`\mu` and :math:`\mu -
g`. Before user :math:`t` come the released sums :math:`\tilde r = r + Z` and :math:`\tilde n = n +
Z'` of each action, :math:`Z, Z'` normal with deviation :math:`\sigma`, independent, and drawn anew
for each user; the index of an action is :math:`\tilde r / \tilde n` cut to [0, 1], and 1 where
:math:`\tilde n \le 0`; the larger index is played. (That is private UCBVI without widths, with
noise that no counter has: at a fixed :math:`\sigma` it keeps no epsilon for many users.)

**Theorem.** For every :math:`q` in :math:`(\mu - g, \mu)`, with :math:`\sigma_q = \sigma \sqrt{1 +
q^2}`, :math:`p_n(r) = \Phi((r - q n)/\sigma_q)` and :math:`R, R'` binomial of :math:`n` coins of
means :math:`\mu` and :math:`\mu - g`, the worse action is played by :math:`T` users at most

.. math:: 1 + \sum_{n < T} E \min\bigl(1, T\,[p_n(R') + \Phi(-n/\sigma)]\bigr)
   + \sum_{n < T} E \min\bigl(T, 1/p_n(R) - 1\bigr)

times in expectation (:func:`plays_at_most` computes it). So regret is at most

.. math:: C\,(\sigma + 1/g)\,(\ln T)^2\,\bigl(1 + T e^{-32 g^2 \sigma^2}\bigr).

*Proof.* Let the :math:`n`-th coin of an action be the same whenever it is thrown. Given all that
came before the noise of user :math:`t`, call :math:`p` and :math:`p'` the probabilities that the
index of the better and of the worse action exceeds :math:`q`. As :math:`\tilde r > q \tilde n` is
:math:`Z - q Z' > q n - r`, and :math:`\tilde n \le 0` makes the index 1, :math:`p \ge p_n(r)` and
:math:`p' \le p_{n'}(r') + \Phi(-n'/\sigma)`.

(a) Users who play the worse action with an index above :math:`q`: while it has been played
:math:`n` times there is at most one, who plays it; and at most :math:`T p'` are expected. That is
the first sum; 1 is for the first user, who has no noise. (b) With an index of at most :math:`q`:
then that of the better one is, too. The noise of both is independent, so this has probability at
most :math:`(1 - p)(1 - p')`, and to play the better action at least :math:`p (1 - p')`. While that
has been played :math:`n` times it is played once at most, hence (b) happens :math:`1/p - 1` times
at most in expectation (Agrawal and Goyal 2012 argue so for Thompson sampling), and :math:`T` times
at most. That is the second sum.

*Order.* Let :math:`q = \mu - g/2`, :math:`\delta = g/2`. In the first sum terms with :math:`n \ge C
(\sigma \sqrt{\ln T}/g + \ln T/g^2)` are together at most 1, by Hoeffding's inequality. In the
second let :math:`D = (q n - R)/\sigma_q`. Where :math:`D \le 0`, :math:`1/p - 1 \le e^{-D^2/2}`,
and :math:`D \le - n \delta/(2 \sigma_q)` but with probability :math:`e^{- n \delta^2/2}`: together
:math:`O(\sigma/g + 1/g^2)`. Where :math:`D > 0`, by Hoeffding's inequality

.. math:: P(D > x) \le e^{-2 (n \delta + \sigma_q x)^2 / n}
   = e^{-8 \delta \sigma_q x}\, e^{-2 (\delta \sqrt n - \sigma_q x/\sqrt n)^2},

whose sum over :math:`n` is at most :math:`(4 \sigma_q x/\delta + 1 + 1/\delta^2)\, e^{-8 \delta
\sigma_q x}`. With :math:`f(x) = 1/\Phi(-x)`, :math:`f' \le \sqrt{2 \pi} (1 + x)^2 e^{x^2/2}` and
:math:`f(x_T) = T`, so that :math:`e^{x_T^2/2} \le T`, the expectations :math:`E \min(T, f(D))`
there add up to at most :math:`O(1/g^2)` and

.. math:: \int_0^{x_T} \sqrt{2 \pi} (1 + x)^2 (4 \sigma_q x/\delta + 1 + 1/\delta^2)\,
   e^{x^2/2 - 4 g \sigma_q x}\, dx.

The exponent is convex, so it is at most 0 or its value at :math:`x_T`, and that is above 0 only
where :math:`x_T > 8 g \sigma_q`; there :math:`e^{x_T^2/2 - 4 g \sigma_q x_T} \le T e^{-32 g^2
\sigma^2}`.

**It is no logarithm in the end.** With probability :math:`(1 - \mu)^m` the first :math:`m` coins of
the better action are 0, and with :math:`m = C \sigma \sqrt{\ln T}` it is not tried again but with
probability :math:`1/T`. So regret is at least :math:`c\, g\, T e^{-C \sigma \sqrt{\ln T}}` for
large :math:`T` (:math:`\mu < 1`, :math:`g < \mu`): at a fixed :math:`\sigma` it outgrows every
power of :math:`T` below 1. Where :math:`\sigma` is of the order of :math:`1/g` and more, this is
beyond any number of users.

**More actions, more states, one step.** With A actions the argument holds for each that is not
best; at H = 1 states are problems of their own.

**Open.** A counter's noise, most of which is the same from one plan to the next. What stays for
good does harm: let the noise be :math:`X_t + Y`, :math:`X_t` drawn anew, :math:`Y` once, and
:math:`c < 1/3` the share of :math:`X_t` in the variance. The better action is tried by none of
:math:`T` users if :math:`Y` of its count exceeds what all :math:`X_t` can take from it,
:math:`\sigma (2 c \ln T)^{1/2}`, and :math:`q` times it less :math:`Y` of its reward exceeds
:math:`\sigma_q (2 c \ln T)^{1/2}`. That has at least the probability :math:`T^{-2c/(1-c)}` but for
logarithms, so regret is at least a power of :math:`T` at every :math:`\sigma`. In a tree a node of
level :math:`j` stays for :math:`2^j` users, and no longer; a proof has to use that. The smallest
open case is two actions over the tree. From H = 2 on the index of a pair holds the noise of others,
through V.
"""

import math

import numpy as np
from scipy import stats
from scipy.special import ndtr

from privrl.checks import count, positive, probability, require
from privrl.types import FloatArray

SPAN = 9.0  # deviations of a number of heads that are summed; the others count as the worst


def plays_at_most(mean: float, gap: float, deviation: float, users: int, share: float) -> float:
    """The theorem's bound of the expected number of plays of the worse action, at q = mean - share
    gap.

    Parameters
    ----------
    mean, gap : mu and g, of means mu and mu - g in [0, 1]
    deviation : sigma
    share : in (0, 1); every one gives a bound
    """
    mean, gap = probability("mean", mean, one=True), positive("gap", gap)
    require(gap <= mean, "gap must be <= mean", gap=gap, mean=mean)
    sigma, users = positive("deviation", deviation), count("users", users)
    below = probability("share", share) * gap
    q = mean - below
    sigma_q = sigma * math.hypot(1, q)
    total = 1.0
    for n in range(users):
        heads, chances, rest = _heads(n, mean - gap)
        above = ndtr((heads - q * n) / sigma_q) + ndtr(-n / sigma)
        total += float(chances @ np.minimum(1, users * above)) + rest
        heads, chances, rest = _heads(n, mean)
        above = ndtr((heads - q * n) / sigma_q)
        tries = np.minimum(users, 1 / np.maximum(above, 1e-300) - 1)
        total += float(chances @ tries) + rest * users
        if _later(n, (below, gap - below), sigma, sigma_q) * users**2 < 1e-6:
            break
    return total


def _heads(n: int, mean: float) -> tuple[FloatArray, FloatArray, float]:
    """Numbers of heads of n coins that are near their mean, their chances, and that of the rest."""
    spread = SPAN * math.sqrt(n * mean * (1 - mean))
    low, high = max(0, math.floor(n * mean - spread)), min(n, math.ceil(n * mean + spread))
    heads = np.arange(low, high + 1.0)
    chances = stats.binom.pmf(heads, n, mean)
    return heads, chances, max(0.0, 1 - float(chances.sum()))


def _later(n: int, distances: tuple[float, float], sigma: float, sigma_q: float) -> float:
    """What a term of number n or later is at most, over the number of users: Hoeffding's inequality
    for half of the way from a mean to q, noise for the other half."""
    halves = [distance / 2 for distance in distances]
    return math.fsum(
        math.exp(-2 * n * half**2) + 2 * float(ndtr(-n * half / sigma_q)) for half in halves
    ) + float(ndtr(-n / sigma))
