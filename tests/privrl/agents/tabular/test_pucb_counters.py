"""PUCB over every counter: widths, derived independently; users before the first plan. The mutants
are rejected."""

import pytest

from privrl.agents.tabular.pucb import PUCB
from privrl.environments import random_mdp
from privrl.horizon import pucb as horizon
from privrl.privacy.counters import mechanisms

DELTA = 1e-6
PAIRS = [(name, law) for name in mechanisms.PRIVATE for law in mechanisms.laws(name)]
SMALL = random_mdp(3, 4, 2, seed=5)
TINY = random_mdp(2, 2, 1, seed=1)  # 16 running sums


def agent(
    counter: str,
    law: str,
    epsilon: float = 1.0,
    beta: float = 0.1,
    calibration: str = "tight",
    delta: float = DELTA,
) -> PUCB:
    return PUCB(epsilon, delta if law == "gaussian" else 0.0, beta, counter, calibration)


def test_the_tree_s_noise_is_bit_for_bit_what_the_long_runs_had() -> None:
    """How much any counter's is, stands in test_successors."""
    for epsilon in (0.1, 1.0, 10.0):
        calibration = PUCB(epsilon, calibration="corrected").calibrate(SMALL, 10**5)
        assert calibration.scale == 6 * SMALL.horizon * 17 / epsilon


@pytest.mark.parametrize(("counter", "law"), PAIRS)
def test_the_width_is_that_of_every_sum_at_every_release(counter: str, law: str) -> None:
    """The certified quantile of all 47 releases of one sum, at the share of one of 16 sums in beta'
    = beta/4."""
    calibration = agent(counter, law, beta=0.99, delta=1e-3).calibrate(TINY, 48)
    exact = mechanisms.counter_quantile(counter, 47, 0.99 / 4 / 16, law)
    assert calibration.e_epsilon == pytest.approx(calibration.scale * exact, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("counter", "law"), PAIRS)
@pytest.mark.parametrize("planned", [2, 10**6])
def test_tight_widths_are_no_wider(counter: str, law: str, planned: int) -> None:
    for beta in (1e-4, 0.9):
        corrected, tight = (
            agent(counter, law, beta=beta, calibration=name).calibrate(TINY, planned)
            for name in ("corrected", "tight")
        )
        assert tight.scale == corrected.scale
        assert 0 < tight.e_epsilon <= corrected.e_epsilon


@pytest.mark.parametrize(
    ("counter", "law"), [("tree", "laplace"), ("signed", "laplace"), ("blt", "gaussian")]
)
def test_the_start_is_where_a_plan_can_first_differ(counter: str, law: str) -> None:
    """By walking up, one planned T after the other."""
    pucb_agent = agent(counter, law, 1e4)
    earliest = horizon.start(pucb_agent, 2, 2, 2)
    assert earliest.episodes is not None
    mdp = random_mdp(2, 2, 2, 0)

    def possible(planned: int) -> bool:
        width = pucb_agent.calibrate(mdp, planned).e_epsilon
        return horizon.bonus(pucb_agent, mdp, planned, planned + width) < mdp.horizon

    assert [
        possible(planned) for planned in range(earliest.episodes - 4, earliest.episodes + 1)
    ] == [False] * 4 + [True]
    assert earliest.e_epsilon == pucb_agent.calibrate(mdp, earliest.episodes).e_epsilon


@pytest.mark.slow
def test_where_no_number_of_episodes_is_enough() -> None:
    earliest = horizon.start(agent("sqrt", "gaussian", 1e-4), 2, 2, 2)
    assert (earliest.episodes, earliest.searched) == (
        None,
        mechanisms.most_releases("sqrt", 32) + 1,
    )
    pucb_agent = PUCB(1.0, calibration="corrected")
    never = horizon.crossing(pucb_agent, TINY, lambda planned, width: False)
    assert never == (None, pucb_agent.calibrate(TINY, horizon.limit(pucb_agent, TINY)).e_epsilon)
