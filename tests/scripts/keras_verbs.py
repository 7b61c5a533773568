#!/usr/bin/env python3
"""The verbs on files that Keras saved, .keras and .h5: keras_verbs.py ASSAY DEPS

A small network is right as the file's own layers (keras:numpy) and as a graph.  A fault in the convolution of one of
its layers is found, and blamed on a node of that layer: by check, search and swap; reduce makes one node of the
finding.
"""

import json
import os
import subprocess
import sys
import tempfile

from keras_support import ASSAY, keras  # noqa: E402

L = keras.layers
FAULTY = "second"


def make():
    keras.utils.set_random_seed(5)
    return keras.Sequential([
        keras.Input((8, 8, 2), batch_size=1), L.Conv2D(4, 3, padding="same", activation="relu", name="first"),
        L.MaxPooling2D(name="pool"), L.Conv2D(3, 3, name=FAULTY), L.Flatten(name="flat"),
        L.Dense(5, activation="softmax", name="decide")])


def convolution(path):
    """The node that the layer's convolution becomes."""
    import keras_to_onnx
    import onnx_reader

    nodes = onnx_reader.read_model(keras_to_onnx.convert(path)).graph.nodes
    return next(n.name for n in nodes if n.op == "Conv" and n.name.startswith(FAULTY + "/"))


def assay(status, *words):
    """What a command prints as JSON."""
    done = subprocess.run([ASSAY, *words, "--json"], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def expect(what, got, expected):
    if got != expected:
        raise AssertionError(f"{what}: {got!r}, expected {expected!r}")


def check_verbs(path, folder):
    node, store = convolution(path), os.path.join(folder, "store.db")
    fault = f"fault:kernel_mirrored@{node}"

    checked = assay(1, "check", path, "-b", f"reference,keras:numpy,{fault}", "--random", "2", "--db", store)
    expect("check, verdicts", [b["verdict"] in ("agree", "rounding") for b in checked["backend_verdicts"]],
           [True, True, False])
    expect("check, blamed", [(b["backend"], b["node"]) for b in checked["blame"] if b["rank"] == 1], [(fault, node)])
    expect("check, findings", len(checked["findings"]), 1)

    searched = assay(1, "search", path, "-b", f"reference,{fault}", "--cases", "5", "--keep", "1", "--no-store")
    expect("search, judged", searched["models"][0]["counts"][fault]["judged"] > 0, True)
    expect("search, backends", {f["backend"] for f in searched["findings"]}, {fault})

    swapped = assay(1, "swap", path, "-b", f"reference,{fault}", "--no-store")
    expect("swap, beyond", [(o["node"], o["verified"]) for o in swapped["ops"] if o["beyond"]], [(node, True)])

    reduced = assay(1, "reduce", "1", "--original", "--db", store, "-o", os.path.join(folder, "small"))
    expect("reduce", (reduced["verdict"], reduced["nodes_after"]), ("wrong", 1))


def main():
    said = []
    for suffix in ("keras", "h5"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"m.{suffix}")
            make().save(path)
            try:
                check_verbs(path, folder)
            except AssertionError as e:
                said.append(f"{suffix}: {e}")
    print("\n".join(said), end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
