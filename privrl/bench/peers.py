"""UBEV against rlberry-scool's UCBVI on the same RiverSwim (S = 6, H = 20): its time, and what it
learns.

**Time** (:func:`measure`), in one run, turn by turn. Both are compiled and warm, and what they draw
and record counts as theirs. A turn of ours is a whole run of T = 1e5 episodes by ``simulate``, from
its empty start; a turn of the peer is a stretch of a longer run. Time is that of the thread on its
core, so that other processes' turns do not count. The machine's speed drifts all the same: turns
alternate, and two ratios are given, each with the same statistic on both sides: of the medians over
turns, and of the fastest turns.

**Learning** (:func:`learn`, and ``python -m privrl.bench.peers FOLDER``): the peer plays the
gymnasium environment, and its exact regret comes from the policies that it plays. Its interpreter
imports this package from where it stands.

Optional: the peer is installed from the package index into a folder of its own, which this package
never imports from.
"""

import json
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

import click
import numpy as np

from privrl.agents.tabular.ubev import UBEV
from privrl.checks import count
from privrl.environments import planning, riverswim
from privrl.run import simulate
from privrl.run.measure import users
from privrl.types import Run, TabularMDP

PEER = "rlberry-scool==0.7.3"
EPISODES = 10**5
_SCRIPT = """
import sys, time, logging
import numpy as np
from rlberry.envs.finite_mdp import FiniteMDP
from rlberry_scool.agents.ucbvi import UCBVIAgent
logging.disable(logging.CRITICAL)
data = np.load(sys.argv[1])
agents = {}
for real_time in (False, True):
    env = FiniteMDP(data["rewards"], data["transitions"], initial_state_distribution=0)
    agents[real_time] = UCBVIAgent(env, gamma=1.0, horizon=int(data["horizon"]),
                                   stage_dependent=True, real_time_dp=real_time)
    agents[real_time].fit(budget=100)
for line in sys.stdin:
    real_time, budget = line.split()
    start = time.thread_time()
    agents[real_time == "True"].fit(budget=int(budget))
    print("seconds", (time.thread_time() - start) / int(budget), flush=True)
"""
LEARN = """
import json, sys
sys.path.append(sys.argv[1])  # where privrl stands, behind the packages of this interpreter
from rlberry.envs import gym_make
from rlberry_scool.agents.ucbvi.ucbvi import UCBVIAgent
import privrl.environments.gymnasium
from privrl import evaluate

episodes, replicates = int(sys.argv[2]), int(sys.argv[3])
for seed in range(replicates):
    env = gym_make("privrl/RiverSwim-v0", relabelled=True, observation="state", wrap_spaces=True)
    agent = UCBVIAgent(env, gamma=1.0, horizon=20, stage_dependent=True, seeder=seed)
    recorder = evaluate.Recorder(env, agent="ucbvi", episodes=episodes, seed=seed)
    for _ in range(episodes):
        recorder.record(agent.Q.argmax(axis=-1))  # (H, S), the actions of the next episode
        agent.fit(budget=1)
    # of the policy that it recommends at the end
    learnt = evaluate.regret(env, agent.Q_policy.argmax(axis=-1))
    run = recorder.run()
    print(json.dumps({"learnt": learnt, "episodes": run.episodes.tolist(),
                      "regret": run.regret[0].tolist()}))
"""


def install(folder: Path) -> Path:
    """A virtual environment with the peer below ``folder``; returns its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def measure(folder: Path, turns: int = 25, budget: int = 150) -> list[dict[str, Any]]:
    """One row per mode of the peer: how many times as long as UBEV it takes for an episode.

    Parameters
    ----------
    folder : holds the peer's environment, or will
    turns : of each contestant
    budget : episodes of the peer in a turn
    """
    python = install(Path(folder))
    mdp = riverswim(6, 20)
    table = Path(folder) / "riverswim.npz"
    np.savez(table, rewards=mdp.rewards[0], transitions=mdp.transitions[0], horizon=mdp.horizon)
    ours: list[float] = []
    theirs: dict[str, list[float]] = {"False": [], "True": []}
    _whole_run(mdp)  # compiles
    with subprocess.Popen(
        [str(python), "-c", _SCRIPT, str(table)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as peer:
        for _ in range(turns):
            for real_time, stretches in theirs.items():
                stretches.append(_stretch(peer, real_time, budget))
            ours.append(_whole_run(mdp))
        assert peer.stdin is not None
        peer.stdin.close()
    return [
        {
            "peer": f"{PEER} UCBVI{', real-time' if name == 'True' else ''}",
            "peer's time an episode / ours: medians": statistics.median(stretches)
            / statistics.median(ours),
            "fastest turns": min(stretches) / min(ours),
            "ours, median (microseconds)": 1e6 * statistics.median(ours),
        }
        for name, stretches in theirs.items()
    ]


def _whole_run(mdp: TabularMDP) -> float:
    """Seconds an episode of UBEV over a run of ``EPISODES``, its set-up included."""
    start = time.thread_time()
    simulate.replicate(mdp, UBEV(), EPISODES, None, seed=0, index=0)
    return (time.thread_time() - start) / EPISODES


def _stretch(peer: subprocess.Popen[str], real_time: str, budget: int) -> float:
    """Seconds an episode of the peer over its next ``budget`` episodes, measured by itself."""
    assert peer.stdin is not None
    assert peer.stdout is not None
    peer.stdin.write(f"{real_time} {budget}\n")
    peer.stdin.flush()
    line = ""
    while not line.startswith("seconds"):
        line = peer.stdout.readline()
        if not line:
            sys.exit("the peer stopped; see its installation")
    return float(line.split()[1])


def learn(folder: Path, episodes: int = 1000, replicates: int = 2) -> tuple[Run, list[float]]:
    """The peer's UCBVI on ``privrl/RiverSwim-v0``, relabelled: its run, and the regret of what it
    recommends at last.

    Parameters
    ----------
    folder : holds the peer's environment, or will
    episodes, replicates : of the run; the seeds are 0, 1, ..
    """
    episodes, replicates = count("episodes", episodes), count("replicates", replicates)
    python = install(Path(folder))
    root = Path(__file__).parents[2]
    played = subprocess.run(
        [str(python), "-c", LEARN, str(root), str(episodes), str(replicates)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [
        json.loads(line) for line in played.stdout.splitlines() if line.startswith('{"learnt"')
    ]
    if played.returncode or len(lines) != replicates:
        last = (played.stderr.strip().splitlines() or ["nothing"])[-1]
        raise ValueError(f"the peer must play all replicates, got {last[:200]}")
    mdp = riverswim(6, 20, relabelled=True)
    run = Run(
        mdp.name,
        "ucbvi",
        "none",
        "external",
        float("inf"),
        0.0,
        episodes,
        0,
        lines[0]["episodes"],
        np.array([line["regret"] for line in lines]),
    )
    return run, [float(line["learnt"]) for line in lines]


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--episodes", type=click.IntRange(min=100), default=1000, show_default=True)
@click.option("--replicates", type=click.IntRange(min=2), default=2, show_default=True)
def main(folder: Path, episodes: int, replicates: int) -> None:
    """What rlberry-scool's UCBVI learns on privrl/RiverSwim-v0; it is installed into FOLDER."""
    run, learnt = learn(folder, episodes, replicates)
    mdp = riverswim(6, 20, relabelled=True)
    uniform = planning.uniform_regret(mdp)
    click.echo(f"{PEER} UCBVI on {run.id}, exact regret, mean over {replicates} replicates")
    click.echo(f"{'episode':>8} {'UCBVI':>10} {'uniform play':>13}")
    for mark in (tenth * episodes // 10 for tenth in range(1, 11)):
        regret = float(run.regret[:, run.episodes == mark].mean())
        click.echo(f"{mark:8d} {regret:10.1f} {mark * uniform:13.1f}")
    click.echo(
        f"regret of an episode of what it recommends at the end: "
        f"{', '.join(f'{seconds:.3g}' for seconds in learnt)}"
    )
    click.echo(f"learns: {'yes' if users(run, mdp).never == 0 else 'no'}")


if __name__ == "__main__":
    main(prog_name="python -m privrl.bench.peers")
