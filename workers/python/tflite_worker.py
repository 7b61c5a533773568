"""TensorFlow Lite (LiteRT) as a backend: a .tflite model is written for the shapes of the inputs, and run.

Options: kernels=auto|builtin|reference (auto: with XNNPACK), threads=N, record=FOLDER (the model is written there),
values=1 (each operator runs alone, and is written there with its values).  Installed: site/ with ai_edge_litert,
flatbuffers and numpy.
"""

import os

import numpy as np

import built
import onnx_types
from record_graph import Record
from worker_types import Rejected, Unsupported
from values import from_numpy, write_calls


class Library(built.Library):
    """Nodes add operators to a builder; nodes of constants alone are run at once."""

    def __init__(self, modules, kernels, threads, record=None):
        self.modules, self.kernels, self.threads, self.record = modules, kernels, threads, record
        super().__init__(modules.table)

    def start(self):
        super().start()
        if self.record:
            self.record.begin()
        self.builder = self.modules.builder.Builder(self.kernels, self.threads, self.record)

    def type_of(self, code):
        if code == onnx_types.STRING:
            raise Unsupported("strings")
        try:
            return onnx_types.numpy_type(code)
        except onnx_types.NoSuchType as e:
            raise Unsupported(str(e)) from None

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
        if handle.value is not None:
            return handle.value
        made = self.builder.interpreter(self.builder.needed(handle), [], [handle])
        made.invoke()
        return self.modules.builder.fetched(made, made.get_output_details()[0])


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
        folder, values = options.get("record"), options.get("values") == "1"
        library = Library(self.modules, kernels, int(options.get("threads", "1")),
                          Record(folder) if folder and values else None)
        session = built.Session(library, model, outputs)
        session.record = None if library.record else folder
        return session

    def outputs(self, session):
        return session.graph.outputs

    def _walk(self, session, arrays):
        """Handles of inputs, and values of outputs."""
        session.library.start()
        handles = {name: self.modules.builder.Handle(a.shape, a.dtype) for name, a in arrays.items()}
        for name, handle in handles.items():
            handle.given = (name, arrays[name])
        return handles, session.walk(handles)

    def _build(self, session, arrays):
        """An interpreter for inputs of these shapes: (interpreter, handles of inputs, values of outputs)."""
        handles, results = self._walk(session, arrays)
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

    def _run_alone(self, session, arrays, names):
        """Operator by operator."""
        _, results = self._walk(session, arrays)
        handles = {name: v for name, v in results.items() if not isinstance(v, np.ndarray)}
        results.update({name: h.given[1] if h.given else h.value for name, h in handles.items()})
        return [from_numpy(results[n]) for n in names]

    def run(self, session, inputs, names):
        arrays = built.arrays_of(inputs)
        if session.library.record:
            return self._run_alone(session, arrays, names)
        made, order, results = session.built(arrays, self._build)
        found = {}
        if made:
            for name, detail in zip(order, made.get_input_details()):
                made.set_tensor(detail["index"], arrays[name])
            made.invoke()
            handles = [v for v in results.values() if not isinstance(v, np.ndarray)]
            for handle, detail in zip(handles, made.get_output_details()):
                found[id(handle)] = self.modules.builder.fetched(made, detail)
        return [from_numpy(found.get(id(results[n]), results[n])) for n in names]
