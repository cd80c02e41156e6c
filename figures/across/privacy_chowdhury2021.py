"""What Private-OFU-RL's printed noise buys over the whole (epsilon, delta) range
(chowdhury2021/theorem-2)."""

import numpy as np

from figures.kinds import privacy as maps
from figures.kinds.privacy import Panel
from theory import derive_noise

MESSAGE = "For both counters together the printed noise is enough until ε is large"
CAPTION = """Exact privacy of the two tree counters of Private-OFU-RL with the printed noise, at
gamma = 0.5; the number of episodes K, the horizon H and the dimensions cancel. Maps: the smallest
noise that gives the claim over the printed noise, blue where the printed one is more than enough,
red where it is too small; solid line where it is exactly enough, dashed where the real epsilon is
twice the claimed one. Both counters together are held against (epsilon, delta), the second counter
alone against its share (epsilon/2, delta/2); a user is replaced, as in the paper, or taken out. The
joint maps use the upper bound on one user's change, which explicit users with gains of size gamma
reach up to 0.2 %. Below, for both counters together and one user replaced: the exact curve at the
claim (1, 1e-6), and the given epsilon by three conversions."""
ALT = """Four maps over epsilon from 0.01 to 1000 and delta from 1e-15 to 0.3, with a black
boundary. Both counters: pale blue to the left of it, red to the right; at delta 1e-6 it lies at
epsilon 38 when a user is replaced, at 160 when one is taken out. The second counter alone,
replaced: pale red almost everywhere, private only at large delta and small epsilon; taken out:
private up to epsilon 71. Below, the printed noise's curve passes under the claimed point, and the
three conversions start between 0.39 and 0.73 and cross 1 near epsilon 28 to 37."""
GAMMA = 0.5
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.01, 1000, 31))


def panels(gamma: float = GAMMA) -> dict[str, Panel]:
    """The four maps, by name; the second counter changes by 2 sqrt(1 + gamma^2)/(1 + gamma) printed
    sensitivities."""
    weights = derive_noise.chowdhury2021_weights(gamma)
    second = weights.attained  # 4 kappa, all of it in the second counter
    most, out, replaced, removed = (
        maps.noise_of(derive_noise.chowdhury2021_shape(float(weight)))
        for weight in (weights.most, weights.add_remove, second, second / 4)
    )
    return {
        "joint, replaced": Panel(most, "both counters, user replaced"),
        "joint, taken out": Panel(out, "both counters, user taken out"),
        "second, replaced": Panel(replaced, "second counter, replaced", 2.0),
        "second, taken out": Panel(removed, "second counter, taken out", 2.0),
    }


tables, draw = maps.figure(panels, EPSILONS)
