"""JAX as a library for onnx_graph.py: its binding table, arrays, tracing, gradients.

Modes: "eager", each operation by itself, and "jit", the whole graph compiled at once.  In jit what depends on host
values alone (shapes, axes) is computed while tracing.  A graph that needs the value of something traced, such as an
axis that is an input of the graph, or that computes with sequences, cannot be compiled: it runs as in "eager".
"""

import contextlib

import numpy as np

import jax_calls
import jax_math
import jax_nn
import jax_rnn
import jax_shape
import onnx_graph
import record
from jax_calls import plain_jax as jax
from jax_calls import plain_jnp as jnp
from worker_types import Optional, Rejected, Unsupported

TABLE = {**jax_math.TABLE, **jax_shape.TABLE, **jax_nn.TABLE, **jax_rnn.TABLE}
SMALL = 1024  # initializers below this many elements may be asked for while tracing
COMPILE_AFTER = 8  # gradients are compiled when they are asked for so often: that takes longer than a few of them
LIBRARY_ERRORS = (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError, NotImplementedError)


class Untraceable(Unsupported):
    """The graph cannot be compiled, and may well be run."""


UNTRACEABLE = (Untraceable, jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)


@contextlib.contextmanager
def runtime_errors():
    """The compiler's statuses as results of a run: a GPU's knows less than the CPU's."""
    try:
        yield
    except jax.errors.JaxRuntimeError as e:
        status = str(e).partition(":")[0]
        if status == "UNIMPLEMENTED":
            raise Unsupported(str(e)) from None
        if status == "RESOURCE_EXHAUSTED":
            raise MemoryError(str(e)) from None
        raise


class Jax:
    """What onnx_graph.Session needs of a library."""

    table = TABLE

    def __init__(self):
        self.tracing = False

    def array(self, value, call):
        if isinstance(value, (list, Optional)):
            raise Rejected(f"{call.op}: a sequence or optional where a tensor is wanted")
        if isinstance(value, np.ndarray) and value.dtype.kind in "OSU":
            call.unsupported("strings")
        return jax_calls.jnp.asarray(value)

    def known(self, value, call):
        if isinstance(value, (list, Optional)):
            raise Rejected(f"{call.op}: a sequence or optional where a tensor is wanted")
        try:
            return np.asarray(value)
        except jax.errors.TracerArrayConversionError:
            raise Untraceable(f"{call.op}: an input's value must be known before it is compiled") from None

    def call(self, binding, call):
        """Runs one node; while tracing, nodes of host values alone run at once and stay on the host."""
        fold = self.tracing and all(v is None or isinstance(v, np.ndarray) for v in call.inputs)
        with jax.ensure_compile_time_eval() if fold else contextlib.nullcontext():
            try:
                result = binding(call)
            except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as e:
                raise Untraceable(f"{call.op}: {e}") from None
            except LIBRARY_ERRORS as e:
                raise Rejected(f"{call.op}: {type(e).__name__}: {e}") from None
            if not fold:
                return result
            result = result if isinstance(result, tuple) else (result,)
            return tuple(np.asarray(v) if isinstance(v, jax.Array) else v for v in result)


class JaxSession:
    """One model in one mode."""

    def __init__(self, data, outputs, mode="eager"):
        if mode not in ("eager", "jit"):
            raise Rejected(f"mode '{mode}': it is eager or jit")
        self.library = Jax()
        self.graph = onnx_graph.Session(self.library, data, outputs)
        self.outputs, self.mode = self.graph.outputs, mode
        self.host, self.device = {}, {}
        for name, value in self.graph.model.graph.constants.items():
            small = value.dtype.kind in "OSU" or (mode == "jit" and value.size < SMALL)
            (self.host if small else self.device)[name] = value if small else jnp.asarray(value)
        self.compiled = {}
        self.asked, self.derived = {}, {}  # how often gradients were asked for, and those that are compiled

    def _walk(self, device, inputs, names):
        if record.active:
            return self._recorded(record.active, device, inputs, names)
        scope = self.graph.run(inputs, {**self.host, **device})
        return [scope.find(name) for name in names]

    def _recorded(self, recorder, device, inputs, names):
        """The same, with each call written down."""
        recorder.begin()
        scope = self.graph.run({name: recorder.take(name, value, True) for name, value in inputs.items()},
                               {name: recorder.take(name, value, False)
                                for name, value in {**self.host, **device}.items()})
        return [recorder.give(name, scope.find(name)) for name in names]

    def _traced(self, device, inputs, names):
        self.library.tracing = True
        try:
            return self._walk(device, inputs, names)
        finally:
            self.library.tracing = False

    @runtime_errors()
    def run(self, inputs, names):
        """Outputs by name; inputs are numpy arrays, or lists of them for sequences."""
        plain = all(isinstance(v, np.ndarray) and v.dtype.kind not in "OSU" for v in inputs.values())
        if self.mode == "eager" or not plain:
            return self._walk(self.device, inputs, names)
        key = tuple(names)
        if key not in self.compiled:
            self.compiled[key] = jax.jit(lambda device, values: self._traced(device, values, key))
        try:
            return self.compiled[key](self.device, inputs)
        except UNTRACEABLE:
            self.mode = "eager"
        except TypeError as e:  # a result that is no array: a sequence, an optional, strings
            if "is not a valid JAX type" not in str(e):
                raise
            self.mode = "eager"
        return self._walk({**self.device, **self.host}, inputs, names)

    @runtime_errors()
    def backward(self, inputs, seeds, wanted):
        """Gradients of Σ seed · output with respect to inputs and initializers, and the outputs that have seeds."""
        leaves = {}
        for name in wanted:
            value = inputs.get(name, self.graph.model.graph.constants.get(name))
            if value is None:
                raise Rejected(f"'{name}' is neither an input nor an initializer")
            if not isinstance(value, np.ndarray) or not jnp.issubdtype(value.dtype, jnp.inexact):
                raise Unsupported(f"'{name}' has no gradient: it is not of floating-point numbers")
            leaves[name] = jnp.asarray(value)
        if record.active:
            self._walk(self.device, inputs, list(seeds))
            raise Unsupported("gradients while calls are written down")
        return self._derive(leaves, inputs, seeds)

    def _derive(self, leaves, inputs, seeds):
        key = (frozenset(seeds), frozenset(leaves))
        self.asked[key] = self.asked.get(key, 0) + 1
        if self.mode == "eager" or self.asked[key] < COMPILE_AFTER:
            return self._pull(self._walk, self.device, leaves, inputs, seeds)
        if key not in self.derived:
            self.derived[key] = jax.jit(lambda *values: self._pull(self._traced, *values))
        try:
            return self.derived[key](self.device, leaves, inputs, seeds)
        except UNTRACEABLE:
            self.mode = "eager"
        return self._pull(self._walk, self.device, leaves, inputs, seeds)

    @staticmethod
    def _pull(walk, device, leaves, inputs, seeds):
        def outputs_of(at):
            constants = {**device, **{n: v for n, v in at.items() if n not in inputs}}
            return walk(constants, {**inputs, **{n: v for n, v in at.items() if n in inputs}}, list(seeds))

        outputs, pull = jax.vjp(outputs_of, leaves)
        heads = []
        for (name, seed), output in zip(seeds.items(), outputs):
            if seed.shape != output.shape or not jnp.issubdtype(output.dtype, jnp.inexact):
                raise Rejected(f"no seed of shape {seed.shape} fits output '{name}' of shape {output.shape}")
            heads.append(jnp.asarray(seed).astype(output.dtype))
        (gradients,) = pull(heads)
        return gradients, dict(zip(seeds, outputs))  # jit gives dictionaries in an order of its own
