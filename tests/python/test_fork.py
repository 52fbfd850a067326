"""A child of fork() runs what its parent's session runs, and what must be planned first, whatever other threads did."""

import subprocess
import sys
import textwrap

import pytest

SCRIPT = textwrap.dedent("""
    import os, signal, sys, threading, time
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    import norn

    rng = np.random.default_rng(0)

    def weight(name, *dims):
        return numpy_helper.from_array(rng.standard_normal(dims).astype(np.float32), name)

    def conv():
        nodes = [
            helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], pads=[1] * 4),
            helper.make_node("Relu", ["c0"], ["r0"]),
            helper.make_node("MaxPool", ["r0"], ["p0"], kernel_shape=[2, 2], strides=[2, 2]),
            helper.make_node("Conv", ["p0", "w1"], ["c1"], pads=[1] * 4),
            helper.make_node("GlobalAveragePool", ["c1"], ["g"]),
            helper.make_node("Flatten", ["g"], ["f"]),
            helper.make_node("Gemm", ["f", "w2"], ["v"]),
            helper.make_node("Softmax", ["v"], ["y"]),
        ]
        weights = [weight("w0", 8, 1, 3, 3), weight("b0", 8), weight("w1", 16, 8, 3, 3), weight("w2", 16, 10)]
        return nodes, weights, ["N", 1, 28, 28], lambda n: (n, 1, 28, 28)

    def matmul():
        nodes = [helper.make_node("MatMul", ["x", "w0"], ["v"]), helper.make_node("MatMul", ["v", "w1"], ["y"])]
        return nodes, [weight("w0", 160, 200), weight("w1", 200, 64)], ["N", 160], lambda n: (40 + n, 160)

    nodes, weights, dims, shape = globals()[sys.argv[1]]()
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    session = norn.InferenceSession(
        helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]))

    def feed(n):
        return rng.standard_normal(shape(n)).astype(np.float32)

    xs = {n: feed(n) for n in [1, 2] + list(range(3, 200))}
    want = {n: session.run(None, {"x": xs[n]})[0] for n in (1, 2)}
    for n in range(3, 30):  # so that the plans of 1 and 2 are made again in what follows
        session.run(None, {"x": xs[n]})
    stop = False

    def loop(sizes):
        i = 0
        while not stop:
            n = sizes[i % len(sizes)]
            session.run(None, {"x": xs[n]})
            i += 1

    threads = [threading.Thread(target=loop, args=(sizes,)) for sizes in ([1], [2], range(30, 100))]
    for thread in threads:
        thread.start()
    failed = []
    for i in range(40):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                same = all(np.array_equal(session.run(None, {"x": xs[n]})[0], want[n]) for n in (1, 2))
                made = session.run(None, {"x": xs[100 + i]})[0]
                code = 0 if same and np.isfinite(made).all() else 2
            finally:
                os._exit(code)
        end = time.monotonic() + 20
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                if status:
                    failed.append((i, status))
                break
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                failed.append((i, "hangs"))
                break
            time.sleep(0.001)
        if len(failed) > 2:
            break
    stop = True
    for thread in threads:
        thread.join()
    assert not failed, failed
""")


@pytest.mark.parametrize("model", ["conv", "matmul"])
def test_children_run_whatever_other_threads_do(model):
    ended = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", SCRIPT, model],
                           capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr[-2000:]
