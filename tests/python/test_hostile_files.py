"""Files made to harm: external data that leads elsewhere, through every door, and small files that ask for much.

What is refused leaves no trace: nothing is read from or written to outside of the model's folder, and nothing new stays
inside it.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
import wire
from wire import attribute, field, fields, floats, graph, int64s, model, node, opset, tensor, value

import norn

HERE = pathlib.Path(__file__).parent
SECRET = b"secret--"  # as long as two floats


def external(location, *more, data_type=wire.FLOAT, dims=(2,)):
    entries = [("location", location), *more]
    return tensor("w", data_type, dims, fields(13, [wire.entry(k, v) for k, v in entries]), field(14, 1))


def with_weight(weight):
    return model(8, graph([node("Identity", ["w"], ["y"])], [], [value("y", [2])], [weight]), opset(13))


class Attack:
    """A model's folder, and files beside it that are none of the model's business."""

    def __init__(self, top):
        self.top = top
        self.folder = top / "model"
        self.path = self.folder / "m.onnx"
        (self.folder / "data").mkdir(parents=True)
        (top / "other").mkdir()
        (self.folder / "w.bin").write_bytes(b"\0" * 8)
        self.secret = top / "secret"
        self.secret.write_bytes(SECRET)
        (self.folder / "link").symlink_to(self.secret)
        (self.folder / "relative").symlink_to("../secret")
        (self.folder / "dangling").symlink_to(top / "fresh")
        (self.folder / "up").symlink_to(top, target_is_directory=True)
        os.link(self.secret, self.folder / "twin")
        os.mkfifo(self.folder / "pipe")
        (self.folder / "zero").symlink_to("/dev/zero")

    def everything(self):
        """All files beside and beneath, by what they hold."""
        found = {}
        for folder, _, names in os.walk(self.top):
            for name in names:
                path = pathlib.Path(folder, name)
                if path != self.path and path.is_file() and not path.is_symlink():
                    found[str(path)] = path.read_bytes()
        return found


@pytest.fixture
def attack(tmp_path):
    return Attack(tmp_path)


LOCATIONS = {
    "../secret": "ext.location.no-dotdot",
    "data/../../secret": "ext.location.no-dotdot",
    "./../secret": "ext.location.no-dotdot",
    "{top}/secret": "ext.location.relative",
    "//{top}/secret": "ext.location.relative",
    "..\\secret": "ext.location.posix",
    "w.bin\0.png": "ext.location.posix",
    "link": "ext.location.no-symlink",
    "relative": "ext.location.no-symlink",
    "up/secret": "ext.location.no-symlink",
    "zero": "ext.location.no-symlink",
    "twin": "ext.location.no-hardlink",
    "pipe": "ext.location.regular-file",
    "data": "ext.location.regular-file",
    "": "ext.location.nonempty",
}
DOORS = {
    "session": lambda a, t: norn.InferenceSession(str(a.path)),
    "session of text": lambda a, t: norn.InferenceSession(str(a.path.with_suffix(".json"))),
    "save elsewhere": lambda a, t: norn.save(norn.load(a.path), a.top / "other" / "m.onnx"),
    "save beside": lambda a, t: norn.save(norn.load(a.path), a.folder / "n.onnx", external_data="new.data"),
    "pack": lambda a, t: norn.pack_external_data(a.path, a.folder / "packed.onnx"),
    "unpack": lambda a, t: norn.unpack_external_data(a.path, a.folder / "unpacked.onnx", "new.data", size_threshold=0),
    "load_external_tensor": lambda a, t: norn.load_external_tensor(t, str(a.folder)),
    "open_external": lambda a, t: norn.open_external(onnx.TensorProto.FromString(t).external_data[0].value, a.folder),
    "save_external_tensor": lambda a, t: norn.save_external_tensor(
        t + field(9, b"evil----"), str(a.folder)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("location", LOCATIONS)
def test_locations_that_lead_elsewhere(attack, location, door):
    weight = external(location.format(top=attack.top))
    attack.path.write_bytes(with_weight(weight))
    norn.save(norn.load(attack.path.read_bytes()), attack.path.with_suffix(".json"))
    before = attack.everything()
    copy = attack.top / "other" / "m.onnx"
    try:
        DOORS[door](attack, weight)
    except (norn.Error, ValueError) as error:  # ValueError is Python's own, for NUL in a path
        assert SECRET.decode() not in str(error)
    else:
        # A document is saved as it stands; where its location names no file, there is none to copy along.
        assert door == "save elsewhere"
        assert onnx.load(copy, load_external_data=False) == onnx.load(attack.path, load_external_data=False)
        copy.unlink()
    assert attack.everything() == before
    assert not (attack.top / "fresh").exists()
    report = norn.check(attack.path)
    assert LOCATIONS[location] in {d.rule for d in report}
    assert "secret" not in str(report) or "secret" in location or location in ("link", "relative", "up/secret")


def test_a_file_that_is_the_models_own_passes_every_door(attack):
    """So that what is refused above is refused for what it is."""
    weight = external("w.bin")
    attack.path.write_bytes(with_weight(weight))
    norn.save(norn.load(attack.path.read_bytes()), attack.path.with_suffix(".json"))
    assert norn.check(attack.path.with_suffix(".json")).ok
    for name, door in DOORS.items():
        result = door(attack, weight)
        if name == "open_external":
            assert result.read() == b"\0" * 8
            result.close()
    assert (attack.top / "other" / "w.bin").read_bytes() == b"\0" * 8
    assert (attack.folder / "w.bin").read_bytes()[:8] == b"\0" * 8  # the last door appended behind


@pytest.mark.parametrize("location", ["dangling", "up/fresh", "../fresh", "link"])
def test_nothing_is_written_over_links(attack, location):
    before = attack.everything()
    tensor_proto = external(location) + field(9, b"evil----")
    with pytest.raises(norn.Error):
        norn.save_external_tensor(tensor_proto, str(attack.folder))
    big = with_weight(tensor("w", wire.FLOAT, [2], field(9, b"evil----")))
    attack.path.write_bytes(big)
    for write in (lambda: norn.unpack_external_data(attack.path, attack.folder / "o.onnx", location, size_threshold=0),
                  lambda: norn.save(big, attack.folder / "o.onnx",
                                    external_data={"location": location, "size_threshold": 0})):
        if location in ("dangling", "link"):
            continue  # a link's name in the folder itself: a file there, or its replacement, is harmless
        with pytest.raises(norn.Error):
            write()
    assert attack.everything() == before
    assert not (attack.top / "fresh").exists()


def test_unknown_keys_are_passed_over(attack):
    """Keys that name members of a reader's objects set nothing there: a class of faults of other readers."""
    keys = [("__class__", "x"), ("__dict__", "x"), ("offset ", "999"), ("Location", "../secret"), ("basepath", "/etc")]
    weight = external("w.bin", *keys)
    attack.path.write_bytes(with_weight(weight))
    assert norn.InferenceSession(str(attack.path)).run(None, {})[0].tolist() == [0, 0]
    assert norn.load_external_tensor(weight, str(attack.folder)) == b"\0" * 8
    report = norn.check(attack.path)
    assert report.ok
    assert [d.rule for d in report if d.severity == "warning"] == ["ext.keys-known"] * 4
    twice = external("w.bin", ("location", "../secret"))
    attack.path.write_bytes(with_weight(twice))
    with pytest.raises(norn.Error, match="two values"):
        norn.InferenceSession(str(attack.path))
    assert "ext.keys-unique" in {d.rule for d in norn.check(attack.path)}


@pytest.mark.parametrize("entries", [
    [("length", "9223372036854775807")], [("length", "18446744073709551615")], [("length", "1152921504606846976")],
    [("offset", "18446744073709551615"), ("length", "1")], [("offset", "9223372036854775807"), ("length", "2")],
    [("offset", "4"), ("length", "8")], [("length", "-8")], [("offset", "-1")], [("offset", "1e1")], [("length", "")],
    [("length", "99999999999999999999999999")],
])
def test_lengths_and_offsets_beyond_the_file(attack, entries):
    weight = external("w.bin", *entries)
    attack.path.write_bytes(with_weight(weight))
    for door in ("session", "pack", "unpack", "load_external_tensor"):
        with pytest.raises(norn.Error):
            DOORS[door](attack, weight)
    assert not norn.check(attack.path).ok


@pytest.mark.parametrize("elem_type", [wire.INT4, wire.UINT4, 23, 25, 26, 27])
@pytest.mark.parametrize("elements", [1, 3, 5, 9])
def test_small_types_are_not_read_past_their_bytes(attack, elem_type, elements):
    """Several elements lie in a byte: one byte less than they take is refused, wherever the bytes are."""
    bits = {wire.INT4: 4, wire.UINT4: 4, 23: 4, 25: 2, 26: 2, 27: 6}[elem_type]
    size = (elements * bits + 7) // 8
    for n, good in [(size, True), (size - 1, False), (size + 1, False)]:
        (attack.folder / "small.bin").write_bytes(b"\0" * n)
        for weight in (tensor("w", elem_type, [elements], field(9, b"\0" * n)),
                       external("small.bin", data_type=elem_type, dims=[elements])):
            data = model(14, graph([], [], [value("w", [elements], elem_type)], [weight]), opset(28))
            attack.path.write_bytes(data)
            assert norn.check(attack.path).ok == good
            if good:
                assert not norn.InferenceSession(str(attack.path)).run(None, {})[0].view(np.uint8).any()
            else:
                with pytest.raises(norn.Error):
                    norn.InferenceSession(str(attack.path))


# --- what reading costs -----------------------------------------------------------------------------------------------


def weights(initializers, nodes=None, *more, inputs=None):
    return model(8, graph(nodes or [node("Add", ["x", "w"], ["y"])], [value("x", [2])] if inputs is None else inputs,
                          [value("y", None)], initializers, *more), opset(13))


def sparse(*dims):
    return field(15, field(1, floats("w", [7], [1])) + field(2, int64s("", [1], [1])) + fields(3, dims))


def nested_graphs(depth):
    inner = graph([node("Relu", ["x"], ["y"])], [], [value("y", [2])])
    for _ in range(depth):
        inner = graph([node("If", ["c"], ["y"], attribute("then_branch", inner, 5))], [], [value("y", [2])])
    return model(8, inner, opset(13))


def nested_types(depth):
    held = wire.tensor_type(wire.FLOAT, [2])
    for _ in range(depth):
        held = field(4, field(1, held))
    return weights([], [node("Identity", ["x"], ["y"])], inputs=[value("x", of_type=held)])


def function(name, nodes, output="b"):
    imports = b"".join(field(9, field(1, d) + field(2, v)) for d, v in [("", 13), ("com.example", 1)])
    return (field(1, name) + field(4, "a") + field(5, output) + fields(7, nodes) + imports
            + field(10, "com.example"))


def calls(functions, first):
    return model(8, graph([node(first, ["x"], ["y"], domain="com.example")], [value("x", [2])], [value("y", [2])]),
                 opset(13), opset(1, "com.example"), fields(25, functions))


def doubling(levels, leaf):
    """Each function calls the one below twice."""
    twice = [function(f"F{i}", [node(f"F{i - 1}", ["a"], ["m"], domain="com.example"),
                                node(f"F{i - 1}", ["m"], ["b"], domain="com.example")]) for i in range(1, levels)]
    return calls([leaf, *twice], f"F{levels - 1}")


def chain(length, last):
    """Each function calls the next one; the last calls the one that is named."""
    links = [function(f"F{i}", [node(f"F{i + 1}", ["a"], ["b"], domain="com.example")]) for i in range(length - 1)]
    end = node(last, ["a"], ["b"], **({"domain": "com.example"} if last.startswith("F") else {}))
    return calls([*links, function(f"F{length - 1}", [end])], "F0")


BIG = 1 << 40
HOSTILE = {
    # name: the file, whether norn.check has to find an error (or raise), whether a session has to be refused
    "a length of 2^62": (weights([]) + wire.varint(6 << 3 | 2) + wire.varint(1 << 62), True, True),
    "a packed list of 2^40 bytes": (weights([field(1, 2) + wire.varint(4 << 3 | 2) + wire.varint(BIG)]), True, True),
    "dims without data": (weights([tensor("w", 1, [1 << 31, 1 << 31])]), True, True),
    "dims that wrap to 0": (weights([tensor("w", 1, [1 << 32, 1 << 32], field(9, b""))]), True, True),
    "dims that wrap to 4": (weights([tensor("w", 1, [(1 << 62) + 1, 4], field(9, bytes(16)))]), True, True),
    "dims that multiply to 4 below zero": (weights([tensor("w", 1, [-1, -4], field(9, bytes(16)))]), True, True),
    "dims for four bytes": (weights([tensor("w", 1, [BIG], field(9, bytes(4)))]), True, True),
    "4-bit dims for one byte": (weights([tensor("w", 21, [1 << 34], field(9, b"\0"))]), True, True),
    "strings without data": (weights([tensor("w", 8, [1 << 34])]), True, True),
    "a sparse tensor of 2^60 elements": (weights([], None, sparse(1 << 60)), False, True),
    "sparse dims that wrap": (weights([], None, sparse(1 << 32, 1 << 32)), True, True),
    "a constant of a shape of 2^60": (
        weights([int64s("s", [1 << 60])], [node("ConstantOfShape", ["s"], ["y"])]), False, False),
    "a constant of a shape that wraps": (
        weights([int64s("s", [1 << 32, 1 << 32])], [node("ConstantOfShape", ["s"], ["y"])]), False, True),
    "padding by 2^60": (weights([int64s("p", [0, 1 << 60])], [node("Pad", ["x", "p"], ["y"])]), False, False),
    "padding that wraps": (weights([int64s("p", [2**63 - 1] * 2)], [node("Pad", ["x", "p"], ["y"])]), False, True),
    "an input of 2^80 elements": (
        weights([], [node("Abs", ["x"], ["y"])], inputs=[value("x", [BIG, BIG])]), False, True),
    "graphs nested 5000 deep": (nested_graphs(5000), True, True),
    "types nested 5000 deep": (nested_types(5000), True, True),
    "groups nested 100000 deep": (weights([]) + b"\x9b\x06" * 100_000, True, True),
    "functions that double 30 times": (doubling(30, function("F0", [node("Neg", ["a"], ["b"])])), True, True),
    "empty functions that double 60 times": (doubling(60, function("F0", [], "a")), True, True),
    "functions in a circle": (chain(3, "F0"), True, True),
    "a function that calls itself": (chain(1, "F0"), True, True),
    "functions 5000 deep": (chain(5000, "Neg"), False, True),
}
SOUND = {
    "functions that double 10 times": doubling(10, function("F0", [node("Neg", ["a"], ["b"])])),
    "functions 50 deep": chain(50, "Neg"),
}

WORKER = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
sys.path.insert(0, sys.argv[1])
import numpy as np
import norn
import memory
import test_hostile_files as files
def timed(door, data):
    begin = time.process_time()
    try:
        result = door(data)
    except norn.Error as error:
        result = type(error).__name__
    return result, time.process_time() - begin
def run(data):
    session = norn.InferenceSession(data)
    try:
        session.run(None, {"x": np.zeros(2, np.float32)})
    except norn.LimitExceeded:
        return "LimitExceeded"
    return "ran"
results = {}
for name, data in [*((n, d[0]) for n, d in files.HOSTILE.items()), *files.SOUND.items()]:
    results[name] = [timed(lambda d: norn.check(d, infer=False).ok, data), timed(lambda d: bool(norn.InferenceSession(d)), data),
                     timed(run, data), timed(lambda d: len(norn.load(d).to_text()) > 0, data)]
results["peak"] = memory.peak_bytes() >> 20
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def costs():
    """Every file through every door in one process that may not take much memory."""
    done = subprocess.run([sys.executable, "-c", WORKER, str(HERE)], capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", HOSTILE)
def test_small_files_that_ask_for_much(costs, name):
    """They are refused with an error of Norn's, soon, and without the memory that they ask for."""
    _, check_finds, session_refuses = HOSTILE[name]
    (checked, t0), (prepared, t1), (ran, t2), (_, t3) = costs[name]
    assert (checked is not True) == check_finds, checked
    assert (prepared is not True) == session_refuses, prepared
    assert ran != "ran"
    assert max(t0, t1, t2, t3) < 10


@pytest.mark.parametrize("name", SOUND)
def test_files_that_only_look_like_it(costs, name):
    checked, prepared, ran, _ = (result for result, _ in costs[name])
    assert checked is True and prepared is True and ran == "ran"


def test_memory_stays_small(costs):
    assert costs["peak"] < 1024
