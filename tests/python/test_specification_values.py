"""What the specification says of tensors and of operators where implementations differ: one small model for each."""

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from specification import F32, F64, I32, I64, X, Probes, const, expect, model, node, value

import norn

PROBES = probe = Probes()

# --- initializers ---


def sparse(values, indices, dims, name="w", dtype=F32):
    return helper.make_sparse_tensor(const(name, values, dtype), numpy_helper.from_array(np.array(indices, I64)), dims)


def with_sparse(tensor, dims):
    return model([node("Identity", "w", "y")], [], [value("y", dims)], sparse_initializer=[tensor])


@probe
def a_sparse_initializer():
    return with_sparse(sparse([3, 4], [1, 5], [2, 3]), [2, 3]), {}, [np.array([[0, 3, 0], [0, 0, 4]], F32)]


@probe
def a_sparse_initializer_by_coordinates():
    return with_sparse(sparse([3, 4], [[0, 1], [1, 2]], [2, 3]), [2, 3]), {}, [np.array([[0, 3, 0], [0, 0, 4]], F32)]


@probe
def a_sparse_initializer_without_values():
    return with_sparse(sparse([], np.zeros((0, 2)), [2, 3]), [2, 3]), {}, [np.zeros((2, 3), F32)]


@probe
def a_sparse_index_out_of_range():
    return with_sparse(sparse([3], [6], [2, 3]), [2, 3]), {}, "sparse"


@probe
def sparse_indices_that_are_not_sorted():
    return with_sparse(sparse([3, 4], [5, 1], [2, 3]), [2, 3]), {}, "sparse"


@probe
def a_sparse_constant_node():
    made = model([node("Constant", "", "y", sparse_value=sparse([7], [2], [4]))], [], [value("y", [4])])
    return made, {}, [np.array([0, 0, 7, 0], F32)]


@pytest.mark.parametrize(("field", "dtype", "array"), [("value_float", F32, 1.5), ("value_int", I64, -7),
                                                       ("value_floats", F32, [1.5, 2]), ("value_ints", I64, [3, 4]),
                                                       ("value_string", object, "é"),
                                                       ("value_strings", object, ["a", ""])])
def test_forms_of_constant(field, dtype, array):
    made = model([node("Constant", "", "y", **{field: array})], [],
                 [value("y", None, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))])
    found = norn.InferenceSession(made).run(None, {})[0]
    assert found.shape == np.shape(array)
    assert found.tolist() == np.array(array, dtype).tolist()


ELEMENTS = [
    F32, np.float16, F64, np.int8, np.int16, I32, I64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_,
    np.complex64, np.complex128, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz,
    ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float4_e2m1fn, ml_dtypes.int4, ml_dtypes.uint4,
    ml_dtypes.int2, ml_dtypes.uint2, ml_dtypes.float8_e8m0fnu, ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn
]


@pytest.mark.parametrize("dtype", ELEMENTS, ids=lambda d: np.dtype(d).name)
def test_values_of_every_element_type_pass_through(dtype):
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    array = np.array([1, 0, 1, 1, 1], F32).astype(dtype) if np.dtype(dtype).name != "float8_e8m0fnu" else np.ones(
        5, F32).astype(dtype)
    through = [] if "float6" in np.dtype(dtype).name else [node("Identity", "x", "y")]  # which takes none of them
    made = model(through, [value("x", ["N"], elem)], [value("y" if through else "x", ["N"], elem)], opset=28, ir=14)
    found = norn.InferenceSession(made).run(None, {"x": array})[0]
    assert found.dtype == np.dtype(dtype)
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", [d for d in ELEMENTS if d not in (F32, )], ids=lambda d: np.dtype(d).name)
def test_casts_from_float_to_every_type_and_back(dtype):
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    if elem in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        pytest.skip("Cast takes no complex numbers")
    made = model([node("Cast", "x", "h", to=elem), node("Cast", "h", "y", to=1)], [value("x", ["N"])],
                 [value("y", ["N"])], opset=28, ir=14)
    ones = np.ones(3, F32)
    np.testing.assert_array_equal(norn.InferenceSession(made).run(None, {"x": ones})[0], ones)


@probe
def raw_data_of_an_odd_number_of_int4():
    tensor = TensorProto(name="w", data_type=TensorProto.INT4, dims=[3], raw_data=b"\xf1\x07")
    made = model([node("Cast", "w", "y", to=TensorProto.INT32)], [], [value("y", [3], TensorProto.INT32)], [tensor])
    return made, {}, [np.array([1, -1, 7], I32)]


@probe
def a_bool_that_is_not_0_or_1():
    tensor = TensorProto(name="w", data_type=TensorProto.BOOL, dims=[2], raw_data=b"\x02\x00")
    made = model([node("Cast", "w", "y", to=TensorProto.INT32)], [], [value("y", [2], TensorProto.INT32)], [tensor])
    return made, {}, [np.array([1, 0], I32)]


@probe
def a_tensor_with_too_little_data():
    tensor = TensorProto(name="w", data_type=1, dims=[3], float_data=[1, 2])
    return model([node("Neg", "w", "y")], [], [value("y", [3])], [tensor]), {}, "3"


@probe
def a_tensor_in_segments():
    parts = [TensorProto(name="w", data_type=1, dims=[4], float_data=data) for data in ([1, 2, 3], [4])]
    for part, (begin, end) in zip(parts, ((0, 3), (3, 4)), strict=True):
        part.segment.begin, part.segment.end = begin, end
    return model([node("Neg", "w", "y")], [], [value("y", [4])], parts), {}, "segment"


@probe
def a_scalar_initializer():
    return model([node("Neg", "w", "y")], [], [value("y", [])], [const("w", 2)]), {}, [np.array(-2, F32)]


@probe
def strings_of_any_length():
    made = model([node("StringConcat", "x,w", "y")], [value("x", ["N"], TensorProto.STRING)],
                 [value("y", ["N"], TensorProto.STRING)], [helper.make_tensor("w", TensorProto.STRING, [], ["é\0z"])])
    return made, {"x": np.array(["", "a" * 1000], object)}, [np.array(["é\0z", "a" * 1000 + "é\0z"], object)]


# --- operators, where implementations differ ---

OPERATORS = {}


def operator(name, op, inputs, expected, outputs=1, **attributes):
    OPERATORS[name] = op, inputs, expected, outputs, attributes


def f32(items):
    return np.array(items, F32)


def i64(items):
    return np.array(items, I64)


def i32(items):
    return np.array(items, I32)


def u8(items):
    return np.array(items, np.uint8)


def bools(items):
    return np.array(items, np.bool_)


def words(items):
    return np.array(items, object)


operator("Mod of negative integers", "Mod", [i64([-7, 7, -7]), i64([3, -3, -3])], i64([2, -2, -1]))
operator("Mod with fmod", "Mod", [i64([-7, 7, -7]), i64([3, -3, -3])], i64([-1, 1, -1]), fmod=1)
operator("Round to even", "Round", [f32([0.5, 1.5, 2.5, -0.5, -1.5])], f32([0, 2, 2, -0.0, -2]))
operator("integers divided towards zero", "Div", [i64([-7, 7]), i64([2, -2])], i64([-3, -3]))
operator("BitShift by the width", "BitShift", [u8([1]), u8([8])], u8([0]), direction='LEFT')
operator("Slice backwards to the beginning", "Slice",
         [i64([0, 1, 2, 3]), i64([-1]), i64([-9223372036854775808]),
          i64([0]), i64([-1])], i64([3, 2, 1, 0]))
operator("Gather from the end", "Gather", [i64([0, 1, 2, 3]), i64([-1, -4])], i64([3, 0]))
operator("Pad with negative numbers", "Pad", [f32([0, 1, 2, 3]), i64([-1, 2])], f32([1, 2, 3, 0, 0]))
operator("Reshape copies with 0", "Reshape", [X, i64([0, -1, 1])], f32([[[1], [-2], [3]], [[-4], [5], [-6]]]))
operator("Reshape to nothing with allowzero", "Reshape", [np.zeros((0, 3), F32), i64([3, 0])], np.zeros((3, 0), F32),
         allowzero=1)
operator("Expand both ways", "Expand", [f32([[1], [-4]]), i64([3, 1, 3])],
         f32([[[1, 1, 1], [-4, -4, -4]], [[1, 1, 1], [-4, -4, -4]], [[1, 1, 1], [-4, -4, -4]]]))
operator("TopK of the smallest", "TopK", [f32([3, 1, 2]), i64([2])], f32([1, 2]), axis=0, largest=0, outputs=2)
operator("NonZero of a scalar", "NonZero", [f32(2)], np.zeros((0, 1), I64))
operator("Unique in order of appearance", "Unique", [f32([2, 1, 2, 0])], f32([2, 1, 0]), sorted=0, outputs=4)
operator("CumSum that is exclusive and backwards", "CumSum", [f32([1, 2, 3]), i64(0)], f32([5, 3, 0]), exclusive=1,
         reverse=1)
operator("OneHot of negative indices", "OneHot", [i64([-1, 3]), i64(3), f32([0, 1])], f32([[0, 0, 1], [0, 0, 0]]))
operator("ScatterND that adds", "ScatterND", [f32([0, 0]), i64([[1], [1]]), f32([2, 3])], f32([0, 5]), reduction='add')
operator("Trilu above", "Trilu", [f32([[1, 1], [1, 1]]), i64(1)], f32([[0, 1], [0, 0]]), upper=1)
operator("Einsum of a diagonal", "Einsum", [f32([[0, 1], [2, 3]])], f32([0, 3]), equation='ii->i')
operator("MatMul of vectors", "MatMul", [f32([1, 2]), f32([3, 4])], f32(11))
operator("Max of NaN", "Max", [f32([np.nan, 1]), f32([0, np.nan])], f32([np.nan, np.nan]))
operator("ArgMax of the last", "ArgMax", [f32([2, 1, 2])], i64(2), keepdims=0, select_last_index=1)
operator("Clip with bounds the wrong way round", "Clip", [f32([0, 5]), f32(3), f32(1)], f32([1, 1]))
operator("IsInf of one sign", "IsInf", [f32([np.inf, -np.inf])], bools([True, False]), detect_negative=0)
operator("Sign of NaN and -0", "Sign", [f32([-0.0, -3])], f32([0, -1]))
operator("Pow of mixed types", "Pow", [f32([2, 3]), i64([3, 2])], f32([8, 9]))
operator("Cast to int saturates nowhere, to bool everywhere", "Cast", [f32([0.5, 0, np.nan, -0.0])],
         bools([True, False, True, False]), to=9)
operator("And of everything broadcast", "And",
         [bools([[True], [False]]), bools([True, False])], bools([[True, False], [False, False]]))
operator("DepthToSpace column, row, depth", "DepthToSpace", [f32([[[[0]], [[1]], [[2]], [[3]]]])],
         f32([[[[0, 1], [2, 3]]]]), blocksize=2, mode='CRD')
operator("Compress without an axis", "Compress", [X, bools([False, True, False, True])], f32([-2, -4]))
operator("ReverseSequence", "ReverseSequence", [X, i64([2, 1])], f32([[-2, 1, 3], [-4, 5, -6]]), batch_axis=0,
         time_axis=1)
operator("Squeeze of everything", "Squeeze", [f32([[[[1, -2, 3]], [[-4, 5, -6]]]])], X)
operator("Range that counts down", "Range", [i64(3), i64(0), i64(-2)], i64([3, 1]))
operator("Range of nothing", "Range", [i64(0), i64(3), i64(-1)], np.zeros((0, ), I64))
operator("Split with a length of 0", "Split", [X, i64([0, 3])], np.zeros((2, 0), F32), axis=1, outputs=2)
operator("EyeLike off the diagonal", "EyeLike", [f32([[0, 0, 0], [0, 0, 0]])], f32([[0, 1, 0], [0, 0, 1]]), k=1)
operator("GatherND in batches", "GatherND", [X, i64([[2], [0]])], f32([3, -4]), batch_dims=1)
operator("Hardmax takes the first", "Hardmax", [f32([[1, 2, 2]])], f32([[0, 1, 0]]))
operator("Det of a singular matrix", "Det", [f32([[1, 2], [2, 4]])], f32(0))
operator("Size of nothing", "Size", [np.zeros((0, 9), F32)], i64(0))
operator("Shape of a part", "Shape", [X], i64([3]), start=-1)
operator("Tile of nothing", "Tile", [X, i64([1, 0])], np.zeros((2, 0), F32))
operator("ConstantOfShape of a scalar", "ConstantOfShape", [np.zeros((0, ), I64)], f32(0))
operator("Concat from the end", "Concat", [X, X], f32([[1, -2, 3, 1, -2, 3], [-4, 5, -6, -4, 5, -6]]), axis=-1)
operator("Transpose without perm", "Transpose", [X], f32([[1, -4], [-2, 5], [3, -6]]))
operator("AveragePool without the padding", "AveragePool", [f32([[[3, 6, 9]]])], f32([[[4.5, 6, 7.5]]]),
         kernel_shape=[3], pads=[1, 1])
operator("AveragePool with the padding", "AveragePool", [f32([[[3, 6, 9]]])], f32([[[3, 6, 5]]]), count_include_pad=1,
         kernel_shape=[3], pads=[1, 1])
operator("MaxPool rounding up", "MaxPool", [f32([[[1, 2, 3]]])], f32([[[2, 3]]]), ceil_mode=1, kernel_shape=[2],
         strides=[2])
operator("Conv of one dimension", "Conv", [f32([[[0, 1, 2, 3, 4]]]), f32([[[1, 1]]])], f32([[[2, 4, 6]]]),
         dilations=[2])
operator("StringSplit", "StringSplit", [words(["a-b", "c"])], words([["a", "b"], ["c", ""]]), delimiter='-', outputs=2)
operator("BitwiseNot", "BitwiseNot", [i32([0, -1])], i32([-1, 0]))
operator("Xor", "Xor", [bools([True, False]), bools([True, False])], bools([False, False]))


def tensor(name, array):
    if array.dtype == object:
        return helper.make_tensor(name, TensorProto.STRING, array.shape, array.reshape(-1).tolist())
    return numpy_helper.from_array(array, name)


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, constant):
    op, inputs, expected, outputs, attributes = OPERATORS[name]
    feeds = {f"i{k}": array for k, array in enumerate(inputs)}
    infos = [value(n, None, helper.np_dtype_to_tensor_dtype(a.dtype)) for n, a in feeds.items()]
    made_node = helper.make_node(op, list(feeds), ["y"] + [""] * (outputs - 1), **attributes)
    out = value("y", None, helper.np_dtype_to_tensor_dtype(expected.dtype))
    made = model([made_node], [] if constant else infos, [out],
                 [tensor(n, a) for n, a in feeds.items()] if constant else [])
    found = norn.InferenceSession(made).run(None, {} if constant else feeds)[0]
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


def test_there_are_many():
    assert len(PROBES) + len(OPERATORS) + len(ELEMENTS) > 80


@pytest.mark.parametrize("name", PROBES)
def test_probe(name):
    expect(PROBES[name])
