"""What a process loads that only runs replicates, as every worker does, and what it loads before it gives advice."""

import subprocess
import sys

import pytest

SLOW = {"pandas", "matplotlib", "sympy"}


@pytest.mark.parametrize(("program", "slow"), [
    ("import privrl.run.sweep", SLOW | {"scipy.optimize", "scipy.signal", "scipy.stats"}),
    (("from privrl.cli.advise import advise; advise(['--states', '3', '--actions', '2', '--horizon', '3'], "
      "standalone_mode=False)"), SLOW | {"joblib", "dask", "rich", "mpmath", "opendp"})])
def test_no_slow_library_is_loaded(program: str, slow: set[str]) -> None:
    run = subprocess.run([sys.executable, "-c", f"import sys; {program}; print({slow} & set(sys.modules))"],
                         capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "set()"
