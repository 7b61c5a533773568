"""Models whose bytes were changed by chance: what is accepted runs exactly, with rounding, noise and backwards in a
program with sanitizers (tests/fuzz/fuzz_run.c), and ends with values or with a message."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "fuzz", "corpus")
AT_ONCE = 250  # models that one process runs
SECONDS = 600  # for all of them


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


def seeds():
    found = []
    for part in ("run", "model"):
        for name in sorted(os.listdir(os.path.join(CORPUS, part))):
            with open(os.path.join(CORPUS, part, name), "rb") as f:
                found.append(f.read())
    return [s for s in found if s]


def mutant(r, models):
    data = bytearray(r.choice(models))
    for _ in range(r.randint(1, 3)):
        if data:
            r.choice(CHANGES)(r, data, models)
    return bytes(data)


def run(arena, program, folder):
    text = arena.run(f"models of {os.path.basename(folder)}", program, folder, limit=SECONDS)
    done = sum(line.startswith(folder) for line in text.splitlines())
    if done < AT_ONCE and text:
        arena.problem(f"{text.splitlines()[-1]}: the last model that was run")
    shutil.rmtree(folder)


def attack(arena, cases):
    program, models = os.path.join(os.path.dirname(arena.asan), "tests", "fuzz_run"), seeds()
    with ThreadPoolExecutor(arena.options.jobs) as pool:
        for chunk in range((cases + AT_ONCE - 1) // AT_ONCE):
            folder = arena.path(f"chunk-{chunk}")
            os.makedirs(folder)
            for i in range(AT_ONCE):
                with open(os.path.join(folder, f"{i}.onnx"), "wb") as f:
                    f.write(mutant(arena.random, models))
            pool.submit(run, arena, program, folder)
    arena.note = f"of {len(models)} models"
    return (cases + AT_ONCE - 1) // AT_ONCE * AT_ONCE
