#!/usr/bin/env python3
"""Single operators drawn at random beside ONNX Runtime: no row is chosen, so what nobody thought of turns up.

    bench/operators_random.py [--seed 0] [--count 300] [--only N ...] [--family pool] [--threads 1] [--slow 1.1]

Operator, element type, rank, sizes, axes, attributes and which operands are constants are drawn; what ONNX Runtime does
not run is left out. Each pair of calls alternates in one process; the printed number with the seed gives the case
again (--only). Believe a row only when a second run with more --rounds shows the same.
"""

import argparse
import math
import statistics
import time

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
from operator_cases import FLOATS, INTS, NUMBERS, TYPES
from operators import other_session, summary

import norn

UNARY = """Abs Neg Sign Sqrt Reciprocal Floor Ceil Round Erf Gelu Elu Celu Selu Softplus Softsign Sigmoid HardSigmoid
HardSwish Mish Tanh Exp Log Sin Cos Relu LeakyRelu ThresholdedRelu IsNaN IsInf Not Identity Atan Asinh"""
BINARY = """Add Sub Mul Div Pow Mod Max Min Equal Less GreaterOrEqual And Xor BitwiseAnd BitShift PRelu Where"""
REDUCTION = """ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSumExp ReduceSumSquare
ArgMax ArgMin CumSum Softmax LogSoftmax LpNormalization Hardmax"""
NORMALIZATION = """LayerNormalization RMSNormalization InstanceNormalization BatchNormalization GroupNormalization LRN
MeanVarianceNormalization SkipLayerNormalization"""
PRODUCT = "MatMul MatMul MatMul Gemm Gemm MatMulInteger QLinearMatMul MatMulNBits Einsum"
MOVEMENT = """Transpose Transpose Concat Split Slice Slice Pad Tile Expand Gather Gather GatherND GatherElements
ScatterElements ScatterND DepthToSpace SpaceToDepth Trilu OneHot ReverseSequence Compress NonZero TopK Unique Resize
Resize Where"""
OFTEN = ("float", "float", "float", "float16", "double", "int64", "int32", "int8", "uint8", "bool")


class Draw:
    """One case in the making: inputs, constants and the node's text."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.inputs, self.constants = {}, {}

    def one(self, *values):
        return values[self.rng.integers(len(values))]

    def size(self, low, high):
        """Log-uniform; multiples of eight and powers of two are as frequent as any other."""
        n = int(round(math.exp(self.rng.uniform(math.log(low), math.log(high)))))
        kind = self.rng.random()
        if kind < 0.35 and n >= 8:
            n = n // 8 * 8
        elif kind < 0.55:
            n = 1 << max(0, round(math.log2(n)))
        return max(low, min(n, high))

    def flag(self, chance=0.5):
        return self.rng.random() < chance

    def shape(self, rank=None, low=2000, high=2_000_000):
        rank = rank or self.one(1, 2, 2, 3, 3, 4, 4, 4, 5)
        total = math.exp(self.rng.uniform(math.log(low), math.log(high)))
        shares = self.rng.dirichlet([1.2] * rank)
        return [max(1, round(total**share)) for share in shares]

    def values(self, dtype, shape, low=0, high=100):
        kind = TYPES[dtype]
        if dtype == "bool":
            return self.rng.random(shape) > 0.5
        if dtype in FLOATS:
            return self.rng.standard_normal(shape).astype(kind)
        return self.rng.integers(low, high, shape).astype(kind)

    def feed(self, name, dtype, shape, **kwargs):
        self.inputs[name] = np.asarray(self.values(dtype, shape, **kwargs))
        return self.inputs[name]

    def weight(self, name, dtype, shape, constant=0.8, **kwargs):
        """An operand that is a constant more often than not."""
        where = self.constants if self.flag(constant) else self.inputs
        where[name] = np.asarray(self.values(dtype, shape, **kwargs))
        return where[name]

    def quantized_operands(self, **zero_point):
        """Scales and zero points of a product of bytes."""
        scales = {"s": np.float32(0.02), "t": np.float32(0.01), "q": np.float32(0.7)}
        self.constants.update(scales, z=np.uint8(3), p=np.uint8(100), **zero_point)

    def ints(self, name, values):
        self.constants[name] = np.array(values, np.int64)

    def some_axes(self, rank, most=None):
        count = int(self.rng.integers(1, (most or rank) + 1))
        return sorted(int(a) for a in self.rng.permutation(rank)[:count])


def attributes(**values):
    """The text of attributes, those that are None left out."""
    def text(v):
        if isinstance(v, str):
            return f'"{v}"'
        return f"[{', '.join(map(str, v))}]" if isinstance(v, list) else str(v)

    found = [f"{name} = {text(v)}" for name, v in values.items() if v is not None]
    return f"<{', '.join(found)}>" if found else ""


def unary(d):
    op = d.one(*UNARY.split())
    dtype = d.one(*NUMBERS) if op in ("Abs", "Neg", "Sign", "Relu") else d.one(*FLOATS, "float")
    if op == "Not":
        dtype = "bool"
    x = d.feed("a", dtype, d.shape())
    if op in ("Sqrt", "Log") and dtype in FLOATS:
        d.inputs["a"] = (np.abs(x.astype(np.float64)) + 0.1).astype(x.dtype)
    return f"y = {op}(a)"


def broadcast_pair(d):
    a = d.shape()
    kind = d.one("same", "scalar", "last", "channel", "random", "random", "both")
    if kind == "same":
        return a, list(a)
    if kind == "scalar":
        return a, []
    if kind == "last":
        return a, a[-1:]
    if kind == "channel" and len(a) > 2:
        return a, [a[1]] + [1] * (len(a) - 2)
    b = [n if d.flag() else 1 for n in a]
    if kind == "both":
        return [n if keep != 1 or d.flag() else 1 for n, keep in zip(a, b, strict=True)], b
    return a, b


def binary(d):
    op = d.one(*BINARY.split())
    dtype = d.one(*NUMBERS, "float", "float", "int64")
    extra = ""
    if op in ("And", "Xor"):
        dtype = "bool"
    elif op == "BitwiseAnd":
        dtype = d.one(*INTS)
    elif op == "BitShift":
        dtype, extra = d.one("uint8", "uint32", "uint64"), '<direction = "RIGHT">'
    elif op == "Mod" and dtype in FLOATS:
        extra = "<fmod = 1>"
    a, b = broadcast_pair(d)
    swap = op != "PRelu" and d.flag(0.3)
    d.feed("a", dtype, a)
    b = d.weight("b", dtype, b, 0.3, low=1, high=8)
    if op == "Pow" and dtype in FLOATS:
        d.inputs["a"] = np.abs(d.inputs["a"].astype(np.float64)).astype(d.inputs["a"].dtype)
    if op == "Where":
        d.feed("c", "bool", d.one(a, [n if d.flag() else 1 for n in a]))
        return f"y = Where(c, {'b, a' if swap else 'a, b'})"
    return f"y = {op}{extra}({'b, a' if swap else 'a, b'})"


def cast(d):
    d.feed("a", d.one(*NUMBERS, "bool"), d.shape())
    return f"y = Cast<to = {onnx.helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[d.one(*NUMBERS, 'bool')]))}>(a)"


def reduction(d):
    op = d.one(*REDUCTION.split())
    dtype = d.one("float", "float", "float16", "double", "int32", "int64", "int8", "uint8")
    if op in ("Softmax", "LogSoftmax", "LpNormalization", "Hardmax"):
        dtype = d.one("float", "float", "float16", "double")
    shape = d.shape()
    rank = len(shape)
    d.feed("a", dtype, shape, high=8)
    axis = int(d.rng.integers(-rank, rank))
    if op.startswith("Arg"):
        return f"y = {op}{attributes(axis=axis, keepdims=d.one(0, 1), select_last_index=d.one(0, 0, 1))}(a)"
    if op == "CumSum":
        d.constants["k"] = np.array(axis, np.int64)
        return f"y = CumSum{attributes(exclusive=d.one(0, 1), reverse=d.one(0, 1))}(a, k)"
    if not op.startswith("Reduce"):
        return f"y = {op}{attributes(axis=axis)}(a)"
    d.ints("k", d.some_axes(rank))
    return f"y = {op}{attributes(keepdims=d.one(0, 1))}(a, k)"


def normalization(d):
    op = d.one(*NORMALIZATION.split())
    dtype = d.one("float", "float", "float", "float16", "double")
    if op in ("LayerNormalization", "RMSNormalization", "SkipLayerNormalization"):
        shape = d.shape(3 if op[0] == "S" else None)
        axis = -1 if op[0] == "S" else int(d.rng.integers(0, len(shape)))
        d.feed("a", dtype, shape)
        d.weight("s", dtype, shape[axis:])
        bias = ""
        if op == "SkipLayerNormalization":
            d.feed("b", dtype, shape)
            return "y = com.microsoft.SkipLayerNormalization(a, b, s)"
        if op[0] == "L" and d.flag():
            d.weight("b", dtype, shape[axis:])
            bias = ", b"
        return f"y = {op}{attributes(axis=axis)}(a, s{bias})"
    shape = d.shape(d.one(3, 4, 4, 5) if op not in ("LRN", "MeanVarianceNormalization") else 4)
    d.feed("a", dtype, shape)
    channels = shape[1]
    if op == "LRN":
        return "y = LRN<size = 5>(a)"
    if op == "MeanVarianceNormalization":
        return "y = MeanVarianceNormalization(a)"
    d.weight("s", dtype, [channels])
    d.weight("b", dtype, [channels])
    if op == "BatchNormalization":
        d.weight("m", dtype, [channels])
        d.constants["v"] = np.abs(d.values(dtype, [channels])) + np.ones(1, TYPES[dtype])
        return "y = BatchNormalization(a, s, b, m, v)"
    if op == "GroupNormalization":
        groups = d.one(*[g for g in (1, 2, 4, 8, 32, channels) if channels % g == 0])
        return f"y = GroupNormalization<num_groups = {groups}>(a, s, b)"
    return "y = InstanceNormalization(a, s, b)"


def product(d):
    kind = d.one(*PRODUCT.split())
    m, k, n = d.size(1, 600), d.size(1, 1500), d.size(1, 1500)
    dtype = d.one("float", "float", "float", "float16", "double")
    if kind == "Gemm":
        ta, tb = d.one(0, 0, 1), d.one(0, 1)
        d.feed("a", dtype, [k, m] if ta else [m, k])
        d.weight("b", dtype, [n, k] if tb else [k, n])
        third = d.flag(0.7)
        if third:
            d.weight("c", dtype, d.one([n], [1, n], [m, n], [1]))
        return f"y = Gemm{attributes(transA=ta, transB=tb)}(a, b{', c' if third else ''})"
    if kind == "MatMulNBits":
        block = d.one(16, 32, 64, 128)
        k = max(block, k // block * block)
        d.feed("a", "float", [d.one(1, 1, 4, 32, 128), k])
        d.constants["b"] = d.rng.integers(0, 256, (n, k // block, block // 2)).astype(np.uint8)
        d.constants["s"] = (d.rng.random(n * (k // block)) * 0.01).astype(np.float32)
        rest = attributes(K=k, N=n, bits=4, block_size=block, accuracy_level=d.one(0, 4))
        return f"y = com.microsoft.MatMulNBits{rest}(a, b, s)"
    if kind == "MatMulInteger":
        d.feed("a", d.one("uint8", "int8"), [m, k])
        d.weight("b", d.one("uint8", "int8"), [k, n])
        return "y = MatMulInteger(a, b)"
    if kind == "QLinearMatMul":
        d.feed("a", "uint8", [m, k])
        d.weight("b", "int8", [k, n])
        d.quantized_operands(w=np.int8(0))
        return "y = QLinearMatMul(a, s, z, b, t, w, q, p)"
    batches = d.one([], [], [d.size(1, 16)], [d.size(1, 4), d.size(1, 12)])
    if batches:
        m, k, n = d.size(1, 200), d.size(1, 200), d.size(1, 200)
    if kind == "Einsum" and len(batches) == 2:
        d.feed("a", "float", [*batches, m, k])
        d.feed("b", "float", [*batches, n, k])
        return 'y = Einsum<equation = "bhqd,bhkd->bhqk">(a, b)'
    d.feed("a", dtype, d.one([*batches, m, k], [*batches, m, k], [k]))
    d.weight("b", dtype, [*d.one(batches, []), k, n], 0.5)
    return "y = MatMul(a, b)"


def convolution(d):
    rank = d.one(1, 2, 2, 2, 2, 3)
    op = d.one("Conv", "Conv", "Conv", "ConvTranspose", "QLinearConv", "ConvInteger")
    channels, filters = d.size(1, 256), d.size(1, 256)
    groups = 1
    if d.flag(0.35):
        groups = d.one(channels, channels, *[g for g in (2, 4, 8) if channels % g == 0])
        filters = groups * d.one(1, 1, 2) if groups == channels else max(groups, filters // groups * groups)
    kernel = [d.one(1, 1, 2, 3, 3, 3, 5, 7) for _ in range(rank)]
    if d.flag(0.7):
        kernel = kernel[:1] * rank
    strides = [d.one(1, 1, 1, 2, 2, 3, 4)] * rank
    dilations = [d.one(1, 1, 1, 1, 2, 3)] * rank
    pads = [k // 2 if d.flag(0.9) else 0 for k in kernel] * 2
    extent = {1: (16, 4000), 2: (5, 120), 3: (4, 30)}[rank]
    spatial = [d.size(*extent) for _ in range(rank)]
    if d.flag(0.6):
        spatial = spatial[:1] * rank
    batch = d.one(1, 1, 1, 2, 8)
    while (work := batch * channels * filters // groups * math.prod(kernel) * math.prod(spatial)) > 6e8:
        channels, filters = (max(groups, v // 2 // groups * groups) for v in (channels, filters))
        spatial = [max(4, n * 3 // 4) for n in spatial]
        if groups * groups * math.prod(kernel) * math.prod(spatial) >= work:
            batch = 1
            break
    spatial = [max(n, (k - 1) * e + 1) for n, k, e in zip(spatial, kernel, dilations, strict=True)]
    rest = attributes(group=groups, strides=strides, dilations=dilations, pads=pads, kernel_shape=kernel)
    if op == "ConvTranspose":
        pads = [p * e for p, e in zip(pads[:rank], dilations, strict=True)] * 2
        d.feed("a", "float", [batch, channels, *spatial])
        d.weight("w", "float", [channels, max(1, filters // groups), *kernel])
        return f"y = ConvTranspose{rest}(a, w)"
    shape = [filters, channels // groups, *kernel]
    if op == "Conv":
        dtype = d.one("float", "float", "float", "float", "float16", "double")
        d.feed("a", dtype, [batch, channels, *spatial])
        d.weight("w", dtype, shape, 0.9)
        bias = d.flag()
        if bias:
            d.weight("b", dtype, [filters], 0.95)
        return f"y = Conv{rest}(a, w{', b' if bias else ''})"
    d.feed("a", "uint8", [batch, channels, *spatial])
    d.weight("w", d.one("int8", "uint8"), shape, 0.95)
    if op == "ConvInteger":
        d.constants["z"] = np.uint8(3)
        return f"y = ConvInteger{rest}(a, w, z)"
    zero = (d.constants.get("w", d.inputs.get("w"))).dtype.type(0)
    d.quantized_operands(v=zero)
    return f"y = QLinearConv{rest}(a, s, z, w, t, v, q, p)"


def pool(d):
    rank = d.one(1, 2, 2, 2, 3)
    op = d.one("MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool")
    dtype = d.one("float", "float", "float16", "double", *(["uint8", "int8"] if op == "MaxPool" else []))
    spatial = [d.size(*{1: (16, 20000), 2: (4, 200), 3: (4, 40)}[rank]) for _ in range(rank)]
    channels = max(1, min(d.size(1, 512), 2_000_000 // math.prod(spatial)))
    d.feed("a", dtype, [d.one(1, 1, 4), channels, *spatial])
    if op.startswith("Global"):
        return f"y = {op}(a)"
    kernel = [d.one(2, 2, 3, 3, 5, 7) for _ in range(rank)]
    if d.flag(0.7):
        kernel = kernel[:1] * rank
    kernel = [min(k, n) for k, n in zip(kernel, spatial, strict=True)]
    rest = attributes(
        kernel_shape=kernel,
        strides=[d.one(1, 2, 2, 3)] * rank,
        pads=[k // 2 if d.flag(0.6) else 0 for k in kernel] * 2,
        ceil_mode=d.one(0, 0, 0, 1),
        count_include_pad=d.one(None, 1) if op == "AveragePool" else None,
    )
    return f"y = {op}{rest}(a)"


def movement(d):
    op = d.one(*MOVEMENT.split())
    dtype = d.one(*OFTEN)
    shape = d.shape()
    rank = len(shape)
    axis = int(d.rng.integers(0, rank))
    if op in ("DepthToSpace", "SpaceToDepth"):
        block = d.one(2, 2, 3, 4)
        n, c, h, w = d.shape(4, high=500_000)
        d.feed("a", dtype, [n, c * block * block, h, w] if op[0] == "D" else [n, c, h * block, w * block])
        return f"y = {op}{attributes(blocksize=block, mode=d.one('DCR', 'CRD') if op[0] == 'D' else None)}(a)"
    if op == "Resize":
        n, c, h, w = d.shape(4, high=300_000)
        d.feed("a", d.one("float", "float", "float16", "uint8", "int8"), [n, c, h, w])
        scale = d.one(0.5, 2.0, 2.0, 3.0, 1.5, 4.0)
        d.constants["k"] = np.array([1, 1, scale, scale], np.float32)
        mode = d.one("nearest", "linear", "linear", "cubic")
        how = d.one("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
        return f"y = Resize{attributes(mode=mode, coordinate_transformation_mode=how)}(a, , k)"
    if op == "Trilu" and rank < 2:
        op = "Transpose"
    if op == "OneHot":
        depth = d.size(2, 1000)
        d.feed("a", d.one("int64", "int32"), d.shape(d.one(1, 2), 10, 5000), high=depth)
        d.constants["n"] = np.array([depth], np.int64)
        d.constants["v"] = np.array([0, 1]).astype(TYPES[d.one("float", "int64", "float")])
        return f"y = OneHot{attributes(axis=d.one(-1, -1, 0))}(a, n, v)"
    a = d.feed("a", dtype, shape)
    count = shape[axis]
    if op == "Transpose":
        return f"y = Transpose{attributes(perm=[int(p) for p in d.rng.permutation(rank)])}(a)"
    if op == "Concat":
        b = list(shape)
        b[axis] = d.size(1, 2 * count)
        d.feed("b", dtype, b)
        return f"y = Concat{attributes(axis=axis)}(a, b{d.one('', ', a')})"
    if op == "Split":
        if count < 2:
            return "y = Identity(a)"
        first = int(d.rng.integers(1, count))
        d.ints("k", [first, count - first])
        return f"y, z = Split{attributes(axis=axis)}(a, k)"
    if op == "Slice":
        axes = d.some_axes(rank)
        steps = [d.one(1, 1, 1, 2, -1, 3) for _ in axes]
        starts = [0 if s > 0 else shape[x] for s, x in zip(steps, axes, strict=True)]
        firsts = [min(d.one(0, 1, shape[x] // 3), shape[x] - 1) for x in axes]
        starts = [first if s > 0 else v for s, v, first in zip(steps, starts, firsts, strict=True)]
        ends = [shape[x] if s > 0 else -(1 << 40) for s, x in zip(steps, axes, strict=True)]
        for name, v in (("s", starts), ("e", ends), ("x", axes), ("t", steps)):
            d.ints(name, v)
        return "y = Slice(a, s, e, x, t)"
    if op == "Pad":
        mode = d.one("constant", "constant", "reflect", "edge")
        most = [max(0, min(n - 1, 3)) for n in shape]
        d.ints("k", [int(d.rng.integers(0, m + 1)) for m in most * 2])
        return f"y = Pad{attributes(mode=mode)}(a, k)"
    if op == "Tile":
        repeats = [d.one(1, 1, 2, 3, 7) for _ in shape]
        while math.prod(repeats) * a.size > 4_000_000 and max(repeats) > 1:
            repeats[repeats.index(max(repeats))] = 1
        d.ints("k", repeats)
        return "y = Tile(a, k)"
    if op == "Expand":
        small = [n if d.flag() else 1 for n in shape]
        d.inputs["a"] = np.asarray(d.values(dtype, small))
        d.ints("k", shape)
        return "y = Expand(a, k)"
    if op == "Gather":
        each = a.size // count
        many = d.one([d.size(1, 2000)], [d.size(1, 50), d.size(1, 50)], [])
        while many and math.prod(many) * each > 4_000_000:
            many[int(np.argmax(many))] //= 2
        d.weight("i", d.one("int64", "int32"), many, 0.3, high=count)
        return f"y = Gather{attributes(axis=axis)}(a, i)"
    if op == "GatherND":
        depth = int(d.rng.integers(1, rank + 1))
        rows = max(1, min(d.size(10, 50_000), 4_000_000 // math.prod(shape[depth:])))
        d.inputs["i"] = np.stack([d.rng.integers(0, n, rows) for n in shape[:depth]], -1).astype(np.int64)
        return "y = GatherND(a, i)"
    if op == "ScatterND":
        depth = int(d.rng.integers(1, rank + 1))
        rows = max(1, min(d.size(1, 20_000), 1_000_000 // math.prod(shape[depth:])))
        d.inputs["i"] = np.stack([d.rng.integers(0, n, rows) for n in shape[:depth]], -1).astype(np.int64)
        d.feed("u", dtype, [rows, *shape[depth:]])
        return f"y = ScatterND{attributes(reduction=d.one(None, None, 'add') if dtype != 'bool' else None)}(a, i, u)"
    if op in ("GatherElements", "ScatterElements"):
        there = [max(1, int(n * d.one(1.0, 1.0, 0.5))) for n in shape]
        d.feed("i", d.one("int64", "int64", "int32"), there, high=count)
        if op[0] == "G":
            return f"y = GatherElements{attributes(axis=axis)}(a, i)"
        d.feed("u", dtype, there)
        reduction = d.one(None, None, "add", "max") if dtype != "bool" else None
        return f"y = ScatterElements{attributes(axis=axis, reduction=reduction)}(a, i, u)"
    if op == "Trilu":
        d.constants["k"] = np.array(int(d.rng.integers(-3, 4)), np.int64)
        return f"y = Trilu{attributes(upper=d.one(0, 1))}(a, k)"
    if op == "ReverseSequence":
        if rank < 2:
            return "y = Identity(a)"
        d.inputs["l"] = d.rng.integers(1, shape[0] + 1, shape[1]).astype(np.int64)
        return "y = ReverseSequence(a, l)"
    if op == "Compress":
        d.inputs["c"] = d.rng.random(count) > 0.5
        return f"y = Compress{attributes(axis=axis)}(a, c)"
    if op == "TopK":
        d.ints("k", [d.size(1, count)])
        return f"y, z = TopK{attributes(axis=axis, largest=d.one(0, 1), sorted=d.one(0, 1, 1))}(a, k)"
    if op == "Where":
        d.feed("c", "bool", [n if d.flag(0.8) else 1 for n in shape])
        d.feed("b", dtype, d.one(shape, []))
        return "y = Where(c, a, b)"
    return f"y = {op}(a)"


def quantization(d):
    op = d.one("QuantizeLinear", "QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")
    shape = d.shape()
    if op == "DynamicQuantizeLinear":
        d.feed("a", "float", shape)
        return "y, s, z = DynamicQuantizeLinear(a)"
    kind, real = d.one("int8", "uint8", "uint8", "int16", "uint16"), d.one("float", "float", "float", "float16")
    axis = int(d.rng.integers(0, len(shape)))
    granularity = d.one("tensor", "tensor", "axis", "block")
    scales, block = ([], None) if granularity == "tensor" else ([shape[axis]], None)
    if granularity == "block":
        block = d.one(16, 32, 128)
        scales = list(shape)
        scales[axis] = -(-shape[axis] // block)
    d.feed("a", real if op[0] == "Q" else kind, shape)
    s = d.weight("s", real, scales, 0.6)
    (d.constants if "s" in d.constants else d.inputs)["s"] = (np.abs(s) * 0.05 + 0.01).astype(TYPES[real])
    d.weight("z", kind, scales, 0.7, high=10)
    return f"y = {op}{attributes(axis=axis if granularity != 'tensor' else None, block_size=block)}(a, s, z)"


def recurrent(d):
    op, gates = d.one(("LSTM", 4), ("LSTM", 4), ("GRU", 3), ("RNN", 1))
    steps, batch, width, hidden = d.size(1, 80), d.size(1, 16), d.size(8, 300), d.size(8, 300)
    direction, count = d.one(("forward", 1), ("reverse", 1), ("bidirectional", 2))
    d.feed("a", "float", [steps, batch, width])
    d.weight("w", "float", [count, gates * hidden, width], 0.95)
    d.weight("r", "float", [count, gates * hidden, hidden], 0.95)
    for name in "wr":
        where = d.constants if name in d.constants else d.inputs
        where[name] = (where[name] * 0.1).astype(np.float32)
    bias = d.flag(0.7)
    if bias:
        d.weight("b", "float", [count, 2 * gates * hidden], 0.95)
    extra = {"linear_before_reset": d.one(0, 1)} if op == "GRU" else {}
    return f"y, h = {op}{attributes(hidden_size=hidden, direction=direction, **extra)}(a, w, r{', b' if bias else ''})"


def attention(d):
    op = d.one("Attention", "Attention", "Attention", "RotaryEmbedding", "MultiHeadAttention")
    batch, heads, size = d.one(1, 1, 2, 4), d.one(1, 4, 8, 12), d.one(16, 32, 64, 80, 128)
    queries, keys = d.one((d.size(1, 300),) * 2, (1, d.size(1, 2000)), (d.size(1, 64), d.size(1, 500)))
    dtype = d.one("float", "float", "float16")
    if op == "RotaryEmbedding":
        d.feed("a", dtype, [batch, heads, queries, size])
        d.weight("c", dtype, [batch, queries, size // 2], 0.2)
        d.weight("s", dtype, [batch, queries, size // 2], 0.2)
        return f"y = RotaryEmbedding{attributes(interleaved=d.one(0, 1))}(a, c, s)"
    if op == "MultiHeadAttention":
        for name, rows in (("q", queries), ("k", keys), ("v", keys)):
            d.feed(name, "float", [batch, rows, heads * size])
        return f"y = com.microsoft.MultiHeadAttention{attributes(num_heads=heads)}(q, k, v)"
    grouped = d.one(heads, heads, *[h for h in (1, 4) if heads % h == 0])
    for name, h, rows in (("q", heads, queries), ("k", grouped, keys), ("v", grouped, keys)):
        d.feed(name, dtype, [batch, h, rows, size])
    mask = d.flag()
    if mask:
        across = d.one([], [batch, 1], [batch, heads])
        d.feed("m", d.one(dtype, "bool"), [*across, queries, keys])
    causal = 1 if d.flag(0.4) else 0
    return f"y = Attention{attributes(is_causal=causal)}(q, k, v{', m' if mask else ''})"


FAMILIES = {
    "unary": (unary, 2),
    "binary": (binary, 4),
    "cast": (cast, 1),
    "reduction": (reduction, 4),
    "normalization": (normalization, 3),
    "product": (product, 4),
    "convolution": (convolution, 5),
    "pool": (pool, 3),
    "movement": (movement, 7),
    "quantization": (quantization, 2),
    "recurrent": (recurrent, 1),
    "attention": (attention, 2),
}


def drawn(seed, number, families):
    """(description, ModelProto, feeds) of a case."""
    weighted = [make for name in families for make in [FAMILIES[name][0]] * FAMILIES[name][1]]
    d = Draw([seed, number])
    node = d.one(*weighted)(d)
    names = {np.dtype(kind): name for name, kind in TYPES.items()}

    def typed(name, a):
        return f"{names[a.dtype]}{list(a.shape) if a.ndim else ''} {name}"

    outputs = node.split(" = ")[0]
    formals = ", ".join(typed(name, a) for name, a in d.inputs.items())
    model = onnx.parser.parse_model(
        '<ir_version: 11, opset_import: ["": 24, "com.microsoft": 1]>\n'
        f"agraph ({formals}) => ({outputs}) {{ {node} }}"
    )
    model.graph.initializer.extend(onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in d.constants.items())
    held = ", ".join(f"{typed(name, np.asarray(a))} = ..." for name, a in d.constants.items())
    return f"{node.split(' = ', 1)[1]}  ({formals}{'; ' + held if held else ''})", model, d.inputs


def alternate(model, theirs, feeds, threads, rounds):
    """Medians of turns in microseconds, of norn and of ONNX Runtime's session."""
    ours = norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=threads))

    def microseconds(engine, calls):
        start = time.perf_counter()
        for _ in range(calls):
            engine.run(None, feeds)
        return (time.perf_counter() - start) / calls * 1e6

    # As many calls for both, or one of them would have its memory in the caches more often; first ones count pages.
    for engine in (theirs, ours):
        microseconds(engine, 2)
    calls = max(1, min(200, int(10_000 / max(microseconds(engine, 1) for engine in (theirs, ours)))))
    times = [[], []]
    for _ in range(rounds):
        for engine, spent in zip((ours, theirs), times, strict=True):
            spent.append(microseconds(engine, calls))
    return [statistics.median(t) for t in times]


def measure(model, feeds, threads, rounds):
    """The same of the newest version that ONNX Runtime has a kernel of; None where it does not run the case."""
    for version in (24, 23, 21):
        model.opset_import[0].version = version
        try:
            theirs = other_session(model, threads)
            theirs.run(None, feeds)
        except Exception:
            continue
        return alternate(model, theirs, feeds, threads, rounds)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", type=int, nargs="*", default=[], metavar="N")
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--slow", type=float, default=1.1, help="print only rows above this ratio")
    options = parser.parse_args()
    families = options.family or list(FAMILIES)
    found, left_out = [], 0
    for number in options.only or range(options.count):
        try:
            text, model, feeds = drawn(options.seed, number, families)
            times = measure(model, feeds, options.threads, options.rounds)
        except Exception as error:
            print(f"{number}: {type(error).__name__}: {str(error).splitlines()[0][:300]}", flush=True)
            continue
        if times:
            found.append((times[0] / times[1], number, text, *times))
        else:
            left_out += 1
    print(f"{'':>5} {'norn us':>9} {'onnxruntime us':>14} {'ratio':>6}")
    for ratio, number, text, ours, theirs in sorted(found, reverse=True):
        if ratio >= options.slow or options.only:
            print(f"{number:5} {ours:9.0f} {theirs:14.0f} {ratio:6.2f}  {text}")
    if found:
        print(f"{summary([row[0] for row in found])}; {left_out} not run by ONNX Runtime")


if __name__ == "__main__":
    main()
