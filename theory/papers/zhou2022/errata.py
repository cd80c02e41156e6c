"""The errata of zhou2022 in the order of their consequence, privacy first: what fails, what stands, what it changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from theory.errata import Erratum

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "theorem-6.4",
            "the claimed privacy fails at large epsilon, on the actions too, and each counter exceeds its share",
            ("theorem-6.4",),
            (("theorem-6.4", "reading: O is the constant 1, epsilon <= 24.8"), ("theorem-6.4", "corrected")),
            "nothing up to epsilon = 24.8 or 6.6 ln(4H/delta), whichever is larger: there the printed noise is more "
            "than enough, several times over at usual epsilon. The noise that the exact curve of all 4H counters "
            "together asks for (calibration `corrected`) gives the same guarantee at every epsilon and learns, in the "
            "runs of section 11, from 1.6 to 10 times fewer users. That the actions themselves show too much is seen "
            "for value iteration only, and only where the counters fail already."),
        Erratum(
            "lemma-6.1",
            "the number of partial sums with the natural logarithm", ("lemma-6.1",), (("lemma-6.1", "corrected"),),
            "read m = ceil(log2 K), and release nothing after the last episode: line 14 at k = K asks for a sum that "
            "no plan reads, and at K = 2^p it would cost one partial sum more."),
    ),
    "The algorithms": (
        Erratum(
            "algorithm-1", "Lambda = 0 is inverted, and the sums are displayed with the wrong episode's features",
            ("algorithm-1", "algorithm-2"), (("algorithm-1", "corrected"), ("algorithm-2", "corrected")),
            "start from the shift, 2 Sigma I; sum phi^j(s^j, a^j) as the partial sums of section 6.1 and Appendix A "
            "do. With phi^k no counter could be fed, and nothing would be private. Where noise makes a matrix "
            "indefinite the pseudo-code is silent: here Q is then its cap."),
        Erratum(
            "lemma-3.1", "the ellipsoids for the displayed estimate", ("lemma-3.1",), (("lemma-3.1", "corrected"),),
            "the same correction. The filtrations must also hold the noise of the releases and, for policy "
            "optimisation, the action; beta_p and beta_r are right as printed. Values in [0, H - h] would allow "
            "(H - h)/2 for H/2."),
    ),
    "Regret": (
        Erratum(
            "theorem-5.1",
            "policy optimisation with first states that change", ("theorem-5.1",), (("theorem-5.1", "corrected"),),
            "use algorithm 2 only where every episode begins in the same state, or in one drawn from the same law. "
            "Value iteration has no such restriction."),
        Erratum(
            "theorem-4.1",
            "a lost factor H on the way to the regret bound, and lambda_min forgotten at astronomic epsilon",
            ("theorem-4.1", "theorem-6.5"), (("theorem-4.1", "corrected"), ("theorem-6.5", "corrected")),
            "the orders stand: with a better step the displayed bound follows with the constant 9 (10 for policy "
            "optimisation). The sums before the constants are hidden are 3 to 5 times what is proved for the same "
            "noise, on mixture-2 at K = 10^6 and epsilon 1 to 100."),
        Erratum("lemma-7.2",
                "a case that the proof of optimism leaves out", ("lemma-7.2",), (("lemma-7.2", "printed"),),
                "nothing: Q is cut at H - h + 1, the case is trivial and the lemma true."),
        Erratum("lemma-B.1", "Slepian's inequality without centring", ("lemma-B.1",), (("lemma-B.1", "corrected"),),
                "nothing: the paper applies it to centred processes only."),
    ),
}
