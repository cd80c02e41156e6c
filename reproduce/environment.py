"""Surroundings in which a notebook or a figure gives the same output on every machine.

Set before numpy is imported, by the driver of ``make reproduce`` and by the tests; kernels inherit
them.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PERSONAL = (
    "MPLBACKEND",
    "PYTHONSTARTUP",
    "COLUMNS",
    "LINES",
    "JUPYTER_COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
)
MARK = "PRIVRL_SURROUNDINGS"


def settle() -> None:
    """One thread for each library, empty settings folders in place of the user's, no variable that
    changes outputs.

    A process that is started from a settled one keeps its folders; the first one removes them at
    its end.
    """
    for name in THREADS:
        os.environ[name] = "1"
    for name in PERSONAL:
        os.environ.pop(name, None)
    # a grammar of addresses that jsonschema would build as it is imported, in two to four seconds
    # of CPU a process: no notebook's schema asks for it, and jsonschema does without
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    os.environ["PYTHONHASHSEED"] = "0"
    os.environ["PYTHONUTF8"] = "1"
    folder = os.environ.get(MARK, "")
    if folder and Path(folder).is_dir():
        return
    folder = tempfile.mkdtemp(prefix="privrl-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[MARK] = folder
    os.environ["MPLCONFIGDIR"] = str(Path(folder, "matplotlib"))
    os.environ["IPYTHONDIR"] = str(Path(folder, "ipython"))


def warm() -> None:
    """Build matplotlib's list of fonts now: if slow, that puts a warning into the first output that
    draws."""
    import matplotlib.font_manager  # noqa: F401
