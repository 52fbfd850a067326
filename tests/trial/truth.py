"""What a model means: its nodes, one after the other, each a model of its own for a reference kernel.

Nothing of Norn's planning is left then: every value is fed, every shape is a number. Beside each value that was rounded
lies a shadow, computed from operands that were moved by a few units in the last place; how far both lie apart says what
another order of rounding may change. A value that is not a float must not depend on that at all.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import norn
import numpy as np
import onnx
from onnx import AttributeProto, ModelProto, NodeProto, numpy_helper

from . import reasons, registry

Value = Any  # an array, or a list of arrays for a sequence


class Items(list[np.ndarray]):
    """A sequence that knows its element type when it is empty."""

    def __init__(self, items: Sequence[np.ndarray], dtype: np.dtype) -> None:
        super().__init__(items)
        self.dtype = items[0].dtype if items else dtype


class Refused(Exception):
    """A node is wrong for its operands."""

    outputs: tuple[str, ...] = ()  # what the node would have given


class Unsteady(Exception):
    """The answer hangs on rounding: nothing can be compared."""


@dataclasses.dataclass(slots=True, eq=False)
class Cell:
    """A value and its shadow; both are the same object where nothing was rounded."""

    value: Value
    shadow: Value

    @property
    def exact(self) -> bool:
        return self.value is self.shadow


# They move elements, or pick them: what they give was there before.
MOVE = frozenset(
    """Identity Reshape Flatten Squeeze Unsqueeze Transpose Concat Slice Gather GatherElements GatherND Pad Split Expand
    Tile Where Compress DepthToSpace SpaceToDepth ReverseSequence ScatterElements ScatterND Trilu Unique Neg Abs Relu
    Max Min Clip ReduceMax ReduceMin MaxPool GlobalMaxPool Dropout Cast CastLike Constant ConstantOfShape TopK OneHot
    SequenceConstruct SequenceAt SequenceInsert SequenceErase SequenceEmpty SplitToSequence ConcatFromSequence EyeLike
    Range""".split()
)
# Exact for small whole numbers, in whatever order.
WHOLE = frozenset("Add Sub Mul MatMul Gemm Conv ReduceSum Sum ReduceL1 ReduceSumSquare ReduceProd".split())

# A little more or less may be much: they jump.
JUMP = frozenset(
    """Floor Ceil Round Sign Hardmax ArgMax ArgMin Tan Mod Equal Less Greater LessOrEqual GreaterOrEqual Cast
    CastLike QuantizeLinear DynamicQuantizeLinear ThresholdedRelu Shrink""".split()
)
_TRIES = 6

# Approximated by polynomials whose error is bounded absolutely: fractions of 1, not of a small result. GRU has 1 - z.
NEAR = frozenset("Sigmoid Tanh Erf Softmax LogSoftmax Softsign Exp HardSigmoid Gelu Mish GRU".split())

# They add many numbers up: how far a sum may be off grows with their count.
SUMS = frozenset(
    """MatMul Gemm Conv ReduceSum ReduceMean ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare ReduceProd
    Softmax LogSoftmax AveragePool GlobalAveragePool LRN Einsum CumSum LayerNormalization
    InstanceNormalization""".split()
)

# Of these the fraction is multiplied by what they are given, of which large negative numbers leave nothing.
TIMES_X = frozenset(("Gelu", "Mish"))

_MOVED = 2.0


def _arrays(value: Value) -> list[np.ndarray]:
    return value if isinstance(value, list) else [value]


def _whole(value: Value) -> bool:
    for a in _arrays(value):
        if not registry.is_float(a.dtype):
            continue
        wide = a.astype(np.float64)
        bound = min(0.01 / registry.EPS[a.dtype], 2.0**20)
        if not (np.isfinite(wide).all() and (wide == np.round(wide)).all() and (np.abs(wide) < max(bound, 2)).all()):
            return False
    return True


def _addends(op: str, values: Sequence[Value]) -> float:
    """At most so many numbers become one, roughly."""
    if op not in SUMS:
        return 1.0
    sizes = [max(a.shape, default=1) if op in ("MatMul", "Gemm") else a.size // max(a.shape[0], 1) if a.ndim else 1
             for v in values for a in _arrays(v)]  # fmt: skip
    first = _arrays(values[0])[0].size
    return float(max([first if op.startswith("Reduce") else 1, *sizes, 1]))


def _nearness(op: str, operands: Sequence[Value]) -> float:
    """The numbers of which an error may be a fraction: 0 if there are none."""
    if op not in NEAR:
        return 0.0
    if op not in TIMES_X or not isinstance(operands[0], np.ndarray):
        return 1.0
    return float(np.clip(np.nan_to_num(np.abs(operands[0].astype(np.float64))), 1, 8).max(initial=1))


def _move(value: Value, seed: int, scale: float = 1.0, absolute: float = 0, of: Value | None = None) -> Value:
    """Moved at random, but never back to what it is a shadow of."""
    if isinstance(value, Items):
        origins = of if isinstance(of, list) and len(of) == len(value) else [None] * len(value)
        return Items(
            [_move(v, seed + i, scale, absolute, o) for i, (v, o) in enumerate(zip(value, origins, strict=True))],
            value.dtype,
        )
    if value.dtype not in registry.EPS or not value.size:
        return value
    signs = np.random.default_rng(seed).choice(np.array([-1.0, 1.0]), value.shape)
    with np.errstate(all="ignore"):
        wide = value.astype(np.float64)
        if isinstance(of, np.ndarray) and of.shape == value.shape:
            apart = (wide - of.astype(np.float64)) * np.where(wide < 0, -1.0, 1.0)
            signs = np.where(apart > 0, 1.0, np.where(apart < 0, -1.0, signs))
        step = _MOVED * scale * registry.EPS[value.dtype] * signs
        moved = wide * (1 + step) + step / 4 * absolute
        return np.asarray(moved.astype(value.dtype))


def _around(cell: Cell, seed: int) -> Value:
    """As far from the value as its shadow is, on either side."""
    value, shadow = cell.value, cell.shadow
    if cell.exact or isinstance(value, list) or isinstance(shadow, list) or value.dtype not in registry.EPS:
        return shadow
    with np.errstate(all="ignore"):
        wide = value.astype(np.float64)
        least = 2.0**-24 if value.dtype == np.float16 else 0.0  # what was too small for it may be more than nothing
        apart = np.maximum(np.abs(shadow.astype(np.float64) - wide), least)
        apart = apart * np.random.default_rng(seed).choice([-1.0, 1.0], value.shape)
        return np.asarray(np.where(np.isfinite(apart), wide + apart, wide).astype(value.dtype))


def farther(value: Value, a: Value, b: Value) -> Value:
    """Which of two shadows shows more: other integers or shapes, or of each element the one that is farther away."""
    if not isinstance(value, np.ndarray) or not _same(value, a):
        return a
    if not _same(value, b) or not registry.is_float(value.dtype):
        return b
    with np.errstate(all="ignore"):
        v, x, y = (c.astype(np.float64) for c in (value, a, b))
        crossed = np.isfinite(v) & ((np.sign(y) != np.sign(v)) & (np.abs(v) > 1) & (np.abs(y) > 1))
        return np.where(crossed, np.array(np.inf, b.dtype), np.where(np.abs(y - v) > np.abs(x - v), b, a))


def _told_apart(node: NodeProto) -> tuple[NodeProto, dict[str, tuple[int, str]]]:
    """The node with a name of its own for each operand, and which those are of: a value that is read twice is moved
    one way and the other."""
    copy = NodeProto()
    copy.CopyFrom(node)
    names = list(dict.fromkeys(reads_of(node)))
    again: dict[str, tuple[int, str]] = {}
    for i, name in enumerate(node.input):
        if name and name in node.input[:i]:
            copy.input[i] = f"{name} again {i}"
            again[copy.input[i]] = names.index(name), name
    return copy, again


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return a.shape == b.shape and (registry.is_float(a.dtype) or bool(np.array_equal(a, b)))


def type_of(value: Value) -> onnx.TypeProto:
    if isinstance(value, Items):
        return onnx.helper.make_sequence_type_proto(
            onnx.helper.make_tensor_type_proto(registry.CODE[value.dtype], None)
        )
    return onnx.helper.make_tensor_type_proto(registry.CODE[value.dtype], value.shape)


PLAIN = norn.SessionOptions(reference_only=True, disabled_passes=["all"], intra_op_num_threads=1)


def reads_of(node: NodeProto) -> list[str]:
    """Every name of the scope that a node reads, by its subgraphs too."""
    names = [n for n in node.input if n]
    for a in node.attribute:
        if a.type == AttributeProto.GRAPH:
            names += free_names(a.g)
    return names


def only_sizes_are_read(graph: onnx.GraphProto, names: Sequence[str]) -> bool:
    """Whether the graph makes these values, and nothing but Shape, Size and what picks nothing of them stands between
    them and its outputs."""
    if not any(set(names).intersection(n.output) for n in graph.node):
        return False
    wanted = set(names)
    nothing = {t.name for t in graph.initializer if 0 in t.dims}
    declared = ((v.name, v.type.tensor_type.shape.dim) for v in graph.input)
    nothing |= {name for name, dims in declared if any(d.HasField("dim_value") and d.dim_value == 0 for d in dims)}
    for node in graph.node:
        if node.op_type == "Constant" and any(0 in a.t.dims for a in node.attribute if a.type == AttributeProto.TENSOR):
            nothing.update(node.output)
        picks_nothing = node.op_type in ("Gather", "GatherElements", "GatherND") and node.input[1] in nothing
        if node.op_type in ("Shape", "Size") or picks_nothing:
            continue
        if wanted.intersection(reads_of(node)):
            wanted.update(node.output)
    return not wanted.intersection(o.name for o in graph.output)


def free_names(graph: onnx.GraphProto) -> list[str]:
    made = {v.name for v in graph.input} | {t.name for t in graph.initializer}
    names: list[str] = []
    for node in graph.node:
        names += [n for n in reads_of(node) if n not in made]
        made.update(node.output)
    return [*names, *(o.name for o in graph.output if o.name not in made)]


class Evaluator:
    """Runs nodes, and remembers what they gave for the same operands."""

    def __init__(self, limit: int = 20000, salt: int = 0) -> None:
        self._known: dict[tuple[Any, ...], tuple[list[Cell | None], Sequence[Cell | None]] | Refused | Unsteady] = {}
        self._limit = limit
        self._salt = salt  # another one moves operands in other ways

    def _once(self, node: NodeProto, opset: int, operands: Mapping[str, Value]) -> list[Value]:
        graph = onnx.GraphProto(name="node")
        graph.node.append(node)
        for name, value in operands.items():
            graph.input.append(onnx.ValueInfoProto(name=name, type=type_of(value)))
        wanted = [n for n in node.output if n]
        graph.output.extend(onnx.ValueInfoProto(name=n) for n in wanted)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=10)
        try:
            got = norn.InferenceSession(model.SerializeToString(), PLAIN).run(None, dict(operands))
        except norn.InternalError:
            raise
        except norn.Error as e:
            raise Refused(str(e)) from None
        inside = next((v.dtype for v in operands.values()), registry.NUMPY["float"])
        if node.op_type == "SequenceEmpty":
            inside = next((t for t, c in registry.CODE.items() for a in node.attribute if a.i == c), inside)
        got = [Items(v, inside) if isinstance(v, list) else v for v in got]
        by_name = dict(zip(wanted, got, strict=True))
        return [by_name.get(n) for n in node.output]

    def run(self, node: NodeProto, opset: int, inputs: Mapping[str, Cell]) -> list[Cell | None]:
        key = (node.SerializeToString(), opset, *map(id, inputs.values()))
        known = self._known.get(key)
        if known is None:
            if len(self._known) > self._limit:
                self._known.clear()
            try:
                cells = self._compute(node, opset, inputs)
            except (Refused, Unsteady) as e:
                self._known[key] = e
                # The key names objects by address: they stay.
                self._known[(*key, "kept")] = ([], list(inputs.values()))
                raise
            known = (cells, list(inputs.values()))
            self._known[key] = known
        if isinstance(known, Exception):
            raise known
        return known[0]

    def _compute(self, node: NodeProto, opset: int, inputs: Mapping[str, Cell]) -> list[Cell | None]:
        values = self._once(node, opset, {n: c.value for n, c in inputs.items()})
        given = list(inputs.values())
        all_exact = all(c.exact for c in given)
        op = node.op_type
        floats = any(registry.is_float(a.dtype) for v in values if v is not None for a in _arrays(v))
        if op == "Cast" and floats:
            # Where rounding to a narrow type is a tie, neighbours differ by a whole unit.
            source = _arrays(given[0].value)[0]
            floats = registry.is_float(source.dtype) or source.dtype.kind in "iu"
        by_fractions = op == "Conv" and _arrays(given[1].value)[0].shape[2:] == (3, 3)  # Winograd's way
        whole = op in WHOLE and not by_fractions and all(_whole(c.value) for c in given) and all(_whole(v) for v in values if v is not None)
        if all_exact and (not floats or op in MOVE or whole):
            return [None if v is None else Cell(v, v) for v in values]
        seed = zlib.crc32(node.SerializeToString(), self._salt)
        count = _addends(op, [c.value for c in given]) if given else 1.0
        apart, again = _told_apart(node) if op in SUMS else (node, {})
        scale = 1 + count**0.5 / 4
        moved = {
            n: c.shadow if op in MOVE and not c.exact else _move(c.shadow, seed + 17 * i, scale, of=c.value)
            for i, (n, c) in enumerate(inputs.items())
        }
        for n, (i, name) in again.items():
            moved[n] = _move(inputs[name].shadow, seed + 17 * i, -scale, of=inputs[name].value)
        try:
            shadows = self._once(apart, opset, moved)
        except Refused as e:
            raise Unsteady(str(e)) from None
        if op in JUMP and not all_exact:
            for turn in range(_TRIES):
                near = {n: _around(c, seed + 3001 + turn) for n, c in inputs.items()}
                try:
                    shadows = [farther(*v) for v in zip(values, shadows, self._once(node, opset, near), strict=True)]
                except Refused as e:
                    raise Unsteady(str(e)) from None
        near_to = _nearness(op, [c.value for c in inputs.values()])
        cells: list[Cell | None] = []
        for i, (value, shadow) in enumerate(zip(values, shadows, strict=True)):
            if value is None:
                cells.append(None)
                continue
            if not _same(value, shadow):
                raise Unsteady(f"{op} {node.output[i]}")
            if any(registry.is_float(a.dtype) for a in _arrays(value)):
                cells.append(
                    Cell(
                        value,
                        shadow
                        if op in MOVE
                        else _move(shadow, seed + 1001 + i, 1 + count**0.5 / 8, near_to, of=value),
                    )
                )
            else:
                cells.append(Cell(value, value))
        return cells


class Interpreter:
    """Runs whole models; branches and functions are followed, other subgraphs are part of their node."""

    def __init__(self, model: ModelProto, evaluator: Evaluator | None = None) -> None:
        self.model = model
        self.evaluator = evaluator or Evaluator()
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), registry.NEWEST)
        self._constants: dict[str, Cell] = {}
        self.reads: list[reasons.Read] = []  # every node that ran, with its operands

    def run(self, feed: Mapping[str, Cell]) -> list[Cell]:
        env = dict(feed)
        self.graph(self.model.graph, env)
        return [env[o.name] for o in self.model.graph.output]

    def graph(self, graph: onnx.GraphProto, env: dict[str, Cell]) -> None:
        for tensor in graph.initializer:
            if tensor.name not in env or tensor.name not in {v.name for v in self.model.graph.input}:
                if tensor.name not in self._constants:  # names are the model's own: no scope has another's
                    array = numpy_helper.to_array(tensor)
                    self._constants[tensor.name] = Cell(array, array)
                env[tensor.name] = self._constants[tensor.name]
        for node in graph.node:
            self._node(node, env)

    def _node(self, node: NodeProto, env: dict[str, Cell]) -> None:
        function = self.functions.get((node.domain, node.op_type))
        if function is not None:
            self._call(node, function, env)
        elif node.op_type == "If" and node.domain in ("", "ai.onnx"):
            condition = env[node.input[0]].value
            if condition.size != 1:
                raise Refused("If wants one condition")
            wanted = "then_branch" if condition.reshape(-1)[0] else "else_branch"
            branch = next(a.g for a in node.attribute if a.name == wanted)
            inner = dict(env)
            self.graph(branch, inner)
            for name, output in zip(node.output, branch.output, strict=False):
                env[name] = inner[output.name]
        else:
            read = reasons.Read(node, [env[n].value if n else None for n in node.input], self.opset)
            self.reads.append(read)
            try:
                results = self.evaluator.run(node, self.opset, {n: env[n] for n in reads_of(node)})
            except Refused as e:
                e.outputs = tuple(node.output)
                raise
            read.cells = results
            env.update((n, c) for n, c in zip(node.output, results, strict=True) if n and c is not None)

    def _call(self, node: NodeProto, function: onnx.FunctionProto, env: dict[str, Cell]) -> None:
        actual = dict(zip(function.input, node.input, strict=False))
        inner = {formal: env[name] for formal, name in actual.items() if name}
        given = {a.name: a for a in node.attribute}
        for default in function.attribute_proto:
            given.setdefault(default.name, default)
        omitted = {f for f in function.input if f not in inner}
        for inside in function.node:
            self._node(_in_place(inside, given, omitted), inner)
        for name, formal in zip(node.output, function.output, strict=False):
            if name:
                env[name] = inner[formal]


def _in_place(node: NodeProto, given: Mapping[str, AttributeProto], omitted: set[str]) -> NodeProto:
    """A node of a function with the call's attributes, and without inputs that the call leaves out."""
    copy = NodeProto()
    copy.CopyFrom(node)
    for i, name in enumerate(copy.input):
        if name in omitted:
            copy.input[i] = ""
    del copy.attribute[:]
    for a in node.attribute:
        if a.ref_attr_name:
            if a.ref_attr_name in given:
                value = copy.attribute.add()
                value.CopyFrom(given[a.ref_attr_name])
                value.name = a.name
        else:
            new = copy.attribute.add()
            new.CopyFrom(a)
            if a.type == AttributeProto.GRAPH:
                inside = [_in_place(n, given, omitted) for n in a.g.node]
                del new.g.node[:]
                new.g.node.extend(inside)
    return copy


def difference(got: Value, cell: Cell, times: float = 16) -> str:
    """What is wrong with an answer, or nothing; it may be off by so many times what moved operands change."""
    return _differs(got, cell.value, cell.shadow, times)


def _differs(got: Value, value: Value, shadow: Value, times: float) -> str:
    if isinstance(value, list):
        if not isinstance(got, list) or len(got) != len(value):
            what = f"a sequence of {len(got)}" if isinstance(got, list) else "no sequence"
            return f"{what}, not one of {len(value)}"
        for i, (g, v, s) in enumerate(zip(got, value, shadow, strict=True)):
            if text := _differs(g, v, s, times):
                return f"element {i}: {text}"
        return ""
    got = np.asarray(got)
    if got.dtype != value.dtype and not (value.dtype == object and got.dtype.kind in "OU"):
        return f"type {got.dtype}, not {value.dtype}"
    if got.shape != value.shape:
        return f"shape {list(got.shape)}, not {list(value.shape)}"
    if not registry.is_float(value.dtype):
        wrong = got != value
    else:
        with np.errstate(all="ignore"):
            g, v, s = (a.astype(np.float64) for a in (got, value, shadow))
            steady = np.isfinite(v) & np.isfinite(s)
            apart = np.where(steady, np.abs(v - s), 0)
            spread = np.sqrt(np.mean(apart**2)) if apart.size else 0.0
            allowed = times * (apart + spread) + (
                0 if value is shadow else times / 2 * registry.EPS[value.dtype] * np.abs(v) + 1e-37
            )
            equal = (g == v) | (np.isnan(g) & np.isnan(v))
            wrong = ~(equal | (np.abs(g - v) <= allowed)) & (np.isfinite(s) | ~np.isfinite(v))
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if value.shape else ()
    return f"at {list(at)} {got[at]!s}, not {value[at]!s} ({int(wrong.sum())} of {value.size} elements)"
