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
# # Private-LinOpt-VI and Private-LinOpt-PO: joint privacy for linear mixture MDPs
#
# Zhou (2022), *Differentially Private Reinforcement Learning with Linear Function Approximation*.
#
# So far this notebook holds the paper's privacy and its lemmas: the four noise scales derived by sympy, the
# sensitivities with explicit users, the exact privacy over the whole $(\varepsilon, \delta)$ range, and each lemma
# beside the truth; and at the end one figure for all four papers. The agents and their regret come later; what is not
# decided is listed. Every statement in the text is followed by the code that shows it. Verdicts come from the ledger,
# which is run here.

# %%
# %matplotlib inline
import math

import numpy as np
import sympy as sp
from IPython.display import Math, display

from figures import (
    lemma_chi_square,
    lemma_gaussian_matrix,
    lemma_self_normalised,
    lemma_tree,
    lemma_zcdp,
    privacy_all,
    privacy_zhou2022,
    reading,
    style,
)
from figures.style import number
from privrl.privacy import noise, sensitivity
from privrl.types import Adjacency
from theory import ledger, noise_scales
from theory.lemmas import chi_square, gaussian_matrix, self_normalised, zcdp
from theory.papers import tree_levels
from theory.papers.zhou2022 import privacy

style.use()

# %% [markdown]
# ## 1. The paper in one page
#
# **Setting.** A linear mixture MDP with random rewards: transitions are linear in $\theta_p \in \mathbb{R}^{d_1}$
# through features $\phi_V$ with $\|\phi_V\| \le \sqrt{d_1} H$, mean rewards are linear in
# $\theta_r \in \mathbb{R}^{d_2}$ through features $\varphi$ with $\|\varphi\| \le 1$. Each of $K$ episodes of $H$ steps
# is another *user*.
#
# **Privacy** (definition 2.2). Joint differential privacy: replace one user by another, and the law of the actions
# given to all *other* users changes by at most $(\varepsilon, \delta)$.
#
# **Algorithms.** Optimistic value iteration (algorithm 1) or policy optimisation (algorithm 2) read the past, for each
# step $h$, through four sums: $\phi\phi'$, $\phi V_{h+1}(s')$, $\varphi\varphi'$ and $\varphi r$. The private versions
# read each through a tree of Gaussian noise, $4H$ trees in all, and shift the matrices until they are positive
# definite.
#
# **Claims.** Both are $O(\varepsilon, \delta)$-JDP for any $\varepsilon > 0$ and $\delta \in (0, 1]$ (theorem 6.4).
# Regret is of order $\sqrt T$, and privacy adds a term proportional to $\log(H/\delta)^{1/4}\varepsilon^{-1/2}$
# (theorem 6.5, constants unspecified).

# %% [markdown]
# ## 2. The noise scales, derived
#
# Four ingredients: the sensitivities ($d_1H^2$, $\sqrt{d_1}H^2$, 1 and 1 in the paper), the number
# $m = \lceil\log K\rceil$ of partial sums that hold one episode, the share of the budget ($\varepsilon/4H$,
# $\delta/4H$), and the conversion of zero-concentrated privacy, $\rho + 2\sqrt{\rho L}$ with $L = \ln(4H/\delta)$ and
# $\rho = m\Delta^2/2\sigma^2$.
#
# *Printed* is the paper's display; *derived* solves the paper's own conversion; *needed* takes the sensitivities that
# replacing a user really has, and all $4H$ trees together by the exact curve, whose largest admissible $\mu$ is written
# $\mu(\varepsilon, \delta)$.

# %%
scales = noise_scales.zhou2022()
for row in scales:
    print(reading.paragraph(f"{row.name}: L = {row.level}; {row.ingredients}"))
    display(Math(reading.scale_latex(row)))

# %% [markdown]
# The printed noise is the conversion without its linear term, as in chowdhury2021: by its own rule each counter gets a
# little more than its share, and the excess grows with $\varepsilon^2$. For one step:

# %%
share_given = zcdp.paper_epsilon(noise_scales.EPSILON, noise_scales.DELTA, 4)
display(Math(r"\varepsilon_{\mathrm{given}} = " + sp.latex(share_given)))
for row in scales:
    assert row.ratio != 1 and sp.limit(row.ratio, noise_scales.EPSILON, 0) == 1
    assert float(row.ratio.subs({noise_scales.EPSILON: 1, noise_scales.HORIZON: 10, noise_scales.LOG: 17.5})) > 1

# %% [markdown]
# ## 3. How far one user moves the sums
#
# The printed sensitivities bound what one user *adds*. Under replacement the suprema of one step are larger by
# $\sqrt 2$ for the matrices (orthogonal features) and by 2 for the vectors (opposite features); for a user who is taken
# out the printed ones are right.

# %%
H, d = 10, 4
printed = {"p1": d * H**2, "p2": math.sqrt(d) * H**2, "r1": 1.0, "r2": 1.0}
for name, size in printed.items():
    replaced, out = (sensitivity.zhou2022(name, H, d, adjacency).value / size for adjacency in Adjacency)
    print(f"{name}: replaced {number(replaced)}, taken out {number(out)} times the printed sensitivity")
    assert out <= 1 + 1e-12 and abs(replaced - (math.sqrt(2) if name.endswith("1") else 2)) < 1e-12

# %% [markdown]
# Two users who are surely possible: they share the first state (and so the first action), answer there with rewards 1
# and 0, and then meet the reward features $e_1$ and $e_2$, always with reward 1. Their squared change of the two reward
# counters, over all steps:

# %%
one, two = np.eye(2)
for steps in (1, 2, 10):
    moved = privacy.reward_change(steps)
    print(f"H = {steps}: squared change {number(moved)} = 4 H - 3; printed sensitivities would allow {2 * steps}")
    assert moved == 4 * steps - 3
gram = np.outer(one, one) - np.outer(two, two)
print(f"one step: |e1 e1' - e2 e2'| = {number(sensitivity.norm_of(gram, 'released'))}, |e1 - e2| = "
      f"{number(float(np.linalg.norm(one - two)))}")  # fmt: skip

# %% [markdown]
# Both counters of a pair together change by at most $4.5$ in square (features at 120 degrees), which squares prove:

# %%
pair = sensitivity.features_joint(1.0, 1.0, 1.0, 1.0)
angle = math.degrees(math.acos(float(pair.first[0][0] @ pair.second[0][0])))
print(f"squared change {number(pair.value**2)}, features at {number(angle)} degrees")
assert abs(pair.value**2 - 4.5) < 1e-12 and privacy.pair_bound() == 0

# %% [markdown]
# ## 4. The base of the logarithm (lemma 6.1)
#
# At most $\lceil\log_2 K\rceil$ partial sums hold one episode, and the first episode attains that. The paper does not
# give the base; its other logarithms are natural, and with $\lceil\ln K\rceil$ the lemma fails from a small $K$ on. The
# right panel holds the error of a scalar Gaussian tree against the papers' matrix bound at dimension one.

# %%
drawn = reading.show(lemma_tree)

# %%
first_wrong = next(k for k in range(1, 4096) if tree_levels.counts()[k - 1].used_blocks > tree_levels.natural(k))
print(f"ceil(ln K) first fails at K = {first_wrong}")
assert tree_levels.suffices(tree_levels.base_two) and not tree_levels.suffices(tree_levels.natural)
assert (drawn["levels"]["counted"] == drawn["levels"]["log2"]).all()
assert (drawn["error"]["low"] < drawn["error"]["union"]).all()

# %% [markdown]
# ## 5. What the noise really buys
#
# All $4H$ trees are one Gaussian release. In units of the printed sensitivities one user's change has squared length
# $w$, and $\mu^2 = w\varepsilon^2/(32H^2\ln(4H/\delta))$: the number of episodes and the dimensions drop out. Values
# are clipped to $[0, H-h]$ by both algorithms.

# %%
for adjacency in Adjacency:
    made = noise.noise("zhou2022", noise.setting("zhou2022", adjacency=adjacency.value))
    print(f"{adjacency.value}: claimed ({made.setting.epsilon:g}, {made.setting.delta:g}), H = {made.setting.horizon}")
    for scale in made.scales:
        print(f"  {scale.name}: printed {number(scale.printed)}, smallest {number(scale.smallest)}")
    print(f"  real epsilon {number(made.real_epsilon)}; smallest over printed noise {number(made.factor)}")
    assert made.real_epsilon < 1 and made.factor < 1

# %%
drawn = reading.show(privacy_zhou2022)

# %% [markdown]
# As in chowdhury2021 there are two answers, at H = 10 by the maps. *Each counter* against its share of
# $(\varepsilon/4H, \delta/4H)$: too little noise under replacement, almost everywhere. *All counters together*, which
# is what the theorem needs: far more noise than necessary, because a budget is split $4H$ times that one exact curve
# could share; it fails only at very large $\varepsilon$, where a noise proportional to $1/\varepsilon$ cannot do (the
# mean loss grows with $\varepsilon^2$; so no constant in $O(\varepsilon, \delta)$ saves "any $\varepsilon$").

# %%
print("largest epsilon at which the printed noise is private with constant 1, all counters together")
print("H     delta     replaced   taken out")
for horizon in (1, 5, 10):
    for delta, replaced, out in privacy.thresholds((1e-3, 1e-6, 1e-9), horizon):
        print(f"{horizon:<5} {delta:<9g} {number(replaced):>8} {number(out):>11}")
        assert 1 < replaced < out
for epsilon in (0.1, 1.0, 10.0):
    print(f"epsilon = {epsilon:g}, H = 10, delta = 1e-6: printed noise is "
          f"{number(privacy.overpay(epsilon, 1e-6, 10))} times the smallest")  # fmt: skip
grid = drawn["map"]
counter = grid[(grid["panel"] == "rewards, replaced") & (grid["delta"] < 1e-6)]
assert (counter["factor"] > 1)[counter["epsilon"] >= 0.1].all()
assert privacy.leaks(privacy.Aim(650.0, 1e-6, 2)) and not privacy.leaks(privacy.Aim(600.0, 1e-6, 2))

# %% [markdown]
# ## 6. What the conversion loses
#
# The conversion of Bun and Steinke, which the paper uses; the optimal one for zero-concentrated privacy (Canonne,
# Kamath and Steinke); and the exact Gaussian curve.

# %%
conversions = reading.show(lemma_zcdp)

# %%
share = conversions["share"][conversions["share"]["paper"] == "zhou2022"]
for row in share.iloc[[0, 10, 20, 30]].itertuples():
    print(f"epsilon = {number(row.epsilon)}: one counter's share {number(row.share)}; exact {number(row.exact)}, "
          f"optimal {number(row.optimal)}, Bun-Steinke {number(row.bun_steinke)}")  # fmt: skip
assert (share["bun_steinke"] > share["share"]).all() and (share["exact"] < share["optimal"]).all()
near = drawn["conversion"].iloc[(drawn["conversion"]["epsilon"] - 1).abs().argsort().iloc[0]]
print(f"all counters together, claimed {number(near['epsilon'])}: exact {number(near['exact'])}, optimal "
      f"{number(near['optimal'])}, Bun-Steinke {number(near['bun_steinke'])}")  # fmt: skip

# %% [markdown]
# ## 7. The lemmas of appendix B
#
# *Symmetric matrices* (lemma B.4) and *rectangular ones* (lemma B.3): proved, given Gaussian concentration, which is
# cited; at the same probability the symmetric bound holds with $2\sigma\sqrt n + \sqrt 2\,t$.

# %%
norms = reading.show(lemma_gaussian_matrix)["norms"]

# %%
for shape, rows in norms.groupby("shape", sort=False):
    over = (rows["printed"] / rows["sampled"]).to_numpy()
    print(f"{shape}: the printed bound is {number(over[0])} (n = {rows['n'].iloc[0]}) to {number(over[-1])} "
          f"(n = {rows['n'].iloc[-1]}) times the sampled quantile")  # fmt: skip
assert (norms["high"] < norms["sharpest"]).all()
assert gaussian_matrix.increment_identity(2) == 0 == gaussian_matrix.gradient_identity(2)

# %% [markdown]
# *Chi-square* (lemma B.5): proved for every $D$ and $x$. The norm bound that the proof of theorem 6.5 draws from it,
# $\sqrt D + \sqrt{2x}$, is smaller than chowdhury2021's by $\sqrt 2$, and right.

# %%
assert chi_square.coefficients_ordered() and chi_square.exponent_identity() == 0
steps = chi_square.norm_steps()
display(Math(r"(\sqrt D + \sqrt{2x})^2 - (D + 2\sqrt{Dx} + 2x) = " + sp.latex(steps["triangle - sharp"])))
tails = reading.show(lemma_chi_square)

# %% [markdown]
# *Self-normalised concentration* (inside lemma 3.1), the determinant and the elliptical potential (section 7.1):

# %%
paths = reading.show(lemma_self_normalised)

# %%
assert steps["triangle - sharp"].is_nonnegative
assert (tails["norm"]["triangle"] > tails["norm"]["exact"]).all()
assert (paths["violation"]["exact"] <= paths["violation"]["alpha"]).all()
assert self_normalised.mixture_identity(1) == 0 and self_normalised.determinant_step()
potential = paths["potential"]
for row in potential.itertuples():
    print(f"{row.sequence}: sum {number(row.sum)}, bound with 1/ln 2 {number(row.least)}, the papers' "
          f"{number(row.printed)}")  # fmt: skip
assert (potential["sum"] < potential["least"]).all() and (potential["least"] < potential["printed"]).all()

# %% [markdown]
# ## 8. All four papers
#
# What the printed noise of each paper buys, all noisy statistics of an algorithm together, as `privrl sigma` says it.

# %%
bought = reading.show(privacy_all)["bought"]

# %%
print("claimed epsilon near 1: real over claimed, smallest over printed noise; one user replaced | taken out")
for paper, rows in bought.groupby("paper", sort=False):
    near = rows.iloc[(np.log(rows["epsilon"])).abs().argsort()]
    parts = []
    for adjacency in Adjacency:
        found = near[near["adjacency"] == adjacency.value]
        if len(found):
            parts.append(f"{number(found['real'].iloc[0])}, {number(found['factor'].iloc[0])}")
    print(f"{paper:<18} " + " | ".join(parts))
pure = bought[(bought["paper"] == "vietri2020") & (bought["adjacency"] == "replace")]
assert (pure["real"] > 2).all()
near_one = bought[(bought["epsilon"] > 0.5) & (bought["epsilon"] < 2) & (bought["paper"] != "vietri2020")]
assert (near_one["real"] < 1).all() and (near_one["factor"] < 1).all()

# %% [markdown]
# At a usual $\varepsilon$ only vietri2020's statistics cost more than is claimed. The three Gaussian papers give more
# noise than is needed there, on the premises that the caption names and in spite of their slips: the proofs overpay
# elsewhere. What the corrections are worth is therefore a smaller noise at a proved guarantee.

# %% [markdown]
# ## 9. Errata so far
#
# Every record of the ledger in which a printed statement, one of its readings or a step of its proof **fails**. The
# checks are run now; the sentences are the ledger's.

# %%
rows = ledger.run("zhou2022")
print(reading.errata(rows))

# %% [markdown]
# And what stands in their place:

# %%
print(reading.corrected(rows))
assert all(record["mutant_rejected"] for row in rows for record in row.get("records", ()))
assert not [row["id"] for row in rows if row.get("error")]

# %% [markdown]
# ## 10. The ledger
#
# All numbered items of the paper. *open* is what has not been decided here; *(used)* and *(reproduced)* are
# definitions, remarks and algorithms, which have no verdict.

# %%
print(reading.verdicts(rows))

# %% [markdown]
# ## 11. What is still open
#
# The regret theorems, the confidence bounds, optimism, and everything that needs the running agents. Theorem 6.4 is
# about the actions that other users are given; what was decided is the privacy of the counters, from which the paper
# derives it. Where the counters give away more than is claimed (very large $\varepsilon$), whether the actions alone do
# is open.

# %%
still_open = [row["id"].split("/")[1] for row in rows if row.get("verdict") == "open"]
print(reading.paragraph("open: " + ", ".join(still_open)))
verdicts = {row["id"].split("/")[1]: row.get("verdict") for row in rows}
assert verdicts["lemma-6.1"] == verdicts["theorem-6.4"] == "holds corrected"
assert {verdicts[name] for name in ("adaptivity", "lemma-B.1", "lemma-B.2", "lemma-B.3", "lemma-B.4", "lemma-B.5")} == {
    "holds"
}
