"""Counters between a server and none: a tree whose users share its noise, and shuffled batches."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from privrl.agents.linear.linopt_vi import LinOptVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.environments import suite
from privrl.privacy import accounting
from privrl.privacy.counters import bits, mechanisms, secure, shuffle
from privrl.privacy.counters.stream import Counter
from tests.contracts import refused
from tests.contracts_agents import StreamContract


def rng(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


class TestSecure(StreamContract):
    law = "gaussian"

    def build(self, width: int, releases: int, seed: int, scale: float = 1.0) -> Counter:
        return mechanisms.make("secure", width, releases, scale, rng(seed), self.law)


class TestShuffle(StreamContract):
    law = "gaussian"

    def build(self, width: int, releases: int, seed: int, scale: float = 1.0) -> Counter:
        return mechanisms.make("shuffle", width, releases, scale, rng(seed), self.law)


def test_they_are_declared_where_they_are_and_nowhere_else() -> None:
    assert mechanisms.BETWEEN == ("secure", "shuffle")
    assert not set(mechanisms.BETWEEN) & set(mechanisms.PRIVATE)
    assert {
        name: kind.trust
        for name, kind in mechanisms.COUNTER_CLASSES.items()
        if kind.trust != "server"
    } == {
        "local": "none",
        "secure": "secure",
        "shuffle": "shuffle",
    }
    assert mechanisms.best(10**6) == "blt"


@pytest.mark.parametrize("releases", [1, 3, 64, 130, 5000])
def test_the_cost_of_a_shared_tree(releases: int) -> None:
    cost, tree = (mechanisms.counter_cost(name, releases) for name in ("secure", "tree"))
    times = np.arange(1, releases + 1)
    variances = mechanisms.counter_variance("secure", times, releases)
    assert cost.sensitivity == tree.sensitivity
    assert (variances >= mechanisms.counter_variance("tree", times, releases)).all()
    assert cost.largest == pytest.approx(variances.max(), rel=1e-12)
    assert cost.mean == pytest.approx(variances.mean(), rel=1e-12)
    groups = np.sort(np.repeat(cost.variances, cost.numbers.astype(int)))
    assert groups.size == releases and (groups >= np.sort(variances) * (1 - 1e-13)).all()
    each = variances[[2**level - 1 for level in range(releases.bit_length())]]
    np.testing.assert_allclose(bits.variances(times, each), variances, rtol=1e-12)


def test_noise_is_never_less_than_is_counted_on_and_never_more_than_is_said() -> None:
    releases, columns = 63, 8000
    noise = mechanisms.make("secure", columns, releases, 1.0, rng(3)).block(releases)
    seen = (noise**2).mean(axis=1)
    error = 8 * math.sqrt(2 / columns)
    times = np.arange(1, releases + 1)
    assert (seen >= mechanisms.counter_variance("tree", times, releases) * (1 - error)).all()
    assert (seen <= mechanisms.counter_variance("secure", times, releases) * (1 + error)).all()


def test_too_many_drop_outs_end_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = mechanisms.make("secure", 1, 200, 1.0, rng(4))
    counter.block(20)
    everyone = SimpleNamespace(binomial=lambda users, rate: users)
    monkeypatch.setattr(counter, "_there", everyone)
    with pytest.raises(RuntimeError, match="its sum is not handed out"):
        counter.block(180)


@pytest.mark.parametrize("releases", [100, 10**6])
def test_a_stream_is_seldom_aborted(releases: int) -> None:
    """By the exact binomial tail; with a tenth fewer tolerated it would be too often."""
    probability, fewer = 0.0, 0.0
    for level in range(releases.bit_length()):
        users = 2**level
        nodes, most = (releases // users + 1) // 2, secure.tolerated(users, releases)
        probability += nodes * float(stats.binom.sf(most, users, secure.DROPOUTS))
        fewer += nodes * float(stats.binom.sf(math.floor(0.7 * most), users, secure.DROPOUTS))
    assert probability <= secure.ABORTED < fewer


@pytest.mark.parametrize("releases", [1, 100, 10**6])
def test_whoever_drops_out_enough_honest_shares_are_left_and_few_are_too_many(
    releases: int,
) -> None:
    for level in range(releases.bit_length()):
        users = 2**level
        honest, most = users * 9 // 10, secure.tolerated(users, releases)
        ladder = secure.rungs(users, releases)
        assert ladder[-1].dropped == most and len(ladder) <= secure.PARTS
        largest = 0.0
        for dropped in {*range(min(most, 400) + 1), *(rung.dropped for rung in ladder), most}:
            counted_on = ladder[secure.handed_out(users, dropped, releases) - 1].shares
            # of the honest, all who dropped out; but the user to be protected is there
            assert counted_on <= max(honest - dropped, 1)
            assert users == 1 or counted_on >= (honest - dropped) / 2
            largest = max(largest, (users - dropped) / counted_on)
        assert largest <= secure.excess(users, releases) <= 2
        assert most >= 400 or largest == secure.excess(users, releases)


def test_as_many_drop_outs_as_usual_cost_what_the_honest_share_costs() -> None:
    """Noise of a long stream, whose small nodes are most of its nodes."""
    releases = 2**15
    counter = mechanisms.make("secure", 1, releases, 1.0, rng(11))
    assert isinstance(counter, secure.SecureCounter)
    beside = counter._beside(releases)
    times = np.arange(1, releases + 1)
    sizes = times & -times
    means = [1 + float(beside[sizes == 2**level].mean()) for level in range(10)]
    assert means[0] == pytest.approx(1.0)
    honest = secure.HONEST_OF_NODE
    # floor(0.9 n) of 2 and of 4 is much less than 0.9 n; drop-outs take noise along
    for level, seen in enumerate(means[1:], start=1):
        users = 2**level
        floor = math.floor(honest * users) / users
        assert 1 < seen <= 1.07 / floor and seen >= 0.95


def test_the_bound_of_the_shuffler_is_the_published_one() -> None:
    """As printed, with numbers that were computed apart in 30 digits, and rounded up."""
    local, users, delta = 1.0, 10_000, 1e-6
    e = math.exp(local)
    printed = math.log(
        1
        + (e - 1)
        / (e + 1)
        * (8 * math.sqrt(e * math.log(4 / delta)) / math.sqrt(users) + 8 * e / users)
    )
    assert printed <= shuffle.amplified(local, users, delta) <= printed * (1 + 1e-12)
    assert refused(lambda: shuffle.amplified(5.0, users, delta)).startswith(
        "local must be <= ln(users / (16 ln(4/delta)))"
    )
    assert shuffle.most_local(10, 1e-6) < 0


def exact_epsilon(local: float, users: int, delta: float) -> float:
    """Of binary answers, each flipped with probability 1/(e^local + 1), that only their number is
    known of; the users' true answers are all 0 but for one."""
    flip = 1 / (math.exp(local) + 1)
    k = np.arange(users + 1)
    others = stats.binom.pmf(k, users - 1, flip)
    shifted = np.concatenate(([0.0], others[:-1]))
    zero = (1 - flip) * others + flip * shifted
    moved = flip * others + (1 - flip) * shifted
    low, high = 0.0, local

    def excess(epsilon: float) -> float:
        gain = math.exp(epsilon)
        return max(
            float(np.maximum(moved - gain * zero, 0).sum()),
            float(np.maximum(zero - gain * moved, 0).sum()),
        )

    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > delta else (low, middle)
    return low


@pytest.mark.parametrize(("local", "users"), [(0.5, 3000), (1.0, 10_000), (2.0, 30_000)])
def test_shuffled_answers_are_within_the_bound_and_a_smaller_one_is_false(
    local: float, users: int
) -> None:
    delta = 1e-6
    true = exact_epsilon(local, users, delta)
    assert true <= shuffle.amplified(local, users, delta)
    # the mutant: as many users as there are not
    assert true > shuffle.amplified(local, 64 * users, delta)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("batch", [1, 100, 10_000, 10**6])
def test_a_message_and_its_batch_give_what_was_asked_for(epsilon: float, batch: int) -> None:
    delta = 1e-6
    one = shuffle.message(epsilon, delta, batch)
    least = accounting.gaussian_mu(epsilon, delta)
    if (one.epsilon, one.delta) == (epsilon, delta):
        return
    users = math.floor(shuffle.HONEST_OF_BATCH * batch)
    half = delta / 2
    assert one.epsilon <= math.log(users / (16 * math.log(4 / half)))
    batch_epsilon = shuffle.amplified(one.epsilon, users, half)
    factor = (math.exp(epsilon) + 1) * (1 + math.exp(-one.epsilon) / 2) * users
    assert batch_epsilon <= epsilon and half + factor * one.delta <= delta
    assert accounting.gaussian_mu(one.epsilon, one.delta) > least
    assert batch_epsilon > 0.99 * epsilon or one.epsilon >= min(
        shuffle.most_local(users, half), shuffle.MOST_EPSILON
    ) * (1 - 1e-6)


def test_a_message_alone_is_what_was_asked_for_and_batches_are_worth_something() -> None:
    assert shuffle.message(1.0, 1e-6, 1) == shuffle.message(1.0, 1e-6, 100)
    assert shuffle.message(1.0, 1e-6, 10_000).epsilon > 3
    assert "delta must be > 0 behind a shuffler" in refused(lambda: shuffle.message(1.0, 0.0, 10))


def test_an_agent_pays_for_the_noise_of_every_message() -> None:
    mdp = suite.tabular("vietri2020/riverswim-3")
    alone, local = (
        PrivateUCBVI(1.0, 1e-6, counter=counter).calibrate(mdp, 1000).scale
        for counter in ("shuffle", "local")
    )
    assert alone == pytest.approx(local, rel=1e-12)
    batch = 10_000
    together = PrivateUCBVI(1.0, 1e-6, counter="shuffle", every=batch).calibrate(mdp, 10**5).scale
    one = shuffle.message(1.0, 1e-6, batch)
    message = local * accounting.gaussian_mu(1.0, 1e-6)
    message /= accounting.gaussian_mu(one.epsilon, one.delta)
    assert together == pytest.approx(math.sqrt(batch) * message, rel=1e-12)
    assert together < 0.6 * math.sqrt(batch) * local


def test_agents_refuse_what_they_are_not_calibrated_for() -> None:
    assert "every must be 1 over the counter secure" in refused(
        lambda: PrivateUCBVI(1.0, 1e-6, counter="secure", every=2)
    )
    assert "counter must be one of" in refused(
        lambda: LinOptVI(1.0, 1e-6, counter="shuffle", calibration="tight")
    )
    assert "laplace: delta = 0" in refused(lambda: PrivateUCBVI(1.0, 0.0, counter="shuffle"))
