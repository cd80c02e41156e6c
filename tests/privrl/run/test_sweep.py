"""Sweeps: stored replicates are used again when they are sound and meant, and the table is the same
however it came."""

import dataclasses
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privrl.checkpoints import recorded
from privrl.environments import suite
from privrl.run import measure, simulate, sweep
from privrl.run.sweep import RunPlan
from privrl.types import Run

ID = "vietri2020/riverswim-3"
RUN = Run(ID, "pucb", "tree", "printed", 1.0, 0.0, 10, 0, np.array([1]), np.array([[0.5]]))
PLAN = RunPlan(ID, epsilon=1e6, episodes=500, replicates=3, seed=4)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def test_a_sweep_is_the_simulation_of_its_entry(tmp_path: Path) -> None:
    sweep_run = sweep.run(PLAN, tmp_path)
    straight = simulate.run(
        ID, suite.tabular(ID), PLAN.build_agent(), episodes=500, replicates=3, seed=4
    )
    both = np.isin(sweep_run.episodes, straight.episodes)
    assert both.sum() == straight.episodes.size < sweep_run.episodes.size
    assert np.ascontiguousarray(sweep_run.regret[:, both]).tobytes() == straight.regret.tobytes()
    assert np.isin(measure.marks(500), sweep_run.episodes).all()
    for field in ("id", "agent", "counter", "calibration", "epsilon", "delta", "planned", "seed"):
        assert getattr(sweep_run, field) == getattr(straight, field)


def test_the_entry_fills_in_what_the_plan_leaves_open() -> None:
    plan, entry = RunPlan(ID), suite.entry(ID)
    agent = plan.build_agent()
    assert (agent.epsilon, agent.beta, plan.planned, plan.last) == (
        entry.epsilon,
        entry.beta,
        10**6,
        10**6,
    )
    assert RunPlan(ID, counter="none").build_agent().epsilon == math.inf
    assert RunPlan(ID, "ubev").build_agent().name == "ubev"
    assert RunPlan(ID, stop_after=7).last == 7


def test_a_sweep_builds_its_agent_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many replicates there are; the entry is looked up again only for the environment."""
    calls = {"make": 0, "entry": 0}

    def counted(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def counting(*positional: Any, **named: Any) -> Any:
            calls[name] += 1
            return function(*positional, **named)

        monkeypatch.setattr(owner, name, counting)

    counted(sweep.registry, "make")
    counted(suite, "entry")
    plan = RunPlan(ID, epsilon=1e6, episodes=20, replicates=4)
    sweep.write(sweep.run(plan, tmp_path), tmp_path / "table.csv", [plan])
    assert calls["make"] == 1
    assert calls["entry"] <= 3
    assert pickle.loads(pickle.dumps(plan)) == plan  # an entry is none of what workers are sent
    dataclasses.replace(plan, seed=1)
    assert calls["make"] == 2


def test_a_second_run_computes_nothing(tmp_path: Path, computed: list[int]) -> None:
    first = sweep.run(PLAN, tmp_path)
    assert computed == [0, 1, 2]
    reports: list[tuple[int, int]] = []
    second = sweep.run(
        PLAN, tmp_path, finished=lambda done, total: reports.append((done, total)), warn=pytest.fail
    )
    assert computed == [0, 1, 2]
    assert reports == []
    assert second.regret.tobytes() == first.regret.tobytes()
    more = sweep.run(
        dataclasses.replace(PLAN, replicates=5),
        tmp_path,
        finished=lambda done, total: reports.append((done, total)),
    )
    assert computed == [0, 1, 2, 3, 4]
    assert reports == [(4, 5), (5, 5)]
    assert more.regret[:3].tobytes() == first.regret.tobytes()


@pytest.mark.parametrize("damage", ["bit", "short"])
def test_a_damaged_replicate_is_said_and_computed_again(
    tmp_path: Path, computed: list[int], damage: str
) -> None:
    undamaged = sweep.run(PLAN, tmp_path)
    path = files(tmp_path)[1]
    sound = path.read_bytes()
    row = json.loads(sound)
    index = row["settings"]["replicate"]
    if damage == "bit":
        at = sound.index(b"0x1.")
        path.write_bytes(sound[: at + 5] + bytes([sound[at + 5] ^ 1]) + sound[at + 6 :])
    else:  # sound, but for another number of checkpoints
        sweep.Store(tmp_path).save(row["settings"], undamaged.regret[index, :-1])
    computed.clear()
    messages: list[str] = []
    again = sweep.run(PLAN, tmp_path, warn=messages.append)
    assert computed == [index]
    damaged = [f"the stored replicate {path.name} is damaged and is computed again"]
    assert messages == ([] if damage == "short" else damaged)
    assert again.regret.tobytes() == undamaged.regret.tobytes()
    assert path.read_bytes() == sound
    assert (
        sweep.run(PLAN, tmp_path, warn=pytest.fail).regret.tobytes() == undamaged.regret.tobytes()
    )


CHANGES: tuple[dict[str, Any], ...] = (
    {"id": "vietri2020/riverswim-3-relabelled"},
    {"agent": "ubev"},
    {"counter": "none"},
    {"counter": "local", "calibration": "corrected"},
    {"calibration": "corrected"},
    {"calibration": "tight"},
    {"epsilon": 2e6},
    {"delta": 1e-6, "calibration": "corrected"},
    {"beta": 0.2},
    {"episodes": 501},
    {"stop_after": 499},
    {"seed": 5},
)


def test_every_setting_has_a_file_of_its_own(tmp_path: Path) -> None:
    plans = [PLAN, *(dataclasses.replace(PLAN, **change) for change in CHANGES)]
    keys = {sweep.Store.key(plan.settings(index)) for plan in plans for index in range(3)}
    assert len(keys) == 3 * len(plans)
    assert sweep.Store.key(PLAN.settings(1)) == sweep.Store.key(
        dataclasses.replace(PLAN, replicates=9).settings(1)
    )


@pytest.mark.parametrize("attribute", ["code_hash", "_environment_hash", "versions"])
def test_other_code_another_environment_or_other_libraries_discard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computed: list[int], attribute: str
) -> None:
    sweep.run(PLAN, tmp_path)
    monkeypatch.setattr(sweep, attribute, lambda *args: {"other": "one"})
    sweep.run(PLAN, tmp_path)
    assert computed == [0, 1, 2, 0, 1, 2]


def test_the_hashes_tell_environments_apart() -> None:
    # one environment, for the agents of two papers
    same = (
        "liao2021/riverswim-3-unscaled",
        "zhou2022/riverswim-3",
    )
    others = [identifier for identifier in suite.ids() if identifier != same[0]]
    assert len({sweep.environment_hash(identifier) for identifier in others}) == len(others)
    assert sweep.environment_hash(same[0]) == sweep.environment_hash(same[1])


def test_the_table_and_its_provenance(tmp_path: Path) -> None:
    plan = dataclasses.replace(PLAN, stop_after=300)
    sweep_run = sweep.run(plan, tmp_path / "runs")
    path = tmp_path / "some" / "table.csv"
    sweep.write(sweep_run, path)
    assert path.read_text(encoding="utf-8").splitlines()[0] == ",".join(sweep.COLUMNS)
    assert b"\r" not in path.read_bytes()
    table = pd.read_csv(path)
    marks = recorded(500)
    marks = marks[marks <= 300]
    assert len(table) == 3 * marks.size
    assert table["replicate"].tolist() == [index for index in range(3) for _ in marks]
    assert table["episode"].tolist() == [*marks] * 3
    np.testing.assert_allclose(table["regret"], sweep_run.regret.ravel(), rtol=1e-9)
    assert (table[list(sweep.COLUMNS[:7])] == [ID, "pucb", "tree", "printed", 1e6, 0, 500]).all(
        axis=None
    )
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert facts["columns"] == list(sweep.COLUMNS)
    assert set(facts["versions"]) == {"numpy", "numba", "scipy"}
    # no path of this machine
    assert not any(str(tmp_path) in str(value) for value in facts.values())
    assert (
        facts.items()
        >= {
            "id": ID,
            "agent": "pucb",
            "counter": "tree",
            "calibration": "printed",
            "epsilon": "1000000.0",
            "delta": 0.0,
            "planned": 500,
            "last": int(marks[-1]),
            "replicates": 3,
            "seed": 4,
            "code": sweep.code_hash(),
            "environment": sweep.environment_hash(ID),
        }.items()
    )


def test_no_noise_is_written_as_infinity(tmp_path: Path) -> None:
    sweep_run = sweep.run(RunPlan(ID, counter="none", episodes=20), tmp_path)
    sweep.write(sweep_run, tmp_path / "table.csv")
    assert (pd.read_csv(tmp_path / "table.csv")["epsilon"] == math.inf).all()
    assert json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))["epsilon"] == "inf"
