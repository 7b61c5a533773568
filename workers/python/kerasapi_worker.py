"""Keras's documented functions, layers and losses as a backend of equiv: keras.ops, keras.layers and others, by name.

Options: arrays=jax|numpy|torch|tensorflow|openvino (default: numpy), which KERAS_BACKEND says, too; mode=..., one of
Backend.modes; threads=1, which the environment sees to.
Installed: as keras_worker.py says; mode=onnx also takes the backend onnxscript, mode=openvino the package openvino of
the user's own.
"""

import importlib
import os
import sys
import warnings

import forms
import keras_worker
import kerasapi_saved
from kerasapi_saved import inputs
from worker_types import CODES, Unsupported

SEED = 20
# modules of functions; modules of classes, whose objects are called
FUNCTIONS = ("ops", "ops.image", "activations", "losses", "utils")
CLASSES = ("layers", "losses", "constraints", "regularizers", "quantizers")
EXPORTERS = {"torch": ["onnxscript"], "tensorflow": ["jax"]}  # hold what exports write with: onnx, SciPy for OpenVINO
NETWORKS = ("applications",)  # of functions that make a network


def weight(number, shape):
    """Numbers of a weight: the same with every array library, which Keras's own initializers do not promise."""
    import numpy
    return numpy.random.default_rng(SEED + number).uniform(-1, 1, shape)


def set_weights(layer, start=0, deep=False):
    """Gives a layer that was built its numbers; variances are above 0, and weights of a network (`deep`) so small that
    numbers neither grow nor vanish on their way."""
    for i, variable in enumerate(layer.weights):
        if "float" in str(variable.dtype):
            shape = tuple(variable.shape)
            numbers = weight(start + i, shape)
            if deep and len(shape) > 1:
                numbers *= (3 * shape[-1] / max(1, numbers.size)) ** 0.5
            variable.assign(abs(numbers) + 0.25 if "variance" in variable.path or deep and "gamma" in variable.path
                            else numbers)


class Backend(forms.Backend):
    library = "keras"
    elements = "keras.ops"  # has the functions of single elements
    # what array libraries and Keras say where they do not have something; values that must be known before tracing
    absent = (*forms.ABSENT, "Concret", "Tracer", "SymbolicTensor", "No registered", "Detected unsupported operations",
              "XLA compilation requires", "must be a compile-time constant", "No module named", "Invalid dtype",
              "has no attribute", "could not be transformed")

    def open(self, folder, options):
        warnings.filterwarnings("ignore")
        self.arrays = options.get("arrays", "numpy")
        if self.arrays == "jax":
            os.environ["JAX_ENABLE_X64"] = "1"  # else float64 is float32
        self.keras = keras_worker.use_arrays(folder, self.arrays, lambda: importlib.import_module("keras"))
        for backend in EXPORTERS.get(self.arrays, ()):
            sys.path += list(keras_worker.sites(folder, backend))[:1]
        self.space = {"keras": self.keras}
        self.reopen(options)
        return self.keras.__version__

    def modules(self, parts):
        for part in parts:
            module = self.keras
            for name in part.split("."):
                module = getattr(module, name, None)
            if module:  # an older release may not have it
                yield module, f"keras.{part}"

    def names(self):
        return {**forms.public_of(self.modules((*FUNCTIONS, *NETWORKS)), forms.is_function),
                **forms.public_of(self.modules(CLASSES), lambda value: isinstance(value, type))}

    def tensor(self, array):
        return self.keras.ops.convert_to_tensor(array)

    def is_array(self, value):
        import numpy
        return isinstance(value, (numpy.ndarray, numpy.generic)) or self.keras.ops.is_tensor(value)

    def array(self, value):
        import numpy
        made = numpy.asarray(self.keras.ops.convert_to_numpy(value))
        if made.dtype.kind in "OSUV" and made.dtype.name != "bfloat16":
            raise Unsupported(f"a result of {made.dtype}")
        return made.astype(numpy.float32) if made.dtype.name == "bfloat16" else made

    def built(self, form, tensors, start=0):
        """What a form makes, with its numbers: a layer has weights once it was called."""
        self.keras.utils.set_random_seed(SEED)
        made = form.make()
        if isinstance(made, self.keras.Layer):
            form.function(made)(*tensors)
            set_weights(made, start, isinstance(made, self.keras.Model))
        return made

    def called(self, form, tensors):
        """The function of a form; what it makes is kept for the next numbers."""
        if form.made is None:
            return form.function()
        key = form.text, tuple((str(t.dtype), tuple(t.shape)) for t in tensors)
        return form.function(self.kept(key, lambda: self.built(form, tensors)))


# ---- modes: the same call in another way ---------------------------------------------------------------------------


def eager(b, form, tensors):
    return b.called(form, tensors)(*tensors)


def jit(b, form, tensors):
    import jax
    f = b.called(form, tensors)
    return b.kept((form.text, "jit"), lambda: jax.jit(f))(*tensors)


def program(**how):
    def run(b, form, tensors):
        import tensorflow as tf
        return tf.function(b.called(form, tensors), autograph=False, **how)(*tensors)
    return run


def symbolic(b, form, tensors, f=None, batch=True):
    """Symbolic inputs and what the call makes of them."""
    if not tensors:
        raise Unsupported("no tensor")
    given = inputs(b, tensors, batch)
    return given, (f or b.called(form, tensors))(*given)


def functional(b, form, tensors):
    """As a part of a functional model."""
    given, results = symbolic(b, form, tensors)
    return b.keras.Function(given, results)(list(tensors))


def declared(b, form, tensors):
    """Shapes and types that a symbolic call says its results will have."""
    return [described(b, r) for r in leaves_of(b, symbolic(b, form, tensors)[1])]


def found(b, form, tensors):
    """Shapes and types that results have."""
    return [described(b, r) for r in leaves_of(b, eager(b, form, tensors))]


def leaves_of(b, result):
    found = forms.leaves(result, lambda v: b.is_array(v) or isinstance(v, b.keras.KerasTensor))
    if any(isinstance(r, (bool, int, float, complex)) for r in found):
        raise Unsupported("a number of Python's, which no symbolic call gives")
    return found


def described(b, value):
    """Sizes, and the element type by ONNX's number of it."""
    import numpy
    kind = b.keras.backend.standardize_dtype(value.dtype)
    if any(size is None for size in value.shape):
        raise Unsupported("a size that is not known before numbers are")
    return numpy.array([*value.shape, CODES[kind]], numpy.int64)


Backend.modes = {"eager": eager, "jit": jit, "function": program(), "xla": program(jit_compile=True),
                 "functional": functional, "found": found, "declared": declared, **kerasapi_saved.MODES}
