r"""chowdhury2021, Algorithm 1: what its lines read, and whether the policies are post-processing
(part of theorem-2).

The proof of theorem-2 computes the policies from the released T_1 and T_2. Line 4 reads more:
beta_k of lemma-1 holds det(I + Z'Z/lambda_min), and Z'Z is the sum before noise.

**Two data sets, the same releases, different controls.** n = d = 1, H = 2, Q = R = 1, x_1 = 1. As
long as the set of (8) holds a point with a = 0 every minimiser of (9) has a = 0 (the cost is 1 +
a^2/(1 + b^2) plus a constant), and the control is u = 0. Let all users before episode k answer with
x_2 = 0.6 and x_3 = 0.36, and replace the last one by 0.45 and 0.27: Z'Z = (g, 0) falls by 0.1575,
and noise of the last partial sum makes up for it, in T_1 and in T_2. The diagonal V = (v, w) and U
= (u_a, u_b) are then the same, the radii are not. If beta'^2 < u_a^2/v <= beta^2, the first set
holds (0, u_b/w), and the other has only points with a >= a_0 > 0; there b = 0 is no minimiser
either, as the leftmost point (a_0, u_b/w) is cheaper than every point with b = 0 when u_b != 0. So
one control is 0 and the other is not: a function of more than the releases. All numbers of noise
lie within Lambda and nu. How little this leaks is proved in :mod:`printed_radius`, up to a number
of episodes: u_a^2/v is itself noisy, and the radii differ by little.

The repair is proved in proofs.md (a radius made of releases).
"""

import bisect
import math
from typing import NamedTuple

import numpy as np
from flint import arb

from theory.claim import Basis, Records, Rigor, Trial, Verdict, Witness
from theory.formulas import downwards
from theory.papers.chowdhury2021 import bounds, printed_radius
from theory.papers.chowdhury2021.bounds import SCALAR, LQRegularity, Problem
from theory.rigor.balls import precision

PLANNED, EPSILON, DELTA, ALPHA = 10**6, 1.0, 1e-6, 0.1
# both counters together, one user replaced, gamma in [0.05, 20]: certified in privacy.py
LEAST_GAMMA, MOST_EPSILON = 0.05, 6.36
PAIR = Problem(1, 1, 2, 0.5, 1.0, 1.0, 0.15)  # C_A = 0.6, C_B = 0.5
USUAL, OTHER = (0.6, 0.36), (0.45, 0.27)  # x_2, x_3: 0.6 x, the other's first noise -0.15


class ScalarSums(NamedTuple):
    """Z'Z and Z'X of users who are all played u = 0: only their first entries are not zero."""

    gram: float
    cross: float


def sums(users: int, last: tuple[float, float]) -> ScalarSums:
    """``users`` users, all but the last with the responses :data:`USUAL`."""
    gram = (users - 1) * (1 + USUAL[0] ** 2) + 1 + last[0] ** 2
    cross = (users - 1) * (USUAL[0] + USUAL[0] * USUAL[1]) + last[0] + last[0] * last[1]
    return ScalarSums(gram, cross)


def square_radius(log_determinant: arb, regular: LQRegularity) -> arb:
    """beta_k^2 for a given n ln det."""
    root = (2 * (2 / arb(ALPHA)).log() + log_determinant).sqrt()
    return (arb(PAIR.noise) * root + arb(regular.most).sqrt() + arb(regular.nu)) ** 2


def meeting_point(regular: LQRegularity) -> int:
    """The smallest number of users for which cross^2/(gram + eta) is beta^2 or more: the set is
    about to lose a = 0."""

    def lost(users: int) -> bool:
        data = sums(users, USUAL)
        ratio = math.log1p(data.gram / regular.least)
        return (
            data.cross**2 / (data.gram + 2 * regular.least)
            >= bounds.radius(PAIR, ALPHA, regular, ratio) ** 2
        )

    return bisect.bisect_left(range(PLANNED), True, lo=2, key=lost)


def controls_differ(exact: bool) -> bool:
    """Whether two neighbouring data sets with the same T_1 and T_2 have u = 0 and u != 0 in the
    same episode, by balls; ``exact``: beta_k reads det(I + Z'Z/lambda_min), as printed, else
    det(V_k/lambda_min)."""
    regular = bounds.regularity(PAIR, PLANNED, EPSILON, DELTA, ALPHA, "printed")
    users = meeting_point(regular)
    if users >= PLANNED - 1:
        return False
    first_sums, two = sums(users, USUAL), sums(users, OTHER)
    with precision(256):
        least, shift = arb(regular.least), 2 * arb(regular.least)
        # T_1 = Z'Z of the first data set: its noise is 0
        v, w = (
            arb(first_sums.gram) + shift,
            shift,
        )
        # V = G + N + eta I does not depend on the data set; det(V/lambda_min) = v w/lambda_min^2
        logs = [
            (1 + arb(data.gram) / least).log() if exact else (v * w / least**2).log()
            for data in (first_sums, two)
        ]
        wide, narrow = (square_radius(value, regular) for value in logs)
        aim = (wide + narrow) / 2
        u_a, u_b = (aim * v).sqrt(), arb(1)
        noises = [abs(u_a - data.cross) for data in (first_sums, two)]
        event = bool(abs(arb(first_sums.gram) - two.gram) <= least) and all(
            bool((noise**2 + u_b**2) / least <= arb(regular.nu) ** 2) for noise in noises
        )
        # before this episode nothing but u = 0: f(j) = beta_j^2 - cross_j^2/v_j is concave, f(0)
        # and f(users-1) > 0
        before = sums(users - 1, USUAL)
        early = square_radius(
            (1 + arb(before.gram) / least).log()
            if exact
            else ((arb(before.gram) + shift) * shift / least**2).log(),
            regular,
        ) - arb(before.cross) ** 2 / (before.gram + shift)
        leftmost, height = u_a / v - (narrow / v).sqrt(), u_b / w
        inside = bool(leftmost**2 + height**2 < 1) and bool(height > 0)
        return (
            event
            and bool(early > 0)
            and inside
            and bool(narrow < aim)
            and bool(aim < wide)
            and bool(leftmost > 0)
        )


def released_determinant_suffices(share: float) -> bool:
    """Whether ln det(V/lambda_min) >= ln det(I + G/lambda_min) for drawn G and N >= -share Lambda
    I, V = G + N + 2 Lambda I, lambda_min = Lambda: true for share 1, as V - G - Lambda I >= 0."""
    rng = np.random.default_rng(17)
    for _ in range(200):
        p = int(rng.integers(1, 5))
        z = rng.standard_normal((6, p))
        noise = -share * np.eye(p) * rng.uniform(0.9, 1)
        gram = z.T @ z
        released = np.linalg.slogdet(gram + noise + 2 * np.eye(p))[1]
        if released < np.linalg.slogdet(np.eye(p) + gram)[1] - 1e-9:
            return False
    return True


def deterministic_suffices(factor: float) -> bool:
    """Whether factor (n+d) ln(1 + N s/((n+d) lambda)) >= ln det(I + Z'Z/lambda) for N vectors with
    |z|^2 <= s, drawn and equal in all directions (where it is an equality)."""
    rng = np.random.default_rng(23)
    for case in range(100):
        p, copies, least = (
            int(rng.integers(1, 5)),
            int(rng.integers(1, 6)),
            float(rng.uniform(0.1, 5)),
        )
        z = np.tile(np.eye(p), (copies, 1)) if case % 2 else rng.standard_normal((copies * p, p))
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        exact = np.linalg.slogdet(np.eye(p) + z.T @ z / least)[1]
        if exact > factor * p * math.log1p(len(z) / (p * least)) + 1e-9:
            return False
    return True


def width_cost(epsilon: float, episodes: int) -> tuple[float, float]:
    """By how much beta_K grows, as a share: det(V_k/lambda_min) at its largest against the
    deterministic bound, and the deterministic bound against a Gram matrix of zeros; :data:`SCALAR`,
    corrected noise."""
    regular = bounds.regularity(SCALAR, episodes, epsilon, DELTA, ALPHA)
    vectors = (episodes - 1) * SCALAR.horizon
    ratios = (
        0.0,
        bounds.log_ratio(SCALAR, vectors, regular.least),
        bounds.released_ratio(SCALAR, vectors, regular),
    )
    none, fixed, released = (bounds.radius(SCALAR, ALPHA, regular, ratio) for ratio in ratios)
    return released / fixed - 1, fixed / none - 1


def records() -> Records:
    """What stands between the counters and the controls: the theorem, its step, and the repair."""
    regular = bounds.regularity(PAIR, PLANNED, EPSILON, DELTA, ALPHA, "printed")
    users = meeting_point(regular)
    levels, planned = (0.1, 1.0, 10.0), (10**4, 10**6, 10**9)
    rows = [width_cost(e, K) for e in levels for K in planned]
    reach = printed_radius.most_episodes(SCALAR, 1.0, DELTA)
    at = {
        "n": 1,
        "d": 1,
        "H": 2,
        "Q": 1,
        "R": 1,
        "x_1": 1,
        "C_A": 0.6,
        "C_B": 0.5,
        "C_w": PAIR.noise,
        "gamma": PAIR.gamma,
        "epsilon": EPSILON,
        "delta": DELTA,
        "alpha": ALPHA,
        "K": PLANNED,
        "episode": users + 1,
    }
    yield Trial(
        controls_differ,
        at=True,
        mutant_at=False,
        mutant=r"$\det(V_k/\lambda_{\min})$ in $\beta_k$.",
        numbers={
            "most_epsilon": MOST_EPSILON,
            "least_gamma": LEAST_GAMMA,
            "most_gamma": 1 / LEAST_GAMMA,
        },
    ).undecided(
        Verdict.OPEN,
        "printed",
        Rigor.EXACT,
        statement=r"For any $\varepsilon > 0$ and $\delta \in (0, 1]$ the controls of "
        r"Private-OFU-RL are $(\varepsilon, \delta)$-JDP.",
        domain=r"Open: more episodes than in the next record, gains above $\gamma$, large "
        r"$\varepsilon$. No instance is known at which the controls break it, first states fixed. "
        r"Here and below the printed noise is that with $=$ for the paper's $\approx$.",
        evidence=r"$\beta_k$ of line 4 (lemma-1) holds $\det(I + Z_k^\top Z_k/\lambda_{\min})$, "
        "the data before noise (first step below).",
    )
    yield Trial(
        lambda case: (
            printed_radius.private(case[0])
            and printed_radius.structure(case[1])
            and printed_radius.orders_agree(case[2])
            and printed_radius.blocks_add_up(case[3])
        ),
        at=((SCALAR, 1.0, DELTA, reach), 0.1, 1.0, 1.5),
        mutant_at=[
            ((SCALAR, 1.0, DELTA, 2 * reach), 0.1, 1.0, 1.5),
            ((SCALAR, 1.0, DELTA, reach), 0.02, 1.0, 1.5),
            ((SCALAR, 1.0, DELTA, reach), 0.1, 0.3, 1.5),
            ((SCALAR, 1.0, DELTA, reach), 0.1, 1.0, 1.0),
        ],
        mutant="Twice as many episodes; 0.02 of $x$; 0.3 of the divergence of two scales; "
        "$K^2$ for $3K^2/2$ in the squared sizes of all nodes.",
    ).holds(
        "reading: the printed radius, gains within gamma, up to a number of episodes",
        Rigor.DERIVED,
        statement=r"With $\beta_k$ as printed the controls are $(\varepsilon, \delta)$-JDP where "
        r"$a R + \ln(1/(0.99 "
        r"\delta))/(a - 1) \le \varepsilon$ for some $a$ with $1 < a \le 1/(4t)$, $R = (\mu + "
        r"x)^2/(2(1 - at)) "
        r"+ Kqt^2/2$: $\mu$ "
        r"the change of both counters over all nodes, $q$ the free entries of a node, $t = "
        r"e^{2\rho} - 1$, $x = e^{2\rho}\rho(4\sqrt{m}W + Ks)$, $W$ at least $Ks$ "
        r"and the norm of $(V_k, U_k)$ at all $k$ but for a probability $\delta/100$, $s$ one "
        r"user's part of it, lengths in units of a "
        r"node's noise, and $\rho = C_w n H (1 + \gamma^2)"
        r"/(\lambda_{\min}\,\beta_1 \sqrt{2 \ln(2/\alpha)})$.",
        domain=rf"Every $n$, $d$, $H$, $\gamma$; one user replaced, given gains within $\gamma$ "
        rf"(lemma-2), a choice made from the set and public numbers alone, and first states that "
        rf"do not depend on other users' states. Scalar system "
        rf"($n = d = 1$, $H = {SCALAR.horizon}$, $\gamma = {SCALAR.gamma:g}$, $C_w = "
        rf"{SCALAR.noise:g}$), printed noise, $\varepsilon = 1$, $\delta = 10^{{-6}}$, $\alpha = "
        rf"0.1$: up to {downwards(reach, 2):.2g} episodes.",
        evidence=r"The set of (8) depends on $V_k/\beta_k^2$ and $U_k/\beta_k^2$ only: Gaussian "
        r"releases in turn, whose means and scales a change of $\beta_k^2$ moves by little.",
        basis=Basis(
            proof="The radius as printed",
            uses=(
                "chowdhury2021/lemma-2: corrected",
                "chowdhury2021/sensitivity: corrected",
                "chowdhury2021/tree-levels",
            ),
        ),
    )
    yield Trial(
        controls_differ,
        at=True,
        mutant_at=False,
        mutant=r"$\det(V_k/\lambda_{\min})$ in $\beta_k$.",
    ).fails(
        "step: the policies are computed from the released statistics",
        Rigor.COUNTEREXAMPLE,
        statement=r"With $\beta_k$ of lemma-1 the policies are a function of the released sums "
        r"$T_1$, $T_2$ (of $z z^\top$ and $z x_+^\top$, with noise) and public numbers.",
        domain="Printed noise, within the event of Assumption 2, one user replaced.",
        evidence=r"The replaced user moves $Z^\top Z$; noise that makes up for it gives the same "
        "$T_1$ and $T_2$, but two radii. One set holds a point with $a = 0$, so $u = 0$; the other "
        "does not (balls).",
        witness=Witness(
            at, ("number of different first controls for the same releases", 1), ("it is", 2)
        ),
    )
    yield Trial(
        lambda case: (
            released_determinant_suffices(case[0])
            and deterministic_suffices(case[1])
            and max(map(max, rows)) < case[2]
        ),
        at=(1.0, 1.0, 5e-3),
        mutant_at=[(1.5, 1.0, 5e-3), (1.0, 0.9, 5e-3), (1.0, 1.0, 1e-3)],
        mutant=r"$H_k \ge \lambda_{\min} I/2$ only; 0.9 of the deterministic term; a smaller "
        r"widening of $\beta_K$ in the scalar system than there is.",
        scale=lambda c: (1.0, c, 5e-3),
    ).holds(
        "corrected: a radius that reads releases only",
        Rigor.DERIVED,
        statement=r"Under Assumption 1 replace $\ln\det(I + Z^\top Z/\lambda_{\min})$ in "
        r"$\beta_k$ by "
        r"$\ln\det(V_k/\lambda_{\min})$ or $(n+d)\ln(1 + "
        r"(k-1)H(1+\gamma^2)/((n+d)\lambda_{\min}))$, or the smaller one; cut controls or gains "
        r"at $\gamma$; take (9) as corrected in equation-9; play any fixed policy where $V_k$ "
        r"is not positive definite or the set is empty. Then Private-OFU-RL with corrected noise "
        r"is $(\varepsilon, \delta)$-JDP, "
        "and lemma-1 holds as corrected.",
        domain=r"Every $\varepsilon > 0$, $\delta$ in $(0, 1)$, $K \ge 2$, $H$, $\gamma$; first "
        r"states that do not "
        "depend on other users' states; each partial sum is noised once.",
        evidence=r"$T_1$ and $T_2$ are $(\varepsilon, \delta)$-DP together, and the policies are "
        "functions of them; then the billboard lemma.",
        basis=Basis(
            proof="A radius made of releases",
            uses=(
                "chowdhury2021/theorem-2: corrected: noise in closed form",
                "chowdhury2021/lemma-1: corrected",
                "chowdhury2021/equation-9: corrected",
            ),
        ),
    )
    yield Trial(
        # the control of one and the same released gain tells x_{k,2} = 0 from 1/2
        lambda adaptive: -0.3 * (0.0 if adaptive else 1.0) != -0.3 * (0.5 if adaptive else 1.0),
        at=True,
        mutant_at=False,
        mutant=r"$x_{k+1,1} = 1$.",
    ).fails(
        "reading: first states chosen by an adversary who sees the states",
        Rigor.COUNTEREXAMPLE,
        statement=r"The guarantee holds when $x_{k+1,1}$ is chosen with knowledge of the states "
        r"of user $k$.",
        domain=r"$n = d = 1$, where $P(K_1 \ne 0) > \delta$ in episode $k + 1$.",
        evidence="$u = K_1x_1$ shows whether $x_1$ is 0. The paper adds 'can possibly be chosen by "
        "an adversary'.",
        witness=Witness(
            {
                "n": 1,
                "d": 1,
                "released gain": -0.3,
                "first state of user k + 1": "second state of user k",
                "second state of user k": "0 or 1/2",
            },
            ("controls of user k + 1 differ by", 0.0),
            ("they differ by", 0.15),
        ),
    )
