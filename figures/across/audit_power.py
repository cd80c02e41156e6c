"""What the audit can see: planted faults, correct noise, the height of its bound, and the papers'
printed noise."""

import json
import zlib
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from figures import profiles, runs, style
from figures.kinds.lines import Figure, named_rows
from figures.kinds.tables import TABLES, Path, Tables, where
from privrl.privacy.audit import power as audit_power
from privrl.privacy.audit import printed as audit_printed
from privrl.privacy.audit.faults import FAULTS
from privrl.run import sweep
from privrl.run.store import write_whole
from theory.typed import line

ID = "audit_power"
PRINTED_SEED = 0  # every other row is seeded with the checksum of its name
PRINTED_TRIALS = 1_000_000
COLUMNS = [
    "kind",
    "of",
    "counter",
    "law",
    "fault",
    "releases",
    "trials",
    "level",
    "claimed",
    "exact",
    "repetitions",
    "refuted",
    "low",
    "high",
    "share",
    "least",
]
MESSAGE = "The audit sees every planted fault and refutes no correct noise too often"
CAPTION = """The audit catches every planted fault of a counter and refutes no correct noise more
often than its level. Top left: trials of each world at which all 300 repetitions refuted the fault
at level 0.001 (power above 0.99 at 95 %); two users who differ in two sums (Laplace: one), epsilon
= 1, 7 releases; redrawn Laplace nodes have no documented size. Top right: how often correct noise
was refuted at level 0.05 in 200 repetitions, with one-sided 95 % bounds. Bottom left: the lower
bound over the exact epsilon of a Gaussian counter, 10^6 trials, delta = 10^-6. Bottom right: the
papers' printed noise where it falls short, in units of what is claimed."""
ALT = """Four panels. Shared, reused and missing noise are seen from 500 trials on, half the scale
and noise for removal from 10,000 to 20,000, nodes drawn anew from 30,000 to 120,000. False alarms
lie well below the level 0.05. All bounds are above 0.9 of the exact epsilon. In the last panel five
of six attacks exceed the claim; those on Gaussian noise come close to the exact epsilon, but for a
claim of 0.025, of which a million trials show nothing."""


def recompute(path: Path, jobs: int = 1) -> None:
    """Make the table again: a quarter of an hour, finished rows are kept beside it. A shorter
    profile makes nothing."""
    if profiles.current().name != "full":
        return
    rows: list[dict[str, Any]] = []
    for kind in ("power", "alarms", "bound"):
        rows += [
            _kept(path.parent / "audit" / f"{name_of(case)}.json", partial(repeated, case))
            for case in audit_power.cases(kind)
        ]
    rows += _kept(path.parent / "audit" / f"printed-{PRINTED_TRIALS}.json", _printed)
    sweep.write_table(
        path, pd.DataFrame(rows, columns=COLUMNS), {"repetitions": audit_power.REPETITIONS}
    )


def _kept(path: Path, make: Callable[[], Any]) -> Any:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(make()))
    return json.loads(path.read_text(encoding="utf-8"))


def name_of(case: audit_power.AttackCase) -> str:
    """A case as the name of a file; its checksum is the seed."""
    target = case.of.replace("/", "_")
    return f"{case.kind}-{target}-{case.counter}-{case.law}-{case.fault}-{case.trials}"


def repeated(case: audit_power.AttackCase) -> dict[str, Any]:
    """The row of a case."""
    level = audit_power.ALARM_LEVEL if case.kind == "alarms" else audit_power.ALPHA
    seed = zlib.crc32(name_of(case).encode())
    repetition = audit_power.repeat(case, audit_power.REPETITIONS[case.kind], seed, level)
    row = (
        repetition
        | asdict(case)
        | {"level": level, "claimed": case.epsilon, "fault": case.fault or "none"}
    )
    return {name: row.get(name, np.nan) for name in COLUMNS}


def _printed() -> list[dict[str, Any]]:
    return [
        dict.fromkeys(COLUMNS, np.nan)
        | {
            "kind": "printed",
            "of": f"{case.paper}: {case.what}",
            "law": "gaussian" if case.delta else "laplace",
            "fault": "none",
            "trials": PRINTED_TRIALS,
            "level": audit_power.ALPHA,
            "claimed": case.claimed,
            "exact": case.exact,
            "repetitions": 1,
            "refuted": int(case.refuted),
            "share": case.share,
            "least": case.share,
        }
        for case in audit_printed.shortfalls(
            trials=PRINTED_TRIALS, seed=PRINTED_SEED, alpha=audit_power.ALPHA
        )
    ]


def recorded(folder: Path = TABLES) -> pd.DataFrame:
    """The committed table; ``fault`` is ``none`` for correct noise."""
    return runs.table(ID, COLUMNS, folder, keep_default_na=False, na_values=["", "nan"])


def tables(folder: Path = TABLES) -> Tables:
    every = recorded(folder)
    columns = {
        "power": "of counter law fault releases trials claimed repetitions refuted low",
        "alarms": "of counter law trials level repetitions refuted low high",
        "bound": "counter releases trials share least",
        "printed": "of law claimed exact share refuted",
    }
    return {
        kind: where(every, kind=kind)[columns.split()].reset_index(drop=True)
        for kind, columns in columns.items()
    }


def label(row: Any) -> str:
    """What was attacked, in a word or two."""
    law = "" if row.law == "gaussian" else ", Laplace"
    return f"{row.counter}{law}" if row.of == "two sums" else str(row.of).split("/", maxsplit=1)[0]


# a legend among marks has a rim, so that its own are not read as data
FRAME: dict[str, Any] = {"fontsize": 7, "handlelength": 1.4, "frameon": True, "fancybox": False}


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(5.4, 2, 2)
    power, alarms, bound, printed = grid.flat
    groups = tables["power"].groupby(
        [label(row) for row in tables["power"].itertuples()], sort=False
    )
    for place, (kind, rows) in enumerate(groups):
        height = [
            FAULTS.index(fault) + 0.09 * (place - (groups.ngroups - 1) / 2)
            for fault in rows["fault"]
        ]
        power.plot(
            rows["trials"],
            height,
            "osD*v^Px"[place],
            color=style.PALETTE[place],
            markersize=4.5,
            label=kind,
        )
    power.set(
        xscale="log",
        xlabel="trials that suffice",
        title="every fault caught, 300 of 300",
        xlim=(200, 3e5),
    )
    power.legend(loc="center right", bbox_to_anchor=(1.02, 0.33), **FRAME)
    named_rows(power, FAULTS)
    rows = tables["alarms"]
    rate, level = rows["refuted"] / rows["repetitions"], float(rows["level"].iloc[0])
    alarms.errorbar(
        rate,
        rows.index,
        xerr=[rate - rows["low"], rows["high"] - rate],
        fmt="X",
        color="black",
        elinewidth=1,
    )
    alarms.axvline(level, color="black", linewidth=0.8)
    alarms.annotate("level", (level, 0.0), (3, 0), textcoords="offset points", fontsize=7)
    alarms.set(xlabel="rate, with its bounds", title="correct noise refuted", xlim=(-0.004, 0.08))
    alarms.set_xticks([0, 0.02, 0.04, 0.06])
    named_rows(alarms, [label(row) for row in rows.itertuples()])
    rows = tables["bound"]
    bound.plot(rows["share"], rows.index, "X", color="black", label="mean")
    bound.plot(rows["least"], rows.index, "|", color="black", markersize=8, label="lower of 2")
    bound.set(
        xlabel="lower bound / exact ε",
        title="how high the bound is",
        xlim=(0.93, 1.005),
    )
    named_rows(bound, list(rows["counter"]))
    rows = tables["printed"]
    exact = rows["exact"] / rows["claimed"]
    attack_bound = exact * rows["share"]
    printed.hlines(rows.index, attack_bound, exact, color=style.GREY, linewidth=1)
    printed.plot(exact, rows.index, ">", color=style.PALETTE[3], label="exact")
    printed.plot(attack_bound, rows.index, "X", color="black", label="attack")
    printed.set(xlabel="ε / claimed ε", title="printed noise attacked", xlim=(-0.1, 3.2))
    named_rows(printed, [short(str(of)) for of in rows["of"]])
    for axes in (bound, printed):
        axes.axvline(1.0, color="black", linewidth=0.8)
    for axes, corner in ((bound, (0.93, 0.08)), (printed, (1.02, 0.4))):
        axes.legend(loc="center right", bbox_to_anchor=corner, **FRAME)
    return figure


def short(of: str) -> str:
    """A row's name on an axis: the paper, and the claim's place."""
    paper, _, description = of.partition(": ")
    parts = description.split(", ")
    return line(f"{paper}\n{parts[0].replace('proof of ', 'proof, ')}, {parts[1]}")
