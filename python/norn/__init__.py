"""Norn: ONNX, whole, in C++20.

    import norn

    session = norn.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": array})

A model argument is a path, bytes, a file object opened with "rb", an ``onnx.ModelProto`` (anything with
``SerializeToString``) or a :class:`norn.Model`. Values are numpy arrays (``ml_dtypes`` for bfloat16, float8, float6,
float4, int4 and int2), ``object`` arrays of ``str`` for strings, a list for a sequence, a dict for a map, ``None`` for
an empty optional, :class:`norn.SparseTensor`; anything with ``__dlpack__`` goes in without a copy. Every function is
thread-safe, and the GIL is released while a model is loaded, prepared or run. What goes wrong is raised as a subclass
of :class:`norn.Error`. ``norn.backend`` is the interface of ``onnx.backend`` and needs the onnx package.
"""

import importlib
from types import ModuleType

from ._document import (
    CheckError,
    check_model,
    open_external,
    parse_function,
    parse_graph,
    parse_model,
    parse_node,
    to_text,
)
from ._errors import (
    Cancelled,
    Error,
    InternalError,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    IoError,
    LimitExceeded,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)
from ._inference import (
    explain_shapes,
    infer_function_output_types,
    infer_node_outputs,
    infer_shapes,
    infer_shapes_path,
)
from ._norn import (
    Diagnostic,
    ExternalDataPolicy,
    InferenceSession,
    Limits,
    Model,
    ModelMetadata,
    ModelSummary,
    NodeArg,
    OperatorSet,
    Report,
    RunOptions,
    SessionOptions,
    __version__,
    check,
    check_data,
    check_operator_set,
    check_operator_sets,
    check_part,
    export_operator_set,
    load,
    load_external_tensor,
    load_operator_set,
    load_value,
    load_values,
    newest_opset_version,
    pack_external_data,
    parse_text,
    pass_names,
    print_text,
    rules,
    save,
    save_external_tensor,
    save_value,
    save_values,
    schemas_json,
    strip_tensor_data,
    unpack_external_data,
    unrunnable_nodes,
)
from ._schemas import (
    OpSchema,
    get_all_schemas,
    get_all_schemas_with_history,
    get_schema,
    has_schema,
    onnx_ml_opset_version,
    onnx_opset_version,
)
from ._sparse import SparseTensor

# NotImplemented is left out: a star import must not hide Python's.
__all__ = [
    "Cancelled",
    "CheckError",
    "Diagnostic",
    "Error",
    "ExternalDataPolicy",
    "InferenceSession",
    "InternalError",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "IoError",
    "LimitExceeded",
    "Limits",
    "Model",
    "ModelMetadata",
    "ModelSummary",
    "NoSuchFile",
    "NodeArg",
    "OpSchema",
    "OperatorSet",
    "Report",
    "RunOptions",
    "RuntimeException",
    "SessionOptions",
    "SparseTensor",
    "check",
    "check_data",
    "check_model",
    "check_operator_set",
    "check_operator_sets",
    "check_part",
    "explain_shapes",
    "export_operator_set",
    "get_all_schemas",
    "get_all_schemas_with_history",
    "get_schema",
    "has_schema",
    "infer_function_output_types",
    "infer_node_outputs",
    "infer_shapes",
    "infer_shapes_path",
    "load",
    "load_external_tensor",
    "load_operator_set",
    "load_value",
    "load_values",
    "newest_opset_version",
    "onnx_ml_opset_version",
    "onnx_opset_version",
    "open_external",
    "pack_external_data",
    "parse_function",
    "parse_graph",
    "parse_model",
    "parse_node",
    "parse_text",
    "pass_names",
    "print_text",
    "rules",
    "save",
    "save_external_tensor",
    "save_value",
    "save_values",
    "schemas_json",
    "strip_tensor_data",
    "to_text",
    "unpack_external_data",
    "unrunnable_nodes",
]


def __getattr__(name: str) -> ModuleType:
    """``norn.backend`` at its first use: it imports the onnx package."""
    if name == "backend":
        return importlib.import_module("norn.backend")
    raise AttributeError(f"module 'norn' has no attribute {name!r}")
