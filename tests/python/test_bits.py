"""The same bits whatever the number of threads, for models large enough to be split."""

import numpy as np
import pytest
from conftest import DIGITS, model_of, value
from onnx import helper, numpy_helper

import norn


def bits(array):
    return np.ascontiguousarray(array).view(np.uint8)


def conv_model(rng, channels, filters, kernel, group=1):
    w = rng.standard_normal((filters, channels // group, kernel, kernel), np.float32)
    b = rng.standard_normal(filters, np.float32)
    pad = kernel // 2
    node = helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[pad] * 4, group=group)
    nodes = [node, helper.make_node("Relu", ["c"], ["r"]), helper.make_node("GlobalAveragePool", ["r"], ["y"])]
    return model_of(
        nodes,
        [value("x", ["N", channels, "H", "W"])],
        [value("r", None), value("y", None)],
        [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")],
    )


def matmul_model(rng, k, n):
    w = rng.standard_normal((k, n), np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Softmax", ["m"], ["s"], axis=-1),
        helper.make_node("ReduceSum", ["s"], ["y"], keepdims=0),
    ]
    return model_of(
        nodes,
        [value("x", ["N", k])],
        [value("m", None), value("s", None), value("y", None)],
        [numpy_helper.from_array(w, "w")],
    )


def cases():
    rng = np.random.default_rng(7)

    def normal(*shape):
        return rng.standard_normal(shape, np.float32)

    yield "digits", str(DIGITS / "digits_cnn.onnx"), {"image": np.load(DIGITS / "images.npy")}
    yield "conv3x3", conv_model(rng, 16, 32, 3), {"x": normal(2, 16, 37, 41)}
    yield "conv1x1", conv_model(rng, 33, 17, 1), {"x": normal(1, 33, 29, 31)}
    yield "conv5x5 in groups", conv_model(rng, 12, 24, 5, group=4), {"x": normal(3, 12, 19, 23)}
    yield "depthwise", conv_model(rng, 24, 24, 3, group=24), {"x": normal(1, 24, 40, 40)}
    for rows in (1, 3, 64, 129):
        yield f"matmul of {rows} rows", matmul_model(rng, 257, 193), {"x": normal(rows, 257)}


@pytest.mark.parametrize(("model", "feed"), [c[1:] for c in cases()], ids=[c[0] for c in cases()])
def test_bits_do_not_depend_on_the_number_of_threads(model, feed):
    runs = []
    for threads in (1, 2, 3):
        session = norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=threads))
        runs.append(session.run(None, feed))
        for a, b in zip(runs[0], session.run(None, feed), strict=True):
            np.testing.assert_array_equal(bits(a), bits(b))
    for other in runs[1:]:
        for a, b in zip(runs[0], other, strict=True):
            np.testing.assert_array_equal(bits(a), bits(b))


@pytest.mark.parametrize(("model", "feed"), [c[1:] for c in cases()], ids=[c[0] for c in cases()])
def test_fast_kernels_agree_with_the_reference(model, feed):
    fast = norn.InferenceSession(model).run(None, feed)
    reference = norn.InferenceSession(model, norn.SessionOptions(reference_only=True)).run(None, feed)
    for a, b in zip(fast, reference, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)
