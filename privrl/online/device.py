"""Users' own devices: they act by the plan that was sent, and send what has noise."""

from typing import Any

import numpy as np

from privrl.agents.trajectory import Trajectory
from privrl.checks import count, instance, require
from privrl.online.terms import Protection, Terms
from privrl.privacy.once import Once
from privrl.privacy.secure_sums import SharedDevice
from privrl.privacy.shares import Message
from privrl.types import Entries, FloatArray, IntArray


class ActingDevice(Once):
    """What acts by the plan that was sent.

    Parameters
    ----------
    terms : of the session
    rows : of noise that leave it
    number : of the device; simulated noise, from one seed, is another for another device
    """

    def __init__(self, terms: Terms, rows: int, number: int) -> None:
        super().__init__()
        self._learner = instance("terms", terms, Terms).start()
        self._protection = Protection(terms, self._learner, rows, number)
        self._ties = terms.generators(number)[2]

    def update(self, sent: dict[str, FloatArray | IntArray]) -> None:
        """Take over the plan in force, ``session.learner.snapshot()``: without a trusted server
        nothing in it is secret."""
        with self._alone():
            self._learner.restore(instance("sent", sent, dict))

    def act(self, step: int, state: Any) -> Any:
        """As :meth:`privrl.online.Session.act`."""
        with self._alone():
            return self._learner.choose(step, state, float(self._ties.random()))

    def _entries(self, trajectory: Any) -> Entries:
        """Of a finished episode, rounded to the grid."""
        return self._protection.rounded(self._learner.entries(finished(trajectory)))


class Device(ActingDevice):
    """A user's own device, over ``local``: it sends a message with its own noise.

    Parameters
    ----------
    terms : of the session
    users : who use it, one after another; as many messages leave it
    number : of the device
    """

    def __init__(self, terms: Terms, users: int = 1, number: int = 0) -> None:
        counter = instance("terms", terms, Terms).counter
        require(counter == "local", "a device is for the counter local", counter=counter)
        super().__init__(terms, count("users", users), count("number", number, 0))
        self._walked = np.zeros(self._protection.noisy.size)

    def message(self, trajectory: Any) -> FloatArray:
        """(W,), what a finished episode adds to the sums, with noise of its own: one a user, who
        sends the same again.

        A second message of an episode has new noise: it costs as much privacy as the first.
        """
        with self._alone():
            entries = self._entries(trajectory)
            # the stream of ``local`` adds up
            walk = self._protection.row(np.zeros_like(self._walked))
            noise, self._walked = walk - self._walked, walk
            return entries.row() + noise


class SharingDevice(ActingDevice):
    """A user's own device, over ``secure`` with exact noise: for each node of the tree that she is
    in it hands her contribution and her share of the node's noise to a secure sum.

    Parameters
    ----------
    terms : of the session
    user : her number, from 0 on
    """

    def __init__(self, terms: Terms, user: int) -> None:
        require(
            instance("terms", terms, Terms).shared,
            "a sharing device is for the counter secure with exact noise",
            counter=terms.counter,
            noise=terms.noise,
        )
        self.user = count("user", user, 0)
        require(user < terms.users, f"user must be < {terms.users}, the users", user=user)
        super().__init__(terms, 1, 0)
        self._shares: SharedDevice | None = None
        if user < terms.releases:  # nothing is released after the last one
            self._shares = SharedDevice(self._protection.sharing, self.user + 1)

    def message(self, trajectory: Any) -> Message:
        """Level of a node -> (P, W'), the parts of her share, in whole grid units; asked for again,
        the same again. W' are the sums that have noise."""
        with self._alone():
            row = self._entries(trajectory).row()[self._protection.noisy]
            return {} if self._shares is None else self._shares.message(row)


def finished(trajectory: Any) -> Trajectory:
    """A trajectory of (states, actions, rewards), or ``ValueError``."""
    require(
        isinstance(trajectory, (tuple, list)) and len(trajectory) == 3,
        "a trajectory must be (states, actions, rewards)",
        trajectory=trajectory,
    )
    return Trajectory(*trajectory)
