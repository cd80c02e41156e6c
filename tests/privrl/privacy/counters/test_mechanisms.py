"""The better counters: one contract for all, what they say they cost against what they do, broken
twins, bad input."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privrl.privacy.counters import mechanisms
from privrl.privacy.counters import stream as counters
from privrl.privacy.counters.blt import BLTCounter
from privrl.privacy.counters.smooth_binary import SmoothCounter
from privrl.privacy.counters.stream import Counter
from tests.contracts import FALSE_ALARM, refused, rejects
from tests.contracts_agents import StreamContract, follows, spoilt
from theory.lemmas.counters import noise_matrix


def rng(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


class CounterContract(StreamContract):
    """What every counter with noise keeps to: independent draws of the law, the right variance in
    every release.

    The draws are recovered with B, which the tests of each counter compare with its definition.
    Signs and halves are counted against exact binomials. Variances may stray by 8 standard errors;
    the skewness of squares (6.6 for Laplace draws, the worst here) lifts the tail of 8 deviations
    over 8000 columns to some 1e-12.
    """

    name: str
    law = "gaussian"
    columns = 8000
    times = 63

    def build(self, width: int, releases: int, seed: int, scale: float = 1.0) -> Counter:
        return mechanisms.make(self.name, width, releases, scale, rng(seed), self.law)

    def draws(self, seed: int) -> np.ndarray:
        """What was drawn for each release, recovered from the sums alone."""
        return np.linalg.solve(
            noise_matrix(self.name, self.times, self.law), self.sums(self.columns, self.times, seed)
        )

    def test_another_seed_gives_other_noise(self) -> None:
        assert not (self.sums(70, 50, seed=1) == self.sums(70, 50, seed=2)).any()

    def test_scale_is_a_factor(self) -> None:
        assert np.array_equal(
            self.build(9, 40, 5, scale=0.25).block(40) * 4, self.sums(9, 40, seed=5)
        )

    @pytest.mark.slow
    def test_draws_follow_the_law(self) -> None:
        draws = self.draws(seed=6)
        assert follows(draws.ravel(), stats.laplace if self.law == "laplace" else stats.norm)

    def test_draws_are_independent(self) -> None:
        draws = self.draws(seed=7)
        median = math.log(2) if self.law == "laplace" else stats.norm.ppf(0.75)
        for coins in (draws > 0, np.abs(draws) > median):
            for axis, lag in (
                (0, 1),
                (0, 2),
                (0, 32),
                (1, 1),
                (1, 64),
            ):  # 64 columns share a word of sign bits
                turned = np.moveaxis(coins, axis, 0)
                agreeing = int((turned[lag:] == turned[:-lag]).sum())
                assert stats.binomtest(agreeing, turned[lag:].size).pvalue > FALSE_ALARM

    def test_every_release_has_its_variance(self) -> None:
        noise = self.sums(self.columns, self.times, seed=8)
        laplace = self.law == "laplace"
        terms = mechanisms.counter_variance(
            self.name, np.arange(1, self.times + 1), self.times, self.law
        )
        variances = terms * (2 if laplace else 1)
        excess = 3 / terms if laplace else 0.0  # fourth cumulant over variance squared
        errors = variances * np.sqrt((2 + excess) / self.columns)
        assert (np.abs((noise**2).mean(axis=1) - variances) <= 8 * errors).all()


def under(name: str, law: str = "gaussian") -> type[CounterContract]:
    """The tests of the contract on this counter."""
    return type("TestMechanism", (CounterContract,), {"name": name, "law": law})


TestHonaker, TestSqrt, TestBLT = under("honaker"), under("sqrt"), under("blt")
TestSmoothGaussian, TestSmoothLaplace = under("smooth"), under("smooth", "laplace")


CASES = [(name, law) for name in mechanisms.PRIVATE for law in mechanisms.laws(name)]
# one draw a release; signed has a test module of its own
SQUARE = [case for case in CASES if case[0] != "signed"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "law"), SQUARE)
@pytest.mark.parametrize("releases", [1, 2, 3, 5, 8, 37, 50, 64, 100, 130])
def test_what_a_counter_costs_is_what_it_does(name: str, law: str, releases: int) -> None:
    noise = noise_matrix(name, releases, law)
    columns = np.linalg.solve(noise, np.tril(np.ones((releases, releases))))
    exact = (
        np.abs(columns).sum(axis=0).max()
        if law == "laplace"
        else math.sqrt((columns**2).sum(axis=0).max())
    )
    variances = (noise**2).sum(axis=1)
    cost = mechanisms.counter_cost(name, releases, law)
    assert exact * (1 - 1e-12) <= cost.sensitivity <= exact * (1 + 1e-9)
    assert cost.largest == pytest.approx(variances.max(), rel=1e-10)
    assert cost.mean == pytest.approx(variances.mean(), rel=1e-10)
    times = np.arange(1, releases + 1)
    np.testing.assert_allclose(
        mechanisms.counter_variance(name, times, releases, law), variances, rtol=1e-10
    )
    single = 2 if law == "laplace" else 1
    assert mechanisms.counter_error(name, releases, law) == pytest.approx(
        exact * math.sqrt(single * variances.max())
    )


@pytest.mark.parametrize("name", ["tree", "smooth"])
def test_the_root_of_a_number_of_draws_is_rounded_up(name: str) -> None:
    for level in range(50):
        root = mechanisms.counter_cost(name, 2**level).sensitivity
        assert Fraction(root) ** 2 >= round(root**2)


@settings(max_examples=25)
@given(st.sampled_from(CASES), st.integers(1, 20_000))
def test_groups_hold_all_releases(case: tuple[str, str], releases: int) -> None:
    name, law = case
    cost = mechanisms.counter_cost(name, releases, law)
    variances = np.sort(
        mechanisms.counter_variance(name, np.arange(1, releases + 1), releases, law)
    )
    assert cost.numbers.sum() == releases
    # each release in a group not below its own
    groups = np.sort(np.repeat(cost.variances, cost.numbers.astype(int)))
    assert (groups >= variances * (1 - 1e-13)).all()
    assert groups.mean() <= 1.03 * variances.mean()
    assert cost.largest == pytest.approx(variances[-1], rel=1e-10)
    assert cost.mean == pytest.approx(variances.mean(), rel=1e-9)


def test_laws() -> None:
    assert mechanisms.MECHANISMS[:3] == mechanisms.OF_THE_PAPERS == ("none", "local", "tree")
    for name in mechanisms.PRIVATE:
        for law in set(counters.LAWS) - set(mechanisms.laws(name)):
            for call in (
                lambda name=name, law=law: mechanisms.make(name, 2, 9, 1.0, rng(0), law),
                lambda name=name, law=law: mechanisms.counter_cost(name, 9, law),
            ):
                assert refused(call).startswith(
                    f"law must be {mechanisms.laws(name)[0]} for the counter {name}"
                )


def test_the_best_counter() -> None:
    for releases in (10**3, 10**6, 10**9):
        assert mechanisms.best(releases) == "blt"
        assert mechanisms.best(releases, "laplace") == "signed"
    tree, smooth, signed = (
        mechanisms.counter_cost(name, 10**6, "laplace").product
        for name in ("tree", "smooth", "signed")
    )
    assert (tree, smooth, signed) == pytest.approx((7600, 972, 600), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "law"), CASES)
def test_quantiles_hold_and_are_not_loose(name: str, law: str) -> None:
    """4000 streams of 500 releases: the share beyond the quantile of 5 %; 0.8 of it is exceeded too
    often."""
    releases, streams = 500, 4000
    largest = np.zeros(streams)
    for batch in range(4):
        counter = mechanisms.make(name, streams // 4, releases, 1.0, rng(batch), law)
        for _ in range(10):
            np.maximum(
                largest[batch * 1000 : batch * 1000 + 1000],
                np.abs(counter.block(50)).max(axis=0),
                out=largest[batch * 1000 : batch * 1000 + 1000],
            )
    x = mechanisms.counter_quantile(name, releases, 0.05, law)
    assert (
        stats.binomtest(int((largest > x).sum()), streams, 0.05, alternative="greater").pvalue
        > 1e-9
    )
    assert (
        stats.binomtest(int((largest > 0.8 * x).sum()), streams, 0.05, alternative="greater").pvalue
        < 1e-9
    )


@settings(max_examples=25)
@given(
    st.sampled_from(["honaker", "smooth", "sqrt", "blt"]),
    st.integers(1, 3000),
    st.floats(1e-30, 0.5),
)
def test_quantiles_are_the_union(name: str, releases: int, beta: float) -> None:
    """No less than the union over releases one by one, and close to it; Gaussian draws."""
    deviations = np.sqrt(mechanisms.counter_variance(name, np.arange(1, releases + 1), releases))
    x = mechanisms.counter_quantile(name, releases, beta)
    assert float((2 * stats.norm.sf(x / deviations)).sum()) <= beta * (1 + 1e-8)
    assert float((2 * stats.norm.sf(0.985 * x / deviations)).sum()) > beta


@pytest.mark.slow
def test_the_contract_rejects() -> None:
    def twin(kind: Any) -> Any:
        return lambda self, width, releases, seed, scale=1.0: kind(
            width, releases, scale, rng(seed), "gaussian"
        )

    for right, kind, spoil in (
        (TestBLT, BLTCounter, lambda counter: counter._buffers.fill(0)),  # begins anew
        (TestBLT, BLTCounter, lambda counter: counter._buffers[-1].fill(0)),  # forgets one
        (TestSmoothGaussian, SmoothCounter, lambda counter: counter._string.put(0, 3)),
    ):
        assert "test_the_cut_into_blocks_does_not_matter" in rejects(
            right, build=twin(spoilt(kind, spoil))
        )
    wide = rejects(
        TestBLT,
        build=lambda self, width, releases, seed, scale=1.0: BLTCounter(
            width, releases, 1.05 * scale, rng(seed)
        ),
    )
    assert "test_draws_follow_the_law" in wide
    single_buffer = rejects(
        TestBLT,
        build=lambda self, width, releases, seed, scale=1.0: BLTCounter(
            width, releases, scale, rng(seed), buffers=1
        ),
    )
    assert "test_every_release_has_its_variance" in single_buffer
    assert rejects(TestBLT, build=twin(BLTCounter)) == set()


def test_times_that_are_none() -> None:
    for times in ([0], [10], [1.5], [[1]], [], "1", None, [math.nan], 3):
        assert refused(lambda times=times: mechanisms.counter_variance("blt", times, 9)).startswith(
            "times must "
        )
    assert refused(lambda: mechanisms.counter_cost("none", 9)).startswith(
        "counter must be one of local, tree"
    )
    assert refused(lambda: mechanisms.make("sqrt", 2**20, 2**10, 1.0, rng(0))).startswith(
        "releases * width must be "
    )
    assert refused(lambda: mechanisms.counter_cost("sqrt", 2**25)) == (
        "releases must be <= 16777216, got releases=33554432"
    )
    assert (
        refused(lambda: BLTCounter(2, 9, 1.0, rng(0), buffers=17))
        == "buffers must be <= 16, got buffers=17"
    )
    assert refused(lambda: mechanisms.counter_cost("blt", 2**54)).startswith("releases must be <= ")


def test_quantiles_of_few_releases_by_hand() -> None:
    """Two releases of a tree are two nodes, each drawn alone; a walk by Levy's inequality."""
    beta = 0.01
    for releases in (1, 2):
        one = 1 - (1 - beta) ** (1 / releases)  # of each node
        by_hand = {"laplace": math.log(1 / one), "gaussian": float(stats.norm.isf(one / 2))}
        for law, x in by_hand.items():
            assert mechanisms.counter_quantile("tree", releases, beta, law) == pytest.approx(
                x, rel=1e-4
            )
    for releases in (1, 2, 30):
        x = math.sqrt(releases) * float(stats.norm.isf(beta / 4))
        assert mechanisms.counter_quantile("local", releases, beta) == pytest.approx(x, rel=1e-4)
    x = mechanisms.counter_quantile("local", 1, beta, "laplace")
    assert x == pytest.approx(math.log(2 / beta), rel=1e-4)
    x = mechanisms.counter_quantile("smooth", 1, beta, "laplace")
    assert x == pytest.approx(math.log(1 / beta), rel=1e-4)


@pytest.mark.parametrize("name", ["local", "tree", "honaker", "smooth", "sqrt", "blt", "secure"])
@pytest.mark.parametrize("releases", [1, 100])
def test_what_a_stream_keeps_and_does(name: str, releases: int) -> None:
    """Memory in rows of the arrays that a stream goes on from; steps as the kernels are written: an
    addition a node, of `secure` a product and a sum more, of `blt` two of each a row."""
    width = 5
    counter = mechanisms.make(name, width, releases, 1.0, np.random.default_rng(0), "gaussian")
    counter.block(1)
    going_on = ("_last", "_stack", "_left", "_kept", "_made", "_buffers")
    rows = sum(array.shape[0] for key, array in vars(counter).items() if key in going_on)
    cost = mechanisms.counter_cost(name, releases)
    if name == "local":
        rows = 1  # its row has one dimension
    if name == "honaker":
        rows -= 1  # beyond the levels, always 0
    assert cost.memory == rows
    steps = {"local": 1, "tree": 1, "smooth": 1, "secure": 3, "honaker": 4, "blt": 4 * rows}
    steps["sqrt"] = 64 + 5 * math.log(2 * releases, 2) ** 2
    assert cost.steps == pytest.approx(steps[name], rel=1e-12)
