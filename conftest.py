"""Surroundings of every test and every notebook cell: one thread per library, no personal settings, no luck."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from figures import environment

environment.settle()  # before anything imports numpy; workers and kernels inherit it
settings.register_profile("privrl", derandomize=True, deadline=None, database=None, print_blob=True)
settings.load_profile("privrl")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """What the project file cannot say because it is absolute: where nbval's replacements stand."""
    if getattr(config.option, "nbval", False) or getattr(config.option, "nbval_lax", False):
        environment.warm()
        if config.option.nbval_sanitize_with is None:
            config.option.nbval_sanitize_with = str(Path(__file__).parent / "notebooks" / "sanitize.cfg")
