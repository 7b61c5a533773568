"""Models that were changed by chance: what is accepted runs exactly, with rounding, noise and backwards in a program
with sanitizers (tests/fuzz/fuzz_run.c), and ends with values or with a message.

Most are changed so that they stay models (bench/mutants.c); of every eighth of those, and of the malformed ones of
tests/fuzz/corpus, fields or bytes are changed as well, whatever they mean."""

import collections
import os
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "scripts"), os.path.join(ROOT, "workers", "python")]
from proto_fields import varint  # noqa: E402
from wire import LENGTH, VARINT, fields_of_kinds  # noqa: E402

CORPUS = os.path.join(ROOT, "tests", "fuzz", "corpus")
AT_ONCE = 250  # models that one process runs
SECONDS = 600  # for all of them
BRUTAL = 8  # every so many-th model is changed without regard to what it means
MODES = ("exact", "rounded", "noisy", "back")
REFUSED = ("reader", "inference", "large")


def flip(r, data, _):
    for _ in range(r.randint(1, 8)):
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)


def number(r, data, _):
    """A byte, mostly a dimension, an axis or a kind: at its ends, or one off."""
    at = r.randrange(len(data))
    data[at] = r.choice([0, 1, 2, 0x7f, (data[at] + 1) & 0x7f, (data[at] - 1) & 0x7f])


def huge(r, data, _):
    """A number of ten bytes, as large as there is."""
    at = r.randrange(len(data))
    data[at:at + 10] = b"\xff" * 9 + b"\x01"


def cut(r, data, _):
    at = r.randrange(len(data))
    del data[at:at + r.randint(1, 40)]


def repeat(r, data, _):
    at = r.randrange(len(data))
    data[at:at] = data[at:at + r.randint(1, 200)]


def splice(r, data, others):
    """The end of another model."""
    other = r.choice(others)
    data[r.randrange(len(data)):] = other[r.randrange(len(other)):]


CHANGES = [flip, number, number, number, huge, cut, repeat, splice]


# ---- fields of a message that stays one ------------------------------------------------------------------------------

def decode(data):
    """[number, kind, value] of each field, of a message among them its fields once more; None: it is no message."""
    try:
        fields = [list(field) for field in fields_of_kinds(data)]
    except (IndexError, ValueError):
        return None
    if any(not number for number, _, _ in fields):
        return None
    for field in fields:
        if field[1] == LENGTH:
            field[2] = decode(field[2]) or field[2]
    return fields


def encode(fields):
    out = b""
    for number, kind, value in fields:
        content = encode(value) if isinstance(value, list) else varint(value) if kind == VARINT else value
        out += varint(number << 3 | kind) + (varint(len(content)) if kind == LENGTH else b"") + content
    return out


def every(message):
    """(message, index) of each field, at any depth."""
    for i, field in enumerate(message):
        yield message, i
        if isinstance(field[2], list):
            yield from every(field[2])


def change_field(r, message):
    """A number at an end or one off; a field that is gone, or there twice."""
    places = list(every(message))
    numbers = [(m, i) for m, i in places if m[i][1] == VARINT]
    how = r.randrange(8)
    if how > 1 and numbers:
        m, i = r.choice(numbers)
        old = m[i][2]
        m[i][2] = r.choice([0, 1, 2, 3, 7, old + 1, max(old - 1, 0), 2**31 - 1, 2**63 - 1, 2**64 - 1, 2**64 - 2])
    elif places:
        m, i = r.choice(places)
        if how:
            m.insert(i, m[i])
        else:
            del m[i]


def corpus():
    found = []
    for part in ("run", "model"):
        for name in sorted(os.listdir(os.path.join(CORPUS, part))):
            with open(os.path.join(CORPUS, part, name), "rb") as f:
                found.append(f.read())
    return [s for s in found if s]


def brutal(r, data, others):
    data = bytearray(data)
    message = decode(bytes(data)) if r.random() < 0.8 else None
    if message:
        for _ in range(r.randint(1, 3)):
            change_field(r, message)
        return encode(message)
    for _ in range(r.randint(1, 3)):
        if data:
            r.choice(CHANGES)(r, data, others)
    return bytes(data)


def make(arena, maker, folder, malformed):
    """A folder of mutants; how many."""
    os.makedirs(folder)
    arena.run("bench_mutants", maker, folder, str(AT_ONCE), str(arena.random.getrandbits(32)), cwd=ROOT)
    names = sorted(os.listdir(folder))
    for name in names[::BRUTAL]:
        path = os.path.join(folder, name)
        with open(path, "rb") as f:
            data = f.read() if arena.random.random() < 0.6 else arena.random.choice(malformed)
        with open(path, "wb") as f:
            f.write(brutal(arena.random, data, malformed))
    return len(names)


def tally(came, line):
    words = line.split()
    if words and words[0] in REFUSED:
        came[words[0]] += 1
    elif words and words[0] == "ran":
        came.update(words[1:] + (["values"] if words[1:] else ["message"]))


def run(arena, program, folder, came):
    """All models of a folder; one that ends the program is kept, and the others run without it."""
    while os.listdir(folder):
        text = arena.run(f"models of {os.path.basename(folder)}", program, folder, limit=SECONDS,
                         environment={"ASSAY_FUZZ_TELL": "1"})
        done = [line for line in text.splitlines() if line.startswith(folder)]
        with arena.lock:
            for line in text.splitlines():
                tally(came, line)
        if not done:
            arena.problem(f"{folder}: no model was run")
            break
        if len(done) < len(os.listdir(folder)):
            kept = shutil.copy(done[-1], f"failed-{os.path.basename(folder)}-{os.path.basename(done[-1])}")
            arena.problem(f"{kept}: the model that it ended with")
        for path in done:
            os.remove(path)
    shutil.rmtree(folder)


def tell(came, ran):
    modes = ", ".join(f"{came[mode]} {mode}" for mode in MODES)
    return (f"{came['reader']} refused by the reader, {came['inference']} at inference, {came['large']} too large, "
            f"{came['message']} while they ran; {came['values']} gave values ({came['values'] / ran:.0%}): {modes}")


def attack(arena, cases):
    program = os.path.join(os.path.dirname(arena.asan), "tests", "fuzz_run")
    maker = os.path.join(os.path.dirname(arena.assay), "bench_mutants")
    if not arena.has(program, maker):
        return 0
    malformed, came, ran = corpus(), collections.Counter(), 0
    with arena.pool() as submit:
        for chunk in range((cases + AT_ONCE - 1) // AT_ONCE):
            folder = arena.path(f"chunk-{chunk}")
            count = make(arena, maker, folder, malformed)
            ran += count
            submit(run, arena, program, folder, came)
    arena.note = tell(came, ran) if ran else ""
    return ran
