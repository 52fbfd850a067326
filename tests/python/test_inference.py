"""Types and shapes of whole documents, compared with the onnx package's inference and with what the text says."""

import pathlib
import re

import numpy as np
import onnx
import onnx.external_data_helper
import onnx.parser
import onnx.shape_inference
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.loader import load_model_tests

import norn


def parsed(text):
    return onnx.parser.parse_model(text)


def types_of(model):
    """{name: type as text} of a graph's outputs and value_info."""

    def text(t):
        if t.HasField("sequence_type"):
            return f"seq({text(t.sequence_type.elem_type)})"
        if t.HasField("optional_type"):
            return f"optional({text(t.optional_type.elem_type)})"
        if not t.HasField("tensor_type"):
            return "?"
        name = helper.tensor_dtype_to_string(t.tensor_type.elem_type).removeprefix("TensorProto.").lower()
        if not t.tensor_type.HasField("shape"):
            return name
        dims = [str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "?" for d in t.tensor_type.shape.dim]
        return f"{name}[{','.join(dims)}]"

    return {v.name: text(v.type) for v in [*model.graph.value_info, *model.graph.output]}


CHAIN = """
<ir_version: 8, opset_import: ["" : 18]>
agraph (float[N, 3, H, W] x) => (float[N, C, D, E] y)
<float[8, 3, 3, 3] w = {}>
{
  c = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w)
  r = Relu(c)
  y = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(r)
}
""".replace("= {}", "= {" + ", ".join(["0"] * 216) + "}")


def test_sizes_are_expressions():
    plain = types_of(norn.infer_shapes(parsed(CHAIN)))
    assert plain["r"] == "float[N,8,unk__0,unk__1]"
    symbolic = types_of(norn.infer_shapes(parsed(CHAIN), symbolic=True))
    assert symbolic["r"] == "float[N,8,floor((H + 1)/2),floor((W + 1)/2)]"
    # A declared name goes before an inferred one, a number before both.
    assert symbolic["y"].startswith("float[N,8,D,E")


def test_it_returns_what_it_was_given(tmp_path):
    model = parsed(CHAIN)
    assert isinstance(norn.infer_shapes(model), onnx.ModelProto)
    data = norn.infer_shapes(model.SerializeToString())
    assert isinstance(data, bytes)
    assert types_of(onnx.load_from_string(data)) == types_of(norn.infer_shapes(model))
    assert isinstance(norn.infer_shapes(norn.load(model)), norn.Model)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    assert isinstance(norn.infer_shapes(path), norn.Model)
    norn.infer_shapes_path(path)
    assert types_of(onnx.load(path)) == types_of(norn.infer_shapes(model))
    norn.infer_shapes_path(path, tmp_path / "typed.onnxtxt", symbolic=True)
    assert types_of(onnx.parser.parse_model((tmp_path / "typed.onnxtxt").read_text()))["r"].startswith("float[N,8,")


def long_branches():
    """A model whose main graph and branches are long, and share names that sizes have."""
    count = 5000
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", None])

    def branch(prefix):
        nodes = [helper.make_node("Relu", ["x" if i == 0 else f"{prefix}{i - 1}"], [f"{prefix}{i}"]) for i in range(count)]
        nodes.append(helper.make_node("Concat", [f"{prefix}{count - 1}", "x"], [f"{prefix}out"], axis=1))
        out = helper.make_tensor_value_info(f"{prefix}out", TensorProto.FLOAT, None)
        return helper.make_graph(nodes, prefix, [], [out])

    nodes = [helper.make_node("If", ["c"], ["m"], then_branch=branch("then"), else_branch=branch("else"))]
    nodes += [helper.make_node("Abs", ["m" if i == 0 else f"a{i - 1}"], [f"a{i}"]) for i in range(count)]
    nodes.append(helper.make_node("NonZero", [f"a{count - 1}"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "long",
        [helper.make_tensor_value_info("c", TensorProto.BOOL, []), x],
        [helper.make_tensor_value_info("y", TensorProto.INT64, None)],
        value_info=[
            helper.make_tensor_value_info("a7", TensorProto.FLOAT, ["unk__0", "D"]),
            helper.make_tensor_value_info("a9", TensorProto.FLOAT, None),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def long_chain(text=""):
    """A model of many nodes and initializers, which are written while it is inferred."""
    nodes = [helper.make_node("Add", ["x" if i == 0 else f"a{i - 1}", f"w{i}"], [f"a{i}"]) for i in range(5000)]
    weights = [numpy_helper.from_array(np.full((1, 3), i, np.float32), f"w{i}") for i in range(5000)]
    weights[2100] = numpy_helper.from_array(np.zeros((1, 1, 1000, 3), np.float32)[0], "w2100")
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor_value_info("a4999", TensorProto.FLOAT, None)],
        weights,
        value_info=[helper.make_tensor_value_info("a7", TensorProto.FLOAT, None, doc_string=text)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def of_the_backend():
    """ONNX's own node cases with subgraphs, containers or functions, and some of the others."""
    for number, case in enumerate(sorted(load_model_tests(kind="node"), key=lambda case: case.name)):
        if re.search("_(if|loop|scan|sequence|optional|identity|range|split|map)", case.name) or number % 16 == 0:
            yield case.model or onnx.load(pathlib.Path(case.model_dir) / "model.onnx")


@pytest.mark.parametrize("symbolic", [False, True])
def test_a_file_gets_what_memory_gets(tmp_path, symbolic):
    source, there = tmp_path / "model.onnx", tmp_path / "there"
    there.mkdir()
    external = parsed(CHAIN)
    external.graph.initializer[0].raw_data = bytes(864)
    del external.graph.initializer[0].float_data[:]
    onnx.external_data_helper.convert_model_to_external_data(external, location="w.bin", size_threshold=0)
    # A graph whose length takes more bytes than its nodes let expect lies elsewhere in the file.
    long = [long_chain(), long_chain("x" * 3_000_000), long_branches()]
    models = [parsed(CHAIN), external, *long, *of_the_backend()]
    assert len(models) > 150
    for model in models:
        # Declared outputs, and outputs that inference completes.
        for stripped in [False, True]:
            if stripped:
                for output in model.graph.output:
                    output.ClearField("type")
            onnx.save(model, source)
            norn.infer_shapes_path(source, there / "path.onnx", symbolic=symbolic)
            norn.save(norn.infer_shapes(source, symbolic=symbolic), there / "memory.onnx")
            assert (there / "path.onnx").read_bytes() == (there / "memory.onnx").read_bytes(), model.graph.name
    for text in ["onnxtxt", "json", "textproto"]:
        norn.infer_shapes_path(source, there / f"path.{text}", symbolic=symbolic)
        norn.save(norn.infer_shapes(source, symbolic=symbolic), there / f"memory.{text}")
        assert (there / f"path.{text}").read_text() == (there / f"memory.{text}").read_text()


def test_branches_give_what_both_say():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (bool c, float[N, 4] x, float[N, 5] z) => (y, v, s)
        {
          y, v, s = If (c) <
            then_branch = a () => (float[A, B] t1, t2, int64[1] t3) {
              t1 = Relu(x)
              t2 = Identity(x)
              t3 = Shape<start = 0, end = 1>(x)
            },
            else_branch = b () => (float[A2, B2] e1, e2, int64[1] e3) {
              e1 = Neg(x)
              e2 = Identity(z)
              e3 = Shape<start = 0, end = 1>(z)
            }
          >
        }""")
    typed = types_of(norn.infer_shapes(model))
    assert typed["y"] == "float[N,4]"
    assert typed["v"].startswith("float[N,unk__")
    why = {(u["value"], u["dimension"]): u for u in norn.explain_shapes(model)["unknown"]}
    assert why[("v", 1)]["why"] == "the branches give different shapes"
    assert "(If)" in why[("v", 1)]["where"]
    # A size that both branches give is known behind them.
    used = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (bool c, float[N, 4] x) => (y)
        {
          s = If (c) <
            then_branch = a () => (int64[1] t) { t = Shape<start = 0, end = 1>(x) },
            else_branch = b () => (int64[1] e) { e = Shape<start = 0, end = 1>(x) }
          >
          one = Constant<value_ints = [1]>()
          target = Concat<axis = 0>(s, one)
          value = Constant<value_float = 1.0>()
          y = Expand(value, target)
        }""")
    assert "y" in types_of(norn.infer_shapes(used))


def test_a_branch_that_is_not_taken_says_nothing():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (float[N, 4] x) => (y)
        {
          c = Constant<value = bool {1}>()
          y = If (c) <
            then_branch = a () => (t) { t = Relu(x) },
            else_branch = b () => (e) { e = Identity(c) }
          >
        }""")
    assert types_of(norn.infer_shapes(model))["y"] == "float[N,4]"


LOOP = """
<ir_version: 8, opset_import: ["" : 18]>
agraph (int64 m, bool go, float[2, 3] a, float[N] b) => (a_out, b_out, each)
{
  a_out, b_out, each = Loop (m, go, a, b) <body = body (int64 i, bool c, float[P, Q] u, float[R] v)
      => (bool c_out, u_out, v_out, float[S, T] w) {
    c_out = Identity(c)
    u_out = Relu(u)
    v_out = Concat<axis = 0>(v, v)
    w = Identity(u)
  }>
}"""


def test_bodies_of_loops_go_to_a_fixed_point():
    typed = types_of(norn.infer_shapes(parsed(LOOP), symbolic=True))
    assert typed["a_out"] == "float[2,3]"  # the same after every iteration
    assert typed["b_out"].startswith("float[unk__")  # grows
    assert typed["each"].endswith(",2,3]")
    why = {(u["value"], u["dimension"]): u["why"] for u in norn.explain_shapes(parsed(LOOP))["unknown"]}
    assert why[("b_out", 0)] == "it changes while the loop runs"
    assert why[("each", 0)] == "it is the number of times that the body runs"


def test_scan():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (float[5] s, float[T, 5] xs, float[2, T] zs) => (last, ys)
        {
          last, ys = Scan <num_scan_inputs = 2, scan_input_axes = [0, 1], scan_output_axes = [-1],
            body = body (float[K] st, float[K] x, float[2] z) => (next, y) {
              next = Add(st, x)
              y = Identity(x)
            }> (s, xs, zs)
        }""")
    typed = types_of(norn.infer_shapes(model))
    assert typed["last"] == "float[5]"
    assert typed["ys"] == "float[5,T]"


def test_inputs_of_nested_graphs_get_what_their_node_gives():
    def body(op, inputs, outputs, nodes, *names, **attributes):
        values = [onnx.ValueInfoProto(name=name) for name in inputs]
        ends = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(nodes, "body", values, ends)
        return helper.make_node(op, *names, body=graph, **attributes)

    add = helper.make_node("Add", ["s", "x"], ["t"])
    scan = body("Scan", ["s", "x"], ["t", "y"], [add, helper.make_node("Neg", ["x"], ["y"])], ["a", "xs"], ["b", "ys"],
                num_scan_inputs=1)  # fmt: skip
    same = [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Abs", ["u"], ["v"])]
    loop = body("Loop", ["i", "c", "u"], ["d", "v"], same, ["m", "go", "a"], ["z"])
    inputs = [
        helper.make_tensor_value_info("a", onnx.TensorProto.FLOAT, [3]),
        helper.make_tensor_value_info("xs", onnx.TensorProto.FLOAT, ["N", 3]),
        helper.make_tensor_value_info("m", onnx.TensorProto.INT64, []),
        helper.make_tensor_value_info("go", onnx.TensorProto.BOOL, []),
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in ("b", "ys", "z")]
    model = helper.make_model(helper.make_graph([scan, loop], "g", inputs, outputs))
    model.opset_import[0].version = 21
    graph = norn.infer_shapes(model).graph

    def inputs_of(node):
        (body,) = (a.g for a in graph.node[node].attribute if a.name == "body")
        return {v.name: types_of_value(v) for v in body.input}

    assert inputs_of(0) == {"s": (onnx.TensorProto.FLOAT, [3]), "x": (onnx.TensorProto.FLOAT, [3])}
    assert inputs_of(1)["c"][0] == onnx.TensorProto.BOOL
    assert inputs_of(1)["i"] == (onnx.TensorProto.INT64, [])
    assert inputs_of(1)["u"] == (onnx.TensorProto.FLOAT, [3])
    assert [types_of_value(v) for v in graph.input] == [types_of_value(v) for v in inputs]


def types_of_value(value):
    tensor = value.type.tensor_type
    return tensor.elem_type, [d.dim_value or d.dim_param for d in tensor.shape.dim]


def test_functions_are_inferred_through():
    model = parsed("""
        <ir_version: 10, opset_import: ["" : 18, "f" : 1]>
        agraph (float[N, 4] x) => (y, z)
        {
          y = f.pick<axis = 0>(x)
          z = f.pick(x)
        }
        <domain: "f", opset_import: ["" : 18]>
        pick <axis: int = 1>(a) => (b)
        {
          b = Concat<axis : int = @axis>(a, a)
        }""")
    typed = types_of(norn.infer_shapes(model, symbolic=True))
    assert typed["y"] == "float[2*N,4]"
    assert typed["z"] == "float[N,8]"


def test_contradictions_name_both_sides():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (float[N, 4] x, float[4, 5] w) => (float[N, 6] y) { y = MatMul(x, w) }""")
    (problem,) = norn.explain_shapes(model)["problems"]
    assert "[N,6]" in problem["message"] and "[N,5]" in problem["message"]
    assert 'declared value "y"' in problem["where"]
    with pytest.raises(norn.InvalidGraph, match=r"\[N,6\]"):
        norn.infer_shapes(model, strict_mode=True)
    norn.infer_shapes(model)
    with pytest.raises(norn.CheckError) as caught:
        norn.check_model(model, full_check=True)
    assert {d.rule for d in caught.value.report if d.severity == "error"} == {"infer.merge.value-conflict"}
    norn.check_model(model)


def test_two_values_of_one_variable():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (float[2, N] x, float[3, 4] w, float[5, 4] v) => (y, z)
        {
          y = MatMul(x, w)
          z = MatMul(x, v)
        }""")
    (problem,) = norn.explain_shapes(model)["problems"]
    assert "N is 3 by graph" in problem["message"] and "5" in problem["message"]
    report = norn.check(model)
    assert [d.severity for d in report if d.rule == "infer.merge.value-conflict"] == ["warning"]


def test_check_knows_types():
    def rules(text):
        return {d.rule for d in norn.check(parsed(text)) if d.severity == "error"}

    head = '<ir_version: 8, opset_import: ["" : 18]>'
    assert rules(head + "g (string[2] x) => (string[2] y) { y = Relu(x) }") == {"node.inputs.types"}
    assert rules(head + "g (float[2] x, int64[2] z) => (float[2] y) { y = Add(x, z) }") == {
        "node.inputs.type-var-consistent"
    }
    assert rules(head + "g (float[2, 3] x, float[4, 5] z) => (float[2, 5] y) { y = MatMul(x, z) }") == {
        "infer.node.shapes"
    }
    assert rules(head + "g (float[2] x) => (int64[2] y) { y = Relu(x) }") == {"infer.merge.elem-conflict"}
    assert rules(head + "g (optional(float[2]) x) => (float[2] y) { y = Relu(x) }") == {"node.optional.dynamic-convert"}
    assert rules(head + "g (float[2] x) => (float[2] y) { y = Relu(x) }") == set()


def test_wrong_types_hide_nothing_unless_they_are_asked_for():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        g (float[2, 3] x, int64[2, 3] z) => (y) { y = Add(x, z) }""")
    assert types_of(norn.infer_shapes(model))["y"] == "float[2,3]"
    norn.infer_shapes(model, strict_mode=True)
    assert types_of(norn.infer_shapes(model, check_type=True))["y"] == "?"
    with pytest.raises(norn.InvalidGraph, match="T is float"):
        norn.infer_shapes(model, check_type=True, strict_mode=True)


def test_operators_without_inference_are_counted():
    """In one note, whose operators the registry knows to have none; whatever they are, a node of each is counted."""
    silent = []
    for name in ("GridSample", "TfIdfVectorizer", "StringNormalizer", "RoiAlign"):
        schema = norn.get_schema(name)
        node = helper.make_node(name, [f"i{k}" for k in range(schema.min_input)], ["y"])
        graph = helper.make_graph([node], "g", [], [helper.make_empty_tensor_value_info("y")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", norn.onnx_opset_version())])
        if norn.explain_shapes(model)["without_inference"] == {name: 1}:
            silent.append(name)
            (note,) = [d for d in norn.check(model) if d.rule == "infer.complete"]
            assert note.severity == "note" and name in note.message
    assert silent or norn.explain_shapes(model)["unknown"]


def test_node_outputs():
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    types = {
        "x": helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 6]),
        "shape": helper.make_tensor_type_proto(TensorProto.INT64, [2]),
    }
    data = {"shape": helper.make_tensor("shape", TensorProto.INT64, [2], [3, -1])}
    schema = onnx.defs.get_schema("Reshape", 13)
    ours = norn.infer_node_outputs(schema, node, types, data)
    assert ours == onnx.shape_inference.infer_node_outputs(schema, node, types, data)
    assert norn.infer_node_outputs(norn.get_schema("Reshape", 13), node, types, data) == ours
    types["x"].tensor_type.shape.dim[1].dim_value = 7
    with pytest.raises(norn.InvalidGraph):
        norn.infer_node_outputs(schema, node, types, data)


def test_function_outputs():
    function = onnx.parser.parse_function("""
        <domain: "f", opset_import: ["" : 18]>
        both <axis>(a, b) => (c, d)
        {
          c = Concat<axis : int = @axis>(a, b)
          d = Shape(c)
        }""")
    types = [helper.make_tensor_type_proto(TensorProto.FLOAT, [n, 3]) for n in (2, 5)]
    axis = helper.make_attribute("axis", 0)
    ours = norn.infer_function_output_types(function, types, [axis])
    assert ours == onnx.shape_inference.infer_function_output_types(function, types, [axis])


def test_a_loop_may_begin_with_an_optional():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        agraph (int64 m, bool go, optional(seq(float[2])) first) => (seq(float[]) last)
        {
          last = Loop (m, go, first) <body = body (int64 i, bool c, optional(seq(float[])) before)
              => (bool c_out, seq(float[]) after) {
            c_out = Identity(c)
            after = OptionalGetElement(before)
          }>
        }""")
    assert types_of(norn.infer_shapes(model, strict_mode=True))["last"].startswith("seq(float")
    assert norn.check(model).ok
    onnx.checker.check_model(model, full_check=True)


UNKNOWN = """
<ir_version: 8, opset_import: ["" : 18]>
g (float[2, N] x, float[] u, int64[1] k, int64[2] s, float[M] v) => (float[A, B] a, float[C] b, c, d, e, f, h)
{
  a = Expand(x, s)
  b = Pad(v, s)
  c = Slice(x, k, k, k)
  d = Squeeze(x)
  e = Flatten(u)
  f = Reshape(u, s)
  h = Reshape(x, s)
}"""


def test_reasons_name_what_is_not_known():
    found = {(u["value"], u["dimension"]): u for u in norn.explain_shapes(parsed(UNKNOWN))["unknown"]}
    why = {at: u["why"] for at, u in found.items()}
    assert why["c", 0] == "the contents of axes are not known"
    assert why["d", -1] == "which of the sizes are 1 is not known"
    assert why["e", 0] == "the graph input declares no shape"  # the first cause, not the node
    assert 'input "u"' in found["e", 0]["where"]
    assert why["h", 0] == why["f", 1] == "the contents of shape are not known"


def test_why_sizes_stay_unknown():
    model = parsed("""
        <ir_version: 8, opset_import: ["" : 18]>
        g (float[2, 3] x, float[] u) => (y, z)
        {
          i = NonZero(x)
          y = Cast<to = 1>(i)
          z = Relu(u)
        }""")
    found = norn.explain_shapes(model)
    why = {(u["value"], u["dimension"]): u for u in found["unknown"]}
    assert "(NonZero)" in why[("y", 1)]["where"]
    assert why[("z", -1)]["why"] == "the graph input declares no shape"
    assert 'input "u"' in why[("z", -1)]["where"]
