"""What the benchmarks beside other runtimes share: sessions, inputs, turns and the comparison of outputs."""

import importlib.util
import pathlib
import time

import numpy as np

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
    import norn

    return norn.InferenceSession(path, norn.SessionOptions(intra_op_num_threads=threads))


def ort_session(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


class OpenVino:
    """A compiled model with the one call of the others that benchmarks make. It computes in f32, as they do."""

    def __init__(self, path, threads):
        import openvino

        config = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
        }
        self.model = openvino.Core().compile_model(path, "CPU", config)
        self.request = self.model.create_infer_request()

    def run(self, names, feed):
        assert names is None
        results = self.request.infer(feed, share_inputs=True)
        return [results[output] for output in self.model.outputs]


# How sessions are made, by the runtime's name; the first is what the others are compared with.
MAKERS = {"norn": norn_session, "onnxruntime": ort_session, "openvino": OpenVino}


def importable():
    return [name for name in MAKERS if importlib.util.find_spec(name)]


def made_up(session, dim):
    """Inputs of a norn or ONNX Runtime session, open dimensions of size `dim`."""
    rng = np.random.default_rng(0)
    feed = {}
    for value in session.get_inputs():
        shape = [d if isinstance(d, int) else dim for d in value.shape or []]
        dtype = NUMPY[value.type]
        floating = np.issubdtype(dtype, np.floating)
        feed[value.name] = (rng.random(shape) if floating else rng.integers(0, 2, shape)).astype(dtype)
    return feed


def input_files(path):
    """MODEL.inputs.npz, and MODEL.VARIANT.inputs.npz, beside MODEL.onnx."""
    folder = path.parent
    return sorted(folder.glob(f"{path.stem}.inputs.npz")) + sorted(folder.glob(f"{path.stem}.*.inputs.npz"))


def feeds_of(path, files, session, dim):
    """(variant, feed) for every file of inputs; made up where there is none."""
    if not files:
        yield "", made_up(session, dim)
    for file in map(pathlib.Path, files):
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


def turns_of(calls, seconds, round_seconds=ROUND, least=5):
    """Times of calls in turn for about `seconds`, at least so many: for each call, a list of times for each of its turns.

    Short turns alternate, so that all see the same machine. Before a turn there is quiet, and its first call is not
    counted: threads that one runtime leaves spinning would otherwise take a core from the next.
    """
    clock = time.perf_counter
    turns = [[] for _ in calls]
    end = clock() + seconds
    while clock() < end or sum(map(len, turns[0])) < least:
        for call, into in zip(calls, turns, strict=True):
            time.sleep(REST)
            call()
            times = []
            stop = clock() + round_seconds
            while not times or clock() < stop:
                start = clock()
                call()
                times.append(clock() - start)
            into.append(times)
    return turns


def duration(seconds):
    return (
        f"{seconds * 1e6:.1f} µs"
        if seconds < 1e-3
        else f"{seconds * 1e3:.2f} ms"
        if seconds < 1
        else f"{seconds:.2f} s"
    )
