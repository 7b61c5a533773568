"""Cases of .npy, .npz and .pb files."""

import io
import struct
import warnings
import zipfile
import zlib

from malformed import case
from malformed.messages import STRING, data, each, external, floats, number, tensor
from proto_fields import varint


def npy(header, content=b"", version=1, length=None):
    header = header.encode() if isinstance(header, str) else header
    size = len(header) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + header + content


def head(descr="'<f4'", order="False", dims="(2,)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, dims)


def arrays():
    good = npy(head(), floats(2))
    for name, (content, word) in {
            "zero-byte": (b"", ".npy file"),
            "magic-only": (good[:6], ".npy file"),
            "bad-magic": (b"\x93NUMPX" + good[6:], ".npy file"),
            "cut-in-header": (good[:30], "header"),
            "cut-in-data": (good[:-1], "7 bytes"),
            "without-data": (npy(head()), "0 bytes"),
            "version-9": (npy(head(), floats(2), 9), "version 9"),
            "header-length-lies": (npy(head(), floats(2), length=60000), "60000"),
            "header-length-2-31": (npy(head(), floats(2), 2, 1 << 31), "2147483648"),
            "header-no-dict": (npy("[1, 2, 3]\n", floats(2)), "dictionary"),
            "header-empty": (npy("", floats(2)), "dictionary"),
            "header-code": (npy("__import__('os').abort()\n", floats(2)), "dictionary"),
            "header-open": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,\n", floats(2)), "dimension"),
            "descr-missing": (npy("{'fortran_order': False, 'shape': (2,), }\n", floats(2)), "descr"),
            "shape-missing": (npy("{'descr': '<f4', 'fortran_order': False, }\n", floats(2)), "shape"),
            "order-maybe": (npy(head(order="Maybe"), floats(2)), "fortran_order"),
            "shape-negative": (npy(head(dims="(-2,)"), floats(2)), "dimension"),
            "shape-text": (npy(head(dims="('a',)"), floats(2)), "dimension"),
            "shape-2-40": (npy(head(dims="(1099511627776,)"), floats(2)), "1099511627776"),
            "shape-overflow": (npy(head(dims="(4294967296, 4294967296, 4)"), floats(2)), "too many"),
            "shape-huge-number": (npy(head(dims="(99999999999999999999999,)"), floats(2)), "dimension"),
            "rank-33": (npy(head(dims="(" + "1, " * 33 + ")"), floats(1)), "32 dimensions"),
            "objects": (npy(head("'|O'"), floats(2)), "|O"),
            "float-of-three-bytes": (npy(head("'<f3'"), floats(2)), "<f3"),
            "records": (npy(head("[('a', '<f4'), ('b', '<i4')]"), floats(4)), "structured"),
            "strings-2-40": (npy(head("'<U1099511627776'"), floats(2)), "<U1099511627776"),
            "bad-code-point": (npy(head("'<U1'", dims="(1,)"), struct.pack("<I", 0x110000)), "0x110000"),
    }.items():
        case(name + ".npy", content, word)


def zip_of(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, content in members:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # names that are there twice
                z.writestr(entry, content)
    return out.getvalue()


def patched(content, marker, offset, form, value):
    """A zip whose every header of that kind has `value` at `offset`."""
    out, at = bytearray(content), content.find(marker)
    while at >= 0:
        struct.pack_into(form, out, at + offset, value)
        at = content.find(marker, at + 4)
    return bytes(out)


CENTRAL, LOCAL = b"PK\x01\x02", b"PK\x03\x04"


def archives():
    good = npy(head(), floats(2))
    stored = zip_of([("a.npy", good)])
    squeezed = zip_of([("a.npy", good + bytes(1000))], zipfile.ZIP_DEFLATED)
    bomb = npy(head(dims="(52428800,)")) + bytes(200 << 20)
    lying = zip_of([("a.npy", bomb)], zipfile.ZIP_DEFLATED)
    lying = patched(patched(lying, CENTRAL, 24, "<I", 136), LOCAL, 22, "<I", 136)
    for name, (content, word) in {
            "zero-byte": (b"", "empty"),
            "no-zip": (good, "zip"),
            "cut-half": (stored[:len(stored) // 2], "zip"),
            "cut-last-byte": (stored[:-1], "zip"),
            "member-no-npy": (zip_of([("a.npy", b"hello")]), "member"),
            "member-cut": (zip_of([("a.npy", good[:-1])]), "'a'"),
            "member-lies": (zip_of([("a.npy", npy(head(dims="(1099511627776,)"), floats(2)))]), "1099511627776"),
            "member-twice": (zip_of([("a.npy", good), ("a.npy", good)]), "twice"),
            "bad-checksum": (patched(patched(stored, CENTRAL, 16, "<I", 1), LOCAL, 14, "<I", 1), "CRC"),
            "unknown-method": (patched(patched(stored, CENTRAL, 10, "<H", 77), LOCAL, 8, "<H", 77), "method"),
            "encrypted": (patched(patched(stored, CENTRAL, 8, "<H", 1), LOCAL, 6, "<H", 1), "password"),
            "size-4-gib": (patched(patched(squeezed, CENTRAL, 24, "<I", 0xFFFFFFF0), LOCAL, 22, "<I", 0xFFFFFFF0),
                          "'a'"),
            "offset-beyond": (patched(stored, CENTRAL, 42, "<I", 1 << 30), "'a'"),
            "bomb-200-mb-as-136-bytes": (lying, "claims"),
            "bad-deflate": (squeezed.replace(zlib.compress(good + bytes(1000), 6)[2:12], b"\xff" * 10), "Zlib"),
    }.items():
        case(name + ".npz", content, word)


def values():
    good = tensor("t", raw=floats(2))
    for name, (content, word) in {
            "zero-byte": (b"", "data type"),
            "cut": (good[:8], "damaged"),
            "text": (b"no tensor at all\n", "damaged"),
            "dims-2-40": (tensor("t", [1 << 40], raw=floats(2)), "1099511627776"),
            "dims-negative": (tensor("t", [-1], raw=floats(2)), "negative"),
            "dims-overflow": (tensor("t", [1 << 62, 8], raw=b""), "too many"),
            "dtype-unknown": (tensor("t", dtype=50, raw=floats(2)), "50"),
            "data-short": (tensor("t", [3], raw=floats(2)), "8 bytes"),
            "strings-short": (tensor("t", [3], STRING, more=each(6, ["a", "b"])), "string_data"),
            "external": (external("t", location="external-16.bin"), "another file"),
            "value-out-of-range": (tensor("t", [1], 2, more=data(5, varint(300))), "300"),
    }.items():
        case(name + ".pb", content, word)
    deep = number(2, 3)
    for _ in range(10000):
        deep = number(2, 3) + data(5, deep)
    case("deep.seq.pb", deep, "nested")
    case("bad-member.seq.pb", number(2, 1) + data(3, tensor("t", [5], raw=floats(2))), "item 0")
    case("unknown-kind.seq.pb", number(2, 99) + data(3, good), "elem_type")
    case("cut.seq.pb", (number(2, 1) + data(3, good))[:-4], "damaged")
