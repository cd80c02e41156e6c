"""How often the audit says no: on planted faults (its power), and on correct noise (its false
alarms).

Every case is one attack with its number of trials, the *documented sample size*, repeated with
other seeds. A fault counts as caught when the audit refutes the noise; 300 of 300 put the power
above 0.99 at 95 % (Clopper-Pearson: the 300th root of 0.05 is 0.990). Correct noise counts as a
false alarm when it is refuted, at a level that is large enough to be seen. The numbers are those of
``figures/data/runs/audit_power.csv``; ``privrl figures audit_power --recompute`` makes them again.
Redrawn Laplace nodes have no documented size: they show over 63 releases where a pair is worth
epsilon = 2, from about 20,000 trials on (a test has one such attack), but how often was not
counted.
"""

from dataclasses import dataclass

import numpy as np

from privrl.privacy import accounting, noise
from privrl.privacy.audit import entries as audit
from privrl.privacy.audit.counters import AttackedPair, attack
from privrl.privacy.audit.events import proportion_above, proportion_below
from privrl.privacy.audit.faults import FAULTS
from privrl.privacy.counters.mechanisms import AUDITED

ALPHA = 1e-3  # of an attack on planted noise: the audit's default
ALARM_LEVEL = 0.05  # of an attack on correct noise
REPETITIONS = {"power": 300, "alarms": 200, "bound": 2}
CONFIDENCE = 0.95
GAUSSIAN_DELTA = 1e-6
POWER_NOISES = (("tree", "gaussian"), ("tree", "laplace"), ("local", "gaussian"))  # of the two sums


def entries() -> dict[str, float]:
    """The smallest entry of each paper, and epsilon: 6 H of Laplace noise, so that the pair
    ``reward`` costs 1."""
    return {
        paper.audited: 6.0 * audit.setting(paper.audited, 1).horizon if paper.pure else 1.0
        for paper in noise.DECLARED.values()
        if paper.audited
    }


@dataclass(frozen=True)
class AttackCase:
    """One attack that is repeated.

    ``kind`` : ``power`` (a fault is planted), ``alarms`` or ``bound`` (correct noise: how high the
        bound is)
    ``of`` : an id of the suite (then its paper's counter and its worst pair are attacked), or ``two
        sums``
    ``epsilon`` : that is claimed for the entry, or of the pair of two sums, at delta = 1e-6 where
        the noise is Gaussian
    """

    kind: str
    of: str
    counter: str  #: of the noise
    law: str
    fault: str | None  #: None for correct noise
    releases: int
    trials: int  #: of each world
    epsilon: float = 1.0

    def pairs(self) -> tuple[list[AttackedPair], float, float]:
        """The attacked pairs, the ratio of the fault ``removal``, and delta."""
        gaussian = self.law == "gaussian"
        if self.of == "two sums":
            unit_pair = AttackedPair(
                self.counter, self.law, np.array([1.0, -1.0] if gaussian else [1.0]), self.releases
            )
            size = (
                accounting.gaussian_mu(self.epsilon, GAUSSIAN_DELTA) if gaussian else self.epsilon
            )
            pair = AttackedPair(
                self.counter, self.law, unit_pair.change * size / unit_pair.size(), self.releases
            )
            return [pair], 0.5, GAUSSIAN_DELTA if gaussian else 0.0
        target = audit.target(
            self.of,
            counter=self.counter,
            calibration="tight",
            epsilon=self.epsilon,
            releases=self.releases,
        )
        return list(target.pairs.values()), target.ratio, target.delta if gaussian else 0.0


def repeat(
    case: AttackCase, repetitions: int, seed: int = 0, alpha: float = ALPHA
) -> dict[str, float]:
    """Attack ``repetitions`` times, each with a generator of its own; how many ``refuted`` the
    noise.

    Beside it one-sided 95 % Clopper-Pearson bounds of that rate, ``low`` from below and ``high``
    from above; and the mean ``share`` of lower bound / exact epsilon, of the pair where it is
    largest, with the ``least`` of them.

    ``alpha`` : probability with which one attack (all its pairs together) may be wrong
    """
    pairs, ratio, delta = case.pairs()
    refuted, shares = 0, []
    for child in np.random.SeedSequence(seed).spawn(repetitions):
        rng = np.random.Generator(np.random.SFC64(child))
        attacks = [
            attack(
                pair,
                rng,
                trials=case.trials,
                delta=delta,
                alpha=alpha / len(pairs),
                fault=case.fault,
                ratio=ratio,
            )
            for pair in pairs
        ]
        refuted += any(attack_.refuted for attack_ in attacks)
        shares.append(max(attack_.lower / attack_.exact for attack_ in attacks))
    miss = 1 - CONFIDENCE
    return {
        "repetitions": repetitions,
        "refuted": refuted,
        "low": float(proportion_below(refuted, repetitions, miss)),
        "high": float(proportion_above(refuted, repetitions, miss)),
        "share": float(np.mean(shares)),
        "least": float(min(shares)),
    }


def cases(kind: str) -> tuple[AttackCase, ...]:
    """All cases of a kind, with the documented sample sizes."""
    if kind == "power":
        return tuple(
            AttackCase(
                kind,
                "two sums",
                counter,
                law,
                fault,
                7,
                POWER_TRIALS.get((counter, law, fault), POWER_TRIALS[law, fault]),
            )
            for counter, law in POWER_NOISES
            for fault in FAULTS
            if (law, fault) in POWER_TRIALS
        )
    if kind == "bound":
        return tuple(
            AttackCase(kind, "two sums", counter, "gaussian", None, 7, 1_000_000)
            for counter in AUDITED
        )
    return (
        *(
            AttackCase(kind, "two sums", counter, law, None, 7, 1000)
            for counter, law in POWER_NOISES
        ),
        *(
            AttackCase(
                kind,
                of,
                noise.paper(of.split("/")[0]).counter,
                "laplace" if noise.paper(of.split("/")[0]).pure else "gaussian",
                None,
                7,
                1000,
                epsilon,
            )
            for of, epsilon in entries().items()
        ),
    )


# the documented sample size of a planted fault: trials of each world, at 7 releases and epsilon = 1
# several times what caught a fault a dozen times of a dozen; by (law, fault), or (counter, law,
# fault) where it differs
POWER_TRIALS: dict[tuple[str, ...], int] = {
    ("gaussian", "half-scale"): 20_000,
    ("gaussian", "removal"): 20_000,
    ("gaussian", "redrawn"): 30_000,
    ("tree", "gaussian", "redrawn"): 120_000,
    ("laplace", "half-scale"): 10_000,
    ("laplace", "removal"): 10_000,
    **{
        (law, fault): 500
        for law in ("gaussian", "laplace")
        for fault in ("shared", "reused", "missing-level")
    },
}
