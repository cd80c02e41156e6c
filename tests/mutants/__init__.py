"""Formulas broken by machine: who refuses them (``python -m tests.mutants``)."""
