"""What the tests share: small models built with the onnx package, and where the examples are."""

import pathlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples" / "digits"
ONNX_DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
OPSET = 21


def value(name, dims, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)


def model_of(nodes, inputs, outputs, initializers=(), opset=OPSET, domains=(), name="g", **kwargs):
    """A ModelProto with one graph; not checked, so that it may be wrong."""
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers), **kwargs)
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, v) for d, v in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def add_model():
    """z = x + y over float[N, 3]."""
    return model_of(
        [helper.make_node("Add", ["x", "y"], ["z"], name="sum")],
        [value("x", ["N", 3]), value("y", ["N", 3])],
        [value("z", ["N", 3])],
    )


@pytest.fixture
def digits():
    return np.load(DIGITS / "images.npy"), np.load(DIGITS / "labels.npy")
