"""ncnn as a backend: a network is written for the shapes of the inputs, and run in float32 alone.

Options: model=layers|pnnx (pnnx: the model goes through ncnn's own converter, see ncnn_pnnx.py), threads=N,
record=FOLDER (the network is written there), values=1 (each layer runs alone, and is written there with its values).
Installed: site/ with ncnn, numpy and the program pnnx/pnnx.
"""

import numpy as np

import built
from record_graph import Record
from worker_types import Unsupported
from values import from_numpy, write_calls


class Library(built.Library):
    """Nodes add layers to a builder; what speaks of shapes is computed at once."""

    def __init__(self, modules, ncnn, threads, record=None):
        self.modules, self.ncnn, self.threads, self.record = modules, ncnn, threads, record
        super().__init__(modules.table)

    def start(self):
        super().start()
        if self.record:
            self.record.begin()
        self.builder = self.modules.builder.Builder(self.ncnn, self.threads, self.record)

    def array(self, value, call):
        if isinstance(value, self.modules.builder.Handle):
            return value
        if not isinstance(value, np.ndarray) or value.dtype != np.float32:
            call.unsupported("blobs are of float32, with one to four axes")
        return self.kept(value, lambda v: self.modules.builder.Handle(v.shape, data=v))

    def call(self, binding, call):
        host = self.modules.host.get(call.op)
        given = [v for v in call.inputs if v is not None]
        if host and given and all(isinstance(v, np.ndarray) and v.dtype.kind in "iu" for v in given):
            return np.asarray(host(call))
        return binding(call)


class Given:
    """An input of the graph that ncnn has no type or no axes for: only its elements can be asked for, as weights."""

    def __init__(self, name, elements):
        self.elements, self.shape, self.given = elements, elements.shape, (name, elements)


class Modules:
    def __init__(self):
        import ncnn_builder
        import ncnn_nn
        import ncnn_ops

        self.builder, self.host, self.table = ncnn_builder, ncnn_ops.HOST, {**ncnn_ops.TABLE, **ncnn_nn.TABLE}


class Layers:
    """Sessions whose networks are written here."""

    def __init__(self, ncnn, threads, folder, values):
        self.ncnn, self.threads, self.modules = ncnn, threads, Modules()
        self.calls = Record(folder) if folder and values else None  # layer by layer
        self.record = None if self.calls else folder                # the network as files

    def load(self, model, outputs):
        return built.Session(Library(self.modules, self.ncnn, self.threads, self.calls), model, outputs)

    def outputs(self, session):
        return session.graph.outputs

    @staticmethod
    def _handle(builder, name, array):
        """An input of the graph: a blob, or what has only its elements to offer."""
        try:
            handle = builder.input(array.shape) if array.dtype == np.float32 else Given(name, array)
        except Unsupported:
            return Given(name, array)
        handle.given = (name, array)
        return handle

    def _walk(self, session, arrays):
        """Handles of inputs, and values of outputs."""
        library, handles = session.library, {}
        library.start()
        for name, array in arrays.items():
            handles[name] = self._handle(library.builder, name, array)
            if self.calls and not isinstance(handles[name], Given):
                library.builder.give(handles[name], name, array)
        results = session.walk(handles)
        for name, value in results.items():
            if isinstance(value, Given):
                results[name] = value.elements
        return handles, results

    def _build(self, session, arrays):
        """A network for inputs of these shapes: (network, blobs of inputs, values of outputs, blobs to ask for)."""
        library = session.library
        handles, results = self._walk(session, arrays)
        wanted = [v for v in results.values() if isinstance(v, self.modules.builder.Handle)]
        net, asked = library.builder.net([library.builder.blob(v) for v in wanted], self.record) if wanted \
            else (None, [])
        blobs = {name: h for name, h in handles.items() if not isinstance(h, Given)}
        asked = dict(zip(map(id, wanted), asked))
        if self.record:
            write_calls(self.record, [("feed", name, h.blob, list(h.axes)) for name, h in blobs.items()] +
                        [("fetch", name, asked[id(v)], list(v.shape)) for name, v in results.items()
                         if id(v) in asked])
        return net, blobs, results, asked

    def _run_alone(self, session, arrays):
        """Layer by layer: elements of outputs by the handles' ids, and values of outputs."""
        _, results = self._walk(session, arrays)
        builder = session.library.builder
        return {id(v): builder.values[builder.blob(v)] for v in results.values()
                if isinstance(v, self.modules.builder.Handle)}, results

    def run(self, session, inputs, names):
        arrays = built.arrays_of(inputs)
        if self.calls:
            found, results = self._run_alone(session, arrays)
        else:
            net, blobs, results, asked = session.built(arrays, self._build)
            found = self._extracted(net, blobs, asked, arrays) if asked else {}
        return [from_numpy(self._shaped(found.get(id(results[n])), results[n], n)) for n in names]

    def _extracted(self, net, blobs, asked, arrays):
        given = {h.blob: np.ascontiguousarray(arrays[name].reshape(h.axes)) for name, h in blobs.items()}
        return dict(zip(asked, self.modules.builder.extracted(self.ncnn, net, given, asked.values())))

    @staticmethod
    def _shaped(array, value, name):
        if array is None:
            return value
        if array.size != value.size:
            raise RuntimeError(f"output '{name}' has {array.size} elements where {value.shape} are wanted")
        return array.reshape(value.shape)


class Backend:
    library = "ncnn"

    def open(self, folder, options):
        import ncnn
        import ncnn_pnnx

        how, threads = options.get("model", "layers"), int(options.get("threads", "1"))
        if how not in ("layers", "pnnx"):
            raise RuntimeError(f"model '{how}': it is layers or pnnx")
        record = options.get("record")
        self.way = Layers(ncnn, threads, record, options.get("values") == "1") if how == "layers" else \
            ncnn_pnnx.Converted(ncnn, folder, threads, record)
        return ncnn.__version__

    def load(self, model, options, outputs):
        return self.way.load(model, outputs)

    def outputs(self, session):
        return self.way.outputs(session)

    def run(self, session, inputs, names):
        return self.way.run(session, inputs, names)
