"""A reader's own run between its bounds: what is drawn, what is said at the end."""

import pytest

from figures import yours
from privrl import OFURL, UBEV


def test_a_tabular_run_stands_between_its_bounds() -> None:
    made = yours.runs("vietri2020/riverswim-3-relabelled", {"base": UBEV(0.1)}, 2000)
    figure, table = yours.between(made, {"twice trivial": lambda T: 6.0 * T}, trivial=3.0)
    assert [*table.index] == ["base", "twice trivial", "uniform play", "best constant action", "trivial bound"]
    assert list(table["over the trivial bound"][["twice trivial", "trivial bound"]]) == ["2", "1"]
    assert {line.get_label() for line in figure.axes[0].lines} == set(table.index)
    assert yours.learnt(made["base"]).startswith("has learnt")


def test_a_control_system_is_measured_against_doing_nothing() -> None:
    made = yours.runs("chowdhury2021/scalar", {"base": OFURL(0.1)}, 100, replicates=1)
    _, table = yours.between(made, {}, trivial=2.6)
    assert [*table.index] == ["base", "u = 0", "best constant gain", "trivial bound"]


def test_an_unknown_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        yours.runs("nowhere/river", {"base": UBEV(0.1)}, 10)
