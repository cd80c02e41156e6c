"""What every paper says of itself: the terms in which it does."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from privrl.checks import count, parameter, planned_episodes, require
from privrl.privacy import accounting, sensitivity
from privrl.types import Adjacency, Budget, FloatArray

EPSILONS = (0.1, 0.5, 1, 2, 5, 10, 20)  #: of tables


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
    #: ``replace`` (what the papers define) or ``add-remove``
    adjacency: Adjacency = Adjacency.REPLACE

    def __post_init__(self) -> None:
        Budget(self.epsilon, self.delta)
        planned_episodes(self.episodes, 2)
        count("horizon", self.horizon, 1, 10**4)  # a list of steps is summed
        for name in ("states", "actions", "dimension"):
            count(name, getattr(self, name))
        # a trajectory is built
        require(
            self.horizon * (self.states + self.actions) <= 10**7,
            "horizon * (states + actions) must be <= 10^7",
            horizon=self.horizon,
            states=self.states,
            actions=self.actions,
        )
        parameter("gamma", self.gamma)
        require(
            isinstance(self.adjacency, Adjacency),
            "adjacency must be an Adjacency",
            adjacency=self.adjacency,
        )


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
    #: printed, and smallest at the paper's own proportions between its noises
    scales: tuple[Scale, ...]
    #: what the printed noises really give at the claimed delta, all together (rounded up)
    real_epsilon: float
    factor: (
        float  #: smallest / printed; above 1 where the printed noise does not give what is claimed
    )
    note: str  #: what was taken together, and which reading of a logarithm was used

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        row = asdict(self)
        row["setting"]["adjacency"] = self.setting.adjacency.value
        return row


#: The change when a user is replaced, that when one is taken out, and that of one reward (0 unless
#: the noise is Laplace); in units of the printed noise of a draw
Change = tuple[FloatArray, FloatArray, float]


@dataclass(frozen=True)
class PaperNoise:
    """``PAPER`` of a module of this folder."""

    id: str
    defaults: Setting  #: a small stated setting
    counter: str  #: its own
    noise: Callable[[Setting], Noise]  #: printed and smallest
    change: Callable[
        [Setting, dict[str, float]], Change
    ]  #: by its worst pair; printed scales given
    pure: bool = False  #: whether its noise is Laplace's, at delta = 0
    audited: str = ""  #: the smallest entry of the suite, on which the audit's power is counted
    #: options of :func:`privrl.privacy.noise.setting` and their sizes, for tables of its noise
    tabulated: Mapping[str, tuple[float, ...]] = field(default_factory=dict, hash=False)
    proviso: str = ""  #: what the privacy that its printed noise gives rests on (first errata)
    #: its noise as the paper's derivation has it, over that of a printed line that slipped
    meant_over_printed: Callable[[Setting], float] | None = None


def gaussian_noise(
    paper: str, setting: Setting, printed: dict[str, float], mu: float, note: str
) -> Noise:
    """Of a paper whose printed noises cost ``mu`` all together."""
    factor = mu / accounting.gaussian_mu(setting.epsilon, setting.delta)
    scales = tuple(
        Scale(name, "gaussian", value, value * factor) for name, value in printed.items()
    )
    return Noise(
        paper, setting, scales, accounting.gaussian_epsilon(setting.delta, mu), factor, note
    )


def mixture_row(user: tuple[FloatArray, ...], gram_sigma: float, cross_sigma: float) -> FloatArray:
    """phi phi' on and above the diagonal, and phi y, of all steps, in units of the noise."""
    gram, cross = sensitivity.mixture_sums(*user)
    upper = np.triu_indices(gram.shape[-1])
    return np.concatenate(
        (gram[:, upper[0], upper[1]].ravel() / gram_sigma, cross.ravel() / cross_sigma)
    )
