"""Where tensors lie: packed, unpacked, stripped; which data files a call may read, and data that Python code gives."""

import hashlib
import mmap
import os
import pathlib
import shutil
import stat
import threading

import numpy as np
import onnx
import pytest
from conftest import model_of, value
from onnx import TensorProto, external_data_helper, helper, numpy_helper

import norn

SIZES = {"big": 3000, "middle": 400, "small": 3}


def weights_model():
    """y = x + big[0] + middle[0] + small[0], with weights from a seed."""
    random = np.random.default_rng(3)
    tensors = [numpy_helper.from_array(random.standard_normal(n).astype(np.float32), k) for k, n in SIZES.items()]
    zero = numpy_helper.from_array(np.array([0]), "zero")
    nodes = [helper.make_node("Gather", [name, "zero"], [f"{name}_0"]) for name in SIZES]
    nodes.append(helper.make_node("Sum", ["x", *(f"{name}_0" for name in SIZES)], ["y"]))
    return model_of(nodes, [value("x", [1])], [value("y", [1])], [*tensors, zero])


def weights_of(model):
    return {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}


def assert_same_weights(path, model):
    got, wanted = weights_of(onnx.load(path)), weights_of(model)
    assert got.keys() == wanted.keys()
    for name, array in wanted.items():
        np.testing.assert_array_equal(got[name], array)


def external(path):
    """The names of tensors in data files, with their locations."""
    model = onnx.load(path, load_external_data=False)
    return {
        t.name: external_data_helper.ExternalDataInfo(t).location
        for t in model.graph.initializer
        if external_data_helper.uses_external_data(t)
    }


@pytest.fixture
def saved(tmp_path):
    """(path, ModelProto): a model whose two larger tensors lie in w.data."""
    model = weights_model()
    folder = tmp_path / "model"
    folder.mkdir()
    onnx.save(model, folder / "whole.onnx")
    norn.unpack_external_data(folder / "whole.onnx", folder / "m.onnx", "w.data")
    (folder / "whole.onnx").unlink()
    return folder / "m.onnx", model


def run(source, **options):
    (y,) = norn.InferenceSession(source, **options).run(None, {"x": np.ones(1, np.float32)})
    return y


def expected(model):
    weights = weights_of(model)
    return np.ones(1, np.float32) + weights["big"][0] + weights["middle"][0] + weights["small"][0]


# Packing and unpacking.


def test_unpack_and_pack_give_the_model_back(tmp_path, saved):
    path, model = saved
    assert external(path) == {"big": "w.data", "middle": "w.data"}
    assert_same_weights(path, model)
    norn.pack_external_data(path, tmp_path / "packed.onnx")
    assert external(tmp_path / "packed.onnx") == {}
    assert (tmp_path / "packed.onnx").read_bytes() == model.SerializeToString()


@pytest.mark.parametrize("source", [bytes, norn.load, lambda b: onnx.ModelProto.FromString(b)],
                         ids=["bytes", "Model", "ModelProto"])
def test_models_in_memory(tmp_path, source):
    model = weights_model()
    given = source(model.SerializeToString())
    norn.unpack_external_data(given, tmp_path / "u.onnx")
    assert set(external(tmp_path / "u.onnx").values()) == {"u.onnx.data"}
    assert_same_weights(tmp_path / "u.onnx", model)
    norn.pack_external_data(given, tmp_path / "p.onnx")
    assert (tmp_path / "p.onnx").read_bytes() == model.SerializeToString()
    norn.strip_tensor_data(given, tmp_path / "s.onnx")
    stripped = onnx.load(tmp_path / "s.onnx")
    assert [(t.name, list(t.dims), t.raw_data) for t in stripped.graph.initializer] == [
        (t.name, list(t.dims), b"") for t in model.graph.initializer
    ]


def test_a_loaded_model_packs_its_files(tmp_path, saved):
    path, model = saved
    norn.pack_external_data(norn.load(path), tmp_path / "p.onnx")
    assert (tmp_path / "p.onnx").read_bytes() == model.SerializeToString()


def test_options_of_unpacking(tmp_path):
    model = weights_model()
    norn.unpack_external_data(model, tmp_path / "m.onnx", "w.data", size_threshold=0, alignment=64, max_file_bytes=1,
                              checksums=True)
    places = external(tmp_path / "m.onnx")
    assert set(places) == {*SIZES, "zero"} and len(set(places.values())) == 4
    for tensor in onnx.load(tmp_path / "m.onnx", load_external_data=False).graph.initializer:
        entry = {e.key: e.value for e in tensor.external_data}
        data = (tmp_path / entry["location"]).read_bytes()
        assert entry["checksum"] == hashlib.sha1(data).hexdigest()
    assert_same_weights(tmp_path / "m.onnx", model)


def test_save_with_a_data_file(tmp_path, saved):
    path, model = saved
    norn.save(model, tmp_path / "a.onnx", external_data="a.data")
    assert external(tmp_path / "a.onnx") == {"big": "a.data", "middle": "a.data"}
    assert_same_weights(tmp_path / "a.onnx", model)
    norn.save(norn.load(path), tmp_path / "b.onnx", external_data={"location": "sub/b.data", "size_threshold": 2000})
    assert external(tmp_path / "b.onnx") == {"big": "sub/b.data"}
    assert_same_weights(tmp_path / "b.onnx", model)
    norn.save(model, tmp_path / "c.onnx", external_data={})
    assert set(external(tmp_path / "c.onnx").values()) == {"c.onnx.data"}
    with pytest.raises(norn.InvalidArgument, match='no option "treshold"'):
        norn.save(model, tmp_path / "d.onnx", external_data={"treshold": 1})
    with pytest.raises(norn.InvalidArgument, match="size_threshold is a number"):
        norn.save(model, tmp_path / "d.onnx", external_data={"size_threshold": -1})
    with pytest.raises(norn.InvalidArgument, match="name of the data file"):
        norn.save(model, tmp_path / "d.onnx", external_data=3)
    with pytest.raises(norn.InvalidArgument, match="notation"):
        norn.save(model, tmp_path / "d.onnx", external_data="d.data", format="json")
    assert not (tmp_path / "d.onnx").exists()


def test_other_data_is_never_written_over(tmp_path):
    (tmp_path / "w.data").write_bytes(b"somebody's")
    with pytest.raises(norn.InvalidArgument, match="exists already with other content"):
        norn.save(weights_model(), tmp_path / "m.onnx", external_data="w.data")
    assert (tmp_path / "w.data").read_bytes() == b"somebody's"
    assert not (tmp_path / "m.onnx").exists()


def test_text_notations_with_a_data_file(tmp_path):
    model = weights_model()
    norn.save(model, tmp_path / "m.textproto", external_data="w.data")
    np.testing.assert_array_equal(run(tmp_path / "m.textproto"), expected(model))


def test_bytes_in_any_notation(tmp_path):
    model = weights_model()
    for extension, notation in ((".json", "json"), (".textproto", "textproto"), (".onnxtxt", "onnxtxt")):
        path = tmp_path / f"m{extension}"
        norn.save(model, path)
        np.testing.assert_array_equal(run(norn.load(path.read_bytes(), format=notation)), expected(model))
    with pytest.raises(norn.InvalidArgument, match="no notation"):
        norn.load(model, format="json")


def test_buffers_are_models(tmp_path, saved):
    data = weights_model().SerializeToString()
    changing = bytearray(data)
    model = norn.load(changing)
    changing[:] = bytes(len(changing))
    assert model.SerializeToString() == data
    (tmp_path / "m.onnx").write_bytes(data)
    with open(tmp_path / "m.onnx", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        model = norn.load(mapped)
        assert model.SerializeToString() == data
        del model
    assert norn.load(memoryview(data)).SerializeToString() == data


# Policies.


@pytest.fixture
def in_cache(tmp_path, saved):
    """The model as the Hugging Face cache keeps it: links from snapshots/REVISION into blobs/."""
    path, model = saved
    repository = tmp_path / "hub" / "models--norn--test"
    blobs, snapshot = repository / "blobs", repository / "snapshots" / "0123"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for file in path.parent.iterdir():
        blob = blobs / hashlib.sha256(file.read_bytes()).hexdigest()
        shutil.move(file, blob)
        (snapshot / file.name).symlink_to(os.path.relpath(blob, snapshot))
    return snapshot / "m.onnx", model


def test_the_cache_is_read_when_it_is_allowed(tmp_path, in_cache):
    path, model = in_cache
    with pytest.raises(norn.InvalidGraph, match="link|lead"):
        run(path)
    for policy in ("hf-cache", norn.ExternalDataPolicy("hf-cache")):
        np.testing.assert_array_equal(run(path, external_data=policy), expected(model))
        np.testing.assert_array_equal(run(norn.load(path, external_data=policy)), expected(model))
        norn.pack_external_data(path, tmp_path / "p.onnx", external_data=policy)
        assert (tmp_path / "p.onnx").read_bytes() == model.SerializeToString()
    with pytest.raises(norn.InvalidGraph):
        norn.pack_external_data(path, tmp_path / "q.onnx")


def test_checks_follow_the_policy(in_cache):
    path, _ = in_cache
    report = norn.check(path)
    assert not report.ok
    (finding,) = [d for d in report if d.rule == "ext.location.no-symlink"]
    assert '(external_data="hf-cache")' in finding.hint and "ExternalPolicy" not in str(report) + report.to_json()
    assert norn.check(path, external_data="hf-cache").ok, str(norn.check(path, external_data="hf-cache"))
    assert norn.check(norn.load(path, external_data="hf-cache")).ok
    with pytest.raises(norn.CheckError):
        norn.check_model(path)
    norn.check_model(path, external_data="hf-cache")


def test_further_folders(tmp_path, saved):
    path, model = saved
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(path.with_name("w.data"), elsewhere / "w.data")
    with pytest.raises(norn.NoSuchFile):
        run(path)
    policy = norn.ExternalDataPolicy(roots=[elsewhere])
    assert policy.roots == [str(elsewhere)] and "1 root" in repr(policy)
    np.testing.assert_array_equal(run(path, external_data=policy), expected(model))
    np.testing.assert_array_equal(run(norn.load(path, external_roots=[elsewhere])), expected(model))
    # A model from memory has no folder of its own.
    proto = onnx.load(path, load_external_data=False)
    np.testing.assert_array_equal(run(proto, external_data=policy), expected(model))
    with pytest.raises(norn.InvalidArgument):
        run(proto)
    with pytest.raises(norn.InvalidArgument, match="list"):
        norn.ExternalDataPolicy(roots=str(elsewhere))


def test_hard_links(saved):
    path, model = saved
    os.link(path.with_name("w.data"), path.with_name("second name"))
    with pytest.raises(norn.InvalidGraph, match="hard link|names") as caught:
        run(path)
    assert "(norn.ExternalDataPolicy(hard_links=True))" in caught.value.hint
    np.testing.assert_array_equal(run(path, external_data=norn.ExternalDataPolicy(hard_links=True)), expected(model))


def test_checksums(tmp_path):
    model = weights_model()
    norn.unpack_external_data(model, tmp_path / "m.onnx", "w.data", checksums=True)
    policy = norn.ExternalDataPolicy(checksums=True)
    np.testing.assert_array_equal(run(tmp_path / "m.onnx", external_data=policy), expected(model))
    data = bytearray((tmp_path / "w.data").read_bytes())
    data[-1] ^= 1
    (tmp_path / "w.data").write_bytes(data)
    run(tmp_path / "m.onnx")
    with pytest.raises(norn.InvalidGraph, match="SHA-1"):
        run(tmp_path / "m.onnx", external_data=policy)
    assert norn.check(tmp_path / "m.onnx").ok
    reports = [
        norn.check(tmp_path / "m.onnx", checksums=True),
        norn.check(tmp_path / "m.onnx", external_data=policy),
        norn.check(norn.load(tmp_path / "m.onnx", external_data=policy)),
        norn.check(norn.load(tmp_path / "m.onnx"), checksums=True),
    ]
    for report in reports:
        assert {d.rule for d in report if d.severity == "error"} == {"ext.checksum"}
    norn.check_model(tmp_path / "m.onnx")
    for arguments in ({"checksums": True}, {"external_data": policy}):
        with pytest.raises(norn.CheckError, match="SHA-1"):
            norn.check_model(tmp_path / "m.onnx", **arguments)


def test_what_is_no_policy(saved):
    path, _ = saved
    with pytest.raises(norn.InvalidArgument, match='no external data policy "anywhere"'):
        norn.load(path, external_data="anywhere")
    with pytest.raises(norn.InvalidArgument, match='no external data policy "anywhere"'):
        norn.ExternalDataPolicy("anywhere")
    with pytest.raises(norn.InvalidArgument, match="external_data is int"):
        norn.load(path, external_data=3)
    with pytest.raises(norn.InvalidArgument, match="not a function"):
        norn.ExternalDataPolicy(reader="w.data")
    for call in (norn.load, norn.check, norn.InferenceSession):
        with pytest.raises(norn.InvalidArgument, match="loaded already"):
            call(norn.load(path), external_data="hf-cache")
    with pytest.raises(norn.InvalidArgument, match="loaded already"):
        norn.load(norn.load(path), external_roots=[path.parent])


# Data from Python code.


class Reader:
    """Gives stretches of files that lie in a dict, and remembers what it was asked for."""

    def __init__(self, files, wrap=bytes):
        self.files, self.wrap, self.asked = files, wrap, []

    def __call__(self, location, offset, length):
        self.asked.append((location, offset, length))
        data = self.files[location]
        return self.wrap(data[offset:] if length is None else data[offset : offset + length])


@pytest.fixture
def in_memory(saved):
    """(bytes of the model, its data files): nothing on disk."""
    path, model = saved
    files = {"w.data": path.with_name("w.data").read_bytes()}
    content = path.read_bytes()
    shutil.rmtree(path.parent)
    return content, files, model


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8)],
                         ids=["bytes", "bytearray", "memoryview", "numpy"])
def test_a_reader_gives_the_data(in_memory, wrap):
    content, files, model = in_memory
    reader = Reader(files, wrap)
    np.testing.assert_array_equal(run(content, external_data=reader), expected(model))
    wanted = set()
    for tensor in onnx.ModelProto.FromString(content).graph.initializer:
        entry = {e.key: e.value for e in tensor.external_data}
        if entry:
            wanted.add((entry["location"], int(entry["offset"]), int(entry["length"])))
    assert set(reader.asked) == wanted and len(wanted) == 2


def test_a_reader_in_every_call(tmp_path, in_memory):
    content, files, model = in_memory
    policy = norn.ExternalDataPolicy(reader=Reader(files))
    assert policy.reader.files is files
    loaded = norn.load(content, external_data=policy)
    np.testing.assert_array_equal(run(loaded), expected(model))
    assert norn.check(content, external_data=policy).ok
    norn.pack_external_data(content, tmp_path / "p.onnx", external_data=policy)
    assert (tmp_path / "p.onnx").read_bytes() == model.SerializeToString()
    norn.save(loaded, tmp_path / "s.onnx", external_data="s.data")
    assert_same_weights(tmp_path / "s.onnx", model)


def test_a_tensor_without_length(in_memory):
    content, files, model = in_memory
    proto = onnx.ModelProto.FromString(content)
    tensor = next(t for t in proto.graph.initializer if t.name == "middle")
    offset = int(next(e.value for e in tensor.external_data if e.key == "offset"))
    del tensor.external_data[:]
    tensor.external_data.add(key="location", value="rest.data")
    files["rest.data"] = files["w.data"][offset : offset + 1600]
    reader = Reader(files)
    np.testing.assert_array_equal(run(proto, external_data=reader), expected(model))
    assert ("rest.data", 0, None) in reader.asked


class Stop(Exception):
    pass


def test_exceptions_of_a_reader_come_through(in_memory, tmp_path):
    content, _, _ = in_memory

    def stop(location, offset, length):
        raise Stop(f"no {location}")

    for call in (
        lambda: norn.InferenceSession(content, external_data=stop),
        lambda: norn.pack_external_data(content, tmp_path / "p.onnx", external_data=stop),
        lambda: norn.save(norn.load(content, external_data=stop), tmp_path / "s.onnx", external_data="s.data"),
    ):
        with pytest.raises(Stop, match=r"no w\.data") as caught:
            call()
        assert caught.traceback[-1].name == "stop"
    assert list(tmp_path.glob("*.onnx")) == []


def test_a_reader_that_gives_something_else(in_memory):
    content, files, _ = in_memory
    with pytest.raises(norn.InvalidArgument, match="returned is str, not bytes"):
        run(content, external_data=lambda *_: "text")
    with pytest.raises(norn.InvalidArgument, match="instead of"):
        run(content, external_data=lambda location, offset, length: files[location][:3])
    with pytest.raises(TypeError):
        run(content, external_data=lambda location: b"")


def test_readers_on_many_threads(in_memory):
    content, files, model = in_memory
    results = []

    def work():
        for _ in range(5):
            results.append(run(content, external_data=Reader(files)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20
    for result in results:
        np.testing.assert_array_equal(result, expected(model))


def test_a_reader_dies_with_its_model(in_memory):
    content, files, _ = in_memory
    reader = Reader(files)
    alive = threading.local()
    alive.model = norn.load(content, external_data=reader)
    import sys

    held = sys.getrefcount(reader)
    del alive.model
    assert sys.getrefcount(reader) == held - 1


# Single tensors and files.


def test_tensors_of_their_own(tmp_path):
    array = np.arange(5000, dtype=np.float32)
    tensor = numpy_helper.from_array(array, "t")
    external_data_helper.set_external_data(tensor, "t.data")
    tensor.raw_data = array.tobytes()
    for given in (tensor, tensor.SerializeToString()):
        saved = norn.save_external_tensor(given, tmp_path, alignment=64)
        assert type(saved) is type(given)
        proto = saved if isinstance(saved, TensorProto) else TensorProto.FromString(saved)
        assert not proto.raw_data
        assert norn.load_external_tensor(proto, tmp_path) == array.tobytes()
    assert int(next(e.value for e in proto.external_data if e.key == "offset")) % 64 == 0


def test_open_external(tmp_path, in_cache):
    path, _ = in_cache
    with pytest.raises(norn.InvalidGraph):
        norn.open_external("w.data", path.parent)
    with norn.open_external("w.data", path.parent, policy="hf-cache") as file:
        assert len(file.read()) == path.with_name("w.data").stat().st_size
    with norn.open_external(pathlib.Path("w.data"), str(path.parent), policy=norn.ExternalDataPolicy("hf-cache")) as f:
        assert f.readable() and not f.writable()
    with pytest.raises(norn.InvalidArgument, match="no external data policy"):
        norn.open_external("w.data", path.parent, policy="nonsense")
    with pytest.raises(norn.InvalidArgument, match="opens no files"):
        norn.open_external("w.data", path.parent, policy=lambda *_: b"")
    with pytest.raises(norn.InvalidGraph):
        norn.open_external("../w.data", path.parent, policy="hf-cache")


def permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_data_is_not_for_others(tmp_path, saved):
    """Who may not read the model, or the file that data is copied from, may not read the new data file either."""
    old = os.umask(0o022)
    try:
        path = tmp_path / "m.onnx"
        onnx.save(weights_model(), path)
        path.chmod(0o600)
        norn.unpack_external_data(path, path, "s.data")
        assert permissions(path) == permissions(tmp_path / "s.data") == 0o600
        path.chmod(0o644)
        (tmp_path / "copy").mkdir()
        norn.save(path, tmp_path / "copy" / "m.onnx")
        assert permissions(tmp_path / "copy" / "s.data") == 0o600
        (tmp_path / "s.data").chmod(0o640)
        norn.unpack_external_data(path, path, "t.data")
        assert permissions(tmp_path / "t.data") == 0o640
        norn.unpack_external_data(weights_model(), tmp_path / "n.onnx", "n.data")
        assert permissions(tmp_path / "n.data") == 0o644
    finally:
        os.umask(old)


def test_further_folders_of_bytes_are_taken_along(tmp_path, saved):
    path, model = saved
    content = path.read_bytes()
    loaded = norn.load(content, external_roots=[path.parent])
    (tmp_path / "dst").mkdir()
    norn.save(loaded, tmp_path / "dst" / "m.onnx")
    assert_same_weights(tmp_path / "dst" / "m.onnx", model)
    norn.save(norn.load(content), tmp_path / "dst" / "bare.onnx")  # nothing says where its data is
    norn.save(norn.load(content, external_roots=[tmp_path]), tmp_path / "dst" / "missing.onnx")
    with pytest.raises(norn.NoSuchFile, match="w.data"):
        norn.InferenceSession(norn.load(content, external_roots=[tmp_path]))


def test_further_folders_hold_the_models_data(tmp_path, saved):
    path, _ = saved
    data = path.parent / "w.data"
    before = data.read_bytes()
    policy = norn.ExternalDataPolicy(roots=[path.parent])
    apart = tmp_path / "apart.onnx"
    shutil.copy(path, apart)
    for source in (path.read_bytes(), apart):
        for call in (norn.pack_external_data, norn.strip_tensor_data, norn.unpack_external_data):
            with pytest.raises(norn.InvalidArgument, match="is a data file of the model"):
                call(source, data, external_data=policy)
    with pytest.raises(norn.InvalidArgument, match="is a data file of the model"):
        norn.save(norn.load(path.read_bytes(), external_roots=[path.parent]), data)
    assert data.read_bytes() == before


def test_what_onnx_does_not_load_from_files_stays(tmp_path):
    model = weights_model()
    model.training_info.add().initialization.CopyFrom(model.graph)
    function = model.functions.add(name="f", domain="d")
    function.attribute_proto.add(name="a", type=onnx.AttributeProto.TENSOR).t.CopyFrom(model.graph.initializer[0])
    function.node.add(op_type="Constant").attribute.add(type=onnx.AttributeProto.TENSOR).t.CopyFrom(
        model.graph.initializer[0])
    path = tmp_path / "m.onnx"
    norn.unpack_external_data(model, path, "w.data", size_threshold=100)
    bare = onnx.load(path, load_external_data=False)
    assert [t.data_location for t in bare.graph.initializer][:2] == [TensorProto.EXTERNAL] * 2
    assert bare.functions[0].node[0].attribute[0].t.data_location == TensorProto.EXTERNAL
    again = onnx.load(path)
    for tensors in (again.training_info[0].initialization.initializer, again.graph.initializer):
        for got, wanted in zip(tensors, model.graph.initializer, strict=True):
            np.testing.assert_array_equal(numpy_helper.to_array(got), numpy_helper.to_array(wanted))
    assert again.functions[0].attribute_proto[0].t == function.attribute_proto[0].t


def test_a_readers_folder_is_the_same_however_it_is_spelled(saved, monkeypatch):
    path, model = saved
    monkeypatch.chdir(path.parent.parent)

    def reader(location, offset, length):
        return pathlib.Path("model", location).read_bytes()[offset:][:length]

    loaded = norn.load("model/m.onnx", external_data=reader)
    for number, folder in enumerate(["model", "./model", "model/../model", path.parent]):
        name = f"{folder}/n{number}.onnx"
        norn.save(loaded, name)
        assert_same_weights(name, model)
    with pytest.raises(norn.InvalidArgument, match="comes from a reader"):
        norn.save(loaded, "n.onnx")


def test_buffers_with_gaps_are_copied(tmp_path, saved):
    path, model = saved
    content = onnx.load(path).SerializeToString()
    spread = memoryview(bytes(b for byte in content for b in (byte, 0)))[::2]
    assert norn.load(spread).SerializeToString() == norn.load(content).SerializeToString()

    def reader(location, offset, length):
        data = (path.parent / location).read_bytes()[offset:][:length]
        return memoryview(bytes(b for byte in data for b in (byte, 0)))[::2]

    packed = tmp_path / "packed.onnx"
    norn.pack_external_data(path, packed, external_data=reader)
    assert_same_weights(packed, model)
    released = memoryview(content)
    released.release()
    with pytest.raises(norn.InvalidArgument, match="memoryview"):
        norn.load(released)


def test_appending_leaves_no_file_of_what_fails(tmp_path):
    tensor = numpy_helper.from_array(np.zeros(100), "t")
    tensor.external_data.add(key="location", value="new.data")
    tensor.external_data.add(key="offset", value=str(2**40))
    with pytest.raises(norn.InvalidArgument):
        norn.save_external_tensor(tensor, tmp_path)
    assert not list(tmp_path.iterdir())
