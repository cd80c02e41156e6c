"""What Private-LinOpt's printed noise buys over the whole (epsilon, delta) range
(zhou2022/theorem-6.4)."""

import numpy as np

from figures.kinds import privacy as maps
from figures.kinds.privacy import Panel
from theory import derive_noise

MESSAGE = "For all counters together the printed noise is more than enough until ε is large"
CAPTION = """Exact privacy of the 4H tree counters of Private-LinOpt-VI and -PO with the printed
noise, at H = 10, with m = ceil(log2 K) levels; the number of episodes K and the dimensions cancel.
Maps: the smallest noise that gives the claim over the printed noise, blue where the printed one is
more than enough, red where it is too small; solid line where it is exactly enough, dashed where the
real epsilon is twice the claimed one. All counters together are held against (epsilon, delta), one
counter of rewards against its share (epsilon/4H, delta/4H); a user is replaced, as in the paper, or
taken out. The theorem says O(epsilon, delta); the maps read the constant 1. Below, for all counters
together and one user replaced: the exact curve at the claim (1, 1e-6), and the given epsilon by
three conversions."""
ALT = """Four maps over epsilon from 0.01 to 100000 and delta from 1e-15 to 0.3, with a black
boundary. All counters: blue up to it, red beyond; at delta 1e-6 it lies at epsilon 1850 when a user
is replaced, at 4390 when one is taken out. One counter of rewards, replaced: pale red almost
everywhere, private only at large delta and small epsilon; taken out: private up to epsilon 350.
Below, the printed noise's curve lies far below the claimed point, and the three conversions run
between 0.07 and 0.2 and cross 1 at epsilon 1850."""
HORIZON = 10
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.01, 1e5, 36))


def panels(horizon: int = HORIZON) -> dict[str, Panel]:
    """The four maps, by name; phi r of one step changes by 2 under replacement and by 1 when a user
    is taken out."""
    joint = [
        derive_noise.mixture_weight(horizon, replace=replace, rewards=True)
        for replace in (True, False)
    ]
    all_in, all_out, one_in, one_out = (
        maps.noise_of(derive_noise.zhou2022_shape(weight, horizon)) for weight in (*joint, 4.0, 1.0)
    )
    parts = 4.0 * horizon
    return {
        "joint, replaced": Panel(all_in, f"all {4 * horizon} counters, user replaced"),
        "joint, taken out": Panel(all_out, f"all {4 * horizon} counters, user taken out"),
        "rewards, replaced": Panel(one_in, "one reward counter, replaced", parts),
        "rewards, taken out": Panel(one_out, "one reward counter, taken out", parts),
    }


tables, draw = maps.figure(panels, EPSILONS)
