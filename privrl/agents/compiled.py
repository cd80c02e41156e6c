"""How the agents' kernels are compiled: ``kernel``; ``inlined``, into its caller; ``allocating``, which creates arrays.

Numba counts references to every array of a tuple, atomically, wherever the tuple is handed on; it leaves the counts out
by itself only where all arguments are plain arrays. Over the named tuples of an agent the counts took 1.5 to 3 times
the rest of an episode. ``_nrt=False`` compiles without them (numba's own advice in its issue 2345). Such a kernel can
create no array, which the compiler checks, and returns none but those that it was given; the caller holds them. One
that creates arrays says so, since otherwise it would be compiled like the kernel that calls it first. Over a dozen
numbers, a call takes as long as what is called: the steps of a tabular episode are ``inlined``.
"""

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, nogil=True, error_model="numpy", _nrt=False)  # type: ignore[call-overload]
allocating: Any = njit(cache=True, nogil=True, error_model="numpy", _nrt=True)  # type: ignore[call-overload]
inlined: Any = njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)  # type: ignore[call-overload]
