"""Handlers of signals run between the instructions of kernels, on the same stack, and change no answer.

In processes of their own, for what a signal's frame overwrites may be the heap; with each choice of implementations
that oneDNN makes on other machines.
"""

import os
import subprocess
import sys
import textwrap

import pytest

SCRIPT = textwrap.dedent("""
    import signal, time
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    import norn

    F32 = np.float32
    rng = np.random.default_rng(0)

    def session(op, inputs, weights, **attributes):
        names = [f"x{i}" for i in range(len(inputs))] + [f"w{i}" for i in range(len(weights))]
        nodes = [helper.make_node(op, names, ["v"], **attributes), helper.make_node("Relu", ["v"], ["y"])]
        graph = helper.make_graph(
            nodes, "g",
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, x.shape) for n, x in zip(names, inputs)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(w, n) for n, w in zip(names[len(inputs):], weights)])
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
        return norn.InferenceSession(model), dict(zip(names, inputs))

    def values(*dims):
        return rng.standard_normal(dims).astype(F32)

    cases = [
        ("MatMul", [values(512, 512)], [values(512, 512)], {}),
        ("MatMul", [values(300, 700), values(700, 260)], [], {}),
        ("MatMul", [values(4, 100, 300)], [values(300, 2000)], {}),
        ("MatMul", [values(60, 64, 300), values(60, 300, 64)], [], {}),
        ("Gemm", [values(300, 400)], [values(350, 300), values(350)], dict(transA=1, transB=1, alpha=0.5)),
        ("Conv", [values(1, 3, 96, 96)], [values(32, 3, 7, 7), values(32)], dict(pads=[3] * 4, strides=[2, 2])),
        ("Conv", [values(1, 64, 28, 28)], [values(128, 64, 3, 3)], dict(pads=[1] * 4)),
        ("Conv", [values(1, 30, 40, 40)], [values(300, 10, 5, 5)], dict(pads=[40] * 4, group=3)),
        ("Conv", [values(1, 128, 20, 20)], [values(128, 128, 1, 1)], {}),
        ("Conv", [values(1, 6, 500)], [values(30, 6, 5)], dict(dilations=[12])),
        ("Conv", [values(1, 10, 12, 12, 12)], [values(20, 10, 3, 3, 3)], {}),
        ("MaxPool", [values(1, 64, 60, 60)], [], dict(kernel_shape=[3, 3])),
        ("GlobalAveragePool", [values(1, 64, 60, 60)], [], {}),
        ("Softmax", [values(500, 600)], [], {}),
        ("ReduceMean", [values(60, 80, 90)], [], dict(axes=[0, 2])),
        ("Exp", [values(500, 600)], [], {}),
        ("Transpose", [values(60, 80, 90)], [], dict(perm=[2, 0, 1])),
    ]
    signals = 0

    def handler(*_):
        global signals
        signals += 1

    signal.signal(signal.SIGALRM, handler)
    for op, inputs, weights, attributes in cases:
        run, feeds = session(op, inputs, weights, **attributes)
        want = run.run(None, feeds)[0]
        assert np.isfinite(want).all()
        before, end = signals, time.monotonic() + 0.1
        signal.setitimer(signal.ITIMER_REAL, 0.0004, 0.0004)
        while time.monotonic() < end or signals < before + 10:
            got = run.run(None, feeds)[0]
            assert got.tobytes() == want.tobytes(), op
        signal.setitimer(signal.ITIMER_REAL, 0)
    print("done", flush=True)
""")


@pytest.mark.parametrize("instructions", ["", "SSE41", "AVX2", "AVX512_CORE", "AVX512_CORE_BF16"])
@pytest.mark.parametrize("threads", ["one", "all"])
def test_handlers_change_nothing(instructions, threads):
    script = SCRIPT
    if threads == "one":
        script = script.replace("InferenceSession(model)",
                                "InferenceSession(model, norn.SessionOptions(intra_op_num_threads=1))")
    environment = dict(os.environ, **({"ONEDNN_MAX_CPU_ISA": instructions} if instructions else {}))
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert ended.stdout == "done\n"
