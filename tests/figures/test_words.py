"""Ratios that captions and alt texts say in words are those of the committed tables."""

import re
from collections.abc import Callable

import pandas as pd
import pytest

from figures.across import common_environment
from figures.chowdhury2021 import counters, lower
from figures.lemmas import counters as lemma_counters
from figures.lemmas import tree
from figures.zhou2022 import local
from tests.figures import drawn

NUMBERS = {
    "two": 2,
    "four": 4,
    "five": 5,
    "six": 6,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "fourteen": 14,
    "sixteen": 16,
    "seventeen": 17,
    "twenty": 20,
}


def agrees(words: str, ratios: pd.Series) -> bool:
    """Whether ratios lie where words say that they do: "eight" to the nearest number, each end of
    "two to fourteen" or of "six and more" within one."""
    nearest = 1.0 if " " in words else 0.5
    ends = [NUMBERS[word] for word in re.sub(" and more$", "", words).split(" to ")]
    measured = [ratios.min()] if words.endswith(" and more") else [ratios.min(), ratios.max()]
    return all(
        abs(end - ratio) < nearest
        for end, ratio in zip(ends * (2 if len(ends) < len(measured) else 1), measured, strict=True)
    )


def earlier() -> pd.Series:
    """Printed over the tree against tight over blt, epsilon = 10."""
    facts = drawn("chowdhury2021_counters", "facts").query(
        "epsilon == 10 and agent == 'private-ofu-rl'"
    )
    users = facts.set_index(["calibration", "counter"])["burn_in"]
    return pd.Series([users["printed", "tree"] / users["tight", "blt"]])


def over_doing_nothing() -> pd.Series:
    means = drawn("chowdhury2021_lower", "means")
    return means["zero"] / means["bound"]


def over_quantile() -> pd.Series:
    error = drawn("lemma_tree", "error")
    return error["printed"] / error["sampled"]


def over_bound_below() -> pd.Series:
    largest = drawn("lemma_counters", "largest").query("law == 'gaussian' and releases >= 1000")
    by_counter = largest.pivot_table(index="releases", columns="counter", values="largest")
    return by_counter["tree"] / by_counter["bound"]


def over_planner() -> pd.Series:
    """Tight over joint counters at epsilon = 100, against the planner without privacy."""
    ends = drawn("common_environment", "ends")
    free = ends[ends["counter"] == "none"].set_index("agent")["share"]
    tight = ends.query("counter == 'tree' and calibration == 'tight' and epsilon == 100")
    planners = {"pucb": "ubev", "ldp-ucrl-vtr": "ucrl-vtr"}
    return tight["share"] / tight["agent"].map(lambda name: free[planners.get(name, name)])


def over_trusted() -> pd.Series:
    """Local noise over the tree, tight, where both learnt."""
    users = drawn("zhou2022_local", "burn_in").query("calibration == 'tight' and epsilon >= 10")
    by_counter = users.pivot_table(index=["agent", "epsilon"], columns="counter", values="burn_in")
    return by_counter["local"] / by_counter["tree"]


CASES = [
    ("nine", counters.ALT, "some nine times earlier than printed", earlier),
    ("four to five", lower.ALT, "by a factor of four to five", over_doing_nothing),
    ("four to five", tree.CAPTION, "is four to five times too large", over_quantile),
    (
        "ten to seventeen",
        lemma_counters.CAPTION,
        "ten to seventeen times as much from 1,000 releases on",
        over_bound_below,
    ),
    ("six and more", common_environment.CAPTION, "loses six times and more", over_planner),
    ("two to fourteen", local.CAPTION, "takes two to fourteen times as many users", over_trusted),
]


@pytest.mark.parametrize(("words", "text", "phrase", "ratios"), CASES)
def test_a_ratio_in_words_is_the_tables(
    words: str, text: str, phrase: str, ratios: Callable[[], pd.Series]
) -> None:
    assert words.removesuffix(" and more") in phrase and phrase in " ".join(text.split())
    assert agrees(words, ratios())


@pytest.mark.parametrize(
    ("words", "ratios"),
    [
        ("sixteen", earlier),
        ("eight", earlier),
        ("four", over_quantile),
        ("ten", over_bound_below),
        ("eight and more", over_planner),
        ("two to ten", over_trusted),
    ],
)
def test_another_number_in_words_is_refused(words: str, ratios: Callable[[], pd.Series]) -> None:
    assert not agrees(words, ratios())
