"""What spans the papers: what was found, advice, the common environment, the audit's power."""

import dataclasses
from math import inf, isclose

import pandas as pd
import pytest

from figures import linear_runs, registry, style
from figures import users as advice
from figures.across import (
    advice_users,
    audit_power,
    common_environment,
    ledger_verdicts,
    successors_regret,
)
from privrl.environments import suite
from privrl.privacy import noise
from privrl.privacy.audit.faults import FAULTS
from privrl.run import learning
from reproduce import found, making
from tests.figures import drawn
from theory import errata, ledger
from theory.papers.zhou2022 import policy

ROWS = ledger.recorded()


def test_every_claim_is_a_mark_and_every_record_a_piece_of_a_bar() -> None:
    tables = ledger_verdicts.tables()
    claims = [row for row in ROWS if "verdict" in row]
    assert tables["claims"]["count"].sum() == len(claims)
    assert tables["records"]["count"].sum() == sum(len(row["records"]) for row in claims)
    assert set(tables["claims"]["verdict"]) <= set(ledger_verdicts.MARKS)
    assert set(tables["records"]["rigor"]) <= set(ledger_verdicts.RIGORS)
    for paper in ledger.PAPERS:
        mine = (
            tables["claims"][tables["claims"]["paper"] == paper].groupby("verdict")["count"].sum()
        )
        assert all(
            mine.get(verdict, 0) == count for verdict, count in ledger.tally(ROWS, paper).items()
        )


def test_the_table_of_what_was_found_is_the_ledgers_and_the_accountings() -> None:
    lines = found.markdown().splitlines()
    assert [line.split(" | ")[0].lstrip("| ") for line in lines[2:]] == list(ledger.PAPERS)
    assert all(line.count("|") == 8 for line in lines)
    assert [": too small" in line for line in lines[2:]] == [True, False, False, False]
    for paper, line in zip(ledger.PAPERS, lines[2:], strict=True):
        title, cell = next(errata.groups(paper))[1].title, line.split(" | ")[-1].removesuffix(" |")
        assert cell == title or ("(" in title and cell.startswith(title.partition(" (")[0]))
        pair = found.learnt(paper)
        assert pair is not None and pair.users[1] < pair.users[0] < inf
        assert f" | {style.number(pair.printed.planned, 2)} | " in line  # the plan of both


def without_plan_of_the_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Honest runs of vietri2020 that are planned for as many users as the printed are lost."""
    read = linear_runs.read_runs
    monkeypatch.setattr(
        linear_runs,
        "read_runs",
        lambda name: [
            run for run in read(name) if run.calibration == "printed" or run.planned < 10**8
        ],
    )


def test_users_are_divided_at_equal_plans_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = {paper: found.learnt(paper) for paper in ledger.PAPERS}
    for paper, pair in pairs.items():
        assert pair is not None and pair.printed.planned == pair.best.planned, paper
        assert pair.printed.calibration == "printed" and pair.best.calibration in advice.HONEST
    river = pairs["vietri2020"]
    assert river is not None and river.printed.planned == 10**8
    with pytest.raises(ValueError, match="must have the same planned, got printed=100000000"):
        found.Learnt(river.printed, dataclasses.replace(river.best, planned=10**6))
    with pytest.raises(ValueError, match="must have the same epsilon"):
        found.Learnt(river.printed, dataclasses.replace(river.best, epsilon=10.0))
    without_plan_of_the_printed(monkeypatch)
    with pytest.raises(ValueError, match="must have the same planned"):
        found.learnt.__wrapped__("vietri2020")


def test_a_ratio_is_said_from_end_to_end_of_its_interval_or_as_an_order_of_magnitude() -> None:
    text = " ".join(found.sentences().split())
    for paper in ledger.PAPERS:
        pair = found.learnt(paper)
        assert pair is not None
        low, high = pair.ratios()
        assert low <= pair.ratio <= high and (high < 10 * low) == pair.is_settled()
        ends = dict.fromkeys((style.number(low, 1), style.number(high, 1)))
        expected = f"{' to '.join(ends)} times fewer in {paper}"
        assert (expected in text) == pair.is_settled() == (paper != "liao2021")
    pair = found.learnt("liao2021")
    assert pair is not None
    few = found.fewest(pair.printed)
    burn_ins = [
        learning.burn_in(
            dataclasses.replace(pair.printed, regret=pair.printed.regret[:replicates]),
            suite.tabular(pair.printed.id),
            growing=True,
        ).episode
        for replicates in range(2, len(pair.printed.regret) + 1)
    ]
    assert burn_ins[few - 3] is None and None not in burn_ins[few - 2 :]
    runs = len(pair.printed.regret)
    assert "in liao2021 of the order of 1,000, and no more" in text
    assert f"by the first {few - 1} of its {runs} runs alone the printed agent never learns" in text


def test_what_is_said_of_the_users_is_so() -> None:
    pairs = [pair for pair in map(found.learnt, ledger.PAPERS) if pair]
    replicates = {len(run.regret) for pair in pairs for run in (pair.printed, pair.best)}
    words = " ".join((making.ROOT / "docs" / "found.md").read_text(encoding="utf-8").split())
    assert f"of {min(replicates)} to {max(replicates)} replicates included" in words
    lost = linear_runs.references("liao2021/mixture-2")
    assert 0.7 < lost["uniform"] / 2 / lost["blind"] < 1  # "not far below"
    (unsettled,) = (pair for pair in pairs if not pair.is_settled())
    low, high = unsettled.ratios()
    assert unsettled.printed.id == "liao2021/mixture-2" and high / low > unsettled.printed.planned


def test_a_wave_as_long_as_a_constant_share_of_the_run_costs_a_constant_share_of_it() -> None:
    text = " ".join(found.sentences().split())
    assert "stays away for a constant share of the run" in text and '"fixed" first states' in text
    for share in (0.5, 0.05):
        losses = [
            policy.switching_regret(users, int(share * users)) / users for users in (10**5, 10**6)
        ]
        assert min(losses) > share / 3 and losses[1] > losses[0]
    short = [policy.switching_regret(users, round(users**0.5)) / users for users in (10**4, 10**6)]
    assert short[1] < short[0] / 5  # a wave of sqrt(K) users costs no constant share
    (row,) = (row for row in ROWS if row["id"] == "zhou2022/theorem-5.1")
    corrected = next(record for record in row["records"] if record["of"] == "corrected")
    assert corrected["verdict"] == "holds" and "drawn from one law" in corrected["domain"]
    assert "same in all episodes" in corrected["statement"]


def test_a_ratio_of_noises_says_its_delta() -> None:
    text = " ".join(found.sentences().split())
    for delta, words in ((0.1, "38 times in liao2021 (delta = 0.1;"), (1e-6, "; 17.7 at 1e-06)")):
        factor = noise.noise("liao2021", noise.setting("liao2021", delta=delta)).factor
        digits = 2 if delta == 0.1 else 3
        assert style.number(1 / factor, digits) in words and words in text
    for line in found.markdown().splitlines()[3:]:
        assert "(delta = " in line.split(" | ")[1]


def test_the_five_sentences_are_the_ledgers(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered = [row for row in ROWS if row["role"] == "claim" and row["numbered"]]
    first = " ".join(found.sentences().split())
    holds = sum(row["verdict"] == "holds" for row in numbered)
    assert first.startswith(
        f"1. Of the {len(numbered)} statements that the papers number {holds} hold as printed, "
    )
    assert "and no statement fails beyond repair" in first
    changed = [{**row, "verdict": "fails"} if row is numbered[0] else row for row in ROWS]
    monkeypatch.setattr(ledger, "recorded", lambda: changed)
    assert " ".join(found.sentences().split()) != first


def test_advice_is_the_honest_run_with_the_fewest_users() -> None:
    every = advice.table()
    assert set(every["trust"]) == {"none", "local", "joint"}
    for answer in advice.answers():
        mine = every[
            (every["problem"] == answer.problem)
            & (every["trust"] == answer.trust)
            & (every["epsilon"] <= answer.epsilon)
            & ~every["agent"].isin(advice.KNOWN)
        ]
        honest = mine[
            mine["calibration"].isin(advice.HONEST) & (mine["delta"] <= advice.MOST_DELTA)
        ]
        if answer.best is None:
            assert not (honest["burn_in"] < inf).any()
        else:
            assert answer.best["calibration"] in advice.HONEST
            assert answer.best["burn_in"] == honest["burn_in"].min() < inf
            assert answer.base < answer.best["burn_in"]
    lines = advice.markdown().splitlines()[2:]
    for answer, line in zip(advice.answers(), lines, strict=True):
        runs = (answer.best, answer.printed)
        for row, cell in zip(runs, line.split("|")[5:7], strict=True):
            assert row is None or cell.strip() == (
                f"{style.number(row['burn_in'], 2)} ({style.number(float(row['planned']), 2)})"
            )
        assert line.split("|")[7].strip().endswith(f"({style.number(answer.base_planned, 2)})")


def test_the_words_of_the_advice_figure_are_those_of_its_data() -> None:
    answers = {
        (answer.problem, answer.trust, answer.epsilon): answer for answer in advice.answers()
    }
    tabular, linear = (answers[problem, "joint", 1.0] for problem in ("tabular", "linear"))
    assert (
        round(tabular.printed["burn_in"], -7) == 4e7
        and round(tabular.best["burn_in"], -3) == 25_000
    )
    caption, alt = (" ".join(words.split()) for words in (advice_users.CAPTION, advice_users.ALT))
    assert (tabular.printed["planned"], tabular.best["planned"]) == (10**8, 10**6)
    assert (
        "planned for 10^8 users, takes forty million; the best tight one, planned for 10^6,"
        in caption
    )
    assert "10^6, takes twenty-five thousand; plans differ" in caption
    tabular_base, linear_base = (style.number(answer.base, 2) for answer in (tabular, linear))
    assert f"at {tabular_base} users (tabular) and {linear_base} (linear)" in alt


def test_a_run_that_has_no_private_noise_of_its_own_is_no_advice() -> None:
    row = {"agent": "pucb", "counter": "blt", "calibration": "tight", "delta": 1e-6}
    kinds = {
        "counter": {},
        "printed": {"calibration": "printed"},
        "tight": {"counter": "local"},
        "successor": {"agent": "dp-ucbvi"},
        "": {"delta": 0.1},
    }
    for kind, changes in kinds.items():
        assert advice_users.kind_of(pd.Series(row | changes)) == kind


def test_the_printed_algorithm_starts_last_and_a_better_counter_first() -> None:
    first = advice.starts().iloc[:, 1]
    assert first.iloc[0] > 4 * first.iloc[1] > 4 * first.iloc[2]
    assert len(advice.starts_markdown().splitlines()) == 2 + len(first)


def test_the_successors_learn_where_the_figure_says() -> None:
    burn_ins = drawn(successors_regret.ID, "burn_in").set_index(["agent", "counter", "delta"])[
        "burn_in"
    ]
    best, local, free = (
        burn_ins["private-ucbvi", "blt", 1e-6],
        burn_ins["ldp-ucbvi", "local", 1e-6],
        burn_ins["ucbvi", "none", 0],
    )
    assert [style.number(users, 1) for users in (best, local, free)] == ["40,000", "2e7", "500"]
    for text in ("4 times 10^4", "2 times 10^7", "about 500"):
        assert text in registry.figure(successors_regret.ID).alt
    assert burn_ins.idxmax()[0] == "pucb" and burn_ins.drop(("ucbvi", "none", 0)).min() == best
    assert burn_ins["private-ucbvi", "tree", 0] > burn_ins["private-ucbvi", "tree", 1e-6]


def test_tight_has_the_privacy_of_its_panel_and_printed_has_its_own() -> None:
    for agent, counter in (
        ("linopt-vi", "tree"),
        ("linopt-po", "local"),
        ("ldp-ucrl-vtr", "local"),
        ("ldp-ucrl-vtr", "tree"),
    ):
        assert isclose(
            common_environment.real_epsilon(agent, counter, "tight", 10.0), 10.0, rel_tol=1e-6
        )
    assert common_environment.real_epsilon("pucb", "tree", "printed", 10.0) > 28
    assert common_environment.real_epsilon("linopt-vi", "tree", "printed", 10.0) < 3
    assert common_environment.real_epsilon("ldp-ucrl-vtr", "local", "printed", 10.0) < 1
    assert learning.is_discriminating(suite.tabular(common_environment.ENTRY))


def test_every_fault_was_caught_at_its_documented_size() -> None:
    power = audit_power.tables()["power"]
    assert set(power["fault"]) == set(FAULTS)
    assert (power["refuted"] == power["repetitions"]).all() and (power["repetitions"] >= 299).all()
    assert power["low"].min() >= 0.99
    planned = [
        (case.of, case.counter, case.law, case.fault, case.trials)
        for case in audit_power.audit_power.cases("power")
    ]
    assert planned == list(
        power[["of", "counter", "law", "fault", "trials"]].itertuples(index=False, name=None)
    )


def test_correct_noise_was_refuted_no_more_often_than_its_level() -> None:
    alarms = audit_power.tables()["alarms"]
    assert (alarms["repetitions"] >= 200).all()
    assert (alarms["refuted"] <= alarms["level"] * alarms["repetitions"]).all()


def test_the_bounds_are_close_to_the_exact_epsilon_and_never_above() -> None:
    tables = audit_power.tables()
    assert (tables["bound"]["least"] >= 0.9).all() and (tables["bound"]["share"] <= 1).all()
    assert (tables["printed"]["share"] <= 1).all() and tables["printed"]["refuted"].sum() >= 4


def test_a_row_of_the_table_is_made_again() -> None:
    rows = audit_power.recorded()
    case = next(
        case for case in audit_power.audit_power.cases("power") if case.fault == "missing-level"
    )
    repetition = audit_power.repeated(case)
    recorded_row = rows[
        (rows["kind"] == "power")
        & (rows["of"] == case.of)
        & (rows["counter"] == case.counter)
        & (rows["law"] == case.law)
        & (rows["fault"] == case.fault)
    ].iloc[0]
    assert repetition["refuted"] == recorded_row["refuted"] and isclose(
        repetition["share"], recorded_row["share"], rel_tol=1e-9
    )
