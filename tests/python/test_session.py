"""Running models: right answers, the same bits every time, and errors that name place and cause."""

import io
import json
import os
import pathlib
import re
import threading
import zipfile

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from conftest import DIGITS, add_model, model_of, value
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import norn

CNN = str(DIGITS / "digits_cnn.onnx")


def session_of(model, **options):
    return norn.InferenceSession(model, norn.SessionOptions(**options))


# --- right answers


def test_digits_accuracy(digits):
    images, labels = digits
    session = norn.InferenceSession(CNN)
    (logits,) = session.run(None, {"image": images})
    assert logits.shape == (360, 10) and logits.dtype == np.float32
    assert np.mean(logits.argmax(1) == labels) > 0.98
    one_by_one = np.concatenate([session.run(["logits"], {"image": images[i : i + 1]})[0] for i in range(20)])
    np.testing.assert_allclose(one_by_one, logits[:20], rtol=1e-5, atol=1e-5)


def test_digits_agrees_with_the_reference_evaluator(digits):
    images = digits[0][:5]
    (expected,) = ReferenceEvaluator(CNN).run(None, {"image": images})
    for options in ({}, {"reference_only": True}, {"disabled_passes": ["all"]}):
        (got,) = session_of(CNN, **options).run(None, {"image": images})
        np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)


# --- what goes in and comes out


def test_interface_is_described():
    session = norn.InferenceSession(CNN)
    (image,), (logits,) = session.get_inputs(), session.get_outputs()
    assert (image.name, image.type, image.shape) == ("image", "tensor(float)", ["batch", 1, 8, 8])
    assert (logits.name, logits.type, logits.shape) == ("logits", "tensor(float)", ["batch", 10])
    assert session.get_overridable_initializers() == []
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_overridable_initializers():
    w = numpy_helper.from_array(np.full((3,), 2, np.float32), "w")
    model = model_of(
        [helper.make_node("Mul", ["x", "w"], ["y"])], [value("x", [3]), value("w", [3])], [value("y", [3])], [w]
    )
    session = norn.InferenceSession(model)
    assert [i.name for i in session.get_inputs()] == ["x"]
    assert [i.name for i in session.get_overridable_initializers()] == ["w"]
    x = np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], 2 * x)
    np.testing.assert_array_equal(session.run(None, {"x": x, "w": x})[0], x * x)


def test_every_kind_of_model_argument(tmp_path):
    proto = add_model()
    data = proto.SerializeToString()
    path = tmp_path / "add.onnx"
    path.write_bytes(data)
    x = np.ones((2, 3), np.float32)
    for model in (path, str(path), data, bytearray(data), memoryview(data), io.BytesIO(data), proto, norn.load(path)):
        np.testing.assert_array_equal(norn.InferenceSession(model).run(["z"], {"x": x, "y": x})[0], 2 * x)


def test_strided_byte_swapped_and_scalar_feeds():
    session = norn.InferenceSession(add_model())
    x = np.arange(6, dtype=np.float32).reshape(3, 2).T
    expected = 2 * x
    for feed in (x, x.astype(">f4"), x.tolist(), torch_like(x)):
        np.testing.assert_array_equal(session.run(None, {"x": feed, "y": x})[0], expected)


class torch_like:  # noqa: N801 - a stand-in for any library's tensor
    def __init__(self, array):
        self.array = np.ascontiguousarray(array)

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_bools_are_zero_or_one():
    """numpy takes any byte but 0 for True, and so does what computes with it."""
    nodes = [helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT), helper.make_node("Identity", ["b"], ["c"])]
    bools = TensorProto.BOOL
    model = model_of(nodes, [value("b", ["N"], bools)], [value("y", ["N"]), value("c", ["N"], bools)])
    session = norn.InferenceSession(model)
    for odd in (np.array([255, 0, 1, 2], np.uint8), np.arange(4096).astype(np.uint8)):
        given = odd.copy()
        for feed in (given.view(bool), torch_like(given.view(bool)), given[::-1].view(bool)[::-1]):
            y, c = session.run(None, {"b": feed})
            np.testing.assert_array_equal(y, (odd != 0).astype(np.float32))
            np.testing.assert_array_equal(c.view(np.uint8), (odd != 0).astype(np.uint8))
        np.testing.assert_array_equal(given, odd)
    nodes[1] = helper.make_node("SequenceAt", ["s", "i"], ["b"])
    inputs = [helper.make_tensor_sequence_value_info("s", bools, None), value("i", [], TensorProto.INT64)]
    sequence = model_of(nodes[::-1], inputs, [value("y", None)])
    feed = {"s": [np.array([True]), np.array([9, 0], np.uint8).view(bool)], "i": np.int64(1)}
    np.testing.assert_array_equal(norn.InferenceSession(sequence).run(None, feed)[0], [1, 0])


@pytest.mark.parametrize("reader", ["none", "Identity", "If"])
def test_bools_whose_shape_alone_is_asked_for(reader):
    """What else reads them finds zeros and ones, in a subgraph as well."""
    bools, ints = TensorProto.BOOL, TensorProto.INT64
    nodes = [helper.make_node("Shape", ["b"], ["s"]), helper.make_node("Size", ["b"], ["n"])]
    inputs, outputs = [value("b", ["N"], bools)], [value("s", [1], ints), value("n", [], ints)]
    if reader == "Identity":
        nodes.append(helper.make_node("Identity", ["b"], ["c"]))
    elif reader == "If":
        inputs.append(value("k", [], bools))
        branch = helper.make_graph([helper.make_node("Identity", ["b"], ["d"])], "g", [], [value("d", ["N"], bools)])
        nodes.append(helper.make_node("If", ["k"], ["c"], then_branch=branch, else_branch=branch))
    if reader != "none":
        outputs.append(value("c", ["N"], bools))
    feed = {"b": np.array([7, 0, 255], np.uint8).view(bool), "k": np.array(True)}
    got = norn.InferenceSession(model_of(nodes, inputs, outputs)).run(None, {i.name: feed[i.name] for i in inputs})
    assert got[0].tolist() == [3] and got[1] == 3
    assert [c.view(np.uint8).tolist() for c in got[2:]] == [[1, 0, 1]][: len(got) - 2]


@pytest.mark.parametrize("op", ["Not", "And", "Or", "Xor", "Equal"])
@pytest.mark.parametrize("size", [7, 100_003])
@pytest.mark.parametrize("also", ["none", "output", "Gather", "Not", "reference"])
def test_bools_of_which_only_their_truth_is_asked(op, size, also):
    """Kernels take any byte but 0 for True where nothing has looked for one; what else reads it finds ones."""
    bools = TensorProto.BOOL
    rng = np.random.default_rng(size)
    odd = [rng.choice(np.array([0, 0, 1, 2, 128, 255], np.uint8), size) for _ in "ab"]
    feed = {name: bytes_.view(bool) for name, bytes_ in zip("ab", odd, strict=True)}
    a, b = (bytes_ != 0 for bytes_ in odd)
    want = {"Not": ~a, "And": a & b, "Or": a | b, "Xor": a ^ b, "Equal": a == b}[op]
    names = ["a"] if op == "Not" else ["a", "b"]
    nodes, outputs, wanted = [helper.make_node(op, names, ["y"])], [value("y", ["N"], bools)], [want]
    if also == "output":
        nodes.append(helper.make_node("Identity", ["a"], ["c"]))
        wanted.append(a)
    elif also == "Gather":
        nodes.append(helper.make_node("Gather", ["a", "i"], ["c"]))
        wanted.append(a[[3, 1, 2]])
    elif also == "Not":
        nodes += [helper.make_node("Not", ["y"], ["d"]), helper.make_node("Or", ["d", "a"], ["c"])]
        wanted.append(~want | a)
    if len(wanted) == 2:
        outputs.append(value("c", None, bools))
    index = helper.make_tensor("i", TensorProto.INT64, [3], [3, 1, 2])
    model = model_of(nodes, [value(n, ["N"], bools) for n in names], outputs, [index] if also == "Gather" else [])
    options = norn.SessionOptions(reference_only=also == "reference")
    got = norn.InferenceSession(model, options).run(None, {n: feed[n] for n in names})
    for found, expected in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(found.view(np.uint8), expected.astype(np.uint8))


def test_truth_of_bools_in_more_dimensions_than_kernels_have():
    bools = TensorProto.BOOL
    odd = {"a": np.full(4096, 2, np.uint8), "b": np.full((1,) * 33, 255, np.uint8)}
    for op in ("And", "Or", "Xor", "Equal"):
        model = model_of(
            [helper.make_node(op, ["a", "b"], ["y"])],
            [value(name, v.shape, bools) for name, v in odd.items()], [value("y", None, bools)])  # fmt: skip
        (y,) = norn.InferenceSession(model).run(None, {name: v.view(bool) for name, v in odd.items()})
        assert y.ndim == 33 and (y.view(np.uint8) == (op != "Xor")).all()


SMALL = {"uint4": 4, "int4": 4, "uint2": 2, "int2": 2, "float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6}


@pytest.mark.parametrize("name", SMALL)
def test_bytes_of_small_types_are_in_range(name, tmp_path):
    dtype, bits = getattr(ml_dtypes, name), SMALL[name]
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    model = model_of(nodes, [value("x", ["N"], elem)], [value("y", ["N"], elem)], opset=25)
    session = None if bits == 6 else norn.InferenceSession(model)  # Identity has not got those types

    def run(x):
        if session:
            return session.run(None, {"x": x})[0].view(np.uint8)
        norn.save_value(tmp_path / "run.pb", x)
        return norn.load_value(tmp_path / "run.pb", "tensor").view(np.uint8)

    codes = np.arange(1 << bits, dtype=np.uint8)
    np.testing.assert_array_equal(run(codes.view(dtype)), codes)
    if name.startswith("int"):  # sign-extended is the same value as masked
        extended = codes | np.where(codes >> (bits - 1), 0xFF << bits & 0xFF, 0).astype(np.uint8)
        np.testing.assert_array_equal(run(extended.view(dtype)), codes)
    for byte in (1 << bits, 0x41 if bits < 6 else 0x81, 0xF3 if bits < 4 or not name.startswith("int") else 0x93):
        odd = np.array([0, byte], np.uint8).view(dtype)
        with pytest.raises(norn.InvalidArgument, match=f"element 1 .* is the byte {byte}") as caught:
            run(odd)
        assert session is None or 'input "x"' in caught.value.where
        for file in ("x.pb", "x.npz"):
            with pytest.raises(norn.InvalidArgument, match=f"is the byte {byte}"):
                norn.save_value(tmp_path / file, odd)
            assert not (tmp_path / file).exists()
    # A file with a byte that no element is.
    norn.save_values(tmp_path / "x.npz", {"x": codes[:2].view(dtype)})
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        (entry,) = archive.infolist()
        content = archive.read(entry)[:-1] + b"\x7f"
    with zipfile.ZipFile(tmp_path / "odd.npz", "w") as archive:
        archive.writestr(entry, content)
    with pytest.raises(norn.InvalidArgument, match="is the byte 127"):
        norn.load_values(tmp_path / "odd.npz")


def test_results_are_the_callers_own():
    model = model_of(
        [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["c"], ["d"])],
        [value("x", [1000])],
        [value("y", [1000]), value("d", [1000])],
        [numpy_helper.from_array(np.arange(1000, dtype=np.float32), "c")],
    )
    session = norn.InferenceSession(model)
    x = np.zeros(1000, np.float32)
    y, d = session.run(None, {"x": x})
    y += 1
    d += 1
    assert not x.any()
    np.testing.assert_array_equal(session.run(["d"], {"x": x})[0], np.arange(1000))


def test_outputs_outlive_session_and_feed():
    x = np.ones((500, 3), np.float32)
    (z,) = norn.InferenceSession(add_model()).run(None, {"x": x, "y": x})
    del x
    np.testing.assert_array_equal(z, np.full((500, 3), 2, np.float32))


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (700, 3)])
def test_sizes(shape):
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    np.testing.assert_array_equal(norn.InferenceSession(add_model()).run(None, {"x": x, "y": x})[0], x + x)


def test_run_selects_and_orders_outputs():
    nodes = [helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Abs", ["x"], ["b"])]
    session = norn.InferenceSession(model_of(nodes, [value("x", [2])], [value("a", [2]), value("b", [2])]))
    x = np.array([-1, 2], np.float32)
    b, a = session.run(["b", "a"], {"x": x})
    np.testing.assert_array_equal(a, -x)
    np.testing.assert_array_equal(b, abs(x))
    for everything in (None, [], ()):
        a, b = session.run(everything, {"x": x})
        np.testing.assert_array_equal(a, -x)
        np.testing.assert_array_equal(b, abs(x))


def test_model_document(tmp_path):
    model = norn.load(CNN)
    summary = model.summary()
    assert summary.inputs == [("image", "float[batch,1,8,8]")]
    assert dict(summary.operators)["Conv"] == 2
    assert summary.parameters == sum(np.prod(t.dims, dtype=int) for t in onnx.load(CNN).graph.initializer)
    assert json.loads(summary.to_json())["nodes"] == summary.nodes
    assert "Conv" in model.to_text()
    norn.save(model, tmp_path / "copy.onnx")
    assert onnx.load(tmp_path / "copy.onnx") == onnx.load(CNN)


def test_explain_and_program_text():
    session = norn.InferenceSession(CNN)
    assert "Conv" in session.explain()
    assert "Conv" in session.program_text()
    explained = session.explanation()
    assert explained["runnable"] and explained["planned"]
    steps = explained["steps"]
    assert sum(o["op_type"] == "Conv" for step in steps for o in step["operations"]) == 2
    assert all(step["kernel"] in session.explain() for step in steps)
    image = np.zeros((3, 1, 8, 8), np.float32)
    assert session.explanation({"image": image})["steps"][0]["inputs"][0]["shape"][0] == 3
    assert norn.pass_names() and all(isinstance(name, str) for name in norn.pass_names())


BOUND = """<ir_version: 8, opset_import: ["":18, "ai.onnx.preview":1]>
g (float[N,3] a, float[N,M] b, float[M] c, float[K,N] d, float[N,H,2,2] q) => (y, t, u%s)
{ y = Concat <axis = 1> (a, b) t = Neg (c) u = Neg (d) %s }"""
# Nodes that stand for it are made when sizes are known.
WAITS = ", v", "v = ai.onnx.preview.FlexAttention (q, q, q)"


@pytest.mark.parametrize("more", [("", ""), WAITS], ids=["", "waits"])
def test_explanations_take_variables_from_what_is_given(more):
    model = norn.InferenceSession(norn.parse_text(BOUND % more))

    def shapes(**given):
        feeds = {name: np.zeros(dims, np.float32) for name, dims in given.items()}
        told = model.explanation(feeds, default_dim=2)
        return [tensor["shape"] for step in told["steps"] for tensor in step["inputs"]][:4]

    assert shapes(a=(5, 3)) == [[5, 3], [5, 2], [2], [2, 5]]
    assert shapes(b=(5, 4)) == [[5, 3], [5, 4], [4], [2, 5]]
    assert shapes(c=(0,), d=(3, 6)) == [[6, 3], [6, 0], [0], [3, 6]]
    assert shapes() == [[2, 3], [2, 2], [2], [2, 2]]


# --- errors in a file


def error_of(kind, model, *words, **kwargs):
    """The error that making a session raises; every one of `words` is in its text."""
    with pytest.raises(kind) as caught:
        norn.InferenceSession(model, **kwargs)
    text = str(caught.value)
    for word in words:
        assert re.search(word, text), f"{word!r} is not in:\n{text}"
    assert isinstance(caught.value, norn.Error) and caught.value.message
    return caught.value


def file_of(tmp_path, content, name="model.onnx"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_missing_file(tmp_path):
    error_of(norn.NoSuchFile, tmp_path / "nowhere.onnx", "nowhere.onnx")
    assert issubclass(norn.NoSuchFile, FileNotFoundError)


def test_directory(tmp_path):
    error_of(norn.Error, tmp_path, re.escape(str(tmp_path)))


def test_empty_file(tmp_path):
    error_of(norn.InvalidProtobuf, file_of(tmp_path, b""), "empty", "model.onnx")


def test_png(tmp_path):
    error_of(norn.InvalidProtobuf, file_of(tmp_path, b"\x89PNG\r\n\x1a\n" + bytes(100)), "PNG")


def test_git_lfs_pointer(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n"
    error = error_of(norn.InvalidProtobuf, file_of(tmp_path, pointer), "(?i)git lfs")
    assert "git lfs pull" in error.hint


def test_truncated_model(tmp_path):
    content = pathlib.Path(CNN).read_bytes()
    error = error_of(norn.InvalidProtobuf, file_of(tmp_path, content[: len(content) // 2]), r"byte \d+")
    assert error.code == "InvalidProtobuf"


def test_length_beyond_the_file():
    # Field 7 (graph) of ModelProto claims 2**40 bytes.
    error_of(norn.InvalidProtobuf, b"\x08\x0a\x3a" + bytes([0x80] * 5) + b"\x20" + b"abc", r"\d+ bytes", r"byte \d+")


# --- errors in a graph


def unary(op, **attributes):
    return model_of(
        [helper.make_node(op, ["x"], ["y"], name="the_node", **attributes)], [value("x", [2, 3])], [value("y", None)]
    )


def test_unknown_operator():
    error_of(norn.Error, unary("Sofmax"), "Sofmax", "the_node", "Softmax")


def test_unknown_domain():
    node = helper.make_node("Gizmo", ["x"], ["y"], name="the_node", domain="com.example")
    model = model_of([node], [value("x", [1])], [value("y", [1])], domains=[("com.example", 1)])
    error_of(norn.NotImplemented, model, "Gizmo", "com.example", "the_node")


def test_unknown_attribute():
    error_of(norn.InvalidGraph, unary("Softmax", axes=1), "axes", "the_node")


def test_wrong_attribute_type():
    error_of(norn.InvalidGraph, unary("Softmax", axis="one"), "axis", "the_node", "(?i)string", "(?i)int")


def test_wrong_element_type_of_an_operator():
    model = model_of(
        [helper.make_node("Relu", ["x"], ["y"], name="the_node")],
        [value("x", [2], TensorProto.STRING)],
        [value("y", [2], TensorProto.STRING)],
    )
    error_of(norn.InvalidGraph, model, "the_node", "string")


def test_cycle():
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Neg", ["a"], ["b"], name="second"),
    ]
    error_of(norn.InvalidGraph, model_of(nodes, [value("x", [1])], [value("b", [1])]), "first", '"b"')


def test_value_used_before_it_is_made():
    nodes = [helper.make_node("Neg", ["a"], ["b"], name="first"), helper.make_node("Abs", ["x"], ["a"], name="second")]
    error_of(norn.InvalidGraph, model_of(nodes, [value("x", [1])], [value("b", [1])]), "first", '"a"')


def test_value_that_nothing_makes():
    model = model_of(
        [helper.make_node("Add", ["x", "ghost"], ["y"], name="the_node")], [value("x", [1])], [value("y", [1])]
    )
    error_of(norn.InvalidGraph, model, "ghost", "the_node")


def test_output_that_nothing_makes():
    model = model_of([helper.make_node("Neg", ["x"], ["y"])], [value("x", [1])], [value("z", [1])])
    error_of(norn.InvalidGraph, model, '"z"')


def test_a_value_made_twice():
    nodes = [helper.make_node("Neg", ["x"], ["y"], name="first"), helper.make_node("Abs", ["x"], ["y"], name="second")]
    error_of(norn.InvalidGraph, model_of(nodes, [value("x", [1])], [value("y", [1])]), '"y"', "second")


def initializer_model(tensor):
    return model_of([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [1])], [value("y", None)], [tensor])


def test_initializer_whose_bytes_do_not_fit_its_shape():
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3], raw_data=bytes(20))
    error_of(norn.InvalidGraph, initializer_model(tensor), '"w"', "20", "24")


def test_initializer_whose_dims_overflow():
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2**40, 2**40], raw_data=bytes(4))
    error_of(norn.Error, initializer_model(tensor), '"w"', str(2**40))


def test_initializer_with_a_negative_dim():
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[-1], raw_data=b"")
    error_of(norn.Error, initializer_model(tensor), '"w"', "-1")


def test_newer_opset():
    error_of(
        norn.NotImplemented,
        model_of([helper.make_node("Neg", ["x"], ["y"])], [value("x", [1])], [value("y", [1])], opset=99),
        "99",
    )


def test_shapes_that_contradict_each_other():
    model = model_of(
        [helper.make_node("Add", ["x", "y"], ["z"], name="the_node")],
        [value("x", [2]), value("y", [3])],
        [value("z", None)],
    )
    error_of(norn.Error, model, "the_node", "2", "3")


# --- errors in a call


def run_error(model, feed, *words, kind=norn.InvalidArgument, outputs=None):
    session = model if isinstance(model, norn.InferenceSession) else norn.InferenceSession(model)
    with pytest.raises(kind) as caught:
        session.run(outputs, feed)
    for word in words:
        assert re.search(word, str(caught.value)), f"{word!r} is not in:\n{caught.value}"


X = np.ones((2, 3), np.float32)


def test_missing_feed():
    run_error(add_model(), {"x": X}, '"y"')


def test_unknown_feed_name():
    run_error(add_model(), {"x": X, "y": X, "why": X}, '"why"', '"y"|y')


def test_wrong_element_type():
    run_error(add_model(), {"x": X.astype(np.float64), "y": X}, '"x"', "double", "float")


def test_wrong_rank():
    run_error(add_model(), {"x": X[0], "y": X}, '"x"', r"\[3\]", "N")


def test_wrong_fixed_dimension():
    run_error(add_model(), {"x": np.ones((2, 4), np.float32), "y": X}, '"x"', "4", "3")


def test_one_variable_with_two_values():
    run_error(add_model(), {"x": X, "y": np.ones((3, 3), np.float32)}, "N", "2", "3", '"x"', '"y"')


def test_wrong_kind_of_value():
    run_error(add_model(), {"x": X, "y": None}, '"y"')
    run_error(add_model(), {"x": X, "y": {"a": 1.0}}, '"y"')
    run_error(add_model(), {"x": X, "y": object()}, '"y"', "object")
    run_error(add_model(), {"x": X, "y": np.array(["2020-01-01"], "M8[D]")}, '"y"', "datetime64")


def test_unknown_output_name():
    run_error(add_model(), {"x": X, "y": X}, '"zz"', outputs=["zz"])


def test_feed_that_is_no_dict():
    run_error(add_model(), [X, X], "dict")


def test_index_out_of_range():
    model = model_of(
        [helper.make_node("Gather", ["x", "i"], ["y"], name="the_node")],
        [value("x", [3]), value("i", ["n"], TensorProto.INT64)],
        [value("y", ["n"])],
    )
    feed = {"x": np.ones(3, np.float32), "i": np.array([0, 7], np.int64)}
    run_error(model, feed, "the_node", "7", "3", kind=norn.RuntimeException)


def test_options():
    with pytest.raises(norn.InvalidArgument, match="fuse_everything"):
        session_of(CNN, disabled_passes=["fuse_everything"])
    with pytest.raises(norn.InvalidArgument, match="run_options is object"):
        norn.InferenceSession(CNN).run(None, {}, object())


def test_run_options():
    options = norn.RunOptions()
    assert (options.logid, options.log_severity_level, options.log_verbosity_level) == ("", -1, 0)
    options.logid = "a run"
    options.log_severity_level = 3
    session = session_of(CNN)
    feed = {session.get_inputs()[0].name: np.zeros((1, 1, 8, 8), np.float32)}
    np.testing.assert_array_equal(session.run(None, feed, options)[0], session.run(None, feed)[0])
    with pytest.warns(UserWarning, match='"memory.enable_memory_arena_shrinkage"'):
        options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    assert options.get_run_config_entry("memory.enable_memory_arena_shrinkage") == "cpu:0"
    with pytest.raises(norn.InvalidArgument, match='"nothing"'):
        options.get_run_config_entry("nothing")
    # Options without an effect are not attributes.
    for name in ("only_execute_path_to_fetches", "training_mode"):
        with pytest.raises(AttributeError):
            setattr(options, name, True)


def test_model_metadata():
    model = add_model()
    model.producer_name, model.producer_version, model.domain = "maker", "1.2", "com.example"
    model.doc_string, model.graph.doc_string, model.model_version = "what it is", "what it computes", 7
    helper.set_model_props(model, {"author": "nobody", "ü": "\n"})
    meta = session_of(model).get_modelmeta()
    assert (meta.producer_name, meta.producer_version, meta.domain) == ("maker", "1.2", "com.example")
    assert (meta.description, meta.graph_description, meta.version) == ("what it is", "what it computes", 7)
    assert (meta.graph_name, meta.custom_metadata_map) == (model.graph.name, {"author": "nobody", "ü": "\n"})
    bare = session_of(add_model()).get_modelmeta()
    assert (bare.producer_name, bare.version, bare.custom_metadata_map) == ("", 0, {})


def test_limits():
    with pytest.raises(norn.LimitExceeded):
        norn.load(CNN, limits=norn.Limits(max_bytes=1000))
    with pytest.raises(norn.LimitExceeded):
        norn.load(CNN, limits=norn.Limits(max_nodes=3))


def test_a_session_survives_a_failed_run():
    session = norn.InferenceSession(add_model())
    run_error(session, {"x": X}, '"y"')
    np.testing.assert_array_equal(session.run(None, {"x": X, "y": X})[0], 2 * X)


# --- threads and processes


def in_threads(count, work):
    failures = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_eight_threads_on_one_session(digits):
    images = digits[0]
    session = norn.InferenceSession(CNN)
    expected = [session.run(None, {"image": images[i * 40 : (i + 1) * 40]})[0] for i in range(8)]

    def work(i):
        for _ in range(20):
            (got,) = session.run(None, {"image": images[i * 40 : (i + 1) * 40]})
            np.testing.assert_array_equal(got, expected[i])

    in_threads(8, work)


def test_eight_sessions_at_once(digits):
    images = digits[0][:64]
    (expected,) = norn.InferenceSession(CNN).run(None, {"image": images})

    def work(i):
        session = session_of(CNN, intra_op_num_threads=1 + i % 3)
        for _ in range(10):
            np.testing.assert_array_equal(session.run(None, {"image": images})[0], expected)

    in_threads(8, work)


def test_shapes_that_change_between_threads(digits):
    images = digits[0]
    session = norn.InferenceSession(CNN)
    expected = {n: session.run(None, {"image": images[:n]})[0] for n in range(1, 9)}

    def work(i):
        for k in range(40):
            n = 1 + (i + k) % 8
            np.testing.assert_array_equal(session.run(None, {"image": images[:n]})[0], expected[n])

    in_threads(8, work)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_after_a_run(digits):
    images = digits[0]
    session = norn.InferenceSession(CNN)
    (expected,) = session.run(None, {"image": images})
    child = os.fork()
    if child == 0:
        try:
            (got,) = session.run(None, {"image": images})
            (fresh,) = norn.InferenceSession(CNN).run(None, {"image": images})
            os._exit(0 if np.array_equal(got, expected) and np.array_equal(fresh, expected) else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    np.testing.assert_array_equal(session.run(None, {"image": images})[0], expected)


@pytest.mark.parametrize(
    ("elem", "given"),
    [
        (TensorProto.UINT8, [1, 2]),
        (TensorProto.INT4, [7, -8]),
        (TensorProto.UINT64, [2**63 + 5]),
        (TensorProto.INT64, []),
        (TensorProto.FLOAT, [1, 2.5]),
    ],
)
def test_lists_have_the_declared_type(elem, given):
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [value("x", ["n"], elem)],
                              [value("y", ["n"], elem)])
    session = norn.InferenceSession(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
    assert session.run(None, {"x": given})[0].tolist() == given


@pytest.mark.parametrize(
    ("elem", "given", "message"),
    [
        (TensorProto.INT8, [1, 300], "element 1 is 300, which int8 does not hold"),
        (TensorProto.INT32, [[2**40]], "element 0 is 1099511627776, which int32 does not hold"),
        (TensorProto.UINT8, [-1], "element 0 is -1, which uint8 does not hold"),
        (TensorProto.INT32, [1.5], "the element type is double"),
    ],
)
def test_lists_of_what_the_type_does_not_hold(elem, given, message):
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [value("x", None, elem)],
                              [value("y", None, elem)])
    session = norn.InferenceSession(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
    with pytest.raises(norn.InvalidArgument, match=message):
        session.run(None, {"x": given})


# --- sizes that a Reshape copies

COPIED = """<ir_version: 8, opset_import: ["":18]>
g (float[A,B] x) => (float[P,Q] o) <int64[2] less = {1,0}>
{ s = Shape(x)  to = Sub(s, less)  r = Reshape(x, to)  o = Neg(r) }"""


def copied_session(**options):
    model = onnx.parser.parse_model(COPIED)
    return session_of(model.SerializeToString(), **options)


def copied(a, b):
    x = np.arange(a * b, dtype=np.float32).reshape(a, b)
    return {"x": x}, -x.reshape(a if a == 1 else a - 1, b)


def test_sizes_that_are_copied_are_lowered_once():
    session = copied_session()
    sizes = [(1, b) for b in range(1, 31)]
    # What a model was loaded by took as long to the bit only if it is the same one.
    load = [session.profile(copied(*s)[0], runs=1)["load"] for s in sizes]
    assert len({json.dumps(phases) for phases in load}) == len(sizes)
    for size, before in zip(sizes, load, strict=True):
        feeds, expected = copied(*size)
        np.testing.assert_array_equal(session.run(None, feeds)[0], expected)
        assert session.profile(feeds, runs=1)["load"] == before
    whole = session.profile(copied(5, 0)[0], runs=1)["load"]
    assert whole not in load, "what copies nothing runs by the model of all sizes"


@pytest.mark.parametrize("options", [{}, {"max_plan_bytes": 0}, {"reference_only": True}, {"precision": "bfloat16"}])
def test_sizes_that_are_copied_in_threads(options):
    session = copied_session(**options)
    failures = []

    def work(seed):
        try:
            draw = np.random.default_rng(seed)
            for _ in range(300):
                feeds, expected = copied(1, int(draw.integers(1, 40))) if draw.integers(2) else copied(4, 0)
                if expected.size == 0:
                    expected = expected.reshape(3, 0)
                got = session.run(None, feeds)[0]
                np.testing.assert_array_equal(got, expected)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


WITH_DEFAULTS = """<ir_version: 8, opset_import: ["":18]>
g (float[A,B] x, float[K] w, float[L] v) => (float[P,Q] o, float[K] n, float[L] m)
<int64[2] less = {1,0}, float[3] w = {1,2,3}, float[2] v = {4,5}>
{ s = Shape(x)  to = Sub(s, less)  r = Reshape(x, to)  o = Neg(r)  n = Neg(w)  m = Neg(v) }"""


def test_sizes_that_are_copied_beside_default_values_of_other_sizes():
    session = session_of(onnx.parser.parse_model(WITH_DEFAULTS).SerializeToString())
    feeds, expected = copied(1, 5)
    for w in (np.arange(7, dtype=np.float32), np.zeros(0, np.float32), np.ones(3, np.float32)):
        o, n, m = session.run(None, {**feeds, "w": w})
        np.testing.assert_array_equal(o, expected)
        np.testing.assert_array_equal(n, -w)
        np.testing.assert_array_equal(m, [-4, -5])
        assert "Neg" in session.explain({**feeds, "w": w})
    assert "Neg" in session.explain(feeds), "with the size of a default value that is not fed"
    np.testing.assert_array_equal(session.run(None, feeds)[1], [-1, -2, -3])
