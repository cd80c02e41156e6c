"""liao2021/theorem-5.2: the regret of LDP-UCRL-VTR. Its proof is not in our copy, so the analysis of zhou2022
(theorem-4.1 as corrected there) is used with the noise of K - 1 users and rewards known; proofs.md has the steps.
"""

from math import log, log1p, sqrt

import mpmath as mp

from privrl.privacy.rounding import down
from theory.claim import Records, Rigor, Severity, Verdict, Witness, claim, decide
from theory.lemmas.gaussian_mechanism import Shape, certify_shape
from theory.papers.liao2021 import bounds
from theory.papers.vietri2020.bounds.proved import last_crossing
from theory.papers.zhou2022.bounds import Constants, matrix_norm, radius, regularity, vector_norm
from theory.papers.zhou2022.regret import sharp_constant

DELTA, ALPHA = 0.1, 0.01  # of the experiments
SIZES = (2, 2)  # d, H


def displayed(made: Constants) -> float:
    """The bound as ``corrected`` displays it."""
    H, K, low = made.horizon, made.episodes, made.p.low
    d, T, growth = made.dim_p, H * K, log1p(K * H**2 / low)
    root = sqrt(made.dim_p * made.p.high) + made.p.nu
    return 2 * sqrt(2) * (sqrt(T * H**3) * (log(H / made.alpha) + d * growth) + sqrt(T * H * d * growth) * root)


def share(episodes: int, epsilon: float = 1.0, form: str = "displayed") -> float:
    """The explicit bound over the trivial HK at d = H = 2: as ``displayed``, or the ``sum`` T1 + T3 that it simplifies,
    with epsilon outside the root of line 1 (line 1 at epsilon^2); or the sharper sum of a calibration."""
    if form in ("corrected", "tight"):
        total = bounds.regret_terms(bounds.constants(*SIZES, episodes, epsilon, DELTA, ALPHA, form)).total  # type: ignore[arg-type]
    else:
        made = bounds.constants(*SIZES, episodes, epsilon**2, DELTA, ALPHA)
        total = displayed(made) if form == "displayed" else bounds.displayed_terms(made).total
    return total / (SIZES[1] * episodes)


def power(name: str, calibration: str) -> float:
    """Exponent of d, H, K or epsilon in sqrt(T H d) sqrt(d Sigma) at large values, logarithms fixed."""
    def private(d: float, H: float, K: float, epsilon: float) -> float:
        sigma = 4 * H**3 / (sqrt(epsilon) if calibration == "printed" else epsilon)
        return sqrt(H * K * H * d) * sqrt(d * 3 * sigma * sqrt(K) * (4 * sqrt(d) + 10))

    base = {"d": 1e12, "H": 1e3, "K": 1e6, "epsilon": 10.0}
    return log(private(**{**base, name: base[name] * 100}) / private(**base)) / log(100)


def powers_agree(calibration: str) -> bool:
    """d^{5/4}, H^{7/4} T^{3/4} = H^{5/2} K^{3/4}, epsilon^{-1/2}."""
    wanted = {"d": 1.25, "H": 2.5, "K": 0.75, "epsilon": -0.5}
    return all(abs(power(name, calibration) - value) < 1e-4 for name, value in wanted.items())


def first_episode(case: tuple[float, float]) -> bool:
    """Whether 0.8 is above ``constant`` times the statement at K = 1, H = d = 2, theta = sqrt(2) (0.9, 0.1) or
    (0.1, 0.9), two actions, the first one right under the first theta. The first user's policy does not know theta:
    under one of the two it is wrong with probability 1/2 at least, and then V* - V^pi = 0.8."""
    epsilon, constant = case
    return constant * bounds.stated(2, 2, 1, epsilon, DELTA, ALPHA) < 0.8


def contradicting(horizon: int, constant: float) -> int:
    """A power of two K with (K - 1)/4 above ``constant`` times the statement; d = 2, epsilon = 1."""
    K = 2
    while constant * bounds.stated(2, horizon, K, 1.0, DELTA, ALPHA) >= (K - 1) / 4:
        K *= 2
    return K


def abandoned(case: tuple[int, float, int], episodes: int = 0) -> bool:
    """Whether a_1 of the instance of proofs.md is played at most once in K episodes, by default :func:`contradicting`,
    whenever the noise keeps its bound, for every r_k >= 2 Sigma_k: (H, c = C, H - h + 1 in beta; 2 is the printed one).
    Its value and its bonus are largest at k = 2, as s >= 1 + sqrt(2)."""
    horizon, constant, left = case
    K = episodes or contradicting(horizon, constant)
    sigma = bounds.sigma(horizon, 1.0, DELTA)
    s = sigma * matrix_norm(2, K, horizon, 2 * ALPHA, "printed")
    v = sigma * vector_norm(2, K, horizon, 2 * ALPHA, "printed")
    return v < s >= 1 + sqrt(2) and (1 + v) / (1 + s) + constant * late_bonus(horizon, left, K) < 0.75


def late_bonus(horizon: int, left: int = 2, episodes: int = 0) -> float:
    """The bonus of a_1 for c = 1, at most, over k >= 2; by default until C = 1 is contradicted."""
    K = episodes or contradicting(horizon, 1.0)
    s = bounds.sigma(horizon, 1.0, DELTA) * matrix_norm(2, K, horizon, 2 * ALPHA, "printed")
    return bounds.stated_beta(2, horizon, horizon - left + 1, 1, K, 1.0, DELTA, ALPHA) * 2**0.25 / sqrt(1 + s)


def stepwise_private(case: tuple[float, float]) -> bool:
    """Certified: sigma_h = scale * 4 n^3 sqrt(2 ln(2.5 n/delta))/epsilon, n = H - h + 1, is (e, delta)-LDP for every e
    <= epsilon, delta and H; features with (3.1), values in [0, H - h]."""
    scale, epsilon = case
    total = float(mp.zeta(2) - 4 * mp.zeta(3) + 6 * mp.zeta(4) - 4 * mp.zeta(5) + mp.zeta(6)) * (1 + 1e-12)
    b = 4.5 / 32 * total / scale**2
    shape = Shape(5.0, b, down(sqrt(log(5) / b), 1e-15))
    return sum((n - 1) ** 4 / n**6 for n in range(2, 2000)) <= total and b <= 0.5 and certify_shape(shape, epsilon)


def step_spread(horizon: int, stepwise: bool) -> float:
    """Largest over smallest, over h < H, of the width that covers at step h over the printed shape of beta_h; d = 2,
    epsilon = 1, K = k = 10^4; the noise of line 1, or of each step."""
    K, asked = 10**4, []
    for h in range(1, horizon):
        sigma = bounds.sigma(horizon - h + 1 if stepwise else horizon, 1.0, DELTA)
        noise = regularity(2, (1, 1), sigma, K - 1, (K, horizon, 2 * ALPHA), "printed")
        first = radius((horizon - h) / 2, horizon, ALPHA, 2, K * (horizon - h) ** 2 / (2 * noise.low))
        width = first + sqrt(2 * noise.high) + noise.nu
        asked.append(width / bounds.stated_beta(2, horizon, h, K, K, 1.0, DELTA, ALPHA))
    return max(asked) / min(asked)


@claim("liao2021/theorem-5.2")
def theorem_5_2() -> Records:
    """False with its own beta_h; explicit constants from zhou2022's analysis; what the statement leaves out."""
    first, ten = (last_crossing(lambda K, e=e: share(K, e)) for e in (1.0, 10.0))  # type: ignore[misc]
    summed, ten_summed = (last_crossing(lambda K, e=e: share(K, e, "sum")) for e in (1.0, 10.0))  # type: ignore[misc]
    corrected, tight = (last_crossing(lambda K, c=c: share(K, 1.0, c)) for c in ("corrected", "tight"))  # type: ignore[misc]
    K = contradicting(20, 1.0)
    yield decide(
        lambda case: abandoned(case) and abandoned((10, *case[1:]), 10**6), at=(20, 1.0, 2),
        mutant_at=[(20, 1.0, 20), (10, 3.0, 2), (20, 30.0, 2)], of="printed",
        statement=r"With $\beta_h = c d^{3/4} (H-h+1)^{3/2} k^{1/4} \log(dT/\alpha) \log((H-h+1)/\delta)^{1/4} "
        r"\varepsilon^{-1/2}$ the regret is at most $C d^{5/4} H^{7/4} T^{3/4} \log(dT/\alpha) "
        r"\log(H/\delta)^{1/4} \varepsilon^{-1/2}$ with probability $1 - \alpha$, for absolute constants $c$ and "
        "$C$",
        verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE, severity=Severity.SUBSTANCE,
        domain="every $c$, every $C$ and every further power of logarithms, at larger $H$ and $K$; $d = 2$, "
        r"$\varepsilon = 1$ (where both places of $\varepsilon$ in line 1 agree), $\delta = 0.1$, $\alpha = 0.01$, "
        r"$\lambda = 1$, "
        "$r_k$ at least twice the bound of the noise",
        evidence="The noise of line 1 is the same at every step and grows like $H^3$, but the bonus falls with "
        "$h$. The instance has one choice at step $H-1$, between $3/4$ now and 1 next. At $H = 10$ and $c = 1$ the "
        "better action, once tried, is never tried again in $10^6$ episodes, and the regret is $(K-1)/4$. With $C "
        f"= 1$ that exceeds the bound at $H = 20$ and $K = 2^{{{round(log(K, 2))}}}$, and so it does for every "
        "larger $C$ at larger $H$ and $K$: it contradicts the order. At two steps the slip does nothing. Values "
        "cut at 0 change nothing here.",
        mutant=r"$H$ in the place of $H-h+1$; $H = 10$ at $c = C = 3$; $c = C = 30$",
        witness=Witness({"H": 20, "d": 2, "epsilon": 1.0, "delta": DELTA, "alpha": ALPHA, "lambda": 1.0,
                         "c": 1.0, "C": 1.0, "K": f"2^{round(log(K, 2))}"},
                        ("the regret is at most", bounds.stated(2, 20, K, 1.0, DELTA, ALPHA)),
                        ("it is", (K - 1) / 4),
                        "at large K; the better action is given up at H = 10, c = 1, K = 10^6 already"))
    yield decide(
        lambda case: powers_agree(case[0]) and sharp_constant(case[1], "known"), at=("corrected", 2 * sqrt(2)),
        mutant_at=[("printed", 2 * sqrt(2)), ("corrected", 2.8)], of="corrected",
        statement=r"With $\sigma = 4H^3\sqrt{2\ln(2.5H/\delta)}/\varepsilon$, values cut to $[0, H-h+1]$, features "
        r"that obey (3.1), $r = 2\Sigma$ from the first user on in place of $\lambda$, and one width $\beta$ for "
        r"all steps (lemma 3.1 of zhou2022) the regret is at most $2\sqrt{2} (\sqrt{TH^3} (\ln(H/\alpha) + d\kappa)"
        r" + \sqrt{THd\kappa} (\sqrt{3d\Sigma} + \nu))$ "
        r"with probability $1 - 3\alpha$. Its second term is of order $d^{5/4} H^{7/4} T^{3/4} \varepsilon^{-1/2}$",
        verdict=Verdict.HOLDS, rigor=Rigor.DERIVED, proof="Regret with explicit constants",
        domain=r"every $K \ge 2$, $H$, $d$, $\varepsilon$, $\delta$ and $\alpha$; $\kappa = \ln(1 + KH^2/\Sigma)$, "
        r"$\Sigma$ bounds the sum of the noise matrices and $\nu$ the norm of the noise vectors over "
        r"$\sqrt{\Sigma}$",
        evidence=r"The order in $d$, $H$, $T$ and $\varepsilon$ is the printed one; the first term is what the "
        "theorem leaves out.",
        mutant=r"line 1 as printed, which gives $\varepsilon^{-1/4}$; 2.8 in place of $2\sqrt{2}$",
        uses=("zhou2022/theorem-4.1: corrected: sharper", "zhou2022/lemma-B.4", "zhou2022/lemma-B.5"))
    yield decide(
        lambda K: share(K) < 1 <= share(int(0.999 * K)), at=first, mutant_at=[first // 2, 2 * first],
        of="corrected: where it says something",
        statement=r"At $d = H = 2$, $\varepsilon = 1$ the bound as displayed in the corrected theorem is below the "
        f"trivial $HK$ from {first:.2g} users on",
        verdict=Verdict.HOLDS, rigor=Rigor.EXACT, domain=r"$d = H = 2$, $\delta = 0.1$, $\alpha = 0.01$",
        evidence=f"At epsilon = 10 it is so from {ten:.2g} users on. The sum of zhou2022's section 7.1 that the "
        f"display simplifies, with the same noise: {summed:.2g} and {ten_summed:.2g}. With the least noise that "
        f"gives the privacy and a sharper sum it is so from {corrected:.2g} users on at epsilon = 1, with sharp "
        "norms of the noise besides from "
        f"{tight:.2g}.".replace("epsilon", r"$\varepsilon$"),
        mutant="half or twice that number of users")
    yield decide(
        lambda case: all(step_spread(h, case) < 3 for h in (10, 100, 1000)) and stepwise_private((1.0, 100.0))
        and not stepwise_private((1.0, 150.0)) and not stepwise_private((0.2, 100.0)),
        at=True, mutant_at=False, of="corrected: noise of each step",
        statement=r"With $\sigma_h = 4(H-h+1)^3 \sqrt{2\ln(2.5(H-h+1)/\delta)}/\varepsilon$ and values cut to $[0, "
        r"H-h+1]$ the message is $(\varepsilon, \delta)$-LDP for $\varepsilon \le 100$, and the printed "
        r"$(H-h+1)^{3/2}$ in $\beta_h$ fits: one $c$ covers at every $h < H$ up to a factor 3",
        verdict=Verdict.HOLDS, rigor=Rigor.EXACT,
        domain=r"privacy: every $\delta$ in (0, 1), $H$ and $d$, features that obey (3.1), by balls; the shape: $H "
        r"= 10, 100, 1000$, $d = 2$, $\varepsilon = 1$, $K = 10^4$",
        evidence=r"What is asked for over the printed shape, largest over smallest $h$ at "
        f"$H = 1000$: {step_spread(1000, True):.2f}, and with the noise of line 1 {step_spread(1000, False):.0f}.",
        mutant=r"line 1's noise; $\varepsilon$ up to 150; a fifth of the noise")
    yield decide(
        first_episode, at=(1e5, 1.0), mutant_at=[(1.0, 1.0), (1e5, 1e3)],
        of=r"reading: constants and logarithms do not depend on $\varepsilon$",
        statement=r"The regret bound holds for every $\varepsilon > 0$, however large, with one $C$",
        verdict=Verdict.FAILS, rigor=Rigor.COUNTEREXAMPLE,
        domain=r"$\varepsilon$ above about $1.8 \times 10^4 C^2$ for $d = H = 2$, $K = 1$; for more users once the "
        "right side is below what learning costs without privacy",
        evidence=r"The term without $1/\varepsilon$ is missing, in $\beta_h$ too. The first user's policy is wrong "
        "on one of two mirrored instances with probability at least $1/2$, and then she loses 0.8.",
        mutant=r"$\varepsilon = 1$; $C = 1000$",
        witness=Witness({"d": 2, "H": 2, "K": 1, "epsilon": 1e5, "delta": DELTA, "alpha": ALPHA, "C": 1.0},
                        ("the regret is at most", bounds.stated(2, 2, 1, 1e5, DELTA, ALPHA)), ("it is", 0.8),
                        "for epsilon above 1.8e4 C^2"))
    yield decide(
        lambda case: abs(power("epsilon", case) + 0.5) > 0.1, at="printed", mutant_at="corrected",
        of=r"step: the power of $\varepsilon$",
        statement=r"With $\sigma$ as in line 1 of algorithm 1 the private part of the regret goes with "
        r"$\varepsilon^{-1/2}$",
        verdict=Verdict.FAILS, rigor=Rigor.EXACT,
        domain=r"every $\varepsilon$; as an upper bound $\varepsilon^{-1/2}$ follows from $\varepsilon^{-1/4}$ for "
        r"$\varepsilon \le 1$, and fails for $\varepsilon > 1$ only",
        evidence=r"The noise enters through its square root, and line 1 has $\varepsilon^{-1/2}$ already: the part "
        r"goes with $\varepsilon^{-1/4}$. With $\varepsilon$ outside the root of line 1 the power is right.",
        mutant=r"$\varepsilon$ outside the root",
        witness=Witness({"epsilon": "100 in place of 1"}, ("the private part falls by the factor", 0.1),
                        ("it falls by", 100 ** power("epsilon", "printed"))))
