"""Joint against local privacy: the variant of remark 6.9 on the same mixture, with the same
agents."""

from functools import partial
from math import inf

from figures import runs, style
from figures.kinds.tables import TABLES, Path, Tables
from figures.zhou2022.learning import rows, tables_of
from figures.zhou2022.regret import AGENTS, ENTRY, EPSILONS, PLANNED, REPLICATES
from figures.zhou2022.regret import long_runs as joint_runs
from privrl.run.sweep import RunPlan

ID = "zhou2022_local"
DRAWN_CALIBRATIONS = ("printed", "tight")
PLANS: list[RunPlan] = [
    RunPlan(
        ENTRY,
        agent=agent,
        counter="local",
        calibration=calibration,
        epsilon=epsilon,
        episodes=PLANNED,
        replicates=REPLICATES,
    )
    for agent in AGENTS
    for epsilon in EPSILONS
    for calibration in DRAWN_CALIBRATIONS
]
MESSAGE = "Without a trusted server learning takes more users, at ε = 1 over a million"
CAPTION = """Without a trusted server learning takes two to fourteen times as many users with tight
constants, and at epsilon = 1 more than there were. The price of not trusting the server: regret per
user over uniform play's, windows and marks as in `zhou2022_learning`, for trees (solid) and for the
local variant of remark 6.9 (dashed: every user adds her own noise, and K - 1 terms add up in place
of log2 K), K = 10^6 planned episodes on mixture-2; of 32 replicates none learns within 10^6 users
for local `printed` at epsilon = 1 and 10 and `tight` at 1. For the local variant the paper gives no
formulas: `printed` takes its own ones with m replaced by 1 in the noise and by K - 1 in lambda_min,
lambda_max and nu."""
ALT = """Six panels, value iteration above policy optimisation, epsilon 1, 10 and 100. Each dashed
local line falls much later than the solid line of the tree in its colour; at epsilon 1 no local
line comes below one half, at epsilon 100 all do."""
recompute = partial(runs.recompute, PLANS)  # some minutes; resumable
long_runs = partial(runs.read, ID)  # The local runs, in the order of ``PLANS``


def tables(folder: Path = TABLES) -> Tables:
    runs = tuple(
        run
        for run in joint_runs(folder)
        if run.calibration in DRAWN_CALIBRATIONS and run.epsilon < inf
    )
    return tables_of(runs + long_runs(folder), folder)


draw = rows(
    lambda epsilon: {
        (counter, name, epsilon): (style.COLOURS[name], dash, f"{counter}, {name}")
        for counter, dash in (("tree", "-"), ("local", (0, (4, 1.5))))
        for name in DRAWN_CALIBRATIONS
    },
    first=300,
)
