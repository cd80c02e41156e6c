"""docs/adding-a-paper.md, done in a copy of the repository: a paper with a private bandit in a
folder of its own, a theorem with a corollary, a figure and a notebook."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from reproduce.making import ROOT

pytestmark = pytest.mark.slow

PAPER = """
title = "A toy"
authors = "Nobody"
algorithm = "DP-UCB"
notebook = "05_toy2027_bandit"
numbered = ["theorem", "corollary"]

[[item]]
id = "toy2027/theorem-1"
kind = "theorem"
where = "Section 1"
statement = "Two and two are four."
short = "True: addition."
role = "claim"

[[item]]
id = "toy2027/corollary-1"
kind = "corollary"
where = "Section 1"
statement = "Two and two are not five."
short = "True: it follows from theorem 1."
role = "claim"
"""
CHECK = '''\
"""The theorem of the toy paper, and its corollary."""

from theory.claim import Basis, Records, Rigor, Trial, claim


@claim("toy2027/theorem-1")
def theorem_1() -> Records:
    """Addition."""
    yield Trial(lambda total: total == 2 + 2, at=4, mutant_at=5, mutant="Five.").holds(
        "printed", Rigor.EXACT, domain="Two and two.", evidence="In integers."
    )


@claim("toy2027/corollary-1")
def corollary_1() -> Records:
    """From theorem 1."""
    yield Trial(lambda total: total != 2 + 2, at=5, mutant_at=4, mutant="Four.").holds(
        "printed",
        Rigor.EXACT,
        domain="Two and two.",
        evidence="In integers.",
        basis=Basis(uses=("toy2027/theorem-1",)),
    )
'''
HORIZONS = """\
from theory.horizon_row import HorizonRow

READ = ("actions",)
MEANS = "no arm is left out before user"


def rows_of(parameters: dict[str, float]) -> tuple[list[HorizonRow], str]:
    start = int(parameters["actions"] / parameters["epsilon"]) + 1
    return [HorizonRow("dp-ucb", "tree", "tight", start, None)], "No bound is worked out."
"""
NOISE = """\
import numpy as np

from privrl.privacy import accounting
from privrl.privacy.noise_scales.paper import Noise, PaperNoise, Scale, Setting
from privrl.types import FloatArray

CHANGE = 6.0  # visits, rewards and successors of two arms, in l1


def printed_toy2027(epsilon: float, episodes: int) -> float:
    return accounting.laplace_family_scale(epsilon, CHANGE, episodes - 1)


def noise(setting: Setting) -> Noise:
    printed = printed_toy2027(setting.epsilon, setting.episodes)
    real = accounting.laplace_family_epsilon(printed, CHANGE, setting.episodes - 1)
    scale = Scale("b", "laplace", printed, printed)
    return Noise("toy2027", setting, (scale,), real, 1.0, "all sums together")


def change(setting: Setting, scales: dict[str, float]) -> tuple[FloatArray, FloatArray, float]:
    first, second = np.zeros(3 * setting.actions), np.zeros(3 * setting.actions)
    first[:: setting.actions] = second[1 :: setting.actions] = 1.0
    return (second - first) / scales["b"], first / scales["b"], 1 / scales["b"]


PAPER = PaperNoise(
    id="toy2027",
    defaults=Setting(1.0, 0.0, 1, 1000, 1, 3, 1, 1.0),
    counter="tree",
    noise=noise,
    change=change,
    pure=True,
)
"""
FAMILY = """\
from typing import Any

import numpy as np

from privrl.types import TabularMDP

PURE = True
READS = ("actions",)


def bandit(means: list[float]) -> TabularMDP:
    return TabularMDP(
        "bandit", np.ones((1, len(means), 1)), np.array([means]), np.ones(1), horizon=1
    )


def alike(agent: Any) -> list[tuple[TabularMDP, TabularMDP]]:
    return [(bandit([0.9, 0.5, 0.1]), bandit([0.1, 0.5, 0.9]))]


def problem(agent: type[Any], *, actions: int, **_: float) -> TabularMDP:
    return bandit([0.5] * actions)


def scales(calibration: Any) -> dict[str, Any]:
    return {"visits, rewards": calibration.scale}
"""
AGENT = '''\
"""DP-UCB: the arm of the largest private upper confidence bound."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from privrl.agents.blocks import Blocks
from privrl.agents.compiled import inlined, kernel
from privrl.agents.kind import agent
from privrl.agents.sums import public
from privrl.agents.tabular.kernels import maximise, play, release_step, tally
from privrl.agents.tabular.learner import DenseLearner, start, width
from privrl.agents.tabular.records import (
    TabularPlan,
    TabularReleased,
    TabularSums,
    TabularTally,
    TabularWorld,
)
from privrl.agents.tabular.settings import CounterAgent, StreamNoise
from privrl.privacy.counters import mechanisms
from privrl.types import FloatArray, IntArray, TabularMDP


@dataclass(frozen=True)
class DPUCBCalibration(StreamNoise):
    multiplied: ClassVar[tuple[str, ...]] = ("error", "logarithm")
    error: float
    logarithm: float


@agent("dp-ucb", paper="toy2027", counter="tree", plays="bandit", calibration="tight")
@dataclass(frozen=True)
class DPUCB(CounterAgent):
    name: ClassVar[str] = "dp-ucb"
    calibrations: ClassVar[tuple[str, ...]] = ("tight",)

    def calibrate(self, mdp: TabularMDP, planned: int) -> DPUCBCalibration:
        sums = width(mdp)
        logarithm = self.multiplier**2 * 2 * math.log(planned / (self.beta / 2))
        if self.counter == "none":
            return DPUCBCalibration("laplace", 0.0, 0.0, logarithm)
        scale = self.scale(self.cost(planned, sums), 6.0, math.sqrt(6.0))
        share = self.beta / 2 / sums
        quantile = mechanisms.counter_quantile(
            self.counter, self.releases(planned), share, self.law
        )
        return DPUCBCalibration(self.law, scale, self.multiplier * scale * quantile, logarithm)

    def start(self, mdp: TabularMDP, planned: int, checkpoints: IntArray) -> "DPUCBLearner":
        state = start(mdp, checkpoints)
        return DPUCBLearner(
            state, self.calibrate(mdp, planned), None if self.counter == "none" else width(mdp)
        )


@public
class ArmBonus(NamedTuple):
    error: float
    logarithm: float


@dataclass(eq=False)
class DPUCBLearner(DenseLearner):
    def __post_init__(self) -> None:
        self.bonus = ArmBonus(self.calibration.error, self.calibration.logarithm)

    def play(self, blocks: Blocks) -> None:
        advance(blocks, self.bonus, *self.state.records)

    def renew(self, noise: FloatArray, *, scaled: bool) -> None:
        self.state.released.every[:] = self.state.sums.every + noise
        plan(self.state.released, self.bonus, self.state.plan)


@inlined
def plan(released: TabularReleased, bonus: ArmBonus, agent_plan: TabularPlan) -> None:
    """The upper confidence bound of every arm."""
    for x in range(released.visits.shape[1]):
        count = max(released.visits[0, x] - bonus.error, 1.0)
        mean = (released.rewards[0, x] + bonus.error) / count
        agent_plan.q[0, x] = mean + math.sqrt(bonus.logarithm / count)
    maximise(0, agent_plan.q, agent_plan.values, agent_plan.greedy)


@kernel
def advance(
    blocks: Blocks,
    bonus: ArmBonus,
    world: TabularWorld,
    sums: TabularSums,
    released: TabularReleased,
    agent_plan: TabularPlan,
    record: TabularTally,
) -> None:
    """Every user: release, plan, play."""
    for row in range(blocks.coins.shape[0]):
        release_step(0, sums, blocks.noise, row, -1e300, released)
        plan(released, bonus, agent_plan)
        play(world, agent_plan.greedy, blocks, row, sums)
        tally(world, agent_plan.greedy, record)
'''
ENTRY = """
    Entry(
        "toy2027/bandit-3", lambda: random_mdp(1, 3, 1, seed=1), "bandit", 1000, 1.0, 0.1, "a toy"
    ),
"""
FIGURE = '''\
"""A line."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from figures import style
from figures.runs import TABLES

MESSAGE = "A line rises from the lower left to the upper right"
CAPTION = (
    "A line that rises, and nothing else: the figure of a toy paper, which has as many words as "
    "every figure has to have."
)
ALT = (
    "One straight line that begins in the lower left corner of the only panel and ends in the "
    "upper right one."
)


def tables(folder: Path = TABLES) -> dict[str, pd.DataFrame]:
    return {"line": pd.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0]})}


def draw(tables: dict[str, pd.DataFrame]) -> Figure:
    figure, grid = style.figure(2.0)
    grid[0, 0].plot(tables["line"]["x"], tables["line"]["y"])
    return figure
'''
NOTEBOOK = """# %% [markdown]
# # Toy
#
# Theorem 1 holds.

# %%
# %matplotlib inline
from figures import reading
from theory import ledger

drawn = reading.show("toy2027_line")
print(ledger.run("toy2027")[0]["verdict"], len(drawn["line"]))

# %%
_ = reading.turn(lambda first: [f"{first} and two"], first=([1, 2, 3], 2))

# %%
_ = reading.turn(lambda second: [f"two and {second}"], second=([1, 2, 3], 2))

# %% [markdown]
# ## Exercises
"""
NOTEBOOK += "".join(f"#\n# {number}. *Is two more than {number}?*\n" for number in (1, 2, 3))
NOTEBOOK += """
# %%
larger = {number: number < 2 for number in (1, 2, 3)}
assert larger[1]
assert not larger[2]
assert not larger[3]
reading.answers("It is.", "It is not.", "It is not.")
"""


WRITTEN = {
    "theory/papers/toy2027/paper.toml": PAPER,
    "theory/papers/toy2027/__init__.py": "",
    "theory/papers/toy2027/checks.py": CHECK,
    "theory/papers/toy2027/horizons.py": HORIZONS,
    "privrl/privacy/noise_scales/toy2027.py": NOISE,
    "privrl/agents/bandits/__init__.py": "",
    "privrl/agents/bandits/family.py": FAMILY,
    "privrl/agents/bandits/dp_ucb.py": AGENT,
    "figures/toy2027/__init__.py": "",
    "figures/toy2027/line.py": FIGURE,
    "notebooks/05_toy2027_bandit.py": NOTEBOOK,
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the paper added; nothing that exists is edited but the suite."""
    root = tmp_path_factory.mktemp("added") / "copy"
    shutil.copytree(
        ROOT,
        root,
        ignore=shutil.ignore_patterns(
            *(".git", ".venv", ".*cache", ".hypothesis", "__pycache__", "build", "out", "runs"),
            *("*.pdf", "*.egg-info"),
        ),
    )
    shutil.copytree(
        ROOT / "figures" / "data" / "runs",
        root / "figures" / "data" / "runs",
        ignore=shutil.ignore_patterns("replicates"),
    )
    for name, text in WRITTEN.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    suite = root / "privrl" / "environments" / "suite.py"
    text = suite.read_text(encoding="utf-8")
    assert text.count("_ENTRIES = (\n") == 1
    suite.write_text(text.replace("_ENTRIES = (\n", f"_ENTRIES = ({ENTRY}"), encoding="utf-8")
    return root


def python(root: Path, *words: str, **variables: str) -> str:
    """What a process prints whose packages are the copy's."""
    surroundings = {**os.environ, "PYTHONPATH": str(root), **variables}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    return done.stdout


RECORD = """
from pathlib import Path
from reproduce import found, notebooks
from figures import registry
from theory import ledger, ledger_files
ledger_files.write(rows=[*ledger.recorded(), *ledger.run("toy2027")])
registry.render("toy2027_line", Path("figures"))
notebook = notebooks.execute(Path("notebooks/05_toy2027_bandit.py").resolve())
notebooks.write(notebook, Path("notebooks/05_toy2027_bandit.ipynb"))
tables = (ledger.summary_markdown(), found.markdown(), found.sentences())
Path("build").mkdir(exist_ok=True)
Path("build", "said.txt").write_text(chr(10).join(tables), "utf-8")
"""


@pytest.fixture(scope="module")
def recorded(copy: Path) -> Path:
    """The copy, with what `make update` makes of the paper."""
    (copy / "theory/typed_numbers.csv").write_text(python(copy, "-m", "theory.sentences"), "utf-8")
    python(copy, "-c", RECORD)
    return copy


# by what it is asked: the words that one process after another would be called with
ANSWER = """
import contextlib, io, json, sys
from privrl.cli import main
answers = []
for words in sys.argv[1:]:
    output, errors, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            main(words.split(), prog_name="privrl")
        except SystemExit as end:
            code = end.code
    answers.append((code, output.getvalue(), errors.getvalue()))
json.dump(answers, sys.stdout)
"""
Answer = tuple[int, str, str]  # exit, what is printed, what is said of a fault


def answers(root: Path, commands: Iterable[str]) -> dict[str, Answer]:
    """What the copy's ``privrl`` answers, one process for all; as plain Python, since compiling
    takes longer than these small runs."""
    every = tuple(commands)
    given = json.loads(python(root, "-c", ANSWER, *every, NUMBA_DISABLE_JIT="1"))
    return {words: (code, *texts) for words, (code, *texts) in zip(every, given, strict=True)}


SIZES = "--epsilon 2 --actions 4"
SAID = {
    f"sigma toy2027 {SIZES}": "b",
    f"sigma dp-ucb {SIZES} --episodes 100": "visits, rewards",
    f"horizon toy2027 {SIZES} --json": "no arm is left out before user",
    "audit toy2027/bandit-3 --trials 2000": "epsilon",
    "audit toy2027/bandit-3 --agent dp-ucb --trials 200": "agent dp-ucb",
}
READ = ("papers --json", "check toy2027 --json", "run toy2027/bandit-3 --out out")


@pytest.fixture(scope="module")
def answered(recorded: Path) -> dict[str, Answer]:
    return answers(recorded, (*SAID, *READ))


def test_a_paper_is_found_by_its_folders(recorded: Path, answered: dict[str, Answer]) -> None:
    copy = recorded
    papers, checked, run = (answered[words] for words in READ)
    (row,) = [row for row in json.loads(papers[1]) if row["paper"] == "toy2027"]
    assert (
        row["claims"] == row["verdicts"]["holds"] == 2
        and row["notebook"] == "notebooks/05_toy2027_bandit.ipynb"
    )
    assert {row["id"]: row["verdict"] for row in json.loads(checked[1])} == {
        "toy2027/theorem-1": "holds",
        "toy2027/corollary-1": "holds",
    }
    page = (copy / "theory" / "ledger" / "toy2027.md").read_text("utf-8")
    assert "## theorem-1\n\n**holds**, " in page
    tables = (copy / "build" / "said.txt").read_text("utf-8")
    assert "| toy2027 | 2 | 2 |" in tables
    row = "| toy2027 | 1 times | 1 (H = 1) | - | not reached | not reached | - |"
    assert row in tables and "\n- toy2027: none\n" in tables
    assert (copy / "figures" / "rendered" / "toy2027_line.png").is_file()
    assert "holds 2" in (copy / "notebooks" / "05_toy2027_bandit.ipynb").read_text("utf-8")
    assert run[0] == 0
    assert ",dp-ucb,tree," in (copy / "out" / "toy2027" / "bandit-3.csv").read_text("utf-8")


@pytest.mark.parametrize("words", SAID)
def test_its_commands_answer(answered: dict[str, Answer], words: str) -> None:
    code, output, said = answered[words]
    assert code == 0, said
    assert SAID[words] in output


CONTRACTS = {  # tests of the repository, none edited, and how many of them are of the new names
    "tests/privrl/agents/test_plans.py": 3,
    "tests/figures/test_registry.py": 3,
    "notebooks/05_toy2027_bandit.ipynb": 3,
}


def test_the_contracts_hold_of_it(recorded: Path) -> None:
    """The repository's own tests of the new names alone, and every cell of the notebook."""
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-rp", "--nbval", *CONTRACTS)
    added = ("-k", "(dp-ucb and not ucbvi) or toy2027")
    output = python(recorded, *words, *added, NUMBA_DISABLE_JIT="1")
    for contract, number in CONTRACTS.items():
        passed = re.findall(rf"^PASSED {re.escape(contract)}::.*", output, re.MULTILINE)
        assert len(passed) >= number, output[-2000:]


def test_its_code_is_written_as_all_code_is(recorded: Path) -> None:
    code = [name for name in WRITTEN if name.endswith(".py")]
    for words in (("check", "--no-cache"), ("format", "--check")):
        python(recorded, "-m", "ruff", *words, *code, "privrl/environments/suite.py")


PYTEST = ("-m", "pytest", "-p", "reproduce.settled", "-q", "-n", "2", "--dist", "loadscope")
# what `make test TESTS=all` runs; the tests of this file would add the same paper once more
COMMANDS = {
    "style": ("-m", "ruff", "check", "."),
    "format": ("-m", "ruff", "format", "--check", "."),
    "layers": (
        "-c",
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(cache_dir=None))",
    ),
    "types": ("-m", "mypy"),
    "tests": (
        *PYTEST,
        "tests",
        "--no-loadscope-reorder",
        "--ignore",
        "tests/test_adding_a_paper.py",
    ),
    "notebooks": (*PYTEST, "--nbval", "notebooks/"),
}


@pytest.fixture(scope="module")
def updated(recorded: Path) -> Path:
    """The copy as somebody would commit it: `make update`, the site's table of users, git."""
    python(recorded, "-m", "reproduce", "--update")
    python(recorded, "-m", "website.tables")
    for words in (("init", "-q"), ("add", "--all")):
        subprocess.run(["git", *words], cwd=recorded, check=True)
    return recorded


@pytest.mark.long  # an update and a whole `make test`: a quarter of an hour
@pytest.mark.parametrize("command", COMMANDS)
def test_the_whole_of_make_test_passes_on_it(updated: Path, command: str) -> None:
    python(updated, *COMMANDS[command])


BARE = {
    "sigma dp-ucb": "an agent's folder must have family.py with ",
    "sigma toy2027": "paper must be one of ",
    "horizon toy2027": "paper must be one of ",
    "audit toy2027/bandit-3": "paper must be one of ",
}


def test_what_a_paper_does_not_have_yet_is_said_in_a_sentence(recorded: Path) -> None:
    """The copy without what is the paper's own mathematics."""
    own = (
        "privrl/privacy/noise_scales/toy2027.py",
        "privrl/agents/bandits/family.py",
        "theory/papers/toy2027/horizons.py",
    )
    texts = {name: (recorded / name).read_text("utf-8") for name in own}
    for name in own:
        (recorded / name).unlink()
    try:
        bare = answers(recorded, BARE)
    finally:
        for name, text in texts.items():
            (recorded / name).write_text(text, encoding="utf-8")
    for words, says in BARE.items():
        code, _, said = bare[words]
        assert code == 2, words
        assert said.startswith(f"privrl: {says}") and said.count("\n") == 1


@pytest.mark.long
def test_the_whole_site_is_built_with_it(recorded: Path) -> None:
    """No warning of Sphinx, no broken link, every page small and whole: the builder's own exit."""
    python(recorded, "-m", "website.build", "--out", "site")
    for page in (
        "claims/toy2027/corollary-1",
        "figures/toy2027_line",
        "notebooks/05_toy2027_bandit",
    ):
        assert (recorded / "site" / f"{page}.html").is_file()
