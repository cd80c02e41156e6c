# The names at the top, each with its place: the one list of them, read by type checkers and by
# __init__.py, which imports a name when it is asked for.

from privrl import online as online
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR as LDPUCRLVTR
from privrl.agents.linear.linopt_po import LinOptPO as LinOptPO
from privrl.agents.linear.linopt_vi import LinOptVI as LinOptVI
from privrl.agents.linear.ucrl_vtr import UCRLVTR as UCRLVTR
from privrl.agents.lq.ofu_rl import OFURL as OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL as PrivateOFURL
from privrl.agents.tabular.dp_ucbvi import DPUCBVI as DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI as PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB as PUCB
from privrl.agents.tabular.ubev import UBEV as UBEV
from privrl.environments import evaluate as evaluate
from privrl.environments import planning as planning
from privrl.environments import suite as suite
from privrl.environments.files import load_mdp as load_mdp
from privrl.environments.linear_mixture import LinearMixtureMDP as LinearMixtureMDP
from privrl.environments.lq import LQSystem as LQSystem
from privrl.environments.sparse import SparseMDP as SparseMDP
from privrl.online.session import Session as Session
from privrl.privacy import accounting as accounting
from privrl.privacy import counters as counters
from privrl.privacy import quantiles as quantiles
from privrl.privacy import sensitivity as sensitivity
from privrl.privacy.counters import mechanisms as mechanisms
from privrl.privacy.mechanism import Mechanism as Mechanism
from privrl.run import measure as measure
from privrl.run import simulate as simulate
from privrl.types import Adjacency as Adjacency
from privrl.types import Budget as Budget
from privrl.types import Guarantee as Guarantee
from privrl.types import Run as Run
from privrl.types import Simulated as Simulated
from privrl.types import TabularMDP as TabularMDP

__version__: str
