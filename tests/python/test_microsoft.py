"""Operators of com.microsoft, which run as bodies of ONNX's, beside formulas in numpy and ONNX Runtime.

Attention and its relatives are in test_microsoft_attention.py. Where ONNX Runtime has no kernel, or is known to differ
(docs/differences.md), the formula alone is the truth.
"""

import math
import pathlib
import re

import numpy as np
import pytest
from microsoft import expect, node_model, norn_run

import norn

F32, F16, F64 = np.float32, np.float16, np.float64
TOLERANCE = {F32: 2e-5, F16: 6e-3, F64: 1e-9}
erf = np.vectorize(math.erf, otypes=[np.float64])


def random(rng, *shape, dtype=F32):
    return rng.standard_normal(shape).astype(dtype)


def gelu(x):
    return x * 0.5 * (1 + erf(x / np.sqrt(2)))


def fast_gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


@pytest.mark.parametrize("dtype", [F32, F16, F64])
def test_gelus(dtype):
    rng = np.random.default_rng(1)
    x, bias = random(rng, 2, 3, 8, dtype=dtype), random(rng, 8, dtype=dtype)
    wide, sum_ = x.astype(F64), x.astype(F64) + bias
    tolerance, ort = max(TOLERANCE[dtype], 1e-6), dtype != F64
    expect("Gelu", [x], [gelu(wide).astype(dtype)], tolerance, ort=ort)
    expect("BiasGelu", [x, bias], [gelu(sum_).astype(dtype)], tolerance, ort=ort)
    expect("FastGelu", [x], [fast_gelu(wide).astype(dtype)], tolerance)
    expect("FastGelu", [x, bias], [fast_gelu(sum_).astype(dtype)], tolerance)
    for alpha in (1.702, 0.5):
        wanted = wide / (1 + np.exp(-alpha * wide))
        expect("QuickGelu", [x], [wanted.astype(dtype)], tolerance, alpha=alpha)


def layer_norm(x, scale, bias, epsilon):
    mean = x.mean(-1, keepdims=True)
    root = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + epsilon)
    return (x - mean) / root * scale + bias, mean, 1 / root


@pytest.mark.parametrize("dtype", [F32, F16])
@pytest.mark.parametrize("skip_shape", [(2, 3, 8), (1, 3, 8), (3, 8)])
@pytest.mark.parametrize("biased", [False, True])
def test_skip_layer_normalization(dtype, skip_shape, biased):
    rng = np.random.default_rng(2)
    x, skip = random(rng, 2, 3, 8, dtype=dtype), random(rng, *skip_shape, dtype=dtype)
    gamma, beta = random(rng, 8, dtype=dtype), random(rng, 8, dtype=dtype)
    bias = random(rng, 8, dtype=dtype) if biased else None
    total = x.astype(F64) + skip + (bias if biased else 0)
    tolerance = 4 * TOLERANCE[dtype]
    for b in (beta, None):
        wanted, mean, inverse = layer_norm(total, gamma.astype(F64), 0 if b is None else b, 1e-5)
        expect("SkipLayerNormalization", [x, skip, gamma, b, bias], [wanted.astype(dtype), total.astype(dtype)],
               tolerance, outputs=["y", "", "", "sum"], epsilon=1e-5)
        expect("SkipLayerNormalization", [x, skip, gamma, b, bias],
               [wanted.astype(dtype), mean.astype(F32), inverse.astype(F32)], tolerance, ort=False, epsilon=1e-5)
    root = np.sqrt((total**2).mean(-1, keepdims=True) + 1e-6)
    wanted = (total / root * gamma).astype(dtype)
    expect("SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], [wanted, total.astype(dtype)], tolerance,
           outputs=["y", "", "", "sum"], epsilon=1e-6)
    expect("SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], [wanted, (1 / root).astype(F32)], tolerance,
           ort=False, outputs=["y", "", "root"], epsilon=1e-6)


@pytest.mark.parametrize("dtype", [F32, F16, F64])
@pytest.mark.parametrize("axis", [-1, 2, 1])
def test_simplified_layer_normalization(dtype, axis):
    rng = np.random.default_rng(3)
    x = random(rng, 2, 3, 8, dtype=dtype)
    scale = random(rng, *x.shape[axis:], dtype=dtype)
    over = tuple(range(axis % 3, 3))
    root = np.sqrt((x.astype(F64) ** 2).mean(over, keepdims=True) + 1e-5)
    wanted = (x / root * scale).astype(dtype), (1 / root).astype(F32)
    tolerance = max(TOLERANCE[dtype], 1e-6)
    # It stands in ONNX's own domain, which does not have it.
    expect("SimplifiedLayerNormalization", [x, scale], wanted, tolerance, domain="", axis=axis)
    unranked, feeds = node_model("SimplifiedLayerNormalization", [x, scale], ["y", "r"], unranked=True, domain="", axis=axis)
    for got, want in zip(norn.InferenceSession(unranked).run(None, feeds), wanted, strict=True):
        np.testing.assert_allclose(got, want, tolerance, tolerance)
    if axis > 0:
        with pytest.raises(norn.Error, match="axis|axes"):
            norn.InferenceSession(unranked).run(None, {"in0": x[0, 0, :], "in1": scale})


@pytest.mark.parametrize("dtype", [F32, F16])
def test_embed_layer_normalization(dtype):
    rng = np.random.default_rng(4)
    ids, segments = rng.integers(0, 7, (2, 5)).astype(np.int32), rng.integers(0, 2, (2, 5)).astype(np.int32)
    words, places, kinds = (random(rng, n, 8, dtype=dtype) for n in (7, 9, 2))
    gamma, beta = random(rng, 8, dtype=dtype), random(rng, 8, dtype=dtype)
    mask = np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 2]], np.int32)
    positions = rng.integers(0, 9, (2, 5)).astype(np.int32)
    for segmented in (False, True):
        for at in (None, positions, positions[:1]):
            total = words[ids].astype(F64) + (places[:5] if at is None else places[at])
            if segmented:
                total = total + kinds[segments]
            wanted = layer_norm(total, gamma.astype(F64), beta, 1e-5)[0]
            inputs = [ids, segments if segmented else None, words, places, kinds if segmented else None, gamma, beta]
            expect("EmbedLayerNormalization", [*inputs, None, at],
                   [wanted.astype(dtype), np.zeros(2, np.int32), total.astype(dtype)], 4 * TOLERANCE[dtype], epsilon=1e-5)
            expect("EmbedLayerNormalization", [*inputs, mask, at], [wanted.astype(dtype), np.array([3, 3], np.int32)],
                   4 * TOLERANCE[dtype], epsilon=1e-5)


@pytest.mark.parametrize("dtype", [F32, F16, F64])
def test_fused_matmul(dtype):
    rng = np.random.default_rng(5)
    tolerance = 4 * TOLERANCE[dtype]
    for bits in range(16):
        trans_a, trans_b, batch_a, batch_b = (bits >> i & 1 for i in range(4))
        a, b = random(rng, 2, 4, 3, 5, dtype=dtype), random(rng, 2, 4, 5, 6, dtype=dtype)
        wanted = np.einsum("xyij,xyjk->xyik", a.astype(F64), b.astype(F64)) * 0.5
        if trans_a:
            a = np.swapaxes(a, -1, -2)
        if trans_b:
            b = np.swapaxes(b, -1, -2)
        if batch_a:
            a = np.moveaxis(a, -2, 0)
        if batch_b:
            b = np.moveaxis(b, -2, 0)
        expect("FusedMatMul", [a.copy(), b.copy()], [wanted.astype(dtype)], tolerance, transA=trans_a, transB=trans_b,
               transBatchA=batch_a, transBatchB=batch_b, alpha=0.5)
    v, m = random(rng, 5, dtype=dtype), random(rng, 5, 3, dtype=dtype)
    expect("FusedMatMul", [v, m], [(v.astype(F64) @ m).astype(dtype)], tolerance, transA=1)


CONV_ACTIVATIONS = {
    "": ((), lambda x: x),
    "Relu": ((), lambda x: np.maximum(x, 0)),
    "Tanh": ((), np.tanh),
    "Sigmoid": ((), lambda x: 1 / (1 + np.exp(-x))),
    "LeakyRelu": ((0.1,), lambda x: np.where(x < 0, 0.1 * x, x)),
    "Clip": ((-1.0, 0.5), lambda x: np.clip(x, -1, 0.5)),
    "HardSigmoid": ((0.3, 0.4), lambda x: np.clip(0.3 * x + 0.4, 0, 1)),
}


@pytest.mark.parametrize("activation", CONV_ACTIVATIONS)
def test_fused_conv(activation):
    rng = np.random.default_rng(6)
    x, w, b = random(rng, 1, 3, 6, 6), random(rng, 4, 3, 3, 3), random(rng, 4)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    plain = np.einsum("nchwij,ocij->nohw", windows.astype(F64), w)
    z = random(rng, *plain.shape)
    params, f = CONV_ACTIVATIONS[activation]
    attributes = {"pads": [1, 1, 1, 1]}
    if activation:
        attributes["activation"] = activation
    if params:
        attributes["activation_params"] = params
    for bias in (None, b):
        for added in (None, z):
            total = plain + (0 if bias is None else b[:, None, None]) + (0 if added is None else z)
            ort = not (added is not None and activation not in ("Relu", ""))
            expect("FusedConv", [x, w, bias, added], [f(total).astype(F32)], 1e-4, symbolic=False, ort=ort, **attributes)


def dequantized(q, scale, zero):
    return (q.astype(F64) - float(zero)) * float(scale)


def quantized(x, scale, zero):
    info = np.iinfo(zero.dtype)
    return np.clip(np.rint(x / F64(scale)) + int(zero), info.min, info.max).astype(zero.dtype)


@pytest.fixture(params=[np.uint8, np.int8])
def quantities(request):
    """Random integers, a scale and a zero point of the type."""
    rng, info = np.random.default_rng(7), np.iinfo(request.param)

    def integers(*shape):
        return rng.integers(info.min, info.max, shape, dtype=request.param, endpoint=True)

    def parameters(scale, zero, shape=()):
        return np.full(shape, scale, F32), np.full(shape, zero, request.param)

    return integers, parameters


@pytest.mark.parametrize("shape", [(), (1,)])
def test_qlinear_elementwise(quantities, shape):
    integers, parameters = quantities
    a, b = parameters(0.05, 3, shape), parameters(0.02, 7, shape)
    c = parameters(0.04, 9, shape)
    x, y = integers(2, 30), integers(30)
    for op, f in (("QLinearAdd", np.add), ("QLinearMul", np.multiply)):
        wanted = quantized(f(dequantized(x, a[0].item(), a[1].item()), dequantized(y, b[0].item(), b[1].item())),
                           c[0].item(), c[1].reshape(()))
        expect(op, [x, *a, y, *b, *c], [wanted], 1.001, constants=(1, 2, 4, 5, 6, 7), ort=shape == ())
        none = quantized(f(dequantized(x, a[0].item(), 0), dequantized(y, b[0].item(), 0)), c[0].item(),
                         np.zeros((), x.dtype))
        expect(op, [x, a[0], None, y, b[0], None, c[0]], [none], 1.001, ort=False)
    with pytest.raises(norn.Error, match="A_scale|input 1"):
        norn_run("QLinearAdd", [x, np.ones(30, F32), None, y, b[0], None, c[0]])
    x = integers(2, 100)
    wide, to = dequantized(x, a[0].item(), a[1].item()), parameters(1 / 256, 0, shape)
    expect("QLinearSigmoid", [x, *a, *to], [quantized(1 / (1 + np.exp(-wide)), 1 / 256, to[1].reshape(()))], 1.001,
           constants=(1, 2, 3, 4), ort=shape == ())
    leaky = quantized(np.where(wide < 0, 0.1 * wide, wide), 0.04, c[1].reshape(()))
    expect("QLinearLeakyRelu", [x, *a, *c], [leaky], 1.001, constants=(1, 2, 3, 4), ort=shape == (), alpha=0.1)


def test_qlinear_pools(quantities):
    integers, parameters = quantities
    x, a, c = integers(1, 2, 6, 6), parameters(0.05, 3), parameters(0.04, 9)
    wide = dequantized(x, *a)
    last = x.transpose(0, 2, 3, 1).copy()
    constants = (1, 2, 3, 4)

    def both(op, means, **attributes):
        wanted = quantized(means, c[0], c[1])
        expect(op, [x, *a, *c], [wanted], 1.001, constants, symbolic=False, **attributes)
        expect(op, [last, *a, *c], [wanted.transpose(0, 2, 3, 1)], 1.001, constants, symbolic=False, channels_last=1,
               **attributes)

    both("QLinearGlobalAveragePool", wide.mean((2, 3), keepdims=True))
    windows = np.lib.stride_tricks.sliding_window_view
    both("QLinearAveragePool", windows(wide, (3, 3), axis=(2, 3))[:, :, ::2, ::2].mean((4, 5)), kernel_shape=[3, 3],
         strides=[2, 2])
    padded = np.pad(wide, ((0, 0), (0, 0), (1, 1), (1, 1)))
    both("QLinearAveragePool", windows(padded, (3, 3), axis=(2, 3)).mean((4, 5)), kernel_shape=[3, 3],
         pads=[1, 1, 1, 1], count_include_pad=1)
    counted = np.pad(np.ones_like(wide), ((0, 0), (0, 0), (1, 1), (1, 1)))
    means = windows(padded, (3, 3), axis=(2, 3)).sum((4, 5)) / windows(counted, (3, 3), axis=(2, 3)).sum((4, 5))
    both("QLinearAveragePool", means, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    both("QLinearAveragePool", means, kernel_shape=[3, 3], auto_pad="SAME_UPPER")


def test_qlinear_concat(quantities):
    integers, parameters = quantities
    x, y, a, b = integers(2, 3), integers(2, 4), parameters(0.05, 3), parameters(0.1, 5)
    wanted = quantized(np.concatenate([dequantized(x, *a), dequantized(y, *b)], 1), a[0], a[1])
    expect("QLinearConcat", [*a, x, *a, y, *b], [wanted], 1.001, constants=(0, 1, 3, 4, 6, 7), axis=1)
    with pytest.raises(norn.Error, match="each tensor has a scale and a zero point"):
        norn_run("QLinearConcat", [*a, x, a[0]], axis=1)


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_integer_products(kind, by_column, biased):
    rng = np.random.default_rng(8)
    x = random(rng, 2, 3, 8)
    b = rng.integers(-50, 50, (8, 6)).astype(kind)
    scale = (np.abs(random(rng, 6)) * 0.05 if by_column else np.array(0.03)).astype(F32)
    zero = (rng.integers(0, 5, 6) if by_column else np.array(3)).astype(kind)
    bias = random(rng, 6) if biased else None
    for z in (None, zero):
        weights = (b.astype(F64) - (0 if z is None else z.astype(F64))) * scale
        low, high = min(0.0, x.min()), max(0.0, x.max())
        step = (high - low) / 255
        at_zero = np.clip(np.rint(-low / step), 0, 255)
        quantised = (np.clip(np.rint(x / step) + at_zero, 0, 255) - at_zero) * step
        wanted = quantised @ weights + (0 if bias is None else bias)
        expect("DynamicQuantizeMatMul", [x, b, scale, z, bias], [wanted.astype(F32)], 5e-3)
        for other in (np.uint8, np.int8):
            a = rng.integers(0, 100, (2, 3, 8)).astype(other)
            a_zero = None if z is None else np.array(5, other)
            wanted = ((a.astype(F64) - (0 if z is None else 5)) * F64(F32(0.02))) @ weights
            wanted = wanted + (0 if bias is None else bias)
            expect("MatMulIntegerToFloat", [a, b, np.array(0.02, F32), scale, a_zero, z, bias], [wanted.astype(F32)], 1e-4,
                   ort=(other, kind) != (np.int8, np.uint8))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16])
@pytest.mark.parametrize("dtype", [F32, F16])
def test_quantize_and_dequantize(kind, dtype):
    rng = np.random.default_rng(9)
    x, integers = (random(rng, 3, 4) * 3).astype(dtype), rng.integers(0, 100, (3, 4)).astype(kind)
    info = np.iinfo(kind)
    for scale, zero, attributes in (
        (np.array(0.05, dtype), np.array(3, kind), {}),
        (np.array([0.05], dtype), np.array([3], kind), {}),
        ((np.abs(random(rng, 3)) + 0.1).astype(dtype), np.arange(3).astype(kind), {"axis": 0}),
        ((np.abs(random(rng, 4)) + 0.1).astype(dtype), np.arange(4).astype(kind), {"axis": -1}),
    ):
        along = (-1, 1) if attributes.get("axis") == 0 else scale.shape
        s, z = scale.astype(F64).reshape(along), zero.astype(F64).reshape(along)
        wanted = np.clip(np.rint(x.astype(F64) / s) + z, info.min, info.max).astype(kind)
        expect("QuantizeLinear", [x, scale, zero], [wanted], 1.001 if dtype == F16 else 0, symbolic=False, **attributes)
        wanted = ((integers.astype(F64) - z) * s).astype(dtype)
        expect("DequantizeLinear", [integers, scale, zero], [wanted], 2 * TOLERANCE[dtype], symbolic=False, **attributes)


@pytest.mark.parametrize("dtype", [F32, F16])
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("part", [8, 4])
@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("offset", [False, True])
def test_rotary_embedding(dtype, interleaved, part, rank, offset):
    rng = np.random.default_rng(10)
    batch, length, heads, size = 2, 3, 4, 8
    angles = rng.uniform(-3, 3, (16, part // 2))
    cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
    x = random(rng, batch, length, heads, size, dtype=dtype)
    positions = np.array([5], np.int64) if offset else rng.integers(0, 16, (batch, length))
    wanted = x.astype(F64)
    for b in range(batch):
        for s in range(length):
            at = 5 + s if offset else positions[b, s]
            for k in range(part // 2):
                i, j = (2 * k, 2 * k + 1) if interleaved else (k, k + part // 2)
                c, d = F64(cos[at, k]), F64(sin[at, k])
                u, v = x[b, s, :, i].astype(F64), x[b, s, :, j].astype(F64)
                wanted[b, s, :, i], wanted[b, s, :, j] = u * c - v * d, v * c + u * d
    attributes = {"interleaved": interleaved}
    if part < size:
        attributes.update(num_heads=heads, rotary_embedding_dim=part)

    def arranged(y):
        y = y.reshape(batch, length, -1) if rank == 3 else y.transpose(0, 2, 1, 3)
        return np.ascontiguousarray(y).astype(dtype)

    expect("RotaryEmbedding", [arranged(x), positions, cos, sin], [arranged(wanted)], TOLERANCE[dtype], constants=(2, 3),
           **attributes)
    if rank == 3:
        expect("RotaryEmbedding", [arranged(x), positions, cos, sin], [arranged(wanted)], TOLERANCE[dtype],
               constants=(2, 3), **{**attributes, "num_heads": heads})
    with pytest.raises(norn.NotImplemented, match="scale"):
        norn_run("RotaryEmbedding", [arranged(x), positions, cos, sin], scale=2.0, **attributes)


def packed(integers, bits):
    """uint8 of which each holds 8 / bits of the integers along the last axis, the first lowest."""
    per_byte = 8 // bits
    rows = np.pad(integers, [(0, 0)] * (integers.ndim - 1) + [(0, -integers.shape[-1] % per_byte)])
    rows = rows.reshape(*rows.shape[:-1], -1, per_byte).astype(np.uint8)
    return np.bitwise_or.reduce(rows << np.arange(0, 8, bits, dtype=np.uint8), axis=-1).astype(np.uint8)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize(("depth", "block"), [(64, 16), (64, 32), (40, 16), (33, 32), (20, 32), (96, 64)])
@pytest.mark.parametrize("dtype", [F32, F16])
@pytest.mark.parametrize("zeros", ["middle", "packed", "numbers"])
def test_matmul_nbits(bits, depth, block, dtype, zeros):
    rng = np.random.default_rng(11)
    columns, blocks = 5, -(-depth // block)
    integers = rng.integers(0, 1 << bits, (columns, blocks * block))
    scales = (random(rng, columns, blocks) * 0.1).astype(dtype)
    at = rng.integers(0, 1 << bits, (columns, blocks))
    zero_points = {"middle": None, "packed": packed(at, bits), "numbers": (at + 0.25).astype(dtype)}[zeros]
    zero = {"middle": np.full(at.shape, 1 << (bits - 1)), "packed": at, "numbers": at + 0.25}[zeros].astype(F64)
    weights = (integers - np.repeat(zero, block, 1)) * np.repeat(scales.astype(F64), block, 1)
    a, bias = random(rng, 2, 3, depth, dtype=dtype), random(rng, columns, dtype=dtype)
    product = a.astype(F64) @ weights[:, :depth].T
    b = packed(integers.reshape(columns, blocks, block), bits)
    attributes = {"K": depth, "N": columns, "bits": bits, "block_size": block}
    tolerance = {F32: 2e-4, F16: 3e-2}[dtype] * (20 if bits == 8 else 2 if bits == 4 else 1)
    ort = bits != 2 and (zeros != "numbers" or bits == 4)
    for constants in ((1, 2, 3), ()):
        expect("MatMulNBits", [a, b, scales, zero_points], [product.astype(dtype)], tolerance, constants, ort=ort, **attributes)
    expect("MatMulNBits", [a, b, scales, zero_points, None, bias], [(product + bias).astype(dtype)], tolerance, (1, 2, 3),
           ort=ort, symbolic=False, **attributes)
    if dtype == F32 and zeros == "packed":
        flat = zero_points.reshape(-1)
        expect("MatMulNBits", [a, b, scales.reshape(-1), flat], [product.astype(dtype)], tolerance, (1, 2, 3), ort=False,
               accuracy_level=4, **attributes)


@pytest.mark.parametrize("filled", [False, True])
def test_matmul_nbits_with_indices(filled):
    rng = np.random.default_rng(12)
    columns, depth, block, blocks = 3, 40, 16, 3
    integers = rng.integers(0, 16, (columns, blocks * block))
    scales, at = random(rng, columns, blocks), rng.integers(0, 16, (columns, blocks))
    index = rng.integers(0, blocks, blocks * block if filled else depth).astype(np.int32)
    of = index[:depth]
    a = random(rng, 4, depth)
    inputs = [a, packed(integers.reshape(columns, blocks, block), 4), scales]
    attributes = {"K": depth, "N": columns, "block_size": block}
    for zero_points, zero in ((None, np.full_like(at, 8)), (packed(at, 4), at)):
        wanted = a.astype(F64) @ ((integers[:, :depth] - zero[:, of]) * scales[:, of].astype(F64)).T
        # ONNX Runtime passes over zero points where there are indices.
        expect("MatMulNBits", [*inputs, zero_points, index], [wanted.astype(F32)], 1e-4, (1, 2, 3, 4),
               ort=zero_points is None, **attributes)


def test_matmul_nbits_refuses():
    a, b, scales = np.zeros((2, 32), F32), np.zeros((3, 1, 16), np.uint8), np.zeros((3, 1), F32)
    good = {"K": 32, "N": 3, "block_size": 32}
    norn_run("MatMulNBits", [a, b, scales], **good)
    for kind, match, changes in (
        (norn.NotImplemented, "bits is 3", {"bits": 3}),
        (norn.NotImplemented, "weight_prepacked", {"weight_prepacked": 1}),
        (norn.Error, "power of two", {"block_size": 24}),
        (norn.Error, "power of two", {"block_size": -(2**63)}),
        (norn.Error, "positive", {"K": 0}),
        (norn.Error, "last dimension of A", {"K": 64}),
        (norn.Error, "last dimension of A", {"K": 2**63 - 1}),
        (norn.Error, "dimension 0 of B", {"N": 4}),
        (norn.Error, "dimension 2 of B", {"bits": 8}),
    ):
        with pytest.raises(kind, match=match):
            norn_run("MatMulNBits", [a, b, scales], **{**good, **changes})


def errors(model):
    return {d.rule for d in norn.check(model) if d.severity == "error"}


def test_the_domain_is_known_in_part(tmp_path):
    known = {s.name for s in norn.get_all_schemas() if s.domain == "com.microsoft"}
    page = pathlib.Path(__file__).parents[2] / "docs" / "com-microsoft.md"
    rows = re.findall(r"^\| `(\w+)`", page.read_text(), re.M)
    assert sorted(rows) == sorted(known | {"SimplifiedLayerNormalization"})
    for domain, version in (("com.microsoft", 1), ("ai.onnx", 28)):
        norn.export_operator_set(domain, version, tmp_path / f"{domain}.json")
    assert norn.load_operator_set(tmp_path / "com.microsoft.json").operators == sorted(known)
    assert "SimplifiedLayerNormalization" not in norn.load_operator_set(tmp_path / "ai.onnx.json").operators
    # Others may be declared by a document, and are accepted anyway.
    model, _ = node_model("NotOneOfThem", [np.zeros(2, F32)], ["y"])
    assert errors(model) == {"graph.outputs.typed"}  # the type is unknown
    with pytest.raises(norn.NotImplemented, match="no operator \"NotOneOfThem\""):
        norn.InferenceSession(model)


def test_checks_know_the_signatures():
    x = np.zeros((2, 3, 8), F32)
    for op, inputs, attributes, rule in (
        ("QuickGelu", [x], {"beta": 1.0}, "node.attributes.known"),
        ("BiasGelu", [x], {}, "node.inputs.count"),
        ("MatMulNBits", [x, np.zeros((3, 1, 16), np.uint8), np.zeros((3, 1), F32)], {"K": 8}, "node.attributes.required"),
        ("SkipLayerNormalization", [x, x.astype(F16), x[0, 0]], {}, "node.inputs.type-var-consistent"),
        ("QLinearSigmoid", [x] * 4, {}, "node.inputs.types"),
    ):
        model, _ = node_model(op, inputs, ["y"], **attributes)
        assert rule in errors(model), op


def rounded(x):
    """What DynamicQuantizeLinear and DequantizeLinear leave of x."""
    low, high = min(x.min(), F32(0)), max(x.max(), F32(0))
    scale = (high - low) / F32(255)
    if scale == 0:
        return x.astype(F64)
    zero = np.rint(-low / scale)
    return (np.clip(np.rint(x / scale) + zero, 0, 255) - zero).astype(F64) * F64(scale)


def quantized_lstm(x, w, r, b, h, c, lengths):
    """LSTM by W and R of [directions, input, 4 * hidden]; X as a whole and each state are rounded."""
    steps, batch, _ = x.shape
    directions, hidden, _ = r.shape
    x, h, c = rounded(x), h.copy(), c.astype(F64)
    y = np.zeros((steps, directions, batch, hidden))
    for d, n in np.ndindex(directions, batch):
        for k in range(lengths[n]):
            t = lengths[n] - 1 - k if d == 1 else k
            bias = b[d, : 4 * hidden] + b[d, 4 * hidden :]
            i, o, f, g = np.split(x[t, n] @ w[d] + rounded(h[d, n]) @ r[d] + bias, 4)
            i, o, f = (1 / (1 + np.exp(-v)) for v in (i, o, f))
            c[d, n] = f * c[d, n] + i * np.tanh(g)
            y[t, d, n] = o * np.tanh(c[d, n])
            h[d, n] = y[t, d, n]
    return [v.astype(F32) for v in (y, h, c)]


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("batch", [1, 3])
def test_dynamic_quantize_lstm(quantities, direction, per_column, batch):
    """For one sequence the same as ONNX Runtime, which has one scale for all of a thread's states."""
    integers, _ = quantities
    rng = np.random.default_rng(3)
    directions, steps, inputs, hidden = 1 + (direction == "bidirectional"), 5, 8, 16
    x = random(rng, steps, batch, inputs)
    # Of 7 bits: where a CPU has no dot products of bytes, ONNX Runtime adds two products in 16 bits.
    w, r = integers(directions, inputs, 4 * hidden) // 2, integers(directions, hidden, 4 * hidden) // 2
    b, h, c = random(rng, directions, 8 * hidden), random(rng, directions, batch, hidden), random(rng, directions, batch, hidden)
    shape = (directions, 4 * hidden) if per_column else (directions,)
    scales = [rng.uniform(0.001, 0.002, shape).astype(F32) for _ in "wr"]
    zeros = [integers(*shape) for _ in "wr"]
    attributes = {"hidden_size": hidden, "direction": direction}
    every = (slice(None), None, slice(None)) if per_column else (slice(None), None, None)
    wide = [(q.astype(F64) - z[every]) * s[every] for q, z, s in zip((w, r), zeros, scales, strict=True)]
    lengths = np.array([steps, 0, 2][:batch], np.int32) if batch > 1 else None
    wanted = quantized_lstm(x, *wide, b, h, c, [steps] * batch if lengths is None else lengths)
    given = [x, w, r, b, lengths, h, c, None, scales[0], zeros[0], scales[1], zeros[1]]
    expect("DynamicQuantizeLSTM", given, wanted, 1e-5, constants=(1, 2, 8, 9, 10, 11), symbolic=batch > 1,
           ort=not per_column and batch == 1, **attributes)
    expect("DynamicQuantizeLSTM", given, wanted, 1e-5, ort=False, **attributes)  # by the reference kernel
