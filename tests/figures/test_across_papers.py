"""What spans the papers: what was found, advice, the common environment, the audit's power."""

from math import inf, isclose

import pandas as pd
import pytest

from figures import registry, style
from figures import users as advice
from figures.across import advice_users, audit_power, common_environment, ledger_verdicts, successors_regret
from privrl.environments import suite
from privrl.privacy.audit.faults import FAULTS
from privrl.run import learning
from reproduce import found
from tests.figures import drawn
from theory import errata, ledger

ROWS = ledger.recorded()


def test_every_claim_is_a_mark_and_every_record_a_piece_of_a_bar() -> None:
    made = ledger_verdicts.tables()
    claims = [row for row in ROWS if "verdict" in row]
    assert made["claims"]["count"].sum() == len(claims)
    assert made["records"]["count"].sum() == sum(len(row["records"]) for row in claims)
    assert set(made["claims"]["verdict"]) <= set(ledger_verdicts.MARKS)
    assert set(made["records"]["rigor"]) <= set(ledger_verdicts.RIGORS)
    for paper in ledger.PAPERS:
        mine = made["claims"][made["claims"]["paper"] == paper].groupby("verdict")["count"].sum()
        assert all(mine.get(verdict, 0) == count for verdict, count in ledger.tally(ROWS, paper).items())


def test_the_table_of_what_was_found_is_the_ledgers_and_the_accountings() -> None:
    lines = found.markdown().splitlines()
    assert [line.split(" | ")[0].lstrip("| ") for line in lines[2:]] == list(ledger.PAPERS)
    assert all(line.count("|") == 7 for line in lines)
    assert [": too small" in line for line in lines[2:]] == [True, False, False, False]
    for paper, line in zip(ledger.PAPERS, lines[2:], strict=True):
        title, said = next(errata.groups(paper))[1].title, line.split(" | ")[-1].removesuffix(" |")
        assert said == title or ("(" in title and said.startswith(title.partition(" (")[0]))
        made = found.learnt(paper)
        assert made is not None and made.best < made.printed < inf


def test_the_five_sentences_are_the_ledgers(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered = [row for row in ROWS if row["role"] == "claim" and row["numbered"]]
    first = " ".join(found.sentences().split())
    holds = sum(row["verdict"] == "holds" for row in numbered)
    assert first.startswith(f"1. Of the {len(numbered)} statements that the papers number {holds} hold as printed, ")
    assert "and no statement fails beyond repair" in first
    changed = [{**row, "verdict": "fails"} if row is numbered[0] else row for row in ROWS]
    monkeypatch.setattr(ledger, "recorded", lambda: changed)
    assert " ".join(found.sentences().split()) != first


def test_advice_is_the_honest_run_with_the_fewest_users() -> None:
    every = advice.table()
    assert set(every["trust"]) == {"none", "local", "joint"}
    for answer in advice.answers():
        mine = every[(every["problem"] == answer.problem) & (every["trust"] == answer.trust)
                     & (every["epsilon"] <= answer.epsilon) & ~every["agent"].isin(advice.KNOWN)]
        honest = mine[mine["calibration"].isin(advice.HONEST) & (mine["delta"] <= advice.MOST_DELTA)]
        if answer.best is None:
            assert not (honest["burn_in"] < inf).any()
        else:
            assert answer.best["calibration"] in advice.HONEST
            assert answer.best["burn_in"] == honest["burn_in"].min() < inf
            assert answer.base < answer.best["burn_in"]
    assert len(advice.markdown().splitlines()) == 2 + len(advice.answers())


def test_the_words_of_the_advice_figure_are_those_of_its_data() -> None:
    answers = {(one.problem, one.trust, one.epsilon): one for one in advice.answers()}
    tabular, linear = (answers[problem, "joint", 1.0] for problem in ("tabular", "linear"))
    assert round(tabular.printed["burn_in"], -7) == 4e7 and round(tabular.best["burn_in"], -3) == 25_000
    caption, alt = (" ".join(words.split()) for words in (advice_users.CAPTION, advice_users.ALT))
    assert "from forty million users down to twenty-five thousand at epsilon = 1" in caption
    tabular_base, linear_base = (style.number(one.base, 2) for one in (tabular, linear))
    assert f"at {tabular_base} users (tabular) and {linear_base} (linear)" in alt


def test_a_run_that_has_no_private_noise_of_its_own_is_no_advice() -> None:
    row = {"agent": "pucb", "counter": "blt", "calibration": "tight", "delta": 1e-6}
    kinds = {"counter": {}, "printed": {"calibration": "printed"}, "tight": {"counter": "local"},
             "successor": {"agent": "dp-ucbvi"}, "": {"delta": 0.1}}
    for kind, other in kinds.items():
        assert advice_users.kind_of(pd.Series(row | other)) == kind


def test_the_printed_algorithm_starts_last_and_a_better_counter_first() -> None:
    first = advice.starts().iloc[:, 1]
    assert first.iloc[0] > 4 * first.iloc[1] > 4 * first.iloc[2]
    assert len(advice.starts_markdown().splitlines()) == 2 + len(first)


def test_the_successors_learn_where_the_figure_says() -> None:
    made = drawn(successors_regret.ID, "burn_in").set_index(["agent", "counter", "delta"])["burn_in"]
    best, local, free = (made["private-ucbvi", "blt", 1e-6], made["ldp-ucbvi", "local", 1e-6], made["ucbvi", "none", 0])
    assert [style.number(users, 1) for users in (best, local, free)] == ["40,000", "2e7", "500"]
    for text in ("4 times 10^4", "2 times 10^7", "about 500"):
        assert text in registry.figure(successors_regret.ID).alt
    assert made.idxmax()[0] == "pucb" and made.drop(("ucbvi", "none", 0)).min() == best
    assert made["private-ucbvi", "tree", 0] > made["private-ucbvi", "tree", 1e-6]


def test_tight_has_the_privacy_of_its_panel_and_printed_has_its_own() -> None:
    for agent, counter in (("linopt-vi", "tree"), ("linopt-po", "local"), ("ldp-ucrl-vtr", "local"),
                           ("ldp-ucrl-vtr", "tree")):
        assert isclose(common_environment.real_epsilon(agent, counter, "tight", 10.0), 10.0, rel_tol=1e-6)
    assert common_environment.real_epsilon("pucb", "tree", "printed", 10.0) > 28
    assert common_environment.real_epsilon("linopt-vi", "tree", "printed", 10.0) < 3
    assert common_environment.real_epsilon("ldp-ucrl-vtr", "local", "printed", 10.0) < 1
    assert learning.is_discriminating(suite.tabular(common_environment.ENTRY))


def test_every_fault_was_caught_at_its_documented_size() -> None:
    power = audit_power.tables()["power"]
    assert set(power["fault"]) == set(FAULTS)
    assert (power["refuted"] == power["repetitions"]).all() and (power["repetitions"] >= 299).all()
    assert power["low"].min() >= 0.99
    planned = [(case.of, case.counter, case.law, case.fault, case.trials)
               for case in audit_power.audit_power.cases("power")]
    assert planned == list(power[["of", "counter", "law", "fault", "trials"]].itertuples(index=False, name=None))


def test_correct_noise_was_refuted_no_more_often_than_its_level() -> None:
    alarms = audit_power.tables()["alarms"]
    assert (alarms["repetitions"] >= 200).all()
    assert (alarms["refuted"] <= alarms["level"] * alarms["repetitions"]).all()


def test_the_bounds_are_close_to_the_exact_epsilon_and_never_above() -> None:
    made = audit_power.tables()
    assert (made["bound"]["least"] >= 0.9).all() and (made["bound"]["share"] <= 1).all()
    assert (made["printed"]["share"] <= 1).all() and made["printed"]["refuted"].sum() >= 4


def test_a_row_of_the_table_is_made_again() -> None:
    rows = audit_power.recorded()
    case = next(case for case in audit_power.audit_power.cases("power") if case.fault == "missing-level")
    made = audit_power.repeated(case)
    kept = rows[(rows["kind"] == "power") & (rows["of"] == case.of) & (rows["counter"] == case.counter)
                & (rows["law"] == case.law) & (rows["fault"] == case.fault)].iloc[0]
    assert made["refuted"] == kept["refuted"] and isclose(made["share"], kept["share"], rel_tol=1e-9)
