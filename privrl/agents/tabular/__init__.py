"""Tabular agents, one algorithm per file: optimistic planners that read only released counts.

An episode is counted in ``TabularSums``. The counter's noise makes ``TabularReleased`` of them, and
that is all that ``plan`` reads. ``play`` and ``tally`` alone have the ``TabularWorld``: they follow
the plan in it, and compute what it costs.

    release(sums, noise, ..) -> plan(released, ..) -> play(world, greedy, ..) -> sums
                                                   -> tally(world, greedy, ..) -> exact regret
"""
