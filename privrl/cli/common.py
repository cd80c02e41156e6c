"""What the commands share: refusals in one sentence, numbers, tables, and guarantees that are
rounded up."""

import decimal
import errno
import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, NoReturn, TypeVar

import click

from privrl.extras import MissingExtraError, sentence

T = TypeVar("T")
INTERRUPTED = "privrl: interrupted; finished replicates are kept, start again to continue"
# a name under which nothing can be; whatever else a system refuses, the request made sense
MISNAMED = (
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ELOOP,
    errno.ENAMETOOLONG,
)


def say(text: str) -> None:
    click.echo(text, err=True)


def refuse(sentence: str) -> NoReturn:
    say(f"privrl: {sentence}")
    sys.exit(2)


class Commands(click.Group):
    """A group whose commands turn ``ValueError`` and misuse into one sentence and exit code 2."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            sys.exit(2)
        except click.MissingParameter as error:
            if error.ctx is None or error.param is None or error.ctx.command.epilog is None:
                refuse(" ".join(error.format_message().split()))
            refuse(
                f"{error.ctx.command_path} needs {error.param.make_metavar(error.ctx)}; "
                f"`privrl list` has all ids. {error.ctx.command.epilog}"
            )
        except click.ClickException as error:
            refuse(" ".join(error.format_message().split()))
        except (click.Abort, KeyboardInterrupt):
            say(INTERRUPTED)
            sys.exit(130)
        except ValueError as error:
            refuse(" ".join(str(error).split()))
        except ModuleNotFoundError as error:
            written = isinstance(error, MissingExtraError)
            words = str(error) if written else sentence(error.name or "", "this command")
            if words is None:
                raise
            say(f"privrl: {words}")
            sys.exit(1)
        except MemoryError:
            refuse("the request must fit into memory: ask for less")
        except ArithmeticError as error:
            refuse(
                f"every number must stay within floating point: ask for less extreme ones ({error})"
            )
        except OSError as error:
            place = f": {error.filename}" if error.filename else ""
            say(f"privrl: {error.strerror or error}{place}")
            sys.exit(2 if error.errno in MISNAMED else 1)
        sys.exit(code if isinstance(code, int) else 0)


class WholeNumber(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2, and 8.1 will do
    """A whole number; ``1e6`` is one."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a refusal that names the option."""
        try:
            number = int(value) if str(value).lstrip("+-").isdigit() else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number) or number != int(number):
            self.fail(
                f"{param.name if param else 'value'} must be a whole number, got "
                f"{str(value)[:60]!r}",
                param,
                ctx,
            )
        return int(number)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A table as wide as the terminal, or as COLUMNS says, else 80 columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=title or None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False).print(table)


def tell(words: str, indent: int | str = 0) -> None:
    """Paragraphs on lines as wide as the terminal, or as COLUMNS says, else 80 columns; moved in,
    or after a label."""
    first = " " * indent if isinstance(indent, int) else indent
    for line in words.split("\n"):
        click.echo(
            textwrap.fill(
                line,
                shutil.get_terminal_size().columns,
                initial_indent=first,
                subsequent_indent=" " * len(first),
                break_long_words=False,
                break_on_hyphens=False,
            )
        )


def counted(items: Iterable[T], label: str) -> Iterable[T]:
    """The items, with a bar of how many are done on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(items, label, console=console, transient=True, disable=not console.is_terminal)


def working(label: str) -> AbstractContextManager[object]:
    """While this lasts, a line that moves on standard error where that is a terminal."""
    from rich.console import Console

    return Console(stderr=True).status(label)


def up(value: float, digits: int = 4) -> str:
    """``value`` to that many significant digits, rounded up: a guarantee may not shrink when it is
    printed."""
    if not math.isfinite(value):
        return f"{value:g}"
    upwards = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return f"{upwards.create_decimal_from_float(value):f}"
