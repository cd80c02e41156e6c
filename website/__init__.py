"""The ledger as a place to visit: a static site that is made from the repository alone and read
without a network.

What the command line computes stands on it as tables of what the commands print, in which a page
looks answers up; nothing is computed in the browser: numba, python-flint and z3, which ``privrl
horizon`` imports, do not exist for Python there (docs/install.md has what was tried).
"""
