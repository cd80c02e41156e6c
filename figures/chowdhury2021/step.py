"""How far the optimistic step's answer lies above the best that many starts find, over confidence
sets of real runs."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from figures import profiles, runs, style
from figures.kinds.lines import Figure, single
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl._cache import code_hash
from privrl.agents.lq import dynamics as lq_dynamics
from privrl.agents.lq.ofu_rl import OFURL
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.agents.lq.records import Moments
from privrl.agents.lq.state import OUTCOMES
from privrl.diagnose.lq import diagnose
from privrl.environments.lq import LQSystem, lq_instance
from privrl.run import sweep
from privrl.run.store import write_whole
from privrl.types import FloatArray

ID = "chowdhury2021_step"
PLANNED, STARTS, SEED = 5000, 10, 4
ASKED = 1e-4


class Harvest(NamedTuple):
    """Runs of one system, and every how many episodes a set is taken."""

    states: int
    controls: int
    epsilon: float  # of the private runs; large, so that something is learnt so early
    episodes: int
    every: int


HARVESTS = (Harvest(2, 1, 1e4, 1000, 4), Harvest(2, 2, 1e5, 800, 3), Harvest(4, 2, 1e6, 500, 5))
COLUMNS = ("system", "run", "episode", "answer", "least", "starts")
MESSAGE = "The search for the optimistic system misses it by less than is asked for"
CAPTION = """The agent's search misses the optimistic system by less than 10^-4 in every step that
was tried. Confidence sets of runs of OFU-RL (alpha = 0.1 and 0.01) and of Private-OFU-RL (printed,
and tight over tree and blt; epsilon = 10^4 to 10^6) in which A = 0 is excluded. The gap is J* at
the step's answer over the least J* that SLSQP finds from 10 random points and from the answer, less
one; drawn is the share of sets with a larger gap. Below 10^-10 is rounding. That the search finds
the minimum is measured here, not proved; for n = d = 1 it is held against a certified minimum in
the tests."""
ALT = """Log-log curves, one for each of three systems, of the share of sets with a gap above the
abscissa, from 10^-10 to 10^-3. All three fall to nothing left of the dashed line at 10^-4."""


def agents(epsilon: float) -> tuple[OFURL | PrivateOFURL, ...]:
    """Whose runs the sets are from."""
    return (
        OFURL(),
        OFURL(alpha=0.01),
        PrivateOFURL(epsilon),
        PrivateOFURL(epsilon, calibration="tight"),
        PrivateOFURL(epsilon, counter="blt", calibration="tight"),
    )


class Set(NamedTuple):
    """A confidence set, where it is from, and what the step answered."""

    run: int
    episode: int
    design: FloatArray
    cross: FloatArray
    radius: float
    theta: FloatArray
    cost: float


def sets(harvest: Harvest) -> Iterator[Set]:
    system = lq_instance(harvest.states, harvest.controls)
    for index, agent in enumerate(agents(harvest.epsilon)):
        run = diagnose(system, agent, PLANNED, episodes=harvest.episodes, seed=index)
        cross = run.cross + run.noise_cross
        for k in np.flatnonzero(run.outcome == OUTCOMES.index("found"))[:: harvest.every]:
            yield Set(
                index,
                int(k) + 1,
                run.design[k],
                cross[k],
                float(run.radius[k]),
                run.theta[k],
                float(run.optimistic[k]),
            )


def least(
    system: LQSystem, region: Set, rng: np.random.Generator, starts: int = STARTS
) -> tuple[float, int]:
    """The least J* that SLSQP finds over the set and the unit ball, and from how many starts it is
    found.

    In coordinates in which the ellipsoid is the unit ball: Theta = estimate + beta V^(-1/2) y.
    """
    n, p = system.states, system.states + system.controls
    estimate = np.linalg.solve(region.design, region.cross)
    root = np.linalg.inv(np.linalg.cholesky(region.design)).T * region.radius

    def theta(y: FloatArray) -> FloatArray:
        return np.ascontiguousarray(estimate + root @ y.reshape(p, n))

    def value(y: FloatArray) -> tuple[float, FloatArray]:
        cost, slope = cost_and_slope(system, theta(y))
        return cost, (root.T @ slope).ravel()

    constraints: list[Any] = [
        {"type": "ineq", "fun": lambda y: 1 - y @ y, "jac": lambda y: -2 * y},
        {
            "type": "ineq",
            "fun": lambda y: 1 - np.sum(theta(y) ** 2),
            "jac": lambda y: -2 * (root.T @ theta(y)).ravel(),
        },
    ]
    begin = [region.theta]
    for _ in range(starts):
        step = rng.standard_normal((p, n))
        point = estimate + root @ step / np.linalg.norm(step)
        begin.append(np.asarray(point / max(1.0, float(np.linalg.norm(point))), dtype=np.float64))
    minima = []
    for point in begin:
        solution = minimize(
            value,
            np.linalg.solve(root, point - estimate).ravel(),
            jac=True,
            constraints=constraints,
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-13},
        )
        if min(float(constraint["fun"](solution.x)) for constraint in constraints) > -1e-8:
            minima.append(float(solution.fun))
    best = min([region.cost, *minima])
    return best, sum(cost <= best * (1 + 1e-6) for cost in minima)


def cost_and_slope(system: LQSystem, theta: FloatArray) -> tuple[float, FloatArray]:
    """J_1^*(theta, x_1) and its gradient, (n + d, n)."""
    n, d, H = system.states, system.controls, system.horizon
    costs, gains, slope = np.zeros((H + 1, n, n)), np.zeros((H, d, n)), np.empty((n + d, n))
    lq_dynamics.riccati(
        theta, system.Q, system.R, costs, gains, np.empty((n + d, n)), np.empty((d, n + d))
    )
    moments = Moments(np.empty((n, n)), np.empty((n, n)), np.empty((n, n)))
    lq_dynamics.gradient(theta, costs, gains, system.start, system.variance, slope, moments)
    return float(lq_dynamics.cost(costs, system.start, system.variance)), slope


def recompute(path: Path, jobs: int = 1) -> None:
    """Make the table again, whole; systems that are finished are kept beside it."""
    if profiles.current().name != "full":
        return
    parts = []
    for harvest in HARVESTS:
        name = "-".join(f"{value:g}" for value in harvest)
        partial_path = path.parent / "replicates" / f"{ID}-{name}-{STARTS}-{code_hash()}.csv"
        if not partial_path.exists():
            system, rng = lq_instance(harvest.states, harvest.controls), np.random.default_rng(SEED)
            rows = [
                (system.name, region.run, region.episode, region.cost, *least(system, region, rng))
                for region in sets(harvest)
            ]
            write_whole(
                partial_path,
                frame(rows, " ".join(COLUMNS)).to_csv(
                    index=False, float_format="%.15g", lineterminator="\n"
                ),
            )
        parts.append(pd.read_csv(partial_path))
    table = pd.concat(parts, ignore_index=True)
    sweep.write_table(
        path,
        table,
        {
            "harvests": [harvest._asdict() for harvest in HARVESTS],
            "planned": PLANNED,
            "starts": STARTS,
            "seed": SEED,
        },
        digits=15,
    )


@cache
def measured(folder: Path = TABLES) -> pd.DataFrame:
    """The table in ``folder``, or the committed one where the folder has none, with the column
    ``gap``."""
    table = runs.table(ID, COLUMNS, folder)
    return table.assign(gap=table["answer"] / table["least"] - 1)


def tables(folder: Path = TABLES) -> Tables:
    """``gaps``: per system; ``shares``: of the sets that have a larger gap."""
    rows, shares = [], []
    levels = 10.0 ** np.arange(-10, -2.9, 0.1)
    for name, system_rows in measured(folder).groupby("system", sort=False):
        gap = system_rows["gap"].to_numpy()
        rows.append(
            (
                name,
                len(gap),
                int(system_rows["run"].nunique()),
                float(gap.max()),
                float(np.median(gap)),
                int((gap > ASKED).sum()),
                float((system_rows["starts"] / (STARTS + 1)).mean()),
            )
        )
        shares += [(name, level, float((gap > level).mean())) for level in levels]
    return {
        "gaps": frame(rows, "system sets runs largest median above finding"),
        "shares": frame(shares, "system gap share"),
    }


def draw(tables: Tables) -> Figure:
    figure, axes = single(3.0)
    for colour, row in zip(style.PALETTE, tables["gaps"].itertuples(), strict=False):
        rows = tables["shares"].query("system == @row.system and share > 0")
        axes.step(
            rows["gap"],
            rows["share"],
            where="post",
            color=colour,
            label=f"{row.system}: {row.sets} sets, at most {style.tex(float(str(row.largest)), 2)}",
        )
    axes.axvline(
        ASKED,
        color=style.COLOURS["bound"],
        linestyle=style.LINES["bound"],
        linewidth=0.9,
        label="asked for",
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="relative gap",
        ylabel="share of sets with a larger gap",
        xlim=(1e-10, 1e-3),
    )
    figure.legend(loc="outside lower center", ncols=2)
    return figure
