"""Constants of many elements: folded by the kernels that runs use, read where they lie in a file, given back to the system."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import norn

RNG = np.random.default_rng(3)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def model(nodes, constants, inputs, outputs, opset=21):
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(",") if inputs else [], outputs.split(","), **attributes)


FOLDED = {
    "product": ([node("MatMul", "a,b", "c")], {"a": floats(96, 200), "b": floats(200, 160)}),
    "standardised filters": (
        [node("ReduceMean", "a,axes", "m"), node("Sub", "a,m", "d"), node("Mul", "d,d", "q"), node("ReduceMean", "q,axes", "v"),
         node("Sqrt", "v", "s"), node("Div", "d,s", "c")],
        {"a": floats(64, 32, 3, 3), "axes": np.array([1, 2, 3])},
    ),
    "moved": (
        [node("Transpose", "a", "t", perm=[1, 0, 2]), node("Slice", "t,from,to,axes", "u"), node("Reshape", "u,shape", "r"),
         node("Concat", "r,r", "c", axis=0)],
        {"a": floats(30, 40, 20), "from": np.array([3]), "to": np.array([33]), "axes": np.array([0]), "shape": np.array([0, -1])},
    ),
    "several outputs": (
        [node("TopK", "a,k", "v,i"), node("Split", "v,parts", "p,q", axis=1), node("Sub", "p,q", "c")],
        {"a": floats(300, 100), "k": np.array([40]), "parts": np.array([20, 20])},
    ),
    "comparisons": ([node("Less", "a,b", "l"), node("Where", "l,a,b", "c")], {"a": floats(200, 100), "b": floats(1, 100)}),
    "halves": (
        [node("Cast", "a", "h", to=TensorProto.FLOAT16), node("Exp", "h", "e"), node("Cast", "e", "c", to=TensorProto.FLOAT)],
        {"a": floats(300, 100)},
    ),
    "spread": ([node("Expand", "a,shape", "c")], {"a": floats(1, 7), "shape": np.array([5000, 7])}),
    "doubles": (
        [node("Cast", "a", "d", to=TensorProto.DOUBLE), node("CumSum", "d,axis", "s"), node("Cast", "s", "c", to=TensorProto.FLOAT)],
        {"a": floats(500, 60), "axis": np.array(1)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDED)
def test_folding_gives_what_running_gives(name):
    nodes, constants = FOLDED[name]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    m = model([*nodes, node("Mul", "c,x", "y")], constants, [x], [y])
    feed = {"x": np.float32(1)}
    want = ReferenceEvaluator(m).run(None, feed)[0]
    for threads in (1, 2):
        session = norn.InferenceSession(m, norn.SessionOptions(intra_op_num_threads=threads, verify_passes=True))
        steps = [line for line in str(session.explain(feed)).splitlines() if line[0].isdigit()]
        assert len(steps) == 1 and steps[0].split()[1] == "Mul"
        np.testing.assert_allclose(session.run(None, feed)[0], want, rtol=2e-3 if name == "halves" else 1e-5, atol=1e-5)
    reference = norn.InferenceSession(m, norn.SessionOptions(reference_only=True))
    np.testing.assert_allclose(reference.run(None, feed)[0], want, rtol=2e-3 if name == "halves" else 1e-5, atol=1e-5)


@pytest.mark.parametrize("index", [20000, -20001])
def test_what_cannot_be_folded_is_an_error_of_the_node(index):
    constants = {"table": floats(20000, 2), "at": np.array([5, index])}
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    m = model([helper.make_node("Gather", ["table", "at"], ["y"], name="pick")], constants, [], [y])
    faults = []
    for options in ({}, {"reference_only": True}):
        with pytest.raises(norn.Error, match=str(index)) as fault:
            norn.InferenceSession(m, norn.SessionOptions(**options)).run(None, {})
        assert "pick" in str(fault.value)
        faults.append(str(fault.value))
    assert faults[0] == faults[1]


@pytest.mark.parametrize("shift", range(5))
@pytest.mark.parametrize("elem", [np.float32, np.float16, np.int64])
def test_embeddings_that_are_not_aligned_in_the_file(tmp_path, shift, elem):
    """A table is picked from where it lies; another reader has it aligned; one that comes first, too."""
    table = (floats(3000, 24) * 100).astype(elem)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(elem))
    nodes = [node("Gather", "table,ids", "rows"), node("Add", "table,one", "y"), node("Gather", "y,ids", "z"),
             node("Gather", "table,ids", "more", axis=1)]  # fmt: skip
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["N"]), helper.make_tensor_value_info("one", kind, [])]
    outputs = [helper.make_tensor_value_info(n, kind, None) for n in ("rows", "y", "z", "more")]
    m = model(nodes, {"table": table}, inputs, outputs)
    m.doc_string = "d" * shift
    m.graph.name = "g" * (1 + shift)
    path = tmp_path / "m.onnx"
    path.write_bytes(m.SerializeToString())
    session = norn.InferenceSession(str(path))
    for ids in (np.array([0, 23, 5, -1, -24]), np.array([], np.int64), np.arange(24)):
        one = np.array(1, elem)
        rows, y, z, more = session.run(None, {"ids": ids, "one": one})
        np.testing.assert_array_equal(rows, table[ids])
        np.testing.assert_array_equal(y, table + one)
        np.testing.assert_array_equal(z, (table + one)[ids])
        np.testing.assert_array_equal(more, table[:, ids])


WITHOUT_THE_FIRST = {
    "LayerNormalization": (["a", "s"], {"a": floats(170, 100), "s": floats(100)}, {}, ["", "y"]),
    "MaxPool": (["a"], {"a": floats(2, 3, 80, 80)}, {"kernel_shape": [3, 3]}, ["", "y"]),
    "BatchNormalization": (["a", "s", "s", "s", "v"], {"a": floats(4, 8, 30, 30), "s": floats(8), "v": np.abs(floats(8))},
                           {"training_mode": 1}, ["", "y"]),
    "TopK": (["a", "k"], {"a": floats(300, 100), "k": np.array([3])}, {}, ["", "y"]),
}  # fmt: skip


@pytest.mark.parametrize("op", WITHOUT_THE_FIRST)
@pytest.mark.parametrize("fed", [False, True])
def test_a_required_output_that_is_left_out(op, fed):
    """No valid document does, but one that does is run as the reference kernels run it."""
    inputs, constants, attributes, outputs = WITHOUT_THE_FIRST[op]
    kind = TensorProto.INT64 if op in ("MaxPool", "TopK") else TensorProto.FLOAT
    feed = {"a": constants["a"]} if fed else {}
    known = {k: v for k, v in constants.items() if k not in feed}
    infos = [helper.make_tensor_value_info("a", TensorProto.FLOAT, constants["a"].shape)] if fed else []
    y = helper.make_tensor_value_info("y", kind, None)
    m = model([helper.make_node(op, inputs, outputs, **attributes)], known, infos, [y])
    want = norn.InferenceSession(m, norn.SessionOptions(reference_only=True)).run(None, feed)[0]
    np.testing.assert_allclose(norn.InferenceSession(m).run(None, feed)[0], want, rtol=1e-5, atol=1e-5)


def at_the_start_of(file, name, dims):
    tensor = TensorProto(name=name, dims=dims, data_type=TensorProto.UINT8, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", file), ("offset", "0"), ("length", str(np.prod(dims)))):
        tensor.external_data.add(key=key, value=value)
    return tensor


def test_weights_of_other_sizes_that_begin_at_the_same_place(tmp_path):
    """Whether weights fit into int8 is not the same for all that begin where others do, or have other zero points."""
    weights = RNG.integers(0, 128, (128, 64)).astype(np.uint8)
    weights[64:] += 128
    (tmp_path / "w.bin").write_bytes(weights.tobytes())
    points = numpy_helper.from_array(np.uint8(49), "z49")
    u8, i32 = TensorProto.UINT8, TensorProto.INT32
    info = helper.make_tensor_value_info
    for nodes, tensors in (
        ([node("MatMulInteger", "p,w1", "u"), node("MatMulInteger", "q,w2", "v")],
         [at_the_start_of("w.bin", "w1", [64, 64]), at_the_start_of("w.bin", "w2", [128, 64])]),
        ([helper.make_node("MatMulInteger", ["p", "w1", "", "z49"], ["u"]), node("ConvInteger", "c,w3", "v")],
         [at_the_start_of("w.bin", "w1", [64, 11]), at_the_start_of("w.bin", "w3", [128, 11, 1]), points]),
    ):  # fmt: skip
        feeds = {"p": RNG.integers(0, 256, (5, 64)), "q": RNG.integers(0, 256, (5, 128)), "c": RNG.integers(0, 256, (1, 11, 50))}
        read = {name for n in nodes for name in n.input}
        feeds = {k: v.astype(np.uint8) for k, v in feeds.items() if k in read}
        graph = helper.make_graph(
            nodes, "g", [info(k, u8, v.shape) for k, v in feeds.items()], [info("u", i32, None), info("v", i32, None)], tensors
        )
        m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        path = tmp_path / "m.onnx"
        path.write_bytes(m.SerializeToString())
        want = norn.InferenceSession(str(path), norn.SessionOptions(reference_only=True)).run(None, feeds)
        for got, wanted in zip(norn.InferenceSession(str(path)).run(None, feeds), want, strict=True):
            np.testing.assert_array_equal(got, wanted)
