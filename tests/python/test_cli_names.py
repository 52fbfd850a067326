"""Names out of a model on the command line, in files' names and on a terminal."""

import json
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from onnx import TensorProto, helper, numpy_helper
from test_cli import NORN, norn_command

# Sets a title, clears the screen, begins a control sequence by U+009B, and by a byte of its own.
CONTROLS = "\x1b]0;t\x07\x1b[2J\x9b31m\r\x7f"


def negations(tmp_path, inputs, outputs):
    """A model whose output i is i+1 times the first input's negative."""
    nodes = [helper.make_node("Neg", [inputs[0]], ["n"])]
    scales = [numpy_helper.from_array(np.float32(i + 1), f"scale {i}") for i in range(len(outputs))]
    nodes += [helper.make_node("Mul", ["n", f"scale {i}"], [name]) for i, name in enumerate(outputs)]
    model = model_of(nodes, [value(n, [2]) for n in inputs], [value(n, [2]) for n in outputs], scales)
    onnx.save(model, tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", np.array([1, 2], np.float32))
    return tmp_path / "m.onnx"


ODD_OUTPUTS = [
    "a/b", "a_b", "a:b", "A_B", "a_b-2", ".", "..", "_.", ".hidden", "é" * 200, "é" * 199 + "a", "x" * 251, "x" * 252,
    "y.npy", "-", " ", "line\nbreak",
]


@pytest.mark.parametrize("order", [1, -1])
def test_every_output_has_a_file_of_its_own(tmp_path, order):
    names = ODD_OUTPUTS[::order]
    model, folder = negations(tmp_path, ["x"], names), tmp_path / "out"
    report = json.loads(norn_command("run", model, "-i", tmp_path / "x.npy", "-o", folder, "--json"))
    assert [o["name"] for o in report["outputs"]] == names
    files = {o["name"]: pathlib.Path(o["file"]) for o in report["outputs"]}
    assert set(folder.iterdir()) == set(files.values()) and len(set(files.values())) == len(names)
    for i, name in enumerate(names):
        np.testing.assert_array_equal(np.load(files[name]), [-(i + 1), -2 * (i + 1)])
    # Names that can be files' are, whatever the others are called.
    for name in ("a:b", "a_b", "A_B", "a_b-2", "_.", "x" * 251, "y.npy", "-", " ", "line\nbreak"):
        assert files[name].name == name + ".npy"
    assert files["a/b"].name == "a_b-3.npy"
    assert files["x" * 252].name == "x" * 249 + "-2.npy"
    assert files["é" * 200].name.rstrip("-2.npy").strip("é") == ""


def test_files_of_other_names_are_reported(tmp_path):
    model = negations(tmp_path, ["x"], ["a/b", "y.z"])
    output = norn_command("run", model, "--ramp", "-o", tmp_path / "out")
    assert f"\n  in {tmp_path / 'out' / 'a_b.npy'}\n" in output and "y.z.npy" not in output
    report = json.loads(norn_command("run", model, "--ramp", "--json"))
    assert not any("file" in o for o in report["outputs"])


def test_the_folder_of_outputs_is_a_file(tmp_path):
    model = negations(tmp_path, ["x"], ["y"])
    for folder, code in ((model, 2), (model / "below", 3)):
        done = subprocess.run([NORN, "run", model, "--ramp", "--json", "-o", folder], capture_output=True, timeout=300)
        answer = json.loads(done.stdout)
        assert done.returncode == code and answer["ok"] is False and str(folder) in answer["error"]["message"]
        assert "filesystem" not in done.stderr.decode()


def test_inputs_with_equals_signs(tmp_path):
    file = tmp_path / "x=1.npy"

    def first(inputs, *arguments, code=0):
        model = negations(tmp_path, inputs, ["y"])
        np.save(file, np.array([3, 4], np.float32))
        return norn_command("run", model, *arguments, code=code)

    assert "[-3, -4]" in first(["a=b"], "-i", f"a=b={file}")
    assert "[-3, -4]" in first(["a="], "-i", f"a=={file}")
    assert "[-3, -4]" in first(["="], "-i", f"=={file}")
    assert "[-3, -4]" in first(["a"], "-i", f"a={file}")
    assert "[-3, -4]" in first(["a=b", "a"], "-i", f"a=b={file}", "--ramp")
    assert "[-3, -4]" in first(["a", "a=b"], "-i", f"a={file}", "--ramp")
    assert 'no input "q"' in first(["a=b"], "-i", f"q=b={file}", code=2)


def test_outputs_with_commas(tmp_path):
    names = ["y", "z", "y,z", "z,", ","]
    model = negations(tmp_path, ["x"], names)

    def given(*lists):
        arguments = [part for each in lists for part in ("--outputs", each)]
        report = json.loads(norn_command("run", model, "--ramp", "--json", *arguments))
        return [o["name"] for o in report["outputs"]]

    assert given() == names
    assert given("y,z") == ["y,z"]
    assert given("z,y") == ["z", "y"]
    assert given("y", "z") == ["y", "z"]
    assert given("y,z,z,,y") == ["y,z", "z,", "y"]
    assert given(",") == [","]
    assert 'no output "q"' in norn_command("run", model, "--ramp", "--outputs", "y,q", code=2)


@pytest.mark.parametrize(
    "arguments",
    [("show",), ("show", "--stage", "plan"), ("show", "--stage", "program"), ("check",), ("explain",),
     ("profile", "--no-machine"), ("run", "--ramp"), ("run",), ("run", "--outputs", "none")],
    ids=" ".join,
)
@pytest.mark.parametrize("operator", ["Neg", "Op" + CONTROLS])
def test_names_do_not_control_the_terminal(tmp_path, arguments, operator):
    name = "n\\" + CONTROLS
    node = helper.make_node(operator, ["x" + name], ["y" + name], name=name)
    model = model_of([node], [value("x" + name, ["d" + name])], [value("y" + name, ["d" + name])],
                     name="g" + name, doc_string=name)
    model.producer_name = "p" + name
    helper.set_model_props(model, {"k" + name: "v" + name})
    onnx.save(model, tmp_path / "m.onnx")
    command, *flags = arguments
    done = subprocess.run([NORN, command, tmp_path / "m.onnx", *flags], capture_output=True, timeout=300)
    text = (done.stdout + done.stderr).decode()
    assert "x1b" in text and "x9b" in text
    assert not [c for c in text if c != "\n" and (c < " " or "\x7f" <= c < "\xa0")]


def test_stray_bytes_do_not_control_the_terminal(tmp_path):
    model = model_of([helper.make_node("OpQQQ", ["x"], ["y"])], [value("x", [1])], [value("y", [1])])
    raw = model.SerializeToString().replace(b"OpQQQ", b"\xc2\xff\x9b\xc3\x9b")  # the last two are a letter
    (tmp_path / "m.onnx").write_bytes(raw)
    for command in ("run", "check", "show"):
        done = subprocess.run([NORN, command, tmp_path / "m.onnx"], capture_output=True, timeout=300)
        output = done.stdout + done.stderr
        assert b"\xff\\x9b\xc3\x9b" in output and output.replace(b"\xc3\x9b", b"").count(b"\x9b") == 0


def test_strings_do_not_control_the_terminal(tmp_path):
    model = model_of([helper.make_node("Identity", ["s"], ["t"])], [value("s", [1], TensorProto.STRING)],
                     [value("t", [1], TensorProto.STRING)])
    onnx.save(model, tmp_path / "m.onnx")
    text = helper.make_tensor("s", TensorProto.STRING, [1], [CONTROLS])
    (tmp_path / "s.pb").write_bytes(text.SerializeToString())
    output = norn_command("run", tmp_path / "m.onnx", "-i", tmp_path / "s.pb")
    assert "\\xc2\\x9b31m" in output and "\x1b" not in output and "\x9b" not in output


def test_text_syntax_keeps_names(tmp_path):
    """norn show --text prints a file's content, which can be read back."""
    model = model_of([helper.make_node("Neg", ["x\x9b"], ["y"])], [value("x\x9b", [1])], [value("y", [1])])
    onnx.save(model, tmp_path / "m.onnx")
    (tmp_path / "m.onnxtxt").write_text(norn_command("show", tmp_path / "m.onnx", "--text"))
    norn_command("convert", tmp_path / "m.onnxtxt", tmp_path / "back.onnx")
    assert onnx.load(tmp_path / "back.onnx").graph.node[0].input[0] == "x\x9b"
