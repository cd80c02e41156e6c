"""Eight numbers at a time: what a kernel computes for neighbouring states stays in one wide register.

A compiled loop over a dozen numbers spends more on its set-up than on the additions. Here ``load`` takes eight
neighbours of an array as one value. Operators act on each of the eight, and a scalar stands for eight equal ones.
Nothing is reassociated: every lane rounds as a scalar would. Under ``NUMBA_DISABLE_JIT`` the eight are a NumPy array.

Nothing is checked. Arrays are C-contiguous, of float64 or int64, and their last axis is :func:`padded`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import intrinsic, overload, register_model
from numpy.typing import NDArray

LANES = 8


def padded(size: int) -> int:
    """The least multiple of ``LANES`` that is >= ``size``."""
    return -(-size // LANES) * LANES


def zeros(shape: tuple[int, ...], dtype: type = np.float64) -> NDArray[Any]:
    """Zeros of a dtype of 8 bytes; eight lanes from a multiple of eight on share one line of the cache."""
    size = int(np.prod(shape))
    room: NDArray[Any] = np.zeros(size + LANES, dtype=dtype)
    start = -room.ctypes.data // 8 % LANES
    return room[start : start + size].reshape(shape)


# --- plain Python ----------------------------------------------------------------------------------------------------


def load(array: Any, at: Any) -> Any:
    """Eight neighbours along the last axis; ``at`` is the index, a tuple, of the first."""
    return array[(*at[:-1], slice(at[-1], at[-1] + LANES))].copy()


def store(array: Any, at: Any, lanes: Any) -> None:
    """Write eight neighbours where :func:`load` reads them."""
    array[(*at[:-1], slice(at[-1], at[-1] + LANES))] = lanes


def spread(value: Any) -> Any:
    """Eight times the same float64 or int64."""
    return np.full(LANES, value)


def where(truth: Any, lanes: Any, others: Any) -> Any:
    """``lanes`` where ``truth`` holds, ``others`` elsewhere; one of the two may be a scalar."""
    return np.where(truth, lanes, others)


def count(truth: Any) -> Any:
    """In how many lanes ``truth`` holds."""
    return int(truth.sum())


def largest(lanes: Any) -> Any:
    """The largest of the eight, none of them NaN."""
    return lanes.max()


def lowest_bit(mask: Any) -> Any:
    """Index of the lowest bit set in the integer ``mask`` > 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


# --- compiled --------------------------------------------------------------------------------------------------------

_BITS: dict[Any, Any] = {types.float64: ir.DoubleType(), types.int64: ir.IntType(64), types.boolean: ir.IntType(1)}
_INDEX = ir.IntType(32)
_intrinsic: Any = intrinsic  # numba's types do not know what the decorator leaves


class Lanes(types.Type):
    """``LANES`` values of one element type: float64, int64 or boolean."""

    def __init__(self, element: Any) -> None:
        self.element = element
        super().__init__(name=f"Lanes({element})")


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, ir.VectorType(_BITS[kind.element], LANES))  # type: ignore[no-untyped-call]


def _element(*kinds: Any) -> Any:
    """The element type that lanes among the arguments have; ``None`` without lanes."""
    return next((kind.element for kind in kinds if isinstance(kind, Lanes)), None)


def _spread(context: Any, builder: Any, value: Any, kind: Any, element: Any) -> Any:
    """A value as lanes: lanes themselves, or a scalar repeated."""
    if isinstance(kind, Lanes):
        return value
    wide = ir.VectorType(_BITS[element], LANES)
    first = builder.insert_element(ir.Constant(wide, ir.Undefined), context.cast(builder, value, kind, element),
                                   ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))


def _operator(operation: Callable[..., Any], build: Callable[..., Any], truth: bool = False) -> None:
    """Define a binary operator on lanes, and on lanes and a scalar."""

    @_intrinsic
    def compiled(_typing, left, right):  # type: ignore[no-untyped-def]
        element = _element(left, right)

        def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
            both = (_spread(context, builder, value, kind, element)
                    for value, kind in zip(values, signature.args, strict=True))
            return build(builder, element == types.float64, *both)

        return Lanes(types.boolean if truth else element)(left, right), generate

    def choose(left, right):  # type: ignore[no-untyped-def]
        return None if _element(left, right) is None else lambda left, right: compiled(left, right)  # noqa: PLW0108

    overload(operation)(choose)


def _comparison(symbol: str) -> Callable[..., Any]:
    def build(builder: Any, real: bool, left: Any, right: Any) -> Any:
        if not real:
            return builder.icmp_signed(symbol, left, right)
        return (builder.fcmp_unordered if symbol == "!=" else builder.fcmp_ordered)(symbol, left, right)

    return build


_operator(operator.add, lambda builder, real, a, b: (builder.fadd if real else builder.add)(a, b))
_operator(operator.sub, lambda builder, real, a, b: (builder.fsub if real else builder.sub)(a, b))
_operator(operator.mul, lambda builder, real, a, b: (builder.fmul if real else builder.mul)(a, b))
_operator(operator.truediv, lambda builder, real, a, b: builder.fdiv(a, b))  # of float64
_operator(operator.and_, lambda builder, real, a, b: builder.and_(a, b))  # of int64 or boolean
_operator(operator.or_, lambda builder, real, a, b: builder.or_(a, b))
for _operation, _symbol in ((operator.gt, ">"), (operator.ge, ">="), (operator.lt, "<"), (operator.le, "<="),
                            (operator.eq, "=="), (operator.ne, "!=")):
    _operator(_operation, _comparison(_symbol), truth=True)


def _pointer(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Where the eight neighbours begin; the first two arguments are array and index."""
    kind = signature.args[0]
    view = context.make_array(kind)(context, builder, values[0])
    at = cgutils.unpack_tuple(builder, values[1])  # type: ignore[no-untyped-call]
    first = cgutils.get_item_pointer(context, builder, kind, view, at)  # type: ignore[no-untyped-call]
    return builder.bitcast(first, ir.VectorType(_BITS[kind.dtype], LANES).as_pointer())


@_intrinsic
def _load(_typing, array, at):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return builder.load(_pointer(context, builder, signature, values), align=8)

    return Lanes(array.dtype)(array, at), generate


@_intrinsic
def _store(_typing, array, at, lanes):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        builder.store(values[2], _pointer(context, builder, signature, values), align=8)
        return context.get_dummy_value()

    return types.void(array, at, lanes), generate


@_intrinsic
def _spread_out(_typing, value):  # type: ignore[no-untyped-def]
    element = types.unliteral(value)  # type: ignore[no-untyped-call]

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        return _spread(context, builder, values[0], signature.args[0], element)

    return Lanes(element)(value), generate


@_intrinsic
def _where(_typing, truth, lanes, others):  # type: ignore[no-untyped-def]
    element = _element(lanes, others)

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        both = (_spread(context, builder, value, kind, element)
                for value, kind in zip(values[1:], signature.args[1:], strict=True))
        return builder.select(values[0], *both)

    return Lanes(element)(truth, lanes, others), generate


@_intrinsic
def _count(_typing, truth):  # type: ignore[no-untyped-def]
    def generate(_context, builder, _signature, values):  # type: ignore[no-untyped-def]
        return builder.zext(builder.ctpop(builder.bitcast(values[0], ir.IntType(LANES))), ir.IntType(64))

    return types.int64(truth), generate


@_intrinsic
def _largest(_typing, lanes):  # type: ignore[no-untyped-def]
    def generate(_context, builder, _signature, values):  # type: ignore[no-untyped-def]
        (rest,) = values
        half = LANES // 2
        while half:
            parts = (ir.Constant(ir.VectorType(_INDEX, half), list(range(at, at + half))) for at in (0, half))
            low, high = (builder.shuffle_vector(rest, rest, part) for part in parts)
            rest = builder.select(builder.fcmp_ordered(">", low, high), low, high)
            half //= 2
        return builder.extract_element(rest, ir.Constant(_INDEX, 0))

    return types.float64(lanes), generate


@_intrinsic
def _lowest_bit(_typing, mask):  # type: ignore[no-untyped-def]
    def generate(_context, builder, _signature, values):  # type: ignore[no-untyped-def]
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


# numba wants Python functions here, and so lambdas that only call
overload(load)(lambda array, at: lambda array, at: _load(array, at))  # noqa: PLW0108
overload(store)(lambda array, at, lanes: lambda array, at, lanes: _store(array, at, lanes))  # noqa: PLW0108
overload(spread)(lambda value: lambda value: _spread_out(value))  # noqa: PLW0108
overload(where)(lambda truth, lanes, others: lambda truth, lanes, others: _where(truth, lanes, others))  # noqa: PLW0108
overload(count)(lambda truth: lambda truth: _count(truth))  # noqa: PLW0108
overload(largest)(lambda lanes: lambda lanes: _largest(lanes))  # noqa: PLW0108
overload(lowest_bit)(lambda mask: lambda mask: _lowest_bit(mask))  # noqa: PLW0108
