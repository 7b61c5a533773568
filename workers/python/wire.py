"""Protobuf's wire format, as far as the messages between assay and a worker, and ONNX models, need it.

What is read may be anything: every length is checked, and what is wrong becomes a ValueError.
"""

import io

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5  # kinds of fields


def read_varint(data, at):
    """The number at a place, and the place behind it."""
    value = shift = 0
    while True:
        if at >= len(data):
            raise ValueError("a number is cut off")
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7


def fields_of_kinds(data):
    """(number, kind, value) of each field: an int for varints, 8 or 4 bytes for fixed ones, a view for the rest."""
    at, end = 0, len(data)
    while at < end:
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
        else:
            if kind == LENGTH:
                size, at = read_varint(data, at)
            elif kind in (FIXED64, FIXED32):
                size = 8 if kind == FIXED64 else 4
            else:
                raise ValueError("field %d is of unknown kind %d" % (number, kind))
            if size > end - at:
                raise ValueError("field %d claims %d bytes, %d are left" % (number, size, end - at))
            value = data[at : at + size]
            at += size
        yield number, kind, value


def fields(data):
    """(number, value) of each field."""
    for number, _, value in fields_of_kinds(data):
        yield number, value


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def text(view):
    return bytes(view).decode("utf-8", "surrogateescape")


def integers(value):
    """One element of a repeated integer field, or all of a packed one."""
    if isinstance(value, int):
        return [signed(value)]
    out, at = [], 0
    while at < len(value):
        number, at = read_varint(value, at)
        out.append(signed(number))
    return out


class Writer(io.BytesIO):
    def varint(self, value):
        value &= 0xFFFFFFFFFFFFFFFF
        while value >= 0x80:
            self.write(bytes((value & 0x7F | 0x80,)))
            value >>= 7
        self.write(bytes((value,)))

    def number(self, field, value):
        self.varint(field << 3)
        self.varint(value)

    def block(self, field, data):
        data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        self.varint(field << 3 | 2)
        self.varint(len(data))
        self.write(data)

    def message(self, field, writer):
        self.block(field, writer.getvalue())
