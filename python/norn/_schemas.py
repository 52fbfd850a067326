"""The operators' signatures as objects, with the attribute names of ``onnx.defs.OpSchema``.

Everything is read once, on first use, from the library's own registry; the ``onnx`` package is not needed. Other than
there, an attribute's ``default_value`` is the value itself (``None`` where there is none), and there are no texts and
no function bodies.
"""

import dataclasses
import enum
import functools
import json
import re
from typing import Any, ClassVar

from ._errors import InvalidArgument
from ._norn import newest_opset_version, schemas_json


class FormalParameterOption(enum.Enum):
    Single = 0
    Optional = 1
    Variadic = 2


class DifferentiationCategory(enum.Enum):
    Unknown = 0
    Differentiable = 1
    NonDifferentiable = 2


class AttrType(enum.Enum):
    FLOAT = 1
    INT = 2
    STRING = 3
    TENSOR = 4
    GRAPH = 5
    FLOATS = 6
    INTS = 7
    STRINGS = 8
    TENSORS = 9
    GRAPHS = 10
    SPARSE_TENSOR = 11
    SPARSE_TENSORS = 12
    TYPE_PROTO = 13
    TYPE_PROTOS = 14


class SupportType(enum.Enum):
    COMMON = 0
    EXPERIMENTAL = 1


class NodeDeterminism(enum.Enum):
    Unknown = 0
    NonDeterministic = 1
    Deterministic = 2


@dataclasses.dataclass(frozen=True, slots=True)
class FormalParameter:
    """An input or output. ``type_str`` is a type variable of the schema or a type: ``"tensor(int64)"``.

    As in onnx, ``types`` has ``"map(int64,tensor(float))"`` where a constraint has ``"map(int64, float)"``.
    """

    name: str
    type_str: str
    option: FormalParameterOption
    is_homogeneous: bool
    min_arity: int
    differentiation_category: DifferentiationCategory
    types: frozenset[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """``default_value`` is an int, float, str or tuple of those. A default that is a tensor of one element is its
    element; its type is ``default_tensor_type``, else ``None``."""

    name: str
    type: AttrType
    required: bool
    default_value: int | float | str | tuple[Any, ...] | None
    default_tensor_type: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class TypeConstraintParam:
    type_param_str: str
    allowed_type_strs: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class OpSchema:
    """One version of an operator. Without an upper bound, ``max_input`` and ``max_output`` are 2147483647."""

    name: str
    domain: str
    since_version: int
    inputs: tuple[FormalParameter, ...]
    outputs: tuple[FormalParameter, ...]
    attribute_list: tuple[Attribute, ...]
    type_constraints: tuple[TypeConstraintParam, ...]
    min_input: int
    max_input: int
    min_output: int
    max_output: int
    node_determinism: NodeDeterminism
    support_level: SupportType
    deprecated: bool
    # A node of the version before means the same in this one.
    same_meaning: bool

    # Where onnx has them.
    FormalParameterOption: ClassVar = FormalParameterOption
    DifferentiationCategory: ClassVar = DifferentiationCategory
    NodeDeterminism: ClassVar = NodeDeterminism
    SupportType: ClassVar = SupportType
    AttrType: ClassVar = AttrType
    FormalParameter: ClassVar = FormalParameter
    Attribute: ClassVar = Attribute
    TypeConstraintParam: ClassVar = TypeConstraintParam

    @property
    def attributes(self) -> dict[str, Attribute]:
        """By name; a dict of the caller's own."""
        return {attribute.name: attribute for attribute in self.attribute_list}

    @property
    def non_deterministic(self) -> bool:
        """Not known to be deterministic, as in onnx."""
        return self.node_determinism is not NodeDeterminism.Deterministic

    @staticmethod
    def is_infinite(bound: int) -> bool:
        return bound == 2147483647


def _number(value: Any) -> Any:
    # JSON has no infinities: they are spelled as strings, where a number is due.
    return float(value) if isinstance(value, str) else value


def _attribute(row: dict[str, Any]) -> Attribute:
    kind, default = AttrType[row["type"]], row["default"]
    tensor_type = None
    if isinstance(default, dict):
        tensor_type = default["tensor"]
        default = default["value"] if tensor_type == "string" else _number(default["value"])
    elif kind is AttrType.FLOAT and default is not None:
        default = _number(default)
    elif isinstance(default, list):
        default = tuple(map(_number, default)) if kind is AttrType.FLOATS else tuple(default)
    return Attribute(row["name"], kind, row["required"], default, tensor_type)


def _with_tensors(spelled: str) -> str:
    """The type's full name: "map(int64, float)" leaves out that values of maps are tensors."""
    return re.sub(r"map\((\w+), (\w+)\)", r"map(\1,tensor(\2))", spelled)


def _schema(row: dict[str, Any]) -> OpSchema:
    allowed = {t["name"]: tuple(t["allowed"]) for t in row["types"]}

    def parameters(rows: list[dict[str, Any]]) -> tuple[FormalParameter, ...]:
        return tuple(
            FormalParameter(
                name=p["name"],
                type_str=p["type"],
                option=FormalParameterOption[p["option"]],
                is_homogeneous=p["homogeneous"],
                min_arity=p["min_arity"],
                differentiation_category=DifferentiationCategory[p["diff"]],
                types=frozenset(map(_with_tensors, allowed.get(p["type"], (p["type"],)))),
            )
            for p in rows
        )

    return OpSchema(
        name=row["name"],
        domain=row["domain"],
        since_version=row["since"],
        inputs=parameters(row["inputs"]),
        outputs=parameters(row["outputs"]),
        attribute_list=tuple(_attribute(a) for a in row["attributes"]),
        type_constraints=tuple(TypeConstraintParam(name, types) for name, types in allowed.items()),
        min_input=row["min_inputs"],
        max_input=row["max_inputs"],
        min_output=row["min_outputs"],
        max_output=row["max_outputs"],
        node_determinism=NodeDeterminism[row["determinism"]],
        support_level=SupportType[row["support"]],
        deprecated=row["deprecated"],
        same_meaning=row["same_meaning"],
    )


@functools.cache
def _table() -> dict[tuple[str, str], tuple[OpSchema, ...]]:
    """Each operator's versions by (domain, name), oldest first."""
    table: dict[tuple[str, str], list[OpSchema]] = {}
    for row in json.loads(schemas_json()):
        table.setdefault((row["domain"], row["name"]), []).append(_schema(row))
    return {key: tuple(sorted(versions, key=lambda s: s.since_version)) for key, versions in table.items()}


def _asked(version: int | str | None, domain: str) -> tuple[int | None, str]:
    """The version and the domain; the domain may stand in the version's place."""
    if isinstance(version, str):
        version, domain = None, version
    if not isinstance(version, int | None):
        raise InvalidArgument(f"max_inclusive_version is {type(version).__name__}, not an int")
    if not isinstance(domain, str):
        raise InvalidArgument(f"domain is {type(domain).__name__}, not a str")
    return version, domain


def _versions(op_type: str, domain: str) -> tuple[OpSchema, ...]:
    if not isinstance(op_type, str):
        raise InvalidArgument(f"op_type is {type(op_type).__name__}, not a str")
    return _table().get(("" if domain == "ai.onnx" else domain, op_type), ())


def get_schema(op_type: str, max_inclusive_version: int | str | None = None, domain: str = "") -> OpSchema:
    """The version of an operator that binds a node where ``max_inclusive_version`` of its domain is imported.

    Without a version, the newest one. As in onnx, the domain may also be the second argument.
    """
    max_inclusive_version, domain = _asked(max_inclusive_version, domain)
    versions = _versions(op_type, domain)
    shown = domain or "ai.onnx"
    if not versions:
        raise InvalidArgument(f'there is no operator "{op_type}" in {shown}')
    if max_inclusive_version is None:
        return versions[-1]
    for schema in reversed(versions):
        if schema.since_version <= max_inclusive_version:
            return schema
    first = versions[0].since_version
    raise InvalidArgument(f"{op_type} exists since version {first} of {shown}, not in version {max_inclusive_version}")


def has_schema(op_type: str, max_inclusive_version: int | str | None = None, domain: str = "") -> bool:
    """Whether :func:`get_schema` finds one (``onnx.defs.has``)."""
    max_inclusive_version, domain = _asked(max_inclusive_version, domain)
    versions = _versions(op_type, domain)
    return bool(versions) and (max_inclusive_version is None or versions[0].since_version <= max_inclusive_version)


def get_all_schemas() -> list[OpSchema]:
    """The newest version of every operator."""
    return [versions[-1] for _, versions in sorted(_table().items())]


def get_all_schemas_with_history() -> list[OpSchema]:
    """Every version of every operator."""
    return [schema for _, versions in sorted(_table().items()) for schema in versions]


def onnx_opset_version() -> int:
    """The newest version of the default operator set, ai.onnx, that Norn knows."""
    return newest_opset_version("")


def onnx_ml_opset_version() -> int:
    """The newest version of ai.onnx.ml that Norn knows."""
    return newest_opset_version("ai.onnx.ml")
