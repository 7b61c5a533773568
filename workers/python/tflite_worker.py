"""TensorFlow Lite (LiteRT) as a backend: a .tflite model is written for the shapes of the inputs, and run.

Options: kernels=auto|builtin|reference (auto: with XNNPACK), threads=N.  Installed: site/ with ai_edge_litert,
flatbuffers and numpy.
"""

import os

import numpy as np

import onnx_graph
import onnx_types
from assay_worker import Optional, Rejected, Unsupported
from values import from_numpy, to_numpy, write_calls


class Library:
    """What onnx_graph.Session needs: nodes add operators to a builder; nodes of constants alone are run at once."""

    def __init__(self, modules, kernels, threads):
        self.modules, self.kernels, self.threads = modules, kernels, threads
        self.table = modules.table
        self.start()

    def start(self):
        self.builder = self.modules.builder.Builder(self.kernels, self.threads)
        self.constants, self.pinned = {}, set()

    def type_of(self, code):
        if code == onnx_types.STRING:
            raise Unsupported("strings")
        return onnx_types.numpy_type(code)

    def array(self, value, call):
        if isinstance(value, self.modules.builder.Handle):
            return value
        if not isinstance(value, np.ndarray):
            call.unsupported("sequences and optionals")
        if id(value) not in self.constants:
            self.constants[id(value)] = (value, self.builder.constant(value))
        return self.constants[id(value)][1]

    def known(self, value, call):
        """Elements on the host: a constant, or an input of the graph, whose value the model then depends on."""
        if isinstance(value, np.ndarray):
            return value
        if not isinstance(value, self.modules.builder.Handle) or value.given is None:
            return call.unsupported("an input must be a constant")
        name, elements = value.given
        self.pinned.add(name)
        return elements

    def call(self, binding, call):
        result = binding(call)
        if any(isinstance(v, self.modules.builder.Handle) for v in call.inputs):
            return result
        results = result if isinstance(result, tuple) else (result,)
        return tuple(v if isinstance(v, np.ndarray) else v.data if v.data is not None else self.now(v)
                     for v in results)

    def now(self, handle):
        """The value of a tensor that depends on constants alone."""
        made = self.builder.interpreter(self.builder.needed(handle), [], [handle])
        made.invoke()
        return fetched(made, made.get_output_details()[0])


def fetched(made, detail):
    """An output of an interpreter; it does not give out empty ones."""
    if 0 in detail["shape"]:
        return np.zeros(detail["shape"], detail["dtype"])
    return np.array(made.get_tensor(detail["index"]))


class Modules:
    def __init__(self):
        import tflite_builder
        import tflite_nn
        import tflite_ops

        self.builder, self.table = tflite_builder, {**tflite_ops.TABLE, **tflite_nn.TABLE}


class Session:
    pass


class Backend:
    library = "tflite"

    def open(self, folder, options):
        self.modules = Modules()
        import ai_edge_litert

        return ai_edge_litert.__version__

    def operators(self):
        return sorted(self.modules.table)

    def load(self, model, options, outputs):
        kernels = options.get("kernels", "auto")
        if kernels not in self.modules.builder.KERNELS:
            raise Rejected(f"kernels '{kernels}': they are {', '.join(self.modules.builder.KERNELS)}")
        session = Session()
        session.library = Library(self.modules, kernels, int(options.get("threads", "1")))
        session.graph = onnx_graph.Session(session.library, model, outputs)
        session.made, session.pinned, session.record = {}, set(), options.get("record")
        return session

    def outputs(self, session):
        return session.graph.outputs

    def _build(self, session, arrays):
        """An interpreter for inputs of these shapes: (interpreter, handles of inputs, values of outputs)."""
        session.library.start()
        handles = {name: self.modules.builder.Handle(a.shape, a.dtype) for name, a in arrays.items()}
        for name, handle in handles.items():
            handle.given = (name, arrays[name])
        scope = session.graph.run(handles)
        session.pinned |= session.library.pinned
        results = {name: scope.find(name) for name in session.graph.outputs}
        wanted = [v for v in results.values() if not isinstance(v, np.ndarray)]
        made = None
        if wanted:
            try:
                made = session.library.builder.interpreter(session.library.builder.operators, list(handles.values()),
                                                           wanted)
            except (RuntimeError, ValueError) as e:
                raise Unsupported(str(e)) from None
        if wanted and session.record:
            self._write(session, list(handles.values()), wanted, results)
        return made, list(handles), results

    def _write(self, session, inputs, wanted, results):
        """The model as a file, for a script that shows what it does without assay."""
        content = self.modules.builder.write(session.library.builder.operators, inputs, wanted)
        with open(os.path.join(session.record, "model.tflite"), "wb") as f:
            f.write(content)
        places = {id(handle): i for i, handle in enumerate(wanted)}
        write_calls(session.record, [("feed", handle.given[0], i) for i, handle in enumerate(inputs)] +
                    [("fetch", name, places[id(v)]) for name, v in results.items() if id(v) in places])

    def _made(self, session, arrays):
        """The model for these inputs, built when their shapes, or values it was built from, are new."""
        def key():
            return tuple((name, a.shape, a.dtype.name, a.tobytes() if name in session.pinned else b"")
                         for name, a in sorted(arrays.items()))

        if key() not in session.made:
            built = self._build(session, arrays)
            session.made[key()] = built
        return session.made[key()]

    def run(self, session, inputs, names):
        arrays = {}
        for name, value in inputs.items():
            arrays[name] = to_numpy(value)
            if isinstance(arrays[name], (list, Optional)) or arrays[name].dtype.kind == "O":
                raise Unsupported(f"input '{name}' is no tensor of numbers")
        made, order, results = self._made(session, arrays)
        found = {}
        if made:
            for name, detail in zip(order, made.get_input_details()):
                made.set_tensor(detail["index"], arrays[name])
            made.invoke()
            handles = [v for v in results.values() if not isinstance(v, np.ndarray)]
            for handle, detail in zip(handles, made.get_output_details()):
                found[id(handle)] = fetched(made, detail)
        return [from_numpy(found.get(id(results[n]), results[n])) for n in names]
