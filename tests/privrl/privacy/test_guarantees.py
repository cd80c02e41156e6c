"""What exact noise gives, and what simulated noise would: two types that neither a reader nor a
type checker takes for each other."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from privrl import Guarantee, Mechanism, PrivateUCBVI, Session, Simulated, online

ROOT = Path(__file__).parents[3]
PROGRAM = """
from privrl import Guarantee, Mechanism, Session
from privrl.privacy.mechanism import SimulatedMechanism

def published(guarantee: Guarantee) -> float:
    return guarantee.epsilon

def served(mechanism: Mechanism) -> None:
    published(mechanism.guarantee)

def tried(mechanism: SimulatedMechanism, session: Session) -> None:
    published(mechanism.guarantee)  # 1
    published(session.guarantee)  # 2
    served(mechanism)  # 3
    if isinstance(session.guarantee, Guarantee):
        published(session.guarantee)

served(Mechanism.make("tree", width=1, releases=2, change=1.0, epsilon=1.0))
served(Mechanism.make("tree", width=1, releases=2, change=1.0, epsilon=1.0, noise="simulated"))  # 4
"""


def test_the_type_checker_refuses_a_simulated_guarantee_for_a_real_one(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"),
            "--no-error-summary", "--hide-error-context", "--no-pretty", str(path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    refused = [n for n, text in enumerate(PROGRAM.splitlines(), 1) if "  # " in text]
    assert [int(error.split(":")[1]) for error in errors] == refused, done.stdout
    assert len(refused) == 4 and all(error.endswith("[arg-type]") for error in errors)


def test_they_look_different_and_only_one_is_a_pair_of_numbers() -> None:
    agent = PrivateUCBVI(1.0, counter="tree")
    known = online.tabular(states=2, actions=2, horizon=2)
    simulated = Session(agent, known, users=50, noise="simulated", seed=0).guarantee
    assert isinstance(simulated, Simulated) and not isinstance(simulated, tuple)
    words = "simulated: protects nobody (exact noise of these scales: epsilon 1, delta 0)"
    assert str(simulated) == repr(simulated) == words
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(simulated)
    exact = Session(agent, known, users=50).guarantee
    assert isinstance(exact, Guarantee) and exact != simulated.if_exact
    assert json.loads(json.dumps(exact)) == [exact.epsilon, 0.0] and exact.epsilon <= 1.0
    mechanism = Mechanism.make("tree", width=1, releases=2, change=1.0, epsilon=1.0)
    assert isinstance(mechanism.guarantee, Guarantee)
