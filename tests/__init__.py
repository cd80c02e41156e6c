"""The tests, a mirror of the packages; ``tests.contracts`` holds what every member of a family has to pass."""

import pytest

pytest.register_assert_rewrite("tests.contracts")
