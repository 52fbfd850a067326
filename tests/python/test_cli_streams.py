"""The norn command where its streams are closed, full, or have no end: exit codes stay what they are."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from conftest import DIGITS, add_model

import norn

NORN = pathlib.Path(sys.executable).with_name("norn")


@pytest.fixture
def folder(tmp_path):
    onnx.save(add_model(), tmp_path / "add.onnx")
    faulty = add_model()
    faulty.graph.node[0].input[0] = "nothing"
    onnx.save(faulty, tmp_path / "faulty.onnx")
    np.save(tmp_path / "x.npy", np.ones((1, 3), np.float32))
    return tmp_path


def shell(folder, command, redirection=""):
    done = subprocess.run(
        ["sh", "-c", f'"$0" {command} {redirection}', NORN], cwd=folder, capture_output=True, timeout=120, check=False
    )
    return done.returncode


# Each ends with an error, or with a note on standard error.
ERRORS = {
    "run missing.onnx": 3,
    "run add.onnx": 2,
    "run add.onnx -i x=x.npy -i y=add.onnx": 3,
    "run add.onnx --random --outputs nothing": 2,
    "run add.onnx --random -o x.npy": 2,
    "run add.onnx --data-dir nowhere": 2,
    "show missing.onnx": 3,
    "show x.npy": 3,
    "show add.onnx --elements many": 2,
    "explain missing.onnx": 3,
    "explain add.onnx --shape q:1": 2,
    "check missing.onnx": 3,
    "check": 2,
    "check faulty.onnx": 1,
    "check faulty.onnx missing.onnx --json": 3,
    "opset": 2,
    "opset show missing.onnxopset": 3,
    "opset check missing.onnxopset": 3,
    "opset export ai.onnx 999 out": 3,
    "convert missing.onnx out.onnx": 3,
    "convert add.onnx out.tflite": 2,
    "convert add.onnx nowhere/out.onnx": 3,
    "edit missing.onnx out.onnx --pack": 3,
    "edit add.onnx out.onnx": 2,
    "nothing": 2,
    "": 2,
    "run missing.onnx --json": 3,
    "check --json --sarif": 2,
}


@pytest.mark.parametrize("command", ERRORS)
def test_exit_codes_of_errors(folder, command):
    code = ERRORS[command]
    for redirection in ("", "2>&-", "2>/dev/full", "2>&- <&-", "2>/dev/full </dev/null"):
        assert shell(folder, command, redirection) == code, redirection
    if code != 1:  # findings that cannot be written are a failure
        for redirection in ("2>&- >&-", "2>/dev/full >/dev/full", "2>&- >&- <&-", ">&-", ">/dev/full"):
            assert shell(folder, command, redirection) == code, redirection


WORKS = ("run add.onnx --random", "show add.onnx", "show add.onnx --text", "explain add.onnx", "check add.onnx --json",
         "profile add.onnx --no-machine", "profile add.onnx --trace -",
         "check --list-rules", "opset export ai.onnx 21 -", "convert add.onnx -", "edit add.onnx - --strip", "--help",
         "run --help", "--version", "check faulty.onnx")


@pytest.mark.parametrize("command", WORKS)
def test_output_that_cannot_be_written_is_a_failure(folder, command):
    for redirection in (">&-", ">/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full", ">&- 2>&- <&-"):
        assert shell(folder, command, redirection) == 3, redirection
    assert shell(folder, command, "2>&- <&-") == (1 if "faulty" in command else 0)


def test_no_file_takes_the_place_of_a_closed_stream(folder):
    """What is opened first has the lowest free descriptor, that of a standard stream if it is closed."""
    before = (folder / "add.onnx").read_bytes()
    for redirection in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        assert shell(folder, "convert add.onnx out.onnx", redirection) == 0
        assert shell(folder, "edit out.onnx out.onnx --strip", redirection) == 0
        assert (folder / "add.onnx").read_bytes() == (folder / "out.onnx").read_bytes() == before
        assert shell(folder, "run missing.onnx --save-dir add.onnx --json", redirection) == 2
        assert (folder / "add.onnx").read_bytes() == before
    assert shell(folder, "show -", "<&-") == 3


# --- inputs without an end, or of another kind than files


def limited(command, *, data=None):
    """Standard error of a command that has to end by itself, in a process that may not take much memory."""
    done = subprocess.run(["sh", "-c", f'ulimit -v 2000000; {command}', NORN], capture_output=True, timeout=120,
                          check=False, input=data)
    assert done.returncode == 3, (command, done.stderr)
    return done.stderr.decode()


def test_limits_hold_for_what_has_no_end(folder):
    more = "--max-stream-bytes 100000"
    for source in ("/dev/zero", "/dev/urandom", "- </dev/zero"):
        for command in ("show", "check", "explain", "run --random", *(f"show --from {n}" for n in ("json", "text"))):
            error = limited(f'"$0" {command} {more} {source}')
            assert "100000" in error and "max_stream_bytes" in error, error
    for command in ("convert - /dev/null", "edit - /dev/null --pack", "check --data -"):
        error = limited(f'yes | "$0" {command} {more}')
        assert "100000" in error and "max_stream_bytes" in error, error
    images = f"{DIGITS}/digits_cnn.onnx --images {DIGITS}/images.npy --classes /dev/zero"
    assert "the limit of 67108864 bytes" in limited(f'"$0" run {images}')
    assert shell(folder, f"show - {more}", "<add.onnx") == 0
    error = limited(f'cat "{folder}/add.onnx" | "$0" show - --max-stream-bytes 99')
    assert "beyond 99 bytes" in error
    assert shell(folder, "show - --max-stream-bytes 9", "<add.onnx") == 0  # a file has a size


def test_limits_hold_for_every_reader_of_python(tmp_path):
    limits = norn.Limits(max_stream_bytes=1000)
    for call in (
        lambda: norn.load("/dev/zero", limits=limits),
        lambda: norn.load("/dev/zero", limits=limits, mmap=False),
        lambda: norn.load("/dev/zero", limits=limits, format="json"),
        lambda: norn.InferenceSession("/dev/zero", norn.SessionOptions(limits=limits)),
        lambda: norn.load_value("/dev/zero", limits=limits),
        lambda: norn.load_value("/dev/zero", "tensor", limits=limits),
        lambda: norn.load_values("/dev/urandom", limits=limits),
        lambda: norn.check_data("/dev/zero", limits=limits),
        lambda: norn.load(open("/dev/zero", "rb"), limits=limits),
        lambda: norn.load(open("/dev/zero", "rb", buffering=0), limits=limits),
    ):
        with pytest.raises(norn.LimitExceeded, match="max_stream_bytes"):
            call()
    with pytest.raises(norn.LimitExceeded, match="max_bytes"):
        norn.load("/dev/zero", limits=norn.Limits(max_bytes=500))
    data = add_model().SerializeToString()
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    with open(read, "rb") as pipe:
        assert norn.load(pipe, limits=limits).SerializeToString() == data
    assert norn.Limits().max_stream_bytes == 2**31
