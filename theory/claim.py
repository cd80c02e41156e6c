"""Claims, records and verdicts: what a check returns and how the ledger reads it.

A check is a function decorated with ``@claim(id)`` that yields its records. A record is made by a
:class:`Trial`, which *runs* the test on the claim and on its mutant: a test that fails on the
claim, or passes on the mutant, is an error and no record comes into being. So a hand-set "ok"
cannot be written. While :data:`TIGHTEN` is on, the test is also run with the bound tightened and
with a premise made false, and a record that accepts that may be neither proved nor certified.
"""

import enum
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from privrl.checks import require
from theory.formulas import as_labelled, downwards, plain, upwards
from theory.rigor.kernel import Formal

X = TypeVar("X")
TIGHTEN = ContextVar("tighten", default=False)
FACTORS = (0.9, 0.5)
STEPS = 12  # bisections of the smallest accepted factor, on a logarithmic scale
FINEST = 2.0 ** (-STEPS / 2**STEPS)  # the largest factor below 1 that they try


class Verdict(enum.StrEnum):
    """What the ledger says of a claim (computed, never set by hand) or of one record."""

    HOLDS = "holds"
    CORRECTED = (
        "corrected"  # of a claim only: the printed statement fails, and a corrected one holds
    )
    FAILS = "fails"
    UNSPECIFIED = "unspecified"
    VACUOUS = "vacuous"
    OPEN = "open"


class Severity(enum.StrEnum):
    """How far a printed statement that fails is from the truth, mildest first."""

    WORDING = "wording"  # needs a word, an index, a convention
    CONSTANT = "constant"  # is false by a constant or a logarithm; the conclusion stands
    DOMAIN = "domain"  # needs a hypothesis or a range that it does not state
    SUBSTANCE = "substance"  # is false in its order, its privacy or its conclusion


class Rigor(enum.StrEnum):
    """How a record was decided, strongest first (see the README)."""

    KERNEL = "kernel"
    PROVED = "proved"
    CERTIFIED = "certified"
    DERIVED = "derived"
    EXACT = "exact"
    STATISTICAL = "statistical"
    COUNTEREXAMPLE = "counterexample"
    CITED = "cited"


class CheckError(AssertionError):
    """A test failed on the claim that it should confirm, or accepted a mutant that it should
    reject."""


@dataclass(frozen=True)
class Witness:
    """The mildest instance at which a statement was seen to fail."""

    at: Mapping[str, Any]  #: every parameter of the instance by its name
    claimed: tuple[str, Any]  #: the quantity, and its value by the statement
    found: tuple[str, Any]  #: the same as it was found
    from_on: str = (
        ""  #: for which parameters it fails, where the instance is not one that a user would choose
    )

    def as_dict(self) -> dict[str, Any]:
        """Plain values, numbers to six digits: up where the label says "at most", down where it
        says "at least"."""
        sides = {
            name: [label, _short(value, label)]
            for name, (label, value) in (("claimed", self.claimed), ("found", self.found))
        }
        return {
            "at": {name: _short(value) for name, value in self.at.items()},
            **sides,
            "from_on": self.from_on,
        }


def _short(value: Any, label: str = "") -> Any:
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return as_labelled(value, label, 6)


@dataclass(frozen=True)
class Record:
    """One decided statement about a claim.

    The words (statement, domain, evidence, mutant) are Markdown with formulas between dollar signs;
    :func:`theory.formulas.plain` makes them readable on a terminal. ``of`` is "printed" (the
    paper's words in their most natural reading, which alone sets the verdict of the claim),
    "reading: ..." (another reading), "step: ..." (one line of the printed proof), "corrected" or
    "corrected: ...".
    """

    of: str
    statement: str  #: the exact statement that was decided ("" where it is the printed one)
    verdict: Verdict  #: UNSPECIFIED where the paper leaves constants open; OPEN where nobody knows
    rigor: Rigor
    domain: str  #: parameters for which it was decided
    evidence: str  #: a sentence with the numbers; no timings, no paths
    mutant: str  #: the nearest neighbouring statement that the same test rejects
    mutant_rejected: bool  #: seen, not assumed
    sharpness: float | None = (
        #: factor on the constant that the test still accepts, where there is one: the smallest, or
        #: the largest of a bound from below
        None
    )
    severity: Severity | None = (
        None  #: of a printed record that fails, or is open where another stands in its place
    )
    witness: Witness | None = None  #: of a record that fails, the mildest instance
    uses: tuple[
        str, ...
    ] = ()  #: the records it rests on, "paper/claim" (its printed statement) or "paper/claim: of"
    proof: str = ""  #: a heading of the paper's proofs.md, for what is derived
    tightened: Mapping[str, bool] | str = (
        ""  #: tighter statements or false premises, and whether the test accepts them
    )
    formal: Mapping[str, Any] | None = (
        None  #: of a record that Coq's kernel checked: file, theorem, statement, mutant, axioms
    )
    #: what the check ran at or found, by name: for the fields of summaries and errata
    numbers: Mapping[str, float] = field(default_factory=dict)

    def _accepted_factor(self) -> float:
        """The factor of ``sharpness`` to four digits, rounded to what the test accepts as well."""
        factor = self.sharpness or 1.0
        return upwards(factor, 4) if factor < 1 else downwards(factor, 4)

    def as_dict(self) -> dict[str, Any]:
        """Plain values in a fixed order: words as they are read on a terminal, ``latex`` as they
        are typeset."""
        words = {
            name: getattr(self, name) for name in ("statement", "domain", "evidence", "mutant")
        }
        numbers = {name: _short(value) for name, value in self.numbers.items()}
        return {
            "of": plain(self.of),
            "statement": plain(self.statement),
            "verdict": str(self.verdict),
            "severity": self.severity and str(self.severity),
            "rigor": str(self.rigor),
            "domain": plain(self.domain),
            "evidence": plain(self.evidence),
            "mutant": plain(self.mutant),
            "mutant_rejected": self.mutant_rejected,
            "sharpness": self.sharpness and self._accepted_factor(),
            "witness": self.witness and self.witness.as_dict(),
            "uses": list(self.uses),
            "proof": self.proof,
            "tightened": self.tightened
            if isinstance(self.tightened, str)
            else dict(self.tightened),
            "latex": {name: text for name, text in {"of": self.of, **words}.items() if "$" in text},
            **({"formal": dict(self.formal)} if self.formal else {}),
            **({"numbers": numbers} if numbers else {}),
        }


@dataclass(frozen=True)
class Basis:
    """What a record rests on, beside its own test."""

    proof: str = ""  #: a heading of the paper's proofs.md, for what is derived
    uses: tuple[str, ...] = ()  #: records, "paper/claim" or "paper/claim: of"
    formal: Formal | None = None  #: the theorem of a record whose rigor is ``kernel``


@dataclass(frozen=True)
class Trial(Generic[X]):
    """A test, and where it is run: on the claim, on its mutants, on what is tighter.

    A record is made by one of three verbs, each of which runs the trial: :meth:`holds`,
    :meth:`fails` and :meth:`undecided`.

        Trial(test, at=.., mutant_at=.., mutant="..").holds("printed", Rigor.EXACT, domain="..")

    ``test(at)`` must be true: for a record that *holds* the test asks whether the statement holds,
    for one that *fails* whether the instance breaks it. ``test(mutant_at)`` must be false.

    While :data:`TIGHTEN` is on, the test is also run on ``scale`` or ``raised``, and ``tighter``.

    The verbs raise
        ValueError, where the rigor is ``kernel`` without a theorem or the other way round, or the
        committed outcome of the theorem's file is not that of its source;
        CheckError, where the test is false on the claim, true on a mutant, or true on half of the
        bound or a tighter statement although the rigor is stronger than derived.
    """

    test: Callable[[X], bool]
    at: X  #: the claim
    mutant_at: X | list[X]  #: the nearest neighbour that must be rejected, or each of a list
    mutant: str  #: the neighbour in words
    scale: Callable[[float], X] | None = None  #: where a bound from above is multiplied by a factor
    #: where a bound from below, or the end of a range, is
    raised: Callable[[float], X] | None = None
    tighter: Mapping[str, X] | str = ""
    """Statements that say more (a factor dropped, an exponent lowered) or assume less (a premise
    made false); in words where there is nothing to tighten, as in an identity."""
    #: the smallest accepted factor (from below the largest), where the check computes it
    sharpness: float | None = None
    #: what it ran at or found, by a name that the paper has once: "{name:format}" in a summary
    numbers: Mapping[str, float] = field(default_factory=dict)

    def holds(
        self,
        of: str,
        rigor: Rigor,
        *,
        statement: str = "",
        domain: str = "",
        evidence: str = "",
        basis: Basis = Basis(),  # frozen
    ) -> Record:
        """The statement holds."""
        words = (statement, domain, evidence)
        return self._record(Verdict.HOLDS, (of, rigor), words, basis)

    def fails(
        self,
        of: str,
        rigor: Rigor,
        *,
        witness: Witness,
        statement: str = "",
        domain: str = "",
        evidence: str = "",
        severity: Severity | None = None,
        basis: Basis = Basis(),  # frozen
    ) -> Record:
        """The statement fails, at the witness."""
        words = (statement, domain, evidence)
        record = self._record(Verdict.FAILS, (of, rigor), words, basis)
        return replace(record, witness=witness, severity=severity)

    def undecided(
        self,
        verdict: Verdict,
        of: str,
        rigor: Rigor,
        *,
        statement: str = "",
        domain: str = "",
        evidence: str = "",
        basis: Basis = Basis(),  # frozen
    ) -> Record:
        """Neither: open, unspecified or vacuous. The test is of what is known."""
        decided = verdict in (Verdict.HOLDS, Verdict.FAILS, Verdict.CORRECTED)
        require(not decided, "verdict must be open, unspecified or vacuous", verdict=str(verdict))
        words = (statement, domain, evidence)
        return self._record(verdict, (of, rigor), words, basis)

    def _record(
        self, verdict: Verdict, label: tuple[str, Rigor], words: tuple[str, str, str], basis: Basis
    ) -> Record:
        (of, rigor), (statement, domain, evidence) = label, words
        require(
            (rigor == Rigor.KERNEL) == (basis.formal is not None),
            "rigor must be kernel exactly where a theorem is named",
            rigor=str(rigor),
            formal=basis.formal,
        )
        if not self.test(self.at):
            raise CheckError(f"the test is false on the claim: {of}: {statement or evidence}")
        for broken in self.mutant_at if isinstance(self.mutant_at, list) else [self.mutant_at]:
            if self.test(broken):
                raise CheckError(f"the test accepts the mutant: {self.mutant}")
        tightened: Mapping[str, bool] | str = self.tighter if isinstance(self.tighter, str) else {}
        sharpness = self.sharpness
        if TIGHTEN.get():
            tightened, sharpness = self._tightened()
            weak = [] if isinstance(tightened, str) else _accepted(tightened)
            if weak and verdict == Verdict.HOLDS and rigor in (Rigor.PROVED, Rigor.CERTIFIED):
                raise CheckError(f"{of}: {rigor}, yet the test also accepts {', '.join(weak)}")
        return Record(
            of=of,
            statement=statement,
            verdict=verdict,
            rigor=rigor,
            domain=domain,
            evidence=evidence,
            mutant=self.mutant,
            mutant_rejected=True,
            sharpness=sharpness,
            uses=basis.uses,
            proof=basis.proof,
            tightened=tightened,
            formal=None if basis.formal is None else basis.formal.as_dict(),
            numbers=self.numbers,
        )

    def _tightened(self) -> tuple[Mapping[str, bool] | str, float | None]:
        """What the test accepts of the tightened statements, and the smallest factor on the bound
        that it accepts."""
        tighter: Mapping[str, bool] | str = (
            self.tighter
            if isinstance(self.tighter, str)
            else {label: bool(self.test(x)) for label, x in self.tighter.items()}
        )
        if self.scale is not None:
            run, power = self.scale, 1
        elif self.raised is not None:
            run, power = self.raised, -1
        else:
            return tighter, self.sharpness
        accepted = {
            share_of_bound(factor**power): bool(self.test(run(factor**power))) for factor in FACTORS
        }
        accepted |= {} if isinstance(tighter, str) else tighter
        low, high = 2.0**-STEPS, 1.0
        if self.test(run(low**power)):
            return accepted, low**power
        for _ in range(STEPS):
            middle = (low * high) ** 0.5
            low, high = (low, middle) if self.test(run(middle**power)) else (middle, high)
        return accepted, high**power


def _accepted(tightened: Mapping[str, bool]) -> list[str]:
    """What a test must not accept of a record that is proved or certified."""
    return [
        label for label, accepted in tightened.items() if accepted and label not in MILDLY_TIGHTENED
    ]


def share_of_bound(factor: float) -> str:
    """A part or a multiple of a bound in words, as the tests that it is run on are named."""
    return f"{factor:g} of the bound" if factor <= 1 else f"{factor:.4g} times the bound"


#: what a proved record may accept all the same, of a bound from above and of one from below
MILDLY_TIGHTENED = (share_of_bound(FACTORS[0]), share_of_bound(1 / FACTORS[0]))


Records = Iterator[Record]
Check = Callable[[], Iterable[Record]]
REGISTRY: dict[str, Check] = {}


def claim(identifier: str) -> Callable[[Check], Check]:
    """Register a check under a claim id of its paper's ``paper.toml``, e.g.
    ``vietri2020/claim-2``."""

    def register(check: Check) -> Check:
        if identifier in REGISTRY and REGISTRY[identifier].__module__ != check.__module__:
            raise ValueError(f"a claim has one check, got a second one for id={identifier!r}")
        REGISTRY[identifier] = check
        return check

    return register


def overall(records: Iterable[Record]) -> tuple[Verdict, Severity | None]:
    """The verdict of a claim and its severity, computed from its records.

    Only *printed* records count, the natural reading; readings and steps of the proof inform. One
    printed record fails:
    *corrected* where a corrected record holds, with the gravest severity among those that fail,
    else *fails*. Else open, unspecified and vacuous are passed on, in this order. All hold:
    *holds*. Nothing decided: *open*.
    """
    rows = list(records)
    printed = [row for row in rows if row.of == "printed"]
    verdicts = [row.verdict for row in printed]
    if Verdict.FAILS in verdicts:
        severities = [
            row.severity for row in printed if row.verdict == Verdict.FAILS and row.severity
        ]
        severity = max(severities, key=list(Severity).index, default=None)
        repaired = any(
            row.of.startswith("corrected") and row.verdict == Verdict.HOLDS for row in rows
        )
        return (Verdict.CORRECTED if repaired else Verdict.FAILS), severity
    for passed_on in (Verdict.OPEN, Verdict.UNSPECIFIED, Verdict.VACUOUS):
        if passed_on in verdicts:
            return passed_on, None
    return (Verdict.HOLDS if printed else Verdict.OPEN), None
