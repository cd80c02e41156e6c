"""``privrl list``: what can be named."""

import json

import click

from privrl.cli.common import json_option, tell


@click.command("list")
@json_option
def names(as_json: bool) -> None:
    """Everything that other commands take by name: environments, agents, counters, calibrations,
    figures, papers."""
    from rich.columns import Columns
    from rich.console import Console

    from figures import identifiers
    from privrl.agents import registry as agents
    from privrl.environments import suite
    from privrl.privacy.counters import mechanisms
    from theory import numbering

    names_ = {
        "environments": suite.ids(),
        "agents": agents.names(),
        "counters": mechanisms.MECHANISMS,
        "calibrations": agents.AGENT_CALIBRATIONS,
        "papers": numbering.papers(),
        "figures": identifiers.ids(),
    }
    if as_json:
        click.echo(json.dumps(names_, indent=2))
        return
    usage = {
        "environments": "run ID, audit ID",
        "agents": "run ID --agent",
        "counters": "run ID --counter",
        "calibrations": "run ID --calibration",
        "figures": "figures ID",
        "papers": "check ID, sigma ID, horizon ID; check ID --recorded lists a paper's claims",
    }
    for kind, ids in names_.items():
        tell(f"{kind} (privrl {usage[kind]})")
        if kind == "counters":
            for name, counter in mechanisms.COUNTER_CLASSES.items():
                tell(f"  {name:<9}{counter.summary}")
            tell("")
            continue
        Console(highlight=False).print(Columns(ids, padding=(0, 2), column_first=True), "")
