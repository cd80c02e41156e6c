"""The command ``run``: its tables, sweeps, what it says came of them, and what ends it."""

import errno
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privrl import PrivateUCBVI
from privrl.environments import suite
from privrl.run import simulate, sweep
from tests.privrl.cli.calls import ID, PROCESS, RIVER, answer, call, refusal
from tests.privrl.run.kills import A_HANG


def test_run_writes_its_table_and_continues(tmp_path: Path) -> None:
    args = [
        "run",
        ID,
        "--epsilon",
        "1e6",
        "--episodes",
        "1e3",
        "--stop-after",
        "400",
        "--seed",
        "3",
        "--replicates",
        "2",
        "--out",
        str(tmp_path),
    ]
    first = call(*args)
    assert first.exit_code == 0
    assert first.stderr == ""
    path = tmp_path / f"{ID}.csv"
    assert first.stdout.startswith(f"{path}: 2 x ")
    table = pd.read_csv(path)
    assert tuple(table.columns) == sweep.COLUMNS
    assert set(table["replicate"]) == {0, 1}
    assert table["episode"].max() == 400
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["seed"] == 3
    before = path.read_bytes()
    stored = sorted((tmp_path / "replicates").iterdir())
    stored[0].write_bytes(stored[0].read_bytes()[:50])
    again = call(*args)
    assert again.exit_code == 0
    assert (
        again.stderr == f"the stored replicate {stored[0].name} is damaged and is computed again\n"
    )
    assert path.read_bytes() == before


def test_a_table_names_the_multiplier_of_its_widths(tmp_path: Path) -> None:
    line = [
        "run",
        "vietri2020/chain-3",
        "--agent",
        "private-ucbvi,ucbvi",
        "--multiplier",
        "1,0.03",
        "--episodes=20",
    ]
    assert call(*line, "--out", str(tmp_path)).exit_code == 0
    path = tmp_path / "vietri2020" / "chain-3.csv"
    assert list(dict.fromkeys(pd.read_csv(path)["calibration"])) == ["tight", "tight*0.03"]
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [run["fields"]["multiplier"] for run in facts["runs"]] == ["1.0", "0.03"] * 2
    assert refusal("run", "vietri2020/chain-3", "--multiplier", "0").startswith(
        "multiplier must be "
    )


def test_plans_for_every_so_many_users_are_runs_of_their_own(tmp_path: Path) -> None:
    line = [
        "run",
        "vietri2020/chain-3",
        "--agent",
        "private-ucbvi",
        "--every",
        "1,20",
        "--episodes=60",
        "--epsilon=1e4",
        "--multiplier=0.01",
        "--out",
        str(tmp_path),
    ]
    assert call(*line).exit_code == 0
    path = tmp_path / "vietri2020" / "chain-3.csv"
    assert len(list((tmp_path / "replicates").iterdir())) == 2
    first, second = (rows["regret"].tolist() for _, rows in pd.read_csv(path).groupby("every"))
    agent = PrivateUCBVI(1e4, multiplier=0.01, every=20)
    again = simulate.run("x", suite.environment("vietri2020/chain-3"), agent, episodes=60)
    assert second == pytest.approx(again.regret[0].tolist(), rel=1e-9) and first != second
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [run["fields"]["every"] for run in facts["runs"]] == ["1", "20"]
    for few in ("60", "3000"):
        assert refusal(*line[:5], f"1,{few}", *line[6:]).startswith(
            "every must be < the episodes that are played, or no plan reads anything, got every="
        )
    assert refusal("run", "zhou2022/mixture-2", "--agent", "linopt-vi", "--every", "2").endswith(
        "got every=2, counter='tree', calibration='printed'"
    )
    says = "every must be 1 for ubev, which plans for every user, got every=2"
    assert refusal("run", "vietri2020/chain-3", "--agent", "ubev", "--every", "2") == says


def test_run_takes_grids_files_and_shards(tmp_path: Path) -> None:
    line = [
        "run",
        "vietri2020/chain-3",
        "--agent",
        "pucb,ubev",
        "--epsilon",
        "0.5,1",
        "--seed",
        "0:2",
        "--episodes=20",
    ]
    grid_folder, shard_folder = tmp_path / "one", tmp_path / "other"
    result = call(*line, "--out", str(grid_folder))
    # seeds together, the base once, what next
    assert result.exit_code == 0 and len(result.stdout.splitlines()) == 4
    table = pd.read_csv(grid_folder / "vietri2020" / "chain-3.csv")
    assert list(table.columns) == [*sweep.COLUMNS[:-2], "seed", *sweep.COLUMNS[-2:]]
    assert len(table.groupby(["agent", "epsilon", "seed"])) == 6
    facts = json.loads((grid_folder / "vietri2020" / "chain-3.json").read_text("utf-8"))
    assert [(run["agent"], run["seed"]) for run in facts["runs"]] == [
        ("pucb", 0),
        ("pucb", 1),
    ] * 2 + [("ubev", 0), ("ubev", 1)]
    assert all({"environment", "fields", "planned"} <= set(run) for run in facts["runs"])
    path = tmp_path / "sweep.toml"
    path.write_text(
        'id = "vietri2020/chain-3"\nagent = ["pucb", "ubev"]\nepsilon = [0.5, '
        '9]\nseed = "0:2"\n'
        "episodes = 20\n",
        "utf-8",
    )
    for shard in ("2/2", "1/2"):
        done = call(
            "run", str(path), "--epsilon", "0.5,1", "--shard", shard, "--out", str(shard_folder)
        )
        assert done.exit_code == 0 and done.stdout.startswith(f"shard {shard}: 3 replicates in ")
    assert not (shard_folder / "vietri2020").exists()
    assert call("run", str(path), "--epsilon", "0.5,1", "--out", str(shard_folder)).exit_code == 0
    for name in ("chain-3.csv", "chain-3.json"):
        assert (grid_folder / "vietri2020" / name).read_bytes() == (
            shard_folder / "vietri2020" / name
        ).read_bytes()
    rows = answer("store", str(shard_folder / "replicates"))
    assert sum(row["replicates"] for row in rows) == 6 and {row["state"] for row in rows} == {
        "current"
    }
    (shard_folder / "replicates" / f"{'0' * 24}.json").touch()
    assert (
        call("store", str(shard_folder / "replicates"), "--prune").stderr
        == "privrl: 1 files removed\n"
    )


def test_no_run_replaces_anothers_table_unasked(tmp_path: Path) -> None:
    line, path = (
        ["run", ID, "--episodes", "20", "--out", str(tmp_path), "--epsilon"],
        tmp_path / f"{ID}.csv",
    )
    assert call(*line, "1").exit_code == 0
    before = path.read_bytes()
    says = f"{path} holds other runs: `--out FOLDER` keeps both, `--force` replaces it"
    for arguments in (
        "2",
        "1 --seed 1",
        "1 --stop-after 10",
        "1 --agent ubev",
        "1 --beta 0.2",
        "1 --episodes 30",
    ):
        assert refusal(*line, *arguments.split()) == says
    # nothing of the old table is lost
    assert call(*line, "1,2", "--replicates", "2").exit_code == 0
    assert set(pd.read_csv(path)["epsilon"]) == {1, 2}
    assert refusal(*line, "1,2") == says  # a replicate each would be
    assert call(*line, "1", "--force").exit_code == 0 and path.read_bytes() == before
    for text in ("{", "[]", "{}"):
        path.with_suffix(".json").write_text(text, "utf-8")
        assert refusal(*line, "1") == says
    path.with_suffix(".json").unlink()
    assert refusal(*line, "1") == says
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"{RIVER} --agent ubev --episodes 1e4 --replicates 2", "; has learnt from user "),
        (
            f"{RIVER} --episodes 1e3 --replicates 2",
            "; has not learnt in 2 of 2 runs\n",
        ),
        (
            f"{RIVER} --episodes 1e3",
            " after 1,000 episodes; has not learnt\n",
        ),
        (
            f"{ID} --episodes 1e3",
            ("; a constant action gets 98% of V* here; has not learnt\n"),
        ),
    ],
)
def test_run_says_what_came_of_it_and_what_to_do_next(tmp_path: Path, line: str, says: str) -> None:
    output = call("run", *line.split(), "--out", str(tmp_path)).stdout
    assert says in output and output.endswith(
        f"next: privrl plot {tmp_path / line.partition(' ')[0]}.csv\n"
    )


@pytest.mark.slow
def test_an_mdp_of_ones_own_is_run_stored_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    river = suite.tabular(RIVER)
    arrays = {
        "transitions": river.transitions,
        "rewards": river.rewards,
        "initial": river.initial,
        "bernoulli": np.bool_(river.bernoulli),
    }
    monkeypatch.chdir(tmp_path)
    Path("deep").mkdir()
    np.savez("deep/mine.npz", **arrays)  # type: ignore[arg-type]
    tables = {name: value.tolist() for name, value in arrays.items()}
    Path("mine.toml").write_text(
        "\n".join(f"{name} = {json.dumps(value)}" for name, value in tables.items()), "utf-8"
    )
    line = ["--agent", "ubev", "--episodes", "1e4", "--replicates", "2"]
    outputs = [
        call("run", name, *line, "--force").stdout for name in ("deep/mine.npz", "mine.toml")
    ]
    custom_table = pd.read_csv("out/mine.csv")
    suites = call("run", RIVER, *line).stdout
    assert [output.partition(": ")[2].splitlines()[0] for output in outputs] == [
        suites.partition(": ")[2].splitlines()[0]
    ] * 2
    assert custom_table["regret"].equals(pd.read_csv(f"out/{RIVER}.csv")["regret"]) and set(
        custom_table["id"]
    ) == {"mine.toml"}
    assert call("plot", "out/mine.csv").exit_code == 0
    rows = answer("store")
    assert [(row["id"], row["state"]) for row in rows] == [
        (name, "current") for name in ("deep/mine.npz", "mine.toml", RIVER)
    ]
    says = "the files of a sweep must differ in name, got ids=['deep/mine.npz', 'mine.toml']"
    assert refusal("run", "deep/mine.npz,mine.toml", *line) == says
    np.savez("deep/mine.npz", **{**arrays, "rewards": river.rewards / 2})  # type: ignore[arg-type]
    assert [row["state"] for row in answer("store")] == ["other code", "current", "current"]
    Path("mine.toml").unlink()
    assert [row["state"] for row in answer("store")] == ["other code", "other code", "current"]
    assert refusal("run", "mine.toml").startswith("No such file or directory: ")
    Path("deep/mine.npz").write_bytes(b"PK\x03\x04")
    assert refusal("run", "deep/mine.npz").startswith("mine.npz must be a whole npz of numbers")


def test_what_fails_and_a_full_disk_exit_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(*args: Any, **more: Any) -> None:
        raise RuntimeError("odd")

    with monkeypatch.context() as patch:
        patch.setattr(simulate, "replicate", odd)
        result = call("run", ID, "--episodes", "20", "--out", str(tmp_path))
    assert result.exit_code == 1 and result.stdout == ""
    assert "privrl: 1 of 1 replicates failed, the others are stored: " in result.stderr

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = call("run", ID, "--episodes", "20", "--out", str(tmp_path))
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith(
        "privrl: the disk is full; what was finished is kept, make room and start again"
    )
    monkeypatch.undo()
    assert call("run", ID, "--episodes", "20", "--out", str(tmp_path)).exit_code == 0
    monkeypatch.setattr(os, "fsync", full)  # every replicate is stored, and the table has no room
    result = call("run", ID, "--episodes", "20", "--out", str(tmp_path))
    assert result.exit_code == 1 and result.stderr.startswith("privrl: the disk is full; ")


@pytest.mark.slow
def test_dask_workers_that_are_killed_at_their_start_get_a_sentence(tmp_path: Path) -> None:
    """Every process that dask spawns kills itself before its first import."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        "utf-8",
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    args = ["run", ID, "--episodes", "20", "--engine", "dask", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [*PROCESS, *args],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=A_HANG,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "privrl: a dask worker ended before it had started; start again to continue: "
        "Nanny failed to start.\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("identifier", suite.ids())
def test_run_knows_every_id(tmp_path: Path, identifier: str) -> None:
    assert call("run", identifier, "--episodes", "2", "--out", str(tmp_path)).exit_code == 0
    assert (tmp_path / f"{identifier}.csv").exists()
