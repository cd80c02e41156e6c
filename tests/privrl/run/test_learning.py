"""Windows, intervals and burn-in against hand-made curves, where the answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privrl.environments import suite
from privrl.run import learning, simulate
from privrl.types import FloatArray, Run

MDP = suite.tabular("vietri2020/riverswim-3-relabelled")
UNIFORM = learning.uniform_regret(MDP)
PLANNED = 1000


def _run(rates: FloatArray, planned: int = PLANNED, stop: int | None = None) -> Run:
    """Replicates whose regret of episode t is ``rates`` (R, planned) times uniform play's."""
    marks = simulate.checkpoints(planned)
    marks = marks[marks <= (planned if stop is None else stop)]
    totals = np.cumsum(rates, axis=1)[:, marks - 1] * UNIFORM
    return Run("made", "pucb", "tree", "printed", 1.0, 0.0, planned, 0, marks, totals)


def _step(*changes: int, after: float = 0.0, planned: int = PLANNED) -> FloatArray:
    """Uniform play up to a change, ``after`` times that from then on; a replicate per change."""
    return np.array([np.where(np.arange(planned) < change, 1.0, after) for change in changes])


def test_a_window_holds_the_mean_of_its_episodes() -> None:
    rates = np.random.default_rng(0).random((3, PLANNED))
    run = _run(rates)
    windows = learning.windows(run.episodes, run.regret, PLANNED)
    assert (
        windows.starts.tolist() == list(range(0, 901, 10))
        and (windows.ends - windows.starts == 100).all()
    )
    expected = [
        [row[start : start + 100].mean() * UNIFORM for start in range(0, 901, 10)] for row in rates
    ]
    np.testing.assert_allclose(windows.regret, expected, rtol=1e-12)


def test_growing_windows_are_the_last_tenth_of_what_was_played() -> None:
    rates = np.random.default_rng(1).random((2, 10_000))
    run = _run(rates, planned=10_000)
    windows = learning.windows(run.episodes, run.regret, run.planned, growing=True)
    assert (windows.ends == run.episodes).all() and (windows.starts <= 0.9 * windows.ends).all()
    following = np.array([*run.episodes, 10_001])[
        np.searchsorted(run.episodes, windows.starts, side="right")
    ]
    assert (following > 0.9 * windows.ends - 1).all()  # no later checkpoint would do
    expected = [
        [
            row[start:end].mean() * UNIFORM
            for start, end in zip(windows.starts, windows.ends, strict=True)
        ]
        for row in rates
    ]
    np.testing.assert_allclose(windows.regret, expected, rtol=1e-9)
    fixed = learning.windows(run.episodes, run.regret, run.planned)
    assert (
        (windows.starts[-1], windows.ends[-1])
        == (fixed.starts[-1], fixed.ends[-1])
        == (9_000, 10_000)
    )
    np.testing.assert_allclose(windows.regret[:, -1], fixed.regret[:, -1], rtol=1e-9)


def test_growing_windows_resolve_an_early_burn_in() -> None:
    run = _run(_step(270, 270, planned=100_000), planned=100_000)
    assert learning.burn_in(run, MDP).episode == 0
    # the window (251, 316], a checkpoint each
    assert learning.burn_in(run, MDP, growing=True).episode == 251


@pytest.mark.parametrize(
    ("change", "expected"), [(0, 0), (299, 250), (305, 260), (899, 850), (949, 900), (960, None)]
)
def test_burn_in_is_the_first_window_at_most_half(change: int, expected: int | None) -> None:
    """A jump to zero at ``change`` is at most half on average from the window that it halves."""
    burn_in = learning.burn_in(_run(_step(change, change)), MDP)
    assert (burn_in.episode, burn_in.central, burn_in.earliest) == (expected, expected, expected)
    assert learning.learns(_run(_step(change, change)), MDP) is (expected is not None)


def test_half_is_enough_and_a_little_more_is_not() -> None:
    assert learning.learns(_run(_step(500, 500, after=0.499)), MDP)
    assert not learning.learns(_run(_step(500, 500, after=0.501)), MDP)


def test_the_interval_counts() -> None:
    """The mean has learnt, two replicates that disagree have not."""
    rates = np.concatenate((_step(0, after=0.3), _step(0, after=0.6)))
    burn_in = learning.burn_in(_run(rates), MDP)
    assert burn_in.episode is None and burn_in.central == 0 and burn_in.earliest == 0
    assert not learning.learns(_run(rates), MDP)


def test_a_relapse_starts_the_burn_in_again() -> None:
    rates = _step(200, 200)
    rates[:, 600:800] = 1.0
    assert learning.burn_in(_run(rates), MDP).episode == 750


def test_the_interval_is_the_textbooks() -> None:
    mean, low, high = learning.interval(np.array([[1.0], [2.0], [3.0], [6.0]]))
    half = 3.182446305284263 * np.sqrt(14 / 3) / 2  # 97.5 % quantile of t with 3 degrees of freedom
    np.testing.assert_allclose([mean[0], low[0], high[0]], [3.0, 3.0 - half, 3.0 + half], rtol=1e-9)


@given(st.integers(100, 10**9), st.integers(2, 4))
def test_windows_fit_every_planned_number(planned: int, replicates: int) -> None:
    marks = simulate.checkpoints(planned)
    windows = learning.windows(marks, np.tile(marks * 0.5, (replicates, 1)), planned)
    assert (
        windows.starts[0] == 0
        and windows.ends[-1] == planned
        and windows.regret.shape == (replicates, 91)
    )
    np.testing.assert_allclose(windows.regret, 0.5)


def test_uniform_play_never_learns() -> None:
    played = _run(np.ones((2, PLANNED)))
    assert not learning.learns(played, MDP) and learning.burn_in(played, MDP) == learning.BurnIn(
        None, None, None
    )


def test_every_relabelled_entry_discriminates_and_the_plain_river_does_not() -> None:
    discriminating = {
        name: learning.is_discriminating(suite.tabular(name))
        for name in suite.ids()
        if not name.startswith("chowdhury")
    }
    assert all(does for name, does in discriminating.items() if name.endswith("-relabelled"))
    assert (
        not discriminating["liao2021/riverswim-3"]
        and not discriminating["zhou2022/riverswim-3"]
        and discriminating["zhou2022/mixture-2"]
    )
    assert (
        not discriminating["vietri2020/riverswim-3"] and not discriminating["vietri2020/hard-2-2"]
    )


def test_what_cannot_be_answered_is_refused() -> None:
    good = _run(_step(100, 100))
    with pytest.raises(ValueError, match="must lose at least a quarter"):
        learning.learns(good, suite.tabular("vietri2020/riverswim-3"))
    with pytest.raises(ValueError, match="at least 2 replicates"):
        learning.learns(_run(_step(100)), MDP)
    with pytest.raises(ValueError, match="played to its planned end"):
        learning.learns(_run(_step(100, 100), stop=500), MDP)
    with pytest.raises(ValueError, match="at least a tenth"):
        learning.burn_in(_run(_step(100, 100), stop=90), MDP)
    with pytest.raises(ValueError, match="every hundredth"):
        learning.windows(good.episodes[::2], good.regret[:, ::2], PLANNED)
    with pytest.raises(ValueError, match="planned must be >= 100, got planned=99"):
        learning.windows([1.0, 99.0], [[1.0, 2.0]], 99)
    with pytest.raises(ValueError, match="regret must have shape"):
        learning.windows(good.episodes, good.regret[:, :-1], PLANNED)
