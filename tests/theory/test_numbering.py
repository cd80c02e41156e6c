"""The numbering is complete against the paper, and a damaged file is refused in one sentence."""

from pathlib import Path

import pytest

from theory.numbering import CLAIM, NOT_A_CLAIM, items, load, papers

PAPER = """
title = "A title"
authors = "Somebody"
algorithm = "An algorithm"
notebook = "09_some"
numbered = ["theorem", "lemma", "corollary"]
"""
ITEM = """
[[item]]
id = "some/lemma-1"
kind = "lemma"
where = "Section 1"
statement = "a statement"
role = "claim"
aliases = ["equation-2"]
"""
GOOD = PAPER + ITEM


def numbers(kind: str) -> set[str]:
    names = (name for item in items("vietri2020") for name in (item.id, *item.aliases))
    return {name.split(f"/{kind}-")[1] for name in names if f"/{kind}-" in name}


def test_vietri2020_is_complete() -> None:
    """Counted in the paper: what carries which number."""
    assert numbers("definition") == {str(n) for n in range(1, 8)}
    assert numbers("algorithm") == {str(n) for n in range(1, 6)}
    assert numbers("claim") == {"1", "2"}
    assert numbers("theorem") == {"1", "3", "4", "5", "6", "12", "14"}
    assert numbers("lemma") == {str(n) for n in (2, 7, 8, 9, 10, 11, 13, *range(15, 24))}
    assert numbers("equation") == {*(str(n) for n in range(1, 47)), "e-epsilon"}
    assert numbers("figure") == {"1", "2"}
    assert numbers("remark") == {"1"}
    others = {item.id.split("/")[1] for item in items("vietri2020")}
    assert {"example-jdp", "section-2.3", "adaptivity"} <= others


def test_what_is_not_a_claim() -> None:
    kinds = {item.kind for item in items("vietri2020") if item.role == NOT_A_CLAIM}
    assert kinds == {"definition", "algorithm", "figure"}
    assert all((item.status is None) == (item.role == CLAIM) for item in items())


def test_an_item_is_found_by_id_alias_and_paper() -> None:
    assert "vietri2020" in papers()
    assert [item.id for item in items("vietri2020/equation-26")] == ["vietri2020/theorem-4"]
    assert [item.id for item in items("vietri2020/claim-2")] == ["vietri2020/claim-2"]
    assert items("vietri2020") == tuple(item for item in items() if item.paper == "vietri2020")


def test_what_a_paper_numbers_is_counted_as_the_paper_counts() -> None:
    """By hand: liao2021 has six theorems and lemmas, four remarks and two examples."""
    counted = {
        paper: {item.id.split("/")[1] for item in items(paper) if item.numbered}
        for paper in papers()
    }
    assert counted["liao2021"] == {
        *("theorem-5.1", "theorem-5.2", "theorem-5.6", "lemma-3.8", "lemma-5.4", "lemma-5.5"),
        *("remark-3.2", "remark-3.7", "remark-5.3", "remark-5.7", "example-3.3", "example-3.4"),
    }
    remarks = {name for name in counted["zhou2022"] if name.startswith("remark")}
    assert remarks == {f"remark-{number}" for number in ("4.2", "5.2", "6.6", "6.7", "6.8", "6.9")}
    assert "example-tabular" not in counted["zhou2022"]  # it has no number
    # the examples and the remark of section 2.2 carry no number in the paper
    assert {name.split("-")[0] for name in counted["vietri2020"]} == {"theorem", "lemma", "claim"}
    assert {name.split("-")[0] for name in counted["chowdhury2021"]} == {
        "theorem",
        "lemma",
        "claim",
    }
    claims = [item for paper in papers() for item in items(paper) if item.role == CLAIM]
    assert {item.id for item in items("zhou2022") if item.numbered} - {
        item.id for item in claims
    } == {"zhou2022/remark-4.2", "zhou2022/remark-5.2"}  # which claim nothing


@pytest.mark.parametrize("unknown", ["", "nobody", "vietri2020/", "vietri2020/lemma-99", "claim-1"])
def test_an_unknown_id_is_refused(unknown: str) -> None:
    with pytest.raises(ValueError, match="the id must name a paper") as caught:
        items(unknown)
    assert f"got id={unknown!r}" in str(caught.value)


def write(folder: Path, text: str) -> Path:
    """A folder of papers with one paper, ``some``."""
    (folder / "some").mkdir()
    (folder / "some" / "paper.toml").write_text(text)
    return folder


def test_a_good_file_loads(tmp_path: Path) -> None:
    paper = load(write(tmp_path, GOOD))["some"]
    assert (paper.title, paper.notebook) == ("A title", "09_some")
    assert paper.items[0].aliases == ("some/equation-2",)
    assert paper.items[0].numbered


@pytest.mark.parametrize(
    ("kind", "counted"), [("corollary", True), ("proposition", False), ("remark", False)]
)
def test_a_fifth_paper_says_what_it_numbers(tmp_path: Path, kind: str, counted: bool) -> None:
    text = GOOD.replace("lemma-1", f"{kind}-1").replace('kind = "lemma"', f'kind = "{kind}"')
    assert load(write(tmp_path, text))["some"].items[0].numbered is counted


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (GOOD + ITEM, "given once"),
        (GOOD + ITEM.replace("lemma-1", "lemma-2"), "given once"),
        (GOOD.replace('kind = "lemma"', 'kind = "sketch"'), "kind must be one of"),
        (GOOD.replace('role = "claim"', 'role = "maybe"'), "role must be"),
        (GOOD.replace('role = "claim"', 'role = "not a claim"'), "status must be"),
        (GOOD + 'status = "used"', "status must be"),
        (GOOD.replace('"a statement"', '""'), "must have its statement"),
        (GOOD.replace("some/lemma-1", "lemma-1"), "must read paper/kind-number"),
        (GOOD.replace("some/lemma-1", "other/lemma-1"), "must stand in the folder of its paper"),
        (GOOD + 'verdict = "holds"', "an item has the keys"),
        (GOOD.replace('authors = "Somebody"', ""), "a paper has the keys"),
        (f"year = 2020{GOOD}", "a paper has the keys"),
        (GOOD.replace('"corollary"]', '"definition"]'), "numbered must be kinds of"),
        (GOOD.replace('["theorem", "lemma", "corollary"]', "[]"), "numbered must be kinds of"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, broken: str, message: str) -> None:
    folder = write(tmp_path, broken)
    with pytest.raises(ValueError, match=message):
        load(folder)
