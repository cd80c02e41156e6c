"""The tests, in folders named as the packages that they test; a contract is what every member of a
family has to pass.

``tests.contracts`` holds those of environments and the bad input, ``tests.contracts_agents`` the
others.
"""

import pytest

pytest.register_assert_rewrite(
    "tests.contracts", "tests.contracts_agents", "tests.privrl.cli.calls"
)
