"""The errata of chowdhury2021 in the order of their consequence, privacy first: what fails, what stands, what it
changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from theory.errata import Erratum

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "radius-reads-data-before-noise",
            "the proof of privacy does not reach the controls, since the radius reads the data before noise",
            ("theorem-2",),
            (("theorem-2", "corrected: a radius that reads releases only"),
             ("theorem-2", "reading: both counters together up to epsilon = 6.36"),
             ("theorem-2", "corrected: noise in closed form")),
            "Take the radius of Appendix C, which reads no data, or one made from the released matrix: it costs next "
            r"to nothing. Then, with gains within $\gamma$ (erratum 3), the printed noise is enough for $\varepsilon "
            r"\le 6.36$ with $\gamma$ in $[0.05, 20]$ at every $\delta$, and at $\varepsilon = 1$, $\delta = 10^{-6}$, "
            r"$\gamma = 0.5$ it is 1.7 times what is needed. For larger $\varepsilon$ use the exact curve. With the "
            "radius as printed nobody knows whether the theorem is true; the calibrations `corrected` and `tight` of "
            "the package have the repair."),
        Erratum(
            "sensitivity-of-one-trajectory", "the sensitivities bound one trajectory, not the difference of two",
            ("sensitivity",), (("sensitivity", "corrected"),),
            "The printed values are right when a user is taken out and up to twice too small when one is replaced, as "
            r"the paper's definitions ask. Splitting $\varepsilon$ between the two counters wastes more than that, so "
            "that the printed noise still suffices in the range named above."),
        Erratum(
            "gains-are-not-bounded", "the norms of states and controls need gains within gamma", ("lemma-2",),
            (("lemma-2", "corrected"),),
            r"Privacy and regret rest on $\|u\| \le \gamma$. Choose $\gamma$ for the gains (`lq_gain_bound`), restrict "
            "the choice in (9), or cut the gains; with cut gains the regret proof does not cover the run. In the "
            "systems of the suite no gain is ever cut."),
    ),
    "The algorithm": (
        Erratum(
            "optimistic-choice-needs-the-noise",
            "the optimistic choice needs the covariances of the noise, and a set that is closed", ("equation-9",),
            (("equation-9", "corrected"),),
            "Give the algorithm the covariances of the noise, and search the closed ball without asking for "
            "controllability. Nothing in the proofs changes."),
        Erratum("alpha-spent-one-and-a-half-times", "the confidence set spends alpha one and a half times",
                ("lemma-1",), (("lemma-1", "corrected"),),
                r"Take the constants of Assumption 2 at $\alpha/2$, as the appendix does. This changes logarithms "
                "only."),
        Erratum("index-of-the-gain", "the gain of a step is printed with the matrix of that step, not of the next",
                ("equation-4",), (("equation-4", "corrected: the gains"),),
                "Use $P_{h+1}$, so that the last control is 0. As printed even an agent that knows the system has a "
                "regret that grows linearly."),
    ),
    "Regret": (
        Erratum(
            "d-grows-with-the-horizon",
            "the bound on the Riccati matrices grows with H, and the displayed powers of H do not",
            ("theorem-1", "theorem-3", "lemma-3", "lemma-7", "lemma-8"),
            (("theorem-1", "corrected"), ("theorem-1", "corrected: a larger power of H"),
             ("theorem-1", "corrected: without lemma-7"), ("theorem-3", "corrected"),
             ("theorem-3", "corrected: a larger power of H"), ("theorem-3", "corrected: before the agent can learn")),
            r"The orders in $K$, $n$, $d$, $\varepsilon$, $\delta$ and $\alpha$ stand for every fixed $H$. The "
            r"displayed powers of $H$ are proved when the choice (9) is restricted to $\|A\| \le C_A$, which makes "
            "$C_A$ an input; for the choice as printed they are open, with $H^2$ proved for $H$ in theorem 1 and for "
            "$H^{3/2}$ in the cost of privacy of theorem 3. In numbers use `regret_bound`, which makes theorem 3 say "
            "something four to five orders of magnitude earlier than the printed lines multiplied out."),
        Erratum("index-of-the-last-line", "a free index and an uneven last line in the third sum",
                ("claim-2", "claim-1"), (("claim-2", "corrected"), ("claim-1", "corrected")),
                "Read $k$ as $K$ and count all $K$ episodes in the Gram matrix; 'some constant $D$' must be at least "
                "1."),
        Erratum("norm-for-its-square", "a norm is written where its square is meant", ("lemma-6",),
                (("lemma-6", "corrected"),), r"Read $x^\top P x$. Nothing changes."),
        Erratum("slepian-without-centred", "Slepian's inequality without the word centred", ("lemma-9",),
                (("lemma-9", "corrected"),), "Nothing changes: the processes of the proof are centred."),
    ),
}
