"""If: what a branch says of sizes holds there only; a branch that is always taken stands in place of its If; inputs that
a call leaves out are left out in the graphs of its body; and the program that is written is a valid model of the same
meaning, with any passes left out. The independent truths are numpy and the onnx package."""

import itertools

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import norn

FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
OPTIONAL_PASSES = [
    ("gather_stored", "fold_constants"), ("drop_identities",), ("widen_half",), ("fuse_conv_bn",), ("fuse_elementwise",),
    ("merge_duplicates",), ("recognize_activations", "recognize_norms", "recognize_attention", "fuse_attention"),
    ("fuse_qdq", "fuse_quantized", "fuse_stored_weights"),
]  # fmt: skip


def info(name, elem=None, shape=None):
    return onnx.ValueInfoProto(name=name) if elem is None else helper.make_tensor_value_info(name, elem, shape)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs.split(",") if inputs else [], outputs.split(","), **attrs)


def constant(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.array(values, dtype), name)


def branch(name, nodes, output, initializers=(), elem=FLOAT, shape=None):
    return helper.make_graph(nodes, name, [], [info(o, elem, shape) for o in output.split(",")], list(initializers))


def model(nodes, inputs, outputs, initializers=(), functions=(), opset=18):
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid("my", 1)] if functions else [])
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=imports, ir_version=10, functions=list(functions))


def function(name, inputs, outputs, nodes, attributes=()):
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("my", 1)]
    return helper.make_function("my", name, inputs, outputs, nodes, imports, list(attributes))


def session(proto, disabled=()):
    return norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=list(disabled), verify_passes=True))


def subsets():
    for size in range(len(OPTIONAL_PASSES) + 1):
        yield from (sum(some, ()) for some in itertools.combinations(OPTIONAL_PASSES, size))


def written(loaded):
    proto = onnx.ModelProto.FromString(norn.parse_text(loaded.program_text()))
    onnx.checker.check_model(proto, full_check=True)
    return proto


def graphs_of(graph):
    yield graph
    for n in graph.node:
        for attribute in n.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def check_everywhere(proto, *feeds):
    """The same answers as the onnx package's evaluator, from the model and from what is written of it, with every choice
    of passes."""
    onnx.checker.check_model(proto, full_check=True)
    wanted = [ReferenceEvaluator(proto).run(None, feed) for feed in feeds]
    for disabled in subsets():
        loaded = session(proto, disabled)
        proto_again = written(loaded)
        again = session(proto_again, disabled)
        outside = ReferenceEvaluator(proto_again)
        for feed, want in zip(feeds, wanted):
            for got in (loaded.run(None, feed), again.run(None, feed), outside.run(None, feed)):
                for w, g in zip(want, got, strict=True):
                    np.testing.assert_array_equal(np.asarray(g), w, err_msg=f"without {disabled}")
    return written(session(proto))


X, C = info("x", FLOAT, ["N"]), info("c", BOOL, [])
YES, NO = np.array(True), np.array(False)


# --- sizes ---


def two_sizes(then_rows=5, else_rows=6):
    then = branch("t", [node("MatMul", "x,a", "t")], "t")
    other = branch("e", [node("MatMul", "x,b", "e")], "e")
    weights = [constant("a", np.ones((then_rows, 3))), constant("b", 2 * np.ones((else_rows, 3)))]
    return model([node("If", "c", "y", then_branch=then, else_branch=other)], [X, C], [info("y", FLOAT, None)], weights)


def test_branches_may_want_different_sizes():
    loaded = session(two_sizes())
    assert loaded.run(None, {"x": np.ones(5, np.float32), "c": YES})[0].tolist() == [5, 5, 5]
    assert loaded.run(None, {"x": np.ones(6, np.float32), "c": NO})[0].tolist() == [12, 12, 12]
    with pytest.raises(norn.Error):
        loaded.run(None, {"x": np.ones(6, np.float32), "c": YES})


def test_what_one_branch_says_holds_for_nobody_else():
    then = branch("t", [node("Identity", "x", "t")], "t")
    other = branch("e", [node("MatMul", "x,w", "e")], "e")
    proto = model(
        [node("Relu", "x", "r"), node("Add", "r,k", "y"), node("If", "c", "z", then_branch=then, else_branch=other)],
        [X, C], [info("y", FLOAT, [None]), info("z", FLOAT, [None])],
        [constant("k", np.arange(5)), constant("w", np.ones((5, 3)))])
    check_everywhere(proto, {"x": np.ones(5, np.float32), "c": NO}, {"x": np.ones(1, np.float32), "c": YES})


def test_a_branch_that_contradicts_the_rest_need_not_run():
    then = branch("t", [node("Identity", "x", "t")], "t")
    other = branch("e", [node("MatMul", "x,w", "e")], "e")
    loaded = session(model(
        [node("MatMul", "x,v", "y"), node("If", "c", "z", then_branch=then, else_branch=other)],
        [X, C], [info("y", FLOAT, None), info("z", FLOAT, None)],
        [constant("v", np.ones((6, 2))), constant("w", np.ones((5, 3)))]))
    assert loaded.run(None, {"x": np.ones(6, np.float32), "c": YES})[0].tolist() == [6, 6]
    with pytest.raises(norn.Error, match="MatMul"):
        loaded.run(None, {"x": np.ones(6, np.float32), "c": NO})


def test_the_main_graph_is_still_refused():
    proto = model([node("MatMul", "x,v", "y"), node("MatMul", "x,w", "z")], [X],
                  [info("y", FLOAT, None), info("z", FLOAT, None)],
                  [constant("v", np.ones((6, 2))), constant("w", np.ones((5, 3)))])
    with pytest.raises(norn.InvalidGraph, match=r"node 1.*MatMul"):
        session(proto)


def test_a_node_that_nothing_needs_says_nothing():
    proto = model([node("Relu", "x", "r"), node("Add", "r,k", "y"), node("MatMul", "x,w", "dead")], [X],
                  [info("y", FLOAT, None)], [constant("k", np.arange(5)), constant("w", np.ones((5, 3)))])
    loaded = session(proto)
    assert loaded.run(None, {"x": np.ones(1, np.float32)})[0].tolist() == [1, 2, 3, 4, 5]
    proto.graph.initializer[1].CopyFrom(constant("w", np.ones((6, 3))))
    proto.graph.node.append(node("MatMul", "x,v", "dead too"))
    proto.graph.initializer.append(constant("v", np.ones((7, 3))))
    assert session(proto).run(None, {"x": np.ones(5, np.float32)})[0].tolist() == [1, 2, 3, 4, 5]


def test_a_node_of_which_only_the_shape_is_read_still_asks_for_its_sizes():
    proto = model([node("MatMul", "x,w", "m"), node("Shape", "m", "s"), node("Relu", "x", "r"), node("Add", "r,k", "y")],
                  [X], [info("s", INT64, [1]), info("y", FLOAT, None)],
                  [constant("k", np.arange(5)), constant("w", np.ones((5, 3)))])
    for disabled in subsets():
        loaded = session(proto, disabled)
        answers = loaded.run(None, {"x": np.ones(5, np.float32)})
        assert [a.tolist() for a in answers] == [[3], [1, 2, 3, 4, 5]]
        with pytest.raises(norn.Error, match="has to be 5|dimension 0 is 5"):
            loaded.run(None, {"x": np.ones(1, np.float32)})


def test_ranks_may_differ():
    then = branch("t", [node("Unsqueeze", "x,zero", "t")], "t")
    other = branch("e", [node("Neg", "x", "e")], "e")
    proto = model([node("If", "c", "y", then_branch=then, else_branch=other)], [X, C], [info("y", FLOAT, None)],
                  [constant("zero", [0], np.int64)])
    for disabled in subsets():
        loaded = session(proto, disabled)
        for runner in (loaded, session(onnx.ModelProto.FromString(norn.parse_text(loaded.program_text())), disabled)):
            assert runner.run(None, {"x": np.ones(3, np.float32), "c": YES})[0].tolist() == [[1, 1, 1]]
            assert runner.run(None, {"x": np.ones(3, np.float32), "c": NO})[0].tolist() == [-1, -1, -1]


# --- what branches hand out ---


@pytest.mark.parametrize("known", [None, True, False])
@pytest.mark.parametrize("handed", ["input", "value", "initializer", "own", "twice", "unused"])
def test_what_branches_hand_out(handed, known):
    nodes, initializers, outputs = [node("Neg", "x", "v")], [constant("k", [1, 2, 3])], "t"
    make = {
        "input": ([], "x", []),
        "value": ([], "v", []),
        "initializer": ([], "k", []),
        "own": ([], "mine", [constant("mine", [4, 5, 6])]),
        "twice": ([node("Abs", "x", "q")], "q,q", []),
        "unused": ([node("Abs", "x", "q"), node("Exp", "x", "p")], "q,p", []),
    }[handed]
    then_nodes, names, own = make
    then = branch("t", then_nodes, names, own, shape=["N"])
    count = len(names.split(","))
    else_names = [f"e{i}" for i in range(count)]
    other = branch("e", [node("Relu", "v", name) for name in else_names], ",".join(else_names), shape=["N"])
    outs = ["y0", "" if handed == "unused" else "y1"][:count]
    condition = "c" if known is None else "known"
    if known is not None:
        initializers.append(constant("known", known, bool))
    nodes.append(helper.make_node("If", [condition], outs, then_branch=then, else_branch=other))
    named = [o for o in outs if o]
    proto = model(nodes, [X, C], [info(o, FLOAT, ["N"]) for o in named], initializers)
    x = np.array([1, -2, 3], np.float32)
    then_value = {"input": x, "value": -x, "initializer": np.array([1, 2, 3], np.float32),
                  "own": np.array([4, 5, 6], np.float32), "twice": np.abs(x), "unused": np.abs(x)}[handed]
    for disabled in subsets():
        loaded = session(proto, disabled)
        again = session(written(loaded), disabled)
        outside = ReferenceEvaluator(written(loaded))
        for c in (YES, NO):
            want = then_value if (bool(c) if known is None else known) else np.maximum(-x, 0)
            for runner in (loaded, again, outside):
                for got in runner.run(None, {"x": x, "c": c}):
                    np.testing.assert_array_equal(np.asarray(got), want)


def test_a_branch_takes_no_inputs():
    then = branch("t", [node("Neg", "in", "t")], "t")
    then.input.append(info("in", FLOAT, ["N"]))
    other = branch("e", [node("Relu", "x", "e")], "e")
    proto = model([node("If", "c", "y", then_branch=then, else_branch=other)], [X, C], [info("y", FLOAT, None)])
    with pytest.raises(norn.InvalidGraph, match="1 input, but an If feeds its branches none"):
        session(proto)
    then.initializer.append(constant("in", [7]))
    proto = model([node("If", "c", "y", then_branch=then, else_branch=other)], [X, C], [info("y", FLOAT, None)])
    assert session(proto).run(None, {"x": np.ones(1, np.float32), "c": YES})[0].tolist() == [-7]


# --- conditions that are known ---


@pytest.mark.parametrize("outer,inner", list(itertools.product([True, False, None], repeat=2)))
def test_known_conditions_nested(outer, inner):
    def choice(name, condition, then_nodes, else_nodes):
        then = branch(name + "t", then_nodes, name + "T", [constant(name + "k", [1])], shape=[3])
        other = branch(name + "e", else_nodes, name + "E", [constant(name + "k", [2])], shape=[3])
        return node("If", condition, name + "y", then_branch=then, else_branch=other)

    inside = choice("i", "b" if inner is None else "kb", [node("Add", "w,ik", "iT")], [node("Mul", "v,ik", "iE")])
    nodes = [
        node("Neg", "x", "v"),
        choice("o", "a" if outer is None else "ka",
               [node("Abs", "v", "w"), inside, node("Sub", "iy,ok", "oT")], [node("Sub", "x,ok", "oE")]),
        node("Add", "oy,x", "y"),
    ]
    known = [constant("ka", bool(outer), bool), constant("kb", bool(inner), bool)]
    inputs = [info("x", FLOAT, [3]), info("a", BOOL, []), info("b", BOOL, [])]
    proto = model(nodes, inputs, [info("y", FLOAT, [3])], known)
    x = np.array([1, -2, 3], np.float32)
    simple = check_everywhere(proto, *({"x": x, "a": np.array(a), "b": np.array(b)}
                                       for a, b in itertools.product([True, False], repeat=2)))
    count = sum(n.op_type == "If" for g in graphs_of(simple.graph) for n in g.node)
    assert count == (outer is None) + (inner is None and outer is not False)


def test_two_branches_in_place_may_use_the_same_names():
    def choice(output, condition):
        then = branch("t", [node("Add", "x,k", "m"), node("Neg", "m", "n")], "n", [constant("k", [1])], shape=["N"])
        other = branch("e", [node("Sub", "x,k", "m"), node("Neg", "m", "n")], "n", [constant("k", [2])], shape=["N"])
        return node("If", condition, output, then_branch=then, else_branch=other)

    proto = model([choice("p", "yes"), choice("q", "no"), node("Mul", "p,q", "y")], [X], [info("y", FLOAT, ["N"])],
                  [constant("yes", True, bool), constant("no", False, bool)])
    loaded = session(proto)
    x = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(loaded.run(None, {"x": x})[0], (x + 1) * (x - 2))
    np.testing.assert_array_equal(session(written(loaded)).run(None, {"x": x})[0], (x + 1) * (x - 2))


def test_the_taken_branch_teaches_and_is_known_by_its_place():
    then = branch("t", [node("MatMul", "x,w", "m")], "m", [constant("w", np.ones((5, 3)))])
    other = branch("e", [node("Neg", "x", "n")], "n")
    nodes = [node("If", "yes", "y", then_branch=then, else_branch=other)]
    yes = constant("yes", True, bool)
    proto = model(nodes, [X], [info("y", FLOAT, [None])], [yes])
    assert written(session(proto)).graph.input[0].type.tensor_type.shape.dim[0].dim_value == 5
    proto = model(nodes, [info("x", FLOAT, [4])], [info("y", FLOAT, None)], [yes])
    with pytest.raises(norn.InvalidGraph, match='attribute "then_branch" / graph "t" / node 0'):
        session(proto)


def test_an_output_keeps_its_name_beside_an_inner_value_of_the_same():
    then = branch("t", [node("Neg", "x", "a"), node("Abs", "a", "out")], "out", shape=["N"])
    other = branch("e", [node("Abs", "x", "a"), node("Exp", "a", "out")], "out", shape=["N"])
    proto = model([node("If", "c", "y", then_branch=then, else_branch=other), node("Identity", "y", "out")],
                  [X, C], [info("out", FLOAT, ["N"])])
    loaded = session(proto)
    again = session(written(loaded))
    x = np.array([-1, 2], np.float32)
    for c in (YES, NO):
        np.testing.assert_array_equal(again.run(["out"], {"x": x, "c": c})[0], loaded.run(["out"], {"x": x, "c": c})[0])


# --- functions ---


def clip_in_branch(known=None):
    then = branch("t", [node("Clip", "a,lo,hi", "t")], "t")
    other = branch("e", [node("Clip", "a,hi", "e")], "e")
    return function("F", ["a", "c", "lo", "hi"], ["b"], [node("If", "c", "b", then_branch=then, else_branch=other)])


@pytest.mark.parametrize("lo,hi", list(itertools.product(["", "l"], ["", "h"])))
@pytest.mark.parametrize("known", [None, True, False])
def test_omitted_inputs_in_a_branch_of_a_function(lo, hi, known):
    x = np.array([-9, 1, 9], np.float32)
    bounds = [constant("l", -2), constant("h", 2), constant("k", bool(known), bool)]
    call = helper.make_node("F", ["x", "c" if known is None else "k", lo, hi], ["y"], domain="my")
    proto = model([call], [X, C], [info("y", FLOAT, None)], bounds, [clip_in_branch()])
    loaded = session(proto)
    for c in (YES, NO):
        taken = bool(c) if known is None else known
        want = np.clip(x, -2 if lo else None, 2 if hi else None) if taken else np.clip(x, 2 if hi else None, None)
        want = x if want is None else want
        np.testing.assert_array_equal(loaded.run(None, {"x": x, "c": c})[0], want)
        np.testing.assert_array_equal(session(written(loaded)).run(None, {"x": x, "c": c})[0], want)


def test_omitted_inputs_reach_a_call_in_a_branch_of_a_branch():
    bottom = function("Bottom", ["a", "lo", "hi"], ["b"], [node("Clip", "a,lo,hi", "b")])
    call = helper.make_node("Bottom", ["a", "lo", "hi"], ["deep"], domain="my")
    nested = node("If", "c", "n", then_branch=branch("tt", [call], "deep"),
                  else_branch=branch("te", [node("Neg", "a", "other")], "other"))
    top = function("Top", ["a", "c", "lo", "hi"], ["b"], [node(
        "If", "c", "b", then_branch=branch("t", [nested], "n"), else_branch=branch("e", [node("Abs", "a", "ab")], "ab"))])
    proto = model([helper.make_node("Top", ["x", "c", "", "h"], ["y"], domain="my")], [X, C], [info("y", FLOAT, None)],
                  [constant("h", 2)], [bottom, top])
    loaded = session(proto)
    x = np.array([-9, 1, 9], np.float32)
    assert loaded.run(None, {"x": x, "c": YES})[0].tolist() == [-9, 1, 2]
    assert loaded.run(None, {"x": x, "c": NO})[0].tolist() == [9, 1, 9]


def test_an_inner_value_may_have_the_name_of_an_omitted_input():
    then = branch("t", [node("Neg", "a", "lo"), node("Abs", "lo", "t")], "t")
    other = branch("e", [node("Clip", "a,lo", "e")], "e")
    f = function("F", ["a", "c", "lo"], ["b"], [node("If", "c", "b", then_branch=then, else_branch=other)])
    proto = model([helper.make_node("F", ["x", "c"], ["y"], domain="my")], [X, C], [info("y", FLOAT, None)], (), [f])
    loaded = session(proto)
    x = np.array([-9, 1], np.float32)
    assert loaded.run(None, {"x": x, "c": YES})[0].tolist() == [9, 1]
    assert loaded.run(None, {"x": x, "c": NO})[0].tolist() == [-9, 1]


def test_an_omitted_input_cannot_be_handed_out():
    then, other = branch("t", [], "lo"), branch("e", [node("Neg", "a", "e")], "e")
    in_branch = function("F", ["a", "c", "lo"], ["b"], [node("If", "c", "b", then_branch=then, else_branch=other)])
    itself = function("F", ["a", "c", "lo"], ["lo"], [])
    for f in (in_branch, itself):
        proto = model([helper.make_node("F", ["x", "c"], ["y"], domain="my")], [X, C], [info("y", FLOAT, None)], (), [f])
        with pytest.raises(norn.InvalidGraph, match='"lo" is an input that the call'):
            session(proto)


def test_attribute_references_in_a_branch_of_a_function():
    def cast(name):
        n = node("Cast", "a", name)
        n.attribute.append(onnx.AttributeProto(name="to", ref_attr_name="to", type=onnx.AttributeProto.INT))
        return n

    f = function("F", ["a", "c"], ["b"], [node("If", "c", "b", then_branch=branch("t", [cast("t")], "t", elem=INT64),
                                               else_branch=branch("e", [cast("e")], "e", elem=INT64))], ["to"])
    proto = model([helper.make_node("F", ["x", "c"], ["y"], domain="my", to=INT64)], [X, C],
                  [info("y", INT64, None)], (), [f])
    assert session(proto).run(None, {"x": np.array([1.5], np.float32), "c": NO})[0].tolist() == [1]


def test_many_branches_in_a_row_and_nested():
    def choice(i, depth):
        inner = [choice(f"{i}_{depth}", depth - 1), node("Neg", f"y{i}_{depth}", f"t{i}_{depth}")] if depth else [
            node("Neg", "x", f"t{i}_{depth}")]
        return node("If", "c", f"y{i}", then_branch=branch("t", inner, f"t{i}_{depth}"),
                    else_branch=branch("e", [node("MatMul", "x,w", f"e{i}_{depth}")], f"e{i}_{depth}"))

    nodes = [choice(str(i), 16 if i % 100 == 0 else 0) for i in range(300)]
    proto = model(nodes, [X, C], [info("y299", FLOAT, None)], [constant("w", np.ones((5, 3)))])
    assert session(proto).run(None, {"x": np.ones(2, np.float32), "c": YES})[0].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("nodes", "initializers", "message"),
    [
        ([node("Gather", "one,five", "t")], {"one": [1], "five": [5]}, "5"),
        ([node("Reshape", "three,shape", "t")], {"three": [1, 2, 3], "shape": [2]}, "2"),
        ([node("Add", "two,three", "t")], {"two": [1, 2], "three": [1, 2, 3]}, "2"),
        ([node("Gather", "one,five", "s"), node("Mul", "s,s", "t")], {"one": [1], "five": [5]}, "5"),
    ],
)
def test_a_branch_that_cannot_be_is_refused_when_it_is_taken(nodes, initializers, message):
    then = branch("then", nodes, "t", [constant(n, v, np.int64) for n, v in initializers.items()], INT64)
    other = branch("else", [node("Identity", "x", "e")], "e", elem=INT64)
    made = model(
        [node("If", "c", "y", then_branch=then, else_branch=other)],
        [info("c", BOOL, []), info("x", INT64, ["N"])],
        [info("y", INT64, None)],
    )
    session = norn.InferenceSession(made, norn.SessionOptions(verify_passes=True))
    x = np.array([7, 8, 9])
    np.testing.assert_array_equal(session.run(None, {"c": np.array(False), "x": x})[0], x)
    with pytest.raises(norn.Error, match=message):
        session.run(None, {"c": np.array(True), "x": x})
    np.testing.assert_array_equal(session.run(None, {"c": np.array(False), "x": x})[0], x)


POOL = dict(kernel_shape=[3, 7])
BATCH_NORM = [constant(n, [1, 2, 3]) for n in ("scale", "bias", "mean", "var")]
PADDED = [node("Pad", "x,pads", "p")]
# Of an image of 4 columns, a window of 7.
DO_NOT_FIT = {
    "Conv": [node("Conv", "x,w", "a")],
    "Conv of Pad": [*PADDED, node("Conv", "p,w", "a")],
    "AveragePool of Pad": [*PADDED, node("AveragePool", "p", "a", **POOL)],
    "BatchNormalization of Conv": [node("Conv", "x,w", "b"), node("BatchNormalization", "b,scale,bias,mean,var", "a")],
    "MaxPool in half": [node("Cast", "x", "h", to=TensorProto.FLOAT16), node("MaxPool", "h", "m", **POOL),
                        node("Relu", "m", "r"), node("Cast", "r", "a", to=FLOAT)],
}  # fmt: skip


@pytest.mark.parametrize("name", DO_NOT_FIT)
@pytest.mark.parametrize("width", [4, "W"])
def test_passes_let_a_branch_that_does_not_fit_load(name, width):
    proto = model(
        [node("If", "c", "y", then_branch=branch("t", DO_NOT_FIT[name], "a"),
              else_branch=branch("e", [node("Relu", "x", "b")], "b"))],
        [info("c", BOOL, []), info("x", FLOAT, ["N", 2, 8, width])], [info("y", FLOAT, None)],
        [constant("w", np.ones((3, 2, 3, 7))), constant("pads", [0] * 7 + [1], np.int64), *BATCH_NORM],
    )  # fmt: skip
    x = np.random.default_rng(3).standard_normal((1, 2, 8, 4)).astype(np.float32)
    loaded = session(proto)
    np.testing.assert_array_equal(loaded.run(None, {"c": np.array(False), "x": x})[0], np.maximum(x, 0))
    with pytest.raises(norn.Error, match="does not fit"):
        loaded.run(None, {"c": np.array(True), "x": x})
