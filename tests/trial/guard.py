"""A function in a child process: however the child ends, the parent has what it sent until then."""

from __future__ import annotations

import os
import pathlib
import pickle
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

MEMORY = 12 << 30
Send = Callable[[Any], None]


class Died(Exception):
    """The child ended without finishing: by a signal, or because its time was over."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def each(function: Callable[[Send], object], seconds: float, memory: int = MEMORY) -> Iterator[Any]:
    """What `function` passes to its argument, one after the other. Raises Died if the child dies, or sends nothing for
    `seconds`. Time that other processes take does not count, up to ten times as long."""
    read, write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(read)
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

            def send(item: Any) -> None:
                data = pickle.dumps(item)
                _write(write, struct.pack("<Q", len(data)) + data)

            function(send)
            code = 0
        except BaseException:  # noqa: BLE001
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    finished = False
    why = ""
    try:
        while True:
            head = _patiently(read, pid, seconds)
            if head is None:
                why = f"silent for {seconds:.0f} s"
                return_code = _end(pid)
                raise Died(why)
            if not head:
                break
            body = _read(read, struct.unpack("<Q", head)[0], time.monotonic() + seconds)
            if not body:
                break
            yield pickle.loads(body)
        finished = True
    finally:
        os.close(read)
        if not why:
            return_code = os.waitpid(pid, 0)[1] if finished else _end(pid)
    if os.WIFSIGNALED(return_code):
        raise Died(signal.Signals(os.WTERMSIG(return_code)).name)
    if os.WEXITSTATUS(return_code):
        raise Died(f"exit {os.WEXITSTATUS(return_code)}")


def _patiently(of: int, pid: int, seconds: float) -> bytes | None:
    begun, used = time.monotonic(), _used(pid)
    while (head := _read(of, 8, time.monotonic() + seconds)) is None:
        if _used(pid) - used >= seconds / 2 or time.monotonic() - begun >= 10 * seconds:
            return None
    return head


def _used(pid: int) -> float:
    """The processor's time that a process has had, in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _end(pid: int) -> int:
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _write(to: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(to, view) :]


def _read(of: int, count: int, until: float) -> bytes | None:
    parts = b""
    while len(parts) < count:
        if not select.select([of], [], [], max(until - time.monotonic(), 0))[0]:
            return None
        part = os.read(of, count - len(parts))
        if not part:
            return b""
        parts += part
    return parts
