"""Answers "enough" of ``privrl advise``, tried on worlds that are not among those it learnt from.

In most every state is equally likely next and a wrong action costs 1, as where users were measured
(:mod:`privrl.horizon.scaling`); sizes, epsilon, seeds and where which action pays are others. In
those of :mod:`privrl.horizon.held_back_gaps` a wrong action costs less, over a grid of gaps, or
states come up unequally often; in those of :mod:`privrl.horizon.held_back_supports` few states can
follow. Each is planned for exactly as many users as "enough" is said for.
No other answer is "enough".
"""

import math
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.horizon.graded import graded
from privrl.horizon.scaling import DELTA, GAP, NARROW, SAFE, even, factors, needed, share
from privrl.run import measure, simulate
from privrl.types import FloatArray, TabularMDP


class HeldBack(NamedTuple):
    """A world, the users that "enough" is said for, and the median over replicates of those before
    it has learnt, by :mod:`privrl.run.measure`."""

    kind: str  #: how many actions pay: see :func:`paying`
    counter: str
    states: int
    actions: int
    horizon: int
    epsilon: float
    multiplier: float
    seed: int  #: of which action pays, and of the runs
    users: int  #: that "enough" is said for
    first: float = math.inf  #: of them, before it has learnt
    gap: float = GAP  #: what a wrong action costs
    follow: int | None = None  #: states that a state can lead to; None: all

    @property
    def mdp(self) -> TabularMDP:
        """The world."""
        sizes = self.states, self.actions, self.horizon
        return paying(self.kind, *sizes, self.seed, self.gap, self.follow)

    @property
    def enough(self) -> int:
        """The users that "enough" is said for, by ``MEASURED_SCALING``."""
        agent = PrivateUCBVI(self.epsilon, DELTA, counter=self.counter)
        factor = factors("even", self.multiplier)[1] / share(self.mdp)
        most = needed(agent, self.mdp, factor, self.gap)
        return math.ceil(SAFE * math.ceil(most))

    def measure(self, replicates: int = 3) -> float:
        """The users, played again."""
        agent = PrivateUCBVI(self.epsilon, DELTA, counter=self.counter, multiplier=self.multiplier)
        marks = measure.marks(self.users)
        regret = [
            simulate.replicate(self.mdp, agent, self.users, None, self.seed, index, marks=marks)
            for index in range(replicates)
        ]
        lost = measure.reference(self.mdp, agent.name)
        return measure.Users(measure.first_users(marks, np.array(regret), lost)).median


def paying(
    kind: str,
    states: int,
    actions: int,
    horizon: int,
    seed: int,
    gap: float = GAP,
    follow: int | None = None,
) -> TabularMDP:
    """A world whose states come up alike but in ``uneven``, and in which what pays, pays 1 with
    probability ``gap``.

    ``kind`` : ``one`` action of each state and step pays; ``several``: each one with probability
        1/2, but one at least that does and one that does not; ``few``: one, in two of five states
        and steps, and nothing in the others; ``uneven``: as ``one``, with next states of which each
        comes up half as often as if all did alike, or more often; ``graded``: see
        :func:`privrl.horizon.graded.graded`
    ``follow`` : to so many states each one leads, with equal probability, so that every state comes
        up alike at every step all the same
    """
    if kind == "graded":
        return graded(states, actions, horizon, seed, gap, follow)
    if kind == "one" and follow is None:
        return even(states, actions, horizon, gap, seed=seed)
    rng = np.random.default_rng((seed, 1))
    sizes = horizon, states, actions
    if kind == "several":
        pays = rng.random(sizes) < 0.5
        for h in range(horizon):
            for s in range(states):
                does, does_not = rng.choice(actions, 2, replace=False)
                pays[h, s, does], pays[h, s, does_not] = True, False
    else:
        pays = np.eye(actions, dtype=bool)[rng.integers(actions, size=sizes[:2])]
    if kind == "few":
        matters = rng.random(sizes[:2]) < 0.4
        matters[rng.integers(horizon), rng.integers(states)] = True
        pays &= matters[..., None]
    initial: FloatArray = np.full(states, 1 / states)
    following: FloatArray = np.full((states, states), 1 / states)
    if kind == "uneven":
        initial = (initial + rng.dirichlet(np.ones(states))) / 2
        following = (following + rng.dirichlet(np.ones(states), size=states)) / 2
    if follow is not None:
        ahead = rng.choice(states, follow, replace=False)
        following = np.zeros((states, states))
        for s in range(states):
            following[s, (s + ahead) % states] = 1 / follow
    return TabularMDP(
        f"{kind}-{states}x{actions}-h{horizon}",
        np.repeat(following[:, None], actions, axis=1),
        gap * pays.astype(np.float64),
        initial,
        horizon=horizon,
    )


HELD_BACK = (
    HeldBack("one", "blt", 7, 2, 3, 5, 1.0, 100, 11_673, 6_807.0),
    HeldBack("one", "blt", 7, 2, 3, 5, NARROW, 100, 1_496, 650.0),
    HeldBack("one", "blt", 7, 2, 2, 5, 1.0, 101, 6_081, 4_497.0),
    HeldBack("one", "blt", 7, 2, 2, 5, NARROW, 101, 768, 494.0),
    HeldBack("one", "blt", 3, 3, 3, 1, 1.0, 102, 22_712, 12_385.0),
    HeldBack("one", "blt", 3, 3, 3, 1, NARROW, 102, 2_901, 1_297.0),
    HeldBack("one", "blt", 2, 2, 4, 50, 1.0, 103, 551, 375.0),
    HeldBack("one", "blt", 2, 2, 4, 50, NARROW, 103, 68, 18.0),
    HeldBack("one", "blt", 7, 4, 5, 5, NARROW, 104, 7_748, 2_838.0),
    HeldBack("one", "blt", 5, 3, 3, 2, 1.0, 105, 25_464, 14_220.0),
    HeldBack("one", "blt", 5, 3, 3, 2, NARROW, 105, 3_285, 1_633.0),
    HeldBack("one", "blt", 6, 2, 4, 1, 1.0, 106, 65_241, 34_110.0),
    HeldBack("one", "blt", 6, 2, 4, 1, NARROW, 106, 8_510, 3_258.0),
    HeldBack("one", "blt", 3, 2, 4, 20, 1.0, 107, 1_734, 1_031.0),
    HeldBack("one", "blt", 3, 2, 4, 20, NARROW, 107, 218, 90.0),
    HeldBack("one", "blt", 7, 4, 5, 1, NARROW, 108, 34_835, 14_220.0),
    HeldBack("one", "blt", 6, 2, 4, 1, 1.0, 109, 65_241, 34_110.0),
    HeldBack("one", "blt", 6, 2, 4, 1, NARROW, 109, 8_510, 3_572.0),
    HeldBack("one", "blt", 3, 3, 3, 10, 1.0, 110, 2_945, 1_633.0),
    HeldBack("one", "blt", 3, 3, 3, 10, NARROW, 110, 371, 143.0),
    HeldBack("one", "blt", 7, 3, 5, 1, NARROW, 111, 25_023, 9_395.0),
    HeldBack("one", "blt", 4, 4, 2, 10, 1.0, 112, 3_345, 2_472.0),
    HeldBack("one", "blt", 4, 4, 2, 10, NARROW, 112, 425, 272.0),
    HeldBack("one", "blt", 4, 3, 4, 3, 1.0, 113, 19_797, 10_302.0),
    HeldBack("one", "blt", 4, 3, 4, 3, NARROW, 113, 2_552, 940.0),
    HeldBack("one", "blt", 6, 4, 2, 1, 1.0, 114, 47_159, 34_110.0),
    HeldBack("one", "blt", 6, 4, 2, 1, NARROW, 114, 6_131, 4_497.0),
    HeldBack("one", "blt", 3, 2, 3, 3, 1.0, 115, 5_024, 2_710.0),
    HeldBack("one", "blt", 3, 2, 3, 3, NARROW, 115, 626, 326.0),
    HeldBack("one", "blt", 3, 2, 3, 10, 1.0, 116, 1_823, 1_079.0),
    HeldBack("one", "blt", 3, 2, 3, 10, NARROW, 116, 225, 114.0),
    HeldBack("one", "blt", 6, 4, 2, 10, 1.0, 117, 6_146, 4_709.0),
    HeldBack("one", "blt", 6, 4, 2, 10, NARROW, 117, 789, 450.0),
    HeldBack("one", "blt", 5, 4, 2, 2, 1.0, 118, 18_500, 13_580.0),
    HeldBack("one", "blt", 5, 4, 2, 2, NARROW, 118, 2_375, 1_791.0),
    HeldBack("one", "blt", 2, 4, 3, 2, 1.0, 119, 8_991, 4_709.0),
    HeldBack("one", "blt", 2, 4, 3, 2, NARROW, 119, 1_134, 517.0),
    HeldBack("one", "smooth", 7, 2, 3, 5, 1.0, 100, 23_828, 13_580.0),
    HeldBack("one", "smooth", 7, 2, 3, 5, NARROW, 100, 2_946, 1_183.0),
    HeldBack("one", "smooth", 7, 2, 2, 5, 1.0, 101, 12_327, 8_569.0),
    HeldBack("one", "smooth", 7, 2, 2, 5, NARROW, 101, 1_509, 1_031.0),
    HeldBack("one", "smooth", 3, 3, 3, 1, 1.0, 102, 48_590, 25_875.0),
    HeldBack("one", "smooth", 3, 3, 3, 1, NARROW, 102, 6_083, 2_710.0),
    HeldBack("one", "smooth", 2, 2, 4, 50, 1.0, 103, 933, 567.0),
    HeldBack("one", "smooth", 2, 2, 4, 50, NARROW, 103, 102, 28.0),
    HeldBack("one", "smooth", 7, 4, 5, 5, NARROW, 104, 15_585, 6_207.0),
    HeldBack("one", "smooth", 5, 3, 3, 2, 1.0, 105, 53_364, 29_709.0),
    HeldBack("one", "smooth", 5, 3, 3, 2, NARROW, 105, 6_720, 3_572.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, 1.0, 106, 137_600, 71_265.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, NARROW, 106, 17_685, 7_127.0),
    HeldBack("one", "smooth", 3, 2, 4, 20, 1.0, 107, 3_240, 1_710.0),
    HeldBack("one", "smooth", 3, 2, 4, 20, NARROW, 107, 368, 125.0),
    HeldBack("one", "smooth", 7, 4, 5, 1, NARROW, 108, 74_694, 31_109.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, 1.0, 109, 137_600, 71_265.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, NARROW, 109, 17_685, 6_807.0),
    HeldBack("one", "smooth", 3, 3, 3, 10, 1.0, 110, 5_714, 3_111.0),
    HeldBack("one", "smooth", 3, 3, 3, 10, NARROW, 110, 662, 298.0),
    HeldBack("one", "smooth", 7, 3, 5, 1, NARROW, 111, 53_520, 21_522.0),
    HeldBack("one", "smooth", 4, 4, 2, 10, 1.0, 112, 6_395, 4_709.0),
    HeldBack("one", "smooth", 4, 4, 2, 10, NARROW, 112, 795, 567.0),
    HeldBack("one", "smooth", 4, 3, 4, 3, 1.0, 113, 41_234, 20_554.0),
    HeldBack("one", "smooth", 4, 3, 4, 3, NARROW, 113, 5_019, 2_056.0),
    HeldBack("one", "smooth", 6, 4, 2, 1, 1.0, 114, 100_289, 71_265.0),
    HeldBack("one", "smooth", 6, 4, 2, 1, NARROW, 114, 12_944, 11_295.0),
    HeldBack("one", "smooth", 3, 2, 3, 3, 1.0, 115, 10_299, 5_163.0),
    HeldBack("one", "smooth", 3, 2, 3, 3, NARROW, 115, 1_205, 494.0),
    HeldBack("one", "smooth", 3, 2, 3, 10, 1.0, 116, 3_485, 1_964.0),
    HeldBack("one", "smooth", 3, 2, 3, 10, NARROW, 116, 413, 136.0),
    HeldBack("one", "smooth", 6, 4, 2, 10, 1.0, 117, 11_844, 8_569.0),
    HeldBack("one", "smooth", 6, 4, 2, 10, NARROW, 117, 1_496, 940.0),
    HeldBack("one", "smooth", 5, 4, 2, 2, 1.0, 118, 38_889, 27_095.0),
    HeldBack("one", "smooth", 5, 4, 2, 2, NARROW, 118, 4_721, 3_412.0),
    HeldBack("one", "smooth", 2, 4, 3, 2, 1.0, 119, 18_161, 9_395.0),
    HeldBack("one", "smooth", 2, 4, 3, 2, NARROW, 119, 2_241, 1_239.0),
    HeldBack("several", "blt", 4, 4, 5, 50, 1.0, 200, 4_737, 2_838.0),
    HeldBack("several", "blt", 4, 4, 5, 50, NARROW, 200, 624, 143.0),
    HeldBack("several", "blt", 7, 2, 4, 1, NARROW, 202, 10_850, 4_709.0),
    HeldBack("several", "blt", 3, 2, 4, 50, 1.0, 204, 989, 682.0),
    HeldBack("several", "blt", 3, 2, 4, 50, NARROW, 204, 125, 38.0),
    HeldBack("several", "blt", 3, 2, 2, 3, 1.0, 206, 2_603, 1_710.0),
    HeldBack("several", "blt", 3, 2, 2, 3, NARROW, 206, 318, 237.0),
    HeldBack("several", "blt", 4, 2, 2, 5, 1.0, 208, 2_579, 1_875.0),
    HeldBack("several", "blt", 4, 2, 2, 5, NARROW, 208, 318, 226.0),
    HeldBack("several", "blt", 3, 3, 5, 20, 1.0, 210, 3_954, 2_254.0),
    HeldBack("several", "blt", 3, 3, 5, 20, NARROW, 210, 509, 119.0),
    HeldBack("several", "blt", 4, 3, 3, 20, 1.0, 212, 2_736, 1_710.0),
    HeldBack("several", "blt", 4, 3, 3, 20, NARROW, 212, 350, 108.0),
    HeldBack("several", "blt", 3, 3, 3, 5, 1.0, 214, 5_166, 3_111.0),
    HeldBack("several", "blt", 3, 3, 3, 5, NARROW, 214, 651, 284.0),
    HeldBack("several", "blt", 3, 4, 2, 1, 1.0, 216, 16_482, 9_838.0),
    HeldBack("several", "blt", 3, 4, 2, 1, NARROW, 216, 2_093, 1_423.0),
    HeldBack("several", "blt", 7, 2, 2, 5, 1.0, 218, 6_081, 4_497.0),
    HeldBack("several", "blt", 7, 2, 2, 5, NARROW, 218, 768, 375.0),
    HeldBack("several", "blt", 6, 4, 5, 10, 1.0, 220, 25_998, 14_220.0),
    HeldBack("several", "blt", 6, 4, 5, 10, NARROW, 220, 3_422, 1_079.0),
    HeldBack("several", "blt", 7, 3, 4, 3, 1.0, 222, 46_551, 27_095.0),
    HeldBack("several", "blt", 7, 3, 4, 3, NARROW, 222, 6_101, 2_588.0),
    HeldBack("several", "blt", 2, 2, 5, 20, 1.0, 224, 1_355, 747.0),
    HeldBack("several", "blt", 2, 2, 5, 20, NARROW, 224, 168, 50.0),
    HeldBack("several", "blt", 4, 4, 4, 20, 1.0, 226, 5_981, 3_572.0),
    HeldBack("several", "blt", 4, 4, 4, 20, NARROW, 226, 777, 226.0),
    HeldBack("several", "blt", 2, 2, 4, 10, 1.0, 228, 1_575, 858.0),
    HeldBack("several", "blt", 2, 2, 4, 10, NARROW, 228, 194, 60.0),
    HeldBack("several", "blt", 2, 4, 2, 20, 1.0, 230, 746, 494.0),
    HeldBack("several", "blt", 2, 4, 2, 20, NARROW, 230, 90, 50.0),
    HeldBack("several", "blt", 5, 3, 3, 5, 1.0, 232, 11_171, 7_127.0),
    HeldBack("several", "blt", 5, 3, 3, 5, NARROW, 232, 1_433, 713.0),
    HeldBack("several", "blt", 4, 3, 4, 2, 1.0, 234, 28_772, 14_220.0),
    HeldBack("several", "blt", 4, 3, 4, 2, NARROW, 234, 3_720, 1_297.0),
    HeldBack("several", "blt", 4, 2, 2, 5, 1.0, 236, 2_579, 1_875.0),
    HeldBack("several", "blt", 4, 2, 2, 5, NARROW, 236, 318, 206.0),
    HeldBack("several", "blt", 7, 4, 3, 20, 1.0, 238, 8_807, 5_163.0),
    HeldBack("several", "blt", 7, 4, 3, 20, NARROW, 238, 1_152, 450.0),
    HeldBack("several", "blt", 8, 3, 4, 50, 1.0, 240, 6_705, 3_917.0),
    HeldBack("several", "blt", 8, 3, 4, 50, NARROW, 240, 885, 272.0),
    HeldBack("several", "blt", 4, 2, 5, 10, 1.0, 242, 6_321, 3_412.0),
    HeldBack("several", "blt", 4, 2, 5, 10, NARROW, 242, 807, 237.0),
    HeldBack("several", "blt", 2, 2, 4, 5, 1.0, 244, 2_772, 1_359.0),
    HeldBack("several", "blt", 2, 2, 4, 5, NARROW, 244, 342, 125.0),
    HeldBack("several", "blt", 5, 3, 3, 5, 1.0, 246, 11_171, 6_207.0),
    HeldBack("several", "blt", 5, 3, 3, 5, NARROW, 246, 1_433, 747.0),
    HeldBack("several", "blt", 5, 4, 5, 50, 1.0, 248, 6_561, 4_102.0),
    HeldBack("several", "blt", 5, 4, 5, 50, NARROW, 248, 869, 206.0),
    HeldBack("several", "blt", 6, 4, 5, 20, 1.0, 250, 15_465, 8_569.0),
    HeldBack("several", "blt", 6, 4, 5, 20, NARROW, 250, 2_039, 594.0),
    HeldBack("several", "blt", 4, 4, 5, 2, NARROW, 252, 7_503, 2_710.0),
    HeldBack("several", "blt", 8, 3, 3, 5, 1.0, 254, 22_905, 14_220.0),
    HeldBack("several", "blt", 8, 3, 3, 5, NARROW, 254, 2_979, 1_710.0),
    HeldBack("several", "blt", 8, 3, 3, 2, NARROW, 256, 6_860, 3_412.0),
    HeldBack("several", "blt", 8, 3, 3, 3, 1.0, 258, 36_044, 21_522.0),
    HeldBack("several", "blt", 8, 3, 3, 3, NARROW, 258, 4_701, 2_254.0),
    HeldBack("several", "smooth", 4, 4, 5, 50, 1.0, 200, 8_445, 4_709.0),
    HeldBack("several", "smooth", 4, 4, 5, 50, NARROW, 200, 1_065, 298.0),
    HeldBack("several", "smooth", 7, 2, 4, 1, NARROW, 202, 23_213, 8_972.0),
    HeldBack("several", "smooth", 3, 2, 4, 50, 1.0, 204, 1_704, 1_079.0),
    HeldBack("several", "smooth", 3, 2, 4, 50, NARROW, 204, 209, 69.0),
    HeldBack("several", "smooth", 3, 2, 2, 3, 1.0, 206, 5_066, 3_412.0),
    HeldBack("several", "smooth", 3, 2, 2, 3, NARROW, 206, 600, 284.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, 1.0, 208, 4_944, 3_258.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, NARROW, 208, 591, 430.0),
    HeldBack("several", "smooth", 3, 3, 5, 20, 1.0, 210, 7_352, 3_741.0),
    HeldBack("several", "smooth", 3, 3, 5, 20, NARROW, 210, 921, 259.0),
    HeldBack("several", "smooth", 4, 3, 3, 20, 1.0, 212, 4_952, 2_971.0),
    HeldBack("several", "smooth", 4, 3, 3, 20, NARROW, 212, 608, 216.0),
    HeldBack("several", "smooth", 3, 3, 3, 5, 1.0, 214, 10_371, 5_928.0),
    HeldBack("several", "smooth", 3, 3, 3, 5, NARROW, 214, 1_224, 713.0),
    HeldBack("several", "smooth", 3, 4, 2, 1, 1.0, 216, 34_178, 21_522.0),
    HeldBack("several", "smooth", 3, 4, 2, 1, NARROW, 216, 4_247, 3_412.0),
    HeldBack("several", "smooth", 7, 2, 2, 5, 1.0, 218, 12_327, 8_569.0),
    HeldBack("several", "smooth", 7, 2, 2, 5, NARROW, 218, 1_509, 898.0),
    HeldBack("several", "smooth", 6, 4, 5, 10, NARROW, 220, 6_678, 2_254.0),
    HeldBack("several", "smooth", 7, 3, 4, 3, NARROW, 222, 12_656, 5_163.0),
    HeldBack("several", "smooth", 2, 2, 5, 20, 1.0, 224, 2_432, 1_239.0),
    HeldBack("several", "smooth", 2, 2, 5, 20, NARROW, 224, 288, 82.0),
    HeldBack("several", "smooth", 4, 4, 4, 20, 1.0, 226, 11_289, 6_207.0),
    HeldBack("several", "smooth", 4, 4, 4, 20, NARROW, 226, 1_367, 494.0),
    HeldBack("several", "smooth", 2, 2, 4, 10, 1.0, 228, 2_982, 1_490.0),
    HeldBack("several", "smooth", 2, 2, 4, 10, NARROW, 228, 341, 197.0),
    HeldBack("several", "smooth", 2, 4, 2, 20, 1.0, 230, 1_278, 858.0),
    HeldBack("several", "smooth", 2, 4, 2, 20, NARROW, 230, 150, 99.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, 1.0, 232, 22_770, 13_580.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, NARROW, 232, 2_819, 1_359.0),
    HeldBack("several", "smooth", 4, 3, 4, 2, NARROW, 234, 7_643, 2_710.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, 1.0, 236, 4_944, 3_412.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, NARROW, 236, 591, 430.0),
    HeldBack("several", "smooth", 7, 4, 3, 20, 1.0, 238, 16_529, 9_838.0),
    HeldBack("several", "smooth", 7, 4, 3, 20, NARROW, 238, 2_106, 940.0),
    HeldBack("several", "smooth", 8, 3, 4, 50, 1.0, 240, 12_398, 7_127.0),
    HeldBack("several", "smooth", 8, 3, 4, 50, NARROW, 240, 1_569, 494.0),
    HeldBack("several", "smooth", 4, 2, 5, 10, 1.0, 242, 12_552, 6_207.0),
    HeldBack("several", "smooth", 4, 2, 5, 10, NARROW, 242, 1_548, 430.0),
    HeldBack("several", "smooth", 2, 2, 4, 5, 1.0, 244, 5_577, 2_710.0),
    HeldBack("several", "smooth", 2, 2, 4, 5, NARROW, 244, 635, 188.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, 1.0, 246, 22_770, 12_385.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, NARROW, 246, 2_819, 1_297.0),
    HeldBack("several", "smooth", 5, 4, 5, 50, 1.0, 248, 11_891, 7_127.0),
    HeldBack("several", "smooth", 5, 4, 5, 50, NARROW, 248, 1_533, 342.0),
    HeldBack("several", "smooth", 6, 4, 5, 20, 1.0, 250, 29_831, 15_592.0),
    HeldBack("several", "smooth", 6, 4, 5, 20, NARROW, 250, 3_815, 1_239.0),
    HeldBack("several", "smooth", 4, 4, 5, 2, NARROW, 252, 15_434, 5_163.0),
    HeldBack("several", "smooth", 8, 3, 3, 5, 1.0, 254, 46_637, 28_372.0),
    HeldBack("several", "smooth", 8, 3, 3, 5, NARROW, 254, 6_005, 2_971.0),
    HeldBack("several", "smooth", 8, 3, 3, 2, NARROW, 256, 14_220, 7_815.0),
    HeldBack("several", "smooth", 8, 3, 3, 3, NARROW, 258, 9_398, 4_709.0),
    HeldBack("few", "blt", 8, 4, 5, 50, 1.0, 201, 13_119, 6_207.0),
    HeldBack("few", "blt", 8, 4, 5, 50, NARROW, 201, 1_751, 542.0),
    HeldBack("few", "blt", 6, 4, 3, 10, 1.0, 203, 11_636, 5_928.0),
    HeldBack("few", "blt", 6, 4, 3, 10, NARROW, 203, 1_512, 747.0),
    HeldBack("few", "blt", 6, 3, 2, 2, 1.0, 205, 17_516, 10_787.0),
    HeldBack("few", "blt", 6, 3, 2, 2, NARROW, 205, 2_243, 1_633.0),
    HeldBack("few", "blt", 5, 2, 2, 3, 1.0, 207, 5_682, 3_412.0),
    HeldBack("few", "blt", 5, 2, 2, 3, NARROW, 207, 711, 494.0),
    HeldBack("few", "blt", 4, 2, 5, 5, 1.0, 209, 11_235, 5_163.0),
    HeldBack("few", "blt", 4, 2, 5, 5, NARROW, 209, 1_437, 517.0),
    HeldBack("few", "blt", 5, 4, 2, 10, 1.0, 211, 4_671, 2_472.0),
    HeldBack("few", "blt", 5, 4, 2, 10, NARROW, 211, 597, 312.0),
    HeldBack("few", "blt", 6, 3, 5, 5, 1.0, 213, 33_302, 12_969.0),
    HeldBack("few", "blt", 6, 3, 5, 5, NARROW, 213, 4_359, 1_490.0),
    HeldBack("few", "blt", 8, 2, 5, 10, 1.0, 215, 18_188, 8_183.0),
    HeldBack("few", "blt", 8, 2, 5, 10, NARROW, 215, 2_370, 898.0),
    HeldBack("few", "blt", 6, 3, 2, 20, 1.0, 217, 2_663, 1_633.0),
    HeldBack("few", "blt", 6, 3, 2, 20, NARROW, 217, 341, 197.0),
    HeldBack("few", "blt", 6, 4, 4, 5, 1.0, 219, 32_465, 15_592.0),
    HeldBack("few", "blt", 6, 4, 4, 5, NARROW, 219, 4_254, 2_056.0),
    HeldBack("few", "blt", 7, 2, 3, 50, 1.0, 221, 2_211, 1_079.0),
    HeldBack("few", "blt", 7, 2, 3, 50, NARROW, 221, 287, 99.0),
    HeldBack("few", "blt", 5, 4, 2, 5, 1.0, 223, 8_178, 4_931.0),
    HeldBack("few", "blt", 5, 4, 2, 5, NARROW, 223, 1_044, 782.0),
    HeldBack("few", "blt", 2, 4, 5, 1, 1.0, 225, 39_368, 11_295.0),
    HeldBack("few", "blt", 2, 4, 5, 1, NARROW, 225, 5_093, 1_791.0),
    HeldBack("few", "blt", 4, 2, 4, 20, 1.0, 227, 2_663, 1_239.0),
    HeldBack("few", "blt", 4, 2, 4, 20, NARROW, 227, 339, 150.0),
    HeldBack("few", "blt", 2, 2, 4, 3, 1.0, 229, 4_352, 2_254.0),
    HeldBack("few", "blt", 2, 2, 4, 3, NARROW, 229, 540, 272.0),
    HeldBack("few", "blt", 2, 2, 2, 5, 1.0, 231, 906, 567.0),
    HeldBack("few", "blt", 2, 2, 2, 5, NARROW, 231, 107),
    HeldBack("few", "blt", 2, 2, 2, 5, 1.0, 233, 906, 594.0),
    HeldBack("few", "blt", 2, 2, 2, 5, NARROW, 233, 107, 79.0),
    HeldBack("few", "blt", 6, 3, 2, 2, 1.0, 235, 17_516, 9_838.0),
    HeldBack("few", "blt", 6, 3, 2, 2, NARROW, 235, 2_243, 1_490.0),
    HeldBack("few", "blt", 8, 4, 3, 20, 1.0, 237, 10_758, 5_928.0),
    HeldBack("few", "blt", 8, 4, 3, 20, NARROW, 237, 1_412, 713.0),
    HeldBack("few", "blt", 7, 4, 4, 5, 1.0, 239, 41_069, 17_902.0),
    HeldBack("few", "blt", 7, 4, 4, 5, NARROW, 239, 5_403, 2_254.0),
    HeldBack("few", "blt", 6, 4, 4, 3, NARROW, 241, 6_711, 2_838.0),
    HeldBack("few", "blt", 4, 4, 5, 10, 1.0, 243, 14_123, 5_163.0),
    HeldBack("few", "blt", 4, 4, 5, 10, NARROW, 243, 1_839, 594.0),
    HeldBack("few", "blt", 2, 2, 4, 10, 1.0, 245, 1_575, 650.0),
    HeldBack("few", "blt", 2, 2, 4, 10, NARROW, 245, 194, 57.0),
    HeldBack("few", "blt", 8, 2, 2, 10, 1.0, 247, 4_230, 1_875.0),
    HeldBack("few", "blt", 8, 2, 2, 10, NARROW, 247, 537, 180.0),
    HeldBack("few", "blt", 7, 2, 4, 50, 1.0, 249, 3_437, 1_359.0),
    HeldBack("few", "blt", 7, 2, 4, 50, NARROW, 249, 447, 119.0),
    HeldBack("few", "blt", 2, 3, 2, 10, 1.0, 251, 852, 542.0),
    HeldBack("few", "blt", 2, 3, 2, 10, NARROW, 251, 102, 91.0),
    HeldBack("few", "blt", 8, 2, 2, 20, 1.0, 253, 2_549, 1_710.0),
    HeldBack("few", "blt", 8, 2, 2, 20, NARROW, 253, 324, 150.0),
    HeldBack("few", "blt", 8, 3, 4, 3, NARROW, 255, 7_520, 2_838.0),
    HeldBack("few", "blt", 6, 4, 4, 10, 1.0, 257, 18_296, 7_463.0),
    HeldBack("few", "blt", 6, 4, 4, 10, NARROW, 257, 2_396, 819.0),
    HeldBack("few", "blt", 6, 4, 5, 20, 1.0, 259, 15_465, 7_463.0),
    HeldBack("few", "blt", 6, 4, 5, 20, NARROW, 259, 2_039, 650.0),
    HeldBack("few", "smooth", 8, 4, 5, 50, 1.0, 201, 24_453, 11_295.0),
    HeldBack("few", "smooth", 8, 4, 5, 50, NARROW, 201, 3_189, 1_183.0),
    HeldBack("few", "smooth", 6, 4, 3, 10, 1.0, 203, 23_078, 11_295.0),
    HeldBack("few", "smooth", 6, 4, 3, 10, NARROW, 203, 2_885, 1_560.0),
    HeldBack("few", "smooth", 6, 3, 2, 2, 1.0, 205, 35_745, 23_599.0),
    HeldBack("few", "smooth", 6, 3, 2, 2, NARROW, 205, 4_467, 3_258.0),
    HeldBack("few", "smooth", 5, 2, 2, 3, 1.0, 207, 11_523, 7_127.0),
    HeldBack("few", "smooth", 5, 2, 2, 3, NARROW, 207, 1_350, 1_079.0),
    HeldBack("few", "smooth", 4, 2, 5, 5, 1.0, 209, 23_033, 9_838.0),
    HeldBack("few", "smooth", 4, 2, 5, 5, NARROW, 209, 2_844, 747.0),
    HeldBack("few", "smooth", 5, 4, 2, 10, 1.0, 211, 8_847, 5_163.0),
    HeldBack("few", "smooth", 5, 4, 2, 10, NARROW, 211, 1_089, 747.0),
    HeldBack("few", "smooth", 6, 3, 5, 5, NARROW, 213, 8_666, 3_572.0),
    HeldBack("few", "smooth", 8, 2, 5, 10, 1.0, 215, 35_853, 15_592.0),
    HeldBack("few", "smooth", 8, 2, 5, 10, NARROW, 215, 4_562, 1_633.0),
    HeldBack("few", "smooth", 6, 3, 2, 20, 1.0, 217, 4_812, 3_111.0),
    HeldBack("few", "smooth", 6, 3, 2, 20, NARROW, 217, 591, 312.0),
    HeldBack("few", "smooth", 6, 4, 4, 5, NARROW, 219, 8_442, 4_295.0),
    HeldBack("few", "smooth", 7, 2, 3, 50, 1.0, 221, 3_905, 1_875.0),
    HeldBack("few", "smooth", 7, 2, 3, 50, NARROW, 221, 477, 206.0),
    HeldBack("few", "smooth", 5, 4, 2, 5, 1.0, 223, 16_127, 9_838.0),
    HeldBack("few", "smooth", 5, 4, 2, 5, NARROW, 223, 2_019, 1_710.0),
    HeldBack("few", "smooth", 2, 4, 5, 1, NARROW, 225, 10_730, 3_572.0),
    HeldBack("few", "smooth", 4, 2, 4, 20, 1.0, 227, 4_865, 2_153.0),
    HeldBack("few", "smooth", 4, 2, 4, 20, NARROW, 227, 594, 237.0),
    HeldBack("few", "smooth", 2, 2, 4, 3, 1.0, 229, 8_703, 4_295.0),
    HeldBack("few", "smooth", 2, 2, 4, 3, NARROW, 229, 1_047, 430.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, 1.0, 231, 1_731, 1_079.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, NARROW, 231, 186, 143.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, 1.0, 233, 1_731, 1_079.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, NARROW, 233, 186),
    HeldBack("few", "smooth", 6, 3, 2, 2, 1.0, 235, 35_745, 21_522.0),
    HeldBack("few", "smooth", 6, 3, 2, 2, NARROW, 235, 4_467, 2_971.0),
    HeldBack("few", "smooth", 8, 4, 3, 20, 1.0, 237, 20_919, 11_295.0),
    HeldBack("few", "smooth", 8, 4, 3, 20, NARROW, 237, 2_547, 1_359.0),
    HeldBack("few", "smooth", 7, 4, 4, 5, NARROW, 239, 10_931, 4_931.0),
    HeldBack("few", "smooth", 6, 4, 4, 3, NARROW, 241, 13_793, 5_928.0),
    HeldBack("few", "smooth", 4, 4, 5, 10, 1.0, 243, 27_752, 10_302.0),
    HeldBack("few", "smooth", 4, 4, 5, 10, NARROW, 243, 3_552, 1_130.0),
    HeldBack("few", "smooth", 2, 2, 4, 10, 1.0, 245, 2_982, 1_079.0),
    HeldBack("few", "smooth", 2, 2, 4, 10, NARROW, 245, 341, 197.0),
    HeldBack("few", "smooth", 8, 2, 2, 10, 1.0, 247, 8_142, 3_741.0),
    HeldBack("few", "smooth", 8, 2, 2, 10, NARROW, 247, 998, 430.0),
    HeldBack("few", "smooth", 7, 2, 4, 50, 1.0, 249, 6_240, 2_360.0),
    HeldBack("few", "smooth", 7, 2, 4, 50, NARROW, 249, 791, 237.0),
    HeldBack("few", "smooth", 2, 3, 2, 10, 1.0, 251, 1_583, 940.0),
    HeldBack("few", "smooth", 2, 3, 2, 10, NARROW, 251, 174, 131.0),
    HeldBack("few", "smooth", 8, 2, 2, 20, 1.0, 253, 4_653, 3_111.0),
    HeldBack("few", "smooth", 8, 2, 2, 20, NARROW, 253, 570, 272.0),
    HeldBack("few", "smooth", 8, 3, 4, 3, NARROW, 255, 15_365, 6_500.0),
    HeldBack("few", "smooth", 6, 4, 4, 10, 1.0, 257, 35_724, 14_220.0),
    HeldBack("few", "smooth", 6, 4, 4, 10, NARROW, 257, 4_560, 1_875.0),
    HeldBack("few", "smooth", 6, 4, 5, 20, 1.0, 259, 29_831, 13_580.0),
    HeldBack("few", "smooth", 6, 4, 5, 20, NARROW, 259, 3_815, 1_490.0),
)
