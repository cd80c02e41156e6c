"""The command line: ``privrl`` or ``python -m privrl``.

Exit 0 when what was asked holds, 1 when it does not, 2 for a request that makes no sense (one sentence, no traceback).
The only module that imports upwards (theory, figures), and lazily.
"""

from __future__ import annotations

import decimal
import importlib
import json
import math
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.table import Table

from privrl import _cli_audit, _cli_run
from privrl.engines import LostError
from privrl.store import UnwritableError

for _pool in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_pool, "1")  # parallel over replicates, not inside them

INTERRUPTED = "privrl: interrupted; finished replicates are kept, start again to continue"
PAPERS = ("vietri2020", "chowdhury2021", "liao2021", "zhou2022")


def _say(text: str) -> None:
    click.echo(text, err=True)


def _refuse(sentence: str) -> NoReturn:
    _say(f"privrl: {sentence}")
    sys.exit(2)


class Stopped(SystemExit):
    """A signal ends the program; what is open is closed on the way out."""


def _stop(number: int, frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # the second one ends at once
    raise Stopped(128 + number)


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
            _refuse(" ".join(error.format_message().split()))
        except (click.Abort, KeyboardInterrupt):
            _say(INTERRUPTED)
            sys.exit(130)
        except ValueError as error:
            _refuse(" ".join(str(error).split()))
        except MemoryError:
            _refuse("the request must fit into memory: ask for less")
        except ArithmeticError as error:
            _refuse(f"every number must stay within floating point: ask for less extreme ones ({error})")
        except OSError as error:
            _say(f"privrl: {error.strerror or error}: {error.filename or ''}".strip())
            sys.exit(1 if isinstance(error, (UnwritableError, LostError)) else 2)
        sys.exit(code if isinstance(code, int) else 0)


class Number(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2, and 8.1 will do
    """A real number."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a refusal that names the option."""
        try:
            return float(value)
        except (TypeError, ValueError):
            self.fail(f"{_label(param)} must be a real number, got {str(value)[:60]!r}", param, ctx)


class Whole(click.ParamType):  # type: ignore[type-arg]  # as above
    """A whole number; ``1e6`` is one."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a refusal that names the option."""
        try:
            number = int(value) if str(value).lstrip("+-").isdigit() else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number) or number != int(number):
            self.fail(f"{_label(param)} must be a whole number, got {str(value)[:60]!r}", param, ctx)
        return int(number)


def _label(param: click.Parameter | None) -> str:
    return str(param.name) if param else "value"


def _json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def _print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    table = Table(title=title or None, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, width=None if sys.stdout.isatty() else 160).print(table)


def _up(value: float, digits: int = 4) -> str:
    """``value`` to that many significant digits, rounded up: a guarantee may not shrink when it is printed."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    unit = decimal.Decimal(1).scaleb(math.floor(math.log10(abs(value))) - digits + 1)
    return f"{decimal.Decimal(value).quantize(unit, rounding=decimal.ROUND_CEILING):f}"


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="privrl")
def main() -> None:
    """Private reinforcement learning: four papers, their algorithms, and a checked ledger of their claims."""


@main.command()
@_json_option
def papers(as_json: bool) -> None:
    """The four papers: algorithm, notebook, claims by verdict."""
    from theory import ledger

    overview = ledger.papers_overview()
    if as_json:
        click.echo(json.dumps(overview, indent=2))
        return
    verdicts = sorted({verdict for row in overview for verdict in row["verdicts"]})
    _print_table("papers", ["paper", "algorithm", "notebook", "claims", *verdicts],
                 [[row["paper"], row["algorithm"], row["notebook"] or "not yet", str(row["claims"]),
                   *(str(row["verdicts"].get(verdict, 0)) for verdict in verdicts)] for row in overview])


@main.command()
@click.argument("select", required=False, metavar="[PAPER[/CLAIM]]")
@click.option("--recorded", is_flag=True, help="Print the recorded ledger instead of running the checks.")
@_json_option
def check(select: str | None, recorded: bool, as_json: bool) -> None:
    """Run the checks (or print the recorded ledger), a row per claim.

    Exit 1 when a check errors, a mutant is accepted, or a verdict differs from the recorded one.
    """
    from theory import ledger, numbering

    chosen = {item.id for item in numbering.items(select)}  # refuse an unknown id before anything is run
    stored = ledger.recorded()
    rows = [row for row in stored if row["id"] in chosen] if recorded else ledger.run(select)
    wrong = [] if recorded else ledger.differences(rows, stored)
    wrong += [f"{row['id']}: a mutant is accepted" for row in rows
              if not all(record["mutant_rejected"] for record in row.get("records", ()))]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        shown = []
        for row in rows:
            records = row.get("records", [])
            shown.append([row["id"], row["kind"], row.get("verdict", f"({row.get('status')})"),
                          ", ".join(dict.fromkeys(record["rigor"] for record in records)),
                          row.get("error") or (records[0]["evidence"] if records else row["statement"])])
        _print_table("ledger" if recorded else "checks", ["id", "kind", "verdict", "rigor", "evidence"], shown)
    for sentence in wrong:
        _say(f"privrl: {sentence}")
    sys.exit(1 if wrong else 0)


@main.command()
@click.argument("paper", metavar="PAPER")
@click.option("--epsilon", type=Number(), help="Claimed epsilon.")
@click.option("--delta", type=Number(), help="Claimed delta.")
@click.option("--horizon", type=Whole(), help="Steps in an episode.")
@click.option("--episodes", type=Whole(), help="Number of users.")
@click.option("--states", type=Whole(), help="S, or the dimension of chowdhury2021's state.")
@click.option("--actions", type=Whole(), help="A, or the dimension of chowdhury2021's control.")
@click.option("--dim", "dimension", type=Whole(), help="Dimension of the features.")
@click.option("--gamma", type=Number(), help="chowdhury2021's bound on the control.")
@click.option("--adjacency", help="replace (the papers' relation) or add-remove.")
@_json_option
def sigma(paper: str, as_json: bool, **given: Any) -> None:
    """The paper's noise scales, the privacy that they really give, and the smallest that give what was claimed."""
    from privrl.privacy import noise

    found = noise.noise(paper, noise.setting(paper, **given))
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2))
        return
    made = found.setting
    shown = ", ".join(f"{name} {value:g}" for name, value in (
        ("epsilon", made.epsilon), ("delta", made.delta), ("horizon", made.horizon), ("episodes", made.episodes),
        ("states", made.states), ("actions", made.actions), ("dim", made.dimension), ("gamma", made.gamma)))
    click.echo(f"{paper}: {shown}, adjacency {made.adjacency.value}")
    _print_table("", ["noise", "law", "printed", "smallest"],
                 [[row.name, row.law, f"{row.printed:.4g}", f"{row.smallest:.4g}"] for row in found.scales])
    verdict = "gives" if found.factor <= 1 else "does not give"
    click.echo(f"The printed noise {verdict} what is claimed: really epsilon = {_up(found.real_epsilon)} at delta = "
               f"{made.delta:g}, claimed {made.epsilon:g}.")
    click.echo(f"Smallest over printed: {_up(found.factor)} ({found.note}).")


@main.command()
@click.argument("paper", metavar="PAPER")
@click.option("--epsilon", type=Number(), help="Default: 1.")
@click.option("--delta", type=Number(), help="Default: 0 for vietri2020 (> 0: Gaussian noise), 1e-6 for the others.")
@click.option("--states", type=Whole(), help="S, or the dimension of chowdhury2021's state.")
@click.option("--actions", type=Whole(), help="A, or the dimension of chowdhury2021's control.")
@click.option("--horizon", "horizon", type=Whole(), help="Steps in an episode.")
@click.option("--dim", type=Whole(), help="Dimension of the features.")
@click.option("--gamma", type=Number(), help="chowdhury2021's bound on the control.")
@click.option("--beta", type=Number(), help="Failure probability of the confidence widths. Default: 0.1.")
@_json_option
def horizon(paper: str, as_json: bool, **given: Any) -> None:
    """How many users before a plan can say anything, and before the regret bound is below the trivial one.

    A row per agent, counter and calibration. vietri2020 has the successors of PUCB too; their bonuses are this
    repository's own, as the constants of their papers were not recovered.
    """
    from theory import horizons

    found = horizons.horizons(paper, horizons.setting(paper, **given))
    if as_json:
        click.echo(json.dumps({"paper": paper, "setting": found.setting, "start": found.means,
                               "rows": [vars(row) for row in found.rows], "note": found.note}, indent=2))
        return
    click.echo(f"{paper}: " + ", ".join(f"{name} {value:g}" for name, value in found.setting.items()))
    _print_table("", ["agent", "counter", "calibration", found.means, "bound below trivial from episode"],
                 [[row.agent, row.counter, row.calibration, *("-" if value is None else f"{value:.3g}"
                                                              for value in (row.start, row.below_trivial))]
                  for row in found.rows])
    click.echo(found.note[0].upper() + found.note[1:])


main.add_command(_cli_run.run)
main.add_command(_cli_audit.audit)


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("out/replicates"))
@click.option("--prune", is_flag=True, help="Remove what is damaged and what killed writers have left.")
@click.option("--prune-other", is_flag=True, help="Remove also what other code or other versions have computed.")
@_json_option
def store(folder: Path, prune: bool, prune_other: bool, as_json: bool) -> None:
    """List what is stored in FOLDER (default: out/replicates), a row per sweep and state."""
    from privrl import storage

    kept = storage.listing(folder)
    if as_json:
        click.echo(json.dumps(kept.rows, indent=2))
    else:
        _print_table(f"{kept.total} replicates", list(storage.COLUMNS),
                     [[str(row[name]) for name in storage.COLUMNS] for row in kept.rows])
    if prune or prune_other:
        _say(f"privrl: {storage.prune(kept, other=prune_other)} files removed")


@main.command()
@click.argument("identifiers", nargs=-1, metavar="[ID ...]")
@click.option("--recompute", is_flag=True, help="Make the tables of the long runs first, and compare with ours.")
@click.option("--profile", default="full", show_default=True,
              help="With --recompute: quick (10^5 episodes, minutes), paper (10^6) or full (whole; hours, resumable).")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out/figures"), show_default=True)
@click.option("--jobs", type=Whole(), default=2, show_default=True)
def figures(identifiers: tuple[str, ...], recompute: bool, profile: str, out: Path, jobs: int) -> None:
    """Render figures from their tables.

    Exit 1 when a table that was made again differs from the committed one.
    """
    from figures import profiles, registry
    from privrl.types import count

    count("jobs", jobs)
    profiles.profile(profile)
    names = list(identifiers) or list(registry.ids())
    for name in names:
        registry.module(name)  # refuse an unknown id before anything is drawn
    wrong = False
    for name in names:
        difference = registry.recompute(name, out, jobs, profile) if recompute else None
        if difference is not None:
            wrong |= bool(difference)
            click.echo(f"{name} ({profile}): {difference or 'the committed table'}", err=bool(difference))
        for path in registry.render(name, out):
            click.echo(str(path))
    sys.exit(wrong)


@main.command()
@_json_option
@click.option("--quick", is_flag=True, help="Fewer repetitions: for a first look.")
@click.option("--of", default="tabular", show_default=True,
              help="Which kernels: tabular, linear, lq, counters; or scaling: exponents in T, S, A, H, d; memory.")
@click.option("--peers", type=click.Path(file_okay=False, path_type=Path),
              help="Compare with rlberry-scool instead, installed into this folder.")
def bench(as_json: bool, quick: bool, of: str, peers: Path | None) -> None:
    """The kernels against their floors and their plain-Python form, in one run."""
    from privrl import peers as others
    from privrl.types import choice

    choice("of", of, ("tabular", "linear", "lq", "counters", "scaling"))
    kernels = importlib.import_module("privrl.bench" if of == "tabular" else f"privrl.bench_{of}")
    rows = kernels.measure(quick=quick) if peers is None else others.measure(peers)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    _print_table("bench (ratios of times measured in this run)", list(rows[0]),
                 [[value if isinstance(value, str) else f"{value:.3g}" for value in row.values()] for row in rows])


def program() -> None:
    """Run the command line as a process, which a signal ends with one sentence."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as a shell starts background jobs
            signal.signal(number, _stop)
    try:
        main(prog_name="privrl")
    except Stopped:
        _say(INTERRUPTED)
        raise


if __name__ == "__main__":
    program()
