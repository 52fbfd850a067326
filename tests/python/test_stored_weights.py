"""Products whose weights are stored in few bits: read as they are stored where a kernel can, with the answers that
widening them first gives. The truth is numpy, in double."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

import norn

FLOAT, FLOAT16, BFLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16
K, N = 160, 120
INTEGERS = {
    TensorProto.INT4: (-8, 7),
    TensorProto.UINT4: (0, 15),
    TensorProto.INT8: (-128, 127),
    TensorProto.UINT8: (0, 255),
    TensorProto.INT2: (-2, 1),
    TensorProto.UINT2: (0, 3),
}
NARROW = {
    TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
    TensorProto.FLOAT4E2M1: ml_dtypes.float4_e2m1fn,
}
HALF = {FLOAT16: np.float16, BFLOAT16: ml_dtypes.bfloat16}
STORED = "simd-stored"


def rng():
    return np.random.default_rng(5)


def packed(values, bits):
    """Rows of elements of `bits` bits as ONNX stores them, in whole bytes."""
    flat = values.reshape(-1).astype(np.int64) & ((1 << bits) - 1)
    each = 8 // bits
    flat = np.concatenate([flat, np.zeros(-len(flat) % each, np.int64)]).reshape(-1, each)
    return (flat << (np.arange(each) * bits)).sum(1).astype(np.uint8).tobytes()


def tensor(name, elem, values):
    """`values` are the elements' numbers, or bits of narrow floats."""
    bits = {TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.INT2: 2,
            TensorProto.UINT2: 2}.get(elem, 8)  # fmt: skip
    raw = packed(values, bits) if bits < 8 else values.astype(values.dtype).tobytes()
    return helper.make_tensor(name, elem, values.shape, raw, raw=True)


def integers(elem, shape, seed=1):
    low, high = INTEGERS[elem]
    return np.random.default_rng(seed).integers(low, high + 1, shape).astype(np.int8 if low < 0 else np.uint8)


def floats(shape, low=-1.0, high=1.0, seed=2):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def spread(scale, shape, axis, block):
    """The scale, or zero point, of every element."""
    if scale.size == 1:
        return np.broadcast_to(scale.reshape(()), shape)
    if scale.ndim == 1:
        return np.broadcast_to(scale.reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape)
    return np.repeat(scale, block, axis)[tuple(slice(d) for d in shape)]


def model(nodes, initializers, outputs=("y",), rank=2, elem=FLOAT, opset=25, x=("M", K)):
    x_info = [helper.make_tensor_value_info("x", elem, list(x))]
    y_info = [helper.make_tensor_value_info(o, elem, [None] * rank) for o in outputs]
    graph = helper.make_graph(nodes, "g", x_info, y_info, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=13)


def session_of(proto, **options):
    return norn.InferenceSession(proto.SerializeToString(), norn.SessionOptions(verify_passes=True, **options))


def check(proto, want, rows=(1, 2, 3, 4, 7, 40, 0), stored=1, tolerance=1e-5, dtype=np.float32, lead=()):
    """`want` takes x in double. `stored`: how many products read their weights as they are stored."""
    session = session_of(proto)
    for m in rows:
        x = floats((*lead, m, K), seed=m).astype(dtype)
        wanted = want(x.astype(np.float64))
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for s in (session, session_of(proto, disabled_passes=["all"]), session_of(proto, intra_op_num_threads=1)):
            for got, w in zip(s.run(None, {"x": x}), wanted, strict=True):
                assert got.shape == w.shape
                size = np.abs(w).max() + 1 if w.size else 1
                np.testing.assert_allclose(got.astype(np.float64), w, rtol=0, atol=tolerance * size)
    assert session.explain({"x": floats((*lead, 1, K)).astype(dtype)}).count(f"  {STORED}  ") == stored


def dequantize(w, s, *zero, out="d", **attributes):
    return helper.make_node("DequantizeLinear", [w, s, *zero], [out], **attributes)


@pytest.mark.parametrize("elem", INTEGERS)
@pytest.mark.parametrize("transposed", ["no", "transpose", "gemm"])
@pytest.mark.parametrize("scales", ["tensor", "columns", "blocks"])
def test_integers(elem, transposed, scales):
    shape = (K, N) if transposed == "no" else (N, K)
    along_k = shape.index(K)
    scale_shape, attributes = {
        "tensor": ((), {}),
        "columns": ((N,), {"axis": 1 - along_k}),
        "blocks": (tuple(-(-d // 32) if d == K else d for d in shape), {"axis": along_k, "block_size": 32}),
    }[scales]
    w, scale = integers(elem, shape), floats(scale_shape, 0.01, 0.1)
    for with_zeros in (False, True):
        zeros = integers(elem, scale_shape, 3)
        initializers = [tensor("w", elem, w), helper.make_tensor("s", FLOAT, scale_shape, scale.reshape(-1))]
        if with_zeros:
            initializers.append(tensor("z", elem, zeros))
        nodes = [dequantize("w", "s", *["z"] * with_zeros, **attributes)]
        axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
        wide = w.astype(np.float64) - (spread(zeros, shape, axis, block) if with_zeros else 0)
        wide = wide * spread(scale, shape, axis, block).astype(np.float64)
        if transposed == "transpose":
            nodes.append(helper.make_node("Transpose", ["d"], ["t"], perm=[1, 0]))
        if transposed == "gemm":
            nodes.append(helper.make_node("Gemm", ["x", "d"], ["y"], transB=1, alpha=0.5))
            check(model(nodes, initializers), lambda x, wide=wide: 0.5 * (x @ wide.T))
        else:
            nodes.append(helper.make_node("MatMul", ["x", "t" if transposed == "transpose" else "d"], ["y"]))
            wide = wide if transposed == "no" else wide.T
            check(model(nodes, initializers), lambda x, wide=wide: x @ wide)


@pytest.mark.parametrize("elem", NARROW)
def test_narrow_floats(elem):
    w = floats((K, N), -3, 3).astype(NARROW[elem])
    scale = floats((N,), 0.1, 0.5)
    initializers = [tensor("w", elem, w.view(np.uint8)), helper.make_tensor("s", FLOAT, (N,), scale)]
    nodes = [dequantize("w", "s", axis=1), helper.make_node("MatMul", ["x", "d"], ["y"])]
    check(model(nodes, initializers), lambda x: x @ (w.astype(np.float64) * scale))


@pytest.mark.parametrize("elem", HALF)
def test_half_weights(elem):
    w = floats((K, N)).astype(HALF[elem])
    initializers = [helper.make_tensor("w", elem, w.shape, w.tobytes(), raw=True)]
    wide = w.astype(np.float64)
    # Behind a Cast, of float.
    nodes = [helper.make_node("Cast", ["w"], ["c"], to=FLOAT), helper.make_node("MatMul", ["x", "c"], ["y"])]
    check(model(nodes, initializers), lambda x: x @ wide)
    # The product itself of half precision.
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    check(model(nodes, initializers, elem=elem), lambda x: x @ wide, tolerance=1e-2, dtype=HALF[elem])
    nodes = [helper.make_node("Gemm", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    check(model(nodes, initializers, elem=elem), lambda x: np.maximum(x @ wide, 0), tolerance=1e-2, dtype=HALF[elem])


def test_half_scales():
    w, scale = integers(TensorProto.UINT4, (N, K)), floats((N, K // 32), 0.01, 0.1).astype(np.float16)
    initializers = [tensor("w", TensorProto.UINT4, w), helper.make_tensor("s", FLOAT16, scale.shape, scale.tobytes(), raw=True)]
    nodes = [dequantize("w", "s", axis=1, block_size=32), helper.make_node("Transpose", ["d"], ["t"]),
             helper.make_node("MatMul", ["x", "t"], ["y"])]  # fmt: skip
    wide = w * np.repeat(scale.astype(np.float64), 32, 1)
    check(model(nodes, initializers, elem=FLOAT16), lambda x: x @ wide.T, tolerance=1e-2, dtype=np.float16)
    cast = [*nodes[:2], helper.make_node("Cast", ["t"], ["c"], to=FLOAT), helper.make_node("MatMul", ["x", "c"], ["y"])]
    check(model(cast, initializers), lambda x: x @ wide.T, tolerance=1e-3)


def four_bits():
    w, scale = integers(TensorProto.INT4, (K, N)), floats((K // 32, N), 0.01, 0.1)
    initializers = [tensor("w", TensorProto.INT4, w), helper.make_tensor("s", FLOAT, scale.shape, scale.reshape(-1))]
    return initializers, w * np.repeat(scale.astype(np.float64), 32, 0)


def test_what_follows_is_fused():
    initializers, wide = four_bits()
    bias = floats((N,))
    initializers.append(helper.make_tensor("b", FLOAT, (N,), bias))
    nodes = [dequantize("w", "s", axis=0, block_size=32), helper.make_node("MatMul", ["x", "d"], ["p"]),
             helper.make_node("Add", ["b", "p"], ["q"]), helper.make_node("Relu", ["q"], ["r"]),
             helper.make_node("Mul", ["r", "r2"], ["y"])]  # fmt: skip
    initializers.append(helper.make_tensor("r2", FLOAT, (1,), [2.0]))
    proto = model(nodes, initializers)
    check(proto, lambda x: 2 * np.maximum(x @ wide + bias, 0))
    assert "DequantizeLinear+MatMul+Add+Relu+Mul" in session_of(proto).explain({"x": floats((1, K))})


def test_more_dimensions():
    initializers, wide = four_bits()
    nodes = [dequantize("w", "s", axis=0, block_size=32), helper.make_node("MatMul", ["x", "d"], ["y"])]
    check(model(nodes, initializers, rank=3, x=(2, "M", K)), lambda x: x @ wide, lead=(2,))


@pytest.mark.parametrize("products,other", [*itertools.product([1, 2, 3], [False, True])])
def test_several_readers(products, other):
    initializers, wide = four_bits()
    nodes = [dequantize("w", "s", axis=0, block_size=32)]
    outputs = [f"y{i}" for i in range(products)]
    nodes += [helper.make_node("Neg", ["x"], ["x1"]), helper.make_node("Abs", ["x"], ["x2"])]
    nodes += [helper.make_node("MatMul", [left, "d"], [o]) for left, o in zip(["x", "x1", "x2"], outputs, strict=False)]
    if other:
        nodes.append(helper.make_node("Neg", ["d"], ["n"]))
        outputs.append("n")
    want = [lambda x: x @ wide, lambda x: -x @ wide, lambda x: abs(x) @ wide][:products] + [lambda x: -wide] * other
    check(model(nodes, initializers, outputs), lambda x: tuple(f(x) for f in want), stored=products)


def test_what_does_not_fit_is_computed_ahead():
    """Scales along K, the left factor, both factors, a product that is read transposed twice."""
    initializers, wide = four_bits()
    along_k = helper.make_tensor("k", FLOAT, (K,), floats((K,), 0.1, 0.2))
    scale = floats((K,), 0.1, 0.2).astype(np.float64)[:, None]
    raw = integers(TensorProto.INT4, (K, N)).astype(np.float64)
    nodes = [dequantize("w", "k", axis=0), helper.make_node("MatMul", ["x", "d"], ["y"])]
    check(model(nodes, [initializers[0], along_k]), lambda x: x @ (raw * scale), stored=0)
    nodes = [dequantize("w", "s", axis=0, block_size=32), helper.make_node("Transpose", ["x"], ["t"]),
             helper.make_node("Transpose", ["d"], ["e"]), helper.make_node("MatMul", ["e", "t"], ["y"])]  # fmt: skip
    check(model(nodes, initializers), lambda x: wide.T @ x.T, stored=0)
    nodes = [dequantize("w", "s", axis=0, block_size=32), helper.make_node("Transpose", ["d"], ["e"]),
             helper.make_node("MatMul", ["d", "e"], ["f"]), helper.make_node("MatMul", ["x", "f"], ["y"])]  # fmt: skip
    check(model(nodes, initializers), lambda x: x @ (wide @ wide.T), stored=0)


def test_infinities_and_nan():
    initializers, wide = four_bits()
    nodes = [dequantize("w", "s", axis=0, block_size=32), helper.make_node("MatMul", ["x", "d"], ["y"])]
    session = session_of(model(nodes, initializers))
    plain = session_of(model(nodes, initializers), reference_only=True)
    for m in (1, 30):
        x = floats((m, K))
        x[0, 3], x[-1, 70] = np.inf, np.nan
        np.testing.assert_allclose(session.run(None, {"x": x})[0], plain.run(None, {"x": x})[0], rtol=1e-3, atol=1e-3)


def test_it_is_written_as_it_was():
    initializers, wide = four_bits()
    nodes = [dequantize("w", "s", axis=0, block_size=32), helper.make_node("MatMul", ["x", "d"], ["y"])]
    text = session_of(model(nodes, initializers)).program_text()
    assert text.index("int4[160,120] w") < text.index("DequantizeLinear") < text.index("MatMul")


@pytest.mark.parametrize("elem", [TensorProto.INT4, TensorProto.UINT8])
@pytest.mark.parametrize("scales", ["tensor", "columns", "rows", "blocks", "blocks of rows"])
@pytest.mark.parametrize("index_shape", [(), (3,), (2, 5), (0,)])
def test_embeddings(elem, scales, index_shape):
    rows, width = 300, 96
    scale_shape, attributes = {
        "tensor": ((), {}),
        "columns": ((width,), {"axis": 1}),
        "rows": ((rows,), {"axis": -2}),
        "blocks": ((rows, width // 32), {"axis": 1, "block_size": 32}),
        "blocks of rows": ((rows // 30, width), {"axis": 0, "block_size": 30}),
    }[scales]
    w, scale = integers(elem, (rows, width)), floats(scale_shape, 0.01, 0.1)
    zeros = integers(elem, scale_shape, 3)
    initializers = [tensor("w", elem, w), helper.make_tensor("s", FLOAT, scale_shape, scale.reshape(-1)),
                    tensor("z", elem, zeros)]  # fmt: skip
    axis, block = attributes.get("axis", 1) % 2, attributes.get("block_size", 0)
    wide = (w.astype(np.float64) - spread(zeros, w.shape, axis, block)) * spread(scale, w.shape, axis, block)
    nodes = [dequantize("w", "s", "z", **attributes), helper.make_node("Gather", ["d", "x"], ["y"])]
    proto = model(nodes, initializers, rank=len(index_shape) + 1, x=index_shape)
    proto.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64
    x = rng().integers(-rows, rows, index_shape)
    for options in ({}, {"disabled_passes": ["all"]}, {"reference_only": True}):
        session = session_of(proto, **options)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], wide[x].astype(np.float32), rtol=1e-6)
    text = session_of(proto).program_text()
    assert ("Gather" in text.split("DequantizeLinear")[0] and "DequantizeLinear" in text) == (scales != "blocks of rows")
    out_of_range = np.full(index_shape, rows)
    if out_of_range.size:
        with pytest.raises(norn.Error):
            session_of(proto).run(None, {"x": out_of_range})


def test_embedding_of_halves_that_a_product_shares():
    """The first and the last operation of a language model often share a matrix."""
    w = floats((N, K)).astype(np.float16)
    initializers = [helper.make_tensor("w", FLOAT16, w.shape, w.tobytes(), raw=True),
                    helper.make_tensor("i", TensorProto.INT64, (2,), [5, 7])]  # fmt: skip
    nodes = [helper.make_node("Cast", ["w"], ["c"], to=FLOAT), helper.make_node("Gather", ["c", "i"], ["e"]),
             helper.make_node("Transpose", ["c"], ["t"]), helper.make_node("MatMul", ["x", "t"], ["y"])]  # fmt: skip
    wide = w.astype(np.float64)
    check(model(nodes, initializers, ["y", "e"]), lambda x: (x @ wide.T, wide[[5, 7]]))
