"""What should I run, and how many users do I need? Derived from the committed runs, nothing else.

Every run of every table on the two comparison problems is read: the relabelled RiverSwim (tabular)
and the smallest mixture (linear). A run counts for an answer when its noise is what the guarantee
needs (``corrected`` or ``tight``) at delta <= 10^-6; the one that has learnt from the fewest users
is the answer, at this epsilon or a smaller one.
"""

from dataclasses import dataclass
from functools import cache
from math import inf, isnan, nan
from pathlib import Path

import pandas as pd

from figures import linear_runs
from figures.kinds.tables import numbers
from figures.runs import TABLES
from figures.style import markdown as markdown_table
from figures.style import number
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import suite
from privrl.horizon import pucb as horizon
from privrl.horizon import successors as horizon_successors
from privrl.run import learning

RIVER, MIXTURE = "vietri2020/riverswim-3-relabelled", "zhou2022/mixture-2"
PROBLEMS: dict[str, dict[str, str]] = {  # problem -> id of a run -> id of its tables in the suite
    "tabular": {
        RIVER: RIVER,
        "riverswim-3-relabelled-onehot": RIVER,
        "riverswim-3-relabelled-onehot-scaled": RIVER,
    },
    "linear": {MIXTURE: MIXTURE},
}
WORDS = {"tabular": "tabular, S = 3, A = 2, H = 3", "linear": "linear mixture, d = 2, H = 2"}
TRUST = {"joint": "trusted server", "local": "no trusted server"}
NAMES = (
    "vietri2020_regret",
    "vietri2020_price",
    "vietri2020_counters",
    "successors_regret",
    "common_environment",
    "zhou2022_regret",
    "zhou2022_local",
    "zhou2022_counters",
    "tuned_users",
)
EPSILONS = (1.0, 10.0, 100.0)
MOST_DELTA = 1e-6
HONEST = ("corrected", "tight")
KNOWN = ("ldp-ucrl-vtr", "ucrl-vtr")  # told the rewards: no match for the others
AGENTS = {
    "pucb": "PUCB",
    "ubev": "UBEV",
    "linopt-vi": "LinOpt-VI",
    "linopt-po": "LinOpt-PO",
    "ldp-ucrl-vtr": "UCRL-VTR (rewards known)",
    "ucrl-vtr": "UCRL-VTR (rewards known)",
    "private-ucbvi": "private UCBVI",
    "ldp-ucbvi": "private UCBVI",
    "ucbvi": "UCBVI",
    "dp-ucbvi": "DP-UCBVI",
    "private-ofu-rl": "Private-OFU-RL",
    "ofu-rl": "OFU-RL",
}
COLUMNS = [
    "problem",
    "trust",
    "agent",
    "counter",
    "calibration",
    "epsilon",
    "delta",
    "planned",
    "played",
    "burn_in",
    "central",
    "earliest",
]


@dataclass(frozen=True)
class Answer:
    """What to run for one problem, one kind of trust and one epsilon.

    Parameters
    ----------
    best : row of :func:`table` that has learnt from the fewest users, None where none has
    printed : the same among the paper's printed calibrations, None where none was run or has learnt
    published : whether any printed calibration was run at all
    base, base_planned : users before the best agent without privacy has learnt, and what it was
        planned for
    tried : most users that were tried with honest noise
    """

    problem: str
    trust: str
    epsilon: float
    best: pd.Series | None
    printed: pd.Series | None
    published: bool
    base: float
    base_planned: float
    tried: float


@cache
def table(folder: Path = TABLES) -> pd.DataFrame:
    """Every run on the two problems with its burn-in (infinity: not within the run), columns as in
    ``COLUMNS``."""
    rows = []
    for name in NAMES:
        for run in linear_runs.read_runs(name, folder):
            for problem, ids in PROBLEMS.items():
                if (
                    run.id not in ids or run.regret.shape[0] < 2 or "*" in run.calibration
                ):  # widths without a proof
                    continue
                burn = learning.burn_in(run, suite.tabular(ids[run.id]), growing=True)
                trust = {"none": "none", "local": "local"}.get(run.counter, "joint")
                rows.append(
                    (
                        problem,
                        trust,
                        run.agent,
                        run.counter,
                        run.calibration,
                        run.epsilon,
                        run.delta,
                        run.planned,
                        int(run.episodes[-1]),
                        *numbers(burn),
                    )
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def answers(folder: Path = TABLES) -> list[Answer]:
    """One answer per problem, trust and epsilon, among the agents that are not told the rewards."""
    every, answer_rows = table(folder), []
    every = every[~every["agent"].isin(KNOWN)]
    for problem in PROBLEMS:
        mine = every[every["problem"] == problem]
        base = _first(mine[mine["trust"] == "none"])
        assert base is not None, problem
        for trust in TRUST:
            for epsilon in EPSILONS:
                # less epsilon is more privacy
                rows = mine[(mine["trust"] == trust) & (mine["epsilon"] <= epsilon)]
                honest = rows[rows["calibration"].isin(HONEST) & (rows["delta"] <= MOST_DELTA)]
                printed = rows[(rows["calibration"] == "printed") & (rows["epsilon"] == epsilon)]
                answer_rows.append(
                    Answer(
                        problem,
                        trust,
                        epsilon,
                        _first(honest),
                        _first(printed),
                        len(printed) > 0,
                        float(base["burn_in"]),
                        float(base["planned"]),
                        float(honest["played"].max()) if len(honest) else nan,
                    )
                )
    return answer_rows


def _first(rows: pd.DataFrame) -> pd.Series | None:
    """The row that has learnt from the fewest users; ties by the mean's burn-in, then by the
    regret's order."""
    reached = rows[rows["burn_in"] < inf].sort_values(["burn_in", "central"], kind="stable")
    return reached.iloc[0] if len(reached) else None


def say(row: pd.Series) -> str:
    """What to run, in words."""
    law = "" if float(row["delta"]) else ", Laplace"
    over = "own noise" if row["counter"] == "local" else f"over `{row['counter']}`"
    return f"{AGENTS.get(str(row['agent']), row['agent'])} {row['calibration']}, {over}{law}"


def counted(users: float, planned: float) -> str:
    """Users, and for how many the run was planned: widths grow with that, and runs of unequal plans
    have no ratio."""
    return f"{number(float(users), 2)} ({number(float(planned), 2)})"


def markdown(folder: Path = TABLES) -> str:
    """The table of the README."""
    rows = []
    for answer in answers(folder):
        if answer.best is not None:
            run, users = say(answer.best), counted(answer.best["burn_in"], answer.best["planned"])
            if answer.best["epsilon"] < answer.epsilon:
                run += f" (run at epsilon = {answer.best['epsilon']:g})"
        elif not isnan(answer.tried):
            run, users = "nothing that was tried", f"more than {number(answer.tried, 2)}"
        else:
            run, users = "not run", "-"
        printed = "not reached" if answer.published else "-"
        if answer.printed is not None:
            printed = counted(answer.printed["burn_in"], answer.printed["planned"])
        rows.append(
            (
                WORDS[answer.problem],
                TRUST[answer.trust],
                f"{answer.epsilon:g}",
                run,
                users,
                printed,
                counted(answer.base, answer.base_planned),
            )
        )
    return markdown_table(
        (
            "problem",
            "who adds the noise",
            "epsilon",
            "run",
            "users before it has learnt (planned for)",
            "as printed",
            "without privacy",
        ),
        rows,
    )


SIZES = ((3, 2, 3), (6, 2, 20), (20, 5, 10))
BETA = 0.1
TABULAR = (
    ("PUCB printed, over `tree`, Laplace", "tree", 0.0, "printed"),
    ("PUCB tight, over `tree`, Laplace", "tree", 0.0, "tight"),
    ("PUCB tight, over `blt`", "blt", MOST_DELTA, "tight"),
    ("PUCB tight, own noise", "local", MOST_DELTA, "tight"),
)
SUCCESSORS = (
    ("private UCBVI tight, over `blt`", "blt"),
    ("private UCBVI tight, own noise", "local"),
)


@cache
def starts(epsilon: float = 1.0) -> pd.DataFrame:
    """Users before which no plan of a tabular agent can differ from one that knows nothing: closed
    forms, no runs.

    Columns: run, then one per size (S, A, H).
    """
    rows = [
        (
            name,
            *(
                horizon.start(PUCB(epsilon, delta, BETA, counter, calibration), *size).episodes
                for size in SIZES
            ),
        )
        for name, counter, delta, calibration in TABULAR
    ]
    for name, counter in SUCCESSORS:
        agent = PrivateUCBVI(epsilon, MOST_DELTA, BETA, counter, "tight")
        rows.append((name, *(horizon_successors.start(agent, *size).episodes for size in SIZES)))
    return pd.DataFrame(rows, columns=["run", *(", ".join(map(str, size)) for size in SIZES)])


def starts_markdown(epsilon: float = 1.0) -> str:
    starts_ = starts(epsilon)
    return markdown_table(
        ("S, A, H", *starts_.columns[1:]),
        (
            (name, *(number(float(value), 2) for value in values))
            for name, *values in starts_.itertuples(index=False)
        ),
    )
