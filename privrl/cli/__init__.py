"""The command line: ``privrl`` or ``python -m privrl``.

Exit 0 when what was asked holds, 1 when it does not, 2 for a request that makes no sense (one
sentence, no traceback). The only package that imports upwards (theory, figures), and lazily.
"""

import importlib
import os
import pkgutil

import click

from privrl.cli.common import Commands

for _pool in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_pool, "1")  # parallel over replicates, not inside them


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="privrl")
def main() -> None:
    """Private reinforcement learning: four papers, their algorithms, and a checked ledger of their
    claims."""


for _found in pkgutil.iter_modules(__path__):  # a command a file, of the same name
    for _command in vars(importlib.import_module(f"{__name__}.{_found.name}")).values():
        if isinstance(_command, click.Command):
            main.add_command(_command)
