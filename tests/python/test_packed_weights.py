"""Packed weights that are kept in a folder: a later process finds them, and whatever happened to the files, answers are the same."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import norn


def network(seed=0):
    """A convolution, one that is done by Winograd's way, and two products: each has a packed form of its own."""
    rng = np.random.default_rng(seed)
    weights = {
        "c1": rng.standard_normal((64, 32, 1, 1), dtype=np.float32),
        "c2": rng.standard_normal((64, 64, 3, 3), dtype=np.float32),
        "m1": rng.standard_normal((64, 512), dtype=np.float32),
        "m2": rng.standard_normal((512, 384), dtype=np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "c1"], ["a"]),
        helper.make_node("Conv", ["a", "c2"], ["b"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["b"], ["r"]),
        helper.make_node("Transpose", ["r"], ["t"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["t", "m1"], ["u"]),
        helper.make_node("MatMul", ["u", "m2"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def quantized_network():
    """A product and a convolution of 8-bit integers, one with a 4-bit matrix and its scales, and one with an f16 matrix."""
    rng = np.random.default_rng(3)

    def integers(low, high, shape, dtype):
        return rng.integers(low, high, shape).astype(dtype)

    weights = {
        "c": integers(-128, 128, (64, 32, 3, 3), np.int8),
        "m": integers(-128, 128, (512, 384), np.int8),
        "stored": integers(-8, 8, (384, 1024), onnx.helper.tensor_dtype_to_np_dtype(TensorProto.INT4)),
        "scales": rng.uniform(0.01, 0.1, (12, 1024)).astype(np.float32),
        "half": rng.standard_normal((1024, 256)).astype(np.float16),
    }
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("ConvInteger", ["q", "c", "z"], ["i"], pads=[1, 1, 1, 1]),
        helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["f"], ["flat"], axis=2),
        helper.make_node("Slice", ["flat", "from", "to", "axis"], ["part"]),
        helper.make_node("DynamicQuantizeLinear", ["part"], ["q2", "s2", "z2"]),
        helper.make_node("MatMulInteger", ["q2", "m", "z2"], ["j"]),
        helper.make_node("Cast", ["j"], ["g"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["g", "s2"], ["h"]),
        helper.make_node("DequantizeLinear", ["stored", "scales"], ["w"], axis=0, block_size=32),
        helper.make_node("MatMul", ["h", "w"], ["k"]),
        helper.make_node("Cast", ["half"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["k", "wide"], ["y"]),
    ]
    for name, values in (("from", [0]), ("to", [512]), ("axis", [1])):
        weights[name] = np.array(values, np.int64)
    graph = helper.make_graph(
        nodes,
        "quantized",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


X = np.random.default_rng(7).standard_normal((1, 32, 24, 24), dtype=np.float32)


def session(folder, made=None):
    return norn.InferenceSession(made or network(), norn.SessionOptions(packed_weights_folder=folder))


def files_of(found):
    return found.profile({"x": X}, runs=1, warmups=0, machine=False)["packed_weights"]


def packed(folder):
    return sorted(pathlib.Path(folder).glob("*.packed"))


@pytest.fixture
def plain():
    return norn.InferenceSession(network()).run(None, {"x": X})[0]


# In a process of its own: sessions of one process share forms without files.
ELSEWHERE = """
import os, resource, sys, numpy as np, norn
x = np.load("x.npy")
BEFORE
s = norn.InferenceSession("m.onnx", norn.SessionOptions(packed_weights_folder=sys.argv[1]))
files = s.profile({"x": x}, runs=1, warmups=0, machine=False)["packed_weights"]
AFTER
np.save(sys.argv[2], s.run(None, {"x": x})[0])
print(files["found_bytes"], files["written_bytes"], files["problem"])
"""


# Root may write anywhere, and becomes another user for a while.
AS_NOBODY = {
    "before": "if os.getuid() == 0: os.seteuid(65534)",
    "after": "if os.getuid() == 0: os.seteuid(0)",
}


def begin_elsewhere(tmp_path, folder, name="y.npy", model=None, before="", after="", **variables):
    onnx.save(model or network(), tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", X)
    return subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE.replace("BEFORE", before).replace("AFTER", after), os.path.relpath(folder, tmp_path), name],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    )


def elsewhere(tmp_path, folder, **how):
    """(bytes found, bytes written, problem, answer)"""
    run = begin_elsewhere(tmp_path, folder, **how)
    text, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    found, written, problem = text.rstrip("\n").split(" ", 2)
    return int(found), int(written), problem, np.load(tmp_path / "y.npy")


def test_a_later_process_finds_what_an_earlier_one_packed(tmp_path, plain):
    folder = tmp_path / "forms"
    found, written, problem, y = elsewhere(tmp_path, folder)
    assert (found, problem) == (0, "") and written > 500_000
    assert (folder.stat().st_mode & 0o777, (folder / "secret").stat().st_mode & 0o777) == (0o700, 0o600)
    np.testing.assert_array_equal(y, plain)
    kept = {path: path.read_bytes() for path in packed(folder)}
    assert sum(map(len, kept.values())) >= written
    again = elsewhere(tmp_path, folder)
    assert again[:3] == (written, 0, "")
    np.testing.assert_array_equal(again[3], plain)
    assert {path: path.read_bytes() for path in packed(folder)} == kept


def test_other_weights_are_other_files(tmp_path):
    folder = tmp_path / "forms"
    elsewhere(tmp_path, folder)
    before = packed(folder)
    other = network(1)
    y = session(folder, other).run(None, {"x": X})[0]
    assert len(packed(folder)) == 2 * len(before)
    np.testing.assert_array_equal(y, norn.InferenceSession(other).run(None, {"x": X})[0])


def test_other_folders_have_other_secrets_and_names(tmp_path):
    for name in ("a", "b"):
        elsewhere(tmp_path, tmp_path / name)
    a, b = ([path.name for path in packed(tmp_path / name)] for name in ("a", "b"))
    assert len(a) == len(b) > 0 and not set(a) & set(b)
    # A file that was brought from another folder is not that folder's.
    for name in a:
        (tmp_path / "b" / name).write_bytes((tmp_path / "a" / name).read_bytes())
    for old, new in zip(a, b, strict=True):
        (tmp_path / "b" / new).write_bytes((tmp_path / "a" / old).read_bytes())
    assert elsewhere(tmp_path, tmp_path / "b")[0] == 0


def flip(at):
    def change(path):
        content = bytearray(path.read_bytes())
        content[at if at >= 0 else len(content) + at] ^= 1
        path.write_bytes(content)

    return change


def grow(path):
    """A whole header that claims 64 GB, and a file of that size."""
    content = bytearray(path.read_bytes())
    before = len(content) - int.from_bytes(content[16:24], sys.byteorder)
    content[16:24] = (1 << 36).to_bytes(8, sys.byteorder)
    path.write_bytes(content[:before])
    os.truncate(path, before + (1 << 36))


def link(path):
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def pipe(path):
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(flip(0), id="magic"),
        pytest.param(flip(9), id="size of key"),
        pytest.param(flip(16), id="size"),
        pytest.param(flip(23), id="size beyond memory"),
        pytest.param(flip(24), id="sum"),
        pytest.param(flip(60), id="key"),
        pytest.param(flip(4096), id="a byte"),
        pytest.param(flip(-1), id="last byte"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:20]), id="cut in the header"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-1]), id="cut"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes() + b"\0"), id="longer"),
        pytest.param(grow, id="much longer"),
        pytest.param(lambda path: path.unlink(), id="removed"),
        pytest.param(link, id="symbolic link"),
        pytest.param(pipe, id="pipe"),
    ],
)
def test_what_is_not_whole_counts_as_absent_and_is_written_again(tmp_path, plain, change):
    folder = tmp_path / "forms"
    _, written, _, _ = elsewhere(tmp_path, folder)
    for path in packed(folder):
        change(path)
    found, rewritten, problem, y = elsewhere(tmp_path, folder)
    assert (found, rewritten, problem) == (0, written, "")
    np.testing.assert_array_equal(y, plain)
    assert elsewhere(tmp_path, folder)[:3] == (written, 0, "")


def test_a_form_that_cannot_be_written_is_reported_and_the_session_runs(tmp_path, plain):
    folder = tmp_path / "forms"
    elsewhere(tmp_path, folder)
    first = packed(folder)[0]
    first.unlink()
    first.mkdir()
    (first / "in the way").touch()
    found, written, problem, y = elsewhere(tmp_path, folder)
    assert found > 0 and written == 0 and first.name in problem
    np.testing.assert_array_equal(y, plain)


def test_every_kind_of_weights_is_kept(tmp_path):
    folder = tmp_path / "forms"
    plain = norn.InferenceSession(quantized_network()).run(None, {"x": X})[0]
    found, written, problem, y = elsewhere(tmp_path, folder, model=quantized_network())
    # As many bytes as the integers of the convolution, of the product and of the 4-bit matrix, and the f16 matrix.
    assert found == 0 and problem == ""
    assert written > 64 * 32 * 9 + 512 * 384 + 384 * 1024 // 2 + 1024 * 256 * 2
    np.testing.assert_array_equal(y, plain)
    again = elsewhere(tmp_path, folder, model=quantized_network())
    assert again[:3] == (written, 0, "")
    np.testing.assert_array_equal(again[3], plain)


def test_scales_are_part_of_what_a_form_is_known_by(tmp_path):
    folder = tmp_path / "forms"
    elsewhere(tmp_path, folder, model=quantized_network())
    other = quantized_network()
    scales = next(t for t in other.graph.initializer if t.name == "scales")
    scales.CopyFrom(numpy_helper.from_array(2 * numpy_helper.to_array(scales), "scales"))
    found, written, _, y = elsewhere(tmp_path, folder, model=other)
    assert found > 0 and written > 0
    np.testing.assert_array_equal(y, norn.InferenceSession(other).run(None, {"x": X})[0])


def test_other_instruction_sets_have_other_files(tmp_path, plain):
    folder = tmp_path / "forms"
    elsewhere(tmp_path, folder)
    before = packed(folder)
    found, written, problem, y = elsewhere(tmp_path, folder, NORN_MAX_CPU_ISA="sse4")
    assert found == 0 and written > 0 and problem == "" and len(packed(folder)) > len(before)
    np.testing.assert_allclose(y, plain, rtol=0, atol=1e-5 * np.abs(plain).max())


def test_a_session_does_not_see_what_becomes_of_files(tmp_path, plain):
    folder = tmp_path / "forms"
    elsewhere(tmp_path, folder)
    found = session(folder)
    assert files_of(found)["found_bytes"] > 0
    for path in packed(folder):
        os.truncate(path, 0)
    np.testing.assert_array_equal(found.run(None, {"x": X})[0], plain)


def test_a_full_disk_is_reported_and_the_session_runs(tmp_path, plain):
    folder = tmp_path / "forms"
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (%s, resource.RLIM_INFINITY))"
    how = {"before": limit % "100_000", "after": limit % "resource.RLIM_INFINITY"}  # the answer is to be written
    found, _, problem, y = elsewhere(tmp_path, folder, **how)
    assert found == 0 and ".packed" in problem and "too large" in problem
    np.testing.assert_array_equal(y, plain)
    # Nothing is left over of what did not fit, and what did is whole.
    assert {path.name for path in folder.iterdir()} == {"secret"} | {path.name for path in packed(folder)}
    assert elsewhere(tmp_path, folder)[2] == ""


def test_a_folder_that_may_only_be_read(tmp_path, plain):
    folder = tmp_path / "forms"
    _, written, _, _ = elsewhere(tmp_path, folder)
    packed(folder)[0].unlink()
    for path in folder.iterdir():
        path.chmod(0o444)
    tmp_path.chmod(0o755)
    folder.chmod(0o555)
    found, rewritten, problem, y = elsewhere(tmp_path, folder, **AS_NOBODY)
    folder.chmod(0o755)
    assert 0 < found < written and rewritten == 0 and ".packed" in problem
    np.testing.assert_array_equal(y, plain)


@pytest.mark.parametrize("what", ["empty", "absent", "another's"])
def test_a_folder_that_may_not_be_used_is_left_out(tmp_path, plain, what):
    parent = tmp_path / "parent"
    folder = parent / "forms"
    parent.mkdir()
    if what == "another's":
        elsewhere(tmp_path, folder)
        folder.chmod(0o755)
        (folder / "secret").chmod(0o400 if os.getuid() == 0 else 0)
    elif what == "empty":
        folder.mkdir()
        folder.chmod(0o555)
    tmp_path.chmod(0o755)
    parent.chmod(0o555)
    found, written, problem, y = elsewhere(tmp_path, folder, **AS_NOBODY)
    parent.chmod(0o755)
    assert (found, written) == (0, 0) and "the folder is left out" in problem and "forms" in problem
    np.testing.assert_array_equal(y, plain)


def test_files_of_one_build_are_the_same_bits(tmp_path):
    """Whatever lay in the memory of the process: MALLOC_PERTURB_ fills what is asked for."""
    made = []
    for perturb in ("85", "170"):
        folder = tmp_path / "forms"
        for model in (network(), quantized_network()):
            elsewhere(tmp_path, folder, model=model, MALLOC_PERTURB_=perturb)
        made.append({path.name: path.read_bytes() for path in packed(folder)})
        for path in packed(folder):
            path.unlink()
    assert len(made[0]) >= 4 and made[0] == made[1]


def test_processes_that_begin_together_agree(tmp_path, plain):
    folder = tmp_path / "forms"
    runs = [begin_elsewhere(tmp_path, folder, f"y{i}.npy") for i in range(4)]
    for i, run in enumerate(runs):
        run.communicate(timeout=60)
        assert run.returncode == 0
        np.testing.assert_array_equal(np.load(tmp_path / f"y{i}.npy"), plain)
    names = {path.name for path in folder.iterdir()}
    assert names == {"secret"} | {path.name for path in packed(folder)}  # nothing is left over


def test_folders_that_cannot_be_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "secret").write_text("short")
    session(tmp_path / "altered")
    flip(40)(tmp_path / "altered" / "secret")
    for folder, words in [
        (tmp_path / "file", "folder"),
        (tmp_path / "absent" / "forms", "absent"),
        (tmp_path / "odd", "secret"),
        (tmp_path / "altered", "secret"),
    ]:
        with pytest.raises(norn.Error, match=words):
            session(folder)
    with pytest.raises(norn.Error, match="packed_weights_folder is int"):
        norn.SessionOptions(packed_weights_folder=3)


def test_options_show_the_folder(tmp_path):
    options = norn.SessionOptions(packed_weights_folder=tmp_path)
    assert options.packed_weights_folder == str(tmp_path) and f"packed_weights_folder='{tmp_path}'" in repr(options)
    options.packed_weights_folder = ""
    assert "packed_weights" not in norn.InferenceSession(network(), options).profile({"x": X}, runs=1, machine=False)


def test_the_command_keeps_forms(tmp_path):
    onnx.save(network(), tmp_path / "m.onnx")
    command = [pathlib.Path(sys.executable).with_name("norn"), "profile", "m.onnx", "--packed-weights", "forms"]
    for words in ("0 B were there", "0 B were written"):
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0 and words in run.stdout, run.stdout + run.stderr
