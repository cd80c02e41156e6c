"""What notebooks show of a reader's own numbers and of the ledger."""

from math import nan

import numpy as np
import pytest

from figures import reading
from theory import typed


def test_a_table_has_three_digits_and_empty_cells() -> None:
    rows = [("one", 1234.5678, nan, True), ("two", np.int64(7), 0.5, "word")]
    made = reading.table(rows, ["row", "a", "b_delta", "c"])
    assert [*made.columns] == ["a", "b \u03b4", "c"]
    assert made.loc["one"].tolist() == ["1,230", "", True] and made.loc["two"].tolist() == ["7", "0.5", "word"]


def test_lines_levels_and_intervals_are_named_and_told_apart() -> None:
    figure = reading.plot([1, 2], {"line": [1, 2], "level": 1.5}, {"seen": ([1], [0.9], [1.1])}, yscale="log")
    (axes,) = figure.axes
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["line", "level", "seen"]
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 2 and axes.get_yscale() == "log"


def test_captions_are_typeset_and_no_word_of_theirs_is_markup() -> None:
    words = "at delta <= 5 10^6, K*_h and Theta^_k: *Open* `x_*` at sqrt(K), lambda_min, Q~+ and ceil(log2 K)"
    assert typed.caption(words) == (
        "at \u03b4 \u2264 5 \u00b7 10<sup>6</sup>, K&#42;<sub>h</sub> and \u0398\u0302<sub>k</sub>: <em>Open</em> "
        "`x_*` at \u221aK, \u03bb<sub>min</sub>, Q\u0303+ and \u2308log<sub>2</sub> K\u2309")


def test_a_checked_sentence_belongs_to_the_committed_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    said: list[int] = []
    reading.check_committed(lambda: said.append(1), (1, "a"), (1, "a"))
    assert said == [1] and not capsys.readouterr().out
    reading.check_committed(lambda: said.append(2), (1, "a"), (1, "b"))
    assert said == [1] and "not checked" in capsys.readouterr().out


def test_a_claim_is_run_again_and_errata_are_shown() -> None:
    assert reading.rerun("zhou2022/lemma-B.1").loc["printed", "verdict"] == "fails"
    assert "What stands" in str(reading.errata("zhou2022").data)
    assert r"\sqrt{K\ln(2/\alpha)/2}$ $+ 2D(1 - C_w + " in str(reading.errata("chowdhury2021").data)
    assert reading.verdicts("zhou2022").loc["lemma-B.1", "verdict"] == "corrected: wording"
