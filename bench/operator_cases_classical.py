"""Rows of operators.py for ai.onnx.ml and quantization."""

import numpy as np
from operator_cases import RNG, TYPES, array, ints, model
from operator_cases_shapes import text, words


def classical():
    def floats(*dims):
        return array("float", *dims)

    def listed(values):
        return "[" + ", ".join(map(str, values)) + "]"

    def one(node, inputs, outputs="y"):
        return lambda: text(node(), inputs(), outputs)

    rows = {}
    for count, features in ((1000, 10), (1000, 1000), (1, 100)):
        rows[f"LinearRegressor {count}x{features}"] = one(
            lambda features=features: (
                f"y = ai.onnx.ml.LinearRegressor<coefficients = {listed(floats(features))}, intercepts = [0.5]>(a)"
            ),
            lambda count=count, features=features: {"a": floats(count, features)},
        )
        for post in ("NONE", "SOFTMAX", "LOGISTIC"):
            rows[f"LinearClassifier {post} {count}x{features}"] = one(
                lambda features=features, post=post: (
                    "l, y = ai.onnx.ml.LinearClassifier<classlabels_ints = [0, 1, 2], "
                    f"coefficients = {listed(floats(3 * features))}, intercepts = [0.5, 0.1, 0.2], "
                    f'post_transform = "{post}">(a)'
                ),
                lambda count=count, features=features: {"a": floats(count, features)},
                "l, y",
            )
        rows[f"LinearClassifier two strings {count}x{features}"] = one(
            lambda features=features: (
                'l, y = ai.onnx.ml.LinearClassifier<classlabels_strings = ["yes", "no"], '
                f"coefficients = {listed(floats(2 * features))}, intercepts = [0.5, 0.1], "
                f'post_transform = "LOGISTIC">(a)'
            ),
            lambda count=count, features=features: {"a": floats(count, features)},
            "l, y",
        )
        rows[f"Scaler {count}x{features}"] = one(
            lambda features=features: (
                f"y = ai.onnx.ml.Scaler<offset = {listed(floats(features))}, scale = {listed(floats(features))}>(a)"
            ),
            lambda count=count, features=features: {"a": floats(count, features)},
        )
        for norm in ("MAX", "L1", "L2"):
            rows[f"Normalizer {norm} {count}x{features}"] = one(
                lambda norm=norm: f'y = ai.onnx.ml.Normalizer<norm = "{norm}">(a)',
                lambda count=count, features=features: {"a": floats(count, features)},
            )
        rows[f"Imputer {count}x{features}"] = one(
            lambda features=features: (
                f"y = ai.onnx.ml.Imputer<imputed_value_floats = {listed(floats(features))}, "
                f"replaced_value_float = nan>(a)"
            ),
            lambda count=count, features=features: {
                "a": np.where(RNG.random((count, features)) < 0.1, np.nan, floats(count, features)).astype(np.float32)
            },
        )
        rows[f"Imputer one {count}x{features}"] = one(
            lambda: "y = ai.onnx.ml.Imputer<imputed_value_floats = [1.5], replaced_value_float = 0.0>(a)",
            lambda count=count, features=features: {"a": floats(count, features)},
        )
        rows[f"Imputer int64 {count}x{features}"] = one(
            lambda: "y = ai.onnx.ml.Imputer<imputed_value_int64s = [7], replaced_value_int64 = 3>(a)",
            lambda count=count, features=features: {"a": ints(0, 9, count, features)},
        )
        rows[f"Binarizer {count}x{features}"] = one(
            lambda: "y = ai.onnx.ml.Binarizer<threshold = 0.5>(a)",
            lambda count=count, features=features: {"a": floats(count, features)},
        )
        rows[f"ArrayFeatureExtractor {count}x{features}"] = one(
            lambda: "y = ai.onnx.ml.ArrayFeatureExtractor(a, i)",
            lambda count=count, features=features: {
                "a": floats(count, features),
                "i": ints(0, features, features // 2),
            },
        )
        rows[f"ArrayFeatureExtractor one {count}x{features}"] = one(
            lambda: "y = ai.onnx.ml.ArrayFeatureExtractor(a, i)",
            lambda count=count, features=features: {"a": floats(count, features), "i": ints(0, features, 1)},
        )
        rows[f"FeatureVectorizer {count}x{features}"] = one(
            lambda features=features: f"y = ai.onnx.ml.FeatureVectorizer<inputdimensions = [{features}, 5]>(a, b)",
            lambda count=count, features=features: {"a": floats(count, features), "b": floats(count, 5)},
        )
        for dtype in ("int64", "double"):
            rows[f"Scaler {dtype} {count}x{features}"] = one(
                lambda features=features: (
                    f"y = ai.onnx.ml.Scaler<offset = {listed(floats(features))}, scale = {listed(floats(features))}>(a)"
                ),
                lambda count=count, features=features, dtype=dtype: {"a": array(dtype, count, features)},
            )
            rows[f"Normalizer L2 {dtype} {count}x{features}"] = one(
                lambda: 'y = ai.onnx.ml.Normalizer<norm = "L2">(a)',
                lambda count=count, features=features, dtype=dtype: {"a": array(dtype, count, features)},
            )
        for kernel in ("RBF", "LINEAR", "POLY", "SIGMOID"):

            def svm(op, count=count, features=features, kernel=kernel):
                vectors = 200
                common = f'kernel_type = "{kernel}", kernel_params = [0.01, 0.1, 2.0], support_vectors = {listed(floats(vectors * features))}'
                if op == "SVMRegressor":
                    return f"y = ai.onnx.ml.SVMRegressor<{common}, coefficients = {listed(floats(vectors))}, n_supports = {vectors}, rho = [0.3]>(a)"
                return (
                    f"l, y = ai.onnx.ml.SVMClassifier<{common}, classlabels_ints = [0, 1, 2], "
                    f"coefficients = {listed(floats(2 * vectors))}, "
                    f"vectors_per_class = [80, 60, 60], rho = [0.3, 0.1, 0.2]>(a)"
                )

            if features <= 100:
                rows[f"SVMRegressor {kernel} {count}x{features}"] = one(
                    lambda svm=svm: svm("SVMRegressor"),
                    lambda count=count, features=features: {"a": floats(count, features)},
                )
                rows[f"SVMClassifier {kernel} {count}x{features}"] = one(
                    lambda svm=svm: svm("SVMClassifier"),
                    lambda count=count, features=features: {"a": floats(count, features)},
                    "l, y",
                )
    names = ", ".join(f'"word{i}"' for i in range(500))
    codes = listed(range(500))
    rows["LabelEncoder strings to int64"] = one(
        lambda: f"y = ai.onnx.ml.LabelEncoder<keys_strings = [{names}], values_int64s = {codes}>(a)",
        lambda: {"a": words(5000)},
    )
    rows["LabelEncoder int64 to strings"] = one(
        lambda: f"y = ai.onnx.ml.LabelEncoder<keys_int64s = {codes}, values_strings = [{names}]>(a)",
        lambda: {"a": ints(0, 600, 5000)},
    )
    rows["LabelEncoder int64 to float"] = one(
        lambda: f"y = ai.onnx.ml.LabelEncoder<keys_int64s = {codes}, values_floats = {listed(floats(500))}>(a)",
        lambda: {"a": ints(0, 600, 50000)},
    )
    rows["LabelEncoder float to int64"] = one(
        lambda: (
            f"y = ai.onnx.ml.LabelEncoder<keys_floats = {listed(map(float, range(500)))}, values_int64s = {codes}>(a)"
        ),
        lambda: {"a": ints(0, 600, 50000).astype(np.float32)},
    )
    rows["LabelEncoder small"] = one(
        lambda: f"y = ai.onnx.ml.LabelEncoder<keys_int64s = {codes}, values_floats = {listed(floats(500))}>(a)",
        lambda: {"a": ints(0, 600, 3)},
    )
    rows["CategoryMapper to int64"] = one(
        lambda: f"y = ai.onnx.ml.CategoryMapper<cats_strings = [{names}], cats_int64s = {codes}>(a)",
        lambda: {"a": words(5000)},
    )
    rows["OneHotEncoder int64"] = one(
        lambda: f"y = ai.onnx.ml.OneHotEncoder<cats_int64s = {listed(range(50))}>(a)", lambda: {"a": ints(0, 50, 2000)}
    )
    rows["OneHotEncoder strings"] = one(
        lambda: (
            f"y = ai.onnx.ml.OneHotEncoder<cats_strings = [{', '.join(f'{chr(34)}word{i}{chr(34)}' for i in range(50))}]>(a)"
        ),
        lambda: {"a": words(2000, distinct=50)},
    )
    rows["OneHotEncoder float"] = one(
        lambda: f"y = ai.onnx.ml.OneHotEncoder<cats_int64s = {listed(range(50))}>(a)",
        lambda: {"a": ints(0, 50, 2000).astype(np.float32)},
    )
    rows["ZipMap int64"] = one(
        lambda: "y = ai.onnx.ml.ZipMap<classlabels_int64s = [0, 1, 2]>(a)", lambda: {"a": floats(500, 3)}
    )
    rows["ZipMap strings"] = one(
        lambda: 'y = ai.onnx.ml.ZipMap<classlabels_strings = ["a", "b", "c"]>(a)', lambda: {"a": floats(500, 3)}
    )
    return rows


def quantization():
    rows = {}
    for dtype in ("uint8", "int8", "uint16", "int16"):
        kind = TYPES[dtype]
        for note, dims, axis, block in (
            ("axis 1", (8, 32, 40, 40), 1, 0),
            ("axis 0", (333, 777), 0, 0),
            ("last axis", (333, 777), 1, 0),
            ("blocks", (256, 1024), 1, 32),
            ("blocks of rows", (256, 1024), 0, 32),
            ("scalar", (333, 777), 1, -1),
            ("small", (30, 100), 1, -1),
        ):

            def make(op, kind=kind, dims=dims, axis=axis, block=block, dtype=dtype):
                sizes = (
                    ()
                    if block < 0
                    else (dims[axis],)
                    if block == 0
                    else tuple(d // block if i == axis else d for i, d in enumerate(dims))
                )
                s = np.full(sizes, 0.02, np.float32)
                z = np.full(sizes, 3, kind)
                a = array("float", *dims) if op == "QuantizeLinear" else array(dtype, *dims)
                attributes = "" if block < 0 else f"<axis = {axis}, block_size = {max(block, 0)}>"
                return (*model({"a": a}, f"y = {op}{attributes}(a, s, z)"), {"s": s, "z": z})

            for op in ("QuantizeLinear", "DequantizeLinear"):
                rows[f"{op} {dtype} {note}"] = lambda op=op, make=make: make(op)
    rows["DequantizeLinear int32"] = lambda: (
        *model({"a": array("int32", 333, 777)}, "y = DequantizeLinear(a, s)"),
        {"s": np.array(0.1, np.float32)},
    )
    rows["QuantizeLinear float16"] = lambda: (
        *model({"a": array("float16", 333, 777)}, "y = QuantizeLinear(a, s, z)"),
        {"s": np.array(0.1, np.float16), "z": np.array(3, np.uint8)},
    )
    rows["DequantizeLinear float16"] = lambda: (
        *model({"a": array("uint8", 333, 777)}, "y = DequantizeLinear(a, s, z)"),
        {"s": np.array(0.1, np.float16), "z": np.array(3, np.uint8)},
    )
    rows["DynamicQuantizeLinear small"] = lambda: model(
        {"a": array("float", 1, 512)}, "y, s, z = DynamicQuantizeLinear(a)", "y, s, z"
    )
    for note, a, b in (
        ("row", (1, 512), (512, 512)),
        ("odd", (33, 77), (77, 55)),
        ("batch", (8, 64, 64), (8, 64, 64)),
        ("tall", (512, 64), (64, 512)),
    ):
        for at in (np.uint8, np.int8):
            rows[f"MatMulInteger {note} {at.__name__}"] = lambda a=a, b=b, at=at: model(
                {"a": ints(0, 100, *a, dtype=at), "b": ints(-9, 9, *b, dtype=np.int8)}, "y = MatMulInteger(a, b)"
            )
            rows[f"MatMulInteger zero {note} {at.__name__}"] = lambda a=a, b=b, at=at: (
                *model({"a": ints(0, 100, *a, dtype=at)}, "y = MatMulInteger(a, b, z, w)"),
                {"b": ints(-9, 9, *b, dtype=np.int8), "z": np.array(5, at), "w": np.array(0, np.int8)},
            )
    for note, x, w, attributes in (
        ("depthwise", (1, 64, 28, 28), (64, 1, 3, 3), "<group = 64, pads = [1, 1, 1, 1]>"),
        ("1x1", (1, 64, 28, 28), (64, 64, 1, 1), ""),
        ("stride", (1, 3, 112, 112), (32, 3, 3, 3), "<strides = [2, 2], pads = [1, 1, 1, 1]>"),
        ("group 4", (1, 32, 28, 28), (32, 8, 3, 3), "<group = 4>"),
        ("1D", (1, 32, 500), (32, 32, 5), ""),
    ):
        for at in (np.uint8, np.int8):
            rows[f"QLinearConv {note} {at.__name__}"] = lambda x=x, w=w, attributes=attributes, at=at: (
                *model({"a": ints(0, 100, *x, dtype=at)}, f"y = QLinearConv{attributes}(a, as, az, w, ws, wz, ys, yz)"),
                {
                    "as": np.array(0.02, np.float32),
                    "az": np.array(3, at),
                    "w": ints(-99, 99, *w, dtype=np.int8),
                    "ws": np.full(w[0], 0.01, np.float32),
                    "wz": np.zeros(w[0], np.int8),
                    "ys": np.array(0.7, np.float32),
                    "yz": np.array(50, at),
                },
            )
        rows[f"ConvInteger {note}"] = lambda x=x, w=w, attributes=attributes: (
            *model({"a": ints(0, 100, *x, dtype=np.uint8)}, f"y = ConvInteger{attributes}(a, w, z)"),
            {"w": ints(0, 99, *w, dtype=np.uint8), "z": np.array(3, np.uint8)},
        )
    return rows


FAMILIES = {"classical": classical, "quantization": quantization}
