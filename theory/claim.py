"""Claims, records and verdicts: what a check returns and how the ledger reads it.

A check is a function decorated with ``@claim(id)`` that returns its records. A record is made by :func:`decide`, which
*runs* the test on the claim and on its mutant: a test that fails on the claim, or passes on the mutant, is an error and
no record comes into being. So a hand-set "ok" cannot be written.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

X = TypeVar("X")


class Verdict(enum.StrEnum):
    """What the ledger says of a claim (computed, never set by hand) or of one record."""

    HOLDS = "holds"
    HOLDS_CORRECTED = "holds corrected"
    FAILS = "fails"
    UNSPECIFIED = "unspecified"
    VACUOUS = "vacuous"
    OPEN = "open"


class Rigor(enum.StrEnum):
    """How a record was decided, strongest first (see the README)."""

    PROVED = "proved"
    CERTIFIED = "certified"
    EXACT = "exact"
    COUNTEREXAMPLE = "counterexample"
    STATISTICAL = "statistical"
    CITED = "cited"


class CheckError(AssertionError):
    """A test failed on the claim that it should confirm, or accepted a mutant that it should reject."""


@dataclass(frozen=True)
class Record:
    """One decided statement about a claim.

    Parameters
    ----------
    of : "printed" (the paper's words), "reading: ..." (one of several readings), "corrected" (also "corrected: ...") or
        "step: ..." (one line of the printed proof; it informs, and does not enter the verdict of the claim)
    statement : the exact statement that was decided ("" where it is the printed one)
    verdict : Verdict of this statement; UNSPECIFIED where the paper leaves constants open
    rigor : how it was decided
    domain : parameters for which it was decided
    evidence : a sentence with the numbers; no timings, no paths
    mutant : the nearest neighbouring statement that the same test rejects
    mutant_rejected : seen, not assumed
    sharpness : smallest factor on the constant that the test still accepts, where there is one
    """

    of: str
    statement: str
    verdict: Verdict
    rigor: Rigor
    domain: str
    evidence: str
    mutant: str
    mutant_rejected: bool
    sharpness: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values in a fixed order, sharpness to four significant digits."""
        row = asdict(self)
        row["verdict"], row["rigor"] = str(self.verdict), str(self.rigor)
        row["sharpness"] = None if self.sharpness is None else float(f"{self.sharpness:.4g}")
        return row


def decide(
    test: Callable[[X], bool],
    *,
    at: X,
    mutant_at: X | Iterable[X],
    of: str,
    verdict: Verdict,
    rigor: Rigor,
    domain: str,
    evidence: str,
    mutant: str,
    statement: str = "",
    sharpness: float | None = None,
    several_mutants: bool = False,
) -> Record:
    """Run ``test`` on the claim and on its mutant(s) and record the outcome.

    ``test(at)`` must be true: for a record that *holds* the test asks whether the statement holds, for one that *fails*
    whether the instance breaks it. ``test(mutant_at)`` must be false (for each, with ``several_mutants``).

    Raises
    ------
    CheckError
        The test is false on the claim or true on a mutant.
    """
    if not test(at):
        raise CheckError(f"the test is false on the claim: {of}: {statement or evidence}")
    for broken in mutant_at if several_mutants else (mutant_at,):  # type: ignore[union-attr]  # iterable by contract
        if test(broken):  # type: ignore[arg-type]
            raise CheckError(f"the test accepts the mutant: {mutant}")
    return Record(of, statement, verdict, rigor, domain, evidence, mutant, True, sharpness)


Check = Callable[[], tuple[Record, ...]]
REGISTRY: dict[str, Check] = {}


def claim(identifier: str) -> Callable[[Check], Check]:
    """Register a check under a claim id of its paper's ``paper.toml``, e.g. ``vietri2020/claim-2``."""

    def register(check: Check) -> Check:
        if identifier in REGISTRY and REGISTRY[identifier].__module__ != check.__module__:
            raise ValueError(f"a claim has one check, got a second one for id={identifier!r}")
        REGISTRY[identifier] = check
        return check

    return register


def overall(records: Iterable[Record]) -> Verdict:
    """The verdict of a claim, computed from its records.

    Every reading of the printed statement holds: *holds*. One fails and a corrected record holds: *holds corrected*.
    One fails and nothing repairs it: *fails*. A printed record that is unspecified or vacuous passes that on, unless
    another printed record fails. Nothing decided: *open*. Records of steps do not count: a statement can survive a line
    of its proof.
    """
    rows = [row for row in records if not row.of.startswith("step")]
    printed = [row.verdict for row in rows if not row.of.startswith("corrected")]
    repaired = any(row.of.startswith("corrected") and row.verdict == Verdict.HOLDS for row in rows)
    if Verdict.FAILS in printed:
        return Verdict.HOLDS_CORRECTED if repaired else Verdict.FAILS
    for passed_on in (Verdict.OPEN, Verdict.UNSPECIFIED, Verdict.VACUOUS):
        if passed_on in printed:
            return passed_on
    return Verdict.HOLDS if printed else Verdict.OPEN
