"""What captions and descriptions say in numbers, from the committed data of their figures: words
with braces, the numbers that belong there, and to how many digits."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from math import ceil, exp, floor, log

import numpy as np
import pandas as pd

from figures import style
from figures.chowdhury2021 import regret as chowdhury2021_regret
from figures.vietri2020 import counters as vietri2020_counters
from figures.zhou2022 import comparison as zhou2022_comparison
from tests.figures import drawn
from theory.papers.chowdhury2021 import privacy


def ends(identifier: str, table: str, column: str, *keys: str) -> Callable[..., float]:
    """The last value of ``column`` in the rows with the given values of ``keys``."""
    last_values = (
        drawn(identifier, table).groupby(list(keys) if len(keys) > 1 else keys[0])[column].last()
    )
    return lambda *key: float(last_values[key if len(key) > 1 else key[0]])


def said() -> list[tuple[str, str, float, int]]:
    """(figure, text of its caption or description with {} for the number, number, digits)."""
    over = ends("chowdhury2021_noise", "largest", "largest_over_bound", "calibration", "sum")
    rates, (threshold,) = chowdhury2021_regret.references(), privacy.thresholds((1e-6,), 0.5)
    below = ends("liao2021_bounds", "vacuity", "below_trivial", "epsilon", "calibration")
    hard, live = (ends(f"liao2021_{name}", "lines", "regret", "line") for name in ("hard", "live"))
    lines = ends("zhou2022_counters", "lines", "regret", "entry", "line")
    river = ends("zhou2022_counters", "river", "ratio", "counter", "epsilon")
    at = ends(
        "vietri2020_counters",
        "settings",
        "proved",
        "epsilon",
        "counter",
        "delta",
        "calibration",
        "planned",
    )
    mixture = "zhou2022/mixture-2"
    return [
        ("chowdhury2021_noise", "reaches {}", over("tight", "gram"), 2),
        ("chowdhury2021_noise", "and {} of the tight bounds", over("tight", "cross"), 2),
        ("chowdhury2021_regret", "loses {} times less", rates["trivial"] / rates["zero"], 2),
        ("chowdhury2021_price", "above {} here", threshold[1], 3),
        ("liao2021_bounds", "{} million episodes on the left", below(1, "tight") / 1e6, 2),
        ("liao2021_bounds", "{} thousand", below(100, "tight") / 1e3, 2),
        *(
            ("liao2021_hard", "at {}", hard(name), 3)
            for name in ("uniform", "action 0", "constant")
        ),
        ("liao2021_live", "{}", live("uniform"), 2),
        ("liao2021_live", "{}", live("blind"), 2),
        (
            "liao2021_divergence",
            "{}",
            float(drawn("liao2021_divergence", "crossing")["epsilon"].iloc[0]),
            3,
        ),
        ("zhou2022_counters", "at {}", lines(mixture, "action 0") / lines(mixture, "uniform"), 3),
        ("zhou2022_learning", "{}", lines(mixture, "blind") / lines(mixture, "uniform"), 2),
        ("zhou2022_counters", "{} within", river("blt", 100.0), 2),
        ("zhou2022_comparison", "{}", zhou2022_comparison.crossing(), 2),
        *(
            ("vietri2020_counters", "{}", at(1.0, *setting, vietri2020_counters.OWN[setting]), 2)
            for setting in vietri2020_counters.SHOWN[:2]
        ),
    ]


def crossing(x: pd.Series, ratio: pd.Series) -> float:
    """Where a line that is drawn over logarithmic axes passes 1."""
    points = sorted(zip(np.log(x), np.log(ratio), strict=True))
    (at,) = (
        left - low * (right - left) / (high - low)
        for (left, low), (right, high) in pairwise(points)
        if (low <= 0) != (high <= 0)
    )
    return exp(at)


def span(values: Iterable[float]) -> tuple[float, float]:
    """The least and the largest."""
    ordered = sorted(values)
    return ordered[0], ordered[-1]


def read_off() -> list[tuple[str, str, tuple[float, ...], int]]:
    """As :func:`said`, for what a description reads off the picture, several numbers at once."""
    ((_, threshold, taken_out),) = privacy.thresholds((1e-6,), 0.5)
    every = drawn("privacy_all", "")
    limit = {
        (paper, adjacency): crossing(rows["epsilon"], rows["factor"])
        for (paper, adjacency), rows in every.groupby(["paper", "adjacency"])
        if paper in ("chowdhury2021", "zhou2022")
    }
    alone = {}
    for paper, panel in (("chowdhury2021", "second"), ("zhou2022", "rewards")):
        rows = drawn(f"privacy_{paper}", "map").query(f"panel == '{panel}, taken out'")
        nearest = min(rows["delta"].unique(), key=lambda delta: abs(log(delta / 1e-6)))
        rows = rows[rows["delta"] == nearest]
        alone[paper] = crossing(rows["epsilon"], rows["factor"])
    conversions = drawn("privacy_chowdhury2021", "conversion")
    ratios = [
        conversions[name] / conversions["epsilon"] for name in ("exact", "optimal", "bun_steinke")
    ]
    first = [ratio.iloc[0] for ratio in ratios]
    ones = [crossing(conversions["epsilon"], ratio) for ratio in ratios]
    share = {
        paper: (rows["exact"] / rows["share"], rows["epsilon"])
        for paper, rows in drawn("lemma_zcdp", "share").groupby("paper")
    }
    norm = drawn("lemma_chi_square", "norm")
    doubled, triangle = norm["doubled"] / norm["exact"], norm["triangle"] / norm["exact"]
    largest = drawn("lemma_counters", "largest").query("releases == 1e8")
    top = largest.set_index(["law", "counter"])["largest"]
    along = drawn("lemma_counters", "along").groupby("counter")["most"].max()
    matrix = drawn("lemma_gaussian_matrix", "").query("shape == 'symmetric'").set_index("n")
    printed = matrix["printed"] / np.sqrt(matrix.index)
    classical = [
        crossing(rows["epsilon"], rows["printed"] / rows["exact"])
        for _, rows in drawn("lemma_gaussian_mechanism", "noise").groupby("delta")
    ]
    arms = drawn("vietri2020_secret_arms", "")
    parallel = float((arms["private"] / arms["printed"]).mean())
    violation = drawn("lemma_self_normalised", "violation")
    factors = violation["alpha"] / violation["exact"]
    potential = drawn("lemma_self_normalised", "potential")
    error = drawn("vietri2020_counter_error", "error").groupby("base").last()
    over = error["bound"] / error["quantile"]
    horizons = drawn("vietri2020_nonvacuous", "horizons").set_index("epsilon")
    proved = ["proved_tight", "proved_corrected", "proved_printed", "theorem_4"]
    crossings = drawn("vietri2020_price", "crossings")["episodes"]
    vacuity = drawn("vietri2020_regret", "vacuity").query("line == 'theorem-4'")
    below = vacuity.set_index("epsilon")["below_trivial_from"]
    below_liao = ends("liao2021_bounds", "vacuity", "below_trivial", "epsilon", "calibration")
    live = drawn("vietri2020_live", "runs").query("agent == 'ubev'").groupby("entry")["regret"]
    live_lines = ends("vietri2020_live", "lines", "regret", "line")
    lq = drawn("chowdhury2021_live", "runs").query("agent == 'ofu-rl'")["regret"].iloc[-1]
    lq_lines = ends("chowdhury2021_live", "lines", "regret", "line")
    liao = drawn("liao2021_regret", "runs").query("epsilon == inf").groupby("entry")["mean"]
    regularisers = drawn("zhou2022_regularisers", "run")
    end = drawn("zhou2022_river", "runs").query("calibration == 'tight' and counter == 'tree'")
    river_lines = ends("zhou2022_river", "lines", "regret", "line")
    outwards = (
        floor(10 * regularisers["low"].min()) / 10,
        ceil(10 * regularisers["high"].max()) / 10,
    )
    lines = drawn("zhou2022_nonvacuous", "lines").query("line in ['printed', 'corrected', 'tight']")
    speaks = [
        crossing(rows["planned"], rows["regret"]) for _, rows in lines.groupby(["line", "epsilon"])
    ]
    settings = drawn("vietri2020_counters", "settings").query("epsilon == 1")
    noise, users = settings["noise"], settings["burn_in"]
    successors = drawn("successors_regret", "burn_in").set_index(["agent", "counter", "delta"])
    blt = successors.loc[("private-ucbvi", "blt", 1e-6)]
    local, ucbvi = (
        successors["burn_in"][key].item()
        for key in (("ldp-ucbvi", "local", 1e-6), ("ucbvi", "none", 0.0))
    )
    return [
        ("privacy_all", "near epsilon {} to 100", (threshold,), 2),
        ("privacy_all", "near {};", (limit["zhou2022", "replace"],), 3),
        (
            "privacy_chowdhury2021",
            "at epsilon {} when a user is replaced, at {} when",
            (threshold, taken_out),
            2,
        ),
        ("privacy_chowdhury2021", "up to epsilon {}.", (alone["chowdhury2021"],), 2),
        (
            "privacy_chowdhury2021",
            "between {} and {} and cross 1 near epsilon {} to {}.",
            (*span(first), *span(ones)),
            2,
        ),
        ("privacy_zhou2022", "up to epsilon {}.", (alone["zhou2022"],), 2),
        (
            "privacy_zhou2022",
            "at epsilon {} when a user is replaced, at {} when",
            (limit["zhou2022", "replace"], limit["zhou2022", "add-remove"]),
            3,
        ),
        ("privacy_zhou2022", "cross 1 at epsilon {}.", (limit["zhou2022", "replace"],), 3),
        (
            "lemma_chi_square",
            "chowdhury2021 from {} to {},",
            (doubled.iloc[0], doubled.iloc[-1]),
            3,
        ),
        ("lemma_chi_square", "zhou2022 from {} to {},", (triangle.iloc[0], triangle.iloc[-1]), 3),
        (
            "lemma_counters",
            "rise to {}, {} and {} at",
            tuple(top["gaussian", name] for name in ("tree", "honaker", "smooth")),
            2,
        ),
        (
            "lemma_counters",
            "from 4 to {}, the others reach {} to {}.",
            (along["blt"], along["smooth"], along["tree"]),
            2,
        ),
        ("lemma_counters", "tree reaches {},", (top["laplace", "tree"],), 2),
        (
            "lemma_gaussian_matrix",
            "lie at {} to {}, the printed",
            span(matrix["sampled"] / np.sqrt(matrix.index)),
            2,
        ),
        (
            "lemma_gaussian_matrix",
            "from {} to {}, the proved one",
            (printed.iloc[0], printed.iloc[-1]),
            2,
        ),
        ("lemma_self_normalised", "between {} and {}, the", (factors.min(), factors.max()), 2),
        (
            "lemma_self_normalised",
            "sum is {} to {}, the",
            (potential["sum"].min(), potential["sum"].max()),
            2,
        ),
        (
            "lemma_self_normalised",
            "1/ln 2 is {} or {},",
            (potential["least"].min(), potential["least"].max()),
            2,
        ),
        (
            "lemma_self_normalised",
            "papers' {} or {}.",
            (potential["printed"].min(), potential["printed"].max()),
            2,
        ),
        (
            "vietri2020_secret_arms",
            "{} times lower",
            (parallel,),
            3,
        ),
        ("lemma_gaussian_mechanism", "between epsilon {} and {};", span(classical), 2),
        (
            "lemma_zcdp",
            "starts near {} and",
            (sum(ratio.iloc[0] for ratio, _ in share.values()) / len(share),),
            2,
        ),
        (
            "lemma_zcdp",
            "at epsilon {} for chowdhury2021 and {} for zhou2022",
            tuple(crossing(epsilon, ratio) for ratio, epsilon in share.values()),
            2,
        ),
        ("vietri2020_counter_error", "between {} and {}.", (over.min(), over.max()), 2),
        (
            "vietri2020_nonvacuous",
            "at {}, {}, {} and {} million",
            tuple(horizons.loc[1.0, proved] / 1e6),
            2,
        ),
        (
            "vietri2020_nonvacuous",
            "at {}, {}, {} and {} thousand",
            tuple(horizons.loc[100.0, proved] / 1e3),
            3,
        ),
        (
            "vietri2020_price",
            "between {} times 10^7 and {} times 10^13",
            (crossings.min() / 1e7, crossings.max() / 1e13),
            1,
        ),
        (
            "vietri2020_regret",
            "at about {} times 10^7 and {} times 10^6",
            (below[10.0] / 1e7, below[100.0] / 1e6),
            1,
        ),
        ("vietri2020_live", "straight line to {};", (live_lines("uniform"),), 3),
        ("vietri2020_live", "UBEV ends near {}.", (live.last().mean(),), 1),
        ("chowdhury2021_live", "falls to {}.", (lq / lq_lines("zero"),), 1),
        (
            "liao2021_bounds",
            "at {} and {} million",
            (below_liao(1, "corrected") / 1e6, below_liao(1, "tight") / 1e6),
            2,
        ),
        (
            "liao2021_bounds",
            "at {} and {} thousand",
            (below_liao(100, "corrected") / 1e3, below_liao(100, "tight") / 1e3),
            2,
        ),
        ("liao2021_regret", "ends near {};", (liao.last().max(),), 1),
        (
            "zhou2022_regularisers",
            "all between {} and {},",
            outwards,
            2,
        ),
        (
            "zhou2022_river",
            "bends to {} at",
            (end["regret"].iloc[-1] / end["episodes"].iloc[-1] / river_lines("uniform"),),
            2,
        ),
        (
            "zhou2022_nonvacuous",
            "between {} times 10^4 and {} times 10^8",
            (min(speaks) / 1e4, max(speaks) / 1e8),
            1,
        ),
        ("vietri2020_counters", "from {} to {} counts", (noise.iloc[0], noise.min()), 2),
        (
            "vietri2020_counters",
            "from {} million to {} million",
            (users.max() / 1e6, users.min() / 1e6),
            2,
        ),
        ("successors_regret", "about {} users", (blt["burn_in"].item(),), 2),
        ("successors_regret", "at some {} times 10^4", (blt["burn_in"].item() / 1e4,), 1),
        ("successors_regret", "at some {} times 10^7", (local / 1e7,), 1),
        ("successors_regret", "bends at about {}.", (ucbvi,), 1),
    ]


def joined(text: str) -> str:
    """Thousands without their commas."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def spelled(text: str, values: float | tuple[float, ...], digits: int) -> str:
    """The words with their numbers."""
    every = values if isinstance(values, tuple) else (values,)
    return text.format(*(style.number(value, digits) for value in every))


@cache
def every_reading() -> tuple[tuple[str, str, float | tuple[float, ...], int], ...]:
    """What is said and what is read off."""
    return *said(), *read_off()
