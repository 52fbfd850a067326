"""What the specification allows and other implementations refuse, pass over or get wrong: one small model for each.

Versions, names, sizes and graphs are here; control flow, sequences and functions in test_specification_graphs.py,
tensors and operators in test_specification_values.py.
"""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from specification import F32, I64, RELU, X, Probes, const, expect, graph, model, node, relu, value

import norn

PROBES = probe = Probes()

# --- versions and imports ---


@probe
def ir_1_has_neither_imports_nor_types_of_attributes():
    made = model([node("LeakyRelu", "x", "y", alpha=0.5)], [value("x", [2, 3])], [value("y", [2, 3])], opset=0, ir=1)
    made.graph.node[0].attribute[0].ClearField("type")
    return made, {"x": X}, [np.where(X < 0, X / 2, X)]


@probe
def ir_2_means_opset_1():
    made = model([node("Add", "x,b", "y", broadcast=1, axis=0)],
                 [value("x", [2, 3]), value("b", [2])], [value("y", [2, 3])], [const("b", [10, 20])], opset=0, ir=2)
    return made, {"x": X}, [X + np.array([[10], [20]], F32)]


@probe
def opset_1_softmax_takes_the_axes_behind_as_one():
    made = model([node("Softmax", "x", "y")], [value("x", [1, 2, 2])], [value("y", [1, 2, 2])], opset=1, ir=3)
    return made, {"x": np.zeros((1, 2, 2), F32)}, [np.full((1, 2, 2), 0.25, F32)]


@probe
def opset_13_softmax_takes_the_last_axis():
    made = model([node("Softmax", "x", "y")], [value("x", [1, 2, 2])], [value("y", [1, 2, 2])], opset=13)
    return made, {"x": np.zeros((1, 2, 2), F32)}, [np.full((1, 2, 2), 0.5, F32)]


@probe
def opset_1_reshape_has_its_shape_as_an_attribute():
    made = model([node("Reshape", "x", "y", shape=[3, -1])], [value("x", [2, 3])], [value("y", [3, 2])], opset=1, ir=3)
    return made, {"x": X}, [X.reshape(3, 2)]


@probe
def opset_6_adds_without_numpys_rules():
    made = model([node("Add", "x,b", "y")], [value("x", [2, 3]), value("b", [3])], [value("y", [2, 3])], opset=6, ir=3)
    return made, {"x": X, "b": X[0]}, "broadcast"


@probe
def opset_6_adds_along_an_axis():
    made = model([node("Sub", "x,b", "y", broadcast=1)], [value("x", [2, 3]), value("b", [3])], [value("y", [2, 3])],
                 opset=6, ir=3)
    return made, {"x": X, "b": X[0]}, [X - X[0]]


@probe
def opset_6_batch_normalization_with_is_test():
    ones = [const(n, [1, 1, 1]) for n in "smv"] + [const("b", [0, 0, 0])]
    made = model([node("BatchNormalization", "x,s,b,m,v", "y", is_test=1, epsilon=0.0)],
                 [value("x", [2, 3])] + [value(n, [3]) for n in "sbmv"], [value("y", [2, 3])], ones, opset=6, ir=3)
    return made, {"x": X}, [X - 1]


@probe
def opset_7_upsample():
    made = model([node("Upsample", "x", "y", scales=[1.0, 1.0, 2.0, 1.0])], [value("x", [1, 1, 2, 3])],
                 [value("y", [1, 1, 4, 3])], opset=7, ir=3)
    return made, {"x": X[None, None]}, [np.repeat(X[None, None], 2, 2)]


@probe
def opset_10_slice_has_inputs_without_steps():
    made = model([node("Slice", "x,a,b", "y")], [value("x", [2, 3])], [value("y", None)],
                 [const("a", [0, 1], I64), const("b", [2, 99], I64)], opset=10, ir=5)
    return made, {"x": X}, [X[:, 1:]]


@probe
def opset_9_cast_of_strings():
    made = model([node("Cast", "x", "y", to=TensorProto.FLOAT)], [value("x", ["N"], TensorProto.STRING)],
                 [value("y", ["N"])], opset=9, ir=4)
    return made, {"x": np.array(["1.5", "-INF", "NaN", "1e2"], object)}, [np.array([1.5, -np.inf, np.nan, 100], F32)]


@probe
def ai_onnx_spelled_out():
    made = model([node("Relu", "x", "y", domain="ai.onnx")], [value("x", [2, 3])], [value("y", [2, 3])], opset=0,
                 imports=[("ai.onnx", 21)])
    return made, {"x": X}, [RELU]


@probe
def a_domain_imported_twice_has_its_higher_version():
    made = relu(imports=[("ai.onnx", 1)])
    made.graph.node[0].CopyFrom(node("Softplus", "x", "y"))
    return made, {"x": X}, [np.log1p(np.exp(X))]


@probe
def imports_that_nothing_uses():
    return relu(imports=[("ai.onnx.ml", 3), ("org.example.never", 7)]), {"x": X}, [RELU]


@probe
def the_newest_versions():
    return relu(ir=14, opset=28), {"x": X}, [RELU]


@probe
def a_version_from_the_future():
    return relu(opset=10**6), {"x": X}, "newest that this Norn knows"


@probe
def an_ir_version_from_the_future():
    return relu(ir=99), {"x": X}, "IR version 99"


@probe
def versions_that_do_not_go_together():
    return relu(ir=3, opset=21), {"x": X}, [RELU]


# --- names ---


@pytest.mark.parametrize(
    "name", ["a.b", "a/b:0", "1", " ", "für", "層", "x" * 5000, '"', "\\n", "if", "0x", "a b", "%", "{}", "*", "\n"])
def test_names_are_any_text(name):
    made = model([helper.make_node("Relu", [name], [name + "'"], name=name)], [value(name, [name, 3])],
                 [value(name + "'", [name, 3])], name=name)
    run = norn.InferenceSession(made)
    assert [i.name for i in run.get_inputs()] == [name]
    np.testing.assert_array_equal(run.run([name + "'"], {name: X})[0], RELU)


@probe
def nodes_may_share_a_name():
    made = model([node("Relu", "x", "h", name="n"), node("Neg", "h", "y", name="n")], [value("x", [2, 3])],
                 [value("y", [2, 3])])
    return made, {"x": X}, [-RELU]


@probe
def a_node_may_have_the_name_of_a_value():
    made = model([node("Relu", "x", "y", name="x")], [value("x", [2, 3])], [value("y", [2, 3])], name="x")
    return made, {"x": X}, [RELU]


@probe
def a_dimension_may_have_the_name_of_a_value():
    return model([node("Relu", "x", "y")], [value("x", ["x", "y"])], [value("y", ["x", "y"])]), {"x": X}, [RELU]


@probe
def a_graph_without_a_name():
    return relu(name=""), {"x": X}, [RELU]


# --- dimension variables ---


def added(a, b, dims="y"):
    return model([node("Add", "a,b", "y")], [value("a", a), value("b", b)], [value("y", None)])


@probe
def a_variable_has_one_value():
    return added(["N", 3], ["N", 3]), {"a": X, "b": X[:1]}, 'dimension "N" is 2'


@probe
def variables_may_be_equal():
    return added(["N", 3], ["M", 3]), {"a": X, "b": X}, [X + X]


@probe
def a_variable_within_one_input():
    made = model([node("Relu", "x", "y")], [value("x", ["N", "N"])], [value("y", ["N", "N"])])
    return made, {"x": X}, 'dimension "N"'


@probe
def a_variable_that_has_to_be_a_number():
    made = model([node("MatMul", "x,w", "y")], [value("x", ["N", "K"])], [value("y", None)],
                 [const("w", np.ones((4, 2)))])
    return made, {"x": X}, "dimension 1 of the input"


@probe
def an_empty_dim_param_is_unknown():
    made = relu()
    for info in (made.graph.input[0], made.graph.output[0]):
        info.type.tensor_type.shape.dim[0].dim_param = ""
    return made, {"x": X}, [RELU]


@probe
def a_negative_dimension_is_unknown():
    made = relu()
    for info in (made.graph.input[0], made.graph.output[0]):
        info.type.tensor_type.shape.dim[0].dim_value = -1
    return made, {"x": X}, [RELU]


@probe
def a_declared_zero_is_a_size():
    made = model([node("Relu", "x", "y")], [value("x", [0, 3])], [value("y", [0, 3])])
    return made, {"x": X[:0]}, [RELU[:0]]


@probe
def a_declared_zero_is_not_any_size():
    made = model([node("Relu", "x", "y")], [value("x", [0, 3])], [value("y", [0, 3])])
    return made, {"x": X}, "dimension 0 is 2"


@probe
def an_input_of_unknown_rank():
    return model([node("Relu", "x", "y")], [value("x", None)], [value("y", None)]), {"x": X}, [RELU]


@probe
def a_scalar_input():
    made = model([node("Neg", "x", "y")], [value("x", [])], [value("y", [])])
    return made, {"x": F32(2)}, [np.array(-2, F32)]


# --- sizes of 0 ---

EMPTY = {
    "Relu": ([(0, 3)], (0, 3), {}), "Add": ([(0, 3), (1, )], (0, 3), {}), "MatMul": ([(2, 0), (0, 3)], (2, 3), {}),
    "Transpose": ([(0, 3)], (3, 0), {}), "Concat": ([(0, 3), (2, 3)], (2, 3), {"axis": 0}),
    "Softmax": ([(0, 3)], (0, 3), {}), "Gemm": ([(2, 0), (0, 3)], (2, 3), {}), "Flatten": ([(0, 2, 3)], (0, 6), {}),
    "LogSoftmax": ([(3, 0)], (3, 0), {}), "GlobalAveragePool": ([(0, 2, 3, 3)], (0, 2, 1, 1), {}),
    "Conv": ([(0, 1, 3, 3), (2, 1, 3, 3)], (0, 2, 1, 1), {}), "Where": ([], None, {}), "Identity": ([(0, )], (0, ), {}),
}


@pytest.mark.parametrize("op", [op for op in EMPTY if EMPTY[op][1]])
def test_tensors_without_elements(op):
    dims, out, attributes = EMPTY[op]
    names = [f"i{k}" for k in range(len(dims))]
    made = model([node(op, ",".join(names), "y", **attributes)],
                 [value(n, [f"{n}_{d}" for d in range(len(s))]) for n, s in zip(names, dims, strict=True)],
                 [value("y", None)])
    found = norn.InferenceSession(made).run(None, {n: np.ones(s, F32) for n, s in zip(names, dims, strict=True)})[0]
    assert found.shape == out
    # A sum of nothing is 0, and what Concat joins to nothing is the rest.
    assert (found == (1 if op == "Concat" else 0)).all()


@pytest.mark.parametrize(("op", "expected"), [("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -np.inf),
                                              ("ReduceMin", np.inf), ("ReduceL1", 0), ("ReduceSumSquare", 0),
                                              ("ReduceLogSumExp", -np.inf)])
def test_reductions_of_nothing(op, expected):
    made = model([node(op, "x,a", "y", keepdims=0)], [value("x", ["N", 2])], [value("y", None)], [const("a", [0], I64)],
                 opset=20)
    np.testing.assert_array_equal(
        norn.InferenceSession(made).run(None, {"x": np.ones((0, 2), F32)})[0], np.full(2, expected, F32))


# --- graphs ---


@probe
def an_empty_graph():
    return model([], [], []), {}, []


@probe
def an_output_that_is_an_input():
    return model([], [value("x", [2, 3])], [value("x", [2, 3])]), {"x": X}, [X]


@probe
def an_output_that_is_an_initializer():
    return model([], [], [value("w", [2])], [const("w", [1, 2])]), {}, [np.array([1, 2], F32)]


@probe
def an_output_that_is_an_input_with_a_default():
    return model([], [value("w", [2])], [value("w", [2])], [const("w", [1, 2])]), {}, [np.array([1, 2], F32)]


@probe
def one_value_as_two_outputs():
    made = model([node("Relu", "x", "y")], [value("x", [2, 3])], [value("y", [2, 3]), value("y", [2, 3])])
    return made, {"x": X}, [RELU, RELU]


@probe
def an_output_that_other_nodes_read():
    made = model([node("Relu", "x", "y"), node("Neg", "y", "z")], [value("x", [2, 3])],
                 [value("y", [2, 3]), value("z", [2, 3])])
    return made, {"x": X}, [RELU, -RELU]


@probe
def an_input_that_nothing_reads():
    made = model([node("Relu", "x", "y")], [value("x", [2, 3]), value("unused", ["Q"])], [value("y", [2, 3])])
    return made, {"x": X, "unused": np.zeros(7, F32)}, [RELU]


@probe
def an_unsorted_graph():
    made = model([node("Neg", "h", "y"), node("Relu", "x", "h")], [value("x", [2, 3])], [value("y", [2, 3])])
    return made, {"x": X}, "used before it is made"


@probe
def a_cycle():
    made = model([node("Add", "x,b", "a"), node("Relu", "a", "b")], [value("x", [2])], [value("b", [2])])
    return made, {"x": np.zeros(2, F32)}, "cycle"


@probe
def a_value_defined_twice():
    made = model([node("Relu", "x", "y"), node("Neg", "x", "y")], [value("x", [2, 3])], [value("y", [2, 3])])
    return made, {"x": X}, "more than once"


@probe
def a_value_that_nothing_makes():
    return model([node("Relu", "nowhere", "y")], [], [value("y", None)]), {}, "nothing makes"


@probe
def an_input_and_a_node_of_one_name():
    return model([node("Neg", "x", "x")], [value("x", [2])], [value("x", [2])]), {"x": X[0]}, "more than once"


@probe
def an_initializer_given_twice():
    made = model([node("Neg", "w", "y")], [], [value("y", [1])], [const("w", [1]), const("w", [2])])
    return made, {}, "more than once"


@probe
def a_default_that_is_not_fed():
    made = model([node("Add", "x,w", "y")], [value("x", [2, 3]), value("w", [3])], [value("y", [2, 3])],
                 [const("w", [1, 2, 3])])
    return made, {"x": X}, [X + np.array([1, 2, 3], F32)]


@probe
def a_default_that_is_fed():
    made = model([node("Add", "x,w", "y")], [value("x", [2, 3]), value("w", [3])], [value("y", [2, 3])],
                 [const("w", [1, 2, 3])])
    return made, {"x": X, "w": X[0]}, [X + X[0]]


@probe
def a_default_of_another_shape_than_declared():
    made = model([node("Add", "x,w", "y")], [value("x", [2, 3]), value("w", [4])], [value("y", None)],
                 [const("w", [1, 2, 3])])
    return made, {"x": X}, '"w"'


@probe
def a_constant_that_is_fed():
    made = model([node("Add", "x,w", "y")], [value("x", [2, 3])], [value("y", [2, 3])], [const("w", [1, 2, 3])])
    return made, {"x": X, "w": X[0]}, 'no input "w"'


@probe
def trailing_empty_names():
    made = model([helper.make_node("Clip", ["x", "", "m"], ["y"])], [value("x", [2, 3])], [value("y", [2, 3])],
                 [const("m", 2)])
    return made, {"x": X}, [np.minimum(X, 2)]


@probe
def omitted_outputs():
    made = model([helper.make_node("TopK", ["x", "k"], ["", "i"])], [value("x", [2, 3])],
                 [value("i", [2, 1], TensorProto.INT64)], [const("k", [1], I64)])
    return made, {"x": X}, [np.array([[2], [1]])]


@probe
def an_operator_without_its_optional_outputs():
    made = model([node("Dropout", "x", "y")], [value("x", [2, 3])], [value("y", [2, 3])])
    return made, {"x": X}, [X]


@probe
def value_info_that_says_something_else():
    made = model([node("Relu", "x", "h"), node("Neg", "h", "y")], [value("x", [2, 3])], [value("y", [2, 3])],
                 value_info=[value("h", [2, 3], TensorProto.INT64)])
    return made, {"x": X}, [-RELU]


@probe
def value_info_of_nothing():
    return relu(value_info=[value("nobody", [9])]), {"x": X}, [RELU]


@probe
def an_output_of_another_type_than_declared():
    return model([node("Relu", "x", "y")], [value("x", [2])],
                 [value("y", [2], TensorProto.INT64)]), {"x": X[0, :2]}, "declared"


@probe
def a_deep_chain():
    nodes = [node("Neg", f"v{i}", f"v{i + 1}") for i in range(2000)]
    return model(nodes, [value("v0", [2, 3])], [value("v2000", [2, 3])]), {"v0": X}, [X]


@probe
def metadata_everywhere():
    made = relu()
    for part in (made, made.graph, made.graph.node[0], made.graph.input[0]):
        part.metadata_props.add(key="k", value="v")
        part.doc_string = "text"
    return made, {"x": X}, [RELU]


@probe
def quantization_annotations():
    made = model([node("Relu", "x", "y")], [value("x", [2, 3])], [value("y", [2, 3])], [const("s", 1), const("z", 0)])
    note = made.graph.quantization_annotation.add(tensor_name="y")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="s")
    note.quant_parameter_tensor_names.add(key="ZERO_POINT_TENSOR", value="z")
    return made, {"x": X}, [RELU]


@probe
def training_information():
    made = model([node("Mul", "x,w", "y")], [value("x", [2, 3])], [value("y", [2, 3])], [const("w", [2])])
    training = made.training_info.add()
    training.algorithm.CopyFrom(graph([node("Neg", "w", "w2")], [], [value("w2", [1])], name="step"))
    training.update_binding.add(key="w", value="w2")
    return made, {"x": X}, [2 * X]


@probe
def denotations():
    made = relu()
    made.graph.input[0].type.denotation = "IMAGE"
    made.graph.input[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    return made, {"x": X}, [RELU]


@probe
def device_configurations():
    made = relu(ir=11)
    made.configuration.add(name="two", num_devices=2)
    made.graph.node[0].device_configurations.add(configuration_id="two")
    return made, {"x": X}, [RELU]


@probe
def unknown_fields_are_passed_over():
    data = relu().SerializeToString() + b"\xfa\x7f\x03abc"  # field 2047
    return data, {"x": X}, [RELU]


@pytest.mark.parametrize("name", PROBES)
def test_probe(name):
    expect(PROBES[name])
