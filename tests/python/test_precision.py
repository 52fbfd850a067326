"""SessionOptions.precision: factors rounded to bfloat16, or to 8 bits beside stored integers."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import norn

RNG = np.random.default_rng(7)


def perceptron():
    """Three products with constant matrices, with biases, GELU and a residual between them."""
    weights = [(RNG.standard_normal(s) / np.sqrt(s[0])).astype(np.float32) for s in ((96, 256), (256, 96), (96, 64))]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["p0"]),
        helper.make_node("Add", ["p0", "b0"], ["s0"]),
        helper.make_node("Gelu", ["s0"], ["g0"]),
        helper.make_node("MatMul", ["g0", "w1"], ["p1"]),
        helper.make_node("Add", ["p1", "x"], ["s1"]),
        helper.make_node("Gemm", ["s1", "w2", "b2"], ["y"]),
    ]
    initializers = [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)]
    initializers += [numpy_helper.from_array(RNG.standard_normal(n).astype(np.float32), b) for n, b in ((256, "b0"), (64, "b2"))]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 96])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 64])],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def stored():
    """A product with a matrix of 4 bits, with scales and zero points for each 32 rows of a column."""
    w = RNG.integers(0, 16, (256, 128)).astype(np.uint8)
    packed = (w.reshape(-1)[0::2] | w.reshape(-1)[1::2] << 4).astype(np.uint8)
    zeros = RNG.integers(0, 16, (8, 128)).astype(np.uint8)
    packed_zeros = (zeros.reshape(-1)[0::2] | zeros.reshape(-1)[1::2] << 4).astype(np.uint8)
    scale = RNG.uniform(0.01, 0.02, (8, 128)).astype(np.float32)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale", "zero"], ["wide"], axis=0, block_size=32),
        helper.make_node("MatMul", ["x", "wide"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 256])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 128])],
        [
            helper.make_tensor("w", TensorProto.UINT4, [256, 128], packed.tobytes(), raw=True),
            numpy_helper.from_array(scale, "scale"),
            helper.make_tensor("zero", TensorProto.UINT4, [8, 128], packed_zeros.tobytes(), raw=True),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    wide = (w.astype(np.float64) - np.repeat(zeros, 32, 0)) * np.repeat(scale, 32, 0)
    return model, wide


def by_operator(elem, bits, bias, **attributes):
    """MatMulNBits of float or float16, with rows of 200 elements, which end within a block."""
    blocks = RNG.integers(0, 256, (300, 7, 32 * bits // 8)).astype(np.uint8)
    scale = RNG.uniform(0.01, 0.02, (300, 7)).astype(elem)
    ends = RNG.standard_normal(300).astype(elem)
    known = [numpy_helper.from_array(a, name) for a, name in ((blocks, "w"), (scale, "s"), (ends, "bias"))]
    node = helper.make_node("MatMulNBits", ["x", "w", "s", "", "", "bias"] if bias else ["x", "w", "s"], ["y"],
                            domain="com.microsoft", K=200, N=300, bits=bits, block_size=32, **attributes)  # fmt: skip
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(elem))
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", kind, ["batch", "n", 200])],
        [helper.make_tensor_value_info("y", kind, None)],
        known if bias else known[:2],
    )
    model = helper.make_model(graph, ir_version=10)
    del model.opset_import[:]
    model.opset_import.extend([helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)])
    elements = ((blocks[..., None] >> (np.arange(8 // bits) * bits)) & (2**bits - 1)).reshape(300, 7, 32)
    wide = (elements.astype(np.float64) - 2 ** (bits - 1)) * scale[..., None]
    return model, wide.reshape(300, 224)[:, :200].T, ends.astype(np.float64) * bias


def session(model, **options):
    return norn.InferenceSession(model.SerializeToString(), norn.SessionOptions(**options))



@pytest.mark.parametrize("rows", [1, 3, 40, 200])
def test_bfloat16_is_close(rows):
    model, x = perceptron(), RNG.standard_normal((rows, 96)).astype(np.float32)
    exact = session(model).run(None, {"x": x})[0]
    got = session(model, precision="bfloat16").run(None, {"x": x})[0]
    # Each factor is off by 2^-9 of itself at most; sums of some hundred of them by far less than ten times that.
    assert np.abs(got - exact).max() <= 10 * 2.0**-9 * np.abs(exact).max()
    for threads in (1, 2):
        again = session(model, precision="bfloat16", intra_op_num_threads=threads).run(None, {"x": x})[0]
        np.testing.assert_array_equal(again, got)


def convolutions():
    """A stem, a depthwise convolution, a sum of two, strides and dilations."""
    def constant(name, *shape):
        return numpy_helper.from_array((RNG.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c0"], ["r0"]),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], pads=[1, 1, 1, 1], group=64),
        helper.make_node("Conv", ["c1", "w2"], ["c2"], pads=[2, 2, 2, 2], dilations=[2, 2]),
        helper.make_node("Conv", ["r0", "w3"], ["c3"]),
        helper.make_node("Add", ["c2", "c3"], ["s"]),
        helper.make_node("Gelu", ["s"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 32, "h", "w"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 96, None, None])],
        [constant("w0", 64, 32, 3, 3), constant("b0", 64), constant("w1", 64, 1, 3, 3), constant("w2", 96, 64, 3, 3), constant("w3", 96, 64, 1, 1)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def test_convolutions_in_bfloat16_are_close_at_all_sizes():
    model = convolutions()
    exact, rounding = session(model), session(model, precision="bfloat16")
    one, two = (session(model, precision="bfloat16", intra_op_num_threads=threads) for threads in (1, 2))
    for n, h, w in ((1, 30, 31), (2, 56, 56), (5, 9, 4), (1, 112, 60), (0, 30, 31), (1, 30, 31)):
        x = RNG.standard_normal((n, 32, h, w)).astype(np.float32)
        wanted, got = exact.run(None, {"x": x})[0], rounding.run(None, {"x": x})[0]
        assert wanted.shape == got.shape
        assert wanted.size == 0 or np.abs(got - wanted).max() <= 10 * 2.0**-9 * np.abs(wanted).max()
        for s in (one, two):
            np.testing.assert_array_equal(s.run(None, {"x": x})[0], got)
    steps = str(rounding.explain({"x": x}))
    assert "simd-bf16" in steps or "onednn-bf16" in steps or "the CPU has no dot products" in steps


@pytest.mark.parametrize("rows", [1, 3, 40, 200])
def test_int8_stays_within_its_bound(rows):
    model, wide = stored()
    x = RNG.standard_normal((rows, 256)).astype(np.float32)
    s = session(model, precision="int8")
    got = s.run(None, {"x": x})[0]
    assert "int8-stored" in str(s.explain({"x": x})) or "the CPU has no fast products" in str(s.explain({"x": x}))
    stretches = np.abs(x).reshape(rows, 8, 32).max(2) / 254
    bound = stretches @ np.abs(wide).reshape(8, 32, 128).sum(1)
    assert (np.abs(got - x.astype(np.float64) @ wide) <= bound * 1.001 + 1e-5).all()
    np.testing.assert_array_equal(session(model, precision="int8", intra_op_num_threads=2).run(None, {"x": x})[0], got)


@pytest.mark.parametrize("elem", [np.float32, np.float16])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("bias", [False, True])
def test_models_say_what_may_be_rounded(elem, bits, bias):
    x = RNG.standard_normal((2, 9, 200)).astype(elem)
    cautious, wide, ends = by_operator(elem, bits, bias, accuracy_level=1)
    allowing, loose, loose_ends = by_operator(elem, bits, bias, accuracy_level=4)
    half = 0 if elem == np.float32 else 2e-3 * 200**0.5

    def run(model, **options):
        return session(model, **options).run(None, {"x": x})[0].astype(np.float64)

    for model, matrix, added in ((cautious, wide, ends), (allowing, loose, loose_ends)):
        exact = x.astype(np.float64) @ matrix + added
        assert np.abs(run(model, precision="float32") - exact).max() <= 1e-4 + half
        stretches = np.pad(np.abs(x.astype(np.float64)), ((0, 0), (0, 0), (0, 24))).reshape(2, 9, 7, 32).max(3) / 254
        bound = stretches @ np.pad(np.abs(matrix), ((0, 24), (0, 0))).reshape(7, 32, 300).sum(1)
        assert (np.abs(run(model, precision="int8") - exact) <= bound * 1.001 + 1e-4 + half).all()
    np.testing.assert_array_equal(run(cautious), run(cautious, precision="float32"))
    np.testing.assert_array_equal(run(allowing), run(allowing, precision="int8"))
    steps = session(allowing).explain({"x": x})
    assert bits == 8 or "int8-stored" in str(steps) or "the CPU has no fast products" in str(steps)


@pytest.mark.parametrize("first", [0, 1])
def test_a_product_that_may_be_rounded_is_not_merged_with_one_that_may_not(first):
    model, wide = stored()
    model.graph.node[1].name = "a"
    model.graph.node.add().CopyFrom(model.graph.node[1])
    model.graph.node[2].output[0] = "z"
    model.graph.output.add().CopyFrom(helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 128]))
    model.graph.node[1 + first].metadata_props.add(key="com.microsoft.accuracy_level", value="4")
    x = RNG.standard_normal((9, 256)).astype(np.float32)
    outputs = session(model).run(None, {"x": x})
    np.testing.assert_allclose(outputs[1 - first], x.astype(np.float64) @ wide, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(outputs[first], session(model, precision="int8").run(None, {"x": x})[0])


def test_nothing_is_rounded_unless_asked_for():
    model, wide = stored()
    x = RNG.standard_normal((9, 256)).astype(np.float32)
    assert norn.SessionOptions().precision == "model"
    for options in ({}, {"precision": "float32"}, {"precision": "bfloat16"}):  # which is not for stored integers
        got = session(model, **options).run(None, {"x": x})[0]
        np.testing.assert_allclose(got, x.astype(np.float64) @ wide, rtol=1e-4, atol=1e-4)


def test_names():
    options = norn.SessionOptions(precision="int8")
    assert options.precision == "int8" and 'precision="int8"' in repr(options)
    for name in ("model", "float32", "bfloat16", "int8"):
        options.precision = name
        assert options.precision == name
    with pytest.raises(norn.Error, match="there is no precision"):
        options.precision = "fp8"
    with pytest.raises(norn.Error, match="there is no precision"):
        norn.SessionOptions(precision="float16")
