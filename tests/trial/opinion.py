"""Third opinions, asked only where two answers differ: ONNX Runtime's of each node alone, which finds the node that the
difference comes from; onnx's evaluator's of that node, in double precision; and shadows of other moves.

None of them may excuse a wrong kernel of Norn's: what its node gives has to be what another implementation computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from . import independent, registry
from .reasons import Read
from .truth import Cell, Evaluator, Interpreter, Items, Refused, Unsteady, Value, difference, farther, type_of

MOST = 20_000  # elements that onnx's evaluator is given: some of its loops are Python's
SALTS = range(1, 7)
CLOSE = 2  # what is computed in double may be off by this many times what moved operands change, and no more
Ask = Callable[[onnx.ModelProto, dict[str, Value]], Any]  # what judge.Said tells: values, or why there are none


def node_model(read: Read) -> tuple[onnx.ModelProto, dict[str, Value]]:
    feed = {n: v for n, v in zip(read.node.input, read.operands, strict=True) if n}
    graph = onnx.GraphProto(name="node")
    graph.node.append(read.node)
    graph.input.extend(onnx.ValueInfoProto(name=n, type=type_of(v)) for n, v in feed.items())
    for name, cell in zip(read.node.output, read.cells or [None] * len(read.node.output), strict=True):
        if name and cell:
            graph.output.append(onnx.ValueInfoProto(name=name, type=_of_any_shape(cell.value)))
        elif name:
            graph.output.append(onnx.ValueInfoProto(name=name))
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", read.opset)], ir_version=10), feed


def _of_any_shape(value: Value) -> onnx.TypeProto:
    if isinstance(value, Items):
        return type_of(value)
    return onnx.helper.make_tensor_type_proto(registry.CODE[value.dtype], None)


def settled(reads: Sequence[Read], ask: Ask, phase: Callable[[str], None] = lambda _: None) -> str:
    """Why ONNX Runtime's answer of a whole model is another than its nodes' here; nothing if the nodes may be wrong."""
    phase("onnxruntime")
    apart = [read for read in reads if not _same_alone(read, ask)]
    phase("onnx's evaluator")
    if not all(supported(read) for read in apart):
        return ""
    if apart:
        return "ONNX Runtime alone differs in a node: onnx's evaluator, in double precision, gives what Norn's node gives"
    return "ONNX Runtime gives the same for each of the nodes alone, and differs in the whole"


def _same_alone(read: Read, ask: Ask) -> bool:
    said = ask(*node_model(read))
    if read.cells is None:
        return said.values is None and said.kind != "lacks"
    if said.values is None:
        return False
    cells = [c for n, c in zip(read.node.output, read.cells, strict=True) if n and c]
    return not any(difference(v, c) for v, c in zip(said.values, cells, strict=True))


# --- onnx's evaluator ---

# What it says of operands that are wrong; anything else may be a weakness of its own.
_REFUSALS = (ValueError, IndexError, AssertionError)


def supported(read: Read) -> bool:
    """Whether an implementation other than Norn and ONNX Runtime gives what Norn's node gives, or refuses as it does."""
    if read.cells is None:
        return all(isinstance(_evaluated(read, wide), _REFUSALS) for wide in (False, True))
    if independent.agrees(read):
        return True
    plain = _evaluated(read, False)
    if isinstance(plain, list) and any(_type(v) != _type(c.value) for v, c in zip(plain, read.cells, strict=False) if c):
        return False
    return _is(plain, read.cells) or _is(_evaluated(read, True), read.cells)


def _is(got: list[Value] | Exception, cells: Sequence[Cell | None]) -> bool:
    if isinstance(got, Exception):
        return False
    return not any(difference(_as(v, c.value), c, CLOSE) for v, c in zip(got, cells, strict=True) if c)


def _type(value: Value) -> object:
    if isinstance(value, list):
        return [_type(v) for v in value]
    return "string" if value.dtype.kind in "OU" else value.dtype


def _as(value: Value, like: Value) -> Value:
    """Rounded to the type of what it is compared with; other types are kept."""
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [_as(v, x) for v, x in zip(value, like, strict=True)]
    if isinstance(value, np.ndarray) and isinstance(like, np.ndarray) and value.dtype == np.float64:
        if registry.is_float(like.dtype):
            with np.errstate(all="ignore"):
                return value.astype(like.dtype)
    return value


def _widened(value: Value) -> Value:
    if isinstance(value, list):
        dtype = np.dtype(np.float64) if registry.is_float(value.dtype) else value.dtype
        return Items([_widened(v) for v in value], dtype)
    return value.astype(np.float64) if value.dtype in registry.FLOATS else value


def _evaluated(read: Read, wide: bool) -> list[Value] | Exception:
    """What onnx's evaluator gives, one value for each output, or why it gives nothing."""
    every = [a for v in read.operands if v is not None for a in (v if isinstance(v, list) else [v])]
    if sum(a.size for a in every) > MOST:
        return NotImplementedError("too large for loops of Python")
    if wide:
        operands = [None if v is None else _widened(v) for v in read.operands]
        read = Read(read.node, operands, read.opset)
    model, feed = node_model(read)
    wanted = [n for n in read.node.output if n]
    try:
        with np.errstate(all="ignore"):
            got = ReferenceEvaluator(model).run(wanted, dict(feed))
    except Exception as e:  # noqa: BLE001  whatever its loops meet
        return e
    if any(v is None for v in got):
        return NotImplementedError("no value")
    by_name = dict(zip(wanted, got, strict=True))
    return [_value(by_name[n]) if n else None for n in read.node.output]


def _value(got: Any) -> Value:
    if isinstance(got, list):
        items = [np.asarray(v) for v in got]
        return Items(items, items[0].dtype if items else np.dtype(np.float32))
    return np.asarray(got)


# --- other moves ---


def steadier(model: onnx.ModelProto, feed: Mapping[str, Value], truth: Sequence[Cell]) -> list[Cell] | Unsteady:
    """The truth with what its operands, moved in some more ways, change: one draw may change an element by chance by
    little, though much hangs on it. Unsteady if integers or shapes do."""
    cells = list(truth)
    for salt in SALTS:
        interpreter = Interpreter(model, Evaluator(salt=salt))
        try:
            moved = interpreter.run({n: Cell(v, v) for n, v in feed.items()})
        except (Refused, Unsteady) as e:
            return Unsteady(str(e))
        cells = [_wider(cell, other) for cell, other in zip(cells, moved, strict=True)]
    return cells


def _wider(cell: Cell, other: Cell) -> Cell:
    if other.exact:
        return cell
    if isinstance(cell.value, list):
        parts = [farther(*t) for t in zip(cell.value, cell.shadow, other.shadow, strict=True)]
        return Cell(cell.value, Items(parts, cell.value.dtype))
    return Cell(cell.value, farther(cell.value, cell.shadow, other.shadow))
