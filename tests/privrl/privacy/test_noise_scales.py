"""What is said of a paper's noise belongs together: its factor, its privacy, its printed scales."""

import math
import re

import mpmath as mp
import numpy as np
import pytest

from privrl.privacy import noise
from privrl.privacy import noise as scales
from privrl.privacy.noise_scales.chowdhury2021 import (
    printed_chowdhury2021,
    printed_sizes_chowdhury2021,
)
from privrl.privacy.noise_scales.liao2021 import (
    experiments_liao2021,
    outside_over_inside,
    printed_beta_liao2021,
    printed_liao2021,
)
from privrl.privacy.noise_scales.zhou2022 import printed_sizes_zhou2022, printed_zhou2022


@pytest.mark.parametrize("paper", scales.PAPERS)
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_factor_privacy_and_scales_agree(paper: str, epsilon: float) -> None:
    """Every scale times the factor is the smallest; at the privacy that the printed noise really
    gives, the printed noise is the smallest."""
    delta = 0.0 if paper == "vietri2020" else 1e-4
    setting = scales.setting(paper, epsilon=epsilon, delta=delta, gamma=0.7, horizon=4)
    assert (setting.epsilon, setting.delta, setting.gamma) == (epsilon, delta, 0.7)
    stated = scales.noise(paper, setting)
    assert stated.setting == setting
    for scale in stated.scales:
        assert scale.smallest / scale.printed == pytest.approx(stated.factor)
    claimed = scales.setting(paper, epsilon=stated.real_epsilon, delta=delta, gamma=0.7, horizon=4)
    needed = scales.noise(paper, claimed)
    if paper == "vietri2020":
        pairs = [(needed.scales[0].smallest, stated.scales[0].printed)]
    else:  # proportions are the same
        pairs = [
            (new.smallest, old.printed)
            for new, old in zip(needed.scales, stated.scales, strict=True)
        ]
    for smallest, printed in pairs:
        assert smallest == pytest.approx(printed, rel=1e-6)


def test_printed_scales_solved_for_epsilon() -> None:
    """Each display solved for epsilon, or for what stands under its root, in fifty digits."""
    with mp.workdps(50):
        sigma = mp.mpf(printed_chowdhury2021(0.7, 1e-3, 5.0))
        assert float(mp.sqrt(8 * 5 * mp.log(2000)) / sigma) == pytest.approx(0.7)
        sigma = mp.mpf(printed_zhou2022(0.7, 1e-3, 6, 5.0))
        assert float(mp.sqrt(32 * 5 * mp.log(24000)) * 6 / sigma) == pytest.approx(0.7)
        sigma = mp.mpf(printed_liao2021(0.7, 1e-3, 6))
        assert float(2 * mp.log(15000) / (sigma / (4 * 216)) ** 2) == pytest.approx(0.7)
        sigma = mp.mpf(experiments_liao2021(0.7, 1e-3, 6))
        assert float(24 * mp.sqrt(2 * mp.log(15000)) / sigma) == pytest.approx(0.7)


def test_printed_sizes() -> None:
    """A step's ||phi||^2 = d H^2, and |V| <= H; sums of H steps with ||(x, u)|| <= 1 + gamma and
    |x| <= 1."""
    phi = np.full(7, 5.0)  # largest entries at H = 5
    assert printed_sizes_zhou2022(7, 5) == pytest.approx((phi @ phi, np.linalg.norm(phi) * 5))
    z = 1 + 0.7
    assert printed_sizes_chowdhury2021(4, 0.7) == pytest.approx((4 * z * z, 4 * z))


def test_epsilon_leaves_the_root_by_its_square_root() -> None:
    setting = noise.setting("liao2021", epsilon=9.0)
    assert outside_over_inside(setting) == pytest.approx(1 / 3)


def test_the_printed_width_of_the_locally_private_agent() -> None:
    """Its fourth power, divided by those of the factors that stand outside logarithms."""
    rest = np.array([4.0, 2.0, 1.0])
    width = printed_beta_liao2021(1.5, 6, rest, 1000, 0.7, 1e-2, 0.05)
    fourth = width**4 / (1.5**4 * 6**3 * rest**6) * 0.7**2
    logarithms = [math.log(6000 / 0.05) ** 4 * math.log(r / 1e-2) for r in rest]
    assert fourth == pytest.approx(logarithms)


def test_one_coordinate_is_taken_as_two() -> None:
    """Features of one coordinate move no more than those of two with that noise."""
    narrow = scales.noise("zhou2022", scales.setting("zhou2022", dimension=1))
    assert narrow.real_epsilon > 0


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 20.0])
def test_both_readings_of_a_root_are_said(epsilon: float) -> None:
    """liao2021's line 1 has epsilon inside the root of sigma, section 6.2 outside: a factor of one
    over the root of epsilon, and H^2 over the change of section 6.2."""
    stated = scales.noise("liao2021", scales.setting("liao2021", epsilon=epsilon, horizon=4))
    (said,) = re.findall(r"as section 6\.2 has it, sigma is ([\d.e+]+);", stated.note)
    assert "inside the root" in stated.note
    assert float(said) == pytest.approx(stated.scales[0].printed / math.sqrt(epsilon), rel=1e-3)
    of_section = experiments_liao2021(epsilon, stated.setting.delta, 4)
    assert float(said) == pytest.approx(4**2 * of_section, rel=1e-3)
