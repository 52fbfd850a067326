"""Hardly any memory left while kernels are made for new sizes: errors, and the process lives."""

import subprocess
import sys

import pytest

CHILD = """
import resource, sys, numpy as np, onnx.parser, norn
model = onnx.parser.parse_model('''<ir_version: 9, opset_import: ["": 21]>
agraph (float[N,16,H,H] x, float[16,16,3,3] w, float[M,300] a, float[300,200] b) => (y, z) {
    y = Conv<pads=[1,1,1,1]>(x, w) z = MatMul(a, b) }''')
session = norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=1))
rng = np.random.default_rng(0)
def feed(n):
    shapes = {"x": (1, 16, n, n), "w": (16, 16, 3, 3), "a": (8 + n, 300), "b": (300, 200)}
    return {name: rng.standard_normal(dims, np.float32) for name, dims in shapes.items()}
session.run(None, feed(8))
feeds = [feed(n) for n in range(20, 44, 3)]
truth = [norn.InferenceSession(model).run(None, f) for f in feeds[:1]]
used = int(open("/proc/self/statm").read().split()[0]) * 4096
unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]), resource.RLIM_INFINITY))
refused = 0
for f in feeds:
    try:
        session.run(None, f)
    except (norn.Error, MemoryError) as error:
        refused += 1
        assert not isinstance(error, norn.Error) or error.code == "LimitExceeded", error
resource.setrlimit(resource.RLIMIT_AS, unlimited)
np.testing.assert_array_equal(session.run(None, feeds[0])[0], truth[0][0])
print(refused)
"""


@pytest.mark.parametrize("left", [1 << 18, 1 << 20, 1 << 22, 1 << 24])
def test_kernels_are_refused_where_there_is_no_memory_to_make_them(left):
    done = subprocess.run([sys.executable, "-c", CHILD, str(left)], capture_output=True, text=True, timeout=120)
    if "Sanitizer" in done.stderr:
        pytest.skip("the sanitizers' allocators end the process where there is no memory")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
