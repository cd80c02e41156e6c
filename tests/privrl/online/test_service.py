"""The service of docs/your-problem.md, killed at random moments; and attacks on what a session has
released."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl import PrivateUCBVI, online
from privrl.agents.trajectory import Trajectory
from privrl.privacy import snapshot
from privrl.privacy.audit.events import event_epsilon, proportion_above, proportion_below

USERS, KILLS = 40, 3
TRIALS, ALPHA = 200, 1e-3


def example() -> str:
    text = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    (code,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "sys.stdin" in block
    )
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 30
    return str(code)


def served(
    code: str, folder: Path, episodes: list[dict[str, Any]], chance: random.Random | None
) -> list[Any]:
    """What a service says until its episodes end, or until it is killed at some moment (``chance``)
    after one."""
    replies = []
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        bufsize=1,
    ) as process:
        replies.append(json.loads(process.stdout.readline()))
        last = USERS if chance is None else chance.randrange(1, 2 * USERS // KILLS)
        for episode in episodes[max(replies[0]["next"] - 1, 0) :][
            : last + 1
        ]:  # one that was counted comes again
            process.stdin.write(
                json.dumps(episode | {"plan": min(episode["user"], replies[-1]["plan"])}) + "\n"
            )
            if (
                chance is not None
                and episode is episodes[min(replies[0]["next"] + last - 1, USERS - 1)]
            ):
                try:
                    process.wait(chance.random() * 0.02)
                except subprocess.TimeoutExpired:
                    process.kill()
                rest = process.stdout.read().splitlines(keepends=True)
                return replies + [json.loads(line) for line in rest if line[-1] == "\n"]
            replies.append(json.loads(process.stdout.readline()))
        process.stdin.close()
    return replies


@pytest.mark.slow
def test_a_killed_service_goes_on_with_what_it_has_shown(tmp_path: Path) -> None:
    chance, code = random.Random(5), example()
    episodes = [
        {
            "user": user,
            "states": [chance.randrange(3) for _ in range(5)],
            "actions": [chance.randrange(2) for _ in range(4)],
            "rewards": [chance.randrange(2) for _ in range(4)],
        }
        for user in range(USERS)
    ]
    replies = [reply for _ in range(KILLS) for reply in served(code, tmp_path, episodes, chance)]
    replies += served(code, tmp_path, episodes, None)
    assert replies[-1]["next"] == USERS and not any("refused" in reply for reply in replies)
    assert replies[-1]["guarantee"][0] <= 1.0
    released_plans: dict[int, set[str]] = {}
    for record in replies:
        released_plans.setdefault(record["plan"], set()).add(
            json.dumps([record["values"], record["greedy"]])
        )
    # one plan, so one noise, per release
    assert all(len(plans) == 1 for plans in released_plans.values())
    # noise shows in the values, so that others would be seen
    assert len(set().union(*released_plans.values())) > USERS / 2
    learner = PrivateUCBVI(1.0).start(online.tabular(3, 2, 4), 2000, np.array([1]))
    for record in episodes:
        learner.absorb(
            learner.contribution(
                Trajectory(*(np.array(record[name]) for name in Trajectory._fields))
            )
        )
    arrays, _ = snapshot.read(tmp_path / "service.session")
    assert arrays["learner.clock"] == USERS
    assert np.array_equal(arrays["learner.sums"], learner.state.statistics)


GOOD = {"user": 0, "plan": 0, "states": [0] * 5, "actions": [0] * 4, "rewards": [0] * 4}


@pytest.mark.slow
def test_a_damaged_line_is_refused_until_nobody_listens(tmp_path: Path) -> None:
    """Then the service ends, and who was counted is counted once."""
    lines = [
        b"no JSON",
        b"[]",
        b"{}",
        b"\xff" * 9,
        b"[" * 50_000,
        json.dumps(GOOD | {"user": None}).encode(),
        json.dumps(GOOD | {"user": 0.5}).encode(),
        json.dumps(GOOD).replace('"user": 0', '"user": 1e999').encode(),
        json.dumps(GOOD).replace('"rewards": [0', '"rewards": [1e999').encode(),
        json.dumps(GOOD).replace('"plan"', '"user": 0, "plan"').encode(),
        json.dumps(GOOD).encode() + b" " * (3 * online.LONGEST),  # too long, of which all is good
        json.dumps(GOOD).encode(),
    ]
    with subprocess.Popen(
        [sys.executable, "-c", example()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        replies = [json.loads(process.stdout.readline())]
        for line in lines:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            replies.append(json.loads(process.stdout.readline()))
        assert [("refused" in reply, reply["next"]) for reply in replies] == [
            (False, 0),
            *[(True, 0)] * (len(lines) - 1),
            (False, 1),
        ]
        process.stdout.close()
        process.stdin.write(json.dumps(GOOD | {"user": 1, "plan": 1}).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(600) == 1 and process.stderr.read() == b""
    arrays, _ = snapshot.read(tmp_path / "service.session")
    assert arrays["learner.clock"] == 2


# two users of one step, who differ as much as they can; the sums are whole, so r and m of one state
# each
SESSION = online.Session(
    PrivateUCBVI(2.0, counter="tree"), online.tabular(states=2, actions=1, horizon=1), 2
)
FRESH, NOISE = SESSION.learner.snapshot(), SESSION._protection.noise.state()
PAIR = [
    SESSION.learner.contribution(Trajectory(np.array([state, state]), np.zeros(1, int), np.ones(1)))
    for state in (0, 1)
]


def loss(world: int, fault: str | None) -> float:
    """Log-likelihood of world 1 over world 0, of all that was released after user 0 of one of the
    two worlds."""
    total, times = 0.0, 5 if fault == "counted again" else 1
    for _ in range(
        24 if fault == "drawn again" else 1
    ):  # each time the process starts from its first file
        SESSION.learner.restore(FRESH)
        SESSION._protection.noise.restore(NOISE)
        SESSION.learner.state.statistics[2:] += (times - 1) * PAIR[world]
        assert SESSION.observe(([world, world], [0], [1.0]), user=0) and not SESSION.observe(
            "again", user=0
        )
        released = SESSION.learner.state.released.every[2:]
        far = [
            abs(released - times * contribution) / SESSION.learner.noise_scales()
            for contribution in PAIR
        ]
        total += float((far[0] - far[1]).sum())
    return total


@pytest.mark.slow
@pytest.mark.parametrize("fault", [None, "drawn again", "counted again"])
def test_what_was_released_tells_no_more_than_it_should(fault: str | None) -> None:
    """A lower bound on epsilon, from two worlds that differ in one user, is above the guarantee
    with a fault alone."""
    decisions = np.array([[loss(world, fault) for _ in range(TRIALS)] for world in (0, 1)]) > 0
    low, high = (
        proportion_below(decisions[1].sum(), TRIALS, ALPHA),
        proportion_above(decisions[0].sum(), TRIALS, ALPHA),
    )
    assert (float(event_epsilon(low, high, 0.0)) > SESSION.guarantee[0]) == (fault is not None)
