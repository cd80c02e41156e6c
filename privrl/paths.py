"""What stands at a path, looked at before it is opened."""

import os
import stat
from pathlib import Path

from privrl.checks import require


def regular(path: str | os.PathLike[str]) -> Path:
    """The path of a file; a pipe, whose opening would wait for ever, a device and a folder are
    refused unopened.

    Raises
    ------
    ValueError
        What stands there is no regular file.
    OSError
        Nothing stands there.
    """
    path = Path(path)
    require(
        stat.S_ISREG(path.stat().st_mode),
        "what is read must be a regular file, no pipe, device or folder",
        path=path.name,
    )
    return path
