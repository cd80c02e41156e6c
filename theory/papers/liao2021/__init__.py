"""liao2021: the checks, in the paper's order.

``features`` has remark-3.2 and the two examples, ``privacy`` lemma-3.8, the noise of algorithm 1,
theorem-5.1 and adaptivity, ``regret`` theorem-5.2, ``history`` equation-5.1, ``divergence``
lemma-5.4, ``lower`` lemma-5.5, ``mixtures`` theorem-5.6, ``experiments`` section 6.2, ``remarks``
what the text around the theorems asserts.
"""
