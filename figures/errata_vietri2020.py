"""The errata of vietri2020 in the order of their consequence, privacy first: what fails, what stands, what it changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from figures.reading import paragraph
from theory.ledger import Row

PAPER = "vietri2020"


@dataclass(frozen=True)
class Erratum:
    """One group of slips with one consequence.

    Parameters
    ----------
    title : what is wrong, in a line
    claims : ids without the paper, the decisive one first
    stands : (claim, record) of the ledger that say what is true instead
    practice : what it changes for one who uses the algorithm or the bound
    """

    title: str
    claims: tuple[str, ...]
    stands: tuple[tuple[str, str], ...]
    practice: str


PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "the noise is too small for the claimed privacy",
            ("theorem-1", "claim-1", "theorem-12", "algorithm-5"),
            (("theorem-1", "corrected"), ("claim-1", "corrected"), ("theorem-12", "corrected: privacy"),
             ("algorithm-5", "corrected")),
            "node noise of scale 6H (floor(log2(T-1)) + 1)/epsilon in place of (3H/epsilon) ln T, 2.9 to 3.7 times as "
            "much; what was run as printed released counters whose exact loss is 2.9 to 3.7 epsilon. Whether the "
            "actions alone leak more than epsilon is open.",
        ),
        Erratum(
            "algorithm 2 by the letter feeds the reward counter of the visited tuple only",
            ("algorithm-2",),
            (("algorithm-2", "corrected"),),
            "feed 0 to all other counters of all three families in every step; otherwise a release that changed shows "
            "the visit, and no noise protects it.",
        ),
        Erratum(
            "Lap(epsilon) in the example of joint privacy",
            ("example-jdp",),
            (("example-jdp", "reading: towards future users"), ("example-jdp", "corrected: the tree in its place")),
            "read the argument as 1/scale, unlike in algorithm 5. The example itself is right.",
        ),
    ),
    "The algorithm": (
        Erratum(
            "PrivQ divides by released counts that can be zero or negative, and is then not optimistic",
            ("algorithm-3", "theorem-14", "lemma-15", "lemma-16", "lemma-17"),
            (("algorithm-3", "corrected"), ("theorem-14", "corrected"), ("lemma-15", "corrected"),
             ("lemma-16", "corrected")),
            "set Q~+ = H where n~ < 2E, as the proof of lemma 15 does. With that every plan is optimistic on the good "
            "event, and a third of psi~ could be saved.",
        ),
        Erratum(
            "the width E has lost a factor 4, and the fail event a logarithm",
            ("equation-e-epsilon", "lemma-13", "section-2.3"),
            (("equation-e-epsilon", "corrected: T >= 4"), ("lemma-13", "corrected"), ("section-2.3", "corrected")),
            "nothing from T = 4 on: the printed E covers the printed noise with room to spare (log(T)^2.5 where the "
            "tree's error grows like log T). Smaller widths learn from two and a half to four times fewer users "
            "(section 7).",
        ),
    ),
    "Upper bounds": (
        Erratum(
            "the gap of an episode is not bounded by its bonuses",
            ("lemma-18", "equation-5"),
            (("lemma-18", "corrected"), ("equation-5", "corrected")),
            "the heart of theorems 3 and 4. Repaired with one more event, at the price of a term S^2AH^3 without "
            "1/epsilon (or a factor sqrt(S)): the orders of both theorems stand where epsilon is at most about 1.",
        ),
        Erratum(
            "regret: bonuses above H, tuples counted without their step, lost factors",
            ("theorem-4", "equation-15", "equation-17"),
            (("theorem-4", "corrected"), ("equation-15", "corrected"), ("equation-17", "corrected: counted by visits")),
            "use regret_bound. At epsilon = 1 the printed sum exceeds the bound proved for the same noise at the sizes "
            "and T compared, so its value, not its proof, can be quoted there. It says something only from 4.4 to 4.9 "
            "times as many users on as that bound, 12 to 24 times as many as the bound for noise that is epsilon-JDP.",
        ),
        Erratum(
            "PAC: a lost factor 1 + SH, Hoelder's exponent inverted, nice episodes defined by the wrong inequality",
            ("theorem-3", "lemma-19", "lemma-20", "lemma-21"),
            (("theorem-3", "corrected"), ("lemma-19", "corrected"), ("lemma-20", "corrected"),
             ("lemma-21", "corrected")),
            "use pac_bound, which does without nice episodes and is 100 to 440 times smaller in the panels of section "
            "9 (190 and more for noise that is epsilon-JDP). It has the theorem's order where epsilon <= H or S alpha "
            "<= H.",
        ),
    ),
    "Lower bounds": (
        Erratum(
            "joint privacy does not cost a factor A",
            ("theorem-5", "lemma-10", "lemma-9", "equation-42", "lemma-11"),
            (("theorem-5", "corrected: private policies"), ("theorem-5", "corrected: the first term"),
             ("theorem-5", "corrected: what joint privacy allows"),
             ("lemma-10", "corrected: private policies"), ("lemma-10", "corrected: joint privacy"),
             ("lemma-9", "corrected: private policies"), ("equation-42", "corrected")),
            "the first term of theorem 5 holds for every agent, its privacy term, with larger constants, for agents "
            "whose policies together are private (all that the billboard lemma covers, PUCB among them) and the sizes "
            "S of the tree above. An agent with secret arms, jointly private only, does better, so that the gap "
            "between upper and lower bound is no proof that PUCB is nearly optimal. It needs epsilon well below "
            "A^(-SH), at S = 3, H = 2, A = 10^6 and with the constant of the proof below 5e-39; on one bandit of 32 "
            "arms it shows at epsilon = 0.001.",
        ),
        Erratum(
            "the regret bound exceeds H T for small epsilon, and fails also when cut off there",
            ("theorem-6",),
            (("theorem-6", "corrected: private policies"), ("theorem-6", "corrected: joint privacy")),
            "use lower_regret: SAH log(epsilon T/(SA))/epsilon for private policies once T exceeds SA/epsilon; for "
            "joint privacy SH/epsilon, without A and without log T.",
        ),
        Erratum(
            "constants of the bandit lemmas",
            ("lemma-23", "lemma-7", "lemma-8"),
            (("lemma-23", "corrected"), ("lemma-7", "corrected"), ("lemma-8", "corrected")),
            "6 epsilon t alpha is right up to epsilon = 2.9, where it is loose; beyond it is false. Lemma 8 needs two "
            "instances that differ in one arm, and then its bound is twelve times too small.",
        ),
    ),
}


def groups() -> Iterator[tuple[str, Erratum]]:
    """(part, erratum) in order."""
    for part, found in PARTS.items():
        for erratum in found:
            yield part, erratum


def record_of(rows: Sequence[Row], claim: str, of: str) -> dict[str, Any]:
    """The record of that claim whose ``of`` is that.

    Raises
    ------
    ValueError
        There is none.
    """
    for row in rows:
        if row["id"] == f"{PAPER}/{claim}":
            for record in row.get("records", ()):
                if record["of"] == of:
                    return dict(record)
    raise ValueError(f"the ledger must have the record, got claim={claim!r}, of={of!r}")


def failing(rows: Sequence[Row], claim: str) -> list[dict[str, Any]]:
    """Records of a claim that fail: the printed statement and its readings before the steps."""
    found = [record for row in rows if row["id"] == f"{PAPER}/{claim}" for record in row.get("records", ())
             if record["verdict"] == "fails"]
    return sorted(found, key=lambda record: record["of"].startswith("step"))


def text(rows: Sequence[Row], erratum: Erratum) -> str:
    """What fails (the first record of each claim, the others by name), what stands, and what it changes."""
    lines = []
    printed = {row["id"]: row["statement"] for row in rows}
    for claim in erratum.claims:
        first, *others = failing(rows, claim)
        lines.append(f"  {claim} fails, {first['of']} ({first['rigor']})")
        lines.append(paragraph(first["statement"] or printed[f"{PAPER}/{claim}"]))
        lines.append(paragraph(f"Where: {first['domain']}."))
        if others:
            lines.append(paragraph("Also: " + "; ".join(record["of"] for record in others) + "."))
    for claim, of in erratum.stands:
        record = record_of(rows, claim, of)
        lines.append(f"  {claim} stands, {of} ({record['rigor']})")
        lines.append(paragraph(f"{record['statement']}."))
        lines.append(paragraph(f"Checked against: {record['mutant']} (rejected)."))
    lines.append("  in practice")
    lines.append(paragraph(erratum.practice))
    return "\n".join(lines)
