"""Coverage and optimism on every episode of replayed runs of OFU-RL and Private-OFU-RL (lemma-1,
equation-9)."""

import dataclasses
from functools import cache
from math import inf

import numpy as np

from figures import style
from figures.chowdhury2021.regret import ALPHA, DELTA
from figures.kinds.lines import Figure, named_rows
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.lq.state import LQCalibration
from privrl.diagnose.lq import LQDiagnosis, diagnose
from privrl.environments import planning, suite
from privrl.environments.lq import LQSystem

ENTRIES = {
    "scalar": ("chowdhury2021/scalar", 2000, 10**4),
    "lq-2-1": ("chowdhury2021/lq-2-1", 300, 10**4),
}
RUNS, SEED, FACTOR = 3, 5, 0.05
SETTINGS = tuple(
    (name, agent, calibration, epsilon)
    for name in ENTRIES
    for agent, calibration, epsilon in (
        ("ofu-rl", "printed", inf),
        ("private-ofu-rl", "printed", 1.0),
        ("private-ofu-rl", "printed", 1e4),
        ("private-ofu-rl", "corrected", 1e4),
        ("private-ofu-rl", "tight", 1e4),
        ("narrow", "printed", 1e4),
    )
)
MESSAGE = "The true system stays in every confidence set; a broken twin is noticed"
CAPTION = """In every replayed run the true system stays in the confidence sets and every plan is
optimistic; a broken twin is noticed. Runs of 2,000 episodes in the scalar system and of 300 in one
with n = 2, d = 1 (3 each), planned for K = 10,000; epsilon = 10^4 stands for runs that learn so
early, at epsilon = 1 every control is 0. Left: ||Theta_* - Theta^_k|| in the norm of V_k over
beta_k, largest over k. Right: the largest optimal cost of a plan's system less that of the true
one, in units of the regret of u = 0. The twin has a twentieth of what the radius holds for the
regularisers: it leaves the good event; where its plans stay optimistic, the regulariser has drawn
the estimate towards 0."""
ALT = """Two panels, one row per setting. Left: all settings between 0.4 and 0.7 of the radius but
for the broken twin, which lies beyond 1. Right: all settings left of 0, the broken twin of the
scalar system right of it."""


@dataclasses.dataclass(frozen=True)
class NarrowOFURL(PrivateOFURL):
    """A broken twin: a share of the radius."""

    def calibrate(self, system: LQSystem, planned: int) -> LQCalibration:
        """As printed, but ``FACTOR`` of sqrt(lambda_max) + nu in the radius."""
        calibration = super().calibrate(system, planned)
        total_width = np.sqrt(calibration.lambda_max) + calibration.nu
        return dataclasses.replace(
            calibration, nu=float(FACTOR * total_width - np.sqrt(calibration.lambda_max))
        )


@cache
def replays(name: str, agent: str, calibration: str, epsilon: float) -> tuple[LQDiagnosis, ...]:
    identifier, episodes, planned = ENTRIES[name]
    system = suite.environment(identifier)
    assert isinstance(system, LQSystem)
    learner_agent = (
        OFURL(ALPHA)
        if agent == "ofu-rl"
        else (NarrowOFURL if agent == "narrow" else PrivateOFURL)(
            epsilon, DELTA, ALPHA, calibration=calibration
        )
    )
    return tuple(
        diagnose(system, learner_agent, planned, episodes=episodes, seed=SEED, index=index)
        for index in range(RUNS)
    )


def tables(folder: Path = TABLES) -> Tables:
    """``runs``: per run, what lemma-1, lemma-2 and (9) speak of."""
    rows = []
    for setting in SETTINGS:
        for index, run in enumerate(replays(*setting)):
            zero = planning.lq_regret(run.system, planning.lq_zero(run.system))
            rows.append(
                (
                    *setting,
                    index,
                    float((run.distance / run.radius).max()),
                    int((~run.covered).sum()),
                    float(run.shortfall.max()) / zero,
                    int((run.shortfall > 1e-9).sum()),
                    bool(run.regular.all()),
                    run.gain_norm / run.system.gamma,
                    float(np.linalg.norm(run.states, axis=2).max()),
                    run.outcomes["still"],
                    run.outcomes["lost"] + run.outcomes["empty"],
                    len(run.gap),
                    float(run.gap.sum()) / zero,
                )
            )
    return {
        "runs": frame(
            rows,
            "system agent calibration epsilon run distance outside shortfall pessimistic "
            "regular gain state still lost episodes regret",
        )
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.6, 1, 2, sharey=True)
    names = []
    for place, ((system, agent, calibration, epsilon), rows) in enumerate(
        tables["runs"].groupby(["system", "agent", "calibration", "epsilon"], sort=False)
    ):
        colour, words = {
            "ofu-rl": (style.COLOURS["base"], "OFU-RL"),
            "narrow": (style.COLOURS["bound"], "broken twin"),
        }.get(agent, (style.COLOURS[calibration], f"{calibration}, ε = {style.tex(epsilon)}"))
        names.append(f"{system}: {words}")
        for axes, name in ((left_axes, "distance"), (right_axes, "shortfall")):
            axes.plot(
                rows[name], place + 0.14 * (rows["run"] - 1), "o", color=colour, markersize=3.5
            )
    left_axes.axvline(
        1, color=style.COLOURS["bound"], linestyle=style.LINES["bound"], linewidth=0.9
    )
    right_axes.axvline(
        0, color=style.COLOURS["bound"], linestyle=style.LINES["bound"], linewidth=0.9
    )
    left_axes.set(xlim=(0, None), xlabel="largest distance / radius")
    named_rows(left_axes, names, fontsize=7)
    right_axes.set(xlabel="largest $\\tilde{J}_k - J^*$ / regret of u = 0")
    return figure
