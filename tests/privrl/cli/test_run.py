"""The command ``run``, the command line as a process, and one sentence for whatever makes no sense.

Bad values are offered to every option of every command as the commands themselves declare them.
"""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest

from figures import yours
from privrl import PrivateUCBVI
from privrl.cli import common as cli
from privrl.cli.run import Axis
from privrl.environments import suite
from privrl.run import grids, simulate, sweep
from tests.privrl.cli.calls import COMMANDS, ID, answer, call, refusal
from tests.privrl.run.kills import A_HANG

PROCESS = [sys.executable, "-m", "privrl"]


def test_run_writes_its_table_and_continues(tmp_path: Path) -> None:
    args = ["run", ID, "--epsilon", "1e6", "--episodes", "1e3", "--stop-after", "400", "--seed", "3",
            "--replicates", "2", "--out", str(tmp_path)]
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
    assert again.stderr == f"the stored replicate {stored[0].name} is damaged and is computed again\n"
    assert path.read_bytes() == before


def test_a_table_names_the_multiplier_of_its_widths(tmp_path: Path) -> None:
    line = ["run", "vietri2020/chain-3", "--agent", "private-ucbvi,ucbvi", "--multiplier", "1,0.03", "--episodes=20"]
    assert call(*line, "--out", str(tmp_path)).exit_code == 0
    path = tmp_path / "vietri2020" / "chain-3.csv"
    assert list(dict.fromkeys(pd.read_csv(path)["calibration"])) == ["tight", "tight*0.03"]
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [run["fields"]["multiplier"] for run in facts["runs"]] == ["1.0", "0.03"] * 2
    assert refusal("run", "vietri2020/chain-3", "--multiplier", "0").startswith("multiplier must be ")


def test_plans_for_every_so_many_users_are_runs_of_their_own(tmp_path: Path) -> None:
    line = ["run", "vietri2020/chain-3", "--agent", "private-ucbvi", "--every", "1,20", "--episodes=60",
            "--epsilon=1e4", "--multiplier=0.01", "--out", str(tmp_path)]
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
            "every must be < the episodes that are played, or no plan reads anything, got every=")
    assert refusal("run", "zhou2022/mixture-2", "--agent", "linopt-vi", "--every", "2").endswith(
        "got every=2, counter='tree', calibration='printed'")
    says = "every must be 1 for ubev, which plans for every user, got every=2"
    assert refusal("run", "vietri2020/chain-3", "--agent", "ubev", "--every", "2") == says
    for agent, words in (("private-ucbvi", "every must be 1 over the counter local"), ("pucb", "every must be >= 1")):
        every = "2" if agent == "private-ucbvi" else "0"
        found = refusal("run", "vietri2020/chain-3", "--agent", agent, "--counter", "local", "--every", every)
        assert found.startswith(words)


def test_run_takes_grids_files_and_shards(tmp_path: Path) -> None:
    line = ["run", "vietri2020/chain-3", "--agent", "pucb,ubev", "--epsilon", "0.5,1", "--seed", "0:2", "--episodes=20"]
    one, other = tmp_path / "one", tmp_path / "other"
    result = call(*line, "--out", str(one))
    assert result.exit_code == 0 and len(result.stdout.splitlines()) == 4  # seeds together, the base once, what next
    table = pd.read_csv(one / "vietri2020" / "chain-3.csv")
    assert list(table.columns) == [*sweep.COLUMNS[:-2], "seed", *sweep.COLUMNS[-2:]]
    assert len(table.groupby(["agent", "epsilon", "seed"])) == 6
    facts = json.loads((one / "vietri2020" / "chain-3.json").read_text("utf-8"))
    assert [(run["agent"], run["seed"]) for run in facts["runs"]] == [("pucb", 0), ("pucb", 1)] * 2 + [
        ("ubev", 0), ("ubev", 1)]  # fmt: skip
    assert all({"environment", "fields", "planned"} <= set(run) for run in facts["runs"])
    path = tmp_path / "sweep.toml"
    path.write_text('id = "vietri2020/chain-3"\nagent = ["pucb", "ubev"]\nepsilon = [0.5, 9]\nseed = "0:2"\n'
                    "episodes = 20\n", "utf-8")  # fmt: skip
    for part in ("2/2", "1/2"):
        done = call("run", str(path), "--epsilon", "0.5,1", "--shard", part, "--out", str(other))
        assert done.exit_code == 0 and done.stdout.startswith(f"shard {part}: 3 replicates in ")
    assert not (other / "vietri2020").exists()
    assert call("run", str(path), "--epsilon", "0.5,1", "--out", str(other)).exit_code == 0
    for name in ("chain-3.csv", "chain-3.json"):
        assert (one / "vietri2020" / name).read_bytes() == (other / "vietri2020" / name).read_bytes()
    rows = answer("store", str(other / "replicates"))
    assert sum(row["replicates"] for row in rows) == 6 and {row["state"] for row in rows} == {"current"}
    (other / "replicates" / f"{'0' * 24}.json").touch()
    assert call("store", str(other / "replicates"), "--prune").stderr == "privrl: 1 files removed\n"


RIVER = "vietri2020/riverswim-3-relabelled"


def test_no_run_replaces_anothers_table_unasked(tmp_path: Path) -> None:
    line, path = ["run", ID, "--episodes", "20", "--out", str(tmp_path), "--epsilon"], tmp_path / f"{ID}.csv"
    assert call(*line, "1").exit_code == 0
    before = path.read_bytes()
    says = f"{path} holds other runs: `--out FOLDER` keeps both, `--force` replaces it"
    for other in ("2", "1 --seed 1", "1 --stop-after 10", "1 --agent ubev", "1 --beta 0.2", "1 --episodes 30"):
        assert refusal(*line, *other.split()) == says
    assert call(*line, "1,2", "--replicates", "2").exit_code == 0  # nothing of the old table is lost
    assert set(pd.read_csv(path)["epsilon"]) == {1, 2}
    assert refusal(*line, "1,2") == says  # a replicate each would be
    assert call(*line, "1", "--force").exit_code == 0 and path.read_bytes() == before
    for text in ("{", "[]", "{}"):
        path.with_suffix(".json").write_text(text, "utf-8")
        assert refusal(*line, "1") == says
    path.with_suffix(".json").unlink()
    assert refusal(*line, "1") == says
    assert path.read_bytes() == before


@pytest.mark.parametrize(("line", "says"), [
    (f"{RIVER} --agent ubev --episodes 1e4 --replicates 2", "; has learnt from episode "),
    (f"{RIVER} --episodes 1e3 --replicates 2", " after 1,000 episodes; not learnt\n"),
    (f"{RIVER} --episodes 1e3", "; learnt or not is not defined: an interval needs at least 2 replicates"),
    (f"{ID} --episodes 1e3", ("; whether it has learnt does not show here: a constant action gets 98% of V*. The last "
                              "tenth lost 0.182 an episode, uniform play loses 0.182\n")),
])
def test_run_says_what_came_of_it_and_what_to_do_next(tmp_path: Path, line: str, says: str) -> None:
    shown = call("run", *line.split(), "--out", str(tmp_path)).stdout
    assert says in shown and shown.endswith(f"next: privrl plot {tmp_path / line.partition(' ')[0]}.csv\n")


def test_an_mdp_of_ones_own_is_run_stored_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    river = suite.tabular(RIVER)
    arrays = {"transitions": river.transitions, "rewards": river.rewards, "initial": river.initial,
              "bernoulli": np.bool_(river.bernoulli)}
    monkeypatch.chdir(tmp_path)
    Path("deep").mkdir()
    np.savez("deep/mine.npz", **arrays)
    tables = {name: value.tolist() for name, value in arrays.items()}
    Path("mine.toml").write_text("\n".join(f"{name} = {json.dumps(value)}" for name, value in tables.items()), "utf-8")
    line = ["--agent", "ubev", "--episodes", "1e4", "--replicates", "2"]
    shown = [call("run", name, *line, "--force").stdout for name in ("deep/mine.npz", "mine.toml")]
    own = pd.read_csv("out/mine.csv")
    suites = call("run", RIVER, *line).stdout
    assert [one.partition(": ")[2].splitlines()[0] for one in shown] == [suites.partition(": ")[2].splitlines()[0]] * 2
    assert own["regret"].equals(pd.read_csv(f"out/{RIVER}.csv")["regret"]) and set(own["id"]) == {"mine.toml"}
    assert call("plot", "out/mine.csv").exit_code == 0
    rows = answer("store")
    assert [(row["id"], row["state"]) for row in rows] == [(name, "current") for name in (
        "deep/mine.npz", "mine.toml", RIVER)]
    says = "the files of a sweep must differ in name, got ids=['deep/mine.npz', 'mine.toml']"
    assert refusal("run", "deep/mine.npz,mine.toml", *line) == says
    np.savez("deep/mine.npz", **{**arrays, "rewards": river.rewards / 2})
    assert [row["state"] for row in answer("store")] == ["other code", "current", "current"]
    Path("mine.toml").unlink()
    assert [row["state"] for row in answer("store")] == ["other code", "other code", "current"]
    assert refusal("run", "mine.toml").startswith("No such file or directory: ")
    Path("deep/mine.npz").write_bytes(b"PK\x03\x04")
    assert refusal("run", "deep/mine.npz").startswith("mine.npz must be a whole npz of numbers")


def test_plot_draws_what_run_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = ["run", RIVER, "--agent", "ubev,pucb", "--episodes", "200", "--seed", "0:2", "--out", str(tmp_path)]
    table = tmp_path / f"{RIVER}.csv"
    drawn, original = [], yours.between
    monkeypatch.setattr(yours, "between", lambda *args: drawn.append(original(*args)) or drawn[-1])
    assert call(*line).exit_code == 0
    assert call("plot", str(table)).stdout == f"{table.with_suffix('.png')}\n"
    assert table.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert call("plot", str(table), "--out", str(tmp_path / "x.pdf")).exit_code == 0
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    figure, ends = drawn[0]
    lines = {one.get_label(): one for one in figure.axes[0].lines}
    assert set(lines) == set(ends.index) and set(list(lines)[2:]) == {
        "uniform play", "best constant action", "trivial bound"}
    rows = pd.read_csv(table)
    for (agent, same), label in zip(rows.groupby("agent", sort=False), lines, strict=False):
        assert label.startswith(agent)
        assert lines[label].get_ydata()[-1] == pytest.approx(same[same["episode"] == 200]["regret"].mean())
    assert lines["trivial bound"].get_ydata()[-1] == 3 * 200


@pytest.mark.parametrize(("option", "values"), [
    ("every", ["1", "10"]), ("beta", ["0.1", "0.5"]), ("delta", ["1e-06", "1e-05"]), ("episodes", ["60", "80"])])
def test_runs_that_differ_have_labels_rows_and_lines_of_their_own(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, values: list[str]) -> None:
    drawn: list[Any] = []
    original, table = yours.between, tmp_path / "vietri2020" / "chain-3.csv"
    monkeypatch.setattr(yours, "between", lambda *args: drawn.append(args[0]) or original(*args))
    line = ["run", "vietri2020/chain-3", "--agent", "private-ucbvi", "--delta", "1e-6", "--episodes", "100",
            "--stop-after", "50", "--replicates", "2", "--out", str(tmp_path)]
    shown = call(*line, f"--{option}", ",".join(values)).stdout.splitlines()
    name = "planned" if option == "episodes" else option
    assert [f" {name} {value}, regret" in row for value, row in zip(values, shown, strict=False)] == [True, True]
    rows = pd.read_csv(table)
    assert not rows.duplicated([column for column in rows.columns if column != "regret"]).any()
    assert sorted(rows[name].unique()) == sorted(map(float, values))
    assert call("plot", str(table)).exit_code == 0
    assert [label.split(f"{name} ")[1] for label in drawn[0]] == values
    assert all(run.regret.shape[0] == 2 for run in drawn[0].values())


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n", "utf-8")
    (tmp_path / "y.csv").touch()
    for name in ("x.csv", "y.csv"):
        says = f"the table must be one that `privrl run` wrote, got table='{name}'"
        assert refusal("plot", str(tmp_path / name)) == says
    call("run", f"{ID},vietri2020/chain-3", "--episodes", "2", "--out", str(tmp_path))
    both = pd.concat([pd.read_csv(tmp_path / f"{name}.csv") for name in (ID, "vietri2020/chain-3")])
    both.to_csv(tmp_path / "both.csv", index=False)
    assert refusal("plot", str(tmp_path / "both.csv")).startswith("a table must have runs of one environment")
    call("run", ID, "--epsilon", ",".join(map(str, range(1, 12))), "--episodes", "2", "--force", "--out", str(tmp_path))
    assert refusal("plot", str(tmp_path / f"{ID}.csv")).startswith("a table must have at most 10 settings")


def test_what_fails_and_a_full_disk_exit_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(*args: Any) -> None:
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
    assert result.stderr.startswith("privrl: the disk is full; what was finished is kept, make room and start again")
    monkeypatch.undo()
    assert call("run", ID, "--episodes", "20", "--out", str(tmp_path)).exit_code == 0
    monkeypatch.setattr(os, "fsync", full)  # every replicate is stored, and the table has no room
    result = call("run", ID, "--episodes", "20", "--out", str(tmp_path))
    assert result.exit_code == 1 and result.stderr.startswith("privrl: the disk is full; ")


def test_dask_workers_that_are_killed_at_their_start_get_a_sentence(tmp_path: Path) -> None:
    """Every process that dask spawns kills itself before its first import."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n", "utf-8")  # fmt: skip
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    args = ["run", ID, "--episodes", "20", "--engine", "dask", "--out", str(tmp_path / "out")]
    done = subprocess.run([*PROCESS, *args], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
                          check=False, timeout=A_HANG)  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("privrl: a dask worker ended before it had started; start again to continue: "
                           "Nanny failed to start.\n")


@pytest.mark.parametrize("identifier", suite.ids())
def test_run_knows_every_id(tmp_path: Path, identifier: str) -> None:
    assert call("run", identifier, "--episodes", "2", "--out", str(tmp_path)).exit_code == 0
    assert (tmp_path / f"{identifier}.csv").exists()


def test_python_m_privrl() -> None:
    wrong = subprocess.run([*PROCESS, "run", "nothing"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("privrl: id must be one of the suite's")
    assert wrong.stderr.count("\n") == 1


@pytest.mark.parametrize(("line", "says"), [
    ("check vietri2020/claim-2", b"claims"), ("horizon vietri2020 --epsilon 1e6", b"solving for the users"),
])  # fmt: skip
def test_a_terminal_sees_that_something_happens_and_a_pipe_only_the_answer(line: str, says: bytes) -> None:
    surroundings, command = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}, [*PROCESS, *line.split()]
    piped = subprocess.run(command, capture_output=True, env=surroundings, check=True)
    read, terminal = os.openpty()
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=surroundings, check=True)
    assert (piped.stdout, piped.stderr) == (shown.stdout, b"")
    assert says in os.read(read, 65536)
    os.close(terminal)
    os.close(read)


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    args = ["check", "--recorded", "--json"]
    done = subprocess.run([*PROCESS, *args], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_continues(tmp_path: Path, number: signal.Signals) -> None:
    args = ["run", ID, "--episodes", "2e6", "--replicates", "8", "--out", str(tmp_path), "--agent", "ubev"]
    # a shell starts background jobs with SIGINT ignored, and they hand that on: undo it, however the tests were started
    program = ("import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
               "runpy.run_module('privrl', run_name='__main__', alter_sys=True)")
    running = subprocess.Popen([sys.executable, "-c", program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    stored = tmp_path / "replicates"
    while not list(stored.glob("*.json")) and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(number)
    out, err = running.communicate(timeout=A_HANG)
    assert (running.returncode, out) == (128 + number, "")
    assert err.lstrip() == "privrl: interrupted; finished replicates are kept, start again to continue\n"
    kept = {path.name: path.stat().st_mtime_ns for path in stored.glob("*.json")}
    assert 1 <= len(kept) < 8
    assert call(*args).exit_code == 0
    assert {path.name: path.stat().st_mtime_ns for path in stored.glob("*.json")}.items() >= kept.items()
    assert len(pd.read_csv(tmp_path / f"{ID}.csv")["replicate"].unique()) == 8


@pytest.mark.parametrize(("module", "number"), [
    ("privrl.cli", signal.SIGINT), ("numpy", signal.SIGTERM), ("joblib", signal.SIGINT), ("numba", signal.SIGINT),
    ("scipy", signal.SIGTERM),
])  # fmt: skip
def test_a_signal_during_the_imports_gets_a_sentence(tmp_path: Path, module: str, number: signal.Signals) -> None:
    """It comes while the module is looked for; before ``privrl.__main__`` runs it is Python's to answer."""
    program = f"""
import os, runpy, signal, sys

class Early:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {int(number)})

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Early)
runpy.run_module("privrl", run_name="__main__", alter_sys=True)
"""
    args = ["run", ID, "--episodes", "2e6", "--out", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", f"{cli.INTERRUPTED}\n")


BAD_NUMBERS = ("nan", "-1", "-1e-3", "inf", "-inf", "x", "", "1e999", "1,5", "0x10", "½", "1" * 400, "--")
BAD_COUNTS = (*BAD_NUMBERS[:9], "0.5", "-5", "1.5", "1e-3", "2e400", "9.5", "9" * 5000)
BAD_WORDS = ("", "Tree", "other", "tree ", "-", "--json", "🌳", "x" * 500)
NEEDED = {"store": [], "run": [ID, "--episodes", "10"],
          "sigma": ["vietri2020"], "horizon": ["vietri2020", "--epsilon", "1e8"],
          "advise": ["--states", "3", "--actions", "2", "--horizon", "3"], "figures": ["vietri2020_hard_mdp"],
          "papers": [], "check": ["vietri2020/claim-2", "--recorded"], "bench": [],
          "audit": ["vietri2020/chain-3", "--trials", "1000"]}


def offered() -> list[tuple[str, str, tuple[str, ...]]]:
    """(command, option, values that it must refuse) for every option that takes a value."""
    found = []
    for name, command in COMMANDS.items():
        for param in command.params:
            if not isinstance(param, click.Option) or param.is_flag or isinstance(param.type, click.Path):
                continue
            kind = {type(click.FLOAT): BAD_NUMBERS, cli.Whole: BAD_COUNTS}.get(type(param.type), BAD_WORDS)  # type: ignore[call-overload]
            if isinstance(param.type, Axis):  # several values: one that is bad spoils all
                words, reals = param.name in grids.WORDS, param.name in grids.REALS
                kind = BAD_WORDS if words else BAD_NUMBERS if reals else BAD_COUNTS
                kind = tuple("1,x" if value == "1,5" else value for value in kind)
            found.append((name, param.opts[0], kind))
    return found


@pytest.mark.parametrize("case", offered(), ids=lambda case: " ".join(case[:2]))
def test_bad_values_are_refused_by_every_option(tmp_path: Path, case: tuple[str, str, tuple[str, ...]]) -> None:
    name, option, values = case
    out = ["--out", str(tmp_path)] if name in ("run", "figures") else []
    for value in values:
        assert refusal(name, *NEEDED[name], *out, f"{option}={value}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("args", "says"), [
    (["run"], "privrl run needs ID|MDP.npz|FILE.toml; `privrl list` has all ids. Example: privrl run vietri20"),
    (["plot", "nothing.csv"], "File 'nothing.csv' does not exist."),
    (["bogus"], "No such command 'bogus'."),
    (["--bogus"], "No such option"),
    (["run", ID, "--bogus", "1"], "No such option"),
    (["sigma", "vietri2020", "--epsilon"], "Option '--epsilon' requires an argument."),
    (["run", ID, "more"], "Got unexpected extra argument"),
    (["papers", "more"], "Got unexpected extra argument"),
    (["run", "vietri2020/riverswim-4"], "id must be one of the suite's (nearest: vietri2020/riverswim-3"),
    (["run", ID, "--episodes", "0"], "episodes must be >= 1, got episodes=0"),
    (["run", ID, "--epsilon", "-1"], "epsilon must be > 0 and finite, got epsilon=-1.0"),
    (["run", ID, "--delta", "1"], "delta must be in [0, 1), got delta=1.0"),
    (["run", ID, "--delta", "0.1"], "calibration printed exists for the tree counter with Laplace noise"),
    (["run", ID, "--episodes", "5", "--stop-after", "6"], "stop_after must be <= episodes, got stop_after=6, epis"),
    (["run", ID, "--agent", "ubev", "--epsilon", "0"], "epsilon must be > 0 and finite, got epsilon=0.0"),
    (["run", ID, "--episodes", "1"], "episodes must be >= 2, got episodes=1"),
    (["run", ID, "--episodes", "1e30"], "episodes must be <= 9007199254740992"),
    (["check", "vietri2020/theorem-99"], "id='vietri2020/theorem-99'"),
    (["check", "vietri2020/lemma18"], "(nearest: vietri2020/lemma-18, "),
    (["sigma", "nobody1999"], "paper must be one of vietri2020, chowdhury2021, liao2021, zhou2022"),
    (["sigma", "pucb", "--derive"], "--derive and --adjacency are for a paper, got agent='pucb'"),
    (["sigma", "zhou2022", "--counter", "blt"], "--counter and --calibration are for an agent, got paper='zhou2022'"),
    (["sigma", "pucb", "--counter", "signed", "--delta", "0.1"], "the counter signed must have laplace noise"),
    (["sigma", "linopt-vi", "--dim", "1"], "dim must be >= 2, got dim=1"),
    (["sigma", "zhou2022", "--delta", "0"], "delta must be in (0, 1), got delta=0.0"),
    (["horizon", "nobody1999"], "paper must be one of vietri2020"),
    (["figures", "vietri2020_hard_mdq"], "vietri2020_hard_mdp"),
])
def test_a_request_that_makes_no_sense(tmp_path: Path, args: list[str], says: str) -> None:
    out = ["--out", str(tmp_path / "out")] if args[0] in ("run", "figures") and len(args) > 1 else []
    assert says in refusal(*args, *out)
    assert not list(tmp_path.rglob("*.csv"))


RANGE = "must be in [1e-20, 1e+20], got "


@pytest.mark.parametrize(("line", "says"), [
    ("sigma zhou2022 --horizon 1e308", "horizon must be <= 1000000, got "),
    ("sigma liao2021 --horizon 1e5", "horizon must be <= 10000, got "),
    ("sigma zhou2022 --dim 1e308", "dimension must be <= 1000000, got "),
    ("sigma chowdhury2021 --gamma 1e308", f"gamma {RANGE}"), ("sigma vietri2020 --epsilon 1e-320", f"epsilon {RANGE}"),
    ("sigma liao2021 --epsilon 5e-324", f"epsilon {RANGE}"),
    ("sigma zhou2022 --delta 5e-324", "delta must be >= 1e-20"),
    ("sigma chowdhury2021 --states 1e5 --horizon 1e4", "horizon * (states + actions) must be <= 10^7, got "),
    ("horizon chowdhury2021 --states 1e308", "states must be <= 1000000, got "),
    ("horizon chowdhury2021 --states 300", "states must be <= 10 for chowdhury2021's horizon, got "),
    ("horizon chowdhury2021 --gamma 1e308", f"gamma {RANGE}"),
    ("horizon vietri2020 --states 1e5", "horizon * states^2 * actions must be <= 10^8"),
    ("horizon liao2021 --horizon 1e4", "horizon must be <= 100 for liao2021's horizon, got "),
    ("horizon zhou2022 --horizon 99999999999999999999999", "horizon must be <= 1000000, got "),
    ("horizon vietri2020 --beta 5e-324", "beta must be >= 1e-20, got "),
    ("horizon vietri2020 --epsilon 1e308", f"epsilon {RANGE}"),
    (f"run {ID} --replicates 1e30", "replicates must be <= 1000000, got "),
    (f"run {ID} --jobs 1e30", "jobs must be <= 10000, got "),
    (f"run {ID} --episodes 10 --beta 5e-324", "beta must be >= 1e-20, got "),
    ("run liao2021/riverswim-3 --agent ldp-ucrl-vtr --constant 1e308", f"constant {RANGE}"),
    (f"audit {ID} --trials 1e30", "trials must be <= 1000000000, got "),
    (f"audit {ID} --releases 1e30", "releases must be <= 4611686018427387904, got "),
    (f"audit {ID} --alpha 5e-324", "alpha must be >= 1e-20, got alpha=5e-324"),
    ("figures vietri2020_hard_mdp --jobs 1e30", "jobs must be <= 10000, got "),
])  # fmt: skip
def test_sizes_beyond_sense_get_a_sentence_at_once(tmp_path: Path, line: str, says: str) -> None:
    out = ["--out", str(tmp_path)] if line.startswith(("run", "figures")) else []
    assert refusal(*line.split(), *out).startswith(says)


def test_a_long_sweep_says_how_long_before_it_is_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(grids, "grid", stop)
    result = call("run", ID, "--seed", "0:1000000", "--out", str(tmp_path))
    assert result.stderr.startswith("1000000 replicates are planned before the first is played: some minutes\n")


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is a file" in refusal("run", ID, "--episodes", "5", "--out", str(tmp_path / "file"))
    assert "Not a directory" in refusal("run", ID, "--episodes", "5", "--out", str(tmp_path / "file" / "below"))
