"""``privrl advise``: what to run on a problem of one's own, how much noise that takes, and how many users."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import textwrap
from importlib import resources
from typing import Any

import click

from privrl.cli.common import Whole, json_option, tell

MIXTURES = (0.4, 1.8)  # users over H^2 K_0, by the mean of 2 replicates: mixtures of d = 2 to 8, H = 2 to 4
SMALLEST = {"tabular": "states 3, actions 2, horizon 3", "linear": "dim 2, horizon 2",
            "lq": "states 1, controls 1, horizon 5"}
DRAW = {"gaussian": 20, "laplace": 12}  # microseconds, as `privrl bench --of exact` found them
FORMS = "--states, --actions and --horizon, or --dim and --horizon, or --states, --controls and --horizon, or a file"


@click.command(epilog="Example: privrl advise --states 50 --actions 4 --horizon 10 --epsilon 2 --users 1e6")
@click.argument("file", metavar="[MDP.npz]", required=False)
@click.option("--states", type=Whole(), help="S; with --controls the dimension of the state.")
@click.option("--actions", type=Whole(), help="A.")
@click.option("--horizon", type=Whole(), help="Steps in an episode.")
@click.option("--dim", type=Whole(), help="Dimension of features, in place of states and actions.")
@click.option("--controls", type=Whole(), help="Dimension of the control of a linear quadratic system.")
@click.option("--gamma", type=float, help="Bound on the control. Default: 0.5.")
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="Privacy of a user's whole episode.")
@click.option("--delta", type=float, default=1e-6, show_default=True, help="0: pure differential privacy.")
@click.option("--users", type=Whole(), default=10**6, show_default=True, help="How many there will be.")
@click.option("--no-server", is_flag=True, help="Every user adds noise, and nobody is trusted with the sums.")
@json_option
def advise(as_json: bool, **given: Any) -> None:
    """What to run on a problem of your own: algorithm, counter, noise, users, and the code.

    A problem is --states, --actions and --horizon; a file of arrays (see `privrl run`); --dim and --horizon; or
    --states, --controls and --horizon.
    """
    found = advice(**given)
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for label, said in (("you have", [found["asked"]]), ("run", [found["run"]]),
                        ("noise", ["; ".join(map(_noise, found["noise"]))]), ("time", [found["time"]]),
                        ("users", found["users"]), ("code", []), ("unknown", found["unknown"])):
        for number, words in enumerate(said):
            tell(words, f"{'' if number else label:<9}")
        if label == "code":
            click.echo(f"code\n{textwrap.indent(found['code'], '    ')}")


def _noise(row: dict[str, Any]) -> str:
    scales = " to ".join(dict.fromkeys(f"{row[name]:.3g}" for name in ("least", "most")))
    return f"{row['law']}, {scales} a draw on {row['sums']} (noisiest release {row['released']:.3g})"


def advice(*, file: str | None, states: int | None, actions: int | None, horizon: int | None, dim: int | None,
           controls: int | None, gamma: float | None, epsilon: float, delta: float, users: int,
           no_server: bool) -> dict[str, Any]:
    """What the command says: words, noise by sum, users (None: not known), and code that runs as it stands."""
    from privrl.agents import registry, sizes
    from privrl.environments import files
    from privrl.privacy.counters import exact, mechanisms
    from privrl.types import Budget, planned_episodes, require

    Budget(epsilon, delta)
    planned = planned_episodes(users, 2, "users")
    require(gamma is None or controls is not None, "--gamma is for --controls", gamma=gamma)
    if file is not None:
        require({states, actions, horizon, dim, controls} == {None}, "a file has its own sizes", file=file)
        made = files.load_mdp(file)
        states, actions, horizon = made.states, made.actions, made.horizon
    family = "linear" if dim is not None else "tabular" if controls is None else "lq"
    needed = {"dim": dim} if family == "linear" else {"states": states, **(
        {"actions": actions} if family == "tabular" else {"controls": controls})}
    needed["horizon"] = horizon
    missing = ", ".join(f"--{name}" for name, value in needed.items() if value is None)
    require(not missing, f"{FORMS} must be given", missing=missing)
    sizes_given = {"states": states, "actions": actions, "dim": dim, "controls": controls}
    beside = ", ".join(f"--{name}" for name, value in sizes_given.items() if name not in needed and value is not None)
    require(not beside, f"a problem of {', '.join(f'--{name}' for name in needed)} must have no other sizes",
            beside=beside)
    require(family == "tabular" or delta > 0, "delta must be > 0 but for states and actions", delta=delta)
    counter = "local" if no_server else "blt" if delta else mechanisms.best(planned - 1, "laplace")
    name = {"tabular": "private-ucbvi", "linear": "linopt-po" if no_server and epsilon < 100 else "linopt-vi",
            "lq": "private-ofu-rl"}[family]
    agent: Any = registry.make(name, epsilon=epsilon, delta=delta, beta=0.1, counter=counter, calibration="tight")
    problem = sizes.problem(name, states=states or 0, actions=(actions if controls is None else controls) or 0,
                            horizon=horizon or 0, dimension=dim or 0, gamma=0.5 if gamma is None else gamma)
    asked = ", ".join(f"{one} {value}" for one, value in needed.items())
    least, most, words, unknown = (
        _tabular(agent, problem, planned) if family == "tabular" else _linear(agent, problem) if family == "linear"
        else (None, None, ["not known, but for one size"], ["how users grow with the dimensions"]))
    words.append("no run with delta 0 is recorded whose noise suffices" if not delta else
                 f"At {SMALLEST[family]}, delta 1e-6: {_recorded(family, no_server, epsilon)}")
    sums, law = _sums(family, agent, problem), "gaussian" if delta else "laplace"
    seconds = sums * DRAW[law] / 1e6
    every = 1 if seconds < 1 or family != "tabular" or no_server else max(
        min(10 ** math.ceil(math.log10(10 * seconds)), planned // 10), 1)  # below 0.1 s a user, and ten plans
    if counter not in exact.EXACT:
        unknown.append(f"the noise of {counter} is floating point, for simulation; for people counter='smooth' and "
                       "noise='exact', which is more: `privrl sigma`")
    return {"asked": f"{family}: {asked}; epsilon {epsilon:g}, delta {delta:g} of a user's whole episode; {planned:,} "
                     f"users; {'no trusted server' if no_server else 'a trusted server'}",
            "run": f"{name}, calibration tight, {'own noise' if no_server else f'over the counter {counter}'}; all "
                   f"that is released is ({epsilon:g}, {delta:g})-private",
            "counter": counter, "noise": [dataclasses.asdict(row) for row in sizes.draws(agent, problem, planned)],
            "sums": sums, "seconds": seconds, "every": every,
            "time": f"{seconds:.2g} s for an exact {'message' if no_server else 'release'}: {sums:,} draws of "
                    f"{DRAW[law]} microseconds",
            "least": least, "most": None if most == math.inf else most, "users": words,
            "code": _code(family, agent, problem, planned, file, every, counter in exact.EXACT),
            "unknown": unknown}


def _sums(family: str, agent: Any, problem: Any) -> int:
    """How many sums a release puts noise on."""
    from privrl.agents.lq import learner

    if family == "linear":  # phi phi' and phi V, varphi varphi' and varphi r; nothing comes after the last step
        d = int(problem.psi.shape[3])
        return (2 * int(problem.horizon) - 1) * d * (d + 3) // 2
    return learner.width(problem) if family == "lq" else int(agent.released(problem))


Guess = tuple[float | None, float | None, list[str], list[str]]


def _tabular(agent: Any, mdp: Any, planned: int) -> Guess:
    """By the visits that a plan needs, times what was measured."""
    from privrl.horizon import scaling

    even, river, narrow = ([scaling.needed(agent, mdp, factor) for factor in scaling.factors(*world)]
                           for world in (("even",), ("river",), ("even", scaling.NARROW)))
    low, high = scaling.factors("even")
    enough = [("you have enough" if most <= planned else "you may have too few" if least <= planned else
               "you have too few") for least, most in (even, narrow)]
    sizes, inside = scaling.within(mdp, agent.epsilon)
    words = [
        (f"{_between(*even)} before it has learnt, where all states come up alike: {enough[0]}. From: {low:.2g} to "
         f"{high:.2g} times H S A n, where a plan needs n visits to tell actions apart (for your users n = "
         f"{scaling.visits(agent, mdp, planned):,.0f}). The factors were measured at {sizes} (privrl.horizon.scaling)"
         f"{'' if inside else '; yours is outside, so this is extrapolated'}"),
        (f"{_between(*river)} where one sequence of actions alone leads to the reward (rivers of 3 and 4 states), more "
         "with more states"),
        (f"{_between(*narrow)} with multiplier={scaling.NARROW:g}, where all states come up alike: {enough[1]}. The "
         "same noise and privacy, narrower widths, no guarantee of regret")]
    return (None if even[0] == math.inf else even[0]), even[1], words, [
        "how the states of your world come up, which decides among these: try arrays like it (`privrl run mdp.npz`)"]


def _linear(agent: Any, mdp: Any) -> Guess:
    """By the users from which on bonuses are within the values, times what was measured."""
    from theory.papers.zhou2022 import bounds

    d, horizon = int(mdp.psi.shape[3]), int(mdp.horizon)
    start = bounds.crossing(lambda K: bounds.start_ratio(bounds.constants(
        d, d, horizon, K, agent.epsilon, agent.delta, agent.alpha, "tight", agent.counter)), agent.counter,
        horizon * d * (d + 3))
    unknown = ["your features, with whose norms noise and widths shrink; here these are the largest that are allowed"]
    if start is None or agent.counter == "local" or d > 8 or horizon > 4:
        return None, None, ["not known; mixtures of dim 2 to 8, horizon 2 to 4 were measured with a server"], unknown
    least, most = (factor * horizon**2 * start for factor in MIXTURES)
    words = (f"{_between(least, most)} by the mean of few runs. From: {MIXTURES[0]} to {MIXTURES[1]} times H^2 K, with "
             f"K = {start:,} from which on bonuses are within the values; the factors were measured on mixtures of dim "
             "2 to 8, horizon 2 to 4, epsilon 2 and 10")
    return least, most, [words], unknown


def _recorded(family: str, local: bool, epsilon: float) -> str:
    """The best of the committed runs with noise that the guarantee needs, on the smallest problem of a family."""
    name, table = ("chowdhury2021_counters", "facts") if family == "lq" else ("advice_users", "lines")
    rows = [row for row in _table(name) if row["table"] == table and row["calibration"] != "printed"
                and (row["counter"] == "local") == local and float(row["epsilon"]) <= epsilon
                and row.get("problem", "lq") == family]
    reached = [row for row in rows if row["burn_in"] not in ("", "inf")]
    if not rows:
        return f"nothing was run with so little epsilon{_tuned(family, local, epsilon)}"
    if not reached:
        most = max(float(row["tried"]) for row in rows)
        return f"nothing has learnt within {most:,.0f} users{_tuned(family, local, epsilon)}"
    best = min(reached, key=lambda row: float(row["burn_in"]))
    return (f"{float(best['burn_in']):,.0f} were enough: {best['agent']}, {best['calibration']}, {best['counter']}, "
            f"epsilon {best['epsilon']} (figures/data/{name}.csv){_tuned(family, local, epsilon)}")


def _tuned(family: str, local: bool, epsilon: float) -> str:
    """The best of the committed runs whose widths were narrowed by a multiplier that other instances chose, and its
    twin with proved widths."""
    entry = {"tabular": "vietri2020/riverswim-3-relabelled", "linear": "zhou2022/mixture-2",
             "lq": "chowdhury2021/scalar"}[family]
    rows = [row for row in _table("tuned_users") if row["entry"] == entry and row["counter"] != "none"
            and (row["counter"] == "local") == local and float(row["epsilon"]) <= epsilon]
    reached = [row for row in rows if row["kind"] == "tuned" and row["burn_in"] != "inf"]
    if not reached:
        return ""
    best = min(reached, key=lambda row: float(row["burn_in"]))
    twin = next((f", {float(row['burn_in']):,.0f} without" for row in rows if row["burn_in"] != "inf" and [
        row[key] for key in ("kind", "agent", "epsilon")] == ["tight", best["agent"], best["epsilon"]]), "")
    return (f"; {float(best['burn_in']):,.0f} with {best['agent']} and multiplier={best['multiplier']} at epsilon "
            f"{best['epsilon']}{twin}; {best['failed']} of {best['runs']} such runs failed (tuned_users.csv)")


def _table(name: str) -> list[dict[str, str]]:
    """Rows of a committed table of the figures; their own reader loads pandas, which is slow to import."""
    with (resources.files("figures") / "data" / f"{name}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _between(least: float, most: float) -> str:
    """Two numbers of users, two digits each."""
    if least == math.inf:
        return "more than a run can be planned for"
    low, high = (f"{float(f'{one:.2g}'):,.0f}" if one < 10**7 else f"{one:.2g}" for one in (least, most))
    return f"{low} to {high}" if math.isfinite(most) else f"more than {low}"


def _code(family: str, agent: Any, problem: Any, planned: int, file: str | None, every: int, exact: bool) -> str:
    """A program that runs as it stands: a session with one user of a world that nobody knows; arrays are simulated."""
    tight = "" if family == "tabular" else ", calibration='tight'"
    made = f"agent = rl.{type(agent).__name__}({agent.epsilon}, {agent.delta}, counter='{agent.counter}'{tight}"
    batch = f", every={every}" if every > 1 else ""
    if file is not None:
        return "\n".join([
            "import privrl as rl", f"{made}{batch})", f"world = rl.load_mdp({file!r})",
            f"run = rl.simulate.run('mine', world, agent, episodes={planned},",
            f"                      stop_after={min(planned, 1000)})",
            "print(run.regret[0, -1], 'lost in', run.episodes[-1], 'episodes')"])
    known, state = _known(family, problem)
    served = agent.counter != "local"
    said = ("for people: exact, without seed" if exact else
            "users to a plan: mostly less noise" if batch else "")
    return "\n".join([
        *(["import numpy as np"] if family != "tabular" else []), "import privrl as rl", f"{made})", *known,
        f"session = rl.online.Session(agent, known, users={planned}, seed=0,",
        f"    noise='simulated'{batch}){'  # ' if said else ''}{said}",
        *([] if served else ["device = session.device()  # the user's own"]),
        f"states, actions, rewards = [{state}], [], []  # of one user", f"for step in range({problem.horizon}):",
        f"    actions.append({'session' if served else 'device'}.act(step, states[-1]))",
        f"    states.append({state})  # what your system answers",
        f"    rewards.append({'0.0)  # not read: Q and R are known' if family == 'lq' else '1.0)'}",
        "session.observe((states, actions, rewards))" if served else
        "session.receive(device.message((states, actions, rewards)))",
        "print(session.users, 'user', session.guarantee)"])


def _known(family: str, problem: Any) -> tuple[list[str], str]:
    """Lines that say what is known of the world, with one's own arrays to be put in; and a state of it."""
    if family == "tabular":
        return [f"known = rl.online.tabular({problem.states}, {problem.actions}, {problem.horizon})  # sizes"], "0"
    if family == "linear":
        d = problem.psi.shape[3]
        return [
            f"psi = np.random.default_rng(0).dirichlet(np.ones(3), size=(3, 2, {d}))",
            f"psi = psi.swapaxes(2, 3)  # yours, (S, A, S, {d}): P(s'|s, a) = psi theta",
            f"varphi = np.full((3, 2, {d}), {1 / d:.3g})  # yours, (S, A, d2), of the rewards",
            f"known = rl.online.mixture(psi=psi, varphi=varphi, horizon={problem.horizon})"], "0"
    zeros = f"np.zeros({problem.states})"
    return [
        f"known = rl.online.lq(Q=np.eye({problem.states}), R=np.eye({problem.controls}), start={zeros},",
        f"    horizon={problem.horizon}, gamma={problem.gamma:g}, c_w={problem.c_w:g})  # yours"], zeros
