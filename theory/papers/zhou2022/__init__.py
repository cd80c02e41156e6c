"""zhou2022: the checks.

``algorithms`` has algorithm-1 and algorithm-2, ``confidence`` lemma-3.1, ``optimism`` lemma-7.2,
equation-3 and equation-6, ``regret`` theorem-4.1, ``policy`` theorem-5.1, ``privacy`` theorem-6.4,
``private_regret`` theorem-6.5, ``remarks`` what is only remarked. lemma-6.1 and adaptivity stand in
:mod:`theory.papers.tree_levels`, lemma-B.1 to lemma-B.5 in :mod:`theory.papers.gaussian_lemmas`;
chowdhury2021 shares them.
"""
