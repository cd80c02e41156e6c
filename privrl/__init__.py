"""Private reinforcement learning, reproduced: algorithms that plan optimistically on privatised statistics.

>>> from privrl import PUCB, simulate, suite
>>> mdp = suite.environment("vietri2020/riverswim-3")
>>> run = simulate.run("vietri2020/riverswim-3", mdp, PUCB(epsilon=1.0), episodes=1000, replicates=2, seed=7)
>>> run.regret.shape[0]
2

Every name is loaded when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from privrl import _cache as _cache  # sets numba's cache folder: first, before numba is imported

if TYPE_CHECKING:
    from privrl import online as online
    from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
    from privrl.agents.linear.linopt_po import LinOptPO
    from privrl.agents.linear.linopt_vi import LinOptVI
    from privrl.agents.linear.ucrl_vtr import UCRLVTR
    from privrl.agents.lq.ofu_rl import OFURL
    from privrl.agents.lq.private_ofu_rl import PrivateOFURL
    from privrl.agents.tabular.dp_ucbvi import DPUCBVI
    from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
    from privrl.agents.tabular.pucb import PUCB
    from privrl.agents.tabular.ubev import UBEV
    from privrl.environments import evaluate, planning, suite
    from privrl.environments.files import load_mdp
    from privrl.environments.linear_mixture import LinearMixtureMDP
    from privrl.environments.lq import LQSystem
    from privrl.environments.sparse import SparseMDP
    from privrl.privacy import accounting, quantiles, sensitivity
    from privrl.privacy.counters import mechanisms
    from privrl.run import learning, simulate
    from privrl.types import Adjacency, Budget, Run, TabularMDP

_HOMES = {
    "privrl.agents.tabular": {"DPUCBVI": "dp_ucbvi", "PUCB": "pucb", "PrivateUCBVI": "private_ucbvi", "UBEV": "ubev"},
    "privrl.agents.linear": {"LDPUCRLVTR": "ldp_ucrl_vtr", "LinOptPO": "linopt_po", "LinOptVI": "linopt_vi",
                             "UCRLVTR": "ucrl_vtr"},
    "privrl.agents.lq": {"OFURL": "ofu_rl", "PrivateOFURL": "private_ofu_rl"},
    "privrl.environments": {"LQSystem": "lq", "LinearMixtureMDP": "linear_mixture", "SparseMDP": "sparse",
                            "evaluate": "", "load_mdp": "files", "planning": "", "suite": ""},
    "privrl.privacy": {"accounting": "", "quantiles": "", "sensitivity": ""},
    "privrl.privacy.counters": {"mechanisms": ""},
    "privrl.run": {"learning": "", "simulate": ""},
    "privrl": {"Adjacency": "types", "Budget": "types", "Run": "types", "TabularMDP": "types", "online": ""},
}
__all__ = [
    "DPUCBVI", "LDPUCRLVTR", "OFURL", "PUCB", "UBEV", "UCRLVTR", "Adjacency", "Budget", "LQSystem", "LinOptPO",
    "LinOptVI", "LinearMixtureMDP", "PrivateOFURL", "PrivateUCBVI", "Run", "SparseMDP", "TabularMDP", "accounting",
    "evaluate", "learning", "load_mdp", "mechanisms", "online", "planning", "quantiles", "sensitivity", "simulate",
    "suite",
]


def __getattr__(name: str) -> Any:
    for package, names in _HOMES.items():
        if name in names:
            module = import_module(f"{package}.{names[name] or name}")
            return getattr(module, name) if names[name] else module
    raise AttributeError(f"module 'privrl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
