"""Users before an agent has learnt, by whom users trust: measured runs on two small problems.

The measure is that of :mod:`privrl.run.measure`. Runs that were planned for unequal numbers of
users have no ratio.
"""

from typing import NamedTuple

import numpy as np

from privrl.agents import registry
from privrl.environments import suite
from privrl.horizon.scaling import DELTA
from privrl.run import measure, simulate
from privrl.run.simulate import Agent

RIVER, MIXTURE = "vietri2020/riverswim-3-relabelled", "zhou2022/mixture-2"
AGENTS = {RIVER: "private-ucbvi", MIXTURE: "linopt-vi"}


class Trusted(NamedTuple):
    """Replicates with seed 0 of one counter, with widths as proved."""

    problem: str  #: of the suite
    epsilon: float
    counter: str
    every: int  #: users to a plan
    planned: int
    played: int
    replicates: int
    median: int
    low: int  #: of the median's interval of 95 %
    high: int

    @property
    def agent(self) -> Agent:
        """With calibration ``tight``."""
        agent: Agent = registry.make(
            AGENTS[self.problem],
            epsilon=self.epsilon,
            delta=DELTA,
            beta=suite.entry(self.problem).beta,
            counter=self.counter,
            calibration="tight",
            every=self.every,
        )
        return agent

    def measure(self, replicates: int | None = None) -> measure.Users:
        """Played again, or only the first replicates."""
        world, marks = suite.environment(self.problem), measure.marks(self.planned)
        marks = marks[marks <= self.played]
        regret = [
            simulate.replicate(world, self.agent, self.planned, self.played, 0, index, marks=marks)
            for index in range(replicates or self.replicates)
        ]
        lost = measure.reference(world, self.agent.name)
        return measure.Users(measure.first_users(marks, np.array(regret), lost), measure.STEP)


M = 10**6
MEASURED_USERS = (
    Trusted(RIVER, 1.0, "tree", 1, M, M, 32, 68_058, 64_994, 78_140),
    Trusted(RIVER, 1.0, "secure", 1, M, M, 32, 81_823, 74_623, 89_717),
    Trusted(RIVER, 1.0, "shuffle", 10**5, 10 * M, 10 * M, 32, 2_253_575, 2_055_285, 2_359_783),
    Trusted(RIVER, 1.0, "shuffle", 10**4, 10 * M, 10 * M, 32, 3_110_800, 2_709_393, 3_410_924),
    Trusted(RIVER, 10.0, "tree", 1, M, M // 5, 32, 10_302, 9395, 11_296),
    Trusted(RIVER, 10.0, "secure", 1, M, M // 5, 32, 11_828, 10_786, 12_386),
    Trusted(MIXTURE, 1.0, "tree", 1, M, M // 5, 32, 17_096, 16_326, 18_746),
    Trusted(MIXTURE, 1.0, "secure", 1, M, M // 5, 32, 21_522, 19_628, 23_600),
)
