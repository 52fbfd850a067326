#!/usr/bin/env python3
"""Single operators beside ONNX Runtime, paired in one process: calls alternate.

    bench/operators.py [NAME...] [--family movement] [--threads 1] [--rounds 7] [--slow 1.2]

Each row is a model of one node at a size that people meet, some hundred thousand elements for what goes element by
element; what the rows are is in operator_cases*.py. NAME is a row ("Add int64") or an operator (all its rows); a row
that one of the two does not run is left out, with the reason if it is norn. Medians in microseconds, the slowest in
proportion first, and the geometric mean of all ratios at the end (below 1: norn is faster).
"""

import argparse
import math
import statistics
import time

import onnx
import onnx.numpy_helper
import onnx.parser
import operator_cases
import operator_cases_classical
import operator_cases_drawn
import operator_cases_earlier
import operator_cases_fed
import operator_cases_forms
import operator_cases_large
import operator_cases_layers
import operator_cases_models
import operator_cases_moves
import operator_cases_newer
import operator_cases_shapes
import operator_cases_tiny
import operator_cases_windows

import norn

FAMILIES = {
    name: make
    for cases in (
        operator_cases,
        operator_cases_models,
        operator_cases_shapes,
        operator_cases_moves,
        operator_cases_windows,
        operator_cases_classical,
        operator_cases_newer,
        operator_cases_layers,
        operator_cases_fed,
        operator_cases_forms,
        operator_cases_large,
        operator_cases_earlier,
        operator_cases_tiny,
        operator_cases_drawn,
    )
    for name, make in cases.FAMILIES.items()
}


def other_session(model, threads, **rest):
    """ONNX Runtime's, which says nothing where it fails; `rest`: of its options."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    for name, value in rest.items():
        setattr(options, name, value)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def measure(case, threads, rounds):
    text, feeds, *constants = case
    if not text.startswith("<"):
        text = '<ir_version: 10, opset_import: ["": 21, "ai.onnx.ml": 5, "com.microsoft": 1]>\n' + text
    model = onnx.parser.parse_model(text)
    for named in constants:
        model.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in named.items())
    try:
        theirs = other_session(model, threads)
        theirs.run(None, feeds)
    except Exception:
        return None
    engines = [norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=threads)), theirs]
    times = [[], []]
    for turn in range(rounds + 1):
        for engine, spent in zip(engines, times, strict=True):
            start = time.perf_counter()
            engine.run(None, feeds)
            if turn > 0:
                spent.append((time.perf_counter() - start) * 1e6)
    return [statistics.median(spent) for spent in times]


def summary(ratios):
    mean = math.exp(statistics.mean(map(math.log, ratios)))
    return f"geometric mean of {len(ratios)}: {mean:.2f}; {sum(ratio > 1.2 for ratio in ratios)} above 1.2"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--slow", type=float, default=0, help="print only rows above this ratio")
    options = parser.parse_args()
    found = []
    for family, make in FAMILIES.items():
        if options.family and family not in options.family:
            continue
        for name, case in make().items():
            if options.names and name not in options.names and name.split()[0] not in options.names:
                continue
            try:
                times = measure(case(), options.threads, options.rounds)
                if times:
                    found.append((times[0] / times[1], name, *times))
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
    print(f"{'':34} {'norn us':>10} {'onnxruntime us':>15} {'ratio':>8}")
    for ratio, name, ours, theirs in sorted(found, reverse=True):
        if ratio >= options.slow:
            print(f"{name:34} {ours:10.0f} {theirs:15.0f} {ratio:8.2f}")
    if found:
        print(summary([row[0] for row in found]))


if __name__ == "__main__":
    main()
