"""What the widths of the tabular agents may fail with, turned round from the widths themselves: the
shares make beta, no more and no less."""

import math

import pytest

from privrl.agents.tabular.dp_ucbvi import DPUCBVI, FEW
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from privrl.privacy import quantiles

MDP, T, BETA = random_mdp(3, 2, 4, seed=1), 1000, 0.2
PAIRS = 3 * 2 * 4
TREE = (T - 1).bit_length()


def chernoff(x: float, terms: int) -> float:
    """2 exp(-l) with x = sqrt(8 l) max(sqrt(terms), sqrt(l)); it is no less than what ln E exp(z X)
    <= 2 z^2, |z| <= 1/sqrt 2, leaves beyond x of the sum of ``terms`` Laplace(1)."""
    z = min(x / (4 * terms), 1 / math.sqrt(2))
    failing = 2 * math.exp(-min(x**2 / (8 * terms), x / math.sqrt(8)))
    assert 2 * math.exp(2 * terms * z**2 - z * x) <= failing * (1 + 1e-9)
    return failing


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PUCB, DPUCBVI, PrivateUCBVI])
@pytest.mark.parametrize(
    ("delta", "calibration"), [(0, "corrected"), (0, "tight"), (0.01, "tight")]
)
def test_noise_leaves_its_share(kind, delta, calibration):
    agent = kind(epsilon=2.0, beta=BETA, delta=delta, calibration=calibration)
    ours = agent.calibrate(MDP, T)
    share = BETA / 4 if kind is PUCB else BETA / 2
    sums = PAIRS * (3 + 2)  # n, r, and m of three next states
    if kind is PUCB:
        width = ours.e_epsilon
    elif kind is DPUCBVI:
        width = ours.error
    elif calibration == "corrected":
        width, sums = ours.surplus / 3, PAIRS * (3 + 1)  # r and m
    else:
        # one bonus and one n~ of each pair fail with beta/4 each: n~ is the sum of three counts
        width, sums, share = ours.surplus, PAIRS, BETA / 4
    x = width / ours.scale
    if kind is PrivateUCBVI and calibration == "tight" and not delta:
        counts = [quantiles.laplace_sum_tail(x, 3 * t.bit_count()) for t in range(1, T)]
        failing = sums * sum(counts)
    elif kind is PrivateUCBVI and delta:
        failing = sums * quantiles.tree_tail_gaussian(x / math.sqrt(3), T - 1)
    elif calibration == "corrected":
        failing = sums * (T - 1) * chernoff(x, TREE)
    elif delta:
        failing = sums * quantiles.tree_tail_gaussian(x, T - 1)
    else:
        failing = sums * quantiles.tree_tail(x, T - 1)
    assert failing == pytest.approx(share, rel=1e-2)
    assert failing <= share * (1 + 1e-9)


def test_a_bonus_of_private_ucbvi_covers_its_sum():
    """Laplace noise, h-th step: r~ stretched by c, three m~ each times values up to c."""
    agent = PrivateUCBVI(epsilon=2.0, beta=BETA, calibration="tight")
    ours = agent.calibrate(MDP, T)
    for h, width in enumerate(ours.widths):
        x = width / ours.scale / (4 - h)
        failing = PAIRS * sum(quantiles.laplace_sum_tail(x, 4 * t.bit_count()) for t in range(1, T))
        assert failing == pytest.approx(BETA / 4, rel=1e-2)
        assert ours.ratios[h] == 4 - h
    plain = PrivateUCBVI(epsilon=2.0, beta=BETA, calibration="corrected").calibrate(MDP, T)
    error = plain.surplus / 3
    assert plain.widths == pytest.approx([(1 + 3 * c) * error for c in (4, 3, 2, 1)])


@pytest.mark.parametrize("kind", [PrivateUCBVI, DPUCBVI])
def test_sampling_leaves_its_share(kind):
    """Without blocks of visits: exp(-2 x^2) a sum by Hoeffding, over pairs and visits."""
    agent = kind(counter="none", beta=BETA, calibration="corrected")
    ours = agent.calibrate(MDP, T)
    if kind is PrivateUCBVI:
        for h, factor in enumerate(ours.factors):
            failing = PAIRS * T * math.exp(-2 * (factor / (4 - h)) ** 2)
            assert failing == pytest.approx(BETA / 2, rel=1e-9)
        return
    assert PAIRS * T * math.exp(-2 * ours.reward**2) == pytest.approx(BETA / 6, rel=1e-9)
    # Bernstein: deviation sqrt(2 l var n) + l/3, and of the root of the empirical variance
    # sqrt(2 l/(n - 1)), n >= FEW, over n/(n - 1)
    level = ours.deviation**2 / 2
    assert PAIRS * T * math.exp(-level) == pytest.approx(BETA / 6, rel=1e-9)
    ratio = FEW / (FEW - 1)
    constant = ours.deviation * (math.sqrt(2 * level * ratio) + math.sqrt(ratio) / 2) + level / 3
    assert ours.constant == pytest.approx(max(constant, FEW))


def test_what_noise_adds_to_the_constant_of_dp_ucbvi():
    """a sqrt(var of the made counts) moves by a sqrt(2 e (S - 1)), sums by e (S + 3)."""
    quiet = DPUCBVI(counter="none", beta=BETA, calibration="corrected").calibrate(MDP, T)
    noisy = DPUCBVI(epsilon=2.0, beta=BETA, calibration="corrected").calibrate(MDP, T)
    error = noisy.error
    assert (noisy.deviation, noisy.reward) == pytest.approx((quiet.deviation, quiet.reward))
    added = quiet.deviation * math.sqrt(2 * error * 2) + error * 6
    assert noisy.constant == pytest.approx(quiet.constant + added)
