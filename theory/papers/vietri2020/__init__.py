"""vietri2020, Private reinforcement learning with PAC and regret guarantees: the checks, in the
paper's order.

``coverage`` has Sections 2.3 and 3; ``privacy`` and ``adaptivity`` Section 4; ``counters`` and
``theorem_12`` Appendix A. Appendix B in the order in which it builds up: ``fail_events`` (B.3),
``optimism`` (B.4, with algorithm-3), ``gap`` (B.5), ``bonus_sums`` and ``regret`` (B.2),
``nice_episodes`` (B.6), ``pac`` (B.1). Long proofs stand in proofs.md.

``joint_privacy`` has Section 2.2 and the billboard lemma. Section 6 and Appendix C:
``lower_bounds`` (lemma-23, lemma-7), ``lower_bounds_bandit`` (lemma-8), ``lower_bounds_rl``
(equation-42, lemma-9, lemma-11), ``lower_bounds_pac`` (lemma-10), ``lower_bounds_theorem_5`` and
``lower_bounds_regret`` (theorem-6).
"""
