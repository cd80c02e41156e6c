"""The table of docs/open.md: what was proved on the way, the smallest open case and its numbers."""

from fractions import Fraction
from math import ceil, inf, log, log2

from figures import style
from theory.formulas import upwards
from theory.lemmas.secret_arms import exploration
from theory.papers.chowdhury2021 import bounds as lq
from theory.papers.chowdhury2021 import printed_radius, rare_noise, released
from theory.papers.vietri2020 import lower_bounds_pac, theorem_1, window
from theory.papers.vietri2020.policies_leak import chain_masses, finite, long, short
from theory.papers.vietri2020.policies_leak.chain import NATURAL, TWO, PrintedNoise

HORIZONS = (10, 100)
EPISODES = 10**9
BETA = 0.1  # of vietri2020/theorem-1
EPSILONS = (2e8, 1e9, 1e10, 1e12, inf)
STEPS = (1, 2, 3, 5, 10)  # H of the table of the smallest T
ARMS, BUDGETS = (10**4, 10**5, 10**6), (1e-6, 1e-8, 1e-10)  # of the table of secret arms
ALPHA = 1 / 28
DELTA = 1e-6  # of chowdhury2021/theorem-2


def powers_of_h() -> str:
    """By how much the regret bound of theorem 1 falls where D is free of H, for two states."""
    regular = lq.LQRegularity(1.0, 1.0, 0.0, 0.0, 0.0)
    quotients = []
    for horizon in HORIZONS:
        wide, free = (
            lq.regret_terms(problem, EPISODES, 0.1, regular, "proved").total
            for problem in (
                lq.Problem(2, 1, horizon, 0.5, 1.0, 1.0, 0.2, drift) for drift in (None, 0.6)
            )
        )
        quotients.append(f"{style.number(wide / free, 2)} at H = {horizon}")
    return ", ".join(quotients)


Question = tuple[str, str, str, str]


def actions_of_pucb() -> Question:
    """vietri2020/theorem-1: the best factor of epsilon."""
    number = style.number
    (low_two, low), (high_two, high) = theorem_1.bracket()
    (least, far), (adversary, near) = finite.first_seen(BETA)
    event = short.slope(3, natural=False)
    reads = Fraction(4 * (3 - 1).bit_length(), 3)  # of one user with H = 1, at T = 3
    most_two, most = (ceil(100 * float(reads) / log_(3)) / 100 for log_ in (log2, log))
    return (
        "how much more than epsilon the actions of vietri2020 tell (theorem-1)",
        (
            f"The best factor of epsilon for all T, H and epsilon lies between {number(low)} and "
            f"{number(high)} with natural logarithms, {number(low_two)} and {number(high_two)} to "
            "base 2. From below, with natural logarithms and beta = "
            f"{BETA:g}: T = 3 with a fixed order among ties, from epsilon = "
            f"{short.mildest(BETA)} on; with any ties $T = 2^{{{least.last}}} + 2$ from "
            f"{number(far, 1)} on, $T = 2^{{{adversary.last}}} + 2$ from {number(near, 1)} on."
        ),
        (
            "T = 3, S = A = 2, H = 1: base 2; natural logarithms with uniform ties, or epsilon "
            f"below {short.mildest(BETA)}, or the branch below 2E by the letter"
        ),
        (
            f"At T = 3, H = 1 the actions lose at most {number(most_two)} times epsilon to base "
            f"2, {number(most)} times with natural ones; the largest loss known "
            f"tends to {number(event)} times to base 2, and by the letter with natural "
            f"logarithms to {number(short.slope(3) / 2)} times."
        ),
    )


def controls_of_the_printed_radius() -> Question:
    """chowdhury2021/theorem-2 with the radius as printed."""
    number = style.number
    most = ", ".join(
        f"{number(printed_radius.most_episodes(lq.SCALAR, epsilon, DELTA))} (epsilon = {epsilon:g})"
        for epsilon in (0.1, 1.0, 5.0)
    )
    episodes = 10**12
    told = printed_radius.told_by_scale(lq.SCALAR, 1.0, DELTA, episodes)
    drift = printed_radius.release(lq.SCALAR, episodes, 1.0, DELTA).drift
    return (
        "the controls of chowdhury2021 with the radius as printed (theorem-2)",
        (
            "Private with gains within gamma up to so many episodes of the scalar system at delta "
            f"= {number(DELTA)}: {most}. "
            "With the radius of Appendix C for every number of episodes and delta, epsilon up to "
            f"{number(released.MOST_EPSILON)} and gamma in [0.05, 20]."
        ),
        "n = d = 1, gains within gamma, epsilon = 1, more episodes than that",
        (
            f"The logarithms of two squared radii differ by at most {upwards(drift, 2):.1e} at K = "
            f"{number(episodes)}; where all other users are silent, the noise of all releases, "
            "divided by the squared radius, tells the neighbours apart by "
            f"{number(told, 2)} standard deviations there. Controls tell less, by how much is not "
            "known."
        ),
    )


def markdown() -> str:
    """A row per question."""
    number = style.number
    first = rare_noise.first_horizon(1.0)
    delta = float(rare_noise.one_level(first).alpha)
    regret, episodes = (
        upwards(most(1.0, None, inf), 2) for most in (window.largest_regret, window.largest_pac)
    )
    covered = number(window.first_states(0.1), 2)
    rows = [
        actions_of_pucb(),
        controls_of_the_printed_radius(),
        (
            "the powers of H in chowdhury2021 (theorem-1, theorem-3, lemma-8 in the mean)",
            (
                "All of it for one state, and for noise that excites every state; H² for H "
                "(theorem-1) and for $H^{1.5}$ (theorem-3, epsilon to 100) whatever the noise. D "
                "itself is not free of H: with two states and a noise of variance $H^{-5}$ a "
                "choice can have a Riccati matrix of order H (lemma-3)."
            ),
            (
                "n = 2, d = 1, a covariance of rank 1 that stays as H grows. (On every path of the "
                "good event, as it is printed, lemma-8 fails for n = 3; n = 2 is open there too.)"
            ),
            (
                f"The bound with D = H - 1 over that with D free of H, at K = {number(EPISODES)}: "
                f"{powers_of_h()}."
            ),
        ),
        (
            "the second sum of chowdhury2021/lemma-7 at a fixed delta",
            (
                "False uniformly in delta; true where D is free of H; at most of order H for a "
                "constant singular covariance."
            ),
            "n = 2, delta fixed as H grows",
            (
                "The least power of two for H at which an instance is known to break it with the "
                f"constant 1 is {first:,}, with delta = {delta:.0e}."
            ),
        ),
        (
            "the order of vietri2020/theorem-4 for large epsilon",
            (
                "True for epsilon ≤ 1, T ≤ SAH² and T ≥ S³AH²; elsewhere proved up to logarithms "
                "and a factor of at most epsilon and √S."
            ),
            "T = S²AH², no noise, A = H = 2",
            (
                f"With one logarithm and no noise the bound is at most {number(regret)} times "
                "the order for S up to 1e6; a tenth of the logarithm's power 4.5 covers √S up "
                f"to S = {covered}."
            ),
        ),
        (
            "the order of vietri2020/theorem-3 for large epsilon and S alpha",
            (
                "True for epsilon ≤ H, S alpha ≤ H and T ≤ SAH⁴/alpha²; elsewhere proved up to "
                "logarithms and a factor of at most epsilon/H and S."
            ),
            "T = S²AH⁴/alpha², alpha of order H, no noise",
            (
                f"With one logarithm and no noise the bound is at most {number(episodes)} "
                "times the order for S up to 200."
            ),
        ),
    ]
    head = ("question", "proved on the way", "smallest open case", "its numbers")
    return style.markdown(head, rows)


def smallest_t_cell(horizon: int, epsilon: float, private: PrintedNoise) -> str:
    """T = 2^M + 2 H of the smallest M at which a proof shows that actions tell more than epsilon,
    ties broken in any way."""
    if horizon > 1:
        last = getattr(chain_masses.shortest(horizon, epsilon, private), "last", None)
    elif private == NATURAL:
        adversary = long.shortest(BETA) if epsilon == inf else finite.shortest(epsilon, BETA)
        last = getattr(adversary, "last", None)
    else:
        last = None
    return f"$2^{{{last}}}$" if last else "-"


def smallest_t() -> str:
    """The smallest T found at which actions tell more than epsilon, over epsilon and H."""
    rows = []
    for private, name in ((NATURAL, "natural"), (TWO, "base 2")):
        for horizon in STEPS:
            cells = [smallest_t_cell(horizon, epsilon, private) for epsilon in EPSILONS]
            rows.append((name, f"{horizon}", *cells))
    finite_ones = [f"epsilon = {style.number(epsilon, 1)}" for epsilon in EPSILONS[:-1]]
    return style.markdown(("logarithm", "H", *finite_ones, "epsilon large enough"), rows)


def secret_arms() -> str:
    """Users after which the agent with secret arms is proved to be right, and what theorem-5 of
    vietri2020 asks for, S = H = 1."""
    rows = []
    for arms in ARMS:
        for epsilon in BUDGETS:
            users = exploration(arms, 1, ALPHA, BETA, epsilon)
            asked = lower_bounds_pac.displayed((1, arms, 1), ALPHA, BETA, epsilon)
            numbers = (style.number(number) for number in (users, asked, asked / users))
            rows.append((f"{arms:,}", f"{epsilon:g}", *numbers))
    head = ("A", "epsilon", "T that is enough", "the bound asks for", "bound over T")
    return style.markdown(head, rows)
