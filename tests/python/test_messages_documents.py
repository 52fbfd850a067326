"""Messages about files, documents and graphs that are broken."""

import gzip
import pickle

import numpy as np
import onnx
import pytest
from messages import F32, Broken, const, expect, model, node, value
from onnx import TensorProto, helper

BROKEN = broken = Broken()


@broken("version 99", "newest that this Norn knows is 28", "opset_import", "for version 28 or earlier")
def opset_new():
    return model([node("Relu", "x", "y")], [value("x", 1, [2])], [value("y", 1, [2])],
                 opset=99), {"x": np.zeros(2, F32)}


@broken("version 0", "node 0 (Relu)", "import version 1 to 28")
def opset_zero():
    return model([node("Relu", "x", "y")], [value("x", 1, [2])], [value("y", 1, [2])], opset=0), {"x": np.zeros(2, F32)}


@broken("ai.onnx is not imported", "node 0 (Relu)", "add it to opset_import")
def opset_missing():
    mm = model([node("Relu", "x", "y")], [value("x", 1, [2])], [value("y", 1, [2])])
    del mm.opset_import[:]
    return mm, {"x": np.zeros(2, F32)}


@broken("exists since version 17", "imports version 11", "node 0 (LayerNormalization)", "correct opset_import")
def op_too_new_for_opset():
    return model([node("LayerNormalization", "x,s", "y")], [value("x", 1, [2])], [value("y", 1, [2])],
                 [const("s", [1, 1])], opset=11), {"x": np.zeros(2, F32)}


@broken("deprecated since version 10", "imports version 13", '"up" (Upsample)', "correct opset_import",
        "the operator that took its place")
def op_removed():
    return model([node("Upsample", "x,s", "y", name="up")], [value("x", 1, [1, 1, 2, 2])], [value("y", 1, None)],
                 [const("s", [1, 1, 2, 2])], opset=13), {"x": np.zeros((1, 1, 2, 2), F32)}


@broken('no operator "Sofmax"', '"s" (Sofmax)', 'did you mean "Softmax"?')
def op_unknown():
    return model([node("Sofmax", "x", "y", name="s")], [value("x", 1, [2])],
                 [value("y", 1, [2])]), {"x": np.zeros(2, F32)}


@broken('no operator "FancyOp" in ai.acme', '"s" (ai.acme.FancyOp)', "operator_sets", "local function")
def op_domain_unknown():
    return model([node("FancyOp", "x", "y", name="s", domain="ai.acme")], [value("x", 1, [2])], [value("y", 1, [2])],
                 imports=[("ai.acme", 1)]), {"x": np.zeros(2, F32)}


@broken("ai.onnx.ml is not imported", "(ai.onnx.ml.Scaler)", "add it to opset_import")
def domain_not_imported():
    return model([node("Scaler", "x", "y", name="s", domain="ai.onnx.ml")], [value("x", 1, [2])],
                 [value("y", 1, [2])]), {"x": np.zeros(2, F32)}


@broken('no operator "ATen"', "org.pytorch.aten", "local function")
def aten():
    return model([node("ATen", "x", "y", name="s", domain="org.pytorch.aten", operator="bilinear")],
                 [value("x", 1, [2])], [value("y", 1, [2])],
                 imports=[("org.pytorch.aten", 1)]), {"x": np.zeros(2, F32)}


@broken('no operator "MoE" in com.microsoft', '"s" (com.microsoft.MoE)', "operator-set document")
def ms_unknown():
    return model([node("MoE", "x,x,x", "y", name="s", domain="com.microsoft")], [value("x", 1, [2, 2])],
                 [value("y", 1, [2, 2])], imports=[("com.microsoft", 1)]), {"x": np.zeros((2, 2), F32)}


def external(folder, location="w.bin", offset=None, length=None, size=None):
    """x + w, whose w lies in a file of `size` bytes; none if that is None."""
    tensor = TensorProto(name="w", data_type=1, dims=[4], data_location=1)
    for key, entry in (("location", location), ("offset", offset), ("length", length)):
        if entry is not None:
            tensor.external_data.add(key=key, value=str(entry))
    made = model([node("Add", "x,w", "y", name="add")], [value("x", 1, [4])], [value("y", 1, [4])], [tensor])
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    if size is not None:
        (folder / location).write_bytes(bytes(size))
    return path, {"x": np.zeros(4, F32)}


@broken("cannot open the external data file", "w.bin", 'initializer "w"', "beside the model")
def ext_missing(folder):
    return external(folder)


@broken("offset 100, length 16", "has 16 bytes", 'initializer "w"', "incomplete")
def ext_offset(folder):
    return external(folder, offset=100, length=16, size=16)


@broken("12 bytes", "take 16", 'initializer "w"', "damaged")
def ext_length(folder):
    return external(folder, offset=0, length=12, size=16)


@broken("10 bytes", "take 16", 'initializer "w"', "damaged")
def ext_short(folder):
    return external(folder, size=10)


@broken('"../w.bin"', '".."', 'initializer "w"', "beneath the model's folder")
def ext_outside(folder):
    return external(folder, location="../w.bin")


@broken("/etc/passwd", "absolute", 'initializer "w"', "beneath")
def ext_absolute(folder):
    return external(folder, location="/etc/passwd")


@broken("folder is unknown", 'initializer "w"', "roots")
def ext_bytes(folder):
    path, feeds = external(folder, size=16)
    return path.read_bytes(), feeds


@broken("folder is unknown", 'initializer "w"', "from its path")
def ext_proto(folder):
    path, feeds = external(folder, size=16)
    return onnx.load(path, load_external_data=False), feeds


SOUND = model([node("Add", "x,w", "y", name="add")], [value("x", 1, [4])], [value("y", 1, [4])],
              [const("w", np.zeros(4))]).SerializeToString()
FILES = {
    "empty_file": ("m.onnx", b"", ["the file is empty", "m.onnx", "download"]),
    "lfs": ("m.onnx", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            ["Git LFS pointer", "m.onnx", "git lfs pull"]),
    "json_file": ("m.onnx", b'{"model_type": "bert", "hidden_size": 768}', ["this is text", "m.onnx", "format="]),
    "html": ("m.onnx", b"<!DOCTYPE html><html><head><title>404</title></head></html>",
             ["HTML", "m.onnx", "link of the file"]), "tflite": ("m.onnx", b"\x1c\0\0\0TFL3" + bytes(100),
                                                                 ["TensorFlow Lite", "m.onnx", "tf2onnx"]),
    "torch_zip": ("m.onnx", b"PK\x03\x04" + bytes(100), ["zip archive", "torch.onnx.export"]),
    "pickle_pt": ("m.onnx", pickle.dumps({"weight": list(range(100))}, 4),
                  ["pickle", "export the model"]), "gzip": ("m.onnx", gzip.compress(SOUND), ["gzip", "gunzip"]),
    "ort_format": ("m.ort", b"\x08\0\0\0ORTM" + bytes(100),
                   [".ort", ".onnx file"]), "hdf5": ("m.h5", b"\x89HDF\r\n\x1a\n" + bytes(100), ["HDF5", "tf2onnx"]),
    "safetensors": ("m.safetensors", b"\x14\0\0\0\0\0\0\0" + b'{"__metadata__": {}}',
                    ["safetensors",
                     "export the model"]), "gguf": ("m.gguf", b"GGUF\3\0\0\0" + bytes(100), ["GGUF", "export"]),
    "npy": ("x.npy", b"\x93NUMPY\x01\x00" + bytes(100),
            ["NumPy array", "not a model"]), "tensor_pb": ("input_0.pb", const("x", [[1, 2]]).SerializeToString(), [
                "TensorProto", "norn.load_value"
            ]), "openvino_xml": ("m.xml", b'<?xml version="1.0"?>\n<net name="m" version="11"/>',
                                 ["XML", "OpenVINO"]), "text_file": ("readme.txt", b"hello world, this is a readme\n",
                                                                     ["this is text", "readme.txt"]),
    "truncated": ("m.onnx", SOUND[:-30], ["ends too early", "bytes are missing", "m.onnx", "fetch it again"]),
    "text_syntax_bad": (
        "m.onnxtxt", b'<ir_version: 8, opset_import: ["" : 18]>\ng (float[N] x) => (float[N] y) {\n  y = Relu(x\n}\n',
        ['expected ")"', "line 4, column 1"]), "json_bad": ("m.json", b'{"irVersion": "8", "graph": {"node": [}',
                                                            ['expected "{"', "line 1, column 39"]),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_something_else(name, tmp_path):
    file, content, phrases = FILES[name]
    (tmp_path / file).write_bytes(content)
    expect((lambda: (tmp_path / file, {}), phrases), tmp_path)


@broken("is a folder", "give the path of a file in it")
def directory(folder):
    return folder, {}


@broken("no such file", "model.onnx", "no folder")
def no_file(folder):
    return folder / "nosuch" / "model.onnx", {}


@broken("no such file", 'did you mean "model.onnx"?')
def a_misspelt_file(folder):
    (folder / "model.onnx").write_bytes(SOUND)
    return folder / "modle.onnx", {}


@broken('"h" is used before it is made', '"r2" (Relu)', '"n1" (Neg) has to come before')
def unsorted():
    return model(
        [node("Relu", "h", "y", name="r2"), node("Neg", "x", "h", name="n1")], [value("x", 1, [2])],
        [value("y", 1, [2])]), {"x": np.zeros(2, F32)}


@broken("it is float[3]", "the default of is float[2]", 'initializer "w"', "take the name out of the inputs")
def a_default_of_another_size():
    return model([node("Add", "x,w", "y")], [value("x", 1, [2]), value("w", 1, [2])], [value("y", 1, [2])],
                 [const("w", [1, 1, 1])]), {"x": np.zeros(2, F32)}


@broken('"weigth"', '"a" (Add)', 'did you mean "weight"?')
def undefined():
    return model([node("Add", "x,weigth", "y", name="a")], [value("x", 1, [2])], [value("y", 1, [2])],
                 [const("weight", [1, 1])]), {"x": np.zeros(2, F32)}


@broken('"y" is defined more than once', '"b" (Neg)', "a name of its own")
def duplicate():
    return model([node("Relu", "x", "y", name="a"), node("Neg", "x", "y", name="b")], [value("x", 1, [2])],
                 [value("y", 1, [2])]), {"x": np.zeros(2, F32)}


@broken("cycle", '"A" (Add)', '"B" (Relu)', "depend on itself")
def cyclic():
    return model(
        [node("Add", "x,b", "a", name="A"), node("Relu", "a", "b", name="B")], [value("x", 1, [2])],
        [value("b", 1, [2])]), {"x": np.zeros(2, F32)}


@broken('output "z" is not computed', "add the node that computes it")
def output_undefined():
    return model([node("Relu", "x", "y")], [value("x", 1, [2])], [value("z", 1, [2])]), {"x": np.zeros(2, F32)}


@broken('"B" is int64[1]', "T is float", '"x" float[2], "s" int64[1]', "Cast")
def type_mismatch():
    return model([node("Shape", "x", "s"), node("Add", "x,s", "y", name="a")], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken("int64[2]", "takes only", '"a" (Sqrt)', "Cast to float")
def type_disallowed():
    return model([node("Sqrt", "x", "y", name="a")], [value("x", 7, [2])],
                 [value("y", 7, None)]), {"x": np.zeros(2, int)}


@broken("declared tensor(int64)", "gives tensor(float)", 'output "y"', "Cast")
def output_type_contradiction():
    return model([node("Relu", "x", "y", name="a")], [value("x", 1, [2])],
                 [value("y", 7, [2])]), {"x": np.zeros(2, F32)}


@broken('no attribute "alhpa"', '"a" (Relu)', "leave the attribute out")
def attr_unknown():
    return model([node("Relu", "x", "y", name="a", alhpa=1.0)], [value("x", 1, [2])],
                 [value("y", 1, [2])]), {"x": np.zeros(2, F32)}


@broken("FLOAT", "wants INT", '"a" (Concat)', "as INT")
def attr_type():
    return model([node("Concat", "x,x", "y", name="a", axis=1.0)], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken('"axis" (INT) is missing', '"a" (Concat)', "give the node the attribute")
def attr_missing():
    return model([node("Concat", "x,x", "y", name="a")], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken('"mode" is "bilinear"', '"a" (Resize)', "nearest, linear, cubic")
def attr_value():
    return model([node("Resize", "x,,s", "y", name="a", mode="bilinear")], [value("x", 1, [1, 1, 2, 2])],
                 [value("y", 1, None)], [const("s", [1, 1, 2, 2])]), {"x": np.zeros((1, 1, 2, 2), F32)}


@broken('"auto_pad" is "SAME"', '"a" (Conv)', "SAME_UPPER")
def attr_autopad():
    return model([node("Conv", "x,w", "y", name="a", auto_pad="SAME")], [value("x", 1, [1, 1, 2, 2])],
                 [value("y", 1, None)], [const("w", np.zeros((1, 1, 1, 1)))]), {"x": np.zeros((1, 1, 2, 2), F32)}


@broken('no attribute "axes"', '"a" (Squeeze)', 'since opset 13 "axes" is an input')
def attr_old_form():
    return model([node("Squeeze", "x", "y", name="a", axes=[0])], [value("x", 1, [1, 2])], [value("y", 1, None)],
                 opset=13), {"x": np.zeros((1, 2), F32)}


@broken("2 inputs", "takes 1", '"a" (Squeeze)', "version 13", "opset_import")
def input_new_form():
    return model([node("Squeeze", "x,a", "y", name="a")], [value("x", 1, [1, 2])], [value("y", 1, None)],
                 [const("a", [0], np.int64)], opset=11), {"x": np.zeros((1, 2), F32)}


@broken('input 1 "B" is missing', '"a" (Add)', '"x" float[2]', "its inputs are A, B")
def arity_few():
    return model([node("Add", "x", "y", name="a")], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken("2 inputs", "takes 1", '"a" (Relu)', "its inputs are X")
def arity_many():
    return model([node("Relu", "x,x", "y", name="a")], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken("2 outputs", "gives 1", '"a" (Relu)', "its outputs are Y")
def arity_out():
    return model([node("Relu", "x", "y,z", name="a")], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken('input 1 "B" is missing', '"a" (Add)', "its inputs are A, B")
def optional_missing():
    return model([node("Add", "x,", "y", name="a")], [value("x", 1, [2])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32)}


def br(n, nodes, outs, init=()):
    return helper.make_graph(nodes, n, [], outs, list(init))


@broken("float[2] in then_branch, but int64[1] in else_branch", '"if" (If)', "let both branches give one type")
def if_types():
    return model([
        node("If", "c", "y", name="if", then_branch=br("t", [node("Relu", "x", "a")], [value("a", 1, None)]),
             else_branch=br("e", [node("Shape", "x", "b")], [value("b", 7, None)]))
    ], [value("c", 9, []), value("x", 1, [2])], [value("y", 1, None)]), {"c": np.array(True), "x": np.zeros(2, F32)}


@broken("the branch has 2 outputs, but the If has 1", '"if" (If)', 'attribute "then_branch" / graph "t"',
        "as many values as the node has outputs")
def if_counts():
    return model([
        node(
            "If", "c", "y", name="if",
            then_branch=br("t", [node("Relu", "x", "a"), node("Neg", "x", "a2")],
                           [value("a", 1, None), value("a2", 1, None)]), else_branch=br(
                               "e", [node("Relu", "x", "b")], [value("b", 1, None)]))
    ], [value("c", 9, []), value("x", 1, [2])], [value("y", 1, None)]), {"c": np.array(True), "x": np.zeros(2, F32)}


@broken("float[]", "tensor(bool)", '"if" (If)', "Cast to bool")
def if_cond_type():
    return model([
        node("If", "c", "y", name="if", then_branch=br("t", [node("Relu", "x", "a")], [value("a", 1, None)]),
             else_branch=br("e", [node("Neg", "x", "b")], [value("b", 1, None)]))
    ], [value("c", 1, []), value("x", 1, [2])], [value("y", 1, None)]), {"c": np.array(1, F32), "x": np.zeros(2, F32)}


@broken("2 and 3", 'graph "t" / node 0 "mm" (MatMul)', '"w" float[3,3]', '"x"')
def if_branch_bad():
    return model([
        node(
            "If", "c", "y", name="if", then_branch=br(
                "t", [node("MatMul", "x,w", "a", name="mm")], [value("a", 1, None)], [const("w", np.zeros(
                    (3, 3)))]), else_branch=br("e", [node("Neg", "x", "b")], [value("b", 1, None)]))
    ], [value("c", 9, []), value("x", 1, ["N"])], [value("y", 1, None)]), {"c": np.array(True), "x": np.zeros(2, F32)}


@broken("the body has 4 inputs", "feeds it 3", 'attribute "body" / graph "body"',
        "takes the iteration's number, the condition and the carried values")
def loop_counts():
    body = helper.make_graph(
        [node("Identity", "cond", "c2"), node("Add", "v,v", "v2")], "body",
        [value("i", 7, []), value("cond", 9, []),
         value("v", 1, None), value("w", 1, None)], [value("c2", 9, []), value("v2", 1, None)])
    return model([node("Loop", "n,,x", "y", name="loop", body=body)],
                 [value("n", 7, []), value("x", 1, [2])],
                 [value("y", 1, None)]), {"n": np.array(3), "x": np.zeros(2, F32)}


@broken("the body has 1 output", "the condition and 1 carried value", '"loop" (Loop)',
        "give the condition as the first")
def loop_outputs():
    body = helper.make_graph(
        [node("Add", "v,v", "v2")], "body",
        [value("i", 7, []), value("cond", 9, []), value("v", 1, None)], [value("v2", 1, None)])
    return model([node("Loop", "n,,x", "y", name="loop", body=body)],
                 [value("n", 7, []), value("x", 1, [2])],
                 [value("y", 1, None)]), {"n": np.array(3), "x": np.zeros(2, F32)}


@broken("float[4]", "float[2] before", "iteration 1", "one shape")
def loop_scan_shapes():
    body = helper.make_graph(
        [node("Identity", "cond", "c2"),
         node("Concat", "v,v", "v2", axis=0),
         node("Identity", "v", "o")], "body",
        [value("i", 7, []), value("cond", 9, []), value("v", 1, ["K"])],
        [value("c2", 9, []), value("v2", 1, ["L"]), value("o", 1, ["M"])])
    return model([node("Loop", "n,,x", "y,z", name="loop", body=body)],
                 [value("n", 7, []), value("x", 1, ["A"])],
                 [value("y", 1, None), value("z", 1, None)]), {"n": np.array(3), "x": np.zeros(2, F32)}


@broken("float[4,2]", "dimension 0 is 3", '"x"', "feed sizes that fit")
def scan_lengths():
    body = helper.make_graph([node("Add", "a,b", "o")], "body",
                             [value("a", 1, None), value("b", 1, None)], [value("o", 1, None)])
    return model([node("Scan", "x,z", "y", name="scan", body=body, num_scan_inputs=2)],
                 [value("x", 1, ["A", 2]), value("z", 1, ["B", 2])],
                 [value("y", 1, None)]), {"x": np.zeros((3, 2), F32), "z": np.zeros((4, 2), F32)}


@broken("2 bytes", "take 3", 'initializer "w"', "damaged")
def int4_len():
    t = TensorProto(name="w", data_type=TensorProto.INT4, dims=[5], raw_data=b"\0\0")
    return model([node("Cast", "w", "y", name="a", to=1)], [], [value("y", 1, None)], [t]), {}


@broken("16 bytes", "take 20", 'initializer "w"', "damaged")
def raw_len():
    t = TensorProto(name="w", data_type=1, dims=[5], raw_data=b"\0" * 16)
    return model([node("Relu", "w", "y", name="a")], [], [value("y", 1, None)], [t]), {}


@broken("negative dimension", 'initializer "w"', "damaged")
def init_dims_neg():
    t = TensorProto(name="w", data_type=1, dims=[-5], raw_data=b"\0" * 16)
    return model([node("Relu", "w", "y", name="a")], [], [value("y", 1, None)], [t]), {}


@broken("no data", 'initializer "w"', "stripped")
def init_float_missing():
    t = TensorProto(name="w", data_type=1, dims=[5])
    return model([node("Relu", "w", "y", name="a")], [], [value("y", 1, None)], [t]), {}


@broken("element type 77", 'initializer "w"', "newer")
def elem_type_unknown():
    t = TensorProto(name="w", data_type=77, dims=[1], raw_data=b"\0" * 4)
    return model([node("Relu", "w", "y", name="a")], [], [value("y", 1, None)], [t]), {}


def fn(name, ins, outs, nodes, **k):
    return helper.make_function("my", name, ins, outs, nodes,
                                [helper.make_opsetid("", 21), helper.make_opsetid("my", 1)], **k)


@broken('no operator "Foo"', '"c1" (my.Foo)', 'did you mean "Fooo"?')
def function_missing():
    return model([node("Foo", "x", "y", name="c1", domain="my")], [value("x", 1, [2])], [value("y", 1, None)],
                 functions=[fn("Fooo", ["a"], ["b"],
                               [node("Relu", "a", "b")])], imports=[("my", 1)]), {"x": np.zeros(2, F32)}


@broken("calls itself", '"c1" (my.F)', "recursive")
def function_recursion():
    return model([node("F", "x", "y", name="c1", domain="my")], [value("x", 1, [2])], [value("y", 1, None)], functions=[
        fn("F", ["a"], ["b"], [node("G", "a", "b", domain="my")]),
        fn("G", ["a"], ["b"], [node("F", "a", "b", domain="my")])
    ], imports=[("my", 1)]), {"x": np.zeros(2, F32)}


@broken("2 inputs", '"c1" (my.F)', "as many as the function declares")
def function_arity():
    return model([node("F", "x,x", "y", name="c1", domain="my")], [value("x", 1, [2])], [value("y", 1, None)],
                 functions=[fn("F", ["a"], ["b"],
                               [node("Relu", "a", "b")])], imports=[("my", 1)]), {"x": np.zeros(2, F32)}


@broken("2 and 3", '"c1" (my.F) / node 1 "mm" (MatMul)', 'dimension 0 of the input "x"')
def function_inner():
    return model(
        [node("F", "x", "y", name="c1", domain="my")], [value("x", 1, ["N"])], [value("y", 1, None)], [], functions=[
            fn("F", ["a"], ["b"],
               [node("Constant", "", "w", value=const("", np.zeros((3, 3)))),
                node("MatMul", "a,w", "b", name="mm")])
        ], imports=[("my", 1)]), {"x": np.zeros(2, F32)}


@broken('"axis" (INT) is missing', '"c1" (my.F) / node 0 (Concat)', 'give the call the attribute "ax"')
def function_attr():
    n = node("Concat", "a,a", "b")
    n.attribute.append(onnx.AttributeProto(name="axis", type=2, ref_attr_name="ax"))
    return model([node("F", "x", "y", name="c1", domain="my")], [value("x", 1, ["N"])], [value("y", 1, None)], [],
                 functions=[fn("F", ["a"], ["b"], [n],
                               attributes=["ax"])], imports=[("my", 1)]), {"x": np.zeros(2, F32)}


@broken('overload "v2"', '"c1" (my.F)', '"v1"')
def overload_missing():
    n = node("F", "x", "y", name="c1", domain="my")
    n.overload = "v2"
    f = fn("F", ["a"], ["b"], [node("Relu", "a", "b")])
    f.overload = "v1"
    return model([n], [value("x", 1, [2])], [value("y", 1, None)], functions=[f],
                 imports=[("my", 1)]), {"x": np.zeros(2, F32)}


@broken("no element type", 'initializer "w"', "set data_type")
def a_tensor_of_no_type():
    mm = model([node("Add", "x,w", "y")], [value("x", 1, [2])], [value("y", 1, [2])], [const("w", [1, 2])])
    mm.graph.initializer[0].data_type = 0
    return mm, {"x": np.zeros(2, F32)}


@broken('the external data in "short.bin" has 4 bytes', 'initializer "w"', "fetch it again")
def a_short_external_file(tmp_path):
    mm = model([node("Add", "x,w", "y")], [value("x", 1, [2])], [value("y", 1, [2])], [const("w", [1, 2])])
    tensor = mm.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="short.bin")
    (tmp_path / "short.bin").write_bytes(b"1234")
    (tmp_path / "m.onnx").write_bytes(mm.SerializeToString())
    return tmp_path / "m.onnx", {"x": np.zeros(2, F32)}


@broken("IR version 99", "1 to 14", "export the model")
def ir_new():
    return model([node("Relu", "x", "y")], [value("x", 1, [2])], [value("y", 1, [2])], ir=99), {"x": np.zeros(2, F32)}


@broken("no graph", "nothing in it to run")
def no_graph():
    mm = model([node("Relu", "x", "y")], [value("x", 1, [2])], [value("y", 1, [2])])
    mm.ClearField("graph")
    return mm, {}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name, tmp_path):
    expect(BROKEN[name], tmp_path)
