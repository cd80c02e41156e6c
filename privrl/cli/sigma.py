"""``privrl sigma``."""

import json
from typing import Any

import click

from privrl.cli.common import Whole, json_option, print_table, tell, up


@click.command(epilog="Example: privrl sigma vietri2020 --epsilon 1")
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
@click.option("--derive", is_flag=True, help="Print how the scales follow from the sensitivity, step by step.")
@json_option
def sigma(paper: str, derive: bool, as_json: bool, **given: Any) -> None:
    """The paper's noise scales, the privacy that they really give, and the smallest that give what was claimed."""
    from privrl.privacy import noise

    if derive:
        _derivation(paper, as_json)
        return
    found = noise.noise(paper, noise.setting(paper, **given))
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2))
        return
    made = found.setting
    shown = ", ".join(f"{name} {value:g}" for name, value in (
        ("epsilon", made.epsilon), ("delta", made.delta), ("horizon", made.horizon), ("episodes", made.episodes),
        ("states", made.states), ("actions", made.actions), ("dim", made.dimension), ("gamma", made.gamma)))
    tell(f"{paper}: {shown}, adjacency {made.adjacency.value}")
    print_table("", ["noise", "law", "printed", "smallest"],
                 [[row.name, row.law, f"{row.printed:.4g}", f"{row.smallest:.4g}"] for row in found.scales])
    verdict = "gives" if found.factor <= 1 else "does not give"
    tell(f"The printed noise {verdict} what is claimed: really epsilon = {up(found.real_epsilon)} at delta = "
         f"{made.delta:g}, claimed {made.epsilon:g}.")
    tell(f"Smallest over printed: {up(found.factor)} ({found.note}).")


def _derivation(paper: str, as_json: bool) -> None:
    """The chain from sensitivity to display, of each scale, in the symbols of the paper."""
    from theory import noise_scales

    made = noise_scales.derive(paper)
    if as_json:
        click.echo(json.dumps([{"name": row.name, "steps": [[step.words, str(step.formula)] for step in row.steps]}
                               for row in made], indent=2))
        return
    for row in made:
        click.echo(f"{row.name}")
        for number, step in enumerate(row.steps, 1):
            formula = f"{step.formula.lhs} = {step.formula.rhs}" if hasattr(step.formula, "lhs") else str(step.formula)
            click.echo(f"  {number:>2}. {step.words}:\n        {formula}")
