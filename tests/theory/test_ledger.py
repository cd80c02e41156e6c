"""The ledger: complete, deterministic, compared with what is recorded, and open about errors.

`make reproduce` runs every check, tightened, and compares the whole ledger. Here every check runs
once as it stands, mutants included, but for those that take more than half a second.
"""

import json
from pathlib import Path

import pytest

from theory import ledger, ledger_files, ledger_markdown
from theory.claim import REGISTRY, Record, Rigor, Trial
from theory.numbering import CLAIM, items

ITEM = "vietri2020/lemma-2"  # its check is replaced below


# checks of more than half a second; `make reproduce` runs them
SECONDS = {
    "chowdhury2021/lemma-1",
    "chowdhury2021/lemma-3",
    "chowdhury2021/lemma-12",
    "chowdhury2021/theorem-1",
    "chowdhury2021/theorem-2",
    "chowdhury2021/theorem-3",
    "liao2021/lemma-5.4",
    "liao2021/lemma-5.5",
    "liao2021/theorem-5.2",
    "vietri2020/algorithm-2",
    "vietri2020/algorithm-5",
    "vietri2020/equation-15",
    "vietri2020/lemma-8",
    "vietri2020/lemma-9",
    "vietri2020/lemma-10",
    "vietri2020/lemma-13",
    "vietri2020/lemma-18",
    "vietri2020/theorem-1",
    "vietri2020/theorem-3",
    "vietri2020/theorem-4",
    "vietri2020/theorem-5",
    "vietri2020/theorem-6",
    "vietri2020/theorem-12",
    "zhou2022/lemma-3.1",
    "zhou2022/lemma-B.4",
    "zhou2022/lemma-B.5",
    "zhou2022/theorem-5.1",
    "zhou2022/theorem-6.4",
    "zhou2022/theorem-6.5",
}
# one of each paper, as `make reproduce` runs all
TIGHTENED = (
    "vietri2020/lemma-7",
    "chowdhury2021/equation-4",
    "liao2021/lemma-3.8",
    "zhou2022/lemma-7.2",
)


@pytest.fixture(scope="module")
def rows() -> list[ledger.Row]:
    return ledger.recorded()


@pytest.mark.slow
@pytest.mark.parametrize("paper", ledger.PAPERS)
def test_the_recorded_ledger_is_current(paper: str) -> None:
    """Every check of a paper: one that errs, accepts its mutant or says something else differs."""
    ledger.load_checks()
    fresh = [ledger.check(item) for item in items(paper) if item.id not in SECONDS]
    assert ledger.differences(fresh, ledger.recorded()) == []


@pytest.fixture(scope="module")
def tightened() -> dict[str, ledger.Row]:
    return {
        identifier: row for identifier in TIGHTENED for row in ledger.run(identifier, tighten=True)
    }


@pytest.mark.parametrize("identifier", TIGHTENED)
def test_a_tightened_row_is_the_recorded_one(
    identifier: str, tightened: dict[str, ledger.Row]
) -> None:
    row = tightened[identifier]
    assert any(record["tightened"] for record in row["records"])
    assert ledger.differences([row], ledger.recorded()) == []


def test_checks_that_take_long_are_few_and_exist() -> None:
    ledger.load_checks()
    assert REGISTRY.keys() >= SECONDS and len(SECONDS) < len(REGISTRY) / 3


def test_every_item_has_its_row_in_order(rows: list[ledger.Row]) -> None:
    assert [row["id"] for row in rows] == [item.id for item in items()]
    for row, item in zip(rows, items(), strict=True):
        if item.role != CLAIM:
            assert "verdict" not in row
            assert row["status"] == item.status


def test_every_claim_has_a_check_whose_mutants_are_rejected(rows: list[ledger.Row]) -> None:
    ledger.load_checks()
    assert {row["id"] for row in rows if row["role"] == CLAIM} == REGISTRY.keys()
    for row in rows:
        assert "error" not in row, row["id"]
        assert row["role"] != CLAIM or row["records"], row["id"]
        for record in row.get("records", ()):
            assert record["mutant_rejected"] is True, row["id"]
            assert all(record[key] for key in ("of", "domain", "evidence", "mutant")), row["id"]


@pytest.mark.slow
def test_two_writings_give_the_same_bytes(
    rows: list[ledger.Row], tightened: dict[str, ledger.Row], tmp_path: Path
) -> None:
    """One of the stored rows, one with rows made again, which `write` brings what they rest on."""
    ledger_files.write(tmp_path / "a", rows)
    fresh = [tightened.get(row["id"], row) for row in rows]
    ledger_files.write(tmp_path / "b", fresh)
    pages = ("ledger.json", "LEDGER.md", *(f"ledger/{paper}.md" for paper in ledger.PAPERS))
    for name in pages:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert ledger.recorded(tmp_path / "a") == rows


def test_selection_by_alias() -> None:
    assert [row["id"] for row in ledger.run("vietri2020/equation-11")] == [
        "vietri2020/definition-2"
    ]
    with pytest.raises(ValueError, match="jobs must be >= 1"):
        ledger.run("vietri2020/claim-2", jobs=0)


@pytest.mark.slow
def test_a_check_that_errs_is_reported_and_never_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken() -> tuple[Record, ...]:
        return (
            Trial(
                lambda x: x,
                at=False,
                mutant_at=False,
                mutant="none",
            ).holds(
                "printed",
                Rigor.EXACT,
                domain="none",
                evidence="none",
            ),
        )

    broken.__module__ = "theory.papers.vietri2020.regret"
    monkeypatch.setitem(REGISTRY, ITEM, broken)
    (row,) = ledger.run(ITEM)
    assert row["error"].startswith("CheckError: the test is false on the claim")
    assert row["verdict"] == "open"
    assert ledger.differences([row], [row])[0].startswith(f"{ITEM}: the check erred")
    with pytest.raises(ValueError, match="no check may err"):
        ledger_files.write(tmp_path, [row])


def test_a_check_under_no_claim_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "vietri2020/definition-1", lambda: ())
    with pytest.raises(ValueError, match="every check must stand under a claim"):
        ledger.run("vietri2020/claim-2")


def test_differences_name_what_changed(rows: list[ledger.Row]) -> None:
    row = next(row for row in rows if row["id"] == "vietri2020/claim-1")
    assert ledger.differences([row], rows) == []
    worse = {**row, "verdict": "fails"}
    assert ledger.differences([worse], rows) == [
        f"vietri2020/claim-1: fails, recorded as {row['verdict']}"
    ]
    for name, value in (("records", []), ("where", "Section 9")):
        assert ledger.differences([{**row, name: value}], rows) == [
            f"vietri2020/claim-1: {name} differ from the recorded ones"
        ]
    row = next(
        row
        for row in rows
        if any((record["sharpness"] or 0.0) % 1 for record in row.get("records", ()))
    )
    for factor, same in ((1 + 1e-12, True), (1 + 1e-6, False), (-1, False)):
        changed_row = json.loads(json.dumps(row))
        for record in changed_row["records"]:
            record["sharpness"] = record["sharpness"] and record["sharpness"] * factor
        assert (ledger.differences([changed_row], rows) == []) is same
    assert "not in the recorded ledger" in ledger.differences([row], [])[0]


@pytest.mark.parametrize("content", [None, "{", '{"rows": []}', "[]"])
def test_a_ledger_that_cannot_be_read_is_said_in_one_sentence(
    tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "ledger.json").write_text(content)
    with pytest.raises(ValueError, match="ledger") as caught:
        ledger.recorded(tmp_path)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.slow
def test_what_readers_see(rows: list[ledger.Row]) -> None:
    overview = {row["paper"]: row for row in ledger.papers_overview(rows)}
    assert tuple(overview) == tuple(ledger.PAPERS)
    vietri = overview["vietri2020"]
    assert (vietri["algorithm"], sum(vietri["verdicts"].values())) == ("PUCB", vietri["claims"])
    assert vietri["claims"] == sum(item.role == CLAIM for item in items("vietri2020"))
    summary = ledger.summary_markdown(rows).splitlines()
    assert len(summary) == 2 + len(ledger.PAPERS)
    assert len({line.count("|") for line in summary}) == 1
    pages = ledger_markdown.files(rows)
    for row in rows:
        paper, item = row["id"].split("/")
        assert f"\n## {item}\n" in pages[f"ledger/{paper}.md"]


def test_a_witness_reads_as_a_sentence() -> None:
    """Numbers by their names, phrases in brackets, long integers to four digits."""
    witness = {
        "at": {"K": 2, "epsilon": 0.5, "states": "A for one user, B for the other"},
        "claimed": ["it is at most", 376369811927],
        "found": ["it is", 0.25],
        "from_on": "from K = 2 on",
    }
    assert ledger.witness_text(witness) == (
        "At K = 2, epsilon = 0.5 (states: A for one user, B for the other): "
        "it is at most 3.764e+11, it is 0.25. It fails from K = 2 on."
    )
    witness |= {"claimed": ["at least", 191862902874], "found": ["at most", 136711431302]}
    assert "at least 1.918e+11, at most 1.368e+11" in ledger.witness_text(witness)
