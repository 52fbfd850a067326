"""Several nodes as exporters write them, which passes make one of: quantised graphs, stored weights, attention,
normalisations and activations spelt out, and operators whose operands have to fit each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import norn
import numpy as np

from . import registry
from .families import draws, one_rank, ranked, takes, types
from .registry import NUMPY
from .scope import F32, I64, Scope, Shape, Val

Pattern = Callable[[Scope], Val | None]
PATTERNS: dict[str, Pattern] = {}
F16, U8, I8 = NUMPY["float16"], NUMPY["uint8"], NUMPY["int8"]
REAL = [F32, F16, NUMPY["bfloat16"], NUMPY["double"]]


def pattern(function: Pattern) -> Pattern:
    PATTERNS[f"pattern {function.__name__}"] = function
    return function


def chain(s: Scope, *steps: tuple[str, list[Val | str | None], dict[str, Any]]) -> Val | None:
    """Nodes one after the other; "it" is what the one before gave."""
    it: Val | None = None
    for op, inputs, attributes in steps:
        operands = [it if v == "it" else v for v in inputs]
        it = s.one(op, operands, **attributes)  # type: ignore[arg-type]
        if it is None:
            return None
    return it


def number(s: Scope, value: float, dtype: np.dtype = F32) -> Val:
    return s.initializer(np.array(value, dtype))


def whole(s: Scope, dtype: np.dtype, shape: Shape, low: int = -8, high: int = 8) -> Val:
    return s.initializer(s.world.numbers.integers(low, high, shape).astype(dtype))


def last_known(s: Scope, val: Val) -> int | None:
    """The last size, if it is one in all feeds and not 0."""
    sizes = {sh[-1] if sh else 0 for sh in s.shapes(val)}
    return size if len(sizes) == 1 and (size := sizes.pop()) else None


# --- quantised ---
# Scales are such that no sum lies near a half of the unit that it is rounded to: x / 0.5, sums of 1/8, in units of 3/8.
IN, WEIGHT, OUT = 0.5, 0.25, 0.375


def quantized(s: Scope, x: Val, scale: float, dtype: np.dtype) -> Val | None:
    zero = s.initializer(np.array(s.rng.choice([0, 0, 3, 128 if dtype == U8 else -5]), dtype))
    return chain(
        s,
        ("QuantizeLinear", [x, number(s, scale), zero], {}),
        ("DequantizeLinear", ["it", number(s, scale), zero], {}),
    )


def dequantized_weights(s: Scope, shape: Shape, axis: int) -> Val | None:
    n = shape[axis]
    scale = np.full(n, WEIGHT, np.float32) if s.world.chance(0.5) else np.array(WEIGHT, np.float32)
    zero = np.zeros(scale.shape, np.int8)
    return s.one(
        "DequantizeLinear",
        [whole(s, I8, shape), s.initializer(scale), s.initializer(zero) if s.world.chance(0.7) else None],
        axis=axis if s.world.opset >= 13 else None,
    )


@pattern
def qdq_product(s: Scope) -> Val | None:
    x = s.pick([F32], ranked(2), rank=s.rng.choice([2, 2, 3]))
    if x is None or not (k := last_known(s, x)):
        return None
    n = s.rng.choice([1, 3, 8, 16, 33])
    dtype = s.rng.choice([U8, U8, I8])
    a = quantized(s, x, IN, dtype)
    w = dequantized_weights(s, (k, n), 1) if a else None
    y = s.one("MatMul", [a, w]) if w else None
    if y and s.world.chance(0.5):
        y = s.one("Add", [y, s.initializer(s.world.numbers.integers(-9, 9, n).astype(np.float32) * IN * WEIGHT)])
    if y and s.world.chance(0.4):
        y = s.one("Relu", [y])
    return quantized(s, y, OUT, dtype) if y else None


@pattern
def qdq_convolution(s: Scope) -> Val | None:
    c, n = s.rng.choice([1, 3, 8]), s.rng.choice([4, 8, 16])
    x = s.fresh(F32, dims=["N" if s.world.chance(0.5) else 1, c, s.rng.choice([5, 8]), s.rng.choice([5, 8])])
    dtype = s.rng.choice([U8, I8])
    a = quantized(s, x, IN, dtype)
    k = s.rng.choice([1, 3])
    w = dequantized_weights(s, (n, c, k, k), 0) if a else None
    if w is None:
        return None
    bias = s.initializer(s.world.numbers.integers(-9, 9, n).astype(np.float32) * IN * WEIGHT)
    y = s.one("Conv", [a, w, bias if s.world.chance(0.5) else None], pads=[k // 2] * 4, strides=[s.rng.choice([1, 2])] * 2)
    if y and s.world.chance(0.5):
        y = s.one("Relu", [y])
    return quantized(s, y, OUT, dtype) if y else None


@pattern
def qdq_elements(s: Scope) -> Val | None:
    a, b = s.pick([F32], one_rank), None
    x = quantized(s, a, IN, U8) if a else None
    if x is None:
        return None
    b = quantized(s, s.make(F32, s.shapes(x)), IN, U8)
    y = s.one(s.rng.choice(["Add", "Mul", "Sub"]), [x, b]) if b else None
    return quantized(s, y, OUT, U8) if y else None


@pattern
def stored_weights(s: Scope) -> Val | None:
    """A matrix of few bits, or of halves, times rows."""
    x = s.pick([F32], ranked(1), rank=s.rng.choice([1, 2, 3]))
    if x is None or not (k := last_known(s, x)):
        return None
    n = s.rng.choice([1, 4, 16, 31])
    way = s.rng.choice(["int8", "uint8", "int4", "uint4", "half", "blocks"])
    if way == "half":
        w = s.one("Cast", [s.initializer(s.world.content(F16, (k, n)))], to=registry.CODE[F32])
    else:
        dtype = NUMPY[way if way != "blocks" else s.rng.choice(["int8", "int4"])]
        if s.world.opset < (21 if way in ("int4", "uint4", "blocks") else 13):
            return None
        low = 0 if registry.NAME[dtype].startswith("u") else -8
        matrix = whole(s, dtype, (k, n), low, 8)
        if way == "blocks":
            block = s.rng.choice([b for b in (1, 2, 3, 4, 16) if k % b == 0])
            scale = s.initializer(s.world.numbers.choice([0.25, 0.5, 1.0], (k // block, n)).astype(np.float32))
            w = s.one("DequantizeLinear", [matrix, scale], axis=0, block_size=block)
        else:
            scale = s.initializer(s.world.numbers.choice([0.25, 0.5, 1.0], n).astype(np.float32))
            zero = whole(s, dtype, (n,), max(low, -2), 2) if s.world.chance(0.4) else None
            w = s.one("DequantizeLinear", [matrix, scale, zero], axis=1)
    return s.one("MatMul", [x, w]) if w else None


@pattern
def stored_rows(s: Scope) -> Val | None:
    """Rows of an embedding of few bits."""
    if s.world.opset < 13:
        return None
    rows, n = s.rng.choice([3, 8]), s.rng.choice([1, 4, 16])
    scale = s.initializer(s.world.numbers.choice([0.25, 0.5, 1.0], rows).astype(np.float32))
    w = s.one("DequantizeLinear", [whole(s, I8, (rows, n)), scale], axis=0)
    shape = tuple(s.rng.choice([1, 2, 3]) for _ in range(s.rng.choice([0, 1, 2])))
    index = s.exactly([s.world.numbers.integers(-rows, rows, shape)] * len(s.live))
    return s.one("Gather", [w, index]) if w else None


# --- attention ---
@pattern
def attention(s: Scope) -> Val | None:
    rng = s.rng
    dtype = F32 if F16 not in s.world.types or s.world.chance(0.7) else F16
    heads, size = rng.choice([1, 2, 4]), rng.choice([4, 8, 16])
    length = rng.choice([1, 2, 5, "L"])
    dims: list[int | str] = ["B" if s.world.chance(0.5) else rng.choice([1, 2]), heads, length, size]
    of_values = dims
    if s.world.chance(0.15):  # the values have a dimension more than the scores
        dims = dims[:1] + dims[2:]
        of_values = [rng.choice([1, 2]), *dims]
    rank = len(dims)
    q, k = (s.fresh(dtype, dims=dims) for _ in range(2))
    v = s.fresh(dtype, dims=of_values)
    if not all(one_rank(s.shapes(x)) for x in (q, k, v)):
        return None
    scale = number(s, rng.choice([0.5, 0.25, 1 / math.sqrt(size)]), dtype)
    before = s.world.chance(0.5)
    if before:
        q = s.one("Mul", [q, scale]) or q
    kt = s.one("Transpose", [k], perm=[*range(rank - 2), rank - 1, rank - 2])
    scores = s.one("MatMul", [q, kt]) if kt else None
    if scores and not before:
        scores = s.one(*rng.choice([("Mul", [scores, scale]), ("Div", [scores, scale])]))
    if scores and s.world.chance(0.5):
        shapes = [sh[-2:] for sh in s.shapes(scores)]
        if s.world.chance(0.5):
            mask = s.exactly([np.triu(np.full(sh, -100.0), 1).astype(dtype) for sh in shapes])
            scores = s.one("Add", [scores, mask])
        elif s.world.opset >= 9:
            flags = s.exactly([np.tril(np.ones(sh, np.bool_)) for sh in shapes])
            scores = s.one("Where", [flags, scores, number(s, -100.0, dtype)])
    soft = s.one("Softmax", [scores], axis=-1 if s.world.opset >= 11 else rank - 1) if scores else None
    y = s.one("MatMul", [soft, v]) if soft else None
    if y and s.world.chance(0.5):
        y = s.one("Transpose", [y], perm=[0, 2, 1, 3])
        if y:
            y = s.one("Reshape", [y, s.ints([0, 0, heads * size if rank == 4 else -1])])
    return y


# --- normalisations ---
@pattern
def normalisation(s: Scope) -> Val | None:
    x = s.pick([t for t in s.world.types if t in (F32, F16)] or [F32], ranked(1), rank=s.rng.choice([2, 3]))
    if x is None or not (n := last_known(s, x)) or s.world.opset >= 18 and s.world.opset < 13:
        return None
    dtype = x.dtype

    def mean(of: Val) -> Val | None:
        if (schema := registry.schema_in("ReduceMean", s.world.opset)) is not None and takes(schema, "axes"):
            return s.one("ReduceMean", [of, s.initializer(np.array([-1], I64))])
        return s.one("ReduceMean", [of], axes=[-1 if s.world.opset >= 11 else (s.rank(of) or 1) - 1])

    d: Val | None = x
    if s.world.chance(0.5):
        m = mean(x)
        d = s.one("Sub", [x, m]) if m else None
    squares = d and (s.one("Mul", [d, d]) if s.world.chance(0.5) else s.one("Pow", [d, number(s, 2.0, dtype)]))
    m2 = mean(squares) if squares else None
    root = chain(s, ("Add", [m2, number(s, 0.125, dtype)], {}), ("Sqrt", ["it"], {})) if m2 else None
    if d is None or root is None:
        return None
    if s.world.chance(0.5):
        y = s.one("Div", [d, root])
    else:
        back = s.one("Reciprocal", [root])
        y = s.one("Mul", [d, back]) if back else None
    if y and s.world.chance(0.7):
        y = s.one("Mul", [y, s.initializer(s.world.content(dtype, (n,)))])
    if y and s.world.chance(0.5):
        y = s.one("Add", [y, s.initializer(s.world.content(dtype, (n,)))])
    return y


@pattern
def activation(s: Scope) -> Val | None:
    x = s.pick([F32], None)
    if x is None:
        return None
    way = s.rng.choice(["erf", "tanh", "swish"])
    if way == "swish":
        gate = s.one("Sigmoid", [x])
        return s.one("Mul", [x, gate]) if gate else None
    if way == "erf":
        t = chain(s, ("Div", [x, number(s, math.sqrt(2))], {}), ("Erf", ["it"], {}), ("Add", ["it", number(s, 1.0)], {}))
    else:
        cube = s.one("Pow", [x, number(s, 3.0)])
        t = cube and chain(
            s,
            ("Mul", [cube, number(s, 0.044715)], {}),
            ("Add", [x, "it"], {}),
            ("Mul", ["it", number(s, math.sqrt(2 / math.pi))], {}),
            ("Tanh", ["it"], {}),
            ("Add", ["it", number(s, 1.0)], {}),
        )
    return chain(s, ("Mul", [x, t], {}), ("Mul", ["it", number(s, 0.5)], {})) if t else None


# --- convolutions of the sizes that other ways of computing them want ---
@pattern
def convolution(s: Scope) -> Val | None:
    c, n = s.rng.choice([3, 16, 32]), s.rng.choice([8, 16, 32])
    x = s.fresh(F32, dims=["N" if s.world.chance(0.3) else 1, c, s.rng.choice([8, 13, 16]), s.rng.choice([8, 14, 16])])
    group = s.rng.choice([1, 1, 1, c])
    n = c if group == c else n
    y = s.one("Conv", [x, s.initializer(s.world.content(F32, (n, c // group, 3, 3)))], pads=[1] * 4, group=group,
              strides=[s.rng.choice([1, 1, 2])] * 2)
    if y and s.world.chance(0.5):
        y = s.one("Add", [y, s.initializer(s.world.content(F32, (n, 1, 1)))])
    return s.one(s.rng.choice(["Relu", "Sigmoid"]), [y]) if y else None


# --- recurrent: operands that have to fit each other ---
@draws("RNN", "GRU", "LSTM")
def recurrent(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    rng = s.rng
    dtype = rng.choice([t for t in types(schema) if t in s.world.types] or [F32])
    length, batch, size, hidden = rng.choice([1, 2, 4]), rng.choice([1, 2, 3]), rng.choice([1, 3]), rng.choice([1, 2, 4])
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[schema.name]
    direction = rng.choice(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    layout = int("layout" in schema.attributes and s.world.chance(0.2))

    def operand(*shape: int) -> Val:
        return s.make(dtype, [shape] * len(s.live))

    state = (batch, ways, hidden) if layout else (ways, batch, hidden)
    inputs: list[Val | None] = [
        operand(*((batch, length, size) if layout else (length, batch, size))),
        operand(ways, gates * hidden, size),
        operand(ways, gates * hidden, hidden),
        operand(ways, 2 * gates * hidden) if s.world.chance(0.6) else None,
        s.exactly([s.world.numbers.integers(1, length + 1, batch).astype(np.int32)] * len(s.live))
        if s.world.chance(0.3)
        else None,
        operand(*state) if s.world.chance(0.4) else None,
    ]
    if schema.name == "LSTM":
        inputs.append(operand(*state) if s.world.chance(0.4) else None)
        inputs.append(operand(ways, 3 * hidden) if s.world.chance(0.3) else None)
    attributes: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if layout:
        attributes["layout"] = 1
    if s.world.chance(0.2):
        attributes["clip"] = 0.75
    if schema.name == "GRU" and "linear_before_reset" in schema.attributes:
        attributes["linear_before_reset"] = rng.randint(0, 1)
    if "output_sequence" in schema.attributes:
        attributes["output_sequence"] = 1
    return s.add(schema.name, inputs, outputs=min(schema.max_output, rng.choice([1, 2, 3])), **attributes)
