"""Operator-set documents with function bodies: checked, run, and their own findings."""

import json

import numpy as np
import onnx
import pytest
from onnx import parser
from onnx.onnx_operators_ml_pb2 import OperatorSetProto

import norn

DOCUMENT = """
magic: "ONNXOPSET"
ir_version: 8
domain: "com.acme.ops"
opset_version: 2
operator { op_type: "Decrypt" since_version: 1 status: STABLE }
functions {
  name: "Affine" domain: "com.acme.ops"
  input: "x" output: "y"
  attribute: "alpha"
  opset_import { domain: "" version: 17 }
  opset_import { domain: "com.acme.ops" version: 2 }
  node { op_type: "Constant" output: "a" attribute { name: "value_float" type: FLOAT ref_attr_name: "alpha" } }
  node { op_type: "Mul" input: "x" input: "a" output: "scaled" }
  node { op_type: "Twice" domain: "com.acme.ops" input: "scaled" output: "y" }
}
functions {
  name: "Twice" domain: "com.acme.ops"
  input: "x" output: "y"
  opset_import { domain: "" version: 17 }
  node { op_type: "Add" input: "x" input: "x" output: "y" }
}
"""


def model(operator, attributes=""):
    return parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17, "com.acme.ops" : 2]>
        main (float[N] a) => (float[N] b) {{ c = Neg(a) b = com.acme.ops.{operator}{attributes}(c) }}""")


@pytest.fixture(params=["textproto", "json", "onnxopset", "bytes", "proto"])
def acme(request, tmp_path):
    path = tmp_path / "acme.textproto"
    path.write_text(DOCUMENT)
    loaded = norn.load_operator_set(path)
    if request.param in ("bytes", "proto"):
        data = loaded.SerializeToString()
        return norn.load_operator_set(data if request.param == "bytes" else OperatorSetProto.FromString(data))
    loaded.save(tmp_path / f"again.{request.param}")
    return norn.load_operator_set(tmp_path / f"again.{request.param}")


def test_bodies_run(acme):
    assert (acme.domain, acme.version, acme.operators) == ("com.acme.ops", 2, ["Affine", "Decrypt", "Twice"])
    options = norn.SessionOptions(operator_sets=[acme])
    x = np.array([1, -2, 0.5], np.float32)
    (y,) = norn.InferenceSession(model("Affine", "<alpha=3.0>"), options).run(None, {"a": x})
    np.testing.assert_array_equal(y, -6 * x)
    (y,) = norn.InferenceSession(model("Twice"), options).run(None, {"a": x})
    np.testing.assert_array_equal(y, -2 * x)
    with pytest.raises(norn.NotImplemented, match="Twice"):
        norn.InferenceSession(model("Twice"))
    with pytest.raises(norn.NotImplemented, match='declares "Decrypt" without a body'):
        norn.InferenceSession(model("Decrypt"), options)


def test_checks_know_the_operators(acme):
    for operator in ("Twice", "Decrypt"):
        assert norn.check(model(operator), operator_sets=[acme], check_custom_domain=True).ok
    unknown = model("Thrice")
    assert norn.check(unknown).ok
    for report in (norn.check(unknown, operator_sets=[acme]), norn.check(unknown, check_custom_domain=True)):
        (finding,) = [d for d in report if d.severity == "error"]
        assert finding.rule == "op.declared" and "Thrice" in finding.message and "node 1" in finding.where
    with pytest.raises(norn.CheckError):
        norn.check_model(unknown, operator_sets=[acme])


def test_findings_about_documents(tmp_path):
    path = tmp_path / "acme.textproto"
    path.write_text(DOCUMENT.replace("since_version: 1", "since_version: 3").replace("ONNXOPSET", "ONNX"))
    report = norn.check_operator_set(path)
    assert {d.rule for d in report} == {"opsetdoc.magic", "opsetdoc.since-bound"}
    assert report.path == str(path) and json.loads(report.to_json())["errors"] == 2
    with pytest.raises(norn.InvalidProtobuf, match=r"opsetdoc\.magic"):
        norn.load_operator_set(path)
    path.write_text(DOCUMENT)
    loaded = norn.load_operator_set(path)
    proto = OperatorSetProto.FromString(loaded.SerializeToString())
    for given in (path, str(path), loaded, proto, proto.SerializeToString()):
        assert norn.check_operator_set(given).ok
    proto.operator[0].since_version = 9
    assert [d.rule for d in norn.check_operator_set(proto)] == ["opsetdoc.since-bound"]


def test_what_is_no_document(tmp_path):
    onnx.save(model("Twice"), tmp_path / "m.onnx")
    for given in (tmp_path / "m.onnx", (tmp_path / "m.onnx").read_bytes()):
        with pytest.raises(norn.InvalidProtobuf, match="this is a model"):
            norn.check_operator_set(given)
    with pytest.raises(norn.InvalidArgument, match="ModelProto was given"):
        norn.check_operator_set(model("Twice"))
    with pytest.raises(norn.NoSuchFile):
        norn.check_operator_set(tmp_path / "nothing")
    with pytest.raises(norn.InvalidArgument, match="bytes or a proto"):
        norn.check_operator_set(3)


def test_sets_that_do_not_fit(tmp_path):
    path = tmp_path / "acme.textproto"
    path.write_text(DOCUMENT)
    first = norn.load_operator_set(path)
    path.write_text(DOCUMENT.replace("Decrypt", "Encrypt"))
    other = norn.load_operator_set(path)
    assert norn.check_operator_sets([first]).ok
    report = norn.check_operator_sets([first, other])
    assert "opsetdoc.domain.unique" in {d.rule for d in report if d.severity == "error"}
    with pytest.raises(norn.InvalidGraph, match=r"opsetdoc\.domain\.unique"):
        norn.InferenceSession(model("Twice"), norn.SessionOptions(operator_sets=[first, other]))


def test_built_in_sets(tmp_path):
    norn.export_operator_set("ai.onnx.ml", 3, tmp_path / "ml.json")
    loaded = norn.load_operator_set(tmp_path / "ml.json")
    assert (loaded.domain, loaded.version) == ("ai.onnx.ml", 3) and norn.check_operator_set(loaded).ok
    with pytest.raises(norn.InvalidArgument, match="versions go from 1 to"):
        norn.export_operator_set("ai.onnx", norn.newest_opset_version() + 1, tmp_path / "x.json")
    assert norn.newest_opset_version("no.such.domain") == 0
