#!/usr/bin/env python3
"""Latency of norn beside ONNX Runtime, paired in one process: calls alternate, so that both see the same machine.

    bench/latency.py MODEL... [--threads 1 2] [--seconds 3] [--json FILE]

Inputs come from MODEL.inputs.npz beside MODEL.onnx (one array for each input; further MODEL.VARIANT.inputs.npz are
further rows), or from --inputs FILE.npz; without one they are made up (see --dim). Outputs are compared before anything
is timed.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

import numpy as np

import norn

NUMPY = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}


def norn_session(path, threads):
    return norn.InferenceSession(path, norn.SessionOptions(intra_op_num_threads=threads))


def ort_session(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def made_up(session, dim):
    rng = np.random.default_rng(0)
    feed = {}
    for value in session.get_inputs():
        shape = [d if isinstance(d, int) else dim for d in value.shape or []]
        dtype = NUMPY[value.type]
        floating = np.issubdtype(dtype, np.floating)
        feed[value.name] = (rng.random(shape) if floating else rng.integers(0, 2, shape)).astype(dtype)
    return feed


def feeds_of(path, arguments, session):
    """(variant, feed) for every file of inputs."""
    if arguments.inputs:
        files = [pathlib.Path(f) for f in arguments.inputs]
    else:
        files = sorted(path.parent.glob(f"{path.stem}.inputs.npz")) + sorted(
            path.parent.glob(f"{path.stem}.*.inputs.npz")
        )
    if not files:
        yield "", made_up(session, arguments.dim)
    for file in files:
        with np.load(file) as arrays:
            variant = file.name.removesuffix(".inputs.npz").removesuffix(".npz").removeprefix(path.stem).strip(".")
            yield variant, {name: arrays[name] for name in arrays.files}


def load_seconds(make, path, threads):
    start = time.perf_counter()
    session = make(path, threads)
    return session, time.perf_counter() - start


def agreement(ours, theirs):
    """The largest difference, relative to the largest magnitude of the output."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(a, np.ndarray) and a.dtype.kind in "fc" and a.size:
            scale = max(float(np.max(np.abs(b))), 1e-30)
            worst = max(worst, float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)))) / scale)
        elif isinstance(a, np.ndarray) and not np.array_equal(a, b):
            worst = float("inf")
    return worst


ROUND, REST = 0.25, 0.15  # seconds of calls in a row, and of quiet before them


def paired(a, b, seconds):
    """Times of a() and b() for about `seconds`: short rounds of each in turn, so that both see the same machine.

    Before a round there is quiet, and its first call is not counted: threads that one runtime leaves spinning would
    otherwise take a core from the other.
    """
    times, clock = ([], []), time.perf_counter
    end = clock() + seconds
    while clock() < end or len(times[0]) < 5:
        for call, into in ((a, times[0]), (b, times[1])):
            time.sleep(REST)
            call()
            stop = clock() + ROUND
            while (start := clock()) < stop:
                call()
                into.append(clock() - start)
    return times


def measure(path, arguments):
    for threads in arguments.threads:
        ours, our_load = load_seconds(norn_session, str(path), threads)
        theirs, their_load = load_seconds(ort_session, str(path), threads)
        for variant, feed in feeds_of(path, arguments, ours):
            difference = agreement(ours.run(None, feed), theirs.run(None, feed))
            a, b = paired(
                lambda feed=feed: ours.run(None, feed), lambda feed=feed: theirs.run(None, feed), arguments.seconds
            )
            yield {
                "model": path.stem + (f" {variant}" if variant else ""),
                "threads": threads,
                "calls": len(a),
                "norn": statistics.median(a),
                "ort": statistics.median(b),
                "ratio": statistics.median(a) / statistics.median(b),
                "norn_load": our_load,
                "ort_load": their_load,
                "difference": difference,
            }


def duration(seconds):
    return (
        f"{seconds * 1e6:.1f} µs"
        if seconds < 1e-3
        else f"{seconds * 1e3:.2f} ms"
        if seconds < 1
        else f"{seconds:.2f} s"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--inputs", nargs="*", help=".npz files with the inputs, for a single model")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=3, help="of measuring, for each row (default 3)")
    parser.add_argument("--dim", type=int, default=1, help="size of open dimensions of made-up inputs (default 1)")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows there as well")
    arguments = parser.parse_args()

    columns = f"{'calls':>8}{'norn':>12}{'ORT':>12}{'ratio':>8}{'load':>11}{'ORT load':>11}{'differs':>10}"
    header = f"{'model':<28}{'threads':>8}{columns}"
    print(header, "-" * len(header), sep="\n")
    rows, failed = [], False
    for path in arguments.models:
        try:
            for row in measure(path, arguments):
                rows.append(row)
                print(
                    f"{row['model']:<28}{row['threads']:>8}{row['calls']:>8}{duration(row['norn']):>12}{duration(row['ort']):>12}"
                    f"{row['ratio']:>8.2f}{duration(row['norn_load']):>11}{duration(row['ort_load']):>11}"
                    f"{row['difference']:>10.1e}",
                    flush=True,
                )
        except norn.Error as error:
            failed = True
            print(f"{path.stem:<28}  {type(error).__name__}: {error.message}", flush=True)
    if rows:
        mean = statistics.geometric_mean(row["ratio"] for row in rows)
        print(f"geometric mean of the ratios over {len(rows)} rows: {mean:.3f} (below 1: norn is faster)")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
