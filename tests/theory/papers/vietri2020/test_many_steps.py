"""At which T actions tell more than epsilon: the count for every H against what is proved, the
planner on its event, mutants."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from theory.ledger import ROOT
from theory.papers.vietri2020.policies_leak import finite, long, many_steps, two_steps
from theory.papers.vietri2020.policies_leak.many_steps import NATURAL, TWO, ChainAdversary


class TooOften(ChainAdversary):
    """x'_h with five times the visits that the bonus allows."""

    def rare(self, step: int) -> int:
        return 5 * super().rare(step)


@pytest.mark.parametrize("horizon", [2, 3])
def test_the_planner_decides_as_counted(horizon: int) -> None:
    adversary = many_steps.shortest(horizon, math.inf)
    assert adversary is not None
    assert all(many_steps.conditions(adversary).values())
    assert many_steps.planned(adversary)
    assert many_steps.alone(adversary)
    assert not many_steps.alone(TooOften(*adversary))
    assert not many_steps.planned(TooOften(*adversary))
    fewer = adversary._replace(last=adversary.last - 1)
    assert many_steps.share(fewer, math.inf, NATURAL) < 1 or not all(
        many_steps.conditions(fewer).values()
    )


def test_the_count_and_the_proof_of_two_steps() -> None:
    """Of what the proof shows, the count adds the old trajectory's last step, and no more."""
    proved = two_steps.shortest(0.1, natural=True)
    counted = many_steps.shortest(2, math.inf)
    assert counted is not None and counted.last <= proved.last
    last_step = counted.looks * 0.99 * counted.deficit(2, counted.looks - 1)
    first_step = many_steps.gain(counted) - last_step + counted.deficit(2, 0)
    assert first_step / counted.looks == pytest.approx(
        two_steps.gain(proved) / proved.looks, rel=0.05
    )


def test_more_noise_in_the_widths_needs_a_larger_epsilon() -> None:
    """What E costs, to the first order, against the balls of H = 1."""
    adversary = long.shortest(0.1)
    levels = (adversary.last, adversary.first)
    losses = [float(finite.masses(adversary, epsilon).loss) for epsilon in (1e10, 1e16)]
    price = losses[1] / 1e6 - losses[0]
    assert many_steps.price(1, levels, 1e10, NATURAL) == pytest.approx(price, rel=0.25)
    three = many_steps.shortest(3, math.inf)
    assert three is not None
    assert many_steps.share(three, 2e8, NATURAL) < 1 < many_steps.share(three, 1e12, NATURAL)


def test_base_two_needs_more_levels() -> None:
    adversary = many_steps.shortest(3, math.inf)
    assert adversary is not None
    shares = [many_steps.share(adversary, math.inf, noise) for noise in (TWO, NATURAL)]
    assert shares[0] < 1 < shares[1]
    assert shares[1] == pytest.approx(shares[0] / math.log(2))


def least_noise(low: float, high: float, visits: float, rewards: float) -> float:
    """The least l1 noise z at a first look, z + z' at a second one: x is played at the slope
    ``low``, r >= low n + 5, and then not played at the slope ``high``, r <= high n - 3."""
    signs = np.array([1, -1])
    n, r = np.kron(np.eye(4)[0], signs), np.kron(np.eye(4)[1], signs)
    later_n, later_r = (np.kron([1, 0, 1, 0], signs), np.kron([0, 1, 0, 1], signs))
    played, left = low * n - r, later_r - high * later_n
    bounds = [rewards - low * visits - 5, high * visits - 3 - rewards]
    return float(linprog(np.ones(8), np.array([played, left]), bounds).fun)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.1, 0.8), (0.3, 0.3)])
def test_two_looks_at_one_noise(low: float, high: float) -> None:
    """A visit and a reward of user t spare 1 - 2 low + high; docs/open.md."""
    told = least_noise(low, high, 0, 0) - least_noise(low, high, 1, 1)
    assert told == pytest.approx(1 - 2 * low + high, abs=1e-9)


@pytest.mark.parametrize("horizon", [2, 7, 10])
def test_what_is_told_as_t_grows(horizon: int) -> None:
    """4.5 H - 1.5 units a look, but for 3 to 6 steps; docs/open.md."""
    adversary = many_steps.build(horizon, (900, 10), (0.02, 0.3, 0.02, 1.0), 0.1)
    told = many_steps.gain(adversary) / adversary.looks
    assert told == pytest.approx(4.5 * horizon - 1.5, rel=0.04)
    for fewer in range(3, 7):
        other = many_steps.build(fewer, (900, 10), (0.02, 0.3, 0.02, 1.0), 0.1)
        assert many_steps.gain(other) / other.looks < 0.98 * (4.5 * fewer - 1.5)


def test_the_page_has_what_is_found() -> None:
    """Cells of the table of docs/open.md: proved at one epsilon, and counted in the limit."""
    page = (ROOT / "docs" / "open.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if "| natural |" in line]
    cells = {row[1]: row[2:] for row in rows}
    proved = finite.shortest(1e9, 0.1)
    assert proved is not None and proved.last > long.shortest(0.1).last
    assert cells["1"][1] == f"$2^{{{proved.last}}}$, derived"
    assert not finite.exceeds(finite.shortest(1e10, 0.1) or proved, 1e9)
    for horizon in (2, 3):
        counted = many_steps.shortest(horizon, math.inf)
        assert counted is not None
        assert cells[str(horizon)][-1].endswith(f"$2^{{{counted.last}}}$, count")


def test_the_page_says_how_far_was_searched() -> None:
    page = " ".join((ROOT / "docs" / "open.md").read_text(encoding="utf-8").split())
    count, proof = many_steps.LAST, finite.SEARCHED
    assert f"up to $2^{{{count}}}$ for a count and up to $2^{{{proof}}}$ for a proof" in page
    assert (count - 24) % many_steps.STEP == 0  # the coarse search ends there
