"""The operators that move elements, make shapes, or hold sequences."""

from __future__ import annotations

from typing import Any

import norn
import numpy as np
from onnx import numpy_helper

from . import registry
from .families import axis_of, beside, draws, one_rank, ranked, some_axes, takes, types
from .registry import tensor_types
from .scope import F32, I64, Scope, Shape, Val
from .truth import Items

HUGE = 2**63 - 1


@draws("Shape")
def shape(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema))
    if a is None:
        return None
    attributes = {}
    for name in ("start", "end"):
        if name in schema.attributes and s.world.chance(0.2):
            attributes[name] = s.rng.choice([-2, -1, 0, 1, 2])
    return s.add("Shape", [a], **attributes)


@draws("Identity", "Size", "NonZero")
def plain(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    if (
        schema.name == "Identity"
        and any(x.startswith("seq") for x in schema.type_constraints[0].allowed_type_strs)
        and sequences(s)
    ):
        if s.world.chance(0.3):
            return s.add("Identity", [s.rng.choice(sequences(s))])
    # NonZero of a number has another shape in every version of the text.
    a = s.pick(types(schema), ranked(1) if schema.name == "NonZero" else None)
    return s.add(schema.name, [a]) if a else None


@draws("ConstantOfShape")
def constant_of_shape(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    sized = [
        v
        for v in s.usable()
        if v.dtype == I64
        and not v.sequence
        and s.rank(v) == 1
        and all(a.size < 5 and (a >= 0).all() and a.prod() < 500 for a in s.arrays(v))
    ]
    if sized and s.world.chance(0.7):
        of = s.rng.choice(sized)
    else:
        of = s.ints([s.rng.choice(s.world.small) for _ in range(s.rng.randint(0, 3))])
    allowed = tensor_types(schema, schema.outputs[0].type_str)
    dtype = s.rng.choice([t for t in s.world.types if t in allowed])
    value = None if s.world.chance(0.2) else numpy_helper.from_array(s.world.content(dtype, (1,)))
    return s.add("ConstantOfShape", [of], value=value)


@draws("Reshape")
def reshape(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    w = s.world
    a = s.pick(types(schema))
    if a is None:
        return None
    shapes = s.shapes(a)
    way = s.rng.randint(0, 4)
    if way == 0 or not one_rank(shapes):
        target: list[Any] = [[-1]] * len(shapes)
    elif way == 1:  # another order of the same sizes
        order = list(range(len(shapes[0])))
        s.rng.shuffle(order)
        target = [[sh[i] for i in order] for sh in shapes]
    elif way == 2:  # two dimensions in one
        if len(shapes[0]) < 2:
            return None
        at = s.rng.randrange(len(shapes[0]) - 1)
        target = [[*sh[:at], sh[at] * sh[at + 1], *sh[at + 2 :]] for sh in shapes]
    elif way == 3:  # kept, inferred
        at = s.rng.randrange(len(shapes[0]) or 1)
        target = [[0 if i < at else -1 if i == at else d for i, d in enumerate(sh)] for sh in shapes]
    else:
        at = s.rng.randint(0, len(shapes[0]))
        target = [[*sh[:at], 1, *sh[at:]] for sh in shapes]
    if not takes(schema, "shape"):
        return s.add("Reshape", [a], shape=target[0])
    if not w.plain and w.chance(0.3) and way != 3:
        found = [
            v
            for v in s.usable()
            if v.dtype == I64
            and s.rank(v) == 1
            and not v.sequence
            and all(
                int(np.prod(t)) == int(np.prod(sh)) and (t >= 0).all()
                for t, sh in zip(s.arrays(v), shapes, strict=True)
            )
        ]
        if found:
            return s.add("Reshape", [a, s.rng.choice(found)])
    attributes = {"allowzero": 1} if "allowzero" in schema.attributes and way in (1, 2, 4) and w.chance(0.3) else {}
    return s.add("Reshape", [a, s.ints(target)], **attributes)


@draws("Flatten")
def flatten(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None:
        return None
    rank = s.rank(a) or 0
    return s.add(
        "Flatten",
        [a],
        axis=s.rng.randint(0 if schema.since_version < 11 else -rank, rank) if s.world.chance(0.8) else None,
    )


@draws("Squeeze")
def squeeze(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    def ones(shapes: list[Shape]) -> bool:
        return one_rank(shapes) and any(all(sh[i] == 1 for sh in shapes) for i in range(len(shapes[0])))

    a = s.pick(types(schema), ones)
    if a is None:
        return None
    shapes = s.shapes(a)
    axes = [i for i in range(len(shapes[0])) if all(sh[i] == 1 for sh in shapes)]
    axes = s.rng.sample(axes, s.rng.randint(1, len(axes)))
    if s.world.chance(0.3) and schema.since_version >= 11:
        axes = [i - len(shapes[0]) for i in axes]
    if s.world.chance(0.15):
        return s.add("Squeeze", [a])
    return s.add("Squeeze", [a, s.ints(axes)]) if takes(schema, "axes") else s.add("Squeeze", [a], axes=axes)


@draws("Unsqueeze")
def unsqueeze(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None or (s.rank(a) or 0) > 4:
        return None
    rank = (s.rank(a) or 0) + s.rng.choice([1, 1, 1, 2])
    axes = s.rng.sample(range(rank), rank - (s.rank(a) or 0))
    if s.world.chance(0.3) and schema.since_version >= 11:
        axes = [i - rank for i in axes]
    return s.add("Unsqueeze", [a, s.ints(axes)]) if takes(schema, "axes") else s.add("Unsqueeze", [a], axes=axes)


@draws("Transpose")
def transpose(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None:
        return None
    perm = list(range(s.rank(a) or 0))
    s.rng.shuffle(perm)
    return s.add("Transpose", [a], perm=None if s.world.chance(0.2) else perm)


@draws("Concat")
def concat(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    axis = axis_of(s, s.rank(a) or 1)
    at = axis % (s.rank(a) or 1)
    inputs = [a]
    for _ in range(s.rng.choice([0, 1, 1, 2])):
        wanted = [(*sh[:at], *sh[at + 1 :]) for sh in s.shapes(a)]
        found = [
            v
            for v in s.usable()
            if v.dtype == a.dtype
            and not v.sequence
            and s.rank(v) == s.rank(a)
            and [(*sh[:at], *sh[at + 1 :]) for sh in s.shapes(v)] == wanted
        ]
        if found and not s.world.plain and s.world.chance(0.7):
            inputs.append(s.rng.choice(found))
        else:
            inputs.append(s.make(a.dtype, [(*sh[:at], s.rng.choice([0, 1, 2]), *sh[at + 1 :]) for sh in s.shapes(a)]))
    s.rng.shuffle(inputs)
    return s.add("Concat", inputs, axis=axis if schema.since_version >= 11 else at)


@draws("Slice")
def slice_(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    rank = s.rank(a) or 1
    axes = some_axes(s, rank)
    pick = s.rng.choice
    starts = [pick([0, 0, 1, 2, -1, -2, -HUGE, HUGE]) for _ in axes]
    ends = [pick([1, 2, 3, -1, HUGE, HUGE, 2**31, -HUGE]) for _ in axes]
    steps = [pick([1, 1, 2, -1, -2, 3, HUGE, -HUGE]) for _ in axes]
    if schema.since_version < 11:
        axes = [x % rank for x in axes]
    if not takes(schema, "starts"):
        return s.add("Slice", [a], starts=starts, ends=ends, axes=axes)
    dtype = pick([I64, I64, registry.NUMPY["int32"]])
    limit = np.iinfo(dtype)
    lists = [
        s.ints([max(min(v, limit.max), limit.min + 1) for v in values], dtype) for values in (starts, ends, axes, steps)
    ]
    if axes == list(range(len(axes))) and s.world.chance(0.3):
        return s.add("Slice", [a, *lists[:2]])
    return s.add("Slice", [a, *lists[: pick([3, 4])]])


@draws("Gather")
def gather(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    rank = s.rank(a) or 1
    axis = axis_of(s, rank)
    if schema.since_version < 11:
        axis %= rank
    sizes = [sh[axis] for sh in s.shapes(a)]
    if s.world.chance(0.4) and not s.world.plain:
        found = [
            v
            for v in s.usable()
            if v.dtype in types(schema, 1)
            and not v.sequence
            and all((i < n).all() and (i >= -n).all() for i, n in zip(s.arrays(v), sizes, strict=True))
        ]
        if found:
            return s.add("Gather", [a, s.rng.choice(found)], axis=axis)
    shape = tuple(s.rng.choice([1, 2, 3]) for _ in range(s.rng.choice([0, 1, 1, 2])))
    least = min(sizes)
    if not least:
        return None
    low = -least if schema.since_version >= 11 else 0
    return s.add("Gather", [a, s.exactly([s.world.numbers.integers(low, least, shape)] * len(sizes))], axis=axis)


@draws("GatherElements")
def gather_elements(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    axis = axis_of(s, s.rank(a) or 1)
    if any(0 in sh for sh in s.shapes(a)):
        return None
    indices = [
        s.world.numbers.integers(-sh[axis], sh[axis], tuple(s.rng.randint(1, d) for d in sh)) for sh in s.shapes(a)
    ]
    return s.add("GatherElements", [a, s.exactly(indices)], axis=axis)


@draws("Pad")
def pad(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None:
        return None
    rank = s.rank(a) or 0
    mode = s.rng.choice(["constant", "constant", "edge", "reflect", "wrap"])
    if mode == "wrap" and schema.since_version < 19:
        mode = "edge"
    low = -1 if mode == "constant" and s.world.chance(0.2) else 0
    axes = some_axes(s, rank) if takes(schema, "axes") and rank and s.world.chance(0.4) else None
    counts = [s.rng.randint(low, 2) for _ in range(2 * (len(axes) if axes is not None else rank))]
    if not takes(schema, "pads"):
        name = "pads" if "pads" in schema.attributes else "paddings"
        attributes: dict[str, Any] = {name: counts}
        return s.add("Pad", [a], mode=mode, value=0.5, **attributes)
    value = s.make(a.dtype, [()] * len(s.live)) if s.world.chance(0.4) and a.dtype.kind != "O" else None
    return s.add("Pad", [a, s.ints(counts), value, s.ints(axes) if axes is not None else None], mode=mode)


@draws("Expand")
def expand(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None:
        return None
    wider = [[s.rng.choice([2, 3]) if d == 1 and s.world.chance(0.5) else d for d in sh] for sh in s.shapes(a)]
    return s.add("Expand", [a, s.ints(wider)])


@draws("Tile")
def tile(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), one_rank)
    if a is None or schema.since_version < 6:
        return None
    return s.add("Tile", [a, s.ints([s.rng.choice([0, 1, 1, 2]) for _ in range(s.rank(a) or 0)])])


@draws("Where")
def where(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema, 1))
    b = a and beside(s, a)
    if a is None or b is None:
        return None
    condition = s.make(registry.NUMPY["bool"], s.shapes(s.rng.choice([a, b])))
    return s.add("Where", [condition, a, b])


@draws("Split")
def split(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(types(schema), ranked())
    if a is None:
        return None
    axis = axis_of(s, s.rank(a) or 1)
    sizes = {sh[axis] for sh in s.shapes(a)}
    if len(sizes) != 1:
        return None
    first = s.rng.randint(0, (size := sizes.pop()))
    parts = [first, size - first]
    if takes(schema, "split"):
        return s.add("Split", [a, s.ints(parts)], outputs=2, axis=axis)
    return s.add("Split", [a], outputs=2, axis=axis % (s.rank(a) or 1), split=parts)


def sequences(s: Scope) -> list[Val]:
    return [v for v in s.usable() if v.sequence]


def sequence_of(s: Scope) -> Val | None:
    """One of the scope, or a graph input that is empty in some feeds."""
    found = sequences(s)
    if found and s.world.chance(0.7):
        return s.rng.choice(found)
    w = s.world
    dtype = s.rng.choice([v.dtype for v in s.usable() if v.dtype.kind != "O"] or [F32])
    values = []
    for _ in s.live:
        count = s.rng.choice([0, 1, 1, 2, 3])
        rank = s.rng.choice([0, 1, 1, 2])
        values.append(
            Items([w.content(dtype, tuple(s.rng.choice(w.small) for _ in range(rank))) for _ in range(count)], dtype)
        )
    return s.input(values)


@draws("SequenceConstruct")
def sequence_construct(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    a = s.pick(None)
    if a is None:
        return None
    same = [v for v in s.usable() if v.dtype == a.dtype and not v.sequence]
    others = [s.rng.choice(same) for _ in range(s.rng.randint(0, 2))] if same else []
    inputs = [a, *others]
    s.rng.shuffle(inputs)
    return s.add("SequenceConstruct", inputs)


@draws("SequenceAt", "SequenceErase", "SequenceLength", "SequenceInsert")
def sequence_use(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    sequence = sequence_of(s)
    if sequence is None:
        return None
    if schema.name == "SequenceLength":
        return s.add("SequenceLength", [sequence])
    lengths = [len(a) for a in s.arrays(sequence)]
    inputs: list[Val | None] = [sequence]
    if schema.name == "SequenceInsert":
        inputs.append(s.pick([sequence.dtype]))
        if inputs[1] is None:
            return None
    elif not min(lengths):
        if s.world.chance(0.8):
            return None
        lengths = [n for n in lengths if n] or [1]
    inputs.append(s.exactly([np.array(s.rng.randrange(-min(lengths), max(min(lengths), 1)))] * len(s.live)))
    return s.add(schema.name, inputs)


@draws("SequenceEmpty")
def sequence_empty(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    return s.add("SequenceEmpty", [], dtype=registry.CODE[s.rng.choice(s.world.types)])
