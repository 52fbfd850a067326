"""Rows of operators.py for 8-bit floats, 4-bit integers, and other forms of indices, masks, caches and signals."""

import numpy as np
from operator_cases import RNG, TYPES, array, ints, model, row
from operator_cases_newer import newer
from operator_cases_shapes import const

NARROW = {"float8e4m3fn": 17, "float8e4m3fnuz": 18, "float8e5m2": 19, "float8e5m2fnuz": 20, "uint4": 21, "int4": 22}


def narrow():
    """Cast, QuantizeLinear and DequantizeLinear of what numpy has no type for: made, and used, within the model."""

    def f(*dims):
        return array("float", *dims)

    rows = {}
    for kind, number in NARROW.items():
        for dtype, back in (("float", 1), ("float16", 10)):
            rows[row("Cast", dtype) + f" through {kind}"] = lambda d=dtype, n=number, b=back: model(
                {"a": array(d, 500_000)}, f"n = Cast<to = {n}>(a) y = Cast<to = {b}>(n)"
            )
            rows[row("QuantizeLinear", dtype) + f" {kind}"] = lambda d=dtype, n=number: (
                *model(
                    {"a": array(d, 200_000)}, f"q = QuantizeLinear<output_dtype = {n}>(a, s) y = DequantizeLinear(q, s)"
                ),
                {"s": np.array(0.1, TYPES[d])},
            )
        rows[f"QuantizeLinear {kind} blocks"] = lambda n=number: (
            *model(
                {"a": f(256, 1024)},
                f"q = QuantizeLinear<axis = 1, block_size = 32, output_dtype = {n}>(a, s) y = "
                "DequantizeLinear<axis = 1, block_size = 32>(q, s)",
            ),
            {"s": np.full((256, 32), 0.1, np.float32)},
        )
        rows[f"QuantizeLinear {kind} axis 0"] = lambda n=number: (
            *model(
                {"a": f(256, 1024)},
                f"q = QuantizeLinear<axis = 0, output_dtype = {n}>(a, s) y = DequantizeLinear<axis = 0>(q, s)",
            ),
            {"s": np.full(256, 0.1, np.float32)},
        )
    return rows


def forms():
    def f(*dims):
        return array("float", *dims)

    rows = {}
    for kind in (np.int32, np.int64):
        note = kind.__name__
        for axis in (0, 1, 2, 3):
            rows[f"Gather {note} axis {axis}"] = lambda k=kind, axis=axis: model(
                {"a": f(8, 40, 40, 40), "i": ints(-8, 8, 6, dtype=k)}, f"y = Gather<axis = {axis}>(a, i)"
            )
            rows[f"Gather {note} scalar axis {axis}"] = lambda k=kind, axis=axis: model(
                {"a": f(8, 40, 40, 40), "i": np.array(3, k)}, f"y = Gather<axis = {axis}>(a, i)"
            )
            rows[f"GatherElements {note} axis {axis}"] = lambda k=kind, axis=axis: model(
                {"a": f(8, 40, 40, 40), "i": ints(-8, 8, 8, 40, 40, 40, dtype=k)},
                f"y = GatherElements<axis = {axis}>(a, i)",
            )
            rows[f"ScatterElements {note} axis {axis}"] = lambda k=kind, axis=axis: model(
                {
                    "a": f(8, 40, 40, 40),
                    "i": np.broadcast_to(
                        np.arange(8, dtype=k).reshape([8 if d == axis else 1 for d in range(4)]),
                        [8 if d == axis else n for d, n in enumerate((8, 40, 40, 40))],
                    ).copy(),
                    "u": f(*[8 if d == axis else n for d, n in enumerate((8, 40, 40, 40))]),
                },
                f"y = ScatterElements<axis = {axis}>(a, i, u)",
            )
        for axis in (0, 1, -1):
            rows[f"OneHot {note} axis {axis} matrix"] = lambda k=kind, axis=axis: model(
                {"i": ints(-20, 20, 64, 64, dtype=k), "v": f(2)},
                f"d = Constant<value_int = 40>() y = OneHot<axis = {axis}>(i, d, v)",
            )
    for dtype in ("float", "int64", "int32", "uint8", "bool", "float16", "double"):
        rows[row("ScatterND", dtype) + " cache"] = lambda d=dtype: model(
            {
                "a": array(d, 8, 512, 64),
                "i": np.stack([np.repeat(np.arange(8), 4), np.tile(np.arange(100, 104), 8)], 1),
                "u": array(d, 32, 64),
            },
            "y = ScatterND(a, i, u)",
        )
        rows[row("Where", dtype) + " mask"] = lambda d=dtype: model(
            {"c": array("bool", 1, 1, 128, 128), "a": array(d, 1, 12, 128, 128), "b": array(d, 1)}, "y = Where(c, a, b)"
        )
        rows[row("Where", dtype) + " scalars"] = lambda d=dtype: model(
            {"c": array("bool", 500, 1000), "a": array(d), "b": array(d)}, "y = Where(c, a, b)"
        )
        rows[row("Expand", dtype) + " mask"] = lambda d=dtype: model(
            {"a": array(d, 1, 1, 1, 128)}, const("k", [4, 1, 128, 128]) + "y = Expand(a, k)"
        )
        rows[row("Equal", dtype) + " scalar"] = lambda d=dtype: model(
            {"a": array(d, 500000), "b": array(d, 1)}, "y = Equal(a, b)"
        )
        rows[row("Slice", dtype) + " view"] = lambda d=dtype: model(
            {"a": array(d, 16, 200, 200)},
            const("s", [0, 20]) + const("e", [100, 180]) + const("x", [1, 2]) + "v = Slice(a, s, e, x) y = Equal(v, v)",
        )
        rows[row("Transpose", dtype) + " view"] = lambda d=dtype: model(
            {"a": array(d, 16, 200, 200), "b": array(d, 16, 200, 200)},
            "v = Transpose<perm = [0, 2, 1]>(a) y = Equal(v, b)",
        )
        rows[row("Concat", dtype) + " many"] = lambda d=dtype: model(
            {f"a{k}": array(d, 64, 100) for k in range(16)},
            f"y = Concat<axis = 1>({', '.join(f'a{k}' for k in range(16))})",
        )
        rows[row("Split", dtype) + " many"] = lambda d=dtype: model(
            {"a": array(d, 64, 1600)},
            f"{', '.join(f'y{k}' for k in range(16))} = Split<axis = 1, num_outputs = 16>(a)",
            ", ".join(f"y{k}" for k in range(16)),
        )
        rows[row("Unique", dtype) + " all"] = lambda d=dtype: model(
            {"a": array(d, 300, 100, high=50)}, "y, i, j, c = Unique(a)", "y, i, j, c"
        )
        rows[row("NonZero", dtype) + " matrix"] = lambda d=dtype: model(
            {"a": (RNG.random((512, 512)) > 0.9).astype(TYPES[d])}, "y = NonZero(a)"
        )
        rows[row("Compress", dtype) + " rows"] = lambda d=dtype: model(
            {"a": array(d, 4000, 85), "c": RNG.random(4000) > 0.8}, "y = Compress<axis = 0>(a, c)"
        )
    for op in ("Add", "Mul", "Sub", "Div", "Max", "Min", "Less", "Pow"):
        for dtype in ("float", "double", "float16", "bfloat16", "int32", "int64", "uint8", "int8"):
            for note, a, b in (
                ("channel", (8, 64, 28, 28), (64, 1, 1)),
                ("row", (128, 3072), (3072,)),
                ("column", (128, 3072), (128, 1)),
                ("scalar", (500_000,), (1,)),
                ("both", (128, 1, 64), (1, 96, 64)),
                ("scalar left", (), (500_000,)),
            ):
                rows[row(op, dtype) + f" form {note}"] = lambda op=op, d=dtype, a=a, b=b: model(
                    {
                        "a": np.abs(array(d, *a, high=9)),
                        "b": np.abs(array(d, *b, high=3))
                        + TYPES[d](0.01 if d in ("float", "double", "float16", "bfloat16") else 0),
                    },
                    f"y = {op}(a, b)",
                )
    for equation, *dims in (
        ("bij,bkj->bik", (8, 100, 64), (8, 120, 64)),
        ("bhid,bhjd->bhij", (2, 8, 50, 64), (2, 8, 50, 64)),
        ("bihd,bjhd->bhij", (2, 50, 8, 64), (2, 50, 8, 64)),
        ("nc,nc->n", (1000, 500), (1000, 500)),
        ("ab,cd->abcd", (20, 30), (20, 30)),
        ("abc->cab", (50, 60, 70)),
        ("abcd->abc", (10, 20, 30, 40)),
        ("ij,ij->", (500, 500), (500, 500)),
        ("nkctv,kvw->nctw", (2, 3, 16, 50, 25), (3, 25, 25)),
        ("bnij,bjhd->bihnd", (2, 4, 30, 30), (2, 30, 3, 16)),
        ("bld,dhk->blhk", (2, 64, 128), (128, 4, 32)),
        ("i,ij->ij", (500,), (500, 1000)),
        ("bc,bchw->bhw", (2, 64), (2, 64, 40, 40)),
        ("bqc,bchw->bqhw", (1, 100, 256), (1, 256, 40, 40)),
        ("hwd,nd->hwn", (14, 14, 64), (27, 64)),
        ("tdi,tdj->tij", (10, 20, 30), (10, 20, 40)),
    ):
        for dtype in ("float", "double"):
            rows[row("Einsum", dtype) + f" {equation} form"] = lambda e=equation, dims=dims, d=dtype: model(
                {k: array(d, *n) for k, n in zip("abc", dims, strict=False)},
                f'y = Einsum<equation = "{e}">({", ".join("abc"[: len(dims)])})',
            )
    for mode in ("linear", "cubic", "nearest"):
        for transformation in (
            "half_pixel",
            "half_pixel_symmetric",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_crop_and_resize",
        ):
            for note, size in (("up", [1, 8, 100, 130]), ("down", [1, 8, 40, 30])):
                roi = (
                    {"r": np.array([0, 0, 0.1, 0.1, 1, 1, 0.9, 0.9], np.float32)}
                    if transformation.startswith("tf")
                    else {}
                )
                rows[f"Resize {mode} {transformation} {note}"] = lambda m=mode, t=transformation, s=size, roi=roi: (
                    *model(
                        {"a": f(1, 8, 64, 64)},
                        const("k", s)
                        + f'y = Resize<mode = "{m}", coordinate_transformation_mode = "{t}">(a, {"r" if roi else ""}, '
                        ", k)",
                    ),
                    roi,
                )
        for size in ([1, 8, 30, 30], [1, 8, 100, 100]):
            if mode != "nearest":
                rows[f"Resize {mode} antialias {size[2]}"] = lambda m=mode, s=size: model(
                    {"a": f(1, 8, 64, 64)}, const("k", s) + f'y = Resize<mode = "{m}", antialias = 1>(a, , , k)'
                )
        rows[f"Resize {mode} axes"] = lambda m=mode: model(
            {"a": f(1, 8, 64, 64)}, const("k", [100, 100]) + f'y = Resize<mode = "{m}", axes = [2, 3]>(a, , , k)'
        )
        rows[f"Resize {mode} not larger"] = lambda m=mode: model(
            {"a": f(1, 8, 64, 64)},
            const("k", [100, 120])
            + f'y = Resize<mode = "{m}", axes = [2, 3], keep_aspect_ratio_policy = "not_larger">(a, , , k)',
        )
        rows[f"Resize {mode} channels first"] = lambda m=mode: model(
            {"a": f(1, 64, 64, 16)}, const("k", [1, 96, 96, 16]) + f'y = Resize<mode = "{m}">(a, , , k)'
        )
    rows["Resize cubic exclude"] = lambda: model(
        {"a": f(1, 8, 64, 64)},
        const("k", [1, 8, 100, 100])
        + 'y = Resize<mode = "cubic", exclude_outside = 1, cubic_coeff_a = -0.5>(a, , , k)',
    )
    for size in (100, 128, 1000, 4096, 44100):
        for onesided in (0, 1):
            rows[f"DFT real {size} onesided {onesided}"] = lambda n=size, o=onesided: model(
                {"a": f(2, n, 1)}, f"k = Constant<value_int = 1>() y = DFT<onesided = {o}>(a, , k)"
            )
    rows["DFT length"] = lambda: model(
        {"a": f(8, 400, 1)}, "k = Constant<value_int = 1>() l = Constant<value_int = 512>() y = DFT(a, l, k)"
    )
    rows["STFT double"] = lambda: model(
        {"a": array("double", 1, 16000, 1), "w": array("double", 400)},
        "k = Constant<value_int = 160>() l = Constant<value_int = 400>() y = STFT(a, k, w, l)",
    )
    rows["STFT both sides"] = lambda: model(
        {"a": f(1, 16000, 1), "w": f(400)},
        "k = Constant<value_int = 160>() l = Constant<value_int = 400>() y = STFT<onesided = 0>(a, k, w, l)",
    )
    for axes in ([1], [2], [3], [0, 2, 3], [1, 2, 3], [2, 3], [0, 1]):
        for op in (
            "ReduceSum",
            "ReduceMean",
            "ReduceMax",
            "ReduceMin",
            "ReduceProd",
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp",
            "ReduceSumSquare",
        ):
            for keep in (0, 1):
                if keep or op in ("ReduceSum", "ReduceMax"):
                    rows[f"{op} axes {axes} keep {keep}"] = lambda op=op, axes=axes, keep=keep: model(
                        {"a": np.abs(f(4, 32, 50, 50))}, const("k", axes) + f"y = {op}<keepdims = {keep}>(a, k)"
                    )
    for op in ("Softmax", "LogSoftmax", "Hardmax", "ArgMax", "ArgMin"):
        for axis in (0, 1, 2, 3):
            for dtype in ("float", "float16", "double"):
                rows[row(op, dtype) + f" form axis {axis}"] = lambda op=op, axis=axis, d=dtype: model(
                    {"a": array(d, 8, 32, 40, 40)}, f"y = {op}<axis = {axis}>(a)"
                )
    for dtype in ("float", "float16", "bfloat16", "double"):
        for note, attributes, extra, inputs in (
            ("causal", "<is_causal = 1>", {}, "q, k, v"),
            ("softcap", "<softcap = 20.0>", {}, "q, k, v"),
            ("mask", "", {"m": (64, 64)}, "q, k, v, m"),
            ("mask heads", "", {"m": (1, 8, 64, 64)}, "q, k, v, m"),
            ("scores", "<qk_matmul_output_mode = 0>", {}, "q, k, v"),
        ):
            rows[row("Attention", dtype) + f" form {note}"] = lambda d=dtype, t=attributes, extra=extra, i=inputs: (
                newer(
                    {**{k: array(d, 1, 8, 64, 32) for k in "qkv"}, **{k: array(d, *n) for k, n in extra.items()}},
                    f"y{', , , s' if 'qk_' in t else ''} = Attention{t}({i})",
                    "y, s" if "qk_" in t else "y",
                )
            )
        rows[row("Attention", dtype) + " form flags"] = lambda d=dtype: newer(
            {**{k: array(d, 1, 8, 64, 32) for k in "qkv"}, "m": array("bool", 64, 64)}, "y = Attention(q, k, v, m)"
        )
        rows[row("RotaryEmbedding", dtype) + " form interleaved"] = lambda d=dtype: newer(
            {"a": array(d, 1, 8, 64, 32), "c": array(d, 1, 64, 16), "s": array(d, 1, 64, 16)},
            "y = RotaryEmbedding<interleaved = 1>(a, c, s)",
        )
        rows[row("RotaryEmbedding", dtype) + " form positions"] = lambda d=dtype: newer(
            {
                "a": array(d, 1, 64, 256),
                "c": array(d, 128, 16),
                "s": array(d, 128, 16),
                "p": np.arange(64).reshape(1, 64),
            },
            "y = RotaryEmbedding<num_heads = 8>(a, c, s, p)",
        )
        rows[row("LayerNormalization", dtype) + " form no bias"] = lambda d=dtype: (
            *model({"a": array(d, 1, 197, 768)}, "y = LayerNormalization(a, s)"),
            {"s": array(d, 768)},
        )
    rows["NonMaxSuppression fed"] = lambda: model(
        {
            "b": np.sort(RNG.uniform(0, 100, (1, 2000, 2, 2)), axis=2).reshape(1, 2000, 4).astype(np.float32),
            "s": RNG.random((1, 2, 2000)).astype(np.float32),
            "m": np.array([50]),
            "i": np.array([0.5], np.float32),
            "t": np.array([0.3], np.float32),
        },
        "y = NonMaxSuppression(b, s, m, i, t)",
    )
    rows["MaxUnpool shape"] = lambda: model(
        {"a": f(1, 16, 32, 32), "i": 4 * np.arange(16 * 32 * 32).reshape(1, 16, 32, 32)},
        const("o", [1, 16, 66, 66]) + "y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(a, i, o)",
    )
    rows["BlackmanWindow double"] = lambda: model({"n": np.array(4096)}, "y = BlackmanWindow<output_datatype = 11>(n)")
    rows["Multinomial int64"] = lambda: model({"a": f(20, 1000)}, "y = Multinomial<dtype = 7, sample_size = 50>(a)")
    for dtype in ("uint8", "int8"):
        rows[f"QLinearMatMul {dtype} batch"] = lambda d=dtype: (
            *model({"a": array(d, 8, 64, 64), "b": array(d, 8, 64, 64)}, "y = QLinearMatMul(a, s, z, b, s, z, t, z)"),
            {"s": np.array(0.1, np.float32), "t": np.array(9.0, np.float32), "z": np.array(3, TYPES[d])},
        )
    rows["DynamicQuantizeLinear matrix"] = lambda: model(
        {"a": f(128, 768)}, "y, s, z = DynamicQuantizeLinear(a)", "y, s, z"
    )
    return rows


def classical_more():
    def f(*dims):
        return array("float", *dims)

    rows = {}

    def listed(values):
        return "[" + ", ".join(map(str, values)) + "]"

    def forest(op, trees, depth, features):
        """Complete trees, as lists of nodes."""
        inner, leaves = 2**depth - 1, 2**depth
        ids, tree = np.tile(np.arange(inner + leaves), trees), np.repeat(np.arange(trees), inner + leaves)
        is_leaf = ids >= inner
        leaf_tree, leaf_id = tree[is_leaf], ids[is_leaf]
        values = np.where(is_leaf, 0.0, RNG.standard_normal(ids.size).round(3)).astype(np.float32)
        lists = {
            "nodes_treeids": tree,
            "nodes_nodeids": ids,
            "nodes_featureids": np.where(is_leaf, 0, RNG.integers(0, features, ids.size)),
            "nodes_values": values,
            "nodes_truenodeids": np.where(is_leaf, 0, 2 * ids + 1),
            "nodes_falsenodeids": np.where(is_leaf, 0, 2 * ids + 2),
        }
        classes = 1 if op == "TreeEnsembleRegressor" else 3
        kind = "target" if classes == 1 else "class"
        lists[f"{kind}_treeids"] = np.repeat(leaf_tree, classes)
        lists[f"{kind}_nodeids"] = np.repeat(leaf_id, classes)
        lists[f"{kind}_ids"] = np.tile(np.arange(classes), leaf_id.size)
        lists[f"{kind}_weights"] = RNG.random(classes * leaf_id.size).astype(np.float32)
        text = ", ".join(f"{name} = {listed(values)}" for name, values in lists.items())
        modes = ", ".join('"LEAF"' if leaf else '"BRANCH_LEQ"' for leaf in is_leaf)
        if classes == 1:
            return f"y = ai.onnx.ml.{op}<n_targets = 1, nodes_modes = [{modes}], {text}>(a)"
        return f"l, y = ai.onnx.ml.{op}<classlabels_int64s = [0, 1, 2], nodes_modes = [{modes}], {text}>(a)"

    for op in ("TreeEnsembleRegressor", "TreeEnsembleClassifier"):
        for note, trees, depth in (("small", 10, 3), ("", 100, 6)):
            for count in (1, 100, 2000):
                for dtype in ("float", "double", "int64"):
                    rows[f"{op} {note} {count} rows {dtype}".replace("  ", " ")] = (
                        lambda op=op, t=trees, dp=depth, c=count, d=dtype: model(
                            {"a": array(d, c, 20)}, forest(op, t, dp, 20), "y" if op.endswith("Regressor") else "l, y"
                        )
                    )
    for count in (1, 100, 5000):
        for note, labels in (
            ("int64", "classlabels_int64s = [0, 1, 2, 3, 4]"),
            ("strings", 'classlabels_strings = ["a", "b", "c", "d", "e"]'),
        ):
            rows[f"ZipMap {note} {count}"] = lambda c=count, given=labels: model(
                {"a": f(c, 5)}, f"y = ai.onnx.ml.ZipMap<{given}>(a)"
            )
        for dtype in ("float", "double", "int64", "int32"):
            rows[f"LinearClassifier {dtype} {count}"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 30)},
                "l, y = ai.onnx.ml.LinearClassifier<classlabels_ints = [0, 1, 2], coefficients "
                f'= {listed(f(90))}, intercepts = [0.5, 0.1, 0.2], post_transform = "SOFTMAX">(a)',
                "l, y",
            )
            rows[f"SVMClassifier {dtype} {count}"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 20)},
                'l, y = ai.onnx.ml.SVMClassifier<kernel_type = "RBF", kernel_params = [0.01, '
                f"0.1, 2.0], support_vectors = {listed(f(2000))}, classlabels_ints = [0, 1, 2], "
                f"coefficients = {listed(f(200))}, vectors_per_class = [40, 30, 30], rho = [0.3, "
                "0.1, 0.2]>(a)",
                "l, y",
            )
            rows[f"Scaler {dtype} {count} more"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 30)}, f"y = ai.onnx.ml.Scaler<offset = {listed(f(30))}, scale = {listed(f(30))}>(a)"
            )
            rows[f"Normalizer {dtype} {count} more"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 30)}, 'y = ai.onnx.ml.Normalizer<norm = "L1">(a)'
            )
            rows[f"ArrayFeatureExtractor {dtype} {count} more"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 30), "i": ints(0, 30, 10)}, "y = ai.onnx.ml.ArrayFeatureExtractor(a, i)"
            )
            rows[f"OneHotEncoder {dtype} {count} more"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 3)}, "y = ai.onnx.ml.OneHotEncoder<cats_int64s = [0, 1, 2, 3, 4, 5]>(a)"
            )
            rows[f"FeatureVectorizer {dtype} {count} more"] = lambda c=count, d=dtype: model(
                {"a": array(d, c, 10), "b": array(d, c, 5), "c": array(d, c, 1)},
                "y = ai.onnx.ml.FeatureVectorizer<inputdimensions = [10, 5, 1]>(a, b, c)",
            )
        rows[f"SVMClassifier probabilities {count}"] = lambda c=count: model(
            {"a": f(c, 20)},
            'l, y = ai.onnx.ml.SVMClassifier<kernel_type = "RBF", kernel_params = [0.01, '
            f"0.1, 2.0], support_vectors = {listed(f(2000))}, classlabels_ints = [0, 1, 2], "
            f"coefficients = {listed(f(200))}, vectors_per_class = [40, 30, 30], prob_a = "
            "[-1.0, -1.1, -1.2], prob_b = [0.1, 0.2, 0.3], rho = [0.3, 0.1, 0.2]>(a)",
            "l, y",
        )
    return rows


FAMILIES = {"narrow": narrow, "forms": forms, "classical_more": classical_more}
