"""Names in a model may be any bytes. What is not UTF-8 is shown as \\xff, and nothing but norn.Error is raised."""

import json
import re

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from onnx import TensorProto, helper

import norn

ODD = b"A\xff\xfe\x80B"
SHOWN = r"A\xff\xfe\x80B"


def every_name():
    """Each text of a model is a marker of five characters, as long as ODD."""
    model = model_of(
        [helper.make_node("OPT00", ["INP00"], ["OUT00"], name="NAM00", domain="DOM00", ATT00=1)],
        [value("INP00", ["DIM00"]), helper.make_tensor_value_info("OPQ00", TensorProto.FLOAT, [])],
        [value("OUT00", [1])],
        [helper.make_tensor("INI00", TensorProto.FLOAT, [1], [1.0])],
        domains=[("DOM00", 1)],
        name="GRA00",
        doc_string="GDO00",
    )
    model.producer_name, model.doc_string = "PRO00", "DOC00"
    model.metadata_props.add(key="KEY00", value="VAL00")
    opaque = model.graph.input[1].type.opaque_type
    opaque.domain, opaque.name = "OPD00", "OPN00"
    outside = model.graph.initializer.add(name="EXT00", data_type=1, dims=[3], data_location=TensorProto.EXTERNAL)
    outside.external_data.add(key="location", value="LOC00")
    function = model.functions.add(name="FUN00", domain="DOM00", input=["FIN00"], output=["FOU00"])
    function.opset_import.add(version=21)
    return model.SerializeToString()


CONTENT = every_name()
MARKERS = sorted(set(re.findall(rb"[A-Z]{3}00", CONTENT)))


def texts_of(thing):
    """What every property and text of an object shows."""
    yield str(thing)
    yield repr(thing)
    for name in dir(thing):
        if not name.startswith("_"):
            item = getattr(thing, name)
            yield str(item() if callable(item) else item)


def from_a_check(path):
    report = norn.check(path)
    for finding in report:
        yield from texts_of(finding)
    json.loads(report.to_json())
    json.loads(report.to_sarif())
    yield str(report)
    with pytest.raises(norn.CheckError) as caught:
        norn.check_model(path)
    yield str(caught.value)


DOORS = {
    "check": from_a_check,
    "summary": lambda p: texts_of(norn.load(p).summary()),
    "repr": lambda p: [repr(norn.load(p))],
    "text": lambda p: [norn.load(p).to_text(), norn.to_text(norn.load(p)), norn.to_text(p.read_bytes())],
    "session": lambda p: texts_of(norn.InferenceSession(p)),
    "json": lambda p: norn.save(p, p.with_suffix(".json")),
    "textproto": lambda p: norn.save(p, p.with_suffix(".textproto")),
    "onnxtxt": lambda p: norn.save(p, p.with_suffix(".onnxtxt")),
    "pack": lambda p: norn.pack_external_data(p, p.with_name("p.onnx")),
    "unpack": lambda p: norn.unpack_external_data(p, p.with_name("u.onnx"), size_threshold=0),
    "strip": lambda p: norn.strip_tensor_data(p, p.with_name("s.onnx")),
    "save": lambda p: norn.save(p, p.with_name("again.onnx")),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("marker", MARKERS, ids=bytes.decode)
def test_every_name_through_every_door(marker, door, tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(CONTENT.replace(marker, ODD))
    try:
        texts = list(DOORS[door](path) or ())
    except norn.Error as error:
        texts = [str(error)]
        assert door not in ("check", "summary", "repr", "text")
    for text in texts:
        text.encode()
    # ONNX text has no place for a graph's doc_string.
    if (door == "text" and marker != b"GDO00") or (door == "check" and marker in (b"NAM00", b"OPT00", b"LOC00")):
        assert any(SHOWN in text or SHOWN.replace("\\", "\\\\") in text for text in texts)


def relu(*odd):
    """One Relu between X and Y, with some names replaced."""
    model = model_of([helper.make_node("Relu", ["INP00"], ["OUT00"])], [value("INP00", ["DIM00"])],
                     [value("OUT00", ["DIM00"])], name="GRA00")
    model.producer_name = "PRO00"
    model.metadata_props.add(key="KEY00", value="VAL00")
    content = model.SerializeToString()
    for marker in odd:
        content = content.replace(marker, ODD[: 4] + marker[:1])
    return content


def test_a_session_is_fed_by_the_names_it_shows():
    session = norn.InferenceSession(relu(b"INP00", b"OUT00", b"DIM00", b"GRA00", b"PRO00", b"KEY00", b"VAL00"))
    (given,), (made,) = session.get_inputs(), session.get_outputs()
    assert (given.name, given.shape, made.name) == (r"A\xff\xfe\x80I", [r"A\xff\xfe\x80D"], r"A\xff\xfe\x80O")
    assert given.name in repr(given)
    x = np.float32([-1, 2])
    assert session.run([made.name], {given.name: x})[0].tolist() == [0, 2]
    assert session.run(None, {given.name: [-1, 2]})[0].tolist() == [0, 2]
    assert given.name in session.explain() + session.program_text()
    about = session.get_modelmeta()
    assert (about.graph_name, about.producer_name) == (r"A\xff\xfe\x80G", r"A\xff\xfe\x80P")
    assert about.custom_metadata_map == {r"A\xff\xfe\x80K": r"A\xff\xfe\x80V"}
    for feed in ({"x": x}, {given.name: x, "x": x}, {given.name: x.astype(np.int32)}):
        with pytest.raises(norn.InvalidArgument):
            session.run(None, feed)


@pytest.mark.parametrize("name, kind", [("GraphProto", "graph"), ("NodeProto", "node"), ("FunctionProto", "function")])
def test_texts_of_parts(name, kind):
    node = b'\x22\x02N\xff'  # op_type
    content = {"node": node, "graph": b"\x0a" + bytes([len(node)]) + node + b"\x12\x01g",
               "function": b"\x0a\x01f\x3a" + bytes([len(node)]) + node + b"\x52\x01d"}[kind]
    assert r"N\xff" in norn.print_text(content, kind) and r"N\xff" in norn.to_text(content, kind)


def test_values(tmp_path):
    odd = {"array": np.array([b"\xff", "a"], object), "map": {b"\xff": np.int64(1), "a": np.int64(2)}}
    norn.save_value(tmp_path / "s.pb", odd["array"])
    assert norn.load_value(tmp_path / "s.pb", "tensor").tolist() == [b"\xff", "a"]
    norn.save_value(tmp_path / "m.pb", odd["map"])
    assert norn.load_value(tmp_path / "m.pb", "map") == {b"\xff": 1, "a": 2}
    for suffix in ("npy", "npz"):
        with pytest.raises(norn.InvalidArgument, match="UTF-8"):
            norn.save_value(tmp_path / f"s.{suffix}", odd["array"])


def test_paths_and_folders(tmp_path):
    path = tmp_path / "\udcff.onnx"
    norn.save(relu(), path)
    model = norn.load(path)
    assert model.path == str(path) and "\\xff.onnx" in repr(model) and "\\xff.onnx" in str(model.summary())
    assert norn.ExternalDataPolicy(roots=[path]).roots == [str(path)]


def test_operator_sets():
    document = onnx.OperatorSetProto if hasattr(onnx, "OperatorSetProto") else None
    if document is None:
        from onnx.onnx_operators_ml_pb2 import OperatorSetProto as document
    made = document(magic="ONNXOPSET", ir_version=10, domain="DOM00", opset_version=1)
    made.operator.add(op_type="OPT00", since_version=1, status=1)
    for marker in (b"DOM00", b"OPT00"):
        content = made.SerializeToString().replace(marker, ODD)
        str(norn.check_operator_set(content))
        try:
            loaded = norn.load_operator_set(content)
        except norn.Error as error:
            assert SHOWN in str(error)
        else:
            assert SHOWN in str(loaded) and SHOWN in (loaded.domain, *loaded.operators)
