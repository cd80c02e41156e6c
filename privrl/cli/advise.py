"""``privrl advise``: what to run on a problem of one's own, how much noise that takes, and how many
users."""

from __future__ import annotations

import csv
import dataclasses
import importlib
import json
import math
import textwrap
from importlib import resources
from pathlib import Path
from typing import Any

import click

from privrl.cli.common import Whole, json_option, tell

# users over H^2 K_0, by the mean of 2 replicates: mixtures of d = 2 to 8, H = 2 to 4
MIXTURES = (
    0.4,
    1.8,
)
MIXED = ((2, 2), (2, 4), (4, 3), (8, 4))  # their d and H
DRAW = {"gaussian": 20, "laplace": 12}  # microseconds, as `privrl bench --of exact` found them
FORMS = (
    "--states, --actions and --horizon, or --dim and --horizon, or --states, --controls and "
    "--horizon, or a file"
)


@click.command(
    epilog="Example: privrl advise --states 50 --actions 4 --horizon 10 --epsilon 2 --users 1e6"
)
@click.argument("file", metavar="[MDP.npz]", required=False)
@click.option("--states", type=Whole(), help="S; with --controls the dimension of the state.")
@click.option("--actions", type=Whole(), help="A.")
@click.option("--horizon", type=Whole(), help="Steps in an episode.")
@click.option("--dim", type=Whole(), help="Dimension of features, in place of states and actions.")
@click.option(
    "--controls", type=Whole(), help="Dimension of the control of a linear quadratic system."
)
@click.option("--gamma", type=float, help="Bound on the control. Default: 0.5.")
@click.option(
    "--epsilon",
    type=float,
    default=1.0,
    show_default=True,
    help="Privacy of a user's whole episode.",
)
@click.option(
    "--delta", type=float, default=1e-6, show_default=True, help="0: pure differential privacy."
)
@click.option(
    "--users", type=Whole(), default=10**6, show_default=True, help="How many there will be."
)
@click.option(
    "--gap",
    type=float,
    help="What a wrong action costs at least, in value; a file has its own. Default: 1, where "
    "users were measured.",
)
@click.option(
    "--no-server", is_flag=True, help="Every user adds noise, and nobody is trusted with the sums."
)
@json_option
def advise(as_json: bool, **options: Any) -> None:
    """What to run on a problem of your own: algorithm, counter, noise, users, and the code.

    A problem is --states, --actions and --horizon; a file of arrays (see `privrl run`); --dim and
    --horizon; or
    --states, --controls and --horizon.
    """
    answer = advice(Asked(**options))
    if as_json:
        click.echo(json.dumps(answer, indent=2))
        return
    for label, value in (
        ("you have", [answer["asked"]]),
        ("run", [answer["run"]]),
        ("noise", ["; ".join(map(_noise, answer["noise"]))]),
        ("time", [answer["time"]]),
        ("users", answer["users"]),
        ("code", []),
        ("unknown", answer["unknown"]),
    ):
        for number, words in enumerate(value):
            tell(words, f"{'' if number else label:<9}")
        if label == "code":
            click.echo(f"code\n{textwrap.indent(answer['code'], '    ')}")


def _noise(row: dict[str, Any]) -> str:
    scales = " to ".join(dict.fromkeys(f"{row[name]:.3g}" for name in ("least", "most")))
    return (
        f"{row['law']}, {scales} a draw on {row['sums']} (noisiest release {row['released']:.3g})"
    )


# least and most users (None: not known), words, and what is not known
Guess = tuple[float | None, float | None, list[str], list[str]]


@dataclasses.dataclass(frozen=True)
class Asked:
    """The options of the command; None where nothing was said."""

    file: str | None
    states: int | None
    actions: int | None
    horizon: int | None
    dim: int | None
    controls: int | None
    gamma: float | None
    epsilon: float
    delta: float
    users: int
    gap: float | None
    no_server: bool

    @property
    def family(self) -> str:
        """Of agents: by which sizes were said."""
        if self.dim is not None:
            return "linear"
        return "tabular" if self.controls is None else "lq"

    @property
    def sizes(self) -> dict[str, int | None]:
        """Those of the family, in the order in which they are said."""
        if self.family == "linear":
            return {"dim": self.dim, "horizon": self.horizon}
        if self.family == "tabular":
            return {"states": self.states, "actions": self.actions, "horizon": self.horizon}
        return {"states": self.states, "controls": self.controls, "horizon": self.horizon}

    @property
    def name(self) -> str:
        """Of the agent."""
        if self.family == "linear":
            return "linopt-po" if self.no_server and self.epsilon < 100 else "linopt-vi"
        return "private-ucbvi" if self.family == "tabular" else "private-ofu-rl"


def _settled(asked: Asked) -> Asked:
    """The same checked, with the sizes and the gap of a file."""
    from privrl.checks import parameter, planned_episodes, require
    from privrl.types import Budget

    Budget(asked.epsilon, asked.delta)
    asked = dataclasses.replace(asked, users=planned_episodes(asked.users, 2, "users"))
    require(
        asked.gamma is None or asked.controls is not None,
        "--gamma is for --controls",
        gamma=asked.gamma,
    )
    if asked.file is not None:
        asked = _from_file(asked, asked.file)
    family, sizes = asked.family, asked.sizes
    missing = ", ".join(f"--{name}" for name, value in sizes.items() if value is None)
    require(not missing, f"{FORMS} must be given", missing=missing)
    beside = ", ".join(
        f"--{name}"
        for name in ("states", "actions", "dim", "controls")
        if name not in sizes and getattr(asked, name) is not None
    )
    require(
        not beside,
        f"a problem of {', '.join(f'--{name}' for name in sizes)} must have no other sizes",
        beside=beside,
    )
    require(
        family == "tabular" or asked.delta > 0,
        "delta must be > 0 but for states and actions",
        delta=asked.delta,
    )
    gap, horizon = asked.gap, asked.horizon
    require(gap is None or family == "tabular", "--gap is for --states and --actions", gap=gap)
    if gap is not None and asked.file is None:
        gap = parameter("gap", gap)
        require(gap <= (horizon or 0), "gap must be <= horizon", gap=gap, horizon=horizon)
    return dataclasses.replace(asked, gap=gap)


def _from_file(asked: Asked, file: str) -> Asked:
    from privrl.checks import require
    from privrl.environments import files, planning

    sizes = {asked.states, asked.actions, asked.horizon, asked.dim, asked.controls, asked.gap}
    require(sizes == {None}, "a file has its own sizes and gap", file=file)
    mdp = files.load_mdp(file)
    gap = planning.smallest_gap(mdp)
    require(
        gap < math.inf,
        "an action must be worth less than another for anything to be learnt",
        file=file,
    )
    return dataclasses.replace(
        asked, states=mdp.states, actions=mdp.actions, horizon=mdp.horizon, gap=gap
    )


def _counter(asked: Asked) -> str:
    """The counter with the least noise."""
    from privrl.privacy.counters import mechanisms

    if asked.no_server:
        return "local"
    return "blt" if asked.delta else mechanisms.best(asked.users - 1, "laplace")


def _users(asked: Asked, agent: Any, problem: Any) -> tuple[Guess, dict[str, str] | None]:
    """How many users it takes; and, for a tabular one, whether there are enough."""
    least: float | None = None
    most: float | None = None
    enough: dict[str, str] | None = None
    if asked.family == "tabular":
        least, most, words, unknown, enough = _tabular(
            agent, problem, asked.users, asked.gap, asked.file
        )
    elif asked.family == "linear":
        least, most, words, unknown = _linear(agent, problem)
    else:
        words = ["not known, but for one size"]
        unknown = ["how users grow with the dimensions"]
    words.append(
        f"At {_recorded_sizes(asked)}, delta 1e-6: "
        f"{_recorded(asked.family, asked.no_server, asked.epsilon)}"
        if asked.delta
        else "no run with delta 0 is recorded whose noise suffices"
    )
    return (least, most, words, unknown), enough


def _every(asked: Asked, seconds: float) -> int:
    """Users to a plan: below 0.1 s a user, and ten plans."""
    if seconds < 1 or asked.family != "tabular" or asked.no_server:
        return 1
    return max(min(int(10 ** math.ceil(math.log10(10 * seconds))), asked.users // 10), 1)


def advice(asked: Asked) -> dict[str, Any]:
    """What the command says: words, noise by sum, users (None: not known), and code that runs as it
    stands."""
    from privrl.agents import registry, sizes
    from privrl.horizon import scaling
    from privrl.privacy.counters import mechanisms

    asked = _settled(asked)
    family, name, counter, planned = asked.family, asked.name, _counter(asked), asked.users
    epsilon, delta, no_server = asked.epsilon, asked.delta, asked.no_server
    agent: Any = registry.make(
        name, epsilon=epsilon, delta=delta, beta=0.1, counter=counter, calibration="tight"
    )
    problem = sizes.problem(
        name,
        states=asked.states or 0,
        actions=(asked.actions if asked.controls is None else asked.controls) or 0,
        horizon=asked.horizon or 0,
        dimension=asked.dim or 0,
        gamma=0.5 if asked.gamma is None else asked.gamma,
    )
    request = ", ".join(f"{name} {value}" for name, value in asked.sizes.items())
    (least, most, words, unknown), enough = _users(asked, agent, problem)
    sums, law = _sums(family, agent, problem), "gaussian" if delta else "laplace"
    seconds = sums * DRAW[law] / 1e6
    every = _every(asked, seconds)
    if counter not in mechanisms.EXACT:
        unknown.append(
            f"the noise of {counter} is floating point, for simulation; for people "
            f"counter='smooth' and "
            "noise='exact', which is more: `privrl sigma`"
        )
    return {
        "asked": f"{family}: {request}; epsilon {epsilon:g}, delta {delta:g} of a user's whole "
        f"episode; {planned:,} users; {'no trusted server' if no_server else 'a trusted server'}",
        "run": f"{name}, calibration tight, "
        f"{'own noise' if no_server else f'over the counter {counter}'}; all that is released is "
        f"({epsilon:g}, {delta:g})-private",
        "counter": counter,
        "noise": [dataclasses.asdict(row) for row in sizes.draws(agent, problem, planned)],
        "sums": sums,
        "seconds": seconds,
        "every": every,
        "time": f"{seconds:.2g} s for an exact {'message' if no_server else 'release'}: {sums:,} "
        f"draws of {DRAW[law]} microseconds",
        "gap": asked.gap,
        "gap_measured": scaling.GAP if family == "tabular" else None,
        "enough": enough,
        "least": least,
        "most": None if most == math.inf else most,
        "users": words,
        "code": _code(
            family, agent, problem, planned, asked.file, every, counter in mechanisms.EXACT
        ),
        "unknown": unknown,
    }


def _sums(family: str, agent: Any, problem: Any) -> int:
    """How many sums a release puts noise on."""
    from privrl.agents.lq import learner

    if (
        family == "linear"
    ):  # phi phi' and phi V, varphi varphi' and varphi r; nothing comes after the last step
        d = int(problem.psi.shape[3])
        return (2 * int(problem.horizon) - 1) * d * (d + 3) // 2
    return learner.width(problem) if family == "lq" else int(agent.released(problem))


ENOUGH = {"yes": "you have enough", "perhaps": "you may have too few", "no": "you have too few"}


def _tabular(
    agent: Any, mdp: Any, planned: int, gap: float | None, file: str | None
) -> tuple[float | None, float | None, list[str], list[str], dict[str, str] | None]:
    """By the visits that a plan needs, times what was measured; enough or not, by multiplier, for
    that gap alone."""
    from privrl.environments import planning
    from privrl.horizon import scaling

    even, river, narrow = (
        [scaling.needed(agent, mdp, factor) for factor in scaling.factors(*world)]
        for world in (("even",), ("river",), ("even", scaling.NARROW))
    )
    low, high = scaling.factors("even")
    sizes, inside = scaling.within(mdp, agent.epsilon)
    outside = "" if inside else "; yours is outside, so this is extrapolated"
    unknown = [
        (
            "how the states of your world come up, which decides among these: try arrays like it "
            "(`privrl run mdp.npz`)"
        )
    ]
    if gap is not None and not math.isclose(gap, scaling.GAP, rel_tol=1e-9):
        first, last = (scaling.visits(agent, mdp, planned, size) for size in (scaling.GAP, gap))
        growth = "; ".join(
            f"{_digits(least)} to {_digits(most)} times at gap {size:g}"
            for size, (least, most) in scaling.growth().items()
        )
        source = "the smallest of the file's" if file else "as --gap says"
        words = [
            (
                f"not measured for gap {gap:.3g} ({source}): a wrong action cost {scaling.GAP:g} "
                f"where users were counted. There, with all states alike, it is "
                f"{_between(*even)}, with multiplier={scaling.NARROW:g} "
                f"{_between(*narrow)}{outside}"
            ),
            (
                f"A bonus is below your gap after {last / first:.2g} times the visits that gap "
                f"{scaling.GAP:g} takes "
                "(like 1/gap where noise decides, like 1/gap^2 where the sample does). Users of "
                "one small world "
                f"(states 3, actions 2, horizon 3, epsilon 2 and 10) over those at gap "
                f"{scaling.GAP:g}: {growth}"
            ),
        ]
        return None, None, words, unknown, None
    enough = {
        f"{multiplier:g}": _enough(planned, least, most)
        for multiplier, (least, most) in ((1.0, even), (scaling.NARROW, narrow))
    }
    verdicts = [f"{ENOUGH[verdict]} for gap {scaling.GAP:g}" for verdict in enough.values()]
    rivers = [row.mdp for row in scaling.MEASURED if row.world == "river"]
    losses = " and ".join(sorted({f"{planning.smallest_gap(world):.1g}" for world in rivers}))
    words = [
        (
            f"{_between(*even)} before it has learnt, where all states come up alike and a wrong "
            f"action costs {scaling.GAP:g}: {verdicts[0]}. From: {low:.2g} to {high:.2g} times H "
            f"S A n, where a plan needs n visits to tell actions apart (for your users n = "
            f"{scaling.visits(agent, mdp, planned):,.0f}). The factors were measured at {sizes} "
            f"(privrl.horizon.scaling){outside}"
        ),
        (
            f"{_between(*river)} where one sequence of actions alone leads to the reward (rivers "
            f"of 3 and 4 states, gap {losses}), more with more states"
        ),
        (
            f"{_between(*narrow)} with multiplier={scaling.NARROW:g}, where all states come up "
            f"alike: {verdicts[1]}. "
            "The same noise and privacy, narrower widths, no guarantee of regret"
        ),
    ]
    if gap is None:
        unknown.append(f"what a wrong action costs: below {scaling.GAP:g} takes more users (--gap)")
    return None if even[0] == math.inf else even[0], even[1], words, unknown, enough


def _enough(planned: int, least: float, most: float) -> str:
    if most <= planned:
        return "yes"
    return "perhaps" if least <= planned else "no"


def _digits(ratio: float) -> str:
    """A ratio of users, two digits."""
    return f"{float(f'{ratio:.2g}'):g}"


def _linear(agent: Any, mdp: Any) -> Guess:
    """By the users from which on bonuses are within the values, times what was measured."""
    from privrl.environments import mixture, planning
    from theory.papers.zhou2022 import bounds

    d, horizon = int(mdp.psi.shape[3]), int(mdp.horizon)
    start = bounds.crossing(
        lambda K: bounds.start_ratio(
            bounds.constants(
                d, d, horizon, K, agent.epsilon, agent.delta, agent.alpha, "tight", agent.counter
            )
        ),
        agent.counter,
        horizon * d * (d + 3),
    )
    unknown = [
        (
            "your features, with whose norms noise and widths shrink; here these are the largest "
            "that are allowed"
        )
    ]
    if start is None or agent.counter == "local" or d > 8 or horizon > 4:
        return (
            None,
            None,
            ["not known; mixtures of dim 2 to 8, horizon 2 to 4 were measured with a server"],
            unknown,
        )
    least, most = (factor * horizon**2 * start for factor in MIXTURES)
    losses = [planning.smallest_gap(mixture(*size).tabular()) for size in MIXED]
    words = (
        f"{_between(least, most)} by the mean of few runs. From: {MIXTURES[0]} to {MIXTURES[1]} "
        f"times H^2 K, with K = {start:,} from which on bonuses are within the values; the "
        f"factors were measured on mixtures of dim 2 to 8, horizon 2 to 4, epsilon 2 and 10, "
        f"where a wrong action costs at least {min(losses):.2g}"
    )
    return least, most, [words], unknown


def _entry(family: str) -> str:
    """The smallest of the suite that the agents of a family have committed runs on."""
    recorded: str = importlib.import_module(f"privrl.agents.{family}.family").RECORDED
    return recorded


def _recorded_sizes(asked: Asked) -> str:
    """Of that entry, named as the options are."""
    from privrl.privacy.audit import entries

    sizes = entries.setting(_entry(asked.family), 1)
    fields = {"dim": "dimension", "controls": "actions"}
    return ", ".join(f"{name} {getattr(sizes, fields.get(name, name))}" for name in asked.sizes)


def _recorded(family: str, local: bool, epsilon: float) -> str:
    """The best of the committed runs with noise that the guarantee needs, on the smallest problem
    of a family."""
    name, table = (
        ("chowdhury2021_counters", "facts") if family == "lq" else ("advice_users", "lines")
    )
    rows = [
        row
        for row in _table(name)
        if row["table"] == table
        and row["calibration"] != "printed"
        and (row["counter"] == "local") == local
        and float(row["epsilon"]) <= epsilon
        and row.get("problem", "lq") == family
    ]
    reached = [row for row in rows if row["burn_in"] not in ("", "inf")]
    if not rows:
        return f"nothing was run with so little epsilon{_tuned(family, local, epsilon)}"
    if not reached:
        most = max(float(row["tried"]) for row in rows)
        return f"nothing has learnt within {most:,.0f} users{_tuned(family, local, epsilon)}"
    best = min(reached, key=lambda row: float(row["burn_in"]))
    users, entry = float(best["burn_in"]), Path(_entry(family)).name
    return (
        f"{users:,.0f} on {entry}: {best['agent']}, {best['calibration']}, {best['counter']}, "
        f"epsilon {best['epsilon']} ({name}.csv){_tuned(family, local, epsilon)}"
    )


def _tuned(family: str, local: bool, epsilon: float) -> str:
    """The best of the committed runs whose widths were narrowed by a multiplier that other
    instances chose, and its twin with proved widths."""
    rows = [
        row
        for row in _table("tuned_users")
        if row["entry"] == _entry(family)
        and row["counter"] != "none"
        and (row["counter"] == "local") == local
        and float(row["epsilon"]) <= epsilon
    ]
    reached = [row for row in rows if row["kind"] == "tuned" and row["burn_in"] != "inf"]
    if not reached:
        return ""
    best = min(reached, key=lambda row: float(row["burn_in"]))
    twin = next(
        (
            f", {float(row['burn_in']):,.0f} without"
            for row in rows
            if row["burn_in"] != "inf"
            and [row[key] for key in ("kind", "agent", "epsilon")]
            == ["tight", best["agent"], best["epsilon"]]
        ),
        "",
    )
    return (
        f"; {float(best['burn_in']):,.0f} with {best['agent']} and "
        f"multiplier={best['multiplier']} at epsilon {best['epsilon']}{twin}; {best['failed']} "
        f"of {best['runs']} failed (tuned_users.csv)"
    )


def _table(name: str) -> list[dict[str, str]]:
    """Rows of a committed table of the figures; their own reader loads pandas, which is slow to
    import."""
    with (resources.files("figures") / "data" / f"{name}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _between(least: float, most: float) -> str:
    """Two numbers of users, two digits each."""
    if least == math.inf:
        return "more than a run can be planned for"
    low, high = (
        f"{float(f'{number:.2g}'):,.0f}" if number < 10**7 else f"{number:.2g}"
        for number in (least, most)
    )
    return f"{low} to {high}" if math.isfinite(most) else f"more than {low}"


def _code(
    family: str, agent: Any, problem: Any, planned: int, file: str | None, every: int, exact: bool
) -> str:
    """A program that runs as it stands: a session with one user of a world that nobody knows;
    arrays are simulated."""
    tight = "" if family == "tabular" else ", calibration='tight'"
    line = (
        f"agent = rl.{type(agent).__name__}({agent.epsilon}, {agent.delta}, "
        f"counter='{agent.counter}'{tight}"
    )
    batch = f", every={every}" if every > 1 else ""
    reward = "0.0)  # not read: Q and R are known" if family == "lq" else "1.0)"
    if file is not None:
        return "\n".join(
            [
                "import privrl as rl",
                f"{line}{batch})",
                f"world = rl.load_mdp({file!r})",
                f"run = rl.simulate.run('mine', world, agent, episodes={planned},",
                f"                      stop_after={min(planned, 1000)})",
                "print(run.regret[0, -1], 'lost in', run.episodes[-1], 'episodes')",
            ]
        )
    known, state = _known(family, problem)
    served = agent.counter != "local"
    noise_words = "users to a plan: mostly less noise" if batch else ""
    if exact:
        noise_words = "for people: exact, without seed"
    return "\n".join(
        [
            *(["import numpy as np"] if family != "tabular" else []),
            "import privrl as rl",
            f"{line})",
            *known,
            f"session = rl.online.Session(agent, known, users={planned}, seed=0,",
            f"    noise='simulated'{batch}){'  # ' if noise_words else ''}{noise_words}",
            *([] if served else ["device = session.device()  # the user's own"]),
            f"states, actions, rewards = [{state}], [], []  # of one user",
            f"for step in range({problem.horizon}):",
            f"    actions.append({'session' if served else 'device'}.act(step, states[-1]))",
            f"    states.append({state})  # what your system answers",
            f"    rewards.append({reward}",
            "session.observe((states, actions, rewards))"
            if served
            else "session.receive(device.message((states, actions, rewards)))",
            "print(session.users, 'user', session.guarantee)",
        ]
    )


def _known(family: str, problem: Any) -> tuple[list[str], str]:
    """Lines that say what is known of the world, with one's own arrays to be put in; and a state of
    it."""
    if family == "tabular":
        return [
            (
                f"known = rl.online.tabular({problem.states}, {problem.actions}, "
                f"{problem.horizon})  # sizes"
            )
        ], "0"
    if family == "linear":
        d = problem.psi.shape[3]
        return [
            f"psi = np.random.default_rng(0).dirichlet(np.ones(3), size=(3, 2, {d}))",
            f"psi = psi.swapaxes(2, 3)  # yours, (S, A, S, {d}): P(s'|s, a) = psi theta",
            f"varphi = np.full((3, 2, {d}), {1 / d:.3g})  # yours, (S, A, d2), of the rewards",
            f"known = rl.online.mixture(psi=psi, varphi=varphi, horizon={problem.horizon})",
        ], "0"
    zeros = f"np.zeros({problem.states})"
    return [
        (
            f"known = rl.online.lq(Q=np.eye({problem.states}), R=np.eye({problem.controls}), "
            f"start={zeros},"
        ),
        f"    horizon={problem.horizon}, gamma={problem.gamma:g}, c_w={problem.c_w:g})  # yours",
    ], zeros
