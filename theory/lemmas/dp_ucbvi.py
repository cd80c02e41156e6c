r"""Why the bonuses of DP-UCBVI are optimistic (:mod:`privrl.agents.tabular.dp_ucbvi`).

Each of :math:`\tilde n`, :math:`\tilde r` and :math:`\tilde m` is within :math:`e = E/4` of what it
counts. For each (s, a) the counts of next states are replaced by :math:`x \ge 0` that minimise
:math:`\max |x(s') - \tilde m(s')|` subject to :math:`|\sum x - \tilde n| \le e`, and :math:`2e` is
added, in equal parts, so that

.. math:: N = \sum_{s'} N(s') \ge n, \qquad |N(s') - m(s')| \le 4e, \qquad n \le N \le n + 4e,

and :math:`P = N(\cdot)/N` is a distribution. Steps count from 0; :math:`k = H - 1 - h` bounds
:math:`V = V^*_{h+1}`. With probability :math:`1 - \beta` all of the following holds in every
episode, with level :math:`\beta/2` for the counts of the noise and :math:`\beta/6` for each of the
rest.

- :math:`\tilde r - N r \ge -\sqrt{n L_0/2} - e - (N - n) \ge -\sqrt{N L_0/2} - 5e` (Hoeffding).
- :math:`(m - n p) V \ge -a \sqrt{n\,\mathrm{var}} - k L_1/3` with :math:`a^2 = 2 \eta L_1`
  (Bernstein; the variance of :math:`V` under the true :math:`p`).
- :math:`\sqrt{n\,\mathrm{var}} \le \sqrt{n\,\widehat{\mathrm{var}}} + k (\sqrt{2 l n/(n-1)} +
  \sqrt{n/(n-1)}/2)` with
  :math:`l = \ln(6 SAH T/\beta)` and the variance under :math:`m/n` (Maurer and Pontil 2009, theorem
  10). It is used for :math:`n \ge 20`; below, :math:`(m - n p) V \ge -20 k`.
- :math:`n\,\widehat{\mathrm{var}} \le \sum m (V - P V)^2 \le N\,\mathrm{var}_P(V) + 2e (S - 1)
  k^2`, since
  :math:`m(s') - N(s') \le 2e (1 - 1/S)` and :math:`V` varies within :math:`k`.
- The rest of :math:`N P V - N p V` is :math:`\sum (N(s') - m(s')) (V(s') - pV) \ge -(2e (1 + 1/S) S
  + 4e) k/2 = -e (S + 3) k`: seen from the middle of [0, k], no :math:`V` is farther than
  :math:`k/2`.

Together :math:`N P V - N p V \ge -a \sqrt{N\,\mathrm{var}_P(V)} - B k`. The bonus and the
optimistic values are

.. math:: b = \sqrt{N L_0/2} + 5e + \max\bigl(a \sqrt{N\,\mathrm{var}_P(V^+)}, a^2 k\bigr) + B k,
\qquad
   Q^+ = \min\bigl(H - h, (\tilde r + N P V^+ + b)/N\bigr).

The sum :math:`N P v + \max(a \sqrt{N\,\mathrm{var}_P(v)}, a^2 k)` does not fall in any
:math:`v(s')` of [0, k]: its slope is :math:`N P(s') (1 + a (v(s') - P v)/\sqrt{N\,\mathrm{var}})`,
and where the root is the larger one
:math:`\sqrt{N\,\mathrm{var}} \ge a k` (Zhang, Ji and Du 2021). So :math:`V^+ \ge V` gives
:math:`Q^+ \ge Q^*`.

``corrected``: :math:`\eta = 1`, unions over the visits 1..T, :math:`e` in closed form. ``tight``:
certified quantiles, and :math:`L_0`, :math:`L_1` by blocks of visits as in
:mod:`theory.lemmas.private_ucbvi` (both inequalities hold for all sums up to :math:`n` at once).
"""
