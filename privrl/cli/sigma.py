"""``privrl sigma``."""

import json
from typing import Any

import click

from privrl.cli.common import WholeNumber, json_option, print_table, tell, up


@click.command(
    epilog="Example: privrl sigma private-ucbvi --counter blt --epsilon 2 --delta 1e-6 --states 50"
)
@click.argument("paper", metavar="PAPER|AGENT")
@click.option("--epsilon", type=float, help="Claimed epsilon.")
@click.option("--delta", type=float, help="Claimed delta.")
@click.option("--horizon", type=WholeNumber(), help="Steps in an episode.")
@click.option("--episodes", type=WholeNumber(), help="Number of users.")
@click.option("--states", type=WholeNumber(), help="S, or the dimension of chowdhury2021's state.")
@click.option(
    "--actions", type=WholeNumber(), help="A, or the dimension of chowdhury2021's control."
)
@click.option("--dim", "dimension", type=WholeNumber(), help="Dimension of the features.")
@click.option("--gamma", type=float, help="chowdhury2021's bound on the control.")
@click.option("--adjacency", help="replace (the papers' relation) or add-remove.")
@click.option(
    "--counter",
    help="Of an agent: local, tree, honaker, smooth, signed, sqrt, blt. Default: its paper's.",
)
@click.option(
    "--calibration", help="Of an agent: printed, corrected, tight, tuned. Default: tight."
)
@click.option(
    "--derive", is_flag=True, help="Print how the scales follow from the sensitivity, step by step."
)
@json_option
def sigma(
    paper: str,
    derive: bool,
    as_json: bool,
    counter: str | None,
    calibration: str | None,
    **options: Any,
) -> None:
    """The noise scales of a paper, or of an agent over any counter.

    A paper: what it prints, the privacy that this really gives, and the smallest that give what was
    claimed. An agent (`privrl list`): what it adds to each sum, from sizes alone. What is not given
    is as in the paper's small setting.
    """
    from privrl.checks import require
    from privrl.privacy import noise

    if paper not in noise.PAPERS:
        from privrl.agents import registry

        require(
            paper in registry.names(),
            f"paper must be one of {', '.join(noise.PAPERS)}, or an agent that `privrl list` has",
            paper=paper,
        )
        require(
            not derive and options.pop("adjacency") is None,
            "--derive and --adjacency are for a paper",
            agent=paper,
        )
        _agent(paper, counter, calibration or "tight", as_json, options)
        return
    require(
        counter is None and calibration is None,
        "--counter and --calibration are for an agent",
        paper=paper,
    )
    if derive:
        _derivation(paper, as_json)
        return
    result = noise.noise(paper, noise.setting(paper, **options))
    if as_json:
        click.echo(json.dumps(result.as_dict(), indent=2))
        return
    setting = result.setting
    settings = ", ".join(
        f"{name} {value:g}"
        for name, value in (
            ("epsilon", setting.epsilon),
            ("delta", setting.delta),
            ("horizon", setting.horizon),
            ("episodes", setting.episodes),
            ("states", setting.states),
            ("actions", setting.actions),
            ("dim", setting.dimension),
            ("gamma", setting.gamma),
        )
    )
    tell(f"{paper}: {settings}, adjacency {setting.adjacency.value}")
    print_table(
        "",
        ["noise", "law", "printed", "smallest"],
        [[row.name, row.law, f"{row.printed:.4g}", f"{row.smallest:.4g}"] for row in result.scales],
    )
    verdict = "gives" if result.factor <= 1 else "does not give"
    tell(
        f"The printed noise {verdict} what is claimed: really epsilon = {up(result.real_epsilon)} "
        f"at delta = {setting.delta:g}, claimed {setting.epsilon:g}."
    )
    tell(f"Smallest over printed: {up(result.factor)} ({result.note}).")


def _agent(
    name: str, counter: str | None, calibration: str, as_json: bool, options: dict[str, Any]
) -> None:
    """What an agent adds to each of its sums."""
    from dataclasses import asdict

    from privrl.agents import registry, sizes
    from privrl.privacy import noise
    from privrl.privacy.counters import mechanisms

    over = registry.kind(name).counter if counter is None else counter
    family = registry.family(name)
    if options["delta"] is None and family.PURE and over in mechanisms.PRIVATE:
        options["delta"] = 0.0 if "laplace" in mechanisms.laws(over) else 1e-6
    setting = noise.setting(sizes.paper(name), **options)
    agent = registry.make(
        name,
        epsilon=setting.epsilon,
        delta=setting.delta,
        beta=0.1,
        counter=over,
        calibration=calibration,
    )
    problem = sizes.problem(
        name,
        states=setting.states,
        actions=setting.actions,
        horizon=setting.horizon,
        dimension=setting.dimension,
        gamma=setting.gamma,
    )
    draws = sizes.draws(agent, problem, setting.episodes)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "agent": name,
                    "counter": agent.counter,
                    "calibration": calibration,
                    "setting": {**asdict(setting), "adjacency": "replace"},
                    "draws": [asdict(draw) for draw in draws],
                },
                indent=2,
            )
        )
        return
    settings = ", ".join(
        f"{field} {getattr(setting, field):g}"
        for field in ("epsilon", "delta", "horizon", "episodes", *family.READS)
    )
    tell(f"{name} over {agent.counter}, {calibration}: {settings}, adjacency replace")
    if not draws:
        tell("No noise, and no privacy: exact sums are released.")
        return
    print_table(
        "",
        ["noise on", "law", "a draw, over the steps", "noisiest release (sd)"],
        [
            [
                row.sums,
                row.law,
                f"{row.least:.4g}"
                if row.least == row.most
                else f"{row.least:.4g} to {row.most:.4g}",
                f"{row.released:.4g}",
            ]
            for row in draws
        ],
    )
    tell(
        {
            "printed": f"As printed: `privrl sigma {sizes.paper(name)}` has the privacy that "
            f"this really gives.",
            "tuned": "As the paper's experiment has it; what privacy this gives is not computed "
            "here.",
        }.get(
            calibration,
            f"All releases together are ({setting.epsilon:g}, {setting.delta:g})-private when "
            f"one user is "
            f"replaced{': each for the own message' if agent.counter == 'local' else ''}.",
        )
    )


def _derivation(paper: str, as_json: bool) -> None:
    """The chain from sensitivity to display, of each scale, in the symbols of the paper."""
    from theory import derive_noise

    steps = derive_noise.derive(paper)
    if as_json:
        click.echo(
            json.dumps(
                [
                    {
                        "name": row.name,
                        "steps": [[step.words, str(step.formula)] for step in row.steps],
                    }
                    for row in steps
                ],
                indent=2,
            )
        )
        return
    for row in steps:
        click.echo(f"{row.name}")
        for number, step in enumerate(row.steps, 1):
            formula = (
                f"{step.formula.lhs} = {step.formula.rhs}"
                if hasattr(step.formula, "lhs")
                else str(step.formula)
            )
            click.echo(f"  {number:>2}. {step.words}:\n        {formula}")
