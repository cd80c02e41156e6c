r"""Every noise scale of the four papers, derived by sympy from its ingredients and put beside the printed one.

A noise scale has four ingredients: the sensitivity of what one node releases, the number m of nodes (or messages)
that one user touches, the share of the budget, and a rule that turns a share into noise. From each paper three
scales are made:

- ``printed``: as it stands in the paper;
- ``derived``: the paper's own ingredients and its own rule, followed to the end;
- ``needed``: with the sensitivities that one replaced user really has and the exact accounting of all releases
together.

``mu(epsilon, delta)`` is the largest mu of a Gaussian release that is (epsilon, delta)-DP; it has no closed form and
stands as a function symbol (:func:`privrl.privacy.accounting.gaussian_mu` computes it, rounded towards safety).

Privacy weights. One user's change, each counter measured in units of its printed sensitivity, has a squared length w
in all: mu^2 = m w/(sigma/Delta)^2. The theorems then read mu = epsilon/c, delta = A exp(-B c^2), the shape of
:mod:`theory.lemmas.gaussian_mechanism`, with A and B from :func:`chowdhury2021_shape`, :func:`zhou2022_shape` and
:func:`liao2021_shape`. Which w a user can have is derived at :func:`chowdhury2021_weights` and :func:`mixture_weight`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import sympy as sp

from privrl.privacy.rounding import down
from privrl.types import choice, count, positive, probability, require
from theory.lemmas.gaussian_mechanism import Shape, shape_threshold
from theory.rigor.balls import positive_beyond

EPSILON, DELTA, HORIZON, LEVELS = sp.symbols("epsilon delta H m", positive=True)
GAMMA = sp.Symbol("gamma", nonnegative=True)
DIMENSION = sp.Symbol("d", positive=True)
RELEASES = sp.Symbol("T", positive=True)
LOG = sp.Symbol("L", positive=True)
MU = sp.Function("mu")(EPSILON, DELTA)


@dataclass(frozen=True)
class NoiseScale:
    """One noise scale, in the symbols at the head of this file and L, the logarithm of the paper's display.

    Parameters
    ----------
    name : which noise, e.g. "sigma_1"
    level : what L stands for
    printed, derived, needed : see above
    ingredients : the sentence that names the four
    """

    name: str
    level: sp.Expr
    printed: sp.Expr
    derived: sp.Expr
    needed: sp.Expr
    ingredients: str

    @property
    def ratio(self) -> sp.Expr:
        """derived / printed, simplified; 1 where the paper's algebra is right."""
        return sp.simplify(self.derived / self.printed)

    @property
    def difference(self) -> sp.Expr:
        """derived - printed, simplified; 0 where the paper's algebra is right."""
        return sp.simplify(self.derived - self.printed)

    def explicit(self, which: str = "printed") -> sp.Expr:
        """One of the three expressions with L replaced by what it stands for."""
        choice("which", which, ("printed", "derived", "needed"))
        return getattr(self, which).subs(LOG, self.level)

    def latex(self) -> str:
        """The three expressions side by side."""
        parts = (("printed", self.printed), ("derived", self.derived), ("needed", self.needed))
        return r",\quad ".join(rf"{self.name}^{{\mathrm{{{label}}}}} = {sp.latex(value)}" for label, value in parts)


# ---------------------------------------------------------------------------------------------------------- the rules


def gaussian_by_zcdp(share: sp.Expr, level: sp.Expr) -> sp.Expr:
    """sigma/(sqrt(m) Delta) that Bun-Steinke's conversion needs: solve rho + 2 sqrt(rho L) = share, then 1/sqrt(2 rho).

    ``level`` is L = ln(1/delta) of that share. The positive root is sqrt(rho) = sqrt(L + share) - sqrt(L), which is
    share/(sqrt(L + share) + sqrt(L)); both are verified on symbols.
    """
    aim, log = sp.symbols("share L", positive=True)
    root = aim / (sp.sqrt(log + aim) + sp.sqrt(log))
    require(sp.simplify(sp.radsimp(root) - (sp.sqrt(log + aim) - sp.sqrt(log))) == 0, "the two forms must agree")
    defect = sp.simplify(sp.expand(sp.radsimp(root) ** 2 + 2 * sp.radsimp(root) * sp.sqrt(log) - aim))
    require(defect == 0, "the root must solve the conversion", defect=defect)
    return (sp.sqrt(level + share) + sp.sqrt(level)) / (sp.sqrt(2) * share)


def gaussian_by_square_root(share: sp.Expr, level: sp.Expr) -> sp.Expr:
    """sigma/(sqrt(m) Delta) when the linear term of the conversion is dropped: 2 sqrt(rho L) = share, the papers'
    step."""
    rho = sp.Symbol("rho", positive=True)
    (solution,) = sp.solve(2 * sp.sqrt(rho * level) - share, rho)
    return sp.sqrt(1 / (2 * solution))


def gaussian_classical(share: sp.Expr, delta: sp.Expr, sensitivity: sp.Expr) -> sp.Expr:
    """sqrt(2 ln(1.25/delta)) Delta/epsilon (liao2021/lemma-3.8)."""
    return sp.sqrt(2 * sp.log(sp.Rational(5, 4) / delta)) * sensitivity / share


# --------------------------------------------------------------------------------------------------------- the papers


@cache
def vietri2020() -> tuple[NoiseScale, ...]:
    """The Laplace scale of a node: three families share epsilon; l1 change H and log T nodes claimed, 2H and m real."""
    share = EPSILON / 3
    return (
        NoiseScale(
            "b", sp.log(RELEASES), printed=3 * HORIZON * LOG / EPSILON, derived=HORIZON * LOG / share,
            needed=2 * HORIZON * LEVELS / share,
            ingredients="l1 change H as claimed (2H when a user is replaced), log T nodes (really "
            "floor(log2(T-1)) + 1), share epsilon/3"),
    )


@cache
def chowdhury2021() -> tuple[NoiseScale, ...]:
    """sigma_1 and sigma_2: shares (epsilon/2, delta/2), zero-concentrated DP over m nodes."""
    share = EPSILON / 2
    weight = sp.sqrt(chowdhury2021_weights(GAMMA).most)
    rows = []
    for name, sensitivity in (("sigma_1", HORIZON * (1 + GAMMA) ** 2), ("sigma_2", HORIZON * (1 + GAMMA))):
        printed = sp.sqrt(8 * LEVELS * sensitivity**2 * LOG / EPSILON**2)
        require(sp.simplify(gaussian_by_square_root(share, LOG) * sp.sqrt(LEVELS) * sensitivity / printed) == 1,
                "the printed scale must be the conversion without its linear term", name=name)  # fmt: skip
        rows.append(
            NoiseScale(
                name, sp.log(2 / DELTA), printed=printed,
                derived=sp.sqrt(LEVELS) * sensitivity * gaussian_by_zcdp(share, LOG),
                needed=sp.sqrt(LEVELS) * sensitivity * weight / MU,
                ingredients="m = ceil(log2 K) nodes, share (epsilon/2, delta/2), Bun-Steinke; needed: both counters "
                "together")
        )
    return tuple(rows)


@cache
def liao2021() -> tuple[NoiseScale, ...]:
    """sigma of algorithm 1: 2H releases with (epsilon/2H, delta/2H) each, sensitivity 2H^2, the classical rule."""
    share, part = EPSILON / (2 * HORIZON), DELTA / (2 * HORIZON)
    level = sp.log(sp.Rational(5, 2) * HORIZON / DELTA)  # 1.25/part
    h = sp.Symbol("h", integer=True, positive=True)
    fourth_powers = sp.summation(h**4, (h, 1, HORIZON - 1))
    return (
        NoiseScale(
            "sigma", level, printed=4 * HORIZON**3 * sp.sqrt(2 * LOG / EPSILON),
            derived=gaussian_classical(share, part, 2 * HORIZON**2).subs(level, LOG),
            needed=sp.sqrt(sp.Rational(9, 2) * sp.factor(fourth_powers)) / MU,
            ingredients="2H releases of l2 change 2H^2 each, basic composition, classical Gaussian mechanism; needed: "
            "features with (3.1), 0 <= V_{h+1} <= H - h, all releases together"),
    )


@cache
def zhou2022() -> tuple[NoiseScale, ...]:
    """The four sigmas: shares (epsilon/4H, delta/4H), zero-concentrated DP over m nodes."""
    share, level = EPSILON / (4 * HORIZON), sp.log(4 * HORIZON / DELTA)
    h = sp.Symbol("h", integer=True, positive=True)
    weight = sp.Rational(9, 2) * (HORIZON + sp.factor(sp.summation(h**4, (h, 1, HORIZON - 1))) / HORIZON**4)
    names = (("sigma_p1", DIMENSION * HORIZON**2), ("sigma_p2", sp.sqrt(DIMENSION) * HORIZON**2),
             ("sigma_r1", sp.Integer(1)), ("sigma_r2", sp.Integer(1)))  # fmt: skip
    rows = []
    for name, sensitivity in names:
        # theorem-6.4 first sets the noise for one step, then puts epsilon/H and delta/H in place of epsilon and delta
        theorem = sp.sqrt(32 * LEVELS * sensitivity**2 * sp.log(4 / DELTA) / EPSILON**2)
        printed = theorem.subs({EPSILON: EPSILON / HORIZON, DELTA: DELTA / HORIZON}, simultaneous=True)
        displayed = HORIZON * sensitivity / EPSILON * sp.sqrt(32 * LEVELS * level)  # as in the proof of theorem-6.5
        require(sp.simplify(printed / displayed) == 1, "the two displays must agree", name=name)
        rows.append(
            NoiseScale(
                name, level, printed=displayed.subs(level, LOG),
                derived=sp.sqrt(LEVELS) * sensitivity * gaussian_by_zcdp(share, LOG),
                needed=sp.sqrt(LEVELS) * sensitivity * sp.sqrt(weight) / MU,
                ingredients="m nodes, share (epsilon/4H, delta/4H), Bun-Steinke; needed: all 4H counters together")
        )
    return tuple(rows)


# -------------------------------------------------------------------------------------------------------- the weights


class Weights(NamedTuple):
    """Squared length of one user's change in units of the printed sensitivities, both counters of chowdhury2021
    together."""

    attained: sp.Expr  # approached by an explicit pair of users when gains reach gamma, by the second counter alone
    ungained: sp.Expr  # approached by the same pair whatever the gains are
    most: sp.Expr  # an upper bound for every pair
    add_remove: sp.Expr  # an upper bound when one user is taken out


def chowdhury2021_weights(gamma: sp.Expr | float) -> Weights:
    r"""Weights for |x| <= 1 and |u| <= gamma (lemma-2), with kappa = (1 + gamma^2)/(1 + gamma)^2 in [1/2, 1].

    z = (x, u) has |z|^2 <= 1 + gamma^2. With q = 1/(1+gamma)^2, A = sum z z', B = sum z x_+' (x_+ the next state), and
    N = z.z', M = x_+.x_+' over pairs of steps of the two users,

        q^2 |A - A'|^2 + q |B - B'|^2 <= H^2 (2 kappa^2 + 2 kappa) - 2 sum (q^2 N^2 + q N M)
                                      <= H^2 (2 kappa^2 + 2 kappa + 1/2),

    because -2 q^2 N^2 - 2 q N M <= M^2/2 <= 1/2 (:func:`completing_the_square`). So w <= (1 + 2 kappa)^2/2. States that
    alternate in sign against states that do not, all of norm 1 and with gains of size gamma, leave A as it is and
    turn B into -B: w = 4 kappa; with gains near zero still w = 4/(1 + gamma)^2.
    """
    gamma = sp.sympify(gamma)
    kappa = (1 + gamma**2) / (1 + gamma) ** 2
    return Weights(4 * kappa, 4 / (1 + gamma) ** 2, (1 + 2 * kappa) ** 2 / 2, kappa**2 + kappa)


def completing_the_square() -> sp.Expr:
    """M^2/2 + 2 q^2 N^2 + 2 q N M - (M + 2 q N)^2/2, expanded; zero, so the middle step of the weights holds."""
    q, n, m = sp.symbols("q N M", real=True)
    return sp.expand(m**2 / 2 + 2 * q**2 * n**2 + 2 * q * n * m - (m + 2 * q * n) ** 2 / 2)


def fourth_powers_below() -> bool:
    """sum_{j < H} (j/H)^4 <= H/5 for every H >= 1: the closed form by sympy, and all coefficients in H - 1 positive."""
    j = sp.Symbol("j", integer=True, positive=True)
    closed = sp.summation(j**4, (j, 1, HORIZON - 1))
    gap = sp.Poly(sp.expand(30 * (HORIZON**5 / 5 - closed)), HORIZON)
    return positive_beyond([int(value) for value in reversed(gap.all_coeffs())], 1)


def mixture_weight(
    horizon: int, *, features: str = "bounded", states: int = 1, replace: bool = True, rewards: bool = False
) -> float:
    """Weight of one user of a linear mixture: sum over h of the squared change of (phi phi', phi V) in units of H^4.

    0 <= V_{h+1} <= H - h, because Q_h is cut at H - h + 1, so step h counts ((H - h)/H)^4 times

    - ``features="bounded"``: 4.5 when a user is replaced (unit vectors a, b and values v, w in [0, 1]: |aa' - bb'|^2 +
      |av - bw|^2 = 2 - 2t^2 + v^2 + w^2 - 2vwt at t = a.b, at most 4.5, at t = -1/2), 2 when taken out;
    - ``features="orthogonal"``: 4, what two users with orthogonal features attain (2 when taken out);
    - ``features="one-hot"``: S^2 + 3S, the exact supremum for liao2021/example-3.3: |phi_V| reaches sqrt(S) H, the
    noise of a
      symmetric matrix is drawn for the entries on and above the diagonal, and these change by S(S+1), the vector by 2S
      ((S^2 + 3S)/2 when taken out).

    ``rewards`` adds the two reward counters of zhou2022, whose features have norm 1 and whose weight does not shrink
    with h.
    """
    horizon, states = count("horizon", horizon), count("states", states)
    per_step = {"bounded": 4.5 if replace else 2.0, "orthogonal": 4.0 if replace else 2.0,
                "one-hot": (states**2 + 3 * states) * (1.0 if replace else 0.5)}  # fmt: skip
    require(features in per_step, f"features must be one of {', '.join(per_step)}", features=features)
    powers = sum((left / horizon) ** 4 for left in range(horizon))
    return per_step[features] * (powers + (horizon if rewards else 0))


# --------------------------------------------------------------------------------------------------------- the shapes


def _shape(a: float, b: float) -> Shape:
    return Shape(a, b, down(math.sqrt(math.log(a) / b), 1e-15) if a > 1 else 0.0)


def chowdhury2021_shape(weight: float) -> Shape:
    """Both counters together at (epsilon, delta): mu^2 = w epsilon^2/(8 ln(2/delta))."""
    return _shape(2.0, positive("weight", weight) / 8)


def counter_shape(weight: float, most_delta: float) -> Shape:
    """One counter at its share (e, d): mu^2 = w e^2/(2 ln(1/d)); d <= 1/2 for chowdhury2021, <= 1/4H for zhou2022."""
    least = math.sqrt(2 * math.log(1 / probability("most_delta", most_delta)) / positive("weight", weight))
    return Shape(1.0, weight / 2, down(least, 1e-15))


def zhou2022_shape(weight: float, horizon: int) -> Shape:
    """All 4H counters together at (epsilon, delta): mu^2 = w epsilon^2/(32 H^2 ln(4H/delta))."""
    return _shape(4.0 * count("horizon", horizon), positive("weight", weight) / (32 * horizon**2))


def liao2021_shape(weight: float, horizon: int) -> Shape:
    """One message at (epsilon, delta) with the *derived* noise: mu^2 = w epsilon^2/(32 H^2 ln(2.5 H/delta))."""
    return _shape(2.5 * count("horizon", horizon), positive("weight", weight) / (32 * horizon**2))


def liao2021_printed_mu(epsilon: float, delta: float, weight: float, horizon: int) -> float:
    """mu of one message with the *printed* noise, epsilon inside the root: mu^2 = w epsilon/(32 H^2 ln(2.5
    H/delta))."""
    level = math.log(2.5 * count("horizon", horizon) / probability("delta", delta))
    return math.sqrt(positive("weight", weight) * positive("epsilon", epsilon) / (32 * horizon**2 * level))


def threshold(shape: Shape, delta: float) -> float:
    """The largest epsilon at which a shape gives (epsilon, delta)-DP (rounded down; infinite above 10^4)."""
    return shape_threshold(shape, math.sqrt(math.log(shape.a / probability("delta", delta)) / shape.b))
