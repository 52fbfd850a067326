"""Operators on float16 that give several outputs, of other types or left out, against the same on float32."""

import norn
import numpy as np
import onnx.parser
import pytest

HEADER = '<ir_version: 13, opset_import: ["": 24]>\n'
RNG = np.random.default_rng(5)
HEADS = {name: RNG.standard_normal((2, 4, 9, 16)) for name in "qkv"}
LINES = {"x": RNG.standard_normal((7, 40)), "s": RNG.standard_normal(40), "b": RNG.standard_normal(40)}
BOXES = {"x": RNG.standard_normal((1, 3, 20, 20)), "r": np.array([[0, 1, 2, 12, 15], [0, 0, 0, 19, 19]])}
CASES = {
    "statistics": (LINES, "y, m, d = LayerNormalization(x, s, b)", ("y", "m", "d")),
    "one statistic": (LINES, "y, , d = LayerNormalization(x, s, b)", ("d",)),
    "statistics that are read": (LINES, "y, m = LayerNormalization(x, s, b) z = Neg(m)", ("y", "z")),
    "scores": (HEADS, "y, , , w = Attention<qk_matmul_output_mode = 3>(q, k, v)", ("y", "w")),
    "keys": (HEADS, "y, pk, pv = Attention(q, k, v)", ("y", "pk", "pv")),
    "places": (BOXES, "y = MaxRoiPool<pooled_shape = [3, 3]>(x, r)", ("y",)),
}


def run(feeds, node, outputs, dtype):
    kind = {np.float16: "float16", np.float32: "float"}[dtype]
    formals = ", ".join(f"{kind}[{', '.join(map(str, x.shape))}] {name}" for name, x in feeds.items())
    model = onnx.parser.parse_model(f"{HEADER}agraph ({formals}) => ({', '.join(outputs)}) {{ {node} }}")
    return norn.InferenceSession(model).run(None, feeds)


@pytest.mark.parametrize("name", CASES)
def test_half_as_float(name):
    feeds, node, outputs = CASES[name]
    halves = {k: v.astype(np.float16) for k, v in feeds.items()}
    got = run(halves, node, outputs, np.float16)
    want = run({k: v.astype(np.float32) for k, v in halves.items()}, node, outputs, np.float32)
    for output, g, w in zip(outputs, got, want, strict=True):
        assert g.dtype == (np.float32 if output in "mdz" else np.float16), output
        np.testing.assert_allclose(g.astype(np.float32), w, rtol=2e-3, atol=2e-3)
