"""Private reinforcement learning, reproduced: four algorithms that plan optimistically on privatised statistics.

>>> from privrl import PUCB, simulate, suite
>>> mdp = suite.environment("vietri2020/riverswim-3")
>>> run = simulate.run("vietri2020/riverswim-3", mdp, PUCB(epsilon=1.0), episodes=1000, replicates=2, seed=7)
>>> run.regret.shape[0]
2
"""

from privrl import _cache as _cache  # sets numba's cache folder: first, before numba is imported
from privrl import evaluate, simulate, suite
from privrl.agents.tabular.pucb import PUCB
from privrl.agents.tabular.ubev import UBEV
from privrl.types import Adjacency, Budget, Run, TabularMDP

__all__ = ["PUCB", "UBEV", "Adjacency", "Budget", "Run", "TabularMDP", "evaluate", "simulate", "suite"]
