"""Ending runs: terminate, timeout, Ctrl-C, in straight graphs, loops and parallel steps; nothing is left behind."""

import signal
import threading
import time

import numpy as np
import onnx.parser
import pytest

import norn

ENDLESS = """<ir_version: 9, opset_import: ["": 21]>
agraph (float[N] x) => (y) {
    y = Loop("", "", x) <body = body (int64 i, bool c, float[N] v) => (bool on, float[N] next) {
        on = Constant<value = bool {1}>()
        next = Sin(v)
    }>
}"""


def endless(threads=1):
    return norn.InferenceSession(
        onnx.parser.parse_model(ENDLESS), norn.SessionOptions(intra_op_num_threads=threads)
    )


# Bodies without a step, which nothing but the loop itself can end.
NOTHING_TO_DO = {
    "Loop": """agraph (float[N] x) => (y) {
        y = Loop("", "", x) <body = body (int64 i, bool c, float[N] v) => (bool on, float[N] next) {
            on = Constant<value = bool {1}>()
            next = Identity(v)
        }>
    }""",
    "Scan": """agraph (float[N] x) => (y) {
        shape = Constant<value_ints = [4611686018427387904, 0]>()
        none = ConstantOfShape(shape)
        y, z = Scan<num_scan_inputs = 1, body = body (s, e) => (t, f) { t = Identity(s)
            f = Identity(e) }>(x, none)
    }""",
}


def products(threads):
    """A graph of matrix products that takes seconds."""
    nodes = "".join(f"v{k + 1} = MatMul(v{k}, w)\n" for k in range(400))
    text = f"""<ir_version: 9, opset_import: ["": 21]>
    agraph (float[1024, 1024] v0, float[1024, 1024] w) => (float[1024, 1024] v400) {{ {nodes} }}"""
    return norn.InferenceSession(onnx.parser.parse_model(text), norn.SessionOptions(intra_op_num_threads=threads))


@pytest.mark.parametrize("threads", [1, 2])
def test_terminate_from_another_thread(threads):
    session, options = endless(threads), norn.RunOptions()
    assert options.terminate is False
    timer = threading.Timer(0.1, lambda: setattr(options, "terminate", True))
    timer.start()
    with pytest.raises(norn.Cancelled, match="cancelled") as error:
        session.run(None, {"x": np.ones(3, np.float32)}, options)
    assert error.value.code == "Cancelled"
    timer.join()
    with pytest.raises(norn.Cancelled):  # until it is false again
        session.run(None, {"x": np.ones(3, np.float32)}, options)


@pytest.mark.parametrize("threads", [1, 2])
def test_timeout(threads):
    options = norn.RunOptions()
    assert options.timeout is None
    options.timeout = 0.1
    a = np.eye(1024, dtype=np.float32)
    session = products(threads)
    with pytest.raises(norn.Cancelled, match="longer"):
        session.run(None, {"v0": a, "w": a}, options)
    with pytest.raises(norn.Cancelled, match="longer"):
        endless().run(None, {"x": np.ones(3, np.float32)}, options)
    options.timeout = None
    np.testing.assert_array_equal(session.run(None, {"v0": a, "w": a}, options)[0], a)
    with pytest.raises(norn.InvalidArgument, match="seconds"):
        options.timeout = -1.0
        session.run(None, {"v0": a, "w": a}, options)


@pytest.mark.parametrize("loop", NOTHING_TO_DO)
def test_loops_whose_bodies_have_no_step(loop):
    text = f'<ir_version: 9, opset_import: ["": 21]>\n{NOTHING_TO_DO[loop]}'
    session, options = norn.InferenceSession(onnx.parser.parse_model(text)), norn.RunOptions()
    options.timeout = 0.1
    with pytest.raises(norn.Cancelled, match="longer"):
        session.run(None, {"x": np.ones(3, np.float32)}, options)


def test_a_run_that_is_not_ended_is_the_same():
    session = norn.InferenceSession(
        onnx.parser.parse_model('<ir_version: 9, opset_import: ["": 21]> agraph (float[N] x) => (y) { y = Tanh(x) }')
    )
    options = norn.RunOptions()
    options.timeout = 1e300
    x = np.linspace(-4, 4, 100000, dtype=np.float32)
    np.testing.assert_array_equal(session.run(None, {"x": x}, options)[0], session.run(None, {"x": x})[0])


@pytest.fixture
def interruptible():
    """Shells let what they start in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_run(interruptible):
    session = endless()
    timer = threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        session.run(None, {"x": np.ones(3, np.float32)})
    assert time.monotonic() - began < 60  # it would go on for ever
    timer.join()


def test_many_cancelled_runs_leave_nothing_behind():
    session = products(2)
    a = np.eye(1024, dtype=np.float32)
    for k in range(20):
        options = norn.RunOptions()
        options.timeout = 0.002 * k
        with pytest.raises(norn.Cancelled):
            session.run(None, {"v0": a, "w": a}, options)
    np.testing.assert_array_equal(session.run(None, {"v0": a, "w": a})[0], a)


# One step each, of seconds.
LONG = {
    "product": ("y = MatMul(a, b)", {"a": (6000, 5000), "b": (5000, 6000)}, False),
    "product by columns": ("y = Gemm<transB = 1>(a, b)", {"a": (8192, 4096), "b": (8192, 4096)}, False),
    "convolution": ("y = Conv<pads = [3, 3, 3, 3]>(a, b)", {"a": (1, 256, 400, 400), "b": (64, 256, 7, 7)}, False),
    "winograd": ("y = Conv<pads = [1, 1, 1, 1]>(a, b)", {"a": (1, 256, 640, 640), "b": (512, 256, 3, 3)}, False),
    "reference product": ("y = MatMul(a, b)", {"a": (1500, 1500), "b": (1500, 1500)}, True),
    "reference convolution": ("y = Conv(a, b)", {"a": (1, 64, 200, 200), "b": (64, 64, 3, 3)}, True),
    "reference equation": ('y = Einsum<equation = "ij,jk->ik">(a, b)', {"a": (1500, 1500), "b": (1500, 1500)}, True),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_step_ends(name, threads):
    node, shapes, reference = LONG[name]
    text = f"""<ir_version: 9, opset_import: ["": 21]>
    agraph ({", ".join(f"float[{','.join(map(str, s))}] {n}" for n, s in shapes.items())}) => (y) {{ {node} }}"""
    session = norn.InferenceSession(
        onnx.parser.parse_model(text), norn.SessionOptions(intra_op_num_threads=threads, reference_only=reference)
    )
    options = norn.RunOptions()
    options.timeout = 0.3
    feed = {n: np.full(s, 0.5, np.float32) for n, s in shapes.items()}
    begin = time.process_time()
    with pytest.raises(norn.Cancelled):
        session.run(None, feed, options)
    # Of the processor, since machines of tests are busy; the whole step takes several times as much.
    assert time.process_time() - begin < 0.3 * threads + 1
