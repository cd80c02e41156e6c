"""The size of the binary tree, which its counter and the accounting both need."""

from privrl.checks import count


def levels(releases: int) -> int:
    """Nodes that one item can touch, and live nodes at most, in a tree with that many releases:
    floor(log2) + 1."""
    return count("releases", releases).bit_length()
