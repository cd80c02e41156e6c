"""Agents in worlds that nobody knows: a session is handed finished episodes, one user at a time.

>>> from privrl import PrivateUCBVI, online
>>> agent = PrivateUCBVI(epsilon=1.0, delta=1e-6)
>>> unknown = online.tabular(states=3, actions=2, horizon=4)
>>> session = online.Session(agent, unknown, users=1000, noise="simulated", seed=7)
>>> action = session.act(step=0, state=2)
>>> session.observe(([2, 1, 0, 0, 1], [action, 0, 1, 1], [0, 1, 0, 0]))
True
>>> session.users, session.plan
(1, 1)
"""

from privrl.online.device import Device, SharingDevice
from privrl.online.drive import drive
from privrl.online.problems import lq, mixture, tabular
from privrl.online.session import Session
from privrl.online.submission import LONGEST, Submission, parse

__all__ = [
    "LONGEST",
    "Device",
    "Session",
    "SharingDevice",
    "Submission",
    "drive",
    "lq",
    "mixture",
    "parse",
    "tabular",
]
