"""What docs/differences.md says about external data and text syntax, compared with the onnx package.

Every row has a case here and every case a row; see test_differences.py for those about checks.
"""

import pathlib

import onnx
import pytest
from differences import CASES, EXTERNAL, TABLES, TEXT, case, pairs
from onnx import TensorProto, checker, external_data_helper, helper, parser, printer

import norn


@pytest.mark.parametrize("heading", [EXTERNAL, TEXT])
def test_rows_and_cases_are_the_same(heading):
    assert set(TABLES[heading]) == set(CASES[heading])


def external(*entries, dims=(2,), **fields):
    tensor = TensorProto(name="w", data_type=1, dims=dims, data_location=1, **fields)
    for key, value in entries:
        tensor.external_data.add(key=key, value=value)
    return tensor


CONTENT = bytes(range(16))


def opened(location):
    with norn.open_external(location, ".") as file:
        return file.read()


def onnx_loaded(tensor):
    tensor = TensorProto.FromString(tensor.SerializeToString())
    external_data_helper.load_external_data_for_tensor(tensor, ".")
    return tensor.raw_data


def onnx_opened(location):
    return onnx_loaded(external(("location", location), dims=(4,)))


def refused(call, *args):
    with pytest.raises((norn.InvalidGraph, checker.ValidationError, ValueError)):
        call(*args)
    return True


@case(EXTERNAL, "a link that ends beneath the model's folder")
def _():
    pathlib.Path("link").symlink_to("w")
    assert opened("link") == CONTENT
    assert refused(onnx_opened, "link")
    pathlib.Path("out").symlink_to("/etc/hostname")
    assert refused(opened, "out")
    model = parser.parse_model('<ir_version: 14, opset_import: ["": 21]> g () => (float[4] w) {}')
    model.graph.initializer.append(external(("location", "link"), dims=(4,)))
    pathlib.Path("model.onnx").write_bytes(model.SerializeToString())
    assert {d.rule for d in norn.check("model.onnx") if d.severity == "error"} == {"ext.location.no-symlink"}


@case(EXTERNAL, "a location with a backslash or a NUL, or with `..` that stays inside")
def _():
    pathlib.Path("a\\b").write_bytes(CONTENT)
    for location in ("a\\b", "w\0x", "folder/../w"):
        assert refused(opened, location)
        assert onnx_opened(location) == CONTENT
    assert refused(onnx_opened, "../w")


@case(EXTERNAL, "a name with two dots in it, such as `w..`")
def _():
    pathlib.Path("w..").write_bytes(CONTENT)
    assert opened("w..") == CONTENT
    assert refused(onnx_opened, "w..")


@case(EXTERNAL, "an offset or length with a sign, spaces or digits other than 0 to 9")
def _():
    for text in ("+4", " 4", "4\n", "\u0664"):
        for key in ("offset", "length"):
            tensor = external(("location", "w"), (key, text), dims=(3 if key == "offset" else 1,))
            assert refused(norn.load_external_tensor, tensor, ".")
            assert onnx_loaded(tensor) == (CONTENT[4:] if key == "offset" else CONTENT[:4])


@case(EXTERNAL, "a key given twice, or a checksum that is no SHA-1")
def _():
    for entries in ((("offset", "4"), ("offset", "8")), (("offset", "8"), ("checksum", "00"))):
        tensor = external(("location", "w"), *entries)
        assert refused(norn.load_external_tensor, tensor, ".")
        assert onnx_loaded(tensor) == CONTENT[8:]


@case(EXTERNAL, "loading a tensor whose data is not external")
def _():
    tensor = TensorProto(name="t", data_type=1, dims=[1], raw_data=b"1234")
    assert norn.load_external_tensor(tensor, ".") == b"1234"
    assert refused(onnx_loaded, tensor)


def saved_by_norn(tensor):
    return TensorProto.FromString(norn.save_external_tensor(tensor.SerializeToString(), "."))


def places(location):
    """Where Norn writes a tensor, all else undone, and the tensor."""
    tensor = external(("location", location), dims=(4,), raw_data=CONTENT)
    before = pathlib.Path(location).read_bytes() if pathlib.Path(location).exists() else None
    entries = {e.key: e.value for e in saved_by_norn(tensor).external_data}
    written = pathlib.Path(location).read_bytes()
    assert written[int(entries["offset"]):] == CONTENT
    pathlib.Path(location).unlink()
    if before is not None:
        assert written.startswith(before)
        pathlib.Path(location).write_bytes(before)
    return int(entries["offset"]), tensor


@case(EXTERNAL, "saving without an offset into a file that has data")
def _():
    offset, tensor = places("w")
    external_data_helper.save_external_data(tensor, ".")
    assert (offset, {e.key: e.value for e in tensor.external_data}["offset"]) == (4096, "16")
    offset, tensor = places("new")
    external_data_helper.save_external_data(tensor, ".")
    assert (offset, {e.key: e.value for e in tensor.external_data}["offset"]) == (0, "0")


@case(EXTERNAL, "saving into a folder that is missing")
def _():
    offset, tensor = places("made/w")
    assert offset == 0
    pathlib.Path("made").rmdir()
    assert refused(external_data_helper.save_external_data, tensor, ".")


@pytest.mark.parametrize(("row", "function"), pairs(EXTERNAL))
def test_external_data(row, function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("folder").mkdir()
    pathlib.Path("w").write_bytes(CONTENT)
    assert opened("w") == onnx_opened("w") == CONTENT
    assert norn.load_external_tensor(external(("location", "w"), dims=(4,)), "") == CONTENT  # the current folder
    function()



def onnx_node(text):
    return parser.parse_node(text)


def norn_node(text):
    return onnx.NodeProto.FromString(norn.parse_text(text, "node"))


def text_refused(call, text):
    with pytest.raises((norn.InvalidProtobuf, parser.ParseError)):
        call(text)
    return True


@case(TEXT, "text after a node, graph or function that was read to its end")
def _():
    for text in ("y = Relu (x) z = Relu (y)", "y = Relu (x) }"):
        assert text_refused(norn_node, text)
        assert onnx_node(text) == norn_node("y = Relu (x)")
    graph = "g () => () {}"
    assert parser.parse_graph(graph + "}") == parser.parse_graph(graph)
    assert text_refused(lambda text: norn.parse_text(text, "graph"), graph + "}")


@case(TEXT, "absent operators or values, lists for one value or of several kinds, faults in a function's attributes")
def _():
    for text in ("y = (x)", "y = A <k: int = [1]> ()", "y = A <k = [1.5, 2]> ()", "y = A <k = uint64[1] {-1}> ()",
                 "y = A <k: tensor = float[1] t => ()"):
        assert text_refused(norn_node, text)
        assert onnx_node(text).output == ["y"]
    function = '<domain: "f", opset_import: ["": 21]> F <k: graph = 1.5> (a) => (b) { b = Relu (a) }'
    assert parser.parse_function(function).name == "F"
    assert text_refused(lambda text: norn.parse_text(text, "function"), function)


@case(TEXT, "elements of 4 and 2 bits")
def _():
    text = "y = A <k = int4[3] {1, -2, 3}> ()"
    assert list(norn_node(text).attribute[0].t.int32_data) == [0xE1, 0x03]
    assert list(onnx_node(text).attribute[0].t.int32_data) == [1, -2, 3]
    for text in ("y = A <k = int4[1] {8}> ()", "y = A <k = uint2[2] {1}> ()"):
        assert text_refused(norn_node, text)
        assert onnx_node(text).output == ["y"]


@case(TEXT, "names in quotes or like a type where onnx takes neither, sparse tensors, attributes without a value")
def _():
    for text in ('y = "a b" ()', 'y = "d-e".A ()', 'y = A:"1" ()', 'y = A <"a b" = 1> ()',
                 'y = A <k = float[1] "t 1" {1}> ()', "y = A <k: undefined> ()",
                 "y = A <k: graph = seq () => () {}> ()",
                 "y = A <k = {dims [2], values float[1] {1}, indices int64[1] {0}}> ()"):
        assert text_refused(onnx_node, text)
        node = norn_node(text)
        assert norn_node(norn.print_text(node, "node")) == node
        assert text_refused(onnx_node, printer.to_text(node))


@case(TEXT, "attributes in a model of IR 1")
def _():
    text = "<ir_version: 1, opset_import: []> g () => () { y = A <k: int = 1> () }"
    attributes = [call(text).graph.node[0].attribute[0] for call in (norn.parse_model, parser.parse_model)]
    assert [a.i for a in attributes] == [1, 1]
    assert [a.HasField("type") for a in attributes] == [False, True]


@case(TEXT, "lists of tensors, graphs and types")
def _():
    for text, field in (("float[1] {1}", "tensors"), ("g () => () {}", "graphs"), ("float[1]", "type_protos")):
        node = norn_node(f"y = A <k: {field} = [{text}]> ()")
        assert len(getattr(node.attribute[0], field)) == 1
        assert norn_node(norn.print_text(node, "node")) == node
        assert len(getattr(onnx_node(f"y = A <k: {field} = [{text}]> ()").attribute[0], field)) == 0


@case(TEXT, "complex tensors, and raw data of 4 and 2 bits")
def _():
    for tensor in (TensorProto(data_type=14, dims=[1], float_data=[1.0, 2.0]),
                   TensorProto(data_type=22, dims=[2], raw_data=b"\x21")):
        node = helper.make_node("A", [], ["y"], k=tensor)
        assert "..." in printer.to_text(node)
        assert text_refused(onnx_node, printer.to_text(node))
        assert len(norn_node(norn.print_text(node, "node")).attribute[0].t.ListFields()) >= 3


@case(TEXT, "bytes of strings that are no UTF-8")
def _():
    node = helper.make_node("A", [], ["y"], k=b"a\xff")
    with pytest.raises(UnicodeDecodeError):
        printer.to_text(node)
    assert norn_node(norn.print_text(node, "node")).attribute[0].s == b"a\xff"
    assert onnx_node('y = A <k = "a\\xff"> ()').attribute[0].s == b"axff"


@case(TEXT, "a function's documentation, typed values and attribute defaults")
def _():
    text = '<domain: "f", opset_import: ["": 21], doc_string: "d"> F <k: int = 1> (float[2] a) => (b) { b = Relu (a) }'
    function = parser.parse_function(text)
    again = parser.parse_function(norn.print_text(function, "function"))
    assert (again.doc_string, len(again.value_info), len(again.attribute_proto)) == ("d", 1, 1)
    again = parser.parse_function(printer.to_text(function))
    assert (again.doc_string, len(again.value_info), len(again.attribute_proto)) == ("", 0, 0)


@pytest.mark.parametrize(("row", "function"), pairs(TEXT))
def test_text_syntax(row, function):
    function()


