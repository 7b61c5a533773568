"""PyTensor as a library for onnx_graph.py: its binding table, symbolic values, compiled functions, gradients.

A model becomes one graph of PyTensor for the shapes of its inputs, which PyTensor rewrites and then runs: by NumPy
(mode py), by Numba or by C that it compiles.  What depends on host values alone (shapes, axes) is computed while the
graph is built.  Functions are kept by what they were made for.  pytensor_worker.py sets what PyTensor reads when it is
imported.
"""

import numpy as np
import pytensor
from pytensor.compile.mode import Mode
from pytensor.gradient import DisconnectedInputError, NullTypeGradError

import onnx_graph
import onnx_types
import pytensor_calls
import pytensor_math
import pytensor_nn
import pytensor_shape
import record
from pytensor_calls import TYPES
from pytensor_calls import plain_pt as pt
from worker_types import Optional, Rejected, Unsupported

TABLE = {**pytensor_math.TABLE, **pytensor_shape.TABLE, **pytensor_nn.TABLE}
LIBRARY_ERRORS = (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError, NotImplementedError)
KEPT = 16  # compiled functions of a session


def mode_of(linker, rewrite):
    if linker not in ("py", "numba", "c"):
        raise Rejected(f"mode '{linker}': it is py, numba or c")
    if rewrite not in ("fast_run", "fast_compile", "none"):
        raise Rejected(f"rewrite '{rewrite}': it is fast_run, fast_compile or none")
    if linker == "c" and not pytensor.config.cxx:
        raise Unsupported("mode c needs a C++ compiler (g++), and a worker that was started with it")
    if linker == "numba":
        return pytensor.compile.mode.get_mode("NUMBA")
    return Mode(linker=linker, optimizer=None if rewrite == "none" else rewrite)


class PyTensor:
    """What onnx_graph.Session needs of a library."""

    table = TABLE

    def array(self, value, call):
        if isinstance(value, (list, Optional)):
            raise Rejected(f"{call.op}: a sequence or optional where a tensor is wanted")
        if isinstance(value, np.ndarray) and value.dtype.name not in TYPES:
            call.unsupported(f"tensors of type {value.dtype}")
        return pytensor_calls.pt.as_tensor_variable(value)

    def known(self, value, call):
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, (list, Optional)):
            raise Rejected(f"{call.op}: a sequence or optional where a tensor is wanted")
        call.unsupported("an input's value must be known before the graph is compiled")

    def call(self, binding, call):
        """Adds one node to the graph; nodes of host values alone run at once and stay on the host."""
        fold = all(v is None or isinstance(v, np.ndarray) for v in call.inputs)
        try:
            result = binding(call)
            if not fold:
                return result
            result = result if isinstance(result, tuple) else (result,)
            return tuple(v if isinstance(v, np.ndarray) else evaluate(v) for v in result)
        except onnx_types.NoSuchType as e:
            raise Unsupported(f"{call.op}: {e}") from None
        except LIBRARY_ERRORS as e:
            raise Rejected(f"{call.op}: {type(e).__name__}: {e}") from None


def evaluate(variable):
    if isinstance(variable, record.Value):
        return variable.array
    return np.asarray(variable.eval(mode=Mode(linker="py", optimizer=None)))


class Session:
    """One model in one mode."""

    def __init__(self, data, outputs, linker, rewrite):
        self.mode = mode_of(linker, rewrite)
        self.graph = onnx_graph.Session(PyTensor(), data, outputs)
        self.outputs, self.functions = self.graph.outputs, {}
        self.shared = {}
        for name, value in self.graph.model.graph.constants.items():
            if value.dtype.name in TYPES and value.dtype.kind == "f" and value.size > 1:
                self.shared[name] = pytensor.shared(value, name=name, shape=value.shape)

    def _symbols(self, inputs, variable):
        """Inputs as variables of the graph; whole numbers stay as they are where only the host may read them."""
        def symbol(name, value):
            if record.active:
                return record.active.take(name, value, True)
            # as a name PyTensor refuses a word for a type, such as c32
            return pt.tensor(name=f"input {name}", dtype=value.dtype.name, shape=value.shape)

        return {name: symbol(name, value) if variable(value) else value for name, value in inputs.items()}

    def _build(self, inputs, names):
        """Variables of the inputs, and values of the outputs.  Inputs of whole numbers are variables if that works."""
        constants, weights = self.graph.model.graph.constants, self.shared
        if record.active:
            record.active.begin()
            weights = {name: record.active.take(name, constants[name], False) for name in weights}
        constants = {**constants, **weights}
        constants = {name: value for name, value in constants.items() if name not in inputs}
        error = None
        for variable in (lambda v: True, lambda v: v.dtype.kind == "f"):
            symbols = self._symbols(inputs, variable)
            try:
                scope = self.graph.run(symbols, constants)
                return symbols, [scope.find(name) for name in names]
            except Unsupported as e:
                error = error or e
        raise error

    @staticmethod
    def _key(kind, names, inputs):
        for value in inputs.values():
            if not isinstance(value, np.ndarray) or value.dtype.name not in TYPES:
                raise Unsupported("inputs that are not tensors of numbers")
        return kind, tuple(names), tuple((n, v.shape, v.dtype.name) for n, v in sorted(inputs.items()))

    def _function(self, key, symbols, results, inputs):
        """A compiled function of all inputs that are variables."""
        given = [v for v in symbols.values() if not isinstance(v, np.ndarray)]
        try:
            function = pytensor.function(given, [pt.as_tensor_variable(v) for v in results], mode=self.mode,
                                         on_unused_input="ignore")
        except NotImplementedError as e:
            raise Unsupported(f"{type(e).__name__}: {e}") from None
        names = [name for name, v in symbols.items() if not isinstance(v, np.ndarray)]
        if len(given) == len(inputs):  # else the graph holds for these very numbers
            while len(self.functions) >= KEPT:
                del self.functions[next(iter(self.functions))]
            self.functions[key] = (function, names)
        return function, names

    def run(self, inputs, names):
        key = self._key("run", names, inputs)
        if record.active:
            return self._recorded(record.active, inputs, names)
        function, given = self.functions.get(key) or \
            self._function(key, *self._build(inputs, names), inputs)
        return function(*[inputs[name] for name in given])

    def _recorded(self, recorder, inputs, names):
        """Call by call, each written down."""
        recorder.mode = self.mode
        _, results = self._build(inputs, names)
        return [recorder.give(name, value) for name, value in zip(names, results)]

    def backward(self, inputs, seeds, wanted):
        """Gradients of Σ seed · output with respect to inputs and initializers."""
        everything = {**inputs, **{f"seed of {name}": seed for name, seed in seeds.items()}}
        key = self._key("grad", [*seeds, "", *wanted], everything)
        if record.active:
            self._recorded(record.active, inputs, list(seeds))
            raise Unsupported("gradients while calls are written down")
        function, given = self.functions.get(key) or self._derive(key, inputs, seeds, wanted, everything)
        return function(*[everything[name] for name in given])

    def _derive(self, key, inputs, seeds, wanted, everything):
        for name in wanted:
            value = inputs.get(name, self.graph.model.graph.constants.get(name))
            if value is None:
                raise Rejected(f"'{name}' is neither an input nor an initializer")
            if value.dtype.kind != "f":
                raise Unsupported(f"'{name}' has no gradient: it is not of floating-point numbers")
            if name not in inputs and name not in self.shared:
                self.shared[name] = pytensor.shared(value, name=name, shape=value.shape)
        symbols, outputs = self._build(inputs, list(seeds))
        heads = {}
        for (name, seed), output in zip(seeds.items(), outputs):
            if isinstance(output, np.ndarray) or output.dtype != seed.dtype.name or output.ndim != seed.ndim:
                raise Rejected(f"no seed of shape {seed.shape} fits output '{name}'")
            heads[name] = pt.tensor(name=f"seed of {name}", dtype=output.dtype, shape=seed.shape)
        leaves = [symbols[name] if name in inputs else self.shared[name] for name in wanted]
        try:
            cost = sum(pt.sum(output * head, dtype=output.dtype) for output, head in zip(outputs, heads.values()))
            results = pytensor.grad(cost, leaves, disconnected_inputs="ignore")
        except (DisconnectedInputError, NullTypeGradError, NotImplementedError) as e:
            raise Unsupported(f"{type(e).__name__}: {e}") from None
        results = [g.astype(leaf.dtype) for g, leaf in zip(results, leaves)]
        named = {**symbols, **{f"seed of {name}": head for name, head in heads.items()}}
        return self._function(key, named, results, everything)
