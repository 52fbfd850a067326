"""Versions and types of operators that run graphs, or take optionals and maps: each one that a schema allows runs.

Those of all other operators are run, and printed, by norn_slice_tests (src/ops/common/case_matrix.cc), whose cases have
no text for graphs, optionals and maps.
"""

import re

import ml_dtypes  # noqa: F401 - registers its types with numpy
import numpy as np
import onnx
from onnx import TensorProto, defs, helper

import norn

GRAPH = defs.OpSchema.AttrType.GRAPH


def element(name):
    """"float" of "tensor(float)", as a TensorProto.DataType."""
    return getattr(TensorProto, {"float": "FLOAT"}.get(name, name.upper()))


def proto(text):
    """The TypeProto that a schema spells."""
    kind, inside = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
    if kind == "tensor":
        return helper.make_tensor_type_proto(element(inside), None)
    if kind == "map":
        key, value = inside.split(", ")
        value = proto(value if "(" in value else f"tensor({value})")
        if not value.tensor_type.HasField("shape"):
            value.tensor_type.shape.SetInParent()
        return helper.make_map_type_proto(element(key), value)
    made = onnx.TypeProto()
    (made.sequence_type if kind == "seq" else made.optional_type).elem_type.CopyFrom(proto(inside))
    return made


def value(text):
    """Something of the type."""
    kind, inside = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
    if kind == "tensor":
        if inside == "string":
            return np.array(["a", ""], object)
        return np.ones(2, helper.tensor_dtype_to_np_dtype(element(inside)))
    if kind == "map":
        key, of = inside.split(", ")
        one = "x" if of == "string" else helper.tensor_dtype_to_np_dtype(element(of)).type(1)
        return {("k" if key == "string" else 3): one}
    return [value(inside)] if kind == "seq" else value(inside)


def last_opset(schema):
    later = [s.since_version for s in defs.get_all_schemas_with_history()
             if (s.domain, s.name) == (schema.domain, schema.name) and s.since_version > schema.since_version]
    return min(later, default=norn.newest_opset_version(schema.domain) + 1) - 1


def info(name, text):
    return onnx.ValueInfoProto(name=name, type=proto(text))


def identity(schema, text, source, target):
    """The nodes of a body that give a value again, and what it is called then: Identity does not take every type that
    graphs take, and a graph may give what it was given."""
    taken = defs.get_schema("Identity", last_opset(schema)).type_constraints[0].allowed_type_strs
    return ([helper.make_node("Identity", [source], [target])], target) if text in taken else ([], source)


def model_of(schema, nodes, inputs, outputs):
    opset = last_opset(schema)
    imports = [helper.make_opsetid(schema.domain, opset)]
    if schema.domain:
        imports.append(helper.make_opsetid("", norn.newest_opset_version("")))
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=n) for n in outputs])
    return helper.make_model(graph, opset_imports=imports, ir_version=14)


def run_if(schema, text):
    branches = {}
    for side in ("then", "else"):
        nodes, name = identity(schema, text, "x", side)
        branches[f"{side}_branch"] = helper.make_graph(nodes, side, [], [info(name, text)])
    node = helper.make_node("If", ["c"], ["y"], **branches)
    model = model_of(schema, [node], [info("c", "tensor(bool)"), info("x", text)], ["y"])
    return model, {"c": np.array(True), "x": value(text)}


def run_loop(schema, text):
    nodes, name = identity(schema, text, "v", "w")
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), *nodes],
        "body", [info("i", "tensor(int64)"), info("go", "tensor(bool)"), info("v", text)],
        [info("on", "tensor(bool)"), info(name, text)])
    node = helper.make_node("Loop", ["m", "", "x"], ["y"], body=body)
    model = model_of(schema, [node], [info("m", "tensor(int64)"), info("x", text)], ["y"])
    return model, {"m": np.array(2), "x": value(text)}


def run_scan(schema, text):
    body = helper.make_graph(
        [helper.make_node("Identity", ["s"], ["t"]), helper.make_node("Identity", ["e"], ["f"])],
        "body", [info("s", text), info("e", text)], [info("t", text), info("f", text)])
    old = schema.since_version == 8  # with a batch
    node = helper.make_node("Scan", ["", "x", "z"] if old else ["x", "z"], ["y", "each"], body=body, num_scan_inputs=1)
    model = model_of(schema, [node], [info("x", text), info("z", text)], ["y", "each"])
    x = value(text).reshape(1, 2) if old else value(text)
    return model, {"x": x, "z": x}


def run_sequence_map(schema, text):
    of = text if text.startswith("seq") else f"seq({text})"
    item = of.removeprefix("seq(").removesuffix(")")
    beside = [info("b", text)] if not text.startswith("seq") else []
    body = helper.make_graph([helper.make_node("Identity", ["e"], ["f"])], "body",
                             [info("e", item), *(info("inner", text) for _ in beside)], [info("f", item)])
    node = helper.make_node("SequenceMap", ["x", *(v.name for v in beside)], ["y"], body=body)
    return model_of(schema, [node], [info("x", of), *beside], ["y"]), {
        "x": value(of), **{v.name: value(text) for v in beside}}


def run_optional(schema, text):
    inside = text.removeprefix("optional(").removesuffix(")") if text.startswith("optional") else text
    return model_of(schema, [helper.make_node("Optional", ["x"], ["y"])], [info("x", inside)], ["y"]), {"x": value(inside)}


def run_plain(schema, text):
    node = helper.make_node(schema.name, ["x"], ["y"], domain=schema.domain)
    return model_of(schema, [node], [info("x", text)], ["y"]), {"x": value(text)}


def run_map(schema, text):
    attributes = {}
    if schema.name == "DictVectorizer":
        attributes = {"string_vocabulary": ["k"]} if text.startswith("map(string") else {"int64_vocabulary": [3]}
    if schema.name == "CastMap":
        attributes = {"cast_to": "TO_FLOAT"}
        if text.endswith("string)"):
            feed = {"x": {3: "1"}}
            node = helper.make_node(schema.name, ["x"], ["y"], domain=schema.domain, **attributes)
            return model_of(schema, [node], [info("x", text)], ["y"]), feed
    if schema.name == "ZipMap":
        attributes = {"classlabels_strings": ["a", "b"]} if "string" in text else {"classlabels_int64s": [1, 2]}
        node = helper.make_node(schema.name, ["x"], ["y"], domain=schema.domain, **attributes)
        return model_of(schema, [node], [info("x", "tensor(float)")], ["y"]), {"x": np.ones((1, 2), np.float32)}
    node = helper.make_node(schema.name, ["x"], ["y"], domain=schema.domain, **attributes)
    return model_of(schema, [node], [info("x", text)], ["y"]), {"x": value(text)}


RUN = {
    "If": run_if, "Loop": run_loop, "Scan": run_scan, "SequenceMap": run_sequence_map, "Optional": run_optional,
    "CastMap": run_map, "DictVectorizer": run_map, "ZipMap": run_map,
}
# They have one type each, which all cells of the others show.
FIXED = {("Loop", "I"), ("Loop", "B"), ("If", "B"), ("Scan", "I"), ("OptionalHasElement", "B")}


def cells():
    """(schema, variable, type) of what the cases in C++ leave out."""
    for schema in defs.get_all_schemas_with_history():
        if schema.deprecated or schema.domain not in ("", "ai.onnx.ml"):
            continue
        graphs = any(a.type == GRAPH and a.required for a in schema.attributes.values())
        inputs = {p.type_str for p in schema.inputs}
        opaque = any(c.type_param_str in inputs and not any(re.match(r"(seq\()?tensor\(", t) for t in c.allowed_type_strs)
                     for c in schema.type_constraints)
        used = {p.type_str for p in [*schema.inputs, *schema.outputs]}
        for constraint in schema.type_constraints:
            if constraint.type_param_str not in used or (schema.name, constraint.type_param_str) in FIXED:
                continue
            for text in sorted(constraint.allowed_type_strs):
                if graphs or opaque or schema.name == "SequenceEmpty" or not re.match(r"(seq\()?tensor\(", text):
                    yield schema, constraint.type_param_str, text


CELLS = list(cells())


def of_result(schema, text):
    """For what only an output is: an input that gives it."""
    if schema.name == "OptionalGetElement":
        return run_plain(schema, f"optional({text})")
    if schema.name == "DictVectorizer":
        of = text.removeprefix("tensor(").removesuffix(")")
        return run_map(schema, f"map(int64, {of})" if of == "string" else f"map(string, {of})")
    node = helper.make_node(schema.name, ["x"], ["y"], domain=schema.domain,
                            cast_to="TO_" + text.removeprefix("tensor(").removesuffix(")").upper())
    return model_of(schema, [node], [info("x", "map(int64, float)")], ["y"]), {"x": value("map(int64, float)")}


def ran(schema, variable, text):
    if schema.name == "SequenceEmpty":  # of one of its elements, which has to be of the type
        code = element(text.removeprefix("seq(tensor(").removesuffix("))"))
        item = text.removeprefix("seq(").removesuffix(")")
        nodes = [helper.make_node("SequenceEmpty", [], ["s"], dtype=code), helper.make_node("SequenceInsert", ["s", "x"], ["y"])]
        model, feed = model_of(schema, nodes, [info("x", item)], ["y"]), {"x": value(item)}
        return norn.InferenceSession(model).run(None, feed)
    of_output = schema.name in ("OptionalGetElement", "DictVectorizer", "CastMap")
    if of_output and variable not in {p.type_str for p in schema.inputs}:
        model, feed = of_result(schema, text)
    else:
        model, feed = RUN.get(schema.name, run_plain)(schema, text)
    wanted = None
    for options in (norn.SessionOptions(), norn.SessionOptions(reference_only=True, disabled_passes=["all"])):
        got = norn.InferenceSession(model, options).run(None, feed)
        assert got and all(g is not None for g in got)
        if wanted is not None:
            assert repr(got) == wanted
        wanted = repr(got)
    return got


def same(a, b):
    if isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b if isinstance(b, dict) else a.dtype == b.dtype and a.tolist() == b.tolist()


def test_the_matrix_has_no_empty_cell(capsys):
    rows, wrong = {}, []
    for schema, variable, text in CELLS:
        try:
            got = ran(schema, variable, text)
            # What moves values gives them back.
            if schema.name in ("If", "Loop", "Identity", "Optional") and not text.startswith("tensor(string"):
                assert same(got[0], value(text))
            mark = "x"
        except (norn.Error, AssertionError) as e:
            mark = "?"
            wrong.append(f"{schema.name}-{schema.since_version} {variable} {text}: {type(e).__name__}: {e}")
        rows.setdefault(f"{schema.name}-{schema.since_version} {variable}", []).append(mark)
    with capsys.disabled():
        print()
        for name, marks in sorted(rows.items()):
            print(f"  {name:32} {''.join(marks)}")
        print(f"  {len(CELLS) - len(wrong)} of {len(CELLS)} cells ran")
    assert {"If", "Loop", "Scan", "SequenceMap", "Optional", "Identity", "CastMap"} <= {s.name for s, _, _ in CELLS}
    assert not wrong, "\n".join(wrong)
