"""chowdhury2021, Adaptive control of differentially private linear quadratic systems: the checks,
in the paper's order.

``system`` and ``optimism`` have Sections II-A and III-A, ``coverage`` lemma-1, ``sensitivity`` and
``privacy`` Section IV-A with ``released``, what Algorithm 1 reads, ``noise`` the norms of the noise
of Section IV-B, ``bounded`` Appendix A, ``decomposition`` and ``third_term`` Appendix C to E,
``regret`` the two theorems with ``orders``, what the proofs allow beside the print, and ``lower``,
a lower bound. ``runs`` plays the algorithm with every sum of the proof. The binary mechanism is
shared with zhou2022 (:mod:`theory.papers.tree_levels`), and so are lemma-9 to lemma-13
(:mod:`theory.papers.gaussian_lemmas`).
"""
