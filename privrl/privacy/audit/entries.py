"""``privrl audit``: attacks on the counters and agents of a suite entry, a lower bound on epsilon
beside the exact one.

What is attacked is the noise of the entry's paper for the entry's size (H, S, A, d, gamma) and a
small number of releases, through the worst pair of users of :mod:`privrl.privacy.sensitivity`; the
exact epsilon is that of this pair.

For Laplace noise no test sees the whole epsilon of a pair that moves many sums a little each: the
event that attains it has a probability of about 2^-(sums * draws). So a second pair is attacked,
who differ in one reward: noise that is less than claimed shows there, against the exact epsilon of
that pair.

Sample sizes, at alpha = 1e-3: those of :data:`privrl.privacy.audit.power.POWER_TRIALS`, at which
every planted fault was caught in 300 of 300 repetitions. For Gaussian noise at epsilon = 1, delta =
1e-6 over 7 releases they reach from 500 trials (noise that is shared, reused or missing) to 120,000
(a redrawn tree), so the default of 200,000 is enough; 1,000,000 bring the bound to nine tenths of
the exact epsilon. Laplace noise needs no more where the pair ``reward`` is worth epsilon = 1
(epsilon = 6 H in all; else more), but for ``redrawn``, which shows over 63 releases where it is
worth 2: pure privacy counts tails that sums of draws do not have.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from privrl.checks import choice, count, failure, parameter, require
from privrl.environments import suite
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.privacy import accounting, noise
from privrl.privacy.audit.counters import MOST_ATTACKED_RELEASES, AttackedPair, attack
from privrl.privacy.audit.events import Attack, known_trials
from privrl.privacy.audit.faults import FAULTS
from privrl.privacy.counters.mechanisms import AUDITED, counter_cost, laws
from privrl.types import CALIBRATIONS, FloatArray, TabularMDP

LEAST_EPSILON = 1e-6  # of epsilon, and one over the largest


@dataclass(frozen=True, eq=False)
class Target:
    """What is attacked, and the guarantee that is claimed."""

    id: str
    counter: str
    calibration: str
    epsilon: float
    delta: float
    pairs: dict[str, AttackedPair]  #: by name: ``worst``, and ``reward`` for Laplace noise
    #: the change of the worst pair when a user is taken out, over that when one is replaced
    ratio: float


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
    #: by name of the pair; together wrong with probability at most ``alpha``
    attacks: dict[str, Attack]

    @property
    def refuted(self) -> bool:
        """Whether a lower bound exceeds the pair's exact epsilon: the noise is not what it is said
        to be."""
        return any(attack_.refuted for attack_ in self.attacks.values())

    @property
    def broken(self) -> bool:
        """Whether a lower bound exceeds the epsilon that is claimed for all users."""
        return any(attack_.lower > self.claimed for attack_ in self.attacks.values())

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"refuted": self.refuted, "broken": self.broken}


def setting(
    identifier: str, releases: int, epsilon: float | None = None, delta: float | None = None
) -> noise.Setting:
    """The entry's sizes as the noise scales take them; K = releases + 1."""
    entry = suite.entry(identifier)
    if epsilon is not None:
        parameter("epsilon", epsilon, LEAST_EPSILON)
    world = entry.make()
    sizes: dict[str, Any] = {}
    if isinstance(world, LQSystem):
        sizes = {
            "states": world.states,
            "actions": world.controls,
            "gamma": world.gamma,
            "horizon": world.horizon,
        }
    elif isinstance(world, LinearMixtureMDP):
        sizes = {"dimension": world.psi.shape[3], "horizon": world.horizon}
    elif isinstance(world, TabularMDP):
        sizes = {"states": world.states, "actions": world.actions, "horizon": world.horizon}
    return noise.setting(
        entry.paper,
        epsilon=entry.epsilon if epsilon is None else epsilon,
        delta=entry.delta if delta is None else delta,
        episodes=count("releases", releases) + 1,
        **sizes,
    )


def target(
    identifier: str,
    *,
    counter: str | None = None,
    calibration: str = "printed",
    epsilon: float | None = None,
    delta: float | None = None,
    releases: int = 7,
    user: int = 1,
) -> Target:
    """The noise of an entry and its worst pair of users.

    Parameters
    ----------
    counter : the paper's own by default; others have the calibrations ``corrected`` and ``tight``,
        here the same: the smallest noise of the paper's proportions that makes the worst pair cost
        epsilon
    epsilon, delta : the entry's by default
    releases, user : R and k
    """
    releases = count("releases", releases, 1, MOST_ATTACKED_RELEASES)
    declared = noise.paper(suite.entry(identifier).paper)
    counter = choice("counter", declared.counter if counter is None else counter, AUDITED)
    choice("calibration", calibration, CALIBRATIONS)
    require(
        calibration != "printed" or counter == declared.counter,
        f"calibration printed exists for counter {declared.counter}",
        counter=counter,
    )
    paper_setting = setting(identifier, releases, epsilon, delta)
    law = "laplace" if declared.pure and paper_setting.delta == 0 else "gaussian"
    require(
        calibration != "printed" or not declared.pure or law == "laplace",
        "calibration printed exists for delta = 0",
        delta=paper_setting.delta,
    )
    require(
        law in laws(counter),
        f"counter {counter} has no {law} noise: ask for another, or for delta > 0",
        delta=paper_setting.delta,
    )
    replaced, removed, cell = changes(declared.id, paper_setting)
    order = 1 if law == "laplace" else 2
    factor = 1.0
    if calibration != "printed":  # the worst pair costs epsilon over this counter
        most = (
            paper_setting.epsilon
            if law == "laplace"
            else accounting.gaussian_mu(paper_setting.epsilon, paper_setting.delta)
        )
        sharp = counter_cost(counter, releases, law).sensitivity * float(
            np.linalg.norm(replaced, order)
        )
        factor = most / sharp * (1 - 1e-9)
    pairs = {"worst": AttackedPair(counter, law, factor * replaced, releases, user)}
    if law == "laplace":
        pairs["reward"] = AttackedPair(counter, law, np.array([factor * cell]), releases, user)
    ratio = float(np.linalg.norm(removed, order) / np.linalg.norm(replaced, order))
    return Target(
        identifier, counter, calibration, paper_setting.epsilon, paper_setting.delta, pairs, ratio
    )


def audit(
    identifier: str,
    *,
    counter: str | None = None,
    calibration: str = "printed",
    epsilon: float | None = None,
    delta: float | None = None,
    releases: int = 7,
    user: int = 1,
    trials: int = 200_000,
    seed: int = 0,
    alpha: float = 1e-3,
    fault: str | None = None,
) -> Audit:
    """Attack the counter of an entry; see :func:`target` and
    :func:`privrl.privacy.audit.counters.attack`.

    ``alpha`` : probability with which one of the bounds of all pairs may be wrong
    """
    target_ = target(
        identifier,
        counter=counter,
        calibration=calibration,
        epsilon=epsilon,
        delta=delta,
        releases=releases,
        user=user,
    )
    if fault is not None:
        choice("fault", fault, FAULTS)
    trials, alpha, seed = known_trials(trials), failure("alpha", alpha), count("seed", seed, 0)
    seeds = np.random.SeedSequence(seed).spawn(len(target_.pairs))
    attacks = {
        name: attack(
            pair,
            np.random.Generator(np.random.SFC64(seed_)),
            trials=trials,
            fault=fault,
            delta=0.0 if pair.law == "laplace" else target_.delta,
            alpha=alpha / len(target_.pairs),
            ratio=target_.ratio,
        )
        for (name, pair), seed_ in zip(target_.pairs.items(), seeds, strict=True)
    }
    return Audit(
        identifier,
        "counter",
        target_.counter,
        calibration,
        target_.epsilon,
        target_.delta,
        int(releases),
        int(user),
        fault,
        seed,
        trials,
        alpha,
        attacks,
    )


def changes(paper: str, paper_setting: noise.Setting) -> tuple[FloatArray, FloatArray, float]:
    """The worst pair, in units of the printed noise of a draw.

    Returns
    -------
    The change when a user is replaced, the change when one is taken out, and that of one
    reward (0 unless the noise is Laplace).
    """
    declared = noise.paper(paper)
    scales = {scale.name: scale.printed for scale in declared.noise(paper_setting).scales}
    return declared.change(paper_setting, scales)
