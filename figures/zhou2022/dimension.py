"""How the private term grows with d under both norm assumptions (zhou2022/remark-6.6), with
explicit constants."""

from math import log, log1p, sqrt

from figures import style
from figures.kinds.lines import Figure, draw_line, legend_below, single
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from theory.papers.zhou2022 import bounds

HORIZON, EPISODES, EPSILON, DELTA, ALPHA = 10, 10**40, 1.0, 1e-6, 0.1
DIMENSIONS = tuple(2**power for power in range(1, 15))
BOUND_OFFSETS = {
    "transitions, sqrt(d) H": (
        1.75,
        "transitions, $\\|\\phi_V\\| \\leq \\sqrt{d}H$ (assumption 1)",
    ),
    "transitions, H": (1.25, "transitions, $\\|\\phi_V\\| \\leq H$ (remark 6.6)"),
    "transitions, H, theta": (0.75, "the same, and $\\|\\theta_p\\| \\leq 1$"),
    "rewards": (1.25, "rewards"),
}
MESSAGE = "Theorem 6.5's power of the dimension comes from its norm assumption"
CAPTION = """Theorem 6.5's power of the dimension comes from its norm assumption: 7/4, or 5/4 and
3/4 under others. The private part of the sum behind theorem 6.5, 2 H sqrt(2 K d kappa) (||theta||
sqrt(lambda_max) + nu), with its logarithms, over d = d_1 = d_2 (H = 10, K = 10^40, so that no
logarithm saturates, epsilon = 1, delta = 10^-6, alpha =
0.1, printed noise). In the legend: the exponent of the powers alone, and in brackets the slope
between the two largest d. Uppermost: d^{7/4} as stated; d^{5/4} with the norm assumption of the
works that the remark cites; d^{3/4} where the parameters are on a simplex. The rewards have d^{5/4}
under either and a power of H less."""
ALT = """Log-log plot of the private part against the dimension from 2 to 16384: four nearly
straight rising lines with slopes near 1.75, 1.25, 0.75 and 1.25; the one of the rewards lies lowest
at first."""


def private_part(dimension: int, kind: str) -> float:
    """The part of T1 (or of T2 as repaired, without its factor H) that the noise makes, as in the
    caption."""
    size = None if kind == "transitions, sqrt(d) H" else 1.0
    theta = 1.0 if kind == "transitions, H, theta" else None
    constants = bounds.constants(
        dimension, dimension, HORIZON, EPISODES, EPSILON, DELTA, ALPHA, phi=size, theta_p=theta
    )
    sizes, long = (
        (constants.r, constants.theta_r) if kind == "rewards" else (constants.p, constants.theta_p)
    )
    growth = (
        EPISODES
        / (dimension * sizes.low)
        * (1 if kind == "rewards" else (constants.phi * HORIZON) ** 2)
    )
    return (
        2
        * HORIZON
        * sqrt(2 * EPISODES * dimension * log1p(growth))
        * (long * sqrt(sizes.high) + sizes.nu)
    )


def tables(folder: Path = TABLES) -> Tables:
    parts = [(kind, d, private_part(d, kind)) for kind in BOUND_OFFSETS for d in DIMENSIONS]
    last, before = DIMENSIONS[-1], DIMENSIONS[-2]
    slopes = [
        (
            kind,
            exponent,
            log(private_part(last, kind) / private_part(before, kind)) / log(last / before),
        )
        for kind, (exponent, _) in BOUND_OFFSETS.items()
    ]
    return {
        "parts": frame(parts, "kind dimension private"),
        "slopes": frame(slopes, "kind exponent slope"),
    }


def draw(tables: Tables) -> Figure:
    figure, axes = single(3.4)
    looks = (
        ("bound", "-"),
        ("printed", (0, (5, 1.5))),
        ("tight", (0, (2, 1))),
        ("corrected", "-."),
    )
    for row, (colour, dash) in zip(tables["slopes"].itertuples(), looks, strict=True):
        draw_line(
            axes,
            where(tables["parts"], kind=row.kind),
            "dimension",
            "private",
            style.COLOURS[colour],
            dash,
            f"{BOUND_OFFSETS[str(row.kind)][1]}: {row.exponent:g} ({style.number(row.slope)})",
        )
    axes.set(xscale="log", yscale="log", xlabel="d", ylabel="private part of the bound")
    return legend_below(figure, axes, 1)
