#!/usr/bin/env python3
"""Runs on one session from many threads, with mixed shapes, and ends some of them: every answer is that of one thread.

    bench/stress.py [--minutes 10] [--threads 6] [--seed 0]

Models with fixed and open sizes, loops and branches within plans and beside them, late sizes, outputs in arrays of the
caller; cancelled from other threads and by deadlines of a few microseconds. Prints what was run, and fails with the
first answer that differs.
"""

import argparse
import random
import sys
import threading
import time

import numpy as np
import onnx.parser

import norn

HEAD = '<ir_version: 9, opset_import: ["": 21]>\n'

CHAIN = """agraph (float[N, M] x) => (y, s, t) {
    a = Tanh(x) b = Sigmoid(x) c = Mul(a, b) s = Softmax(c) t = Transpose<perm = [1, 0]>(c) y = MatMul(c, t)
}"""
LATE = """agraph (float[N, M] x) => (y, z) {
    zero = Constant<value_float = 0.0>() l = Less(x, zero) i = NonZero(l) f = Cast<to = 1>(i) g = Transpose<perm = [1, 0]>(f)
    y = MatMul(f, g) axes = Constant<value_ints = [1]>() z = ReduceSum<keepdims = 0>(y, axes)
}"""
LOOPS = """agraph (int64 m, bool c, float[N, M] x) => (y, all, w) {
    y, all = Loop(m, "", x) <body = body (int64 i, bool go, float[N, M] v) => (bool on, float[N, M] n, float[N, M] s) {
        on = Identity(go) a = Sub(v, x) n = Tanh(a) s = Abs(n)
    }>
    w = If(c) <
        then_branch = t () => (p) {
            p = Loop(m, "", x) <body = in (int64 j, bool d, float[N, M] u) => (bool e, float[N, M] q) {
                e = Identity(d) r = Exp(u) q = Softmax(r)
            }>
        },
        else_branch = f () => (k) { k = Neg(y) }>
}"""
GROWING = """agraph (int64 m, float[N, M] x) => (y) {
    y = Loop(m, "", x) <body = body (int64 i, bool go, float[P, Q] v) => (bool on, float[R, S] n) {
        on = Identity(go) n = Concat<axis = 0>(v, x)
    }>
}"""
SCAN = """agraph (float[M] s, float[N, M] x) => (t, y, z) {
    t, y, z = Scan<num_scan_inputs = 1, scan_output_axes = [1, 0], body = body (float[M] a, float[M] b) => (float[M] c, float[M] d, float[M] e) {
        f = Add(a, b) c = Tanh(f) d = Neg(c) e = Mul(b, c)
    }>(s, x)
}"""


def feeds_of(text, rng):
    generator = np.random.default_rng(rng.randrange(8))
    n, m = rng.randint(1, 40), rng.choice([1, 3, 8, 64])
    feed = {"x": generator.standard_normal((n, m), np.float32)}
    if "int64 m" in text:
        feed["m"] = np.int64(rng.randint(1, 6))
    if "bool c," in text:
        feed["c"] = np.array(rng.random() < 0.5)
    if "float[M] s" in text:
        feed["s"] = generator.standard_normal(m, np.float32)
    return feed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=300, help="of each model, whose answers are known beforehand")
    options = parser.parse_args()

    rng = random.Random(options.seed)
    work = []  # session, feed, answer
    for text in (CHAIN, LATE, LOOPS, GROWING, SCAN):
        model = onnx.parser.parse_model(HEAD + text)
        alone = norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=1))
        shared = norn.InferenceSession(model, norn.SessionOptions(max_plan_bytes=200_000))
        for _ in range(options.cases):
            feed = feeds_of(text, rng)
            work.append((shared, feed, alone.run(None, feed)))

    end = time.monotonic() + 60 * options.minutes
    counts = {"compared": 0, "cancelled": 0, "placed": 0}
    faults, lock = [], threading.Lock()

    def one(choose, mine):
        session, feed, answer = choose.choice(work)
        run, timer, arrays = norn.RunOptions(), None, None
        way = choose.random()
        if way < 0.1:
            run.timeout = choose.random() * 3e-4
        elif way < 0.15:
            timer = threading.Timer(choose.random() * 3e-4, lambda: setattr(run, "terminate", True))
            timer.start()
        elif way < 0.3:
            names = [output.name for output in session.get_outputs()]
            arrays = {name: np.empty_like(a) for name, a in zip(names, answer, strict=True) if choose.random() < 0.7}
        try:
            found = session.run(None, feed, run, outputs=arrays)
        except norn.Cancelled:
            mine["cancelled"] += 1
            return
        finally:
            if timer:
                timer.join()
        for k, (a, b) in enumerate(zip(found, answer, strict=True)):
            if a.shape != b.shape or a.tobytes() != b.tobytes():
                raise AssertionError(f"output {k} of {[v.shape for v in feed.values()]} differs from one thread's")
        mine["compared"] += 1
        mine["placed"] += arrays is not None

    def worker(number):
        choose, mine = random.Random(options.seed * 1000 + number), dict.fromkeys(counts, 0)
        while time.monotonic() < end and not faults:
            try:
                one(choose, mine)
            except BaseException as fault:  # noqa: BLE001: whatever it is, it is the finding
                faults.append(fault)
        with lock:
            for name, count in mine.items():
                counts[name] += count

    threads = [threading.Thread(target=worker, args=(n,)) for n in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    if faults:
        sys.exit(f"{type(faults[0]).__name__}: {faults[0]}")


if __name__ == "__main__":
    main()
