"""Reads the files that gradwire writes in framed chunks (.gwc, .gwt) without any of its code.

The fields come from the text of the .proto beside the product's sources, so that what is read here
is what the schema says. Chunks whose checksum does not fit, and what is behind them, are refused.
"""

import functools
import pathlib
import re
import struct

SCHEMA_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "traces" / "schema"
HEAD = struct.Struct("<8sI")   # magic and version
FRAME = struct.Struct("<II")   # length and CRC-32C
# File ending -> magic, schema, message of a chunk.
FORMATS = {
    ".gwc": (b"\x89GWC\r\n\x1a\n", "capture.proto", "CaptureChunk"),
    ".gwt": (b"\x89GWT\r\n\x1a\n", "trace.proto", "Chunk"),
}
SIGNED = 1 << 63
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Damaged(Exception):
    """The file is not what its format says: one sentence."""


def read_schema(path):
    """{message: {field number: (name, type, repeated)}} of a proto3 file without maps and oneofs."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"\benum\s+\w+\s*\{[^}]*\}", "", text)
    messages = {}
    for name, body in re.findall(r"\bmessage\s+(\w+)\s*\{([^{}]*)\}", text):
        fields = re.findall(r"(?:(repeated|optional)\s+)?(\w+)\s+(\w+)\s*=\s*(\d+)\s*;", body)
        messages[name] = {int(number): (field, kind, label == "repeated")
                          for label, kind, field, number in fields}
    return messages


@functools.lru_cache(maxsize=None)
def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


def crc32c(data):
    """CRC-32C as RFC 3720 defines it."""
    table = crc_table()
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def varint(data, at):
    """(value, where it ends)."""
    value = data[at] & 0x7F
    shift = 7
    while data[at] & 0x80:
        at += 1
        value |= (data[at] & 0x7F) << shift
        shift += 7
    return value, at + 1


def number_of(kind, value):
    """A varint as its type means it."""
    if kind == "sint64" or kind == "sint32":
        return value >> 1 ^ -(value & 1)
    if kind == "bool":
        return bool(value)
    return value - (1 << 64) if value & SIGNED and kind != "uint64" else value


def decode(messages, message, data):
    """A message as {field: value}; a field that is not in the data is not in the result."""
    fields = messages[message]
    result = {}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == BYTES:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        elif wire in (FIXED32, FIXED64):
            size = 4 if wire == FIXED32 else 8
            value, at = data[at:at + size], at + size
        else:
            raise Damaged(f"wire type {wire} of a field in {message}")
        if at > len(data):
            raise Damaged(f"{message} ends in the middle of a field")
        if key >> 3 not in fields:
            continue
        name, kind, repeated = fields[key >> 3]
        values = [value]
        if kind in messages:
            values = [decode(messages, kind, value)]
        elif kind == "string":
            values = [bytes(value).decode("utf-8", "replace")]
        elif kind == "bytes":
            values = [bytes(value)]
        elif wire == VARINT:
            values = [number_of(kind, value)]
        elif repeated and wire == BYTES:  # packed
            values, inside = [], 0
            while inside < len(value):
                element, inside = varint(value, inside)
                values.append(number_of(kind, element))
        if repeated:
            result.setdefault(name, []).extend(values)
        else:
            result[name] = values[-1]
    return result


def read_chunks(path, checksums=True):
    """The chunks of a file in order, as {field: value}. Raises Damaged; checksums=False leaves the
    CRCs unread, which a big file's time wants (this Python takes 0.1 s a megabyte for them)."""
    path = pathlib.Path(path)
    magic, schema, message = FORMATS[path.suffix]
    messages = read_schema(SCHEMA_FOLDER / schema)
    data = path.read_bytes()
    if len(data) < HEAD.size or HEAD.unpack_from(data) != (magic, 1):
        raise Damaged(f"{path}: does not begin as a {path.suffix} file of version 1")
    at = HEAD.size
    while at < len(data):
        if at + FRAME.size > len(data):
            raise Damaged(f"{path}: cut off at byte {at}")
        length, crc = FRAME.unpack_from(data, at)
        chunk = data[at + FRAME.size:at + FRAME.size + length]
        if len(chunk) < length:
            raise Damaged(f"{path}: cut off at byte {at}")
        if checksums and crc32c(chunk) != crc:
            raise Damaged(f"{path}: the chunk at byte {at} does not fit its checksum")
        at += FRAME.size + length
        yield decode(messages, message, chunk)
