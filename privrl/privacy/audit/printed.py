"""The papers' printed noise, attacked where it falls short of what is claimed for it.

Each row is one claim (of a theorem, or of a step of its proof), the exact epsilon of two explicit
users, and the lower bound that an attack reaches. A row whose bound is above the claim refutes it
by an experiment. The attack cannot show more than its trials: with n of them no rate is known to be
below about 1/n, so that a bound through the Gaussian curve ends at mu of about 9 for n = 10^6, and
differences of the rates below 1/sqrt(n) stay unseen.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privrl.checks import count, probability
from privrl.privacy import noise, sensitivity
from privrl.privacy.audit.counters import AttackedPair, attack
from privrl.privacy.audit.entries import changes
from privrl.privacy.audit.events import known_trials


@dataclass(frozen=True)
class Shortfall:
    """One claim for printed noise, and what an attack gains."""

    paper: str
    what: str  #: which noise, in which setting
    claimed: float
    delta: float
    exact: float  #: epsilon of the two users at delta
    lower: float  #: what the attack shows

    @property
    def refuted(self) -> bool:
        """Whether the attack shows that the claim fails."""
        return self.lower > self.claimed

    @property
    def share(self) -> float:
        """lower / exact."""
        return self.lower / self.exact


def claims() -> Iterator[tuple[str, str, float, float, AttackedPair]]:
    """Paper, noise and setting, claimed epsilon and delta, and the pair that is attacked, of every
    row."""
    for horizon in (1, 3):
        setting = noise.setting(
            "vietri2020", epsilon=1.0, horizon=horizon, states=2, actions=1, episodes=2
        )
        yield (
            "vietri2020",
            f"theorem-1, H = {horizon}, T = 2, all counters",
            setting.epsilon,
            0.0,
            AttackedPair("tree", "laplace", changes("vietri2020", setting)[0], 1),
        )
    setting = noise.setting(
        "chowdhury2021", epsilon=1.0, horizon=1, gamma=0.1, states=1, actions=1, episodes=8
    )
    pair = sensitivity.chowdhury2021("cross", 1, 0.1, states=1, controls=1)
    sums = [
        sensitivity.control_sums(states, controls)[1].ravel()
        for states, controls in (pair.first, pair.second)
    ]
    scale = noise.noise("chowdhury2021", setting).scales[1].printed
    yield (
        "chowdhury2021",
        "proof of theorem-2, gamma = 0.1, second counter, epsilon = 1",
        setting.epsilon / 2,
        setting.delta / 2,
        AttackedPair("tree", "gaussian", (sums[1] - sums[0]) / scale, 7),
    )
    setting = noise.setting(
        "chowdhury2021", epsilon=20.0, horizon=4, gamma=0.01, states=2, actions=1, episodes=8
    )
    yield (
        "chowdhury2021",
        "theorem-2, gamma = 0.01, H = 4, both counters, epsilon = 20",
        setting.epsilon,
        setting.delta,
        AttackedPair("tree", "gaussian", changes("chowdhury2021", setting)[0], 7),
    )
    # the vector counter of the rewards: features at 150 degrees, rewards 1
    setting = noise.setting("zhou2022", epsilon=40.0, horizon=10, dimension=2, episodes=8)
    angle, share = math.radians(150), 4 * setting.horizon
    change = (
        np.array([math.cos(angle) - 1, math.sin(angle)])
        / noise.noise("zhou2022", setting).scales[3].printed
    )
    yield (
        "zhou2022",
        "proof of theorem-6.4, H = 10, one reward counter, epsilon = 40",
        setting.epsilon / share,
        setting.delta / share,
        AttackedPair("tree", "gaussian", change, 7),
    )
    setting = noise.setting("liao2021", epsilon=0.1, delta=1e-6, horizon=2)
    share = 2 * setting.horizon
    change = np.array(
        [2.0 * setting.horizon**2 / noise.noise("liao2021", setting).scales[0].printed]
    )
    yield (
        "liao2021",
        "algorithm-1, H = 2, one release of change 2H^2, epsilon = 0.1",
        setting.epsilon / share,
        setting.delta / share,
        AttackedPair("local", "gaussian", change, 1),
    )


def shortfalls(
    *, trials: int = 1_000_000, seed: int = 0, alpha: float = 1e-3
) -> tuple[Shortfall, ...]:
    """Attack every row.

    Parameters
    ----------
    trials : of each world, for each row
    alpha : probability with which the bound of a row may be wrong
    """
    trials, alpha, seed = known_trials(trials), probability("alpha", alpha), count("seed", seed, 0)
    rows, seeds = [], np.random.SeedSequence(seed)
    for paper, noise_, claimed, delta, pair in claims():
        (seed_,) = seeds.spawn(1)
        result = attack(
            pair,
            np.random.Generator(np.random.SFC64(seed_)),
            trials=trials,
            delta=delta,
            alpha=alpha,
        )
        rows.append(Shortfall(paper, noise_, claimed, delta, result.exact, result.lower))
    return tuple(rows)
