"""zhou2022/theorem-6.4: what the printed noise of the 4H counters gives; the argument is in
``proofs.md``.

w is the squared length of one user's change in all counters together, in units of the printed
sensitivities; a neighbour has one user *replaced* (definition-2.2).
"""

import math
from functools import cache

import numpy as np
import sympy as sp
import z3
from flint import arb

from privrl.privacy import accounting
from privrl.privacy.noise_scales.zhou2022 import printed_zhou2022
from privrl.privacy.sensitivity import mixture_sums, zhou2022_joint
from privrl.types import Adjacency
from theory import derive_noise
from theory.claim import Basis, Records, Rigor, Trial, Witness, claim
from theory.formulas import downwards, scientific, upwards
from theory.lemmas import zcdp
from theory.lemmas.gaussian_mechanism import Aim, calibrated, certify_shape, leaks, runs
from theory.papers.zhou2022 import actions, bounds
from theory.rigor.kernel import Formal
from theory.rigor.smt import Proof

MOST_WEIGHT = 4.5 * 1.2  # w <= MOST_WEIGHT * H when a user is replaced
LEVEL_ONE = math.log(4) + 300 * math.log(10)  # ln(4H/delta) at H = 1, delta = 1e-300


def reward_change(horizon: int) -> float:
    """Squared change of the two reward counters over all steps, in units of the printed 1: explicit
    users.

    They share the first state, which is no part of a user, and so the first action; there one
    answers with reward 1, the other with 0. From then on the first meets the reward feature e_1,
    the second e_2, both with reward 1. With theta_r = (1, 1)/2 all these rewards have mean 1/2 and
    |theta_r| <= sqrt(d_2), d_2 = 2.
    """
    first_feature, two = np.eye(2)
    gram = (np.outer(first_feature, first_feature) - np.outer(two, two))[np.triu_indices(2)]
    return float(
        (first_feature**2).sum()
        + (horizon - 1) * ((gram**2).sum() + ((first_feature - two) ** 2).sum())
    )


def user_change(horizon: int, own_start: bool) -> float:
    """Squared change of all 4H counters in printed units between two users of the first episode,
    d_1 = d_2 = 2.

    psi(s'|s, a) = 1{s' = s} sqrt(2) v_s and varphi(s, a) = v_s, v_s unit vectors at 120 degrees;
    theta_p = sqrt(2) (v_1 + v_2) and theta_r = v_1 + v_2 give probabilities 1 and mean rewards 1/2.
    The users stay in different states, with rewards 1; ``own_start``: from the first step on, else
    from the second, with rewards 1 and 0 at the first."""
    # on these axes v_1 v_1' - v_2 v_2' is diagonal
    near, far = (
        math.cos(math.pi / 12),
        -math.sin(math.pi / 12),
    )
    first_feature, two = np.array([near, far]), np.array([far, near])
    values = first_values(horizon)
    total = 0.0
    for step in range(1, horizon + 1):
        apart = own_start or step > 1
        ahead = values[step]
        sums = [
            (
                *mixture_sums(math.sqrt(2) * ahead * vector[None, :], np.array([ahead])),
                *mixture_sums(vector[None, :], np.array([reward])),
            )
            for vector, reward in (
                (first_feature, 1.0),
                (two if apart else first_feature, 1.0 if apart else 0.0),
            )
        ]
        units = (2 * horizon**2, math.sqrt(2) * horizon**2, 1.0, 1.0)
        for first, second, unit in zip(*sums, units, strict=True):
            change = (first - second)[0] / unit
            total += float(
                ((change[np.triu_indices(2)] if change.ndim == 2 else change) ** 2).sum()
            )
    return total


def weight_attained() -> bool:
    """Whether two users whose first states differ reach w = 4.5 sum_h (((H-h)/H)^4 + 1)."""
    return all(
        math.isclose(
            user_change(horizon, own_start=True),
            derive_noise.mixture_weight(horizon, rewards=True),
        )
        for horizon in (1, 2, 5, 20)
    )


def first_values(horizon: int) -> tuple[float, ...]:
    """V_{h+1}, h = 0..H, in either state of :func:`user_change` in the first episode: theta-hat =
    0, and each bonus is at least sqrt(3) times the norm of its feature."""
    values = [0.0]
    for h in range(horizon, 0, -1):
        bonus = math.sqrt(3) * (math.sqrt(2) * values[0] + 1)
        values.insert(0, max(0.0, min(horizon - h + 1.0, bonus)))
    return tuple(values)


def shared_bound(horizon: int) -> float:
    """The most that two users who share s_1 can differ: the first step's two vectors move by at
    most the values that they carry."""
    changes = [1 + ((horizon - h) / horizon) ** 4 for h in range(1, horizon + 1)]
    return changes[0] + 4.5 * sum(changes[1:])


@cache
def supremum(horizon: int) -> float:
    """The largest squared change of all counters for noise equal to the printed sensitivities."""
    sigmas = {"p1": 2.0 * horizon**2, "p2": math.sqrt(2) * horizon**2, "r1": 1.0, "r2": 1.0}
    return zhou2022_joint(horizon, 2, sigmas, Adjacency.REPLACE) ** 2


def weight_bound(factor: float) -> bool:
    """Whether w <= ``factor`` * H: by suprema for seven H, the last of which comes within a
    thousandth of the bound, and proved for every H where ``factor`` is at least MOST_WEIGHT."""
    for horizon in (1, 2, 3, 5, 10, 40, 1000):
        exact = supremum(horizon)
        ours = derive_noise.mixture_weight(horizon, rewards=True)
        if exact > factor * horizon or abs(exact - ours) > 1e-9 * ours:
            return False
    proved = derive_noise.pair_defect() == 0 and derive_noise.fourth_powers_below()
    return bool(proved and factor >= MOST_WEIGHT)


def joint(epsilon: float, delta: float, horizon: int, weight: float, factor: float = 1.0) -> Aim:
    """All counters of two users whose squared change is ``weight``, against ``factor`` (epsilon,
    delta)."""
    level = (4 * arb(horizon) / arb(delta)).log()
    mu = arb(epsilon) * (arb(weight) / (32 * arb(horizon) ** 2 * level)).sqrt()
    return Aim(arb(factor) * arb(epsilon), arb(factor) * arb(delta), mu)


def share(weight: float, factor: float = 1.0) -> Aim:
    """One counter against ``factor`` (e, d), e = 1/40 and d = 1e-6/40: mu^2 = weight e^2/(2
    ln(1/d))."""
    mu = arb(0.025) * (arb(weight) / (2 * -arb(2.5e-8).log())).sqrt()
    return Aim(arb(factor) * arb(0.025), arb(factor) * arb(2.5e-8), mu)


def private_up_to(epsilons: tuple[float, float, float]) -> bool:
    """Certified: all counters together are (e, delta)-DP for every e <= epsilon, delta in (0, 1],
    H, K, d_1, d_2.

    First with m = ceil(log2 K), then with m = ceil(ln K), where a user lies in at most 5/3 m
    partial sums: with b bits of K - 1, b/ceil(ln K) <= b/((b - 1) ln 2) < 5/3 for b >= 9; smaller K
    one by one. Last with ceil(log2 K) and the prefix K released too: at most 2m."""
    if not printed_noise_runs():
        return False
    counted = all(3 * (k - 1).bit_length() <= 5 * math.ceil(math.log(k)) for k in range(2, 2**9))
    tail = 5 * 8 * math.log(2) > 3 * 9  # b/(b - 1) decreases
    shapes = [
        derive_noise.zhou2022_shape(weight, 1)
        for weight in (MOST_WEIGHT, MOST_WEIGHT * 5 / 3, MOST_WEIGHT * 2)
    ]
    private = all(
        certify_shape(shape, epsilon) for shape, epsilon in zip(shapes, epsilons, strict=True)
    )
    return (
        weight_bound(MOST_WEIGHT)
        and counted
        and tail
        and 2 * worst_rate() <= shapes[0].b
        and private
    )


def tail_suffices(epsilon: float) -> bool:
    """Whether the loss of all counters exceeds ``epsilon`` with probability at most delta, at H = 1
    and w = 4.5, for delta = 4 e^(-level) with levels from ln 4 to 100.

    At distance mu it is normal with mean mu^2/2 and variance mu^2, here 2 worst_rate() epsilon^2
    over the level."""
    levels = [math.log(4) + (100 - math.log(4)) * i / 2000 for i in range(2001)]
    distances = [math.sqrt(2 * worst_rate() / level) * epsilon for level in levels]
    return all(
        math.erfc((epsilon / mu - mu / 2) / math.sqrt(2)) / 2 <= 4 * math.exp(-level)
        for mu, level in zip(distances, levels, strict=True)
    )


def worst_rate() -> float:
    """The largest c = rho ln(4H/delta)/epsilon^2 = w/(64 H^2) of all counters with the printed
    noise, at H = 1."""
    weights = [
        *(derive_noise.mixture_weight(h, rewards=True) for h in range(1, 40)),
        MOST_WEIGHT * 40,
    ]
    # the last for all larger H
    return max(
        w * math.log(8 * h) / (2 * bounds.noise_unit(h, 1, 1.0, 0.5, "printed") ** 2)
        for h, w in enumerate(weights, 1)
    )


def printed_noise_runs() -> bool:
    """Whether the noise that is certified is the printed one as the package draws it."""
    return all(
        runs(
            derive_noise.zhou2022_shape(4.0, horizon),
            lambda epsilon, delta, H=horizon: 2 / printed_zhou2022(epsilon, delta, H),  # type: ignore[misc]
        )
        for horizon in (1, 3)
    )


def linear_range(slope: float) -> bool:
    """Whether the conversion of the proof gives (epsilon, delta) for epsilon <= slope ln(4H/delta),
    every H and delta, by z3 from rho = c epsilon^2/ln(4H/delta) and slope c + 2 sqrt(c) <= 1."""
    converted = zcdp.peak() == (0, 0) and zcdp.minimiser_gap() == 0 and zcdp.negative_correction()
    # s = sqrt(c), root = sqrt(rho ln(1/delta))
    e, level, s, rho, root, most = z3.Reals("e level s rho root most")
    proof = Proof(
        e > 0,
        level > 0,
        s > 0,
        most > 0,
        rho * level == s * s * e * e,
        root >= 0,
        root * root <= rho * level,
        e <= most * level,
        most * s * s + 2 * s <= 1,
    )
    step = (
        proof.shows(root <= s * e)
        and proof.shows(rho <= most * s * s * e)
        and proof.shows(rho + 2 * root <= e)
    )
    c = worst_rate()
    return converted and weight_bound(MOST_WEIGHT) and step and slope * c + 2 * math.sqrt(c) <= 1


def closed_form(weight: float, halves: int = 2) -> bool:
    """Whether sigma_i^2 = m weight H Delta_i^2 (sqrt(L + epsilon) + sqrt(L))^2/(``halves``
    epsilon^2) suffices."""
    level, epsilon = sp.Symbol("L", positive=True), derive_noise.EPSILON
    displayed = (sp.sqrt(level + epsilon) + sp.sqrt(level)) ** 2 / (halves * epsilon**2)
    solved = sp.simplify(displayed / derive_noise.gaussian_by_zcdp(epsilon, level) ** 2) == 1
    optimal = zcdp.peak() == (0, 0) and zcdp.minimiser_gap() == 0 and zcdp.negative_correction()
    return bool(solved and optimal) and weight_bound(weight)


def running_calibrated(points: float) -> bool:
    """Whether the noise that the bounds run on, over ``points``, spends delta and no less: the
    change of all 4H counters by :func:`privrl.privacy.sensitivity.zhou2022_joint` in units of that
    very noise, which a user moves in ``levels`` nodes each, and its exact curve."""
    for horizon, levels, epsilon, delta in ((2, 5, 1.0, 1e-6), (7, 1, 0.1, 1e-3), (3, 20, 40, 0.3)):
        unit = bounds.noise_unit(horizon, levels, epsilon, delta, "corrected") / points
        sizes = {"p1": 3.0 * horizon**2, "p2": math.sqrt(3) * horizon**2, "r1": 1.0, "r2": 1.0}
        sigmas = {name: unit * size for name, size in sizes.items()}
        mu = math.sqrt(levels) * zhou2022_joint(horizon, 3, sigmas, Adjacency.REPLACE)
        spent = [accounting.gaussian_delta(epsilon, mu * near) for near in (1 - 1e-9, 1 + 1e-6)]
        if not spent[0] <= delta < spent[1]:
            return False
    return True


def overpay(epsilon: float, delta: float, horizon: int) -> float:
    """Printed noise over the smallest that gives (epsilon, delta) for all 4H counters together, one
    user replaced."""
    weight = derive_noise.mixture_weight(horizon, rewards=True)
    return (
        printed_zhou2022(epsilon, delta, horizon)
        * accounting.gaussian_mu(epsilon, delta)
        / math.sqrt(weight)
    )


def thresholds(deltas: tuple[float, ...], horizon: int) -> tuple[tuple[float, float, float], ...]:
    """(delta, epsilon when replaced, epsilon when taken out) up to which the printed noise keeps
    constant 1."""
    weights = (
        derive_noise.mixture_weight(horizon, replace=replace, rewards=True)
        for replace in (True, False)
    )
    shapes = [derive_noise.zhou2022_shape(weight, horizon) for weight in weights]
    replaced, added = shapes
    return tuple(
        (delta, derive_noise.threshold(replaced, delta), derive_noise.threshold(added, delta))
        for delta in deltas
    )


@claim("zhou2022/theorem-6.4")
def theorem_6_4() -> Records:
    """Constant 1 up to epsilon = 24.8, whatever H, K, d, delta; no constant for every epsilon."""

    separate, shared = round(user_change(2, own_start=True), 12), user_change(2, own_start=False)
    from_on = math.ceil(derive_noise.threshold(derive_noise.zhou2022_shape(shared, 2), 1e-6))
    obtuse = 2 + math.sqrt(3)  # features at 150 degrees
    sharing = 560.0  # epsilon of two users who share the first state
    worst, same = joint(299.1, 1e-6, 2, separate), joint(sharing, 1e-6, 2, shared)
    counter, rewards = share(obtuse), reward_change(2)
    tenfold = 10.0  # C
    many = 1.25 * 64 * tenfold * 2**2 * math.log(8 / 1e-6) / rewards
    pair = derive_noise.widest_pair()
    usual, slope, tiny = (1.0, 1e-6, 10), 7.0, 1e-300  # epsilon, delta, H; delta
    rests = ("zhou2022/adaptivity", "zhou2022/lemma-6.1: corrected")
    yield actions.record()
    yield zcdp.record()
    yield Trial(
        lambda aims: all(leaks(aim) for aim in aims),
        at=[
            worst,
            same,
            joint(765.0, 1e-6, 1, user_change(1, own_start=False)),
            joint(many, 1e-6, 2, rewards, tenfold),
        ],
        mutant_at=[
            [joint(298.9, 1e-6, 2, separate)],
            [joint(550.0, 1e-6, 2, shared_bound(2))],
            [joint(764.0, 1e-6, 1, shared_bound(1))],
            [joint(many, 1e-6, 2, rewards, 40.0)],
        ],
        mutant=r"a smaller $\varepsilon$ or a larger $C$",
    ).fails(
        "reading: all counters together",
        Rigor.COUNTEREXAMPLE,
        statement=r"There is a constant $C$ such that for any $\varepsilon>0$ and "
        r"$\delta\in(0,1]$, with the printed noise, all $4H$ counters together are "
        r"$(C\varepsilon,C\delta)$-DP when one user is replaced.",
        domain=r"Large $\varepsilon$ only; two users who share the first state, which section 2.2 "
        rf"does not count to a user; by balls for $C=1$ and {tenfold:g}",
        evidence=r"From the second step on each user stays in a state of her own, with features of "
        r"full length and rewards 1. The mean loss grows like $\varepsilon^2$ and passes "
        r"$C\varepsilon$ for every $C$.",
        witness=Witness(
            {
                "C": 1,
                "H": 2,
                "d1": 2,
                "d2": 2,
                "first state": "shared, there rewards 1 and 0",
                "angle of the features at step 2": f"{pair.degrees:g} degrees, Gram matrices "
                "differ on the diagonal only",
                "epsilon": sharing,
                "episode": 1,
            },
            ("as claimed delta is", 1e-6),
            ("the exact curve gives", float(same.spent.mid())),
            f"from epsilon = {from_on} on",
        ),
    )
    certified = (24.8, 15.6, 13.0)  # as printed, m = ceil(ln K), the prefix K released too
    yield Trial(
        private_up_to,
        at=certified,
        mutant_at=[
            (25.5, *certified[1:]),
            (certified[0], 16.0, certified[2]),
            (*certified[:2], 13.5),
        ],
        mutant=rf"25.5 in place of 24.8, with the squared change taken as {MOST_WEIGHT:g} at "
        rf"$H=1$, where it is at most {upwards(pair.change, 2):g}",
        raised=lambda c: (certified[0] * c, certified[1] * c, certified[2] * c),
        numbers={"certified": certified[0]},
    ).holds(
        "corrected: epsilon up to 24.8",
        Rigor.CERTIFIED,
        statement=r"With the noise of the proof all $4H$ counters together are "
        r"$(\varepsilon,\delta)$-DP, and both algorithms "
        r"$(\varepsilon,\delta)$-JDP, for every $\varepsilon\le 24.8$, $\delta\in(0,1]$, $H$, "
        r"$K$, $d_1$ and $d_2$, one user replaced, $m=\lceil\log_2K\rceil$.",
        domain="First states that differ included; coins independent of all else; nothing "
        r"released after the last episode; balls over all $\delta$ at once, smaller $\varepsilon$ "
        "and larger $H$ by monotonicity",
        evidence=r"$\varepsilon$ is split $4H$ times where all counters could share it. That "
        "outweighs sensitivities that are too small when a user is replaced: at "
        rf"$H={usual[2]}$, $\varepsilon={usual[0]:g}$, $\delta={scientific(usual[1])}$ the printed "
        rf"noise is at least {downwards(overpay(*usual), 3):g} times what they need together.",
        basis=Basis(proof="Theorem 6.4", uses=rests),
    )
    yield Trial(
        weight_bound,
        at=MOST_WEIGHT,
        mutant_at=2.4,
        mutant=r"$2.4 H$ for the sum, which is right when a user is taken out.",
        scale=lambda c: c * MOST_WEIGHT,
    ).holds(
        "step: the change of all counters",
        Rigor.KERNEL,
        statement=r"In units of the printed sensitivities the summands of one user who is replaced "
        r"change by at most $4.5 \sum_h (((H-h)/H)^4 + 1) \le 5.4 H$ in squared length, over all "
        r"counters.",
        domain=r"Every $H \ge 1$, $d_1$, $d_2$; in these units features of length at most "
        r"$(H-h)/H$ and 1, values in $[0,(H-h)/H]$ and rewards in $[0,1]$.",
        evidence=r"A pair $(a a^{\top}, a v)$ moves by at most "
        rf"${upwards(pair.change, 2):g} c^4$, as the rest is a sum of "
        r"squares; and $\sum_{j<H} j^4 \le H^5/5$.",
        basis=Basis(
            formal=Formal(
                "zhou2022_weight",
                "weight_of_a_user",
                "weight_mutant",
                ("9 / 2", "24 / 10"),
                also=("pair_at_most",),
            )
        ),
    )
    logarithms = 6.6
    yield Trial(
        linear_range,
        at=logarithms,
        mutant_at=7.0,
        mutant=r"7 in place of 6.6, at $H = 1$, $w = 4.5$ and $\delta = e^{-1000}$.",
        raised=lambda c: logarithms * c,
        numbers={"logarithms": logarithms},
    ).holds(
        "step: the printed noise in the conversion",
        Rigor.KERNEL,
        statement=r"With $\sigma_i^2 = 32 m H^2 \Delta_i^2 \ln(4H/\delta)/\varepsilon^2$ and a "
        r"squared change $w "
        r"\le 4.5 \sum_h (((H-h)/H)^4 + 1)$, the $\rho = w/(64 H^2) \cdot "
        r"\varepsilon^2/\ln(4H/\delta)$ of all counters has $\rho + 2\sqrt{\rho \ln(1/\delta)} "
        r"\le \varepsilon$ for every $\varepsilon \le 6.6 \ln(4H/\delta)$.",
        domain=r"Every $H \ge 1$, $m$, $\Delta > 0$ and $\delta \in (0, 1]$; that this is private, "
        r"for $\delta < 1$ and positive laws on a finite set with the moments of $\rho$-zCDP.",
        evidence=rf"$c = w/(64 H^2)$ is at most $9/128$, and ${logarithms:g} c + 2 \sqrt{{c}} \le "
        "1$ there.",
        basis=Basis(
            formal=Formal(
                "zhou2022_theorem_6_4",
                "printed_noise_linear_range",
                "printed_noise_not_7",
                ("66 / 10 * ln", "7 * ln"),
                also=("printed_noise_private",),
            )
        ),
    )
    yield Trial(
        tail_suffices,
        at=24.8,
        mutant_at=30.0,
        mutant=r"30 in place of 24.8, at $H = 1$, $w = 4.5$ and $\delta = 4 e^{-2}$.",
        raised=lambda c: 24.8 * c,
    ).holds(
        "step: the loss of all counters up to 24.8",
        Rigor.KERNEL,
        statement=r"With the printed noise and a squared change $w \le 4.5 \sum_h (((H-h)/H)^4 + "
        r"1)$ the loss of "
        r"all counters, normal with mean $\mu^2/2$ and variance $\mu^2 = 2\rho$, exceeds "
        r"$\varepsilon$ with probability $\Phi(\mu/2 - \varepsilon/\mu) \le \delta$ for every "
        r"$\varepsilon \le 24.8$. That suffices for $(\varepsilon, \delta)$-DP.",
        domain=r"Every $H \ge 1$, $m$, $\Delta > 0$ and $\delta \in (0, 1]$. That the "
        r"loss of Gaussian noise has this law is a premise; that the tail suffices is shown for "
        r"laws on a finite set.",
        evidence=r"For small $\ln(4H/\delta)$ by the tangent of $\Phi$ at 0, in three pieces; "
        "beyond by Mills' ratio.",
        basis=Basis(
            formal=Formal(
                "zhou2022_up_to_24_8",
                "printed_noise_up_to_24_8",
                "printed_noise_not_up_to_30",
                ("248 / 10", "30"),
                also=("printed_noise_up_to_24_8_private",),
            )
        ),
    )
    yield Trial(
        lambda slope: (
            printed_noise_runs()
            and linear_range(slope)
            and not leaks(joint(slope * LEVEL_ONE, tiny, 1, pair.change))
        ),
        at=6.6,
        mutant_at=slope,
        mutant=rf"{slope:g} in place of 6.6, which two users whose first states differ break at "
        rf"$H=1$, $\delta={scientific(tiny)}$",
        raised=lambda c: 6.6 * c,
    ).holds(
        "corrected: epsilon up to 6.6 ln(4H/delta)",
        Rigor.PROVED,
        statement=r"What holds for $\varepsilon\le 24.8$ holds for every "
        r"$\varepsilon\le 6.6\ln(4H/\delta)$ too.",
        domain="First states that differ included",
        evidence="The conversion of the proof with the largest change of all counters.",
        basis=Basis(proof="Theorem 6.4", uses=rests),
    )
    yield Trial(
        leaks,
        at=counter,
        mutant_at=[share(1.0), share(2.0), share(4.0, 2.0)],
        mutant="the printed sensitivity, which is right when a user is taken out; a Gram counter "
        "at this share; twice both shares",
    ).fails(
        "step: one counter and its share",
        Rigor.COUNTEREXAMPLE,
        statement=r"With the printed noise each counter is $(\varepsilon/4H,\delta/4H)$-DP when "
        r"one user is replaced, the constant of the proof's later $O(\varepsilon/4,\delta/4)$ "
        r"being 1.",
        domain="A vector counter, one instance",
        evidence="Replacing a user can change the vector by nearly twice the printed sensitivity. "
        "In the range of the corrected records all counters together stay within the budget.",
        witness=Witness(
            {
                "H": 10,
                "epsilon": 1,
                "delta": 1e-6,
                "share of epsilon": 0.025,
                "angle of the features": "150 degrees",
                "rewards": 1,
            },
            ("the share of delta is", 2.5e-8),
            ("the exact curve gives", float(counter.spent.mid())),
        ),
    )
    yield Trial(
        lambda case: closed_form(*case),
        at=(MOST_WEIGHT, 2),
        mutant_at=[(2.4, 2), (MOST_WEIGHT, 3)],
        mutant=r"$2.4\,H$ in place of $5.4\,H$, which is right when a user is taken out; "
        r"$3\varepsilon^2$",
        scale=lambda c: (c * MOST_WEIGHT, 2),
    ).holds(
        "corrected",
        Rigor.PROVED,
        statement=r"$\sigma_i^2=5.4\,m\,H\,\Delta_i^2\,(\sqrt{\ln(1/\delta)+\varepsilon}+\sqrt{\ln(1/\delta)})^2"
        r"/(2\varepsilon^2)$ "
        r"makes all $4H$ counters together $(\varepsilon,\delta)$-DP.",
        domain=r"Every $\varepsilon>0$, $\delta\in(0,1)$, $H$, $K$, $d_1$, $d_2$; one user "
        r"replaced, $m=\lceil\log_2K\rceil$, nothing released after the last episode",
        evidence="The conversion at the largest change of all counters, solved in symbols.",
        basis=Basis(proof="Theorem 6.4", uses=rests),
    )
    yield Trial(
        lambda points: (
            calibrated(points, 8, (1e-15, 1e-6, 1e-3, 0.3))
            and running_calibrated(points)
            and weight_attained()
        ),
        at=1.0,
        mutant_at=1 + 1e-6,
        mutant=r"noise smaller by the factor $1-10^{-6}$",
        scale=lambda c: 1 / c,
    ).holds(
        "corrected: the exact curve",
        Rigor.EXACT,
        statement=r"$\sigma_i=\sqrt{mw}\,\Delta_i/\mu(\varepsilon,\delta)$, $\mu$ from the exact "
        r"curve and $w=4.5\sum_h(((H-h)/H)^4+1)$, makes all $4H$ counters together "
        r"$(\varepsilon,\delta)$-DP.",
        domain=r"Every $H$, $K$, $d_1$ and $d_2$; by balls at 8 by 4 points, $\varepsilon$ from "
        r"0.001 to 100, $\delta$ from $10^{-15}$ to 0.3; one user replaced, "
        r"$m=\lceil\log_2K\rceil$, nothing released after the last episode",
        evidence=r"The largest change of all counters, and $\mu$ rounded down.",
        basis=Basis(proof="Theorem 6.4", uses=rests),
    )
