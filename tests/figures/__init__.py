"""The tests of the figures: tables, drawings, and what captions and errata say of them."""

import pandas as pd

from figures import registry


def drawn(identifier: str, table: str) -> pd.DataFrame:
    """A table of the committed data of a figure; that they are what the module makes is a test of the registry."""
    found = pd.read_csv(registry.DATA / f"{identifier}.csv", low_memory=False)
    mine = found[found["table"] == table] if "table" in found else found  # one alone has no column of names
    return mine.dropna(axis="columns", how="all")
