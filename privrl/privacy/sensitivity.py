"""How much one user can move the statistics that each paper releases, with two users who move them
that far.

A user is an arbitrary tree of answers; the policy that it meets is a function of earlier releases,
so it is the same for both neighbours. Under ``Adjacency.REPLACE`` (what the four papers define) one
user takes the place of another; under ``Adjacency.ADD_REMOVE`` one user's contribution is dropped.

Norms. ``l1`` and ``l2`` are over all entries of all steps. A symmetric matrix gets one noise for
the pair of entries (i, j) and (j, i), so what its privacy depends on is the l2 norm of the entries
with i <= j: norm ``released``. It lies between ``frobenius`` / sqrt 2 and ``frobenius``, which is
the norm that the papers bound.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from privrl.checks import choice, count, flag, instance, parameter, real, require
from privrl.types import Adjacency, FloatArray

Arrays = tuple[FloatArray, ...]
REPLACE = Adjacency.REPLACE
LEAST_DEVIATION = 1e-30  # of a standard deviation
# of one, and of a size, so that no power overflows; 1 / LEAST_DEVIATION is the float below
LARGEST_NUMBER = 1e30


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """A supremum and two users who reach it."""

    value: float  #: the supremum
    norm: str  #: l1, l2, frobenius, released, or mu (l2 in units of the noise)
    first: Arrays  #: what the two users contribute, as the statistics functions below take it
    second: Arrays  #: empty where a user is removed


def tabular_streams(
    states: ArrayLike, actions: ArrayLike, rewards: ArrayLike, shape: tuple[int, int]
) -> Arrays:
    """One episode's n (H, S, A), m (H, S, A, S) and r (H, S, A) from states (H + 1,), actions (H,),
    rewards (H,)."""
    where, chosen = np.asarray(states, dtype=np.int64), np.asarray(actions, dtype=np.int64)
    horizon, steps = chosen.size, np.arange(chosen.size)
    visits = np.zeros((horizon, *shape))
    moves = np.zeros((horizon, *shape, shape[0]))
    gains = np.zeros((horizon, *shape))
    visits[steps, where[:-1], chosen] = 1
    moves[steps, where[:-1], chosen, where[1:]] = 1
    gains[steps, where[:-1], chosen] = np.asarray(rewards)
    return visits, moves, gains


def control_sums(states: ArrayLike, controls: ArrayLike) -> Arrays:
    """Sum of z z' (n + d, n + d) and of z x_next' (n + d, n) from states (H + 1, n) and controls
    (H, d), z = (x, u)."""
    trajectory = np.asarray(states, dtype=np.float64)
    joined = np.concatenate((trajectory[:-1], np.asarray(controls, dtype=np.float64)), axis=1)
    return joined.T @ joined, joined.T @ trajectory[1:]


def mixture_sums(features: ArrayLike, targets: ArrayLike) -> Arrays:
    """phi phi' (H, d, d) and phi y (H, d), step by step, from features (H, d) and targets (H,):
    values or rewards."""
    phi = np.asarray(features, dtype=np.float64)
    return phi[:, :, None] * phi[:, None, :], phi * np.asarray(targets, dtype=np.float64)[:, None]


def norm_of(change: ArrayLike, norm: str) -> float:
    """The named norm of a change; frobenius and released take the last two axes as symmetric
    matrices."""
    choice("norm", norm, ("l1", "l2", "frobenius", "released"))
    values = np.asarray(change, dtype=np.float64)
    if norm == "l1":
        return float(np.abs(values).sum())
    if norm == "released":
        values = values[..., *np.triu_indices(values.shape[-1])]
    return float(np.sqrt((values**2).sum()))


def vietri2020(
    family: str, horizon: int, adjacency: Adjacency = REPLACE, *, states: int = 2, norm: str = "l1"
) -> Sensitivity:
    """PUCB's streams (vietri2020/claim-1): n, m or r over all (s, a, h), all three families
    together, or of these what a plan reads: all but m of step H.

    Under replacement the tuples of the old trajectory go and those of the new one come, so with two
    states or more every family moves by 2H in l1, attained by users who never share a state; the
    paper's claim has H. With one state only the rewards can differ.

    Parameters
    ----------
    family : n, m, r, all or read
    horizon, states : H and S
    norm : l1 (Laplace noise) or l2 (Gaussian noise)
    """
    instance("adjacency", adjacency, Adjacency)
    choice("family", family, ("n", "m", "r", "all", "read"))
    choice("norm", norm, ("l1", "l2"))
    horizon, states = count("horizon", horizon), count("states", states)
    start, zeros, ones = np.zeros(horizon + 1), np.zeros(horizon), np.ones(horizon)
    first: Arrays = (start, zeros, ones)
    second: Arrays = ()
    total = {"all": 3 * horizon, "read": 3 * horizon - 1}.get(family, horizon)  # entries of a user
    if adjacency is REPLACE and states > 1:
        total, second = 2 * total, (start + 1, zeros, ones)
    elif adjacency is REPLACE:
        total, second = horizon * (family in ("r", "all", "read")), (start, zeros, zeros)
    return Sensitivity(float(total) if norm == "l1" else math.sqrt(total), norm, first, second)


def chowdhury2021(
    statistic: str,
    horizon: int,
    gamma: float,
    adjacency: Adjacency = REPLACE,
    *,
    states: int = 2,
    controls: int = 2,
    norm: str = "frobenius",
    common_start: bool = False,
    last_control: bool = True,
) -> Sensitivity:
    """Private-OFU-RL's sums over an episode (chowdhury2021/theorem-2): gram, of z z', and cross, of
    z x_next'.

    For ||x_h|| <= 1 and a shared linear policy u_h = K_h x_h with ||K_h|| <= gamma_h = gamma
    (lemma-2). Block by block:

    gram moves by D_h = x x' - y y' in the states, D_h K_h' beside them and K_h D_h K_h' in the
    controls. ||D_h|| is at most 1 and ||D_h||_F at most sqrt(2) (1 when n = 1), so the blocks move
    by at most c H, c' sum gamma_h and c' sum gamma_h^2, with c = sqrt(2) when n > 1 and c' =
    sqrt(2) when n > 1 and d > 1, else 1. Orthogonal trajectories attain all three. cross moves by
    at most 2H and 2 sum gamma_h, when every x_{h+1} changes sign against z_h: y = x at odd h and -x
    at even h, although both users start in the same state. The paper has H (1 + gamma)^2, H (1 +
    gamma).

    Parameters
    ----------
    statistic : gram or cross
    horizon, gamma, states, controls : H, gamma >= 0, n, d
    norm : frobenius or released, for gram; cross has independent noise everywhere, the two agree
        there
    common_start : x_1 is no part of the user ("identified by the state responses"): both users
        share it
    last_control : False for the policies of equation-3, whose P_{H+1} = 0 makes u_H = 0
    """
    instance("adjacency", adjacency, Adjacency)
    common_start, last_control = (
        flag("common_start", common_start),
        flag("last_control", last_control),
    )
    choice("statistic", statistic, ("gram", "cross"))
    choice("norm", norm, ("frobenius", "released"))
    horizon, states, controls = (
        count("horizon", horizon),
        count("states", states),
        count("controls", controls),
    )
    bounds = _control_bounds(horizon, gamma, last_control)
    replaced = adjacency is REPLACE
    if statistic == "cross":
        first, second = control_pair(1.0, bounds, states, controls, common_start=True)
        value = (2 if replaced else 1) * math.hypot(horizon, math.fsum(bounds))
        return Sensitivity(value, norm, first, second if replaced else ())
    first, second = control_pair(0.0, bounds, states, controls, common_start)
    moved = bounds[1:] if replaced and common_start else bounds
    outer = math.sqrt(2) if replaced and states > 1 else 1.0
    inner = outer if controls > 1 else 1.0
    beside = (2 if norm == "frobenius" else 1) * (inner * math.fsum(moved)) ** 2
    value = math.sqrt(
        (outer * len(moved)) ** 2 + beside + (inner * math.fsum(bound**2 for bound in moved)) ** 2
    )
    return Sensitivity(value, norm, first, second if replaced else ())


def chowdhury2021_joint(
    horizon: int,
    gamma: float,
    sigma_gram: float,
    sigma_cross: float,
    adjacency: Adjacency = REPLACE,
    *,
    states: int = 2,
    controls: int = 2,
    norm: str = "released",
    common_start: bool = False,
    last_control: bool = True,
) -> tuple[float, float]:
    """Both sums together in units of their noise, for one node: what explicit users reach, and an
    upper bound.

    Step by step, with t = |z.y| and s = 1 + gamma^2, the squared change is at most g(t) /
    sigma_gram^2 + 2 (s + t) / sigma_cross^2, g = 2 (s^2 - t^2), and for the released norm, half the
    sum of the Frobenius norm and of twice the diagonal's, also g <= 2 (s^2 - gamma^2) - t^2. Steps
    add by the triangle inequality. Under ADD_REMOVE the two numbers agree.
    """
    states, controls = count("states", states), count("controls", controls)
    weights = (
        1 / parameter("sigma_gram", sigma_gram, LEAST_DEVIATION) ** 2,
        1 / parameter("sigma_cross", sigma_cross, LEAST_DEVIATION) ** 2,
    )
    gram, cross = (
        chowdhury2021(
            name,
            horizon,
            gamma,
            adjacency,
            states=states,
            controls=controls,
            norm=norm,
            common_start=common_start,
            last_control=last_control,
        )
        for name in ("gram", "cross")
    )
    # as if both could be worst at once
    apart = math.sqrt(weights[0] * gram.value**2 + weights[1] * cross.value**2)
    if adjacency is Adjacency.ADD_REMOVE:
        return apart, apart
    bounds = _control_bounds(horizon, gamma, last_control)
    total, turns = 0.0, {0.0, 1.0}
    for step, bound in enumerate(bounds):
        size = 1 + bound**2
        if step == 0 and common_start:
            total += math.sqrt(weights[1] * 4 * size)
            continue
        # released: the second bound of the gram part is the smaller one up to t = sqrt(2) bound <=
        # size
        corner = math.sqrt(2) * bound if norm == "released" else 0.0
        early = min(corner, weights[1] / weights[0])
        late = min(max(corner, weights[1] / (2 * weights[0])), size)
        squares = [
            weights[0] * area + weights[1] * 2 * (size + meeting)
            for meeting, area in (
                (early, 2 * (size**2 - corner**2 / 2) - (early**2 if corner else 0.0)),
                (late, 2 * (size**2 - late**2)),
            )
        ]
        total += math.sqrt(max(squares))
        turns |= {early / size, late / size}
    reached = 0.0
    for turn in turns:
        first, second = control_pair(turn, bounds, states, controls, common_start)
        changes = [
            first_sum - two
            for first_sum, two in zip(control_sums(*first), control_sums(*second), strict=True)
        ]
        parts = norm_of(changes[0], norm), norm_of(changes[1], "l2")
        reached = max(reached, math.sqrt(weights[0] * parts[0] ** 2 + weights[1] * parts[1] ** 2))
    return reached, min(total, apart)


def control_user(
    along: ArrayLike, axis: int, bounds: ArrayLike, states: int, controls: int
) -> Arrays:
    """States (H + 1, n) of sizes ``along`` on one axis, and controls (H, d) of the policy K_h =
    bound_h * identity."""
    sizes, bound = np.asarray(along, dtype=np.float64), np.asarray(bounds, dtype=np.float64)
    trajectory, answers = np.zeros((sizes.size, states)), np.zeros((bound.size, controls))
    trajectory[:, axis] = sizes
    if axis < controls:
        answers[:, axis] = bound * sizes[:-1]
    return trajectory, answers


def control_pair(
    turn: float, bounds: ArrayLike, states: int, controls: int, common_start: bool
) -> tuple[Arrays, Arrays]:
    """Two users of one linear policy whose states meet at cosines +turn, -turn, +turn, ..; the last
    ones are opposite.

    ``turn = 0``: orthogonal (with n = 1 the second stays at 0). ``turn = 1``: equal at odd steps,
    opposite at even.
    """
    bound = np.asarray(bounds, dtype=np.float64)
    signs = (-1.0) ** np.arange(bound.size + 1)
    first = control_user(np.ones(bound.size + 1), 0, bound, states, controls)
    along = turn * signs
    if turn > 0:
        along[-1] = signs[-1]
    if common_start:
        along[0] = 1.0
    second = control_user(along, 0, bound, states, controls)
    if states > 1:
        aside = control_user(np.sqrt(1 - along**2), 1, bound, states, controls)
        second = (second[0] + aside[0], second[1] + aside[1])
    return first, second


def features(
    statistic: str, size: float, bound: float, adjacency: Adjacency = REPLACE
) -> Sensitivity:
    """One step of a linear-mixture learner: gram, phi phi', or cross, phi y, for ||phi|| <= size, 0
    <= y <= bound.

    Features of two dimensions or more. Under replacement sqrt(2) size^2 (orthogonal features) and 2
    size bound (opposite features, which a linear-mixture MDP allows in the limit of small
    probabilities of the states that carry the value). Frobenius and released norm agree: the axes
    may be those of the difference.
    """
    instance("adjacency", adjacency, Adjacency)
    choice("statistic", statistic, ("gram", "cross"))
    size, bound = _nonnegative("size", size), _nonnegative("bound", bound)
    first: Arrays = (np.array([[size, 0.0]]), np.array([bound]))
    if adjacency is Adjacency.ADD_REMOVE:
        return Sensitivity(size**2 if statistic == "gram" else size * bound, "released", first, ())
    if statistic == "gram":
        return Sensitivity(
            math.sqrt(2) * size**2, "released", first, (np.array([[0.0, size]]), first[1])
        )
    return Sensitivity(2 * size * bound, "released", first, (-first[0], first[1]))


def features_joint(
    size: float, bound: float, sigma_gram: float, sigma_cross: float, adjacency: Adjacency = REPLACE
) -> Sensitivity:
    """phi phi' and phi y of one step together, in units of their noise: exact.

    With t = -phi.psi the square is 2 (size^4 - t^2) / sigma_gram^2 + 2 bound^2 (size^2 + t) /
    sigma_cross^2, largest at t = min(size^2, bound^2 sigma_gram^2 / (2 sigma_cross^2)): features at
    more than a right angle.
    """
    size, bound = _nonnegative("size", size), _nonnegative("bound", bound)
    instance("adjacency", adjacency, Adjacency)
    gram = 1 / parameter("sigma_gram", sigma_gram, LEAST_DEVIATION) ** 2
    cross = 1 / parameter("sigma_cross", sigma_cross, LEAST_DEVIATION) ** 2
    if adjacency is Adjacency.ADD_REMOVE:
        value = math.sqrt(gram * size**4 + cross * size**2 * bound**2)
        return Sensitivity(value, "mu", (np.array([[size, 0.0]]), np.array([bound])), ())
    meeting = min(size**2, bound**2 * cross / (2 * gram))
    value = math.sqrt(
        2 * gram * (size**4 - meeting**2) + 2 * cross * bound**2 * (size**2 + meeting)
    )
    angle = math.asin(meeting / size**2) / 2 if size**2 > 0 else 0.0
    rotated = size * np.array([[math.cos(angle), -math.sin(angle)]])
    return Sensitivity(
        value, "mu", (rotated, np.array([bound])), (rotated[:, ::-1].copy(), np.array([bound]))
    )


def stage_bounds(horizon: int, stage_values: bool) -> list[float]:
    """Bounds of V_{h+1}, h = 1..H: H - h as the algorithms clip, or H as the papers' sensitivities
    take it."""
    horizon, stage_values = count("horizon", horizon), flag("stage_values", stage_values)
    return [float(horizon - step if stage_values else horizon) for step in range(1, horizon + 1)]


def liao2021(
    statistic: str,
    horizon: int,
    adjacency: Adjacency = REPLACE,
    *,
    one_hot_states: int | None = None,
    norm: str = "released",
    stage_values: bool = True,
) -> Sensitivity:
    """A user's message (liao2021/theorem-5.1): gram, cross, or message, all 2H parts under one
    common sigma.

    With ||phi_V|| <= max V (equation-3.1) the worst message has features at 120 degrees whose Gram
    matrices differ on the diagonal only. One-hot features of S states break equation-3.1: ||phi_V||
    is up to sqrt(S) max V; they are orthogonal for different (s, a), never opposite.

    This takes 0 <= V <= its bound. Algorithm 1 clips Q from above only, so that the estimate's
    noise can push V below zero without limit: read literally, no finite number bounds the change (H
    >= 3).

    Parameters
    ----------
    one_hot_states : S for phi(s'|s, a) = e_(s, a, s'), at least two pairs (s, a); None for features
        within equation-3.1
    norm : frobenius or released
    stage_values : V_{h+1} <= H - h as clipped; False for H
    """
    instance("adjacency", adjacency, Adjacency)
    choice("statistic", statistic, ("gram", "cross", "message"))
    choice("norm", norm, ("frobenius", "released"))
    squares, firsts, seconds, limits = [], [], [], []
    for bound in stage_bounds(horizon, stage_values):
        if one_hot_states is None:
            worst = (
                features_joint(bound, bound, 1, 1, adjacency)
                if statistic == "message"
                else features(statistic, bound, bound, adjacency)
            )
            squares.append(worst.value**2)
            first_message, two = (
                worst.first[0],
                worst.second[0] if worst.second else np.zeros((1, 2)),
            )
        else:
            size = count("one_hot_states", one_hot_states)
            users = 2 if adjacency is REPLACE else 1
            gram = bound**4 * (size**2 if norm == "frobenius" else (size**2 + size) / 2)
            squares.append(
                users * ((statistic != "cross") * gram + (statistic != "gram") * size * bound**4)
            )
            first_message = np.concatenate((np.full((1, size), bound), np.zeros((1, size))), axis=1)
            two = first_message[:, ::-1].copy()
        firsts.append(first_message)
        seconds.append(two)
        limits.append(bound)
    first: Arrays = (np.concatenate(firsts), np.array(limits))
    second: Arrays = (
        () if adjacency is Adjacency.ADD_REMOVE else (np.concatenate(seconds), np.array(limits))
    )
    return Sensitivity(math.sqrt(math.fsum(squares)), norm, first, second)


def zhou2022(
    counter: str,
    horizon: int,
    dimension: int,
    adjacency: Adjacency = REPLACE,
    *,
    step: int | None = None,
    common_start: bool = False,
) -> Sensitivity:
    """One of Private-LinOpt's counters (zhou2022/theorem-6.4): p1, p2 with ||phi|| <= sqrt(d1) max
    V, or r1, r2.

    The paper has d1 H^2, sqrt(d1) H^2, 1 and 1; under replacement it is sqrt 2, 2, sqrt 2 and 2
    times that.

    Parameters
    ----------
    dimension : d1 >= 2 (d2 >= 2 for the rewards)
    step : h, for the bound H - h that the algorithm clips V_{h+1} at; None for H
    common_start : s_1 and a_1 are no part of the user; asks for step 1 to make a difference
    """
    instance("adjacency", adjacency, Adjacency)
    common_start = flag("common_start", common_start)
    choice("counter", counter, ("p1", "p2", "r1", "r2"))
    horizon, dimension = count("horizon", horizon), count("dimension", dimension, 2)
    require(
        step is None or 1 <= count("step", step) <= horizon, "step must be in 1..horizon", step=step
    )
    bound = float(horizon if step is None else horizon - step)
    size, top = (math.sqrt(dimension) * bound, bound) if counter[0] == "p" else (1.0, 1.0)
    if (
        common_start and step == 1 and adjacency is REPLACE
    ):  # the same feature, targets at both ends
        first: Arrays = (np.array([[size, 0.0]]), np.array([top]))
        return Sensitivity(
            size * top if counter[1] == "2" else 0.0, "released", first, (first[0], np.zeros(1))
        )
    return features("gram" if counter[1] == "1" else "cross", size, top, adjacency)


def zhou2022_joint(
    horizon: int,
    dimension: int,
    sigmas: dict[str, float],
    adjacency: Adjacency = REPLACE,
    *,
    stage_values: bool = True,
    common_start: bool = False,
) -> float:
    """All 4H counters together in units of their noise, for one node: exact; sigmas by p1, p2, r1,
    r2.

    Transition and reward features of a step, and the steps, are free of one another: the worst
    cases happen at once.
    """
    instance("adjacency", adjacency, Adjacency)
    common_start = flag("common_start", common_start)
    named = isinstance(sigmas, dict) and set(sigmas) == {"p1", "p2", "r1", "r2"}
    require(named, "sigmas must be a dict of p1, p2, r1, r2", sigmas=sigmas)
    dimension = count("dimension", dimension, 2)
    squares = []
    for step, bound in enumerate(stage_bounds(horizon, stage_values)):
        for kind, size, top in (("p", math.sqrt(dimension) * bound, bound), ("r", 1.0, 1.0)):
            grams, crosses = (
                parameter(name, sigmas[name], LEAST_DEVIATION) for name in (kind + "1", kind + "2")
            )
            if step == 0 and common_start and adjacency is REPLACE:
                squares.append((size * top / crosses) ** 2)
            else:
                squares.append(features_joint(size, top, grams, crosses, adjacency).value ** 2)
    return math.sqrt(math.fsum(squares))


def _nonnegative(name: str, value: float) -> float:
    """``value``, rounded up to ``LEAST_DEVIATION`` where a power of it could underflow: no
    sensitivity shrinks by that."""
    number = real(name, value)
    require(
        0 <= number <= LARGEST_NUMBER, f"{name} must be in [0, {LARGEST_NUMBER:g}]", **{name: value}
    )
    return max(number, LEAST_DEVIATION) if number > 0 else 0.0


def _control_bounds(horizon: int, gamma: float, last_control: bool) -> list[float]:
    bounds = [_nonnegative("gamma", gamma)] * count("horizon", horizon)
    return bounds if last_control else [*bounds[:-1], 0.0]
