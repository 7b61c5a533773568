"""What workers of libraries share whose models are built here, by bindings of operators, for the inputs' shapes.

A model is built when shapes are new, or the values of inputs that it was built from: bindings may ask for the elements
of an input of the graph, as an axis or as weights, and the model then depends on them.
"""

import numpy as np

import onnx_graph
from worker_types import Optional, Unsupported
from values import to_numpy


class Library:
    """What onnx_graph.Session needs of a library, but for array() and call()."""

    def __init__(self, table):
        self.table = table
        self.start()

    def start(self):
        """Forgets the model that was built last."""
        self.constants, self.pinned = {}, set()

    def kept(self, value, make):
        """What stands for a constant, made once for each."""
        if id(value) not in self.constants:
            self.constants[id(value)] = (value, make(value))
        return self.constants[id(value)][1]

    def known(self, value, call):
        """Elements on the host: a constant, or an input of the graph, whose value the model then depends on."""
        if isinstance(value, np.ndarray):
            return value
        given = getattr(value, "given", None)
        if given is None:
            return call.unsupported("an input must be a constant")
        name, elements = given
        self.pinned.add(name)
        return elements


class Session:
    """One ONNX model, and what was built for it: made[shapes and pinned values]."""

    def __init__(self, library, model, outputs):
        self.library, self.graph = library, onnx_graph.Session(library, model, outputs)
        self.made, self.pinned = {}, set()

    def walk(self, handles):
        """The values of the graph's outputs, by name, after all nodes were bound."""
        scope = self.graph.run(handles)
        self.pinned |= self.library.pinned
        return {name: scope.find(name) for name in self.graph.outputs}

    def built(self, arrays, build):
        """build(session, arrays), unless that was built before."""
        def key():
            return tuple((name, a.shape, a.dtype.name, a.tobytes() if name in self.pinned else b"")
                         for name, a in sorted(arrays.items()))

        if key() not in self.made:
            made = build(self, arrays)
            self.made[key()] = made  # building tells what is pinned
        return self.made[key()]


def arrays_of(inputs):
    """Inputs of a run as arrays of numbers."""
    arrays = {name: to_numpy(value) for name, value in inputs.items()}
    for name, array in arrays.items():
        if isinstance(array, (list, Optional)) or array.dtype.kind == "O":
            raise Unsupported(f"input '{name}' is not a tensor of numbers")
    return arrays
