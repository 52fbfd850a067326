"""The norn command: what it prints, what it writes, and its exit codes."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
import pytest
from conftest import DIGITS, ONNX_DATA, add_model, model_of, value
from onnx import TensorProto, helper, numpy_helper

NORN = pathlib.Path(sys.executable).with_name("norn")
CNN = str(DIGITS / "digits_cnn.onnx")


def norn_command(*arguments, code=0, stdin=None, env=None):
    done = subprocess.run(
        [NORN, *map(str, arguments)],
        capture_output=True,
        input=stdin,
        check=False,
        timeout=300,
        env={**os.environ, **(env or {})},
    )
    output, errors = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == code, f"exit code {done.returncode}\n{output}\n{errors}"
    return output if code in (0, 1) else errors


@pytest.fixture
def add_file(tmp_path):
    path = tmp_path / "add.onnx"
    onnx.save(add_model(), path)
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3]], np.float32))
    np.save(tmp_path / "y.npy", np.array([[10, 20, 30]], np.float32))
    return path


def inputs_of(path):
    return [f"-i{n}={path.with_name(n)}.npy" for n in "xy"]


def test_run_with_files(add_file, tmp_path):
    output = norn_command("run", add_file, *inputs_of(add_file), "-o", tmp_path / "out")
    assert "z  float[1,3]" in output and "11" in output and "33" in output
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "z.npy"), [[11, 22, 33]])


def test_outputs_that_contradict_their_declaration(tmp_path):
    path = tmp_path / "m.onnx"
    head = '<ir_version: 10, opset_import: ["": 20]> g (float[N] x, float[M] z)'
    body = " { y = Neg (x) w = Neg (z) i = NonZero (x) r = Size (z) }"
    np.save(tmp_path / "x.npy", np.ones(3, np.float32))
    np.save(tmp_path / "z.npy", np.ones(4, np.float32))
    inputs = [f"-i{n}={tmp_path / n}.npy" for n in "xz"]
    for outputs, notes in {
        "float[5] y, float[N] w, int64[1,7] i, int64 r": ["tensor(float) [5]", "tensor(float) [N]", "tensor(int64) [1,7]", None],
        "float[N] y, float[K] w, int64[K,N] i, int64[] r": [None, None, "tensor(int64) [K,N]", None],
        "float[K] y, float[K] w, int64[A,K] i, int64 r": [None, "tensor(float) [K]", None, None],
        "float[N] y, float[M] w, int64[1,N] i, int64[1] r": [None, None, None, "tensor(int64) [1]"],
        "float[N] y, float[] w, int64[?,?] i, int64[] r": [None] * 4,
    }.items():
        onnx.save(onnx.parser.parse_model(head + f" => ({outputs})" + body), path)
        report = json.loads(norn_command("run", path, *inputs, "--json"))
        assert [output.get("declared") for output in report["outputs"]] == notes
        text = norn_command("run", path, *inputs)
        assert [line.split("declares ")[1] for line in text.splitlines() if "note:" in line] == [*filter(None, notes)]


def test_run_json(add_file):
    report = json.loads(norn_command("run", add_file, *inputs_of(add_file), "--json", "--repeat", 3))
    (z,) = report["outputs"]
    assert (z["name"], z["type"], z["shape"]) == ("z", "float", [1, 3])
    assert (z["min"], z["max"], z["mean"], z["first"]) == (11, 33, 22, [11, 22, 33])
    assert report["run_seconds"]["runs"] == 3


def test_model_from_standard_input(add_file):
    assert "z  float[1,3]" in norn_command("run", "-", *inputs_of(add_file), stdin=add_file.read_bytes())


def test_missing_inputs_are_named_with_a_command(add_file):
    errors = norn_command("run", add_file, inputs_of(add_file)[0], code=2)
    assert "y  tensor(float) [N,3]" in errors
    assert f"norn run {add_file} -i y=y.npy" in errors


def test_generated_inputs(add_file):
    first = norn_command("run", add_file, "--shape", "x:4x3", "--shape", "y:[4,3]", "--json")
    again = norn_command("run", add_file, "--shape", "x:4x3", "--shape", "y:[4,3]", "--json")
    assert json.loads(first)["outputs"][0]["shape"] == [4, 3]
    assert json.loads(first)["outputs"] == json.loads(again)["outputs"]
    other = norn_command("run", add_file, "--shape", "x:4x3", "--shape", "y:[4,3]", "--json", "--seed", 1)
    assert json.loads(first)["outputs"] != json.loads(other)["outputs"]
    ramp = json.loads(norn_command("run", add_file, "--ramp", "--json"))["outputs"][0]
    np.testing.assert_allclose(ramp["first"], [0, 2 / 3, 4 / 3], rtol=1e-6)


@pytest.mark.parametrize("shape", ["x", "x:", "x:2xx3", "x:[2,3", "x:-1x3", "x:2x3x", ":2x3"])
def test_bad_shapes(add_file, shape):
    code = 3 if shape == "x:" else 2  # a scalar is a shape, but not one that the model takes
    assert "x" in norn_command("run", add_file, "--random", "--shape", shape, code=code)


def test_usage_errors(add_file):
    assert "norn run --help" in norn_command("run", code=2)
    assert "--nonsense" in norn_command("run", add_file, "--nonsense", code=2)
    assert "help" in norn_command(code=2)
    assert 'no input "q"' in norn_command("run", add_file, "-i", "q=x.npy", code=2)
    assert "x  tensor(float)" in norn_command("run", add_file, "-i", "x.npy", code=2)


@pytest.mark.parametrize(
    ("command", "option", "bad"),
    [
        ("run", "--seed", ["-1", "1.5", "x", "", " 1", "0x1", "18446744073709551616"]),
        ("run", "--repeat", ["-1", "0", "2147483648"]),
        ("run", "--draw", ["-1"]),
        ("run", "--threads", ["-1", "2147483648"]),
        ("run", "--rtol", ["-1", "nan", "x", "1e-3x"]),
        ("run", "--atol", ["-1e-9", "-nan"]),
        ("show", "--elements", ["-1"]),
        ("explain", "--dim", ["-1", "9223372036854775808"]),
    ],
)
def test_bad_numbers(add_file, command, option, bad):
    needed = {"--draw": ["--images", DIGITS / "images.npy"], "--elements": ["--text"]}.get(option, [])
    for word in bad:
        errors = norn_command(command, add_file, *needed, option, word, code=2)
        assert option in errors and f'"{word}"' in errors and f"norn {command} --help" in errors


def test_good_numbers(add_file):
    numbers = ["--seed", 2**64 - 1, "--repeat", 1, "--threads", "010", "--rtol", "1e-3", "--atol", 0]
    assert "z" in norn_command("run", add_file, "--random", *numbers)
    assert "Add" in norn_command("explain", add_file, "--dim", 0)
    assert "Add" in norn_command("show", add_file, "--text", "--elements", 2**64 - 1)


def test_failures_name_place_and_cause(add_file, tmp_path):
    assert "nowhere.onnx" in norn_command("run", tmp_path / "nowhere.onnx", code=3)
    np.save(tmp_path / "y.npy", np.ones((2, 3), np.float32))
    errors = norn_command("run", add_file, *inputs_of(add_file), code=3)
    assert errors.startswith("error: ") and "N" in errors and "\033" not in errors


def test_no_colour_unless_on_a_terminal(add_file):
    output = norn_command("run", CNN, "--images", DIGITS / "images.npy", env={"NO_COLOR": "1"})
    assert "\033" not in output


def data_set(folder, inputs, outputs):
    folder.mkdir(parents=True)
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for i, array in enumerate(arrays):
            (folder / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    return folder


def test_data_sets(add_file, tmp_path):
    x = np.ones((2, 3), np.float32)
    good = data_set(tmp_path / "sets" / "test_data_set_0", [x, x], [2 * x])
    assert "1 of 1 data sets agree" in norn_command("run", add_file, "--data-dir", good)
    data_set(tmp_path / "sets" / "test_data_set_1", [x, x], [2 * x + np.float32(1e-4)])
    data_set(tmp_path / "sets" / "test_data_set_10", [x, x], [3 * x])
    output = norn_command("run", add_file, "--data-dir", tmp_path / "sets", code=1)
    assert "test_data_set_10: DIFFERS" in output and "2 of 3 data sets agree" in output
    assert "6 of 6 elements differ" in output and "2 instead of 3" in output
    assert "1 of 3" in norn_command("run", add_file, "--data-dir", tmp_path / "sets", "--rtol", 1e-6, code=1)
    assert "3 of 3" in norn_command("run", add_file, "--data-dir", tmp_path / "sets", "--rtol", 1)
    report = json.loads(norn_command("run", add_file, "--data-dir", tmp_path / "sets", "--json", code=1))
    assert [bool(s["differences"]) for s in report["data_sets"]] == [False, False, True]


def test_data_sets_that_do_not_fit(add_file, tmp_path):
    x = np.ones((2, 3), np.float32)
    wrong = data_set(tmp_path / "wrong", [x, x], [(2 * x).astype(np.float64)])
    assert "float[2,3] instead of double[2,3]" in norn_command("run", add_file, "--data-dir", wrong, code=1)
    (tmp_path / "empty").mkdir()
    assert "input_0.pb" in norn_command("run", add_file, "--data-dir", tmp_path / "empty", code=2)


def test_what_is_not_compared_does_not_agree(tmp_path):
    nodes = [helper.make_node("Add", ["a", "b"], ["y"]), helper.make_node("Sub", ["a", "b"], ["z"])]
    onnx.save(model_of(nodes, [value(n, ["N"]) for n in "ab"], [value(n, ["N"]) for n in "yz"]), tmp_path / "m.onnx")
    a, b = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
    sets = tmp_path / "sets"
    data_set(sets / "test_data_set_0", [a, b], [a + b, a - b])
    data_set(sets / "test_data_set_1", [a, b], [a + b])
    data_set(sets / "test_data_set_2", [a, b], [])
    data_set(sets / "test_data_set_3", [a, b], [a, a - b])
    (sets / "test_data_set_3" / "output_0.pb").unlink()
    data_set(sets / "test_data_set_4", [a, b], [a])

    output = norn_command("run", tmp_path / "m.onnx", "--data-dir", sets, code=1)
    assert "test_data_set_0: agrees" in output and "1 of 5 data sets agree" in output
    assert all(f"test_data_set_{i}: INCOMPLETE" in output for i in (1, 2, 3))
    assert "test_data_set_4: DIFFERS" in output
    assert output.count("y: there is no file") == 2 and output.count("z: there is no file") == 3

    report = json.loads(norn_command("run", tmp_path / "m.onnx", "--data-dir", sets, "--json", code=1))
    assert [s["missing"] for s in report["data_sets"]] == [[], ["z"], ["y", "z"], ["y"], ["z"]]
    assert [len(s["differences"]) for s in report["data_sets"]] == [0, 0, 0, 0, 1]
    # Outputs that are not asked for need no file.
    for i, name in ((1, "y"), (3, "z"), (0, "z,y")):
        folder = sets / f"test_data_set_{i}"
        assert "1 of 1" in norn_command("run", tmp_path / "m.onnx", "--data-dir", folder, "--outputs", name)
    norn_command("run", tmp_path / "m.onnx", "--data-dir", sets / "test_data_set_3", "--outputs", "y", code=1)


def test_data_sets_with_gaps_and_too_many_files(add_file, tmp_path):
    x = np.ones((2, 3), np.float32)
    folder = data_set(tmp_path / "s", [x, 2 * x], [3 * x])
    (folder / "input_01.pb").write_bytes(b"is not one of them")
    assert "1 of 1" in norn_command("run", add_file, "--data-dir", folder)
    (folder / "input_0.pb").unlink()
    assert "x  tensor(float)" in norn_command("run", add_file, "--data-dir", folder, code=2)
    assert "1 of 1" in norn_command("run", add_file, "--data-dir", folder, "-i", inputs_file(tmp_path, x))
    for name, count in (("input_2.pb", "2 inputs"), ("output_18446744073709551615.pb", "1 outputs")):
        shutil.copy(folder / "output_0.pb", folder / name)
        errors = norn_command("run", add_file, "--data-dir", folder, "--random", code=2)
        assert name in errors and count in errors
        (folder / name).unlink()


def inputs_file(folder, x):
    np.save(folder / "ones.npy", x)
    return f"x={folder / 'ones.npy'}"


def test_nan_agrees_with_nan(add_file, tmp_path):
    x = np.full((1, 3), np.nan, np.float32)
    assert "1 of 1" in norn_command("run", add_file, "--data-dir", data_set(tmp_path / "s", [x, x], [x]))


def test_recorded_outputs_beside_the_model():
    light = ONNX_DATA / "light"
    output = norn_command("run", light / "light_squeezenet.onnx", "--data-dir", light)
    assert "1 of 1 data sets agree" in output and "ramp" in output


def test_sequences_in_data_sets(tmp_path):
    model = model_of(
        [helper.make_node("SequenceAt", ["s", "i"], ["y"]), helper.make_node("SequenceConstruct", ["y"], ["t"])],
        [helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None), value("i", [], TensorProto.INT64)],
        [value("y", None), helper.make_tensor_sequence_value_info("t", TensorProto.FLOAT, None)],
    )
    onnx.save(model, tmp_path / "m.onnx")
    items = [np.zeros((2, 2), np.float32), np.array([1, 2], np.float32)]
    folder = data_set(tmp_path / "test_data_set_0", [items[0], np.array(1)], [items[1]])
    (folder / "input_0.pb").write_bytes(numpy_helper.from_list(items).SerializeToString())
    (folder / "output_1.pb").write_bytes(numpy_helper.from_list(items[1:]).SerializeToString())
    assert "1 of 1" in norn_command("run", tmp_path / "m.onnx", "--data-dir", tmp_path)
    (folder / "output_1.pb").write_bytes(numpy_helper.from_list(items).SerializeToString())
    assert "t: 1 items instead of 2" in norn_command("run", tmp_path / "m.onnx", "--data-dir", tmp_path, code=1)


def test_classify_digits():
    output = norn_command("run", CNN, "--images", DIGITS / "images.npy", "--labels", DIGITS / "labels.npy")
    assert "360 images" in output and "accuracy 9" in output and "per image" in output
    assert "██" in output and "right" in output
    report = json.loads(
        norn_command("run", CNN, "--images", DIGITS / "images.npy", "--labels", DIGITS / "labels.npy", "--json")
    )
    assert report["accuracy"] > 0.98 and len(report["predictions"]) == 360
    assert all(0 < p["confidence"] <= 1 for p in report["predictions"])


def test_classify_with_names_and_a_missing_channel(tmp_path):
    images = np.load(DIGITS / "images.npy")[:5, 0]
    np.save(tmp_path / "images.npy", images)
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    (tmp_path / "names.txt").write_text("\n".join(names) + "\n")
    output = norn_command("run", CNN, "--images", tmp_path / "images.npy", "--classes", tmp_path / "names.txt")
    truth = [names[k] for k in np.load(DIGITS / "labels.npy")[:5]]
    assert sum(name in output for name in truth) >= 4
    (tmp_path / "names.txt").write_text("one\n")
    assert "10 classes" in norn_command(
        "run", CNN, "--images", tmp_path / "images.npy", "--classes", tmp_path / "names.txt", code=2
    )


def test_show(add_file):
    assert "Conv" in norn_command("show", CNN)
    summary = json.loads(norn_command("show", CNN, "--json"))
    assert summary["nodes"] == len(onnx.load(CNN).graph.node)
    assert "Add" in norn_command("show", add_file, "--text")
    assert "Add" in norn_command("show", add_file, "--stage", "program")
    assert "Add" in norn_command("show", add_file, "--stage", "plan")
    assert "program" in norn_command("show", add_file, "--stage", "soup", code=2)


def test_explain():
    assert "Conv" in norn_command("explain", CNN)
    assert "Conv" in norn_command("explain", CNN, "--shape", "image:16x1x8x8", "--threads", 1)
    assert "no input" in norn_command("explain", CNN, "--shape", "pixels:1", code=2)


FLOW = """<ir_version: 10, opset_import: ["" : 17]>
main (float[N,2] x, bool c) => (float[N,2] y) {
  a = Sqrt (x)
  y = If (c) <
    then_branch = t () => (float[N,2] r) { r = Neg (a) },
    else_branch = e () => (float[N,2] s) { s = Abs (a) }>
}"""


def test_explain_json_has_fields():
    """Of every step, those of branches too; the fields have what the page shows."""
    options = ("explain", "-", "--from", "text", "--dim", 3)
    page = norn_command(*options, stdin=FLOW.encode())
    report = json.loads(norn_command(*options, "--json", stdin=FLOW.encode()))
    assert report["model"] == "-" and report["runnable"] is True and "text" not in report
    root, flow = report["steps"]
    assert root["operations"][0]["op_type"] == "Sqrt" and not root["late"]
    assert root["inputs"] == root["outputs"] == [{"type": "float", "shape": [3, 2]}]
    assert flow["kernel"] == "control flow" and not flow["late"]
    assert [g["attribute"] for g in flow["graphs"]] == ["then_branch", "else_branch"]
    for graph, op_type in zip(flow["graphs"], ("Neg", "Abs"), strict=True):
        (step,) = graph["steps"]
        assert step["operations"][0]["op_type"] == op_type
        assert step["operations"][0]["paths"][0] in page
        assert step["outputs"][0]["shape"] == [3, 2]
    assert f"memory: {report['arena_bytes']} bytes" in page


LOOP = """<ir_version: 10, opset_import: ["" : 17]>
main (int64 n, bool c, float[2] x) => (float[2] y) {
  y = Loop (n, c, x) <body = b (int64 i, bool go, float[2] v) => (bool on, float[2] w) {
    on = Identity (go)
    w = Add (v, v)
  }>
}"""


def test_explain_shows_loops():
    """The body's steps, for the sizes that its inputs have in every iteration."""
    report = json.loads(norn_command("explain", "-", "--from", "text", "--json", stdin=LOOP.encode()))
    (step,) = [s for s in report["steps"] if "graphs" in s]
    (body,) = step["graphs"]
    assert body["attribute"] == "body"
    (add,) = [s for s in body["steps"] if s["operations"][0]["op_type"] == "Add"]
    assert body["planned"] and add["outputs"] == [{"type": "float", "shape": [2]}]
    grows = LOOP.replace("float[2] v", "float[?] v").replace("Add (v, v)", "Concat <axis = 0> (v, v)")
    grows = grows.replace("float[2] w", "float[?] w").replace("float[2] y", "float[M] y")
    report = json.loads(norn_command("explain", "-", "--from", "text", "--json", stdin=grows.encode()))
    (body,) = [g for s in report["steps"] for g in s.get("graphs", [])]
    assert not body["planned"] and '"v"' in body["why_not"]


def test_explain_fails_for_other_reasons():
    """Not with nodes of a branch that is never taken."""
    text = """<ir_version: 10, opset_import: ["" : 17]>
main (float[2] x, float[3] z) => (float[2] y) {
  no = Constant <value = bool {0}> ()
  y = If (no) <then_branch = t () => (float[2] r) { r = Frobnicate (x) },
    else_branch = e () => (float[2] s) { s = LAST }>
}"""
    fine, broken = text.replace("LAST", "Neg (x)"), text.replace("LAST", "Add (x, z)")
    assert "Neg" in norn_command("explain", "-", "--from", "text", stdin=fine.encode())
    error = norn_command("explain", "-", "--from", "text", stdin=broken.encode(), code=3)
    assert "Add" in error and "Frobnicate" not in error


def test_nodes_that_nothing_runs(tmp_path):
    """All of them, where they are and why: in explain and in check, while running names the first."""
    inner = helper.make_function(
        "own", "Call", ["x"], ["y"], [helper.make_node("Gizmo", ["x"], ["y"])], [helper.make_opsetid("", 17)]
    )
    nodes = [
        helper.make_node("Frobnicate", ["x"], ["a"], name="first"),
        helper.make_node("Call", ["a"], ["b"], domain="own"),
        helper.make_node("Scatter", ["b", "i", "b"], ["s"], name="old"),
        helper.make_node("Relu", ["b"], ["y"]),
    ]
    inputs = [value("x", [2]), value("i", [2], TensorProto.INT64)]
    model = model_of(nodes, inputs, [value("y", [2])], opset=17, domains=[("own", 1)])
    model.functions.append(inner)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    expected = [("Frobnicate", "unknown_operator"), ("Gizmo", "unknown_operator"), ("Scatter", "deprecated")]
    page = norn_command("explain", path, code=1)
    report = json.loads(norn_command("explain", path, "--json", code=1))
    assert report["runnable"] is False
    assert [(n["op_type"], n["reason"]) for n in report["unrunnable"]] == expected
    assert {n["version"] for n in report["unrunnable"]} == {17}
    assert "3 nodes cannot be run" in page
    checked = json.loads(norn_command("check", path, "--profile", "runtime", "--json", code=1))
    found = [d for d in checked["diagnostics"] if d["rule"] == "norn.operator.runnable"]
    assert [d["where"] for d in found] == [n["where"] for n in report["unrunnable"]]
    assert all(n["where"] in page for n in report["unrunnable"])
    assert {d["severity"] for d in found} == {"error"}
    assert "norn.operator.runnable" not in norn_command("check", path, code=1)
    error = norn_command("run", path, "--ramp", code=3)
    assert "first" in error and "2 more nodes" in error and "norn check --profile runtime" in error


def test_options_take_one_value_each(add_file):
    """What follows a repeatable option's value is the model, not a further value."""
    output = norn_command("run", *[part for i in inputs_of(add_file) for part in (i[:2], i[2:])], add_file)
    assert "11" in output
    assert "Add" in norn_command("explain", "--shape", "x:4x3", "--disable-pass", "all", add_file)


def test_strings_in_and_out(tmp_path):
    model = model_of(
        [helper.make_node("Identity", ["s"], ["t"])],
        [value("s", ["n"], TensorProto.STRING)],
        [value("t", ["n"], TensorProto.STRING)],
    )
    onnx.save(model, tmp_path / "m.onnx")
    (tmp_path / "s.pb").write_bytes(helper.make_tensor("s", TensorProto.STRING, [2], ["a", "ü"]).SerializeToString())
    output = norn_command("run", tmp_path / "m.onnx", "-i", tmp_path / "s.pb", "-o", tmp_path)
    assert '["a", "ü"]' in output
    written = onnx.TensorProto.FromString((tmp_path / "t.pb").read_bytes())
    assert numpy_helper.to_array(written).tolist() == ["a", "ü"]


def test_threads_give_the_same_files(tmp_path):
    images = np.load(DIGITS / "images.npy")
    np.save(tmp_path / "images.npy", images)
    for threads in (1, 2):
        norn_command("run", CNN, "-i", tmp_path / "images.npy", "--threads", threads, "-o", tmp_path / str(threads))
    one, two = ((tmp_path / t / "logits.npy").read_bytes() for t in "12")
    assert one == two


def test_help_and_version():
    assert norn_command("--version").startswith("norn ")
    for command in ("run", "show", "explain", "check"):
        assert command in norn_command("--help")
        assert "--json" in norn_command(command, "--help")
    assert "norn opset export --help" in norn_command("opset", "export", "ai.onnx", "newest", "x", code=2)


def test_works_from_anywhere(tmp_path):
    shutil.copy(CNN, tmp_path / "model.onnx")
    done = subprocess.run([NORN, "show", "model.onnx"], cwd=tmp_path, capture_output=True, check=True)
    assert b"Conv" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", CNN],
        ["check", "--json", CNN],
        ["check", "--sarif", CNN],
        ["check", "--list-rules"],
        ["show", CNN],
        ["show", CNN, "--text", "--elements", "9999999"],
        ["explain", CNN],
        ["run", CNN, "--random"],
        ["run", CNN, "--images", DIGITS / "images.npy", "--json"],
        ["convert", CNN, "-", "--to", "onnx"],
        ["opset", "export", "ai.onnx", "17", "-"],
        ["--help"],
    ],
)
def test_output_that_cannot_be_written_is_reported(arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([NORN, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, timeout=300)
    errors = done.stderr.decode()
    assert done.returncode == 3, errors
    assert errors.startswith("error: ") and errors.count("standard output") == 1 and "No space left" in errors


def test_closed_output_is_reported(add_file):
    command = f'"{NORN}" check "{add_file}" >&-'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, timeout=300)
    assert done.returncode == 3 and b"standard output" in done.stderr
    # Who prints nothing needs no standard output.
    command = f'"{NORN}" convert "{add_file}" "{add_file.with_suffix(".json")}" >&-'
    subprocess.run(["sh", "-c", command], check=True, timeout=300)
    assert json.loads(add_file.with_suffix(".json").read_text())["graph"]["name"] == "g"


@pytest.mark.parametrize(
    "name", ["BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E8M0", "FLOAT4E2M1", "UINT4", "INT4", "UINT2", "INT2"]
)
def test_outputs_keep_types_that_numpy_lacks(tmp_path, name):
    if not hasattr(TensorProto, name):
        pytest.skip(f"this onnx package does not know {name}")
    kind = getattr(TensorProto, name)
    cast = helper.make_node("Cast", ["x"], ["y"], to=kind)
    model = model_of([cast], [value("x", [3])], [value("y", [3], kind)], opset=25)
    model.ir_version = 13
    onnx.save(model, tmp_path / "m.onnx")
    norn_command("run", tmp_path / "m.onnx", "--random", "-o", tmp_path / "out")
    (written,) = (tmp_path / "out").iterdir()
    assert written.name == "y.pb"
    tensor = onnx.TensorProto.FromString(written.read_bytes())
    assert (tensor.data_type, list(tensor.dims), tensor.name) == (kind, [3], "y")
    assert "no findings" in norn_command("check", "--data", written)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.uint64, np.complex128])
def test_outputs_that_numpy_has_are_npy(tmp_path, dtype):
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    same = helper.make_node("Identity", ["x"], ["y"])
    onnx.save(model_of([same], [value("x", [3], kind)], [value("y", [3], kind)]), tmp_path / "m.onnx")
    norn_command("run", tmp_path / "m.onnx", "--random", "-o", tmp_path / "out")
    array = np.load(tmp_path / "out" / "y.npy")
    assert array.dtype == dtype and array.shape == (3,)


@pytest.mark.parametrize("notation", ["text", "json", "textproto"])
def test_notations_on_standard_input(add_file, notation):
    text = norn_command("convert", add_file, "-", "--to", notation).encode()
    assert "0 errors" in norn_command("check", "-", "--from", notation, stdin=text)
    assert "Add" in norn_command("show", "-", "--from", notation, stdin=text)
    assert "z  float[1,3]" in norn_command("run", "-", "--from", notation, *inputs_of(add_file), stdin=text)
    assert "Add" in norn_command("explain", "-", "--from", notation, stdin=text)
    for command in ("check", "show"):
        assert "--from text, json or textproto" in norn_command(command, "-", stdin=text, code=3)
    misnamed = add_file.with_name("misnamed.bin")
    misnamed.write_bytes(text)
    assert "Add" in norn_command("show", misnamed, "--from", notation)
    norn_command("edit", misnamed, add_file.with_name("stripped.onnx"), "--strip", "--from", notation)
    assert "the notations are" in norn_command("check", misnamed, "--from", "yaml", code=2)
