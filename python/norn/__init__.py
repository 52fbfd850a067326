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
    InferenceSession,
    Limits,
    Model,
    ModelSummary,
    NodeArg,
    SessionOptions,
    __version__,
    load,
    pass_names,
    save,
    schemas_json,
)
from ._sparse import SparseTensor

# NotImplemented is left out: a star import must not hide Python's.
__all__ = [
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
    "RuntimeException",
    "SessionOptions",
    "SparseTensor",
    "load",
    "pass_names",
    "save",
    "schemas_json",
]
