"""What can be reached from a kernel's arguments: the records in its signature, and the arrays in
its tuples."""

import inspect
from typing import get_type_hints

import numpy as np


def kernels_of(module):
    """The parameters of every function that a module defines, compiled or (``NUMBA_DISABLE_JIT``)
    not.

    Numba takes no keyword-only parameters: a function that has some is no kernel.
    """
    functions = {name: getattr(member, "py_func", member) for name, member in vars(module).items()}
    signatures = {
        name: inspect.signature(function).parameters
        for name, function in functions.items()
        if inspect.isfunction(function) and function.__module__ == module.__name__
    }
    return {
        name: list(parameters)
        for name, parameters in signatures.items()
        if not any(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())
    }


def records_of(kernel):
    """The classes of a kernel's parameters, and of the fields of those that are named tuples, to
    any depth."""
    waiting, records = list(get_type_hints(getattr(kernel, "py_func", kernel)).values()), set()
    while waiting:
        record = waiting.pop()
        if record not in records:
            records.add(record)
            waiting += list(get_type_hints(record).values()) if hasattr(record, "_fields") else []
    return records


def arrays(value):
    """The arrays in nested tuples."""
    if isinstance(value, tuple):
        return [array for item in value for array in arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


def overlapping(first, second):
    """Whether two nested tuples hold arrays with memory in common."""
    return any(np.shares_memory(a, b) for a in arrays(first) for b in arrays(second))
