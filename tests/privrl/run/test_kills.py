"""Twenty SIGKILLs at random moments, on every engine: minutes, so run by name (``pytest -m long
tests/privrl``)."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from privrl.run import sweep
from privrl.run.sweep import RunPlan

# about half a second each
PLANS = (RunPlan("vietri2020/riverswim-3", "ubev", episodes=10**6, replicates=200),)
WORKERS, KILLS = 2, 20
CLIENT = f"""
import sys
from pathlib import Path
from privrl.run import sweep
from privrl.run.engines import Engine
from tests.privrl.run.kills import Trouble
from tests.privrl.run.test_kills import PLANS
if __name__ == "__main__":
    folder = Path(sys.argv[1])
    engine = Engine(sys.argv[2], {WORKERS})
    runs = sweep.run_all(PLANS, folder / "runs", engine, work=Trouble(folder / "log"))
    sweep.write(runs, folder / "made.csv", PLANS)
"""


def workers_of(client: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes that compute, not dask's or loky's helpers: those that have spent more than a
    second."""
    try:
        children = psutil.Process(client.pid).children(recursive=True)
        return [
            child for child in children if child.is_running() and sum(child.cpu_times()[:2]) > 1.0
        ]
    except psutil.NoSuchProcess:
        return []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["loky", "dask"])
def test_twenty_kills_leave_the_same_table(tmp_path: Path, kind: str) -> None:
    """Workers and clients in turn; at most one replicate of each worker is computed again for each
    kill."""
    (tmp_path / "log").mkdir()
    (tmp_path / "client.py").write_text(CLIENT, "utf-8")
    draw, kills, due = random.Random(20), 0, 5
    command = [sys.executable, str(tmp_path / "client.py"), str(tmp_path), kind]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    client = subprocess.Popen(command, env=surroundings)
    while client.poll() is None or client.returncode == -signal.SIGKILL:
        if client.poll() is not None:
            client = subprocess.Popen(command, env=surroundings)
        time.sleep(draw.uniform(0.02, 0.2))
        stored = len(list(tmp_path.glob("runs/*.json")))
        computing = workers_of(client)
        if (
            kills < KILLS and computing and stored >= due
        ):  # in the middle of work, at a moment that the clock draws
            (psutil.Process(client.pid) if kills % 2 else draw.choice(computing)).kill()
            kills, due = kills + 1, stored + draw.randrange(1, 10)
            if kills % 2 == 0:
                client.wait()
    assert client.returncode == 0 and kills == KILLS
    again = len(list((tmp_path / "log").iterdir())) - 200
    assert 0 <= again <= KILLS * WORKERS
    disturbed = (tmp_path / "made.csv").read_bytes()
    sweep.write(sweep.run_all(PLANS, tmp_path / "undisturbed"), tmp_path / "undisturbed.csv", PLANS)
    assert disturbed == (tmp_path / "undisturbed.csv").read_bytes()
    assert (tmp_path / "made.json").read_bytes() == (tmp_path / "undisturbed.json").read_bytes()
