#!/usr/bin/env python3
"""What onnx's reference evaluator gives for a node, in the notation of src/ops/common/case.h.

    .venv/bin/python tools/case_values.py "Softmax-13 axis=1" "float[2,2] 1 2 3 4"

prints the line of a case: its node, inputs, and outputs. Inputs are given by their values; "-" is one that is left out.
"""

import json
import re
import sys

import numpy as np
import onnx
from onnx import defs, helper
from onnx.reference import ReferenceEvaluator

TYPES = {helper.tensor_dtype_to_string(t).split(".")[1].lower(): t for t in onnx.TensorProto.DataType.values() if t}


def tensor(text):
    name, dims, values = re.fullmatch(r"(\w+)\[([\d,]*)\]\s*(.*)", text.strip(), re.S).groups()
    dtype = helper.tensor_dtype_to_np_dtype(TYPES[name])
    words = [w.strip('"') for w in re.findall(r'"[^"]*"|\S+', values)]
    if dtype == np.dtype("O"):
        items = words
    elif np.issubdtype(dtype, np.integer):
        items = [{"min": np.iinfo(dtype).min, "max": np.iinfo(dtype).max}.get(w) or int(w) for w in words]
    else:
        items = [float(w) for w in words]
    return np.array(items, dtype=dtype).reshape([int(d) for d in dims.split(",") if d])


def show(value):
    name = next(n for n, t in TYPES.items() if helper.tensor_dtype_to_np_dtype(t) == value.dtype)
    if value.dtype.kind in "OU":
        name, words = "string", [f'"{v}"' for v in value.ravel()]
    elif value.dtype.kind == "f":
        words = [f"{v:.17g}" if value.dtype == np.float64 else f"{float(v):.9g}" for v in value.ravel()]
    else:
        words = [str(int(v)) for v in value.ravel()]
    return " ".join([f"{name}[{','.join(map(str, value.shape))}]", *words])


def attribute(schema, word):
    name, _, text = word.partition("=")
    kind = schema.attributes[name].type.name
    items = [w for w in text.strip("[]").split(",") if w]
    values = {
        "INT": lambda: TYPES[text] if text in TYPES else int(text),
        "FLOAT": lambda: float(text),
        "STRING": lambda: text,
        "INTS": lambda: [int(w) for w in items],
        "FLOATS": lambda: [float(w) for w in items],
        "STRINGS": lambda: items,
    }
    return helper.make_attribute(name, values[kind](), attr_type=getattr(onnx.AttributeProto, kind))


def main(node, inputs=""):
    head, *words = node.split()
    full, _, version = head.partition("-")
    domain, _, op = full.rpartition(".")
    schema = defs.get_schema(op, int(version), domain) if version else defs.get_schema(op, domain=domain)
    texts = [t.strip() for t in inputs.split(";")] if inputs.strip() else []
    feeds = {f"in{i}": tensor(t) for i, t in enumerate(texts) if t != "-"}
    outputs = [o.name for o in schema.outputs]
    proto = helper.make_node(op, [f"in{i}" if t != "-" else "" for i, t in enumerate(texts)], outputs, domain=domain)
    proto.attribute.extend(attribute(schema, w) for w in words)
    graph = helper.make_graph(
        [proto],
        "case",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in feeds.items()],
        [helper.make_value_info(o, onnx.TypeProto()) for o in outputs],
    )
    opset = helper.make_opsetid(domain, int(version or schema.since_version))
    results = ReferenceEvaluator(helper.make_model(graph, opset_imports=[opset])).run(None, feeds)
    line = [node, inputs, "; ".join(show(np.asarray(r)) for r in results)]
    print("{" + ", ".join(json.dumps(text) for text in line) + "},")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
