"""What can be reached from a kernel's arguments: the records in its signature, and the arrays in its tuples."""

import inspect
from typing import get_type_hints

import numpy as np


def kernels_of(module):
    """The parameters of every function that a module defines, compiled or (``NUMBA_DISABLE_JIT``) not.

    Numba takes no keyword-only parameters: a function that has some is no kernel.
    """
    found = {name: getattr(thing, "py_func", thing) for name, thing in vars(module).items()}
    taken = {name: inspect.signature(thing).parameters for name, thing in found.items()
             if inspect.isfunction(thing) and thing.__module__ == module.__name__}
    return {name: list(parameters) for name, parameters in taken.items()
            if not any(one.kind is one.KEYWORD_ONLY for one in parameters.values())}


def records_of(kernel):
    """The classes of a kernel's parameters, and of the fields of those that are named tuples, to any depth."""
    waiting, found = list(get_type_hints(getattr(kernel, "py_func", kernel)).values()), set()
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += list(get_type_hints(one).values()) if hasattr(one, "_fields") else []
    return found


def arrays(value):
    """The arrays in nested tuples."""
    if isinstance(value, tuple):
        return [one for part in value for one in arrays(part)]
    return [value] if isinstance(value, np.ndarray) else []


def overlapping(one, other):
    """Whether two nested tuples hold arrays with memory in common."""
    return any(np.shares_memory(a, b) for a in arrays(one) for b in arrays(other))
