"""What ``privrl sigma`` and ``privrl horizon`` print, as tables: exact values over a grid, never
interpolated.

The noise scales are computed when the site is built. The horizons take minutes: ``python -m
website.tables`` writes ``website/horizons.json``, and the tests make a part of it again. Each row
has the command that prints it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import pandas as pd

from figures import registry
from privrl.cli.common import up
from privrl.privacy import noise
from theory import horizons
from website import markup
from website.markup import text

STORED = Path(__file__).parent / "horizons.json"


def grid(axes: Mapping[str, tuple[float, ...]]) -> list[dict[str, float]]:
    """Every combination of the values."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def command(which: str, paper: str, setting: dict[str, float]) -> str:
    """The command line that prints the answer."""
    return " ".join(
        [f"privrl {which} {paper}", *(f"--{name} {value:.12g}" for name, value in setting.items())]
    )


def horizon(paper: str, setting: dict[str, float]) -> dict[str, Any]:
    """What ``privrl horizon --json`` prints, with the command."""
    answer = horizons.horizons(paper, horizons.setting(paper, **setting))
    return {
        "command": command("horizon", paper, setting),
        "paper": paper,
        "setting": answer.setting,
        "start": answer.means,
        "note": answer.note,
        "rows": [vars(row) for row in answer.rows],
    }


def questions() -> list[tuple[str, dict[str, float]]]:
    """Papers and settings of the horizons."""
    return [
        (paper, setting)
        for paper in noise.PAPERS
        for axes in horizons.tabulated(paper)
        for setting in grid(axes)
    ]


def lines() -> str:
    """Every answer on a line, as they are stored."""
    return "[\n" + ",\n".join(json.dumps(horizon(*question)) for question in questions()) + "\n]\n"


def sigma_page() -> str:
    """The table of noise scales: a row per paper and setting."""
    cells = []
    for paper, declared in noise.DECLARED.items():
        for setting in grid(declared.tabulated) if declared.tabulated else ():
            scales_ = noise.noise(paper, noise.setting(paper, **setting))
            sizes = scales_.setting
            scales = "; ".join(
                f"{row.name} {row.printed:.4g} ({row.smallest:.4g})" for row in scales_.scales
            )
            attributes = {
                "paper": paper,
                "epsilon": f"{sizes.epsilon:g}",
                "delta": f"{sizes.delta:g}",
                "horizon": f"{sizes.horizon:g}",
                "episodes": f"{sizes.episodes:g}",
            }
            cells.append(
                (
                    attributes,
                    [
                        *_values(attributes),
                        text(scales),
                        markup.numbers(up(scales_.real_epsilon)),
                        markup.numbers(up(scales_.factor)),
                        _code(command("sigma", paper, setting)),
                    ],
                )
            )
    lead = (
        "The noise scales as a paper prints them, in brackets the smallest of the same "
        "proportions that give what is claimed; what privacy the printed noise really gives at "
        "the claimed delta, above epsilon where it is too small; and the smallest noise over the "
        "printed, above 1 likewise. All noisy statistics of a paper together, exact accounting, "
        "one user replaced, guarantees rounded towards safety."
    )
    more = ("noise: printed (smallest)", "really epsilon", "smallest over printed", "command")
    return _page("Noise scales", lead, more, cells)


def horizon_page() -> str:
    """A calculator over the table of users needed, and the table: a row per agent, counter,
    calibration and setting."""
    cells, answers = [], []
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for answer in stored:
        sizes_ = answer["setting"]
        sizes = ", ".join(
            f"{name} {value:g}"
            for name, value in sizes_.items()
            if name not in ("epsilon", "delta")
        )
        for row in answer["rows"]:
            attributes = {
                "paper": answer["paper"],
                "epsilon": f"{sizes_['epsilon']:g}",
                "delta": f"{sizes_['delta']:g}",
                **{name: row[name] for name in ("agent", "counter", "calibration")},
            }
            numbers = [
                "-" if row[name] is None else f"{row[name]:.3g}"
                for name in ("start", "below_trivial")
            ]
            numbers = [markup.numbers(number) for number in numbers]
            values = [*_values(attributes), text(sizes), *numbers, _code(answer["command"])]
            cells.append((attributes, values))
            answers.append(_answer(answer, row, sizes, numbers))
    lead = (
        "How many users before a plan can say anything (start), and before the regret bound is "
        "below the trivial one. The start is the number of episodes before which no plan differs "
        "from one that knows nothing; for liao2021 and zhou2022 that before which every bonus "
        "exceeds all values. Calibration: printed as in the paper, corrected as its claim needs, "
        "tight with exact accounting and certified quantiles. A dash: not worked out, or not "
        "before the last episode that was tried."
    )
    page = _page(
        "Users needed",
        lead,
        ("setting", "start", "bound below trivial", "command"),
        cells,
        calculator(answers),
    )
    return (
        page
        + markup.heading("What the numbers rest on", "-")
        + markup.raw(
            f'<details class="fold"><summary>by paper and command</summary>'
            f"{markup.whole_code(markup.definitions(notes(stored), 'notes'))}</details>"
        )
    )


def notes(answers: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What the commands say below their tables (HTML), every sentence once: beside its paper where
    all its commands say it, else beside those that do."""
    commands: dict[str, list[str]] = {}
    sayings: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        commands.setdefault(answer["paper"], []).append(answer["command"])
        for sentence in re.split(r"(?<=[.;]) ", answer["note"]):
            sayings.setdefault((answer["paper"], sentence), []).append(answer["command"])
    together: dict[str, list[str]] = {paper: [] for paper in commands}
    for (paper, sentence), saying in sayings.items():
        everyone = saying == commands[paper]
        term = paper if everyone else ", ".join(f"`{command_}`" for command_ in saying)
        together.setdefault(term, []).append(sentence)
    ordered = sorted(together, key=lambda term: term not in commands)  # papers first
    return [(term, text(_note(" ".join(together[term])))) for term in ordered if together[term]]


def _note(words: str) -> str:
    """What a command says below its table, with its options as code: they are typed."""
    return re.sub(r"--\w+ [\d.e-]+\b", r"`\g<0>`", words[0].upper() + words[1:])


CHOICES = {  # of the calculator: field, label, what stands there first
    "agent": ("algorithm", "private-ucbvi"),
    "sizes": ("size of the problem", ""),
    "epsilon": ("epsilon", "1"),
    "delta": ("delta", markup.plain("1e-06")),
    "trust": ("who is trusted", ""),
    "counter": ("counter", "blt"),
    "calibration": ("calibration", "tight"),
}
SAID = {
    "start": "No plan says anything before",
    "bound": "The regret bound is below the trivial one from",
    "runs": "Runs made here had learnt after",
    "command": "The command that prints it",
}


def calculator(answers: Sequence[Mapping[str, str]]) -> str:
    """A form that picks one of the answers; hidden without its script, where the table stands
    alone."""
    form = "".join(
        f'<p><label for="users-{name}">{label}</label><select id="users-{name}" name="{name}" '
        f'data-first="{markup.attribute(first)}"></select></p>\n'
        for name, (label, first) in CHOICES.items()
    )
    said = "".join(
        f'<span class="row"><span>{words}</span> <strong data-answer="{name}"></strong></span>\n'
        for name, words in SAID.items()
    )
    # "<" would end the script that holds them
    table = {"fields": [*answers[0]], "rows": [[*answer.values()] for answer in answers]}
    stored = json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<form class="filter calculator" aria-label="Calculator" hidden>\n{form}</form>\n'
        f'<output class="answer" aria-live="polite" hidden>\n{said}</output>\n'
        f'<script type="application/json" id="users">{stored}</script>\n'
        '<script src="_static/users.js"></script>\n'
    )


def _answer(
    answer: Mapping[str, Any], row: Mapping[str, Any], sizes: str, numbers: Sequence[str]
) -> dict[str, str]:
    """What the calculator chooses by, and what it says, in words."""
    epsilon, delta = (answer["setting"][name] for name in ("epsilon", "delta"))
    start, bound = (
        f"{markup.plain(number)} users"
        if number != "-"
        else "not worked out, or not within what was tried"
        for number in numbers
    )
    trust = {"none": "no privacy", "local": "nobody: each user adds her own noise"}
    return {
        "agent": row["agent"],
        "sizes": f"{answer['paper']}: {sizes}",
        "epsilon": markup.plain(f"{epsilon:g}"),
        "delta": markup.plain(f"{delta:g}"),
        "trust": trust.get(row["counter"], "a server"),
        "counter": row["counter"],
        "calibration": row["calibration"],
        "start": start,
        "bound": bound,
        "runs": _learnt(answer, row),
        "command": answer["command"],
    }


PROBLEMS = {  # of the runs behind figure advice_users, as the settings of the horizons name them
    "tabular": ("vietri2020", {"states": 3, "actions": 2, "horizon": 3}),
    "linear": ("zhou2022", {"dim": 2, "actions": 2, "horizon": 2}),
}


@cache
def _runs() -> pd.DataFrame:
    table = pd.read_csv(registry.DATA / "advice_users.csv", keep_default_na=False)
    return table[table["table"] == "lines"]


def _learnt(answer: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """After how many users a run of this setting had learnt, where the figure has one."""
    for problem, (paper, sizes) in PROBLEMS.items():
        if answer["paper"] != paper or not sizes.items() <= answer["setting"].items():
            continue
        table = _runs()
        mine = table[
            (table["problem"] == problem)
            & (
                table[["agent", "counter", "calibration"]]
                == pd.Series(row)[["agent", "counter", "calibration"]]
            ).all(axis=1)
            & (table["epsilon"].astype(float) == answer["setting"]["epsilon"])
            & (table["delta"].astype(float) == answer["setting"]["delta"])
        ]
        reached = mine[mine["burn_in"].astype(float) < inf]
        if len(reached):
            best = reached.iloc[reached["burn_in"].astype(float).argmin()]
            users, planned = (
                markup.plain(f"{float(best[name]):.3g}") for name in ("burn_in", "planned")
            )
            return f"{users} users, planned for {planned}"
    return "none were made at this setting"


def _page(
    title: str,
    lead: str,
    more: Sequence[str],
    rows: list[tuple[dict[str, str], list[str]]],
    first: str = "",
) -> str:
    """A table with a filter by the data of its rows, which are its first columns, and ``more``
    columns; ``first`` (HTML) before it."""
    note = (
        "Every number is what the command in its row prints, and nothing between them is "
        "interpolated."
    )
    fields = [*rows[0][0]]
    table = markup.filtered(title, dict.fromkeys(fields, ()), [*fields, *more], rows)
    intro = markup.raw(f"<p>{text(lead)}</p><p>{note}</p>")
    above = markup.raw(first) if first else ""
    return f":hide-toc:\n{markup.heading(title)}{intro}{above}{markup.raw(table)}"


def _values(attributes: dict[str, str]) -> list[str]:
    """The cells of what a row is filtered by."""
    return [markup.numbers(value) for value in attributes.values()]


def _code(words: str) -> str:
    # which no line breaks
    options = re.sub(r"--\w+ \S+", r'<span class="option">\g<0></span>', words)
    return f"<code>{options}</code>"


if __name__ == "__main__":
    STORED.write_text(lines(), encoding="utf-8")
