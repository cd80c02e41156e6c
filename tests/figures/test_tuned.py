"""Tuned widths: chosen on other instances than those reported, the noise that explores, and what is
said of both."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from figures import linear_runs, runs, sampling, style, user_cases
from figures import users as advice
from figures.across import tuned_noise, tuned_training, tuned_users
from privrl.environments import suite
from reproduce.making import ROOT
from tests.figures import drawn

CLASSES = {
    kind: (agent.name, agent.counter)
    for kind, training_kind in tuned_training.TUNED_AGENTS.items()
    for agent in (training_kind.make(1.0, 1.0),)
}


def test_the_multipliers_reported_are_those_of_the_training_runs() -> None:
    chosen = drawn(tuned_training.ID, "chosen").set_index("kind")["multiplier"]
    assert {CLASSES[kind]: value for kind, value in chosen.items()} == tuned_users.CHOSEN


def test_no_instance_is_trained_on_and_reported() -> None:
    trained = {linear_runs._hash(source.mdp) for source in tuned_training.sources()}
    reported = {linear_runs._hash(suite.environment(case.problem)) for case in user_cases.CASES}
    assert len(trained) == 15 and len(reported) == 6 and not trained & reported


def test_a_tuned_run_and_its_tight_twin_have_the_same_noise() -> None:
    for case in user_cases.CASES:
        runs = case.runs
        narrow: Any = runs["tuned"].agent
        assert narrow.delta <= 1e-6 or case.problem == user_cases.KNOWN
        assert narrow.multiplier == tuned_users.CHOSEN[narrow.name, narrow.counter]
        if "twin" in runs:
            assert dataclasses.replace(narrow, multiplier=1.0) == runs["twin"].agent


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "multiplier", "index"),
    [
        *((noise, 0.01, place) for place, noise in enumerate(tuned_noise.STREAMS)),
        ("counter", 1e-6, 31),
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
    rows = drawn(tuned_noise.ID, "shares").set_index(["noise", "multiplier"])
    failed = rows["failed"]
    for multiplier in tuned_noise.GRID:
        assert failed["counter", multiplier] == failed["counter 100", multiplier] == 0
    for noise in ("silent", "ucbvi", "frozen", "counter 1000000"):
        assert failed[noise, 1e-6] > 0
    words = " ".join((ROOT / "docs/tuned.md").read_text("utf-8").split())
    runs_ = rows["runs"]["frozen", 1e-6]
    assert f"gets stuck in {failed['frozen', 1e-6]:g} of {runs_:g} runs" in words
    more = rows["share"]["anew", 1e-6] / rows["share"]["counter", 1e-6] - 1
    assert f"for {100 * more:.0f} % more regret" in words


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
def test_samplers_learn(draw: sampling.OutcomeDraw) -> None:
    mdp = suite.tabular("vietri2020/riverswim-2-relabelled")
    regret = sampling.run(mdp, draw, 600, 0).regret[0]
    assert regret[-1] - regret[len(regret) // 2] < regret[len(regret) // 2]


def test_docs_and_caption_say_what_the_tables_have() -> None:
    words = " ".join((ROOT / "docs/tuned.md").read_text("utf-8").split())
    scores = drawn(tuned_training.ID, "scores").set_index(["kind", "multiplier"])["failed"]
    server, device = (scores[f"Private-OFU-RL, {noise}"] for noise in ("over blt", "own noise"))
    for phrase in (
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


def test_docs_say_what_the_reported_runs_did() -> None:
    words = " ".join((ROOT / "docs/tuned.md").read_text("utf-8").split())
    kinds = advice.counted()
    assert all(runs["tuned"].users.never == 0 for runs in kinds.values())
    gains = drawn(tuned_users.ID, "ratios")
    lq, local = (
        gains[gains["problem"] == user_cases.LQ]["gain"],
        gains[(gains["problem"] == user_cases.MIXTURE) & (gains["trust"] == "local")]["gain"],
    )
    least, most = style.number(lq.min(), 1), style.number(local.max(), 2)
    assert f"factor of {least} (LQ systems) to {most} (linear mixtures with own noise)" in words
    over = gains[(gains["trust"] == "joint") & (gains["problem"] != user_cases.LQ)]["gain"]
    assert f"over `blt` by {style.number(over.min(), 2)} to {style.number(over.max(), 2)}" in words
    (hard,) = (case for case in user_cases.CASES if "hard" in case.problem)
    free = kinds[hard]["tuned base"].users
    assert f"on `hard-2-2` {free.never} of {free.first.size} runs of UCBVI at 0.03" in words
    shares = drawn(tuned_training.ID, "scores").set_index(["kind", "multiplier"])["share"]
    for first, *others in (
        (("private UCBVI, over blt", 1.0), ("DP-UCBVI, over blt", 1.0), ("PUCB, over blt", 1.0)),
        (("LinOpt-VI, over blt", 1.0), ("LinOpt-PO, over blt", 1.0)),
        (
            ("DP-UCBVI, over blt", 0.003),
            ("private UCBVI, over blt", 0.01),
            ("PUCB, over blt", 0.001),
        ),
    ):
        assert f"({shares[first]:.2g}" in words.replace("0.30", "0.3")
        assert all(f"{shares[other]:.2g}" in words.replace("0.50", "0.5") for other in others)


def test_every_ratio_is_of_runs_planned_for_as_many() -> None:
    for case, kinds in advice.counted().items():
        assert {runs.setting.planned for runs in kinds.values()} == {case.planned}
    lines = tuned_users.markdown().splitlines()[2:]
    ratios = drawn(tuned_users.ID, "ratios")
    assert len(lines) == len(ratios) == len(user_cases.CASES)
    for row, line in zip(ratios.itertuples(), lines, strict=True):
        cell = line.split("|")[-2].strip()
        if np.isfinite(row.over):
            assert row.over_low <= row.over <= row.over_high
            middles = tuple(f"{style.number(row.over, digits)} (" for digits in (1, 2))
            assert cell.startswith(middles) == (row.over_high <= 10 * row.over_low)
        else:
            assert cell == "-"
