"""Theorems that Coq's kernel checks: ``theory/proofs/*.v``; ``checked.json`` has the outcome.

A record of the ledger names its theorem by a :class:`Formal`; the formal statement is cut out of
the file. Where Coq and the libraries are installed, :func:`compile_all` compiles every file from
nothing in a scratch folder, prints the axioms of every theorem, and the outcome must be what is
committed: ``make proofs``. Where they are not, the hashes of sources and statements must be those
that were committed with the outcome: "checked elsewhere". A record says the same in both cases,
and the ledger has the same bytes.

``python -m theory.rigor.kernel`` compares, ``--write`` commits the outcome of what is not in step
(Coq is needed), ``--table`` writes the table of docs/proofs.md from the recorded ledger.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "proofs"
CHECKED = FOLDER / "checked.json"
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proofs.md"
LEDGER = ROOT / "theory" / "ledger.json"  # theory.ledger imports the checks, and they this module
OPEN, CLOSE = "<!-- derived: proofs -->", "<!-- end: proofs -->"
LONGEST = 500  # seconds for one file on a busy machine; most take a few
WORKERS = 2

# the standard library's reals are built from these, and its lemmas on limits use classical logic
CLASSICAL = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}

_THEOREM = re.compile(r"^Theorem\s+([\w']+)\s*(.*?)\.\s*^Proof", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^Require Import ([\w\s]+)\.", re.MULTILINE)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


@dataclass(frozen=True)
class Formal:
    """Which theorem decides a record."""

    file: str  #: in theory/proofs, without .v
    theorem: str
    mutant: str  #: a theorem of the same file: a neighbour refuted, or one that holds
    altered: tuple[str, str]  #: words of the statement, and what makes of it something false
    also: tuple[str, ...] = ()  #: further theorems of the file that the record's statement needs

    def as_dict(self) -> dict[str, Any]:
        """What a record shows; computed from files that must be in step with ``checked.json``.

        Raises
        ------
        ValueError
            A theorem that is not in the file, or a file that is not in step.
        """
        in_step(self.file)
        theorems = statements(source(self.file))
        own = (self.theorem, *self.also)
        for name in (*own, self.mutant):
            if name not in theorems:
                raise ValueError(f"a theorem must stand in its file, got {self.file}.v: {name}")
        if self.altered[0] not in theorems[self.theorem]:
            raise ValueError(f"the statement must have the words, got altered={self.altered!r}")
        return {
            "file": f"theory/proofs/{self.file}.v",
            "theorem": self.theorem,
            "statement": "\n\n".join(f"Theorem {name} {theorems[name]}." for name in own),
            "mutant": f"Theorem {self.mutant} {theorems[self.mutant]}.",
            "axioms": _committed()[self.file]["axioms"],
            "altered": list(self.altered),
        }


def files() -> list[str]:
    """The names of all proof files, without .v."""
    return sorted(path.stem for path in FOLDER.glob("*.v"))


def source(name: str, folder: Path = FOLDER) -> str:
    """The text of a proof file."""
    try:
        return (folder / f"{name}.v").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValueError(f"a proof must stand in theory/proofs, got {name}.v") from None


def statements(text: str) -> dict[str, str]:
    """The statement of every theorem of a file, from its binders or colon on, no full stop; the
    lines of comments are left out."""
    bare = re.sub(r"\n\s*\n", "\n", _COMMENT.sub("", text))
    return {name: words.strip() for name, words in _THEOREM.findall(bare)}


def argument(text: str) -> str:
    """The informal argument: the comment with which a file begins."""
    match = _COMMENT.match(text)
    lines = match[0][2:-2].strip().splitlines() if match else []
    return "\n".join(line.strip() for line in lines)


def foreign(axioms: Iterable[str]) -> list[str]:
    """The axioms that no proof may rest on."""
    return sorted(set(axioms) - CLASSICAL)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _committed() -> dict[str, Any]:
    return dict(json.loads(CHECKED.read_text(encoding="utf-8"))) if CHECKED.is_file() else {}


def needs(text: str, known: Iterable[str]) -> list[str]:
    """The files of this folder that a file imports."""
    words = {word for line in _IMPORT.findall(_COMMENT.sub("", text)) for word in line.split()}
    return sorted(words & set(known))


def in_step(name: str) -> None:
    """Source, statements and imported files must be those whose outcome is committed.

    Raises
    ------
    ValueError
        They are not.
    """
    for each in (name, *needs(source(name), files())):
        kept = _committed().get(each)
        if kept is None or kept["sha256"] != _hash(source(each)):
            raise ValueError(f"checked.json must be in step with the proofs, got {each}.v")
    kept = _committed()[name]
    if {key: _hash(text) for key, text in statements(source(name)).items()} != kept["theorems"]:
        raise ValueError(f"checked.json must be in step with the statements, got {name}.v")
    if wrong := foreign(kept["axioms"]):
        raise ValueError(f"a proof must rest on the reals' axioms, got {name}.v: {wrong}")


def _is_in_step(name: str) -> bool:
    try:
        in_step(name)
    except ValueError:
        return False
    return True


def prover() -> str:
    """The compiler's path, or "" where there is no Coq with the libraries that are imported."""
    found = shutil.which("coqc")
    return found if found and _libraries(found) else ""


@cache
def _libraries(compiler: str) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "libraries.v"
        path.write_text(
            "From Interval Require Import Tactic.\nFrom Coquelicot Require Import Hierarchy.\n"
        )
        return _coqc(compiler, path).returncode == 0


def _coqc(compiler: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = [compiler, "-q", "-R", ".", "", path.name]
    return subprocess.run(
        command, cwd=path.parent, capture_output=True, text=True, timeout=LONGEST, check=False
    )


def compiles(name: str, text: str, compiler: str, folder: Path) -> str:
    """Compile a text as the file ``name`` in a folder that has its imports: "" or the error."""
    path = folder / f"{name}.v"
    path.write_text(text, encoding="utf-8", newline="\n")
    result = _coqc(compiler, path)
    return "" if result.returncode == 0 else result.stderr.strip() or "coqc failed"


def prepare(names: Sequence[str], compiler: str, folder: Path) -> None:
    """Compile what the named files import, from nothing.

    Raises
    ------
    ValueError
        An imported file does not compile.
    """
    known = files()
    ready: set[str] = set()

    def visit(name: str) -> None:
        for each in needs(source(name), known):
            if each not in ready:
                visit(each)
                if error := compiles(each, source(each), compiler, folder):
                    raise ValueError(f"a proof must compile, got {each}.v: {error}")
                ready.add(each)

    for name in names:
        visit(name)


def axioms(name: str, compiler: str, folder: Path) -> list[str]:
    """What the theorems of a compiled file rest on together, as Coq prints it."""
    together = ", ".join(f"@{name}.{theorem}" for theorem in statements(source(name)))
    if not together:
        return []
    path = folder / f"{name}_axioms.v"
    asked = f"Require {name}.\nDefinition together := ({together}).\nPrint Assumptions together.\n"
    path.write_text(asked, encoding="utf-8", newline="\n")
    result = _coqc(compiler, path)
    if result.returncode:
        raise ValueError(f"the axioms must be printed, got {name}.v: {result.stderr.strip()}")
    found = re.findall(r"^([A-Za-z][\w.']*)\s*(?=:|$)", result.stdout, re.MULTILINE)
    return sorted(set(found) - {"Axioms"})


def outcome(name: str, compiler: str, folder: Path) -> dict[str, Any]:
    """The entry of a file in ``checked.json``, from a compilation in ``folder``.

    Raises
    ------
    ValueError
        It does not compile, leaves a proof out, or rests on a foreign axiom.
    """
    text = source(name)
    imported = (folder / f"{name}.vo").is_file()  # compiled before what imports it
    if not imported and (error := compiles(name, text, compiler, folder)):
        raise ValueError(f"a proof must compile, got {name}.v: {error}")
    rests = axioms(name, compiler, folder)
    if wrong := foreign(rests):
        raise ValueError(f"a proof must rest on the reals' axioms, got {name}.v: {wrong}")
    hashes = {theorem: _hash(words) for theorem, words in statements(text).items()}
    return {"sha256": _hash(text), "axioms": rests, "theorems": hashes}


def compile_all(names: Sequence[str] | None = None) -> dict[str, Any]:
    """Compile every file from nothing and return what ``checked.json`` must say of it.

    Raises
    ------
    ValueError
        There is no Coq, or a file fails.
    """
    compiler = prover()
    if not compiler:
        raise ValueError("Coq with coq-interval and coquelicot must be installed: docs/proofs.md")
    chosen = files() if names is None else list(names)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(WORKERS) as pool:
        folder = Path(scratch)
        prepare(chosen, compiler, folder)
        made = pool.map(lambda name: outcome(name, compiler, folder), chosen)
        return dict(zip(chosen, made, strict=True))


def compare(found: Mapping[str, Any]) -> list[str]:
    """A sentence for each file whose outcome is not the committed one."""
    kept = _committed()
    return [
        f"{name}.v: the outcome is not the one in checked.json"
        for name in sorted({*found, *kept})
        if found.get(name) != kept.get(name)
    ]


def altered(name: str, theorem: str, words: tuple[str, str]) -> str:
    """The source of a file with words of a theorem's statement altered, wherever they stand in it.

    Raises
    ------
    ValueError
        There is no such theorem, or its statement has no such words.
    """
    text = source(name)
    start = re.search(rf"^Theorem\s+{re.escape(theorem)}\b", text, re.MULTILINE)
    if start is None:
        raise ValueError(f"a theorem must stand in its file, got {theorem}")
    end = text.index("\nProof", start.end())
    stated = text[start.end() : end]
    if words[0] not in stated:
        raise ValueError(f"the statement must have the words, got altered={words!r}")
    return text[: start.end()] + stated.replace(*words) + text[end:]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The records of a ledger that the kernel checked, a line each."""
    lines = ["| record | theorem | rests on |", "| --- | --- | --- |"]
    for row in rows:
        for record in row.get("records", ()):
            if formal := record.get("formal"):
                file = Path(formal["file"]).name
                of = str(record["of"]).replace("|", "\\|")
                rests = ", ".join(formal["axioms"]) or "nothing"
                lines.append(f"| {row['id']}, {of} | {file}: `{formal['theorem']}` | {rests} |")
    return "\n".join(lines) + "\n"


def page(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The text of docs/proofs.md with its table made again."""
    before, _, rest = text.partition(OPEN)
    return f"{before}{OPEN}\n{table(rows)}{CLOSE}{rest.partition(CLOSE)[2]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, or write, or print; 1 where something is not as committed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="commit what is not in step")
    parser.add_argument("--table", action="store_true", help="write the table of docs/proofs.md")
    chosen = parser.parse_args(arguments)
    if chosen.table:
        rows = json.loads(LEDGER.read_text(encoding="utf-8"))["items"]
        made = page(PAGE.read_text(encoding="utf-8"), rows)
        PAGE.write_text(made, encoding="utf-8", newline="\n")
        return 0
    if not prover():
        for name in files():
            in_step(name)
        print(f"no Coq here: {len(files())} proofs checked elsewhere, hashes agree")
        return 0
    found = compile_all([name for name in files() if not (chosen.write and _is_in_step(name))])
    if chosen.write:
        found = {name: found.get(name) or _committed()[name] for name in files()}
        text = json.dumps(found, indent=1, sort_keys=True) + "\n"
        CHECKED.write_text(text, encoding="utf-8", newline="\n")
    else:
        wrong = compare(found)
        for sentence in wrong:
            print(sentence, file=sys.stderr)
        if wrong:
            return 1
    theorems = sum(len(entry["theorems"]) for entry in found.values())
    print(f"{len(found)} proofs compiled from nothing: {theorems} theorems")
    return 0


if __name__ == "__main__":
    sys.exit(main())
