"""What the tests share: small models built with the onnx package, and where the examples are."""

import pathlib

import norn
import norn.backend
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples" / "digits"
ONNX_DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
OPSET = 21


class VerifiedSession(norn.InferenceSession):
    """A session that verifies its program behind lowering and behind each pass, as all sessions of the tests do."""

    def __init__(self, path_or_bytes, sess_options=None, *args, **kwargs):
        if sess_options is None:
            sess_options = norn.SessionOptions(verify_passes=True)
        elif isinstance(sess_options, norn.SessionOptions):
            sess_options.verify_passes = True
        super().__init__(path_or_bytes, sess_options, *args, **kwargs)


norn.InferenceSession = norn.backend.InferenceSession = VerifiedSession


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
