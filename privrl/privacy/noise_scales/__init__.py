"""The noise that each paper prints, its sigma or Laplace scale, and what else a run needs to know
of a paper, a module each: small setting, counter, worst pair.

:mod:`privrl.privacy.noise` finds them here.
"""
