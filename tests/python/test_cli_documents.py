"""The commands that read and write documents: check, edit, convert, opset."""

import json
import os
import re
import subprocess

import numpy as np
import onnx
import pytest
from conftest import DIGITS, add_model
from onnx import numpy_helper, parser
from test_cli import NORN, norn_command
from test_operator_sets import DOCUMENT

CNN = str(DIGITS / "digits_cnn.onnx")
FLOATS = np.ones((2, 3), np.float32)


@pytest.fixture
def model_file(tmp_path):
    onnx.save(add_model(), tmp_path / "add.onnx")
    return tmp_path / "add.onnx"


def broken(tmp_path):
    model = add_model()
    model.graph.node[0].op_type = "Adde"
    onnx.save(model, tmp_path / "broken.onnx")
    return tmp_path / "broken.onnx"


def write(path, proto):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(proto.SerializeToString())
    return path


# norn check


def test_check(tmp_path, model_file):
    assert "0 errors" in norn_command("check", model_file)
    output = norn_command("check", broken(tmp_path), code=1)
    assert 'error[op.declared]: there is no operator "Adde"' in output and 'did you mean "Add"' in output and "node 0" in output
    assert "0 errors" in norn_command("check", "-", stdin=model_file.read_bytes())
    report = json.loads(norn_command("check", "--json", broken(tmp_path), code=1))
    assert report["errors"] == 1 and not report["ok"]
    assert "norn check MODEL" in norn_command("check", code=2)
    assert "the profiles are" in norn_command("check", model_file, "--profile", "loose", code=2)
    assert "op.declared" in norn_command("check", "--list-rules")


def test_check_of_several_files(tmp_path, model_file):
    reports = json.loads(norn_command("check", "--json", model_file, broken(tmp_path), code=1))
    assert [r["errors"] for r in reports] == [0, 1]
    log = json.loads(norn_command("check", "--sarif", model_file, broken(tmp_path), code=1))
    assert log["version"] == "2.1.0" and len(log["runs"]) == 2
    # One that cannot be read does not keep the others from being checked.
    errors = norn_command("check", tmp_path / "nowhere.onnx", broken(tmp_path), code=3)
    assert "nowhere.onnx" in errors


def test_check_of_several_files_in_text(tmp_path, model_file):
    bad = broken(tmp_path)
    output = norn_command("check", model_file, bad, code=1)
    assert f"{bad}: error[op.declared]" in output and output.endswith("shows the notes\n")
    assert re.search(r"^2 files: 1 error, \d+ warnings?, \d+ notes \(not shown\)$", output, re.M)
    done = output_of("check", tmp_path / "nowhere.onnx", bad, code=3)
    assert re.search(r"^2 files: 1 error, .*, 1 could not be checked$", done, re.M)
    assert "files:" not in norn_command("check", bad, code=1)


def test_check_hides_notes_unless_asked(model_file):
    notes = json.loads(norn_command("check", "--json", model_file))["notes"]
    assert notes > 0
    output = norn_command("check", model_file)
    assert "note[" not in output and f"{notes} note" in output and "(not shown)" in output and "--notes" in output
    for flag in ("--notes", "-v"):
        output = norn_command("check", flag, model_file)
        assert output.count("note[") == notes and "not shown" not in output and "--notes" not in output
    assert norn_command("check", "--notes", "--json", model_file) == norn_command("check", "--json", model_file)


def test_check_of_folders(tmp_path, model_file):
    folder = tmp_path / "models" / "deep"
    folder.mkdir(parents=True)
    for name in ("b.onnx", "a.json", "c.pb"):
        norn_command("convert", model_file, folder / name, "--to", "json" if name.endswith("json") else "onnx")
    broken(tmp_path / "models")
    data = onnx.TensorProto(data_type=onnx.TensorProto.FLOAT, dims=[1], float_data=[1])
    write(folder / "test_data_set_0" / "input_0.pb", data)
    write(folder / "weights.pb", data)
    np.save(folder / "x.npy", FLOATS)
    for name, text in (("config.json", '{"a": 1}'), ("notes.txt", "model"), ("x.textproto", "ir_version: 8")):
        (folder / name).write_text(text)
    reports = json.loads(norn_command("check", "--json", tmp_path / "models", code=1))
    names = [os.path.relpath(r["path"], tmp_path / "models") for r in reports]
    deep = [f"deep/{name}" for name in ("a.json", "b.onnx", "c.pb", "test_data_set_0/input_0.pb", "x.npy")]
    assert names == ["broken.onnx", *deep]
    assert [r["errors"] for r in reports] == [1, 0, 0, 0, 0, 0]
    assert "6 files: 1 error" in norn_command("check", tmp_path / "models", code=1)
    assert "7 files: 1 error" in norn_command("check", model_file, tmp_path / "models", code=1)
    (tmp_path / "empty").mkdir()
    assert "no model in the folder" in norn_command("check", tmp_path / "empty", code=2)


def test_files_that_cannot_be_read_stand_in_reports(tmp_path, model_file):
    bad = tmp_path / "b%d.npz"
    bad.write_bytes(b"PK\x03\x04 nonsense")
    nowhere = tmp_path / "nowhere.onnx"

    def json_report(*files, code=3):
        return json.loads(output_of("check", "--json", *files, code=code))

    one = json_report(bad)
    assert (one["path"], one["ok"]) == (str(bad), False)
    assert set(one["error"]) == {"code", "message", "where", "hint"} and one["error"]["message"]
    several = json_report(nowhere, model_file, bad)
    assert [r["path"] for r in several] == [str(nowhere), str(model_file), str(bad)]
    assert [r["ok"] for r in several] == [False, True, False]
    assert several[0]["error"]["code"] == "NoSuchFile" and "error" not in several[1] and several[2] == one

    log = json.loads(output_of("check", "--sarif", bad, model_file, broken(tmp_path), code=3))
    unread, sound, faulty = log["runs"]
    (invocation,) = unread["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is False and unread["results"] == []
    assert notification["level"] == "error" and notification["message"]["text"].startswith(one["error"]["message"])
    place = notification["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == str(tmp_path / "b%25d.npz") and "ruleId" not in notification
    assert unread["tool"]["driver"]["name"] == "norn" and not unread["tool"]["driver"]["rules"]
    assert "invocations" not in sound and "op.declared" in [r["ruleId"] for r in faulty["results"]]
    assert len(json.loads(output_of("check", "--sarif", bad, code=3))["runs"]) == 1

    assert output_of("check", "--json", "-", code=3, stdin=b"junk {").startswith('{\n  "path": "standard input",')


def output_of(*arguments, code, stdin=None):
    """Standard output, whatever the exit code."""
    done = subprocess.run([NORN, *map(str, arguments)], capture_output=True, input=stdin, timeout=300)
    assert done.returncode == code and done.stderr.startswith(b"error: "), done.stderr
    return done.stdout.decode()


def test_data_files_are_recognised_by_their_names(tmp_path):
    folder = tmp_path / "test_data_set_0"
    good = write(folder / "input_0.pb", numpy_helper.from_array(FLOATS, "x"))
    tensor = numpy_helper.from_array(FLOATS, "y")
    tensor.dims[0] = 7
    bad = write(folder / "output_12.pb", tensor)
    np.save(tmp_path / "x.npy", FLOATS)
    np.savez(tmp_path / "v.npz", FLOATS)
    (tmp_path / "C.NPY").write_bytes((tmp_path / "x.npy").read_bytes())
    output = norn_command("check", good, tmp_path / "x.npy", tmp_path / "v.npz", tmp_path / "C.NPY")
    assert output.count("no findings") == 4
    assert "tensor.raw.size" in norn_command("check", bad, code=1)
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY nonsense")
    assert "x.npy" in norn_command("check", tmp_path / "x.npy", code=3)


def test_data_files_of_other_names(tmp_path):
    path = write(tmp_path / "weights.pb", numpy_helper.from_array(FLOATS, "x"))
    assert "--data" in norn_command("check", path, code=3)
    assert "no findings" in norn_command("check", "--data", path)
    assert "no findings" in norn_command("check", "--kind", "tensor", path)
    assert "they are a TensorProto" in norn_command("check", "--kind", "map", path, code=3)
    assert "the kinds are" in norn_command("check", "--kind", "list", path, code=2)
    assert "no findings" in norn_command("check", "--data", "-", stdin=path.read_bytes())
    assert "this is a model" in norn_command("check", "--data", CNN, code=3)


def test_numpy_files_on_standard_input(tmp_path):
    np.save(tmp_path / "x.npy", FLOATS)
    np.savez(tmp_path / "v.npz", a=FLOATS, b=FLOATS)
    for name in ("x.npy", "v.npz"):
        content = (tmp_path / name).read_bytes()
        assert norn_command("check", "--data", "-", stdin=content) == "standard input: no findings\n"
        assert "no findings" in norn_command("check", "--kind", "tensor", "-", stdin=content)
        assert "at: standard input" in norn_command("check", "--data", "-", stdin=content[:-9], code=3)
    sequence = numpy_helper.from_list([FLOATS], "s").SerializeToString()
    assert "--kind" in norn_command("check", "--data", "-", stdin=sequence, code=3)
    assert "no findings" in norn_command("check", "--kind", "sequence", "-", stdin=sequence)


def test_the_model_beside_determines_what_data_are(tmp_path):
    path = write(tmp_path / "test_data_set_0" / "input_0.pb", numpy_helper.from_list([FLOATS], "s"))
    assert "--kind" in norn_command("check", path, code=3)
    assert "no findings" in norn_command("check", path, "--kind", "sequence")
    onnx.save(parser.parse_model('''<ir_version: 8, opset_import: ["" : 17]>
        g (seq(float) s) => (int64 n) { n = SequenceLength(s) }'''), tmp_path / "model.onnx")
    assert "no findings" in norn_command("check", path)


# norn edit


def test_edit(tmp_path):
    packed, unpacked, stripped = (tmp_path / name for name in ("p.onnx", "u.onnx", "s.onnx"))
    norn_command("edit", CNN, unpacked, "--unpack", "w.data")
    assert (tmp_path / "w.data").stat().st_size > unpacked.stat().st_size
    norn_command("edit", unpacked, packed, "--pack")
    with open(CNN, "rb") as original:
        assert packed.read_bytes() == original.read()
    norn_command("edit", unpacked, stripped, "--strip")
    assert stripped.stat().st_size < unpacked.stat().st_size
    assert all(not t.raw_data for t in onnx.load(stripped).graph.initializer)
    assert "0 errors" in norn_command("check", unpacked)


def test_edit_through_pipes(tmp_path, model_file):
    with open(CNN, "rb") as file:
        original = file.read()
    norn_command("edit", "-", tmp_path / "u.onnx", "--unpack", "w.data", stdin=original)
    norn_command("edit", "-", tmp_path / "p.onnx", "--pack", "--external-root", tmp_path,
                 stdin=(tmp_path / "u.onnx").read_bytes())
    assert (tmp_path / "p.onnx").read_bytes() == original
    assert "name OUT" in norn_command("edit", model_file, "-", "--unpack", "w.data", code=2)


def test_data_files_in_another_folder(tmp_path):
    norn_command("edit", CNN, tmp_path / "u.onnx", "--unpack", "data/w.data")
    (tmp_path / "data").rename(tmp_path / "moved")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "moved").rename(tmp_path / "elsewhere" / "data")
    model, root = tmp_path / "u.onnx", ("--external-root", tmp_path / "elsewhere")
    assert "w.data" in norn_command("run", model, "--random", code=3)
    assert "ext.location" in norn_command("check", model, code=1)
    assert "logits" in norn_command("run", *root, model, "--random")
    assert "0 errors" in norn_command("check", *root, model)
    assert "Conv" in norn_command("explain", *root, model)
    norn_command("convert", *root, model, tmp_path / "elsewhere" / "m.textproto")


def test_hints_about_links_name_options(tmp_path):
    repository = tmp_path / "models--a--b"
    snapshot = repository / "snapshots" / "f00d"
    snapshot.mkdir(parents=True)
    (repository / "blobs").mkdir()
    norn_command("edit", CNN, snapshot / "u.onnx", "--unpack", "w.data")
    blob, model = repository / "blobs" / "abc", snapshot / "u.onnx"
    (snapshot / "w.data").rename(blob)
    (snapshot / "w.data").symlink_to("../../blobs/abc")
    assert "--hf-cache" in norn_command("run", model, "--random", code=3)
    assert "logits" in norn_command("run", model, "--random", "--hf-cache")
    blob.rename(tmp_path / "elsewhere")
    (snapshot / "w.data").unlink()
    (snapshot / "w.data").symlink_to("../../../elsewhere")
    for flags in ([], ["--hf-cache"]):
        hint = norn_command("run", model, "--random", *flags, code=3).split("help:")[1]
        assert "--external-root" in hint and f'"{tmp_path}"' in hint and "--hf-cache" not in hint
    assert "logits" in norn_command("run", model, "--random", "--external-root", tmp_path)
    (snapshot / "w.data").unlink()
    (snapshot / "w.data").hardlink_to(tmp_path / "elsewhere")
    assert "--hard-links" in norn_command("run", model, "--random", code=3)
    assert "logits" in norn_command("run", model, "--random", "--hard-links")
    assert "--external-root" in norn_command("run", "-", "--random", code=3, stdin=model.read_bytes())


def test_edit_errors(tmp_path, model_file):
    out = tmp_path / "out.onnx"
    assert "--pack,--unpack,--strip" in norn_command("edit", model_file, out, code=2)
    assert "2 were given" in norn_command("edit", model_file, out, "--pack", "--strip", code=2)
    assert "nowhere" in norn_command("edit", tmp_path / "nowhere", out, "--pack", code=3)
    assert '".."' in norn_command("edit", CNN, out, "--unpack", "../w.data", code=3)
    (tmp_path / "w.data").write_bytes(b"somebody's")
    assert "other content" in norn_command("edit", CNN, out, "--unpack", "w.data", code=3)
    assert not out.exists() and (tmp_path / "w.data").read_bytes() == b"somebody's"


@pytest.mark.parametrize(
    ("option", "bad"),
    [("--alignment", ["-1", "3", "4097", 2**31, "x"]), ("--threshold", ["-1", "1k"]), ("--max-file-bytes", ["-1"])],
)
def test_edit_refuses_bad_numbers(tmp_path, option, bad):
    for number in bad:
        errors = norn_command("edit", CNN, tmp_path / "u.onnx", "--unpack", "w.data", option, number, code=2)
        assert option in errors and str(number) in errors
    assert not list(tmp_path.iterdir())
    norn_command("edit", CNN, tmp_path / "u.onnx", "--unpack", "w.data", option, 2**30)


@pytest.mark.parametrize("name", ["\udcff.data", "d\udcc3/w.data", "a\\b.data"])
def test_data_files_have_names_that_models_can_hold(tmp_path, name):
    done = subprocess.run([NORN, "edit", CNN, tmp_path / "u.onnx", "--unpack", name], capture_output=True, timeout=300)
    assert done.returncode == 2 and b"UTF-8" in done.stderr and not list(tmp_path.iterdir())
    norn_command("edit", CNN, tmp_path / "u.onnx", "--unpack", "gewichte-\u00fc.data")
    assert "0 errors" in norn_command("check", tmp_path / "u.onnx")


def test_files_are_not_written_to_devices(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    errors = norn_command("edit", CNN, tmp_path / "pipe", "--pack", code=3)
    assert "not a regular file" in errors and "standard output" in errors
    for command in (["convert"], ["edit", "--pack"]):
        assert "it is a folder" in norn_command(*command, CNN, tmp_path, code=3)


# norn convert


@pytest.mark.parametrize("extension", ["pb", "onnxtxt", "json", "textproto"])
def test_convert(tmp_path, model_file, extension):
    norn_command("convert", model_file, tmp_path / f"m.{extension}")
    norn_command("convert", tmp_path / f"m.{extension}", tmp_path / "back.onnx")
    assert norn_command("convert", tmp_path / "back.onnx", "-") == norn_command("convert", model_file, "-")


@pytest.mark.parametrize(("extension", "start"), [("JSON", b"{"), ("OnnxTxt", b"<"), ("TextProto", b"ir_version")])
def test_extensions_in_capitals(tmp_path, model_file, extension, start):
    written = tmp_path / f"M.{extension}"
    norn_command("convert", model_file, written)
    assert written.read_bytes().startswith(start)
    assert "Add" in norn_command("show", written)
    assert "0 errors" in norn_command("check", written)


def test_short_names_have_no_extension(tmp_path, model_file):
    for name in ("n", "json", "pbtxt", ".x"):
        norn_command("convert", model_file, tmp_path / name)
        assert (tmp_path / name).read_bytes() == model_file.read_bytes()


def test_unknown_extensions_are_refused(tmp_path, model_file):
    for name in ("a.tflite", "x.jso", "m.onnx.bak", "m.", "m.txt"):
        error = norn_command("convert", model_file, tmp_path / name, code=2)
        assert all(known in error for known in (".onnx", ".onnxtxt", ".json", ".textproto", "--to")), error
        assert not (tmp_path / name).exists()
        norn_command("convert", model_file, tmp_path / name, "--to", "onnx")
        assert (tmp_path / name).read_bytes() == model_file.read_bytes()
    norn_command("convert", model_file, tmp_path / "a.ONNX")
    assert (tmp_path / "a.ONNX").read_bytes() == model_file.read_bytes()


def test_what_text_leaves_out_is_reported(tmp_path, model_file):
    def note(*arguments):
        done = subprocess.run([NORN, *map(str, arguments)], capture_output=True, check=True, timeout=300)
        return done.stderr.decode()

    text = tmp_path / "m.onnxtxt"
    for ways in (["convert", text], ["convert", "-"], ["edit", text, "--pack"]):
        assert note(ways[0], model_file, *ways[1:]) == ""
    model = add_model()
    model.training_info.add()
    model.graph.quantization_annotation.add(tensor_name="x")
    model.graph.node[0].metadata_props.add(key="k", value="v")
    onnx.save(model, model_file)
    misnamed = tmp_path / "m.txt"
    for ways in (["convert", text], ["convert", "-"], ["convert", misnamed, "--to", "text"], ["edit", text, "--pack"]):
        printed = note(ways[0], model_file, *ways[1:])
        assert printed.startswith("note: ") and printed.count("\n") == 1
        assert all(word in printed for word in ("training_info", "quantization_annotation", "metadata_props"))
    command = f'"{NORN}" convert "{model_file}" /dev/stdout --to text | cat'
    piped = subprocess.run(["sh", "-c", command], capture_output=True, check=True, timeout=300)
    assert piped.stdout == text.read_bytes() and piped.stderr.decode() == printed
    for ways in (["m.json"], ["m.pbtxt"], ["m.onnxtxt", "--to", "json"]):
        assert note("convert", model_file, tmp_path / ways[0], *ways[1:]) == ""


def test_convert_through_pipes(model_file):
    assert "Add" in norn_command("convert", model_file, "-")
    text = norn_command("convert", model_file, "-", "--to", "json")
    assert '"Add"' in text and json.loads(text)["graph"]["name"] == "g"
    assert "Add" in norn_command("convert", "-", "-", "--from", "json", stdin=text.encode())
    errors = norn_command("convert", "-", "-", "--from", "text", stdin=b"junk {", code=3)
    assert "standard input" in errors and "line 1" in errors
    assert "the notations are" in norn_command("convert", model_file, "-", "--to", "yaml", code=2)


# norn opset, and documents for models


@pytest.fixture
def acme(tmp_path):
    (tmp_path / "acme.textproto").write_text(DOCUMENT)
    return tmp_path / "acme.textproto"


def acme_model(tmp_path, operator):
    onnx.save(parser.parse_model(f'''<ir_version: 8, opset_import: ["" : 17, "com.acme.ops" : 2]>
        g (float[3] a) => (float[3] b) {{ b = com.acme.ops.{operator}(a) }}'''), tmp_path / f"{operator}.onnx")
    return tmp_path / f"{operator}.onnx"


@pytest.mark.parametrize("option", ["--opset", "--operator-set"])
def test_documents_for_models(tmp_path, acme, option):
    twice = acme_model(tmp_path, "Twice")
    assert "0 errors" in norn_command("check", option, acme, twice, "--custom-domains")
    output = norn_command("run", option, acme, twice, "--ramp")
    assert "b  float[3]" in output and "1.33333" in output
    assert "Twice" in norn_command("explain", twice, option, acme)
    assert "no operator" in norn_command("run", twice, "--ramp", code=3)
    assert 'no operator "Thrice"' in norn_command("check", acme_model(tmp_path, "Thrice"), option, acme, code=1)
    assert "without a body" in norn_command("run", acme_model(tmp_path, "Decrypt"), "--ramp", option, acme, code=3)
    assert "this is a model" in norn_command("run", twice, "--ramp", option, twice, code=3)


def test_opset(tmp_path, acme):
    assert "body of 3 nodes" in norn_command("opset", "show", acme)
    page = json.loads(norn_command("opset", "show", "--json", acme))
    assert (page["domain"], page["version"]) == ("com.acme.ops", 2)
    assert [f["name"] for f in page["functions"]] == ["Affine", "Twice"]
    assert "no findings" in norn_command("opset", "check", acme)
    assert "no findings" in norn_command("opset", "check", "-", "--from", "textproto", stdin=DOCUMENT.encode())
    wrong = tmp_path / "wrong.textproto"
    wrong.write_text(DOCUMENT.replace("Decrypt", "Encrypt"))
    output = norn_command("opset", "check", acme, wrong, code=1)
    assert "opsetdoc.domain.unique" in output
    reports = json.loads(norn_command("opset", "check", "--json", acme, wrong, code=1))
    assert [r["ok"] for r in reports] == [True, True, False]
    wrong.write_text(DOCUMENT.replace("ONNXOPSET", "ONNX"))
    assert "opsetdoc.magic" in norn_command("opset", "check", wrong, code=1)
    assert "opsetdoc.magic" in norn_command("opset", "show", wrong, code=3)


def test_documents_that_cannot_be_read_stand_in_reports(tmp_path):
    norn_command("opset", "export", "ai.onnx", 17, tmp_path / "o.json")
    reports = json.loads(output_of("opset", "check", "--json", tmp_path / "nowhere", tmp_path / "o.json", code=3))
    assert [r["ok"] for r in reports] == [False, True] and reports[0]["error"]["code"] == "NoSuchFile"


@pytest.mark.parametrize("command", [("show",), ("show", "--text"), ("run",), ("explain",)], ids=" ".join)
def test_an_error_is_an_object_for_those_who_ask_for_json(command, tmp_path):
    answer = json.loads(output_of(*command, tmp_path / "nowhere.onnx", "--json", code=3))
    assert answer["ok"] is False and answer["error"]["code"] == "NoSuchFile"
    assert set(answer["error"]) == {"code", "message", "where", "hint"}
    misspelt = json.loads(output_of(command[0], "--json", "--no-such-flag", "m.onnx", code=2))
    assert misspelt["error"]["code"] == "InvalidArgument" and "no-such-flag" in misspelt["error"]["message"]
    assert output_of(*command, tmp_path / "nowhere.onnx", code=3) == ""


@pytest.mark.parametrize(
    "arguments",
    [["opset"], [], ["opset", "show"], ["nonsense"], ["convert", CNN], ["run", CNN, "--rtol", "x"], ["check"]],
    ids=lambda a: " ".join(a) or "nothing",
)
def test_usage_errors_are_objects_for_those_who_ask_for_json(arguments):
    answer = json.loads(output_of(*arguments, "--json", code=2))
    assert answer["ok"] is False and answer["error"]["code"] == "InvalidArgument" and answer["error"]["message"]
    assert output_of(*arguments, code=2) == ""


@pytest.mark.parametrize("arguments", [[], ["--list-rules"], [CNN, "--nonsense"], [CNN, "--profile", "loose"]],
                         ids=" ".join)
def test_usage_errors_are_logs_for_those_who_ask_for_sarif(arguments):
    log = json.loads(output_of("check", "--sarif", *arguments, code=2))
    (run,) = log["runs"]
    (invocation,) = run["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert log["version"] == "2.1.0" and run["results"] == [] and invocation["executionSuccessful"] is False
    assert notification["message"]["text"] and "locations" not in notification


def test_opset_export(tmp_path):
    norn_command("opset", "export", "ai.onnx", 17, tmp_path / "o.json")
    assert "ai.onnx version 17" in norn_command("opset", "show", tmp_path / "o.json")
    text = norn_command("opset", "export", "ai.onnx.ml", 3, "-")
    assert 'domain: "ai.onnx.ml"' in text
    norn_command("opset", "export", "ai.onnx", 17, tmp_path / "A.TEXTPROTO")
    assert (tmp_path / "A.TEXTPROTO").read_text().startswith("magic: ")
    assert "ai.onnx version 17" in norn_command("opset", "show", tmp_path / "A.TEXTPROTO")
    assert '"-1"' in norn_command("opset", "export", "ai.onnx", "-1", tmp_path / "x", code=2)
    assert "versions go from 1 to" in norn_command("opset", "export", "ai.onnx", 999, tmp_path / "x", code=3)
    assert "not built in" in norn_command("opset", "export", "com.acme", 1, tmp_path / "x", code=3)
