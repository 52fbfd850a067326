"""ONNX's releases: which IR version and operator sets belong together, and what a model of each has to give.

What files of these versions look like on the wire is in test_old_files.py, test_old_operators.py and
test_old_tensors.py, one peculiarity a test; which field and type came when, in src/check/gates_test.cc.
"""

import itertools

import numpy as np
import pytest
from old_files import expect_kept, reported
from wire import INT64, attribute, floats, graph, int64s, model, node, opset, value

import norn

# release: IR version, ai.onnx, ai.onnx.ml, ai.onnx.preview.training (0: none yet)
RELEASES = {
    "1.0": (3, 1, 1, 0), "1.1": (3, 5, 1, 0), "1.1.2": (3, 6, 1, 0), "1.2": (3, 7, 1, 0), "1.3": (3, 8, 1, 0),
    "1.4": (4, 9, 1, 0), "1.5": (5, 10, 1, 0), "1.6": (6, 11, 2, 0), "1.7": (7, 12, 2, 1), "1.8": (7, 13, 2, 1),
    "1.9": (7, 14, 2, 1), "1.10": (8, 15, 2, 1), "1.11": (8, 16, 3, 1), "1.12": (8, 17, 3, 1), "1.13": (8, 18, 3, 1),
    "1.14": (9, 19, 3, 1), "1.15": (9, 20, 4, 1), "1.16": (10, 21, 5, 1), "1.17": (10, 22, 5, 1),
    "1.18": (11, 23, 5, 1), "1.19": (12, 24, 5, 1), "1.20": (13, 25, 5, 1), "1.21": (13, 26, 5, 1), "1.22": (13, 27, 5, 1),
    "1.23": (14, 28, 5, 1),
}
X = np.float32([[1, 2, 3], [-4, 5, -6]])


def release_model(release, ir_version=None):
    """z = Scaler(x * w), reshaped to [3, 2], in the operators of the release."""
    of_release, version, ml, training = RELEASES[release]
    ir_version = ir_version or of_release
    shape_is_input = version >= 5
    shape = (int64s("s", [3, 2]),) if shape_is_input else ()
    as_inputs = [value("w", [2, 3]), *([value("s", [2], INT64)] if shape else [])] if ir_version < 4 else []
    mul = node("Mul", ["x", "w"], ["p"])
    scale = node("Scaler", ["p"], ["q"], *scaler_attributes(), domain="ai.onnx.ml")
    reshape = (node("Reshape", ["q", "s"], ["z"]) if shape_is_input
               else node("Reshape", ["q"], ["z"], attribute("shape", [3, 2])))
    main = graph([mul, scale, reshape], [value("x", [2, 3]), *as_inputs], [value("z", [3, 2])],
                 [floats("w", [1, 2, 3, 4, 5, 6], [2, 3]), *shape])
    imports = [opset(version), opset(ml, "ai.onnx.ml")]
    if training:
        imports.append(opset(training, "ai.onnx.preview.training"))
    return model(ir_version, main, *imports)


def scaler_attributes():
    return attribute("offset", [1.0, 0.0, 0.0]), attribute("scale", [2.0, 1.0, 1.0])


@pytest.mark.parametrize("release", RELEASES)
def test_a_model_of_each_release(release, tmp_path):
    """Read, checked without a finding, kept by every notation, and run."""
    data = release_model(release)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    expected = (X * np.arange(1, 7).reshape(2, 3) - [1, 0, 0]) * [2, 1, 1]
    np.testing.assert_array_equal(norn.InferenceSession(data).run(None, {"x": X})[0], expected.reshape(3, 2))


@pytest.mark.parametrize(("before", "release"), list(itertools.pairwise(RELEASES)))
def test_operator_sets_younger_than_the_ir_version(before, release):
    """Worth a warning, where a release brought both; such a model runs all the same."""
    older, newer = RELEASES[before][0], RELEASES[release][0]
    data = release_model(release, ir_version=older)
    assert ("opset.min-ir" in reported(data)) == (older < newer)
    assert norn.InferenceSession(data).run(None, {"x": X})[0].shape == (3, 2)


def test_the_newest_release_is_the_last_one_known():
    _, version, ml, training = RELEASES["1.23"]
    assert norn.newest_opset_version() == version
    assert norn.newest_opset_version("ai.onnx.ml") == ml
    assert norn.newest_opset_version("ai.onnx.preview.training") == training
    for imports in ([opset(version + 1)], [opset(version), opset(ml + 1, "ai.onnx.ml")]):
        data = model(14, graph([node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y", [2])]), *imports)
        assert reported(data) == {"opset.import.version-known": "error"}
    future = model(15, graph([node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y", [2])]), opset(version))
    assert reported(future) == {"model.ir-version.known": "error"}
