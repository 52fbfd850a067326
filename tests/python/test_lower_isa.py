"""What machines with other instruction sets do: oneDNN may read weights as they lie there, and not pack them."""

import os
import subprocess
import sys

import pytest

# A factor that follows from sizes belongs to the plan: B is C times the number of rows.
CODE = """
import numpy as np, onnx.parser, norn
m = onnx.parser.parse_model('''<ir_version: 10, opset_import: ["": 21]>
g (float[N, 32] x, float[32, 32] c) => (y) {
  s = Shape <start = 0, end = 1> (x) f = Cast <to = 1> (s) b = Mul(f, c) y = MatMul(x, b) }''')
rng = np.random.default_rng(0)
c = rng.standard_normal((32, 32)).astype(np.float32)
m.graph.initializer.append(onnx.numpy_helper.from_array(c, "c"))
del m.graph.input[1]
session = norn.InferenceSession(m)
for turn in range(3):
    for n in (1, 3, 16, 64, 100, 256, 999):
        x = rng.standard_normal((n, 32)).astype(np.float32)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], x @ (c * n), rtol=1e-3, atol=1e-2 * n)
"""


@pytest.mark.parametrize("isa", ["SSE41", "AVX2", "AVX512_CORE"])
def test_constants_of_a_plan_live_as_long_as_it(isa):
    subprocess.run([sys.executable, "-c", CODE], env={**os.environ, "ONEDNN_MAX_CPU_ISA": isa}, check=True)


@pytest.mark.parametrize("limit", ["avx512", "avx2", "sse4", "portable"])
def test_the_limit_holds_for_the_kernels_of_a_session(limit):
    code = """
import numpy as np, onnx.parser, norn
m = onnx.parser.parse_model('''<ir_version: 10, opset_import: ["": 21]>
g (float[N, 64] x, int64[N, 64] k) => (float[N, 64] y, int64[N, 64] z, int64[N] most) {
  e = Exp(x) s = MatMul(e, c) y = Tanh(s) z = Mul(k, k) a = Constant <value_ints = [1]> ()
  most = ReduceMax <keepdims = 0> (k, a) }''')
rng = np.random.default_rng(1)
c = rng.standard_normal((64, 64)).astype(np.float32) * 0.1
m.graph.initializer.append(onnx.numpy_helper.from_array(c, "c"))
x = rng.standard_normal((33, 64)).astype(np.float32)
k = rng.integers(-9, 9, (33, 64))
y, z, most = norn.InferenceSession(m).run(None, {"x": x, "k": k})
np.testing.assert_allclose(y, np.tanh(np.exp(x) @ c), rtol=1e-4, atol=1e-5)
assert (z == k * k).all() and (most == k.max(1)).all()
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "NORN_MAX_CPU_ISA": limit}, check=True)


@pytest.mark.parametrize("limit", ["avx512", "avx2", "sse4", "portable"])
def test_infinity_stays_where_double_becomes_float(limit):
    code = """
import numpy as np, onnx.parser, norn
m = onnx.parser.parse_model('''<ir_version: 11, opset_import: ["": 23]>
g (float[2, 4, 16] x, double[60, 4] d) => (y, z) {
  k = Constant <value_int = 1> () y = CumSum(x, k) s = Constant <value_floats = [1.0, 1.0, 1.0, 1.0]> ()
  w = Cast <to = 11> (s) z = RMSNormalization <axis = 1> (d, w) }''')
x = np.ones((2, 4, 16), np.float32)
x[0, 0], x[1] = -np.inf, 3e38
d = np.tile([-np.inf, 1, 2, 3], (60, 1))
y, z = norn.InferenceSession(m).run(None, {"x": x, "d": d})
assert np.isneginf(y[0]).all() and np.isposinf(y[1, 1:]).all() and (y[1, 0] == x[1, 0]).all()
assert np.isnan(z[:, 0]).all() and (z[:, 1:] == 0).all()
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "NORN_MAX_CPU_ISA": limit}, check=True)


def test_a_limit_that_is_not_known_is_refused():
    code = """
import norn, onnx.parser
m = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 21]> g (float[2] x) => (float[2] y) { y = Relu(x) }')
for turn in range(2):
    try:
        norn.InferenceSession(m)
    except norn.InvalidArgument as error:
        assert 'NORN_MAX_CPU_ISA is "AVX9"' in error.message and "avx512, avx2, sse4 or portable" in error.hint
    else:
        raise AssertionError("no error")
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "NORN_MAX_CPU_ISA": "AVX9"}, check=True)
