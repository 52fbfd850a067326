"""Rows of operators.py for a few elements, where what a call costs counts."""

import numpy as np
from operator_cases import RNG, array, ints, model, row
from operator_cases_newer import newer
from operator_cases_shapes import const, text, words


def tiny():
    def f(*dims):
        return array("float", *dims)

    rows = {}

    def add(name, inputs, node, outputs="y", make=model, constants=None):
        """`inputs` gives the feeds, whose names are their keys."""
        rows[f"{name} tiny"] = lambda: (*make(inputs(), node, outputs), *([constants()] if constants else []))

    def vector(dtype="float"):
        return lambda: {"a": array(dtype, 16)}

    def pair(dtype="float"):
        return lambda: {"a": array(dtype, 16), "b": array(dtype, 16)}

    def matrix(dtype="float"):
        return lambda: {"a": array(dtype, 4, 4)}

    def image(dtype="float"):
        return lambda: {"a": array(dtype, 1, 2, 4, 4)}

    for op in ("Abs", "Exp", "Erf", "Gelu", "Sigmoid", "Softplus", "Round", "IsNaN", "Identity", "HardSwish", "Sin"):
        add(op, vector(), f"y = {op}(a)")
    for op in ("Add", "Div", "Pow", "Max", "Greater", "Mod<fmod = 1>", "PRelu", "Sum", "Mean"):
        add(op.split("<")[0], pair(), f"y = {op}(a, b)")
    for dtype in ("double", "float16", "bfloat16", "int32", "int64", "uint8"):
        add(row("Add", dtype), pair(dtype), "y = Add(a, b)")
        add(row("Cast", dtype), vector(dtype), "y = Cast<to = 1>(a)")
        add(row("Equal", dtype), pair(dtype), "y = Equal(a, b)")
        add(row("Gather", dtype), lambda d=dtype: {"a": array(d, 4, 4), "i": ints(0, 4, 2)}, "y = Gather(a, i)")
        add(row("Concat", dtype), pair(dtype), "y = Concat<axis = 0>(a, b)")
        add(row("ReduceMax", dtype), matrix(dtype), const("k", [1]) + "y = ReduceMax(a, k)")
    add("And", pair("bool"), "y = And(a, b)")
    add("Not", vector("bool"), "y = Not(a)")
    add("Where", lambda: {"c": array("bool", 16), "a": f(16), "b": f(16)}, "y = Where(c, a, b)")
    add("Clip", vector(), "l = Constant<value_float = 0.0>() h = Constant<value_float = 1.0>() y = Clip(a, l, h)")
    for op in ("ReduceSum", "ReduceMean", "ReduceL2", "ReduceLogSumExp"):
        add(op, matrix(), const("k", [1]) + f"y = {op}(a, k)")
    for op in ("ArgMax", "Softmax", "LogSoftmax", "Hardmax"):
        add(op, matrix(), f"y = {op}<axis = 1>(a)")
    add("CumSum", matrix(), "k = Constant<value_int = 1>() y = CumSum(a, k)")
    add("TopK", vector(), const("k", [3]) + "y, i = TopK(a, k)", "y, i")
    add("LayerNormalization", lambda: {"a": f(4, 4), "s": f(4), "b": f(4)}, "y = LayerNormalization(a, s, b)")
    add("RMSNormalization", lambda: {"a": f(4, 4), "s": f(4)}, "y = RMSNormalization(a, s)", make=newer)
    add("Attention", lambda: {k: f(1, 2, 4, 4) for k in "qkv"}, "y = Attention(q, k, v)", make=newer)
    for op in ("InstanceNormalization", "GroupNormalization<num_groups = 1>"):
        add(op.split("<")[0], lambda: {"a": f(1, 2, 4, 4), "s": f(2), "b": f(2)}, f"y = {op}(a, s, b)")
    add(
        "BatchNormalization",
        lambda: {"a": f(1, 2, 4, 4), **{k: np.abs(f(2)) for k in "sbmv"}},
        "y = BatchNormalization(a, s, b, m, v)",
    )
    add("LRN", image(), "y = LRN<size = 3>(a)")
    for op in ("MaxPool", "AveragePool", "LpPool"):
        add(op, image(), f"y = {op}<kernel_shape = [2, 2], strides = [2, 2]>(a)")
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        add(op, image(), f"y = {op}(a)")
    add("Conv", image(), "y = Conv(a, w)", constants=lambda: {"w": f(2, 2, 3, 3)})
    add("ConvTranspose", image(), "y = ConvTranspose(a, w)", constants=lambda: {"w": f(2, 2, 2, 2)})
    add("MatMul", lambda: {"a": f(4, 4), "b": f(4, 4)}, "y = MatMul(a, b)")
    add("Gemm", lambda: {"a": f(1, 16)}, "y = Gemm<transB = 1>(a, w, b)", constants=lambda: {"w": f(4, 16), "b": f(4)})
    add("Einsum", lambda: {"a": f(4, 4), "b": f(4, 4)}, 'y = Einsum<equation = "ij,jk->ik">(a, b)')
    add("Transpose", matrix(), "y = Transpose(a)")
    add("Reshape", matrix(), const("k", [16]) + "y = Reshape(a, k)")
    add("Slice", vector(), const("s", [2]) + const("e", [9]) + "y = Slice(a, s, e)")
    add("Split", vector(), "y, z = Split<num_outputs = 2>(a)", "y, z")
    add("Expand", lambda: {"a": f(4, 1)}, const("k", [4, 4]) + "y = Expand(a, k)")
    add("Tile", lambda: {"a": f(4)}, const("k", [4]) + "y = Tile(a, k)")
    add("Pad", matrix(), const("k", [1, 1, 1, 1]) + "y = Pad(a, k)")
    add("Trilu", matrix(), "y = Trilu(a)")
    add("Unsqueeze", vector(), const("k", [0]) + "y = Unsqueeze(a, k)")
    add("Shape", matrix(), "y = Shape(a)")
    add("GatherElements", lambda: {"a": f(4, 4), "i": ints(0, 4, 4, 2)}, "y = GatherElements<axis = 1>(a, i)")
    add("GatherND", lambda: {"a": f(4, 4), "i": ints(0, 4, 3, 2)}, "y = GatherND(a, i)")
    add(
        "ScatterElements",
        lambda: {"a": f(16), "i": np.array([3, 1, 7]), "u": f(3)},
        "y = ScatterElements<axis = 0>(a, i, u)",
    )
    add("ScatterND", lambda: {"a": f(16), "i": np.array([[3], [1]]), "u": f(2)}, "y = ScatterND(a, i, u)")
    add(
        "OneHot",
        lambda: {"i": ints(0, 4, 4)},
        "d = Constant<value_int = 4>() v = Constant<value_floats = [0.0, 1.0]>() y = OneHot(i, d, v)",
    )
    add("NonZero", vector(), "y = NonZero(a)")
    add("Unique", vector(), "y = Unique(a)")
    add("Compress", lambda: {"a": f(16), "c": array("bool", 16)}, "y = Compress(a, c)")
    add("Range", lambda: {"a": np.array(0), "b": np.array(16), "c": np.array(1)}, "y = Range(a, b, c)")
    add("ConstantOfShape", lambda: {"s": np.array([16])}, "y = ConstantOfShape(s)")
    add("EyeLike", matrix(), "y = EyeLike(a)")
    add("DepthToSpace", lambda: {"a": f(1, 4, 2, 2)}, "y = DepthToSpace<blocksize = 2>(a)")
    add("ReverseSequence", lambda: {"a": f(4, 4), "l": ints(1, 4, 4)}, "y = ReverseSequence(a, l)")
    for mode in ("nearest", "linear", "cubic"):
        add(
            f"Resize {mode}",
            image(),
            const("s", [1.0, 1.0, 2.0, 2.0], "floats") + f'y = Resize<mode = "{mode}">(a, , s)',
        )
    add("GridSample", lambda: {"a": f(1, 1, 4, 4), "g": f(1, 4, 4, 2)}, "y = GridSample(a, g)")
    add(
        "RoiAlign",
        lambda: {"a": f(1, 1, 8, 8), "r": np.array([[0, 0, 4, 4]], np.float32), "b": np.array([0])},
        "y = RoiAlign<output_height = 2, output_width = 2>(a, r, b)",
    )
    add(
        "NonMaxSuppression",
        lambda: {
            "b": np.sort(RNG.random((1, 4, 2, 2)), 2).reshape(1, 4, 4).astype(np.float32),
            "s": RNG.random((1, 1, 4)).astype(np.float32),
        },
        const("m", [4]) + "y = NonMaxSuppression(b, s, m)",
    )
    add("DFT", lambda: {"a": f(1, 16, 1)}, "k = Constant<value_int = 1>() y = DFT(a, , k)")
    add("Det", matrix(), "y = Det(a)")
    add(
        "QuantizeLinear",
        vector(),
        "y = QuantizeLinear(a, s, z)",
        constants=lambda: {"s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)},
    )
    add(
        "DequantizeLinear",
        vector("uint8"),
        "y = DequantizeLinear(a, s, z)",
        constants=lambda: {"s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)},
    )
    add("DynamicQuantizeLinear", vector(), "y, s, z = DynamicQuantizeLinear(a)", "y, s, z")
    add(
        "MatMulInteger",
        lambda: {"a": ints(0, 9, 4, 4, dtype=np.uint8), "b": ints(0, 9, 4, 4, dtype=np.int8)},
        "y = MatMulInteger(a, b)",
    )
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        add(
            op,
            lambda: {"a": f(2, 1, 4)},
            f"y = {op}<hidden_size = 4>(a, w, r)",
            constants=lambda g=gates: {"w": f(1, 4 * g, 4), "r": f(1, 4 * g, 4)},
        )
    add(
        "If",
        lambda: {"a": f(16), "c": np.array(True)},
        "y = If(c) <then_branch = g () => (float[16] r) { r = Relu(a) }, else_branch "
        "= h () => (float[16] r2) { r2 = Neg(a) }>",
    )
    add(
        "Loop",
        vector(),
        "n = Constant<value = int64 {3}>() c = Constant<value = bool {1}>() y = Loop(n, "
        "c, a) <body = b (int64 i, bool k, float[16] x) => (bool k2, float[16] z) { k2 "
        "= Identity(k) z = Add(x, a) }>",
    )
    add(
        "Scan",
        lambda: {"a": f(4), "b": f(3, 4)},
        "x, y = Scan<num_scan_inputs = 1, body = b (float[4] s, float[4] e) => (float[4] "
        "t, float[4] w) { t = Add(s, e) w = Identity(t) }>(a, b)",
        "x, y",
    )
    add("SequenceAt", pair(), "s = SequenceConstruct(a, b) k = Constant<value_int = 1>() y = SequenceAt(s, k)")
    add("RandomNormalLike", vector(), "y = RandomNormalLike(a)")
    for name, node, inputs in (
        ("StringNormalizer", 'y = StringNormalizer<case_change_action = "LOWER">(a)', {"a": words(4)}),
        ("StringConcat", "y = StringConcat(a, b)", {"a": words(4), "b": words(4)}),
        ("RegexFullMatch", 'y = RegexFullMatch<pattern = "w.*">(a)', {"a": words(4)}),
        ("StringSplit", "y, n = StringSplit(a)", {"a": words(4)}),
        ("Cast to string", "y = Cast<to = 8>(a)", {"a": f(4)}),
        ("Cast from string", "y = Cast<to = 1>(a)", {"a": np.array(["1.5", "2"], object)}),
        ("Identity strings", "y = Identity(a)", {"a": words(4)}),
        (
            "LabelEncoder",
            'y = ai.onnx.ml.LabelEncoder<keys_strings = ["word1", "word2"], values_int64s = [1, 2]>(a)',
            {"a": words(4)},
        ),
        (
            "TfIdfVectorizer",
            'y = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 1, max_skip_count '
            '= 0, ngram_counts = [0], ngram_indexes = [0, 1], pool_strings = ["word1", "word2"]>(a)',
            {"a": words(8)},
        ),
    ):
        rows[f"{name} tiny"] = lambda node=node, inputs=inputs: text(node, inputs, "y, n" if "y, n" in node else "y")
    ml = {
        "LinearClassifier": (
            "l, y = ai.onnx.ml.LinearClassifier<classlabels_ints = [0, 1], coefficients = "
            "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], intercepts = [0.1, 0.2], post_transform "
            '= "LOGISTIC">(a)',
            "l, y",
        ),
        "LinearRegressor": (
            "y = ai.onnx.ml.LinearRegressor<coefficients = [1.0, 2.0, 3.0, 4.0], intercepts = [0.1]>(a)",
            "y",
        ),
        "Scaler": ("y = ai.onnx.ml.Scaler<offset = [0.1], scale = [2.0]>(a)", "y"),
        "Normalizer": ('y = ai.onnx.ml.Normalizer<norm = "L2">(a)', "y"),
        "Binarizer": ("y = ai.onnx.ml.Binarizer<threshold = 0.5>(a)", "y"),
        "Imputer": ("y = ai.onnx.ml.Imputer<imputed_value_floats = [1.5], replaced_value_float = 0.0>(a)", "y"),
        "ZipMap": ("y = ai.onnx.ml.ZipMap<classlabels_int64s = [0, 1, 2, 3]>(a)", "y"),
        "SVMRegressor": (
            'y = ai.onnx.ml.SVMRegressor<kernel_type = "RBF", kernel_params = [0.1, 0.0, '
            "0.0], support_vectors = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], coefficients "
            "= [1.0, 2.0], n_supports = 2, rho = [0.3]>(a)",
            "y",
        ),
        "OneHotEncoder": ("y = ai.onnx.ml.OneHotEncoder<cats_int64s = [0, 1, 2]>(a)", "y"),
        "FeatureVectorizer": ("y = ai.onnx.ml.FeatureVectorizer<inputdimensions = [4]>(a)", "y"),
    }
    for op, (node, outs) in ml.items():
        add(op, lambda: {"a": f(1, 4)}, node, outs)
    return rows


FAMILIES = {"tiny": tiny}
