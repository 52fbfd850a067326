"""An argument of a wrong type is reported by name, with what the call takes, for every function and parameter."""

import ast
import inspect
import io
import pathlib
import warnings

import numpy as np
import onnx
import pytest
from conftest import DIGITS, add_model

import norn
from norn import _norn

STUB = pathlib.Path(norn.__file__).with_name("_norn.pyi")
MODEL = str(DIGITS / "digits_cnn.onnx")

# What a call needs to get as far as the argument in question; {} stands for a folder of the test's own.
GOOD = {
    "model": MODEL,
    "path_or_bytes": MODEL,
    "src": MODEL,
    "dst": "{}/dst.onnx",
    "path": "{}/value.pb",
    "value": np.float32(1),
    "values": {"x": np.float32(1)},
    "data": onnx.TensorProto(data_type=1, float_data=[1]),
    "document": b"",
    "sets": [],
    "kind": "node",
    "part": onnx.NodeProto(op_type="Relu"),
    "proto": onnx.NodeProto(op_type="Relu"),
    "ir_version": 10,
    "opset_imports": [("", 21)],
    "text": "y = Relu(x)",
    "tensor": onnx.TensorProto(data_type=1, float_data=[1]),
    "base_dir": "{}",
    "location": "w.bin",
    "domain": "",
    "version": 1,
    "op_type": "Conv",
    "key": "k",
    "output_names": None,
    "input_feed": {"image": np.zeros((1, 1, 8, 8), np.float32)},
    "data_type": 1,
    "node": onnx.NodeProto(op_type="Relu", input=["x"], output=["y"]).SerializeToString(),
    "function": onnx.FunctionProto(name="f").SerializeToString(),
    "types": [],
    "tensors": [],
    "imports": [("", 21)],
    "attributes": [],
}
OF_ONE_CALL = {
    "export_operator_set": {"path": "{}/set.onnx"},
    "load_value": {"kind": "tensor"},
    "load_values": {"kind": "tensor"},
    "check_data": {"kind": "tensor"},
}
# Called otherwise in messages, which name the type that was given.
UNNAMED = {"model", "path_or_bytes", "src", "value", "part", "proto", "data", "document", "tensor", "input_feed"}


class Odd:
    """Fits no parameter."""


def wrong_values(annotation):
    yield Odd()
    if "Any" in annotation and "Mapping" not in annotation:
        return  # numbers, texts and lists may be values
    if "int" not in annotation:
        yield 3
    if not any(kind in annotation for kind in ("Mapping", "dict", "Iterable")):
        yield {}
    if not any(kind in annotation for kind in ("str", "_Path", "ModelLike", "_ExternalData")):
        yield "text"
    if "list" not in annotation and "Sequence" not in annotation and "Iterable" not in annotation:
        yield []
    if "None" not in annotation:
        yield None


def annotated(arguments):
    return [(a.arg, ast.unparse(a.annotation)) for a in arguments.args + arguments.kwonlyargs if a.arg != "self"]


def functions():
    """(name, (parameter, annotation) pairs) of all that can be called."""
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, annotated(node.args)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not method.decorator_list:
                    name = node.name if method.name == "__init__" else f"{node.name}.{method.name}"
                    yield name, annotated(method.args)
    for name in ("check_model", "open_external", "to_text", "get_schema", "has_schema", "parse_model", "parse_node"):
        signature = inspect.signature(getattr(norn, name))
        yield name, [(p.name, str(p.annotation)) for p in signature.parameters.values()]


def cases():
    for name, parameters in functions():
        for parameter, annotation in parameters:
            if (name, parameter) == ("check_model", "full_check"):
                continue  # any truth value, like Python's own
            for wrong in wrong_values(annotation):
                yield pytest.param(name, parameters, parameter, wrong, id=f"{name}-{parameter}-{type(wrong).__name__}")


def objects():
    session = norn.InferenceSession(MODEL)
    return {
        "InferenceSession": session,
        "Model": norn.load(MODEL),
        "RunOptions": norn.RunOptions(),
        "OperatorSet": None,
    }


def called(name, folder):
    if "." in name:
        owner, method = name.split(".")
        if owner == "OperatorSet":
            norn.export_operator_set("", 21, f"{folder}/set.onnx")
            return getattr(norn.load_operator_set(f"{folder}/set.onnx"), method)
        return getattr(objects()[owner], method)
    return getattr(norn, name, None) or getattr(_norn, name)


def required(name, parameters, folder):
    given = {**GOOD, **OF_ONE_CALL.get(name, {})}
    arguments = {p: given[p] for p, _ in parameters if p in given}
    return {p: v.format(folder) if isinstance(v, str) else v for p, v in arguments.items()}


@pytest.mark.parametrize("name, parameters, parameter, wrong", list(cases()))
def test_wrong_type(name, parameters, parameter, wrong, tmp_path):
    function = called(name, tmp_path)
    arguments = {**required(name, parameters, tmp_path), parameter: wrong}
    with pytest.raises((TypeError, norn.InvalidArgument)) as caught:
        function(**arguments)
    message = str(caught.value)
    named = parameter in message or parameter.replace("_", " ") in message
    assert named or (parameter in UNNAMED and type(wrong).__name__ in message), message


@pytest.mark.parametrize("argument", ["disabled_passes", "operator_sets", "limits", "intra_op_num_threads"])
def test_options_are_held_against_their_types(argument):
    with pytest.raises(TypeError):
        setattr(norn.SessionOptions(), argument, Odd())


def test_sequences_of_options_cannot_be_changed_in_place(tmp_path):
    """What is read is a tuple: a list that is appended to would be lost."""
    norn.export_operator_set("", 21, tmp_path / "s.onnx")
    built_in = norn.load_operator_set(tmp_path / "s.onnx")
    options = norn.SessionOptions(disabled_passes=["all"])
    assert options.disabled_passes == ("all",) and options.operator_sets == ()
    for sequence in ([], list, tuple):
        options.operator_sets = sequence([built_in]) if sequence else []
        assert isinstance(options.operator_sets, tuple)
    assert [s.version for s in options.operator_sets] == [21]
    options.disabled_passes = [*options.disabled_passes, "no-such-pass"]
    with pytest.raises(norn.InvalidArgument, match="no-such-pass"):
        norn.InferenceSession(MODEL, options)


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_no_path(path):
    for call in (norn.load, norn.load_value, norn.check, norn.InferenceSession, lambda p: norn.save(MODEL, p)):
        with pytest.raises(norn.InvalidArgument):
            call(path)


def test_providers():
    cpu = "CPUExecutionProvider"
    unknown = ("NoSuchExecutionProvider", "cpu", "", "\udcff")
    for providers in (3, cpu, [()], [3], [(cpu,)], [(cpu, 3)], [(cpu, {}, {})], *([name] for name in unknown)):
        with pytest.raises(norn.InvalidArgument, match="provider"):
            norn.InferenceSession(MODEL, providers=providers)
    with pytest.raises(norn.InvalidArgument, match='"NoSuchExecutionProvider"'):
        norn.InferenceSession(MODEL, providers=[cpu, "NoSuchExecutionProvider"])
    for options in ([], [{}, {}], [3], 3):
        with pytest.raises(norn.InvalidArgument, match="provider_options"):
            norn.InferenceSession(MODEL, providers=[cpu], provider_options=options)
    with pytest.raises(norn.InvalidArgument, match="both in providers and in provider_options"):
        norn.InferenceSession(MODEL, providers=[(cpu, {})], provider_options=[{}])


def test_providers_that_are_not_there():
    cpu, cuda, tensorrt = "CPUExecutionProvider", "CUDAExecutionProvider", "TensorrtExecutionProvider"

    def warnings_of(providers, provider_options=None):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            session = _norn.InferenceSession(MODEL, None, providers, provider_options)
        assert session.get_providers() == [cpu]
        assert all(w.category is UserWarning and w.filename == __file__ for w in caught)
        return [str(w.message) for w in caught]

    for quiet in (None, [], [cpu], [(cpu, {})], (cpu, cpu)):
        assert warnings_of(quiet) == []
    assert warnings_of([cpu], [{}]) == []
    instead = f"{cuda} is not available: {cpu} is used instead"
    for providers in ([cuda], [cuda, cpu], [cpu, cuda], [(cuda, {"device_id": 0}), cpu], [(cuda, {})]):
        assert warnings_of(providers) == [instead]
    assert warnings_of([cuda, cpu], [{"device_id": 0}, {}]) == [instead]
    assert warnings_of([tensorrt, cuda, cpu]) == [instead.replace(cuda, tensorrt), instead]
    (message,) = warnings_of([(cpu, {"arena": "x"})])
    assert cpu in message and "arena" in message and "no effect" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=cuda):
            norn.InferenceSession(MODEL, providers=[cuda])


def test_words_that_are_no_utf8():
    for call in (
        lambda: norn.load(add_model(), format="\udcff"),
        lambda: norn.load(add_model(), external_data="\udcff"),
        lambda: norn.load_value("x.pb", "\udcff"),
        lambda: norn.InferenceSession(MODEL).run(["\udcff"], {}),
        lambda: norn.InferenceSession(MODEL).run(None, {"\udcff": 1}),
        lambda: norn.save_value("x.pb", np.array(["\udcff"], object)),
        lambda: norn.save_value("x.pb", {"\udcff": np.float32(1)}),
    ):
        with pytest.raises(norn.InvalidArgument, match="UTF-8"):
            call()


def test_another_message():
    """Fields of messages share numbers, so that the wrong one would be read as an odd one of the right kind."""
    model = add_model()
    graph, node, tensor = model.graph, model.graph.node[0], onnx.TensorProto(data_type=1, float_data=[1])
    function = onnx.FunctionProto(name="f")
    wrong = [
        (lambda: norn.load(graph), "GraphProto", "ModelProto"),
        (lambda: norn.load(function), "FunctionProto", "ModelProto"),
        (lambda: norn.save(node, "never.onnx"), "NodeProto", "ModelProto"),
        (lambda: norn.check(tensor), "TensorProto", "ModelProto"),
        (lambda: norn.InferenceSession(graph), "GraphProto", "ModelProto"),
        (lambda: norn.to_text(model, "graph"), "ModelProto", "GraphProto"),
        (lambda: norn.to_text(norn.load(model), "graph"), "ModelProto", "GraphProto"),
        (lambda: norn.to_text(graph, "node"), "GraphProto", "NodeProto"),
        (lambda: norn.check_part("node", model, 10, []), "ModelProto", "NodeProto"),
        (lambda: norn.check_part("tensor", graph, 10, []), "GraphProto", "TensorProto"),
        (lambda: norn.check_part("value_info", tensor, 10, []), "TensorProto", "ValueInfoProto"),
        (lambda: norn.load_external_tensor(model, "."), "ModelProto", "TensorProto"),
        (lambda: norn.load_operator_set(model), "ModelProto", "OperatorSetProto"),
        (lambda: norn.check_operator_set(graph), "GraphProto", "OperatorSetProto"),
    ]
    for call, given, wanted in wrong:
        with pytest.raises(norn.InvalidArgument, match=f"{given} was given, where {wanted} belongs"):
            call()


def test_messages_of_other_names_are_taken_at_their_word():
    class Exported:
        def SerializeToString(self):  # noqa: N802
            return add_model().SerializeToString()

    assert norn.load(Exported()).summary().nodes == 1
    assert norn.to_text(Exported(), "model") == norn.to_text(add_model())


def test_classes_are_no_models():
    for call in (norn.load, norn.check, norn.InferenceSession, lambda c: norn.check_part("node", c, 10, [])):
        for kind in (onnx.ModelProto, norn.Model):
            with pytest.raises(norn.InvalidArgument, match=f"the class {kind.__name__}"):
                call(kind)
    for kind in (pathlib.Path, io.BytesIO):
        with pytest.raises(norn.InvalidArgument, match="is not a model"):
            norn.load(kind)


def test_files_opened_as_text(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"\x08\x0a\x12\x01\xff")
    with path.open(encoding="utf-8") as file, pytest.raises(norn.InvalidArgument, match='"rb"'):
        norn.load(file)


def test_an_array_of_numbers_is_not_a_model():
    for take in (norn.InferenceSession, norn.check, norn.load):
        with pytest.raises(norn.InvalidArgument, match="array of numbers .*is not a model"):
            take(np.ones(3, np.float32))
