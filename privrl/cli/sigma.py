"""``privrl sigma``."""

import json
from typing import Any

import click

from privrl.cli.common import Whole, json_option, print_table, tell, up


@click.command(epilog="Example: privrl sigma private-ucbvi --counter blt --epsilon 2 --delta 1e-6 --states 50")
@click.argument("paper", metavar="PAPER|AGENT")
@click.option("--epsilon", type=float, help="Claimed epsilon.")
@click.option("--delta", type=float, help="Claimed delta.")
@click.option("--horizon", type=Whole(), help="Steps in an episode.")
@click.option("--episodes", type=Whole(), help="Number of users.")
@click.option("--states", type=Whole(), help="S, or the dimension of chowdhury2021's state.")
@click.option("--actions", type=Whole(), help="A, or the dimension of chowdhury2021's control.")
@click.option("--dim", "dimension", type=Whole(), help="Dimension of the features.")
@click.option("--gamma", type=float, help="chowdhury2021's bound on the control.")
@click.option("--adjacency", help="replace (the papers' relation) or add-remove.")
@click.option("--counter", help="Of an agent: local, tree, honaker, smooth, signed, sqrt, blt. Default: its paper's.")
@click.option("--calibration", help="Of an agent: printed, corrected, tight, tuned. Default: tight.")
@click.option("--derive", is_flag=True, help="Print how the scales follow from the sensitivity, step by step.")
@json_option
def sigma(paper: str, derive: bool, as_json: bool, counter: str | None, calibration: str | None, **given: Any) -> None:
    """The noise scales of a paper, or of an agent over any counter.

    A paper: what it prints, the privacy that this really gives, and the smallest that give what was claimed. An agent
    (`privrl list`): what it adds to each sum, from sizes alone. What is not given is as in the paper's small setting.
    """
    from privrl.privacy import noise
    from privrl.types import require

    if paper not in noise.PAPERS:
        from privrl.agents import registry

        require(paper in registry.names(), f"paper must be one of {', '.join(noise.PAPERS)}, or an agent that `privrl "
                "list` has", paper=paper)
        require(not derive and given.pop("adjacency") is None, "--derive and --adjacency are for a paper", agent=paper)
        _agent(paper, counter, calibration or "tight", as_json, given)
        return
    require(counter is None and calibration is None, "--counter and --calibration are for an agent", paper=paper)
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


def _agent(name: str, counter: str | None, calibration: str, as_json: bool, given: dict[str, Any]) -> None:
    """What an agent adds to each of its sums."""
    from dataclasses import asdict

    from privrl.agents import registry, sizes
    from privrl.privacy import noise
    from privrl.privacy.counters import mechanisms

    over = registry.kind(name).counter if counter is None else counter
    kind = sizes.family(name)
    if given["delta"] is None and kind == "tabular" and over in mechanisms.PRIVATE:
        given["delta"] = 0.0 if "laplace" in mechanisms.laws(over) else 1e-6
    made = noise.setting(sizes.paper(name), **given)
    agent = registry.make(name, epsilon=made.epsilon, delta=made.delta, beta=0.1, counter=over, calibration=calibration)
    problem = sizes.problem(name, states=made.states, actions=made.actions, horizon=made.horizon,
                            dimension=made.dimension, gamma=made.gamma)
    found = sizes.draws(agent, problem, made.episodes)
    if as_json:
        click.echo(json.dumps({"agent": name, "counter": agent.counter, "calibration": calibration, "setting":
                               {**asdict(made), "adjacency": "replace"}, "draws": [asdict(one) for one in found]},
                              indent=2))
        return
    read = {"tabular": ("states", "actions"), "linear": ("dimension",), "lq": ("states", "actions", "gamma")}[kind]
    shown = ", ".join(f"{one} {getattr(made, one):g}" for one in ("epsilon", "delta", "horizon", "episodes", *read))
    tell(f"{name} over {agent.counter}, {calibration}: {shown}, adjacency replace")
    if not found:
        tell("No noise, and no privacy: exact sums are released.")
        return
    print_table("", ["noise on", "law", "a draw, over the steps", "noisiest release (sd)"],
                [[row.sums, row.law, f"{row.least:.4g}" if row.least == row.most else f"{row.least:.4g} to "
                  f"{row.most:.4g}", f"{row.released:.4g}"] for row in found])
    tell({"printed": f"As printed: `privrl sigma {sizes.paper(name)}` has the privacy that this really gives.",
          "tuned": "As the paper's experiment has it; what privacy this gives is not computed here.",
          }.get(calibration, f"All releases together are ({made.epsilon:g}, {made.delta:g})-private when one user is "
                f"replaced{': each for the own message' if agent.counter == 'local' else ''}."))


def _derivation(paper: str, as_json: bool) -> None:
    """The chain from sensitivity to display, of each scale, in the symbols of the paper."""
    from theory import derive_noise

    made = derive_noise.derive(paper)
    if as_json:
        click.echo(json.dumps([{"name": row.name, "steps": [[step.words, str(step.formula)] for step in row.steps]}
                               for row in made], indent=2))
        return
    for row in made:
        click.echo(f"{row.name}")
        for number, step in enumerate(row.steps, 1):
            formula = f"{step.formula.lhs} = {step.formula.rhs}" if hasattr(step.formula, "lhs") else str(step.formula)
            click.echo(f"  {number:>2}. {step.words}:\n        {formula}")
