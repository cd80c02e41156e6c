"""The errata of zhou2022 in the order of their consequence, privacy first: what fails, what stands, what it changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from figures.errata_vietri2020 import Erratum
from figures.reading import paragraph
from theory.ledger import Row

PAPER = "zhou2022"
PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "the claimed privacy fails at large epsilon, and each counter exceeds its share",
            ("theorem-6.4",),
            (("theorem-6.4", "reading: O is the constant 1, epsilon <= 24.8"), ("theorem-6.4", "corrected")),
            "nothing up to epsilon = 24.8: there the printed noise is more than enough, several times over at usual "
            "epsilon. The noise that the exact curve of all 4H counters together asks for (calibration `corrected`) "
            "gives the same guarantee and learns, in the runs of section 11, from 1.6 to 10 times fewer users; beyond "
            "24.8 it is needed.",
        ),
        Erratum(
            "the number of partial sums with the natural logarithm",
            ("lemma-6.1",),
            (("lemma-6.1", "corrected"),),
            "read m = ceil(log2 K), and release nothing after the last episode: line 14 at k = K asks for a sum that "
            "no plan reads, and at K = 2^p it would cost one partial sum more.",
        ),
    ),
    "The algorithms": (
        Erratum(
            "Lambda = 0 is inverted, and the sums are displayed with the wrong episode's features",
            ("algorithm-1", "algorithm-2"),
            (("algorithm-1", "corrected"), ("algorithm-2", "corrected")),
            "start from the shift, 2 Sigma I; sum phi^j(s^j, a^j) as the partial sums of section 6.1 and Appendix A "
            "do. With phi^k no counter could be fed, and nothing would be private. Where noise makes a matrix "
            "indefinite the pseudo-code is silent: here Q is then its cap.",
        ),
        Erratum(
            "the ellipsoids for the displayed estimate",
            ("lemma-3.1",),
            (("lemma-3.1", "corrected"),),
            "the same correction. The filtrations must also hold the noise of the releases and, for policy "
            "optimisation, the action; beta_p and beta_r are right as printed. Values in [0, H - h] would allow "
            "(H - h)/2 for H/2.",
        ),
    ),
    "Regret": (
        Erratum(
            "policy optimisation with first states that change",
            ("theorem-5.1",),
            (("theorem-5.1", "corrected"),),
            "use algorithm 2 only where every episode begins in the same state, or in one drawn from the same law. "
            "Value iteration has no such restriction.",
        ),
        Erratum(
            "a lost factor H on the way to the regret bound, and lambda_min forgotten at astronomic epsilon",
            ("theorem-4.1", "theorem-6.5"),
            (("theorem-4.1", "corrected"), ("theorem-6.5", "corrected")),
            "the orders stand: with a better step the displayed bound follows with the constant 9 (10 for policy "
            "optimisation). The sums before the constants are hidden are larger by an order of magnitude and more "
            "than what is proved.",
        ),
        Erratum(
            "a case that the proof of optimism leaves out",
            ("lemma-7.2",),
            (("lemma-7.2", "printed"),),
            "nothing: Q is cut at H - h + 1, the case is trivial and the lemma true.",
        ),
        Erratum(
            "Slepian's inequality without centring",
            ("lemma-B.1",),
            (("lemma-B.1", "corrected"),),
            "nothing: the paper applies it to centred processes only.",
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
    for claim in erratum.claims:
        first, *others = failing(rows, claim)
        lines.append(f"  {claim} fails, {first['of']} ({first['rigor']})")
        lines.append(paragraph(first["statement"]))
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
