"""The numbering is complete against the paper, and a damaged file is refused in one sentence."""

from pathlib import Path

import pytest

from theory.numbering import CLAIM, NOT_A_CLAIM, items, load, papers

PAPER = """
title = "A title"
authors = "Somebody"
algorithm = "An algorithm"
notebook = "09_some"
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
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, broken: str, message: str) -> None:
    folder = write(tmp_path, broken)
    with pytest.raises(ValueError, match=message):
        load(folder)
