"""Progress: rate and time left, by a clock of the test's own; stored replicates are not work that
was done."""

import io
import sys
from types import SimpleNamespace

import pytest

from privrl.run import progress
from privrl.run.progress import Progress, duration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_say_rate_and_time_left_and_are_rare() -> None:
    now, stream = [0.0], io.StringIO()
    reporter = Progress("some/id", stream, lambda: now[0])
    reporter.begin(100, 200)
    for done in range(101, 201):
        now[0] += 2.0
        reporter(done, 200)
    assert stream.getvalue().splitlines() == [
        "some/id: 130 of 200 replicates, 2 s a replicate, 2 min 20 s left",
        "some/id: 160 of 200 replicates, 2 s a replicate, 1 min 20 s left",
        "some/id: 190 of 200 replicates, 2 s a replicate, 20 s left",
    ]


def test_a_short_sweep_says_nothing_in_a_log() -> None:
    stream = io.StringIO()
    reporter = Progress("", stream, lambda: 0.0)
    reporter.begin(0, 3)
    for done in (1, 2, 3):
        reporter(done, 3)
    assert stream.getvalue() == ""
    assert reporter.sentence(0, 3) == "0 of 3 replicates"


def test_a_terminal_has_a_bar_with_rate_and_time_left_that_goes_away() -> None:
    stream = Terminal()
    reporter = Progress("some/id", stream)
    reporter.begin(10, 30)
    assert reporter.bar.n == 10 and reporter.bar.initial == 10
    for done in range(11, 31):
        reporter(done, 30)
    printed = stream.getvalue()
    assert (
        "some/id" in printed and "10/30" in printed and "replicate/s" in printed and "<" in printed
    )
    assert reporter.bar is None and printed.endswith("\r")
    reporter.begin(30, 30)
    assert reporter.bar is None and stream.getvalue() == printed


def test_a_notebook_gets_the_notebook_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1))
    )
    assert progress._in_notebook()
    bars = []
    monkeypatch.setattr(
        "tqdm.auto.tqdm",
        lambda **options: bars.append(options) or SimpleNamespace(close=lambda: None),
    )
    reporter = Progress("", io.StringIO())
    reporter.begin(0, 2)
    reporter.close()
    assert bars[0]["leave"] is True and "file" not in bars[0]  # below the cell, and it stays
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not progress._in_notebook()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 00 s"), (61, ("1 min 01 s")), (7325, "2 h 02 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
