"""The comparisons of remarks 6.7 and 6.8, recomputed from their formulas and with explicit
constants beside them."""

from math import log, sqrt

from figures import style
from figures.kinds.lines import Figure, draw_lines
from figures.kinds.tables import TABLES, Path, Tables, frame
from theory.papers.vietri2020.bounds import proved
from theory.papers.zhou2022 import bounds

D, H, A, DELTA, ALPHA = 10, 10, 4, 1e-6, 0.025
EPISODES = 10**10
EPSILONS = tuple(float(f"{10 ** (power / 4):.6g}") for power in range(-4, 17))
STATES, ACTIONS, STEPS = (2, 4, 8, 16, 32, 64, 128), 2, 3
USERS = 10**12
MESSAGE = "The comparisons drop a term: for large ε privacy would cost less than nothing"
CAPTION = """The paper's comparisons drop a term: for large epsilon its private bound falls below
the non-private one, which it cannot. Left, remark 6.7 (d = H = 10, A = 4, delta = 10^-6): the
formulas compared, over d sqrt(H^3 T), UCRL-VTR's, so that T drops out; without the term free of
epsilon that theorem 6.5 has (dotted: the whole), they cross at epsilon = d^{3/2} H
sqrt(ln(H/delta)). Right, remark 6.8 (A = 2, H = 3, epsilon = 1, K = 10^12): PUCB's formula, and the
private one at a tabular MDP's d = S^2 A; dashed, with explicit constants, over H K: through this
reduction the bound grows like S^{7/2} where PUCB's grows like sqrt(S), until S^2 A H^3/epsilon
takes over."""
ALT = """Two log-log panels. Left: against epsilon, constants for UCRL-VTR and OPPO near 1, and two
falling lines of slope minus one half for the private formulas, which cross 1 near epsilon 1300.
Right: against the number of states, the reduction's formula rises with slope 3.5 far above PUCB's,
which rises with slope one half."""


def remark_67(epsilon: float) -> dict[str, float]:
    """The four formulas over d sqrt(H^3 T), logarithms of T left out as in the remark; and theorem
    6.5's two terms."""
    private = D**0.75 * sqrt(H) * log(H / DELTA) ** 0.25 / sqrt(epsilon)
    mirror = sqrt(log(A)) / D
    return {
        "UCRL-VTR": 1.0,
        "OPPO": 1.0 + mirror,
        "Private-LinOpt-VI": private,
        "Private-LinOpt-PO": private + mirror,
        "theorem 6.5, VI": 1.0 + private,
    }


def crossing() -> float:
    """epsilon above which the remark's private formula is below the base's: d^{3/2} H
    sqrt(ln(H/delta))."""
    return float(D**1.5 * H * sqrt(log(H / DELTA)))


def explicit(epsilon: float) -> dict[str, float]:
    """The sums with explicit constants at K = 10^10, over that of value iteration without noise."""
    base = bounds.displayed_terms(
        bounds.constants(D, D, H, EPISODES, 1.0, DELTA, ALPHA, "printed", "none")
    ).total
    constants = bounds.constants(D, D, H, EPISODES, epsilon, DELTA, ALPHA)
    return {
        "Private-LinOpt-VI": bounds.displayed_terms(constants).total / base,
        "Private-LinOpt-PO": bounds.displayed_terms(constants, A).total / base,
    }


def remark_68(states: int) -> dict[str, float]:
    """Formulas and explicit bounds of a tabular MDP over T H, the trivial bound: PUCB's and the
    reduction's."""
    T, dimension = USERS, states**2 * ACTIONS
    trivial = float(STEPS * T)
    steps = STEPS * T
    pucb = sqrt(states * ACTIONS * STEPS**3 * steps) + states**2 * ACTIONS * STEPS**3
    private = dimension**1.75 * sqrt(steps * STEPS**4) * log(STEPS / DELTA) ** 0.25
    constants = bounds.constants(
        dimension,
        states * ACTIONS,
        STEPS,
        T,
        1.0,
        DELTA,
        ALPHA,
        phi=sqrt(states),
        theta_p=sqrt(states * ACTIONS),
        theta_r=sqrt(states * ACTIONS),
    )
    return {
        "PUCB": pucb / trivial,
        "reduction": private / trivial,
        "PUCB, explicit": proved.regret_bound(states, ACTIONS, STEPS, T, 1.0, 4 * ALPHA) / trivial,
        "reduction, explicit": bounds.displayed_terms(constants).total / trivial,
    }


def tables(folder: Path = TABLES) -> Tables:
    first = [
        (name, epsilon, value) for epsilon in EPSILONS for name, value in remark_67(epsilon).items()
    ]
    second = [
        (name, states, value) for states in STATES for name, value in remark_68(states).items()
    ]
    third = [
        (name, epsilon, value)
        for epsilon in (0.1, 1.0, 10.0, 100.0)
        for name, value in explicit(epsilon).items()
    ]
    return {
        "remark_67": frame(first, "algorithm epsilon over_base"),
        "remark_68": frame(second, "bound states over_trivial"),
        "explicit": frame(third, "algorithm epsilon over_base"),
    }


def draw(tables: Tables) -> Figure:
    figure, ((left_axes, right_axes),) = style.figure(3.5, 1, 2)
    dashed = (0, (5, 1.5))
    looks = {
        "UCRL-VTR": ("base", "-"),
        "OPPO": ("base", dashed),
        "Private-LinOpt-VI": ("printed", "-"),
        "Private-LinOpt-PO": ("corrected", dashed),
        "theorem 6.5, VI": ("printed", (0, (1, 1))),
    }
    draw_lines(
        left_axes,
        tables["remark_67"],
        "algorithm",
        "epsilon",
        "over_base",
        {name: (style.COLOURS[colour], dash, name) for name, (colour, dash) in looks.items()},
    )
    left_axes.axvline(crossing(), color=style.GREY, linewidth=0.8, linestyle=(0, (3, 2)))
    left_axes.set(
        xscale="log",
        yscale="log",
        xlabel="ε",
        ylabel=r"formula / $d\sqrt{H^3T}$",
        title="remark 6.7",
    )
    looks = {
        "PUCB": ("base", "-"),
        "reduction": ("printed", "-"),
        "PUCB, explicit": ("base", dashed),
        "reduction, explicit": ("printed", dashed),
    }
    draw_lines(
        right_axes,
        tables["remark_68"],
        "bound",
        "states",
        "over_trivial",
        {name: (style.COLOURS[colour], dash, name) for name, (colour, dash) in looks.items()},
    )
    right_axes.axhline(1, color=style.GREY, linewidth=0.8)
    right_axes.set(
        xscale="log", yscale="log", xlabel="S", ylabel="bound / (H K)", title="remark 6.8"
    )
    for axes, columns in ((left_axes, 2), (right_axes, 1)):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=columns, fontsize=7)
    return figure
