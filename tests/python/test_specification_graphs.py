"""What the specification says of control flow, sequences, optionals, maps and functions: one small model for each."""

import itertools

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from specification import F32, F64, I64, RELU, X, Probes, const, expect, graph, model, node, relu, value

import norn

PROBES = probe = Probes()

# --- control flow ---

COND = value("c", [], TensorProto.BOOL)


def branch(name, nodes, outputs, constants=()):
    return graph(nodes, [], outputs, constants, name=name)


def one_if(then, other, inputs=(), out="y", **kwargs):
    return model([node("If", "c", out, then_branch=then, else_branch=other)], [COND, value("x", [2, 3]), *inputs],
                 [value(out, None)], **kwargs)


@pytest.mark.parametrize("taken", [True, False])
def test_branches_see_what_is_around(taken):
    made = one_if(branch("t", [node("Relu", "x", "a")], [value("a", None)]),
                  branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    found = norn.InferenceSession(made).run(None, {"c": np.array(taken), "x": X})[0]
    np.testing.assert_array_equal(found, RELU if taken else -X)


@probe
def branches_that_give_what_is_around():
    made = one_if(branch("t", [], [value("x", None)]), branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    return made, {"c": np.array(True), "x": X}, [X]


@probe
def branches_that_give_their_constants():
    made = one_if(branch("t", [], [value("k", [1])], [const("k", [5])]),
                  branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    return made, {"c": np.array(True), "x": X}, [np.array([5], F32)]


@probe
def branches_of_different_ranks():
    made = one_if(branch("t", [node("ReduceSum", "x", "a", keepdims=0)], [value("a", [])]),
                  branch("e", [node("Neg", "x", "b")], [value("b", [2, 3])]))
    return made, {"c": np.array(True), "x": X}, [X.sum()]


@probe
def branches_of_different_types():
    made = one_if(branch("t", [node("Shape", "x", "a")], [value("a", None, TensorProto.INT64)]),
                  branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    return made, {"c": np.array(True), "x": X}, "in then_branch, but"


@probe
def branches_may_use_the_same_names():
    made = one_if(branch("t", [node("Relu", "x", "a")], [value("a", None)]),
                  branch("e", [node("Neg", "x", "a")], [value("a", None)]))
    return made, {"c": np.array(False), "x": X}, [-X]


@probe
def twenty_five_nested_ifs():
    inner = branch("i0", [node("Relu", "x", "o0")], [value("o0", None)])
    for k in range(1, 25):
        inner = branch(f"i{k}", [
            node("If", "c", f"o{k}", then_branch=inner, else_branch=branch(f"e{k}", [node("Neg", "x", f"n{k}")],
                                                                           [value(f"n{k}", None)]))
        ], [value(f"o{k}", None)])
    made = one_if(inner, branch("e", [node("Neg", "x", "n")], [value("n", None)]))
    return made, {"c": np.array(True), "x": X}, [RELU]


@probe
def a_condition_of_one_element():
    made = one_if(branch("t", [node("Relu", "x", "a")], [value("a", None)]),
                  branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    made.graph.input[0].CopyFrom(value("c", [1], TensorProto.BOOL))
    return made, {"c": np.array([True]), "x": X}, [RELU]


def loop(body, inputs, outputs, feeds, expected, constants=()):
    return model(
        [node("Loop", inputs, outputs, body=body)],
        [value(n, np.shape(a), helper.np_dtype_to_tensor_dtype(np.asarray(a).dtype))
         for n, a in feeds.items()], [value(o, None) for o in outputs.split(",")], constants), feeds, expected


BODY_IN = [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL)]


@probe
def a_loop_that_counts():
    body = graph([node("Identity", "go", "on"), node("Add", "v,v", "w")], [*BODY_IN, value("v", None)],
                 [value("on", [], TensorProto.BOOL), value("w", None)])
    return loop(body, "n,,x", "y", {"n": I64(3), "x": X}, [8 * X])


@probe
def a_loop_that_never_runs():
    body = graph(
        [node("Identity", "go", "on"),
         node("Add", "v,v", "w"), node("Identity", "v", "s")], [*BODY_IN, value("v", None)],
        [value("on", [], TensorProto.BOOL), value("w", None),
         value("s", [2, 3])])
    return loop(body, "n,,x", "y,z", {"n": I64(0), "x": X}, [X, np.zeros((0, 2, 3), F32)])


@probe
def a_loop_whose_condition_is_false_at_first():
    body = graph([node("Identity", "go", "on"), node("Add", "v,v", "w")], [*BODY_IN, value("v", None)],
                 [value("on", [], TensorProto.BOOL), value("w", None)])
    return loop(body, ",c,x", "y", {"c": np.array(False), "x": X}, [X])


@probe
def a_loop_that_ends_itself():
    body = graph([node("Less", "i,k", "on"), node("Add", "v,v", "w")], [*BODY_IN, value("v", None)],
                 [value("on", [], TensorProto.BOOL), value("w", None)])
    return loop(body, ",,x", "y", {"x": X}, [8 * X], [const("k", 2, I64)])


@probe
def a_loop_whose_state_grows():
    body = graph([node("Identity", "go", "on"), node("Concat", "v,x", "w", axis=0)],
                 [*BODY_IN, value("v", None)],
                 [value("on", [], TensorProto.BOOL), value("w", None)])
    return loop(body, "n,,x", "y", {"n": I64(2), "x": X}, [np.concatenate([X, X, X])])


@probe
def a_loop_that_collects_the_turns():
    body = graph([node("Identity", "go", "on"), node("Cast", "i", "s", to=1)], BODY_IN,
                 [value("on", [], TensorProto.BOOL), value("s", [])])
    return loop(body, "n,", "y", {"n": I64(4)}, [np.arange(4, dtype=F32)])


@probe
def a_scan_backwards():
    body = graph([node("Add", "s,e", "t"), node("Identity", "t", "o")],
                 [value("s", None), value("e", None)], [value("t", None), value("o", None)])
    made = model([node("Scan", "z,x", "f,y", body=body, num_scan_inputs=1, scan_input_directions=[1])],
                 [value("x", [2, 3])], [value("f", None), value("y", None)], [const("z", [0, 0, 0])])
    return made, {"x": X}, [X.sum(0), np.stack([X[1], X[0] + X[1]])]


@probe
def shadowing_of_an_outer_value():
    made = one_if(branch("t", [node("Relu", "x", "x2"), node("Neg", "x2", "a")], [value("a", None)]),
                  branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    made.graph.node.insert(0, node("Identity", "x", "x2"))
    return made, {"c": np.array(True), "x": X}, [-RELU]


@probe
def a_value_of_a_branch_is_not_seen_outside():
    made = one_if(branch("t", [node("Relu", "x", "a")], [value("a", None)]),
                  branch("e", [node("Neg", "x", "b")], [value("b", None)]))
    made.graph.node.append(node("Neg", "a", "z"))
    made.graph.output.append(value("z", None))
    return made, {"c": np.array(True), "x": X}, "nothing makes"


@probe
def a_sequence_map():
    body = graph([node("Neg", "e", "o")], [value("e", None)], [value("o", None)])
    made = model([
        node("SequenceConstruct", "x,x", "s"),
        node("SequenceMap", "s", "t", body=body),
        node("ConcatFromSequence", "t", "y", axis=0)
    ], [value("x", [2, 3])], [value("y", None)])
    return made, {"x": X}, [-np.concatenate([X, X])]


# --- sequences, optionals, maps ---


def seq(name, elem=TensorProto.FLOAT, dims=None):
    return helper.make_tensor_sequence_value_info(name, elem, dims)


def opt(name, dims=None):
    return helper.make_value_info(name, helper.make_optional_type_proto(helper.make_tensor_type_proto(1, dims)))


@probe
def a_sequence_in_and_out():
    made = model([node("SequenceInsert", "s,x", "t")], [seq("s"), value("x", [2, 3])], [seq("t")])
    return made, {"s": [X[0]], "x": X}, [[X[0], X]]


@probe
def an_empty_sequence():
    return model([node("SequenceLength", "s", "n")], [seq("s")],
                 [value("n", [], TensorProto.INT64)]), {"s": []}, [np.array(0)]


@probe
def a_sequence_position_from_the_end():
    made = model([node("SequenceAt", "s,i", "y")], [seq("s"), value("i", [], TensorProto.INT64)], [value("y", None)])
    return made, {"s": [X, RELU], "i": I64(-1)}, [RELU]


@probe
def a_sequence_position_too_far():
    made = model([node("SequenceAt", "s,i", "y")], [seq("s"), value("i", [], TensorProto.INT64)], [value("y", None)])
    return made, {"s": [X, RELU], "i": I64(2)}, "outside a sequence of 2"


@probe
def a_sequence_of_another_type():
    return model([node("SequenceLength", "s", "n")], [seq("s")],
                 [value("n", [], TensorProto.INT64)]), {"s": [X.astype(F64)]}, "element"


@probe
def a_sequence_of_strings():
    made = model([node("SequenceAt", "s,i", "y")],
                 [seq("s", TensorProto.STRING), value("i", [], TensorProto.INT64)],
                 [value("y", None, TensorProto.STRING)])
    return made, {"s": [np.array(["a"], object)], "i": I64(0)}, [np.array(["a"], object)]


@probe
def an_optional_with_a_value():
    return model([node("OptionalGetElement", "o", "y")], [opt("o", [2, 3])], [value("y", [2, 3])]), {"o": X}, [X]


@probe
def an_empty_optional():
    made = model([node("OptionalHasElement", "o", "y")], [opt("o")], [value("y", [], TensorProto.BOOL)])
    return made, {"o": None}, [np.array(False)]


@probe
def an_optional_that_is_not_fed():
    made = model([node("OptionalHasElement", "o", "y")], [opt("o")], [value("y", [], TensorProto.BOOL)])
    return made, {}, [np.array(False)]


@probe
def the_element_of_an_empty_optional():
    return model([node("OptionalGetElement", "o", "y")], [opt("o")], [value("y", None)]), {"o": None}, "empty"


@probe
def an_optional_as_an_output():
    return model([node("Optional", "x", "o")], [value("x", [2, 3])], [opt("o", [2, 3])]), {"x": X}, [X]


def map_input(key, declared=(1, )):
    info = onnx.ValueInfoProto(name="m")
    info.type.map_type.key_type = key
    info.type.map_type.value_type.CopyFrom(helper.make_tensor_type_proto(1, list(declared)))
    return info


@pytest.mark.parametrize("declared", [(), (1, )])
def test_maps_as_inputs(declared):
    made = model([node("DictVectorizer", "m", "y", domain="ai.onnx.ml", string_vocabulary=["b", "a", "z"])],
                 [map_input(TensorProto.STRING, declared)], [value("y", None)], imports=[("ai.onnx.ml", 3)])
    found = norn.InferenceSession(made).run(None, {"m": {"a": 1.5, "b": 2.0, "other": 9.0}})[0]
    assert found.reshape(-1).tolist() == [2, 1.5, 0]


@probe
def maps_as_outputs():
    made = model([node("ZipMap", "x", "y", domain="ai.onnx.ml", classlabels_strings=["a", "b", "c"])],
                 [value("x", [2, 3])], [onnx.ValueInfoProto(name="y")], imports=[("ai.onnx.ml", 3)])
    made.graph.output[0].type.sequence_type.elem_type.CopyFrom(map_input(TensorProto.STRING, ()).type)
    return made, {"x": X}, [[{"a": 1, "b": -2, "c": 3}, {"a": -4, "b": 5, "c": -6}]]


# --- functions ---


def function(name, inputs, outputs, nodes, opset=21, domain="my", **kwargs):
    overload = kwargs.pop("overload", "")
    made = helper.make_function(
        domain, name, inputs, outputs, nodes,
        [helper.make_opsetid("", opset), helper.make_opsetid("my", 1)], **kwargs)
    made.overload = overload
    return made


def calls(nodes, functions, outputs="y", **kwargs):
    return model(nodes, [value("x", [2, 3])], [value(o, None) for o in outputs.split(",")], functions=functions,
                 imports=[("my", 1)], **kwargs)


@probe
def a_function():
    return calls([node("F", "x", "y", "my")], [function("F", ["a"], ["b"], [node("Relu", "a", "b")])]), {"x": X}, [RELU]


@probe
def a_function_of_another_operator_set():
    body = function("F", ["a"], ["b"], [node("Clip", "a", "b", min=-1.0, max=2.0)], opset=6)
    return calls([node("F", "x", "y", "my")], [body]), {"x": X}, [X.clip(-1, 2)]


@probe
def a_function_that_calls_another():
    inner = function("G", ["a"], ["b"], [node("Neg", "a", "b")])
    outer = function("F", ["a"], ["b"], [node("G", "a", "t", "my"), node("Relu", "t", "b")])
    return calls([node("F", "x", "y", "my")], [inner, outer]), {"x": X}, [np.maximum(-X, 0)]


@probe
def a_function_listed_before_what_it_calls():
    inner = function("G", ["a"], ["b"], [node("Neg", "a", "b")])
    outer = function("F", ["a"], ["b"], [node("G", "a", "b", "my")])
    return calls([node("F", "x", "y", "my")], [outer, inner]), {"x": X}, [-X]


@probe
def a_function_that_calls_itself():
    body = function("F", ["a"], ["b"], [node("F", "a", "b", "my")])
    return calls([node("F", "x", "y", "my")], [body]), {"x": X}, "calls itself"


@probe
def overloads():
    bodies = [
        function("F", ["a"], ["b"], [node(op, "a", "b")], overload=over) for op, over in (("Relu", ""), ("Neg", "n"))
    ]
    made = calls([node("F", "x", "y", "my"), node("F", "x", "z", "my", overload="n")], bodies, "y,z")
    return made, {"x": X}, [RELU, -X]


@probe
def an_overload_that_is_not_there():
    made = calls([node("F", "x", "y", "my", overload="other")],
                 [function("F", ["a"], ["b"], [node("Relu", "a", "b")], overload="one")])
    return made, {"x": X}, '"one"'


def leaky(**kwargs):
    body = node("LeakyRelu", "a", "b")
    body.attribute.append(onnx.AttributeProto(name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="slope"))
    return function("F", ["a"], ["b"], [body], **kwargs)


@probe
def an_attribute_reference():
    return calls([node("F", "x", "y", "my", slope=0.5)],
                 [leaky(attributes=["slope"])]), {"x": X}, [np.where(X < 0, X / 2, X)]


@probe
def an_attribute_reference_to_a_default():
    made = calls([node("F", "x", "y", "my")], [leaky(attribute_protos=[helper.make_attribute("slope", 0.25)])])
    return made, {"x": X}, [np.where(X < 0, X / 4, X)]


@probe
def an_attribute_reference_to_nothing_has_the_operators_default():
    return calls([node("F", "x", "y", "my")],
                 [leaky(attributes=["slope"])]), {"x": X}, [np.where(X < 0, X * F32(0.01), X)]


@probe
def an_attribute_reference_outside_of_functions():
    made = relu()
    made.graph.node[0].CopyFrom(node("LeakyRelu", "x", "y"))
    made.graph.node[0].attribute.append(onnx.AttributeProto(name="alpha", type=1, ref_attr_name="slope"))
    return made, {"x": X}, "no node of a function"


@probe
def a_function_with_an_omitted_input():
    body = function("F", ["a", "lo", "hi"], ["b"], [node("Clip", "a,lo,hi", "b")])
    made = calls([node("F", "x,,hi", "y", "my")], [body])
    made.graph.initializer.append(const("hi", 2))
    return made, {"x": X}, [np.minimum(X, 2)]


@probe
def a_function_with_fewer_inputs_than_it_declares():
    return calls([node("F", "x", "y", "my")],
                 [function("F", ["a", "lo"], ["b"], [node("Clip", "a,lo", "b")])]), {"x": X}, [X]


@probe
def a_function_with_too_many_inputs():
    return calls([node("F", "x,x", "y", "my")],
                 [function("F", ["a"], ["b"], [node("Relu", "a", "b")])]), {"x": X}, "2 inputs"


@probe
def a_function_that_is_called_twice():
    made = calls([node("F", "x", "h", "my"), node("F", "h", "y", "my")],
                 [function("F", ["a"], ["b"], [node("Add", "a,a", "t"), node("Neg", "t", "b")])])
    return made, {"x": X}, [4 * X]


@probe
def a_function_with_an_output_that_is_an_input():
    return calls([node("F", "x", "y", "my")], [function("F", ["a"], ["a"], [])]), {"x": X}, [X]


@probe
def a_function_of_a_standard_operator():
    body = function("Relu", ["a"], ["b"], [node("Neg", "a", "b")], domain="")
    return calls([node("Relu", "x", "y")], [body]), {"x": X}, [-X]


@probe
def a_function_with_control_flow():
    then, other = (branch(n, [node(op, "a", n)], [value(n, None)]) for n, op in (("t", "Relu"), ("e", "Neg")))
    body = function("F", ["c", "a"], ["b"], [node("If", "c", "b", then_branch=then, else_branch=other)])
    made = calls([node("Greater", "s,z", "p"), node("F", "p,x", "y", "my")], [body])
    made.graph.node.insert(0, node("ReduceSum", "x", "s", keepdims=0))
    made.graph.initializer.append(const("z", 0))
    return made, {"x": X}, [-X]


@probe
def a_function_sees_nothing_around_it():
    return calls([node("F", "x", "y", "my")],
                 [function("F", ["a"], ["b"], [node("Add", "a,x", "b")])]), {"x": X}, "nothing makes"


@probe
def an_operator_of_an_unknown_domain():
    made = relu(imports=[("org.example", 1)])
    made.graph.node[0].domain = "org.example"
    return made, {"x": X}, "no operator"


@probe
def a_domain_that_is_not_imported():
    made = relu()
    made.graph.node[0].CopyFrom(node("Scaler", "x", "y", domain="ai.onnx.ml", offset=[0.0], scale=[1.0]))
    return made, {"x": X}, "not imported"


@pytest.mark.parametrize(("branches", "depth"), list(itertools.product([2, 5], [3])))
def test_ifs_in_a_row_and_nested(branches, depth):
    nodes, last = [], "x"
    for k in range(branches):
        inner = branch(f"i{k}", [node("Neg", last, f"a{k}")], [value(f"a{k}", None)])
        for d in range(depth):
            inner = branch(f"i{k}_{d}", [
                node("If", "c", f"o{k}_{d}", then_branch=inner, else_branch=branch(
                    f"e{k}_{d}", [node("Relu", last, f"r{k}_{d}")], [value(f"r{k}_{d}", None)]))
            ], [value(f"o{k}_{d}", None)])
        nodes.append(
            node("If", "c", f"y{k}", then_branch=inner, else_branch=branch(f"z{k}", [node("Relu", last, f"b{k}")],
                                                                           [value(f"b{k}", None)])))
        last = f"y{k}"
    run = norn.InferenceSession(model(nodes, [COND, value("x", [2, 3])], [value(last, None)]))
    np.testing.assert_array_equal(run.run(None, {"c": np.array(True), "x": X})[0], X * (-1)**branches)
    np.testing.assert_array_equal(run.run(None, {"c": np.array(False), "x": X})[0], RELU)


@pytest.mark.parametrize("name", PROBES)
def test_probe(name):
    expect(PROBES[name])
