"""Rows of operators.py for layers with weights in several types and batches, for all of com.microsoft that is known and
that operator_cases_newer.py leaves out, and for operators of the newest versions."""

import numpy as np
from operator_cases import TYPES, N, array, ints, model, row
from operator_cases_newer import newer, quantized_pair

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def recurrent():
    rows = {}

    def layer(op, dtype, steps, batch, inputs, hidden, attributes="", directions=1):
        width = GATES[op] * hidden
        return (
            *model(
                {"a": array(dtype, steps, batch, inputs)},
                f"y, h = {op}<hidden_size = {hidden}{attributes}>(a, w, r, b)",
                "y, h",
            ),
            {
                "w": array(dtype, directions, width, inputs) / TYPES[dtype](8),
                "r": array(dtype, directions, width, hidden) / TYPES[dtype](8),
                "b": array(dtype, directions, 2 * width),
            },
        )

    for op in GATES:
        for batch in (1, 8, 32):
            rows[f"{op} batch {batch}"] = lambda op=op, n=batch: layer(op, "float", 30, n, 128, 128)
            rows[f"{op} wide batch {batch}"] = lambda op=op, n=batch: layer(op, "float", 20, n, 256, 512)
        for dtype in ("double", "float16"):
            rows[row(op, dtype) + " batch 4"] = lambda op=op, dtype=dtype: layer(op, dtype, 20, 4, 64, 64)
        rows[f"{op} both batch 4"] = lambda op=op: layer(op, "float", 20, 4, 64, 64, ', direction = "bidirectional"', 2)
        rows[f"{op} reverse"] = lambda op=op: layer(op, "float", 20, 1, 64, 64, ', direction = "reverse"')
    rows["GRU reset later batch 8"] = lambda: layer("GRU", "float", 30, 8, 128, 128, ", linear_before_reset = 1")
    return rows


def layers():
    rows = {}
    for dtype in ("float", "float16", "bfloat16", "double"):
        for note, x, w, attributes in (
            ("3x3", (1, 64, 56, 56), (64, 64, 3, 3), "<pads = [1, 1, 1, 1]>"),
            ("1x1", (1, 256, 28, 28), (128, 256, 1, 1), ""),
            ("7x7 stride 2", (1, 3, 224, 224), (32, 3, 7, 7), "<pads = [3, 3, 3, 3], strides = [2, 2]>"),
            ("depthwise", (1, 96, 56, 56), (96, 1, 3, 3), "<pads = [1, 1, 1, 1], group = 96>"),
            ("depthwise 7x7", (1, 96, 28, 28), (96, 1, 7, 7), "<pads = [3, 3, 3, 3], group = 96>"),
            (
                "depthwise stride 2",
                (1, 96, 56, 56),
                (96, 1, 3, 3),
                "<pads = [1, 1, 1, 1], group = 96, strides = [2, 2]>",
            ),
            ("group 4", (1, 64, 28, 28), (64, 16, 3, 3), "<pads = [1, 1, 1, 1], group = 4>"),
            ("1D", (1, 64, 1000), (64, 64, 3), "<pads = [1, 1]>"),
            ("3D", (1, 16, 16, 28, 28), (16, 16, 3, 3, 3), "<pads = [1, 1, 1, 1, 1, 1]>"),
            ("video", (1, 64, 8, 14, 14), (64, 64, 3, 3, 3), "<pads = [1, 1, 1, 1, 1, 1]>"),
            ("depthwise narrow", (1, 8, 112, 112), (8, 1, 3, 3), "<pads = [1, 1, 1, 1], group = 8>"),
            ("depthwise line", (1, 256, 200), (256, 1, 31), "<pads = [15, 15], group = 256>"),
        ):
            rows[row("Conv", dtype) + f" weights {note}"] = lambda x=x, w=w, a=attributes, d=dtype: (
                *model({"a": array(d, *x)}, f"y = Conv{a}(a, w, b)"),
                {"w": array(d, *w), "b": array(d, w[0])},
            )
        for note, x, w, attributes in (
            ("2x2", (1, 64, 28, 28), (64, 32, 2, 2), "<strides = [2, 2]>"),
            ("4x4", (1, 64, 28, 28), (64, 32, 4, 4), "<strides = [2, 2], pads = [1, 1, 1, 1]>"),
            ("small image", (1, 256, 4, 4), (256, 128, 4, 4), "<strides = [2, 2], pads = [1, 1, 1, 1]>"),
        ):
            rows[row("ConvTranspose", dtype) + f" weights {note}"] = lambda x=x, w=w, a=attributes, d=dtype: (
                *model({"a": array(d, *x)}, f"y = ConvTranspose{a}(a, w)"),
                {"w": array(d, *w)},
            )
        for m in (1, 16, 128):
            rows[row("Gemm", dtype) + f" weights {m}"] = lambda m=m, d=dtype: (
                *model({"a": array(d, m, 768)}, "y = Gemm<transB = 1>(a, w, b)"),
                {"w": array(d, 768, 768), "b": array(d, 768)},
            )
        rows[row("MatMul", dtype) + " weights 512"] = lambda d=dtype: (
            *model({"a": array(d, 512, 512)}, "y = MatMul(a, w)"),
            {"w": array(d, 512, 512)},
        )
        rows[row("MatMul", dtype) + " heads"] = lambda d=dtype: model(
            {"a": array(d, 1, 12, 128, 64), "b": array(d, 1, 12, 64, 128)}, "y = MatMul(a, b)"
        )
        rows[row("LayerNormalization", dtype) + " weights"] = lambda d=dtype: (
            *model({"a": array(d, 1, 128, 768)}, "y = LayerNormalization(a, s, b)"),
            {"s": array(d, 768), "b": array(d, 768)},
        )
        rows[row("InstanceNormalization", dtype) + " weights"] = lambda d=dtype: (
            *model({"a": array(d, 1, 32, 64, 64)}, "y = InstanceNormalization(a, s, b)"),
            {"s": array(d, 32), "b": array(d, 32)},
        )
        rows[row("GroupNormalization", dtype) + " weights"] = lambda d=dtype: (
            *model({"a": array(d, 1, 32, 64, 64)}, "y = GroupNormalization<num_groups = 8>(a, s, b)"),
            {"s": array(d, 32), "b": array(d, 32)},
        )
        rows[row("BatchNormalization", dtype) + " weights"] = lambda d=dtype: (
            *model({"a": array(d, 1, 64, 64, 64)}, "y = BatchNormalization(a, s, b, m, v)"),
            {"s": array(d, 64), "b": array(d, 64), "m": array(d, 64), "v": np.abs(array(d, 64)) + TYPES[d](1)},
        )
        for note, n in (("", 128), (" token", 1)):
            rows[row("Attention", dtype) + f" heads{note}"] = lambda n=n, d=dtype: newer(
                {"q": array(d, 1, 12, n, 64), "k": array(d, 1, 12, 128, 64), "v": array(d, 1, 12, 128, 64)},
                "y = Attention(q, k, v)",
            )
            rows[row("RMSNormalization", dtype) + f" rows{note}"] = lambda n=n, d=dtype: newer(
                {"a": array(d, 1, n, 2048), "s": array(d, 2048)}, "y = RMSNormalization(a, s)"
            )
            rows[row("RotaryEmbedding", dtype) + f" heads{note}"] = lambda n=n, d=dtype: newer(
                {"a": array(d, 1, 32, n, 64), "c": array(d, 1, n, 32), "s": array(d, 1, n, 32)},
                "y = RotaryEmbedding(a, c, s)",
            )
    return rows


def microsoft_rest():
    def f32(*dims):
        return array("float", *dims)

    rows = {}
    for kind in ("uint8", "int8"):
        scale = {"s": np.array(0.1, np.float32), "z": np.array(3, kind)}
        rows[row("ms.QuantizeLinear", kind)] = lambda scale=scale: model(
            {"a": f32(200_000), **scale}, "y = com.microsoft.QuantizeLinear(a, s, z)"
        )
        rows[row("ms.DequantizeLinear", kind)] = lambda scale=scale, kind=kind: model(
            {"a": ints(0, 100, 200_000, dtype=kind), **scale}, "y = com.microsoft.DequantizeLinear(a, s, z)"
        )

        def steps(kind=kind):
            return {k: v for k, v in quantized_pair(TYPES[kind], 1).items() if k in ("as", "az", "ys", "yz")}

        rows[row("ms.QLinearAveragePool", kind)] = lambda kind=kind, steps=steps: (
            *model(
                {"a": ints(0, 100, 1, 64, 28, 28, dtype=kind)},
                "y = com.microsoft.QLinearAveragePool<kernel_shape = [2, 2], strides = [2, 2]>(a, as, az, ys, yz)",
            ),
            steps(),
        )
        rows[row("ms.QLinearReduceMean", kind)] = lambda kind=kind, steps=steps: (
            *model(
                {"a": ints(0, 100, 1, 64, 28, 28, dtype=kind)},
                "y = com.microsoft.QLinearReduceMean<axes = [2, 3]>(a, as, az, ys, yz)",
            ),
            steps(),
        )
        rows[row("ms.QLinearSoftmax", kind)] = lambda kind=kind, steps=steps: (
            *model(
                {"a": ints(0, 100, 128, 256, dtype=kind)},
                "y = com.microsoft.QLinearSoftmax<axis = -1, opset = 13>(a, as, az, ys, yz)",
            ),
            {**steps(), "ys": np.array(1 / 256, np.float32), "yz": np.array(0, kind)},
        )
        rows[row("ms.QLinearWhere", kind)] = lambda kind=kind: (
            *model(
                {
                    "c": array("bool", 200_000),
                    "a": ints(0, 100, 200_000, dtype=kind),
                    "b": ints(0, 100, 200_000, dtype=kind),
                },
                "y = com.microsoft.QLinearWhere(c, a, as, az, b, bs, bz, ys, yz)",
            ),
            {k: v for k, v in quantized_pair(TYPES[kind], 1).items() if k not in ("a", "b")},
        )
        rows[row("ms.NhwcMaxPool", kind)] = lambda kind=kind: model(
            {"a": ints(0, 100, 1, 56, 56, 64, dtype=kind)},
            "y = com.microsoft.NhwcMaxPool<kernel_shape = [2, 2], strides = [2, 2]>(a)",
        )
        rows[row("ms.QGemm", kind)] = lambda kind=kind: (
            *model(
                {"a": ints(0, 100, 64, 256, dtype=kind)}, "y = com.microsoft.QGemm(a, as, az, w, ws, wz, b, ys, yz)"
            ),
            {
                "as": np.array(0.02, np.float32),
                "az": np.array(3, kind),
                "w": ints(-99, 99, 256, 256, dtype=np.int8),
                "ws": np.array(0.01, np.float32),
                "wz": np.array(0, np.int8),
                "b": ints(-999, 999, 256, dtype=np.int32),
                "ys": np.array(0.5, np.float32),
                "yz": np.array(10, kind),
            },
        )
    rows["ms.QAttention"] = lambda: (
        *model(
            {"a": ints(0, 255, 1, 128, 256, dtype=np.uint8)},
            "y = com.microsoft.QAttention<num_heads = 4>(a, w, b, as, ws, , az, wz)",
        ),
        {
            "w": ints(-99, 99, 256, 768, dtype=np.int8),
            "b": f32(768),
            "as": np.array(0.02, np.float32),
            "ws": np.array(0.01, np.float32),
            "az": np.array(128, np.uint8),
            "wz": np.array(0, np.int8),
        },
    )
    for batch in (1, 8):
        rows[f"ms.DynamicQuantizeLSTM batch {batch}"] = lambda n=batch: (
            *model(
                {"a": f32(20, n, 128)},
                "y, h, c = com.microsoft.DynamicQuantizeLSTM<hidden_size = 128>(a, w, r, b, , , , , ws, wz, rs, rz)",
                "y, h, c",
            ),
            {
                "w": ints(-99, 99, 1, 128, 512, dtype=np.int8),
                "r": ints(-99, 99, 1, 128, 512, dtype=np.int8),
                "b": f32(1, 1024),
                "ws": np.full(1, 0.01, np.float32),
                "wz": np.zeros(1, np.int8),
                "rs": np.full(1, 0.01, np.float32),
                "rz": np.zeros(1, np.int8),
            },
        )
    rows["ms.GatherBlockQuantized"] = lambda: (
        *model(
            {"i": ints(0, 4000, 128)},
            "y = com.microsoft.GatherBlockQuantized<block_size = 32, bits = 4, gather_axis = 0, quantize_axis = 1>(w, i, s)",
        ),
        {"w": ints(0, 256, 4000, 512, dtype=np.uint8), "s": f32(4000, 32)},
    )
    rows["ms.GroupQueryAttention"] = lambda: model(
        {
            "q": f32(1, 1, 1024),
            "k": f32(1, 1, 256),
            "v": f32(1, 1, 256),
            "pk": f32(1, 4, 127, 64),
            "pv": f32(1, 4, 127, 64),
            "n": np.full(1, 127, np.int32),
            "t": np.array(128, np.int32),
        },
        "y, nk, nv = com.microsoft.GroupQueryAttention<num_heads = 16, kv_num_heads = 4>(q, k, v, pk, pv, n, t)",
        "y, nk, nv",
    )
    rows["ms.GatherND"] = lambda: model(
        {"a": f32(100, 100, 64), "i": ints(0, 100, 5000, 2)}, "y = com.microsoft.GatherND(a, i)"
    )
    rows["ms.Pad"] = lambda: model(
        {"a": f32(1, 32, 64, 64), "p": np.array([0, 0, 1, 1, 0, 0, 1, 1]), "v": np.array(0, np.float32)},
        "y = com.microsoft.Pad(a, p, v)",
    )
    rows["ms.Range"] = lambda: model(
        {"a": np.array(0, np.float32), "b": np.array(9999, np.float32), "c": np.array(1, np.float32)},
        "y = com.microsoft.Range(a, b, c)",
    )
    rows["ms.Trilu"] = lambda: model({"a": f32(500, 1000)}, "y = com.microsoft.Trilu<upper = 0>(a)")
    rows["ms.Unique"] = lambda: model(
        {"a": ints(0, 1000, 50_000).astype(np.float32)}, "y, i, c = com.microsoft.Unique(a)", "y, i, c"
    )
    words = np.array([" ".join(f"word{k % 97}" for k in range(n, n + 12)) for n in range(500)], object)
    rows["ms.Tokenizer"] = lambda: (
        'agraph (string[500] a) => (y) { y = com.microsoft.Tokenizer<mark = 0, mincharnum = 1, pad_value = "#", '
        'separators = [" "]>(a) }',
        {"a": words},
    )
    return rows


def versions():
    def at(version, inputs, node, outputs="y"):
        text, feeds = model(inputs, node, outputs)
        return f'<ir_version: 13, opset_import: ["": {version}]>\n' + text, feeds

    rows = {}
    for dtype in ("float", "float16", "bfloat16"):
        rows[row("Swish", dtype)] = lambda d=dtype: at(24, {"a": array(d, N)}, "y = Swish(a)")
        rows[row("TensorScatter", dtype)] = lambda d=dtype: at(
            24,
            {"a": array(d, 1, 8, 256, 64), "b": array(d, 1, 8, 4, 64), "i": np.array([40])},
            "y = TensorScatter<axis = 2>(a, b, i)",
        )
        rows[row("BitCast", dtype)] = lambda d=dtype: at(
            26, {"a": array(d, N)}, f"y = BitCast<to = {6 if d == 'float' else 5}>(a)"
        )
    for dtype in ("float", "double", "int32", "int64"):
        rows[row("CumProd", dtype)] = lambda d=dtype: at(
            26, {"a": array(d, 500, 1000, high=3)}, "k = Constant<value_int = 1>() y = CumProd(a, k)"
        )
    rows["SequenceMap"] = lambda: at(
        21,
        {"a": array("float", 30, 64)},
        "s = SplitToSequence<axis = 0>(a) t = SequenceMap<body = g (float[1, 64] u) => (float[1, 64] v)"
        " { v = Relu(u) }>(s) y = ConcatFromSequence<axis = 0>(t)",
    )
    rows["Optional"] = lambda: at(
        21,
        {"a": array("float", 300, 300)},
        "o = Optional(a) e = OptionalHasElement(o) y = OptionalGetElement(o)",
        "e, y",
    )
    rows["SequenceEmpty"] = lambda: at(
        21,
        {"a": array("float", 300, 300)},
        "e = SequenceEmpty() s = SequenceInsert(e, a) k = Constant<value_int = 0>() y = SequenceAt(s, k)",
    )
    return rows


def more_types():
    """Types in which an operator has no row elsewhere."""
    rows = {}

    def add(op, dtypes, make):
        for dtype in dtypes:
            rows[row(op, dtype) + " more"] = lambda dtype=dtype: make(dtype)

    halves, words = ("float16", "bfloat16"), ("int16", "uint8", "uint16", "uint32", "uint64")
    add(
        "TopK",
        (*halves, "int8", "int16", "uint8", "uint32"),
        lambda d: model({"a": array(d, 500, 1000)}, "k = Constant<value_ints = [10]>() y, i = TopK(a, k)", "y, i"),
    )
    add(
        "Shrink",
        ("double", "float16", "int8", "int32", "int64", "uint8"),
        lambda d: model({"a": array(d, N)}, "y = Shrink<lambd = 2.0, bias = 1.0>(a)"),
    )
    add(
        "ReduceMin",
        ("bool", "uint32"),
        lambda d: model({"a": array(d, 500, 1000)}, "k = Constant<value_ints = [1]>() y = ReduceMin(a, k)"),
    )
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL1"):
        add(
            op,
            ("bfloat16", "uint32", "uint64"),
            lambda d, op=op: model({"a": array(d, 500, 1000)}, f"k = Constant<value_ints = [1]>() y = {op}(a, k)"),
        )
    add(
        "ArgMax",
        ("int16", "uint32", "bfloat16"),
        lambda d: model({"a": array(d, 500, 1000)}, "y = ArgMax<axis = 1>(a)"),
    )
    add(
        "CumSum",
        ("float16", "uint32", "uint64"),
        lambda d: model({"a": array(d, 500, 1000)}, "k = Constant<value_int = 1>() y = CumSum(a, k)"),
    )
    add(
        "OneHot",
        ("int32", "float", "uint8"),
        lambda d: model(
            {"a": array(d, 5000), "v": np.array([0, 1], np.float32)},
            "d = Constant<value_int = 100>() y = OneHot(a, d, v)",
        ),
    )
    for kind in ("int32", "uint8", "float16", "bool"):
        rows[f"OneHot values {kind}"] = lambda kind=kind: model(
            {"a": ints(0, 100, 5000), "v": np.array([0, 1], TYPES[kind])},
            "d = Constant<value_int = 100>() y = OneHot(a, d, v)",
        )
    add(
        "Resize",
        ("int32", "double", "float16"),
        lambda d: model(
            {"a": array(d, 1, 16, 64, 64)},
            's = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() y = Resize<mode = "linear">(a, , s)',
        ),
    )
    add(
        "Resize nearest",
        ("int32", "uint8", "float16"),
        lambda d: model(
            {"a": array(d, 1, 16, 64, 64)},
            's = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() y = Resize<mode = "nearest">(a, , s)',
        ),
    )
    add(
        "RoiAlign",
        ("double", "float16"),
        lambda d: model(
            {
                "a": array(d, 1, 64, 50, 50),
                "r": np.sort(array("float", 30, 2, 2) * 10 + 25, axis=1).reshape(30, 4).astype(TYPES[d]),
                "b": np.zeros(30, np.int64),
            },
            "y = RoiAlign<output_height = 7, output_width = 7>(a, r, b)",
        ),
    )
    add(
        "MaxUnpool",
        ("double", "float16"),
        lambda d: model(
            {"a": array(d, 1, 16, 32, 32), "i": np.arange(16 * 32 * 32).reshape(1, 16, 32, 32) * 4},
            "y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(a, i)",
        ),
    )
    for dtype in ("double", *halves):
        rows[f"MeanVarianceNormalization {dtype}"] = lambda d=dtype: model(
            {"a": array(d, 4, 16, 64, 64)}, "y = MeanVarianceNormalization(a)"
        )
        rows[f"LRN {dtype}"] = lambda d=dtype: model({"a": array(d, 1, 64, 32, 32)}, "y = LRN<size = 5>(a)")
        rows[f"LpNormalization {dtype} more"] = lambda d=dtype: model(
            {"a": array(d, 500, 1000)}, "y = LpNormalization(a)"
        )
        rows[f"Det {dtype}"] = lambda d=dtype: model({"a": array(d, 50, 16, 16)}, "y = Det(a)")
        rows[f"GridSample {dtype} more"] = lambda d=dtype: model(
            {"a": array(d, 1, 16, 64, 64), "g": array(d, 1, 64, 64, 2)}, "y = GridSample(a, g)"
        )
        rows[f"Dropout {dtype}"] = lambda d=dtype: model({"a": array(d, N)}, "y = Dropout(a)")
        rows[f"SoftmaxCrossEntropyLoss {dtype}"] = lambda d=dtype: model(
            {"a": array(d, 500, 100), "t": ints(0, 100, 500)}, "y = SoftmaxCrossEntropyLoss(a, t)"
        )
        rows[f"Bernoulli {dtype}"] = lambda d=dtype: model(
            {"a": np.abs(np.tanh(array("float", N))).astype(TYPES[d])}, "y = Bernoulli<seed = 3.0>(a)"
        )
        rows[f"DFT {dtype} more"] = lambda d=dtype: model(
            {"a": array(d, 1, 4, 1024, 1)}, "k = Constant<value_int = 2>() y = DFT(a, , k)"
        )
    for dtype in (*words, "bfloat16"):
        for op, node in (
            ("Transpose", "y = Transpose<perm = [1, 0]>(a)"),
            ("Concat", "y = Concat<axis = 1>(a, a)"),
            ("Slice", "s = Constant<value_ints = [3]>() e = Constant<value_ints = [400]>() y = Slice(a, s, e)"),
            ("Gather", "i = Constant<value_ints = [3, 77, 4, 9, 400]>() y = Gather(a, i)"),
            ("Pad", "p = Constant<value_ints = [1, 1, 1, 1]>() y = Pad(a, p)"),
            ("Tile", "r = Constant<value_ints = [1, 2]>() y = Tile(a, r)"),
            ("Expand", "r = Constant<value_ints = [2, 500, 1000]>() y = Expand(a, r)"),
            ("Split", "y, z = Split<axis = 1, num_outputs = 2>(a)"),
            ("NonZero", "y = NonZero(a)"),
            ("Identity", "y = Identity(a)"),
            ("Trilu", "y = Trilu(a)"),
        ):
            rows[f"{op} {dtype} more"] = lambda d=dtype, op=op, node=node: model(
                {"a": array(d, 500, 1000, low=0)}, node, "y, z" if op == "Split" else "y"
            )
    for dtype in halves:
        for op in ("Sin", "Cos", "Tan", "Atan", "Softmax", "LogSoftmax", "Hardmax"):
            if dtype == "bfloat16":
                rows[f"{op} {dtype} more"] = lambda d=dtype, op=op: model({"a": array(d, 500, 1000)}, f"y = {op}(a)")
    return rows


FAMILIES = {
    "more_types": more_types,
    "recurrent": recurrent,
    "layers": layers,
    "microsoft_rest": microsoft_rest,
    "versions": versions,
}
