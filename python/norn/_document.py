"""Functions with the names and keywords of ``onnx.checker``, ``onnx.parser``, ``onnx.printer`` and friends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from ._errors import InvalidArgument, InvalidGraph
from ._norn import OperatorSet, Report, check, load, open_external_fd, parse_text, print_text

if TYPE_CHECKING:
    from ._norn import ExternalDataPolicy, _ExternalData, _ModelLike

__all__ = [
    "CheckError",
    "check_model",
    "open_external",
    "parse_function",
    "parse_graph",
    "parse_model",
    "parse_node",
    "to_text",
]


class CheckError(InvalidGraph):
    """A model is not valid ONNX; ``report`` has every finding, the exception's text the errors."""

    __module__ = "norn"  # where users find it
    report: Report

    def __init__(self, report: Report) -> None:
        errors = [d for d in report if d.severity == "error"]
        first = errors[0]
        more = f" (and {len(errors) - 1} more: see .report)" if len(errors) > 1 else ""
        super().__init__(f"{first.message} [{first.rule}]{more}", first.where, first.hint)
        self.report = report

    def __reduce__(self) -> tuple[type[CheckError], tuple[object, ...]]:
        return type(self), (self.report,)


def check_model(
    model: _ModelLike,
    full_check: bool = False,
    skip_opset_compatibility_check: bool = False,
    check_custom_domain: bool = False,
    *,
    profile: str = "spec",
    checksums: bool = False,
    operator_sets: Sequence[OperatorSet] = (),
    external_data: _ExternalData | None = None,
) -> None:
    """Raises :class:`CheckError` with the whole report if the model is not valid ONNX.

    The arguments are those of ``onnx.checker.check_model``. ``full_check`` also infers types and shapes of the whole
    model and compares declarations and nodes with them.
    """
    report = check(
        model,
        profile=profile,
        checksums=checksums,
        check_custom_domain=check_custom_domain,
        skip_opset_compatibility_check=skip_opset_compatibility_check,
        operator_sets=operator_sets,
        infer=bool(full_check),
        external_data=external_data,
    )
    if not report.ok:
        raise CheckError(report)


def _as_proto(kind: str, data: bytes) -> Any:
    """``data`` as the onnx package's proto of that kind or, where the package is not installed, as it is."""
    try:
        import onnx
    except ImportError:
        return data
    proto = getattr(onnx, kind)()
    proto.ParseFromString(data)
    return proto


def parse_model(text: str) -> Any:
    """The model that a text in ONNX syntax describes: an ``onnx.ModelProto``, or :class:`norn.Model` without onnx."""
    data = parse_text(text, "model")
    proto = _as_proto("ModelProto", data)
    return load(data) if isinstance(proto, bytes) else proto


def parse_graph(text: str) -> Any:
    """The graph that a text describes: an ``onnx.GraphProto``, or its bytes without onnx."""
    return _as_proto("GraphProto", parse_text(text, "graph"))


def parse_function(text: str) -> Any:
    """The function that a text describes: an ``onnx.FunctionProto``, or its bytes without onnx."""
    return _as_proto("FunctionProto", parse_text(text, "function"))


def parse_node(text: str) -> Any:
    """The node that a text describes: an ``onnx.NodeProto``, or its bytes without onnx."""
    return _as_proto("NodeProto", parse_text(text, "node"))


_KINDS = {"ModelProto": "model", "GraphProto": "graph", "FunctionProto": "function", "NodeProto": "node"}


def to_text(proto: Any, kind: str | None = None) -> str:
    """A model, graph, function or node in ONNX text syntax, complete; bytes need their ``kind``.

    A model may also be a path or a file object, as for :func:`norn.load`.

    Names that are not UTF-8 are shown with ``\\xff`` for such bytes, and are then other names when the text is read.
    """
    message = "OperatorSetProto" if isinstance(proto, OperatorSet) else _message_of(proto)
    if message and message not in _KINDS:
        raise InvalidArgument(
            f"there is no ONNX text for {message}",
            hint="to_text takes a norn.Model, ModelProto, GraphProto, FunctionProto, NodeProto, or the bytes of one",
        )
    kind = _KINDS.get(message, "model") if kind is None else kind
    if kind == "model" and not message and (isinstance(proto, (str, os.PathLike)) or hasattr(proto, "read")):
        proto = load(proto)
    return print_text(proto, kind)


def _message_of(proto: Any) -> str:
    """The name of a protobuf object's message; "" for other objects."""
    return str(getattr(getattr(proto, "DESCRIPTOR", None), "name", ""))


def open_external(
    location: str | os.PathLike[str],
    base_dir: str | os.PathLike[str],
    *,
    policy: str | ExternalDataPolicy | None = None,
) -> IO[bytes]:
    """An external data file, opened for reading, if the policy allows it: as ``external_data`` of :func:`norn.load`."""
    descriptor, _ = open_external_fd(location, base_dir, policy)
    return os.fdopen(descriptor, "rb")
