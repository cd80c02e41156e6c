"""What every counter declares of itself is true of its stream; one that leaves something out is
refused."""

import math
import sys
from types import ModuleType

import numpy as np
import pytest

from privrl.agents.linear import widths
from privrl.agents.linear.kernels import terms
from privrl.privacy.counters import mechanisms
from privrl.privacy.counters.stream import Counter
from privrl.types import FloatArray

RELEASES = 50
TIMES = np.arange(1, RELEASES + 1)


class WholeDraws:
    """The stream of a counter whose draws are whole numbers, one column; it counts them."""

    def __init__(self, name: str, law: str) -> None:
        self.drawn = 0
        kind = type(
            "Whole",
            (mechanisms.COUNTER_CLASSES[name],),
            {"_draws": lambda _, rows: self.draw(rows)},
        )
        self.counter: Counter = kind(1, RELEASES, 1.0, np.random.default_rng(0), law)

    def draw(self, rows: int) -> FloatArray:
        self.drawn += rows
        return np.random.default_rng(self.drawn).integers(-9, 10, (rows, 1)).astype(np.float64)


@pytest.mark.parametrize("name", mechanisms.PRIVATE)
def test_exact_counters_alone_stay_on_the_grid(name: str) -> None:
    stream = WholeDraws(name, mechanisms.laws(name)[0])
    releases = stream.counter.block(RELEASES)
    assert mechanisms.COUNTER_CLASSES[name].exact == bool((releases == np.rint(releases)).all())


@pytest.mark.parametrize("name", mechanisms.PRIVATE)
def test_audited_counters_alone_draw_once_a_release(name: str) -> None:
    stream = WholeDraws(name, mechanisms.laws(name)[0])
    each = []
    for _ in TIMES:
        before = stream.drawn
        stream.counter.block(1)
        each.append(stream.drawn - before)
    # the root of the matrix draws a chunk ahead, as many as releases in all
    once = set(each) == {1} or (
        not mechanisms.COUNTER_CLASSES[name].few_rows and sum(each) == RELEASES
    )
    assert mechanisms.COUNTER_CLASSES[name].audited == once


@pytest.mark.parametrize("name", mechanisms.PRIVATE)
def test_the_growth_of_the_variance_is_the_declared_one(name: str) -> None:
    kind = mechanisms.COUNTER_CLASSES[name]
    variances = kind.variance(TIMES, RELEASES, kind.laws[0])
    by_growth = {
        "each": lambda: TIMES,
        "bits": lambda: [
            math.fsum(
                kind.variance(np.array([1 << bit]), RELEASES, "gaussian")[0]
                for bit in range(time.bit_length())
                if time >> bit & 1
            )
            for time in TIMES.tolist()
        ],
        "series": lambda: [
            weights[0] * time - weights[1:] @ np.expm1(rates * time)
            for weights, rates in [kind.series(RELEASES)]
            for time in TIMES.tolist()
        ],
    }
    if kind.growth in by_growth:
        assert variances == pytest.approx(by_growth[kind.growth](), rel=1e-9)
    if kind.slack == 0:
        assert (variances == np.rint(variances)).all()


@pytest.mark.parametrize("name", widths.COUNTERS[1:])
def test_the_widths_of_linear_agents_take_no_variance_for_less_than_it_is(name: str) -> None:
    true = mechanisms.counter_variance(name, TIMES, RELEASES)
    growth = widths.terms_of(name, RELEASES + 1, fixed=False)
    assumed = np.array([terms(growth, time) for time in TIMES.tolist()])
    assert (assumed >= true * (1 - 1e-12)).all() and growth.fixed >= true.max() * (1 - 1e-12)


@pytest.mark.parametrize(
    ("growth", "message"),
    [
        ({}, "a counter must declare growth, got Planted"),
        # else the widths of linear agents would be those of a tree
        (
            {"growth": "square"},
            "growth must be one of none, fixed, each, bits, series, got Planted: ",
        ),
    ],
)
def test_a_counter_of_unknown_growth_is_refused(
    growth: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("privrl.privacy.counters.planted")
    facts = {"name": "planted", "summary": "", "rank": 99, "audited": False, **growth}
    facts["__module__"] = module.__name__
    vars(module)["Planted"] = type("Planted", (Counter,), facts)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    planted_module = type("Found", (), {"name": "planted"})()
    monkeypatch.setattr(mechanisms.pkgutil, "iter_modules", lambda _: [planted_module])
    with pytest.raises(TypeError, match=message):
        mechanisms._find()
