"""``privrl store``."""

import json
from pathlib import Path

import click

from privrl.cli.common import json_option, say, tell


@click.command()
@click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), default=Path("out/replicates")
)
@click.option(
    "--prune", is_flag=True, help="Remove what is damaged and what killed writers have left."
)
@click.option(
    "--prune-other",
    is_flag=True,
    help="Remove also what other code or other versions have computed.",
)
@json_option
def store(folder: Path, prune: bool, prune_other: bool, as_json: bool) -> None:
    """List what is stored in FOLDER (default: out/replicates), a row per sweep and state."""
    from privrl.run import inventory

    inventory_ = inventory.take(folder)
    if as_json:
        click.echo(json.dumps(inventory_.rows, indent=2))
    else:
        tell(f"{inventory_.total} replicates")
        for row in inventory_.rows:
            tell(
                f"{row['id']} {row['agent']} {row['counter']} {row['calibration']} epsilon "
                f"{row['epsilon']}: replicates {row['replicates']}, seeds {row['seeds']}, "
                f"episodes {row['last']} of {row['planned']}; {row['state']}",
                2,
            )
    if prune or prune_other:
        say(f"privrl: {inventory.prune(inventory_, foreign=prune_other)} files removed")
