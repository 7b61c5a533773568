"""Hostile archives: packages of libraries, whose digests a forged lock file vouches for, and arrays of inputs.  Nothing
may be written outside of the folder they are unpacked to, no link may lead out of it, and no bomb may fill the disk."""

import hashlib
import io
import os
import shutil
import stat
import struct
import warnings
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "data")
WHEEL = "hostile-1-py3-none-any.whl"
LIMIT = 1 << 30  # bytes that an archive of a few kilobytes may become


def zipped(members):
    """An archive of (name, content, Unix mode)."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content, mode in members:
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, content)
    return out.getvalue()


FILE, LINK = stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777
PLAIN = [("a/b.py", b"x = 1\n", FILE), ("a/c.txt", b"text" * 100, FILE)]
NAMES = ["../escaped", "a/../../escaped", "/escaped", "a/./../../../escaped", "..\\escaped", "a//../../escaped", "",
         "a/\x1b[31m", "a/" + "n" * 300, "a/" + "d/" * 3000 + "f", "\xff\xfe", "a/b.py/escaped", ".", "..", "a/",
         "C:\\escaped", "con", "a/b\nc", "a\0b"]
TARGETS = ["/etc/passwd", "../../escaped", "..", "/", "a/../../..", "b.py", "self", "x" * 5000]


def hostile_name(r):
    return zipped(PLAIN + [(r.choice(NAMES), b"escaped\n", FILE)])


def hostile_link(r):
    """A link, and a file that would be written through it."""
    return zipped(PLAIN + [("a/self", r.choice(TARGETS).encode(), LINK), ("a/self/escaped", b"escaped\n", FILE)])


def bomb(r):
    return zipped([(f"a/zeros-{i}", bytes(r.choice([1 << 26, 1 << 28])), FILE) for i in range(r.randint(1, 3))])


def many(r):
    return zipped([(f"a/{i}", b"", FILE) for i in range(r.choice([5000, 20000]))])


def twice(r):
    return zipped([("a/b.py", b"1", FILE), ("a/b.py", b"2", r.choice([FILE, LINK])), ("A/B.py", b"3", FILE)])


def kinds(r):
    return zipped(PLAIN + [("a/special", b"", r.choice([stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK]) | 0o666),
                           ("a/setuid", b"", stat.S_IFREG | 0o6755)])


def lying_sizes(r):
    data = bytearray(zipped(PLAIN))
    at = data.find(b"PK\x01\x02") + r.choice([16, 20, 24, 42])  # checksum, sizes, offset of the first member
    data[at:at + 4] = struct.pack("<I", r.choice([0, 1, 0x7fffffff, 0xffffffff]))
    return bytes(data)


def broken(r):
    data = bytearray(zipped(PLAIN))
    for _ in range(r.randint(1, 30)):
        data[r.randrange(len(data))] = r.randrange(256)
    return bytes(data[:r.randint(1, len(data))] if r.random() < 0.5 else data)


WAYS = [hostile_name, hostile_name, hostile_name, hostile_link, hostile_link, bomb, many, twice, kinds, lying_sizes,
        broken]


def sizes(folder):
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(folder) for name in names)


def leads_out(path, root):
    return os.path.islink(path) and not os.path.realpath(path).startswith(os.path.realpath(root) + "/")


def look(arena, what, root):
    for at, folders, names in os.walk(arena.folder):
        for name in folders + names:
            path = os.path.join(at, name)
            if "escaped" in name and not path.startswith(root + "/"):
                arena.problem(f"{what}: wrote {path}")
            if path.startswith(root + "/") and leads_out(path, root):
                arena.problem(f"{what}: a link leads out: {path}")
            if path.startswith(root + "/") and os.lstat(path).st_mode & 0o6000:
                arena.problem(f"{what}: runs as another user: {path}")
    if os.path.exists("/escaped"):
        arena.problem(f"{what}: wrote /escaped")
        os.remove("/escaped")
    if sizes(root) > LIMIT:
        arena.problem(f"{what}: became {sizes(root)} bytes")


def install(arena, what, archive):
    """As the package of a library."""
    data, cache, root = arena.path("data"), arena.path("cache"), arena.path("root")
    os.makedirs(root)
    with open(os.path.join(cache, WHEEL), "wb") as f:
        f.write(archive)
    with open(os.path.join(data, "libraries", "tract.lock"), "w") as f:
        f.write(f"title tract\n\nversion 1\nwheel {WHEEL} {len(archive)} {hashlib.sha256(archive).hexdigest()}\n"
                "  take ** site/\n")
    arena.run(what, arena.asan, "backends", "install", "tract@1", "--offline", "--root", root,
              environment={"ASSAY_DATA": data, "ASSAY_CACHE": cache})
    look(arena, what, root)
    shutil.rmtree(root)


def read(arena, what, archive):
    """As the arrays of a model's inputs."""
    with open(arena.path("x.npz"), "wb") as f:
        f.write(archive)
    arena.run(what, arena.asan, "run", arena.path("model.onnx"), "-i", arena.path("x.npz"))
    look(arena, what, arena.path("none"))


def attack(arena, cases):
    shutil.copytree(DATA, arena.path("data"))
    os.makedirs(arena.path("cache"))
    arena.run("a model", arena.assay, "zoo", "get", "lenet5", "-o", arena.path("model.onnx"))
    for i in range(cases):
        way = WAYS[i % len(WAYS)]
        attack_by = read if i % 3 == 2 else install
        attack_by(arena, f"archive {i} ({way.__name__}, {attack_by.__name__})", way(arena.random))
    return cases
