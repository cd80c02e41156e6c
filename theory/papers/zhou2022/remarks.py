"""zhou2022: the remarks of section 6.3 that assert something, and the example of section 2.1."""

from math import log, sqrt

import numpy as np

from theory.claim import Basis, Records, Rigor, Severity, Trial, Witness, claim
from theory.papers.zhou2022 import bounds
from theory.papers.zhou2022.private_regret import power, shares, square_step


def one_hot(states: int, actions: int, horizon: int) -> tuple[float, float]:
    """The largest ||phi_V|| and ||theta_p|| of the tabular MDPs with one-hot psi, V in [0, H]."""
    psi = np.eye(states * states * actions).reshape(states, actions, states, -1)
    features = horizon * psi.sum(axis=2)  # V = H, as the norm grows with every V(s')
    certain = psi[:, :, 0].sum(axis=(0, 1))  # deterministic: the longest theta
    return float(np.linalg.norm(features, axis=-1).max()), float(np.linalg.norm(certain))


def within(case: tuple[str, str]) -> bool:
    """Whether one-hot features lie within sqrt(d1) H, d1 = S^2 A or S, or within H; three
    sizes."""
    bound, dimension = case
    for S, A, H in ((1, 1, 1), (2, 2, 3), (5, 3, 4)):
        d = S * S * A if dimension == "S^2 A" else S
        phi, theta = one_hot(S, A, H)
        allowed = sqrt(d) * H if bound == "sqrt(d1) H" else float(H)
        if (
            abs(phi - sqrt(S) * H) > 1e-12 * phi
            or phi > allowed * (1 + 1e-12)
            or theta > sqrt(S * A) * (1 + 1e-12)
        ):
            return False
    return theta <= sqrt(d) * (1 + 1e-12)


def divided_within(power: float) -> bool:
    """Whether one-hot psi divided by S^``power`` has ||phi_V|| <= H and ||theta_p|| <= sqrt(d1);
    three sizes."""
    for S, A, H in ((1, 1, 1), (2, 2, 3), (5, 3, 4)):
        phi, theta = one_hot(S, A, H)
        if phi / S**power > H * (1 + 1e-12) or theta * S**power > S * sqrt(A) * (1 + 1e-12):
            return False
    return True


@claim("zhou2022/example-tabular")
def example_tabular() -> Records:
    """Assumption 1 admits one-hot features; the bound H of remark 6.6 asks for a division."""
    yield Trial(
        within,
        at=("sqrt(d1) H", "S^2 A"),
        mutant_at=[("H", "S^2 A"), ("sqrt(d1) H", "S")],
        mutant=r"$\lVert\phi_V\rVert\le H$; $d_1=S$, too small for $\theta_{h,p}$",
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"Every tabular MDP satisfies assumption 1 with one-hot features, $d_1=S^2\,A$ "
        r"and $d_2=S\,A$.",
        domain="Every $S$, $A$ and $H$",
        evidence=r"$\lVert\phi_V\rVert\le\sqrt{S}\,H$, attained at $V=H$, and "
        r"$\lVert\theta_{h,p}\rVert,\lVert\theta_{h,r}\rVert\le\sqrt{S\,A}$.",
        basis=Basis(proof="Tabular MDPs"),
    )


@claim("zhou2022/remark-6.6")
def remark_6_6() -> Records:
    """With shorter features the power of d is 5/4."""
    yield Trial(
        lambda expected: np.allclose([power("d", bounded=True), power("d")], expected, atol=1e-3),
        at=(1.25, 1.75),
        mutant_at=[(1.0, 1.75), (1.25, 1.5)],
        mutant="$d$ in place of $d^{5/4}$; $d^{3/2}$ in place of $d^{7/4}$",
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"When $\lVert\phi_V\rVert\le H$ in place of $\sqrt{d}\,H$, the private term "
        r"of theorem 6.5 has $d^{5/4}$ in place of $d^{7/4}$.",
        domain=r"Where theorem 6.5 is proved, up to logarithms; beside it measured where these "
        "hardly move",
        evidence=r"The sensitivities of the transitions lose $d$ and $\sqrt{d}$, so "
        r"$\sqrt{\Sigma_p}$ loses $\sqrt{d}$; the terms of the rewards have $d^{5/4}$ already.",
        basis=Basis(proof="Theorem 6.5", uses=("zhou2022/theorem-6.5: corrected",)),
    )


def not_below_table(power: float, seed: int = 68) -> bool:
    """Whether d sqrt(T H^3) + d^power sqrt(T H^4/epsilon) at d = S^2 A is at least the sqrt(S A H^3
    T) + S^2 A H^3/epsilon claimed for a table wherever that is at most T, logarithms and constants
    left out, for drawn S, A, H, T, epsilon."""
    rng = np.random.default_rng(seed)
    for _ in range(400):
        S, A, H = (int(x) for x in np.exp(rng.uniform(0, [4, 4, 3])))
        epsilon, d = float(np.exp(rng.uniform(-12, 12))), S * S * A
        T = 2 * max(d * H**3 / epsilon, S * A * H**3) * float(np.exp(rng.exponential(2)))
        table = sqrt(S * A * H**3 * T) + d * H**3 / epsilon
        mixture = d * sqrt(T * H**3) + d**power * sqrt(T * H**4 / epsilon)
        if table <= T and mixture < table * (1 - 1e-12):
            return False
    return True


def private_leads(case: tuple[float, float]) -> bool:
    """Whether d sqrt(T H^3) is at most the private term of (4), logarithms of T left out, at
    epsilon = factor d^power H sqrt(ln(H/delta)), for drawn d, H, delta."""
    rng = np.random.default_rng(67)
    for _ in range(200):
        d, H = (int(x) for x in np.exp(rng.uniform(0, [6, 5])))
        level = log(H / float(np.exp(rng.uniform(-30, -0.1))))
        epsilon = case[0] * d ** case[1] * H * sqrt(level)
        if d * H**1.5 > d**1.75 * H**2 * level**0.25 / sqrt(epsilon) * (1 + 1e-9):
            return False
    return True


def private_term(case: tuple[int, float]) -> float:
    """The private term of (4), logarithms included, at d = 2, H = 1, delta = 1e-6, alpha = 0.025;
    (K, epsilon)."""
    K, epsilon = case
    private_bound = bounds.stated_private(2, 1, K, epsilon, 1e-6, 0.025)
    return private_bound - bounds.stated_private(2, 1, K, float("inf"), 1e-6, 0.025)


@claim("zhou2022/remark-6.7")
def remark_6_7() -> Records:
    """The comparison drops the non-private term, which is right up to an epsilon of order d^(3/2)
    H."""
    yield Trial(
        lambda cases: all(constant * private_term(case) < 1 for case, constant in cases),
        at=[((2, 100.0), 1.0), ((2, 1e6), 100.0)],
        mutant_at=[[((2, 70.0), 1.0)], [((2, 1e6), 120.0)]],
        mutant=r"a smaller $\varepsilon$ or a larger $C$",
    ).fails(
        "printed",
        Rigor.COUNTEREXAMPLE,
        statement=r"Up to logarithms, UCRL-VTR has regret $d\sqrt{H^3T}$, OPPO "
        r"$d\sqrt{TH^3}+\sqrt{TH^3\ln A}$, Private-LinOpt-VI "
        r"$d^{7/4}\sqrt{TH^4}(\ln(H/\delta))^{1/4}\varepsilon^{-1/2}$, and Private-LinOpt-PO "
        r"$\sqrt{TH^3\ln A}$ more.",
        domain=r"Value iteration, large $\varepsilon$; shown for $C=1$ and 100",
        evidence=r"The private rate tends to 0 as $\varepsilon$ grows, the regret does not. "
        "The two rates without privacy are quoted.",
        severity=Severity.WORDING,
        witness=Witness(
            {
                "C": 1,
                "epsilon": 100,
                "delta": 1e-6,
                "alpha": 0.025,
                "K": 2,
                "H": 1,
                "S": 1,
                "A": 2,
                "d": 2,
                "features": "e_1 and e_2",
                "rewards": "1 and 0, or 0 and 1",
            },
            ("the private rate with its logarithms is", private_term((2, 100.0))),
            ("in one of the orders, with probability at least 1/2, the regret is at least", 1.0),
            "for every constant C from an epsilon of the order C^2 on",
        ),
        basis=Basis(proof="Remark 6.7"),
    )
    yield Trial(
        private_leads,
        at=(1.0, 1.5),
        mutant_at=[(1.1, 1.5), (1.0, 1.75)],
        mutant=r"1.1 times that $\varepsilon$; $d^{7/4}$ in place of $d^{3/2}$",
    ).holds(
        "corrected",
        Rigor.DERIVED,
        statement=r"For $\varepsilon\le d^{3/2}H\sqrt{\ln(H/\delta)}$ the private term of (4) "
        r"is, up to "
        r"logarithms, at least $d\sqrt{TH^3}$, so that the comparison follows from theorem 6.5; "
        r"for larger $\varepsilon$ the term $d\sqrt{TH^3}$ stays beside it.",
        domain=r"Every $d$ and $H$, up to logarithms of $T$ and $1/\alpha$; $K$, $\alpha$, "
        r"$\delta$, $\varepsilon\le 65H$ and first states as in theorem 6.5",
        evidence="Divide, and take squares.",
        basis=Basis(proof="Remark 6.7", uses=("zhou2022/theorem-6.5: corrected: explicit",)),
    )


@claim("zhou2022/remark-6.8")
def remark_6_8() -> Records:
    """The bounds do not name S and A; for a table the dimension does."""
    yield Trial(
        lambda case: (
            within(("sqrt(d1) H", case[0])) and divided_within(case[2]) and not_below_table(case[1])
        ),
        at=("S^2 A", 1.75, 0.5),
        mutant_at=[
            ("S", 1.75, 0.5),
            ("S^2 A", 0.25, 0.5),
            ("S^2 A", 1.75, 0.4),
            ("S^2 A", 1.75, 0.6),
        ],
        mutant="$d=S$; features divided by $S^{0.4}$ or $S^{0.6}$",
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"The bound (4) of value iteration names neither $S$ nor $A$, that of policy "
        r"optimisation has $\sqrt{TH^3\ln A}$ more, and through one-hot features they imply one "
        r"for tabular MDPs, with $d=S^2\,A$. In these bounds $\varepsilon$ enters as a factor "
        r"$\varepsilon^{-1/2}$ of $\sqrt{T}$, in vietri2020 as an added $S^2AH^3/\varepsilon$.",
        domain=r"Where theorem 6.5 holds; what is said of vietri2020 is quoted as claimed there",
        evidence=r"The private term grows like $S^{7/2}A^{7/4}$. Divided by $\sqrt{S}$ the "
        r"features have $\lVert\phi_V\rVert\le H$; then it grows like $S^{5/2}A^{5/4}$, by remark "
        "6.6.",
        basis=Basis(
            proof="Tabular MDPs",
            uses=("zhou2022/theorem-6.5: corrected", "zhou2022/example-tabular"),
        ),
    )


FAR = 40, 44  # powers of ten of episodes between which logarithms hardly move


def local_power(counter: str) -> float:
    """Exponent of K in the right side of theorem-4.1 at the constants of a counter, logarithms
    nearly fixed."""
    sides = [
        bounds.stated(bounds.constants(2, 2, 2, K, 1e-3, 1e-6, 0.025, "printed", counter))
        for K in (10**power for power in FAR)
    ]
    return log(sides[1] / sides[0]) / (log(10) * (FAR[1] - FAR[0]))


@claim("zhou2022/remark-6.9")
def remark_6_9() -> Records:
    """Local noise: only the three constants change, and the bound is of order K^(3/4)."""
    yield Trial(
        lambda case: shares(4) and square_step() and abs(local_power(case[0]) - case[1]) < 0.03,
        at=("local", 0.75),
        mutant_at=[("local", 0.5), ("tree", 0.75)],
        mutant=r"$\sqrt{K}$; the tree",
    ).holds(
        "printed",
        Rigor.DERIVED,
        statement=r"When every user adds independent noise to her own statistics, theorems 4.1 "
        r"and 5.1 apply with new constants alone: $\sigma$ of theorem 6.4 (of its proof or as "
        r"corrected) at $m=1$, and $\Sigma$ and $\nu$ with $K-1$ in the place of $m$ noise terms.",
        domain=r"Every $K\ge 2$, $H$, $d_1$, $d_2$, $\varepsilon$, $\delta$ and $\alpha$; features "
        "and, for policy optimisation, first states as in these theorems as corrected",
        evidence=r"A sum of $k-1$ independent Gaussian matrices has the law of one with "
        r"$k-1$ times the variance, so the four tails are those of theorem 6.5. Then "
        r"$\lambda_{\max}$ grows like $\sqrt{K}$ and the bound like $K^{3/4}$, up to logarithms.",
        basis=Basis(
            proof="Remark 6.9",
            uses=(
                "zhou2022/theorem-4.1: corrected",
                "zhou2022/theorem-5.1: corrected",
                "zhou2022/theorem-6.4: corrected",
                "zhou2022/lemma-B.4",
                "zhou2022/lemma-B.5",
            ),
        ),
    )
