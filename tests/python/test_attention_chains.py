"""Attention as exporters write it where nothing relates the sizes of masks to those of scores: one session is run with
many sizes, and gives what the onnx package's evaluator gives."""

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

import norn

LOWEST = float(np.finfo(np.float32).min)
CONSTANTS = f"""
  root = Constant <value_float: float = 2.5> ()  by = Constant <value_float: float = 0.4> ()
  nothing = Constant <value_float: float = -inf> ()  lowest = Constant <value_float: float = {LOWEST!r}> ()
  zero = Constant <value_float: float = 0.0> ()  cap = Constant <value_float: float = 3.0> ()
  minus = Constant <value_float: float = -10000.0> ()
"""
KT = "kt = Transpose <perm: ints = [0, 1, 3, 2]> (k) "
GUARD = "bad = IsNaN (p) w = Where (bad, zero, p) y = MatMul (w, v)"
FORMS = {
    "guarded": KT + "s = MatMul (q, kt) a = Add (s, m) p = Softmax <axis: int = -1> (a) " + GUARD,
    "scaled before and guarded": KT
    + "q1 = Mul (q, by) k1 = Mul (kt, by) s = MatMul (q1, k1) a = Add (m, s) p = Softmax <axis: int = 3> (a) " + GUARD,
    "divided, two masks": KT
    + "s = MatMul (q, kt) d = Div (s, root) b = Add (d, bias) a = Add (b, m) p = Softmax <axis: int = -1> (a) y = MatMul (p, v)",
    "two masks, guarded": KT + "s = MatMul (q, kt) b = Add (bias, s) a = Add (m, b) p = Softmax <axis: int = -1> (a) " + GUARD,
    "lowest where hidden": KT
    + "s = MatMul (q, kt) d = Mul (by, s) h = Where (f, d, lowest) p = Softmax <axis: int = -1> (h) y = MatMul (p, v)",
    "nothing where hidden": KT
    + "s = MatMul (q, kt) h = Where (f, nothing, s) p = Softmax <axis: int = -1> (h) " + GUARD,
    "a number where hidden, then a mask": KT
    + "s = MatMul (q, kt) d = Div (s, root) h = Where (f, d, minus) a = Add (h, m) p = Softmax <axis: int = -1> (a) y = MatMul (p, v)",
    "a bias, then hidden": KT
    + "s = MatMul (q, kt) a = Add (s, bias) h = Where (f, minus, a) p = Softmax <axis: int = -1> (h) y = MatMul (p, v)",
    "capped": KT
    + "s = MatMul (q, kt) d = Mul (s, by) c = Div (d, cap) t = Tanh (c) g = Mul (t, cap) a = Add (g, m) p = Softmax <axis: int = -1> (a) y = MatMul (p, v)",
    "heads in the batch": """
      sq = Shape (q) sk = Shape (k) sv = Shape (v) at2 = Constant <value_ints: ints = [2]> () at3 = Constant <value_ints: ints = [3]> ()
      one = Constant <value_ints: ints = [-1]> () n = Gather (sq, at2) e = Gather (sq, at3) l = Gather (sk, at2) wv = Gather (sv, at3)
      q3s = Concat <axis: int = 0> (one, n, e) k3s = Concat <axis: int = 0> (one, l, e) v3s = Concat <axis: int = 0> (one, l, wv)
      from = Constant <value_ints: ints = [0]> () bh = Slice (sq, from, at2)
      s4s = Concat <axis: int = 0> (bh, n, l) s3s = Concat <axis: int = 0> (one, n, l) y4s = Concat <axis: int = 0> (bh, n, wv)
      q3 = Reshape (q, q3s) k3 = Reshape (k, k3s) v3 = Reshape (v, v3s) kt = Transpose <perm: ints = [0, 2, 1]> (k3)
      s = MatMul (q3, kt) s4 = Reshape (s, s4s) a = Add (s4, m) a3 = Reshape (a, s3s) p = Softmax <axis: int = -1> (a3)
      y3 = MatMul (p, v3) y = Reshape (y3, y4s)""",
    "a cache": """
      kc = Concat <axis: int = 2> (bias, k) vc = Concat <axis: int = 2> (bias, v)
      kt = Transpose <perm: ints = [0, 1, 3, 2]> (kc) s = MatMul (q, kt) d = Mul (s, by) a = Add (d, m)
      p = Softmax <axis: int = -1> (a) bad = IsNaN (p) w = Where (bad, zero, p) y = MatMul (w, vc)""",
}
INPUTS = {
    "q": "float[b1, h1, n1, e1]",
    "k": "float[b2, h2, n2, e2]",
    "v": "float[b3, h3, n3, e3]",
    "m": "float[c1, c2, c3, c4]",
    "bias": "float[d1, d2, d3, d4]",
    "f": "bool[f1, f2, f3, f4]",
}
# batch, heads, queries, keys, size, then the sizes of the masks' batch, heads and queries
SIZES = [
    (2, 3, 5, 7, 8, (2, 1, 1)),
    (1, 2, 1, 33, 16, (1, 1, 1)),
    (2, 3, 70, 300, 16, (1, 3, 70)),
    (2, 3, 5, 7, 8, (2, 3, 5)),
    (1, 4, 64, 64, 32, (1, 1, 64)),
    (3, 2, 2, 1, 8, (3, 1, 2)),
    (1, 2, 0, 7, 8, (1, 1, 1)),
    (0, 2, 3, 7, 8, (1, 1, 3)),
    (2, 2, 9, 20, 8, (1, 2, 1)),
]


def parse(form, outputs="float[y1, y2, y3, y4] y"):
    body = FORMS[form]
    inputs = ", ".join(f"{t} {name}" for name, t in INPUTS.items() if any(f"{name}{end}" in body for end in ",) ") or name in "qkv")
    text = f"""<ir_version: 10, opset_import: ["": 20]> g ({inputs}) => ({outputs}) {{ {CONSTANTS} {body} }}"""
    proto = onnx.parser.parse_model(text)
    onnx.checker.check_model(proto)
    return proto


def feeds_of(proto, sizes, seed=0, hide=True):
    random = np.random.default_rng(seed)
    b, h, n, keys, e, (mb, mh, mn) = sizes
    past = 4 if any(node.op_type == "Concat" and "bias" in node.input for node in proto.graph.node) else 0
    shapes = {
        "q": (b, h, n, e),
        "k": (b, h, keys, e),
        "v": (b, h, keys, e),
        "m": (mb, mh, mn, keys + past),
        "bias": (b, h, past, e) if past else (1, h, n, keys),
        "f": (mb, 1, mn, keys),
    }
    feeds = {}
    for value in proto.graph.input:
        x = random.standard_normal(shapes[value.name]).astype(np.float32)
        if value.name == "f":
            x = x > -0.4
        elif value.name == "m" and hide:
            x[random.random(x.shape) < 0.3] = -np.inf
            if x.size:
                x[:, :, :, 0] = 0
        feeds[value.name] = x
    return feeds


def compare(session, proto, feeds, tolerance=3e-5):
    with np.errstate(all="ignore"):
        wanted = ReferenceEvaluator(proto).run(None, feeds)
    for got, want in zip(session.run(None, feeds), wanted, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def is_one_step(session, feeds):
    steps = str(session.explain(feeds))
    return "+Softmax" in steps or "  Attention  " in steps


@pytest.mark.parametrize("form", FORMS)
def test_one_session_takes_all_sizes(form):
    proto = parse(form)
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    for seed, sizes in enumerate(SIZES + SIZES[:4]):
        if min(sizes[:5]) == 0 and form == "heads in the batch":
            continue  # -1 in a reshape of nothing
        feeds = feeds_of(proto, sizes, seed)
        compare(session, proto, feeds)
        if min(sizes[:5]) > 0:
            assert is_one_step(session, feeds), session.explain(feeds)


@pytest.mark.parametrize("form", FORMS)
def test_the_pass_can_be_switched_off(form):
    proto = parse(form)
    session = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=["fuse_attention", "recognize_attention"]))
    feeds = feeds_of(proto, SIZES[0])
    compare(session, proto, feeds)
    assert not is_one_step(session, feeds)


@pytest.mark.parametrize("form", ["guarded", "two masks, guarded", "nothing where hidden", "a cache"])
def test_a_guard_gives_zeros_for_queries_that_see_nothing(form):
    """Few queries and many: they have kernels of their own."""
    proto = parse(form)
    session = norn.InferenceSession(proto)
    for rows in (2, 70):
        feeds = feeds_of(proto, (1, 2, rows, 40, 8, (1, 1, rows)))
        if "m" in feeds:
            feeds["m"][:, :, 0] = -np.inf
        else:
            feeds["f"][:, :, 0] = True
        compare(session, proto, feeds)
        assert (session.run(None, feeds)[0][:, :, 0] == 0).all()
        feeds["q"][0, 0, 1, 0] = np.nan
        compare(session, proto, feeds)


def test_without_a_guard_such_queries_give_nan_and_a_lowest_score_their_mean():
    proto = parse("divided, two masks")
    feeds = feeds_of(proto, (1, 2, 70, 40, 8, (1, 1, 70)))
    feeds["m"][:, :, 0] = -np.inf
    compare(norn.InferenceSession(proto), proto, feeds)
    for form in ("lowest where hidden", "a bias, then hidden"):
        for rows in (3, 70):
            proto = parse(form)
            feeds = feeds_of(proto, (1, 2, rows, 40, 8, (1, 1, rows)))
            feeds["f"][:, :, 0] = form == "a bias, then hidden"
            compare(norn.InferenceSession(proto), proto, feeds)
            feeds["q"][0, 0, 0, 0] = np.nan  # its scores are hidden, all of them
            compare(norn.InferenceSession(proto), proto, feeds)


@pytest.mark.parametrize("output", ["p", "s", "a"])
@pytest.mark.parametrize("form", ["guarded", "divided, two masks"])
def test_values_between_that_something_else_reads(form, output):
    proto = parse(form, f"float[y1, y2, y3, y4] y, float[z1, z2, z3, z4] {output}")
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    for seed, sizes in enumerate(SIZES):
        compare(session, proto, feeds_of(proto, sizes, seed))


def test_a_reader_of_the_guards_condition():
    proto = parse("guarded", "float[y1, y2, y3, y4] y, bool[z1, z2, z3, z4] bad")
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    compare(session, proto, feeds_of(proto, SIZES[0]))
    assert "its probabilities are read by others" in str(session.explain(feeds_of(proto, SIZES[0])))


@pytest.mark.parametrize("form", FORMS)
def test_masks_that_make_the_scores_larger(form):
    proto = parse(form)
    if "m" not in [i.name for i in proto.graph.input] or form == "heads in the batch":
        pytest.skip("its mask cannot")
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    feeds = feeds_of(proto, (1, 2, 1, 6, 8, (1, 2, 5)))
    if feeds["m"].shape[2] == 5:
        for name in ("v", "k", "q"):
            feeds[name] = feeds[name][:, :1]
        if "bias" in feeds:
            feeds["bias"] = feeds["bias"][:, :1]
    compare(session, proto, feeds)


def test_halves_are_computed_wide():
    proto = parse("guarded")
    for value in proto.graph.input:
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    for node in proto.graph.node:
        if node.op_type == "Constant":
            node.attribute[0].CopyFrom(
                onnx.helper.make_attribute("value", onnx.numpy_helper.from_array(np.array(node.attribute[0].f, np.float16)))
            )
    proto.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    for sizes in SIZES[:6]:
        feeds = {name: x.astype(np.float16) for name, x in feeds_of(proto, sizes).items()}
        assert is_one_step(session, feeds)
        compare(session, proto, feeds, 2e-2)


@pytest.mark.parametrize("guard", [True, False])
def test_caches_that_are_given_up_from_step_to_step(guard):
    """Sequences grow, shrink and change their batch; what a cache had before is what the evaluator sees."""
    end = GUARD.replace("v)", "vc)") if guard else "y = MatMul (p, vc)"
    body = f"""{CONSTANTS} kc = Concat <axis: int = 2> (pk, k) vc = Concat <axis: int = 2> (pv, v)
      kt = Transpose <perm: ints = [0, 1, 3, 2]> (kc) s = MatMul (q, kt) d = Mul (s, by) b = Add (d, bias) a = Add (b, m)
      p = Softmax <axis: int = -1> (a) {end}"""
    inputs = ", ".join(f"float[{n}1, {n}2, {n}3, {n}4] {n}" for n in ("q", "k", "v", "pk", "pv", "bias", "m"))
    outputs = ", ".join(f"float[{n}1, {n}2, {n}3, {n}4] {n}" for n in ("y", "kc", "vc"))
    proto = onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["": 20]> g ({inputs}) => ({outputs}) {{ {body} }}""")
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    random = np.random.default_rng(5)
    fused = 0
    for batch, first, steps in ((1, 5, 40), (3, 0, 6), (1, 130, 20), (2, 1, 3)):
        caches = {n: random.standard_normal((batch, 2, first, 16)).astype(np.float32) for n in ("pk", "pv")}
        truth = {n: c.copy() for n, c in caches.items()}
        for step in range(steps):
            rows = 1 + (step % 7 == 3) * 20
            feeds = {n: random.standard_normal((batch, 2, rows, 16)).astype(np.float32) for n in ("q", "k", "v")}
            keys = truth["pk"].shape[2] + rows
            feeds["bias"] = random.standard_normal((1, 2, rows, keys)).astype(np.float32)
            feeds["m"] = np.where(random.random((batch, 1, 1, keys)) < 0.2, -np.inf, 0).astype(np.float32)
            feeds["m"][..., -1] = 0
            wanted = ReferenceEvaluator(proto).run(None, feeds | truth)
            fused += is_one_step(session, feeds | truth)
            y, caches["pk"], caches["pv"] = session.run(None, feeds | caches, donate=["pk", "pv"])
            np.testing.assert_allclose(y, wanted[0], rtol=3e-5, atol=3e-5)
            truth = {"pk": wanted[1], "pv": wanted[2]}
        for name in ("pk", "pv"):
            np.testing.assert_array_equal(np.asarray(caches[name]), truth[name])
    assert fused == 69


@pytest.mark.parametrize("sizes", ["float[{0}, {1}, 4]", "float[b, n, e]", None])
@pytest.mark.parametrize("batch, v_batches", [(2, (1, 2)), (2, (3, 2)), (2, (3, 1)), (1, (4, 2)), (4, (2, 4)), (2, (2, 2))])
def test_values_of_more_dimensions_than_scores(batch, v_batches, sizes):
    """The product with the values broadcasts: no head of theirs is one of the scores'."""
    rng = np.random.default_rng(5)
    feeds = {
        "q": rng.standard_normal((batch, 3, 4)).astype(np.float32),
        "k": rng.standard_normal((batch, 5, 4)).astype(np.float32),
        "v": rng.standard_normal((*v_batches, 5, 6)).astype(np.float32),
    }
    known = [sizes.format(batch, n) if sizes else "float[]" for n in (3, 5)]
    v_type = f"float[{v_batches[0]}, {v_batches[1]}, 5, 6]" if sizes and "{" in sizes else "float[c, d, l, w]"
    model = onnx.parser.parse_model(f"""
        <ir_version: 10, opset_import: ["": 20]>
        g ({known[0]} q, {known[1].replace("b, n", "b2, n2")} k, {v_type} v) => (float[y1, y2, y3, y4] y) {{
          kt = Transpose <perm: ints = [0, 2, 1]> (k) s = MatMul (q, kt) p = Softmax <axis: int = -1> (s) y = MatMul (p, v)
        }}""")
    (wanted,) = ReferenceEvaluator(model).run(None, feeds)
    for passes in ([], ["fuse_attention"], ["recognize_attention"]):
        options = norn.SessionOptions(disabled_passes=passes)
        (got,) = norn.InferenceSession(model, options).run(None, feeds)
        np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)


def test_a_guard_of_more_dimensions_than_the_probabilities():
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["": 20]>
        g (float[2, 3, 4] q, float[2, 5, 4] k, float[2, 5, 4] v) => (float[y1, y2, y3, y4] y)
        <float[1, 1, 1, 1] zero = {0}> {
          kt = Transpose <perm: ints = [0, 2, 1]> (k) s = MatMul (q, kt) p = Softmax <axis: int = -1> (s)
          bad = IsNaN (p) w = Where (bad, zero, p) y = MatMul (w, v)
        }""")
    rng = np.random.default_rng(6)
    feeds = {name: rng.standard_normal((2, n, 4)).astype(np.float32) for name, n in (("q", 3), ("k", 5), ("v", 5))}
    (got,) = norn.InferenceSession(model, norn.SessionOptions(verify_passes=True)).run(None, feeds)
    (wanted,) = ReferenceEvaluator(model).run(None, feeds)
    assert got.shape == (1, 2, 3, 4)
    np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)
