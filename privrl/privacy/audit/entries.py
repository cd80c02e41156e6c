"""``privrl audit``: attacks on the counters and agents of a suite entry, a lower bound on epsilon beside the exact one.

What is attacked is the noise of the entry's paper for the entry's size (H, S, A, d, gamma) and a small number of
releases, through the worst pair of users of :mod:`privrl.privacy.sensitivity`; the exact epsilon is that of this pair.

For Laplace noise no test sees the whole epsilon of a pair that moves many sums a little each: the event that attains it
has a probability of about 2^-(sums * draws). So a second pair is attacked, who differ in one reward: noise that is less
than claimed shows there, against the exact epsilon of that pair.

Sample sizes, at alpha = 1e-3: those of :data:`privrl.privacy.audit.power.SIZES`, at which every planted fault was
caught in 300
of 300 repetitions. For Gaussian noise at epsilon = 1, delta = 1e-6 over 7 releases they reach from 500 trials (noise
that is shared, reused or missing) to 120,000 (a redrawn tree), so the default of 200,000 is enough; 1,000,000 bring
the bound to nine tenths of the exact epsilon. Laplace noise needs no more where the pair ``reward`` is worth epsilon =
1 (epsilon = 6 H in all; else more), but for ``redrawn``, which shows over 63 releases where it is worth 2: pure privacy
counts tails that sums of draws do not have.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from privrl.environments import suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.privacy import accounting, noise, sensitivity
from privrl.privacy.audit.counters import MOST_RELEASES, Attack, Pair, attack, known_trials
from privrl.privacy.audit.faults import AUDITED, FAULTS
from privrl.privacy.counters.mechanisms import counter_cost, laws
from privrl.types import Adjacency, FloatArray, TabularMDP, choice, count, failure, parameter, require

CALIBRATIONS = ("printed", "corrected", "tight")
OWN = {"vietri2020": "tree", "chowdhury2021": "tree", "liao2021": "local", "zhou2022": "tree"}
LEAST = 1e-6  # of epsilon, and one over the largest
TURNS = np.linspace(0, 1, 401)  # cosines at which two users of an LQ system are tried


@dataclass(frozen=True, eq=False)
class Target:
    """What is attacked, and the guarantee that is claimed."""

    id: str
    counter: str
    calibration: str
    epsilon: float
    delta: float
    pairs: dict[str, Pair]  #: by name: ``worst``, and ``reward`` for Laplace noise
    ratio: float  #: the change of the worst pair when a user is taken out, over that when one is replaced


@dataclass(frozen=True)
class Audit:
    """The result of :func:`audit`."""

    id: str
    what: str
    counter: str
    calibration: str
    claimed: float  #: epsilon of the guarantee
    delta: float
    releases: int
    user: int
    fault: str | None
    seed: int
    trials: int
    alpha: float
    attacks: dict[str, Attack]  #: by name of the pair; together wrong with probability at most ``alpha``

    @property
    def refuted(self) -> bool:
        """Whether a lower bound exceeds the pair's exact epsilon: the noise is not what it is said to be."""
        return any(found.refuted for found in self.attacks.values())

    @property
    def broken(self) -> bool:
        """Whether a lower bound exceeds the epsilon that is claimed for all users."""
        return any(found.lower > self.claimed for found in self.attacks.values())

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"refuted": self.refuted, "broken": self.broken}


def setting(identifier: str, releases: int, epsilon: float | None = None, delta: float | None = None) -> noise.Setting:
    """The entry's sizes as the noise scales take them; K = releases + 1."""
    entry = suite.entry(identifier)
    if epsilon is not None:
        parameter("epsilon", epsilon, LEAST)
    made = entry.make()
    sizes: dict[str, Any] = {}
    if isinstance(made, LQSystem):
        sizes = {"states": made.states, "actions": made.controls, "gamma": made.gamma, "horizon": made.horizon}
    elif isinstance(made, LinearMixtureMDP):
        sizes = {"dimension": made.psi.shape[3], "horizon": made.horizon}
    elif isinstance(made, TabularMDP):
        sizes = {"states": made.states, "actions": made.actions, "horizon": made.horizon}
    return noise.setting(entry.paper, epsilon=entry.epsilon if epsilon is None else epsilon,
                         delta=entry.delta if delta is None else delta, episodes=count("releases", releases) + 1,
                         **sizes)


def target(identifier: str, *, counter: str | None = None, calibration: str = "printed", epsilon: float | None = None,
           delta: float | None = None, releases: int = 7, user: int = 1) -> Target:
    """The noise of an entry and its worst pair of users.

    Parameters
    ----------
    counter : the paper's own by default; others have the calibrations ``corrected`` and ``tight``, here the same: the
        smallest noise of the paper's proportions that makes the worst pair cost epsilon
    epsilon, delta : the entry's by default
    releases, user : R and k
    """
    releases = count("releases", releases, 1, MOST_RELEASES)
    paper = suite.entry(identifier).paper
    counter = choice("counter", OWN[paper] if counter is None else counter, AUDITED)
    choice("calibration", calibration, CALIBRATIONS)
    require(calibration != "printed" or counter == OWN[paper], f"calibration printed exists for counter {OWN[paper]}",
            counter=counter)
    made = setting(identifier, releases, epsilon, delta)
    law = "laplace" if paper == "vietri2020" and made.delta == 0 else "gaussian"
    require(calibration != "printed" or paper != "vietri2020" or law == "laplace",
            "calibration printed exists for delta = 0", delta=made.delta)
    require(law in laws(counter), f"counter {counter} has no {law} noise: ask for another, or for delta > 0",
            delta=made.delta)
    replaced, removed, cell = changes(paper, made)
    order = 1 if law == "laplace" else 2
    factor = 1.0
    if calibration != "printed":  # the worst pair costs epsilon over this counter
        most = made.epsilon if law == "laplace" else accounting.gaussian_mu(made.epsilon, made.delta)
        sharp = counter_cost(counter, releases, law).sensitivity * float(np.linalg.norm(replaced, order))
        factor = most / sharp * (1 - 1e-9)
    pairs = {"worst": Pair(counter, law, factor * replaced, releases, user)}
    if law == "laplace":
        pairs["reward"] = Pair(counter, law, np.array([factor * cell]), releases, user)
    ratio = float(np.linalg.norm(removed, order) / np.linalg.norm(replaced, order))
    return Target(identifier, counter, calibration, made.epsilon, made.delta, pairs, ratio)


def audit(identifier: str, *, counter: str | None = None, calibration: str = "printed", epsilon: float | None = None,
          delta: float | None = None, releases: int = 7, user: int = 1, trials: int = 200_000, seed: int = 0,
          alpha: float = 1e-3, fault: str | None = None) -> Audit:
    """Attack the counter of an entry; see :func:`target` and :func:`privrl.privacy.audit.counters.attack`.

    ``alpha`` : probability with which one of the bounds of all pairs may be wrong
    """
    made = target(identifier, counter=counter, calibration=calibration, epsilon=epsilon, delta=delta,
                  releases=releases, user=user)
    if fault is not None:
        choice("fault", fault, FAULTS)
    trials, alpha, seed = known_trials(trials), failure("alpha", alpha), count("seed", seed, 0)
    seeds = np.random.SeedSequence(seed).spawn(len(made.pairs))
    attacks = {name: attack(pair, np.random.Generator(np.random.SFC64(one)), trials=trials, fault=fault,
                            delta=0.0 if pair.law == "laplace" else made.delta, alpha=alpha / len(made.pairs),
                            ratio=made.ratio)
               for (name, pair), one in zip(made.pairs.items(), seeds, strict=True)}
    return Audit(identifier, "counter", made.counter, calibration, made.epsilon, made.delta, int(releases), int(user),
                 fault, seed, trials, alpha, attacks)


def changes(paper: str, made: noise.Setting) -> tuple[FloatArray, FloatArray, float]:
    """The worst pair, in units of the printed noise of a draw.

    Returns
    -------
    The change when a user is replaced, the change when one is taken out, and (vietri2020, else 0) that of one reward.
    """
    choice("paper", paper, noise.PAPERS)
    scales = {one.name: one.printed for one in noise.noise(paper, made).scales}
    if paper == "vietri2020":
        first, second = _tabular(made)
        return (second - first) / scales["b"], first / scales["b"], 1 / scales["b"]
    if paper == "chowdhury2021":
        return *_control(made, scales), 0.0
    if paper == "liao2021":
        pair = sensitivity.liao2021("message", made.horizon)
        sigma = scales["sigma"]
        sums = [_mixture(part, sigma, sigma) for part in (pair.first, pair.second)]
        return sums[1] - sums[0], sums[0], 0.0
    return *_linear(made, scales), 0.0


def _tabular(made: noise.Setting) -> tuple[FloatArray, FloatArray]:
    pair = sensitivity.vietri2020("all", made.horizon, states=made.states)
    shape = (made.states, made.actions)

    def sums(user: tuple[FloatArray, ...]) -> FloatArray:
        states, actions, rewards = user
        return np.concatenate([part.ravel() for part in sensitivity.tabular_streams(states, actions, rewards, shape)])

    return sums(pair.first), sums(pair.second)


def _control(made: noise.Setting, scales: dict[str, float]) -> tuple[FloatArray, FloatArray]:
    """The pair of :func:`privrl.privacy.sensitivity.control_pair` that moves farthest in units of the noise."""
    bounds = np.full(made.horizon, made.gamma)

    def sums(user: tuple[FloatArray, ...]) -> FloatArray:
        gram, cross = sensitivity.control_sums(*user)
        return np.concatenate((gram[np.triu_indices(len(gram))] / scales["sigma_1"], cross.ravel() / scales["sigma_2"]))

    found = []
    for turn in TURNS:
        first, second = sensitivity.control_pair(float(turn), bounds, made.states, made.actions, False)
        found.append((sums(second) - sums(first), sums(first)))
    return max(found, key=lambda pair: float(np.linalg.norm(pair[0])))


def _mixture(user: tuple[FloatArray, ...], gram_sigma: float, cross_sigma: float) -> FloatArray:
    """phi phi' on and above the diagonal, and phi y, of all steps, in units of the noise."""
    gram, cross = sensitivity.mixture_sums(*user)
    upper = np.triu_indices(gram.shape[-1])
    return np.concatenate((gram[:, upper[0], upper[1]].ravel() / gram_sigma, cross.ravel() / cross_sigma))


def _linear(made: noise.Setting, scales: dict[str, float]) -> tuple[FloatArray, FloatArray]:
    changes, alone = [], []
    for bound in sensitivity.stage_bounds(made.horizon, True):
        for kind, size, top in (("p", math.sqrt(max(made.dimension, 2)) * bound, bound), ("r", 1.0, 1.0)):
            sigmas = scales[f"sigma_{kind}1"], scales[f"sigma_{kind}2"]
            pair = sensitivity.features_joint(size, top, *sigmas, Adjacency.REPLACE)
            first, second = (_mixture(user, *sigmas) for user in (pair.first, pair.second))
            changes.append(second - first)
            alone.append(first)
    return np.concatenate(changes), np.concatenate(alone)
