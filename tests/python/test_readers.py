"""Readers of external data that are Python functions: who holds one shows it to the garbage collector."""

import gc
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from onnx import TensorProto, helper

import norn


def external_model():
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="w.bin")
    weight.external_data.add(key="length", value="8")
    return model_of([helper.make_node("Neg", ["w"], ["y"])], [], [value("y", [2])], [weight])


CONTENT = np.float32([1, 2]).tobytes()
MODEL = external_model().SerializeToString()


class Owner:
    """Holds what holds its method."""

    def __init__(self, make):
        self.held = make(self.read)

    def read(self, location, offset, length):
        assert (location, offset, length) == ("w.bin", 0, 8)
        return CONTENT


def policy(read):
    return norn.ExternalDataPolicy(reader=read)


MAKERS = {
    "policy": policy,
    "model": lambda read: norn.load(MODEL, external_data=read),
    "model by policy": lambda read: norn.load(MODEL, external_data=policy(read)),
    "session": lambda read: norn.InferenceSession(MODEL, external_data=read),
    "session of model": lambda read: norn.InferenceSession(norn.load(MODEL, external_data=read)),
    "all": lambda read: [policy(read), *(2 * [norn.load(MODEL, external_data=read)])],
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_cycles_are_freed(make):
    gc.collect()
    owners = [Owner(make) for _ in range(3)]
    gone = [weakref.ref(owner) for owner in owners]
    gc.collect()
    assert all(r() is not None for r in gone)
    del owners
    gc.collect()
    assert [r() for r in gone] == [None] * 3


def test_the_collector_takes_nothing_that_is_in_use():
    """Several objects hold one reader: each counts for itself."""
    model = norn.load(MODEL, external_data=lambda location, offset, length: CONTENT)
    sessions = [norn.InferenceSession(model) for _ in range(3)]
    policies = [norn.ExternalDataPolicy(reader=bytes.join)] * 2
    for _ in range(5):
        gc.collect()
    for session in sessions:
        assert session.run(None, {})[0].tolist() == [-1, -2]
    assert policies[0].reader is policies[1].reader is not None
    for source in (model, [model][0]):
        assert norn.InferenceSession(source).run(None, {})[0].tolist() == [-1, -2]


def test_a_session_outlives_the_model_and_the_policy():
    def read(location, offset, length):
        return CONTENT

    gone = weakref.ref(read)
    model = norn.load(MODEL, external_data=policy(read))
    del read
    gc.collect()
    assert gone() is not None
    session = norn.InferenceSession(model)
    del model
    gc.collect()
    assert session.run(None, {})[0].tolist() == [-1, -2]
    del session
    gc.collect()
    assert gone() is None


def test_the_reader_can_be_asked_for():
    assert norn.ExternalDataPolicy().reader is None
    reader = Owner(policy).read
    assert norn.ExternalDataPolicy(reader=reader).reader is reader


@pytest.mark.parametrize(
    "statement",
    [
        "p = norn.ExternalDataPolicy(reader=lambda l, o, n: b'')",
        "m = norn.load(path, external_data=lambda l, o, n: b'12345678')",
        "m = norn.load(path, external_data=norn.ExternalDataPolicy(reader=lambda l, o, n: b'12345678'))",
        "s = norn.InferenceSession(path, external_data=lambda l, o, n: b'12345678')",
    ],
)
def test_nothing_is_left_at_exit(statement, tmp_path):
    """A script's own functions refer to its variables, so that each of these is a cycle."""
    onnx.save(onnx.load_from_string(MODEL), tmp_path / "m.onnx")
    script = textwrap.dedent(f"""
        import norn
        path = {str(tmp_path / "m.onnx")!r}
        {statement}
        print("made")
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("made\n", "")
