r"""Why the bonuses of private UCBVI are optimistic, and what its noise costs
(``privrl.agents.tabular.private_ucbvi``).

**Release.** The sums of rewards :math:`r` (H, SA) and the counts of next states :math:`m` (H, S,
SA) are released;
:math:`\tilde n` is the sum of :math:`\tilde m` over the next state, since with a family less each
of the others needs less noise. Step :math:`h` of a user moves one cell of :math:`m` by 1 and one of
:math:`r` by at most 1. The noise of
:math:`r` at step :math:`h` is :math:`\rho_h` times that of :math:`m`, so replacing a user changes
the draws of
:math:`m`'s scale in :math:`\ell_1` and in :math:`\ell_2` by at most

.. math:: 2 \sum_h (1 + 1/\rho_h), \qquad \Bigl(2 \sum_h (1 + 1/\rho_h^2)\Bigr)^{1/2},

attained by users who share no state and are both paid 1 in every step (two states or more).

**Bonus.** Steps count from 0, and :math:`c_h = H - h` bounds :math:`Q^*_h`. With :math:`V =
V^*_{h+1}`, :math:`Q = Q^*_h(s, a)` and :math:`n` visits so far,

.. math:: \tilde r + \sum_{s'} \tilde m(s') V(s') - \tilde n Q
   = [\text{sum of } n \text{ terms with mean } 0]
   + \Bigl[\text{noise of } r + \sum_{s'} (V(s') - Q) \text{ noise of } m(s')\Bigr].

Neither :math:`V` nor :math:`Q` is random. So the first bracket is a sum of :math:`n` independent
terms, each in an interval of length :math:`c_h`, and stays above :math:`-c_h \sqrt{n L / 2}`. The
second is one stream of the counter's noise with known weights, and stays above :math:`-W_h`. With
:math:`n \le \tilde n + N`, and with :math:`\tilde m` replaced by its positive part,

.. math:: Q^+(s, a) = \min\Bigl(c_h, \frac{\tilde r + \sum_{s'} \max(\tilde m(s'), 0) V^+(s') + W_h
   + c_h \sqrt{L/2} \sqrt{\tilde n + N}}{\tilde n}\Bigr), \qquad c_h \text{ if } \tilde n \le 0,

is at least :math:`Q` by induction backwards over :math:`h`, since :math:`V^+ \ge V \ge 0` and the
weights are
:math:`\ge 0`. That is all that optimism takes; it fails with probability :math:`\beta` at most. No
sum enters with itself as a divisor's threshold: where :math:`\tilde n` is small, the bonus is above
:math:`c_h` by itself.

**A public support.** Let it be known of each pair which states can follow it, :math:`B` of them at
most, from a model that was there before the data (``privrl.environments.SparseMDP``). Counts of the
other next states are zero for every user, so releasing only the possible ones changes no sum over
:math:`s'` above but for leaving noise out, and a user still moves one cell of :math:`m` and one of
:math:`r` a step: the sensitivity is the same. :math:`Q` is at least the least :math:`V` of a
possible next state, and every bound below holds with :math:`B` in place of :math:`S`, but in
:math:`SAH`, the number of pairs (each bound grows with the number of next states, so pairs with
fewer are covered). An episode outside the support refutes the model; it is refused, and not
counted.

**Pruned.** After the last step no value is left, :math:`V = 0`, so the bonus of that step holds
:math:`\tilde n` and no :math:`\tilde m(s')` alone. Let all next states of the last step be called
one: :math:`n` itself is released, and a user moves one cell of it as it moved one of :math:`m`, so
the sensitivity is that above, attained by the same users. Every sum over :math:`s'` has one term
there, so that :math:`K_{H-1} = 1`, for any :math:`S`. Gaussian noise of step :math:`h` is stretched
by :math:`t_h`, that of :math:`m` and that of :math:`r`: a user changes the draws by :math:`(2
\sum_h k_h/t_h^2)^{1/2}` in :math:`\ell_2`, :math:`k_h = 1 + K_h^{-1/2}`, and :math:`W_h` is
:math:`t_h (K_h^{1/2} + K_h)^{1/2}` times the certified quantile. The stretches make :math:`\sum_h
W_h` least, so it is at most that of ``tight``, which has :math:`t_h = 1` and a larger
:math:`K_{H-1}`.

**A plan for every** :math:`b` **users.** The stream's items are then sums over :math:`b` users. One
user is in one item and moves it as above, so the noise is that of a counter with :math:`\lceil T/b
\rceil - 1` releases. A plan is optimistic if the release that it reads is covered, whoever follows
it, and what is said of :math:`n` visits is said for every :math:`n`.

**Constants.**

- :math:`W_h` ``tight``, Gaussian: the weights have :math:`\ell_2` norm :math:`(\rho_h^2 +
  K_h)^{1/2}` at most, with
  :math:`K_h = (S - 1) c_h^2 + 1`. (Let all :math:`V` be below :math:`Q`: the largest is at least
  :math:`Q - 1`. All above: the least is :math:`Q`, since :math:`Q \ge \min V`. Else, with :math:`j`
  of them above, it is :math:`j (c_h - 1 - Q)^2 + (S - j) Q^2` at most.) Times the certified
  quantile of one stream at level :math:`\beta / (4 SAH)`.
  :math:`\rho_h = K_h^{1/4}` makes :math:`(1 + 1/\rho^2) (\rho^2 + K_h)` least.
- :math:`W_h` ``tight``, Laplace: :math:`\rho_h = c_h`, so that no weight exceeds :math:`c_h`. The
  law of a weighted sum of symmetric unimodal draws spreads out as a weight grows (Birnbaum 1948),
  so at every release it lies inside that of :math:`S + 1` draws times :math:`c_h`.
- :math:`W_h` ``corrected``: every sum within :math:`E` of what it counts, at all releases, by a
  tail bound in closed form and a union: :math:`W_h = (1 + S c_h) E`, :math:`\rho_h = 1`. This is
  the shape of the paper's bonus.
- :math:`N`: the same for the :math:`S` draws of :math:`\tilde n`, at level :math:`\beta / 4`.
- :math:`L` ``corrected``: :math:`\ln(2 SAH T / \beta)`, a union over the numbers of visits 1..T.
  ``tight``: Hoeffding's inequality holds for the largest of the first :math:`j` sums as well
  (Doob), so a union over :math:`J` blocks :math:`(\eta^{j-1}, \eta^j]` of visits is enough:
  :math:`L = \eta \ln(2 SAH J / \beta)`, for the best of some
  :math:`\eta > 1`.
"""
