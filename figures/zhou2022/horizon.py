"""From how many users on theorem 6.5 says anything, joint and local, and from how many on the agents were seen to
learn."""

from math import inf, log, log1p, sqrt

import numpy as np

from figures import style
from figures.kinds.lines import Figure, draw_line, draw_marks, legend_below, single
from figures.kinds.tables import TABLES, Path, Tables, frame
from figures.zhou2022.learning import tables_of
from figures.zhou2022.local import long_runs as local_runs
from figures.zhou2022.regret import below_trivial, constants, long_runs, sizes
from privrl.types import require

EPSILONS = tuple(float(f"{10 ** (power / 2):.6g}") for power in range(-2, 7))
COUNTERS = ("tree", "local")
CALIBRATIONS = ("printed", "tight")
CAPTION = """Lines: the smallest number of episodes K from which on the regret bound of value iteration on mixture-2 is
below the trivial H K: theorem 6.5's sum as displayed (printed) and the proved sum for tight constants, for trees and
for the local variant. Thin lines: the closed form of the printed horizon from the noise alone, K = c^2 for trees and
c_1^4 for the local variant, where c H sqrt(K) is the noise's part of the bound and c_1 the same for one noise term:
proportional to 1/epsilon and to 1/epsilon^2. Marks: burn-in of the runs behind zhou2022_regret and zhou2022_local, down
to the lower end of its 95 % interval; an open triangle (printed large, tight small) where 10^6 episodes did not reach
it."""
ALT = """Log-log plot of episodes against epsilon. Four falling lines, the two of the tree with slope minus one, the two
local ones with slope minus two and higher by five to six orders of magnitude at epsilon 1, printed above tight. The
marks of the burn-in lie one to six orders of magnitude below their lines."""


def closed_form(epsilon: float, counter: str) -> float:
    """Where the noise parts of T1 and T2 alone, printed constants, are H K; a fixed point, as logarithms depend on K.

    T1 = 2 beta_p sqrt(KH) sqrt(2 H d1 kappa_p), of which the noise makes beta_p = sqrt(d1 lambda_max) + nu, and T2 is
    H times the same for the rewards. Together they are c H sqrt(K), c proportional to the fourth root of the number n
    of noise terms: so K = c^2 for a tree (n = log2 K) and K = c_1^4 for local noise (n = K - 1), c_1 at n = 1.
    """
    require(counter in COUNTERS, "counter must be tree or local", counter=counter)
    _, _, H = sizes()
    found = 1e6
    for _ in range(200):
        made = constants(max(2, round(found)), epsilon, counter)
        kappa = log1p(made.episodes * (made.phi * H) ** 2 / (made.dim_p * made.p.low))
        kappa_r = log1p(made.episodes / (made.dim_r * made.r.low))
        c = 2 * sqrt(2 * made.dim_p * kappa) * (made.theta_p * sqrt(made.p.high) + made.p.nu)
        c += 2 * H * sqrt(2 * made.dim_r * kappa_r) * (made.theta_r * sqrt(made.r.high) + made.r.nu)
        following = c**2 if counter == "tree" else (c / made.p.summed**0.25) ** 4
        if abs(log(following / found)) < 1e-9:
            break
        found = following
    return found


def tables(folder: Path = TABLES) -> Tables:
    """``vacuity``: horizons by counter, calibration and epsilon; ``closed``; ``burn_in`` of the runs."""
    lines = [(counter, calibration, epsilon, below_trivial(epsilon, calibration, "linopt-vi", counter))
             for counter in COUNTERS for calibration in CALIBRATIONS for epsilon in EPSILONS]
    closed = [(counter, epsilon, closed_form(epsilon, counter)) for counter in COUNTERS for epsilon in EPSILONS]
    found = tuple(run for run in long_runs(folder) if run.epsilon < inf) + local_runs(folder)
    made = tables_of(found)["burn_in"]
    return {"vacuity": frame(lines, "counter calibration epsilon episodes"),
            "closed": frame(closed, "counter epsilon episodes"),
            "burn_in": made[(made["window"] == "growing") & made["calibration"].isin(CALIBRATIONS)]}


def draw(tables: Tables) -> Figure:
    figure, axes = single(4.0)
    for counter, dash in (("tree", "-"), ("local", (0, (4, 1.5)))):
        for calibration in CALIBRATIONS:
            rows = tables["vacuity"].query("counter == @counter and calibration == @calibration")
            draw_line(axes, rows, "epsilon", "episodes", style.COLOURS[calibration], dash,
                      f"bound below H K: {counter}, {calibration}")
        rows = tables["closed"].query("counter == @counter")
        draw_line(axes, rows, "epsilon", "episodes", style.COLOURS["other"], dash, f"closed form, {counter}",
                  linewidth=0.8)
    beyond = 10**6
    for place, (agent, counter) in enumerate((a, c) for a in ("linopt-vi", "linopt-po") for c in COUNTERS):
        shape = {"tree": "o", "local": "s"}[counter]
        for calibration in CALIBRATIONS:
            rows = tables["burn_in"].query("agent == @agent and counter == @counter and calibration == @calibration")
            at = rows["epsilon"] * (0.85 + 0.1 * place)
            colour = style.COLOURS[calibration]
            face = colour if agent == "linopt-vi" else "white"
            seen = np.isfinite(rows["burn_in"])
            label = f"burn-in, {'VI' if agent == 'linopt-vi' else 'PO'}, {counter}"
            draw_marks(axes, at[seen], rows[seen], "burn_in", colour, "earliest", "burn_in", fmt=shape, markersize=4,
                       markerfacecolor=face, elinewidth=0.8, label=label if calibration == "printed" else None)
            # both calibrations may stand at one place: the smaller mark lies inside the larger one
            axes.plot(at[~seen], np.full(int((~seen).sum()), beyond), "^", color=colour, markerfacecolor="white",
                      markersize=8 if calibration == "printed" else 4)
    axes.set(xscale="log", yscale="log", xlabel="ε", ylabel="number of episodes (users)", xlim=(0.08, 1300))
    return legend_below(figure, axes, 2)
