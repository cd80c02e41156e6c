# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # PUCB: private tabular reinforcement learning
#
# Vietri, Balle, Krishnamurthy and Wu (2020), *Private Reinforcement Learning with PAC and Regret Guarantees*.
#
# This notebook runs the paper's algorithm, PUCB, and holds what the paper says against what can be computed: the
# error and the privacy of its counters exactly, its regret exactly, its regret bound symbol by symbol. Every
# statement in the text is followed by the code that shows it, and the notebook ends in assertions. Verdicts on the
# numbered claims come from the ledger, which is run here; nothing below claims more than the ledger does.

# %%
# %matplotlib inline
from math import log
from textwrap import fill

import numpy as np
from IPython.display import Markdown, display

from figures import (
    style,
    vietri2020_counter_error,
    vietri2020_hard_mdp,
    vietri2020_horizon,
    vietri2020_learning,
    vietri2020_live,
    vietri2020_privacy,
    vietri2020_regret,
)
from figures.style import number
from privrl import PUCB, learning, planning, simulate, suite
from privrl.privacy import counters, quantiles, sensitivity
from privrl.types import Adjacency
from theory import bounds, ledger
from theory.lemmas import tree

style.use()


def show(figure):
    """Draw a figure, with its caption below, and return the data that were drawn."""
    data = style.rounded(figure.tables())
    display(figure.draw(data), Markdown(figure.CAPTION))
    return data


BASELINES = {
    "uniform": "uniform play",
    "constant": "best constant action",
    "trivial": "H T, which nothing exceeds",
}


def name_of(run):
    """What ran, in a word or three."""
    return "UBEV" if run.agent == "ubev" else f"PUCB {run.calibration}, epsilon {run.epsilon:g}"


# %% [markdown]
# ## 1. The paper in one page
#
# **Setting.** A tabular MDP with $S$ states, $A$ actions and episodes of $H$ steps; transitions depend on the step,
# rewards lie in $[0, 1]$. Each of $T$ episodes is another *user*, whose states and rewards are sensitive. Regret is
# the optimal value minus the value of the policy in force, summed over the episodes. We know the MDP, so it is
# computed, not estimated.
#
# **Privacy** (definition 3). Joint differential privacy: replace one user by any other, and the probability of
# whatever all *other* users and the final policy get to see changes by at most a factor $e^\varepsilon$. The
# billboard lemma reduces this to releasing the policies with ordinary $\varepsilon$-differential privacy.
#
# **Algorithm.** PUCB is the optimistic algorithm UBEV on noisy counts. For each $(s, a, h)$ it counts visits $\hat n$
# and sums rewards $\hat r$, for each $(s, a, s', h)$ it counts moves $\hat m$, and it reads each only through a
# *private counter* (the binary tree of algorithm 5), whose error is to stay below $E_\varepsilon$ everywhere and
# always. Where the noisy count is below $2E_\varepsilon$ it assumes the best, $H$; elsewhere it adds the bonus
# $(H+1)\tilde\phi + \tilde\psi$ to the estimate and plans backwards (algorithm 3).
#
# **Claims.** PUCB is $\varepsilon$-JDP (theorem 1), it is PAC (theorem 3), and its regret is, up to logarithms,
# $H^2\sqrt{SAT} + S^2AH^3/\varepsilon$ (theorem 4): privacy costs only in a lower order. Lower bounds (theorems 5 and
# 6) match it up to factors of $S$, $H$ and logarithms.
#
# The environment below is RiverSwim with three states and three steps, relabelled: a fixed coin decides for each step
# and state whether its two actions trade places, so that no agent looks good by preferring one action.

# %%
ENTRY = vietri2020_regret.ENTRY
mdp = suite.tabular(ENTRY)
S, A, H = mdp.states, mdp.actions, mdp.horizon
optimum = float(mdp.initial @ planning.optimal(mdp)[0][0])
uniform = planning.value(mdp, planning.uniform_policy(mdp))
action, constant = planning.best_constant_action(mdp)
print(f"S = {S}, A = {A}, H = {H}; PUCB keeps N = {bounds.counters(S, A, H)} counters")
print(
    f"value of an episode: optimal {number(optimum)}, uniform play {number(uniform)}, "
    f"best constant action {number(constant)}"
)
assert bounds.counters(S, A, H) == 2 * S * A * H + S * S * A * H
assert learning.tells(mdp) and not learning.tells(suite.tabular("vietri2020/riverswim-3"))

# %% [markdown]
# What PUCB derives from $\varepsilon$, $\beta$ and $T$ before the first episode comes in three calibrations.
# `printed` is the paper's; `corrected` has the noise that $\varepsilon$-JDP under replacement needs (section 3 below
# says why) and a width $E_\varepsilon$ that provably covers it; `tight` has the same noise and the smallest width
# that certified quantiles of the tree's noise allow, at the same failure probability.

# %%
planned = vietri2020_regret.PLANNED
made = {
    name: PUCB(epsilon=1.0, calibration=name).calibrate(mdp, planned)
    for name in vietri2020_regret.CALIBRATIONS
}
print(f"T = {number(planned)}, epsilon = 1, beta = 0.1")
for name, calibration in made.items():
    print(
        f"{name:>9}: Laplace scale of a node {number(calibration.scale):>4}, width E {number(calibration.e_epsilon)}"
    )
assert made["printed"].scale < made["corrected"].scale == made["tight"].scale
assert made["printed"].e_epsilon > made["corrected"].e_epsilon > made["tight"].e_epsilon

# %% [markdown]
# So the printed noise is too small for the claimed privacy, and at the same time the printed width is larger than it
# need be: even with the larger noise of the other two calibrations it could be a fraction of what is printed.

# %% [markdown]
# ## 2. The counter's error (theorem 12)
#
# Theorem 12 bounds the error of one counter, over all $T$ releases at once, by $\frac4\varepsilon \ln\frac1\beta
# \log(T)^{2.5}$ with probability $1-\beta$. Neither it nor algorithm 5, whose nodes carry Laplace noise of scale
# $\log(T)/\varepsilon$, gives the base of the logarithm; here are the natural one and base 2, each in the noise and
# in the bound. The law of the largest error is known exactly (the tree is a recursion), so nothing has to be sampled;
# the simulated points only confirm it.

# %%
error = show(vietri2020_counter_error)

# %%
at_tenth, over_beta = error["error"], error["ratio"]
for base, rows in at_tenth.groupby("base", sort=False):
    ratios = (rows["bound"] / rows["quantile"]).to_numpy()
    print(
        f"logarithm to base {base}: at beta = 0.1 the bound is {number(ratios[0])} times the true error at T = 2, "
        f"{number(ratios[-1])} times at T = 2^19"
    )
    seen = rows.dropna(subset=["simulated"])
    assert ((seen["low"] <= seen["quantile"]) & (seen["quantile"] <= seen["high"])).all()
small, near_one = over_beta[over_beta["beta"] <= 0.5], over_beta[over_beta["beta"] >= 0.99]
print(
    f"true error over bound: at most {number(small['ratio'].max())} for beta <= 1/2, "
    f"at least {number(near_one['ratio'].min())} for beta >= 0.99"
)
assert small["ratio"].max() < 1 < near_one["ratio"].min()
assert 0.1 / 4 / bounds.counters(S, A, H) < 0.5
# two roads to the same quantile: certified bounds on a grid, and panels of Gauss-Legendre nodes
assert all(
    0 <= quantiles.tree_quantile(0.1, R) / tree.quantile(0.1, R) - 1 < 2e-4 for R in (2, 16, 1024)
)

# %% [markdown]
# On what is drawn, the error bound holds for $\beta$ up to one half, and fails for $\beta$ near 1, where
# $\ln(1/\beta)$ vanishes and the noise does not. PUCB asks for a much smaller $\beta$ from each of its counters, so
# that this slip does not reach it. The other half of theorem 12, privacy, is another matter: the next section.

# %% [markdown]
# ## 3. The privacy of PUCB's counters, exactly
#
# Two quantities decide what the noisy counters give away.
#
# *How much one user moves the streams.* Claim 1 says by at most $H$ in total. Replacing a user removes the tuples of
# the old trajectory **and** adds those of the new one. The smallest example has two states and one step:

# %%
stay_in_first, stay_in_second = np.array([0, 0]), np.array([1, 1])
streams = [
    sensitivity.tabular_streams(states, [0], [1.0], (2, 1))
    for states in (stay_in_first, stay_in_second)
]
for name, old, new in zip(("visits n", "moves m", "rewards r"), *streams, strict=True):
    print(f"{name}: l1 change {np.abs(old - new).sum():.0f} (claim 1 allows H = 1)")
    assert np.abs(old - new).sum() == 2
assert (
    sensitivity.vietri2020("n", H).value == 2 * H
    and sensitivity.vietri2020("all", H).value == 6 * H
)

# %% [markdown]
# *How many nodes one user touches.* The tree releases $T-1$ sums (the policies $\pi_1, \dots, \pi_T$ are planned from
# the counts before their episodes), the first user's data enter $\lfloor\log_2(T-1)\rfloor + 1$ nodes, and each node
# can be recovered from the releases. Algorithm 5 divides by $\log T$ instead.
#
# Together the three families cost exactly $2\,(\lfloor\log_2(T-1)\rfloor + 1)/\log T$ times the claimed
# $\varepsilon$, whatever $H$ and $\varepsilon$, as soon as there are two states.

# %%
print("exact loss over claimed epsilon: natural log | base 2 | corrected")
for episodes in (2, 3, 5, 1024, 10**6, 10**8):
    scales = (
        3 * H * log(episodes),
        3 * H * log(episodes) / log(2),
        6 * H * counters.levels(episodes - 1),
    )
    losses = [vietri2020_privacy.loss(episodes, Adjacency.REPLACE, scale) for scale in scales]
    print(f"T = {episodes:>11,}: " + " | ".join(number(loss) for loss in losses))
    assert abs(losses[0] - 2 * counters.levels(episodes - 1) / log(episodes)) < 1e-9
    nodes = tree.touched(1, episodes - 1)  # of the first user
    assert len(nodes) == counters.levels(episodes - 1)
    assert losses[0] >= 2 / log(2) - 1e-9 and losses[1] >= 2 - 1e-9 and abs(losses[2] - 1) < 1e-9

# %%
privacy = show(vietri2020_privacy)["loss"]

# %%
worst = privacy[(privacy["adjacency"] == "replace") & (privacy["noise"] == "printed-e")]
row = worst.loc[worst["loss"].idxmax()]
low, high = number(worst["loss"].min()), number(row["loss"])
print(f"natural logarithm: between {low} and {high} times epsilon, most at T = {row['episodes']}")
assert worst["loss"].min() > 2 and (privacy.loc[privacy["noise"] == "corrected", "loss"] <= 1).all()

# %% [markdown]
# This refutes the sentence that ends the proof of theorem 1, that the noisy counters together are
# $\varepsilon$-differentially private. It does not refute theorem 1: users see only actions, and whether the actions
# alone give away more than $\varepsilon$ under the printed noise is open. With noise of scale
# $6H(\lfloor\log_2(T-1)\rfloor+1)/\varepsilon$ the proof goes through.

# %% [markdown]
# ## 4. Live: a hundred thousand episodes in seconds
#
# Baselines first: *uniform play* is what an agent that knows nothing does, and the *best constant action* needs no
# agent either. On the river as it is, always swimming right is nearly optimal; that is why nothing is concluded there
# about learning.

# %%
live = show(vietri2020_live)

# %%
for entry in vietri2020_live.ENTRIES:
    print(entry)
    for name, rate in vietri2020_live.without_agent(entry).items():
        print(f"  {BASELINES[name]:<28} {number(rate * vietri2020_live.EPISODES):>7}")
    runs = live["runs"][
        (live["runs"]["entry"] == entry) & (live["runs"]["episodes"] == vietri2020_live.EPISODES)
    ]
    for run in runs.itertuples():
        print(f"  {name_of(run):<28} {number(run.regret):>7}")
    blind = runs.loc[runs["epsilon"] == 1.0, "regret"].iloc[0]
    assert np.isclose(
        blind, vietri2020_live.without_agent(entry)["uniform"] * vietri2020_live.EPISODES, rtol=1e-5
    )
    assert runs.loc[runs["regret"].idxmin(), "agent"] == "ubev"
assert (live["bound"]["bound_over_trivial"] > 1).all()

# %% [markdown]
# At $\varepsilon = 1$ a hundred thousand users are not enough for PUCB as printed to notice anything: its regret is
# uniform play's. To see it learn, runs of $10^8$ episodes are needed. They are in a table, and its beginning is
# recomputed here: the number of *planned* episodes enters the noise and the bonuses, so the same agents planned for
# $10^8$ and stopped after $10^5$ must give the same numbers.

# %%
long_runs = vietri2020_regret.long_runs()
for plan, run in zip(vietri2020_regret.PLANS, long_runs, strict=True):
    short = simulate.run(
        plan.id, mdp, plan.made(), episodes=planned, stop_after=10**5, seed=plan.seed
    )
    marks = short.episodes.size
    assert (run.agent, run.calibration, run.epsilon) == (
        short.agent,
        short.calibration,
        short.epsilon,
    )
    assert (run.episodes[:marks] == short.episodes).all()
    assert [f"{value:.10g}" for value in run.regret[0, :marks]] == [
        f"{value:.10g}" for value in short.regret[0]
    ]
    print(f"{name_of(short):<28} {marks} checkpoints agree to ten digits")

# %% [markdown]
# ## 5. A hundred million episodes: when PUCB learns
#
# The long runs, four replicates each, against the sum behind theorem 4, the trivial bound $HT$, uniform play and the
# best constant action.

# %%
regret = show(vietri2020_regret)

# %%
print(f"regret after {number(planned)} episodes, mean of {vietri2020_regret.REPLICATES} replicates")
for name, rate in vietri2020_regret.references().items():
    print(f"  {BASELINES[name]:<28} {number(rate * planned):>8}")
for run in long_runs:
    print(f"  {name_of(run):<28} {number(run.regret[:, -1].mean()):>8}")
for epsilon in vietri2020_regret.EPSILONS:
    bound = vietri2020_regret.theorem_4(planned, epsilon)
    print(f"  {f'theorem 4, epsilon {epsilon:g}':<28} {number(bound):>8}")
    assert all(run.regret[:, -1].max() < bound for run in long_runs if run.epsilon == epsilon)

# %% [markdown]
# All runs lie below the bound, but that says little: at $10^8$ episodes uniform play does too, for each of these
# $\varepsilon$. What the runs do show is that the agent learns, and when. *Learns* means: over the last tenth of the
# run the regret per episode is at most half of uniform play's, interval included. *Burn-in* is the first episode from
# which that holds.

# %%
uniform_rate = vietri2020_regret.references()["uniform"]
assert all(
    vietri2020_regret.theorem_4(planned, epsilon) > uniform_rate * planned
    for epsilon in vietri2020_regret.EPSILONS
)
curves = show(vietri2020_learning)


# %%
def burn(run, growing):
    """Burn-in of a run in words, with the lower end of its interval."""
    found = learning.burn_in(run, mdp, growing=growing)
    if found.episode is None:
        return "not reached"
    return f"{number(found.episode)} (from {number(found.earliest)})"


print(f"{'burn-in by windows of':<28} {'a tenth of the run':<22} a tenth of what was played")
for run in long_runs:
    print(f"{name_of(run):<28} {burn(run, False):<22} {burn(run, True)}")
    assert learning.learns(run, mdp)

# %% [markdown]
# The definition uses windows of a tenth of the run; a burn-in shorter than such a window shows as 0 there, and the
# growing windows resolve it. (Both put the same requirement on the end of the run.) How many fewer users the other
# calibrations need:

# %%
first = {
    (run.calibration, run.epsilon): learning.burn_in(run, mdp, growing=True).episode
    for run in long_runs
    if run.agent == "pucb"
}
for epsilon in vietri2020_regret.EPSILONS:
    printed, corrected, tight = (first[name, epsilon] for name in vietri2020_regret.CALIBRATIONS)
    print(
        f"epsilon {epsilon:>3g}: printed {number(printed)}, corrected {number(printed / corrected)} times fewer, "
        f"tight {number(printed / tight)} times fewer"
    )
    assert tight <= corrected <= printed

# %% [markdown]
# `corrected` and `tight` add *more* noise than `printed`, enough for the privacy that is claimed, and still learn
# from fewer users: their widths $E_\varepsilon$ are smaller (section 1), and it is the width that decides when a
# count may be used and how large its bonus is.

# %% [markdown]
# ## 6. Where the regret bound says something
#
# Theorem 4 hides its constants, and so does the last display of its proof; the lines before it do not. Their sum, as
# printed and term by term, at $T = 10^8$:

# %%
for epsilon in vietri2020_regret.EPSILONS:
    terms = bounds.theorem_4_terms(S, A, H, planned, epsilon, 0.1)
    parts = ", ".join(f"{name} {number(value)}" for name, value in terms.as_dict().items())
    print(
        f"epsilon {epsilon:>3g}: {parts}; over H T: {number(terms.total / bounds.trivial_regret(H, planned))}"
    )
    assert (
        abs(terms.total - (terms.martingale + terms.sampling + terms.noise + terms.start))
        < 1e-6 * terms.total
    )

# %% [markdown]
# No agent can lose more than $HT$, so a bound above it is vacuous. The horizon at which the sum falls below $HT$:

# %%
horizon = show(vietri2020_horizon)

# %%
for size in vietri2020_horizon.SIZES:
    found = [bounds.vacuity_horizon(*size, epsilon, 0.1) for epsilon in (0.1, 1.0, 10.0, 100.0)]
    print(
        f"S, A, H = {size}: "
        + ", ".join(number(value) for value in found)
        + " users at epsilon 0.1, 1, 10, 100"
    )
    for value, epsilon in zip(found, (0.1, 1.0, 10.0, 100.0), strict=True):
        assert bounds.theorem_4_bound(*size, value, epsilon, 0.1) < bounds.trivial_regret(
            size[2], value
        )
        assert bounds.theorem_4_bound(*size, value - 1, epsilon, 0.1) >= bounds.trivial_regret(
            size[2], value - 1
        )
vacuous = horizon["vacuity"].pivot_table(
    index=["states", "epsilon"], columns="form", values="episodes"
)
farther = number((vacuous["derived"] / vacuous["printed"]).max())
print(f"with the lines as derived instead of as printed: at most {farther} times as many users")
for (name, epsilon), episodes in first.items():
    assert episodes < vietri2020_regret.vacuous_until(epsilon), (name, epsilon)

# %% [markdown]
# On this MDP every calibration has learnt well before the bound says anything at all. That is no contradiction: the
# bound is for every MDP of its size.

# %% [markdown]
# ## 7. The lower bounds' MDP
#
# Theorems 5 and 6 rest on bandits in parallel. Theorem 6 gives $\Omega(\sqrt{HSAT} + SAH\log(T)/\varepsilon)$ without
# a constant, so there is nothing to draw beside the runs; its hard instance is an environment of this package.

# %%
edges = show(vietri2020_hard_mdp)["edges"]

# %%
first_step = edges[edges["state"].isin(["1", "2"])]
assert (edges[edges["state"] == "0"]["probability"] == 0.5).all()
assert np.allclose(first_step.groupby(["state", "action"])["probability"].sum(), 1)
best = first_step[first_step["next"] == "+"].sort_values("probability").groupby("state").tail(1)
print(
    "best arms: "
    + ", ".join(f"I_{row.state} = {row.action}" for row in best.sort_values("state").itertuples())
)
assert sorted(best["probability"]) == [0.7, 0.7]

# %% [markdown]
# ## 8. Errata so far
#
# Every record of the ledger in which a printed statement, one of its readings or a step of its proof **fails**, with
# the instance that breaks it. The checks are run now; the sentences are the ledger's.

# %%
rows = ledger.run("vietri2020")


def paragraph(text):
    """Print wrapped, indented text."""
    print(fill(" ".join(text.split()), 110, initial_indent="    ", subsequent_indent="    "))


failing = [
    (row, record)
    for row in rows
    for record in row.get("records", ())
    if record["verdict"] == "fails"
]
for row, record in failing:
    print(f"{row['id']}, {record['of']} ({record['rigor']})")
    paragraph(f"Fails: {record['statement'] or row['statement']}")
    evidence = record["evidence"]
    paragraph(f"Where: {record['domain']}. {evidence[0].upper()}{evidence[1:]}")
    assert record["mutant_rejected"]

# %% [markdown]
# And what stands in their place:

# %%
for row in rows:
    for record in row.get("records", ()):
        if record["of"].startswith("corrected") and record["verdict"] == "holds":
            print(f"{row['id']}, {record['of']} ({record['rigor']})")
            paragraph(f"{record['statement']}. Domain: {record['domain']}.")

# %% [markdown]
# ## 9. The ledger
#
# All numbered items of the paper. *open* is what has not been decided here; *(used)* and *(reproduced)* are
# definitions, algorithms and figures, which have no verdict.

# %%
for row in rows:
    print(
        f"{row['id'].split('/')[1]:<20} {row.get('verdict') or '(' + row['status'] + ')':<16} "
        f"{', '.join(dict.fromkeys(record['rigor'] for record in row.get('records', ())))}".rstrip()
    )

# %%
verdicts = ledger.tally(rows, "vietri2020")
print(", ".join(f"{name}: {count}" for name, count in verdicts.items()))
decided = [row["id"].split("/")[1] for row in rows if row.get("records")]
print(f"decided: {', '.join(decided)}")
assert not [row["id"] for row in rows if row.get("error")]
assert all(record["mutant_rejected"] for row in rows for record in row.get("records", ()))
assert {
    "claim-1",
    "claim-2",
    "algorithm-5",
    "theorem-12",
    "theorem-1",
    "theorem-4",
    "adaptivity",
} <= set(decided)
assert ledger.differences(rows, ledger.recorded()) == []
