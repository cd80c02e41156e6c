"""``privrl run``: entries of the suite over a grid of settings, on this machine or on a cluster."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privrl.cli.common import WholeNumber, refuse, say

if TYPE_CHECKING:
    from privrl.run.sweep import RunPlan
    from privrl.types import Run

MANY = 20_000  # replicates whose planning takes a quarter of a minute


class Axis(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2, and 8.1 will do
    """One or more values of an axis: ``0.5,1,2``, ``0:100``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """The values, or a refusal that names the option."""
        from privrl.run import grids

        return grids.values(self.name, value)


class Shard(click.ParamType):  # type: ignore[type-arg]  # as above
    """``i/n``: the i-th of n parts."""

    name = "shard"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """(i, n), or a refusal."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", str(value), re.ASCII)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            self.fail(f"shard must be i/n with 1 <= i <= n, got {str(value)[:60]!r}", param, ctx)
        return int(match[1]), int(match[2])


def axis(option: str, text: str) -> Any:
    """An option that takes several values."""
    name = option.removeprefix("--").replace("-", "_")
    return click.option(option, name, type=Axis(name), help=text)


@click.command(
    epilog="Example: privrl run vietri2020/riverswim-3-relabelled --episodes 1e5 --replicates 2"
)
@click.argument("identifier", metavar="ID|MDP.npz|FILE.toml")
@axis("--agent", "Default: the entry's first.")
@axis(
    "--counter",
    "none, local, tree, or with corrected and tight also honaker, smooth, sqrt, blt (signed: "
    "pucb). Default: the agent's own.",
)
@axis(
    "--calibration",
    "printed (liao2021's sigma has epsilon inside its root, as its line 1), corrected, tight or "
    "tuned. Default: printed, tight for the successors.",
)
@axis("--epsilon", "Privacy parameter; default: the entry's.")
@axis("--delta", "0 for Laplace noise, > 0 for Gaussian; default: the entry's.")
@axis("--beta", "Failure probability of the widths; default: the entry's.")
@axis("--constant", "c of the calibrations printed and tuned of liao2021; default: 1.")
@axis(
    "--multiplier",
    "Of the confidence widths, not of the noise; tables have it as tight*0.03. Default: 1.",
)
@axis("--every", "Users to a plan, for agents that can wait; mostly less noise. Default: 1.")
@axis("--episodes", "Planned number; enters noise and bonuses. Default: the entry's.")
@axis("--stop-after", "End early without changing the algorithm.")
@axis("--replicates", "Independent runs of every combination. Default: 1.")
@axis("--seed", "Root of the generators; a:b is a to b - 1. Default: 0.")
@click.option(
    "--jobs",
    type=WholeNumber(),
    default=1,
    show_default=True,
    help="Worker processes; the table stays the same.",
)
@click.option(
    "--engine",
    help="loky (worker processes) or dask. Default: this process for one job, else loky.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Of a running dask scheduler, or its scheduler file (.json).",
)
@click.option(
    "--shard",
    type=Shard(),
    metavar="I/N",
    help="Only the i-th of n parts, without a table: for job arrays.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
)
@click.option("--force", is_flag=True, help="Replace a table that holds other runs.")
def run(
    identifier: str,
    jobs: int,
    engine: str | None,
    scheduler: str | None,
    shard: tuple[int, int] | None,
    out: Path,
    force: bool,
    **options: tuple[Any, ...] | None,
) -> None:
    """Run entries of the suite, or an MDP of your own; write OUT/ID.csv and its provenance as JSON.

    MDP.npz (or .toml) holds transitions, rewards, initial and, where they are the same at every
    step, horizon. Every option above --jobs takes several values (0.5,1,2), ids too; all
    combinations are run. They may stand in a TOML file, and an option given here goes before the
    file's. Finished replicates are kept in OUT/replicates: a run that was stopped, however,
    continues when it is started again. A table of other runs is replaced with --force only.
    """
    from privrl.environments import files
    from privrl.run import grids, sweep
    from privrl.run.engines import Engine
    from privrl.run.progress import Progress

    chosen = Engine(engine, jobs, scheduler)
    settings = (
        identifier.endswith(".toml") and "," not in identifier and not files.holds_mdp(identifier)
    )
    chosen_axes = {name: value for name, value in options.items() if value is not None}
    tables = [
        {**grid, **chosen_axes}
        for grid in (grids.load(Path(identifier)) if settings else [{"id": identifier}])
    ]
    total = grids.size(*tables)
    if total >= MANY:
        say(f"{total} replicates are planned before the first is played: some minutes")
    plans = grids.grid(*tables)
    for path, these in _places(plans, out).items():
        if shard is None and not force and _loses(path, these):
            refuse(f"{path} holds other runs: `--out FOLDER` keeps both, `--force` replaces it")
    progress = Progress("sweep" if len({plan.id for plan in plans}) > 1 else plans[0].id)
    try:
        rows = sweep.fill(
            plans, out / "replicates", chosen, shard=shard or (1, 1), finished=progress, warn=say
        )
    except sweep.UnfinishedError as error:
        say(f"privrl: {error}")
        sys.exit(1)
    if shard is not None:
        click.echo(
            f"shard {shard[0]}/{shard[1]}: {len(rows)} replicates in {out / 'replicates'}; "
            "the same line without --shard writes the table"
        )
        return
    for path, these in _places(plans, out).items():
        runs = sweep.assemble(these, rows)
        sweep.write(runs, path, these)
        differ = sweep.varying(these, ("delta", "planned", "beta", "constant", "every"))
        groups: dict[tuple[Any, ...], list[Run]] = {}
        for at, (plan, run_) in enumerate(zip(these, runs, strict=True)):
            label = "".join(f" {name} {values[at]}" for name, values in differ.items())
            groups.setdefault((label, str(plan.build_agent()), plan.last), []).append(run_)
        for (label, *_), same in groups.items():  # seeds together
            click.echo(f"{path}: {_said(same, label)}")
        click.echo(f"next: privrl plot {shlex.quote(str(path))}")


def _places(plans: tuple[RunPlan, ...], out: Path) -> dict[Path, list[RunPlan]]:
    """The plans of each table; a file's is called as the file, wherever that is."""
    from privrl.checks import require
    from privrl.environments import files

    ids = list(dict.fromkeys(plan.id for plan in plans))
    names = [Path(name).stem if files.is_name(name) else name for name in ids]
    require(len(set(names)) == len(ids), "the files of a sweep must differ in name", ids=ids)
    return {
        out / f"{name}.csv": [plan for plan in plans if plan.id == identifier]
        for name, identifier in zip(names, ids, strict=True)
    }


def _loses(path: Path, plans: list[RunPlan]) -> bool:
    """Whether a table holds runs that these plans would not make again, or nobody knows which."""
    from privrl.paths import regular

    if not path.exists():
        return False
    names = ("agent", "fields", "planned", "last", "seed")
    most: dict[str, int] = {}
    for plan in plans:
        settings = plan.settings(0)
        most[json.dumps([{**settings, "last": settings["stop_after"]}[name] for name in names])] = (
            plan.replicates
        )
    try:
        provenance = regular(path.with_suffix(".json"))
        facts = json.loads(provenance.read_text(encoding="utf-8"))
        return any(
            most.get(json.dumps([run[name] for name in names]), 0) < run["replicates"]
            for run in facts.get("runs", [facts])
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return True


def _said(same: list[Run], label: str) -> str:
    """What ran, with what tells it from others, its final regret, and whether it has learnt."""
    import numpy as np

    from privrl.environments import evaluate, planning, suite
    from privrl.environments.lq import LQSystem
    from privrl.run import measure

    run = dataclasses.replace(same[0], regret=np.concatenate([run_.regret for run_ in same]))
    finals = run.regret[:, -1]
    privacy = "" if math.isinf(run.epsilon) else f" epsilon {run.epsilon:g}"
    sentence = (
        f"{finals.size} x {run.agent} {run.counter} {run.calibration}{privacy}{label}, regret "
        f"{math.fsum(finals) / finals.size:.6g} after {run.episodes[-1]:,} episodes; "
    )
    world = suite.environment(run.id)
    lost = measure.reference(world, run.agent)
    if lost <= 0:
        return f"{sentence}play that learns nothing loses nothing here"
    mdp = None if isinstance(world, LQSystem) else suite.tabular(run.id)
    if mdp is not None and not measure.is_discriminating(mdp):
        share = planning.best_constant_action(mdp)[1] / evaluate.optimum(mdp)
        sentence += f"a constant action gets {share:.0%} of V* here; "
    return sentence + measure.words(measure.users(run, world))
