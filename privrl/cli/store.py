"""``privrl store``."""

import json
from pathlib import Path

import click

from privrl.cli.common import json_option, say, tell


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("out/replicates"))
@click.option("--prune", is_flag=True, help="Remove what is damaged and what killed writers have left.")
@click.option("--prune-other", is_flag=True, help="Remove also what other code or other versions have computed.")
@json_option
def store(folder: Path, prune: bool, prune_other: bool, as_json: bool) -> None:
    """List what is stored in FOLDER (default: out/replicates), a row per sweep and state."""
    from privrl.run import inventory

    kept = inventory.take(folder)
    if as_json:
        click.echo(json.dumps(kept.rows, indent=2))
    else:
        tell(f"{kept.total} replicates")
        for row in kept.rows:
            tell(f"{row['id']} {row['agent']} {row['counter']} {row['calibration']} epsilon {row['epsilon']}: "
                 f"replicates {row['replicates']}, seeds {row['seeds']}, episodes {row['last']} of {row['planned']}; "
                 f"{row['state']}", 2)
    if prune or prune_other:
        say(f"privrl: {inventory.prune(kept, other=prune_other)} files removed")
