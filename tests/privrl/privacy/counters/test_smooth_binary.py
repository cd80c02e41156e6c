"""The smooth binary mechanism against its definition: strings, left children, counts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.privacy.counters import smooth_binary
from privrl.privacy.counters.smooth_binary import SmoothCounter
from theory.lemmas.counters import driven


@settings(max_examples=40)
@given(st.integers(1, 700), st.sampled_from(["laplace", "gaussian"]))
def test_shape_and_live_nodes(releases: int, law: str) -> None:
    height, ones = smooth_binary._shape(releases, law)
    assert math.comb(height, ones) >= releases + 1
    power = 2 if law == "laplace" else 1
    # from height 60 on one zero leaves too few strings, and two cost more than the least for 700
    # releases
    others = [
        (h - k) ** power * k
        for h in range(2, 60)
        for k in range(1, h)
        if math.comb(h, k) >= releases + 1
    ]
    assert (height - ones) ** power * ones == min(others)
    live = [
        ones - int(t)
        for t in smooth_binary._trailing(
            smooth_binary._string(np.arange(1, releases + 1), height, ones)
        )
    ]
    assert (
        smooth_binary._live(releases, height, ones)
        == np.bincount(live, minlength=ones + 1).tolist()
    )


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("releases", [1, 2, 5, 20, 77, 200])
def test_the_stream_is_the_mechanism(law: str, releases: int) -> None:
    """Two releases share the draws of the nodes that both read and that hold an item."""
    height, ones = smooth_binary._shape(releases, law)
    chosen = [value for value in range(1 << height) if value.bit_count() == ones][: releases + 1]
    nodes = []
    for time in range(1, releases + 1):
        read = set()
        for place in range(height):
            if chosen[time] >> place & 1:
                start = chosen[time] >> (place + 1) << (place + 1)
                if any(start <= leaf < start + (1 << place) for leaf in chosen[:time]):
                    read.add((start, place))
        nodes.append(read)
    shared = [[len(node_set & two) for two in nodes] for node_set in nodes]
    noise = driven(SmoothCounter(releases, releases, 1.0, np.random.default_rng(0), law))
    assert set(np.unique(noise)) <= {0.0, 1.0}
    np.testing.assert_array_equal(noise @ noise.T, shared)


def test_at_a_million() -> None:
    assert smooth_binary._shape(10**6, "gaussian") == (23, 10)
    assert smooth_binary._shape(10**6, "laplace") == (33, 27)
    assert SmoothCounter(3, 10**6, 1.0, np.random.default_rng(0), "gaussian")._stack.shape == (
        11,
        3,
    )
