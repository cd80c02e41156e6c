"""Sums under shared noise, in three places: on a user's device, in a secure sum, on the server.

All hold whole numbers, in units of the grid on which :mod:`privrl.privacy.shares` accounts for
them. A device and the server's tree are what is deployed; the secure sum between them is a protocol
under encryption, for which :class:`SecureSums` stands.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privrl.checks import array, count, instance, require
from privrl.privacy import exact, snapshot
from privrl.privacy.once import Once
from privrl.privacy.shares import Message, Sharing, nodes
from privrl.types import FloatArray, IntArray


class SharedDevice(Once):
    """A user's own device: her contribution with a share of noise for each of her nodes, once."""

    def __init__(self, sharing: Sharing, user: int) -> None:
        super().__init__()
        self.sharing = instance("sharing", sharing, Sharing)
        self.user = count("user", user)
        require(user <= sharing.users, "user must be <= users", user=user, users=sharing.users)
        exact.opendp()
        self._sent: Message | None = None

    def message(self, contribution: ArrayLike) -> Message:
        """What is handed to the secure sums; asked for again, the same again."""
        sharing = self.sharing
        row = array("contribution", contribution, (sharing.width,))
        require(
            bool((np.abs(row) <= sharing.norm).all()),
            "a contribution's entries must be <= norm",
            norm=sharing.norm,
        )
        with self._alone():
            if self._sent is None:
                hidden = _steps(row, sharing.grid)
                levels = nodes(self.user, sharing.users)
                self._sent = {level: self._parts(level) for level in levels}
                for parts in self._sent.values():
                    parts[0] += hidden
            return {level: parts.copy() for level, parts in self._sent.items()}

    def _parts(self, level: int) -> IntArray:
        """(P, W), a share of noise."""
        grid = self.sharing.grid
        draws = [
            exact.drawn("gaussian", deviations, grid, 1, exact.MOST_GRID_STEPS)[0]
            for deviations in self.sharing.parts(level)
        ]
        return _steps(np.array(draws), grid)


class SecureSums:
    """Ideal secure sums: it stands for a protocol, which adds up whole numbers modulo 2^64.

    Users come in order, 1, 2, ..; each node takes one share of each of its users, and its sum is
    handed out when the last of them has had her turn, with the parts of noise that the drop-outs
    call for, or never.
    """

    def __init__(self, sharing: Sharing) -> None:
        self.sharing = instance("sharing", sharing, Sharing)
        self.users = 0  #: who have had their turn
        self._open = [
            np.zeros_like(sharing.parts(level), dtype=np.int64) for level in range(sharing.levels)
        ]
        self._there = np.zeros(sharing.levels, dtype=np.int64)

    def turn(self, user: int, message: Message) -> IntArray:
        """The sum of the node that ends with ``user``, (W,), noise included, in grid units.

        ``message`` : of her device; a node that is not in it is one that she dropped out of

        Raises
        ------
        ValueError
            Not her turn, or parts of nodes that she is not in; nothing is counted.
        RuntimeError
            The node has too few users who are there. The tree ends here.
        """
        require(
            user == self.users + 1 <= self.sharing.users,
            f"user must be {self.users + 1}, the next one",
            user=user,
        )
        levels = nodes(user, self.sharing.users)
        require(isinstance(message, dict), "a message must be of a device", message=message)
        require(set(message) <= set(levels), "a message must be for her nodes", levels=[*message])
        shares = {
            level: _whole("message", share, self._open[level].shape)
            for level, share in message.items()
        }
        for level, share in shares.items():
            self._open[level] += share
            self._there[level] += 1
        self.users = user
        level = (user & -user).bit_length() - 1  # of the node that ends here
        parts = self.sharing.handed_out(user, 2**level - int(self._there[level]))
        total: IntArray = self._open[level][:parts].sum(axis=0)
        self._open[level][:] = 0
        self._there[level] = 0
        return total


class SharedTree:
    """The server's side: it adds up the sums that were handed out, of one node after each user.

    There is nothing in it that the server does not see anyway.
    """

    def __init__(self, sharing: Sharing) -> None:
        self.sharing = instance("sharing", sharing, Sharing)
        self.released = 0  #: so often, once after each user
        self._totals = np.zeros((sharing.levels, sharing.width), dtype=np.int64)
        self._total: IntArray | None = None  # of the node that ends with the next user

    def take(self, total: ArrayLike) -> FloatArray:
        """(W,), the noisy sums of all users so far, with the sum of the node that ends with the
        next user, (W,) in grid units."""
        self.put(total)
        return self.row(np.zeros(self.sharing.width))

    def put(self, total: ArrayLike) -> None:
        """The sum of the next node, or ``ValueError``, for the next :meth:`row`."""
        self._total = _whole("total", total, (self.sharing.width,))

    def row(self, sums: FloatArray) -> FloatArray:
        """(W,), what is added to ``sums``, which are zero where nobody else has them, to give what
        is released."""
        total = self._total
        if total is None or self.released >= self.sharing.users:
            raise ValueError(
                "the sum of a node must be handed in before each release, "
                f"got released={self.released}"
            )
        self.released += 1
        level = (self.released & -self.released).bit_length() - 1
        self._totals[:level] = 0  # their users are in this node
        self._totals[level], self._total = total, None
        return np.asarray(self._totals.sum(axis=0) * self.sharing.grid - sums)

    def state(self) -> dict[str, NDArray[Any]]:
        """Copies of all that the next rows depend on."""
        return {"released": np.array(self.released), "totals": self._totals.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on where :meth:`state` was taken, or ``ValueError``; nothing is changed then."""
        require(
            state.keys() == {"released", "totals"},
            "state must be of shared noise",
            names=sorted(state),
        )
        released = snapshot.whole("released", state["released"], self.sharing.users)
        totals = _whole("totals", state["totals"], self._totals.shape)
        ended = np.array([released >> level & 1 == 0 for level in range(self.sharing.levels)])
        require(
            not totals[ended].any(),
            "a snapshot's totals must be those of its releases",
            released=released,
        )
        self.released, self._totals, self._total = released, totals.copy(), None


def _steps(numbers: FloatArray, grid: float) -> IntArray:
    """In grid units, to the nearest."""
    return np.asarray(np.rint(numbers / grid).astype(np.int64))


def _whole(name: str, numbers: ArrayLike, shape: tuple[int, ...]) -> IntArray:
    """Whole numbers of that shape that doubles hold, or ``ValueError``."""
    units = np.asarray(numbers)
    require(
        units.shape == shape and units.dtype.kind == "i",
        f"{name} must be whole numbers of shape {shape}",
        shape=units.shape,
        type=str(units.dtype),
    )
    most = int(exact.MOST_GRID_STEPS)
    require(
        bool(((units >= -most) & (units <= most)).all()),
        f"{name} must be within {most:,} grid units",
        least=int(units.min()),
        most=int(units.max()),
    )
    return units.astype(np.int64)
