"""Messages about feeds and sizes that do not fit, and about what values do to operators."""

import numpy as np
import pytest
from messages import F32, Broken, const, expect, model, node, value
from onnx import helper

BROKEN = broken = Broken()


def add():
    return model([node("Add", "x,b", "y", name="add")], [value("x", 1, ["N", 3])], [value("y", 1, ["N", 3])],
                 [const("b", [1, 2, 3])])


@broken("rank is 1", "wants rank 2", 'input "x" float[N,3]', "batch dimension")
def feed_rank():
    return add(), {"x": np.zeros(3, F32)}


@broken("dimension 1 is 4", "wants 3", 'input "x" float[N,3]', "resize")
def feed_shape():
    return add(), {"x": np.zeros((2, 4), F32)}


@broken("double", "wants float", 'input "x"', "float32")
def feed_type():
    return add(), {"x": np.zeros((2, 3))}


@broken("float16", "wants float", 'input "x"', "convert")
def feed_f16():
    return add(), {"x": np.zeros((2, 3), np.float16)}


@broken('no input "X"', 'did you mean "x"?')
def feed_name():
    return add(), {"X": np.zeros((2, 3), F32)}


@broken('no input "mask"', 'its inputs are "x"')
def feed_extra():
    return add(), {"x": np.zeros((2, 3), F32), "mask": np.zeros((2, 3), F32)}


@broken('"x" was not fed', 'input "x" float[N,3]', "feed it")
def feed_missing():
    return add(), {}


@broken("string", "wants float", "make numbers")
def feed_string():
    return add(), {"x": np.array([["a", "b", "c"]], object)}


@broken("element 1", "is int", 'feed "x"', "numeric dtype")
def feed_object_mixed():
    return model([node("StringConcat", "x,x", "y")], [value("x", 8, ["N"])],
                 [value("y", 8, ["N"])]), {"x": np.array(["a", 1], object)}


@broken("wants string", 'input "x" string[N]', "array of strings")
def feed_number_for_string():
    return model([node("StringConcat", "x,x", "y")], [value("x", 8, ["N"])],
                 [value("y", 8, ["N"])]), {"x": np.array([1., 2.], F32)}


@broken("a tensor is wanted", 'input "x"', "feed one array")
def feed_none():
    return add(), {"x": None}


@broken("lists do not make an array", 'feed "x"', "one length")
def feed_list():
    return add(), {"x": [[1, 2], [3]]}


@broken("dimension 1 is 224", "wants 3", "NHWC", "transpose")
def feed_nhwc():
    return model([node("Conv", "x,w", "y", name="conv1")], [value("x", 1, ["N", 3, 224, 224])],
                 [value("y", 1, ["N", 8, 222, 222])], [const("w", np.zeros(
                     (8, 3, 3, 3)))]), {"x": np.zeros((1, 224, 224, 3), F32)}


@broken("channels of X", "32 and 3", 'node 0 "conv1" (Conv)', '"x" float[1,32,32,3], "w" float[8,3,3,3]', "NHWC",
        'dimension 1 of the input "x"')
def feed_nhwc_dyn():
    return model([node("Conv", "x,w", "y", name="conv1")], [value("x", 1, ["N", "C", "H", "W"])],
                 [value("y", 1, ["N", 8, "a", "b"])], [const("w", np.zeros(
                     (8, 3, 3, 3)))]), {"x": np.zeros((1, 32, 32, 3), F32)}


@broken("dimension 0 is 4", "wants 1", "batches of 1", "dimension variable")
def feed_batch_fixed():
    return model([node("Relu", "x", "y")], [value("x", 1, [1, 3, 8, 8])],
                 [value("y", 1, [1, 3, 8, 8])]), {"x": np.zeros((4, 3, 8, 8), F32)}


@broken('dimension "N" is 2 in dimension 0 of input "a" and 4', "same size")
def feed_dimparam_contradiction():
    return model([node("Add", "a,b", "y")], [value("a", 1, ["N", 3]), value("b", 1, ["N", 3])],
                 [value("y", 1, ["N", 3])]), {"a": np.zeros((2, 3), F32), "b": np.zeros((4, 3), F32)}


@broken('no output "z"', 'its outputs are "y"')
def output_name():
    return add(), {"x": np.zeros((2, 3), F32)}, ["z"]


@broken("4 and 3", '"fc" (MatMul)', '"w" float[3,2]', 'dimension 1 of the input "x" is 4 and has to be 3',
        "feed sizes that fit")
def matmul_run():
    return model([node("Relu", "x", "h"), node("MatMul", "h,w", "y", name="fc")], [value("x", 1, ["N", "K"])],
                 [value("y", 1, ["N", 2])], [const("w", np.zeros((3, 2)))]), {"x": np.zeros((2, 4), F32)}


@broken("4 and 3", '"fc" (MatMul)', '"x" float[N,4], "w" float[3,2]', "correct this node")
def matmul_load():
    return model([node("MatMul", "x,w", "y", name="fc")], [value("x", 1, ["N", 4])], [value("y", 1, ["N", 2])],
                 [const("w", np.zeros((3, 2)))]), {"x": np.zeros((2, 4), F32)}


@broken("2 against 4", '"plus" (Add)', '"a" float[2,3], "b" float[4,3]', 'N = 2 is dimension 0 of the input "a"',
        'M = 4 is dimension 0 of the input "b"')
def add_run():
    return model([node("Add", "a,b", "y", name="plus")],
                 [value("a", 1, ["N", "A"]), value("b", 1, ["M", "B"])],
                 [value("y", 1, None)]), {"a": np.zeros((2, 3), F32), "b": np.zeros((4, 3), F32)}


@broken("3 against 4", '"plus" (Add)', '"a" float[2,3], "b" float[2,4]', "correct this node")
def add_load():
    return model([node("Add", "a,b", "y", name="plus")],
                 [value("a", 1, [2, 3]), value("b", 1, [2, 4])],
                 [value("y", 1, None)]), {"a": np.zeros((2, 3), F32), "b": np.zeros((2, 4), F32)}


@broken("2 and 4", '"cat" (Concat)', 'dimension 0 of the input "b" is 4 and has to be 2', "feed sizes that fit")
def concat_run():
    return model([node("Concat", "a,b", "y", axis=1, name="cat")],
                 [value("a", 1, ["N", "A"]), value("b", 1, ["M", "B"])],
                 [value("y", 1, None)]), {"a": np.zeros((2, 3), F32), "b": np.zeros((4, 3), F32)}


@broken("ranks 2 and 1", '"cat" (Concat)', '"a" float[N,A], "b" float[M]', "correct this node")
def concat_rank():
    return model([node("Concat", "a,b", "y", axis=1, name="cat")],
                 [value("a", 1, ["N", "A"]), value("b", 1, ["M"])],
                 [value("y", 1, None)]), {"a": np.zeros((2, 3), F32), "b": np.zeros((4), F32)}


@broken("axis is 2", "[-2, 1]", '"cat" (Concat)', "correct this node")
def concat_axis():
    return model([node("Concat", "a,b", "y", axis=2, name="cat")],
                 [value("a", 1, ["N", "A"]), value("b", 1, ["N", "A"])],
                 [value("y", 1, None)]), {"a": np.zeros((2, 3), F32), "b": np.zeros((2, 3), F32)}


@broken("cannot reshape [2,4] to [2,-1,7]", '"flat" (Reshape)', 'dimension 1 of the input "x"', "0 or -1")
def reshape_run():
    return model([node("Reshape", "x,s", "y", name="flat")], [value("x", 1, ["N", "C"])], [value("y", 1, None)],
                 [const("s", [2, -1, 7], np.int64)]), {"x": np.zeros((2, 4), F32)}


@broken("8 elements are not 9", '"flat" (Reshape)', "target shape")
def reshape_load():
    return model([node("Reshape", "x,s", "y", name="flat")], [value("x", 1, [2, 4])], [value("y", 1, None)],
                 [const("s", [3, 3], np.int64)]), {"x": np.zeros((2, 4), F32)}


@broken("288 elements are not 144", '"/view" (Reshape)', '"h2" float[2,4,6,6]', 'N = 2 is dimension 0 of the input "x"',
        "exported for")
def reshape_deep():
    "batch 1 burnt into Reshape, fed batch 2"
    return model([
        node("Conv", "x,w", "h1"),
        node("Relu", "h1", "h2"),
        node("Reshape", "h2,s", "f", name="/view"),
        node("Gemm", "f,k", "y", name="fc")
    ], [value("x", 1, ["N", 3, 8, 8])], [value("y", 1, ["N", 10])],
                 [const("w", np.zeros((4, 3, 3, 3))),
                  const("s", [1, 144], np.int64),
                  const("k", np.zeros((144, 10)))]), {"x": np.zeros((2, 3, 8, 8), F32)}


@broken("index 10", "size 10", '"emb" (Gather)', '"t" float[10,4], "i" int64[1,3]', 'what is fed as "i"')
def gather_run():
    return model([node("Gather", "t,i", "y", name="emb")], [value("i", 7, ["B", "S"])], [value("y", 1, None)],
                 [const("t", np.zeros((10, 4)))]), {"i": np.array([[1, 2, 10]])}


@broken("index 4", "[-4, 4)", '"gnd" (GatherND)', '"i" int64[2,2]', 'what is fed as "i"')
def gather_nd():
    return model([node("GatherND", "t,i", "y", name="gnd")], [value("i", 7, ["B", 2])], [value("y", 1, None)],
                 [const("t", np.zeros((10, 4)))]), {"i": np.array([[1, 2], [3, 4]])}


@broken("index -11", "[-10, 10)", '"ge" (GatherElements)', 'what is fed as "i"')
def gather_elements():
    return model([node("GatherElements", "t,i", "y", name="ge")], [value("i", 7, ["B", 2])], [value("y", 1, None)],
                 [const("t", np.zeros((10, 4)))]), {"i": np.array([[1, 2], [3, -11]])}


@broken("index 40", "[-10, 10)", '"sc" (ScatterElements)', 'what is fed as "i", beside the sizes of "u"')
def scatter_run():
    return model([node("ScatterElements", "t,i,u", "y", name="sc")],
                 [value("i", 7, ["B", 2]), value("u", 1, ["B", 2])], [value("y", 1, None)],
                 [const("t", np.zeros((10, 4)))]), {"i": np.array([[1, 2], [3, 40]]), "u": np.zeros((2, 2), F32)}


@broken("1 and 3", '"conv1" (Conv)', '"x" float[1,1,8,8], "w" float[4,3,3,3]', 'dimension 1 of the input "x"',
        "feed sizes that fit")
def conv_channels_run():
    return model([node("Conv", "x,w", "y", name="conv1", group=1)], [value("x", 1, ["N", "C", 8, 8])],
                 [value("y", 1, None)], [const("w", np.zeros((4, 3, 3, 3)))]), {"x": np.zeros((1, 1, 8, 8), F32)}


@broken("1 and 3", '"conv1" (Conv)', '"x" float[1,1,8,8]', "correct this node")
def conv_channels_load():
    return model([node("Conv", "x,w", "y", name="conv1")], [value("x", 1, [1, 1, 8, 8])], [value("y", 1, None)],
                 [const("w", np.zeros((4, 3, 3, 3)))]), {"x": np.zeros((1, 1, 8, 8), F32)}


@broken("window of 7", "of 5", '"conv1" (Conv)', 'H = 5 is dimension 2 of the input "x"')
def conv_too_small():
    return model([node("Conv", "x,w", "y", name="conv1")], [value("x", 1, [1, 3, "H", "W"])], [value("y", 1, None)],
                 [const("w", np.zeros((4, 3, 7, 7)))]), {"x": np.zeros((1, 3, 5, 5), F32)}


@broken("4 and 3", '"conv1" (Conv)', '"b" float[3]', "correct this node")
def conv_bias():
    return model([node("Conv", "x,w,b", "y", name="conv1")], [value("x", 1, [1, 3, "H", "W"])], [value("y", 1, None)],
                 [const("w", np.zeros((4, 3, 3, 3))), const("b", np.zeros(3))]), {"x": np.zeros((1, 3, 5, 5), F32)}


@broken("2 values, but 4", '"pool" (MaxPool)', '"x" float[1,3,8,8]', "correct this node")
def pool_pads():
    return model([node("MaxPool", "x", "y", name="pool", kernel_shape=[2, 2], pads=[1, 1])],
                 [value("x", 1, [1, 3, 8, 8])], [value("y", 1, None)]), {"x": np.zeros((1, 3, 8, 8), F32)}


@broken("63 and 64", '"fc" (Gemm)', '"x" float[2,63], "w" float[10,64]', 'dimension 1 of the input "x"')
def gemm_run():
    return model([node("Gemm", "x,w,b", "y", name="fc", transB=1)], [value("x", 1, ["N", "K"])], [value("y", 1, None)],
                 [const("w", np.zeros((10, 64))), const("b", np.zeros(10))]), {"x": np.zeros((2, 63), F32)}


@broken("rank 3", "rank 2", '"fc" (Gemm)', '"x" float[N,K,4]', "correct this node")
def gemm_rank():
    return model([node("Gemm", "x,w", "y", name="fc")], [value("x", 1, ["N", "K", 4])], [value("y", 1, None)],
                 [const("w", np.zeros((4, 10)))]), {"x": np.zeros((2, 3, 4), F32)}


@broken("3 entries", "rank 2", '"tr" (Transpose)', '"x" float[2,3]')
def transpose_perm():
    return model([node("Transpose", "x", "y", name="tr", perm=[0, 2, 1])], [value("x", 1, [2, 3])],
                 [value("y", 1, None)]), {"x": np.zeros((2, 3), F32)}


@broken("[2,2] make up 4", "5 elements", '"sp" (Split)', 'dimension 1 of the input "x"')
def split_sum():
    return model([node("Split", "x,s", "a,b", name="sp", axis=1)], [value("x", 1, ["N", "C"])],
                 [value("a", 1, None), value("b", 1, None)],
                 [const("s", [2, 2], np.int64)]), {"x": np.zeros((2, 5), F32)}


@broken("axis 0 has size 2", '"sq" (Squeeze)', 'dimension 0 of the input "x"')
def squeeze_dim():
    return model([node("Squeeze", "x,a", "y", name="sq")], [value("x", 1, ["N", "C"])], [value("y", 1, None)],
                 [const("a", [0], np.int64)]), {"x": np.zeros((2, 5), F32)}


@broken("[2,5] and [2,4]", '"ex" (Expand)', '"x" float[2,5], "s" int64[2]',
        'what is fed as "s", beside the sizes of "x"')
def expand_run():
    return model([node("Expand", "x,s", "y", name="ex")],
                 [value("x", 1, ["N", "C"]), value("s", 7, [2])],
                 [value("y", 1, None)]), {"x": np.zeros((2, 5), F32), "s": np.array([2, 4])}


@broken("step of Slice is 0", '"sl" (Slice)', '"s" int64[1]', 'what is fed as "s", beside the sizes of "x"')
def slice_step0():
    return model(
        [node("Slice", "x,a,b,c,s", "y", name="sl")],
        [value("x", 1, ["N", "C"]), value("s", 7, [1])], [value("y", 1, None)],
        [const("a", [0], np.int64), const("b", [4], np.int64),
         const("c", [0], np.int64)]), {"x": np.zeros((2, 5), F32), "s": np.array([0])}


@broken("k is 7", "5 elements", '"top" (TopK)', '"k" int64[1]', 'what is fed as "k", beside the sizes of "x"')
def topk_big():
    return model([node("TopK", "x,k", "v,i", name="top")],
                 [value("x", 1, ["N", "C"]), value("k", 7, [1])],
                 [value("v", 1, None), value("i", 7, None)]), {"x": np.zeros((2, 5), F32), "k": np.array([7])}


@broken('the input "x" is float[1,3,4,4]', "dimension 1 is 8", '"bn" (BatchNormalization)',
        'dimension 1 of the input "x" is 3 and has to be 8 for this node')
def bn_channels():
    return model([node("BatchNormalization", "x,s,s,s,s", "y", name="bn")], [value("x", 1, ["N", "C", 4, 4])],
                 [value("y", 1, None)], [const("s", np.zeros(8))]), {"x": np.zeros((1, 3, 4, 4), F32)}


@broken("[8]", "[1,3,4]", '"ln" (LayerNormalization)', '"s" float[8]')
def layernorm_shape():
    return model([node("LayerNormalization", "x,s,s", "y", name="ln")], [value("x", 1, ["N", "S", "D"])],
                 [value("y", 1, None)], [const("s", np.zeros(8))]), {"x": np.zeros((1, 3, 4), F32)}


@broken("3 and 7", '"lstm" (LSTM)', 'dimension 2 of the input "x"')
def lstm_shape():
    return model([node("LSTM", "x,w,r", "y", name="lstm", hidden_size=4)], [value("x", 1, ["T", "B", "D"])],
                 [value("y", 1, None)], [const("w", np.zeros(
                     (1, 16, 3))), const("r", np.zeros((1, 16, 4)))]), {"x": np.zeros((5, 2, 7), F32)}


@broken("2 elements", "4 axes", '"rs" (Resize)', '"s" float[2]', "correct this node")
def resize_both():
    return model([node("Resize", "x,,s", "y", name="rs")], [value("x", 1, [1, 3, 8, 8])], [value("y", 1, None)],
                 [const("s", [2, 2])]), {"x": np.zeros((1, 3, 8, 8), F32)}


@broken("3 and 4", '"es" (Einsum)', 'B = 3 is dimension 1 of the input "a"', 'C = 4 is dimension 0 of the input "b"')
def einsum_eq():
    return model([node("Einsum", "a,b", "y", name="es", equation="ij,jk->ik")],
                 [value("a", 1, ["A", "B"]), value("b", 1, ["C", "D"])],
                 [value("y", 1, None)]), {"a": np.zeros((2, 3), F32), "b": np.zeros((4, 3), F32)}


@broken("2 against 3", '"wh" (Where)', '"c" bool[2]', 'dimension 0 of the input "c"')
def where_shape():
    return model(
        [node("Where", "c,a,b", "y", name="wh")],
        [value("c", 9, ["A"]), value("a", 1, ["B"]), value("b", 1, ["C"])],
        [value("y", 1, None)]), {"c": np.zeros(2, bool), "a": np.zeros(3, F32), "b": np.zeros(3, F32)}


@broken("two numbers", "[3]", '"oh" (OneHot)', 'dimension 0 of the input "v"')
def onehot_values():
    return model([node("OneHot", "i,d,v", "y", name="oh")],
                 [value("i", 7, ["A"]), value("v", 1, ["K"])], [value("y", 1, None)],
                 [const("d", 4, np.int64)]), {"i": np.zeros(2, int), "v": np.zeros(3, F32)}


@broken("8 and 16", '"att" (Attention)', '"q" float[1,2,S,8]', "correct this node")
def attention_dim():
    return model([node("Attention", "q,k,v", "y", name="att")],
                 [value("q", 1, [1, 2, "S", 8]),
                  value("k", 1, [1, 2, "T", 16]),
                  value("v", 1, [1, 2, "T", 16])], [value("y", 1, None)], opset=23, ir=11), {
                      "q": np.zeros((1, 2, 3, 8), F32), "k": np.zeros((1, 2, 3, 16), F32), "v": np.zeros((1, 2, 3, 16),
                                                                                                         F32)
                  }


@broken("5 and 3", '"q" (QuantizeLinear)', 'dimension 1 of the input "x"')
def quant_scale():
    return model([node("QuantizeLinear", "x,s,z", "y", name="q", axis=1)], [value("x", 1, ["N", "C", 4, 4])],
                 [value("y", 3, None)],
                 [const("s", np.ones(3)), const("z", np.zeros(3), np.int8)]), {"x": np.zeros((1, 5, 4, 4), F32)}


@broken("3 and 1", '"q" (QuantizeLinear)', '"z" int8[1]', "correct this node")
def quant_zp():
    return model([node("QuantizeLinear", "x,s,z", "y", name="q", axis=1)], [value("x", 1, ["N", 3, 4, 4])],
                 [value("y", 3, None)],
                 [const("s", np.ones(3)), const("z", np.zeros(1), np.int8)]), {"x": np.zeros((1, 3, 4, 4), F32)}


@broken("uint8[]", "int8", '"dq" (DequantizeLinear)', "one type")
def dq_type():
    return model([node("DequantizeLinear", "x,s,z", "y", name="dq")], [value("x", 3, ["N"])], [value("y", 1, None)],
                 [const("s", 1.), const("z", 0, np.uint8)]), {"x": np.zeros(2, np.int8)}


@broken("2 and 3", '"dq" (DequantizeLinear)', 'dimension 0 of the input "x"')
def dq_block():
    return model([node("DequantizeLinear", "x,s", "y", name="dq", axis=0, block_size=32)], [value("x", 3, ["K", 2])],
                 [value("y", 1, None)], [const("s", np.ones((3, 2)))]), {"x": np.zeros((64, 2), np.int8)}


@broken("5 and 4", '"qmm" (QLinearMatMul)', "correct this node")
def qlinear_scale():
    return model(
        [node("QLinearMatMul", "x,s,z,w,s2,z,s,z", "y", name="qmm")], [value("x", 2, ["N", 4])], [value("y", 2, None)],
        [const("s", 1.),
         const("z", 0, np.uint8),
         const("w", np.zeros((4, 5)), np.uint8),
         const("s2", np.ones(4))]), {"x": np.zeros((2, 4), np.uint8)}


@broken("position 5", "sequence of 2", '"at" (SequenceAt)', '"i" int64[]',
        'what is fed as "i", beside the sizes of "x"')
def seq_at():
    return model([node("SequenceConstruct", "x,x", "s"),
                  node("SequenceAt", "s,i", "y", name="at")],
                 [value("x", 1, [2]), value("i", 7, [])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32), "i": np.array(5)}


@broken("int64[]", "float", '"sc" (SequenceConstruct)', "one type")
def seq_mixed():
    return model([node("SequenceConstruct", "x,i", "s", name="sc"),
                  node("SequenceLength", "s", "y")], [value("x", 1, [2]), value("i", 7, [])],
                 [value("y", 7, None)]), {"x": np.zeros(2, F32), "i": np.array(5)}


@broken("a sequence is wanted", "float[2] was fed", 'input "s" seq(tensor(float))', "list")
def seq_feed_tensor():
    return model([node("SequenceLength", "s", "y")], [helper.make_tensor_sequence_value_info("s", 1, None)],
                 [value("y", 7, [])]), {"s": np.zeros(2, F32)}


@broken("rank is 3", "wants rank 2", 'input "x"', "without the first dimension")
def tensor_feed_seq():
    return add(), {"x": [np.zeros((2, 3), F32), np.zeros((2, 3), F32)]}


@broken("seq(float[2])", "takes only", '"r" (Relu)', "SequenceAt")
def seq_as_tensor():
    return model(
        [node("SequenceConstruct", "x,x", "s"), node("Relu", "s", "y", name="r")], [value("x", 1, [2])],
        [value("y", 1, None)]), {"x": np.zeros(2, F32)}


@broken("[2,4]", "[2,3]", '"cs" (ConcatFromSequence)', 'what is fed as "s"')
def concat_seq():
    return model([node("ConcatFromSequence", "s", "y", name="cs", axis=0)],
                 [helper.make_tensor_sequence_value_info("s", 1, None)],
                 [value("y", 1, None)]), {"s": [np.zeros((2, 3), F32), np.zeros((2, 4), F32)]}


@broken("the optional is empty", '"og" (OptionalGetElement)', "OptionalHasElement")
def optional_none():
    o = helper.make_value_info("o", helper.make_optional_type_proto(helper.make_tensor_type_proto(1, [2])))
    return model([node("OptionalGetElement", "o", "y", name="og")], [o], [value("y", 1, None)]), {"o": None}


@broken('"abc"', "float", '"cast" (Cast)', 'what is fed as "x"')
def cast_string():
    return model([node("Cast", "x", "y", name="cast", to=1)], [value("x", 8, ["N"])],
                 [value("y", 1, None)]), {"x": np.array(["1.5", "abc"], object)}


@broken("divided by zero", '"div" (Div)', '"x" int64[2], "z" int64[2]', 'what is fed as "z":')
def div_zero_int():
    return model([node("Div", "x,z", "y", name="div")],
                 [value("x", 7, ["N"]), value("z", 7, ["N"])],
                 [value("y", 7, None)]), {"x": np.array([1, 2]), "z": np.array([1, 0])}


@broken("delta is 0", '"rg" (Range)', '"d" int64[]', 'what is fed as "a", "b", "d"')
def range_zero():
    return model([node("Range", "a,b,d", "y", name="rg")],
                 [value("a", 7, []), value("b", 7, []), value("d", 7, [])],
                 [value("y", 7, None)]), {"a": np.array(1), "b": np.array(2), "d": np.array(0)}


@broken("2 repeats", "rank 1", '"tile" (Tile)', '"x" float[2], "r" int64[2]')
def tile_neg():
    return model([node("Tile", "x,r", "y", name="tile")],
                 [value("x", 1, ["N"]), value("r", 7, ["K"])],
                 [value("y", 1, None)]), {"x": np.zeros(2, F32), "r": np.array([1, 2])}


@broken("2 entries", "take 4", '"pad" (Pad)', '"p" int64[2]', 'what is fed as "p", beside the sizes of "x"')
def pad_len():
    return model([node("Pad", "x,p", "y", name="pad")],
                 [value("x", 1, ["N", "M"]), value("p", 7, ["K"])],
                 [value("y", 1, None)]), {"x": np.zeros((2, 3), F32), "p": np.array([1, 1])}


@broken("63 bits", '"cos" (ConstantOfShape)', '"s" int64[2]')
def constantofshape_huge():
    return model([node("ConstantOfShape", "s", "y", name="cos")], [value("s", 7, ["K"])],
                 [value("y", 1, None)]), {"s": np.array([1 << 40, 1 << 30])}


@broken("not enough memory", "4398046511104 bytes", '"cos" (ConstantOfShape)')
def oom():
    return model([node("ConstantOfShape", "s", "y", name="cos")], [value("s", 7, ["K"])],
                 [value("y", 1, None)]), {"s": np.array([1 << 20, 1 << 20])}


@broken("axes is 2", "[-2, 1]", '"rs" (ReduceSum)', '"x" float[N,M]')
def unique_names_layer():
    return model([node("ReduceSum", "x,a", "y", name="rs")], [value("x", 1, ["N", "M"])], [value("y", 1, None)],
                 [const("a", [2], np.int64)]), {"x": np.zeros((2, 3), F32)}


@broken('"w" was not fed', '"x", "w"')
def input_is_weight_missing():
    return model([node("Add", "x,w", "y", name="a")], [value("x", 1, [2]), value("w", 1, [2])],
                 [value("y", 1, [2])]), {"x": np.zeros(2, F32)}


@broken("no node 2 in tree 0", '"t" (ai.onnx.ml.TreeEnsembleRegressor)', "correct this node")
def tree_bad():
    return model([
        node("TreeEnsembleRegressor", "x", "y", name="t", domain="ai.onnx.ml", nodes_treeids=[0, 0],
             nodes_nodeids=[0, 1], nodes_featureids=[0, 0], nodes_values=[.5, 0.], nodes_modes=["BRANCH_LEQ", "LEAF"],
             nodes_truenodeids=[1, 0], nodes_falsenodeids=[2, 0], target_treeids=[0], target_nodeids=[1],
             target_ids=[0], target_weights=[1.], n_targets=1)
    ], [value("x", 1, ["N", 1])], [value("y", 1, None)], imports=[("ai.onnx.ml", 3)]), {"x": np.zeros((2, 1), F32)}


@broken("2 keys, but 1 values", '"le" (ai.onnx.ml.LabelEncoder)', "correct this node")
def label_missing():
    return model(
        [node("LabelEncoder", "x", "y", name="le", domain="ai.onnx.ml", keys_strings=["a", "b"], values_int64s=[1])],
        [value("x", 8, ["N"])], [value("y", 7, None)], imports=[("ai.onnx.ml", 2)]), {"x": np.array(["a"], object)}


@broken("12 and 16", '"/enc/MatMul" (MatMul)', 'dimension 1 of the input "x" is 12 and has to be 16')
def matmul_deep():
    "wrong hidden size reaches MatMul via Reshape/Transpose"
    return model([
        node("Transpose", "x", "t", perm=[0, 2, 1]),
        node("Relu", "t", "r"),
        node("MatMul", "r,w", "h", name="/enc/MatMul"),
        node("Softmax", "h", "y")
    ], [value("x", 1, ["B", "D", "S"])], [value("y", 1, None)], [const("w", np.zeros(
        (16, 8)))]), {"x": np.zeros((1, 12, 5), F32)}


@broken("3 against 5", '"late" (Add)', 'D = 5 is dimension 1 of the input "z"')
def add_after_shape():
    return model([node("Shape", "x", "s"),
                  node("ConstantOfShape", "s", "o"),
                  node("Add", "o,z", "y", name="late")],
                 [value("x", 1, ["A", "B"]), value("z", 1, ["C", "D"])],
                 [value("y", 1, None)]), {"x": np.zeros((2, 3), F32), "z": np.zeros((2, 5), F32)}


@broken("6 and 4", '"late" (MatMul)', 'dimension 1 of "n" (NonZero gives it by', "is 6 and has to be 4")
def nonzero_late():
    return model([node("NonZero", "x", "n"),
                  node("Cast", "n", "f", to=1),
                  node("MatMul", "f,w", "y", name="late")], [value("x", 1, ["A", "B"])], [value("y", 1, None)],
                 [const("w", np.zeros((4, 2)))]), {"x": np.ones((2, 3), F32)}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name, tmp_path):
    expect(BROKEN[name], tmp_path)
