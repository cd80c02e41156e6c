"""Users before private UCBVI has learnt, by whom users trust: measured runs on one small problem.

The measure is that of :mod:`privrl.run.measure`. Runs that were planned for unequal numbers of
users have no ratio.
"""

from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.environments import riverswim
from privrl.run import measure, simulate

EPSILON, DELTA = 1.0, 1e-6
WORLD = riverswim(3, 3, relabelled=True)


class Trusted(NamedTuple):
    """Replicates with seed 0 of one counter."""

    counter: str
    every: int  #: users to a plan
    planned: int
    replicates: int
    median: int
    low: int  #: of the median's interval of 95 %
    high: int

    @property
    def agent(self) -> PrivateUCBVI:
        """With widths as proved."""
        return PrivateUCBVI(EPSILON, DELTA, counter=self.counter, every=self.every)

    def measure(self, replicates: int | None = None) -> measure.Users:
        """Played again, or only the first replicates."""
        marks = measure.marks(self.planned)
        regret = [
            simulate.replicate(WORLD, self.agent, self.planned, None, 0, index, marks=marks)
            for index in range(replicates or self.replicates)
        ]
        lost = measure.reference(WORLD, self.agent.name)
        return measure.Users(measure.first_users(marks, np.array(regret), lost), measure.STEP)


MEASURED_USERS = (
    Trusted("tree", 1, 10**6, 9, 68_058, 62_069, 81_823),
    Trusted("secure", 1, 10**6, 9, 107_863, 98_372, 107_863),
    Trusted("shuffle", 10**5, 10**7, 9, 2_253_575, 1_962_781, 2_359_783),
    Trusted("shuffle", 10**4, 10**7, 6, 3_184_104, 2_709_393, 3_571_676),
)
