"""Every pass holds with every other one left out: the answers of small models are those of the onnx package's evaluator.
And what folding spells out is bounded by what the model holds."""

import itertools
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import norn

FLOAT, INT64, INT32, DOUBLE = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.DOUBLE
# Those that recognise what is written as simpler operations are left out together; test_recognize.py is about them.
RECOGNIZING = ("recognize_activations", "recognize_norms", "recognize_attention", "fuse_attention")
PASSES = [
    ("gather_stored", "fold_constants"), ("drop_identities", "merge_duplicates"), RECOGNIZING, ("widen_half",),
    ("turn_conv_transposes", "fuse_pads", "fuse_conv_bn", "merge_convs"), ("fuse_qdq", "fuse_quantized", "fuse_stored_weights"), ("fuse_elementwise", "fuse_group_norms"),
    ("fuse_separable", "fuse_integer_folds"),
]  # fmt: skip
SUBSETS = [sum(s, ()) for size in range(len(PASSES) + 1) for s in itertools.combinations(PASSES, size)]
RANDOM = np.random.default_rng(7)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs.split(",") if inputs else [], outputs.split(","), **attrs)


def array(*shape, dtype=np.float32):
    return RANDOM.uniform(0.5, 2, shape).astype(dtype)


def const(name, value):
    return node("Constant", "", name, value=numpy_helper.from_array(np.asarray(value), name))


def model(nodes, x_shape, outputs, initializers=None, opset=18):
    inputs = [helper.make_tensor_value_info("x", FLOAT, x_shape)] if x_shape is not None else []
    infos = [helper.make_tensor_value_info(name, elem, [None] * rank) for name, (elem, rank) in outputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(v), k) for k, v in (initializers or {}).items()]
    graph = helper.make_graph(nodes, "g", inputs, infos, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


BATCH_NORM = {"s": array(3), "b": array(3), "m": array(3), "v": array(3)}
Y, Y2, Y3, Y4 = ({"y": (FLOAT, rank)} for rank in (1, 2, 3, 4))
MODELS = {
    "constant": model([const("k", array(3)), node("Add", "x,k", "y")], [3], Y),
    "constant alone": model([const("y", array(3))], None, Y),
    "constant read twice": model([const("k", array(3)), node("Add", "k,k", "t"), node("Mul", "x,t", "u"),
                                  node("Sub", "u,k", "y")], [3], Y),
    "constants of lists": model([node("Constant", "", "s", value_ints=[3, 1]), node("Constant", "", "f", value_float=2.0),
                                 node("Reshape", "x,s", "r"), node("Mul", "r,f", "y")], ["N"], Y2),
    "identities": model([node("Identity", "x", "a"), node("Identity", "a", "b"), node("Relu", "b", "c"),
                         node("Identity", "c", "y")], ["N"], Y),
    "identity of a constant": model([const("k", array(2, 2)), node("Identity", "k", "i"), node("Identity", "i", "y"),
                                     node("MatMul", "x,i", "z")], [2, 2], {"y": (FLOAT, 2), "z": (FLOAT, 2)}),
    "dropout": model([node("Dropout", "x", "a"), node("Relu", "a", "b"), node("Dropout", "b", "c,mask"),
                      node("Identity", "c", "y")], [2, 3], {"y": (FLOAT, 2), "mask": (TensorProto.BOOL, 2)}),
    "dropout that does not train": model(
        [const("ratio", np.float32(0.5)), const("training", np.array(False)),
         node("Dropout", "x,ratio,training", "a"), node("Neg", "a", "y")], [4], Y),
    "casts": model([node("Cast", "x", "a", to=FLOAT), node("Cast", "a", "b", to=INT64), node("Cast", "b", "y", to=INT64)],
                   [4], {"y": (INT64, 1)}),
    "logarithms of sums of integers": model(
        [const("ten", np.float32(10)), node("Mul", "x,ten", "t"), node("Cast", "t", "i", to=INT32),
         node("Cast", "i", "a", to=DOUBLE), node("ReduceLogSumExp", "a,last", "b", keepdims=0),
         node("Cast", "b", "c", to=INT32), node("Neg", "c", "n"), node("Cast", "n", "y", to=FLOAT),
         # Not of integers all the way, or read by others.
         node("Cast", "i", "d", to=DOUBLE), node("ReduceLogSumExp", "d", "e"), node("Cast", "e", "f", to=FLOAT),
         node("Cast", "d", "g", to=FLOAT), node("Sub", "g,f", "z")],
        [3, 70], {"y": (FLOAT, 1), "z": (FLOAT, 2)}, {"last": np.array([-1])}),
    "cast of a constant": model([const("k", np.array([1, 2], np.int8)), node("Cast", "k", "f", to=FLOAT),
                                 node("Mul", "x,f", "y")], [2], Y),
    "conv and norm": model([const("w", array(3, 2, 1, 2)), node("Conv", "x,w", "c"),
                            node("BatchNormalization", "c,s,b,m,v", "n"), node("Relu", "n", "y")],
                           [1, 2, 5, 5], Y4, BATCH_NORM),
    "conv with bias and norm": model(
        [node("Constant", "", "bias", value_floats=[1.0, 2.0, 3.0]), node("Conv", "x,w,bias", "c"),
         node("BatchNormalization", "c,s,b,m,v", "y")], [1, 2, 5, 5], Y4, {"w": array(3, 2, 1, 1), **BATCH_NORM}),
    "padding apart from a convolution": model(
        [const("pads", [0, 0, 1, 0, 0, 0, 2, 1]), const("w", array(3, 2, 1, 2)), node("Pad", "x,pads", "p"),
         node("Conv", "p,w", "c", strides=[2, 1], pads=[0, 1, 1, 0]), node("BatchNormalization", "c,s,b,m,v", "y")],
        ["N", 2, "H", "W"], Y4, BATCH_NORM),
    "transposed convolutions without strides": model(
        [const("w", array(2, 3, 1, 2)), const("bias", array(3)),
         node("ConvTranspose", "x,w,bias", "c", pads=[0, 1, 0, 0]), node("BatchNormalization", "c,s,b,m,v", "n"),
         node("Relu", "n", "r"), const("u", array(3, 2, 1, 1)), node("ConvTranspose", "r,u", "y")],
        ["N", 2, 5, 6], Y4, BATCH_NORM),
    "transposed convolutions that stay": model(
        [const("w", array(2, 1, 3, 2)), node("ConvTranspose", "x,w", "a"),
         node("ConvTranspose", "x,w", "b", pads=[0, 1, 0, 1], strides=[1, 2]),
         node("ReduceSum", "a,all", "s1"), node("ReduceSum", "b,all", "s2"), node("Sum", "s1,s2", "t"),
         const("inf", np.full((2, 1, 1, 3), np.inf, np.float32)), node("ConvTranspose", "x,inf", "i", pads=[0, 1, 0, 1]),
         node("Add", "t,i", "y")],
        ["N", 2, 5, 6], Y4, {"all": np.array([1, 2, 3])}),
    "norm alone": model([node("Identity", "x", "i"), node("BatchNormalization", "i,s,b,m,v", "n"), node("Tanh", "n", "y")],
                        ["N", 3, 2], Y3, BATCH_NORM),
    "norm of constants": model([const("s2", array(3)), node("Mul", "s2,s", "s3"),
                                node("BatchNormalization", "x,s3,b,m,v", "n"), node("Dropout", "n", "y")], [2, 3], Y2,
                               BATCH_NORM),
    "residual": model([node("Relu", "x", "r"), node("MatMul", "r,w", "a"), node("Add", "a,r", "b"), node("Relu", "b", "c"),
                       node("Identity", "c", "y")], ["N", 4], Y2, {"w": array(4, 4)}),
    "shapes": model([node("Shape", "x", "s"), node("Cast", "s", "t", to=INT64), node("ConstantOfShape", "t", "z"),
                     node("Add", "x,z", "y")], ["N", 2], Y2),
    "a node without inputs": model([node("Constant", "", "k", value_int=5), node("Identity", "k", "n"),
                                    node("Cast", "n", "f", to=FLOAT), node("Add", "x,f", "y")], [1], Y),
}


@pytest.mark.parametrize("name", MODELS)
def test_any_passes_left_out(name):
    proto = MODELS[name]
    onnx.checker.check_model(proto, full_check=True)
    feeds = {}
    for given in proto.graph.input:
        feeds["x"] = array(*(d.dim_value or 3 for d in given.type.tensor_type.shape.dim))
    wanted = ReferenceEvaluator(proto).run(None, feeds)
    for disabled in SUBSETS:
        session = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=list(disabled), verify_passes=True))
        program = onnx.ModelProto.FromString(norn.parse_text(session.program_text()))
        onnx.checker.check_model(program, full_check=True)
        for got in (session.run(None, feeds), ReferenceEvaluator(program).run(None, feeds)):
            for w, g in zip(wanted, got, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5, err_msg=f"without {disabled}")


def centred(*shape):
    return array(*shape) - np.float32(1.25)


# Their weights are more than the text of a Program spells out.
LARGER = {
    "products around a depthwise convolution": model(
        [node("Conv", "x,w1,b8", "a"), node("Relu", "a", "b"), node("Conv", "b,w2", "c", group=8, pads=[1, 1, 1, 1]),
         node("Sigmoid", "c", "d"), node("Conv", "d,w3,b4", "e"), node("Add", "e,x", "y")], ["N", 4, 9, 7], Y4,
        {"w1": centred(8, 4, 1, 1), "b8": centred(8), "w2": centred(8, 1, 3, 3), "w3": centred(4, 8, 1, 1), "b4": centred(4)}),
    "a depthwise convolution, one product, a gate": model(
        [node("Conv", "x,w1", "a"), node("Conv", "a,w2", "b", group=8, strides=[2, 2]), node("HardSwish", "b", "c"),
         node("GlobalAveragePool", "c", "p"), node("Mul", "c,p", "m"), node("Conv", "m,w3", "d", group=8),
         node("Conv", "d,w4", "e"), node("Relu", "e", "y")], [1, 4, 9, 7], Y4,
        {"w1": centred(8, 4, 1, 1), "w2": centred(8, 1, 3, 3), "w3": centred(8, 1, 2, 2), "w4": centred(4, 8, 1, 1)}),
    "padding apart from pools": model(
        [const("pads", [1, 1, 0, 2]), const("axes", [-2, 3]), const("lowest", np.float32(-np.inf)),
         node("Pad", "x,pads,lowest,axes", "p"), node("MaxPool", "p", "m", kernel_shape=[2, 3], strides=[1, 2]),
         node("Pad", "x,pads,,axes", "q"), node("AveragePool", "q", "a", kernel_shape=[2, 3], strides=[1, 2]),
         node("Add", "m,a", "s"), node("Pad", "s,pads,,axes", "r"), node("Conv", "r,w", "y")],
        ["N", 4, 9, 7], Y4, {"w": centred(8, 4, 2, 2)}),
    "groups of channels": model(
        [node("Conv", "x,w,b8", "a"), const("by_group", [0, 4, -1]), node("Reshape", "a,by_group", "g"),
         node("InstanceNormalization", "g,gs,gb", "i", epsilon=1e-3), node("Shape", "a", "s"), node("Reshape", "i,s", "r"),
         node("Mul", "r,c8", "m"), node("Add", "m,d8", "n"), node("Sigmoid", "n", "q"), node("Mul", "n,q", "t"),
         node("InstanceNormalization", "t,b8,b8", "u"), node("Add", "u,t", "v"), node("Conv", "v,w2", "y")],
        ["N", 4, 9, 7], Y4,
        {"w": centred(8, 4, 1, 1), "b8": centred(8), "gs": array(4), "gb": array(4), "c8": centred(8, 1, 1),
         "d8": centred(8, 1, 1), "w2": centred(4, 8, 3, 3)}),
    "groups of channels that turn out otherwise": model(
        [node("Conv", "x,w", "a"), const("by_group", [1, 2, -1]), node("Reshape", "a,by_group", "g"),
         node("InstanceNormalization", "g,gs,gs", "i"), node("Shape", "a", "s"), node("Reshape", "i,s", "r"),
         node("Relu", "r", "q"), node("Conv", "q,w2", "y")],
        ["N", 4, 9, 7], Y4, {"w": centred(8, 4, 1, 1), "gs": array(2), "w2": centred(4, 8, 3, 3)}),
    "images that are reflected and cut": model(
        [node("Conv", "x,w", "a"), const("more", [0, 0, 2, 1, 0, 0, 1, 2]), const("other", [0, 0, 1, 0, 0, 0, 3, 0]),
         node("Pad", "a,more", "p", mode="reflect"), node("Conv", "p,w2", "b"), node("Relu", "b", "c"),
         node("Pad", "c,other", "q", mode="edge"), node("Conv", "q,w3", "d"), node("Pad", "d,more", "r", mode="wrap"),
         node("MaxPool", "r", "m", kernel_shape=[2, 2]), node("Conv", "m,w", "y")],
        ["N", 4, 9, 7], Y4, {"w": centred(8, 4, 1, 1), "w2": centred(8, 8, 3, 3), "w3": centred(4, 8, 3, 3)}, 19),
    "means of channels and of pixels": model(
        [node("Conv", "x,w", "a"), node("ReduceMean", "a,pixels", "p"), node("ReduceMax", "a,channels", "q"),
         node("ReduceMean", "a,rows", "r"), node("Add", "a,p", "s"), node("Add", "s,q", "t"), node("Add", "t,r", "y")],
        [2, 4, 5, 3], Y4, {"w": centred(8, 4, 1, 1), "pixels": np.array([2, 3]), "channels": np.array([1]),
                           "rows": np.array([0, 2])}),
}


@pytest.mark.parametrize("name", LARGER)
@pytest.mark.parametrize("disabled", [(), ("fuse_separable",), ("fuse_elementwise",), ("fuse_pads",), ("fuse_group_norms",), ("all",)])
def test_passes_over_larger_weights_left_out(name, disabled):
    proto = LARGER[name]
    session = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=list(disabled), verify_passes=True))
    for batch in (2, 1):
        given = proto.graph.input[0].type.tensor_type.shape.dim
        feeds = {"x": centred(*(d.dim_value or batch for d in given))}
        wanted = ReferenceEvaluator(proto).run(None, feeds)
        np.testing.assert_allclose(session.run(None, feeds)[0], wanted[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("fed", ["before", "behind", "computed"])
def test_groups_of_channels_whose_sizes_a_run_brings(fed):
    nodes = [
        node("Conv", "x,w", "a"), node("Reshape", "a," + ("to" if fed == "before" else "by_group"), "g"),
        node("ReduceMax", "to", "most", keepdims=1), node("Concat", "two,eight,most,most", "made", axis=0),
        node("InstanceNormalization", "g,s,s", "i"),
        node("Reshape", "i," + {"before": "shape", "behind": "to", "computed": "made"}[fed], "r"), node("Relu", "r", "y"),
    ]  # fmt: skip
    constants = {
        "w": centred(8, 4, 1, 1), "s": array(4), "by_group": np.array([0, 4, -1]), "shape": np.array([2, 8, 5, 5]),
        "two": np.array([2]), "eight": np.array([8]),
    }  # fmt: skip
    to = {"before": [2, 4, -1], "behind": [2, 8, 5, 5], "computed": [5, 5, 5, 5]}[fed]
    proto = model(nodes, [2, 4, 5, 5], {"y": (FLOAT, 4)}, constants)
    proto.graph.input.append(helper.make_tensor_value_info("to", INT64, [len(to)]))
    feeds = {"x": centred(2, 4, 5, 5), "to": np.array(to)}
    want = ReferenceEvaluator(proto).run(None, feeds)[0]
    got = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True)).run(None, feeds)[0]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def transposed_convolution(x, w, bias, group, dilations, pads):
    """By the definition: each element of x adds its multiples of the filters where they fall."""
    space = [n + d * (k - 1) for n, d, k in zip(x.shape[2:], dilations, w.shape[2:], strict=True)]
    each, filters = x.shape[1] // group, w.shape[1]
    y = np.zeros((x.shape[0], filters * group, *space))
    for tap in np.ndindex(*w.shape[2:]):
        at = tuple(slice(t * d, t * d + n) for t, d, n in zip(tap, dilations, x.shape[2:], strict=True))
        for g in range(group):
            product = np.einsum("nc...,cf->nf...", x[:, g * each : (g + 1) * each], w[g * each : (g + 1) * each, :, *tap])
            y[:, g * filters : (g + 1) * filters, *at] += product
    y += bias.reshape(-1, *[1] * len(space))
    half = len(pads) // 2
    return y[:, :, *(slice(b, n - e) for b, e, n in zip(pads[:half], pads[half:], space, strict=True))]


@pytest.mark.parametrize("seed", range(24))
def test_transposed_convolutions_without_strides(seed):
    rng = np.random.default_rng(seed)
    rank, group = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    kernel, dilations = rng.integers(1, 4, rank), rng.integers(1, 3, rank)
    reach = dilations * (kernel - 1)
    begin = [int(rng.integers(0, r + 1)) for r in reach]
    end = [int(rng.integers(0, r + 1)) for r in reach]
    x = rng.standard_normal((2, 2 * group, *rng.integers(5, 9, rank))).astype(np.float32)
    w = rng.standard_normal((2 * group, 3, *kernel)).astype(np.float32)
    bias = rng.standard_normal(3 * group).astype(np.float32)
    attributes = {"group": group, "dilations": dilations.tolist(), "pads": begin + end}
    graph = helper.make_graph(
        [helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], **attributes)], "g",
        [helper.make_tensor_value_info("x", FLOAT, x.shape)], [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(w, "w"), numpy_helper.from_array(bias, "b")])  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    want = transposed_convolution(x, w, bias, group, dilations, begin + end)
    # Where the output is much larger than the image, zeros would be multiplied.
    grows = [max(1, (n + r - b - e) / n) for n, r, b, e in zip(x.shape[2:], reach, begin, end, strict=True)]
    for disabled in ([], ["turn_conv_transposes"]):
        session = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=disabled, verify_passes=True))
        assert ("ConvTranspose" in session.program_text()) == (bool(disabled) or np.prod(grows) > 1.5)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], want, rtol=1e-5, atol=1e-5)


def sum_of_branches(rng, scaled):
    """A model whose nodes add up convolutions of x, the first with the largest window, and with `scaled` also
    multiples of x itself; that x; and how many convolutions there are."""
    rank, group, channels = int(rng.integers(1, 4)), int(rng.choice([1, 2, 4])), 4
    filters = channels if scaled else int(rng.choice([4, 8]))
    kernel, dilations = rng.integers(1, 5, rank), rng.integers(1, 3, rank)
    strides = np.ones(rank, int) if scaled else rng.integers(1, 3, rank)
    before = rng.integers(0, kernel) if scaled else kernel - 1  # taps before the pixel
    behind = kernel - 1 - before if scaled else kernel - 1
    nodes, tensors, total = [], {}, None
    count = int(rng.integers(2, 5))
    for i in range(count):
        place, size = 0 * kernel, kernel
        if i > 0:
            place = rng.integers(0, before + 1)
            size = kernel - place - rng.integers(0, np.minimum(kernel - place - 1, behind) + 1)
        pads = dilations * [before - place, behind - (kernel - place - size)]
        tensors[f"w{i}"] = rng.standard_normal((filters, channels // group, *size)).astype(np.float32)
        inputs = f"x,w{i}"
        if rng.random() < 0.5:
            tensors[f"b{i}"] = rng.standard_normal(filters).astype(np.float32)
            inputs += f",b{i}"
        attributes = {"dilations": dilations.tolist(), "strides": strides.tolist(), "pads": pads.flatten().tolist()}
        nodes.append(node("Conv", inputs, f"c{i}", group=group, **attributes))
        terms = [f"c{i}"]
        if scaled and i > 0:
            tensors[f"s{i}"] = rng.standard_normal((channels, *[1] * rank)).astype(np.float32)
            nodes.append(node("Mul", f"s{i},x", f"m{i}"))
            terms.append(f"m{i}")
        tensors[f"k{i}"] = rng.standard_normal([(), (1, filters, *[1] * rank), (filters, *[1] * rank)][i % 3]).astype(np.float32)
        terms.insert(0, f"k{i}")
        for term in terms:
            if total is None:
                total = term
                continue
            operands = [total, term] if rng.random() < 0.5 else [term, total]
            nodes.append(node("Add", ",".join(operands), f"t{len(nodes)}"))
            total = f"t{len(nodes) - 1}"
    nodes.append(node("Relu", total, "y"))
    x = rng.standard_normal((2, channels, *rng.integers(5, 9, rank))).astype(np.float32)
    return model(nodes, x.shape, {"y": (FLOAT, rank + 2)}, tensors), x, count


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_convolutions_that_are_added(seed, scaled):
    proto, x, count = sum_of_branches(np.random.default_rng(seed), scaled)
    want = ReferenceEvaluator(proto).run(None, {"x": x})[0]
    for disabled in ([], ["merge_convs"]):
        session = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=disabled, verify_passes=True))
        assert len(re.findall(r"\bConv\b", session.program_text())) == (count if disabled else 1)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], want, rtol=1e-4, atol=1e-4)


W3, W1 = centred(4, 4, 3, 3), centred(4, 4, 1, 1)
# Nodes that give "a" and "b" of x, which is [2, 4, 6, 6]; how many convolutions stay.
APART = {
    "other dilations": ([node("Conv", "x,w3", "a", pads=[1] * 4), node("Conv", "x,w3", "b", pads=[2] * 4, dilations=[2, 2])], 2),
    "windows beside each other": ([node("Conv", "x,row", "a", pads=[0, 1] * 2), node("Conv", "x,column", "b", pads=[1, 0] * 2)], 2),
    "another tensor": ([node("Conv", "x,w1", "a"), node("Neg", "x", "n"), node("Conv", "n,w1", "b")], 2),
    "another reader": ([node("Conv", "x,w1", "a"), node("Exp", "a", "z"), node("Conv", "x,v1", "b")], 2),
    "other groups": ([node("Conv", "x,w1", "a"), node("Conv", "x,d1", "b", group=4)], 2),
    "a sum that broadcasts": ([node("Conv", "x,w6", "a"), node("Conv", "x,w1", "b")], 2),
    "other strides": ([node("Conv", "x,w1", "a", strides=[5, 5]), node("Conv", "x,w5", "b")], 2),
    "a pixel apart": ([node("Conv", "x,w3", "a", pads=[2, 2, 0, 0]), node("Conv", "x,w3", "b", pads=[0, 0, 2, 2])], 2),
    "padding by size": ([node("Conv", "x,w3", "a", auto_pad="SAME_UPPER"), node("Conv", "x,w1", "b")], 2),
    "no padding": ([node("Conv", "x,w3", "a", auto_pad="VALID"), node("Conv", "x,v3", "b")], 1),
    "a sum out of range": ([node("Conv", "x,huge", "a"), node("Conv", "x,large", "b")], 2),
    "a scale along another axis": ([node("Conv", "x,w1", "a"), node("Mul", "x,line", "b")], 1),
}  # fmt: skip
APART_WEIGHTS = {
    "w3": W3, "v3": W3[::-1], "w1": W1, "v1": W1[::-1], "row": W3[:, :, :1], "column": W3[:, :, :, :1],
    "d1": W1[:, :1], "w6": centred(4, 4, 6, 6), "w5": centred(4, 4, 5, 5), "huge": np.full((4, 4, 1, 1), 2e38, np.float32),
    "large": np.full((4, 4, 1, 1), 3e38, np.float32), "line": centred(6),
}  # fmt: skip


@pytest.mark.parametrize("name", APART)
def test_convolutions_that_stay_apart(name):
    nodes, count = APART[name]
    outputs = {"y": (FLOAT, 4)} | ({"z": (FLOAT, 4)} if name == "another reader" else {})
    proto = model([*nodes, node("Add", "a,b", "y")], [2, 4, 6, 6], outputs, APART_WEIGHTS)
    session = norn.InferenceSession(proto, norn.SessionOptions(verify_passes=True))
    assert len(re.findall(r"\bConv\b", session.program_text())) == count
    x = centred(2, 4, 6, 6) * np.float32(1e-3)
    with np.errstate(over="ignore", invalid="ignore"):
        want = ReferenceEvaluator(proto).run(None, {"x": x})
    for w, g in zip(want, session.run(None, {"x": x}), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5)


def test_explain_reports_what_nearly_fitted():
    proto = model(
        [const("w", array(3, 2, 1, 2)), node("Conv", "x,w", "c"), node("BatchNormalization", "c,s,b,m,v", "n"),
         node("Tanh", "c", "t"), node("Sub", "n,t", "y")], [1, 2, 5, 5], Y4, BATCH_NORM)  # fmt: skip
    why = 'not fuse_conv_bn: BatchNormalization could go into Conv, but the value "c" has 2 readers'
    assert why in norn.InferenceSession(proto).explain()
    assert "not fuse" not in norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=["all"])).explain()


NEARLY = {
    "fuse_separable: the depthwise convolution could be computed with the product over channels before it": """
        g (float[1,8,6,6] x, float[8,8,1,1] u) => (y, p) <float[8,8,1,1] w = {%s}, float[8,1,3,3] d = {%s}>
        { p = Conv (x, w) y = Conv <group = 8> (p, d) }"""
    % (", ".join(["0.5"] * 64), ", ".join(["0.5"] * 72)),
    "fuse_qdq: Concat could be computed in integers, but neither are its inputs all dequantized alike": """
        g (uint8[2] x) => (y) <float s = {0.5}, float t = {0.25}>
        { a = DequantizeLinear (x, s) b = DequantizeLinear (x, t) y = Concat <axis = 0> (a, b) }""",
    "fuse_qdq: Pad could be computed in integers, but it pads with another number than a constant 0": """
        g (uint8[2] x) => (y) <float s = {0.5}, int64[2] p = {1, 1}, float v = {3}>
        { a = DequantizeLinear (x, s) y = Pad (a, p, v) }""",
    "fuse_quantized: QLinearConv could be joined with what follows, but the bounds of the Clip behind it": """
        g (uint8[1,1,4,4] x, uint8 most) => (y) <float s = {0.5}, uint8 z = {0}, uint8[1,1,1,1] w = {2}>
        { a = QLinearConv (x, s, z, w, s, z, s, z) y = Clip (a, , most) }""",
    "widen_half: Concat could move elements of f32, but not all that it reads is computed in f32": """
        g (float16[2] x, float16[2] z) => (y) { a = Exp (x) y = Concat <axis = 0> (a, z) }""",
}


@pytest.mark.parametrize("why", NEARLY)
def test_explain_reports_which_pass_nearly_fitted(why):
    text = '<ir_version: 10, opset_import: ["": 21]>' + NEARLY[why]
    assert "not " + why in norn.InferenceSession(norn.parse_text(text)).explain()


@pytest.mark.parametrize("weight, scale, x", [(1e30, 1e10, 1e-30), (1e-30, 1e-15, 1e38), (1e30, 1e10, 0)])
def test_batch_norm_stays_where_scaled_weights_leave_the_range_of_float(weight, scale, x):
    of_channels = {"s": [scale] * 3, "b": [0] * 3, "m": [0] * 3, "v": [1] * 3}
    proto = model(
        [const("w", np.float32(weight) * array(3, 2, 1, 1)), node("Conv", "x,w", "c"),
         node("BatchNormalization", "c,s,b,m,v", "y", epsilon=0.0)], [1, 2, 5, 5], Y4,
        {k: np.array(v, np.float32) for k, v in of_channels.items()})  # fmt: skip
    feeds = {"x": np.full((1, 2, 5, 5), x, np.float32)}
    assert "out of the range of float" in norn.InferenceSession(proto).explain()
    (got,) = norn.InferenceSession(proto).run(None, feeds)
    (wanted,) = norn.InferenceSession(proto, norn.SessionOptions(disabled_passes=["all"])).run(None, feeds)
    np.testing.assert_allclose(got, wanted, 1e-5)
    assert np.isfinite(got).all()


def constant_with(**fields):
    n = node("Constant", "", "y")
    n.attribute.add(name="value", type=onnx.AttributeProto.TENSOR, **fields)
    return model([n], None, Y)


def in_a_process_of_its_own(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=pathlib.Path(__file__).parent)


REFUSED = """
import sys, norn
for path in sys.argv[1:]:
    try:
        norn.InferenceSession(path)
    except norn.Error as e:
        print(type(e).__name__, e)
"""


def test_attributes_without_what_their_type_says(tmp_path):
    lying = numpy_helper.from_array(np.array([1, 2]), "k")
    lying.dims[0] = 2**31 - 1
    huge = numpy_helper.from_array(np.array([1, 2]), "k")
    huge.dims[:] = [2**40, 2**40]
    models = [constant_with(), constant_with(t=lying), constant_with(t=huge), constant_with(t=TensorProto())]
    of_shape = node("ConstantOfShape", "x", "y")
    of_shape.attribute.add(name="value", type=onnx.AttributeProto.TENSOR)
    sparse = node("Constant", "", "y")
    sparse.attribute.add(name="sparse_value", type=onnx.AttributeProto.SPARSE_TENSOR)
    no_branch = node("If", "x", "y")
    no_branch.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH)
    no_branch.attribute.add(name="else_branch", type=onnx.AttributeProto.GRAPH)
    for n, elem in ((of_shape, INT64), (sparse, FLOAT), (no_branch, TensorProto.BOOL)):
        models.append(model([n], [1], Y))
        models[-1].graph.input[0].type.tensor_type.elem_type = elem
    paths = []
    for i, proto in enumerate(models):
        paths.append(tmp_path / f"{i}.onnx")
        paths[-1].write_bytes(proto.SerializeToString())
    done = in_a_process_of_its_own(REFUSED, *paths)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("Invalid")]
    assert len(lines) == len(models), done.stdout
    assert "has no value" in lines[0]


# --- the bound of folding ---

ELEMENTS = 1 << 28  # a gigabyte of floats each
LOAD = """
import sys, resource, norn
limit = int(sys.argv[2]) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
session = norn.InferenceSession(sys.argv[1])
print(session.program_text().count("ConstantOfShape"))
"""


def spelt_out(count, in_branches):
    one = numpy_helper.from_array(np.array([1], np.float32))
    nodes, picked = [], []
    for i in range(count):
        nodes += [node("ConstantOfShape", "n", f"k{i}", value=one), node("Gather", f"k{i},at", f"g{i}")]
        picked.append(f"g{i}")
    nodes.append(helper.make_node("Sum", [*picked, "x"], ["y"]))
    if in_branches:
        for n in nodes[:-1]:
            inner = helper.make_graph([n], "b", [], [onnx.ValueInfoProto(name=n.output[0])])
            nodes[nodes.index(n)] = helper.make_node("If", ["c"], [n.output[0]], then_branch=inner, else_branch=inner)
    proto = model(nodes, [1], Y, {"n": np.array([ELEMENTS]), "at": np.array([3])})
    if in_branches:
        proto.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    return proto


@pytest.mark.parametrize("in_branches", [False, True])
def test_a_small_file_cannot_ask_for_memory_without_end(tmp_path, in_branches):
    path = tmp_path / "spelt_out.onnx"
    path.write_bytes(spelt_out(20, in_branches).SerializeToString())
    assert path.stat().st_size < 20_000
    done = in_a_process_of_its_own(LOAD, path, 3000)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == (40 if in_branches else 20)  # they are left to be computed


def test_many_small_ones_add_up(tmp_path):
    """Each fits, all of them do not: some are folded, the others run, and the answer is the same."""
    nodes, terms = [], []
    for i in range(40):
        nodes += [const(f"n{i}", np.array([1 << 20])), node("ConstantOfShape", f"n{i}", f"z{i}"),
                  node("Add", f"z{i},x", f"t{i}"), node("ReduceSum", f"t{i}", f"r{i}", keepdims=0)]
        terms.append(f"r{i}")
    nodes.append(helper.make_node("Sum", terms, ["y"]))
    proto = model(nodes, [1], Y)
    session = norn.InferenceSession(proto)
    left = session.program_text().count("ConstantOfShape")
    assert 0 < left < 40
    assert session.run(None, {"x": np.array([2], np.float32)})[0] == 40 * 2 * 2**20


def test_weights_are_prepared_once():
    """What comes from the model's own constants is folded, whatever the number of steps."""
    weights, zero = RANDOM.integers(-9, 9, (2000, 2000)).astype(np.int8), np.int8(3)
    nodes = [node("Cast", "w", "a", to=FLOAT), node("Cast", "zero", "z", to=FLOAT), node("Sub", "a,z", "b"),
             node("Mul", "b,scale", "d"), node("Transpose", "d", "t"), node("MatMul", "x,t", "y")]
    proto = model(nodes, ["N", 2000], Y2, {"w": weights, "zero": zero, "scale": array(2000, 1)})
    text = norn.InferenceSession(proto).program_text()  # long tensors are cut in it
    assert re.findall(r"= (\w+) \(", text) == ["MatMul"], text


def test_what_is_folded_and_not_read_any_more_is_let_go(tmp_path):
    """A chain over 32 MB of weights needs a few times that, not once for each step."""
    nodes, last = [], "w"
    for i in range(40):
        nodes.append(node("Neg", last, f"n{i}"))
        last = f"n{i}"
    nodes.append(node("Gather", f"{last},at", "g"))
    nodes.append(node("Add", "g,x", "y"))
    proto = model(nodes, [1], Y, {"w": np.zeros(8_000_000, np.float32), "at": np.array([3])})
    path = tmp_path / "chain.onnx"
    path.write_bytes(proto.SerializeToString())
    done = in_a_process_of_its_own(
        "import sys, memory, norn\n"
        "before = memory.peak_bytes()\n"
        "norn.InferenceSession(sys.argv[1])\n"
        "print((memory.peak_bytes() - before) >> 20)", path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 300


def test_what_inference_knows_is_bounded(tmp_path):
    """Known contents of a thousand elements for each of many nodes."""
    count = 30_000
    nodes = [node("Neg", "k" if i == 0 else f"v{i - 1}", f"v{i}") for i in range(count)]
    nodes.append(node("Add", f"v{count - 1},x", "y"))
    proto = model(nodes, [1], Y, {"k": np.ones(1024, np.float32)})
    path = tmp_path / "many.onnx"
    path.write_bytes(proto.SerializeToString())
    done = in_a_process_of_its_own(
        "import sys, memory, numpy as np, norn\n"
        "before = memory.peak_bytes()\n"
        "y = norn.InferenceSession(sys.argv[1]).run(None, {'x': np.zeros(1, np.float32)})[0]\n"
        "assert (y == 1).all()\n"
        "print((memory.peak_bytes() - before) >> 20)", path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200  # 120 MB of contents, were they kept


def test_nan_stays_behind_a_convolution():
    """Of a product with channels of their own, padded, as of any other."""
    x = np.zeros((1, 56, 14, 23), np.float32)
    x[0, 3, 2, 2] = np.nan
    conv = helper.make_node("Conv", ["x", "w"], ["c"], group=56, pads=[1, 0, 1, 0])
    graph = helper.make_graph(
        [conv, helper.make_node("Sigmoid", ["c"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ones((112, 1, 1, 4), np.float32), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    outputs = []
    for reference_only in (False, True):
        options = norn.SessionOptions()
        options.reference_only = reference_only
        session = norn.InferenceSession(model.SerializeToString(), options)
        outputs.append(session.run(None, {"x": x})[0])
    assert np.isnan(outputs[0]).sum() == 6
    np.testing.assert_array_equal(np.isnan(outputs[0]), np.isnan(outputs[1]))


def test_clip_by_nan_is_nan_however_the_bound_comes():
    x = np.linspace(-3, 3, 38, dtype=np.float32)
    for low, high in ((-1, np.nan), (np.nan, 1), (np.nan, np.nan)):
        bounds = {"low": np.float32(low), "high": np.float32(high)}
        for constant in (True, False):
            values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, []) for n in bounds]
            graph = helper.make_graph(
                [helper.make_node("Clip", ["x", "low", "high"], ["y"])],
                "g",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)] + ([] if constant else values),
                [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                [numpy_helper.from_array(np.array(v), n) for n, v in bounds.items()] if constant else [],
            )
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
            session = norn.InferenceSession(model.SerializeToString())
            feeds = {"x": x} if constant else {"x": x} | {n: np.array(v) for n, v in bounds.items()}
            assert np.isnan(session.run(None, feeds)[0]).all()


@pytest.mark.parametrize("strings", ["v, n = StringSplit(c)", "v = StringConcat(c, c)"])
def test_strings_that_are_known_are_read_and_given_out(strings):
    """Without folding, planning finds them out; they cannot be copied to an output as bytes."""
    m = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["": 25]>
        g (int64[N] at) => (picked, v) {{
            c = Constant<value: tensor = string[3, 1] {{"a long text that is not kept in place", "b", "c"}}>()
            {strings} picked = Gather(v, at)
        }}"""
    )
    options = norn.SessionOptions(disabled_passes=["fold_constants"])
    session, folded = norn.InferenceSession(m, options), norn.InferenceSession(m)
    for at in ([0], [2, 1], []):
        feeds = {"at": np.array(at, np.int64)}
        for _ in range(3):
            for got, wanted in zip(session.run(None, feeds), folded.run(None, feeds), strict=True):
                np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("less", [2, 3])
@pytest.mark.parametrize("passes", [[], ["all"]])
def test_sizes_that_a_reshape_copies_are_none_of_those_that_it_was_asked_for(less, passes):
    """N - 2 is not a size where it is 0 or -1: what was inferred from it must hold for no other node either."""
    model = norn.parse_text(
        f"""<ir_version: 10, opset_import: ["" : 21]>
        g (float[N,6] x) => (int64[1] d, float[a,b] y, bool[1] same, float[c] ones)
        <int64[1] less = {{{less}}}, int64[1] row = {{6}}, int64[1] three = {{3}}> {{
          n = Shape<start=0,end=1>(x)  k = Sub(n, less)  s = Concat<axis=0>(k, row)  y = Reshape(x, s)
          r = Shape<start=0,end=1>(y)  d = Sub(r, k)  same = Equal(r, k)
          m = Add(d, three)  ones = ConstantOfShape<value=float[1]{{1}}>(m)
        }}"""
    )
    session = norn.InferenceSession(model, norn.SessionOptions(disabled_passes=passes))
    for n in (2, 3, 2):
        x = np.arange(6.0 * n, dtype=np.float32).reshape(n, 6)
        k = n - less
        if k > 0:  # not as many elements
            with pytest.raises(norn.Error):
                session.run(None, {"x": x})
            continue
        d, y, same, ones = session.run(None, {"x": x})
        assert y.shape == (n, 6) and list(d) == [n - k] and not same and ones.shape == (n - k + 3,)
