"""Keras as a backend: operators through keras.ops, on one of the array libraries that Keras computes with; a model that
was made of a file of Keras's is run as the file's own layers (keras_saved.py).

Options: arrays=jax|numpy|torch|tensorflow|openvino (default: jax); layers=1: operators that a layer of Keras's says
run in it (keras_layers.py); record=FOLDER, values=1 (record.py).
Gradients are those of jax, torch and tensorflow.
Installed: site/ with keras and what it needs itself.  JAX is that of the backend jax.  The other array libraries are
Python packages in a folder that $ASSAY_KERAS_SITE names, or that this Python has; without these, those of the backends
torchapi and tfapi.
"""

import glob
import importlib
import os
import sys

from values import from_numpy, to_numpy

ARRAYS = ("jax", "numpy", "torch", "tensorflow", "openvino")


# backends that hold the Python package; SciPy of jax is what numpy and openvino need
HOLDERS = {"jax": "jax", "numpy": "jax", "openvino": "jax", "torch": "torchapi", "tensorflow": "tfapi"}


def sites(folder, backend):
    """Where a backend may lie, the newest version first: beside Keras, or in another root of libraries."""
    roots = [os.path.dirname(os.path.dirname(os.path.abspath(folder))), os.environ.get("ASSAY_BACKENDS"),
             os.path.join(os.environ["ASSAY_DEPS"], "backends") if os.environ.get("ASSAY_DEPS") else None]
    for root in filter(None, roots):
        found = glob.glob(os.path.join(root, backend, "*", "site"))
        yield from sorted(found, key=lambda p: [int(n) if n.isdigit() else 0 for n in
                                                os.path.basename(os.path.dirname(p)).split(".")], reverse=True)


def use_arrays(folder, arrays, load):
    """Has Keras compute with an array library; `load` imports Keras, and what that gives is returned."""
    if arrays not in ARRAYS:
        raise ValueError(f"arrays={arrays}: Keras computes with {', '.join(ARRAYS)}")
    os.environ["KERAS_BACKEND"] = arrays
    sys.path += [p for p in os.environ.get("ASSAY_KERAS_SITE", "").split(os.pathsep) if p]
    sys.path += list(sites(folder, HOLDERS[arrays]))[:1]
    try:
        return load()
    except ModuleNotFoundError as e:
        if e.name not in ARRAYS:
            raise
        helps = "'assay backends install jax'" if e.name == "jax" else \
            "pip install --target DIR, and ASSAY_KERAS_SITE=DIR"
        raise RuntimeError(f"Keras with {arrays} needs the Python package {e.name}: {helps}") from None


class Backend:
    library = "keras"

    def open(self, folder, options):
        keras_calls = use_arrays(folder, options.get("arrays", "jax"), lambda: importlib.import_module("keras_calls"))
        if options.get("record"):
            keras_calls.start(options["record"], options.get("values") == "1")
        import keras_library
        import keras_saved

        if options.get("layers") == "1":
            import keras_layers

            keras_library.TABLE.update(keras_layers.TABLE)

        self.keras, self.saved, self.recorded = keras_library, keras_saved, bool(options.get("record"))
        return keras_calls.keras.__version__

    def operators(self):
        return sorted(self.keras.TABLE)

    def load(self, model, options, outputs):
        path = None if self.recorded else self.saved.find(model)
        return self.saved.Session(path, model, outputs) if path else self.keras.Session(model, outputs)

    def outputs(self, session):
        return session.outputs

    def run(self, session, inputs, names):
        results = session.run({name: to_numpy(value) for name, value in inputs.items()}, names)
        return [from_numpy(value) for value in results]

    def backward(self, session, inputs, seeds, wanted):
        arrays = {name: to_numpy(value) for name, value in inputs.items()}
        gradients = session.backward(arrays, {name: to_numpy(seed) for name, seed in seeds.items()}, wanted)
        return [from_numpy(value) for value in gradients]
