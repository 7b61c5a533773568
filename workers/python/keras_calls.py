"""Keras as its bindings see it: keras.ops as it is, or, when a record is wanted (record.py), with each call written
down under its public name: keras.ops.add.

keras_worker.py says which array library Keras computes with before this is imported.
"""

import os

import keras
import numpy as np
from keras import ops

import onnx_types
import record

if keras.backend.backend() in ("jax", "numpy"):  # its convolutions for NumPy are JAX's
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    import jax

    jax.config.update("jax_enable_x64", True)                      # ONNX has 64-bit types
    jax.config.update("jax_default_matmul_precision", "highest")   # float32 is float32
if keras.backend.backend() == "torch":
    import torch

    torch.set_num_threads(1)

OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "neg": "negative",
             "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
plain_ops = ops


def dtype_of(x):
    """The type of a tensor, as numpy has it."""
    if isinstance(x, record.Value):
        return x.dtype
    name = keras.backend.standardize_dtype(x.dtype)
    return np.dtype(name if name != "bfloat16" else onnx_types.numpy_type(onnx_types.BFLOAT16))


def dims(x):
    return tuple(int(d) for d in x.shape)


def tensor(value):
    """A tensor of Keras, with the type that the value has; None where Keras has no such type.

    With NumPy, Keras makes int64 int32 and float64 float32 unless it is told the type (its own rule of promotion).
    Whole numbers are told, since indices are int64; float64 is not, because everything would be computed in float32.
    """
    told = value.dtype.name if keras.backend.backend() == "numpy" and value.dtype.kind in "iu" else None
    made = plain_ops.convert_to_tensor(value, dtype=told)
    return made if dtype_of(made) == value.dtype else None


LAYERS, MOST_LAYERS = {}, 200  # what was built, whose weights are never used: each call has its own


def built(name, dtype, shapes, config):
    """A layer that is ready for inputs of these shapes; making its weights takes longer than the call."""
    key = (name, dtype, repr(shapes), repr(sorted(config.items())))
    if key not in LAYERS:
        if len(LAYERS) >= MOST_LAYERS:
            LAYERS.clear()
        made = getattr(keras.layers, name)(dtype=dtype, **config)
        made.build(shapes)
        LAYERS[key] = made
    return LAYERS[key]


def layer_of(name):
    """A layer as a function of its inputs, its weights in its own order, the states it begins with, and what it is made
    with."""
    def run(inputs, weights, initial_state=None, **config):
        listed = isinstance(inputs, list)
        typed = weights[0] if weights else inputs[0] if listed else inputs
        made = built(name, dtype_of(typed).name, [dims(x) for x in inputs] if listed else dims(inputs), config)
        given = dict(zip(map(id, made.weights), weights))
        more = {"initial_state": initial_state} if initial_state else {}
        found, _ = made.stateless_call([given[id(v)] for v in made.trainable_variables],
                                       [given.get(id(v), v.value) for v in made.non_trainable_variables], inputs,
                                       **more)
        return found
    return run


def layer(name, inputs, weights, **config):
    """A call of a layer, as one call of the record: keras.layers.Dense(x, [kernel, bias], units=3)."""
    if record.active:
        return record.active.call(f"keras.layers.{name}", layer_of(name), (inputs, weights), config)
    return layer_of(name)(inputs, weights, **config)


class Value(record.Value):
    dtype = property(lambda self: self.array.dtype if isinstance(self.array, np.ndarray) else dtype_of(self.array))


class Recorder(record.Recorder):
    """Sources stay numpy's until a call takes them."""

    value = Value

    def __init__(self, folder, values):
        super().__init__(folder, values)
        self.special = {"keras.ops.convert_to_numpy": self.elements}

    def elements(self, array):
        array = array.array if isinstance(array, Value) else array
        return array if isinstance(array, np.ndarray) else np.asarray(plain_ops.convert_to_numpy(array))

    def run(self, path, function, args, kwargs):
        def plain(v):
            if not isinstance(v, Value):
                return v
            if not isinstance(v.array, np.ndarray):
                return v.array
            made = tensor(v.array)
            return plain_ops.convert_to_tensor(v.array) if made is None else made

        return function(*record.mapped(args, plain), **{k: record.mapped(v, plain) for k, v in kwargs.items()})


def start(folder, values):
    """From now on calls are written down; to be called before the bindings are imported."""
    global ops
    record.active = Recorder(folder, values)
    ops = record.Module(record.active, plain_ops, "keras.ops")
    record.operators(Value, {name: getattr(ops, function) for name, function in OPERATORS.items()})
