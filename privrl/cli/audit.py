"""``privrl audit``: a lower bound on epsilon from an attack, beside the exact one."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from privrl.cli.common import WholeNumber, json_option, tell, working

if TYPE_CHECKING:
    from privrl.privacy.audit.entries import Audit


@click.command(epilog="Example: privrl audit vietri2020/chain-3 --trials 1e5")
@click.argument("identifier", metavar="ID")
@click.option(
    "--agent", help="Attack this agent through its later policies, in place of the counter alone."
)
@click.option(
    "--counter", help="local, tree, honaker, smooth, sqrt or blt. Default: the paper's own."
)
@click.option(
    "--calibration",
    help="printed, corrected or tight. Default: printed; of an agent without it, its own.",
)
@click.option("--epsilon", type=float, help="Privacy parameter; default: the entry's.")
@click.option(
    "--delta", type=float, help="0 for Laplace noise, > 0 for Gaussian; default: the entry's."
)
@click.option(
    "--releases", type=WholeNumber(), default=7, show_default=True, help="Releases of the counter."
)
@click.option(
    "--user", type=WholeNumber(), default=1, show_default=True, help="Which user is replaced."
)
@click.option(
    "--trials", type=WholeNumber(), help="Runs of each world. Default: 200000; 2000 of an agent."
)
@click.option(
    "--alpha",
    type=float,
    default=1e-3,
    show_default=True,
    help="Probability with which the bounds may be wrong.",
)
@click.option(
    "--seed", type=WholeNumber(), default=0, show_default=True, help="Root of the generators."
)
@click.option(
    "--fault", help="Plant half-scale, shared, redrawn, reused, missing-level or removal."
)
@json_option
def audit(identifier: str, agent: str | None, as_json: bool, **options: Any) -> None:
    """Attack the privacy of an entry: a lower confidence bound on epsilon beside the exact one.

    Two worlds differ in one user; the attacker sees all releases (or, with --agent, the policies of
    later users). Exit 1 when the bound exceeds the exact epsilon of the attacked users (the noise
    is not what it is said to be), or the epsilon that is claimed (the guarantee does not hold);
    else 0.
    """
    from privrl.agents import audit as audit_agents
    from privrl.privacy.audit import entries as counters

    settings = {name: value for name, value in options.items() if value is not None}
    with working(f"attacking {identifier}"):
        result: Audit = (
            counters.audit(identifier, **settings)
            if agent is None
            else audit_agents.audit_agent(identifier, agent=agent, **settings)
        )
    if as_json:
        click.echo(json.dumps(result.as_dict(), indent=2))
    else:
        for line in _lines(result):
            tell(line)
    if result.refuted or result.broken:
        sys.exit(1)


def _lines(result: Audit) -> list[str]:
    planted = f", planted: {result.fault}" if result.fault else ""
    lines = [
        (
            f"{result.id}: {result.what}, counter {result.counter}, calibration "
            f"{result.calibration}, releases {result.releases}, user {result.user}{planted}"
        ),
        (
            f"claimed: epsilon {result.claimed:.6g} at delta {result.delta:g}; {result.trials} "
            f"trials of each world, bounds wrong with probability at most {result.alpha:g}"
        ),
    ]
    exact = max(attack.exact for attack in result.attacks.values())
    lower = max(attack.lower for attack in result.attacks.values())
    for name, attack in result.attacks.items():
        how = attack.events[-1 if attack.curve > attack.rates else 0].statistic
        lines.append(
            f"pair {name}: exact {attack.exact:.6g}, lower bound {attack.lower:.6g} "
            f"(rates {attack.rates:.6g}, Gaussian curve {attack.curve:.6g}), by {how}"
        )
    if result.refuted:
        return [*lines, "refuted: the noise is not what it is said to be"]
    if result.broken:
        return [*lines, "refuted: the guarantee does not hold"]
    lines.append(
        f"not refuted: the attack shows that epsilon is at least {lower:.3g}, and "
        f"{result.claimed:.3g} is "
        "claimed. An attack bounds epsilon from below only: that one finds less proves nothing."
    )
    if exact <= result.claimed:
        return [
            *lines,
            (
                f"What the counters release has the exact epsilon {exact:.3g} for these users: as "
                f"claimed."
            ),
        ]
    return [
        *lines,
        f"Yet what the counters release has the exact epsilon {exact:.3g} for these users, "
        f"{exact / result.claimed:.3g} times what is claimed: its guarantee does not hold, though "
        f"this attack is "
        "too weak to show it."
        + ("" if result.what == "counter" else " What the agent plays may lose less."),
    ]
