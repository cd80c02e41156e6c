"""What the exponents of docs/measure.md leave out, and what a run of it costs.

Times belong to a machine, so the table is recorded, as the bench's are, and no profile makes it:

    python -m figures.left_out

plays a few runs and writes it, in some minutes. Seconds are of processor time, on a machine that
did other work as well.
"""

import time

import numpy as np
import pandas as pd

from figures import comparable, runs
from figures.kinds.tables import where
from figures.runs import TABLES
from figures.style import number
from privrl.agents import registry
from privrl.environments.linear_mixture import LinearMixtureMDP
from privrl.environments.lq import LQSystem
from privrl.run import measure, simulate, sweep
from privrl.types import FloatArray

ID = "exponents_left_out"
COLUMNS = ("paper", "size", "value", "epsilon", "played", "replicate", "users", "seconds")
PLANNED = 10**7
LQ_PLAYED, LQ_EPSILON = 2000, 30_000.0
STEPS = {6: 2}  # H -> runs
CONTEXTS, STEPS_PLAYED, STEPS_EPSILON = 10, 200_000, 30_000.0


def controls(count: int) -> LQSystem:
    """The scalar system of :mod:`figures.comparable` at H = 4, its control spread over so many: the
    best cost and that of no control are the same at every number."""
    return LQSystem(
        f"controls-{count}-h4",
        np.array([[comparable.DRIFT]]),
        np.full((1, count), comparable.CONTROL / np.sqrt(count)),
        np.array([[comparable.COST]]),
        np.eye(count),
        np.ones(1),
        4,
        comparable.GAMMA,
        comparable.NOISE,
    )


def _lq(world: LQSystem, replicate: int) -> FloatArray:
    agent = registry.make(
        "private-ofu-rl",
        epsilon=LQ_EPSILON,
        delta=1e-6,
        beta=0.1,
        counter="tree",
        calibration="printed",
    )
    return simulate.replicate(world, agent, PLANNED, LQ_PLAYED, 0, replicate)


def _mixture(world: LinearMixtureMDP, replicate: int) -> FloatArray:
    agent = registry.make(
        "ldp-ucrl-vtr",
        epsilon=STEPS_EPSILON,
        delta=0.1,
        beta=0.01,
        counter="local",
        calibration="printed",
    )
    marks = measure.marks(PLANNED)
    return simulate.replicate(world, agent, PLANNED, STEPS_PLAYED, 0, replicate, marks=marks)


def record() -> pd.DataFrame:
    """Play the runs; ``users`` is missing where too few are played to tell."""
    rows: list[tuple[object, ...]] = []
    for count in (1, 2):
        _lq(controls(count), 0)  # compiles
        begin = time.process_time()
        _lq(controls(count), 1)
        seconds = time.process_time() - begin
        rows.append(
            ("chowdhury2021", "d", count, LQ_EPSILON, LQ_PLAYED, 1, np.nan, round(seconds, 3))
        )
    marks = measure.marks(PLANNED)
    marks = marks[marks <= STEPS_PLAYED]
    for steps, replicates in STEPS.items():
        world = comparable.linear_contexts(CONTEXTS, steps)
        lost = measure.reference(world, "ldp-ucrl-vtr")
        for replicate in range(replicates):
            begin = time.process_time()
            regret = _mixture(world, replicate)
            seconds = time.process_time() - begin
            users = float(measure.first_users(marks, regret[None], lost)[0])
            rows.append(
                ("liao2021", "H", steps, STEPS_EPSILON, STEPS_PLAYED, replicate, users, seconds)
            )
    return pd.DataFrame(rows, columns=[*COLUMNS])


def read() -> pd.DataFrame:
    """The committed table."""
    return runs.table(ID, COLUMNS)


def reasons() -> list[tuple[str, str, str, str]]:
    """Paper, agent, size and why it is left out, in words of the recorded runs."""
    table = read()
    controls_ = where(table, paper="chowdhury2021")
    each = (controls_["seconds"] / controls_["played"] * 1e6).tolist()
    last = where(table, paper="liao2021", value=max(STEPS))
    never, most = int(np.isinf(last["users"]).sum()), float(last["seconds"].max())
    return [
        (
            "chowdhury2021",
            "private-ofu-rl",
            "n, d",
            (
                f"left out: with two controls a user takes {number(each[1], 1)} microseconds in "
                f"place of {number(each[0], 1)} with one, and five sizes need tens of thousands of "
                "users a run; states that do not touch may be few (below)"
            ),
        ),
        (
            "liao2021",
            "ldp-ucrl-vtr",
            "H",
            (
                f"left out: at H = {max(STEPS)} {never} of {len(last)} runs of "
                f"{number(float(STEPS_PLAYED), 2)} users had not learnt, each of which takes "
                f"{number(most, 1)} seconds; five even values end at 10, "
                "whose runs would take millions of users (below)"
            ),
        ),
    ]


if __name__ == "__main__":
    sweep.write_table(TABLES / f"{ID}.csv", record(), {"planned": PLANNED, "seed": 0}, digits=6)
