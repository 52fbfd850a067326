"""What docs/differences.md says about values that operators compute.

Each case shows Norn's answer, and that of onnx's evaluator where the row is about it.
"""

import numpy as np
import pytest
from differences import CASES, VALUES, TABLES, case, pairs
from onnx import helper, parser
from onnx.reference import ReferenceEvaluator

import norn

F32 = np.float32


def test_every_case_has_a_row():
    assert set(CASES[VALUES]) <= set(TABLES[VALUES])


def both(op, version, inputs, **attributes):
    """What Norn gives, and a call that asks onnx's evaluator."""
    names = [f"i{k}" if v is not None else "" for k, v in enumerate(inputs)]
    feeds = {n: v for n, v in zip(names, inputs, strict=True) if n}
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
              for n, v in feeds.items()]
    output = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(inputs[0].dtype), None)
    graph = helper.make_graph([helper.make_node(op, names, ["y"], **attributes)], "g", values, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    got = norn.InferenceSession(model).run(None, feeds)[0]
    return got, lambda: ReferenceEvaluator(model).run(None, feeds)[0]


def ours(op, version, inputs, **attributes):
    return both(op, version, inputs, **attributes)[0]


def row(*values, dtype=F32):
    return np.array(values, dtype=dtype)


def images(*values, dtype=F32):
    return row(*values, dtype=dtype).reshape(1, 1, 1, -1)


NONE = row()


@case(VALUES, "MeanVarianceNormalization of float16 whose groups have one element, or are constant")
def _():
    x = np.array([[3], [5]], dtype=np.float16)
    assert ours("MeanVarianceNormalization", 13, [x], axes=[1]).tolist() == [[0], [0]]
    assert np.float16(1e-9) == 0


@case(VALUES, "MeanVarianceNormalization of float whose groups are constant")
def _():
    got, theirs = both("MeanVarianceNormalization", 13, [row(3, 5).reshape(2, 1)], axes=[1])
    assert got.tolist() == theirs().tolist() == [[0], [0]]


@case(VALUES, "attributes that are on or off, of another value than 0 and 1")
def _():
    got, theirs = both("CumSum", 14, [row(1, 2, 3), np.array(0)], reverse=2)
    assert got.tolist() == theirs().tolist() == [6, 5, 3]
    assert ours("ReduceSum", 13, [row(1, 2)], keepdims=-1).shape == (1,)
    with pytest.raises(norn.InvalidGraph, match="has to be 0 or 1"):
        ours("Unique", 11, [row(1, 2)], sorted=2)


@case(VALUES, "QuantizeLinear and DequantizeLinear of a vector by a list, without `axis`, whose default is 1")
def _():
    model = parser.parse_model('<ir_version: 8, opset_import: ["": 19]> g (float[2] x, float[2] s) => (y, z) '
                               "{ y = QuantizeLinear (x, s) z = DequantizeLinear (y, s) }")
    feeds = {"x": row(6, 6), "s": row(3, 2)}
    assert [y.tolist() for y in norn.InferenceSession(model).run(None, feeds)] == [[2, 3], [6, 6]]
    with pytest.raises(IndexError):
        ReferenceEvaluator(model).run(None, feeds)


@case(VALUES, "a slope of PRelu that does not broadcast to X, which the text asks for")
def _():
    with pytest.raises(norn.InvalidGraph, match="does not broadcast to X"):
        ours("PRelu", 16, [row(-1), row(2, 3)])
    assert ours("PRelu", 16, [row(-1, -2), row(2)]).tolist() == [-2, -4]


@case(VALUES, "Compress's condition as a scalar")
def _():
    with pytest.raises(norn.InvalidGraph, match='"condition" has rank 0'):
        ours("Compress", 11, [row(1, 2), np.array(True)])


@case(VALUES, "axes of reductions as a scalar")
def _():
    with pytest.raises(norn.InvalidGraph, match='"axes" has rank 0'):
        ours("ReduceSum", 13, [row(1, 2), np.array(0)])


@case(VALUES, "a scale and a zero point of QLinearConv's filters of which one is for all filters and the other by filter")
def _():
    byte = np.uint8
    one, x, w = F32(1), np.ones((1, 1, 2, 2), byte), np.ones((2, 1, 1, 1), byte)
    for scale, point in ((row(1, 1), row(0, dtype=byte)), (row(1), row(0, 0, dtype=byte)), (row(1, 1), byte(0))):
        with pytest.raises(norn.InvalidGraph, match="zero point"):
            ours("QLinearConv", 10, [x, np.array(one), np.array(byte(0)), w, scale, np.array(point), np.array(one),
                                     np.array(byte(0))])


@case(VALUES, "whole powers beyond the type; 0 to a negative whole power")
def _():
    whole = np.int64
    assert ours("Pow", 15, [row(2, 3, dtype=whole), row(64, 41, dtype=whole)]).tolist() == [0, 3**41 % 2**64 - 2**64]
    with pytest.raises(norn.Error, match="0 to a negative power"):
        ours("Pow", 15, [row(0, dtype=whole), row(-1, dtype=whole)])


@case(VALUES, "RMSNormalization of double")
def _():
    x = row(0.09264932847320974, dtype=np.float64)
    exact = x / np.sqrt(x * x + np.float64(F32(1e-5)))
    one = row(1, dtype=np.float64)
    assert ours("RMSNormalization", 23, [x, one], stash_type=11).tolist() == pytest.approx(exact.tolist(), rel=1e-15)
    assert ours("RMSNormalization", 23, [x, one]).tolist() != pytest.approx(exact.tolist(), rel=1e-12)


@case(VALUES, "LpNormalization with `p` = 1 of negative elements")
def _():
    got, theirs = both("LpNormalization", 22, [row(3, -1)], p=1)
    assert got.tolist() == [0.75, -0.25]
    assert theirs().tolist() == [1.5, -0.5]


@case(VALUES, "ConvTranspose 1 with `output_shape` or `auto_pad`, where its text contradicts itself")
def _():
    for version in (1, 11):
        got = ours("ConvTranspose", version, [images(1, 2), images(1, 10, 100)], strides=[1, 2], output_shape=[1, 4])
        assert got.ravel().tolist() == [10, 102, 20, 200]


@case(VALUES, "Resize with `tf_crop_and_resize` and `scales`")
def _():
    got = ours("Resize", 19, [row(1, 2, 3), row(0.5, 1), row(2)], coordinate_transformation_mode="tf_crop_and_resize",
               mode="linear")
    np.testing.assert_allclose(got, np.linspace(2, 3, 6), rtol=1e-6)


@case(VALUES, "Resize with `tf_crop_and_resize` of an axis that keeps its size")
def _():
    got, theirs = both("Resize", 19, [row(1, 2, 3), row(0.5, 1), None, row(3, dtype=np.int64)], mode="linear",
                       coordinate_transformation_mode="tf_crop_and_resize")
    assert got.tolist() == theirs().tolist() == [2, 2.5, 3]


@case(VALUES, "Resize with `align_corners` and `scales` that give no whole sizes")
def _():
    got, theirs = both("Resize", 19, [row(1, 2, 3, 4), NONE, row(0.6)], mode="linear",
                       coordinate_transformation_mode="align_corners")
    np.testing.assert_allclose(got, [1, 1 + 3 / 1.4], rtol=1e-6)
    np.testing.assert_allclose(got, theirs(), rtol=1e-6)


@case(VALUES, "Resize with `pytorch_half_pixel` to one element, `cubic`")
def _():
    got, theirs = both("Resize", 19, [row(1, 2, 3, 4), NONE, None, row(1, dtype=np.int64)], mode="cubic",
                       coordinate_transformation_mode="pytorch_half_pixel")
    assert got.tolist() == [1]
    assert theirs().tolist() != [1]


@case(VALUES, "Resize with scales that are rounded fractions, `nearest`")
def _():
    x = np.arange(9, dtype=F32)
    got, theirs = both("Resize", 19, [x, NONE, row(1 / 3)], coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor")
    assert got.tolist() == [0, 3, 6]
    assert theirs().tolist() == [0, 2, 5]


@case(VALUES, "Resize 10 and Upsample, `nearest`, of which the text says nothing")
def _():
    assert ours("Resize", 10, [row(1, 2, 3, 4), row(0.6)]).tolist() == [1, 3]
    assert ours("Resize", 10, [row(1, 2, 3, 4), row(1.5)]).tolist() == [1, 1, 2, 3, 3, 4]
    assert ours("Upsample", 9, [row(1, 2, 3, 4), row(1.5)]).tolist() == [1, 1, 2, 3, 3, 4]


@case(VALUES, "Resize of integers, `linear` and `cubic`")
def _():
    x = row(0, 1, 3, 6, dtype=np.uint8)
    got, theirs = both("Resize", 19, [x, NONE, row(2)], mode="linear", coordinate_transformation_mode="asymmetric")
    assert got.tolist() == theirs().tolist() == [0, 0, 1, 2, 3, 4, 6, 6]


@case(VALUES, "MaxUnpool with `output_shape`")
def _():
    x, indices = np.array([[[[5, 6], [7, 8]]]], dtype=F32), np.array([[[[6, 8], [16, 18]]]])
    shape = row(1, 1, 5, 5, dtype=np.int64)
    got, theirs = both("MaxUnpool", 22, [x, indices, shape], kernel_shape=[2, 2], strides=[2, 2])
    assert [got.ravel()[i] for i in indices.ravel()] == [5, 6, 7, 8]
    with pytest.raises(IndexError):
        theirs()


@case(VALUES, "GridSample, `cubic` with `border`, of a place beyond the edge")
def _():
    got, theirs = both("GridSample", 20, [row(1, 9).reshape(1, 1, 2), row(-2).reshape(1, 1, 1)], mode="cubic",
                       padding_mode="border")
    assert got.ravel().tolist() == theirs().ravel().tolist() == [1]


@case(VALUES, "GridSample of integers, `linear` and `cubic`")
def _():
    got, theirs = both("GridSample", 20, [images(4, 8, dtype=np.int32), np.zeros((1, 1, 1, 2), dtype=F32)])
    assert got.ravel().tolist() == [6]
    assert theirs().ravel().tolist() == [0]


@case(VALUES, "Slice with a negative step and an end of INT64_MAX")
def _():
    inputs = [row(1, 2, 3), *(row(v, dtype=np.int64) for v in (-1, 2**63 - 1, 0, -1))]
    got, theirs = both("Slice", 13, inputs)
    assert got.tolist() == theirs().tolist() == []


@case(VALUES, "RoiAlign with `mode` = `max`, of interpolated samples by the text")
def _():
    x = np.array([[[[1, 2], [3, 8]]]], dtype=F32)
    got, theirs = both("RoiAlign", 22, [x, row(0, 0, 2, 2).reshape(1, 4), row(0, dtype=np.int64)], mode="max",
                       sampling_ratio=1)
    assert got.ravel().tolist() == theirs().ravel().tolist() == [2]


@case(VALUES, "NonMaxSuppression, a score that is the threshold; the text removes what is less")
def _():
    boxes, scores = row(0, 0, 1, 1, 5, 5, 6, 6).reshape(1, 2, 4), row(0.5, 0.75).reshape(1, 1, 2)
    names = ["boxes", "scores", "most", "iou", "score"]
    values = [boxes, scores, row(9, dtype=np.int64), row(0.5), row(0.5)]
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
             for n, v in zip(names, values, strict=True)]
    output = helper.make_tensor_value_info("y", 7, None)
    graph = helper.make_graph([helper.make_node("NonMaxSuppression", names, ["y"])], "g", infos, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    feeds = dict(zip(names, values, strict=True))
    got = norn.InferenceSession(model).run(None, feeds)[0]
    assert got.tolist() == ReferenceEvaluator(model).run(None, feeds)[0].tolist() == [[0, 0, 1]]


@case(VALUES, "a graph output of other sizes than it declares")
def _():
    model = parser.parse_model('<ir_version: 8, opset_import: ["": 19]> g (float[N] x) => (float[5] y) { y = Neg (x) }')
    session, feeds = norn.InferenceSession(model), {"x": row(1, 2, 3)}
    assert session.get_outputs()[0].shape == [5]
    assert session.run(None, feeds)[0].shape == ReferenceEvaluator(model).run(None, feeds)[0].shape == (3,)


@pytest.mark.parametrize(("row", "shows"), pairs(VALUES))
def test_values(row, shows):
    shows()
