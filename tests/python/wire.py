"""Writes protobuf messages by hand, field by field: files as writers of 2017 left them, which the onnx package cannot
make any more. A message is bytes; its parts are joined. Numbers of fields stand in onnx.proto.
"""

import struct

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64 = range(1, 14)
BFLOAT16, FLOAT8E4M3FN, FLOAT8E5M2FNUZ, UINT4, INT4 = 16, 17, 20, 21, 22


def varint(number):
    """Negative numbers take ten bytes, as int32 and int64 do."""
    number &= 2**64 - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    """An int as a varint, a float as 32 bits, text or a message with its length."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    payload = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def fields(number, values):
    return b"".join(field(number, v) for v in values)


def packed(number, values):
    values = list(values)
    if values and isinstance(values[0], float):
        return field(number, struct.pack(f"<{len(values)}f", *values))
    return field(number, b"".join(map(varint, values)))


def entry(key, value):
    """A StringStringEntryProto."""
    return field(1, key) + field(2, value)


def tensor(name, data_type, dims, *data):
    return fields(1, dims) + field(2, data_type) + b"".join(data) + field(8, name)


def floats(name, values, dims=None):
    return tensor(name, FLOAT, [len(values)] if dims is None else dims, packed(4, map(float, values)))


def int64s(name, values, dims=None):
    return tensor(name, INT64, [len(values)] if dims is None else dims, packed(7, values))


# The field of AttributeProto that holds a value of each type, by the type's number. Note 13 to 15 and 22, 23.
VALUE_FIELD = {1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11, 11: 22, 12: 23, 13: 14, 14: 15}
KIND = {float: 1, int: 2, str: 3, bytes: 3}


def attribute(name, value, kind=None, typed=True):
    """`kind` is the number of the type, by default the value's; typed=False leaves it out, as IR 1 does."""
    is_list = isinstance(value, list)
    if kind is None:
        kind = KIND[type(value[0])] + 5 if is_list else KIND[type(value)]
    content = fields(VALUE_FIELD[kind], value) if is_list else field(VALUE_FIELD[kind], value)
    return field(1, name) + content + (field(20, kind) if typed else b"")


def node(op_type, inputs, outputs, *attributes, domain=None):
    more = field(7, domain) if domain is not None else b""
    return fields(1, inputs) + fields(2, outputs) + field(4, op_type) + fields(5, attributes) + more


def dimension(size):
    """An int, a variable's name, or None for an open one."""
    return b"" if size is None else field(1 if isinstance(size, int) else 2, size)


def tensor_type(elem_type, dims, number=1):
    shape = b"" if dims is None else field(2, fields(1, map(dimension, dims)))
    return field(number, field(1, elem_type) + shape)


def value(name, dims=(), elem_type=FLOAT, of_type=None):
    """A ValueInfoProto; `of_type` is another TypeProto, b"" for none at all."""
    of_type = tensor_type(elem_type, dims) if of_type is None else of_type
    return field(1, name) + (field(2, of_type) if of_type else b"")


def graph(nodes, inputs, outputs, initializers=(), *more, name="g"):
    return (fields(1, nodes) + field(2, name) + fields(5, initializers) + fields(11, inputs) + fields(12, outputs)
            + b"".join(more))


def opset(version, domain=""):
    return field(8, (field(1, domain) if domain is not None else b"") + field(2, version))


def model(ir_version, main, *more):
    """`more` are further fields of the model: opset(7), and others."""
    return (field(1, ir_version) + field(2, "tests") + field(3, "1") + field(4, "com.example") + field(7, main)
            + b"".join(more))
