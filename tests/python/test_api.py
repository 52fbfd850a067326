"""The Python package's surface: stubs that match the module, exceptions, options."""

import ast
import importlib.metadata
import inspect
import pathlib
import pickle
import pydoc
import re

import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT, add_model, model_of, value
from onnx import TensorProto, helper, numpy_helper

import norn
from norn import _norn

PACKAGE = pathlib.Path(norn.__file__).parent


def members(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id, node


def test_the_stub_has_what_the_module_has():
    tree = ast.parse((PACKAGE / "_norn.pyi").read_text())
    declared = {n: node for n, node in members(tree.body) if not n.startswith("_") or n == "__version__"}
    assert set(declared) == {n for n in dir(_norn) if not n.startswith("_")} | {"__version__"}
    for name, node in declared.items():
        if isinstance(node, ast.ClassDef):
            names = {n for n, _ in members(node.body)}
            in_stub = {n for n in names if not n.startswith("_")}
            assert all(hasattr(getattr(_norn, name), n) for n in names - in_stub), name
            at_run_time = {n for n in vars(getattr(_norn, name)) if not n.startswith("_")}
            assert in_stub == at_run_time, name


def test_every_public_name_is_documented():
    assert set(norn.__all__) <= set(dir(norn))
    assert "NotImplemented" not in norn.__all__ and issubclass(norn.NotImplemented, NotImplementedError)
    tree = ast.parse((PACKAGE / "_norn.pyi").read_text())
    documented = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(n)}
    assert set(norn.__all__) & set(dir(_norn)) <= documented
    assert (PACKAGE / "py.typed").exists()


def test_versions_agree():
    declared = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M).group(1)
    built = re.search(r"project\(norn VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    assert norn.__version__ == declared == built


def test_requirements_agree():
    required = (ROOT / "pyproject.toml").read_text() + (ROOT / "tools" / "requirements-build.txt").read_text()
    pins = set(re.findall(r"(onednn[\w-]+)==([\d.]+)", required))
    assert {name for name, _ in pins} == {"onednn-cpu-gomp", "onednn-devel-cpu-gomp"}
    assert len({version for _, version in pins}) == 1
    assert importlib.metadata.version("onednn-cpu-gomp") == pins.pop()[1]


@pytest.mark.parametrize(
    "kind",
    [
        norn.InvalidArgument,
        norn.NoSuchFile,
        norn.InvalidProtobuf,
        norn.InvalidGraph,
        norn.NotImplemented,
        norn.LimitExceeded,
        norn.RuntimeException,
        norn.IoError,
    ],
)
def test_exceptions(kind):
    error = kind("what", "where", "hint")
    assert isinstance(error, norn.Error)
    assert str(error) == "what\n  at: where\n  help: hint"
    assert str(kind("what")) == "what"
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (copy.message, copy.where, copy.hint, copy.code) == ("what", "where", "hint", kind.code)


def test_exceptions_are_the_expected_built_in_ones():
    with pytest.raises(FileNotFoundError):
        norn.load("/no/such/model.onnx")
    with pytest.raises(ValueError, match="is not a model"):
        norn.load(3)
    with pytest.raises(ValueError, match='"rb"'), open(__file__) as text:
        norn.load(text)


def test_session_options():
    options = norn.SessionOptions(intra_op_num_threads=3, disabled_passes=["a", "b"])
    assert options.intra_op_num_threads == 3 and options.disabled_passes == ("a", "b")
    options.disabled_passes = ["all"]
    options.reference_only = options.verify_passes = True
    assert options.disabled_passes == ("all",) and options.reference_only and options.verify_passes
    with pytest.raises(AttributeError):
        options.intra_op_threads = 1
    with pytest.raises(TypeError):
        options.intra_op_num_threads = "many"


TYPES = {
    TensorProto.FLOAT: np.float32,
    TensorProto.DOUBLE: np.float64,
    TensorProto.FLOAT16: np.float16,
    TensorProto.INT8: np.int8,
    TensorProto.INT16: np.int16,
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
    TensorProto.UINT8: np.uint8,
    TensorProto.UINT16: np.uint16,
    TensorProto.UINT32: np.uint32,
    TensorProto.UINT64: np.uint64,
    TensorProto.BOOL: np.bool_,
    TensorProto.COMPLEX64: np.complex64,
    TensorProto.COMPLEX128: np.complex128,
    TensorProto.BFLOAT16: ml_dtypes.bfloat16,
    TensorProto.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    TensorProto.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    TensorProto.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    TensorProto.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
    TensorProto.UINT4: ml_dtypes.uint4,
    TensorProto.INT4: ml_dtypes.int4,
    TensorProto.FLOAT4E2M1: ml_dtypes.float4_e2m1fn,
    TensorProto.FLOAT8E8M0: ml_dtypes.float8_e8m0fnu,
    TensorProto.UINT2: ml_dtypes.uint2,
    TensorProto.INT2: ml_dtypes.int2,
    TensorProto.FLOAT6E2M3: ml_dtypes.float6_e2m3fn,
    TensorProto.FLOAT6E3M2: ml_dtypes.float6_e3m2fn,
}


@pytest.mark.parametrize("number", TYPES, ids=lambda n: TensorProto.DataType.Name(n))
def test_every_element_type_goes_through_unchanged(number):
    dtype = np.dtype(TYPES[number])
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    if number in (TensorProto.FLOAT6E2M3, TensorProto.FLOAT6E3M2):  # which only Cast takes
        nodes = [
            helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT),
            helper.make_node("Cast", ["f"], ["y"], to=number),
        ]
    model = model_of(nodes, [value("x", ["n"], number)], [value("y", ["n"], number)], opset=28)
    model.ir_version = 14
    session = norn.InferenceSession(model)
    for count in (0, 5, 3000):
        x = (np.arange(count) % 3 - 1).astype(np.float32) if number != TensorProto.BOOL else np.arange(count) % 2
        with np.errstate(invalid="ignore"):
            x = x.astype(dtype)
        (y,) = session.run(None, {"x": x})
        assert y.dtype == dtype and y.shape == x.shape
        assert y.tobytes() == x.tobytes()


def test_strings_go_through_unchanged():
    model = model_of(
        [helper.make_node("Identity", ["x"], ["y"])],
        [value("x", None, TensorProto.STRING)],
        [value("y", None, TensorProto.STRING)],
    )
    session = norn.InferenceSession(model)
    words = [["a", "ü\0"], ["", "漢字" * 20]]
    for x in (np.array(words, dtype=object), np.array(words, dtype=np.dtypes.StringDType()), words):
        (y,) = session.run(None, {"x": x})
        assert y.dtype == object and y.tolist() == words
    (y,) = session.run(None, {"x": np.array([["ab", "c"]])})
    assert y.tolist() == [["ab", "c"]]
    (y,) = session.run(None, {"x": np.array([b"\xff\xfe", "x"], dtype=object)})
    assert y.tolist() == [b"\xff\xfe", "x"]


def test_sequences_are_lists():
    model = model_of(
        [
            helper.make_node("SequenceConstruct", ["x", "x"], ["s"]),
            helper.make_node("SequenceAt", ["given", "i"], ["y"]),
        ],
        [
            value("x", ["n"]),
            helper.make_tensor_sequence_value_info("given", TensorProto.FLOAT, None),
            value("i", [], TensorProto.INT64),
        ],
        [helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None), value("y", None)],
    )
    x = np.array([1, 2], np.float32)
    given = [np.zeros((2, 2), np.float32), x]
    s, y = norn.InferenceSession(model).run(None, {"x": x, "given": given, "i": 1})
    assert isinstance(s, list) and len(s) == 2
    np.testing.assert_array_equal(s[1], x)
    np.testing.assert_array_equal(y, x)


def members_of_the_stub():
    """(object of the module, its node in the stub) of all functions, classes, methods and properties."""
    for name, node in members(ast.parse((PACKAGE / "_norn.pyi").read_text()).body):
        if name.startswith("_"):
            continue
        yield getattr(_norn, name), node
        for member, inner in members(node.body) if isinstance(node, ast.ClassDef) else ():
            setter = isinstance(inner, ast.FunctionDef) and any(
                isinstance(d, ast.Attribute) for d in inner.decorator_list
            )
            if not setter:
                yield inspect.getattr_static(getattr(_norn, name), member), inner


def plain(annotation):
    return re.sub(r"\b(typing|collections\.abc|os)\.", "", annotation)


def test_docstrings_at_run_time_are_those_of_the_stub():
    documented = 0
    for thing, node in members_of_the_stub():
        doc = inspect.getdoc(thing) or ""
        if doc.startswith("(self)") or not isinstance(thing, (type, property)):
            doc = doc.partition("\n\n")[2]  # nanobind puts the signature first
        doc = doc or None
        if doc or ast.get_docstring(node):
            documented += 1
            assert doc == ast.get_docstring(node), node.name
    assert documented > 75


def test_signatures_at_run_time_are_those_of_the_stub():
    compared = 0
    for thing, node in members_of_the_stub():
        if not isinstance(node, ast.FunctionDef) or isinstance(thing, property):
            continue
        compared += 1
        signature, arguments = inspect.signature(thing), node.args
        positional = arguments.posonlyargs + arguments.args
        defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
        pairs = [*zip(positional, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        assert list(signature.parameters) == [a.arg for a, _ in pairs], node.name
        for (argument, default), parameter in zip(pairs, signature.parameters.values(), strict=True):
            assert (parameter.kind is parameter.KEYWORD_ONLY) == (argument in arguments.kwonlyargs)
            assert (parameter.default is parameter.empty) == (default is None), (node.name, argument.arg)
            if default is not None and not (isinstance(default, ast.Constant) and default.value is Ellipsis):
                assert parameter.default == ast.literal_eval(default), (node.name, argument.arg)
            if argument.annotation is not None:
                assert plain(parameter.annotation) == plain(ast.unparse(argument.annotation)), (node.name, argument.arg)
        assert plain(signature.return_annotation) == plain(ast.unparse(node.returns)), node.name
    assert compared > 60


def test_signatures_of_classes_and_bound_methods():
    assert list(inspect.signature(norn.InferenceSession).parameters)[:2] == ["path_or_bytes", "sess_options"]
    session = norn.InferenceSession(add_model().SerializeToString())
    names = ["output_names", "input_feed", "run_options", "outputs", "donate"]
    assert list(inspect.signature(session.run).parameters) == names
    assert inspect.signature(norn.load).parameters["mmap"].default is True
    assert "external_data" in pydoc.plain(pydoc.render_doc(norn.InferenceSession))
    assert "max_elements: int = 16" in pydoc.plain(pydoc.render_doc(norn.Model.to_text))


def test_reprs():
    options = norn.SessionOptions(intra_op_num_threads=2, disabled_passes=["all"], limits=norn.Limits(max_depth=7))
    text = repr(options)
    assert text.startswith("SessionOptions(intra_op_num_threads=2, disabled_passes=('all',), reference_only=False, ")
    copy = eval(text, {"SessionOptions": norn.SessionOptions, "Limits": norn.Limits})
    assert repr(copy) == text and copy.limits.max_depth == 7
    model = add_model()
    assert re.fullmatch(r"<norn\.Report: 0 errors, 0 warnings, \d+ notes?>", repr(norn.check(model)))
    model.graph.node[0].op_type = "Adde"
    assert re.match(r"<norn\.Report: 1 error, ", repr(norn.check(model)))


@pytest.mark.parametrize("extension", ["onnx", "json", "textproto", "onnxtxt"])
def test_a_limit_of_tensors_holds_in_every_notation(tmp_path, extension):
    raw = numpy_helper.from_array(np.arange(1000, dtype=np.float32), "w")
    typed = helper.make_tensor("w", TensorProto.FLOAT, [1000], list(range(1000)))
    strings = helper.make_tensor("w", TensorProto.STRING, [1000], [b"four"] * 1000)
    halves = helper.make_tensor("w", TensorProto.FLOAT16, [2000], [1.5] * 2000)
    for tensor in (raw, typed, strings, halves):
        path = tmp_path / f"m.{extension}"
        norn.save(model_of([], [], [], [tensor]), path)
        for most in (10, 3999):
            with pytest.raises(norn.LimitExceeded, match="max_tensor_bytes"):
                norn.load(path, limits=norn.Limits(max_tensor_bytes=most))
        norn.load(path, limits=norn.Limits(max_tensor_bytes=4000))


def test_a_loaded_model_takes_no_options():
    model = norn.load(add_model())
    assert isinstance(norn.load(model), norn.Model)
    for name, given in {"format": "json", "limits": norn.Limits(max_nodes=0), "mmap": False}.items():
        with pytest.raises(norn.InvalidArgument, match=f"{name} comes too late"):
            norn.load(model, **{name: given})


def test_a_number_of_threads_is_not_negative():
    options = norn.SessionOptions()
    for call in (
        lambda: norn.SessionOptions(intra_op_num_threads=-1),
        lambda: setattr(options, "intra_op_num_threads", -2),
    ):
        with pytest.raises(norn.InvalidArgument, match="intra_op_num_threads is -"):
            call()
    options.intra_op_num_threads = 2
    assert options.intra_op_num_threads == 2
