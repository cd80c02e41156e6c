"""Tabular agents, one algorithm per file: optimistic planners that read only released counts.

An episode is counted in ``Sums``. The counter's noise makes ``Released`` of them, and that is all that ``plan`` reads.
``play`` and ``tally`` alone have the ``World``: they follow the plan in it, and compute what it costs.

    release(sums, noise, ..) -> plan(released, ..) -> play(world, greedy, ..) -> sums
                                                   -> tally(world, greedy, ..) -> exact regret
"""

from privrl.agents.kind import Kind

KINDS = (
    Kind("pucb", "privrl.agents.tabular.pucb", "PUCB", "tree"),
    Kind("ubev", "privrl.agents.tabular.ubev", "UBEV", "none"),
    Kind("private-ucbvi", "privrl.agents.tabular.private_ucbvi", "PrivateUCBVI", "tree", calibration="tight"),
    Kind("ldp-ucbvi", "privrl.agents.tabular.private_ucbvi", "PrivateUCBVI", "local", calibration="tight"),
    Kind("ucbvi", "privrl.agents.tabular.private_ucbvi", "PrivateUCBVI", "none", calibration="tight"),
    Kind("dp-ucbvi", "privrl.agents.tabular.dp_ucbvi", "DPUCBVI", "tree", calibration="tight"),
)
