"""How many users it takes: by a scaling of measured runs, and by the committed runs themselves."""

from __future__ import annotations

import csv
import importlib
import math
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privrl.cli.advice.asked import Asked

# least and most users (None: not known), words, and what is not known
Guess = tuple[float | None, float | None, list[str], list[str]]


def users(asked: Asked, agent: Any, problem: Any) -> tuple[Guess, dict[str, str] | None]:
    """How many users it takes; and, for a tabular one, whether there are enough."""
    least: float | None = None
    most: float | None = None
    enough: dict[str, str] | None = None
    if asked.family == "tabular":
        least, most, words, unknown, enough = tabular(asked, agent, problem)
    elif asked.family == "linear":
        least, most, words, unknown = linear(agent, problem)
    else:
        words = ["not known, but for one size"]
        unknown = ["how users grow with the dimensions"]
    if asked.trust in ("secure", "shuffle"):
        if asked.family == "tabular":
            words.append(_between_trusts(asked.trust))
        return (least, most, words, unknown), enough
    words.append(
        f"At {_recorded_sizes(asked)}, delta 1e-6: "
        f"{_recorded(asked.family, asked.trust == 'none', asked.epsilon)}"
        if asked.delta
        else "no run with delta 0 is recorded whose noise suffices"
    )
    return (least, most, words, unknown), enough


ENOUGH = {"yes": "you have enough", "perhaps": "you may have too few", "no": "you have too few"}


def tabular(
    asked: Asked, agent: Any, mdp: Any
) -> tuple[float | None, float | None, list[str], list[str], dict[str, str] | None]:
    """By the visits that a plan needs, times what was measured; enough or not, by multiplier, for
    that gap alone."""
    from privrl.environments import planning
    from privrl.horizon import scaling

    planned, gap, file = asked.users, asked.gap, asked.file
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
    barred = _barred(agent, asked, inside)
    verdicts = [
        f"{ENOUGH[verdict]} for gap {scaling.GAP:g}"
        if not barred or (verdict != "yes" and barred == OUTSIDE)
        else f"no verdict, as {barred}"
        for verdict in enough.values()
    ]
    rivers = [row.mdp for row in scaling.MEASURED if row.world == "river"]
    losses = " and ".join(sorted({f"{planning.smallest_gap(world):.1g}" for world in rivers}))
    words = [
        (
            f"{_between(*even)} before it has learnt, where all states come up alike and a wrong "
            f"action costs {scaling.GAP:g}: {verdicts[0]}. From: {low:.2g} to {high:.2g} times H "
            f"S A n, where a plan needs n visits to tell actions apart (for your users n = "
            f"{scaling.visits(agent, mdp, planned):,.0f}). The factors were measured at {sizes}"
            f"{outside}"
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
    least = None if even[0] == math.inf else even[0]
    return least, even[1], words, unknown, None if barred else enough


OUTSIDE = "your sizes are outside"


def _barred(agent: Any, asked: Asked, inside: bool) -> str:
    """Why nobody may say that there are enough users: nothing of the kind was measured. Too few
    may be said of other sizes."""
    from privrl.horizon import scaling

    if agent.counter not in {row.counter for row in scaling.MEASURED}:
        return f"no run over {agent.counter} was measured"
    if not asked.alike:
        return "the states of your file do not come up alike"
    return "" if inside else OUTSIDE


def _enough(planned: int, least: float, most: float) -> str:
    from privrl.horizon import scaling

    if scaling.SAFE * most <= planned:
        return "yes"
    return "perhaps" if least <= planned else "no"


def _digits(ratio: float) -> str:
    """A ratio of users, two digits."""
    return f"{float(f'{ratio:.2g}'):g}"


def linear(agent: Any, mdp: Any) -> Guess:
    """By the users from which on bonuses are within the values, times what was measured."""
    from privrl.cli.advice import mixtures
    from privrl.environments import planning

    d, horizon = int(mdp.psi.shape[3]), int(mdp.horizon)
    unknown = [
        (
            "your features, with whose norms noise and widths shrink; here these are the largest "
            "that are allowed"
        )
    ]
    rows = mixtures.MEASURED
    dims, horizons, epsilons = (
        sorted({getattr(row, name) for row in rows}) for name in ("d", "horizon", "epsilon")
    )
    sizes = f"dim {dims[0]} to {dims[-1]}, horizon {horizons[0]} to {horizons[-1]}"
    known = agent.counter not in ("local", "secure") and d <= dims[-1] and horizon <= horizons[-1]
    start = mixtures.start(agent, d, horizon) if known else None
    if start is None:
        return None, None, [f"not known; mixtures of {sizes} were measured with a server"], unknown
    low, high = mixtures.factors()
    least, most = (factor * horizon**2 * start for factor in (low, high))
    losses = [planning.smallest_gap(row.world.tabular()) for row in rows]
    words = (
        f"{_between(least, most)} before it has learnt. From: {low:.2g} to {high:.2g} times H^2 K, "
        f"with K = {start:,} from which on bonuses are within the values; the factors were "
        f"measured on mixtures of {sizes}, epsilon {' and '.join(f'{e:g}' for e in epsilons)}, "
        f"where a wrong action costs at least {min(losses):.2g}"
    )
    return least, most, [words], unknown


def _between_trusts(counter: str) -> str:
    """The best of the runs between a server and none."""
    from privrl.horizon import trust

    row = min((row for row in trust.MEASURED if row.counter == counter), key=lambda row: row.median)
    return (
        f"{row.median:,} on {trust.WORLD.name}, epsilon {trust.EPSILON:g}, of {row.planned:,} "
        "planned (docs/trust.md)"
    )


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
