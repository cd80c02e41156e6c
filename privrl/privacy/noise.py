"""What noise each paper prints, what privacy that buys, and the smallest noise of the same shape that buys the claim.

For each paper all noisy statistics together, as its algorithm releases them, with the sensitivities of
:mod:`privrl.privacy.sensitivity` and exact accounting; every reported guarantee is rounded towards safety.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from privrl.privacy import accounting, sensitivity
from privrl.privacy.counters.stream import levels
from privrl.types import Adjacency, Budget, choice, count, instance, parameter, planned_episodes, require

PAPERS = ("vietri2020", "chowdhury2021", "liao2021", "zhou2022")


@dataclass(frozen=True)
class Setting:
    """Everything that a noise scale of the four papers may depend on."""

    epsilon: float  #: the privacy that the paper claims
    delta: float  #: 0 for vietri2020 and in (0, 1) for the others
    horizon: int  #: H
    episodes: int  #: T or K, the number of users; enters through the levels of the trees
    states: int  #: S, or the dimension n of chowdhury2021's system
    actions: int  #: A, or d
    dimension: int  #: d of the features
    gamma: float  #: chowdhury2021's bound on the controls
    adjacency: Adjacency = Adjacency.REPLACE  #: ``replace`` (what the papers define) or ``add-remove``

    def __post_init__(self) -> None:
        Budget(self.epsilon, self.delta)
        planned_episodes(self.episodes, 2)
        count("horizon", self.horizon, 1, 10**4)  # a list of steps is summed
        for name in ("states", "actions", "dimension"):
            count(name, getattr(self, name))
        require(self.horizon * (self.states + self.actions) <= 10**7, "horizon * (states + actions) must be <= 10^7",
                horizon=self.horizon, states=self.states, actions=self.actions)  # a trajectory is built
        parameter("gamma", self.gamma)
        require(isinstance(self.adjacency, Adjacency), "adjacency must be an Adjacency", adjacency=self.adjacency)


# small stated settings; liao2021's delta is its experiment's, its horizon 2S at S = 3
DEFAULTS = {
    "vietri2020": Setting(1.0, 0.0, 3, 10**6, 3, 2, 1, 1.0),
    "chowdhury2021": Setting(1.0, 1e-6, 5, 10**6, 2, 1, 3, 0.5),
    "liao2021": Setting(1.0, 0.1, 6, 10**4, 3, 2, 4, 1.0),
    "zhou2022": Setting(1.0, 1e-6, 10, 10**5, 3, 2, 4, 1.0),
}


@dataclass(frozen=True)
class Scale:
    """One noise of a paper: Laplace scale or Gaussian standard deviation of one draw."""

    name: str
    law: str
    printed: float
    smallest: float


@dataclass(frozen=True)
class Noise:
    """The noises of one paper in one setting."""

    paper: str
    setting: Setting
    scales: tuple[Scale, ...]  #: printed, and smallest at the paper's own proportions between its noises
    real_epsilon: float  #: what the printed noises really give at the claimed delta, all together (rounded up)
    factor: float  #: smallest / printed; above 1 where the printed noise does not give what is claimed
    note: str  #: what was taken together, and which reading of a logarithm was used

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        row = asdict(self)
        row["setting"]["adjacency"] = self.setting.adjacency.value
        return row


def setting(paper: str, **given: Any) -> Setting:
    """The paper's default setting with some values replaced (``None`` keeps the default; adjacency may be a string)."""
    base = DEFAULTS[choice("paper", paper, PAPERS)]
    known = {field.name for field in fields(Setting)}
    require(set(given) <= known, f"a setting has {', '.join(sorted(known))}", given=sorted(given))
    chosen = {name: value for name, value in given.items() if value is not None}
    if isinstance(chosen.get("adjacency"), str):
        chosen["adjacency"] = Adjacency(choice("adjacency", chosen["adjacency"], tuple(a.value for a in Adjacency)))
    for name in ("horizon", "episodes", "states", "actions", "dimension"):
        if name in chosen:
            chosen[name] = count(name, chosen[name])
    made = replace(base, **chosen)
    require(paper == "vietri2020" or made.delta > 0, f"{paper} claims (epsilon, delta): delta must be in (0, 1)",
            delta=made.delta)
    return made


def printed_vietri2020(epsilon: float, horizon: int, episodes: int) -> float:
    """Laplace scale of algorithm 5, (3H/epsilon) log T with the natural logarithm."""
    return 3 * horizon / epsilon * math.log(episodes)


def printed_chowdhury2021(epsilon: float, delta: float, nodes: float = 1.0) -> float:
    """sigma_i / Delta_i: sqrt(8 m ln(2/delta)) / epsilon over m ``nodes``, its "of about" read as equality."""
    return math.sqrt(8 * nodes * math.log(2 / delta)) / epsilon


def printed_liao2021(epsilon: float, delta: float, horizon: int) -> float:
    """sigma of algorithm 1."""
    return 4 * horizon**3 * math.sqrt(2 * math.log(2.5 * horizon / delta) / epsilon)


def printed_zhou2022(epsilon: float, delta: float, horizon: int, nodes: float = 1.0) -> float:
    """sigma / Delta of each of the 4H counters over m ``nodes`` (theorem-6.4, as in the proof of theorem-6.5)."""
    return horizon / epsilon * math.sqrt(32 * nodes * math.log(4 * horizon / delta))


def noise(paper: str, made: Setting) -> Noise:
    """Printed noise, real privacy and smallest noise of one paper; ``made`` as from :func:`setting`."""
    return _NOISES[choice("paper", paper, PAPERS)](instance("made", made, Setting))


def _vietri2020(made: Setting) -> Noise:
    releases = made.episodes - 1
    printed = printed_vietri2020(made.epsilon, made.horizon, made.episodes)
    change = sensitivity.vietri2020("all", made.horizon, made.adjacency, states=made.states).value
    real = accounting.laplace_family_epsilon(printed, change, releases)
    smallest = accounting.laplace_family_scale(made.epsilon, change, releases)
    return Noise("vietri2020", made, (Scale("b", "laplace", printed, smallest),), real, smallest / printed,
                 f"counters n, r, m together, l1 change {change:g}, {levels(releases)} levels; log read as natural; "
                 "pure differential privacy, whatever delta")


def _gaussian(paper: str, made: Setting, printed: dict[str, float], mu: float, note: str) -> Noise:
    factor = mu / accounting.gaussian_mu(made.epsilon, made.delta)
    scales = tuple(Scale(name, "gaussian", value, value * factor) for name, value in printed.items())
    return Noise(paper, made, scales, accounting.gaussian_epsilon(made.delta, mu), factor, note)


def _chowdhury2021(made: Setting) -> Noise:
    nodes = levels(made.episodes - 1)  # ceil(log2 K), the paper's m
    root = printed_chowdhury2021(made.epsilon, made.delta, nodes)
    one = made.horizon * (1 + made.gamma) ** 2 * root
    two = made.horizon * (1 + made.gamma) * root
    _, change = sensitivity.chowdhury2021_joint(made.horizon, made.gamma, one, two, made.adjacency,
                                                states=made.states, controls=made.actions)
    return _gaussian("chowdhury2021", made, {"sigma_1": one, "sigma_2": two}, math.sqrt(nodes) * change,
                     f"both trees together, {nodes} levels; an upper bound on the joint change, which explicit users "
                     "come near; |x| <= 1 and |u| <= gamma taken for granted")


def _liao2021(made: Setting) -> Noise:
    sigma = printed_liao2021(made.epsilon, made.delta, made.horizon)
    change = sensitivity.liao2021("message", made.horizon, made.adjacency).value
    return _gaussian("liao2021", made, {"sigma": sigma}, change / sigma,
                     "one user's whole message; features within equation-3.1 and 0 <= V_{h+1} <= H - h, which "
                     "algorithm 1 clips from above only")


def _zhou2022(made: Setting) -> Noise:
    nodes = levels(made.episodes - 1)
    root = printed_zhou2022(made.epsilon, made.delta, made.horizon, nodes)
    sizes = {"p1": made.dimension * made.horizon**2, "p2": math.sqrt(made.dimension) * made.horizon**2,
             "r1": 1.0, "r2": 1.0}
    printed = {name: root * size for name, size in sizes.items()}
    change = sensitivity.zhou2022_joint(made.horizon, max(made.dimension, 2), printed, made.adjacency)
    return _gaussian("zhou2022", made, {f"sigma_{name}": value for name, value in printed.items()},
                     math.sqrt(nodes) * change,
                     f"all {4 * made.horizon} trees together, {nodes} levels; log K read to base 2")


_NOISES: dict[str, Callable[[Setting], Noise]] = {
    "vietri2020": _vietri2020, "chowdhury2021": _chowdhury2021, "liao2021": _liao2021, "zhou2022": _zhou2022,
}
