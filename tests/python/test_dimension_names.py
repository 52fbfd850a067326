"""Names of dimensions are names, whatever they look like: an exporter may write "2*N", which is not an expression of N."""

import numpy as np
import onnx
from onnx import TensorProto, helper

import norn


def doubled_and_added(name):
    """y of size `name` is added to x twice over; sizes broadcast."""
    nodes = [helper.make_node("Concat", ["x", "x"], ["c"], axis=0), helper.make_node("Add", ["y", "c"], ["z"])]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [d]) for n, d in (("x", "N"), ("y", name))]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def test_a_name_like_an_expression_is_a_name():
    x = np.arange(3, dtype=np.float32)
    for name in ("2*N", "M"):
        session = norn.InferenceSession(doubled_and_added(name))
        for y in (np.ones(1, np.float32), np.arange(6, dtype=np.float32)):
            np.testing.assert_array_equal(session.run(None, {"x": x, "y": y})[0], y + np.concatenate([x, x]))


def test_names_are_written_as_they_were(tmp_path):
    model = doubled_and_added("past + 1")
    lowered = norn.parse_model(norn.InferenceSession(model).program_text())
    proto = onnx.ModelProto.FromString(lowered.SerializeToString())
    assert [i.type.tensor_type.shape.dim[0].dim_param for i in proto.graph.input] == ["N", "past + 1"]
