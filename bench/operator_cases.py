"""The rows of operators.py: for each family a function that gives {name: function that makes (model text, feeds)}."""

import functools

import ml_dtypes
import numpy as np

N = 500_000
RNG = np.random.default_rng(0)

TYPES = {
    "float": np.float32,
    "double": np.float64,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "bool": np.bool_,
}
FLOATS = ("float", "double", "float16", "bfloat16")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NUMBERS = FLOATS + INTS
# Where a type means its size only.
SIZES = ("float", "double", "float16", "int8", "int64", "bool")


def array(dtype, *dims, low=1, high=100):
    """Normal numbers for floating types, others from [low, high)."""
    kind = TYPES[dtype]
    if dtype == "bool":
        return RNG.random(dims) > 0.5
    if dtype in FLOATS:
        return RNG.standard_normal(dims).astype(kind)
    return RNG.integers(low, high, dims).astype(kind)


def ints(low, high, *dims, dtype=np.int64):
    return RNG.integers(low, high, dims).astype(dtype)


def model(inputs, node, outputs="y"):
    """inputs: {name: array}; node: its text, with constants before it."""
    names = {np.dtype(kind): name for name, kind in TYPES.items()}
    formals = ", ".join(
        f"{names[a.dtype]}{'[' + ', '.join(map(str, a.shape)) + ']' if a.ndim else ''} {name}"
        for name, a in inputs.items()
    )
    return f"agraph ({formals}) => ({outputs}) {{ {node} }}", inputs


def row(op, dtype):
    return op if dtype == "float" else f"{op} {dtype}"


def unary(names, types, attributes="", low=1, **kwargs):
    rows = {}
    for op in names:
        for dtype in types:
            def make(op=op, dtype=dtype):
                a = array(dtype, N, low=low, **kwargs)
                if op in ("Asin", "Acos", "Atanh"):
                    a = np.tanh(a.astype(np.float64)).astype(a.dtype)
                if op in ("Log", "Sqrt", "Acosh"):
                    a = (np.abs(a.astype(np.float64)) + 1).astype(a.dtype)
                return model({"a": a}, f"y = {op}{attributes}(a)")
            rows[row(op, dtype)] = make
    return rows


def binary(names, types, attributes="", b_high=100, shape=(N,), b_shape=None, note=""):
    rows = {}
    for op in names:
        for dtype in types:
            def make(op=op, dtype=dtype):
                a, b = array(dtype, *shape), array(dtype, *(b_shape or shape), high=b_high)
                if op == "Pow":
                    a = np.abs(a)
                return model({"a": a, "b": b}, f"y = {op}{attributes}(a, b)")
            rows[row(op, dtype) + note] = make
    return rows


def elementwise():
    trigonometry = ("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh")
    smooth = ("Exp", "Log", "Sqrt", "Tanh", "Sigmoid", "Erf", "Softplus", "Softsign", "Reciprocal")
    activations = ("Relu", "LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish", "ThresholdedRelu", "Mish",
                   "Gelu")  # fmt: skip
    rows = {
        **unary(trigonometry, ("float", "double", "float16")),
        **unary(smooth + activations, FLOATS),
        **unary(("Floor", "Ceil", "Round"), FLOATS),
        **unary(("Abs", "Neg", "Sign"), NUMBERS, low=-50),
        **unary(("Relu",), ("int8", "int32", "int64"), low=-50),
        **unary(("IsNaN", "IsInf"), FLOATS),
        **unary(("Not",), ("bool",)),
        **unary(("BitwiseNot",), INTS),
        **binary(("Add", "Sub", "Mul", "Div"), NUMBERS),
        **binary(("Min", "Max"), NUMBERS),
        **binary(("Sum", "Mean"), FLOATS),
        **binary(("Pow",), ("float", "double", "int32", "int64"), b_high=4),
        **binary(("Mod",), INTS),
        **binary(("Mod",), FLOATS, "<fmod = 1>", note=" fmod"),
        **binary(("PRelu",), ("float", "double", "float16", "int32", "int64", "uint32", "uint64")),
        **binary(("BitwiseAnd", "BitwiseOr", "BitwiseXor"), INTS),
        **binary(("BitShift",), ("uint8", "uint16", "uint32", "uint64"), '<direction = "LEFT">', b_high=8),
        **binary(("Equal", "Greater", "LessOrEqual"), NUMBERS),
        **binary(("Equal", "And", "Or", "Xor"), ("bool",)),
        **binary(("Add", "Mul"), ("float", "double", "float16", "int8", "int32", "int64"), shape=(500, 1000),
                 b_shape=(1000,), note=" row"),
        **binary(("Add", "Div"), ("float", "int16", "int64"), shape=(500, 1000), b_shape=(500, 1), note=" column"),
        **binary(("Equal",), ("float", "int64"), shape=(500, 1000), b_shape=(500, 1), note=" column"),
    }
    for dtype in (*NUMBERS, "bool"):
        rows[row("Where", dtype)] = lambda dtype=dtype: model(
            {"c": array("bool", N), "a": array(dtype, N), "b": array(dtype, N)}, "y = Where(c, a, b)"
        )
    for dtype in NUMBERS:
        rows[row("Clip", dtype)] = lambda dtype=dtype: model(
            {"a": array(dtype, N), "l": np.array(1, TYPES[dtype]), "h": np.array(50, TYPES[dtype])}, "y = Clip(a, l, h)"
        )
    for op in ("Max", "Sum", "Mean"):
        for dtype in ("float", "double", "int64"):
            rows[row(op, dtype) + " three"] = lambda op=op, dtype=dtype: model(
                {k: array(dtype, N) for k in "abc"}, f"y = {op}(a, b, c)"
            )
    return rows


def casts():
    numbers = {"float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
               "float16": 10, "double": 11, "uint32": 12, "uint64": 13, "bfloat16": 16}  # fmt: skip
    rows = {}
    for a in numbers:
        for b in numbers:
            if a != b:
                rows[f"Cast {a} to {b}"] = lambda a=a, b=b: model(
                    {"a": array(a, N)}, f"y = Cast<to = {numbers[b]}>(a)"
                )
    return rows


def contractions():
    def product(op, dtype, a, b, text=""):
        return lambda: model({"a": array(dtype, *a, high=9), "b": array(dtype, *b, high=9)}, f"y = {op}{text}(a, b)")

    rows = {}
    for dtype in ("float", "double", "float16", "int32", "int64", "uint32", "uint64"):
        rows[row("MatMul", dtype)] = product("MatMul", dtype, (256, 256), (256, 256))
        rows[row("MatMul", dtype) + " batched"] = product("MatMul", dtype, (8, 12, 64, 64), (8, 12, 64, 64))
        rows[row("MatMul", dtype) + " vector"] = product("MatMul", dtype, (1, 512), (512, 512))
        rows[row("Gemm", dtype)] = product("Gemm", dtype, (256, 256), (256, 256), "<transB = 1>")
    for dtype in ("float", "double", "int32", "int64"):
        for equation, a, b in (
            ("bij,bjk->bik", (8, 64, 64), (8, 64, 64)),
            ("bhqd,bhkd->bhqk", (2, 8, 64, 64), (2, 8, 64, 64)),
            ("bqhd,bkhd->bhqk", (2, 64, 8, 64), (2, 64, 8, 64)),
            ("ij,jk", (128, 128), (128, 128)),
            ("bi,bi->b", (500, 1000), (500, 1000)),
            ("i,j->ij", (500,), (1000,)),
            ("ij,ij->ij", (500, 1000), (500, 1000)),
        ):
            rows[row("Einsum", dtype) + f" {equation}"] = product(
                "Einsum", dtype, a, b, f'<equation = "{equation}">'
            )
        for equation, shape in (("ij->ji", (500, 1000)), ("ij->j", (500, 1000)), ("ii->i", (700, 700))):
            rows[row("Einsum", dtype) + f" {equation}"] = lambda dtype=dtype, equation=equation, shape=shape: model(
                {"a": array(dtype, *shape)}, f'y = Einsum<equation = "{equation}">(a)'
            )
    for name, x, w, text in (
        ("", (1, 16, 32, 32), (16, 16, 3, 3), "<strides = [2, 2]>"),
        (" 4x4", (1, 64, 32, 32), (64, 32, 4, 4), "<strides = [2, 2], pads = [1, 1, 1, 1]>"),
        (" 1D", (1, 32, 500), (32, 32, 5), "<strides = [2]>"),
        (" group", (1, 32, 32, 32), (32, 1, 3, 3), "<strides = [2, 2], group = 32>"),
        (" dilated", (1, 16, 32, 32), (16, 16, 3, 3), "<dilations = [2, 2], output_padding = [0, 0]>"),
        (" 3D", (1, 8, 8, 16, 16), (8, 8, 3, 3, 3), "<strides = [2, 2, 2]>"),
    ):
        rows["ConvTranspose" + name] = product("ConvTranspose", "float", x, w, text)
    for name, x, w, text in (
        ("", (1, 32, 56, 56), (32, 32, 3, 3), "<pads = [1, 1, 1, 1]>"),
        (" 1D", (1, 32, 1000), (32, 32, 5), ""),
        (" 3D", (1, 8, 16, 16, 16), (8, 8, 3, 3, 3), ""),
        (" depthwise", (1, 64, 56, 56), (64, 1, 3, 3), "<group = 64>"),
        (" dilated", (1, 32, 56, 56), (32, 32, 3, 3), "<dilations = [2, 2]>"),
    ):
        rows["Conv" + name] = product("Conv", "float", x, w, text)
        rows["Conv float16" + name] = product("Conv", "float16", x, w, text)
    return rows


def reductions():
    rows = {}
    simple = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSumSquare", "ReduceL1",
              "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")  # fmt: skip
    spaces = {"last": ((500, 1000), [1]), "first": ((500, 1000), [0]), "middle": ((50, 100, 100), [1]),
              "outer": ((8, 64, 1000), [0, 2]), "all": ((500, 1000), [0, 1])}  # fmt: skip
    for op in simple:
        for dtype in ("float", "double", "float16", "int8", "int32", "int64", "uint8"):
            for note, (shape, axes) in spaces.items():
                if note != "last" and (dtype not in ("float", "double", "int64") or op not in simple[:3]):
                    continue
                rows[row(op, dtype) + f" {note}"] = lambda op=op, dtype=dtype, shape=shape, axes=axes: model(
                    {"a": np.abs(array(dtype, *shape, high=4))},
                    f"k = Constant<value_ints = {axes}>() y = {op}<keepdims = 0>(a, k)",
                )
    for op in ("ArgMax", "ArgMin"):
        for dtype in ("float", "double", "float16", "int8", "int32", "int64", "uint8"):
            for axis in (0, 1):
                rows[row(op, dtype) + f" axis {axis}"] = lambda op=op, dtype=dtype, axis=axis: model(
                    {"a": array(dtype, 500, 1000)}, f"y = {op}<axis = {axis}>(a)"
                )
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for dtype in ("float", "double", "float16"):
            for axis in (0, 1):
                rows[row(op, dtype) + f" axis {axis}"] = lambda op=op, dtype=dtype, axis=axis: model(
                    {"a": array(dtype, 500, 1000)}, f"y = {op}<axis = {axis}>(a)"
                )
    for op in ("CumSum",):
        for dtype in ("float", "double", "int32", "int64"):
            for axis in (0, 1):
                rows[row(op, dtype) + f" axis {axis}"] = lambda op=op, dtype=dtype, axis=axis: model(
                    {"a": array(dtype, 500, 1000)}, f"k = Constant<value_int = {axis}>() y = {op}(a, k)"
                )
    for dtype in ("float", "double", "int32", "int64"):
        for k in (1, 10, 500):
            for axis in (0, 1):
                rows[row("TopK", dtype) + f" {k} axis {axis}"] = lambda dtype=dtype, k=k, axis=axis: model(
                    {"a": array(dtype, 500, 1000, high=100000)},
                    f"k = Constant<value_ints = [{k}]>() y, i = TopK<axis = {axis}>(a, k)",
                    "y, i",
                )
    rows["LpNormalization"] = lambda: model({"a": array("float", 500, 1000)}, "y = LpNormalization(a)")
    rows["MeanVarianceNormalization"] = lambda: model(
        {"a": array("float", 2, 16, 100, 100)}, "y = MeanVarianceNormalization(a)"
    )
    return rows


def movement():
    rows = {}
    for dtype in SIZES:
        def add(name, make, dtype=dtype):
            rows[row(name.split()[0], dtype) + name[len(name.split()[0]):]] = make
        a2 = functools.partial(array, dtype, 500, 1000)
        a4 = functools.partial(array, dtype, 1, 64, 64, 64)
        add("GatherElements", lambda a2=a2: model(
            {"a": a2(), "i": ints(0, 1000, 500, 1000)}, "y = GatherElements<axis = 1>(a, i)"))
        add("GatherElements axis 0", lambda a2=a2: model(
            {"a": a2(), "i": ints(0, 500, 500, 1000)}, "y = GatherElements<axis = 0>(a, i)"))
        add("Gather rows", lambda a2=a2: model({"a": a2(), "i": ints(0, 500, 500)}, "y = Gather(a, i)"))
        add("Gather axis 1", lambda a2=a2: model({"a": a2(), "i": ints(0, 1000, 500)}, "y = Gather<axis = 1>(a, i)"))
        add("GatherND", lambda a2=a2: model(
            {"a": a2(), "i": ints(0, 500, 200000, 2)}, "y = GatherND(a, i)"))
        add("GatherND rows", lambda a2=a2: model({"a": a2(), "i": ints(0, 500, 400, 1)}, "y = GatherND(a, i)"))
        add("ScatterElements", lambda a2=a2, dtype=dtype: model(
            {"a": a2(), "i": np.argsort(RNG.random((500, 1000)), axis=1)[:, :300], "u": array(dtype, 500, 300)},
            "y = ScatterElements<axis = 1>(a, i, u)"))
        add("ScatterND rows", lambda a2=a2, dtype=dtype: model(
            {"a": a2(), "i": RNG.permutation(500)[:200].reshape(200, 1), "u": array(dtype, 200, 1000)},
            "y = ScatterND(a, i, u)"))
        add("ScatterND", lambda a2=a2, dtype=dtype: model(
            {"a": a2(), "i": np.stack(np.unravel_index(RNG.permutation(500000)[:100000], (500, 1000)), 1),
             "u": array(dtype, 100000)}, "y = ScatterND(a, i, u)"))
        add("Tile", lambda dtype=dtype: model(
            {"a": array(dtype, 200, 500)}, "k = Constant<value_ints = [2, 3]>() y = Tile(a, k)"))
        add("Expand", lambda dtype=dtype: model(
            {"a": array(dtype, 500, 1)}, "k = Constant<value_ints = [500, 1000]>() y = Expand(a, k)"))
        for mode in ("constant", "reflect", "edge", "wrap"):
            add(f"Pad {mode}", lambda a4=a4, mode=mode: model(
                {"a": a4()}, f'k = Constant<value_ints = [0, 0, 3, 3, 0, 0, 3, 3]>() y = Pad<mode = "{mode}">(a, k)'))
        add("DepthToSpace", lambda a4=a4: model({"a": a4()}, "y = DepthToSpace<blocksize = 2>(a)"))
        add("DepthToSpace CRD", lambda a4=a4: model({"a": a4()}, 'y = DepthToSpace<blocksize = 2, mode = "CRD">(a)'))
        add("SpaceToDepth", lambda a4=a4: model({"a": a4()}, "y = SpaceToDepth<blocksize = 2>(a)"))
        add("ReverseSequence", lambda a2=a2: model(
            {"a": a2(), "l": ints(1, 500, 1000)}, "y = ReverseSequence(a, l)"))
        add("Trilu", lambda a2=a2: model({"a": a2()}, "y = Trilu<upper = 0>(a)"))
        add("Compress", lambda a2=a2: model({"a": a2(), "c": array("bool", 500)}, "y = Compress<axis = 0>(a, c)"))
        add("Compress axis 1", lambda a2=a2: model(
            {"a": a2(), "c": array("bool", 1000)}, "y = Compress<axis = 1>(a, c)"))
        add("Compress flat", lambda a2=a2: model({"a": a2(), "c": array("bool", 500000)}, "y = Compress(a, c)"))
        add("NonZero", lambda a2=a2: model({"a": a2()}, "y = NonZero(a)"))
        add("NonZero flat", lambda dtype=dtype: model({"a": array(dtype, N)}, "y = NonZero(a)"))
        add("Unique", lambda dtype=dtype: model(
            {"a": array(dtype, 50000)}, "y, i, j, c = Unique(a)", "y, i, j, c"))
        add("Concat axis 0", lambda a2=a2: model({"a": a2(), "b": a2()}, "y = Concat<axis = 0>(a, b)"))
        add("Concat axis 1", lambda a2=a2: model({"a": a2(), "b": a2()}, "y = Concat<axis = 1>(a, b)"))
        add("Concat last", lambda dtype=dtype: model(
            {"a": array(dtype, 100000, 3), "b": array(dtype, 100000, 2)}, "y = Concat<axis = 1>(a, b)"))
        add("Slice", lambda a2=a2: model(
            {"a": a2()},
            "s = Constant<value_ints = [10, 20]>() e = Constant<value_ints = [490, 900]>() y = Slice(a, s, e)"))
        add("Slice steps", lambda a2=a2: model(
            {"a": a2()},
            "s = Constant<value_ints = [0, 0]>() e = Constant<value_ints = [500, 1000]>() "
            "x = Constant<value_ints = [0, 1]>() t = Constant<value_ints = [1, 2]>() y = Slice(a, s, e, x, t)"))
        add("Slice back", lambda a2=a2: model(
            {"a": a2()},
            "s = Constant<value_ints = [-1]>() e = Constant<value_ints = [-100000]>() "
            "x = Constant<value_ints = [1]>() t = Constant<value_ints = [-1]>() y = Slice(a, s, e, x, t)"))
        add("Split", lambda a2=a2: model({"a": a2()}, "y, z = Split<axis = 1, num_outputs = 2>(a)", "y, z"))
        add("Transpose", lambda a2=a2: model({"a": a2()}, "y = Transpose(a)"))
        add("Transpose nhwc", lambda a4=a4: model({"a": a4()}, "y = Transpose<perm = [0, 2, 3, 1]>(a)"))
        add("Transpose heads", lambda dtype=dtype: model(
            {"a": array(dtype, 4, 128, 12, 64)}, "y = Transpose<perm = [0, 2, 1, 3]>(a)"))
        add("OneHot", lambda dtype=dtype: model(
            {"i": ints(0, 50, 10000), "v": array(dtype, 2)}, "d = Constant<value_int = 50>() y = OneHot(i, d, v)"))
        add("Range", lambda dtype=dtype: model(
            {"s": np.array(0, TYPES[dtype]), "l": np.array(100 if dtype == "int8" else 2000, TYPES[dtype]),
             "d": np.array(1, TYPES[dtype])}, "y = Range(s, l, d)"))
        add("Resize nearest", lambda dtype=dtype: model(
            {"a": array(dtype, 1, 16, 64, 64)},
            "s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() y = Resize(a, , s)"))
    for reduction in ("add", "mul", "max", "min"):
        for dtype in ("float", "double", "float16", "int32", "int64"):
            rows[row("ScatterElements", dtype) + f" {reduction}"] = lambda reduction=reduction, dtype=dtype: model(
                {"a": array(dtype, 500, 1000), "i": ints(0, 1000, 500, 300), "u": array(dtype, 500, 300)},
                f'y = ScatterElements<axis = 1, reduction = "{reduction}">(a, i, u)')
            rows[row("ScatterND", dtype) + f" {reduction}"] = lambda reduction=reduction, dtype=dtype: model(
                {"a": array(dtype, 500, 1000), "i": ints(0, 500, 100000, 2), "u": array(dtype, 100000)},
                f'y = ScatterND<reduction = "{reduction}">(a, i, u)')
    rows["EyeLike"] = lambda: model({"a": array("float", 700, 700)}, "y = EyeLike(a)")
    rows["Dropout"] = lambda: model({"a": array("float", N)}, "y = Dropout(a)")
    rows["Shape"] = lambda: model({"a": array("float", 700, 700)}, "y = Shape(a)")
    rows["ConstantOfShape"] = lambda: model({"s": np.array([500, 1000])}, "y = ConstantOfShape(s)")
    return rows


def images():
    rows = {}
    for dtype in ("float", "uint8", "int8", "float16", "double"):
        for mode in ("nearest", "linear", "cubic"):
            for note, scale in (("up", 2.0), ("down", 0.5), ("odd", 1.7)):
                rows[row("Resize", dtype) + f" {mode} {note}"] = lambda dtype=dtype, mode=mode, scale=scale: model(
                    {"a": array(dtype, 1, 16, 64, 64)},
                    f"s = Constant<value_floats = [1.0, 1.0, {scale}, {scale}]>() "
                    f'y = Resize<mode = "{mode}">(a, , s)')
    for transformation in ("align_corners", "asymmetric", "pytorch_half_pixel"):
        rows[f"Resize linear {transformation}"] = lambda transformation=transformation: model(
            {"a": array("float", 1, 16, 64, 64)},
            f"s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() "
            f'y = Resize<mode = "linear", coordinate_transformation_mode = "{transformation}">(a, , s)')
    rows["Resize linear 3D"] = lambda: model(
        {"a": array("float", 1, 4, 16, 32, 32)},
        's = Constant<value_floats = [1.0, 1.0, 2.0, 2.0, 2.0]>() y = Resize<mode = "linear">(a, , s)')
    rows["Resize linear antialias"] = lambda: model(
        {"a": array("float", 1, 16, 128, 128)},
        's = Constant<value_floats = [1.0, 1.0, 0.4, 0.4]>() y = Resize<mode = "linear", antialias = 1>(a, , s)')
    rows["Resize linear nhwc"] = lambda: model(
        {"a": array("float", 1, 64, 64, 16)},
        's = Constant<value_floats = [1.0, 2.0, 2.0, 1.0]>() y = Resize<mode = "linear">(a, , s)')
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            rows[f"GridSample {mode} {padding}"] = lambda mode=mode, padding=padding: model(
                {"a": array("float", 1, 8, 64, 64), "g": RNG.uniform(-1.1, 1.1, (1, 64, 64, 2)).astype(np.float32)},
                f'y = GridSample<mode = "{mode}", padding_mode = "{padding}">(a, g)')
    rows["GridSample double"] = lambda: model(
        {"a": array("double", 1, 8, 64, 64), "g": RNG.uniform(-1.1, 1.1, (1, 64, 64, 2))}, "y = GridSample(a, g)")
    rows["GridSample 3D"] = lambda: model(
        {"a": array("float", 1, 4, 16, 16, 16), "g": RNG.uniform(-1.1, 1.1, (1, 16, 16, 16, 3)).astype(np.float32)},
        "y = GridSample(a, g)")
    rows["AffineGrid"] = lambda: model(
        {"t": array("float", 4, 2, 3)}, "s = Constant<value_ints = [4, 3, 128, 128]>() y = AffineGrid(t, s)")
    for mode in ("avg", "max"):
        rows[f"RoiAlign {mode}"] = lambda mode=mode: model(
            {"a": array("float", 1, 32, 64, 64),
             "r": np.sort(RNG.uniform(0, 63, (50, 2, 2)), axis=1).reshape(50, 4).astype(np.float32),
             "b": np.zeros(50, np.int64)},
            f'y = RoiAlign<output_height = 7, output_width = 7, sampling_ratio = 2, mode = "{mode}">(a, r, b)')
    rows["NonMaxSuppression"] = lambda: model(
        {"b": np.sort(RNG.uniform(0, 100, (1, 1000, 2, 2)), axis=2).reshape(1, 1000, 4).astype(np.float32),
         "s": RNG.random((1, 4, 1000)).astype(np.float32)},
        "m = Constant<value_ints = [100]>() i = Constant<value_floats = [0.5]>() t = Constant<value_floats = [0.1]>() "
        "y = NonMaxSuppression(b, s, m, i, t)")
    rows["MaxRoiPool"] = lambda: model(
        {"a": array("float", 1, 32, 64, 64),
         "r": np.concatenate([np.zeros((20, 1)), np.sort(RNG.uniform(0, 63, (20, 2, 2)), axis=1).reshape(20, 4)], 1)
         .astype(np.float32)},
        "y = MaxRoiPool<pooled_shape = [7, 7]>(a, r)")
    pools = {"1D": ((1, 32, 4096), [3], [2]), "": ((1, 32, 64, 64), [3, 3], [2, 2]),
             "5x5": ((1, 32, 64, 64), [5, 5], [1, 1]), "3D": ((1, 8, 16, 32, 32), [2, 2, 2], [2, 2, 2])}  # fmt: skip
    for op in ("MaxPool", "AveragePool", "LpPool"):
        for note, (shape, kernel, strides) in pools.items():
            for dtype in ("float", "double", "float16", "int8", "uint8"):
                rows[f"{row(op, dtype)} {note}".strip()] = (
                    lambda op=op, dtype=dtype, shape=shape, kernel=kernel, strides=strides: model(
                        {"a": array(dtype, *shape)}, f"y = {op}<kernel_shape = {kernel}, strides = {strides}>(a)"))
    rows["MaxPool indices"] = lambda: model(
        {"a": array("float", 1, 32, 64, 64)},
        "y, i = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(a)", "y, i")
    for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        for dtype in ("float", "double", "float16"):
            rows[row(op, dtype)] = lambda op=op, dtype=dtype: model({"a": array(dtype, 1, 64, 64, 64)}, f"y = {op}(a)")
    rows["MaxUnpool"] = lambda: model(
        {"a": array("float", 1, 8, 32, 32), "i": RNG.permutation(8 * 64 * 64)[: 8 * 1024].reshape(1, 8, 32, 32)},
        "y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(a, i)")
    rows["BatchNormalization"] = lambda: model(
        {"a": array("float", 1, 64, 64, 64), **{k: np.abs(array("float", 64)) for k in "smbv"}},
        "y = BatchNormalization(a, s, b, m, v)")
    rows["BatchNormalization double"] = lambda: model(
        {"a": array("double", 1, 64, 64, 64), **{k: np.abs(array("double", 64)) for k in "smbv"}},
        "y = BatchNormalization(a, s, b, m, v)")
    rows["LRN"] = lambda: model({"a": array("float", 1, 32, 56, 56)}, "y = LRN<size = 5>(a)")
    rows["Col2Im"] = lambda: model(
        {"a": array("float", 1, 8 * 9, 62 * 62)},
        "i = Constant<value_ints = [64, 64]>() k = Constant<value_ints = [3, 3]>() y = Col2Im(a, i, k)")
    rows["DFT"] = lambda: model(
        {"a": array("float", 16, 1024, 1)}, "k = Constant<value_int = 1>() y = DFT(a, , k)")
    rows["Det"] = lambda: model({"a": array("float", 500, 8, 8)}, "y = Det(a)")
    rows["HannWindow"] = lambda: model({"n": np.array(100000)}, "y = HannWindow(n)")
    rows["NegativeLogLikelihoodLoss"] = lambda: model(
        {"a": array("float", 500, 1000), "t": ints(0, 1000, 500)}, "y = NegativeLogLikelihoodLoss(a, t)")
    rows["SoftmaxCrossEntropyLoss"] = lambda: model(
        {"a": array("float", 500, 1000), "t": ints(0, 1000, 500)}, "y = SoftmaxCrossEntropyLoss(a, t)")
    return rows


FAMILIES = {
    "elementwise": elementwise,
    "casts": casts,
    "contractions": contractions,
    "reductions": reductions,
    "movement": movement,
    "images": images,
}
