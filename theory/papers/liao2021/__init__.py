"""liao2021, Locally differentially private reinforcement learning for linear mixture MDPs: the checks, in the
paper's order.

``features`` has equation-3.1 and the two examples, ``privacy`` lemma-3.8, the noise of algorithm 1, theorem-5.1 and
adaptivity, ``divergence`` lemma-5.4.
"""
