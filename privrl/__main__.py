"""``privrl`` and ``python -m privrl``: the command line as a process, which a signal ends with one
sentence."""

import signal
import sys
from typing import NoReturn


class Stopped(SystemExit):
    """A signal ends the program; what is open is closed on the way out."""


def stop(number: int, frame: object) -> NoReturn:
    """End the program at the first signal; the second one ends it at once."""
    signal.signal(number, signal.SIG_DFL)
    raise Stopped(128 + number)


def program() -> None:
    """Run the command line."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as a shell starts background jobs
            signal.signal(number, stop)
    try:
        from privrl.cli import main  # seconds of imports: a signal may come meanwhile

        main(prog_name="privrl")
    except Stopped:
        sys.stderr.write(
            "privrl: interrupted; finished replicates are kept, start again to continue\n"
        )
        raise


if __name__ == "__main__":
    program()
