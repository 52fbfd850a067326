"""How values of every kind cross into Python and back, every value of a run, and the same in `norn run`."""

import json

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from conftest import model_of, value
from onnx import TensorProto, helper, numpy_helper
from test_cli import norn_command

import norn

# --- Python -----------------------------------------------------------------------------------------------------------
TYPES = {
    TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64, TensorProto.FLOAT16: np.float16,
    TensorProto.BFLOAT16: ml_dtypes.bfloat16, TensorProto.INT8: np.int8, TensorProto.UINT8: np.uint8,
    TensorProto.INT16: np.int16, TensorProto.UINT16: np.uint16, TensorProto.INT32: np.int32,
    TensorProto.UINT32: np.uint32, TensorProto.INT64: np.int64, TensorProto.UINT64: np.uint64,
    TensorProto.BOOL: np.bool_, TensorProto.COMPLEX64: np.complex64, TensorProto.COMPLEX128: np.complex128,
    TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2, TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
    TensorProto.FLOAT8E8M0: ml_dtypes.float8_e8m0fnu, TensorProto.FLOAT6E2M3: ml_dtypes.float6_e2m3fn,
    TensorProto.FLOAT6E3M2: ml_dtypes.float6_e3m2fn, TensorProto.FLOAT4E2M1: ml_dtypes.float4_e2m1fn,
    TensorProto.INT4: ml_dtypes.int4, TensorProto.UINT4: ml_dtypes.uint4, TensorProto.INT2: ml_dtypes.int2,
    TensorProto.UINT2: ml_dtypes.uint2,
}


def value_of(name, of_type):
    return helper.make_value_info(name, of_type)


def identity(of_type):
    """y = x, by Cast for the types that Identity does not take."""
    elem_type = of_type.tensor_type.elem_type
    cast = elem_type in (TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2)
    node = helper.make_node("Cast", ["x"], ["y"], to=elem_type) if cast else helper.make_node("Identity", ["x"], ["y"])
    model = model_of([node], [value_of("x", of_type)], [value_of("y", of_type)], opset=28)
    model.ir_version = 14
    return model


def through(of_type, given):
    return norn.InferenceSession(identity(of_type)).run(None, {"x": given})[0]


@pytest.mark.parametrize("elem_type", TYPES, ids=lambda t: TensorProto.DataType.Name(t))
def test_every_element_type(elem_type):
    """numpy's own types, and those of ml_dtypes."""
    of_type = helper.make_tensor_type_proto(elem_type, None)
    for shape in ((), (0, 3), (2, 3), (3, 700)):
        numbers = np.arange(np.prod(shape)).reshape(shape) % 2
        given = numbers.astype(np.float32).astype(TYPES[elem_type])
        got = through(of_type, given)
        assert isinstance(got, np.ndarray) and got.dtype == given.dtype and got.shape == shape
        assert got.tobytes() == given.tobytes()


def test_signs_of_small_integers():
    for dtype, elem_type in ((ml_dtypes.int4, TensorProto.INT4), (ml_dtypes.int2, TensorProto.INT2)):
        info = ml_dtypes.iinfo(dtype)
        given = np.array([info.min, -1, 0, info.max], dtype)
        assert through(helper.make_tensor_type_proto(elem_type, None), given).tolist() == [info.min, -1, 0, info.max]


def test_strings_are_object_arrays():
    of_type = helper.make_tensor_type_proto(TensorProto.STRING, None)
    given = np.array([["a", "ä\0"], ["", "漢"]], object)
    for same in (given, given.tolist()):
        got = through(of_type, same)
        assert got.dtype == object and got.tolist() == given.tolist()
        assert all(type(s) is str for s in got.flat)


FLOATS = helper.make_tensor_type_proto(TensorProto.FLOAT, None)


def test_sequences_are_lists():
    items = [np.float32([1, 2]), np.zeros((0, 2), np.float32), np.float32(3)]
    got = through(helper.make_sequence_type_proto(FLOATS), items)
    assert isinstance(got, list)
    for a, b in zip(got, items, strict=True):
        np.testing.assert_array_equal(a, b)
    assert through(helper.make_sequence_type_proto(FLOATS), []) == []


def test_optionals_are_the_value_or_none():
    for held, given in ((FLOATS, np.float32([1])), (helper.make_sequence_type_proto(FLOATS), [np.float32([1])])):
        of_type = helper.make_optional_type_proto(held)
        assert through(of_type, None) is None
        got = through(of_type, given)
        assert type(got) is type(given)
        np.testing.assert_array_equal(got, given)


@pytest.mark.parametrize("key", [TensorProto.STRING, TensorProto.INT64])
def test_maps_are_dicts(key):
    """Identity takes no maps; ZipMap and DictVectorizer of ai.onnx.ml give and take them."""
    words = key == TensorProto.STRING
    labels = {"classlabels_strings": ["b", "a"]} if words else {"classlabels_int64s": [7, -3]}
    known = {"string_vocabulary": ["a", "b"]} if words else {"int64_vocabulary": [-3, 7]}
    rows = helper.make_sequence_type_proto(
        helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))
    zipped = model_of([helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", **labels)], [value("x", [1, 2])],
                      [value_of("y", rows)], domains=[("ai.onnx.ml", 1)])
    (got,) = norn.InferenceSession(zipped).run(None, {"x": np.float32([[1, 2]])})
    wanted = {"b": 1, "a": 2} if words else {7: 1, -3: 2}
    assert got == [wanted]
    of_map = helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    vector = model_of([helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", **known)],
                      [value_of("x", of_map)], [value("y", None)], domains=[("ai.onnx.ml", 1)])
    session = norn.InferenceSession(vector)
    for given in (got[0], {k: np.float32(v) for k, v in wanted.items()}):
        assert session.run(None, {"x": given})[0].tolist() == [2, 1]
    with pytest.raises(norn.InvalidArgument, match="all str or all int"):
        session.run(None, {"x": {"a": 1.0, 2: 1.0}})


# --- every value of a run ---------------------------------------------------------------------------------------------
def chain():
    """y = Exp(Neg(Abs(x)) + w), a chain that one kernel runs; the weight's sum is a constant."""
    nodes = [
        helper.make_node("Abs", ["x"], ["a"]), helper.make_node("Neg", ["a"], ["b"]),
        helper.make_node("Add", ["w", "w"], ["w2"]), helper.make_node("Add", ["b", "w2"], ["c"]),
        helper.make_node("Exp", ["c"], ["y"]), helper.make_node("TopK", ["x", "k"], ["", "i"]),
        helper.make_node("SequenceConstruct", ["a", "b"], ["s"]),
    ]
    return model_of(nodes, [value("x", ["N"])], [value("y", ["N"])],
                    [numpy_helper.from_array(np.float32([1]), "w"), numpy_helper.from_array(np.int64([1]), "k")])


def test_star_gives_every_value():
    session = norn.InferenceSession(chain())
    for x in (np.float32([1, -2, 3]), np.float32([5])):
        values = session.run("*", {"x": x})
        assert list(values) == ["a", "b", "w2", "c", "y", "i", "s"]
        wanted = {"a": abs(x), "b": -abs(x), "w2": [2], "c": 2 - abs(x), "i": [x.argmax()]}
        for name, expected in wanted.items():
            np.testing.assert_array_equal(values[name], np.float32(expected) if name != "i" else expected)
        np.testing.assert_allclose(values["y"], np.exp(2 - abs(x)), rtol=1e-6)
        assert [s.tolist() for s in values["s"]] == [abs(x).tolist(), (-abs(x)).tolist()]
        assert len(session.run(None, {"x": x})) == 1
    with pytest.raises(norn.InvalidArgument, match='"x"'):
        session.run("*", {})
    with pytest.raises(norn.InvalidArgument, match="not one str"):
        session.run("y", {"x": x})
    options = norn.RunOptions()
    options.terminate = True
    with pytest.raises(norn.Cancelled):
        session.run("*", {"x": x}, options)


def test_star_as_an_output_of_that_name():
    model = model_of([helper.make_node("Neg", ["x"], ["*"])], [value("x", [1])], [value("*", [1])])
    session = norn.InferenceSession(model)
    assert session.run(["*"], {"x": np.float32([2])})[0].tolist() == [-2]
    assert session.run("*", {"x": np.float32([2])})["*"].tolist() == [-2]


def test_star_takes_fed_weights():
    """Of files up to IR 3, whose weights are inputs."""
    w = numpy_helper.from_array(np.float32([2]), "w")
    model = model_of([helper.make_node("Mul", ["x", "w"], ["p"]), helper.make_node("Neg", ["p"], ["y"])],
                     [value("x", [1]), value("w", [1])], [value("y", [1])], [w], opset=7)
    model.ir_version = 3
    session = norn.InferenceSession(model)
    x = np.float32([3])
    assert session.run("*", {"x": x})["p"].tolist() == [6]
    assert session.run("*", {"x": x, "w": x})["p"].tolist() == [9]


def test_star_in_the_command(tmp_path):
    onnx.save(chain(), tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", np.float32([1, -2]))
    report = json.loads(norn_command("run", tmp_path / "m.onnx", "-i", tmp_path / "x.npy", "--outputs", "*", "--json",
                                     "-o", tmp_path / "out"))
    assert [o["name"] for o in report["outputs"]] == ["a", "b", "w2", "c", "y", "i", "s"]
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "b.npy"), np.float32([-1, -2]))
    assert "c  float[2]" in norn_command("run", tmp_path / "m.onnx", "-i", tmp_path / "x.npy", "--outputs", "*")


# --- test data in the command -----------------------------------------------------------------------------------------
def write_set(folder, inputs, outputs):
    folder.mkdir(parents=True, exist_ok=True)
    for kind, protos in (("input", inputs), ("output", outputs)):
        for i, proto in enumerate(protos):
            (folder / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())
    return folder


def data_report(model, *folders, code=0, options=()):
    words = [w for f in folders for w in ("--data-dir", f)]
    return json.loads(norn_command("run", model, *words, "--json", *options, code=code))["data_sets"]


@pytest.mark.parametrize("elem_type", TYPES, ids=lambda t: TensorProto.DataType.Name(t))
def test_data_sets_of_every_type(elem_type, tmp_path):
    onnx.save(identity(helper.make_tensor_type_proto(elem_type, None)), tmp_path / "m.onnx")
    x = np.array([0, 1, 1, 0, 1], np.float32).astype(TYPES[elem_type])
    ones = np.ones(5, np.float32).astype(TYPES[elem_type])
    good = write_set(tmp_path / "good", [numpy_helper.from_array(x)], [numpy_helper.from_array(x)])
    bad = write_set(tmp_path / "bad", [numpy_helper.from_array(x)], [numpy_helper.from_array(ones)])
    (report,) = data_report(tmp_path / "m.onnx", good)
    assert report["outputs"] == [{"output": "y", "agrees": True, "largest_difference": 0}]
    text = norn_command("run", tmp_path / "m.onnx", "--data-dir", good, "--data-dir", bad, code=1)
    assert "y: agrees; the largest difference is 0" in text and "1 of 2 data sets agree" in text
    wrong = int((x != ones).sum())  # some types have no zero
    assert f"{wrong} of 5 elements differ; the worst, element 0" in text


def test_the_largest_difference_is_reported(tmp_path):
    onnx.save(identity(FLOATS), tmp_path / "m.onnx")
    x = np.float32([1, 2, 4])
    near, far = x + np.float32([0, 0.0005, 0]), x + np.float32([0, 0, 1])
    for name, y in (("a", near), ("b", far), ("c", x * np.float32(np.nan))):
        write_set(tmp_path / name, [numpy_helper.from_array(x)], [numpy_helper.from_array(y)])
    a, b, c = data_report(tmp_path / "m.onnx", *(tmp_path / n for n in "abc"), code=1)
    assert a["outputs"][0]["agrees"] and abs(a["outputs"][0]["largest_difference"] - 0.0005) < 1e-6
    assert not b["outputs"][0]["agrees"] and b["outputs"][0]["largest_difference"] == 1
    assert not c["outputs"][0]["agrees"] and "largest_difference" not in c["outputs"][0]
    assert [s["name"] for s in (a, b, c)] == [str(tmp_path / n) for n in "abc"]
    assert data_report(tmp_path / "m.onnx", tmp_path / "a", code=1, options=["--rtol", 1e-5])
    assert data_report(tmp_path / "m.onnx", tmp_path / "b", options=["--atol", 2])


def test_half_precision_of_8_bits_is_compared_roughly(tmp_path):
    """By two units in the last place, as onnx's runner does, unless --rtol says."""
    onnx.save(identity(helper.make_tensor_type_proto(TensorProto.BFLOAT16, None)), tmp_path / "m.onnx")
    x = np.array([1, 2], ml_dtypes.bfloat16)
    y = np.array([1 + 2**-7, 2 + 2**-6], ml_dtypes.bfloat16)
    write_set(tmp_path / "s", [numpy_helper.from_array(x)], [numpy_helper.from_array(y)])
    data_report(tmp_path / "m.onnx", tmp_path / "s")
    data_report(tmp_path / "m.onnx", tmp_path / "s", code=1, options=["--rtol", "0.005"])


def test_data_sets_of_strings_sequences_and_optionals(tmp_path):
    strings = numpy_helper.from_array(np.array(["a", "ä", ""], object))
    others = numpy_helper.from_array(np.array(["a", "b", ""], object))
    onnx.save(identity(helper.make_tensor_type_proto(TensorProto.STRING, None)), tmp_path / "strings.onnx")
    (report,) = data_report(tmp_path / "strings.onnx", write_set(tmp_path / "s", [strings], [strings]))
    assert report["outputs"] == [{"output": "y", "agrees": True}]
    text = norn_command("run", tmp_path / "strings.onnx", "--data-dir", write_set(tmp_path / "t", [strings], [others]),
                        code=1)
    assert 'the worst, element 1, is "ä" instead of "b"' in text

    one, two = np.float32([1]), np.float32([1, 2])
    sequences = helper.make_sequence_type_proto(FLOATS)
    lists = [numpy_helper.from_list(items) for items in ([one, two], [one, one * 3], [one])]
    onnx.save(identity(sequences), tmp_path / "lists.onnx")
    data_report(tmp_path / "lists.onnx", write_set(tmp_path / "l", [lists[0]], [lists[0]]))
    text = norn_command("run", tmp_path / "lists.onnx", "--data-dir", write_set(tmp_path / "m", [lists[0]], [lists[1]]),
                        code=1)
    assert "item 1: float[2] instead of float[1]" in text
    text = norn_command("run", tmp_path / "lists.onnx", "--data-dir", write_set(tmp_path / "n", [lists[0]], [lists[2]]),
                        code=1)
    assert "2 items instead of 1" in text

    for name, held, given in (("none", FLOATS, None), ("tensor", FLOATS, one), ("list", sequences, [one, two])):
        onnx.save(identity(helper.make_optional_type_proto(held)), tmp_path / f"{name}.onnx")
        dtype = None if given is not None else onnx.OptionalProto.TENSOR
        proto = numpy_helper.from_optional(given, dtype=dtype) if given is not None else empty_optional()
        data_report(tmp_path / f"{name}.onnx", write_set(tmp_path / f"o-{name}", [proto], [proto]))
    wrong = write_set(tmp_path / "o-wrong", [empty_optional()], [numpy_helper.from_optional(one)])
    assert "none instead of float[1]" in norn_command("run", tmp_path / "tensor.onnx", "--data-dir", wrong, code=1)


def empty_optional():
    return onnx.OptionalProto(elem_type=onnx.OptionalProto.TENSOR)


def test_data_sets_of_maps(tmp_path):
    """A map's keys have no order."""
    of_map = helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    rows = helper.make_sequence_type_proto(of_map)
    zipped = model_of([helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["b", "a"])],
                      [value("x", [1, 2])], [value_of("y", rows)], domains=[("ai.onnx.ml", 1)])
    onnx.save(zipped, tmp_path / "zip.onnx")

    def row(entries):
        numbers = [numpy_helper.from_array(np.float32(v)) for v in entries.values()]
        content = onnx.MapProto(key_type=TensorProto.STRING, string_keys=[k.encode() for k in entries])
        content.values.CopyFrom(onnx.SequenceProto(elem_type=onnx.SequenceProto.TENSOR, tensor_values=numbers))
        return onnx.SequenceProto(elem_type=onnx.SequenceProto.MAP, map_values=[content])
    x = numpy_helper.from_array(np.float32([[1, 2]]))
    (report,) = data_report(tmp_path / "zip.onnx", write_set(tmp_path / "good", [x], [row({"a": 2, "b": 1})]))
    assert report["outputs"] == [{"output": "y", "agrees": True, "largest_difference": 0}]
    for name, entries, what in (("value", {"a": 2, "b": 3}, 'item 0: key "b": 1 of 1'),
                                ("key", {"a": 2, "c": 1}, 'there is no key "c"'), ("less", {"a": 2}, "2 keys")):
        folder = write_set(tmp_path / name, [x], [row(entries)])
        assert what in norn_command("run", tmp_path / "zip.onnx", "--data-dir", folder, code=1)

    vector = model_of([helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml",
                                        string_vocabulary=["a", "c", "b"])],
                      [value_of("x", of_map)], [value("y", None)], domains=[("ai.onnx.ml", 1)])
    onnx.save(vector, tmp_path / "vector.onnx")
    given = row({"a": 2, "b": 1}).map_values[0]
    data_report(tmp_path / "vector.onnx",
                write_set(tmp_path / "map", [given], [numpy_helper.from_array(np.float32([2, 0, 1]))]))


# --- images -----------------------------------------------------------------------------------------------------------
PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3) * 13


def image_file(folder, pixels=PIXELS):
    """A PNM file, which needs no library to write."""
    kind = "P6" if pixels.ndim == 3 else "P5"
    header = f"{kind} {pixels.shape[1]} {pixels.shape[0]} 255\n".encode()
    path = folder / "photo.PPM"
    path.write_bytes(header + pixels.tobytes())
    return path


def image_value(folder, dims, elem_type=TensorProto.FLOAT, path=None, metadata=()):
    """What the model gets."""
    model = model_of([helper.make_node("Identity", ["image"], ["y"])], [value("image", dims, elem_type)],
                     [value("y", None, elem_type)])
    helper.set_model_props(model, dict(metadata))
    onnx.save(model, folder / "m.onnx")
    norn_command("run", folder / "m.onnx", "-i", f"image={path or image_file(folder)}", "-o", folder / "out")
    return np.load(folder / "out" / "y.npy")


def test_images_are_laid_out_as_the_input_is(tmp_path):
    unit = (PIXELS / np.float32(255)).astype(np.float32)
    for dims, wanted in (
        (["N", 3, "H", "W"], unit.transpose(2, 0, 1)[None]), ([1, 3, 2, 3], unit.transpose(2, 0, 1)[None]),
        ([1, "H", "W", 3], unit[None]), ([3, None, None], unit.transpose(2, 0, 1)), (["H", "W", 3], unit),
    ):
        np.testing.assert_allclose(image_value(tmp_path, dims), wanted, rtol=1e-6)
    np.testing.assert_array_equal(image_value(tmp_path, ["H", "W", 3], TensorProto.UINT8), PIXELS)
    gray = np.uint8([[0, 100, 255]])
    path = image_file(tmp_path, gray)
    for dims in ([1, 1, "H", "W"], [1, "H", "W"], ["H", "W"], ["N", "H", "W"], ["N", "H", "W", 1]):
        got = image_value(tmp_path, dims, TensorProto.UINT8, path)
        assert got.ndim == len(dims) and got.flatten().tolist() == gray.flatten().tolist()


def test_images_are_scaled_to_the_input(tmp_path):
    even = np.repeat(np.repeat(PIXELS, 2, axis=0), 2, axis=1)
    got = image_value(tmp_path, [2, 3, 3], TensorProto.UINT8, image_file(tmp_path, even))
    assert got.shape == (2, 3, 3)
    flat = np.full((5, 7, 3), 40, np.uint8)
    got = image_value(tmp_path, [1, 3, 4, 4], TensorProto.UINT8, image_file(tmp_path, flat))
    assert got.shape == (1, 3, 4, 4) and (got == 40).all()


def test_metadata_says_what_pixels_mean(tmp_path):
    for nominal, scale, offset in (("NominalRange_0_255", 1, 0), ("Normalized_0_1", 1 / 255, 0),
                                   ("Normalized_1_1", 2 / 255, -1), ("NominalRange_16_235", 219 / 255, 16)):
        got = image_value(tmp_path, ["H", "W", 3], metadata={"image.nominalpixelrange": nominal})
        np.testing.assert_allclose(got, PIXELS * scale + offset, rtol=1e-5, atol=1e-5)
    got = image_value(tmp_path, ["H", "W", 3], TensorProto.UINT8, metadata={"Image.BitmapPixelFormat": "Bgr8"})
    np.testing.assert_array_equal(got, PIXELS[:, :, ::-1])


def test_images_for_what_takes_none(tmp_path):
    path = image_file(tmp_path)
    for dims, elem_type, what in (([4], TensorProto.FLOAT, "not an image"), (None, TensorProto.FLOAT, "not an image"),
                                  ([2, 3, 8, 8], TensorProto.FLOAT, "2 images at a time"),
                                  ([1, 3, 8, 8], TensorProto.BOOL, "not an image"),
                                  ([1, 4, 8, 8], TensorProto.FLOAT, "not an image")):
        model = model_of([helper.make_node("Identity", ["image"], ["y"])], [value("image", dims, elem_type)],
                         [value("y", None, elem_type)])
        onnx.save(model, tmp_path / "m.onnx")
        assert what in norn_command("run", tmp_path / "m.onnx", "-i", path, code=2)
    model = model_of([helper.make_node("Identity", ["image"], ["y"])], [value("image", [1, 3, 8, 8])],
                     [value("y", None)])
    onnx.save(model, tmp_path / "m.onnx")
    path.write_bytes(path.read_bytes()[:-1])
    assert "cannot be decoded" in norn_command("run", tmp_path / "m.onnx", "-i", path, code=3)
    assert "nowhere.png" in norn_command("run", tmp_path / "m.onnx", "-i", tmp_path / "nowhere.png", code=3)


def test_every_value_is_of_the_weights_that_the_session_began_with(tmp_path):
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 64])
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    weights = onnx.numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["p"]), onnx.helper.make_node("Relu", ["p"], ["y"])]
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [x], [y], [weights]), ir_version=10)
    path = tmp_path / "m.onnx"
    onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    session = norn.InferenceSession(path)
    (tmp_path / "w.bin").rename(tmp_path / "gone.bin")
    feed = {"x": np.ones((1, 64), np.float32)}
    assert (session.run(None, feed)[0] == 64).all() and (session.run("*", feed)["y"] == 64).all()


# --- outputs in the caller's arrays
PLACED = """<ir_version: 9, opset_import: ["": 21]>
agraph (float[N] x) => (y, same, kept) { y = Neg(x) same = Identity(x) i = NonZero(x) kept = Identity(i) }"""


def test_outputs_are_written_to_given_arrays():
    session = norn.InferenceSession(onnx.parser.parse_model(PLACED))
    x = np.array([1, 0, 3], np.float32)
    y, same, kept = np.empty(3, np.float32), np.empty(3, np.float32), np.empty((1, 2), np.int64)
    for _ in range(2):
        y[:], same[:], kept[:] = 0, 0, 0
        found = session.run(None, {"x": x}, outputs={"same": same, "y": y, "kept": kept})
        assert found[0] is y and found[1] is same and found[2] is kept
        assert y.tolist() == [-1, 0, -3] and same.tolist() == [1, 0, 3] and kept.tolist() == [[0, 2]]
    one, two = session.run(["kept", "y"], {"x": x}, outputs={"y": y})
    assert two is y and one is not kept and one.tolist() == [[0, 2]]
    assert session.run(["y"], {"x": x}, outputs={"y": x})[0] is x and x.tolist() == [-1, 0, -3]


def test_given_arrays_have_to_fit():
    session = norn.InferenceSession(onnx.parser.parse_model(PLACED))
    x = np.array([1, 0, 3], np.float32)
    good = np.empty(3, np.float32)
    frozen = np.empty(3, np.float32)
    frozen.flags.writeable = False
    for outputs, why in [
        ({"y": np.empty(4, np.float32)}, r'the output "y" is float\[3\], but the place given for it is float\[4\]'),
        ({"kept": np.empty((1, 3), np.int64)}, r"int64\[1,2\], but the place given for it is int64\[1,3\]"),
        ({"y": np.empty(3, np.float64)}, "double"),
        ({"z": good}, 'no output "z"'),
        ({"y": good, "same": good}, "overlap"),
        ({"y": np.empty(6, np.float32)[::2]}, "C-contiguous"),
        ({"y": frozen}, "writable"),
        ({"y": [0, 0, 0]}, "cannot hold an output"),
        ({"y": np.empty(3, object)}, "cannot hold an output"),
    ]:
        with pytest.raises(norn.InvalidArgument, match=why):
            session.run(None, {"x": x}, outputs=outputs)
    with pytest.raises(norn.InvalidArgument, match="outputs is list"):
        session.run(None, {"x": x}, outputs=[good])
