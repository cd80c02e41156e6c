"""What was asked, checked; and the agent and the counter for it."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

TRUSTED = {
    "server": "a trusted server",
    "secure": "a secure sum",
    "shuffle": "a trusted shuffler",
    "none": "no trusted server",
}
PLANS = 10**4  # of a run with a plan for every so many users; its noise is that of so few releases
FORMS = (
    "--states, --actions and --horizon, or --dim and --horizon, or --states, --controls and "
    "--horizon, or a file"
)


MOST_STEPS = 10**10  # multiplications, some seconds


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
    trust: str
    simulate: bool
    cheapest: bool = False
    #: of a file: how often each state comes up at least, over 1 / S, whatever is done
    share: float = 1.0
    #: of a file: whether the action decides which state follows, which was tried nowhere
    steered: bool = False
    #: of a file: how often the rarest state of those that come up can come up at its step, at most,
    #: and next states of a pair, at most
    rarest: float | None = None
    follow: int | None = None
    #: the smallest of a file, beside which ``gap`` may be another that was asked for
    file_gap: float | None = None

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
    def between(self) -> bool:
        """Whether somebody less than a server and more than nobody is trusted."""
        return self.trust not in ("server", "none")

    @property
    def name(self) -> str:
        """Of the agent."""
        if self.family == "linear":
            return "linopt-po" if self.trust == "none" and self.epsilon < 100 else "linopt-vi"
        return "private-ucbvi" if self.family == "tabular" else "private-ofu-rl"


def settled(asked: Asked) -> Asked:
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
    require(
        not asked.between or asked.delta > 0,
        f"delta must be > 0 for --trust {asked.trust}",
        delta=asked.delta,
    )
    require(
        asked.trust != "shuffle" or family == "tabular",
        "--trust shuffle is for --states and --actions",
        trust=asked.trust,
    )
    require(
        not asked.cheapest or (family == "tabular" and asked.trust == "server"),
        "--cheapest is for --states and --actions with a trusted server",
        trust=asked.trust,
    )
    gap, horizon = asked.gap, asked.horizon
    require(gap is None or family == "tabular", "--gap is for --states and --actions", gap=gap)
    if gap is not None and gap != asked.file_gap:
        gap = parameter("gap", gap)
        require(gap <= (horizon or 0), "gap must be <= horizon", gap=gap, horizon=horizon)
    return dataclasses.replace(asked, gap=gap)


def _from_file(asked: Asked, file: str) -> Asked:
    from privrl.checks import require
    from privrl.environments import files, planning
    from privrl.horizon import scaling

    beside = ", ".join(
        f"--{name}"
        for name in ("states", "actions", "horizon", "dim", "controls")
        if getattr(asked, name) is not None
    )
    require(not beside, "a file has its own sizes and must come without others", beside=beside)
    mdp = files.load_mdp(file)
    gap = planning.smallest_gap(mdp)
    require(
        gap < math.inf,
        "an action must be worth less than another for anything to be learnt",
        file=file,
    )
    steered = bool((mdp.transitions != mdp.transitions[:, :, :1]).any())
    return dataclasses.replace(
        asked,
        states=mdp.states,
        actions=mdp.actions,
        horizon=mdp.horizon,
        gap=gap if asked.gap is None else asked.gap,
        file_gap=gap,
        share=scaling.share(mdp),
        steered=steered,
        rarest=_rarest(mdp),
        follow=int((mdp.transitions > 0).sum(axis=-1).max()),
    )


def _rarest(mdp: Any) -> float | None:
    """None where it would take minutes to compute."""
    from privrl.environments import planning

    if mdp.horizon**2 * mdp.states**3 * mdp.actions > MOST_STEPS:
        return None
    chances = planning.most_likely(mdp)
    return float(chances[chances > 0].min())


def counter(asked: Asked) -> str:
    """The one with the least noise for whom is trusted; for people, of those with exact noise."""
    from privrl.privacy.counters import mechanisms

    if asked.between:
        return asked.trust
    if asked.trust == "none":
        return "local"
    law = "gaussian" if asked.delta else "laplace"
    if asked.simulate:
        return mechanisms.best(releases(asked), law)
    return cheapest(releases(asked), law)


def cheapest(releases: int, law: str) -> str:
    """The counter of a server with exact noise that has the least of it."""
    from privrl.privacy import filtered
    from privrl.privacy.counters import mechanisms

    known = [
        name
        for name in mechanisms.EXACT
        if mechanisms.COUNTER_CLASSES[name].trust == "server"
        and law in mechanisms.laws(name)
        and (name not in mechanisms.FILTERED or releases <= filtered.MOST_FILTERED_RELEASES)
    ]
    return min(known, key=lambda name: mechanisms.counter_error(name, releases, law))


def every(asked: Asked) -> int:
    """Users to a plan."""
    if asked.trust == "shuffle":
        return batch(asked)
    return max(asked.users // PLANS, 1) if asked.cheapest else 1


def releases(asked: Asked) -> int:
    """Of a run with so many users to a plan."""
    return max(-(-asked.users // every(asked)) - 1, 1)


def batch(asked: Asked) -> int:
    """Users to a plan behind a shuffler: a power of ten, and ten plans or more."""
    return int(10 ** max(math.floor(math.log10(asked.users)) - 1, 0))


def agent(asked: Asked) -> Any:
    """The agent over that counter."""
    from privrl.agents import registry

    return registry.make(
        asked.name,
        epsilon=asked.epsilon,
        delta=asked.delta,
        beta=0.1,
        counter=counter(asked),
        calibration="pruned" if asked.cheapest else "tight",
        every=every(asked),
    )
