"""TensorFlow Lite (LiteRT) as a backend: a .tflite model is written for the shapes of the inputs, and run.

Options: kernels=auto|builtin|reference (auto: with XNNPACK), threads=N.  Installed: site/ with ai_edge_litert,
flatbuffers and numpy.
"""

import os

import numpy as np

import built
import onnx_types
from worker_types import Rejected, Unsupported
from values import from_numpy, write_calls


class Library(built.Library):
    """Nodes add operators to a builder; nodes of constants alone are run at once."""

    def __init__(self, modules, kernels, threads):
        self.modules, self.kernels, self.threads = modules, kernels, threads
        super().__init__(modules.table)

    def start(self):
        super().start()
        self.builder = self.modules.builder.Builder(self.kernels, self.threads)

    def type_of(self, code):
        if code == onnx_types.STRING:
            raise Unsupported("strings")
        return onnx_types.numpy_type(code)

    def array(self, value, call):
        if isinstance(value, self.modules.builder.Handle):
            return value
        if not isinstance(value, np.ndarray):
            call.unsupported("sequences and optionals")
        return self.kept(value, self.builder.constant)

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
        session = built.Session(Library(self.modules, kernels, int(options.get("threads", "1"))), model, outputs)
        session.record = options.get("record")
        return session

    def outputs(self, session):
        return session.graph.outputs

    def _build(self, session, arrays):
        """An interpreter for inputs of these shapes: (interpreter, handles of inputs, values of outputs)."""
        session.library.start()
        handles = {name: self.modules.builder.Handle(a.shape, a.dtype) for name, a in arrays.items()}
        for name, handle in handles.items():
            handle.given = (name, arrays[name])
        results = session.walk(handles)
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

    def run(self, session, inputs, names):
        arrays = built.arrays_of(inputs)
        made, order, results = session.built(arrays, self._build)
        found = {}
        if made:
            for name, detail in zip(order, made.get_input_details()):
                made.set_tensor(detail["index"], arrays[name])
            made.invoke()
            handles = [v for v in results.values() if not isinstance(v, np.ndarray)]
            for handle, detail in zip(handles, made.get_output_details()):
                found[id(handle)] = fetched(made, detail)
        return [from_numpy(found.get(id(results[n]), results[n])) for n in names]
