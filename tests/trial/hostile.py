"""Invalid requests to operators: a sound node with one thing wrong, or far too large, or at a type's end."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Iterator

import norn
import numpy as np
import onnx
from onnx import AttributeProto, helper
from onnx.backend.test.loader import load_model_tests

from . import graphs, registry
from .truth import Value, type_of

LEAST, MOST = -(2**63), 2**63 - 1
WHOLE = (LEAST, LEAST + 1, -(2**31), -2, -1, 0, 1, 3, 33, 64, 2**31 - 1, 2**31, 2**40, 2**62, MOST)
REAL = (float("nan"), float("inf"), float("-inf"), -1.0, 0.0, 1e-45, 3e38, -3e38)


@dataclasses.dataclass
class Node:
    """A model of one node as a rule, and what it is fed."""

    name: str
    model: onnx.ModelProto
    feed: dict[str, Value]

    def copy(self, what: str) -> Node:
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        return Node(f"{self.name}: {what}", model, dict(self.feed))


def nodes(part: int = 0, parts: int = 1) -> Iterator[Node]:
    """A node of each operator that runs; every so many of them."""
    yield from drawn(part, parts)
    yield from itertools.islice(of_the_package(), part, None, parts)


def drawn(part: int, parts: int) -> Iterator[Node]:
    """A node of each operator and version that the trial draws."""
    every = [(op, v) for op in registry.runnable() for v in registry.versions(op) if op not in graphs.SUBGRAPHS]
    for k, (op, schema) in enumerate(every):
        if k % parts != part:
            continue
        for attempt in range(12):
            case = graphs.one_node(k + attempt * len(every))
            if case is not None:
                yield Node(f"{op}-{schema.since_version}", _all_fed(case.model, case.feeds[0]), _feed(case))
                break


def _feed(case: graphs.Case) -> dict[str, Value]:
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in case.model.graph.initializer}
    return {**constants, **case.feeds[0]}


def _all_fed(model: onnx.ModelProto, feed: dict[str, Value]) -> onnx.ModelProto:
    """With constants as inputs, and shapes that are open: what is fed may then be anything."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in out.graph.initializer}
    del out.graph.initializer[:]
    del out.graph.input[:]
    for name, value in {**constants, **feed}.items():
        kind = type_of(value)
        if kind.HasField("tensor_type"):
            kind.tensor_type.ClearField("shape")
        out.graph.input.append(onnx.ValueInfoProto(name=name, type=kind))
    return out


def of_the_package() -> Iterator[Node]:
    """A node case of the onnx package for each operator that the trial does not draw."""
    seen = set(registry.runnable()) - set(graphs.SUBGRAPHS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = sorted(load_model_tests(kind="node"), key=lambda case: case.name)
    for case in cases:
        model = case.model
        if model is None or not case.data_sets or len(model.graph.node) != 1:
            continue
        node = model.graph.node[0]
        if node.op_type in seen:
            continue
        inputs = case.data_sets[0][0]
        if not all(isinstance(v, np.ndarray) for v in inputs):
            continue
        seen.add(node.op_type)
        names = [v.name for v in model.graph.input]
        yield Node(f"{node.op_type} of {case.name}", model, dict(zip(names, inputs, strict=True)))


def variants(node: Node) -> Iterator[Node]:
    yield from attributes(node)
    yield from arity(node)
    for name, value in node.feed.items():
        if isinstance(value, np.ndarray) and value.dtype.kind != "O":
            yield from contents(node, name, value)
            yield from shapes(node, name, value)
            yield from declared(node, name, value)


def attributes(node: Node) -> Iterator[Node]:
    schema = _schema(node)
    given = {a.name for a in node.model.graph.node[0].attribute}
    if schema is not None:  # those that the node leaves out as well
        kinds = norn.OpSchema.AttrType
        for a in schema.attribute_list:
            if a.name in given:
                continue
            for kind, values in ((kinds.INT, WHOLE), (kinds.FLOAT, REAL), (kinds.STRING, (b"", b"nonsense"))):
                for v in values if a.type == kind else ():
                    other = node.copy(f"{a.name} = {v!r}")
                    other.model.graph.node[0].attribute.append(helper.make_attribute(a.name, v))
                    yield other
            if a.type == kinds.INTS:
                for many in ([], [LEAST], [-1, -1], [0, 0], [MOST, MOST], [2**40, 2**40, 1, 1], [1] * 9):
                    other = node.copy(f"{a.name} = {many}")
                    other.model.graph.node[0].attribute.append(
                        helper.make_attribute(a.name, many, attr_type=AttributeProto.INTS)
                    )
                    yield other
    for k, a in enumerate(node.model.graph.node[0].attribute):
        if a.type == AttributeProto.INT:
            for v in WHOLE:
                other = node.copy(f"{a.name} = {v}")
                other.model.graph.node[0].attribute[k].i = v
                yield other
        elif a.type == AttributeProto.FLOAT:
            for f in REAL:
                other = node.copy(f"{a.name} = {f}")
                other.model.graph.node[0].attribute[k].f = f
                yield other
        elif a.type == AttributeProto.STRING:
            for text in (b"", b"nonsense"):
                other = node.copy(f"{a.name} = {text!r}")
                other.model.graph.node[0].attribute[k].s = text
                yield other
        elif a.type == AttributeProto.INTS:
            for v in (LEAST, -1, 0, 2**31, 2**40, MOST):
                for at in {0, len(a.ints) - 1} if a.ints else ():
                    other = node.copy(f"{a.name}[{at}] = {v}")
                    other.model.graph.node[0].attribute[k].ints[at] = v
                    yield other
            for many in ([], list(a.ints[:-1]), [*a.ints, 1], list(a.ints) * 2):
                other = node.copy(f"{a.name} = {many}")
                del other.model.graph.node[0].attribute[k].ints[:]
                other.model.graph.node[0].attribute[k].ints.extend(many)
                yield other
        other = node.copy(f"without {a.name}")
        del other.model.graph.node[0].attribute[k]
        yield other


def _schema(node: Node) -> norn.OpSchema | None:
    of = node.model.graph.node[0]
    version = next((o.version for o in node.model.opset_import if o.domain == of.domain), 0)
    return norn.get_schema(of.op_type, version, of.domain) if norn.has_schema(of.op_type, version, of.domain) else None


def arity(node: Node) -> Iterator[Node]:
    count = len(node.model.graph.node[0].input)
    for k in range(count):
        other = node.copy(f"input {k} left out")
        other.model.graph.node[0].input[k] = ""
        yield other
    if count:
        other = node.copy("an input less")
        del other.model.graph.node[0].input[-1]
        yield other
        for more in (1, 3):
            other = node.copy(f"{more} inputs more")
            other.model.graph.node[0].input.extend([node.model.graph.node[0].input[0]] * more)
            yield other
        other = node.copy("every input is the first")
        other.model.graph.node[0].input[:] = [node.model.graph.node[0].input[0]] * count
        yield other
    for more in (1, 2, 5):
        other = node.copy(f"{more} outputs more")
        for k in range(more):
            other.model.graph.node[0].output.append(f"more{k}")
            other.model.graph.output.append(onnx.ValueInfoProto(name=f"more{k}"))
        yield other


def contents(node: Node, name: str, value: np.ndarray) -> Iterator[Node]:
    """Every element, and one of them, is something else."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if value.dtype == bool or value.dtype in registry.NARROW:
            return
        if value.dtype.kind in "iu":
            ends = np.iinfo(value.dtype)
            numbers = sorted({n for n in WHOLE if ends.min <= n <= ends.max} | {ends.min, ends.max})
        elif registry.is_float(value.dtype):
            numbers = list(REAL)
        else:
            return
        for n in numbers:
            whole = np.full(value.shape, n).astype(value.dtype) if value.dtype.kind not in "iu" else np.full(
                value.shape, n, value.dtype)
            yield _fed(node, name, whole, f"{name} is full of {n}")
            if value.size > 1:
                one = value.copy()
                one.reshape(-1)[-1] = n
                yield _fed(node, name, one, f"{name} ends with {n}")


def shapes(node: Node, name: str, value: np.ndarray) -> Iterator[Node]:
    for shape in ((), (0,), (1,), (2,), (7,), (0, 3), (1, 1), (3, 5), (2, 0, 2), (1, 2, 3), (2, 1, 3, 4), (1,) * 6):
        if shape != value.shape:
            yield _fed(node, name, np.resize(value, shape) if value.size else np.zeros(shape, value.dtype),
                       f"{name} has shape {list(shape)}")


def _fed(node: Node, name: str, value: np.ndarray, what: str) -> Node:
    other = node.copy(what)
    other.feed[name] = value
    return other


def declared(node: Node, name: str, value: np.ndarray) -> Iterator[Node]:
    """Sizes that are declared and never come."""
    for dims in ([2**40] * max(value.ndim, 1), [MOST] * max(value.ndim, 1), [-1] * max(value.ndim, 1),
                 [LEAST] * max(value.ndim, 1), [2**31, *value.shape], [0] * max(value.ndim, 1), ["N"] * value.ndim):
        other = node.copy(f"{name} is declared as {dims}")
        (info,) = [v for v in other.model.graph.input if v.name == name]
        info.type.tensor_type.shape.Clear()
        info.type.tensor_type.shape.SetInParent()
        for d in dims:
            if isinstance(d, str):
                info.type.tensor_type.shape.dim.add().dim_param = d
            else:
                info.type.tensor_type.shape.dim.add().dim_value = d
        yield other
    for code in (onnx.TensorProto.STRING, onnx.TensorProto.COMPLEX64, onnx.TensorProto.INT4, 0, 99):
        other = node.copy(f"{name} is declared as type {code}")
        (info,) = [v for v in other.model.graph.input if v.name == name]
        info.type.tensor_type.elem_type = code
        yield other
