"""Rows of operators.py for parameters that are fed with the data: sizes, axes, paddings, counts."""

import numpy as np
from operator_cases import array, ints, model, row


def longs(*values):
    return np.array(values, np.int64)


def fed():
    rows = {}

    def add(name, dtypes, feeds, node, outputs="y"):
        for dtype in dtypes:
            rows[row(name.split()[0], dtype) + " fed" + name[len(name.split()[0]) :]] = lambda dtype=dtype: model(
                feeds(dtype), node, outputs
            )

    sizes, numbers, one = ("float", "float16", "int8", "int64"), ("float", "double", "int32", "int64"), ("float",)
    matrix = (500, 1000)
    add(
        "Slice", sizes, lambda d: {"a": array(d, *matrix), "s": longs(3, 1), "e": longs(400, 900)}, "y = Slice(a, s, e)"
    )
    add(
        "Slice steps",
        sizes,
        lambda d: {"a": array(d, *matrix), "s": longs(3, 1), "e": longs(400, 900), "x": longs(0, 1), "t": longs(1, 2)},
        "y = Slice(a, s, e, x, t)",
    )
    add("Reshape", sizes, lambda d: {"a": array(d, *matrix), "s": longs(1000, 500)}, "y = Reshape(a, s)")
    add("Expand", sizes, lambda d: {"a": array(d, 500, 1), "s": longs(500, 1000)}, "y = Expand(a, s)")
    add("Tile", sizes, lambda d: {"a": array(d, 250, 500), "s": longs(2, 2)}, "y = Tile(a, s)")
    add("Pad", sizes, lambda d: {"a": array(d, *matrix), "s": longs(1, 1, 1, 1)}, "y = Pad(a, s)")
    add(
        "Pad 4D",
        sizes,
        lambda d: {"a": array(d, 1, 16, 160, 160), "s": longs(0, 0, 1, 1, 0, 0, 1, 1)},
        "y = Pad(a, s)",
    )
    add("Unsqueeze", sizes, lambda d: {"a": array(d, *matrix), "s": longs(0)}, "y = Unsqueeze(a, s)")
    add("Squeeze", sizes, lambda d: {"a": array(d, 1, *matrix), "s": longs(0)}, "y = Squeeze(a, s)")
    add(
        "Split", sizes, lambda d: {"a": array(d, *matrix), "s": longs(300, 700)}, "y, z = Split<axis = 1>(a, s)", "y, z"
    )
    add("Trilu", sizes, lambda d: {"a": array(d, *matrix), "s": np.array(3)}, "y = Trilu(a, s)")
    add("ReduceSum", numbers, lambda d: {"a": array(d, *matrix), "s": longs(1)}, "y = ReduceSum(a, s)")
    add("ReduceMax", numbers, lambda d: {"a": array(d, *matrix), "s": longs(0)}, "y = ReduceMax(a, s)")
    add("TopK", numbers, lambda d: {"a": array(d, *matrix), "s": longs(10)}, "y, i = TopK(a, s)", "y, i")
    add("CumSum", numbers, lambda d: {"a": array(d, *matrix), "s": np.array(1)}, "y = CumSum(a, s)")
    add("ConstantOfShape", one, lambda d: {"s": longs(500, 1000)}, "y = ConstantOfShape(s)")
    image = (1, 16, 64, 64)
    twice = np.array([1, 1, 2, 2], np.float32)
    add("Resize", one, lambda d: {"a": array(d, *image), "s": twice}, 'y = Resize<mode = "linear">(a, , s)')
    add("Resize nearest", one, lambda d: {"a": array(d, *image), "s": twice}, "y = Resize(a, , s)")
    add(
        "Resize sizes",
        one,
        lambda d: {"a": array(d, *image), "s": longs(1, 16, 100, 100)},
        'y = Resize<mode = "linear">(a, , , s)',
    )
    add(
        "OneHot",
        one,
        lambda d: {"a": ints(0, 100, 5000), "d": np.array(100), "v": np.array([0, 1], np.float32)},
        "y = OneHot(a, d, v)",
    )
    add("AffineGrid", one, lambda d: {"t": array(d, 4, 2, 3), "s": longs(4, 3, 128, 128)}, "y = AffineGrid(t, s)")
    add("CenterCropPad", one, lambda d: {"a": array(d, *matrix), "s": longs(400, 1100)}, "y = CenterCropPad(a, s)")
    add(
        "Col2Im",
        one,
        lambda d: {"a": array(d, 1, 16 * 9, 62 * 62), "i": longs(64, 64), "k": longs(3, 3)},
        "y = Col2Im(a, i, k)",
    )
    add(
        "MaxUnpool",
        one,
        lambda d: {
            "a": array(d, 1, 16, 32, 32),
            "i": 4 * np.arange(16 * 32 * 32).reshape(1, 16, 32, 32),
            "o": longs(1, 16, 64, 64),
        },
        "y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(a, i, o)",
    )
    return rows


FAMILIES = {"fed": fed}
