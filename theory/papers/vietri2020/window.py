"""vietri2020, theorem-3 and theorem-4 at large epsilon: by how much the proved bounds exceed the
printed orders, and where.

What is proved has a term S^2AH^3 without 1/epsilon (or a factor sqrt(S) in the leading term) beside
the printed order. With the trivial bounds, H T of regret and T episodes, that leaves a window of T,
and within it a factor that is known. The proofs stand in proofs.md ("The regret bound", step 8, and
"The PAC bound", step 4).
"""

from functools import cache
from itertools import product
from math import exp, inf, log, sqrt

from theory.claim import Basis, Records, Rigor, Trial
from theory.papers.vietri2020.bounds.proved import pac_bound, regret_bound

BETA = 0.1
POWER = 4.5  # of the logarithm that the printed records allow
GridSize = tuple[int, int, int]  # S, A, H
SIZES: tuple[GridSize, ...] = (
    (2, 2, 2),
    (3, 2, 3),
    (20, 5, 10),
    (200, 5, 5),
    (10**4, 2, 20),
    (10**6, 2, 2),
    (10**6, 20, 20),
)
EPSILONS = (1.0, 10.0, 1e3, 1e6, inf)
PAC_SIZES = SIZES[1:4]
LEAST = 100.0  # epsilon of theorem-3's rows
SHARES = (0.02, 0.3)  # alpha over H
# T over SAH^2 is S to these powers: the window runs from 0 to 2
EXPONENTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


def regret_order(size: GridSize, episodes: int, epsilon: float) -> float:
    """H^2 sqrt(SAT) + (SAH^3 + S^2AH^3)/epsilon, vietri2020/theorem-4."""
    S, A, H = size
    return H * H * sqrt(S * A * episodes) + (S + 1) * S * A * H**3 / epsilon


def regret_excess(size: GridSize, episodes: int, epsilon: float, root: float = 0.5) -> float:
    """By how much more than the printed order the regret can be by what is proved, up to
    logarithms: the least of epsilon and, to the power ``root`` (1/2), S^3AH^2/T and T/(SAH^2), or
    1. The last two multiply to S^2, so with 1/2 it is at most sqrt(S)."""
    S, A, H = size
    late, early = S**3 * A * H * H / episodes, episodes / (S * A * H * H)
    return max(1.0, min(epsilon, float(late**root), float(early**root)))


def pac_order(size: GridSize, epsilon: float, alpha: float) -> float:
    """SAH^4/alpha^2 + S^2AH^4/(epsilon alpha), vietri2020/theorem-3."""
    S, A, H = size
    return S * A * H**4 / alpha**2 + S * S * A * H**4 / (epsilon * alpha)


def pac_excess(
    size: GridSize, episodes: int, epsilon: float, alpha: float, power: float = 1.0
) -> float:
    """The same of theorem-3: the least of S alpha/H to that power (1), epsilon/H and T
    alpha^2/(SAH^4), or 1."""
    S, A, H = size
    early = episodes * alpha**2 / (S * A * H**4)
    return max(1.0, min(float((S * alpha / H) ** power), epsilon / H, early))


@cache
def regret_rows() -> tuple[tuple[GridSize, int, float, float], ...]:
    """(size, T, epsilon, the least of the proved bound for the printed noise and H T)."""
    rows = []
    for size, exponent, epsilon in product(SIZES, EXPONENTS, EPSILONS):
        S, A, H = size
        episodes = max(100, int(S * A * H * H * float(S) ** exponent))
        if episodes <= 10**18:
            bound = regret_bound(*size, episodes, epsilon, BETA, "printed")
            rows.append((size, episodes, epsilon, min(bound, float(H) * episodes)))
    return tuple(rows)


@cache
def pac_rows() -> tuple[tuple[GridSize, int, float, float, float], ...]:
    """(size, T, epsilon, alpha, the least of the proved bound for the printed noise and T)."""
    rows = []
    for size, share, epsilon in product(PAC_SIZES, SHARES, (LEAST, inf)):
        S, A, H = size
        alpha = share * H
        for exponent in (0.5, 1.0, 2.0):
            episodes = int(S * A * H**4 / alpha**2 * float(S) ** exponent)
            bound = pac_bound(*size, episodes, epsilon, BETA, alpha, "printed")
            rows.append((size, episodes, epsilon, alpha, float(min(bound, episodes))))
    return tuple(rows)


def largest_regret(power: float, root: float | None = 0.5, least: float = 0.0) -> float:
    """The largest quotient of bound and order with a logarithm ln(S^2AHT/beta) to this power, over
    all rows with epsilon >= ``least``; ``root`` as in :func:`regret_excess`, None: without any
    excess."""
    quotients: list[float] = []
    for size, episodes, epsilon, bound in regret_rows():
        if epsilon < least:
            continue
        S, A, H = size
        logarithm = log(S * S * A * H * episodes / BETA)
        more = 1.0 if root is None else regret_excess(size, episodes, epsilon, root)
        order = regret_order(size, episodes, epsilon)
        quotients.append(bound / (order * more * float(logarithm**power)))
    return max(quotients)


def largest_pac(power: float, more: float | None = 1.0, least: float = 0.0) -> float:
    """The same of theorem-3, with ln(S^2AHT/(alpha beta)) and :func:`pac_excess`."""
    quotients: list[float] = []
    for size, episodes, epsilon, alpha, bound in pac_rows():
        if epsilon < least:
            continue
        S, A, H = size
        logarithm = log(S * S * A * H * episodes / (alpha * BETA))
        excess = 1.0 if more is None else pac_excess(size, episodes, epsilon, alpha, more)
        quotients.append(
            bound / (pac_order(size, epsilon, alpha) * excess * float(logarithm**power))
        )
    return max(quotients)


def first_states(constant: float, power: float = POWER) -> float:
    """The S from which on sqrt(S) exceeds ``constant`` ln(S^2AHT/beta)^power at T = S^2AH^2, A = H
    = 2: before it the polylogarithm covers the factor, as the regret is at most H T."""
    low, high = 1.0, 1000.0  # of ln S; the right side grows more slowly from some S on
    for _ in range(200):
        middle = (low + high) / 2
        logarithm = 4 * middle + log(2**5 / BETA)
        covered = middle / 2 <= log(constant) + power * log(logarithm)
        low, high = (middle, high) if covered else (low, middle)
    return exp(high)


def regret_window() -> Records:
    """Records of theorem-4 for every epsilon."""
    yield Trial[float | None](
        lambda root: largest_regret(2.0, root) <= 3,
        at=0.5,
        mutant_at=[None, 0.05],
        mutant="The printed order alone, and lower powers in place of the two roots, on a grid.",
    ).holds(
        "corrected: the order for every epsilon",
        Rigor.DERIVED,
        statement=r"With probability $1 - \beta$ the regret is, up to logarithms, at most the "
        r"printed order times the least of $\varepsilon$, $\sqrt{S^3AH^2/T}$ and "
        r"$\sqrt{T/(SAH^2)}$, where that is above 1; so at most $\sqrt{S}$ times the printed "
        "order.",
        domain="As theorem 4 corrected, for the printed noise and $E$.",
        evidence="$S^2AH^3$ is what is proved beside the order, and $HT$ is all that can be lost.",
        basis=Basis(
            proof="The regret bound",
            uses=("vietri2020/theorem-4: corrected",),
        ),
    )


def pac_window() -> Records:
    """Records of theorem-3 for every epsilon and alpha."""
    yield Trial[float | None](
        lambda more: largest_pac(2.0, more) <= 8,
        at=1.0,
        mutant_at=[None, 0.1],
        mutant=r"The printed order alone, and a lower power of $S \alpha/H$, on a grid.",
    ).holds(
        "corrected: the order for every epsilon and alpha",
        Rigor.DERIVED,
        statement=r"With probability $1 - \beta$ the number of episodes that lose more than "
        r"$\alpha$ is, up to logarithms, at most the printed order times the least of $S "
        r"\alpha/H$, $\varepsilon/H$ and $T \alpha^2/(SAH^4)$, where that is above 1.",
        domain=r"As theorem 4 corrected, for the printed noise and $E$; every $\alpha < H$.",
        evidence=r"$S^2AH^3/\alpha$ is what is proved beside the order, and there are $T$ "
        "episodes.",
        basis=Basis(proof="The PAC bound", uses=("vietri2020/theorem-3: corrected",)),
    )
