"""Recurrent layers without steps, of more sequences than memory has room for a number of each."""

import numpy as np
import onnx.parser
import pytest

import norn

MANY = 1 << 33


@pytest.mark.parametrize("reference_only", [False, True])
@pytest.mark.parametrize(("op", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_without_steps_there_is_nothing_to_do(op, gates, reference_only):
    model = onnx.parser.parse_model(f"""<ir_version: 9, opset_import: ["": 21]>
    agraph (float[S,B,2] x, float[1,{3 * gates},2] w, float[1,{3 * gates},3] r) => (y) {{
        y = {op}<hidden_size = 3>(x, w, r)
    }}""")
    session = norn.InferenceSession(model, norn.SessionOptions(reference_only=reference_only))
    rng = np.random.default_rng(1)
    w, r = (rng.standard_normal((1, 3 * gates, n), np.float32) for n in (2, 3))
    y = session.run(None, {"x": np.zeros((0, MANY, 2), np.float32), "w": w, "r": r})[0]
    assert y.shape == (0, 1, MANY, 3)
