"""The tests of the figures: tables, drawings, and what captions and errata say of them."""

import hashlib
from pathlib import Path

import pandas as pd

from figures import registry


def drawn(identifier: str, table: str) -> pd.DataFrame:
    """A table of the committed data of a figure; that they are what the module makes is a test of
    the registry."""
    data = pd.read_csv(registry.DATA / f"{identifier}.csv", low_memory=False)
    # one alone has no column of names
    mine = data[data["table"] == table] if "table" in data else data
    return mine.dropna(axis="columns", how="all")


def checksum(path: Path) -> str:
    """SHA-256 of a table's bytes: no number of a table can change unseen."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
