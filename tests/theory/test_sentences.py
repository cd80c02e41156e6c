"""The numbers that are typed into the sentences of the ledger are those on the list, and none of
them was measured: what a check computed is filled in."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory import ledger_files, sentences
from theory.sentences import Listing

LISTED = sentences.numbers_listed()


@functools.cache
def typed() -> Listing:
    return sentences.numbers_typed()


def test_the_list_has_what_is_typed() -> None:
    assert sentences.disagreements(typed(), LISTED) == []


def test_every_reason_is_known() -> None:
    assert {reason for *_, reason in LISTED} <= set(sentences.REASONS)


def edits(listing: Listing) -> Iterator[tuple[tuple[str, str, str, str], Listing]]:
    """Every list in which one number of one row is another one."""
    for key, numbers in listing.items():
        numerals = numbers.split()
        at = len(numerals) // 2
        numerals[at] = f"{float(numerals[at]) + 7:g}"
        yield key, {**listing, key: " ".join(numerals)}


@pytest.mark.slow
def test_no_number_can_be_edited_alone() -> None:
    for key, edited in edits(typed()):
        (sentence,) = sentences.disagreements(edited, LISTED)
        assert sentence.startswith(", ".join(key))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("It is 2.59 at most.", {"typed": ["2.59"]}),
        ("By lemma 18 and (26), $2 H^3$.", {"reference": ["18", "26"], "formula": ["2", "3"]}),
        ("At $H = 12$ and $c = 10^{-6}$", {"typed": ["12", "6"], "formula": ["10"]}),
        (r"at most $4.5 \sum_h c$", {"typed": ["4.5"]}),
    ],
)
def test_what_a_number_is(text: str, kinds: dict[str, list[str]]) -> None:
    assert {kind: numerals for kind, numerals in sentences.typed(text).items() if numerals} == kinds


def test_what_a_format_string_fills_in_is_not_typed() -> None:
    source = '''def check():
    """Not 7 of these."""
    yield hold(at=0.25, evidence=f"It is {x:.2f}, {'or 3 more'} and 2.5 of 0.25.", mutant="9 of it")
'''
    assert list(sentences.of_source(source)) == [
        ("check", "evidence", "It is \0, \0 and 2.5 of 0.25."),
        ("check", "evidence", "or 3 more"),
        ("check", "mutant", "9 of it"),
    ]
    assert sentences.settings(source) == {0.25}


def test_the_numbers_of_a_checks_code_are_listed() -> None:
    source = """def sizes():
    return 7

def check():
    instance = Witness({"T": 4, "log": "2 or 8"}, f"{x(6)}")
    yield Trial(test, at=("0.99", 3)).fails("of 5", witness=instance)
"""
    ((place, numbers),) = sentences.of_checks(source)
    assert place == "check"
    assert sorted(numbers) == ["0.99", "3", "4", "6"]
    assert ("check", "of", "of 5") in list(sentences.of_source(source))


def test_what_fills_a_sentence_without_a_trial_is_listed() -> None:
    source = 'def rest():\n    return row(evidence=f"at most {bound(2.5):.3f} times it")\n'
    assert list(sentences.of_checks(source)) == [("rest", ["2.5"])]


@pytest.mark.slow
def test_no_sharpness_is_typed() -> None:
    """A check computes it, or it follows from the constants of the statement."""
    literals = [
        (path.name, node.lineno)
        for path in sorted(sentences.FOLDER.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword)
        and node.arg == "sharpness"
        and isinstance(node.value, ast.Constant)
    ]
    assert literals == []


def test_the_ledger_is_not_written_with_an_unlisted_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = typed()
    key = next(iter(numbers))
    monkeypatch.setattr(sentences, "numbers_typed", lambda: {**numbers, key: "9.59"})
    with pytest.raises(ValueError, match=r"every typed number must be listed, .*9\.59"):
        ledger_files.write(tmp_path, [])
    assert not list(tmp_path.iterdir())
