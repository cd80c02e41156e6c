"""``pytest -p tests.cpu``: the CPU-seconds of every test, its children's included, dearest first.

Wall time says little on a busy machine and nothing with several workers. What a module's fixtures
cost is counted with the first test that asks for them.
"""

import os
from collections import Counter
from collections.abc import Generator

import pytest

FIRST = 40  # tests and files that are listed
NAME = "cpu"


def spent() -> float:
    """CPU-seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Where a test begins."""
    item.user_properties.append((NAME, spent()))
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What has been spent since it began, at the end of each of its phases."""
    report = yield
    begun = dict(item.user_properties)[NAME]
    report.user_properties = [(NAME, spent() - begun)]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The tests, and the files, that cost most."""
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown" or getattr(report, "failed", False):
                tests[report.nodeid] = dict(report.user_properties)[NAME]
    files: Counter[str] = Counter()
    for name, seconds in tests.items():
        files[name.partition("::")[0]] += seconds
    terminalreporter.section(f"CPU-seconds: {sum(tests.values()):.0f} in {len(tests)} tests")
    for counter in (files, tests):
        for name, seconds in counter.most_common(FIRST):
            terminalreporter.write_line(f"{seconds:8.2f}  {name}")
        terminalreporter.write_line("")
