"""The page on gymnasium says what happens: its snippets, and the agent of a public library, played
by a stand-in."""

import doctest
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from privrl.bench import peers
from privrl.environments import evaluate, planning, riverswim
from privrl.environments import gymnasium as gymnasium_envs
from privrl.run import simulate
from privrl.types import Run
from tests.contracts import refused

PAGE = Path(__file__).parents[3] / "docs" / "gymnasium.md"
TEXT = PAGE.read_text(encoding="utf-8")
MDP = riverswim(6, 20, relabelled=True)


@pytest.mark.slow
def test_every_snippet_of_the_page_does_what_it_says() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 20 and result.failed == 0
    for module in (evaluate, gymnasium_envs):
        assert doctest.testmod(module).attempted and not doctest.testmod(module).failed


def blocks() -> list[str]:
    """The indented blocks, without their indentation."""
    return [
        re.sub("^    ", "", block, flags=re.MULTILINE).rstrip()
        for block in re.findall(r"(?:^    .*\n)+", TEXT, flags=re.MULTILINE)
    ]


def test_the_page_shows_the_script_and_the_output_of_the_comparison(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (core,) = (block for block in blocks() if block.startswith("env = gym_make"))
    assert re.sub("^", "    ", core, flags=re.MULTILINE) in peers.LEARN
    (comparison,) = (block for block in blocks() if block.startswith(peers.PEER))
    marks = simulate.checkpoints(1000)
    run = Run(
        MDP.name,
        "ucbvi",
        "none",
        "external",
        float("inf"),
        0.0,
        1000,
        0,
        marks,
        np.tile(np.minimum(marks, 500.0), (2, 1)),
    )
    monkeypatch.setattr(peers, "learn", lambda *arguments: (run, [0.0, 0.25]))
    printed = CliRunner().invoke(peers.main, ["peers"]).output.splitlines()
    assert [line.split()[0] for line in printed[:12]] == [
        line.split()[0] for line in comparison.splitlines()[:12]
    ]
    uniform = planning.uniform_regret(MDP)
    assert printed[2:13:5] == [
        f"{k:8d} {min(k, 500):10.1f} {k * uniform:13.1f}" for k in (100, 600)
    ] + [printed[12]]
    assert printed[12:] == [
        "regret of an episode of what it recommends at the end: 0, 0.25",
        "learns: yes",
    ]


# a stand-in for the peer's packages: its agent plays action 0 for ten episodes and then optimally
FAKE = {
    "rlberry/__init__.py": "",
    "rlberry/envs.py": "import gymnasium\n\ndef gym_make(name, wrap_spaces, **kwargs):\n"
    "    return gymnasium.make(name, **kwargs)\n",
    **dict.fromkeys(
        (
            "rlberry_scool/__init__.py",
            "rlberry_scool/agents/__init__.py",
            "rlberry_scool/agents/ucbvi/__init__.py",
        ),
        "",
    ),
    "rlberry_scool/agents/ucbvi/ucbvi.py": """
from privrl.environments import planning
class UCBVIAgent:
    def __init__(self, env, gamma, horizon, stage_dependent, seeder):
        print("chatter")
        self.Q_policy = planning.optimal(env.unwrapped.model)[1]
        self.Q, self.left = 0 * self.Q_policy, 10
    def fit(self, budget):
        self.left -= budget
        if not self.left:
            self.Q = self.Q_policy
""",
}


@pytest.mark.slow
def test_what_a_peer_plays_is_evaluated_exactly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text in FAKE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(peers, "install", lambda folder: Path(sys.executable))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run, learnt = peers.learn(tmp_path, episodes=100, replicates=2)
    constant_regret = evaluate.regret(MDP, planning.constant_policy(MDP, 0))
    np.testing.assert_allclose(
        run.regret, np.tile(np.minimum(run.episodes, 10) * constant_regret, (2, 1)), rtol=1e-12
    )
    assert (run.episodes == simulate.checkpoints(100)).all() and learnt == [0.0, 0.0]


def test_a_peer_that_stops_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "install", lambda folder: Path(sys.executable))
    for script in ("raise SystemExit('no such agent')", ""):
        monkeypatch.setattr(peers, "LEARN", script)
        message = refused(lambda: peers.learn(tmp_path, episodes=100))
        assert message.endswith("no such agent" if script else "nothing")
    for wrong in (0, -1, "x"):
        refused(lambda wrong=wrong: peers.learn(tmp_path, episodes=wrong))


# installs the peer's packages from the index and plays it: minutes, and a network
@pytest.mark.long
def test_the_page_shows_what_the_library_really_learns(tmp_path: Path) -> None:
    result: Any = CliRunner().invoke(peers.main, [str(tmp_path / "peers")])
    assert result.output.rstrip() in blocks()
