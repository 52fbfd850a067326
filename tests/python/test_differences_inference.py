"""What docs/differences.md says about inference and full checks, compared with the onnx package.

Every row has a case here and every case a row; see test_differences.py for those about checks.
"""

import numpy as np
import onnx
import pytest
from differences import CASES, INFERENCE, TABLES, case, pairs
from onnx import TensorProto, checker, defs, helper, numpy_helper, parser, shape_inference

import norn
from test_inference import types_of

REFUSALS = (shape_inference.InferenceError, checker.ValidationError, norn.Error)


def test_rows_and_cases_are_the_same():
    assert set(TABLES[INFERENCE]) == set(CASES[INFERENCE])


def model(text, version=21, extra=""):
    return parser.parse_model(f'<ir_version: 10, opset_import: ["": {version}{extra}]> {text}')


def ours(m, **options):
    try:
        return types_of(norn.infer_shapes(m, **options))
    except REFUSALS as e:
        return str(e)


def theirs(m, **options):
    try:
        return types_of(shape_inference.infer_shapes(m, **options))
    except REFUSALS as e:
        return str(e)


def full(check, m):
    """True if the full check accepts the model, else its message."""
    try:
        check(m, full_check=True)
    except REFUSALS as e:
        return str(e)
    return True


def only_norn_refuses(m, message):
    assert full(checker.check_model, m) is True
    assert message in full(norn.check_model, m)
    assert message in ours(m, strict_mode=True)
    assert isinstance(theirs(m, strict_mode=True), dict)


def only_onnx_refuses(m, message):
    assert full(norn.check_model, m) is True
    assert message in full(checker.check_model, m)


@case(INFERENCE, "inputs that cannot go together: another rank than the operator takes, groups that do not divide the "
                 "filters, shapes that older versions do not broadcast, a node of a function body that cannot be "
                 "computed")
def _():
    for message, version, text in [
        ("rank", 21, "float[3,4,5] x, int64[6,7] i) => (float[6,7] y) { y = GatherElements (x, i) }"),
        ("rank", 21, "float[N] x, int64[2,1] a) => (float[M] y) { y = ReduceSum (x, a) }"),
        ("group 3", 21, "float[1,3,5,5] x, float[4,1,2,2] w) => (float[1,4,4,4] y) { y = Conv <group = 3> (x, w) }"),
        ("must be equal", 6, "float[3,4] a, float[3,1] b) => (float[3,4] y) { y = Mul (a, b) }"),
        ("does not have the shape", 6,
         "float[5,4] a, float[4,3] b, float[3] c) => (float[5,3] y) { y = Gemm (a, b, c) }"),
        ("one element", 21, """bool[0] c) => (float y) {
          y = If (c) <then_branch = t () => (float u) { u = Constant <value_float = 1.0> () },
                      else_branch = e () => (float v) { v = Constant <value_float = 2.0> () }> }"""),
        ("rank", 12, "float[3,4,5,6] x, int64[3,6] t) => (float y) { y = SoftmaxCrossEntropyLoss (x, t) }"),
    ]:
        only_norn_refuses(model("g (" + text, version), message)


@case(INFERENCE, "a slice whose axes are not known")
def _():
    m = model("g (float[5,6] x, int64[] axes) => (y) <int64[1] s = {1}, int64[1] e = {3}> "
              "{ y = Slice (x, s, e, axes) }")
    assert theirs(m)["y"] == "float[2,6]"
    assert ours(m)["y"] == "float[unk__0,unk__1]"


@case(INFERENCE, "a sequence of tensors of different sizes, one that a loop appends to for example")
def _():
    m = model("""g (int64 n, bool go, seq(float) s) => (r) {
        r = Loop (n, go, s) <body = b (int64 i, bool c, seq(float[]) t) => (bool d, u) {
          d = Identity (c) v = Constant <value_floats = [1.0, 2.0]> () u = SequenceInsert (t, v) }> }""")
    assert theirs(m)["r"] == "seq(float[])"  # of scalars
    assert ours(m)["r"] == "seq(float)"


@case(INFERENCE, "a size that does not fit into 63 bits")
def _():
    m = model("g (float[9223372036854775807] x) => (y) <int64[2] p = {1, 0}> { y = Pad (x, p) }")
    assert "64 bits" in ours(m, strict_mode=True)
    assert "[9" not in theirs(m)["y"]
    cancelling = model("g (float[9223372036854775807] x) => (y) <int64[2] p = {1, -1}> { y = Pad (x, p) }")
    for infer in (ours, theirs):
        assert infer(cancelling, strict_mode=True) == {"y": "float[9223372036854775807]"}


@case(INFERENCE, "contents that overflow")
def _():
    m = model("g () => (y) <int64[1] a = {-9223372036854775807}, int64[1] b = {9}> "
              "{ s = Sub (a, b) y = ConstantOfShape (s) }")
    assert ours(m, strict_mode=True)["y"] == "float[9223372036854775800]"
    assert "overflow" in theirs(m, strict_mode=True, data_prop=True)
    only_norn_refuses(model("g () => (float[A] y) <int64[1] a = {1}, int64[1] b = {3}> "
                            "{ s = Sub (a, b) y = ConstantOfShape (s) }"), "negative size")


@case(INFERENCE, "windows with negative pads")
def _():
    m = model("g (float[1,1,6] x) => (float[1,1,4] y) { y = MaxPool <kernel_shape = [2], pads = [-1, 0]> (x) }")
    only_onnx_refuses(m, "negative")
    assert ours(m, strict_mode=True)["y"] == "float[1,1,4]"


@case(INFERENCE, "an input of no type at all")
def _():
    m = model("g (x, int64[2] s) => (y) { y = Reshape (x, s) }")
    assert norn.infer_shapes(m, strict_mode=True).graph.output[0].type.tensor_type.shape.dim[1].dim_param
    assert "expected to have type" in theirs(m, strict_mode=True)


@case(INFERENCE, "initializers whose data is external or missing, or that do not fit the input that they are the "
                 "default of or the node's type")
def _():
    m = model("g (float[6] x, int64[2] s) => (y) { y = Reshape (x, s) }")
    external = TensorProto(name="s", data_type=7, dims=[2], data_location=1)
    external.external_data.add(key="location", value="w")
    missing = TensorProto(name="s", data_type=7, dims=[2])
    other = numpy_helper.from_array(np.zeros((3, 2), np.int64), "s")
    for tensor in (external, missing, other):
        with_it = onnx.ModelProto()
        with_it.CopyFrom(m)
        with_it.graph.initializer.append(tensor)
        assert ours(with_it, strict_mode=True)["y"] == "float[unk__0,unk__1]"
        assert isinstance(theirs(with_it, strict_mode=True), str)
    typed = model("g () => (float[] y) <int32[2] s = {4, 3}> { y = ConstantOfShape (s) }")
    assert isinstance(ours(typed, strict_mode=True), dict)
    assert "type mismatch" in theirs(typed, strict_mode=True)
    assert "takes only" in full(norn.check_model, typed)


@case(INFERENCE, "a call that takes fewer outputs than its function gives")
def _():
    m = model("""g (float[1] x) => (float[1] y) { y = f.F (x) }
        <domain: "f", opset_import: ["": 21]> F (a) => (b, c) { b = Relu (a) c = Neg (a) }""", extra=', "f": 1')
    only_onnx_refuses(m, "out of bounds")


@case(INFERENCE, "a function that calls itself")
def _():
    m = model("""g (float[1] x) => (float[1] y) { y = f.F (x) }
        <domain: "f", opset_import: ["": 21, "f": 1]> F (a) => (b) { b = f.F (a) }""", extra=', "f": 1')
    assert isinstance(ours(m), dict)
    assert "itself" in ours(m, strict_mode=True)
    assert not norn.check(m).ok
    assert "recursive" in theirs(m)


@case(INFERENCE, "an operator that its version of the operator set has no more")
def _():
    m = model("g (float[3,3] x, int64[2,3] i, float[2,3] u) => (y) { y = Scatter (x, i, u) }", 11)
    assert theirs(m)["y"] == "float[3,3]"
    assert ours(m)["y"] == "?"


@case(INFERENCE, "variables that the graph of a SequenceMap declares for its outputs")
def _():
    m = model("g (seq(float[A,3]) s) => (r) { r = SequenceMap (s) <body = b (float[B,3] x) => (float[C,3] y) "
              "{ y = Relu (x) }> }")
    assert theirs(m)["r"] == "seq(float[C,3])"
    assert "C" not in ours(m)["r"]


@case(INFERENCE, "the function body of MeanVarianceNormalization 13")
def _():
    m = model("g (float[1,2,3,4] x) => (float[1,2,3,4] y) { y = MeanVarianceNormalization (x) }", 13)
    only_onnx_refuses(m, "value")


@case(INFERENCE, "start, limit and delta of Range, and the size of a window, as a tensor of one element")
def _():
    only_onnx_refuses(model("g () => (int64[5] y) <int64 a = {0}, int64[1] b = {5}, int64 d = {1}> { y = Range (a, b, d) }"),
                      "scalars")
    only_onnx_refuses(model("g () => (float[5] y) <int64[1] n = {5}> { y = HannWindow (n) }"), "scalar")


@case(INFERENCE, "sizes of windows that are 0")
def _():
    m = model("g () => (float[0] y) <int64 n = {0}> { y = HannWindow (n) }")
    only_onnx_refuses(m, "greater than 0")
    assert norn.InferenceSession(m).run(None, {})[0].shape == (0,)


@case(INFERENCE, "negative classes of OneHot before version 11")
def _():
    m = model("g () => (float[2,3] y) <int64[2] i = {0, -1}, int64 d = {3}, float[2] v = {0, 1}> { y = OneHot (i, d, v) }",
              9)
    only_onnx_refuses(m, "non-negative")
    y = norn.InferenceSession(m).run(None, {})[0]
    np.testing.assert_array_equal(y, [[1, 0, 0], [0, 0, 0]])


@case(INFERENCE, "the bins of STFT with `onesided`, its default, and a window but no frame_length")
def _():
    m = model("g (float[2,10,1] x, float[5] w) => (y) <int64 step = {2}> { y = STFT (x, step, w) }", 17)
    assert ours(m)["y"] == "float[2,3,3,2]" and theirs(m)["y"] == "float[2,3,5,2]"
    feeds = {"x": np.ones((2, 10, 1), np.float32), "w": np.ones(5, np.float32)}
    assert norn.InferenceSession(m).run(None, feeds)[0].shape == (2, 3, 3, 2)


@case(INFERENCE, "`k` of TopK 1 that is 0")
def _():
    m = model("g (float[2,3] x) => (float[2,0] y, int64[2,0] i) { y, i = TopK <k = 0> (x) }", 1)
    only_onnx_refuses(m, "Invalid value for attribute k")
    assert norn.InferenceSession(m).run(None, {"x": np.ones((2, 3), np.float32)})[0].shape == (2, 0)


@case(INFERENCE, "what excludes each other: in Attention windows below -1, `present_key` without `present_value`, "
                 "`nonpad_kv_seqlen` beside a cache, numbers of heads for inputs of rank 4; in LinearAttention inputs "
                 "that the update rule has no use for; in ConvTranspose `pads` beside `auto_pad`")
def _():
    rank4 = "float[1,2,3,4] q, float[1,2,3,4] k, float[1,2,3,4] v"
    cached = f"{rank4}, float[1,2,1,4] pk, float[1,2,1,4] pv, int64[1] n"
    packed = "float[1,3,4] q, float[1,3,4] k, float[1,3,4] v, float[1,3,2] d"
    y, two, three = "float[a,b,c,d] y", "float[a,b,c,d] y, float[e,f,g,h] p", ", float[i,j,k,l] r"
    rule = 'q_num_heads = 2, kv_num_heads = 2, update_rule = "linear"'
    pads = 'auto_pad = "SAME_UPPER", pads = [0, 1, 1, 0], strides = [1, 1]'
    for message, version, inputs, outputs, node in [
        ("left_window_size", 25, rank4, y, "y = Attention <left_window_size = -2> (q, k, v)"),
        ("present_value", 25, rank4, two, "y, p = Attention (q, k, v)"),
        ("nonpad_kv_seqlen", 25, cached, two + three, "y, p, r = Attention (q, k, v, , pk, pv, n)"),
        ("q_num_heads", 25, rank4, y, "y = Attention <q_num_heads = 2, kv_num_heads = 2> (q, k, v)"),
        ("forbids decay", 27, packed, "float[a,b,c] y, float[e,f,g,h] p",
         f"y, p = LinearAttention <{rule}> (q, k, v, , d)"),
        ("auto_pad", 22, "float[1,1,2,2] x, float[1,1,3,3] w", y, f"y = ConvTranspose <{pads}> (x, w)"),
    ]:  # fmt: skip
        m = model(f"g ({inputs}) => ({outputs}) {{ {node} }}", version)
        assert message in theirs(m, strict_mode=True), node
        assert isinstance(ours(m, strict_mode=True), dict), node
    # What decides is what runs.
    feeds = {"x": np.ones((1, 1, 2, 2), np.float32), "w": np.ones((1, 1, 3, 3), np.float32)}
    text = "g (float[1,1,2,2] x, float[1,1,3,3] w) => (float[a,b,c,d] y) {{ y = ConvTranspose <{}> (x, w) }}"
    runs = [
        norn.InferenceSession(model(text.format(attributes), 22)).run(None, feeds)[0]
        for attributes in (pads, pads.replace("pads = [0, 1, 1, 0],", ""))
    ]
    assert np.array_equal(*runs)


@case(INFERENCE, "operators that the program gave onnx")
def _():
    m = model("g (float[2] x) => (y) { y = differences.inference.Same (x) }", extra=', "differences.inference": 1')
    types = [("T", ["tensor(float)"], "")]
    schema = defs.OpSchema("Same", "differences.inference", 1, type_constraints=types,
                           inputs=[defs.OpSchema.FormalParameter("x", "T")],
                           outputs=[defs.OpSchema.FormalParameter("y", "T")])
    schema.set_type_and_shape_inference_function(
        lambda ctx: ctx.set_output_type(0, helper.make_tensor_type_proto(TensorProto.FLOAT, [2])))
    defs.register_schema(schema)
    try:
        assert theirs(m)["y"] == "float[2]"
        assert ours(m)["y"] == "?"
    finally:
        defs.deregister_schema("Same", 1, "differences.inference")


@pytest.mark.parametrize(("row", "function"), pairs(INFERENCE))
def test_inference(row, function):
    function()
