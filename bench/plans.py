#!/usr/bin/env python3
"""What planning and control flow cost, beside ONNX Runtime: new shapes, loops, branches, a growing cache, memory.

    bench/plans.py [--seconds 2] [--threads 1] [--runs 20000] [--no-onnxruntime] [--model FILE --sizes 33,47,64]

Rows, medians of calls that alternate within one process:
  call       a session of one operation on four elements: what every call costs
  loop       a round of a Loop of 10,000 rounds over three operations on four elements
  scan       a position of a Scan over 10,000 positions of the same
  if         an If whose condition is fed, around one operation; a call with one more input, too
  nested     a round of a loop of 100 rounds within a loop of 100
  new shape  a call with a shape that has not been there, through a chain of 1,000 operations
  decode     a step of a decoding loop from 1 to 2,000 tokens: products, a cache that grows by one row with each call,
             attention over it; ours is given back to each call (`donate`), which appends to it in place
  1000 shapes  the second pass over 1,000 shapes, a call: plans of the first are found again while the bound on their
               bytes keeps them

Memory, resident, in MB:
  decode     what 1,000 tokens add, and what the cache grew by
  shapes     --runs runs of random shapes: after the first 1,000 of them, and at the end
  burst      before and after a run of 50 times the size

With --model: the first run of each size, which is that of all dimensions with a name but "batch", over the later ones.
"""

import argparse
import gc
import resource
import statistics
import time

import numpy as np
import onnx.parser

import norn

HEAD = '<ir_version: 9, opset_import: ["": 21]>\n'
CALL = """agraph (float[4] x) => (y) { y = Tanh(x) }"""
LOOP = """agraph (int64 m, float[4] x) => (y) {
    y = Loop(m, "", x) <body = body (int64 i, bool c, float[4] v) => (bool go, float[4] n) {
        go = Identity(c) a = Add(v, x) b = Tanh(a) n = Mul(b, x)
    }>
}"""
NESTED = """agraph (int64 m, float[4] x) => (y) {
    y = Loop(m, "", x) <body = outer (int64 i, bool c, float[4] v) => (bool go, float[4] n) {
        go = Identity(c)
        n = Loop(m, "", v) <body = inner (int64 j, bool d, float[4] u) => (bool on, float[4] w) {
            on = Identity(d) a = Add(u, x) b = Tanh(a) w = Mul(b, x)
        }>
    }>
}"""
SCAN = """agraph (float[4] s, float[T, 4] x) => (t, y) {
    t, y = Scan<num_scan_inputs = 1, body = body (float[4] a, float[4] b) => (float[4] c, float[4] d) {
        e = Add(a, b) f = Tanh(e) c = Mul(f, b) d = Identity(c)
    }>(s, x)
}"""
IF = """agraph (bool c, float[4] x) => (y) {
    y = If(c) <then_branch = t () => (a) { a = Tanh(x) }, else_branch = e () => (b) { b = Sigmoid(x) }>
}"""
CHAIN = (
    "agraph (float[N, M] x0) => (x1000) {\n"
    + "\n".join(f"x{k + 1} = {'Softmax' if k % 2 else 'Tanh'}(x{k})" for k in range(1000))
    + "}"
)
DECODE = """agraph (float[1, D] x, float[P, D] past, float[D, D] wq, float[D, D] wk, float[D, D] wo) => (y, cache) {
    q = MatMul(x, wq) k = MatMul(x, wk) cache = Concat<axis = 0>(past, k)
    kt = Transpose<perm = [1, 0]>(cache) s = MatMul(q, kt) p = Softmax(s) o = MatMul(p, cache) y = MatMul(o, wo)
}"""

CACHE_ROW = 256


def engines(text, threads, with_peer):
    model = onnx.parser.parse_model(HEAD + text)
    made = {"norn": norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=threads))}
    if with_peer:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        made["onnxruntime"] = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    return made


def alternate(sessions, feeds, seconds):
    """Medians in microseconds by engine; `feeds` gives each call's."""
    times = {name: [] for name in sessions}
    end = time.perf_counter() + seconds
    for name, session in sessions.items():
        session.run(None, feeds(name))
    while len(times["norn"]) < 5 or time.perf_counter() < end:
        for name, session in sessions.items():
            feed = feeds(name)
            start = time.perf_counter()
            session.run(None, feed)
            times[name].append((time.perf_counter() - start) * 1e6)
    return {name: statistics.median(t) for name, t in times.items()}


def decoding(sessions, tokens):
    """Microseconds a step, the median of the last half of `tokens` steps."""
    feeds, times, caches = decode_feeds(), {name: [] for name in sessions}, {}
    for name in sessions:
        caches[name] = np.zeros((1, CACHE_ROW), np.float32)
    for _ in range(tokens):
        for name, session in sessions.items():
            feed = {**feeds, "past": caches[name]}
            donate = {"donate": ["past"]} if name == "norn" else {}
            start = time.perf_counter()
            _, caches[name] = session.run(None, feed, **donate)
            times[name].append((time.perf_counter() - start) * 1e6)
    return {name: statistics.median(t[tokens // 2 :]) for name, t in times.items()}


def decode_feeds():
    rng = np.random.default_rng(0)
    shapes = {"x": (1, CACHE_ROW), **{n: (CACHE_ROW, CACHE_ROW) for n in ("wq", "wk", "wo")}}
    return {n: (rng.standard_normal(shape) / 16).astype(np.float32) for n, shape in shapes.items()}


def resident():
    """Megabytes of this process that are in memory now."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def memory_of_decoding(session, tokens):
    """What `tokens` steps add behind the first few hundred, and what the cache itself does."""
    feeds, cache = decode_feeds(), np.zeros((1, CACHE_ROW), np.float32)
    before = rows = 0
    for step in range(300 + tokens):
        if step == 300:
            before, rows = resident(), cache.nbytes
        _, cache = session.run(None, {**feeds, "past": cache}, donate=["past"])
    return resident() - before, (cache.nbytes - rows) / 1e6


def memory_of_shapes(session, runs):
    """Behind the first 1,000 runs of random shapes, and behind all."""
    rng = np.random.default_rng(1)
    first = 0.0
    for n in range(runs):
        if n == 1000:
            first = resident()
        session.run(None, {"x0": np.ones((int(rng.integers(1, 400)), int(rng.integers(1, 200))), np.float32)})
    return first, resident()


def memory_of_a_burst(session):
    """Before a run of 50 times the size, and some runs of the usual size after it."""
    usual, large = np.ones((1000, 400), np.float32), np.ones((50000, 400), np.float32)
    for _ in range(20):
        session.run(None, {"x0": usual})
    before = resident() - large.nbytes / 1e6
    session.run(None, {"x0": large})
    del large
    for _ in range(20):
        session.run(None, {"x0": usual})
    return before, resident()


def first_runs(path, sizes, threads):
    session = norn.InferenceSession(path, norn.SessionOptions(intra_op_num_threads=threads))

    def feed(size):
        values = {}
        for arg in session.get_inputs():
            dims = [d if isinstance(d, int) else 1 if d is None or "batch" in d else size for d in arg.shape]
            values[arg.name] = np.ones(dims, np.int64 if "int64" in arg.type else np.float32)
        return values

    def seconds(values):
        start = time.perf_counter()
        session.run(None, values)
        return (time.perf_counter() - start) * 1e3

    seconds(feed(sizes[0]))
    print(f"{'size':12} {'first ms':>10} {'later ms':>15} {'ratio':>8}")
    for size in sizes[1:]:
        values = feed(size)
        first = seconds(values)
        later = statistics.median(seconds(values) for _ in range(5))
        print(f"{size:<12} {first:10.2f} {later:15.2f} {first / later:7.2f}x")


def passes(sessions):
    """Microseconds a call of the second pass over 1,000 shapes."""
    x = np.ones((1000, 8), np.float32)
    for _ in range(2):
        times = {name: [] for name in sessions}
        for n in range(1, 1001):
            for name, session in sessions.items():
                start = time.perf_counter()
                session.run(None, {"x0": x[:n]})
                times[name].append((time.perf_counter() - start) * 1e6)
    return {name: statistics.median(t) for name, t in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2, help="for each row")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20000, help="of random shapes")
    parser.add_argument("--no-onnxruntime", action="store_true")
    parser.add_argument("--model", help="times the first runs of --sizes instead")
    parser.add_argument("--sizes", default="32,33,47,64,65,128,129")
    options = parser.parse_args()
    if options.model:
        return first_runs(options.model, [int(n) for n in options.sizes.split(",")], options.threads)
    make = lambda text: engines(text, options.threads, not options.no_onnxruntime)  # noqa: E731
    x = np.ones(4, np.float32)
    positions = np.ones((10000, 4), np.float32)
    sizes = {}

    def new_shape(name):
        sizes[name] = sizes.get(name, 1) + 1
        return {"x0": np.ones((3, sizes[name]), np.float32)}

    short = CHAIN.replace("1000", "20").split("\n")
    short = "\n".join([*short[:20], short[20] + "}"])
    rows = [
        ("call", lambda: alternate(make(CALL), lambda _: {"x": x}, options.seconds), 1),
        ("loop", lambda: alternate(make(LOOP), lambda _: {"m": np.array(10000), "x": x}, options.seconds), 10000),
        ("scan", lambda: alternate(make(SCAN), lambda _: {"s": x, "x": positions}, options.seconds), 10000),
        ("if", lambda: alternate(make(IF), lambda _: {"c": np.array(True), "x": x}, options.seconds), 1),
        ("nested", lambda: alternate(make(NESTED), lambda _: {"m": np.array(100), "x": x}, options.seconds), 10000),
        ("new shape", lambda: alternate(make(CHAIN), new_shape, options.seconds), 1),
        ("decode", lambda: decoding(make(DECODE), 2000), 1),
        ("1000 shapes", lambda: passes(make(short)), 1),
    ]
    print(f"{'':12} {'norn us':>10} {'onnxruntime us':>15} {'faster':>8}")
    for name, measure, count in rows:
        found = {engine: t / count for engine, t in measure().items()}
        peer = found.get("onnxruntime")
        theirs, ratio = (f"{peer:.2f}", f"{peer / found['norn']:.2f}x") if peer else ("-", "-")
        print(f"{name:12} {found['norn']:10.2f} {theirs:>15} {ratio:>8}")
    ours = lambda text: engines(text, options.threads, False)["norn"]  # noqa: E731
    print(f"\n{'memory':12} {'MB':>10} {'MB':>15}")
    for name, (one, other) in {
        "decode": memory_of_decoding(ours(DECODE), 1000),
        "shapes": memory_of_shapes(ours(short), options.runs),
        "burst": memory_of_a_burst(ours(short)),
    }.items():
        print(f"{name:12} {one:10.1f} {other:15.1f}")


if __name__ == "__main__":
    main()
