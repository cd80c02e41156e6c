"""One comparison for all that is derived: a wrong digit is seen anywhere, another rounding
nowhere."""

import re

import pytest

from theory.compare import DIGITS, agree, difference, near

TABLE = """table,agent,episodes,regret,delta,sizes
runs,pucb,1000,18203.1,1e-20,100000 to 10000000
runs,ubev,2000,0.182031,0.1,100000 to 10000000
lines,pucb,0,0,0,3.11.7
"""
TEXT = """| pucb | 1.92 [1.85, 1.99] | holds | 3 of 12 |
p = 2.5e-07 at n = 40000, sigma = -0.12345678; python 3.11.7, 2026-11-22, 3f0e1a2b
<td>0.30000000000000004</td><td style="width: 50%">1,234.5</td>
"""


@pytest.mark.parametrize(
    "fresh",
    [
        "18203.1000001,1e-20",
        "18203.1,1.0000000001e-20",
        "1.82031e4,1e-20",
        "18203.099999999,9.9999999999e-21",
    ],
)
def test_another_path_of_rounding_agrees(fresh: str) -> None:
    assert difference(TABLE, TABLE.replace("18203.1,1e-20", fresh), table=True) == ""


def test_a_committed_zero_is_what_rounding_leaves_on_the_scale_of_its_column() -> None:
    assert (
        difference(
            TABLE, TABLE.replace("lines,pucb,0,0,0", "lines,pucb,0,-1.7e-11,-0.0"), table=True
        )
        == ""
    )
    assert difference(
        TABLE, TABLE.replace("lines,pucb,0,0,0", "lines,pucb,0,1.9e-10,0"), table=True
    )
    assert difference(TABLE, TABLE.replace("lines,pucb,0,0,0", "lines,pucb,0,0,1e-14"), table=True)
    assert difference(TABLE, TABLE.replace("1e-20", "0"), table=True)  # a small probability is none
    assert not difference("gap 0, largest 12.5", "gap 3.3e-16, largest 12.5")
    assert difference("gap 0, largest 12.5", "gap 1e-13, largest 12.5")
    assert difference("gap 0, largest 1e-6", "gap 1e-16, largest 1e-6")


@pytest.mark.parametrize(("text", "table"), [(TABLE, True), (TABLE, False), (TEXT, False)])
def test_every_changed_digit_sign_word_and_line_is_seen(text: str, table: bool) -> None:
    """At every place; beyond the tolerance stand only the last digits of 0.30000000000000004."""
    within = range(text.find("000000004</td>"), text.find("</td>"))
    for place, letter in enumerate(text):
        if place in within:
            continue
        others = (
            str((int(letter) + 1) % 10) + str((int(letter) + 9) % 10) if letter.isdigit() else "?"
        )
        for replacement in others:
            changed = text[:place] + replacement + text[place + 1 :]
            assert difference(text, changed, table=table), (
                place,
                text[place - 9 : place + 9],
                replacement,
            )
            assert difference(changed, text, table=table), (
                place,
                text[place - 9 : place + 9],
                replacement,
            )
    for old, new in (
        ("-0.1", "0.1"),
        ("e-0", "e-1"),
        ("1e-20", "1e20"),
        ("holds", "fails"),
        ("ubev", "pucb"),
    ):
        assert old not in text or difference(text, text.replace(old, new), table=table)
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        assert difference(text, text.replace(line, ""), table=table).startswith(f"line {number}:")


def test_one_unit_of_the_last_digit_shown_is_more_than_the_tolerance() -> None:
    for first in ("1" + "0" * (DIGITS - 1), "9" * DIGITS):
        for power in (-300, -20, 0, 20, 300):
            assert not near(int(first) * 10.0**power, (int(first) + 1) * 10.0**power, 1e9)


def test_whole_numbers_versions_and_hashes_are_equal_or_differ() -> None:
    large = 40_797_185_259_716
    assert not agree(f"{large}", f"{large + 1}", 1e20)
    assert not agree("0", "1", 1e20)
    assert not agree("v3.11.7", "v3.11.70", 1.0) and not agree("3.11.7", "3.11.8", 1.0)
    assert not agree("1e5f00", "1e5f0", 1.0) and not agree("0x1e-9", "0x1e-8", 1.0)
    assert not agree("1 2", "12", 1.0) and not agree("1.0 a", "a 1.0", 1.0)
    assert not agree("nan", "0.0", 1.0) and not agree("inf", "1e308", 1.0)


def test_the_difference_names_the_line() -> None:
    message = difference(TABLE, TABLE.replace("03", "04"), table=True)
    assert re.fullmatch(r"line 2: committed 'runs,.*', made 'runs,.*'", message)
    assert difference("a\nb\n", "a\nb\nc\n").startswith("line 3: ")
    assert difference("a\nb", "a\nb\nc") == "2 lines committed, 3 made"
