"""Numbers, bands, tables and bytes: what every figure relies on."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from figures import style


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.1, "0.1"),
        (0.98062, "0.981"),
        (2.885390, "2.89"),
        (10.0, "10"),
        (100.0, "100"),
        (415.0, "415"),
        (18203.125, "18,200"),
        (107329.98, "107,000"),
        (999_960.0, "1e6"),
        (10**8, "1e8"),
        (785_151_205, "7.85e8"),
        (-0.005, "-0.005"),
        (0.00012345, "0.000123"),
        (0.0000123, "1.23e-5"),
        (float("inf"), "inf"),
        (1, "1"),
    ],
)
def test_a_number_has_three_digits(value: float, text: str) -> None:
    assert style.number(value) == text


def test_a_number_as_mathtext() -> None:
    assert style.tex(785_151_205) == r"$7.85\cdot 10^{8}$"
    assert style.tex(10**8) == "$10^{8}$" and style.tex(0.5) == "0.5"


def test_a_band_is_an_interval_or_of_two_replicates_the_range() -> None:
    few, many = np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([[1.0], [2.0], [3.0]])
    assert (style.band(few).low.tolist(), style.band(few).high.tolist()) == ([1.0, 2.0], [3.0, 2.0])
    half = 4.302652729911275 / np.sqrt(3)  # 97.5 % quantile of t with 2 degrees of freedom
    np.testing.assert_allclose(
        [style.band(many).low[0], style.band(many).high[0]], [2 - half, 2 + half]
    )


def test_the_interval_is_the_textbooks() -> None:
    mean, low, high = style.interval(np.array([[1.0], [2.0], [3.0], [6.0]]))
    half = 3.182446305284263 * np.sqrt(14 / 3) / 2  # 97.5 % quantile of t with 3 degrees of freedom
    np.testing.assert_allclose([mean[0], low[0], high[0]], [3.0, 3.0 - half, 3.0 + half], rtol=1e-9)
    with pytest.raises(ValueError, match="at least 2 replicates"):
        style.interval(np.ones((1, 1)))


def test_the_stored_table_is_the_drawn_one_to_six_digits() -> None:
    tables = {
        "a": pd.DataFrame({"x": [1, 2], "y": [1 / 3, np.inf]}),
        "b": pd.DataFrame({"x": [3], "z": ["w"]}),
    }
    rounded = style.rounded(tables)
    assert rounded["a"]["y"].tolist() == [0.333333, np.inf] and tables["a"]["y"][0] == 1 / 3
    assert style.csv(rounded) == "table,x,y,z\na,1,0.333333,\na,2,inf,\nb,3,,w\n"
    assert style.csv({"a": rounded["a"]}) == "x,y\n1,0.333333\n2,inf\n"
    ties = np.nextafter(0.1171875, [0.0, 0.1171875, 1.0])
    assert len(set(style.rounded({"a": pd.DataFrame({"x": ties})})["a"]["x"])) == 1


def _figure() -> mpl.figure.Figure:
    figure, axes = style.figure(2.0)
    axes[0, 0].loglog([1, 10, 100], [1, 5, 20], color=style.COLOURS["printed"])
    style.guide(axes[0, 0], 0.5, (1, 1), 100, "slope ½")
    style.draw_band(axes[0, 0], [1, 10, 100], [0.5, 4, 15], [2, 6, 25], style.COLOURS["tight"])
    return figure


@pytest.mark.slow
def test_the_same_figure_gives_the_same_bytes_whatever_the_process_has_set(tmp_path: Path) -> None:
    tables = {"one": pd.DataFrame({"x": [1.5]})}
    first = style.save(style.styled(_figure)(), tmp_path / "a", "name", tables, "shows", pdf=True)
    with mpl.rc_context(
        {"font.size": 30, "savefig.dpi": 20, "pdf.fonttype": 3, "savefig.bbox": "tight"}
    ):
        second = style.save(
            style.styled(_figure)(), tmp_path / "b", "name", tables, "shows", pdf=True
        )
    assert [path.name for path in first] == ["name.csv", "name.png", "name.pdf"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert b"CreationDate" not in first[2].read_bytes() and b"/Type3" not in first[2].read_bytes()


@pytest.mark.parametrize(("most", "labels"), [(2.0, True), (1e4, False)])
def test_minor_ticks_stay_where_they_have_labels(most: float, labels: bool) -> None:
    @style.styled
    def draw() -> mpl.figure.Figure:
        figure, axes = style.figure(2.0)
        axes[0, 0].loglog([1, most], [1, 1e6])
        return figure

    (axes,) = draw().axes
    assert bool(len(axes.xaxis.get_minorticklocs())) is labels
    assert not len(axes.yaxis.get_minorticklocs())
    assert any(label.get_text() for label in axes.xaxis.get_minorticklabels()) is labels


def test_a_guide_has_the_slope_that_it_names() -> None:
    x, y = _figure().axes[0].lines[1].get_data()
    assert np.log(y[1] / y[0]) / np.log(x[1] / x[0]) == pytest.approx(0.5)


def test_the_bootstrap_covers_and_stays_among_the_values() -> None:
    """Means of exponential values: inside 95 times of 100, give or take; inside half of the
    interval, the twin that must fail, it is not."""
    rng, inside, narrow = np.random.default_rng(5), 0, 0
    for _ in range(100):
        mean, low, high = style.resampled(rng.exponential(size=40))
        inside += low <= 1 <= high
        narrow += abs(mean - 1) <= (high - low) / 8
    assert inside >= 86 > narrow
    assert style.resampled([0.0, 0.0, 9.0])[1] == 0 and style.resampled([2.0, 2.0]) == (2, 2, 2)
