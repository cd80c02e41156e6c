"""What the errata share, on rows of their own; then the errata of every paper against the recorded
ledger."""

import json
from dataclasses import replace
from typing import Any

import pytest

from privrl.privacy import noise
from tests import numerals
from theory import errata, errata_groups, ledger
from theory.errata import Erratum
from theory.numbering import papers

ROWS = ledger.recorded()


def record(of: str, verdict: str, statement: str = "") -> dict[str, Any]:
    return {
        "of": of,
        "verdict": verdict,
        "rigor": "exact",
        "statement": statement,
        "domain": f"domain of {of}",
        "mutant": "a neighbour",
        "latex": {},
        "witness": None,
    }


ROW: dict[str, Any] = {
    "id": "paper/one",
    "role": "claim",
    "verdict": "corrected",
    "severity": "domain",
    "latex": {},
    "statement": "The statement of one.",
    "records": [
        record("step: a", "fails"),
        record("printed", "fails"),
        record("reading: b", "fails", "b in words"),
        record("corrected", "holds", "one mended"),
    ],
}
ONE = Erratum(
    "reason", "a slip", ("one",), (("one", "corrected"),), "nothing.", (("one", "reading: b"),)
)


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"paper": {"Part": (ONE,)}}
    monkeypatch.setattr(errata_groups, "parts", lambda paper: parts.get(paper, {}))


@pytest.mark.usefixtures("one")
def test_an_erratum_says_what_fails_what_stands_and_what_it_changes() -> None:
    text = errata.markdown("paper", [ROW])
    assert "### Part" in text and "**1. A slip.**" in text
    assert "- `paper/one` (corrected: domain); printed fails: The statement of one." in text
    assert "reading: b fails: B in words." in text and "Also: step: a." in text
    assert (
        "- *What stands* (`paper/one`, exact): One mended." in text
        and "- *In practice*: Nothing." in text
    )


def test_the_printed_statement_comes_first_and_steps_last() -> None:
    assert [failing_record["of"] for failing_record in errata.failing(ROW)] == [
        "printed",
        "reading: b",
        "step: a",
    ]


@pytest.mark.parametrize(
    ("verdict", "severity", "need"),
    [
        ("corrected", "domain", "corrected: domain"),
        ("open", None, "open"),
        ("unspecified", None, ""),
        ("holds", None, ""),
    ],
)
def test_what_a_claim_needs(verdict: str, severity: str | None, need: str) -> None:
    assert errata.needs({**ROW, "verdict": verdict, "severity": severity}) == need
    assert errata.needs({**ROW, "records": ROW["records"][-1:]}) is None


def test_a_record_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="got id='paper/one', of='nothing'"):
        errata.record_of(ROW, "nothing")


def test_long_text_is_cut_at_a_clause_and_never_in_a_formula() -> None:
    assert errata.short("a short one") == "a short one"
    assert (
        errata.short("one clause, another; " + "x" * 400, 40)
        == "one clause, another; the ledger has the rest."
    )
    assert errata.short("One sentence. Another one; and more", 24) == "One sentence."
    assert (
        errata.short("some words before $a, b; c$ and after", 26)
        == "some words before; the ledger has the rest."
    )


@pytest.mark.parametrize("paper", papers())
def test_every_claim_with_a_failing_record_stands_in_one_erratum(paper: str) -> None:
    named = [claim for _, erratum in errata.groups(paper) for claim in erratum.claims]
    failing = {
        row["id"].split("/")[1]
        for row in ROWS
        if row["id"].startswith(f"{paper}/") and errata.failing(row)
    }
    assert len(named) == len(set(named)) and set(named) == failing
    causes = [erratum.cause for _, erratum in errata.groups(paper)]
    assert len(causes) == len(set(causes))


@pytest.mark.parametrize("paper", papers())
def test_what_stands_holds_in_the_ledger_and_has_a_mutant(paper: str) -> None:
    rows = {row["id"].split("/")[1]: row for row in ROWS if row["id"].startswith(f"{paper}/")}
    for _, erratum in errata.groups(paper):
        assert erratum.stands and erratum.practice.endswith(".")
        for claim, of in erratum.stands:
            standing_record = errata.record_of(rows[claim], of)
            assert standing_record["verdict"] == "holds" and standing_record["mutant_rejected"]


@pytest.mark.parametrize("paper", papers())
def test_what_changes_a_statement_says_who_knew_it_before(paper: str) -> None:
    grave = {
        row["id"].split("/")[1]
        for row in ROWS
        if row["id"].startswith(f"{paper}/") and row.get("severity") in ("substance", "domain")
    }
    for _, erratum in errata.groups(paper):
        assert erratum.known or not grave & set(erratum.claims), erratum.cause


# numbers that stand in no record of an erratum's claims, and what holds them
ELSEWHERE = {
    "one-user-two-trajectories": (0,),  # delta = 0, by definition 3
    "lost-factors-of-the-regret-proof": (4.4, 4.9),  # tests/figures/test_vietri2020.py
    "lost-factors-of-the-pac-proof": (430, 190),  # the same
    "radius-reads-data-before-noise": (1.7,),  # below
    "own-action-is-not-public": (6910,),  # tests/theory/papers/vietri2020/test_lower_bounds.py
    "bonus-falls-and-noise-does-not": (2.6, 4.2e12, 5.1e12),  # tests/figures/test_liao2021.py, here
    "epsilon-beyond-the-logarithm": (4, 11, 1.6),  # a notebook's section; test_zhou2022.py
}
OF_OTHER_CLAIMS = {  # rows beside the erratum's claims that have its numbers
    "radius-reads-data-before-noise": ("chowdhury2021/theorem-3", "chowdhury2021/theorem-2"),
    "gains-are-not-bounded": ("chowdhury2021/lemma-3",),
    "one-hot-features-not-scaled": ("liao2021/theorem-5.1",),
    "epsilon-under-the-root": ("liao2021/theorem-5.1",),
    "sensitivity-of-the-experiments": ("liao2021/theorem-5.1",),
}


def loose(paper: str, erratum: Erratum) -> set[float]:
    """Numbers of its title and practice that neither its claims' rows nor the two tables have."""
    rows = {row["id"]: row for row in ROWS}
    ids = (f"{paper}/{claim}" for claim in erratum.claims)
    recorded = numerals.numbers(
        " ".join(
            json.dumps(rows[name], ensure_ascii=False)
            for name in (*ids, *OF_OTHER_CLAIMS.get(erratum.cause, ()))
        )
    )
    return numerals.loose(
        f"{erratum.title} {erratum.practice}",
        recorded | set(ELSEWHERE.get(erratum.cause, ())),
    )


@pytest.mark.parametrize("paper", papers())
def test_every_number_of_an_erratum_stands_in_a_record(paper: str) -> None:
    remaining = {erratum.cause: loose(paper, erratum) for _, erratum in errata.groups(paper)}
    assert {cause: values for cause, values in remaining.items() if values} == {}


def test_the_room_of_chowdhury2021_is_the_accountings() -> None:
    room = 1 / noise.noise("chowdhury2021", noise.DEFAULTS["chowdhury2021"]).factor
    erratum = errata.of_claim("chowdhury2021", "theorem-2")
    assert erratum is not None and f"it is {room:.1f} times" in erratum.practice


def test_a_number_that_no_record_has_is_found() -> None:
    erratum = errata.of_claim("vietri2020", "claim-1")
    assert erratum is not None and "2.59" in erratum.practice
    broken = replace(erratum, practice=erratum.practice.replace("2.59", "9.59"))
    assert loose("vietri2020", broken) == {9.59}


@pytest.mark.parametrize("need", errata.NEEDS)
def test_a_list_has_a_line_per_claim_and_leaves_formulas_whole(need: str) -> None:
    listing = errata.listed(ROWS, need)
    assert len(listing.splitlines()) == sum(errata.counts(ROWS)[need].values())
    assert "\\\\vert" not in listing and listing.count("$") % 2 == 0
