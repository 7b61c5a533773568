#!/usr/bin/env python3
"""Files that Keras saved, whole and damaged, as models of assay: keras_files.py ASSAY DEPS

A network with models in models, shared layers and several inputs and outputs is saved as .keras and as .h5, and must
give what Keras gives.  Then the file is damaged: cut off, with bytes turned over, with parts of its configuration
replaced.  Whatever is not read is told in one line, with exit status 2.
"""

import copy
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile

from keras_support import ASSAY, close, keras, keras_to_onnx, np  # noqa: E402

L = keras.layers
REPLACEMENTS = (None, [], {}, -1, 0, 1 << 40, 1.5, "x", [None], [[1]], {"class_name": "Functional", "config": {}})
DAMAGED = 120


def make(nested):
    """A model with all that a graph of layers may have."""
    keras.utils.set_random_seed(5)
    image, row = keras.Input((6, 6, 2), name="image"), keras.Input((4,), name="row")
    shared = L.Dense(3, activation=L.LeakyReLU(0.1), name="shared")
    x = L.Flatten()(L.BatchNormalization()(L.Conv2D(3, 2, activation="relu", name="conv")(image)))
    x = L.Add(name="sum")([shared(L.Dense(4)(x)), shared(row)])
    steps, last = L.GRU(3, return_sequences=True, return_state=True, name="gru")(L.RepeatVector(2)(x))
    if nested:
        inner = keras.Sequential([keras.Input((3,)), L.Dense(2, name="first"), L.Dense(2, name="second")], name="inner")
        outer_input = keras.Input((3,))
        outer = keras.Model(outer_input, inner(L.Dense(3)(outer_input)), name="outer")
        last = outer(last)
    return keras.Model([image, row], [L.Dense(1)(steps), last * 2.0])


def check_whole(folder, suffix, nested):
    model, rng = make(nested), np.random.default_rng(1)
    arrays = {"image": rng.normal(size=(2, 6, 6, 2)).astype(np.float32), "row": rng.normal(size=(2, 4)).astype("f")}
    path, given, out = (os.path.join(folder, n) for n in (f"m.{suffix}", "x.npz", "y.npz"))
    model.save(path)
    np.savez(given, **arrays)
    done = subprocess.run([ASSAY, "run", path, "-i", given, "-o", out], capture_output=True, text=True)
    if done.returncode:
        return f"{suffix}: {done.stderr}"
    expected = [np.asarray(v) for v in model(list(arrays.values()), training=False)]
    with np.load(out) as found:
        said = [close(e, found[k]) for e, k in zip(expected, found.files)]
    return next((f"{suffix}: {s}" for s in said if s), None)


def check_saved(folder):
    """The backend runs the file's own layers, as long as graph and file are what they were."""
    import keras_library
    import keras_saved
    import onnx_reader

    path, rng = os.path.join(folder, "m.keras"), np.random.default_rng(2)
    arrays = {"image": rng.normal(size=(2, 6, 6, 2)).astype(np.float32), "row": rng.normal(size=(2, 4)).astype("f")}
    data = keras_to_onnx.convert(path)
    if keras_saved.find(data) != path:
        return "the file is not found again"
    names = [name for node in onnx_reader.read_model(data).graph.nodes for name in node.outputs if name]
    session = keras_saved.Session(path, data, None)
    expected = [np.asarray(v) for v in session.model(list(arrays.values()), training=False)]
    got = dict(zip(names, session.run(arrays, names)))
    for name, value in zip(session.outputs, expected):
        if got[name].tobytes() != value.tobytes():
            return f"{name} is not what Keras gives"
    missing = {"conv", "shared", "shared@1", "sum", "gru", "gru.1", "outer"} - set(session.tensors)
    if missing:
        return f"Keras is not asked for {sorted(missing)}"
    by_operators = keras_library.Session(data, names).run(arrays, names)
    said = next((f"{name}: {close(value, got[name])}" for name, value in zip(names, by_operators)
                 if close(value, got[name])), None)
    if said:
        return said
    kernel = onnx_reader.read_model(data).graph.constants["shared/kernel_1"].tobytes()
    if keras_saved.find(data.replace(kernel, bytes(len(kernel)))) is not None:
        return "a graph with other weights is taken for the file's"
    with open(path, "ab") as f:
        f.write(b" ")
    return "a changed file is taken for the one that was read" if keras_saved.find(data) else None


# ---- damage ----------------------------------------------------------------------------------------------------------


def places(value, path=()):
    """All places in a configuration."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def with_config(data, config):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, json.dumps(config) if name == "config.json" else old.read(name))
    return out.getvalue()


def damaged(data, rng):
    """Copies of a .keras file, each with one thing wrong."""
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        config = json.loads(z.read("config.json"))
        weights = z.read("model.weights.h5")
    everywhere = sorted(places(config), key=repr)
    for i in range(DAMAGED):
        if i % 4 == 0:
            yield data[:rng.randrange(len(data))]
        elif i % 4 == 1:
            turned = bytearray(weights)
            for _ in range(8):
                turned[rng.randrange(len(turned))] ^= 1 << rng.randrange(8)
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as z:
                z.writestr("config.json", json.dumps(config))
                z.writestr("model.weights.h5", bytes(turned))
            yield out.getvalue()
        else:
            other, path = copy.deepcopy(config), rng.choice(everywhere)
            at = other
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = rng.choice(REPLACEMENTS)
            yield with_config(data, other)


def check_damaged(folder):
    """Each is read, or refused in one line: nothing else may happen."""
    with open(os.path.join(folder, "m.keras"), "rb") as f:
        data = f.read()
    path, refused = os.path.join(folder, "damaged.keras"), 0
    for i, bad in enumerate(damaged(data, random.Random(7))):
        with open(path, "wb") as f:
            f.write(bad)
        try:
            keras_to_onnx.main([path, os.path.join(folder, "damaged.onnx")])
        except SystemExit as e:
            refused += 1
            if not str(e.code).startswith("error: ") or "\n" in str(e.code):
                return f"damage {i}: {e.code!r}"
    return None if refused > DAMAGED // 2 else f"only {refused} of {DAMAGED} damaged files were refused"


def check_told(folder):
    """By assay: the file's name, what is wrong, and exit status 2."""
    for name, data, words in (("cut.keras", b"PK\3\4", "damaged"), ("none.h5", b"nothing", "neither a .keras nor")):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        done = subprocess.run([ASSAY, "check", path, "-b", "reference", "--no-store"], capture_output=True, text=True)
        if done.returncode != 2 or name not in done.stderr or words not in done.stderr:
            return f"{name}: status {done.returncode}: {done.stderr}"
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        said = [check_whole(folder, "h5", False), check_whole(folder, "keras", True), check_damaged(folder),
                check_told(folder), check_saved(folder)]
    for line in filter(None, said):
        print(line)
    return 1 if any(said) else 0


if __name__ == "__main__":
    sys.exit(main())
