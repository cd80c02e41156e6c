"""docs/your-problem.md, from the first question to a run: its snippets, and its lines of the command line."""

import doctest
from pathlib import Path

import pytest

from tests.privrl.cli.calls import call

PAGE = Path(__file__).parents[2] / "docs" / "your-problem.md"


def test_what_the_page_does_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 10 and result.failed == 0
    lines = [line.split()[1:] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("    privrl ")]
    assert [line[0] for line in lines] == ["advise", "sigma", "advise", "run", "plot"]
    for line in lines:
        shown = call(*line)
        assert shown.exit_code == 0, shown.stderr
        assert line[0] != "run" or "has learnt from episode" in shown.stdout or "does not show" in shown.stdout
