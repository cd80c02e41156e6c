"""Formulas broken by machine: the table of who refuses them, and a sample of it run again."""

import importlib
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mutants import making, running
from tests.mutants.running import Judge
from theory import ledger
from theory.claim import REGISTRY

SAMPLE, SEED = 30, 12
NOT_YET = 0  # mutants that no judge was asked about
OPEN = 0  # survivors that are not equivalent, each with what is known


def _judge(name: str) -> Judge | None:
    """A check of a claim, or a test without parameters that is not slow."""
    ledger.load_checks()
    if name in REGISTRY:
        check: Callable[[], object] = lambda: list(REGISTRY[name]())  # noqa: E731
    else:
        file, _, function = name.partition("::")
        if "[" in function or "::" in function:
            return None
        module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        check = getattr(module, function)
        slow = any(mark.name == "slow" for mark in getattr(check, "pytestmark", ()))
        if slow or check.__code__.co_argcount:
            return None

    def run() -> str | None:
        try:
            check()
        except Exception as error:
            return type(error).__name__
        return None

    return Judge(name, run, Path(__file__))


@pytest.mark.slow
def test_every_mutant_has_a_judge_or_a_reason() -> None:
    """`python -m tests.mutants` runs what is new; `--list` puts it down as not run."""
    rows = running.recorded()
    assert {running.key(mutant) for mutant in running.every()} == set(rows)
    left = [row for row in rows.values() if not row["refused by"]]
    survivors = [row for row in left if row["reason"] != running.NOT_RUN]
    unequal = [row for row in survivors if not row["reason"].startswith("equivalent: ")]
    assert [row for row in unequal if not row["reason"].startswith("open: ")] == []
    assert len(unequal) <= OPEN
    assert len(left) - len(survivors) <= NOT_YET


def test_a_sample_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LONGEST", 300)  # a judge may be the first to need a kernel
    rows = running.recorded()
    # what numba compiles does not change with its source: `python -m tests.mutants --compiled`
    mutants = {
        running.key(mutant): mutant for mutant in running.every() if not running.compiled(mutant)
    }
    quick = [
        (key, row["refused by"]) for key, row in rows.items() if row["quick"] and key in mutants
    ]
    chosen = [(mutants[key], judge) for key, name in quick if (judge := _judge(name)) is not None]
    kept = running.caches()  # searched for once
    for mutant, judge in random.Random(SEED).sample(chosen, SAMPLE):
        assert running.refused(mutant, [judge], kept) == judge.name, mutant


@pytest.mark.slow
def test_a_formula_that_nothing_holds_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that computes nothing refuses no mutant, and one that has no end does."""
    mutant = next(m for m in running.every() if m.function == "radius")
    assert running.refused(mutant, [Judge("blind", lambda: None, Path(__file__))]) == ""
    monkeypatch.setattr(running, "LONGEST", 0.1)

    def endless() -> None:
        while True:
            pass

    assert (
        running.refused(mutant, [Judge("endless", endless, Path(__file__))]) == "endless (no end)"
    )


def test_a_row_that_is_stale_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Its judge is gone, or blind, or refuses the formula too; one that computes is confirmed."""
    module = "privrl.agents.lq.agent"
    mutants = making.mutants(module, running.factor)[:5]  # the first is one of `logarithm`
    right = importlib.import_module(module).logarithm(3, 0.1)

    def computes() -> str | None:
        value = importlib.import_module(module).logarithm(3, 0.1)
        return None if value == right else "another value"

    judges = {
        name: Judge(name, run, Path(__file__))
        for name, run in {
            "computes": computes,
            "blind": lambda: None,
            "cross": lambda: "always",
        }.items()
    }
    told = ("computes", "gone", "blind", "cross", "")
    rows = {
        running.key(mutant): running.row(mutant, who, "", "")
        for mutant, who in zip(mutants, told, strict=True)
    }
    assert running.stale(mutants, rows, judges, []) == mutants[1:4]
    assert capsys.readouterr().out.count("stale: ") == 3


def test_the_three_kinds() -> None:
    changes = {
        mutant.change
        for mutant in making.mutants("privrl.agents.lq.agent", running.factor)
        if mutant.function == "logarithm"
    }
    assert "value x 0.99" in changes
    assert "2 halved in 2 * math.log(share / alpha)" in changes
    assert "share dropped in math.log(share / alpha)" in changes
