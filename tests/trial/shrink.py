"""Makes a failing case small: fewer turns, outputs, nodes, sizes, as long as the same kind of failure stays."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator

import numpy as np
import onnx
from onnx import AttributeProto, helper, numpy_helper

from . import registry
from .graphs import Case
from .judge import Finding
from .truth import Cell, Interpreter, Items, Refused, Unsteady, Value, _in_place, reads_of, type_of

Fails = Callable[[Case], Finding | None]


def shrink(
    case: Case, fails: Fails, seconds: float, better: Callable[[tuple[Case, Finding]], None] = lambda _: None
) -> Case:
    until = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < until:
        progress = False
        for step in (_turns, _outputs, _inlined, _cut, _bypassed, _constants, _optional, _declared, _sizes, _contents):
            again = True
            while again and time.monotonic() < until:
                again = False
                for candidate in step(case):
                    if time.monotonic() > until:
                        break
                    try:
                        _tidy(candidate)
                        failed = fails(candidate)
                    except (KeyError, ValueError, IndexError, StopIteration, TypeError, AttributeError):
                        continue  # no model any more
                    if failed is not None:
                        case = candidate
                        better((case, failed))
                        progress = again = True
                        break
    return case


def _copy(case: Case) -> Case:
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    return Case(model, [dict(f) for f in case.feeds], list(case.order), case.mode, case.seed)


def _tidy(case: Case) -> None:
    """Drops what nothing reads, and feeds that no turn runs."""
    graph = case.model.graph
    needed = {o.name for o in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed.update(reads_of(node))
            kept.append(node)
    kept = [onnx.NodeProto.FromString(n.SerializeToString()) for n in reversed(kept)]
    del graph.node[:]
    graph.node.extend(kept)
    for field in (graph.initializer, graph.input):
        rest = [copy.deepcopy(t) for t in field if t.name in needed]
        del field[:]
        field.extend(rest)
    names = {v.name for v in graph.input}
    used = {n.op_type for n in graph.node if n.domain == "own"}
    if case.model.functions:
        calls = used | {n.op_type for f in case.model.functions for n in f.node}
        functions = [copy.deepcopy(f) for f in case.model.functions if f.name in calls]
        del case.model.functions[:]
        case.model.functions.extend(functions)
    turns = sorted(set(case.order))
    case.feeds = [{n: v for n, v in case.feeds[k].items() if n in names} for k in turns]
    case.order = [turns.index(k) for k in case.order]


def _turns(case: Case) -> Iterator[Case]:
    count = len(case.order)
    chunk = count // 2
    while chunk:
        for at in range(0, count, chunk):
            rest = case.order[:at] + case.order[at + chunk :]
            if rest:
                smaller = _copy(case)
                smaller.order = rest
                yield smaller
        chunk //= 2


def _outputs(case: Case) -> Iterator[Case]:
    for i in range(len(case.model.graph.output)):
        if len(case.model.graph.output) > 1:
            smaller = _copy(case)
            del smaller.model.graph.output[i]
            yield smaller


def _inlined(case: Case) -> Iterator[Case]:
    functions = {f.name: f for f in case.model.functions}
    for i, node in enumerate(case.model.graph.node):
        inside: list[onnx.NodeProto] = []
        initializers: list[onnx.TensorProto] = []
        branches = [a.g for a in node.attribute if a.type == AttributeProto.GRAPH]
        options: list[tuple[list[onnx.NodeProto], list[onnx.TensorProto]]] = []
        if node.op_type in functions and node.domain == "own":
            f = functions[node.op_type]
            actual = dict(zip(f.input, node.input, strict=False))
            omitted = {n for n in f.input if not actual.get(n)}
            options.append(([_in_place(n, {a.name: a for a in node.attribute}, omitted) for n in f.node], []))
        for branch in branches:
            inside, initializers = list(branch.node), list(branch.initializer)
            ends = [
                helper.make_node("Identity", [o.name], [n]) for o, n in zip(branch.output, node.output, strict=False)
            ]
            options.append(([*inside, *ends], initializers))
        for nodes, tensors in options:
            smaller = _copy(case)
            graph = smaller.model.graph
            rest = [copy.deepcopy(n) for n in [*graph.node[:i], *nodes, *graph.node[i + 1 :]]]
            del graph.node[:]
            graph.node.extend(rest)
            graph.initializer.extend(copy.deepcopy(t) for t in tensors)
            yield smaller


def _values(case: Case) -> list[dict[str, Cell]]:
    """Every value of the main graph, for each feed, as far as its nodes go."""
    interpreter = Interpreter(case.model)
    found = []
    for feed in case.feeds:
        env = {n: Cell(v, v) for n, v in feed.items()}
        try:
            interpreter.graph(case.model.graph, env)
        except (Refused, Unsteady):
            pass
        found.append(env)
    return found


def _cut(case: Case) -> Iterator[Case]:
    """A node's output becomes an input."""
    values = _values(case)
    for i in reversed(range(len(case.model.graph.node))):
        node = case.model.graph.node[i]
        names = [n for n in node.output if n]
        if not all(n in env for n in names for env in values):
            continue
        if any(o.name in names for o in case.model.graph.output):
            continue
        smaller = _copy(case)
        del smaller.model.graph.node[i]
        for name in names:
            given = [env[name].value for env in values]
            smaller.model.graph.input.append(onnx.ValueInfoProto(name=name, type=_open_type(given)))
            for feed, value in zip(smaller.feeds, given, strict=True):
                feed[name] = value
        yield smaller


def _open_type(values: list[Value]) -> onnx.TypeProto:
    if isinstance(values[0], Items):
        return type_of(values[0])
    ranks = {v.ndim for v in values}
    shape = (
        [f"d{i}" if len({v.shape[i] for v in values}) > 1 else values[0].shape[i] for i in range(values[0].ndim)]
        if len(ranks) == 1
        else None
    )
    kind = helper.make_tensor_type_proto(registry.CODE[values[0].dtype], shape)
    if shape is not None:
        for d in kind.tensor_type.shape.dim:
            if d.HasField("dim_param"):
                d.ClearField("dim_param")
    return kind


def _bypassed(case: Case) -> Iterator[Case]:
    """A node's readers read what it read."""
    for i in range(len(case.model.graph.node)):
        for source in dict.fromkeys(case.model.graph.node[i].input):
            if not source:
                continue
            smaller = _copy(case)
            graph = smaller.model.graph
            old = graph.node[i].output[0]
            if any(o.name == old for o in graph.output):
                if graph.node[i].op_type == "Identity":
                    continue
                graph.node[i].CopyFrom(helper.make_node("Identity", [source], [old]))
            else:
                del graph.node[i]
                for node in graph.node[i:]:
                    _rename(node, old, source)
            yield smaller


def _rename(node: onnx.NodeProto, old: str, new: str) -> None:
    for j, name in enumerate(node.input):
        if name == old:
            node.input[j] = new
    for a in node.attribute:
        if a.type == AttributeProto.GRAPH:
            for inner in a.g.node:
                _rename(inner, old, new)


def _constants(case: Case) -> Iterator[Case]:
    """Inputs that are the same in every feed become initializers."""
    for i, value in enumerate(case.model.graph.input):
        given = [g for f in case.feeds if isinstance(g := f.get(value.name), np.ndarray)]
        if len(given) < len(case.feeds) or not given:
            continue
        if all(g.shape == given[0].shape and g.tobytes() == given[0].tobytes() for g in given):
            smaller = _copy(case)
            del smaller.model.graph.input[i]
            rest = [copy.deepcopy(t) for t in smaller.model.graph.initializer if t.name != value.name]
            del smaller.model.graph.initializer[:]
            smaller.model.graph.initializer.extend([*rest, numpy_helper.from_array(given[0], value.name)])
            for f in smaller.feeds:
                del f[value.name]
            yield smaller


def _optional(case: Case) -> Iterator[Case]:
    for i, node in enumerate(case.model.graph.node):
        for j in reversed(range(len(node.input))):
            smaller = _copy(case)
            if j == len(node.input) - 1:
                del smaller.model.graph.node[i].input[j]
            elif node.input[j]:
                smaller.model.graph.node[i].input[j] = ""
            else:
                continue
            yield smaller
        for j in range(len(node.attribute)):
            smaller = _copy(case)
            del smaller.model.graph.node[i].attribute[j]
            yield smaller


def _declared(case: Case) -> Iterator[Case]:
    """Plainer shapes for inputs: numbers where all feeds agree."""
    for i, value in enumerate(case.model.graph.input):
        given = [f[value.name] for f in case.feeds if value.name in f]
        if given and value.type != (plain := _open_type(given)):
            smaller = _copy(case)
            smaller.model.graph.input[i].type.CopyFrom(plain)
            yield smaller


def _sizes(case: Case) -> Iterator[Case]:
    """One size becomes smaller wherever it stands; as a number among integers too, or not."""
    tensors = {t.name: numpy_helper.to_array(t) for t in case.model.graph.initializer}
    sizes = {d for f in case.feeds for v in f.values() for a in (v if isinstance(v, Items) else [v]) for d in a.shape}
    sizes |= {d for a in tensors.values() for d in a.shape}
    for size in sorted(sizes, reverse=True):
        for to in sorted({1, 2, size // 2, size - 1}):
            if not 0 < to < size:
                continue
            for numbers in (False, True):
                smaller = _copy(case)
                smaller.feeds = [{n: _resized(v, size, to, numbers) for n, v in f.items()} for f in case.feeds]
                for t in smaller.model.graph.initializer:
                    t.CopyFrom(numpy_helper.from_array(_resized(tensors[t.name], size, to, numbers), t.name))
                for value in smaller.model.graph.input:
                    for d in value.type.tensor_type.shape.dim:
                        if d.dim_value == size:
                            d.dim_value = to
                yield smaller


def _resized(value: Value, size: int, to: int, numbers: bool) -> Value:
    if isinstance(value, Items):
        return Items([_resized(v, size, to, numbers) for v in value], value.dtype)
    array = value[tuple(slice(0, to) if d == size else slice(None) for d in value.shape)]
    if numbers and array.dtype == np.int64:
        array = np.where(array == size, to, array)
    return np.ascontiguousarray(array).reshape(array.shape)


def _contents(case: Case) -> Iterator[Case]:
    names = {
        n for f in case.feeds for n, v in f.items() if isinstance(v, np.ndarray) and v.size > 1 and v.dtype.kind != "O"
    }
    for name in sorted(names):
        for plain in (np.ones_like, lambda a: np.arange(a.size).reshape(a.shape).astype(a.dtype)):
            smaller = _copy(case)
            for f in smaller.feeds:
                if name in f:
                    f[name] = plain(f[name])
            if any(
                f[name].tobytes() != g[name].tobytes()
                for f, g in zip(smaller.feeds, case.feeds, strict=True)
                if name in f
            ):
                if all((g[name] == 1).all() for g in case.feeds if name in g):
                    continue
                yield smaller
                break
