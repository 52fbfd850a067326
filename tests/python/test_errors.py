"""The exceptions: their contents survive what Python does to exceptions on their way from one process to another."""

import copy
import errno
import pickle

import onnx
import pytest
from onnx import helper

import norn

CLASSES = [c for c in vars(norn).values() if isinstance(c, type) and issubclass(c, BaseException)]


def bad_model():
    """Two errors, and a warning before them."""
    node = helper.make_node("Nope", ["x"], ["y"], name="ü")
    model = helper.make_model(helper.make_graph([node, node], "g", [], []), ir_version=10)
    return model


def an_exception(cls):
    if cls is not norn.CheckError:
        return cls("it is wrong", 'graph "g" / node 3', "make it right")
    with pytest.raises(cls) as caught:
        norn.check_model(bad_model())
    return caught.value


def fields_of(error):
    return type(error), error.message, error.where, error.hint, error.code, str(error), error.args


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_exceptions_can_be_pickled(cls, protocol):
    error = an_exception(cls)
    assert error.message and error.where
    assert fields_of(pickle.loads(pickle.dumps(error, protocol))) == fields_of(error)
    assert fields_of(copy.copy(error)) == fields_of(error)


def test_every_kind_is_looked_at():
    assert {norn.Error, norn.CheckError, norn.IoError, norn.NoSuchFile} <= set(CLASSES) and len(CLASSES) > 10


def test_a_code_of_its_own_is_kept():
    error = pickle.loads(pickle.dumps(norn.Error("m", code="Somewhat")))
    assert (error.code, error.where, error.hint) == ("Somewhat", "", "")


def finding(d):
    return d.rule, d.severity, d.where, d.message, d.hint


def test_a_pickled_report_has_every_finding(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(bad_model(), path)
    report = norn.check(path, max_findings=2)
    assert report.dropped > 0 and len(report) == 2
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert (again.ok, again.path, again.dropped) == (report.ok, report.path, report.dropped)
        assert [finding(d) for d in again] == [finding(d) for d in report]
        assert again.to_json() == report.to_json()
    error = an_exception(norn.CheckError)
    del report
    assert pickle.loads(pickle.dumps(error)).report.to_sarif() == error.report.to_sarif()
    assert type(error).__module__ == "norn"
    for state in ((), ("r", "grave", "", "", ""), ("r", 1, "", "", "")):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            norn.Diagnostic.__new__(norn.Diagnostic).__setstate__(state)


def test_missing_files_are_reported_as_python_reports_them(tmp_path):
    path = str(tmp_path / "no such.onnx")
    for call in (norn.load, norn.check, norn.load_value, norn.load_operator_set):
        with pytest.raises(FileNotFoundError) as caught:
            call(path)
        for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
            assert (error.errno, error.filename) == (errno.ENOENT, path)
            assert path in str(error) and "Errno" not in str(error)
    assert norn.NoSuchFile("it is gone").filename is None


def test_errors_about_what_is_not_utf8(tmp_path):
    """Names of files and of what is in them may be any bytes; the exception shows them as far as text can."""
    with pytest.raises(norn.NoSuchFile, match="no such file"):
        norn.load(tmp_path / "\udcff.onnx")
