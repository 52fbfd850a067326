"""Other threads run while Norn checks, parses, prints, reads and writes."""

import subprocess
import sys
import textwrap
import threading
import time

import pytest
from onnx import TensorProto, helper

import norn

NODES = 5_000


class Elsewhere:
    """A thread that counts whenever it gets the GIL, which it cannot take from a thread that does not release it."""

    def __init__(self):
        self.count = 0
        self.stop = False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stop:
            self.count += 1
            time.sleep(0)

    def __enter__(self):
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(60)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()
        sys.setswitchinterval(self.interval)


def runs_beside(call, seconds=20):
    """Whether the other thread got on during a call; a busy machine may need several."""
    with Elsewhere() as elsewhere:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = elsewhere.count
            call()
            if elsewhere.count > before:
                return True
            time.sleep(0.001)
    return False


@pytest.fixture(scope="module")
def large():
    """Something for each function that takes it a while, by name."""
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name=f"n{i}") for i in range(NODES)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in ("v0", f"v{NODES}")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)])
    for node in nodes:
        node.op_type = "Nope"
    wrong = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:]), ir_version=10)
    return {
        "graph": graph.SerializeToString(),
        "model": model.SerializeToString(),
        "loaded": norn.load(model),
        "text": norn.to_text(model),
        "report": norn.check(wrong),
    }


@pytest.fixture(scope="module")
def operator_set(tmp_path_factory):
    path = tmp_path_factory.mktemp("sets") / "onnx.onnxopset"
    norn.export_operator_set("", 21, path)
    return {"path": path, "bytes": path.read_bytes(), "set": norn.load_operator_set(path)}


CALLS = {
    "check": lambda t: norn.check(t["model"]),
    "check_part": lambda t: norn.check_part("graph", t["graph"], 10, [("", 21)]),
    "parse_text": lambda t: norn.parse_text(t["text"]),
    "print_text": lambda t: norn.print_text(t["model"], "model"),
    "Model.to_text": lambda t: t["loaded"].to_text(),
    "repr(Model)": lambda t: repr(t["loaded"]),
    "Report.to_json": lambda t: t["report"].to_json(),
    "Report.to_sarif": lambda t: t["report"].to_sarif(),
    "str(Report)": lambda t: str(t["report"]),
}
SET_CALLS = {
    "load_operator_set(path)": lambda t, _: norn.load_operator_set(t["path"]),
    "load_operator_set(bytes)": lambda t, _: norn.load_operator_set(t["bytes"]),
    "check_operator_set(path)": lambda t, _: norn.check_operator_set(t["path"]),
    "check_operator_set(bytes)": lambda t, _: norn.check_operator_set(t["bytes"]),
    "check_operator_set(set)": lambda t, _: norn.check_operator_set(t["set"]),
    "check_operator_sets": lambda t, _: norn.check_operator_sets([t["set"], t["set"]]),
    "export_operator_set": lambda _, folder: norn.export_operator_set("", 21, folder / "x"),
    "save": lambda t, folder: t["set"].save(folder / "x"),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_beside(name, large):
    assert runs_beside(lambda: CALLS[name](large))


@pytest.mark.parametrize("name", SET_CALLS)
def test_other_threads_run_beside_operator_sets(name, operator_set, tmp_path):
    assert runs_beside(lambda: SET_CALLS[name](operator_set, tmp_path))


def test_holding_the_gil_would_be_seen():
    assert not runs_beside(lambda: sum(range(100_000)), seconds=0.2)


WAITS_FOR_A_LOCK = """
    import fcntl, sys, threading, time, onnx, norn
    folder = sys.argv[1]
    tensor = onnx.helper.make_tensor("t", 1, [1], b"abcd", raw=True)
    onnx.external_data_helper.set_external_data(tensor, "w.data")
    with open(folder + "/w.data", "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        saving = threading.Thread(target=norn.save_external_tensor, args=(tensor, folder))
        saving.start()
        saving.join(0.3)
        assert saving.is_alive()
    saving.join()
    assert open(folder + "/w.data", "rb").read() == b"abcd"
"""


def test_waiting_for_a_data_file_stops_nobody(tmp_path):
    """In a process of its own: two threads that wait for each other end with it."""
    script = textwrap.dedent(WAITS_FOR_A_LOCK)
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=60)


def test_bytes_that_may_change_are_copied():
    """A view that cannot be written to may be one of memory that can."""
    model = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [], []))
    model.graph.initializer.add(name="w", data_type=TensorProto.UINT8, dims=[4], raw_data=b"abcd")
    memory = bytearray(model.SerializeToString())
    loaded = [norn.load(given) for given in (memory, memoryview(memory), memoryview(memory).toreadonly())]
    at = memory.index(b"abcd")
    memory[at:at + 4] = b"zzzz"
    for each in loaded:
        assert b"abcd" in each.SerializeToString()
