"""Rows of operators.py for tensors beyond the second cache and for sizes that activations of networks have."""

import numpy as np
from operator_cases import RNG, array, ints, model, row
from operator_cases_newer import newer
from operator_cases_shapes import const


def large():
    def f(*dims):
        return array("float", *dims)

    rows = {}
    huge = (4, 1024, 1024)
    for dtype in ("float", "float16", "double", "int64", "uint8"):
        for op in ("Add", "Mul"):
            rows[row(op, dtype) + " large"] = lambda op=op, d=dtype: model(
                {"a": array(d, *huge), "b": array(d, *huge)}, f"y = {op}(a, b)"
            )
        rows[row("Transpose", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, *huge)}, "y = Transpose<perm = [0, 2, 1]>(a)"
        )
        rows[row("Concat", dtype) + " large"] = lambda d=dtype: model(
            {k: array(d, 2, 512, 1024) for k in "abcd"}, "y = Concat<axis = 1>(a, b, c, d)"
        )
        rows[row("ReduceSum", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, *huge)}, const("k", [2]) + "y = ReduceSum(a, k)"
        )
        rows[row("ReduceMax", dtype) + " large first"] = lambda d=dtype: model(
            {"a": array(d, *huge)}, const("k", [0]) + "y = ReduceMax(a, k)"
        )
        rows[row("Slice", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, *huge)},
            const("s", [1, 0]) + const("e", [1023, 1000]) + const("x", [1, 2]) + "y = Slice(a, s, e, x)",
        )
        rows[row("Pad", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, *huge)}, const("k", [0, 1, 1, 0, 1, 1]) + "y = Pad(a, k)"
        )
        rows[row("Gather", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, 30000, 128), "i": ints(0, 30000, 16, 512)}, "y = Gather(a, i)"
        )
        rows[row("Expand", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, 4, 1, 1024)}, const("k", [4, 1024, 1024]) + "y = Expand(a, k)"
        )
        rows[row("Tile", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, 1, 1024, 1024)}, const("k", [4, 1, 1]) + "y = Tile(a, k)"
        )
        rows[row("Where", dtype) + " large"] = lambda d=dtype: model(
            {"c": array("bool", *huge), "a": array(d, *huge), "b": array(d, *huge)}, "y = Where(c, a, b)"
        )
        rows[row("Split", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, *huge)}, "x, y, z, w = Split<axis = 2, num_outputs = 4>(a)", "x, y, z, w"
        )
        rows[row("Identity", dtype) + " large"] = lambda d=dtype: model({"a": array(d, *huge)}, "y = Identity(a)")
        rows[row("CumSum", dtype) + " large"] = lambda d=dtype: model(
            {"a": array(d, *huge)}, "k = Constant<value_int = 2>() y = CumSum(a, k)"
        )
    for a, b in ((1, 10), (10, 1), (1, 7), (7, 1), (1, 16), (2, 1), (9, 1)):
        names = {
            v: k for k, v in (("float", 1), ("float16", 10), ("int64", 7), ("bfloat16", 16), ("uint8", 2), ("bool", 9))
        }
        rows[f"Cast {names[a]} to {names[b]} large"] = lambda a=names[a], b=b: model(
            {"a": array(a, *huge)}, f"y = Cast<to = {b}>(a)"
        )
    for op in (
        "Relu",
        "Sigmoid",
        "Tanh",
        "Erf",
        "Exp",
        "Gelu",
        "Sqrt",
        "Neg",
        "Not",
        "HardSwish",
        "Softplus",
        "LeakyRelu",
        "Clip",
    ):
        dtype = "bool" if op == "Not" else "float"
        rows[f"{op} large"] = lambda op=op, d=dtype: model({"a": array(d, *huge)}, f"y = {op}(a)")
    for op in ("Softmax", "LogSoftmax"):
        for axis in (1, 2):
            rows[f"{op} large axis {axis}"] = lambda op=op, axis=axis: model(
                {"a": f(*huge)}, f"y = {op}<axis = {axis}>(a)"
            )
        rows[f"{op} vocabulary"] = lambda op=op: model({"a": f(8, 50257)}, f"y = {op}(a)")
        rows[f"{op} classes"] = lambda op=op: model({"a": f(1, 1000)}, f"y = {op}(a)")
        rows[f"{op} pixels"] = lambda op=op: model({"a": f(1, 21, 256, 256)}, f"y = {op}<axis = 1>(a)")
        rows[f"{op} scores"] = lambda op=op: model({"a": f(1, 12, 384, 384)}, f"y = {op}(a)")
    for note, dims, axes in (
        ("pooled", (1, 2048, 7, 7), [2, 3]),
        ("tokens", (1, 197, 768), [1]),
        ("features", (32, 128, 768), [2]),
        ("channels", (1, 256, 56, 56), [1]),
    ):
        for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2", "ReduceSumSquare"):
            rows[f"{op} {note}"] = lambda op=op, dims=dims, axes=axes: model(
                {"a": f(*dims)}, const("k", axes) + f"y = {op}(a, k)"
            )
    for note, dims, s in (
        ("token", (1, 1, 4096), 4096),
        ("long", (1, 512, 1024), 1024),
        ("narrow", (4, 3136, 96), 96),
        ("wide", (16, 8192), 8192),
    ):
        rows[f"LayerNormalization {note}"] = lambda dims=dims, s=s: (
            *model({"a": f(*dims)}, "y = LayerNormalization(a, s, b)"),
            {"s": f(s), "b": f(s)},
        )
        rows[f"RMSNormalization {note}"] = lambda dims=dims, s=s: (
            *newer({"a": f(*dims)}, "y = RMSNormalization(a, s)"),
            {"s": f(s)},
        )
    for note, dims, groups in (("unet", (2, 320, 64, 64), 32), ("decoder", (1, 128, 256, 256), 32)):
        rows[f"GroupNormalization {note}"] = lambda dims=dims, g=groups: (
            *model({"a": f(*dims)}, f"y = GroupNormalization<num_groups = {g}>(a, s, b)"),
            {"s": f(dims[1]), "b": f(dims[1])},
        )
        rows[f"InstanceNormalization {note}"] = lambda dims=dims: (
            *model({"a": f(*dims)}, "y = InstanceNormalization(a, s, b)"),
            {"s": f(dims[1]), "b": f(dims[1])},
        )
        rows[f"BatchNormalization {note}"] = lambda dims=dims: (
            *model({"a": f(*dims)}, "y = BatchNormalization(a, s, b, m, v)"),
            {k: np.abs(f(dims[1])) + np.float32(0.1) for k in "sbmv"},
        )
    for op, attributes in (
        ("MaxPool", "<kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>"),
        ("AveragePool", "<kernel_shape = [2, 2], strides = [2, 2]>"),
        ("AveragePool", "<kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1>"),
        ("MaxPool", "<kernel_shape = [2, 2], strides = [2, 2]>"),
        ("MaxPool", "<kernel_shape = [5, 5], pads = [2, 2, 2, 2]>"),
    ):
        rows[f"{op} stem {attributes[16:22]} {len(attributes)}"] = lambda op=op, attributes=attributes: model(
            {"a": f(1, 64, 112, 112)}, f"y = {op}{attributes}(a)"
        )
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        rows[f"{op} head"] = lambda op=op: model({"a": f(1, 2048, 7, 7)}, f"y = {op}(a)")
        rows[f"{op} large"] = lambda op=op: model({"a": f(1, 256, 128, 128)}, f"y = {op}(a)")
    for mode in ("nearest", "linear", "cubic"):
        for transformation in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
            for dtype in ("float", "uint8"):
                rows[row("Resize", dtype) + f" {mode} {transformation} twice"] = (
                    lambda mode=mode, t=transformation, d=dtype: model(
                        {"a": array(d, 1, 64, 80, 80)},
                        const("s", [1.0, 1.0, 2.0, 2.0], "floats")
                        + f'y = Resize<mode = "{mode}", nearest_mode = "floor", coordinate_transformation_mode '
                        f'= "{t}">(a, , s)',
                    )
                )
        rows[f"Resize {mode} frame"] = lambda mode=mode: model(
            {"a": f(1, 3, 720, 1280)}, const("k", [1, 3, 640, 640]) + f'y = Resize<mode = "{mode}">(a, , , k)'
        )
        rows[f"Resize {mode} segmentation"] = lambda mode=mode: model(
            {"a": f(1, 21, 65, 65)},
            const("k", [1, 21, 513, 513])
            + f'y = Resize<mode = "{mode}", coordinate_transformation_mode = "align_corners">(a, , , k)',
        )
        rows[f"Resize {mode} nhwc twice"] = lambda mode=mode: model(
            {"a": f(1, 80, 80, 64)}, const("s", [1.0, 2.0, 2.0, 1.0], "floats") + f'y = Resize<mode = "{mode}">(a, , s)'
        )
    for note, m, k, n in (
        ("square", 512, 512, 512),
        ("classifier", 1, 2048, 1000),
        ("feed forward", 128, 768, 3072),
        ("thin k", 1024, 16, 1024),
        ("tall", 4096, 64, 64),
        ("four", 4, 1024, 4096),
    ):
        for dtype in ("float", "double", "float16", "int32", "int64"):
            if dtype in ("float", "double") or m * k * n < 2**26:
                rows[row("MatMul", dtype) + f" {note}"] = lambda m=m, k=k, n=n, d=dtype: model(
                    {"a": array(d, m, k, high=9), "b": array(d, k, n, high=9)}, "y = MatMul(a, b)"
                )
                rows[row("MatMul", dtype) + f" {note} weights"] = lambda m=m, k=k, n=n, d=dtype: (
                    *model({"a": array(d, m, k, high=9)}, "y = MatMul(a, b)"),
                    {"b": array(d, k, n, high=9)},
                )
    for note, n in (("anchors", 25200), ("boxes", 1000)):
        rows[f"NonMaxSuppression {note}"] = lambda n=n: model(
            {
                "b": np.concatenate(
                    [
                        a := RNG.random((1, n, 2)).astype(np.float32) * 600,
                        a + 40 * RNG.random((1, n, 2)).astype(np.float32),
                    ],
                    2,
                ),
                "s": RNG.random((1, 1, n)).astype(np.float32),
            },
            const("m", [100])
            + const("i", [0.45], "floats")
            + const("t", [0.25], "floats")
            + "y = NonMaxSuppression(b, s, m, i, t)",
        )
    for k, n in ((300, 8400), (100, 25200), (1000, 100000), (50, 32000), (1, 128256), (5, 1000)):
        rows[f"TopK {k} of {n}"] = lambda k=k, n=n: model({"a": f(1, n)}, const("k", [k]) + "y, i = TopK(a, k)", "y, i")
        rows[f"TopK int64 {k} of {n}"] = lambda k=k, n=n: model(
            {"a": ints(0, 1 << 40, 1, n)}, const("k", [k]) + "y, i = TopK(a, k)", "y, i"
        )
    rows["ArgMax pixels"] = lambda: model({"a": f(1, 21, 256, 256)}, "y = ArgMax<axis = 1>(a)")
    rows["ArgMax vocabulary"] = lambda: model({"a": f(1, 50257)}, "y = ArgMax<axis = 1>(a)")
    rows["OneHot large"] = lambda: model(
        {"i": ints(0, 1000, 4096)},
        "d = Constant<value_int = 1000>() v = Constant<value_floats = [0.0, 1.0]>() y = OneHot(i, d, v)",
    )
    rows["NonZero large"] = lambda: model({"a": array("bool", 1024, 1024)}, "y = NonZero(a)")
    rows["Einsum attention"] = lambda: model(
        {"a": f(1, 12, 197, 64), "b": f(1, 12, 197, 64)}, 'y = Einsum<equation = "bhid,bhjd->bhij">(a, b)'
    )
    rows["Einsum values"] = lambda: model(
        {"a": f(1, 12, 197, 197), "b": f(1, 12, 197, 64)}, 'y = Einsum<equation = "bhij,bhjd->bhid">(a, b)'
    )
    rows["GridSample features"] = lambda: model(
        {"a": f(2, 64, 64, 64), "g": (RNG.random((2, 64, 64, 2)) * 2 - 1).astype(np.float32)}, "y = GridSample(a, g)"
    )
    rows["GridSample points"] = lambda: model(
        {"a": f(8, 32, 80, 80), "g": (RNG.random((8, 300, 4, 2)) * 2 - 1).astype(np.float32)}, "y = GridSample(a, g)"
    )
    rows["RoiAlign boxes"] = lambda: model(
        {
            "a": f(1, 256, 50, 50),
            "r": np.sort(RNG.random((100, 2, 2)) * 400, axis=1).reshape(100, 4).astype(np.float32),
            "b": np.zeros(100, np.int64),
        },
        "y = RoiAlign<output_height = 7, output_width = 7, sampling_ratio = 2, spatial_scale = 0.0625>(a, r, b)",
    )
    rows["STFT speech"] = lambda: model(
        {"a": f(1, 48000, 1), "w": f(400)},
        "k = Constant<value_int = 160>() l = Constant<value_int = 400>() y = STFT(a, k, w, l)",
    )
    rows["DepthToSpace large"] = lambda: model(
        {"a": f(1, 256, 64, 64)}, 'y = DepthToSpace<blocksize = 2, mode = "CRD">(a)'
    )
    rows["QuantizeLinear large"] = lambda: (
        *model({"a": f(1, 64, 112, 112)}, "y = QuantizeLinear(a, s, z)"),
        {"s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)},
    )
    rows["DequantizeLinear large"] = lambda: (
        *model({"a": array("uint8", 1, 64, 112, 112)}, "y = DequantizeLinear(a, s, z)"),
        {"s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)},
    )
    rows["DequantizeLinear large per channel"] = lambda: (
        *model({"a": array("int8", 512, 4608)}, "y = DequantizeLinear<axis = 0>(a, s, z)"),
        {"s": np.full(512, 0.1, np.float32), "z": np.zeros(512, np.int8)},
    )
    for n in (8, 16):
        rows[f"Attention {n} narrow"] = lambda n=n: newer(
            {name: f(64, 8, n, 4) for name in ("q", "k", "v")}, "y = Attention(q, k, v)"
        )
    for note, q, kv, n, size in (("vit", 12, 12, 197, 64), ("long", 8, 8, 512, 64), ("grouped", 32, 8, 128, 64)):
        for dtype in ("float", "float16", "double"):
            rows[row("Attention", dtype) + f" {note}"] = lambda q=q, kv=kv, n=n, size=size, d=dtype: newer(
                {"q": array(d, 1, q, n, size), "k": array(d, 1, kv, n, size), "v": array(d, 1, kv, n, size)},
                "y = Attention(q, k, v)",
            )
        rows[f"Attention {note} packed mask"] = lambda q=q, kv=kv, n=n, size=size: newer(
            {"q": f(1, n, q * size), "k": f(1, n, kv * size), "v": f(1, n, kv * size), "m": f(1, 1, n, n)},
            f"y = Attention<q_num_heads = {q}, kv_num_heads = {kv}>(q, k, v, m)",
        )
        rows[f"Attention {note} past"] = lambda q=q, kv=kv, n=n, size=size: newer(
            {
                "q": f(1, q, 1, size),
                "k": f(1, kv, 1, size),
                "v": f(1, kv, 1, size),
                "p": f(1, kv, n, size),
                "o": f(1, kv, n, size),
            },
            "y, nk, nv = Attention(q, k, v, , p, o)",
            "y, nk, nv",
        )
    return rows


FAMILIES = {"large": large}
