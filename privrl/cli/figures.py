"""``privrl figures``."""

import sys
from pathlib import Path

import click

from privrl.cli.common import WholeNumber


@click.command()
@click.argument("identifiers", nargs=-1, metavar="[ID ...]")
@click.option(
    "--recompute",
    is_flag=True,
    help="Make the tables of the long runs first, and compare with ours.",
)
@click.option(
    "--profile",
    default="full",
    show_default=True,
    help="With --recompute: quick (10^5 episodes, minutes), paper (10^6) or full (whole; hours, "
    "resumable).",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/figures"),
    show_default=True,
)
@click.option("--jobs", type=WholeNumber(), default=2, show_default=True)
def figures(
    identifiers: tuple[str, ...], recompute: bool, profile: str, out: Path, jobs: int
) -> None:
    """Render figures from their tables, as PNG and, for print, as PDF.

    Exit 1 when a table that was made again differs from the committed one.
    """
    from figures import profiles, registry
    from figures.identifiers import ids
    from privrl.checks import count

    count("jobs", jobs)
    profiles.profile(profile)
    names = list(identifiers) or list(ids())
    for name in names:
        registry.figure(name)  # refuse an unknown id before anything is drawn
    wrong = False
    for name in names:
        difference = registry.recompute(name, out, jobs, profile) if recompute else None
        if difference is not None:
            wrong |= bool(difference)
            click.echo(
                f"{name} ({profile}): {difference or 'the committed table'}", err=bool(difference)
            )
        for path in registry.render(name, out, pdf=True):
            click.echo(str(path))
    sys.exit(wrong)
