"""Tensors without elements whose other sizes multiply to more than 63 bits can count, or would take years to count
through: what computes nothing takes no time and no memory."""

import numpy as np
import onnx.parser
import pytest

import norn

SHAPES = [(2**40, 2**40, 0, 3), (2**61, 3, 0), (0, 2**61, 3), (3, 0, 2**61), (2**61, 2**61, 0), (0, 2**40, 2**40)]
ALONG = {
    "Softmax": "y = Softmax<axis = {}>(x)",
    "LogSoftmax": "y = LogSoftmax<axis = {}>(x)",
    "CumSum": "a = Constant<value_int = {}>()\n y = CumSum(x, a)",
    "ReduceSum": "a = Constant<value_ints = [{}]>()\n y = ReduceSum(x, a)",
    "ReduceMax": "a = Constant<value_ints = [{}]>()\n y = ReduceMax(x, a)",
    "ReduceMean": "a = Constant<value_ints = [{}]>()\n y = ReduceMean(x, a)",
    "ArgMax": "y = ArgMax<axis = {}>(x)",
    "Concat": "y = Concat<axis = {}>(x, x)",
    "Gather": "i = Constant<value_ints = [0, 0]>()\n y = Gather<axis = {}>(x, i)",
}
WHOLE = {
    "Transpose": "y = Transpose(x)",
    "Add": "y = Add(x, x)",
    "Tanh": "y = Tanh(x)",
    "Cast": "y = Cast<to = 7>(x)",
    "MatMul": "s = Constant<value_ints = [1, 2]>()\n z = ConstantOfShape(s)\n y = MatMul(x, z)",
}


def run(nodes, shape, reference_only):
    text = f"""<ir_version: 10, opset_import: ["": 21]> agraph (int64[R] shape) => (at) {{
        x = ConstantOfShape(shape)
        {nodes}
        at = NonZero(y)
    }}"""
    session = norn.InferenceSession(
        onnx.parser.parse_model(text), norn.SessionOptions(reference_only=reference_only)
    )
    return session.run(None, {"shape": np.array(shape)})[0]


@pytest.mark.parametrize("reference_only", [False, True], ids=["fast", "reference"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("op", ALONG)
def test_along_each_axis(op, shape, reference_only):
    for axis in range(len(shape)):
        if shape[axis] == 0 and op.startswith(("Reduce", "Arg", "Gather")):
            continue  # the result has elements
        assert run(ALONG[op].format(axis), shape, reference_only).shape == (len(shape), 0)


@pytest.mark.parametrize("reference_only", [False, True], ids=["fast", "reference"])
@pytest.mark.parametrize("op", WHOLE)
def test_as_a_whole(op, reference_only):
    for shape in SHAPES:
        if op == "MatMul":
            shape = (*shape[1:], shape[0], 0, 1)
        assert run(WHOLE[op], shape, reference_only).shape == (len(shape), 0)


@pytest.mark.parametrize("reference_only", [False, True], ids=["fast", "reference"])
def test_attention_of_no_batch(reference_only):
    text = """<ir_version: 11, opset_import: ["": 23]> agraph (float[B, H, Q, D] q, float[B, H, K, D] k) => (y) {
        y = Attention(q, k, k)
    }"""
    options = norn.SessionOptions(reference_only=reference_only)
    q, k = np.zeros((0, 2, 3, 8), np.float32), np.zeros((0, 2, 2**40, 8), np.float32)
    assert norn.InferenceSession(onnx.parser.parse_model(text), options).run(None, {"q": q, "k": k})[0].shape == q.shape
