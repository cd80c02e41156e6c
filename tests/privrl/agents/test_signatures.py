"""No kernel of any agent takes more than eight arguments; who may read what stands with each family's planners."""

import importlib
import pkgutil

from privrl import agents
from tests.privrl.agents.reach import kernels_of


def test_kernels_take_at_most_eight_arguments() -> None:
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(agents.__path__, "privrl.agents.")]
    taken = {(module.__name__, name): len(parameters) for module in modules
             for name, parameters in kernels_of(module).items()}
    assert len(taken) > 100 and not [name for name, number in taken.items() if number > 8]
