"""The bytes of protobuf messages, of any size.

protobuf refuses to serialise a message of 2 GiB, and below that its encoder takes several times the memory and the
time of a copy. So a model with large initializers crosses field by field: what is small by protobuf itself, the graph
and its large initializers one by one. The length of a message that is taken apart is not known before its content is
written; it goes in front of it as a varint of a fixed width.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
from typing import Any

import numpy as np

from ._errors import InvalidArgument
from ._norn import storage_bits

# In bytes: initializers of a model with fewer of them, and single tensors of fewer, are left to protobuf.
LARGE_MODEL = 1 << 20
LARGE_TENSOR = 1 << 14
# Numbers or strings that protobuf is given at once, where a list has to be taken apart.
LONG_LIST = 1 << 20

_SAMPLE = 256  # initializers that are looked at to decide whether a model is large
_SPLIT = {"graph", "initializer", "raw_data"}
_EXTERNAL = 1  # TensorProto.DataLocation
_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = range(6)
_LENGTH_WIDTH = 9  # bytes of a varint below 2**63, which Norn reads; protobuf takes lengths of 5


def serialized(proto: Any) -> bytes | memoryview:
    """What ``proto.SerializeToString()`` means, if not byte for byte what it returns."""
    if getattr(getattr(proto, "DESCRIPTOR", None), "name", "") == "ModelProto" and _is_large(proto.graph.initializer):
        return _by_fields(proto)
    try:
        content = _by_protobuf(proto)
    except Exception:
        if not hasattr(proto, "ListFields"):
            raise
        return _by_fields(proto)  # too large for protobuf; what else it may be is met again there
    if not isinstance(content, bytes):
        raise InvalidArgument(f"SerializeToString of {type(proto).__name__} gave {type(content).__name__}, not bytes")
    return content


def _by_protobuf(message: Any) -> Any:
    return message.SerializeToString()


@functools.cache
def _refusals() -> tuple[type[Exception], ...]:
    """What protobuf raises for a message that is too large."""
    return importlib.import_module("google.protobuf.message").EncodeError, ValueError


def _is_large(initializers: Any) -> bool:
    step = max(1, len(initializers) // _SAMPLE)
    size = 0
    for i in range(0, len(initializers), step):
        size += step * _bytes_in(initializers[i])
        if size >= LARGE_MODEL:
            return True
    return False


_bits = functools.cache(storage_bits)


def _bytes_in(message: Any) -> int:
    """Bytes of a tensor's data as its type and shape claim; 0 if it is elsewhere, and for other messages."""
    if not hasattr(message, "data_type") or message.data_location == _EXTERNAL:
        return 0
    return math.prod(message.dims) * _bits(message.data_type) // 8


class _Buffer:
    """Bytes that grow. numpy's memory, because it asks the system for large pages."""

    def __init__(self) -> None:
        self._memory = np.empty(1 << 16, np.uint8).data
        self.size = 0

    def expect(self, more: int) -> None:
        """Makes room ahead, if there is as much: the estimate may be far beyond what comes."""
        with contextlib.suppress(MemoryError, ValueError, OverflowError):
            self.reserve(more)

    def reserve(self, more: int) -> None:
        if self.size + more <= len(self._memory):
            return
        memory = np.empty(max(self.size + more, len(self._memory) * 5 // 4), np.uint8).data
        memory[: self.size] = self._memory[: self.size]
        self._memory = memory

    def append(self, content: bytes) -> None:
        self.reserve(len(content))
        self.put(self.size, content)
        self.size += len(content)

    def put(self, at: int, content: bytes) -> None:
        self._memory[at : at + len(content)] = content

    def content(self) -> memoryview:
        return self._memory[: self.size].toreadonly()


def _by_fields(proto: Any) -> memoryview:
    out = _Buffer()
    try:
        _write(out, proto, every=False)
    except _refusals():  # something beside the initializers is large
        out = _Buffer()
        _write(out, proto, every=True)
    return out.content()


def _write(out: _Buffer, message: Any, every: bool) -> None:
    """Appends the content of ``message``: the fields of _SPLIT, or with ``every`` all messages and lists, in parts."""
    rest, apart = type(message)(), []
    for field, value in message.ListFields():
        is_message = field.message_type is not None
        if field.name in _SPLIT or (every and is_message):
            apart.append((field.number, is_message, value))
        elif every and hasattr(value, "extend") and len(value) > LONG_LIST:
            for start in range(0, len(value), LONG_LIST):  # readers join the parts
                part = type(message)()
                getattr(part, field.name).extend(value[start : start + LONG_LIST])
                out.append(_by_protobuf(part))
        elif hasattr(value, "MergeFrom"):
            getattr(rest, field.name).MergeFrom(value)
        else:
            setattr(rest, field.name, value)
    out.append(_by_protobuf(rest))
    _write_unknown(out, _unknown_fields(message))
    for number, is_message, value in apart:
        if not is_message:
            _write_bytes(out, number, value)
            continue
        items = [value] if hasattr(value, "ListFields") else value
        out.expect(sum(_bytes_in(item) + 256 for item in items))
        for item in items:
            _write_message(out, number, item, every)


def _write_message(out: _Buffer, number: int, message: Any, every: bool) -> None:
    if every or (hasattr(message, "data_type") and _bytes_in(message) < LARGE_TENSOR):
        try:
            _write_bytes(out, number, _by_protobuf(message))
            return
        except _refusals():  # too large: taken apart
            pass
    out.append(_varint(number << 3 | _LENGTH) + bytes(_LENGTH_WIDTH))
    start = out.size
    _write(out, message, every)
    length = out.size - start
    padded = [length >> 7 * i & 0x7F | 0x80 for i in range(_LENGTH_WIDTH)]
    padded[-1] &= 0x7F
    out.put(start - _LENGTH_WIDTH, bytes(padded))


def _write_bytes(out: _Buffer, number: int, content: bytes) -> None:
    out.append(_varint(number << 3 | _LENGTH) + _varint(len(content)))
    out.append(content)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _unknown_fields(message: Any) -> Any:
    return importlib.import_module("google.protobuf.unknown_fields").UnknownFieldSet(message)


def _write_unknown(out: _Buffer, fields: Any) -> None:
    """Appends fields that the message's Python class does not know."""
    for field in fields:
        kind, data = field.wire_type, field.data
        if kind == _LENGTH:
            _write_bytes(out, field.field_number, data)
            continue
        out.append(_varint(field.field_number << 3 | kind))
        if kind == _VARINT:
            out.append(_varint(data))
        elif kind == _START_GROUP:
            _write_unknown(out, data)
            out.append(_varint(field.field_number << 3 | _END_GROUP))
        else:
            out.append(data.to_bytes(8 if kind == _FIXED64 else 4, "little"))
