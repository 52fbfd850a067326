"""Rows of operators.py whose sizes, axes, paddings or counts come with a run: "fed" as an input, "computed" by a node
of the model."""

import numpy as np
from operator_cases import array, ints, model, row

MATRIX, IMAGE = (500, 1000), (1, 16, 64, 64)
SIZES, NUMBERS, FLOAT = ("float", "float16", "int8", "int64"), ("float", "double", "int32", "int64"), ("float",)


def longs(*values):
    return np.array(values, np.int64)


# (operator, a note, types, shape of x, the parameter s, other parameters, the node)
TABLE = (
    ("Slice", "", SIZES, MATRIX, longs(3, 1), {"e": longs(400, 900)}, "y = Slice(x, s, e)"),
    ("Slice", "axis 1", SIZES, MATRIX, longs(100), {"e": longs(900), "k": longs(1)}, "y = Slice(x, s, e, k)"),
    (
        "Slice",
        "steps",
        SIZES,
        MATRIX,
        longs(3, 1),
        {"e": longs(400, 900), "k": longs(0, 1), "t": longs(1, 2)},
        "y = Slice(x, s, e, k, t)",
    ),
    ("Reshape", "", SIZES, MATRIX, longs(-1, 500), {}, "y = Reshape(x, s)"),
    ("Expand", "", SIZES, (500, 1), longs(500, 1000), {}, "y = Expand(x, s)"),
    ("Tile", "", SIZES, (250, 500), longs(2, 2), {}, "y = Tile(x, s)"),
    ("Pad", "", SIZES, MATRIX, longs(1, 1, 1, 1), {}, "y = Pad(x, s)"),
    ("Pad", "4D", SIZES, (1, 16, 160, 160), longs(0, 0, 1, 1, 0, 0, 1, 1), {}, "y = Pad(x, s)"),
    ("Pad", "reflect", SIZES, MATRIX, longs(1, 1, 1, 1), {}, 'y = Pad<mode = "reflect">(x, s)'),
    ("Unsqueeze", "", SIZES, MATRIX, longs(0), {}, "y = Unsqueeze(x, s)"),
    ("Squeeze", "", SIZES, (1, *MATRIX), longs(0), {}, "y = Squeeze(x, s)"),
    ("Split", "", SIZES, MATRIX, longs(300, 700), {}, "y, z = Split<axis = 1>(x, s)"),
    ("Trilu", "", SIZES, MATRIX, np.array(3), {}, "y = Trilu(x, s)"),
    ("ReduceSum", "", NUMBERS, MATRIX, longs(1), {}, "y = ReduceSum(x, s)"),
    ("ReduceMean", "", FLOAT, (16, 256, 256), longs(2), {}, "y = ReduceMean(x, s)"),
    ("ReduceMax", "", NUMBERS, MATRIX, longs(0), {}, "y = ReduceMax(x, s)"),
    ("TopK", "", NUMBERS, MATRIX, longs(10), {}, "y, i = TopK(x, s)"),
    ("CumSum", "", NUMBERS, MATRIX, np.array(1), {}, "y = CumSum(x, s)"),
    ("ConstantOfShape", "", FLOAT, None, longs(500, 1000), {}, "y = ConstantOfShape(s)"),
    ("Resize", "", FLOAT, IMAGE, np.array([1, 1, 2, 2], np.float32), {}, 'y = Resize<mode = "linear">(x, , s)'),
    ("Resize", "nearest", FLOAT, IMAGE, np.array([1, 1, 2, 2], np.float32), {}, "y = Resize(x, , s)"),
    ("Resize", "sizes", FLOAT, IMAGE, longs(1, 16, 100, 100), {}, 'y = Resize<mode = "linear">(x, , , s)'),
    (
        "OneHot",
        "",
        FLOAT,
        None,
        np.array(100),
        {"i": ints(0, 100, 5000), "v": np.array([0, 1], np.float32)},
        "y = OneHot(i, s, v)",
    ),
    ("AffineGrid", "", FLOAT, (4, 2, 3), longs(4, 3, 128, 128), {}, "y = AffineGrid(x, s)"),
    ("CenterCropPad", "", FLOAT, MATRIX, longs(400, 1100), {}, "y = CenterCropPad(x, s)"),
    ("Col2Im", "", FLOAT, (1, 16 * 9, 62 * 62), longs(64, 64), {"k": longs(3, 3)}, "y = Col2Im(x, s, k)"),
    (
        "MaxUnpool",
        "",
        FLOAT,
        (1, 16, 32, 32),
        longs(1, 16, 64, 64),
        {"i": 4 * np.arange(16 * 32 * 32).reshape(1, 16, 32, 32)},
        "y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(x, i, s)",
    ),
)


def fed():
    rows = {}
    for op, note, dtypes, dims, s, others, node in TABLE:
        outputs = node.split(" = ")[0]
        for dtype in dtypes:

            def feeds(d=dtype, dims=dims, others=others):
                return {**({"x": array(d, *dims)} if dims else {}), **others}

            def whole(feeds=feeds, s=s, node=node, outputs=outputs):
                return model({**feeds(), "s": s}, node, outputs)

            def summed(feeds=feeds, s=s, node=node, outputs=outputs):
                return model({**feeds(), "p": s, "q": np.zeros_like(s)}, f"s = Add(p, q) {node}", outputs)

            rows[f"{row(op, dtype)} fed {note}".strip()] = whole
            if dtype == "float":
                rows[f"{op} computed {note}".strip()] = summed
    return rows


FAMILIES = {"fed": fed}
