"""Who is trusted with the sums of users' contributions."""

from typing import Literal, get_args

#: A server; nobody, under a secure sum; a shuffler, which sees messages with noise; nobody at all.
Trust = Literal["server", "secure", "shuffle", "none"]
TRUST: tuple[Trust, ...] = get_args(Trust)
