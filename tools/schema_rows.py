#!/usr/bin/env python3
"""Print the schema rows of operators as C++, from the facts of the installed `onnx` package.

    tools/schema_rows.py Add Sub [--domain ai.onnx.ml]
    tools/schema_rows.py MatMulNBits --domain com.microsoft    (of the installed `onnxruntime` package)

What it prints is the start of a slice's x.cc: parameter, attribute and type arrays, one row per version, rows that
differ only in types marked. Read it, give the arrays better names where that helps, then add the inference function.
"""
import argparse
import math

import numpy as np
from onnx import AttributeProto, defs

DIFF = {0: "Unknown", 1: "Differentiable", 2: "NonDifferentiable"}
ATTR = {"FLOAT": "Float", "INT": "Int", "STRING": "String", "TENSOR": "Tensor", "GRAPH": "Graph", "FLOATS": "Floats",
        "INTS": "Ints", "STRINGS": "Strings", "TENSORS": "Tensors", "GRAPHS": "Graphs", "SPARSE_TENSOR": "SparseTensor",
        "SPARSE_TENSORS": "SparseTensors", "TYPE_PROTO": "TypeProto", "TYPE_PROTOS": "TypeProtos"}
ELEM = {"float": "Float", "uint8": "Uint8", "int8": "Int8", "uint16": "Uint16", "int16": "Int16", "int32": "Int32",
        "int64": "Int64", "string": "String", "bool": "Bool", "float16": "Float16", "double": "Double",
        "uint32": "Uint32", "uint64": "Uint64", "complex64": "Complex64", "complex128": "Complex128",
        "bfloat16": "BFloat16", "float8e4m3fn": "Float8E4M3FN", "float8e4m3fnuz": "Float8E4M3FNUZ",
        "float8e5m2": "Float8E5M2", "float8e5m2fnuz": "Float8E5M2FNUZ", "uint4": "Uint4", "int4": "Int4",
        "float4e2m1": "Float4E2M1", "float8e8m0": "Float8E8M0", "uint2": "Uint2", "int2": "Int2",
        "float6e2m3": "Float6E2M3", "float6e3m2": "Float6E3M2"}
f16 = {"float16", "float", "double"}
signed = {"int8", "int16", "int32", "int64"}
unsigned = {"uint8", "uint16", "uint32", "uint64"}
numeric = f16 | signed | unsigned
every = numeric | {"complex64", "complex128", "bool", "string"}
ir9 = every | {"bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"}
ir10 = ir9 | {"int4", "uint4"}
ir11 = ir10 | {"float4e2m1"}
ir12 = ir11 | {"float8e8m0"}
ir13 = ir12 | {"int2", "uint2"}
# The sets that opset/schema.h names, largest first.
NAMED = [(ir13 | {"float6e2m3", "float6e3m2"}, "kAllIr14"), (ir13, "kAllIr13"), (ir12, "kAllIr12"), (ir11, "kAllIr11"),
         (ir10, "kAllIr10"), (ir9, "kAllIr9"), (every | {"bfloat16"}, "kAllBf"), (every, "kAll"),
         (numeric | {"bfloat16"}, "kNumericBf"), (numeric, "kNumeric"), (signed | unsigned, "kInts"), (signed, "kSigned"),
         (unsigned, "kUnsigned"), ({"int32", "int64", "uint32", "uint64"}, "kWideInts"),
         (f16 | {"bfloat16"}, "kFloats"), (f16, "kFloat16To64"), ({"int32", "int64"}, "kIndex"), ({"bool"}, "kBool"),
         ({"string"}, "kString"), ({"complex64", "complex128"}, "kComplex")]
MAPS = {"map(int64, string)": "kMapInt64String", "map(int64, float)": "kMapInt64Float",
        "map(int64, double)": "kMapInt64Double", "map(string, int64)": "kMapStringInt64",
        "map(string, float)": "kMapStringFloat", "map(string, double)": "kMapStringDouble",
        "seq(map(string, float))": "kSeqMapStringFloat", "seq(map(int64, float))": "kSeqMapInt64Float"}


def element_expr(names):
    rest, parts = set(names), []
    for members, label in NAMED:
        if members <= rest and (len(members) > 1 or members == rest or label in ("kBool", "kString")):
            parts.append(f"types::{label}")
            rest -= members
    if rest:
        parts.append("elems(" + ", ".join(f"DataType::{ELEM[n]}" for n in sorted(rest)) + ")")
    return " | ".join(parts)


def type_set(strings):
    groups = {"tensors": [], "sequences": [], "optionals": [], "optional_sequences": []}
    bits = []
    for s in strings:
        if s in MAPS:
            bits.append(MAPS[s])
            continue
        for prefix, group in (("optional(seq(tensor(", "optional_sequences"), ("optional(tensor(", "optionals"),
                              ("seq(tensor(", "sequences"), ("tensor(", "tensors")):
            if s.startswith(prefix):
                groups[group].append(s[len(prefix):].rstrip(")"))
                break
        else:
            raise ValueError(s)
    parts = [f"{g}({element_expr(v)})" for g, v in groups.items() if v]
    if bits:
        parts.append("maps(" + " | ".join(sorted(bits)) + ")")
    return " | ".join(parts)


def param(p):
    opt = {0: "Single", 1: "Optional", 2: "Variadic"}[int(p.option.value)]
    text = f'.name = "{p.name}", .type = "{p.type_str}"'
    if opt != "Single":
        text += f", .option = ParamOption::{opt}"
    if p.min_arity != 1:
        text += f", .min_arity = {p.min_arity}"
    if not p.is_homogeneous:
        text += ", .homogeneous = false"
    d = int(p.differentiation_category.value)
    if d:
        text += f", .diff = Differentiability::{DIFF[d]}"
    return "{" + text + "}"


def number(x):
    x = float(np.float32(x))
    if math.isinf(x):
        return ("-" if x < 0 else "") + "std::numeric_limits<float>::infinity()"
    s = str(np.float32(x))
    return s + ("f" if "." in s or "e" in s else ".0f")


def default(a, arrays):
    v = a.default_value
    if not v.name and not v.type:
        return None
    T = AttributeProto
    quote = lambda s: '"' + s.decode().replace("\\", "\\\\").replace('"', '\\"') + '"'
    if v.type == T.INT:
        return f"def_int({v.i})"
    if v.type == T.FLOAT:
        return f"def_float({number(v.f)})"
    if v.type == T.STRING:
        return f"def_string({quote(v.s)})"
    kinds = {T.INTS: ("std::int64_t", [str(x) for x in v.ints], "def_ints"),
             T.FLOATS: ("float", [number(x) for x in v.floats], "def_floats"),
             T.STRINGS: ("std::string_view", [quote(x) for x in v.strings], "def_strings")}
    if v.type in kinds:
        t, items, fn = kinds[v.type]
        if not items:
            return f"{fn}({{}})"
        name = arrays(f"constexpr {t} @[] = {{{', '.join(items)}}};", "kDefault")
        return f"{fn}({name})"
    return "{/* tensor default: write by hand */}"


class Arrays:
    """Named constexpr arrays, shared when equal."""

    def __init__(self):
        self.by_text, self.lines, self.used = {}, [], {}

    def __call__(self, text, base):
        if text not in self.by_text:
            n = self.used[base] = self.used.get(base, 0) + 1
            name = base if n == 1 else f"{base}{n}"
            self.by_text[text] = name
            self.lines.append(text.replace("@", name))
        return self.by_text[text]


def array(kind, items, arrays, base):
    if not items:
        return None
    body = ",\n    ".join(items)
    return arrays(f"constexpr {kind} @[] = {{\n    {body},\n}};", base)


def onnxruntime_schemas():
    """The schemas that ONNX Runtime adds to ONNX's, in the terms of onnx.defs."""
    from types import SimpleNamespace as Record

    from onnxruntime.capi import onnxruntime_pybind11_state as ort

    def params(ps):
        return [Record(name=p.name, type_str=p.typeStr, option=Record(value=int(p.option)), min_arity=1,
                       is_homogeneous=p.isHomogeneous, differentiation_category=Record(value=0)) for p in ps]

    for s in ort.get_all_operator_schema():
        attributes = {}
        for name, a in s.attributes.items():
            value = AttributeProto.FromString(a._default_value)
            attributes[name] = Record(type=Record(name=str(a.type).split(".")[-1]), required=a.required,
                                      default_value=value)
        yield Record(name=s.name, domain=s.domain, since_version=s.since_version, inputs=params(s.inputs),
                     outputs=params(s.outputs), attributes=attributes, type_constraints=s.type_constraints,
                     node_determinism=Record(value=2), deprecated=s.deprecated)


def all_schemas(domain):
    return onnxruntime_schemas() if domain == "com.microsoft" else defs.get_all_schemas_with_history()


def signature(s):
    p = lambda ps: [(x.name, x.type_str, x.option, x.min_arity, x.is_homogeneous) for x in ps]
    # Attributes without a default's name/type compare by their serialised default.
    at = sorted((n, a.type, a.required, a.default_value.SerializeToString()) for n, a in s.attributes.items())
    return p(s.inputs), p(s.outputs), str(at), [t.type_param_str for t in s.type_constraints]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("operators", nargs="+")
    ap.add_argument("--domain", default="")
    args = ap.parse_args()
    arrays, out = Arrays(), []
    for op in args.operators:
        rows, before = [], None
        history = sorted((s for s in all_schemas(args.domain) if s.name == op and s.domain == args.domain),
                         key=lambda s: s.since_version)
        if not history:
            raise SystemExit(f"no operator {args.domain or 'ai.onnx'}.{op}")
        for s in history:
            fields = [f".since = {s.since_version}"]
            for label, kind, items in (
                    ("inputs", "Param", [param(p) for p in s.inputs]),
                    ("outputs", "Param", [param(p) for p in s.outputs])):
                name = array(kind, items, arrays, f"k{op}{label.capitalize()}")
                if name:
                    fields.append(f".{label} = {name}")
            attrs = []
            for n in sorted(s.attributes):
                a = s.attributes[n]
                d = default(a, arrays)
                text = f'.name = "{n}", .type = ir::AttributeType::{ATTR[a.type.name]}'
                text += ", .required = true" if a.required else ""
                text += f", .def = {d}" if d else ""
                attrs.append("{" + text + "}")
            name = array("Attr", attrs, arrays, f"k{op}Attrs")
            if name:
                fields.append(f".attrs = {name}")
            types = [f'{{"{t.type_param_str}", {type_set(t.allowed_type_strs)}}}' for t in s.type_constraints]
            name = array("TypeConstraint", types, arrays, f"k{op}Types")
            if name:
                fields.append(f".types = {name}")
            det = int(s.node_determinism.value)
            if det != 2:
                fields.append(".determinism = Determinism::" + ("NonDeterministic" if det == 1 else "Unknown"))
            if s.deprecated:
                fields.append(".deprecated = true")
            sig = signature(s)
            if before is not None and sig == before and not s.deprecated:
                fields.append(".same_meaning = true")
            before = sig
            rows.append("    {" + ", ".join(fields) + "},")
        out.append(f"constexpr Schema k{op}[] = {{\n" + "\n".join(rows) + "\n};")
    print("\n".join(arrays.lines) + "\n\n" + "\n\n".join(out))


if __name__ == "__main__":
    main()
