"""Pipelines of scikit-learn, exported by skl2onnx: strings and numbers, trees, vector machines, neighbours, text.

What scikit-learn answers is in sklearn_models/cases.json; sklearn_models/make_models.py made both.
"""

import json
import pathlib

import numpy as np
import pytest

import norn

HERE = pathlib.Path(__file__).parent / "sklearn_models"
CASES = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))


def array(case):
    dtype = object if case["type"] == "str" else case["type"]
    data = [np.nan if v is None else v for v in case["data"]]
    return np.array(data, dtype).reshape(case["shape"])


def as_table(found):
    """ZipMap gives a list of dictionaries."""
    return np.array([[row[key] for key in sorted(row)] for row in found]) if isinstance(found, list) else found


@pytest.mark.parametrize("reference_only", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_pipelines(name, reference_only):
    feeds = {n: array(a) for n, a in CASES[name]["feeds"].items()}
    session = norn.InferenceSession(HERE / f"{name}.onnx", norn.SessionOptions(reference_only=reference_only))
    found = [as_table(f) for f in session.run(None, feeds)]
    for f, case in zip(found, CASES[name]["outputs"], strict=False):
        expected = array(case)
        assert f.size == expected.size
        if expected.dtype == object:
            assert f.reshape(-1).tolist() == expected.reshape(-1).tolist()
        else:
            np.testing.assert_allclose(
                f.reshape(-1).astype(np.float64),
                expected.reshape(-1).astype(np.float64), rtol=1e-3, atol=1e-4)


def test_every_model_has_a_case():
    assert {path.stem for path in HERE.glob("*.onnx")} == set(CASES)
    assert len(CASES) > 30
