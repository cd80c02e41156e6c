"""The widths of the linear agents turned round: what may fail with which probability, and what the
noise spends."""

import math

import numpy as np
import pytest

from privrl.agents.linear import widths as linear_widths
from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.linear.records import (
    BASE,
    LOGARITHM_RATE,
    OF_NOISE,
    OF_ROOT,
    ROOT_DETERMINANT,
    ROOT_FIXED,
    ROOT_LOGARITHM,
)
from privrl.environments import one_hot, random_mixture, riverswim
from privrl.privacy import accounting
from privrl.privacy.gaussian_norms import norm_tail, operator_tail

MDP, PLANNED = random_mixture(4, 3, 2, 3, seed=2), 100
ALPHA, EPSILON, DELTA = 0.12, 3.0, 1e-3
SHARE = ALPHA / 6  # of each of three events of two regressions


def sub_gaussian(bound: float) -> float:
    """The most that ln E exp(l (X - E X)) is of l^2/2 for X in [0, bound], by numbers: its root."""
    p = np.linspace(1e-3, 1 - 1e-3, 999)
    scales = np.array([0.01, 0.1, 1.0]) / bound
    growth = [
        2 * np.log(p * np.exp(t * bound * (1 - p)) + (1 - p) * np.exp(-t * bound * p)) / t**2
        for t in scales
    ]
    return math.sqrt(float(np.max(growth)))


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("counter", ["none", "local", "tree"])
def test_each_part_of_a_width(calibration, counter):
    agent = LinOptVI(
        EPSILON,
        DELTA,
        ALPHA,
        counter=counter,
        calibration=calibration,
        regulariser=2.0,
        by_blocks=False,
    )
    ours = agent.calibrate(MDP, PLANNED)
    H, K, sharp = MDP.horizon, PLANNED - 1, calibration == "tight"
    least = ours.growth.least
    both = (
        (ours.transitions, linear_widths.transitions(MDP, by_blocks=False), MDP.theta_p_bound),
        (ours.rewards, linear_widths.rewards(MDP, by_blocks=False), MDP.theta_r_bound),
    )
    for widths, known, theta in both:
        d = known.dimension
        for step in range(H):
            bonus, target = widths.bonus[step], known.bounds[step]
            assert bonus[BASE] == pytest.approx(math.sqrt(2) * theta)
            if target:
                assert bonus[OF_ROOT] == pytest.approx(sub_gaussian(target), rel=1e-4)
            fixed = bonus[ROOT_FIXED]
            if sharp and counter == "none":  # ln det Lambda itself, without the regulariser's
                fixed += d * math.log(2.0)
            assert math.exp(-fixed / 2) * H == pytest.approx(SHARE)
            gram, vector = widths.gram[step], widths.vector[step]
            shift = widths.shift[step, 1]
            if gram > 0:
                # shift = (1 + x) big, big the bound of the Gram noise's norm of a draw
                part = bonus[OF_NOISE]
                spread, big = spread_of(shift, part, theta, vector, d, sharp)
                failing = norm_fails(big / gram, d, sharp)
                assert H * K * failing == pytest.approx(SHARE, rel=1e-6)
                start = 2.0 + spread * big * math.sqrt(least)
            else:
                start = 2.0
            # without noise the determinant itself, else a bound of its logarithm
            assert bonus[ROOT_DETERMINANT] == float(sharp and counter == "none")
            if bonus[ROOT_LOGARITHM]:
                # det(V)/det(start I) <= (1 + n size^2/(d start))^d
                assert bonus[ROOT_LOGARITHM] == d
                assert bonus[LOGARITHM_RATE] == pytest.approx(known.sizes[step] ** 2 / (d * start))


@pytest.mark.parametrize("counter", ["none", "local"])
def test_blocks_share_what_may_fail(counter):
    agent = LinOptVI(
        EPSILON, DELTA, ALPHA, counter=counter, calibration="corrected", by_blocks=True
    )
    mdp = one_hot(riverswim(3))
    ours = agent.calibrate(mdp, PLANNED)
    blocks = linear_widths.rewards(mdp, by_blocks=True).count
    assert blocks > 1
    for fixed in ours.rewards.bonus[:, ROOT_FIXED]:
        assert mdp.horizon * blocks * math.exp(-fixed / 2) == pytest.approx(SHARE)


def norm_fails(x, d, sharp):
    """P(||N|| > x) of standard normals as bounded: exactly, or 2 exp(-t^2/2) at 4 sqrt(d) + 2t."""
    if sharp:
        return float(operator_tail(np.array([x]), d)[0])
    return 2 * math.exp(-(((x - 4 * math.sqrt(d)) / 2) ** 2) / 2)


def vector_fails(x, d, sharp):
    if sharp:
        return float(norm_tail(np.array([x]), d)[0])
    return math.exp(-((x - math.sqrt(d)) ** 2) / 2)


def spread_of(shift, part, theta, vector, d, sharp):
    """(x, big) of shift = (1 + x) big and of the noise's part of the width,
    sqrt((2 + x) big) theta + long/sqrt(x big), long where the vector's noise fails with its share;
    x as the agent has it."""
    low, high = 0.0, 50.0 * math.sqrt(d)
    for _ in range(100):
        middle = (low + high) / 2
        failing = MDP.horizon * (PLANNED - 1) * vector_fails(middle, d, sharp)
        low, high = (middle, high) if failing > SHARE else (low, middle)
    long = vector * high

    def gap_at(x):
        big = shift / (1 + x)
        return abs(math.sqrt((2 + x) * big) * theta + long / math.sqrt(x * big) - part)

    x = min(np.geomspace(0.005, 4, 81) if sharp else [1.0], key=gap_at)
    gap = gap_at(x)
    assert gap < 1e-6 * part
    return x, shift / (1 + x)


@pytest.mark.parametrize("calibration", ["corrected", "tight"])
@pytest.mark.parametrize("counter", ["local", "tree"])
def test_the_noise_spends_delta(calibration, counter):
    """All sums of all steps in units of the noise, by the exact curve."""
    agent = LinOptVI(
        EPSILON, DELTA, ALPHA, counter=counter, calibration=calibration, by_blocks=False
    )
    ours = agent.calibrate(MDP, PLANNED)
    nodes = 1 if counter == "local" else (PLANNED - 1).bit_length()
    squares = 0.0
    for widths, known in (
        (ours.transitions, linear_widths.transitions(MDP, by_blocks=False)),
        (ours.rewards, linear_widths.rewards(MDP, by_blocks=False)),
    ):
        for step in range(MDP.horizon):
            size, bound = known.sizes[step], known.bounds[step]
            if size * bound:
                squares += worst_pair(size, bound, widths.gram[step], widths.vector[step])
    mu = math.sqrt(nodes * squares)
    assert accounting.gaussian_delta(EPSILON, mu * (1 - 1e-6)) <= DELTA
    assert accounting.gaussian_delta(EPSILON, mu * (1 + 1e-4)) > DELTA


def worst_pair(size, bound, gram, vector):
    """Squared change by two users at every angle: entries i <= j of phi phi', and phi y."""
    angles = np.linspace(0, math.pi, 20001)
    t = np.cos(angles)  # phi.psi = size^2 cos
    change = 2 * size**4 * (1 - t**2) / gram**2 + 2 * bound**2 * size**2 * (1 - t) / vector**2
    return float(change.max())


def test_one_user_moves_a_node_of_each_level() -> None:
    """Of a tree for K - 1 releases: the nodes that begin with the first user, K - 1 at, below and
    above powers of two."""
    for planned in range(2, 20):
        nodes = sum(2**level <= planned - 1 for level in range(9))
        assert linear_widths.nodes("tree", planned) == nodes
        assert linear_widths.sensitivity("tree", planned) ** 2 == pytest.approx(nodes)
        mu = linear_widths.private_mu(EPSILON, DELTA, "tree", planned)
        whole = accounting.gaussian_mu(EPSILON, DELTA)
        assert mu * math.sqrt(nodes) == pytest.approx(whole)
