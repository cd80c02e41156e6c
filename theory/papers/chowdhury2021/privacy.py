"""chowdhury2021/theorem-2: what the printed noise of the two counters gives.

Taken from the paper: ||x|| <= 1, ||u|| <= gamma (lemma-2), m = ceil(log2 K) partial sums per user
(tree-levels), and sigma_i^2 = 8 m Delta_i^2 ln(2/delta)/epsilon^2, its "of about" read as equality.

In units of the printed sensitivities one user's change has squared length w, and everything is one
Gaussian release: per counter mu^2 = w epsilon^2/(8 ln(2/delta)) against (epsilon/2, delta/2), both
together with the sum of the two w against (epsilon, delta). K and H drop out. See
:mod:`theory.derive_noise` for w and
:mod:`theory.lemmas.gaussian_mechanism` for the shape and its certificates.

What these records decide is the privacy of the released counters, as the proof has it. Whether the
controls alone leak as much where the counters leak too much is open. What lies between counters and
controls is in :mod:`released`.
"""

import math

import numpy as np
import sympy as sp
from flint import arb

from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.environments.lq import lq_instance, lq_scalar
from privrl.privacy import accounting
from privrl.privacy.noise_scales.chowdhury2021 import (
    printed_chowdhury2021,
    printed_sizes_chowdhury2021,
)
from privrl.privacy.sensitivity import chowdhury2021_joint, control_sums, norm_of
from theory import derive_noise
from theory.claim import Basis, Records, Rigor, Trial, Witness, claim
from theory.formulas import downwards, scientific, upwards
from theory.lemmas import zcdp
from theory.lemmas.gaussian_mechanism import Aim, calibrated, certify_shape, leaks, runs
from theory.papers.chowdhury2021 import released
from theory.papers.chowdhury2021.bounds import Problem, noise_scale
from theory.papers.chowdhury2021.sensitivity import Instance, changes, radius
from theory.papers.chowdhury2021.system import scalar_riccati

DELTA = 1e-6  # of the instances at which the printed noise fails


def printed(epsilon: float, weight: float, parts: int) -> Aim:
    """The printed noise for :data:`DELTA` against 1/``parts`` of the budget: 2, one counter; 1,
    both together.

    ``weight`` : squared length of the change in units of the printed sensitivities"""
    mu = arb(epsilon) * (arb(weight) / (8 * (2 / arb(DELTA)).log())).sqrt()
    return Aim(arb(epsilon) / parts, arb(DELTA) / parts, mu)


def ungained(system: Instance) -> float:
    """The weight of the second counter's change between the users of a system."""
    return (changes(system)[1] / printed_sizes_chowdhury2021(system.horizon, system.gamma)[1]) ** 2


def weight_at(price: float) -> float:
    """The weight of two users, w = 0.19 against w = 0, under the optimal gains of an admissible
    scalar system with R = ``price``: a = 0.8, b = 0.04, Q = 1, H = 10, C_w = 0.19, so gamma = 0.25;
    x_1 = 1."""
    gains, totals = scalar_riccati(0.8, 0.04, 1.0, price, 10)[1], []
    for noise in (0.19, 0.0):
        x, u = np.ones((11, 1)), np.zeros((10, 1))
        for h, gain in enumerate(gains):
            u[h] = gain * x[h]
            x[h + 1] = 0.8 * x[h] + 0.04 * u[h] + noise
        totals.append(control_sums(x, u))
    printed = printed_sizes_chowdhury2021(10, 0.25)
    moved = [
        norm_of(first_sum - two, norm)
        for first_sum, two, norm in zip(*totals, ("released", "l2"), strict=True)
    ]
    return sum((change / most) ** 2 for change, most in zip(moved, printed, strict=True))


ALONE = Instance(1, 5, 0.1, 0.05, 0.02)
JOINT = Instance(1, 5, 0.01, 0.01, 0.004)
# the weight is at most 4 for gamma >= LEAST_GAMMA up to 1/LEAST_GAMMA
KAPPA = (1 + released.LEAST_GAMMA**2) / (1 + released.LEAST_GAMMA) ** 2

CERTIFIED = (
    (derive_noise.counter_shape(1.0, 0.5), 3.53),  # one counter, add/remove
    (derive_noise.chowdhury2021_shape(2.0), 11.2),  # both, add/remove
    # both, replaced, gamma in [0.05, 20]
    (derive_noise.chowdhury2021_shape(4.0), released.MOST_EPSILON),
)


def regions(scales: tuple[float, ...]) -> bool:
    """Whether every region of :data:`CERTIFIED` is certified for all delta in (0, 1], its epsilon
    times its own of the ``scales``, for the printed noise that runs."""
    return (
        runs(
            derive_noise.chowdhury2021_shape(4.0),
            lambda epsilon, delta: 2 / printed_chowdhury2021(epsilon, delta),
        )
        and all(
            certify_shape(shape, epsilon * scale)
            for (shape, epsilon), scale in zip(CERTIFIED, scales, strict=True)
        )
        and weights_hold()
    )


def weights_hold() -> bool:
    """The upper bound on w: its middle step in symbols, at most 4.5, at most 4 for gamma in [0.05,
    20], and above the exact supremum of the released sums for drawn (H, gamma)."""
    gamma = sp.Symbol("gamma", nonnegative=True)
    row = derive_noise.chowdhury2021_weights(gamma)
    gap = sp.simplify(
        row.most - row.attained - (1 - 2 * (1 + gamma**2) / (1 + gamma) ** 2) ** 2 / 2
    )
    edge = (1 + 2 * KAPPA) ** 2 / 2 <= 4
    for horizon, size in ((1, 0.0), (2, 0.1), (5, 1.0), (10, 3.0)):
        sigmas = printed_sizes_chowdhury2021(horizon, size)
        reached, most = chowdhury2021_joint(horizon, size, *sigmas)
        bound = math.sqrt(float(derive_noise.chowdhury2021_weights(size).most))
        if reached > bound * (1 + 1e-9) or reached > most * (1 + 1e-9):
            return False
    return derive_noise.completing_the_square() == 0 and gap == 0 and bool(edge)


def closed_form(weight: sp.Expr) -> bool:
    """Whether sigma_i^2 = m w Delta_i^2 (sqrt(L + epsilon) + sqrt(L))^2/(2 epsilon^2), L =
    ln(1/delta), is private.

    rho = w_max/(2 (sigma/Delta)^2/m) must not exceed (sqrt(L + epsilon) - sqrt(L))^2, which
    Bun-Steinke's conversion allows; that conversion follows from the optimal one. In symbols over
    gamma: a weight is accepted where it is at least the proved one.
    """
    gamma, level = sp.Symbol("gamma", nonnegative=True), sp.Symbol("L", positive=True)
    # raises unless it solves the conversion
    per_node = derive_noise.gaussian_by_zcdp(derive_noise.EPSILON, level)
    optimal = zcdp.peak() == (0, 0) and zcdp.minimiser_gap() == 0 and zcdp.negative_correction()
    conversion = optimal and per_node.is_positive
    slack = sp.factor(
        sp.together(sp.sympify(weight) - derive_noise.chowdhury2021_weights(gamma).most)
    )
    return bool(conversion and slack.is_nonnegative) and weights_hold()


def overpay(epsilon: float, delta: float, gamma: float) -> float:
    """Printed noise over the smallest that the upper bound on w asks for (both counters together,
    replaced)."""
    weight = float(derive_noise.chowdhury2021_weights(gamma).most)
    printed = printed_chowdhury2021(epsilon, delta)
    return printed * accounting.gaussian_mu(epsilon, delta) / math.sqrt(weight)


def running_calibrated(points: float) -> bool:
    """Whether the noise that bounds and agents run on, over ``points``, spends delta and no less:
    the change of both counters by :func:`privrl.privacy.sensitivity.chowdhury2021_joint` in units
    of that very noise, and its exact curve."""
    for system, epsilon, delta in (
        (lq_scalar(), 1.0, 1e-6),
        (lq_instance(2, 1), 0.1, 1e-3),
        (lq_instance(2, 1), 20.0, 0.3),
    ):
        H, gamma = system.horizon, system.gamma
        problem = Problem(system.states, system.controls, H, gamma, 1.0, 1.0, 0.2)
        for calibration in ("corrected", "tight"):
            tight = calibration == "tight"
            scale = noise_scale(problem, epsilon, delta, calibration)
            agent = PrivateOFURL(epsilon, delta, calibration=calibration)
            for sigmas in (
                (scale * H * (1 + gamma) ** 2, scale * H * (1 + gamma)),
                tuple(sigma / math.sqrt(7) for sigma in agent.scales(system, 7.0)),
            ):
                mu = chowdhury2021_joint(
                    H,
                    gamma,
                    sigmas[0] / points,
                    sigmas[1] / points,
                    states=system.states,
                    controls=system.controls,
                    common_start=tight,
                    last_control=not tight,
                )[1]
                spent = [
                    accounting.gaussian_delta(epsilon, mu * near) for near in (1 - 1e-9, 1 + 1e-6)
                ]
                if not spent[0] <= delta < spent[1]:
                    return False
    return True


def witness(epsilon: float, aim: Aim, system: Instance | None = None) -> Witness:
    """The point at which the printed noise for ``epsilon`` exceeds its delta."""
    size = 0.0 if system is None else downwards(radius(system), 5)
    users = (
        {"users": "changes of the printed size"}
        if system is None
        else {
            "n": 1,
            "d": 1,
            "H": system.horizon,
            "gamma": system.gamma,
            "C_A": system.small,
            "C_B": system.small,
            "C_w": 1 - system.small * (1 + system.gamma),
            "Q": system.cost,
            "R": 1,
            "policy": "u = 0",
            "users": f"states {size:g}.. at every step against {size:g}.. and -{size:g}.. in turn",
        }
    )
    return Witness(
        {"epsilon": epsilon, "delta": DELTA, **users},
        ("delta spent is at most", float(aim.delta)),
        ("it is", float(aim.spent)),
    )


@claim("chowdhury2021/theorem-2")
def theorem_2() -> Records:
    """Open for the controls; each counter alone and both together, printed sensitivities or one
    user replaced."""
    gamma = sp.Symbol("gamma", nonnegative=True)
    most = derive_noise.chowdhury2021_weights(gamma).most
    alone, joint = ungained(ALONE), ungained(JOINT)
    counter_aim, single, far = (
        printed(17.5, 1.0, 2),
        printed(1.0, alone, 2),
        printed(14.0, joint, 1),
    )
    gained = weight_at(1e-2)
    large = printed(1.0, gained, 1)
    edge = 2 * derive_noise.threshold(derive_noise.counter_shape(1.0, 0.5), DELTA / 2)
    from_on = 2 * derive_noise.threshold(derive_noise.counter_shape(alone, 0.5), DELTA / 2)
    joint_threshold = derive_noise.threshold(derive_noise.chowdhury2021_shape(joint), DELTA)
    chain = (
        "chowdhury2021/adaptivity",
        "chowdhury2021/tree-levels",
        "chowdhury2021/lemma-2: corrected",
        "chowdhury2021/sensitivity: corrected",
    )
    usual = (1.0, DELTA, 0.5)  # epsilon, delta, gamma
    greedy = {"a": 0.8, "b": 0.04, "Q": 1, "R": 0.01, "C_w": 0.19, "gamma": 0.25}
    yield from released.records()
    yield zcdp.record()
    yield Trial(
        leaks,
        at=counter_aim,
        mutant_at=printed(16.0, 1.0, 2),
        mutant=rf"$\varepsilon = 16$ at $\delta = {scientific(DELTA)}$.",
    ).fails(
        "step: each counter, changes of the printed size",
        Rigor.COUNTEREXAMPLE,
        statement=r"With the printed noise each counter is $(\varepsilon/2, \delta/2)$-DP for "
        r"every $\varepsilon$, "
        "for changes of the size that is printed.",
        domain=rf"At $\delta = {scientific(DELTA)}$ for $\varepsilon$ above "
        rf"{upwards(edge, 4):g}.",
        evidence="The exact curve. By the conversion that is cited this noise gives "
        r"$\varepsilon/2 + \varepsilon^2/(16\ln(2/\delta))$, not $\varepsilon/2$.",
        witness=witness(17.5, counter_aim),
    )
    yield Trial(
        leaks,
        at=single,
        mutant_at=printed(1.0, 1.0, 2),
        mutant=r"Changes of the printed size.",
    ).fails(
        "step: each counter, one user replaced",
        Rigor.COUNTEREXAMPLE,
        statement=r"With the printed noise each counter is $(\varepsilon/2, \delta/2)$-DP when "
        r"one user's episode "
        "is replaced.",
        domain=rf"At $\delta = {scientific(DELTA)}$ for $\varepsilon$ above "
        rf"{upwards(from_on, 2):g} in this "
        "system.",
        evidence=r"The second sum changes by more than $\Delta_2$ (sensitivity); the exact curve.",
        witness=witness(1.0, single, ALONE),
    )
    yield Trial(
        leaks,
        at=far,
        mutant_at=printed(12.0, joint, 1),
        mutant=r"$\varepsilon = 12$.",
    ).fails(
        "step: both counters together, one user replaced",
        Rigor.COUNTEREXAMPLE,
        statement=r"With the printed noise both counters together are $(\varepsilon, \delta)$-DP "
        r"for every $\varepsilon$, one user replaced.",
        domain=rf"At $\delta = {scientific(DELTA)}$ for $\varepsilon$ above "
        f"{upwards(joint_threshold, 4):g} in this system.",
        evidence="The exact curve. Whether the controls alone leak as much is open.",
        witness=witness(14.0, far, JOINT),
    )
    yield Trial(
        leaks,
        at=large,
        mutant_at=printed(1.0, weight_at(1.0), 1),
        mutant="$R = 1$.",
    ).fails(
        "step: both counters together, gains above gamma",
        Rigor.COUNTEREXAMPLE,
        statement=r"With the printed noise both counters together are $(\varepsilon, \delta)$-DP "
        r"under Assumption "
        "1.",
        domain=r"Gains that exceed $\gamma$, which Assumption 1 allows (lemma-2), and are not "
        "cut.",
        evidence=r"One user moves the first sum by more than $\Delta_1$; the exact curve.",
        witness=Witness(
            {
                "epsilon": 1.0,
                "delta": DELTA,
                "n": 1,
                "d": 1,
                "H": 10,
                **greedy,
                "x_1": 1,
                "policy": "optimal gains",
                "users": f"w = {greedy['C_w']} at every step against w = 0",
            },
            ("delta spent is at most", DELTA),
            ("it is", float(large.spent)),
        ),
    )
    yield Trial(
        regions,
        at=(1.0, 1.0, 1.0),
        mutant_at=[(1.05, 1.0, 1.0), (1.0, 1.05, 1.0), (1.0, 1.0, 1.05)],
        mutant=r"$\varepsilon$ larger by 5 %.",
        raised=lambda c: (1.0, 1.0, c),
        numbers={
            "most_epsilon": released.MOST_EPSILON,
            "least_gamma": released.LEAST_GAMMA,
            "most_gamma": 1 / released.LEAST_GAMMA,
            "usual_epsilon": usual[0],
            "usual_delta": usual[1],
            "usual_gamma": usual[2],
            "usual_overpay": downwards(overpay(*usual), 3),
        },
    ).holds(
        f"reading: both counters together up to epsilon = {released.MOST_EPSILON:g}",
        Rigor.CERTIFIED,
        statement=r"The printed noise makes both counters together $(\varepsilon, \delta)$-DP, "
        rf"one user replaced, for $\gamma$ in $[{released.LEAST_GAMMA:g}, "
        rf"{1 / released.LEAST_GAMMA:g}]$, every $H$, $K$ and $\delta$ in $(0, "
        rf"1]$ and $\varepsilon \le {released.MOST_EPSILON:g}$.",
        domain="As stated, given lemma-2.",
        evidence=r"The squared change is at most $w$ (next record), at most 4 for these $\gamma$; "
        r"then balls over all $\delta$ at once.",
        basis=Basis(proof="Both counters together", uses=chain),
    )
    yield Trial(
        closed_form,
        at=most,
        mutant_at=[sp.Integer(2), derive_noise.chowdhury2021_weights(gamma).attained],
        mutant=r"$w = 2$, that of the printed sensitivities; $w = 4\kappa$.",
        tighter={
            "half of w": most / 2,
            "0.99 of w": most * sp.Rational(99, 100),
            "w = 2": sp.Integer(2),
        },
    ).holds(
        "corrected: noise in closed form",
        Rigor.DERIVED,
        statement=r"$\sigma_i^2 = m w \Delta_i^2(\sqrt{\ln(1/\delta) + \varepsilon} + "
        r"\sqrt{\ln(1/\delta)})^2/(2\varepsilon^2)$ with $w = (1+2\kappa)^2/2$, $\kappa = "
        r"(1+\gamma^2)/(1+\gamma)^2$, makes both counters together $(\varepsilon, \delta)$-DP.",
        domain=r"Every $\varepsilon > 0$, $\delta$ in $(0, 1)$, $H$, $K$, $\gamma$, given "
        r"lemma-2; one user "
        "replaced.",
        evidence=r"$\rho = (\sqrt{L + \varepsilon} - \sqrt{L})^2$ with $L = \ln(1/\delta)$ "
        "solves the conversion; $w$ bounds every pair of users.",
        basis=Basis(proof="Both counters together", uses=chain),
    )
    yield Trial(
        lambda points: (
            calibrated(points, 12, (1e-15, 1e-9, 1e-6, 1e-3, 0.1, 0.5))
            and running_calibrated(points)
        ),
        at=1.0,
        mutant_at=1 + 1e-6,
        mutant="Noise smaller by a millionth.",
        scale=lambda c: 1 / c,
    ).holds(
        "corrected: the smallest noise of this form",
        Rigor.EXACT,
        statement=r"$\sigma_i = \sqrt{m w}\,\Delta_i/\mu(\varepsilon, \delta)$ with the exact "
        r"$\mu$ of the Gaussian mechanism is the smallest of this form for this $w$. Numbers for "
        "the corrected noise are for this one.",
        domain=r"A grid of 12 $\varepsilon$ from 0.001 to 100 and 6 $\delta$ from 1e-15 to 0.5, "
        r"by balls; one user replaced, given lemma-2.",
        evidence=r"The exact curve at $\mu$ rounded down, with the noise that agents and bounds "
        "run on.",
        basis=Basis(proof="Both counters together", uses=chain),
    )


def thresholds(deltas: tuple[float, ...], gamma: float) -> tuple[tuple[float, float, float], ...]:
    """(delta, epsilon when replaced, epsilon when taken out) up to which the printed noise is
    private for both counters together, with the upper bounds on w; for the map of the notebook. K
    and H do not enter.
    """
    row = derive_noise.chowdhury2021_weights(gamma)
    shapes = [
        derive_noise.chowdhury2021_shape(float(weight)) for weight in (row.most, row.add_remove)
    ]
    return tuple(
        (delta, *(derive_noise.threshold(shape, delta) for shape in shapes))  # type: ignore[misc]
        for delta in deltas
    )
