"""vietri2020, Private reinforcement learning with PAC and regret guarantees: the checks, in the paper's order.

``privacy`` and ``adaptivity`` have Section 4, ``counters`` and ``theorem_12`` Appendix A, ``regret`` Section 5 and
Appendix B.2.
"""
