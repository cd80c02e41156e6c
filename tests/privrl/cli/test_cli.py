"""The command line: its commands and what each answers; ``run`` and what is refused have modules of
their own."""

import copy
from importlib import metadata
from pathlib import Path

import pytest

import privrl
import privrl.environments
from figures import identifiers
from privrl.agents import registry as agents
from privrl.bench import tabular as bench
from privrl.environments import suite
from privrl.privacy import noise
from privrl.privacy.counters import mechanisms
from tests.privrl.cli.calls import COMMANDS, answer, call, refusal
from theory import errata, ledger
from theory.formulas import plain
from theory.numbering import papers


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help(name: str) -> None:
    result = call(*([name] if name else []), "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")
    assert all(command.help for command in COMMANDS.values())


def test_nothing_asked_shows_the_help() -> None:
    result = call()
    assert result.exit_code == 2
    assert "Usage: " in result.stdout


def test_version() -> None:
    assert call("--version").stdout == f"privrl, version {metadata.version('privrl')}\n"


def test_list_has_what_can_be_named() -> None:
    listing = answer("list")
    assert listing == {
        "environments": list(suite.ids()),
        "agents": list(agents.names()),
        "counters": list(mechanisms.MECHANISMS),
        "calibrations": list(agents.AGENT_CALIBRATIONS),
        "papers": list(papers()),
        "figures": list(identifiers.ids()),
    }
    words = call("list").stdout.split()
    assert all(words.count(name) >= 1 for ids in listing.values() for name in ids)


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 60, 120])
def test_lines_are_no_longer_than_columns_says(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    longest = [
        max(map(len, call(*line.split()).stdout.splitlines()))
        for line in (
            "list",
            "papers",
            "check --recorded",
            "check vietri2020/lemma-18 --recorded",
            "sigma zhou2022",
            "horizon vietri2020 --epsilon 1e6",
            "audit vietri2020/chain-3 --trials 1000",
        )
    ]
    assert max(longest) <= width < max(longest) + 10


def test_one_claim_is_shown_whole() -> None:
    (row,) = answer("check", "zhou2022/theorem-6.4", "--recorded")
    output = " ".join(call("check", "zhou2022/theorem-6.4", "--recorded").stdout.split())
    erratum = errata.of_claim("zhou2022", "theorem-6.4")
    expected_phrases = [
        f"statement: {row['statement']}",
        f"in short: {row['short']}",
        f"In practice: {plain(erratum.practice)}",
    ]
    for record in row["records"]:
        expected_phrases += [
            f"{record['of']}: {record['verdict']} ({record['rigor']})",
            record["statement"],
            f"domain: {record['domain']}",
            f"evidence: {record['evidence']}",
            f"rejected: {record['mutant']}",
        ]
    assert not [words for words in expected_phrases if " ".join(words.split()) not in output]
    assert any(record["of"].startswith("corrected") for record in row["records"])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "vietri2020/chain-3",
            "Yet what the counters release has the exact epsilon 2.89 for these users, 2.89 times",
        ),
        (
            "vietri2020/chain-3 --calibration tight",
            "What the counters release has the exact epsilon 1 for these users: as",
        ),
    ],
)
def test_an_audit_says_what_it_does_not_show(line: str, says: str) -> None:
    result = call("audit", *line.split(), "--trials", "1000")
    output = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert (
        "not refuted: the attack shows that epsilon is at least" in output
        and "proves nothing" in output
    )
    assert says in output


def test_papers() -> None:
    rows = answer("papers")
    assert [row["paper"] for row in rows] == list(papers())
    for row in rows:
        assert sum(row["verdicts"].values()) == row["claims"]
    outcome = call("papers")
    assert outcome.exit_code == 0
    assert all(paper in outcome.stdout for paper in papers())


@pytest.mark.slow
def test_check_runs_one_claim_and_agrees_with_the_ledger() -> None:
    rows = answer("check", "vietri2020/claim-2", "--tighten")
    assert [row["id"] for row in rows] == ["vietri2020/claim-2"]
    assert rows[0]["records"]
    (stored,) = answer("check", "vietri2020/claim-2", "--recorded")
    assert rows[0]["verdict"] == stored["verdict"]
    assert rows[0]["records"] == [
        {name: record[name] for name in record if name != "effective"}
        for record in stored["records"]
    ]
    assert "Claim 2 of vietri2020" in call("check", "vietri2020/claim-2", "--recorded").stdout


def test_the_recorded_ledger_has_every_numbered_item() -> None:
    rows = answer("check", "--recorded")
    assert rows == ledger.recorded()
    vietri = [row["id"] for row in answer("check", "vietri2020", "--recorded")]
    assert vietri == [row["id"] for row in rows if row["id"].startswith("vietri2020/")]
    outcome = call("check", "vietri2020", "--recorded")
    assert outcome.exit_code == 0
    assert "vietri2020/theorem-1" in outcome.stdout


@pytest.mark.parametrize("fault", ["verdict", "error", "mutant", "missing"])
def test_check_exits_with_1_when_what_was_asked_does_not_hold(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    every = ledger.recorded()
    others = [row for row in every if row["id"] != "vietri2020/claim-2"]
    stored = [copy.deepcopy(row) for row in every if row not in others]
    rows = copy.deepcopy(stored)
    if fault == "verdict":
        rows[0]["verdict"] = "vacuous"
    elif fault == "error":
        rows[0]["error"] = "CheckError: the test is false on the claim"
    elif fault == "mutant":
        stored[0]["records"][0]["mutant_rejected"] = rows[0]["records"][0]["mutant_rejected"] = (
            False
        )
    else:
        stored = []
    monkeypatch.setattr(ledger, "recorded", lambda: [*others, *stored])
    monkeypatch.setattr(ledger, "run", lambda select, tighten: {"vietri2020/claim-2": rows}[select])
    for more in ([], ["--json"]):
        result = call("check", "vietri2020/claim-2", *more)
        assert result.exit_code == 1
        assert result.stderr.startswith("privrl: vietri2020/claim-2: ")
        assert result.stderr.count("\n") == 1
        assert result.stdout


def test_a_ledger_that_is_not_there_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    original = ledger.recorded
    monkeypatch.setattr(ledger, "recorded", lambda: original(tmp_path))
    assert refusal("papers").startswith("the ledger must have been written")
    assert refusal("check").startswith("the ledger must have been written")


@pytest.mark.parametrize("paper", papers())
def test_sigma(paper: str) -> None:
    sigma_answer = answer("sigma", paper)
    assert sigma_answer["paper"] == paper
    assert all(scale["printed"] > 0 and scale["smallest"] > 0 for scale in sigma_answer["scales"])
    add_remove = answer(
        "sigma", paper, "--adjacency", "add-remove", "--horizon", "7", "--episodes", "1e3"
    )
    assert (add_remove["setting"]["horizon"], add_remove["setting"]["episodes"]) == (7, 1000)
    assert add_remove["setting"]["adjacency"] == "add-remove"
    outcome = call("sigma", paper)
    assert outcome.exit_code == 0
    assert "The printed noise " in outcome.stdout


def test_sigma_of_an_agent() -> None:
    line = [
        "private-ucbvi",
        "--counter",
        "blt",
        "--epsilon",
        "2",
        "--delta",
        "1e-6",
        "--states",
        "50",
        "--actions",
        "4",
        "--horizon",
        "10",
    ]
    sigma_answer = answer("sigma", *line)
    assert (sigma_answer["agent"], sigma_answer["counter"], sigma_answer["calibration"]) == (
        "private-ucbvi",
        "blt",
        "tight",
    )
    calibration = privrl.PrivateUCBVI(2.0, 1e-6, counter="blt").calibrate(
        privrl.environments.random_mdp(50, 4, 10, 1), 10**6
    )
    rewards, successors = sigma_answer["draws"]
    assert (rewards["most"], successors["most"]) == (
        calibration.scale * max(calibration.ratios),
        calibration.scale,
    )
    outcome = call("sigma", *line)
    assert outcome.exit_code == 0 and "All releases together are (2, 1e-06)-private" in " ".join(
        outcome.stdout.split()
    )
    assert "each for the own message" in " ".join(
        call("sigma", "private-ce", "--counter", "local").stdout.split()
    )
    assert "no privacy" in call("sigma", "ucrl-vtr").stdout
    assert (
        "`privrl sigma zhou2022`" in call("sigma", "linopt-po", "--calibration", "printed").stdout
    )
    assert answer("sigma", "pucb", "--counter", "signed")["draws"][0]["law"] == "laplace"


@pytest.mark.slow
@pytest.mark.parametrize("paper", noise.PAPERS)
def test_horizon(paper: str) -> None:
    """More privacy needs more users: before learning, and before a bound says something."""
    # certified quantiles take long for many users
    few, many = ("1e3", "1e4") if paper == "vietri2020" else ("1", "10")
    strict, loose = (answer("horizon", paper, "--epsilon", epsilon) for epsilon in (few, many))
    assert set(strict) == {"paper", "setting", "start", "rows", "note"}
    assert strict["setting"]["epsilon"] == float(few)
    by_name = {(row["agent"], row["counter"], row["calibration"]): row for row in loose["rows"]}
    for row in strict["rows"]:
        counterpart = by_name[row["agent"], row["counter"], row["calibration"]]
        for column in ("start", "below_trivial"):
            if row["counter"] == "none":
                assert row[column] == counterpart[column]
            elif row[column] is not None:  # not before the last episode that was tried
                # within some episodes either way
                early = "ucbvi" in row["agent"] and row[column] < 20
                assert row[column] > counterpart[column] > 0 or (
                    early and row[column] == counterpart[column]
                )
    outcome = call("horizon", paper, "--epsilon", many)
    assert outcome.exit_code == 0
    assert "below trivial" in outcome.stdout


@pytest.mark.slow
def test_figures(tmp_path: Path) -> None:
    result = call("figures", "vietri2020_hard_mdp", "--out", str(tmp_path))
    assert result.exit_code == 0
    written = [Path(line) for line in result.stdout.splitlines()]
    assert {path.suffix for path in written} >= {".pdf", ".png"}
    assert all(path.is_file() and path.is_relative_to(tmp_path) for path in written)


def test_bench_prints_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    quick_flags = []
    rows = [{"S, A, H": "3, 2, 3", "tree / floor": 1.0625}]
    monkeypatch.setattr(bench, "measure", lambda quick: quick_flags.append(quick) or rows)
    assert answer("bench") == rows
    outcome = call("bench", "--quick")
    assert outcome.exit_code == 0
    assert "1.06" in outcome.stdout
    assert quick_flags == [False, True]


def test_too_much_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(quick: bool) -> None:
        raise MemoryError

    monkeypatch.setattr(bench, "measure", measure)
    assert refusal("bench") == "the request must fit into memory: ask for less"
