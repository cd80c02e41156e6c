r"""What one comparison tells: a weighted sum of independent Laplace noises against a threshold
(see proofs.md).

With distinct |a_i| > 0, unit scale and u >= 0, P(sum of a_i X_i > u) = (1/2) sum of w_i
e^(-u/|a_i|), where w_i is the product over j != i of a_i^2/(a_i^2 - a_j^2). Moved by a delta the
sum passes u as the old one passes u - a.delta.
"""

from collections.abc import Sequence

import mpmath as mp
import numpy as np

from theory.lemmas.tree import sum_tail


def tail(weights: Sequence[float], beyond: float) -> mp.mpf:
    """P(sum of a_i X_i > u) for distinct sizes of a and u >= 0, 60 digits."""
    with mp.workdps(60):
        sizes = [abs(mp.mpf(weight)) for weight in weights]
        total = mp.mpf(0)
        for i, size in enumerate(sizes):
            factor = mp.mpf(1)
            for j, size_j in enumerate(sizes):
                factor *= size**2 / (size**2 - size_j**2) if j != i else 1
            total += factor * mp.exp(-mp.mpf(beyond) / size)
        return total / 2


def loss(weights: Sequence[float], moved: Sequence[float], beyond: float) -> float:
    """ln of the probabilities' ratio when the noises are moved, for a.delta <= u."""
    shift = sum(weight * move for weight, move in zip(weights, moved, strict=True))
    with mp.workdps(60):
        return float(mp.log(tail(weights, beyond - shift) / tail(weights, beyond)))


CASES = (
    ((1.0,), (1.0,)),
    ((1.0, 0.5), (1.0, 1.0)),
    ((1.0, -0.3, 0.7), (1.0, 1.0, 1.0)),
    ((0.2, 2.0, -1.5, 0.9), (1.0, -1.0, 1.0, 0.5)),
)


def tends(largest: bool = True, beyond: float = 400.0) -> bool:
    """Whether the loss far out is a.delta/max |a|; without ``largest`` a mutant, over the sum of
    |a|."""
    for weights, moved in CASES:
        shift = sum(weight * move for weight, move in zip(weights, moved, strict=True))
        sizes = [abs(weight) for weight in weights]
        limit = shift / (max(sizes) if largest else sum(sizes))
        if abs(loss(weights, moved, beyond * max(sizes)) - limit) > 1e-9:
            return False
    # k equal weights: e^(-u) p(u), p of degree k - 1, so the loss differs from the limit by at
    # most k/u
    for noises in (2, 5, 12):
        p = [float(value) for value in reversed(sum_tail(noises))]
        far = 1e4
        ratio = np.log(np.polyval(p, far - 3) / np.polyval(p, far)) + 3
        if abs(ratio - 3) > 3 * noises / far:
            return False
    return True


def sampled(weights: Sequence[float], beyond: float, points: int = 200_000) -> float:
    """The tail by drawing, for moderate u: a second road to the closed form."""
    noise = np.random.default_rng(11).laplace(size=(points, len(weights)))
    return float((noise @ np.asarray(weights) > beyond).mean())
