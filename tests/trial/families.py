"""How nodes of each operator are drawn: a table by operator, and a way from the schema alone for those it lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import norn
import numpy as np
import onnx
from onnx import numpy_helper

from . import registry
from .registry import NUMPY, tensor_types
from .scope import F32, I64, Scope, Shape, Val
from .sources import weights
from .truth import Refused

Draw = Callable[[Scope, norn.OpSchema], list[Val] | None]
TABLE: dict[str, Draw] = {}


def draws(*ops: str) -> Callable[[Draw], Draw]:
    def put(function: Draw) -> Draw:
        TABLE.update(dict.fromkeys(ops, function))
        return function

    return put


def draw(s: Scope, op: str) -> list[Val] | None:
    """Adds one node of the operator; None if nothing fitting was found."""
    schema = registry.schema_in(op, s.world.opset)
    if schema is None:
        return None
    try:
        return TABLE.get(op, by_schema)(s, schema)
    except Refused:
        return None


def types(schema: norn.OpSchema, at: int = 0) -> list[np.dtype]:
    return tensor_types(schema, schema.inputs[at].type_str)


def takes(schema: norn.OpSchema, name: str) -> bool:
    return any(p.name == name for p in schema.inputs)


def one_rank(shapes: list[Shape]) -> bool:
    return len({len(s) for s in shapes}) == 1


def ranked(least: int = 1) -> Callable[[list[Shape]], bool]:
    return lambda shapes: one_rank(shapes) and (not shapes or len(shapes[0]) >= least)


def axis_of(s: Scope, rank: int) -> int:
    return s.rng.randrange(-rank, rank)


def some_axes(s: Scope, rank: int) -> list[int]:
    axes = s.rng.sample(range(rank), s.rng.randint(1, rank)) if rank else []
    return [a - rank if s.world.chance(0.3) else a for a in axes]


def narrowed(s: Scope, shape: Shape, keep: tuple[int, ...] = ()) -> list[bool]:
    return [i not in keep and s.world.chance(0.3) for i in range(len(shape))]


def beside(s: Scope, a: Val, same_rank: bool = False) -> Val | None:
    """Something that broadcasts with it."""
    shapes = s.shapes(a)
    if not s.world.plain and s.world.chance(0.55):
        found = [
            v
            for v in s.usable()
            if v.dtype == a.dtype and not v.sequence and v is not a and _broadcast(shapes, s.shapes(v))
        ]
        if found:
            return s.rng.choices(found, [(4 if v.reads == 0 else 1) * (2 if v.known or v.late else 1) for v in found])[
                0
            ]
    if not one_rank(shapes):
        return s.make(a.dtype, [()] * len(shapes))
    drop = 0 if same_rank else s.rng.choice([0, 0, 1, len(shapes[0])])
    ones = narrowed(s, shapes[0]) if s.world.chance(0.5) else [False] * len(shapes[0])
    wide = {
        i: s.rng.choice([2, 3, 4, 5])
        for i in range(len(shapes[0]))
        if all(sh[i] == 1 for sh in shapes) and s.world.chance(0.4)
    }
    return s.make(a.dtype, [tuple(wide.get(i, 1 if ones[i] else d) for i, d in enumerate(sh))[drop:] for sh in shapes])


def _broadcast(a: list[Shape], b: list[Shape]) -> bool:
    try:
        return all(np.broadcast_shapes(x, y) is not None for x, y in zip(a, b, strict=True))
    except ValueError:
        return False


def spoil_zero(s: Scope, b: Val) -> Val | None:
    """Whole numbers are not divided by zero."""
    if registry.is_float(b.dtype):
        return b
    return None if any((a == 0).any() for a in s.arrays(b)) else b


BINARY = (
    "Add Sub Mul Div Pow Mod PRelu Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor "
    "BitwiseAnd BitwiseOr BitwiseXor"
)


@draws(*BINARY.split())
def binary(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    if (a := s.pick(types(schema))) is None:
        return None
    attributes: dict[str, Any] = {}
    if "broadcast" in schema.attributes:
        shapes = s.shapes(a)
        if not one_rank(shapes):
            return None
        low = s.rng.randint(0, len(shapes[0]))
        b: Val | None = s.make(a.dtype, [sh[low:] for sh in shapes])
        attributes = {"broadcast": 1} if low else {}
        if low and s.world.chance(0.3):
            attributes["axis"] = low
    else:
        b = beside(s, a)
    if b is not None and schema.name in ("Div", "Mod"):
        b = spoil_zero(s, b)
    if b is None:
        return None
    pair = [a, b]
    if schema.name not in ("Div", "Mod", "PRelu") and not attributes and "broadcast" not in schema.attributes:
        s.rng.shuffle(pair)
    if "fmod" in schema.attributes:
        attributes["fmod"] = int(registry.is_float(a.dtype) or s.world.chance(0.3))
    return s.add(schema.name, pair, **attributes)


@draws("Sum", "Max", "Min", "Mean")
def variadic(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    if (a := s.pick(types(schema))) is None:
        return None
    inputs = [a]
    for _ in range(s.rng.choice([0, 1, 1, 2, 3])):
        b = s.make(a.dtype, s.shapes(a)) if schema.since_version < 8 else beside(s, a)
        if b is not None:
            inputs.insert(s.rng.randint(0, len(inputs)), b)
    return s.add(schema.name, inputs)


@draws("Cast")
def cast(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    if (a := s.pick(types(schema))) is None:
        return None
    allowed = tensor_types(schema, schema.outputs[0].type_str)
    liked = [t for t in s.world.types if t in allowed]
    to = s.rng.choice(liked if liked and s.world.chance(0.8) else allowed)
    if a.known and s.world.chance(0.6):
        to = F32
    for array in s.arrays(a):
        if registry.is_float(a.dtype) and not registry.is_float(to) and to.kind != "O":
            wide = array.astype(np.float64)
            if to.kind != "b" and (
                not np.isfinite(wide).all() or (np.abs(wide) > 7).any() or (wide < 0).any() and to.kind == "u"
            ):
                return None  # out of range there is no meaning
        if a.dtype.kind == "O" or to.kind == "O":
            return None  # numbers have many spellings
    code: Any = registry.CODE[to]
    if schema.since_version < 6:
        code = onnx.TensorProto.DataType.Name(code)
    return s.add("Cast", [a], to=code)


@draws("CastLike")
def cast_like(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a, b = s.pick([F32, I64]), s.pick([F32, NUMPY["double"]])
    return s.add("CastLike", [a, b]) if a and b else None


@draws("Clip")
def clip(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    if (a := s.pick(types(schema))) is None:
        return None
    low, high = s.rng.choice([(-1, 2), (0, 3), (1, 1), (2, 0)])
    if a.dtype.kind == "u":
        low = abs(low)
    has = s.world.chance(0.7), s.world.chance(0.7)
    if not takes(schema, "min"):
        attributes: dict[str, Any] = {k: float(v) for k, v, h in (("min", low, has[0]), ("max", high, has[1])) if h}
        return s.add("Clip", [a], **attributes)
    bounds = [
        s.exactly([np.array(v, a.dtype)] * len(s.live)) if h else None for v, h in zip((low, high), has, strict=True)
    ]
    return s.add("Clip", [a, *bounds])


@draws("Dropout")
def dropout(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema))
    if a is None:
        return None
    if takes(schema, "ratio"):
        ratio = s.initializer(np.array(0.5, np.float32)) if s.world.chance(0.5) else None
        return s.add("Dropout", [a, ratio], outputs=s.rng.choice([1, 1, 2]))
    attributes = {"is_test": 1} if "is_test" in schema.attributes else {}
    return s.add("Dropout", [a], outputs=1, **attributes)


@draws("MatMul")
def matmul(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    shapes = s.shapes(a)
    if not s.world.plain and s.world.chance(0.4):
        found = [
            v
            for v in s.usable()
            if v.dtype == a.dtype
            and not v.sequence
            and s.rank(v) in (1, 2)
            and all(x[-1] == y[0] for x, y in zip(shapes, s.shapes(v), strict=True))
        ]
        if found:
            return s.add("MatMul", [a, s.rng.choice(found)])
    columns = s.rng.choice([65, 130] if s.world.mode == "large" else [1, 2, 3, 4, 8, 16])
    kind = s.rng.choice([1, 2, 2, 2, 3])
    if kind == 3 and len(shapes[0]) > 2 and s.world.chance(0.5):
        return s.add("MatMul", [a, s.make(a.dtype, [(*sh[:-2], sh[-1], columns) for sh in shapes])])

    def tail(k: int) -> Shape:
        return ((k,), (k, columns), (2, k, columns))[kind - 1]

    if s.live == [-1]:  # never runs, so that anything may be here
        rows = s.rng.choice(s.world.small)
        return s.add("MatMul", [a, s.make(a.dtype, [tail(rows)])]) or s.add(
            "MatMul", [a, s.make(a.dtype, [tail(shapes[0][-1])])]
        )
    pair = [a, weights(s, a.dtype, [tail(sh[-1]) for sh in shapes])]
    if kind == 2 and len(shapes[0]) == 2 and s.world.chance(0.2):
        pair = [s.make(a.dtype, [(columns, sh[0]) for sh in shapes]), a]
    return s.add("MatMul", pair)


@draws("Gemm")
def gemm(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), lambda shapes: all(len(sh) == 2 for sh in shapes), rank=2)
    if a is None:
        return None
    ta, tb = s.rng.randint(0, 1), s.rng.randint(0, 1)
    n = s.rng.choice([1, 2, 3, 5, 16])
    inner = [sh[0 if ta else 1] for sh in s.shapes(a)]
    rows = [sh[1 if ta else 0] for sh in s.shapes(a)]
    inputs: list[Val | None] = [a, weights(s, a.dtype, [(n, k) if tb else (k, n) for k in inner])]
    if schema.min_input > 2 or s.world.chance(0.6):
        form = s.rng.choice([0, 1, 2, 3]) if "broadcast" not in schema.attributes else 3
        inputs.append(s.make(a.dtype, [((), (n,), (1, n), (m, n))[form] for m in rows]))
    attributes: dict[str, Any] = {"transA": ta, "transB": tb}
    if s.world.chance(0.3):
        attributes |= {"alpha": s.rng.choice([1.0, 2.0]), "beta": s.rng.choice([1.0, 0.0, -1.0])}
    return s.add("Gemm", inputs, **attributes)


@draws("Softmax", "LogSoftmax", "Hardmax")
def softmax(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    axis = axis_of(s, s.rank(a) or 1)
    return s.add(
        schema.name,
        [a],
        axis=None if s.world.chance(0.2) else axis if schema.since_version >= 11 else abs(axis) % (s.rank(a) or 1),
    )


@draws("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
       "ReduceLogSumExp", "ReduceSumSquare")  # fmt: skip
def reduce(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None:
        return None
    axes = some_axes(s, s.rank(a) or 0)
    attributes: dict[str, Any] = {}
    if s.world.chance(0.6):
        attributes["keepdims"] = s.rng.randint(0, 1)
    if schema.since_version < 11:
        axes = [x % (s.rank(a) or 1) for x in axes]
    inputs: list[Val | None] = [a]
    if s.world.chance(0.25) or not axes:
        if "noop_with_empty_axes" in schema.attributes and s.world.chance(0.3):
            attributes["noop_with_empty_axes"] = s.rng.randint(0, 1)
    elif takes(schema, "axes"):
        inputs.append(s.ints(axes))
    else:
        attributes["axes"] = axes
    return s.add(schema.name, inputs, **attributes)


@draws("ArgMax", "ArgMin")
def arg_extremum(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    axis = axis_of(s, s.rank(a) or 1)
    attributes: dict[str, Any] = {
        "axis": axis if schema.since_version >= 11 else axis % (s.rank(a) or 1),
        "keepdims": s.rng.randint(0, 1),
    }
    if "select_last_index" in schema.attributes and s.world.chance(0.3):
        attributes["select_last_index"] = 1
    return s.add(schema.name, [a], **attributes)


@draws("Constant")
def constant(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    dtype = s.rng.choice([t for t in tensor_types(schema, schema.outputs[0].type_str) if t in s.world.types] or [F32])
    shape = tuple(s.rng.choice(s.world.small) for _ in range(s.rng.randint(0, 3)))
    return s.add("Constant", [], value=numpy_helper.from_array(s.world.content(dtype, shape)))


def by_schema(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    """Operands of one type variable have one type, and shapes that broadcast; integers beside them are a short list."""
    bound: dict[str, Val] = {}
    inputs: list[Val | None] = []
    optional = norn.OpSchema.FormalParameterOption.Optional
    for parameter in schema.inputs:
        if parameter.option is optional and s.world.chance(0.5):
            inputs.append(None)
            continue
        allowed = tensor_types(schema, parameter.type_str)
        if parameter.type_str in bound:
            inputs.append(beside(s, bound[parameter.type_str]))
        elif allowed == [I64] and inputs:
            inputs.append(s.ints([s.rng.randint(0, 2) for _ in range(s.rng.randint(0, 3))]))
        elif (val := s.pick(allowed)) is not None:
            bound[parameter.type_str] = val
            inputs.append(val)
        else:
            return None
    kinds = norn.OpSchema.AttrType
    values: dict[Any, Any] = {
        kinds.INT: s.rng.randint(-1, 2),
        kinds.FLOAT: s.rng.choice([0.5, 1.0, 2.0]),
        kinds.INTS: [s.rng.randint(0, 2) for _ in range(s.rng.randint(1, 3))],
    }
    attributes: dict[str, Any] = {}
    for a in schema.attribute_list:
        if a.name == "consumed_inputs":
            continue
        if (a.required or s.world.chance(0.3)) and a.type in values:
            attributes[a.name] = values[a.type]
        elif a.required:
            return None
    outputs = s.rng.randint(
        max(schema.min_output, 1), max(schema.min_output, min(schema.max_output, len(schema.outputs)), 1)
    )
    return s.add(schema.name, inputs, outputs=outputs, **attributes)


from . import families_fused as _fused  # noqa: E402, F401
from . import families_image as _image  # noqa: E402, F401  their operators are of the same table
from . import families_shape as _shape  # noqa: E402, F401
