"""Numbers that captions, descriptions and messages say are of their figure: its data, the settings
of its module and its runs, or what is computed from them."""

import ast
import importlib
import re
from fractions import Fraction
from functools import cache
from math import ceil, floor, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from figures import identifiers, registry, runs, style
from figures.kinds import privacy as kinds_privacy
from figures.liao2021 import live as liao2021_live
from figures.vietri2020 import live as vietri2020_live
from privrl.agents.linear.ldp_ucrl_vtr import LDPUCRLVTR
from privrl.environments import suite
from privrl.privacy import noise
from privrl.privacy.audit import power
from privrl.run import measure
from reproduce import found
from tests import numerals
from tests.figures import drawn
from tests.figures.readings import every_reading, joined, spelled
from tests.test_notebook_numbers import bare
from theory.papers.chowdhury2021 import privacy
from theory.rigor import sampling

STRUCTURE = {0.0, 1.0, 2.0}  # ends of a range, an index, a square
PLANNED = {"delta", "epsilon", "constant", "planned", "played", "alpha"}


def test_numbers_are_said_right() -> None:
    for identifier, text, value, digits in every_reading():
        figure = registry.figure(identifier)
        words = joined(spelled(text, value, digits))
        assert words in joined(figure.caption) + joined(figure.alt), (identifier, words)


@pytest.mark.parametrize("wrong", [0.7, 1.4])
def test_another_number_would_be_noticed(wrong: float) -> None:
    wrong_claims = [
        (
            registry.figure(name),
            spelled(text, tuple(wrong * each for each in np.atleast_1d(value)), digits),
        )
        for name, text, value, digits in every_reading()
    ]
    assert (
        sum(joined(text) in joined(figure.caption + figure.alt) for figure, text in wrong_claims)
        <= 2
    )


@cache
def settings() -> dict[str, set[float]]:
    """What captions say that their figures' modules take from elsewhere: sizes of environments,
    levels, what another page found."""
    river, linear_river = map(
        suite.environment, ("vietri2020/riverswim-3-relabelled", "zhou2022/riverswim-3-relabelled")
    )
    hard, mixture = map(suite.environment, ("liao2021/hard-5-6", "liao2021/mixture-2"))
    rivers = suite.environment("liao2021/riverswim-3")
    scalar = suite.environment("chowdhury2021/scalar")
    alpha = LDPUCRLVTR(epsilon=1.0, delta=0.1).alpha
    fewer = numerals.numbers(bare(found.fewer_users()))
    threshold = numerals.numbers(style.number(privacy.thresholds((1e-6,), 0.5)[0][1], 3))
    again = Fraction(measure.AGAIN).limit_denominator(1000)
    successors = drawn("successors_regret", "burn_in").query(
        "agent == 'private-ucbvi' and counter == 'blt'"
    )
    return {
        "advice_users": {*map(float, (river.horizon, *again.as_integer_ratio()))},
        "audit_power": {power.ALPHA, power.GAUSSIAN_DELTA},
        "chowdhury2021_lower": {float(scalar.horizon), scalar.c_w},
        "chowdhury2021_price": {float(round(log(1 / kinds_privacy.DELTA)))},
        "chowdhury2021_radius": {kinds_privacy.DELTA},
        "chowdhury2021_regret": threshold,
        "found_users": set(runs.table("vietri2020_regret")["planned"].astype(float)),
        "liao2021_bounds": {float(runs.table("liao2021_learning")["replicate"].nunique())},
        "liao2021_hard": {float(hard.actions)},
        "liao2021_horizon": {alpha},
        "liao2021_live": {float(mixture.horizon * liao2021_live.EPISODES)},
        "liao2021_regret": {alpha, float(rivers.horizon)},
        "liao2021_relabelled": {float(rivers.horizon)},
        "liao2021_riverswim": {float(rivers.horizon)},
        "privacy_all": {float(noise.setting("vietri2020", epsilon=1, delta=0).episodes)},
        **{
            f"privacy_{paper}": {kinds_privacy.DELTA}
            for paper in ("chowdhury2021", "liao2021", "zhou2022")
        },
        "successors_regret": {
            1e3 * floor(successors["burn_in_low"].item() / 1e3),
            1e3 * ceil(successors["burn_in_high"].item() / 1e3),
        },
        "vietri2020_counters": fewer,
        "vietri2020_live": {float(river.horizon * vietri2020_live.EPISODES)},
        "vietri2020_secret_arms": {float(f"{sampling.LEVEL:.0e}")},
        "zhou2022_counters": fewer,
        "zhou2022_river": {float(linear_river.theta_p.shape[-1])},
    }


#: of a formula, or of a premise of what is drawn; a person answers for them
FORMULAS = {
    "bench_floor": {1e6},  # the epsilon at which counts are known
    "chowdhury2021_price": {4.0},
    "lemma_gaussian_mechanism": {1.25},
    "vietri2020_counter_error": {2.5},
    "vietri2020_hard_mdp": {0.2},
    "vietri2020_secret_arms": {0.9, 28.0},
    "zhou2022_dimension": {3.0, 7.0},
    "zhou2022_regret": {0.12},
}


def plain(text: str) -> str:
    """A caption whose powers of ten and thousands are numbers."""
    text = re.sub(
        r"(?:(\d+(?:\.\d+)?)(?: times)? )?10\^\{?(-?\d+)\}?",
        lambda match: f"{match[1] or 1}e{match[2]}",
        bare(text),
    )
    return re.sub(r"(\d+(?:\.\d+)?) thousand", lambda match: f"{float(match[1]) * 1e3:g}", text)


def constant(node: ast.AST) -> float | None:
    """The value of a number or of a power of two numbers in a source."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, exponent = constant(node.left), constant(node.right)
        return None if base is None or exponent is None else float(base**exponent)
    return None


def held(value: Any) -> set[float]:
    """The numbers in a constant of a module: itself, or what a tuple or a dictionary has."""
    if type(value) in (int, float):
        return {float(value)}
    if isinstance(value, tuple | list | frozenset):
        return set().union(*map(held, value))
    if isinstance(value, dict):
        return set().union(*map(held, (*value, *value.values())))
    return set()


@cache
def numbers_of(identifier: str) -> frozenset[float]:
    """What a caption may say: the figure's data, the numbers that its module has in its code or
    imports, what its runs were planned for, and what is computed above."""
    module = importlib.import_module(identifiers.places()[identifier])
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    code = {value for node in ast.walk(tree) if (value := constant(node)) is not None}
    planned: set[float] = set()
    if (runs.TABLES / f"{identifier}.csv").exists():
        table = runs.table(identifier)
        for name in PLANNED & set(table.columns):
            planned |= set(table[name].astype(float))
    readings = [
        spelled(text, value, digits)
        for name, text, value, digits in every_reading()
        if name == identifier
    ]
    return frozenset().union(
        STRUCTURE,
        {100 * measure.LEVEL},
        numerals.numbers((registry.DATA / f"{identifier}.csv").read_text("utf-8")),
        code,
        held(tuple(vars(module).values())),
        planned,
        numerals.numbers(plain(" ".join(readings))),
        settings().get(identifier, set()),
        FORMULAS.get(identifier, set()),
    )


@pytest.mark.parametrize("identifier", sorted(identifiers.places()))
def test_every_number_is_of_its_figure(identifier: str) -> None:
    figure = registry.figure(identifier)
    for text in (figure.caption, figure.alt, figure.message):
        assert numerals.loose(plain(text), numbers_of(identifier)) == set(), text


def test_most_other_numbers_would_be_found() -> None:
    """A number a third larger is none of the figure's, four times of five."""
    found_, tried = 0, 0
    for identifier in identifiers.places():
        caption = plain(registry.figure(identifier).caption)
        for number in numerals.numbers(caption) - STRUCTURE:
            tried += 1
            found_ += bool(numerals.loose(f"{1.3 * number:.3g}", numbers_of(identifier)))
    assert found_ >= 0.8 * tried >= 300, (found_, tried)
