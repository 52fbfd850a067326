"""norn.backend's calls; onnx's own suite runs through it in test_node_conformance.py."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx.backend.base
import pytest
from conftest import add_model, model_of, value
from onnx import TensorProto, helper, numpy_helper

import norn
import norn.backend

ONES = np.ones((2, 3), np.float32)


def node(op_type, inputs, outputs=("y",), **attributes):
    return helper.make_node(op_type, list(inputs), list(outputs), **attributes)


def run(op_type, given, **attributes):
    names = [f"x{i}" for i in range(len(given))]
    return norn.backend.run_node(node(op_type, names, **attributes), given)[0]


def test_import_norn_does_not_import_onnx():
    code = "import sys, norn; assert 'onnx' not in sys.modules; norn.backend.prepare; assert 'onnx' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    without = "import sys; sys.modules['onnx'] = None\nimport norn\nnorn.backend"
    process = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=False)
    assert "norn.backend needs the onnx package" in process.stderr
    with pytest.raises(AttributeError, match="backends"):
        norn.backends  # noqa: B018


def test_the_module_is_a_backend():
    assert issubclass(norn.backend.Backend, onnx.backend.base.Backend)
    assert issubclass(norn.backend.BackendRep, onnx.backend.base.BackendRep)
    for name in ("is_compatible", "prepare", "run_model", "run_node", "supports_device"):
        assert getattr(norn.backend, name) == getattr(norn.backend.Backend, name)


def test_devices():
    assert norn.backend.supports_device("CPU") and norn.backend.supports_device("CPU:0")
    for device in ("CUDA", "CPU:1", "CUDA:0", "", "cpu?"):
        assert not norn.backend.supports_device(device)
        assert not norn.backend.is_compatible(add_model(), device)
        with pytest.raises(norn.InvalidArgument, match="there is no device"):
            norn.backend.prepare(add_model(), device)


def test_is_compatible_with_what_runs():
    assert norn.backend.is_compatible(add_model())
    odd = model_of([node("Odd", ["x"], domain="acme")], [value("x", [1])], [value("y", [1])], domains=[("acme", 1)])
    assert not norn.backend.is_compatible(odd)


def test_inputs_of_a_model(tmp_path):
    path = tmp_path / "add.onnx"
    onnx.save(add_model(), path)
    for model in (add_model(), path, add_model().SerializeToString()):
        prepared = norn.backend.prepare(model, "CPU", rtol=1e-3)  # other backends' keywords are theirs
        for inputs in ([ONES, ONES], (ONES, numpy_helper.from_array(ONES)), {"y": ONES, "x": ONES}):
            outputs = prepared.run(inputs)
            assert isinstance(outputs, tuple)
            np.testing.assert_array_equal(outputs[0], 2 * ONES)
            np.testing.assert_array_equal(outputs["z"], 2 * ONES)
    np.testing.assert_array_equal(norn.backend.run_model(add_model(), [ONES, ONES]).z, 2 * ONES)
    for wrong in ([ONES], [ONES] * 3, ONES):
        with pytest.raises(norn.InvalidArgument, match="the model has 2: x, y"):
            prepared.run(wrong)
    with pytest.raises(norn.InvalidArgument, match="no argument 'rtol'"):
        prepared.run([ONES, ONES], rtol=1)
    options = norn.RunOptions()
    options.terminate = True
    with pytest.raises(norn.Cancelled):
        prepared.run([ONES, ONES], run_options=options)


def test_inputs_with_defaults_may_be_left_out():
    w = numpy_helper.from_array(np.full((2, 3), 5, np.float32), "w")
    model = model_of([node("Add", ["w", "x"])], [value("w", [2, 3]), value("x", [2, 3])], [value("y", [2, 3])], [w])
    prepared = norn.backend.prepare(model)
    np.testing.assert_array_equal(prepared.run(ONES)[0], 6 * ONES)
    np.testing.assert_array_equal(prepared.run([ONES, 2 * ONES])[0], 3 * ONES)


def test_run_node():
    np.testing.assert_array_equal(run("Add", [ONES, ONES]), 2 * ONES)
    np.testing.assert_array_equal(run("Relu", [-ONES]), 0 * ONES)
    assert run("StringNormalizer", [np.array(["a"])], case_change_action="UPPER").tolist() == ["A"]
    assert run("Cast", [np.array([-8, 7], ml_dtypes.int4)], to=TensorProto.INT64).tolist() == [-8, 7]
    assert run("SequenceLength", [[]]) == 0
    assert run("SequenceAt", [[ONES, ONES[0]], np.array(1)]).shape == (3,)
    assert run("OptionalHasElement", [None]) == np.array(False)
    assert run("OptionalHasElement", [ONES]) == np.array(True)
    scores = run("DictVectorizer", [{"b": np.float32(3)}], domain="ai.onnx.ml", string_vocabulary=["a", "b"])
    assert scores.tolist() == [0, 3]


def test_run_node_of_several_outputs_and_inputs_left_out():
    clip = node("Clip", ["x", "", "top"])
    top = np.array(0.5, np.float32)
    for inputs in ([ONES, top], [ONES, None, top], {"x": ONES, "top": top}):
        np.testing.assert_array_equal(norn.backend.run_node(clip, inputs)[0], 0.5 * ONES)
    top_k = node("TopK", ["x", "k"], ["", "places"])
    outputs = norn.backend.run_node(top_k, [np.array([1, 5, 2], np.float32), np.array([1])])
    assert len(outputs) == 1 and outputs["places"].tolist() == [1]


def test_run_node_in_an_older_version():
    x = np.zeros((2, 2, 2), np.float32)
    softmax = node("Softmax", ["x"])
    assert norn.backend.run_node(softmax, [x])[0].flat[0] == 0.5
    assert norn.backend.run_node(softmax, [x], opset_version=11)[0].flat[0] == 0.25


def test_run_node_holds_outputs_against_what_is_expected():
    add = node("Add", ["a", "b"])
    norn.backend.run_node(add, [ONES, ONES], outputs_info=[(np.float32, (2, 3))])
    for wrong in ((np.float32, (3, 2)), (np.float64, (2, 3))):
        with pytest.raises(norn.InvalidArgument, match=r"'y' is float32\[2, 3\], but outputs_info says"):
            norn.backend.run_node(add, [ONES, ONES], outputs_info=[wrong])


def test_run_node_refuses():
    with pytest.raises(norn.InvalidArgument, match="the node has 2"):
        norn.backend.run_node(node("Add", ["x", "y"]), [ONES])
    with pytest.raises(norn.InvalidArgument, match="not an ONNX element type"):
        norn.backend.run_node(node("Relu", ["x"]), [np.zeros(1, "M8[s]")])
    with pytest.raises(norn.Error, match="Odd"):
        norn.backend.run_node(node("Odd", ["x"]), [ONES])
