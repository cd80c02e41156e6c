"""What the commands share: refusals in one sentence, numbers, tables, and guarantees that are rounded up."""

import decimal
import math
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.table import Table

from privrl.run.engines import LostError
from privrl.run.store import UnwritableError

INTERRUPTED = "privrl: interrupted; finished replicates are kept, start again to continue"


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
        except click.ClickException as error:
            refuse(" ".join(error.format_message().split()))
        except (click.Abort, KeyboardInterrupt):
            say(INTERRUPTED)
            sys.exit(130)
        except ValueError as error:
            refuse(" ".join(str(error).split()))
        except MemoryError:
            refuse("the request must fit into memory: ask for less")
        except ArithmeticError as error:
            refuse(f"every number must stay within floating point: ask for less extreme ones ({error})")
        except OSError as error:
            say(f"privrl: {error.strerror or error}: {error.filename or ''}".strip())
            sys.exit(1 if isinstance(error, (UnwritableError, LostError)) else 2)
        sys.exit(code if isinstance(code, int) else 0)


class Whole(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2, and 8.1 will do
    """A whole number; ``1e6`` is one."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a refusal that names the option."""
        try:
            number = int(value) if str(value).lstrip("+-").isdigit() else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number) or number != int(number):
            self.fail(f"{param.name if param else 'value'} must be a whole number, got {str(value)[:60]!r}", param, ctx)
        return int(number)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title or None, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, width=None if sys.stdout.isatty() else 160).print(table)


def up(value: float, digits: int = 4) -> str:
    """``value`` to that many significant digits, rounded up: a guarantee may not shrink when it is printed."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    unit = decimal.Decimal(1).scaleb(math.floor(math.log10(abs(value))) - digits + 1)
    return f"{decimal.Decimal(value).quantize(unit, rounding=decimal.ROUND_CEILING):f}"
