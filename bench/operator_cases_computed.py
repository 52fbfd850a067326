"""Rows of operators.py whose axes, lengths, pads and the like are computed in the model: only running tells them."""

import numpy as np
from operator_cases import array, model


def computed():
    rows = {}

    def add(name, node, outputs="y", **inputs):
        """`node` reads x and a parameter p, which is p + zero; of arrays there are makers, others are integers."""

        def make():
            feeds = {k: v() if callable(v) else np.array(v, np.int64) for k, v in inputs.items()}
            feeds["q"] = np.zeros_like(feeds["p"])
            return model(feeds, f"s = Add(p, q) {node}", outputs)

        rows[f"{name} computed"] = make

    def x(*dims):
        return lambda: array("float", *dims)

    volume = x(16, 256, 256)
    add("ReduceSum", "y = ReduceSum(x, s)", x=volume, p=[1])
    add("ReduceMax", "y = ReduceMax(x, s)", x=volume, p=[1])
    add("ReduceMean", "y = ReduceMean(x, s)", x=volume, p=[2])
    add("CumSum", "y = CumSum(x, s)", x=volume, p=1)
    add("Pad", "y = Pad(x, s)", x=volume, p=[0, 1, 1, 0, 1, 1])
    add("Pad reflect", 'y = Pad<mode = "reflect">(x, s)', x=volume, p=[0, 1, 1, 0, 1, 1])
    add("TopK", "y, i = TopK(x, s)", "y, i", x=x(256, 4096), p=[10])
    add("CenterCropPad", "y = CenterCropPad(x, s)", x=volume, p=[16, 200, 300])
    add("Tile", "y = Tile(x, s)", x=x(64, 256), p=[8, 8])
    add("Trilu", "y = Trilu(x, s)", x=volume, p=1)
    add("ConstantOfShape", "y = ConstantOfShape(s)", p=[1000, 1000])
    add("Slice", "y = Slice(x, s, b, c)", x=x(64, 128, 128), p=[1], b=[120], c=[2])
    add("Slice rows", "y = Slice(x, s, b, c)", x=x(4096, 64), p=[100], b=[3000], c=[0])
    add("Split", "y, z = Split(x, s)", "y, z", x=volume, p=[6, 10])
    add("Expand", "y = Expand(x, s)", x=x(1, 256, 256), p=[16, 256, 256])
    add("Reshape", "y = Reshape(x, s)", x=volume, p=[-1, 256])
    twice = np.array([1, 1, 2, 2], np.float32)
    add("Resize scales", 'y = Resize<mode = "linear">(x, , s)', x=x(1, 16, 128, 128), p=lambda: twice)
    add("Resize sizes", 'y = Resize<mode = "linear">(x, , , s)', x=x(1, 16, 128, 128), p=[1, 16, 256, 256])
    return rows


FAMILIES = {"computed": computed}
