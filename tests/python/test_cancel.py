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


def test_ctrl_c_ends_a_run():
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
