"""How the agents' kernels are compiled: ``kernel``; ``inlined``, into its caller; ``allocating``,
which creates arrays.

Numba counts references to every array of a tuple, atomically, wherever the tuple is handed on; it
leaves the counts out by itself only where all arguments are plain arrays. Over the named tuples of
an agent the counts took 1.5 to 3 times the rest of an episode. ``_nrt=False`` compiles without them
(numba's own advice in its issue 2345). Such a kernel can create no array, which the compiler
checks, and returns none but those that it was given; the caller holds them. One that creates arrays
says so, since otherwise it would be compiled like the kernel that calls it first. Over a dozen
numbers, a call takes as long as what is called: the steps of a tabular episode are ``inlined``.

To the type checker a compiled function is the function itself, so that it sees every call of a
kernel: a planner that is handed exact sums in place of what is released is refused before it runs.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
njit: Any = numba.njit  # its stubs know no ``_nrt``
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def kernel(function: Function) -> Function:
    """Compile without counts of references."""
    return cast(Function, njit(**OPTIONS, _nrt=False)(function))


def allocating(function: Function) -> Function:
    """Compile a kernel that creates arrays."""
    return cast(Function, njit(**OPTIONS, _nrt=True)(function))


def inlined(function: Function) -> Function:
    """As :func:`kernel`, into its caller."""
    return cast(Function, njit(**OPTIONS, _nrt=False, forceinline=True)(function))
