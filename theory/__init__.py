"""What the papers claim, and the checks: the numbering, the claims with their records, and the
ledger.

``theory.papers`` holds the checks, ``theory.rigor`` how they decide, ``theory.lemmas`` what several
papers share, ``theory.papers.vietri2020.bounds.stated`` the displayed bounds as functions,
``theory.ledger`` runs everything and keeps the record.
"""
