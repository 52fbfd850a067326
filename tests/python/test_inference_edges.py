"""Inference where features meet: faults of one node beside sound ones, sizes that overflow, loops that widen, names."""

import numpy as np
import onnx
import onnx.parser
import onnx.shape_inference
import pytest
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

import norn


def shapes(model):
    return {
        v.name: [d.dim_value if d.HasField("dim_value") else d.dim_param for d in v.type.tensor_type.shape.dim]
        for v in [*model.graph.value_info, *model.graph.output]
        if v.type.tensor_type.HasField("shape")
    }


def parse(graph, opset=21):
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {opset}]>\n{graph}')


def test_functions_of_many_inputs():
    f = onnx.parser.parse_function(
        '<opset_import: ["": 21], domain: "f">Join (a, b, c, d) => (y, z) { y = Concat<axis = 0>(a, b, c, d) z = Identity(c) }'
    )
    types = [h.make_tensor_type_proto(T.FLOAT, [k, 2]) for k in (1, 2, 3, 4)]
    y, z = norn.infer_function_output_types(f, types, [])
    assert [d.dim_value for d in y.tensor_type.shape.dim] == [10, 2]
    assert [d.dim_value for d in z.tensor_type.shape.dim] == [3, 2]


@pytest.mark.parametrize("op", ["Add", "Reshape", "Gather", "Where", "Not", "Relu", "LayerNormalization", "Slice"])
def test_a_node_of_wrong_types_hides_nothing_else(op):
    constants = {
        "Add": [np.array([1, 2]), np.float32(1)],
        "Reshape": [np.ones(2, np.float32), np.float32([2])],
        "Gather": [np.ones(2, np.float32), np.float32([1])],
        "Where": [np.float32([1]), np.array([1]), np.float32([2])],
        "Not": [np.float32([1])],
        "Relu": [np.array(["a"], object)],
        "LayerNormalization": [np.array([[1, 2]]), np.array([1, 1])],
        "Slice": [np.arange(4), np.float32([0]), np.float32([1])],
    }[op]
    names = [f"c{k}" for k in range(len(constants))]
    graph = h.make_graph(
        [h.make_node(op, names, ["bad"]), h.make_node("Relu", ["x"], ["y"])],
        "g",
        [h.make_tensor_value_info("x", T.FLOAT, [3, "N"])],
        [h.make_tensor_value_info("y", T.FLOAT, None)],
        [nh.from_array(np.asarray(v), n) for v, n in zip(constants, names, strict=True)],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    assert shapes(norn.infer_shapes(model))["y"] == [3, "N"]
    with pytest.raises(norn.Error):
        norn.infer_shapes(model, check_type=True, strict_mode=True)


def test_sizes_that_change_in_a_loop_are_others_behind_it():
    model = parse("""agraph (int64 m, float["N", 6] x) => (y, s, z) {
        y, s = Loop(m, "", x) <body = body (int64 i, bool c, v) => (co, vo, sc) {
            co = Identity(c)
            vo = Concat<axis = 0>(v, x)
            sc = Identity(v)
        }>
        ys = Shape<end = 1>(y)
        ss = Shape<start = 1, end = 2>(s)
        d = Sub(ys, ss)
        z = ConstantOfShape(d)
    }""".replace('["N", 6]', "[N, 6]"))
    found = shapes(norn.infer_shapes(model))
    assert found["y"][0] != found["s"][1]
    assert found["z"] != [0]


def test_sizes_beyond_64_bits_hide_nothing_else():
    huge = 1 << 40
    nodes = [
        h.make_node("Reshape", ["x", "flat"], ["f"]),
        h.make_node("MatMul", ["r", "v"], ["p"]),  # N is 2^40
        h.make_node("Relu", ["z"], ["y"]),
    ]
    inputs = [
        h.make_tensor_value_info("x", T.FLOAT, ["N", huge]),
        h.make_tensor_value_info("r", T.FLOAT, [2, "N"]),
        h.make_tensor_value_info("v", T.FLOAT, [huge, 3]),
        h.make_tensor_value_info("z", T.FLOAT, [5]),
    ]
    flat = nh.from_array(np.array([-1]), "flat")
    outputs = [h.make_tensor_value_info(n, T.FLOAT, None) for n in ("f", "p", "y")]
    make = lambda g: h.make_model(g, opset_imports=[h.make_opsetid("", 21)], ir_version=10)  # noqa: E731
    found = shapes(norn.infer_shapes(make(h.make_graph(nodes, "g", inputs, outputs, [flat]))))
    assert found["p"] == [2, 3] and found["y"] == [5]

    branch = h.make_graph(nodes[:2], "then", [], outputs[:2])
    other = h.make_graph(
        [h.make_node("Identity", ["v"], ["f2"]), h.make_node("Identity", ["v"], ["p2"])],
        "else",
        [],
        [h.make_tensor_value_info(n, T.FLOAT, None) for n in ("f2", "p2")],
    )
    around = [
        h.make_node("If", ["c"], ["a", "b"], then_branch=branch, else_branch=other),
        h.make_node("Relu", ["x"], ["y"]),
    ]
    graph = h.make_graph(
        around, "g", [*inputs, h.make_tensor_value_info("c", T.BOOL, [])], outputs[2:], [flat]
    )
    assert shapes(norn.infer_shapes(make(graph)))["y"] == ["N", huge]


def test_sizes_too_long_to_write_hide_nothing_else():
    names = [f"v{k}_{'n' * 40}" for k in range(36)]
    nodes, inputs, sums = [], [], []
    for k in range(9):
        group = names[4 * k : 4 * k + 4]
        inputs += [h.make_tensor_value_info(n, T.FLOAT, [n]) for n in group]
        nodes.append(h.make_node("Concat", group, [f"c{k}"], axis=0))
        nodes.append(h.make_node("Shape", [f"c{k}"], [f"s{k}"]))
        sums.append(f"s{k}")
    nodes += [h.make_node("Concat", sums, ["shape"], axis=0), h.make_node("Expand", ["one", "shape"], ["wide"])]
    nodes += [h.make_node("Reshape", ["wide", "flat"], ["f"]), h.make_node("Relu", ["z"], ["y"])]
    graph = h.make_graph(
        nodes,
        "g",
        [*inputs, h.make_tensor_value_info("z", T.FLOAT, [5])],
        [h.make_tensor_value_info(n, T.FLOAT, None) for n in ("f", "y")],
        [nh.from_array(np.array([-1]), "flat"), nh.from_array(np.float32(1), "one")],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    found = shapes(norn.infer_shapes(model))
    assert found["y"] == [5] and len(found["wide"]) == 9
    feeds = {n: np.ones(1, np.float32) for n in names} | {"z": np.ones(5, np.float32)}
    assert norn.InferenceSession(model).run(None, feeds)[0].shape == (4**9,)


def test_names_that_inference_makes_are_no_names_of_the_document():
    x = h.make_tensor_value_info("x", T.FLOAT, [4])
    s = h.make_value_info("s", h.make_sequence_type_proto(h.make_tensor_type_proto(T.FLOAT, ["unk__0"])))
    y = h.make_tensor_value_info("y", T.INT64, None)
    graph = h.make_graph([h.make_node("NonZero", ["x"], ["y"])], "g", [x, s], [y])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    assert shapes(norn.infer_shapes(model, data_prop=True))["y"] != [1, "unk__0"]


@pytest.mark.parametrize("op", ["SpaceToDepth", "DepthToSpace"])
def test_blocks_of_nothing(op):
    graph = h.make_graph(
        [h.make_node(op, ["x"], ["y"], blocksize=2)],
        "g",
        [h.make_tensor_value_info("x", T.FLOAT, [1, 4, 4, 0])],
        [h.make_tensor_value_info("y", T.FLOAT, None)],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    norn.check_model(model, full_check=True)
    wanted = (1, 16, 2, 0) if op == "SpaceToDepth" else (1, 1, 8, 0)
    assert norn.InferenceSession(model).run(None, {"x": np.zeros((1, 4, 4, 0), np.float32)})[0].shape == wanted
