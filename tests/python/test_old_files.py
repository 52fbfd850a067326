"""Files as they were written from 2017 on: what a reader has to cope with, one peculiarity a test.

They are made byte by byte (wire.py). Each is read, checked and kept by all notations; where its peculiarity changes
what is computed, it is run and compared with a closed form. Here are containers, graphs, metadata, functions, training;
attributes and operators are in test_old_operators.py, types and tensors in test_old_tensors.py.
"""

import itertools
import random

import numpy as np
import onnx
import pytest
import wire
from old_files import X, expect_kept, expect_refused_by_texts, hint_of, if_model, parsed, run, reported, unary
from wire import attribute, field, fields, floats, graph, int64s, model, node, opset, packed, value

import norn

# --- the container ----------------------------------------------------------------------------------------------------
def draft_graph(ir_version=1):
    """Before the model message the graph was the outermost one, with plain strings as inputs and outputs."""
    return (field(1, node("Relu", ["x"], ["y"])) + field(2, "g") + field(3, "x") + field(4, "y")
            + field(6, ir_version) + field(7, 1) + field(8, "caffe2") + field(9, "com.example"))


@pytest.mark.parametrize("door", [norn.load, norn.check, norn.InferenceSession])
def test_the_first_draft_had_no_model_message(door, tmp_path):
    """Field 1 is then a node, not the number of the IR version: such a file is named, not read."""
    path = tmp_path / "draft.onnx"
    path.write_bytes(draft_graph())
    for source in (draft_graph(), str(path)):
        with pytest.raises(norn.InvalidProtobuf, match=r"ONNX 0\.1 \(2017\).*no model message"):
            door(source)


@pytest.mark.parametrize("ir_version", [1, 2])
def test_before_ir_3_version_1_of_the_default_operators_is_meant(ir_version, tmp_path):
    """There is no opset_import. Softmax of version 1 normalises all dimensions from `axis` on together."""
    data = unary("Softmax", attribute("axis", 1, typed=ir_version > 1), ir_version=ir_version)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    expected = np.exp(X) / np.exp(X).sum(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(run(data, x=X)[0], expected, rtol=1e-6)
    later = unary("Softmax", attribute("axis", 1), ir_version=7, version=13)
    np.testing.assert_allclose(run(later, x=X)[0], np.exp(X) / np.exp(X).sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("ir_version", [1, 2])
def test_before_ir_3_nodes_have_no_domain(ir_version):
    """All are of the default domain; a file that states one uses a field its version does not have."""
    assert reported(unary("Abs", ir_version=ir_version)) == {}
    assert reported(unary("Abs", ir_version=ir_version, domain="ai.onnx")) == {"ir.gate.node-domain": "error"}
    np.testing.assert_array_equal(run(unary("Abs", ir_version=ir_version), x=X)[0], np.abs(X))


def test_from_ir_3_on_a_model_imports_operators():
    """Which version an older reader would have taken is not guessed."""
    data = model(3, graph([node("Abs", ["x"], ["y"])], [value("x", [2])], [value("y", [2])]))
    assert reported(data) == {"opset.import.nonempty": "error"}
    with pytest.raises(norn.InvalidGraph, match="opset_import"):
        norn.InferenceSession(data)


@pytest.mark.parametrize(("imported", "of_node"), list(itertools.product([None, "", "ai.onnx"], repeat=2)))
def test_the_default_domain_has_two_spellings(imported, of_node, tmp_path):
    """Imports and nodes may say "ai.onnx", "" or nothing, in any combination."""
    main = graph([node("Abs", ["x"], ["y"], domain=of_node)], [value("x", [3])], [value("y", [3])])
    data = model(8, main, opset(13, imported))
    assert reported(data) == {}
    assert run(data, x=np.float32([-1, 0, 2]))[0].tolist() == [1, 0, 2]
    expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))
    twice = model(8, main, opset(6, imported), opset(13, "ai.onnx" if not imported else ""))
    assert reported(twice) == {"opset.import.unique-domain": "warning"}
    assert run(twice, x=np.float32([-1, 0, 2]))[0].tolist() == [1, 0, 2]


def test_fields_come_in_any_order(tmp_path):
    """opset_import stands behind the graph in files that count up, and may stand anywhere."""
    main = graph([node("Add", ["x", "b"], ["y"])], [value("x", [2, 3])], [value("y", [2, 3])], [floats("b", [1, 2, 3])])
    parts = [field(1, 8), field(7, main), field(2, "tests"), opset(13), opset(1, "com.example"), field(5, 7)]
    expected = parsed(b"".join(parts))
    rng = random.Random(1)
    for _ in range(20):
        imports = parts[3:5]
        order = rng.sample(parts, len(parts))
        at = sorted(order.index(p) for p in imports)
        for i, p in zip(at, imports, strict=True):  # repeated fields keep their own order
            order[i] = p
        data = b"".join(order)
        assert parsed(norn.load(data).SerializeToString()) == expected
        assert "opset.import.nonempty" not in reported(data)
        assert run(data, x=np.zeros((2, 3), np.float32))[0].tolist() == [[1, 2, 3]] * 2


def test_writers_of_proto3_leave_out_zeros(tmp_path):
    """A scalar attribute with a type and no value is 0; a dimension of 0 or "" is present, since it is a oneof."""
    gather = field(1, "axis") + field(20, 2)  # an INT without `i`
    least = field(1, "min") + field(20, 1)  # a FLOAT without `f`
    data = model(3, graph([node("Clip", ["x"], ["c"], least), node("Gather", ["c", "k"], ["y"], gather)],
                          [value("x", [2, 3]), value("k", [1], wire.INT64)], [value("y", [1, 3])], [int64s("k", [1])]),
                 opset(6))
    assert reported(data) == {}
    expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))  # ONNX's text writes the zeros out
    x = np.float32([[1, -2, 3], [-4, 5, -6]])
    assert run(data, x=x)[0].tolist() == [[0, 5, 0]]

    zeros = model(8, graph([node("Abs", ["x"], ["y"])], [value("x", [0, "", None])], [value("y", [0, "", None])]),
                  opset(13))
    expect_kept(zeros, tmp_path, (".onnx", ".json", ".textproto"))
    sizes = parsed(norn.load(zeros).SerializeToString()).graph.input[0].type.tensor_type.shape.dim
    assert [d.WhichOneof("value") for d in sizes] == ["dim_value", "dim_param", None]
    assert run(zeros, x=np.zeros((0, 2, 3), np.float32))[0].shape == (0, 2, 3)


def test_repeated_numbers_are_packed_or_not(tmp_path):
    """The first schema packed tensors' numbers but not attributes' lists; other writers did otherwise, or mixed."""
    numbers = [float(i) for i in range(6)]
    loose, tight, mixed = (
        fields(4, numbers), packed(4, numbers), field(4, numbers[0]) + packed(4, numbers[1:4]) + fields(4, numbers[4:]))
    results = []
    for dims, data, perm in itertools.product(
            [fields(1, [2, 3]), packed(1, [2, 3]), field(1, 2) + packed(1, [3])], [loose, tight, mixed],
            [fields(8, [1, 0]), packed(8, [1, 0]), field(8, 1) + packed(8, [0])]):
        w = dims + field(2, wire.FLOAT) + data + field(8, "w")
        file = model(8, graph([node("Transpose", ["w"], ["t"], field(1, "perm") + perm + field(20, 7)),
                               node("Add", ["t", "x"], ["y"])], [value("x", [3, 2])], [value("y", [3, 2])], [w]),
                     opset(13))
        assert reported(file) == {}
        results.append(run(file, x=np.zeros((3, 2), np.float32))[0])
    expect_kept(file, tmp_path)
    for result in results:
        np.testing.assert_array_equal(result, np.arange(6).reshape(2, 3).T)


# --- graphs and values ------------------------------------------------------------------------------------------------
def weights(ir_version):
    """y = x * w + b, with w and b also inputs, as IR 3 asks."""
    return model(ir_version, graph([node("Mul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["y"])],
                                   [value("x", [3]), value("w", [3]), value("b", [3])], [value("y", [3])],
                                   [floats("b", [10, 20, 30]), floats("w", [1, 2, 3])]),
                 *([opset(1)] if ir_version >= 3 else []))


@pytest.mark.parametrize("ir_version", [1, 2, 3])
def test_up_to_ir_3_every_initializer_is_an_input_too(ir_version, tmp_path):
    """What has to be fed are the inputs that are not initializers, whatever the order of the list."""
    data = weights(ir_version)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    session = norn.InferenceSession(data)
    assert [i.name for i in session.get_inputs()] == ["x"]
    assert session.run(None, {"x": np.float32([1, 1, 1])})[0].tolist() == [11, 22, 33]
    not_listed = model(3, graph([node("Mul", ["x", "w"], ["y"])], [value("x", [3])], [value("y", [3])],
                                [floats("w", [1, 2, 3])]), opset(1))
    assert reported(not_listed) == {"init.must-be-input": "error"}
    assert run(not_listed, x=np.float32([1, 1, 1]))[0].tolist() == [1, 2, 3]


def test_constants_of_nested_graphs_were_their_inputs_too(tmp_path):
    """An If branch has no inputs but these; a body's constants come after what the operator feeds."""
    branches = [
        graph([node("Mul", ["x", "k"], [out])], [value("k", [3])], [value(out, [3])], [floats("k", k)], name=out)
        for out, k in (("t", [1, 2, 3]), ("e", [4, 5, 6]))]
    data = if_model(3, branches)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    x = np.float32([1, 1, 1])
    assert run(data, c=np.array([True]), x=x)[0].tolist() == [1, 2, 3]
    assert run(data, c=np.array([False]), x=x)[0].tolist() == [4, 5, 6]
    assert "init.subgraph.no-input-alias" in reported(if_model(4, branches))

    def loop(*inputs, constant):
        body = graph([node("Identity", ["go"], ["on"]), node("Add", ["a", constant], ["b"])], inputs,
                     [value("on", [], wire.BOOL), value("b", [3])], [floats(constant, [1, 2, 3])], name="body")
        return model(3, graph([node("Loop", ["n", "", "x"], ["y"], attribute("body", body, kind=5))],
                              [value("n", [1], wire.INT64), value("x", [3])], [value("y", [3])]), opset(1))
    fed = [value("i", [], wire.INT64), value("go", [], wire.BOOL), value("a", [3])]
    behind, first = loop(*fed, value("k", [3]), constant="k"), loop(value("k", [3]), *fed, constant="k")
    assert reported(behind) == {}
    expect_kept(behind, tmp_path)
    assert "init.subgraph.order" in reported(first)
    assert "init.subgraph.actuals-not-init" in reported(loop(*fed, constant="a"))
    y = run(behind, n=np.int64([4]), x=np.float32([0, 0, 0]))[0]
    assert y.tolist() == [4, 8, 12]


def test_constants_of_scans_were_inputs_of_its_body_too(tmp_path):
    """Scan of opset 8 is younger than IR 4's constants by a release: its body's inputs end with its initializers."""
    body = graph([node("Add", ["s", "e"], ["a"]), node("Mul", ["a", "k"], ["t"]), node("Identity", ["t"], ["out"])],
                 [value("s", [2]), value("e", [2]), value("k", [2])], [value("t", [2]), value("out", [2])],
                 [floats("k", [2, 3])], name="body")
    main = graph([node("Scan", ["", "s0", "x"], ["last", "all"], attribute("body", body, kind=5),
                       attribute("num_scan_inputs", 1))],
                 [value("s0", [1, 2]), value("x", [1, 3, 2])], [value("last", [1, 2]), value("all", [1, 3, 2])])
    data = model(3, main, opset(8))
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    x = np.float32([[[1, 1], [2, 2], [3, 3]]])
    last, every = run(data, s0=np.float32([[0, 0]]), x=x)
    assert every.tolist() == [[[2, 3], [8, 15], [22, 54]]] and last.tolist() == [[22, 54]]
    assert "init.subgraph.no-input-alias" in reported(model(4, main, opset(8)))


@pytest.mark.parametrize("ir_version", [1, 2, 3])
def test_up_to_ir_3_any_weight_can_be_fed(ir_version):
    """The initializer counts exactly where the caller gives no value; from IR 4 on one that is not an input is a constant."""
    session = norn.InferenceSession(weights(ir_version))
    assert [i.name for i in session.get_overridable_initializers()] == ["w", "b"]
    x, w, b = np.float32([1, 1, 1]), np.float32([-1, -2, -3]), np.float32([0, 0, 1])
    assert session.run(None, {"x": x, "w": w})[0].tolist() == [9, 18, 27]
    assert session.run(None, {"x": x, "w": w, "b": b})[0].tolist() == [-1, -2, -2]
    assert session.run(None, {"x": x})[0].tolist() == [11, 22, 33]
    with pytest.raises(norn.InvalidArgument, match="rank|dimension"):
        session.run(None, {"x": x, "w": np.float32([1])})
    constant = norn.InferenceSession(model(4, graph([node("Mul", ["x", "w"], ["y"])], [value("x", [3])],
                                                    [value("y", [3])], [floats("w", [1, 2, 3])]), opset(7)))
    assert constant.get_overridable_initializers() == []
    with pytest.raises(norn.InvalidArgument, match='no input "w"'):
        constant.run(None, {"x": x, "w": w})


@pytest.mark.parametrize("ir_version", [3, 5, 6, 8])
def test_up_to_ir_5_every_value_info_has_a_type(ir_version):
    """Later only the main graph's inputs and outputs need one. What runs is not held to it."""
    branches = [graph([node("Identity", ["x"], [out])], [], [value(out, of_type=b"")], name=out) for out in "te"]
    data = if_model(ir_version, branches)
    assert reported(data) == ({"value.type-required": "error"} if ir_version <= 5 else {})
    c = np.array([True] if ir_version < 4 else True)
    assert run(data, c=c, x=np.float32([1, 2, 3]))[0].tolist() == [1, 2, 3]


def test_dimensions_and_values_are_named_apart(tmp_path):
    """Early texts knew one namespace of tensors and none of dimensions; a value may be called as a dimension is."""
    data = model(3, graph([node("Relu", ["N"], ["y"])], [value("N", ["N", "y"])], [value("y", ["N", "y"])]), opset(6))
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    assert run(data, N=np.float32([[-1, 2]]))[0].tolist() == [[0, 2]]


def test_unknown_dimensions_were_written_in_many_ways(tmp_path):
    """"" and negative sizes mean that nothing is known, and are warned of; any other string, "*" too, is a name."""
    def two(dim):
        return model(8, graph([node("Relu", ["a"], ["y"]), node("Relu", ["b"], ["z"])],
                              [value("a", [dim]), value("b", [dim])], [value("y", [dim]), value("z", [dim])]),
                     opset(13))
    for dim, rule in [("", "shape.dim.empty-param"), (-1, "shape.dim.value-nonnegative"),
                      (-7, "shape.dim.value-nonnegative"), (None, None)]:
        assert reported(two(dim)) == ({rule: "warning"} if rule else {})
        expect_kept(two(dim), tmp_path, (".onnx", ".json", ".textproto"))
        session = norn.InferenceSession(two(dim))
        assert session.get_inputs()[0].shape == [None]
        y, z = session.run(None, {"a": np.float32([1]), "b": np.float32([-1, 2, 3])})
        assert y.tolist() == [1] and z.tolist() == [0, 2, 3]
    for name in ("?", "None", "*", "N"):
        assert reported(two(name)) == ({} if name.isalpha() else {"name.c90.dim-param": "warning"})
        expect_kept(two(name), tmp_path, (".onnx", ".json", ".textproto"))
        session = norn.InferenceSession(two(name))
        assert session.get_inputs()[0].shape == [name]
        with pytest.raises(norn.InvalidArgument, match='"a" and 3'):
            session.run(None, {"a": np.float32([1]), "b": np.float32([1, 2, 3])})


@pytest.mark.parametrize("name", ["conv1.weight", "model/dense/Relu:0", "1x", "a b", "gr\u00f6\u00dfe", 'a"b\\c', "?"])
def test_names_are_any_text(name, tmp_path):
    """They were to be C identifiers until 2025, which no producer kept to: a warning, and nothing else."""
    data = model(3, graph([node("Abs", [name], [f"{name}_abs"]), node("Neg", [f"{name}_abs"], ["y"])],
                          [value(name, [2])], [value("y", [2])]), opset(6))
    assert reported(data) == {"name.c90": "warning"}
    expect_kept(data, tmp_path)
    assert run(data, **{name: np.float32([-1, 2])})[0].tolist() == [-1, -2]


# --- metadata ---------------------------------------------------------------------------------------------------------
def with_metadata(ir_version, *entries):
    return model(ir_version, graph([node("Abs", ["x"], ["y"])], [value("x", [2])], [value("y", [2])]), opset(6),
                 fields(14, itertools.starmap(wire.entry, entries)))


def test_metadata_keys_changed_their_names(tmp_path):
    """author and license became model_author and model_license. Old and unknown keys stay as they are."""
    entries = [("author", "A"), ("company", "C"), ("converted_from", "caffe2"), ("license", "MIT"),
               ("license_url", "https://example.com"), ("model_author", "A, C"), ("model_license", "MIT"),
               ("anything else", "\u00e4\n\"")]
    data = with_metadata(3, *entries)
    assert reported(data) == {}
    expect_kept(data, tmp_path)
    assert norn.load(data).summary().metadata == entries
    assert reported(with_metadata(3, ("author", "A"), ("author", "B"))) == {"meta.model.unique-keys": "error"}


@pytest.mark.parametrize("spell", [str, str.lower, str.upper])
def test_keys_about_images_ignore_case(spell, tmp_path):
    """They came with 1.2; their values ignore case too."""
    good = with_metadata(3, (spell("Image.BitmapPixelFormat"), spell("Bgr8")),
                         (spell("Image.ColorSpaceGamma"), spell("SRGB")),
                         (spell("Image.NominalPixelRange"), spell("NominalRange_0_255")))
    assert reported(good) == {}
    expect_kept(good, tmp_path)
    bad = with_metadata(3, (spell("Image.BitmapPixelFormat"), spell("Cmyk16")))
    assert reported(bad) == {"meta.image.values": "warning"}


def test_metadata_beside_the_models_came_with_ir_10(tmp_path):
    """Readers of earlier versions drop it in silence; here it is reported and kept."""
    prop = wire.entry("com.example.k", "v")
    main = graph([node("Abs", ["x"], ["y"]) + field(9, prop)], [value("x", [2]) + field(4, prop)], [value("y", [2])],
                 (), field(16, prop))
    early, later = model(9, main, opset(19)), model(10, main, opset(19))
    assert reported(early) == {"ir.gate.metadata-props": "error"}
    assert sum(d.rule == "ir.gate.metadata-props" for d in norn.check(early)) == 3
    assert reported(later) == {}
    expect_kept(early, tmp_path, (".onnx", ".json", ".textproto"))
    assert run(early, x=np.float32([-1, 2]))[0].tolist() == [1, 2]


# --- functions and operator sets --------------------------------------------------------------------------------------
def function(name, nodes, *more, domain="com.example", imports=opset(13).replace(b"\x42", b"\x4a", 1)):
    return (field(1, name) + field(4, "a") + field(5, "b") + fields(7, nodes) + imports
            + (field(10, domain) if domain is not None else b"") + b"".join(more))


def calling(ir_version, *functions, overload=None, version=13):
    call = node("F", ["x"], ["y"], domain="com.example") + (field(8, overload) if overload else b"")
    return model(ir_version, graph([call], [value("x", [2])], [value("y", [2])]), opset(version),
                 opset(1, "com.example"), fields(25, functions))


def operator_set(version, *functions, ir_version=field(2, 7)):
    return (field(1, "ONNXOPSET") + ir_version + field(4, "com.example") + field(5, version)
            + fields(9, functions))


def loaded_set(data, tmp_path):
    path = tmp_path / "ops.onnx"
    path.write_bytes(data)
    return norn.load_operator_set(path)


def test_functions_carried_a_version_and_a_status(tmp_path):
    """In operator-set documents of 1.2 to 1.9, as fields 2 and 3; in a model those numbers are retired."""
    versioned = field(2, 1) + field(3, 1)
    document = loaded_set(operator_set(1, function("F", [node("Neg", ["a"], ["b"])], versioned, domain=None)), tmp_path)
    assert document.operators == ["F"] and document.version == 1
    data = model(8, graph([node("F", ["x"], ["y"], domain="com.example")], [value("x", [2])], [value("y", [2])]),
                 opset(13), opset(1, "com.example"))
    session = norn.InferenceSession(data, norn.SessionOptions(operator_sets=[document]))
    assert session.run(None, {"x": np.float32([1, -2])})[0].tolist() == [-1, 2]
    path = tmp_path / "again.onnx"
    document.save(path)
    assert versioned in path.read_bytes()

    in_model = calling(8, function("F", [node("Neg", ["a"], ["b"])], versioned))
    assert reported(in_model) == {"function.status-reserved": "error"}
    expect_kept(in_model, tmp_path, (".onnx",))
    expect_refused_by_texts(in_model, tmp_path)
    assert run(in_model, x=np.float32([1, -2]))[0].tolist() == [-1, 2]


def test_the_ir_version_of_an_operator_set_grew_to_64_bits(tmp_path):
    """int32 until 1.5: the same bytes for what fits, and a number written long is the same number."""
    for ir_version in (field(2, 7), b"\x10\x87\x80\x80\x80\x00"):
        document = loaded_set(operator_set(1, function("F", [node("Neg", ["a"], ["b"])]), ir_version=ir_version),
                              tmp_path)
        assert parsed_set(document.SerializeToString()).ir_version == 7
    with pytest.raises(norn.Error, match=str(2**40)):
        loaded_set(operator_set(1, ir_version=field(2, 2**40)), tmp_path)
    with pytest.raises(norn.Error, match="-1"):
        loaded_set(operator_set(1, ir_version=field(2, -1)), tmp_path)


def parsed_set(data):
    message = onnx.OperatorSetProto()
    message.ParseFromString(data)
    return message


def test_overloads_in_files_before_ir_10(tmp_path):
    """The field is unknown to those versions, and reported; calls use it all the same, as other readers do."""
    plain = function("F", [node("Neg", ["a"], ["b"])])
    other = function("F", [node("Abs", ["a"], ["b"])], field(13, "v"))
    for ir_version in (9, 10):
        data = calling(ir_version, plain, other, overload="v")
        rules = reported(data)
        assert ("ir.gate.overload" in rules) == ("function.id.unique" in rules) == (ir_version == 9)
        expect_kept(data, tmp_path)
        assert run(data, x=np.float32([1, -2]))[0].tolist() == [1, 2]
        assert run(calling(ir_version, plain, other), x=np.float32([1, -2]))[0].tolist() == [-1, 2]


def test_bodies_of_early_functions_import_nothing(tmp_path):
    """They rely on the operator set around them; later ones list their imports, and a model's have to."""
    body = [node("Abs", ["a"], ["c"]), node("Neg", ["c"], ["b"])]
    local = calling(8, function("F", body, imports=b""))
    assert reported(local) == {"function.opset.import": "error"}
    assert run(local, x=np.float32([1, -2]))[0].tolist() == [-1, -2]
    inner = function("G", [node("Neg", ["a"], ["b"])], imports=b"", domain=None)
    outer = function("F", [node("G", ["a"], ["b"], domain="com.example")], imports=b"", domain=None)
    document = loaded_set(operator_set(1, inner, outer), tmp_path)
    session = norn.InferenceSession(calling(8), norn.SessionOptions(operator_sets=[document]))
    assert session.run(None, {"x": np.float32([1, -2])})[0].tolist() == [-1, 2]


# --- training ---------------------------------------------------------------------------------------------------------
def training(ir_version, algorithm, binding, *main_nodes):
    """y = x * w; the algorithm gives new_w."""
    info = field(2, algorithm) + field(4, wire.entry("w", binding))
    main = graph([node("Mul", ["x", "w"], ["y"]), *main_nodes], [value("x", [2])],
                 [value("y", [2]), *([value("w2", [2])] if main_nodes else [])], [floats("w", [1, 2])])
    return model(ir_version, main, opset(12), opset(1, "ai.onnx.preview.training"), field(20, info))


def test_one_release_had_algorithms_call_the_graph(tmp_path):
    """GraphCall, of 1.7 only; since 1.8 the two graphs are joined. It is reported, and inference does without it."""
    call = node("GraphCall", ["x"], ["out"], attribute("graph_name", "g"), domain="ai.onnx.preview.training")
    algorithm = graph([call, node("Sub", ["w", "out"], ["new_w"])], [], [value("new_w", [2])], name="step")
    data = training(7, algorithm, "new_w")
    assert reported(data) == {"op.declared": "error"}
    assert "1.7" in hint_of(data, "op.declared")
    expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))
    assert run(data, x=np.float32([3, 4]))[0].tolist() == [3, 8]


def test_updates_may_come_from_the_main_graph(tmp_path):
    """In 1.7 only outputs of the algorithm could be assigned, since 1.8 also those of the main graph."""
    algorithm = graph([node("Neg", ["w"], ["new_w"])], [], [value("new_w", [2])], name="step")
    for binding, main_nodes in [("new_w", []), ("w2", [node("Neg", ["w"], ["w2"])])]:
        data = training(7, algorithm, binding, *main_nodes)
        assert reported(data) == {}
        expect_kept(data, tmp_path, (".onnx", ".json", ".textproto"))
        assert run(data, x=np.float32([3, 4]))[0].tolist() == [3, 8]
    assert reported(training(7, algorithm, "nothing")) == {"train.binding.update-value": "error"}
