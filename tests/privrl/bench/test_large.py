"""How large: the problem that is timed, and that every setting is measured against the first."""

import subprocess
from types import SimpleNamespace
from typing import Any

import pytest

from privrl.bench import large


def test_the_problem_is_as_sparse_as_it_says() -> None:
    problem = large.problem(6, 2, 3, 4)
    assert (problem.states, problem.actions, problem.horizon, problem.fan, problem.after.size) == (
        6,
        2,
        3,
        4,
        48,
    )


@pytest.mark.slow
def test_an_episode_takes_time_and_memory() -> None:
    seconds, megabytes = large.episode(
        public=True, every=3, turns=4, states=4, actions=2, horizon=2, follow=2
    )
    assert 0 < seconds < 0.1 and megabytes > 30


def test_ratios_are_to_the_first_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[Any] = []

    def run(command: list[str], **more: Any) -> Any:
        commands.append(command[3:])
        return SimpleNamespace(stdout=f"{1 / len(commands)} {400 / len(commands)}\n")

    monkeypatch.setattr(subprocess, "run", run)
    rows = large.measure(quick=True)
    for name in ("time / plain", "memory / plain"):
        assert [row[name] for row in rows] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert commands == [
        ["False", "1", "2"],
        ["False", "100", "2"],
        ["True", "1", "2"],
        ["True", "100", "2"],
    ]
    assert len({row["agent"] for row in rows}) == 4
