"""The errata of vietri2020 in the order of their consequence, privacy first: causes, and what they change in practice.

The statements, instances and checks are the ledger's. Every claim with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from theory.errata import Erratum

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "one-user-two-trajectories",
            r"At $T = 10^6$, every $\varepsilon$ and $\delta = 0$ the released counters together lose 2.01 times "
            r"$\varepsilon$ with $\log T$ to base 2 and 2.90 times with the natural logarithm, because replacing a "
            "user changes the streams of two trajectories; whether PUCB itself loses more than it promises is open",
            ("theorem-1", "claim-1"),
            (("theorem-1", "corrected"), ("theorem-1", "corrected: the printed noise, at a larger epsilon"),
             ("claim-1", "corrected")),
            r"Draw node noise of scale $6H (\lfloor \log_2(T-1) \rfloor + 1)/\varepsilon$ in place of "
            r"$(3H/\varepsilon) \log T$. At $\varepsilon = 1$ and $T = 10^6$ that is 2.01 times as much as the printed "
            "noise to base 2, and 2.90 times as much as the printed noise with the natural logarithm, which is what "
            "this package runs as printed. A factor 2 of it is claim 1; the rest is the depth of the tree. It follows "
            r"from the printed noise that PUCB is $2.59 \varepsilon$-JDP (base 2) or $3.73 \varepsilon$-JDP (natural "
            "logarithm), whatever $T$ is. Whether the actions and policies alone, which is all that other users see, "
            "leak that much is not known.",
            (("theorem-1", "step: the released counters together are epsilon-DP, natural logarithm"),)),
        Erratum(
            "levels-of-the-tree",
            r"The binary mechanism with $T$ releases counts one level of its tree too few",
            ("theorem-12",), (("theorem-12", "corrected: privacy"),
                              ("theorem-12", "corrected: error bound, beta up to 1/2")),
            r"An item enters up to $\lfloor \log_2 T \rfloor + 1$ nodes, and the noise has to be divided among that "
            r"many. To base 2 the loss at $T = 1024$ is 1.1 times $\varepsilon$. The error bound stands for every "
            r"$\beta$ up to 1/2."),
        Erratum(
            "zeros-for-reward-counters",
            "Algorithm 2 as printed feeds the reward counter of the visited tuple only", ("algorithm-2",),
            (("algorithm-2", "corrected"),),
            "Feed 0 to all other counters of all three families in every step, as section 4 means it. Otherwise a "
            "release that changed shows the visit, and no noise protects it."),
        Erratum(
            "indices-of-the-binary-mechanism", "Two indices of the binary mechanism", ("algorithm-5",),
            (("algorithm-5", "corrected"),),
            r"Read $\mathrm{Bin}_j(t)$ for $\mathrm{Bin}_j(j)$ and for $\mathrm{Bin}_j(T)$. Nothing else changes."),
        Erratum(
            "scale-of-laplace", r"$\mathrm{Lap}(\varepsilon)$ in the example of joint privacy", ("example-jdp",),
            (("example-jdp", "reading: towards future users"), ("example-jdp", "corrected: the tree in its place")),
            r"Read the argument as the inverse of a scale, unlike in algorithm 5. The example itself is right."),
    ),
    "The algorithm": (
        Erratum(
            "missing-equals-h",
            r"Algorithm 3 lacks the case $\tilde{Q}^+ = H$ where the released count is below $2E$",
            ("algorithm-3", "theorem-14", "lemma-15", "lemma-16", "lemma-17"),
            (("algorithm-3", "corrected"), ("theorem-14", "corrected"), ("lemma-15", "corrected"),
             ("lemma-16", "corrected"), ("lemma-17", "corrected")),
            r"Set $\tilde{Q}^+ = H$ where $\tilde{n} < 2E$, as the display that ends the proof of lemma 15 does; as "
            "printed algorithm 3 divides by counts that are zero or negative. With that one line every plan is "
            r"optimistic on the good event, and a third of $\tilde{\psi}$ could be saved."),
        Erratum(
            "width-without-its-four",
            r"The width $E$ has lost a factor 4 of theorem 12, and the events of rewards and transitions a logarithm",
            ("equation-e-epsilon", "lemma-13"), (("equation-e-epsilon", "printed"), ("lemma-13", "printed")),
            r"Nothing changes: $\log(T)^{2.5}$ grows so much faster than the tree's error that the printed $E$ covers "
            r"the printed noise for every $T$ to base 2, and from $T = 4$ on with natural logarithms. For the same "
            "reason smaller widths learn from fewer users."),
        Erratum(
            "releases-are-not-monotone", "The releases of the binary mechanism do not increase", ("section-2.3",),
            (("section-2.3", "corrected"),),
            "Use the running maximum where an increasing count is wanted; it has the same error bound."),
    ),
    "Upper bounds": (
        Erratum(
            "gap-beyond-the-bonuses", "The gap of an episode is not bounded by its bonuses",
            ("lemma-18", "equation-5"), (("lemma-18", "corrected"), ("equation-5", "corrected")),
            "This is the heart of theorems 3 and 4. It is repaired with one more event, at the price of a term "
            r"$S^2AH^3$ without $1/\varepsilon$ (or a factor $\sqrt{S}$); the orders of both theorems stand where "
            r"$\varepsilon$ is at most about 1. No simulated run broke the printed lemma.",
            (("lemma-18", "reading: up to a constant factor"),)),
        Erratum(
            "tuples-without-their-step", "The pigeonhole counts states and actions, and the counters are per step too",
            ("equation-17",), (("equation-17", "corrected: counted by visits"),),
            r"Count visits in place of episodes: the right end of (17), with $3E$ rounded up, and the order "
            r"$SAH^3/\varepsilon$ stand."),
        Erratum(
            "bonuses-above-h", "Bonuses are taken to be at most $H$, and are not", ("equation-15",),
            (("equation-15", "corrected"),),
            r"Replace each bonus by its minimum with $H$, which is what $\tilde{Q}^+ \le H$ allows, and the inequality "
            "holds."),
        Erratum(
            "lost-factors-of-the-regret-proof", "Lines of the regret proof lose a factor 3, a $+1$ and a probability",
            ("theorem-4",), (("theorem-4", "corrected"),),
            r"Use `regret_bound`. At $\varepsilon = 1$ the sum that the proof displays exceeds the bound proved for "
            "the same noise at the sizes that were compared, so its value can be quoted there although its proof "
            "cannot. It says something only from 4.4 to 4.9 times as many users on as that bound, 12 to 24 times as "
            r"many as the bound for noise that is $\varepsilon$-JDP."),
        Erratum(
            "lost-factors-of-the-pac-proof",
            "Lines of the PAC proof lose a factor $1 + SH$, invert an exponent and leave out a term",
            ("theorem-3", "lemma-20", "lemma-21"), (("theorem-3", "corrected"), ("lemma-20", "corrected")),
            "Use `pac_bound`, which does without nice episodes and is 100 to 430 times smaller in the panels of the "
            r"notebook where a policy loses $\alpha$ (190 and more for noise that is $\varepsilon$-JDP). It has the "
            r"theorem's order where $\varepsilon \le H$ or $S \alpha \le H$."),
        Erratum(
            "nice-by-two-definitions", r"Nice episodes are defined with $\beta$ in one place and $\beta/4$ in another",
            ("lemma-19",), (("lemma-19", "corrected"),),
            r"Use $\beta' = \beta/4$ and $w_t < w_{\min}$ in definition 7, as appendix B.1 does."),
        Erratum(
            "index-of-the-numerator", "An index in the lemma on sums of quotients", ("lemma-22",),
            (("lemma-22", "corrected"),), "Read $a_k$ for $a_i$. Nothing else changes."),
    ),
    "Lower bounds": (
        Erratum(
            "own-action-is-not-public",
            "Joint privacy hides a user's own action from everyone else, and the lower bounds read it",
            ("theorem-5", "lemma-10", "lemma-9", "equation-42", "theorem-6", "lemma-11"),
            (("theorem-5", "corrected: private policies"), ("theorem-5", "corrected: the first term"),
             ("theorem-5", "corrected: what joint privacy allows"), ("lemma-10", "corrected: private policies"),
             ("lemma-10", "corrected: joint privacy"), ("lemma-9", "corrected: private policies"),
             ("equation-42", "corrected"), ("theorem-6", "corrected: private policies"),
             ("theorem-6", "corrected: joint privacy")),
            "For agents whose policies together are private, which is all that the billboard lemma covers and so "
            "includes PUCB, the privacy terms of theorems 5 and 6 hold, with explicit constants. An agent that is only "
            "jointly private can explore with secret arms and needs no factor $A$: with 32 arms and "
            r"$\varepsilon = 0.001$ it needs 60 000 users where private policies need 108 982. With the small constant "
            r"of the paper's proof this shows only for hundreds of thousands of arms and $\varepsilon$ of the order "
            r"$10^{-9}$. So the gap between upper and lower bound is no proof that PUCB is nearly optimal among "
            "jointly private agents."),
        Erratum(
            "coupling-exponent", r"The exponent $6 \varepsilon$ of the coupling lemma is too small for large "
            r"$\varepsilon$", ("lemma-23", "lemma-7"), (("lemma-23", "corrected"), ("lemma-7", "corrected")),
            r"$6 \varepsilon t \alpha$ is right up to $\varepsilon = 2.9183$, where it is loose; beyond, the growth is "
            r"$e^{\varepsilon} - 1$. With $\delta > 0$ the additive part lacks a factor $n$; the paper uses "
            r"$\delta = 0$ only."),
        Erratum(
            "two-arms-exchanged", "The bandit bound compares instances that differ in two arms", ("lemma-8",),
            (("lemma-8", "corrected"), ("lemma-8", "corrected: the printed bound")),
            r"Compare with the instance in which arm $a$ alone is raised by $2\alpha$. That needs a best mean of at "
            r"most $1 - \alpha$, and then the printed bound is twelve times too small."),
    ),
}
