r"""The widths of the private regressions of linear mixture MDPs
(:mod:`privrl.agents.linear.widths`).

A regression of step :math:`h` sees features with :math:`\|\phi\| \le s_h` and targets in :math:`[0,
b_h]`. It is released with noise of standard deviations :math:`\sigma_\Lambda` (Gram matrix) and
:math:`\sigma_u` (vector) for a draw; the noise of a release has :math:`n` times the variance of a
draw, which the counter says: the number of its terms for a tree or local noise. Every norm of a
step, an episode and a block may fail with the same probability,
:math:`p = \alpha'` over their number. For blocks of :math:`m` coordinates, and :math:`g` of
:math:`m` standard normals,

.. math:: \|N\| \le \Gamma \sqrt n, \quad \Gamma = \sigma_\Lambda (4 \sqrt m + 2 \sqrt{2 \ln(2/p)}),
\qquad
   \|z\| \le Z \sqrt n, \quad Z = \sigma_u (\sqrt m + \sqrt{2 \ln(1/p)})

(zhou2022/lemma-B.4 and lemma-B.5); sharp, at the same :math:`p`
(:mod:`privrl.privacy.gaussian_norms`),

.. math:: \Gamma = \sigma_\Lambda \bigl(2\,\mathrm E\|g\| + \sqrt{2 - 1/m} \sqrt{2 \ln(2/p)}\bigr),
\qquad
   Z = \sigma_u \times \text{the quantile of } \|g\|,

and for :math:`m = 1` :math:`\Gamma` is :math:`\sigma_\Lambda` times the quantile of :math:`|g|`.
The Gram matrix is shifted by :math:`(\lambda + (1 + x) \Gamma \sqrt n) I`, so that the regulariser
lies between :math:`\lambda + x \Gamma \sqrt n` and :math:`\lambda + (2 + x) \Gamma \sqrt n`; the
papers have :math:`x = 1`. Then (zhou2022/lemma-3.1, here with the range :math:`b_h` of the targets
and the true size of the features) the width is

.. math:: \frac{b}{2} \sqrt{2 \ln(1/\alpha') + m \ln(1 + (k - 1) s^2/(m \lambda_0))}
   + \|\theta\| \sqrt{\lambda + (2 + x) \Gamma \sqrt n} + \frac{Z \sqrt n}{\sqrt{x \Gamma \sqrt n}},

where :math:`\lambda_0` is the least regulariser of a run, and the second root is split by
:math:`\sqrt{a + b} \le \sqrt a + \sqrt b`.

All of that asks of a counter is that the entries of a release are independent Gaussians of a known
variance; releases of different episodes may depend on each other in any way. One user moves the
draws by the sensitivity of the counter times the change of the own sums, and all counters of all
steps together are one Gaussian release.
"""
