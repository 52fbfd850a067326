"""norn.check beside onnx.checker: what that accepts Norn accepts, what it rejects Norn rejects, with every finding."""

import json
import pathlib

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from onnx import TensorProto, checker, helper, parser

import norn

DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
MODELS = sorted(p for p in DATA.rglob("*.onnx") if p.stat().st_size < 1_000_000)


def verdict(model):
    try:
        checker.check_model(model)
    except checker.ValidationError:
        return False
    return True


@pytest.mark.parametrize("path", MODELS, ids=lambda p: "/".join(p.parts[-2:]))
def test_models_of_the_onnx_package(path):
    report = norn.check(path)
    errors = [d for d in report if d.severity == "error"]
    if verdict(onnx.load(path)):
        assert not errors, "\n".join(f"{d.rule}: {d.message} at {d.where}" for d in errors)
    else:
        assert errors


def relu(**changes):
    """A small valid model; a test breaks one thing."""
    model = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17], producer_name: "test">
        small (float[2] x) => (float[2] y) { y = Relu(x) }""")
    for name, value in changes.items():
        setattr(model, name, value)
    return model


def rules_of(model, **options):
    return {d.rule for d in norn.check(model, **options) if d.severity == "error"}


def test_a_report_is_true_if_the_model_is_fine():
    model = relu(producer_version="1", domain="com.example")
    model.graph.doc_string = "y is x, or 0"
    clean, noted, faulty = norn.check(model), norn.check(relu()), norn.check(relu(ir_version=0))
    assert (clean.ok, len(clean), noted.ok, faulty.ok) == (True, 0, True, False) and len(noted) > 0
    for report in (clean, noted, faulty):
        assert bool(report) is report.ok


def test_all_faults_in_one_pass():
    model = relu()
    model.graph.name = ""
    model.graph.node[0].input[0] = "nothing"
    model.graph.node.add(op_type="Rellu", input=["x"], output=["y"])
    report = norn.check(model)
    assert not report.ok
    rules = {d.rule for d in report}
    assert {"graph.name", "node.input.defined", "op.declared", "graph.ssa"} <= rules, str(report)
    unknown = next(d for d in report if d.rule == "op.declared")
    assert "Relu" in unknown.hint
    assert "node 1" in unknown.where


@pytest.mark.parametrize(("break_it", "rule"), [
    (lambda m: m.ClearField("ir_version"), "model.ir-version.present"),
    (lambda m: m.ClearField("opset_import"), "opset.import.nonempty"),
    (lambda m: m.graph.output[0].ClearField("type"), "graph.outputs.typed"),
    (lambda m: m.graph.initializer.append(TensorProto(name="w", data_type=1, dims=[3], raw_data=b"1234")),
     "tensor.raw.length"),
])
def test_single_faults(break_it, rule):
    model = relu()
    assert norn.check(model).ok
    break_it(model)
    assert not verdict(model)
    rules = rules_of(model)
    assert rules, "no error"
    assert rule in rules or rule == "tensor.raw.length", rules


def test_check_model_raises_with_the_report():
    model = relu()
    model.graph.node[0].op_type = "Nope"
    with pytest.raises(norn.CheckError) as caught:
        norn.check_model(model)
    assert caught.value.report.diagnostics[0].rule
    assert "Nope" in str(caught.value)
    norn.check_model(relu())
    norn.check_model(relu(), full_check=True)


def test_reports():
    model = relu(ir_version=99)
    report = norn.check(model)
    assert len(report) == len(list(report)) == len(report.diagnostics) > 0
    parsed = json.loads(report.to_json())
    assert json.dumps(parsed)
    sarif = json.loads(report.to_sarif())
    assert sarif["version"] == "2.1.0"
    assert sarif["runs"][0]["results"]
    strict = norn.check(relu(), profile="strict")
    assert len(strict) >= len(norn.check(relu()))
    with pytest.raises(norn.InvalidArgument):
        norn.check(model, profile="nope")


def test_parts():
    node = helper.make_node("Relu", ["x"], ["y"])
    assert norn.check_part("node", node, 8, [("", 17)]).ok
    assert not norn.check_part("node", helper.make_node("Relu", ["x", "y", "z"], ["w"]), 8, [("", 17)]).ok
    tensor = helper.make_tensor("t", TensorProto.FLOAT, [2], [1.0, 2.0])
    assert norn.check_part("tensor", tensor, 8, []).ok
    tensor.dims[0] = 3
    assert not norn.check_part("tensor", tensor, 8, []).ok


def test_a_part_without_known_imports():
    """None: not known, so that nothing can be said about the operators that nodes name."""
    for op_type in ("Relu", "Nope"):
        assert norn.check_part("node", helper.make_node(op_type, ["x"], ["y"]), 10, None).ok
    assert not norn.check_part("node", helper.make_node("", ["x"], ["y"]), 10, None).ok
    # An empty list is known: it imports nothing.
    findings = norn.check_part("node", helper.make_node("Relu", ["x"], ["y"]), 10, [])
    assert [f.rule for f in findings] == ["node.domain.imported"]


def test_what_this_build_runs():
    """An operator of an unknown domain is valid ONNX; nothing runs it."""
    node = helper.make_node("Gizmo", ["x"], ["y"], name="the_node", domain="com.example")
    model = model_of([node], [value("x", [1])], [value("y", [1])], opset=17, domains=[("com.example", 3)])
    assert norn.check(model).ok
    (found,) = [f for f in norn.check(model, profile="runtime") if f.severity == "error"]
    assert found.rule == "norn.operator.runnable" and "the_node" in found.where
    (node,) = norn.unrunnable_nodes(model)
    assert (node["where"], node["message"], node["hint"]) == (found.where, found.message, found.hint)
    assert (node["op_type"], node["domain"], node["version"]) == ("Gizmo", "com.example", 3)
    with pytest.raises(norn.NotImplemented, match="the_node"):
        norn.InferenceSession(model)


def test_rules_are_listed():
    rules = norn.rules()
    assert len({r["id"] for r in rules}) == len(rules) > 250
    assert {r["level"] for r in rules} == {"MUST", "SHOULD", "NORN"}
    assert [r["id"] for r in rules if r["level"] == "NORN"] == ["norn.operator.runnable"]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("Softmax <axs = 1> (x)", 'Softmax version 13 has no attribute "axs"'),
        ("Squeeze <axes = [0]> (x)", 'Squeeze version 13 has no attribute "axes"'),
        ("Softmax <axis = 1.5> (x)", 'attribute "axis" is FLOAT, but Softmax version 13 wants INT'),
        ("Cast (x)", 'the required attribute "to" (INT) is missing'),
        ("Add (x)", 'input 1 "B" is missing: Add has 1 input, but its version 14 takes 2'),
        ("Neg (x, x)", "Neg has 2 inputs, but its version 13 takes 1"),
        ("Clip (x, x, x, x)", "Clip has 4 inputs, but its version 13 takes 1 to 3"),
    ],
)
def test_signatures_are_checked_alike_by_who_checks_and_who_runs(node, message):
    text = '<ir_version: 10, opset_import: ["": 20]> g (float[3] x) => (float[3] y) { y = %s }' % node
    model = onnx.parser.parse_model(text)
    (finding,) = [found for found in norn.check(model) if found.severity == "error"]
    with pytest.raises(norn.InvalidGraph) as refused:
        norn.InferenceSession(model)
    assert finding.message == refused.value.message == message
    assert finding.hint and finding.hint in refused.value.hint


PLAIN = '<ir_version: 10, opset_import: ["": 20]> '
ONE = PLAIN + "g (float[3] x) => (float[3] y) { %s }"
BRANCHES = PLAIN + "g (bool c, float[3] x) => (float[3] y) { y = If (c) <then_branch = a () => (float[3] o) { %s }, " \
                   "else_branch = b () => (float[3] o) { o = Neg (x) }> %s }"
FUNCTION = '<ir_version: 10, opset_import: ["": 20, "f": 1]> g (float[3] x) => (float[3] y) { y = f.F (x) } ' \
           '<domain: "f", opset_import: [%s]> F (a) => (b) { %s }'
CURE_OF_DEPRECATED = ("if the model was written for version 9 or earlier, correct opset_import; else replace the node by "
                      "the operator that took its place")


@pytest.mark.parametrize(
    ("text", "rule", "message", "hint"),
    [
        # names
        (ONE % "y = Neg (q)", "node.input.defined",
         'nothing makes the value "q": no input, initializer or earlier node gives it', "name a value that can be seen"),
        (PLAIN + "g (float[3] weight) => (float[3] y) { y = Neg (weigth) }", "node.input.defined",
         'nothing makes the value "weigth": ', 'did you mean "weight"?'),
        (FUNCTION % ('"": 20', "b = Neg (x)"), "function.body.closed",
         'nothing makes the value "x": it is neither an input of the function nor a value of its body',
         "pass the value as an input"),
        (ONE % "y = Neg (t) t = Abs (x)", "graph.nodes.sorted",
         'the value "t" is used before it is made: node 1 (Abs) makes it', "node 1 (Abs) has to come before node 0 (Neg)"),
        (FUNCTION % ('"": 20', "b = Neg (t) t = Abs (a)"), "function.body.sorted",
         'the value "t" is used before it is made: node 1 (Abs) makes it', "node 1 (Abs) has to come before node 0 (Neg)"),
        (BRANCHES % ("o = Neg (t)", "t = Abs (x)"), "name.scope.visible-before",
         'the value "t" is used before it is made: node 1 (Abs) makes it', "node 1 (Abs) has to come before node 0 (If)"),
        (BRANCHES % ("o = Neg (y)", ""), "graph.acyclic",
         'the value "y" is an output of node 0 (If), which is not there before its graphs have run', "of its own"),
        (ONE % "y = Add (x, t) t = Neg (s) s = Abs (y)", "graph.acyclic",
         "the nodes form a cycle: node 0 (Add) -> node 2 (Abs) -> node 1 (Neg) -> node 0 (Add)", "needs a Loop or Scan"),
        (ONE % "y = Neg (y)", "graph.acyclic", "the nodes form a cycle: node 0 (Neg) -> node 0 (Neg)", "Loop or Scan"),
        (ONE % "y = Neg (x) y = Abs (x)", "graph.ssa",
         'the value "y" is defined more than once: node 0 (Neg) makes it already',
         "give each node output a name of its own"),
        (ONE % "y, y = Split <num_outputs = 2> (x)", "graph.ssa",
         'the value "y" is defined more than once: node 0 (Split) makes it already', "give each node output a name"),
        (ONE % "y = Neg (x) x = Abs (y)", "name.ns.value",
         'the value "x" is defined more than once: it is an input already', "give each node output a name"),
        (PLAIN + "g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { w = Neg (x) y = Abs (w) }",
         "init.not-node-output", 'the value "w" is defined more than once: it is an initializer already',
         "give each node output a name"),
        (PLAIN + "g (float[3] x, float[3] w = {1, 2, 3}) => (float[3] y) { w = Neg (x) y = Abs (w) }",
         "init.not-node-output", 'the value "w" is defined more than once: it is an initializer already',
         "give each node output a name"),
        (PLAIN + "g (float[3] x, float[3] x) => (float[3] y) { y = Neg (x) }", "graph.io.unique-inputs",
         'the value "x" is defined more than once: two inputs have this name', "give each input a name of its own"),
        (PLAIN + "g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}, float[3] w = {1, 2, 3}> { y = Add (x, w) }",
         "init.unique", 'the value "w" is defined more than once: two initializers have this name',
         "give each initializer a name of its own"),
        (BRANCHES % ("t = Neg (x) x = Abs (t) o = Neg (x)", ""), "name.scope.no-shadow-output",
         'the value "x" is defined more than once: it is a value of an enclosing graph already',
         "give each node output a name of its own"),
        (FUNCTION % ('"": 20', "b = Neg (a) b = Abs (a)"), "function.body.ssa",
         'the value "b" is defined more than once: node 0 (Neg) makes it already', "give each node output a name"),
        (FUNCTION % ('"": 20', "b = Neg (a) a = Abs (b)"), "function.body.ssa",
         'the value "a" is defined more than once: it is an input already', "give each node output a name"),
        (ONE % "z = Neg (x)", "graph.output.defined", 'the graph output "y" is not computed by any node', "name a value"),
        (PLAIN + "g (float[3] x) => (float[3] wanted) { wantd = Neg (x) }", "graph.output.defined",
         'the graph output "wanted" is not computed by any node', 'did you mean "wantd"?'),
        (FUNCTION % ('"": 20', "c = Neg (a)"), "function.output.defined",
         'the function\'s output "b" is not computed by any node of its body', "name a value that is computed here"),
        # operators and imports
        ('<ir_version: 10, opset_import: ["ai.onnx.ml": 3]> g (float[3] x) => (float[3] y) { y = Neg (x) }',
         "node.domain.imported", "the operator set ai.onnx is not imported", 'add it to opset_import: {domain: "", '),
        (ONE % "y = ai.onnx.ml.Scaler (x)", "node.domain.imported", "the operator set ai.onnx.ml is not imported",
         'add it to opset_import: {domain: "ai.onnx.ml", version: 5}'),
        (ONE % "y = ai.onnx.ml.Scalerr (x)", "node.domain.imported",
         'the operator set ai.onnx.ml is not imported, nor is there an operator "Scalerr" in it', 'did you mean "Scaler"?'),
        (ONE % "y = com.acme.Fancy (x)", "node.domain.imported", "the operator set com.acme is not imported",
         'add it to opset_import: {domain: "com.acme", version: 1}; the domain is not one of ONNX\'s: '),
        (ONE % "y = Foo (x)", "op.declared", 'there is no operator "Foo" in ai.onnx', "an operator of your own belongs"),
        (FUNCTION % ('"ai.onnx.ml": 3', "b = Neg (a)"), "function.opset.import",
         "the operator set ai.onnx is not imported by the function", 'add it to opset_import of the function: {domain: ""'),
        ('<ir_version: 10, opset_import: ["": 99]> g (float[3] x) => (float[3] y) { y = Neg (x) }',
         "opset.import.version-known",
         "version 99 of the operator set ai.onnx is not known; the newest that this Norn knows is ",
         "a newer Norn may know it; or export the model for version "),
        (ONE % "y = Negg (x)", "op.declared", 'there is no operator "Negg" in ai.onnx', 'did you mean "Neg"'),
        (ONE % "y = neg (x)", "op.case-sensitive", 'there is no operator "neg" in ai.onnx', 'write "Neg": '),
        (ONE % "y = Scaler (x)", "op.declared", 'there is no operator "Scaler" in ai.onnx',
         "it is an operator of ai.onnx.ml: give the node that domain, and import it in opset_import"),
        (ONE % "y = Zxqvwj (x)", "op.declared", 'there is no operator "Zxqvwj" in ai.onnx', "a domain of your own"),
        ('<ir_version: 10, opset_import: ["": 11]> g (float[3] x) => (float[3] y) { y = Gelu (x) }', "op.declared",
         "Gelu exists since version 20 of its operator set; the model imports version 11",
         "correct opset_import; else convert the model to version 20 or later"),
        (FUNCTION % ('"": 11', "b = Gelu (a)"), "op.declared",
         "Gelu exists since version 20 of its operator set; the function imports version 11", "correct opset_import"),
        ('<ir_version: 10, opset_import: ["": 0]> g (float[3] x) => (float[3] y) { y = Neg (x) }', "ver.opset.simple",
         "version 0 of the operator set ai.onnx does not exist: versions count from 1", "import version 1 to "),
        (ONE % "y = Upsample (x, x)", "op.deprecated",
         "Upsample is deprecated since version 10; the model imports version 20", CURE_OF_DEPRECATED),
        ('<ir_version: 10, opset_import: ["": 18]> g (float[1,2,3] x, float[1] s) => (float[1,2,3] y) '
         "{ y = GroupNormalization <num_groups = 1> (x, s, s) }", "op.deprecated",
         "GroupNormalization is deprecated since version 18; the model imports version 18",
         "from version 21 on it is not deprecated: import that"),
    ],
)  # fmt: skip
def test_names_and_imports_are_checked_alike_by_who_checks_and_who_runs(text, rule, message, hint):
    model = onnx.parser.parse_model(text)
    with pytest.raises(norn.Error) as refused:
        norn.InferenceSession(model)
    findings = [found for found in norn.check(model) if found.rule == rule]
    assert findings, norn.check(model)
    found = findings[0]
    assert found.message == refused.value.message and found.message.startswith(message)
    assert found.hint == refused.value.hint and hint in found.hint


SUBGRAPHS = '<ir_version: 8, opset_import: ["": 17]> g (bool c, int64 n, float[2] x) => (y) { %s }'
CALLING = """<ir_version: 8, opset_import: ["": 17, "my.own": 1]> g (float[2] x) => (float[2] y) { %s }
<domain: "my.own", opset_import: ["": 17, "my.own": 1]> F (a, b) => (c) { %s }"""
YES = "then_branch = t () => (float[2] r) { r = Relu (x) }"


@pytest.mark.parametrize(
    "text, rule",
    [
        (SUBGRAPHS % "a = Add (x, b) b = Relu (a) y = Relu (b)", "graph.acyclic"),
        (SUBGRAPHS % f"y = If (c) <{YES}, else_branch = e (float[2] q) => (float[2] r) {{ r = Neg (q) }}>",
         "exec.if.no-inputs"),
        (SUBGRAPHS % f"y = If (c) <{YES}, else_branch = e () => (float[2] r, float[2] s) {{ r = Neg (x) s = Abs (x) }}>",
         "exec.if.outputs-match"),
        (SUBGRAPHS % f"y = If (c) <{YES}, else_branch = e () => (int64[1] r) {{ r = Shape (x) }}>",
         "exec.if.outputs-match"),
        ('<ir_version: 8, opset_import: ["": 17]> g (bool[2] c, float[2] x) => (y) '
         f"{{ y = If (c) <{YES}, else_branch = e () => (float[2] r) {{ r = Neg (x) }}> }}", "exec.if.scalar-cond"),
        (SUBGRAPHS % "y = Loop (n, c, x) <body = b (int64 i, bool d) => (bool d, float[2] r) { r = Relu (x) }>",
         "node.inputs.count"),
        (SUBGRAPHS % "y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (float[2] r) { r = Relu (v) }>",
         "exec.loop.cond-required-out"),
        (SUBGRAPHS % "y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (bool[2] more, float[2] r) "
         "{ more = Constant <value = bool[2] {1, 1}> () r = Relu (v) }>", "infer.node.shapes"),
        (SUBGRAPHS % "y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (more, float[2] r) "
         "{ more = Less (v, x) r = Relu (v) }>", "infer.node.shapes"),
        ((SUBGRAPHS % "y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (d, float[2] r) { r = Relu (v) }>")
         .replace("bool c", "bool[2] c"), "infer.node.shapes"),
        ((SUBGRAPHS % "y = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (d, float[2] r) { r = Relu (v) }>")
         .replace("int64 n", "int64[0] n"), "infer.node.shapes"),
        (SUBGRAPHS % "y, z = Loop (n, c, x) <body = b (int64 i, bool d, float[2] v) => (bool d, float[2] r) "
         "{ r = Relu (v) }>", "node.outputs.count"),
        (SUBGRAPHS % "y = Scan <num_scan_inputs = 1, body = b (float u, float v) => (float r) { r = Relu (u) }> (x)",
         "node.inputs.count"),
        (SUBGRAPHS % "y, z = Scan <num_scan_inputs = 1, body = b (float u) => (float r) { r = Relu (u) }> (x)",
         "node.outputs.count"),
        (SUBGRAPHS % "s = SequenceConstruct (x) y = SequenceMap <body = b (float[2] u, float[2] v) => (float[2] r) "
         "{ r = Relu (u) }> (s)", "node.inputs.count"),
        ('<ir_version: 8, opset_import: ["": 17]> g (float[2,3,4] x, float[3] s) => (y, p, q) '
         "{ y, p, q = BatchNormalization (x, s, s, s, s) }", "node.outputs.named-iff-computed"),
        ('<ir_version: 8, opset_import: ["": -1]> g (float[3] x) => (float[3] y) { y = Neg (x) }', "ver.opset.simple"),
        ('<ir_version: 99, opset_import: ["": 17]> g (float[3] x) => (float[3] y) { y = Neg (x) }',
         "model.ir-version.known"),
        (CALLING % ("y = my.own.F (x)", "c = Add (a, b)"), "function.call.arity"),
        (CALLING % ("y = my.own.F (x, x, x)", "c = Add (a, b)"), "function.call.arity"),
        (CALLING % ("y, z = my.own.F (x, x)", "c = Add (a, b)"), "function.call.arity"),
        (CALLING % ("y = my.own.F (x, x)", "c = my.own.F (a, b)"), "function.no-recursion"),
        ('<ir_version: 8, opset_import: ["": 17]> g (x) => (float[3] y) { y = Neg (x) }', "graph.inputs.typed"),
        ('<ir_version: 8, opset_import: ["": 17]> g (float[3] x) => (float[3] y) '
         "{ y = LeakyRelu <alpha: float = @a> (x) }", "attr.ref.only-in-function"),
    ],
)  # fmt: skip
def test_one_fault_gives_one_finding_in_the_words_of_who_runs(text, rule):
    model = norn.parse_text(text)
    with pytest.raises(norn.Error) as refused:
        norn.InferenceSession(model)
    errors = [f for f in norn.check(model) if f.severity == "error" and f.rule != "graph.outputs.typed"]
    assert [found.rule for found in errors] == [rule], errors
    assert (errors[0].message, errors[0].hint) == (refused.value.message, refused.value.hint)
    assert errors[0].hint


BODY = SUBGRAPHS % "y = Loop (n, c, x) <body = b (%s) => (bool more, %s r) { more = Identity (d) %s }>"


@pytest.mark.parametrize(
    "formals, gives, nodes, rule, name",
    [
        ("int64 i, bool d, float[3] v", "float[3]", "r = Neg (v)", "infer.merge.value-conflict", "v"),
        ("int64 i, bool d, float[3] v", "float[3]",
         "k = Constant <value = float[3] {1, 1, 1}> () r = Add (v, k)", "infer.merge.value-conflict", "v"),
        ("int64 i, bool d, float[3] v", "float[2]", "r = Add (v, x)", "infer.merge.value-conflict", "v"),
        ("int64 i, bool d, float[2,3] v", "float[2,3]", "r = Neg (v)", "infer.merge.value-conflict", "v"),
        ("int64 i, bool d, double[2] v", "double[2]", "r = Neg (v)", "infer.merge.elem-conflict", "v"),
        ("int64 i, bool d, double[2] v", "float[2]", "r = Neg (v)", "infer.merge.elem-conflict", "v"),
        ("int64 i, bool d, double[2] v", "float[2]", "k = Constant <value = double[2] {1, 1}> () s = Add (v, k) "
         "r = Cast <to = 1> (s)", "infer.merge.elem-conflict", "v"),
        ("int32 i, bool d, float[2] v", "float[2]", "k = Constant <value = int32 {1}> () j = Add (i, k) "
         "f = Cast <to = 1> (j) r = Add (v, f)", "infer.merge.elem-conflict", "i"),
        # of a loop in a loop, whose body is inferred again
        ("int64 i, bool d, v", "float[M]",
         "s = Concat <axis = 0> (v, v) r = Loop (i, d, s) <body = t (int64 j, bool e, float[4,1] w) => (e, z) "
         "{ z = Neg (w) }>", "infer.merge.value-conflict", "w"),
    ],
)  # fmt: skip
def test_what_a_loop_is_fed_does_not_fit_is_found_once(formals, gives, nodes, rule, name):
    found = [f for f in norn.check(norn.parse_text(BODY % (formals, gives, nodes)))
             if f.severity == "error" and f.rule != "graph.outputs.typed"]
    assert [(f.rule, f.where.rpartition(" / ")[2]) for f in found] == [(rule, f'input "{name}"')], found


@pytest.mark.parametrize("fed, declared", [("bool", "bool[1]"), ("bool[1]", "bool"), ("bool[1]", "bool[1]")])
@pytest.mark.parametrize("gives", ["bool[1]", "bool"])
def test_conditions_of_rank_0_and_1_are_one(fed, declared, gives):
    node = "Reshape (d, one)" if gives == "bool[1]" else "Squeeze (d)"
    model = norn.parse_text(f"""<ir_version: 8, opset_import: ["": 17]> g (int64 n, {fed} c, float[2] x) => (float[2] y)
        <int64[1] one = {{1}}> {{ y = Loop (n, c, x) <body = b (int64 i, {declared} d, float[2] v) =>
        ({gives} more, float[2] r) {{ more = {node} r = Add (v, x) }}> }}""")
    assert [f for f in norn.check(model) if f.severity == "error"] == []
    feeds = {"n": np.array(3), "c": np.ones((1,) if fed == "bool[1]" else (), bool), "x": np.ones(2, np.float32)}
    for reference_only in (False, True):
        session = norn.InferenceSession(model, norn.SessionOptions(reference_only=reference_only))
        assert session.run(None, feeds)[0].tolist() == [4, 4]


def test_a_default_of_another_shape_is_found_in_the_words_of_who_runs():
    model = parser.parse_model('<ir_version: 8, opset_import: ["": 17]> g (float[3] x) => (y) { y = Neg (x) }')
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(2, np.float32), "x"))
    with pytest.raises(norn.InvalidGraph, match=r"it is float\[2\], but the input that it is the default of is") as no:
        norn.InferenceSession(model)
    (found,) = [f for f in norn.check(model) if f.severity == "error" and f.rule != "graph.outputs.typed"]
    assert (found.rule, found.message, found.hint) == ("init.type-matches-input", no.value.message, no.value.hint)


def test_one_fault_in_a_function_is_found_once():
    found = norn.check(norn.parse_text(CALLING % (
        "y = my.own.F (x, x)",
        "d = Constant <value = bool[2] {1, 0}> () c = If (d) <then_branch = t () => (r) { r = Relu (a) }, "
        "else_branch = e () => (r) { r = Neg (a) }>")))
    assert [f.rule for f in found if f.severity == "error"] == ["exec.if.scalar-cond"], found


ANY = '<ir_version: 8, opset_import: ["": 18]> g (float[2,3] x, float[4] v) => (y) <int64[1] a = {7}> { %s }'


@pytest.mark.parametrize(
    "node, hint",
    [
        ("w = Transpose (x) y = MatMul (x, v)", 'let axis 1 of "x" and axis 0 of "v" be of one size'),
        ("y = Gemm (x, v)", 'give "v" rank 2, with a Reshape say'),
        ("y = Unsqueeze (x, a)", 'correct "a", which the node takes as axes'),
        ("y = Concat <axis = 5> (x, x)", 'correct this node (its attribute "axis")'),
    ],
)
def test_what_would_help_follows_from_the_kind_of_fault(node, hint):
    found = [f for f in norn.check(norn.parse_text(ANY % node)) if f.rule == "infer.node.shapes"]
    assert len(found) == 1 and hint in found[0].hint, found


def test_a_declaration_that_inference_contradicts_is_to_be_corrected_or_left_out():
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[2,3] x) => (%s y) { y = Relu (x) }'
    for declared, hint in (("float[2,4]", "leave the shape out"), ("int64[2,3]", "put a Cast")):
        found = [f for f in norn.check(norn.parse_text(text % declared)) if f.rule.startswith("infer.merge")]
        assert len(found) == 1 and "correct what is declared" in found[0].hint and hint in found[0].hint, found


def test_queries_and_keys_of_attention_are_of_one_width():
    model = norn.parse_text(
        '<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]> g (float[1,2,8] x, float[8,20] w, float[20] b) => '
        "(float[1,2,8] y) { y = com.microsoft.Attention <num_heads = 2, qkv_hidden_sizes = [8, 4, 8]> (x, w, b) }"
    )
    (found,) = [f for f in norn.check(model) if f.severity == "error"]
    assert found.message == "qkv_hidden_sizes gives queries 8 columns and keys 4, which have to be as many"
