"""Models in float16 and bfloat16 run in f32 and round at the end: their answers are those of the same model whose weights
and inputs are widened, and no operation is left to its reference kernel."""

import ml_dtypes
import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import pytest

import norn

HEAD = '<ir_version: 10, opset_import: ["": 22]>\n'
CNN = """agraph (T[N, 8, 9, 9] x, T[8, 8, 3, 3] w, T[8] b, T[8, 5] f) => (y, early) {
    c = Conv<pads = [1, 1, 1, 1]>(x, w, b) r = Relu(c) s = Add(r, x) early = Transpose<perm = [0, 2, 3, 1]>(s)
    p = MaxPool<kernel_shape = [3, 3], strides = [3, 3]>(s) a = GlobalAveragePool(p) l = Flatten(a) y = MatMul(l, f)
}"""
ATTENTION = """agraph (T[1, S, 4, 8] q, T[1, S, 4, 8] k, T[1, S, 4, 8] v, bool[S, S] mask) => (y) {
    qt = Transpose<perm = [0, 2, 1, 3]>(q) kt = Transpose<perm = [0, 2, 3, 1]>(k) vt = Transpose<perm = [0, 2, 1, 3]>(v)
    s = MatMul(qt, kt) g = Gelu(s) p = Softmax(g) o = MatMul(p, vt) ot = Transpose<perm = [0, 2, 1, 3]>(o)
    shape = Constant<value_ints = [1, -1, 32]>() y = Reshape(ot, shape)
}"""
BRANCH = """agraph (bool c, T[4] x) => (y) {
    a = Tanh(x)
    y = If(c) <then_branch = t () => (u) { u = Mul(a, x) }, else_branch = e () => (w) { w = Sub(a, x) }>
}"""
RECURRENT = """agraph (T[S, N, 5] x, T[2, 24, 5] w, T[2, 24, 6] r, T[1, 18, 12] v, T[1, 18, 6] u) => (c, last) {
    y, h, c = LSTM<direction = "bidirectional", hidden_size = 6>(x, w, r) t = Transpose<perm = [0, 2, 1, 3]>(y)
    shape = Constant<value_ints = [0, 0, 12]>() both = Reshape(t, shape) g, last = GRU<hidden_size = 6>(both, v, u)
}"""
SUMS = """agraph (T[4, 6] x, T[1, 3, 8, 8] i, T[1, 5, 5, 2] g, T[2, 4] r) => (c, n, s, a, u) {
    k = Constant<value_int = 1>() c = CumSum<reverse = 1>(x, k) n = LpNormalization<p = 1>(x) s = GridSample(i, g)
    b = Constant<value = int64[2] {0, 0}>() a = RoiAlign<output_height = 2, output_width = 3>(i, r, b)
    p, q = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(i)
    u = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(p, q)
}"""
MOVES = """agraph (T[4, 6] x, int64[4, 6] k, int64[3, 2] nd) => (a, b, c, d, e, f) {
    t = Tanh(x) ge = GatherElements<axis = 1>(t, k) a = Exp(ge) gn = GatherND(t, nd) b = Exp(gn)
    two = Constant<value_ints = [2, 1]>() ti = Tile(t, two) c = Exp(ti) tr = Trilu<upper = 0>(t) d = Exp(tr)
    s1, s2 = Split<axis = 1, num_outputs = 2>(t) s = Mul(s1, s2) e = Exp(s)
    u = ScatterElements<axis = 1>(t, k, a) f = Exp(u)
}"""
TYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SHAPES = {
    CNN: {"x": (2, 8, 9, 9), "w": (8, 8, 3, 3), "b": (8,), "f": (8, 5)},
    ATTENTION: dict.fromkeys("qkv", (1, 6, 4, 8)),
    BRANCH: {"x": (4,)},
    SUMS: {"x": (4, 6), "i": (1, 3, 8, 8), "g": (1, 5, 5, 2), "r": (2, 4)},
    MOVES: {"x": (4, 6)},
    RECURRENT: {"x": (7, 2, 5), "w": (2, 24, 5), "r": (2, 24, 6), "v": (1, 18, 12), "u": (1, 18, 6)},
}


def session(text, elem, **options):
    proto = onnx.parser.parse_model(HEAD + text.replace("T[", f"{elem}["))
    return norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True, **options))


def feeds_of(text, dtype):
    rng = np.random.default_rng(3)
    feeds = {name: rng.uniform(-1, 1, dims).astype(dtype) for name, dims in SHAPES[text].items()}
    if text == ATTENTION:
        feeds["mask"] = np.ones((6, 6), bool)
    if text == MOVES:
        feeds |= {"k": np.tile(rng.permutation(6), (4, 1)), "nd": rng.integers(-4, 4, (3, 2))}
    if text == BRANCH:
        feeds["c"] = np.array(True)
    return feeds


@pytest.mark.parametrize("elem", TYPES)
@pytest.mark.parametrize("text", SHAPES, ids=["cnn", "attention", "branch", "sums", "moves", "recurrent"])
def test_results_are_those_of_f32_rounded_once(text, elem):
    feeds = feeds_of(text, TYPES[elem])
    wide = {k: v.astype(np.float32) if v.dtype == TYPES[elem] else v for k, v in feeds.items()}
    half, single = session(text, elem), session(text, "float")
    for turn in range(2):
        for got, want in zip(half.run(None, feeds), single.run(None, wide), strict=True):
            assert got.dtype == TYPES[elem], turn
            if text == BRANCH:  # what a branch captures is rounded
                np.testing.assert_allclose(got.astype(np.float32), want, atol=2**-9 if elem == "float16" else 2**-6)
            else:  # the same kernels in the same order: the bits of what is rounded are the same
                np.testing.assert_array_equal(got, want.astype(TYPES[elem]))


@pytest.mark.parametrize("elem", TYPES)
def test_only_edges_are_cast(elem):
    explained = session(CNN, elem).explanation(feeds_of(CNN, TYPES[elem]))
    steps = [(step["operations"][0]["op_type"], step["kernel"]) for step in explained["steps"]]
    casts = [op for op, kernel in steps if op == "Cast"]
    assert len(casts) == 6, steps  # four inputs, two outputs
    assert not [op for op, kernel in steps if kernel == "reference"], steps


def test_what_moves_between_operations_is_not_cast():
    explained = session(MOVES, "float16").explanation(feeds_of(MOVES, np.float16))
    casts = [step for step in explained["steps"] if step["operations"][0]["op_type"] == "Cast"]
    assert len(casts) == 7  # an input and six outputs


@pytest.mark.parametrize("elem", TYPES)
def test_close_to_the_arithmetic_of_each_type(elem):
    feeds = feeds_of(CNN, TYPES[elem])
    plain = session(CNN, elem, disabled_passes=["widen_half"])
    for got, want in zip(session(CNN, elem).run(None, feeds), plain.run(None, feeds), strict=True):
        scale = 2**-10 if elem == "float16" else 2**-7
        np.testing.assert_allclose(got.astype(np.float32), want.astype(np.float32), rtol=8 * scale, atol=8 * scale)


def test_constants_are_widened_once():
    proto = onnx.parser.parse_model(HEAD + "agraph (float16[N, 4] x) => (y, z) { y = MatMul(x, w) z = Gemm(x, w) }")
    weights = np.arange(1, 9, dtype=np.float16).reshape(4, 2)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    made = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    y, z = made.run(None, {"x": np.ones((3, 4), np.float16)})
    assert y.tolist() == z.tolist() == [[16, 20]] * 3


def test_indices_are_rounded():
    text = """agraph (float16[3] x, float16[2] v) => (o) <float16[1] third = {13653}, int64 depth = {5}> {
        i = Mul(x, third) w = Mul(v, v) o = OneHot(i, depth, w) }"""
    x, v = np.array([3, 6, 9], np.float16), np.array([0, 1], np.float16)
    indices = (x * np.float16(1 / 3)).astype(int)
    got = session(text, "float16").run(None, {"x": x, "v": v})[0]
    np.testing.assert_array_equal(got, np.eye(5, dtype=np.float16)[indices])


@pytest.mark.parametrize("elem", TYPES)
def test_rows_are_normalised_as_they_are(elem):
    text = """agraph (T[N, 8] x, T[8] s) => (y, z) {
        y = LayerNormalization(x, s) t = RMSNormalization(x, s) z = Transpose(t)
    }""".replace("T[", f"{elem}[")
    rng = np.random.default_rng(4)
    feeds = {"x": rng.normal(1, 2, (3, 8)).astype(TYPES[elem]), "s": rng.normal(0, 1, 8).astype(TYPES[elem])}
    made = norn.InferenceSession(onnx.parser.parse_model(HEAD.replace("22", "23") + text))
    assert "Cast" not in [step["operations"][0]["op_type"] for step in made.explanation(feeds)["steps"]]
    x, s = (feeds[name].astype(np.float64) for name in "xs")
    y, z = ((v / np.sqrt((v**2).mean(axis=1, keepdims=True) + 1e-5)) * s for v in (x - x.mean(axis=1, keepdims=True), x))
    scale = 2**-11 if elem == "float16" else 2**-8
    for got, want in zip(made.run(None, feeds), (y, z.T), strict=True):
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=scale, atol=1e-5)
