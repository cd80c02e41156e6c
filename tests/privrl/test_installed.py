"""What ``pip install`` of this package alone brings: few packages, with which agents, sessions and
commands work, and a sentence for what is missing."""

import importlib.metadata
import json
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

import privrl
from privrl import extras
from tests.test_project import PROJECT, ROOT, Requirement, _closure, _surroundings

MOST = 15
SMOKE = """
import sys
import privrl as rl
from privrl import online

mdp = rl.suite.environment("vietri2020/riverswim-3")
run = rl.simulate.run("smoke", mdp, rl.PUCB(epsilon=1.0), episodes=100, seed=1)
assert run.regret.shape[0] == 1 and run.regret[0, -1] > 0
known = online.tabular(states=2, actions=2, horizon=2)
terms = {"users": 20, "noise": "simulated", "seed": 1, "path": "smoke.session"}
with rl.Session(rl.PrivateUCBVI(epsilon=1.0), known, **terms).lock:
    pass
session = rl.Session(rl.PrivateUCBVI(epsilon=1.0), known, must_exist=True, **terms)
assert session.observe(([0, 1, 0], [session.act(0, 0), 1], [0, 1])) and session.users == 1
assert rl.LinOptVI(1.0, 1e-6).name and rl.Mechanism and rl.counters and rl.__version__
try:
    rl.Session(rl.PrivateUCBVI(epsilon=1.0, counter="smooth"), known, users=20)
except ImportError as error:
    print(error)
print(sorted({"pandas", "sympy", "joblib", "matplotlib", "opendp", "jupyter"} & set(sys.modules)))
"""
SIZES = ("--states", "3", "--actions", "2", "--horizon", "3")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the built wheel and its dependencies, of which the files are those
    of this one: no network is needed; the folder of its programs."""
    folder = tmp_path_factory.mktemp("alone")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-qq"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)]
    subprocess.run(wheel, check=True)
    (built,) = folder.glob("privrl-*.whl")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = next((folder / "env").glob("*/python"), folder / "env" / "Scripts" / "python.exe")
    install = [*pip, "--python", str(python), "install", "--no-deps", "--no-compile", str(built)]
    subprocess.run(install, check=True)
    (packages,) = {path.parent for path in (folder / "env").rglob("privrl") if path.is_dir()}
    for name in sorted(closure()):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(str(distribution.locate_file(top)))
    return python.parent


def closure() -> set[str]:
    """Names of all that the package's dependencies need, here."""
    lines = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    here = [place for place in _surroundings() if place["sys_platform"] == sys.platform]
    return set().union(*(_closure(lines, place) for place in here))


def said(alone: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(alone / command[0]), *command[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=alone.parent,
    )


def test_what_the_package_needs_is_few() -> None:
    assert {"numpy", "scipy", "numba", "click"} <= closure() and len(closure()) + 1 <= MOST
    page = (ROOT / "docs" / "your-problem.md").read_text("utf-8")
    assert "brings eleven packages beside this one" in page and len(closure()) == 11
    for surroundings in _surroundings():
        lines = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
        assert len(_closure(lines, surroundings)) + 1 <= MOST, surroundings


def test_every_extra_can_be_named() -> None:
    groups = PROJECT["project"]["optional-dependencies"]
    assert {"notebooks", "theory", "exact", "site", "dask", "all", "dev"} <= groups.keys()
    declared = {
        extra: {
            canonicalize_name(Requirement(line).name)
            for line in lines
            if Requirement(line).name != "privrl"
        }
        for extra, lines in groups.items()
    }
    # as installed, an extra holds the lines of those that it names too; here not one is lost
    for extra in declared.keys() - {"dev"}:
        assert declared[extra] <= extras.requirements()[extra].keys()
    everything = set().union(*(names for extra, names in declared.items() if extra != "dev"))
    assert everything == extras.requirements()["all"].keys()


@pytest.mark.slow
def test_the_wheel_alone_acts_and_says_what_is_missing(alone: Path) -> None:
    done = said(alone, "python", "-c", SMOKE)
    assert done.returncode == 0, done.stderr
    missing, loaded = done.stdout.splitlines()
    assert missing.startswith(
        "exact noise needs opendp, of the extra exact, which is not installed"
    )
    assert "pip install 'opendp>=" in missing and loaded == "[]"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("sigma", "vietri2020", "--epsilon", "1"),
        ("advise", *SIZES),
        ("papers",),
        ("check", "vietri2020", "--recorded"),
    ],
)
def test_commands_that_need_no_extra(alone: Path, command: tuple[str, ...]) -> None:
    done = said(alone, "privrl", *command)
    assert done.returncode == 0, done.stderr
    assert done.stdout and "pip install" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "missing", "extra"),
    [
        (("run", "vietri2020/riverswim-3", "--episodes", "100"), "joblib", "runs"),
        (("figures",), "joblib", "runs"),
        (("horizon", "vietri2020", "--epsilon", "1"), "sympy", "theory"),
        (("check", "vietri2020/lemma-20"), "sympy", "theory"),
    ],
)
def test_a_command_without_its_extra_says_what_to_install(
    alone: Path, command: tuple[str, ...], missing: str, extra: str
) -> None:
    done = said(alone, "privrl", *command)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert f"needs {missing}, of the extra {extra}, which is not installed" in line
    assert f"'{extras.requirements()[extra][missing]}'" in line


@pytest.mark.slow
def test_names_are_listed_without_any_extra(alone: Path) -> None:
    done = said(alone, "privrl", "list", "--json")
    assert done.returncode == 0 and done.stderr == ""
    assert json.loads(done.stdout).keys() == {
        "environments",
        "agents",
        "counters",
        "calibrations",
        "papers",
        "figures",
    }


def test_a_library_of_no_extra_stays_a_fault() -> None:
    assert extras.sentence("nothing.at.all", "this") is None
    with pytest.raises(ModuleNotFoundError, match="nothing"), extras.needed("this"):
        raise ModuleNotFoundError("No module named 'nothing'", name="nothing")
    with pytest.raises(extras.MissingExtraError, match=r"^a table needs pandas, of the extra runs"):
        extras.installed("pandas.nothing", "a table")


def test_what_an_engineer_needs_is_at_the_top() -> None:
    for name in ("Session", "Mechanism", "counters", "__version__"):
        assert name in dir(privrl) and getattr(privrl, name)


def test_the_container_holds_what_the_wheel_is_built_of() -> None:
    lines = (ROOT / "Containerfile").read_text("utf-8").splitlines()
    said_by = [line.split(maxsplit=1) for line in lines if line and line[0] not in "# "]
    assert [rest for word, rest in said_by if word == "FROM"] == ["python:3.13-slim"]
    copied = {name for word, rest in said_by if word == "COPY" for name in rest.split()[:-1]}
    served = "docs/service/service.py"
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    project = PROJECT["project"]
    needed = {"pyproject.toml", "requirements.txt", project["readme"], *project["license-files"]}
    assert copied == needed | {served} | set(wheel) and all(
        (ROOT / name).exists() for name in copied
    )
    (command,) = [line for line in lines if "RUN pip install" in line]
    assert '".[exact,service]"' in command and "--constraint requirements.txt" in command
    assert [word for word, _ in said_by].index("USER") > [word for word, _ in said_by].index("RUN")
    # what is served, and where: the page's service, at an address that others reach
    rest = {word: words for word, words in said_by if word in ("ENV", "EXPOSE", "VOLUME", "CMD")}
    variables = dict(pair.split("=") for pair in rest["ENV"].split())
    assert variables == {"HOST": "0.0.0.0", "PORT": rest["EXPOSE"]}
    source = (ROOT / served).read_text("utf-8")
    assert all(f'os.environ.get("{name}", ' in source for name in variables)
    assert rest["CMD"] == '["python", "/app/service.py"]'
    page = (ROOT / "docs" / "your-problem.md").read_text("utf-8")
    (run,) = re.findall(r"^    podman run (.*)$", page, re.MULTILINE)
    port = rest["EXPOSE"]
    assert f"-p {port}:{port} " in run and f":{rest['VOLUME']} " in run
    assert f'"PORT", "{port}"' in source
