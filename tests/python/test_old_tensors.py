"""Types and tensors of files from 2017 on, one peculiarity a test; see test_old_files.py."""

import itertools

import ml_dtypes
import numpy as np
import onnx
import pytest
import wire
from old_files import expect_kept, expect_refused_by_texts, if_model, run, reported, unary
from wire import attribute, field, floats, graph, int64s, model, node, opset, packed, tensor, value

import norn


@pytest.mark.parametrize("ir_version", [1, 2, 3])
def test_sparse_types_had_another_field(ir_version, tmp_path):
    """Field 2 of TypeProto in IR 1; today's is 8, with the same body. The file says so, and is not taken for dense."""
    sparse = value("x", of_type=wire.tensor_type(wire.FLOAT, [3], number=2))
    data = model(ir_version, graph([node("Abs", ["x"], ["y"])], [sparse], [value("y", [3])]),
                 *([opset(1)] if ir_version > 2 else []))
    assert reported(data)["value.one-kind"] == "error"
    assert "sparse tensor type of IR 1" in next(d for d in norn.check(data) if d.rule == "value.one-kind").message
    expect_kept(data, tmp_path, (".onnx",))
    expect_refused_by_texts(data, tmp_path)
    with pytest.raises(norn.Error, match="sparse tensor type of IR 1"):
        norn.InferenceSession(data)
    today = model(8, graph([node("Op", ["x"], ["y"], domain="com.example")],
                           [value("x", of_type=wire.tensor_type(1, [3], number=8))], [value("y", [3])]),
                  opset(13), opset(1, "com.example"))
    assert reported(today) == {}


def test_sparse_tensors_were_numbered_otherwise(tmp_path):
    """dims, indices, values in IR 1, where nothing could hold one; values, indices, dims since 6. Not misread."""
    values, indices = floats("w", [7], [1]), int64s("", [1], [1])
    today = field(1, values) + field(2, indices) + field(3, 3)
    early = field(1, 3) + field(2, indices) + field(3, values)

    def file(sparse):
        return model(8, graph([node("Add", ["x", "w"], ["y"])], [value("x", [3])], [value("y", [3])], [],
                              field(15, sparse)), opset(13))
    assert reported(file(today)) == {}
    expect_kept(file(today), tmp_path)
    assert run(file(today), x=np.float32([1, 1, 1]))[0].tolist() == [1, 8, 1]
    expect_kept(file(early), tmp_path, (".onnx",))
    assert reported(file(early))["sparse.values.present"] == "error"
    with pytest.raises(norn.Error):
        norn.InferenceSession(file(early))


def test_messages_that_moved_kept_their_bytes():
    """The shape stood inside TypeProto as TypeProto.TensorShapeProto, the tensor's type was TensorTypeProto: names."""
    ours = value("x", [2, "N", None], wire.DOUBLE)
    theirs = onnx.helper.make_tensor_value_info("x", wire.DOUBLE, [2, "N", None])
    assert theirs.SerializeToString() == ours
    data = model(1, graph([node("Abs", ["x"], ["y"])], [ours], [value("y", [2, "N", None], wire.DOUBLE)]))
    assert reported(data) == {}
    assert norn.InferenceSession(data).get_inputs()[0].shape == [2, "N", None]


def test_types_of_the_ml_draft_are_not_misread(tmp_path):
    """Records (field 3) and unions (6) lived in autumn 2017 only; 6 is the denotation, a string, today."""
    union = field(6, field(1, wire.tensor_type(1, [2])) + field(2, b"\xff\xfe"))
    record = field(3, field(1, "part"))
    for of_type in (union, record):
        data = model(3, graph([node("Abs", ["x"], ["y"])], [value("x", of_type=of_type)], [value("y", [2])]), opset(6))
        assert reported(data)["value.one-kind"] == "error"
        assert norn.load(data).SerializeToString() == data
        with pytest.raises(norn.InvalidGraph, match="type"):
            norn.InferenceSession(data)
    strange = model(3, graph([node("Abs", ["x"], ["y"])], [value("x", of_type=wire.tensor_type(1, [2]) + union)],
                             [value("y", [2])]), opset(6))
    assert reported(strange) == {"denotation.type.standard": "warning"}
    assert run(strange, x=np.float32([-1, 2]))[0].tolist() == [1, 2]


def test_handles_never_had_a_number(tmp_path):
    """Early texts list a 64-bit `handle` among the element types; none of the codes 1 to 15 is one. Opaque types are
    what is left of the idea, and may be called so."""
    names = {norn.InferenceSession(unary("Identity", elem_type=t, ir_version=3, version=1)).get_inputs()[0].type
             for t in range(1, 16)}
    assert len(names) == 15 and not any("handle" in n for n in names)
    opaque = field(7, field(2, "handle"))
    data = model(4, graph([node("Op", ["x"], ["y"], domain="com.example")], [value("x", of_type=opaque)],
                          [value("y", of_type=opaque)]), opset(9), opset(1, "com.example"))
    assert reported(data) == {"ir.gate.opaque-core": "error"}
    expect_kept(data, tmp_path)


@pytest.mark.parametrize(("elem_type", "dtype"), [(wire.UINT32, np.uint32), (wire.UINT64, np.uint64)])
def test_wide_unsigned_integers_are_as_old_as_ir_1(elem_type, dtype, tmp_path):
    """The text's table ended at 16 bits until 2022; the codes were there from the start."""
    limit = np.iinfo(dtype).max
    w = tensor("w", elem_type, [2], packed(11, [1, int(limit)]))
    data = model(1, graph([], [value("w", [2], elem_type)], [value("w", [2], elem_type)], [w]))
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    y = run(data)[0]
    assert y.dtype == dtype and y.tolist() == [1, limit]


def constants(ir_version, *tensors, version=1):
    """A model that gives each tensor as an output y0, y1, ..."""
    typed = ir_version > 1
    nodes = [node("Constant", [], [f"y{i}"], attribute("value", t, 4, typed)) for i, t in enumerate(tensors)]
    types = [parsed_tensor(t) for t in tensors]
    outputs = [value(f"y{i}", list(t.dims), t.data_type) for i, t in enumerate(types)]
    return model(ir_version, graph(nodes, [], outputs), *([opset(version)] if ir_version >= 3 else []))


def parsed_tensor(data):
    message = onnx.TensorProto()
    message.ParseFromString(data)
    return message


def test_half_precision_in_int32_data_is_a_pattern_of_bits(tmp_path):
    """15360 is 1.0, not fifteen thousand."""
    data = constants(1, tensor("", wire.FLOAT16, [4], packed(5, [15360, 0x3800, 0xC000, 0x7C00])))
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    y = run(data)[0]
    assert y.dtype == np.float16 and y.tolist() == [1, 0.5, -2, np.inf]
    too_large = constants(1, tensor("", wire.FLOAT16, [1], packed(5, [70000])))
    assert reported(too_large) == {"tensor.field.float16-bits": "error"}


def test_scalars_were_vectors_of_one_element(tmp_path):
    """The first checker wanted dims, so a condition, a trip count or a factor has the shape [1] instead of []."""
    branches = [graph([node("Mul", ["x", "k"], [out], attribute("broadcast", 1))], [value("k", [1])], [value(out, [3])],
                      [floats("k", [k])], name=out) for out, k in (("t", 2), ("e", 3))]
    data = if_model(3, branches)
    assert reported(data) == {}
    x = np.float32([1, 2, 3])
    assert run(data, c=np.array([True]), x=x)[0].tolist() == [2, 4, 6]
    assert run(data, c=np.array([False]), x=x)[0].tolist() == [3, 6, 9]
    rank_0 = constants(3, tensor("", wire.FLOAT, [], packed(4, [5.0])))
    assert reported(rank_0) == {}
    expect_kept(rank_0, tmp_path)
    assert run(rank_0)[0].shape == ()


def test_floats_do_not_stand_in_int32_data():
    """The first schema's comment lists FLOAT32 there, a slip for FLOAT16: reported and refused, never reinterpreted."""
    data = constants(1, tensor("", wire.FLOAT, [1], packed(5, [1065353216])))
    assert reported(data) == {"tensor.field.int32": "error"}
    with pytest.raises(norn.InvalidGraph, match="int32_data cannot hold elements of float"):
        run(data)


def test_eight_bit_floats_in_int32_data(tmp_path):
    """One text speaks of 16 bits, a later one of unsigned integers: either way the low eight bits count."""
    codes = [0x38, 0x7E, 0xB8, 0x01]
    data = constants(9, tensor("", wire.FLOAT8E4M3FN, [4], packed(5, codes)), version=19)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    y = run(data)[0]
    assert y.dtype == ml_dtypes.float8_e4m3fn
    assert y.view(np.uint8).tolist() == codes and y.astype(np.float32).tolist() == [1, 448, -1, 2**-9]
    assert reported(constants(9, tensor("", wire.FLOAT8E4M3FN, [1], packed(5, [256])), version=19)) == {
        "tensor.field.float16-bits": "error"}


@pytest.mark.parametrize("elem_type", [wire.INT4, wire.UINT4])
def test_four_bit_integers_in_int32_data(elem_type, tmp_path):
    """Two to an entry, low ones first, said the second text; others wrote one, or all eight: their number shows which."""
    numbers = [1, -2, 7, -8, 3, 0, -1, 5, 2] if elem_type == wire.INT4 else [1, 14, 7, 8, 3, 0, 15, 5, 2]
    codes = [n & 15 for n in numbers]
    pairs = [a | b << 4 for a, b in itertools.zip_longest(codes[::2], codes[1::2], fillvalue=0)]
    eights = [sum(c << 4 * i for i, c in enumerate(codes[k:k + 8])) for k in (0, 8)]
    for entries in (pairs, numbers, codes, eights):
        data = constants(10, tensor("", elem_type, [9], packed(5, entries)), version=21)
        assert reported(data) == {}, entries
        expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))
        assert run(data)[0].astype(np.int32).tolist() == numbers, entries
    wrong = constants(10, tensor("", elem_type, [9], packed(5, [1, 2, 3])), version=21)
    assert reported(wrong) == {"tensor.field.int4-packing": "error"}
    with pytest.raises(norn.InvalidGraph, match="3 entries"):
        run(wrong)


def test_no_code_of_float8e5m2fnuz_is_infinite():
    """The text of IR 9 gave it infinities, by mistake: 0x80 is its only special code, NaN."""
    data = constants(9, tensor("", wire.FLOAT8E5M2FNUZ, [256], field(9, bytes(range(256)))), version=19)
    assert reported(data) == {}
    y = run(data)[0]
    assert y.view(np.uint8).tolist() == list(range(256))
    to_float = model(9, graph([node("Cast", ["w"], ["y"], attribute("to", wire.FLOAT))], [], [value("y", [256])],
                              [tensor("w", wire.FLOAT8E5M2FNUZ, [256], field(9, bytes(range(256))))]), opset(19))
    decoded = run(to_float)[0]
    assert not np.isinf(decoded).any()
    assert np.flatnonzero(np.isnan(decoded)).tolist() == [0x80]
    exponent, mantissa = np.arange(256) >> 2 & 31, np.arange(256) & 3
    size = np.where(exponent == 0, mantissa / 4 * 2.0**-15, (1 + mantissa / 4) * 2.0 ** (exponent - 16.0))
    expected = np.where(np.arange(256) < 128, size, -size)
    keep = np.arange(256) != 0x80
    np.testing.assert_array_equal(decoded[keep], expected[keep].astype(np.float32))


def test_bfloat16_has_two_homes(tmp_path):
    """int32_data is named for it since 1.13 only; earlier files use it as well as raw_data."""
    bits = [0x3F80, 0xC000, 0x7F80]
    data = constants(4, tensor("", wire.BFLOAT16, [3], packed(5, bits)),
                     tensor("", wire.BFLOAT16, [3], field(9, np.uint16(bits).tobytes())), version=13)
    assert set(reported(data)) <= {"opset.min-ir"}
    expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))
    for y in run(data):
        assert y.dtype == ml_dtypes.bfloat16 and y.astype(np.float32).tolist() == [1, -2, np.inf]
