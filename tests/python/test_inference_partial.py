"""What inference keeps where only a part is known: elements of shape vectors, sizes on their way through floating types,
what dimensions mean, and what a loop that does not run would have stacked."""

import norn
import numpy as np
import onnx
import onnx.reference
import pytest
from onnx import TensorProto as T
from onnx import helper, numpy_helper

INT = T.INT64


def value(name, elem, dims):
    return helper.make_tensor_value_info(name, elem, dims)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(","), outputs.split(","), **attributes)


def make(nodes, inputs, outputs, constants=(), opset=18):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def shape(model):
    tensor = norn.infer_shapes(model, data_prop=True, symbolic=True).graph.output[0].type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in tensor.shape.dim]


def run(model, **feeds):
    return norn.InferenceSession(model).run(None, feeds)[0]


K768 = constant("k", np.array([768]))
N1 = value("n", INT, [1])
Y = value("y", T.FLOAT, None)
RESHAPED = make([node("Concat", "n,k", "t", axis=0), node("Reshape", "x,t", "y")], [value("x", T.FLOAT, ["B", "S", 768]), N1],
                [Y], [K768])


def is_fresh(dim):
    return dim == "?" or dim.startswith("unk__")


def test_a_vector_with_one_unknown_element_keeps_the_others():
    made = shape(make([node("Concat", "n,k", "t", axis=0), node("ConstantOfShape", "t", "y")], [N1], [Y], [K768]))
    assert is_fresh(made[0])
    assert made[1:] == [768]
    assert shape(RESHAPED) == ["B*S", 768]  # whatever the element is, that is left for it
    # Two elements that are not known: each may be -1, and 0 for one that is copied.
    two = make([node("Concat", "n,n,k", "t", axis=0), node("Reshape", "x,t", "y")], [value("x", T.FLOAT, ["B", "S", 768]), N1],
               [Y], [K768])
    made = shape(two)
    assert is_fresh(made[0])
    assert is_fresh(made[1])
    assert made[2:] == [768]


@pytest.mark.parametrize("n", [-1, 6])
def test_an_unknown_element_may_be_minus_one(n):
    x = np.arange(2 * 3 * 768, dtype=np.float32).reshape(2, 3, 768)
    np.testing.assert_array_equal(run(RESHAPED, x=x, n=np.array([n])), x.reshape(6, 768))


def test_an_unknown_element_may_be_zero_for_a_size_that_is_copied():
    x = np.arange(3 * 768, dtype=np.float32).reshape(3, 1, 768)
    np.testing.assert_array_equal(run(RESHAPED, x=x, n=np.array([0])), x.reshape(3, 768))
    empty = np.zeros((0, 5, 768), np.float32)
    assert run(RESHAPED, x=empty, n=np.array([0])).shape == (0, 768)


@pytest.mark.parametrize("n", [-2, 0, 3, 9])
def test_an_unknown_element_may_be_negative(n):
    """As a bound of Slice, a limit of Range and the number of turns of a loop."""
    pick = [node("Concat", "n,k", "t", axis=0), node("Gather", "t,zero", "m")]
    consts = [K768, constant("zero", np.array(0)), constant("one", np.array(1)), constant("first", np.array([0]))]
    feeds = {"n": np.array([n])}
    ranged = make([*pick, node("Range", "zero,m,one", "y")], [N1], [value("y", INT, None)], consts)
    np.testing.assert_array_equal(run(ranged, **feeds), np.arange(0, n))
    sliced = make([*pick, node("Unsqueeze", "m,first", "e"), node("Slice", "x,first,e", "y")],
                  [value("x", T.FLOAT, ["L"]), N1], [Y], consts)
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(run(sliced, x=x, **feeds), x[0:n])
    body = helper.make_graph([node("Identity", "c", "d"), node("Identity", "i", "o")], "b",
                             [value("i", INT, []), value("c", T.BOOL, [])], [value("d", T.BOOL, []), value("o", INT, [])])
    looped = make([*pick, helper.make_node("Loop", ["m", "yes"], ["y"], body=body)], [N1], [value("y", INT, None)],
                  [*consts, constant("yes", np.array(True))])
    np.testing.assert_array_equal(run(looped, **feeds), np.arange(max(n, 0)))


def test_parts_of_vectors_go_through_where_and_arithmetic():
    where = make([node("Concat", "n,k", "t", axis=0), node("Where", "c,t,other", "w"), node("ConstantOfShape", "w", "y")],
                 [N1, value("c", T.BOOL, [2])], [Y], [K768, constant("other", np.array([5, 768]))])
    assert shape(where)[1] == 768
    divided = make([node("Concat", "n,k", "t", axis=0), node("Div", "t,two", "w"), node("ConstantOfShape", "w", "y")],
                   [N1], [Y], [K768, constant("two", np.array([2]))])
    assert shape(divided)[1] == 384


RESIZED = make(
    [node("Shape", "x", "s"), node("Slice", "s,zero,two", "nc"), node("Slice", "s,two,four", "hw"),
     node("Cast", "hw", "f", to=1), node("Mul", "f,scale", "g"), node("Floor", "g", "h"), node("Cast", "h", "n", to=7),
     node("Concat", "nc,n", "t", axis=0), node("Resize", "x,,,t", "y", mode="nearest")],
    [value("x", T.FLOAT, ["N", 3, "H", "W"])], [Y],
    [constant("zero", np.array([0])), constant("two", np.array([2])), constant("four", np.array([4])),
     constant("scale", np.float32(2))])


def test_sizes_go_through_floating_types():
    # What float32 makes of H is H up to 2**24.
    assert shape(RESIZED) == ["N", 3, "2*float(H)", "2*float(W)"]
    fixed = onnx.ModelProto()
    fixed.CopyFrom(RESIZED)
    fixed.graph.input[0].type.tensor_type.shape.dim[2].dim_value = 5
    assert shape(fixed) == ["N", 3, 10, "2*float(W)"]
    assert run(RESIZED, x=np.ones((1, 3, 5, 4), np.float32)).shape == (1, 3, 10, 8)


@pytest.mark.parametrize(("steps", "wanted"), [
    ([("Mul", 0.5), ("Floor", None)], "floor(float(N)/2)"),
    ([("Div", 4.0), ("Ceil", None)], "floor((float(N) + 3)/4)"),
    ([("Mul", 1.5), ("Floor", None)], "floor(float(3*float(N))/2)"),
    ([("Add", 1.0)], "float(float(N) + 1)"),
    ([("Mul", 0.25)], "floor(float(N)/4)"),  # Cast truncates
    ([("Div", 3.0), ("Floor", None)], None),  # rounded before it is floored
    ([("Mul", 0.1)], None),
])
def test_factors(steps, wanted):
    nodes, constants, at = [node("Shape", "x", "s", start=0, end=1), node("Cast", "s", "v", to=1)], [], "v"
    for i, (op, factor) in enumerate(steps):
        nodes.append(node(op, at if factor is None else f"{at},c{i}", f"v{i}"))
        if factor is not None:
            constants.append(constant(f"c{i}", np.float32(factor)))
        at = f"v{i}"
    nodes += [node("Cast", at, "t", to=7), node("ConstantOfShape", "t", "y")]
    model = make(nodes, [value("x", T.BOOL, ["N"])], [Y], constants)
    made = shape(model)
    assert made == [wanted] if wanted else is_fresh(made[0])
    reference = onnx.reference.ReferenceEvaluator(model)
    for n in (0, 1, 2, 7, 100):
        feeds = {"x": np.zeros(n, bool)}
        assert run(model, **feeds).shape == reference.run(None, feeds)[0].shape


def test_what_float_cannot_hold_is_computed_as_float_does():
    n = 2**24 + 1
    model = make([node("Shape", "x", "s"), node("Cast", "s", "f", to=1), node("Cast", "f", "t", to=7),
                  node("ConstantOfShape", "t", "y", value=helper.make_tensor("v", T.INT8, [1], [1]))],
                 [value("x", T.BOOL, ["N"])], [value("y", T.INT8, None)])
    assert shape(model) == ["float(N)"]
    assert run(model, x=np.zeros(n, bool)).shape == (2**24,)
    wide = make([node("Shape", "x", "s"), node("Cast", "s", "f", to=11), node("Cast", "f", "t", to=7),
                 node("ConstantOfShape", "t", "y", value=helper.make_tensor("v", T.INT8, [1], [1]))],
                [value("x", T.BOOL, ["N"])], [value("y", T.INT8, None)])
    assert run(wide, x=np.zeros(n, bool)).shape == (n,)


# --- what dimensions mean ---


def words(info):
    return [d.denotation for d in info.type.tensor_type.shape.dim]


IMAGE = ["DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE", "DATA_FEATURE"]


def denoted(nodes, outputs, inputs=(), constants=()):
    model = make(nodes, [value("x", T.FLOAT, [1, 3, 4, 5]), *inputs], [value(o, T.FLOAT, None) for o in outputs], constants)
    for word, dim in zip(IMAGE, model.graph.input[0].type.tensor_type.shape.dim, strict=True):
        dim.denotation = word
    return model


def test_denotations_are_carried(tmp_path):
    model = denoted([node("Transpose", "x", "t", perm=[0, 2, 3, 1]), node("Relu", "t", "y")], ["y"])
    ours, theirs = norn.infer_shapes(model), onnx.shape_inference.infer_shapes(model)
    last = ["DATA_BATCH", "DATA_FEATURE", "DATA_FEATURE", "DATA_CHANNEL"]
    for inferred in (ours, theirs):
        assert words(inferred.graph.output[0]) == last
        assert words(inferred.graph.value_info[0]) == last
    onnx.save(model, tmp_path / "m.onnx")
    norn.infer_shapes_path(tmp_path / "m.onnx", tmp_path / "n.onnx")
    assert words(onnx.load(tmp_path / "n.onnx").graph.output[0]) == last


def test_denotations_of_what_is_left_of_an_image():
    model = denoted([node("Conv", "x,w", "c"), node("AveragePool", "x", "p", kernel_shape=[2, 2]), node("Add", "x,b", "a"),
                     node("Reshape", "x,flat", "r")], ["c", "p", "a", "r"], [value("b", T.FLOAT, [5])],
                    [constant("w", np.ones((2, 3, 1, 1), np.float32)), constant("flat", np.array([1, 3, 20]))])
    found = {o.name: words(o) for o in norn.infer_shapes(model).graph.output}
    assert found == {"c": ["DATA_BATCH", "", "", ""], "p": ["DATA_BATCH", "DATA_CHANNEL", "", ""], "a": IMAGE, "r": ["", "", ""]}


def test_what_is_denoted_stays():
    model = denoted([node("Relu", "x", "y")], ["y"])
    model.graph.output[0].CopyFrom(value("y", T.FLOAT, [1, 3, 4, 5]))
    model.graph.output[0].type.tensor_type.shape.dim[2].denotation = "DATA_TIME"
    found = words(norn.infer_shapes(model).graph.output[0])
    assert found == ["DATA_BATCH", "DATA_CHANNEL", "DATA_TIME", "DATA_FEATURE"]


# --- what did not run ---


DECLARED = pytest.mark.parametrize("dims", [["T", "K"], [None, None], ["T", 2], None], ids=str)
WAYS = pytest.mark.parametrize("control", ["Loop", "Scan"])


@DECLARED
@WAYS
def test_stacks_of_loops_that_do_not_run_have_the_sizes_of_items(dims, control):
    if control == "Loop":
        body = helper.make_graph([node("Identity", "c", "d"), node("Neg", "x", "o")], "b",
                                 [value("i", INT, []), value("c", T.BOOL, [])],
                                 [value("d", T.BOOL, []), value("o", T.FLOAT, None)])
        model = make([helper.make_node("Loop", ["n", ""], ["y"], body=body)], [value("x", T.FLOAT, dims), value("n", INT, [])],
                     [Y])
        assert run(model, x=np.zeros((3, 2), np.float32), n=np.array(0)).shape == (0, 3, 2)
        if dims != ["T", 2]:
            assert run(model, x=np.zeros((3, 0), np.float32), n=np.array(0)).shape == (0, 3, 0)
        assert run(model, x=np.zeros((3, 2), np.float32), n=np.array(4)).shape == (4, 3, 2)
        return
    body = helper.make_graph([node("Neg", "e", "o")], "b", [value("e", T.FLOAT, None)], [value("o", T.FLOAT, None)])
    model = make([helper.make_node("Scan", ["x"], ["y"], body=body, num_scan_inputs=1)], [value("x", T.FLOAT, dims)], [Y])
    assert run(model, x=np.zeros((0, 2), np.float32)).shape == (0, 2)
    assert run(model, x=np.zeros((3, 2), np.float32)).shape == (3, 2)


def test_a_body_that_does_not_run_need_not_fit():
    body = helper.make_graph([node("Identity", "c", "d"), node("MatMul", "x,x", "o")], "b",
                             [value("i", INT, []), value("c", T.BOOL, [])], [value("d", T.BOOL, []), value("o", T.FLOAT, None)])
    model = make([helper.make_node("Loop", ["n", ""], ["y"], body=body)],
                 [value("x", T.FLOAT, ["A", "B"]), value("n", INT, [])], [Y])
    assert run(model, x=np.zeros((3, 2), np.float32), n=np.array(0)).shape[0] == 0
    with pytest.raises(norn.Error):
        run(model, x=np.zeros((3, 2), np.float32), n=np.array(1))


def test_values_of_unknown_elements_are_not_declared():
    """Behind a node that is wrong sizes may still be known, elements not: a declaration without them is an error."""
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["": 18]>
        g (x) => (y) { a = Flatten (x) b = Concat <axis = 0> (a, a) s = SequenceConstruct (b) y = Identity (s) }""")
    for value in norn.infer_shapes(model).graph.value_info:
        assert value.type.WhichOneof("value") != "tensor_type" or value.type.tensor_type.elem_type, value.name
        assert value.type.WhichOneof("value") != "sequence_type" or value.type.sequence_type.elem_type.tensor_type.elem_type
