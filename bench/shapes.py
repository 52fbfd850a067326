#!/usr/bin/env python3
"""What inference leaves unknown: norn beside the onnx package (data_prop=True), for the same models.

    bench/shapes.py MODEL... [--why] [--bare]

A row for each model: values that nodes of the main graph make, and of them those without a type, those without a rank,
and dimensions with neither a number nor an expression over the model's variables. --why lists norn's reasons, most frequent first.
--bare drops the declarations of values between nodes, which exporters write from what they saw.
"""

import argparse
import collections
import os

import onnx
import onnx.shape_inference

import norn


def unknown(model):
    """(values, without type, without rank, unknown dimensions) of what the main graph's nodes make."""
    declared = {v.name: v.type for v in [*model.graph.value_info, *model.graph.output]}
    values = types = ranks = dims = 0
    for node in model.graph.node:
        for name in filter(None, node.output):
            values += 1
            kind = declared[name].WhichOneof("value") if name in declared else None
            types += kind is None
            if kind not in ("tensor_type", "sparse_tensor_type"):
                continue
            tensor = getattr(declared[name], kind)
            ranks += not tensor.HasField("shape")
            dims += sum(not d.HasField("dim_value") and (not d.dim_param or "unk__" in d.dim_param) for d in tensor.shape.dim)
    return values, types, ranks, dims


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--why", action="store_true", help="norn's reasons")
    parser.add_argument("--bare", action="store_true", help="without the model's own value_info")
    options = parser.parse_args()
    heads = ("values", "no type", "no rank", "sizes", "onnx: no type", "no rank", "sizes")
    print(f"{'model':28}" + "".join(f"{h:>15}" for h in heads))
    for path in options.models:
        model = onnx.load(path, load_external_data=False)
        if options.bare:
            del model.graph.value_info[:]
        ours = unknown(norn.infer_shapes(model, symbolic=True))
        try:
            theirs = unknown(onnx.shape_inference.infer_shapes(model, data_prop=True))
        except onnx.shape_inference.InferenceError:
            theirs = ("failed",) * 4
        cells = (*ours, *theirs[1:])
        print(f"{os.path.basename(path):28}" + "".join(f"{c:>15}" for c in cells))
        if options.why:
            found = norn.explain_shapes(model)
            for why, count in collections.Counter(u["why"] for u in found["unknown"]).most_common():
                print(f"  {count:>6}  {why}")
            for name, count in found["without_inference"].items():
                print(f"  {count:>6}  {name} is not inferred yet")


if __name__ == "__main__":
    main()
