"""Rows of operators.py for other shapes: broadcasting, odd sizes, several dimensions, control flow, Einsum."""

import numpy as np
from operator_cases import RNG, array, model, row


def text(node, inputs, outputs="y", **constants):
    """A model whose inputs may be strings; `constants` are its initializers."""
    words = {name: a for name, a in inputs.items() if a.dtype == object}
    made = model({name: a for name, a in inputs.items() if name not in words}, node, outputs)[0]
    if words:
        formals = ", ".join(f"string[{', '.join(map(str, a.shape))}] {name}" for name, a in words.items())
        made = made.replace("agraph (", f"agraph ({formals}" + (", " if len(words) < len(inputs) else ""), 1)
    return made, inputs, constants


def words(*dims, distinct=1000):
    return np.array([f"word{i}" for i in RNG.integers(0, distinct, int(np.prod(dims)))], object).reshape(dims)


def const(name, values, kind="ints"):
    return f"{name} = Constant<value_{kind} = [{', '.join(map(str, values))}]>() "


def broadcasting():
    rows = {}
    forms = {
        "channel": ((8, 32, 40, 40), (1, 32, 1, 1)),
        "image": ((8, 32, 40, 40), (8, 1, 40, 40)),
        "batch": ((8, 32, 40, 40), (8, 1, 1, 1)),
        "middle": ((40, 100, 100), (40, 1, 100)),
        "scalar": ((500000,), ()),
        "odd": ((333, 777), (333, 777)),
        "odd row": ((333, 777), (777,)),
        "outer": ((500, 1), (1, 1000)),
        "small": ((64, 64), (64, 64)),
        "5D": ((4, 8, 10, 20, 40), (8, 1, 20, 1)),
    }
    for note, (a, b) in forms.items():
        for op in ("Add", "Div", "Max", "Greater", "Pow", "Equal"):
            for dtype in ("float", "double", "float16", "int32", "int64", "uint8"):
                rows[row(op, dtype) + f" {note}"] = lambda op=op, dtype=dtype, a=a, b=b: model(
                    {"a": np.abs(array(dtype, *a)), "b": np.abs(array(dtype, *b, high=3))}, f"y = {op}(a, b)"
                )
        for dtype in ("float", "int64", "uint8", "double"):
            rows[row("Where", dtype) + f" {note}"] = lambda dtype=dtype, a=a, b=b: model(
                {"c": array("bool", *b), "a": array(dtype, *a), "b": array(dtype, *b)}, "y = Where(c, a, b)"
            )
            rows[row("Where", dtype) + f" {note} full"] = lambda dtype=dtype, a=a, b=b: model(
                {"c": array("bool", *a), "a": array(dtype), "b": array(dtype, *b)}, "y = Where(c, a, b)"
            )
        for op in ("And", "Or", "Xor"):
            rows[f"{op} {note}"] = lambda op=op, a=a, b=b: model(
                {"a": array("bool", *a), "b": array("bool", *b)}, f"y = {op}(a, b)"
            )
    for op in (
        "Sqrt",
        "Exp",
        "Sigmoid",
        "Tanh",
        "Erf",
        "Relu",
        "Gelu",
        "Neg",
        "Softplus",
        "Cos",
        "Abs",
        "Not",
        "Floor",
    ):
        kind = "bool" if op == "Not" else "float"
        rows[f"{op} small"] = lambda op=op, kind=kind: model({"a": array(kind, 3000)}, f"y = {op}(a)")
    for note, a, b in (
        ("matrix vector", (512, 512), (512,)),
        ("broadcast", (32, 64, 64), (64, 64)),
        ("odd", (333, 777), (777, 55)),
        ("thin", (1000, 3), (3, 1000)),
        ("one column", (1000, 500), (500, 1)),
        ("small", (16, 16), (16, 16)),
        ("4D", (2, 3, 70, 90), (2, 3, 90, 50)),
        ("middle", (4, 1, 50, 60), (1, 5, 60, 50)),
    ):
        for dtype in ("float", "double", "int32", "int64", "float16"):
            rows[row("MatMul", dtype) + f" {note}"] = lambda dtype=dtype, a=a, b=b: model(
                {"a": array(dtype, *a, high=5), "b": array(dtype, *b, high=5)}, "y = MatMul(a, b)"
            )
    for form in ("", "<transA = 1>", "<transA = 1, transB = 1, alpha = 0.5>", "<beta = 2.0>"):
        for dtype in ("float", "double"):
            rows[row("Gemm", dtype) + f" bias {form}"] = lambda dtype=dtype, form=form: model(
                {"a": array(dtype, 200, 200), "b": array(dtype, 200, 200), "c": array(dtype, 200)},
                f"y = Gemm{form}(a, b, c)",
            )
    return rows


def shapes():
    rows = {}
    spaces = {
        "NCHW spatial": ((4, 32, 60, 60), [2, 3]),
        "NCHW channel": ((4, 32, 60, 60), [1]),
        "NHWC": ((4, 60, 60, 32), [1, 2]),
        "odd": ((333, 777), [1]),
        "odd first": ((333, 777), [0]),
        "5D": ((4, 8, 10, 20, 40), [1, 3]),
        "small": ((32, 32), [1]),
        "short": ((100000, 5), [1]),
        "three": ((200000, 3), [1]),
        "tall": ((100000, 5), [0]),
        "long": ((2, 300000), [1]),
    }
    for op in (
        "ReduceSum",
        "ReduceMean",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceSumSquare",
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
    ):
        for dtype in ("float", "double", "int32", "int64", "int8", "uint8", "bool"):
            for note, (dims, axes) in spaces.items():
                if (dtype in ("int8", "uint8", "bool") and op not in ("ReduceMax", "ReduceMin")) or (
                    op not in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp")
                    and (note not in ("NCHW spatial", "odd first", "short") or dtype not in ("float", "int32"))
                ):
                    continue
                rows[row(op, dtype) + f" {note}"] = lambda op=op, dtype=dtype, dims=dims, axes=axes: model(
                    {"a": np.abs(array(dtype, *dims, high=4))}, f"{const('k', axes)}y = {op}(a, k)"
                )
    for op in ("ArgMax", "Softmax", "LogSoftmax", "Hardmax"):
        for dtype in ("float", "double", "float16"):
            for note, (dims, axes) in spaces.items():
                if len(axes) == 1:
                    rows[row(op, dtype) + f" {note}"] = lambda op=op, dtype=dtype, dims=dims, axes=axes: model(
                        {"a": array(dtype, *dims)}, f"y = {op}<axis = {axes[0]}>(a)"
                    )
    for note, (dims, axes) in spaces.items():
        if len(axes) > 1:
            continue
        for dtype in ("float", "double", "int32", "int64"):
            rows[row("CumSum", dtype) + f" {note}"] = lambda dtype=dtype, dims=dims, axes=axes: model(
                {"a": array(dtype, *dims)}, f"k = Constant<value_int = {axes[0]}>() y = CumSum(a, k)"
            )
            rows[row("CumSum", dtype) + f" {note} reverse"] = lambda dtype=dtype, dims=dims, axes=axes: model(
                {"a": array(dtype, *dims)},
                f"k = Constant<value_int = {axes[0]}>() y = CumSum<reverse = 1, exclusive = 1>(a, k)",
            )
            rows[row("TopK", dtype) + f" 3 {note}"] = lambda dtype=dtype, dims=dims, axes=axes: model(
                {"a": array(dtype, *dims, high=100000)}, f"{const('k', [3])}y, i = TopK<axis = {axes[0]}>(a, k)", "y, i"
            )
        rows[f"LpNormalization {note}"] = lambda dims=dims, axes=axes: model(
            {"a": array("float", *dims)}, f"y = LpNormalization<axis = {axes[0]}>(a)"
        )
    rows["LpNormalization L1"] = lambda: model({"a": array("float", 500, 1000)}, "y = LpNormalization<p = 1>(a)")
    rows["LpNormalization double"] = lambda: model({"a": array("double", 500, 1000)}, "y = LpNormalization(a)")
    for k in (1, 50, 5):
        rows[f"TopK smallest {k} of vocabulary"] = lambda k=k: model(
            {"a": array("float", 4, 50000)}, f"{const('k', [k])}y, i = TopK<largest = 0>(a, k)", "y, i"
        )
        rows[f"TopK {k} of vocabulary"] = lambda k=k: model(
            {"a": array("float", 4, 50000)}, f"{const('k', [k])}y, i = TopK(a, k)", "y, i"
        )
        rows[f"TopK unsorted {k}"] = lambda k=k: model(
            {"a": array("float", 500, 1000)}, f"{const('k', [k])}y, i = TopK<sorted = 0>(a, k)", "y, i"
        )
    rows["TopK 300 of anchors"] = lambda: model(
        {"a": array("float", 1, 8400)}, f"{const('k', [300])}y, i = TopK(a, k)", "y, i"
    )
    for axis in (0, 1, 2):
        rows[f"MeanVarianceNormalization {axis}"] = lambda axis=axis: model(
            {"a": array("float", 4, 16, 50, 50)}, f"y = MeanVarianceNormalization<axes = [{axis}]>(a)"
        )
    return rows


def control():
    loop = "n = Constant<value = int64 {{{}}}>() c = Constant<value = bool {{1}}>() "
    sums = "(int64 i, bool k, float[{0}] x) => (bool k2, float[{0}] z{1}) {{ k2 = Identity(k) z = Add(x, a) {2}}}"
    step = "(float[1000] s, float[1000] e) => (float[1000] t, float[1000] w) { t = Add(s, e) w = Identity(t) }"
    return {
        "If": lambda: model(
            {"a": array("float", 100, 100), "c": np.array(True)},
            "y = If(c) <then_branch = g () => (float[100, 100] r) { r = Relu(a) }, "
            "else_branch = h () => (float[100, 100] r2) { r2 = Neg(a) }>",
        ),
        "Loop": lambda: model(
            {"a": array("float", 100, 100)},
            f"{loop.format(20)}y = Loop(n, c, a) <body = b {sums.format('100, 100', '', '')}>",
        ),
        "Loop scan output": lambda: model(
            {"a": array("float", 1000)},
            f"{loop.format(50)}x, y = Loop(n, c, a) <body = b {sums.format(1000, ', float[1000] w', 'w = Relu(z) ')}>",
            "x, y",
        ),
        "Scan": lambda: model(
            {"a": array("float", 1000), "b": array("float", 50, 1000)},
            f"x, y = Scan<num_scan_inputs = 1, body = b {step}>(a, b)",
            "x, y",
        ),
    }


def einsums():
    rows = {}
    for dtype in ("float", "double", "int32"):
        for equation, *dims in (
            ("bhwc,hkc->bhwk", (8, 14, 14, 64), (14, 14, 64)),
            ("bhwc,wkc->bhwk", (8, 14, 14, 64), (14, 14, 64)),
            ("abc,cd->abd", (8, 100, 64), (64, 64)),
            ("abc,adc->abd", (8, 64, 64), (8, 64, 64)),
            ("ijk->kji", (50, 60, 70)),
            ("ijk->ik", (50, 60, 70)),
            ("ii", (500, 500)),
            ("bii->b", (20, 100, 100)),
            ("...ij,...jk->...ik", (4, 2, 50, 60), (4, 2, 60, 50)),
            ("i,i", (10000,), (10000,)),
            ("ij,j->i", (500, 700), (700,)),
            ("ij,kj->ik", (128, 128), (128, 128)),
            ("bn,anm,bm->ba", (8, 30), (20, 30, 40), (8, 40)),
            ("nchw,nqhw->ncq", (2, 16, 20, 20), (2, 16, 20, 20)),
            ("ij->", (500, 1000)),
            ("bthd,bshd->bhts", (2, 60, 8, 32), (2, 60, 8, 32)),
        ):
            names = "abc"[: len(dims)]
            rows[row("Einsum", dtype) + f" {equation}"] = (
                lambda dtype=dtype, equation=equation, dims=dims, names=names: model(
                    {k: array(dtype, *d, high=5) for k, d in zip(names, dims, strict=True)},
                    f'y = Einsum<equation = "{equation}">({", ".join(names)})',
                )
            )
    return rows


FAMILIES = {"broadcasting": broadcasting, "shapes": shapes, "control": control, "einsums": einsums}
