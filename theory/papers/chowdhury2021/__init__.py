"""chowdhury2021, Adaptive control of differentially private linear quadratic systems: the checks, in the paper's order.

``sensitivity`` and ``privacy`` have Section IV-A, ``noise`` the norms of the noise of Section IV-B. The binary
mechanism is shared with zhou2022 (:mod:`theory.papers.tree_levels`), and so are lemma-9 to lemma-13
(:mod:`theory.papers.gaussian_lemmas`).
"""
