"""Names of dimensions are names, whatever they look like: an exporter may write "2*N", which is no expression of N."""

import numpy as np
import onnx
import pytest
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


def test_elements_of_a_sequence_share_a_variable():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 21]>
        agraph (seq(float[N, 2]) s, float[N] x) => (n) { n = SequenceLength(s) }""")
    session = norn.InferenceSession(model)
    pair, triple = np.ones((2, 2), np.float32), np.ones((3, 2), np.float32)
    assert session.run(None, {"s": [pair, pair], "x": np.ones(2, np.float32)})[0] == 2
    assert session.run(None, {"s": [], "x": np.ones(5, np.float32)})[0] == 0
    with pytest.raises(norn.InvalidArgument, match='"N" is 2 in dimension 0 of element 0 of input "s" and 3 .* element 1'):
        session.run(None, {"s": [pair, triple], "x": np.ones(2, np.float32)})
    with pytest.raises(norn.InvalidArgument, match='element 0 of input "s" and 3 in dimension 0 of input "x"'):
        session.run(None, {"s": [pair], "x": np.ones(3, np.float32)})
