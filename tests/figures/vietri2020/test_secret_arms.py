"""The figure of the agent with secret arms: its caption says what its table has."""

from io import StringIO

import pandas as pd
import pytest

from figures import registry
from figures.vietri2020 import secret_arms

FIGURE = registry.figure(secret_arms.ID)


def committed() -> pd.DataFrame:
    text = (registry.DATA / f"{secret_arms.ID}.csv").read_text("utf-8")
    return pd.read_csv(StringIO(text), comment="#")


def fewer_from(epsilon: float) -> int | None:
    """The number of arms from which on secret arms need fewer users."""
    table = committed()
    rows = table[table["epsilon"] == epsilon]
    fewer = (rows["enough"] < rows["private"]).tolist()
    assert fewer == sorted(fewer)
    return int(rows["arms"].iloc[fewer.index(True)]) if any(fewer) else None


def test_the_caption_says_from_how_many_arms_on() -> None:
    first, second, third = (fewer_from(epsilon) for epsilon in secret_arms.EPSILONS)
    assert f"from {first} arms on at epsilon = 0.001, from {second} on at 0.01" in FIGURE.caption
    assert third is None and "At 0.1 they do not" in FIGURE.caption
    message = secret_arms.MESSAGE.replace("ε", "epsilon")
    assert message.lower() in FIGURE.caption.lower()


def test_the_bounds_are_those_that_the_words_say() -> None:
    table = committed()
    ratio = (table["private"] / table["printed"]).round()
    assert set(ratio) == {471} and "471 times lower" in FIGURE.alt
    assert (table["enough"] > table["printed"]).all() and "no point is below it" in FIGURE.caption


@pytest.mark.parametrize(("users", "right"), [(593, True), (300, False)])
def test_what_is_enough_is_seen_and_half_is_not(users: int, right: bool) -> None:
    assert secret_arms.succeeds(4, 0.1, users) is right
