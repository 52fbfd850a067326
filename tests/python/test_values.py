"""Data files: values in and out, which kind of message a file holds, and checks of them."""

import ctypes
import io
import json
import zipfile

import ml_dtypes
import numpy as np
import onnx
import pytest
from conftest import add_model
from onnx import TensorProto, helper, numpy_helper

import norn


def write(path, proto):
    path.write_bytes(proto.SerializeToString())
    return path


def assert_equal(got, wanted):
    if isinstance(wanted, dict):
        assert isinstance(got, dict) and got.keys() == wanted.keys()
        for key, item in wanted.items():
            assert_equal(got[key], item)
    elif isinstance(wanted, list):
        assert isinstance(got, list) and len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            assert_equal(a, b)
    elif isinstance(wanted, norn.SparseTensor):
        assert got.shape == wanted.shape
        assert_equal(got.values, wanted.values)
        assert_equal(got.indices, wanted.indices)
    elif wanted is None:
        assert got is None
    else:
        wanted = np.asarray(wanted)
        got = np.asarray(got)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        if wanted.dtype == object:
            assert got.tolist() == wanted.tolist()
        else:
            assert got.tobytes() == wanted.tobytes()


RANDOM = np.random.default_rng(11)
ARRAYS = {
    "floats": RANDOM.standard_normal((3, 4)).astype(np.float32),
    "scalar": np.array(7, np.int64),
    "empty": np.zeros((0, 3), np.float64),
    "bools": RANDOM.integers(0, 2, 300).astype(bool),
    "large": RANDOM.integers(-9, 9, (100, 100), np.int16),
    "complex": np.array([1 + 2j, np.nan], np.complex64),
}
EXTENDED = {
    "bfloat16": RANDOM.standard_normal(5).astype(ml_dtypes.bfloat16),
    "float8": RANDOM.standard_normal(7).astype(ml_dtypes.float8_e4m3fn),
    "int4": RANDOM.integers(-8, 8, 7).astype(ml_dtypes.int4),
}
STRINGS = np.array([["a", "ü"], ["", "漢字"]], dtype=object)


# Messages that the onnx package writes.


@pytest.mark.parametrize("name", ARRAYS)
def test_tensors_of_onnx(tmp_path, name):
    path = write(tmp_path / "x.pb", numpy_helper.from_array(ARRAYS[name], "given"))
    assert_equal(norn.load_value(path), ARRAYS[name])
    assert_equal(norn.load_values(path), {"given": ARRAYS[name]})
    assert norn.check_data(path).ok


KINDS = {
    "sequence": (numpy_helper.from_list([ARRAYS["floats"], ARRAYS["floats"]], "s"), [ARRAYS["floats"]] * 2),
    "no sequence": (numpy_helper.from_list([], "s", onnx.SequenceProto.TENSOR), []),
    "sequences": (
        numpy_helper.from_list([[ARRAYS["scalar"]] * 2] * 3, "s", onnx.SequenceProto.SEQUENCE),
        [[ARRAYS["scalar"]] * 2] * 3,
    ),
    "map": (numpy_helper.from_dict({1: ARRAYS["floats"], -5: ARRAYS["floats"]}, "m"),
            {1: ARRAYS["floats"], -5: ARRAYS["floats"]}),
    "optional": (numpy_helper.from_optional(None, "o", onnx.OptionalProto.UNDEFINED), None),
}


@pytest.mark.parametrize("what", KINDS)
def test_other_kinds_of_onnx(tmp_path, what):
    proto, wanted = KINDS[what]
    kind = what.removeprefix("no ").removesuffix("s")
    path = write(tmp_path / "x.pb", proto)
    assert_equal(norn.load_value(path, kind), wanted)
    assert_equal(norn.load_values(path, kind=kind), {proto.name: wanted})
    assert norn.check_data(path, kind).ok and norn.check_data(proto).ok
    if what != "no sequence":
        assert_equal(norn.load_value(path), wanted)  # the bytes show the kind


def test_sparse_tensors(tmp_path):
    values = np.array([1, 2, 3], np.float32)
    indices = np.array([1, 5, 6], np.int64)
    proto = helper.make_sparse_tensor(
        numpy_helper.from_array(values, "w"), numpy_helper.from_array(indices, ""), [2, 4]
    )
    wanted = norn.SparseTensor(values, indices, (2, 4))
    path = write(tmp_path / "x.pb", proto)
    assert_equal(norn.load_value(path), wanted)
    norn.save_value(tmp_path / "y.pb", wanted, name="w")
    assert_equal(norn.load_values(tmp_path / "y.pb"), {"w": wanted})
    assert norn.check_data(proto).ok


def test_what_bytes_cannot_distinguish(tmp_path):
    one = numpy_helper.from_list([ARRAYS["floats"]], "s")
    same = numpy_helper.from_optional(ARRAYS["floats"], "s", onnx.OptionalProto.TENSOR)
    assert one.SerializeToString() == same.SerializeToString()
    path = write(tmp_path / "x.pb", one)
    for call in (norn.load_value, norn.load_values, norn.check_data):
        with pytest.raises(norn.InvalidArgument, match="sequence and optional fit"):
            call(path)
    assert_equal(norn.load_value(path, "sequence"), [ARRAYS["floats"]])
    assert_equal(norn.load_value(path, "optional"), ARRAYS["floats"])
    assert norn.check_data(one).ok and norn.check_data(same).ok
    with pytest.raises(norn.InvalidArgument, match='no kind of data "list"'):
        norn.load_value(path, "list")


@pytest.mark.parametrize("count", [2, 3, 50])
@pytest.mark.parametrize("shape", [(), (1,), (2, 2)])
def test_sequences_are_not_mistaken(tmp_path, count, shape):
    """A reader that takes the last of several values for the only one would see an optional."""
    items = [np.full(shape, i, np.float32) for i in range(count)]
    assert_equal(norn.load_value(write(tmp_path / "x.pb", numpy_helper.from_list(items, "s"))), items)


def test_what_is_no_data(tmp_path):
    model = helper.make_model(helper.make_graph([], "g", [], []))
    cases = ((model.SerializeToString(), "a model"), (b"<html>nothing", "HTML"), (b"\xff" * 9, "not a TensorProto"))
    for content, code in cases:
        (tmp_path / "x.pb").write_bytes(content)
        with pytest.raises(norn.InvalidProtobuf, match=code):
            norn.load_value(tmp_path / "x.pb")
    with pytest.raises(norn.NoSuchFile):
        norn.load_value(tmp_path / "y.pb")
    (tmp_path / "x.npy").write_bytes(b"nothing")
    with pytest.raises(norn.Error):
        norn.load_value(tmp_path / "x.npy")


# What Norn writes.


@pytest.mark.parametrize("name", [*ARRAYS, *EXTENDED])
def test_arrays_come_back(tmp_path, name):
    array = (ARRAYS | EXTENDED)[name]
    norn.save_value(tmp_path / "x.pb", array, name="n")
    assert_equal(norn.load_values(tmp_path / "x.pb"), {"n": array})
    proto = TensorProto.FromString((tmp_path / "x.pb").read_bytes())
    assert proto.name == "n"
    if name in ARRAYS:
        np.testing.assert_array_equal(numpy_helper.to_array(proto), array)
        norn.save_value(tmp_path / "x.npy", array)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), array)
        assert_equal(norn.load_values(tmp_path / "x.npy"), {"": array})


@pytest.mark.parametrize("value", [
    [ARRAYS["floats"], ARRAYS["scalar"].astype(np.float32)],
    [],
    [[STRINGS], [STRINGS, STRINGS]],
    {"a": ARRAYS["scalar"], "ü": ARRAYS["scalar"]},
    {3: ARRAYS["floats"], -4: ARRAYS["floats"]},
    [{1: ARRAYS["floats"]}, {}],
    None,
    [None, ARRAYS["floats"]],
    STRINGS,
], ids=str)
def test_values_come_back(tmp_path, value):
    kind = {list: "sequence", dict: "map", type(None): "optional"}.get(type(value), "tensor")
    norn.save_value(tmp_path / "x.pb", value, name="v")
    assert_equal(norn.load_value(tmp_path / "x.pb", kind), value)


def test_archives(tmp_path):
    values = ARRAYS | EXTENDED
    for compress in (False, True):
        norn.save_values(tmp_path / "v.npz", values, compress=compress)
        assert_equal(norn.load_values(tmp_path / "v.npz"), values)
        with np.load(tmp_path / "v.npz") as theirs:
            for name, array in ARRAYS.items():
                np.testing.assert_array_equal(theirs[name], array)
    np.savez(tmp_path / "n.npz", **ARRAYS)
    assert_equal(norn.load_values(tmp_path / "n.npz"), ARRAYS)
    norn.save_values(tmp_path / "one.pb", {"x": ARRAYS["floats"]})
    assert_equal(norn.load_values(tmp_path / "one.pb"), {"x": ARRAYS["floats"]})
    with pytest.raises(norn.InvalidArgument, match="holds one value"):
        norn.save_values(tmp_path / "two.npy", {"x": ARRAYS["floats"], "y": ARRAYS["floats"]})
    with pytest.raises(norn.InvalidArgument, match="archive holds tensors"):
        norn.save_values(tmp_path / "s.npz", {"s": [ARRAYS["floats"]]})
    with pytest.raises(norn.InvalidArgument, match="not a dict"):
        norn.save_values(tmp_path / "s.npz", [ARRAYS["floats"]])
    with pytest.raises(norn.LimitExceeded):
        norn.load_values(tmp_path / "v.npz", limits=norn.Limits(max_tensor_bytes=100))


@pytest.mark.parametrize("name", ["x.pb", "x.npy", "x.npz"])
def test_arrays_are_the_callers_own(tmp_path, name):
    norn.save_value(tmp_path / name, ARRAYS["large"], name="x")
    before = (tmp_path / name).read_bytes()
    (array,) = norn.load_values(tmp_path / name).values()
    array[:] = 1
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("name", ["x.pb", "x.npy", "x.npz"])
def test_limits(tmp_path, name):
    path = tmp_path / name
    norn.save_value(path, ARRAYS["large"], name="x")
    size, data = path.stat().st_size, ARRAYS["large"].nbytes
    for kind in (None, "tensor"):
        for limits in (norn.Limits(max_bytes=size - 1), norn.Limits(max_tensor_bytes=data - 1)):
            with pytest.raises(norn.LimitExceeded):
                norn.load_value(path, kind, limits=limits)
            with pytest.raises(norn.LimitExceeded):
                norn.load_values(path, kind=kind, limits=limits)
        enough = norn.Limits(max_bytes=size, max_tensor_bytes=size)
        assert_equal(norn.load_value(path, kind, limits=enough), ARRAYS["large"])
    with pytest.raises(norn.LimitExceeded):
        norn.check_data(path, limits=norn.Limits(max_bytes=size - 1))


def test_limits_bind_external_data(tmp_path):
    tensor = numpy_helper.from_array(ARRAYS["floats"], "t")
    onnx.external_data_helper.set_external_data(tensor, "w.data")
    path = write(tmp_path / "x.pb", norn.save_external_tensor(tensor, tmp_path))
    size = ARRAYS["floats"].nbytes
    assert_equal(norn.load_value(path, "tensor", limits=norn.Limits(max_tensor_bytes=size)), ARRAYS["floats"])
    with pytest.raises(norn.LimitExceeded):
        norn.load_value(path, "tensor", limits=norn.Limits(max_tensor_bytes=size - 1))


def test_strings_that_are_no_text(tmp_path):
    for wrong in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        array = np.array(["a", wrong], dtype=object)
        with pytest.raises(norn.InvalidArgument, match="string 1 is not UTF-8"):
            norn.save_value(tmp_path / "x.npy", array)
        norn.save_value(tmp_path / "x.pb", array)
        assert_equal(norn.load_value(tmp_path / "x.pb"), array)
    np.save(tmp_path / "s.npy", np.array(["a", "b\udc80"]))
    with pytest.raises(norn.InvalidArgument, match=r"string 1 holds U\+dc80"):
        norn.load_value(tmp_path / "s.npy")


# What comes through DLPack.


class DLTensor(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64))


class DLManagedTensor(ctypes.Structure):
    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Exporter:
    """Memory with an element type of one's choice: (code, bits, lanes) as dlpack.h has them."""

    def __init__(self, memory, count, code, bits, lanes=1):
        self.memory = (ctypes.c_char * max(len(memory), 1)).from_buffer_copy(memory or b"\0")
        self.shape = (ctypes.c_int64 * 1)(count)
        self.managed = DLManagedTensor(
            DLTensor(ctypes.addressof(self.memory), 1, 0, 1, code, bits, lanes, self.shape, None, 0), None, None)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.managed), b"dltensor", None)


INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6
DLPACK = {
    **{(INT, b): f"int{b}" for b in (8, 16, 32, 64)},
    **{(UINT, b): f"uint{b}" for b in (8, 16, 32, 64)},
    **{(FLOAT, b): f"float{b}" for b in (16, 32, 64)},
    **{(COMPLEX, b): f"complex{b}" for b in (64, 128)},
    (BOOL, 8): "bool",
    (BFLOAT, 16): "bfloat16",
    (10, 8): "float8_e4m3fn",
    (11, 8): "float8_e4m3fnuz",
    (12, 8): "float8_e5m2",
    (13, 8): "float8_e5m2fnuz",
    (14, 8): "float8_e8m0fnu",
}


@pytest.mark.parametrize("code", [*range(20), 255])
def test_dlpack_types_are_what_they_say(tmp_path, code):
    """Other widths than a type's own would be read beyond the end of the memory, or as other numbers."""
    memory = bytes(RANDOM.integers(0, 2, 64, np.uint8))
    taken = 0
    for bits in (*range(70), 80, 96, 128, 255):
        for lanes in (0, 1, 2, 256):
            given = Exporter(memory, 3, code, bits, lanes)
            if lanes == 1 and (code, bits) in DLPACK:
                taken += 1
                norn.save_value(tmp_path / "x.pb", given)
                dtype = np.dtype(DLPACK[code, bits])
                assert_equal(norn.load_value(tmp_path / "x.pb"), np.frombuffer(memory[:3 * dtype.itemsize], dtype))
            else:
                with pytest.raises(norn.InvalidArgument, match=f"of {bits} bits"):
                    norn.save_value(tmp_path / "y.pb", given)
    assert taken == sum(c == code for c, _ in DLPACK)


def test_dlpack_types_are_named(tmp_path):
    for kind, name in (((INT, 4), r"Exporter, int of 4 bits, is"), ((UINT, 24), "uint of 24 bits, is"),
                       ((FLOAT, 32, 4), "float of 32 bits in 4 lanes, is"), ((17, 4), "float4_e2m1fn of 4 bits, is"),
                       ((200, 8), "type code 200 of 8 bits, is")):
        with pytest.raises(norn.InvalidArgument, match=name):
            norn.save_value(tmp_path / "x.pb", Exporter(b"abcd" * 8, 2, *kind))


# Checks.


def test_findings():
    tensor = numpy_helper.from_array(ARRAYS["floats"], "t")
    tensor.dims[0] = 4
    for given in (tensor, tensor.SerializeToString()):
        report = norn.check_data(given)
        assert not report.ok and report.diagnostics[0].rule == "tensor.raw.size"
        assert 'tensor "t"' in report.diagnostics[0].where
    mixed = numpy_helper.from_list([ARRAYS["floats"], ARRAYS["floats"]], "s")
    mixed.tensor_values[1].data_type = TensorProto.INT32
    assert "data.seq.homogeneous" in {d.rule for d in norn.check_data(mixed)}
    assert json.loads(norn.check_data(mixed).to_json())["errors"] > 0
    with pytest.raises(norn.InvalidArgument, match="profile"):
        norn.check_data(tensor, profile="loose")
    with pytest.raises(norn.InvalidArgument, match="not bytes"):
        norn.check_data(3)


def test_bytes_of_numpy_files_are_checked():
    file = io.BytesIO()
    np.save(file, ARRAYS["floats"])
    assert norn.check_data(file.getvalue()).ok
    with pytest.raises(norn.Error):
        norn.check_data(file.getvalue()[:-1])


def test_a_tensor_with_a_data_file(tmp_path):
    tensor = numpy_helper.from_array(ARRAYS["floats"], "t")
    onnx.external_data_helper.set_external_data(tensor, "w.data")
    saved = norn.save_external_tensor(tensor, tmp_path)
    path = write(tmp_path / "x.pb", saved)
    assert_equal(norn.load_value(path, "tensor"), ARRAYS["floats"])
    assert norn.check_data(path, "tensor").ok, str(norn.check_data(path, "tensor"))
    (tmp_path / "w.data").unlink()
    assert not norn.check_data(path, "tensor").ok


def test_numpy_files_have_no_rules(tmp_path):
    norn.save_values(tmp_path / "v.npz", ARRAYS)
    np.save(tmp_path / "x.npy", ARRAYS["floats"])
    for name in ("v.npz", "x.npy"):
        report = norn.check_data(tmp_path / name)
        assert report.ok and len(report) == 0 and report.path.endswith(name)
    (tmp_path / "v.npz").write_bytes((tmp_path / "v.npz").read_bytes()[:-30])
    with pytest.raises(norn.Error):
        norn.check_data(tmp_path / "v.npz")


def test_another_kind_is_refused(tmp_path):
    """Read as another message, all fields would be passed over, and the value would be empty."""
    path = tmp_path / "t.pb"
    shapes = {(): np.float32, (2, 3): np.float32, (2, 0): np.float32, (7, 4): np.int64}
    for array in (np.ones(shape, dtype) for shape, dtype in shapes.items()):
        tensor = numpy_helper.from_array(array, "t")
        path.write_bytes(tensor.SerializeToString())
        for kind in ("sequence", "optional", "map"):
            for call in (norn.load_value, lambda p, k: norn.load_values(p, kind=k), norn.check_data):
                with pytest.raises(norn.InvalidProtobuf, match="they are a TensorProto"):
                    call(path, kind)
        assert_equal(norn.load_value(path, "tensor"), array)
    onnx.save(add_model(), path)
    for kind in ("sequence", "optional", "map"):
        with pytest.raises(norn.InvalidProtobuf, match="this is a model"):
            norn.load_value(path, kind)


def test_arrays_that_numpy_does_not_have(tmp_path):
    """Empty, but of more elements than can be counted if it were not."""
    path = tmp_path / "t.pb"
    for kind in (TensorProto.FLOAT, TensorProto.STRING, TensorProto.INT4):
        path.write_bytes(TensorProto(data_type=kind, dims=[0, 2**40, 2**40]).SerializeToString())
        with pytest.raises(norn.LimitExceeded, match="numpy has no array"):
            norn.load_value(path, "tensor")


def test_names_of_archives(tmp_path):
    path = tmp_path / "a.npz"
    names = ["ok", "schön", "\U0001f600"]
    norn.save_values(path, {name: np.zeros(2) for name in names})
    assert np.load(path).files == names
    path.unlink()
    with pytest.raises(norn.InvalidArgument, match=r"xff.*not UTF-8"):
        norn.save_values(path, {"\udcff": np.zeros(2), "ok": np.zeros(2)})
    assert not path.exists()
    content = io.BytesIO()
    np.save(content, np.zeros(2))
    with zipfile.ZipFile(path, "w") as archive:  # marks names that are not ASCII as UTF-8
        archive.writestr("\u00e9\u2592.npy", content.getvalue())
    marked = path.read_bytes()
    at = marked.index(b"PK\x01\x02") + 8
    path.write_bytes(marked[:at] + b"\0\0" + marked[at + 2 :])
    name = "\u00e9\u2592".encode().decode("cp437")
    assert list(norn.load_values(path)) == [name]


def test_protos_that_are_no_data():
    tensor = numpy_helper.from_array(np.zeros(2), "t")
    with pytest.raises(norn.InvalidArgument, match="TensorProto was given, where SequenceProto belongs"):
        norn.check_data(tensor, "sequence")
    for model in (add_model(), norn.load(add_model())):
        with pytest.raises(norn.InvalidArgument, match="ModelProto was given"):
            norn.check_data(model)
    with pytest.raises(norn.InvalidArgument, match="the class TensorProto"):
        norn.check_data(TensorProto)
