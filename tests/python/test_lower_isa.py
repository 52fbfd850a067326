"""What other instruction sets make oneDNN do: it may read weights as they lie, and not pack them."""

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
