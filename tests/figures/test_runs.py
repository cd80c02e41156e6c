"""Tables of long runs: round trip, recomputation, refusals."""

import json
from pathlib import Path

import numpy as np
import pytest

from figures import runs
from privrl.environments import suite
from privrl.run import simulate, sweep
from privrl.run.sweep import RunPlan
from tests.figures import checksum

ENTRY = "vietri2020/riverswim-3-relabelled"
PLANS = [
    RunPlan(ENTRY, calibration="tight", epsilon=100.0, episodes=2000, replicates=2),
    RunPlan(ENTRY, agent="ubev", counter="none", episodes=2000, replicates=2),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "small.csv"
    runs.recompute(PLANS, path)
    return path


def test_a_table_is_what_the_simulation_gives_to_ten_digits(table: Path) -> None:
    stored_runs = runs.read("small", table.parent)
    for plan, run in zip(PLANS, stored_runs, strict=True):
        fresh = simulate.run(
            plan.id, suite.tabular(ENTRY), plan.build_agent(), episodes=2000, replicates=2
        )
        assert (run.id, run.agent, run.calibration, run.epsilon, run.planned) == (
            fresh.id,
            fresh.agent,
            fresh.calibration,
            fresh.epsilon,
            fresh.planned,
        )
        assert (run.episodes == fresh.episodes).all()
        np.testing.assert_allclose(run.regret, fresh.regret, rtol=1e-9)
    lines = table.read_text("utf-8").splitlines()
    assert lines[0].startswith(",".join([*runs.LABELS, "1", "2", "3"]) + ",")
    assert lines[0].endswith(",1980,1995,2000") and len(lines) == 1 + 4
    assert lines[1].startswith(f"{ENTRY},pucb,tree,tight,100,0,2000,0,0.18203125,")
    assert lines[4].startswith(f"{ENTRY},ubev,none,printed,inf,0,2000,1,")


def test_recomputing_again_reads_what_is_stored_and_gives_the_same_bytes(table: Path) -> None:
    before, stored = table.read_bytes(), sorted((table.parent / "replicates").rglob("*.json"))
    times = [path.stat().st_mtime_ns for path in stored]
    runs.recompute(PLANS, table)
    assert table.read_bytes() == before and stored
    assert [path.stat().st_mtime_ns for path in stored] == times


def test_the_provenance_beside_a_table_names_what_made_it(table: Path) -> None:
    facts = json.loads(table.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == checksum(table)
    assert facts["environments"] == {ENTRY: sweep.environment_hash(ENTRY)}
    assert facts["code"] == sweep.code_hash()
    assert [run["agent"] for run in facts["runs"]] == ["pucb", "ubev"]
    assert facts["runs"][0]["replicates"] == 2 and facts["runs"][0]["last"] == 2000


@pytest.mark.parametrize("name", sorted(path.stem for path in runs.TABLES.glob("*.csv")))
def test_every_committed_table_is_the_one_that_its_provenance_names(name: str) -> None:
    """One changed digit of a long run is noticed, also where no run recomputes it."""
    facts = json.loads((runs.TABLES / f"{name}.json").read_text("utf-8"))
    assert facts["sha256"] == checksum(runs.TABLES / f"{name}.csv")


def test_a_folder_without_the_table_means_the_committed_one(tmp_path: Path) -> None:
    assert len(runs.read("vietri2020_regret", tmp_path)) == len(runs.read("vietri2020_regret"))


def test_a_table_of_another_shape_is_refused(table: Path, tmp_path: Path) -> None:
    lines = table.read_text("utf-8").splitlines(keepends=True)
    emptied = lines[1].rpartition(",")[0] + ",\n"
    (tmp_path / "gap.csv").write_text("".join([lines[0], emptied, *lines[2:]]), "utf-8")
    with pytest.raises(ValueError, match="must share their checkpoints"):
        runs.read("gap", tmp_path)
    (tmp_path / "other.csv").write_text("".join(["a,b\n", "1,2\n"]), "utf-8")
    with pytest.raises(ValueError, match="columns must begin with id, agent"):
        runs.read("other", tmp_path)
