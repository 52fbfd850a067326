"""Models with QuantizeLinear and DequantizeLinear around what they compute: with the passes that compute in integers,
the answers are those of the operations one by one, or their neighbours, and with fewer instructions the same bits."""

import os
import subprocess
import sys

import numpy as np
import onnx.parser
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import norn

PASSES = ["fuse_qdq", "fuse_quantized"]
HEADER = '<ir_version: 10, opset_import: ["": 21]>\n'


def constant(name, value):
    return numpy_helper.from_array(np.asarray(value), name)


def model(text, **constants):
    m = onnx.parser.parse_model(HEADER + text)
    m.graph.initializer.extend(constant(k, v) for k, v in constants.items())
    return m


def explained(m, feeds, disabled=()):
    session = norn.InferenceSession(m.SerializeToString(), norn.SessionOptions(disabled_passes=list(disabled)))
    return session, session.run(None, feeds)


def one_by_one(m, feeds):
    """What the model says, each operation rounded to its type."""
    return explained(m, feeds, ["all"])[1]


def rng(seed):
    return np.random.default_rng(seed)


def int8(seed, *shape):
    return rng(seed).integers(-128, 128, shape).astype(np.int8)


def floats(seed, *shape):
    return rng(seed).uniform(-3, 3, shape).astype(np.float32)


Q = {"sx": np.float32(0.03), "zx": np.uint8(117), "sy": np.float32(0.21), "zy": np.uint8(0)}
CONV = {
    **Q,
    "w": int8(1, 8, 4, 3, 3),
    "sw": rng(2).uniform(0.002, 0.01, 8).astype(np.float32),
    "zw": np.zeros(8, np.int8),
    "b": rng(3).integers(-3000, 3000, 8).astype(np.int32),
}
CONV["sb"] = CONV["sx"] * CONV["sw"]
DEPTHWISE = {
    **Q,
    "w": int8(7, 4, 1, 3, 3),
    "sw": rng(2).uniform(0.002, 0.01, 4).astype(np.float32),
    "zw": np.zeros(4, np.int8),
    "b": rng(3).integers(-3000, 3000, 4).astype(np.int32),
}
DEPTHWISE["sb"] = DEPTHWISE["sx"] * DEPTHWISE["sw"]
IN = "q = QuantizeLinear(x, sx, zx) d = DequantizeLinear(q, sx, zx) "
WEIGHTS = "wd = DequantizeLinear<axis = 0>(w, sw, zw) bd = DequantizeLinear<axis = 0>(b, sb) "
X4 = {"x": floats(9, 2, 4, 9, 7)}
UP = {
    **Q,
    "w": int8(11, 4, 5, 4, 2),
    "sw": rng(2).uniform(0.002, 0.01, 5).astype(np.float32),
    "zw": np.zeros(5, np.int8),
    "b": rng(3).integers(-3000, 3000, 5).astype(np.int32),
}
UP["sb"] = UP["sx"] * UP["sw"]
MAT = {
    **Q,
    "w": int8(4, 20, 12),
    "sw": rng(5).uniform(0.002, 0.01, 12).astype(np.float32),
    "zw": np.zeros(12, np.int8),
    "b": floats(6, 12),
}
X2 = {"x": floats(10, 5, 20)}

CASES = {
    "conv": (
        "agraph (float[N, 4, H, W] x) => (float[N, 8, A, B] y) {" + IN + WEIGHTS +
        "c = Conv<pads = [1, 1, 0, 1], strides = [2, 1]>(d, wd, bd) p = QuantizeLinear(c, sy, zy)"
        "y = DequantizeLinear(p, sy, zy) }", CONV, X4),
    "conv, relu": (
        "agraph (float[N, 4, H, W] x) => (float[N, 8, A, B] y) {" + IN + WEIGHTS +
        "c = Conv(d, wd, bd) r = Relu(c) p = QuantizeLinear(r, sy, zx) y = DequantizeLinear(p, sy, zx) }", CONV, X4),
    "conv, clip": (
        "agraph (float[N, 4, H, W] x) => (float[N, 8, A, B] y) {" + IN + WEIGHTS +
        "lo = Constant<value_float = -1.3>() hi = Constant<value_float = 2.7>()"
        "c = Conv(d, wd, bd) r = Clip(c, lo, hi) p = QuantizeLinear(r, sy, zx) y = DequantizeLinear(p, sy, zx) }",
        CONV, X4),
    "residual": (
        "agraph (float[N, 4, H, W] x) => (uint8[N, 8, A, B] y) {" + IN + WEIGHTS +
        "c = Conv(d, wd, bd) p = QuantizeLinear(c, sy, zx) pd = DequantizeLinear(p, sy, zx)"
        "c2 = Conv(d, wd) p2 = QuantizeLinear(c2, sx, zx) pd2 = DequantizeLinear(p2, sx, zx)"
        "s = Add(pd, pd2) r = Relu(s) y = QuantizeLinear(r, sy, zy) }", CONV, X4),
    "moved": (
        "agraph (float[N, 4, H, W] x) => (float[A, B, 4, N] y, float[N, 8, C, D] z) {" + IN +
        "m = MaxPool<kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]>(d) p = QuantizeLinear(m, sx, zx)"
        "e = DequantizeLinear(p, sx, zx) y = Transpose<perm = [3, 2, 1, 0]>(e) "
        "t = Concat<axis = 1>(e, m) k = Constant<value_ints = [0, 0, 1, 0, 0, 0, 0, 2]>() z = Pad(t, k) }", CONV, X4),
    "chain": (
        "agraph (float[N, 4, H, W] x) => (uint8[N, 4, H, W] y) {" + IN +
        "s = Sigmoid(d) m = Mul(d, s) y = QuantizeLinear(m, sy, zx) }", CONV, X4),
    "depthwise": (
        "agraph (float[N, 4, H, W] x) => (float[N, 4, A, B] y) {" + IN +
        "wd = DequantizeLinear<axis = 0>(w, sw, zw) bd = DequantizeLinear<axis = 0>(b, sb)"
        "c = Conv<group = 4, pads = [1, 1, 0, 1], strides = [2, 1]>(d, wd, bd) p = QuantizeLinear(c, sy, zx)"
        "y = DequantizeLinear(p, sy, zx) }", DEPTHWISE, X4),
    "transposed": (
        "agraph (float[N, 4, H, W] x) => (float[N, 5, A, B] y) {" + IN +
        "wd = DequantizeLinear<axis = 1>(w, sw, zw) bd = DequantizeLinear<axis = 0>(b, sb)"
        "c = ConvTranspose<strides = [2, 2], pads = [1, 0, 1, 0]>(d, wd, bd) r = Relu(c) p = QuantizeLinear(r, sy, zx)"
        "y = DequantizeLinear(p, sy, zx) }", UP, X4),
    "mean": (
        "agraph (float[N, 4, H, W] x) => (float[N, 8, 1, 1] y) {" + IN + WEIGHTS +
        "c = Conv(d, wd, bd) p = QuantizeLinear(c, sy, zx) e = DequantizeLinear(p, sy, zx)"
        "y = GlobalAveragePool(e) }", CONV, X4),
    "chain, quantized in between": (
        "agraph (float[N, 4, H, W] x) => (uint8[N, 4, H, W] y, uint8[N, 4, H, W] z) {" + IN +
        "s = HardSigmoid(d) p = QuantizeLinear(s, sx, zy) e = DequantizeLinear(p, sx, zy)"
        "m = Mul(d, e) y = QuantizeLinear(m, sy, zx) f = DequantizeLinear(y, sy, zx)"
        "t = Tanh(f) u = Add(t, sx) z = QuantizeLinear(u, sx, zx) }", CONV, X4),
    "matmul": (
        "agraph (float[M, 20] x) => (uint8[M, 12] y) {" + IN +
        "wd = DequantizeLinear<axis = 1>(w, sw, zw) m = MatMul(d, wd) y = QuantizeLinear(m, sy, zy) }", MAT, X2),
    "matmul, not quantized": (
        "agraph (float[M, 20] x) => (float[M, 12] y) {" + IN +
        "wd = DequantizeLinear<axis = 1>(w, sw, zw) m = MatMul(d, wd) y = Add(m, b) }", MAT, X2),
    "gemm": (
        "agraph (float[M, 20] x) => (uint8[M, 12] y) {" + IN +
        "wd = DequantizeLinear<axis = 1>(w, sw, zw) t = Transpose(wd) m = Gemm<transB = 1>(d, t, b) r = Relu(m)"
        "y = QuantizeLinear(r, sy, zx) }", MAT, X2),
    "two activations": (
        "agraph (float[M, 20] x) => (uint8[M, M] y) {" + IN +
        "t = Transpose(d) m = MatMul(d, t) y = QuantizeLinear(m, sy, zx) }", MAT, X2),
    "dynamic": (
        "agraph (float[M, 20] x) => (float[M, 12] y) { q, s, z = DynamicQuantizeLinear(x) zero = Constant<value = int8[1] {0}>()"
        "i = MatMulInteger(q, w, z, zero) f = Cast<to = 1>(i) t = Mul(s, sx) m = Mul(f, t) y = Add(m, b) }", MAT, X2),
}


def same(got, want):
    for a, b in zip(got, want, strict=True):
        if a.dtype == np.float32:
            step = 0.2101  # a quantum of the results
            np.testing.assert_allclose(a, b, atol=step, rtol=1e-4)
        else:
            off = np.abs(a.astype(int) - b.astype(int))
            assert off.max(initial=0) <= 1
            assert (off > 0).mean() < 0.05


@pytest.mark.parametrize("name", CASES)
def test_as_one_by_one(name):
    text, constants, feeds = CASES[name]
    used = {k: v for k, v in constants.items() if k in text.replace("(", " ").replace(",", " ").replace(")", " ").split()}
    m = model(text, **used)
    want = one_by_one(m, feeds)
    same(want, ReferenceEvaluator(m).run(None, feeds))
    for disabled in ([], ["fuse_qdq"], ["fuse_quantized"], ["fold_constants"], PASSES):
        same(explained(m, feeds, disabled)[1], want)
    empty = {k: v[:0] for k, v in feeds.items()}
    if name not in ("two activations", "dynamic"):
        for a, b in zip(explained(m, empty)[1], one_by_one(m, empty), strict=True):
            assert a.shape == b.shape



@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_tables_have_the_bits_of_reference_kernels(kind):
    """Every integer, through operations that dequantize and quantize in between."""
    m = model(
        f"agraph ({np.dtype(kind).name}[N, 1, 16, 16] q) => ({np.dtype(kind).name}[N, 1, 16, 16] y) {{"
        "d = DequantizeLinear(q, sx, zx) s = Sigmoid(d) p = QuantizeLinear(s, sp, zp) e = DequantizeLinear(p, sp, zp)"
        "m = Mul(d, e) r = Erf(m) y = QuantizeLinear(r, sy, zx) }",
        sx=np.float32(0.031), zx=kind(117), sp=np.float32(1 / 255), zp=np.uint8(0), sy=np.float32(0.011),
    )  # fmt: skip
    x = {"q": np.arange(512).astype(kind).reshape(2, 1, 16, 16)}
    session = norn.InferenceSession(m.SerializeToString())
    reference = norn.InferenceSession(m.SerializeToString(), norn.SessionOptions(reference_only=True))
    assert "table" in session.explain(x)
    np.testing.assert_array_equal(session.run(None, x)[0], reference.run(None, x)[0])


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_scales_that_runs_bring_are_joined_as_well(kind):
    """Whatever they are: as the reference kernels have it."""
    t = np.dtype(kind).name
    m = model(
        f"agraph ({t}[300] a, {t}[300] b, float sa, float sb, float[1] sy, {t} za, {t} zy) => ({t}[300] y) {{"
        "c = DequantizeLinear(a, sa, za) d = DequantizeLinear(b, sb) e = Add(c, d) f = Mul(e, c) r = Relu(f)"
        "y = QuantizeLinear(r, sy, zy) }"
    )
    session = norn.InferenceSession(m.SerializeToString())
    reference = norn.InferenceSession(m.SerializeToString(), norn.SessionOptions(reference_only=True))
    bytes_of = np.arange(300)
    feeds = {"a": bytes_of.astype(kind), "b": (bytes_of * 7).astype(kind), "za": kind(3), "zy": kind(100)}
    for sa in (0.1, 0.0, -0.5, np.inf, np.nan, 1e-41):
        for sb in (0.2, -0.1, 3e38):
            for sy in (0.07, 0.0, -0.3, np.inf, np.nan, 1e-41, 3e38):
                given = feeds | {"sa": np.float32(sa), "sb": np.float32(sb), "sy": np.float32([sy])}
                np.testing.assert_array_equal(session.run(None, given)[0], reference.run(None, given)[0], str((sa, sb, sy)))
    assert "Add+Mul+Relu+QuantizeLinear  simd" in session.explain(given)


def test_without_dot_products_of_bytes():
    """The same bits where oneDNN has no instructions that sum exactly."""
    code = """
import sys, numpy as np, onnx.parser, norn
sys.path.insert(0, sys.argv[1])
import test_quantized as t
for name, (text, constants, feeds) in t.CASES.items():
    used = {k: v for k, v in constants.items() if k in text.replace("(", " ").replace(",", " ").replace(")", " ").split()}
    for y in t.explained(t.model(text, **used), feeds)[1]:
        sys.stdout.write(name + " " + y.tobytes().hex() + "\\n")
"""
    outputs = set()
    for isa in (None, "AVX512_CORE", "AVX2"):
        env = dict(os.environ)
        if isa:
            env["ONEDNN_MAX_CPU_ISA"] = isa
        folder = os.path.dirname(os.path.abspath(__file__))
        run = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, env=env, check=True)
        lines = run.stdout.splitlines()
        assert len(lines) > len(CASES) - 1
        outputs.add("\n".join(line for line in lines if not line.startswith("dynamic")))
    assert len(outputs) == 1


def test_sums_beyond_32_bits_stay_real():
    """A bias near the end of int32, and a deep product of large bytes, without quantization behind."""
    text = """g (uint8[1, 16] x) => (y) {
        a = DequantizeLinear(x, s, z) b = DequantizeLinear(w, s) c = DequantizeLinear(h, ss) y = Gemm(a, b, c) }"""
    s = np.float32(0.01)
    shallow = model(text, s=s, z=np.uint8(0), w=np.full((16, 4), 127, np.int8), h=np.full(4, 2147483000, np.int32), ss=s * s)
    deep = model(
        "g (uint8[1, 66000] x) => (y) { a = DequantizeLinear(x, s, z) b = DequantizeLinear(w, s, z) y = MatMul(a, b) }",
        s=s, z=np.uint8(0), w=np.full((66000, 4), 255, np.uint8),
    )  # fmt: skip
    for m, x in ((shallow, np.full((1, 16), 200, np.uint8)), (deep, np.full((1, 66000), 255, np.uint8))):
        _, got = explained(m, {"x": x})
        np.testing.assert_allclose(got[0], one_by_one(m, {"x": x})[0], rtol=1e-3)  # of 66,000 terms of one sign


# What stands behind DequantizeLinear, whose scale is of the one block that its input is.
BEHIND_ONE_BLOCK = {
    "transpose": "y = Transpose<perm = [1, 0]>(d)",
    "reshape": "s = Constant<value_ints = [3]>() y = Reshape(d, s)",
    "slice": "a = Constant<value_ints = [1]>() b = Constant<value_ints = [3]>() y = Slice(d, a, b)",
    "concat": "e = DequantizeLinear<axis = 0, block_size = 3>(x, s1, z1) y = Concat<axis = 0>(d, e)",
    "gather": "a = Constant<value_ints = [1, 2, 2]>() y = Gather(d, a)",
    "product": "w = DequantizeLinear(row, s0, z0) m = MatMul(d, w) q = QuantizeLinear(m, s0, z0) "
    "y = DequantizeLinear(q, s0, z0)",
    "quantized": "e = Relu(d) q = QuantizeLinear(e, s0, z0) y = DequantizeLinear(q, s0, z0)",
}


@pytest.mark.parametrize("constant_x", [False, True])
@pytest.mark.parametrize("name", BEHIND_ONE_BLOCK)
def test_a_scale_of_one_block_stays_with_its_block(name, constant_x):
    text = f"""agraph (int8[3, 1] x, float[N] unused) => (y) {{
        d = DequantizeLinear<axis = 0, block_size = 3>(x, s1, z1) {BEHIND_ONE_BLOCK[name]}
    }}"""
    if constant_x:
        text = text.replace("int8[3, 1] x, ", "")
    x = np.array([[1], [-7], [100]], np.int8)
    one = {"s1": np.full((1, 1), 0.5, np.float32), "z1": np.full((1, 1), 3, np.int8)}
    whole = {"s0": np.float32(0.25), "z0": np.int8(1), "row": np.array([[2, -3]], np.int8)}
    m = model(text, **one, **whole, **({"x": x} if constant_x else {}))
    feeds = {"unused": np.zeros(1, np.float32), **({} if constant_x else {"x": x})}
    np.testing.assert_array_equal(explained(m, feeds)[1][0], one_by_one(m, feeds)[0])


def near_the_end(seed, dtype, *shape):
    """Numbers near the greatest of the type, whose products' sums need many bits."""
    most = np.iinfo(dtype).max
    return rng(seed).integers(most - 20, most + 1, shape).astype(dtype)


@pytest.mark.parametrize(
    "x, w, constant_w",
    [
        (near_the_end(1, np.int8, 4, 1501), near_the_end(2, np.int8, 1501, 32), False),
        (near_the_end(1, np.int8, 4, 1501), near_the_end(2, np.int8, 1501, 32), True),
        (near_the_end(1, np.int8, 32, 2048), near_the_end(2, np.int8, 2048, 4), False),
        (near_the_end(1, np.uint8, 2, 1021), near_the_end(2, np.int8, 1021, 300), False),
        (near_the_end(1, np.int8, 2, 4, 2048), near_the_end(2, np.int8, 2, 2048, 32), True),
    ],
)
def test_long_sums_of_integers_are_exact(x, w, constant_w):
    xt, wt = ("uint8" if x.dtype == np.uint8 else "int8"), "int8"
    shapes = [",".join(map(str, a.shape)) for a in (x, w)]
    fed = "" if constant_w else f", {wt}[{shapes[1]}] w"
    m = model(
        f"g ({xt}[{shapes[0]}] x{fed}) => (y) {{ y = MatMulInteger(x, w) }}", **({"w": w} if constant_w else {})
    )
    feeds = {"x": x} if constant_w else {"x": x, "w": w}
    np.testing.assert_array_equal(explained(m, feeds)[1][0], x.astype(np.int64) @ w.astype(np.int64))


@pytest.mark.parametrize("channels, kernel", [(6, (13, 13)), (8, (33, 33))])
def test_long_sums_of_convolutions_are_exact(channels, kernel):
    x, w = near_the_end(1, np.int8, 1, channels, *kernel), near_the_end(2, np.int8, 16, channels, *kernel)
    m = model("g (int8[1,C,H,W] x) => (y) { y = ConvInteger(x, w) }", w=w)
    got = explained(m, {"x": x})[1][0]
    np.testing.assert_array_equal(got.ravel(), w.reshape(16, -1).astype(np.int64) @ x.ravel().astype(np.int64))


def test_eight_filters_of_eight_elements():
    x, w = int8(1, 1, 8, 4, 4, 4), rng(2).integers(1, 60, (8, 1, 2, 2, 2)).astype(np.int8)
    m = model("g (int8[1,8,4,4,4] x) => (y) { y = ConvInteger<group = 8>(x, w) }", w=w)
    windows = np.lib.stride_tricks.sliding_window_view(x[0].astype(np.int64), (2, 2, 2), (1, 2, 3))
    np.testing.assert_array_equal(
        explained(m, {"x": x})[1][0][0], np.einsum("czyxijk,cijk->czyx", windows, w[:, 0].astype(np.int64))
    )


@pytest.mark.parametrize("constant_w", [False, True])
@pytest.mark.parametrize("constant_b", [False, True])
def test_a_bias_that_wraps_around_does_so_before_it_is_quantized(constant_w, constant_b):
    w, b = int8(3, 8, 16), np.full(16, 2**31 - 1 - 1000, np.int32)
    scales = {"s": np.float32(1e-3), "ys": np.float32(20000), "yz": np.uint8(128)}
    given = {"w": ("int8[8,16]", w, constant_w), "b": ("int32[16]", b, constant_b)}
    fed = "".join(f", {text} {name}" for name, (text, _, is_constant) in given.items() if not is_constant)
    m = model(
        f"""g (uint8[4,8] x{fed}) => (y)
        {{ a = MatMulInteger(x, w) c = Add(a, b) f = Cast<to = 1>(c) r = Mul(f, s) y = QuantizeLinear(r, ys, yz) }}""",
        **scales,
        **{name: value for name, (_, value, is_constant) in given.items() if is_constant},
    )
    x = rng(4).integers(100, 256, (4, 8)).astype(np.uint8)
    feeds = {"x": x, **{name: value for name, (_, value, is_constant) in given.items() if not is_constant}}
    np.testing.assert_array_equal(explained(m, feeds)[1][0], one_by_one(m, feeds)[0])


def test_a_sum_of_zero_gives_the_zero_point_whatever_the_scales():
    m = model(
        """g (uint8[2,8] x, int8[8,16] w) => (y)
        { a = MatMulInteger(x, w, xz) f = Cast<to = 1>(a) r = Mul(f, s) y = QuantizeLinear(r, ys, yz) }""",
        xz=np.uint8(7),
        s=np.float32(3e38),
        ys=np.float32(1e-3),
        yz=np.uint8(100),
    )
    feeds = {"x": np.array([[7] * 8, [8] * 8], np.uint8), "w": np.ones((8, 16), np.int8)}
    np.testing.assert_array_equal(explained(m, feeds)[1][0], np.repeat([[100], [255]], 16, 1))


@pytest.mark.parametrize("op", ["Gemm", "Conv"])
@pytest.mark.parametrize("quantized", [False, True])
@pytest.mark.parametrize("kind", ["float", "int32"])
def test_a_bias_finer_than_the_sums_is_not_rounded_to_them(op, quantized, kind):
    x, w = np.array([[1, 2], [3, 0]], np.int8), np.array([[1, -1, 2], [0, 1, 1]], np.int8)
    bias = {"b": np.array([0.4, -0.45, 0.3], np.float32)}
    of_bias = ""
    if kind == "int32":
        bias, of_bias = {"bi": np.array([40, -45, 30], np.int32), "bs": np.float32(0.01)}, "b = DequantizeLinear(bi, bs)"
    if op == "Conv":
        x, w = x.reshape(2, 2, 1, 1), np.ascontiguousarray(w.T).reshape(3, 2, 1, 1)
    m = model(
        f"""g (int8[{",".join(map(str, x.shape))}] x) => ({"q" if quantized else "y"})
        {{ xf = DequantizeLinear(x, one) wf = DequantizeLinear(w, one) {of_bias} y = {op}(xf, wf, b)
        q = QuantizeLinear(y, step, zero) }}""",
        one=np.float32(1),
        step=np.float32(0.05),
        zero=np.int8(0),
        w=w,
        **bias,
    )
    feeds = {"x": x}
    np.testing.assert_allclose(explained(m, feeds)[1][0], one_by_one(m, feeds)[0], rtol=1e-6)


@pytest.mark.parametrize(
    "attributes", ["pads = [1, 1, 1, 1], dilations = [5, 5]", "pads = [2, 2, 2, 2], strides = [2, 2]"]
)
def test_a_window_of_padding_is_less_than_any_integer_stands_for(attributes):
    m = model(
        f"""g (uint8[1,1,4,4] x) => (q, y)
        {{ f = DequantizeLinear(x, s, z) y = MaxPool<kernel_shape = [2, 2], {attributes}>(f)
        q = QuantizeLinear(y, s2, z) }}""",
        s=np.float32(0.5),
        s2=np.float32(1),
        z=np.uint8(110),
    )
    feeds = {"x": np.arange(100, 116, dtype=np.uint8).reshape(1, 1, 4, 4)}
    for got, wanted in zip(explained(m, feeds)[1], one_by_one(m, feeds), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_what_overflows_when_dequantized_is_quantized_to_a_bound():
    m = model(
        "g (uint8[N] x) => (q) { f = DequantizeLinear(x, s, z) q = QuantizeLinear(f, s, z) }",
        s=np.float32(3e38),
        z=np.uint8(100),
    )
    feeds = {"x": np.array([0, 50, 99, 100, 101, 255], np.uint8)}
    np.testing.assert_array_equal(explained(m, feeds)[1][0], one_by_one(m, feeds)[0])


X3 = rng(12).integers(0, 256, (2, 3, 4)).astype(np.uint8)


@pytest.mark.parametrize(
    "op, chooses, wanted",
    [
        ("GatherElements<axis = -2>", np.array([[[2, 0, -1, 1]], [[0, 0, 2, -3]]]),
         lambda i: np.take_along_axis(X3, i % 3, 1)),
        ("GatherND", np.array([[1, 2], [-2, 0], [0, -1]]), lambda i: X3[tuple(i.T)]),
        ("Compress<axis = 1>", np.array([True, False, True]), lambda c: X3[:, c]),
        ("Gather<axis = 2>", np.array(-1), lambda i: X3[..., i]),
        ("ReverseSequence<batch_axis = 0, time_axis = 1>", np.array([3, 2]),
         lambda _: np.stack([X3[0, ::-1], X3[1, [1, 0, 2]]])),
        ("Tile", np.array([1, 2, 1]), lambda n: np.tile(X3, n)),
    ],
)  # fmt: skip
def test_what_only_moves_elements_moves_integers(op, chooses, wanted):
    m = model(
        f"""g (uint8[2,3,4] x) => (y)
        {{ f = DequantizeLinear(x, s, z) m = {op}(f, c) y = QuantizeLinear(m, s, z) }}""",
        s=np.float32(0.07),
        z=np.uint8(9),
        c=chooses,
    )
    session, (got,) = explained(m, {"x": X3})
    np.testing.assert_array_equal(got, wanted(chooses))
    ran = [o["op_type"] for step in session.explanation({"x": X3})["steps"] for o in step["operations"]]
    # What repeats elements would have more of them to dequantize where real ones are needed.
    assert ("DequantizeLinear" in ran) == (op == "Tile")


@pytest.mark.parametrize("axis", [1, -1])
def test_parts_of_a_concat_are_quantized_before_they_are_joined(axis):
    m = model(
        f"""g (uint8[2,3,4] a, int8[2,3,4] b, float[2,3,4] c) => (y)
        {{ da = DequantizeLinear(a, s1, z1) db = DequantizeLinear(b, s2, z2) da2 = DequantizeLinear(a, s3, z3)
        m = Concat<axis = {axis}>(da, db, c, da2) y = QuantizeLinear(m, s3, z3) }}""",
        s1=np.float32(0.07),
        z1=np.uint8(9),
        s2=np.float32(0.3),
        z2=np.int8(-5),
        s3=np.float32(0.11),
        z3=np.uint8(128),
    )
    c = np.linspace(-40, 40, 24, dtype=np.float32).reshape(2, 3, 4)
    c[0, 0, :3] = [np.nan, np.inf, -np.inf]
    feeds = {"a": X3, "b": int8(5, 2, 3, 4), "c": c}
    session, got = explained(m, feeds)
    np.testing.assert_array_equal(got[0], one_by_one(m, feeds)[0])
    steps = session.explanation(feeds)["steps"]
    (joined,) = [s for s in steps if [o["op_type"] for o in s["operations"]] == ["Concat"]]
    assert {value["type"] for value in joined["inputs"]} == {"uint8"}
    assert "table" in session.explain(feeds)


def test_a_concat_that_something_else_reads_stays_real():
    m = model(
        """g (uint8[2,3,4] a, float[2,3,4] c) => (y, m)
        { d = DequantizeLinear(a, s, z) m = Concat<axis = 0>(d, c) y = QuantizeLinear(m, s, z) }""",
        s=np.float32(0.07),
        z=np.uint8(9),
    )
    feeds = {"a": X3, "c": np.ones((2, 3, 4), np.float32)}
    for got, wanted in zip(explained(m, feeds)[1], one_by_one(m, feeds), strict=True):
        np.testing.assert_array_equal(got, wanted)


# Kernel, and what the node says beside it; whether the output is a whole number of blocks of the stride.
UPSAMPLING = [
    ((2, 2), "strides = [2, 2]", True),
    ((3, 2), "strides = [3, 2]", True),
    ((4, 4), "strides = [2, 2], pads = [1, 1, 1, 1]", True),
    ((3, 3), "strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 1]", True),
    ((3, 3), "strides = [2, 2], auto_pad = \"SAME_UPPER\"", True),
    ((3, 3), "strides = [2, 2], auto_pad = \"SAME_LOWER\"", True),
    ((3, 3), "strides = [1, 1], pads = [0, 1, 2, 0]", True),
    ((2, 2), "strides = [1, 2], dilations = [3, 1]", True),
    ((3, 2), "strides = [2, 2], dilations = [1, 1], output_padding = [1, 0]", True),
    ((16,), "strides = [8], pads = [4, 4]", True),
    ((2,), "strides = [2]", True),
    ((2, 2, 2), "strides = [2, 2, 2]", True),
    ((1, 3, 2), "strides = [1, 3, 2]", True),
    ((3, 3), "strides = [2, 2]", False),
    ((3, 3), "strides = [2, 2], pads = [1, 1, 1, 1]", False),
    ((2, 2), "strides = [2, 2], group = 2", False),
    ((2, 2), "strides = [2, 2], output_shape = [10, 6]", False),
    ((1, 1), "strides = [2, 2], output_padding = [1, 1]", False),
]


@pytest.mark.parametrize("kind, by_channel", [(np.int8, True), (np.uint8, False), (np.uint8, True)])
@pytest.mark.parametrize("kernel, attributes, in_blocks", UPSAMPLING)
def test_transposed_convolutions_of_integers(kernel, attributes, in_blocks, kind, by_channel):
    """Exact sums, by the definition of the operator, and rounded once."""
    channels, filters, rank = 8, 10, len(kernel)
    size = (5, 3, 4)[:rank]
    group = 2 if "group" in attributes else 1
    w = rng(5).integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, (channels, filters // group, *kernel)).astype(kind)
    scales = filters // group if by_channel else 1
    sw = (2.0 ** rng(6).integers(-9, -6, scales)).astype(np.float32)
    zw = (rng(7).integers(100, 140, scales) if kind == np.uint8 else np.zeros(scales)).astype(kind)
    b = rng(8).integers(-500, 500, filters).astype(np.int32)
    sx, zx, sy, zy = np.float32(0.125), np.uint8(131), np.float32(0.5), np.uint8(120)
    sb = sx * np.tile(np.broadcast_to(sw, filters // group), group)
    if not by_channel:
        sw, zw = sw[0], zw[0]
    dims = ", ".join(("H", "W", "D")[:rank])
    out = ", ".join(("A", "B", "C")[:rank])
    text = f"""g (uint8[N, {channels}, {dims}] x) => (uint8[N, {filters}, {out}] y) {{
        d = DequantizeLinear(x, sx, zx) wd = DequantizeLinear<axis = 1>(w, sw, zw) bd = DequantizeLinear<axis = 0>(b, sb)
        c = ConvTranspose<{attributes}>(d, wd, bd) y = QuantizeLinear(c, sy, zy) }}"""
    m = model(text, w=w, sw=sw, zw=zw, b=b, sb=sb, sx=sx, zx=zx, sy=sy, zy=zy)
    x = rng(9).integers(0, 256, (2, channels, *size)).astype(np.uint8)
    session = norn.InferenceSession(m.SerializeToString(), norn.SessionOptions(verify_passes=True))
    got = session.run(None, {"x": x})[0]
    # Numbers are multiples of powers of two, which doubles and even floats hold exactly.
    want = transposed_convolution(
        (x.astype(np.float64) - zx) * sx,
        (w - zw.astype(np.float64).reshape(-1, *[1] * rank)) * np.asarray(sw, np.float64).reshape(-1, *[1] * rank),
        b * sb.astype(np.float64), group, got.shape[2:], attributes,
    )  # fmt: skip
    np.testing.assert_array_equal(got, np.clip(np.rint(want / sy) + zy, 0, 255).astype(np.uint8))
    assert ("QLinearConv" in session.explain({"x": x})) == in_blocks
    if in_blocks:
        assert " simd " not in session.explain({"x": x})
    for shape in ((0, channels, *size), (1, channels, *[1] * rank)):
        small = {"x": x[: shape[0], :, *[slice(0, n) for n in shape[2:]]]}
        if "output_shape" in attributes:
            break
        np.testing.assert_array_equal(session.run(None, small)[0], one_by_one(m, small)[0])


@pytest.mark.parametrize("fed", [(), ("s1",), ("s2",), ("s1", "s2"), ("n",)])
def test_places_behind_a_convolution_whose_shapes_are_fed(fed):
    """What a run brings is not known when it is planned: then nothing is joined."""
    sizes = {"s1": np.array([2, 2, 2, 3, 3, 4], np.int64), "s2": np.array([2, 3, 6, 8], np.int64), "n": np.array([2], np.int64)}
    inputs = "".join(f", int64[{sizes[name].size}] {name}" for name in fed)
    joined = "s3 = Concat<axis = 0>(n, rest)" if "n" in fed else "s3 = Identity(s2)"
    m = model(
        f"""g (uint8[2,8,3,4] x{inputs}) => (uint8[A,B,C,D] y) {{
        q = QLinearConv(x, sx, zx, w, sw, zw, sy, zy) {joined}
        r = Reshape(q, s1) t = Transpose<perm = [0,3,4,1,5,2]>(r) y = Reshape(t, s3) }}""",
        w=int8(3, 12, 8, 1, 1), sx=np.float32(0.1), zx=np.uint8(3), sw=np.float32(0.1), zw=np.int8(0), sy=np.float32(1),
        zy=np.uint8(9), rest=sizes["s2"][1:], **{name: v for name, v in sizes.items() if name not in fed},
    )  # fmt: skip
    x = rng(11).integers(0, 256, (2, 8, 3, 4)).astype(np.uint8)
    feeds = {"x": x, **{name: sizes[name] for name in fed}}
    session = norn.InferenceSession(m.SerializeToString(), norn.SessionOptions(verify_passes=True))
    np.testing.assert_array_equal(session.run(None, feeds)[0], one_by_one(m, feeds)[0])


def test_places_behind_a_convolution_whose_shapes_many_nodes_compute():
    """There are 2^60 ways through them, and 100,000 nodes in a row."""
    start = "q = QLinearConv(x, sx, zx, w, sw, zw, sy, zy) n = Shape<start = 0, end = 1>(x) a0 = Shape<start = 2>(x)"
    end = """s1 = Concat<axis = 0>(n, two, eight, last) r = Reshape(q, s1) t = Transpose<perm = [0,3,4,1,5,2]>(r)
        d = Mul(last, two) s2 = Concat<axis = 0>(n, eight, d) y = Reshape(t, s2) }"""
    ladder = "".join(f" a{i + 1} = Add(a{i}, b{i}) b{i + 1} = Mul(a{i}, b{i})" for i in range(60))
    chain = "".join(f" a{i + 1} = Add(a{i}, zero)" for i in range(100_000))
    for nodes in (f"b0 = Add(a0, two){ladder} last = Add(a60, b60)", f"{chain} last = Identity(a100000)"):
        m = model(
            f"g (uint8[N,8,H,W] x) => (uint8[A,B,C,D] y) {{ {start} {nodes} {end}",
            w=int8(3, 32, 8, 1, 1), sx=np.float32(0.1), zx=np.uint8(3), sw=np.float32(0.1), zw=np.int8(0),
            sy=np.float32(1), zy=np.uint8(9), zero=np.int64([0, 0]), two=np.int64([2, 2]), eight=np.int64([8]),
        )  # fmt: skip
        assert norn.InferenceSession(m.SerializeToString()).get_outputs()[0].name == "y"


def test_a_transposed_convolution_whose_pads_leave_little_of_a_long_line():
    m = model(
        """g (uint8[1,8,N] x) => (uint8[1,9,M] y) { d = DequantizeLinear(x, s, z) wd = DequantizeLinear(w, s)
        c = ConvTranspose<pads = [600000, 600000]>(d, wd) y = QuantizeLinear(c, s, z) }""",
        w=int8(3, 8, 9, 2),
        s=np.float32(0.5),
        z=np.uint8(9),
    )
    feeds = {"x": rng(12).integers(0, 256, (1, 8, 1200010)).astype(np.uint8)}
    session = norn.InferenceSession(m.SerializeToString())
    assert session.run(None, feeds)[0].shape == (1, 9, 11)


def transposed_convolution(x, w, bias, group, out, attributes):
    """Each element of x times the kernel, added where it falls."""
    found = eval(f"dict({attributes})")  # noqa: S307
    rank = x.ndim - 2
    strides, dilations = found["strides"], found.get("dilations", [1] * rank)
    filters = w.shape[1]
    y = np.zeros((x.shape[0], filters * group, *out))
    total = [
        (n - 1) * s + (k - 1) * d + 1 + p - o
        for n, s, k, d, p, o in zip(
            x.shape[2:], strides, w.shape[2:], dilations, found.get("output_padding", [0] * rank), out, strict=True
        )
    ]
    begin = found.get("pads", [0] * rank)[:rank]
    if "output_shape" in found or found.get("auto_pad") == "SAME_LOWER":
        begin = [max(t, 0) - max(t, 0) // 2 for t in total]
    elif "auto_pad" in found:
        begin = [max(t, 0) // 2 for t in total]
    for at in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            to = [i * s + t * d - p for i, s, t, d, p in zip(at, strides, tap, dilations, begin, strict=True)]
            if not all(0 <= i < n for i, n in zip(to, out, strict=True)):
                continue
            for g in range(group):
                part = slice(g * x.shape[1] // group, (g + 1) * x.shape[1] // group)
                y[:, g * filters : (g + 1) * filters, *to] += x[:, part, *at] @ w[part, :, *tap]
    return y + bias.reshape(-1, *[1] * rank)
