"""Operators that ONNX defines by others, run as their bodies, beside onnx's own reference.

For some operators that is a class of onnx.reference, for others it is onnx's body, evaluated by it.
"""

import json
import warnings

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator

import norn

ROWS = json.loads(norn.schemas_json())
F16, F32, F64, BF16 = (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.BFLOAT16)
FLOATS = (F32, F64, F16, BF16)
DTYPES = {F16: np.float16, F32: np.float32, F64: np.float64, BF16: ml_dtypes.bfloat16}
# A few units in the last place: a body rounds after each of its nodes, a reference may compute in float.
TOLERANCE = {F16: (4e-3, 2e-3), F32: (2e-5, 2e-6), F64: (1e-6, 1e-7), BF16: (4e-2, 2e-2)}
SHAPES = ((3,), (2, 3, 4), (1,), (), (0, 2), (2, 1, 3))


def random(rng, shape, dtype=F32, low=-3.0, high=3.0):
    return np.asarray(rng.uniform(low, high, shape), dtype=np.float64).astype(DTYPES[dtype])


def model_for(op, inputs, outputs, attributes, opset, domain=""):
    """One node; `inputs` are arrays, None where omitted."""
    names = ["" if array is None else f"in{i}" for i, array in enumerate(inputs)]
    node = helper.make_node(op, names, outputs, domain=domain, name="the_node", **attributes)
    given = {name: array for name, array in zip(names, inputs, strict=True) if name}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in given.items()
    ]
    results = [onnx.ValueInfoProto(name=name) for name in outputs if name]
    opsets = [helper.make_opsetid("", opset)]
    if domain:
        opsets.append(helper.make_opsetid(domain, 1))
    graph = helper.make_graph([node], "g", infos, results)
    return helper.make_model(graph, opset_imports=opsets, ir_version=13), given


def compare(got, wanted, dtype, tolerance=None):
    rtol, atol = tolerance or TOLERANCE[dtype]
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted, strict=True):
        w = np.asarray(w)
        assert g.shape == w.shape
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g.astype(np.float64), w.astype(np.float64), rtol=rtol, atol=atol)


def both(op, inputs, outputs, attributes, opset, domain=""):
    model, feeds = model_for(op, inputs, outputs, attributes, opset, domain)
    got = norn.InferenceSession(model).run(None, feeds)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = ReferenceEvaluator(model).run(None, feeds)
    return got, wanted


def allowed(op, version, dtype, domain="", variable=None):
    schema = onnx.defs.get_schema(op, version, domain)
    constraint = next(t for t in schema.type_constraints if t.type_param_str == (variable or schema.inputs[0].type_str))
    return f"tensor({TensorProto.DataType.Name(dtype).lower()})" in constraint.allowed_type_strs


ACTIVATIONS = [
    ("Celu", 28, {}),
    ("Celu", 28, {"alpha": 0.3}),
    ("Celu", 12, {"alpha": 2.0}),
    ("Elu", 22, {}),
    ("Elu", 6, {"alpha": 1.7}),
    ("Gelu", 20, {}),
    ("Gelu", 20, {"approximate": "tanh"}),
    ("HardSigmoid", 22, {}),
    ("HardSigmoid", 6, {"alpha": 0.7, "beta": 0.1}),
    ("HardSwish", 14, {}),
    ("HardSwish", 22, {}),
    ("LeakyRelu", 16, {}),
    ("LeakyRelu", 6, {"alpha": 0.3}),
    ("Mish", 22, {}),
    ("Selu", 22, {}),
    ("Selu", 6, {"alpha": 1.5, "gamma": 0.5}),
    ("Shrink", 9, {}),
    ("Shrink", 9, {"lambd": 1.5, "bias": 0.75}),
    ("Softplus", 22, {}),
    ("Softplus", 1, {}),
    ("Swish", 24, {}),
    ("Swish", 24, {"alpha": 0.5}),
    ("ThresholdedRelu", 22, {}),
    ("ThresholdedRelu", 10, {"alpha": 0.25}),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("op", "opset", "attributes"), ACTIVATIONS)
def test_activations(op, opset, attributes, dtype):
    if not allowed(op, opset, dtype):
        pytest.skip(f"{op} of version {opset} does not take it")
    rng = np.random.default_rng(len(op) + opset)
    for shape in SHAPES:
        x = random(rng, shape, dtype)
        got, wanted = both(op, [x], ["y"], attributes, opset)
        # onnx's Celu and Mish compute float in places; Norn's body rounds as the type says.
        if dtype == BF16:
            wanted = [np.asarray(w, dtype=np.float64).astype(ml_dtypes.bfloat16) for w in wanted]
        compare(got, wanted, dtype)


@pytest.mark.parametrize(
    "op", ["Elu", "Selu", "Softplus", "LeakyRelu", "HardSigmoid", "ThresholdedRelu", "Mish", "Celu"]
)
def test_activations_at_the_ends(op):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e30, 80.0, -80.0], dtype=np.float32)
    model, feeds = model_for(op, [x], ["y"], {}, 28)
    y = norn.InferenceSession(model).run(None, feeds)[0]
    assert np.isnan(y[2]) or (op == "ThresholdedRelu" and y[2] == 0)  # NaN is not above the threshold
    assert not np.isnan(y[5:]).any()
    least = {"Elu": -1.0, "Celu": -1.0, "Selu": -1.7580993, "Softplus": 0.0, "HardSigmoid": 0.0, "ThresholdedRelu": 0.0}
    if op in least:
        np.testing.assert_allclose(y[[1, 6]], least[op], rtol=1e-6)
    if op not in ("HardSigmoid",):
        np.testing.assert_allclose(y[7], 1.05070098 * 80 if op == "Selu" else 80.0, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.int64])
def test_shrink_of_integers(dtype):
    signed = np.issubdtype(dtype, np.signedinteger)
    x = np.array([0, 1, 2, 3, 100, *([-1, -2, -3, -100] if signed else [])], dtype=dtype)
    got, _ = both("Shrink", [x], ["y"], {"lambd": 1.5, "bias": 1.0}, 9)
    wide = x.astype(np.float64)
    wanted = np.where(wide < -1.5, wide + 1.0, np.where(wide > 1.5, wide - 1.0, 0.0)).astype(dtype)
    np.testing.assert_array_equal(got[0], wanted)


@pytest.mark.parametrize("op", ["GreaterOrEqual", "LessOrEqual"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint8])
def test_comparisons(op, dtype):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 4, (2, 3, 1)).astype(dtype)
    b = rng.integers(0, 4, (3, 4)).astype(dtype)
    got, wanted = both(op, [a, b], ["y"], {}, 16)
    np.testing.assert_array_equal(got[0], wanted[0])
    if np.issubdtype(dtype, np.floating):
        nan = np.array([np.nan, 1.0], dtype=dtype)
        got, _ = both(op, [nan, nan], ["y"], {}, 16)
        assert got[0].tolist() == [False, True]


@pytest.mark.parametrize("to", [np.float32, np.float16, np.int64, np.uint8, np.bool_, ml_dtypes.bfloat16])
def test_cast_like(to):
    x = np.array([[0.0, 1.5, 2.0], [3.9, 4.0, 100.0]], dtype=np.float32)
    got, _ = both("CastLike", [x, np.zeros(1, dtype=to)], ["y"], {}, 21)
    np.testing.assert_array_equal(got[0], x.astype(to))
    assert got[0].dtype == np.dtype(to)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", [-1, 1, 0, -2])
@pytest.mark.parametrize("bias", [False, True])
def test_layer_normalization(dtype, axis, bias):
    rng = np.random.default_rng(5)
    x = random(rng, (2, 3, 4), dtype)
    shape = x.shape[axis:]
    inputs = [x, random(rng, shape, dtype), *([random(rng, shape, dtype)] if bias else [])]
    attributes = {"axis": axis, "epsilon": 1e-3}
    model, feeds = model_for("LayerNormalization", inputs, ["y", "mean", "inverse"], attributes, 17)
    y, mean, inverse = norn.InferenceSession(model).run(None, feeds)
    wide = x.astype(np.float64)
    axes = tuple(range(axis % 3, 3))
    m = wide.mean(axes, keepdims=True)
    i = 1 / np.sqrt(((wide - m) ** 2).mean(axes, keepdims=True) + 1e-3)
    want = (wide - m) * i * inputs[1].astype(np.float64) + (inputs[2].astype(np.float64) if bias else 0)
    assert mean.dtype == inverse.dtype == np.float32
    np.testing.assert_allclose(mean, m, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inverse, i, rtol=1e-5)
    compare([y], [want.astype(DTYPES[dtype])], dtype, (1e-5, 1e-6) if dtype == F64 else None)


def test_layer_normalization_in_double():
    rng = np.random.default_rng(6)
    x = random(rng, (5, 7), F64)
    model, feeds = model_for("LayerNormalization", [x, np.ones(7)], ["y"], {"stash_type": F64}, 17)
    got = norn.InferenceSession(model).run(None, feeds)
    wanted = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + np.float64(np.float32(1e-5)))
    np.testing.assert_allclose(got[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", [-1, 1, -3])
def test_rms_normalization(dtype, axis):
    rng = np.random.default_rng(7)
    x = random(rng, (2, 3, 5), dtype)
    scale = random(rng, x.shape[axis:], dtype)
    got, _ = both("RMSNormalization", [x, scale], ["y"], {"axis": axis, "epsilon": 1e-4}, 23)
    wide = x.astype(np.float64)
    axes = tuple(range(axis % 3, 3))
    want = wide / np.sqrt((wide**2).mean(axes, keepdims=True) + 1e-4) * scale.astype(np.float64)
    compare(got, [want.astype(DTYPES[dtype])], dtype, (1e-5, 1e-6) if dtype == F64 else None)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(2, 4, 3), (1, 4), (2, 4, 2, 3), (3, 4, 1, 1, 2)])
def test_group_normalization(dtype, shape):
    rng = np.random.default_rng(8)
    x, scale, bias = random(rng, shape, dtype), random(rng, (4,), dtype), random(rng, (4,), dtype)
    got, _ = both("GroupNormalization", [x, scale, bias], ["y"], {"num_groups": 2, "epsilon": 1e-2}, 21)
    wide = x.astype(np.float64).reshape(shape[0], 2, -1)
    normal = (wide - wide.mean(2, keepdims=True)) / np.sqrt(wide.var(2, keepdims=True) + 1e-2)
    along = (1, 4) + (1,) * (len(shape) - 2)
    want = normal.reshape(shape) * scale.astype(np.float64).reshape(along) + bias.astype(np.float64).reshape(along)
    compare(got, [want.astype(DTYPES[dtype])], dtype, (1e-5, 1e-6) if dtype == F64 else None)


@pytest.mark.parametrize("shape", [[1], None])
def test_group_normalization_needs_channels(shape):
    one = helper.make_tensor_value_info("s", TensorProto.FLOAT, [1])
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in "xy")
    node = helper.make_node("GroupNormalization", ["x", "s", "s"], ["y"], num_groups=1)
    model = helper.make_model(helper.make_graph([node], "g", [x, one], [y]), opset_imports=[helper.make_opsetid("", 21)])
    ones = np.ones(1, np.float32)
    with pytest.raises(norn.Error):
        norn.InferenceSession(model).run(None, {"x": ones, "s": ones})


@pytest.mark.parametrize("dtype", [F32, F64, F16])
@pytest.mark.parametrize("axes", [None, [0], [1, 2], [-1]])
def test_mean_variance_normalization(dtype, axes):
    x = random(np.random.default_rng(9), (3, 2, 4, 5), dtype)
    model, feeds = model_for("MeanVarianceNormalization", [x], ["y"], {} if axes is None else {"axes": axes}, 13)
    got = norn.InferenceSession(model).run(None, feeds)
    wide, axes = x.astype(np.float64), tuple(axes or (0, 2, 3))
    want = (wide - wide.mean(axes, keepdims=True)) / (wide.std(axes, keepdims=True) + 1e-9)
    compare(got, [want.astype(DTYPES[dtype])], dtype)


@pytest.mark.parametrize("opset", [9, 13, 18])
@pytest.mark.parametrize("dtype", [F32, F64, F16])
def test_mean_variance_normalization_of_what_is_constant(dtype, opset):
    for shape, axes in [((3, 1), [1]), ((1, 4), [0]), ((2, 3), [0, 1])]:
        x = np.full(shape, 37.5, dtype=DTYPES[dtype])
        model, feeds = model_for("MeanVarianceNormalization", [x], ["y"], {"axes": axes}, opset)
        assert norn.InferenceSession(model).run(None, feeds)[0].tolist() == np.zeros(shape).tolist()


def test_mean_variance_normalization_of_float16_has_squares_beyond_its_range():
    x = np.array([[-1000, 1000]], dtype=np.float16)
    model, feeds = model_for("MeanVarianceNormalization", [x], ["y"], {"axes": [1]}, 13)
    assert norn.InferenceSession(model).run(None, feeds)[0].tolist() == [[-1, 1]]


@pytest.mark.parametrize("opset", [9, 16])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32, np.uint64])
def test_prelu(dtype, opset):
    rng = np.random.default_rng(10)
    signed = not np.issubdtype(dtype, np.unsignedinteger)
    x = rng.integers(-5 if signed else 0, 6, (2, 3, 4)).astype(dtype)
    for slope_shape in [(1,), (4,), (3, 1), (2, 3, 4), ()]:
        slope = rng.integers(0, 4, slope_shape).astype(dtype)
        got, _ = both("PRelu", [x, slope], ["y"], {}, opset)
        np.testing.assert_array_equal(got[0], np.where(x < 0, x * slope, x))


def test_prelu_by_channel():
    x = np.array([[[-1.0, 2.0], [-3.0, -4.0]]], dtype=np.float32)
    model, feeds = model_for("PRelu", [x, np.array([10.0, 100.0], dtype=np.float32)], ["y"], {}, 6)
    y = norn.InferenceSession(model).run(None, feeds)[0]
    assert y.tolist() == [[[-10.0, 2.0], [-300.0, -400.0]]]


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize("dtype", [F32, F64, F16])
def test_windows(op, periodic, dtype):
    for size in (2, 3, 8, 17):
        attributes = {"periodic": periodic, "output_datatype": dtype}
        model, feeds = model_for(op, [np.array(size, dtype=np.int64)], ["y"], attributes, 17)
        got = norn.InferenceSession(model).run(None, feeds)[0]
        angle = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
        a0, a1, a2 = {"Hann": (0.5, 0.5, 0), "Hamm": (25 / 46, 21 / 46, 0), "Blac": (0.42, 0.5, 0.08)}[op[:4]]
        want = a0 - a1 * np.cos(angle) + a2 * np.cos(2 * angle)
        assert got.dtype == DTYPES[dtype]
        np.testing.assert_allclose(got, want, rtol=2e-3 if dtype == F16 else 1e-6, atol=1e-7)
        if dtype == F32:  # onnx computes in the output's type
            np.testing.assert_allclose(got, ReferenceEvaluator(model).run(None, feeds)[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("start", "limit", "delta", "dtype", "opset"),
    [
        (3, 9, 3, np.int64, 11),
        (10, 4, -2, np.int32, 11),
        (0, 0, 1, np.int16, 11),
        (5, 1, 2, np.int64, 11),
        (0.5, 2.0, 0.25, np.float32, 11),
        (1.0, -1.0, -0.3, np.float64, 11),
        (2**62, 2**62 + 7, 2, np.int64, 27),
        (0, 3000, 1, np.float16, 27),
        (0, 2, 0.125, ml_dtypes.bfloat16, 27),
    ],
)
def test_range(start, limit, delta, dtype, opset):
    inputs = [np.array(v, dtype=dtype) for v in (start, limit, delta)]
    model, feeds = model_for("Range", inputs, ["y"], {}, opset)
    got = norn.InferenceSession(model).run(None, feeds)[0]
    exact = np.issubdtype(dtype, np.integer)
    want = [start + i * delta for i in range(max(0, int(np.ceil((limit - start) / delta))))]
    assert got.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(got, np.array(want, dtype=object if exact else np.float64).astype(dtype))


@pytest.mark.parametrize(
    ("shape", "target", "axes"),
    [
        ((20, 10, 3), (10, 9, 3), None),
        ((10, 7, 3), (20, 10, 3), None),
        ((20, 8, 3), (10, 10), (0, 1)),
        ((20, 8, 3), (10, 9), (1, 2)),
        ((20, 8, 3), (10, 9), (-1, -2)),
        ((5,), (2,), None),
        ((4, 4), (0, 5), None),
    ],
)
def test_center_crop_pad(shape, target, axes):
    x = random(np.random.default_rng(11), shape)
    attributes = {} if axes is None else {"axes": axes}
    got, wanted = both("CenterCropPad", [x, np.array(target, dtype=np.int64)], ["y"], attributes, 18)
    np.testing.assert_array_equal(got[0], wanted[0])


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("dtype", [F32, F64, F16])
@pytest.mark.parametrize("size", [(2, 1, 3, 4), (1, 2, 3, 2, 5)])
def test_affine_grid(corners, dtype, size):
    n = len(size) - 2
    theta = random(np.random.default_rng(12), (size[0], n, n + 1), dtype)
    got, _ = both("AffineGrid", [theta, np.array(size, dtype=np.int64)], ["grid"], {"align_corners": corners}, 20)
    lines = [np.linspace(-1, 1, d) if corners else (2 * np.arange(d) + 1) / d - 1 for d in size[2:]]
    points = np.stack([*reversed(np.meshgrid(*lines, indexing="ij")), np.ones(size[2:])], axis=-1)
    want = np.einsum("...j,nij->n...i", points, theta.astype(np.float64))
    compare(got, [want.astype(DTYPES[dtype])], dtype)


@pytest.mark.parametrize("low_high", [(-3.0, 3.0), (0.5, 2.0), (-4.0, -1.0), (0.0, 0.0)])
def test_dynamic_quantize_linear(low_high):
    x = random(np.random.default_rng(13), (3, 4), F32, *low_high)
    y, scale, zero = both("DynamicQuantizeLinear", [x], ["y", "scale", "zero"], {}, 11)[0]
    low, high = np.float32(min(0, x.min())), np.float32(max(0, x.max()))
    assert (y.dtype, scale.dtype, zero.dtype) == (np.uint8, np.float32, np.uint8)
    assert scale.shape == zero.shape == ()
    assert scale == (high - low) / np.float32(255)
    if scale == 0:
        assert zero == 0 and not y.any()
        return
    want_zero = np.rint(np.clip(-low / scale, 0, 255))
    assert zero == want_zero
    np.testing.assert_array_equal(y, np.clip(np.rint(x / scale) + want_zero, 0, 255).astype(np.uint8))


@pytest.mark.parametrize("dtype", FLOATS)
def test_swiglu(dtype):
    rng = np.random.default_rng(14)
    a, b = random(rng, (3, 5), dtype), random(rng, (3, 5), dtype)
    got, _ = both("SwiGLU", [a, b], ["y"], {"alpha": 1.5}, 28)
    wide = a.astype(np.float64)
    want = wide / (1 + np.exp(-1.5 * wide)) * b.astype(np.float64)
    compare(got, [want.astype(DTYPES[dtype])], dtype)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("partial", [0, 4])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_rotary_embedding(interleaved, partial, packed, positions):
    rng = np.random.default_rng(15)
    batch, sequence, heads, size = 2, 3, 4, 8
    x = random(rng, (batch, sequence, heads * size) if packed else (batch, heads, sequence, size))
    half = (partial or size) // 2
    cache = (10, half) if positions else (batch, sequence, half)
    inputs = [x, random(rng, cache), random(rng, cache)]
    if positions:
        inputs.append(rng.integers(0, 10, (batch, sequence)).astype(np.int64))
    attributes = {"interleaved": interleaved, "rotary_embedding_dim": partial, "num_heads": heads}
    got, wanted = both("RotaryEmbedding", inputs, ["y"], attributes, 23)
    compare(got, wanted, F32)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("ignore", [None, 1, -7])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5), (2, 3, 2, 2)])
@pytest.mark.parametrize("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
def test_losses(op, reduction, ignore, weighted, shape):
    rng = np.random.default_rng(16)
    x = random(rng, shape)
    target = rng.integers(0, 3, (shape[0], *shape[2:])).astype(np.int64)
    if ignore == -7:
        target.flat[0] = -7
    attributes = {"reduction": reduction, **({} if ignore is None else {"ignore_index": ignore})}
    inputs = [x, target, *([random(rng, (3,), F32, 0.5, 2.0)] if weighted else [])]
    outputs = ["loss"] if op[0] == "N" else ["loss", "log_prob"]
    got, wanted = both(op, inputs, outputs, attributes, 13)
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("op", ["DepthToSpace", "SpaceToDepth"])
def test_blocks(op, mode):
    shape = (2, 8, 2, 3) if op[0] == "D" else (2, 3, 4, 6)
    x = random(np.random.default_rng(17), shape)
    got, _ = both(op, [x], ["y"], {"blocksize": 2, "mode": mode}, 28)
    n, c, h, w = shape
    if op[0] == "D":
        split = (n, 2, 2, c // 4, h, w) if mode == "DCR" else (n, c // 4, 2, 2, h, w)
        perm = (0, 3, 4, 1, 5, 2) if mode == "DCR" else (0, 1, 4, 2, 5, 3)
        want = x.reshape(split).transpose(perm).reshape(n, c // 4, 2 * h, 2 * w)
    else:
        perm = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
        want = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(perm).reshape(n, 4 * c, h // 2, w // 2)
    np.testing.assert_array_equal(got[0], want)


@pytest.mark.parametrize("activation", ["none", "silu"])
@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_causal_conv(activation, state, bias, width):
    rng = np.random.default_rng(18)
    x, weight = random(rng, (2, 3, 5)), random(rng, (3, 1, width))
    b = random(rng, (3,)) if bias else None
    past = random(rng, (2, 3, width - 1)) if state else None
    got, _ = both("CausalConvWithState", [x, weight, b, past], ["y", "present"], {"activation": activation}, 27)
    padded = np.concatenate([past if state else np.zeros((2, 3, width - 1), np.float32), x], axis=2)
    want = sum(padded[:, :, i : i + 5] * weight[None, :, 0, i, None] for i in range(width))
    want = want + (b[None, :, None] if bias else 0)
    want = want / (1 + np.exp(-want)) if activation == "silu" else want
    compare(got, [want.astype(np.float32), padded[:, :, 5:]], F32)


ATTENTIONS = {
    "plain": {},
    "causal": {"is_causal": 1},
    "scaled": {"scale": 0.3, "softcap": 2.0},
    "window": {"left_window_size": 1, "right_window_size": 1},
    "causal window": {"is_causal": 1, "left_window_size": 1},
    "in double": {"softmax_precision": F64},
}


@pytest.mark.parametrize("attributes", ATTENTIONS.values(), ids=ATTENTIONS)
@pytest.mark.parametrize("mask", [None, "bool", "float", "short"])
@pytest.mark.parametrize("heads", [(2, 2), (4, 2), (3, 1)])
@pytest.mark.parametrize("cache", [None, "past", "nonpad"])
@pytest.mark.parametrize("packed", [False, True])
def test_attention(attributes, mask, heads, cache, packed):
    rng = np.random.default_rng(19)
    batch, length, keys, size, value_size = 2, 3, 4, 4, 5
    total = keys + (2 if cache == "past" else 0)
    q = random(rng, (batch, heads[0], length, size))
    k, v = random(rng, (batch, heads[1], keys, size)), random(rng, (batch, heads[1], keys, value_size))
    if packed:
        q, k, v = (a.transpose(0, 2, 1, 3).reshape(batch, a.shape[2], -1) for a in (q, k, v))
        attributes = {**attributes, "q_num_heads": heads[0], "kv_num_heads": heads[1]}
    inputs = [q, k, v, None, None, None, None]
    if mask == "bool":
        inputs[3] = rng.random((length, total)) < 0.7
        inputs[3][1] = False
    elif mask:
        inputs[3] = random(rng, (batch, 1, length, total - (1 if mask == "short" else 0)))
    if cache == "past":
        inputs[4] = random(rng, (batch, heads[1], 2, size))
        inputs[5] = random(rng, (batch, heads[1], 2, value_size))
    if cache == "nonpad":
        inputs[6] = np.array([4, 2], dtype=np.int64)
    outputs = ["y", "present_key", "present_value"] if cache == "past" else ["y"]
    got, wanted = both("Attention", inputs, outputs, attributes, 25)
    compare(got, wanted, F32)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("opset", [23, 24, 25])
@pytest.mark.parametrize("dtype", [F32, F16, F64])
def test_attention_scores(mode, opset, dtype):
    rng = np.random.default_rng(20)
    q, k, v = (random(rng, (1, 2, 3, 4), dtype) for _ in range(3))
    # Mode 0 is the product itself; onnx.reference gives it capped, onnx's body does not.
    attributes = {"qk_matmul_output_mode": mode, "is_causal": 1, **({"softcap": 1.5} if mode else {})}
    got, wanted = both("Attention", [q, k, v], ["y", "", "", "scores"], attributes, opset)
    compare(got, wanted, dtype)


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("heads", [(2, 2), (4, 2)])
@pytest.mark.parametrize("state", [False, True])
@pytest.mark.parametrize("length", [1, 5])
def test_linear_attention(rule, heads, state, length):
    rng = np.random.default_rng(21)
    batch, size, value_size = 2, 3, 4
    inputs = [
        random(rng, (batch, length, heads[0] * size), F32, -1, 1),
        random(rng, (batch, length, heads[1] * size), F32, -0.5, 0.5),
        random(rng, (batch, length, heads[1] * value_size), F32, -1, 1),
        random(rng, (batch, heads[1], size, value_size), F32, -1, 1) if state else None,
        random(rng, (batch, length, heads[1] * (size if state else 1)), F32, -1, 0) if "gated" in rule else None,
        random(rng, (batch, length, heads[1]), F32, 0, 1) if "delta" in rule else None,
    ]
    attributes = {"q_num_heads": heads[0], "kv_num_heads": heads[1], "update_rule": rule}
    got, wanted = both("LinearAttention", inputs, ["y", "present"], attributes, 27)
    compare(got, wanted, F32, (1e-4, 1e-5))


def modifier(name, op, constant):
    return helper.make_graph(
        [
            helper.make_node("Constant", [], ["c"], value=helper.make_tensor("c", F32, [], [constant])),
            helper.make_node(op, ["x", "c"], ["changed"]),
        ],
        name,
        [helper.make_tensor_value_info("x", F32, None)],
        [helper.make_tensor_value_info("changed", F32, None)],
    )


@pytest.mark.parametrize("heads", [(2, 2), (4, 2)])
@pytest.mark.parametrize("modified", [False, True])
def test_flex_attention(heads, modified):
    rng = np.random.default_rng(22)
    q, k, v = random(rng, (2, heads[0], 3, 4)), random(rng, (2, heads[1], 5, 4)), random(rng, (2, heads[1], 5, 6))
    graphs = {"score_mod": modifier("s", "Mul", 0.5), "prob_mod": modifier("p", "Add", 0.25)} if modified else {}
    model, feeds = model_for("FlexAttention", [q, k, v], ["y"], graphs, 25, "ai.onnx.preview")
    got = norn.InferenceSession(model).run(None, feeds)
    repeated = [np.repeat(a, heads[0] // heads[1], axis=1).astype(np.float64) for a in (k, v)]
    scores = q.astype(np.float64) @ repeated[0].swapaxes(2, 3) / 2 * (0.5 if modified else 1)
    shares = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True) + (0.25 if modified else 0)
    compare(got, [(shares @ repeated[1]).astype(np.float32)], F32)


# --- what has a body ---


def functions_of_onnx():
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.has_function or schema.has_context_dependent_function:
            domain = "" if schema.domain == "ai.onnx" else schema.domain
            yield domain, schema.name, schema.since_version


def test_what_onnx_defines_by_others_has_a_body():
    # What ONNX Runtime defines is in test_microsoft.py, what was withdrawn in test_old_operators.py.
    known = {("" if s.domain == "ai.onnx" else s.domain, s.name) for s in onnx.defs.get_all_schemas_with_history()}
    standard = [row for row in ROWS if (row["domain"], row["name"]) in known]
    ours = {(row["domain"], row["name"], row["since"]) for row in standard if row["function"]}
    theirs = set(functions_of_onnx())
    assert not theirs - ours
    # Older versions of the same meaning have bodies too; other operators have none.
    assert {row[:2] for row in ours} == {row[:2] for row in theirs}


def test_errors_in_a_body_name_the_call():
    model, _ = model_for("CenterCropPad", [np.zeros((2, 3), np.float32), np.zeros((2,), np.float32)], ["y"], {}, 18)
    with pytest.raises(Exception, match="the_node"):
        norn.InferenceSession(model)
    x = np.zeros((2, 3), np.float32)
    model, feeds = model_for("NegativeLogLikelihoodLoss", [x, np.array([0, 9], np.int64)], ["y"], {}, 22)
    with pytest.raises(Exception, match=r'"the_node" \(NegativeLogLikelihoodLoss\)'):
        norn.InferenceSession(model).run(None, feeds)


def test_a_function_of_the_model_goes_before_the_body():
    node = helper.make_node("Elu", ["x"], ["y"])
    negated = helper.make_node("Neg", ["x"], ["y"])
    own = helper.make_function("", "Elu", ["x"], ["y"], [negated], [helper.make_opsetid("", 21)])
    info = [helper.make_tensor_value_info(n, F32, [2]) for n in "xy"]
    model = helper.make_model(
        helper.make_graph([node], "g", info[:1], info[1:]),
        functions=[own],
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    x = np.array([-1.0, 2.0], np.float32)
    assert norn.InferenceSession(model).run(None, {"x": x})[0].tolist() == [1.0, -2.0]


def test_a_body_does_not_call_functions_of_the_model():
    """The model's Exp is not the Exp of Elu's body."""
    negated = helper.make_node("Neg", ["x"], ["y"])
    own = helper.make_function("", "Exp", ["x"], ["y"], [negated], [helper.make_opsetid("", 21)])
    info = [helper.make_tensor_value_info(n, F32, [2]) for n in "xy"]
    model = helper.make_model(
        helper.make_graph([helper.make_node("Elu", ["x"], ["y"])], "g", info[:1], info[1:]),
        functions=[own],
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    x = np.array([-1.0, 2.0], np.float32)
    np.testing.assert_allclose(norn.InferenceSession(model).run(None, {"x": x})[0], [np.expm1(-1.0), 2.0], rtol=1e-6)


# Operators whose bodies depend on sizes.
SIZED = ("affine_grid", "flexattention", "causal_conv_with_state", "attention_4d_gqa", "center_crop_pad")


def sized_cases():
    chosen = (c for c in collect_testcases("") if "expanded" not in c.name and c.model)
    return [case for case in chosen if any(name in case.name for name in SIZED)]


@pytest.mark.parametrize("case", sized_cases(), ids=lambda case: case.name)
@pytest.mark.parametrize("ranked", [True, False])
def test_sizes_that_only_feeds_determine(case, ranked):
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    for k, value in enumerate([*model.graph.input, *model.graph.output]):
        tensor = value.type.tensor_type
        for d, dim in enumerate(tensor.shape.dim):
            dim.dim_param = f"D{k}_{d}"
        if not ranked:
            tensor.ClearField("shape")
    del model.graph.value_info[:]
    session = norn.InferenceSession(model)
    inputs, outputs = case.data_sets[0]
    feeds = dict(zip((i.name for i in model.graph.input), inputs, strict=True))
    for _ in range(2):
        for got, want in zip(session.run(None, feeds), outputs, strict=True):
            np.testing.assert_allclose(got, want, rtol=max(case.rtol, 1e-5), atol=max(case.atol, 1e-6))
    everything = session.run("*", feeds)
    assert all((everything[name] == value).all() for name, value in zip(
        [o.name for o in model.graph.output], session.run(None, feeds), strict=True))


def test_bodies_are_made_for_each_size():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 21]>
        agraph (float[N, R, C] theta, int64[S] size) => (grid) { grid = AffineGrid(theta, size) }""")
    session = norn.InferenceSession(model)
    assert [i.name for i in session.get_inputs()] == ["theta", "size"]
    reference = ReferenceEvaluator(model)
    for flat in (True, False, True):
        for n in range(1, 12):
            theta = random(np.random.default_rng(n), (n, 2, 3) if flat else (n, 3, 4))
            size = np.array([n, 1, 4, 5] if flat else [n, 1, 2, 3, 4])
            feeds = {"theta": theta, "size": size}
            np.testing.assert_allclose(session.run(None, feeds)[0], reference.run(None, feeds)[0], rtol=1e-4, atol=1e-5)
    with pytest.raises(norn.InvalidArgument, match="size"):
        session.run(None, {"theta": random(np.random.default_rng(0), (1, 2, 3))})
    with pytest.raises(norn.Error):
        session.run(None, {"theta": random(np.random.default_rng(0), (1, 2)), "size": np.array([1, 1, 4, 5])})
