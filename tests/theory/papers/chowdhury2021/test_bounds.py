"""The functions of the bounds by a second road: matrices that attain them, tails turned round, the
displays multiplied out."""

import math

import numpy as np
import pytest

from theory.papers.chowdhury2021 import bounds
from theory.papers.chowdhury2021.bounds import Problem, Regularity

PROBLEM = Problem(2, 1, 5, 0.5, 0.4, 1.3, 0.15)
REGULAR = Regularity(3.0, 9.0, 0.7)
ALPHA, K = 0.2, 60


def test_costs_and_values() -> None:
    assert PROBLEM.cost == 1.3
    drifting = Problem(2, 1, 5, 0.5, 0.4, 1.3, 0.15, drift=0.8)
    assert drifting.value == pytest.approx(0.4 * sum(0.8 ** (2 * j) for j in range(4)))
    # x_1 is everybody's, u_H is nobody's: states 2..H and controls 1..H-1, at their largest
    states, controls = np.ones(6), np.full(6, 0.5)
    states[1], controls[5] = 0, 0
    episode = 0.4 * (states[1:] ** 2).sum() + 1.3 * (controls[1:] ** 2).sum()
    assert bounds.trivial_regret(PROBLEM, 7) == pytest.approx(7 * episode)
    assert bounds.batch_factor(0.0) == pytest.approx(bounds.batch_factor(1e-9))


def test_determinants_are_attained() -> None:
    """Vectors of the largest size, as many on each axis."""
    p, vectors = PROBLEM.dimension, 30
    z = np.tile(np.eye(p) * math.sqrt(1.25), (vectors // p, 1))
    gram = z.T @ z
    plain = np.linalg.slogdet(np.eye(p) + gram / REGULAR.least)[1]
    assert bounds.log_ratio(PROBLEM, vectors, REGULAR.least) == pytest.approx(plain)
    noisy = np.linalg.slogdet((gram + REGULAR.most * np.eye(p)) / REGULAR.least)[1]
    assert bounds.released_ratio(PROBLEM, vectors, REGULAR) == pytest.approx(noisy)


@pytest.mark.parametrize("gamma", [0.5, 3.0])
@pytest.mark.parametrize("drift", [None, 0.3])
def test_the_martingales_spend_half_of_alpha_each(gamma: float, drift: float | None) -> None:
    """Hoeffding and Azuma: exp(-2 b^2/sum of squared ranges)."""
    problem = Problem(2, 1, 5, gamma, 0.4, 1.3, 0.15, drift=drift)
    terms = bounds.regret_terms(problem, K, ALPHA, REGULAR)
    steps = range(1, 6)
    ranges = [(0.4 + gamma**2 * 1.3) * (5 - h) for h in steps]  # costs still to come after step h
    spent = math.exp(-2 * terms.cost**2 / (K * sum(r * r for r in ranges)))
    assert spent == pytest.approx(ALPHA / 2)
    predicted = sum((0.4 * (5 - h)) ** 2 for h in steps)
    if drift is not None:
        predicted = min(predicted, sum(problem.value**2 for h in steps if h < 5))
    spent = math.exp(-2 * terms.prediction**2 / (K * predicted))
    assert spent == pytest.approx(ALPHA / 2)


def test_the_third_sum_is_the_product_of_the_claims() -> None:
    terms = bounds.regret_terms(PROBLEM, K, ALPHA, REGULAR)
    p = PROBLEM.dimension
    ratio = p * math.log(1 + K * 5 * 1.25 / (p * 3.0))
    noisy = p * math.log((9.0 + (K - 1) * 5 * 1.25 / p) / 3.0)
    beta = 0.15 * math.sqrt(2 * math.log(2 / ALPHA) + 2 * noisy) + 3.0 + 0.7
    product = bounds.claim_1_bound(PROBLEM, K) * bounds.claim_2_bound(PROBLEM, beta, ratio, 3.0)
    assert terms.sampling + terms.regulariser == pytest.approx(product)
    assert terms.regulariser / terms.sampling == pytest.approx(3.7 / (beta - 3.7))


def test_the_printed_lines() -> None:
    """C (1 + gamma^2) H and 2 D times sqrt(2 K H ln(2/alpha)), and claim-1 times claim-2, D = C
    H."""
    terms = bounds.regret_terms(PROBLEM, K, ALPHA, REGULAR, "printed")
    D, H, p = 1.3 * 5, 5, 3
    root = math.sqrt(2 * K * H * math.log(2 / ALPHA))
    assert terms.cost == pytest.approx(1.3 * 1.25 * H * root)
    assert terms.prediction == pytest.approx(2 * D * root)
    ratio = p * math.log(1 + K * H * 1.5**2 / (p * 3.0))
    beta = 0.15 * math.sqrt(2 * math.log(2 / ALPHA) + 2 * ratio) + 3.0 + 0.7
    claims = 2 * D * 1.5 * math.sqrt(H * K), 2 * math.sqrt(H) * D * 1.5 * beta * math.sqrt(ratio)
    assert terms.sampling + terms.regulariser == pytest.approx(claims[0] * claims[1])
    assert terms.regulariser / terms.sampling == pytest.approx(3.7 / (beta - 3.7))
    cheap = Problem(2, 1, 5, 0.5, 0.01, 0.02, 0.15)  # C H < 1, so D = 1
    assert bounds.regret_terms(cheap, K, ALPHA, REGULAR, "printed").prediction == pytest.approx(
        2 * root
    )
