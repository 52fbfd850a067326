"""Attributes and operators of files from 2017 on, one peculiarity a test; see test_old_files.py."""

import numpy as np
import pytest
import wire
from old_files import X, expect_kept, expect_refused_by_texts, parsed, run, reported, unary
from onnx import helper
from wire import attribute, field, floats, graph, int64s, model, node, opset, value

import norn


def test_attributes_of_ir_1_have_no_type(tmp_path):
    """The field that is present shows the type; the field type came with IR 2 and is required since."""
    main = graph(
        [node("Constant", [], ["c"], attribute("value", floats("", [1, 2, 3], [1, 3]), kind=4, typed=False)),
         node("Clip", ["x"], ["l"], attribute("max", 2.5, typed=False)),
         node("Transpose", ["l"], ["t"], attribute("perm", [1, 0], typed=False)),
         node("Concat", ["c", "t"], ["n"], attribute("axis", 0, typed=False)),
         node("Cast", ["n"], ["y"], attribute("to", "DOUBLE", typed=False))],
        [value("x", [3, 2])], [value("y", [3, 3], wire.DOUBLE)])
    data = model(1, main)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    x = np.float32([[1, -2], [3, 4], [-5, 6]])
    y = run(data, x=x)[0]
    assert y.dtype == np.float64
    np.testing.assert_array_equal(y, np.concatenate([[[1, 2, 3]], x.clip(max=2.5).T]))
    assert reported(model(2, main)) == {"attr.type.present": "error"}
    assert reported(unary("Transpose", attribute("perm", [0, 2, 1]), ir_version=1)) == {"ir.gate.attr-type": "error"}


def test_an_empty_list_of_ir_1_looks_like_no_value():
    """Nothing of it is on the wire but the name: it is a list without elements if the operator wants a list."""
    scalar = unary("Reshape", field(1, "shape"), ir_version=1, dims=(1, 1, 1), out=())
    assert reported(scalar) == {}
    assert run(scalar, x=np.float32([[[4]]]))[0].shape == ()
    nothing = unary("Clip", field(1, "min"), ir_version=1)
    with pytest.raises(norn.InvalidGraph, match=r'"min".*no value'):
        run(nothing, x=X)


def test_a_withdrawn_value_of_attributes_is_reported_and_not_read(tmp_path):
    """Field 12, `v`, lived for weeks before 1.0. What it held is kept, never taken for the value."""
    data = unary("Clip", attribute("max", 0.5) + field(12, field(1, 3)))
    assert reported(data) == {"attr.reserved-v": "error"}
    expect_kept(data, tmp_path, (".onnx",))
    expect_refused_by_texts(data, tmp_path)
    assert "unknown fields of AttributeProto" in norn.load(data).to_text()
    np.testing.assert_array_equal(run(data, x=X)[0], X.clip(max=0.5))
    only_v = unary("Clip", field(1, "max") + field(12, field(1, 3)), ir_version=1)
    with pytest.raises(norn.InvalidGraph, match="max"):
        norn.InferenceSession(only_v)


def test_numbers_of_attribute_types_are_not_those_of_their_fields(tmp_path):
    """13 is doc_string, though TYPE_PROTO is 13; SPARSE_TENSOR 11 and SPARSE_TENSORS 12 stand in fields 22 and 23."""
    kind = wire.tensor_type(wire.FLOAT, [2])
    sparse = (field(1, floats("", [7], [1])) + field(2, int64s("", [1], [1])) + field(3, 3))
    attributes = [attribute("a", kind, kind=13), attribute("b", [kind, kind], kind=14),
                  attribute("c", sparse, kind=11), attribute("d", [sparse], kind=12),
                  attribute("e", 1) + field(13, "documented")]
    data = model(8, graph([node("Op", ["x"], ["y"], *attributes, domain="com.example")], [value("x", [2])],
                          [value("y", [2])]), opset(13), opset(1, "com.example"))
    assert reported(data) == {}
    expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))
    read = parsed(norn.load(data).SerializeToString()).graph.node[0].attribute
    assert [a.type for a in read] == [13, 14, 11, 12, 2]
    assert read[0].HasField("tp") and len(read[1].type_protos) == 2 and read[4].doc_string == "documented"
    assert read[2].sparse_tensor.dims == [3] and len(read[3].sparse_tensors) == 1
    # A reader that takes the type's number for the field's would find this one right.
    swapped = field(1, "a") + field(13, kind) + field(20, 13)
    wrong = model(8, graph([node("Op", ["x"], ["y"], swapped, domain="com.example")], [value("x", [2])],
                           [value("y", [2])]), opset(13), opset(1, "com.example"))
    assert reported(wrong)["attr.value.message-present"] == "error"


IN_PLACE = {
    "Abs": 1, "Add": 2, "BatchNormalization": 5, "Ceil": 1, "Clip": 1, "Div": 2, "Dropout": 1, "Elu": 1, "Exp": 1,
    "Floor": 1, "HardSigmoid": 1, "InstanceNormalization": 3, "LeakyRelu": 1, "Log": 1, "Max": 2, "Mean": 2, "Min": 2,
    "Mul": 2, "Neg": 1, "PRelu": 2, "Reciprocal": 1, "Relu": 1, "Reshape": 1, "Selu": 1, "Sigmoid": 1, "Sqrt": 1,
    "Sub": 2, "Sum": 2, "Tanh": 1,
}
CLOSED_FORMS = {
    "Abs": np.abs, "Add": np.add, "Ceil": np.ceil, "Clip": lambda x: np.clip(x, -1, 1), "Div": np.divide,
    "Dropout": lambda x: x, "Elu": lambda x: np.where(x < 0, np.expm1(x), x), "Exp": np.exp, "Floor": np.floor,
    "LeakyRelu": lambda x: np.where(x < 0, np.float32(0.01) * x, x), "Log": np.log, "Max": np.maximum,
    "Mean": lambda x, y: (x + y) / 2, "Min": np.minimum, "Mul": np.multiply, "Neg": np.negative,
    "PRelu": lambda x, s: np.where(x < 0, s * x, x), "Reciprocal": np.reciprocal, "Relu": lambda x: np.maximum(x, 0),
    "Reshape": lambda x: x.reshape(6, 4), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Sqrt": np.sqrt,
    "Sub": np.subtract, "Sum": np.add, "Tanh": np.tanh,
    "HardSigmoid": lambda x: np.clip(np.float32(0.2) * x + np.float32(0.5), 0, 1),
    "InstanceNormalization": lambda x, s, b: normalized(x) * s[:, None] + b[:, None],
    "Selu": lambda x: np.float32(1.0507) * np.where(x < 0, np.float32(1.6732) * np.expm1(x), x),
}


def normalized(x):
    """Of each batch entry and channel."""
    return (x - x.mean(axis=2, keepdims=True)) / np.sqrt(x.var(axis=2, keepdims=True) + np.float32(1e-5))


NEEDED = {
    "Clip": [attribute("min", -1.0), attribute("max", 1.0)], "Dropout": [attribute("is_test", 1)],
    "Reshape": [attribute("shape", [6, 4])],
}


@pytest.mark.parametrize("op_type", sorted(IN_PLACE))
def test_consumed_inputs_was_a_hint_for_working_in_place(op_type):
    """29 operators of version 1 had it. It means nothing, and went with version 6."""
    assert len(IN_PLACE) == 29
    names = list("xabcd")[: IN_PLACE[op_type]]
    hint = attribute("consumed_inputs", [0] * len(names))
    of_channels = "Normalization" in op_type
    inputs = [value(n, [3] if of_channels and n != "x" else [2, 3, 4]) for n in names]
    main = graph([node(op_type, names, ["y"], *NEEDED.get(op_type, []), hint)], inputs,
                 [value("y", [None] * (2 if op_type == "Reshape" else 3))])
    data = model(3, main, opset(1))
    assert reported(data) == {}
    assert "node.attributes.known" in reported(model(3, main, opset(6)))
    if op_type == "BatchNormalization":
        return  # test_consumed_inputs_was_required_once
    feeds = {n: np.float32([1, 2, 3]) + i if of_channels and i else X * (i + 1) + i / 2 for i, n in enumerate(names)}
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(data, **feeds)[0], CLOSED_FORMS[op_type](*feeds.values()), rtol=2e-5, atol=1e-6)


def batch_normalization(version, *attributes, statistics=(3,)):
    names = ["x", "scale", "bias", "mean", "var"]
    inputs = [value("x", [2, 3, 4]), *(value(n, statistics) for n in names[1:])]
    return model(3, graph([node("BatchNormalization", names, ["y"], *attributes)], inputs, [value("y", [2, 3, 4])]),
                 opset(version))


def test_consumed_inputs_was_required_once(tmp_path):
    """BatchNormalization of version 1 had to give it; files without it run all the same."""
    data = batch_normalization(1, attribute("is_test", 1))
    assert reported(data) == {"node.attributes.required": "error"}
    assert reported(batch_normalization(1, attribute("is_test", 1), attribute("consumed_inputs", [0, 0, 0, 1, 1]))) == {}
    feeds = dict.fromkeys(["scale", "bias", "mean", "var"], np.float32([1, 2, 3]))
    assert run(data, x=X, **feeds)[0].shape == X.shape


@pytest.mark.parametrize(("version", "attributes", "statistics"), [
    (1, [attribute("is_test", 1), attribute("consumed_inputs", [0, 0, 0, 1, 1])], (3,)),
    (1, [attribute("is_test", 1), attribute("consumed_inputs", [0, 0, 0, 1, 1]), attribute("spatial", 0)], (3, 4)),
    (6, [attribute("is_test", 1)], (3,)),
    (6, [attribute("is_test", 1), attribute("spatial", 0)], (3, 4)),
    (7, [attribute("spatial", 1)], (3,)),
    (7, [attribute("spatial", 0)], (3, 4)),
])
def test_batch_normalization_had_is_test_and_spatial(version, attributes, statistics, tmp_path):
    """is_test up to 6 distinguishes training from inference; spatial = 0 up to 7 has statistics for each activation."""
    data = batch_normalization(version, *attributes, statistics=statistics)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    assert "node.attributes.known" in reported(batch_normalization(9, *attributes, statistics=statistics))
    rng = np.random.default_rng(version)
    scale, bias, mean, var = (rng.random(statistics, np.float32) + 0.5 for _ in range(4))
    wide = (lambda a: a[:, None]) if statistics == (3,) else lambda a: a
    expected = (X - wide(mean)) / np.sqrt(wide(var) + 1e-5) * wide(scale) + wide(bias)
    result = run(data, x=X, scale=scale, bias=bias, mean=mean, var=var)[0]
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("version", [1, 6])
def test_dropout_had_is_test(version, tmp_path):
    """Its default, 0, asks for training: about `ratio` of the elements are dropped and the others grow."""
    inference = unary("Dropout", attribute("is_test", 1), attribute("ratio", 0.5), version=version)
    assert reported(inference) == {}
    expect_kept(inference, tmp_path)
    np.testing.assert_array_equal(run(inference, x=X)[0], X)
    training = unary("Dropout", attribute("ratio", 0.5), version=version, dims=(100, 100))
    y = run(training, x=np.ones((100, 100), np.float32))[0]
    assert set(np.unique(y)) == {0, 2}
    assert 0.4 < (y == 0).mean() < 0.6
    assert reported(unary("Dropout", attribute("is_test", 1), version=7)) == {"node.attributes.known": "error"}


BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "And": np.logical_and,
    "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal, "Greater": np.greater, "Less": np.less,
}
LOGICAL, INTEGER, GIVES_BOOL = {"And", "Or", "Xor"}, {"Equal"}, {"And", "Or", "Xor", "Equal", "Greater", "Less"}


def binary(op_type, version, b_dims, *attributes):
    elem = wire.BOOL if op_type in LOGICAL else wire.INT32 if op_type in INTEGER else wire.FLOAT
    return model(3, graph([node(op_type, ["a", "b"], ["y"], *attributes)],
                          [value("a", [2, 3, 4], elem), value("b", b_dims, elem)],
                          [value("y", [2, 3, 4], wire.BOOL if op_type in GIVES_BOOL else elem)]), opset(version))


@pytest.mark.parametrize("op_type", sorted(BINARY))
def test_binary_operators_broadcast_one_way_until_version_6(op_type, tmp_path):
    """Only with broadcast = 1, and b aligned at `axis`; without it shapes are equal. From 7 on as NumPy does."""
    placed = [attribute("broadcast", 1), attribute("axis", 1)]
    version = 1 if op_type in GIVES_BOOL | {"Pow"} else 6
    legacy = binary(op_type, version, [3], *placed)
    assert reported(legacy) == {}
    expect_kept(legacy, tmp_path)
    assert reported(binary(op_type, 7, [3], *placed)) == {"node.attributes.known": "error"}
    rng = np.random.default_rng(len(op_type))

    def sample(*shape):
        if op_type in LOGICAL:
            return rng.random(shape) < 0.5
        if op_type in INTEGER:
            return rng.integers(0, 3, shape).astype(np.int32)
        return rng.random(shape, np.float32) + np.float32(0.5)
    a = sample(2, 3, 4)
    for dims, attributes, shape in [([3], placed, (3, 1)), ([4], placed[:1], (4,)), ([3, 4], placed, (3, 4)),
                                    ([1], placed[:1], (1,)), ([2, 3], [placed[0], attribute("axis", 0)], (2, 3, 1)),
                                    ([2, 3, 4], [], (2, 3, 4)),
                                    ([3], [placed[0], attribute("axis", -2)], (3, 1))]:
        b = sample(*dims)
        expected = BINARY[op_type](a, b.reshape(shape))
        np.testing.assert_allclose(run(binary(op_type, version, dims, *attributes), a=a, b=b)[0], expected, rtol=1e-6)
    with pytest.raises(norn.Error, match="broadcast"):
        run(binary(op_type, version, [4]), a=a, b=sample(4))
    b = sample(4)
    np.testing.assert_allclose(run(binary(op_type, 7, [4]), a=a, b=b)[0], BINARY[op_type](a, b), rtol=1e-6)


def test_gemm_broadcast_its_third_input_on_request(tmp_path):
    """broadcast = 1 lets c be smaller than the result, until version 6; from 7 on it always may."""
    def gemm(version, c_dims, *attributes):
        return model(3, graph([node("Gemm", ["a", "b", "c"], ["y"], *attributes)],
                              [value("a", [2, 3]), value("b", [3, 4]), value("c", c_dims)], [value("y", [2, 4])]),
                     opset(version))
    data = gemm(6, [4], attribute("broadcast", 1))
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    a, b, c = X[0, :2, :3], X[1, :, :], np.float32([1, 2, 3, 4])
    np.testing.assert_allclose(run(data, a=a, b=b, c=c)[0], a @ b + c, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(run(gemm(7, [4]), a=a, b=b, c=c)[0], a @ b + c, rtol=1e-5, atol=1e-5)
    with pytest.raises(norn.Error, match="broadcast"):
        run(gemm(6, [4]), a=a, b=b, c=c)
    assert reported(gemm(7, [4], attribute("broadcast", 1))) == {"node.attributes.known": "error"}


def test_cast_named_its_target_in_words(tmp_path):
    """ "DOUBLE" in version 1, the number of the type since 6."""
    for version, to in [(1, "DOUBLE"), (6, wire.DOUBLE), (1, "INT32"), (6, wire.INT32)]:
        elem = wire.DOUBLE if to in ("DOUBLE", wire.DOUBLE) else wire.INT32
        data = model(3, graph([node("Cast", ["x"], ["y"], attribute("to", to))], [value("x", [3])],
                              [value("y", [3], elem)]), opset(version))
        assert reported(data) == {}
        expect_kept(data, tmp_path)
        y = run(data, x=np.float32([-1.75, 0, 2.5]))[0]
        assert y.dtype == (np.float64 if elem == wire.DOUBLE else np.int32)
        assert y.tolist() == ([-1.75, 0, 2.5] if elem == wire.DOUBLE else [-1, 0, 2])
    for version, to in [(6, "DOUBLE"), (1, wire.DOUBLE)]:
        wrong = unary("Cast", attribute("to", to), version=version)
        assert reported(wrong) == {"node.attributes.type": "error"}
    with pytest.raises(norn.Error, match="FLOTE"):
        run(unary("Cast", attribute("to", "FLOTE")), x=X)


def test_concat_joined_along_axis_1_by_default(tmp_path):
    """The axis is required since version 4."""
    data = model(3, graph([node("Concat", ["x", "x"], ["y"])], [value("x", [2, 3])], [value("y", [2, 6])]), opset(1))
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    np.testing.assert_array_equal(run(data, x=X[:, :, 0])[0], np.concatenate([X[:, :, 0]] * 2, axis=1))
    later = model(3, graph([node("Concat", ["x", "x"], ["y"])], [value("x", [2, 3])], [value("y", [2, 6])]), opset(4))
    assert reported(later) == {"node.attributes.required": "error"}


def test_early_operators_took_other_attributes(tmp_path):
    """Reshape its shape, Pad `paddings`, Split sizes as an attribute or an input, recurrent ones output_sequence."""
    reshape = unary("Reshape", attribute("shape", [0, -1]), out=(2, 12))
    assert reported(reshape) == {}
    expect_kept(reshape, tmp_path)
    np.testing.assert_array_equal(run(reshape, x=X)[0], X.reshape(2, 12))

    pad = unary("Pad", attribute("paddings", [0, 1, 0, 0, 0, 2]), attribute("value", 9.0), out=(2, 4, 6))
    assert reported(pad) == {}
    expect_kept(pad, tmp_path)
    np.testing.assert_array_equal(run(pad, x=X)[0], np.pad(X, [(0, 0), (1, 0), (0, 2)], constant_values=9))
    assert "node.attributes.known" in reported(unary("Pad", attribute("paddings", [0] * 6), version=2))

    by_attribute = model(3, graph([node("Split", ["x"], ["y", "z"], attribute("axis", 1), attribute("split", [1, 2]))],
                                  [value("x", [2, 3])], [value("y", [2, 1]), value("z", [2, 2])]), opset(1))
    by_input = model(3, graph([node("Split", ["x", "s"], ["y", "z"], attribute("axis", 1))],
                              [value("x", [2, 3]), value("s", [2])], [value("y", [2, 1]), value("z", [2, 2])],
                              [floats("s", [1, 2])]), opset(1))
    for split in (by_attribute, by_input):
        assert reported(split) == {}
        expect_kept(split, tmp_path)
        y, z = run(split, x=X[:, :, 0])
        np.testing.assert_array_equal(np.concatenate([y, z], axis=1), X[:, :, 0])



@pytest.mark.parametrize(("op_type", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_recurrent_operators_were_asked_for_their_sequence(op_type, gates, tmp_path):
    """output_sequence of version 1; since 7 an output that is named is computed. Without it the last state counts."""
    def recurrent(version, *attributes):
        return model(3, graph([node(op_type, ["x", "w", "r"], ["y", "h"], attribute("hidden_size", 2), *attributes)],
                              [value("x", [5, 1, 3]), value("w", [1, 2 * gates, 3]), value("r", [1, 2 * gates, 2])],
                              [value("y", [5, 1, 1, 2]), value("h", [1, 1, 2])]), opset(version))
    asked = recurrent(1, attribute("output_sequence", 1))
    assert reported(asked) == {}
    expect_kept(asked, tmp_path)
    assert "node.attributes.known" in reported(recurrent(7, attribute("output_sequence", 1)))
    rng = np.random.default_rng(gates)
    x, w, r = (rng.standard_normal(s).astype(np.float32) for s in ((5, 1, 3), (1, 2 * gates, 3), (1, 2 * gates, 2)))
    y, h = run(asked, x=x, w=w, r=r)
    np.testing.assert_array_equal(y[-1], h)
    for got, wanted in zip((y, h), run(recurrent(7), x=x, w=w, r=r), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
    if op_type == "RNN":
        state = np.zeros((1, 2), np.float32)
        for step in range(5):
            state = np.tanh(x[step] @ w[0].T + state @ r[0].T)
            np.testing.assert_allclose(y[step, 0], state, rtol=1e-5)


@pytest.mark.parametrize("op_type", ["ATen", "GRUUnit"])
def test_experimental_operators_without_a_meaning(op_type, tmp_path):
    """They stand in old files and have no signature any more: known by name, kept, and refused with the reason."""
    data = unary(op_type, attribute("scale", 2.0), attribute("border", [1, 2]))
    assert reported(data) == {"op.experimental-removed": "warning"}
    assert reported(data, profile="runtime") == {"norn.operator.runnable": "error"}
    expect_kept(data, tmp_path)
    with pytest.raises(norn.NotImplemented, match=rf'(?s)"{op_type}".*experimental'):
        norn.InferenceSession(data)


IMAGE = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)
LINE = np.array([-1, 0, 2.5], np.float32)
# Attributes, inputs, and whether ONNX Runtime runs the operator.
EXPERIMENTAL = {
    "Affine": ({"alpha": 2.0, "beta": 1.0}, [LINE], 2 * LINE + 1, True),
    "ConstantFill": ({"shape": [2, 3], "value": 3.0}, [], np.full((2, 3), 3, np.float32), False),
    "Crop": ({"border": [1, 0, 1, 1]}, [IMAGE], IMAGE[:, :, :-1, 1:-1], True),
    "DynamicSlice": ({}, [LINE, np.array([1]), np.array([9])], LINE[1:], True),
    "GivenTensorFill": ({"shape": [2, 1], "values": [3.0, 4.0]}, [], np.array([[3], [4]], np.float32), False),
    "ImageScaler": ({"scale": 2.0, "bias": [10.0, 20.0]}, [IMAGE],
                    2 * IMAGE + np.array([10, 20], np.float32).reshape(1, 2, 1, 1), True),
    "ParametricSoftplus": ({"alpha": 2.0, "beta": 3.0}, [LINE], 2 * np.log1p(np.exp(3 * LINE)), True),
    "Scale": ({"scale": 2.0}, [LINE], 2 * LINE, True),
    "ScaledTanh": ({"alpha": 2.0, "beta": 3.0}, [LINE], 2 * np.tanh(3 * LINE), True),
}


def experimental(op_type, version, attributes, inputs):
    names = [f"x{i}" for i in range(len(inputs))]
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in zip(names, inputs, strict=True)]
    graph = helper.make_graph([helper.make_node(op_type, names, ["y"], **attributes)], "g", infos,
                              [helper.make_tensor_value_info("y", 1, None)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=3)
    return made.SerializeToString(), dict(zip(names, inputs, strict=True))


@pytest.mark.parametrize("version", [1, 5, 7, 9])
@pytest.mark.parametrize("op_type", EXPERIMENTAL)
def test_experimental_operators_run(op_type, version, tmp_path):
    attributes, inputs, wanted, runs_elsewhere = EXPERIMENTAL[op_type]
    data, feeds = experimental(op_type, version, attributes, inputs)
    said = reported(data)
    assert said["op.experimental-removed"] == "warning"
    assert "error" not in said.values()
    assert "error" not in reported(data, profile="runtime").values()
    expect_kept(data, tmp_path)
    (y,) = norn.InferenceSession(data).run(None, feeds)
    np.testing.assert_allclose(y, wanted, rtol=1e-6)
    if runs_elsewhere:
        ort = pytest.importorskip("onnxruntime")
        np.testing.assert_allclose(y, ort.InferenceSession(data).run(None, feeds)[0], rtol=1e-6)


@pytest.mark.parametrize("op_type", EXPERIMENTAL)
def test_experimental_operators_end_with_version_9(op_type):
    data, _ = experimental(op_type, 10, *EXPERIMENTAL[op_type][:2])
    assert reported(data)["op.experimental-removed"] == "warning"
    assert reported(data, profile="runtime")["norn.operator.runnable"] == "error"
    with pytest.raises(norn.Error, match=f"{op_type} is deprecated since version 10"):
        norn.InferenceSession(data)
