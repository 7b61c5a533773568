"""Keras as a library for onnx_graph.py: its binding table, tensors, gradients.

Each node runs by itself, as keras.ops does it outside of a model.  Gradients are those of the array library below:
jax.vjp, torch.autograd, tf.GradientTape; NumPy and OpenVINO have none.
"""

import numpy as np

import keras_calls
import keras_math
import keras_nn
import keras_optimizers
import keras_shape
import onnx_graph
import onnx_types
import record
from keras_calls import dims, dtype_of, keras, plain_ops
from worker_types import Optional, Rejected, Unsupported

TABLE = {**keras_math.TABLE, **keras_shape.TABLE, **keras_nn.TABLE, **keras_optimizers.TABLE}
LIBRARY_ERRORS = (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError, RuntimeError, AssertionError)
ARRAYS = keras.backend.backend()
# Types that Keras does not have, or takes nowhere but in layers of its own; it has no exception for them.
NO_SUCH_TYPE = ("Invalid dtype", "no implicit conversions from float8", "Unsupported dtype for PyTorch",
                "can't convert np.ndarray of type")


def host(value):
    """A result as the protocol takes it."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, Optional)):
        raise Unsupported("sequences and optionals")
    return np.asarray(plain_ops.convert_to_numpy(value))


class Keras:
    """What onnx_graph.Session needs of a library."""

    table = TABLE

    def array(self, value, call):
        if isinstance(value, (list, Optional)):
            raise Rejected(f"{call.op}: a sequence or optional where a tensor is wanted")
        if not isinstance(value, np.ndarray):
            return value
        if value.dtype.kind in "OSU":
            call.unsupported("strings")
        made = keras_calls.tensor(value)
        if made is None:
            call.unsupported(f"tensors of type {value.dtype}")
        return record.active.adopt(value) if record.active else made

    def known(self, value, call):
        if isinstance(value, (list, Optional)):
            raise Rejected(f"{call.op}: a sequence or optional where a tensor is wanted")
        return host(value.array if isinstance(value, record.Value) else value)

    def call(self, binding, call):
        try:
            return binding(call)
        except (Rejected, Unsupported):
            raise
        except onnx_types.NoSuchType as e:
            raise Unsupported(f"{call.op}: {e}") from None
        except NotImplementedError as e:
            raise Unsupported(f"{call.op}: {e}") from None
        except AttributeError as e:  # an older Keras
            if "keras.ops" not in str(e) and "keras._tf_keras" not in str(e):
                raise Rejected(f"{call.op}: {type(e).__name__}: {e}") from None
            raise Unsupported(f"{call.op}: {e}") from None
        except Exception as e:
            # Each array library has errors of its own, without a common class.
            if any(words in str(e) for words in NO_SUCH_TYPE):
                raise Unsupported(f"{call.op}: {e}") from None
            if not isinstance(e, LIBRARY_ERRORS) and type(e).__module__.partition(".")[0] == "builtins":
                raise
            raise Rejected(f"{call.op}: {type(e).__name__}: {e}") from None


class Session:
    """One model."""

    def __init__(self, data, outputs):
        self.graph = onnx_graph.Session(Keras(), data, outputs)
        self.outputs = self.graph.outputs

    def _walk(self, constants, inputs, names):
        scope = self.graph.run(inputs, {**self.graph.model.graph.constants, **constants})
        return [scope.find(name) for name in names]

    def run(self, inputs, names):
        """Outputs by name; inputs are numpy arrays."""
        recorder = record.active
        if not recorder:
            return [host(value) for value in self._walk({}, inputs, names)]
        recorder.begin()
        constants = self.graph.model.graph.constants
        found = self._walk({name: recorder.take(name, v, False) for name, v in constants.items()},
                           {name: recorder.take(name, v, True) for name, v in inputs.items()}, names)
        return [host(recorder.give(name, value)) for name, value in zip(names, found)]

    def backward(self, inputs, seeds, wanted):
        """Gradients of Σ seed · output with respect to inputs and initializers."""
        leaves = {}
        for name in wanted:
            value = inputs.get(name, self.graph.model.graph.constants.get(name))
            if value is None:
                raise Rejected(f"'{name}' is neither an input nor an initializer")
            if value.dtype.kind != "f":
                raise Unsupported(f"'{name}' has no gradient: it is not of floating-point numbers")
            leaves[name] = value
        if record.active:
            self.run(inputs, list(seeds))
            raise Unsupported("gradients while calls are written down")
        if ARRAYS not in GRADIENTS:
            raise Unsupported(f"Keras has no gradients with {ARRAYS}")

        def outputs_of(at):
            found = self._walk({n: v for n, v in at.items() if n not in inputs},
                               {**inputs, **{n: v for n, v in at.items() if n in inputs}}, list(seeds))
            found = [plain_ops.convert_to_tensor(v) for v in found]
            for (name, seed), output in zip(seeds.items(), found):
                if seed.shape != dims(output) or seed.dtype != dtype_of(output):
                    raise Rejected(f"no seed of shape {seed.shape} fits output '{name}' of shape {dims(output)}")
            return found

        return [host(v) for v in GRADIENTS[ARRAYS](outputs_of, leaves, list(seeds.values()))]


def jax_gradients(outputs_of, leaves, seeds):
    import jax

    try:
        _, pull = jax.vjp(outputs_of, {name: jax.numpy.asarray(v) for name, v in leaves.items()})
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as e:
        raise Unsupported(f"a gradient through what must be known: {e}") from None
    (found,) = pull([jax.numpy.asarray(seed) for seed in seeds])
    return [found[name] for name in leaves]


def torch_gradients(outputs_of, leaves, seeds):
    import torch

    at = {name: torch.tensor(v, requires_grad=True) for name, v in leaves.items()}
    outputs = [(o, torch.tensor(s)) for o, s in zip(outputs_of(at), seeds) if o.requires_grad]
    found = [None] * len(at)
    if outputs:
        found = torch.autograd.grad([o for o, _ in outputs], list(at.values()), [s for _, s in outputs],
                                    allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(at.values(), found)]


def tensorflow_gradients(outputs_of, leaves, seeds):
    import tensorflow as tf

    at = {name: tf.convert_to_tensor(v) for name, v in leaves.items()}
    with tf.GradientTape() as tape:
        tape.watch(list(at.values()))
        outputs = outputs_of(at)
    found = tape.gradient(outputs, list(at.values()), output_gradients=[tf.convert_to_tensor(s) for s in seeds],
                          unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return [tf.convert_to_tensor(g) for g in found]


GRADIENTS = {"jax": jax_gradients, "torch": torch_gradients, "tensorflow": tensorflow_gradients}
