"""``privrl advise``: what to run on a problem of one's own, how much noise that takes, and how many
users."""

from __future__ import annotations

import dataclasses
import json
import math
import textwrap
from typing import Any

import click

from privrl.cli.advice.asked import TRUSTED, Asked, batch, cheapest, releases, settled
from privrl.cli.advice.asked import agent as chosen
from privrl.cli.common import WholeNumber, json_option, tell
from privrl.privacy.trust import TRUST

# microseconds, as `privrl bench --of exact` and `--of sessions` found them: a draw; and what a plan
# takes for each sum beside it
DRAW = {"gaussian": 1, "laplace": 12}
PLAN = 3
MOST_SECONDS = 0.1  # for a plan of each user


@click.command(
    epilog="Example: privrl advise --states 50 --actions 4 --horizon 10 --epsilon 2 --users 1e6"
)
@click.argument("file", metavar="[MDP.npz]", required=False)
@click.option("--states", type=WholeNumber(), help="S; with --controls the dimension of the state.")
@click.option("--actions", type=WholeNumber(), help="A.")
@click.option("--horizon", type=WholeNumber(), help="Steps in an episode.")
@click.option(
    "--dim", type=WholeNumber(), help="Dimension of features, in place of states and actions."
)
@click.option(
    "--controls", type=WholeNumber(), help="Dimension of the control of a linear quadratic system."
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
    "--users", type=WholeNumber(), default=10**6, show_default=True, help="How many there will be."
)
@click.option(
    "--gap",
    type=float,
    help="What a wrong action costs at least, in value. Default: the smallest of the file's, or 1; "
    "users were measured from 0.1 on.",
)
@click.option(
    "--trust",
    metavar=f"[{'|'.join(TRUST)}]",
    help="Who may see users' sums: a server; nobody, under a secure sum; a shuffler; nobody at all "
    "(docs/trust.md). Default: server.",
)
@click.option("--no-server", is_flag=True, help="The same as --trust none.")
@click.option(
    "--cheapest",
    is_flag=True,
    help="With less noise: calibration pruned, and a plan for every so many users.",
)
@click.option(
    "--simulate",
    is_flag=True,
    help="Floating-point noise from a seed, which protects nobody, over any counter.",
)
@json_option
def advise(as_json: bool, no_server: bool, trust: str | None, **options: Any) -> None:
    """What to run on a problem of your own: algorithm, counter, noise, users, and the code.

    A problem is --states, --actions and --horizon; a file of arrays (see `privrl run`); --dim and
    --horizon; or
    --states, --controls and --horizon.
    """
    from privrl.checks import choice, require

    if trust is not None:
        choice("trust", trust, TRUST)
    require(
        not no_server or trust in (None, "none"),
        "--no-server must come without another --trust",
        trust=trust,
    )
    answer = advice(Asked(trust="none" if no_server else trust or "server", **options))
    if as_json:
        click.echo(json.dumps(answer, indent=2))
        return
    for label, value in (
        ("you have", [answer["asked"]]),
        ("run", [answer["run"]]),
        ("noise", ["; ".join(map(_noise, answer["noise"])), *answer["price"]]),
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


def _every(asked: Asked, agent: Any, seconds: float) -> int:
    """Users to a plan, which takes so many seconds: the agent's own, or more for less than 0.1 s a
    user; ten plans."""
    every: int = getattr(agent, "every", 1)
    if seconds < MOST_SECONDS or asked.family != "tabular" or asked.trust != "server":
        return every
    enough = int(10 ** math.ceil(math.log10(seconds / MOST_SECONDS)))
    return max(min(enough, asked.users // 10), every)


def advice(asked: Asked) -> dict[str, Any]:
    """What the command says: words, noise by sum, users (None: not known), and code that runs as it
    stands."""
    from privrl.agents import sizes
    from privrl.cli.advice import program, users
    from privrl.horizon import scaling

    asked = settled(asked)
    family, name, planned, local = asked.family, asked.name, asked.users, asked.trust == "none"
    epsilon, delta, agent = asked.epsilon, asked.delta, chosen(asked)
    counter = agent.counter
    problem = sizes.problem(
        name,
        states=asked.states or 0,
        actions=(asked.actions if asked.controls is None else asked.controls) or 0,
        horizon=asked.horizon or 0,
        dimension=asked.dim or 0,
        gamma=0.5 if asked.gamma is None else asked.gamma,
    )
    request = ", ".join(f"{name} {value}" for name, value in asked.sizes.items())
    sums, law = _sums(family, agent, problem), "gaussian" if delta else "laplace"
    draws = _draws(asked, sums)
    seconds = draws * DRAW[law] / 1e6
    every = _every(asked, agent, seconds + sums * PLAN / 1e6)
    if family == "tabular" and every > 1:
        agent = dataclasses.replace(agent, every=every)
    guess = users.users(asked, agent, problem)
    exact, price = _price(asked, counter)
    promise = "all that is released is" if exact else "simulated, with exact noise it would be"
    unit = "release" if asked.trust == "server" else "message"
    return {
        "asked": f"{family}: {request}; epsilon {epsilon:g}, delta {delta:g} of a user's whole "
        f"episode; {planned:,} users; {TRUSTED[asked.trust]}{_overridden(asked)}",
        "run": f"{name}, calibration {agent.calibration}, "
        f"{'own noise' if local else f'over the counter {counter}'}; {promise} "
        f"({epsilon:g}, {delta:g})-private{_if_honest(asked)}",
        "counter": counter,
        "trust": asked.trust,
        "simulated": not exact,
        "price": price,
        "noise": [dataclasses.asdict(row) for row in sizes.draws(agent, problem, planned)],
        "sums": sums,
        "seconds": seconds,
        "every": every,
        "time": f"{seconds:.2g} s for an exact {unit}: {draws:,} draws of {DRAW[law]} "
        f"microsecond{'s' * (DRAW[law] > 1)}",
        "gap": asked.gap,
        "file_gap": asked.file_gap,
        "gap_measured": [scaling.LEAST_GAP, scaling.GAP] if family == "tabular" else None,
        "rarest": asked.rarest,
        "follow": asked.follow,
        "enough": guess.enough,
        "least": guess.least,
        "most": None if guess.most == math.inf else guess.most,
        "users": guess.words,
        "code": program.code(asked, agent, problem, every, exact),
        "unknown": guess.unknown,
    }


def _overridden(asked: Asked) -> str:
    """Which gap is meant, where a file has another one than was asked for."""
    gap, file_gap = asked.gap, asked.file_gap
    if gap is None or file_gap is None or gap == file_gap:
        return ""
    return f"; gap {gap:g} as --gap says, in place of the smallest of the file's, {file_gap:.3g}"


def _price(asked: Asked, counter: str) -> tuple[bool, list[str]]:
    """Whether the noise can be exact, and what that costs, or who has to be trusted for it."""
    from privrl.privacy.counters import mechanisms, shuffle

    planned, law = releases(asked), "gaussian" if asked.delta else "laplace"
    error, exact_noise = mechanisms.counter_error, not asked.simulate
    floating = [] if exact_noise else ["floating point, protects nobody; exact noise is as much"]
    if asked.trust == "shuffle":
        every = batch(asked)
        message = shuffle.message(asked.epsilon, asked.delta, every)
        words = (
            f"a message is ({message.epsilon:.3g}, {message.delta:.2g})-private by itself; a "
            f"batch of {every:,} hides it"
        )
        return exact_noise, [*floating, words]
    if asked.trust == "secure":
        ratio = error("secure", planned) / error("tree", planned)
        return exact_noise, [
            *floating,
            f"at most {ratio:.2g} times a trusted tree's (docs/trust.md)",
        ]
    if asked.trust == "none":
        return exact_noise, floating
    simulated, exact = mechanisms.best(planned, law), cheapest(planned, law)
    ratio = error(exact, planned, law) / error(simulated, planned, law)
    if asked.simulate:
        times = f"{ratio:.2g} times as much" if exact != simulated else "as much"
        return False, [f"floating point, protects nobody; exact noise, over {exact}, is {times}"]
    if simulated == exact:
        return True, []
    words = (
        f"exact, for people; over {simulated}, for simulation alone (--simulate), {1 / ratio:.2g} "
        "times as much"
    )
    return True, [words]


def _if_honest(asked: Asked) -> str:
    """What a guarantee between a server and none rests on, in words."""
    from privrl.privacy.counters import secure, shuffle

    if asked.trust == "secure":
        return f", if {secure.HONEST_OF_NODE:.0%} of a node's users are honest"
    if asked.trust == "shuffle":
        return f", if {shuffle.HONEST_OF_BATCH:.0%} of a batch follow the protocol"
    return ""


def _draws(asked: Asked, sums: int) -> int:
    """Of one release, or of one message; under a secure sum on average over users."""
    from privrl.privacy import shares

    return round(sums * shares.draws(asked.users - 1)) if asked.trust == "secure" else sums


def _sums(family: str, agent: Any, problem: Any) -> int:
    """How many sums a release puts noise on."""
    from privrl.agents.linear.layout import sums_of_step
    from privrl.agents.lq import state

    if (
        family == "linear"
    ):  # phi phi' and phi V, varphi varphi' and varphi r; nothing comes after the last step
        d = int(problem.psi.shape[3])
        return (2 * int(problem.horizon) - 1) * sums_of_step([d])
    return state.width(problem) if family == "lq" else int(agent.released(problem))
