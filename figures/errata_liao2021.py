"""The errata of liao2021 in the order of their consequence, privacy first: what fails, what stands, what it changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from figures.errata_vietri2020 import Erratum
from figures.reading import paragraph
from theory.ledger import Row

PAPER = "liao2021"

PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "values are cut from above only, so that no finite noise makes a message private",
            ("theorem-5.1",),
            (("theorem-5.1", "corrected"),
             ("theorem-5.1", "reading: values in [0, H - h], features with (3.1), epsilon >= 0.0068")),
            "clip Q to [0, H - h + 1]. The printed noise then keeps its promise for every epsilon from 0.0068 on, with "
            "room to spare: noise a sixteenth as large would do at epsilon = 1, H = 4. Without the clip a user's "
            "message has no bounded change, in the algorithm and in the experiments alike.",
        ),
        Erratum(
            "one-hot features break (3.1), and tabular MDPs with them",
            ("equation-3.1", "example-3.3"),
            (("equation-3.1", "corrected"), ("example-3.3", "corrected")),
            "divide one-hot features by sqrt(S), or count the change of a message as (S^2 + 3S)/4.5 times what (3.1) "
            "allows (squared); unscaled, the printed noise fails for S = 50 at epsilon = 1.",
        ),
        Erratum(
            "epsilon stands inside the root of sigma",
            ("algorithm-1-sigma",),
            (("algorithm-1-sigma", "corrected"),),
            "the noise is too small by sqrt(epsilon) for its own derivation where epsilon < 1, and larger than asked "
            "for above; the whole message is private all the same from epsilon = 0.0068 on. It changes the regret: "
            "with the printed sigma the private part goes with epsilon^{-1/4}, not epsilon^{-1/2}.",
        ),
        Erratum(
            "the experiments' noise is derived from a sensitivity that is not the one of their features",
            ("section-6.2-sigma",),
            (("section-6.2-sigma", "corrected"),),
            "nothing for privacy, given values clipped at 0: the noise set there is 19 times the smallest at S = 3, "
            "epsilon = 1. Much for learning: most of the noise in figure 2 buys nothing.",
        ),
    ),
    "The algorithm and its regret": (
        Erratum(
            "the upper bound has no term without 1/epsilon, another power of epsilon, and a bonus that does not cover",
            ("theorem-5.2",),
            (("theorem-5.2", "corrected"),),
            "use the bound with explicit constants (its proof here is zhou2022's analysis with local noise; the "
            "paper's is in an appendix that is not in our copy). It says something from 3 million users on at epsilon "
            "= 1 in the smallest mixture with accounted noise, and from 4.2e12 on with the printed one.",
        ),
        Erratum(
            "the tuned bonus falls with h, the noise does not",
            ("section-6.2-beta",),
            (("section-6.2-beta", "corrected"), ("section-6.2-beta", "step: what can be learnt")),
            "a c that covers leaves nothing to learn within 10^4 episodes; the c that a grid finds does not cover. The "
            "curves of figure 2 are those of a heuristic, not of the analysed algorithm.",
        ),
        Erratum(
            "the feature embedding lacks a transposition",
            ("example-3.4",),
            (("example-3.4", "corrected"),),
            "take vec(M') where the example has vec(M), and check the norms: the example does not.",
        ),
    ),
    "Lower bounds": (
        Erratum(
            "the divergence of privatised histories: the wrong laws on the right, and a factor far too large",
            ("lemma-5.4", "equation-5.1"),
            (("lemma-5.4", "corrected"), ("lemma-5.4", "corrected: against total variation"),
             ("equation-5.1", "corrected")),
            "put the raw rewards on the right; then tanh^2(epsilon/2) is the best factor. With it the lower bounds "
            "hold with better constants, and do not vanish as epsilon grows.",
        ),
        Erratum(
            "lower bounds: any environment for some, an H lost in the range, two forms of epsilon",
            ("theorem-5.6", "lemma-5.5"),
            (("theorem-5.6", "corrected"), ("lemma-5.5", "reading: some environment"),
             ("lemma-5.5", "corrected: sharper")),
            "use 0.045 (d - 1) H sqrt(T)/tanh(epsilon/2) for T >= 3 (d - 1)^2 H^2/tanh^2(epsilon/2). It is for pure "
            "epsilon-LDP.",
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
