"""What notebooks show of a reader's own numbers and of the ledger."""

import re
from collections.abc import Iterator
from math import nan
from pathlib import Path

import ipywidgets
import numpy as np
import pandas as pd
import pytest
import sympy as sp

from figures import reading, registry, style
from theory import typed


def test_a_table_has_three_digits_and_empty_cells() -> None:
    rows = [("one", 1234.5678, nan, True), ("two", np.int64(7), 0.5, "word")]
    frame = reading.table(rows, ["row", "a", "b_delta", "c"])
    assert [*frame.columns] == ["a", "b \u03b4", "c"]
    assert frame.loc["one"].tolist() == ["1,230", "", True] and frame.loc["two"].tolist() == [
        "7",
        "0.5",
        "word",
    ]


def test_lines_levels_and_intervals_are_named_and_told_apart() -> None:
    figure = reading.plot(
        [1, 2], {"line": [1, 2], "level": 1.5}, {"seen": ([1], [0.9], [1.1])}, yscale="log"
    )
    (axes,) = figure.axes
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["line", "level", "seen"]
    assert (
        len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 2
        and axes.get_yscale() == "log"
    )


def test_captions_are_typeset_and_no_word_of_theirs_is_markup() -> None:
    words = (
        "at delta <= 5 10^6, K*_h and Theta^_k: *Open* `x_*` at sqrt(K), lambda_min, Q~+ "
        "and ceil(log2 K)"
    )
    assert typed.caption(words) == (
        "at \u03b4 \u2264 5 \u00b7 10<sup>6</sup>, K&#42;<sub>h</sub> and "
        "\u0398\u0302<sub>k</sub>: <em>Open</em> `x_*` at \u221aK, \u03bb<sub>min</sub>, "
        "Q\u0303+ and \u2308log<sub>2</sub> K\u2309"
    )


@pytest.mark.parametrize(
    ("words", "html"),
    [
        ("||L_k||_F of n x n", "‖L<sub>k</sub>‖<sub>F</sub> of n × n"),
        ("w = +-0.5", "w = ±0.5"),
        ("theta-hat, n~", "θ\u0302, n\u0303"),
        (
            "5.1e+12, 1e-06 and 7.85e8",
            "5.1 · 10<sup>12</sup>, 10<sup>-6</sup> and 7.85 · 10<sup>8</sup>",
        ),
        ("`1e-6` and `||x||`", "`1e-6` and `||x||`"),
    ],
)
def test_norms_hats_and_powers_of_ten_are_typeset(words: str, html: str) -> None:
    assert typed.caption(words) == html


def test_a_long_formula_can_end_a_line_after_a_sign_that_no_bracket_holds() -> None:
    first, second = (
        rf"O(\sqrt{{K}}({letter} + 1) \left[ 2 + x_{{h+1}} \right]) Q^+" for letter in "ab"
    )
    assert (
        typed.caption(f"$R \\le {first} + {second}$") == f"$R \\le{{}}$ ${first} +{{}}$ ${second}$"
    )
    assert typed.caption("$a + b$") == "$a + b$"


def test_labels_and_headings_have_signs_in_plain_text() -> None:
    words = r"rho + 2 sqrt(rho L), sqrt(m) Delta_1 >= ||C||_2, $\rho^2$"
    assert typed.line(words) == r"ρ + 2 √(ρ L), √m Δ₁ ≥ ‖C‖₂, $\rho^2$"
    frame = reading.table([("epsilon = 1", 1.0), ("all_actions", 2.0)], ["at", "Delta_1"])
    assert [*frame.index] == ["ε = 1", "all actions"] and [*frame.columns] == ["Δ₁"]
    by_epsilon = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index([10_000.0, np.inf]))
    assert [*reading.table(by_epsilon).index] == ["10,000", "inf"]
    legend = reading.plot([1, 2], {"P(Z > epsilon)": [1, 2]}, xlabel="rho").legends[0]
    assert legend.get_texts()[0].get_text() == "P(Z > ε)"


def test_a_checked_sentence_belongs_to_the_committed_parameters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[int] = []
    reading.check_committed(lambda: calls.append(1), (1, "a"), (1, "a"))
    assert calls == [1] and not capsys.readouterr().out
    reading.check_committed(lambda: calls.append(2), (1, "a"), (1, "b"))
    assert calls == [1] and "not checked" in capsys.readouterr().out


def test_a_claim_is_run_again_and_errata_are_shown() -> None:
    assert reading.rerun("zhou2022/lemma-B.1").loc["printed", "verdict"] == "fails"
    assert "What stands" in str(reading.errata("zhou2022").data)
    assert "Pr[T<sub>s</sub> ≥ T/S]" in str(reading.errata("vietri2020").data)
    assert reading.verdicts("zhou2022").loc["lemma-B.1", "verdict"] == "corrected: wording"


def test_a_slider_plays_again_in_place_of_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ipywidgets.Label("")
    monkeypatch.setattr(ipywidgets, "Label", lambda _: said)
    played: list[tuple[float, str]] = []

    def play(epsilon: float, counter: str) -> Iterator[object]:
        if epsilon < 1:
            raise ValueError("epsilon must be at least 1 here, got epsilon=0.1")
        played.append((epsilon, counter))
        yield reading.words(f"{counter} at {epsilon:g}")

    widgets = reading.turn(play, epsilon=([0.1, 1.0, 10.0], 1.0), counter=(["tree", "blt"], "tree"))
    assert played == [(1.0, "tree")]  # without a mouse: what is given first
    widgets["counter"].value = "blt"
    widgets["epsilon"].value = 10.0
    assert played[1:] == [(1.0, "blt"), (10.0, "blt")]
    widgets["epsilon"].value = 0.1  # a refusal is said, not raised
    assert len(played) == 3
    assert said.value.startswith("epsilon must be") and said.value.endswith("was played before")
    widgets["epsilon"].value = 1.0
    assert said.value == "" and len(played) == 4


def test_what_a_reader_typed_is_one_more_choice() -> None:
    played: list[tuple[float, str]] = []

    def play(epsilon: float, counter: str) -> Iterator[object]:
        played.append((epsilon, counter))
        yield reading.words(f"{counter} at {epsilon:g}")

    widgets = reading.turn(play, epsilon=([0.1, 1.0, 10.0], 3.0), counter=(["tree"], "blt"))
    assert played == [(3.0, "blt")]
    assert [value for _, value in widgets["epsilon"].options] == [0.1, 1.0, 3.0, 10.0]
    assert [value for _, value in widgets["counter"].options] == ["tree", "blt"]


def test_each_answer_is_folded() -> None:
    said = str(reading.answers("One\n    line.", "Two.").data)
    assert said.count("<details>") == said.count("</details>") == 2
    assert "answer 1</summary>\n\nOne line.\n\n" in said and "answer 2</summary>" in said


def test_errata_are_folded_below_their_titles() -> None:
    words = str(reading.errata("zhou2022").data)
    titles = len(re.findall(r"^\*\*\d+\. ", words, flags=re.MULTILINE))
    kinds = re.findall(r"^<details><summary><strong>.*</strong> \((\d+)\)</summary>$", words, re.M)
    assert sum(map(int, kinds)) == titles > 3 and "### " not in words
    assert titles + len(kinds) == words.count("<details>") == words.count("</details>")
    folded = re.sub(r"<details>.*?</details>", "", words, flags=re.DOTALL)
    assert "What stands" in words and "What stands" not in folded


def test_committed_data_come_back_as_they_were_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of several, of one alone, and with words, counts and what is missing."""
    identifier = "vietri2020_regret"
    first = pd.DataFrame({"users": [10**6, 2], "regret": [0.5, nan], "name": ["a, b", "none"]})
    second = pd.DataFrame({"action": ["0", "10"], "never": [np.inf, 1.0]})
    monkeypatch.setattr(registry, "DATA", tmp_path)
    for tables in ({"first": first, "second": second}, {"first": first}):
        (tmp_path / f"{identifier}.csv").write_text(style.csv(tables), "utf-8")
        drawn = reading.tables(identifier)
        for name, table in tables.items():
            pd.testing.assert_frame_equal(drawn[name].reset_index(drop=True), table)


def test_factors_of_noise_are_named_and_their_product_is_multiplied() -> None:
    m, epsilon = sp.symbols("m epsilon", positive=True)
    table = reading.factors(
        printed={"sensitivity": sp.Integer(2), "budget": 1 / epsilon},
        tight={"sensitivity": sp.Integer(2), "releases": sp.sqrt(m), "budget": 3 / epsilon},
    )
    head, _, *rows = [
        [cell.strip() for cell in row.strip("|").split("|")] for row in table.data.splitlines()
    ]
    assert head == ["factor", "`printed`", "`tight`"]
    cells = {name: [cell.strip("$").split(" ", 1)[1] for cell in row] for name, *row in rows}
    assert list(cells) == ["sensitivity", "budget", "releases", "product"]
    assert cells["releases"] == ["1", r"\sqrt{m}"]  # a factor that a calibration lacks
    assert cells["product"] == [
        r"\frac{2}{\varepsilon}",
        r"\frac{6 \sqrt{m}}{\varepsilon}",
    ]


def test_a_fraction_in_an_exponent_is_not_stacked() -> None:
    power = sp.Symbol("m", positive=True) ** sp.Rational(2, 5)
    assert "m^{2/5}" in reading.steps(("of", power)).data
