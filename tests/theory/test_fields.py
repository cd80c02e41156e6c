"""Summaries and errata are filled in from the numbers of records, and name each of them once."""

import pytest

from theory import ledger
from theory.claim import Records, Rigor, Trial
from theory.fields import blanked, collected, filled
from theory.numbering import Item

NUMBERS = {"loss": 2.00687, "episodes": 10**6, "delta": 1e-6, "users": 5.124e12, "arms": 32}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("loses {loss:.2f} times", "loses 2.01 times"),
        ("at $T = {episodes:g}$, $10^{-{arms:d}}$", "at $T = 10^{6}$, $10^{-32}$"),
        (r"$\delta={delta:g}$, ${users:.2g}$", r"$\delta=10^{-6}$, $5.1 \cdot 10^{12}$"),
        ("from {users:.1e} on at {delta:g}", "from 5.1e12 on at 1e-6"),
        (r"$\mathrm{Lap}(x)^{2.5}$ of {arms:d}", r"$\mathrm{Lap}(x)^{2.5}$ of 32"),
    ],
)
def test_a_field_is_a_number_of_a_record(text: str, sentence: str) -> None:
    assert filled(text, NUMBERS) == sentence


def test_a_field_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be a number of a record, got fields=\['lost'\]"):
        filled("loses {lost:.2f} times", NUMBERS)


def test_a_name_has_one_number() -> None:
    rows = [{"numbers": {"loss": 2.0}}, {}, {"numbers": {"loss": 2.0, "arms": 3}}]
    assert collected(rows) == {"loss": 2.0, "arms": 3}
    with pytest.raises(ValueError, match="a name must have one number, got name='loss'"):
        collected([*rows, {"numbers": {"loss": 2.1}}])


def test_what_is_filled_in_is_not_typed() -> None:
    assert blanked("loses {loss:.2f} of $10^{-6}$") == "loses \0 of $10^{-6}$"


def test_a_summary_follows_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of the sentence is the one that the check found, whatever was recorded before."""

    def check() -> Records:
        yield Trial(
            lambda x: x > 1, at=found, mutant_at=1.0, mutant="1", numbers={"largest": found}
        ).holds("printed", Rigor.EXACT)

    short = "It is {largest:.2f}, at $x = {largest:.3f}$."
    item = Item("paper/lemma-1", "lemma", "", "", "claim", None, (), "", short)
    monkeypatch.setitem(ledger.REGISTRY, item.id, check)
    for found, number in ((2.589, "2.59"), (9.589, "9.59")):
        row = ledger.check(item)
        assert row["short"].startswith(f"It is {number}, at x = ")
        assert row["latex"]["short"].endswith(f"$x = {found}$.")
        assert row["records"][0]["numbers"] == {"largest": found}


def test_a_summary_with_an_unknown_field_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    item = Item("paper/lemma-1", "lemma", "", "", "claim", None, (), "", "It is {most:.2f}.")
    monkeypatch.setitem(ledger.REGISTRY, item.id, lambda: iter(()))
    assert "must be a number of a record" in ledger.check(item)["error"]
