"""The errata of zhou2022 in the order of their consequence: causes, and what they change in practice."""

from theory.errata import Erratum

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Regret": (
        Erratum(
            "first-states-that-change",
            r"Policy optimisation has linear regret when the first states $s_1^k$ change with $k$, even if they are "
            r"fixed in advance: at least 0.22 per episode from $K=10^5$ to $10^6$ at $H=1$",
            ("theorem-5.1", "theorem-6.5"), (("theorem-5.1", "corrected"), ("theorem-6.5", "corrected")),
            "Section 2.1 says that the first state is \"assumed to be fixed and history independent\". Read as one "
            "state for all episodes, or as states that are drawn from one law, both theorems hold. Do not use "
            "algorithm 2 where users come in waves that begin in different states, or give each first state weights "
            "of its own. Value iteration has no such restriction."),
    ),
    "Privacy": (
        Erratum(
            "epsilon-beyond-the-logarithm",
            r'"For any $\varepsilon>0$" needs a range: no hidden constant covers '
            r"$\varepsilon$ much larger than $\ln(1/\delta)$",
            ("theorem-6.4",),
            (("theorem-6.4", "corrected: epsilon up to 24.8"),
             ("theorem-6.4", "corrected: epsilon up to 6.6 ln(4H/delta)"),
             ("theorem-6.4", "corrected")),
            r"Nothing changes up to $\varepsilon=24.8$ or $6.6\ln(4H/\delta)$, whichever is larger: there the "
            r"printed noise is more than enough, several times over at usual $\varepsilon$. At $\delta=10^{-6}$ all "
            r"counters together first exceed the claim at $\varepsilon=119$ for $H=1$, and the actions were seen to "
            r"do so only from 969 on, for value iteration. The noise that the exact curve of all counters together "
            r"asks for (calibration `corrected`) gives the guarantee at every $\varepsilon$ and learns, in the runs "
            r"of section 11, from 1.6 to 10 times fewer users."),
        Erratum(
            "base-of-the-logarithm",
            r"$m=\lceil\log K\rceil$ does not say its base, and the paper's other logarithms are natural",
            ("lemma-6.1",), (("lemma-6.1", "corrected"),),
            r"Read $m=\lceil\log_2K\rceil$, as the binary tree has it, and release nothing after the last episode: "
            r"line 14 at $k=K$ asks for a sum that no plan reads, and at $K=2^p$ it would cost one partial sum more."),
    ),
    "The algorithms": (
        Erratum(
            "first-release-is-zero",
            r"$\Lambda_h^1=0$ is inverted in the first episode",
            ("algorithm-1", "algorithm-2"), (("algorithm-1", "corrected"), ("algorithm-2", "corrected")),
            r"Start from the shift, $2\Sigma I$. Where noise makes a matrix indefinite the pseudo-code is silent: "
            r"here $Q$ is then its cap."),
        Erratum(
            "superscript-of-the-features",
            r"The displayed sums hold $\phi_h^k$ of the newest episode where $\phi_h^j$ is meant",
            ("lemma-3.1",), (("lemma-3.1", "corrected"),),
            r"Sum $\phi_h^j(s_h^j,a_h^j)$, as the partial sums of section 6.1 and Appendix A do; with $\phi_h^k$ no "
            r"counter could be fed. $\beta_p$ and $\beta_r$ are right as printed. The filtrations must also hold the "
            r"noise of the releases and, for policy optimisation, the action."),
    ),
    "Lines of proofs": (
        Erratum(
            "lost-factor-H",
            r"The last line of the regret's proof loses a factor $H$, and $T_3$ has $V_h^\pi$ for $V_{h+1}^\pi$",
            ("theorem-4.1",), (("theorem-4.1", "corrected"), ("theorem-4.1", "corrected: sharper")),
            r"The orders stand: with a better step the displayed bound follows with the constant 9 (10 for policy "
            r"optimisation). The sums before the constants are hidden are 3 to 5 times what is proved for the same "
            r"noise, on mixture-2 at $K=10^6$ and $\varepsilon$ from 1 to 100."),
        Erratum(
            "omitted-case",
            "The proof of optimism leaves out a case",
            ("lemma-7.2",), (("lemma-7.2", "printed"),),
            r"Nothing changes: $Q$ is cut at $H-h+1$, the case is trivial and the lemma true."),
        Erratum(
            "centred",
            "Slepian's inequality is printed without the word centred",
            ("lemma-B.1",), (("lemma-B.1", "corrected"),),
            "Nothing changes: the paper applies it to centred processes only, as the cited source has it."),
    ),
}
