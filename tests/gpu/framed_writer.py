"""Writes what framed_messages reads, for the tests."""

import pathlib

import framed_messages as framed

FULL = (1 << 64) - 1


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, kind, value, messages):
    if kind in messages:
        content = encode(messages, kind, value)
    elif kind == "string":
        content = value.encode()
    elif kind == "bytes":
        content = value
    else:
        if kind.startswith("sint"):
            value = value << 1 ^ value >> 63
        return varint(number << 3 | framed.VARINT) + varint(int(value) & FULL)
    return varint(number << 3 | framed.BYTES) + varint(len(content)) + content


def encode(messages, message, values):
    numbers = {name: (number, kind, repeated) for number, (name, kind, repeated) in messages[message].items()}
    out = b""
    for name, value in values.items():
        number, kind, repeated = numbers[name]
        for one in value if repeated else [value]:
            out += field(number, kind, one, messages)
    return out


def write_chunks(path, chunks):
    path = pathlib.Path(path)
    magic, schema, message = framed.FORMATS[path.suffix]
    messages = framed.read_schema(framed.SCHEMA_FOLDER / schema)
    data = framed.HEAD.pack(magic, 1)
    for chunk in chunks:
        content = encode(messages, message, chunk)
        data += framed.FRAME.pack(len(content), framed.crc32c(content)) + content
    path.write_bytes(data)
