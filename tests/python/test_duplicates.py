"""Nodes that repeat an earlier one are run once, and only those: what differs in an attribute, a constant's sign of zero,
its type or its chance stays apart. The answers are those without the pass, and of the onnx package's evaluator."""

import numpy as np
import onnx.parser
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import norn

HEADER = '<ir_version: 10, opset_import: ["": 21]>\n'
X = np.random.default_rng(3).uniform(-2, 2, (3, 4)).astype(np.float32)


def model(text, **constants):
    m = onnx.parser.parse_model(HEADER + text)
    m.graph.initializer.extend(numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items())
    return m


def session(m, disabled=("fuse_elementwise",)):
    return norn.InferenceSession(m.SerializeToString(), norn.SessionOptions(disabled_passes=list(disabled)))


def ran(s, feeds):
    return [o["op_type"] for step in s.explanation(feeds)["steps"] for o in step["operations"]]


def check(m, feeds, op, times):
    s = session(m)
    for got, wanted, plain in zip(
        s.run(None, feeds), ReferenceEvaluator(m).run(None, feeds), session(m, ["all"]).run(None, feeds), strict=True
    ):
        np.testing.assert_array_equal(got, plain)
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
    assert ran(s, feeds).count(op) == times


@pytest.mark.parametrize(
    "text, op, times",
    [
        # Through views, which stay, and attributes in another order.
        ("u = Unsqueeze(x, axis) a = Relu(u) v = Unsqueeze(x, axis) b = Relu(v) y = Add(a, b)", "Relu", 1),
        ("a = Gemm<alpha = 2.0, transB = 1>(x, x) b = Gemm<transB = 1, alpha = 2.0>(x, x) y = Add(a, b)", "Gemm", 1),
        ("a = Gemm<alpha = 2.0, transB = 1>(x, x) b = Gemm<alpha = 2.5, transB = 1>(x, x) y = Add(a, b)", "Gemm", 2),
        ("a = Gemm<transB = 1>(x, x) b = Gemm<transB = 1, alpha = 1.5>(x, x) y = Add(a, b)", "Gemm", 2),
        ("a = ReduceSum<keepdims = 0>(x, axis) b = ReduceSum<keepdims = 1>(x, axis) y = Add(a, b)", "ReduceSum", 2),
        # Constants alike in contents, or not quite.
        ("a = Mul(x, two) b = Mul(x, also) y = Sub(a, b)", "Mul", 1),
        ("a = Mul(x, zero) b = Mul(x, minus) y = Where(less, a, b)", "Mul", 2),
        ("a = Mul(x, two) b = Mul(x, row) y = Sub(a, b)", "Mul", 2),
        ("a = Add(x, two) b = Sub(x, two) y = Mul(a, b)", "Sub", 1),
        # A chain, and several outputs of which one lacks one.
        ("a = Exp(x) b = Exp(x) c = Tanh(a) d = Tanh(b) y = Add(c, d)", "Tanh", 1),
        ("a, i = TopK(x, k) b, j = TopK(x, k) c = Cast<to = 1>(i) d = Cast<to = 1>(j) e = Add(a, c) f = Add(b, d)"
         " y = Sub(e, f)", "TopK", 1),
        ("a, i = Unique(x) b = Unique(x) c = Cast<to = 1>(i) d = Add(a, c) y = Sub(b, d)", "Unique", 2),
    ],
)  # fmt: skip
def test_what_is_computed_once(text, op, times):
    m = model(
        f"g (float[3,4] x) => (y) {{ {text} }}",
        axis=np.array([1]),
        two=np.float32(2),
        also=np.float32(2),
        row=np.full(1, 2, np.float32),
        zero=np.float32(0),
        minus=np.float32(-0.0),
        less=np.array([[True], [False], [True]]),
        k=np.array([2]),
    )
    check(m, {"x": X}, op, times)


def test_outputs_keep_their_names():
    m = model("g (float[N,M] x) => (y, z, w) { y = Exp(x) z = Exp(x) t = Exp(x) w = Neg(t) }")
    check(m, {"x": X}, "Exp", 1)
    assert [o.name for o in session(m).get_outputs()] == ["y", "z", "w"]


def test_chance_is_not_shared():
    m = model("g (float[3,4] x) => (y) { a = RandomNormalLike(x) b = RandomNormalLike(x) y = Sub(a, b) }")
    (y,) = session(m).run(None, {"x": X})
    assert (y != 0).all()


def test_within_branches_and_bodies():
    m = model(
        """g (float[3,4] x, bool c) => (y)
        { y = If<then_branch = t () => (float[3,4] r) { a = Exp(x) b = Exp(x) r = Add(a, b) },
                 else_branch = e () => (float[3,4] s) { s = Neg(x) }>(c) }"""
    )
    s = session(m)
    for c in (True, False):
        feeds = {"x": X, "c": np.array(c)}
        np.testing.assert_allclose(s.run(None, feeds)[0], ReferenceEvaluator(m).run(None, feeds)[0], rtol=1e-6)
    assert ran(s, feeds).count("Exp") <= 1


def test_what_dequantizes_alike_stays_beside_its_readers():
    m = model(
        """g (uint8[3,4] x) => (y, z)
        { a = DequantizeLinear(x, s) b = DequantizeLinear(x, s) y = Exp(a) z = Exp(b) }""",
        s=np.float32(0.1),
    )
    check(m, {"x": np.arange(12, dtype=np.uint8).reshape(3, 4)}, "Exp", 1)
