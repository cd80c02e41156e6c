"""The ledger as a place to visit: a static site that is made from the repository alone and read
without a network.

What the command line computes stands on it as tables of what the commands print, not as
calculators: numba, python-flint and z3, which ``privrl horizon`` imports, do not exist for Python
in the browser, and Pyodide's package is 14 MB before numpy and scipy, which it would load from
elsewhere.
"""
