"""Functions with the names and keywords of ``onnx.shape_inference``."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import InvalidArgument
from ._norn import (
    Model,
    OperatorSet,
    function_outputs,
    inference_json,
    inferred_file,
    inferred_model,
    node_outputs,
)

if TYPE_CHECKING:
    from ._norn import _ExternalData, _ModelLike, _Path
    from ._schemas import OpSchema

__all__ = [
    "explain_shapes",
    "infer_function_output_types",
    "infer_node_outputs",
    "infer_shapes",
    "infer_shapes_path",
]

_NEWEST_IR_VERSION = 14


def infer_shapes(
    model: _ModelLike,
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = False,
    *,
    symbolic: bool = False,
    operator_sets: Sequence[OperatorSet] = (),
    external_data: _ExternalData | None = None,
) -> Any:
    """The model with the types and shapes of every value, as far as they are known without running it.

    The arguments are those of ``onnx.shape_inference.infer_shapes``. With ``strict_mode`` the first contradiction
    raises :class:`norn.InvalidGraph`, wrong types of inputs only with ``check_type`` as well; without it what is wrong
    is passed over and what it hides stays unknown. Contents of shape arithmetic are always followed, whatever
    ``data_prop`` says.

    ``symbolic`` writes expressions as names of dimensions (``"2*seq + 1"``); without it they get names as sizes do that
    are only known when it runs (``"unk__0"``), the same name for the same expression.

    Returns the kind it was given: a proto for a proto, bytes for bytes, a :class:`norn.Model` for anything else.
    :func:`explain_shapes` reports why sizes stay unknown.
    """
    del data_prop
    typed = inferred_model(
        model,
        strict=strict_mode,
        check_types=check_type,
        symbolic=symbolic,
        operator_sets=operator_sets,
        external_data=external_data,
    )
    return _like(model, typed)


def infer_shapes_path(
    model_path: _Path,
    output_path: _Path = "",
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = False,
    *,
    symbolic: bool = False,
) -> None:
    """:func:`infer_shapes` from file to file; without ``output_path`` the file is replaced.

    The notation of each file follows from its extension. External data stays where it is.
    """
    del data_prop
    if not isinstance(model_path, (str, os.PathLike)):
        raise InvalidArgument(f"model_path is a path, not {type(model_path).__name__}")
    inferred_file(model_path, output_path, strict=strict_mode, check_types=check_type, symbolic=symbolic)


def explain_shapes(
    model: _ModelLike, *, operator_sets: Sequence[OperatorSet] = (), external_data: _ExternalData | None = None
) -> dict[str, Any]:
    """What inference found and what it did not, as ``norn infer --why --json`` reports it.

    ``"unknown"`` lists every size, rank and type that is not known, with ``"why"`` and ``"where"`` it began;
    ``"problems"`` every contradiction; ``"values"``, ``"typed"``, ``"shaped"``, ``"symbolic"`` and ``"fixed"`` count
    values; ``"without_inference"`` counts nodes of operators whose shapes are not inferred yet.
    """
    found: dict[str, Any] = json.loads(inference_json(model, operator_sets=operator_sets, external_data=external_data))
    return found


def infer_node_outputs(
    schema: OpSchema | Any,
    node: Any,
    input_types: Mapping[str, Any],
    input_data: Mapping[str, Any] | None = None,
    input_sparse_data: Mapping[str, Any] | None = None,
    opset_imports: Sequence[Any] | None = None,
    ir_version: int = _NEWEST_IR_VERSION,
) -> dict[str, Any]:
    """Types of a node's outputs, by name: what ``onnx.shape_inference.infer_node_outputs`` gives.

    ``schema`` (of :func:`norn.get_schema`, or the onnx package's) gives the operator's version, unless
    ``opset_imports`` does. ``input_types`` are TypeProtos and ``input_data`` TensorProtos of constant inputs, by name;
    contents of ``input_sparse_data`` do not affect shapes. Outputs whose type is not known are left out. Raises
    :class:`norn.InvalidGraph` where the node cannot be.
    """
    del input_sparse_data
    if opset_imports is None:
        imports = [(schema.domain, schema.since_version)]
    else:
        imports = [(entry.domain, entry.version) for entry in opset_imports]
    outputs = node_outputs(
        _bytes(node),
        [(name, _bytes(proto)) for name, proto in input_types.items()],
        [(name, _bytes(proto)) for name, proto in (input_data or {}).items()],
        imports,
        ir_version,
    )
    return {name: _parsed("TypeProto", data, node) for name, data in outputs}


def infer_function_output_types(function: Any, input_types: Sequence[Any], attributes: Sequence[Any] = ()) -> list[Any]:
    """Types of a function's outputs, in order, for inputs of the given types and a call's attributes.

    The arguments are the onnx package's protos, or their bytes; so are the results, an empty one where a type is not
    known. Raises :class:`norn.InvalidGraph` where the body contradicts the types.
    """
    outputs = function_outputs(
        _bytes(function), [_bytes(t) for t in input_types], [_bytes(a) for a in attributes], _NEWEST_IR_VERSION
    )
    return [_parsed("TypeProto", data, function) for data in outputs]


def _like(given: Any, typed: Model) -> Any:
    if isinstance(given, (bytes, bytearray, memoryview)):
        return typed.SerializeToString()
    if isinstance(given, Model) or not hasattr(given, "ParseFromString"):
        return typed
    proto = type(given)()
    proto.ParseFromString(typed.SerializeToString())
    return proto


def _bytes(proto: Any) -> bytes:
    if isinstance(proto, bytes):
        return proto
    if not hasattr(proto, "SerializeToString"):
        raise InvalidArgument(f"a proto or its bytes are needed, not {type(proto).__name__}")
    data: bytes = proto.SerializeToString()
    return data


def _parsed(kind: str, data: bytes, like: Any) -> Any:
    """A proto of the package that ``like`` is of; bytes for bytes."""
    if isinstance(like, bytes):
        return data
    proto = getattr(importlib.import_module("onnx"), kind)()
    proto.ParseFromString(data)
    return proto
