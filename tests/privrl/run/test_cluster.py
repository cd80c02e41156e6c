"""A question that one machine need not answer alone: swept through dask on two workers, and
answered from its table."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.privrl.cli.calls import PROCESS

SETTINGS = Path(__file__).parents[3] / "docs" / "cluster" / "question.toml"
PATIENCE = 600.0  # seconds
ENTRY = "vietri2020/riverswim-3-relabelled"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A scheduler's file; two workers, processes that share nothing with it but the file."""
    from distributed import Client

    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    here = [sys.executable, "-m"]
    commands = [
        [*here, "distributed.cli.dask_scheduler", *common, "--port", "0"],
        *[[*here, "distributed.cli.dask_worker", *common, "--nthreads", "1"]] * 2,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    try:
        with Client(scheduler_file=str(file), timeout=PATIENCE) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
        yield file
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


def swept(out: Path, *more: str) -> Path:
    """The table of the question at a tenth of its episodes and two of its seeds."""
    settings = ["--episodes", "5e3", "--seed", "0:2", "--out", str(out)]
    done = subprocess.run(
        [*PROCESS, "run", str(SETTINGS), *settings, *more],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return out / f"{ENTRY}.csv"


@pytest.mark.slow
def test_a_cluster_answers_as_one_machine_does(cluster: Path, tmp_path: Path) -> None:
    """To the byte; and the counters are in the order of their noise."""
    elsewhere = swept(tmp_path / "dask", "--engine", "dask", "--scheduler", str(cluster))
    here = swept(tmp_path / "here")
    assert elsewhere.read_bytes() == here.read_bytes()
    table = pd.read_csv(elsewhere)
    assert {"tree", "smooth", "blt"} <= set(table["counter"])
    ends = table[table["episode"] == table["episode"].max()]
    lost = ends[ends["epsilon"] == 10].groupby("counter")["regret"].mean()
    assert lost["blt"] < lost["smooth"] < lost["tree"]
