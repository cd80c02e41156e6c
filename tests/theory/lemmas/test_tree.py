"""Blocks of the tree, and the law of its largest error by computations that share nothing."""

from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from privrl.privacy.counters import stream as counters
from theory.lemmas import tree


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_blocks(first: int, second: int) -> None:
    time, releases = min(first, second), max(first, second)
    blocks = [(end - tree.lowbit(end), end) for end in reversed(tree.live_nodes(time))]
    assert blocks[0][0] == 0
    assert blocks[-1][1] == time
    assert all(left_side[1] == right[0] for left_side, right in pairwise(blocks))
    assert len(blocks) == time.bit_count() <= tree.levels(releases)
    nodes = tree.touched(time, releases)
    assert all(end - tree.lowbit(end) < time <= end for end in nodes)
    assert len(nodes) <= tree.levels(releases) == len(tree.touched(1, releases))


@pytest.mark.slow
@pytest.mark.parametrize("noises", [1, 2, 3, 5, 12])
def test_the_tail_of_a_sum_by_gammas(noises: int) -> None:
    """A sum of k Laplace variables is the difference of two Gamma(k): P(|S| > x) = 2 E[P(G > G' +
    x)]."""
    gamma = stats.gamma(noises)
    for x in (0.5, 3.0, 20.0):
        value, _ = integrate.quad(
            lambda g, x=x: 2 * gamma.pdf(g) * gamma.sf(g + x), 0, 80, epsabs=0, limit=200
        )
        polynomial = sum(float(q) * x**i for i, q in enumerate(tree.sum_tail(noises)))
        assert np.exp(-x) * polynomial == pytest.approx(value, rel=1e-9)
    assert tree.sum_tail(noises)[0] == 1
    assert all(q >= 0 for q in tree.sum_tail(noises))


def test_the_law_of_three_releases_by_hand() -> None:
    """P(all within x) = (1 - e^-x) times the integral of f(v) (1 - e^-x cosh v) over |v| <= x, done
    by hand."""
    for x in (0.3, 2.0, 9.0):
        with mp.workdps(40):
            lost = mp.exp(-x)
            inside = (1 - lost) * (1 - lost - lost * (mp.mpf(x) / 2 + (1 - mp.exp(-2 * x)) / 4))
            assert float(abs(1 - inside - mp.mpf(tree.tail(x, 3)))) < 1e-15
    assert tree.tail(2.5, 2) == pytest.approx(1 - (1 - np.exp(-2.5)) ** 2, rel=1e-14)


@pytest.mark.parametrize("releases", [1, 2, 3, 4, 6, 7, 8, 13, 15])
def test_panels_against_balls(releases: int) -> None:
    for x in (0.5, 3.0, 12.0, 40.0):
        ball = tree.tail_ball(x, releases)
        assert float(ball.rad()) < 1e-12 * float(ball.mid())
        assert tree.tail(x, releases) == pytest.approx(float(ball.mid()), rel=1e-12)


@given(st.integers(1, 2**40))
def test_levels_are_those_of_the_counters(releases: int) -> None:
    assert tree.levels(releases) == counters.levels(releases)


@pytest.mark.slow
@given(st.integers(1, 40), st.floats(0.2, 30))
def test_the_law_is_monotone_and_below_the_union_bound(releases: int, x: float) -> None:
    value = tree.tail(x, releases)
    assert 0 < value <= 1
    assert tree.tail(x, releases + 1) >= value * (1 - 1e-12)
    assert tree.tail(x * 1.1, releases) < value or value > 1 - 1e-9
    union = np.exp(-x) * sum(float(q) * x**i for i, q in enumerate(tree.union_tail(releases)))
    assert value <= union * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.9, 0.1, 1e-6, 1e-12])
@pytest.mark.parametrize("releases", [1, 5, 1000, 10**9])
def test_the_quantile_inverts_the_tail(beta: float, releases: int) -> None:
    assert tree.tail(tree.quantile(beta, releases), releases) == pytest.approx(beta, rel=1e-9)


def test_the_integer_lemma_and_the_shift_reject_their_neighbours() -> None:
    assert tree.lengths_differ()
    assert not tree.lengths_differ(2)  # node 1 and node 2 both contain item 1
    assert tree.shift_costs()
    assert not tree.shift_costs(0)


def test_union_tail_adds_up() -> None:
    assert tree.union_tail(3) == (Fraction(3), Fraction(1, 2))
