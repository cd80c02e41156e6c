"""What spans the papers: what was found, advice, the common environment, the audit's power."""

import dataclasses
import re
from math import inf, isclose

import pytest

from figures import measured, registry, style
from figures import users as advice
from figures.across import (
    audit_power,
    common_environment,
    found_users,
    ledger_verdicts,
    successors_regret,
)
from privrl.environments import suite
from privrl.privacy import noise
from privrl.privacy.audit.faults import FAULTS
from privrl.run import measure
from reproduce import found, making
from tests.figures import drawn
from theory import errata, ledger
from theory.papers.zhou2022 import policy
from theory.typed import caption

ROWS = ledger.recorded()
# papers whose runs are compared; one that is new may have none
COMPARED = [paper for paper in ledger.PAPERS if paper in found_users.COMPARISONS]


def test_the_four_papers_are_compared() -> None:
    assert {"vietri2020", "chowdhury2021", "liao2021", "zhou2022"} <= set(COMPARED)


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
    table, _, gravest = found.markdown().split("\n\n")
    lines = table.splitlines()
    assert [line.split(" | ")[0].lstrip("| ") for line in lines[2:]] == list(ledger.PAPERS)
    assert all(line.count("|") == 8 for line in lines)
    title_of = dict(line.removeprefix("- ").split(": ", 1) for line in gravest.splitlines())
    line_of = dict(zip(ledger.PAPERS, lines[2:], strict=True))
    typed = [re.sub(r"\$[^$]+\$|`[^`]+`", "", words) for words in title_of.values()]
    assert "beta_h" in next(errata.groups("liao2021"))[1].title  # which stands typeset
    assert not [words for words in typed if re.search(r"[A-Za-z]_\w", words)]
    too_small = {paper for paper, line in line_of.items() if ": too small" in line}
    assert too_small & set(COMPARED) == {"vietri2020"}
    for paper in COMPARED:
        line = line_of[paper]
        title, words = caption(next(errata.groups(paper))[1].title), title_of[paper]
        assert words == title or ("(" in title and words.startswith(title.partition(" (")[0]))
        pair = found.learnt(paper)
        assert pair is not None
        assert pair.best.users.median < pair.printed.users.median < inf
        assert f" | {style.number(pair.printed.setting.planned, 2)} | " in line  # of both
        for side in (pair.printed, pair.best):
            low, high = measure.outward(*side.users.interval())
            assert f"({style.number(low, 2)} to {style.number(high, 2)}" in line
            assert f"{style.number(side.regret, 2)}" in line.split(" | ")[6]
        # the two measures rank alike, or a sentence must say so
        assert pair.best.regret < pair.printed.regret


def test_users_are_divided_at_equal_plans_only() -> None:
    for paper in (*COMPARED, "vietri2020, delta = 0"):
        pair = found.learnt(paper)
        assert pair is not None
        printed, best = pair.printed.setting, pair.best.setting
        assert printed.planned == best.planned and printed.seed == best.seed == 0
        assert printed.agent.calibration == "printed"
        assert best.agent.calibration in ("corrected", "tight")
    river = found.learnt("vietri2020")
    assert river is not None
    best = river.best.setting
    for name, other in (
        ("planned", dataclasses.replace(best, planned=10**8)),
        ("world", dataclasses.replace(best, world="elsewhere")),
    ):
        with pytest.raises(ValueError, match=f"must have the same {name}, got printed="):
            found.Learnt(river.printed, dataclasses.replace(river.best, setting=other))


def test_a_ratio_is_said_with_its_interval_and_with_the_digits_that_it_allows() -> None:
    text = " ".join(found.sentences().split())
    for paper in COMPARED:
        pair = found.learnt(paper)
        assert pair is not None
        ratio, low, high = pair.ratio
        assert low <= ratio <= high
        least, most = (style.number(end, 2) for end in measure.outward(low, high))
        digits = 2 if high < 1.5 * low else 1
        words = f"about {style.number(ratio, digits)} ({least} to {most}) times fewer in {paper}"
        ends = f"between {least} and {most} times fewer in {paper}"  # all that a wide one says
        assert (ends if paper == "liao2021" else words) in text
        assert f"{pair.best.setting.agent.epsilon:g} in" in text


def test_what_is_said_of_the_users_is_so() -> None:
    pairs = [pair for pair in map(found.learnt, ledger.PAPERS) if pair]
    replicates = {side.users.first.size for pair in pairs for side in (pair.printed, pair.best)}
    words = " ".join((making.ROOT / "docs" / "found.md").read_text(encoding="utf-8").split())
    assert f"the median of {min(replicates)} or {max(replicates)} replicates" in words
    assert replicates == {min(replicates), max(replicates)}


def test_the_number_of_replicates_does_not_move_what_was_found() -> None:
    """Half of the replicates put every median inside the interval of the other half."""
    for paper in COMPARED:
        pair = found.learnt(paper)
        assert pair is not None
        for side in (pair.printed, pair.best):
            table = measured.rows_of(measured.read(found_users.ID), side.setting)
            first, second = (measured.users(table.iloc[half::2]) for half in (0, 1))
            low, high = first.interval()
            assert low / measure.STEP <= second.median <= high * measure.STEP


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
    assert corrected["verdict"] == "holds" and "drawn independently" in corrected["domain"]
    assert "same in all episodes" in corrected["statement"]


def test_a_ratio_of_noises_says_its_delta() -> None:
    text = " ".join(found.sentences().split())
    for delta, words in ((0.1, "38 times in liao2021 (delta = 0.1;"), (1e-6, "; 17.7 at 1e-6)")):
        factor = noise.noise("liao2021", noise.setting("liao2021", delta=delta)).factor
        digits = 2 if delta == 0.1 else 3
        assert style.number(1 / factor, digits) in words and words in text
    rows = found.markdown().partition("\n\n")[0].splitlines()[2:]
    lines = dict(zip(ledger.PAPERS, rows, strict=True))
    for paper in set(COMPARED) - {"vietri2020"}:  # whose noise is pure
        assert "(delta = " in lines[paper].split(" | ")[1]


def test_the_five_sentences_are_the_ledgers(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered = [row for row in ROWS if row["role"] == "claim" and row["numbered"]]
    first = " ".join(found.sentences().split())
    holds = sum(row["verdict"] == "holds" for row in numbered)
    assert first.startswith(
        f"1. Of the {len(numbered)} statements that the papers number, {holds} hold as printed, "
    )
    assert "and no statement fails beyond repair" in first
    changed = [{**row, "verdict": "fails"} if row is numbered[0] else row for row in ROWS]
    monkeypatch.setattr(ledger, "recorded", lambda: changed)
    assert " ".join(found.sentences().split()) != first


@pytest.mark.slow
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
    assert measure.is_discriminating(suite.tabular(common_environment.ENTRY))


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


@pytest.mark.slow
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
