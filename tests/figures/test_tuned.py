"""Tuned widths: chosen on other instances than those reported, the noise that explores, and what is
said of both."""

from math import inf, nan

import numpy as np
import pytest

from figures import linear_runs, runs, sampling, style
from figures.across import tuned_noise, tuned_training, tuned_users
from figures.kinds.tables import where
from privrl.environments import suite
from reproduce.making import ROOT
from tests.figures import drawn

CLASSES = {
    kind: (agent.name, agent.counter)
    for kind, training_kind in tuned_training.KINDS.items()
    for agent in (training_kind.make(1.0, 1.0),)
}


def test_the_multipliers_reported_are_those_of_the_training_runs() -> None:
    chosen = drawn(tuned_training.ID, "chosen").set_index("kind")["multiplier"]
    assert {CLASSES[kind]: value for kind, value in chosen.items()} == tuned_users.CHOSEN


def test_no_instance_is_trained_on_and_reported() -> None:
    trained = {linear_runs._hash(source.mdp) for source in tuned_training.sources()}
    reported = {linear_runs._hash(suite.environment(plan.id)) for plan in tuned_users.PLANS}
    assert len(trained) == 15 and len(reported) == 4 and not trained & reported


def test_a_tuned_run_and_its_tight_twin_have_the_same_noise() -> None:
    for plan in tuned_users.PLANS:
        agent = plan.build_agent()
        assert agent.delta <= 1e-6 or plan.id == tuned_users.KNOWN
        assert plan.multiplier in (1.0, tuned_users.CHOSEN[agent.name, agent.counter])


@pytest.mark.parametrize(
    ("noise", "multiplier", "index"),
    [
        *((noise, 0.01, place) for place, noise in enumerate(tuned_noise.STREAMS)),
        ("counter", 1e-6, 7),
    ],
)
def test_a_run_of_the_study_of_noise_is_played_again(
    noise: str, multiplier: float, index: int
) -> None:
    table = runs.table(tuned_noise.ID, tuned_noise.COLUMNS)
    row = table[
        (table["noise"] == noise)
        & (table["multiplier"] == multiplier)
        & (table["replicate"] == index)
    ]
    marks, regret = tuned_noise.play(noise, multiplier, index)
    assert f"{row['regret'].iloc[0]:.10g}" == f"{regret[-1]:.10g}"
    assert (
        f"{row['before'].iloc[0]:.10g}"
        == f"{regret[marks == tuned_noise.EPISODES // 10 * 9][0]:.10g}"
    )


def test_the_noise_explores() -> None:
    failed = drawn(tuned_noise.ID, "shares").set_index(["noise", "multiplier"])["failed"]
    for multiplier in tuned_noise.GRID:
        assert failed["counter", multiplier] == failed["counter 100", multiplier] == 0
    for noise in ("silent", "ucbvi", "frozen", "counter 1000000"):
        assert failed[noise, 1e-6] > 0


def test_draws_of_psrl_and_rlsvi_have_the_posterior_s_moments() -> None:
    rng, successors = np.random.default_rng(0), np.zeros((1, 1, 1, 2))
    successors[..., :] = 6.0, 2.0
    rewards = np.full((1, 1, 1), 5.0)
    drawn_ = [sampling.psrl(rng, rewards, successors) for _ in range(4000)]
    # Beta(6, 4)
    assert np.mean([sample[0] for sample in drawn_]) == pytest.approx(6 / 10, abs=0.01)
    # Dirichlet(7, 3)
    assert np.mean([sample[1][0, 0, 0, 0] for sample in drawn_]) == pytest.approx(7 / 10, abs=0.01)
    gains = [sampling.rlsvi(rng, rewards, successors)[0] for _ in range(4000)]
    assert (np.mean(gains), np.std(gains)) == pytest.approx((5 / 9, 1 / 3), abs=0.02)
    assert sampling.rlsvi(rng, rewards, successors)[1][0, 0, 0].tolist() == [6 / 9, 2 / 9]


@pytest.mark.parametrize("draw", [sampling.psrl, sampling.rlsvi])
def test_samplers_learn(draw: sampling.Draw) -> None:
    mdp = suite.tabular("vietri2020/riverswim-2-relabelled")
    regret = sampling.run(mdp, draw, 600, 0).regret[0]
    assert regret[-1] - regret[len(regret) // 2] < regret[len(regret) // 2]


def test_docs_and_caption_say_what_the_tables_have() -> None:
    words, run_table = (
        " ".join((ROOT / "docs/tuned.md").read_text("utf-8").split()),
        tuned_users.runs(),
    )
    burn_ins = run_table.set_index(["agent", "counter", "epsilon", "kind"])["burn_in"]

    def users(*key: object) -> tuple[str, str]:
        return style.number(burn_ins[*key, "tuned"], 2), style.number(burn_ins[*key, "tight"], 2)

    (tuned_count, more), (few, fewer), (base, wide) = (
        users("private-ofu-rl", "blt", 1),
        users("private-ofu-rl", "blt", 10),
        users("ofu-rl", "none", inf),
    )
    local_tuned, proved = users("linopt-po", "local", 1)
    scores = drawn(tuned_training.ID, "scores").set_index(["kind", "multiplier"])["failed"]
    server, device = (scores[f"Private-OFU-RL, {noise}"] for noise in ("over blt", "own noise"))
    for phrase in (
        (
            f"takes {tuned_count} users in place of {more} at epsilon = 1, and {few} in place of "
            f"{fewer} at 10"
        ),
        f"takes {base} in place of {wide}",
        f"takes {local_tuned} users at epsilon = 1, planned for $10^6$ ({proved} with",
        f"LinOpt-VI ({', and '.join(users('linopt-vi', 'local', 1))})",
        f"{server[0.3]:g} failed, and {server[1.0]:g} with the proved radius",
        f"10,000, {device[0.3]:g} and {device[1.0]:g}:",
        f"{scores['UCRL-VTR (rewards known), own noise', 0.01]:g} of 64 (UCRL-VTR, own noise)",
        f"{scores['LinOpt-VI, own noise', 0.01]:g} of 64 (LinOpt-VI, own noise)",
        (
            f"UCBVI fails in {scores['UCBVI', 0.003]:g} of 32 at 0.003, in "
            f"{scores['UCBVI', 0.001]:g} at 0.001"
        ),
    ):
        assert phrase in words
    trained = {
        kind: scores[kind, tuned_users.CHOSEN[name]]
        for kind, name in CLASSES.items()
        if "OFU" not in kind
    }
    assert {kind: lost for kind, lost in trained.items() if lost} == {
        "UCRL-VTR (rewards known), own noise": 1,
        "private UCBVI, own noise": 4,
    }
    failed = where(run_table, kind="tuned").set_index(["agent", "counter", "epsilon"])["failed"]
    assert dict(failed[failed > 0]) == {("private-ofu-rl", "local", 1000): 1}
    assert (
        f"at 100 it takes {style.number(burn_ins['private-ofu-rl', 'local', 100, 'tuned'], 2)}, "
        f"in 4" in words
    )
    twins = run_table[run_table["counter"] != "none"].pivot_table(
        index=["agent", "counter", "epsilon"], columns="kind", values=["burn_in", "planned"]
    )
    ratio = (twins["burn_in", "tight"] / twins["burn_in", "tuned"]).replace(inf, nan)
    alike = ratio[twins["planned", "tight"] == twins["planned", "tuned"]]
    assert len(alike) < len(ratio)
    assert (
        f"from {style.number(alike.min(), 2)} to {style.number(alike.max(), 2)} times"
        in tuned_users.CAPTION
    )


def test_every_row_of_the_table_has_its_ratio() -> None:
    answers = tuned_users.answers()
    assert len(tuned_users.markdown().splitlines()) == 2 + len(answers)
    for row, line in zip(
        answers.itertuples(), tuned_users.markdown().splitlines()[2:], strict=True
    ):
        users, tight, _, base, ratio = (cell.strip() for cell in line.split("|")[5:-1])
        planned = (row.planned, row.tight_planned, row.base_planned)
        for cell, number in zip((users, tight, base), planned, strict=True):
            assert (
                cell == "not run"
                or style.number(number, 2) in cell.replace("(", " ").replace(")", " ").split()
            )
        alike = row.planned == row.base_planned
        assert ratio == (style.number(row.burn_in / row.base, 2) if alike else "-")
    assert 0 < (answers["planned"] == answers["base_planned"]).sum() < len(answers)
    assert (answers["base"] >= 1).all() and (answers["failed"] <= answers["runs"]).all()
