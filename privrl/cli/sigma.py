"""``privrl sigma``."""

from __future__ import annotations

import json
from typing import Any

import click

from privrl.cli.common import Whole, json_option, print_table, up


@click.command()
@click.argument("paper", metavar="PAPER")
@click.option("--epsilon", type=float, help="Claimed epsilon.")
@click.option("--delta", type=float, help="Claimed delta.")
@click.option("--horizon", type=Whole(), help="Steps in an episode.")
@click.option("--episodes", type=Whole(), help="Number of users.")
@click.option("--states", type=Whole(), help="S, or the dimension of chowdhury2021's state.")
@click.option("--actions", type=Whole(), help="A, or the dimension of chowdhury2021's control.")
@click.option("--dim", "dimension", type=Whole(), help="Dimension of the features.")
@click.option("--gamma", type=float, help="chowdhury2021's bound on the control.")
@click.option("--adjacency", help="replace (the papers' relation) or add-remove.")
@json_option
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
    print_table("", ["noise", "law", "printed", "smallest"],
                 [[row.name, row.law, f"{row.printed:.4g}", f"{row.smallest:.4g}"] for row in found.scales])
    verdict = "gives" if found.factor <= 1 else "does not give"
    click.echo(f"The printed noise {verdict} what is claimed: really epsilon = {up(found.real_epsilon)} at delta = "
               f"{made.delta:g}, claimed {made.epsilon:g}.")
    click.echo(f"Smallest over printed: {up(found.factor)} ({found.note}).")
