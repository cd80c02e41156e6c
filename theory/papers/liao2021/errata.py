"""The errata of liao2021 in the order of their consequence, privacy first: what fails, what stands, what it changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from theory.errata import Erratum

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "theorem-5.1",
            "values are cut from above only, so that no finite noise makes a message private", ("theorem-5.1",),
            (("theorem-5.1", "corrected"),
             ("theorem-5.1", "reading: values in [0, H - h], features with (3.1), epsilon >= 0.0068")),
            "clip Q to [0, H - h + 1]. The printed noise then keeps its promise for every epsilon from 0.0068 on, with "
            "room to spare: noise a sixteenth as large would do at epsilon = 1, H = 4. Without the clip a user's "
            "message has no bounded change, in the algorithm and in the experiments alike."),
        Erratum(
            "equation-3.1", "one-hot features break (3.1), and tabular MDPs with them", ("equation-3.1", "example-3.3"),
            (("equation-3.1", "corrected"), ("example-3.3", "corrected")),
            "divide one-hot features by sqrt(S), or count the change of a message as (S^2 + 3S)/4.5 times what (3.1) "
            "allows (squared); unscaled, the printed noise fails for S = 50, H = 2 at epsilon = 1, delta = 1e-6."),
        Erratum(
            "algorithm-1-sigma",
            "epsilon stands inside the root of sigma", ("algorithm-1-sigma",), (("algorithm-1-sigma", "corrected"),),
            "the noise is too small by sqrt(epsilon) for its own derivation where epsilon < 1, and larger than asked "
            "for above; the whole message is private all the same from epsilon = 0.0068 on. It changes the regret: "
            "with the printed sigma the private part goes with epsilon^{-1/4}, not epsilon^{-1/2}."),
        Erratum(
            "section-6.2-sigma",
            "the experiments' noise is derived from a sensitivity that is not the one of their features",
            ("section-6.2-sigma",), (("section-6.2-sigma", "corrected"),),
            "nothing for privacy, given values clipped at 0: the noise set there is 19 times the smallest at S = 3, "
            "epsilon = 1. Much for learning: most of the noise in figure 2 buys nothing."),
    ),
    "The algorithm and its regret": (
        Erratum(
            "theorem-5.2",
            "the upper bound lacks a term, epsilon has another power, and with the printed bonus regret can be linear",
            ("theorem-5.2",), (("theorem-5.2", "corrected"), ("theorem-5.2", "corrected: noise of each step")),
            "use the bound with explicit constants (its proof here is zhou2022's analysis with local noise; the "
            "paper's is in an appendix that is not in our copy). At epsilon = 1 in the smallest mixture it says "
            "something from 2.6 million users on with accounted noise and sharp norms, from 4.2e12 on with the printed "
            "noise. The printed beta_h falls towards the last steps and the noise does not: take one width for all "
            "steps, or the noise of each step. At two steps that slip does nothing; the instance that shows it has "
            "100.",
            (("theorem-5.2", "reading: beta_h as printed, r_k at least twice the noise's bound"),)),
        Erratum(
            "section-6.2-beta", "the tuned bonus falls with h, the noise does not", ("section-6.2-beta",),
            (("section-6.2-beta", "corrected"), ("section-6.2-beta", "step: what can be learnt")),
            "a c that covers leaves nothing to learn within 10^4 episodes; the c that a grid finds does not cover. The "
            "curves of figure 2 are those of a heuristic, not of the analysed algorithm."),
        Erratum("example-3.4",
                "the feature embedding lacks a transposition", ("example-3.4",), (("example-3.4", "corrected"),),
                "take vec(M') where the example has vec(M), and check the norms: the example does not."),
    ),
    "Lower bounds": (
        Erratum(
            "lemma-5.4",
            "the divergence of privatised histories: the wrong laws on the right, and a factor far too large",
            ("lemma-5.4", "equation-5.1"),
            (("lemma-5.4", "corrected"), ("lemma-5.4", "corrected: against total variation"),
             ("lemma-5.4", "corrected: against total variation, any alphabet"),
             ("lemma-5.4", "corrected: (epsilon, delta)"), ("equation-5.1", "corrected")),
            "put the raw rewards on the right; then tanh^2(epsilon/2) is the best factor. With it the lower bounds "
            "hold with better constants, and do not vanish as epsilon grows. Remark 5.7 sets a bound for (epsilon, "
            "delta) against one for epsilon alone; with delta the factor is delta + (1 - delta) tanh^2(epsilon/2).",
            (("lemma-5.4", "step: (epsilon, delta), as remark-5.7 compares"),)),
        Erratum(
            "theorem-5.6", "lower bounds: any environment for some, an H lost in the range, two forms of epsilon",
            ("theorem-5.6", "lemma-5.5"),
            (("theorem-5.6", "corrected"), ("theorem-5.6", "corrected: sharper for small epsilon"),
             ("lemma-5.5", "reading: some environment"), ("lemma-5.5", "corrected: sharper"),
             ("lemma-5.5", "corrected: (epsilon, delta)")),
            "use the larger of 0.045 (d - 1) H sqrt(T)/tanh(epsilon/2) and, for small epsilon, 0.056 (d - 1) H^{3/2} "
            "sqrt(T)/s, each from its T on. Both are for pure epsilon-LDP; in the first, delta + (1 - delta) "
            "tanh^2(epsilon/2) for tanh^2(epsilon/2) makes it one for (epsilon, delta)."),
    ),
}
