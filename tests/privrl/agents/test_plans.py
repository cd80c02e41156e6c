"""Every registered planner reads only what is released; agents that cheat are refused twice.

The type checker refuses a planner that is handed exact sums, or the world, for what is released.
The contract of
:mod:`tests.privrl.agents.plans` refuses whatever plans on them, also where every annotation agrees.
"""

import dataclasses
import importlib
import importlib.util
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

from privrl.agents import registry
from privrl.agents.linear import value_iteration
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.lq import kernels as lq_kernels
from privrl.agents.lq import learner as lq_learner
from privrl.agents.sums import PUBLIC, SECRET
from privrl.agents.tabular import pucb
from tests.privrl.agents import plans
from tests.privrl.agents.reach import arrays, overlapping

ROOT = Path(__file__).parents[3]
REGISTERED = list(plans.defined())


@pytest.mark.parametrize(("name", "calibration"), REGISTERED)
def test_the_plan_follows_from_the_release_alone(name: str, calibration: str) -> None:
    agent = plans.agent_of(name, calibration)
    faults = plans.follows_from_the_release(agent)
    pairs = plans.alike(agent)
    if plans.reads_before_noise(agent.start(pairs[0][0], 10, np.array([10]))):
        # the printed radius of chowdhury2021 reads sums before noise, its first erratum: the
        # contract sees it
        assert (name, calibration) == ("private-ofu-rl", "printed")
        assert faults == [
            f"advance: another plan of the same release ({problem.name})" for problem, _ in pairs
        ]
    else:
        assert faults == []


@pytest.mark.parametrize("name", registry.names())
def test_planners_take_what_is_public(name: str) -> None:
    planners = plans.planners(plans.agent_of(name, registry.kind(name).calibration))
    assert planners
    assert not [where for where, planner in planners.items() if plans.strangers(planner)]


@pytest.mark.parametrize("name", registry.names())
def test_what_is_public_shares_no_memory_with_what_is_secret(name: str) -> None:
    agent = plans.agent_of(name, registry.kind(name).calibration)
    for problem, twin in plans.alike(agent):
        learner, twin_learner = (agent.start(env, 10, np.array([10])) for env in (problem, twin))
        public, hidden = divided(learner, twin_learner)
        assert public and hidden and not overlapping(public, hidden)
        public_bytes = {array.tobytes() for array in public if array.size > 1 and array.any()}
        assert not public_bytes & {array.tobytes() for array in hidden if array.size > 1}
        assert overlapping((*public, hidden[-1][:1]), hidden)


def divided(
    learner: Any, twin_learner: Any
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """The arrays of a run that a planner may read, and those that it may not.

    What is the same in a world that differs in all that is unknown is no secret of the world.
    Without noise, what is released are the sums themselves.
    """
    public: list[np.ndarray] = []
    hidden: list[np.ndarray] = []
    quiet = not learner.noise_scales().any()
    for name, record in {**vars(learner.state), **vars(learner)}.items():
        if not hasattr(record, "_fields"):
            continue
        assert type(record) in PUBLIC | SECRET, name
        if type(record) in PUBLIC:
            public += [] if quiet and name == "released" else arrays(record)
        elif name == "world":
            pairs = zip(arrays(record), arrays(twin_learner.state.world), strict=True)
            hidden += [mine for mine, twin in pairs if mine.tobytes() != twin.tobytes()]
        else:
            hidden += arrays(record)
    return tuple(public), tuple(hidden)


ORACLE = '''

@inlined
def plan_true(h: int, released: {kind}, made: TabularPlan) -> None:
    """Optimal values of the world, whose first fields are its transitions and its rewards."""
    chance, means = released[0], released[1]
    for x in range(means.shape[1]):
        made.q[h, x] = means[h, x]
        for after in range(made.greedy.shape[1]):
            made.q[h, x] += chance[h, x, after] * made.values[h + 1, after]
    maximise(h, made.q, made.values, made.greedy)
'''


def altered(module: ModuleType, last: str, by: str) -> str:
    """The source of a module whose last call ``last`` is another one."""
    head, call, tail = inspect.getsource(module).rpartition(last)
    assert call, f"{module.__name__} must call {last}"
    return head + by + tail


STEP = "plan_step(h, released, widths, confidence, agent_plan)"
TRUE = "plan_true(h, world, agent_plan)"
CHEATS = {
    "sums": altered(pucb, STEP, "plan_step(h, sums, widths, confidence, agent_plan)"),
    "world": altered(pucb, STEP, "plan_true(h, world, agent_plan)")
    + ORACLE.format(kind="TabularReleased"),
    # every annotation agrees: the contract alone can see it
    "honest": altered(pucb, STEP, TRUE) + ORACLE.format(kind="TabularWorld"),
}
PLAN = "plan(released, known, agent_plan, scratch)"
LQ_PLAN = "plan(released, known, before_noise, agent_plan, scratch)"
LINEAR_WORLD = """

@kernel
def plan_true(world: LinearWorld, agent_plan: ValuePlan) -> None:
    for h in range(agent_plan.q.shape[0]):
        for x in range(agent_plan.q.shape[1]):
            agent_plan.q[h, x] = world.rewards[h, x]
"""
LQ_WORLD = """

@kernel
def plan_true(world: LQWorld, agent_plan: LQPlan) -> None:
    horizon, d, n = agent_plan.gains.shape
    for h in range(horizon):
        for i in range(d):
            for j in range(n):
                agent_plan.gains[h, i, j] = world.best[h, i, j]
"""
EXACT = """

@kernel
def plan_exact(sums: LQSums, released: LQReleased) -> None:
    at = 0
    for i in range(released.gram.shape[0]):
        for j in range(i, released.gram.shape[0]):
            released.gram[i, j] = released.gram[j, i] = sums.every[at]
            at += 1
"""
# that the type checker refuses, at the line that holds the second
REFUSED = {
    "sums": (CHEATS["sums"], "plan_step(h, sums,"),
    "world": (CHEATS["world"], "plan_true(h, world,"),
    "linear": (
        altered(value_iteration, PLAN, "plan(sums, known, agent_plan, scratch)"),
        "plan(sums, known,",
    ),
    "linear_array": (
        altered(
            value_iteration,
            PLAN,
            "plan(LinearReleased(sums.every, 0, 0.0), known, agent_plan, scratch)",
        ),
        "plan(LinearReleased(sums.every,",
    ),
    "lq": (
        altered(
            lq_kernels,
            LQ_PLAN,
            "plan(sums, known, before_noise, agent_plan, scratch)",
        ),
        "plan(sums, known,",
    ),
    "lq_array": (
        altered(
            lq_kernels,
            LQ_PLAN,
            "plan(LQReleased(sums.every, sums.every), known, before_noise, agent_plan, scratch)",
        ),
        "plan(LQReleased(sums.every,",
    ),
    "lq_world": (
        altered(lq_kernels, LQ_PLAN, "plan(world, known, before_noise, agent_plan, scratch)"),
        "plan(world, known,",
    ),
    "linear_world": (
        altered(value_iteration, PLAN, "plan(world, known, agent_plan, scratch)"),
        "plan(world, known,",
    ),
}
# that run, and whose annotations all agree
RUNNING = {
    "linear sums": (REFUSED["linear_array"][0], "linopt-vi"),
    "linear world": (
        altered(value_iteration, PLAN, f"{PLAN}\n        plan_true(world, agent_plan)")
        + LINEAR_WORLD,
        "linopt-vi",
    ),
    "lq sums": (
        altered(lq_kernels, LQ_PLAN, f"plan_exact(sums, released)\n        {LQ_PLAN}") + EXACT,
        "private-ofu-rl",
    ),
    "lq world": (
        altered(lq_kernels, LQ_PLAN, f"{LQ_PLAN}\n        plan_true(world, agent_plan)") + LQ_WORLD,
        "private-ofu-rl",
    ),
}


@pytest.mark.slow
def test_the_type_checker_refuses_what_is_handed_on_for_a_release(tmp_path: Path) -> None:
    sources = {name: source for name, (source, _) in REFUSED.items()}
    sources |= {"honest": CHEATS["honest"], "plain": inspect.getsource(pucb)}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"),
            "--no-error-summary", "--hide-error-context", "--no-pretty",
            *(str(tmp_path / f"{name}.py") for name in sources),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert done.returncode == 1, done.stderr
    expected = set()
    for name, (source, call) in REFUSED.items():
        (line,) = (n for n, text in enumerate(source.splitlines(), 1) if call in text)
        expected.add((f"{name}.py", str(line)))
    places = [tuple(error.split(": error: ")[0].rsplit(":")[-2:]) for error in errors]
    assert {(Path(file).name, line) for file, line in places} == expected
    assert all(error.endswith("[arg-type]") for error in errors)


@pytest.fixture
def cheat(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The name under which a cheating agent is registered, as a file of the tabular family."""
    name = f"privrl.agents.tabular.cheat_{request.param}"
    path = tmp_path / f"cheat_{request.param}.py"
    path.write_text(CHEATS[request.param])
    cheating = loaded(name, path, monkeypatch).PUCB
    kind = dataclasses.replace(registry.kind("pucb"), name="cheat", agent_class=cheating)
    monkeypatch.setitem(registry.kinds(), "cheat", kind)
    with np.errstate(all="ignore"):  # as compiled kernels divide
        yield "cheat"


def loaded(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A file as a module of that name, whose kernels run as plain Python: few users are played, and
    compiling them took a minute."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("cheat", CHEATS, indirect=True)
def test_the_contract_refuses_agents_that_plan_on_sums_or_on_the_world(cheat: str) -> None:
    registered = list(plans.defined())
    assert set(registered) - set(REGISTERED) == {
        (cheat, calibration) for calibration in pucb.PUCB.calibrations
    }
    faults = plans.follows_from_the_release(plans.agent_of(cheat, "tight"))
    assert [fault for fault in faults if fault.startswith("advance: ")]
    assert not [fault for fault in faults if fault.startswith("prepare: ")]  # which is PUCB's


@pytest.mark.parametrize("cheat", ["honest"], indirect=True)
def test_a_planner_that_says_that_it_takes_the_world_is_refused(cheat: str) -> None:
    planners = plans.planners(plans.agent_of(cheat, "tight"))
    wrong = {where.rpartition(".")[2]: plans.strangers(plan) for where, plan in planners.items()}
    assert wrong == {"plan": [], "plan_step": [], "plan_true": ["released", "TabularWorld"]}


@pytest.mark.parametrize("cheat", ["sums"], indirect=True)
def test_an_agent_whose_release_is_not_read_is_refused(cheat: str) -> None:
    """Neither another release nor another noise moves a plan on exact sums."""
    faults = plans.follows_from_the_release(plans.agent_of(cheat, "tight"))
    assert [fault.partition(" (")[0] for fault in faults] == [
        "advance: another plan of the same release",
        "advance: the same plan of another noise",
    ]


@pytest.mark.parametrize("cheating", RUNNING)
def test_the_contract_refuses_such_agents_of_every_family(
    cheating: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, agent = RUNNING[cheating]
    family = cheating.split(maxsplit=1)[0]
    path = tmp_path / f"cheat_{family}.py"
    path.write_text(source)
    advance = loaded(f"privrl.agents.{family}.cheat_{family}", path, monkeypatch).advance
    start = LinOptVI.start

    def started(agent: LinOptVI, mdp: Any, planned: int, checkpoints: Any) -> Any:
        learner = start(agent, mdp, planned, checkpoints)
        learner.kernel = advance
        return learner

    monkeypatch.setattr(LinOptVI, "start", started)
    monkeypatch.setattr(lq_learner, "advance", advance)
    faults = plans.follows_from_the_release(plans.agent_of(agent, "tight"))
    kinds = {fault.partition(" (")[0] for fault in faults}
    assert "advance: another plan of the same release" in kinds
    assert kinds <= {
        "advance: another plan of the same release",
        "advance: the same plan of another noise",
    }
