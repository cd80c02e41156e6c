"""The program that ``privrl advise`` prints."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privrl.cli.advice.asked import Asked


def code(asked: "Asked", agent: Any, problem: Any, every: int, exact: bool) -> str:
    """A program that runs as it stands: a session with one user of a world that nobody knows; or,
    where noise is simulated, a file's arrays with it."""
    family, planned, file = asked.family, asked.users, asked.file
    tight = "" if family == "tabular" else ", calibration='tight'"
    if asked.cheapest:
        tight = f", calibration='{agent.calibration}'"
    line = (
        f"agent = rl.{type(agent).__name__}({agent.epsilon}, {agent.delta}, "
        f"counter='{agent.counter}'{tight}"
    )
    batch = f", every={every}" if every > 1 else ""
    reward = "0.0)  # not read: Q and R are known" if family == "lq" else "1.0)"
    if file is not None and not exact:
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
    construction = [f"{line})"]
    if asked.trust == "shuffle":  # each user's own message, and what a batch of them gives
        construction = [
            "from privrl.privacy.counters import shuffle",
            f"one = shuffle.message({agent.epsilon}, {agent.delta}, batch={every})",
            f"agent = rl.{type(agent).__name__}(one.epsilon, one.delta, counter='local')",
        ]
    noise = "noise='exact'" if exact else "seed=0, noise='simulated'"
    noise_words = "" if exact else "protects nobody"
    opened = [
        f"session = rl.online.Session(agent, known, users={planned},",
        f"    {noise}{batch}){'  # ' if noise_words else ''}{noise_words}",
    ]
    together = " ".join(map(str.strip, opened))
    opened = [together] if len(together) <= 76 else opened
    shared = asked.trust == "secure" and exact
    sums = "from privrl.privacy.secure_sums import SecureSums"
    acting, prepared, counted = _served(asked, shared)
    return "\n".join(
        [
            *(["import numpy as np"] if family != "tabular" else []),
            "import privrl as rl",
            *([sums] if shared else []),
            *construction,
            *known,
            *opened,
            *prepared,
            f"states, actions, rewards = [{state}], [], []  # of one user",
            f"for step in range({problem.horizon}):",
            f"    actions.append({acting}.act(step, states[-1]))",
            f"    states.append({state})  # what your system answers",
            f"    rewards.append({reward}",
            *counted,
            "print(session.users, 'user', session.guarantee)",
        ]
    )


def _served(asked: "Asked", shared: bool) -> tuple[str, list[str], list[str]]:
    """Who acts; lines that prepare for a user; and lines that count her."""
    episode = "(states, actions, rewards)"
    if shared:
        return (
            "device",
            [
                "sums = SecureSums(session.sharing)  # ideal: your protocol goes here",
                "device = session.sharing_device()  # the user's own",
            ],
            [
                f"message = device.message({episode})",
                "session.receive_total(sums.turn(session.users + 1, message))",
            ],
        )
    if asked.trust in ("server", "secure"):
        return "session", [], [f"session.observe({episode})"]
    return (
        "device",
        ["device = session.device()  # the user's own"],
        [f"session.receive(device.message({episode}))"],
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
