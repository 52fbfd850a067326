"""Norn: ONNX, whole, in C++20.

    import norn

    session = norn.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": array})

A model argument is a path, bytes, a file object opened with "rb", an ``onnx.ModelProto`` (anything with
``SerializeToString``) or a :class:`norn.Model`. Values are numpy arrays (``ml_dtypes`` for bfloat16, float8, float6,
float4, int4 and int2), ``object`` arrays of ``str`` for strings, a list for a sequence, a dict for a map, ``None`` for
an empty optional, :class:`norn.SparseTensor`; anything with ``__dlpack__`` goes in without a copy. Every function is
thread-safe, and the GIL is released while a model is loaded, prepared or run. What goes wrong is raised as a subclass
of :class:`norn.Error`.
"""

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
from ._norn import (
    Diagnostic,
    InferenceSession,
    Limits,
    Model,
    ModelSummary,
    NodeArg,
    OperatorSet,
    Report,
    SessionOptions,
    __version__,
    check,
    check_part,
    export_operator_set,
    load,
    load_external_tensor,
    load_operator_set,
    parse_text,
    pass_names,
    print_text,
    rules,
    save,
    save_external_tensor,
    schemas_json,
)
from ._schemas import get_all_schemas_with_history, get_schema
from ._sparse import SparseTensor

# NotImplemented is left out: a star import must not hide Python's.
__all__ = [
    "CheckError",
    "Diagnostic",
    "Error",
    "InferenceSession",
    "InternalError",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "IoError",
    "LimitExceeded",
    "Limits",
    "Model",
    "ModelSummary",
    "NoSuchFile",
    "NodeArg",
    "OperatorSet",
    "Report",
    "RuntimeException",
    "SessionOptions",
    "SparseTensor",
    "check",
    "check_model",
    "check_part",
    "export_operator_set",
    "get_all_schemas_with_history",
    "get_schema",
    "load",
    "load_external_tensor",
    "load_operator_set",
    "open_external",
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
    "schemas_json",
    "to_text",
]
