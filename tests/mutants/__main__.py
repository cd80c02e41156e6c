"""``python -m tests.mutants``: every formula broken, and who refuses it.

A mutant runs in a child of one process that has everything imported. Its judges are the checks of
claims and the tests that compute and that call the broken function; those that compare with what
is recorded (the ledger, figures, pages) have no say. The table, ``tests/mutants/table.csv``, is
written as it grows, and only mutants that are not in it are run.

    python -m tests.mutants                   # the mutants that the table does not have
    python -m tests.mutants --again TEXT      # those whose function or change contains it, anew
    python -m tests.mutants --survivors       # the survivors again
    python -m tests.mutants --compiled        # what numba compiles, as plain Python
    python -m tests.mutants --quick           # quick judges alone; who survives them is not run
    python -m tests.mutants --judges PATH ..  # checks, and the tests there; survivors stay not run
    python -m tests.mutants --confirm         # each again by the judge it has, and if that is none
                                              # any more by all; with --compiled the other half
    python -m tests.mutants --list            # none: what is new is put down as not run
"""

import argparse
import sys

from tests.mutants import running

parser = argparse.ArgumentParser(prog="python -m tests.mutants")
parser.add_argument("--again", default=None, metavar="TEXT")
parser.add_argument("--survivors", action="store_true")
parser.add_argument("--compiled", action="store_true", help="compiled functions, run as Python")
parser.add_argument("--quick", action="store_true", help="ask the quick judges only")
parser.add_argument("--judges", nargs="+", default=[], metavar="PATH", help="tests to ask")
parser.add_argument("--list", action="store_true", dest="only_list", help="run none")
parser.add_argument("--confirm", action="store_true", help="ask the judges of the table again")
options = parser.parse_args()
if options.confirm and (options.quick or options.judges or options.survivors):
    parser.error("--confirm asks all judges: without --quick, --judges and --survivors")
sys.exit(running.main(**vars(options)))
