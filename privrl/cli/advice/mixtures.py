"""How many users LinOpt-VI needs before it has learnt on mixtures that were not run: measured runs,
and a scaling.

Users = factor * H^2 K_0, where K_0 is the number of users from which on bonuses are within the
values, for a run that is planned for as many. The factor is what was measured, and nothing else.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from privrl.run import measure


class MeasuredMixture(NamedTuple):
    """Users before LinOpt-VI (tight, over blt, delta = 1e-6, seed 0) had learnt on
    ``mixture(d, horizon)``, by :mod:`privrl.run.measure`."""

    d: int
    horizon: int
    epsilon: float
    planned: int
    users: float  #: the median over replicates
    low: float  #: and its 95 % interval
    high: float
    last: int | None = None  #: users that were played; all by default
    replicates: int = 8

    @property
    def agent(self) -> Any:
        """With widths as proved."""
        from privrl.agents.linear.linopt_vi import LinOptVI

        return LinOptVI(self.epsilon, 1e-6, counter="blt", calibration="tight")

    @property
    def world(self) -> Any:
        """The mixture."""
        from privrl.environments.mixtures import mixture

        return mixture(self.d, self.horizon)

    def measure(self) -> measure.Users:
        """The users, measured again."""
        import numpy as np

        from privrl.run import simulate

        world, agent, marks = self.world, self.agent, measure.marks(self.planned)
        marks = marks[marks <= (self.planned if self.last is None else self.last)]
        regret = [
            simulate.replicate(world, agent, self.planned, self.last, 0, index, marks=marks)
            for index in range(self.replicates)
        ]
        lost = measure.reference(world, agent.name)
        return measure.Users(measure.first_users(marks, np.array(regret), lost), measure.STEP)

    @property
    def factor(self) -> float:
        """Users over H^2 K_0."""
        begin = start(self.agent, self.d, self.horizon)
        assert begin is not None
        return self.users / (self.horizon**2 * begin)


MEASURED = (
    MeasuredMixture(2, 2, 2, 40_000, 3_335, 2_837.28, 4_101.60),
    MeasuredMixture(2, 4, 10, 40_000, 4_603, 3_572.63, 6_806.34),
    MeasuredMixture(4, 3, 10, 80_000, 9_395, 8_568.19, 10_301.65),
    MeasuredMixture(8, 4, 10, 400_000, 85_770, 71_264.41, 103_009.18, last=229_087, replicates=6),
)


def start(agent: Any, d: int, horizon: int) -> int | None:
    """K_0; None where the counter cannot serve so many."""
    from theory.papers.zhou2022 import bounds

    return bounds.crossing(
        lambda K: bounds.start_ratio(
            bounds.constants(
                d, d, horizon, K, agent.epsilon, agent.delta, agent.alpha, "tight", agent.counter
            )
        ),
        agent.counter,
        horizon * d * (d + 3),
    )


@functools.cache
def factors() -> tuple[float, float]:
    """The least and the largest factor that was measured."""
    measured = [row.factor for row in MEASURED]
    return min(measured), max(measured)
