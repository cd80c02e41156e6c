"""Surroundings of every test and every notebook cell: one thread per library, no personal settings,
no luck."""

import gc
import os
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from reproduce import environment

gc.set_threshold(100_000, 20, 100)  # what is imported is no garbage: looking for it takes seconds
environment.settle()  # before anything imports numpy; workers and kernels inherit it
for name in (
    "CI",
    "BUILD_NUMBER",
):  # where one is set, pytest shows every difference whole: of two arrays in hours
    os.environ.pop(name, None)
settings.register_profile("privrl", derandomize=True, deadline=None, database=None, print_blob=True)
settings.load_profile("privrl")

AGENTS = "tests/privrl/agents/"
# what goes to one worker: it compiles each kernel once, or reads each file of code once, where two
# would do so at the same time
TOGETHER = (AGENTS, "tests/test_names.py tests/test_parameters.py")

# Modules that take longest, longest first: begun early, none of them keeps one worker busy while
# the others have ended.
LONGEST = (
    AGENTS,
    "tests/figures/test_registry.py",
    "tests/website/test_site.py",
    "tests/theory/test_ledger.py",
    "tests/privrl/run/test_engines.py",
    "tests/privrl/cli/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`--no-loadscope-reorder` keeps this order when tests are handed to workers."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}

    def rank(item: pytest.Item) -> int:
        return min(
            (ranks[name] for name in LONGEST if item.nodeid.startswith(name)), default=len(LONGEST)
        )

    items.sort(key=rank)


class ByModule(LoadScopeScheduling):
    """A module's tests to one worker, and those of modules that stand together."""

    def _split_scope(self, nodeid: str) -> str:
        for names in TOGETHER:
            if nodeid.startswith(tuple(names.split())):
                return names
        return super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule:
    """In place of ``--dist loadscope``."""
    return ByModule(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Give nbval the comparison of ``make reproduce``: it has none that knows numbers."""
    if config.option.nbval or config.option.nbval_lax:
        from nbval.plugin import IPyNbCell

        environment.warm()
        IPyNbCell.compare_outputs = _compare_outputs


def _compare_outputs(cell: Any, fresh: Any, committed: Any) -> bool:
    from reproduce import notebooks

    cell.comparison_traceback = [notebooks.shown_difference(committed, fresh)]
    return cell.comparison_traceback == [""]
