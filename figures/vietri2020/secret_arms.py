"""Users that an agent with secret arms needs to find the best arm, beside what private policies
need: simulated, over the number of arms."""

from math import log

import numpy as np

from figures import style
from figures.kinds.lines import Figure
from figures.kinds.tables import TABLES, Path, Tables, frame, where
from theory.lemmas.coupling import error_divergence
from theory.lemmas.secret_arms import sampled_successes, weight
from theory.rigor.sampling import clopper_pearson

ID = "vietri2020_secret_arms"
MESSAGE = "At small ε many secret arms need fewer users than private policies"
CAPTION = """At small epsilon many secret arms need fewer users than private policies: from 16 arms
on at epsilon = 0.001, from 32 on at 0.01. At 0.1 they do not, as telling so many arms apart takes
more users than privacy does. The hard bandits of theorem 5 (one first state, H = 1, gap 1/2): arm 0
has mean 3/4, one other arm perhaps 1, all others 1/2. Points: users after which a simulated agent
with secret arms, which is epsilon-JDP, commits to the best arm with probability 0.9 (1000 runs on
each kind of instance, Clopper-Pearson at error 10^-9, in steps of a tenth). Lines: pulls that
agents whose policies together are epsilon-private need (lemma 8 as corrected). Dashed: the last
line of theorem 5's proof, with its constant 1/336, at alpha = 1/28; no point is below it. The agent
was simulated on these instances only; that it is epsilon-JDP is proved."""
ALT = """Three log-log panels, at epsilon 0.001, 0.01 and 0.1, users over 4 to 64 arms. The points
of the agent with secret arms start above the line of private policies. At epsilon 0.001 they hardly
rise and are below it from 16 arms on, at 0.01 they bend upwards and are below it from 32 arms on,
at 0.1 they stay above and run parallel to it. A dashed line lies parallel to that of private
policies, 471 times lower, below all points."""
EPSILONS = (0.001, 0.01, 0.1)
ARMS = (4, 8, 16, 32, 64)
GAP, BETA = 0.5, 0.1  # alpha', and the failure probability
ALPHA = GAP / 14  # the alpha at which the paper uses this gap
RUNS, STEP = 1000, 1.1


def succeeds(arms: int, epsilon: float, users: int) -> bool:
    """Whether the agent is right with probability 1 - beta on both kinds of instance, as far as
    runs can tell."""
    second = np.full(arms, 0.5)
    second[0] = 0.5 + GAP / 2
    third = second.copy()
    third[1] = 0.5 + GAP
    generator, x = np.random.default_rng([arms, users]), weight(arms, epsilon)
    return all(
        clopper_pearson(sampled_successes(means, best, users, x, RUNS, generator), RUNS)[0]
        > 1 - BETA
        for best, means in enumerate((second, third))
    )


def enough(arms: int, epsilon: float) -> int:
    """Users that were seen to be enough, while a tenth fewer were not."""
    step = round(log(max(50 / epsilon, 150 * arms)) / log(STEP))
    while succeeds(arms, epsilon, round(STEP**step)):
        step -= 1
    while not succeeds(arms, epsilon, round(STEP**step)):
        step += 1
    return round(STEP**step)


def private_policies(arms: int, epsilon: float) -> float:
    """(A - 1) kl(1 - beta, beta)/(epsilon alpha'): lemma 8 as corrected."""
    return (arms - 1) * error_divergence(BETA) / (epsilon * GAP)


def printed(arms: int, epsilon: float) -> float:
    """H S (A - 1)/(336 epsilon alpha) ln(7/(4 + 24 beta)), S = H = 1."""
    return (arms - 1) / (336 * epsilon * ALPHA) * log(7 / (4 + 24 * BETA))


def tables(folder: Path = TABLES) -> Tables:
    """``users``: by epsilon and number of arms, what was enough, and the two lower bounds."""
    return {
        "users": frame(
            [
                (
                    epsilon,
                    arms,
                    enough(arms, epsilon),
                    private_policies(arms, epsilon),
                    printed(arms, epsilon),
                )
                for epsilon in EPSILONS
                for arms in ARMS
            ],
            "epsilon arms enough private printed",
        )
    }


def draw(tables: Tables) -> Figure:
    figure, (panels,) = style.figure(2.9, 1, len(EPSILONS))
    for axes, epsilon in zip(panels, EPSILONS, strict=True):
        rows = where(tables["users"], epsilon=epsilon)
        axes.plot(
            rows["arms"],
            rows["private"],
            color=style.COLOURS["base"],
            label="private policies need",
        )
        axes.plot(
            rows["arms"],
            rows["enough"],
            "o",
            color=style.COLOURS["tight"],
            label="enough for secret arms (simulated)",
        )
        axes.plot(
            rows["arms"],
            rows["printed"],
            color=style.GREY,
            linestyle=style.LINES["bound"],
            label="last line of theorem 5's proof",
        )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="arms A",
            ylabel="users" if epsilon == EPSILONS[0] else "",
            xticks=ARMS,
            xticklabels=[str(arms) for arms in ARMS],
        )
        axes.minorticks_off()
        axes.set_title(f"ε = {epsilon:g}")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
