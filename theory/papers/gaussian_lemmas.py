"""The concentration lemmas that chowdhury2021 (9 to 13) and zhou2022 (B.1 to B.5) share: one check,
two ids.

The proofs stand in :mod:`theory.lemmas.gaussian_matrix` and :mod:`theory.lemmas.chi_square`.
"""

import math

import numpy as np
import sympy as sp
from flint import arb

from privrl.types import FloatArray
from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.lemmas import chi_square, gaussian_matrix
from theory.rigor.kernel import Formal
from theory.rigor.sampling import refutes_at_most

PAIRS = 200  # of processes with three variables
COLUMNS, THRESHOLDS = 64, 60  # m x 1 matrices at t = 1/2, 1, .., 30
SIZES = (2, 4, 8, 16, 32, 64)  # n of the matrices that are sampled
LARGEST_X = 60.0  # of the tails that are certified by balls
SAMPLES = 400  # of each size

SEED = 20211


def _increments(covariance: FloatArray) -> FloatArray:
    return np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance


def _comparison_holds(means: tuple[float, float]) -> bool:
    """Whether entrywise smaller increments give a smaller expected maximum, on drawn pairs with
    these means."""
    rng = np.random.default_rng(SEED)
    for _ in range(PAIRS):
        root = rng.standard_normal((3, 3))
        larger = _increments(root @ root.T)
        shrink = rng.uniform(0, 1, 3)
        # a part of each independent source
        smaller = _increments((root * shrink) @ (root * shrink).T)
        sides = [
            gaussian_matrix.expected_maximum(x, mean)
            for x, mean in zip((smaller, larger), means, strict=True)
        ]
        if not (smaller <= larger + 1e-12).all() or sides[0] > sides[1] + 1e-12:
            return False
    return True


@claim("chowdhury2021/lemma-9")
@claim("zhou2022/lemma-B.1")
def slepian() -> Records:
    """False for processes with means, as it is printed; for centred ones proved for finite index
    sets."""
    proved = all(gaussian_matrix.interpolation_identity(size) == 0 for size in (2, 3))
    yield Trial(
        lambda means: means[0] > means[1],
        at=(1.0, 0.0),
        mutant_at=(0.0, 0.0),
        mutant="Both processes centred.",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement="Smaller increments give a smaller expected supremum, for any two Gaussian "
        "processes.",
        domain="Processes with means; one index is enough.",
        evidence="The word 'centred' is missing. The cited source has it.",
        severity=Severity.WORDING,
        witness=Witness(
            {"index set": "{t}", "X_t": 1, "Y_t": 0, "both increments": 0},
            ("E sup X is at most E sup Y =", 0),
            ("E sup X =", 1),
        ),
    )
    yield Trial(
        lambda means: proved and _comparison_holds(means),
        at=(0.0, 0.0),
        mutant_at=(1.0, 0.0),
        mutant="$X$ with mean 1 and $Y$ with mean 0.",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement="For centred processes, as in the cited source, smaller increments give a "
        "smaller expected supremum.",
        domain="Every finite index set; the spheres of the proofs are reached through finite nets.",
        evidence="Interpolation: the derivative of the smoothed maximum is a combination of "
        r"increments with weights $p_i p_j \ge 0$.",
        basis=Basis(proof="The Sudakov-Fernique inequality"),
    )


POINTS, QUARTERS = 160, 4
REACH = 30.0  # t/sigma up to which the norm is certified


def _linear_tail(variance: float) -> bool:
    """Whether P(N(0, 1) >= t) <= exp(-t^2/(2 variance)) for t = 1/4, 1/2, .., 40: the extreme
    Lipschitz functions."""
    steps = (arb(k) / QUARTERS for k in range(1, POINTS + 1))
    return all(
        bool((t / arb(2).sqrt()).erfc() / 2 <= (-t * t / (2 * arb(variance))).exp()) for t in steps
    )


@claim("chowdhury2021/lemma-10")
@claim("zhou2022/lemma-B.2")
def gaussian_concentration() -> Records:
    """Cited in general; certified for the functions by which the other lemmas use it."""
    yield Trial(
        lambda variance: (
            _linear_tail(variance)
            and all(
                gaussian_matrix.norm_concentration(d, REACH, variance=variance) >= REACH
                for d in range(1, COLUMNS + 1)
            )
        ),
        at=1.0,
        mutant_at=0.9,
        mutant=r"$\exp(-t^2/(1.8\sigma^2))$ for $\exp(-t^2/(2\sigma^2))$.",
        scale=lambda c: c,
    ).holds(
        "printed",
        Rigor.CITED,
        domain=f"Every 1-Lipschitz function (cited); by balls coordinates at {POINTS} points up to "
        rf"$t/\sigma = {POINTS // QUARTERS}$, and the Euclidean norm for dimensions 1 to {COLUMNS} "
        rf"and $t/\sigma$ in $[0, {REACH:g}]$.",
        evidence="Ledoux (2001), proposition 2.18.",
    )


def _columns_hold(factor: float) -> bool:
    """m x 1 matrices exactly: P(chi_m >= factor (sqrt(m) + 1 + t)) <= exp(-t^2/2) for m = 1..64, t
    = 1/2..30."""

    def fits(m: int, t: float) -> bool:
        threshold = arb(factor) * (arb(m).sqrt() + 1 + arb(t))
        return bool(
            (threshold**2 / 2).gamma_upper(arb(m) / 2, regularized=1) <= (-(arb(t) ** 2) / 2).exp()
        )

    return all(fits(m, k / 2) for m in range(1, COLUMNS + 1) for k in range(1, THRESHOLDS + 1))


@claim("chowdhury2021/lemma-11")
@claim("zhou2022/lemma-B.3")
def rectangular() -> Records:
    """Each displayed step of the proof, and the exact law for one column."""
    steps = all(
        gaussian_matrix.rectangular_increment_identity(m, n) == 0
        for m, n in ((1, 1), (1, 2), (2, 2), (3, 2))
    )
    means = all(
        bool(size <= root) for size, root in map(gaussian_matrix.mean_norm_steps, range(1, 65))
    )
    yield Trial(
        lambda factor: steps and means and _columns_hold(factor),
        at=1.0,
        mutant_at=0.9,
        mutant="The whole bound times 0.9.",
        scale=lambda c: c,
    ).holds(
        "printed",
        Rigor.DERIVED,
        domain=r"Every $m$, $n$, $\sigma$ and $t > 0$, given the Sudakov-Fernique inequality and "
        "Gaussian concentration.",
        evidence=r"The increments are those of the display, since $2(u^\top u' - 1)(1 - v^\top "
        r"v') \le 0$, and the operator norm is 1-Lipschitz.",
        basis=Basis(
            proof="Norm of a rectangular Gaussian matrix",
            uses=("chowdhury2021/lemma-9: corrected", "chowdhury2021/lemma-10"),
        ),
    )


def _broken(bound: tuple[float, float], t: int) -> bool:
    """Whether a sqrt(n) + b t is exceeded too often at n = 64 and this t, by the entry sum alone
    (balls)."""
    return bool(
        gaussian_matrix.tail_below(SIZES[-1], math.sqrt(SIZES[-1]) * bound[0] + t * bound[1])
        > 2 * (-(arb(t) ** 2) / 2).exp()
    )


def _sampled(bound: tuple[float, float]) -> bool:
    """Whether no sample refutes P(||A|| >= a sqrt(n) + b t) <= 2 exp(-t^2/2), n = 2, 4, .., 64,
    right side 1/2."""
    rng, t = np.random.default_rng(SEED), math.sqrt(2 * math.log(4))
    sampled = ((n, gaussian_matrix.sample_norms(n, SAMPLES, rng)) for n in SIZES)
    return not any(
        refutes_at_most(int((norms >= bound[0] * math.sqrt(n) + bound[1] * t).sum()), SAMPLES, 0.5)
        for n, norms in sampled
    )


def _exact_small(bound: tuple[float, float]) -> bool:
    """The exact laws for n = 1 and 2 against 2 exp(-t^2/2) at t = 0.1, 0.2, .., 6."""
    return all(
        gaussian_matrix.exact_exceedance(n, bound[0] * math.sqrt(n) + bound[1] * t)
        <= 2 * math.exp(-t * t / 2)
        for n in (1, 2)
        for t in (k / 10 for k in range(1, 61))
    )


@claim("chowdhury2021/lemma-12")
@claim("zhou2022/lemma-B.4")
def symmetric() -> Records:
    """The printed bound, by a sharper one at the same probability; the step through triangles,
    repaired."""
    identities = gaussian_matrix.increment_step() and all(
        gaussian_matrix.increment_identity(n) == 0 == gaussian_matrix.gradient_identity(n)
        for n in (1, 2, 3)
    )
    less, longest = 0.69, 1000
    chain = ("chowdhury2021/lemma-9: corrected", "chowdhury2021/lemma-10")
    yield Trial(
        # f (4 sqrt(n) + 2t) >= 2 sqrt(n) + sqrt(2 - 1/n) t for all n and t, from the coefficients
        lambda factors: (
            identities
            and 4 * factors[0] >= 2
            and 2 * factors[1] >= math.sqrt(2)
            and _exact_small((4 * factors[0], 2 * factors[1]))
            and not _broken((4 * factors[1], 2 * factors[1]), longest)
        ),
        at=(1.0, 1.0),
        mutant_at=(less, less),
        mutant="The whole bound times 0.69.",
        scale=lambda c: (c, c),
    ).holds(
        "printed",
        Rigor.DERIVED,
        domain=r"Every $n$, $\sigma$ and $t > 0$, given the Sudakov-Fernique "
        r"inequality and Gaussian concentration.",
        evidence=r"By the next record it holds with the factor $\sqrt{1/2}$. The printed proof "
        "applies the rectangular lemma to triangles, which have zeros; the step is sound because a "
        "triangle is a conditional mean of the full matrix.",
        basis=Basis(
            proof="Norm of a symmetric Gaussian matrix",
            uses=("chowdhury2021/lemma-12: reading: sharper constants",),
        ),
    )
    yield Trial(
        lambda bound: not _broken(bound, 10**5) and _exact_small(bound) and _sampled(bound),
        at=(2.0, math.sqrt(2)),
        mutant_at=[(1.6, math.sqrt(2)), (2.0, 1.4)],
        mutant=r"$1.6\sigma\sqrt{n}$ for $2\sigma\sqrt{n}$; $1.4\,t$ for $\sqrt{2}\,t$.",
        scale=lambda c: (2 * c, math.sqrt(2) * c),
    ).holds(
        "reading: sharper constants",
        Rigor.DERIVED,
        statement=r"$\|A\| \le 2\sigma\sqrt{n} + \sqrt{2}\,t$ with probability at least $1 - "
        r"2\exp(-t^2/(2\sigma^2))$.",
        domain=r"Every $n$, $\sigma$ and $t > 0$, given the same two lemmas.",
        evidence=r"Mean: $E(X_u - X_v)^2 \le 4\|u - v\|^2$ for $X_u = u^\top A u$, in symbols "
        r"and by z3. Deviation: the gradient in the free entries has squared norm $2 - \sum u_i^4 "
        r"\le 2 - 1/n$.",
        basis=Basis(proof="Norm of a symmetric Gaussian matrix", uses=chain),
    )


def _certified(constants: tuple[float, float]) -> bool:
    """Balls: D = 1..64 on [0, 60], and the two points where a smaller constant shows."""
    root, linear = constants
    boxes = all(
        chi_square.certified_up_to(d, LARGEST_X, root=root, linear=linear) >= LARGEST_X
        for d in range(1, 65)
    )
    far = chi_square.tail_ball(1, 2000.0, root=root, linear=linear) < 1
    flat = chi_square.tail_ball(10**6, LARGEST_X, root=root, linear=linear) < 1
    return bool(boxes and far and flat)


@claim("chowdhury2021/lemma-13")
@claim("zhou2022/lemma-B.5")
def chi_square_tail() -> Records:
    """Proved for every D and x; certified a second way."""
    two, less = sp.Integer(2), sp.Rational(19, 10)
    yield Trial(
        lambda constants: (
            chi_square.coefficients_ordered() and chi_square.exponent_identity(*constants) == 0
        ),
        at=(two, two),
        mutant_at=[(two, less), (less, two)],
        mutant=r"$1.9x$ for $2x$; $1.9\sqrt{Dx}$ for $2\sqrt{Dx}$, in numbers.",
        tighter={
            "both constants halved": (two / 2, two / 2),
            "1.9 x": (two, less),
            "1.9 sqrt(D x)": (less, two),
        },
    ).holds(
        "printed",
        Rigor.KERNEL,
        domain=r"Every $D > 0$, $x > 0$ and variable whose moment generating function is that of "
        r"chi-square, $(1 - 2\lambda)^{-D/2}$ for $0 < \lambda < 1/2$: a premise.",
        evidence=r"Chernoff at $\lambda = s/(1+2s)$ with $s = \sqrt{x/D}$, after $-\lambda - "
        r"\ln(1-2\lambda)/2 \le \lambda^2/(1-2\lambda)$.",
        basis=Basis(
            formal=Formal(
                "chi_square_tail",
                "chi_square_tail",
                "chernoff_mutant",
                ("threshold D x 2 2", "threshold D x 2 (19 / 10)"),
                also=("chernoff_step",),
            )
        ),
    )
    yield Trial(
        _certified,
        at=(2.0, 2.0),
        mutant_at=[(2.0, 1.9), (1.9, 2.0)],
        mutant=r"$1.9x$ for $2x$; $1.9\sqrt{Dx}$ for $2\sqrt{Dx}$.",
        scale=lambda c: (2.0 * c, 2.0 * c),
        tighter={
            "1.9 x": (2.0, 1.9),
            "1.9 sqrt(D x)": (1.9, 2.0),
        },
    ).holds(
        "reading: up to 64 degrees of freedom, a second way",
        Rigor.CERTIFIED,
        statement=r"$P(U \ge D + 2\sqrt{Dx} + 2x) \le e^{-x}$, and not with $1.9x$ at $(D, x) = "
        r"(1, 2000)$ or $1.9\sqrt{Dx}$ at $(10^6, 60)$.",
        domain=r"$D$ from 1 to 64 and every $x$ in $[0, 60]$; the two points.",
        evidence="Incomplete Gamma functions by balls; monotone in $x$, so each interval is "
        "decided at its ends.",
    )
