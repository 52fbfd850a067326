"""What the norn command says about words, shapes and files that do not fit."""

import json
import pickle
import zipfile

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from onnx import helper, numpy_helper
from test_cli import norn_command


# --- words that nearly are some


def test_misspelt_words_are_reported(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(model_of([helper.make_node("Neg", ["x"], ["y"])], [value("x", [1])], [value("y", [1])]), path)
    for words, meant in (
        (["shwo", path], "show"),
        (["SHOW", path], "show"),
        (["conv", path, "-"], "convert"),
        (["opset", "exprot", "ai.onnx", "1", "-"], "export"),
        (["run", path, "--ramdom"], "--random"),
        (["check", path, "--jsno=1"], "--json"),
        (["edit", path, "-", "--pakc"], "--pack"),
        (["--verison"], "--version"),
    ):
        assert f'did you mean "{meant}"?' in norn_command(*words, code=2), words
    for words in (["frobnicate", path], ["x" * 100_000], ["opset", ""]):
        error = norn_command(*words, code=2)
        assert "did you mean" not in error and "the commands are" in error
    assert "did you mean" not in norn_command("run", path, "--frobnicate", code=2)


# --- shapes of generated inputs


def shapes_of(command):
    return [(o["name"], o["shape"]) for o in json.loads(norn_command(*command, "--json"))["outputs"]]


def test_shapes_are_of_inputs_and_bind_their_variables(tmp_path):
    path = tmp_path / "m.onnx"
    names = {"a": ["B", 3], "b": ["B"], "c": ["C", "B"], "d": [None, 2]}
    nodes = [helper.make_node("Neg", [n], [n + n]) for n in names]
    inputs, outputs = ([value(n * times, s) for n, s in names.items()] for times in (1, 2))
    onnx.save(model_of(nodes, inputs, outputs), path)
    run = ["run", path, "--shape"]
    assert shapes_of([*run, "b:4"]) == [("aa", [4, 3]), ("bb", [4]), ("cc", [1, 4]), ("dd", [1, 2])]
    assert shapes_of([*run, "c:[5,2]", "--ramp"]) == [("aa", [2, 3]), ("bb", [2]), ("cc", [5, 2]), ("dd", [1, 2])]
    np.save(tmp_path / "b.npy", np.zeros(6, np.float32))
    given = ["run", path, "-i", f"b={tmp_path}/b.npy", "--random"]
    assert shapes_of(given) == [("aa", [6, 3]), ("bb", [6]), ("cc", [1, 6]), ("dd", [1, 2])]
    assert "float[7,3]" in norn_command("explain", path, "--shape", "b:7", "--dim", "9")
    for arguments, words in (
        (["foo:1"], ('"foo"', "a  tensor(float) [B,3]", "d  tensor(float) [?,2]")),
        (["b:2", "--shape", "c:1x3"], ('"B" is 2 in input "b" and 3 in input "c"',)),
        (["b:2", "--shape", "b:2"], ('"b"', "two shapes")),
    ):
        for command in ("run", "explain"):
            error = norn_command(command, path, "--shape", *arguments, code=2)
            assert all(word in error for word in words), error
    assert "is not generated" in norn_command(*given, "--shape", "b:6", code=2)
    for command in (given, ["explain", *given[1:4]]):
        assert 'input "b" is given twice' in norn_command(*command, "-i", f"b={tmp_path}/b.npy", code=2)


# --- files of another kind


@pytest.mark.parametrize("option", ["-i", "check"])
def test_well_known_files_are_no_data(tmp_path, option):
    model = tmp_path / "m.onnx"
    onnx.save(model_of([helper.make_node("Neg", ["x"], ["y"])], [value("x", [1])], [value("y", [1])]), model)
    for content, *words in (
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "PNG image", "np.save"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(64), "JPEG image", "np.save"),
        (pickle.dumps([1.0, 2.0], 2), "pickle", "np.save"),
        (pickle.dumps([1.0, 2.0], 5), "pickle", "np.save"),
        (b"\x40" + bytes(7) + b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', "safetensors", "np.save"),
        (b"\x89HDF\r\n\x1a\n" + bytes(64), "HDF5", "h5py"),
        (b"1.0, 2.0\n3.0, 4.0\n", "text", "np.loadtxt"),
        (b"GIF89a" + bytes(64), "GIF image"),
        (b"\x1f\x8b\x08" + bytes(64), "gzip", "unpack"),
        (model.read_bytes(), "a model"),
    ):
        for name in ("d", "d.pb", "d.npy"):
            (tmp_path / name).write_bytes(content)
            if option == "-i":
                error = norn_command("run", model, "-i", tmp_path / name, code=3)
            else:
                error = norn_command("check", "--data", tmp_path / name, code=3)
            assert "field number" not in error and all(word in error for word in words), (name, error)
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("notes.txt", "nothing")
    assert "zip archive" in norn_command("run", model, "-i", tmp_path / "d.zip", code=3)


def test_data_is_no_model(tmp_path):
    array = np.ones((1, 1000), np.float32)
    sequence = onnx.SequenceProto(elem_type=1, tensor_values=[numpy_helper.from_array(array)] * 2)
    keys = onnx.MapProto(key_type=7, keys=[5], values=sequence)
    keys.values.tensor_values.pop()
    sparse = onnx.SparseTensorProto(values=numpy_helper.from_array(array[0, :2], "v"), dims=[9],
                                    indices=numpy_helper.from_array(np.array([1, 5])))
    for proto, kind in (
        (numpy_helper.from_array(array), "a TensorProto"),
        (numpy_helper.from_array(array, "named"), "a TensorProto"),
        (numpy_helper.from_array(np.float32(1)), "a TensorProto"),
        (sequence, "a SequenceProto"),
        (keys, "a MapProto"),
        (sparse, "a SparseTensorProto"),
    ):
        (tmp_path / "x.pb").write_bytes(proto.SerializeToString())
        for command in (["show"], ["run"], ["explain"], ["check"]):
            error = norn_command(*command, tmp_path / "x.pb", code=3)
            assert f"this is {kind}, data for a model" in error, (command, error)
        for words in (["convert", tmp_path / "x.pb", "-"], ["edit", tmp_path / "x.pb", tmp_path / "y.onnx", "--strip"]):
            assert kind in norn_command(*words, code=3)
        assert not (tmp_path / "y.onnx").exists()
    assert "is empty" in norn_command("show", "-", stdin=b"", code=3)


# --- images


def test_an_image_decoder_gets_the_bytes_of_the_file(tmp_path):
    path, picture = tmp_path / "m.onnx", tmp_path / "a.ppm"
    decode = helper.make_node("ImageDecoder", ["x"], ["y"], pixel_format="RGB")
    onnx.save(model_of([decode], [value("x", ["N"], onnx.TensorProto.UINT8)],
                       [value("y", ["H", "W", 3], onnx.TensorProto.UINT8)]), path)
    picture.write_bytes(b"P6 3 2 255\n" + bytes(range(18)))
    output = norn_command("run", path, "-i", f"x={picture}", "-o", tmp_path / "out")
    assert "uint8[2,3,3]" in output
    assert np.array_equal(np.load(tmp_path / "out" / "y.npy").ravel(), np.arange(18))
