"""The recorded measurements: how they are written, read and told to a reader. No speed is
asserted."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from figures import benchmarks, lq_parts
from figures.across import bench_scaling
from privrl._cache import code_hash
from tests.figures import checksum

ROWS = [
    {
        "S, A, H": "3, 2, 3",
        "floor": "laplace",
        "tree / floor": 1.5,
        "pucb known / floor": 2.0,
        "plain Python / compiled": 100.0,
        "ubev episodes a second": 1e5,
    }
]
LINEAR = [
    {"agent": name, "d, H": size, "private / floor": value, "naive NumPy / private": 1000.0}
    for name in ("ldp-ucrl-vtr", "linopt-vi", "linopt-po")
    for size, value in (("5, 6", 1.25), ("18, 6", 0.5))
]
COUNTERS = [
    {
        "sums": 32,
        "counter": "tree",
        "law": "laplace",
        "stream / draws": 1.1,
        "plain Python / compiled": 70.0,
    }
]
LQ = [{"n, d": "1, 1", "still / floor": 3.0, "search, microseconds": 9.0}]
PARTS = [
    {"size": size, "counter": 1.0, "coins": 0.5, **dict.fromkeys(lq_parts.KERNELS, value)}
    | {"advance": 5 * value}
    for size, value in (("1, 1", 2.0), ("4, 2", 3.1))
]
POINTS = [
    {
        "quantity": quantity,
        "agent": agent,
        "axis": axis,
        "size": size,
        "value": size**power,
        "draws": 0,
    }
    for quantity, axis, power in (("episode", "d", 2.5), ("run", "T", 1.0), ("memory", "T", 0.0))
    for agent in bench_scaling.LOOKS
    for size in (4, 8, 16, 32)
]


WIDEST = [{"S, A, H": "1000, 4, 10", "sums": "440,000", "users to a plan": 1000, "CPU ms": 0.1534}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both tables, written by the command, whose measurements are those above."""
    with pytest.MonkeyPatch.context() as patch:
        families: dict[str, Any] = {
            "tabular": ROWS,
            "linear": LINEAR,
            "lq": LQ,
            "counters": COUNTERS,
        }
        patch.setattr(
            benchmarks,
            "FAMILIES",
            {name: lambda quick, rows=rows: rows for name, rows in families.items()},
        )
        patch.setattr(benchmarks.bench_scaling, "points", lambda quick, say: POINTS)
        patch.setattr(benchmarks, "SERVICE", {"bench_widest": lambda quick: WIDEST})
        patch.setattr(benchmarks.lq_parts, "measure", lambda quick: PARTS)
        done = CliRunner().invoke(benchmarks.main, ["--quick", "--out", str(tmp_path)])
        assert done.exit_code == 0, done.output
    return tmp_path


def test_ratios_are_kept_and_nothing_that_belongs_to_the_machine() -> None:
    ratio_rows = [
        row
        for name, rows in (("tabular", ROWS), ("lq", LQ), ("counters", COUNTERS))
        for row in benchmarks.ratios(name, rows)
    ]
    assert [(row["family"], row["agent"], row["size"], row["ratio"]) for row in ratio_rows] == [
        ("tabular", "", "S, A, H = 3, 2, 3", "tree / floor"),
        ("tabular", "", "S, A, H = 3, 2, 3", "pucb known / floor"),
        ("tabular", "", "S, A, H = 3, 2, 3", "plain Python / compiled"),
        ("lq", "", "n, d = 1, 1", "still / floor"),
        ("counters", "tree, laplace", "sums = 32", "stream / draws"),
        ("counters", "tree, laplace", "sums = 32", "plain Python / compiled"),
    ]


def test_a_table_stands_beside_what_it_was_measured_with(folder: Path) -> None:
    for name in (benchmarks.FLOOR, benchmarks.SCALING, lq_parts.ID, "bench_widest"):
        facts = json.loads((folder / f"{name}.json").read_text("utf-8"))
        assert facts["sha256"] == checksum(folder / f"{name}.csv")
        assert facts["quick"] is True and facts["code"] == code_hash()


def test_what_services_cost_is_a_row_for_every_size(folder: Path) -> None:
    assert benchmarks.service_markdown("bench_widest", folder).splitlines() == [
        "| S, A, H | sums | users to a plan | CPU ms |",
        "| --- | --- | --- | --- |",
        "| 1000, 4, 10 | 440,000 | 1,000 | 0.15 |",
    ]


def test_the_recorded_costs_of_a_user_are_as_small_as_is_promised() -> None:
    """10 kB, plans included; between two plans as much CPU time as with a hundredth of the state;
    milliseconds belong to the machine and are in the table alone, where a user takes one at most,
    plans included. A plan takes some times its draws, which are timed apart."""
    sessions = benchmarks.read("bench_sessions").set_index(["S, A, H", "counter"])
    small = sessions.loc[("5, 2, 5", "blt")]
    for counter in ("blt", "tree"):
        large = sessions.loc[("50, 4, 10", counter)]
        a_plan = large["bytes a plan"] / large["users to a plan"]
        assert 0 < large["bytes a user"] + a_plan < 1e4 < large["bytes a plan"]
        assert large["CPU / floor"] < 15 and large["CPU ms a user"] < 1.5 * small["CPU ms a user"]
        assert 1 < large["plan / its draws"] < 15
        spent = large["CPU ms a user"] + large["CPU ms a plan"] / large["users to a plan"]
        assert spent <= 1 and large["users to a plan for 1 ms"] <= large["users to a plan"]
    widest = benchmarks.read("bench_widest")
    states = {int(size.split(",")[0]) for size in widest["S, A, H"]}
    assert 1000 in states and max(states) >= 5000 and (widest["MiB"] < 4000).all()


def test_the_paragraph_on_lq_adds_up_its_parts(folder: Path) -> None:
    """Whole: five kernels, counter and coins; playing: two of them; the rest: all but the plan."""
    words = lq_parts.paragraph(folder)
    for phrase in (
        "takes 12 to 17 floors",
        "takes 4 to 6.2 floors by itself",
        "plan takes 2 to 3.1:",
    ):
        assert phrase in words
    assert "With a plan for nothing 9.5 to 14 would be left" in words


def test_exponents_are_those_of_the_points(folder: Path) -> None:
    fits = benchmarks.fitted(folder)
    for quantity, power in (("episode", 2.5), ("run", 1.0), ("memory", 0.0)):
        values = fits[fits["quantity"] == quantity]["exponent"]
        # four digits are kept
        assert values.to_numpy() == pytest.approx([power] * len(bench_scaling.LOOKS), abs=1e-3)


def test_the_summary_has_a_row_for_every_private_agent(folder: Path) -> None:
    head, rule, *rows = benchmarks.summary_markdown(folder).splitlines()
    assert head.count("|") == rule.count("|") == 10
    assert [row.split(" | ")[0] for row in rows] == [f"| {name}" for name in benchmarks.KERNELS]
    assert rows[0] == "| pucb | 2 | 100 | 1.00 ± 0.00 |  |  |  | 2.50 ± 0.00 | 1.00 |"
    assert rows[2].startswith("| ldp-ucrl-vtr | 0.5 to 1.2 | 1,000 | ")
