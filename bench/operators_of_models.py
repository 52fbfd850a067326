#!/usr/bin/env python3
"""Every node of models beside ONNX Runtime, each alone with what it reads there: the sizes that people meet.

    bench/operators_of_models.py FOLDER|MODEL... [--only KEY ...] [--op Conv] [--threads 1] [--rounds 5] [--slow 1.1]

Models lie as bench/exported_models.py writes them, with inputs in NAME.inputs.npz. Nodes that are alike (operator,
attributes, sizes, types, and the contents of small constants and shapes) count once; control flow, strings and sequences
are left out. What is a constant there is a constant here. The key with the same models gives a case again (--only).
Believe a row only when a second run with more --rounds shows the same.
"""

import argparse
import hashlib
import math
import pathlib

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
import onnxruntime
from operators import other_session, summary
from operators_random import alternate

CONTROL_FLOW = ("Constant", "If", "Loop", "Scan")
SMALL = 64  # elements of a constant that tells nodes apart


def constants_of(graph):
    found = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            tensor = onnx.TensorProto()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = node.output[0]
            found[tensor.name] = tensor
    return found


def values_of(model, feeds):
    """What nodes read and write in a run without optimizations."""
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    names = [name for node in model.graph.node if node.op_type != "Constant" for name in node.output if name]
    del watched.graph.output[:]
    watched.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = other_session(watched, 1, graph_optimization_level=level)
    return {**dict(zip(names, session.run(names, feeds), strict=True)), **feeds}


def key_of(node, constants, values):
    def operand(name):
        if not name:
            return ""
        if name in constants:
            tensor = constants[name]
            small = math.prod(tensor.dims) <= SMALL
            return "constant", *tensor.dims, tensor.data_type, onnx.numpy_helper.to_array(tensor).tobytes() if small else ""
        value = values[name]
        is_shape = value.dtype == np.int64 and value.size <= SMALL
        return "fed", value.shape, value.dtype.str, value.tobytes() if is_shape else ""

    attributes = sorted(attribute.SerializeToString() for attribute in node.attribute)
    text = repr((node.op_type, node.domain, attributes, [operand(name) for name in node.input]))
    return hashlib.sha1(text.encode()).hexdigest()[:8]


def alone(model, node, constants, values):
    """A model of the node, and its feeds."""
    names = dict.fromkeys(name for name in node.input if name)
    feeds = {name: values[name] for name in names if name not in constants}
    infos = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in feeds.items()
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    graph = onnx.helper.make_graph([node], "alone", infos, outputs, [constants[n] for n in names if n in constants])
    made = onnx.helper.make_model(graph, opset_imports=model.opset_import, ir_version=min(model.ir_version, 10))
    made.functions.extend(model.functions)
    return made, feeds


def described(node, constants, values):
    def operand(name):
        if name in constants:
            return f"constant{list(constants[name].dims)}"
        return f"{values[name].dtype}{list(values[name].shape)}"

    attributes = " ".join(f"{a.name}={onnx.helper.get_attribute_value(a)}"[:40] for a in node.attribute)
    return f"{node.op_type} {' '.join(operand(name) for name in node.input if name)} {attributes}"[:160]


def is_plain(name, constants, values):
    value = values.get(name)
    return name in constants or (isinstance(value, np.ndarray) and value.dtype != object)


def cases(path, seen):
    """(key, description, model, feeds) of nodes that were not seen before."""
    model = onnx.load(path)
    constants = constants_of(model.graph)
    values = values_of(model, dict(np.load(path.with_suffix(".inputs.npz"))))
    for node in model.graph.node:
        names = [name for name in node.input if name]
        if node.op_type in CONTROL_FLOW or all(name in constants for name in names):
            continue
        if not all(is_plain(name, constants, values) for name in names):
            continue
        key = key_of(node, constants, values)
        if key not in seen:
            seen.add(key)
            yield key, described(node, constants, values), *alone(model, node, constants, values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, metavar="FOLDER|MODEL")
    parser.add_argument("--only", nargs="*", default=[], metavar="KEY")
    parser.add_argument("--op", action="append", help="only nodes of this operator")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow", type=float, default=1.1, help="print only rows above this ratio")
    options = parser.parse_args()
    files = [f for path in options.paths for f in (sorted(path.rglob("*.onnx")) if path.is_dir() else [path])]
    found, seen = [], set()
    for path in files:
        try:
            for key, text, model, feeds in cases(path, seen):
                if (options.only and key not in options.only) or (options.op and text.split()[0] not in options.op):
                    continue
                try:
                    theirs = other_session(model, options.threads)
                    times = alternate(model, theirs, feeds, options.threads, options.rounds)
                except Exception as error:
                    print(f"{key} {text}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", flush=True)
                    continue
                found.append((times[0] / times[1], key, f"{path.stem}: {text}", *times))
        except Exception as error:
            print(f"{path.name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", flush=True)
    print(f"{'':>8} {'norn us':>9} {'onnxruntime us':>14} {'ratio':>6}")
    for ratio, key, text, ours, theirs in sorted(found, reverse=True):
        if ratio >= options.slow or options.only:
            print(f"{key} {ours:9.0f} {theirs:14.0f} {ratio:6.2f}  {text}")
    if found:
        print(summary([row[0] for row in found]))


if __name__ == "__main__":
    main()
