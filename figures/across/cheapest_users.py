"""Users before learning with less noise on less: sums that no plan reads are left out (``pruned``),
and a plan is made for every so many users."""

from itertools import product
from typing import Any

from figures import measured, style
from figures.kinds.lines import Figure, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame
from figures.measured import MeasuredRuns
from figures.style import markdown as markdown_table
from figures.style import number
from figures.users import CountedRuns, title
from privrl.agents.tabular.private_ucbvi import PrivateUCBVI
from privrl.agents.tabular.pucb import PUCB
from privrl.environments import suite
from privrl.horizon import scaling
from privrl.run import measure
from privrl.types import TabularMDP

ID = "cheapest_users"
RIVER = "vietri2020/riverswim-3-relabelled"
COUNTER, DELTA = "blt", 1e-6
MESSAGE = "Releasing less costs fewer users: most where there is one step"
CAPTION = """Users before it has learnt (docs/measure.md), median and 95 % interval, over blt at
delta = 10^-6. Pruned: sums that no plan reads are not released: next states of the last step for
PUCB, and for private UCBVI all but their number, with the noise shared anew among the steps. A plan
for many users: 10,000 plans for all users that are planned for. Even: every state equally likely
whatever is done, one action of each pays 1. Epsilon is 1, for PUCB 10; planned for 10^6 users, on
the river 10^7; 32 replicates, on the even problem 8."""
ALT = """A row for each problem and agent with four marks each over the number of users: with one
step pruned widths take several times fewer users, with three steps somewhat fewer; a plan for many
users takes fewer again."""
COMPARED_CALIBRATIONS = ("tight", "pruned")
PLANS = 10**4  # of a run with a plan for every so many users
#: problem -> S, A and H of :func:`privrl.horizon.scaling.even`, or the id of an entry; words
PROBLEMS: dict[str, tuple[Any, str]] = {
    "even-32x2-h1": ((32, 2, 1), "even, S = 32, A = 2, H = 1"),
    RIVER: (RIVER, "river, S = 3, A = 2, H = 3"),
}


class BatchRuns(MeasuredRuns):
    """Runs whose label says, beside the calibration, for how many users a plan is."""

    @property
    def labels(self) -> dict[str, Any]:
        every: int = self.agent.every  # type: ignore[attr-defined]  # only agents that have it
        return {**super().labels, "calibration": f"{self.agent.calibration}, every {every}"}


def environment(problem: str) -> TabularMDP:
    """What is played."""
    sizes = PROBLEMS[problem][0]
    return suite.tabular(problem) if sizes == problem else scaling.even(*sizes)


def settings() -> list[BatchRuns]:
    """All runs, row by row of the table."""
    rows = []
    for problem, epsilon, planned, last, replicates, agent_class in (
        ("even-32x2-h1", 1.0, 10**6, 200_000, 8, PrivateUCBVI),
        (RIVER, 1.0, 10**7, 200_000, 32, PrivateUCBVI),
        (RIVER, 10.0, 10**7, 300_000, 32, PUCB),
    ):
        for every, calibration in product((1, planned // PLANS), COMPARED_CALIBRATIONS):
            agent = agent_class(
                epsilon, DELTA, counter=COUNTER, calibration=calibration, every=every
            )
            mdp = environment(problem)
            rows.append(BatchRuns(problem, agent, planned, replicates, last, mdp))
    return rows


def recompute(path: Path, jobs: int = 1) -> None:
    """Run again: three minutes of one core."""
    measured.recompute(settings, path, jobs)


def counted(folder: Path = TABLES) -> list[CountedRuns]:
    """The measure of every run, in the order of :func:`settings`."""
    table = measured.read(ID, folder)
    return [CountedRuns.of(setting, table) for setting in settings()]


def tables(folder: Path = TABLES) -> Tables:
    """``users``: by run the median over replicates, its 95 % interval, where the median of as many
    others falls, how many never, and the first run of its problem and agent over it."""
    rows, first = [], None
    for runs in counted(folder):
        labels, users, agent = runs.setting.labels, runs.users, runs.setting.agent
        kind = labels["world"], labels["agent"]
        first = (kind, users) if first is None or first[0] != kind else first
        rows.append(
            (
                *kind,
                labels["epsilon"],
                labels["planned"],
                agent.calibration,
                agent.every,  # type: ignore[attr-defined]  # only agents that have it
                users.first.size,
                users.median,
                *users.interval(),
                *runs.ends,
                users.never,
                *measure.ratio(first[1], users),
            )
        )
    return {
        "users": frame(
            rows,
            "problem agent epsilon planned calibration every replicates users low high again_low "
            "again_high never fewer fewer_low fewer_high",
        )
    }


def markdown(folder: Path = TABLES) -> str:
    """The third table of docs/advice.md."""
    rows = []
    for runs, row in zip(counted(folder), tables(folder)["users"].itertuples(), strict=True):
        few = f"{row.fewer:.2g} ({row.fewer_low:.2g} to {row.fewer_high:.2g})"
        rows.append(
            (
                PROBLEMS[row.problem][1],
                title(row.agent),
                f"{row.epsilon:g}",
                number(float(row.planned), 2),
                row.calibration,
                str(row.every),
                runs.words,
                "" if row.calibration == "tight" and row.every == 1 else few,
            )
        )
    return markdown_table(HEAD, rows)


HEAD = (
    "problem",
    "agent, over `blt`",
    "epsilon",
    "planned for",
    "calibration",
    "users to a plan",
    "users before it has learnt",
    "fewer than with `tight`, a plan for each user",
)
LOOKS = {  # calibration, whether a plan is for one user
    ("tight", True): (style.COLOURS["tight"], "o", "tight, a plan for each user"),
    ("pruned", True): (style.COLOURS["corrected"], "s", "pruned"),
    ("tight", False): (style.COLOURS["base"], "^", "tight, a plan for many users"),
    ("pruned", False): (style.COLOURS["printed"], "D", "pruned, a plan for many users"),
}


def draw(tables: Tables) -> Figure:
    figure, ((axes,),) = style.figure(2.6)
    table = tables["users"]
    kinds = list(dict.fromkeys(zip(table["problem"], table["agent"], strict=True)))
    for (calibration, single), (colour, marker, label) in LOOKS.items():
        rows = table[(table["calibration"] == calibration) & ((table["every"] == 1) == single)]
        places = [kinds.index(kind) for kind in zip(rows["problem"], rows["agent"], strict=True)]
        shift = 0.15 * (list(LOOKS).index((calibration, single)) - 1.5)
        heights = [-place - shift for place in places]
        axes.hlines(heights, rows["low"], rows["high"], color=colour, linewidth=0.8)
        axes.plot(rows["users"], heights, marker, color=colour, markersize=4, label=label)
    axes.set(xscale="log", xlabel="users before it has learnt")
    words = [f"{title(agent)}\n{PROBLEMS[problem][1]}" for problem, agent in kinds]
    axes.set_yticks([-place for place in range(len(kinds))], words)
    return legend_below(figure, axes, 2)
