"""The table of docs/open.md: what was proved on the way, the smallest open case and its numbers."""

from math import inf

from figures import style
from theory.papers.chowdhury2021 import bounds as lq
from theory.papers.chowdhury2021 import rare_noise
from theory.papers.vietri2020 import window

HORIZONS = (10, 100)
EPISODES = 10**9


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


def markdown() -> str:
    """A row per question."""
    number = style.number
    first = rare_noise.first_horizon(1.0)
    delta = rare_noise.second_sum(rare_noise.Instance(first)).probability / 4
    regret, episodes = window.largest_regret(1.0, None, inf), window.largest_pac(1.0, None, inf)
    covered = number(window.first_states(0.1), 2)
    rows = [
        (
            "the powers of H in chowdhury2021 (theorem-1, theorem-3, lemma-8)",
            (
                "All of it for one state, and for noise that excites every state; H² for H "
                "(theorem-1) and for H^1.5 (theorem-3, epsilon to 100) always. D itself is not "
                "free of H: two states and a noise of variance H^-5 have a Riccati matrix of "
                "order H (lemma-3)."
            ),
            "n = 2, d = 1, a covariance of rank 1 that stays as H grows",
            (
                f"The bound with D = H - 1 over that with D free of H, at K = {number(EPISODES)}: "
                f"{powers_of_h()}."
            ),
        ),
        (
            "the second sum of chowdhury2021/lemma-7 at a fixed delta",
            (
                "False uniformly in delta; true where D is free of H; of order H for a constant "
                "singular covariance."
            ),
            "n = 2, delta fixed as H grows",
            (
                f"The instance that breaks it with the constant 1 has H = {first:,} and delta = "
                f"{delta:.0e}."
            ),
        ),
        (
            "the order of vietri2020/theorem-4 for large epsilon",
            (
                "True for epsilon <= 1, T <= SAH² and T >= S³AH²; elsewhere exceeded by at most "
                "epsilon and √S."
            ),
            "T = S²AH², no noise, A = H = 2",
            (
                f"With one logarithm and no noise the bound is at most {number(regret, 2)} times "
                "the order for S up to 10^6; a tenth of the logarithm's power 4.5 covers √S up "
                f"to S = {covered}."
            ),
        ),
        (
            "the order of vietri2020/theorem-3 for large epsilon and S alpha",
            (
                "True for epsilon <= H, S alpha <= H and T <= SAH⁴/alpha²; elsewhere exceeded by "
                "less than epsilon/H and S."
            ),
            "T = S²AH⁴/alpha², alpha of order H, no noise",
            (
                f"With one logarithm and no noise the bound is at most {number(episodes, 2)} "
                "times the order for S up to 200."
            ),
        ),
    ]
    head = ("question", "proved on the way", "smallest open case", "its numbers")
    return style.markdown(head, rows)
