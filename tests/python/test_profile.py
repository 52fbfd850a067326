"""norn profile and session.profile(): phases, steps with what they cost, and traces."""

import json

import norn
import numpy as np
import onnx.parser
import pytest
from test_cli import CNN, FLOW, LOOP, norn_command

FIELDS = {"path", "operations", "kernel", "shapes", "calls", "total_seconds", "own_seconds", "mean_seconds", "share",
          "flop", "bytes", "roofline"}


def session_of(text):
    return norn.InferenceSession(onnx.parser.parse_model(text))


def profiled(text, feeds, **options):
    return session_of(text).profile(feeds, **{"machine": False, "runs": 3, **options})


def step(found, operation):
    (one,) = [s for s in found["steps"] if s["operations"].split("+")[0] == operation]
    return one


def test_costs_of_products():
    """Counted from definitions: 2 for a multiply-add, and one for each element of what is fused."""
    text = """<ir_version: 10, opset_import: ["" : 17]>
    main (float[2,3,8,8] x, float[5,3,3,3] w, float[N,40] a, float[40,7] b)
      => (float[2,5,6,6] y, float[N,7] c, float[N,40] s) {
      v = Conv (x, w)
      y = Relu (v)
      c = MatMul (a, b)
      s = Exp (a)
    }"""
    feeds = {"x": np.ones((2, 3, 8, 8), np.float32), "w": np.ones((5, 3, 3, 3), np.float32),
             "a": np.ones((4, 40), np.float32), "b": np.ones((40, 7), np.float32)}
    found = profiled(text, feeds)
    conv, product, exp = step(found, "Conv"), step(found, "MatMul"), step(found, "Exp")
    out = 2 * 5 * 6 * 6
    assert conv["operations"] == "Conv+Relu" and conv["flop"] == 2 * out * 27 + out
    assert conv["bytes"] == 4 * (2 * 3 * 64 + 5 * 27 + out)
    assert product["flop"] == 2 * 4 * 7 * 40 and product["bytes"] == 4 * (160 + 280 + 28)
    assert exp["flop"] == 160 and exp["bytes"] == 2 * 4 * 160
    for one in (conv, product, exp):
        assert set(one) == FIELDS and one["calls"] == 3 and one["roofline"] is None
        assert 0 < one["total_seconds"] < found["run_seconds"]["total"]
        assert one["mean_seconds"] == pytest.approx(one["total_seconds"] / 3)
    assert "Conv" in conv["path"] and "float[5,3,3,3]" in conv["shapes"]


def test_costs_of_other_layers():
    text = """<ir_version: 10, opset_import: ["" : 17]>
    main (float[6,2,5] x, float[1,16,5] w, float[1,16,4] r, float[3,4] g, float[3,6] h, float[9,4] t, int64[2] i,
          float[1,2,6,6] p)
      => (float[6,1,2,4] y, float[4,6] z, float[2,4] rows, float[1,2,3,3] pooled, float[4,6] e) {
      y, last, cell = LSTM <hidden_size = 4> (x, w, r)
      z = Gemm <transA = 1> (g, h)
      rows = Gather (t, i)
      pooled = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (p)
      e = Einsum <equation = "ij,ik->jk"> (g, h)
    }"""
    rng = np.random.default_rng(0)
    shapes = {"x": (6, 2, 5), "w": (1, 16, 5), "r": (1, 16, 4), "g": (3, 4), "h": (3, 6), "t": (9, 4), "p": (1, 2, 6, 6)}
    feeds = {name: rng.random(shape, np.float32) for name, shape in shapes.items()} | {"i": np.array([3, 1])}
    found = profiled(text, feeds)
    assert step(found, "LSTM")["flop"] == 2 * 6 * 2 * (16 * 5 + 16 * 4)
    assert step(found, "Gemm")["flop"] == step(found, "Einsum")["flop"] == 2 * 4 * 6 * 3
    rows = step(found, "Gather")
    assert rows["flop"] == 0 and rows["bytes"] == 4 * 8 + 8 * 2 + 4 * 8  # of the table, what comes out
    assert step(found, "MaxPool")["flop"] == 18 * 4


def test_phases_and_rooflines():
    session = norn.InferenceSession(CNN, norn.SessionOptions(intra_op_num_threads=1, disabled_passes=["fuse_qdq"]))
    image = np.ones((1, 1, 8, 8), np.float32)
    found = session.profile({"image": image}, runs=2)
    passes = [p["name"] for p in found["load"] if p["kind"] == "pass"]
    assert [n for n in passes if n != "drop_dead"] == [n for n in norn.pass_names() if n != "fuse_qdq"]
    kinds = [p["kind"] for p in found["load"] if p["kind"] != "pass"]
    assert kinds == ["read", "lower", "prepare", "plan", "pack"]
    assert all(p["seconds"] >= 0 for p in found["load"])
    assert found["load_seconds"] == pytest.approx(sum(p["seconds"] for p in found["load"]))
    machine = found["machine"]
    assert machine["threads"] == 1 and machine["flop_per_second"] > 1e8
    sizes = [c["bytes"] for c in machine["copying"]]
    assert sizes == sorted(sizes) and all(c["bytes_per_second"] > 1e7 for c in machine["copying"])
    conv = next(s for s in found["steps"] if s["operations"].startswith("Conv"))
    least = conv["flop"] / machine["flop_per_second"]
    assert conv["roofline"] >= 0.99 * least / conv["mean_seconds"] > 0
    shares = sum(s["share"] for s in found["steps"]) + found["run_seconds"]["outside"] / found["run_seconds"]["total"]
    assert shares == pytest.approx(1)
    page = session.profile_text({"image": image}, runs=2, top=1)
    assert "fuse_conv_bn" in page and "FLOP/s" in page and "more step" in page


def test_steps_of_bodies_and_traces(tmp_path):
    file = tmp_path / "trace.json"
    feeds = {"n": np.array(5), "c": np.array(True), "x": np.ones(2, np.float32)}
    found = profiled(LOOP, feeds, trace=file, runs=4, warmups=2)
    loop, add = step(found, "Loop"), step(found, "Add")
    assert (loop["calls"], add["calls"]) == (4, 20)
    assert loop["flop"] is None and loop["bytes"] == 0 and add["flop"] == 2
    assert loop["own_seconds"] < loop["total_seconds"]
    trace = json.loads(file.read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    calls = [e for e in events if e["cat"] == "step"]
    assert len([e for e in calls if e["name"] == "Loop"]) == 4 and len([e for e in calls if e["name"] == "Add"]) == 20
    loops = [(e["ts"], e["ts"] + e["dur"]) for e in calls if e["name"] == "Loop"]
    for event in calls:
        if event["name"] == "Add":
            assert any(begin <= event["ts"] and event["ts"] + event["dur"] <= end + 1 for begin, end in loops)
    assert [e["name"] for e in events if e["cat"] == "load"][:2] == ["read", "lower"]
    assert trace["otherData"]["calls_left_out"] == 0


def test_the_model_runs_as_ever():
    """Errors of a run are those of run(), and a feed that is missing is one."""
    session = session_of(LOOP)
    with pytest.raises(norn.InvalidArgument, match='"x"'):
        session.profile({"n": np.array(1), "c": np.array(True)})
    feeds = {"n": np.array(1), "c": np.array(True), "x": np.ones(2, np.float32)}
    with pytest.raises(norn.InvalidArgument, match="at least one run"):
        session.profile(feeds, runs=0)
    options = norn.RunOptions()
    options.terminate = True
    with pytest.raises(norn.Cancelled):
        session.profile(feeds, run_options=options)
    assert session.run(None, feeds)[0].tolist() == [2, 2]


def test_command(tmp_path):
    report = json.loads(norn_command("profile", CNN, "--json", "--repeat", 2, "--threads", 1))
    assert report["model"] == CNN and report["run_seconds"]["runs"] == 2 and report["machine"]["threads"] == 1
    page = norn_command("profile", CNN, "--shape", "image:16x1x8x8", "--no-machine", "--top", 2)
    assert "Conv" in page and "pass fuse_elementwise" in page and "FLOP/s" not in page and "10 runs" in page
    options = ("profile", "-", "--from", "text", "--dim", 3, "--no-machine")
    report = json.loads(norn_command(*options, "--json", stdin=FLOW.encode()))
    assert '"x" float[3,2] -> float[3,2]' in [s["shapes"] for s in report["steps"]]
    trace = json.loads(norn_command(*options, "--trace", "-", stdin=FLOW.encode()))
    assert {"Sqrt", "If"} <= {e["name"] for e in trace["traceEvents"]}
    norn_command(*options, "--trace", tmp_path / "t.json", stdin=FLOW.encode())
    assert json.loads((tmp_path / "t.json").read_text())["displayTimeUnit"] == "ms"
    assert "cannot write" in norn_command(*options, "--trace", tmp_path, stdin=FLOW.encode(), code=3)
    norn_command(*options, "--trace", "-", "--json", stdin=FLOW.encode(), code=2)
    assert "no input" in norn_command("profile", CNN, "--shape", "pixels:1", code=2)
    norn_command("profile", CNN, "--repeat", 0, code=2)
