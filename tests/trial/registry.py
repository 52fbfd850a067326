"""What runs: operators and their versions, as Norn lists them at run time, and element types by their names."""

from __future__ import annotations

import functools
import json

import ml_dtypes
import norn
import numpy as np
import onnx

NEWEST = norn.newest_opset_version("")

_TYPES = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "bool": np.bool_, "string": np.object_,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4,
}  # fmt: skip
NUMPY = {name: np.dtype(t) for name, t in _TYPES.items()}
NAME = {t: name for name, t in NUMPY.items()}
CODE = {NUMPY[name]: getattr(onnx.TensorProto, "DOUBLE" if name == "double" else name.upper()) for name in _TYPES}
FLOATS = {NUMPY[n] for n in ("float", "double", "float16", "bfloat16")}
NARROW = {t for n, t in NUMPY.items() if n.startswith("float8") or n.endswith("int4")}


def is_float(dtype: np.dtype) -> bool:
    return dtype in FLOATS or (dtype in NARROW and NAME[dtype].startswith("float8"))


def is_int(dtype: np.dtype) -> bool:
    return dtype.kind in "iu" or NAME.get(dtype, "") in ("int4", "uint4")


# What a step is worth where a value is rounded to this type.
EPS = {
    NUMPY["float"]: 2.0**-23, NUMPY["double"]: 2.0**-52, NUMPY["float16"]: 2.0**-10, NUMPY["bfloat16"]: 2.0**-7,
    NUMPY["float8e4m3fn"]: 2.0**-3, NUMPY["float8e4m3fnuz"]: 2.0**-3, NUMPY["float8e5m2"]: 2.0**-2,
    NUMPY["float8e5m2fnuz"]: 2.0**-2,
}  # fmt: skip


# What they draw cannot be compared: it differs from run to run, and with a seed from runtime to runtime.
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")

OPTIONALS = ("Optional",)  # no value of the trial is one

# Experimental operators of the first operator sets, which no newer set has.
WITHDRAWN = ("Affine", "ConstantFill", "Crop", "DynamicSlice", "GivenTensorFill", "ImageScaler", "ParametricSoftplus", "Scale",
             "ScaledTanh")


@functools.cache
def runnable() -> tuple[str, ...]:
    """Operators of ai.onnx that have kernels, those of control flow included, but for these."""
    rows = json.loads(norn.schemas_json())
    return tuple(sorted({r["name"] for r in rows if r["runnable"] and r["domain"] == ""} - {*RANDOM, *OPTIONALS, *WITHDRAWN}))


@functools.cache
def versions(op: str) -> tuple[norn.OpSchema, ...]:
    """Every version of an operator that is not deprecated, oldest first."""
    every = [s for s in norn.get_all_schemas_with_history() if s.name == op and s.domain == ""]
    return tuple(s for s in every if not s.deprecated)


@functools.cache
def last_opset_of(op: str, since: int) -> int:
    """The newest operator set in which a node has this version."""
    later = [s.since_version for s in norn.get_all_schemas_with_history() if s.name == op and s.domain == ""]
    return min((v - 1 for v in later if v > since), default=NEWEST)


@functools.cache
def schema_in(op: str, opset: int) -> norn.OpSchema | None:
    if op not in runnable() or not norn.has_schema(op, opset):
        return None
    schema = norn.get_schema(op, opset)
    return None if schema.deprecated else schema


def tensor_types(schema: norn.OpSchema, spelled: str) -> list[np.dtype]:
    """The element types that a type variable of the schema, or a type spelt out, allows as a tensor."""
    allowed = {t.type_param_str: t.allowed_type_strs for t in schema.type_constraints}.get(spelled, (spelled,))
    names = [t[len("tensor(") : -1] for t in allowed if t.startswith("tensor(")]
    return [NUMPY[n] for n in names if n in NUMPY]
