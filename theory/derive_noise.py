r"""Every noise scale of the four papers, derived by sympy step by step and put beside the printed
one.

A noise scale follows from four ingredients: how far one user moves what is released (the
sensitivity), how many released numbers hold her, her share of the budget, and an equation that says
what noise costs: :func:`laplace`,
:func:`zcdp` (:func:`linear_dropped` leaves rho out), :func:`gaussian`, :func:`classical`.


:func:`derive` puts them in a row for a paper. Three scales come out: ``printed``, as it stands in
the paper; ``derived``, the paper's own ingredients and its own equation, solved; ``needed``, with
the sensitivities that one replaced user really has and all releases together, by the exact curve.
Its largest admissible ``mu(epsilon, delta)`` has no closed form and stands as a function symbol
(:func:`privrl.privacy.accounting.gaussian_mu` computes it). The numbers that agents and ``privrl
sigma`` use stand in
:mod:`privrl.privacy.noise`; tests hold the two against each other.

Privacy weights. One user's change, each counter measured in units of its printed sensitivity, has a
squared length w in all: mu^2 = m w/(sigma/Delta)^2. The theorems then read mu = epsilon/c, delta =
A exp(-B c^2), the shape of
:mod:`theory.lemmas.gaussian_mechanism`, with A and B from :func:`chowdhury2021_shape`,
:func:`zhou2022_shape` and
:func:`liao2021_shape`. Which w a user can have is derived at :func:`chowdhury2021_weights` and
:func:`mixture_weight`.
"""

import importlib.util
import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import sympy as sp

from privrl.checks import choice, count, positive, probability, require
from privrl.privacy import noise
from privrl.privacy.rounding import down
from theory.lemmas.gaussian_mechanism import Shape, shape_threshold
from theory.rigor.balls import positive_beyond

EPSILON, DELTA, HORIZON, LEVELS = sp.symbols("epsilon delta H m", positive=True)
DIMENSION, RELEASES, LOG, RHO, SCALE, SIGMA = sp.symbols("d T L rho b sigma", positive=True)
GAMMA = sp.Symbol("gamma", nonnegative=True)
MU = sp.Function("mu")(EPSILON, DELTA)


class Step(NamedTuple):
    """One line of a derivation: what it says, and the formula or equation that sympy has for it."""

    words: str
    formula: sp.Basic


@dataclass(frozen=True)
class NoiseScale:
    """One noise scale, in the symbols at the head of this file and L, the logarithm of the paper's
    display."""

    name: str  #: which noise, e.g. "sigma_1"
    level: sp.Expr  #: what L stands for
    printed: sp.Expr
    derived: sp.Expr
    required: sp.Expr
    #: from the sensitivity to the paper's display, then with its slip repaired
    steps: tuple[Step, ...]

    @property
    def ratio(self) -> sp.Expr:
        """derived / printed, simplified; 1 where the paper's algebra is right."""
        return sp.simplify(self.derived / self.printed)

    def explicit(self, which: str = "printed") -> sp.Expr:
        """One of the three expressions with L replaced by what it stands for."""
        choice("which", which, ("printed", "derived", "needed"))
        return getattr(self, which).subs(LOG, self.level)


def _solved(equation: sp.Eq, unknown: sp.Symbol) -> sp.Expr:
    """The one positive solution of an equation; sympy finds it, and it is put back in."""
    roots = [root for root in sp.solve(equation, unknown) if root.is_positive is not False]
    require(
        len(roots) == 1,
        "a privacy equation must have one positive solution",
        equation=str(equation),
    )
    gap = sp.simplify((equation.lhs - equation.rhs).subs(unknown, roots[0]))
    require(gap == 0, "the solution must solve the equation", gap=str(gap))
    return roots[0]


def laplace(change: sp.Expr, nodes: sp.Expr, share: sp.Expr) -> tuple[sp.Eq, sp.Expr]:
    """The largest ratio of densities that one user causes, set equal to her share; and the scale b
    that solves it."""
    equation = sp.Eq(sp.exp(nodes * change / SCALE), sp.exp(share))
    return equation, _solved(sp.Eq(nodes * change / SCALE, share), SCALE)


def zcdp(share: sp.Expr, level: sp.Expr) -> tuple[sp.Eq, sp.Expr]:
    """Bun and Steinke's conversion, rho + 2 sqrt(rho L) = share with L = ln(1/delta); and the rho
    that solves it.

    It is a quadratic in sqrt(rho); its positive root sqrt(L + share) - sqrt(L) is written without a
    difference.
    """
    root = sp.Symbol("r", positive=True)
    solution = _solved(sp.Eq(root**2 + 2 * root * sp.sqrt(level), share), root)
    closed = share / (sp.sqrt(level + share) + sp.sqrt(level))
    require(
        sp.simplify(sp.radsimp(closed - solution)) == 0,
        "the two forms must agree",
        solution=str(solution),
    )
    return sp.Eq(RHO + 2 * sp.sqrt(RHO * level), share), closed**2


def linear_dropped(share: sp.Expr, level: sp.Expr) -> tuple[sp.Eq, sp.Expr]:
    """The conversion without its linear term, 2 sqrt(rho L) = share: the papers' displays follow
    from it."""
    equation = sp.Eq(2 * sp.sqrt(RHO * level), share)
    return equation, _solved(equation, RHO)


def gaussian(rho: sp.Expr, change: sp.Expr, nodes: sp.Expr) -> tuple[sp.Eq, sp.Expr]:
    """rho = m Delta^2/(2 sigma^2), the cost of m sums with noise sigma that one user moves by
    Delta; and sigma."""
    cost = nodes * change**2 / (2 * SIGMA**2)
    return sp.Eq(RHO, cost), _solved(sp.Eq(RHO, cost), SIGMA).subs(RHO, rho)


def classical(change: sp.Expr, share: sp.Expr, delta: sp.Expr) -> tuple[sp.Eq, sp.Expr]:
    """The classical Gaussian mechanism (liao2021/lemma-3.8) as an equation, and the sigma that
    solves it."""
    equation = sp.Eq(change * sp.sqrt(2 * sp.log(sp.Rational(5, 4) / delta)) / SIGMA, share)
    return equation, _solved(equation, SIGMA)


def gaussian_by_zcdp(share: sp.Expr, level: sp.Expr) -> sp.Expr:
    """sigma/(sqrt(m) Delta) that Bun-Steinke's conversion needs; ``level`` is L = ln(1/delta) of
    that share."""
    return sp.simplify(gaussian(zcdp(share, level)[1], sp.Integer(1), sp.Integer(1))[1])


@cache
def derive(paper: str) -> tuple[NoiseScale, ...]:
    """The noise scales of a paper with the steps that lead to them.

    Each paper's own is ``theory/papers/ID/noise_derivation.py``: ``noise_scales()``.

    Raises
    ------
    ValueError
        A paper without that file; a step that sympy does not confirm.
    """
    choice("paper", paper, noise.PAPERS)
    name = f"theory.papers.{paper}.noise_derivation"
    exists = importlib.util.find_spec(f"theory.papers.{paper}") and importlib.util.find_spec(name)
    require(
        exists is not None,
        f"paper must be one with theory/papers/{paper}/noise_derivation.py",
        paper=paper,
    )
    scales: tuple[NoiseScale, ...] = importlib.import_module(name).noise_scales()
    return scales


def compared(name: str, printed: sp.Expr, derived: sp.Expr) -> tuple[Step, Step]:
    """The last two steps: the display, and what the solution has more."""
    return (
        Step("the paper's display", sp.Eq(sp.Symbol(name), printed)),
        Step("the solution minus the display", sp.simplify(derived - printed)),
    )


def by_zcdp(
    name: str,
    change: sp.Expr,
    share: sp.Expr,
    level: sp.Expr,
    printed: sp.Expr,
    weight: sp.Expr,
    words: tuple[str, str, str],
) -> NoiseScale:
    """A Gaussian scale by zero-concentrated privacy over m nodes; ``words``: on change, share, and
    all together."""
    change_words, spent, together = words
    equation, rho = zcdp(share, LOG)
    dropped, most = linear_dropped(share, LOG)
    cost, sigma = gaussian(RHO, change, LEVELS)
    without = sigma.subs(RHO, most)
    require(
        sp.simplify(without / printed) == 1,
        "the printed scale must be the conversion without its linear term",
        name=name,
    )
    derived = sp.sqrt(LEVELS) * change * gaussian_by_zcdp(share, LOG)
    required = sp.sqrt(LEVELS) * change * sp.sqrt(weight) / MU
    steps = (
        Step(change_words, sp.Eq(sp.Symbol("Delta"), change)),
        Step("her episode stands in m noisy sums, which together cost", cost),
        Step(spent, sp.Eq(sp.Symbol("share"), share)),
        Step(f"the conversion, with L = {level}", equation),
        Step("solved for rho", sp.Eq(RHO, rho)),
        Step("the cost solved for the noise", sp.Eq(SIGMA, sigma)),
        Step("together", sp.Eq(SIGMA, derived)),
        *compared(name, printed, derived),
        Step("where the difference comes from: without the linear term the conversion is", dropped),
        Step("and the noise is the paper's display", sp.Eq(SIGMA, sp.simplify(without))),
        Step(f"repaired: {together}", sp.Eq(SIGMA, required)),
    )
    return NoiseScale(name, level, printed, derived, required, steps)


class StatisticWeights(NamedTuple):
    """Squared length of one user's change in units of the printed sensitivities, both counters
    together."""

    #: approached by an explicit pair of users when gains reach gamma, by the second counter alone
    attained: sp.Expr
    ungained: sp.Expr  #: approached by the same pair whatever the gains are
    most: sp.Expr  #: an upper bound for every pair
    add_remove: sp.Expr  #: an upper bound when one user is taken out


def chowdhury2021_weights(gamma: sp.Expr | float) -> StatisticWeights:
    r"""Weights for |x| <= 1 and |u| <= gamma (lemma-2), with kappa = (1 + gamma^2)/(1 + gamma)^2 in
    [1/2, 1].

    w <= (1 + 2 kappa)^2/2 is proved in chowdhury2021's proofs.md ("Both counters together"). States
    that alternate in sign against states that do not, all of norm 1 and with gains of size gamma,
    leave sum z z' as it is and turn the sum of z x_+' into its negative: w = 4 kappa; with gains
    near zero still w = 4/(1 + gamma)^2.
    """
    gamma = sp.sympify(gamma)
    kappa = (1 + gamma**2) / (1 + gamma) ** 2
    return StatisticWeights(
        4 * kappa, 4 / (1 + gamma) ** 2, (1 + 2 * kappa) ** 2 / 2, kappa**2 + kappa
    )


def completing_the_square() -> sp.Expr:
    """M^2/2 + 2 q^2 N^2 + 2 q N M - (M + 2 q N)^2/2, expanded; zero, so the middle step of the
    weights holds."""
    q, n, m = sp.symbols("q N M", real=True)
    return sp.expand(m**2 / 2 + 2 * q**2 * n**2 + 2 * q * n * m - (m + 2 * q * n) ** 2 / 2)


def fourth_powers_below() -> bool:
    """sum_{j < H} (j/H)^4 <= H/5 for every H >= 1: the closed form by sympy, and all coefficients
    in H - 1 positive."""
    j = sp.Symbol("j", integer=True, positive=True)
    closed = sp.summation(j**4, (j, 1, HORIZON - 1))
    gap = sp.Poly(sp.expand(30 * (HORIZON**5 / 5 - closed)), HORIZON)
    return positive_beyond([int(value) for value in reversed(gap.all_coeffs())], 1)


def pair_defect() -> sp.Expr:
    """4.5 - |aa' - bb'|^2 - |av - bw|^2 minus a sum of terms that are >= 0 for |a|, |b|, v, w in
    [0, 1]; zero, so that
    4.5 bounds a step's squared change for all of them. x = |a|, y = |b|, t the cosine."""
    x, y, v, w, t = sp.symbols("x y v w t", real=True)
    change = (
        x**4 + y**4 - 2 * (x * y * t) ** 2 + (x * v) ** 2 + (y * w) ** 2 - 2 * x * y * v * w * t
    )
    parts = (
        (1 - x**4) + (1 - y**4) + (1 - (x * v) ** 2) + (1 - (y * w) ** 2) + (1 - (v * w) ** 2) / 2
    )
    return sp.expand(sp.Rational(9, 2) - change - parts - 2 * (x * y * t + v * w / 2) ** 2)


class WidestPair(NamedTuple):
    """The two unit features, values 1, whose pair of sums differs most."""

    degrees: float  #: the angle between them
    change: float  #: |aa' - bb'|^2 + |a - b|^2 there
    orthogonal: float  #: the same at a right angle


def widest_pair() -> WidestPair:
    """The angle at which a step's squared change, of the cosine t, is stationary, in symbols; it
    must be the 4.5 of :func:`pair_defect`."""
    t = sp.Symbol("t", real=True)
    change = 2 * (1 - t**2) + 2 * (1 - t)
    (cosine,) = sp.solve(sp.diff(change, t), t)
    most = float(change.subs(t, cosine))
    require(most == 4.5, "the largest change must be the one that is proved", change=most)
    return WidestPair(round(math.degrees(math.acos(cosine)), 9), most, float(change.subs(t, 0)))


def mixture_weight(
    horizon: int,
    *,
    features: str = "bounded",
    states: int = 1,
    replace: bool = True,
    rewards: bool = False,
) -> float:
    """Weight of one user of a linear mixture: sum over h of the squared change of (phi phi', phi V)
    in units of H^4.

    0 <= V_{h+1} <= H - h, because Q_h is cut at H - h + 1, so step h counts ((H - h)/H)^4 times

    - ``features="bounded"``: 4.5 when a user is replaced (unit vectors a, b and values v, w in [0,
      1]: |aa' - bb'|^2 +
      |av - bw|^2 = 2 - 2t^2 + v^2 + w^2 - 2vwt at t = a.b, at most 4.5, at t = -1/2), 2 when taken
      out;
    - ``features="orthogonal"``: 4, what two users with orthogonal features attain (2 when taken
      out);
    - ``features="one-hot"``: S^2 + 3S, the exact supremum for liao2021/example-3.3: |phi_V| reaches
      sqrt(S) H, the noise of a symmetric matrix is drawn on and above the diagonal, where entries
      change by S(S+1), the vector by 2S ((S^2 + 3S)/2 when taken out).

    ``rewards`` adds zhou2022's two reward counters, of norm 1 and a weight that does not shrink
    with h.
    """
    horizon, states = count("horizon", horizon), count("states", states)
    per_step = {
        "bounded": 4.5 if replace else 2.0,
        "orthogonal": 4.0 if replace else 2.0,
        "one-hot": (states**2 + 3 * states) * (1.0 if replace else 0.5),
    }
    require(
        features in per_step, f"features must be one of {', '.join(per_step)}", features=features
    )
    powers = sum((remaining / horizon) ** 4 for remaining in range(horizon))
    return per_step[features] * (powers + (horizon if rewards else 0))


def _shape(a: float, b: float) -> Shape:
    return Shape(a, b, down(math.sqrt(math.log(a) / b), 1e-15) if a > 1 else 0.0)


def chowdhury2021_shape(weight: float) -> Shape:
    """Both counters together at (epsilon, delta): mu^2 = w epsilon^2/(8 ln(2/delta))."""
    return _shape(2.0, positive("weight", weight) / 8)


def counter_shape(weight: float, most_delta: float) -> Shape:
    """One counter at its share (e, d): mu^2 = w e^2/(2 ln(1/d)); d <= 1/2 for chowdhury2021, <=
    1/4H for zhou2022."""
    least = math.sqrt(
        2 * math.log(1 / probability("most_delta", most_delta)) / positive("weight", weight)
    )
    return Shape(1.0, weight / 2, down(least, 1e-15))


def zhou2022_shape(weight: float, horizon: int) -> Shape:
    """All 4H counters together at (epsilon, delta): mu^2 = w epsilon^2/(32 H^2 ln(4H/delta))."""
    return _shape(4.0 * count("horizon", horizon), positive("weight", weight) / (32 * horizon**2))


def liao2021_shape(weight: float, horizon: int) -> Shape:
    """One message at (epsilon, delta) with the *derived* noise: mu^2 = w epsilon^2/(32 H^2 ln(2.5
    H/delta))."""
    return _shape(2.5 * count("horizon", horizon), positive("weight", weight) / (32 * horizon**2))


def liao2021_printed_mu(epsilon: float, delta: float, weight: float, horizon: int) -> float:
    """mu of one message with the *printed* noise, epsilon in the root: mu^2 = w epsilon/(32 H^2
    ln(2.5 H/delta))."""
    level = math.log(2.5 * count("horizon", horizon) / probability("delta", delta))
    return math.sqrt(
        positive("weight", weight) * positive("epsilon", epsilon) / (32 * horizon**2 * level)
    )


def threshold(shape: Shape, delta: float) -> float:
    """The largest epsilon at which a shape gives (epsilon, delta)-DP (rounded down; infinite above
    10^4)."""
    return shape_threshold(
        shape, math.sqrt(math.log(shape.a / probability("delta", delta)) / shape.b)
    )
