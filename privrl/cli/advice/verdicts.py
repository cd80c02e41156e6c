"""Whether there are enough users, or why nobody may say so: "enough" is said where it was tried."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privrl.cli.advice.asked import Asked

ENOUGH = {"yes": "you have enough", "perhaps": "you may have too few", "no": "you have too few"}
NO_VERDICT = "no verdict"


def enough(planned: int, least: float, most: float) -> str:
    """Of users who are planned for, beside the least and the most that a run takes which is planned
    for as many."""
    from privrl.horizon import scaling

    if scaling.SAFE * most <= planned:
        return "yes"
    return "perhaps" if least <= planned else "no"


def verdict(answer: str, gap: float, barred: str, beyond: str) -> str:
    """In words; too few may be said beyond what was tried."""
    reason = barred or (beyond if answer == "yes" else "")
    return f"{NO_VERDICT}, as {reason}" if reason else f"{ENOUGH[answer]} for gap {gap:.3g}"


def barred(agent: Any, asked: Asked) -> str:
    """Why nobody may say whether there are enough or too few: no answer of the kind was tried."""
    from privrl.horizon import scaling

    if untried := _counter(agent, asked):
        return untried
    if asked.cheapest:
        return "no answer was tried with sums left out and a plan for many users"
    if not math.isclose(asked.delta, scaling.DELTA, rel_tol=1e-9):
        return f"it was tried at delta {scaling.DELTA:g} alone"
    if asked.steered:
        return "in your file the action decides which state follows"
    if asked.share < scaling.LEAST_SHARE:
        return "a state of your file comes up less than half as often as if all did alike"
    if asked.file_gap is not None and (asked.gap or 0) > asked.file_gap:
        return f"a wrong action costs {asked.file_gap:.3g} in your file, less than --gap says"
    return "" if _tried(agent, asked) else _kind(agent, asked)


def beyond(agent: Any, asked: Asked, multiplier: float, most: float) -> str:
    """Why nobody may say that there are enough, of answers of the kind with such widths; ``most``
    users a run takes that is planned for as many."""
    from privrl.horizon import scaling, tried

    rows = [row for row in _tried(agent, asked) if row.multiplier == multiplier]
    sizes = asked.states or 0, asked.actions or 0, asked.horizon or 0
    if math.isinf(most):
        return ""  # nobody has enough
    safe = math.ceil(scaling.SAFE * math.ceil(most))
    question = tried.Coordinates(
        *sizes, asked.epsilon, _gap(asked), asked.share, math.prod(sizes), safe
    )
    fields = tried.outside(question, rows) if rows else []
    if fields:
        return f"it was tried only where {' and '.join(fields)}"
    return "no answer was tried with a plan for many users" if agent.every > 1 else ""


def _gap(asked: Asked) -> float:
    from privrl.horizon import scaling

    return scaling.GAP if asked.gap is None else asked.gap


def _tried(agent: Any, asked: Asked) -> tuple[Any, ...]:
    """Answers of the kind."""
    from privrl.horizon import tried

    dense = asked.follow in (None, asked.states)
    return tried.table(agent.counter, gap=_gap(asked), share=asked.share, dense=dense)


def _counter(agent: Any, asked: Asked) -> str:
    """Why a counter has no verdicts."""
    from privrl.horizon import scaling, tried, trust

    counter = agent.counter
    if asked.trust == "shuffle":
        worlds = {row.problem for row in trust.MEASURED_USERS if row.counter == "shuffle"}
        names = " and ".join(sorted(Path(world).name for world in worlds))
        return f"over shuffle {names} alone was measured"
    if counter in {row.counter for rows in tried.TABLES for row in rows}:
        return ""
    if counter in {row.counter for row in scaling.MEASURED_SCALING}:
        return f"over {counter} it was not tried on other worlds"
    return f"no run over {counter} was measured"


def _kind(agent: Any, asked: Asked) -> str:
    """What of a file or a gap was not tried over a counter."""
    from privrl.horizon import scaling, tried

    if asked.follow not in (None, asked.states):
        return f"over {agent.counter} no world was tried where few states follow"
    if asked.share < 1 - tried.LAST_DIGITS:
        return f"over {agent.counter} no world was tried whose states do not come up alike"
    return f"over {agent.counter} gaps below {scaling.GAP:g} were not tried"
