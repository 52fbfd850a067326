"""Messages about graphs in nodes and about operators that run as function bodies.

What a graph in a node is given comes from the graph around it, down to what is fed;
an operator's body is not in the model.
"""

import numpy as np
import pytest
from messages import F32, Broken, const, expect, model, node, value
from onnx import TensorProto, helper

import norn

BROKEN = broken = Broken()
MS = [("com.microsoft", 1)]


def graph(nodes, inputs, outputs, constants=()):
    return helper.make_graph(nodes, "b", inputs, outputs, list(constants))


def body(nodes, result, constants=()):
    """Of a Loop that carries "c"."""
    return graph([*nodes, node("Identity", "cond", "go")],
                 [value("i", 7, []), value("cond", 9, []), value("c")],
                 [value("go", 9, []), value(result)], constants)


def ints(name, numbers):
    return const(name, numbers, np.int64)


def z(*dims):
    return np.zeros(dims, F32)


@broken("4 and 3", '"lp" (Loop) / iteration 1 / attribute "body"', '"step" (MatMul)',
        '"c" (which begins as "x" float[2,3]',
        "is float[2,4] here", "correct the body")
def loop_carried_changes():
    b = body([node("MatMul", "c,w", "d", name="step")], "d", [const("w", z(3, 4))])
    return model([node("Loop", "n,,x", "y", body=b, name="lp")], [value("x", 1, ["N", "K"])], [value("y")],
                 [ints("n", 3)]), {"x": z(2, 3)}


@broken("4 against 3", '"lp" (Loop) / iteration 0 /', '"acc" (Add)', '"c" (dimension 0 of the input "s")',
        '"q" (dimension 0 of the input "x")')
def loop_captured():
    b = body([node("Add", "c,q", "d", name="acc")], "d")
    return model([node("Relu", "x", "q"), node("Loop", "n,,s", "y", body=b, name="lp")],
                 [value("n", 7, []), value("x", 1, ["K"]), value("s", 1, ["L"])],
                 [value("y")]), {"n": np.array(2), "x": z(3), "s": z(4)}


@broken("2 against 3", '"sc" (Scan) / position 0 /', '"s" (dimension 0 of the input "s0")',
        '"e" (dimension 1 of the input "x")')
def scan_slice():
    b = graph([node("Add", "s,e", "t", name="acc"), node("Identity", "e", "o")], [value("s"), value("e")],
              [value("t"), value("o")])
    return model([node("Scan", "s0,x", "a,b", body=b, num_scan_inputs=1, name="sc")],
                 [value("s0", 1, ["A"]), value("x", 1, ["T", "B"])], [value("a"), value("b")]), {"s0": z(2), "x": z(5,
                 3)}


@broken("for state 0", "float[6]", "float[4] before", '"sc" (Scan)', "position 1", "a Loop may carry")
def scan_state_grows():
    b = graph([node("Concat", "s,e", "t", axis=0), node("Identity", "e", "o")], [value("s"), value("e")],
              [value("t"), value("o")])
    return model([node("Scan", "s0,x", "a,b", body=b, num_scan_inputs=1, name="sc")],
                 [value("s0", 1, ["A"]), value("x", 1, ["T", "B"])], [value("a"), value("b")]), {"s0": z(2), "x": z(3,
                 2)}


@broken("4 and 3", '"map" (SequenceMap) / item 1 /', '"mm" (MatMul)', 'an item of "s"', 'fed as "a", "b"')
def sequence_map_item():
    b = graph([node("MatMul", "e,w", "o", name="mm")], [value("e")], [value("o")])
    return model([node("SequenceConstruct", "a,b", "s"), node("SequenceMap", "s", "t", body=b, name="map"),
                  node("ConcatFromSequence", "t", "y", axis=0)],
                 [value("a", 1, ["N", "K"]), value("b", 1, ["M", "L"])], [value("y")],
                 [const("w", z(3, 2))]), {"a": z(2, 3), "b": z(2, 4)}


def choice(inner, outer_name):
    branch = graph([inner], [], [value("o")])
    return helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch, name=outer_name)


@broken("3 against 5", '"iff" (If)', '"plus" (Add)', 'dimension 1 of "q" (dimension 1 of the input "x")')
def branch_captured():
    return model([node("Relu", "x", "q"), choice(node("Add", "q,w", "o", name="plus"), "iff")],
                 [value("c", 9, []), value("x", 1, ["N", "K"])], [value("y")],
                 [const("w", z(5))]), {"c": np.array(True), "x": z(2, 3)}


@broken("5 against 4", '"out" (If)', '"in" (If)', '"deep" (Add)', 'dimension 0 of "q" (dimension 0 of the input "x"):')
def branch_in_branch():
    within = graph([node("Add", "q,big", "o", name="deep")], [], [value("o")])
    inner = helper.make_node("If", ["c"], ["o"], then_branch=within, else_branch=within, name="in")
    return model([node("Relu", "x", "q"), choice(inner, "out")], [value("c", 9, []), value("x", 1, ["N"])],
                 [value("y")],
                 [const("big", z(2, 5))]), {"c": np.array(True), "x": z(4)}


@broken("int64[2]", "trip count", '"lp" (Loop) / inputs ("n" int64[2]', 'what is fed as "n":')
def trip_count():
    return model([node("Loop", "n,,x", "y", body=body([node("Neg", "c", "d")], "d"), name="lp")],
                 [value("n", 7, ["K"]), value("x")], [value("y")]), {"n": np.array([3, 4]), "x": z(2)}


@broken("2 elements", "condition of If", '"iff" (If) / inputs ("c" bool[2])', 'what is fed as "c":')
def condition():
    return model([choice(node("Neg", "x", "o"), "iff")], [value("c", 9, ["N"]), value("x", 1, ["M"])],
                 [value("y")]), {"c": np.array([True, False]), "x": z(2)}


@broken('"q" is used before it is made', 'node 1 (Neg) makes it', 'has to come before node 0 "lp" (Loop)')
def captured_before_made():
    return model([node("Loop", "n,,x", "y", body=body([node("Add", "c,q", "d")], "d"), name="lp"), node("Neg", "x",
                 "q")],
                 [value("x", 1, [1])], [value("y")], [ints("n", 2)]), {"x": z(1)}


@broken("a step of NegativeLogLikelihoodLoss fails: index 7",
        '"nll" (NegativeLogLikelihoodLoss) / inputs ("x" float[2,3], "t" int64[2]) / its definition / node',
        'what is fed as "t", beside the sizes of "x"')
def class_of_loss():
    return model([node("NegativeLogLikelihoodLoss", "x,t", "y", name="nll")], [value("x", 1, ["N", "C"]), value("t", 7,
                 ["N"])],
                 [value("y")]), {"x": z(2, 3), "t": np.array([0, 7])}


@broken('"ce" (SoftmaxCrossEntropyLoss) / inputs ("x" float[2,3], "t" int64[2]) / its definition / node', "index 7",
        'what is fed as')
def class_of_softmax_loss():
    return model([node("SoftmaxCrossEntropyLoss", "x,t", "y", name="ce")], [value("x", 1, ["N", "C"]), value("t", 7,
                 ["N"])],
                 [value("y")]), {"x": z(2, 3), "t": np.array([0, 7])}


@broken("SpaceToDepth asks for height and width that blocksize 2 divides",
        '"s2d" (SpaceToDepth) / inputs ("x" float[1,4,3,3])')
def blocks_that_do_not_divide():
    return model([node("SpaceToDepth", "x", "y", name="s2d", blocksize=2)], [value("x", 1, ["N", "C", "H", "W"])],
                 [value("y")]), {"x": z(1, 4, 3, 3)}


@broken("DepthToSpace asks for channels that the square of blocksize 2 divides",
        '"d2s" (DepthToSpace) / inputs ("x" float[1,5,2,2])', 'C = 5 is dimension 1 of the input "x"')
def channels_that_do_not_divide():
    return model([node("DepthToSpace", "x", "y", name="d2s", blocksize=2)], [value("x", 1, ["N", "C", "H", "W"])],
                 [value("y")]), {"x": z(1, 5, 2, 2)}


@broken("CenterCropPad asks for a rank above 2 for its axes", '"crop" (CenterCropPad)', 'inputs ("r" float[3,2]')
def axes_that_a_fed_rank_lacks():
    return model([node("Reshape", "x,s", "r"), node("CenterCropPad", "r,c", "y", name="crop", axes=[-3, 1])],
                 [value("x", 1, ["N", "M"]), value("s", 7, ["K"])], [value("y")],
                 [const("c", [2, 2], np.int64)]), {"x": z(2, 3), "s": np.array([3, 2])}


@broken("index 3 is outside", "iteration 3", "the iterations before this one did not fail")
def a_loop_that_runs_too_often():
    body = helper.make_graph([node("Identity", "c", "d"), node("Gather", "x,i", "t"), node("Add", "v,t", "u")], "body",
                             [value("i", 7, []), value("c", 9, []), value("v", 1, None)],
                             [value("d", 9, []), value("u", 1, None)])
    return model([node("Loop", "n,go,x", "y", name="loop", body=body)],
                 [value("x", 1, ["N"])], [value("y")],
                 [const("n", 9, np.int64), const("go", True, bool)]), {"x": z(3)}


@broken("3 against 2", '"plus" (Add)',
        '3 is dimension 1 of "z" (NonZero gives it by the contents that it reads)', "feed sizes and contents that fit")
def a_size_that_follows_from_contents():
    return model([node("NonZero", "x", "z"), node("Add", "z,s", "y", name="plus")], [value("x", 1, ["N"])],
                 [value("y", 7)], [const("s", [2, 2], np.int64)]), {"x": np.ones(3, np.float32)}


@broken("X has 6 channels, which num_groups 4 does not divide",
        '"gn" (GroupNormalization) / inputs ("x" float[N,C,L], "s" float[6], "b" float[6])', "give a num_groups")
def group_norm():
    return model([node("GroupNormalization", "x,s,b", "y", name="gn", num_groups=4)], [value("x", 1, ["N", "C", "L"])],
                 [value("y")], [const("s", np.ones(6)), const("b", np.ones(6))]), {"x": z(2, 6, 5)}


def skip_norm(gamma):
    return model([node("SkipLayerNormalization", "x,s,g", "y", domain="com.microsoft", name="sln")],
                 [value("x", 1, ["B", "S", 8]), value("s", 1, ["B", "S", 8])], [value("y")], [const("g",
                 np.ones(gamma))],
                 imports=MS), {"x": z(1, 2, 8), "s": z(1, 2, 8)}


@broken("float[4]",
        '"sln" (com.microsoft.SkipLayerNormalization) / inputs ("x" float[B,S,8], "s" float[B,S,8], "g" float[4])',
        'let axis 0 of "g" be 8, or correct this node')
def skip_norm_gamma():
    return skip_norm(4)


@broken("Scale [4]", "X, [2,3]", '"ln" (LayerNormalization)', 'dimension 0 of the input "s"')
def layer_norm_scale():
    return model([node("LayerNormalization", "x,s", "y", name="ln")], [value("x", 1, ["N", "C"]), value("s", 1, ["D"])],
                 [value("y")]), {"x": z(2, 3), "s": z(4)}


@broken("scale [4]", "X, [N,3]", '"ln" (RMSNormalization)', "one element, or as many")
def rms_norm_scale():
    return model([node("RMSNormalization", "x,s", "y", name="ln")], [value("x", 1, ["N", 3])], [value("y")],
                 [const("s", np.ones(4))], opset=23, ir=11), {"x": z(2, 3)}


@broken("roi is missing", '"up" (Resize)', "tf_crop_and_resize")
def roi():
    return model([node("Resize", "x,,sc", "y", name="up", coordinate_transformation_mode="tf_crop_and_resize")],
                 [value("x", 1, ["N", "C", "H", "W"])], [value("y")], [const("sc", [1, 1, 2, 2])]), {"x": z(1, 1, 4, 4)}


@broken("attn_mask [3,5]", "[1,2,3,4]", '"att" (Attention) / inputs ("q" float[1,2,3,8]', 'of the input "m"')
def attention_mask():
    return model([node("Attention", "q,k,v,m", "y", name="att")],
                 [value(n, 1, ["B", 2, d, 8]) for n, d in zip("qkv", "STT")] + [value("m", 1, ["P", "Q"])],
                 [value("y")],
                 opset=23, ir=11), {"q": z(1, 2, 3, 8), "k": z(1, 2, 4, 8), "v": z(1, 2, 4, 8), "m": z(3, 5)}


@broken("a step of Attention fails", "[3,5]", '"att" (Attention) / inputs ("m" float[3,5]', 'of the input "m"')
def attention_mask_of_too_few_keys():
    return model([node("Attention", "q,k,v,m", "y", name="att")],
                 [value(n, 1, ["B", 2, d, 8]) for n, d in zip("qkv", "STT")] + [value("m", 1, ["P", "Q"])],
                 [value("y")],
                 opset=23, ir=11), {"q": z(1, 2, 3, 8), "k": z(1, 2, 6, 8), "v": z(1, 2, 6, 8), "m": z(3, 5)}


@broken("attn_mask [2,6]", "[1,2,3,6]", '"m__', 'is dimension 1 of "m__', "(a step of Attention gives it")
def attention_mask_of_too_few_rows():
    return model([node("Attention", "q,k,v,m", "y", name="att")],
                 [value(n, 1, ["B", 2, d, 8]) for n, d in zip("qkv", "STT")] + [value("m", 1, ["P", "Q"])],
                 [value("y")],
                 opset=23, ir=11), {"q": z(1, 2, 3, 8), "k": z(1, 2, 6, 8), "v": z(1, 2, 6, 8), "m": z(2, 6)}


@broken("index 9 is outside", '"i" int64[2,1]', '"i", which the node takes as indices, is a constant of the model')
def constant_index():
    return model([node("GatherND", "x,i", "y")], [value("x", 1, ["N", 4])], [value("y")],
                 [ints("i", [[0], [9]])]), {"x": z(3, 4)}


@broken("the batch of X and that of the initial state must be equal: 2 and 1", 'dimension 1 of the input "h" is 1')
def initial_state():
    return model([node("LSTM", "x,w,r,,,h", "y", hidden_size=4)],
                 [value("x", 1, ["S", "B", 4]), value("w", 1, [1, 16, 4]), value("r", 1, [1, 16, 4]),
                  value("h", 1, [1, "C", 4])], [value("y")],
                 opset=14), {"x": z(3, 2, 4), "w": z(1, 16, 4), "r": z(1, 16, 4), "h": z(1, 1, 4)}


@broken("half of what is turned of each head and axis 2 of cos_cache", "4 and 3", '"rope" (RotaryEmbedding) / inputs ("x" float[1,2,3,8]',
        "feed sizes that fit")
def rotary_cache():
    return model([node("RotaryEmbedding", "x,c,s", "y", name="rope")],
                 [value("x", 1, [1, 2, "S", "D"])] + [value(n, 1, [1, "S", "H"]) for n in "cs"], [value("y")], opset=23,
                 ir=11), {"x": z(1, 2, 3, 8), "c": z(1, 3, 3), "s": z(1, 3, 3)}


@broken("9 and 16", "blocks", '"c2i" (Col2Im)', 'dimension 2 of the input "x"')
def col2im():
    return model([node("Col2Im", "x,i,b", "y", name="c2i")], [value("x", 1, ["N", "K", "L"])], [value("y")],
                 [ints("i", [5, 5]), ints("b", [2, 2])]), {"x": z(1, 4, 9)}


@broken('"(a"', "RE2", '"rx" (RegexFullMatch)', 'attribute "pattern"')
def pattern():
    return model([node("RegexFullMatch", "s", "y", pattern="(a", name="rx")], [value("s", 8, ["N"])], [value("y",
                 9)]), None


@broken('"tahn"', "activation", '"l" (RNN)', 'did you mean "Tanh"?')
def activation():
    return model([node("RNN", "x,w,r", "y", name="l", hidden_size=4, activations=["tahn"])], [value("x", 1, ["T", "B",
                 3])],
                 [value("y")], [const("w", z(1, 4, 3)), const("r", z(1, 4, 4))]), None


@broken('"LabelEncoder" in ai.onnx', "operator of ai.onnx.ml")
def operator_elsewhere():
    return model([node("LabelEncoder", "x", "y", name="le", keys_int64s=[1], values_int64s=[2])], [value("x", 7,
                 ["N"])],
                 [value("y", 7)]), None


@broken('"BiasGelu" in com.micorsoft', 'did you mean "com.microsoft"?')
def domain_misspelt():
    return model([node("BiasGelu", "x,g", "y", domain="com.micorsoft")], [value("x", 1, [4])], [value("y")],
                 [const("g", np.ones(4))], imports=[("com.micorsoft", 1)]), None


@broken("seq(tensor(float))", 'output "y"', "ConcatFromSequence")
def sequence_as_tensor_output():
    return model([node("SequenceConstruct", "x,x", "y")], [value("x", 1, [1])], [value("y", 1, [1])]), None


@broken("optional", '"r" (Relu)', "OptionalGetElement")
def optional_as_tensor():
    kind = helper.make_optional_type_proto(helper.make_tensor_type_proto(1, [2]))
    return model([node("Relu", "o", "y", name="r")], [helper.make_value_info("o", kind)], [value("y")], opset=18), None


@broken("axis 1 has size 3", '"sq" (Squeeze)', 'dimension 1 of the input "x"')
def squeezed():
    return model([node("Squeeze", "x,a", "y", name="sq")], [value("x", 1, ["N", "C"])], [value("y")],
                 [ints("a", [1])]), {"x": z(2, 3)}


@broken("k is -1", '"top" (TopK)', 'what is fed as "k", beside the sizes of "x"')
def number_of_elements():
    return model([node("TopK", "x,k", "v,i", name="top")], [value("x", 1, ["N", "C"]), value("k", 7, [1])],
                 [value("v"), value("i", 7)]), {"x": z(2, 3), "k": np.array([-1])}


@broken("divided by zero", '"md" (Mod)', 'what is fed as "d":')
def divisor():
    return model([node("Mod", "x,d", "y", name="md")], [value("x", 7, [1]), value("d", 7, [1])],
                 [value("y", 7)]), {"x": np.array([3]), "d": np.array([0])}


@broken("is a folder", "location")
def external_folder(tmp_path):
    (tmp_path / "w").mkdir()
    t = TensorProto(name="w", data_type=1, dims=[4], data_location=1)
    t.external_data.add(key="location", value="w")
    made = model([node("Add", "x,w", "y")], [value("x", 1, [4])], [value("y")], [t])
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    return str(tmp_path / "m.onnx"), None


@broken("input_feed is list", "give a dict")
def feeds_in_a_list():
    return model([node("Neg", "x", "y")], [value("x", 1, [1])], [value("y")]), [z(1)]


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name, tmp_path):
    expect(BROKEN[name], tmp_path)


@pytest.mark.parametrize("name", ["skip_norm_gamma", "rms_norm_scale", "roi", "pattern", "activation",
                         "captured_before_made"])
def test_the_model_alone_is_refused_when_it_is_loaded(name):
    with pytest.raises(norn.InvalidGraph):
        norn.InferenceSession(BROKEN[name][0]()[0])


def test_a_sound_scale_still_runs():
    norn.InferenceSession(skip_norm(8)[0]).run(None, skip_norm(8)[1])
