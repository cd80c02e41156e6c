"""Records of the signed digits, and that draws may be used before their block is complete."""

from __future__ import annotations

from theory.claim import Verdict
from theory.lemmas import signed_digits


def test_records() -> None:
    (record,) = signed_digits.records()
    assert record.mutant_rejected and record.verdict == Verdict.HOLDS


def test_draws_come_before_their_block_is_complete_and_no_earlier_release_tells_a_later_user() -> None:
    noise, items = signed_digits.factors(2, 4, 20)
    first_use = (noise != 0).argmax(axis=0)
    assert any(items[row, first_use[row] + 1 :].any() for row in range(items.shape[0]))  # not lower triangular
    for user in range(20):
        assert not (noise @ items[:, user])[:user].any()  # B_(<t) C[:, t] = 0: what adaptive inputs ask for
