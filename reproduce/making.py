"""Everything that is derived is made again and compared with what is committed; ``--update`` alone
rewrites it.

Each :class:`Artefact` makes its files in a scratch folder under the paths that they have in the
repository, so that comparing and rewriting are the same for all: notebooks, figures, ledger,
README.

    python -m reproduce             compare; exit 1 when anything differs
    python -m reproduce --update    write what was made over what is committed
    python -m reproduce --profile PROFILE  make the long runs again too, see figures.profiles
    python -m reproduce --profile headlines  the findings with other seeds, see reproduce.headlines
"""

import hashlib
import importlib
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from reproduce import environment
from theory.compare import difference as compare_texts

UNTOUCHED = "committed files untouched"
ROOT = Path(__file__).resolve().parent.parent
DERIVED: Mapping[str, Mapping[str, str]] = {  # by document: section, what makes it
    "README.md": {
        "findings": "reproduce.front:findings",
        "papers": "reproduce.front:papers",
    },
    "docs/found.md": {
        "sentences": "reproduce.found:sentences",
        "noise": "reproduce.front:printed_noise",
        "ledger": "theory.ledger:summary_markdown",
        "found": "reproduce.found:markdown",
    },
    "docs/advice.md": {
        "advice": "figures.users:markdown",
        "tuned": "figures.across.tuned_users:markdown",
        "commands": "figures.users:commands",
        "cheapest": "figures.across.cheapest_users:markdown",
        "between": "figures.between_users:markdown",
        "between-commands": "figures.between_users:commands",
    },
    "docs/tuned.md": {
        "instances": "figures.instances:markdown",
        "instances-left-out": "figures.replicates:instances_left_out_words",
    },
    "docs/noise-explores.md": {
        "noise": "figures.across.noise_explores:markdown",
        "widths": "figures.across.noise_explores:widths_markdown",
        "law": "figures.across.noise_explores:law_markdown",
    },
    "docs/gap.md": {
        "gap": "reproduce.worst:markdown",
        "secret-arms": "reproduce.open_questions:secret_arms",
    },
    "docs/open.md": {
        "open": "reproduce.open_questions:markdown",
        "smallest-t": "reproduce.open_questions:smallest_t",
    },
    "docs/your-problem.md": {"tried": "figures.tried_answers:markdown"},
    "docs/trust.md": {"between": "figures.between_users:markdown"},
    "docs/measure.md": {
        "left-out": "figures.replicates:left_out_words",
        "replicates": "figures.replicates:markdown",
        "exponents": "figures.exponents:markdown",
    },
    "docs/speed.md": {
        "bench": "figures.benchmarks:summary_markdown",
        "lq": "figures.lq_parts:paragraph",
        "sessions": "figures.benchmarks:sessions_markdown",
        "widest": "figures.benchmarks:widest_markdown",
    },
}
_OPEN = re.compile(r"<!-- derived: (?P<name>[\w-]+) -->")

Failures = dict[str, str]  # file, what stopped it from being made


@dataclass(frozen=True)
class Artefact:
    """A family of derived files.

    Parameters
    ----------
    name : what ``--only`` calls it
    kinds : suffix of a file -> what the table calls files of that kind
    folder : where the files stand, from the root
    pattern : regular expression that the path below the folder of every such file, and of no other,
        matches
    produce : (root, scratch) -> failures; writes ``scratch/folder/name`` for every file that it can
        make
    differ : (committed, made) -> a sentence, empty when the two agree
    """

    name: str
    kinds: Mapping[str, str]
    folder: str
    pattern: str
    produce: Callable[[Path, Path], Failures]
    differ: Callable[[Path, Path], str]

    def files(self, root: Path) -> set[str]:
        """The family's files below ``root``, as paths from it."""
        folder = Path(root, self.folder)
        paths = [*folder.glob("*"), *folder.glob("*/*")] if folder.is_dir() else []
        return {
            path.relative_to(root).as_posix()
            for path in paths
            if re.fullmatch(self.pattern, path.relative_to(folder).as_posix())
        }


@dataclass(frozen=True)
class ComparedFile:
    """One compared file; ``difference`` is empty when it agrees."""

    kind: str
    file: str
    difference: str = ""


def text_difference(committed: Path, fresh: Path) -> str:
    """The first line in which two text files differ; the columns of a CSV have a scale each."""
    before, now = (path.read_text(encoding="utf-8") for path in (committed, fresh))
    return compare_texts(before, now, table=fresh.suffix == ".csv")


def figure_difference(committed: Path, fresh: Path) -> str:
    """CSV as text and numbers; PNG by size and by the text written into it.

    The pixels are left out on purpose: they change with the version of matplotlib, and the CSV
    stands for them.
    """
    if fresh.suffix == ".csv":
        return text_difference(committed, fresh)
    before, now = _png_facts(committed), _png_facts(fresh)
    return "" if before == now else f"committed {before}, made {now}"


def _png_facts(path: Path) -> dict[str, object]:
    from PIL import Image

    with Image.open(path) as image:
        image.load()
        written = {
            str(key): value for key, value in sorted(image.info.items()) if isinstance(value, str)
        }
        return {
            "size": image.size,
            **{key: value for key, value in written.items() if key != "Software"},
        }


def notebook_difference(committed: Path, fresh: Path) -> str:
    """Sources first (the made one comes from the .py), then every output."""
    from reproduce import notebooks

    before, now = notebooks.read(committed), notebooks.read(fresh)
    difference = notebooks.source_difference(now, before)
    if difference:
        return f"the .py and the .ipynb disagree: {difference}"
    return notebooks.output_difference(before, now)


def produce(path: str, folder: str, root: Path, scratch: Path) -> Failures:
    """Let ``module:function`` write everything into the folder that it is given."""
    (scratch / folder).mkdir(parents=True, exist_ok=True)
    function(path)(scratch / folder)
    return {}


def produce_readme(root: Path, scratch: Path) -> Failures:
    """README.md and the pages of docs/ with every derived section made again."""
    for document in DERIVED:
        target = scratch / document
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(refreshed(root, document), "utf-8")
    return {}


def refreshed(root: Path, document: str) -> str:
    """The text of one document of ``DERIVED``, its derived sections made again."""
    makers = {name: function(path) for name, path in DERIVED[document].items()}
    return refresh((root / document).read_text(encoding="utf-8"), makers, document)


def produce_notebooks(root: Path, scratch: Path) -> Failures:
    """Execute every ``notebooks/NN_name.py``, two at a time; one that stops does not keep the
    others from running."""
    from reproduce import notebooks

    failures: Failures = {}

    def run(source: Path) -> None:
        name = f"notebooks/{source.stem}.ipynb"
        try:
            notebooks.write(notebooks.execute(source), scratch / name)
        except Exception as error:
            failures[name] = str(error) or type(error).__name__

    sources = [source for source, _ in notebooks.pairs(root / "notebooks") if source.exists()]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, sources))
    return failures


def function(path: str) -> Callable[..., Any]:
    """The function ``module:function``, whose module is imported now and not with this one."""
    module, name = path.split(":")
    return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]


def refresh(text: str, makers: Mapping[str, Callable[[], str]], document: str = "README.md") -> str:
    """``text`` with what stands between ``<!-- derived: NAME -->`` and ``<!-- end: NAME -->`` made
    again.

    Raises
    ------
    ValueError
        A section that is never closed, that nothing makes, or a maker without its section.
    """
    done: list[str] = []
    pieces: list[str] = []
    position = 0
    while match := _OPEN.search(text, position):
        name = match["name"]
        end = text.find(f"<!-- end: {name} -->", match.end())
        if end < 0:
            raise ValueError(f"a derived section must be closed, got name={name!r}")
        if name not in makers:
            raise ValueError(
                f"a derived section must be one of {', '.join(makers)}, got name={name!r}"
            )
        pieces += [text[position : match.end()], "\n", makers[name]().strip("\n"), "\n"]
        done.append(name)
        position = end
    if missing := [name for name in makers if name not in done]:
        raise ValueError(
            f"{document} must have every derived section, got none for name={missing[0]!r}"
        )
    return "".join(pieces) + text[position:]


ARTEFACTS = (
    # the README and the notebooks may show the ledger and the figures, so these two come first
    Artefact(
        "ledger",
        {".md": "ledger", ".json": "ledger"},
        "theory",
        r"LEDGER\.md|ledger\.json|ledger/[^/]+\.md",
        partial(produce, "theory.ledger_files:write", "theory"),
        text_difference,
    ),
    Artefact(
        "figures",
        {".csv": "figure data", ".png": "figure rendering"},
        "figures",
        r"(data|rendered)/[^/]+\.(csv|png)",
        partial(produce, "figures.registry:render_all", "figures"),
        figure_difference,
    ),
    Artefact(
        "readme",
        {".md": "sections of README and docs"},
        "",
        "|".join(re.escape(document) for document in DERIVED),
        produce_readme,
        text_difference,
    ),
    Artefact(
        "notebooks",
        {".ipynb": "notebook outputs"},
        "notebooks",
        r"[^/]+\.ipynb",
        produce_notebooks,
        notebook_difference,
    ),
)


def make(artefact: Artefact, root: Path, scratch: Path) -> Failures:
    """Run the producer; an exception becomes the failure of the family as a whole."""
    try:
        return artefact.produce(root, scratch)
    except Exception as error:
        last = "".join(traceback.format_exception(error)[-3:]).strip()
        return {f"{artefact.folder or '.'}/": f"{type(error).__name__}: {error}\n{last}"}


def compare(
    artefact: Artefact, root: Path, scratch: Path, failures: Failures
) -> list[ComparedFile]:
    """One row per file that is committed, that was made, or that could not be made."""
    first = next(iter(artefact.kinds.values()))
    committed, fresh = artefact.files(root), artefact.files(scratch)
    rows = [
        ComparedFile(
            artefact.kinds.get(Path(file).suffix, first), file, f"could not be made: {why}"
        )
        for file, why in sorted(failures.items())
    ]
    if any(file.endswith("/") for file in failures):
        return rows  # nothing was made, so nothing can be said of any file
    for file in sorted((committed | fresh) - set(failures)):
        if file not in fresh:
            difference = "committed, but nothing makes it"
        elif file not in committed:
            difference = "made, but not committed"
        else:
            try:
                difference = artefact.differ(root / file, scratch / file)
            except Exception as error:  # a damaged file is a difference, not an end
                difference = f"cannot be compared: {type(error).__name__}: {error}"
        rows.append(ComparedFile(artefact.kinds.get(Path(file).suffix, first), file, difference))
    kinds = {row.kind for row in rows}
    empty = [kind for kind in dict.fromkeys(artefact.kinds.values()) if kind not in kinds]
    return rows + [
        ComparedFile(kind, f"{artefact.folder or '.'}/", "nothing is committed, nothing was made")
        for kind in empty
    ]


def rewrite(artefact: Artefact, root: Path, scratch: Path) -> list[str]:
    """Copy what was made over what is committed; the files whose bytes changed."""
    changed = []
    for file in sorted(artefact.files(scratch)):
        target, content = root / file, (scratch / file).read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            changed.append(file)
    return changed


def fingerprint(artefacts: Iterable[Artefact], root: Path) -> dict[str, str]:
    """SHA-256 of every committed derived file: equal before and after a comparison, which never
    writes."""
    files = sorted(file for artefact in artefacts for file in artefact.files(root))
    return {file: hashlib.sha256((root / file).read_bytes()).hexdigest() for file in files}


def reproduce(
    artefacts: Iterable[Artefact],
    root: Path,
    *,
    update: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> list[ComparedFile]:
    """Make every artefact in a scratch folder, then compare; with ``update`` rewrite before
    comparing."""
    artefacts = tuple(artefacts)
    before = fingerprint(artefacts, root)
    rows: list[ComparedFile] = []
    with tempfile.TemporaryDirectory(prefix="privrl-reproduce-") as name:
        for artefact in artefacts:
            say(f"making: {artefact.name}")
            scratch = Path(name, artefact.name)
            scratch.mkdir()
            failures = make(artefact, root, scratch)
            if update:
                for file in rewrite(artefact, root, scratch):
                    say(f"  rewritten: {file}")
            rows += compare(artefact, root, scratch, failures)
    if not update:
        after = fingerprint(artefacts, root)
        touched = sorted(
            file for file in before.keys() | after.keys() if before.get(file) != after.get(file)
        )
        rows += [
            ComparedFile(UNTOUCHED, file, "changed while it was being compared") for file in touched
        ]
        rows += [ComparedFile(UNTOUCHED, file) for file in before if file not in touched]
    return rows


def long_runs(
    profile: str, folder: Path, say: Callable[[str], None] = lambda line: None
) -> list[ComparedFile]:
    """The tables of the long runs made again under a profile, in a folder that is kept: stopped, it
    continues there."""
    registry = importlib.import_module("figures.registry")
    identifiers = importlib.import_module("figures.identifiers")
    rows = []
    for name in identifiers.ids():
        try:
            difference = registry.recompute(name, folder, 2, profile)
        except Exception as error:
            difference = f"could not be made: {type(error).__name__}: {error}"
        if difference is not None:
            say(f"  {name}: {difference or 'agrees'}")
            rows.append(
                ComparedFile(f"long runs, {profile}", f"figures/data/runs/{name}.csv", difference)
            )
    return rows


def other_seeds(
    root: Path,
    folder: Path,
    *,
    update: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> list[ComparedFile]:
    """The findings measured again with other seeds; with ``update`` the table of that is written
    first."""
    headlines = importlib.import_module("reproduce.headlines")
    rows = headlines.table(folder, say)
    if update:
        headlines.write(rows, root)
    kind, file = "findings with other seeds", headlines.TABLE.as_posix()
    wrong = [*headlines.outside(rows), *headlines.changed(rows, headlines.read(root))]
    return [ComparedFile(kind, file, difference) for difference in wrong or [""]]


def show(rows: list[ComparedFile]) -> None:
    """The table of what agreed, then every difference."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(
        "what",
        "compared",
        "agree",
        "outcome",
        title="made again, and compared with what is committed",
    )
    for kind in dict.fromkeys(row.kind for row in rows):
        group = [row for row in rows if row.kind == kind]
        agreed = sum(not row.difference for row in group)
        outcome = Text("agrees", "green") if agreed == len(group) else Text("DIFFERS", "bold red")
        table.add_row(kind, str(len(group)), str(agreed), outcome)
    for row in rows:
        if row.difference:
            console.print(Text.assemble((row.file, "bold"), f": {row.difference}"), soft_wrap=True)
    console.print(table)


@click.command()
@click.option("--update", is_flag=True, help="Write what was made over what is committed.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([family.name for family in ARTEFACTS]),
    help="A part of it.",
)
@click.option(
    "--profile",
    type=click.Choice(["quick", "paper", "full", "headlines"]),
    help="Make the long runs again, so long; headlines: the findings alone, with other seeds.",
)
def main(update: bool, only: tuple[str, ...], profile: str | None) -> None:
    """Make notebooks, figures, ledger and README again and compare them with what is committed."""
    environment.settle()
    environment.warm()
    if profile == "headlines":
        rows = other_seeds(ROOT, ROOT / ".cache" / "headlines", update=update, say=click.echo)
        show(rows)
        sys.exit(any(row.difference for row in rows))
    chosen = [artefact for artefact in ARTEFACTS if not only or artefact.name in only]
    rows = reproduce(chosen, ROOT, update=update, say=click.echo)
    if profile:
        click.echo(f"making: long runs, {profile}")
        rows += long_runs(profile, ROOT / ".cache" / "reproduce", click.echo)
    show(rows)
    sys.exit(any(row.difference for row in rows))
