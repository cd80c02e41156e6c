"""Shares of noise: the law of their sum, what a secure sum refuses, and the guarantee."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privrl.privacy import accounting, exact, secure_sums, shares
from privrl.privacy.counters import secure
from privrl.privacy.counters.mechanisms import counter_cost
from tests.contracts import refused

PLAN = shares.SharedPlan(width=2, users=70, change=2.0, norm=1.0, epsilon=1.0, delta=1e-6)


def discrete(deviation: float, most: int) -> np.ndarray:
    """Probabilities of the discrete Gaussian on -most..most."""
    z = np.arange(-most, most + 1)
    weights = np.exp(-(z**2) / (2 * deviation**2))
    return np.asarray(weights / weights.sum())


def largest_ratio(number: int, deviation: float) -> float:
    """|ln| of the sum's law over one discrete Gaussian's, where doubles can tell."""
    one = discrete(deviation, 40)
    law = one
    for _ in range(number - 1):
        law = np.convolve(law, one)
    single = discrete(deviation * math.sqrt(number), law.size // 2)
    seen = single > 1e-9
    return float(np.abs(np.log(law[seen] / single[seen])).max())


@pytest.mark.parametrize("number", [2, 3, 8])
@pytest.mark.parametrize("deviation", [0.5, 0.6, 0.8, 1.0])
def test_the_law_of_a_sum_is_as_near_as_is_said(number: int, deviation: float) -> None:
    bound, found = shares.distance(number, deviation), largest_ratio(number, deviation)
    assert found <= bound
    # it takes every addition for as bad as the first; of two shares a quarter of it is false
    assert number > 2 or found > bound / 4


@pytest.mark.parametrize("least", [0.5, 0.7])
def test_draws_of_unequal_variance_are_as_near_as_the_least_says(least: float) -> None:
    """As the parts of a share: large ones, and one that is small."""
    law = np.convolve(np.convolve(discrete(1.5, 40), discrete(least, 40)), discrete(2.0, 40))
    single = discrete(math.sqrt(1.5**2 + least**2 + 2.0**2), law.size // 2)
    seen = single > 1e-9
    apart = float(np.abs(np.log(law[seen] / single[seen])).max())
    assert apart <= shares.distance(3, least)
    assert apart > shares.distance(3, 1.5)  # the mutant: of the others


def test_one_share_is_a_discrete_gaussian_and_coarse_ones_are_nothing() -> None:
    assert shares.distance(1, 0.1) == 0 and shares.distance(2, 0.4) == math.inf
    assert shares.distance(10**6, 4.0) < 1e-60


def test_two_coarse_shares_give_the_privacy_that_their_distance_says() -> None:
    """delta(epsilon) of a sum of two shares of 0.7 that a user moves by one, term by term."""
    one = discrete(0.7, 30)
    law = np.convolve(one, one)
    bound = shares.distance(2, 0.7)
    single = discrete(0.7 * math.sqrt(2), 60)
    for epsilon in (0.2, 0.5, 1.0):
        delta = float(np.maximum(law[1:] - math.exp(epsilon) * law[:-1], 0).sum())
        near = float(np.maximum(single[1:] - math.exp(epsilon - 2 * bound) * single[:-1], 0).sum())
        assert delta <= math.exp(bound) * near
        apart = math.expm1(bound)
        exactly = float(np.maximum(single[1:] - math.exp(epsilon) * single[:-1], 0).sum())
        assert delta <= exactly + (1 + math.exp(epsilon)) * apart


@pytest.mark.parametrize("users", [1, 2, 7, 70, 10_000, 10**6])
def test_the_guarantee_holds_with_the_noise_that_is_counted_on(users: int) -> None:
    plan = shares.SharedPlan(54, users, 2.5, 1.0, 1.0, 1e-6)
    assert plan.guarantee.epsilon <= 1.0 and plan.guarantee.delta <= 1e-6
    moved = plan.change + plan.grid * math.sqrt(plan.width)
    mu = counter_cost("tree", users).sensitivity * moved / plan.scale
    slack = (1 + math.e) * plan.sharing.apart
    assert accounting.gaussian_delta(1.0, mu) + slack <= 1e-6
    # a hundredth less noise is too little
    assert accounting.gaussian_delta(1.0, 1.01 * mu) > 1e-6
    for level in range(users.bit_length()):
        parts = plan.sharing.parts(level)[:, 0]
        ladder = secure.rungs(2**level, users)
        squares = [sum(Fraction(part) ** 2 for part in parts[: k + 1]) for k in range(len(ladder))]
        for rung, square in zip(ladder, squares, strict=True):
            assert rung.shares * square >= Fraction(plan.scale) ** 2
            assert float(rung.shares * square) <= plan.scale**2 * (1 + 1e-12)
        assert parts.min() / plan.grid >= 4


@pytest.mark.slow
def test_the_guarantee_pays_for_more_users_than_the_grid_can_hold() -> None:
    assert "the grid is not fine enough for their shares" in refused(
        lambda: shares.SharedPlan(10**6, 10**9, 2.5, 1.0, 1.0, 1e-9)
    )
    assert "delta must be > 0" in refused(lambda: shares.SharedPlan(2, 9, 2.0, 1.0, 1.0, 0.0))


def test_every_user_is_in_the_nodes_that_the_tree_hands_out() -> None:
    for users in (1, 5, 16, 37):
        for end in range(1, users + 1):
            height = (end & -end).bit_length() - 1
            members = [
                user for user in range(1, users + 1) if shares.nodes(user, users).get(height) == end
            ]
            assert members == list(range(end - 2**height + 1, end + 1))
        most = max(len(shares.nodes(user, users)) for user in range(1, users + 1))
        assert most == users.bit_length()


def played(plan: shares.SharedPlan, contributions: np.ndarray) -> np.ndarray:
    sums = secure_sums.SecureSums(plan.sharing)
    tree = secure_sums.SharedTree(plan.sharing)
    return np.array(
        [
            tree.take(sums.turn(user, device(plan, user).message(row)))
            for user, row in enumerate(contributions, start=1)
        ]
    )


def device(plan: shares.SharedPlan, user: int) -> secure_sums.SharedDevice:
    return secure_sums.SharedDevice(plan.sharing, user)


@pytest.mark.slow
def test_sums_come_out_with_noise_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    contributions = np.random.default_rng(0).integers(0, 2, (70, 2)).astype(np.float64)
    noisy = played(PLAN, contributions)
    assert np.array_equal(exact.on_grid(noisy, PLAN.grid), noisy)
    monkeypatch.setattr(
        exact, "sample", lambda law, scale, number: np.zeros(number)
    )  # without noise every release is the exact sum
    assert np.array_equal(played(PLAN, contributions), contributions.cumsum(axis=0))


@pytest.mark.slow
def test_noise_that_is_handed_out_is_what_the_drop_outs_call_for() -> None:
    """Of a node of 8 users, of whom so many dropped out."""
    width, users = 300, 8
    plan = shares.SharedPlan(width, users, 2000.0, 1.0, 1.0, 1e-6)
    messages = [device(plan, user).message(np.zeros(width)) for user in range(1, 9)]
    for dropped, counted_on in ((0, 7), (1, 6), (3, 4), (6, 1)):
        sums = secure_sums.SecureSums(plan.sharing)
        for user, message in enumerate(messages, start=1):
            there = {
                level: share for level, share in message.items() if level < 3 or user > dropped
            }
            noise = sums.turn(user, there) * plan.grid / plan.scale
        variance = float((noise**2).mean()) * counted_on / (users - dropped)
        # with the first parts alone or with all of them it is less than 0.58 or more than 1.7
        assert abs(variance - 1) <= 5 * math.sqrt(2 / width)


@pytest.mark.slow
def test_all_noise_together_has_the_variance_of_the_counter() -> None:
    plan = shares.SharedPlan(4000, 6, 2000.0, 1.0, 1.0, 1e-6)
    noise = played(plan, np.zeros((6, 4000))) / plan.scale
    # nobody drops out: 2 shares for 1 in a node of two, 4 for 3 in one of four
    terms = np.array([1, 2, 3, 4 / 3, 7 / 3, 10 / 3])
    assert (np.abs((noise**2).mean(axis=1) / terms - 1) <= 6 * math.sqrt(2 / 4000)).all()
    assert (terms <= secure.SecureCounter.variance(np.arange(1, 7), 6)).all()


def test_a_message_is_made_once() -> None:
    third = device(PLAN, 3)
    first, second = third.message([1.0, 0.0]), third.message([1.0, 0.0])
    assert all(np.array_equal(first[level], second[level]) for level in first)
    with pytest.raises(TypeError, match="must not be copied or pickled"):
        __import__("copy").deepcopy(third)
    assert refused(lambda: third.message([2.0, 0.0])).startswith(
        "a contribution's entries must be <= norm"
    )
    assert refused(lambda: device(PLAN, 71)).startswith("user must be <= users")


def test_nobody_is_counted_twice_and_nothing_else_is_taken() -> None:
    sums = secure_sums.SecureSums(PLAN.sharing)
    message = device(PLAN, 1).message([1.0, 0.0])
    sums.turn(1, message)
    for user in (1, 3):
        assert refused(lambda user=user: sums.turn(user, message)) == (
            f"user must be 2, the next one, got user={user}"
        )
    strange = {0: np.zeros((1, 2), dtype=np.int64)}
    assert refused(lambda: sums.turn(2, strange)).startswith("a message must be for her nodes")
    without_parts = {1: np.zeros(2, dtype=np.int64)}
    assert "message must be whole numbers of shape (1, 2)" in refused(
        lambda: sums.turn(2, without_parts)
    )
    sums.turn(2, {})
    third = device(PLAN, 3).message([0.0, 1.0])
    real: Any = {0: third[0] / 3.0}
    assert "message must be whole numbers" in refused(lambda: sums.turn(3, real))
    assert "message must be within" in refused(lambda: sums.turn(3, {0: third[0] + 2**53}))
    assert sums.users == 2


def test_a_node_with_too_few_users_is_not_handed_out() -> None:
    size = 64
    most = secure.tolerated(size, PLAN.users)
    assert 3 < most < size
    for dropped in (most, most + 1):
        sums = secure_sums.SecureSums(PLAN.sharing)
        for user in range(1, size + 1):
            message = {
                level: np.zeros_like(PLAN.sharing.parts(level), dtype=np.int64)
                for level in shares.nodes(user, PLAN.users)
                if level < 6 or user > dropped
            }
            if user < size:
                sums.turn(user, message)
        if dropped == most:
            assert sums.turn(size, message).shape == (2,)
        else:
            with pytest.raises(RuntimeError, match=f"at most {most} drop-outs of 64"):
                sums.turn(size, message)


def test_the_server_goes_on_from_its_state_and_refuses_what_is_none() -> None:
    sums, tree = (kind(PLAN.sharing) for kind in (secure_sums.SecureSums, secure_sums.SharedTree))
    released = [
        tree.take(sums.turn(user, device(PLAN, user).message([1.0, 0.0]))) for user in range(1, 7)
    ]
    state, again = tree.state(), secure_sums.SharedTree(PLAN.sharing)
    again.restore(state)
    total = sums.turn(7, device(PLAN, 7).message([1.0, 0.0]))
    # nodes of users 1..4 and 5..6, and the last one's own
    assert np.array_equal(again.take(total), released[5] + total * PLAN.grid)
    assert "must be handed in before each release" in refused(lambda: again.row(np.zeros(2)))
    wrong_level = state | {"totals": np.roll(state["totals"], 1, axis=0)}
    for wrong in (
        wrong_level,
        state | {"released": np.array(71)},
        state | {"totals": state["totals"] * 1.0},
        {"released": state["released"]},
    ):
        assert refused(lambda wrong=wrong: tree.restore(wrong))
    assert tree.released == 6


@pytest.mark.parametrize("users", [1, 6, 70, 1000])
def test_draws_are_those_of_all_messages(users: int) -> None:
    sharing = shares.Sharing(users, np.ones(1), 2.0**-20, 1.0)
    all_of_them = sum(
        len(sharing.parts(level))
        for user in range(1, users + 1)
        for level in shares.nodes(user, users)
    )
    assert shares.draws(users) == pytest.approx(all_of_them / users, rel=1e-12)
