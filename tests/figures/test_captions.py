"""Numbers that captions and descriptions say are those of the committed data."""

from collections.abc import Callable

import pytest

from figures import registry, style
from figures.chowdhury2021 import regret as chowdhury2021_regret
from figures.vietri2020 import counters as vietri2020_counters
from figures.zhou2022 import comparison as zhou2022_comparison
from tests.figures import drawn
from theory.papers.chowdhury2021 import privacy


def ends(identifier: str, table: str, column: str, *keys: str) -> Callable[..., float]:
    """The last value of ``column`` in the rows with the given values of ``keys``."""
    last_values = (
        drawn(identifier, table).groupby(list(keys) if len(keys) > 1 else keys[0])[column].last()
    )
    return lambda *key: float(last_values[key if len(key) > 1 else key[0]])


def said() -> list[tuple[str, str, float, int]]:
    """(figure, text of its caption or description with {} for the number, number, digits)."""
    over = ends("chowdhury2021_noise", "largest", "largest_over_bound", "calibration", "sum")
    rates, (threshold,) = chowdhury2021_regret.references(), privacy.thresholds((1e-6,), 0.5)
    below = ends("liao2021_bounds", "vacuity", "below_trivial", "epsilon", "calibration")
    hard, live = (ends(f"liao2021_{name}", "lines", "regret", "line") for name in ("hard", "live"))
    lines = ends("zhou2022_counters", "lines", "regret", "entry", "line")
    river = ends("zhou2022_counters", "river", "ratio", "counter", "epsilon")
    at = ends(
        "vietri2020_counters",
        "settings",
        "proved",
        "epsilon",
        "counter",
        "delta",
        "calibration",
        "planned",
    )
    mixture = "zhou2022/mixture-2"
    return [
        ("chowdhury2021_noise", "reaches {}", over("tight", "gram"), 2),
        ("chowdhury2021_noise", "and {} of the tight bounds", over("tight", "cross"), 2),
        ("chowdhury2021_regret", "loses {} times less", rates["trivial"] / rates["zero"], 2),
        ("chowdhury2021_price", "above {} here", threshold[1], 3),
        ("liao2021_bounds", "{} million episodes on the left", below(1, "tight") / 1e6, 2),
        ("liao2021_bounds", "{} thousand", below(100, "tight") / 1e3, 2),
        *(
            ("liao2021_hard", "at {}", hard(name), 3)
            for name in ("uniform", "action 0", "constant")
        ),
        ("liao2021_live", "{}", live("uniform"), 2),
        ("liao2021_live", "{}", live("blind"), 2),
        (
            "liao2021_divergence",
            "{}",
            float(drawn("liao2021_divergence", "crossing")["epsilon"].iloc[0]),
            3,
        ),
        ("zhou2022_counters", "at {}", lines(mixture, "action 0") / lines(mixture, "uniform"), 3),
        ("zhou2022_learning", "{}", lines(mixture, "blind") / lines(mixture, "uniform"), 2),
        ("zhou2022_counters", "{} within", river("blt", 100.0), 2),
        ("zhou2022_comparison", "{}", zhou2022_comparison.crossing(), 2),
        *(
            ("vietri2020_counters", "{}", at(1.0, *setting, vietri2020_counters.OWN[setting]), 2)
            for setting in vietri2020_counters.SHOWN[:2]
        ),
    ]


def test_numbers_are_said_right() -> None:
    for identifier, text, value, digits in said():
        figure = registry.figure(identifier)
        spellings = (
            text.format(style.number(value, digits)),
            text.format(style.number(value, digits).replace(",", "")),
        )
        assert any(
            spelling in figure.caption or spelling in figure.alt for spelling in spellings
        ), (
            identifier,
            spellings,
        )


@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_another_number_would_be_noticed(wrong: float) -> None:
    wrong_claims = [
        (registry.figure(name), text.format(style.number(wrong * value, digits)))
        for name, text, value, digits in said()
    ]
    assert sum(text in figure.caption + figure.alt for figure, text in wrong_claims) <= 2
