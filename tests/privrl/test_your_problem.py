"""docs/your-problem.md, from the first question to a run: its snippets, and its lines of the
command line."""

import contextlib
import doctest
import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.privrl.cli.calls import call

PAGE = Path(__file__).parents[2] / "docs" / "your-problem.md"


@pytest.mark.slow
def test_what_the_page_does_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 10 and result.failed == 0
    lines = [
        line.split()[1:]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("    privrl ")
    ]
    assert [line[0] for line in lines] == ["advise", "sigma", "advise", "run", "plot"]
    for line in lines:
        outcome = call(*line)
        assert outcome.exit_code == 0, outcome.stderr
        assert (
            line[0] != "run"
            or "has learnt from user" in outcome.stdout
            or "does not show" in outcome.stdout
        )


@pytest.mark.parametrize("heading", ["Features", "Vectors", "Users' own devices"])
def test_a_session_of_each_kind_runs_as_it_stands(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice: a second run finds its users counted."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert 10 <= len(code.splitlines()) <= 20
    for _ in range(2):
        namespace: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, namespace)
        session: Any = namespace.get("session", namespace.get("server"))
        assert session.users == 3 and 0 < session.guarantee[0] <= namespace["agent"].epsilon
        assert session.terms.noise == "exact" and out.getvalue().startswith("3 Guarantee(epsilon=")
    assert (
        f"A message has {session.learner.noise_scales().size} numbers" in text
        or "A message has" not in text
    )
