"""Where an operand comes from: the same contents as an initializer, a constant, an input, a value that follows from
shapes, one whose size is only known when running, a view, an element of a sequence, the result of a branch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import numpy_helper

from . import registry
from .registry import NUMPY
from .scope import I64, Scope, Shape, Val

ADDS = {NUMPY[n] for n in ("float", "double", "int32", "int64")}


def make(s: Scope, dtype: np.dtype, shapes: Sequence[Shape]) -> Val:
    w = s.world
    if not w.plain:
        if (
            w.ways["known"]
            and w.chance(0.3 if w.mode == "turn" else 0.15)
            and len(set(shapes)) == 1
            and dtype in ADDS
            and (val := _scaled(s, dtype, shapes[0]))
        ):
            return val
        if w.ways["known"] and w.chance(0.2) and (val := _constant_of_shape(s, dtype, shapes)):
            return val
    if len(set(shapes)) == 1 and w.chance(0.7):
        return exactly(s, [w.content(dtype, shapes[0])] * len(shapes))
    return exactly(s, [w.content(dtype, shape) for shape in shapes])


def weights(s: Scope, dtype: np.dtype, shapes: Sequence[Shape]) -> Val:
    """What kernels like to have constant, and to keep in another layout: now and then it follows from a shape."""
    w = s.world
    if not w.plain and w.ways["known"] and w.chance(0.35) and len(set(shapes)) == 1 and dtype in ADDS:
        if (val := _scaled(s, dtype, shapes[0])) is not None:
            return val
    return make(s, dtype, shapes)


def exactly(s: Scope, arrays: Sequence[np.ndarray]) -> Val:
    w = s.world
    constant = all(a is arrays[0] or (a.shape == arrays[0].shape and np.array_equal(a, arrays[0])) for a in arrays)
    if constant:
        arrays = [arrays[0]] * len(arrays)
    ways = (
        ["input"] * 5 + ["initializer"] * (6 if constant else 0) + ["constant"] * (2 if constant else 0) + ["default"]
    )
    if not w.plain and w.count < 150:
        ways += [x for x in ["known"] * 3 + ["late"] * 2 + ["view"] * 2 + ["sequence"] if w.ways[x]]
    way = w.rng.choice(ways)
    if way == "initializer":
        return s.initializer(arrays[0])
    if way == "constant" and (val := s.one("Constant", [], value=numpy_helper.from_array(arrays[0]))):
        return val
    if way == "known" and constant and arrays[0].dtype in ADDS:
        zero = known_number(s, arrays[0].dtype)
        zero = zero and s.one("Sub", [zero, zero])
        shaped = arrays[0] if arrays[0].ndim else arrays[0].reshape(1)
        if zero and s.rank(zero) == 0 and (val := s.one("Add", [s.initializer(arrays[0]), zero])):
            return val
        if (
            zero
            and arrays[0].ndim
            and (val := s.one("Add", [zero, s.initializer(shaped)]))
            and s.shapes(val)[0] == arrays[0].shape
        ):
            return val
    if way == "late" and all(a.ndim for a in arrays) and (val := _late(s, arrays)):
        return val
    if way == "view" and (val := _view(s, arrays)):
        return val
    if way == "sequence" and (val := _element(s, arrays)):
        return val
    return s.tensor_input(arrays, default=way == "default")


def known_number(s: Scope, dtype: np.dtype) -> Val | None:
    """A number, of rank 0 or 1, that follows from a shape."""
    w = s.world
    some = [v for v in s.usable() if not v.constant and not v.sequence]
    if not some:
        return None
    of = w.rng.choice(some)
    if w.chance(0.3):
        number = s.one("Size", [of])
    else:
        shape = of if of.known and of.dtype == I64 and s.rank(of) == 1 else s.one("Shape", [of])
        if shape is None or any(sh[0] == 0 for sh in s.shapes(shape)):
            return None
        at = w.rng.choice([0, -1])
        index = s.initializer(np.array(at if w.chance(0.5) else [at], I64))
        if w.chance(0.3) and (schema := registry.schema_in("Slice", w.opset)) and schema.max_input > 1:
            number = s.one("Slice", [shape, s.initializer(np.array([0])), s.initializer(np.array([1]))])
        else:
            number = s.one("Gather", [shape, index], axis=0)
    if number is not None and dtype != I64:
        number = s.one("Cast", [number], to=registry.CODE[dtype])
    return number


def _scaled(s: Scope, dtype: np.dtype, shape: Shape) -> Val | None:
    number = known_number(s, dtype)
    if number is None or (s.rank(number) != 0 and not shape):
        return None
    pair = [number, s.initializer(s.world.content(dtype, shape))]
    s.rng.shuffle(pair)
    return s.one(s.rng.choice(["Mul", "Add", "Sub"]), pair)


def _constant_of_shape(s: Scope, dtype: np.dtype, shapes: Sequence[Shape]) -> Val | None:
    wanted = list(shapes)
    like = [v for v in s.usable() if not v.sequence and not v.constant and s.shapes(v) == wanted]
    shape = s.one("Shape", [s.rng.choice(like)]) if like else None
    if shape is None:
        shape = exactly(s, [np.array(sh, I64) for sh in shapes])
    array = s.world.content(dtype, (1,))
    return s.one("ConstantOfShape", [shape], value=numpy_helper.from_array(array))


def _late(s: Scope, arrays: Sequence[np.ndarray]) -> Val | None:
    """Gathered at indices that NonZero counted."""
    masks = [np.ones(a.shape[0], np.float32) for a in arrays]
    if any(a.shape[0] == 0 for a in arrays):
        return None
    found = s.one("NonZero", [s.tensor_input(masks)])
    index = found and s.one("Reshape", [found, s.initializer(np.array([-1]))])
    return index and s.one("Gather", [exactly(s, arrays), index], axis=0)


def _view(s: Scope, arrays: Sequence[np.ndarray]) -> Val | None:
    w = s.world
    rank = arrays[0].ndim
    if any(a.ndim != rank for a in arrays):
        return None
    way = w.rng.choice(["Identity", "Reshape", "Unsqueeze", "Squeeze", "Transpose"])
    axes_are_inputs = (schema := registry.schema_in("Squeeze", w.opset)) is not None and schema.max_input > 1
    if way == "Identity":
        return s.one("Identity", [exactly(s, arrays)])
    if way == "Reshape":
        flat = exactly(s, [a.reshape(-1) for a in arrays])
        same = len({a.shape for a in arrays}) == 1
        if any(0 in a.shape for a in arrays):
            return None
        shape = (
            s.initializer(np.array(arrays[0].shape, I64))
            if same
            else s.exactly([np.array(a.shape, I64) for a in arrays])
        )
        return s.one("Reshape", [flat, shape])
    if way == "Squeeze":
        at = w.rng.randint(0, rank)
        longer = exactly(s, [np.expand_dims(a, at) for a in arrays])
        if axes_are_inputs:
            return s.one("Squeeze", [longer, s.initializer(np.array([at]))])
        return s.one("Squeeze", [longer], axes=[at])
    ones = [i for i in range(rank) if all(a.shape[i] == 1 for a in arrays)]
    if way == "Unsqueeze" and ones:
        at = w.rng.choice(ones)
        shorter = exactly(s, [np.squeeze(a, at) for a in arrays])
        if axes_are_inputs:
            return s.one("Unsqueeze", [shorter, s.initializer(np.array([at]))])
        return s.one("Unsqueeze", [shorter], axes=[at])
    perm = list(range(rank))
    w.rng.shuffle(perm)
    back = [perm.index(i) for i in range(rank)]
    return s.one("Transpose", [exactly(s, [np.transpose(a, perm) for a in arrays])], perm=back)


def _element(s: Scope, arrays: Sequence[np.ndarray]) -> Val | None:
    items = [s.tensor_input(arrays) for _ in range(1)]
    others = [v for v in s.usable() if v.dtype == items[0].dtype and not v.sequence]
    if others:
        items.append(s.rng.choice(others))
    at = s.rng.randrange(len(items))
    items[0], items[at] = items[at], items[0]
    sequence = s.one("SequenceConstruct", items)
    return sequence and s.one("SequenceAt", [sequence, s.initializer(np.array(at))])
