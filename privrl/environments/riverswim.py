"""RiverSwim: six (or S) states along a river, a crumb upstream, the prize against the current."""

import numpy as np

from privrl.checks import count, flag
from privrl.types import FloatArray, TabularMDP

LEFT, RIGHT = 0, 1


def riverswim(
    states: int,
    horizon: int | None = None,
    *,
    inhomogeneous: bool = False,
    relabelled: bool = False,
    normalised: bool = False,
    bernoulli: bool = False,
    seed: int = 0,
) -> TabularMDP:
    """The RiverSwim benchmark for any S and H, with the variants that the papers and the checks
    need.

    **Kernel.** Swimming left (action 0) always succeeds. Swimming right (action 1) does

    =========  ==========  =====  ===========
    state      swept left  stays  moves right
    =========  ==========  =====  ===========
    leftmost               0.4    0.6
    interior   0.05        0.6    0.35
    rightmost  0.4         0.6
    =========  ==========  =====  ===========

    These are the numbers of the episodic benchmark of Osband, Russo and Van Roy (2013; S = 6, H =
    20), as the code that Osband published (TabulaRL) has them, and as later work took them over.
    Strehl and Littman (2008), who made the river, have 0.7 and 0.3 at the ends, 0.1, 0.6 and 0.3
    between, and rewards 5 and 10000. liao2021 gives its kernel as a drawing (Figure 1) whose labels
    are not in the text that we read, so this kernel is our choice for it. The episode starts
    leftmost.

    **Rewards.** 5/1000 for left in the leftmost state, 1 for right in the rightmost, 0 elsewhere:
    the benchmark's, and liao2021's (section 6.1) before its division by H, which is ``normalised``.
    They are paid as they stand and not tossed for, because both sources have fixed numbers;
    ``bernoulli`` makes coins of them, for a check that wants random rewards with the same means.

    **inhomogeneous** (liao2021, section 6.1): for each step p_h is drawn from U(0.8, 1). The text
    does not say what p_h multiplies. Here it is the stroke to the right: with probability p_h it
    goes as in the table, otherwise the current wins and the swimmer goes left. That keeps every row
    a distribution at both ends, makes each step a mixture of the homogeneous kernels of right and
    left with weights p_h and 1 - p_h, and tends to the homogeneous river as p_h tends to 1. To read
    p_h as the probability of moving right itself would make the river easy, against the stated
    purpose.

    **relabelled**: for each (h, s) a fair coin decides whether its two actions trade places. An
    agent that has learnt nothing and happens to prefer action 1 then no longer looks optimal. The
    coins may agree wherever it matters: at S = H = 3 one path of three cells reaches the prize, so
    a quarter of the seeds leave a constant action good (4 is the first; 0, the default, is not
    one).

    Parameters
    ----------
    states : S >= 2
    horizon : H >= 1, ``states`` by default (liao2021 has H = 2 S)
    seed : >= 0, of the p_h and of the coins, in separate streams: each variant draws the same with
        or without the other

    >>> riverswim(6, 20, relabelled=True).name
    'riverswim-6-h20-relabelled'
    """
    states = count("states", states, 2)
    horizon = states if horizon is None else count("horizon", horizon)
    seed = count("seed", seed, 0)
    inhomogeneous, relabelled = flag("inhomogeneous", inhomogeneous), flag("relabelled", relabelled)
    normalised, bernoulli = flag("normalised", normalised), flag("bernoulli", bernoulli)
    river, labels = np.random.SeedSequence(seed).spawn(2)

    transitions = np.tile(_kernel(states), (horizon, 1, 1, 1))
    if inhomogeneous:
        strength = np.random.default_rng(river).uniform(0.8, 1.0, size=(horizon, 1, 1))
        transitions[:, :, RIGHT] = (
            strength * transitions[:, :, RIGHT] + (1 - strength) * transitions[:, :, LEFT]
        )
    rewards = np.zeros((horizon, states, 2))
    share = horizon if normalised else 1
    rewards[:, 0, LEFT] = 5 / 1000 / share
    rewards[:, -1, RIGHT] = 1 / share
    if relabelled:
        swapped = np.random.default_rng(labels).random((horizon, states)) < 0.5
        transitions[swapped] = transitions[swapped][:, ::-1]
        rewards[swapped] = rewards[swapped][:, ::-1]

    drawn = inhomogeneous or relabelled
    parts = (
        f"riverswim-{states}",
        f"h{horizon}" if horizon != states else "",
        "inhomogeneous" if inhomogeneous else "",
        "relabelled" if relabelled else "",
        "normalised" if normalised else "",
        "coins" if bernoulli else "",
        f"seed{seed}" if drawn and seed else "",
    )
    return TabularMDP(
        "-".join(piece for piece in parts if piece),
        transitions,
        rewards,
        np.eye(states)[0],
        bernoulli,
    )


def _kernel(states: int) -> FloatArray:
    """The homogeneous kernel (S, A, S) of the table above."""
    kernel = np.zeros((states, 2, states))
    for state in range(states):
        kernel[state, LEFT, max(state - 1, 0)] = 1.0
    for state in range(1, states - 1):
        kernel[state, RIGHT, state - 1 : state + 2] = 0.05, 0.6, 0.35
    kernel[0, RIGHT, :2] = 0.4, 0.6
    kernel[-1, RIGHT, -2:] = 0.4, 0.6
    return kernel
