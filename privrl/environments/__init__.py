"""Known MDPs, one family a file.

Equal names mean equal MDPs: a name carries every argument that matters and differs from its default.
"""

from privrl.environments.chain import chain
from privrl.environments.hard import hard_mdp
from privrl.environments.random_mdp import random_mdp
from privrl.environments.riverswim import riverswim

__all__ = ["chain", "hard_mdp", "random_mdp", "riverswim"]
