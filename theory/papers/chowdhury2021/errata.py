"""The errata of chowdhury2021 in the order of their consequence, privacy first: what fails, what stands, what it
changes.

The statements, instances and checks are the ledger's; only the order and the consequences are written here. Every claim
with a record that fails stands in exactly one group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from theory import errata
from theory.errata import Erratum
from theory.ledger import Row

PAPER = "chowdhury2021"
PARTS: dict[str, tuple[Erratum, ...]] = {
    "Privacy": (
        Erratum(
            "the radius reads the data before noise, and each counter exceeds its share", ("theorem-2", "sensitivity"),
            (("theorem-2", "corrected: a radius that reads releases only"),
             ("theorem-2", "reading: both counters together, one user replaced, epsilon <= 6.36"),
             ("theorem-2", "corrected"), ("sensitivity", "corrected")),
            "three repairs, all in `corrected` and `tight`: a radius made from released sums, which costs next to "
            "nothing; gains cut at gamma, which this system never needs; noise by the exact curve of both counters "
            "together. Up to epsilon = 6.36 the printed noise is enough for that curve, and at epsilon = 1 it is 1.7 "
            "times what is needed. So the defect that matters is the radius: as printed, nothing protects what it "
            "reads."),
        Erratum(
            "the norms of states and controls do not follow from assumption 1", ("lemma-2",),
            (("lemma-2", "corrected"),),
            "privacy and regret rest on |u| <= gamma. Choose gamma for the gains (lq_gain_bound), restrict the "
            "choice in (9), or cut gains; with cut gains the regret proof does not cover the run. In the systems of "
            "the suite no gain is ever cut."),
    ),
    "The algorithm": (
        Erratum(
            "the gains of (3) are printed with the cost matrix of the wrong step", ("equation-4", "lemma-6"),
            (("equation-4", "corrected: the gains"), ("lemma-6", "corrected")),
            "use P_(h+1), so that the last control is 0. With (3) as printed the regret is linear even for an agent "
            "that knows the system."),
        Erratum(
            "the optimistic choice need not exist, not even in the first episode, nor do the inputs suffice for it",
            ("equation-9",), (("equation-9", "corrected"),),
            "search the closed ball without asking for controllability, and give the algorithm the covariance of the "
            "noise. Nothing in the proofs changes."),
        Erratum("the confidence set spends alpha one and a half times", ("lemma-1",), (("lemma-1", "corrected"),),
                "take the constants of assumption 2 at alpha/2, which changes logarithms only."),
    ),
    "Regret": (
        Erratum(
            "constants that are lost on the way to the regret bound", ("claim-1", "claim-2", "lemma-7", "lemma-3"),
            (("claim-1", "corrected"), ("claim-2", "corrected"), ("lemma-7", "corrected"), ("lemma-3", "printed")),
            "the orders in K stand. D is no constant: it grows with H unless the choice is restricted to ||A|| <= "
            "C_A. In the private algorithm the proved constants are far smaller than the printed lines multiplied "
            "out, and make theorem 3 say something four to five orders of magnitude earlier."),
        Erratum(
            "failure probabilities, a lost root, and a cost of privacy that is not epsilon^{-1/2} for every epsilon",
            ("theorem-1", "theorem-3"),
            (("theorem-1", "corrected"), ("theorem-3", "corrected"),
             ("theorem-3", "step: the cost of privacy grows as epsilon^{-1/2}"),
             ("theorem-3", "corrected: before the agent can learn"),
             ("theorem-1", "corrected: a lower bound, which the paper does not state")),
            "use regret_bound. The power -1/2 is that of the bound with the printed noise; noise that is really "
            "(epsilon, delta)-private falls more slowly once epsilon exceeds ln(1/delta). The paper states no lower "
            "bound; the derived one needs smooth noise, is minimax near b = 0 and does not show what privacy costs."),
        Erratum("Slepian's inequality without the word centred", ("lemma-9",), (("lemma-9", "corrected"),),
                "nothing: the processes of the proof are centred."),
    ),
}


FIRST = {"theorem-2": "step: the policies are computed from the released statistics"}  # the decisive record


def groups() -> Iterator[tuple[str, Erratum]]:
    """(part, erratum) in order."""
    return errata.groups(PARTS)


def record_of(rows: Sequence[Row], claim: str, of: str) -> dict[str, Any]:
    """:func:`theory.errata.record_of` of this paper."""
    return errata.record_of(PAPER, rows, claim, of)


def failing(rows: Sequence[Row], claim: str) -> list[dict[str, Any]]:
    """:func:`theory.errata.failing` of this paper, the decisive record first."""
    return errata.failing(PAPER, rows, claim, FIRST.get(claim, ""))


def text(rows: Sequence[Row], erratum: Erratum) -> str:
    """:func:`theory.errata.text` of this paper."""
    return errata.text(PAPER, rows, erratum, FIRST)
