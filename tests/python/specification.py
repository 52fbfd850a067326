"""Small models of what the specification says, each with what it is fed and what comes out."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import norn

F32, F64, I64, I32 = np.float32, np.float64, np.int64, np.int32
X = np.array([[1, -2, 3], [-4, 5, -6]], F32)
RELU = np.maximum(X, 0)


class Probes(dict):
    """The decorated function gives a model, what it is fed, and what comes out or what an error says."""

    def __call__(self, function):
        assert function.__name__ not in self
        self[function.__name__] = function
        return function


def value(name, dims=None, elem=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, elem, dims)


def node(op, inputs, outputs, domain="", **attributes):
    listed = [part.split(",") if part else [] for part in (inputs, outputs)]
    return helper.make_node(op, *listed, domain=domain, **attributes)


def const(name, array, dtype=F32):
    return numpy_helper.from_array(np.asarray(array, dtype), name)


def graph(nodes, inputs, outputs, constants=(), name="g", **fields):
    made = helper.make_graph(nodes, name, inputs, outputs, list(constants))
    for field, items in fields.items():
        getattr(made, field).extend(items)
    return made


def model(nodes, inputs, outputs, constants=(), opset=21, ir=10, functions=(), imports=(), **fields):
    opsets = ([helper.make_opsetid("", opset)] if opset else []) + [helper.make_opsetid(*i) for i in imports]
    return helper.make_model(graph(nodes, inputs, outputs, constants, **fields), opset_imports=opsets, ir_version=ir,
                             functions=list(functions))


def relu(ir=10, opset=21, **kwargs):
    return model([node("Relu", "x", "y")], [value("x", [2, 3])], [value("y", [2, 3])], ir=ir, opset=opset, **kwargs)


def same(found, expected):
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            same(f, e)
    elif isinstance(expected, dict):
        assert found == expected
    else:
        expected = np.asarray(expected)
        assert found.dtype == expected.dtype and found.shape == expected.shape, (found.dtype, found.shape)
        if expected.dtype == object:
            assert found.tolist() == expected.tolist()
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def constant_inputs(made, feeds):
    """The model with its tensors as initializers; None if that cannot be."""
    if isinstance(made, bytes) or made.ir_version < 4 or not feeds or not all(
            isinstance(a, (np.ndarray, np.generic)) for a in feeds.values()):
        return None
    if made.graph.initializer and {t.name for t in made.graph.initializer} & set(feeds):
        return None
    if any(np.asarray(a).dtype == object for a in feeds.values()) or not made.graph.node:
        return None
    kinds = {i.name: i.type.WhichOneof("value") for i in made.graph.input}
    if any(kinds.get(name) != "tensor_type" for name in feeds):
        return None
    fixed = onnx.ModelProto.FromString(made.SerializeToString())
    kept = [i for i in fixed.graph.input if i.name not in feeds]
    del fixed.graph.input[:]
    fixed.graph.input.extend(kept)
    fixed.graph.initializer.extend(numpy_helper.from_array(np.asarray(a), n) for n, a in feeds.items())
    return fixed


def expect(probe):
    """As it is, by the reference kernels, and with the inputs as constants."""
    made, feeds, expected = probe()
    if isinstance(expected, str):
        with pytest.raises(norn.Error) as caught:
            norn.InferenceSession(made).run(None, feeds)
        assert expected in str(caught.value)
        assert not isinstance(caught.value, norn.InternalError)
        return
    same(norn.InferenceSession(made).run(None, feeds), expected)
    same(norn.InferenceSession(made, norn.SessionOptions(reference_only=True)).run(None, feeds), expected)
    fixed = constant_inputs(made, feeds)
    if fixed is not None:
        same(norn.InferenceSession(fixed).run(None, {}), expected)
