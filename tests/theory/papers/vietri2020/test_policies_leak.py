"""What PUCB's actions tell: masses by drawing at mild sizes, the planner on the event, mutants."""

import math

import numpy as np
import pytest
from flint import arb

from theory import ledger
from theory.papers.vietri2020 import theorem_1
from theory.papers.vietri2020.policies_leak import finite, half_space, long, short
from theory.papers.vietri2020.policies_leak.short import PrivateLearning


@pytest.mark.slow
@pytest.mark.parametrize("counts", [0, 1])
def test_masses_by_a_sum_over_a_grid(counts: int) -> None:
    """The mass of one node by the midpoint rule in plain floats, which shares no line with the
    balls."""
    setting = PrivateLearning(284.0, 0.1)
    log = math.log(3)
    b = 3 / 284 * log
    width = b * math.log(16 * 40) * log**1.5
    n = np.linspace(2 * width, 4, 2_000_001)
    n = (n[1:] + n[:-1]) / 2
    root = np.sqrt(2 * math.log(3 * 40) / np.maximum(n - width, 1))
    edge = n - n * (2 * root + 3 * (3 * width / n + 2 * (width / n) ** 2))
    density = np.exp(-np.abs(n - counts) / b + (edge - counts) / b) / (4 * b)
    total = density.sum() * (4 - 2 * width) / len(n)
    assert float(short.integrated(setting, counts)) == pytest.approx(total, rel=1e-5)


@pytest.mark.slow
def test_the_closed_forms_lie_on_the_safe_side() -> None:
    for beta in (0.01, 0.5):
        setting = PrivateLearning(300.0, beta)
        least, most = short.masses(setting)
        low, high = (short.integrated(setting, counts) for counts in (0, 1))
        assert bool(least < low) and bool(high < most)
        assert bool(low < 2 * least) and bool(most < 2 * high)


@pytest.mark.slow
def test_the_smallest_epsilon_is_where_the_loss_crosses_it() -> None:
    epsilon = short.mildest(0.5)
    assert short.exceeds_closely(PrivateLearning(float(epsilon), 0.5))
    assert not short.exceeds_closely(PrivateLearning(float(epsilon - 1), 0.5))
    assert not short.exceeds_closely(PrivateLearning(float(epsilon), 0.5, natural=False))
    assert epsilon <= short.smallest(0.5)
    with pytest.raises(ValueError, match="2E must be < 1"):
        short.exceeds_closely(PrivateLearning(1.0, 0.5))


def test_limits() -> None:
    assert short.slope(3) == pytest.approx(4 / (3 * math.log(3)))
    assert max(short.slope(T) for T in range(2, 200)) == short.slope(5)
    assert short.by_letter(1) == 1


@pytest.mark.slow
def test_the_adversary_of_large_t() -> None:
    adversary = long.shortest(0.1)
    assert long.share(adversary) > 1
    assert all(long.conditions(adversary).values())
    rare = adversary._replace(rare=adversary.rare + 60)
    assert not long.conditions(rare)["c(n_0 + 1) >= 1 + theta'"]
    assert not long.least_noise(rare)
    close = adversary._replace(competitor=adversary.competitor // 3)
    assert not all(long.conditions(close).values())
    assert not long.planned(adversary._replace(competitor=adversary.competitor // 4))


def test_what_plans_read() -> None:
    assert theorem_1.moves_are_read(0)
    assert not theorem_1.moves_are_read(1)


def test_half_spaces_by_drawing() -> None:
    weights = (1.0, -0.3, 0.7)
    assert half_space.sampled(weights, 2.0) == pytest.approx(
        float(half_space.tail(weights, 2.0)), abs=4e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize("place", ["the smallest T", "the least epsilon"])
def test_at_one_epsilon_with_any_ties(place: str) -> None:
    smallest, least = finite.first_seen(0.1)
    adversary, epsilon = smallest if place == "the smallest T" else least
    assert finite.exceeds(adversary, epsilon)
    assert finite.exceeds(adversary, 100 * epsilon)
    assert not finite.exceeds(adversary, epsilon / 2)
    assert finite.planned(adversary, epsilon)
    assert finite.no_less_noise(adversary, epsilon)
    assert not finite.no_less_noise(adversary, epsilon, 2.6)
    # as epsilon grows the loss comes to its limit, in which user t pays for x by its shortfall
    losses = [float(finite.masses(adversary, e).loss) / e for e in (epsilon, 1e6 * epsilon)]
    spared = 1 - long.deficits(adversary)[0]
    limit = (long.gain(adversary) + spared) / (3 * math.log(2.0**adversary.last + 2))
    # less a hundredth of the shortfalls, which the proof gives away
    assert losses[0] < losses[1] < limit < 1.01 * losses[1]


def test_gamma_tail_by_drawing() -> None:
    sizes = np.random.default_rng(2).exponential(size=(200_000, 4)).sum(axis=1)
    share = float((sizes >= 6.0).mean())
    exact = math.exp(float(finite.gamma_tail(arb(6), 4)))
    assert abs(share - exact) < 5 * math.sqrt(exact / 200_000)
    assert not abs(share - math.exp(float(finite.gamma_tail(arb(6), 3)))) < 0.01


@pytest.mark.slow
def test_what_noise_of_the_width_saves() -> None:
    """n (conf - c) on a grid of visits, against what the proof lets it be."""
    adversary, epsilon = finite.first_seen(0.1)[1]
    for scale in (1.0, 1e-2, 1e-3):
        size = finite.sizes(adversary, epsilon * scale)
        width, lam = float(size.width), float(size.logarithm)
        if 2 * width >= 0.5:
            continue
        most = 2 * math.sqrt(lam) * width * (1 + width) + 16 * width
        for n in np.geomspace(2 * width, adversary.competitor, 400):
            assert n * float(finite.bonus(float(n), size)) - 2 * math.sqrt(lam * n) <= most + 1e-9


# by hand; summary and errata have it from the records
NOTEBOOK = "notebooks/01_vietri2020_pucb.py"
WRITTEN = "lies between {1:g} and {3:g} with natural logarithms, between {0:g} and {2:g} to base 2"


def test_the_bracket_is_that_of_the_records_where_it_is_written_by_hand() -> None:
    text = (ledger.ROOT / NOTEBOOK).read_text("utf-8")
    words = " ".join(text.replace("\n# ", " ").split())
    (below, above) = theorem_1.bracket()
    assert words.count(WRITTEN.format(*below, *above)) == 1
    assert WRITTEN.format(*below, *(end + 0.01 for end in above)) not in words
