"""What LDP-UCRL-VTR's printed noise buys over the whole (epsilon, delta) range
(liao2021/theorem-5.1)."""

import numpy as np

from figures.kinds import privacy as maps
from figures.kinds.privacy import Panel
from theory import derive_noise

MESSAGE = "For a whole message the printed noise is far more than enough unless ε is tiny"
CAPTION = """Exact local privacy of one user's message of LDP-UCRL-VTR with the printed noise,
epsilon inside the root, at H = 12; the number of users and the dimension cancel. Maps: the smallest
noise that gives the claim over the printed noise, blue where the printed one is more than enough,
red where it is too small; solid line where it is exactly enough, dashed where the real epsilon is
twice the claimed one. Values are taken to lie in [0, H - h], which line 6 of the algorithm does not
ensure; without that no noise suffices. First: features within (3.1), two users (the paper's
relation). Second: a message against none. Third: one-hot features of S = 6 states. Fourth: one of
the 2H releases, at the change 2H^2 that the paper states, against the share (epsilon/2H, delta/2H)
that its derivation gives it. Below, for the first map: the exact curve at the claim (1, 1e-6), and
the given epsilon by three conversions."""
ALT = """Four maps over epsilon from 0.0001 to 100 and delta from 1e-15 to 0.3, red at the left,
deep blue at the right. The boundary at delta 1e-15 lies at epsilon 0.0022 for features within
(3.1), at 0.0009 for a message against none, at
0.029 for one-hot features and at 0.73 for one release against its share; above some delta nothing
fails. Below, the printed noise's curve lies far below the claimed point; the conversions fall as
epsilon grows, the papers' one crosses 1 near epsilon 0.003, the exact one near 0.0006."""
HORIZON, STATES = 12, 6
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(1e-4, 100, 31))


def panels(horizon: int = HORIZON, states: int = STATES) -> dict[str, Panel]:
    """The four maps, by name; a change of 2H^2 is a squared length of 4 in units of H^4."""
    weights = (
        *(derive_noise.mixture_weight(horizon, replace=replace) for replace in (True, False)),
        derive_noise.mixture_weight(horizon, features="one-hot", states=states),
        4.0,
    )
    within, out, one_hot, unit_ball = (
        maps.noise_of(derive_noise.liao2021_shape(weight, horizon), 0.5) for weight in weights
    )
    return {
        "message, two users": Panel(within, "message, features within (3.1)"),
        "message, or none": Panel(out, "the same, message or none"),
        "message, one-hot": Panel(one_hot, f"message, one-hot, S = {states}"),
        "one release": Panel(unit_ball, "one release, its share", 2.0 * horizon),
    }


tables, draw = maps.figure(panels, EPSILONS)
