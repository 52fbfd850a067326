"""The schema objects against onnx.defs', attribute by attribute."""

import copy
import math
import pickle

import norn
import pytest
from norn import _schemas as ours
from onnx import AttributeProto, defs

KEYS = sorted({(s.domain, s.name) for s in defs.get_all_schemas_with_history()})
every_operator = pytest.mark.parametrize("key", KEYS, ids=lambda key: ".".join(filter(None, key)))


def standard(schemas):
    """Those that are ONNX's: Norn has operators of com.microsoft, too, one that exporters put into ai.onnx, and withdrawn ones."""
    known = {name for domain, name in KEYS if domain == ""}
    return [s for s in schemas if s.domain != "com.microsoft" and (s.domain != "" or s.name in known)]


@pytest.fixture(scope="module")
def theirs():
    table = {}
    for schema in defs.get_all_schemas_with_history():
        table.setdefault((schema.domain, schema.name), []).append(schema)
    return table


def same_enum(ours, theirs):
    return (ours.name, ours.value) == (theirs.name, theirs.value)


def assert_parameters(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        for name in ("name", "type_str", "is_homogeneous", "min_arity"):
            assert getattr(a, name) == getattr(b, name), name
        assert same_enum(a.option, b.option)
        assert same_enum(a.differentiation_category, b.differentiation_category)
        assert a.types == set(b.types)


def default_of(attribute):
    v, kind = attribute.default_value, AttributeProto
    readers = {
        kind.INT: lambda: v.i,
        kind.FLOAT: lambda: v.f,
        kind.STRING: lambda: v.s.decode(),
        kind.INTS: lambda: tuple(v.ints),
        kind.FLOATS: lambda: tuple(v.floats),
        kind.STRINGS: lambda: tuple(s.decode() for s in v.strings),
    }
    return readers[v.type]() if v.type in readers else None


@every_operator
def test_schema_equals_onnx(key, theirs):
    domain, name = key
    for schema in theirs[key]:
        mine = norn.get_schema(name, schema.since_version, domain)
        for field in (
            "name", "domain", "since_version", "min_input", "max_input", "min_output", "max_output", "deprecated",
            "non_deterministic",
        ):
            assert getattr(mine, field) == getattr(schema, field), field
        assert_parameters(mine.inputs, schema.inputs)
        assert_parameters(mine.outputs, schema.outputs)
        assert same_enum(mine.node_determinism, schema.node_determinism)
        assert same_enum(mine.support_level, schema.support_level)
        assert {t.type_param_str: set(t.allowed_type_strs) for t in mine.type_constraints} == {
            t.type_param_str: set(t.allowed_type_strs) for t in schema.type_constraints
        }
        assert set(mine.attributes) == set(schema.attributes)
        for attribute_name, attribute in schema.attributes.items():
            a = mine.attributes[attribute_name]
            assert (a.name, a.required) == (attribute.name, attribute.required)
            assert same_enum(a.type, attribute.type)
            if a.default_tensor_type is None:
                assert a.default_value == default_of(attribute), attribute_name
            else:
                # onnx describes these in words only.
                assert a.type is ours.AttrType.TENSOR and default_of(attribute) is None


def test_registry_functions_equal_onnx():
    keys = {(s.domain, s.name, s.since_version) for s in defs.get_all_schemas()}
    assert {(s.domain, s.name, s.since_version) for s in standard(norn.get_all_schemas())} == keys
    assert all(isinstance(s, norn.OpSchema) for s in norn.get_all_schemas())
    assert norn.onnx_opset_version() == defs.onnx_opset_version() == norn.newest_opset_version("ai.onnx")
    assert norn.onnx_ml_opset_version() == defs.onnx_ml_opset_version()
    for arguments in (("Add",), ("Add", ""), ("Nope",), ("Sin", 6), ("Sin", 7), ("Sin", 7, ""), ("Scaler",),
                      ("Scaler", "ai.onnx.ml"), ("Scaler", 1, "ai.onnx.ml"), ("Add", 0), ("Add", 1, "ai.onnx.ml")):
        assert norn.has_schema(*arguments) == defs.has(*arguments), arguments
    assert norn.has_schema("Scaler", domain="ai.onnx.ml") and not norn.has_schema("Sin", max_inclusive_version=6)


def test_history_and_newest():
    assert {(s.domain, s.name, s.since_version) for s in standard(norn.get_all_schemas_with_history())} == {
        (s.domain, s.name, s.since_version) for s in defs.get_all_schemas_with_history()
    }
    newest = {(s.domain, s.name): s.since_version for s in standard(ours.get_all_schemas())}
    assert list(newest) == KEYS
    assert all(newest[d, n] == defs.get_schema(n, d).since_version for d, n in KEYS)


@pytest.mark.parametrize("version", range(1, 29))
def test_version_in_force_equals_onnx(version):
    for domain, name in KEYS:
        if defs.has(name, version, domain):
            found = norn.get_schema(name, version, domain)
            assert found.since_version == defs.get_schema(name, version, domain).since_version
        else:
            assert not ours.has_schema(name, version, domain)


def test_domain_spellings_and_errors():
    assert norn.get_schema("Scaler", "ai.onnx.ml") is norn.get_schema("Scaler", domain="ai.onnx.ml")
    assert norn.get_schema("Add", domain="ai.onnx") is norn.get_schema("Add")
    assert ours.has_schema("Add") and not ours.has_schema("Add", "ai.onnx.ml")
    with pytest.raises(norn.InvalidArgument, match="no operator"):
        norn.get_schema("Nonsense")
    with pytest.raises(norn.InvalidArgument, match="since version 7"):
        norn.get_schema("Sin", 6)


def test_bounds_and_infinities():
    concat = norn.get_schema("Concat")
    assert concat.is_infinite(concat.max_input) and not concat.is_infinite(concat.max_output)
    values = [
        a.default_value for s in norn.get_all_schemas_with_history() for a in s.attributes.values()
        if isinstance(a.default_value, float)
    ]
    assert values and not any(math.isnan(v) for v in values)


def test_classes_are_found_where_onnx_has_them():
    nested = {name for name in dir(defs.OpSchema) if isinstance(getattr(defs.OpSchema, name), type) and name[0] != "_"}
    assert nested and all(getattr(norn.OpSchema, name) is getattr(ours, name) for name in nested)
    for enum in (name for name in nested if hasattr(getattr(defs.OpSchema, name), "__members__")):
        members = getattr(defs.OpSchema, enum).__members__
        assert {m.name: m.value for m in getattr(norn.OpSchema, enum)} == {n: m.value for n, m in members.items()}
    assert norn.get_schema("Conv").inputs[2].option is norn.OpSchema.FormalParameterOption.Optional


def test_what_a_schema_gives_out_is_the_callers_own():
    conv = norn.get_schema("Conv")
    names = set(conv.attributes)
    conv.attributes.clear()
    conv.attributes["group"] = None
    norn.get_all_schemas_with_history().clear()
    assert "group" in names and set(norn.get_schema("Conv").attributes) == names
    assert conv == norn.get_schema("Conv") and hash(conv) == hash(norn.get_schema("Conv"))
    for again in (pickle.loads(pickle.dumps(conv)), copy.deepcopy(conv)):
        assert again == conv and again.attributes == conv.attributes
