"""Models and feeds that are broken as people's are, and what the messages about them have to contain.

Each message says what is wrong, where, and what would help; of sizes it says which input of the graph they come from.
"""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import norn

F32 = np.float32


class Broken(dict):
    """The decorated function gives a model and its feeds, and perhaps the outputs that are asked for."""

    def __call__(self, *phrases):

        def add(function):
            assert function.__name__ not in self
            self[function.__name__] = function, phrases
            return function

        return add


def value(name, elem=1, dims=None):
    return helper.make_tensor_value_info(name, elem, dims)


def node(op, inputs, outputs, **attributes):
    listed = [part.split(",") if part else [] for part in (inputs, outputs)]
    return helper.make_node(op, *listed, **attributes)


def const(name, array, dtype=F32):
    return numpy_helper.from_array(np.array(array, dtype), name)


def model(nodes, inputs, outputs, constants=(), opset=21, ir=10, functions=(), imports=()):
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(*i) for i in imports)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir, functions=list(functions))


def expect(broken, tmp_path):
    function, phrases = broken
    made, feeds, *outputs = function(tmp_path) if function.__code__.co_argcount else function()
    with pytest.raises((norn.Error, FileNotFoundError)) as caught:
        norn.InferenceSession(made).run(outputs[0] if outputs else None, feeds)
    message = str(caught.value)
    for phrase in phrases:
        assert phrase in message, message
    assert not isinstance(caught.value, norn.InternalError)
    assert caught.value.hint or "line" in caught.value.where, message
