"""zhou2022, Differentially private reinforcement learning with linear function approximation: the checks.

``privacy`` has theorem-6.4. lemma-6.1 and adaptivity stand in :mod:`theory.papers.tree_levels`, lemma-B.1 to
lemma-B.5 in :mod:`theory.papers.gaussian_lemmas`; chowdhury2021 shares them.
"""
