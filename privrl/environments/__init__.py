"""Known MDPs, one family a file.

Equal names mean equal MDPs: a name carries every argument that matters and differs from its
default.
"""

from privrl.environments.all_or_nothing import all_or_nothing
from privrl.environments.chain import chain
from privrl.environments.hard import hard_mdp
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem, lq_instance, lq_scalar, random_lq
from privrl.environments.mixtures import embedding, hard_mixture, mixture, one_hot, random_mixture
from privrl.environments.random_mdp import random_mdp
from privrl.environments.riverswim import riverswim
from privrl.environments.sparse import SparseMDP

__all__ = [
    "LQSystem",
    "LinearMixtureMDP",
    "SparseMDP",
    "all_or_nothing",
    "chain",
    "embedding",
    "hard_mdp",
    "hard_mixture",
    "lq_instance",
    "lq_scalar",
    "mixture",
    "one_hot",
    "random_lq",
    "random_mdp",
    "random_mixture",
    "riverswim",
]
