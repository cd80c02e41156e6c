"""What a process loads that only runs replicates: every worker pays for it at its start, and every command."""

import subprocess
import sys

SLOW = ("pandas", "matplotlib", "sympy", "scipy.optimize", "scipy.signal", "scipy.stats")


def test_a_worker_loads_no_slow_library() -> None:
    program = f"import sys, privrl.run.sweep; print(*[name for name in {SLOW!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
