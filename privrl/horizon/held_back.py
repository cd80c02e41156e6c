"""Answers "enough" of ``privrl advise``, tried on worlds that are not among those it learnt from.

In each every state is equally likely next and a wrong action costs 1, as where users were measured
(:mod:`privrl.horizon.scaling`); sizes, epsilon, seeds and where which action pays are others. Each
is planned for exactly as many users as "enough" is said for. No other answer is "enough".
"""

import math
from typing import NamedTuple

import numpy as np

from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.horizon.scaling import NARROW, SAFE, even, factors, needed
from privrl.run import measure, simulate
from privrl.types import TabularMDP


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

    @property
    def mdp(self) -> TabularMDP:
        """The world."""
        return paying(self.kind, self.states, self.actions, self.horizon, self.seed)

    @property
    def enough(self) -> int:
        """The users that "enough" is said for, by ``MEASURED_SCALING``."""
        agent = PrivateUCBVI(self.epsilon, 1e-6, counter=self.counter)
        most = needed(agent, self.mdp, factors("even", self.multiplier)[1])
        return math.ceil(SAFE * math.ceil(most))

    def measure(self, replicates: int = 3) -> float:
        """The users, played again."""
        agent = PrivateUCBVI(self.epsilon, 1e-6, counter=self.counter, multiplier=self.multiplier)
        marks = measure.marks(self.users)
        regret = [
            simulate.replicate(self.mdp, agent, self.users, None, self.seed, index, marks=marks)
            for index in range(replicates)
        ]
        lost = measure.reference(self.mdp, agent.name)
        return measure.Users(measure.first_users(marks, np.array(regret), lost)).median


def paying(kind: str, states: int, actions: int, horizon: int, seed: int) -> TabularMDP:
    """A world whose states come up alike, with gap 1.

    ``kind`` : ``one`` action of each state and step pays; ``several``: each one with probability
        1/2, but one at least that does and one that does not; ``few``: one, in two of five states
        and steps, and nothing in the others
    """
    if kind == "one":
        return even(states, actions, horizon, seed=seed)
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
        matters = rng.random(sizes[:2]) < 0.4
        matters[rng.integers(horizon), rng.integers(states)] = True
        pays &= matters[..., None]
    return TabularMDP(
        f"{kind}-{states}x{actions}-h{horizon}",
        np.full((states, actions, states), 1 / states),
        pays.astype(float),
        np.full(states, 1 / states),
        horizon=horizon,
    )


HELD_BACK = (
    HeldBack("one", "blt", 7, 2, 3, 5, 1.0, 100, 10_620, 6_807.0),
    HeldBack("one", "blt", 7, 2, 3, 5, NARROW, 100, 1_611, 650.0),
    HeldBack("one", "blt", 7, 2, 2, 5, 1.0, 101, 5_528, 4_497.0),
    HeldBack("one", "blt", 7, 2, 2, 5, NARROW, 101, 828, 494.0),
    HeldBack("one", "blt", 3, 3, 3, 1, 1.0, 102, 20_661, 12_385.0),
    HeldBack("one", "blt", 3, 3, 3, 1, NARROW, 102, 3_126, 1_297.0),
    HeldBack("one", "blt", 2, 2, 4, 50, 1.0, 103, 501, 375.0),
    HeldBack("one", "blt", 2, 2, 4, 50, NARROW, 103, 72, 18.0),
    HeldBack("one", "blt", 7, 4, 5, 5, NARROW, 104, 8_336, 2_838.0),
    HeldBack("one", "blt", 5, 3, 3, 2, 1.0, 105, 23_174, 14_220.0),
    HeldBack("one", "blt", 5, 3, 3, 2, NARROW, 105, 3_537, 1_633.0),
    HeldBack("one", "blt", 6, 2, 4, 1, 1.0, 106, 59_394, 34_110.0),
    HeldBack("one", "blt", 6, 2, 4, 1, NARROW, 106, 9_159, 3_258.0),
    HeldBack("one", "blt", 3, 2, 4, 20, 1.0, 107, 1_577, 1_031.0),
    HeldBack("one", "blt", 3, 2, 4, 20, NARROW, 107, 236, 90.0),
    HeldBack("one", "blt", 7, 4, 5, 1, NARROW, 108, 37_457, 14_220.0),
    HeldBack("one", "blt", 6, 2, 4, 1, 1.0, 109, 59_394, 34_110.0),
    HeldBack("one", "blt", 6, 2, 4, 1, NARROW, 109, 9_159, 3_572.0),
    HeldBack("one", "blt", 3, 3, 3, 10, 1.0, 110, 2_678, 1_633.0),
    HeldBack("one", "blt", 3, 3, 3, 10, NARROW, 110, 401, 143.0),
    HeldBack("one", "blt", 7, 3, 5, 1, NARROW, 111, 26_910, 9_395.0),
    HeldBack("one", "blt", 4, 4, 2, 10, 1.0, 112, 3_042, 2_472.0),
    HeldBack("one", "blt", 4, 4, 2, 10, NARROW, 112, 458, 272.0),
    HeldBack("one", "blt", 4, 3, 4, 3, 1.0, 113, 18_015, 10_302.0),
    HeldBack("one", "blt", 4, 3, 4, 3, NARROW, 113, 2_748, 940.0),
    HeldBack("one", "blt", 6, 4, 2, 1, 1.0, 114, 42_927, 32_575.0),
    HeldBack("one", "blt", 6, 4, 2, 1, NARROW, 114, 6_599, 4_497.0),
    HeldBack("one", "blt", 3, 2, 3, 3, 1.0, 115, 4_565, 2_710.0),
    HeldBack("one", "blt", 3, 2, 3, 3, NARROW, 115, 675, 326.0),
    HeldBack("one", "blt", 3, 2, 3, 10, 1.0, 116, 1_656, 1_031.0),
    HeldBack("one", "blt", 3, 2, 3, 10, NARROW, 116, 243, 114.0),
    HeldBack("one", "blt", 6, 4, 2, 10, 1.0, 117, 5_592, 4_709.0),
    HeldBack("one", "blt", 6, 4, 2, 10, NARROW, 117, 851, 450.0),
    HeldBack("one", "blt", 5, 4, 2, 2, 1.0, 118, 16_833, 12_969.0),
    HeldBack("one", "blt", 5, 4, 2, 2, NARROW, 118, 2_558, 1_791.0),
    HeldBack("one", "blt", 2, 4, 3, 2, 1.0, 119, 8_175, 4_709.0),
    HeldBack("one", "blt", 2, 4, 3, 2, NARROW, 119, 1_223, 517.0),
    HeldBack("one", "smooth", 7, 2, 3, 5, 1.0, 100, 21_830, 13_580.0),
    HeldBack("one", "smooth", 7, 2, 3, 5, NARROW, 100, 3_231, 1_239.0),
    HeldBack("one", "smooth", 7, 2, 2, 5, 1.0, 101, 11_081, 8_569.0),
    HeldBack("one", "smooth", 7, 2, 2, 5, NARROW, 101, 1_616, 1_031.0),
    HeldBack("one", "smooth", 3, 3, 3, 1, 1.0, 102, 43_838, 24_711.0),
    HeldBack("one", "smooth", 3, 3, 3, 1, NARROW, 102, 6_510, 3_258.0),
    HeldBack("one", "smooth", 2, 2, 4, 50, 1.0, 103, 854, 542.0),
    HeldBack("one", "smooth", 2, 2, 4, 50, NARROW, 103, 116, 28.0),
    HeldBack("one", "smooth", 7, 4, 5, 5, NARROW, 104, 16_676, 6_207.0),
    HeldBack("one", "smooth", 5, 3, 3, 2, 1.0, 105, 48_884, 29_709.0),
    HeldBack("one", "smooth", 5, 3, 3, 2, NARROW, 105, 7_193, 3_572.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, 1.0, 106, 126_062, 71_265.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, NARROW, 106, 18_930, 7_127.0),
    HeldBack("one", "smooth", 3, 2, 4, 20, 1.0, 107, 2_901, 1_710.0),
    HeldBack("one", "smooth", 3, 2, 4, 20, NARROW, 107, 416, 125.0),
    HeldBack("one", "smooth", 7, 4, 5, 1, NARROW, 108, 81_500, 29_709.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, 1.0, 109, 126_062, 71_265.0),
    HeldBack("one", "smooth", 6, 2, 4, 1, NARROW, 109, 18_930, 6_807.0),
    HeldBack("one", "smooth", 3, 3, 3, 10, 1.0, 110, 4_989, 3_111.0),
    HeldBack("one", "smooth", 3, 3, 3, 10, NARROW, 110, 734, 312.0),
    HeldBack("one", "smooth", 7, 3, 5, 1, NARROW, 111, 57_246, 21_522.0),
    HeldBack("one", "smooth", 4, 4, 2, 10, 1.0, 112, 5_856, 4_709.0),
    HeldBack("one", "smooth", 4, 4, 2, 10, NARROW, 112, 851, 567.0),
    HeldBack("one", "smooth", 4, 3, 4, 3, 1.0, 113, 36_473, 20_554.0),
    HeldBack("one", "smooth", 4, 3, 4, 3, NARROW, 113, 5_651, 2_056.0),
    HeldBack("one", "smooth", 6, 4, 2, 1, 1.0, 114, 91_895, 68_058.0),
    HeldBack("one", "smooth", 6, 4, 2, 1, NARROW, 114, 13_853, 11_295.0),
    HeldBack("one", "smooth", 3, 2, 3, 3, 1.0, 115, 9_087, 5_163.0),
    HeldBack("one", "smooth", 3, 2, 3, 3, NARROW, 115, 1_290, 567.0),
    HeldBack("one", "smooth", 3, 2, 3, 10, 1.0, 116, 3_191, 1_875.0),
    HeldBack("one", "smooth", 3, 2, 3, 10, NARROW, 116, 443, 136.0),
    HeldBack("one", "smooth", 6, 4, 2, 10, 1.0, 117, 10_848, 8_569.0),
    HeldBack("one", "smooth", 6, 4, 2, 10, NARROW, 117, 1_601, 940.0),
    HeldBack("one", "smooth", 5, 4, 2, 2, 1.0, 118, 34_385, 27_095.0),
    HeldBack("one", "smooth", 5, 4, 2, 2, NARROW, 118, 5_055, 3_572.0),
    HeldBack("one", "smooth", 2, 4, 3, 2, 1.0, 119, 16_569, 9_395.0),
    HeldBack("one", "smooth", 2, 4, 3, 2, NARROW, 119, 2_400, 1_239.0),
    HeldBack("several", "blt", 4, 4, 5, 50, 1.0, 200, 4_314, 2_838.0),
    HeldBack("several", "blt", 4, 4, 5, 50, NARROW, 200, 672, 143.0),
    HeldBack("several", "blt", 7, 2, 4, 1, NARROW, 202, 11_676, 4_709.0),
    HeldBack("several", "blt", 3, 2, 4, 50, 1.0, 204, 899, 682.0),
    HeldBack("several", "blt", 3, 2, 4, 50, NARROW, 204, 134, 38.0),
    HeldBack("several", "blt", 3, 2, 2, 3, 1.0, 206, 2_364, 1_710.0),
    HeldBack("several", "blt", 3, 2, 2, 3, NARROW, 206, 344, 237.0),
    HeldBack("several", "blt", 4, 2, 2, 5, 1.0, 208, 2_343, 1_875.0),
    HeldBack("several", "blt", 4, 2, 2, 5, NARROW, 208, 344, 226.0),
    HeldBack("several", "blt", 3, 3, 5, 20, 1.0, 210, 3_599, 2_254.0),
    HeldBack("several", "blt", 3, 3, 5, 20, NARROW, 210, 548, 119.0),
    HeldBack("several", "blt", 4, 3, 3, 20, 1.0, 212, 2_489, 1_710.0),
    HeldBack("several", "blt", 4, 3, 3, 20, NARROW, 212, 377, 136.0),
    HeldBack("several", "blt", 3, 3, 3, 5, 1.0, 214, 4_697, 3_111.0),
    HeldBack("several", "blt", 3, 3, 3, 5, NARROW, 214, 702, 284.0),
    HeldBack("several", "blt", 3, 4, 2, 1, 1.0, 216, 14_991, 9_838.0),
    HeldBack("several", "blt", 3, 4, 2, 1, NARROW, 216, 2_256, 1_423.0),
    HeldBack("several", "blt", 7, 2, 2, 5, 1.0, 218, 5_528, 4_497.0),
    HeldBack("several", "blt", 7, 2, 2, 5, NARROW, 218, 828, 375.0),
    HeldBack("several", "blt", 6, 4, 5, 10, 1.0, 220, 23_679, 13_580.0),
    HeldBack("several", "blt", 6, 4, 5, 10, NARROW, 220, 3_681, 1_079.0),
    HeldBack("several", "blt", 7, 3, 4, 3, 1.0, 222, 42_392, 27_095.0),
    HeldBack("several", "blt", 7, 3, 4, 3, NARROW, 222, 6_564, 2_588.0),
    HeldBack("several", "blt", 2, 2, 5, 20, 1.0, 224, 1_232, 713.0),
    HeldBack("several", "blt", 2, 2, 5, 20, NARROW, 224, 182, 50.0),
    HeldBack("several", "blt", 4, 4, 4, 20, 1.0, 226, 5_444, 3_572.0),
    HeldBack("several", "blt", 4, 4, 4, 20, NARROW, 226, 837, 226.0),
    HeldBack("several", "blt", 2, 2, 4, 10, 1.0, 228, 1_431, 858.0),
    HeldBack("several", "blt", 2, 2, 4, 10, NARROW, 228, 210, 60.0),
    HeldBack("several", "blt", 2, 4, 2, 20, 1.0, 230, 678, 494.0),
    HeldBack("several", "blt", 2, 4, 2, 20, NARROW, 230, 98, 50.0),
    HeldBack("several", "blt", 5, 3, 3, 5, 1.0, 232, 10_164, 6_807.0),
    HeldBack("several", "blt", 5, 3, 3, 5, NARROW, 232, 1_544, 713.0),
    HeldBack("several", "blt", 4, 3, 4, 2, 1.0, 234, 26_187, 14_220.0),
    HeldBack("several", "blt", 4, 3, 4, 2, NARROW, 234, 4_005, 1_297.0),
    HeldBack("several", "blt", 4, 2, 2, 5, 1.0, 236, 2_343, 1_875.0),
    HeldBack("several", "blt", 4, 2, 2, 5, NARROW, 236, 344, 206.0),
    HeldBack("several", "blt", 7, 4, 3, 20, 1.0, 238, 8_019, 5_163.0),
    HeldBack("several", "blt", 7, 4, 3, 20, NARROW, 238, 1_241, 450.0),
    HeldBack("several", "blt", 8, 3, 4, 50, 1.0, 240, 6_107, 3_917.0),
    HeldBack("several", "blt", 8, 3, 4, 50, NARROW, 240, 953, 272.0),
    HeldBack("several", "blt", 4, 2, 5, 10, 1.0, 242, 5_750, 3_258.0),
    HeldBack("several", "blt", 4, 2, 5, 10, NARROW, 242, 870, 237.0),
    HeldBack("several", "blt", 2, 2, 4, 5, 1.0, 244, 2_519, 1_359.0),
    HeldBack("several", "blt", 2, 2, 4, 5, NARROW, 244, 369, 136.0),
    HeldBack("several", "blt", 5, 3, 3, 5, 1.0, 246, 10_164, 6_207.0),
    HeldBack("several", "blt", 5, 3, 3, 5, NARROW, 246, 1_544, 747.0),
    HeldBack("several", "blt", 5, 4, 5, 50, 1.0, 248, 5_978, 4_102.0),
    HeldBack("several", "blt", 5, 4, 5, 50, NARROW, 248, 935, 206.0),
    HeldBack("several", "blt", 6, 4, 5, 20, 1.0, 250, 14_085, 8_569.0),
    HeldBack("several", "blt", 6, 4, 5, 20, NARROW, 250, 2_193, 594.0),
    HeldBack("several", "blt", 4, 4, 5, 2, NARROW, 252, 8_075, 2_710.0),
    HeldBack("several", "blt", 8, 3, 3, 5, 1.0, 254, 20_853, 14_220.0),
    HeldBack("several", "blt", 8, 3, 3, 5, NARROW, 254, 3_207, 1_710.0),
    HeldBack("several", "blt", 8, 3, 3, 2, NARROW, 256, 7_382, 3_412.0),
    HeldBack("several", "blt", 8, 3, 3, 3, 1.0, 258, 32_816, 21_522.0),
    HeldBack("several", "blt", 8, 3, 3, 3, NARROW, 258, 5_061, 2_254.0),
    HeldBack("several", "smooth", 4, 4, 5, 50, 1.0, 200, 7_739, 4_709.0),
    HeldBack("several", "smooth", 4, 4, 5, 50, NARROW, 200, 1_140, 284.0),
    HeldBack("several", "smooth", 7, 2, 4, 1, NARROW, 202, 24_840, 9_395.0),
    HeldBack("several", "smooth", 3, 2, 4, 50, 1.0, 204, 1_560, 1_079.0),
    HeldBack("several", "smooth", 3, 2, 4, 50, NARROW, 204, 224, 63.0),
    HeldBack("several", "smooth", 3, 2, 2, 3, 1.0, 206, 4_635, 3_412.0),
    HeldBack("several", "smooth", 3, 2, 2, 3, NARROW, 206, 644, 284.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, 1.0, 208, 4_505, 3_258.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, NARROW, 208, 633, 430.0),
    HeldBack("several", "smooth", 3, 3, 5, 20, 1.0, 210, 6_734, 3_741.0),
    HeldBack("several", "smooth", 3, 3, 5, 20, NARROW, 210, 986, 272.0),
    HeldBack("several", "smooth", 4, 3, 3, 20, 1.0, 212, 4_533, 2_971.0),
    HeldBack("several", "smooth", 4, 3, 3, 20, NARROW, 212, 651, 216.0),
    HeldBack("several", "smooth", 3, 3, 3, 5, 1.0, 214, 9_161, 5_928.0),
    HeldBack("several", "smooth", 3, 3, 3, 5, NARROW, 214, 1_311, 594.0),
    HeldBack("several", "smooth", 3, 4, 2, 1, 1.0, 216, 31_301, 20_554.0),
    HeldBack("several", "smooth", 3, 4, 2, 1, NARROW, 216, 4_569, 3_412.0),
    HeldBack("several", "smooth", 7, 2, 2, 5, 1.0, 218, 11_081, 8_183.0),
    HeldBack("several", "smooth", 7, 2, 2, 5, NARROW, 218, 1_616, 898.0),
    HeldBack("several", "smooth", 6, 4, 5, 10, NARROW, 220, 7_145, 2_254.0),
    HeldBack("several", "smooth", 7, 3, 4, 3, NARROW, 222, 13_542, 5_407.0),
    HeldBack("several", "smooth", 2, 2, 5, 20, 1.0, 224, 2_226, 1_239.0),
    HeldBack("several", "smooth", 2, 2, 5, 20, NARROW, 224, 309, 82.0),
    HeldBack("several", "smooth", 4, 4, 4, 20, 1.0, 226, 10_343, 6_207.0),
    HeldBack("several", "smooth", 4, 4, 4, 20, NARROW, 226, 1_538, 494.0),
    HeldBack("several", "smooth", 2, 2, 4, 10, 1.0, 228, 2_729, 1_423.0),
    HeldBack("several", "smooth", 2, 2, 4, 10, NARROW, 228, 365, 197.0),
    HeldBack("several", "smooth", 2, 4, 2, 20, 1.0, 230, 1_164, 858.0),
    HeldBack("several", "smooth", 2, 4, 2, 20, NARROW, 230, 161, 99.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, 1.0, 232, 20_862, 13_580.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, NARROW, 232, 3_092, 1_359.0),
    HeldBack("several", "smooth", 4, 3, 4, 2, NARROW, 234, 8_177, 2_838.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, 1.0, 236, 4_505, 3_412.0),
    HeldBack("several", "smooth", 4, 2, 2, 5, NARROW, 236, 633, 430.0),
    HeldBack("several", "smooth", 7, 4, 3, 20, 1.0, 238, 15_143, 9_838.0),
    HeldBack("several", "smooth", 7, 4, 3, 20, NARROW, 238, 2_253, 940.0),
    HeldBack("several", "smooth", 8, 3, 4, 50, 1.0, 240, 11_171, 6_807.0),
    HeldBack("several", "smooth", 8, 3, 4, 50, NARROW, 240, 1_680, 494.0),
    HeldBack("several", "smooth", 4, 2, 5, 10, 1.0, 242, 11_291, 6_207.0),
    HeldBack("several", "smooth", 4, 2, 5, 10, NARROW, 242, 1_658, 430.0),
    HeldBack("several", "smooth", 2, 2, 4, 5, 1.0, 244, 4_859, 2_588.0),
    HeldBack("several", "smooth", 2, 2, 4, 5, NARROW, 244, 680, 188.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, 1.0, 246, 20_862, 12_385.0),
    HeldBack("several", "smooth", 5, 3, 3, 5, NARROW, 246, 3_092, 1_359.0),
    HeldBack("several", "smooth", 5, 4, 5, 50, 1.0, 248, 10_893, 7_127.0),
    HeldBack("several", "smooth", 5, 4, 5, 50, NARROW, 248, 1_641, 342.0),
    HeldBack("several", "smooth", 6, 4, 5, 20, 1.0, 250, 27_080, 15_592.0),
    HeldBack("several", "smooth", 6, 4, 5, 20, NARROW, 250, 4_082, 1_239.0),
    HeldBack("several", "smooth", 4, 4, 5, 2, NARROW, 252, 16_517, 5_163.0),
    HeldBack("several", "smooth", 8, 3, 3, 5, 1.0, 254, 42_728, 28_372.0),
    HeldBack("several", "smooth", 8, 3, 3, 5, NARROW, 254, 6_426, 2_971.0),
    HeldBack("several", "smooth", 8, 3, 3, 2, NARROW, 256, 15_213, 7_815.0),
    HeldBack("several", "smooth", 8, 3, 3, 3, NARROW, 258, 10_436, 4_709.0),
    HeldBack("few", "blt", 8, 4, 5, 50, 1.0, 201, 11_957, 6_207.0),
    HeldBack("few", "blt", 8, 4, 5, 50, NARROW, 201, 1_883, 542.0),
    HeldBack("few", "blt", 6, 4, 3, 10, 1.0, 203, 10_592, 5_928.0),
    HeldBack("few", "blt", 6, 4, 3, 10, NARROW, 203, 1_628, 747.0),
    HeldBack("few", "blt", 6, 3, 2, 2, 1.0, 205, 15_935, 10_787.0),
    HeldBack("few", "blt", 6, 3, 2, 2, NARROW, 205, 2_417, 1_633.0),
    HeldBack("few", "blt", 5, 2, 2, 3, 1.0, 207, 5_163, 3_412.0),
    HeldBack("few", "blt", 5, 2, 2, 3, NARROW, 207, 767, 494.0),
    HeldBack("few", "blt", 4, 2, 5, 5, 1.0, 209, 10_221, 5_163.0),
    HeldBack("few", "blt", 4, 2, 5, 5, NARROW, 209, 1_548, 517.0),
    HeldBack("few", "blt", 5, 4, 2, 10, 1.0, 211, 4_250, 2_472.0),
    HeldBack("few", "blt", 5, 4, 2, 10, NARROW, 211, 644, 312.0),
    HeldBack("few", "blt", 6, 3, 5, 5, 1.0, 213, 30_324, 12_385.0),
    HeldBack("few", "blt", 6, 3, 5, 5, NARROW, 213, 4_691, 1_490.0),
    HeldBack("few", "blt", 8, 2, 5, 10, 1.0, 215, 16_559, 8_183.0),
    HeldBack("few", "blt", 8, 2, 5, 10, NARROW, 215, 2_552, 898.0),
    HeldBack("few", "blt", 6, 3, 2, 20, 1.0, 217, 2_423, 1_633.0),
    HeldBack("few", "blt", 6, 3, 2, 20, NARROW, 217, 368, 206.0),
    HeldBack("few", "blt", 6, 4, 4, 5, 1.0, 219, 29_564, 14_890.0),
    HeldBack("few", "blt", 6, 4, 4, 5, NARROW, 219, 4_578, 2_056.0),
    HeldBack("few", "blt", 7, 2, 3, 50, 1.0, 221, 2_012, 1_031.0),
    HeldBack("few", "blt", 7, 2, 3, 50, NARROW, 221, 308, 99.0),
    HeldBack("few", "blt", 5, 4, 2, 5, 1.0, 223, 7_439, 4_931.0),
    HeldBack("few", "blt", 5, 4, 2, 5, NARROW, 223, 1_125, 782.0),
    HeldBack("few", "blt", 2, 4, 5, 1, 1.0, 225, 35_832, 11_295.0),
    HeldBack("few", "blt", 2, 4, 5, 1, NARROW, 225, 5_483, 1_791.0),
    HeldBack("few", "blt", 4, 2, 4, 20, 1.0, 227, 2_421, 1_183.0),
    HeldBack("few", "blt", 4, 2, 4, 20, NARROW, 227, 365, 150.0),
    HeldBack("few", "blt", 2, 2, 4, 3, 1.0, 229, 3_954, 2_254.0),
    HeldBack("few", "blt", 2, 2, 4, 3, NARROW, 229, 582, 272.0),
    HeldBack("few", "blt", 2, 2, 2, 5, 1.0, 231, 822, 567.0),
    HeldBack("few", "blt", 2, 2, 2, 5, NARROW, 231, 116, 99.0),
    HeldBack("few", "blt", 2, 2, 2, 5, 1.0, 233, 822, 567.0),
    HeldBack("few", "blt", 2, 2, 2, 5, NARROW, 233, 116, 79.0),
    HeldBack("few", "blt", 6, 3, 2, 2, 1.0, 235, 15_935, 9_838.0),
    HeldBack("few", "blt", 6, 3, 2, 2, NARROW, 235, 2_417, 1_490.0),
    HeldBack("few", "blt", 8, 4, 3, 20, 1.0, 237, 9_798, 5_928.0),
    HeldBack("few", "blt", 8, 4, 3, 20, NARROW, 237, 1_520, 713.0),
    HeldBack("few", "blt", 7, 4, 4, 5, 1.0, 239, 37_401, 17_902.0),
    HeldBack("few", "blt", 7, 4, 4, 5, NARROW, 239, 5_816, 2_254.0),
    HeldBack("few", "blt", 6, 4, 4, 3, NARROW, 241, 7_221, 2_838.0),
    HeldBack("few", "blt", 4, 4, 5, 10, 1.0, 243, 12_858, 5_163.0),
    HeldBack("few", "blt", 4, 4, 5, 10, NARROW, 243, 1_980, 594.0),
    HeldBack("few", "blt", 2, 2, 4, 10, 1.0, 245, 1_431, 622.0),
    HeldBack("few", "blt", 2, 2, 4, 10, NARROW, 245, 210, 57.0),
    HeldBack("few", "blt", 8, 2, 2, 10, 1.0, 247, 3_846, 1_875.0),
    HeldBack("few", "blt", 8, 2, 2, 10, NARROW, 247, 578, 188.0),
    HeldBack("few", "blt", 7, 2, 4, 50, 1.0, 249, 3_129, 1_359.0),
    HeldBack("few", "blt", 7, 2, 4, 50, NARROW, 249, 482, 119.0),
    HeldBack("few", "blt", 2, 3, 2, 10, 1.0, 251, 774, 542.0),
    HeldBack("few", "blt", 2, 3, 2, 10, NARROW, 251, 111, 95.0),
    HeldBack("few", "blt", 8, 2, 2, 20, 1.0, 253, 2_319, 1_710.0),
    HeldBack("few", "blt", 8, 2, 2, 20, NARROW, 253, 350, 150.0),
    HeldBack("few", "blt", 8, 3, 4, 3, NARROW, 255, 8_091, 2_971.0),
    HeldBack("few", "blt", 6, 4, 4, 10, 1.0, 257, 16_661, 7_463.0),
    HeldBack("few", "blt", 6, 4, 4, 10, NARROW, 257, 2_579, 819.0),
    HeldBack("few", "blt", 6, 4, 5, 20, 1.0, 259, 14_085, 7_463.0),
    HeldBack("few", "blt", 6, 4, 5, 20, NARROW, 259, 2_193, 650.0),
    HeldBack("few", "smooth", 8, 4, 5, 50, 1.0, 201, 22_409, 10_787.0),
    HeldBack("few", "smooth", 8, 4, 5, 50, NARROW, 201, 3_411, 1_183.0),
    HeldBack("few", "smooth", 6, 4, 3, 10, 1.0, 203, 21_147, 11_295.0),
    HeldBack("few", "smooth", 6, 4, 3, 10, NARROW, 203, 3_161, 1_423.0),
    HeldBack("few", "smooth", 6, 3, 2, 2, 1.0, 205, 32_739, 22_537.0),
    HeldBack("few", "smooth", 6, 3, 2, 2, NARROW, 205, 4_805, 3_258.0),
    HeldBack("few", "smooth", 5, 2, 2, 3, 1.0, 207, 10_553, 7_127.0),
    HeldBack("few", "smooth", 5, 2, 2, 3, NARROW, 207, 1_529, 1_079.0),
    HeldBack("few", "smooth", 4, 2, 5, 5, 1.0, 209, 21_101, 9_838.0),
    HeldBack("few", "smooth", 4, 2, 5, 5, NARROW, 209, 3_120, 747.0),
    HeldBack("few", "smooth", 5, 4, 2, 10, 1.0, 211, 8_103, 5_163.0),
    HeldBack("few", "smooth", 5, 4, 2, 10, NARROW, 211, 1_166, 747.0),
    HeldBack("few", "smooth", 6, 3, 5, 5, NARROW, 213, 9_273, 3_572.0),
    HeldBack("few", "smooth", 8, 2, 5, 10, 1.0, 215, 32_846, 15_592.0),
    HeldBack("few", "smooth", 8, 2, 5, 10, NARROW, 215, 4_881, 1_633.0),
    HeldBack("few", "smooth", 6, 3, 2, 20, 1.0, 217, 4_388, 3_111.0),
    HeldBack("few", "smooth", 6, 3, 2, 20, NARROW, 217, 633, 312.0),
    HeldBack("few", "smooth", 6, 4, 4, 5, NARROW, 219, 9_033, 4_295.0),
    HeldBack("few", "smooth", 7, 2, 3, 50, 1.0, 221, 3_576, 1_875.0),
    HeldBack("few", "smooth", 7, 2, 3, 50, NARROW, 221, 522, 237.0),
    HeldBack("few", "smooth", 5, 4, 2, 5, 1.0, 223, 14_769, 9_838.0),
    HeldBack("few", "smooth", 5, 4, 2, 5, NARROW, 223, 2_160, 1_710.0),
    HeldBack("few", "smooth", 2, 4, 5, 1, NARROW, 225, 11_483, 3_572.0),
    HeldBack("few", "smooth", 4, 2, 4, 20, 1.0, 227, 4_434, 2_153.0),
    HeldBack("few", "smooth", 4, 2, 4, 20, NARROW, 227, 636, 237.0),
    HeldBack("few", "smooth", 2, 2, 4, 3, 1.0, 229, 7_968, 4_102.0),
    HeldBack("few", "smooth", 2, 2, 4, 3, NARROW, 229, 1_121, 430.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, 1.0, 231, 1_584, 1_079.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, NARROW, 231, 218, 125.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, 1.0, 233, 1_584, 1_031.0),
    HeldBack("few", "smooth", 2, 2, 2, 5, NARROW, 233, 218, math.inf),
    HeldBack("few", "smooth", 6, 3, 2, 2, 1.0, 235, 32_739, 21_522.0),
    HeldBack("few", "smooth", 6, 3, 2, 2, NARROW, 235, 4_805, 2_971.0),
    HeldBack("few", "smooth", 8, 4, 3, 20, 1.0, 237, 18_371, 11_295.0),
    HeldBack("few", "smooth", 8, 4, 3, 20, NARROW, 237, 2_822, 1_359.0),
    HeldBack("few", "smooth", 7, 4, 4, 5, NARROW, 239, 11_697, 4_709.0),
    HeldBack("few", "smooth", 6, 4, 4, 3, NARROW, 241, 14_757, 5_928.0),
    HeldBack("few", "smooth", 4, 4, 5, 10, 1.0, 243, 25_424, 10_302.0),
    HeldBack("few", "smooth", 4, 4, 5, 10, NARROW, 243, 3_803, 1_130.0),
    HeldBack("few", "smooth", 2, 2, 4, 10, 1.0, 245, 2_729, 1_079.0),
    HeldBack("few", "smooth", 2, 2, 4, 10, NARROW, 245, 365, 197.0),
    HeldBack("few", "smooth", 8, 2, 2, 10, 1.0, 247, 7_368, 3_741.0),
    HeldBack("few", "smooth", 8, 2, 2, 10, NARROW, 247, 1_067, 430.0),
    HeldBack("few", "smooth", 7, 2, 4, 50, 1.0, 249, 5_717, 2_360.0),
    HeldBack("few", "smooth", 7, 2, 4, 50, NARROW, 249, 846, 226.0),
    HeldBack("few", "smooth", 2, 3, 2, 10, 1.0, 251, 1_376, 940.0),
    HeldBack("few", "smooth", 2, 3, 2, 10, NARROW, 251, 186, 131.0),
    HeldBack("few", "smooth", 8, 2, 2, 20, 1.0, 253, 4_242, 3_111.0),
    HeldBack("few", "smooth", 8, 2, 2, 20, NARROW, 253, 609, 272.0),
    HeldBack("few", "smooth", 8, 3, 4, 3, NARROW, 255, 16_440, 6_500.0),
    HeldBack("few", "smooth", 6, 4, 4, 10, 1.0, 257, 32_729, 14_220.0),
    HeldBack("few", "smooth", 6, 4, 4, 10, NARROW, 257, 4_880, 1_875.0),
    HeldBack("few", "smooth", 6, 4, 5, 20, 1.0, 259, 27_080, 13_580.0),
    HeldBack("few", "smooth", 6, 4, 5, 20, NARROW, 259, 4_082, 1_490.0),
)
