"""The errata of liao2021 in the order of their consequence, privacy first: what fails, what stands, what it changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from theory.errata import Erratum

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "values-not-cut-at-zero",
            "theorem 5.1: values are cut from above only, so that a server that is not trusted can pick estimates with "
            "which no finite noise hides a user's state (H >= 3, every epsilon and delta < 1); one line repairs it",
            ("theorem-5.1",), (("theorem-5.1", "corrected"), ("theorem-5.1", "corrected: the smallest noise")),
            "Cut Q to [0, H - h + 1]. The printed noise then keeps its promise for every epsilon from 0.0068 on, with "
            "room to spare: at epsilon = 1, H = 6 it is 17.7 times the smallest that is enough at delta = 1e-6 (a "
            "user's real epsilon is 0.046), and 37.9 times at delta = 0.1. Section 6.2 says that |Q| <= 1, so that "
            "bounded values were meant, and with an honest server, r at least twice the bound of the noise, such "
            "estimates have probability below alpha. But local privacy must not hang on the server."),
        Erratum(
            "one-hot-features-not-scaled",
            "example 3.3: one-hot features are longer than (3.1) allows, by sqrt(S)", ("example-3.3",),
            (("example-3.3", "corrected"), ("remark-3.2", "printed")),
            "Divide one-hot features by sqrt(S). Undivided, a message changes by (S^2 + 3S)/4.5 times what (3.1) "
            "allows (squared), and the printed noise is too small from S = 34 on at H = 4, epsilon = 1, delta = 1e-6, "
            "and from S = 12 on at epsilon = 0.1."),
        Erratum(
            "epsilon-under-the-root", "line 1 of algorithm 1 has epsilon under the root of sigma",
            ("algorithm-1-sigma",),
            (("algorithm-1-sigma", "corrected"), ("algorithm-1-sigma", "corrected: the whole message")),
            "Put epsilon outside, as section 6.2 does. The printed noise is too small by sqrt(epsilon) for its own "
            "derivation where epsilon < 1 and larger than asked for above; the whole message is private all the same "
            "from epsilon = 0.0068 on. It changes the regret: with the printed sigma the private part goes with "
            "epsilon^{-1/4}, not epsilon^{-1/2}."),
        Erratum(
            "sensitivity-of-the-experiments",
            "section 6.2: the noise is derived from a sensitivity of 1, where it is 2, or sqrt(2S) for one-hot "
            "features",
            ("section-6.2-sigma",), (("section-6.2-sigma", "corrected"),),
            "Nothing changes for privacy, given values cut at 0: the noise set there is 19 times the smallest at S = "
            "3, epsilon = 1, delta = 0.1. Much changes for learning: most of the noise in figure 2 buys nothing."),
        Erratum(
            "two-cuts-of-Q", "section 4 cuts Q at H where algorithm 1 cuts at H - h + 1, and r is no input",
            ("algorithm-1-text",), (("algorithm-1-text", "corrected"),),
            "Follow line 6. With the cut at H the printed noise is private from epsilon = 0.0704 on, not 0.0068."),
    ),
    "The algorithm and its regret": (
        Erratum(
            "bonus-falls-and-noise-does-not",
            "theorem 5.2: beta_h falls towards the last steps and the noise does not, so that regret can be linear",
            ("theorem-5.2", "section-6.2-beta"),
            (("theorem-5.2", "corrected"), ("theorem-5.2", "corrected: where it says something"),
             ("theorem-5.2", "corrected: noise of each step"), ("section-6.2-beta", "corrected")),
            "Take one width for all steps, or the noise of each step. At two steps the slip does nothing; at H = 10, "
            "epsilon = 1 with the constant 1 the better action of the instance is played at most once in 10^6 "
            "episodes. The bound with explicit constants (zhou2022's analysis with local noise; the paper's proof is "
            "in an appendix that is not in our copy) says something in the smallest mixture at epsilon = 1, delta = "
            "0.1 from 2.6 million users on with accounted noise and sharp norms, from 4.2e12 on with the printed "
            "noise. In the experiments a c that covers leaves nothing to learn within 10^4 episodes, and the c that a "
            "grid finds does not cover: the curves of figure 2 are those of a heuristic, not of the analysed "
            "algorithm."),
        Erratum(
            "bandits-need-two-steps", "section 4: at H = 1 algorithm 1 sends noise alone and is no bandit algorithm",
            ("section-4-bandits",), (("section-4-bandits", "corrected"),),
            "Use H = 2, with the reward paid by the next state."),
        Erratum(
            "vec-transposed", "example 3.4: the feature embedding lacks a transposition", ("example-3.4",),
            (("example-3.4", "corrected"),), "Take vec(M') where the example has vec(M)."),
    ),
    "Lower bounds": (
        Erratum(
            "range-lacks-an-H",
            "theorem 5.6: the range of T lacks a factor H, and abstract and theorem differ in epsilon",
            ("theorem-5.6",),
            (("theorem-5.6", "corrected"), ("theorem-5.6", "corrected: sharper for small epsilon")),
            "Use the larger of 0.045 (d - 1) H sqrt(T)/tanh(epsilon/2) and, for small epsilon, 0.056 (d - 1) H^{3/2} "
            "sqrt(T)/s, each from its T on. Both are for pure epsilon-LDP; in the first, delta + (1 - delta) "
            "tanh^2(epsilon/2) for tanh^2(epsilon/2) makes it one for (epsilon, delta)."),
        Erratum(
            "privatised-laws-on-the-right", "lemma 5.4 has the laws of the privatised rewards on the right",
            ("lemma-5.4",),
            (("lemma-5.4", "corrected"), ("lemma-5.4", "corrected: the printed factor"),
             ("lemma-5.4", "corrected: against total variation, any alphabet"),
             ("lemma-5.4", "corrected: (epsilon, delta)")),
            "Put the raw rewards on the right; then tanh^2(epsilon/2) is the best factor. With it the lower bounds "
            "hold with better constants, and do not vanish as epsilon grows."),
        Erratum(
            "any-for-some", "lemma 5.5 says any environment where some is meant", ("lemma-5.5",),
            (("lemma-5.5", "corrected"), ("lemma-5.5", "corrected: sharper"),
             ("lemma-5.5", "corrected: (epsilon, delta)")),
            "Read some environment, with c = sqrt(3)/8."),
        Erratum(
            "context-not-in-the-history", "the display (5.1) conditions on contexts that the history does not hold",
            ("equation-5.1",), (("equation-5.1", "corrected"),), "Nothing: lemma 5.4 needs an upper bound only."),
    ),
}
