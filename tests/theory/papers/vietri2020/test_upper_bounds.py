"""vietri2020, Sections 2.3 to 5 and Appendix B: verdicts, numbers derived independently, mutants
that are false."""

from fractions import Fraction
from math import ceil, exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privrl.agents.tabular.pucb import PUCB
from privrl.diagnose.tabular import replay
from privrl.types import Calibration, TabularMDP
from theory.lemmas.tree import tail
from theory.papers.vietri2020 import bonus_sums, coverage, nice_episodes, optimism
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds
from theory.rigor.sampling import clopper_pearson


def test_a_drop_in_samples() -> None:
    """T = 2, epsilon = 1, stream (1, 1): nodes of scale ln 2."""
    nodes = np.random.default_rng(0).laplace(scale=log(2), size=(200_000, 2))
    low, high = clopper_pearson(int((2 + nodes[:, 1] < 1 + nodes[:, 0]).sum()), 200_000)
    assert low < float(coverage.chance_of_a_drop(2, log(2))) < high


def test_the_width_below_four() -> None:
    y = 0.1 / 4 / 3
    failure = 1 - (1 - y ** (log(2) ** 1.5)) ** 3
    assert float(coverage.outside(2, 3, "0.1")) == pytest.approx(failure, rel=1e-9)
    assert failure > 0.1
    # 0.95 E is false at T = 4
    assert tail(0.95 * log(12) * log(4) ** 1.5, 3) > 1 / 12
    # the mutant in base 2 is false
    assert tail(0.39 / log(2) ** 2.5 * log(12) * log(2) ** 1.5, 1) > 1 / 12


def test_the_literal_line_in_samples() -> None:
    """T = 2, epsilon = 1: one reward of 1/2, released with noise of scale 3 ln 2; Q~+ < 1/2 in
    0.2989 of the draws."""
    noise = np.random.default_rng(4).laplace(scale=3 * log(2), size=(200_000, 2))
    low, high = clopper_pearson(
        int((((0.5 + noise[:, 1]) / (1 + noise[:, 0])) < -0.5).sum()), 200_000
    )
    assert low < float(optimism.literal_failure(3 * log(2))) < high
    assert float(optimism.literal_failure(1e6)) == pytest.approx(1 / 3, abs=1e-5)


@pytest.mark.slow
def test_a_violation_in_a_real_run() -> None:
    """The scattered next states as an MDP, replayed by the agent on chosen coins: gap above the
    clipped sum, all six families intact, optimism intact. Half of the moves of action 1 go to the
    rare states.
    """
    rare, planned, q = 8, 4000, 2.0**-10
    moves, rewards = np.zeros((2, rare + 2, 2, rare + 2)), np.zeros((2, rare + 2, 2))
    moves[..., 1] = 1
    moves[0, 0, 1, 1], moves[0, 0, 1, 2:], rewards[0, 0, 0] = 1 - rare * q, q, 0.9
    mdp = TabularMDP("scattered", moves, rewards, np.eye(rare + 2)[0], bernoulli=False)
    time = np.arange(planned)
    coins = np.full((1, planned, 5), 0.5)
    coins[0, :, 1] = np.where(time % 2 == 0, 0.5, 1 - rare * q + q * (time // 2 % rare + 0.5))
    ties = np.random.default_rng(0).random((1, planned, 2))
    quiet = np.zeros((1, planned, 2 * (rare + 2) * 2 * (rare + 4)))
    diagnosis = replay(mdp, PUCB(epsilon=1e9), planned, (quiet, coins, ties))
    assert diagnosis.good.all()
    assert diagnosis.shortfall.max() <= 0
    assert (diagnosis.gap > diagnosis.clipped).sum() > 50


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.floats(0, 8),
    st.integers(0, 2**32 - 1),
)
def test_the_sums_of_the_regret_bound_by_walking(
    S: int, A: int, H: int, E: float, seed: int
) -> None:
    """Random and lopsided plays with n~ = n^ - E at every visit: what is charged stays below each
    term."""
    T, beta, lam = 400, 0.2, 0.5
    terms = proved.regret_terms(S, A, H, T, E, beta, lam)
    kappa = proved.growth(lam) if S > 1 and H > 1 else 1.0
    generator, pairs = np.random.default_rng(seed), S * A
    visits = np.zeros((H, pairs))
    L, union = 2 * log(4 * T / beta), log(pairs * H * (T - 1) / (beta / 6))
    paid = dict.fromkeys(("start", "sampling", "deviation", "noise", "transitions"), 0.0)
    odds = generator.dirichlet(np.full(pairs, 0.3))
    for _ in range(T):
        for h in range(H):
            x = int(generator.choice(pairs, p=odds))
            n, weight = visits[h, x], kappa**h
            visits[h, x] += 1
            if n < max(3 * E, 1):
                paid["start"] += weight * H
                continue
            released = n - E
            paid["sampling"] += weight * (H + 1) * sqrt(L / max(released - E, 1))
            paid["deviation"] += weight * (H - h) * sqrt(union / (2 * n))
            paid["noise"] += weight * (
                (3 * (1 + S * H) + 2 + H + S * H) * E / released
                + 2 * (1 + S * H) * (E / released) ** 2
            )
            if h < H - 1 and S > 1:
                paid["transitions"] += (
                    weight * S * H * log(S * pairs * (H - 1) / (beta / 6)) / (lam * n)
                )
    for name, value in paid.items():
        assert value <= getattr(terms, name) * (1 + 1e-12) + 1e-12, name


def test_the_regret_terms_by_hand() -> None:
    """S = 2, A = 3, H = 2, T = 1000, E = 5, beta = 0.2, lambda = 1."""
    terms = proved.regret_terms(2, 3, 2, 1000, 5.0, 0.2, 1.0)
    kappa, share = exp(1) - 1, 0.2 / 6
    assert terms.start == pytest.approx(2 * 6 * 16 * (1 + kappa))
    assert terms.sampling == pytest.approx(3 * sqrt(2 * log(20_000)) * (1 + kappa) * 2 * sqrt(6000))
    assert terms.deviation == pytest.approx(
        (2 + kappa) * sqrt(log(12 * 999 / share) / 2) * 2 * sqrt(6000)
    )
    once = 0.5 + 5 * log(1 + 1000 / 60)
    assert terms.noise == pytest.approx(6 * (1 + kappa) * (23 * once + 10 * (0.25 + 2.5)))
    rate = 4 * log(12 / share)
    assert terms.transitions == pytest.approx(6 * rate * (1 / 15 + log(1 + 1000 / 90)))
    assert terms.martingale == pytest.approx(2 * sqrt(1000 * (1 + kappa**2) * log(1 / share) / 2))
    variation = proved.regret_terms(2, 3, 2, 1000, 5.0, 0.2)
    assert variation.transitions == pytest.approx(
        2 * sqrt(log(2 * 6 * 999 / share) / 2) * 2 * sqrt(6000)
    )
    assert variation.start == pytest.approx(2 * 6 * 16 * 2)
    assert terms.total == pytest.approx(sum(terms.as_dict().values()) / 2)


@pytest.mark.slow
def test_shares_of_the_failure_probability() -> None:
    assert proved.optimism_slack(6, 2, 20, 10, 0.1) == pytest.approx(240 * 9 * 0.025**3 / 10**4)
    with pytest.raises(ValueError, match="SAH"):
        proved.regret_terms(10**4, 10**4, 100, 4, 1.0, 0.9)
    assert not bonus_sums.bound_proved(bonus_sums.Pieces(share=Fraction(1, 5)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "calibration"), [(100.0, "corrected"), (100.0, "printed"), (inf, "corrected")]
)
def test_the_crossing_of_the_proved_bound(epsilon: float, calibration: Calibration) -> None:
    first = proved.regret_horizon(3, 2, 3, epsilon, 0.1, calibration)

    def below(T: int) -> bool:
        return proved.regret_bound(3, 2, 3, T, epsilon, 0.1, calibration) < 3 * T

    assert not below(first - 1)
    later = [first + step for step in range(50)] + [first * 11**k // 10**k for k in range(60)]
    later += [2**k + 1 for k in range(first.bit_length(), first.bit_length() + 30)]
    assert all(below(T) for T in later)


def test_the_widths() -> None:
    assert proved.width(3, 2, 3, 1000, 2.0, 0.1, "printed") == bounds.printed_width(
        3, 2, 3, 1000, 2.0, 0.1
    )
    mdp = TabularMDP("any", np.full((2, 2, 2, 2), 0.5), np.zeros((2, 2, 2)), np.array([1.0, 0.0]))
    for calibration in ("corrected", "tight"):
        calibrated = PUCB(epsilon=2.0, beta=0.1, calibration=calibration).calibrate(mdp, 1000)
        ours = proved.width(2, 2, 2, 1000, 2.0, 0.1, calibration)
        assert ours == pytest.approx(calibrated.e_epsilon, rel=1e-9)
    with pytest.raises(ValueError, match="episodes must be >= 4, got episodes=3"):
        proved.width(2, 2, 2, 3, 2.0, 0.1)
    with pytest.raises(ValueError, match="calibration must be one of"):
        proved.width(2, 2, 2, 9, 2.0, 0.1, "loose")  # type: ignore[arg-type]


def test_lemma_20_at_one_tuple() -> None:
    """S = A = H = 1: w = 1 in every episode, so ceil(4 l + 8E) episodes are not nice; the corrected
    bound allows it."""
    E, beta, alpha = 7.3, 0.1, 1.0
    short = sum(t / 4 < log(4 / beta) + 2 * E for t in range(10_000))
    assert short == ceil(4 * log(40) + 8 * E) <= proved.not_nice(1, 1, 1, E, beta, alpha / 3)
    assert not nice_episodes.nice_counts(1)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.5, inf), (0.5, 100.0), (1.5, 1.0)])
def test_the_pac_bound_is_where_the_regret_bound_crosses(alpha: float, epsilon: float) -> None:
    T = 10**7
    m = proved.pac_bound(2, 2, 2, T, epsilon, 0.1, alpha)
    E = 0.0 if epsilon == inf else proved.width(2, 2, 2, T, epsilon, 0.1)
    for count, enough in ((m, True), (m - 1, False)):
        assert (
            proved.best_regret_terms(2, 2, 2, T, E, 0.1, count)[0].total <= alpha * count
        ) is enough
    first = proved.pac_horizon(2, 2, 2, epsilon, 0.1, alpha)
    assert proved.pac_bound(2, 2, 2, first, epsilon, 0.1, alpha) <= first
    assert proved.pac_bound(2, 2, 2, first - 1, epsilon, 0.1, alpha) > first - 1


def test_the_papers_sum_by_hand() -> None:
    """S = 2, A = 3, H = 2, alpha = 1/2: the sum of Appendix B.1."""
    E, T, beta, alpha = 40.0, 10**6, 0.2, 0.5
    terms = proved.derived_pac_terms(2, 3, 2, T, E, beta, alpha)
    least = alpha / 24
    logarithm = log(T / least) + 1
    assert terms.not_nice == pytest.approx(12 * (4 * (log(12 / 0.05) + 80) / least + 1))
    assert terms.sampling == pytest.approx(144 * 9 * log(T / 0.05) * 24 * logarithm / alpha**2)
    assert terms.noise == pytest.approx(240 * 5 * E * 12 * logarithm / alpha)


def test_little_noise_charges_from_the_first_visit_on() -> None:
    """For 3E <= 1 a tuple's transitions are charged from n = 1, whatever E; psi~ has E/n~ and its
    square at n~ = n - E, a first term and an integral."""
    sizes, T, lam, E = (3, 2, 4), 400, 0.5, 0.05
    little, more = (proved.regret_terms(*sizes, T, e, 0.2, lam) for e in (E, 1 / 3))
    assert little.transitions == pytest.approx(more.transitions)
    S, A, H = sizes
    total = sum(proved.growth(lam) ** h for h in range(H))
    visits = T / (S * A)
    ones = E / (1 - E) + E * log((1 - E + visits) / (1 - E))
    squares = (E / (1 - E)) ** 2 + E**2 / (1 - E)
    each = (3 * (1 + S * H) + 2 + H + S * H) * ones + 2 * (1 + S * H) * squares
    assert little.noise == pytest.approx(S * A * total * each)
