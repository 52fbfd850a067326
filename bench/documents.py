#!/usr/bin/env python3
"""Loading and checking models with norn beside the onnx package, paired in one process: calls alternate.

    bench/documents.py MODEL... [--seconds 5] [--no-onnx] [--json FILE]

Rows for each model, medians of as many rounds as fit the time, at least three: loading it from its path, checking it
from its path with all rules but those about types, with all of them (onnx's full check), inferring shapes from file to
a new file, and in place of one that is there (norn waits for the disk before it replaces a file; onnx writes over it),
and loading and checking given a ModelProto, where norn's time is also shown less the proto's own serialisation. onnx
reads external data when it loads; norn maps it. Last comes the peak of this process's memory, which is norn's alone
with --no-onnx.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time

import norn


def paired(jobs, seconds, before):
    """Medians in milliseconds by name; None for a job that fails. What is in `before` is called first, and not timed."""
    times = {name: [] for name in jobs}
    failed = set()
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or time.perf_counter() < end:
        rounds += 1
        for name, job in jobs.items():
            if name in failed:
                continue
            if name in before:
                before[name]()
            start = time.perf_counter()
            try:
                job()
            except Exception as error:
                failed.add(name)
                print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", file=sys.stderr)
            else:
                times[name].append((time.perf_counter() - start) * 1e3)
    return {name: None if name in failed else statistics.median(t) for name, t in times.items()}


def rows_of(path, seconds, with_onnx):
    folder = tempfile.TemporaryDirectory(prefix="norn_bench_")
    inferred, replaced = (os.path.join(folder.name, name) for name in ("inferred.onnx", "replaced.onnx"))

    def remove():
        if os.path.exists(inferred):
            os.remove(inferred)

    jobs = {
        "load": lambda: norn.load(path),
        "check": lambda: norn.check(path, infer=False),
        "full": lambda: norn.check(path),
        "infer": lambda: norn.infer_shapes_path(path, inferred),
        "replace": lambda: norn.infer_shapes_path(path, replaced),
    }
    if with_onnx:
        import onnx
        import onnx.checker
        import onnx.shape_inference

        jobs |= {
            "onnx.load": lambda: onnx.load(path),
            "onnx.check": lambda: onnx.checker.check_model(path),
            "onnx.full": lambda: onnx.checker.check_model(path, full_check=True),
            "onnx.infer": lambda: onnx.shape_inference.infer_shapes_path(path, inferred),
            "onnx.replace": lambda: onnx.shape_inference.infer_shapes_path(path, replaced),
        }
        proto = onnx.load(path, load_external_data=False)
        if proto.ByteSize() < 2**31:
            jobs |= {
                "proto.serialize": proto.SerializeToString,
                "proto.load": lambda: norn.load(proto),
                "proto.check": lambda: norn.check(proto, infer=False),
                "onnx.proto.check": lambda: onnx.checker.check_model(proto),
            }
    t = paired(jobs, seconds, {"infer": remove, "onnx.infer": remove})

    def row(what, ours, theirs=None, beyond=None):
        return {
            "model": os.path.basename(path),
            "what": what,
            "norn_ms": ours,
            "onnx_ms": theirs,
            "faster": theirs / ours if ours and theirs else None,
            "beyond_serialisation_ms": ours - beyond if ours and beyond else None,
        }

    rows = [
        row("load", t["load"], t.get("onnx.load")),
        row("check", t["check"], t.get("onnx.check")),
        row("full check", t["full"], t.get("onnx.full")),
        row("infer shapes", t["infer"], t.get("onnx.infer")),
        row("... replacing a file", t["replace"], t.get("onnx.replace")),
    ]
    if "proto.load" in t:
        serialize = t["proto.serialize"]
        rows.append(row("load a ModelProto", t["proto.load"], None, serialize))
        rows.append(row("check a ModelProto", t["proto.check"], t["onnx.proto.check"], serialize))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--seconds", type=float, default=5, help="for each model")
    parser.add_argument("--no-onnx", action="store_true", help="norn alone")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()

    def text(value, unit=""):
        return "-" if value is None else f"{value:.3f}{unit}"

    print(f"{'model':28} {'what':20} {'norn ms':>10} {'onnx ms':>10} {'faster':>9} {'beyond serialisation':>21}")
    everything = []
    for path in options.models:
        for r in rows_of(path, options.seconds, not options.no_onnx):
            everything.append(r)
            print(
                f"{r['model']:28} {r['what']:20} {text(r['norn_ms']):>10} {text(r['onnx_ms']):>10} "
                f"{text(r['faster'], 'x'):>9} {text(r['beyond_serialisation_ms'], ' ms'):>21}"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"rows": everything, "peak_mb": peak}, file, indent=1)


if __name__ == "__main__":
    main()
