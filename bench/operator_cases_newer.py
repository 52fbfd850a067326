"""Rows of operators.py for operators of com.microsoft that exported models have, for those of newer versions, and for
what the other files leave out."""

import numpy as np
from operator_cases import FLOATS, NUMBERS, N, array, ints, model, row
from operator_cases_shapes import const

NEWER = '<ir_version: 10, opset_import: ["": 23]>\n'


def newer(inputs, node, outputs="y"):
    text, feeds = model(inputs, node, outputs)
    return NEWER + text, feeds


def quantized_pair(kind, *dims):
    return {
        "a": ints(0, 100, *dims, dtype=kind),
        "as": np.array(0.02, np.float32),
        "az": np.array(3, kind),
        "b": ints(0, 100, *dims, dtype=kind),
        "bs": np.array(0.03, np.float32),
        "bz": np.array(4, kind),
        "ys": np.array(0.05, np.float32),
        "yz": np.array(10, kind),
    }


def microsoft():
    def f32(*dims):
        return array("float", *dims)

    rows = {}
    for op in ("Gelu", "FastGelu", "QuickGelu"):
        for dtype in ("float", "float16"):
            rows[row(f"ms.{op}", dtype)] = lambda op=op, dtype=dtype: model(
                {"a": array(dtype, N)}, f"y = com.microsoft.{op}(a)"
            )
        rows[f"ms.{op} small"] = lambda op=op: model({"a": f32(3000)}, f"y = com.microsoft.{op}(a)")
    for op in ("BiasGelu", "FastGelu"):
        rows[f"ms.{op} bias"] = lambda op=op: model(
            {"a": f32(200, 3072), "b": f32(3072)}, f"y = com.microsoft.{op}(a, b)"
        )
    for note, rows_count in (("", 128), (" token", 1)):
        rows[f"ms.SkipLayerNormalization{note}"] = lambda n=rows_count: model(
            {"a": f32(1, n, 768), "b": f32(1, n, 768), "g": f32(768), "t": f32(768), "c": f32(768)},
            "y, , , s = com.microsoft.SkipLayerNormalization(a, b, g, t, c)",
            "y, s",
        )
        rows[f"ms.SkipSimplifiedLayerNormalization{note}"] = lambda n=rows_count: model(
            {"a": f32(1, n, 2048), "b": f32(1, n, 2048), "g": f32(2048)},
            "y, , , s = com.microsoft.SkipSimplifiedLayerNormalization(a, b, g)",
            "y, s",
        )
        rows[f"SimplifiedLayerNormalization{note}"] = lambda n=rows_count: model(
            {"a": f32(1, n, 2048), "g": f32(2048)}, "y = SimplifiedLayerNormalization<axis = -1>(a, g)"
        )
        rows[f"ms.MultiHeadAttention{note}"] = lambda n=rows_count: model(
            {"q": f32(1, n, 768), "k": f32(1, 128, 768), "v": f32(1, 128, 768)},
            "y = com.microsoft.MultiHeadAttention<num_heads = 12>(q, k, v)",
        )
    rows["ms.EmbedLayerNormalization"] = lambda: (
        *model(
            {"i": ints(0, 1000, 1, 128, dtype=np.int32), "s": ints(0, 2, 1, 128, dtype=np.int32)},
            "y, m = com.microsoft.EmbedLayerNormalization(i, s, w, p, t, g, b)",
            "y, m",
        ),
        {"w": f32(1000, 768), "p": f32(512, 768), "t": f32(2, 768), "g": f32(768), "b": f32(768)},
    )
    rows["ms.Attention"] = lambda: (
        *model({"a": f32(1, 128, 768)}, "y = com.microsoft.Attention<num_heads = 12>(a, w, b)"),
        {"w": f32(768, 2304), "b": f32(2304)},
    )
    rows["ms.RotaryEmbedding"] = lambda: model(
        {"a": f32(1, 128, 2048), "p": np.arange(128).reshape(1, 128), "c": f32(512, 32), "s": f32(512, 32)},
        "y = com.microsoft.RotaryEmbedding<num_heads = 32>(a, p, c, s)",
    )
    for note, attributes in (("", ""), (" transA", "<transA = 1>"), (" transB alpha", "<transB = 1, alpha = 0.125>")):
        rows[f"ms.FusedMatMul{note}"] = lambda attributes=attributes: model(
            {"a": f32(8, 128, 128), "b": f32(8, 128, 128)}, f"y = com.microsoft.FusedMatMul{attributes}(a, b)"
        )
    rows["ms.FusedGemm"] = lambda: (
        *model({"a": f32(128, 256)}, 'y = com.microsoft.FusedGemm<activation = "Relu">(a, w, b)'),
        {"w": f32(256, 256), "b": f32(256)},
    )
    rows["ms.FusedConv"] = lambda: (
        *model(
            {"a": f32(1, 32, 28, 28)}, 'y = com.microsoft.FusedConv<activation = "Relu", pads = [1, 1, 1, 1]>(a, w, b)'
        ),
        {"w": f32(32, 32, 3, 3), "b": f32(32)},
    )
    for tokens in (1, 64):
        rows[f"ms.MatMulNBits {tokens}"] = lambda tokens=tokens: (
            *model(
                {"a": f32(tokens, 1024)},
                "y = com.microsoft.MatMulNBits<K = 1024, N = 1024, bits = 4, block_size = 32>(a, w, s)",
            ),
            {"w": ints(0, 256, 1024, 32, 16, dtype=np.uint8), "s": np.abs(f32(1024 * 32))},
        )
        rows[f"ms.DynamicQuantizeMatMul {tokens}"] = lambda tokens=tokens: (
            *model({"a": f32(tokens, 512)}, "y = com.microsoft.DynamicQuantizeMatMul(a, w, s, z)"),
            {"w": ints(-99, 99, 512, 512, dtype=np.int8), "s": np.array(0.02, np.float32), "z": np.array(0, np.int8)},
        )
    rows["ms.MatMulIntegerToFloat"] = lambda: (
        *model(
            {"a": ints(0, 255, 64, 256, dtype=np.uint8)}, "y = com.microsoft.MatMulIntegerToFloat(a, w, as, ws, az, wz)"
        ),
        {
            "w": ints(-99, 99, 256, 256, dtype=np.int8),
            "as": np.array(0.02, np.float32),
            "ws": np.array(0.01, np.float32),
            "az": np.array(3, np.uint8),
            "wz": np.array(0, np.int8),
        },
    )
    for kind in (np.uint8, np.int8):
        for op in ("QLinearAdd", "QLinearMul"):
            rows[f"ms.{op} {kind.__name__}"] = lambda op=op, kind=kind: model(
                quantized_pair(kind, 200_000), f"y = com.microsoft.{op}(a, as, az, b, bs, bz, ys, yz)"
            )
        for op, attributes, outs in (
            ("QLinearSigmoid", "", "ys, yz"),
            ("QLinearLeakyRelu", "<alpha = 0.1>", "ys, yz"),
        ):
            rows[f"ms.{op} {kind.__name__}"] = lambda op=op, kind=kind, attributes=attributes, outs=outs: (
                *model(
                    {"a": ints(0, 100, 200_000, dtype=kind)}, f"y = com.microsoft.{op}{attributes}(a, as, az, {outs})"
                ),
                {k: v for k, v in quantized_pair(kind, 1).items() if k in ("as", "az", "ys", "yz")},
            )
    rows["ms.QLinearGlobalAveragePool"] = lambda: (
        *model(
            {"a": ints(0, 100, 1, 256, 14, 14, dtype=np.uint8)},
            "y = com.microsoft.QLinearGlobalAveragePool<channels_last = 0>(a, as, az, ys, yz)",
        ),
        {k: v for k, v in quantized_pair(np.uint8, 1).items() if k in ("as", "az", "ys", "yz")},
    )
    rows["ms.QLinearConcat"] = lambda: (
        *model(
            {"a": ints(0, 100, 1, 64, 28, 28, dtype=np.uint8), "b": ints(0, 100, 1, 64, 28, 28, dtype=np.uint8)},
            "y = com.microsoft.QLinearConcat<axis = 1>(ys, yz, a, as, az, b, bs, bz)",
        ),
        {k: v for k, v in quantized_pair(np.uint8, 1).items() if k not in ("a", "b")},
    )
    rows["ms.CDist"] = lambda: model(
        {"a": f32(300, 64), "b": f32(400, 64)}, 'y = com.microsoft.CDist<metric = "sqeuclidean">(a, b)'
    )
    rows["ms.ExpandDims"] = lambda: model(
        {"a": f32(500, 1000), "k": np.array(1, np.int32)}, "y = com.microsoft.ExpandDims(a, k)"
    )
    return rows


def newest():
    def f32(*dims):
        return array("float", *dims)

    rows = {}
    for note, count in (("", 128), (" token", 1)):
        rows[f"RMSNormalization{note}"] = lambda n=count: newer(
            {"a": f32(1, n, 2048), "s": f32(2048)}, "y = RMSNormalization(a, s)"
        )
        rows[f"Attention{note}"] = lambda n=count: newer(
            {"q": f32(1, 12, n, 64), "k": f32(1, 12, 128, 64), "v": f32(1, 12, 128, 64)}, "y = Attention(q, k, v)"
        )
        rows[f"Attention causal{note}"] = lambda n=count: newer(
            {"q": f32(1, 12, n, 64), "k": f32(1, 12, 128, 64), "v": f32(1, 12, 128, 64)},
            "y = Attention<is_causal = 1>(q, k, v)",
        )
        rows[f"RotaryEmbedding{note}"] = lambda n=count: newer(
            {"a": f32(1, 32, n, 64), "c": f32(1, n, 32), "s": f32(1, n, 32)}, "y = RotaryEmbedding(a, c, s)"
        )
    return rows


def others():
    rows = {}
    for op in ("Less", "GreaterOrEqual"):
        for dtype in NUMBERS:
            rows[row(op, dtype)] = lambda op=op, dtype=dtype: model(
                {"a": array(dtype, N), "b": array(dtype, N)}, f"y = {op}(a, b)"
            )
    for base in FLOATS + ("int32", "int64"):
        for exponent in ("float", "int32", "int64"):
            if base != exponent:
                rows[f"Pow {base} {exponent} square"] = lambda base=base, exponent=exponent: model(
                    {"a": array(base, N)}, f"e = Constant<value = {exponent} {{2}}>() y = Pow(a, e)"
                )
    for exponent in ("0.5", "2", "3", "-1", "1.7"):
        for dtype in ("float", "double"):
            rows[row("Pow", dtype) + f" scalar {exponent}"] = lambda dtype=dtype, exponent=exponent: model(
                {"a": np.abs(array(dtype, N)) + TINY}, f"e = Constant<value = {dtype} {{{exponent}}}>() y = Pow(a, e)"
            )
    for dtype in ("float", "int64", "bool"):
        rows[row("CastLike", dtype)] = lambda dtype=dtype: model(
            {"a": array("int32", N), "b": array(dtype, 1)}, "y = CastLike(a, b)"
        )
        rows[row("Squeeze", dtype)] = lambda dtype=dtype: model(
            {"a": array(dtype, 1, 500, 1000)}, const("k", [0]) + "y = Squeeze(a, k)"
        )
        rows[row("Unsqueeze", dtype)] = lambda dtype=dtype: model(
            {"a": array(dtype, 500, 1000)}, const("k", [0]) + "y = Unsqueeze(a, k)"
        )
        rows[row("Size", dtype)] = lambda dtype=dtype: model({"a": array(dtype, 500, 1000)}, "y = Size(a)")
        rows[row("Shape", dtype)] = lambda dtype=dtype: model({"a": array(dtype, 500, 1000)}, "y = Shape(a)")
        rows[row("Add", dtype) + " one"] = lambda dtype=dtype: model(
            {"a": array(dtype, 4), "b": array(dtype, 4)}, "y = And(a, b)" if dtype == "bool" else "y = Add(a, b)"
        )
    rows["RNN"] = lambda: model(
        {"a": array("float", 30, 1, 128), "w": array("float", 1, 128, 128), "r": array("float", 1, 128, 128)},
        "y = RNN<hidden_size = 128>(a, w, r)",
    )
    rows["SequenceErase"] = lambda: model(
        {"a": array("float", 300, 300), "b": array("float", 300, 300)},
        "s = SequenceConstruct(a, b) k = Constant<value_int = 0>() t = SequenceErase(s, k) y = SequenceAt(t, k)",
    )
    for kernel, channels, length in ((4, 256, 500), (31, 256, 200), (9, 64, 4000)):
        rows[f"Conv 1D depthwise {kernel} {channels}x{length}"] = lambda k=kernel, c=channels, n=length: (
            *model({"a": array("float", 1, c, n)}, f"y = Conv<group = {c}, pads = [{k - 1}, 0]>(a, w)"),
            {"w": array("float", c, 1, k)},
        )
    return rows


TINY = 0.01
FAMILIES = {"microsoft": microsoft, "newest": newest, "others": others}
