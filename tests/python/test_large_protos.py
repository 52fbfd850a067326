"""Models given as protos cross field by field where they are large; the limits are made small here."""

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from google.protobuf.message import EncodeError
from onnx import TensorProto, helper, numpy_helper

import norn
from norn import _protos


def canonical(model):
    """What Norn reads out of protobuf's own bytes, as bytes."""
    return norn.load(model.SerializeToString()).SerializeToString()


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(_protos, "LARGE_MODEL", 100)
    monkeypatch.setattr(_protos, "LARGE_TENSOR", 20)
    monkeypatch.setattr(_protos, "_SAMPLE", 2)


@pytest.fixture
def refusing_protobuf(monkeypatch):
    """Installs a protobuf that refuses messages beyond a size, as it does beyond 2 GiB; what it was asked for."""
    sizes = []

    def install(limit):
        def serialize(message):
            data = message.SerializeToString()
            sizes.append(len(data))
            if len(data) > limit:
                raise EncodeError("Failed to serialize proto")
            return data

        monkeypatch.setattr(_protos, "_by_protobuf", serialize)
        return sizes

    return install


def everything():
    """Tensors of every kind of storage in every place, and fields that the onnx package does not know."""
    random = np.random.default_rng(7)
    weights = [
        numpy_helper.from_array(random.standard_normal((9, 11)).astype(np.float32), "raw"),
        helper.make_tensor("typed", TensorProto.FLOAT, [40], random.standard_normal(40)),
        helper.make_tensor("text", TensorProto.STRING, [3], ["a", "", "ü" * 50]),
        helper.make_tensor("nibbles", TensorProto.INT4, [51], random.integers(-8, 8, 51)),
        numpy_helper.from_array(np.zeros((0, 4), np.int64), "empty"),
        TensorProto(name="lies", data_type=TensorProto.DOUBLE, dims=[1000], raw_data=b"12345678"),
    ]
    branch = helper.make_graph(
        [helper.make_node("Identity", ["raw"], ["b"])], "branch", [], [value("b", [9, 11])],
        initializer=[numpy_helper.from_array(random.standard_normal(60).astype(np.float32), "inner")],
    )
    model = model_of(
        [
            helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
            helper.make_node("Constant", [], ["k"], value=numpy_helper.from_array(random.integers(0, 9, 70), "k")),
        ],
        [value("c", [], TensorProto.BOOL)],
        [value("y", [9, 11])],
        weights,
        domains=[("local", 1)],
        doc_string="graph",
        value_info=[value("k", [70], TensorProto.INT64)],
    )
    model.functions.append(
        helper.make_function("local", "F", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])],
                             [helper.make_opsetid("", 21)])
    )
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(numpy_helper.from_array(np.ones(2, np.float32), "s"),
                                  numpy_helper.from_array(np.array([1, 5])), [8])
    )
    helper.set_model_props(model, {"key": "x" * 100})
    tensor = model.graph.initializer[0]
    # Fields 90 to 94: a varint, a message with a group in it, 64 and 32 bits, an empty string.
    tensor.MergeFromString(bytes.fromhex("d005 ff01 da05 04 db05 dc05 e105 0102030405060708 ed05 01020304 f205 00"))
    model.graph.MergeFromString(bytes.fromhex("d305 0801 d405"))
    model.MergeFromString(bytes.fromhex("d205 05") + b"later")
    return model


def test_by_fields_is_what_protobuf_writes(small_limits):
    model = everything()
    assert isinstance(_protos.serialized(model), memoryview), "the model was not large"
    assert norn.load(model).SerializeToString() == canonical(model)
    assert norn.check(model).to_json() == norn.check(model.SerializeToString()).to_json()


def test_what_is_small_is_left_to_protobuf():
    model = everything()
    assert _protos.serialized(model) == model.SerializeToString()


@pytest.mark.parametrize("limit", [150, 300, 600, 1500])
def test_what_protobuf_refuses_is_taken_apart(monkeypatch, refusing_protobuf, limit):
    monkeypatch.setattr(_protos, "LONG_LIST", 10)
    model = everything()
    asked = refusing_protobuf(limit)
    assert norn.load(model).SerializeToString() == canonical(model)
    assert max(asked) > limit


def test_a_part_that_protobuf_refuses(refusing_protobuf):
    graph = everything().graph
    refusing_protobuf(200)
    assert norn.check_part("graph", graph, 10, [("", 21)]).to_json() == norn.check_part(
        "graph", graph.SerializeToString(), 10, [("", 21)]
    ).to_json()


def test_large_models_are_not_serialised_whole(small_limits, refusing_protobuf):
    big = numpy_helper.from_array(np.arange(5000, dtype=np.float32), "w")
    model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], [value("x", [5000])], [value("y", [5000])], [big])
    asked = refusing_protobuf(1 << 30)
    (y,) = norn.InferenceSession(model).run(None, {"x": np.ones(5000, np.float32)})
    np.testing.assert_array_equal(y, np.arange(5000) + 1)
    assert max(asked) < 1000


def test_a_large_model_among_small_initializers(small_limits):
    tensors = [numpy_helper.from_array(np.float32(i), f"s{i}") for i in range(40)]
    tensors[20] = numpy_helper.from_array(np.ones(500, np.float32), "big")
    model = model_of([helper.make_node("Neg", ["big"], ["y"])], [], [value("y", [500])], tensors)
    assert norn.load(model).SerializeToString() == canonical(model)


def test_the_buffer_grows(monkeypatch, small_limits):
    monkeypatch.setattr(_protos, "_bytes_in", lambda message: 10**6 if getattr(message, "name", "") == "raw" else 0)
    model = everything()
    model.doc_string = "x" * 300_000
    assert norn.load(model).SerializeToString() == canonical(model)


def test_errors_of_serialising_come_through():
    class Broken:
        def SerializeToString(self):
            raise KeyError("nothing")

    class Wrong:
        def SerializeToString(self):
            return "text"

    with pytest.raises(KeyError, match="nothing"):
        norn.load(Broken())
    with pytest.raises(norn.InvalidArgument, match="not bytes"):
        norn.load(Wrong())
    with pytest.raises(norn.InvalidProtobuf, match="empty"):
        norn.load(onnx.ModelProto())


@pytest.mark.parametrize("location", [TensorProto.DEFAULT, TensorProto.EXTERNAL])
def test_tensors_that_claim_more_than_memory_holds(location):
    """The sizes are a claim of the file; what it holds is far less."""
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1 << 30, 1 << 30], data_location=location)
    if location == TensorProto.EXTERNAL:
        weight.external_data.add(key="location", value="nowhere.bin")
    model = model_of([helper.make_node("MatMul", ["x", "w"], ["y"])], [value("x", [2, 3])], [value("y", None)])
    model.graph.initializer.append(weight)
    with pytest.raises(norn.Error):
        norn.InferenceSession(model)
    assert canonical(model) == norn.load(model).SerializeToString()
