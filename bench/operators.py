#!/usr/bin/env python3
"""Single operators beside ONNX Runtime, paired in one process: calls alternate.

    bench/operators.py [NAME...] [--threads 1] [--rounds 15]

Each row is a model of one node at a size that people meet, some 200,000 elements for what goes element by element.
Medians in microseconds, the slowest in proportion first, and the geometric mean of all ratios at the end (below 1: norn
is faster). Rows that name a type are of another than float. A row is the text of a model, its inputs, and initializers if it has any.
"""

import argparse
import math
import statistics
import time

import numpy as np
import onnx.numpy_helper
import onnx.parser

import norn

N = 200_000
RNG = np.random.default_rng(0)


def floats(*dims, dtype=np.float32):
    return RNG.standard_normal(dims).astype(dtype)


def ints(low, high, *dims, dtype=np.int64):
    return RNG.integers(low, high, dims).astype(dtype)


def bools(*dims):
    return RNG.random(dims) > 0.5


def unary(op, dtype="float", data=None):
    return f"agraph ({dtype}[N] a) => (y) {{ y = {op}(a) }}", {"a": floats(N) if data is None else data}


def binary(op, dtype="float", a=None, b=None):
    text = f"agraph ({dtype}[N] a, {dtype}[N] b) => (y) {{ y = {op}(a, b) }}"
    return text, {"a": floats(N) if a is None else a, "b": floats(N) if b is None else b}


def rows(op, constants="", arguments="a", outputs="y"):
    text = f"agraph (float[M, N] a) => ({outputs}) {{ {constants} {outputs} = {op}({arguments}) }}"
    return text, {"a": floats(200, 1000)}


def trees(rows, count, depth=4, features=30):
    """Complete binary trees in the form of TreeEnsemble."""
    inner, leaves = 2**depth - 1, 2**depth
    nodes = inner * count
    tree, place = np.divmod(np.arange(nodes), inner)
    is_last = place >= inner // 2
    below = [np.where(is_last, tree * leaves + 2 * place + k - inner, tree * inner + 2 * place + k) for k in (1, 2)]
    lists = {
        "nodes_truenodeids": below[0],
        "nodes_falsenodeids": below[1],
        "nodes_trueleafs": is_last.astype(int),
        "nodes_falseleafs": is_last.astype(int),
        "nodes_featureids": ints(0, features, nodes),
        "leaf_targetids": np.zeros(leaves * count, int),
        "tree_roots": np.arange(count) * inner,
    }
    tensors = {"nodes_splits": ("float", floats(nodes)), "leaf_weights": ("float", floats(leaves * count))}
    tensors["nodes_modes"] = ("uint8", np.zeros(nodes, int))
    attributes = [f"{name} = [{', '.join(map(str, values))}]" for name, values in lists.items()]
    for name, (dtype, values) in tensors.items():
        attributes.append(f"{name} = {dtype}[{len(values)}] {{{', '.join(map(str, values))}}}")
    text = f"agraph (float[N, {features}] a) => (y) {{ y = ai.onnx.ml.TreeEnsemble<n_targets = 1, {', '.join(attributes)}>(a) }}"
    return text, {"a": floats(rows, features)}


HALF = np.float16
QUANTIZED = {
    "as": np.array(0.02, np.float32),
    "az": np.array(3, np.uint8),
    "ys": np.array(0.7, np.float32),
    "yz": np.array(128, np.uint8),
}
CASES = {
    "Add": binary("Add"),
    "Add double": binary("Add", "double", floats(N, dtype=np.float64), floats(N, dtype=np.float64)),
    "Add float16": binary("Add", "float16", floats(N, dtype=HALF), floats(N, dtype=HALF)),
    "Add int64": binary("Add", "int64", ints(0, 99, N), ints(0, 99, N)),
    "Div int64": binary("Div", "int64", ints(0, 99, N), ints(1, 9, N)),
    "Mod int64": binary("Mod", "int64", ints(0, 99, N), ints(1, 9, N)),
    "Equal int64": binary("Equal", "int64", ints(0, 9, N), ints(0, 9, N)),
    "Greater": binary("Greater"),
    "And": binary("And", "bool", bools(N), bools(N)),
    "Not": unary("Not", "bool", bools(N)),
    **{op: unary(op) for op in ("Exp", "Tanh", "Sigmoid", "Erf", "Sin", "LeakyRelu", "Elu", "Softplus", "Round")},
    "Gelu": unary("Gelu"),
    "Cast to float16": ("agraph (float[N] a) => (y) { y = Cast<to = 10>(a) }", {"a": floats(N)}),
    "Cast to int64": ("agraph (float[N] a) => (y) { y = Cast<to = 7>(a) }", {"a": floats(N)}),
    "Where": (
        "agraph (bool[N] c, float[N] a, float[N] b) => (y) { y = Where(c, a, b) }",
        {"c": bools(N), "a": floats(N), "b": floats(N)},
    ),
    "Softmax": rows("Softmax"),
    "LayerNormalization": (
        "agraph (float[M, N] a, float[N] s, float[N] b) => (y) { y = LayerNormalization(a, s, b) }",
        {"a": floats(200, 1000), "s": floats(1000), "b": floats(1000)},
    ),
    "ReduceSum": rows("ReduceSum", "k = Constant<value_ints = [1]>()", "a, k"),
    "ReduceMax": rows("ReduceMax", "k = Constant<value_ints = [1]>()", "a, k"),
    "ArgMax": rows("ArgMax<axis = 1>"),
    "TopK": rows("TopK", "k = Constant<value_ints = [10]>()", "a, k", "y, i"),
    "CumSum": rows("CumSum", "k = Constant<value_int = 1>()", "a, k"),
    "Tile": rows("Tile", "k = Constant<value_ints = [2, 3]>()", "a, k"),
    "Trilu": rows("Trilu"),
    "Transpose": rows("Transpose"),
    "NonZero": unary("NonZero"),
    "GatherElements": (
        "agraph (float[M, N] a, int64[M, K] i) => (y) { y = GatherElements<axis = 1>(a, i) }",
        {"a": floats(200, 1000), "i": ints(0, 1000, 200, 1000)},
    ),
    "ScatterND": (
        "agraph (float[M, N] a, int64[K, 1] i, float[K, N] u) => (y) { y = ScatterND(a, i, u) }",
        {"a": floats(200, 1000), "i": RNG.permutation(200)[:50].reshape(50, 1), "u": floats(50, 1000)},
    ),
    "OneHot": (
        "agraph (int64[N] i) => (y) { d = Constant<value_int = 50>() v = Constant<value_floats = [0.0, 1.0]>() "
        "y = OneHot(i, d, v) }",
        {"i": ints(0, 50, 2000)},
    ),
    "MatMul": (
        "agraph (float[M, K] a, float[K, N] b) => (y) { y = MatMul(a, b) }",
        {"a": floats(128, 256), "b": floats(256, 256)},
    ),
    "MatMul double": (
        "agraph (double[M, K] a, double[K, N] b) => (y) { y = MatMul(a, b) }",
        {"a": floats(128, 128, dtype=np.float64), "b": floats(128, 128, dtype=np.float64)},
    ),
    "MatMulInteger": (
        "agraph (uint8[M, K] a, int8[K, N] b) => (y) { y = MatMulInteger(a, b) }",
        {"a": ints(0, 255, 64, 256, dtype=np.uint8), "b": ints(-9, 9, 256, 256, dtype=np.int8)},
    ),
    "MatMulInteger constant": (
        "agraph (uint8[M, K] a) => (y) { y = MatMulInteger(a, w) }",
        {"a": ints(0, 255, 64, 256, dtype=np.uint8)},
        {"w": ints(-99, 99, 256, 256, dtype=np.int8)},
    ),
    "QLinearMatMul": (
        "agraph (uint8[M, K] a) => (y) { y = QLinearMatMul(a, as, az, w, ws, wz, ys, yz) }",
        {"a": ints(0, 255, 128, 256, dtype=np.uint8)},
        {
            **QUANTIZED,
            "w": ints(-99, 99, 256, 256, dtype=np.int8),
            "ws": np.full(256, 0.01, np.float32),
            "wz": np.zeros(256, np.int8),
        },
    ),
    "QLinearConv": (
        "agraph (uint8[1, 64, H, W] a) => (y) { y = QLinearConv<pads = [1, 1, 1, 1]>(a, as, az, w, ws, wz, ys, yz) }",
        {"a": ints(0, 255, 1, 64, 28, 28, dtype=np.uint8)},
        {
            **QUANTIZED,
            "w": ints(-99, 99, 64, 64, 3, 3, dtype=np.int8),
            "ws": np.full(64, 0.01, np.float32),
            "wz": np.zeros(64, np.int8),
        },
    ),
    "ConvInteger": (
        "agraph (uint8[1, 64, H, W] a) => (y) { y = ConvInteger<pads = [1, 1, 1, 1]>(a, w, az) }",
        {"a": ints(0, 255, 1, 64, 28, 28, dtype=np.uint8)},
        {"az": np.array(3, np.uint8), "w": ints(-99, 99, 64, 64, 3, 3, dtype=np.int8)},
    ),
    "DynamicQuantizeLinear": (
        "agraph (float[N] a) => (y, s, z) { y, s, z = DynamicQuantizeLinear(a) }",
        {"a": floats(N)},
    ),
    "Einsum": (
        'agraph (float[B, M, K] a, float[B, K, N] b) => (y) { y = Einsum<equation = "bij,bjk->bik">(a, b) }',
        {"a": floats(4, 32, 64), "b": floats(4, 64, 32)},
    ),
    "QuantizeLinear": (
        "agraph (float[N] a, float[] s, uint8[] z) => (y) { y = QuantizeLinear(a, s, z) }",
        {"a": floats(N), "s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)},
    ),
    "DequantizeLinear": (
        "agraph (uint8[N] a, float[] s, uint8[] z) => (y) { y = DequantizeLinear(a, s, z) }",
        {"a": ints(0, 255, N, dtype=np.uint8), "s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)},
    ),
    "MaxPool": (
        "agraph (float[1, 16, H, W] a) => (y) { y = MaxPool<kernel_shape = [3, 3], strides = [2, 2]>(a) }",
        {"a": floats(1, 16, 64, 64)},
    ),
    "Resize linear": (
        'agraph (float[1, 8, H, W] a) => (y) { s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() '
        'y = Resize<mode = "linear">(a, , s) }',
        {"a": floats(1, 8, 64, 64)},
    ),
    "Resize nearest": (
        "agraph (float[1, 8, H, W] a) => (y) { s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() "
        "y = Resize(a, , s) }",
        {"a": floats(1, 8, 64, 64)},
    ),
    "ConvTranspose": (
        "agraph (float[1, 16, H, W] a, float[16, 16, 3, 3] w) => (y) { y = ConvTranspose<strides = [2, 2]>(a, w) }",
        {"a": floats(1, 16, 32, 32), "w": floats(16, 16, 3, 3)},
    ),
    "InstanceNormalization": (
        "agraph (float[1, 16, H, W] a, float[16] s, float[16] b) => (y) { y = InstanceNormalization(a, s, b) }",
        {"a": floats(1, 16, 100, 100), "s": floats(16), "b": floats(16)},
    ),
    "GridSample": (
        "agraph (float[1, 8, H, W] a, float[1, H, W, 2] g) => (y) { y = GridSample(a, g) }",
        {"a": floats(1, 8, 64, 64), "g": RNG.uniform(-1, 1, (1, 64, 64, 2)).astype(np.float32)},
    ),
    "DepthToSpace": (
        "agraph (float[1, 64, H, W] a) => (y) { y = DepthToSpace<blocksize = 2>(a) }",
        {"a": floats(1, 64, 32, 32)},
    ),
    "LSTM": (
        "agraph (float[T, 1, 64] a, float[1, 256, 64] w, float[1, 256, 64] r) => (y) "
        "{ y = LSTM<hidden_size = 64>(a, w, r) }",
        {"a": floats(20, 1, 64), "w": floats(1, 256, 64), "r": floats(1, 256, 64)},
    ),
    "LSTM both directions": (
        "agraph (float[T, B, 128] a, float[2, 1024, 128] w, float[2, 1024, 256] r) => (y) "
        '{ y = LSTM<hidden_size = 256, direction = "bidirectional">(a, w, r) }',
        {"a": floats(20, 8, 128), "w": floats(2, 1024, 128), "r": floats(2, 1024, 256)},
    ),
    "GRU": (
        "agraph (float[T, 1, 128] a, float[1, 384, 128] w, float[1, 384, 128] r) => (y) "
        "{ y = GRU<hidden_size = 128>(a, w, r) }",
        {"a": floats(30, 1, 128), "w": floats(1, 384, 128), "r": floats(1, 384, 128)},
    ),
    "TreeEnsemble": trees(500, 100),
    "TreeEnsemble of a row": trees(1, 100),
}


def measure(text, feeds, constants, threads, rounds):
    import onnxruntime

    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 5]>\n' + text)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in constants.items())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    engines = [
        norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=threads)),
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]),
    ]
    times = [[], []]
    for turn in range(rounds + 1):
        for engine, spent in zip(engines, times, strict=True):
            start = time.perf_counter()
            engine.run(None, feeds)
            if turn > 0:
                spent.append((time.perf_counter() - start) * 1e6)
    return [statistics.median(spent) for spent in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    found = []
    for name, (text, feeds, *constants) in CASES.items():
        if options.names and name not in options.names:
            continue
        try:
            ours, theirs = measure(text, feeds, constants[0] if constants else {}, options.threads, options.rounds)
            found.append((ours / theirs, name, ours, theirs))
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
    print(f"{'':24} {'norn us':>10} {'onnxruntime us':>15} {'ratio':>8}")
    for ratio, name, ours, theirs in sorted(found, reverse=True):
        print(f"{name:24} {ours:10.0f} {theirs:15.0f} {ratio:8.2f}")
    if found:
        print(f"geometric mean of {len(found)}: {math.exp(statistics.mean(math.log(row[0]) for row in found)):.2f}")


if __name__ == "__main__":
    main()
