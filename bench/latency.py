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

import norn
from engines import agreement, duration, feeds_of, input_files, load_seconds, norn_session, ort_session, turns_of


def paired(a, b, seconds):
    """Times of a() and b() in neighbouring turns."""
    return [[t for turn in turns for t in turn] for turns in turns_of((a, b), seconds)]


def measure(path, arguments):
    for threads in arguments.threads:
        ours, our_load = load_seconds(norn_session, str(path), threads)
        theirs, their_load = load_seconds(ort_session, str(path), threads)
        for variant, feed in feeds_of(path, arguments.inputs or input_files(path), ours, arguments.dim):
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
