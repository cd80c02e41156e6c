"""What notebooks show of a reader's own numbers and of the ledger."""

from math import nan

import numpy as np

from figures import reading


def test_a_table_has_three_digits_and_empty_cells() -> None:
    made = reading.table([("one", 1234.5678, nan, True), ("two", np.int64(7), 0.5, "word")], ["row", "a", "b", "c"])
    assert made.loc["one"].tolist() == ["1,230", "", True] and made.loc["two"].tolist() == ["7", "0.5", "word"]


def test_lines_levels_and_intervals_are_named_and_told_apart() -> None:
    figure = reading.plot([1, 2], {"line": [1, 2], "level": 1.5}, {"seen": ([1], [0.9], [1.1])}, yscale="log")
    (axes,) = figure.axes
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["line", "level", "seen"]
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 2 and axes.get_yscale() == "log"


def test_a_claim_is_run_again_and_errata_are_shown() -> None:
    assert reading.rerun("zhou2022/lemma-B.1").loc["printed", "verdict"] == "fails"
    assert "What stands" in str(reading.errata("zhou2022").data)
