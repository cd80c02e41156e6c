"""The project's own files agree with one another, and hold nothing that belongs to one machine."""

import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import privrl
from reproduce import making as reproduce

ROOT = reproduce.ROOT
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = (
    ("linux", "Linux", "posix", "x86_64"),
    ("linux", "Linux", "posix", "aarch64"),
    ("darwin", "Darwin", "posix", "arm64"),
    ("win32", "Windows", "nt", "AMD64"),
)
Marked = dict[str, str]  # the values that environment markers ask for


def _wanted() -> list[Requirement]:
    """What the project asks for: to run, with every extra, to be built."""
    project = PROJECT["project"]
    lines = [
        *project["dependencies"],
        *(line for group in project["optional-dependencies"].values() for line in group),
        *PROJECT["build-system"]["requires"],
    ]
    requirements = [Requirement(line) for line in lines]
    for named in [requirement for requirement in requirements if requirement.name == "privrl"]:
        assert named.extras <= project["optional-dependencies"].keys(), named
        requirements.remove(named)  # an extra that holds others, which are in the list
    return requirements


def _surroundings() -> list[Marked]:
    """Every Python and system that the pins are meant for."""
    return [
        {
            "python_version": python,
            "python_full_version": f"{python}.0",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "sys_platform": system,
            "platform_system": called,
            "os_name": kind,
            "platform_machine": machine,
            "extra": "",
        }
        for python in PYTHONS
        for system, called, kind, machine in SYSTEMS
    ]


def _pins(surroundings: Marked | None = None) -> dict[str, Version]:
    """The pins whose markers hold: here, or in other surroundings."""
    items = [
        Requirement(line)
        for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    ]
    exact = [
        [clause.operator for clause in item.specifier] == ["=="] and not item.extras
        for item in items
    ]
    others = [str(item) for item, good in zip(items, exact, strict=True) if not good]
    assert not others, f"only name==version and a marker may stand here: {others}"
    applicable = [
        item for item in items if item.marker is None or item.marker.evaluate(surroundings)
    ]
    pins = {
        canonicalize_name(item.name): Version(next(iter(item.specifier)).version)
        for item in applicable
    }
    assert len(pins) == len(applicable), "two pins of one name hold at once"
    return pins  # type: ignore[return-value]


def _tracked() -> list[Path]:
    """Files that are committed or could be: what git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = (
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        .stdout.decode()
        .split("\0")
    )
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def test_every_dependency_is_pinned_to_a_version_that_it_allows() -> None:
    for pinned in map(_pins, _surroundings()):
        for requirement in _wanted():
            version = pinned.get(canonicalize_name(requirement.name))
            assert version is not None, f"{requirement.name} is not in requirements.txt"
            assert version in requirement.specifier, f"{requirement} against {version}"
            assert requirement.specifier, f"{requirement.name} needs a bound"


@pytest.mark.parametrize(("name", "fails"), [
    ("click", "8.1.8"),  # a traceback in place of a refusal: it has no NoArgsIsHelpError
    ("pytest-xdist", "3.7.0"),  # no option --no-loadscope-reorder
    ("dp-accounting", "0.4.4")])  # fmt: skip  # no installation beside numpy 2
def test_what_is_too_old_is_not_allowed(name: str, fails: str) -> None:
    assert not any(
        fails in requirement.specifier for requirement in _wanted() if requirement.name == name
    )


@pytest.mark.slow
def test_the_pins_are_all_that_is_needed_and_nothing_else() -> None:
    """Closure over the installed packages' own requirements, for every Python and system of the
    pins."""
    used: set[str] = set()
    for surroundings in _surroundings():
        required, pinned = _closure(_wanted(), surroundings), set(_pins(surroundings))
        assert required <= pinned, f"not pinned: {required - pinned} in {surroundings}"
        used |= required
    assert used == set().union(*map(_pins, _surroundings()))


def _closure(requirements: Iterable[Requirement], surroundings: Marked) -> set[str]:
    waiting = [
        (canonicalize_name(item.name), extra)
        for item in requirements
        for extra in ("", *item.extras)
    ]
    done: set[tuple[str, str]] = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in done:
            continue
        done.add((name, extra))
        try:
            lines = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            # needed by another Python than this one; its pin is held against the others' needs
            continue
        for item in map(Requirement, lines):
            if item.marker is None or item.marker.evaluate({**surroundings, "extra": extra}):
                waiting += [(canonicalize_name(item.name), more) for more in ("", *item.extras)]
    return {name for name, _ in done}


def test_what_is_installed_is_what_is_pinned() -> None:
    installed = {name: importlib.metadata.version(name) for name in _pins()}
    assert {name: Version(version) for name, version in installed.items()} == _pins()


def test_the_pins_have_been_tried_on_every_system() -> None:
    command = ["git", "hash-object", "requirements.txt"]
    name = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert f"`{name}`" in (ROOT / "docs" / "pins.md").read_text("utf-8"), "run `make pins`"


def test_the_oldest_packages_have_been_tried_with_these_bounds_pins_and_files() -> None:
    """What files look like is in a list that ``tests/privrl/online/test_layout.py`` holds."""
    bounds = _bounds((ROOT / "pyproject.toml").read_text("utf-8"))
    project = PROJECT["project"]
    for lines in (project["dependencies"], *project["optional-dependencies"].values()):
        assert all(f'"{line}"' in bounds for line in lines)
    content = bounds.encode()
    content += (ROOT / "requirements.txt").read_bytes()
    content += (ROOT / "tests" / "privrl" / "online" / "layout.txt").read_bytes()
    assert f"`{_named(content)}`" in (ROOT / "docs" / "pins.md").read_text("utf-8"), (
        "run `make lower`"
    )


def _bounds(project: str) -> str:
    """The lines of a pyproject.toml that say what it depends on, as the Makefile takes them."""
    lines = project.splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if line.startswith("dependencies = "))
    return "".join(lines[first : lines.index("[project.scripts]\n") + 1])


def _named(content: bytes) -> str:
    """The first digits of the name that git gives a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()[:16]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("echo Six==1.17.0", ""),
        ("echo six==1.17.0; echo colorama==0.4.6", "colorama==0.4.6\neverything needed must be"),
        ("echo no usable wheels >&2; exit 1", "no usable wheels"),
    ],
)
def test_a_pin_without_a_wheel_and_a_missing_pin_are_seen(
    tmp_path: Path, answer: str, says: str
) -> None:
    for name in ("bin", "docs"):
        (tmp_path / name).mkdir()
    _fake(tmp_path / "bin", "uv", answer)
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "requirements.txt").write_text("six==1.17.0; sys_platform != 'x'\n", "utf-8")
    (tmp_path / "docs" / "pins.md").write_text(f"as git names it: `{'0' * 40}`\n", "utf-8")
    done = _make("pins", tmp_path)
    assert bool(done.returncode) == bool(says) and says in done.stdout + done.stderr
    assert ("0" * 40 in (tmp_path / "docs" / "pins.md").read_text("utf-8")) == bool(says)


def test_the_conda_environment_is_python_pip_and_the_pins() -> None:
    content = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, *rest = content["dependencies"]
    assert rest == ["pip", {"pip": ["-r requirements.txt"]}]
    conda, supported = (
        Requirement(python).specifier,
        Requirement(f"x{PROJECT['project']['requires-python']}").specifier,
    )
    assert all(version in conda and version in supported for version in PYTHONS)


def test_the_citation_names_this_version_and_the_four_papers() -> None:
    content = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert all(content[name] == PROJECT["project"][name] for name in ("version", "license"))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").lower().split())
    assert len(content["references"]) == 4
    assert all(reference["title"].lower() in readme for reference in content["references"])


# written in pieces, so that this file passes its own test
PRIVATE = re.compile(
    "|".join(
        [
            "/" + "(?:work|root|tmp|opt|mnt|srv|var)/" + r"[\w.-]",
            "/" + "(?:home|Users)/" + r"\w",
            r"\b[A-Z]:" + r"\\\\?\w",
            "local" + "host",
            r"\b(?:10|127|192\.168)(?:\.\d{1,3}){2,3}\b",
            "file:" + "//",
            "index-" + "url",
            "find-" + "links",
        ]
    )
)


def _texts(path: Path) -> Iterator[str]:
    """What of a file can be read: all of a text, a notebook without its pictures, nothing of a PDF
    or PNG."""
    if path.suffix in {".pdf", ".png", ".npz"}:
        return
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        yield text
        return
    for cell in json.loads(text)["cells"]:
        yield "".join(cell["source"])
        for output in cell.get("outputs", ()):
            yield "".join(output.get("text", ()))
            yield from (
                "".join(value)
                for kind, value in output.get("data", {}).items()
                if kind.startswith("text/")
            )
            yield "\n".join(output.get("traceback", ()))


def test_no_file_names_a_machine_or_an_absolute_path() -> None:
    private_paths = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in _tracked()
        for text in _texts(path)
        for match in PRIVATE.finditer(text)
    ]
    assert not private_paths


@pytest.mark.parametrize(
    "text", ["/" + "home/someone/x", "C:" + r"\Users", "http://local" + "host:1", "10." + "0.0.1"]
)
def test_such_names_are_recognised(text: str) -> None:
    assert PRIVATE.search(f"see {text} there")


# what is left out, as CONTRIBUTING.md says: data, prose, proofs, and what a machine writes
UNWRAPPED = {
    *(".md", ".ipynb", ".csv", ".json", ".png", ".npz", ".v", ".cff", ".txt"),
    *(".toml", ".yml"),  # statements, and descriptions of a line
}
PRAGMA = re.compile(r" *# (?:type: ignore|noqa|fmt: skip).*$")
LONGEST = 100


def too_long(lines: Iterable[str]) -> list[str]:
    """Lines that a reader has to scroll, but for a pragma and for words that nothing can part."""
    bare = (PRAGMA.sub("", line) for line in lines)
    return [line for line in bare if len(line) > LONGEST and len(line.split()) > 1]


def test_no_line_is_longer_than_a_hundred_characters() -> None:
    paths = [
        path
        for path in _tracked()
        if path.suffix not in UNWRAPPED and path.parent.name != "notebooks"  # rows of tables
    ]
    lines = {path: too_long(path.read_text("utf-8").splitlines()) for path in paths}
    assert {path.name: long for path, long in lines.items() if long} == {}
    assert too_long(["x " * 51, f"x{' ' * 99}# type: ignore[x]", "x" * 101]) == ["x " * 51]


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    forbidden = re.compile(
        r"\b(?:pytest\.(?:skip|xfail|importorskip)|mark\.(?:skip|skipif|xfail))\b"
    )
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    # the exceptions: the site is opened where there is a browser, proofs are compiled where there
    # is Coq, and what needs forks and modes runs where the system has them; pytest says where not
    away = ("no browser", "Coq and its libraries", "Windows has no")
    skips = [
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if forbidden.search(line) and path.name != "test_site.py"
    ]
    assert not [line for line in skips if not any(reason in line for reason in away)]


def test_the_modules_that_begin_first_exist(pytestconfig: pytest.Config) -> None:
    (conftest,) = [
        plugin for plugin in pytestconfig.pluginmanager.get_plugins() if hasattr(plugin, "LONGEST")
    ]
    assert not [name for name in conftest.LONGEST if not (ROOT / name).exists()]


def test_the_version_is_said_once_more_only_where_it_is_cited() -> None:
    project = PROJECT["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert privrl.__version__ == project["version"] == str(cited["version"])
    assert f"## {project['version']}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_file_of_code_stays_readable_in_one_sitting() -> None:
    files = [
        path
        for package in ("privrl", "theory", "figures", "website")
        for path in (ROOT / package).rglob("*.py")
    ]
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in files
    }
    assert not {path: lines for path, lines in lengths.items() if lines > 640}


def _lint(path: Path) -> subprocess.CompletedProcess[str]:
    """check-jsonschema with the schema of workflows that it brings along: no network."""
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
        str(path),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_workflow_is_one_and_runs_both_commands(tmp_path: Path) -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands == ["make reproduce", "make test TESTS=all", "make site"]
    rows = job["strategy"]["matrix"]["include"]
    systems = (
        "ubuntu-22.04",
        "ubuntu-24.04",
        "ubuntu-22.04-arm",
        "ubuntu-24.04-arm",
        "macos-15",
        "macos-15",
    )
    assert [(row["system"], row["python"]) for row in rows] == list(
        zip(systems, PYTHONS[::2] * 3, strict=True)
    )
    assert set(re.findall(r"matrix\.(\w+)", text)) == {"system", "python"}
    done = _lint(ROOT / ".github" / "workflows" / "ci.yml")
    assert done.returncode == 0, done.stdout
    (tmp_path / "ci.yml").write_text(text.replace("runs-on:", "run-on:"), "utf-8")
    assert _lint(tmp_path / "ci.yml").returncode == 1


# README and findings quote the ledger, which the tests run too; `make reproduce` makes all sections
@pytest.mark.slow
@pytest.mark.parametrize("document", ["README.md", "docs/found.md"])
def test_a_document_with_derived_sections_is_current(document: str) -> None:
    assert reproduce.refreshed(ROOT, document) == (ROOT / document).read_text(encoding="utf-8")


SCREEN = 900  # words


def test_the_readme_is_a_screen_and_a_half() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= SCREEN
    assert text.count("![") == 1 and text.count("\n| --- ") == 1  # one picture, one table


def test_the_five_lines_of_the_readme_draw_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert lines.count("\n") == 5 and "(figures/rendered/five_lines.png)" in text
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    exec(lines, namespace)
    assert (tmp_path / "regret.png").read_bytes().startswith(b"\x89PNG")
    committed = pd.read_csv(ROOT / "figures" / "data" / "five_lines.csv")
    assert list(namespace["runs"]) == list(committed["name"].unique())
    for name, run in namespace["runs"].items():
        committed_rows = committed[committed["name"] == name].pivot_table(
            index="replicate", columns="episode", values="regret"
        )
        assert committed_rows.columns.tolist() == run.episodes.tolist()
        np.testing.assert_allclose(run.regret, committed_rows.to_numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    "document", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
)
def test_what_a_document_points_to_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)\)", text)
    missing = [
        target
        for target in targets
        if not target.startswith("http") and not (ROOT / document).parent.joinpath(target).exists()
    ]
    assert not missing and (targets or document != "README.md")


def _fake(folder: Path, name: str, answer: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{answer}\n", "utf-8")
    path.chmod(0o755)


def _scratch(folder: Path, answer: str) -> Path:
    """The files that make reads, and Pythons that answer so; the folder of the programs."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    programs = folder / "bin"
    programs.mkdir()
    for name in ("python3.13", "python3.12", "python3.11", "python3", "python"):
        _fake(programs, name, answer)
    return programs


def _make(target: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run make in ``folder`` with ``folder/bin`` first on the PATH and nothing else of the caller's
    settings."""
    surroundings = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.defpath}"}
    return subprocess.run(
        ["make", target], cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("broken", ["exit 127", "exit 1"])
def test_make_takes_the_first_python_that_really_runs(tmp_path: Path, broken: str) -> None:
    """Shims that are found but do not run are passed over; the real one is asked to make the
    environment."""
    programs = _scratch(tmp_path, broken)
    # stands in for a Python: passes the question, says its version, and "makes" an environment
    # whose pip writes a line
    inner = 'echo "$@" >> installed.log'
    _fake(
        programs,
        "python3.11",
        f"""case "$1" in
-c) echo "Python 3.11"; exit 0;;
-m) mkdir -p .venv/bin; printf '#!/bin/sh\\n%s\\n' '{inner}' > .venv/bin/python
    chmod +x .venv/bin/python; exit 0;;
esac""",
    )
    first = _make(".venv/installed", tmp_path)
    assert first.returncode == 0, first.stderr
    log = (tmp_path / "installed.log").read_text("utf-8")
    assert "requirements.txt" in log and "--no-deps" in log and "Python 3.11" in first.stdout
    again = _make(".venv/installed", tmp_path)
    assert "up to date" in again.stdout
    later = (tmp_path / ".venv" / "installed").stat().st_mtime + 5
    os.utime(tmp_path / "requirements.txt", (later, later))
    _make(".venv/installed", tmp_path)
    assert len((tmp_path / "installed.log").read_text("utf-8")) > len(log)


def test_make_says_what_it_needs_when_no_python_runs(tmp_path: Path) -> None:
    _scratch(tmp_path, "exit 127")
    done = _make("test", tmp_path)
    assert done.returncode != 0 and "Python 3.11 or newer" in done.stderr


def test_importing_the_driver_does_not_import_numpy() -> None:
    """The number of threads is set before numpy is there to read it."""
    code = "import sys; import reproduce.making; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_difference_is_shown_in_part() -> None:
    """Shown whole, as pytest does where CI is set, that of one planted fault took longer than all
    tests together."""
    with pytest.raises(AssertionError) as caught:
        assert [*range(1000)] == [*range(1, 1001)]
    assert len(str(caught.value)) < 2000
