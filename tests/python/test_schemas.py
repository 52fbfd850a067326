"""Every schema row of Norn against the installed onnx package's, operator by operator and version by version.

Operators that ONNX does not have are compared with onnxruntime's, where that is installed.
"""

import json
import math

import norn
import numpy as np
import pytest
from onnx import AttributeProto, defs

ROWS = {}
for row in json.loads(norn.schemas_json()):
    ROWS.setdefault((row["domain"], row["name"]), []).append(row)
DIFF = ["Unknown", "Differentiable", "NonDifferentiable"]
OPTION = ["Single", "Optional", "Variadic"]
DETERMINISM = ["Unknown", "NonDeterministic", "Deterministic"]
# Experimental operators of the first operator sets, which onnx does not have any more.
WITHDRAWN = {"Affine", "ConstantFill", "Crop", "DynamicSlice", "GivenTensorFill", "ImageScaler", "ParametricSoftplus", "Scale",
             "ScaledTanh"}
OTHERS = sorted(key for key in ROWS if key[0] == "com.microsoft" or key == ("", "SimplifiedLayerNormalization"))
STANDARD = sorted(set(ROWS) - set(OTHERS) - {("", name) for name in WITHDRAWN})


def each(keys):
    return pytest.mark.parametrize("key", keys, ids=lambda key: ".".join(filter(None, key)))


every_operator = each(STANDARD)


@pytest.fixture(scope="module")
def onnx_schemas():
    table = {}
    for s in defs.get_all_schemas_with_history():
        table.setdefault((s.domain, s.name), {})[s.since_version] = s
    return table


def parameters(params):
    return [{"name": p.name, "type": p.type_str, "option": OPTION[int(p.option.value)], "min_arity": p.min_arity,
             "homogeneous": p.is_homogeneous, "diff": DIFF[int(p.differentiation_category.value)]} for p in params]


def number(x):
    x = float(np.float32(x))
    return ("inf" if x > 0 else "-inf") if math.isinf(x) else x


def default(attribute):
    v = attribute.default_value
    kind = AttributeProto
    readers = {kind.INT: lambda: v.i, kind.FLOAT: lambda: number(v.f), kind.STRING: lambda: v.s.decode(),
               kind.INTS: lambda: list(v.ints), kind.FLOATS: lambda: [number(f) for f in v.floats],
               kind.STRINGS: lambda: [s.decode() for s in v.strings]}
    return readers[v.type]() if v.type in readers else None


def facts(schema):
    return {
        "inputs": parameters(schema.inputs),
        "outputs": parameters(schema.outputs),
        "attributes": {n: (a.type.name, a.required, default(a)) for n, a in schema.attributes.items()},
        "types": {t.type_param_str: sorted(t.allowed_type_strs) for t in schema.type_constraints},
        "arity": (schema.min_input, schema.max_input, schema.min_output, schema.max_output),
        "determinism": DETERMINISM[int(schema.node_determinism.value)],
        "support": schema.support_level.name,
        "deprecated": schema.deprecated,
    }


def norn_default(value):
    # onnx describes tensor defaults in words only, its schemas do not record them.
    return None if isinstance(value, dict) else value


def norn_facts(row):
    return {
        "inputs": row["inputs"],
        "outputs": row["outputs"],
        "attributes": {a["name"]: (a["type"], a["required"], norn_default(a["default"])) for a in row["attributes"]},
        "types": {t["name"]: t["allowed"] for t in row["types"]},
        "arity": (row["min_inputs"], row["max_inputs"], row["min_outputs"], row["max_outputs"]),
        "determinism": row["determinism"],
        "support": row["support"],
        "deprecated": row["deprecated"],
    }


def test_every_operator_of_onnx_is_there(onnx_schemas):
    assert sorted(onnx_schemas) == STANDARD
    assert sum(len(ROWS[key]) for key in STANDARD) == sum(map(len, onnx_schemas.values())) >= 659
    assert [row["since"] for row in ROWS["", "Add"]] == [1, 6, 7, 13, 14]


@every_operator
def test_rows_equal_onnx(key, onnx_schemas):
    assert key in onnx_schemas, "onnx has no such operator"
    theirs = onnx_schemas[key]
    assert [row["since"] for row in ROWS[key]] == sorted(theirs)
    for row in ROWS[key]:
        ours, expected = norn_facts(row), facts(theirs[row["since"]])
        for fact, value in expected.items():
            assert ours[fact] == value, f"version {row['since']}: {fact}"


@pytest.fixture(scope="module")
def onnxruntime_schemas():
    state = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state")
    return {(s.domain, s.name): s for s in state.get_all_operator_schema() if s.domain in ("", "com.microsoft")}


@each(OTHERS)
def test_other_rows_equal_onnxruntime(key, onnxruntime_schemas):
    def ports(params):
        return [(p.name, p.typeStr, str(p.option).split(".")[-1], p.isHomogeneous) for p in params]

    (row,), theirs = ROWS[key], onnxruntime_schemas[key]
    assert row["since"] == theirs.since_version == 1
    for ours, params in ((row["inputs"], theirs.inputs), (row["outputs"], theirs.outputs)):
        assert [(p["name"], p["type"], p["option"], p["homogeneous"]) for p in ours] == ports(params)
    attributes = {}
    for name, a in theirs.attributes.items():
        value = AttributeProto.FromString(a._default_value)
        wrapped = type("Attribute", (), {"default_value": value})
        attributes[name] = (str(a.type).split(".")[-1], a.required, default(wrapped))
    assert {a["name"]: (a["type"], a["required"], a["default"]) for a in row["attributes"]} == attributes
    allowed = {t.type_param_str: sorted(t.allowed_type_strs) for t in theirs.type_constraints}
    assert {t["name"]: t["allowed"] for t in row["types"]} == allowed


@every_operator
def test_rows_that_mean_the_same_only_allow_more_types(key):
    def shape(row):
        ports = [(p["name"], p["option"], p["min_arity"]) for p in row["inputs"] + row["outputs"]]
        return ports, sorted((a["name"], a["type"], a["required"], str(a["default"])) for a in row["attributes"])

    for before, row in zip(ROWS[key], ROWS[key][1:], strict=False):
        if row["same_meaning"]:
            assert shape(before) == shape(row), f"version {row['since']}"
            allowed = {t["name"]: set(t["allowed"]) for t in row["types"]}
            for t in before["types"]:
                assert set(t["allowed"]) <= allowed.get(t["name"], set(t["allowed"])), f"version {row['since']}"
