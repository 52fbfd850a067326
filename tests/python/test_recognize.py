"""What exporters write as simple operations becomes one node, whatever the form, and means the same: answers are those
of the onnx package's evaluator, for the model and for the program that the passes made of it."""

import math

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

import norn

RANDOM = np.random.default_rng(11)
INF = np.float32("inf")


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def model(inputs, body, opset=20, outputs="float[a, b, c, d] y"):
    text = f"""<ir_version: 10, opset_import: ["": {opset}]> g ({inputs}) => ({outputs}) {{ {body} }}"""
    proto = onnx.parser.parse_model(text)
    onnx.checker.check_model(proto)
    return proto


def check(proto, feeds, tolerance=2e-5):
    """The operators of the program, once its answers have been compared."""
    wanted = ReferenceEvaluator(proto).run(None, feeds)
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    plain = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=["all"]))
    program = onnx.ModelProto.FromString(norn.parse_text(session.program_text()))
    onnx.checker.check_model(program, full_check=True)
    for got in (session.run(None, feeds), plain.run(None, feeds), ReferenceEvaluator(program).run(None, feeds)):
        for w, g in zip(wanted, got, strict=True):
            np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
    return [n.op_type for n in program.graph.node]


SCALARS = """
  half = Constant <value_float: float = 0.5> ()  one = Constant <value_float: float = 1.0> ()
  two = Constant <value_float: float = 2.0> ()  three = Constant <value_float: float = 3.0> ()
  root = Constant <value_float: float = 1.4142135> ()  inverse_root = Constant <value_float: float = 0.70710678> ()
  k = Constant <value_float: float = 0.044715> ()  c = Constant <value_float: float = 0.7978845608> ()
"""
GELUS = {
    "div": "a = Div(x, root) e = Erf(a) s = Add(e, one) m = Mul(x, s) y = Mul(m, half)",
    "mul": "a = Mul(x, inverse_root) e = Erf(a) s = Add(one, e) h = Mul(half, x) y = Mul(h, s)",
    "outer": "a = Div(x, root) e = Erf(a) s = Add(one, e) t = Mul(s, half) y = Mul(t, x)",
    "halved": "a = Div(x, root) e = Erf(a) s = Add(one, e) t = Mul(s, x) y = Div(t, two)",
}
TANH_GELUS = {
    "pow": "p = Pow(x, three) q = Mul(p, k) r = Add(x, q) z = Mul(r, c) t = Tanh(z) s = Add(t, one) h = Mul(x, half) y = Mul(h, s)",
    "mul": "p = Mul(x, x) p3 = Mul(p, x) q = Mul(k, p3) r = Add(q, x) z = Mul(c, r) t = Tanh(z) s = Add(one, t) m = Mul(x, s) y = Mul(half, m)",
    "fast": "p = Mul(x, k) q = Mul(p, x) r = Add(q, one) xc = Mul(x, c) z = Mul(xc, r) t = Tanh(z) s = Add(one, t) h = Mul(half, x) y = Mul(h, s)",
}


@pytest.mark.parametrize("form", GELUS)
def test_gelu(form):
    x = np.append(floats(60), [0, -0.0, 9, -9, 40, -40]).astype(np.float32)
    assert check(model("float[n] x", SCALARS + GELUS[form], outputs="float[n] y"), {"x": x}) == ["Gelu"]


@pytest.mark.parametrize("form", TANH_GELUS)
def test_gelu_by_tanh(form):
    x = np.append(floats(60), [0, -0.0, 9, -9, 40, -40]).astype(np.float32)
    assert check(model("float[n] x", SCALARS + TANH_GELUS[form], outputs="float[n] y"), {"x": x}) == ["Gelu"]


def test_swish():
    x = {"x": floats(3, 5)}
    assert check(model("float[n, m] x", "s = Sigmoid(x) y = Mul(s, x)", outputs="float[n, m] y"), x) == ["Swish"]
    quick = "a = Constant <value_float: float = 1.702> () z = Mul(x, a) s = Sigmoid(z) y = Mul(x, s)"
    assert check(model("float[n, m] x", quick, outputs="float[n, m] y"), x) == ["Swish"]


@pytest.mark.parametrize(
    "body",
    [
        "s = Sigmoid(x) y = Mul(s, z)",
        "b = Constant <value_floats: floats = [2.0, 3.0, 4.0, 5.0, 6.0]> () z2 = Mul(x, b) s = Sigmoid(z2) y0 = Mul(x, s) y = Add(y0, z)",
        SCALARS + "a = Div(x, two) e = Erf(a) s = Add(e, one) m = Mul(x, s) y0 = Mul(m, half) y = Add(y0, z)",
        SCALARS + "p = Pow(x, three) q = Mul(p, half) r = Add(x, q) u = Mul(r, c) t = Tanh(u) s = Add(t, one) h = Mul(x, half) y0 = Mul(h, s) y = Add(y0, z)",
    ],
)
def test_what_is_no_activation(body):
    found = check(model("float[n, 5] x, float[n, 5] z", body, outputs="float[n, m] y"), {"x": floats(3, 5), "z": floats(3, 5)})
    assert "Gelu" not in found and "Swish" not in found


def test_an_activation_whose_pieces_are_outputs():
    body = "s = Sigmoid(x) y = Mul(s, x)"
    found = check(model("float[n, m] x", body, outputs="float[n, m] y, float[n, m] s"), {"x": floats(3, 5)})
    assert sorted(found) == ["Sigmoid", "Swish"]


EPSILON = "two = Constant <value_float: float = 2.0> () one = Constant <value_float: float = 1.0> () e = Constant <value_float: float = 1e-3> () minus = Constant <value_float: float = -0.5> ()"
VARIANCES = {
    "pow": "m = ReduceMean(x, axes) d = Sub(x, m) p = Pow(d, two) v = ReduceMean(p, axes) w = Add(v, e)",
    "mul": "m = ReduceMean(x, axes) d = Sub(x, m) p = Mul(d, d) v = ReduceMean(p, axes) w = Add(e, v)",
    "twice": "m = ReduceMean(x, axes) d = Sub(x, m) d2 = Sub(x, m) p = Mul(d2, d2) v = ReduceMean(p, axes) w = Add(e, v)",
}
QUOTIENTS = {
    "div": "r = Sqrt(w) n = Div(d, r)",
    "reciprocal": "r = Sqrt(w) i = Reciprocal(r) n = Mul(d, i)",
    "one over": "r = Sqrt(w) i = Div(one, r) n = Mul(i, d)",
    "power": "i = Pow(w, minus) n = Mul(i, d)",
}


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_layer_norm(variance, quotient):
    body = EPSILON + "axes = Constant <value_ints: ints = [-1]> ()" + VARIANCES[variance] + QUOTIENTS[quotient]
    feeds = {"x": floats(2, 3, 8), "g": floats(8), "b": floats(8)}
    affine = model("float[a, b, 8] x, float[8] g, float[8] b", body + "s = Mul(n, g) y = Add(b, s)", outputs="float[a, b, 8] y")
    assert check(affine, feeds) == ["LayerNormalization"]
    plain = model("float[a, b, 8] x", body + "y = Identity(n)", outputs="float[a, b, 8] y")
    assert check(plain, {"x": feeds["x"]}) == ["LayerNormalization"]


def test_layer_norm_of_two_axes_and_what_follows():
    body = EPSILON + "axes = Constant <value_ints: ints = [1, 2]> ()" + VARIANCES["pow"] + QUOTIENTS["div"]
    body += "s = Mul(n, g) y = Add(s, b)"
    feeds = {"x": floats(2, 3, 8), "g": floats(3, 8), "b": floats(1, 8)}
    # The bias has another shape than the rows: it is added behind.
    proto = model("float[a, 3, 8] x, float[3, 8] g, float[1, 8] b", body, outputs="float[a, 3, 8] y")
    assert check(proto, feeds) == ["LayerNormalization", "Add"]


@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_rms_norm(quotient):
    body = EPSILON + "axes = Constant <value_ints: ints = [-1]> () p = Pow(d, two) v = ReduceMean(p, axes) w = Add(v, e)"
    body += QUOTIENTS[quotient] + "y = Mul(g, n)"
    proto = model("float[a, b, h] d, float[h] g", body, outputs="float[a, b, h] y")
    assert check(proto, {"d": floats(2, 3, 8), "g": floats(8)}) == ["RMSNormalization"]


@pytest.mark.parametrize(
    "body",
    [
        "axes = Constant <value_ints: ints = [0]> () m = ReduceMean(x, axes) d = Sub(x, m) p = Mul(d, d) v = ReduceMean(p, axes) w = Add(v, e) r = Sqrt(w) y = Div(d, r)",
        "axes = Constant <value_ints: ints = [1]> () m = ReduceMean(x, axes) d = Sub(x, m) p = Mul(x, x) v = ReduceMean(p, axes) w = Add(v, e) r = Sqrt(w) y = Div(d, r)",
        "axes = Constant <value_ints: ints = [1]> () p = Mul(x, x) v = ReduceMean(p, axes) w = Add(v, e) r = Sqrt(w) y = Div(z, r)",
    ],
)
def test_what_is_no_normalisation(body):
    proto = model("float[3, 4] x, float[3, 4] z", EPSILON + body, outputs="float[a, b] y")
    found = check(proto, {"x": floats(3, 4), "z": floats(3, 4)})
    assert "LayerNormalization" not in found and "RMSNormalization" not in found


Q = "float[B, 3, S, 8] q, float[B, 3, T, 8] k, float[B, 3, T, 6] v"
SCALE = "scale = Constant <value_float: float = 0.4> () over = Constant <value_float: float = 2.5> () root = Constant <value_float: float = 0.7> () zero = Constant <value_float: float = 0.0> () hidden = Constant <value_float: float = -inf> ()"
TURN = "kt = Transpose <perm = [0, 1, 3, 2]> (k)"
SCORES = {
    "plain": TURN + "s = MatMul(q, kt)",
    "mul behind": TURN + "p = MatMul(q, kt) s = Mul(scale, p)",
    "div behind": TURN + "p = MatMul(q, kt) s = Div(p, over)",
    "both": TURN + "qs = Mul(q, root) ks = Mul(kt, root) s = MatMul(qs, ks)",
    "query": TURN + "qs = Div(q, over) s = MatMul(qs, kt)",
    "key before": "ks = Mul(k, root) kt = Transpose <perm = [0, 1, 3, 2]> (ks) s = MatMul(q, kt)",
    "capped": TURN + "p = MatMul(q, kt) ps = Mul(scale, p) d = Div(ps, over) t = Tanh(d) s = Mul(t, over)",
}


def qkv(s=5, t=7):
    return {"q": floats(2, 3, s, 8), "k": floats(2, 3, t, 8), "v": floats(2, 3, t, 6)}


@pytest.mark.parametrize("form", SCORES)
@pytest.mark.parametrize("rows", [1, 5, 70])
def test_attention(form, rows):
    proto = model(Q, SCALE + SCORES[form] + "p1 = Softmax <axis = -1> (s) y = MatMul(p1, v)")
    found = check(proto, qkv(rows))
    assert "Attention" in found and "MatMul" not in found and "Softmax" not in found


MASKS = {
    "B,1,1,T": (2, 1, 1, 7),
    "1,1,S,T": (1, 1, 5, 7),
    "S,T": (5, 7),
    "B,3,S,T": (2, 3, 5, 7),
    "T": (7,),
}
GUARD = "p0 = Softmax <axis = -1> (b) n = IsNaN(p0) p1 = Where(n, zero, p0)"


@pytest.mark.parametrize("shape", MASKS)
@pytest.mark.parametrize("guarded", [False, True])
def test_attention_with_a_mask_that_is_added(shape, guarded):
    body = SCALE + SCORES["mul behind"] + "b = Add(s, m)" + (GUARD if guarded else "p1 = Softmax <axis = -1> (b)")
    proto = model(Q + f", float[{shape}] m", body + "y = MatMul(p1, v)")
    mask = np.where(RANDOM.random(MASKS[shape]) < 0.3, -INF, floats(*MASKS[shape]))
    mask.reshape(-1, 7)[0] = -INF  # a query that sees nothing, or several
    found = check(proto, {**qkv(), "m": mask})
    assert "Attention" in found and "MatMul" not in found


@pytest.mark.parametrize("guarded", [False, True])
def test_attention_without_keys(guarded):
    """A sum over no keys is 0, whatever a mask without columns hides."""
    body = SCALE + SCORES["mul behind"] + "b = Add(s, m)" + (GUARD if guarded else "p1 = Softmax <axis = -1> (b)")
    proto = model(Q + ", float[S, T] m", body + "y = MatMul(p1, v)")
    found = norn.InferenceSession(proto).run(None, {**qkv(t=0), "m": np.zeros((5, 0), np.float32)})[0]
    assert (found == 0).all() and found.shape[2] == 5


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize("hide", [False, True])
def test_attention_with_a_condition(hide, guarded):
    body = SCALE + SCORES["mul behind"] + ("b = Where(m, hidden, s)" if hide else "b = Where(m, s, hidden)")
    body += GUARD if guarded else "p1 = Softmax <axis = -1> (b)"
    proto = model(Q + ", bool[B, 1, S, T] m", body + "y = MatMul(p1, v)")
    mask = RANDOM.random((2, 1, 5, 7)) < 0.5
    mask[0, 0, 2] = hide
    found = check(proto, {**qkv(), "m": mask})
    assert "Attention" in found and "MatMul" not in found


def test_attention_of_groups():
    inputs = "float[B, 6, S, 8] q, float[B, 2, T, 8] k, float[B, 2, T, 8] v"
    body = SCALE + """
      axis = Constant <value_ints: ints = [2]> ()
      batch = Shape <start = 0, end = 1> (k) length = Shape <start = 2, end = 3> (k)
      two = Constant <value_ints: ints = [2]> () three = Constant <value_ints: ints = [3]> ()
      six = Constant <value_ints: ints = [6]> () eight = Constant <value_ints: ints = [8]> ()
      wide = Concat <axis = 0> (batch, two, three, length, eight) joined = Concat <axis = 0> (batch, six, length, eight)
      k1 = Unsqueeze(k, axis) k2 = Expand(k1, wide) k3 = Reshape(k2, joined)
      v1 = Unsqueeze(v, axis) v2 = Expand(v1, wide) v3 = Reshape(v2, joined)
      kt = Transpose <perm = [0, 1, 3, 2]> (k3) p = MatMul(q, kt) s = Mul(p, scale)
      p1 = Softmax <axis = -1> (s) y = MatMul(p1, v3)"""
    for rows in (1, 9):
        found = check(model(inputs, body), {"q": floats(2, 6, rows, 8), "k": floats(2, 2, 5, 8), "v": floats(2, 2, 5, 8)})
        assert "Attention" in found and "Expand" not in found


def test_attention_of_packed_heads():
    body = SCALE + """
      split = Constant <value_ints: ints = [2, -1, 4, 8]> () join = Constant <value_ints: ints = [2, -1, 32]> ()
      q1 = Reshape(q, split) q2 = Transpose <perm = [0, 2, 1, 3]> (q1)
      k1 = Reshape(k, split) k2 = Transpose <perm = [0, 2, 3, 1]> (k1)
      v1 = Reshape(v, split) v2 = Transpose <perm = [0, 2, 1, 3]> (v1)
      p = MatMul(q2, k2) s = Mul(p, scale) p1 = Softmax <axis = -1> (s) z = MatMul(p1, v2)
      z1 = Transpose <perm = [0, 2, 1, 3]> (z) y = Reshape(z1, join)"""
    proto = model("float[2, S, 32] q, float[2, S, 32] k, float[2, S, 32] v", body, outputs="float[2, S, 32] y")
    for rows in (1, 40):
        assert check(proto, {n: floats(2, rows, 32) for n in "qkv"}) == ["Attention"]


def test_attention_of_rank_3():
    body = SCALE + "kt = Transpose <perm = [0, 2, 1]> (k) p = MatMul(q, kt) s = Mul(p, scale) b = Add(s, m) p1 = Softmax <axis = -1> (b) y = MatMul(p1, v)"
    proto = model("float[N, S, 8] q, float[N, T, 8] k, float[N, T, 6] v, float[N, S, T] m", body, outputs="float[N, S, 6] y")
    found = check(proto, {"q": floats(4, 5, 8), "k": floats(4, 7, 8), "v": floats(4, 7, 6), "m": floats(4, 5, 7)})
    assert "Attention" in found and "Softmax" not in found


@pytest.mark.parametrize(
    "body",
    [
        # Another axis, hidden scores that are not -infinity, a mask with one column, a score that is an output.
        TURN + "s = MatMul(q, kt) p1 = Softmax <axis = 2> (s) y = MatMul(p1, v)",
        TURN + "n = Constant <value_float: float = -1.0> () s = MatMul(q, kt) g = Greater(s, n) b = Where(g, s, n) p1 = Softmax <axis = -1> (b) y = MatMul(p1, v)",
        TURN + "one = Constant <value_ints: ints = [3]> () m = ReduceMax(q, one) s = MatMul(q, kt) b = Add(s, m) p1 = Softmax <axis = -1> (b) y = MatMul(p1, v)",
        TURN + "s = MatMul(q, kt) p1 = Softmax <axis = -1> (s) p2 = Softmax <axis = -1> (p1) y = MatMul(p2, v)",
    ],
)
def test_what_is_no_attention(body):
    inputs = "float[2, 3, 5, 8] q, float[2, 3, 7, 8] k, float[2, 3, 7, 6] v"
    assert "Attention" not in check(model(inputs, body), qkv())


def test_scores_that_are_read_elsewhere_stay():
    proto = model(Q, TURN + "s = MatMul(q, kt) p1 = Softmax <axis = -1> (s) y = MatMul(p1, v)",
                  outputs="float[a, b, c, d] y, float[a, b, c, e] p1")  # fmt: skip
    assert "Attention" not in check(proto, qkv())


LATE = """
  size = Constant <value_float: float = 0.35> ()  low = Constant <value_float: float = -inf> ()
  kt = Transpose <perm: ints = [0, 1, 3, 2]> (k)
  s = MatMul (q, kt)  t = Mul (s, size)
"""
LATE_MASKS = {
    "none": "p = Softmax <axis: int = -1> (t)",
    "added": "a = Add (m, t) p = Softmax <axis: int = -1> (a)",
    "divided": "root = Constant <value_float: float = 3.0> () d = Div (t, root) a = Add (d, m) p = Softmax (a)",
    "condition": "zero = Constant <value_float: float = 0.0> () f = GreaterOrEqual (m, zero) a = Where (f, t, low) p = Softmax (a)",
    "hidden": "zero = Constant <value_float: float = 0.0> () f = Less (m, zero) a = Where (f, low, t) p = Softmax (a)",
}


@pytest.mark.parametrize("form", LATE_MASKS)
def test_attention_whose_sizes_only_a_run_determines(form):
    """Nothing relates the mask's sizes to the scores': where it broadcasts to them, one step computes all of it."""
    inputs = "float[b, h, n, e] q, float[b, h, m1, e] k, float[b, h, m2, w] v, float[m3, m4, m5, m6] m"
    proto = model(inputs, LATE + LATE_MASKS[form] + " y = MatMul (p, v)")
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    plain = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=["fuse_attention"]))
    for shape, mask in (
        ((2, 3, 5, 8, 7, 6), (2, 1, 5, 7)),
        ((2, 3, 5, 8, 7, 6), (1, 1, 1, 7)),
        ((1, 4, 130, 64, 300, 64), (1, 4, 130, 300)),
        ((1, 4, 1, 64, 33, 64), (1, 1, 1, 33)),
        ((2, 3, 5, 8, 7, 6), (2, 3, 5, 1)),
        ((1, 3, 5, 8, 7, 6), (1, 3, 1, 1)),
    ):
        b, h, n, e, keys, w = shape
        feeds = {"q": floats(b, h, n, e), "k": floats(b, h, keys, e), "v": floats(b, h, keys, w), "m": floats(*mask)}
        feeds["m"].reshape(-1)[:: 3] = -np.inf if mask[-1] > 1 else -1.0
        wanted = ReferenceEvaluator(proto).run(None, feeds)[0]
        for s in (session, plain):
            np.testing.assert_allclose(s.run(None, feeds)[0], wanted, rtol=3e-5, atol=3e-5)
        steps = str(session.explain(feeds))
        fused = "+Softmax+MatMul" in steps or "  Attention  " in steps
        assert fused, steps


def test_a_late_mask_that_makes_the_scores_larger():
    inputs = "float[b, h, n, e] q, float[b, h, m1, e] k, float[b2, h, m2, w] v, float[m3, m4, m5, m6] m"
    proto = model(inputs, LATE + LATE_MASKS["added"] + " y = MatMul (p, v)")
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    feeds = {"q": floats(1, 2, 1, 8), "k": floats(1, 2, 6, 8), "v": floats(3, 2, 6, 4), "m": floats(3, 1, 5, 6)}
    np.testing.assert_allclose(session.run(None, feeds)[0], ReferenceEvaluator(proto).run(None, feeds)[0], rtol=3e-5, atol=3e-5)


def test_a_late_query_without_keys_gives_nan_as_softmax_does():
    inputs = "float[b, h, n, e] q, float[b, h, m1, e] k, float[b, h, m2, w] v, float[m3, m4, m5, m6] m"
    proto = model(inputs, LATE + LATE_MASKS["added"] + " y = MatMul (p, v)")
    session = norn.InferenceSession(proto)
    for rows in (1, 70):
        feeds = {"q": floats(1, 2, rows, 8), "k": floats(1, 2, 300, 8), "v": floats(1, 2, 300, 4), "m": floats(1, 1, rows, 300)}
        feeds["m"][0, 0, 0] = -np.inf
        got = session.run(None, feeds)[0]
        assert np.isnan(got[:, :, 0]).all() and np.isfinite(got[:, :, 1:]).all()


@pytest.mark.parametrize(
    ("root", "is_gelu"),
    [(2**0.5, True), (1.4142, True), (float(np.float16(2**0.5)), True), (1.41439, False), (1.415, False)],
)
def test_a_gelu_has_the_constants_that_exporters_write(root, is_gelu):
    model = norn.parse_text(
        f"""<ir_version: 10, opset_import: ["" : 21]>
        g (float[N] x) => (float[N] y) <float c = {{{root!r}}}, float one = {{1}}, float half = {{0.5}}> {{
          d = Div(x, c)  e = Erf(d)  s = Add(e, one)  p = Mul(x, s)  y = Mul(p, half)
        }}"""
    )
    session = norn.InferenceSession(model)
    assert ("Gelu" in session.program_text()) == is_gelu
    x = np.linspace(-6, 6, 1001, dtype=np.float32)
    erf = np.array([math.erf(v / root) for v in x.astype(np.float64)])
    # A rounded constant is taken for the exact one.
    np.testing.assert_allclose(session.run(None, {"x": x})[0], x * (erf + 1) / 2, rtol=0, atol=4e-5 if is_gelu else 2e-6)
