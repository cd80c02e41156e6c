"""N_k and L_k of real trees, every k, beside Lambda and the bound on ||L_k||_F (chowdhury2021,
Section IV-B)."""

from functools import cache

import numpy as np
import pandas as pd

from figures import style
from figures.chowdhury2021.regret import ALPHA, DELTA, DRAWN_CALIBRATIONS, environment
from figures.kinds.lines import Figure, legend_below
from figures.kinds.tables import TABLES, Path, Tables, frame
from privrl.agents.lq.private_ofu_rl import PrivateOFURL
from privrl.diagnose.lq import unpack
from privrl.types import FloatArray

EPSILON, PLANNED, RUNS, SEED = 1.0, 2**14, 20, 7
MESSAGE = "The printed bounds on the noise hold with room to spare"
CAPTION = """The printed bounds on the noise hold with room: the largest of 20 trees stays below a
third (left) and a half (right) of the displays, and reaches 0.59 and 0.96 of the tight bounds.
Scalar system, epsilon = 1, delta = 10^-6, K = 2^14, alpha = 0.1, printed noise; `corrected` and
`tight` differ in the norm bounds only. Left: the operator norm of N_k in the first release before
episode k of one tree (dots: every k to 64, 500 more and the two largest), and the largest of 20
trees (line), beside Lambda. Right: the same for ||L_k||_F. The norm follows the number of ones in k
- 1. Displays hold with probability 1 - alpha/2K at each k, the tight bounds at all k at once with 1
  - alpha/4."""
ALT = """Two panels against the episode on a log axis. Clouds of dots rise in steps and fall back at
each power of two. The largest of twenty trees reaches a quarter (left) and less than half (right)
of the printed and corrected bounds, which nearly coincide, and 0.6 and nearly all of the tight
one."""


@cache
def norms() -> tuple[FloatArray, FloatArray]:
    """||N_k|| and ||L_k||_F in units of sigma_1 and sigma_2, (RUNS, K - 1) for k = 2..K."""
    system, agent = environment(), PrivateOFURL(EPSILON, DELTA, ALPHA)
    gram, cross = np.empty((RUNS, PLANNED - 1)), np.empty((RUNS, PLANNED - 1))
    for index in range(RUNS):
        noise = agent.noise(system, PLANNED, np.random.default_rng((SEED, index))).block(
            PLANNED - 1
        )
        first, second = unpack(system, noise)
        gram[index] = np.abs(np.linalg.eigvalsh(first)).max(axis=1)
        cross[index] = np.linalg.norm(second, axis=(1, 2))
    return gram, cross


@cache
def allowed() -> pd.DataFrame:
    """Lambda/sigma_1 and the bound on ||L_k||_F/sigma_2 by calibration; each calibration's own
    noise cancels."""
    rows = []
    for name in DRAWN_CALIBRATIONS:
        calibration = PrivateOFURL(EPSILON, DELTA, ALPHA, calibration=name).calibrate(
            environment(), PLANNED
        )
        rows.append(
            (
                name,
                calibration.lambda_min / calibration.sigma_gram,
                calibration.nu * float(np.sqrt(calibration.lambda_min)) / calibration.sigma_cross,
            )
        )
    return frame(rows, "calibration gram cross")


def tables(folder: Path = TABLES) -> Tables:
    """``norms`` at some k, with the largest; ``bounds``; ``largest`` over all k and trees, and how
    often above."""
    gram, cross = norms()
    k = np.arange(2, PLANNED + 1)
    rng = np.random.default_rng(0)
    drawn = rng.choice(np.arange(63, PLANNED - 1), 500, replace=False)
    peaks = [int(values.max(axis=0).argmax()) for values in (gram, cross)]
    times = np.unique(np.concatenate((np.arange(63), drawn, peaks)))
    table = pd.DataFrame(
        {
            "episode": k[times],
            "ones": [int(index - 1).bit_count() for index in k[times]],
            "gram": gram[0, times],
            "gram_largest": gram.max(axis=0)[times],
            "cross": cross[0, times],
            "cross_largest": cross.max(axis=0)[times],
        }
    )
    rows = [
        (
            row.calibration,
            name,
            float(values.max()) / float(getattr(row, name)),
            int((values.max(axis=1) > getattr(row, name)).sum()),
        )
        for row in allowed().itertuples()
        for name, values in (("gram", gram), ("cross", cross))
    ]
    return {
        "norms": table,
        "bounds": allowed(),
        "largest": frame(rows, "calibration sum largest_over_bound trees_above"),
    }


def draw(tables: Tables) -> Figure:
    figure, grid = style.figure(3.3, 1, 2)
    rows = tables["norms"]
    labels = ("$\\|N_k\\|\\,/\\,\\sigma_1$", "$\\|L_k\\|_F\\,/\\,\\sigma_2$")
    for axes, name, label in zip(grid[0], ("gram", "cross"), labels, strict=True):
        axes.plot(
            rows["episode"],
            rows[name],
            ".",
            color=style.COLOURS["base"],
            markersize=2,
            label="one tree",
        )
        axes.plot(
            rows["episode"],
            rows[f"{name}_largest"],
            color=style.GREY,
            linewidth=0.6,
            label=f"largest of {RUNS} trees",
            zorder=1.6,
        )
        for row in tables["bounds"].itertuples():
            axes.axhline(
                getattr(row, name),
                color=style.COLOURS[str(row.calibration)],
                linestyle=style.LINES["bound"],
                label=f"bound, {row.calibration}",
            )
        axes.set(xscale="log", xlabel="episode k", ylabel=label, ylim=(0, None), xlim=(2, PLANNED))
    return legend_below(figure, grid[0, 0], 3)
