"""Sweeps: stored replicates are used again when they are sound and meant, and the table is the same however it came."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.environments import suite
from privrl.run import simulate, sweep
from privrl.run.sweep import Plan
from privrl.types import Run
from tests.contracts import not_counts, not_inside_unit, not_numbers, not_positive, refused

ID = "vietri2020/riverswim-3"
RUN = Run(ID, "pucb", "tree", "printed", 1.0, 0.0, 10, 0, np.array([1]), np.array([[0.5]]))
PLAN = Plan(ID, epsilon=1e6, episodes=500, replicates=3, seed=4)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Indices of the replicates that are really computed."""
    calls: list[int] = []
    original = simulate.replicate

    def replicate(*args: Any) -> np.ndarray:
        calls.append(args[5])
        return original(*args)

    monkeypatch.setattr(simulate, "replicate", replicate)
    return calls


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


# --- what is run ---------------------------------------------------------------------------------------------------


def test_a_sweep_is_the_simulation_of_its_entry(tmp_path: Path) -> None:
    found = sweep.run(PLAN, tmp_path)
    straight = simulate.run(ID, suite.tabular(ID), PLAN.build_agent(), episodes=500, replicates=3, seed=4)
    assert found.regret.tobytes() == straight.regret.tobytes()
    assert np.array_equal(found.episodes, straight.episodes)
    for field in ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned", "seed"):
        assert getattr(found, field) == getattr(straight, field)


def test_the_entry_fills_in_what_the_plan_leaves_open() -> None:
    plan, entry = Plan(ID), suite.entry(ID)
    agent = plan.build_agent()
    assert (agent.epsilon, agent.beta, plan.planned, plan.last) == (entry.epsilon, entry.beta, 10**6, 10**6)
    assert Plan(ID, counter="none").build_agent().epsilon == math.inf
    assert Plan(ID, "ubev").build_agent().name == "ubev"
    assert Plan(ID, stop_after=7).last == 7


def test_workers_do_not_change_table_or_provenance(tmp_path: Path) -> None:
    for jobs in (1, 2):
        sweep.write(sweep.run(PLAN, tmp_path / f"runs{jobs}", jobs), tmp_path / str(jobs) / "table.csv")
    for name in ("table.csv", "table.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


# --- stored replicates ---------------------------------------------------------------------------------------------


def test_a_second_run_computes_nothing(tmp_path: Path, computed: list[int]) -> None:
    first = sweep.run(PLAN, tmp_path)
    assert computed == [0, 1, 2]
    told: list[tuple[int, int]] = []
    second = sweep.run(PLAN, tmp_path, finished=lambda done, total: told.append((done, total)), warn=pytest.fail)
    assert computed == [0, 1, 2]
    assert told == []
    assert second.regret.tobytes() == first.regret.tobytes()
    more = sweep.run(dataclasses.replace(PLAN, replicates=5), tmp_path,
                     finished=lambda done, total: told.append((done, total)))
    assert computed == [0, 1, 2, 3, 4]
    assert told == [(4, 5), (5, 5)]
    assert more.regret[:3].tobytes() == first.regret.tobytes()


def test_an_interrupted_sweep_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computed: list[int]) -> None:
    whole = sweep.run(PLAN, tmp_path / "whole")
    computed.clear()
    watched = simulate.replicate

    def interrupted(*args: Any) -> np.ndarray:
        if args[5] == 2:
            raise KeyboardInterrupt
        return watched(*args)

    with monkeypatch.context() as patch:
        patch.setattr(simulate, "replicate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sweep.run(PLAN, tmp_path / "part")
    assert len(files(tmp_path / "part")) == 2
    found = sweep.run(PLAN, tmp_path / "part")
    assert computed == [0, 1, 2]  # nothing twice
    assert found.regret.tobytes() == whole.regret.tobytes()


@pytest.mark.parametrize("damage", ["truncated", "bit", "empty", "short"])
def test_a_damaged_replicate_is_said_and_computed_again(tmp_path: Path, computed: list[int], damage: str) -> None:
    whole = sweep.run(PLAN, tmp_path)
    path = files(tmp_path)[1]
    sound = path.read_bytes()
    row = json.loads(sound)
    index = row["settings"]["replicate"]
    if damage == "bit":
        at = sound.index(b"0x1.")
        path.write_bytes(sound[: at + 5] + bytes([sound[at + 5] ^ 1]) + sound[at + 6 :])
    elif damage == "short":  # sound, but for another number of checkpoints
        sweep.Store(tmp_path).save(row["settings"], whole.regret[index, :-1])
    else:
        path.write_bytes(sound[: len(sound) // 2 if damage == "truncated" else 0])
    computed.clear()
    said: list[str] = []
    again = sweep.run(PLAN, tmp_path, warn=said.append)
    assert computed == [index]
    damaged = [f"the stored replicate {path.name} is damaged and is computed again"]
    assert said == ([] if damage == "short" else damaged)
    assert again.regret.tobytes() == whole.regret.tobytes()
    assert path.read_bytes() == sound
    assert sweep.run(PLAN, tmp_path, warn=pytest.fail).regret.tobytes() == whole.regret.tobytes()


CHANGES: tuple[dict[str, Any], ...] = (
    {"id": "vietri2020/riverswim-3-relabelled"}, {"agent": "ubev"}, {"counter": "none"},
    {"counter": "local", "calibration": "corrected"}, {"calibration": "corrected"}, {"calibration": "tight"},
    {"epsilon": 2e6}, {"delta": 1e-6, "calibration": "corrected"}, {"beta": 0.2}, {"episodes": 501},
    {"stop_after": 499}, {"seed": 5},
)


def test_every_setting_has_a_file_of_its_own(tmp_path: Path) -> None:
    plans = [PLAN, *(dataclasses.replace(PLAN, **change) for change in CHANGES)]
    keys = {sweep.Store.key(plan.settings(index)) for plan in plans for index in range(3)}
    assert len(keys) == 3 * len(plans)
    assert sweep.Store.key(PLAN.settings(1)) == sweep.Store.key(dataclasses.replace(PLAN, replicates=9).settings(1))


@pytest.mark.parametrize("part", ["code_hash", "environment_hash", "versions"])
def test_other_code_another_environment_or_other_libraries_discard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                   computed: list[int], part: str) -> None:
    sweep.run(PLAN, tmp_path)
    monkeypatch.setattr(sweep, part, lambda *args: {"other": "one"})
    sweep.run(PLAN, tmp_path)
    assert computed == [0, 1, 2, 0, 1, 2]


def test_the_hashes_tell_environments_apart() -> None:
    same = ("liao2021/riverswim-3-unscaled", "zhou2022/riverswim-3")  # one environment, for the agents of two papers
    others = [identifier for identifier in suite.ids() if identifier != same[0]]
    assert len({sweep.environment_hash(identifier) for identifier in others}) == len(others)
    assert sweep.environment_hash(same[0]) == sweep.environment_hash(same[1])


# --- tables --------------------------------------------------------------------------------------------------------


def test_the_table_and_its_provenance(tmp_path: Path) -> None:
    plan = dataclasses.replace(PLAN, stop_after=300)
    found = sweep.run(plan, tmp_path / "runs")
    path = tmp_path / "some" / "table.csv"
    sweep.write(found, path)
    assert sweep.COLUMNS == ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned", "episode",
                             "replicate", "regret")  # fmt: skip
    assert path.read_text(encoding="utf-8").splitlines()[0] == ",".join(sweep.COLUMNS)
    assert b"\r" not in path.read_bytes()
    table = pd.read_csv(path)
    marks = simulate.checkpoints(500)
    marks = marks[marks <= 300]
    assert len(table) == 3 * marks.size
    assert table["replicate"].tolist() == [index for index in range(3) for _ in marks]
    assert table["episode"].tolist() == [*marks] * 3
    np.testing.assert_allclose(table["regret"], found.regret.ravel(), rtol=1e-9)
    for column, value in (("id", ID), ("agent", "pucb"), ("counter", "tree"), ("calibration", "printed"),
                          ("epsilon", 1e6), ("delta", 0), ("planned", 500)):  # fmt: skip
        assert (table[column] == value).all()
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert facts["columns"] == list(sweep.COLUMNS)
    said = {name: facts[name] for name in ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned",
                                           "last", "replicates", "seed", "code", "environment")}  # fmt: skip
    assert said == {
        "id": ID, "agent": "pucb", "counter": "tree", "calibration": "printed", "epsilon": "1000000.0", "delta": 0.0,
        "planned": 500, "last": int(marks[-1]), "replicates": 3, "seed": 4, "code": sweep.code_hash(),
        "environment": sweep.environment_hash(ID),
    }
    assert set(facts["versions"]) == {"numpy", "numba", "scipy"}
    assert not any(str(tmp_path) in str(value) for value in facts.values())  # no path of this machine


def test_no_noise_is_written_as_infinity(tmp_path: Path) -> None:
    found = sweep.run(Plan(ID, counter="none", episodes=20), tmp_path)
    sweep.write(found, tmp_path / "table.csv")
    assert (pd.read_csv(tmp_path / "table.csv")["epsilon"] == math.inf).all()
    assert json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))["epsilon"] == "inf"


# --- bad input -----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(not_numbers(), not_positive(), not_inside_unit(), not_counts(1), not_counts(0),
       st.sampled_from(suite.entry(ID).agents))
def test_bad_plans_are_refused(other: Any, epsilon: Any, beta: Any, number: Any, seed: Any, agent: str) -> None:
    """Whatever the agent: a setting that it has no use for is held against the same requirement."""
    assert refused(lambda: Plan(other)).startswith("id must be ")
    if other is not None:
        assert refused(lambda: Plan(ID, agent, calibration=other)).startswith("calibration must be one of ")
        assert refused(lambda: Plan(ID, other)).startswith("agent must be one of ")
        assert refused(lambda: Plan(ID, agent, counter=other)).startswith("counter must be one of ")
    if epsilon is not None:
        assert refused(lambda: Plan(ID, agent, epsilon=epsilon)).startswith("epsilon must be ")
        assert refused(lambda: Plan(ID, agent, "none", epsilon=epsilon)).startswith("epsilon must be ")
    if beta is not None:
        assert refused(lambda: Plan(ID, agent, beta=beta)).startswith("beta must be ")
        if not (isinstance(beta, (int, float)) and beta == 0):
            assert refused(lambda: Plan(ID, agent, delta=beta)).startswith("delta must be ")
    if number is not None:
        assert refused(lambda: Plan(ID, agent, episodes=number)).startswith("episodes must be ")
        assert refused(lambda: Plan(ID, agent, stop_after=number)).startswith("stop_after must be ")
    assert refused(lambda: Plan(ID, agent, replicates=number)).startswith("replicates must be ")
    assert refused(lambda: Plan(ID, agent, seed=seed)).startswith("seed must be ")
    assert refused(lambda: sweep.run(other, Path())).startswith("plan must be of type Plan")
    assert refused(lambda: sweep.run(PLAN, Path(), number)).startswith("jobs must be ")
    assert refused(lambda: PLAN.settings(seed)).startswith("replicate must be ")
    assert refused(lambda: sweep.table(other)).startswith("result must be of type Run")
    assert refused(lambda: sweep.write(other, Path("table.csv"))).startswith("result must be of type Run")
    if not isinstance(other, str):
        assert refused(lambda: sweep.run(PLAN, other)).startswith("folder must be a path")
        assert refused(lambda: sweep.write(RUN, other)).startswith("path must be a path")


def test_an_end_after_the_end_is_refused() -> None:
    assert refused(lambda: Plan(ID, episodes=10, stop_after=11)) == (
        "stop_after must be <= episodes, got stop_after=11, episodes=10")  # fmt: skip
