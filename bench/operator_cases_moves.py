"""Rows of operators.py for movement in other shapes, strings, sequences and random positions."""

import numpy as np
from operator_cases import RNG, TYPES, array, ints, model, row
from operator_cases_shapes import const, text, words


def moves():
    rows = {}
    for dtype in ("float", "double", "float16", "int8", "int32", "int64", "bool"):

        def add(name, make, dtype=dtype):
            rows[row(name.split()[0], dtype) + name[len(name.split()[0]) :]] = make

        add(
            "Slice negative",
            lambda dtype=dtype: model(
                {"a": array(dtype, 500, 1000)},
                const("s", [-1, -1])
                + const("e", [-1000, -2000])
                + const("x", [0, 1])
                + const("t", [-1, -1])
                + "y = Slice(a, s, e, x, t)",
            ),
        )
        add(
            "Slice rows back",
            lambda dtype=dtype: model(
                {"a": array(dtype, 500, 1000)},
                const("s", [-1])
                + const("e", [-1000])
                + const("x", [0])
                + const("t", [-1])
                + "y = Slice(a, s, e, x, t)",
            ),
        )
        add(
            "Slice 4D",
            lambda dtype=dtype: model(
                {"a": array(dtype, 4, 32, 60, 60)},
                const("s", [0, 3, 4])
                + const("e", [4, 55, 56])
                + const("x", [0, 2, 3])
                + const("t", [1, 2, 2])
                + "y = Slice(a, s, e, x, t)",
            ),
        )
        for perm, dims in (
            ([0, 3, 1, 2], (4, 60, 60, 32)),
            ([3, 2, 1, 0], (20, 30, 25, 33)),
            ([0, 2, 1, 3], (8, 12, 80, 64)),
            ([1, 0], (333, 777)),
            ([2, 0, 1], (100, 70, 71)),
            ([0, 2, 1, 4, 3], (4, 8, 10, 20, 40)),
            ([4, 3, 2, 1, 0], (4, 8, 10, 20, 40)),
            ([0, 2, 1], (100, 1000, 3)),
            ([0, 2, 1], (100, 3, 1000)),
        ):
            add(
                f"Transpose {''.join(map(str, perm))} {dims[-1]}",
                lambda dtype=dtype, perm=perm, dims=dims: model(
                    {"a": array(dtype, *dims)}, f"y = Transpose<perm = {perm}>(a)"
                ),
            )
        add(
            "Concat middle",
            lambda dtype=dtype: model({k: array(dtype, 8, 16, 1000) for k in "abc"}, "y = Concat<axis = 1>(a, b, c)"),
        )
        add(
            "Concat channels last",
            lambda dtype=dtype: model({k: array(dtype, 60, 60, 32) for k in "abc"}, "y = Concat<axis = -1>(a, b, c)"),
        )
        add(
            "Split last",
            lambda dtype=dtype: model(
                {"a": array(dtype, 1000, 300)}, "x, y, z = Split<axis = 1, num_outputs = 3>(a)", "x, y, z"
            ),
        )
        add("Tile last", lambda dtype=dtype: model({"a": array(dtype, 333, 77)}, const("k", [1, 9]) + "y = Tile(a, k)"))
        add(
            "Tile 4D",
            lambda dtype=dtype: model({"a": array(dtype, 2, 16, 30, 30)}, const("k", [1, 1, 2, 2]) + "y = Tile(a, k)"),
        )
        add("Tile scalar", lambda dtype=dtype: model({"a": array(dtype, 1)}, const("k", [500000]) + "y = Tile(a, k)"))
        add(
            "Expand 4D",
            lambda dtype=dtype: model(
                {"a": array(dtype, 8, 1, 1, 60)}, const("k", [8, 16, 60, 60]) + "y = Expand(a, k)"
            ),
        )
        add(
            "Expand heads",
            lambda dtype=dtype: model(
                {"a": array(dtype, 2, 4, 1, 100, 64)}, const("k", [2, 4, 8, 100, 64]) + "y = Expand(a, k)"
            ),
        )
        add(
            "Expand rows",
            lambda dtype=dtype: model({"a": array(dtype, 1, 1000)}, const("k", [500, 1000]) + "y = Expand(a, k)"),
        )
        add(
            "Gather embedding",
            lambda dtype=dtype: model({"a": array(dtype, 5000, 256), "i": ints(0, 5000, 8, 128)}, "y = Gather(a, i)"),
        )
        add(
            "Gather int32",
            lambda dtype=dtype: model(
                {"a": array(dtype, 5000, 256), "i": ints(0, 5000, 1000, dtype=np.int32)}, "y = Gather(a, i)"
            ),
        )
        add(
            "Gather last",
            lambda dtype=dtype: model(
                {"a": array(dtype, 4, 32, 60, 60), "i": ints(-60, 60, 30)}, "y = Gather<axis = 3>(a, i)"
            ),
        )
        add(
            "Gather middle",
            lambda dtype=dtype: model(
                {"a": array(dtype, 100, 50, 100), "i": ints(0, 50, 20)}, "y = Gather<axis = 1>(a, i)"
            ),
        )
        add(
            "Gather flat",
            lambda dtype=dtype: model({"a": array(dtype, 100000), "i": ints(0, 100000, 200000)}, "y = Gather(a, i)"),
        )
        add(
            "Gather one",
            lambda dtype=dtype: model(
                {"a": array(dtype, 64, 197, 40)}, "i = Constant<value_int = 0>() y = Gather<axis = 1>(a, i)"
            ),
        )
        add(
            "GatherElements middle",
            lambda dtype=dtype: model(
                {"a": array(dtype, 50, 100, 100), "i": ints(0, 100, 50, 30, 100)}, "y = GatherElements<axis = 1>(a, i)"
            ),
        )
        add(
            "GatherND batch",
            lambda dtype=dtype: model(
                {"a": array(dtype, 8, 200, 100), "i": ints(0, 200, 8, 50, 1)}, "y = GatherND<batch_dims = 1>(a, i)"
            ),
        )
        add(
            "GatherND 3",
            lambda dtype=dtype: model(
                {"a": array(dtype, 50, 100, 100), "i": ints(0, 50, 100000, 3)}, "y = GatherND(a, i)"
            ),
        )
        add(
            "ScatterElements axis 0",
            lambda dtype=dtype: model(
                {
                    "a": array(dtype, 500, 1000),
                    "i": np.argsort(RNG.random((500, 1000)), axis=0)[:200],
                    "u": array(dtype, 200, 1000),
                },
                "y = ScatterElements<axis = 0>(a, i, u)",
            ),
        )
        add(
            "ScatterND 3",
            lambda dtype=dtype: model(
                {
                    "a": array(dtype, 50, 100, 100),
                    "i": np.stack(np.unravel_index(RNG.permutation(5000)[:2000], (50, 100)), 1),
                    "u": array(dtype, 2000, 100),
                },
                "y = ScatterND(a, i, u)",
            ),
        )
        for mode in ("constant", "reflect", "edge", "wrap"):
            add(
                f"Pad {mode} odd",
                lambda dtype=dtype, mode=mode: model(
                    {"a": array(dtype, 333, 777)}, const("k", [1, 2, 3, 4]) + f'y = Pad<mode = "{mode}">(a, k)'
                ),
            )
        add(
            "Pad negative",
            lambda dtype=dtype: model({"a": array(dtype, 333, 777)}, const("k", [-1, -2, -3, -4]) + "y = Pad(a, k)"),
        )
        add(
            "Pad 5D",
            lambda dtype=dtype: model(
                {"a": array(dtype, 2, 8, 10, 30, 40)}, const("k", [0, 0, 1, 1, 1, 0, 0, 1, 1, 1]) + "y = Pad(a, k)"
            ),
        )
        add("Trilu 3D", lambda dtype=dtype: model({"a": array(dtype, 8, 200, 300)}, "y = Trilu(a)"))
        add(
            "Trilu diagonal",
            lambda dtype=dtype: model({"a": array(dtype, 333, 777)}, "k = Constant<value_int = 5>() y = Trilu(a, k)"),
        )
        add(
            "OneHot",
            lambda dtype=dtype: model(
                {"i": ints(0, 100, 5000), "v": array(dtype, 2)}, "d = Constant<value_int = 100>() y = OneHot(i, d, v)"
            ),
        )
        add(
            "OneHot axis 0",
            lambda dtype=dtype: model(
                {"i": ints(0, 100, 5000), "v": array(dtype, 2)},
                "d = Constant<value_int = 100>() y = OneHot<axis = 0>(i, d, v)",
            ),
        )
        add(
            "NonZero sparse",
            lambda dtype=dtype: model({"a": (RNG.random((333, 777)) > 0.99).astype(TYPES[dtype])}, "y = NonZero(a)"),
        )
        add(
            "NonZero 4D",
            lambda dtype=dtype: model(
                {"a": (RNG.random((4, 32, 30, 30)) > 0.5).astype(TYPES[dtype])}, "y = NonZero(a)"
            ),
        )
        add("Unique values", lambda dtype=dtype: model({"a": array(dtype, 20000, high=100)}, "y = Unique(a)"))
        add(
            "Unique unsorted",
            lambda dtype=dtype: model({"a": array(dtype, 20000)}, "y, i, j, c = Unique<sorted = 0>(a)", "y, i, j, c"),
        )
        add(
            "Unique rows",
            lambda dtype=dtype: model(
                {"a": array(dtype, 2000, 4, high=5)}, "y, i, j, c = Unique<axis = 0>(a)", "y, i, j, c"
            ),
        )
        add(
            "ReverseSequence batch first",
            lambda dtype=dtype: model(
                {"a": array(dtype, 32, 100, 100), "l": ints(1, 100, 32)},
                "y = ReverseSequence<batch_axis = 0, time_axis = 1>(a, l)",
            ),
        )
        add(
            "CenterCropPad",
            lambda dtype=dtype: model(
                {"a": array(dtype, 3, 400, 400)}, const("k", [3, 300, 500]) + "y = CenterCropPad(a, k)"
            ),
        )
        add(
            "Range",
            lambda dtype=dtype: model(
                {"a": np.array(0, TYPES[dtype]), "b": np.array(100, TYPES[dtype]), "c": np.array(1, TYPES[dtype])},
                "y = Range(a, b, c)",
            ),
        )
        add(
            "SequenceAt",
            lambda dtype=dtype: model(
                {k: array(dtype, 100, 300) for k in "abc"},
                "s = SequenceConstruct(a, b, c) k = Constant<value_int = 1>() y = SequenceAt(s, k)",
            ),
        )
        add(
            "ConcatFromSequence",
            lambda dtype=dtype: model(
                {k: array(dtype, 100, 1000) for k in "abc"},
                "s = SequenceConstruct(a, b, c) y = ConcatFromSequence<axis = 0>(s)",
            ),
        )
        add(
            "ConcatFromSequence new",
            lambda dtype=dtype: model(
                {k: array(dtype, 100, 1000) for k in "abc"},
                "s = SequenceConstruct(a, b, c) y = ConcatFromSequence<axis = 1, new_axis = 1>(s)",
            ),
        )
        add(
            "SplitToSequence",
            lambda dtype=dtype: model(
                {"a": array(dtype, 100, 1000)},
                "k = Constant<value_int = 10>() s = SplitToSequence<axis = 0>(a, k) y = SequenceLength(s)",
            ),
        )
        add(
            "SequenceInsert",
            lambda dtype=dtype: model(
                {k: array(dtype, 100, 1000) for k in "abc"},
                "s = SequenceConstruct(a, b) t = SequenceInsert(s, "
                "c) k = Constant<value_int = 2>() y = SequenceAt(t, k)",
            ),
        )
        add("EyeLike", lambda dtype=dtype: model({"a": array(dtype, 700, 700)}, "y = EyeLike(a)"))
        add("Identity", lambda dtype=dtype: model({"a": array(dtype, 700, 700)}, "y = Identity(a)"))
        add(
            "Reshape",
            lambda dtype=dtype: model({"a": array(dtype, 700, 700)}, const("k", [490, 1000]) + "y = Reshape(a, k)"),
        )
        add("Flatten", lambda dtype=dtype: model({"a": array(dtype, 70, 7, 1000)}, "y = Flatten(a)"))
    rows["Range float long"] = lambda: model(
        {"a": np.array(0.0, np.float32), "b": np.array(2e5, np.float32), "c": np.array(1, np.float32)},
        "y = Range(a, b, c)",
    )
    rows["Range int64 long"] = lambda: model(
        {"a": np.array(0), "b": np.array(200000), "c": np.array(1)}, "y = Range(a, b, c)"
    )
    for name, kind in (
        ("int64", "int64[1] {3}"),
        ("float", "float[1] {1.5}"),
        ("int32", "int32[1] {1}"),
        ("bool", "bool[1] {1}"),
        ("uint8", "uint8[1] {1}"),
    ):
        rows[f"ConstantOfShape {name}"] = lambda kind=kind: model(
            {"s": np.array([500, 1000])}, f"y = ConstantOfShape<value = {kind}>(s)"
        )
    rows["ConstantOfShape small"] = lambda: model({"s": np.array([5, 10])}, "y = ConstantOfShape(s)")
    for op in (
        "Concat",
        "Gather",
        "Reshape",
        "Where",
        "Transpose",
        "Slice",
        "Equal",
        "Identity",
        "Tile",
        "Expand",
        "Split",
        "Unsqueeze",
        "Unique",
        "GatherND",
        "Compress",
        "Pad",
        "ScatterND",
    ):

        def strings(op=op):
            a = words(100, 100)
            inputs, node = {"a": a}, f"y = {op}(a)"
            if op == "Concat":
                inputs, node = {"a": a, "b": words(100, 100)}, "y = Concat<axis = 1>(a, b)"
            elif op == "Gather":
                inputs, node = {"a": a, "i": ints(0, 100, 50)}, "y = Gather(a, i)"
            elif op == "Reshape":
                node = const("k", [-1]) + "y = Reshape(a, k)"
            elif op == "Where":
                inputs, node = {"a": a, "b": words(100, 100), "c": array("bool", 100, 100)}, "y = Where(c, a, b)"
            elif op == "Slice":
                node = const("s", [10]) + const("e", [90]) + "y = Slice(a, s, e)"
            elif op == "Equal":
                inputs, node = {"a": a, "b": words(100, 100)}, "y = Equal(a, b)"
            elif op == "Tile":
                node = const("k", [2, 2]) + "y = Tile(a, k)"
            elif op == "Expand":
                inputs, node = {"a": words(100, 1)}, const("k", [100, 100]) + "y = Expand(a, k)"
            elif op == "Split":
                return text("x, y = Split<num_outputs = 2>(a)", inputs, "x, y")
            elif op == "Unsqueeze":
                node = const("k", [0]) + "y = Unsqueeze(a, k)"
            elif op == "GatherND":
                inputs, node = {"a": a, "i": ints(0, 100, 5000, 2)}, "y = GatherND(a, i)"
            elif op == "Compress":
                inputs, node = {"a": a, "c": array("bool", 100)}, "y = Compress<axis = 0>(a, c)"
            elif op == "Pad":
                node = const("k", [1, 1, 1, 1]) + "y = Pad(a, k)"
            elif op == "ScatterND":
                inputs, node = (
                    {"a": a, "i": RNG.permutation(100)[:50].reshape(50, 1), "u": words(50, 100)},
                    "y = ScatterND(a, i, u)",
                )
            return text(node, inputs)

        rows[f"{op} strings"] = strings
    rows["Cast float to string"] = lambda: model({"a": array("float", 2000)}, "y = Cast<to = 8>(a)")
    rows["Cast int64 to string"] = lambda: model({"a": array("int64", 2000)}, "y = Cast<to = 8>(a)")
    rows["Cast string to float"] = lambda: text(
        "y = Cast<to = 1>(a)", {"a": np.array([str(x) for x in array("float", 2000)], object)}
    )
    rows["Cast string to int64"] = lambda: text(
        "y = Cast<to = 7>(a)", {"a": np.array([str(x) for x in array("int64", 2000)], object)}
    )
    rows["StringNormalizer lower"] = lambda: text(
        'y = StringNormalizer<case_change_action = "LOWER">(a)', {"a": words(2000)}
    )
    rows["StringNormalizer stopwords"] = lambda: text(
        'y = StringNormalizer<case_change_action = "UPPER", stopwords = ["word1", "word2", "word3"], '
        "is_case_sensitive = 0>(a)",
        {"a": words(2000)},
    )
    rows["StringConcat"] = lambda: text("y = StringConcat(a, b)", {"a": words(2000), "b": words(2000)})
    rows["StringSplit"] = lambda: text(
        'y, n = StringSplit<delimiter = " ">(a)', {"a": np.array(["a few words of text"] * 500, object)}, "y, n"
    )
    rows["RegexFullMatch"] = lambda: text('y = RegexFullMatch<pattern = "word[0-9]+">(a)', {"a": words(2000)})
    grams = ", ".join(f'"word{i}"' for i in range(100))
    rows["TfIdfVectorizer"] = lambda: text(
        f'y = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 1, '
        f"max_skip_count = 0, ngram_counts = [0], "
        f"ngram_indexes = [{', '.join(map(str, range(100)))}], pool_strings = [{grams}]>(a)",
        {"a": words(100, 50)},
    )
    numbers = ", ".join(map(str, range(100)))
    rows["TfIdfVectorizer int64"] = lambda: model(
        {"a": ints(0, 200, 100, 50)},
        f'y = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 2, '
        f"max_skip_count = 1, ngram_counts = [0, 50], "
        f"ngram_indexes = [{', '.join(map(str, range(75)))}], pool_int64s = [{numbers}]>(a)",
    )
    return rows


FAMILIES = {"moves": moves}
