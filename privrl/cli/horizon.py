"""``privrl horizon``."""

import json
from typing import Any

import click

from privrl.cli.common import WholeNumber, json_option, print_table, tell, working


@click.command(epilog="Example: privrl horizon vietri2020 --epsilon 1")
@click.argument("paper", metavar="PAPER")
@click.option("--epsilon", type=float, help="Claimed epsilon.")
@click.option("--delta", type=float, help="vietri2020: 0 (the default), or > 0 for Gaussian noise.")
@click.option("--states", type=WholeNumber(), help="S, or the dimension of chowdhury2021's state.")
@click.option(
    "--actions", type=WholeNumber(), help="A, or the dimension of chowdhury2021's control."
)
@click.option("--horizon", "horizon", type=WholeNumber(), help="Steps in an episode.")
@click.option("--dim", type=WholeNumber(), help="Dimension of the features.")
@click.option("--gamma", type=float, help="chowdhury2021's bound on the control.")
@click.option(
    "--beta", type=float, help="Failure probability of the confidence widths. Default: 0.1."
)
@json_option
def horizon(paper: str, as_json: bool, **options: Any) -> None:
    """How many users before a plan can say anything, and before the regret bound is below the
    trivial one.

    A row per agent, counter and calibration. vietri2020 has the successors of PUCB too; their
    bonuses are this repository's own, as the constants of their papers were not recovered. What is
    not given is as for ``privrl sigma``.
    """
    from theory import horizons

    setting = horizons.setting(paper, **options)
    with working(f"solving for the users of {paper}"):
        result = horizons.horizons(paper, setting)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "paper": paper,
                    "setting": result.setting,
                    "start": result.means,
                    "rows": [vars(row) for row in result.rows],
                    "note": result.note,
                },
                indent=2,
            )
        )
        return
    tell(f"{paper}: " + ", ".join(f"{name} {value:g}" for name, value in result.setting.items()))
    print_table(
        "",
        ["agent", "counter", "calibration", result.means, "bound below trivial from episode"],
        [
            [
                row.agent,
                row.counter,
                row.calibration,
                *(
                    "-" if value is None else f"{value:.3g}"
                    for value in (row.start, row.below_trivial)
                ),
            ]
            for row in result.rows
        ],
    )
    tell(result.note[0].upper() + result.note[1:])
