"""Rows of operators.py for operators as earlier sets have them, as exporters wrote them for years."""

import numpy as np
from operator_cases import RNG, array, ints, model, row


def at(version, inputs, node, outputs="y"):
    text, feeds = model(inputs, node, outputs)
    return f'<ir_version: 7, opset_import: ["": {version}, "ai.onnx.ml": 1]>\n' + text, feeds


def earlier():
    def f(*dims):
        return array("float", *dims)

    rows = {}
    image = (1, 32, 64, 64)
    for mode in ("nearest", "linear"):
        for dtype in ("float", "uint8", "int32"):
            if dtype == "float" or mode == "nearest":
                rows[row("Upsample", dtype) + f" {mode}"] = lambda d=dtype, m=mode: (
                    *at(9, {"a": array(d, *image)}, f'y = Upsample<mode = "{m}">(a, s)'),
                    {"s": np.array([1, 1, 2, 2], np.float32)},
                )
                rows[row("Resize", dtype) + f" 10 {mode}"] = lambda d=dtype, m=mode: (
                    *at(10, {"a": array(d, *image)}, f'y = Resize<mode = "{m}">(a, s)'),
                    {"s": np.array([1, 1, 2, 2], np.float32)},
                )
        rows[f"Upsample 7 {mode}"] = lambda m=mode: at(
            8, {"a": f(*image)}, f'y = Upsample<mode = "{m}", scales = [1.0, 1.0, 2.0, 2.0]>(a)'
        )
        rows[f"Resize 11 {mode}"] = lambda m=mode: (
            *at(
                11,
                {"a": f(*image)},
                f'y = Resize<mode = "{m}", nearest_mode = "floor", coordinate_transformation_mode '
                '= "asymmetric">(a, r, s)',
            ),
            {"r": np.array([], np.float32), "s": np.array([1, 1, 2, 2], np.float32)},
        )
        rows[f"Resize 11 {mode} crop"] = lambda m=mode: (
            *at(
                11,
                {"a": f(*image)},
                f'y = Resize<mode = "{m}", coordinate_transformation_mode = "tf_crop_and_resize">(a, r, , k)',
            ),
            {"r": np.array([0, 0, 0.1, 0.1, 1, 1, 0.9, 0.9], np.float32), "k": np.array([1, 32, 100, 100])},
        )
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for axis in (1, 2):
            rows[f"{op} 11 axis {axis}"] = lambda op=op, axis=axis: at(
                11, {"a": f(8, 50, 1000)}, f"y = {op}<axis = {axis}>(a)"
            )
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceProd"):
        for dtype in ("float", "int32", "int64"):
            rows[row(op, dtype) + " 11"] = lambda op=op, d=dtype: at(
                11, {"a": array(d, 8, 64, 1000, high=2)}, f"y = {op}<axes = [1], keepdims = 0>(a)"
            )
    rows["Slice 9"] = lambda: at(
        9, {"a": f(8, 100, 500)}, "y = Slice<axes = [1, 2], starts = [1, 3], ends = [90, -1]>(a)"
    )
    rows["Pad 2"] = lambda: at(9, {"a": f(*image)}, "y = Pad<pads = [0, 0, 1, 1, 0, 0, 1, 1]>(a)")
    rows["Pad 2 reflect"] = lambda: at(
        9, {"a": f(*image)}, 'y = Pad<mode = "reflect", pads = [0, 0, 3, 3, 0, 0, 3, 3]>(a)'
    )
    rows["Clip 6"] = lambda: at(9, {"a": f(500000)}, "y = Clip<min = 0.0, max = 6.0>(a)")
    rows["Dropout 7"] = lambda: at(9, {"a": f(500000)}, "y = Dropout<ratio = 0.5>(a)")
    rows["BatchNormalization 9"] = lambda: (
        *at(9, {"a": f(1, 64, 56, 56)}, "y = BatchNormalization(a, s, b, m, v)"),
        {k: np.abs(f(64)) + np.float32(0.1) for k in "sbmv"},
    )
    rows["Split 2"] = lambda: at(
        9, {"a": f(8, 96, 1000)}, "x, y, z = Split<axis = 1, split = [32, 32, 32]>(a)", "x, y, z"
    )
    rows["Squeeze 1"] = lambda: at(9, {"a": f(1, 500, 1000)}, "y = Squeeze<axes = [0]>(a)")
    rows["Unsqueeze 1"] = lambda: at(9, {"a": f(500, 1000)}, "y = Unsqueeze<axes = [0]>(a)")
    rows["TopK 1"] = lambda: at(9, {"a": f(100, 5000)}, "y, i = TopK<k = 10>(a)", "y, i")
    rows["Cast 9"] = lambda: at(9, {"a": f(500000)}, "y = Cast<to = 7>(a)")
    rows["Gemm 9"] = lambda: (
        *at(9, {"a": f(1, 2048)}, "y = Gemm<transB = 1>(a, w, b)"),
        {"w": f(1000, 2048), "b": f(1000)},
    )
    rows["Scatter 9"] = lambda: at(
        9,
        {"a": f(500, 1000), "i": np.argsort(RNG.random((500, 1000)), 1)[:, :100], "u": f(500, 100)},
        "y = Scatter<axis = 1>(a, i, u)",
    )
    rows["Gather 9"] = lambda: at(9, {"a": f(5000, 256), "i": ints(0, 5000, 8, 64)}, "y = Gather(a, i)")
    rows["PRelu 9"] = lambda: (*at(9, {"a": f(1, 64, 56, 56)}, "y = PRelu(a, s)"), {"s": f(64, 1, 1)})
    rows["MaxPool 8"] = lambda: at(
        8, {"a": f(1, 64, 56, 56)}, "y = MaxPool<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(a)"
    )
    rows["AveragePool 7"] = lambda: at(
        9, {"a": f(1, 64, 56, 56)}, "y = AveragePool<kernel_shape = [2, 2], strides = [2, 2]>(a)"
    )
    rows["LSTM 7"] = lambda: (
        *at(9, {"a": f(20, 1, 64)}, "y, h, c = LSTM<hidden_size = 64>(a, w, r, b)", "y, h, c"),
        {"w": f(1, 256, 64), "r": f(1, 256, 64), "b": f(1, 512)},
    )
    rows["ConstantFill 9"] = lambda: at(
        9, {"s": np.array([500, 1000])}, "y = ConstantOfShape<value = float[1] {1.5}>(s)"
    )
    rows["Where 9"] = lambda: at(
        9, {"c": array("bool", 1, 1, 128, 128), "a": f(1, 12, 128, 128), "b": f(1)}, "y = Where(c, a, b)"
    )
    for axis in (1, 3):
        rows[f"QuantizeLinear 13 axis {axis}"] = lambda axis=axis: (
            *at(13, {"a": f(1, 64, 56, 64)}, f"y = QuantizeLinear<axis = {axis}>(a, s, z)"),
            {"s": np.full(64, 0.1, np.float32), "z": np.full(64, 3, np.uint8)},
        )
    return rows


FAMILIES = {"earlier": earlier}
