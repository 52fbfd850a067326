"""Rows of operators.py for windows, images, normalisations, signals, losses and random numbers."""

import numpy as np
from operator_cases import RNG, array, ints, model, row
from operator_cases_shapes import const, text


def windows():
    rows = {}
    for op in ("MaxPool", "AveragePool", "LpPool"):
        for note, dims, attributes in (
            ("ceil", (1, 32, 57, 57), "<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1>"),
            ("pads", (1, 32, 56, 56), "<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>"),
            ("asymmetric", (1, 32, 56, 56), "<kernel_shape = [3, 2], strides = [1, 2], pads = [0, 1, 1, 0]>"),
            ("dilated", (1, 32, 56, 56), "<kernel_shape = [3, 3], dilations = [2, 2]>"),
            ("same", (1, 32, 56, 56), '<kernel_shape = [3, 3], auto_pad = "SAME_UPPER">'),
            ("2x2", (8, 16, 64, 64), "<kernel_shape = [2, 2], strides = [2, 2]>"),
            ("3D pads", (1, 8, 16, 32, 32), "<kernel_shape = [3, 3, 3], pads = [1, 1, 1, 1, 1, 1]>"),
            ("1D long", (4, 16, 10000), "<kernel_shape = [5], strides = [1]>"),
            ("small", (1, 4, 14, 14), "<kernel_shape = [2, 2], strides = [2, 2]>"),
            ("13x13", (1, 64, 20, 20), "<kernel_shape = [13, 13], pads = [6, 6, 6, 6]>"),
        ):
            for dtype in ("float", "double", "float16"):
                rows[row(op, dtype) + f" {note}"] = lambda op=op, dtype=dtype, dims=dims, attributes=attributes: model(
                    {"a": array(dtype, *dims)}, f"y = {op}{attributes}(a)"
                )
    for dtype in ("uint8", "int8"):
        rows[f"MaxPool {dtype} pads"] = lambda dtype=dtype: model(
            {"a": array(dtype, 1, 32, 56, 56)},
            "y = MaxPool<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(a)",
        )
    rows["AveragePool count pads"] = lambda: model(
        {"a": array("float", 1, 32, 56, 56)},
        "y = AveragePool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1>(a)",
    )
    rows["MaxPool indices pads"] = lambda: model(
        {"a": array("float", 1, 32, 56, 56)},
        "y, i = MaxPool<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>(a)",
        "y, i",
    )
    for note, x, w, attributes in (
        ("stride", (1, 3, 112, 112), (32, 3, 3, 3), "<strides = [2, 2], pads = [1, 1, 1, 1]>"),
        ("1x1", (1, 64, 56, 56), (64, 64, 1, 1), ""),
        ("group 4", (1, 64, 28, 28), (64, 16, 3, 3), "<group = 4, pads = [1, 1, 1, 1]>"),
        ("7x7", (1, 3, 112, 112), (64, 3, 7, 7), "<strides = [2, 2], pads = [3, 3, 3, 3]>"),
        ("asymmetric", (1, 16, 57, 57), (16, 16, 3, 2), "<pads = [1, 0, 0, 1]>"),
        ("one channel", (8, 1, 64, 64), (8, 1, 3, 3), ""),
        ("depthwise 5x5", (1, 96, 28, 28), (96, 1, 5, 5), "<group = 96, pads = [2, 2, 2, 2]>"),
        ("batch", (8, 16, 28, 28), (16, 16, 3, 3), "<pads = [1, 1, 1, 1]>"),
        ("1D dilated", (1, 64, 1000), (64, 64, 3), "<dilations = [4], pads = [4, 4]>"),
        ("1D depthwise", (1, 64, 1000), (64, 1, 7), "<group = 64>"),
        ("3D group", (1, 8, 8, 16, 16), (16, 4, 3, 3, 3), "<group = 2>"),
        ("odd", (1, 17, 33, 35), (19, 17, 3, 3), ""),
        ("small", (1, 4, 8, 8), (4, 4, 3, 3), ""),
    ):
        rows[f"Conv {note}"] = lambda x=x, w=w, attributes=attributes: (
            *model({"a": array("float", *x)}, f"y = Conv{attributes}(a, w)"),
            {"w": array("float", *w)},
        )
    for note, x, w, attributes in (
        ("group 2", (1, 16, 28, 28), (16, 8, 3, 3), "<strides = [2, 2], group = 2>"),
        (
            "output padding",
            (1, 16, 28, 28),
            (16, 16, 3, 3),
            "<strides = [2, 2], output_padding = [1, 1], pads = [1, 1, 1, 1]>",
        ),
        ("2x2", (1, 64, 28, 28), (64, 32, 2, 2), "<strides = [2, 2]>"),
        ("stride 1", (1, 16, 28, 28), (16, 16, 3, 3), "<pads = [1, 1, 1, 1]>"),
        ("double", (1, 8, 28, 28), (8, 8, 3, 3), "<strides = [2, 2]>"),
    ):
        dtype = "double" if note == "double" else "float"
        rows[f"ConvTranspose {note}"] = lambda x=x, w=w, attributes=attributes, dtype=dtype: (
            *model({"a": array(dtype, *x)}, f"y = ConvTranspose{attributes}(a, w)"),
            {"w": array(dtype, *w)},
        )
    rows["DeformConv"] = lambda: (
        *model({"a": array("float", 1, 16, 28, 28), "o": array("float", 1, 18, 26, 26)}, "y = DeformConv(a, w, o)"),
        {"w": array("float", 16, 16, 3, 3)},
    )
    for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        for note, dims in (("1D", (4, 64, 1000)), ("3D", (1, 16, 16, 30, 30)), ("7x7", (8, 512, 7, 7))):
            rows[f"{op} {note}"] = lambda op=op, dims=dims: model({"a": array("float", *dims)}, f"y = {op}(a)")
    for note, dims in (("2D", (500, 1000)), ("3D", (8, 64, 1000)), ("5D", (2, 16, 10, 30, 30))):
        for dtype in ("float", "double", "float16"):
            rows[row("BatchNormalization", dtype) + f" {note}"] = lambda dtype=dtype, dims=dims: (
                *model({"a": array(dtype, *dims)}, "y = BatchNormalization(a, s, b, m, v)"),
                {k: np.abs(array(dtype, dims[1])) for k in "smbv"},
            )
        rows[f"GroupNormalization {note}"] = lambda dims=dims: model(
            {"a": array("float", *dims), "s": array("float", dims[1]), "b": array("float", dims[1])},
            "y = GroupNormalization<num_groups = 4>(a, s, b)",
        )
        if note != "2D":
            rows[f"InstanceNormalization {note}"] = lambda dims=dims: model(
                {"a": array("float", *dims), "s": array("float", dims[1]), "b": array("float", dims[1])},
                "y = InstanceNormalization(a, s, b)",
            )
    for dtype in ("double", "float16"):
        rows[f"LayerNormalization {dtype}"] = lambda dtype=dtype: model(
            {"a": array(dtype, 500, 768), "s": array(dtype, 768), "b": array(dtype, 768)},
            "y = LayerNormalization(a, s, b)",
        )
    rows["LayerNormalization axis 1"] = lambda: model(
        {"a": array("float", 16, 8, 40, 40), "s": array("float", 8, 40, 40), "b": array("float", 8, 40, 40)},
        "y = LayerNormalization<axis = 1>(a, s, b)",
    )
    rows["LayerNormalization three outputs"] = lambda: model(
        {"a": array("float", 500, 768), "s": array("float", 768), "b": array("float", 768)},
        "y, m, v = LayerNormalization(a, s, b)",
        "y, m, v",
    )
    rows["LRN odd"] = lambda: model({"a": array("float", 2, 17, 33, 35)}, "y = LRN<size = 3>(a)")
    for op in ("Softmax", "LogSoftmax"):
        rows[f"{op} attention"] = lambda op=op: model({"a": array("float", 2, 12, 128, 128)}, f"y = {op}<axis = -1>(a)")
    rows["Shrink"] = lambda: model({"a": array("float", 500000)}, "y = Shrink<lambd = 0.5, bias = 0.5>(a)")
    rows["Upsample-like nearest 3D"] = lambda: model(
        {"a": array("float", 1, 8, 16, 16, 16)}, const("s", [1.0, 1.0, 2.0, 2.0, 2.0], "floats") + "y = Resize(a, , s)"
    )
    for mode in ("nearest", "linear"):
        rows[f"Resize {mode} 1D"] = lambda mode=mode: model(
            {"a": array("float", 1, 32, 4000)},
            const("s", [1.0, 1.0, 2.0], "floats") + f'y = Resize<mode = "{mode}">(a, , s)',
        )
        for transformation in ("half_pixel", "align_corners", "asymmetric"):
            rows[f"Resize {mode} {transformation} sizes"] = lambda mode=mode, transformation=transformation: model(
                {"a": array("float", 1, 3, 224, 224)},
                const("k", [1, 3, 160, 200])
                + f'y = Resize<mode = "{mode}", coordinate_transformation_mode = "{transformation}">(a, , , k)',
            )
    for nearest in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"):
        rows[f"Resize nearest {nearest}"] = lambda nearest=nearest: model(
            {"a": array("float", 1, 16, 64, 64)},
            const("s", [1.0, 1.0, 1.5, 1.5], "floats")
            + f'y = Resize<mode = "nearest", nearest_mode = "{nearest}", coordinate_transformation_mode = "asymmetric">(a, , s)',
        )
    for mode in ("linear", "cubic"):
        rows[f"Resize {mode} antialias image"] = lambda mode=mode: model(
            {"a": array("float", 1, 3, 300, 300)},
            const("k", [1, 3, 224, 224]) + f'y = Resize<mode = "{mode}", antialias = 1>(a, , , k)',
        )
    rows["Resize uint8 antialias image"] = lambda: model(
        {"a": array("uint8", 1, 3, 300, 300)},
        const("k", [1, 3, 224, 224]) + 'y = Resize<mode = "linear", antialias = 1>(a, , , k)',
    )
    rows["Resize uint8 nhwc"] = lambda: model(
        {"a": array("uint8", 1, 300, 300, 3)}, const("k", [1, 224, 224, 3]) + 'y = Resize<mode = "linear">(a, , , k)'
    )
    rows["GridSample align"] = lambda: model(
        {"a": array("float", 2, 16, 50, 50), "g": RNG.uniform(-1.1, 1.1, (2, 60, 60, 2)).astype(np.float32)},
        "y = GridSample<align_corners = 1>(a, g)",
    )
    rows["GridSample one channel"] = lambda: model(
        {"a": array("float", 1, 1, 200, 200), "g": RNG.uniform(-1.1, 1.1, (1, 200, 200, 2)).astype(np.float32)},
        "y = GridSample(a, g)",
    )
    rows["AffineGrid 3D"] = lambda: model(
        {"t": array("float", 2, 3, 4)}, const("s", [2, 3, 20, 30, 40]) + "y = AffineGrid(t, s)"
    )
    rows["AffineGrid double"] = lambda: model(
        {"t": array("double", 4, 2, 3)}, const("s", [4, 3, 128, 128]) + "y = AffineGrid(t, s)"
    )
    for note, size in (("1024", 1024), ("1000", 1000), ("997", 997)):
        for inverse in (0, 1):
            rows[f"DFT complex {note} inverse {inverse}"] = lambda size=size, inverse=inverse: model(
                {"a": array("float", 8, size, 2)}, f"k = Constant<value_int = 1>() y = DFT<inverse = {inverse}>(a, , k)"
            )
    rows["DFT onesided"] = lambda: model(
        {"a": array("float", 16, 512, 1)}, "k = Constant<value_int = 1>() y = DFT<onesided = 1>(a, , k)"
    )
    rows["DFT double"] = lambda: model(
        {"a": array("double", 8, 512, 2)}, "k = Constant<value_int = 1>() y = DFT(a, , k)"
    )
    rows["DFT axis 1 of 3"] = lambda: model(
        {"a": array("float", 4, 64, 64, 2)}, "k = Constant<value_int = 1>() y = DFT(a, , k)"
    )
    for size, step in ((400, 160), (512, 128), (256, 256)):
        rows[f"STFT {size}"] = lambda size=size, step=step: model(
            {"a": array("float", 1, 16000, 1), "w": array("float", size)},
            f"k = Constant<value_int = {step}>() l = Constant<value_int = {size}>() y = STFT(a, k, w, l)",
        )
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        rows[f"{op} small"] = lambda op=op: model({"n": np.array(1000)}, f"y = {op}(n)")
    rows["MelWeightMatrix"] = lambda: text(
        "y = MelWeightMatrix(n, d, r, l, u)",
        {
            "n": np.array(80),
            "d": np.array(512),
            "r": np.array(16000),
            "l": np.array(0.0, np.float32),
            "u": np.array(8000.0, np.float32),
        },
    )
    for note, dims in (("3x3", (5000, 3, 3)), ("64", (4, 64, 64)), ("2x2", (20000, 2, 2))):
        rows[f"Det {note}"] = lambda dims=dims: model({"a": array("float", *dims)}, "y = Det(a)")
    rows["Col2Im strides"] = lambda: model(
        {"a": array("float", 1, 8 * 9, 31 * 31)},
        const("i", [64, 64]) + const("k", [3, 3]) + "y = Col2Im<strides = [2, 2]>(a, i, k)",
    )
    rows["Col2Im dilated"] = lambda: model(
        {"a": array("float", 1, 8 * 9, 60 * 60)},
        const("i", [64, 64]) + const("k", [3, 3]) + "y = Col2Im<dilations = [2, 2]>(a, i, k)",
    )
    for reduction in ("mean", "sum", "none"):
        rows[f"SoftmaxCrossEntropyLoss {reduction}"] = lambda reduction=reduction: model(
            {"a": array("float", 8, 20, 50, 50), "t": ints(0, 20, 8, 50, 50)},
            f'y = SoftmaxCrossEntropyLoss<reduction = "{reduction}">(a, t)',
        )
        rows[f"SoftmaxCrossEntropyLoss {reduction} weights"] = lambda reduction=reduction: model(
            {"a": array("float", 1000, 100), "t": ints(0, 100, 1000), "w": np.abs(array("float", 100))},
            f'y, p = SoftmaxCrossEntropyLoss<reduction = "{reduction}">(a, t, w)',
            "y, p",
        )
        rows[f"NegativeLogLikelihoodLoss {reduction}"] = lambda reduction=reduction: model(
            {"a": array("float", 8, 20, 50, 50), "t": ints(0, 20, 8, 50, 50)},
            f'y = NegativeLogLikelihoodLoss<reduction = "{reduction}">(a, t)',
        )
    for op in ("RandomNormal", "RandomUniform"):
        rows[op] = lambda op=op: model({}, f"y = {op}<shape = [500, 400]>()")
        rows[f"{op}Like"] = lambda op=op: model({"a": array("float", 500, 400)}, f"y = {op}Like(a)")
    rows["Bernoulli"] = lambda: model({"a": RNG.random((500, 400)).astype(np.float32)}, "y = Bernoulli(a)")
    rows["Multinomial"] = lambda: model({"a": array("float", 20, 1000)}, "y = Multinomial<sample_size = 50>(a)")
    rows["Dropout training"] = lambda: model(
        {"a": array("float", 500000)},
        "r = Constant<value_float = 0.3>() t = Constant<value = bool {1}>() y, m = Dropout(a, r, t)",
        "y, m",
    )
    rows["NonMaxSuppression center"] = lambda: model(
        {
            "b": np.concatenate([RNG.uniform(0, 100, (1, 2000, 2)), RNG.uniform(1, 20, (1, 2000, 2))], 2).astype(
                np.float32
            ),
            "s": RNG.random((1, 1, 2000)).astype(np.float32),
        },
        const("m", [200])
        + const("i", [0.5], "floats")
        + const("t", [0.3], "floats")
        + "y = NonMaxSuppression<center_point_box = 1>(b, s, m, i, t)",
    )
    rows["NonMaxSuppression classes"] = lambda: model(
        {
            "b": np.sort(RNG.uniform(0, 100, (1, 500, 2, 2)), axis=2).reshape(1, 500, 4).astype(np.float32),
            "s": RNG.random((1, 80, 500)).astype(np.float32),
        },
        const("m", [20])
        + const("i", [0.5], "floats")
        + const("t", [0.5], "floats")
        + "y = NonMaxSuppression(b, s, m, i, t)",
    )
    for mode, ratio in (("avg", 0), ("avg", 1), ("max", 1)):
        rows[f"RoiAlign {mode} ratio {ratio}"] = lambda mode=mode, ratio=ratio: model(
            {
                "a": array("float", 1, 64, 50, 50),
                "r": np.sort(RNG.uniform(0, 49, (30, 2, 2)), axis=1).reshape(30, 4).astype(np.float32),
                "b": np.zeros(30, np.int64),
            },
            f'y = RoiAlign<output_height = 7, output_width = 7, sampling_ratio = {ratio}, mode = "{mode}">(a, r, b)',
        )
    return rows


FAMILIES = {"windows": windows}
