"""How many users each paper's algorithm needs, per counter and calibration: to learn at all, and for its bound to bite.

``start`` is, for vietri2020 and chowdhury2021, the number of episodes before which no plan can differ from one that
knows nothing. For liao2021 and zhou2022 it is the number before which every bonus exceeds the range of the values, so
that optimism cannot guide the agent; its noisy estimates may still tell good actions from bad ones much earlier, as
runs show, so there it is no lower bound of the burn-in. ``below_trivial`` is the number from which on the regret bound
is below the trivial one. Both are closed forms or monotone predicates. Where the printed statement hides constants, the
bound is the one with the constants of its proof.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, cast

from privrl.agents import sizes
from privrl.agents.lq import learner as lq
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.tabular.dp_ucbvi import DPUCBVI
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.horizon import pucb as tabular
from privrl.horizon import successors as horizon_successors
from privrl.privacy import noise, quantiles
from privrl.privacy.counters import mechanisms
from privrl.privacy.noise import PAPERS
from privrl.types import MOST_EPISODES, Budget, choice, count, failure, parameter, real, require
from theory.papers.chowdhury2021 import bounds as bounds_chowdhury2021
from theory.papers.liao2021 import bounds as bounds_liao2021
from theory.papers.vietri2020.bounds import counters as bounds_counters
from theory.papers.vietri2020.bounds import proved as bounds_vietri2020
from theory.papers.vietri2020.bounds import stated as bounds
from theory.papers.vietri2020.bounds import successors as bounds_successors
from theory.papers.zhou2022 import bounds as bounds_zhou2022

LINEAR = ("liao2021", "zhou2022")
BETA = 0.1  # where none is given
READ = {"vietri2020": ("states", "actions", "horizon"), "chowdhury2021": ("states", "actions", "horizon", "gamma"),
        "liao2021": ("dim", "horizon"), "zhou2022": ("dim", "actions", "horizon")}  # beside epsilon, delta and beta
# sums over the steps and bounds of norms are evaluated thousands of times: more takes minutes
MOST = {"horizon": 100, "states": 10, "actions": 10}


@dataclass(frozen=True)
class Row:
    """One agent, counter and calibration."""

    agent: str  #: its name in ``privrl.agents.registry``
    counter: str
    calibration: str
    start: int | None  #: the module's text and :attr:`Horizons.means`; None: not before the last episode that was tried
    below_trivial: int | None  #: from here on the regret bound says something; None: no bound is worked out


@dataclass(frozen=True)
class Horizons:
    """The answer for one paper: its setting, the rows, and what they rest on."""

    paper: str
    setting: dict[str, float]
    rows: tuple[Row, ...]
    note: str

    @property
    def means(self) -> str:
        """What ``start`` says for this paper."""
        return "bonuses above all values before episode" if self.paper in LINEAR else "no learning before episode"


def setting(paper: str, **given: float | None) -> dict[str, float]:
    """The paper's setting in ``noise.DEFAULTS`` with some values replaced; ``None`` keeps the default.

    Raises
    ------
    ValueError
        An unknown paper, a name that the paper's horizon does not depend on, a value out of range.
    """
    base = noise.DEFAULTS[choice("paper", paper, PAPERS)]
    sizes = {name: getattr(base, "dimension" if name == "dim" else name) for name in READ[paper]}
    made: dict[str, float] = {"epsilon": base.epsilon, "delta": base.delta, "beta": BETA, **sizes}
    chosen = {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        require(name in made, f"{paper}'s horizon depends on {', '.join(made)}", **{name: value})
        made[name] = count(name, value) if name in ("states", "actions", "horizon", "dim") else real(name, value)
    for name in MOST if paper == "chowdhury2021" else ("horizon",):
        require(made[name] <= MOST[name], f"{name} must be <= {MOST[name]} for {paper}'s horizon", **{name: made[name]})
    Budget(made["epsilon"], made["delta"])
    failure("beta", made["beta"])
    if paper != "vietri2020":
        require(made["delta"] > 0, f"{paper} claims (epsilon, delta): delta must be in (0, 1)", delta=made["delta"])
        require(made["horizon"] >= 2, "horizon must be >= 2", horizon=made["horizon"])
    if paper == "chowdhury2021":
        parameter("gamma", made["gamma"])
    return made


def horizons(paper: str, made: dict[str, float]) -> Horizons:
    """Users needed in a setting as from :func:`setting`."""
    answers = {"vietri2020": _vietri2020, "chowdhury2021": _chowdhury2021, "liao2021": _liao2021,
               "zhou2022": _zhou2022}
    rows, note = answers[choice("paper", paper, PAPERS)](made)
    return Horizons(paper, made, tuple(rows), note)


def _vietri2020(made: dict[str, float]) -> tuple[list[Row], str]:
    S, A, H = (int(made[name]) for name in ("states", "actions", "horizon"))
    epsilon, beta = made["epsilon"], made["beta"]
    rows = []
    for start in tabular.starts(epsilon, made["delta"], S, A, H, beta):
        if start.counter == "none":
            below: int | None = bounds_vietri2020.regret_horizon(S, A, H, math.inf, beta)
        elif start.counter == "tree" and made["delta"] == 0 and start.calibration != "tight":
            below = bounds_vietri2020.regret_horizon(S, A, H, epsilon, beta, cast(Any, start.calibration))
        else:
            agent = PUCB(epsilon, made["delta"], beta, start.counter, start.calibration)
            below = bounds_counters.regret_horizon(agent, S, A, H)
        rows.append(Row("pucb", start.counter, start.calibration, start.episodes, below))
    rows += _successors(made)
    printed = bounds.vacuity_horizon(S, A, H, epsilon, beta)
    law = ("delta = 0: counters with Laplace noise; --delta 1e-6 has those with Gaussian noise" if made["delta"] == 0
           else "delta > 0: counters with Gaussian noise")
    return rows, (f"{law}. The bound is the one proved in place of Theorem 4, with the counter's width. Theorem 4's "
                  f"sum, as printed, is above the trivial H T up to episode {printed:.3g}. Successors (ucbvi, "
                  "ldp-ucbvi, private-ucbvi, dp-ucbvi): their bonuses, bounds and constants are this repository's own, "
                  "as those of their papers were not recovered; their start is the first at which a count without "
                  "noise could be enough, PUCB's at which a count with the largest noise could.")


def _successors(made: dict[str, float]) -> list[Row]:
    S, A, H = (int(made[name]) for name in ("states", "actions", "horizon"))
    epsilon, delta, beta = made["epsilon"], made["delta"], made["beta"]
    rows = []
    for start in horizon_successors.starts(epsilon, delta, S, A, H, beta):
        kind = DPUCBVI if start.agent == "dp-ucbvi" else PrivateUCBVI
        free = start.counter == "none"
        agent = kind(math.inf, 0.0, beta, "none") if free else kind(epsilon, delta, beta, start.counter,
                                                                    start.calibration)
        most = start.searched
        if start.counter == "local" and delta == 0:  # where the certified quantile of a walk ends
            most = min(most, quantiles.MOST_TERMS + 1)
        guess = (start.episodes or most) * (10**4 if start.counter == "local" else 200)
        rows.append(Row("dp-ucbvi" if kind is DPUCBVI else start.agent, start.counter, start.calibration,
                        start.episodes, _bound_below(agent, S, A, H, most, guess)))
    return rows


def _bound_below(agent: PrivateUCBVI | DPUCBVI, states: int, actions: int, horizon: int, most: int,
                 guess: int) -> int | None:
    """As :func:`bounds_successors.explicit_horizon`, up to a thousandth and the jumps of a counter's depth."""

    def ratio(planned: int) -> float:
        bound = bounds_successors.explicit_regret(agent, states, actions, horizon, planned)
        return bound / bounds.trivial_regret(horizon, planned)

    return tabular.below_one(ratio, most, guess, -0.6)


def _chowdhury2021(made: dict[str, float]) -> tuple[list[Row], str]:
    problem = replace(bounds_chowdhury2021.SCALAR, states=int(made["states"]), controls=int(made["actions"]),
                      horizon=int(made["horizon"]), gamma=made["gamma"])
    rows = []
    for name in bounds_chowdhury2021.CALIBRATIONS:
        calibration = cast(Any, name)
        options = (problem, made["beta"], made["epsilon"], made["delta"], calibration)
        rows.append(Row("private-ofu-rl", "tree", name, bounds_chowdhury2021.start_horizon(*options),
                        bounds_chowdhury2021.vacuity_horizon(*options)))
    lines = bounds_chowdhury2021.vacuity_horizon(problem, made["beta"], made["epsilon"], made["delta"], "printed",
                                                 "printed")
    rows += _lq_counters(problem, made)
    return rows, (f"||Q|| = {problem.state_cost:g}, ||R|| = {problem.control_cost:g}, C_w = {problem.noise:g}; "
                  "before the start every control is 0; the bound is Theorem 3's with proved constants. Its printed "
                  f"lines fall below the trivial bound at {lines:.3g}. The other counters are not the paper's: the "
                  "same bound, with the noise and the norm bounds that they have.")


def _lq_counters(problem: bounds_chowdhury2021.Problem, made: dict[str, float]) -> list[Row]:
    """Private-OFU-RL over the counters that the paper does not have; both answers up to a thousandth."""
    beta = made["beta"]
    system = sizes.lq(problem.states, problem.controls, problem.horizon, problem.gamma, problem.noise)
    rows = []
    for counter in mechanisms.PRIVATE:
        if counter == "tree" or "gaussian" not in mechanisms.laws(counter):
            continue
        for name in bounds_chowdhury2021.CALIBRATIONS[1:]:
            agent = PrivateOFURL(made["epsilon"], made["delta"], beta, counter, name)

            def regular(planned: int, agent: PrivateOFURL = agent) -> bounds_chowdhury2021.Regularity:
                found = agent.calibrate(system, planned)
                return bounds_chowdhury2021.Regularity(found.lambda_min, found.lambda_max, found.nu)

            def start(planned: int, regular: Any = regular) -> float:
                return bounds_chowdhury2021.first_episode(problem, beta, regular(planned)) / (planned + 0.5)

            def below(planned: int, regular: Any = regular) -> float:
                bound = bounds_chowdhury2021.regret_terms(problem, planned, beta, regular(planned)).total
                return bound / bounds_chowdhury2021.trivial_regret(problem, planned)

            most = min(MOST_EPISODES, mechanisms.most_releases(counter, lq.width(system)) + 1)
            first = tabular.below_one(start, most)
            rows.append(Row(agent.name, counter, name, first, tabular.below_one(below, most, 1 << 20, -0.6)))
    return rows


def _liao2021(made: dict[str, float]) -> tuple[list[Row], str]:
    found = bounds_liao2021.horizons(int(made["dim"]), int(made["horizon"]), made["epsilon"], made["delta"],
                                     made["beta"])
    return [Row("ucrl-vtr" if row.counter == "none" else "ldp-ucrl-vtr", row.counter, row.calibration, row.start,
                row.below_trivial) for row in found], (
        "Theorem 5.2 hides its constants and its proof is not in our copy: the bound is zhou2022's analysis of "
        "changing regularisers with local noise; features within equation 3.1.")


def _zhou2022(made: dict[str, float]) -> tuple[list[Row], str]:
    d = int(made["dim"])
    found = bounds_zhou2022.horizons(d, d, int(made["horizon"]), made["epsilon"], made["delta"], made["beta"])
    return [Row("linopt-vi", row.counter, row.calibration, row.start, row.below_trivial) for row in found], (
        "value iteration, d for transitions and rewards alike; `printed` is the sum of the displayed terms of Theorem "
        "6.5, the others are the sharper bound of theory/papers/zhou2022/bounds.py.")
