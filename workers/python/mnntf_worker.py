"""MNN's converter of TensorFlow's graphs as a backend: the model becomes a graph of TensorFlow (tf_graph.py), that goes
through MNN's own converter as a file .pb, and runs as a module in high precision.

Options: threads=N; record=FOLDER (the graph is written there, with the places that values go in and out of).
Installed: as mnn_worker.py says; and the backend tf.
"""

import os
import tempfile

import mnn_worker
import tf_graph
from converted import Model
from values import to_numpy


def name_of(place):
    """What MNN calls the value at a place of a graph."""
    node, _, output = place.rpartition(":")
    return node if output == "0" else place


class Backend(mnn_worker.Backend):
    library, layout, names_outputs = "mnntf", "NHWC", False

    def open(self, folder, options):
        version = super().open(folder, options)
        self.folder, self.record, self.writer = folder, options.get("record"), None
        return version

    def load(self, model, options, outputs):
        session = mnn_worker.Session()
        session.data, session.asked, session.given = model, outputs, None
        session.model = Model(model, outputs)
        session.model.remove()
        return session

    def run(self, session, inputs, names):
        self._prepare(session, inputs)
        graph, model = session.graph, session.model
        results = self._results(session, inputs, list(graph.feeds), len(graph.fetches))
        places = list(graph.fetches)
        return [self._output(results[places.index(name)], name, model) for name in names]

    def _prepare(self, session, inputs):
        """The module for these inputs: a graph has their shapes, and may hang on their numbers."""
        given = {name: to_numpy(value) for name, value in inputs.items()}
        if session.given is not None and all(same(given[n], session.given.get(n)) for n in given):
            return
        with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
            session.graph = self._write(session, inputs)
            target = os.path.join(folder, "model.mnn")
            self._convert("TF", session.graph.path, target)
            graph = session.graph
            session.module = self._module(target, [name_of(p) for p in graph.feeds.values()],
                                          [name_of(p) for p in graph.fetches.values()])
        session.given, session.ran = given, False

    def _write(self, session, inputs):
        if self.writer is None:  # not before there is a model: until then copies are made of this process
            record = self.record or tempfile.mkdtemp(dir=os.getcwd())
            self.writer = tf_graph.TensorFlow(self.folder, record)
        try:
            return self.writer.write(session.data, session.asked, inputs, session.model.outputs)
        except tf_graph.Gone:
            self.writer = None
            raise


def same(a, b):
    return b is not None and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
